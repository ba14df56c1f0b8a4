"""Instructions that look across the lanes of a warp."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER

u32, i32 = np.uint32, np.int32


@njit(**INNER)
def shuffle_lane(lane, b, c, mode):
    """Where a lane's value comes from, and whether that is within the segment. mode: 0 IDX, 1 UP, 2 DOWN, 3 BFLY.

    PTX ISA, instruction ``shfl.sync``: ``c`` holds the clamp in bits 0-4 and the mask of the segment in bits 8-12.
    """
    delta = i32(b & u32(31))
    clamp, segment = i32(c & u32(31)), i32(c >> u32(8) & u32(31))
    high = (lane & segment) | (clamp & ~segment)
    low = lane & segment
    if mode == 0:
        source = low | (delta & ~segment)
        valid = source <= high
    elif mode == 1:
        source = lane - delta
        valid = source >= high
    elif mode == 2:
        source = lane + delta
        valid = source <= high
    else:
        source = lane ^ delta
        valid = source <= high
    return (source if valid else lane), valid


@njit(**INNER)
def match_any(registers, at, wide, guard, out):
    """For each lane the lanes with the same value; whether all are the same."""
    same = True
    for lane in range(32):
        out[lane] = u32(0)
        if not guard >> u32(lane) & u32(1):
            continue
        for other in range(32):
            if guard >> u32(other) & u32(1):
                equal = registers[at + lane] == registers[at + other]
                if wide:
                    equal = equal and registers[at + 32 + lane] == registers[at + 32 + other]
                if equal:
                    out[lane] |= u32(1) << u32(other)
                else:
                    same = False
    return same


@njit(**INNER)
def different_keys(same, guard):
    """How many values ``match_any`` found, of which ``same`` is the result."""
    count = 0
    for lane in range(32):
        if guard >> u32(lane) & u32(1):
            count += same[lane] & (u32(1) << u32(lane)) - u32(1) == u32(0)
    return count


@njit(**INNER)
def reduce_lanes(registers, at, guard, op):
    """One value of all lanes. op: 0 sum, 1 min signed, 2 max signed, 3 min, 4 max, 5 and, 6 or, 7 xor."""
    begun = False
    value = u32(0)
    for lane in range(32):
        if not guard >> u32(lane) & u32(1):
            continue
        x = registers[at + lane]
        if not begun:
            value, begun = x, True
        elif op == 0:
            value = u32(value + x)
        elif op == 1:
            value = x if i32(x) < i32(value) else value
        elif op == 2:
            value = x if i32(x) > i32(value) else value
        elif op == 3:
            value = min(x, value)
        elif op == 4:
            value = max(x, value)
        elif op == 5:
            value &= x
        elif op == 6:
            value |= x
        else:
            value ^= x
    return value
