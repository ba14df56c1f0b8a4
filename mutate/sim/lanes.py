"""What one lane computes, for operations too long for a line of the table of semantics.

All are pure functions of scalars, inlined into the interpreter's loops over the 32 lanes. ``rnd`` is 0 to nearest even,
1 down, 2 up, 3 to zero, as the suffixes none, .RM, .RP and .RZ. Results that are NaN have the bits the hardware gives
(0x7fffffff in single precision, PTX ISA, section "Floating Point Instructions").
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from mutate.sim.intrinsics import d2u, f2u, fma32, fma64, u2d, u2f

_INLINE = {"inline": "never", "error_model": "numpy", "cache": False}
f32, f64 = np.float32, np.float64
u32, u64, i32, i64 = np.uint32, np.uint64, np.int32, np.int64

NAN32 = np.uint32(0x7FFFFFFF)


@njit(**_INLINE)
def canon(x):
    """Bits of a single-precision result."""
    return f2u(x) if x == x else u32(0x7FFFFFFF)


@njit(**_INLINE)
def ftz(u):
    """Subnormal bits to zero of the same sign."""
    return u if (u & u32(0x7F800000)) != 0 else u & u32(0x80000000)


@njit(**_INLINE)
def sat(u):
    """Clamps to [0, 1]; NaN becomes +0."""
    x = u2f(u32(u))
    return f2u(f32(1.0)) if x >= f32(1.0) else (u32(u) if x > f32(0.0) else u32(0))


@njit(**_INLINE)
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


@njit(**_INLINE)
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


@njit(**_INLINE)
def signbit64(x):
    return (d2u(x) >> u64(63)) != 0


@njit(**_INLINE)
def fadd_m(a, b, m):
    """m: rounding in bits 0-1, 4 flush subnormals, 8 saturate."""
    if m & 4:
        a, b = ftz(a), ftz(b)
    u = canon(fma_rnd(u2f(u32(a)), f32(1.0), u2f(u32(b)), m & 3))
    if m & 4:
        u = ftz(u)
    return sat(u) if m & 8 else u


@njit(**_INLINE)
def flushed(u, s, e, rnd):
    """A result with subnormals flushed, where s + e is exact: what would be below 2**-126 rounded to 24 bits, as if

    there were no least exponent, is zero (an H200 does so).
    """
    if u & u32(0x7FFFFFFF) != u32(0x00800000):
        return ftz(u)
    limit = 2.0**-126 * (1.0 - (2.0**-25 if rnd == 0 else 2.0**-24))
    tiny = abs(s) < limit or (abs(s) == limit and (e * s < 0 or (rnd != 0 and e == 0)))
    return u & u32(0x80000000) if tiny else u


@njit(**_INLINE)
def fmul_m(a, b, m):
    """``m`` as in ``fadd_m``; bits 4-6: the product times 1/2, 1/4, 2, 4, 8, with one rounding."""
    if m & 4:
        a, b = ftz(a), ftz(b)
    p = f64(u2f(u32(a))) * f64(u2f(u32(b)))
    k = m >> 4
    if k:
        p *= 0.5 if k == 1 else (0.25 if k == 2 else 2.0 ** f64(k - 2))
    u = canon(_to_single(p, m & 3))
    if m & 4:
        u = flushed(u, p, 0.0, m & 3)
    return sat(u) if m & 8 else u


@njit(**_INLINE)
def _to_single(p, rnd):
    r = f32(p)
    if rnd == 0 or p != p or math.isinf(p):
        return r
    return _step32(r, p - f64(r), rnd)


@njit(**_INLINE)
def ffma_m(a, b, c, m):
    if m & 4:
        a, b, c = ftz(a), ftz(b), ftz(c)
    u = canon(fma_rnd(u2f(u32(a)), u2f(u32(b)), u2f(u32(c)), m & 3))
    if m & 4:
        s, e = _two_sum(f64(u2f(u32(a))) * f64(u2f(u32(b))), f64(u2f(u32(c))))
        u = flushed(u, s, e, m & 3)
    return sat(u) if m & 8 else u


@njit(**_INLINE)
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


@njit(**_INLINE)
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


@njit(**_INLINE)
def dmin_first(a, b):
    """Whether the minimum of a and b is a: DSETP.MIN, with which the compiler builds ``fmin``."""
    x, y = u2d(u64(a)), u2d(u64(b))
    return x < y or (y != y and x == x) or (x == y and (a >> u64(63)) > (b >> u64(63)))


@njit(**_INLINE)
def dmax_first(a, b):
    x, y = u2d(u64(a)), u2d(u64(b))
    return x > y or (y != y and x == x) or (x == y and (a >> u64(63)) < (b >> u64(63)))


@njit(**_INLINE)
def dnan_both(a, b):
    x, y = u2d(u64(a)), u2d(u64(b))
    return x != x and y != y


@njit(**_INLINE)
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


@njit(**_INLINE)
def _exponent(x):
    """About the binary logarithm of a number that is not zero."""
    e = i64((d2u(x) >> u64(52)) & u64(0x7FF))
    return e - 1023 if e else i64((d2u(x * 2.0**60) >> u64(52)) & u64(0x7FF)) - 1083


@njit(**_INLINE)
def _scaled(x, e):
    """x times 2 to the power e, in steps that neither overflow nor lose bits of what is in range at the end."""
    while e > 900:
        x, e = x * 2.0**900, e - 900
    while e < -900:
        x, e = x * 2.0**-900, e + 900
    return x * u2d(u64(1023 + e) << u64(52))


@njit(**_INLINE)
def _two_sum(x, y):
    """The rounded sum and its error."""
    s = x + y
    t = s - x
    return s, (x - (s - t)) + (y - t)


@njit(**_INLINE)
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


@njit(**_INLINE)
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


@njit(**_INLINE)
def _zero_sum(r, p, z, rnd):
    """Rounded down, a sum that is exactly zero is -0, but for that of two +0."""
    return -0.0 if rnd == 1 and r == 0 and not (p == 0 and z == 0 and not signbit64(p) and not signbit64(z)) else r


@njit(**_INLINE)
def _finite(x):
    return (d2u(x) >> u64(52)) & u64(0x7FF) != u64(0x7FF)


@njit(**_INLINE)
def dfma_m(x, y, z, m):
    """x * y + z in double with a directed rounding."""
    r = fma64(x, y, z)
    if m & 3 == 0 or not (_finite(x) and _finite(y) and _finite(z)):
        return r
    if math.isinf(r):
        return _step64(r, 0, m & 3)
    diff = _missed(x, y, z, r)
    return _step64(r, diff, m & 3) if diff else _zero_sum(r, x * y, z, m & 3)


@njit(**_INLINE)
def dmul_m(x, y, m):
    r = x * y
    if m & 3 == 0 or not (_finite(x) and _finite(y)):
        return r
    return _step64(r, 0 if math.isinf(r) else _missed(x, y, 0.0, r), m & 3)


@njit(**_INLINE)
def dadd_m(x, y, m):
    r = x + y
    if m & 3 == 0 or not (_finite(x) and _finite(y)):
        return r
    if math.isinf(r):
        return _step64(r, 0, m & 3)
    t = r - x
    diff = (x - (r - t)) + (y - t)
    return _step64(r, diff, m & 3) if diff != 0 else _zero_sum(r, x, y, m & 3)


# --- integers --------------------------------------------------------------------------------------------------------


@njit(**_INLINE)
def lop3(a, b, c, m):
    """Bitwise function of three words by its truth table m (bit index 4 a + 2 b + c)."""
    r = u32(0)
    r |= (~a & ~b & ~c) & u32(-(m & 1))
    r |= (~a & ~b & c) & u32(-(m >> 1 & 1))
    r |= (~a & b & ~c) & u32(-(m >> 2 & 1))
    r |= (~a & b & c) & u32(-(m >> 3 & 1))
    r |= (a & ~b & ~c) & u32(-(m >> 4 & 1))
    r |= (a & ~b & c) & u32(-(m >> 5 & 1))
    r |= (a & b & ~c) & u32(-(m >> 6 & 1))
    r |= (a & b & c) & u32(-(m >> 7 & 1))
    return r


@njit(**_INLINE)
def shf(a, s, c, m):
    """Funnel shift of {c:a}. m: 1 left, 2 high word, 4 signed, 8 wrap, 16 64-bit."""
    limit = u32(64) if m & 16 else u32(32)
    n = u64(s & (limit - u32(1))) if m & 8 else u64(min(u32(s), limit))
    value = u64(c) << u64(32) | u64(a)
    if m & 1:
        value = value << n if n < u64(64) else u64(0)
    elif m & 4:
        value = u64(i64(value) >> i64(min(n, u64(63))))
    else:
        value = value >> n if n < u64(64) else u64(0)
    return u32(value >> u64(32)) if m & 2 else u32(value)


@njit(**_INLINE)
def prmt(a, s, c, m):
    """Bytes of {c:a} picked by the nibbles of s; m is the mode: 0 index, 1 F4E, 2 B4E, 3 RC8, 4 ECL, 5 ECR, 6 RC16."""
    value = u64(c) << u64(32) | u64(a)
    out = u32(0)
    for i in range(4):
        k = u32(s) & u32(3)
        sign = False
        if m == 0:
            nibble = (u32(s) >> u32(4 * i)) & u32(15)
            k, sign = nibble & u32(7), nibble >= u32(8)
        elif m == 1:
            k = k + u32(i)
        elif m == 2:
            k = (k - u32(i)) & u32(7)
        elif m == 4:
            k = max(k, u32(i))
        elif m == 5:
            k = min(k, u32(i))
        elif m == 6:
            k = (u32(s) & u32(1)) * u32(2) + u32(i & 1)
        byte = u32(value >> u64(8 * k)) & u32(255)
        if sign:
            byte = u32(255) if byte & u32(128) else u32(0)
        out |= byte << u32(8 * i)
    return out


@njit(**_INLINE)
def popc(x):
    x = u32(x)
    x = x - ((x >> u32(1)) & u32(0x55555555))
    x = (x & u32(0x33333333)) + ((x >> u32(2)) & u32(0x33333333))
    x = (x + (x >> u32(4))) & u32(0x0F0F0F0F)
    return u32(u32(x * u32(0x01010101)) >> u32(24))


@njit(**_INLINE)
def brev(x):
    x = u32(x)
    x = u32((x >> u32(1)) & u32(0x55555555) | (x & u32(0x55555555)) << u32(1))
    x = u32((x >> u32(2)) & u32(0x33333333) | (x & u32(0x33333333)) << u32(2))
    x = u32((x >> u32(4)) & u32(0x0F0F0F0F) | (x & u32(0x0F0F0F0F)) << u32(4))
    x = u32((x >> u32(8)) & u32(0x00FF00FF) | (x & u32(0x00FF00FF)) << u32(8))
    return u32(x >> u32(16) | x << u32(16))


@njit(**_INLINE)
def flo(x, m):
    """Position of the highest set bit, of the highest bit unlike the sign when m & 1; from the top when m & 2."""
    x = u32(x)
    if (m & 1) and (x >> u32(31)):
        x = u32(~x)
    if x == 0:
        return u32(0xFFFFFFFF)
    n = u32(0)
    for k in (16, 8, 4, 2, 1):
        if x >> u32(k):
            n += u32(k)
            x = u32(x >> u32(k))
    return u32(31) - n if m & 2 else n


@njit(**_INLINE)
def bmsk(a, b, m):
    """b ones from bit a on; m & 1 wraps both at 32, else they are clamped."""
    if m & 1:
        a, b = u32(a) & u32(31), u32(b) & u32(31)
    if a >= 32:
        return u32(0)
    ones = u64(0xFFFFFFFF) if b >= 32 else (u64(1) << u64(b)) - u64(1)
    return u32(ones << u64(a))


@njit(**_INLINE)
def sgxt(a, b, m):
    """The low b bits, sign-extended, or zero-extended when m & 1."""
    if m & 2:
        b = u32(b) & u32(31)
    if b >= 32:
        return u32(a)
    if b == 0:
        return u32(0)
    low = u32(a) & u32((u64(1) << u64(b)) - u64(1))
    if m & 1 or not (low >> u32(b - 1)):
        return low
    return u32(low | u32(~u32((u64(1) << u64(b)) - u64(1))))


@njit(**_INLINE)
def leahi(a, b, c, m):
    """High word of {c:a} << m (0 to 31), plus b; as 33 bits for the carry."""
    value = u64(c) << u64(32) | u64(a)
    return u64(u32(value >> u64(32 - m))) + u64(b) if m else u64(c) + u64(b)


@njit(**_INLINE)
def idp(a, b, c, m):
    """Dot product added to c. m: 1 a signed, 2 b signed, 4 two 16-bit (else four 8-bit), 8 the high bytes of b."""
    total = i64(i32(c))
    n = 2 if m & 4 else 4
    width = 16 if m & 4 else 8
    for i in range(n):
        x = i64((u32(a) >> u32(width * i)) & u32((1 << width) - 1))
        y = i64((u32(b) >> u32(8 * (i + (2 if m & 8 else 0)))) & u32(255))
        if (m & 1) and x >= (1 << (width - 1)):
            x -= 1 << width
        if (m & 2) and y >= 128:
            y -= 256
        total += x * y
    return u32(total & 0xFFFFFFFF)


@njit(**_INLINE)
def vabsdiff(a, b, c, m):
    """|a - b| + c; signed when m & 1."""
    x, y = (i64(i32(a)), i64(i32(b))) if m & 1 else (i64(u32(a)), i64(u32(b)))
    return u32((abs(x - y) + i64(u32(c))) & 0xFFFFFFFF)


@njit(**_INLINE)
def vabsdiff4(a, b, c, m):
    """|a - b| of four unsigned bytes, side by side; with m & 1 their sum is added to c."""
    total, out = u32(c), u32(0)
    for i in range(4):
        x, y = (u32(a) >> u32(8 * i)) & u32(255), (u32(b) >> u32(8 * i)) & u32(255)
        d = x - y if x > y else y - x
        total = u32(total + d)
        out |= u32(d) << u32(8 * i)
    return total if m & 1 else out


@njit(**_INLINE)
def viadd16(a, b):
    """Sums of 16-bit halves."""
    low = (u32(a) + u32(b)) & u32(0xFFFF)
    return u32(((u32(a) >> u32(16)) + (u32(b) >> u32(16))) << u32(16)) | low


@njit(**_INLINE)
def _vimnmx_part(x, y, z, bits, m, is_min):
    if m & 8:
        x = (x + y) & ((i64(1) << i64(bits)) - 1)
    if m & 1:
        half = i64(1) << i64(bits - 1)
        x, y, z = (x ^ half) - half, (y ^ half) - half, (z ^ half) - half
    if m & 8:
        r = min(x, z) if is_min else max(x, z)
    else:
        r = min(x, y) if is_min else max(x, y)
        if m & 16:
            r = min(r, z) if is_min else max(r, z)
    return max(r, i64(0)) if m & 4 else r


@njit(**_INLINE)
def vimnmx(a, b, c, m, is_min):
    """Minimum or maximum of a and b. m: 1 signed, 2 two 16-bit halves, 4 then at least 0, 8 of a + b and c, 16 of all

    three.
    """
    if not m & 2:
        return u32(_vimnmx_part(i64(u32(a)), i64(u32(b)), i64(u32(c)), 32, m, is_min) & 0xFFFFFFFF)
    out = u32(0)
    for k in (0, 16):
        r = _vimnmx_part(i64((u32(a) >> u32(k)) & u32(0xFFFF)), i64((u32(b) >> u32(k)) & u32(0xFFFF)),
                         i64((u32(c) >> u32(k)) & u32(0xFFFF)), 16, m, is_min)
        out |= u32(r & 0xFFFF) << u32(k)
    return out


# --- special functions and conversions -------------------------------------------------------------------------------


@njit(**_INLINE)
def mufu(a, m):
    """The special-function unit, computed in double and rounded once: within 1 ulp of exact, 2 ulp of the hardware

    (LG2 near 1, SIN, COS and TANH: as near in absolute terms as the hardware, PTX ISA).

    m: 0 RCP, 1 RSQ, 2 SQRT, 3 EX2, 4 LG2, 5 SIN, 6 COS (of turns), 7 TANH. Subnormals count as zero on both sides but
    for TANH.
    """
    if m == 7:
        return canon(f32(math.tanh(f64(u2f(u32(a))))))
    x = f64(u2f(ftz(u32(a))))
    if m == 0:
        r = math.copysign(np.inf, x) if x == 0 else 1.0 / x
    elif m == 1:
        r = math.copysign(np.inf, x) if x == 0 else (1.0 / math.sqrt(x) if x > 0 else np.nan)
    elif m == 2:
        r = x if x == 0 else (math.sqrt(x) if x > 0 else np.nan)
    elif m == 3:
        r = 2.0**x if abs(x) < 1000 else (np.inf if x > 0 else (0.0 if x < 0 else x))
    elif m == 4:
        r = -np.inf if x == 0 else (math.log2(x) if x > 0 else np.nan)
    elif math.isinf(x):
        r = np.nan
    elif m == 5:
        turn = abs(x - np.trunc(x))
        r = math.sin(turn * (2.0 * math.pi)) if turn != 0 and turn != 0.5 else 0.0
        r = -r if signbit64(x) else r
    else:
        turn = abs(x - np.trunc(x))
        r = math.cos(turn * (2.0 * math.pi)) if turn != 0.25 and turn != 0.75 else 0.0
    return ftz(canon(f32(r)))


@njit(**_INLINE)
def mufu64(a, m):
    """High word of an approximate reciprocal (m = 0) or reciprocal square root (1) of the double with high word a.

    An H200 rounds up from about 0.93 (0.94) of a unit on; within 1 unit of it always.
    """
    x = u2d(u64(a) << u64(32))
    sign = u32(a) & u32(0x80000000)
    if x != x:
        return u32(0x7FFFFFFF)
    if (d2u(x) >> u64(52)) & u64(0x7FF) == 0:
        return sign | u32(0x7FF00000)
    if math.isinf(x):
        return sign if m == 0 or x > 0 else u32(0x7FFFFFFF)
    if m == 1 and x < 0:
        return u32(0x7FFFFFFF)
    u = d2u(1.0 / x if m == 0 else 1.0 / math.sqrt(x))
    if (u >> u64(52)) & u64(0x7FF) == 0:
        return sign
    return u32((u + u64(0x11000000 if m == 0 else 0x0E800000)) >> u64(32))


@njit(**_INLINE)
def narrow(m):
    """Bits of the integer that a conversion gives: 8 when m & 16, 16 when m & 32."""
    return 8 if m & 16 else (16 if m & 32 else 32)


@njit(**_INLINE)
def clamp_int(a, m):
    """I2I.SAT: an integer (signed when m & 64) clamped to 8 (m & 16) or 16 bits (m & 32), signed when m & 8."""
    x = i64(i32(a)) if m & 64 else i64(u32(a))
    bits = i64(narrow(m))
    low, high = (-(i64(1) << (bits - 1)), (i64(1) << (bits - 1)) - 1) if m & 8 else (i64(0), (i64(1) << bits) - 1)
    return u32(min(max(x, low), high) & 0xFFFFFFFF)


@njit(**_INLINE)
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


@njit(**_INLINE)
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


@njit(**_INLINE)
def d2f(x, m):
    """Bits of a double as a single. A NaN keeps its sign and the upper bits of its payload, and becomes quiet."""
    if x != x:
        u = d2u(x)
        return (u32(u >> u64(32)) & u32(0x80000000)) | u32(0x7FC00000) | u32((u >> u64(29)) & u64(0x3FFFFF))
    return ftz_if(f2u(_to_single(x, m & 3)), m)


@njit(**_INLINE)
def d2h_nan(x, bf, rnd):
    """Bits of a double as a 16-bit float; of a NaN as in ``d2f``."""
    if x != x:
        u = d2u(x)
        sign = u32(u >> u64(48)) & u32(0x8000)
        if bf:
            return sign | u32(0x7FC0) | u32((u >> u64(45)) & u64(0x3F))
        return sign | u32(0x7E00) | u32((u >> u64(42)) & u64(0x1FF))
    return d2h(x, bf, rnd)


@njit(**_INLINE)
def frnd(x, m):
    r = m & 3
    return np.floor(x) if r == 1 else (np.ceil(x) if r == 2 else (np.trunc(x) if r == 3 else np.rint(x)))


@njit(**_INLINE)
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


@njit(**_INLINE)
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


@njit(**_INLINE)
def half_of(a, sw, k):
    """Half k (0 low, 1 high) of a packed pair after the operand's swizzle: 0 H1_H0, 1 H0_H0, 2 H1_H1."""
    take = k if sw == 0 else (0 if sw == 1 else 1)
    return (u32(a) >> u32(16)) if take else (u32(a) & u32(0xFFFF))


