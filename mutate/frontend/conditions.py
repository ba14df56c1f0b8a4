"""Evaluates ``#if`` conditions: C integer expressions over macros, ``defined`` and ``__has_include``."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from mutate.frontend.macros import Macro, expand_text

_DEFINED = re.compile(rb"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_HAS = re.compile(rb"\b__has_(?:include|include_next|cpp_attribute|attribute|builtin|feature)\s*\([^)]*\)")
_IDENT = re.compile(rb"\b[A-Za-z_]\w*\b")
_NUMBER = re.compile(rb"\b(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*\b")

_BINARY = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: int(a / b) if b else 0, ast.Mod: lambda a, b: a - b * int(a / b) if b else 0,
    ast.LShift: lambda a, b: a << min(b, 63) if b >= 0 else 0, ast.RShift: lambda a, b: a >> min(b, 63) if b >= 0 else 0,
    ast.BitAnd: lambda a, b: a & b, ast.BitOr: lambda a, b: a | b, ast.BitXor: lambda a, b: a ^ b,
}
_COMPARE = {
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b,
}


def _eval(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return int(_BINARY[type(node.op)](_eval(node.left), _eval(node.right)))
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
    except ValueError:
        return None
    text = _NUMBER.sub(lambda m: str(_c_int(m.group(1).replace(b"'", b"").decode())).encode(), text)
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
    return int(text, 8) if len(text) > 1 and text[0] == "0" and text.isdigit() and set(text) <= set("01234567") else int(text)
