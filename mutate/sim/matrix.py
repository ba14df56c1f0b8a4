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

import math

import numpy as np
from numba import njit

from mutate.sim.inner import INNER
from mutate.sim.intrinsics import d2u, fma64, stack_f64, stack_i32, stack_u32, u2d, u2f
from mutate.sim.lanes_half import d2h, h2d
from mutate.sim.lanes_integer import popc
from mutate.sim.layout import *
from mutate.sim.registers import commit

u8, u32, u64, i32, i64 = np.uint8, np.uint32, np.uint64, np.int32, np.int64
FRACTION = 25
"""Binary places of a sum below its greatest exponent (the module says how it was found)."""
_NOTHING = -900.0
"""The exponent of a zero: below all others, also beside the greatest one."""


@njit(**INNER)
def value_of(bits, kind):
    """A float as a double, and its exponent. ``kind``: E_HALF, E_BRAIN, E_TENSOR (19 bits of FP32) or E_SINGLE."""
    if kind == E_HALF:
        value, exponent, bias = h2d(bits, False), i64(bits >> u32(10) & u32(31)), 15
    else:
        if kind == E_BRAIN:
            bits = bits << u32(16)
        elif kind == E_TENSOR and bits & u32(0x7F800000) != u32(0x7F800000):
            bits &= u32(0xFFFFE000)
        value, exponent, bias = float(u2f(bits)), i64(bits >> u32(23) & u32(255)), 127
    return value, float(max(exponent, 1) - bias) if value != 0.0 else _NOTHING


@njit(**INNER)
def power(exponent):
    """2 ** exponent, of a double with the value of an integer."""
    return u2d(u64(i64(exponent) + 1023) << u64(52))


@njit(**INNER)
def cut_to_float(total, exponent):
    """``total``, a whole number, times 2 ** (exponent - FRACTION) as FP32, cut."""
    if total == 0.0:
        return u32(0)
    bits = d2u(total)
    sign = u32(bits >> u64(32)) & u32(0x80000000)
    # The exponent of its first binary place, and the 24 from there on.
    first = i64(bits >> u64(52) & u64(0x7FF)) - 1023 + i64(exponent) - FRACTION
    kept = u32((bits & u64(0xFFFFFFFFFFFFF) | u64(1) << u64(52)) >> u64(29))
    if first > 127:
        return sign | u32(0x7F800000)
    if first < -126:
        return sign | (kept >> u32(min(i64(31), -126 - first)))
    return sign | u32(first + 127) << u32(23) | (kept & u32(0x7FFFFF))


@njit(**INNER)
def special_sum(a, b, c, first, n, count, halves):
    """One element that is infinite or no number; 1 where it is neither."""
    total = c
    for k in range(count):
        total += a[first + k] * b[8 * k + n]
    if total != total:
        return u32(0x7FFF) if halves else u32(0x7FFFFFFF)
    if math.isinf(total):
        infinite = u32(0x7C00) if halves else u32(0x7F800000)
        return infinite | (u32(0) if total > 0.0 else u32(0x8000) if halves else u32(0x80000000))
    return u32(1)


@njit(**INNER)
def row_sums(a, a_exponents, b, b_exponents, first, count, c, most, totals):
    """A row's eight sums in units of FRACTION places below ``most``, which has the exponents of C before.

    Doubles hold all of this exactly. The loops over columns become vectors.
    """
    for k in range(count):
        exponent = a_exponents[first + k]
        for n in range(8):
            most[n] = max(most[n], exponent + b_exponents[8 * k + n])
    scales = stack_f64(8)
    for n in range(8):
        scales[n] = power(FRACTION - max(most[n], _NOTHING))
        totals[n] = np.trunc(c[n] * scales[n])
    for k in range(count):
        factor = a[first + k]
        for n in range(8):
            totals[n] += np.trunc(factor * b[8 * k + n] * scales[n])


@njit(**INNER)
def where(row, word, rows):
    """The element of 32 lanes' registers, lane after lane, that has a word of a row of A."""
    register = (word >> 2) * (rows >> 3) + (row >> 3)
    return 32 * register + 4 * (row & 7) + (word & 3)


