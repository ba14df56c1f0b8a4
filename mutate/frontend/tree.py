"""The syntax tree: tree-sitter's nodes as light Python objects, with its silent misreadings mended.

tree-sitter-cuda has no types, so ``(T)(a)`` is read as a call of ``(T)`` and ``a * b;`` as a declaration.
What can be told from the text alone is mended here; everything later works on ``Node``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from mutate import limits
from mutate.frontend.pragmas import without_inner_pragmas
from mutate.source import Span, without_lambda_spaces


class Node:
    """One syntax node. ``kids`` are the named children and the operator tokens; ``fields`` name some of them."""

    __slots__ = ("_all", "_at", "_beyond", "end", "fields", "kids", "parent", "start", "text_source", "type")

    def __init__(self, type_: str, start: int, end: int, text_source: bytes) -> None:
        self.type = type_
        self.start = start
        self.end = end
        self.kids: list[Node] = []
        self.fields: dict[str, Node] = {}
        self.parent: Node | None = None
        self.text_source = text_source
        # Of a tree that is done: all its nodes in source order, and where this one's are.
        self._all: list[Node] = []
        self._at = self._beyond = 0

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
        return iter(self._all[self._at : self._beyond]) if self._all else self._walk()

    def _walk(self) -> Iterator[Node]:
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.kids))

    def done(self) -> None:
        """The tree below does not change any more: walking it is faster from now on."""
        self._all = nodes = list(self._walk())
        for at, node in enumerate(nodes):
            node._all, node._at = nodes, at
        # Whatever stands behind a node's last child is outside it; children come later, so they are known first.
        for node in reversed(nodes):
            node._beyond = node.kids[-1]._beyond if node.kids else node._at + 1

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
_MOST_READINGS = 4


_LARGE = 1 << 16
"""Bytes up to which the parser cannot take long, whatever it is given."""


class TooSlowError(ValueError):
    """The parser does not get to the end: it looks for a reading of what is no program."""


class TooDeepError(ValueError):
    """The text nests deeper than any real code; the tree is not built."""


def parse(text: bytes) -> Node:
    """The tree of a text. Unreadable parts are ``ERROR`` nodes.

    Raises ``TooDeepError`` for absurd nesting and ``TooSlowError`` after ``limits.READING`` seconds.
    """
    readable = _plain_casts(without_inner_pragmas(without_lambda_spaces(text)))
    root = _build(readable, text)
    other = bytearray(readable)
    for _ in range(_MOST_READINGS):
        nodes = list(root.walk())
        comparisons, arguments, casts = _false_template_brackets(nodes), _false_comparisons(nodes), _false_casts(nodes)
        if not comparisons and not arguments and not casts:
            break
        # Read again with another operator in place of the `>`, without the template's arguments, or with a number in
        # place of the variable; the nodes still show the user's text.
        for span in casts:
            other[span.start : span.end] = b"0" * (span.end - span.start)
        for at in comparisons:
            other[at] = 0x2F
        for span in arguments:
            other[span.start : span.end] = b" " * (span.end - span.start)
        root = _build(bytes(other), text)
        for node in root.walk():
            if node.type == "number_literal" and _last_name(node):
                node.type = "identifier"
    for node in list(root.walk()):
        _mend(node)
    root.done()
    return root


# `= (T (*)[5])p`: as a cast this is read for the types of C only.
_ROWS = re.compile(rb"(?<==)(\s*\(\s*(?:const\s+)?[A-Za-z_]\w*\s*)\(\s*\*\s*\)((?:\s*\[[^][()]*\])+)(\s*\))")


def _plain_casts(text: bytes) -> bytes:
    """A text of the same length in which values of new variables are cast to pointers, and not to pointers to arrays.

    The type of such a variable is that of its declaration.
    """
    return _ROWS.sub(lambda m: (m[1] + b"*").ljust(m.end(2) - m.start()) + m[3], text)


def _false_template_brackets(nodes: Sequence[Node]) -> list[int]:
    """Offsets of the ``>`` in ``a < (b) && c > (d)`` that were taken for template brackets: ``a`` is a variable."""
    suspects = [n for n in nodes if n.type == "template_function" and n.parent is not None
                and n.parent.type == "call_expression"]
    if not suspects:
        return []
    variables, templates = _variables(nodes)
    found: list[int] = []
    for node in suspects:
        name, arguments = node.get("name"), node.get("arguments")
        if name is not None and arguments is not None and name.text in variables and name.text not in templates:
            found.append(arguments.end - 1)
    return found


def _false_casts(nodes: Sequence[Node]) -> list[Span]:
    """What stands for ``a`` in ``(a) + b``, or in ``(a[i]) + b``, that was taken for a cast of ``+b``: a variable.

    An array is no type that anything can be cast to.
    """
    arrays = [t.kids[0].span for n in nodes if n.type == "cast_expression" and (t := n.get("type")) is not None
              and (d := t.get("declarator")) is not None and d.type == "abstract_array_declarator"
              and t.kids[0].type == "type_identifier"]
    suspects = [n for n in nodes if n.type == "cast_expression" and (type_ := n.get("type")) is not None
                and (value := n.get("value")) is not None and value.type in ("unary_expression", "pointer_expression")
                and (last := _last_name(type_)) and not _typelike(last)]
    if not suspects:
        return arrays
    variables, functions = _variables(nodes)
    types = {name.text for n in nodes if n.type in _NAMING_TYPES
             and (name := n.get("name") or n.get("declarator") or (n.kids[-1] if n.kids else None)) is not None}
    return arrays + [n.fields["type"].span for n in suspects
                     if _last_name(n.fields["type"]) in variables - types - functions]


def _last_name(type_: Node) -> str:
    """``b`` of ``b`` and of ``a::b``; empty for what is more than a name."""
    parts = [part.strip() for part in type_.text.split("::")]
    return parts[-1] if all(part.isidentifier() for part in parts) else ""


_NAMING_TYPES = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier",
                           "type_definition", "alias_declaration", "type_parameter_declaration",
                           "optional_type_parameter_declaration"})


def _variables(nodes: Sequence[Node]) -> tuple[set[str], set[str]]:
    """Names that are declared as variables, and as functions."""
    functions: set[str] = set()
    variables: set[str] = set()
    for node in nodes:
        if node.type in ("init_declarator", "parameter_declaration", "declaration", "array_declarator"):
            variables.update(k.text for k in node.kids if k.type == "identifier" and node.type == "declaration")
            name = node.get("declarator")
            while name is not None and name.type.endswith("declarator") and name.type != "function_declarator":
                name = name.get("declarator") or name.find("identifier")
            if name is not None and name.type == "identifier":
                variables.add(name.text)
        elif node.type == "function_declarator" and (name := node.get("declarator")) is not None:
            functions.add(name.text)
    return variables, functions


def _false_comparisons(nodes: Sequence[Node]) -> list[Span]:
    """Template arguments of ``T<32> x = ...;`` that were read as a comparison, ``(T < 32) > x``; nobody writes that."""
    found: list[Span] = []
    for node in nodes:
        if node.type != "expression_statement" or not node.kids:
            continue
        outer: Node | None = node.kids[0]
        if outer is not None and outer.type == "assignment_expression":
            outer = outer.get("left")
        inner = outer.get("left") if outer is not None and outer.type == "binary_expression" else None
        if outer is None or inner is None or inner.type != "binary_expression":
            continue
        open_, close, name = inner.get("operator"), outer.get("operator"), inner.get("left")
        if open_ is not None and close is not None and open_.text == "<" and close.text == ">" \
                and name is not None and name.type in ("identifier", "qualified_identifier"):
            found.append(Span(open_.start, close.end))
    return found


def _build(text: bytes, shown: bytes, shift: int = 0) -> Node:
    """The tree of ``text``; its nodes show ``shown``, in which they stand ``shift`` bytes further on."""
    tree = _syntax_tree(text)
    cursor = tree.walk()

    def build(depth: int) -> Node:
        raw = cursor.node
        node = Node(raw.type if not raw.is_missing else "MISSING", raw.start_byte + shift, raw.end_byte + shift, shown)
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

    return build(0)


def _syntax_tree(text: bytes) -> Any:
    parser = _parser()
    if len(text) < _LARGE:
        return parser.parse(text)
    # The parser is no Python: a timer's signal waits until it is done, so it has to be asked.
    end = time.process_time() + limits.READING
    try:
        return parser.parse(lambda at, _: text[at : at + _LARGE],
                            progress_callback=lambda *_: time.process_time() > end)
    except ValueError:
        parser.reset()
        raise TooSlowError from None


def _mend(node: Node) -> None:
    if node.type == "parenthesized_expression":
        _mend_sequence(node)
    elif node.type == "call_expression":
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
    elif node.type == "expression_statement":
        _mend_pointer_to_array(node)
    elif node.type == "declaration" and node.parent is not None and node.parent.type in (
            "compound_statement", "for_statement", "case_statement", "if_statement"):
        for kid in list(node.kids):
            _mend_initialiser(node, kid)


def _mend_sequence(node: Node) -> None:
    """``(a = b, c)`` is not read: assignments in a row of expressions are, where the row is a statement."""
    if "," not in node.text or all(n.type != "ERROR" for n in node.walk()):
        return
    head = b"void f(){"
    snippet = head + node.text_source[node.start + 1 : node.end - 1] + b";}"
    tree = _build(snippet, node.text_source, node.start + 1 - len(head))
    row = next((n for n in tree.walk() if n.type == "comma_expression"), None)
    if row is None or row.parent is None or row.parent.type != "expression_statement" or \
            row.parent.end != node.end or any(n.type in ("ERROR", "MISSING") for n in tree.walk()):
        return
    node.kids, node.fields, row.parent = [row], {}, node
    for inner in list(row.walk()):
        _mend(inner)


_CAST_TO_ROWS = re.compile(r"\(\s*(?:const\s+)?\w+\s*\(\s*\*\s*\)|reinterpret_cast\s*<[^<>]*\(\s*\*\s*\)")


def _mend_pointer_to_array(statement: Node) -> None:
    """``double (*rows)[5] = x;`` is read as an assignment to an element of what ``double`` returns: a declaration.

    So are ``double (&row)[5] = x;`` and ``double (*p) = x;``.
    """
    outer = statement.kids[0] if len(statement.kids) == 1 else None
    value = outer.get("right") if outer is not None and outer.type == "assignment_expression" else None
    place = outer if value is None or outer is None else outer.get("left")
    row: list[Node] = []
    while place is not None and place.type == "subscript_expression":
        row.append(place)
        place = place.get("argument")
    type_, given = (place.get("function"), place.get("arguments")) if place is not None else (None, None)
    pointer = given.kids[0] if given is not None and len(given.kids) == 1 else None
    name = pointer.get("argument") if pointer is not None and pointer.type == "pointer_expression" else None
    if type_ is None or given is None or pointer is None or name is None or name.type != "identifier" \
            or pointer.text[0] not in "*&":
        return
    cast = value is not None and (_CAST_TO_ROWS.match(value.text) is not None)
    if type_.type != "primitive_type" and not (type_.type == "identifier" and (
            _typelike(type_.text) or (row and pointer.text[0] == "*" and (value is None or cast)))):
        return
    if type_.type == "identifier":
        type_.type = "type_identifier"
    if pointer.text[0] == "*":
        pointer.type = "pointer_declarator"
        _become(pointer, {"declarator": name})
    else:
        pointer.type = "reference_declarator"
        _become(pointer, {}, [name])
    given.type = "parenthesized_declarator"
    _become(given, {}, [pointer])
    inner = given
    for node in reversed(row):
        sizes = node.get("indices")
        node.type = "array_declarator"
        node.start = given.start
        _become(node, {"declarator": inner, **({"size": sizes.kids[0]} if sizes is not None and sizes.kids else {})})
        inner = node
    if value is not None and outer is not None:
        outer.type = "init_declarator"
        outer.start = given.start
        _become(outer, {"declarator": inner, "value": value})
        inner = outer
    statement.type = "declaration"
    _become(statement, {"type": type_, "declarator": inner})


def _become(node: Node, fields: dict[str, Node], kids: list[Node] | None = None) -> None:
    """Gives a node other parts."""
    node.fields, node.kids = fields, kids if kids is not None else list(fields.values())
    for kid in node.kids:
        kid.parent = node


def _mend_initialiser(declaration: Node, outer: Node) -> None:
    """``T x(a);`` in a body is read as the declaration of a function: a variable, when ``a`` can be an expression.

    ``outer`` is the declarator; it becomes an ``init_declarator`` with the arguments as its value.
    """
    inner: Node | None = outer
    while inner is not None and inner.type in ("pointer_declarator", "reference_declarator"):
        inner = inner.get("declarator") or (inner.kids[-1] if inner.kids else None)
    if inner is None or inner.type != "function_declarator":
        return
    name, parameters = inner.get("declarator"), inner.get("parameters")
    if name is None or name.type != "identifier" or parameters is None or not parameters.kids:
        return
    head = b"void f(){x"
    snippet = head + parameters.text_source[parameters.start : parameters.end] + b";}"
    tree = _build(snippet, parameters.text_source, parameters.start - len(head))
    if any(n.type in ("ERROR", "MISSING") for n in tree.walk()):
        return
    value = next((n for n in tree.walk() if n.type == "argument_list"), None)
    if value is None or value.start != parameters.start or value.end != parameters.end:
        return
    made = Node("init_declarator", outer.start, outer.end, outer.text_source)
    target = name if inner is outer else outer
    if inner is not outer and inner.parent is not None:
        holder = inner.parent
        holder.kids = [name if k is inner else k for k in holder.kids]
        holder.fields = {f: name if k is inner else k for f, k in holder.fields.items()}
        name.parent = holder
    made.kids, made.fields, made.parent = [target, value], {"declarator": target, "value": value}, declaration
    target.parent = value.parent = made
    declaration.kids = [made if k is outer else k for k in declaration.kids]
    declaration.fields = {f: made if k is outer else k for f, k in declaration.fields.items()}
    for node in value.walk():
        _mend(node)


_VECTOR_TYPES = frozenset(
    f"{base}{n}" for base in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                              "ulonglong", "float", "double") for n in (1, 2, 3, 4))
_KNOWN_TYPES = _VECTOR_TYPES | {
    "half", "__half", "half2", "__half2", "nv_bfloat16", "__nv_bfloat16", "nv_bfloat162", "__nv_bfloat162", "uint",
    "ushort", "uchar", "ulong", "dim3", "size_t", "ptrdiff_t", "bool", "float", "double", "int", "char", "short",
    "long", "unsigned", "signed", "T", "real", "Real"}


def _typelike(name: str) -> bool:
    return name in _KNOWN_TYPES or name.endswith("_t") or name.endswith("_T")
