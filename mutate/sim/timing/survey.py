"""What blocks all over a grid have to do, where those that are played do not tell it, and which are played for that."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mutate.sim import layout as lay
from mutate.sim.run import Simulation
from mutate.sim.timing.placing import blocks_of_sm
from mutate.sim.timing.uneven import ALIKE, Work, differ, of_all
from mutate.sim.turns import Played

SURVEY = 8_000_000
_SURVEYED = 2048
_ENOUGH, _MANY = 4, 64
"""Blocks that are run for their work alone: so many warp instructions and blocks; where so many are alike, all are."""
_PEEKED = 4096
_ROOT_STEPS = 60
_SHORT = 0.1
"""Blocks of a grid at most of which all are begun, where some end after this part of what others do."""
GOLDEN = 0.6180339887498949


def works_of(played: Played, blocks: Iterable[int]) -> list[Work]:
    return [Work(block, int(played.spent[block].sum()), int(played.spent[block].max())) for block in blocks]


class Instead(NamedTuple):
    """The block to be played, where each SM has one, or the SM."""

    first: int | None = None
    chosen: int | None = None


def instead_of(works: Sequence[Work], each: int, grid: tuple[int, int, int], sms: int, wanted: int, at_once: int,
               near_by: int | None) -> Instead | None:
    """Who has most to do, where all blocks run at once and the one that was taken, with ``each``, has clearly less.

    ``near_by``: as ``blocks_of_sm`` takes it.
    """
    most = max(works, key=lambda w: w.total)
    if grid[0] * grid[1] * grid[2] <= sms:
        return Instead(first=most.block) if most.total > (1.0 + ALIKE) * each else None
    if 1 < wanted <= at_once and differ(works):
        return Instead(chosen=_busiest(works, grid, sms, wanted, near_by))
    return None


def all_over(grid: tuple[int, int, int]) -> Iterator[int]:
    """Blocks from all over the grid: multiples of a root are spread evenly, however many they are, and of the powers of

    one along as many axes (1 over the root of x**(d + 1) = x + 1 for d of them, after Roberts); not of the golden
    ratio, by which kernels hash.
    """
    axes = [axis for axis in range(3) if grid[axis] > 1]
    root = 2.0
    for _ in range(_ROOT_STEPS):
        root = (1.0 + root) ** (1.0 / (len(axes) + 1))
    steps = [math.sqrt(2.0)] if len(axes) < 2 else [root ** -(k + 1) for k in range(len(axes))]
    strides = (1, grid[0], grid[0] * grid[1])
    for k in range(min(math.prod(grid), _SURVEYED)):
        yield sum(int((k + 0.5) * step % 1.0 * grid[axis]) * strides[axis]
                  for axis, step in zip(axes, steps, strict=False))


def _busiest(works: Sequence[Work], grid: tuple[int, int, int], sms: int, wanted: int, near_by: int | None) -> int:
    """The SM that has most to do, in all its blocks and in the longest warp of one."""
    total = grid[0] * grid[1] * grid[2]
    totals, longest = of_all(works, grid), of_all(works, grid, longest=True)
    mine = [list(blocks_of_sm(total, sms, wanted, sm, near_by)) for sm in range(sms)]
    sums, most = np.array([totals[m].sum() for m in mine]), np.array([longest[m].max() for m in mine])
    return int(np.argmax(sums / sums.mean() + most / most.mean()))


def survey(works: dict[int, Work], grid: tuple[int, int, int], simulation: Simulation) -> None:
    """Adds the work of blocks from all over the grid, until they seem to be alike or are enough, and of all blocks that

    end long before others do.
    """
    total = math.prod(grid)
    if len(works) >= total or (len(works) >= _ENOUGH and not differ(tuple(works.values()))):
        return
    other = simulation.fork((), None)
    spent = 0
    for block in all_over(grid):
        if block in works:
            continue
        works[block] = ran(other, block)
        spent += works[block].total
        # Many that differ will not be alike by one more.
        if spent > SURVEY:
            break
        if _ENOUGH <= len(works) <= _MANY and not differ(tuple(works.values())):
            return
    totals = [w.total for w in works.values()]
    most = int(_SHORT * sum(totals) / len(totals))
    if len(works) >= total or total > _PEEKED or min(totals) > most:
        return
    # All that are still at work after so much are long ones.
    most = min(most, 2 * min(totals) + 64)
    for block in range(total):
        if block not in works:
            other.run((block,), most)
            done = int(other.spent.sum())
            if done < most:
                works[block] = Work(block, done, int(other.spent.max()))
    works.update((b, w._replace(short=True)) for b, w in works.items() if w.total < most)


def ran(simulation: Simulation, block: int) -> Work:
    """Runs a block."""
    before = int(simulation.counters[:, lay.EXECUTED].sum())
    simulation.run((block,))
    return Work(block, int(simulation.counters[:, lay.EXECUTED].sum()) - before, int(simulation.spent.max()))
