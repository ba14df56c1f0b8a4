"""What an atomic update leaves in memory."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.intrinsics import d2u, u2d, u2f
from mutate.sim.lanes import canon, ftz
from mutate.sim.lanes_half import half2

u32, u64, i32, i64 = np.uint32, np.uint64, np.int32, np.int64

OPERATIONS = {"ADD": 0, "MIN": 1, "MAX": 2, "INC": 3, "DEC": 4, "AND": 5, "OR": 6, "XOR": 7, "EXCH": 8, "CAS": 9,
              "SAFEADD": 0}
TYPES = {"U32": 0, "S32": 1, "U64": 2, "S64": 3, "F32": 4, "F64": 5, "F16x2": 6, "BF16x2": 7, "F32.FTZ": 8}


@njit(**INNER)
def atomic_value(op, kind, old, value, compare):
    """The new value; the numbers of op and kind are those of ``OPERATIONS`` and ``TYPES``."""
    if op == 8:
        return value
    if op == 9:
        return value if old == compare else old
    if op == 5:
        return old & value
    if op == 6:
        return old | value
    if op == 7:
        return old ^ value
    if op == 3:
        return u64(0) if old >= value else old + u64(1)
    if op == 4:
        return value if old == 0 or old > value else old - u64(1)
    if op == 0:
        if kind == 4:
            return u64(canon(u2f(u32(old)) + u2f(u32(value))))
        if kind == 8:
            return u64(ftz(canon(u2f(ftz(u32(old))) + u2f(ftz(u32(value))))))
        if kind == 5:
            return d2u(u2d(old) + u2d(value))
        if kind >= 6:
            return u64(half2(0, u32(old), u32(value), u32(0), i64(kind == 7)))
        total = old + value
        return total if kind >= 2 else total & u64(0xFFFFFFFF)
    if kind == 1:
        less = i32(u32(value)) < i32(u32(old))
    elif kind == 3:
        less = i64(value) < i64(old)
    elif kind >= 6:
        return u64(half2(3 if op == 1 else 4, u32(old), u32(value), u32(0), i64(kind == 7)))
    else:
        less = value < old
    return value if less == (op == 1) else old
