"""Classes: their members, and the member functions that a call on an object may reach.

A member function is analysed with its object's members as variables. Where they live, and where their pointers point,
its caller's object says; a member function that is called on several kinds of objects is analysed for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mutate.analysis.symbols import UNKNOWN_TYPE, Space, Type, Var, declared_type, resolve_named, type_name
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, Unit, declarator_name, function_declarator

_EXTERN = re.compile(r"\bextern\b")
_CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
Targets = tuple[frozenset[Space], frozenset[Var]]
Methods = Mapping[str, Sequence[Function]]
"""Member functions by their names."""


@dataclass(frozen=True)
class ObjectState:
    """What a caller knows of the object of a call: where it lives, and where the pointers in a member point.

    ``home`` is empty for an object in registers.
    """

    home: Targets
    pointers: Callable[[str], Targets]


def base_names(spec: Node) -> list[str]:
    """Plain names of the classes that a class is derived from."""
    clause = spec.find("base_class_clause")
    return [type_name(k) for k in clause.kids if k.type in ("type_identifier", "template_type", "qualified_identifier")
            ] if clause is not None else []


def unknown_base(unit: Unit, name: str, depth: int = 0) -> str:
    """A class that ``name`` is derived from and that the unit does not define; empty where there is none."""
    spec = unit.struct(name)
    for base in base_names(spec) if spec is not None else ():
        if unit.struct(base) is None or depth > 8:
            return base
        if deeper := unknown_base(unit, base, depth + 1):
            return deeper
    return ""


def members_of(unit: Unit, name: str, depth: int = 0) -> dict[str, Var]:
    """The members of a class as variables, those of its bases too. Members of a union are one variable."""
    spec = unit.struct(name)
    if spec is None or depth > 8:
        return {}
    found: dict[str, Var] = {}
    for base in base_names(spec):
        found |= members_of(unit, base, depth + 1)
    _collect(unit, spec, None, found)
    return found


def _collect(unit: Unit, spec: Node, shared: Var | None, found: dict[str, Var]) -> None:
    """The members that a class declares itself; ``shared`` is the variable of the union around them."""
    body = spec.get("body")
    for member in body.kids if body is not None else ():
        if member.type != "field_declaration":
            continue
        type_node = member.get("type")
        fixed = any(k.type == "storage_class_specifier" and k.text == "static" for k in member.kids)
        base = resolve_named(unit, type_name(type_node))
        named = False
        for kid in member.kids:
            label = declarator_name(kid) if kid is not type_node and kid.type != "bitfield_clause" else None
            if label is None or label.type != "field_identifier" or kid is member.get("default_value"):
                continue
            named = True
            type_, is_ref = declared_type(base, kid)
            if type_.name == "function":
                continue
            found[label.text] = shared or Var(label.text, type_, Space.LOCAL if type_.kind == "array" else
                                              Space.REGISTER, None, is_ref=is_ref, is_param=True, member=not fixed,
                                              file_scope=fixed)
        if not named and type_node is not None and type_node.type in _CLASSES:
            union = shared or (Var("union", Type(), Space.REGISTER, None, is_param=True, member=True)
                               if type_node.type == "union_specifier" else None)
            _collect(unit, type_node, union, found)


def lineage(unit: Unit, name: str, depth: int = 0) -> Iterator[str]:
    """A class and the classes that it is derived from, the nearest first."""
    yield name
    spec = unit.struct(name)
    for base in base_names(spec) if spec is not None and depth < 8 else ():
        yield from lineage(unit, base, depth + 1)


def member_functions(unit: Unit, methods: Methods, class_name: str, name: str) -> tuple[Function, ...]:
    """Member functions of a class with a name, those of the nearest class that has one."""
    for owner in lineage(unit, class_name):
        found = tuple(f for f in methods.get(name, ()) if f.owner == owner)
        if found:
            return tuple(f for f in found if f.is_device) or found
    return ()


def any_member_functions(methods: Methods, name: str) -> tuple[Function, ...]:
    """Member functions with a name in whichever class, for an object whose class is not known."""
    return tuple(f for f in methods.get(name, ()) if may_run_on_device(f))


def may_run_on_device(function: Function) -> bool:
    """Whether a kernel may call a function: one that is not marked only in a file of the user's that marks none."""
    head = function.node.text[: function.body.start - function.node.start]
    return function.is_device or "constexpr" in head or (
        function.file.main and b"__device__" not in function.file.expansion.text)


