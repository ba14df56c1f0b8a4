"""Blocks that do not all do as much: how long the whole grid takes, from the work of some and one SM's play of fewer.

All SMs are played at once, roughly (``paces``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.timing.borders import by_borders, squared_error
from mutate.sim.timing.paces import clocks_of, pace_of

Floats = npt.NDArray[np.float64]
ALIKE = 0.02
"""Blocks whose work has a smaller standard deviation than this part of the mean are taken to be alike."""
_LEAST = 4
_LOPSIDED, SEVERAL_WAVES = 0.4, 4
"""The part of SMs that have something to do below which those alone share L2, and waves from which on. Guesses:

no microbenchmark has such grids.
"""
_DRAWS = 5
"""Draws of the work of blocks that were not run. A guess."""
_TOLD = 256
"""Blocks of which it is tried whether their places tell their work."""


class Work(NamedTuple):
    """How much a block has to do: its number, the instructions of all its warps, and of the one that has most.

    ``short``: little, and all blocks are known that have as little.
    """

    block: int
    total: int
    longest: int
    short: bool = False


@dataclass(frozen=True)
class Turn:
    """A play of one SM: the ``works`` of the blocks that it got, of which ``resident`` had room, its ``clocks``, the

    work that a block does in a clock when it is ``alone``, and the part of its time that L2 or DRAM is ``busy`` if all
    SMs are like it. ``ends``: the clocks of those blocks' ends that were seen, rising. ``raced``: who is first has less
    to do, and that need not be the first block. ``freer``: its clocks with a larger share of L2 and DRAM, ``None``
    where it hardly waits for those.
    """

    works: Sequence[float]
    resident: int
    clocks: float
    alone: float
    busy: float
    ends: Sequence[float] = ()
    raced: bool = False
    freer: float | None = None


def differ(works: Sequence[Work]) -> bool:
    values = np.array([w.total for w in works], np.float64)
    return len(values) > 1 and float(values.std()) > ALIKE * max(1.0, float(values.mean()))


def spread_over(works: Sequence[tuple[int, int]], grid: tuple[int, int, int]) -> Floats:
    """The work of all blocks of the grid from ``works`` (number, work) of some.

    Where a block's number, or its place along one axis, or the borders that it touches, tell the work of each of them
    from that of the others (half of the variance at least), they tell that of all blocks, by straight lines between
    them or a factor for each border; else a block has the work of the nearest known one.
    """
    return _spread(works, grid)[0]


def _spread(works: Sequence[tuple[int, int]], grid: tuple[int, int, int]) -> tuple[Floats, bool]:
    """As ``spread_over``; and whether the nearest known ones tell a block's work no better than any."""
    known = sorted(works)
    values = np.array([w for _, w in known], np.float64)
    numbers = np.arange(grid[0] * grid[1] * grid[2])
    places = [numbers, numbers % grid[0], numbers // grid[0] % grid[1], numbers // (grid[0] * grid[1])]
    at = np.array([b for b, _ in known])
    errors = [_told(place[at], values) for place in places]
    errors.append(squared_error(at, values, grid, _step(len(values))))
    best = int(np.argmin(errors))
    some = values[:: _step(len(values))]
    variance = float(((some - values.mean()) ** 2).sum())
    if len(values) > _LEAST and errors[best] < 0.5 * variance:
        if best == len(places):
            return by_borders(at, values, numbers, grid), False
        return np.interp(places[best], *_means(places[best][at], values)), False
    edges = (at[1:] + at[:-1] + 1) // 2
    return np.asarray(values[np.searchsorted(edges, numbers, side="right")]), errors[0] > variance


def of_all(works: Sequence[Work], grid: tuple[int, int, int], longest: bool = False) -> Floats:
    """The work of all blocks of the grid, or of the warp of each that has most, from those of some."""
    return _of_all(works, grid, longest)[0]


def _of_all(works: Sequence[Work], grid: tuple[int, int, int], longest: bool = False) -> tuple[Floats, bool]:
    """As ``of_all``; and what ``_spread`` says of those that are not short."""
    some = [w for w in works if not w.short] or works
    out, untold = _spread([(w.block, w.longest if longest else w.total) for w in some], grid)
    for w in works:
        if w.short:
            out[w.block] = w.longest if longest else w.total
    return out, untold


def _drawn(works: Sequence[Work], all_works: Floats, untold: bool, raced: bool) -> list[Floats]:
    """What the work of all blocks may be: ``all_works``, or where no place tells it some draws of what was not run; of

    all where they ``raced``.
    """
    unknown = np.ones(len(all_works), np.bool_)
    unknown[[w.block for w in works]] = raced
    count = int(unknown.sum())
    if not count or not (untold or raced):
        return [all_works]
    values = np.resize(np.array([w.total for w in works if not w.short] or [w.total for w in works], np.float64), count)
    generator = np.random.default_rng(0)
    draws = [all_works.copy() for _ in range(_DRAWS)]
    for draw in draws:
        draw[unknown] = generator.permutation(values)
    return draws


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
    all_works, untold = _of_all(works, grid)
    mine = np.asarray(turn.works, np.float64)
    if len(mine) > waves * turn.resident:
        # None takes less time than its longest block; how fast that goes the first one tells that was played.
        longest = all_works.max()
        least = longest / turn.alone / turn.clocks if 2 * mine[0] > longest else 0.0
        return max(float(all_works.mean() / mine.mean()), float(least))
    sms = min(sms, len(all_works))
    pace = pace_of(mine, turn.resident, turn.alone, turn.clocks, turn.ends)
    own, everywhere = pace, sms * pace.most / max(turn.busy, 0.01)
    if turn.freer is not None:
        # With all at work each goes as fast as it was played; of what SMs leave that are done the others have more.
        freer = pace_of(mine, turn.resident, turn.alone, min(turn.freer, turn.clocks))
        own, everywhere = pace._replace(most=max(freer.most, pace.most)), sms * pace.most
    clocks = [clocks_of(draw, sms, turn.resident, own, everywhere)
              for draw in _drawn(works, all_works, untold, turn.raced)]
    return sum(clocks) / len(clocks) / clocks_of(mine, 1, turn.resident, pace)


def busy_part(works: Sequence[Work], blocks: Sequence[int], turn: int, grid: tuple[int, int, int], sms: int) -> float:
    """The part of the SMs that have something to do, if each of them has as much as the one that gets these ``blocks``

    for its ``turn`` of several waves: those share L2 and DRAM. All (1.0) unless they are clearly less than half.
    """
    known = {w.block: w.total for w in works}
    mine = sum(known[blocks[k % len(blocks)]] for k in range(turn))
    part = float(of_all(works, grid).sum()) / sms / mine
    return part if part < _LOPSIDED else 1.0
