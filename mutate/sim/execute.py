"""The warp interpreter: runs a block's warps over decoded instructions, exactly, and counts.

A warp is a set of splits: lanes that share a program counter. A split runs until it waits (at BSYNC, WARPSYNC, a
barrier of the block, for memory that has not been filled yet), ends, or its turn is over. All state lives in arrays, so
``execute`` may return to Python at any instruction and be called again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mutate.sim.across import across_lanes, constant_cost
from mutate.sim.coalesce import CAST_SPIN
from mutate.sim.code import code_folder
from mutate.sim.intrinsics import stack_i64, stack_u32, stack_u64
from mutate.sim.jit import jit_into
from mutate.sim.lanes_integer import popc
from mutate.sim.layout import *
from mutate.sim.log import note_event
from mutate.sim.memory import memory
from mutate.sim.operations import FIRST, convert, double, half, integer, single
from mutate.sim.registers import apply_modifier, commit, compare, first_lane, put_predicate, same_value
from mutate.sim.shuffle import different_keys
from mutate.sim.splits import (
    ROOM,
    YIELDED,
    complete_barriers,
    complete_sync,
    complete_syncs,
    complete_warpsync,
    hold,
    interrupt,
    lacks_pages,
    leave_sync,
    meet,
    move,
    new_split,
    next_split,
    others_ready,
    resume,
    set_sync,
    yield_syncs,
)
from mutate.sim.system import system_call
from mutate.sim.texels import fetch

u8, u32, u64, i32, i64 = np.uint8, np.uint32, np.uint64, np.int32, np.int64
ALL = np.uint32(0xFFFFFFFF)
_SINGLE, _DOUBLE, _HALF, _CONVERT = FIRST["single"], FIRST["double"], FIRST["half"], FIRST["convert"]


def _execute(code, registers, predicates, layout, pcs, masks, states, details, kept, sync, alive, targets_of,
            red_of, table, limits, pages, origin, shared_of, local, constants, constant_starts, objects, wanted,
            counters, spent, hashes, trace, log_head, log_where, control, error):
    """Runs a block until it is done or something is wanted of the caller; returns a status of ``layout``.

    ``layout``: elements of the pool, of a warp's rows, warps of a block, quantum, first byte of shared memory, its
    bytes, local bytes a thread, first elements of the scratch rows and of the uniform registers, slots, whether they
    take turns. ``control``: instructions left, wanted pages, trace records, warp to begin with, instructions at the
    start, pages used of the pool, records of the log, what an instruction's predicate becomes, whether requests of
    memory are counted. ``spent``: by each warp.

    Blocks are in slots: theirs are rows of ``..._of``, and as many warps each of all else.
    Those that take turns: from the slot to begin with to the last one each warp goes on until it has asked for global
    memory once (or its quantum is over), as on a GPU all wait about as long for that. Then it is ``TURN_OVER``; of the
    blocks that have ended nothing is alive.
    """
    pool, rows, nwarps, quantum = layout[0], layout[1], layout[2], layout[3]
    last_slot, by_turns = layout[9], layout[10] != 0
    shared_base, shared_size, local_size, scratch = layout[4], layout[5], layout[6], layout[7]
    uniform = layout[8]
    tracing = trace.shape[0] > 1
    log_rows = max(0, log_head.shape[0] - LOG_ROOM)
    d0, d1, m6 = stack_u32(32), stack_u32(32), stack_u32(8)
    addresses, sectors = stack_u64(32), stack_u64(160)
    offsets, copied = stack_i64(32), stack_i64(32)
    d0[:], d1[:], m6[:] = 0, 0, 0
    addresses[:], sectors[:], offsets[:], copied[:] = 0, 0, 0, 0
    # Where lanes swap what others may have changed since they loaded it, who goes on next counts. Where none yields to
    # others the splits of a warp are ``stacked`` (``splits.next_split``).
    stacked, spins = True, False
    for k in range(code.shape[0]):
        stacked, spins = stacked & (code[k, OP] != YIELD), spins | (code[k, SHARED_KIND] == CAST_SPIN)
    budget = control[0]
    w = control[3]
    own = w - w % nwarps
    targets, red, shared = targets_of[own // nwarps], red_of[own // nwarps], shared_of[own // nwarps]
    moved = False
    idle = 0
    while True:
        if w == own + nwarps:
            w = own
            if by_turns and moved:
                own += nwarps
                if own == last_slot * nwarps:
                    control[0] = budget
                    return TURN_OVER
                w, idle, moved = own, 0, False
                slot = own // nwarps
                targets, red, shared = targets_of[slot], red_of[slot], shared_of[slot]
        # --- the next warp with a split that can run ---
        current = next_split(w, pcs, masks, states, details, kept, stacked)
        if current < 0:
            idle += 1
            w += 1
            if idle > nwarps:
                end = own + nwarps
                complete_barriers(nwarps, alive[own:end], pcs[own:end], masks[own:end], states[own:end],
                                  details[own:end], targets, red, log_head, control)
                ready, faults, left = False, False, False
                for v in range(own, end):
                    if alive[v]:
                        left = True
                    waits = lacks_pages(v, states)
                    faults |= waits
                    for k in range(32):
                        ready |= states[v, k] == READY and not waits
                if ready:
                    idle = 0
                    if by_turns:
                        w = own
                    continue
                if by_turns and (faults or not left):
                    w, moved = end, True
                    continue
                control[0], control[3] = budget, own if w == end else w
                if faults:
                    return NEED_PAGES
                return DEADLOCK if left else DONE
            continue
        moved = True
        idle = 0
        base = i64(pool) + i64(w) * i64(rows)
        pc = i64(pcs[w, current])
        mask = masks[w, current]
        resume(w, current, registers, predicates, kept, base + uniform)
        turn = quantum - spent[w] % quantum if by_turns else quantum
        asked = False
        running = True
        yielded = details[w, current] == YIELDED
        details[w, current] = 0
        while running:
            if turn == 0:
                pcs[w, current], masks[w, current] = pc, mask
                interrupt(w, current, states, registers, predicates, kept, base + uniform)
                details[w, current] = YIELDED if yielded else 0
                # another split of the same warp may be what this one spins for
                move(w, current, not stacked, pcs, masks, states, details, kept)
                break
            if budget <= 0:
                pcs[w, current], masks[w, current] = pc, mask
                control[0], control[3] = 0, w
                error[1], error[3] = w, pc
                return OUT_OF_BUDGET
            if control[6] > log_rows:
                pcs[w, current], masks[w, current] = pc, mask
                hold(w, current, pcs, masks, states, details, registers, predicates, kept, base + uniform, stacked)
                control[0], control[3] = budget, w
                return LOG_FULL
            if tracing and control[2] + LANES >= trace.shape[0]:
                pcs[w, current], masks[w, current] = pc, mask
                hold(w, current, pcs, masks, states, details, registers, predicates, kept, base + uniform, stacked)
                control[0], control[3] = budget, w
                return TRACE_FULL
            turn -= 1
            row = code[pc]
            at_pc = pc
            op = row[OP]
            guard = mask & (predicates[w, row[GUARD]] ^ u32(row[GUARD_NOT]))
            counters[pc, EXECUTED] += 1
            spent[w] += 1
            counters[pc, THREADS] += i64(popc(mask))
            counters[pc, THREADS_ON] += i64(popc(guard))
            budget -= 1
            flags = row[FLAGS]
            if op < BASE:
                if guard != 0:
                    ia = i64(row[A]) + (base & i64(row[A_REL]))
                    ib = i64(row[B]) + (base & i64(row[B_REL]))
                    ic = i64(row[C]) + (base & i64(row[C_REL]))
                    if row[A_MOD]:
                        apply_modifier(registers, ia, row[A_MOD], base + scratch)
                        ia = base + scratch
                    if row[B_MOD]:
                        apply_modifier(registers, ib, row[B_MOD], base + scratch + 64)
                        ib = base + scratch + 64
                    if row[C_MOD]:
                        apply_modifier(registers, ic, row[C_MOD], base + scratch + 128)
                        ic = base + scratch + 128
                    p = predicates[w, row[PS]] ^ u32(row[PS_NOT])
                    q = predicates[w, row[QS]] ^ u32(row[QS_NOT])
                    m = i64(row[M])
                    if op < _SINGLE:
                        integer(op, m, registers, ia, ib, ic, p, q, d0, d1, m6)
                    elif op < _DOUBLE:
                        single(op, m, registers, ia, ib, ic, p, q, d0, d1, m6)
                    elif op < _HALF:
                        double(op, m, registers, ia, ib, ic, p, q, d0, d1, m6)
                    elif op < _CONVERT:
                        half(op, m, registers, ia, ib, ic, p, q, d0, d1, m6)
                    else:
                        convert(op, m, registers, ia, ib, ic, p, q, d0, d1, m6)
                    on = ALL if flags & UNIFORM else guard
                    kind = row[PK]
                    if kind != PK_NONE:
                        first, second = u32(0), u32(0)
                        if kind == PK_COMPARE or kind == PK_SET:
                            first, second = compare(m6, row[TABLE], q, p, row[Y])
                        elif kind == PK_CARRY:
                            for lane in range(32):
                                first |= u32(d1[lane] >= 1) << u32(lane)
                                second |= u32(d1[lane] >= 2) << u32(lane)
                        elif kind == PK_HALVES:
                            first, second = compare(m6, row[TABLE], q, p, row[Y])
                            m6[1], m6[2], m6[3] = m6[4], m6[5], m6[6]
                            other, unused = compare(m6, row[TABLE], q, p, row[Y])
                            if row[X] == 1:
                                first &= other
                                second = ~first
                            else:
                                second = other
                        else:
                            first = m6[1] | p if row[TABLE] == 0 else (m6[1] & p if row[TABLE] == 1 else m6[1])
                            second = m6[2]
                        if kind == PK_SET:
                            for lane in range(32):
                                d0[lane] = u32(row[X]) if first >> u32(lane) & u32(1) else u32(0)
                        elif kind == PK_HALVES and not flags & NO_DST:
                            one = u32(row[X])
                            for lane in range(32):
                                d0[lane] = ((one if first >> u32(lane) & u32(1) else u32(0))
                                            | (one if second >> u32(lane) & u32(1) else u32(0)) << u32(16))
                        put_predicate(predicates, w, row[PD], first, on)
                        put_predicate(predicates, w, row[PD2], second, on)
                    if not flags & NO_DST:
                        at = base + i64(row[DST])
                        commit(registers, at, d0, on)
                        if flags & WIDE:
                            commit(registers, at + 32, d1, on)
                if tracing:
                    at = control[2]
                    trace[at, 0], trace[at, 1], trace[at, 2], trace[at, 3] = w, pc, i64(guard), 0
                    control[2] = at + 1
                pc += 1
                continue

            cost = i64(0)
            # --- memory ---
            if op >= GLOBAL_ACCESS:
                if guard != 0:
                    condition = predicates[w, row[PS]] ^ u32(row[PS_NOT])
                    if op == TEXTURE_FETCH:
                        status, cost = fetch(row, pc, guard, base, registers, objects, table, limits, pages, origin,
                                             wanted, control, counters, hashes, addresses, offsets, error)
                    else:
                        status, cost = memory(op, row, w, pc, guard, base, registers, condition, objects, table,
                                              limits, pages, origin, shared, local, shared_base, shared_size,
                                              local_size, wanted, control, counters, hashes, addresses, offsets,
                                              copied, sectors, d0, d1, log_head, log_where, error)
                    if status == NEED_PAGES:
                        counters[pc, EXECUTED] -= 1
                        counters[pc, THREADS] -= i64(popc(mask))
                        counters[pc, THREADS_ON] -= i64(popc(guard))
                        budget += 1
                        spent[w] -= 1
                        pcs[w, current], masks[w, current] = pc, mask
                        states[w, current] = AT_FAULT
                        hold(w, current, pcs, masks, states, details, registers, predicates, kept, base + uniform,
                             stacked)
                        break
                    if status == FAILED:
                        pcs[w, current], masks[w, current] = pc, mask
                        control[0], control[3] = budget, w
                        error[1], error[3] = w, pc
                        return FAILED
                    put_predicate(predicates, w, row[PD], u32(control[7]), guard)
                    asked = (spins and op == SHARED_ACCESS and row[ACTION] == LOAD) or (by_turns and
                        row[ACTION] != STORE and not row[FLAGS] & NO_DST and op in (GLOBAL_ACCESS, GENERIC_ACCESS))
                pc += 1
            elif op == NOP:
                pc += 1
            elif op == BRA or op == BRA_DIV or op == BRA_CONV:
                taken = guard & (predicates[w, row[PS]] ^ u32(row[PS_NOT]))
                if op != BRA:
                    want = registers[i64(row[A]) + (base & i64(row[A_REL]))]
                    if row[A_MOD]:
                        want = ~want
                    if op == BRA_CONV:
                        if (alive[w] & want) & ~mask:
                            taken = u32(0)
                    else:
                        # All lanes go unless those of the guard are all that are wanted: R2UR and LOP3 leave out those
                        # whose mask is another.
                        taken = u32(0) if (want & alive[w]) == (guard & want) else mask
                elif row[Y] == 2:
                    taken = mask if taken else u32(0)  # BRA.U.ANY
                elif row[Y] and taken != mask:
                    taken = u32(0)  # BRA.U: all of the split or none
                counters[pc, TAKEN] += i64(taken != 0)
                others = yielded and others_ready(w, current, states)
                if taken == mask:
                    pc = i64(row[X])
                elif taken == 0:
                    pc += 1
                else:
                    counters[pc, DIVERGENT] += 1
                    note_event(log_head, control, pc, w, E_ORDER, mask, 0, 0)
                    # The fewer lanes go on first (reference/h100_who_next.json).
                    rest, aside, goal = mask & ~taken, i64(row[X]), pc + 1
                    if stacked and popc(taken) < popc(rest):
                        taken, rest, aside, goal = rest, taken, goal, aside
                    if new_split(w, aside, taken, pcs, masks, states, stacked) < 0:
                        error[0], error[1], error[3] = E_SPLITS, w, pc
                        return FAILED
                    pc, mask = goal, rest
                if yielded:
                    yielded = False
                    mask = meet(w, current, pc, mask, pcs, masks, states, details)
                    if others:
                        turn = 0
            elif op == BSSY:
                set_sync(sync, w, row[X], guard)
                pc += 1
            elif op == BSYNC:
                if guard == 0:
                    pc += 1
                else:
                    if guard != mask:
                        rest = mask & ~guard
                        note_event(log_head, control, pc, w, E_ORDER, mask, 0, 0)
                        new_split(w, pc + 1, rest, pcs, masks, states, stacked)
                        mask = guard
                    pcs[w, current], masks[w, current] = pc, mask
                    states[w, current], details[w, current] = AT_SYNC, row[X]
                    running = complete_sync(w, current, sync, alive, pcs, masks, states, details, log_head, control)
                    if running and not stacked:
                        complete_syncs(w, sync, alive, pcs, masks, states, details, log_head, control)
                    pc, mask = i64(pcs[w, current]), masks[w, current]
                    if running and stacked and current >= ROOM:
                        # So high up there is no room for more above it.
                        hold(w, current, pcs, masks, states, details, registers, predicates, kept, base + uniform,
                             stacked)
                        running = False
            elif op == BREAK:
                gone = guard & (predicates[w, row[PS]] ^ u32(row[PS_NOT]))
                pc += 1
                if gone:
                    leave_sync(sync, w, row[X], gone)
                    complete_syncs(w, sync, alive, pcs, masks, states, details, log_head, control)
            elif op == EXIT:
                gone = guard & (predicates[w, row[PS]] ^ u32(row[PS_NOT]))
                alive[w] &= ~gone
                mask &= ~gone
                if mask == 0:
                    states[w, current] = FREE
                    running = False
                pc += 1
                if gone:
                    complete_syncs(w, sync, alive, pcs, masks, states, details, log_head, control)
                    complete_warpsync(w, alive, pcs, masks, states, details, log_head, control)
                    if alive[w] == 0:
                        note_event(log_head, control, pc, w, E_EXIT, 0, 0, 0)
            elif (op == CALL or op == RET or op == BRX or op == SYSTEM_CALL) and guard == 0:
                pc += 1
            elif op == CALL or op == RET or op == BRX:
                if guard != mask:
                    note_event(log_head, control, pc, w, E_ORDER, mask, 0, 0)
                    new_split(w, pc + 1, mask & ~guard, pcs, masks, states, stacked)
                    mask = guard
                if op == CALL and row[Y] == 0:
                    pc = i64(row[X])
                else:
                    ia = i64(row[A]) + (base & i64(row[A_REL]))
                    lead = first_lane(mask)
                    goal = i64(registers[ia + lead])
                    same = u32(0)
                    for lane in range(32):
                        if registers[ia + lane] == u32(goal) and mask >> u32(lane) & u32(1):
                            same |= u32(1) << u32(lane)
                    if same != mask:
                        note_event(log_head, control, pc, w, E_ORDER, mask, 0, 0)
                        new_split(w, pc, mask & ~same, pcs, masks, states, stacked)
                        counters[pc, DIVERGENT] += 1
                        mask = same
                    goal = i64(i32(u32(goal))) + i64(row[Y])
                    if goal < 0 or goal & 15 or (goal >> 4) >= code.shape[0]:
                        error[0], error[1], error[3], error[4] = E_TARGET, w, pc, goal
                        return FAILED
                    pc = goal >> 4
            elif op == SYSTEM_CALL:
                if guard != mask:
                    new_split(w, pc + 1, mask & ~guard, pcs, masks, states, stacked)
                    mask = guard
                status, goal = system_call(i64(row[A]) + (base & i64(row[A_REL])), mask, base, registers, table,
                                           limits, pages, origin, addresses, offsets, wanted, control,
                                           error)
                if status == NEED_PAGES:
                    counters[pc, EXECUTED] -= 1
                    counters[pc, THREADS] -= i64(popc(mask))
                    counters[pc, THREADS_ON] -= i64(popc(guard))
                    budget += 1
                    spent[w] -= 1
                    pcs[w, current], masks[w, current] = pc, mask
                    states[w, current] = AT_FAULT
                    hold(w, current, pcs, masks, states, details, registers, predicates, kept, base + uniform, stacked)
                    break
                if status == FAILED or goal < 0 or goal & 15 or (goal >> 4) >= code.shape[0]:
                    pcs[w, current], masks[w, current] = pc, mask
                    control[0], control[3] = budget, w
                    error[1], error[3] = w, pc
                    return FAILED
                pc = goal >> 4
            elif op == WARPSYNC:
                if guard == 0:
                    pc += 1
                else:
                    ia = i64(row[A]) + (base & i64(row[A_REL]))
                    want, group, every = same_value(registers, ia, guard)
                    together = row[Y] == 0 and every & alive[w] & ~mask == 0
                    if not together and mask & ~group:
                        # Lanes that name other lanes go their own way until they meet at a BSYNC.
                        if guard & ~group:
                            new_split(w, pc, guard & ~group, pcs, masks, states, stacked)
                        if mask & ~guard:
                            new_split(w, pc + 1, mask & ~guard, pcs, masks, states, stacked)
                        counters[pc, DIVERGENT] += 1
                        mask = group
                    if together or want & alive[w] & ~mask == 0:
                        pc += 1
                    else:
                        pcs[w, current], masks[w, current] = pc, mask
                        states[w, current] = AT_WARPSYNC
                        details[w, current] = i64(want)
                        complete_warpsync(w, alive, pcs, masks, states, details, log_head, control)
                        running = False
            elif op == YIELD:
                pc += 1
                yield_syncs(w, mask, sync, alive, pcs, masks, states, details, log_head, control)
                yielded = True
                if others_ready(w, current, states):
                    turn = 0
            elif op == BAR:
                if guard == 0:
                    pc += 1
                else:
                    number = i64(row[X])
                    if row[Y] & 8:
                        number = i64(registers[i64(row[A]) + (base & i64(row[A_REL])) + first_lane(guard)]) & 15
                    need = i64(0)
                    if row[Y] & 16:
                        need = i64(registers[i64(row[B]) + (base & i64(row[B_REL])) + first_lane(guard)])
                        targets[number, 0] = need
                    if row[Y] & 4:
                        value = guard & (predicates[w, row[PS]] ^ u32(row[PS_NOT]))
                        red[0, 0] += i64(popc(value))
                        red[0, 1] &= i64(value == guard)
                        red[0, 2] |= i64(value != 0)
                        red[0, 3] = row[M]
                    if row[Y] & 1:
                        targets[number, 1] += i64(popc(mask))
                        note_event(log_head, control, pc, w, E_ARRIVE, mask, 0, number)
                        pc += 1
                    else:
                        if mask != guard:
                            note_event(log_head, control, pc, w, E_ORDER, mask, 0, 0)
                            new_split(w, pc + 1, mask & ~guard, pcs, masks, states, stacked)
                            mask = guard
                        pcs[w, current], masks[w, current] = pc, mask
                        states[w, current] = AT_BARRIER
                        details[w, current] = number
                        running = False
            else:
                elapsed = counters[pc, EXECUTED] * 64 + (control[4] - budget)
                if across_lanes(op, row, w, guard, base, registers, predicates, red, sync, constants, constant_starts,
                                elapsed, offsets, d0, d1, error) == FAILED:
                    error[1], error[3] = w, pc
                    return FAILED
                if tracing and op == LOAD_CONSTANT:
                    cost = constant_cost(trace, control, w, at_pc, guard, offsets)
                elif tracing and op == MATCH and row[M] == 0:
                    cost = different_keys(d0, guard)
                pc += 1
            if tracing:
                at = control[2]
                trace[at, 0], trace[at, 1], trace[at, 2], trace[at, 3] = w, at_pc, i64(guard), cost
                control[2] = at + 1
            if running and turn == 0:
                pcs[w, current], masks[w, current] = pc, mask
            elif asked:
                pcs[w, current], masks[w, current] = pc, mask
                interrupt(w, current, states, registers, predicates, kept, base + uniform)
                details[w, current] = YIELDED if yielded else 0
                break
        w += 1


execute: Any = jit_into(code_folder(), _execute, counted=False)
