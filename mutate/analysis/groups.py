"""Which threads an object of cooperative groups stands for."""

from __future__ import annotations

from mutate.analysis.calls import callee_name
from mutate.analysis.intrinsics import COOPERATIVE_TYPES
from mutate.analysis.values import Values
from mutate.frontend.tree import Node


def group_scope(values: Values, node: Node) -> str | None:
    """block | warp | cluster | grid for a cooperative-groups object, ``None`` when it is something else."""
    if node.type == "call_expression":
        return _scope_of_type(callee_name(node).removeprefix("this_"))
    var = values.root_variable(node)
    if var is None:
        return None
    if var.type.name in COOPERATIVE_TYPES:
        return _scope_of_type(var.type.name)
    if var.init is not None and var.init.type == "call_expression":
        return _scope_of_type(callee_name(var.init).removeprefix("this_"))
    return None


def _scope_of_type(name: str) -> str | None:
    if name in ("thread_block", "thread_group"):
        return "block"
    if name in ("thread_block_tile", "coalesced_group", "tiled_partition", "coalesced_threads"):
        return "warp"
    if name in ("cluster_group", "cluster"):
        return "cluster"
    if name in ("grid_group", "grid", "multi_grid_group", "multi_grid"):
        return "grid"
    return None
