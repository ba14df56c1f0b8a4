"""L1's tags: in which set a line is, how many lines there is room for, and which one makes room for another.

Found from 120 sequences of each of six kinds, of one warp whose loads wait for each other, by which loads came late on
an H200 (tests/machines/l1_policy.py), and from how much of lists of lines it had again beside each size of shared
memory (tests/machines/l1_room.py). tests/timing_model/test_l1_tags.py plays both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.gather import LOCAL_BASE
from mutate.sim.timing.sets import SETS, set_of

WAYS = 4
PARTS = 4
"""Parts of the tags, by the first two bits of the set, with a quarter of the room each."""
_ANYWHERE = LOCAL_BASE >> 7
"""Numbers of lines from which on they are local memory, or have a mark of the block or turn that they are of."""
HIT = 1 << 20
_NEW = HIT + HIT // 2
"""A new line is older than what the last two hits of its set were, and younger than what was asked for before them."""
_EMPTY = -(1 << 62)
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class L1(NamedTuple):
    """Of each place for a line: its number (-1: none), its age, when each sector is there (0: it is not asked for), and

    whether it has something that L2 has not. ``turns``: the time of each set, which goes on by hits. ``room``: for how
    many lines more there is room, by part of the tags (shared memory takes it, and leaves the tags), and ``hands``: at
    which set of the part a line makes room next where that is used up.
    """

    tags: Ints
    ages: Ints
    ready: Floats
    dirty: npt.NDArray[np.bool_]
    turns: Ints
    room: Ints
    hands: Ints


def empty_l1(places: int, lines: int) -> L1:
    """An L1 with tags for ``places`` lines (a power of two, or 0) and room for ``lines``.

    Half as many sets as an H200 has were measured nowhere, and are taken to be as its; before Volta there are fewer,
    in one part.
    """
    sets = places // WAYS
    parts = PARTS if 2 * sets >= SETS else 1
    room = np.zeros(parts, np.int64)
    for part in range(parts):
        room[part] = (lines + parts - 1 - part) // parts
    return L1(np.full(places, -1, np.int64), np.full(places, _EMPTY, np.int64), np.zeros((places, 4), np.float64),
              np.zeros(places, np.bool_), np.zeros(sets, np.int64), room, np.zeros(parts, np.int64))


def _lookup(tags: Ints, ages: Ints, turns: Ints, room: Ints, sector: int, touched: bool) -> tuple[int, int]:
    """The place of a sector's line in L1 (-1: not there), and that which the line would take of its set.

    ``touched``: somebody asks for the line. Another sector of the same request does so no second time; that a sector is
    not there makes no difference.
    """
    sets = len(turns)
    if sets == 0:
        return -1, -1
    line = sector >> 2
    bits = np.uint64(line)
    if line >= _ANYWHERE:
        # A warp's words of local memory lie side by side, and so do another block's lines, but both lie anywhere.
        bits = (bits & np.uint64(0x3FFFFF)) + ((bits >> np.uint64(22)) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40))
    # Before Volta bits are taken as they are.
    at = int(np.int64((np.uint64(set_of(bits)) if len(room) > 1 else bits) & np.uint64(sets - 1)))
    # ... and what makes room for a line is in its set, or there was nothing in it.
    full = len(room) == 1 and room[0] <= 0
    victim, oldest = at * WAYS, np.int64(1) << 62
    for k in range(at * WAYS, at * WAYS + WAYS):
        if tags[k] == line:
            if touched:
                turns[at] += HIT
                ages[k] = turns[at]
            return k, k
        if ages[k] < oldest and not (full and tags[k] < 0):
            victim, oldest = k, ages[k]
    return -1, victim


lookup = jit_into(FOLDER, _lookup, counted=False, inlined=True)


def _leaves(tags: Ints, ages: Ints, room: Ints, hands: Ints, place: int, victim: int) -> int:
    """The place of the line that makes room for one that ``lookup`` did not find (-1: none).

    That in its own place; where all room of the part of the tags is used up, the oldest one of a set, one set that has
    any after the other.
    """
    if place >= 0:
        return -1
    if tags[victim] >= 0:
        return victim
    parts = len(room)
    part = victim // WAYS % parts
    if parts == 1 or room[part] > 0:
        return -1
    oldest = -1
    sets = len(tags) // WAYS // parts
    for _ in range(sets):
        at = (hands[part] * parts + part) * WAYS
        hands[part] = (hands[part] + 1) % sets
        for k in range(at, at + WAYS):
            if tags[k] >= 0 and (oldest < 0 or ages[k] < ages[oldest]):
                oldest = k
        if oldest >= 0:
            break
    return oldest


leaves = jit_into(FOLDER, _leaves, counted=False, inlined=True)


def _drop(tags: Ints, ages: Ints, room: Ints, place: int) -> None:
    """Gives up a line."""
    tags[place] = -1
    ages[place] = _EMPTY
    room[place // WAYS % len(room)] += 1


drop = jit_into(FOLDER, _drop, counted=False)


def _fill(tags: Ints, ages: Ints, ready: Floats, turns: Ints, room: Ints, place: int, victim: int, sector: int,
          come: float) -> None:
    """Puts a sector into L1, at the places that ``lookup`` found for its line; a new line has no other sector, and

    what ``leaves`` named was dropped.
    """
    if place < 0:
        at = victim // WAYS
        room[at % len(room)] -= 1
        turns[at] += 1
        tags[victim] = sector >> 2
        # Before Volta the line goes that was asked for longest ago: a guess.
        ages[victim] = turns[at] - (_NEW if len(room) > 1 else 0)
        ready[victim, :] = 0.0
    ready[victim, sector & 3] = come


fill = jit_into(FOLDER, _fill, counted=False, inlined=True)
