"""Which stores of a warp go to L2 together with the one before: what comes while that waits, to lines that both have.

What writes whole sectors waits a little while (`SOON`), or while others of the SM are before it; what writes parts of
them goes with what comes right behind it (`PARTLY`), unless others of its scheduler come between (`BESIDE`), the SM has
too much of that (`ROOM`), or what it stores is stuck (`STUCK`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.lines import lines_of
from mutate.sim.timing.servers import mix
from mutate.sim.timing.touches import WHOLE_STORE

LINES, SINCE, SOON = 4, 16, 40
"""Lines of a store that waits for what its warp stores next, to go to L2 with it, and until how many lines that the SM

stores, and how many clocks; twice as many lines of 16 bytes a lane, or in a burst. By ncu's sectors of
tests/machines/stores.cu (summed_in_place: eight warps' stores of one line go together, of eight lines do not; 32 warps'
in part; paced_stores: 69 clocks apart none does).
"""
BURST = 4
"""Clocks from one store of a burst to the next: one warp's stores of eight lines go together (summed_in_place)."""
PARTLY, HELD_UP = 8, 300
"""Clocks from when what writes parts of sectors has gone to L2 until the rest has to be ready to go with it; how long

the queue may hold that up. By ncu's sectors of tests/machines/joins.cu: a multiply-add and a branch between one warp's
stores, some 15 clocks, and none go together (`spaced<*, *, 1>`), but where the SM's stores wait for each other those of
four warps do. HELD_UP is fitted to merges.cu.
"""
AT_ONCE, BESIDE, BESIDE_ONE = 8, 8, 2
"""Clocks from one store to the next from which on others of the scheduler come between, and how many lines they may

store then, beside stores of several lines and of one (`spaced` of joins.cu: of 16 warps, four of a scheduler, stores of
four lines and of one go alone, of two half of them go together). AT_ONCE is a guess: without it `lane_runs` of runs.cu
is up to 12 % too slow.
"""
PARTLY_LINES, SOME_LINES = 8, 12.0
"""The most lines of a store in part that goes with the one before; while nothing is before them those of more lines may

go together, too, by a chance of ``SOME_LINES`` in their lines (records of
tests/machines/structs.cu: by ncu on an H100 of 3 to 12 stores of nine or twelve lines about two fifths of those that
follow go with the first, of sixteen a fifth, where loads make way; hardly any where warps do nothing but store. What
``FEW`` and the SM's stores leave of this is fitted to that, so the number means nothing by itself; `jittered<int, 9>`
of joins.cu, which goes together on the GPU, does not here).
"""
FEW, ROOM = 5, 12
"""Stores that go together in any case; more of them only if other warps store no more lines meanwhile."""
LOST, STUCK = 0.4, 200.0
"""The part of stores that could go with the one before and do not, from which on none waits any more, while the SM has

so many clocks of stores before it: what goes alone takes L2 several times as long, so it stays like that.

By ncu's sectors of tests/machines/bursts.cu (h100_bursts_sectors.csv), of warps that begin together: six stores of each
of four warps go together, of eight none; 16 of each of two warps; of one warp that stores runs by turns 24, of 32 none.
So where some 28 stores come before any has left all of them go alone, the first ones, too, if they are of more than two
lines; why is not known. Here the first ones of each warp go together. Of warps that work between stores as many as nine
go together (`jittered` of joins.cu), of 64 warps that do nothing but store hardly any of four (merges.cu). These
numbers are what fits best of some that were tried, with `near_stores`, `stride_stores`, and group_stores of
tests/machines/parts.cu.
"""
PLACES, BETWEEN, STILL_THERE = 2, 2, 0.2
"""Stores of a warp with nothing in common that wait at the same time, how many lines the warp may store before it comes

back to one, and how likely that still waits after more (tests/machines/apart.cu: of runs by turns those go together of
which two have two lines each; of four lines, wherever they lie and whatever time is between, or four of two lines a
fifth, 3 to 25 % by what else is stored; of 2 bytes a lane hardly any; right behind each other those of four lines do,
too, in bursts.cu). What is in the same lines does not come between: for that ggml's `dequantize_block_q4_K` alone
speaks, no microbenchmark has it.
"""
_ALL, _WORD = 64, 4
"""More lines than a store has, and bytes."""
Ints = npt.NDArray[np.int64]


class Combining(NamedTuple):
    """The last stores of each warp, ``PLACES`` of them that have nothing in common: the request (-1: none), its

    block, its clock, the lines that the SM had stored, until when it waits. Of the first one that it goes together
    with: the lines of the SM before it, how many there are, how many lines the warp has stored since, and
    how many make whole sectors. ``since``: lines that the warp has stored since the last of them, ``left``: when that
    has gone to L2. ``lost``: the part of stores that go alone and might not. ``by_scheduler``: lines that the warps of
    each scheduler have stored, ``seen``: as many of them as there were or the warp has stored since. ``steps``: those
    of the SM's stores (``rewritten``), ``at_step``: as many as there were, ``read``: whether the warp has loaded from
    its lines since.
    """

    request: Ints
    block: Ints
    at: Ints
    lines: Ints
    until: npt.NDArray[np.float64]
    first_lines: Ints
    chain: Ints
    own: Ints
    since: Ints
    whole: Ints
    lost: npt.NDArray[np.float64]
    left: npt.NDArray[np.float64]
    by_scheduler: Ints
    seen: Ints
    steps: Ints
    at_step: Ints
    read: Ints


