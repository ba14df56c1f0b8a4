"""What each member of a local object is made of, where all that gives it values is seen.

``Tile t(tile, in)`` points to shared memory by one member and to global memory by another. Which is which is said by
the constructor's initialisers, or for an aggregate by the order of its members.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mutate.analysis.objects import Targets, base_names, members_of
from mutate.analysis.symbols import Space, Var
from mutate.analysis.value import FLOATS, NONE, Value
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, declarator_name

if TYPE_CHECKING:
    from mutate.analysis.values import Values

Parts = Mapping[str, Targets]
"""Where the pointers of an object point, member by member."""
Sources = dict[str, list[Node]]
"""Members, and the expressions that they get their values from."""
_LISTS = frozenset({"argument_list", "initializer_list"})


def part_of(values: Values, holder: Value, member: str) -> Targets | None:
    """Where one member of a local object points; ``None`` where what it is made of is not seen."""
    (var,) = holder.roots
    if holder.type.kind != "value" or holder.type.name != var.type.name:
        return None
    if var.parts is not None:
        return var.parts.get(member, (NONE, frozenset()))
    if var not in values.made:
        values.made[var] = None  # until it is known, of what is asked for meanwhile
        if any(v is var for v in values.scopes.vars):
            values.made[var] = sources_of(values, var)
    made = values.made[var]
    return joined(values, made.get(member, ())) if made is not None else None


def joined(values: Values, nodes: Sequence[Node]) -> Targets:
    """Where a member points that gets the value of one of ``nodes``."""
    found = [values.handed(n) for n in nodes]
    return frozenset(s for v in found for s in v.targets), frozenset(r for v in found for r in v.target_roots)


def parts_of(values: Values, node: Node) -> Parts | None:
    """Where the members of an object point that is handed on by value."""
    value = values.value(node)
    var = values.root_variable(node) if node.type == "identifier" else None
    if var is not None and value.roots == {var}:
        return {m: p for m in members_of(values.unit, var.type.name)
                if (p := part_of(values, value, m)) is not None} or None
    made = made_by(values, value.type.name, node) if values.unit.struct(value.type.name) is not None else None
    return {m: joined(values, nodes) for m, nodes in (made or {}).items()} or None


def sources_of(values: Values, var: Var) -> Sources | None:
    """What the members of a local object are made of; ``None`` where something else may give them values."""
    spec = values.unit.struct(var.type.name) if var.type.kind == "value" else None
    if spec is None or var.node is None or var.is_ref or var.is_param or var.file_scope or var.member \
            or base_names(spec) or var.space is Space.SHARED:
        return None
    found: Sources = {}
    if var.init is not None and not _add(found, made_by(values, var.type.name, var.init)):
        return None
    for node in values.function.body.walk():
        if node.type != "identifier" or values.scopes.var_of.get(node) is not var or node is var.node:
            continue
        if not _use(values, var, node, found):
            return None
    return found


def _add(found: Sources, more: Sources | None) -> bool:
    for member, nodes in (more or {}).items():
        found.setdefault(member, []).extend(nodes)
    return more is not None


def _use(values: Values, var: Var, node: Node, found: Sources) -> bool:
    """Adds what one mention of an object gives its members; false where that is not seen."""
    from mutate.analysis.called import may_keep, member_called

    up = node.parent
    if up is None:
        return False
    if up.type == "assignment_expression" and up.get("left") is node and (right := up.get("right")) is not None:
        return _add(found, made_by(values, var.type.name, right))
    if up.type == "field_expression" and up.get("argument") is node:
        call = up.parent
        if call is not None and call.type == "call_expression" and call.get("function") is up:
            method = member_called(values, call)
            return method is not None and bool(method.functions) and not any(
                not f.is_const and may_keep(values, f) for f in method.functions)
        field, inner, outer = up.get("field"), up, up.parent
        while outer is not None and outer.type in ("field_expression", "subscript_expression") and \
                outer.get("argument") is inner:
            inner, outer = outer, outer.parent
        if outer is not None and outer.type == "assignment_expression" and outer.get("left") is inner:
            right = outer.get("right")
            return field is not None and right is not None and _add(found, {field.text: [right]})
        return outer is None or not _address_taken(outer)
    if up.type in ("call_expression", "subscript_expression"):  # an operator of its class
        method = member_called(values, up)
        return method is not None and not any(not f.is_const and may_keep(values, f) for f in method.functions)
    if up.type == "argument_list":
        call = up.parent
        known = values.called_functions(call) if call is not None else ()
        at = up.kids.index(node)
        return bool(known) and not any(at >= len(f.params) or (
            "&" in f.params[at].type_text and "const" not in f.params[at].type_text) for f in known)
    return up.type in ("return_statement", "init_declarator") and up.get("declarator") is not node and not _bound(
        values, up)


def kept_in(values: Values, call: Node) -> list[tuple[Var, Node, bool]]:
    """Local objects that a called function gets by reference or by a pointer and whose members it sets, each with the

    other arguments: they may be kept in it.
    """
    functions = values.called_functions(call)
    args = call.get("arguments")
    given = [k for k in args.kids if k.type != "comment"] if functions and args is not None else []
    out: list[tuple[Var, Node, bool]] = []
    for i, arg in enumerate(given):
        inner = arg.get("argument") if _address_taken(arg) else arg
        var = values.root_variable(inner) if inner is not None and inner.type == "identifier" else None
        if var is not None and values.unit.struct(var.type.name) is not None and any(
                i < len(f.params) and _sets_members(f, f.params[i].name) for f in functions):
            out += [(var, other, False) for other in given if other is not arg and
                    values.value(other).type.name not in FLOATS]
    return out


def _sets_members(function: Function, name: str) -> bool:
    """Whether a function assigns to members of a parameter, or hands it on."""
    for node in function.body.walk():
        if node.type == "identifier" and node.text == name and (up := node.parent) is not None:
            if up.type in ("argument_list", "pointer_expression"):
                return True
            while up is not None and up.type == "field_expression":
                up = up.parent
            if up is not None and up.type == "assignment_expression" and node is not up.get("left") and \
                    (left := up.get("left")) is not None and left.start <= node.start < left.end:
                return True
    return False


def _address_taken(node: Node) -> bool:
    return node.type == "pointer_expression" and node.text.startswith("&")


def _bound(values: Values, declarator: Node) -> bool:
    """Whether a declaration makes a reference of what it is given."""
    name = declarator_name(declarator) if declarator.type == "init_declarator" else None
    var = values.scopes.var_of.get(name) if name is not None else None
    return name is not None and (var is None or var.is_ref)


def made_by(values: Values, class_name: str, source: Node) -> Sources | None:
    """What an expression that makes an object gives its members; ``None`` where that is not seen."""
    if source.type == "compound_literal_expression" and (inner := source.get("value")) is not None:
        source = inner
    elif source.type == "call_expression" and (args := source.get("arguments")) is not None:
        function = source.get("function")
        if function is None or values.class_named(
                function.text.split("<")[0].strip().split("::")[-1]) != class_name:
            return None
        source = args
    if source.type not in _LISTS:
        return None
    given = [k for k in source.kids if k.type != "comment"]
    if any(k.type == "initializer_pair" for k in given):
        return None
    makers = [f for f in values.methods.get(class_name, ()) if f.owner == class_name]
    if makers:
        fitting = [f for f in makers if len(f.params) >= len(given)]
        return _by_constructor(values, fitting[0], given) if len(fitting) == len(makers) == 1 else None
    return _by_order(values, class_name, given)


def _by_order(values: Values, class_name: str, given: Sequence[Node]) -> Sources | None:
    """An aggregate, whose members get their values in their order."""
    spec = values.unit.struct(class_name)
    if spec is None or re.search(rf"\b{re.escape(class_name)}\s*\(", spec.text):
        return None  # constructors that are defined elsewhere
    members = [(n, v) for n, v in members_of(values.unit, class_name).items() if not v.file_scope]
    nested = any(v.type.kind == "array" or values.unit.struct(v.type.name) is not None or v.name != n
                 for n, v in members[: len(given)])
    if len(given) > len(members) or (nested and any(g.type != "initializer_list" for g in given)):
        return None
    return {name: [arg] for (name, _), arg in zip(members, given, strict=False)}


def _by_constructor(values: Values, function: Function, given: Sequence[Node]) -> Sources | None:
    params = {p.name: i for i, p in enumerate(function.params) if p.name}
    members = members_of(values.unit, function.owner)
    found: Sources = {}

    def gives(member: str, node: Node) -> bool:
        names = [n.text for n in node.walk() if n.type == "identifier"]
        if any(n in members and n not in params for n in names):
            return False
        found.setdefault(member, []).extend(given[params[n]] for n in names if n in params and params[n] < len(given))
        return True

    for member, parts in initialisers(function):
        if member not in members or not all(gives(member, p) for p in parts):
            return None
    for node in function.body.walk():
        if node.type == "call_expression" and (called := node.get("function")) is not None and \
                called.text.removeprefix("this->").split("<")[0] in values.methods:
            return None
        left, right = node.get("left"), node.get("right")
        if node.type != "assignment_expression" or left is None or right is None:
            continue
        name = left.text.removeprefix("this->")
        if name in members and (left.type == "field_expression" or name not in params):
            if any(n.type == "identifier" and n.text not in params for n in right.walk()) or not gives(name, right):
                return None
        elif left.type == "identifier" and left.text in params:
            return None  # a parameter is something else from there on
    return found


def initialisers(function: Function) -> list[tuple[str, list[Node]]]:
    """Members and bases that a constructor's initialisers name, each with what it is given."""
    node = function.node.find("field_initializer_list")
    return [(each.kids[0].text, [k for part in each.kids if part.type in _LISTS for k in part.kids])
            for each in (node.kids if node is not None else ()) if each.kids]
