"""Which expressions decide what is executed: conditions, bounds, switch values."""

from __future__ import annotations

from collections.abc import Set

from mutate.analysis.dataflow import definitions, value_closure
from mutate.analysis.plans import LOOPS
from mutate.analysis.program import FunctionInfo, Mem, Obj
from mutate.analysis.symbols import Space, Var
from mutate.frontend.tree import Node

_FIELDS = {
    "if_statement": ("condition",),
    "while_statement": ("condition",),
    "do_statement": ("condition",),
    "for_statement": ("condition",),
    "switch_statement": ("condition",),
    "for_range_loop": ("right",),
}


_SIMPLE = frozenset({"identifier", "number_literal", "char_literal", "true", "false"})
_EFFECTS = frozenset({"call_expression", "assignment_expression", "update_expression", "lambda_expression"})
_OWN = frozenset({Space.REGISTER, Space.LOCAL, Space.PARAM})


def control_nodes(info: FunctionInfo, without: Set[Node] = frozenset()) -> list[Node]:
    """Conditions of branches and loops, switch values, ranges, called function pointers; what guards an access by

    ``&&``, ``||`` or ``?:``. Of the statements ``without`` not the condition.
    """
    out: list[Node] = [c.value for c in info.sites.calls if c.value is not None]
    for node in info.function.body.walk():
        if node in without:
            continue
        for field in _FIELDS.get(node.type, ()):
            part = node.get(field)
            if part is not None and not _is_array(info, part):
                out.append(part)
        if node.type in ("conditional_expression", "binary_expression"):
            op = node.get("operator")
            if node.type == "binary_expression" and (op is None or op.text not in ("&&", "||")):
                continue
            guarded = [n for f in ("consequence", "alternative", "right") if (n := node.get(f)) is not None]
            first = node.get("condition") or node.get("left")
            if first is not None and any(a.touches_global and any(g.start <= a.node.start and a.node.end <= g.end
                                                                 for g in guarded) for a in info.sites.accesses):
                out.append(first)
    return out


def _is_array(info: FunctionInfo, node: Node) -> bool:
    """Whether it is an array: how often a loop over one runs depends on its type only."""
    var = info.scopes.var_of.get(node)
    return var is not None and var.type.kind == "array"


def selections(info: FunctionInfo) -> dict[Node, frozenset[Obj]]:
    """The ``if`` statements that only give variables of the thread other values, as ``?:`` would: what they decide is

    which, and not what is executed. With the variables.
    """
    found = [n for n in info.function.body.walk() if n.type == "if_statement" and _selects(info, n)]
    if not found:
        return {}
    written = [(objs, d.node) for objs, d in definitions(info)]
    return {n: frozenset(o for objs, at in written if n.start <= at.start and at.end <= n.end for o in objs)
            for n in found}


def _selects(info: FunctionInfo, node: Node) -> bool:
    """Whether a statement only assigns values that are there already, or in memory, or counts."""
    if node.type in ("compound_statement", "else_clause"):
        return all(_selects(info, k) for k in node.kids if k.type != "else")
    if node.type == "if_statement":
        then, other = node.get("consequence"), node.get("alternative")
        return then is not None and _selects(info, then) and (other is None or _selects(info, other))
    if node.type != "expression_statement":
        return False
    return all(_assigns(info, k) for k in node.kids)


def _assigns(info: FunctionInfo, node: Node) -> bool:
    if node.type == "comma_expression":
        return all(_assigns(info, k) for k in node.kids if k.type != ",")
    if node.type == "update_expression":
        target = node.get("argument")
        return target is not None and _is_own(info, target)
    left, right, op = node.get("left"), node.get("right"), node.get("operator")
    return (node.type == "assignment_expression" and left is not None and right is not None and _is_own(info, left)
            and (op is None or op.text == "=") and _is_there(info, right))


def _is_own(info: FunctionInfo, node: Node) -> bool:
    """Whether it is a variable of the thread, or a member of one, and no name of other memory."""
    while node.type == "field_expression":
        inner, op = node.get("argument"), node.get("operator")
        if inner is None or op is None or op.text != ".":
            return False
        node = inner
    var = info.scopes.var_of.get(node)
    return var is not None and var.space in _OWN and not (var.is_ref or var.member or var.type.is_address)


def _is_there(info: FunctionInfo, node: Node) -> bool:
    access = info.sites.at.get(node)
    if access is not None:
        return access.kind == "load" and not access.builtin and not any(n.type in _EFFECTS for n in node.walk())
    if node.type in ("unary_expression", "cast_expression", "parenthesized_expression"):
        return all(_is_there(info, k) for k in node.kids if k.type not in ("type_descriptor", "-", "+", "!", "~"))
    return node.type in _SIMPLE or (node.type == "field_expression" and _is_own(info, node))


