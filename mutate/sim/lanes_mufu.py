"""The special-function unit of a lane, bit for bit as an H200 answers; see ``lanes`` for what lanes' functions share.

The unit evaluates ``c0 + c1 x + c2 x²`` in fixed point, where the operand's upper bits pick the coefficients and x is
the rest (S. F. Oberman, M. Y. Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005). How its
words are cut is what the project envytools found for NVIDIA's first such unit, G80's, and all answers of an H200 agree;
for SQRT and TANH, which G80 lacks, it follows from the answers. The coefficients are the H200's: recovered from
its answers, and the only ones from which these come out (``tests/gpu/mufu_probe.py``, which has also compared all
2**32 operands of each function). Of older architectures the same is assumed.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.code import TABLES
from mutate.sim.inner import INNER
from mutate.sim.intrinsics import d2u, f2u, u2f
from mutate.sim.lanes_half import d2h, h2d, half_in

f32, f64 = np.float32, np.float64
u32, u64, i32, i64 = np.uint32, np.uint64, np.int32, np.int64
RCP, RSQ, SQRT, EX2, LG2, SIN, COS, TANH = range(8)


def _tables():
    """Coefficients of all functions one below the other, shape (rows, 4), and each function's first row."""
    rows = [line.split(",") for line in TABLES.read_text().splitlines() if line[0] != "#"][1:]
    names = [row[0] for row in rows]
    first = [names.index(name) for name in ("rcp", "rsq", "sqrt", "ex2", "lg2", "sin", "sin", "tanh")]
    return np.array([row[1:] for row in rows], np.int32), np.array(first, np.int32)


_C, _FIRST = _tables()
# By function: bits by which c0 and the square are shifted to the left, and what is added to round.
_PLACE = np.array([14, 14, 15, 13, 12, 11, 11, 15], np.int32)
_TWICE = np.array([1, 2, 1, 0, 1, 0, 0, 0], np.int32)
_ROUND = np.array([0x8FCE, 0x7FFF, 0xFFFF, 0x77E2, 0x3345, 0, 0, 0], np.int32)
# Of TANH for operands in [2**(k - 8), 2**(k - 7)): the binary logarithm of its segments' number, and the first of them.
_TANH_LOG = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3], np.int32)
_TANH_FIRST = np.cumsum(1 << _TANH_LOG).astype(np.int32) - (1 << _TANH_LOG)
_NAN, _INF, _SIGN = u32(0x7FFFFFFF), u32(0x7F800000), u32(0x80000000)


@njit(**INNER)
def _interpolate(function, segment, x):
    """The quadratic of a segment at its 17 bits x.

    Of every partial product of x² only what lies above 2**18 is summed.
    """
    square = i64(0)
    for i in range(17):
        square += (x >> (18 - i)) & -((x >> i) & 1)
    row = i64(_FIRST[function]) + segment
    return ((i64(_C[row, 0]) << i64(_PLACE[function])) + i64(_C[row, 1]) * x
            + i64(_C[row, 2]) * (square >> 1 << i64(_TWICE[function])) + i64(_ROUND[function]))


@njit(**INNER)
def _float(r, unit):
    """Bits of r / 2**unit (0 <= r < 2**53) as a single, cut to 24 bits."""
    return u32((d2u(f64(r)) >> u64(29)) - (u64(1023 - 127 + unit) << u64(23))) if r != 0 else u32(0)


@njit(**INNER)
def _exceptional(a, m):
    """Whether a function does not interpolate for an operand, and what it gives then."""
    negative, size = (a & _SIGN) != 0, a & u32(0x7FFFFFFF)
    if size > _INF:
        return True, _NAN
    if m == TANH:
        return size < u32(0x3B800000) or size >= u32(0x41000000), (
            a if size < u32(0x3B800000) else a & _SIGN | u32(0x3F800000))
    if m == EX2:
        return size >= u32(0x43000000), u32(0) if negative else _INF
    if m >= SIN:
        return size == _INF, _NAN
    if size < u32(0x800000):
        return True, a & _SIGN | _INF if m <= RSQ else (a & _SIGN if m == SQRT else _SIGN | _INF)
    if m == RCP:
        return size == _INF, a & _SIGN
    if negative:
        return True, _NAN
    if m == LG2:
        return size == _INF or size == u32(0x3F800000), _INF if size == _INF else u32(0)
    if size == _INF:
        return True, u32(0) if m == RSQ else _INF
    # Powers of four.
    exponent = size >> u32(23)
    half = (i64(exponent) - 127) >> 1
    return size & u32(0xFFFFFF) == u32(0x800000), u32((127 - half if m == RSQ else 127 + half) << 23)


