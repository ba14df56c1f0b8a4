"""Member functions that run without a call of their name: destructors, conversions, operators of temporary objects.

A call site of theirs is not looked for. What they do is still a part of the kernel, so a mutation that changes all
barriers, or all shared accesses, has to know of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutate.analysis.objects import COPIES, lineage
from mutate.analysis.program import FunctionInfo, Program, analyse
from mutate.analysis.symbols import Space
from mutate.frontend.units import Function


def unseen_members(program: Program) -> Iterator[tuple[Function, Program]]:
    """Member functions of the classes that the kernel's functions name which may run there though nothing calls them,

    each with its own analysis.
    """
    unit = program.unit
    seen = {id(i.function.node) for i in program.all()}
    named: set[str] = set()
    fresh = {n.text for i in program.all() for n in i.function.node.walk() if n.type == "type_identifier"}
    while fresh:
        classes = {c for n in fresh if unit.struct(n) is not None for c in lineage(unit, n)}
        named |= fresh
        # Also the classes of members.
        fresh = {n.text for c in classes if (spec := unit.struct(c)) is not None for n in spec.walk()
                 if n.type == "type_identifier"} - named
        named |= classes
    for functions in unit.methods().values():
        for f in functions:
            if f.owner in named and f.is_device and _is_implicit(f) and id(f.node) not in seen:
                yield f, analyse(unit, f)


def _is_implicit(function: Function) -> bool:
    name = function.name
    return name == function.owner or (name.startswith(("~", "operator")) and name not in COPIES)


def may_hold_shared(program: Program, owner: str) -> bool:
    """Whether an object of a class may point to shared memory, or be there."""
    return any(_holds_shared(i, owner) for i in program.all())


def _holds_shared(info: FunctionInfo, owner: str) -> bool:
    if any(v.type.innermost().name == owner and (v.space is Space.SHARED or Space.SHARED in v.spaces)
           for v in info.scopes.vars):
        return True
    found = (info.values.value(c.node) for c in info.sites.calls)
    return any(v.type.name == owner and Space.SHARED in (v.targets | v.spaces) for v in found)
