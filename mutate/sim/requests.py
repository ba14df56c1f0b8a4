"""What all requests of memory share: the multisets that they are counted in, errors, and pages of global memory."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.access import locate, mix, request_pages
from mutate.sim.filling import fill_page
from mutate.sim.inner import INNER
from mutate.sim.layout import DONE, E_GLOBAL, E_MISALIGNED, FAILED, GLOBAL_BASE, NEED_PAGES, PAGE_SHIFT

u32, u64, i64 = np.uint32, np.uint64, np.int64


@njit(**INNER)
def add_to_multiset(hashes, which, value):
    h = mix(value)
    hashes[which, 0] += h
    hashes[which, 1] += mix(h)
    hashes[which, 2] += u64(1)


@njit(**INNER)
def add_all(hashes, which, values, count):
    """Adds the first ``count`` values."""
    first, second = u64(0), u64(0)
    for k in range(count):
        h = mix(values[k])
        first += h
        second += mix(h)
    hashes[which, 0] += first
    hashes[which, 1] += second
    hashes[which, 2] += u64(count)


@njit(**INNER)
def fail(error, code, lane, address, width):
    error[0], error[2], error[4], error[5] = code, lane, i64(address), width
    return FAILED


@njit(**INNER)
def resolve_global(addresses, mask, width, table, limits, pages, origin, offsets, wanted, control, error):
    """Offsets in the pool of pages; NEED_PAGES when some are not there yet and no rule of ``filling`` makes them."""
    missing = False
    # Neighbours are mostly in one page: its number, its place in the pool, and the bytes of it that are there.
    known, start, limit = i64(-1), i64(0), i64(0)
    for lane in range(32):
        if mask >> u32(lane) & u32(1):
            if addresses[lane] & u64(width - 1):
                return fail(error, E_MISALIGNED, lane, addresses[lane], width)
            inside = i64(addresses[lane]) - i64(GLOBAL_BASE)
            page = inside >> i64(PAGE_SHIFT)
            inside &= i64((1 << PAGE_SHIFT) - 1)
            if page == known and inside + width <= limit:
                offsets[lane] = start + inside
                continue
            at = locate(addresses[lane], width, table, limits)
            if at < 0 and at > -(1 << 60) and fill_page(i64(-1) - at, table, limits, pages, origin, control):
                at = locate(addresses[lane], width, table, limits)
            offsets[lane] = at
            if at < -(1 << 60):
                return fail(error, E_GLOBAL, lane, addresses[lane], width)
            if at < 0:
                missing = True
            else:
                known, start, limit = page, at - inside, i64(limits[table[page] - 1])
    if missing:
        control[1] = request_pages(addresses, mask, width, table, wanted, control[1])
        return NEED_PAGES
    return DONE
