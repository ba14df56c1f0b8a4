"""Sectors and wavefronts of one request: the bandwidth seed's table, brute force, and what an H200 counted."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutate.sim import coalesce
from mutate.sim.coalesce import LINE, SECTOR

MACHINES = Path(__file__).resolve().parents[1] / "machines"
sys.path.insert(0, str(MACHINES))
import request_patterns  # noqa: E402

FULL = 0xFFFFFFFF
BASE = 0x7F4000000000  # of a buffer; global addresses are large


def lanes(at: Callable[[int], int] | Iterable[int]) -> coalesce.Addresses:
    values = [at(i) for i in range(32)] if callable(at) else list(at)
    return np.array(values, np.uint64)


def sectors(addrs: coalesce.Addresses, mask: int, width: int, shift: int) -> list[int]:
    out = np.empty(coalesce.MOST, np.uint64)
    return [int(s) for s in out[: coalesce.unique_sectors(addrs, mask, width, shift, out)]]


# -- the access-pattern table of the bandwidth seed -------------------------------------------------------------------
# Slides "Caching Load" and "Non-caching Load": 32 lanes, 4-byte words, 128-byte lines against 32-byte segments.

SHUFFLE = np.random.default_rng(7).permutation(32)
TABLE = {
    "aligned": (lambda i: BASE + 4 * i, 1, 4, 1.0, 1.0),
    "permuted": (lambda i: BASE + 4 * int(SHUFFLE[i]), 1, 4, 1.0, 1.0),
    "misaligned": (lambda i: BASE + 4 * i + 20, 2, 5, 0.5, 0.8),
    "one word": (lambda i: BASE + 64, 1, 1, 0.03125, 0.125),
}


@pytest.mark.parametrize("name", TABLE)
def test_seed_table(name: str) -> None:
    at, n_lines, n_segments, caching, non_caching = TABLE[name]
    addrs = lanes(at)
    assert len(sectors(addrs, FULL, 4, LINE)) == n_lines
    assert len(sectors(addrs, FULL, 4, SECTOR)) == n_segments
    assert coalesce.efficiency(addrs, FULL, 4, LINE) == pytest.approx(caching)
    assert coalesce.efficiency(addrs, FULL, 4, SECTOR) == pytest.approx(non_caching)


@pytest.mark.parametrize(("shift", "unit", "apart"), [
    *[(LINE, 128, n) for n in (1, 2, 5, 8, 16, 31, 32)],
    *[(SECTOR, 32, n) for n in (4, 5, 8, 16, 31, 32)],  # fewer segments do not hold 32 words
])
def test_seed_table_scattered(shift: int, unit: int, apart: int) -> None:
    """32 words scattered over N lines (segments): 128 / (N * 128), and 128 / (N * 32)."""
    order = np.random.default_rng(apart).permutation(32)
    addrs = lanes(lambda i: BASE + int(order[i]) % apart * 4096 + int(order[i]) // apart * 4)
    n = len(sectors(addrs, FULL, 4, shift))
    assert n == apart
    assert coalesce.efficiency(addrs, FULL, 4, shift) == pytest.approx(128 / (n * unit))


def test_misaligned_by_a_whole_segment_needs_no_more_segments() -> None:
    # "Some misaligned patterns will fall within 4 segments, so 100% utilization."
    addrs = lanes(lambda i: BASE + 4 * i + 32)
    assert coalesce.efficiency(addrs, FULL, 4, SECTOR) == 1.0
    assert coalesce.efficiency(addrs, FULL, 4, LINE) == 0.5


def test_seed_halo_of_four_lanes() -> None:
    # ADO, "Access Pattern 1": four lanes of a warp load; 16 of 128 bytes are useful, or 16 of 32 without the L1.
    addrs = lanes(lambda i: BASE + 4 * i)
    assert coalesce.efficiency(addrs, 0xF, 4, LINE) == 0.125
    assert coalesce.efficiency(addrs, 0xF, 4, SECTOR) == 0.5


@pytest.mark.parametrize(("width", "lines"), [(4, 1), (8, 2), (16, 4)])
def test_seed_wide_words(width: int, lines: int) -> None:
    # ADO: a coalesced 32-, 64-, 128-bit access is one, two, four 128-byte transactions.
    assert len(sectors(lanes(lambda i: BASE + width * i), FULL, width, LINE)) == lines


# -- against brute force ----------------------------------------------------------------------------------------------

ADDRESSES = st.lists(st.integers(0, 600), min_size=32, max_size=32) | st.lists(
    st.integers(0, 2**40), min_size=32, max_size=32)
MASKS = st.sampled_from([FULL, 0, 1, 0x80000000, 0xFFFF, 0x55555555]) | st.integers(0, FULL)
WIDTHS = st.sampled_from([1, 2, 4, 8, 16])


@settings(deadline=None, max_examples=300)
@given(ADDRESSES, MASKS, WIDTHS, st.sampled_from([SECTOR, LINE]))
def test_sectors_and_bytes_are_those_of_the_bytes(at: list[int], mask: int, width: int, shift: int) -> None:
    touched = {a + k for i, a in enumerate(at) if mask >> i & 1 for k in range(width)}
    addrs = lanes(at)
    assert sectors(addrs, mask, width, shift) == sorted({b >> shift for b in touched})
    assert coalesce.needed_bytes(addrs, mask, width) == len(touched)
    assert coalesce.requested_bytes(mask, width) == mask.bit_count() * width
    moved = len({b >> shift for b in touched}) << shift
    assert coalesce.efficiency(addrs, mask, width, shift) == (len(touched) / moved if moved else 1.0)


def _words(at: list[int], active: Iterable[int], width: int) -> int:
    """Different words in the fullest of 32 banks."""
    words = {(at[i] + k) // 4 for i in active for k in range(0, max(width, 4), 4)}
    return max(Counter(w % 32 for w in words).values(), default=0)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.integers(0, 255), min_size=32, max_size=32), st.integers(-9, 9), MASKS, WIDTHS, st.booleans())
def test_wavefronts_are_those_of_the_words(cells: list[int], stride: int, mask: int, width: int, regular: bool) -> None:
    """Stores: parts of the warp by themselves, in each the bank with the most words; strides take a short cut."""
    at = [1000 * width + i * stride * width for i in range(32)] if regular else [c * width for c in cells]
    parts = {8: 2, 16: 4}.get(width, 1)
    n = 32 // parts
    want = sum(_words(at, [i for i in range(p * n, p * n + n) if mask >> i & 1], width) for p in range(parts))
    assert coalesce.shared_wavefronts(lanes(at), mask, width, coalesce.STORE) == want
    loaded = coalesce.shared_wavefronts(lanes(at), mask, width, coalesce.LOAD)
    assert loaded <= want
    assert want == 0 or loaded >= coalesce.shared_phases(lanes(at), mask, width, coalesce.LOAD) > 0


# -- against an H200 --------------------------------------------------------------------------------------------------

def reference() -> list[tuple[str, int, int, coalesce.Addresses, dict[str, int]]]:
    """Operation, bytes a lane, mask, addresses, counters."""
    text = (MACHINES / "reference" / "h200_requests.csv").read_text(encoding="utf-8").splitlines()
    counted: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(line for line in text if not line.startswith("#")):
        counted.setdefault(row["op"], []).append(row)
    out = []
    for op, width, mask, at in request_patterns.requests():
        row = counted[op].pop(0)
        assert (int(row.pop("width")), int(row.pop("mask"), 16)) == (width, mask), "not the recorded requests"
        del row["op"]
        out.append((op, width, mask, lanes(at), {k: int(v) for k, v in row.items()}))
    assert not any(counted.values())
    return out


REFERENCE = reference()
REPEATED = 16  # of probe.cu


def _requests(*ops: str) -> list[tuple[str, int, int, coalesce.Addresses, dict[str, int]]]:
    found = [r for r in REFERENCE if r[0] in ops]
    assert {r[0] for r in found} == set(ops)
    return found


@pytest.mark.parametrize(("op", "kind"), [("ld.shared", coalesce.LOAD), ("st.shared", coalesce.STORE)])
def test_shared_loads_and_stores_of_an_h200(op: str, kind: int) -> None:
    found = _requests(op)
    assert len(found) == 405
    for _, width, mask, addrs, counted in found:
        got = coalesce.shared_wavefronts(addrs, mask, width, kind)
        assert got == counted["shared_ld" if kind == coalesce.LOAD else "shared_st"], (width, hex(mask), addrs)
        assert got - coalesce.shared_phases(addrs, mask, width, kind) == counted["conflicts"]


@pytest.mark.parametrize(("ops", "kind"), [(("atom.shared.add", "red.shared.add", "atom.shared.exch"), coalesce.ATOMIC),
                                           (("popc.inc",), coalesce.POPC_INC), (("atom.shared.cas",), coalesce.CAS)])
def test_shared_atomics_of_an_h200(ops: tuple[str, ...], kind: int) -> None:
    for op, width, mask, addrs, counted in _requests(*ops):
        if width == 4:  # adding 8 bytes is a loop
            got = coalesce.shared_wavefronts(addrs, mask, width, kind)
            assert REPEATED * got == counted["shared_atom"], (op, hex(mask), addrs)


def _swap_loops(addrs: coalesce.Addresses, mask: int, width: int, add: list[float]) -> tuple[int, int]:
    """Wavefronts of the loads and the swaps of REPEATED atomic additions as compiled, LDS and ATOMS.CAST.SPIN in a loop
    that a lane leaves when memory still had what it loaded. 8 bytes: what is added next is the old value."""
    loads = swaps = 0
    memory: dict[int, float] = {}
    for _ in range(REPEATED):
        left = mask
        while left:
            loads += coalesce.shared_wavefronts(addrs, left, width, coalesce.LOAD)
            swaps += coalesce.shared_wavefronts(addrs, left, width, coalesce.CAST_SPIN)
            loaded = [memory.get(int(a), 0) for a in addrs]
            winners = coalesce.cast_spin_winners(addrs, left, width)
            for i, at in enumerate(addrs.tolist()):
                if winners >> i & 1 and memory.get(at, 0) == loaded[i]:
                    memory[at] = loaded[i] + add[i]
                    left &= ~(1 << i)
                    if width == 8:
                        add[i] = loaded[i]
    return loads, swaps


@pytest.mark.parametrize(("op", "width"), [("atom.shared.addf", 4), ("atom.shared.add", 8)])
def test_compare_and_swap_loops_of_an_h200(op: str, width: int) -> None:
    for _, _, mask, addrs, counted in [r for r in _requests(op) if r[1] == width]:
        add = [1.0] * 32 if width == 4 else [float(i) for i in range(32)]
        loads, swaps = _swap_loops(addrs, mask, width, add)
        assert loads == counted["shared_ld"], (hex(mask), addrs)
        # With 8 bytes up to two swaps of all 16 loops are dearer than modelled; why is not known.
        assert 0 <= counted["shared_atom"] - swaps <= (4 if width == 8 else 0), (hex(mask), addrs)


def test_ldmatrix_and_copies_of_an_h200() -> None:
    for _, width, _, addrs, counted in _requests("ldmatrix"):
        active = (1 << 8 * (width // 4)) - 1  # x1, x2, x4: the lanes whose addresses count
        assert coalesce.shared_wavefronts(addrs, active, 16, coalesce.STORE) == counted["shared_ld"]
    for _, width, mask, addrs, counted in _requests("cp.async"):
        kind = coalesce.ASYNC_BYPASS if width == 16 else coalesce.ASYNC
        own = 1 + 3  # the launch's S2R; waiting for the copies
        assert REPEATED * coalesce.shared_wavefronts(addrs, mask, width, kind) == counted["shared"] - own


def test_what_else_an_h200_counts_as_shared_wavefronts() -> None:
    """The module's list of what is in the sum over all operations but in none of its parts."""
    own = 1  # S2R of the thread index
    want = {"none": 0, "vote": 0, "redux": 0, "ldc": 0, "s2r.ctaid": 0, "s2r.smid": 0, "s2r.clock": 0, "s2r.laneid": 1,
            "s2r.tid": 2, "shfl": REPEATED, "off.ld.global": REPEATED, "off.st.global": REPEATED,
            "off.ld.shared": REPEATED, "off.st.shared": REPEATED, "bar": 1, "bar1": 1, "depbar": 0}
    for op, _, _, _, counted in _requests(*want):
        assert counted["shared"] == own + want[op], op
        assert counted["shared_ld"] == counted["shared_st"] == counted["shared_atom"] == 0, op


