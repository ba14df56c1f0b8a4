"""From a unit, a kernel and a mutation to the text of a variant.

The variant is the user's file with the kernel's edits, clones of mutated device functions and the helpers
inserted. A composition applies one mutation after the other, each to the text the one before has made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from mutate.analysis.objects import declaration_of, is_in_class
from mutate.analysis.program import Program, analyse
from mutate.frontend.load import SourceOptions, load_unit
from mutate.frontend.preprocess import Expansion
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, Item, Unit, declarator_name, innermost
from mutate.frontend.view import name_span, parameter_list
from mutate.mutations.base import Clone, Mutation, Note, Refused, Rewrite
from mutate.mutations.pointers import ItemCopy
from mutate.mutations.prelude import render_prelude
from mutate.source import Edit, Span, apply_edits


@dataclass(frozen=True)
class VariantText:
    """The text of one variant. ``edits`` are on the text before them (the user's file for a single mutation)."""

    mutation: str
    kernel: str
    text: bytes
    edits: tuple[Edit, ...]
    notes: tuple[Note, ...] = ()
    unit: Unit | None = None
    """The unit ``edits`` apply to; for compositions that of the last step."""


_NOTHING_LEFT = frozenset({"no-barrier", "no-shared-access", "no-shared-index", "shared-atomic-loop"})


def find_kernel(unit: Unit, qualified: str) -> Function | None:
    return next((k for k in unit.kernels if k.qualified == qualified), None)


def build_variant(unit: Unit, kernel: Function, mutations: tuple[Mutation, ...], program: Program | None = None,
                  options: SourceOptions | None = None) -> VariantText | Refused:
    """Applies a mutation, or a composition of several, to one kernel."""
    name = "+".join(m.id for m in mutations)
    instances = program.instances if program is not None else ()
    features: set[str] = set()
    guarded: set[str] = set()
    bank = ("", "")
    notes: list[Note] = []
    cloned: set[str] = set()
    text = unit.source
    all_edits: tuple[Edit, ...] = ()
    current, current_kernel = unit, kernel
    for step, mutation in enumerate(mutations):
        if step:
            current = load_unit(text, unit.main.name, options)
            found = find_kernel(current, kernel.qualified)
            if found is None:
                return Refused("composition-failed", f"{mutation.id} finds no kernel {kernel.qualified} after the "
                                                     "mutation before it")
            current_kernel, program = found, None
        rewrite = mutation.transform(program or analyse(current, current_kernel, instances))
        if isinstance(rewrite, Refused):
            if step and rewrite.slug in _NOTHING_LEFT and not isinstance(
                    mutation.transform(analyse(unit, kernel, instances)), Refused):
                # What it would remove is in the original, but the mutation before it has taken it away already.
                rewrite = Rewrite(())
            else:
                return rewrite
        features |= rewrite.features
        if "dispatch-rest" in rewrite.features:
            wanted = ", ".join(f"<{i}>" for i in instances)
            notes.append(Note("other-instances", f"made for {wanted}: in other instances functions that are instances "
                              "of templates are called as they are"))
        guarded |= set(rewrite.guarded)
        bank = rewrite.bank if rewrite.bank[0] else bank
        notes += rewrite.notes
        cloned |= {name for c in rewrite.clones for name in (c.name, c.info.function.name)}
        all_edits = _file_edits(current, current_kernel, rewrite)
        if step + 1 < len(mutations):
            text = apply_edits(current.source, all_edits)
    if features:
        prelude = _beside_macros(render_prelude(frozenset(features), tuple(sorted(guarded)), bank), current)
        at = _prelude_offset(current, current_kernel, cloned)
        all_edits = (*all_edits, Edit(at, at, prelude, "helpers"))
    merged = _merge(all_edits)
    return VariantText(name, kernel.qualified, apply_edits(current.source, merged), merged,
                       tuple(dict.fromkeys(notes)), current)


def _merge(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Insertions at one byte become one, the helpers first."""
    at: dict[int, list[Edit]] = {}
    rest: list[Edit] = []
    for e in edits:
        (at.setdefault(e.start, []) if e.start == e.end else rest).append(e)
    joined = []
    for pos, group in at.items():
        group.sort(key=lambda e: e.note != "helpers")
        joined.append(Edit(pos, pos, "".join(e.text for e in group), "; ".join(e.note for e in group if e.note)))
    return tuple(sorted([*rest, *joined], key=lambda e: (e.start, e.end)))


_LETTER = re.compile(r"\b[A-Z]\b")


def _beside_macros(prelude: str, unit: Unit) -> str:
    """The helpers with other names for template parameters that are macros of the user's: ``#define N 16``."""
    macros = {name for name, m in unit.main.expansion.macros.items() if len(name) == 1 and m.params is None}
    return _LETTER.sub(lambda m: f"km_{m[0]}" if m[0] in macros else m[0], prelude) if macros else prelude


def _line_start(source: bytes, at: int) -> int:
    """Start of the line, when only blanks stand before the offset."""
    start = source.rfind(b"\n", 0, at) + 1
    return start if not source[start:at].strip() else at


def _prelude_offset(unit: Unit, kernel: Function, cloned: Set[str]) -> int:
    """Before the first of the kernel and the functions of this file that it may reach, by name or as an argument."""
    mentioned, grew = set(kernel.item.mentions), True
    reached = [kernel, *(f for f in unit.main.functions if f.name in cloned)]
    while grew:
        fresh = [f for f in unit.main.functions if f.is_device and f.name in mentioned and f not in reached]
        grew = bool(fresh)
        reached += fresh
        mentioned.update(*(f.item.mentions for f in fresh))
    owners = {f.owner for f in reached if f.owner}
    first = min(i.outermost.start for i in (*(f.item for f in reached),
                                            *(i for i in unit.main.items if not i.names.isdisjoint(owners))))
    return _line_start(unit.source, unit.main.expansion.to_source(Span(first, first + 1)).start)


def _file_edits(unit: Unit, kernel: Function, rewrite: Rewrite) -> tuple[Edit, ...]:
    """All edits of the user's file: the kernel's, and the insertions of the clones."""
    expansion = unit.main.expansion
    edits = list(expansion.lower_edits(rewrite.edits))
    kernel_item = kernel.item.node
    before_kernel = _start(kernel.item, expansion)
    # Copies of functions of other files stand before all that may call them: copies of functions of this file.
    first = min([kernel.item, *(c.info.function.item for c in rewrite.clones if c.info.function.file.main)],
                key=lambda i: i.node.start)
    dispatched = {original.split("<")[0] for original, _ in rewrite.dispatch}
    general = {c.name for c in rewrite.clones if not _is_specialisation(c.info.function)}
    for clone in rewrite.clones:
        function = clone.info.function
        if function.owner and is_in_class(function):
            edits += _member_edits(clone, expansion)
            continue
        if function.owner and (declared := declaration_of(unit, function)) is not None:
            after = expansion.to_source(Span(declared.end - 1, declared.end)).end
            edits.append(Edit(after, after, f"\n    {_member_declaration(clone, declared)}",
                              f"declaration of {clone.name}"))
        text = "".join(f"{_item_text(i, function.item)}\n" for i in clone.items) + _clone_text(clone)
        if _is_specialisation(function) and clone.name not in general:
            general.add(clone.name)
            if (declared := _template_declared(unit, function)) is not None:
                text = f"{_member_declaration(clone, declared)}\n{text}"
        if function.file.main and function.item.node is not kernel_item:
            item = function.item.node
            after = expansion.to_source(Span(item.end - 1, item.end)).end
            heads = "".join(f"{_declared(_clone_text(c))}\n" for c in _called_before(clone, rewrite.clones))
            edits.append(Edit(after, after, f"\n{heads}{text}", f"clone of {function.name}"))
            if item.start > kernel_item.start:
                edits.append(Edit(before_kernel, before_kernel, f"{_declared(text)}\n",
                                  f"declaration of {clone.name}"))
                if function.qualified in dispatched:
                    head = f"{_head(function)};\n"
                    edits.append(Edit(before_kernel, before_kernel, head, f"declaration of {function.name}"))
        else:
            at = before_kernel if function.file.main else _start(first, expansion)
            around = kernel.item if function.file.main else first
            if function.item.namespaces != around.namespaces:
                for space in reversed(function.item.namespaces):
                    text = f"namespace {space} {{\n{text}\n}}"
                if around.namespaces and not function.file.main:
                    # Not inside another namespace.
                    at = expansion.to_source(Span(around.outermost.start, around.outermost.start + 1)).start
            edits.append(Edit(at, at, f"{text}\n", f"clone of {function.name}"))
    edits += [Edit(before_kernel, before_kernel, f"{_item_text(i, kernel.item)}\n", "copy of a declaration")
              for i in rewrite.items]
    if rewrite.dispatch:
        lines = [_DISPATCH.format(original=original, copy=copy) for original, copy in rewrite.dispatch]
        edits.append(Edit(before_kernel, before_kernel, "".join(lines), "mutated copies of template arguments"))
    return tuple(edits)


def _declared(text: str) -> str:
    """The declaration of a function by its definition."""
    return text[: text.index("{")].strip() + ";"


def _called_before(clone: Clone, clones: Sequence[Clone]) -> list[Clone]:
    """Copies that a copy calls and that stand behind it, as their originals do, which were declared before."""
    called = {id(i) for infos in clone.info.callees.values() for i in infos}
    return [c for c in clones if id(c.info) in called and c is not clone and c.info.function.file.main
            and not c.info.function.owner and not _is_specialisation(c.info.function)
            and c.info.function.item.node.start > clone.info.function.item.node.start]


def _is_specialisation(function: Function) -> bool:
    """``template <> void f<1>() {}``"""
    plist = function.item.node.get("parameters") if function.item.node.type == "template_declaration" else None
    return plist is not None and not plist.kids and not function.owner


def _template_declared(unit: Unit, function: Function) -> Node | None:
    """The declaration of the template of which a function is a specialisation, where it has no body."""
    return next((i.node for f in unit.files() for i in f.items if function.name in i.names and i.kind == "function"
                 and i.node.type == "template_declaration" and innermost(i.node).type == "declaration"), None)


def _member_edits(clone: Clone, expansion: Expansion) -> list[Edit]:
    """The mutated copy of a member function, which stands behind it in its class."""
    node = _member_node(clone.info.function)
    after = expansion.to_source(Span(node.end - 1, node.end)).end
    start = node.text_source.rfind(b"\n", 0, node.start) + 1
    before = node.text_source[start : node.start].decode(errors="replace")
    indent = before[: len(before) - len(before.lstrip())]
    comment, text = _clone_text(clone).split("\n", 1)
    return [Edit(after, after, f"\n{indent}{comment}\n{indent}{text}", f"clone of {clone.info.function.name}")]


def _member_node(function: Function) -> Node:
    """A member function in its class, with its own template parameters."""
    parent = function.node.parent
    return parent if parent is not None and parent.type == "template_declaration" else function.node


def _member_declaration(clone: Clone, node: Node) -> str:
    """The declaration of a member function under its copy's name."""
    declarator = next(n for n in node.walk() if n.type == "function_declarator")
    name, plist = declarator_name(declarator), declarator.get("parameters")
    assert name is not None and plist is not None
    inside = node.text[plist.start + 1 - node.start : plist.end - 1 - node.start]
    given = ", ".join([*clone.params, *([inside.strip()] if inside.strip() not in ("", "void") else [])])
    return (f"{node.text[: name.start - node.start]}{clone.name}({given})"
            f"{node.text[plist.end - node.start :].rstrip(';')}; /* kmutate */")


def _item_text(copy: ItemCopy, beside: Item) -> str:
    text = f"// kmutate: copy of {', '.join(sorted(copy.item.names))} for mutated functions\n{copy.text()}"
    if copy.item.namespaces != beside.namespaces:
        for space in reversed(copy.item.namespaces):
            text = f"namespace {space} {{\n{text}\n}}"
    return text


def _start(item: Item, expansion: Expansion) -> int:
    return expansion.to_source(Span(item.node.start, item.node.start + 1)).start


_DISPATCH = """template <> struct km_Of<{original}> {{
    template <class... A> static __device__ __forceinline__ decltype(auto) call(A &&...a) {{ return {copy}(a...); }}
}};
"""


def _head(function: Function) -> str:
    """The declaration of a function as the user wrote it, without its body."""
    node = function.item.node if function.item.node.type == "template_declaration" else function.node
    expansion = function.file.expansion
    span = expansion.to_source(Span(node.start, function.body.start))
    return expansion.source[span.start : span.end].decode(errors="surrogateescape").strip()


def _clone_text(clone: Clone) -> str:
    """Source text of the mutated copy of a device function, under its new name."""
    function = clone.info.function
    node = function.item.node if function.item.node.type == "template_declaration" else function.node
    if function.owner and is_in_class(function):
        node = _member_node(function)
    expansion = function.file.expansion
    edits = list(clone.edits)
    where = name_span(function)
    if where is not None:
        edits.append(Edit(where.start, where.end, clone.name))
    inside = parameter_list(function) if clone.params else None
    if inside is not None:
        none = expansion.show(inside).strip() == "void"
        edits.append(Edit(inside.start, inside.end if none else inside.start,
                          ", ".join(clone.params) + (", " if function.params else "")))
    span = expansion.to_source(node.span)
    lowered = [Edit(e.start - span.start, e.end - span.start, e.text) for e in expansion.lower_edits(edits)]
    text = apply_edits(expansion.source[span.start : span.end], lowered).decode(errors="surrogateescape")
    return f"// kmutate: mutated copy of {function.name}\n{text}"
