"""How the remaining opcodes are decoded: control flow, memory, and what looks across lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mutate.sim import coalesce
from mutate.sim import layout as lay
from mutate.sim.atomics import OPERATIONS, TYPES
from mutate.sim.operand import operand as parse
from mutate.sim.operand import parse_address, parse_constant
from mutate.sim.rules import UnsupportedError, only
from mutate.sim.semantics import NUMBER

if TYPE_CHECKING:
    from mutate.sim.decode import Decoder

Emit = Callable[["Decoder", tuple[str, ...], Sequence[str]], None]

CONTROL: dict[str, Emit] = {}
"""Opcode without modifiers -> what fills its row."""

_CACHE_MODIFIERS = frozenset(("E", "SYS", "GPU", "CTA", "SM", "STRONG", "WEAK", "CONSTANT", "PRIVATE", "EF", "EL", "LU",
                              "EU", "NA", "EN", "DA", "BYPASS", "ACCESS", "LTC64B", "LTC128B", "LTC256B", "MMIO", "VC",
                              "CV", "CI", "CG", "RF", "U", "ZFILL", "CA", "NODECR"))
_SIZES = {"U8": (1, 0), "S8": (1, 1), "U16": (2, 0), "S16": (2, 1), "32": (4, 0), "64": (8, 0), "128": (16, 0)}


def rule(*names: str) -> Callable[[Emit], Emit]:
    def add(emit: Emit) -> Emit:
        for name in names:
            CONTROL[name] = emit
        return emit

    return add


def _source(decoder: Decoder, column: int, text: str) -> None:
    """A 32-bit source operand without modifiers."""
    value = parse(text)
    if value.kind in ("R", "UR") and not value.negative and not value.absolute:
        decoder.put_source(column, value.kind, value.number)
        if value.inverted:
            decoder.code[decoder.index][column + 6] = lay.MODS["inot"]
    elif value.kind == "int":
        decoder.put_words(column, value.number)
    else:
        constant = parse_constant(text)
        if constant is None or constant.register:
            raise UnsupportedError(f"operand {text}")
        decoder.put_words(column, decoder.bank_word(constant.bank, constant.offset))


def _condition(decoder: Decoder, column: int, text: str) -> None:
    decoder.code[decoder.index][column], decoder.code[decoder.index][column + 1] = decoder.predicate(text)


def _is_predicate(text: str) -> bool:
    return parse(text).kind in ("P", "UP")


def _destination(decoder: Decoder, text: str) -> None:
    value = parse(text)
    if value.kind not in ("R", "UR"):
        raise UnsupportedError(f"destination {text}")
    decoder.put_destination(value.kind, value.number)


@rule("NOP", "MEMBAR", "ERRBAR", "FENCE", "CCTL", "CCTLL", "DEPBAR", "LDGDEPBAR", "NANOSLEEP", "PREEXIT",
      "ENDCOLLECTIVE", "CGAERRBAR", "ACQBULK", "PMTRIG", "WARPGROUP", "NOP64", "CCTLT", "ACQSHMINIT")
def _nothing(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    """Waits and fences: memory is always up to date here."""
    del mods, operands
    decoder.code[decoder.index][lay.OP] = lay.NOP


@rule("BRA", "JMP")
def _branch(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    only(mods, "U", "DIV", "CONV", "INC", "DEC", "RECONVERGENT")
    row[lay.OP] = lay.BRA_DIV if "DIV" in mods else (lay.BRA_CONV if "CONV" in mods else lay.BRA)
    rest = list(operands)
    if rest and _is_predicate(rest[0]):
        _condition(decoder, lay.PS, rest.pop(0))
    if "DIV" in mods or "CONV" in mods:
        if len(rest) == 2:
            _source(decoder, lay.A, rest.pop(0))
        else:
            decoder.put_words(lay.A, 0xFFFFFFFF)
    row[lay.X] = decoder.target(rest[-1])
    row[lay.Y] = int("U" in mods)


@rule("BSSY", "BSYNC")
def _convergence(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "RECONVERGENT", "RELIABLE")
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    row[lay.OP] = lay.BSSY if name == "BSSY" else lay.BSYNC
    rest = list(operands)
    if rest and _is_predicate(rest[0]):
        raise UnsupportedError("a predicate as operand")
    row[lay.X] = _barrier_register(rest[0])


def _barrier_register(text: str) -> int:
    if not text.startswith("B") or not text[1:].isdigit():
        raise UnsupportedError(f"convergence barrier {text}")
    return int(text[1:])


@rule("BREAK")
def _break(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "RELIABLE", "RECONVERGENT")
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.BREAK
    if _is_predicate(operands[0]):
        _condition(decoder, lay.PS, operands[0])
    row[lay.X] = _barrier_register(operands[-1])


@rule("EXIT")
def _exit(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "NO_ATEXIT", "PREEMPTED", "KEEPREFCOUNT")
    decoder.code[decoder.index][lay.OP] = lay.EXIT
    if operands:
        _condition(decoder, lay.PS, operands[0])


@rule("CALL")
def _call(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "REL", "ABS", "NOINC", "INC")
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.CALL
    if "REL" in mods and len(operands) == 1 and " " not in operands[0]:
        row[lay.X] = decoder.target(operands[0])
        return
    parts = operands[0].split()
    value = parse(parts[0])
    if value.kind != "R" or value.number < 0:
        raise UnsupportedError("a call through this operand")
    if "REL" in mods and len(parts) == 2:
        # Pointers to device functions are offsets in the kernel's code.
        row[lay.OP], row[lay.Y] = lay.RET, int(parts[1], 16)
    elif "ABS" in mods and len(parts) == 1:
        row[lay.OP] = lay.SYSTEM_CALL
    else:
        raise UnsupportedError("a call through this operand")
    _source(decoder, lay.A, parts[0])


@rule("LEPC")
def _code_address(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods)
    row = decoder.code[decoder.index]
    row[lay.OP] = NUMBER["mov64"]
    row[lay.FLAGS] |= lay.WIDE
    _destination(decoder, operands[0])
    # Without a second operand, its own address.
    decoder.put_words(lay.A, 16 * (decoder.target(operands[1]) if len(operands) > 1 else decoder.index), 0)


@rule("RET")
def _return(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "REL", "NODEC", "ABS")
    row = decoder.code[decoder.index]
    if "REL" not in mods:
        raise UnsupportedError("an absolute return")
    row[lay.OP] = lay.RET
    _source(decoder, lay.A, operands[0].split()[0])
    base = operands[-1].split()[-1]
    row[lay.Y] = int(base, 16)


@rule("BRX")
def _indexed(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    """``BRX R2 -0x60``: a jump by a register, relative to the next instruction."""
    only(mods)
    row = decoder.code[decoder.index]
    text = operands[-1]
    parts = text.replace("`", "").split()
    if len(parts) != 2:
        raise UnsupportedError(f"an indexed branch with {text}")
    row[lay.OP] = lay.BRX
    _source(decoder, lay.A, parts[0])
    row[lay.Y] = (decoder.index + 1) * 16 + int(parts[1], 16)


@rule("WARPSYNC")
def _warpsync(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "COLLECTIVE", "ALL", "EXCLUSIVE")
    decoder.code[decoder.index][lay.OP] = lay.WARPSYNC
    decoder.code[decoder.index][lay.Y] = int("COLLECTIVE" in mods or "EXCLUSIVE" in mods)
    if "ALL" in mods or not operands:
        decoder.put_words(lay.A, 0xFFFFFFFF)
    else:
        _source(decoder, lay.A, operands[0])


@rule("YIELD")
def _yield(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    del mods, operands
    decoder.code[decoder.index][lay.OP] = lay.YIELD


@rule("BPT", "KILL")
def _trap(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    del mods, operands
    decoder.code[decoder.index][lay.OP] = lay.TRAP


@rule("BAR")
def _block_barrier(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "SYNC", "ARV", "RED", "DEFER_BLOCKING", "POPC", "AND", "OR")
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.BAR
    rest = list(operands)
    if "RED" in mods:
        row[lay.Y] |= 4
        row[lay.M] = 0 if "POPC" in mods else (1 if "AND" in mods else 2)
        _condition(decoder, lay.PS, rest.pop())
    if "ARV" in mods:
        row[lay.Y] |= 1
    value = parse(rest[0])
    if value.kind == "int":
        row[lay.X] = value.number
    else:
        row[lay.Y] |= 8
        _source(decoder, lay.A, rest[0])
    if len(rest) > 1:
        row[lay.Y] |= 16
        _source(decoder, lay.B, rest[1])


@rule("B2R")
def _barrier_result(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    if "RESULT" not in mods:
        raise UnsupportedError("B2R without .RESULT")
    decoder.code[decoder.index][lay.OP] = lay.BARRIER_RESULT
    _destination(decoder, operands[0])
    if len(operands) > 1:
        decoder.code[decoder.index][lay.PD] = decoder.predicate(operands[1])[0]


@rule("BMOV")
def _move_barrier(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "32", "CLEAR", "PQUAD")
    row = decoder.code[decoder.index]
    if operands[0].startswith("B"):
        row[lay.OP], row[lay.X] = lay.BMOV_SET, _barrier_register(operands[0])
        _source(decoder, lay.A, operands[1])
    else:
        row[lay.OP], row[lay.X], row[lay.Y] = lay.BMOV_GET, _barrier_register(operands[1]), int("CLEAR" in mods)
        _destination(decoder, operands[0])


@rule("VOTE", "VOTEU")
def _vote(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    modes = {"ALL": 0, "ANY": 1, "EQ": 2}
    only(mods, *modes)
    row = decoder.code[decoder.index]
    row[lay.OP], row[lay.M] = lay.VOTE, modes[mods[0]]
    rest = list(operands)
    row[lay.FLAGS] |= lay.NO_DST
    if not _is_predicate(rest[0]):
        row[lay.FLAGS] &= ~lay.NO_DST
        _destination(decoder, rest.pop(0))
    _condition(decoder, lay.PS, rest.pop())
    if rest:
        row[lay.PD] = decoder.predicate(rest[0])[0]


@rule("PLOP3", "UPLOP3")
def _predicate_logic(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "LUT")
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.PLOP3
    if len(operands) != 7:
        raise UnsupportedError(f"{len(operands)} operands")
    row[lay.PD], row[lay.PD2] = decoder.predicate(operands[0])[0], decoder.predicate(operands[1])[0]
    _condition(decoder, lay.PS, operands[2])
    _condition(decoder, lay.QS, operands[3])
    row[lay.A], row[lay.B] = decoder.predicate(operands[4])
    row[lay.M], row[lay.X] = int(operands[5], 16), int(operands[6], 16)
    if decoder.listing[decoder.index].name.startswith("U"):
        row[lay.FLAGS] |= lay.UNIFORM


@rule("P2R", "UP2UR")
def _predicates_to_register(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    shifts = {"B0": 0, "B1": 8, "B2": 16, "B3": 24}
    only(mods, *shifts)
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.P2R
    _destination(decoder, operands[0])
    row[lay.X] = 8 if operands[1].startswith("U") else 0
    row[lay.M] = shifts[mods[0]] if mods else 0
    _source(decoder, lay.A, operands[2])
    _source(decoder, lay.B, operands[3] if len(operands) > 3 else "0x7f")


@rule("R2P", "UR2UP")
def _register_to_predicates(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    shifts = {"B0": 0, "B1": 8, "B2": 16, "B3": 24}
    only(mods, *shifts)
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.R2P
    row[lay.X] = 8 if operands[0].startswith("U") else 0
    row[lay.FLAGS] |= lay.UNIFORM if row[lay.X] else 0
    row[lay.M] = shifts[mods[0]] if mods else 0
    _source(decoder, lay.A, operands[1])
    _source(decoder, lay.B, operands[2] if len(operands) > 2 else "0x7f")


@rule("R2UR")
def _to_uniform(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "OR", "FILL", "BROADCAST")
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.R2UR
    rest = list(operands)
    if _is_predicate(rest[0]):
        row[lay.PD] = decoder.predicate(rest.pop(0))[0]
    _destination(decoder, rest[0])
    _source(decoder, lay.A, rest[1])


_ZERO_REGISTERS = frozenset(("SRZ", "SR_CgaCtaId", "SR_SMID", "SR_VIRTUALSMID", "SR_VIRTID", "SR_REGALLOC", "SR_GRIDID",
                             "SR_ORDERING_TICKET", "SR_NLATC", "SR_CTAID", "SR_SM_SPA_VERSION",
                             "SR_VIRTUALENGINEID"))
_CLOCKS = frozenset(("SR_CLOCKLO", "SR_CLOCKHI", "SR_GLOBALTIMERLO", "SR_GLOBALTIMERHI", "SR_CLOCK"))


@rule("S2R", "S2UR", "CS2R", "CS2UR")
def _special(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "32", "64")
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    wide = name.startswith("CS2") and "32" not in mods
    register = operands[1]
    _destination(decoder, operands[0])
    if register in _CLOCKS:
        row[lay.OP] = lay.CLOCK
        row[lay.FLAGS] |= lay.WIDE if wide else 0
        return
    if wide:
        if register not in _ZERO_REGISTERS:
            raise UnsupportedError(f"64-bit special register {register}")
        row[lay.OP] = NUMBER["mov64"]
        row[lay.FLAGS] |= lay.WIDE
        decoder.put_words(lay.A, 0, 0)
        return
    if name == "S2UR":
        row[lay.OP] = lay.R2UR
    else:
        row[lay.OP] = NUMBER["mov"]
    if register in _ZERO_REGISTERS:
        decoder.put_words(lay.A, 0)
    elif register in lay.SPECIALS:
        specials = decoder.general + lay.UNIFORMS + lay.TRASH
        row[lay.A], row[lay.A_REL] = (specials + lay.SPECIALS.index(register)) * lay.LANES, -1
    else:
        raise UnsupportedError(f"special register {register}")


@rule("SHFL")
def _shuffle(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    modes = {"IDX": 0, "UP": 1, "DOWN": 2, "BFLY": 3}
    only(mods, *modes)
    row = decoder.code[decoder.index]
    row[lay.OP], row[lay.M] = lay.SHFL, modes[mods[0]]
    row[lay.PD] = decoder.predicate(operands[0])[0]
    _destination(decoder, operands[1])
    for column, text in zip((lay.A, lay.B, lay.C), operands[2:], strict=True):
        _source(decoder, column, text)


@rule("MATCH")
def _match(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "ANY", "ALL", "U64")
    row = decoder.code[decoder.index]
    row[lay.OP], row[lay.M] = lay.MATCH, int("ALL" in mods)
    row[lay.FLAGS] |= lay.WIDE if "U64" in mods else 0
    rest = list(operands)
    if _is_predicate(rest[0]):
        row[lay.PD] = decoder.predicate(rest.pop(0))[0]
    _destination(decoder, rest[0])
    _source(decoder, lay.A, rest[1])


@rule("REDUX", "CREDUX")
def _reduce(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "SUM", "MIN", "MAX", "AND", "OR", "XOR", "S32", "U32")
    row = decoder.code[decoder.index]
    signed = "S32" in mods
    op = next((m for m in mods if m not in ("S32", "U32")), "AND")
    row[lay.OP] = lay.REDUX
    row[lay.M] = {"SUM": 0, "MIN": 1 if signed else 3, "MAX": 2 if signed else 4, "AND": 5, "OR": 6, "XOR": 7}[op]
    _destination(decoder, operands[0])
    _source(decoder, lay.A, operands[1])


@rule("ELECT")
def _elect(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods)
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.ELECT
    row[lay.FLAGS] |= lay.NO_DST
    for text in operands:
        if _is_predicate(text) and row[lay.PD] == 7:
            row[lay.PD] = decoder.predicate(text)[0]
        elif not _is_predicate(text):
            row[lay.FLAGS] &= ~lay.NO_DST
            _destination(decoder, text)


# --- constants and memory --------------------------------------------------------------------------------------------


@rule("LDC", "ULDC", "LDCU")
def _constant(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    sizes = [m for m in mods if m in _SIZES]
    only(mods, *_SIZES)
    width, signed = _SIZES[sizes[0]] if sizes else (4, 0)
    row = decoder.code[decoder.index]
    constant = parse_constant(operands[1])
    if constant is None:
        raise UnsupportedError(f"operand {operands[1]}")
    _destination(decoder, operands[0])
    if constant.register is None and width in (4, 8):
        words = [decoder.bank_word(constant.bank, constant.offset + 4 * k) for k in range(width // 4)]
        row[lay.OP] = NUMBER["mov" if width == 4 else "mov64"]
        row[lay.FLAGS] |= lay.WIDE if width == 8 else 0
        decoder.put_words(lay.A, *words)
        return
    row[lay.OP], row[lay.WIDTH], row[lay.M] = lay.LOAD_CONSTANT, width, signed
    row[lay.X], row[lay.Y] = constant.offset, constant.bank
    if constant.register is None:
        decoder.put_words(lay.A, 0)
    else:
        _source(decoder, lay.A, constant.register)


def _address(decoder: Decoder, text: str, *, is_global: bool) -> None:
    row = decoder.code[decoder.index]
    address = parse_address(text)
    if address is None:
        raise UnsupportedError(f"address {text}")
    extended = "E" in decoder.listing[decoder.index].opcode.split(".")
    row[lay.M], row[lay.X] = address.scale, address.offset
    wide = is_global and (address.wide or (extended and address.uniform is None and not address.zero_extended))
    if address.register is None:
        decoder.put_words(lay.A, 0, 0)
    else:
        decoder.put_source(lay.A, "R", address.register)
        if wide:
            row[lay.FLAGS] |= lay.ADDRESS64
    if address.uniform is None:
        decoder.put_words(lay.B, 0, 0)
    else:
        decoder.put_source(lay.B, "UR", address.uniform)
        if is_global:
            row[lay.FLAGS] |= lay.UR64


def _size(decoder: Decoder, mods: tuple[str, ...]) -> None:
    row = decoder.code[decoder.index]
    sizes = [m for m in mods if m in _SIZES]
    for m in mods:
        if m not in _SIZES and m not in _CACHE_MODIFIERS:
            raise UnsupportedError(f"modifier .{m}")
    row[lay.WIDTH], row[lay.Y] = _SIZES[sizes[0]] if sizes else (4, 0)


_SPACES = {"LDG": lay.GLOBAL_ACCESS, "STG": lay.GLOBAL_ACCESS, "LDS": lay.SHARED_ACCESS, "STS": lay.SHARED_ACCESS,
           "LDL": lay.LOCAL_ACCESS, "STL": lay.LOCAL_ACCESS, "LD": lay.GENERIC_ACCESS, "ST": lay.GENERIC_ACCESS}


@rule("LDG", "LDS", "LDL", "LD")
def _load(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    row[lay.OP], row[lay.ACTION] = _SPACES[name], lay.LOAD
    _size(decoder, mods)
    rest = [o for o in operands if not _is_predicate(o)]
    if any(_is_predicate(o) and o.lstrip("!") not in ("PT",) for o in operands):
        raise UnsupportedError("a load with a predicate as operand")
    _destination(decoder, rest[0])
    _address(decoder, rest[1], is_global=name in ("LDG", "LD"))


@rule("STG", "STS", "STL", "ST")
def _store(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    row[lay.OP], row[lay.ACTION], row[lay.SHARED_KIND] = _SPACES[name], lay.STORE, coalesce.STORE
    _size(decoder, mods)
    _address(decoder, operands[0], is_global=name in ("STG", "ST"))
    _data(decoder, operands[1], int(row[lay.WIDTH]))


def _data(decoder: Decoder, text: str, width: int) -> None:
    value = parse(text)
    if value.kind not in ("R", "UR") or value.negative or value.inverted:
        raise UnsupportedError(f"operand {text}")
    if value.number < 0:
        decoder.put_words(lay.C, 0)  # rows 0 to 3 of the pool are zero: wide enough for 128 bits
    else:
        decoder.put_source(lay.C, value.kind, value.number)
    del width


@rule("ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS")
def _atomic(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    row[lay.OP] = {"ATOM": lay.GENERIC_ACCESS, "RED": lay.GLOBAL_ACCESS, "ATOMG": lay.GLOBAL_ACCESS,
                 "REDG": lay.GLOBAL_ACCESS}.get(name, lay.SHARED_ACCESS)
    row[lay.ACTION], row[lay.WIDTH] = lay.ATOMIC, 4
    rest = list(operands)
    if _is_predicate(rest[0]):
        row[lay.PD] = decoder.predicate(rest.pop(0))[0]
        if row[lay.PD] != 7 and name != "ATOM":
            raise UnsupportedError("a predicate as result")
    if any(_is_predicate(o) for o in rest):
        raise UnsupportedError("a predicate as operand")
    op, kind = None, "U32"
    cast = increment = False
    flush = "FTZ" in mods
    for m in mods:
        if m in OPERATIONS:
            op = m
        elif m in TYPES:
            kind = m
        elif m == "64":
            row[lay.WIDTH] = 8
        elif m in ("CAST",):
            op, cast = "CAS", True
        elif m == "POPC":
            increment = True
        elif m in ("SPIN", "32", "RN", "FTZ", *_CACHE_MODIFIERS):
            continue
        else:
            raise UnsupportedError(f"modifier .{m}")
    if op is None:
        raise UnsupportedError("no operation among the modifiers")
    if kind in ("U64", "S64", "F64") or row[lay.WIDTH] == 8:
        row[lay.WIDTH] = 8
        kind = kind if kind in ("S64", "F64") else "U64"
    if kind == "F32" and flush:
        kind = "F32.FTZ"
    is_global = row[lay.OP] != lay.SHARED_ACCESS
    if name in ("RED", "REDG", "REDS"):
        row[lay.FLAGS] |= lay.NO_DST
    else:
        _destination(decoder, rest.pop(0))
    _address(decoder, rest[0], is_global=is_global)
    if increment:
        op = "ADD"
        decoder.put_words(lay.C, 1, 0)
    else:
        _data(decoder, rest[1], 0)
    if op == "CAS":
        value = parse(rest[2])
        number = value.number
        row[lay.SECOND] = 0 if number < 0 else decoder.register("R", number) * lay.LANES
        row[lay.SECOND_REL] = 0 if number < 0 else -1
    row[lay.SHARED_KIND] = (coalesce.POPC_INC if increment else coalesce.CAST_SPIN if cast else
                            coalesce.CAS if op == "CAS" else coalesce.ATOMIC)
    row[lay.TABLE] = OPERATIONS[op] | TYPES[kind] << 4
    row[lay.Y] = 2 * cast


@rule("LDGSTS")
def _copy(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.COPY_ASYNC
    row[lay.SHARED_KIND] = coalesce.ASYNC_BYPASS if "BYPASS" in mods else coalesce.ASYNC
    _size(decoder, mods)
    row[lay.FLAGS] |= lay.NO_DST
    _address(decoder, operands[1], is_global=True)
    target = parse_address(operands[0])
    if target is None or target.uniform is not None or target.scale:
        raise UnsupportedError(f"address {operands[0]}")
    if target.register is None:
        decoder.put_words(lay.C, 0)
    else:
        decoder.put_source(lay.C, "R", target.register)
    row[lay.TABLE] = target.offset
    row[lay.M] |= 64 * ("ZFILL" in mods)
    if len(operands) > 2:
        _condition(decoder, lay.PS, operands[2])


@rule("QSPC")
def _query(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "E", "S", "L", "G")
    row = decoder.code[decoder.index]
    row[lay.OP], row[lay.M] = lay.SPACE_QUERY, {"S": 0, "L": 1, "G": 2}[mods[-1]]
    row[lay.PD] = decoder.predicate(operands[0])[0]
    _destination(decoder, operands[1])
    address = parse_address(operands[2])
    if address is None or address.register is None:
        raise UnsupportedError(f"address {operands[2]}")
    decoder.put_source(lay.A, "R", address.register)

