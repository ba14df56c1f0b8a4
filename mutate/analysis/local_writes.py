"""Whether a function writes what a pointer that it gets points to, where that is a variable of its caller.

Accesses to registers and local arrays are no accesses to memory: they are looked for by what a function assigns to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutate.analysis.calls import arguments
from mutate.analysis.symbols import Space, Var
from mutate.frontend.tree import Node

if TYPE_CHECKING:
    from mutate.analysis.program import FunctionInfo

LOCAL = frozenset({Space.LOCAL, Space.REGISTER})


def may_write_behind(info: FunctionInfo, index: int) -> bool:
    """Whether a function, or one that it calls, may write the local variables behind its parameter ``index``.

    True where that is not known, for one that is called in a circle too.
    """
    known = info.local_writes.get(index)
    if known is None:
        info.local_writes[index] = True
        known = info.local_writes[index] = _looked_at(info, index)
    return known


def _looked_at(info: FunctionInfo, index: int) -> bool:
    params = info.scopes.params
    roots = frozenset(r for r in params[index].roots if r.space in LOCAL) if index < len(params) else frozenset()
    if not roots:
        return True
    if any(_is_behind(info, v, roots) for a in info.sites.accesses if a.kind != "asm" or a.writes for v in a.value
           if a.kind == "fragment-load"):
        return True
    return any(_writes(info, node, roots) for node in info.function.body.walk())


def _writes(info: FunctionInfo, node: Node, roots: frozenset[Var]) -> bool:
    if node.type in ("assignment_expression", "update_expression"):
        target = node.get("left") or node.get("argument")
        return target is not None and _is_behind(info, target, roots)
    if node.type == "gnu_asm_expression":
        return any(_is_behind(info, v, roots) for v in _operands(node, "output_operands")) or any(
            not roots.isdisjoint(info.values.value(v).decay().target_roots) for v in _operands(node, "input_operands"))
    if node.type in ("return_statement", "lambda_expression"):
        # What is handed back, or captured, may be written by others.
        return any(not roots.isdisjoint(info.values.value(k).decay().target_roots)
                   for k in node.walk() if k.type == "identifier") and (
                       node.type == "lambda_expression" or info.function.returns_reference or "*" in _head(info))
    if node.type in ("call_expression", "subscript_expression"):
        call = info.sites.call_at.get(node)
        if call is not None and call.member is not None and (to := call.member.receiver) is not None:
            value = info.values.value(to).decay()
            if not roots.isdisjoint(value.roots | value.target_roots) and info.changed(
                    info.callees.get(node, [])) != frozenset():
                return True
        return node.type == "call_expression" and not roots.isdisjoint(
            o for o in info.written_by_call(node, tuple(arguments(node))) if isinstance(o, Var))
    return False


def _operands(node: Node, field: str) -> list[Node]:
    found = node.get(field)
    return [v for k in found.kids if (v := k.get("value")) is not None] if found is not None else []


def _head(info: FunctionInfo) -> str:
    node = info.function.node
    return node.text[: info.function.body.start - node.start].partition("(")[0]


def _is_behind(info: FunctionInfo, lvalue: Node, roots: frozenset[Var]) -> bool:
    value = info.values.value(lvalue)
    return not roots.isdisjoint(value.roots) or not roots.isdisjoint(info.written_by(lvalue))
