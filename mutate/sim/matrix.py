"""Products of matrices by a warp (HMMA, IMMA, BMMA, DMMA), and matrices that are moved (MOVM, LDSM, STSM).

Which lane has which element: PTX ISA, "Matrix fragments for mma.m16n8k16" and its neighbours. All shapes have one
rule: of each row of A, and of each column of B, a lane has every fourth word; registers count rows 8 to 15 first.

What tensor cores compute was found from an H200's answers (tests/gpu/test_matrix_reference.py has them):

* FP16, BF16 and TF32: all products of a sum, which are exact, and the sum so far are cut to ``FRACTION`` binary places
  below the greatest exponent among them, added exactly, and cut to FP32, or rounded to FP16. Exponents are those of the
  factors, so that products of two mantissas reach 4. A zero is positive, a NaN is 0x7fffffff (0x7fff).
* FP64: one multiply-add after another, in the order of K. Of several NaNs that of B stays, then the sum's, then A's.
* Integers: exact; what does not fit in 32 bits wraps, or with .SAT stays at the end.

GPUs before Hopper have fewer places, and take FP16 in parts of 4 or 8; here they compute as Hopper does, so that the
last bits of their floating-point sums may be others (Fasi et al., "Numerical behavior of NVIDIA tensor cores", 2021).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.intrinsics import d2u, fma64, stack_i64, stack_u32, u2d
from mutate.sim.lanes_half import d2h
from mutate.sim.lanes_integer import popc
from mutate.sim.layout import *
from mutate.sim.registers import commit

u8, u32, u64, i32, i64 = np.uint8, np.uint32, np.uint64, np.int32, np.int64
FRACTION = 25
"""Binary places of a sum below its greatest exponent (the module says how it was found)."""
_HIDDEN = (1 << 10, 1 << 7, 1 << 10, 1 << 23)
_SPECIAL = i64(1) << i64(40)
_NOTHING = i64(-100000)


@njit(**INNER)
def split_float(bits, kind):
    """(signed mantissa with its hidden bit, exponent) of a float; infinite ones have ``_SPECIAL``, NaN twice that.

    ``kind``: E_HALF, E_BRAIN, E_TENSOR (the upper 19 bits of an FP32) or 3, FP32.
    """
    bits = i64(bits)
    if kind == E_HALF:
        sign, exponent, rest, bias, top = bits >> 15 & 1, bits >> 10 & 31, bits & 1023, 15, 31
    elif kind == E_BRAIN:
        sign, exponent, rest, bias, top = bits >> 15 & 1, bits >> 7 & 255, bits & 127, 127, 255
    else:
        sign, exponent, rest, bias, top = bits >> 31 & 1, bits >> 23 & 255, bits & 0x7FFFFF, 127, 255
        if kind == E_TENSOR:
            rest >>= 13
    if exponent == top:
        mantissa = _SPECIAL * (1 if rest == 0 else 2)
    elif exponent == 0:
        mantissa, exponent = rest, 1
    else:
        mantissa = rest | _HIDDEN[kind]
    return (-mantissa if sign else mantissa), exponent - bias


@njit(**INNER)
def cut_to_float(total, exponent):
    """``total`` * 2**(exponent - FRACTION) as FP32, cut."""
    if total == 0:
        return u32(0)
    sign = u32(0x80000000) if total < 0 else u32(0)
    size = abs(total)
    # How many places there are above 24 bits, or above what the least exponent has.
    drop = -24
    while size >> max(0, drop + 24):
        drop += 1
    drop = max(drop, -149 - (exponent - FRACTION))
    kept = size >> drop if drop >= 0 else size << -drop
    power = exponent - FRACTION + drop + 150
    if kept < 1 << 23:
        return sign | u32(kept)
    if power >= 255:
        return sign | u32(0x7F800000)
    return sign | u32(power << 23) | u32(kept & 0x7FFFFF)


@njit(**INNER)
def round_to_half(total, exponent):
    """``total`` * 2**(exponent - FRACTION) as FP16, to the nearest."""
    return d2h(float(total) * 2.0 ** float(exponent - FRACTION), False, 0)


@njit(**INNER)
def float_sum(a, a_exponents, b, b_exponents, first, second, count, places, c, c_exponent, halves):
    """One element: products of ``count`` mantissas from ``first`` and ``second`` on, and ``c``, as FP16 or FP32.

    ``places``: binary places of a product; those of ``c`` are 10 of FP16 and 23 of FP32.
    """
    most = c_exponent if c != 0 else _NOTHING
    plus, minus, nan = False, False, False
    for k in range(count):
        x, y = a[first + k], b[second + k]
        if abs(x) >= _SPECIAL or abs(y) >= _SPECIAL:
            nan |= abs(x) > _SPECIAL or abs(y) > _SPECIAL or x == 0 or y == 0
            plus |= (x > 0) == (y > 0)
            minus |= (x > 0) != (y > 0)
        elif x != 0 and y != 0:
            most = max(most, a_exponents[first + k] + b_exponents[second + k])
    if abs(c) >= _SPECIAL:
        nan |= abs(c) > _SPECIAL
        plus |= c > 0
        minus |= c < 0
    if nan or (plus and minus):
        return u32(0x7FFF) if halves else u32(0x7FFFFFFF)
    if plus or minus:
        infinite = u32(0x7C00) if halves else u32(0x7F800000)
        return infinite | (u32(0) if plus else u32(0x8000) if halves else u32(0x80000000))
    total = i64(0)
    for k in range(count):
        product = a[first + k] * b[second + k]
        shift = min(i64(62), max(i64(0), most - (a_exponents[first + k] + b_exponents[second + k])))
        part = abs(product) << (FRACTION - places) >> shift
        total += part if product >= 0 else -part
    part = abs(c) << (FRACTION - (10 if halves else 23)) >> min(i64(62), max(i64(0), most - c_exponent))
    total += part if c >= 0 else -part
    if total == 0:
        return u32(0)
    return round_to_half(total, most) if halves else cut_to_float(total, most)


@njit(**INNER)
def where(row, word, rows):
    """The element of 32 lanes' registers, lane after lane, that has a word of a row of A."""
    register = (word >> 2) * (rows >> 3) + (row >> 3)
    return 32 * register + 4 * (row & 7) + (word & 3)


