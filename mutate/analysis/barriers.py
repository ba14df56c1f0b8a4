"""Barriers that a slice keeps as they are: objects whose phases threads share, the grid's, those inside functions."""

from __future__ import annotations

from mutate.analysis.program import FunctionInfo
from mutate.analysis.symbols import Var

BARRIER_OBJECTS = frozenset({"barrier", "pipeline_shared_state"})
"""Types of libcu++ whose state in shared memory counts arrivals."""


def barrier_objects(info: FunctionInfo) -> set[Var]:
    """The barrier objects of a function, and what is made of them (``cuda::make_pipeline(block, &state)``)."""
    found = {v for v in info.scopes.vars if v.node is not None and v.type.innermost().name in BARRIER_OBJECTS}
    grew = bool(found)
    while grew:
        more = {v for v in info.scopes.vars if v not in found and v.init is not None and v.lambda_node is None and
                any(info.scopes.var_of.get(n) in found for n in v.init.walk() if n.type == "identifier")}
        found |= more
        grew = bool(more)
    return found


def barriers_inside(info: FunctionInfo) -> frozenset[str]:
    """The scopes of the barriers in a function and in those that it calls."""
    return frozenset(b.scope for i in info.reachable() for b in i.sites.barriers)
