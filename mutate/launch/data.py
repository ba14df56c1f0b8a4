"""The contents of launch arrays in numpy, any slice by itself. The generated benchmark makes the same bits in CUDA
(``templates/bench/data.cuh.j2``); the formulas are those of ``rng`` and of the docstrings here.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.launch import rng
from mutate.launch.arith import round_to
from mutate.launch.files import DataFile, inspect, numpy_name
from mutate.launch.model import ArrayDecl, bf16_bits
from mutate.launch.types import Rank, Scalar

U64 = npt.NDArray[np.uint64]
Data = npt.NDArray[Any]
_UNPACKED = 1 << 29
"""Bytes of members of archives that are kept unpacked."""


def _u(x: int) -> np.uint64:
    return np.uint64(x & rng.MASK)


def splitmix64(x: U64) -> U64:
    """``rng.splitmix64`` on whole arrays."""
    z = x + _u(rng.GAMMA)
    z = (z ^ z >> _u(30)) * _u(rng.MIX_A)
    z = (z ^ z >> _u(27)) * _u(rng.MIX_B)
    return z ^ z >> _u(31)


def mulhi(a: U64, b: int) -> U64:
    """High 64 bits of the 128-bit product."""
    low, half = _u(0xFFFFFFFF), _u(32)
    a0, a1 = a & low, a >> half
    b0, b1 = _u(b & 0xFFFFFFFF), _u(b >> 32)
    middle = a1 * b0 + (a0 * b0 >> half)
    carry = (middle & low) + a0 * b1
    out: U64 = a1 * b1 + (middle >> half) + (carry >> half)
    return out


def unit24(h: U64) -> npt.NDArray[np.float64]:
    """The top 24 bits as a fraction in [0, 1)."""
    return (h >> _u(40)).astype(np.float64) * 2.0**-24


def unit53(h: U64) -> npt.NDArray[np.float64]:
    """The top 53 bits as a fraction in [0, 1)."""
    return (h >> _u(11)).astype(np.float64) * 2.0**-53


def csr_row_lengths(start: int, stop: int, lo: int, hi: int) -> U64:
    """Entries of rows ``start`` to ``stop`` of the synthetic CSR matrix."""
    rows = np.arange(start, stop, dtype=np.uint64)
    return _u(lo) + splitmix64(rows) % _u(hi - lo + 1)


def _bf16(x: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    bits = x.view(np.uint32).astype(np.uint64)
    rounded = bits + _u(0x7FFF) + (bits >> _u(16) & _u(1))
    out = (rounded >> _u(16)).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FFF), out).astype(np.uint16)


def dtype_of(kind: Scalar) -> np.dtype[Any]:
    """numpy's type of a scalar; bfloat16 is held as its bits in ``uint16``."""
    return np.dtype(numpy_name(kind))


def _from_real(kind: Scalar, x: npt.NDArray[np.float64]) -> Data:
    """Reals to elements, rounded to nearest even; 16-bit floats by way of float32."""
    with np.errstate(over="ignore", invalid="ignore"):
        if kind.size == 8:
            return x
        single = x.astype(np.float32)
        if kind.rank is Rank.HALF:
            return single.astype(np.float16)
        return _bf16(single) if kind.rank is Rank.BF16 else single


def _from_int(kind: Scalar, x: U64) -> Data:
    """64-bit integers (two's complement) to elements: integers wrap, floats by way of double."""
    if kind.rank is Rank.BOOL:
        return np.not_equal(x, _u(0))
    if kind.is_integer:
        return x.astype(dtype_of(kind))
    return _from_real(kind, x.view(np.int64).astype(np.float64))


