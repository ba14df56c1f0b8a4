"""Operands of SASS instructions as the decoder needs them: registers, constants, immediates, addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mutate.sass.operands import Operand, parse_operand

_SPLIT = re.compile(r",(?![^\[\]{}()]*[\]})])")
_ADDRESS = re.compile(r"^(?:desc\[(?P<desc>U?R\w+)\])?\[(?P<body>[^\]]*)\]$")
_PART = re.compile(r"^(?:(?P<reg>UR\w+|R\w+)(?P<suffix>(?:\.\w+)*)|(?P<hex>-?0x[0-9a-f]+))$")
_CONST = re.compile(r"^(?P<marks>[-~|!]*)c\[0x(?P<bank>[0-9a-f]+)\]\[(?P<body>[^\]]*)\]\|?(?P<suffix>(?:\.\w+)*)$")


@dataclass(frozen=True, slots=True)
class Address:
    """``[R2.64+UR4+0x10]``: ``register`` and ``uniform`` are numbers, or ``None`` when absent (RZ counts as absent).

    ``wide``: the register is a pair; ``zero_extended``: .U32; ``scale`` is a shift.
    """

    register: int | None = None
    uniform: int | None = None
    offset: int = 0
    wide: bool = False
    zero_extended: bool = False
    scale: int = 0


@dataclass(frozen=True, slots=True)
class Constant:
    """``c[bank][register+offset]`` with its sign marks."""

    bank: int
    offset: int
    register: str | None
    negative: bool
    inverted: bool
    absolute: bool
    suffix: str


@lru_cache(maxsize=8192)
def split(text: str) -> tuple[str, ...]:
    """The operands' texts; commas inside brackets do not separate."""
    return tuple(part.strip().replace(".reuse", "").replace("] [", "][") for part in _SPLIT.split(text)) if text else ()


@lru_cache(maxsize=4096)
def parse_address(text: str) -> Address | None:
    """A memory operand; ``None`` for what is none of the forms known."""
    match = _ADDRESS.match(text)
    if match is None:
        return None
    register = uniform = None
    offset = scale = 0
    wide = zero = False
    for part in match["body"].split("+"):
        found = _PART.match(part)
        if found is None:
            return None
        if found["hex"]:
            offset += int(found["hex"], 16)
            continue
        name, suffixes = found["reg"], found["suffix"].split(".")[1:]
        number = None if name.endswith("Z") else int(name.lstrip("UR"))
        if name.startswith("U"):
            uniform = number
            continue
        register = number
        for suffix in suffixes:
            if suffix == "64":
                wide = True
            elif suffix == "U32":
                zero = True
            elif suffix in ("X4", "X8", "X16"):
                scale = int(suffix[1:]).bit_length() - 1
            elif suffix != "S32":
                return None
    return Address(register, uniform, offset, wide, zero, scale)


@lru_cache(maxsize=4096)
def parse_constant(text: str) -> Constant | None:
    """An operand in a constant bank; ``None`` when it is none."""
    match = _CONST.match(text)
    if match is None:
        return None
    register, offset = None, 0
    for part in match["body"].split("+"):
        if re.fullmatch(r"-?0x[0-9a-f]+", part):
            offset += int(part, 16)
        elif part not in ("RZ", "URZ", ""):
            register = part
    marks = match["marks"]
    if register is None:  # nvdisasm prints the 16 bits signed; beside a register it may be one that is subtracted
        offset &= 0xFFFF
    return Constant(int(match["bank"], 16), offset, register, "-" in marks, "~" in marks or "!" in marks, "|" in marks,
                    match["suffix"])


def operand(text: str) -> Operand:
    """A register, predicate or immediate."""
    return parse_operand(text)
