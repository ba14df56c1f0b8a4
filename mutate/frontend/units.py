"""What a file declares: kernels, device functions, types, variables, host code; each with its place.

A *translation unit* here is the user's file together with the local files it includes. Only the user's
file is edited; what is found in included files is known and can be cloned into the user's file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mutate.frontend.preprocess import Expansion
from mutate.frontend.tree import Node


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function."""

    name: str
    type_text: str
    """The type as written, with pointer and reference marks, without the name."""
    node: Node = field(repr=False, compare=False)


@dataclass(frozen=True)
class Function:
    """A function with a body. Spans are of the expanded text of its file."""

    name: str
    qualified: str
    node: Node = field(repr=False, compare=False)
    body: Node = field(repr=False, compare=False)
    item: Item = field(repr=False, compare=False)
    file: File = field(repr=False, compare=False)
    params: tuple[Parameter, ...] = ()
    is_kernel: bool = False
    is_device: bool = False
    is_method: bool = False
    template_params: tuple[str, ...] = ()
    template_defaults: int = 0
    """How many of the template parameters have a default."""
    extern_c: bool = False
    launch_bounds: tuple[str, ...] = ()
    returns_void: bool = True
    is_const: bool = False
    """A member function that leaves its object as it is."""
    owner: str = ""
    """The class of a member function."""
    is_static: bool = False
    is_virtual: bool = False
    returns_reference: bool = False

    @property
    def is_template(self) -> bool:
        return bool(self.template_params)


@dataclass
class Item:
    """A declaration at namespace level: what it declares, what it mentions, whether only the host needs it."""

    node: Node
    names: frozenset[str]
    kind: str
    """function | type | variable | using | include | other"""
    device: bool
    namespaces: tuple[str, ...]
    outermost: Node
    mentions: frozenset[str] = frozenset()


@dataclass
class File:
    """One file of a unit."""

    name: str
    expansion: Expansion
    root: Node
    items: list[Item] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    structs: dict[str, Node] = field(default_factory=dict)
    typedefs: dict[str, Node] = field(default_factory=dict)
    main: bool = True


_WORD = re.compile(rb"[A-Za-z_]\w*")
_CONST_METHOD = re.compile(r"\)\s*const\b[^()]*$")
_CONTAINERS = frozenset({"namespace_definition", "linkage_specification", "declaration_list", "translation_unit",
                         "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"})
_CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_DEVICE_MARKS = ("__global__", "__device__", "__constant__", "__shared__", "__managed__")


def declarator_name(node: Node | None) -> Node | None:
    """The identifier a declarator declares."""
    while node is not None:
        if node.type in ("identifier", "field_identifier", "type_identifier", "qualified_identifier",
                         "operator_name", "destructor_name", "template_function", "namespace_identifier"):
            return node
        inner = node.get("declarator")
        if inner is None:
            inner = next((k for k in node.kids if k.type.endswith("declarator") or k.type in (
                "identifier", "field_identifier", "type_identifier", "qualified_identifier", "operator_name")), None)
        node = inner
    return None


def declared_names(node: Node) -> list[Node]:
    """The identifiers that a declarator declares: several of a structured binding."""
    inner = node
    while inner.type in ("init_declarator", "reference_declarator") and (
            below := inner.get("declarator") or (inner.kids[0] if inner.kids else None)) is not None:
        inner = below
    if inner.type == "structured_binding_declarator":
        return [k for k in inner.kids if k.type == "identifier"]
    name = declarator_name(node)
    return [name] if name is not None else []


def function_declarator(node: Node) -> Node | None:
    declarator = node.get("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.get("declarator") or next(
            (k for k in declarator.kids if k.type.endswith("declarator")), None)
    return declarator


def _words(node: Node) -> frozenset[str]:
    return frozenset(w.decode() for w in _WORD.findall(node.text_source, node.start, node.end))


def _head_text(node: Node) -> str:
    """Text of a declaration before its body."""
    body = node.get("body")
    return node.text_source[node.start : body.start if body is not None else node.end].decode(errors="replace")


def plain_name(text: str) -> str:
    """A class's name without template arguments, also of a specialisation: ``Sum`` of ``Sum < T, 0 >``."""
    return text.split("<", maxsplit=1)[0].strip()


