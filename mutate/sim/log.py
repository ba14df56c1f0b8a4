"""The log of events that the interpreter keeps for those who watch (``watch``); without them it has one row and stays
empty.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.layout import L_EXTRA, L_KIND, L_MASK, L_PC, L_WARP, L_WIDTH

u64, i64 = np.uint64, np.int64


@njit(**INNER)
def note_event(head, control, pc, warp, kind, mask, width, extra):
    """A record without addresses; returns its row. ``control[6]`` counts the records."""
    at = control[6]
    if head.shape[0] > 1:
        head[at, L_PC], head[at, L_WARP], head[at, L_KIND] = pc, warp, kind
        head[at, L_MASK], head[at, L_WIDTH], head[at, L_EXTRA] = i64(mask), width, extra
        control[6] = at + 1
    return at


@njit(**INNER)
def note_request(head, where, control, pc, warp, kind, mask, width, extra, addresses):
    """A record of a memory request with the addresses of its lanes."""
    if head.shape[0] > 1:
        at = note_event(head, control, pc, warp, kind, mask, width, extra)
        for lane in range(32):
            where[at, lane] = u64(addresses[lane])
