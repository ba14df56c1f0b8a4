"""C constants: their values and types (C11 6.4.4 on LP64)."""

from __future__ import annotations

import math
import re

from mutate.launch.arith import FaultError, round_to
from mutate.launch.model import Value
from mutate.launch.types import CHAR, DOUBLE, FLOAT, INT, LLONG, LONG, UINT, ULLONG, ULONG, Scalar

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uU]?(?:ll|LL|l|L)?|(?:ll|LL|l|L)[uU])\Z")
_FLOAT = re.compile(r"((?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+"
                    r"|0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+)([fFlL]?)\Z")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}
_MAX_DIGITS = 100

_PLAIN = (INT, UINT, LONG, ULONG)
_LONG = (LONG, ULONG)
_LONG_LONG = (LLONG, ULLONG)


def number(text: str) -> Value:
    """The value of an integer or floating constant. Raises ``FaultError`` for what is none or does not fit 64 bits."""
    integer = _INTEGER.match(text)
    if integer is not None:
        return _integer(integer[1], integer[2].lower())
    real = _FLOAT.match(text)
    if real is None:
        raise FaultError("launch-syntax", f"{text!r} is no number")
    digits = real[1]
    try:
        value = float.fromhex(digits) if digits[:2].lower() == "0x" else float(digits)
    except (OverflowError, ValueError):
        value = math.inf
    if math.isinf(value):
        raise FaultError("launch-overflow", f"{text} is too large for double")
    kind = FLOAT if real[2].lower() == "f" else DOUBLE
    return Value(kind, round_to(kind, value))


def _integer(digits: str, suffix: str) -> Value:
    if len(digits) > _MAX_DIGITS:
        raise FaultError("launch-overflow", "the integer does not fit 64 bits")
    decimal = digits[0] != "0" or digits == "0"
    prefix = digits[:2].lower()
    value = int(digits) if decimal else int(digits, {"0x": 16, "0b": 2}.get(prefix, 8))
    candidates: tuple[Scalar, ...] = _PLAIN
    if "ll" in suffix:
        candidates = _LONG_LONG
    elif "l" in suffix:
        candidates = _LONG
    for kind in candidates:
        unsigned = kind in (UINT, ULONG, ULLONG)
        # A decimal constant without u is never unsigned; one with u always is.
        if (unsigned and decimal and "u" not in suffix) or (not unsigned and "u" in suffix):
            continue
        if value <= kind.range[1]:
            return Value(kind, value)
    raise FaultError("launch-overflow", f"{digits} does not fit 64 bits")


def character(text: str) -> Value:
    """The value of a character constant such as ``'a'``, ``'\\n'`` or ``'\\x41'``."""
    body = text[1:-1]
    code = None
    if len(body) == 1 and body != "\\":
        code = ord(body)
    elif body[:1] == "\\" and len(body) == 2:
        code = _ESCAPES.get(body[1])
    elif re.fullmatch(r"\\x[0-9a-fA-F]{1,2}", body):
        code = int(body[2:], 16)
    elif re.fullmatch(r"\\[0-7]{1,3}", body):
        code = int(body[1:], 8)
    if code is None:
        raise FaultError("launch-syntax", f"{text} is no character constant")
    return Value(INT, round_to(CHAR, code))