@njit(**INNER)
def multiply_floats(registers, ia, ib, ic, at, kind, words, rows, halves, guard):
    """A product of FP16, BF16 or TF32: ``words`` of 32 bits along K."""
    each = 1 if kind == E_TENSOR else 2
    count = words * each
    a, a_exponents = stack_i64(256), stack_i64(256)
    b, b_exponents = stack_i64(128), stack_i64(128)
    for r in range(rows):
        for k in range(words):
            word = registers[ia + where(r, k, rows)]
            for part in range(each):
                a[r * count + k * each + part], a_exponents[r * count + k * each + part] = split_float(
                    word >> u32(16 * part) if each == 1 else word >> u32(16 * part) & u32(0xFFFF), kind)
    for n in range(8):
        for k in range(words):
            word = registers[ib + where(n, k, 8)]
            for part in range(each):
                b[n * count + k * each + part], b_exponents[n * count + k * each + part] = split_float(
                    word >> u32(16 * part) if each == 1 else word >> u32(16 * part) & u32(0xFFFF), kind)
    places = 14 if kind == E_BRAIN else 20
    d0 = stack_u32(32)
    out = stack_u32(128)
    for r in range(rows):
        for n in range(8):
            lane = 4 * (r & 7) + (n >> 1)
            if halves:
                word = registers[ic + 32 * (r >> 3) + lane] >> u32(16 * (n & 1)) & u32(0xFFFF)
                c, c_exponent = split_float(word, E_HALF)
            else:
                c, c_exponent = split_float(registers[ic + 32 * (2 * (r >> 3) + (n & 1)) + lane], 3)
            value = float_sum(a, a_exponents, b, b_exponents, r * count, n * count, count, places, c, c_exponent,
                              halves)
            if not halves:
                out[32 * (2 * (r >> 3) + (n & 1)) + lane] = value
            elif n & 1:
                out[32 * (r >> 3) + lane] |= value << u32(16)
            else:
                out[32 * (r >> 3) + lane] = value
    for register in range(rows >> 3 if halves else rows >> 2):
        for lane in range(32):
            d0[lane] = out[32 * register + lane]
        commit(registers, at + 32 * register, d0, guard)


