"""Operands of SASS instructions, and which registers an instruction may write.

What may be written is never underestimated: an opcode without a rule here writes everything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mutate.sass.disasm import Instruction

_SPLIT = re.compile(r",(?![^\[\]{}()]*[\]})])")
_REGISTER = re.compile(r"^([-~!|]*)(U?[RP])(\d+|Z|T)((?:\.\w+)*)\|?((?:\.\w+)*)$")
_CONSTANT = re.compile(r"^([-~|]*)c\[0x([0-9a-f]+)\]\[(?:URZ\+?|RZ\+?)?(-?0x[0-9a-f]+)?\]\|?((?:\.\w+)*)$")
_HEX = re.compile(r"^-?0x[0-9a-f]+$")
_FLOAT = re.compile(r"^[-+]?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|INF|QNAN|SNAN)$", re.IGNORECASE)

# Instructions that write no general, uniform or predicate register.
_WRITES_NOTHING = frozenset("""
ST STG STS STL STSM STAS RED REDG REDS REDAS LDGSTS LDGDEPBAR DEPBAR BAR MEMBAR FENCE ERRBAR CGAERRBAR CCTL CCTLL CCTLT
NOP BRA BRX BRXU JMP JMX JMXU BSYNC BREAK EXIT RET KILL BPT RTT YIELD NANOSLEEP PREEXIT WARPSYNC WARPGROUP ENDCOLLECTIVE
SUST SURED UTMASTG UTMALDG UTMAPF UTMAREDG UTMACMDFLUSH UTMACCTL UBLKCP UBLKPF UBLKRED ACQBULK UCGABAR_ARV UCGABAR_WAIT
PMTRIG BSSY
""".split())  # noqa: SIM905 - a table of names reads better without quotes
# Instructions whose first one or two operands are predicates, and all that they write.
_WRITES_PREDICATES = frozenset({"ISETP", "UISETP", "FSETP", "UFSETP", "DSETP", "HSETP2", "PLOP3", "UPLOP3", "PSETP",
                                "UPSETP", "FCHK"})
# Instructions that write predicates and, as their first register, one destination of the width their modifiers say.
_WRITES_FIRST = frozenset("""
FADD FADD32I FMUL FMUL32I FFMA FFMA32I FSEL FMNMX FMNMX3 FSET FSWZADD MUFU HADD2 HMUL2 HFMA2 HMNMX2 HSET2
HADD2_32I HMUL2_32I HFMA2_32I VHMNMX FADD2 FMUL2 FFMA2 DADD DMUL DFMA DMNMX
IADD IADD3 IADD32I IMAD IMUL ISCADD IABS IMNMX IDP LEA LOP LOP3 LOP32I SHF SHL SHR SEL PRMT SGXT BMSK BREV FLO
POPC VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 P2R F2F F2I F2FP F2IP FRND I2F I2FP I2I I2IP
SHFL VOTE VOTEU MATCH REDUX CREDUX ELECT MOV MOV32I MOVM S2R S2UR CS2R CS2UR B2R LEPC
LD LDG LDS LDL LDC LDCU ULDC LDSM ATOM ATOMG ATOMS QSPC
HMMA IMMA BMMA DMMA QMMA OMMA
R2UR UIADD3 UIADD UIMAD UIABS UIMNMX ULEA ULOP ULOP3 UMOV UPRMT UPOPC USEL USGXT USHF UBMSK UBREV
UFLO UVIADD UVIMNMX UVIADDMNMX UF2F UF2FP UF2I UFRND UI2F UI2FP UI2I UFADD UFMUL UFFMA UFSEL UFMNMX UP2UR
""".split())  # noqa: SIM905
_PAIR_NAMES = frozenset({"DADD", "DMUL", "DFMA", "DMNMX", "FADD2", "FMUL2", "FFMA2", "LEPC"})
_MATRIX_NAMES = frozenset({"HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "OMMA"})
# m8n8 or m16n8 and the depth: 8x8x4, 8816, 16816. A warp shares the result; HMMA.884 is four products, of 8 lanes.
_SHAPE = re.compile(r"(8|16)x?8x?(\d+)")
# Bits of an element of A and B, by opcode, and by modifier where it has another.
_ELEMENTS = {"HMMA": 16, "IMMA": 8, "BMMA": 1, "DMMA": 64}
_TYPES = {"TF32": 32, "S4": 4, "U4": 4}
# Two destinations of up to four registers each, and a predicate.
_MASK = re.compile(r",\s*0x([1-9a-f])\s*$")
_TEXTURE_NAMES = frozenset({"TEX", "TLD", "TLD4", "TMML", "TXD", "TXQ", "SULD", "SUATOM", "SUQUERY"})
_ALL_PREDICATES = tuple(f"P{n}" for n in range(7))


@dataclass(frozen=True, slots=True)
class Operand:
    """``kind`` is "R", "UR", "P" or "UP" (register ``number``, -1 for RZ and PT), "c" (constant ``bank`` and offset

    ``number``), "int", "float" or "other". ``negative``, ``inverted`` (~ or !) and ``absolute`` are modifiers in front;
    ``suffix`` those behind, such as ".H0_H0".
    """

    text: str
    kind: str
    number: int = 0
    bank: int = 0
    value: float = 0.0
    negative: bool = False
    inverted: bool = False
    absolute: bool = False
    suffix: str = ""

    @property
    def key(self) -> str:
        """Name of the register: "R5", "UP0"."""
        return f"{self.kind}{self.number}"


@lru_cache(maxsize=4096)
def parse_operand(text: str) -> Operand:
    """One operand as nvdisasm prints it."""
    text = text.strip().replace(".reuse", "")
    match = _REGISTER.match(text)
    if match:
        marks, kind, number, inner, outer = match.groups()
        return Operand(text, kind, -1 if number in "ZT" else int(number), negative="-" in marks,
                       inverted="~" in marks or "!" in marks, absolute="|" in marks, suffix=inner + outer)
    match = _CONSTANT.match(text)
    if match:
        marks, bank, offset, suffix = match.groups()
        # nvdisasm prints the 16 bits of an offset signed, so one in the upper half of a bank is negative.
        return Operand(text, "c", int(offset or "0", 16) & 0xFFFF, int(bank, 16), negative="-" in marks,
                       inverted="~" in marks, absolute="|" in marks, suffix=suffix)
    if _HEX.match(text):
        return Operand(text, "int", int(text, 16))
    if _FLOAT.match(text):
        number_text = text.upper().replace("QNAN", "nan").replace("SNAN", "nan")
        return Operand(text, "float", value=float(number_text))
    return Operand(text, "other")


@lru_cache(maxsize=8192)
def operands_of(text: str) -> tuple[Operand, ...]:
    """The operands of an instruction; commas inside brackets do not separate."""
    return tuple(parse_operand(part) for part in _SPLIT.split(text)) if text else ()


def destination_width(instruction: Instruction) -> int | None:
    """At most how many 32-bit registers the destination takes; ``None`` when that is not known."""
    modifiers = instruction.opcode.split(".")[1:]
    if "256" in modifiers:
        return None
    if instruction.name in _MATRIX_NAMES:
        return _matrix_width(instruction.name, modifiers)
    if "128" in modifiers or (instruction.name == "LDSM" and "4" in modifiers):
        return 4
    if instruction.name in ("SHF", "USHF", "MUFU"):
        return 1  # a funnel shift of two registers gives one word of them, as MUFU.RCP64H does of a double
    if instruction.name in ("F2F", "F2I", "I2F"):
        # Of the two types the result's counts: the first one of F2F, and what is no source of the others.
        types = [m for m in modifiers if m[1:] in ("16", "32", "64")]
        wide = types[:1] == ["F64"] if instruction.name == "F2F" else bool(
            {"S64", "U64"} & {*types}) if instruction.name == "F2I" else "F64" in types
        return 2 if wide else 1
    if (instruction.name in _PAIR_NAMES or (instruction.name == "CS2R" and "32" not in modifiers)
            or (instruction.name == "LDSM" and "2" in modifiers) or "WIDE" in modifiers
            or any("64" in m for m in modifiers)):
        return 2
    return 1


def _matrix_width(name: str, modifiers: Sequence[str]) -> int:
    """Registers that a lane's part of a product takes at most: 32 bits an element (PTX ISA, mma), 64 of ``DMMA``."""
    shapes = [match for m in modifiers if (match := _SHAPE.fullmatch(m))]
    if len(shapes) != 1 or "884" in modifiers:
        return 8
    return int(shapes[0][1]) * 8 // 32 * (2 if name == "DMMA" else 1)


