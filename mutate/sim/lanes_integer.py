"""Integer and bitwise operations of a lane; see ``lanes`` for what all of these have in common."""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER

u32, u64, i32, i64 = np.uint32, np.uint64, np.int32, np.int64


@njit(**INNER)
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


@njit(**INNER)
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


@njit(**INNER)
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


@njit(**INNER)
def popc(x):
    x = u32(x)
    x = x - ((x >> u32(1)) & u32(0x55555555))
    x = (x & u32(0x33333333)) + ((x >> u32(2)) & u32(0x33333333))
    x = (x + (x >> u32(4))) & u32(0x0F0F0F0F)
    return u32(u32(x * u32(0x01010101)) >> u32(24))


@njit(**INNER)
def brev(x):
    x = u32(x)
    x = u32((x >> u32(1)) & u32(0x55555555) | (x & u32(0x55555555)) << u32(1))
    x = u32((x >> u32(2)) & u32(0x33333333) | (x & u32(0x33333333)) << u32(2))
    x = u32((x >> u32(4)) & u32(0x0F0F0F0F) | (x & u32(0x0F0F0F0F)) << u32(4))
    x = u32((x >> u32(8)) & u32(0x00FF00FF) | (x & u32(0x00FF00FF)) << u32(8))
    return u32(x >> u32(16) | x << u32(16))


@njit(**INNER)
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


@njit(**INNER)
def bmsk(a, b, m):
    """b ones from bit a on; m & 1 wraps both at 32, else they are clamped."""
    if m & 1:
        a, b = u32(a) & u32(31), u32(b) & u32(31)
    if a >= 32:
        return u32(0)
    ones = u64(0xFFFFFFFF) if b >= 32 else (u64(1) << u64(b)) - u64(1)
    return u32(ones << u64(a))


@njit(**INNER)
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


@njit(**INNER)
def leahi(a, b, c, m):
    """High word of {c:a} << m (0 to 31), plus b; as 33 bits for the carry."""
    value = u64(c) << u64(32) | u64(a)
    return u64(u32(value >> u64(32 - m))) + u64(b) if m else u64(c) + u64(b)


@njit(**INNER)
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


@njit(**INNER)
def vabsdiff(a, b, c, m):
    """|a - b| + c; signed when m & 1."""
    x, y = (i64(i32(a)), i64(i32(b))) if m & 1 else (i64(u32(a)), i64(u32(b)))
    return u32((abs(x - y) + i64(u32(c))) & 0xFFFFFFFF)


@njit(**INNER)
def vabsdiff4(a, b, c, m):
    """|a - b| of four unsigned bytes, side by side; with m & 1 their sum is added to c."""
    total, out = u32(c), u32(0)
    for i in range(4):
        x, y = (u32(a) >> u32(8 * i)) & u32(255), (u32(b) >> u32(8 * i)) & u32(255)
        d = x - y if x > y else y - x
        total = u32(total + d)
        out |= u32(d) << u32(8 * i)
    return total if m & 1 else out


@njit(**INNER)
def viadd16(a, b):
    """Sums of 16-bit halves."""
    low = (u32(a) + u32(b)) & u32(0xFFFF)
    return u32(((u32(a) >> u32(16)) + (u32(b) >> u32(16))) << u32(16)) | low


@njit(**INNER)
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


@njit(**INNER)
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


@njit(**INNER)
def mulhi_add(product, c):
    """High word of a 64-bit product plus a register pair."""
    return u32(u64(product + c) >> u64(32))


@njit(**INNER)
def carry64(product, c, p):
    """Whether product + c + p passes 64 bits."""
    t = u64(product + c)
    return t < c or u64(t + u64(p)) < t


@njit(**INNER)
def addmin_s(x, c, is_min):
    return x if (i32(x) < i32(c)) == is_min else u32(c)


@njit(**INNER)
def addmin_u(x, c, is_min):
    return x if (x < u32(c)) == is_min else u32(c)


@njit(**INNER)
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


@njit(**INNER)
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
