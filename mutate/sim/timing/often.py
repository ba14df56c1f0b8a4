"""Lines of arrays that L1 does not hold as a whole which so many blocks come to that it has them still: the first steps

of a search, the middle of a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing.asked import all_sought
from mutate.sim.timing.sampling import Streams
from mutate.sim.timing.touches import OFTEN

Array = npt.NDArray[Any]
_SELDOM = 0.33
"""The part of that at which L1 decides by itself. Of 0.33 and 1 that which meets ncu's hits of ``warp_search`` in
tests/machines/nearby.cu."""
_BLOCKS = 1 << 20
"""More than are sampled."""


def often(s: Streams, apart: npt.NDArray[np.bool_], lines: float) -> Array:
    """``Streams.touch`` with the bit ``OFTEN`` for loads of such lines of the arrays ``apart``.

    Blocks are anywhere in their work: between two that come to a line which one of so many touches lie the different
    lines that so many blocks touch; L1 has room for ``lines`` (H. Che, Y. Tung, Z. Wang, "Hierarchical Web caching
    systems", 2002).
    """
    of = all_sought(s)
    block, at = of.warp // (s.starts.shape[1] - 1), of.at
    pairs = np.unique((s.sectors[at] >> 2) * _BLOCKS + block)
    found, blocks = np.unique(pairs // _BLOCKS, return_counts=True)
    least = max(2.0, _SELDOM * len(s.starts) / together(blocks / len(s.starts), lines))
    loads = at[(of.kind == lay.H_GLOBAL_LOAD) & apart[s.region[at]]]
    touch = s.touch.copy()
    touch[loads[blocks[np.searchsorted(found, s.sectors[loads] >> 2)] >= least]] |= OFTEN
    return touch


def together(parts: Array, lines: float) -> float:
    """How many blocks touch so many different lines, of which each is touched by one of these ``parts`` of all."""
    if len(parts) <= lines:
        return float("inf")
    parts, count = np.unique(parts, return_counts=True)
    low, high = 0.0, 1.0
    while float(-(count * np.expm1(-parts * high)).sum()) < lines:
        low, high = high, 2.0 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if float(-(count * np.expm1(-parts * middle)).sum()) < lines else (low, middle)
    return high