@njit(**INNER)
def dot_words(x, y, kind, how):
    """The sum of the products of the elements of two words: four bytes, eight nibbles or 32 bits."""
    if kind == E_BITS:
        return i64(popc(x ^ y if how & H_XOR else x & y))
    width = 8 if kind == E_BYTES else 4
    total = i64(0)
    for k in range(32 // width):
        p = i64(x >> u32(width * k) & u32((1 << width) - 1))
        q = i64(y >> u32(width * k) & u32((1 << width) - 1))
        if how & H_SIGNED_A and p >> (width - 1):
            p -= 1 << width
        if how & H_SIGNED_B and q >> (width - 1):
            q -= 1 << width
        total += p * q
    return total


@njit(**INNER)
def multiply_integers(registers, ia, ib, ic, at, kind, words, rows, how, guard):
    """A product of integers, exactly; sums of 32 bits."""
    d0 = stack_u32(32)
    out = stack_u32(128)
    for r in range(rows):
        for n in range(8):
            to = 32 * (2 * (r >> 3) + (n & 1)) + 4 * (r & 7) + (n >> 1)
            total = i64(i32(registers[ic + to]))
            for k in range(words):
                total += dot_words(registers[ia + where(r, k, rows)], registers[ib + where(n, k, 8)], kind, how)
            if how & H_SATURATE:
                total = min(i64(0x7FFFFFFF), max(i64(-0x80000000), total))
            out[to] = u32(total & i64(0xFFFFFFFF))
    for register in range(rows >> 2):
        for lane in range(32):
            d0[lane] = out[32 * register + lane]
        commit(registers, at + 32 * register, d0, guard)


@njit(**INNER)
def double_at(registers, start, element):
    """A double of which ``element`` counts lanes of pairs of registers."""
    at = start + 64 * (element >> 5) + (element & 31)
    return u2d(u64(registers[at]) | u64(registers[at + 32]) << u64(32))


@njit(**INNER)
def multiply_doubles(registers, ia, ib, ic, at, words, rows, guard):
    """A product of FP64, ``words`` of them along K."""
    d0 = stack_u32(32)
    out = stack_u32(256)
    for r in range(rows):
        for n in range(8):
            to = 32 * (2 * (r >> 3) + (n & 1)) + 4 * (r & 7) + (n >> 1)
            total = double_at(registers, ic, to)
            for k in range(words):
                x, y = double_at(registers, ia, where(r, k, rows)), double_at(registers, ib, where(n, k, 8))
                if y != y:
                    total = y
                elif total == total:
                    total = fma64(x, y, total)
            bits = d2u(total)
            to = 64 * (to >> 5) + (to & 31)
            out[to], out[to + 32] = u32(bits & u64(0xFFFFFFFF)), u32(bits >> u64(32))
    for register in range(rows >> 1):
        for lane in range(32):
            d0[lane] = out[32 * register + lane]
        commit(registers, at + 32 * register, d0, guard)


@njit(**INNER)
def multiply(row, registers, base, guard):
    """One product of a warp. ``M``: kind of elements, ``WIDTH``: words along K, ``Y``: rows, ``X``: the H_..."""
    ia = i64(row[A]) + (base & i64(row[A_REL]))
    ib = i64(row[B]) + (base & i64(row[B_REL]))
    ic = i64(row[C]) + (base & i64(row[C_REL]))
    at = base + i64(row[DST])
    kind, words, rows, how = i64(row[M]), i64(row[WIDTH]), i64(row[Y]), i64(row[X])
    if kind == E_DOUBLE:
        multiply_doubles(registers, ia, ib, ic, at, words, rows, guard)
    elif kind <= E_TENSOR:
        multiply_floats(registers, ia, ib, ic, at, kind, words, rows, how & H_HALVES != 0, guard)
    else:
        multiply_integers(registers, ia, ib, ic, at, kind, words, rows, how, guard)


@njit(**INNER)
def transpose(row, registers, base, guard):
    """MOVM: a matrix of 8 x 8 halves, of which each lane has two neighbours of a row, with rows and columns changed."""
    ia = i64(row[A]) + (base & i64(row[A_REL]))
    d0 = stack_u32(32)
    for lane in range(32):
        column = lane >> 2
        value = u32(0)
        for half in range(2):
            r = 2 * (lane & 3) + half
            word = registers[ia + 4 * r + (column >> 1)] >> u32(16 * (column & 1)) & u32(0xFFFF)
            value |= word << u32(16 * half)
        d0[lane] = value
    commit(registers, base + i64(row[DST]), d0, guard)


@njit(**INNER)
def load_matrices(store, offsets, row, registers, base, guard):
    """LDSM: ``TABLE`` matrices of 8 x 8 halves, of which lanes 8 k to 8 k + 7 have the rows' offsets; Y: turned."""
    d0 = stack_u32(32)
    for k in range(i64(row[TABLE])):
        for lane in range(32):
            value = u32(0)
            for half in range(2):
                r, column = lane >> 2, 2 * (lane & 3) + half
                if row[Y]:
                    r, column = column, r
                place = offsets[8 * k + r] + 2 * column
                value |= (u32(store[place]) | u32(store[place + 1]) << u32(8)) << u32(16 * half)
            d0[lane] = value
        commit(registers, base + i64(row[DST]) + 32 * k, d0, guard)


@njit(**INNER)
def store_matrices(store, offsets, row, registers, base):
    """STSM: the reverse of ``load_matrices``."""
    ic = i64(row[C]) + (base & i64(row[C_REL]))
    for k in range(i64(row[TABLE])):
        for lane in range(32):
            value = registers[ic + 32 * k + lane]
            for half in range(2):
                r, column = lane >> 2, 2 * (lane & 3) + half
                if row[Y]:
                    r, column = column, r
                place = offsets[8 * k + r] + 2 * column
                store[place] = u8(value >> u32(16 * half) & u32(0xFF))
                store[place + 1] = u8(value >> u32(16 * half + 8) & u32(0xFF))