def shared_makers(unit: Unit) -> dict[str, Var]:
    """Types and functions that hand out shared memory (``SharedMemory<T>()``), as arrays of their own.

    Only what is declared ``extern`` has its extent from the launch.
    """
    makers: dict[str, Var] = {}
    for file in unit.files():
        for item in file.items:
            if item.kind in ("type", "function") and "__shared__" in item.mentions \
                    and "__global__" not in item.mentions:
                for name in item.names:
                    known = makers.get(name)
                    makers[name] = Var(name, Type("array", elem=UNKNOWN_TYPE), Space.SHARED, None, dynamic=(
                        known is not None and known.dynamic) or _EXTERN.search(item.node.text) is not None)
    return makers


def hands_out_shared(function: Function) -> bool:
    """Whether all that a function returns are parts of shared arrays that it declares itself."""
    if "__shared__" not in function.body.text:
        return False
    own = {name.text for n in function.body.walk() if n.type == "declaration" and "__shared__" in n.text
           for k in n.kids if k is not n.get("type") and (name := declarator_name(k)) is not None}
    back = [n.kids[0] for n in function.body.walk() if n.type == "return_statement" and n.kids]
    return bool(back) and all(_base_name(b) in own for b in back)


def _base_name(node: Node) -> str:
    """``a`` of ``a[i].b``, ``*a``, ``&a[i]`` and ``(T *)a``."""
    inner: Node | None = node
    while inner is not None and inner.type != "identifier":
        inner = inner.get("argument") or inner.get("value") or inner.get("left") or (
            inner.kids[-1] if inner.type == "parenthesized_expression" and inner.kids else None)
    return inner.text if inner is not None else ""


def is_in_class(function: Function) -> bool:
    """Whether a member function is defined where its class is."""
    return any(up.type == "field_declaration_list" for up in function.node.ancestors())


def declaration_of(unit: Unit, function: Function) -> Node | None:
    """The declaration, in its class, of a member function that is defined outside."""
    spec = unit.struct(function.owner)
    body = spec.get("body") if spec is not None else None
    declarator = function_declarator(function.node)
    for member in body.kids if body is not None else ():
        inner = next((k for k in member.kids if k.type == "field_declaration"), None) \
            if member.type == "template_declaration" else member
        there = function_declarator(inner) if inner is not None and inner.type == "field_declaration" else None
        if there is None or declarator is None or (name := declarator_name(there)) is None:
            continue
        if name.text == function.name and _parameter_types(there) == _parameter_types(declarator):
            return member
    return None


def _parameter_types(declarator: Node) -> list[str]:
    plist = declarator.get("parameters")
    out = []
    for p in plist.kids if plist is not None else ():
        name = declarator_name(p.get("declarator"))
        text = p.text.split("=")[0]
        out.append("".join((text if name is None else text.replace(name.text, "", 1) if p.get("type") is None else
                            p.text[: name.start - p.start] + p.text[name.end - p.start :].split("=")[0]).split()))
    return out


def is_of_template(function: Function) -> bool:
    """Whether a member function's class is a template, or inside one."""
    return bool(function.owner) and any(up.type == "template_declaration" for up in function.node.ancestors())


def is_elsewhere(function: Function, spec: Node) -> bool:
    """Whether a member function or its class stands in an included file."""
    return not function.file.main or spec.text_source is not function.node.text_source


def obstacle(unit: Unit, function: Function) -> str:
    """Why no mutated copy of a member function can be put into its class; empty where it can."""
    spec = unit.struct(function.owner)
    if function.name == function.owner:
        return "a constructor"
    if function.name.startswith("~"):
        return "a destructor"
    if function.name.startswith("operator "):
        return "a conversion operator"
    if function.name.startswith("operator") and function.name not in COPIES:
        return "an overloaded operator"
    if function.is_virtual:
        return "virtual"
    if spec is None:
        return "a member of a class that is not known"
    if base := unknown_base(unit, function.owner):
        return f"a member of a class derived from {base}, which is defined elsewhere"
    if is_elsewhere(function, spec):
        return "a member of a class in an included file, to which no mutated copy can be added"
    if not is_in_class(function) and declaration_of(unit, function) is None:
        return "a member of a class that does not declare it so"
    return ""


COPIES = {"operator()": "km_call", "operator[]": "km_at"}
"""Names of the mutated copies of operators."""