def _has_members(spec: Node) -> bool:
    body = spec.get("body")
    return body is not None and bool(body.kids)


def _enumerators(node: Node) -> set[str]:
    return {name.text for e in node.walk() if e.type == "enumerator" and (name := e.get("name")) is not None}


def _declared(node: Node) -> tuple[frozenset[str], str]:
    """Names an item declares, and its kind."""
    inner = node
    while inner.type == "template_declaration":
        below = next((k for k in inner.kids if k.type != "template_parameter_list"
                      and k.type not in ("requires_clause",)), None)
        if below is None:
            return frozenset(), "other"
        inner = below
    kind = inner.type
    if kind == "function_definition":
        name = declarator_name(inner.get("declarator"))
        names = {w.decode() for w in _WORD.findall(name.text.encode())} if name is not None else set()
        return frozenset(names), "function"
    if kind in ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier", "concept_definition"):
        name = inner.get("name")
        names = {plain_name(name.text)} if name is not None else set()
        if kind == "enum_specifier":
            names |= _enumerators(inner)
        return frozenset(names), "type"
    if kind in ("type_definition", "alias_declaration"):
        names = set()
        for k in inner.kids:
            found = declarator_name(k) if k is not inner.get("type") else k.get("name")
            if found is not None:
                names.add(found.text)
        return frozenset(names | _enumerators(inner)), "type"
    if kind == "declaration":
        names = set()
        for k in inner.kids:
            if k is inner.get("type"):
                if k.type.endswith("_specifier") and (label := k.get("name")) is not None:
                    names.add(label.text)
                names |= _enumerators(k)
                continue
            if k.type.endswith("declarator") or k.type in ("identifier", "qualified_identifier"):
                found = declarator_name(k)
                if found is not None:
                    names.update(w.decode() for w in _WORD.findall(found.text.encode()))
        is_function = any(k.type == "function_declarator" for k in inner.walk())
        return frozenset(names), "function" if is_function else "variable"
    if kind in ("using_declaration", "namespace_alias_definition", "using_directive"):
        return frozenset(), "using"
    return frozenset(), "other"


def template_parameters(node: Node) -> tuple[tuple[str, ...], int]:
    """Names of the parameters of a template, and how many of them have a default."""
    names: list[str] = []
    defaults = 0
    plist = node.get("parameters") or node.find("template_parameter_list")
    for p in plist.kids if plist is not None else ():
        if p.type in ("optional_parameter_declaration", "optional_type_parameter_declaration"):
            defaults += 1
        if p.type.startswith("variadic"):
            defaults += 1
        name = declarator_name(p.get("declarator")) or p.get("name") or declarator_name(p)
        names.append(name.text if name is not None else "")
    return tuple(names), defaults


def parameters(declarator: Node | None) -> tuple[Parameter, ...]:
    """The parameters that a function's declarator declares."""
    plist = declarator.get("parameters") if declarator is not None else None
    out: list[Parameter] = []
    for p in plist.kids if plist is not None else ():
        if p.type not in ("parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"):
            continue
        inner = p.get("declarator")
        name = declarator_name(inner)
        if name is not None and name.type != "identifier":
            name = None
        text = p.text_source[p.start : p.end].decode(errors="replace").split("=")[0]
        if name is not None:
            text = (p.text_source[p.start : name.start] + b" " + p.text_source[name.end : p.end]).decode(
                errors="replace").split("=")[0]
        out.append(Parameter(name.text if name is not None else "", " ".join(text.split()), p))
    if len(out) == 1 and out[0].type_text == "void" and not out[0].name:
        return ()  # C's way to say that there are none
    return tuple(out)


