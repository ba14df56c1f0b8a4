"""How the arguments of a Python call become C arguments: arrays, numbers, vectors and structs by their bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mutate.api.memory import Block, Memory, UnusableError, is_array, memory_of
from mutate.errors import KmutateError
from mutate.frontend.units import Unit
from mutate.launch.arith import round_to
from mutate.launch.check import Parameter
from mutate.launch.model import (
    Arg,
    ArrayArg,
    ArrayDecl,
    DeclarationText,
    Init,
    ScalarArg,
    StructArg,
    Value,
)
from mutate.launch.types import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Array,
    CType,
    Field,
    Scalar,
    Struct,
    known_types,
    uniform_lanes,
)
from mutate.source import Span

_SCALARS: dict[str, Scalar] = {
    "f2": HALF, "f4": FLOAT, "f8": DOUBLE, "bf16": BF16, "b1": BOOL, "i1": SCHAR, "i2": SHORT, "i4": INT, "i8": LONG,
    "u1": UCHAR, "u2": USHORT, "u4": UINT, "u8": ULONG}
# Other dtypes whose bits are what a kernel takes for a type.
_ALSO: dict[Scalar, tuple[str, ...]] = {BF16: ("u2", "V2"), BOOL: ("u1",)}
_NUMPY_NAMES = {"f2": "float16", "f4": "float32", "f8": "float64", "bf16": "bfloat16", "b1": "bool", "c8": "complex64",
                "c16": "complex128", **{f"{k}{n}": f"{'u' * (k == 'u')}int{8 * n}" for k in "iu" for n in (1, 2, 4, 8)}}
_TORCH_LIKE = {name: short for short, name in _NUMPY_NAMES.items()}


def scalar_type(value: Any) -> Scalar | None:
    """The C type that an array's elements or a library's number have; None where there is none."""
    if is_array(value):
        try:
            return _SCALARS.get(memory_of(value).dtype)
        except UnusableError:
            return None
    dtype = getattr(value, "dtype", None)
    return _SCALARS.get(str(getattr(dtype, "str", ""))[1:]) if dtype is not None else None


@dataclass(frozen=True)
class Made:
    """The arguments of a launch and the arrays that they point into."""

    args: tuple[Arg, ...]
    arrays: tuple[ArrayDecl, ...]


class Arguments:
    """Makes the arguments of one call: ``params`` are the kernel's, ``spans`` where errors about each one point."""

    def __init__(self, unit: Unit, declaration: DeclarationText, params: Sequence[Parameter], spans: Sequence[Span]
                 ) -> None:
        self.unit = unit
        self.declaration = declaration
        self.params = params
        self.spans = spans

    def make(self, values: Sequence[Any]) -> Made:
        """Raises ``KmutateError`` ``argument-type`` or ``argument-layout``."""
        pointers: dict[int, tuple[Memory, CType]] = {}
        args: list[Arg | None] = []
        for i, (value, want) in enumerate(zip(values, self.params, strict=True)):
            try:
                if want.pointers:
                    args.append(self._pointer(i, value, want, pointers))
                else:
                    args.append(self._value(i, value, want))
            except UnusableError as error:
                raise self._error("argument-layout" if "contiguous" in str(error) else "argument-type", i,
                                  f"{self._named(want)} cannot take {error}", error.hint) from None
        placed, arrays = self._arrays(pointers)
        return Made(tuple(a if a is not None else placed[i] for i, a in enumerate(args)), arrays)

    def _error(self, slug: str, index: int, what: str, hint: str | None = None) -> KmutateError:
        return self.declaration.error(slug, what, self.spans[index], hint or "compare with the kernel's parameters")

    @staticmethod
    def _named(want: Parameter) -> str:
        return f"the parameter {want.text} {want.name}".strip()

    # --- pointers ---

    def _pointer(self, index: int, value: Any, want: Parameter, pointers: dict[int, tuple[Memory, CType]]
                 ) -> Arg | None:
        if value is None:
            return ArrayArg(None, 0, None, self.spans[index])
        if want.pointers > 1:
            raise self._error("argument-type", index, f"{self._named(want)} is a pointer to pointers, which cannot be "
                              "given", "change the kernel so that it takes the arrays themselves")
        if not is_array(value):
            hint = "pass the array itself, not its address" if isinstance(value, int) else \
                "pass a NumPy or CuPy array or a PyTorch tensor, or None for a null pointer"
            raise UnusableError(f"a {type(value).__name__}", hint)
        memory = memory_of(value)
        if memory.nbytes == 0:
            raise UnusableError("an empty array", "pass None for a null pointer")
        pointers[index] = (memory, self._element(memory, want))
        return None

    def _element(self, memory: Memory, want: Parameter) -> CType:
        """The element type of an array: the parameter's, when the dtype is that; the dtype's where that is unknown."""
        base = want.base
        own = _SCALARS.get(memory.dtype)
        if memory.dtype in ("c8", "c16"):
            own_type: CType = known_types()["float2" if memory.dtype == "c8" else "double2"]
        else:
            own_type = own if own is not None else UCHAR
        if base is None:
            return own_type if memory.nbytes % own_type.size == 0 else UCHAR
        lanes = uniform_lanes(base)
        if lanes is not None and self._fits(memory, own, lanes[0], lanes[1]) and memory.nbytes % base.size == 0:
            return base
        wanted = _dtype_for(base)
        raise UnusableError(
            f"an array of {_NUMPY_NAMES.get(memory.dtype, memory.dtype)}",
            f"its elements are {base.name}: pass x.{_conversion(memory.library, wanted)}" if wanted else
            f"its elements are {base.name}, {base.size} bytes each")

    @staticmethod
    def _fits(memory: Memory, own: Scalar | None, kind: Scalar, lanes: int) -> bool:
        if own is not None and (own == kind or (own.is_integer and kind.is_integer and own.size == kind.size
                                                and BOOL not in (own, kind))):
            return True
        if memory.dtype in _ALSO.get(kind, ()):
            return True
        if memory.dtype.startswith("c"):
            return lanes % 2 == 0 and kind in (FLOAT, DOUBLE) and int(memory.dtype[1:]) == 2 * kind.size
        return memory.dtype.startswith("V") and int(memory.dtype[1:]) == kind.size * lanes

    def _arrays(self, pointers: Mapping[int, tuple[Memory, CType]]
                ) -> tuple[dict[int, ArrayArg], tuple[ArrayDecl, ...]]:
        """One declared array for each piece of memory; arguments that lie in one piece point into the same array."""
        pieces = _pieces([m.block for m, _ in pointers.values()])
        names: dict[tuple[str, int], str] = {}
        arrays: list[ArrayDecl] = []
        placed: dict[int, ArrayArg] = {}
        for index, (memory, elem) in pointers.items():
            piece = next(p for p in pieces if p.where == memory.block.where
                         and p.address <= memory.address < p.address + max(1, p.nbytes))
            key = (piece.where, piece.address)
            if key not in names:
                wanted = self.params[index].name or f"arg{index}"
                names[key] = wanted
                arrays.append(self._declared(index, wanted, elem, piece, len(arrays)))
            placed[index] = ArrayArg(names[key], memory.address - piece.address, elem, self.spans[index])
        return placed, tuple(arrays)

    def _declared(self, index: int, name: str, elem: CType, piece: Block, stream: int) -> ArrayDecl:
        try:
            data = piece.read()
        except UnusableError as error:
            raise self._error("argument-type", index, str(error), error.hint) from None
        if len(data) % elem.size:
            elem = UCHAR
        init = Init("list", data=data) if data.strip(b"\0") else Init("zeros")
        return ArrayDecl(name, elem, (len(data) // elem.size,), init, stream, 0, False, self.spans[index])

    # --- values ---

    def _value(self, index: int, value: Any, want: Parameter) -> Arg:
        base = want.base
        if isinstance(base, Struct) and is_array(value) and getattr(value, "ndim", 0) == 1:
            value = tuple(value.tolist())
        if value is None or (is_array(value) and getattr(value, "ndim", 1) != 0):
            raise UnusableError("None" if value is None else "an array", "pass a number")
        if isinstance(value, (bytes, bytearray, memoryview)) or _is_record(value):
            return self._bytes(index, bytes(value) if not hasattr(value, "tobytes") else value.tobytes(), want)
        if isinstance(base, Struct):
            return self._vector(index, value, base)
        if base is None and self.unit.struct(want.base_text) is not None:
            raise UnusableError(f"a {type(value).__name__}", f"{want.base_text} is a struct: pass its bytes, a ctypes "
                                "structure or a NumPy record")
        if isinstance(value, (list, tuple)):
            raise UnusableError(f"a {type(value).__name__}", f"{want.base_text} is no type with several lanes")
        kind, number = self._number(value, base if isinstance(base, Scalar) else None)
        return ScalarArg(kind, number, self.spans[index])

    def _number(self, value: Any, wanted: Scalar | None) -> tuple[Scalar, int | float]:
        """A number with its type: a library's scalar keeps its own, Python's take the parameter's."""
        dtype = getattr(value, "dtype", None)
        if dtype is not None and hasattr(value, "item"):
            name = str(dtype).removeprefix("torch.")
            short = _TORCH_LIKE.get(name, str(getattr(dtype, "str", ""))[1:])
            own = _SCALARS.get(short)
            number = value.item()
            if own is None or isinstance(number, complex) or not isinstance(number, (bool, int, float)):
                raise UnusableError(f"a number of {name}", "pass an integer or a real number")
            self._check_whole(number, wanted)
            return own, int(number) if own.is_integer else float(number)
        if isinstance(value, bool):
            return BOOL, int(value)
        if isinstance(value, int) or (hasattr(value, "__index__") and not isinstance(value, float)):
            number = int(value.__index__())
            if wanted is not None and not wanted.is_integer:
                return wanted, round_to(wanted, number)
            if wanted is not None and wanted != BOOL and not wanted.range[0] <= number <= wanted.range[1]:
                raise UnusableError(f"{number}", f"{wanted.name} holds {wanted.range[0]} to {wanted.range[1]}")
            own = INT if INT.range[0] <= number <= INT.range[1] else LONG if number <= LONG.range[1] else ULONG
            if not own.range[0] <= number <= own.range[1]:
                raise UnusableError(f"{number}", "no integer of 64 bits holds it")
            return wanted or own, number
        if isinstance(value, float):
            self._check_whole(value, wanted)
            if wanted is not None and wanted.is_integer:
                return wanted, int(round_to(wanted, value))
            return wanted or DOUBLE, value if wanted is None else round_to(wanted, value)
        raise UnusableError(f"a {type(value).__name__}", "pass a number")

    @staticmethod
    def _check_whole(number: float, wanted: Scalar | None) -> None:
        if wanted is None or not wanted.is_integer or isinstance(number, (bool, int)):
            return
        if not math.isfinite(number) or int(number) != number:
            raise UnusableError(f"{number}", f"pass int(...): C would cut it off, {wanted.name} holds no fraction")
        if wanted != BOOL and not wanted.range[0] <= number <= wanted.range[1]:
            raise UnusableError(f"{number}", f"{wanted.name} holds {wanted.range[0]} to {wanted.range[1]}")

    def _vector(self, index: int, value: Any, kind: Struct) -> Arg:
        """A vector type (``float4``) from its lanes."""
        lanes = list(value) if isinstance(value, (list, tuple)) or hasattr(value, "__iter__") else None
        if lanes is None or len(lanes) != len(kind.fields):
            raise UnusableError(f"a {type(value).__name__}", f"{kind.name} takes {len(kind.fields)} numbers: a tuple")
        parts = []
        for lane, member in zip(lanes, kind.fields, strict=True):
            if not isinstance(member.type, Scalar):
                raise UnusableError(f"a {type(value).__name__}", "pass its bytes")
            _, number = self._number(lane, member.type)
            parts.append(Value(member.type, round_to(member.type, number)))
        return StructArg(kind, Value(kind, tuple(parts)), self.spans[index])

    def _bytes(self, index: int, data: bytes, want: Parameter) -> Arg:
        """A struct by its bytes, as they lie in memory. Pointers in it are not translated."""
        if want.base is not None and want.base.size != len(data):
            raise UnusableError(f"{len(data)} bytes", f"{want.base.name} has {want.base.size} bytes")
        array = Array(UCHAR, len(data))
        kind = want.base if isinstance(want.base, Struct) else Struct(
            want.base_text or "struct", (Field("bytes", array, 0),), len(data), 1)
        raw = Struct(kind.name, (Field("bytes", array, 0),), len(data), kind.align)
        value = Value(raw, (Value(array, tuple(Value(UCHAR, b) for b in data)),))
        return StructArg(kind, Value(kind, value.data), self.spans[index]) if kind == raw else \
            StructArg(kind, _reread(kind, data), self.spans[index])


def _is_record(value: Any) -> bool:
    """A ctypes structure or a NumPy record."""
    if hasattr(value, "_fields_") and hasattr(value, "_b_base_"):
        return True
    dtype = getattr(value, "dtype", None)
    return dtype is not None and str(getattr(dtype, "str", ""))[1:2] == "V" and hasattr(value, "tobytes") \
        and getattr(value, "shape", None) == ()


def _reread(kind: Struct, data: bytes) -> Value:
    """The members of a vector type out of its bytes."""
    import struct

    formats = {2: "<e", 4: "<f", 8: "<d"}
    parts = []
    for member in kind.fields:
        assert isinstance(member.type, Scalar)
        part = data[member.offset : member.offset + member.type.size]
        if member.type.is_integer:
            number: int | float = int.from_bytes(part, "little", signed=member.type.range[0] < 0)
        elif member.type == BF16:  # the upper half of a float
            number = struct.unpack("<f", b"\0\0" + part)[0]
        else:
            number = struct.unpack(formats[member.type.size], part)[0]
        parts.append(Value(member.type, number))
    return Value(kind, tuple(parts))


def _dtype_for(kind: CType) -> str | None:
    lanes = uniform_lanes(kind)
    if lanes is None:
        return None
    return next((_NUMPY_NAMES[short] for short, scalar in _SCALARS.items() if scalar == lanes[0]), None)


def _conversion(library: str, dtype: str) -> str:
    return f"to(torch.{dtype})" if library == "torch" else f"astype('{dtype}')"


def _pieces(blocks: Sequence[Block]) -> list[Block]:
    """Pieces of memory without overlaps: blocks that share bytes become one."""
    out: list[Block] = []
    for block in sorted(blocks, key=lambda b: (b.where, b.address, -b.nbytes)):
        last = out[-1] if out else None
        if last is None or last.where != block.where or block.address >= last.address + last.nbytes:
            out.append(block)
        elif block.address + block.nbytes > last.address + last.nbytes:
            out[-1] = _joined(last, block)
    return out


def _joined(first: Block, second: Block) -> Block:
    def read() -> bytes:
        data = bytearray(first.read())
        data[second.address - first.address :] = second.read()
        return bytes(data)

    return Block(first.where, first.address, second.address + second.nbytes - first.address, read)
