"""Texture fetches and surface accesses of the interpreter.

What a fetch computes is in the "CUDA C++ Programming Guide", appendix "Texture Fetching": nearest-point sampling takes
the texel that the coordinate lies in, linear filtering weighs the two (four, eight) around it with fractions of eight
bits. What the guide leaves open was measured on an H200 (``tests/gpu/textures.py``), bit by bit but where said:

* Normalised coordinates are cut to 21 bits behind the point, then multiplied by the size.
* For filtering, places are rounded to 1/256 of a texel, halves up.
* Weights are whole 256ths that sum up to 256: they are divided along z, then along x, then along y, each part rounded;
  halves go to the upper x, and along y to the upper one for the upper x, to the lower one for the lower x. Where
  clamping makes both texels of an axis one, its weight is 0.
* Sums of floats are rounded once, halves away from zero. Those of halves likewise, to half precision, from texels that
  are cut to 14 bits below the largest's first. Sums of integers are rounded to 1/65535 (signed 1/32767), halves up; of
  signed bytes 4 % are one of these lower on the GPU.
* Channels that a texel does not have are 0.

What nobody has measured stops with the reason. A row of the table of objects is an object of the launch (``objects``).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from mutate.sim.access import locate, read_bytes
from mutate.sim.inner import INNER
from mutate.sim.intrinsics import f2u, stack_f64, stack_i64, stack_u32, u2f
from mutate.sim.lanes_half import h2d
from mutate.sim.lanes_integer import popc
from mutate.sim.layout import *
from mutate.sim.requests import add_to_multiset, fail, resolve_global

f32, f64 = np.float32, np.float64
u32, u64, i32, i64 = np.uint32, np.uint64, np.int32, np.int64
_CUT = 2.0**21


@njit(**INNER)
def find_object(handle, objects, first):
    """Where the row of the object with a handle begins; -1 for none. ``first``: the first handle of its kind."""
    if handle >> u32(16) == u32(first >> 16):
        for k in range(0, objects.size, T_COLUMNS):
            if objects[k + T_HANDLE] == i64(handle):
                return i64(k)
    return i64(-1)


@njit(**INNER)
def inside(index, size, mode):
    """The texel that an index outside stands for; -1 for the border."""
    if 0 <= index < size:
        return index
    if mode == T_WRAP:
        return index % size
    if mode == T_MIRROR:
        index %= 2 * size
        return index if index < size else 2 * size - 1 - index
    if mode == T_BORDER:
        return i64(-1)
    return i64(0) if index < 0 else size - 1


@njit(**INNER)
def cube_face(at):
    """Face of a direction, whose place becomes the two coordinates in [0, 1]."""
    x, y, z = at[0], at[1], at[2]
    ax, ay, az = abs(x), abs(y), abs(z)
    if az >= ax and az >= ay:
        face, m, s, t = (i64(4), az, x, -y) if z >= 0 else (i64(5), az, -x, -y)
    elif ay >= ax:
        face, m, s, t = (i64(2), ay, x, z) if y >= 0 else (i64(3), ay, x, -z)
    else:
        face, m, s, t = (i64(0), ax, -z, -y) if x >= 0 else (i64(1), ax, z, -y)
    at[0], at[1] = (s / m + 1.0) * 0.5, (t / m + 1.0) * 0.5
    return face


@njit(**INNER)
def place(row, lane, ia, ib, registers, objects, thing, at, axes):
    """The texels of a lane's fetch: ``axes`` has lower indices (-1 the border), upper ones, and the upper ones' 256ths.

    Returns the layer, or a negative reason (``T_NO_...``). ``at``: room for three coordinates.
    """
    shape = objects[thing + T_SHAPE]
    wanted = i64(row[M])
    layered = i64(wanted >= T_LAYERED_1D)
    dims = i64(row[X]) & 15
    near = i64(row[X]) >> 4
    if shape != wanted and not (shape == T_1D and wanted == T_2D):
        return i64(T_NO_SHAPE)
    layer = i64(0)
    for k in range(9):
        axes[k] = 0
    for k in range(dims + layered):
        bits = registers[ia + 32 * k + lane] if k < near else registers[ib + 32 * (k - near) + lane]
        if k < layered:
            layer = i64(bits)
        elif shape == T_LINEAR:
            index = i64(i32(bits))
            axes[0] = axes[3] = index if 0 <= index < objects[thing + T_SIZE] else i64(-1)
            return layer
        else:
            at[k - layered] = f64(u2f(bits))
    cube = wanted == T_CUBE or wanted == T_LAYERED_CUBE
    if cube:
        total = abs(at[0]) + abs(at[1]) + abs(at[2])
        if not 0.0 < total < math.inf:
            return i64(T_NO_NUMBER)
        layer = 6 * layer + cube_face(at)
        dims = i64(2)
    if layer >= objects[thing + T_LAYERS]:
        return i64(T_NO_LAYER)
    if shape == T_1D and dims == 2:
        if at[1] != 0.0:
            return i64(T_NO_SHAPE)
        dims = i64(1)
    blend = objects[thing + T_FILTER] != 0 or row[TABLE] != 0
    for k in range(dims):
        x, size, mode = at[k], objects[thing + T_SIZE + k], objects[thing + T_ADDRESS + k]
        if objects[thing + T_NORMALIZED] != 0 or cube:
            x = math.floor(x * _CUT) / _CUT
            if mode == T_WRAP:
                x -= math.floor(x)
            elif mode == T_MIRROR:
                x -= 2.0 * math.floor(0.5 * x)
            x *= f64(size)
        elif mode < T_CLAMP:
            mode = i64(T_CLAMP)
        if x != x:
            return i64(T_NO_NUMBER)
        # Near the texture, so that it fits an integer.
        x = min(max(x, -4.0), f64(2 * size + 4))
        fine = i64(math.floor(x * 256.0 + 0.5)) - 128 if blend else i64(math.floor(x)) << 8
        axes[k], axes[k + 3] = inside(fine >> 8, size, mode), inside((fine >> 8) + 1, size, mode)
        axes[k + 6] = 0 if mode == T_CLAMP and axes[k] == axes[k + 3] else fine & 255
    return layer


@njit(**INNER)
def corners(objects, thing, layer, axes, gather, work, at):
    """Addresses (0: the border or unused) and 256ths of the eight texels of a fetch, from ``work[at]`` on and 8 behind.

    Bit 0 of a corner's number is x, bit 1 y, bit 2 z.
    """
    a, b, c = axes[6], axes[7], axes[8]
    for k in range(8):
        right, upper = k & 1, k >> 1 & 1
        plane = c if k & 4 else 256 - c
        whole = (plane * a + 128) >> 8
        if not right:
            whole = plane - whole
        share = (whole * b + 128) >> 8 if right else whole - ((whole * (256 - b) + 128) >> 8)
        if not upper:
            share = whole - share
        x, y, z = axes[3 * right], axes[1 + 3 * upper], axes[5 if k & 4 else 2]
        address = i64(0)
        if (share > 0 or (gather and k < 4)) and x >= 0 and y >= 0 and z >= 0:
            address = (objects[thing + T_BASE] + (layer + z) * objects[thing + T_SLICE] + y * objects[thing + T_PITCH]
                       + x * objects[thing + T_TEXEL])
        work[at + k] = address
        work[at + 8 + k] = share


@njit(**INNER)
def channel(pages, at, kind, converts):
    """A channel of a texel as the 32 bits that a fetch returns."""
    if kind == T_FLOAT or kind == T_WORD:
        return read_bytes(pages, at, 4, False)
    x = number(pages, at, kind)
    if kind == T_HALF:
        return f2u(f32(x))
    if not converts:
        # What -128 and -32768 are as fractions does not matter here.
        return read_bytes(pages, at, 1 if kind <= T_S8 else 2, kind == T_S8 or kind == T_S16)
    most = 255.0 if kind == T_U8 else (127.0 if kind == T_S8 else (65535.0 if kind == T_U16 else 32767.0))
    return f2u(f32(max(x / most, -1.0)))


@njit(**INNER)
def number(pages, at, kind):
    """A channel of a texel as a number."""
    if kind == T_FLOAT:
        return f64(u2f(read_bytes(pages, at, 4, False)))
    if kind == T_HALF:
        return h2d(read_bytes(pages, at, 2, False), False)
    if kind == T_S8:
        return max(f64(i32(read_bytes(pages, at, 1, True))), -127.0)
    if kind == T_S16:
        return f64(i32(read_bytes(pages, at, 2, True)))
    return f64(read_bytes(pages, at, 1 if kind == T_U8 else 2, False))


@njit(**INNER)
def sample(objects, thing, which, work, first, corner, table, limits, pages):
    """The bits of a channel: of one texel where ``corner`` says so, else the weighted sum of all.

    The texels' addresses are in ``work`` from ``first`` on, the weights behind them.
    """
    kind, scalar = objects[thing + T_KIND], which * objects[thing + T_SCALAR]
    border = u32(objects[thing + T_BORDER_COLOR + which])
    if corner >= 0:
        if work[first + corner] == 0:
            return border
        return channel(pages, locate(work[first + corner], 1, table, limits) + scalar, kind,
                       objects[thing + T_CONVERTS] != 0)
    most, total, unit = 0.0, 0.0, 0.0
    for turn in range(2 if kind == T_HALF else 1):
        total = 0.0
        if turn:
            unit = math.ldexp(1.0, math.frexp(most)[1] - 15)
        for k in range(8):
            if work[first + 8 + k] > 0:
                x = f64(u2f(border))
                if work[first + k]:
                    x = number(pages, locate(work[first + k], 1, table, limits) + scalar, kind)
                most = max(most, abs(x))
                if unit > 0.0 and most < 65536.0:
                    x = math.copysign(math.floor(abs(x) / unit), x) * unit
                total += f64(work[first + 8 + k]) * x
    total /= 256.0
    if kind <= T_S16:
        most = 65535.0 if kind == T_U8 or kind == T_U16 else 32767.0
        if kind == T_U8:
            total *= 257.0
        elif kind == T_S8:
            total *= 32767.0 / 127.0
        return f2u(f32(max(math.floor(total + 0.5) / most, -1.0)))
    if 1e-37 < abs(total) < 1e38:
        exponent = math.frexp(total)[1]
        unit = math.ldexp(1.0, max(exponent, -13) - 11 if kind == T_HALF else exponent - 24)
        total = math.copysign(math.floor(abs(total) / unit + 0.5), total) * unit
    return f2u(f32(total))


@njit(**INNER)
def fetch(row, pc, guard, base, registers, objects, table, limits, pages, origin, wanted, control, counters,
          hashes, addresses, offsets, error):
    """TEX, TLD, TLD4 and TXD of a split, whole or not at all: (status, texels read)."""
    ia = i64(row[A]) + (base & i64(row[A_REL]))
    ib = i64(row[B]) + (base & i64(row[B_REL]))
    ic = i64(row[C]) + (base & i64(row[C_REL]))
    # Of each lane 17 numbers: the texels' addresses, their weights, the object's row; then 9 for ``place``.
    work, at, out = stack_i64(553), stack_f64(3), stack_u32(128)
    work[:], at[:], out[:] = 0, 0.0, 0
    axes = work[32 * 17 :]
    gather = i64(row[TABLE])
    enabled = i64(row[WIDTH])
    for lane in range(32):
        if guard >> u32(lane) & u32(1):
            handle = registers[ic + lane]
            thing = find_object(handle, objects, T_TEXTURES)
            why = i64(T_NO_OBJECT)
            if thing >= 0:
                why = place(row, lane, ia, ib, registers, objects, thing, at, axes)
                if gather > objects[thing + T_CHANNELS]:
                    why = i64(T_NO_CHANNEL)
            if why < 0:
                return fail(error, E_TEXTURE, lane, handle, why), i64(0)
            corners(objects, thing, why, axes, gather, work, 17 * lane)
            work[17 * lane + 16] = thing
    count = i64(0)
    for k in range(8):
        there = u32(0)
        for lane in range(32):
            addresses[lane] = u64(work[17 * lane + k])
            there |= u32(work[17 * lane + k] != 0) << u32(lane)
        if there:
            status = resolve_global(addresses, there, 1, table, limits, pages, origin, offsets, wanted, control,
                                    error)
            if status != DONE:
                return status, i64(0)
            count += i64(popc(there))
    for lane in range(32):
        if guard >> u32(lane) & u32(1):
            thing = work[17 * lane + 16]
            for k in range(8):
                if work[17 * lane + k]:
                    add_to_multiset(hashes, H_TEXTURE_LOAD, u64(work[17 * lane + k]))
                    hashes[H_TEXTURE_LOAD, 3] += u64(objects[thing + T_TEXEL])
            put = lane
            for c in range(4):
                if enabled >> c & 1:
                    which, corner = i64(c), i64(-1 if objects[thing + T_FILTER] else 0)
                    if gather:
                        # (low, high), (high, high), (high, low), (low, low): PTX ISA, tld4.
                        which, corner = gather - 1, i64(0x0132 >> 4 * c & 15)
                    if which < objects[thing + T_CHANNELS]:
                        out[put] = sample(objects, thing, which, work, 17 * lane, corner, table, limits, pages)
                    put += 32
    counters[pc, TEXTURE_REQUESTS] += 1
    counters[pc, TEXELS] += count
    for k in range(i64(popc(u32(enabled)))):
        target = i64(row[DST]) + 32 * k if k < 2 else i64(row[SECOND]) + 32 * (k - 2)
        if (row[SECOND_REL] != 0) if k >= 2 else (row[FLAGS] & NO_DST == 0):
            for lane in range(32):
                if guard >> u32(lane) & u32(1):
                    registers[base + target + lane] = out[32 * k + lane]
    return DONE, count


@njit(**INNER)
def surface_places(row, guard, base, registers, objects, addresses, error):
    """(status, lanes inside the surface) of SULD and SUST; their places into ``addresses``. x counts bytes."""
    ia = i64(row[A]) + (base & i64(row[A_REL]))
    ib = i64(row[B]) + (base & i64(row[B_REL]))
    width = i64(row[WIDTH])
    wanted, dims, boundary = i64(row[M]), i64(row[X]), i64(row[TABLE])
    there = guard
    for lane in range(32):
        if not guard >> u32(lane) & u32(1):
            continue
        handle = registers[ib + lane]
        thing = find_object(handle, objects, T_SURFACES)
        if thing < 0:
            return fail(error, E_TEXTURE, lane, handle, T_NO_OBJECT), there
        shape = objects[thing + T_SHAPE]
        # Faces of cubemaps are layers.
        if shape != wanted and not (wanted == T_LAYERED_2D and (shape == T_CUBE or shape == T_LAYERED_CUBE)):
            return fail(error, E_TEXTURE, lane, handle, T_NO_SHAPE), there
        address = objects[thing + T_BASE]
        for k in range(dims + i64(wanted >= T_LAYERED_1D)):
            x = i64(i32(registers[ia + 32 * k + lane]))
            size = objects[thing + T_SIZE + k] if k < dims else objects[thing + T_LAYERS]
            step = objects[thing + T_PITCH] if k == 1 and k < dims else objects[thing + T_SLICE]
            last = size - 1
            if k == 0:
                last = size * objects[thing + T_TEXEL] - width
                step = i64(1)
                if x & (width - 1):
                    return fail(error, E_TEXTURE, lane, x, T_NO_ALIGNMENT), there
            if x < 0 or x > last:
                if k >= dims or boundary == T_TRAP or (boundary == T_CLAMPED and width != objects[thing + T_TEXEL]):
                    error[6], error[7] = k, x
                    return fail(error, E_TEXTURE, lane, handle, T_NO_LAYER if k >= dims else T_OUTSIDE), there
                if boundary == T_IGNORED:
                    there &= ~(u32(1) << u32(lane))
                x = i64(0) if x < 0 else last
            address += x * step
        addresses[lane] = u64(address)
    return DONE, there