def _permute(x: U64, n: int, key: int) -> U64:
    """A bijection of 0..n-1: rounds of multiply-add and xor-shift on the next power of two, walked until below n."""
    bits = max(1, (n - 1).bit_length())
    mask, shift = _u((1 << bits) - 1), _u((bits + 1) // 2)
    todo = np.arange(x.size)
    out = x.copy()
    while todo.size:
        y = out[todo]
        for r in range(rng.PERMUTATION_ROUNDS):
            odd, add = rng.splitmix64(key + 2 * r) | 1, rng.splitmix64(key + 2 * r + 1)
            y = y * _u(odd) + _u(add) & mask
            y ^= y >> shift
        out[todo] = y
        todo = todo[y >= _u(n)]
    return out


def materialize(array: ArrayDecl, start: int = 0, count: int | None = None) -> Data:
    """Elements ``start`` to ``start + count`` of an array as it is before the launch.

    Shape ``(count,)`` for scalar elements, ``(count, lanes)`` for vector types and structs of equal members,
    ``(count, bytes)`` of ``uint8`` for other structs. bfloat16 comes as its bits in ``uint16``. Raises ``ValueError``
    for a slice outside the array, ``DataFileError`` for a file that has changed since the declaration was read.
    """
    count = array.count - start if count is None else count
    if start < 0 or count < 0 or start + count > array.count:
        raise ValueError(f"elements {start} to {start + count} of {array.name}, which has {array.count}")
    lanes = array.lanes
    if lanes is None:
        raw = _raw(array, start * array.elem.size, count * array.elem.size)
        return raw.reshape(count, array.elem.size)
    kind, width = lanes
    flat = _scalars(array, kind, start * width, count * width)
    return flat if width == 1 else flat.reshape(count, width)


def _raw(array: ArrayDecl, at: int, nbytes: int) -> npt.NDArray[np.uint8]:
    """Bytes of an array that is given by bytes: zeros, a list or a file."""
    if array.init.kind == "file":
        return _file_bytes(array, at, nbytes)
    out = np.zeros(nbytes, np.uint8)
    if array.init.kind == "list":
        part = np.frombuffer(array.init.data, np.uint8)[at : at + nbytes]
        out[: part.size] = part
    return out


def _file_bytes(array: ArrayDecl, at: int, nbytes: int) -> npt.NDArray[np.uint8]:
    path = Path(array.init.path)
    changed = path.stat().st_mtime_ns if path.exists() else 0
    found = _inspected(path, array.init.key, changed)
    if array.init.key:
        return _npz_bytes(str(path), array.init.key, changed)[at : at + nbytes].copy()
    mapped = np.memmap(path, np.uint8, "r", found.offset, (found.nbytes,))
    return np.array(mapped[at : at + nbytes])


@lru_cache(maxsize=64)
def _inspected(path: Path, key: str, changed: int) -> DataFile:
    """What a file is, asked again when it has ``changed``: thousands of pages are asked for one by one."""
    del changed
    return inspect(path, key)


_unpacked: OrderedDict[tuple[str, str, int], npt.NDArray[np.uint8]] = OrderedDict()
_unpacking = Lock()


def _npz_bytes(path: str, key: str, changed: int) -> npt.NDArray[np.uint8]:
    """A member of an archive: unpacked once, as long as all that are asked for by turns come to ``_UNPACKED`` bytes."""
    which = (path, key, changed)
    with _unpacking:
        found = _unpacked.pop(which, None)
        if found is None:
            with np.load(path, allow_pickle=False) as archive:
                found = np.ascontiguousarray(archive[key]).reshape(-1).view(np.uint8)
            while _unpacked and found.nbytes + sum(a.nbytes for a in _unpacked.values()) > _UNPACKED:
                _unpacked.popitem(last=False)
        _unpacked[which] = found
    return found


def materialize_blocks(array: ArrayDecl, blocks: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.uint8]:
    """Bytes of blocks of ``size`` bytes (a multiple of 16), shape ``(blocks, size)``; zero behind the array's end.

    All blocks at once, so that thousands of pages scattered over a large array cost as much as one slice of their sum.
    """
    out = np.zeros((blocks.size, size), np.uint8)
    if array.init.kind == "zeros":
        return out
    lanes = array.lanes
    if lanes is None or array.init.kind in ("list", "file") or size % lanes[0].size:
        for row, block in zip(out, blocks, strict=True):
            start = int(block) * size
            part = _raw(array, start, min(size, array.nbytes - start))
            row[: part.size] = part
        return out
    kind, width = lanes
    per = size // kind.size
    i: U64 = (blocks[:, None].astype(np.uint64) * _u(per) + np.arange(per, dtype=np.uint64)).astype(np.uint64)
    total = array.count * width
    inside = i < _u(total)
    if inside.all():
        return np.ascontiguousarray(_scalars_at(array, kind, i.reshape(-1))).view(np.uint8).reshape(blocks.size, size)
    values = np.zeros(i.size, dtype_of(kind))
    chosen = inside.reshape(-1)
    values[chosen] = _scalars_at(array, kind, i.reshape(-1)[chosen])
    return values.view(np.uint8).reshape(blocks.size, size)


def _scalars(array: ArrayDecl, kind: Scalar, start: int, count: int) -> Data:
    if array.init.kind in ("zeros", "list", "file"):
        return _raw(array, start * kind.size, count * kind.size).view(dtype_of(kind))
    return _scalars_at(array, kind, np.arange(start, start + count, dtype=np.uint64))


def _scalars_at(array: ArrayDecl, kind: Scalar, i: U64) -> Data:
    """The scalars with these numbers, of an array that a rule fills."""
    init = array.init
    dtype = dtype_of(kind)
    count = i.size
    if init.kind == "fill":
        value = round_to(kind, init.args[0])
        return np.full(count, bf16_bits(value) if kind.rank is Rank.BF16 else value, dtype)
    if init.kind == "iota":
        return _iota(kind, i, *init.args)
    if init.kind == "csr_rowptr":
        rows, lo, hi = map(int, init.args)
        return _from_int(kind, _row_starts(rows, lo, hi)[i])
    base = rng.base(array.seed, array.stream)
    if init.kind == "permutation":
        return _from_int(kind, _permute(i, array.count, base))
    h = splitmix64(i + _u(base))
    if init.kind == "uniform":
        a, b = init.args
        return _from_real(kind, a + (b - a) * (unit53(h) if kind.size == 8 else unit24(h)))
    if init.kind == "ascending":
        width = array.lanes[1] if array.lanes is not None else 1
        step = rng.ascending_step(array.count * width)
        place = i * _u(step) + mulhi(h, step)
        if kind.is_integer:
            a, b = map(int, init.args)
            return _from_int(kind, _u(a) + mulhi(place, b - a))
        low, high = init.args
        return _from_real(kind, low + (high - low) * (unit53(place) if kind.size == 8 else unit24(place)))
    if init.kind == "normal":
        mean, deviation = init.args
        # Box-Muller; the second number hashes the first. 1 - u lies in (0, 1], so the logarithm is finite.
        radius = np.sqrt(-2.0 * np.log(1.0 - unit53(h)))
        return _from_real(kind, mean + deviation * radius * np.cos(2.0 * np.pi * unit53(splitmix64(h))))
    a, b = map(int, init.args) if init.kind == "randint" else (0, int(init.args[0]))
    return _from_int(kind, _u(a) + mulhi(h, b - a))


def _iota(kind: Scalar, i: U64, start: float, step: float) -> Data:
    if kind.is_integer:
        return _from_int(kind, _u(int(start)) + i * _u(int(step)))
    return _from_real(kind, start + i.astype(np.float64) * step)


@lru_cache(maxsize=2)
def _row_starts(rows: int, lo: int, hi: int) -> U64:
    out = np.zeros(rows + 1, np.uint64)
    np.cumsum(csr_row_lengths(0, rows, lo, hi), out=out[1:])
    return out
