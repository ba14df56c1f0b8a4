"""Loads, stores, atomics and asynchronous copies of the interpreter."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.access import read_bytes, write_bytes
from mutate.sim.atomics import atomic_value
from mutate.sim.coalesce import (
    CAST_SPIN,
    atomic_sectors,
    cast_spin_winners,
    needed_bytes,
    shared_phases,
    shared_wavefronts,
    unique_sectors,
)
from mutate.sim.inner import INNER
from mutate.sim.lanes_integer import popc
from mutate.sim.layout import *
from mutate.sim.log import note_request
from mutate.sim.matrix import load_matrices, store_matrices
from mutate.sim.requests import add_all, add_to_multiset, fail, resolve_global
from mutate.sim.texels import surface_places

u8, u32, u64, i32, i64 = np.uint8, np.uint32, np.uint64, np.int32, np.int64
ALL = np.uint32(0xFFFFFFFF)
_GLOBAL, _SHARED, _LOCAL = 0, 1, 2
_LOAD, _STORE, _ATOMIC = 0, 1, 2


@njit(**INNER)
def note_sectors(counters, pc, hashes, which, addresses, mask, width, sectors):
    """Counts the sectors of a request of global memory and adds them to the multiset; returns their number."""
    n = unique_sectors(addresses, mask, width, 5, sectors)
    counters[pc, REQUESTS] += 1
    counters[pc, SECTORS] += atomic_sectors(addresses, mask, width, 5) if which == H_GLOBAL_ATOMIC else n
    lanes = i64(popc(mask))
    # As many sectors as lanes: each lane has bytes of its own.
    counters[pc, BYTES] += n * width if n == lanes else needed_bytes(addresses, mask, width)
    hashes[which, 3] += u64(lanes * width)
    add_all(hashes, which, sectors, n)
    return n


@njit(**INNER)
def note_surface(counters, pc, hashes, which, addresses, mask, width):
    """Counts the lanes of a surface access; every lane's place goes into the multiset."""
    n = i64(popc(mask))
    counters[pc, TEXELS] += n
    hashes[which, 3] += u64(n * width)
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            add_to_multiset(hashes, which, addresses[lane])
    return n


