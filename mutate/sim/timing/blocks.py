"""The blocks that are resident on the SM: how one begins, and what barriers hold up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.scoreboard import LONG, SHORT
from mutate.sim.timing.scoreboard import held as held_until
from mutate.sim.timing.settings import (
    B_DRAM,
    B_L2,
    B_L2_WRITE,
    B_WARPS,
    R_BARRIER,
    R_LONG,
    R_SHORT,
    R_WAIT,
    S_LAUNCH,
    S_PLACES,
    S_RESTART,
)
from mutate.sim.timing.slots import room_for

NEVER = np.int64(1) << 60
BARRIERS = 16
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Warps(NamedTuple):
    """Of each warp: ``at`` and ``end`` of its records, the number of its block (``instance``) and the clock at which it

    began (``born``); when it may issue next (``nxt``) and could first have issued (``due``: of those that wait for a
    unit, the first goes first), the barrier that it has come to (``at_barrier``; -1: none), since when it has nothing
    to do there (``issued_at``) and until when the last one kept it (``kept``), and the clocks since ``nxt`` that its
    scheduler was taken (``taken``). A warp's number is that of its place: ``block``, the place of its block (-1: nobody
    is there), and ``gone``, from when on another may have it.
    """

    at: Ints
    end: Ints
    instance: Ints
    born: Ints
    nxt: Ints
    due: Ints
    issued_at: Ints
    at_barrier: Ints
    taken: Ints
    kept: Ints
    block: Ints
    gone: Ints


class Boards(NamedTuple):
    """What warps wait for. ``until`` (warps, 6): when each scoreboard is clear, ``far`` whether of global or local

    memory, ``ring`` (warps, 6, 8) the last times of which ``ring_n`` counts, ``copies`` when the asynchronous copies
    are there; ``registers`` and their ``sources`` where the hardware tracks them (``scoreboard``).
    """

    until: Floats
    far: Ints
    ring: Floats
    ring_n: Ints
    copies: Floats
    registers: Floats
    sources: Ints


class Blocks(NamedTuple):
    """Of each place for a block: the block's number (-1: none), its warps that have not ended, and those that have

    arrived at each barrier; whether it has asked for shared memory since its last one; its warps (``slots``).
    ``first``: the scheduler of the next block's first warp.
    """

    number: Ints
    left: Ints
    arrived: Ints
    shared: Ints
    slots: Ints
    first: Ints


def _begin(b, number, when, starts, tracked, warps, boards, blocks, sched_next):
    """Puts block ``number`` into place ``b`` and its slots; its warps may issue from the clock ``when`` on."""
    source = number % starts.shape[0]
    each = starts.shape[1] - 1
    clock = np.int64(when)
    blocks.number[b] = number
    blocks.shared[b] = 0
    for i in range(each):
        w = blocks.slots[b, i]
        warps.block[w] = b
        warps.at[w], warps.end[w] = starts[source, i], starts[source, i + 1]
        warps.instance[w] = number
        warps.born[w] = clock
        warps.kept[w] = 0
        boards.copies[w] = 0.0
        for j in range(6):
            boards.until[w, j] = 0.0
            boards.ring_n[w, j] = 0
        if tracked:
            boards.registers[w, :] = 0.0
        if warps.at[w] < warps.end[w]:
            blocks.left[b] += 1
            warps.nxt[w] = clock
            warps.due[w] = clock
            sched = w % len(sched_next)
            sched_next[sched] = min(sched_next[sched], clock)


begin = jit_into(FOLDER, _begin, counted=False)


def _begin_more(b, clock, launched, most, when, starts, tracked, warps, boards, blocks, sched_next, settings):
    """Begins blocks when one has left the place ``b``, up to ``most`` of all, as far as there is room for them.

    Returns how many have begun, and when the next may.
    """
    released = settings[S_PLACES] > 0.0
    while launched < most:
        at = max(float(clock) + settings[S_RESTART], when)
        place = room_for(b, launched, np.int64(at), released, not tracked, len(sched_next), warps, blocks)
        if place < 0:
            break
        when = at
        begin(place, launched, when, starts, tracked, warps, boards, blocks, sched_next)
        when += settings[S_LAUNCH]
        launched += 1
        if not released:
            break
    return launched, when


begin_more = jit_into(FOLDER, _begin_more, counted=False)


def _pass_barriers(b, clock, go, keep, table, needs, tracked, pcs, warps, boards, blocks, sched_next, stalls):
    """Lets the warps of a block go on at the clock ``go`` that wait at barriers which are complete; returns how many

    barriers. ``keep``: a barrier at which none waits keeps those that have arrived.
    """
    passed = 0
    for bar in range(BARRIERS):
        if blocks.arrived[b, bar] >= blocks.left[b] and blocks.arrived[b, bar] > 0:
            waiting = False
            for v in blocks.slots[b]:
                if warps.block[v] == b and warps.at_barrier[v] == bar:
                    waiting = True
                    warps.at_barrier[v] = -1
                    warps.kept[v] = go
                    if warps.nxt[v] < NEVER:
                        # It has come to nothing yet that has to wait.
                        continue
                    following = pcs[warps.at[v]]
                    until = max(warps.issued_at[v], go)
                    stalls[following, R_BARRIER] += until - warps.issued_at[v]
                    go_on, source = held_until(table, needs, boards.until, boards.far, boards.registers, boards.sources,
                                               tracked, v, following, until)
                    reason = R_LONG if source == LONG else R_SHORT if source == SHORT else R_WAIT
                    stalls[following, reason] += go_on - until
                    warps.nxt[v] = go_on
                    warps.due[v] = go_on
                    sched = v % len(sched_next)
                    sched_next[sched] = min(sched_next[sched], max(go_on, clock + 1))
            passed += waiting
            if waiting or not keep:
                blocks.arrived[b, bar] = 0
    return passed


pass_barriers = jit_into(FOLDER, _pass_barriers, counted=False)


def _let_go(clock, pcs, warps, blocks, sched_next, stalls):
    """Ends all barriers, where all warps wait at some of which warps' ends are not in the stream as expected; whether

    one waited.
    """
    found = False
    for w in range(len(warps.at)):
        if warps.at_barrier[w] >= 0:
            found = True
            warps.at_barrier[w] = -1
            warps.nxt[w] = max(clock, warps.issued_at[w])
            stalls[pcs[warps.at[w]], R_BARRIER] += warps.nxt[w] - warps.issued_at[w]
            sched_next[w % len(sched_next)] = clock
    blocks.arrived[:] = 0
    return found


let_go = jit_into(FOLDER, _let_go, counted=False)


def _left_over(warps, busy, state, clock, cut):
    """Counts the clocks of warps that the play ends before: they have reasons until they could issue next, or came to

    their barrier. ``state``: of ``servers``; ``cut``: blocks are left, and what L2 and DRAM have taken on and not done.
    """
    for w in range(len(warps.at)):
        if warps.block[w] >= 0 and warps.at[w] < warps.end[w]:
            busy[B_WARPS] += (warps.issued_at[w] if warps.nxt[w] == NEVER else warps.nxt[w]) - warps.born[w]
    if cut:
        busy[B_L2] -= max(0.0, state[0] - clock)
        busy[B_L2_WRITE] -= max(0.0, state[1] - clock)
        busy[B_DRAM] -= max(0.0, state[2] - clock)


left_over = jit_into(FOLDER, _left_over, counted=False)