def build_file(name: str, expansion: Expansion, root: Node, main: bool = True) -> File:
    """Collects the declarations of one parsed file."""
    file = File(name, expansion, root, main=main)

    def container(node: Node, namespaces: tuple[str, ...], outermost: Node | None, extern_c: bool) -> None:
        for kid in node.kids:
            top = outermost or kid
            if kid.type == "namespace_definition":
                label = kid.get("name")
                inner = (*namespaces, *(label.text.split("::") if label is not None else ()))
                if (body := kid.get("body")) is not None:
                    container(body, inner, top, extern_c)
            elif kid.type == "linkage_specification":
                linked = kid.get("body")
                if linked is not None and linked.type == "declaration_list":
                    container(linked, namespaces, top, True)
                elif linked is not None:
                    item(linked, kid, namespaces, top, True)
            elif kid.type in _CONTAINERS:
                container(kid, namespaces, top, extern_c)
            elif kid.type in ("string_literal", "namespace_identifier", "preproc_call", "nested_namespace_specifier"):
                continue
            else:
                item(kid, kid, namespaces, top, extern_c)

    def item(node: Node, whole: Node, namespaces: tuple[str, ...], top: Node, extern_c: bool) -> None:
        names, kind = _declared(node)
        head = _head_text(node if node.type != "template_declaration" else innermost(node))
        device = any(mark in head for mark in _DEVICE_MARKS)
        entry = Item(whole, names, kind, device, namespaces, top, _words(node))
        file.items.append(entry)
        _functions_of(file, node, entry, namespaces, extern_c)

    container(root, (), None, False)
    return file


def innermost(node: Node) -> Node:
    """What a template declaration declares; other declarations as they are."""
    while node.type == "template_declaration":
        below = next((k for k in node.kids if k.type not in ("template_parameter_list", "requires_clause")), None)
        if below is None:
            break
        node = below
    return node


def _functions_of(file: File, node: Node, entry: Item, namespaces: tuple[str, ...], extern_c: bool) -> None:
    template: tuple[tuple[str, ...], int] = ((), 0)
    if node.type == "template_declaration":
        template = template_parameters(node)
    inner = innermost(node)
    specifiers = [inner] if inner.type.endswith("_specifier") else []
    if inner.type in ("declaration", "type_definition") and (t := inner.get("type")) is not None \
            and t.type.endswith("_specifier"):
        specifiers.append(t)
    for spec in specifiers:
        label = spec.get("name")
        names = [label.text] if label is not None else []
        if inner.type == "type_definition" and (d := declarator_name(inner.get("declarator"))) is not None:
            names.append(d.text)
        for n in names:
            known = file.structs.get(plain_name(n))
            # A class's members are those of the template, not of a specialisation, unless it has none.
            if known is None or not _has_members(known) or ("<" not in n and _has_members(spec)):
                file.structs[plain_name(n)] = spec
        _members_of(file, spec, entry, (*namespaces, *(names[:1])), names[0] if names else "")
    if inner.type in ("type_definition", "alias_declaration"):
        for n in entry.names:
            file.typedefs[n] = inner
    if inner.type == "function_definition" and inner.get("body") is not None:
        function = _function(file, inner, entry, namespaces, template, extern_c or entry.node.type ==
                             "linkage_specification", None)
        if function is not None:
            file.functions.append(function)
            if re.search(r"\b(?:struct|class)\b", function.body.text):
                local = [n for n in function.body.walk() if n.type in _CLASSES and n.get("body") is not None]
                for spec in local:
                    if (label := spec.get("name")) is not None:
                        file.structs.setdefault(label.text, spec)
                        _members_of(file, spec, entry, (*namespaces, function.name, label.text), label.text)


def _members_of(file: File, spec: Node, entry: Item, scopes: tuple[str, ...], owner: str) -> None:
    """The member functions of a class that are defined in it, and those of the classes inside it.

    ``owner`` is the class's name, empty where it has none.
    """
    body = spec.get("body")
    for member in body.kids if body is not None else ():
        target = innermost(member)
        inner = target.get("type") if target.type == "field_declaration" else target
        if target.type == "function_definition" and target.get("body") is not None:
            template = template_parameters(member) if member.type == "template_declaration" else ((), 0)
            function = _function(file, target, entry, scopes, template, False, plain_name(owner))
            if function is not None:
                file.functions.append(function)
        elif inner is not None and inner.type in _CLASSES and (label := inner.get("name")) is not None:
            file.structs.setdefault(plain_name(label.text), inner)
            _members_of(file, inner, entry, (*scopes, label.text), label.text)


