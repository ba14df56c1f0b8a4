"""Blocks whose work depends on what other blocks write: where the grid is small enough all are run, by turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.timing.asked import of_block, places_of
from mutate.sim.timing.touches import WRITES, spread

if TYPE_CHECKING:
    from mutate.sim.timing.sampling import Streams

TOGETHER = 12_000_000
"""Warp instructions of a grid that is run as a whole, about ten seconds."""
MOST_EVERY = 8
"""Of a larger grid each second block is run, or at least each eighth, and those that are sampled: what a table holds

then is nearer to what they meet than what was there before the launch (`pytest tests/timing_model/test_order.py`). Up
to which it is worth it is a guess.
"""
BEGINNING = 3_000_000
"""The same of the blocks that a larger grid begins with, which find what was there before all of them."""
_FEW, _GAP = 8, 16
"""Sectors of an array that a block writes at least, and how far they are apart at least on average, where their places

look random."""
_FEW_PLACES = 4
"""Sectors of which it is said that all blocks add to the same."""
# Atomic operations whose old value says what others did; a sum's says where to write, which changes no work.
_TOLD = ("CAS", "MIN", "MAX", "AND", "OR", "XOR", "EXCH")


def follows_others(streams: Streams, listing: Sequence[Instruction], arrays: int) -> bool:
    """Whether blocks like these ask for what other blocks write, by atomic operations or at places that look random.

    ``arrays``: of the launch. Told from the streams: an array that is loaded, or of which an atomic operation gives old
    values, and that is added to, or written by lanes which are far from each other, or at distances that seem random.
    """
    at = np.flatnonzero(streams.request >= 0)
    asked = streams.request[at]
    kinds, counts = streams.requests[asked, 2], streams.requests[asked, 5]
    at, asked, kinds = at[counts > 0], asked[counts > 0], kinds[counts > 0]
    where = streams.region[streams.requests[asked, 4]]
    gives = np.array([_gives(i) for i in listing], np.bool_)[streams.pc[at]]
    atomic, loaded = kinds == lay.H_GLOBAL_ATOMIC, kinds == lay.H_GLOBAL_LOAD
    asks = _of(where[loaded | (atomic & gives)], arrays)
    found: npt.NDArray[Any] = np.zeros((arrays + 1, 2, 2), np.int64)
    spread(streams.requests, streams.sectors, streams.region, found)
    scattered = found[:-1, WRITES, 1] > 0.5 * found[:-1, WRITES, 0]
    stores = asked[kinds == lay.H_GLOBAL_STORE]
    return bool((asks & (_of(where[atomic], arrays) | scattered | _irregular(streams, stores, arrays))).any())


def at_few_places(streams: Streams) -> bool:
    """Whether the atomic operations of blocks like the first are to so few sectors that all have them in common."""
    _, at = of_block(streams, (lay.H_GLOBAL_ATOMIC,))
    return 0 < len(np.unique(streams.sectors[at])) <= _FEW_PLACES


def _irregular(streams: Streams, stores: npt.NDArray[np.int64], arrays: int) -> npt.NDArray[np.bool_]:
    """Of each array whether the sectors that stores write lie far apart, no distance being that of a tenth of them."""
    at = places_of(streams, stores)
    written, regions = streams.sectors[at], streams.region[at]
    out = np.zeros(arrays, np.bool_)
    for a in range(arrays):
        gaps = np.diff(np.unique(written[regions == a]))
        if len(gaps) >= _FEW and gaps.mean() > _GAP:
            out[a] = 10 * np.unique(gaps, return_counts=True)[1].max() <= max(10, len(gaps))
    return out


def _of(regions: npt.NDArray[Any], arrays: int) -> npt.NDArray[np.bool_]:
    return np.asarray(np.bincount(regions, minlength=arrays + 1)[:arrays] > 0)


def _gives(instruction: Instruction) -> bool:
    return instruction.name in ("ATOMG", "ATOM") and any(m in _TOLD for m in instruction.opcode.split("."))
