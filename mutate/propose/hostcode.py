"""The host code of a unit: its functions, who calls them, what a name means at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from mutate.analysis.calls import name_in
from mutate.frontend.tree import Node
from mutate.frontend.units import File, Function, Unit, declarator_name
from mutate.source import Lines

MOST_CALLERS = 6
"""How many calls are followed upwards from a launch."""


class UnknownError(Exception):
    """The host code does not say it; the message says what was met instead."""


@dataclass(eq=False)
class Context:
    """A function as one call reaches it. ``call`` is that call, made in ``caller``; ``None`` where nobody is known.

    ``types`` are its template parameters' types as C spells them. ``inlined``: a helper whose value is wanted.
    """

    function: Function | None
    call: Node | None = None
    caller: Context | None = None
    types: dict[str, str] = field(default_factory=dict)
    inlined: bool = False

    @property
    def depth(self) -> int:
        return 0 if self.caller is None else self.caller.depth + 1

    def chain(self) -> Iterator[Context]:
        at: Context | None = self
        while at is not None:
            yield at
            at = at.caller


@dataclass(frozen=True, eq=False)
class Declared:
    """A declared name. ``kind``: ``local``, ``parameter`` or ``file``. ``type`` as written, without pointers."""

    name: str
    kind: str
    type: str
    pointers: int
    dims: tuple[Node, ...]
    init: Node | None
    node: Node
    index: int = -1
    """Number of a parameter."""

    @property
    def is_array(self) -> bool:
        return bool(self.dims)


def call_name(call: Node) -> str:
    """The plain name of what a call calls: ``f`` of ``ns::f<int>(x)`` and of ``p->f(x)``; "" for anything else."""
    name = name_in(call.get("function"))
    return name.text if name is not None and name.type in ("identifier", "field_identifier") else ""


def arguments_of(call: Node) -> list[Node]:
    arguments = call.get("arguments")
    return list(arguments.kids) if arguments is not None else []


def bare(node: Node) -> Node:
    """An expression without the parentheses and pointer casts around it."""
    while True:
        if node.type == "parenthesized_expression" and len(node.kids) == 1:
            node = node.kids[0]
        elif node.type == "cast_expression" and (value := node.get("value")) is not None:
            node = value
        elif node.type == "call_expression" and call_name(node) in ("reinterpret_cast", "static_cast", "const_cast") \
                and len(arguments_of(node)) == 1:
            node = arguments_of(node)[0]
        else:
            return node


def declared_in(node: Node, kind: str) -> Iterator[Declared]:
    """The variables that a declaration declares."""
    type_node = node.get("type")
    if type_node is None:
        return
    for kid in node.kids:
        if kid is type_node or not (kid.type.endswith("declarator") or kid.type == "identifier"):
            continue
        made = _declarator(kid, type_node.text, kind, node)
        if made is not None:
            yield made


def _declarator(kid: Node, type_text: str, kind: str, node: Node, index: int = -1) -> Declared | None:
    init = kid.get("value") if kid.type == "init_declarator" else None
    at: Node | None = kid.get("declarator") if kid.type == "init_declarator" else kid
    pointers, dims = 0, []
    while at is not None and at.type != "identifier":
        if at.type == "function_declarator":
            return None
        if at.type == "pointer_declarator":
            pointers += 1
        if at.type == "array_declarator":
            size = at.get("size")
            dims.append(size if size is not None else at)
        at = at.get("declarator") or next((k for k in at.kids if k.type.endswith("declarator")
                                           or k.type == "identifier"), None)
    if at is None:
        return None
    return Declared(at.text, kind, type_text, pointers, tuple(reversed(dims)), init, node, index)


class HostCode:
    """An index of a unit, for looking up what a launch mentions."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._files = {id(f.expansion.text): f for f in unit.files()}
        self._functions = {id(f.node): f for file in unit.files() for f in file.functions}
        self._scopes: dict[int, dict[str, Declared]] = {}
        self._parameters: dict[tuple[int, str], Declared | None] = {}

    def file_of(self, node: Node) -> File:
        return self._files.get(id(node.text_source), self.unit.main)

    def line_of(self, node: Node) -> int:
        """1-based line of the user's file that a node stands in."""
        expansion = self.file_of(node).expansion
        return Lines(expansion.source).place(expansion.to_source(node.span).start)[1]

    def function_of(self, node: Node) -> Function | None:
        for up in node.ancestors():
            if id(up) in self._functions:
                return self._functions[id(up)]
        return None

    def functions(self, name: str) -> list[Function]:
        return self._by_name.get(name, [])

    @cached_property
    def _by_name(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self._functions.values():
            found.setdefault(function.name, []).append(function)
        return found

    @cached_property
    def _nodes(self) -> dict[str, list[Node]]:
        """Calls, launches, assignments and constructor initialisers of all files, in order."""
        found: dict[str, list[Node]] = {}
        for file in self.unit.files():
            for node in file.root.walk():
                if node.type in ("call_expression", "assignment_expression", "new_expression", "update_expression",
                                 "field_initializer"):
                    found.setdefault(node.type, []).append(node)
        return found

    def nodes(self, kind: str) -> list[Node]:
        return self._nodes.get(kind, [])

    @cached_property
    def _calls(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for node in self.nodes("call_expression"):
            if (name := call_name(node)) and node.find("kernel_call_syntax") is None:
                found.setdefault(name, []).append(node)
        return found

    def calls(self, name: str) -> list[Node]:
        return self._calls.get(name, [])

    # --- names ---

    def declaration(self, name: str, at: Node) -> Declared | None:
        """What declares a name at a place: the innermost declaration before it, a parameter, a variable of a file."""
        child = at
        for up in at.ancestors():
            if up.type in ("compound_statement", "case_statement"):
                for kid in reversed(up.kids):
                    if kid.start < child.start and kid.type == "declaration":
                        found = self._names_of(kid).get(name)
                        if found is not None:
                            return found
            elif up.type == "declaration":
                # `int n = 4, m = 2 * n;`
                found = self._names_of(up).get(name)
                if found is not None and found.node is up and self._starts(up, name) < child.start:
                    return found
            elif up.type in ("for_statement", "for_range_loop", "if_statement"):
                init = up.get("initializer") or up.get("declarator")
                if init is not None and init.type == "declaration" and init.start <= child.start:
                    found = self._names_of(init).get(name)
                    if found is not None:
                        return found
            elif id(up) in self._functions:
                return self.parameter(self._functions[id(up)], name) or self._of_files.get(name)
            child = up
        return self._of_files.get(name)

    def _names_of(self, node: Node) -> dict[str, Declared]:
        found = self._scopes.get(id(node))
        if found is None:
            found = self._scopes[id(node)] = {d.name: d for d in declared_in(node, "local")}
        return found

    @staticmethod
    def _starts(declaration: Node, name: str) -> int:
        return next((k.start for k in declaration.kids if k is not declaration.get("type")
                     and declared_name(k) == name), declaration.end)

    def parameter(self, function: Function, name: str) -> Declared | None:
        key = (id(function.node), name)
        if key not in self._parameters:
            self._parameters[key] = self._parameter(function, name)
        return self._parameters[key]

    @staticmethod
    def _parameter(function: Function, name: str) -> Declared | None:
        for index, param in enumerate(function.params):
            if param.name == name:
                type_node, declarator = param.node.get("type"), param.node.get("declarator")
                made = _declarator(declarator, type_node.text, "parameter", param.node, index) \
                    if type_node is not None and declarator is not None else None
                if made is not None and (default := param.node.get("default_value")) is not None:
                    made = Declared(made.name, made.kind, made.type, made.pointers, made.dims, default, made.node,
                                    index)
                return made
        return None

    @cached_property
    def _of_files(self) -> dict[str, Declared]:
        found: dict[str, Declared] = {}
        for file in self.unit.files():
            for item in file.items:
                node = item.node
                if node.type == "linkage_specification":
                    node = node.get("body") or node
                if item.kind == "variable" and node.type == "declaration":
                    for made in declared_in(node, "file"):
                        if made.init is not None or made.name not in found:
                            found[made.name] = made
        return found

    @cached_property
    def enumerators(self) -> dict[str, int | Node]:
        """Values of enumerators: numbers, or the expressions that give them."""
        found: dict[str, int | Node] = {}
        for file in self.unit.files():
            for node in file.root.walk():
                if node.type != "enumerator_list":
                    continue
                following: int | None = 0
                for item in node.kids:
                    name, value = item.get("name"), item.get("value")
                    if value is not None:
                        following = int(value.text, 0) if re.fullmatch(r"-?(0x[\da-fA-F]+|\d+)", value.text) else None
                    if name is None:
                        continue
                    if following is not None:
                        found.setdefault(name.text, following)
                        following += 1
                    elif value is not None:
                        found.setdefault(name.text, value)
        return found

    # --- callers ---

    def context(self, function: Function | None, callers: int = MOST_CALLERS, choice: int = 0) -> Context:
        """A function as its call number ``choice`` in the unit reaches it; its caller likewise, if there is one."""
        if function is None or callers == 0:
            return Context(function)
        sites = self.call_sites(function)
        if not sites:
            return Context(function)
        call = sites[min(choice, len(sites) - 1)]
        return Context(function, call, self.context(self.function_of(call), callers - 1))

    def call_sites(self, function: Function) -> list[Node]:
        """Calls of a function that may pass its parameters, those out of itself left out."""
        needed = len(function.params) - sum(p.node.get("default_value") is not None for p in function.params)
        return [c for c in self.calls(function.name)
                if self.function_of(c) is not function and needed <= len(arguments_of(c)) <= len(function.params)]

    def context_at(self, node: Node, near: Context) -> Context:
        """The context of the function that a node stands in: that of ``near``'s chain, or one of its own."""
        function = self.function_of(node)
        for context in near.chain():
            if context.function is function and not context.inlined:
                return context
        return self.context(function)

    def argument(self, context: Context, index: int) -> Node | None:
        """What the call of a context passes for a parameter."""
        if context.call is None:
            return None
        arguments = arguments_of(context.call)
        return arguments[index] if 0 <= index < len(arguments) else None


def plain_type(text: str) -> str:
    """A type's name without qualifiers, references and ``std::``."""
    text = re.sub(r"\b(?:const|volatile|static|constexpr|inline|typename|struct|enum|class|__restrict__|__restrict|"
                  r"restrict|register|extern)\b|&", " ", text)
    return " ".join(re.sub(r"(?<![\w>])(?:std)?::(?=\w)", "", " ".join(text.split())).split())


def root_name(node: Node) -> Node | None:
    """The identifier at the bottom of ``a``, ``a.b``, ``a->b[c]``."""
    at: Node | None = bare(node)
    while at is not None and at.type in ("field_expression", "subscript_expression", "pointer_expression"):
        inner = at.get("argument")
        at = bare(inner) if inner is not None else None
    return at if at is not None and at.type == "identifier" else None


def declared_name(node: Node) -> str:
    found = declarator_name(node)
    return found.text if found is not None else ""
