"""Memory as the interpreter sees it: pages of global memory, bytes of shared and local memory, hashes of accesses."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.layout import ABSENT, ASKED, GLOBAL_BASE, PAGE_SHIFT, UNTOUCHED

u8, u32, u64, i32, i64 = np.uint8, np.uint32, np.uint64, np.int32, np.int64
_PAGE = 1 << PAGE_SHIFT


@njit(**INNER)
def mix(x):
    """A bijection of 64-bit numbers that leaves no pattern (splitmix64's finaliser)."""
    z = u64(x) + u64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> u64(30))) * u64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> u64(27))) * u64(0x94D049BB133111EB)
    return z ^ (z >> u64(31))


@njit(**INNER)
def locate(address, width, table, limits):
    """Offset of a global address in the pool of pages; -1 - page for a page to be brought, -(1 << 62) outside."""
    at = i64(address) - i64(GLOBAL_BASE)
    page = at >> i64(PAGE_SHIFT)
    if at < 0 or page >= table.size:
        return i64(-(1 << 62))
    entry = table[page]
    if entry == ABSENT:
        return i64(-(1 << 62))
    inside = at & i64(_PAGE - 1)
    if entry == UNTOUCHED or entry == ASKED:
        return i64(-1) - page
    if inside + width > limits[entry - 1]:
        return i64(-(1 << 62))
    return i64(entry - 1) * i64(_PAGE) + inside


@njit(**INNER)
def read_bytes(memory, at, width, signed):
    """1, 2 or 4 little-endian bytes as a word."""
    # An index without a sign: else numba asks of each byte whether it counts from the end, and loads them one by one.
    i = u64(at)
    value = u32(memory[i])
    if width == 1:
        return u32(value | u32(0xFFFFFF00)) if signed and value >= 128 else value
    value |= u32(memory[i + u64(1)]) << u32(8)
    if width == 2:
        return u32(value | u32(0xFFFF0000)) if signed and value >= 32768 else value
    return value | u32(memory[i + u64(2)]) << u32(16) | u32(memory[i + u64(3)]) << u32(24)


@njit(**INNER)
def write_bytes(memory, at, width, value):
    i = u64(at)
    memory[i] = u8(value & u32(255))
    if width >= 2:
        memory[i + u64(1)] = u8(value >> u32(8) & u32(255))
    if width >= 4:
        memory[i + u64(2)] = u8(value >> u32(16) & u32(255))
        memory[i + u64(3)] = u8(value >> u32(24) & u32(255))


@njit(**INNER)
def request_pages(addresses, mask, width, table, wanted, count):
    """Asks for the untouched pages of a request; the new length of the list of wanted pages."""
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            page = (i64(addresses[lane]) - i64(GLOBAL_BASE)) >> i64(PAGE_SHIFT)
            if table[page] == UNTOUCHED and count < wanted.size:
                table[page] = ASKED
                wanted[count] = page
                count += 1
    return count
