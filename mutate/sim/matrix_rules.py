"""Rules of decoding for tensor cores: HMMA, IMMA, BMMA, DMMA, and MOVM, LDSM, STSM, which move matrices for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutate.sim import coalesce
from mutate.sim import layout as lay
from mutate.sim.memory_rules import put_address
from mutate.sim.operand import operand as parse
from mutate.sim.row_rules import destination_operand, rule, source_operand
from mutate.sim.rules import UnsupportedError, only

if TYPE_CHECKING:
    from mutate.sim.decode import Decoder

# Bits of an element of A and B.
_BITS = {lay.E_HALF: 16, lay.E_BRAIN: 16, lay.E_TENSOR: 32, lay.E_DOUBLE: 32, lay.E_BYTES: 8, lay.E_NIBBLES: 4,
         lay.E_BITS: 1}
_SHAPE = re.compile(r"^(?:(8|16)x8x(\d+)|(8|16)8(\d+))$")
_ZEROS = 16
"""Registers that a matrix without registers stands for, at most."""


def _put(decoder: Decoder, column: int, text: str) -> None:
    """A matrix in registers, or one of zeros."""
    value = parse(re.sub(r"\.(?:ROW|COL)$", "", text))
    if value.kind != "R" or value.negative or value.absolute or value.inverted or value.suffix:
        raise UnsupportedError(f"operand {text}")
    if value.number < 0:
        decoder.put_words(column, *([0] * _ZEROS))
    else:
        decoder.put_source(column, "R", value.number)


def _product(decoder: Decoder, kind: int, mods: Sequence[str], operands: Sequence[str], how: int) -> None:
    """``mods``: the shape, the only one that is left."""
    row = decoder.code[decoder.index]
    shape = _SHAPE.match(mods[0]) if len(mods) == 1 else None
    if shape is None or len(operands) != 4:
        raise UnsupportedError(f"a product {'.'.join(mods)}")
    rows, depth = int(shape[1] or shape[3]), int(shape[2] or shape[4])
    # A double counts as one word: its registers do.
    words = depth * _BITS[kind] // 32
    if words % 4 or not 4 <= words <= 16 or (kind != lay.E_DOUBLE and words > 8):
        raise UnsupportedError(f"a product {mods[0]}")
    row[lay.OP] = lay.MATRIX_PRODUCT
    row[lay.M], row[lay.WIDTH], row[lay.Y], row[lay.X] = kind, words, rows, how
    destination_operand(decoder, operands[0])
    for column, text in zip((lay.A, lay.B, lay.C), operands[1:], strict=True):
        _put(decoder, column, text)


@rule("HMMA")
def _halves(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    shape, *types = mods
    if types not in (["F32"], ["F16"], ["F32", "BF16"], ["F32", "TF32"]):
        raise UnsupportedError(f"modifiers .{'.'.join(types)}")
    kind = {"BF16": lay.E_BRAIN, "TF32": lay.E_TENSOR}.get(types[-1], lay.E_HALF)
    _product(decoder, kind, (shape,), operands, lay.H_HALVES if types == ["F16"] else 0)


@rule("DMMA")
def _doubles(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    _product(decoder, lay.E_DOUBLE, mods, operands, 0)


@rule("IMMA")
def _integers(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    shape, *types = mods
    how = lay.H_SATURATE if types[-1:] == ["SAT"] else 0
    types = types[:2] if how else types
    if len(types) != 2 or {t[1:] for t in types} not in ({"8"}, {"4"}) or {t[0] for t in types} - {"S", "U"}:
        raise UnsupportedError(f"modifiers .{'.'.join(types)}")
    how |= lay.H_SIGNED_A * (types[0][0] == "S") + lay.H_SIGNED_B * (types[1][0] == "S")
    _product(decoder, lay.E_BYTES if types[0][1:] == "8" else lay.E_NIBBLES, (shape,), operands, how)


@rule("BMMA")
def _bits(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    shape, *types = mods
    if types not in (["AND", "POPC"], ["XOR", "POPC"]):
        raise UnsupportedError(f"modifiers .{'.'.join(types)}")
    _product(decoder, lay.E_BITS, (shape,), operands, lay.H_XOR * (types[0] == "XOR"))


@rule("MOVM")
def _turn(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    only(mods, "16", "MT88")
    if "MT88" not in mods:
        raise UnsupportedError(f"modifiers .{'.'.join(mods)}")
    decoder.code[decoder.index][lay.OP] = lay.MATRIX_TURN
    destination_operand(decoder, operands[0])
    source_operand(decoder, lay.A, operands[1])


def _matrices(decoder: Decoder, mods: tuple[str, ...], address: str) -> None:
    """How many matrices, whether they are turned, and where their rows are."""
    row = decoder.code[decoder.index]
    only(mods, "16", "M88", "MT88", "2", "4")
    row[lay.OP], row[lay.WIDTH], row[lay.SHARED_KIND] = lay.MATRIX_ACCESS, 16, coalesce.STORE
    row[lay.TABLE] = 4 if "4" in mods else 2 if "2" in mods else 1
    row[lay.Y] = "MT88" in mods
    put_address(decoder, address, is_global=False)


@rule("LDSM")
def _load(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    decoder.code[decoder.index][lay.ACTION] = lay.LOAD
    _matrices(decoder, mods, operands[1])
    destination_operand(decoder, operands[0])


@rule("STSM")
def _store(decoder: Decoder, mods: tuple[str, ...], operands: Sequence[str]) -> None:
    decoder.code[decoder.index][lay.ACTION] = lay.STORE
    _matrices(decoder, mods, operands[0])
    _put(decoder, lay.C, operands[1])
