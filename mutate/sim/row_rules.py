"""Rules that fill an instruction's row themselves: where they are kept, and the operands they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mutate.sim import layout as lay
from mutate.sim.operand import operand as parse
from mutate.sim.operand import parse_constant
from mutate.sim.rules import UnsupportedError

if TYPE_CHECKING:
    from mutate.sim.decode import Decoder

Emit = Callable[["Decoder", tuple[str, ...], Sequence[str]], None]

CONTROL: dict[str, Emit] = {}
"""Opcode without modifiers -> what fills its row."""


def rule(*names: str) -> Callable[[Emit], Emit]:
    def add(emit: Emit) -> Emit:
        for name in names:
            CONTROL[name] = emit
        return emit

    return add


def source_operand(decoder: Decoder, column: int, text: str) -> None:
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


def condition_operand(decoder: Decoder, column: int, text: str) -> None:
    decoder.code[decoder.index][column], decoder.code[decoder.index][column + 1] = decoder.predicate(text)


def is_predicate(text: str) -> bool:
    return parse(text).kind in ("P", "UP")


def destination_operand(decoder: Decoder, text: str) -> None:
    value = parse(text)
    if value.kind not in ("R", "UR"):
        raise UnsupportedError(f"destination {text}")
    decoder.put_destination(value.kind, value.number)