def empty_combining(warps: int, schedulers: int) -> Combining:
    count = PLACES * warps
    none = np.zeros((11, count), np.int64)
    return Combining(np.full(count, -1, np.int64), none[0], none[1], none[2], np.zeros(count, np.float64), none[3],
                     none[4], none[5], none[6], none[7], np.zeros(1), np.zeros(count),
                     np.zeros(schedulers, np.int64), none[8], np.zeros(1, np.int64), none[9], none[10])


def _holds(streams: Any, q: int, sector: int) -> bool:
    """Whether a request has this sector."""
    first = streams.requests[q, 4]
    for i in range(first, first + streams.requests[q, 5]):
        if streams.sectors[i] >= sector:
            return bool(streams.sectors[i] == sector)
    return False


holds = jit_into(FOLDER, _holds, counted=False)


def _in_line(streams: Any, q: int, sector: int) -> bool:
    """Whether a request has a sector of this one's line."""
    first = streams.requests[q, 4]
    for i in range(first, first + streams.requests[q, 5]):
        if streams.sectors[i] >> 2 >= sector >> 2:
            return bool(streams.sectors[i] >> 2 == sector >> 2)
    return False


in_line = jit_into(FOLDER, _in_line, counted=False)


def _before(stored: Any, streams: Any, w: int, q: int, block: int) -> int:
    """The place of the store that request ``q`` may go with: the warp's that has its first sector, else its last."""
    sector, latest = streams.sectors[streams.requests[q, 4]], w * PLACES
    for k in range(w * PLACES, w * PLACES + PLACES):
        if stored.request[k] >= 0 and stored.block[k] == block and holds(streams, stored.request[k], sector):
            return k
        if stored.at[k] > stored.at[latest]:
            latest = k
    return latest


before = jit_into(FOLDER, _before, counted=False)


def _most_lines(stored: Any, streams: Any, at: int, block: int, due: int, clock: int, lines_out: int, four: bool,
                backlog: float) -> int:
    """Of how many lines a store, ready when it was ``due``, may be to go with the one at ``at``; 0: none goes."""
    q = stored.request[at]
    if q < 0 or stored.block[at] != block:
        return 0
    if streams.touch[streams.requests[q, 4]] & WHOLE_STORE == 0:
        if stored.chain[at] >= stored.whole[at] or (stored.lost[0] > LOST and backlog > STUCK):
            return 0
        if due - stored.left[at] > PARTLY or clock - stored.at[at] > HELD_UP:
            return 0
        first = streams.requests[q, 4]
        lines = lines_of(streams.sectors, first, streams.requests[q, 5])
        others = stored.by_scheduler[at // PLACES % len(stored.by_scheduler)] - stored.seen[at]
        if due - stored.at[at] > AT_ONCE and others > (BESIDE if lines > 1 else BESIDE_ONE):
            return 0
        if stored.since[at] > BETWEEN and mix(streams.sectors[first] + stored.chain[at], 12) > STILL_THERE:
            return 0
        if stored.chain[at] >= FEW and lines_out - stored.first_lines[at] - stored.own[at] > ROOM:
            return 0
        if lines > PARTLY_LINES and (
                backlog > STUCK or mix(streams.sectors[first] + stored.chain[at], 11) * lines > SOME_LINES):
            return 0
        return _ALL
    wide = 2 if four or clock <= stored.at[at] + BURST else 1
    if stored.until[at] > clock and lines_out - stored.lines[at] <= SINCE * wide:
        return LINES * wide
    return 0


most_lines = jit_into(FOLDER, _most_lines, counted=False)


def _note(stored: Any, streams: Any, at: int, q: int, block: int, clock: int, lines_out: int, lines: int, lanes: int,
          width: int, start: float, left: float, together: bool, step: int) -> None:
    """Request ``q``, of so many ``lanes``, ``width`` bytes each, in so many ``lines``, was stored after that at ``at``.

    ``together``: it goes with that, if that has its first sector; else it takes the place of the warp's oldest one.
    ``start`` and ``left``: when L1 turned to it, and when it goes to L2. ``step``: as ``at_step``.
    """
    scheduler = at // PLACES % len(stored.by_scheduler)
    size = lanes * width
    last = stored.request[at]
    same = last >= 0 and stored.block[at] == block and holds(streams, last, streams.sectors[streams.requests[q, 4]])
    if not same:
        first = at // PLACES * PLACES
        for k in range(first, first + PLACES):
            if stored.at[k] < stored.at[at]:
                at = k
    begins = not same or stored.chain[at] >= stored.whole[at] or (stored.since[at] > BETWEEN and not together)
    if begins:
        stored.first_lines[at], stored.chain[at], stored.own[at] = lines_out, 0, 0
        stored.whole[at] = (32 * streams.requests[q, 5] + size - 1) // max(1, size)
    stored.chain[at] += 1
    stored.by_scheduler[scheduler] += lines
    # What the warp itself stores meanwhile is not others'.
    for k in range(at // PLACES * PLACES, at // PLACES * PLACES + PLACES):
        stored.own[k] += lines
        stored.seen[k] += lines
        if stored.request[k] >= 0 and not in_line(streams, stored.request[k], streams.sectors[streams.requests[q, 4]]):
            stored.since[k] += lines if width >= _WORD else BETWEEN + 1
    if not begins and lines <= PARTLY_LINES and streams.touch[streams.requests[q, 4]] & WHOLE_STORE == 0:
        stored.lost[0] += ((0.0 if together else 1.0) - stored.lost[0]) / 64.0
    stored.request[at], stored.block[at], stored.at[at], stored.lines[at] = q, block, clock, lines_out
    stored.until[at], stored.since[at], stored.left[at] = max(left, start + SOON), 0, left
    stored.seen[at] = stored.by_scheduler[scheduler]
    stored.at_step[at], stored.read[at] = step, 0


note = jit_into(FOLDER, _note, counted=False)
