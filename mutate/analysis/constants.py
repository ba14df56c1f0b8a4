"""Pointers to functions that are constants, and the declarations that such a constant is made of.

``constexpr f_t f = choose<T>();`` calls no function that the text names at the call: which one it is the compiler finds
out, through constant functions, types with constant members, aliases. All that these may name are candidates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mutate.analysis.symbols import Var
from mutate.frontend.tree import Node
from mutate.frontend.units import File, Item, Unit

_WORD = re.compile(r"[A-Za-z_]\w*")
_CONSTANT = frozenset({"constexpr", "consteval"})


@dataclass(frozen=True)
class Made:
    """``parts`` are the declarations that an expression is made of, each after those of the files it includes;

    ``functions`` the names of other device functions that it or a part mentions.
    """

    parts: tuple[tuple[File, Item], ...]
    functions: frozenset[str]


def is_constant(var: Var) -> bool:
    """A local variable that is declared ``constexpr`` and has a value."""
    if var.node is None or var.init is None:
        return False
    up = next((a for a in var.node.ancestors() if a.type == "declaration"), None)
    return up is not None and not _CONSTANT.isdisjoint(_WORD.findall(up.text.split("=")[0]))


def made_of(unit: Unit, expression: Node) -> Made:
    """What a constant expression is made of."""
    words = set(_WORD.findall(expression.text))
    files = [*unit.included, unit.main]
    parts: dict[int, tuple[File, Item]] = {}
    functions: set[str] = set()
    grew = True
    while grew:
        grew = False
        for file in files:
            for item in file.items:
                if id(item) in parts or item.names.isdisjoint(words):
                    continue
                head = _head_words(item)
                if item.kind == "function" and _CONSTANT.isdisjoint(head):
                    if "__device__" in head:
                        functions |= item.names
                    continue
                if item.kind == "type" or (item.kind in ("function", "variable") and head & (_CONSTANT | {"const"})):
                    parts[id(item)] = (file, item)
                    words |= item.mentions
                    grew = True
    order = [(file, item) for file in files for item in file.items if id(item) in parts]
    return Made(tuple(order), frozenset(functions))


def _head_words(item: Item) -> frozenset[str]:
    node = item.node
    body = next((n for n in node.walk() if n.type in ("compound_statement", "field_declaration_list")), None)
    end = body.start if body is not None else node.end
    return frozenset(_WORD.findall(node.text_source[node.start : end].decode(errors="replace")))


def split_arguments(text: str) -> list[str]:
    """The arguments of a template's argument list; none of a blank one."""
    out, depth, start = [], 0, 0
    for at, c in enumerate(text):
        if c in "<([{":
            depth += 1
        elif c in ">)]}":
            depth -= 1
        elif c == "," and depth == 0:
            out.append(text[start:at].strip())
            start = at + 1
    return [*out, text[start:].strip()] if text.strip() else []


_NAMED = re.compile(r"\s*&?\s*(?:::)?\s*(?:\w+\s*::\s*)*([A-Za-z_]\w*)")


def function_named(argument: str) -> tuple[str, int, int]:
    """Name of the function that a template argument ``f``, ``&f``, ``a::f<...>`` is, and where that name stands."""
    found = _NAMED.match(argument)
    return (found[1], found.start(1), found.end(1)) if found else ("", 0, 0)
