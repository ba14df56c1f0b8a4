"""L1's tags: which lines an H200 had, access by access and of lists, and which the model has."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from test_timing_servers import walk

from mutate.machines import load_machine
from mutate.sim.timing.tags import L1, PARTS, WAYS, drop, empty_l1, fill, leaves, lookup

MACHINES = Path(__file__).parents[1] / "machines"
REFERENCE = MACHINES / "reference"
sys.path.insert(0, str(MACHINES))

import l1_policy  # noqa: E402
import l1_room  # noqa: E402


@cache
def sequences() -> dict[str, l1_policy.Sequences]:
    return {s.name: s for s in l1_policy.sequences()}


def asked(l1: L1, sector: int, touched: bool = True) -> bool:
    """Whether a sector is there; now it is."""
    place, victim = lookup(l1.tags, l1.ages, l1.turns, l1.room, sector, touched)
    if place >= 0 and l1.ready[place, sector & 3] > 0.0:
        return True
    gone = leaves(l1.tags, l1.ages, l1.room, l1.hands, place, victim)
    if gone >= 0:
        drop(l1.tags, l1.ages, l1.room, gone)
    fill(l1.tags, l1.ages, l1.ready, l1.turns, l1.room, place, victim, sector, 1.0)
    return False


def given_up(l1: L1, sector: int) -> None:
    place, _ = lookup(l1.tags, l1.ages, l1.turns, l1.room, sector, False)
    if place >= 0:
        drop(l1.tags, l1.ages, l1.room, place)


def played(ops: npt.NDArray[np.int64], places: npt.NDArray[np.int64]) -> list[bool | None]:
    """Whether each load comes late, by the model; of what is no load ``None``."""
    l1 = empty_l1(2048, 1734)
    out: list[bool | None] = []
    for op, where in zip(ops, places, strict=True):
        sectors = [int(p) // 8 for p in where if p >= 0]
        if op == l1_policy.LOAD:
            sectors = list(dict.fromkeys(sectors))
            lines = list(dict.fromkeys(s >> 2 for s in sectors))
            here = [asked(l1, s, touched=k == 0) for line in lines
                    for k, s in enumerate(s for s in sectors if s >> 2 == line)]
            out.append(not all(here))
            continue
        for sector in sectors:
            if op in (l1_policy.STORE, l1_policy.AT_ONCE):
                asked(l1, sector)
            else:
                given_up(l1, sector)
        out.append(None)
    return out


@pytest.mark.parametrize(("kind", "right"), [("one_set", 0.999), ("in_turn", 1.0), ("sectors", 0.998), ("ops", 0.98),
                                             ("lanes", 0.97), ("at_once", 0.95)])
def test_which_loads_come_late(kind: str, right: float) -> None:
    asked_for, late = sequences()[kind], l1_policy.answers(REFERENCE / "h200_l1_policy.json")[kind]
    same = total = 0
    for trace in range(0, l1_policy.TRACES, 5):
        for found, real in zip(played(asked_for.ops[trace], asked_for.places[trace]), late[trace],
                               strict=True):
            same += found is not None and found == real
            total += found is not None
    assert total >= 10_000 and same >= right * total


def again_of(in_turn: bool, lines: int, carveout: int, block: int) -> float:
    """As tests/machines/l1_room.py counts: the part of the second half of the loads that L1 has."""
    machine = load_machine("h200")
    l1 = empty_l1(2048, int(8 * (machine.number("l1.unified_cache") - machine.number("l1.reserved") - carveout)))
    rng = np.random.default_rng(block)
    hits, steps = 0, l1_room.ROUNDS * lines
    for step in range(steps):
        line = l1_room.STRIDE * (step % lines if in_turn else int(rng.integers(lines))) % l1_room.LINES
        hits += asked(l1, 4 * (l1_room.LINES * block + line)) and 2 * step >= steps
    return hits / (steps - steps // 2)


# The carve-out that the driver took for the one that was asked for.
_NEXT = {0: 32, 8: 16, 16: 32, 32: 64, 64: 100, 100: 132, 132: 164, 164: 196, 196: 228, 228: 228}
_ROOM = [row for row in json.loads((REFERENCE / "h200_l1_room.json").read_text())["rows"] if row[2] < 1900]


@pytest.mark.parametrize("in_turn", [False, True])
def test_what_l1_has_again_of_more_lines_than_it_has_room_for(in_turn: bool) -> None:
    rows = [row for row in _ROOM if row[1] == in_turn][::5]
    off = np.array([np.mean([again_of(in_turn, row[2], _NEXT[row[0]], block) for block in range(3)]) - row[3]
                    for row in rows])
    # In turn lines and what makes room go round together, or do not, as places of the list fall.
    assert len(rows) >= 17 and np.abs(off).mean() < (0.03 if in_turn else 0.01)
    assert np.median(np.abs(off)) < 0.01


def test_before_volta_the_line_goes_that_was_asked_for_longest_ago() -> None:
    sets = 8
    l1 = empty_l1(sets * WAYS, sets * WAYS)
    plain: list[dict[int, set[int]]] = [{} for _ in range(sets)]  # of each set its lines, the latest one last
    hits = 0
    for sector in walk(1, sets * WAYS):
        here = asked(l1, sector)
        mine, line = plain[(sector >> 2) % sets], sector >> 2
        assert here == (sector in mine.get(line, ()))
        mine[line] = {*mine.pop(line, ()), sector}
        if len(mine) > WAYS:
            del mine[next(iter(mine))]
        hits += here
    assert 200 < hits < 3800


@pytest.mark.parametrize("room", [100, 166, 1734])
def test_l1_never_has_more_lines_than_it_has_room_for(room: int) -> None:
    """Shared memory takes room, and tags stay."""
    l1 = empty_l1(2048, room)
    for count, sector in enumerate(range(0, 4 * 4096, 4), 1):
        assert not asked(l1, sector)
        there = int((l1.tags >= 0).sum())
        assert there <= room and (there == count or count > room // PARTS)
        assert there + int(l1.room.sum()) == room
    assert (l1.tags >= 0).sum() == room
    assert asked(l1, 4 * 4095)


@pytest.mark.parametrize("places", [64, 2048])
def test_a_line_that_is_given_up_leaves_room(places: int) -> None:
    l1 = empty_l1(places, places)
    for line in range(1, 10 * places):
        asked(l1, 4 * line)
        if line % 2:
            given_up(l1, 4 * line)
            assert lookup(l1.tags, l1.ages, l1.turns, l1.room, 4 * line, False)[0] < 0
    assert int(l1.room.sum()) == places - int((l1.tags >= 0).sum())


def test_what_is_come_back_to_stays_while_new_lines_pass() -> None:
    """One that is asked for again and again, and lines that nobody comes back to, all of one set."""
    l1 = empty_l1(2048, 2048)
    lines = [line for line in range(1 << 16)
             if lookup(l1.tags, l1.ages, l1.turns, l1.room, 4 * line, False)[1] // WAYS == 77][:60]
    late = [not asked(l1, 4 * lines[0]) for _ in range(3)]
    for line in lines[1:]:
        late += [not asked(l1, 4 * line), not asked(l1, 4 * lines[0])]
    assert late == [True, False, False] + [True, False] * 59


def test_sectors_of_one_request_ask_for_their_line_once() -> None:
    l1 = empty_l1(2048, 2048)
    asked(l1, 8)
    before = l1.turns.copy()
    asked(l1, 9, touched=False)
    assert (l1.turns == before).all() and asked(l1, 9)
    assert l1.turns.sum() > before.sum()


@pytest.mark.parametrize(("stride", "lines"), [(1, 1732), (8, 1024), (32, 1024)])
def test_rows_a_power_of_two_apart_and_lines_side_by_side_do_not_meet(stride: int, lines: int) -> None:
    l1 = empty_l1(2048, 1734)
    sectors = [4 * stride * k for k in range(lines)]
    for sector in sectors:
        asked(l1, sector)
    assert all(asked(l1, s) for s in sectors)


def test_an_l1_of_no_size_has_nothing() -> None:
    l1 = empty_l1(0, 0)
    assert lookup(l1.tags, l1.ages, l1.turns, l1.room, 17, True) == (-1, -1)
