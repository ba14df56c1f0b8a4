"""SASS listings to the arrays that the interpreter runs.

Constants of a launch (kernel parameters, ``__constant__`` data) are known before it starts, so operands in constant
banks and immediates become rows of a pool beside the registers, each value 32 times. An instruction that the tables do
not have becomes a trap: running into it stops the simulation with its text and the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim import control_rules, matrix_rules, memory_rules, texture_rules  # noqa: F401 - they fill CONTROL
from mutate.sim import layout as lay
from mutate.sim.operand import Constant, parse_constant, split
from mutate.sim.operand import operand as parse
from mutate.sim.row_rules import CONTROL, Emit
from mutate.sim.rules import RULES, Form, Rule, UnsupportedError
from mutate.sim.semantics import KINDS, NUMBER

Banks = Mapping[int, bytes]
"""Constant banks by number: 0 launch and parameters, 2 literals, 3 ``__constant__`` variables, 4 addresses."""
_BEFORE_PARAMETERS = 0x80
_WIDEST = 16
"""Registers of a matrix of doubles, at most; other operands have up to 4."""


@dataclass(frozen=True)
class Unsupported:
    """An instruction that cannot be simulated, and why."""

    index: int
    instruction: Instruction
    why: str


@dataclass(frozen=True)
class Program:
    """What the interpreter needs of a kernel. ``code`` has shape (instructions, COLUMNS); ``pool`` (rows, 32)."""

    listing: Sequence[Instruction]
    code: npt.NDArray[np.int32]
    pool: npt.NDArray[np.uint32]
    general_rows: int
    unsupported: tuple[Unsupported, ...]

    @property
    def trash(self) -> int:
        """First row that takes what is written to RZ."""
        return self.general_rows + lay.UNIFORMS

    @property
    def specials(self) -> int:
        return self.trash + lay.TRASH

    @property
    def scratch(self) -> int:
        return self.specials + len(lay.SPECIALS)

    @property
    def rows(self) -> int:
        """Rows of 32 words that a warp has."""
        return self.scratch + lay.SCRATCH


@dataclass
class _Pool:
    rows: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    known: dict[tuple[int, ...], int] = field(default_factory=lambda: {(0,): 0, (0, 0): 0})

    def add(self, *words: int) -> int:
        """First row of some consecutive words."""
        key = tuple(w & 0xFFFFFFFF for w in words)
        if key not in self.known:
            self.known[key] = len(self.rows)
            self.rows += key
        return self.known[key]


def highest_register(listing: Sequence[Instruction]) -> int:
    """Number of the highest general register that is named."""
    pattern = re.compile(r"(?<![A-Z])R(\d+)")
    return max((int(n) for i in listing for n in pattern.findall(i.operands)), default=0)


def decode(listing: Sequence[Instruction], banks: Banks, unknown: Set[int] = frozenset()) -> Program:
    """All instructions of a listing, in order; branch targets are indices.

    ``unknown``: offsets of the words of bank 0 below the parameters that only a driver could tell.
    """
    general = highest_register(listing) + (_WIDEST if any(i.name == "DMMA" for i in listing) else 4)
    decoder = Decoder(listing, banks, general, unknown)
    for index in range(len(listing)):
        decoder.one(index)
    pool = np.repeat(np.array(decoder.pool.rows, np.uint32)[:, None], lay.LANES, axis=1)
    return Program(tuple(listing), decoder.code, pool, general, tuple(decoder.unsupported))


class Decoder:
    """Fills one row of the code for each instruction."""

    def __init__(self, listing: Sequence[Instruction], banks: Banks, general: int, unknown: Set[int]) -> None:
        self.listing = listing
        self.banks = banks
        self._unknown = unknown
        # An array among the parameters may be indexed from a little before it.
        self._unknown_indexed = frozenset(at for at in unknown if at + _BEFORE_PARAMETERS < max(unknown))
        self.general = general
        self.pool = _Pool()
        self.code = np.zeros((len(listing), lay.COLUMNS), np.int32)
        self.unsupported: list[Unsupported] = []
        self.index = 0

    # --- rows of registers and constants ---

    def register(self, kind: str, number: int) -> int:
        """Row of a register within its warp; RZ and URZ have none."""
        return number if kind == "R" else self.general + number

    def put_source(self, column: int, kind: str, number: int) -> None:
        """A register operand, or a zero for RZ."""
        row = self.code[self.index]
        if number < 0:
            row[column], row[column + 3] = 0, 0
        else:
            row[column], row[column + 3] = self.register(kind, number) * lay.LANES, -1

    def put_words(self, column: int, *words: int) -> None:
        """A constant operand."""
        row = self.code[self.index]
        row[column], row[column + 3] = self.pool.add(*words) * lay.LANES, 0

    def bank_word(self, bank: int, offset: int) -> int:
        data = self.banks.get(bank)
        if data is None or offset < 0 or offset + 4 > len(data) or (bank == 0 and offset // 4 * 4 in self._unknown):
            raise UnsupportedError(f"constant c[{bank:#x}][{offset:#x}] is not known")
        return int.from_bytes(data[offset : offset + 4], "little")

    def check_indexed(self, bank: int, offset: int) -> None:
        """Raises ``UnsupportedError`` where the constants at a register plus ``offset`` are not known."""
        if bank == 0 and offset // 4 * 4 in self._unknown_indexed:
            raise UnsupportedError(f"the constants at c[{bank:#x}][{offset:#x}] are not known")

    def put_destination(self, kind: str, number: int) -> None:
        row = self.code[self.index]
        if number < 0:
            row[lay.FLAGS] |= lay.NO_DST
            row[lay.DST] = (self.general + lay.UNIFORMS) * lay.LANES
        else:
            row[lay.DST] = self.register(kind, number) * lay.LANES
            if kind == "UR":
                row[lay.FLAGS] |= lay.UNIFORM

    def predicate(self, text: str) -> tuple[int, int]:
        """(index among a warp's predicates, -1 when negated); 7 and 15 are always true."""
        inverted = text.startswith("!")
        name = text.lstrip("!")
        base = 8 if name.startswith("U") else 0
        last = name.lstrip("U")[1:]
        if not name.lstrip("U").startswith("P") or not (last == "T" or last.isdigit()):
            raise UnsupportedError(f"predicate {text}")
        return base + (7 if last == "T" else int(last)), -1 if inverted else 0

    def target(self, text: str) -> int:
        """Index of the instruction at a code address."""
        address = int(text, 16)
        if address % 16 or not 0 <= address // 16 < len(self.listing):
            raise UnsupportedError(f"branch to {text}")
        return address // 16

    # --- instructions ---

    def one(self, index: int) -> None:
        self.index = index
        instruction = self.listing[index]
        row = self.code[index]
        row[lay.PD] = row[lay.PD2] = 7
        row[lay.PS] = row[lay.QS] = 7
        row[lay.GUARD] = 7
        try:
            if instruction.predicate:
                row[lay.GUARD], row[lay.GUARD_NOT] = self.predicate(instruction.predicate[1:])
            name, *modifiers = instruction.opcode.split(".")
            mods = tuple(modifiers)
            emit: Emit | None = CONTROL.get(name)
            if emit is not None:
                emit(self, mods, split(instruction.operands))
            elif name in RULES:
                self.arithmetic(name, RULES[name], mods, split(instruction.operands))
            else:
                raise UnsupportedError(f"opcode {name}")
        except (UnsupportedError, ValueError, IndexError, KeyError, OverflowError) as problem:
            why = str(problem) if isinstance(problem, UnsupportedError) else "operands of an unknown form"
            self.unsupported.append(Unsupported(index, instruction, why))
            guard = row[lay.GUARD], row[lay.GUARD_NOT]
            row[:] = 0
            row[lay.PD] = row[lay.PD2] = row[lay.PS] = row[lay.QS] = 7
            row[lay.GUARD], row[lay.GUARD_NOT] = guard
            row[lay.OP] = lay.TRAP

    def arithmetic(self, name: str, rule: Rule, mods: tuple[str, ...], operands: Sequence[str]) -> None:
        form = rule.select(mods)
        row = self.code[self.index]
        rest = list(operands)
        results = take_predicates(rest)
        if rest and parse(rest[0]).kind in ("R", "UR") and name not in _ONLY_PREDICATES:
            destination = parse(rest.pop(0))
            self.put_destination(destination.kind, destination.number)
            results += take_predicates(rest) if not results else []
        else:
            row[lay.FLAGS] |= lay.NO_DST
            if any(r.startswith("U") for r in results):
                row[lay.FLAGS] |= lay.UNIFORM
        if name.startswith("U") and name != "UP2UR":
            row[lay.FLAGS] |= lay.UNIFORM
        conditions: list[str] = []
        while rest and parse(rest[-1]).kind in ("P", "UP"):
            conditions.insert(0, rest.pop())
        if form.kind in _CARRY_OUT and results:
            form = Form(_CARRY_OUT[form.kind], pk=lay.PK_MASK, table=2, carry=True)
        kind = KINDS[NUMBER[form.kind]]
        reads = kind.reads.split()
        sources = merge_halves(rest, len(reads)) if rule.family == "h" else rest
        form = self.immediate(name, rule, form, sources)
        if form.kind == "hadd2" and form.m == 0 and any(s.endswith(".F32") for s in sources):
            # How sm_75 converts with rounding to zero: -0 is added.
            sources.sort(key=lambda s: not s.endswith(".F32"))
            if sources[1] != "-RZ.H0_H0":
                raise UnsupportedError("a sum of two precisions")
            sources[0], form = sources[0].removesuffix(".F32"), replace(form, kind="hadd2_in32")
        if len(sources) > len(reads):
            extra = sources[len(reads):]
            if any(parse(e).number != -1 or parse(e).kind not in ("R", "UR") for e in extra):
                raise UnsupportedError(f"{len(sources)} operands where {len(reads)} are known")
        row[lay.OP], row[lay.M], row[lay.PK] = NUMBER[form.kind], form.m, form.pk
        row[lay.TABLE], row[lay.Y], row[lay.X] = form.table, form.boolean, form.x
        kind = KINDS[NUMBER[form.kind]]
        reads = kind.reads.split()
        for position, width in enumerate(reads):
            if position < len(sources):
                self.source(position, width, sources[position], rule.family, form)
            else:
                self.put_words((lay.A, lay.B, lay.C)[position], 0)
        if "q" in kind.writes.split() and form.pk != lay.PK_CARRY:
            row[lay.FLAGS] |= lay.WIDE
        if form.kind == "iadd3c":
            self.simplify_add(conditions, results)
        for column, text in zip((lay.PD, lay.PD2), results, strict=False):
            row[column] = self.predicate(text)[0]
        for column in (lay.PS, lay.QS):
            if conditions:
                row[column], row[column + 1] = self.predicate(conditions.pop(0))
            elif form.carry:
                row[column], row[column + 1] = 7, -1
        if conditions or len(results) > 2:
            raise UnsupportedError("more predicates than are known")
        self.check_predicates(results)

    def check_predicates(self, results: Sequence[str]) -> None:
        """Stops where the operation does not do what its predicates ask for."""
        row = self.code[self.index]
        if row[lay.PK] == lay.PK_NONE and any(self.predicate(r)[0] & 7 != 7 for r in results):
            raise UnsupportedError("a predicate as result")
        uses_p, uses_q = predicates_used(int(row[lay.OP]), int(row[lay.PK]), int(row[lay.TABLE]))
        for column, used in ((lay.PS, uses_p), (lay.QS, uses_q)):
            if not used and row[column] & 7 != 7:
                raise UnsupportedError("a predicate as operand")

    def immediate(self, name: str, rule: Rule, form: Form, sources: list[str]) -> Form:
        """Takes the constant that is part of the operation (the shift of LEA, the table of LOP3) off the sources."""
        if rule.immediate is None:
            return form
        value = parse(sources.pop())
        if value.kind != "int":
            raise UnsupportedError(f"{name} with {value.text} as its constant")
        if "LEA" in name:
            if form.kind == "lea" and sources and sources[0].startswith("-"):
                sources[0] = sources[0][1:]
                form = replace(form, kind="lea_neg")
            if form.kind == "leahi" and len(sources) == 2:
                sources.append("RZ")
        return replace(form, m=value.number)

    def simplify_add(self, conditions: Sequence[str], results: Sequence[str]) -> None:
        """Without carries in or out an addition is the plain one; else negated operands need their own carry."""
        row = self.code[self.index]
        carried = any(self.predicate(r)[0] & 7 != 7 for r in results)
        if not carried and not conditions:
            row[lay.OP], row[lay.PK], row[lay.M] = NUMBER["iadd3"], lay.PK_NONE, 0
        else:
            row[lay.M] = sum(1 << k for k, column in enumerate((lay.A_MOD, lay.B_MOD, lay.C_MOD))
                           if row[column] == lay.MODS["ineg"])

    def source(self, position: int, width: str, text: str, family: str, form: Form) -> None:
        row = self.code[self.index]
        column, mod_column = (lay.A, lay.B, lay.C)[position], (lay.A_MOD, lay.B_MOD, lay.C_MOD)[position]
        constant = parse_constant(text)
        if constant is not None:
            self.constant(column, width, constant)
            negative, absolute, inverted, suffix = (constant.negative, constant.absolute, constant.inverted,
                                                    constant.suffix)
        else:
            value = parse(text)
            negative, absolute, inverted, suffix = value.negative, value.absolute, value.inverted, value.suffix
            if value.kind in ("R", "UR"):
                self.put_source(column, value.kind, value.number)
            elif value.kind == "int":
                words = (value.number, value.number >> 32) if width == "q" else (value.number,)
                if family == "d":
                    words = (0, self.encoded())
                self.put_words(column, *words)
            elif value.kind == "float" or text == "halves":
                self.put_words(column, *((0, self.encoded()) if width == "q" else (self.encoded(),)))
                negative = absolute = False
            else:
                raise UnsupportedError(f"operand {text}")
        self.modifier(row, mod_column, family, width, form, negative, absolute, inverted)
        if suffix:
            self.suffix(row, position, family, suffix)

    def encoded(self) -> int:
        """The 32-bit immediate in the instruction word: exact where the printed decimal may not be."""
        return self.listing[self.index].lo >> 32

    def constant(self, column: int, width: str, constant: Constant) -> None:
        if constant.register is not None:
            raise UnsupportedError("an operand in a constant bank at a computed offset")
        words = [self.bank_word(constant.bank, constant.offset)]
        if width == "q":
            words.append(self.bank_word(constant.bank, constant.offset + 4))
        self.put_words(column, *words)

    def modifier(self, row: npt.NDArray[np.int32], column: int, family: str, width: str, form: Form, negative: bool,
                 absolute: bool, inverted: bool) -> None:
        if not (negative or absolute or inverted):
            return
        if family in "fdh" and not inverted:
            letter = "d" if width == "q" else ("h" if family == "h" and form.kind != "hadd2_f32" else "f")
            if family == "h":
                letter = "h" if form.kind != "hadd2_in32" or column != lay.A_MOD else "f"
            name = letter + ("neg" if negative else "") + ("abs" if absolute else "")
        elif inverted and not negative and not absolute:
            name = "qnot" if width == "q" else "inot"
        elif negative and not absolute and not inverted:
            name = "qneg" if width == "q" else "ineg"
        else:
            raise UnsupportedError("these marks before an operand")
        row[column] = lay.MODS[name]

    def suffix(self, row: npt.NDArray[np.int32], position: int, family: str, suffix: str) -> None:
        """The half of a packed pair, or the byte of a word."""
        swizzles = {".H1_H0": 0, ".H0_H0": 1, ".H1_H1": 2}
        parts = {".B0": 0, ".B1": 1, ".B2": 2, ".B3": 3, ".H0": 0, ".H1": 2}
        if family == "h" and suffix in swizzles:
            row[lay.M] |= swizzles[suffix] << (1, 7, 9)[position]
        elif suffix in parts and family == "m":
            row[lay.M] |= parts[suffix] << 8
        elif suffix in (".H0_H0", ".H0", ".H1_H1", ".H1") and KINDS[row[lay.OP]].name in _HALF_INPUT:
            row[lay.M] |= 512 * ("H1" in suffix)
        else:
            raise UnsupportedError(f"operand suffix {suffix}")


_ONLY_PREDICATES = frozenset({"ISETP", "UISETP", "FSETP", "UFSETP", "DSETP", "HSETP2", "FCHK"})
_HALF_INPUT = frozenset({"h2i32", "h2i64", "h2f", "h2dbl", "hrnd", "mufu_half", "f8unpack"})
# Multiplications whose carry is wanted.
_CARRY_OUT = {"wide_u": "wide_c", "imad_hi_u": "imad_hi_c"}


@lru_cache(maxsize=1024)
def predicates_used(op: int, pk: int, table: int) -> tuple[bool, bool]:
    """Whether an operation looks at its first and its second source predicate."""
    words = {w for e in KINDS[op].expressions for w in re.findall(r"\b[pq]\b", e)}
    both = pk in (lay.PK_COMPARE, lay.PK_SET, lay.PK_HALVES)
    return "p" in words or both or (pk == lay.PK_MASK and table < 2), "q" in words or both


def take_predicates(operands: list[str]) -> list[str]:
    """Removes the predicates at the front, up to a negated one: that is a source."""
    taken: list[str] = []
    while operands and parse(operands[0]).kind in ("P", "UP") and not operands[0].startswith("!"):
        taken.append(operands.pop(0))
    return taken


def merge_halves(sources: Sequence[str], wanted: int) -> list[str]:
    """Two printed half-precision immediates are one packed operand."""
    out = list(sources)
    for k in range(len(out) - 1):
        if len(out) > wanted and all(parse(t).kind in ("float", "int") for t in out[k : k + 2]):
            out[k : k + 2] = ["halves"]
            break
    return out
