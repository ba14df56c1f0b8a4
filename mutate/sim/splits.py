"""Splits of a warp: where they wait for each other, and when they go on."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.lanes_integer import popc
from mutate.sim.layout import (
    AT_BARRIER,
    AT_FAULT,
    AT_SYNC,
    AT_WARPSYNC,
    E_ORDER,
    E_RELEASE,
    FREE,
    KEPT,
    READY,
    UNIFORMS,
)
from mutate.sim.log import note_event

u32, i64 = np.uint32, np.int64
ROOM = 26
"""Places for splits from which on one that is used has them moved together."""
YIELDED = -1
"""What a split that could go on has in ``details`` between a YIELD and its next branch."""


@njit(**INNER)
def set_sync(sync, warp, barrier, mask):
    """BSSY: each lane keeps its own copy of a barrier's lanes, as splits of a warp use the same barrier at a time."""
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            sync[warp, 32 * barrier + lane] = mask


@njit(**INNER)
def leave_sync(sync, warp, barrier, mask):
    """BREAK: those that wait at a barrier wait for these lanes no more."""
    for lane in range(32):
        sync[warp, 32 * barrier + lane] &= ~mask


@njit(**INNER)
def waited_for(warp, split, sync, masks, details):
    """The lanes that a split at a convergence barrier waits for, itself among them."""
    wanted = u32(0)
    for lane in range(32):
        if masks[warp, split] >> u32(lane) & u32(1):
            wanted |= sync[warp, 32 * details[warp, split] + lane]
    return wanted


@njit(**INNER)
def complete_sync(warp, split, sync, alive, pcs, masks, states, details, head, control):
    """Whether a split that waits at a convergence barrier goes on: all lanes that it waits for and that still run are

    there. Those at the same instruction become one with it.
    """
    barrier = details[warp, split]
    wanted = waited_for(warp, split, sync, masks, details)
    arrived = masks[warp, split]
    for k in range(32):
        if states[warp, k] == AT_SYNC and details[warp, k] == barrier and masks[warp, k] & wanted:
            arrived |= masks[warp, k]
    if wanted & alive[warp] & ~arrived:
        return False
    note_event(head, control, pcs[warp, split], warp, E_ORDER, arrived, 0, 0)
    if alive[warp] & ~arrived:
        # Who comes later, after a YIELD, does not wait for those that have gone on.
        leave_sync(sync, warp, barrier, arrived)
    for k in range(32):
        if k != split and states[warp, k] == AT_SYNC and details[warp, k] == barrier and masks[warp, k] & wanted:
            if pcs[warp, k] == pcs[warp, split]:
                masks[warp, split] |= masks[warp, k]
                states[warp, k] = FREE
            else:
                pcs[warp, k] += 1
                states[warp, k] = READY
    pcs[warp, split] += 1
    states[warp, split] = READY
    return True


@njit(**INNER)
def complete_syncs(warp, sync, alive, pcs, masks, states, details, head, control):
    """Lets go on who waits at a convergence barrier for lanes that have left it or ended."""
    for k in range(32):
        if states[warp, k] == AT_SYNC:
            complete_sync(warp, k, sync, alive, pcs, masks, states, details, head, control)


@njit(**INNER)
def yield_syncs(warp, mask, sync, alive, pcs, masks, states, details, head, control):
    """YIELD by the lanes ``mask``: who waits for them at a convergence barrier waits no longer, for nobody."""
    for k in range(32):
        if states[warp, k] != AT_SYNC:
            continue
        if not waited_for(warp, k, sync, masks, details) & mask:
            continue
        note_event(head, control, pcs[warp, k], warp, E_ORDER, masks[warp, k], 0, 0)
        leave_sync(sync, warp, details[warp, k], masks[warp, k])
        pcs[warp, k] += 1
        states[warp, k] = READY
        details[warp, k] = 0
    complete_syncs(warp, sync, alive, pcs, masks, states, details, head, control)


@njit(**INNER)
def complete_warpsync(warp, alive, pcs, masks, states, details, head, control):
    """Releases the splits whose WARPSYNC mask is all there; those at the same instruction become one."""
    for k in range(32):
        if states[warp, k] != AT_WARPSYNC:
            continue
        wanted = u32(details[warp, k]) & alive[warp]
        arrived = u32(0)
        for j in range(32):
            if states[warp, j] == AT_WARPSYNC:
                arrived |= masks[warp, j]
        if wanted & ~arrived:
            continue
        note_event(head, control, pcs[warp, k], warp, E_ORDER, wanted, 0, 0)
        for j in range(32):
            if states[warp, j] == AT_WARPSYNC and (masks[warp, j] & wanted):
                if j != k and pcs[warp, j] == pcs[warp, k]:
                    masks[warp, k] |= masks[warp, j]
                    states[warp, j] = FREE
                elif j != k:
                    pcs[warp, j] += 1
                    states[warp, j] = READY
        pcs[warp, k] += 1
        states[warp, k] = READY


