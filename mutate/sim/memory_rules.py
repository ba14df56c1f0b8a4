"""How constants, loads, stores, atomics and asynchronous copies are decoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutate.sim import coalesce
from mutate.sim import layout as lay
from mutate.sim.atomics import OPERATIONS, TYPES
from mutate.sim.operand import operand as parse
from mutate.sim.operand import parse_address, parse_constant
from mutate.sim.row_rules import condition_operand, destination_operand, is_predicate, rule, source_operand
from mutate.sim.rules import UnsupportedError, only
from mutate.sim.semantics import NUMBER

if TYPE_CHECKING:
    from mutate.sim.decode import Decoder

_CACHE_MODIFIERS = frozenset(("E", "SYS", "GPU", "CTA", "SM", "STRONG", "WEAK", "CONSTANT", "PRIVATE", "EF", "EL", "LU",
                              "EU", "NA", "EN", "DA", "BYPASS", "ACCESS", "LTC64B", "LTC128B", "LTC256B", "MMIO", "VC",
                              "CV", "CI", "CG", "RF", "U", "ZFILL", "CA", "NODECR"))
_SIZES = {"U8": (1, 0), "S8": (1, 1), "U16": (2, 0), "S16": (2, 1), "32": (4, 0), "64": (8, 0), "128": (16, 0)}


@rule("LDC", "ULDC", "LDCU")
def _constant(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    sizes = [m for m in mods if m in _SIZES]
    only(mods, *_SIZES)
    width, signed = _SIZES[sizes[0]] if sizes else (4, 0)
    row = decoder.code[decoder.index]
    constant = parse_constant(operands[1])
    if constant is None:
        raise UnsupportedError(f"operand {operands[1]}")
    destination_operand(decoder, operands[0])
    if constant.register is None and width in (4, 8):
        words = [decoder.bank_word(constant.bank, constant.offset + 4 * k) for k in range(width // 4)]
        row[lay.OP] = NUMBER["mov" if width == 4 else "mov64"]
        row[lay.FLAGS] |= lay.WIDE if width == 8 else 0
        decoder.put_words(lay.A, *words)
        return
    decoder.check_indexed(constant.bank, constant.offset)
    row[lay.OP], row[lay.WIDTH], row[lay.M] = lay.LOAD_CONSTANT, width, signed
    row[lay.X], row[lay.Y] = constant.offset, constant.bank
    if constant.register is None:
        decoder.put_words(lay.A, 0)
    else:
        source_operand(decoder, lay.A, constant.register)


def put_address(decoder: Decoder, text: str, *, is_global: bool) -> None:
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
    rest = [o for o in operands if not is_predicate(o)]
    if any(is_predicate(o) and o.lstrip("!") not in ("PT",) for o in operands):
        raise UnsupportedError("a load with a predicate as operand")
    destination_operand(decoder, rest[0])
    put_address(decoder, rest[1], is_global=name in ("LDG", "LD"))


@rule("STG", "STS", "STL", "ST")
def _store(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    row[lay.OP], row[lay.ACTION], row[lay.SHARED_KIND] = _SPACES[name], lay.STORE, coalesce.STORE
    _size(decoder, mods)
    put_address(decoder, operands[0], is_global=name in ("STG", "ST"))
    _data(decoder, operands[1])


def _data(decoder: Decoder, text: str) -> None:
    value = parse(text)
    if value.kind not in ("R", "UR") or value.negative or value.inverted:
        raise UnsupportedError(f"operand {text}")
    if value.number < 0:
        decoder.put_words(lay.C, 0)  # rows 0 to 3 of the pool are zero: wide enough for 128 bits
    else:
        decoder.put_source(lay.C, value.kind, value.number)


@rule("ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS")
def _atomic(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    row = decoder.code[decoder.index]
    name = decoder.listing[decoder.index].name
    row[lay.OP] = {"ATOM": lay.GENERIC_ACCESS, "RED": lay.GLOBAL_ACCESS, "ATOMG": lay.GLOBAL_ACCESS,
                 "REDG": lay.GLOBAL_ACCESS}.get(name, lay.SHARED_ACCESS)
    row[lay.ACTION], row[lay.WIDTH] = lay.ATOMIC, 4
    rest = list(operands)
    if is_predicate(rest[0]):
        row[lay.PD] = decoder.predicate(rest.pop(0))[0]
        if row[lay.PD] != 7 and name != "ATOM":
            raise UnsupportedError("a predicate as result")
    if any(is_predicate(o) for o in rest):
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
        destination_operand(decoder, rest.pop(0))
    put_address(decoder, rest[0], is_global=is_global)
    if increment:
        op = "ADD"
        decoder.put_words(lay.C, 1, 0)
    else:
        _data(decoder, rest[1])
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
    put_address(decoder, operands[1], is_global=True)
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
        condition_operand(decoder, lay.PS, operands[2])


@rule("QSPC")
def _query(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "E", "S", "L", "G")
    row = decoder.code[decoder.index]
    row[lay.OP], row[lay.M] = lay.SPACE_QUERY, {"S": 0, "L": 1, "G": 2}[mods[-1]]
    row[lay.PD] = decoder.predicate(operands[0])[0]
    destination_operand(decoder, operands[1])
    address = parse_address(operands[2])
    if address is None or address.register is None:
        raise UnsupportedError(f"address {operands[2]}")
    decoder.put_source(lay.A, "R", address.register)
