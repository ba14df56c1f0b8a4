"""Which objects and expressions a value depends on by data flow alone, without control dependence."""

from __future__ import annotations

from mutate.analysis.program import FunctionInfo, Mem, Obj
from mutate.analysis.values import arguments
from mutate.frontend.tree import Node
from mutate.frontend.units import declarator_name


def value_closure(info: FunctionInfo, start: list[Node]) -> tuple[set[Obj], set[Node]]:
    """Objects that the values of ``start`` depend on (data flow only), and the expressions that define them.

    Used where no statement is dropped (math-only, shared-memory mutations): which loads must keep their value.
    """
    needed: set[Obj] = set()
    expressions: set[Node] = set()
    work = list(start)
    definitions = _definitions(info)
    while work:
        node = work.pop()
        if node in expressions:
            continue
        expressions.add(node)
        fresh = info.uses(node) - needed
        needed |= fresh
        for obj in fresh:
            work.extend(definitions.get(obj, ()))
    return needed, expressions


def _definitions(info: FunctionInfo) -> dict[Obj, list[Node]]:
    out: dict[Obj, list[Node]] = {}

    def add(objs: frozenset[Obj], sources: list[Node]) -> None:
        for o in objs:
            out.setdefault(o, []).extend(sources)

    for node in info.function.body.walk():
        kind = node.type
        if kind == "assignment_expression":
            left, right = node.get("left"), node.get("right")
            if left is not None and right is not None:
                op = node.get("operator")
                sources = [right] if op is None or op.text == "=" else [right, left]
                add(info.written_by(left), sources)
        elif kind == "update_expression":
            arg = node.get("argument")
            if arg is not None:
                add(info.written_by(arg), [arg])
        elif kind == "init_declarator":
            name, value = declarator_name(node), node.get("value")
            var = info.scopes.var_of.get(name) if name is not None else None
            if var is not None and value is not None:
                add(frozenset({var}), [value])
        elif kind == "for_range_loop":
            name, right = declarator_name(node.get("declarator")), node.get("right")
            var = info.scopes.var_of.get(name) if name is not None else None
            if var is not None and right is not None:
                add(frozenset({var}), [right])
        elif kind == "call_expression":
            args = tuple(arguments(node))
            written = info.written_by_call(node, args)
            if written:
                add(written, list(args))
            access = info.sites.at.get(node)
            if access is not None and access.kind == "fragment-load":
                for fragment in access.value:
                    add(info.written_by(fragment), [*access.address, node])
            if access is not None and access.writes:
                add(frozenset(Mem(r) for r in access.roots), list(access.value))
        elif kind == "gnu_asm_expression":
            outputs, inputs = node.get("output_operands"), node.get("input_operands")
            sources = [v for o in (inputs.kids if inputs is not None else ()) if (v := o.get("value")) is not None]
            for o in outputs.kids if outputs is not None else ():
                value = o.get("value")
                if value is not None:
                    add(info.written_by(value), [*sources, node])
    return out
