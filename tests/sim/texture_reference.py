"""Texture fetching in NumPy: the formulas of the CUDA C++ Programming Guide's appendix "Texture Fetching", and what an
H200 does where that leaves it open (``mutate/sim/texels.py`` says what was measured).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def address(index: Array, size: int, mode: str) -> Array:
    """Texels that whole-numbered places stand for; -1 for the border."""
    if mode == "wrap":
        return index - size * np.floor_divide(index, size)
    if mode == "mirror":
        turns = np.floor_divide(index, size)
        inner = index - size * turns
        return np.where(turns % 2 == 0, inner, size - 1 - inner)
    if mode == "border":
        return np.where((index < 0) | (index >= size), -1, index)
    return np.clip(index, 0, size - 1)


def axis(x: Array, size: int, mode: str, normalized: bool, linear: bool) -> tuple[Array, Array, Array]:
    """Lower and upper texel of each coordinate and the upper one's weight in 256ths."""
    place = x.astype(np.float64)
    if normalized:
        place = np.floor(place * 2**21) / 2**21 * size
    elif mode in ("wrap", "mirror"):
        mode = "clamp"
    if not linear:
        lower = address(np.floor(place).astype(np.int64), size, mode)
        return lower, lower, np.zeros(x.shape, np.int64)
    steps = np.floor(place * 256 + 0.5).astype(np.int64) - 128
    lower, upper = address(steps >> 8, size, mode), address((steps >> 8) + 1, size, mode)
    return lower, upper, np.where((mode == "clamp") & (lower == upper), 0, steps & 255)


def _weights(x: Array, y: Array, z: Array) -> dict[tuple[int, int, int], Array]:
    """256ths of the texels by (x, y, z), 1 the upper one."""
    out = {}
    for k, plane in enumerate((256 - z, z)):
        right = np.floor(plane * x / 256 + 0.5)
        for i, whole in enumerate((plane - right, right)):
            upper = np.floor(whole * y / 256 + 0.5) if i else np.ceil(whole * y / 256 - 0.5)
            out[i, 1, k], out[i, 0, k] = upper, whole - upper
    return out


def _away(x: Array, unit: Array) -> Array:
    return np.sign(x) * np.floor(np.abs(x) / unit + 0.5) * unit


def _unit(x: Array, bits: int, least: int = -1000) -> Array:
    """One in the last of so many bits behind a number's first."""
    with np.errstate(divide="ignore"):
        return np.exp2(np.maximum(np.floor(np.log2(np.abs(x))), least) - bits)


def fetch(
    texels: Array,
    coordinates: Sequence[Array],
    modes: Sequence[str] | str = "clamp",
    normalized: bool = False,
    linear: bool = False,
    border: float = 0.0,
) -> Array:
    """``texels`` has shape ([[depth,] height,] width[, channels...]); coordinates come x first.

    Filtered integers come as fractions.
    """
    dims = len(coordinates)
    names = [modes] * dims if isinstance(modes, str) else list(modes)
    sizes = texels.shape[:dims][::-1]
    axes = [axis(c, s, m, normalized, linear) for c, s, m in zip(coordinates, sizes, names, strict=True)]
    nothing = np.zeros(coordinates[0].shape, np.int64)
    upper = [a[2] for a in axes] + [nothing] * (3 - dims)
    corners, shares = [], []
    for corner, share in _weights(*upper).items():
        if any(corner[dims:]):
            continue
        index = [a[corner[k]] for k, a in enumerate(axes)]
        values = texels[tuple(reversed(index))]
        shape = nothing.shape + (1,) * (values.ndim - nothing.ndim)
        outside = np.any([i < 0 for i in index], axis=0).reshape(shape)
        corners.append(np.where(outside, np.array(border, texels.dtype), values))
        shares.append(share.reshape(shape))
    if not linear:
        return corners[-1]
    return _sum(np.stack(corners), np.stack(shares))


def _sum(values: Array, shares: Array) -> Array:
    kind = values.dtype
    exact = values.astype(np.float64)
    if kind == np.float16:
        largest = np.where(shares > 0, np.abs(exact), 0).max(axis=0)
        unit = _unit(np.maximum(largest, 1e-30), 14)
        exact = np.trunc(exact / unit) * unit
    if kind == np.int8:
        exact = np.maximum(exact, -127)
    total = (exact * shares).sum(axis=0) / 256
    if kind.kind == "f":
        zero = total == 0
        safe = np.where(zero, 1, total)
        unit = _unit(safe, 10, -14) if kind == np.float16 else _unit(safe, 23)
        return np.where(zero, 0, _away(safe, unit)).astype(np.float32)
    most = 65535 if kind.kind == "u" else 32767
    scale = most / np.iinfo(kind).max
    return np.maximum(np.floor(total * scale + 0.5) / most, -1).astype(np.float32)


def gather(texels: Array, x: Array, y: Array, mode: str = "clamp", normalized: bool = False) -> Array:
    """The four texels of a footprint, shape (n, 4), in the order of PTX's tld4."""
    x0, x1, _ = axis(x, texels.shape[1], mode, normalized, True)
    y0, y1, _ = axis(y, texels.shape[0], mode, normalized, True)
    return np.stack([texels[y1, x0], texels[y1, x1], texels[y0, x1], texels[y0, x0]], -1)


def as_float(texels: Array) -> Array:
    """What cudaReadModeNormalizedFloat makes of 8- and 16-bit integers."""
    most = np.iinfo(texels.dtype).max
    return np.maximum(texels.astype(np.float64) / most, -1.0).astype(np.float32)


def cube(x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
    """Face and the two coordinates on it, in [0, 1], of directions without equal components."""
    ax, ay, az = np.abs(x), np.abs(y), np.abs(z)
    major = np.argmax([ax, ay, az], axis=0)
    m = np.max([ax, ay, az], axis=0)
    negative = np.where(major == 0, x < 0, np.where(major == 1, y < 0, z < 0))
    face = 2 * major + negative
    s = np.choose(face, [-z, z, x, x, x, -x])
    t = np.choose(face, [-y, -y, z, -z, -y, -y])
    return face, (s / m + 1) / 2, (t / m + 1) / 2
