"""A call's parts as they are written: the name that is called, its arguments, the type that a cast names."""

from __future__ import annotations

from mutate.analysis.symbols import UNKNOWN_TYPE, Type, type_of_descriptor
from mutate.frontend.tree import Node
from mutate.frontend.units import Unit


def name_in(function: Node | None) -> Node | None:
    """The name in the expression that is called: ``f`` of ``A::f<int>``, ``object.f``, ``pointer->template f<int>``."""
    while function is not None and function.type in ("qualified_identifier", "template_function", "template_method",
                                                     "field_expression", "dependent_name"):
        inner = function.get("field") if function.type == "field_expression" else function.get("name")
        if inner is None and function.type == "dependent_name":
            inner = function.kids[-1] if function.kids else None
        if inner is None:
            break
        function = inner
    return function


def callee_name(node: Node) -> str:
    """Last component of the called name, without template arguments; empty for anything that is not a plain name."""
    name = name_in(node.get("function"))
    return name.text if name is not None and name.type in ("identifier", "field_identifier", "type_identifier",
                                                           "primitive_type", "dependent_name") else ""


def arguments(node: Node) -> list[Node]:
    """The arguments of a call; of ``object[i]``, which may be one, the indices."""
    args = node.get("arguments") or node.get("indices")
    return [k for k in args.kids if k.type != "comment"] if args is not None else []


def template_argument_type(unit: Unit, function: Node | None) -> Type:
    """Type given to a named cast."""
    if function is None:
        return UNKNOWN_TYPE
    args = function.get("arguments")
    descriptor = args.kids[0] if args is not None and args.kids else None
    return type_of_descriptor(unit, descriptor) if descriptor is not None else UNKNOWN_TYPE