@njit(**INNER)
def part_of(registers, start, row, k, rows, each):
    """Element ``k`` of a row of A, or a column of B (``rows`` 8), of which words have ``each``."""
    word = registers[start + where(row, k // each, rows)]
    return word if each == 1 else word >> u32(16 * (k & 1)) & u32(0xFFFF)


@njit(**INNER)
def multiply_floats(registers, ia, ib, ic, at, kind, words, rows, halves, guard):
    """A product of FP16, BF16 or TF32: ``words`` of 32 bits along K."""
    each = 1 if kind == E_TENSOR else 2
    count = words * each
    a, a_exponents = stack_f64(256), stack_f64(256)
    b, b_exponents = stack_f64(128), stack_f64(128)
    special = 0.0
    for r in range(rows):
        for k in range(count):
            value, a_exponents[r * count + k] = value_of(part_of(registers, ia, r, k, rows, each), kind)
            a[r * count + k] = value
            special += value * 0.0
    for n in range(8):
        for k in range(count):
            value, b_exponents[8 * k + n] = value_of(part_of(registers, ib, n, k, 8, each), kind)
            b[8 * k + n] = value
            special += value * 0.0
    d0, out = stack_u32(32), stack_u32(128)
    most, totals, c = stack_f64(8), stack_f64(8), stack_f64(8)
    for r in range(rows):
        for n in range(8):
            lane = 4 * (r & 7) + (n >> 1)
            if halves:
                word = registers[ic + 32 * (r >> 3) + lane] >> u32(16 * (n & 1)) & u32(0xFFFF)
                c[n], most[n] = value_of(word, E_HALF)
            else:
                c[n], most[n] = value_of(registers[ic + 32 * (2 * (r >> 3) + (n & 1)) + lane], E_SINGLE)
        row_sums(a, a_exponents, b, b_exponents, r * count, count, c, most, totals)
        for n in range(8):
            value = u32(1)
            if special != 0.0 or c[n] * 0.0 != 0.0:  # NaN, then
                value = special_sum(a, b, c[n], r * count, n, count, halves)
            if value == u32(1) and halves:
                value = d2h(totals[n] * power(most[n] - FRACTION), False, 0) if totals[n] != 0.0 else u32(0)
            elif value == u32(1):
                value = cut_to_float(totals[n], most[n])
            lane = 4 * (r & 7) + (n >> 1)
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
def element_of(word, k, width, signed):
    """Byte or nibble ``k`` of a word."""
    value = i32(word >> u32(width * k) & u32((1 << width) - 1))
    return value - i32(1 << width) if signed and value >> (width - 1) else value


@njit(**INNER)
def multiply_integers(registers, ia, ib, ic, at, kind, words, rows, how, guard):
    """A product of integers, exactly; sums of 32 bits."""
    width = 8 if kind == E_BYTES else 4
    each = 1 if kind == E_BITS else 32 // width
    count = words * each
    x, y = stack_i32(64), stack_i32(512)
    d0, out = stack_u32(32), stack_u32(128)
    totals = stack_i32(8)
    for n in range(8):
        for k in range(count):
            word = registers[ib + where(n, k // each, 8)]
            y[8 * k + n] = i32(word) if kind == E_BITS else element_of(word, k % each, width, how & H_SIGNED_B != 0)
    for r in range(rows):
        for k in range(count):
            word = registers[ia + where(r, k // each, rows)]
            x[k] = i32(word) if kind == E_BITS else element_of(word, k % each, width, how & H_SIGNED_A != 0)
        for n in range(8):
            totals[n] = 0
        if kind == E_BITS:
            for k in range(count):
                for n in range(8):
                    totals[n] += i32(popc(u32(x[k] ^ y[8 * k + n] if how & H_XOR else x[k] & y[8 * k + n])))
        else:
            for k in range(count):
                factor = x[k]
                for n in range(8):
                    totals[n] += factor * y[8 * k + n]
        for n in range(8):
            to = 32 * (2 * (r >> 3) + (n & 1)) + 4 * (r & 7) + (n >> 1)
            total = i64(i32(registers[ic + to])) + i64(totals[n])
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
