"""Which member functions a call names, and what its value is: ``object.f(x)``, ``pointer->f(x)``, ``object(x)``,

``object[x]``, and ``f(x)`` in another member function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutate.analysis.made import joined, made_by
from mutate.analysis.objects import ObjectState, any_member_functions, member_functions, members_of
from mutate.analysis.symbols import Space, Type, Var, pointer_to, resolve_named, type_name, type_of_descriptor
from mutate.analysis.value import MEMORY, Value, hides_no_pointer
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, Unit, function_declarator, trailing_type

if TYPE_CHECKING:
    from mutate.analysis.values import Values


@dataclass(frozen=True)
class Called:
    """``receiver`` is the object, or with ``arrow`` a pointer to it; ``own``: the object of the caller itself."""

    name: str
    functions: tuple[Function, ...]
    receiver: Node | None
    arrow: bool = False
    own: bool = False
    in_registers: bool = False
    """An object that is loaded where it stands."""


def member_called(values: Values, node: Node) -> Called | None:
    """The member functions that a call may reach; ``None`` where it is no call of one by its name or operator."""
    function, owner = node.get("function"), values.function.owner
    if node.type == "subscript_expression":
        base = node.get("argument")
        found = _of_class(values, values.value(base).type, "operator[]", known=True) if base is not None else ()
        return Called("operator[]", found, base) if found else None
    if node.type != "call_expression" or function is None:
        return None
    if function.type == "field_expression":
        receiver, op, name = function.get("argument"), function.get("operator"), _name(function.get("field"))
        if receiver is None:
            return None
        if receiver.type == "this":
            return Called(name, member_functions(values.unit, values.methods, owner, name), None, own=True)
        type_ = values.value(receiver).decay().type
        arrow = op is not None and op.text == "->"
        if arrow:
            type_ = type_.elem if type_.kind == "pointer" and type_.elem is not None else Type()
        return Called(name, _of_class(values, type_, name), receiver, arrow)
    if function.type in ("identifier", "template_function") and values.scopes.var_of.get(function) is None:
        found = member_functions(values.unit, values.methods, owner, _name(function)) if owner else ()
        return Called(_name(function), found, None, own=True) if found else None
    if function.type in ("qualified_identifier", "lambda_expression", "primitive_type"):
        return None
    found = _of_class(values, values.value(function).type, "operator()", known=True)
    return Called("operator()", found, function) if found else None


def _name(node: Node | None) -> str:
    while node is not None and node.type in ("template_method", "template_function", "dependent_name"):
        inner = node.get("name") or (node.kids[-1] if node.kids else None)
        node = inner if inner is not node else None
    return node.text if node is not None else ""


def _of_class(values: Values, type_: Type, name: str, known: bool = False) -> tuple[Function, ...]:
    if type_.kind != "value":
        return ()
    if values.unit.struct(type_.name) is not None:
        return member_functions(values.unit, values.methods, type_.name, name)
    if known or not (type_.name in ("", "auto") or is_type_variable(values, type_.name)):
        return ()  # of a library's class
    return any_member_functions(values.methods, name)


def is_type_variable(values: Values, name: str) -> bool:
    """Whether a name stands for a type that is not known here: a template parameter, an alias."""
    function = values.function
    return name in function.template_params or _is_class_parameter(function, name) or \
        values.unit.typedef(name) is not None or bool(re.search(
            rf"\busing\s+{re.escape(name)}\s*=|\btypedef\b[^;]*\b{re.escape(name)}\s*;", function.body.text))


def _is_class_parameter(function: Function, name: str) -> bool:
    return bool(function.owner) and any(
        up.type == "template_declaration" and (plist := up.get("parameters")) is not None and
        any(n.text == name and n.type in ("type_identifier", "identifier") for n in plist.walk())
        for up in function.node.ancestors())


def object_of(values: Values, called: Called) -> Value:
    """The object that a member function is called on."""
    if called.own:
        return values.deref(values.this())
    value = values.value(called.receiver)
    return values.deref(value) if called.arrow else value


def state_of(values: Values, called: Called) -> ObjectState:
    """What the called function knows of its object."""
    if called.own:
        members = values.scopes.members
        some = next(iter(members.values()), None)
        return ObjectState((some.home, some.home_roots) if some is not None else (frozenset(), frozenset()),
                           lambda m: (frozenset(members[m].spaces), frozenset(members[m].roots)) if m in members
                           else (frozenset({Space.UNKNOWN}), frozenset()))
    found = object_of(values, called)
    memory = found.spaces & MEMORY
    home = memory
    if called.arrow and not found.spaces:
        home = frozenset({Space.UNKNOWN})
    if called.in_registers:
        home = frozenset()

    made = made_by(values, found.type.name, called.receiver) if called.receiver is not None and not called.arrow \
        and not found.roots else None

    def pointers(member: str) -> tuple[frozenset[Space], frozenset[Var]]:
        if made is not None:
            return joined(values, made.get(member, ()))
        if not found.spaces and not found.roots:
            return found.targets or frozenset({Space.UNKNOWN}), found.target_roots
        return values.pointee_in(found, member)

    return ObjectState((home, found.roots if home else frozenset()), pointers)


def behind(values: Values, found: Value) -> tuple[frozenset[Space], frozenset[Var]]:
    """Where the pointers of an object may point, all of its members taken together."""
    spaces, roots = values.pointee_in(found) if found.spaces or found.roots else (frozenset(), frozenset())
    spaces, roots = spaces | found.targets, roots | found.target_roots
    # Each pointer of a structure that the host has filled points to other memory.
    parts = {r.pointee(m) for r in roots & found.roots if r.is_param for m in members_of(values.unit, found.type.name)}
    return spaces, roots | parts


def result(values: Values, functions: tuple[Function, ...], args: list[Node], found: Value | None) -> Value:
    """The value of a call: of what it is, and where it points or, for a reference, lies."""
    function = functions[0]
    if (maker := values.shared_made(functions)) is not None:
        shared = frozenset({Space.SHARED}), frozenset({maker})
        type_ = returned_type(values, function)
        return Value(type_, *shared) if function.returns_reference else Value(type_, frozenset(), frozenset(), *shared)
    spaces, roots = behind(values, found) if found is not None else (frozenset(), frozenset())
    for i, arg in enumerate(args):
        v = values.value(arg)
        pointer = v.decay()
        spaces, roots = spaces | pointer.targets, roots | pointer.target_roots
        if function.returns_reference and i < len(function.params) and "&" in function.params[i].type_text:
            spaces, roots = spaces | v.spaces, roots | v.roots
    type_ = returned_type(values, function)
    if function.returns_reference:
        own = _returns_member(values, function) if found is not None else False
        if found is not None and (own or not spaces):
            return Value(type_, found.spaces, found.roots, *(values.pointee_in(found) if type_.is_address else ()))
        held = values.pointee_in(Value(type_, spaces, roots)) if type_.is_address else ()
        return Value(type_, spaces, roots, *held)
    if may_point(values.unit, type_):
        inside = _returns_inside(values, function) if found is not None and type_.kind == "pointer" else []
        if found is not None and found.spaces and inside:
            # Into an array of the object itself: where that lives.
            spaces, roots = (found.spaces, found.roots) if all(inside) else (spaces | found.spaces, roots | found.roots)
        return Value(type_, frozenset(), frozenset(), spaces, roots)
    return Value(type_)


def may_point(unit: Unit, type_: Type) -> bool:
    """Whether what a function returns may be or hold a pointer; a template parameter is taken for a number."""
    if type_.kind == "value" and type_.name not in ("", "auto"):
        return unit.struct(type_.name) is not None and not hides_no_pointer(unit, type_)
    return True


def returned_type(values: Values, function: Function) -> Type:
    """The type that a function returns; of a reference, what it refers to."""
    if function.name == function.owner:
        return Type("value", function.name)
    outer, inner = function.node.get("declarator"), function_declarator(function.node)
    if (back := trailing_type(inner)) is not None:
        return type_of_descriptor(values.unit, back)
    type_ = resolve_named(values.unit, type_name(function.node.get("type")))
    while outer is not None and outer is not inner:
        if outer.type == "pointer_declarator":
            type_ = pointer_to(type_)
        elif outer.type == "array_declarator":
            type_ = Type("array", elem=type_)
        outer = outer.get("declarator") or (outer.kids[-1] if outer.kids else None)
    return type_


def may_keep(values: Values, function: Function) -> bool:
    """Whether a member function may put what it gets into its object: it assigns to a member that can hold an address,

    hands one on, or calls another member function that may.
    """
    if function.name == function.owner:
        return True
    members = {m for m, v in members_of(values.unit, function.owner).items()
               if not hides_no_pointer(values.unit, v.type.innermost() if v.type.kind == "array" else v.type)}
    for node in function.body.walk():
        if node.type == "assignment_expression" and (left := node.get("left")) is not None:
            behind = left.type == "pointer_expression" or "->" in left.text.removeprefix("this->") or (
                left.type == "subscript_expression" and (base := left.get("argument")) is not None and
                _behind_numbers(values, function, base.text.removeprefix("this->")))
            if not behind and any(n.text in members for n in left.walk() if n.type.endswith("identifier")):
                return True
        elif node.type == "call_expression" and (name := node.get("function")) is not None:
            args = node.get("arguments")
            own = values.methods.get(name.text.removeprefix("this->").partition("<")[0], ())
            if any(not f.is_const and not f.is_static for f in own) or (args is not None and any(
                    n.text in members or n.type == "this" for n in args.walk())):
                return True
    return False


def _behind_numbers(values: Values, function: Function, name: str) -> bool:
    """Whether a member is a pointer to what holds no address; a template parameter is taken for a number."""
    member = members_of(values.unit, function.owner).get(name)
    behind = member.type.elem if member is not None and member.type.kind == "pointer" else None
    return behind is not None and behind.kind == "value" and (
        hides_no_pointer(values.unit, behind) or _is_class_parameter(function, behind.name))


def _returns_inside(values: Values, function: Function) -> list[bool]:
    """Of each pointer that a function returns, whether it points into its object; empty where none does."""
    members = members_of(values.unit, function.owner)

    def is_part(node: Node) -> bool:
        if node.type == "subscript_expression":
            return (base := node.get("argument")) is not None and points_inside(base)
        name = node.text.removeprefix("this->")
        return node.text == "*this" or (name in members and not members[name].is_ref)

    def points_inside(node: Node) -> bool:
        if node.type == "parenthesized_expression" and node.kids:
            return points_inside(node.kids[-1])
        if node.type == "pointer_expression" and (inner := node.get("argument")) is not None:
            return node.text.startswith("&") and is_part(inner)
        if node.type == "binary_expression" and (left := node.get("left")) is not None:
            return points_inside(left)
        if node.type == "cast_expression" and (value := node.get("value")) is not None:
            return points_inside(value)
        if node.type == "call_expression" and (args := node.get("arguments")) is not None and len(args.kids) == 1:
            return "_cast<" in node.text[: args.start - node.start] and points_inside(args.kids[0])
        name = node.text.removeprefix("this->")
        return node.type == "this" or (name in members and members[name].type.kind == "array")

    found = [points_inside(n.kids[0]) for n in function.body.walk() if n.type == "return_statement" and n.kids]
    return found if any(found) else []


def _returns_member(values: Values, function: Function) -> bool:
    """Whether a function returns a reference to a part of its object itself, not to what a member points to."""
    members = members_of(values.unit, function.owner)
    back = [n.kids[0] for n in function.body.walk() if n.type == "return_statement" and n.kids]

    def is_part(node: Node) -> bool:
        if node.type == "subscript_expression":
            base = node.get("argument")
            name = base.text.removeprefix("this->") if base is not None else ""
            return name in members and members[name].type.kind == "array"
        if node.type == "conditional_expression":
            return all((p := node.get(f)) is not None and is_part(p) for f in ("consequence", "alternative"))
        name = node.text.removeprefix("this->")
        return node.text == "*this" or (name in members and not members[name].is_ref)

    return bool(back) and all(is_part(n) for n in back)
