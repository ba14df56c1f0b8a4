"""``__constant__`` and ``__device__`` variables that the host sets, as ``extern`` lines of a declaration."""

from __future__ import annotations

import re

from mutate.frontend.tree import Node
from mutate.launch.types import Scalar, uniform_lanes
from mutate.propose.draft import Draft
from mutate.propose.hostcode import (
    Context,
    Declared,
    HostCode,
    UnknownError,
    arguments_of,
    bare,
    declared_in,
    plain_type,
)
from mutate.propose.types import Types
from mutate.propose.values import Values

_MARKS = ("__constant__", "__device__", "__managed__")
_COPIES = ("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync")


class Symbols:
    """Declares the symbols that a kernel reads and the host code sets."""

    def __init__(self, host: HostCode, draft: Draft, values: Values, types: Types, context: Context) -> None:
        self.host = host
        self.draft = draft
        self.values = values
        self.types = types
        self.context = context

    def declare(self, mentions: frozenset[str], follow: bool) -> None:
        """Adds an ``extern`` line for each of them; ``mentions`` are the names that the kernel's code has."""
        copies: dict[str, Node] = {}
        for name in _COPIES:
            for call in self.host.calls(name):
                arguments = arguments_of(call)
                if len(arguments) >= 3:
                    target = bare(arguments[0])
                    if target.type == "pointer_expression" and target.kids:
                        target = target.kids[-1]
                    copies.setdefault(target.text, call)
        for declared, text in self._of_file():
            if declared.name in mentions and declared.name in copies:
                self._declare(declared, text, arguments_of(copies[declared.name])[1], follow)

    def _of_file(self) -> list[tuple[Declared, str]]:
        out = []
        for file in self.host.unit.files():
            for item in file.items:
                node = item.node
                if item.kind == "variable" and node.type == "declaration" and any(m in node.text for m in _MARKS):
                    out += [(d, node.text) for d in declared_in(node, "file")]
        return out

    def _declare(self, declared: Declared, text: str, source: Node, follow: bool) -> None:
        if declared.pointers:
            return
        spelled = self.types.spelled(declared.type, {})
        if spelled is None:
            return
        try:
            dims = "".join(f"[{self.values.text(d, self.context)}]" for d in declared.dims)
        except UnknownError:
            return
        head = f"extern {spelled} {declared.name}{dims}"
        if follow:
            value = self._source_text(declared, source)
            if value is not None and self.draft.add(f"{head} = {value};", declared.name):
                return
        kind = self.types.draft.value(f"({spelled})0")
        scalar = kind.type if kind is not None and isinstance(kind.type, Scalar) else None
        lanes = uniform_lanes(scalar) if scalar is not None else None
        init = "zeros()"
        if lanes is not None:
            init = ("randint(0, 100)" if scalar is not None and scalar.size > 1 else "randint(0, 2)") \
                if lanes[0].is_integer else "uniform(0, 1)"
        if not declared.dims:
            init = "1" if scalar is not None else "{ 0 }"
        why = "the host code copies it to the symbol, but what is in it was not found"
        if self.draft.evaluates(f"{head} = {init};"):
            self.draft.guess(f"{head} = {init};", declared.name, init, why)

    def _source_text(self, declared: Declared, source: Node) -> str | None:
        """The value of the host variable that is copied: its list, or its scalar value."""
        inner = bare(source)
        pointed = False
        if inner.type == "pointer_expression" and inner.text.startswith("&"):
            inner, pointed = bare(inner.kids[-1]), True
        if inner.type != "identifier":
            return None
        found = self.host.declaration(inner.text, inner)
        if found is None:
            return None
        outer = self.host.context_at(source, self.context)
        try:
            if found.dims:
                assigned = rf"\b{re.escape(found.name)}\s*\[[^\]]*\]\s*[-+*/]?=\s*[^={{\s]"
                if found.init is None or found.init.type != "initializer_list" \
                        or re.search(assigned, self._body(source)):
                    return None
                return self.values.text(found.init, outer)
            if pointed and not declared.dims and plain_type(found.type):
                return self.values.text(inner, outer)
        except UnknownError:
            return None
        return None

    def _body(self, node: Node) -> str:
        function = self.host.function_of(node)
        return function.body.text if function is not None else ""
