"""Conversions of a lane; see ``lanes`` for what all of these have in common."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.intrinsics import d2u, f2u
from mutate.sim.lanes import _to_single, ftz
from mutate.sim.lanes_half import d2h

f32, f64 = np.float32, np.float64
u32, u64, i32, i64 = np.uint32, np.uint64, np.int32, np.int64


@njit(**INNER)
def narrow(m):
    """Bits of the integer that a conversion gives: 8 when m & 16, 16 when m & 32."""
    return 8 if m & 16 else (16 if m & 32 else 32)


@njit(**INNER)
def clamp_int(a, m):
    """I2I.SAT: an integer (signed when m & 64) clamped to 8 (m & 16) or 16 bits (m & 32), signed when m & 8."""
    x = i64(i32(a)) if m & 64 else i64(u32(a))
    bits = i64(narrow(m))
    low, high = (-(i64(1) << (bits - 1)), (i64(1) << (bits - 1)) - 1) if m & 8 else (i64(0), (i64(1) << bits) - 1)
    return u32(min(max(x, low), high) & 0xFFFFFFFF)


@njit(**INNER)
def to_int(x, m, bits, signed):
    """A number to an integer of that many bits, saturated; NaN as the hardware has it.

    m: rounding (0 even, 1 floor, 2 ceil, 3 truncate).
    """
    if x != x:
        return u64(0x8000000000000000) if bits == 64 else u64(0)
    r = m & 3
    y = np.floor(x) if r == 1 else (np.ceil(x) if r == 2 else (np.trunc(x) if r == 3 else np.rint(x)))
    if signed:
        top = 2.0 ** (bits - 1)
        if y >= top:
            return (u64(1) << u64(bits - 1)) - u64(1)
        if y < -top:
            return u64(0) - (u64(1) << u64(bits - 1))
        return u64(i64(y))
    if y <= 0:
        return u64(0)
    if y >= 2.0**bits:
        return u64(0xFFFFFFFFFFFFFFFF) >> u64(64 - bits)
    if y >= 2.0**63:
        return u64(i64(y - 2.0**63)) + (u64(1) << u64(63))
    return u64(i64(y))


@njit(**INNER)
def from_int(v, signed, rnd, to64):
    """Bits of the float nearest to a 64-bit integer (in the direction rnd)."""
    negative = signed and i64(v) < 0
    mag = u64(0) - v if negative else v
    if mag == 0:
        return u64(0)
    n = 63
    while not mag >> u64(n):
        n -= 1
    keep = 52 if to64 else 23
    bias = 1023 if to64 else 127
    if n <= keep:
        mant = mag << u64(keep - n)
    else:
        drop = u64(n - keep)
        mant = mag >> drop
        rest = mag & ((u64(1) << drop) - u64(1))
        half = u64(1) << (drop - u64(1))
        up = (rest > half or (rest == half and mant & u64(1))) if rnd == 0 else (
            rest != 0 and ((rnd == 2 and not negative) or (rnd == 1 and negative)))
        if up:
            mant += u64(1)
    out = (u64(n + bias - 1) << u64(keep)) + mant
    if negative:
        out |= u64(1) << (u64(63) if to64 else u64(31))
    return out


@njit(**INNER)
def d2f(x, m):
    """Bits of a double as a single. A NaN keeps its sign and the upper bits of its payload, and becomes quiet."""
    if x != x:
        u = d2u(x)
        return (u32(u >> u64(32)) & u32(0x80000000)) | u32(0x7FC00000) | u32((u >> u64(29)) & u64(0x3FFFFF))
    return ftz_if(f2u(_to_single(x, m & 3)), m)


@njit(**INNER)
def d2h_nan(x, bf, rnd):
    """Bits of a double as a 16-bit float; of a NaN as in ``d2f``."""
    if x != x:
        u = d2u(x)
        sign = u32(u >> u64(48)) & u32(0x8000)
        if bf:
            return sign | u32(0x7FC0) | u32((u >> u64(45)) & u64(0x3F))
        return sign | u32(0x7E00) | u32((u >> u64(42)) & u64(0x1FF))
    return d2h(x, bf, rnd)


@njit(**INNER)
def frnd(x, m):
    r = m & 3
    return np.floor(x) if r == 1 else (np.ceil(x) if r == 2 else (np.trunc(x) if r == 3 else np.rint(x)))


@njit(**INNER)
def fchk(a, b):
    """Whether the fast path of a / b may go wrong: an operand or the quotient is near the ends of the range.

    The limits are those of an H200, found by trying all pairs of exponents.
    """
    ea, eb = i32((a >> u32(23)) & u32(255)), i32((b >> u32(23)) & u32(255))
    return eb < 2 or eb > 251 or ea == 255 or ea < 25 or ea - eb > 126 or ea - eb < -124


@njit(**INNER)
def ftz_if(a, m):
    return ftz(u32(a)) if m & 4 else u32(a)


@njit(**INNER)
def relu_if(x, m):
    return 0.0 if (m & 128) and x < 0.0 else x
