"""How control flow, predicates and what looks across lanes are decoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutate.sim import layout as lay
from mutate.sim.operand import operand as parse
from mutate.sim.row_rules import condition_operand, destination_operand, is_predicate, rule, source_operand
from mutate.sim.rules import UnsupportedError, only
from mutate.sim.semantics import NUMBER

if TYPE_CHECKING:
    from mutate.sim.decode import Decoder


@rule("NOP", "MEMBAR", "ERRBAR", "FENCE", "CCTL", "CCTLL", "DEPBAR", "LDGDEPBAR", "NANOSLEEP", "PREEXIT",
      "ENDCOLLECTIVE", "CGAERRBAR", "ACQBULK", "PMTRIG", "WARPGROUP", "NOP64", "CCTLT", "ACQSHMINIT")
def _nothing(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    """Waits and fences: memory is always up to date here."""
    del mods, operands
    decoder.code[decoder.index][lay.OP] = lay.NOP


@rule("BRA", "JMP")
def _branch(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    only(mods, "U", "ANY", "DIV", "CONV", "INC", "DEC", "RECONVERGENT")
    if "ANY" in mods and "U" not in mods:
        raise UnsupportedError("modifier .ANY")
    row[lay.OP] = lay.BRA_DIV if "DIV" in mods else (lay.BRA_CONV if "CONV" in mods else lay.BRA)
    rest = list(operands)
    if rest and is_predicate(rest[0]):
        condition_operand(decoder, lay.PS, rest.pop(0))
    if "DIV" in mods or "CONV" in mods:
        if len(rest) == 2:
            source_operand(decoder, lay.A, rest.pop(0))
        else:
            decoder.put_words(lay.A, 0xFFFFFFFF)
    row[lay.X] = decoder.target(rest[-1])
    row[lay.Y] = 2 if "ANY" in mods else int("U" in mods)


@rule("BSSY", "BSYNC")
def _convergence(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "RECONVERGENT", "RELIABLE")
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    row[lay.OP] = lay.BSSY if name == "BSSY" else lay.BSYNC
    rest = list(operands)
    if rest and is_predicate(rest[0]):
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
    if is_predicate(operands[0]):
        condition_operand(decoder, lay.PS, operands[0])
    row[lay.X] = _barrier_register(operands[-1])


@rule("EXIT")
def _exit(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "NO_ATEXIT", "PREEMPTED", "KEEPREFCOUNT")
    decoder.code[decoder.index][lay.OP] = lay.EXIT
    if operands:
        condition_operand(decoder, lay.PS, operands[0])


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
    source_operand(decoder, lay.A, parts[0])


@rule("LEPC")
def _code_address(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods)
    row = decoder.code[decoder.index]
    row[lay.OP] = NUMBER["mov64"]
    row[lay.FLAGS] |= lay.WIDE
    destination_operand(decoder, operands[0])
    # Without a second operand, its own address.
    decoder.put_words(lay.A, 16 * (decoder.target(operands[1]) if len(operands) > 1 else decoder.index), 0)


@rule("RET")
def _return(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "REL", "NODEC", "ABS")
    row = decoder.code[decoder.index]
    if "REL" not in mods:
        raise UnsupportedError("an absolute return")
    row[lay.OP] = lay.RET
    source_operand(decoder, lay.A, operands[0].split()[0])
    base = operands[-1].split()[-1]
    row[lay.Y] = int(base, 16)


@rule("BRX", "BRXU")
def _indexed(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    """``BRX R2 -0x60``, ``BRXU UR4 -0x60``: a jump by a register, relative to the next instruction."""
    only(mods)
    row = decoder.code[decoder.index]
    text = operands[-1]
    parts = text.replace("`", "").split()
    if len(parts) != 2:
        raise UnsupportedError(f"an indexed branch with {text}")
    row[lay.OP] = lay.BRX
    source_operand(decoder, lay.A, parts[0])
    row[lay.Y] = (decoder.index + 1) * 16 + int(parts[1], 16)


@rule("WARPSYNC")
def _warpsync(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "COLLECTIVE", "ALL", "EXCLUSIVE")
    decoder.code[decoder.index][lay.OP] = lay.WARPSYNC
    decoder.code[decoder.index][lay.Y] = int("COLLECTIVE" in mods or "EXCLUSIVE" in mods)
    if "ALL" in mods or not operands:
        decoder.put_words(lay.A, 0xFFFFFFFF)
    else:
        source_operand(decoder, lay.A, operands[0])


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
        condition_operand(decoder, lay.PS, rest.pop())
    if "ARV" in mods:
        row[lay.Y] |= 1
    value = parse(rest[0])
    if value.kind == "int":
        row[lay.X] = value.number
    else:
        row[lay.Y] |= 8
        source_operand(decoder, lay.A, rest[0])
    if len(rest) > 1:
        row[lay.Y] |= 16
        source_operand(decoder, lay.B, rest[1])


@rule("B2R")
def _barrier_result(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    if "RESULT" not in mods:
        raise UnsupportedError("B2R without .RESULT")
    decoder.code[decoder.index][lay.OP] = lay.BARRIER_RESULT
    destination_operand(decoder, operands[0])
    if len(operands) > 1:
        decoder.code[decoder.index][lay.PD] = decoder.predicate(operands[1])[0]


@rule("BMOV")
def _move_barrier(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "32", "CLEAR", "PQUAD")
    row = decoder.code[decoder.index]
    if operands[0].startswith("B"):
        row[lay.OP], row[lay.X] = lay.BMOV_SET, _barrier_register(operands[0])
        source_operand(decoder, lay.A, operands[1])
    else:
        row[lay.OP], row[lay.X], row[lay.Y] = lay.BMOV_GET, _barrier_register(operands[1]), int("CLEAR" in mods)
        destination_operand(decoder, operands[0])


@rule("VOTE", "VOTEU")
def _vote(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    modes = {"ALL": 0, "ANY": 1, "EQ": 2}
    only(mods, *modes)
    row = decoder.code[decoder.index]
    row[lay.OP], row[lay.M] = lay.VOTE, modes[mods[0]]
    rest = list(operands)
    row[lay.FLAGS] |= lay.NO_DST
    if not is_predicate(rest[0]):
        row[lay.FLAGS] &= ~lay.NO_DST
        destination_operand(decoder, rest.pop(0))
    condition_operand(decoder, lay.PS, rest.pop())
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
    condition_operand(decoder, lay.PS, operands[2])
    condition_operand(decoder, lay.QS, operands[3])
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
    destination_operand(decoder, operands[0])
    row[lay.X] = 8 if operands[1].startswith("U") else 0
    row[lay.M] = shifts[mods[0]] if mods else 0
    source_operand(decoder, lay.A, operands[2])
    source_operand(decoder, lay.B, operands[3] if len(operands) > 3 else "0x7f")


@rule("R2P", "UR2UP")
def _register_to_predicates(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    shifts = {"B0": 0, "B1": 8, "B2": 16, "B3": 24}
    only(mods, *shifts)
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.R2P
    row[lay.X] = 8 if operands[0].startswith("U") else 0
    row[lay.FLAGS] |= lay.UNIFORM if row[lay.X] else 0
    row[lay.M] = shifts[mods[0]] if mods else 0
    source_operand(decoder, lay.A, operands[1])
    source_operand(decoder, lay.B, operands[2] if len(operands) > 2 else "0x7f")


@rule("R2UR")
def _to_uniform(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "OR", "FILL", "BROADCAST")
    row = decoder.code[decoder.index]
    row[lay.OP], row[lay.M] = lay.R2UR, int("OR" in mods)
    rest = list(operands)
    if is_predicate(rest[0]):
        row[lay.PD] = decoder.predicate(rest.pop(0))[0]
    destination_operand(decoder, rest[0])
    source_operand(decoder, lay.A, rest[1])


_ZERO_REGISTERS = frozenset(("SRZ", "SR_CgaCtaId", "SR_SMID", "SR_VIRTUALSMID", "SR_VIRTID", "SR_REGALLOC", "SR_GRIDID",
                             "SR_ORDERING_TICKET", "SR_NLATC", "SR_CTAID", "SR_SM_SPA_VERSION",
                             "SR_VIRTUALENGINEID", "SR_CgaSize"))
_CLOCKS = frozenset(("SR_CLOCKLO", "SR_CLOCKHI", "SR_GLOBALTIMERLO", "SR_GLOBALTIMERHI", "SR_CLOCK"))


@rule("S2R", "S2UR", "CS2R", "CS2UR")
def _special(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "32", "64")
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    wide = name.startswith("CS2") and "32" not in mods
    register = operands[1]
    destination_operand(decoder, operands[0])
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
    destination_operand(decoder, operands[1])
    for column, text in zip((lay.A, lay.B, lay.C), operands[2:], strict=True):
        source_operand(decoder, column, text)


@rule("MATCH")
def _match(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "ANY", "ALL", "U64")
    row = decoder.code[decoder.index]
    row[lay.OP], row[lay.M] = lay.MATCH, int("ALL" in mods)
    row[lay.FLAGS] |= lay.WIDE if "U64" in mods else 0
    rest = list(operands)
    if is_predicate(rest[0]):
        row[lay.PD] = decoder.predicate(rest.pop(0))[0]
    destination_operand(decoder, rest[0])
    source_operand(decoder, lay.A, rest[1])


@rule("REDUX", "CREDUX")
def _reduce(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "SUM", "MIN", "MAX", "AND", "OR", "XOR", "S32", "U32")
    row = decoder.code[decoder.index]
    signed = "S32" in mods
    op = next((m for m in mods if m not in ("S32", "U32")), "AND")
    row[lay.OP] = lay.REDUX
    row[lay.M] = {"SUM": 0, "MIN": 1 if signed else 3, "MAX": 2 if signed else 4, "AND": 5, "OR": 6, "XOR": 7}[op]
    destination_operand(decoder, operands[0])
    source_operand(decoder, lay.A, operands[1])


@rule("ELECT")
def _elect(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods)
    row = decoder.code[decoder.index]
    row[lay.OP] = lay.ELECT
    row[lay.FLAGS] |= lay.NO_DST
    for text in operands:
        if is_predicate(text) and row[lay.PD] == 7:
            row[lay.PD] = decoder.predicate(text)[0]
        elif not is_predicate(text):
            row[lay.FLAGS] &= ~lay.NO_DST
            destination_operand(decoder, text)
