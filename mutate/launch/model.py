"""What a launch declaration says, as frozen data: launches, their arguments, arrays and how these are filled."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mutate.errors import KmutateError
from mutate.launch.types import Array, CType, Pointer, Rank, Scalar, Struct, leaves, uniform_lanes
from mutate.source import Span

_GENERAL_HINT = "a launch declaration is plain C; `kmutate list samples` names files that have one"


@dataclass(frozen=True)
class DeclarationText:
    """One declaration in a file. ``span`` is the C text in it; every span below is an offset into ``source``.

    ``prefixed``: every line of the text carries a comment leader (``//``, or ``*`` of a box comment).
    """

    file: str
    source: bytes = field(repr=False)
    span: Span
    prefixed: bool = False

    def error(self, slug: str, what: str, span: Span, hint: str | None = None) -> KmutateError:
        return KmutateError(slug, what, file=self.file, source=self.source, span=span, hint=hint or _GENERAL_HINT)


@dataclass(frozen=True)
class Address:
    """A device pointer: ``offset`` bytes into a declared array, or the null pointer when ``array`` is ``None``."""

    array: str | None
    offset: int = 0


@dataclass(frozen=True)
class Value:
    """A C value: ``data`` is an int or float, an ``Address``, or the values of a struct's or array's members."""

    type: CType
    data: int | float | Address | tuple[Value, ...]

    def pack(self, addresses: Mapping[str, int]) -> bytes:
        """The bytes of the value as a kernel parameter (little-endian, padding zero).

        ``addresses`` gives the device address of every array that the value points to.
        """
        if isinstance(self.data, tuple):
            out = bytearray(self.type.size)
            for offset, part in zip(_offsets(self.type), self.data, strict=True):
                out[offset : offset + part.type.size] = part.pack(addresses)
            return bytes(out)
        if isinstance(self.data, Address):
            at = 0 if self.data.array is None else addresses[self.data.array] + self.data.offset
            return struct.pack("<Q", at)
        assert isinstance(self.type, Scalar)
        return pack_scalar(self.type, self.data)

    def arrays(self) -> tuple[str, ...]:
        """Names of the arrays that the value points to."""
        if isinstance(self.data, tuple):
            return tuple(name for part in self.data for name in part.arrays())
        if isinstance(self.data, Address) and self.data.array is not None:
            return (self.data.array,)
        return ()


def _offsets(kind: CType) -> tuple[int, ...]:
    if isinstance(kind, Struct):
        return tuple(f.offset for f in kind.fields)
    if isinstance(kind, Array):
        return tuple(i * kind.of.size for i in range(kind.count))
    return (0,)


_FORMATS = {
    (1, Rank.BOOL): "<B", (1, Rank.INT): "<b", (1, Rank.UINT): "<B", (2, Rank.INT): "<h", (2, Rank.UINT): "<H",
    (4, Rank.INT): "<i", (4, Rank.UINT): "<I", (8, Rank.INT): "<q", (8, Rank.UINT): "<Q",
    (4, Rank.FLOAT): "<f", (8, Rank.FLOAT): "<d", (2, Rank.HALF): "<e",
}


def pack_scalar(kind: Scalar, value: int | float) -> bytes:
    """Little-endian bytes of a value that is in the range of its type; floats too large become infinite."""
    if kind.rank is Rank.BF16:
        return bf16_bits(float(value)).to_bytes(2, "little")
    form = _FORMATS[kind.size, kind.rank]
    if kind.is_integer:
        return struct.pack(form, int(value))
    try:
        return struct.pack(form, float(value))
    except OverflowError:
        return struct.pack(form, float("inf") if value > 0 else float("-inf"))


def bf16_bits(value: float) -> int:
    """Bits of the bfloat16 nearest to the float32 nearest to a value, ties to even (as ``__float2bfloat16_rn``)."""
    try:
        bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        bits = 0x7F800000 if value > 0 else 0xFF800000
    if bits & 0x7FFFFFFF > 0x7F800000:
        return 0x7FFF
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


InitKind = Literal["zeros", "fill", "iota", "uniform", "normal", "randint", "ascending", "permutation",
                   "csr_rowptr", "csr_colidx", "file", "list"]


@dataclass(frozen=True)
class Init:
    """How an array is filled.

    ``args`` by kind: fill (x,); iota (start, step); uniform (a, b); normal (mean, stddev); randint (a, b) for
    a <= x < b, and so ascending; csr_rowptr (rows, lo, hi); csr_colidx (columns,); none for the others. ``path``
    (absolute or relative to the working directory), ``key`` (member of an .npz) and ``written`` (as the user wrote it)
    belong to file; ``data``, the first bytes of the array (the rest is zero), to list.
    """

    kind: InitKind
    args: tuple[int | float, ...] = ()
    path: str = ""
    key: str = ""
    written: str = ""
    data: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class ArrayDecl:
    """A device array or, when ``symbol``, a ``__constant__``/``__device__`` variable of the file that is to be set.

    ``dims`` is empty for a symbol that is no array. ``stream`` (order of declaration) and ``seed`` select its random
    numbers.
    """

    name: str
    elem: CType
    dims: tuple[int, ...]
    init: Init
    stream: int
    seed: int
    symbol: bool
    span: Span

    @property
    def count(self) -> int:
        """Number of elements."""
        n = 1
        for dim in self.dims:
            n *= dim
        return n

    @property
    def nbytes(self) -> int:
        return self.count * self.elem.size

    @property
    def lanes(self) -> tuple[Scalar, int] | None:
        """The scalar that the elements consist of and how many of it one has; ``None`` for mixed structs."""
        return uniform_lanes(self.elem)


Shape = Literal["Linear", "1D", "2D", "3D", "1DLayered", "2DLayered", "Cubemap", "CubemapLayered"]
AddressMode = Literal["wrap", "clamp", "mirror", "border"]
# What a kernel gets for an object: such a number plus the object's place in the declaration.
TEXTURE_HANDLE, SURFACE_HANDLE = 0x54580000, 0x53550000


@dataclass(frozen=True)
class TextureDecl:
    """A texture or surface object over texels in a declared array, ``offset`` bytes into it.

    A texel is ``channels`` (1, 2, 4) of ``scalar``; ``pitch`` bytes are a row, ``height`` rows a slice. ``layers``
    counts those of a layered object, the faces of a cubemap too. Coordinates are ``normalized`` or texels;
    ``normalized_float`` reads 8- and 16-bit integers as fractions. ``name`` is the function that made it.
    """

    name: str
    surface: bool
    shape: Shape
    array: str
    offset: int
    scalar: Scalar
    channels: int
    width: int
    height: int
    depth: int
    layers: int
    pitch: int
    address: tuple[AddressMode, AddressMode, AddressMode]
    linear: bool
    normalized_float: bool
    normalized: bool
    border: tuple[float, float, float, float]
    handle: int
    span: Span

    @property
    def texel(self) -> int:
        """Bytes of a texel."""
        return self.scalar.size * self.channels

    @property
    def slice(self) -> int:
        """Bytes from one slice or layer to the next."""
        return self.pitch * self.height

    @property
    def nbytes(self) -> int:
        """From the first texel to the end of the last."""
        return self.slice * (self.depth * self.layers - 1) + self.pitch * (self.height - 1) + self.width * self.texel

    @property
    def converts(self) -> bool:
        """Whether integers are read as fractions; 32-bit ones never are ("CUDA Runtime API", ``readMode``)."""
        return self.normalized_float and self.scalar.is_integer and self.scalar.size < 4

    @property
    def returns_float(self) -> bool:
        return self.converts or not self.scalar.is_integer


@dataclass(frozen=True)
class ScalarArg:
    """An argument that is passed by value."""

    type: Scalar
    value: int | float
    span: Span

    def as_value(self) -> Value:
        return Value(self.type, self.value)


@dataclass(frozen=True)
class ArrayArg:
    """A pointer to a declared array, ``offset`` bytes into it. ``array`` is ``None`` for the null pointer.

    ``elem`` is the pointed-to type, ``None`` for ``void *``.
    """

    array: str | None
    offset: int
    elem: CType | None
    span: Span

    def as_value(self) -> Value:
        return Value(Pointer(self.elem), Address(self.array, self.offset))


@dataclass(frozen=True)
class StructArg:
    """A struct or a vector type passed by value."""

    type: Struct
    value: Value
    span: Span

    def as_value(self) -> Value:
        return self.value


Arg = ScalarArg | ArrayArg | StructArg


def pack_arg(arg: Arg, addresses: Mapping[str, int]) -> bytes:
    """The bytes of an argument as the kernel gets it; ``addresses`` maps array names to device addresses."""
    return arg.as_value().pack(addresses)


@dataclass(frozen=True)
class Launch:
    """One kernel launch. ``smem`` is dynamic shared memory in bytes; ``arrays`` are those that the arguments reach.

    ``template_args`` is the text between the angle brackets with integer expressions evaluated (``"512"``), or
    ``None``. ``span`` covers the call, ``name_span`` the kernel's name. ``textures`` are the objects that
    the arguments reach.
    """

    kernel: str
    template_args: str | None
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    smem: int
    args: tuple[Arg, ...]
    arrays: tuple[ArrayDecl, ...]
    symbols: tuple[ArrayDecl, ...]
    seed: int
    span: Span
    name_span: Span
    declaration: DeclarationText = field(repr=False)
    textures: tuple[TextureDecl, ...] = ()

    @property
    def instance(self) -> str:
        """The kernel as C++ writes it: ``reduce6<512>``."""
        return self.kernel if self.template_args is None else f"{self.kernel}<{self.template_args}>"

    @property
    def threads(self) -> int:
        """Threads of one block."""
        x, y, z = self.block
        return x * y * z

    def array(self, name: str) -> ArrayDecl:
        return next(a for a in self.arrays if a.name == name)


def pointer_leaves(value: Value) -> tuple[tuple[Pointer, Address], ...]:
    """Every pointer in a value with its type."""
    if isinstance(value.data, tuple):
        return tuple(pair for part in value.data for pair in pointer_leaves(part))
    if isinstance(value.data, Address) and isinstance(value.type, Pointer):
        return ((value.type, value.data),)
    return ()


def has_pointer(kind: CType) -> bool:
    return any(isinstance(leaf, Pointer) for _, leaf in leaves(kind))