def loop_nodes(info: FunctionInfo) -> list[Node]:
    """Conditions and ranges of loops, and the conditions of the branches that leave one early."""
    out: list[Node] = []
    for node in info.function.body.walk():
        if node.type in ("while_statement", "do_statement", "for_statement", "for_range_loop"):
            out += [p for p in (node.get("condition"), node.get("right")) if p is not None and not _is_array(info, p)]
        elif node.type in ("break_statement", "continue_statement", "goto_statement", "return_statement"):
            inside = False
            conditions: list[Node] = []
            for up in node.ancestors():
                if up.type == "if_statement" and (c := up.get("condition")) is not None:
                    conditions.append(c)
                if up.type in ("while_statement", "do_statement", "for_statement", "for_range_loop"):
                    inside = True
                    break
            if inside:
                out += conditions
    return out


def bound_nodes(info: FunctionInfo) -> list[Node]:
    """Of ``loop_nodes`` those that may decide that a loop runs on or what is accessed: not what may only end it early.

    A loop ``for (...; i < n && more; i++)`` ends by ``i < n`` whatever becomes of ``more`` and of the conditions of a
    ``break``, and ``continue`` is an ``if`` around the rest. That holds as long as no address depends on how far it
    got: none behind it on what it changes, none in it on what it counts besides ``i``.
    """
    out: list[Node] = []
    left_early: dict[Node, list[Node]] = {}
    counted = {n: _bounding(info, n) for n in info.function.body.walk() if n.type in LOOPS}
    for loop, bounds in counted.items():
        parts = [p for p in (loop.get("condition"), loop.get("right")) if p is not None and not _is_array(info, p)]
        out += bounds or parts
        if bounds:
            left_early[loop] = parts
    for node in info.function.body.walk():
        if node.type in ("break_statement", "continue_statement", "goto_statement", "return_statement"):
            conditions, loops = _way_out(node)
            if node.type != "goto_statement" and all(counted[loop] for loop in loops):
                for loop in loops if node.type != "continue_statement" else ():
                    left_early[loop] += conditions
            elif loops:
                out += conditions
    for loop, conditions in left_early.items():
        if any(isinstance(o, Mem) and o.var.space is Space.SHARED for o in value_closure(info, conditions)[0]) and \
                _decides_addresses(info, loop):
            out += conditions
    return out


def _way_out(node: Node) -> tuple[list[Node], list[Node]]:
    """Conditions under which a statement leaves loops, and these. A ``break`` may be a ``switch``'s own."""
    conditions: list[Node] = []
    loops: list[Node] = []
    for up in node.ancestors():
        if up.type == "if_statement" and (c := up.get("condition")) is not None:
            conditions.append(c)
        if up.type == "switch_statement":
            if node.type == "break_statement":
                break
            conditions += [c] if (c := up.get("condition")) is not None else []
        if up.type in LOOPS:
            loops.append(up)
            if node.type in ("break_statement", "continue_statement"):
                break
        if up.type == "lambda_expression":
            break
    return (conditions, loops) if loops else ([], [])


def _bounding(info: FunctionInfo, loop: Node) -> list[Node]:
    """The parts of a ``for`` loop's condition that end it by themselves: they compare what only its header counts."""
    condition, update, body = loop.get("condition"), loop.get("update"), loop.get("body")
    if loop.type != "for_statement" or condition is None or update is None or body is None:
        return []
    written = [(objs, d.node) for objs, d in definitions(info)]
    counters = {o for objs, at in written if update.start <= at.start and at.end <= update.end for o in objs
                if isinstance(o, Var) and o.space in _OWN}
    counters -= {o for objs, at in written for o in objs if body.start <= at.start and at.end <= body.end}
    return [p for p in _conjuncts(condition) if not counters.isdisjoint(info.uses(p))
            and not any(p.start <= a.node.start and a.node.end <= p.end for a in info.sites.accesses)]


def _conjuncts(node: Node) -> list[Node]:
    op = node.get("operator")
    if node.type == "parenthesized_expression" and len(node.kids) == 1:
        return _conjuncts(node.kids[0])
    if node.type == "binary_expression" and op is not None and op.text == "&&":
        return [p for side in (node.get("left"), node.get("right")) if side is not None for p in _conjuncts(side)]
    return [node]


def _decides_addresses(info: FunctionInfo, loop: Node) -> bool:
    """Whether an address depends on how many turns a loop made."""
    def inside(node: Node) -> bool:
        return loop.start <= node.start and node.end <= loop.end

    behind = [n for a in info.sites.accesses if not inside(a.node) for n in a.address]
    if any(inside(n) for n in value_closure(info, behind)[1]):
        return True
    headers = [u for n in loop.walk() if n.type == "for_statement" and (u := n.get("update")) is not None]
    summed = {o for objs, d in definitions(info) if inside(d.node)
              and not any(u.start <= d.node.start and d.node.end <= u.end for u in headers)
              for o in objs if any(o in info.uses(s) for s in d.sources)}
    within = [n for a in info.sites.accesses if inside(a.node) for n in a.address]
    return not summed.isdisjoint(value_closure(info, within)[0])
