"""Calls of mutated functions through constants: template arguments and ``constexpr`` pointers.

Where the functions that such a constant may be are plain ones, or a template's instances whose arguments are known, a
table (``km_Of``) leads each to its copy. Otherwise the declarations that the constant is made of are copied, too, with
the copies' names in place of the functions': ``choose<T>()`` becomes ``choose_km<T>()``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mutate.analysis.constants import function_named, made_of
from mutate.analysis.program import FunctionInfo, Program
from mutate.analysis.sites import Call
from mutate.analysis.symbols import type_name
from mutate.frontend.tree import Node
from mutate.frontend.units import File, Item
from mutate.source import Span

_WORD = re.compile(r"[A-Za-z_]\w*")
SINK_PARAMETER = "km_Sink &"


@dataclass(frozen=True)
class ItemCopy:
    """A declaration to be copied with other names. ``pointer`` is a type of pointers to functions that get the sink."""

    file: File
    item: Item
    names: tuple[tuple[str, str], ...]
    pointer: str = ""

    def text(self) -> str:
        expansion, node = self.file.expansion, self.item.node
        span = expansion.to_source(node.span)
        text = expansion.source[span.start : span.end].decode(errors="surrogateescape")
        at = self._parameters(span) if self.pointer in self.item.names else None
        if at is not None:
            rest = text[at:].lstrip()
            text = text[:at] + SINK_PARAMETER + ("" if rest.startswith(")") else ", ") + text[at:]
        text = renamed(text, dict(self.names))
        return text if text.rstrip().endswith((";", "}")) and self.item.kind == "function" else f"{text.rstrip(';')};"

    def _parameters(self, span: Span) -> int | None:
        """Where the parameters of the pointer's type begin, from the start of the text."""
        for n in self.item.node.walk():
            if n.type in ("function_declarator", "abstract_function_declarator"):
                parameters = n.get("parameters")
                if parameters is not None:
                    return self.file.expansion.to_source(Span(parameters.start, parameters.start + 1)).end - span.start
        return None


def renamed(text: str, names: Mapping[str, str]) -> str:
    return _WORD.sub(lambda m: names.get(m[0], m[0]), text)


class Pointers:
    """What is called in place of constants. ``names``: the copies of mutated functions; ``sink``: they get the sink."""

    def __init__(self, program: Program, names: Mapping[int, str], sink: bool) -> None:
        self.program = program
        self.names = names
        self.sink = sink
        self.features: set[str] = set()
        self._copies: dict[int, list[ItemCopy]] = {}
        self._known: dict[tuple[int, Node], str] = {}
        self._count = 0

    def copies(self, info: FunctionInfo) -> tuple[ItemCopy, ...]:
        """Declarations that have to stand before a mutated function."""
        return tuple(self._copies.get(id(info), ()))

    def callee(self, info: FunctionInfo, call: Call, shown: str) -> str:
        """The text that is called in place of a constant, ``shown`` in the text."""
        if self.program.dispatch(info, call) == "table":
            self.features.add("dispatch")
            if any(c.function.is_template for c in info.callees[call.node]):
                self.features.add("dispatch-rest")
            return f"km_Of<{shown}>::call"
        self.features.add("constant")
        return f"km_Constant<({self._expression(info, call)})>::value"

    def _expression(self, info: FunctionInfo, call: Call) -> str:
        var = info.scopes.var_of[call.value] if call.value is not None else None
        assert var is not None and var.init is not None and var.node is not None  # as Program.dispatch says
        functions = {c.function.name: self.names[id(c)] for c in info.callees[call.node] if id(c) in self.names}
        known = (id(info), var.init)
        if known in self._known:
            return self._known[known]
        declaration = next(a for a in var.node.ancestors() if a.type == "declaration")
        pointer = type_name(declaration.get("type")) if self.sink else ""
        names = dict(functions)
        suffix = f"_km{self._count or ''}"
        parts = made_of(self.program.unit, var.init).parts
        if any(pointer in item.names for _, item in parts):
            names[pointer] = pointer + suffix
        chosen: dict[int, tuple[File, Item]] = {}
        grew = True
        while grew:
            grew = False
            for file, item in parts:
                if id(item) not in chosen and not (item.mentions | item.names).isdisjoint(names):
                    chosen[id(item)] = (file, item)
                    for name in item.names:
                        names.setdefault(name, name + suffix)
                    grew = True
        final = tuple(sorted(names.items()))
        self._copies.setdefault(id(info), []).extend(
            ItemCopy(file, item, final, pointer) for file, item in parts if id(item) in chosen)
        self._count += 1
        text = " ".join(info.function.file.expansion.show(var.init.span).split())
        self._known[known] = renamed(text, names)
        return self._known[known]


def dispatch_table(program: Program, names: Mapping[int, str]) -> tuple[tuple[str, str], ...]:
    """Functions that a constant may be where a table finds their copies: each with the text of its mutated copy."""
    found: dict[str, str] = {}
    for info in program.all():
        for call in info.sites.calls:
            if program.dispatch(info, call) != "table":
                continue
            copies = {c.function.name: names[id(c)] for c in info.callees[call.node] if id(c) in names}
            found |= {c.function.qualified: names[id(c)] for c in info.callees[call.node]
                      if id(c) in names and not c.function.is_template}
            for argument in program.arguments_of(info, call):
                name, start, end = function_named(argument)
                if name in copies and "<" in argument:
                    found[argument] = argument[:start] + copies[name] + argument[end:]
    return tuple(sorted(found.items()))