@njit(**_INLINE)
def half_ftz(x, m):
    return math.copysign(0.0, x) if (m & 16) and abs(x) < (2.0**-126 if m & 1 else 2.0**-14) else x


@njit(**_INLINE)
def half_out(x, m):
    """Rounds to 16 bits. m: 1 bfloat16, 16 flush subnormals, 32 saturate, 64 relu."""
    if m & 32:
        x = 1.0 if x >= 1.0 else (x if x > 0.0 else 0.0)
    if (m & 64) and not x > 0.0 and x == x:
        x = 0.0
    return d2h(half_ftz(x, m), (m & 1) != 0, 0)


@njit(**_INLINE)
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


@njit(**_INLINE)
def twice(h):
    """A 16-bit word in both halves."""
    return u32(h) << u32(16) | u32(h)


@njit(**_INLINE)
def half_in(a, m):
    """The half of a word that a conversion reads: the upper one when m & 512."""
    return u32(a) >> u32(16) if m & 512 else u32(a)


@njit(**_INLINE)
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


@njit(**_INLINE)
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


@njit(**_INLINE)
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


@njit(**_INLINE)
def half_cmp(a, b, m, k):
    """Half k compared: bit 0 less, bit 1 equal, bit 2 greater; none when unordered. ``m`` as in ``half2``."""
    bf = (m & 1) != 0
    x = half_ftz(h2d(half_of(a, m >> 1 & 3, k), bf), m)
    y = half_ftz(h2d(half_of(b, m >> 7 & 3, k), bf), m)
    return u32(1) if x < y else (u32(2) if x == y else (u32(4) if x > y else u32(0)))


