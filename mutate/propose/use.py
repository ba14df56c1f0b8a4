"""What a kernel does with its parameters: reads, writes, uses values as indices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mutate.analysis.program import analyse
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, Unit

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Use:
    """Of one pointer parameter. ``indexes``: parameters that are indexed with its elements; ``starts`` says that

    neighbouring elements are read together, as the row starts of a CSR matrix are.
    """

    reads: bool = True
    writes: bool = True
    indexes: tuple[str, ...] = ()
    starts: bool = False


def uses(unit: Unit, kernel: Function) -> tuple[Mapping[str, Use], frozenset[str]]:
    """The use of each pointer parameter, and the names that the kernel and its device functions mention."""
    program = analyse(unit, kernel)
    touched: dict[str, tuple[bool, bool]] = {p.name: (False, False) for p in kernel.params if "*" in p.type_text
                                             or "[" in p.type_text}
    known = True
    for _, access in program.accesses():
        for root in access.roots:
            if root.is_param and root.name in touched and access.touches_global:
                reads, writes = touched[root.name]
                touched[root.name] = (reads or access.reads or access.kind == "atomic",
                                      writes or access.writes or access.kind == "atomic")
    if any(True for _ in program.opaque_calls()):
        known = False  # what is called there may do anything
    indexed = _indexed(kernel)
    mentions = set(kernel.item.mentions)
    for info in program.functions:
        mentions |= info.function.item.mentions
    out: dict[str, Use] = {}
    for param in kernel.params:
        if param.name not in touched:
            continue
        reads, writes = touched[param.name]
        if not known or not (reads or writes):
            const = "const" in param.type_text.split("*")[0]
            reads, writes = True, not const
        out[param.name] = Use(reads, writes, indexed.get(param.name, ()), _starts(kernel, param.name))
    return out, frozenset(mentions)


def _indexed(kernel: Function) -> dict[str, tuple[str, ...]]:
    """Parameters whose elements, by way of local variables, stand in indices, and of what."""
    pointers = {p.name for p in kernel.params if "*" in p.type_text or "[" in p.type_text}
    carries: dict[str, set[str]] = {}
    assignments: list[tuple[str, Node]] = []
    for node in kernel.body.walk():
        if node.type == "init_declarator":
            target, value = node.get("declarator"), node.get("value")
        elif node.type == "assignment_expression":
            target, value = node.get("left"), node.get("right")
        else:
            continue
        if target is not None and value is not None and (word := _WORD.search(target.text)) is not None:
            assignments.append((word.group(), value))
    for _ in range(3):
        for name, value in assignments:
            carries.setdefault(name, set()).update(_sources(value, pointers, carries))
    out: dict[str, dict[str, None]] = {}
    for node in kernel.body.walk():
        if node.type != "subscript_expression":
            continue
        base, indices = node.get("argument"), node.get("indices")
        if base is None or indices is None:
            continue
        for source in _sources(indices, pointers, carries):
            out.setdefault(source, {})[base.text] = None
    return {name: tuple(t for t in targets if t in pointers) for name, targets in out.items()}


def _sources(value: Node, pointers: set[str], carries: Mapping[str, set[str]]) -> set[str]:
    """Pointer parameters whose elements an expression's value comes from, loads through others left out."""
    if value.type == "subscript_expression" and (base := value.get("argument")) is not None:
        return {base.text} & pointers
    if value.type == "identifier":
        return carries.get(value.text, set())
    return {s for kid in value.kids for s in _sources(kid, pointers, carries)}


def _starts(kernel: Function, name: str) -> bool:
    """Whether ``name[i]`` and ``name[i + 1]`` are both read."""
    indices = {re.sub(r"\s+", "", i.text) for n in kernel.body.walk() if n.type == "subscript_expression"
               and (b := n.get("argument")) is not None and b.text == name and (i := n.get("indices")) is not None}
    return any(f"{i[:-1]}+1]" in indices for i in indices)
