"""Instructions that look across the lanes of a warp, or at what a whole warp or block shares."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.access import read_bytes
from mutate.sim.inner import INNER
from mutate.sim.layout import *
from mutate.sim.matrix import multiply, transpose
from mutate.sim.registers import ALL, commit, first_lane, lut_mask, put_predicate
from mutate.sim.shuffle import match_any, reduce_lanes, shuffle_lane

u32, u64, i32, i64 = np.uint32, np.uint64, np.int32, np.int64


@njit(**INNER)
def different(values, guard):
    """How many different values the lanes of a mask have."""
    count = i64(0)
    left = guard
    while left:
        value = values[first_lane(left)]
        count += 1
        for lane in range(32):
            if values[lane] == value:
                left &= ~(u32(1) << u32(lane))
    return count


@njit(**INNER)
def constant_cost(trace, control, w, pc, guard, offsets):
    """What the record of an indexed load of constants has as its cost (``CONSTANT_LINES``).

    Where its lanes want several lines, a record of each is added to the trace.
    """
    words = different(offsets, guard)
    if guard == 0:
        return words
    line = i64(offsets[first_lane(guard)]) // CONSTANT_LINE
    left = guard
    while left:
        this = i64(offsets[first_lane(left)]) // CONSTANT_LINE
        for lane in range(32):
            if i64(offsets[lane]) // CONSTANT_LINE == this:
                left &= ~(u32(1) << u32(lane))
        if this == line and not left:
            return words + CONSTANT_LINES * (1 + line)
        at = control[2]
        trace[at, 0], trace[at, 1], trace[at, 2] = w, pc, i64(guard)
        trace[at, 3] = CONSTANT_MORE + CONSTANT_LINES * (1 + this)
        control[2] = at + 1
    return words


@njit(**INNER)
def across_lanes(op, row, w, guard, base, registers, predicates, red, sync, constants, constant_starts, elapsed,
                 offsets, d0, d1, error):
    """Executes one of them; FAILED at a trap. ``elapsed`` is what clocks read."""
    flags = row[FLAGS]
    if op == BARRIER_RESULT:
        for lane in range(32):
            d0[lane] = u32(red[1, 0])
        if not flags & NO_DST and guard:
            commit(registers, base + i64(row[DST]), d0, guard)
        if row[PD] & 7 != 7:
            outcome = ALL if red[1, 1 if red[1, 3] == 1 else 2] else u32(0)
            predicates[w, row[PD]] = (predicates[w, row[PD]] & ~guard) | (outcome & guard)
    elif op == BMOV_GET:
        for lane in range(32):
            d0[lane] = sync[w, 32 * row[X] + lane]
            if row[Y] and guard >> u32(lane) & u32(1):
                sync[w, 32 * row[X] + lane] = u32(0)
        if not flags & NO_DST and guard:
            commit(registers, base + i64(row[DST]), d0, guard)
    elif op == BMOV_SET:
        ia = i64(row[A]) + (base & i64(row[A_REL]))
        for lane in range(32):
            if guard >> u32(lane) & u32(1):
                sync[w, 32 * row[X] + lane] = registers[ia + lane]
    elif op == VOTE or op == PLOP3 or op == ELECT:
        p = predicates[w, row[PS]] ^ u32(row[PS_NOT])
        if op == PLOP3:
            q = predicates[w, row[QS]] ^ u32(row[QS_NOT])
            r = predicates[w, row[A]] ^ u32(row[B])
            first = lut_mask(p, q, r, row[M])
            second = lut_mask(p, q, r, row[X])
            on = ALL if flags & UNIFORM else guard
            put_predicate(predicates, w, row[PD], first, on)
            put_predicate(predicates, w, row[PD2], second, on)
        elif guard:
            voted = guard & p
            if op == ELECT:
                voted = u32(1) << u32(first_lane(guard))
                outcome = voted
            elif row[M] == 0:
                outcome = ALL if voted == guard else u32(0)
            elif row[M] == 1:
                outcome = ALL if voted else u32(0)
            else:
                outcome = ALL if voted == guard or voted == 0 else u32(0)
            on = ALL if flags & UNIFORM else guard
            if not flags & NO_DST:
                for lane in range(32):
                    d0[lane] = voted if op == VOTE else u32(first_lane(guard))
                commit(registers, base + i64(row[DST]), d0, on)
            put_predicate(predicates, w, row[PD], outcome, ALL if row[PD] >= 8 else guard)
    elif op == P2R:
        ia = i64(row[A]) + (base & i64(row[A_REL]))
        ib = i64(row[B]) + (base & i64(row[B_REL]))
        shift = u32(row[M])
        for lane in range(32):
            bits = u32(0)
            for k in range(7):
                bits |= (predicates[w, row[X] + k] >> u32(lane) & u32(1)) << u32(k)
            keep = registers[ib + lane] & u32(0xFF)
            d0[lane] = registers[ia + lane] & ~(keep << shift) | (bits & keep) << shift
        if guard:
            commit(registers, base + i64(row[DST]), d0, ALL if flags & UNIFORM else guard)
    elif op == R2P:
        ia = i64(row[A]) + (base & i64(row[A_REL]))
        ib = i64(row[B]) + (base & i64(row[B_REL]))
        for k in range(7):
            bits, on = u32(0), u32(0)
            for lane in range(32):
                bits |= (registers[ia + lane] >> u32(row[M] + k) & u32(1)) << u32(lane)
                on |= (registers[ib + lane] >> u32(k) & u32(1)) << u32(lane)
            on &= ALL if flags & UNIFORM else guard
            predicates[w, row[X] + k] = (predicates[w, row[X] + k] & ~on) | (bits & on)
    elif op == R2UR:
        if guard:
            ia = i64(row[A]) + (base & i64(row[A_REL]))
            value = registers[ia + first_lane(guard)]
            for lane in range(32):
                d0[lane] = value
            commit(registers, base + i64(row[DST]), d0, ALL)
            if row[PD] & 7 != 7:
                # The lanes whose value is another; .OR adds them to those of the word before.
                other = predicates[w, row[PD]] if row[M] else u32(0)
                for lane in range(32):
                    other |= u32(registers[ia + lane] != value) << u32(lane)
                predicates[w, row[PD]] = (predicates[w, row[PD]] & ~guard) | (other & guard)
    elif op == CLOCK:
        if guard:
            for lane in range(32):
                d0[lane] = u32(u64(elapsed) & u64(0xFFFFFFFF))
                d1[lane] = u32(u64(elapsed) >> u64(32))
            commit(registers, base + i64(row[DST]), d0, ALL if flags & UNIFORM else guard)
            if flags & WIDE:
                commit(registers, base + i64(row[DST]) + 32, d1, ALL if flags & UNIFORM else guard)
    elif op == SHFL:
        ia = i64(row[A]) + (base & i64(row[A_REL]))
        ib = i64(row[B]) + (base & i64(row[B_REL]))
        ic = i64(row[C]) + (base & i64(row[C_REL]))
        inside = u32(0)
        for lane in range(32):
            source, valid = shuffle_lane(lane, registers[ib + lane], registers[ic + lane], row[M])
            if valid:
                inside |= u32(1) << u32(lane)
            d0[lane] = registers[ia + source]
        if not flags & NO_DST:
            commit(registers, base + i64(row[DST]), d0, guard)
        put_predicate(predicates, w, row[PD], inside, guard)
    elif op == MATCH:
        ia = i64(row[A]) + (base & i64(row[A_REL]))
        same = match_any(registers, ia, (flags & WIDE) != 0, guard, d0)
        if row[M]:
            for lane in range(32):
                d0[lane] = guard if same else u32(0)
        if not flags & NO_DST:
            commit(registers, base + i64(row[DST]), d0, guard)
        put_predicate(predicates, w, row[PD], guard if same else u32(0), guard)
    elif op == REDUX:
        if guard:
            value = reduce_lanes(registers, i64(row[A]) + (base & i64(row[A_REL])), guard, row[M])
            for lane in range(32):
                d0[lane] = value
            commit(registers, base + i64(row[DST]), d0, ALL if flags & UNIFORM else guard)
    elif op == SPACE_QUERY:
        ia = i64(row[A]) + (base & i64(row[A_REL])) + 32
        inside = u32(0)
        for lane in range(32):
            high = registers[ia + lane]
            space = 0 if high == u32(SHARED_WINDOW) else (1 if high == u32(LOCAL_WINDOW) else 2)
            inside |= u32(space == row[M]) << u32(lane)
            d0[lane] = registers[ia - 32 + lane]
        if not flags & NO_DST:
            commit(registers, base + i64(row[DST]), d0, guard)
        put_predicate(predicates, w, row[PD], inside, guard)
    elif op == LOAD_CONSTANT:
        if guard:
            ia = i64(row[A]) + (base & i64(row[A_REL]))
            start, size = constant_starts[row[Y], 0], constant_starts[row[Y], 1]
            for lane in range(32):  # before anything is written: the address may be the destination
                at = i64(i32(registers[ia + lane])) + i64(row[X])
                # Compilers load early what is used under a condition only: nothing is outside of the bank, but that is
                # no error (an H200 has zeros there).
                offsets[lane] = at if 0 <= at <= size - row[WIDTH] else -CONSTANT_LINE
            for part in range(max(1, row[WIDTH] // 4)):
                for lane in range(32):
                    d0[lane] = u32(0)
                    if offsets[lane] >= 0:
                        d0[lane] = read_bytes(constants, start + offsets[lane] + 4 * part, min(4, row[WIDTH]),
                                              row[M] != 0)
                commit(registers, base + i64(row[DST]) + 32 * part, d0, ALL if flags & UNIFORM else guard)
    elif op == MATRIX_PRODUCT:
        if guard:
            multiply(row, registers, base, guard)
    elif op == MATRIX_TURN:
        if guard:
            transpose(row, registers, base, guard)
    elif guard != 0:
        error[0] = E_TRAP
        return FAILED
    return DONE
