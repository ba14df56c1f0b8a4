"""The initialisers of launch arrays, one table: what each takes, checks, and becomes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from mutate.launch import rng
from mutate.launch.arith import FaultError, Number, round_to
from mutate.launch.files import DataFileError, fits, inspect, numpy_name
from mutate.launch.model import Init
from mutate.launch.types import CType, Scalar, uniform_lanes

# A size is counted row by row; this many take seconds.
MAX_CSR_ROWS = 1 << 27


class Target(NamedTuple):
    """The array to fill. ``elements`` is ``None`` for ``T a[]``, whose size the initialiser gives."""

    elem: CType
    elements: int | None
    folder: Path

    @property
    def lanes(self) -> tuple[Scalar, int] | None:
        return uniform_lanes(self.elem)

    def scalar(self, name: str) -> Scalar:
        lanes = self.lanes
        if lanes is None:
            raise FaultError("launch-bad-initialiser", f"{name}() cannot fill elements of type {self.elem.name}, whose "
                        "members differ", "use zeros(), a list in braces, or a .bin file; or fill bytes, "
                             f"unsigned char bytes[n * sizeof({self.elem.name})], and pass ({self.elem.name} *)bytes")
        return lanes[0]

    def floating(self, name: str) -> Scalar:
        scalar = self.scalar(name)
        if scalar.is_integer:
            raise FaultError("launch-bad-initialiser", f"{name}() makes fractions; the elements are {scalar.name}",
                        "use randint(a, b): a <= x < b")
        return scalar

    def integer(self, name: str) -> Scalar:
        scalar = self.scalar(name)
        if not scalar.is_integer or self.lanes != (scalar, 1):
            raise FaultError("launch-bad-initialiser", f"{name}() makes integers; the elements are {self.elem.name}")
        return scalar

    def sized(self) -> int:
        if self.elements is None:
            raise FaultError("launch-size", "the array needs a size",
                             'only file("...") and lists in braces bring their own')
        return self.elements


Args = Sequence[Number]


def _whole(args: Args, i: int, what: str, low: int, high: int = (1 << 63) - 1) -> int:
    value = args[i]
    if isinstance(value, float) or not low <= value <= high:
        raise FaultError("launch-bad-initialiser", f"{what} must be an integer from {low} to {high}, not {value}",
                         argument=i)
    return value


def _finite(args: Args, i: int) -> float:
    try:
        value = float(args[i])
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise FaultError("launch-bad-initialiser", f"{value} is no bound", argument=i)
    return value


def _check_fits(kind: Scalar, value: int, i: int | None, what: str) -> None:
    if kind.is_integer and not kind.range[0] <= value <= kind.range[1]:
        raise FaultError("launch-bad-initialiser", f"{what} {value} does not fit {kind.name}", argument=i)


def _zeros(target: Target, args: Args) -> Init:
    return Init("zeros")


def _ones(target: Target, args: Args) -> Init:
    return Init("fill", (round_to(target.scalar("ones"), 1),))


def _fill(target: Target, args: Args) -> Init:
    return Init("fill", (round_to(target.scalar("fill"), args[0]),))


def _iota(target: Target, args: Args) -> Init:
    kind = target.scalar("iota")
    start, step = args[0] if args else 0, args[1] if len(args) > 1 else 1
    if kind.is_integer:
        for i, value in enumerate(args):
            if isinstance(value, float):
                raise FaultError("launch-bad-initialiser", f"iota() of {kind.name} counts in integers, not {value}",
                            argument=i)
        return Init("iota", (start, step))
    return Init("iota", (float(start), float(step)))


def _uniform(target: Target, args: Args) -> Init:
    target.floating("uniform")
    a, b = _finite(args, 0), _finite(args, 1)
    if not a <= b:
        raise FaultError("launch-bad-initialiser", f"uniform(a, b) needs a <= b; {a} > {b}", argument=0)
    if not math.isfinite(b - a):
        raise FaultError("launch-bad-initialiser", "the bounds are too far apart", argument=1)
    return Init("uniform", (a, b))


def _normal(target: Target, args: Args) -> Init:
    target.floating("normal")
    mean = _finite(args, 0) if args else 0.0
    deviation = _finite(args, 1) if len(args) > 1 else 1.0
    if deviation < 0:
        raise FaultError("launch-bad-initialiser", f"a standard deviation is not negative: {deviation}", argument=1)
    return Init("normal", (mean, deviation))


def _randint(target: Target, args: Args) -> Init:
    kind = target.scalar("randint")
    a = _whole(args, 0, "the lower bound", -(1 << 63))
    b = _whole(args, 1, "the upper bound", -(1 << 63))
    if a >= b:
        raise FaultError("launch-bad-initialiser", f"randint(a, b) is a <= x < b; no x is for {a}, {b}", argument=0)
    _check_fits(kind, a, 0, "the lower bound")
    _check_fits(kind, b - 1, 1, "the largest value")
    return Init("randint", (a, b))


def _ascending(target: Target, args: Args) -> Init:
    made = _randint(target, args) if target.scalar("ascending").is_integer else _uniform(target, args)
    target.sized()
    return Init("ascending", made.args)


def _permutation(target: Target, args: Args) -> Init:
    kind = target.integer("permutation")
    _check_fits(kind, target.sized() - 1, None, "the largest index")
    return Init("permutation")


def csr_shape(args: Args) -> tuple[int, int, int]:
    """Checked ``(rows, lo, hi)`` of the synthetic CSR matrix."""
    rows = _whole(args, 0, "the number of rows", 1, MAX_CSR_ROWS)
    lo = _whole(args, 1, "the shortest row", 0, 1 << 31)
    return rows, lo, _whole(args, 2, "the longest row", lo, 1 << 31)


def _csr_rowptr(target: Target, args: Args) -> Init:
    kind = target.integer("csr_rowptr")
    rows, lo, hi = csr_shape(args)
    if target.sized() != rows + 1:
        raise FaultError("launch-size", f"csr_rowptr of {rows} rows has {rows + 1} elements, not {target.elements}",
                    "declare it with [rows + 1]", argument=0)
    _check_fits(kind, rng.csr_nnz(rows, lo, hi), None, "the number of entries")
    return Init("csr_rowptr", (rows, lo, hi))


def _csr_colidx(target: Target, args: Args) -> Init:
    kind = target.integer("csr_colidx")
    columns = _whole(args, 0, "the number of columns", 1)
    _check_fits(kind, columns - 1, 0, "the largest column")
    return Init("csr_colidx", (columns,))


class Initialiser(NamedTuple):
    """``arity``: least and largest number of arguments; ``usage`` is what a person writes."""

    usage: str
    arity: tuple[int, int]
    make: Callable[[Target, Args], Init]


INITIALISERS: dict[str, Initialiser] = {
    "zeros": Initialiser("zeros()", (0, 0), _zeros),
    "ones": Initialiser("ones()", (0, 0), _ones),
    "fill": Initialiser("fill(x)", (1, 1), _fill),
    "iota": Initialiser("iota(start = 0, step = 1)", (0, 2), _iota),
    "uniform": Initialiser("uniform(a, b)", (2, 2), _uniform),
    "normal": Initialiser("normal(mean = 0, stddev = 1)", (0, 2), _normal),
    "randint": Initialiser("randint(a, b)", (2, 2), _randint),
    "ascending": Initialiser("ascending(a, b)", (2, 2), _ascending),
    "permutation": Initialiser("permutation()", (0, 0), _permutation),
    "csr_rowptr": Initialiser("csr_rowptr(rows, lo, hi)", (3, 3), _csr_rowptr),
    "csr_colidx": Initialiser("csr_colidx(cols)", (1, 1), _csr_colidx),
}

# Takes a string, so it is no row of the table.
FILE_USAGE = 'file("x.npy"), file("x.npz:key") or file("x.bin")'


def from_file(target: Target, written: str) -> tuple[Init, int]:
    """``file("...")`` with the file's header checked; also the number of elements it holds.

    Raises ``FaultError`` (``launch-file``) when the file is missing or holds something else.
    """
    archive = re.fullmatch(r"(.*\.npz):(.*)", written, re.DOTALL)
    name, key = (archive[1], archive[2]) if archive else (written, "")
    path = target.folder / name
    try:
        found = inspect(path, key)
    except DataFileError as fault:
        raise FaultError("launch-file", str(fault), argument=0) from fault
    if not fits(found, target.lanes):
        wanted = numpy_name(target.lanes[0]) if target.lanes else "u1"
        raise FaultError("launch-file", f"{name} holds {found.dtype}; {target.elem.name} needs {wanted}", argument=0)
    count, rest = divmod(found.nbytes, target.elem.size)
    if rest or (target.elements is not None and count != target.elements):
        expected = "whole elements" if target.elements is None else f"{target.elements * target.elem.size} bytes"
        raise FaultError("launch-size", f"{name} holds {found.nbytes} bytes, not {expected} of {target.elem.name}",
                    argument=0)
    return Init("file", path=str(path), key=key, written=written), count
