"""A compiled kernel as a launch finds it: its constant banks, its variables, the layout of its parameters."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mutate.errors import KmutateError
from mutate.sass.disasm import Instruction
from mutate.sass.tables import library_loads
from mutate.sim import layout as lay
from mutate.toolchain.elf import BadCubinError, Cubin

_KPARAM_INFO, _PARAM_CBANK = 0x17, 0x0A
_SIZE_SHIFT = 18
_RESERVED_SHARED, _RESERVED_FROM = 0x400, 90

@dataclass(frozen=True)
class _Below:
    """Offsets in constant bank 0 below the parameters, which NVRTC 13.0 reads for %ntid, %dynamic_smem_size and so on.

    ``descriptor``: of global accesses; nothing here looks at its value. ``no_address``: windows of the generic
    addresses of parameters, which have none here.
    """

    end: int
    block: int
    grid: int
    local_window: int
    stack: int
    dynamic_smem: int
    descriptor: int
    no_address: tuple[int, ...]
    shared_window: int | None = None


_SM_75 = _Below(0x160, 0x0, 0xC, 0x20, 0x28, 0x2C, 0x118, (0x40, 0x50), 0x18)
_OFFSETS = ((100, _Below(0x380, 0x360, 0x370, 0x2F8, 0x37C, 0x2AC, 0x358, (0x120, 0x348, 0x350))),
            (90, replace(_SM_75, end=0x210, descriptor=0x208, no_address=(0xD0, 0x198, 0x1A0))), (0, _SM_75))
"""From which architecture on.

From sm_100 on the bytes of dynamic shared memory are -0xa0 times SR_CgaSize from there: one more set of words for
launches with clusters. Which one a launch without gets is not public; here it is this one.
"""
_NOWHERE = 0xFFFFFFFE << 32
# The default of cudaLimitStackSize: what a thread has for calls whose depth the compiler does not know.
_LOCAL_SLACK = 1024
_MOST_VARIABLES = 1 << 30


@dataclass(frozen=True)
class Variable:
    """A ``__device__`` variable: ``section`` and offset say where its initial bytes are."""

    name: str
    section: str
    offset: int
    size: int


@dataclass(frozen=True)
class Image:
    """What a cubin says of one kernel. ``parameters`` are (offset in the parameter block, bytes), in order."""

    entry: str
    arch: int
    bank0_bytes: int
    parameter_base: int
    parameters: tuple[tuple[int, int], ...]
    banks: Mapping[int, bytes]
    addresses: tuple[tuple[int, str, int], ...]
    """Entries of bank 4: (offset, symbol, addend)."""
    variables: tuple[Variable, ...]
    globals_bytes: bytes
    """Initial contents of all ``__device__`` variables; ``Variable.offset`` counts from its start."""
    pointers: tuple[tuple[int, int], ...]
    """Addresses of ``__device__`` variables within those contents: (offset, offset of what is pointed to)."""
    constants: tuple[Variable, ...]
    """The ``__constant__`` variables in bank 3."""
    static_smem: int
    local_bytes: int
    registers: int
    tables: frozenset[int]
    """Offsets in bank 4 of the addresses of the mathematics library's tables."""
    functions: tuple[int, ...]
    """Offsets in the code of device functions that were not inlined."""
    indirect_branches: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def shared_base(self) -> int:
        """Address of the first byte of a block's own shared memory."""
        return _RESERVED_SHARED if self.arch >= _RESERVED_FROM else 0

    @property
    def local_size(self) -> int:
        """Local bytes of a thread, where its stack pointer starts."""
        return (self.local_bytes + _LOCAL_SLACK + 15) // 16 * 16

    @property
    def _below(self) -> _Below:
        return next(below for arch, below in _OFFSETS if self.arch >= arch)

    def _windows(self) -> dict[int, int]:
        at = self._below
        out = {at.local_window: lay.LOCAL_WINDOW << 32, **dict.fromkeys(at.no_address, _NOWHERE)}
        return out if at.shared_window is None else {**out, at.shared_window: lay.SHARED_WINDOW << 32}

    def unknown_words(self) -> frozenset[int]:
        """Offsets in bank 0 of words that the driver writes below the parameters and that are not known here."""
        at = self._below
        known = [at.stack, at.dynamic_smem, *(start + 4 * k for start in (at.block, at.grid) for k in range(3)),
                 *(start + 4 * k for start in (*self._windows(), at.descriptor) for k in range(2))]
        return frozenset(range(0, at.end, 4)) - frozenset(known)

    def bank0(self, grid: Sequence[int], block: Sequence[int], arguments: Sequence[bytes], dynamic_smem: int) -> bytes:
        """Constant bank 0 of a launch with so many bytes of dynamic shared memory.

        Raises ``KmutateError`` when the arguments are not those of the kernel.
        """
        if len(arguments) != len(self.parameters):
            raise KmutateError("launch-arguments", f"{len(arguments)} arguments for a kernel with "
                               f"{len(self.parameters)} parameters", hint="correct the call in the launch declaration")
        at = self._below
        out = bytearray(max(self.bank0_bytes, self.parameter_base, at.end))
        struct.pack_into("<3I", out, at.block, *block)
        struct.pack_into("<3I", out, at.grid, *grid)
        for window, address in self._windows().items():
            struct.pack_into("<Q", out, window, address)
        struct.pack_into("<I", out, at.stack, self.local_size)
        struct.pack_into("<I", out, at.dynamic_smem, dynamic_smem)
        for (offset, size), data in zip(self.parameters, arguments, strict=True):
            if len(data) != size:
                raise KmutateError("launch-arguments", f"an argument of {len(data)} bytes for a parameter of {size}",
                                   hint="correct the call in the launch declaration")
            start = self.parameter_base + offset
            out[start : start + size] = data
        return bytes(out)


