"""First contents of pages of global memory, for the rules that need a line of arithmetic: made where they are touched.

The same bits as ``mutate.launch.data`` gives (a test compares them). What needs more (files, lists, logarithms,
permutations) has no rule here; the interpreter then returns for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from mutate.sim.access import mix, write_bytes
from mutate.sim.inner import INNER
from mutate.sim.intrinsics import d2u, f2u
from mutate.sim.lanes_half import d2h
from mutate.sim.layout import PAGE_SHIFT

u8, u32, u64, i64 = np.uint8, np.uint32, np.uint64, np.int64
_PAGE = 1 << PAGE_SHIFT

NO_RULE, ZEROS, FILL, UNIFORM32, UNIFORM64, RANDINT, UNIFORM_HALF, UNIFORM_BF16 = range(8)
# Columns of a rule: first page, pages, bytes, rule, bytes of an element, base of the random numbers, range of randint.
FIRST_PAGE, PAGES, NBYTES, RULE, SIZE, SEED, SPAN = range(7)
RULE_COLUMNS = 8


class Origin(NamedTuple):
    """What pages hold before they are touched. ``rules``: shape (arrays, RULE_COLUMNS); ``bounds``: (arrays, 2), the

    two numbers of uniform, or fill's bits. Table, limits and pages of the run that this one goes on from; else empty.
    """

    rules: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.float64]
    table: npt.NDArray[np.int32]
    limits: npt.NDArray[np.int32]
    pages: npt.NDArray[np.uint8]


@njit(**INNER)
def high_product(a, b):
    """High 64 bits of a 128-bit product."""
    low = u64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & low, a >> u64(32), b & low, b >> u64(32)
    middle = a1 * b0 + (a0 * b0 >> u64(32))
    carry = (middle & low) + a0 * b1
    return a1 * b1 + (middle >> u64(32)) + (carry >> u64(32))


@njit(**INNER)
def put(pages, at, size, value):
    if size == 4:
        write_bytes(pages, at, 4, u32(value & u64(0xFFFFFFFF)))
        return
    for k in range(size):
        pages[u64(at + k)] = u8(value >> u64(8 * k) & u64(255))


@njit(**INNER)
def fill_page(page, table, limits, pages, origin, control):
    """Makes a page from its ``Origin``; false when that does not tell, or there is no room in the pool.

    ``control[5]`` is the number of pages in the pool that are used.
    """
    used = control[5]
    if used >= limits.size:
        return False
    rules, bounds = origin.rules, origin.bounds
    if origin.table.size > 0 and origin.table[page] > 0:
        other = origin.table[page] - 1
        for k in range(_PAGE):
            pages[u64(used * _PAGE + k)] = origin.pages[u64(other * _PAGE + k)]
        limits[used] = origin.limits[other]
        control[5] = used + 1
        table[page] = used + 1
        return True
    for r in range(rules.shape[0]):
        if page < i64(rules[r, FIRST_PAGE]) or page >= i64(rules[r, FIRST_PAGE] + rules[r, PAGES]):
            continue
        rule = rules[r, RULE]
        if rule == NO_RULE:
            return False
        size = i64(rules[r, SIZE])
        start = (page - i64(rules[r, FIRST_PAGE])) * _PAGE
        length = min(i64(_PAGE), i64(rules[r, NBYTES]) - start)
        at = used * _PAGE
        first = u64(start // size) + rules[r, SEED]
        if rule == ZEROS:
            for k in range(_PAGE):
                pages[u64(at + k)] = u8(0)
        else:
            low, span = bounds[r, 0], bounds[r, 1] - bounds[r, 0]
            for k in range(length // size):
                h = mix(first + u64(k))
                if rule == FILL:
                    value = rules[r, SPAN]
                elif rule == UNIFORM32:
                    value = u64(f2u(np.float32(low + span * (np.float64(h >> u64(40)) * 2.0**-24))))
                elif rule == UNIFORM_HALF or rule == UNIFORM_BF16:
                    single = np.float32(low + span * (np.float64(h >> u64(40)) * 2.0**-24))
                    value = u64(d2h(np.float64(single), rule == UNIFORM_BF16, 0))
                elif rule == UNIFORM64:
                    value = d2u(low + span * (np.float64(h >> u64(11)) * 2.0**-53))
                else:
                    value = u64(i64(low)) + high_product(h, rules[r, SPAN])
                put(pages, at + k * size, size, value)
        limits[used] = length
        control[5] = used + 1
        table[page] = used + 1
        return True
    return False
