"""What one lane computes, for operations too long for a line of the table of semantics.

All are pure functions of scalars, inlined into the interpreter's loops over the 32 lanes. ``rnd`` is 0 to nearest even,
1 down, 2 up, 3 to zero, as the suffixes none, .RM, .RP and .RZ. Results that are NaN have the bits the hardware gives
(0x7fffffff in single precision, PTX ISA, section "Floating Point Instructions").
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.intrinsics import d2u, f2u, fma32, fma64, u2d, u2f

f32, f64 = np.float32, np.float64
u32, u64, i64 = np.uint32, np.uint64, np.int64


@njit(**INNER)
def canon(x):
    """Bits of a single-precision result."""
    return f2u(x) if x == x else u32(0x7FFFFFFF)


@njit(**INNER)
def ftz(u):
    """Subnormal bits to zero of the same sign."""
    return u if (u & u32(0x7F800000)) != 0 else u & u32(0x80000000)


@njit(**INNER)
def sat(u):
    """Clamps to [0, 1]; NaN becomes +0."""
    x = u2f(u32(u))
    return f2u(f32(1.0)) if x >= f32(1.0) else (u32(u) if x > f32(0.0) else u32(0))


@njit(**INNER)
def _step32(r, diff, rnd):
    """The directed rounding of r + diff, where r is the nearest single and diff the sign of what it misses."""
    if diff == 0.0 or diff != diff:
        return r
    up = rnd == 2 or (rnd == 3 and r < 0) or (rnd == 3 and r == 0 and diff < 0)
    if rnd == 3 and r == 0:
        return r
    bits = f2u(r)
    if up and diff > 0:
        if r == 0:
            return u2f(u32(1))
        return u2f(u32(bits + 1)) if r > 0 else u2f(u32(bits - 1))
    down = rnd == 1 or (rnd == 3 and r > 0)
    if down and diff < 0:
        if r == 0:
            return u2f(u32(0x80000001))
        return u2f(u32(bits - 1)) if r > 0 else u2f(u32(bits + 1))
    return r


@njit(**INNER)
def fma_rnd(a, b, c, rnd):
    """a * b + c in single precision; exact in double but for one rounding, whose error is recovered."""
    if rnd == 0:
        return fma32(a, b, c)
    p = f64(a) * f64(b)
    s = p + f64(c)
    t = s - p
    e = (p - (s - t)) + (f64(c) - t)
    r = f32(s)
    if s != s or math.isinf(s):
        return r
    r = _step32(r, (s - f64(r)) + e, rnd)
    if r == 0 and s == 0 and rnd == 1 and not (p == 0 and f64(c) == 0 and not signbit64(p) and not signbit64(f64(c))):
        return u2f(u32(0x80000000))
    return r


@njit(**INNER)
def signbit64(x):
    return (d2u(x) >> u64(63)) != 0


@njit(**INNER)
def fadd_m(a, b, m):
    """m: rounding in bits 0-1, 4 flush subnormals, 8 saturate."""
    if m & 4:
        a, b = ftz(a), ftz(b)
    u = canon(fma_rnd(u2f(u32(a)), f32(1.0), u2f(u32(b)), m & 3))
    if m & 4:
        u = ftz(u)
    return sat(u) if m & 8 else u


@njit(**INNER)
def flushed(u, s, e, rnd):
    """A result with subnormals flushed, where s + e is exact: what would be below 2**-126 rounded to 24 bits, as if

    there were no least exponent, is zero (an H200 does so).
    """
    if u & u32(0x7FFFFFFF) != u32(0x00800000):
        return ftz(u)
    limit = 2.0**-126 * (1.0 - (2.0**-25 if rnd == 0 else 2.0**-24))
    tiny = abs(s) < limit or (abs(s) == limit and (e * s < 0 or (rnd != 0 and e == 0)))
    return u & u32(0x80000000) if tiny else u


@njit(**INNER)
def fmul_m(a, b, m):
    """``m`` as in ``fadd_m``; bits 4-6: the product times 1/2, 1/4, 1/8, 2, 4, 8, with one rounding."""
    if m & 4:
        a, b = ftz(a), ftz(b)
    p = f64(u2f(u32(a))) * f64(u2f(u32(b)))
    k = m >> 4
    if k:
        p *= 2.0 ** f64(-k if k < 4 else k - 3)
    u = canon(_to_single(p, m & 3))
    if m & 4:
        u = flushed(u, p, 0.0, m & 3)
    return sat(u) if m & 8 else u


@njit(**INNER)
def _to_single(p, rnd):
    r = f32(p)
    if rnd == 0 or p != p or math.isinf(p):
        return r
    return _step32(r, p - f64(r), rnd)


@njit(**INNER)
def ffma_m(a, b, c, m):
    if m & 4:
        a, b, c = ftz(a), ftz(b), ftz(c)
    u = canon(fma_rnd(u2f(u32(a)), u2f(u32(b)), u2f(u32(c)), m & 3))
    if m & 4:
        s, e = _two_sum(f64(u2f(u32(a))) * f64(u2f(u32(b))), f64(u2f(u32(c))))
        u = flushed(u, s, e, m & 3)
    return sat(u) if m & 8 else u


@njit(**INNER)
def fminmax(a, b, is_min, m):
    """-0 is below +0; a NaN loses against a number, unless m has bit 1 (.NAN). m bit 4 flushes subnormals."""
    if m & 4:
        a, b = ftz(a), ftz(b)
    x, y = u2f(u32(a)), u2f(u32(b))
    if x != x or y != y:
        if (m & 1) or (x != x and y != y):
            return u32(0x7FFFFFFF)
        return u32(b) if x != x else u32(a)
    if x == y:
        less = (a >> u32(31)) > (b >> u32(31))
    else:
        less = x < y
    return u32(a) if less == is_min else u32(b)


@njit(**INNER)
def dminmax(a, b, is_min):
    x, y = u2d(u64(a)), u2d(u64(b))
    if x != x:
        return u64(b)
    if y != y:
        return u64(a)
    if x == y:
        less = (a >> u64(63)) > (b >> u64(63))
    else:
        less = x < y
    return u64(a) if less == is_min else u64(b)


@njit(**INNER)
def dmin_first(a, b):
    """Whether the minimum of a and b is a: DSETP.MIN, with which the compiler builds ``fmin``."""
    x, y = u2d(u64(a)), u2d(u64(b))
    return x < y or (y != y and x == x) or (x == y and (a >> u64(63)) > (b >> u64(63)))


@njit(**INNER)
def dmax_first(a, b):
    x, y = u2d(u64(a)), u2d(u64(b))
    return x > y or (y != y and x == x) or (x == y and (a >> u64(63)) < (b >> u64(63)))


@njit(**INNER)
def dnan_both(a, b):
    x, y = u2d(u64(a)), u2d(u64(b))
    return x != x and y != y


@njit(**INNER)
def _step64(r, diff, rnd):
    """The directed rounding of r + diff, where r is the nearest double and diff the sign of what it misses."""
    if r != r:
        return r
    if math.isinf(r):
        # The nearest is infinite, the exact value is not: towards zero it is the largest number.
        if (r > 0 and (rnd == 1 or rnd == 3)) or (r < 0 and (rnd == 2 or rnd == 3)):
            return u2d(d2u(r) - u64(1))
        return r
    if diff == 0 or (rnd == 3 and r == 0):
        return r
    bits = d2u(r)
    if diff > 0 and (rnd == 2 or (rnd == 3 and r < 0)):
        if r == 0:
            return u2d(u64(1))
        return u2d(bits + u64(1)) if r > 0 else u2d(bits - u64(1))
    if diff < 0 and (rnd == 1 or (rnd == 3 and r > 0)):
        if r == 0:
            return u2d(u64(0x8000000000000001))
        return u2d(bits - u64(1)) if r > 0 else u2d(bits + u64(1))
    return r


@njit(**INNER)
def _exponent(x):
    """About the binary logarithm of a number that is not zero."""
    e = i64((d2u(x) >> u64(52)) & u64(0x7FF))
    return e - 1023 if e else i64((d2u(x * 2.0**60) >> u64(52)) & u64(0x7FF)) - 1083


@njit(**INNER)
def _scaled(x, e):
    """x times 2 to the power e, in steps that neither overflow nor lose bits of what is in range at the end."""
    while e > 900:
        x, e = x * 2.0**900, e - 900
    while e < -900:
        x, e = x * 2.0**-900, e + 900
    return x * u2d(u64(1023 + e) << u64(52))


@njit(**INNER)
def _two_sum(x, y):
    """The rounded sum and its error."""
    s = x + y
    t = s - x
    return s, (x - (s - t)) + (y - t)


@njit(**INNER)
def _sign_of_sum(a, b, c, d):
    """Sign of a + b + c + d, exactly: the sum as parts that do not overlap (Shewchuk, 1997)."""
    p1, p0 = _two_sum(b, a)
    x, p0 = _two_sum(c, p0)
    p2, p1 = _two_sum(x, p1)
    x, p0 = _two_sum(d, p0)
    x, p1 = _two_sum(x, p1)
    p3, p2 = _two_sum(x, p2)
    largest = p3 if p3 != 0 else (p2 if p2 != 0 else (p1 if p1 != 0 else p0))
    return 1 if largest > 0 else (-1 if largest < 0 else 0)


@njit(**INNER)
def _missed(x, y, z, r):
    """Sign of x * y + z - r for finite numbers, where r is the nearest double."""
    if x == 0 or y == 0:
        return 0
    ex, ey = _exponent(x), _exponent(y)
    mx, my = _scaled(x, -ex), _scaled(y, -ey)
    p = mx * my
    low = fma64(mx, my, -p)
    scale = -(ex + ey)
    sign = 1 if p > 0 else -1
    if z != 0:
        apart = _exponent(z) + scale
        if apart > 200:
            return sign
        if apart < -200:
            exact = _sign_of_sum(p, low, -_scaled(r, scale), 0.0)
            return exact if exact else (1 if z > 0 else -1)
    return _sign_of_sum(p, low, _scaled(z, scale), -_scaled(r, scale))


@njit(**INNER)
def _zero_sum(r, p, z, rnd):
    """Rounded down, a sum that is exactly zero is -0, but for that of two +0."""
    return -0.0 if rnd == 1 and r == 0 and not (p == 0 and z == 0 and not signbit64(p) and not signbit64(z)) else r


@njit(**INNER)
def _finite(x):
    return (d2u(x) >> u64(52)) & u64(0x7FF) != u64(0x7FF)


@njit(**INNER)
def dfma_m(x, y, z, m):
    """x * y + z in double with a directed rounding."""
    r = fma64(x, y, z)
    if m & 3 == 0 or not (_finite(x) and _finite(y) and _finite(z)):
        return r
    if math.isinf(r):
        return _step64(r, 0, m & 3)
    diff = _missed(x, y, z, r)
    return _step64(r, diff, m & 3) if diff else _zero_sum(r, x * y, z, m & 3)


@njit(**INNER)
def dmul_m(x, y, m):
    r = x * y
    if m & 3 == 0 or not (_finite(x) and _finite(y)):
        return r
    return _step64(r, 0 if math.isinf(r) else _missed(x, y, 0.0, r), m & 3)


@njit(**INNER)
def dadd_m(x, y, m):
    r = x + y
    if m & 3 == 0 or not (_finite(x) and _finite(y)):
        return r
    if math.isinf(r):
        return _step64(r, 0, m & 3)
    t = r - x
    diff = (x - (r - t)) + (y - t)
    return _step64(r, diff, m & 3) if diff != 0 else _zero_sum(r, x, y, m & 3)