@pytest.mark.parametrize(("kernel", "row"), [("transpose_conflicting", 32), ("transpose_padded", 33)])
def test_transpose_sample_on_an_h200(kernel: str, row: int) -> None:
    """Each warp stores a row of the tile and loads a column, four times, and reads two thread indices; barriers add."""
    text = (MACHINES.parent / "gpu" / "reference" / "h200_counters.csv").read_text(encoding="utf-8").splitlines()
    counted = next(r for r in csv.DictReader(line for line in text if not line.startswith("#"))
                   if (r["kernel"], r["variant"]) == (kernel, "original"))
    stored = coalesce.shared_wavefronts(lanes(lambda i: 4 * i), FULL, 4, coalesce.STORE)
    loaded = coalesce.shared_wavefronts(lanes(lambda i: 4 * row * i), FULL, 4, coalesce.LOAD)
    want = int(counted["shared_stores"]) * stored + int(counted["shared_loads"]) * loaded
    warps = int(counted["shared_stores"]) // 4
    assert warps == 128 * 128 * 8
    assert want + 2 * warps <= int(counted["shared_wavefronts"]) <= want + 4.5 * warps


def test_global_sectors_of_an_h200() -> None:
    for _, width, mask, addrs, counted in _requests("ld.global"):
        assert len(sectors(addrs, mask, width, SECTOR)) == counted["ld_sectors"]
    for _, width, mask, addrs, counted in _requests("st.global"):
        assert len(sectors(addrs, mask, width, SECTOR)) == counted["st_sectors"] - 1  # the launch's own store
    for _, width, mask, addrs, counted in _requests("red.global", "atom.global"):
        got = coalesce.atomic_sectors(addrs, mask, width, SECTOR)
        assert REPEATED * got == counted["red_sectors"] + counted["atom_sectors"]


