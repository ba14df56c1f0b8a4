"""Barriers that keep the compiler from making one load of two.

A load at an address that does not change in a loop is made once before the loop, and two loads at one address are one,
unless a barrier lies between: other threads may have written there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from mutate.analysis.calls import arguments
from mutate.analysis.dataflow import definitions
from mutate.analysis.plans import LOOPS
from mutate.analysis.program import FunctionInfo, Obj
from mutate.analysis.symbols import Var
from mutate.frontend.tree import Node


def separating_barriers(info: FunctionInfo) -> frozenset[Node]:
    """The block-wide barriers of a function with a load on both sides, perhaps the same one, at one address."""
    barriers = sorted((b.node for b in info.sites.barriers if b.scope == "block"), key=lambda n: n.start)
    loads = list(_loads(info)) if barriers else []
    if not loads:
        return frozenset()
    written = sorted(((objs, d.node, d.sources) for objs, d in definitions(info)), key=lambda w: w[1].start)
    out: set[Node] = set()
    for loop in {up for b in barriers for up in b.ancestors() if up.type in LOOPS}:
        changing = _changing(info, loop, [w for w in written if _within(w[1], loop)])
        if any(_within(node, loop) and changing.isdisjoint(used) for node, used in loads):
            out |= {b for b in barriers if _within(b, loop)}
    starts, changes = [b.start for b in barriers], [node.start for _, node, _ in written]
    latest: dict[tuple[str, tuple[int, ...]], Node] = {}
    for node, used in sorted(loads, key=lambda x: x[0].start):
        key = _key(info, node)
        before, latest[key] = latest.get(key), node
        between = barriers[bisect_left(starts, before.end) : bisect_left(starts, node.start)] if before else []
        if before is None or not between:
            continue
        changed = written[bisect_left(changes, before.end) : bisect_left(changes, node.start)]
        if not any(at.end <= node.start and not objs.isdisjoint(used) for objs, at, _ in changed):
            out |= set(between)
    return frozenset(out)


def _loads(info: FunctionInfo) -> Iterator[tuple[Node, frozenset[Obj]]]:
    """Global loads, and calls of functions that may load, each with what its address depends on."""
    for a in info.sites.accesses:
        if a.touches_global and a.kind == "load":
            yield a.node, frozenset(o for n in a.address for o in info.uses(n))
    for call, callees in info.callees.items():
        if any(a.touches_global and a.reads for c in callees for a in c.sites.accesses):
            yield call, frozenset(o for n in arguments(call) for o in info.uses(n))


def _within(node: Node, loop: Node) -> bool:
    return loop.start <= node.start and node.end <= loop.end


def _key(info: FunctionInfo, node: Node) -> tuple[str, tuple[int, ...]]:
    """Equal for loads of one place, as far as it is written alike, whose names mean the same."""
    names = (info.scopes.var_of.get(n) for n in node.walk() if n.type == "identifier")
    return _place(node), tuple(id(v) for v in names)


def _bare(node: Node) -> Node:
    while node.type == "parenthesized_expression" and len(node.kids) == 1:
        node = node.kids[0]
    return node


def _place(node: Node) -> str:
    """The text of an lvalue; ``p[i]`` for ``*(p + i)`` and ``(p)[i]``."""
    node = _bare(node)
    base, index, argument = node, "", node.get("argument")
    if node.type == "subscript_expression" and argument is not None and (indices := node.get("indices")) is not None:
        base, index = _bare(argument), ",".join(_bare(k).text for k in indices.kids)
    elif node.type == "pointer_expression" and argument is not None and node.text.startswith("*"):
        base, index = _bare(argument), "0"
        op, left, right = base.get("operator"), base.get("left"), base.get("right")
        if op is not None and op.text == "+" and left is not None and right is not None:
            base, index = _bare(left), _bare(right).text
    return "".join(f"{base.text}[{index}]".split()) if index else " ".join(node.text.split())


def _changing(info: FunctionInfo, loop: Node, written: list[tuple[frozenset[Obj], Node, tuple[Node, ...]]]
              ) -> set[Obj]:
    """What may have other values in the next turn of a loop with these definitions in it."""
    body = loop.get("body")

    def is_new(o: Obj) -> bool:
        """Whether a variable is a new one in each turn, such as the counter of a loop inside."""
        return isinstance(o, Var) and o.node is not None and body is not None and _within(o.node, body)

    out: set[Obj] = set()
    while True:
        fresh = {o for objs, _, sources in written for s in sources for o in objs
                 if not (used := info.uses(s)).isdisjoint(out) or (o in used and not is_new(o))} - out
        if not fresh:
            return out
        out |= fresh
