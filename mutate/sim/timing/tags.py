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
_HIT = 1 << 20
_NEW = _HIT + _HIT // 2
"""A new line is older than what the last two hits of its set were, and younger than what was asked for before them."""
_EMPTY = -(1 << 62)
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class L1(NamedTuple):
    """Of each place for a line: its number (-1: none), its age, when each sector is there (0: it is not asked for), and

    whether it has something that L2 has not. ``turns``: the time of each set, which goes on by hits; then, by part of
    the tags, for how many lines more there is room (shared memory takes it, and leaves the tags), and at which set a
    line makes room next where that is used up.
    """

    tags: Ints
    ages: Ints
    ready: Floats
    dirty: npt.NDArray[np.bool_]
    turns: Ints


def _empty_l1(places: int, lines: int) -> L1:
    """An L1 with tags for ``places`` lines (a power of two, or 0) and room for ``lines``."""
    sets = places // WAYS
    turns = np.zeros(sets + 2 * PARTS, np.int64)
    parts = PARTS if 2 * sets >= SETS else 1
    for part in range(parts):
        turns[sets + part] = (lines + parts - 1 - part) // parts
    return L1(np.full(places, -1, np.int64), np.full(places, _EMPTY, np.int64), np.zeros((places, 4), np.float64),
              np.zeros(places, np.bool_), turns)


empty_l1 = jit_into(FOLDER, _empty_l1)


def _set_at(line: int, sets: int) -> int:
    """The set that a line is in. Half as many as an H200's were measured nowhere; before Volta bits are as they are."""
    bits = np.uint64(line)
    if line >= _ANYWHERE:
        # A warp's words of local memory lie side by side, and so do another block's lines, but both lie anywhere.
        bits = (bits & np.uint64(0x3FFFFF)) + ((bits >> np.uint64(22)) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40))
    return int(np.int64((np.uint64(set_of(bits)) if 2 * sets >= SETS else bits) & np.uint64(sets - 1)))


set_at = jit_into(FOLDER, _set_at, counted=False)


def _lookup(tags: Ints, ages: Ints, turns: Ints, sector: int, touched: bool) -> tuple[int, int]:
    """The place of a sector's line in L1 (-1: not there), and that which the line would take of its set.

    ``touched``: somebody asks for the line. Another sector of the same request does so no second time; that a sector is
    not there makes no difference.
    """
    sets = len(tags) // WAYS
    if sets == 0:
        return -1, -1
    line = sector >> 2
    at = set_at(line, sets)
    # Before Volta what makes room for a line is in its set, or there was nothing in it.
    full = 2 * sets < SETS and turns[sets] <= 0
    victim, oldest = at * WAYS, np.int64(1) << 62
    for k in range(at * WAYS, at * WAYS + WAYS):
        if tags[k] == line:
            if touched:
                turns[at] += _HIT
                ages[k] = turns[at]
            return k, k
        if ages[k] < oldest and not (full and tags[k] < 0):
            victim, oldest = k, ages[k]
    return -1, victim


lookup = jit_into(FOLDER, _lookup, counted=False)


def _leaves(tags: Ints, ages: Ints, turns: Ints, place: int, victim: int) -> int:
    """The place of the line that makes room for one that ``lookup`` did not find (-1: none).

    That in its own place; where all room of the part of the tags is used up, the oldest one of a set, one set that has
    any after the other.
    """
    if place >= 0:
        return -1
    if tags[victim] >= 0:
        return victim
    sets = len(tags) // WAYS
    part = victim // WAYS % PARTS
    if 2 * sets < SETS or turns[sets + part] > 0:
        return -1
    oldest = -1
    for _ in range(sets // PARTS):
        at = turns[sets + PARTS + part] * PARTS + part
        turns[sets + PARTS + part] = (turns[sets + PARTS + part] + 1) % (sets // PARTS)
        for k in range(at * WAYS, at * WAYS + WAYS):
            if tags[k] >= 0 and (oldest < 0 or ages[k] < ages[oldest]):
                oldest = k
        if oldest >= 0:
            break
    return oldest


leaves = jit_into(FOLDER, _leaves, counted=False)


def _drop(tags: Ints, ages: Ints, turns: Ints, place: int) -> None:
    """Gives up a line."""
    sets = len(tags) // WAYS
    tags[place] = -1
    ages[place] = _EMPTY
    turns[sets + (place // WAYS % PARTS if 2 * sets >= SETS else 0)] += 1


drop = jit_into(FOLDER, _drop, counted=False)


def _fill(tags: Ints, ages: Ints, ready: Floats, turns: Ints, place: int, victim: int, sector: int, come: float
          ) -> None:
    """Puts a sector into L1, at the places that ``lookup`` found for its line; a new line has no other sector, and

    what ``leaves`` named was dropped.
    """
    if place < 0:
        sets = len(tags) // WAYS
        at = victim // WAYS
        known = 2 * sets >= SETS
        turns[sets + (at % PARTS if known else 0)] -= 1
        turns[at] += 1
        tags[victim] = sector >> 2
        # Before Volta the line goes that was asked for longest ago: a guess.
        ages[victim] = turns[at] - (_NEW if known else 0)
        ready[victim, :] = 0.0
    ready[victim, sector & 3] = come


fill = jit_into(FOLDER, _fill, counted=False)