@njit(**_INLINE)
def mulhi_add(product, c):
    """High word of a 64-bit product plus a register pair."""
    return u32(u64(product + c) >> u64(32))


@njit(**_INLINE)
def carry64(product, c, p):
    """Whether product + c + p passes 64 bits."""
    t = u64(product + c)
    return t < c or u64(t + u64(p)) < t


@njit(**_INLINE)
def addmin_s(x, c, is_min):
    return x if (i32(x) < i32(c)) == is_min else u32(c)


@njit(**_INLINE)
def addmin_u(x, c, is_min):
    return x if (x < u32(c)) == is_min else u32(c)


@njit(**_INLINE)
def fchk(a, b):
    """Whether the fast path of a / b may go wrong: an operand or the quotient is near the ends of the range.

    The limits are those of an H200, found by trying all pairs of exponents.
    """
    ea, eb = i32((a >> u32(23)) & u32(255)), i32((b >> u32(23)) & u32(255))
    return eb < 2 or eb > 251 or ea == 255 or ea < 25 or ea - eb > 126 or ea - eb < -124


@njit(**_INLINE)
def extend(a, m):
    """An integer operand to 64 bits. m: 8 signed, 16 one byte, 32 two bytes, 256 and 512 the byte's number."""
    x = u32(a)
    if m & 16:
        x = (x >> u32(8 * (m >> 8 & 3))) & u32(255)
        return u64(i64(x) - 256) if (m & 8) and x >= 128 else u64(x)
    if m & 32:
        x = (x >> u32(8 * (m >> 8 & 3))) & u32(0xFFFF)
        return u64(i64(x) - 65536) if (m & 8) and x >= 32768 else u64(x)
    return u64(i64(i32(x))) if m & 8 else u64(x)


@njit(**_INLINE)
def ftz_if(a, m):
    return ftz(u32(a)) if m & 4 else u32(a)


@njit(**_INLINE)
def relu_if(x, m):
    return 0.0 if (m & 128) and x < 0.0 else x


@njit(**_INLINE)
def pack_int(a, b, c, m):
    """I2IP: two words saturated to m & 31 bits each side by side, above the low part of c. m: 32 signed."""
    bits = m & 31
    out = u32(0)
    for k in range(2):
        x = i64(i32(a if k == 1 else b))
        if m & 32:
            lo, hi = -(i64(1) << i64(bits - 1)), (i64(1) << i64(bits - 1)) - i64(1)
        else:
            lo, hi = i64(0), (i64(1) << i64(bits)) - i64(1)
        x = lo if x < lo else (hi if x > hi else x)
        out |= u32(x & ((i64(1) << i64(bits)) - i64(1))) << u32(bits * k)
    return out | u32(c) << u32(2 * bits) if bits < 16 else out