def read_image(image: bytes, entry: str) -> Image:
    """Reads a cubin. Raises ``BadCubinError`` when it is none or lacks the kernel, ``KmutateError`` ``too-large`` for

    ``__device__`` variables that no simulation could hold.
    """
    try:
        return _read(image, entry)
    except (struct.error, IndexError) as error:
        raise BadCubinError(f"damaged: {error}") from None


def _read(image: bytes, entry: str) -> Image:
    cubin = Cubin(image)
    size = sum(s.size for s in cubin.sections if s.name in (".nv.global", ".nv.global.init"))
    if size > _MOST_VARIABLES:
        raise KmutateError("too-large", f"the file's __device__ variables have {size / 1e9:,.1f} GB; up to "
                           f"{_MOST_VARIABLES / 1e9:,.1f} GB are simulated", hint="make them smaller, or arrays of a "
                           "launch declaration")
    kernel = cubin.kernel(entry)
    base, parameters = _parameters(cubin, entry)
    banks: dict[int, bytes] = {}
    bank0 = 0
    for section in cubin.sections:
        rest = section.name.removeprefix(".nv.constant")
        number, _, owner = rest.partition(".")
        if rest != section.name and number.isdigit() and owner in ("", entry):
            if number == "0":
                bank0 = section.size
            else:
                banks[int(number)] = cubin.data(section)
    variables, contents, starts = _variables(cubin)
    constants = tuple(Variable(s.name, ".nv.constant3", s.value, s.size) for s in cubin.symbols
                      if s.kind == 1 and s.section < len(cubin.sections)
                      and cubin.sections[s.section].name == ".nv.constant3")
    return Image(entry, cubin.arch, bank0, base, parameters, banks, tuple(_addresses(cubin, entry)), variables,
                 contents, _pointers(cubin, variables, starts), constants, kernel.static_smem, kernel.local_bytes,
                 kernel.registers, cubin.library_tables(entry), tuple(start for _, start, _ in kernel.functions),
                 kernel.indirect_branches)


def _parameters(cubin: Cubin, entry: str) -> tuple[int, tuple[tuple[int, int], ...]]:
    base, found = 0, {}
    for attribute, data in cubin.records(f".nv.info.{entry}"):
        if attribute == _PARAM_CBANK:
            _, base, _ = struct.unpack_from("<IHH", data)
        elif attribute == _KPARAM_INFO:
            _, ordinal, offset, flags = struct.unpack_from("<IHHI", data)
            found[ordinal] = (offset, flags >> _SIZE_SHIFT)
    return base, tuple(found[k] for k in sorted(found))


def _variables(cubin: Cubin) -> tuple[tuple[Variable, ...], bytes, Mapping[str, int]]:
    """The two sections of global variables, one behind the other, and where each starts."""
    out: list[Variable] = []
    starts: dict[str, int] = {}
    contents = b""
    for section in cubin.sections:
        if section.name in (".nv.global", ".nv.global.init"):
            contents += bytes(-len(contents) % 256)
            starts[section.name] = len(contents)
            contents += cubin.data(section) or bytes(section.size)
    for symbol in cubin.symbols:
        if symbol.section < len(cubin.sections) and symbol.size:
            name = cubin.sections[symbol.section].name
            if name in starts:
                out.append(Variable(symbol.name, name, starts[name] + symbol.value, symbol.size))
    return tuple(out), contents, starts


def _pointers(cubin: Cubin, variables: Sequence[Variable], starts: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    known = {v.name: v.offset for v in variables}
    return tuple((starts[section] + offset, known[symbol] + addend) for section in starts
                 for offset, symbol, addend in cubin.relocations(section) if symbol in known)


def _addresses(cubin: Cubin, entry: str) -> list[tuple[int, str, int]]:
    return cubin.relocations(".nv.constant4", f".nv.constant4.{entry}")


def library_loads_of(image: Image, listing: Sequence[Instruction]) -> frozenset[int]:
    """Indices of the instructions that read tables of the compiler's mathematics library."""
    return library_loads(listing, image.tables, indirect=dict(image.indirect_branches), functions=image.functions)
