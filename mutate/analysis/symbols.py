"""Variables, their types as far as text tells them, and which identifier means which variable.

There is no type checker here: what matters is whether a name is a pointer, an array or a value, in which
memory it lives, and where pointers point. Everything unknown stays ``UNKNOWN`` and is treated with care.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mutate.frontend.tree import Node
from mutate.frontend.units import Function, Unit, declarator_name, declared_names


class Space(StrEnum):
    """Where data lives. ``REGISTER`` is a local scalar, ``LOCAL`` a local array, ``UNKNOWN`` a generic pointer."""

    REGISTER = "register"
    LOCAL = "local"
    SHARED = "shared"
    GLOBAL = "global"
    CONSTANT = "constant"
    PARAM = "param"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Type:
    """``value`` (name = type name), ``pointer`` or ``array`` of ``elem``; arrays carry the text of their extents."""

    kind: str = "value"
    name: str = ""
    elem: Type | None = None
    extent: str = ""

    @property
    def is_address(self) -> bool:
        return self.kind in ("pointer", "array")

    def innermost(self) -> Type:
        t = self
        while t.elem is not None:
            t = t.elem
        return t


UNKNOWN_TYPE = Type("value", "")


def pointer_to(elem: Type) -> Type:
    return Type("pointer", elem=elem)


@dataclass(eq=False)
class Var:
    """A variable. ``spaces`` and ``roots`` say where a pointer (or a reference, or a struct's pointers) may point."""

    name: str
    type: Type
    space: Space
    node: Node | None
    is_ref: bool = False
    is_param: bool = False
    dynamic: bool = False
    """``extern __shared__``: the extent is given at launch."""
    file_scope: bool = False
    spaces: set[Space] = field(default_factory=set)
    roots: set[Var] = field(default_factory=set)
    init: Node | None = None
    part: bool = False
    """One name of a structured binding: a part of what ``init`` is."""
    member: bool = False
    """Of the object that a member function is called on; it lives in ``home``, or in registers."""
    home: frozenset[Space] = frozenset()
    home_roots: frozenset[Var] = frozenset()
    parts: Mapping[str, tuple[frozenset[Space], frozenset[Var]]] | None = None
    """Of an object that a function gets: where its members point, if the caller knows it of each."""
    _inner: dict[str, Var] = field(default_factory=dict)

    def pointee(self, member: str = "") -> Var:
        """Stands for the memory behind the pointers kept in this variable or its memory, or behind one member of it.

        What a pointer in memory points to is taken to be other memory than the one it is kept in, except for lists and
        trees: their memory is all one from the second step on.
        """
        if self._inner is NO_INNER:
            return self
        found = self._inner.get(member)
        if found is None:
            found = self._inner[member] = Var(f"{self.name}.{member}" if member else f"*{self.name}", UNKNOWN_TYPE,
                                              Space.GLOBAL, None)
            found._inner = found._inner if member else NO_INNER
        return found

    @property
    def lambda_node(self) -> Node | None:
        """The lambda that a variable names."""
        return self.init if self.init is not None and self.init.type == "lambda_expression" else None

    @property
    def holds_lambda(self) -> bool:
        """A variable that names a lambda, or a parameter that gets such a variable."""
        return self.lambda_node is not None or any(r.lambda_node is not None for r in self.roots)

    @property
    def is_pointee(self) -> bool:
        """True for what ``pointee`` makes: memory that is reached by a pointer kept in memory or in a structure."""
        return self.node is None and self.space is Space.GLOBAL

    def __repr__(self) -> str:
        return f"<{self.space} {self.name}>"


NO_INNER: dict[str, Var] = {}

_WORD = re.compile(r"[A-Za-z_]\w*")
_SKIP_WORDS = frozenset({"const", "volatile", "static", "extern", "register", "inline", "__shared__", "__device__",
                         "__constant__", "__managed__", "__restrict__", "__restrict", "restrict", "constexpr",
                         "typename", "struct", "class", "union", "enum", "mutable", "unsigned", "signed"})


_SPECIFIERS = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})


def type_name(node: Node | None) -> str:
    """The plain name of a type: last component, without template arguments or qualifiers."""
    if node is None:
        return ""
    if node.type in _SPECIFIERS and node.get("body") is not None:
        label = node.get("name")
        return label.text if label is not None else ""
    text = node.text.split("<")[0].strip()
    words: list[str] = [w for w in _WORD.findall(text) if w not in _SKIP_WORDS]
    if words[-1:] == ["int"] and len(words) > 1 and words[-2] in ("long", "short"):
        return words[-2]  # `unsigned long long int` is no int
    return words[-1] if words else text


def resolve_named(unit: Unit, name: str, depth: int = 0) -> Type:
    """The type behind a name: typedefs of pointers and arrays are looked through."""
    node = unit.typedef(name) if depth < 8 else None
    if node is None:
        return Type("value", name)
    if node.type == "type_definition":
        # `typedef struct { ... } name;` has no other name than this.
        base = resolve_named(unit, inner, depth + 1) if (inner := type_name(node.get("type"))) else Type("value", name)
    else:
        base = type_of_descriptor(unit, node.get("type"), depth + 1)
    declarator = node.get("declarator") if node.type == "type_definition" else None
    return declared_type(base, declarator)[0] if declarator is not None else base


