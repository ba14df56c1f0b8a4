"""The source line of each SASS instruction, from the ``.debug_line`` section of a cubin compiled with ``-lineinfo``.

The section is a DWARF 2 to 4 line program with one extension: extended opcode 0x90 (``DW_LNE_inlined_call`` in LLVM's
NVPTX back end) names the row of the table that holds the call site of an inlined function, counted from 1, 0 for none,
and the function's name as an offset in ``.debug_str``. The program has no columns.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from mutate.toolchain.elf import Cubin

_SECTION = ".debug_line"
_INLINED_CALL = 0x90
_INSTRUCTION_BYTES = 16
# Calls inlined in each other. Of a damaged table they may form a circle.
_DEEPEST = 1000
_EXTENDED, _COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _CONST_ADD_PC, _FIXED_ADVANCE = 0, 1, 2, 3, 4, 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2


@dataclass(frozen=True)
class SourceLine:
    """``file`` as the compiler wrote it (the program's name under the working folder), ``line`` from 1;

    ``inlined_at`` are the call sites of the inlined functions it lies in, innermost first.
    """

    file: str
    line: int
    inlined_at: tuple[tuple[str, int], ...] = ()

    @property
    def outermost(self) -> tuple[str, int]:
        """The place in the function that was not inlined, the kernel itself as a rule."""
        return self.inlined_at[-1] if self.inlined_at else (self.file, self.line)


@dataclass(frozen=True)
class _Row:
    address: int
    file: str
    line: int
    context: int
    end: bool
    symbol: str


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return int(value)

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if byte & 0x40 else value

    def string(self) -> str:
        end = self.data.index(0, self.at)
        text = self.data[self.at : end].decode(errors="replace")
        self.at = end + 1
        return text


def line_table(cubin: bytes, entry: str) -> dict[int, SourceLine]:
    """The line of every instruction of a kernel, by its offset; empty when the cubin was compiled without line info."""
    image = Cubin(cubin)
    section = image.section(_SECTION)
    if section is None:
        return {}
    symbols = _relocated(image)
    code = image.section(f".text.{entry}")
    size = code.size if code is not None else 0
    reader = _Reader(image.data(section))
    try:
        while reader.at < len(reader.data):
            rows = _unit(reader, symbols)
            table = _expand(rows, entry, size)
            if table:
                return table
    except (struct.error, IndexError, ValueError):
        # A table of a form that is not known here is as good as none.
        return {}
    return {}


def listing_lines(cubin: bytes, entry: str) -> dict[int, SourceLine]:
    """As ``line_table``, for a whole listing of ``disasm``: the sections that the kernel calls follow it."""
    image = Cubin(cubin)
    found: dict[int, SourceLine] = {}
    done: list[str] = []
    todo, base = [entry], 0
    while todo:
        name = todo.pop(0)
        if name not in done:
            done.append(name)
            kernel = image.kernel(name)
            found |= {base + offset: line for offset, line in line_table(cubin, name).items()}
            base += len(kernel.code)
            todo += kernel.callees
    return found


def _relocated(image: Cubin) -> dict[int, str]:
    """Offset in the section of each address that is to be set -> the code symbol that it belongs to."""
    found = {}
    for name, form, size in ((".rela" + _SECTION, "<QQq", 24), (".rel" + _SECTION, "<QQ", 16)):
        section = image.section(name)
        data = image.data(section) if section else b""
        for at in range(0, len(data) - size + 1, size):
            fields = struct.unpack_from(form, data, at)
            number = fields[1] >> 32
            if number >= len(image.symbols):
                continue
            symbol = image.symbols[number]
            code = image.sections[symbol.section].name if symbol.section < len(image.sections) else ""
            found[fields[0]] = code.removeprefix(".text.") if code.startswith(".text.") else symbol.name
    return found


def _unit(reader: _Reader, symbols: dict[int, str]) -> list[_Row]:
    length = reader.take("<I")
    end = reader.at + length
    version = reader.take("<H")
    if version not in (2, 3, 4):
        reader.at = end
        return []
    header_length = reader.take("<I")
    program = reader.at + header_length
    minimum = reader.take("<B")
    if version >= 4:
        reader.take("<B")
    reader.take("<B")
    line_base, line_range, opcode_base = reader.take("<b"), reader.take("<B"), reader.take("<B")
    operand_counts = [0, *(reader.take("<B") for _ in range(opcode_base - 1))]
    folders = [""]
    while reader.data[reader.at]:
        folders.append(reader.string())
    reader.at += 1
    files = [""]
    while reader.data[reader.at]:
        name, folder = reader.string(), reader.unsigned()
        reader.unsigned()
        reader.unsigned()
        files.append(f"{folders[folder]}/{name}" if folder and folders[folder] else name)
    reader.at = program
    rows: list[_Row] = []
    address, file, line, context, symbol = 0, 1, 1, 0, ""
    while reader.at < end:
        opcode = reader.take("<B")
        if opcode >= opcode_base:
            step = opcode - opcode_base
            address += step // line_range * minimum
            line += line_base + step % line_range
            rows.append(_Row(address, files[file], line, context, False, symbol))
        elif opcode == _EXTENDED:
            size = reader.unsigned()
            after = reader.at + size
            kind = reader.take("<B")
            if kind == _END_SEQUENCE:
                rows.append(_Row(address, files[file], line, context, True, symbol))
                address, file, line, context = 0, 1, 1, 0
            elif kind == _SET_ADDRESS:
                symbol = symbols.get(reader.at, "")
                address = reader.take("<Q")
            elif kind == _INLINED_CALL:
                context = reader.unsigned()
            reader.at = after
        elif opcode == _COPY:
            rows.append(_Row(address, files[file], line, context, False, symbol))
        elif opcode == _ADVANCE_PC:
            address += reader.unsigned() * minimum
        elif opcode == _ADVANCE_LINE:
            line += reader.signed()
        elif opcode == _SET_FILE:
            file = reader.unsigned()
        elif opcode == _CONST_ADD_PC:
            address += (255 - opcode_base) // line_range * minimum
        elif opcode == _FIXED_ADVANCE:
            address += reader.take("<H")
        else:
            for _ in range(operand_counts[opcode]):
                reader.unsigned()
    reader.at = end
    return rows


def _expand(rows: list[_Row], entry: str, size: int) -> dict[int, SourceLine]:
    """A row holds from its address to the next row's; of several rows at one address the last is the innermost.

    ``size`` is that of the code: a damaged table may go on to any address.
    """
    table: dict[int, SourceLine] = {}
    for number, row in enumerate(rows):
        if row.end or row.symbol != entry or number + 1 == len(rows):
            continue
        place = SourceLine(row.file, row.line, tuple(_call_sites(rows, row.context)))
        for offset in range(row.address, min(rows[number + 1].address, size), _INSTRUCTION_BYTES):
            table[offset] = place
    return table


def _call_sites(rows: list[_Row], context: int) -> list[tuple[str, int]]:
    sites: list[tuple[str, int]] = []
    while 0 < context <= len(rows) and len(sites) < _DEEPEST:
        row = rows[context - 1]
        sites.append((row.file, row.line))
        context = row.context
    return sites
