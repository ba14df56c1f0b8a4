"""Races and uninitialised reads of shared memory: what is one, what is none, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.pipeline.simulate import run_simulation
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.simulated import Problem, SimulateRequest
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
HEAD = """/* kmutate launch
   int a[1024] = iota();
   dim3 grid = { 2 }, block = { 128 };
   k(a);
*/
__global__ void k(int *p)
{
    __shared__ int s[256];
    int t = threadIdx.x;
"""


def problems(folder: Path, body: str, checks: tuple[str, ...] = ("races", "uninitialized")) -> tuple[Problem, ...]:
    path = folder / "kernel.cu"
    path.write_text(HEAD + body + "}\n")
    report = run_simulation(SimulateRequest(Request(path), blocks=0, checks=checks), None)
    return report.kernels[0].launches[0].problems


def kinds(folder: Path, body: str) -> set[str]:
    return {p.kind for p in problems(folder, body)}


@pytest.mark.parametrize(("body", "expected"), [
    ("s[t] = p[t]; p[t] = s[t ^ 32];", {"read-after-write", "write-after-read", "uninitialized-read"}),
    ("s[t] = p[t]; __syncthreads(); p[t] = s[t ^ 32];", set()),
    ("s[t] = p[t]; __syncthreads(); p[t] = s[t ^ 32]; s[t] = 7;", {"read-after-write", "write-after-read"}),
    ("s[t] = p[t]; __syncthreads(); p[t] = s[t ^ 32]; __syncthreads(); s[t] = 7;", set()),
    ("s[t & 31] = p[t]; __syncthreads(); p[t] = s[t & 31];", {"write-after-write"}),
    ("s[t & 31] = 5; __syncthreads(); p[t] = s[t & 31];", set()),  # one value, whoever writes
    ("if (t < 32) s[t >> 1] = p[t]; __syncthreads(); p[t] = s[t & 15];", {"write-after-write"}),  # one instruction
    ("if (t < 64) s[t] = p[t]; __syncthreads(); p[t] = s[t];", {"uninitialized-read"}),
    ("if (t == 0) s[0] = 0; __syncthreads(); atomicAdd(&s[0], t); __syncthreads(); p[t] = s[0];", set()),
    ("if (t == 0) s[0] = 0; __syncthreads(); atomicAdd(&s[0], p[t]); p[t] = s[0];", {"read-after-write"}),
    # Of floats an atomic operation is a loop around a compare-and-swap; its plain load is part of it.
    ("float *f = (float *)s; if (t < 4) f[t] = 0; __syncthreads(); atomicAdd(&f[p[t] & 3], 1.0f); __syncthreads(); "
     "p[t] = (int)f[t & 3];", set()),
    ("float *f = (float *)s; if (t < 4) f[t] = 0; __syncthreads(); atomicAdd(&f[p[t] & 3], 1.0f); p[t] = (int)f[0];",
     {"read-after-write"}),
    # And of 64-bit minima, a loop that ends in its middle where nothing is to be done.
    ("auto *u = (unsigned long long *)s; if (t == 0) *u = ~0ull; __syncthreads(); atomicMin(u, p[t]); __syncthreads(); "
     "p[t] = (int)*u;", set()),
    ("if (t >= 96) return; s[t] = p[t]; __syncthreads(); p[t] = s[95 - t];", set()),
])
def test_what_is_a_race(tmp_path: Path, body: str, expected: set[str]) -> None:
    found = kinds(tmp_path, f"    {body}\n")
    if "read-after-write" in expected:  # which comes first is the simulator's choice, and what is read then
        assert found & {"read-after-write", "write-after-read", "write-after-write"}
        assert found <= expected | {"write-after-write", "write-after-read"}
    else:
        assert found == expected


def test_named_barriers_order_those_that_pass_them(tmp_path: Path) -> None:
    produce = """    if (t < 64) {{
        s[t] = p[t];
        asm volatile("bar.arrive {0}, 128;" ::: "memory");
    }} else {{
        asm volatile("bar.sync {1}, 128;" ::: "memory");
        p[t] = s[t - 64];
    }}
"""
    assert kinds(tmp_path, produce.format(1, 1)) == set()
    halves = """    asm volatile("bar.sync %0, 64;" :: "r"(t / 64 + 1) : "memory");
    p[t] = s[t ^ {0}];
"""
    assert kinds(tmp_path, "    s[t] = p[t];\n" + halves.format(32)) == set()
    assert "read-after-write" in kinds(tmp_path, "    s[t] = p[t];\n" + halves.format(64))


def test_lanes_of_a_warp(tmp_path: Path) -> None:
    """In lockstep they are ordered, after they diverged they are not, and a __syncwarp orders them again."""
    straight = "    s[t] = p[t];\n    {0}\n    p[t] = ((volatile int *)s)[t ^ 1];\n"
    assert kinds(tmp_path, straight.format("__syncwarp();")) == set()
    diverged = """    volatile int *v = s;
    v[t] = 0;
    __syncthreads();
    if (p[t] & 1) {{
        v[t] = t;
        for (int i = 0; i < p[t] % 7 + 3; i++) v[t] += i;
        {0}
    }} else {{
        {0}
        int x = v[t + 1];
        for (int i = 0; i < x % 5 + 3; i++) p[t] += v[t + 1];
    }}
"""
    assert kinds(tmp_path, diverged.format("")) & {"read-after-write", "write-after-read"}
    assert kinds(tmp_path, diverged.format("__syncwarp();")) == set()


def test_a_finding_names_both_sides(tmp_path: Path) -> None:
    body = "    s[t] = p[t];\n    __syncthreads();\n    p[t] = s[t ^ 64];\n    s[t] = -1;\n"
    (found,) = [p for p in problems(tmp_path, body) if p.kind == "write-after-read"]
    assert str(found.place).endswith("kernel.cu:13") and str(found.other_place).endswith("kernel.cu:12")
    assert (found.text, found.other_text) == ("s[t] = -1;", "p[t] = s[t ^ 64];")
    assert found.block == "(0, 0, 0)"
    first, second = (int(text.strip("()").split(",")[0]) for text in (found.thread, found.other_thread))
    assert first == second ^ 64 and found.byte == 4 * first
    assert found.bytes % 4 == 0


def test_each_check_by_itself(tmp_path: Path) -> None:
    body = "    if (t < 64) s[t] = p[t];\n    p[t] = s[t ^ 32];\n"
    assert {p.kind for p in problems(tmp_path, body, ("uninitialized",))} == {"uninitialized-read"}
    assert "uninitialized-read" not in {p.kind for p in problems(tmp_path, body, ("races",))}


@pytest.mark.parametrize("name", ["reduction", "matmul", "transpose", "fd3d", "histogram", "softmax_rows", "async_tile",
                                  "nbody"])
def test_samples_have_none(name: str) -> None:
    sizes = {"reduction": {"n": "16384"}, "matmul": {"n": "128"}, "transpose": {"width": "128", "height": "128"},
             "fd3d": {"nx": "64", "ny": "64", "nz": "12"}, "histogram": {"n": "20000", "grid": "{ 4 }"},
             "softmax_rows": {"rows": "4", "cols": "512"}, "async_tile": {"frames": "37", "grid": "{ 4 }"},
             "nbody": {"n": "512"}}
    path = samples_dir() / f"{name}.cu"
    report = run_simulation(SimulateRequest(Request(path, settings=sizes[name]), blocks=4,
                                            checks=("races", "uninitialized")), None)
    assert [(k.target.name, p) for k in report.kernels for la in k.launches for p in la.problems] == []