def _function(file: File, node: Node, entry: Item, namespaces: tuple[str, ...], template: tuple[tuple[str, ...], int],
              extern_c: bool, owner: str | None) -> Function | None:
    """``owner``: of the class that it is defined in; ``None`` outside of classes."""
    declarator = function_declarator(node)
    conversion = node.find("operator_cast") if declarator is None else None
    name = declarator_name(declarator) or conversion
    body = node.get("body")
    if name is None or body is None:
        return None
    head = _head_text(node)
    words = set(_WORD.findall(head.encode()))
    bounds = node.find("launch_bounds")
    plain = "".join(name.text.split("::")[-1].split("<")[0].split())
    outside = [part.split("<")[0].strip() for part in name.text.split("::")[:-1]]
    if conversion is not None:
        plain, outside = "operator " + "".join(conversion.text.partition("operator")[2].partition("(")[0].split()), []
    if outside and template[0]:
        # Of a member defined outside its class: the class's parameters are deduced from no argument.
        template = template_parameters(node.parent) if node.parent is not None and node.parent is not entry.node \
            and node.parent.type == "template_declaration" else ((), 0)
    type_node = node.get("type")
    outer = node.get("declarator")
    void = type_node is not None and type_node.text == "void" and outer is not None \
        and outer.type == "function_declarator"
    return Function(
        name=plain, qualified="::".join((*namespaces, *outside, plain)), node=node, body=body, item=entry, file=file,
        params=parameters(declarator), is_kernel=b"__global__" in words, is_device=b"__device__" in words,
        is_method=owner is not None or bool(outside), template_params=template[0], template_defaults=template[1],
        extern_c=extern_c, launch_bounds=tuple(k.text for k in bounds.kids) if bounds is not None else (),
        returns_void=void, is_const=bool(_CONST_METHOD.search(head)),
        owner=outside[-1] if outside else owner or "",
        is_static=b"static" in words, is_virtual=not words.isdisjoint({b"virtual", b"override", b"final"}),
        returns_reference=_returns_reference(node, declarator))


def _returns_reference(node: Node, declarator: Node | None) -> bool:
    """Of ``T &f()``, of arrays ``T (&f())[4]``, and ``auto f() -> T &``."""
    back = trailing_type(declarator)
    outer = node.get("declarator") if back is None else back.get("declarator")
    while outer is not None and outer is not declarator:
        if outer.type.endswith("reference_declarator"):
            return True
        outer = outer.get("declarator") or next((k for k in outer.kids if k.type.endswith("declarator")), None)
    return False


def trailing_type(declarator: Node | None) -> Node | None:
    """What a function returns, of one that says so behind its parameters: ``auto f() -> T``."""
    back = next((k for k in declarator.kids if k.type == "trailing_return_type"), None) \
        if declarator is not None else None
    return next((k for k in back.kids if k.type == "type_descriptor"), None) if back is not None else None


@dataclass
class Unit:
    """The user's file and the local files it includes, parsed."""

    main: File
    included: list[File] = field(default_factory=list)
    named: frozenset[str] = frozenset()
    """Words of template arguments that kernels are instantiated with and that stand in none of these files."""
    placed: dict[str, bytes] = field(default_factory=dict)
    """Texts of files that stand in the user's file in place of their ``#include`` (``whole``), by name."""
    addresses_taken: tuple[str, ...] | None = field(default=None, repr=False, compare=False)
    """Names of device functions that something else than a call names, once somebody has asked (``indirect``)."""

    def files(self) -> Iterator[File]:
        yield self.main
        yield from self.included

    @property
    def source(self) -> bytes:
        return self.main.expansion.source

    @property
    def kernels(self) -> tuple[Function, ...]:
        return tuple(f for f in self.main.functions if f.is_kernel)

    def sources(self) -> dict[str, bytes]:
        """The texts of all files by name, as on disk."""
        return {**{f.name: f.expansion.source for f in self.files()}, **self.placed}

    def device_functions(self) -> dict[str, list[Function]]:
        """Device functions by their plain name (overloads and specialisations together), methods apart."""
        found: dict[str, list[Function]] = {}
        for file in self.files():
            for f in file.functions:
                if not f.is_kernel and not f.is_method:
                    found.setdefault(f.name, []).append(f)
        return found

    def methods(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for file in self.files():
            for f in file.functions:
                if f.is_method:
                    found.setdefault(f.name, []).append(f)
        return found

    def struct(self, name: str) -> Node | None:
        for file in self.files():
            if name in file.structs:
                return file.structs[name]
        return None

    def typedef(self, name: str) -> Node | None:
        for file in self.files():
            if name in file.typedefs:
                return file.typedefs[name]
        return None