@njit(**INNER)
def note_local(counters, pc, hashes, which, addresses, mask, width, sectors):
    """Local memory lies interleaved: a 32-bit word of all 32 lanes is one line of 128 bytes."""
    total = i64(0)
    for part in range(max(1, width // 4)):
        for lane in range(32):
            sectors[128 + lane] = (addresses[lane] // u64(4) + u64(part)) * u64(128) + u64(4 * lane)
        n = unique_sectors(sectors[128:160], mask, min(4, width), 5, sectors)
        total += n
        add_all(hashes, which, sectors, n)
    counters[pc, LOCAL_REQUESTS] += max(1, width // 4)
    counters[pc, LOCAL_SECTORS] += total
    counters[pc, LOCAL_BYTES] += i64(popc(mask)) * width
    hashes[which, 3] += u64(i64(popc(mask)) * width)
    return total


@njit(**INNER)
def ideal_wavefronts(addresses, mask, width, kind, wavefronts):
    """Wavefronts that a shared request would have without bank conflicts."""
    if wavefronts <= 1 or kind == CAST_SPIN:
        return wavefronts
    if kind <= 1:
        return i64(1) if width <= 4 else i64(shared_phases(addresses, mask, width, kind))
    return i64(2) if kind == 3 else i64(1)


@njit(**INNER)
def note_shared(counters, pc, hashes, which, addresses, mask, width, kind):
    """Counts the wavefronts of a request of shared memory; every lane's address goes into the multiset."""
    n = shared_wavefronts(addresses, mask, width, kind)
    counters[pc, SHARED_REQUESTS] += 1
    counters[pc, WAVEFRONTS] += n
    counters[pc, IDEAL] += ideal_wavefronts(addresses, mask, width, kind, n)
    counters[pc, SHARED_BYTES] += i64(popc(mask)) * width
    hashes[which, 3] += u64(i64(popc(mask)) * width)
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            add_to_multiset(hashes, which, addresses[lane])
    return n


@njit(**INNER)
def effective(row, registers, base, addresses):
    """Addresses of a memory instruction: register, scaled, plus uniform register, plus offset."""
    flags = row[FLAGS]
    ia = i64(row[A]) + (base & i64(row[A_REL]))
    ib = i64(row[B]) + (base & i64(row[B_REL]))
    for lane in range(32):
        value = i64(registers[u64(ia + lane)])
        if flags & ADDRESS64:
            value |= i64(registers[u64(ia + 32 + lane)]) << i64(32)
        elif flags & SIGNED_ADDRESS:
            value = i64(i32(registers[ia + lane]))
        value <<= i64(row[M] & 63)
        other = i64(registers[u64(ib + lane)])
        if flags & UR64:
            other |= i64(registers[u64(ib + 32 + lane)]) << i64(32)
        value += other + i64(row[X])
        if not flags & (ADDRESS64 | UR64):
            value &= i64(0xFFFFFFFF)
        addresses[lane] = u64(value)


@njit(**INNER)
def resolve_shared(addresses, mask, width, first, size, offsets, error):
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            address = i64(addresses[lane] & u64(0xFFFFFF))
            if address & (width - 1):
                return fail(error, E_MISALIGNED, lane, address, width)
            if address < first or address + width > first + size:
                return fail(error, E_SHARED, lane, address - first, width)
            offsets[lane] = address - first
            addresses[lane] = u64(address - first)
    return DONE


@njit(**INNER)
def resolve_local(addresses, mask, width, warp, size, offsets, error):
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            address = i64(addresses[lane] & u64(0xFFFFFF))
            if address & (width - 1):
                return fail(error, E_MISALIGNED, lane, address, width)
            if address + width > size:
                return fail(error, E_LOCAL, lane, address, width)
            offsets[lane] = (i64(warp) * 32 + lane) * size + address
            addresses[lane] = u64(address)
    return DONE


@njit(**INNER)
def load(store, offsets, mask, row, registers, base):
    """Memory to registers: ``WIDTH`` bytes a lane, bytes and half-words extended as Y says."""
    width = i64(row[WIDTH])
    at = base + i64(row[DST])
    if row[FLAGS] & NO_DST:
        return
    if width < 4:
        for lane in range(32):
            if mask >> u32(lane) & u32(1):
                registers[u64(at + lane)] = read_bytes(store, offsets[lane], width, row[Y] & 1)
        return
    for part in range(width // 4):
        for lane in range(32):
            if mask >> u32(lane) & u32(1):
                registers[u64(at + 32 * part + lane)] = read_bytes(store, offsets[lane] + 4 * part, 4, 0)


@njit(**INNER)
def save(store, offsets, mask, row, registers, base):
    """Registers to memory; of lanes with the same address the highest wins."""
    width = i64(row[WIDTH])
    at = i64(row[C]) + (base & i64(row[C_REL]))
    if width < 4:
        for lane in range(32):
            if mask >> u32(lane) & u32(1):
                write_bytes(store, offsets[lane], width, registers[u64(at + lane)])
        return
    for part in range(width // 4):
        for lane in range(32):
            if mask >> u32(lane) & u32(1):
                write_bytes(store, offsets[lane] + 4 * part, 4, registers[u64(at + 32 * part + lane)])


@njit(**INNER)
def save_and_compare(store, offsets, mask, row, registers, base):
    """As ``save``, lane after lane; returns the lanes whose bytes were there already."""
    width = i64(row[WIDTH])
    at = i64(row[C]) + (base & i64(row[C_REL]))
    same = u32(0)
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            equal = True
            for part in range(max(1, width // 4)):
                where, size = offsets[lane] + 4 * part, min(i64(4), width)
                value = registers[at + 32 * part + lane]
                before = read_bytes(store, where, size, 0)
                write_bytes(store, where, size, value)
                equal &= read_bytes(store, where, size, 0) == before
            if equal:
                same |= u32(1) << u32(lane)
    return same


@njit(**INNER)
def update(store, offsets, mask, row, registers, base, addresses, d0, d1):
    """An atomic operation, lane by lane in order; old values into the destination.

    Of ``ATOMS.CAST.SPIN`` some lanes fail whatever is in memory, as on the hardware, and give 0: they try again.
    """
    width = i64(row[WIDTH])
    ic = i64(row[C]) + (base & i64(row[C_REL]))
    second = i64(row[SECOND]) + (base & i64(row[SECOND_REL]))
    op, kind = i64(row[TABLE]) & 15, i64(row[TABLE]) >> 4
    spin = row[Y] & 2 != 0
    winners = u32(cast_spin_winners(addresses, mask, width)) if spin else mask
    for lane in range(32):
        if not mask >> u32(lane) & u32(1):
            continue
        if not winners >> u32(lane) & u32(1):
            d0[lane] = u32(0)
            continue
        old = u64(read_bytes(store, offsets[lane], 4, 0))
        value = u64(registers[ic + lane])
        other = u64(registers[second + lane])
        if width == 8:
            old |= u64(read_bytes(store, offsets[lane] + 4, 4, 0)) << u64(32)
            value |= u64(registers[ic + 32 + lane]) << u64(32)
            other |= u64(registers[second + 32 + lane]) << u64(32)
        if op == 9:
            new = atomic_value(op, kind, old, other, value)
        else:
            new = atomic_value(op, kind, old, value, u64(0))
        write_bytes(store, offsets[lane], 4, u32(new & u64(0xFFFFFFFF)))
        if width == 8:
            write_bytes(store, offsets[lane] + 4, 4, u32(new >> u64(32)))
        d0[lane] = u32(old & u64(0xFFFFFFFF))
        d1[lane] = u32(old >> u64(32))
        if spin:
            d0[lane] = u32(old == value)
    if not row[FLAGS] & NO_DST:
        at = base + i64(row[DST])
        for lane in range(32):
            if mask >> u32(lane) & u32(1):
                registers[at + lane] = d0[lane]
                if width == 8:
                    registers[at + 32 + lane] = u32(0) if spin else d1[lane]


@njit(**INNER)
def split_generic(addresses, guard):
    """The lanes of a generic access by space: (global, shared, local)."""
    shared, local = u32(0), u32(0)
    for lane in range(32):
        high = addresses[lane] >> u64(32)
        if high == u64(SHARED_WINDOW):
            shared |= u32(1) << u32(lane)
        elif high == u64(LOCAL_WINDOW):
            local |= u32(1) << u32(lane)
    return guard & ~(shared | local), guard & shared, guard & local


@njit(**INNER)
def copy_async(row, guard, mask, warp, base, registers, shared, first, size, table, limits, pages, origin,
               wanted, control, counters, pc, hashes, addresses, offsets, targets, sectors, head, where_to, error):
    """LDGSTS: global to shared memory, done at once. A false source predicate stores zeros instead.

    With .ZFILL the address's last bits are the number of bytes at the end that become zero.
    """
    width = i64(row[WIDTH])
    fill = row[M] & 64 != 0
    for lane in range(32):
        offsets[lane] = 0
        if fill:
            sectors[128 + lane] = addresses[lane] & u64(width - 1)
            addresses[lane] &= ~u64(width - 1)
        else:
            sectors[128 + lane] = u64(0)
    status = resolve_global(addresses, guard & mask, width, table, limits, pages, origin, offsets, wanted,
                            control, error)
    if status != DONE:
        return status, i64(0)
    where = i64(row[C]) + (base & i64(row[C_REL]))
    for lane in range(32):
        targets[lane] = i64(registers[where + lane]) + i64(row[TABLE])
        sectors[lane] = u64(targets[lane])
        if guard >> u32(lane) & u32(1):
            address = targets[lane] & 0xFFFFFF
            if address & (width - 1):
                return fail(error, E_MISALIGNED, lane, address, width), i64(0)
            if address < first or address + width > first + size:
                return fail(error, E_SHARED, lane, address - first, width), i64(0)
            targets[lane] = address - first
            sectors[lane] = u64(targets[lane])
            for k in range(width):
                copied = mask >> u32(lane) & u32(1) and k < width - i64(sectors[128 + lane])
                shared[targets[lane] + k] = pages[offsets[lane] + k] if copied else u8(0)
    note_request(head, where_to, control, pc, warp, H_SHARED_STORE, guard, width, 0, sectors)
    if control[8]:
        note_shared(counters, pc, hashes, H_SHARED_STORE, sectors[:32], guard, width, i64(row[SHARED_KIND]))
    if guard & mask == 0:
        return DONE, i64(0)
    note_request(head, where_to, control, pc, warp, H_GLOBAL_LOAD, guard & mask, width, 0, addresses)
    if control[8] == 0:
        return DONE, i64(0)
    return DONE, i64(note_sectors(counters, pc, hashes, H_GLOBAL_LOAD, addresses, guard & mask, width, sectors))


@njit(**INNER)
def memory(op, row, warp, pc, guard, base, registers, condition, objects, table, limits, pages, origin, shared,
           local, first, size, local_size, wanted, control, counters, hashes, addresses, offsets, targets, sectors, d0,
           d1, head, where, error):
    """One memory instruction of a split, whole or not at all: (status, sectors or wavefronts).

    ``condition``: the source predicate of an asynchronous copy; ``objects``: surfaces; ``head`` and ``where``: the log.
    """
    width = i64(row[WIDTH])
    inside = guard
    counted = control[8] != 0
    if op == SURFACE_ACCESS:
        status, inside = surface_places(row, guard, base, registers, objects, addresses, error)
        if status != DONE:
            return status, i64(0)
    else:
        effective(row, registers, base, addresses)
    if op == COPY_ASYNC:
        return copy_async(row, guard, condition, warp, base, registers, shared, first, size, table, limits, pages,
                          origin, wanted, control, counters, pc, hashes, addresses, offsets, targets, sectors,
                          head, where, error)
    what = i64(row[ACTION])
    on_global, on_shared, on_local = inside, u32(0), u32(0)
    if op == SHARED_ACCESS:
        on_global, on_shared = u32(0), guard
    elif op == MATRIX_ACCESS:
        # The lanes that have addresses of rows.
        on_global, on_shared = u32(0), ALL >> u32(32 - 8 * row[TABLE])
    elif op == LOCAL_ACCESS:
        on_global, on_local = u32(0), guard
    elif op == GENERIC_ACCESS:
        on_global, on_shared, on_local = split_generic(addresses, guard)
        control[7] = i64(on_global)
        if row[PD] & 7 != 7:
            # With a predicate as result, an atomic is for global memory; code for the other spaces follows.
            on_shared, on_local = u32(0), u32(0)
    cost = i64(0)
    if on_global:
        status = resolve_global(addresses, on_global, width, table, limits, pages, origin, offsets, wanted,
                                control, error)
        if status != DONE:
            return status, cost
        if op == SURFACE_ACCESS:
            cost += note_surface(counters, pc, hashes, H_SURFACE_LOAD + what, addresses, on_global, width)
        else:
            which = H_TABLE_LOAD if row[FLAGS] & OF_LIBRARY else H_GLOBAL_LOAD + what
            if counted:
                cost += note_sectors(counters, pc, hashes, which, addresses, on_global, width, sectors)
            elif on_shared:
                cost += unique_sectors(addresses, on_global, width, 5, sectors)
            note_request(head, where, control, pc, warp, H_GLOBAL_LOAD + what, on_global, width, 0, addresses)
        if what == _LOAD:
            load(pages, offsets, on_global, row, registers, base)
        elif what == _STORE:
            save(pages, offsets, on_global, row, registers, base)
        else:
            update(pages, offsets, on_global, row, registers, base, addresses, d0, d1)
    if op == SURFACE_ACCESS:
        counters[pc, TEXTURE_REQUESTS] += 1
        if what == _LOAD and inside != guard and not row[FLAGS] & NO_DST:
            for k in range(32 * max(i64(1), width // 4)):
                if (guard & ~inside) >> u32(k & 31) & u32(1):
                    registers[base + i64(row[DST]) + k] = u32(0)
    if on_shared:
        status = resolve_shared(addresses, on_shared, width, first, size, offsets, error)
        if status != DONE:
            return status, cost
        kind = i64(row[SHARED_KIND])
        if counted:
            cost += note_shared(counters, pc, hashes, H_SHARED_LOAD + what, addresses, on_shared, width, kind)
        else:
            cost += shared_wavefronts(addresses, on_shared, width, kind)
        same = u32(0)
        if op == MATRIX_ACCESS and what == _LOAD:
            load_matrices(shared, offsets, row, registers, base, guard)
        elif op == MATRIX_ACCESS:
            store_matrices(shared, offsets, row, registers, base)
        elif what == _LOAD:
            load(shared, offsets, on_shared, row, registers, base)
        elif what == _ATOMIC:
            update(shared, offsets, on_shared, row, registers, base, addresses, d0, d1)
        elif head.shape[0] > 1:
            same = save_and_compare(shared, offsets, on_shared, row, registers, base)
        else:
            save(shared, offsets, on_shared, row, registers, base)
        note_request(head, where, control, pc, warp, H_SHARED_LOAD + what, on_shared, width, i64(same), addresses)
    if on_local:
        status = resolve_local(addresses, on_local, width, warp, local_size, offsets, error)
        if status != DONE:
            return status, cost
        if counted:
            cost += note_local(counters, pc, hashes, H_LOCAL_LOAD + what, addresses, on_local, width, sectors)
        note_request(head, where, control, pc, warp, H_LOCAL_LOAD + what, on_local, width, 0, addresses)
        if what == _LOAD:
            load(local, offsets, on_local, row, registers, base)
        else:
            save(local, offsets, on_local, row, registers, base)
    return DONE, cost
