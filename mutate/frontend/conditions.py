"""Evaluates ``#if`` conditions: C integer expressions over macros, ``defined`` and ``__has_include``."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping

from mutate.frontend.macros import Macro, expand_text

_DEFINED = re.compile(rb"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_HAS = re.compile(rb"\b__has_(?:include|include_next|cpp_attribute|attribute|builtin|feature)\s*\([^)]*\)")
_IDENT = re.compile(rb"\b[A-Za-z_]\w*\b")
_NUMBER = re.compile(rb"\b(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*\b")



def _quotient(a: int, b: int) -> int:
    """C division: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: _quotient, ast.Mod: lambda a, b: a - b * _quotient(a, b),
    ast.LShift: lambda a, b: a << b if 0 <= b < 64 else 0, ast.RShift: lambda a, b: a >> b if 0 <= b < 64 else 0,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}
_COMPARE: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def _eval(node: ast.expr) -> int:
    """The value; what no preprocessor's type holds is cut off, so a product of products stays small."""
    value = _value(node)
    return value if abs(value) < 1 << 64 else value % (1 << 64)


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_eval(node.left), _eval(node.right))
    if isinstance(node, ast.UnaryOp):
        value = _eval(node.operand)
        return {ast.USub: -value, ast.UAdd: value, ast.Invert: ~value, ast.Not: int(not value)}[type(node.op)]
    if isinstance(node, ast.BoolOp):
        if isinstance(node.op, ast.And):
            return int(all(_eval(v) for v in node.values))
        return int(any(_eval(v) for v in node.values))
    if isinstance(node, ast.Compare):
        left, result = _eval(node.left), 0
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = _eval(right_node)
            result = int(_COMPARE[type(op)](left, right))
            left = result  # C: (a < b) < c
        return result
    if isinstance(node, ast.IfExp):
        return _eval(node.body) if _eval(node.test) else _eval(node.orelse)
    raise ValueError(ast.dump(node))


def _ternary(text: str) -> str:
    """``a ? b : c`` in Python's order; nested ones from the right."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "?" and depth == 0:
            nested = 0
            for j in range(i + 1, len(text)):
                nested += (text[j] == "?") - (text[j] == ":")
                if nested < 0:
                    return f"(({text[i + 1 : j]}) if ({text[:i]}) else ({_ternary(text[j + 1 :])}))"
    return text


def evaluate_condition(text: bytes, macros: Mapping[str, Macro]) -> bool | None:
    """Truth of an ``#if`` condition; unknown identifiers are 0, as in C. ``None`` when it cannot be evaluated."""
    text = _DEFINED.sub(lambda m: b"1" if (m.group(1) or m.group(2)).decode() in macros else b"0", text)
    text = _HAS.sub(b"0", text)
    try:
        text = expand_text(text, macros)
        text = _NUMBER.sub(lambda m: str(_c_int(m.group(1).replace(b"'", b"").decode())).encode(), text)
    except ValueError:  # a macro that grows without end; a number of thousands of digits
        return None
    text = _IDENT.sub(lambda m: b"1" if m.group() == b"true" else b"0", text)
    python = text.decode(errors="replace").replace("&&", " and ").replace("||", " or ")
    python = re.sub(r"!(?!=)", " not ", python)
    python = re.sub(r"(?<!/)/(?!/)", "//", python)
    try:
        # C gives ! the highest precedence, Python's not the lowest: bind it to the next operand.
        python = re.sub(r"not\s+(\d+|\([^()]*\))", r"(not \1)", _ternary(python.strip()))
        return bool(_eval(ast.parse(python.strip(), mode="eval").body))
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError, RecursionError, MemoryError, OverflowError):
        return None


def _c_int(text: str) -> int:
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    if text[:2] in ("0b", "0B"):
        return int(text, 2)
    octal = len(text) > 1 and text[0] == "0" and set(text) <= set("01234567")
    return int(text, 8 if octal else 10)