@njit(**INNER)
def _position(a, m):
    """The operand in fixed point: its lowest 17 bits are x.

    EX2 counts 2**-23, and what is left of a negative one is negated bit by bit; SIN and COS count turns in 2**-25.
    """
    mantissa, exponent = i64(a & u32(0x7FFFFF)), (i64(a >> u32(23)) & 0xFF) - 127
    if m == RCP:
        return mantissa << 1
    if m <= SQRT:
        return mantissa | (exponent & 1) << 23
    if m == LG2:
        return mantissa
    if m == TANH:
        log = i64(_TANH_LOG[exponent + 8])
        return (i64(_TANH_FIRST[exponent + 8]) << 17) + ((mantissa | 0x800000) >> (6 - log)) - (1 << (17 + log))
    if m >= SIN:
        exponent += 2
    v = mantissa | 0x800000
    if exponent >= 0:
        v = v << exponent if exponent < 40 else i64(0)
    else:
        v = v >> -exponent if exponent >= -23 else i64(0)
    if m == EX2 and a & _SIGN:
        v = ~v if v & 0x7FFFFF else -v
    if m == COS:
        v += 0x800000
    return v


@njit(**INNER)
def mufu(a, m):
    """m: 0 RCP, 1 RSQ, 2 SQRT, 3 EX2, 4 LG2, 5 SIN, 6 COS (of turns), 7 TANH.

    Subnormals count as zero on both sides but for TANH. The sum is a mantissa, or for the last four a number in fixed
    point, LG2 having added the exponent, that becomes a single by cutting it to 24 bits.
    """
    a = u32(a)
    known, answer = _exceptional(a, m)
    if known:
        return answer
    sign, exponent = a & _SIGN, (i64(a >> u32(23)) & 0xFF) - 127
    v = _position(a, m)
    f = v
    if m == EX2:
        f = v & 0x7FFFFF
    elif m == SIN or m == COS:
        f = ~v & 0x7FFFFF if v & 0x800000 else v & 0x7FFFFF
    r = _interpolate(m, f >> 17, f & 0x1FFFF)
    if m == TANH:
        return sign | _float(r, i64(_C[_FIRST[TANH] + (f >> 17), 3]))
    if m >= SIN:
        return (u32(v << 7) & _SIGN) ^ (sign if m == SIN else u32(0)) | _float(r, 37)
    if m == LG2:
        r = (r >> 2) + (exponent << 36)
        return _SIGN | _float(~r, 36) if r < 0 else _float(r, 36)
    if m == RCP:
        r = ((126 - exponent) << 23) + (r >> 16)
    elif m == RSQ:
        r = ((126 - (exponent >> 1)) << 23) + (r >> 16)
    elif m == SQRT:
        r = ((127 + (exponent >> 1)) << 23) + (r >> 17)
    else:
        r = ((127 + (v >> 23)) << 23) + (r >> 15)
    sign = sign if m == RCP else u32(0)
    return sign | u32(r - 0x800000) if r >= 0x1000000 else sign


@njit(**INNER)
def mufu64(a, m):
    """High word of an approximate reciprocal (m = 0) or reciprocal square root (1) of the double with high word a."""
    a = u32(a)
    sign, mantissa = a & _SIGN, i64(a & u32(0xFFFFF)) << 3
    exponent = (i64(a >> u32(20)) & 0x7FF) - 1023
    if exponent == 1024 and mantissa != 0:
        return _NAN
    if exponent == -1023:
        return sign | u32(0x7FF00000)
    if m == 1 and sign:
        return _NAN
    if exponent == 1024:
        return sign
    f = mantissa << 1 if m == 0 else mantissa | (exponent & 1) << 23
    if m == 1 and f == 0:
        return u32((1023 - (exponent >> 1)) << 20)
    r = _interpolate(m, f >> 17, f & 0x1FFFF) >> 19
    r += ((1022 - exponent) if m == 0 else (1022 - (exponent >> 1))) << 20
    return sign | u32(r - 0x100000) if r >= 0x200000 else sign


@njit(**INNER)
def mufu_half(a, m):
    """EX2 and TANH (``m & 7`` as in ``mufu``) of a 16-bit float: bfloat16 when m & 8, the upper half when m & 512.

    The result in single precision, cut to 16 bits; what is too large is infinite. The word's upper half is zero.
    """
    h = half_in(a, m) & u32(0xFFFF)
    r = u32(mufu(u32(h << u32(16)) if m & 8 else f2u(f32(h2d(h, False))), m & 7))
    if m & 8:
        return r >> u32(16)
    x = f64(u2f(r))
    return d2h(np.inf if x >= 65536.0 else x, False, 3)
