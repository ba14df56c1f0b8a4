"""What a data file holds, from its header alone: .npy, members of .npz, raw .bin."""

from __future__ import annotations

import ast
import re
import struct
from pathlib import Path
from typing import IO, NamedTuple

from mutate.files import require_file
from mutate.launch.types import Rank, Scalar

_MAX_HEADER = 1 << 20


class DataFile(NamedTuple):
    """``dtype`` is numpy's string (``<f4``) or ``None`` for raw bytes; ``offset`` is where the data begin."""

    dtype: str | None
    shape: tuple[int, ...]
    nbytes: int
    offset: int


class DataFileError(Exception):
    """The file cannot be used; the message says why."""


def inspect(path: Path, key: str) -> DataFile:
    """Type, shape and size of a data file. ``key`` names the member of an .npz.

    Raises ``DataFileError`` when it is missing, damaged, or of a kind that is not understood.
    """
    suffix = path.suffix.lower()
    try:
        if suffix in (".npy", ".npz", ".bin"):
            require_file(path)
        if suffix == ".npz":
            return _inspect_npz(path, key)
        if key:
            raise DataFileError(f"only an .npz has members; {path.name} has none")
        if suffix == ".npy":
            with path.open("rb") as stream:
                return _npy_header(stream)
        if suffix == ".bin":
            return DataFile(None, (), path.stat().st_size, 0)
    except OSError as fault:
        raise DataFileError(f"cannot read {path}: {fault.strerror or fault}") from fault
    except ValueError as fault:  # a path with a NUL byte
        raise DataFileError(f"cannot read {path!s}: {fault}") from fault
    raise DataFileError(f"{path.name} is none of .npy, .npz, .bin")


def _inspect_npz(path: Path, key: str) -> DataFile:
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(path) as archive:
            names = [n.removesuffix(".npy") for n in archive.namelist()]
            if not key:
                raise DataFileError(f'name the member: file("{path.name}:KEY"); it has: {", ".join(names) or "none"}')
            if key not in names:
                raise DataFileError(f"{path.name} has no member {key!r}; it has: {', '.join(names) or 'none'}")
            member = archive.namelist()[names.index(key)]
            with archive.open(member) as stream:
                return _npy_header(stream)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as fault:
        raise DataFileError(f"{path.name} is no readable .npz: {fault}") from fault


def _npy_header(stream: IO[bytes]) -> DataFile:
    """Header of the .npy format, versions 1 to 3 (numpy.lib.format)."""
    lead = stream.read(8)
    if lead[:6] != b"\x93NUMPY" or len(lead) < 8:
        raise DataFileError("the .npy header is missing")
    wide = lead[6] >= 2
    size_bytes = stream.read(4 if wide else 2)
    if len(size_bytes) < (4 if wide else 2):
        raise DataFileError("the .npy header is cut off")
    size = struct.unpack("<I" if wide else "<H", size_bytes)[0]
    text = stream.read(min(size, _MAX_HEADER)).decode("latin-1")
    try:
        header = ast.literal_eval(text.strip())
        dtype, shape, fortran = header["descr"], tuple(map(int, header["shape"])), bool(header["fortran_order"])
    except (ValueError, SyntaxError, KeyError, TypeError, RecursionError, MemoryError) as fault:
        raise DataFileError("the .npy header is damaged") from fault
    match = re.fullmatch(r"[<|=]?([a-zA-Z])(\d+)", dtype) if isinstance(dtype, str) else None
    if match is None or any(n < 0 for n in shape):
        raise DataFileError(f"arrays of dtype {dtype} are not understood (plain little-endian numbers are)")
    if fortran and len(shape) > 1:
        raise DataFileError("the array is in Fortran order; save numpy.ascontiguousarray(x)")
    count = 1
    for n in shape:
        count *= n
    return DataFile(dtype.lstrip("<|="), shape, count * int(match[2]), len(lead) + len(size_bytes) + size)


_NUMPY = {Rank.INT: "i", Rank.UINT: "u", Rank.FLOAT: "f", Rank.HALF: "f", Rank.BF16: "u"}


def numpy_name(kind: Scalar) -> str:
    """numpy's short dtype name of a scalar (``f4``); bfloat16, which numpy lacks, travels as its bits, ``u2``."""
    return "b1" if kind.rank is Rank.BOOL else f"{_NUMPY[kind.rank]}{kind.size}"


def fits(found: DataFile, kind: tuple[Scalar, int] | None) -> bool:
    """Whether a file's element type is that of an array of ``kind`` (scalar, lanes)."""
    if found.dtype is None:
        return True
    if kind is None:
        return found.dtype == "u1"
    scalar, lanes = kind
    wanted = {numpy_name(scalar)}
    if scalar.rank is Rank.FLOAT and lanes == 2:
        wanted.add(f"c{2 * scalar.size}")
    if scalar.rank is Rank.BF16:
        wanted.add("V2")
    return found.dtype in wanted