def matrix_sources(instruction: Instruction) -> tuple[int, int, int] | None:
    """Registers that a lane's parts of A, B and C of a product take; ``None`` where the shape is not known.

    PTX ISA, mma: of A, B and C a warp's lanes share all elements. A column of B is a 32-bit word a lane for each eight
    bytes of depth, and A has one or two times as many.
    """
    name, modifiers = instruction.name, instruction.opcode.split(".")[1:]
    found = [match for m in modifiers if (match := _SHAPE.fullmatch(m))]
    if name not in _ELEMENTS or len(found) != 1 or any(m.startswith("STEP") for m in modifiers):
        return None
    rows = int(found[0][1])
    bits = next((_TYPES[m] for m in modifiers if m in _TYPES), _ELEMENTS[name])
    across = max(1, int(found[0][2]) * 8 * bits // 1024)
    sums = rows * 8 // 32 * (2 if name == "DMMA" else 1)
    return across * rows // 8, across, sums // 2 if "F16" in modifiers and "F32" not in modifiers else sums


def division_helpers(instructions: Sequence[Instruction]) -> frozenset[int]:
    """Indices of the reciprocals that belong to integer divisions: a MUFU.RCP of what an I2F.RP has converted.

    The compiler converts with rounding up for nothing else. Such a reciprocal is integer work, not the source's.
    """
    converted: set[str] = set()
    found = set()
    for index, instruction in enumerate(instructions):
        if instruction.opcode == "MUFU.RCP" and operands_of(instruction.operands)[-1].key in converted:
            found.add(index)
        results = written(instruction)
        if results is None:
            converted.clear()
            continue
        converted.difference_update(results)
        if instruction.name in ("I2F", "I2FP") and "RP" in instruction.opcode.split("."):
            converted.update(results)
    return frozenset(found)


def written(instruction: Instruction) -> tuple[str, ...] | None:
    """Keys of all registers that an instruction may write; ``None`` means any register.

    A few registers that are only read may be among them, never fewer than are written.
    """
    name = instruction.name
    if name in _WRITES_NOTHING:
        return ()
    operands = operands_of(instruction.operands)
    if name == "R2P":
        return _ALL_PREDICATES
    if name in _TEXTURE_NAMES:
        leading = [o.number for o in operands if o.kind == "R"][:2]
        # Which of the four components are wanted is the last operand; two go to each of the destinations.
        mask = _MASK.search(instruction.operands) if name in ("TEX", "TLD", "TLD4", "TXD") else None
        count = max(1, int(mask.group(1), 16).bit_count()) if mask is not None else 4
        return (*(o.key for o in operands if o.kind == "P" and o.number >= 0),
                *(f"R{number + n}" for number in leading if number >= 0 for n in range(count)))
    if name == "UR2UP":
        return tuple("U" + p for p in _ALL_PREDICATES)
    if name == "BMOV":
        return tuple(f"{o.kind}{o.number + n}" for o in operands[:1]
                     if o.kind in ("R", "UR") and o.number >= 0 for n in range(2))
    if name in _WRITES_PREDICATES:
        return tuple(o.key for o in operands[:2] if o.kind in ("P", "UP") and o.number >= 0)
    if name not in _WRITES_FIRST:
        return None
    if name in ("VOTE", "VOTEU"):
        operands = operands[:-1]  # the predicate that is voted on is read
    found: list[str] = []
    seen_register = False
    for operand in operands:
        if operand.kind in ("P", "UP"):
            if operand.number >= 0:
                found.append(operand.key)
        elif operand.kind in ("R", "UR") and not seen_register:
            seen_register = True
            width = destination_width(instruction)
            if width is None:
                return None
            if operand.number >= 0:
                found += [f"{operand.kind}{operand.number + n}" for n in range(width)]
        else:
            break
    return tuple(found)
