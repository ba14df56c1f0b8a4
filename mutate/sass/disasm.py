"""Disassembles many kernels with one run of nvdisasm.

nvdisasm takes 0.17 s (sm_75) to 0.31 s (sm_120) to start, whatever its input. So the code of all kernels goes, end
to end, into one raw file; nine kernels cost as much as one. In that mode the targets of branches are printed as
offsets of the file; they are made offsets of the kernel here.
"""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutate.errors import KmutateError
from mutate.toolchain.cache import Cache, default_cache, digest
from mutate.toolchain.elf import Cubin
from mutate.toolchain.locate import find_toolchain, identity

if TYPE_CHECKING:
    from mutate.toolchain.nvdisasm import WaitingNvdisasm

# Raise with every change of what a cached listing holds.
_FORMAT = "2"
_KIND = "sass"

_LINE = re.compile(
    r"/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s)?\s*([A-Z][\w.]*)([^;\n]*);?\s*"
    r"/\*\s*0x([0-9a-f]{16})\s*\*/\s*/\*\s*0x([0-9a-f]{16})\s*\*/")
# Newer releases append scheduling notes such as "&req={0}" and "?trans1".
_NOTES = re.compile(r"\s+[&?][\w={},]+.*$")
# Control flow whose last operand is an address of the code.
_TARGET = re.compile(r"^(?:BRA|BSSY|CALL\.REL|RET\.REL|WARPSYNC\.COLLECTIVE|LEPC)\b")
_LAST_HEX = re.compile(r"0x([0-9a-f]+)$")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One SASS instruction. ``offset`` in bytes from the kernel's first; ``predicate`` is "", "@P0" or "@!UP1";

    ``opcode`` has all its modifiers ("LDG.E.128.CONSTANT"); ``lo`` and ``hi`` are the encoding's two 64-bit words, of
    which the upper bits of ``hi`` hold the scheduling information. Code addresses in ``operands`` are kernel offsets.
    """

    offset: int
    predicate: str
    opcode: str
    operands: str
    lo: int
    hi: int

    @property
    def name(self) -> str:
        """The opcode without modifiers."""
        return self.opcode.partition(".")[0]

    def __str__(self) -> str:
        return " ".join(filter(None, (self.predicate, self.opcode, self.operands)))


Listing = tuple[Instruction, ...]


def disassemble(cubins: Sequence[tuple[bytes, str]], arch: str, *, cache: Cache | None = None,
                waiting: WaitingNvdisasm | None = None) -> list[Listing]:
    """The listings of kernels, each given as a cubin and the kernel's symbol name, all of one ``arch`` (``sm_90``).

    A listing holds the kernel's whole code section: the kernel, then the device functions that were not inlined, then
    padding; code sections that its relocations name follow. ``waiting`` is an nvdisasm for ``arch`` to be used. Raises
    ``KmutateError`` ``no-nvdisasm`` without the tool and ``nvdisasm-failed`` when it cannot read the code;
    ``BadCubinError`` for a cubin without that kernel.
    """
    codes = [code_of(Cubin(image), entry) for image, entry in cubins]
    tools = find_toolchain()
    store = cache or default_cache()
    keys = [digest(_FORMAT, arch, identity(tools.nvdisasm or ""), code) for code in codes]
    listings: dict[str, Listing] = {}
    for key in dict.fromkeys(keys):
        known = store.get(_KIND, key)
        if known is not None:
            listings[key] = _decode(known)
    missing = {key: code for key, code in zip(keys, codes, strict=True) if key not in listings}
    if missing:
        for key, listing in zip(missing, _run(tools.need_nvdisasm(), list(missing.values()), arch, waiting),
                                strict=True):
            listings[key] = listing
            store.put(_KIND, key, _encode(listing))
    return [listings[key] for key in keys]


def code_of(cubin: Cubin, entry: str) -> bytes:
    """The kernel's code and, after it, that of the other sections it reaches."""
    done, todo = {}, [entry]
    while todo:
        name = todo.pop(0)
        if name not in done:
            kernel = cubin.kernel(name)
            done[name] = kernel.code
            todo += kernel.callees
    return b"".join(done.values())


def _run(program: str, codes: Sequence[bytes], arch: str, waiting: WaitingNvdisasm | None) -> list[Listing]:
    from mutate.toolchain.nvdisasm import run_nvdisasm

    code = b"".join(codes)
    sizes = [len(c) for c in codes]
    text = waiting.run(code) if waiting is not None else None
    if text is not None:
        with contextlib.suppress(KmutateError):
            listings = _split(text, sizes)
            # It was started with another file in place of this one: see that it has read this one.
            printed = struct.pack(f"<{len(code) // 8}Q", *(word for part in listings for i in part
                                                           for word in (i.lo, i.hi)))
            if printed == code:
                return listings
    return _split(run_nvdisasm(program, arch, code), sizes)


def _split(text: str, sizes: Sequence[int]) -> list[Listing]:
    parts: list[list[Instruction]] = [[] for _ in sizes]
    if not sizes:
        return []
    index, base, end = 0, 0, sizes[0]
    for match in _LINE.finditer(text):
        offset = int(match.group(1), 16)
        while offset >= end:
            base = end
            index += 1
            if index == len(sizes):
                raise KmutateError("nvdisasm-failed", "nvdisasm printed instructions behind the end of the code")
            end += sizes[index]
        if offset != base + 16 * len(parts[index]):
            raise KmutateError("nvdisasm-failed", f"nvdisasm printed the instruction at {offset:#x} out of order")
        # A tab separates columns of what the cache keeps.
        opcode, operands = match.group(3), _NOTES.sub("", match.group(4)).strip().replace("\t", " ")
        if base and _TARGET.match(opcode):
            operands = _rebase(operands, base)
        parts[index].append(Instruction(offset - base, (match.group(2) or "").strip(), opcode, operands,
                                        int(match.group(5), 16), int(match.group(6), 16)))
    for part, size in zip(parts, sizes, strict=True):
        if len(part) * 16 != size:
            raise KmutateError("nvdisasm-failed", f"nvdisasm printed {len(part)} of {size // 16} instructions")
    return [tuple(part) for part in parts]


def _rebase(operands: str, base: int) -> str:
    match = _LAST_HEX.search(operands)
    return f"{operands[: match.start()]}{int(match.group(1), 16) - base:#x}" if match else operands


def _encode(listing: Listing) -> bytes:
    return "\n".join(f"{i.offset:x}\t{i.predicate}\t{i.opcode}\t{i.operands}\t{i.lo:x}\t{i.hi:x}"
                     for i in listing).encode()


def _decode(data: bytes) -> Listing:
    rows = (line.split("\t") for line in data.decode().split("\n")) if data else ()
    return tuple(Instruction(int(o, 16), p, c, a, int(lo, 16), int(hi, 16)) for o, p, c, a, lo, hi in rows)
