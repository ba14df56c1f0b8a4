"""Launch data: any slice equals the same slice of the whole, and each initialiser makes what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launch_cases import GRID, launches

from mutate.launch import ArrayDecl, data, rng
from mutate.launch.data import materialize, mulhi, splitmix64
from mutate.launch.model import bf16_bits


def array(declaration: str, before: str = "", file: str = "kernel.cu", **overrides: str) -> ArrayDecl:
    (launch,) = launches(f"{GRID} {before} {declaration}; k(a);", overrides=overrides, file=file)
    return launch.array("a")


DECLARATIONS = [
    "float a[1000] = zeros()", "half a[1000] = ones()", "int a[1000] = fill(-3)", "float a[999] = iota(2, 0.5)",
    "short a[1000] = iota(-5, 3)", "float a[1000] = uniform(-1, 3)", "double a[1000] = uniform(-1, 3)",
    "half a[1000] = uniform(0, 1)", "__nv_bfloat16 a[1000] = uniform(0, 1)", "float4 a[250] = uniform(0, 1)",
    "float a[1000] = normal(1, 2)", "double a[1000] = normal()", "int a[1000] = randint(-7, 9)",
    "long a[1000] = randint(-4000000000, 4000000000)", "unsigned char a[1000] = randint(0, 256)",
    "float a[1000] = randint(0, 4)", "int a[1000] = permutation()", "int a[1001] = csr_rowptr(1000, 1, 9)",
    "int a[1000] = csr_colidx(50)", "half a[1000] = ascending(0, 9)",
    "int a[1000] = {1, 2, 3, [500] = 4}", "bool a[1000] = randint(0, 2)",
    "struct { float x, y, z; } a[300] = uniform(0, 1)", "struct { char c; float f; } a[5] = {{1, 2}, {3, 4}}",
]


@pytest.mark.parametrize("declaration", DECLARATIONS)
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_a_slice_is_the_slice_of_the_whole(declaration: str, data: st.DataObject) -> None:
    decl = array(declaration)
    whole = materialize(decl)
    assert len(whole) == decl.count
    start = data.draw(st.integers(0, decl.count))
    count = data.draw(st.integers(0, decl.count - start))
    np.testing.assert_array_equal(materialize(decl, start, count), whole[start : start + count])


def test_a_slice_far_into_a_huge_array_needs_no_memory_for_the_rest() -> None:
    decl = array("float a[(size_t)1 << 36] = uniform(0, 1)")
    part = materialize(decl, (1 << 36) - 5, 5)
    assert part.shape == (5,) and len(set(part.tolist())) == 5
    with pytest.raises(ValueError, match="68719476736"):
        materialize(decl, 1 << 36, 1)


@given(st.lists(st.integers(0, rng.MASK), min_size=1), st.integers(0, rng.MASK))
@settings(max_examples=50, deadline=None)
def test_numpy_s_hash_and_multiply_are_python_s(xs: list[int], b: int) -> None:
    assert splitmix64(np.array(xs, np.uint64)).tolist() == [rng.splitmix64(x) for x in xs]
    assert mulhi(np.array(xs, np.uint64), b).tolist() == [x * b >> 64 for x in xs]


def test_splitmix64_is_the_published_generator() -> None:
    # First outputs of Vigna's reference splitmix64.c from state 1234567.
    state, outputs = 1234567, []
    for _ in range(5):
        outputs.append(rng.splitmix64(state))
        state = state + rng.GAMMA & rng.MASK
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
                       16408922859458223821]


def test_ranges_and_moments() -> None:
    n = 200_000
    u = materialize(array(f"float a[{n}] = uniform(-1, 3)"))
    assert u.dtype == np.float32 and u.min() >= -1 and u.max() <= 3
    assert abs(u.mean() - 1) < 0.02 and abs(u.std() - 4 / 12**0.5) < 0.02
    g = materialize(array(f"double a[{n}] = normal(5, 2)"))
    assert abs(g.mean() - 5) < 0.02 and abs(g.std() - 2) < 0.02 and 8 < np.abs(g - 5).max() < 13
    r = materialize(array(f"int a[{n}] = randint(-3, 4)"))
    counts = np.bincount(r + 3)
    assert len(counts) == 7 and counts.min() > n / 7 * 0.95
    assert np.corrcoef(u[:-1], u[1:])[0, 1] < 0.01


@pytest.mark.parametrize("declaration", [
    "float a[50000] = ascending(-1, 3)", "double a[50000] = ascending(-1, 3)", "int a[50000] = ascending(-1, 300000)",
    "unsigned long a[50000] = ascending(0, 9000000000000000000)", "float a[1] = ascending(-1, 3)",
])
def test_ascending_numbers_are_random_in_order_and_in_the_range(declaration: str) -> None:
    a = materialize(array(declaration))
    low, high = (float(x) for x in declaration.split("(")[1][:-1].split(","))
    assert low <= a[0] and a[-1] < high and (np.diff(a.astype(np.float64)) >= 0).all()
    if a.size > 1:
        steps = np.diff(a.astype(np.float64)) / (high - low) * a.size
        assert abs(steps.mean() - 1) < 0.01 and 0.35 < steps.std() < 0.45  # of two uniform numbers: 1/sqrt(6)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 1000, 4096, 4097])
def test_a_permutation_has_every_index_once(n: int) -> None:
    p = materialize(array(f"int a[{n}] = permutation()"))
    assert sorted(p.tolist()) == list(range(n))
    if n > 100:
        assert (p == np.arange(n)).sum() < 10
        assert np.abs(np.diff(p)).mean() > n / 5


def test_streams_and_seeds_differ_and_repeat() -> None:
    (launch,) = launches(f"{GRID} float a[64] = uniform(0, 1), b[64] = uniform(0, 1); k(a, b);")
    a, b = (materialize(x) for x in launch.arrays)
    assert not np.intersect1d(a, b).size
    np.testing.assert_array_equal(a, materialize(array("float a[64] = uniform(0, 1)")))
    seeded = materialize(array("float a[64] = uniform(0, 1)", "seed(9);"))
    assert not np.intersect1d(a, seeded).size
    np.testing.assert_array_equal(seeded, materialize(array("float a[64] = uniform(0, 1)", seed="9")))


def test_exact_contents() -> None:
    assert materialize(array("int a[4] = iota(10, -3)")).tolist() == [10, 7, 4, 1]
    assert materialize(array("float a[3] = iota()")).tolist() == [0, 1, 2]
    assert materialize(array("float2 a[2] = iota(1)")).tolist() == [[1, 2], [3, 4]]
    assert materialize(array("unsigned char a[3] = fill(-1)")).tolist() == [255] * 3
    assert materialize(array("__nv_bfloat16 a[1] = fill(1.0)")).tolist() == [0x3F80]
    assert materialize(array("half a[2] = fill(0.1)")).tolist() == [float(np.float16(0.1))] * 2
    assert materialize(array("int a[2][3] = {{1}, {2, 3}}")).tolist() == [1, 0, 0, 2, 3, 0]


def test_files_come_back_as_they_are(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    np.savez_compressed(tmp_path / "x.npz", x=x)
    x.tofile(tmp_path / "x.bin")
    for source in ("x.npy", "x.npz:x", "x.bin"):
        decl = array(f'float4 a[] = file("{source}")', file=str(tmp_path / "k.cu"))
        np.testing.assert_array_equal(materialize(decl, 3, 9), x[3:12])


@pytest.mark.parametrize(("room", "unpacked"), [(1 << 29, 8), (0, 40)])
def test_members_that_are_asked_for_by_turns_are_unpacked_once(room: int, unpacked: int, tmp_path: Path,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of each array after the other, as kernels ask for them; and where nothing can be kept."""
    members = {f"m{k}": np.arange(1000, dtype=np.int32) + 7 * k for k in range(8)}
    np.savez_compressed(tmp_path / "x.npz", **members)
    loads: list[str] = []
    load = np.load

    def counted(path: str, **how: bool) -> Any:
        loads.append(path)
        return load(path, **how)

    monkeypatch.setattr(data, "_UNPACKED", room)
    arrays = [array(f'int a[] = file("x.npz:{name}")', file=str(tmp_path / "k.cu")) for name in members]
    monkeypatch.setattr(data.np, "load", counted)
    for start in range(0, 1000, 200):
        for decl, member in zip(arrays, members.values(), strict=True):
            np.testing.assert_array_equal(materialize(decl, start, 200), member[start : start + 200])
    assert len([path for path in loads if path.endswith("x.npz")]) == unpacked


@given(st.floats(width=32, allow_nan=False))
@settings(max_examples=200, deadline=None)
def test_bfloat16_is_the_nearest(x: float) -> None:
    bits = bf16_bits(x)
    candidates = [bits + d & 0xFFFF for d in (-1, 0, 1)]
    values = [float(np.array([c << 16], np.uint32).view(np.float32)[0]) for c in candidates]
    if np.isfinite(values[1]):
        assert abs(values[1] - x) == min(abs(v - x) for v in values if np.isfinite(v))
