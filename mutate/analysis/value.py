"""One value: its type, the memory it names, the memory it points to; and which types hide no pointer."""

from __future__ import annotations

from dataclasses import dataclass

from mutate.analysis.symbols import (
    UNKNOWN_TYPE,
    Space,
    Type,
    Var,
    declared_type,
    pointer_to,
    resolve_named,
    type_name,
)
from mutate.frontend.units import Unit

NONE: frozenset[Space] = frozenset()
MEMORY = frozenset({Space.SHARED, Space.GLOBAL, Space.CONSTANT, Space.UNKNOWN})
FLOATS = frozenset({"float", "double"})
"""What hides no address: an integer may."""


@dataclass(frozen=True)
class Value:
    """``spaces``/``roots``: where the lvalue lives. ``targets``/``target_roots``: where the pointer points."""

    type: Type = UNKNOWN_TYPE
    spaces: frozenset[Space] = NONE
    roots: frozenset[Var] = frozenset()
    targets: frozenset[Space] = NONE
    target_roots: frozenset[Var] = frozenset()

    def decay(self) -> Value:
        if self.type.kind == "array":
            return Value(pointer_to(self.type.elem or UNKNOWN_TYPE), NONE, frozenset(), self.spaces, self.roots)
        return self

    def join(self, other: Value) -> Value:
        type_ = self.type if self.type.kind != "value" or other.type.kind == "value" else other.type
        return Value(type_, self.spaces | other.spaces, self.roots | other.roots, self.targets | other.targets,
                     self.target_roots | other.target_roots)


VECTOR_LIKE = frozenset(
    f"{base}{n}" for base in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                              "ulonglong", "float", "double") for n in (1, 2, 3, 4)
) | {"dim3", "half2", "__half2", "__nv_bfloat162", "nv_bfloat162"}
_NUMBERS = frozenset({"char", "short", "int", "long", "float", "double", "bool", "size_t", "half", "__half", "half2",
                      "__half2", "__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "uint", "ushort", "uchar", "ulong",
                      "unsigned", "signed", "dim3", "ssize_t", "ptrdiff_t"})


def is_number(type_: Type) -> bool:
    """A plain value that can hide no pointer."""
    return type_.kind == "value" and (type_.name in _NUMBERS or type_.name in VECTOR_LIKE
                                      or (type_.name.endswith("_t") and "int" in type_.name))


def hides_no_pointer(unit: Unit, type_: Type, depth: int = 0) -> bool:
    """A number, an enumeration, or a structure that is made of such only."""
    if is_number(type_):
        return True
    spec = unit.struct(type_.name) if type_.kind == "value" and depth < 8 else None
    if spec is None:
        return type_.kind == "array" and type_.elem is not None and hides_no_pointer(unit, type_.elem, depth)
    body = spec.get("body")
    if spec.type == "enum_specifier" or body is None:
        return spec.type == "enum_specifier"
    if any(k.type == "base_class_clause" for k in spec.kids):
        return False
    for member in body.kids:
        if member.type != "field_declaration":
            continue
        base = resolve_named(unit, type_name(member.get("type")))
        for kid in member.kids:
            if kid is not member.get("type") and (kid.type.endswith("declarator") or kid.type == "field_identifier"):
                made, is_ref = declared_type(base, kid)
                if is_ref or not hides_no_pointer(unit, made, depth + 1):
                    return False
    return True
