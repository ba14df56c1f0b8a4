"""16-bit and 8-bit floating point of a lane; see ``lanes`` for what all of these have in common."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.intrinsics import d2u, u2d, u2f
from mutate.sim.lanes import canon, signbit64

f32, f64 = np.float32, np.float64
u32, u64, i64 = np.uint32, np.uint64, np.int64


@njit(**INNER)
def h2d(h, bf):
    """A 16-bit float (bfloat16 when bf) as a double."""
    h = u32(h) & u32(0xFFFF)
    if bf:
        return f64(u2f(u32(h << u32(16))))
    e, man = (h >> u32(10)) & u32(31), h & u32(0x3FF)
    if e == 0:
        r = f64(man) * 2.0**-24
    elif e == 31:
        r = np.inf if man == 0 else np.nan
    else:
        r = u2d((u64(e) + u64(1008)) << u64(52) | u64(man) << u64(42))
    return -r if h >> u32(15) else r


@njit(**INNER)
def d2h(x, bf, rnd):
    """The nearest 16-bit float (or in the direction rnd); NaN is 0x7fff."""
    if x != x:
        return u32(0x7FFF)
    u = d2u(x)
    sign = u32(u >> u64(48)) & u32(0x8000)
    mag = u & u64(0x7FFFFFFFFFFFFFFF)
    y = u2d(mag)
    drop = u64(45) if bf else u64(42)
    low_exp = 2.0**-126 if bf else 2.0**-14
    top = u32(0x7F80) if bf else u32(0x7C00)
    if math.isinf(y):
        return sign | top
    negative = sign != 0
    up = (rnd == 2 and not negative) or (rnd == 1 and negative)
    if y < low_exp:
        t = y * (2.0**133 if bf else 2.0**24)
        n = np.rint(t) if rnd == 0 else (np.ceil(t) if up else np.floor(t))
        return sign | u32(n)
    if rnd == 0:
        mag = mag + ((u64(1) << (drop - u64(1))) - u64(1)) + ((mag >> drop) & u64(1))
    elif up:
        mag = mag + ((u64(1) << drop) - u64(1))
    mag = mag >> drop
    bias = u64((1023 - 127) << 7) if bf else u64((1023 - 15) << 10)
    bits = mag - bias
    if bits >= u64(top):
        return sign | (top if rnd == 0 or up else u32(top - 1))
    return sign | u32(bits)


@njit(**INNER)
def half_of(a, sw, k):
    """Half k (0 low, 1 high) of a packed pair after the operand's swizzle: 0 H1_H0, 1 H0_H0, 2 H1_H1."""
    take = k if sw == 0 else (0 if sw == 1 else 1)
    return (u32(a) >> u32(16)) if take else (u32(a) & u32(0xFFFF))


@njit(**INNER)
def half_ftz(x, m):
    return math.copysign(0.0, x) if (m & 16) and abs(x) < (2.0**-126 if m & 1 else 2.0**-14) else x


@njit(**INNER)
def half_out(x, m):
    """Rounds to 16 bits. m: 1 bfloat16, 16 flush subnormals, 32 saturate, 64 relu."""
    if m & 32:
        x = 1.0 if x >= 1.0 else (x if x > 0.0 else 0.0)
    if (m & 64) and not x > 0.0 and x == x:
        x = 0.0
    return d2h(half_ftz(x, m), (m & 1) != 0, 0)


@njit(**INNER)
def add_odd(x, y):
    """x + y rounded to odd: an inexact sum has its last bit set, so that a rounding to fewer bits is right."""
    s = x + y
    if s != s or math.isinf(s):
        return s
    t = s - x
    e = (x - (s - t)) + (y - t)
    u = d2u(s)
    if e == 0 or u & u64(1):
        return s
    return u2d(u + u64(1)) if (e > 0) == (s > 0) else u2d(u - u64(1))


