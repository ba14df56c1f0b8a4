"""Which stores of a warp go to L2 together with the one before: what comes while that waits, to lines that both have.

What writes whole sectors waits a little while (`SOON`), or while others of the SM are before it; what writes parts of
them waits for the rest (`PARTLY`), unless an SM has too much of that (`ROOM`), or what it stores is stuck (`STUCK`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.touches import WHOLE_STORE

LINES, SINCE, SOON = 4, 16, 40
"""Lines of a store that waits for what its warp stores next, to go to L2 with it, and until how many lines that the SM

stores, and how many clocks; twice as many lines of 16 bytes a lane, or in a burst. By ncu's sectors of
tests/machines/stores.cu (summed_in_place: eight warps' stores of one line go together, of eight lines do not; 32 warps'
in part; paced_stores: 69 clocks apart none does).
"""
BURST = 4
"""Clocks from one store of a burst to the next: one warp's stores of eight lines go together (summed_in_place)."""
PARTLY, ROOM, STUCK = 430, 12, 200.0
PARTLY_LINES = 8
FEW = 4
LOST = 0.55
Ints = npt.NDArray[np.int64]


class Combining(NamedTuple):
    """The last store of each warp: its request (-1: none), its block, its clock, the lines that the SM had stored,

    until when it waits; and clock and lines of the first one that it goes together with.
    """

    request: Ints
    block: Ints
    at: Ints
    lines: Ints
    until: npt.NDArray[np.float64]
    first_at: Ints
    first_lines: Ints
    chain: Ints
    own: Ints
    lost: npt.NDArray[np.float64]


def _empty_combining(warps: int) -> Combining:
    return Combining(np.full(warps, -1, np.int64), np.zeros(warps, np.int64), np.zeros(warps, np.int64),
                     np.zeros(warps, np.int64), np.zeros(warps, np.float64), np.zeros(warps, np.int64),
                     np.zeros(warps, np.int64), np.zeros(warps, np.int64), np.zeros(warps, np.int64), np.zeros(1))


empty_combining = jit_into(FOLDER, _empty_combining)


def _most_lines(stored: Any, streams: Any, w: int, block: int, clock: int, lines_out: int, four: bool, backlog: float
                ) -> int:
    """Of how many lines the next store of a warp may be to go together with its last one; 0: none goes."""
    q = stored.request[w]
    if q < 0 or stored.block[w] != block:
        return 0
    if streams.touch[streams.requests[q, 4]] & WHOLE_STORE == 0:
        if clock - stored.first_at[w] > PARTLY or (stored.lost[0] > LOST and backlog > STUCK):
            return 0
        if stored.chain[w] >= FEW and lines_out - stored.first_lines[w] - stored.own[w] > ROOM:
            return 0
        return PARTLY_LINES
    wide = 2 if four or clock <= stored.at[w] + BURST else 1
    if stored.until[w] > clock and lines_out - stored.lines[w] <= SINCE * wide:
        return LINES * wide
    return 0


most_lines = jit_into(FOLDER, _most_lines, counted=False)


def _note(stored: Any, streams: Any, w: int, q: int, block: int, clock: int, lines_out: int, lines: int, until: float,
          together: bool) -> None:
    """A warp has stored request ``q``. ``together``: it may go with the one before, if that began in the same line."""
    last = stored.request[w]
    first = streams.sectors[streams.requests[q, 4]] >> 2
    other = last < 0 or streams.sectors[streams.requests[last, 4]] >> 2 != first or stored.block[w] != block
    if other:
        stored.first_at[w], stored.first_lines[w], stored.chain[w], stored.own[w] = clock, lines_out, 0, 0
    stored.chain[w] += 1
    stored.own[w] += lines
    if streams.touch[streams.requests[q, 4]] & WHOLE_STORE == 0:
        stored.lost[0] += ((1.0 if other or not together else 0.0) - stored.lost[0]) / 64.0
    stored.request[w], stored.block[w], stored.at[w], stored.lines[w] = q, block, clock, lines_out
    stored.until[w] = until


note = jit_into(FOLDER, _note, counted=False)
