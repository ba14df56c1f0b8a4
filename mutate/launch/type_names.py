"""Reads type names, declarators, structs and enums of a declaration into types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutate.errors import nearest
from mutate.launch import arith
from mutate.launch.parse import Node
from mutate.launch.types import INT, TEXTURE_DESC, Array, CType, Pointer, by_specifiers, known_types, lay_out

if TYPE_CHECKING:
    from mutate.launch.expressions import Evaluator


class TypeReader:
    """Works for one evaluator, which computes array sizes and enumerators and places errors."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def named(self, node: Node) -> CType:
        return self.declared(node.type, node)

    def declared(self, node: Node, owner: Node) -> CType:
        """The type that a declarator's type node spells; ``owner`` is where an error without a place points."""
        kind = type(node).__name__
        if kind == "TypeDecl":
            return self.specified(node.type, owner)
        if kind == "PtrDecl":
            return self._pointer(node, owner)
        if kind == "ArrayDecl":
            if node.dim is None:
                raise self.evaluator.error("launch-size", "the array needs a size", owner)
            count = self.evaluator.integer(node.dim, "an array size")
            of = self.declared(node.type, owner)
            if count < 1 or count * of.size > 1 << 16:
                raise self.evaluator.error("launch-size", f"an array member of {count} elements is not possible",
                                           node.dim)
            return Array(of, count)
        raise self.evaluator.error("launch-unsupported", "functions are not declared here", owner)

    def _pointer(self, node: Node, owner: Node) -> CType:
        inner = node.type
        if type(inner).__name__ == "TypeDecl":
            const = "const" in (inner.quals or ())
            if getattr(inner.type, "names", None) == ["void"]:
                return Pointer(None, const)
            return Pointer(self.specified(inner.type, owner), const)
        return Pointer(self.declared(inner, owner))

    def specified(self, node: Node, owner: Node) -> CType:
        kind = type(node).__name__
        if kind == "IdentifierType":
            return self._named_type(node.names, node, owner)
        if kind == "Struct":
            return self.struct(node, owner)
        if kind == "Enum":
            self.enum(node)
            return INT
        raise self.evaluator.error("launch-unsupported", f"{kind.lower()} is not understood in a declaration", owner)

    def _named_type(self, names: Sequence[str], node: Node, owner: Node) -> CType:
        found: CType | None = by_specifiers(names)
        if found is None and len(names) == 1:
            name = names[0]
            scope = self.evaluator.scope
            found = scope.types.get(name) or scope.structs.get(name) or known_types().get(name)
        if found is None:
            text = " ".join(names)
            place = node if getattr(node, "coord", None) else owner
            close = nearest(text, [*self.evaluator.scope.types, *self.evaluator.scope.structs, *known_types()])
            raise self.evaluator.error("launch-unknown-type", f"{text} is no type that can be passed to a kernel",
                                       place, f"did you mean {close}?" if close else None)
        return found

    def struct(self, node: Node, owner: Node) -> CType:
        if node.decls is None:
            if node.name in self.evaluator.scope.structs:
                return self.evaluator.scope.structs[node.name]
            if node.name == TEXTURE_DESC.name:
                return TEXTURE_DESC
            close = nearest(node.name or "", self.evaluator.scope.structs)
            raise self.evaluator.error("launch-unknown-type", f"struct {node.name} is not declared", node,
                             f"did you mean {close}?" if close else "declare its members above; an array can be "
                             "passed without a cast")
        members: list[tuple[str, CType]] = []
        for member in node.decls:
            if type(member).__name__ != "Decl" or member.name is None or member.bitsize is not None:
                raise self.evaluator.error("launch-unsupported", "bit-fields and unnamed members are not understood",
                                 member if type(member).__name__ == "Decl" else owner)
            if member.name in (name for name, _ in members):
                raise self.evaluator.error("launch-redeclared", f"the member {member.name} is declared twice", member)
            members.append((member.name, self.declared(member.type, member)))
        made = lay_out(node.name or "struct", members)
        if not members or made.size > 1 << 16:
            raise self.evaluator.error("launch-size", f"a struct of {made.size if members else 0} bytes "
                                       "is not possible", owner)
        if node.name:
            self.evaluator.scope.structs[node.name] = made
        return made

    def enum(self, node: Node) -> None:
        following = 0
        for item in node.values.enumerators if node.values is not None else ():
            if item.value is not None:
                following = self.evaluator.integer(item.value, "an enumerator")
            with self.evaluator.at(item):
                self.evaluator.scope.variables[item.name] = arith.make_int(INT, following)
            self.evaluator.scope.variable_types[item.name] = INT
            following += 1