@njit(**INNER)
def complete_barriers(nwarps, alive, pcs, masks, states, details, targets, red, head, control):
    """Releases the barriers of the block at which enough threads have arrived."""
    running = 0
    for w in range(nwarps):
        running += i64(popc(alive[w]))
    for barrier in range(16):
        here = i64(targets[barrier, 1])
        for w in range(nwarps):
            for k in range(32):
                if states[w, k] == AT_BARRIER and details[w, k] == barrier:
                    here += i64(popc(masks[w, k]))
        if here == 0:
            continue
        need = i64(targets[barrier, 0])
        if need == 0:
            need = running
        if here < need:
            continue
        targets[barrier, 0] = targets[barrier, 1] = 0
        for k in range(4):
            red[1, k] = red[0, k]
        red[0, 0], red[0, 1], red[0, 2] = 0, 1, 0
        released = i64(0)
        for w in range(nwarps):
            first = -1
            for k in range(32):
                if states[w, k] == AT_BARRIER and details[w, k] == barrier:
                    if first >= 0 and pcs[w, first] == pcs[w, k] + 1:
                        masks[w, first] |= masks[w, k]
                        states[w, k] = FREE
                    else:
                        pcs[w, k] += 1
                        states[w, k] = READY
                        first = k
            if first >= 0:
                released |= i64(1) << i64(w)
        note_event(head, control, 0, 0, E_RELEASE, released, 0, barrier)


@njit(**INNER)
def new_split(warp, pc, mask, pcs, masks, states, stacked):
    """Lanes that are left aside: above all that were before, or at the first place that is free. -1: there is none."""
    at = 0
    for k in range(32):
        if states[warp, k] != FREE and (stacked or at == k):
            at = k + 1
    if at == 32:
        return -1
    pcs[warp, at], masks[warp, at], states[warp, at] = pc, mask, READY
    return at


@njit(**INNER)
def interrupt(warp, split, states, registers, predicates, kept, uniforms):
    """Keeps for a split that goes on later the uniform registers and predicates, which all splits of a warp share.

    The compiler knows where lanes wait for others, and what they may find changed there; it knows nothing of where the
    interpreter turns to others. ``uniforms`` is the first uniform register's element.
    """
    alone = True
    for k in range(32):
        if k != split and states[warp, k] != FREE:
            alone = False
    kept[warp, split, 0] = np.uint32(0) if alone else np.uint32(1)
    if alone:
        return
    for k in range(UNIFORMS):
        kept[warp, split, 1 + k] = registers[uniforms + 32 * k]
    for k in range(8):
        kept[warp, split, 1 + UNIFORMS + k] = predicates[warp, 8 + k]


@njit(**INNER)
def resume(warp, split, registers, predicates, kept, uniforms):
    """Puts back what ``interrupt`` has kept."""
    if kept[warp, split, 0] == 0:
        return
    kept[warp, split, 0] = np.uint32(0)
    for k in range(UNIFORMS):
        value = kept[warp, split, 1 + k]
        for lane in range(32):
            registers[uniforms + 32 * k + lane] = value
    for k in range(8):
        predicates[warp, 8 + k] = kept[warp, split, 1 + UNIFORMS + k]


@njit(**INNER)
def meet(warp, split, pc, mask, pcs, masks, states, details):
    """All lanes at ``pc``: ``mask``, of a split that has come there, and those of others that could go on there."""
    for k in range(32):
        if k != split and states[warp, k] == READY and pcs[warp, k] == pc:
            mask |= masks[warp, k]
            states[warp, k] = FREE
            details[warp, k] = 0
    return mask


@njit(**INNER)
def lacks_pages(warp, states):
    """Whether a split of the warp waits for pages of memory: then none of the warp goes on, as if they were there."""
    for k in range(32):
        if states[warp, k] == AT_FAULT:
            return True
    return False


@njit(**INNER)
def others_ready(warp, split, states):
    """Whether another split of the warp could go on."""
    for k in range(32):
        if k != split and states[warp, k] == READY:
            return True
    return False


@njit(**INNER)
def exchange(warp, one, other, pcs, masks, states, details, kept):
    """Two splits of a warp change places."""
    details[warp, one], details[warp, other] = details[warp, other], details[warp, one]
    states[warp, one], states[warp, other] = states[warp, other], states[warp, one]
    pcs[warp, one], pcs[warp, other] = pcs[warp, other], pcs[warp, one]
    masks[warp, one], masks[warp, other] = masks[warp, other], masks[warp, one]
    for k in range(KEPT):
        kept[warp, one, k], kept[warp, other, k] = kept[warp, other, k], kept[warp, one, k]


@njit(**INNER)
def move(warp, split, up, pcs, masks, states, details, kept):
    """Puts a split above all others that could go on, or below them; these keep their order."""
    for j in range(32):
        k = j if up else 31 - j
        if (k > split if up else k < split) and states[warp, k] == READY:
            exchange(warp, split, k, pcs, masks, states, details, kept)
            split = k


@njit(**INNER)
def hold(warp, split, pcs, masks, states, details, registers, predicates, kept, uniforms, stacked):
    """As ``interrupt``, where the split is the next of its warp to go on."""
    interrupt(warp, split, states, registers, predicates, kept, uniforms)
    move(warp, split, stacked, pcs, masks, states, details, kept)


@njit(**INNER)
def next_split(warp, pcs, masks, states, details, kept, stacked):
    """Which split of a warp goes on. None (-1) while one waits for pages of memory, as if those were there.

    Of those that could it is the one that was left aside last, as on an H100 (reference/h100_who_next.json of
    tests/machines); but where lanes yield (not ``stacked``) they take turns in the order of their places.
    """
    if lacks_pages(warp, states):
        return -1
    current = top = -1
    for k in range(32):
        if states[warp, k] == READY and (stacked or current < 0):
            current = k
        if states[warp, k] != FREE:
            top = k
    if stacked and top >= ROOM:
        # Each branch leaves more lanes aside than go on, so until another split's turn there are five at most.
        to = 0
        for k in range(32):
            if states[warp, k] != FREE:
                if k != to:
                    exchange(warp, k, to, pcs, masks, states, details, kept)
                current = to if k == current else current
                to += 1
    return current