@njit(**INNER)
def through_half(x, m):
    """Bits of a single that holds x rounded to 16 bits: the compiler joins an operation on halves and a conversion."""
    return canon(f32(h2d(d2h(x, (m & 1) != 0, 0), (m & 1) != 0)))


@njit(**INNER)
def twice(h):
    """A 16-bit word in both halves."""
    return u32(h) << u32(16) | u32(h)


@njit(**INNER)
def half_in(a, m):
    """The half of a word that a conversion reads: the upper one when m & 512."""
    return u32(a) >> u32(16) if m & 512 else u32(a)


@njit(**INNER)
def f2f8(x, m):
    """The nearest 8-bit float, finite: E4M3, or E5M2 when m & 1. NaN is 0x7f (PTX ISA, ``cvt.rn.satfinite``)."""
    keep, bias, top = (2, 15, u32(0x7B)) if m & 1 else (3, 7, u32(0x7E))
    if x != x:
        return u32(0x7F)
    sign = u32(0x80) if signbit64(x) else u32(0)
    y = abs(x)
    if (m & 2) and signbit64(x):
        return u32(0)
    e = (i64(d2u(y) >> u64(52)) - 1023) if y > 0 else i64(-1000)
    if e > 20:
        return sign | top
    e = max(e, i64(1 - bias))
    n = np.rint(y * 2.0 ** f64(keep - e))
    bits = u32(n) + u32((e + bias - 1) << keep)
    return sign | (top if bits > top else bits)


@njit(**INNER)
def f82h(a, m):
    """An 8-bit float as a half: E4M3, or E5M2 when m & 1."""
    v = u32(a) & u32(255)
    if m & 1:
        return u32(0x7FFF) if (v & u32(0x7F)) > u32(0x7C) else v << u32(8)
    if v & u32(0x7F) == u32(0x7F):
        return u32(0x7FFF)
    e, man = (v >> u32(3)) & u32(15), f64(v & u32(7))
    r = man * 2.0**-9 if e == 0 else (1.0 + man / 8.0) * 2.0 ** (f64(e) - 7.0)
    return d2h(-r if v & u32(128) else r, False, 0)


@njit(**INNER)
def half2(op, a, b, c, m):
    """Two 16-bit operations: op 0 add, 1 multiply, 2 fused multiply-add, 3 min, 4 max.

    m: 1 bfloat16, bits 1-2, 7-8 and 9-10 the swizzles of a, b and c (see ``half_of``), 16 ftz, 32 sat, 64 relu,
    2048 a NaN wins a comparison. Doubles hold all products exactly, and sums as far as one rounding to 16 bits can
    tell.
    """
    out = u32(0)
    for k in range(2):
        bf = (m & 1) != 0
        x = half_ftz(h2d(half_of(a, m >> 1 & 3, k), bf), m)
        y = half_ftz(h2d(half_of(b, m >> 7 & 3, k), bf), m)
        if op == 0:
            r = x + y
        elif op == 1:
            r = x * y
        elif op == 2:
            r = add_odd(x * y, half_ftz(h2d(half_of(c, m >> 9 & 3, k), bf), m))
        elif x != x or y != y:
            r = np.nan if m & 2048 else (y if x != x else x)
        elif x == y:
            r = x if signbit64(x) == (op == 3) else y
        else:
            r = x if (x < y) == (op == 3) else y
        out |= half_out(r, m) << u32(16 * k)
    return out


@njit(**INNER)
def half_cmp(a, b, m, k):
    """Half k compared: bit 0 less, bit 1 equal, bit 2 greater; none when unordered. ``m`` as in ``half2``."""
    bf = (m & 1) != 0
    x = half_ftz(h2d(half_of(a, m >> 1 & 3, k), bf), m)
    y = half_ftz(h2d(half_of(b, m >> 7 & 3, k), bf), m)
    return u32(1) if x < y else (u32(2) if x == y else (u32(4) if x > y else u32(0)))
