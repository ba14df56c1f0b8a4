"""The C types of launch declarations: sizes, alignments and layouts as nvcc has them on 64-bit Linux (LP64).

CUDA's vector types are structs with the alignment of the CUDA C++ Programming Guide, table
"Alignment Requirements" of the built-in vector types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache


class Rank(Enum):
    BOOL = "bool"
    INT = "int"
    UINT = "uint"
    FLOAT = "float"
    HALF = "half"
    BF16 = "bf16"


@dataclass(frozen=True)
class Scalar:
    """An arithmetic type. ``name`` is its C spelling, ``size`` (= alignment) in bytes."""

    name: str
    size: int
    rank: Rank

    @property
    def align(self) -> int:
        return self.size

    @property
    def is_integer(self) -> bool:
        return self.rank in (Rank.BOOL, Rank.INT, Rank.UINT)

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value of an integer type."""
        if self.rank is Rank.BOOL:
            return 0, 1
        bits = 8 * self.size
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.rank is Rank.INT else (0, (1 << bits) - 1)


@dataclass(frozen=True)
class Pointer:
    """A device pointer. ``to`` is ``None`` for ``void *``."""

    to: CType | None
    to_const: bool = False
    size: int = 8
    align: int = 8

    @property
    def name(self) -> str:
        return f"{'const ' if self.to_const else ''}{self.to.name if self.to else 'void'} *"


@dataclass(frozen=True)
class Array:
    """An array member of a struct, or the type of a declared array in ``sizeof``."""

    of: CType
    count: int

    @property
    def name(self) -> str:
        return f"{self.of.name}[{self.count}]"

    @property
    def size(self) -> int:
        return self.of.size * self.count

    @property
    def align(self) -> int:
        return self.of.align


@dataclass(frozen=True)
class Field:
    """A member of a struct; ``offset`` in bytes."""

    name: str
    type: CType
    offset: int


@dataclass(frozen=True)
class Struct:
    """A struct or a CUDA vector type, laid out. ``vector`` types may be built by ``make_<name>``."""

    name: str
    fields: tuple[Field, ...]
    size: int
    align: int
    vector: bool = False

    def field(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name == name), None)


CType = Scalar | Pointer | Array | Struct

CHAR = Scalar("char", 1, Rank.INT)
SCHAR = Scalar("signed char", 1, Rank.INT)
UCHAR = Scalar("unsigned char", 1, Rank.UINT)
SHORT = Scalar("short", 2, Rank.INT)
USHORT = Scalar("unsigned short", 2, Rank.UINT)
INT = Scalar("int", 4, Rank.INT)
UINT = Scalar("unsigned int", 4, Rank.UINT)
LONG = Scalar("long", 8, Rank.INT)
ULONG = Scalar("unsigned long", 8, Rank.UINT)
LLONG = Scalar("long long", 8, Rank.INT)
ULLONG = Scalar("unsigned long long", 8, Rank.UINT)
FLOAT = Scalar("float", 4, Rank.FLOAT)
DOUBLE = Scalar("double", 8, Rank.FLOAT)
BOOL = Scalar("bool", 1, Rank.BOOL)
HALF = Scalar("__half", 2, Rank.HALF)
BF16 = Scalar("__nv_bfloat16", 2, Rank.BF16)
SIZE_T = ULONG
TEXTURE_OBJECT = Scalar("cudaTextureObject_t", 8, Rank.UINT)
SURFACE_OBJECT = Scalar("cudaSurfaceObject_t", 8, Rank.UINT)

_BY_SPECIFIERS: dict[tuple[str, ...], Scalar] = {
    ("char",): CHAR, ("char", "signed"): SCHAR, ("char", "unsigned"): UCHAR,
    ("short",): SHORT, ("short", "unsigned"): USHORT,
    ("int",): INT, ("signed",): INT, ("unsigned",): UINT,
    ("long",): LONG, ("long", "unsigned"): ULONG,
    ("long", "long"): LLONG, ("long", "long", "unsigned"): ULLONG,
    ("float",): FLOAT, ("double",): DOUBLE, ("_Bool",): BOOL, ("bool",): BOOL,
}

_ALIASES: dict[str, Scalar] = {
    "bool": BOOL, "int8_t": SCHAR, "uint8_t": UCHAR, "int16_t": SHORT, "uint16_t": USHORT, "int32_t": INT,
    "uint32_t": UINT, "int64_t": LONG, "uint64_t": ULONG, "intptr_t": LONG, "uintptr_t": ULONG, "size_t": SIZE_T,
    "ssize_t": LONG, "ptrdiff_t": LONG, "uint": UINT, "ushort": USHORT, "ulong": ULONG, "half": HALF, "__half": HALF,
    "nv_half": HALF, "nv_bfloat16": BF16, "__nv_bfloat16": BF16,
    "cudaTextureObject_t": TEXTURE_OBJECT, "cudaSurfaceObject_t": SURFACE_OBJECT,
}

