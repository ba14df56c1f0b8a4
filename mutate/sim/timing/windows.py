"""Arrays that are read or written at random, but near places that move on with the block's number (a mesh's neighbours,

rows of a band), or with the turns of a loop in blocks that all run at once: what is touched at a time is a window,
which L2 has when all of the array has no room there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim.timing.asked import all_sought
from mutate.sim.timing.by_chance import Reads
from mutate.sim.timing.sampling import Sample, Streams

Array = npt.NDArray[Any]
_LARGE = 0.5
"""Windows that are a larger part of what the grid touches are taken to be all of it."""
_SLICES = 8
_LONGER, _MOST, _LEAST = 2.0, 0.8, 3
"""How many times as much as others a block may touch, most of them do not, of how many at least."""


def windows_of(sample: Sample, wave: int, bit: int, wanted: npt.NDArray[np.bool_]) -> Array:
    """Of each array that is ``wanted`` the part of what the grid touches that is touched at a time, while ``wave``

    blocks run; 1 where that is not seen. ``bit``: of ``Streams.touch``.
    """
    arrays = len(wanted)
    if len(sample.blocks) < 2 or not wanted.any():
        return np.ones(arrays)
    ranges = _ranges(sample.streams, bit, arrays)
    if wave < sample.grid_blocks:
        parts = _by_numbers(np.array(sample.blocks, np.float64), ranges[:, 0].min(axis=0), ranges[:, 1].max(axis=0),
                            wave, sample.grid_blocks)
    else:
        parts = np.ones(arrays) if sample.streams.cut.any() else _by_turns(ranges)
    return np.where(wanted & (parts <= _LARGE), parts, 1.0)


def _ranges(s: Streams, bit: int, arrays: int) -> Array:
    """Shape (slices of a warp's records, 2, blocks, arrays): the first and the last sector of each array that a block

    touches; infinite, the first larger, where none.
    """
    out = np.empty((_SLICES, 2, len(s.starts), arrays))
    out[:, 0], out[:, 1] = np.inf, -np.inf
    of = all_sought(s)
    begin, end = s.starts[:, :-1].ravel(), s.starts[:, 1:].ravel()
    when = (of.record - begin[of.warp]) * _SLICES // np.maximum(1, end[of.warp] - begin[of.warp])
    mine = s.touch[of.at] & bit > 0
    at = of.at[mine]
    where = when[mine], of.warp[mine] // (s.starts.shape[1] - 1), s.region[at]
    np.minimum.at(out[:, 0], where, s.sectors[at])
    np.maximum.at(out[:, 1], where, s.sectors[at])
    return out


def _by_numbers(numbers: Array, lows: Array, highs: Array, wave: int, grid: int) -> Array:
    """Where the places of most sampled blocks lie on a line; others may go round the array's ends."""
    out = np.ones(lows.shape[1])
    for a in np.flatnonzero((highs >= lows).all(axis=0)).tolist():
        sizes = highs[:, a] - lows[:, a] + 1
        size = float(np.median(sizes))
        some = sizes <= _LONGER * size
        if some.sum() < max(_LEAST, _MOST * len(some)):
            continue
        middles = (highs[some, a] + lows[some, a]) / 2.0
        step, begin = np.polyfit(numbers[some], middles, 1)
        if np.abs(middles - begin - step * numbers[some]).max() <= size / 2.0:
            out[a] = (size + abs(step) * wave) / (size + abs(step) * grid)
    return out


def _by_turns(ranges: Array) -> Array:
    """Of blocks that all run at once: of all together at the same part of their records."""
    lows, highs = ranges[:, 0].min(axis=1), ranges[:, 1].max(axis=1)
    out = np.ones(lows.shape[1])
    for a in np.flatnonzero((highs >= lows).any(axis=0)).tolist():
        some = highs[:, a] >= lows[:, a]
        low, high = lows[some, a], highs[some, a]
        out[a] = np.median(high - low + 1) / (high.max() - low.min() + 1)
    return out


def in_window(reads: Reads, part: float, own: float) -> Reads:
    """Of reads of an array those while a ``part`` of the grid runs; ``own``: the array's own window."""
    return reads._replace(number=part * reads.number, places=reads.places * (max(part, own) if own < 1.0 else 1.0))
