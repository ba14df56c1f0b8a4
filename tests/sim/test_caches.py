"""The cache model against a plain one, and its rules."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.caches import Caches, CacheSizes, goes_around, make_level, touch
from mutate.sim.watch import Log

LOAD, STORE = Instruction(0, "", "LDG.E", "R0, [R2.64]", 0, 0), Instruction(16, "", "STG.E", "[R2.64], R0", 0, 0)
LOCAL_LOAD, LOCAL_STORE = (Instruction(32, "", "LDL", "R0, [R1]", 0, 0), Instruction(48, "", "STL", "[R1], R0", 0, 0))
LISTING = (LOAD, STORE, LOCAL_LOAD, LOCAL_STORE)
FULL = 0xFFFFFFFF


class Plain:
    """Lines by last use, each with its sectors."""

    def __init__(self, lines: int) -> None:
        self.lines = lines
        self.known: OrderedDict[int, int] = OrderedDict()

    def touch(self, line: int, bits: int, allocate: bool) -> bool:
        if line in self.known:
            hit = self.known[line] & bits == bits
            if hit or allocate:
                self.known.move_to_end(line)
                self.known[line] |= bits
            return hit
        if allocate:
            if len(self.known) == self.lines:
                self.known.popitem(last=False)
            self.known[line] = bits
        return False


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.lists(st.tuples(st.integers(0, 14), st.sampled_from([1, 2, 4, 8, 15]), st.booleans()),
                                   max_size=200))
def test_a_cache_is_least_recently_used(lines: int, accesses: list[tuple[int, int, bool]]) -> None:
    level, plain = make_level(2, lines), Plain(lines)
    for line, bits, allocate in accesses:
        assert touch(level, 1, line, bits, allocate) == plain.touch(line, bits, allocate)


def run(caches: Caches, *requests: tuple[int, int, int]) -> np.ndarray:  # type: ignore[type-arg]
    """Counters after requests of 32 lanes, 4 bytes each: (instruction, kind, first byte)."""
    log = Log(wanted=True)
    counters = np.zeros((len(LISTING), lay.COUNTERS), np.int64)
    for k, (pc, kind, first) in enumerate(requests):
        log.head[k] = pc, 0, kind, FULL, 4, 0
        log.where[k] = first + 4 * np.arange(32) if kind <= lay.H_GLOBAL_ATOMIC else first
    caches.watch(log, len(requests), counters)
    return counters


def make(l1: int = 1024, l2: int = 65536, blocks: int = 4, cg: bool = False, **more: object) -> Caches:
    made = Caches(CacheSizes(2, l1, l2, **more), LISTING, blocks, 1, 64, cg)  # type: ignore[arg-type]
    made.start_block(0)
    return made


def test_a_load_hits_what_was_loaded() -> None:
    counters = run(make(), (0, lay.H_GLOBAL_LOAD, 1 << 20), (0, lay.H_GLOBAL_LOAD, (1 << 20) + 64))
    assert counters[0, lay.L1_HITS] == 2  # the two sectors that both touch
    assert counters[0, lay.L2_HITS] == 0


def test_each_sm_has_its_own_l1_and_all_share_l2() -> None:
    caches = make()
    run(caches, (0, lay.H_GLOBAL_LOAD, 0))
    caches.start_block(1)
    other = run(caches, (0, lay.H_GLOBAL_LOAD, 0))
    assert (other[0, lay.L1_HITS], other[0, lay.L2_HITS]) == (0, 4)
    caches.start_block(2)  # the first SM again
    assert run(caches, (0, lay.H_GLOBAL_LOAD, 0))[0, lay.L1_HITS] == 4


def test_what_goes_around_l1() -> None:
    counters = run(make(cg=True), (0, lay.H_GLOBAL_LOAD, 0), (0, lay.H_GLOBAL_LOAD, 0))
    assert (counters[0, lay.L1_HITS], counters[0, lay.L2_HITS]) == (0, 4)
    for opcode, around in (("LDG.E", False), ("LDG.E.CONSTANT", False), ("LDG.E.STRONG.GPU", True),
                           ("LDGSTS.E.BYPASS.128", True), ("LDGSTS.E", False)):
        assert goes_around(Instruction(0, "", opcode, "", 0, 0), cg=False) == around


@pytest.mark.parametrize(("evict", "hits"), [(False, 4), (True, 0)])
def test_stores_write_through_or_evict(evict: bool, hits: int) -> None:
    caches = make(write_evict=evict)
    counters = run(caches, (0, lay.H_GLOBAL_LOAD, 0), (1, lay.H_GLOBAL_STORE, 0), (0, lay.H_GLOBAL_LOAD, 0))
    assert counters[1, lay.L1_HITS] == counters[0, lay.L1_HITS] == hits
    assert caches.l2_sectors == (8 - hits, 4 - hits, 4, 4)


@pytest.mark.parametrize("through", [True, False])
def test_local_memory_is_cached(through: bool) -> None:
    caches = make(local_through=through)
    counters = run(caches, (3, lay.H_LOCAL_STORE, 8), (2, lay.H_LOCAL_LOAD, 8), (2, lay.H_LOCAL_LOAD, 12))
    assert counters[2, lay.LOCAL_L1_HITS] == 4
    assert caches.l2_sectors == (4, 0, 4 if through else 0, 0)


def test_fermi_has_lines_of_one_sector_and_none_without_l1() -> None:
    counters = run(make(l1_sector=128), (0, lay.H_GLOBAL_LOAD, 64), (0, lay.H_GLOBAL_LOAD, 0))
    assert counters[0, lay.L1_HITS] == 1  # a line
    caches = make(l1=0)
    counters = run(caches, (0, lay.H_GLOBAL_LOAD, 0), (0, lay.H_GLOBAL_LOAD, 0))
    assert counters[0, lay.L1_HITS] == 0 and caches.l2_sectors == (8, 4, 0, 0)


def test_what_does_not_fit_is_gone() -> None:
    lines = 8
    loads = [(0, lay.H_GLOBAL_LOAD, 128 * k) for k in (*range(lines + 1), 0)]
    assert run(make(l1=128 * lines), *loads)[0, lay.L1_HITS] == 0
    assert run(make(l1=128 * (lines + 1)), *loads)[0, lay.L1_HITS] == 4
