"""The seeds' counters: their rules give the seeds' own numbers, and requests are counted as the seeds describe."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from mutate.sim import fermi
from mutate.sim.fermi import COUNTERS, Events, counters, from_vector, tally

FULL = 0xFFFFFFFF
BASE = 0x10000


def requests(*made: tuple[int, Callable[[int], int], int, int]) -> npt.NDArray[np.int64]:
    """A vector that has counted requests: access, address of a lane, mask, bytes a lane."""
    vector = np.zeros(fermi.SIZE, np.int64)
    for access, at, mask, width in made:
        tally(vector, access, np.array([at(i) for i in range(32)], np.uint64), mask, width)
    return vector


def test_every_counter_name_of_the_seeds_is_there() -> None:
    names = {c.name for c in COUNTERS}
    assert len(names) == len(COUNTERS)
    assert {"instructions_issued", "instructions_executed", "gld_request", "gst_request", "l1_global_load_miss",
            "l1_global_load_hit", "global_store_transaction", "uncached_global_load_transaction", "divergent_branch",
            "branch", "l1_shared_bank_conflict", "shared_load", "shared_store", "l1_local_load_hit",
            "l1_local_load_miss", "local_store", "inst_issued", "threads_instructions_executed", "dram_reads",
            "dram_writes", "l1_local_store_hit", "l1_local_store_miss"} <= names
    assert all(c.rule and c.unit and c.seed and re.fullmatch(r"[a-z0-9_]+", c.name) for c in COUNTERS)


def test_coalesced_word_sizes() -> None:
    """ADO: one 32-bit access is one 128-byte transaction, 64-bit two, 128-bit four."""
    for width, transactions in ((4, 1), (8, 2), (16, 4)):
        at = partial(int.__mul__, width)
        vector = requests((fermi.GLOBAL_LOAD, at, FULL, width), (fermi.GLOBAL_STORE, at, FULL, width))
        got = counters(from_vector(vector, l1_global_load_hits=0))
        assert (got["gld_request"], got["l1_global_load_miss"]) == (1, transactions)
        assert (got["gst_request"], got["global_store_transaction"]) == (1, transactions)
        assert got["gld_bytes"] == got["gld_requested_bytes"] == 32 * width
        assert got["global_memory_excess_load"] == got["global_memory_excess_store"] == 0


def test_misaligned_loads_with_and_without_l1() -> None:
    """The bandwidth seed: two lines, so 50 % of what is moved is used; five segments, so 80 %."""
    vector = requests((fermi.GLOBAL_LOAD, lambda i: BASE + 4 * i + 20, FULL, 4))
    cached, around = (counters(from_vector(vector, l1_global_load_hits=0), d) for d in ("ca", "cg"))
    assert (cached["gld_bytes"], cached["global_memory_excess_load"]) == (256, 50)
    assert around["gld_bytes"] == 160
    assert around["global_memory_excess_load"] == pytest.approx(20)
    assert (cached["l1_global_load_miss"], cached["uncached_global_load_transaction"]) == (2, 0)
    assert (around["l1_global_load_miss"], around["uncached_global_load_transaction"]) == (0, 2)
    assert around["l1_global_load_hit"] == 0


def test_halo_of_four_lanes() -> None:
    """ADO, access pattern 1: 16 of 128 bytes are useful; without the L1, 16 of 32."""
    vector = requests((fermi.GLOBAL_LOAD, lambda i: BASE + 4 * i, 0xF, 4))
    events = from_vector(vector, l1_global_load_hits=0)
    assert counters(events, "ca")["global_memory_excess_load"] == 100 - 100 * 16 / 128
    assert counters(events, "cg")["global_memory_excess_load"] == 50


def test_bad_access_pattern_of_the_seed() -> None:
    """ADO, access pattern 2: a hit rate of 37.7 %, 16 lines a request of which 10 miss."""
    got = counters(Events(global_loads=72_704, global_load_lines=439_072 + 724_192, l1_global_load_hits=439_072))
    assert round(got["l1_global_load_hit_ratio"] or 0, 1) == 37.7
    assert got["l1_global_load_miss"] == 724_192
    lines = (got["l1_global_load_hit"] or 0) + (got["l1_global_load_miss"] or 0)
    assert round(lines / (got["gld_request"] or 0)) == 16


def test_bank_conflicts_of_the_seed() -> None:
    """ADO, "SMEM Bank Conflicts": fp64, so 674,856 counted are 337,428 replays; issued is 2,756,140."""
    got = counters(Events(instructions=2_406_426, shared_loads=421_785, shared_stores=95_172, shared_replays=337_428,
                          shared_replays_64=337_428))
    assert got["l1_shared_bank_conflict"] == 674_856
    assert got["instructions_issued"] == pytest.approx(2_756_140, rel=0.005)
    assert got["replayed_instructions"] == pytest.approx(12.7, abs=0.5)
    # 854,385 shared instructions with replays; 39 % of them are replays.
    assert 421_785 + 95_172 + 337_428 == 854_385
    assert got["shared_bank_conflict_per_shared_instruction"] == pytest.approx(100 * 674_856 / 516_957)


def test_spills_of_the_seed() -> None:
    """"Local Memory and Register Spilling", case study: 13.95 % hits, 4,514,656 L2 queries an SM due to spills."""
    got = counters(Events(local_load_lines=564_332 + 91_520, l1_local_load_hits=91_520,
                          local_store_lines=269_215 + 13_477, l1_local_store_hits=13_477))
    assert round(got["l1_local_load_hit_ratio"] or 0, 2) == 13.95
    assert got["l2_queries_due_to_spills"] == 4_514_656
    assert (got["l1_local_load_miss"], got["l1_local_store_miss"]) == (564_332, 269_215)


def test_shared_requests() -> None:
    row, column = (lambda i: 4 * i), (lambda i: 128 * i)
    wide = lambda i: 16 * i  # noqa: E731
    vector = requests((fermi.SHARED_LOAD, row, FULL, 4), (fermi.SHARED_LOAD, column, FULL, 4),
                      (fermi.SHARED_STORE, column, 0xFF, 4), (fermi.SHARED_STORE, wide, FULL, 8),
                      (fermi.SHARED_STORE, row, 0, 4))
    got = counters(from_vector(vector))
    assert (got["shared_load"], got["shared_store"]) == (2, 2)
    assert got["l1_shared_bank_conflict"] == 31 + 7 + 2 * 1
    assert got["instructions_issued"] == 31 + 7 + 1


def test_local_requests_and_divergence() -> None:
    vector = requests((fermi.LOCAL_STORE, lambda i: BASE + 4 * i, FULL, 4),
                      (fermi.LOCAL_LOAD, lambda i: BASE + 8 * i, FULL, 8))
    got = counters(from_vector(vector, l1_local_load_hits=1, l1_local_store_hits=0, l1_global_load_hits=0,
                               instructions=10, thread_instructions=240, branches=4, divergent_branches=1))
    assert (got["local_load"], got["local_store"]) == (1, 1)
    assert (got["l1_local_load_miss"], got["l1_local_store_miss"]) == (1, 1)
    assert (got["control_flow_divergence"], got["divergent_branches"]) == (25, 25)
    assert got["l2_read_sector_queries"] == 4


def test_what_nobody_looked_at_is_unknown() -> None:
    got = counters(from_vector(requests((fermi.GLOBAL_LOAD, lambda i: BASE + 4 * i, FULL, 4))))
    for name in ("l1_global_load_hit", "l1_global_load_miss", "gld_bytes", "global_memory_excess_load", "dram_reads",
                 "l1_local_load_miss", "l2_read_sector_queries", "l2_queries_due_to_spills"):
        assert got[name] is None, name
    assert got["gld_request"] == 1
    with pytest.raises(ValueError, match="dlcm is ca or cg"):
        counters(Events(), "cs")
