"""The syntax tree: tree-sitter's nodes as light Python objects, with its silent misreadings mended.

tree-sitter-cuda has no types, so ``(T)(a)`` is read as a call of ``(T)`` and ``a * b;`` as a declaration.
What can be told from the text alone is mended here; everything later works on ``Node``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from mutate.source import Span


class Node:
    """One syntax node. ``kids`` are the named children and the operator tokens; ``fields`` name some of them."""

    __slots__ = ("end", "fields", "kids", "parent", "start", "text_source", "type")

    def __init__(self, type_: str, start: int, end: int, text_source: bytes) -> None:
        self.type = type_
        self.start = start
        self.end = end
        self.kids: list[Node] = []
        self.fields: dict[str, Node] = {}
        self.parent: Node | None = None
        self.text_source = text_source

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def text(self) -> str:
        return self.text_source[self.start : self.end].decode(errors="replace")

    def get(self, field: str) -> Node | None:
        return self.fields.get(field)

    def find(self, *types: str) -> Node | None:
        """First child of one of the types."""
        return next((k for k in self.kids if k.type in types), None)

    def walk(self) -> Iterator[Node]:
        """This node and everything below, in source order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.kids))

    def ancestors(self) -> Iterator[Node]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def __repr__(self) -> str:
        return f"<{self.type} {self.text[:40]!r}>"


@cache
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_cuda

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


# Tokens without a name that carry meaning.
_KEPT_TOKENS = frozenset({"__global__", "__device__", "__host__", "__forceinline__", "__noinline__", "else",
                          "volatile"})
MAX_DEPTH = 400


class TooDeepError(ValueError):
    """The text nests deeper than any real code; the tree is not built."""


def parse(text: bytes) -> Node:
    """The tree of a text. Unreadable parts are ``ERROR`` nodes; raises ``TooDeepError`` for absurd nesting."""
    tree = _parser().parse(text)
    cursor = tree.walk()

    def build(depth: int) -> Node:
        raw = cursor.node
        node = Node(raw.type if not raw.is_missing else "MISSING", raw.start_byte, raw.end_byte, text)
        if depth > MAX_DEPTH:
            raise TooDeepError
        if raw.child_count and cursor.goto_first_child():
            while True:
                child = cursor.node
                field = cursor.field_name
                wanted = child.is_named or field == "operator" or child.type in _KEPT_TOKENS or child.is_missing
                if wanted and child.type != "comment":
                    kid = build(depth + 1)
                    kid.parent = node
                    node.kids.append(kid)
                    if field and field not in node.fields:
                        node.fields[field] = kid
                if not cursor.goto_next_sibling():
                    break
            cursor.goto_parent()
        return node

    root = build(0)
    for node in list(root.walk()):
        _mend(node)
    return root


def _mend(node: Node) -> None:
    if node.type == "call_expression":
        function = node.get("function")
        # (T)(a) is read as a call of a parenthesised name: a cast, when what is in the parentheses can only be a type.
        if function is not None and function.type == "parenthesized_expression" and len(function.kids) == 1:
            inner = function.kids[0]
            args = node.get("arguments")
            if inner.type in ("identifier", "primitive_type") and args is not None and len(args.kids) == 1 \
                    and _typelike(inner.text):
                node.type = "cast_expression"
                value = args.kids[0]
                node.fields = {"type": inner, "value": value}
                node.kids = [inner, value]
                inner.type = "type_descriptor"
                inner.parent = value.parent = node


_VECTOR_TYPES = frozenset(
    f"{base}{n}" for base in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                              "ulonglong", "float", "double") for n in (1, 2, 3, 4))
_KNOWN_TYPES = _VECTOR_TYPES | {
    "half", "__half", "half2", "__half2", "nv_bfloat16", "__nv_bfloat16", "nv_bfloat162", "__nv_bfloat162", "uint",
    "ushort", "uchar", "ulong", "dim3", "size_t", "ptrdiff_t", "bool", "float", "double", "int", "char", "short",
    "long", "unsigned", "signed", "T", "real", "Real"}


def _typelike(name: str) -> bool:
    return name in _KNOWN_TYPES or name.endswith("_t") or name.endswith("_T")
