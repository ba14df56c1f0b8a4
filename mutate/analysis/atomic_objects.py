"""Members of ``cuda::atomic`` and ``cuda::atomic_ref``: accesses to the memory of the object, or that it refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutate.analysis.intrinsics import Builtin
from mutate.analysis.symbols import Space, Type, Var, resolve_named, type_name
from mutate.analysis.value import NONE, Value
from mutate.frontend.tree import Node

if TYPE_CHECKING:
    from mutate.analysis.values import Values

_REFERENCE = "atomic_ref"
ATOMIC_NAMES = frozenset({"atomic", _REFERENCE})
# By a member's name, as for intrinsics: indices are those of the arguments. What takes a variable by reference
# (``compare_exchange_*``) or waits (``wait``) has no row.
_MEMBERS = {"load": Builtin("load"), "store": Builtin("store", values=(0,)),
            **{name: Builtin("atomic", values=(0,)) for name in (
                "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max")}}


def is_atomic(values: Values, type_: Type) -> bool:
    """Whether a type is one of the library's two classes, and none of this name in the file."""
    return type_.kind == "value" and type_.name in ATOMIC_NAMES and values.unit.struct(type_.name) is None


def atomic_member(values: Values, node: Node) -> tuple[Builtin, Node, frozenset[Space], frozenset[Var]] | None:
    """What a call of a member does, the object it is called on, and where that access goes; of shared memory none."""
    function = node.get("function")
    field = function.get("field") if function is not None and function.type == "field_expression" else None
    receiver = function.get("argument") if function is not None and field is not None else None
    builtin = _MEMBERS.get(field.text) if field is not None else None
    if function is None or receiver is None or builtin is None:
        return None
    found = values.value(receiver)
    if is_arrow(function):
        found = values.deref(found)
    if not is_atomic(values, found.type):
        return None
    spaces, roots = found.spaces, found.roots
    if found.type.name == _REFERENCE:
        spaces, roots = found.targets, found.target_roots
    return (builtin, receiver, spaces, roots) if spaces and spaces <= {Space.GLOBAL, Space.UNKNOWN} else None


def is_arrow(function: Node) -> bool:
    """Whether a member is named by a pointer to the object."""
    op = function.get("operator")
    return op is not None and op.text == "->"


def referred(values: Values, name: str, args: list[Node]) -> Value | None:
    """The value of ``cuda::atomic_ref<T>(place)``: it points to the place."""
    if name != _REFERENCE or len(args) != 1 or not is_atomic(values, Type("value", name)):
        return None
    found = values.value(args[0])
    if found.type.name == name:
        return found
    return Value(Type("value", name), NONE, frozenset(), found.spaces, found.roots)


def makes_reference(values: Values, made: Node) -> bool:
    """Whether a declarator with its initialiser, or a literal, makes a ``cuda::atomic_ref``."""
    typed = made if made.type == "compound_literal_expression" else made.parent
    type_ = typed.get("type") if typed is not None else None
    return type_ is not None and resolve_named(values.unit, type_name(type_)).name == _REFERENCE and \
        is_atomic(values, Type("value", _REFERENCE))
