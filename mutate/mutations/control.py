"""Which expressions decide what is executed: conditions, bounds, switch values."""

from __future__ import annotations

from mutate.analysis.program import FunctionInfo
from mutate.frontend.tree import Node

_FIELDS = {
    "if_statement": ("condition",),
    "while_statement": ("condition",),
    "do_statement": ("condition",),
    "for_statement": ("condition",),
    "switch_statement": ("condition",),
    "for_range_loop": ("right",),
}


def control_nodes(info: FunctionInfo) -> list[Node]:
    """Conditions of branches and loops, switch values, ranges, called function pointers; what guards an access by

    ``&&``, ``||`` or ``?:``.
    """
    out: list[Node] = [c.value for c in info.sites.calls if c.value is not None]
    for node in info.function.body.walk():
        for field in _FIELDS.get(node.type, ()):
            part = node.get(field)
            if part is not None:
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


def loop_nodes(info: FunctionInfo) -> list[Node]:
    """Conditions and ranges of loops, and the conditions of the branches that leave one early."""
    out: list[Node] = []
    for node in info.function.body.walk():
        if node.type in ("while_statement", "do_statement", "for_statement", "for_range_loop"):
            out += [p for p in (node.get("condition"), node.get("right")) if p is not None]
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
