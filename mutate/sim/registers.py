"""What the interpreter does with operands and results: modifiers, masked writes, masks of comparisons."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER

u32, u64 = np.uint32, np.uint64
ALL = np.uint32(0xFFFFFFFF)


@njit(**INNER)
def apply_modifier(registers, source, mod, target):
    """Copies an operand with its sign changed, made absolute or inverted."""
    for lane in range(32):
        low = registers[source + lane]
        if mod <= 3:
            if mod & 2:
                low &= u32(0x7FFFFFFF)
            if mod & 1:
                low ^= u32(0x80000000)
        elif mod == 4:
            low = u32(u32(0) - low)
        elif mod == 5:
            low = ~low
        elif mod <= 8:
            high = registers[source + 32 + lane]
            if mod >= 7:
                high &= u32(0x7FFFFFFF)
            if mod != 7 and (high & u32(0x7FFFFFFF)) <= u32(0x7FF00000):
                high ^= u32(0x80000000)  # a NaN keeps its sign
            registers[target + 32 + lane] = high
        elif mod <= 11:
            if mod >= 10:
                low &= u32(0x7FFF7FFF)
            if mod != 10:
                low ^= u32(0x80008000)
        else:
            wide = u64(low) | u64(registers[source + 32 + lane]) << u64(32)
            wide = u64(0) - wide if mod == 12 else ~wide
            low = u32(wide & u64(0xFFFFFFFF))
            registers[target + 32 + lane] = u32(wide >> u64(32))
        registers[target + lane] = low


@njit(**INNER)
def commit(registers, at, values, mask):
    if mask == ALL:
        for lane in range(32):
            registers[u64(at + lane)] = values[lane]
    else:
        for lane in range(32):
            if mask >> u32(lane) & u32(1):
                registers[u64(at + lane)] = values[lane]


@njit(**INNER)
def compare(masks, table, extra, p, boolean):
    """The mask of a comparison: which of less, equal, greater, unordered count; ``extra`` replaces equal in .EX."""
    lt, eq, gt = masks[1], masks[2], masks[3]
    r = u32(0)
    if table & 1:
        r |= lt
    if table & 4:
        r |= gt
    if table & 8:
        r |= ~(lt | eq | gt)
    if table & 16:
        r |= eq & extra
    elif table & 2:
        r |= eq
    if boolean == 0:
        return r & p, ~r & p
    if boolean == 1:
        return r | p, ~r | p
    return r ^ p, ~r ^ p


@njit(**INNER)
def first_lane(mask):
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            return lane
    return 0


@njit(**INNER)
def same_value(registers, at, mask):
    """The value of the first lane, the lanes that have the same, and the values of all lanes together."""
    value = registers[at + first_lane(mask)]
    same, every = u32(0), u32(0)
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            every |= registers[at + lane]
            same |= u32(registers[at + lane] == value) << u32(lane)
    return value, same, every


@njit(**INNER)
def lut_mask(a, b, c, m):
    r = u32(0)
    for k in range(8):
        if m >> k & 1:
            r |= (a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c)
    return r


@njit(**INNER)
def put_predicate(predicates, warp, number, value, on):
    """Writes a predicate for some lanes; PT and UPT take nothing."""
    if number & 7 != 7:
        predicates[warp, number] = (predicates[warp, number] & ~on) | (value & on)
