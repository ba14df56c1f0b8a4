"""How many elements an allocation has, in the terms of the host code."""

from __future__ import annotations

from mutate.frontend.tree import Node
from mutate.propose.draft import Draft
from mutate.propose.hostcode import Context, HostCode, UnknownError, bare
from mutate.propose.memory import Block
from mutate.propose.types import Types
from mutate.propose.values import Values
from mutate.propose.writes import PADDED


class Sizes:
    """Turns the bytes of an allocation into a number of elements for one draft."""

    def __init__(self, host: HostCode, draft: Draft, types: Types, values: Values) -> None:
        self.host = host
        self.draft = draft
        self.types = types
        self.values = values

    def count(self, block: Block, elem: str) -> str:
        """The number of elements of a block of memory; a factor ``sizeof`` of the element is taken out."""
        context = block.context
        if block.size is None:
            raise UnknownError("")
        if block.pitch is not None and block.rows is not None:
            return self._pitched(block, elem)
        if block.counts:
            text = self.values.text(block.size, context)
            own = self.types.spelled(block.declared.type, context.types) if block.declared is not None else elem
            if own not in (None, elem) and own != "auto" and self._size_of(own or "") not in (0, self._size_of(elem)):
                text = f"({text}) * sizeof({own}) / sizeof({elem})"
        else:
            node, context = self._product(block.size, context, elem)
            factors = _factors(node)
            rest = self._without_element(factors, elem, context)
            if rest is not None:
                text = " * ".join(self.values.atom(f, context) for f in rest) or "1"
                if len(rest) == 1:
                    text = self.values.text(rest[0], context)
            else:
                whole = self.values.atom(node, context)
                text = whole if self._size_of(elem) == 1 else f"{whole} / sizeof({elem})"
            if block.rows is not None:  # calloc
                text = f"{text} * {self.values.atom(block.rows, context)}"
        if text.startswith("(") and _factor_alone(text):
            text = text[1:-1]
        count = self.draft.integer(text)
        if count is None or count < 1:
            raise UnknownError(f"{text} elements" if count is not None else text)
        return text

    def _pitched(self, block: Block, elem: str) -> str:
        """cudaMallocPitch: rows padded to 512 bytes, as on every GPU that CUDA 13 supports."""
        assert block.size is not None and block.rows is not None and block.pitch is not None
        width = self.values.atom(block.size, block.context)
        name = self.draft.unused_name(block.pitch.text if block.pitch.type == "identifier" else "pitch")
        if not self.draft.add(f"size_t {name} = ({width} + 511) / 512 * 512;", name, PADDED):
            raise UnknownError("the pitch")
        declared = self.host.declaration(block.pitch.text, block.pitch) if block.pitch.type == "identifier" else None
        if declared is not None:
            self.values.bind(declared, block.context, name)
        return f"{name} * {self.values.atom(block.rows, block.context)} / sizeof({elem})"

    def _product(self, size: Node, context: Context, elem: str) -> tuple[Node, Context]:
        """A variable's own definition where that has the ``sizeof``: ``bytes = n * sizeof(float)`` is ``n`` floats."""
        inner = bare(size)
        for _ in range(4):
            if inner.type != "identifier":
                break
            declared = self.host.declaration(inner.text, inner)
            if declared is None:
                break
            if declared.kind == "parameter":
                argument = self.host.argument(context, declared.index)
                if argument is None or context.caller is None:
                    break
                inner, context = bare(argument), context.caller
                continue
            if declared.init is None or self.values.is_changed(declared, inner) \
                    or declared.init.type in ("argument_list", "initializer_list"):
                break
            init = bare(declared.init)
            at = self.host.context_at(declared.node, context)
            if init.type == "identifier" or self._without_element(_factors(init), elem, at) is not None:
                inner, context = init, at
                continue
            break
        return (inner, context) if "sizeof" in inner.text else (size, context)

    def _without_element(self, factors: list[Node], elem: str, context: Context) -> list[Node] | None:
        wanted = self._size_of(elem)
        for i, factor in enumerate(factors):
            if factor.type != "sizeof_expression":
                continue
            try:
                size = self.draft.integer(self.values.text(factor, context))
            except UnknownError:
                continue
            if size is not None and size == wanted:
                return factors[:i] + factors[i + 1 :]
        return None

    def _size_of(self, spelled: str) -> int:
        return self.draft.integer(f"sizeof({spelled})") or 0


def _factors(node: Node) -> list[Node]:
    """``a * b * sizeof(T)`` as its factors."""
    inner = node
    while inner.type == "parenthesized_expression" and len(inner.kids) == 1:
        inner = inner.kids[0]
    op = inner.get("operator")
    left, right = inner.get("left"), inner.get("right")
    if inner.type == "binary_expression" and op is not None and op.text == "*" and left is not None \
            and right is not None:
        return [*_factors(left), *_factors(right)]
    return [inner if inner.type == "sizeof_expression" else node]


def _factor_alone(text: str) -> bool:
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return index == len(text) - 1
    return False
