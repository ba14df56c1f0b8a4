"""Sectors that blocks come back to which are far from each other: where axes change places, what lies beside an element

is another block's. Of distances up to ``TRAIL`` blocks a run of them tells what is found again; of farther ones
others do that are as far apart as the run is long, so that each distance is that of one of them and one of the run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.timing.touches import PAIRS, SECTORS

Array = npt.NDArray[Any]
LEAST_TRAIL, TRAIL = 16, 128
"""Blocks that are run before one to see what it finds of theirs."""
_REACH = 64 << 20
"""Bytes that the blocks touch which are looked back at: more than an L2 has."""
_OFTEN, _ALONE = 1.5, 0.5
_LINE = 128


class Firsts(NamedTuple):
    """First touches of sampled blocks: the sectors and the numbers of the blocks, those of a sector side by side."""

    sectors: Array
    blocks: Array


def sought(touched: Array, limits: Array, blocks: int, grid: int) -> npt.NDArray[np.bool_]:
    """Of each array's reads and writes, shape (arrays, 2), whether the grid comes to sectors again and the sampled

    blocks do not show when: most of what one of them touches it has alone. ``touched``: ``Touches.tally``; ``limits``:
    sectors of each array.
    """
    pairs, sectors = touched[..., PAIRS].astype(np.float64), touched[..., SECTORS]
    return np.asarray((pairs * grid > _OFTEN * blocks * limits[:, None]) & (sectors > _ALONE * pairs))


def lines_bytes(sectors: Array) -> float:
    """Bytes of L2 that a block takes: of lines, as L2 has no room for a sector alone."""
    return float(_LINE * len(np.unique(sectors >> 2)))


def far_before(block: int, each: float, run: int) -> list[int]:
    """Blocks before those of a run right before this one, in rising order, as far from each other as the run is long.

    ``each``: bytes that one touches; ``run``: blocks of the run.
    """
    reach = min(block, int(_REACH / max(each, 1.0)))
    return list(range(block - 2 * run, block - reach - 1, -run))[::-1]


def firsts(sectors: Array, chosen: Array, begins: Array, blocks: Array) -> Firsts:
    """Those of the touches ``chosen`` of ``sectors`` that are of ``blocks``: the last that ran.

    ``begins``: where the sectors of each begin, rising.
    """
    chosen = chosen[chosen >= begins[0]] if len(begins) else chosen[:0]
    owners = blocks[np.searchsorted(begins, chosen, side="right") - 1]
    order = np.lexsort((owners, sectors[chosen]))
    return Firsts(sectors[chosen][order], owners[order])


def before(run: Firsts, far: Firsts, blocks: int, nearest: float, farthest: float) -> float:
    """How many blocks, on average, touch a sector before a block does that touches it, at distances in this range.

    ``run``: first touches of so many ``blocks``; ``far``: those of blocks as far from each other.
    """
    first, end = (np.searchsorted(run.sectors, far.sectors, side) for side in ("left", "right"))
    count = end - first
    at = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(count.sum())
    apart = run.blocks[at] - np.repeat(far.blocks, count)
    return float(((apart > nearest) & (apart <= farthest)).sum() * blocks / max(1, len(run.sectors)))