def test_sectors_bytes_and_rounds_against_sets() -> None:
    """Lanes in any order and in rising order, that share addresses, sectors or nothing."""
    rng = np.random.default_rng(5)
    for k in range(2000):
        width = (1, 2, 4, 8, 16)[k % 5]
        addrs = (rng.integers(0, (2, 16, 256, 1 << 16)[k // 5 % 4], 32) * width + (1 << 33)).astype(np.uint64)
        if k % 3 == 0:
            addrs.sort()
        mask = FULL if k % 2 else int(rng.integers(1, 1 << 32))
        active = [int(addrs[lane]) for lane in range(32) if mask >> lane & 1]
        touched = {b for at in active for b in range(at, at + width)}
        assert sectors(addrs, mask, width, SECTOR) == sorted({b >> SECTOR for b in touched})
        assert coalesce.needed_bytes(addrs, mask, width) == len(touched)
        rounds: dict[int, int] = {}
        for at in active:
            rounds[at >> SECTOR] = max(rounds.get(at >> SECTOR, 0), active.count(at))
        assert coalesce.atomic_sectors(addrs, mask, width, SECTOR) == sum(rounds.values())


# -- older GPUs -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("width", "at", "ways"), [
    (4, lambda i: 4 * i, 1), (4, lambda i: 8 * i, 2), (4, lambda i: 12 * i, 1), (4, lambda i: 128 * i, 32),
    (4, lambda i: 0, 1), (1, lambda i: i, 1),
    (8, lambda i: 8 * i, 1),  # half-warps by themselves
    (8, lambda i: 16 * i, 2), (16, lambda i: 16 * i, 2),  # the guide: most 128-bit accesses are 2-way conflicts
])
def test_fermi_conflicts(width: int, at: Callable[[int], int], ways: int) -> None:
    assert coalesce.fermi_conflict_ways(lanes(at), FULL, width) == ways
    assert coalesce.fermi_conflict_ways(lanes(at), 0, width) == 0


@pytest.mark.parametrize(("width", "at", "steps"), [
    (4, lambda i: 4 * i, 2), (4, lambda i: 8 * i, 4), (4, lambda i: 12 * i, 2), (4, lambda i: 64 * i, 32),
    (4, lambda i: 0, 2),  # broadcast
    (1, lambda i: i, 8),  # the guide's example: a char array by consecutive lanes, four lanes in a bank
    (8, lambda i: 8 * i, 8),  # split into words two apart: a 2-way conflict each
])
def test_tesla_conflicts(width: int, at: Callable[[int], int], steps: int) -> None:
    assert coalesce.tesla_shared_steps(lanes(at), FULL, width) == steps


@pytest.mark.parametrize(("width", "at", "moved"), [
    (4, lambda i: 4 * i, [64, 64]),  # each half-warp fills half of a 128-byte segment
    (4, lambda i: 4 * i + 4, [128, 64, 32]),  # the second half-warp crosses a segment: 60 and 4 bytes
    (8, lambda i: 8 * i, [128, 128]), (16, lambda i: 16 * i, [128] * 4),
    (4, lambda i: 0, [32, 32]), (1, lambda i: i, [32, 32]), (2, lambda i: 2 * i, [32, 32]),
    (4, lambda i: 128 * i, [32] * 32),
])
def test_tesla_segments(width: int, at: Callable[[int], int], moved: list[int]) -> None:
    out, sizes = np.empty(32, np.uint64), np.empty(32, np.uint64)
    n = coalesce.tesla_segments(lanes(at), FULL, width, out, sizes)
    assert [int(s) for s in sizes[:n]] == moved
    covered = {a + k for a, s in zip(out[:n].tolist(), sizes[:n].tolist(), strict=True) for k in range(s)}
    assert {at(i) + k for i in range(32) for k in range(width)} <= covered