def type_of_descriptor(unit: Unit, node: Node | None, depth: int = 0) -> Type:
    """Type of ``type_descriptor`` nodes (casts, aliases, template arguments)."""
    if node is None:
        return UNKNOWN_TYPE
    if node.type != "type_descriptor":
        return resolve_named(unit, type_name(node), depth)
    base = resolve_named(unit, type_name(node.get("type") or node.find(
        "primitive_type", "type_identifier", "qualified_identifier", "template_type", "sized_type_specifier",
        "struct_specifier", "dependent_type")), depth)
    return declared_type(base, node.get("declarator"))[0]


def declared_type(base: Type, declarator: Node | None) -> tuple[Type, bool]:
    """Type a declarator gives to its name, and whether it is a reference."""
    if declarator is None:
        return base, False
    kind = declarator.type
    inner = declarator.get("declarator") or next(
        (k for k in declarator.kids if k.type.endswith("declarator") or k.type in (
            "identifier", "field_identifier", "type_identifier")), None)
    if kind in ("pointer_declarator", "abstract_pointer_declarator"):
        return declared_type(pointer_to(base), inner)
    if kind in ("array_declarator", "abstract_array_declarator"):
        size = declarator.get("size")
        return declared_type(Type("array", elem=base, extent=size.text if size is not None else ""), inner)
    if kind in ("reference_declarator", "abstract_reference_declarator"):
        return declared_type(base, inner)[0], True
    if kind in ("function_declarator", "abstract_function_declarator"):
        return Type("value", "function"), False
    if kind in ("parenthesized_declarator", "init_declarator", "abstract_parenthesized_declarator",
                "attributed_declarator", "structured_binding_declarator"):
        return declared_type(base, inner)
    return base, False


def declaration_parts(node: Node) -> Iterator[tuple[Node, Node, Node | None]]:
    """(declarator, name node, initialiser) of each variable of a declaration."""
    type_node = node.get("type")
    for kid in node.kids:
        if kid is type_node:
            continue
        if kid.type.endswith("declarator") or kid.type == "identifier":
            init = kid.get("value") if kid.type == "init_declarator" else None
            for name in declared_names(kid):
                yield kid, name, init


def _specifiers(node: Node) -> set[str]:
    type_node = node.get("type")
    end = node.end
    for kid in node.kids:
        if kid is not type_node and (kid.type.endswith("declarator") or kid.type == "identifier"):
            end = kid.start
            break
    text = node.text_source[node.start : end]
    if type_node is not None and type_node.type in _SPECIFIERS:  # what is in a class is no specifier of the variable
        text = node.text_source[node.start : type_node.start] + b" " + node.text_source[type_node.end : end]
    return set(_WORD.findall(text.decode(errors="replace")))


def variables_of(unit: Unit, node: Node, file_scope: bool = False) -> list[Var]:
    """Variables a ``declaration`` node declares."""
    words = _specifiers(node)
    base = resolve_named(unit, type_name(node.get("type")))
    out: list[Var] = []
    for declarator, name, init in declaration_parts(node):
        if declarator.type == "function_declarator":
            continue
        type_, is_ref = declared_type(base, declarator)
        if "__shared__" in words:
            space = Space.SHARED
        elif file_scope and words & {"const", "constexpr"} and not words & {"__constant__", "__managed__"} and \
                init is not None and type_.kind == "value" and not is_ref and unit.struct(type_.name) is None:
            space = Space.REGISTER  # a named constant: the compiler puts its value where it is used
        elif "__constant__" in words:
            space = Space.CONSTANT
        elif "__device__" in words or "__managed__" in words:
            space = Space.GLOBAL
        elif type_.kind == "array":
            space = Space.LOCAL
        else:
            space = Space.REGISTER
        out.append(Var(name.text, type_, space, name, is_ref=is_ref, dynamic="extern" in words,
                       file_scope=file_scope, init=init))
    return out


def file_variables(unit: Unit) -> dict[str, Var]:
    """Variables at namespace level that device code can use, by name."""
    found: dict[str, Var] = {}
    for file in unit.files():
        for item in file.items:
            if item.kind != "variable":
                continue
            node = item.node
            while node.type == "template_declaration":
                below = next((k for k in node.kids if k.type != "template_parameter_list"), None)
                if below is None:
                    break
                node = below
            if node.type == "declaration":
                for var in variables_of(unit, node, file_scope=True):
                    found.setdefault(var.name, var)
    return found


def parameter_variables(unit: Unit, function: Function) -> list[Var]:
    """Variables of a function's parameters, in order; unnamed ones have an empty name."""
    out: list[Var] = []
    for p in function.params:
        base = resolve_named(unit, type_name(p.node.get("type")))
        type_, is_ref = declared_type(base, p.node.get("declarator"))
        if type_.kind == "array" and not is_ref:
            type_ = pointer_to(type_.elem or UNKNOWN_TYPE)
        out.append(Var(p.name, type_, Space.REGISTER, p.node, is_ref=is_ref, is_param=True))
    return out


