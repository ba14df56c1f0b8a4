"""Sectors that blocks come back to which are far from each other: where axes change places, what lies beside an element

is another block's. Of distances up to ``TRAIL`` blocks a run of them tells what is found again; of farther ones
others do that are drawn from those before, by how many of them have the same sectors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.timing.touches import PAIRS, SECTORS

Array = npt.NDArray[Any]
LEAST_TRAIL, TRAIL = 16, 128
"""Blocks that are run before one to see what it finds of theirs; as many are drawn from those before."""
_REACH = 64 << 20
"""Bytes that the blocks touch among which they are drawn: more than an L2 has."""
_OFTEN, _ALONE = 1.5, 0.5
_LAGS = 16
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


def drawn(block: int, each: float) -> list[int]:
    """Blocks before this one, in rising order, all different; ``each``: bytes that one touches."""
    reach = min(block, int(_REACH / max(each, 1.0)))
    if reach <= TRAIL:
        return []
    rng = np.random.default_rng(block)
    return sorted(int(block - b) for b in 1 + rng.choice(reach, TRAIL, replace=False))


def firsts(sectors: Array, chosen: Array, begins: Array, blocks: Array) -> Firsts:
    """The touches ``chosen`` of ``sectors``. ``begins``: where the sectors of each of ``blocks`` begin, rising."""
    owners = blocks[np.searchsorted(begins, chosen, side="right") - 1]
    order = np.lexsort((owners, sectors[chosen]))
    return Firsts(sectors[chosen][order], owners[order])


def before(found: Firsts, count: int, nearest: float, farthest: float) -> float:
    """How many blocks, on average, touch a sector before a block does that touches it, at distances in this range.

    ``count``: how many were drawn.
    """
    sectors, blocks = found
    if len(blocks) < 2:
        return 0.0
    extent = float(blocks.max() - blocks.min()) + 1.0
    number = 0.0
    for lag in range(1, min(_LAGS, len(sectors))):
        same = sectors[lag:] == sectors[:-lag]
        if not same.any():
            break
        apart = (blocks[lag:] - blocks[:-lag])[same].astype(np.float64)
        apart = apart[(apart > nearest) & (apart <= farthest)]
        # So many of the drawn ones have one of the others at this distance.
        number += float((extent / count / np.maximum(0.05, 1.0 - apart / extent)).sum())
    return number / len(sectors)
