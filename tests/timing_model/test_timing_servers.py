"""The tags of L2 against plain ones, and what is counted of sectors against counting them one by one."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mutate.sim import layout as lay
from mutate.sim.coalesce import STORE, shared_wavefronts, unique_sectors
from mutate.sim.timing import servers
from mutate.sim.timing.gather import R_COLUMNS
from mutate.sim.timing.lines import load_wavefronts, lookups, steps_of
from mutate.sim.timing.servers import L2_WAYS
from mutate.sim.timing.sets import set_of
from mutate.sim.timing.touches import READS, WRITES, come_back, lines_up_to, spread

MACHINES = Path(__file__).resolve().parents[1] / "machines"
sys.path.insert(0, str(MACHINES))

import request_patterns  # noqa: E402

lines_with: Any = servers.lines_with
stays: Any = servers.stays


def walk(seed: int, lines: int) -> list[int]:
    """Sectors, of which some come back soon and some late."""
    rng = np.random.default_rng(seed)
    return [int(s) for s in np.where(rng.random(4000) < 0.5, rng.integers(0, 4 * lines, 4000),
                                     rng.integers(0, 16 * lines, 4000))]


def test_a_larger_part_of_l2_has_what_the_smaller_one_had() -> None:
    small, clock = lines_with(7 * L2_WAYS, servers.L2(*(np.zeros(0, np.int64) for _ in range(3)))), 0
    for sector in range(0, 4 * 5 * L2_WAYS, 2):
        clock += 1
        stays(*small, sector, clock)
    large = lines_with(31 * L2_WAYS, small)
    had = {int(t) for t in small.tags if t >= 0}
    assert len(had) > 4 * L2_WAYS and had == {int(t) for t in large.tags if t >= 0}
    for line in sorted(had):
        assert [stays(*large, 4 * line + k, clock) for k in range(4)] == [True, False, True, False]


def test_l2_knows_which_sectors_of_a_line_were_touched() -> None:
    tags, ages, parts = np.full(L2_WAYS, -1, np.int64), np.zeros(L2_WAYS, np.int64), np.zeros(L2_WAYS, np.int64)
    plain: dict[int, set[int]] = {}
    found = 0
    for clock, sector in enumerate(walk(2, L2_WAYS), 1):
        line = sector >> 2
        there = bool(stays(tags, ages, parts, sector, clock))
        assert there == (sector in plain.get(line, ()))
        plain[line] = {*plain.pop(line, ()), sector}
        if len(plain) > L2_WAYS:
            del plain[next(iter(plain))]
        found += there
    assert 200 < found < 3800


def requests(count: int) -> list[tuple[npt.NDArray[np.uint64], int, int]]:
    """Addresses in any order and in rising order, all lanes and some, near each other and far apart."""
    rng = np.random.default_rng(3)
    out = []
    for k in range(count):
        width = (1, 2, 4, 8, 16)[k % 5]
        where = (rng.integers(0, (8, 64, 512, 1 << 14, 1 << 20)[k // 5 % 5], 32) * width).astype(np.uint64)
        if k % 3:
            where.sort()
        out.append((where + np.uint64(1 << 33), 0xFFFFFFFF if k % 2 else int(rng.integers(1, 1 << 32)), width))
    return out


def test_wavefronts_of_a_load_that_misses_are_those_of_its_lookups() -> None:
    """Each part of the tags looks up a line a step, in the order of the lanes; a step's lanes are as a store's."""
    sectors, room = np.zeros(64, np.uint64), np.zeros(64, np.uint64)
    for where, mask, width in requests(1500):
        behind = [0, 0, 0, 0]
        steps: dict[int, int] = {}
        for lane in range(32):
            line = int(where[lane]) >> 7
            if mask >> lane & 1 and line not in steps:
                part = set_of(np.uint64(line)) & 3
                steps[line] = behind[part]
                behind[part] += 1
        want = sum(shared_wavefronts(where, sum(1 << lane for lane in range(32) if mask >> lane & 1 and
                                                steps[int(where[lane]) >> 7] == k), width, STORE)
                   for k in range(max(behind)))
        count = unique_sectors(where, mask, width, 5, sectors)
        assert steps_of(where, mask, room) == lookups(sectors, 0, count) == max(behind)
        assert load_wavefronts(where, mask, width, room, max(behind)) == want


def test_wavefronts_of_loads_that_miss_are_those_that_an_h200_counted() -> None:
    text = (MACHINES / "reference" / "h200_requests.csv").read_text(encoding="utf-8").splitlines()
    rows = [row for row in csv.DictReader(line for line in text if not line.startswith("#"))
            if row["op"] == "ld.global"]
    asked = [request for request in request_patterns.requests() if request[0] == "ld.global"]
    assert len(rows) == len(asked) == 37
    room = np.zeros(64, np.uint64)
    for row, (_, width, mask, at) in zip(rows, asked, strict=True):
        where = np.array([(1 << 33) + place for place in at], np.uint64)
        # Its own are a read of the thread's number and a store.
        steps = steps_of(where, mask, room)
        assert load_wavefronts(where, mask, width, room, steps) == int(row["lsu"]) - 2


@pytest.mark.parametrize("kind", [lay.H_GLOBAL_LOAD, lay.H_GLOBAL_ATOMIC])
def test_what_a_block_touches_again_is_found_by_its_array(kind: int) -> None:
    """Array 0 is touched once, sectors of array 1 twice, one of array 2 twice, by atomics if ``kind`` says so."""
    region = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2], np.int32)
    touch = np.array([1, 1, 1, 1, 1, 0, 0, 1, 0], np.uint8)
    asked = np.zeros((4, R_COLUMNS), np.int64)
    asked[:, 2] = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_LOAD, lay.H_GLOBAL_LOAD, kind
    asked[:, 4], asked[:, 5] = (0, 3, 5, 7), (3, 2, 2, 2)
    again = np.zeros(3, np.bool_)
    come_back(asked, touch, region, again)
    assert again.tolist() == [False, True, kind == lay.H_GLOBAL_LOAD]


def test_lines_of_an_array_are_counted_once_and_no_further_than_asked() -> None:
    """Array 0 has 40 lines, each touched by two blocks, array 2 has three; array 1 is not touched."""
    lines = np.array([*range(100, 140), *range(100, 140), 100, 107, 107, 11], np.int64)
    region = np.array([0] * 80 + [2] * 4, np.int32)
    touch = np.ones(len(lines), np.uint8)
    assert lines_up_to(touch, region, lines << 2 | 1, 3, 1000).tolist() == [40, 0, 3]
    assert lines_up_to(touch, region, lines << 2 | 1, 3, 39).tolist() == [40, 0, 3]
    assert lines_up_to(touch, region, lines << 2 | 1, 3, 7).tolist() == [8, 0, 3]
    touch[:80] = 0
    assert lines_up_to(touch, region, lines << 2 | 1, 3, 7).tolist() == [0, 0, 3]


def test_requests_are_spread_where_most_sectors_are_lines_apart_at_no_stride() -> None:
    """Array 0: a request at random, array 1: one with a stride, array 2: one of neighbours and one of few lanes."""
    parts = [(0, [5, 90, 100, 300, 310, 700, 705, 900]), (1, [8 * k for k in range(8)]), (2, list(range(8))),
             (2, [3, 50, 800])]
    sectors = np.array([s for _, part in parts for s in part], np.int64)
    region = np.array([a for a, part in parts for _ in part], np.int32)
    requests = np.zeros((4, R_COLUMNS), np.int64)
    requests[:, 2] = lay.H_GLOBAL_LOAD
    requests[:, 5] = [len(part) for _, part in parts]
    requests[1:, 4] = np.cumsum(requests[:-1, 5])
    for kinds, which in (((lay.H_GLOBAL_LOAD,), READS), ((lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC), WRITES)):
        requests[:, 2] = (2 * kinds * 2)[:4]
        found = np.zeros((3, 2, 2), np.int64)
        spread(requests, sectors, region, found)
        assert found[:, which].tolist() == [[8, 8], [8, 0], [11, 0]]
        assert not found[:, 1 - which].any()