def local_aliases(unit: Unit, function: Function) -> dict[str, str]:
    """Names that a function gives to classes of the unit (``using Sum = BlockSum<float, 128>;``)."""
    found: dict[str, str] = {}
    for node in function.body.walk():
        if node.type in ("alias_declaration", "type_definition") and (type_ := node.get("type")) is not None:
            name = node.get("name") or node.get("declarator")
            of = type_name((type_.get("type") or type_) if type_.type == "type_descriptor" else type_)
            if name is not None and name.type == "type_identifier" and unit.struct(of) is not None \
                    and unit.struct(name.text) is None and (type_.type != "type_descriptor"
                                                            or type_.get("declarator") is None):
                found[name.text] = of
    return found


class Scopes:
    """Resolves the identifiers of one function body. ``var_of[node]`` is the variable an identifier node means."""

    def __init__(self, unit: Unit, function: Function, file_vars: dict[str, Var],
                 members: dict[str, Var] | None = None) -> None:
        self.unit = unit
        self.members = members or {}
        """Of the class that the function is a member of, by their names."""
        self.var_of: dict[Node, Var] = {}
        self.params = parameter_variables(unit, function)
        self.vars: list[Var] = [*self.params, *dict.fromkeys(self.members.values())]
        self.aliases = local_aliases(unit, function)
        """Classes of the unit by the names that the function gives them."""
        top: dict[str, Var] = dict(file_vars)
        top.update(self.members)
        top.update({v.name: v for v in self.params if v.name})
        initialisers = function.node.find("field_initializer_list")
        if initialisers is not None:
            self._walk(initialisers, [top])
        self._walk(function.body, [top])

    def _lookup(self, name: str, scopes: list[dict[str, Var]]) -> Var | None:
        for scope in reversed(scopes):
            if name in scope:
                return scope[name]
        return None

    def _declare(self, var: Var, scopes: list[dict[str, Var]]) -> None:
        if var.type.kind == "value" and var.type.name in self.aliases:
            var.type = Type("value", self.aliases[var.type.name])
        scopes[-1][var.name] = var
        self.vars.append(var)
        if var.node is not None:
            self.var_of[var.node] = var

    def _walk(self, node: Node, scopes: list[dict[str, Var]]) -> None:
        kind = node.type
        if kind == "identifier":
            var = self._lookup(node.text, scopes)
            if var is not None:
                self.var_of.setdefault(node, var)
            return
        opens = kind in ("compound_statement", "for_statement", "for_range_loop", "if_statement", "while_statement",
                         "switch_statement", "lambda_expression", "do_statement")
        if opens:
            scopes = [*scopes, {}]
        if kind == "declaration":
            made = {v.node: v for v in variables_of(self.unit, node)}
            type_node = node.get("type")
            for kid in node.kids:
                if kid is type_node:
                    if kid.type not in ("primitive_type", "type_identifier"):
                        self._walk(kid, scopes)
                    continue
                # The name is in scope only after its declarator; its initialiser sees outer names too.
                names = declared_names(kid) if kid.type.endswith("declarator") or kid.type == "identifier" else []
                if names and all(n in made for n in names):
                    for part in kid.kids:
                        if part not in names:
                            self._walk_except(part, names, scopes)
                    for declared in names:
                        self._declare(made[declared], scopes)
                else:
                    self._walk(kid, scopes)
            return
        if kind == "for_range_loop":
            right = node.get("right")
            if right is not None:
                self._walk(right, scopes)
            name = declarator_name(node.get("declarator"))
            if name is not None:
                base = resolve_named(self.unit, type_name(node.get("type")))
                type_, is_ref = declared_type(base, node.get("declarator"))
                self._declare(Var(name.text, type_, Space.REGISTER, name, is_ref=is_ref, init=right), scopes)
            body = node.get("body")
            if body is not None:
                self._walk(body, scopes)
            return
        if kind == "lambda_expression":
            for p in node.walk():
                if p.type in ("parameter_declaration", "optional_parameter_declaration"):
                    name = declarator_name(p.get("declarator"))
                    if name is not None:
                        base = resolve_named(self.unit, type_name(p.get("type")))
                        type_, is_ref = declared_type(base, p.get("declarator"))
                        self._declare(Var(name.text, type_, Space.REGISTER, name, is_ref=is_ref), scopes)
        for kid in node.kids:
            self._walk(kid, scopes)

    def _walk_except(self, node: Node, skip: list[Node], scopes: list[dict[str, Var]]) -> None:
        if node in skip:
            return
        if node.start <= skip[0].start and skip[0].end <= node.end and node.type.endswith("declarator"):
            for kid in node.kids:
                self._walk_except(kid, skip, scopes)
        else:
            self._walk(node, scopes)