_VECTOR_BASES = {
    "char": SCHAR, "uchar": UCHAR, "short": SHORT, "ushort": USHORT, "int": INT, "uint": UINT, "long": LONG,
    "ulong": ULONG, "longlong": LLONG, "ulonglong": ULLONG, "float": FLOAT, "double": DOUBLE,
}

# 16-bit pairs and cuComplex.h's names are structs of two, aligned as a whole.
_PAIRS = {
    "half2": HALF, "__half2": HALF, "nv_bfloat162": BF16, "__nv_bfloat162": BF16,
    "cuFloatComplex": FLOAT, "cuComplex": FLOAT, "cuDoubleComplex": DOUBLE,
}
_CANONICAL_PAIRS = {
    "half2": "__half2", "nv_bfloat162": "__nv_bfloat162", "cuFloatComplex": "float2", "cuComplex": "float2",
    "cuDoubleComplex": "double2",
}


def by_specifiers(words: Iterable[str]) -> Scalar | None:
    """The built-in type that specifiers such as ``unsigned long int`` name, in any order."""
    names = sorted(words)
    if "signed" in names and names != ["signed"] and "char" not in names:
        names.remove("signed")
    if "int" in names and len(names) > 1:
        names.remove("int")
    return _BY_SPECIFIERS.get(tuple(names))


@cache
def known_types() -> dict[str, CType]:
    """Every typedef name that a declaration may use without declaring it."""
    table: dict[str, CType] = dict(_ALIASES)
    for stem, base in _VECTOR_BASES.items():
        for lanes in (1, 2, 3, 4):
            # 1 and 3 lanes are aligned as one lane; 2 and 4 as a whole, at most 16 bytes.
            align = base.size if lanes in (1, 3) else min(16, base.size * lanes)
            table[f"{stem}{lanes}"] = vector(f"{stem}{lanes}", base, lanes, align)
    for name, base in _PAIRS.items():
        table[name] = vector(_CANONICAL_PAIRS.get(name, name), base, 2, 2 * base.size)
    table["dim3"] = DIM3
    table["cudaTextureDesc"] = TEXTURE_DESC
    return table


def vector(name: str, base: Scalar, lanes: int, align: int) -> Struct:
    fields = tuple(Field("xyzw"[i], base, i * base.size) for i in range(lanes))
    return Struct(name, fields, -(-base.size * lanes // align) * align, align, vector=True)


DIM3 = vector("dim3", UINT, 3, 4)


def lay_out(name: str, members: Iterable[tuple[str, CType]]) -> Struct:
    """A struct with C's layout: members in order, each aligned, the whole padded to the largest alignment."""
    fields: list[Field] = []
    at, align = 0, 1
    for member, kind in members:
        at = -(-at // kind.align) * kind.align
        fields.append(Field(member, kind, at))
        at += kind.size
        align = max(align, kind.align)
    return Struct(name, tuple(fields), max(1, -(-at // align) * align), align)


# texture_types.h; enumerations are held as int.
TEXTURE_DESC = lay_out("cudaTextureDesc", (
    ("addressMode", Array(INT, 3)), ("filterMode", INT), ("readMode", INT), ("sRGB", INT),
    ("borderColor", Array(FLOAT, 4)), ("normalizedCoords", INT), ("maxAnisotropy", UINT), ("mipmapFilterMode", INT),
    ("mipmapLevelBias", FLOAT), ("minMipmapLevelClamp", FLOAT), ("maxMipmapLevelClamp", FLOAT),
    ("disableTrilinearOptimization", INT), ("seamlessCubemap", INT)))


def leaves(kind: CType, offset: int = 0) -> Iterator[tuple[int, Scalar | Pointer]]:
    """Byte offset and type of every scalar or pointer in a type, in order."""
    if isinstance(kind, Struct):
        for field in kind.fields:
            yield from leaves(field.type, offset + field.offset)
    elif isinstance(kind, Array):
        for i in range(kind.count):
            yield from leaves(kind.of, offset + i * kind.of.size)
    else:
        yield offset, kind


def uniform_lanes(kind: CType) -> tuple[Scalar, int] | None:
    """``(scalar, lanes)`` when a type is nothing but ``lanes`` equal scalars without padding, else ``None``."""
    first: Scalar | None = None
    count = 0
    for offset, leaf in leaves(kind):
        if isinstance(leaf, Pointer) or (first is not None and leaf != first) or offset != count * leaf.size:
            return None
        first, count = leaf, count + 1
    if first is None or count * first.size != kind.size:
        return None
    return first, count
