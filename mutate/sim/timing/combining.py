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
PARTLY, PARTLY_LINES = 600, 8
"""Clocks for which what writes parts of sectors waits for the rest, and the most lines of such a store."""
FEW, ROOM = 4, 12
"""Stores that go together in any case; more of them only if other warps store no more lines meanwhile."""
LOST, STUCK = 0.55, 200.0
"""The part of stores of parts of sectors that go alone from which on none waits any more, while the SM has so many

clocks of stores before it: what goes alone takes L2 several times as long, so it stays like that.

By ncu's sectors of tests/machines/merges.cu and runs.cu on an H100: of 4 stores to the same lines all go together, by
1 to 16 warps, also 128 clocks apart; of 8 and 16 those of one warp, and hardly any where 16 warps store (7.1 to 7.9 of
8 go alone); with 64 warps 3.1 to 3.6 of 4 do (here fewer: up to 52 % too fast); 8 of four warps do not go together on
the GPU, and do here. Why it is so is not known; these numbers are what fits best of some that were tried, with
`near_stores` and `stride_stores` of an H200.
"""
Ints = npt.NDArray[np.int64]


class Combining(NamedTuple):
    """The last store of each warp: its request (-1: none), its block, its clock, the lines that the SM had stored,

    until when it waits. Of the first one that it goes together with: its clock, the lines of the SM before it, how many
    there are, with how many lines, and how many make whole sectors. ``lost``: the part of stores that go alone.
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
    whole: Ints
    lost: npt.NDArray[np.float64]


def _empty_combining(warps: int) -> Combining:
    none = np.zeros((8, warps), np.int64)
    return Combining(np.full(warps, -1, np.int64), none[0], none[1], none[2], np.zeros(warps, np.float64), none[3],
                     none[4], none[5], none[6], none[7], np.zeros(1))


empty_combining = jit_into(FOLDER, _empty_combining)


def _most_lines(stored: Any, streams: Any, w: int, block: int, clock: int, lines_out: int, four: bool, backlog: float
                ) -> int:
    """Of how many lines the next store of a warp may be to go together with its last one; 0: none goes."""
    q = stored.request[w]
    if q < 0 or stored.block[w] != block:
        return 0
    if streams.touch[streams.requests[q, 4]] & WHOLE_STORE == 0:
        if stored.chain[w] >= stored.whole[w] or clock - stored.first_at[w] > PARTLY or (
                stored.lost[0] > LOST and backlog > STUCK):
            return 0
        if stored.chain[w] >= FEW and lines_out - stored.first_lines[w] - stored.own[w] > ROOM:
            return 0
        return PARTLY_LINES
    wide = 2 if four or clock <= stored.at[w] + BURST else 1
    if stored.until[w] > clock and lines_out - stored.lines[w] <= SINCE * wide:
        return LINES * wide
    return 0


most_lines = jit_into(FOLDER, _most_lines, counted=False)


def _note(stored: Any, streams: Any, w: int, q: int, block: int, clock: int, lines_out: int, lines: int, size: int,
          until: float, together: bool) -> None:
    """A warp has stored request ``q``, ``size`` bytes. ``together``: it may go with the one before, if that began in

    the same line.
    """
    last = stored.request[w]
    first = streams.sectors[streams.requests[q, 4]] >> 2
    begins = last < 0 or streams.sectors[streams.requests[last, 4]] >> 2 != first or stored.block[w] != block or (
        stored.chain[w] >= stored.whole[w])
    if begins:
        stored.first_at[w], stored.first_lines[w], stored.chain[w], stored.own[w] = clock, lines_out, 0, 0
        stored.whole[w] = (128 * lines + size - 1) // size
    stored.chain[w] += 1
    stored.own[w] += lines
    if streams.touch[streams.requests[q, 4]] & WHOLE_STORE == 0:
        stored.lost[0] += ((1.0 if begins or not together else 0.0) - stored.lost[0]) / 64.0
    stored.request[w], stored.block[w], stored.at[w], stored.lines[w] = q, block, clock, lines_out
    stored.until[w] = until


note = jit_into(FOLDER, _note, counted=False)
