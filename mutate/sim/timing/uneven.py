"""Blocks that do not all do as much: how long the whole grid takes, from the work of some and one SM's play of fewer.

All SMs are played at once, roughly: a block is so much work, and the blocks on an SM go on at one pace, which is that
of a lone block until there are so many that the SM, or all of L2 and DRAM, has no more to give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER

Floats = npt.NDArray[np.float64]
ALIKE = 0.02
"""Blocks whose work has a smaller standard deviation than this part of the mean are taken to be alike."""
_LEAST = 4
_LOPSIDED, SEVERAL_WAVES = 0.4, 4
"""The part of SMs that have something to do below which those alone share L2, and waves from which on. Guesses:

no microbenchmark has such grids.
"""
_TOLD = 256
"""Blocks of which it is tried whether their places tell their work."""


class Work(NamedTuple):
    """How much a block has to do: its number, the instructions of all its warps, and of the one that has most."""

    block: int
    total: int
    longest: int


@dataclass(frozen=True)
class Turn:
    """A play of one SM: the ``works`` of the blocks that it got, of which ``resident`` had room, its ``clocks``, the

    work that a block does in a clock when it is ``alone``, and the part of its time that L2 or DRAM is ``busy`` if all
    SMs are like it.
    """

    works: Sequence[float]
    resident: int
    clocks: float
    alone: float
    busy: float


def differ(works: Sequence[Work]) -> bool:
    values = np.array([w.total for w in works], np.float64)
    return len(values) > 1 and float(values.std()) > ALIKE * max(1.0, float(values.mean()))


def spread_over(works: Sequence[tuple[int, int]], grid: tuple[int, int, int]) -> Floats:
    """The work of all blocks of the grid from ``works`` (number, work) of some.

    Where a block's number, or its place along one axis, tells the work of each of them from that of the others (half of
    the variance at least), it tells that of all blocks, by straight lines between them; else a block has the work of
    the nearest known one.
    """
    known = sorted(works)
    values = np.array([w for _, w in known], np.float64)
    numbers = np.arange(grid[0] * grid[1] * grid[2])
    places = [numbers, numbers % grid[0], numbers // grid[0] % grid[1], numbers // (grid[0] * grid[1])]
    at = np.array([b for b, _ in known])
    errors = [_told(place[at], values) for place in places]
    best = int(np.argmin(errors))
    some = values[:: _step(len(values))]
    if len(values) > _LEAST and errors[best] < 0.5 * float(((some - values.mean()) ** 2).sum()):
        return np.interp(places[best], *_means(places[best][at], values))
    edges = (at[1:] + at[:-1] + 1) // 2
    return np.asarray(values[np.searchsorted(edges, numbers, side="right")])


def _means(at: npt.NDArray[np.int64], values: Floats) -> tuple[Floats, Floats]:
    places, which = np.unique(at, return_inverse=True)
    return places.astype(np.float64), np.bincount(which, values) / np.bincount(which)


def _step(count: int) -> int:
    return -(-count // _TOLD)


def _told(at: npt.NDArray[np.int64], values: Floats) -> float:
    """The sum of the squared errors with which the others tell each value, of many some, by their places."""
    if len(np.unique(at)) < 2:
        return np.inf
    total = 0.0
    for k in range(0, len(values), _step(len(values))):
        rest = np.arange(len(values)) != k
        total += float(values[k] - np.interp(at[k], *_means(at[rest], values[rest]))) ** 2
    return total


def longer_by(works: Sequence[Work], turn: Turn, grid: tuple[int, int, int], sms: int, waves: int) -> float:
    """How many times as long as the turn the grid takes. Of more ``waves`` than a few only the mean work matters."""
    all_works = spread_over([(w.block, w.total) for w in works], grid)
    mine = np.asarray(turn.works, np.float64)
    if len(mine) > waves * turn.resident:
        # None takes less time than its longest block; how fast that goes the first one tells that was played.
        longest = all_works.max()
        least = longest / turn.alone / turn.clocks if 2 * mine[0] > longest else 0.0
        return max(float(all_works.mean() / mine.mean()), float(least))
    sms = min(sms, len(all_works))
    most = _most(turn, mine)
    everywhere = sms * most / max(turn.busy, 0.01)
    return float(clocks_of(all_works, sms, turn.resident, turn.alone, most, everywhere)
                 / clocks_of(mine, 1, turn.resident, turn.alone, most, np.inf))


def busy_part(works: Sequence[Work], blocks: Sequence[int], turn: int, grid: tuple[int, int, int], sms: int) -> float:
    """The part of the SMs that have something to do, if each of them has as much as the one that gets these ``blocks``

    for its ``turn`` of several waves: those share L2 and DRAM. All (1.0) unless they are clearly less than half.
    """
    known = {w.block: w.total for w in works}
    mine = sum(known[blocks[k % len(blocks)]] for k in range(turn))
    part = float(spread_over([(w.block, w.total) for w in works], grid).sum()) / sms / mine
    return part if part < _LOPSIDED else 1.0


def _most(turn: Turn, works: Floats) -> float:
    """The work of an SM in a clock with which its turn takes as long as it did, nearly."""
    low, high = turn.alone, turn.alone * turn.resident
    for _ in range(30):
        middle = (low * high) ** 0.5
        if clocks_of(works, 1, turn.resident, turn.alone, middle, np.inf) > turn.clocks:
            low = middle
        else:
            high = middle
    return high


def _clocks_of(works: Floats, sms: int, resident: int, alone: float, most: float, everywhere: float) -> float:
    """Clocks until blocks of these ``works`` are done, each given to the first SM with room."""
    count = len(works)
    ends = np.full((sms, resident), np.inf)
    done = np.zeros(sms)
    first = np.full(sms, np.inf)
    busy = np.zeros(sms, np.int64)
    given = 0
    for place in range(resident):
        for sm in range(sms):
            if given < count:
                ends[sm, place] = works[given]
                first[sm] = min(first[sm], works[given])
                busy[sm] += 1
                given += 1
    clock = 0.0
    left = count
    while left > 0:
        asked = 0.0
        for sm in range(sms):
            if busy[sm] > 0:
                asked += min(alone * busy[sm], most)
        scale = min(1.0, everywhere / asked)
        step = np.inf
        for sm in range(sms):
            if busy[sm] > 0:
                step = min(step, (first[sm] - done[sm]) / (min(alone, most / busy[sm]) * scale))
        clock += step
        for sm in range(sms):
            if busy[sm] > 0:
                done[sm] += min(alone, most / busy[sm]) * scale * step
                if done[sm] >= first[sm] * (1.0 - 1e-9):
                    nearest = np.inf
                    for place in range(resident):
                        if ends[sm, place] <= done[sm] * (1.0 + 1e-9):
                            left -= 1
                            if given < count:
                                ends[sm, place] = done[sm] + works[given]
                                given += 1
                            else:
                                ends[sm, place] = np.inf
                                busy[sm] -= 1
                        nearest = min(nearest, ends[sm, place])
                    first[sm] = nearest
    return float(clock)


clocks_of = jit_into(FOLDER, _clocks_of)
