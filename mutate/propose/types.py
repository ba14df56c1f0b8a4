"""Types of host code and of kernel parameters as a declaration can spell them."""

from __future__ import annotations

import re

from mutate.frontend.tree import Node
from mutate.frontend.units import Function
from mutate.launch.check import parameter
from mutate.launch.types import by_specifiers, known_types
from mutate.propose.draft import Draft
from mutate.propose.hostcode import Context, HostCode, arguments_of, bare, call_name, plain_type, root_name

_ELEMENT_OF = re.compile(r"\b(?:device_vector|host_vector|universal_vector|vector|array|unique_ptr|shared_ptr|valarray|"
                         r"device_ptr)\s*<\s*(.+)>\s*$")
_FLOAT = re.compile(r"(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?([fFlL]?)$")
# Types of the C library on 64-bit Linux.
_LIBRARY = {"clock_t": "long", "time_t": "long", "u_int": "unsigned int", "cudaStream_t": "size_t"}
# Structs of the CUDA runtime that kernels are given.
_RUNTIME = {"cudaExtent": "size_t width, height, depth;", "cudaPos": "size_t x, y, z;"}
MAKES_VALUE = re.compile(r"make_(\w+)$")


class Types:
    """Spells types for one draft, and declares in it what it uses of the file's own types."""

    def __init__(self, host: HostCode, draft: Draft) -> None:
        self.host = host
        self.draft = draft
        self._made: dict[str, str | None] = {}

    def spelled(self, text: str, bound: dict[str, str]) -> str | None:
        """The type in the declaration's C, pointers left out; ``None`` for one that it cannot have."""
        name = plain_type(text.split("*", maxsplit=1)[0])
        name = _LIBRARY.get(name, name)
        if name in bound and bound[name] != name:
            return self.spelled(bound[name], bound)
        if by_specifiers(name.split()) is not None or name in known_types():
            return name
        if name not in self._made:
            self._made[name] = None  # a type that contains itself is none of ours
            self._made[name] = self._declared(name, bound)
        return self._made[name]

    def _declared(self, name: str, bound: dict[str, str]) -> str | None:
        plain = name.rsplit("::", maxsplit=1)[-1]
        if not re.fullmatch(r"[A-Za-z_]\w*", plain):
            return None
        node = self.host.unit.typedef(plain)
        if node is not None and (under := node.get("type")) is not None \
                and "*" not in node.text and "(" not in node.text.split("{")[0]:
            if under.type in ("struct_specifier", "enum_specifier", "class_specifier"):
                return self._aggregate(plain, under, bound)
            spelled = self.spelled(under.text, bound)
            if spelled is not None and self.draft.add(f"typedef {spelled} {plain};", plain):
                return plain
            return spelled
        if plain in _RUNTIME:
            return plain if self.draft.add(f"struct {plain} {{ {_RUNTIME[plain]} }};", plain) else None
        struct = self.host.unit.struct(plain)
        if struct is not None:
            return self._aggregate(plain, struct, bound)
        if self.host.unit.main.expansion.text.find(f"enum {plain}".encode()) >= 0:
            return "int"
        return None

    def _aggregate(self, name: str, node: Node, bound: dict[str, str]) -> str | None:
        """Repeats a struct of plain members in the declaration."""
        if node.type == "enum_specifier":
            return "int"
        body = node.get("body")
        if body is None and (tag := node.get("name")) is not None:
            found = self.host.unit.struct(tag.text)
            body = found.get("body") if found is not None else None
        if body is None or node.find("base_class_clause") is not None or node.text.startswith("union"):
            return None
        members = []
        for member in body.kids:
            if member.type != "field_declaration":
                continue  # methods and access specifiers take no room
            type_node = member.get("type")
            text = member.text
            if type_node is None or "static" in text.split() or any(
                    k.type in ("function_declarator", "virtual") for k in member.walk()):
                continue
            if member.find("bitfield_clause") is not None:
                return None
            spelled = self.spelled(type_node.text, bound) or ("void" if "*" in text else None)
            if spelled is None:
                return None
            rest = text[type_node.end - member.start :].split("=")[0].split("{")[0].strip().rstrip(";")
            members.append(f"{spelled} {' '.join(rest.split())};")
        if not members or not self.draft.add(f"struct {name} {{ {' '.join(members)} }};", name):
            return None
        return name

    # --- types of host expressions ---

    def of(self, node: Node, context: Context) -> tuple[str, int] | None:
        """Type name (resolved template parameters) and pointer depth of a host expression, as far as it is plain."""
        if node.type == "cast_expression" and (to := node.get("type")) is not None:
            return self._resolved(to.text, context)
        if node.type == "call_expression":
            return self._of_call(node, context)
        if node.type == "parenthesized_expression" and len(node.kids) == 1:
            return self.of(node.kids[0], context)
        if node.type == "number_literal":
            real = _FLOAT.match(node.text)
            return (("float" if real[1] in ("f", "F") else "double") if real else "int", 0)
        if node.type == "pointer_expression" and (inner := node.get("argument")) is not None:
            found = self.of(inner, context)
            step = 1 if node.text.startswith("&") else -1
            return (found[0], found[1] + step) if found is not None else None
        if node.type == "binary_expression" and (left := node.get("left")) is not None:
            return self.of(left, context)
        if node.type == "subscript_expression" and (inner := node.get("argument")) is not None:
            found = self.of(inner, context)
            return (found[0], max(0, found[1] - 1)) if found is not None else None
        if node.type in ("true", "false"):
            return "bool", 0
        if node.type == "identifier":
            declared = self.host.declaration(node.text, node)
            if declared is None:
                return None
            if declared.type.split()[-1:] == ["auto"] and declared.init is not None:
                return self.of(declared.init, context)
            found = self._resolved(declared.type, context)
            return (found[0], declared.pointers + len(declared.dims) + found[1]) if found is not None else None
        if node.type == "new_expression" and (made := node.get("type")) is not None:
            return plain_type(made.text), 1
        return None

    def _resolved(self, text: str, context: Context) -> tuple[str, int]:
        name = plain_type(text.split("*", maxsplit=1)[0])
        element = _ELEMENT_OF.search(name)
        if element is not None:
            name = plain_type(element[1].split(",")[0])
            return context.types.get(name, name), 1
        return context.types.get(name, name), text.count("*")

    def _of_call(self, node: Node, context: Context) -> tuple[str, int] | None:
        name, arguments = call_name(node), arguments_of(node)
        function = node.get("function")
        if name in ("reinterpret_cast", "static_cast", "const_cast") and function is not None \
                and (to := function.get("arguments")) is not None:
            return self._resolved(to.text.strip()[1:-1], context)
        if name in ("raw_pointer_cast", "move", "addressof") and arguments:
            return self.of(arguments[0], context)
        if name in ("data", "get", "data_ptr", "begin") and function is not None:
            explicit = next((n for n in function.walk() if n.type == "template_argument_list"), None)
            if explicit is not None:
                return plain_type(explicit.text[1:-1]), 1
            receiver = function.get("argument")
            inner = self.of(receiver, context) if receiver is not None else None
            return (inner[0], max(1, inner[1])) if inner is not None else None
        vector = MAKES_VALUE.match(name)
        if vector is not None and vector[1] in known_types():
            return vector[1], 0
        if by_specifiers([name]) is not None or name in known_types():
            return name, 0
        return None

    # --- template arguments ---

    def deduced(self, function: Function, explicit: list[str], arguments: list[Node], context: Context
                ) -> dict[str, str]:
        """What the template parameters of a function stand for in a call: given, or deduced from plain arguments."""
        bound = dict(zip(function.template_params, explicit, strict=False))
        for param, argument in zip(function.params, arguments, strict=False):
            wanted = parameter(param.type_text, param.name)
            name = wanted.base_text
            if name not in function.template_params or name in bound:
                continue
            found = self.of(bare(argument) if wanted.pointers and root_name(argument) is None else argument, context)
            if found is not None and found[1] == wanted.pointers and found[0] not in ("void", "auto"):
                bound[name] = found[0]
        return bound
