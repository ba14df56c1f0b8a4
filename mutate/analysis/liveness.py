"""Which loads of a slice the compiler could drop, because nothing that survives in it depends on their values.

A slice keeps the loads that addresses and control flow depend on. That does not keep them alive: a search of which only
the result was stored, a chain of pointers whose end was only stored, the condition of a store that is now guarded.
What is alive starts at the effects that remain (folded loads, stores, atomics, calls) and goes back through data flow
and through the conditions under which each step is executed.

Nor does it keep them where they are: what was stored in any case, and is now used in one branch only, is loaded there.
And a function that changes two variables, of which the slice needs one, loads for that one only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mutate.analysis.calls import arguments
from mutate.analysis.dataflow import Reach, branch_of, value_closure
from mutate.analysis.plans import LOOPS, Act, Piece, Plan
from mutate.analysis.program import Mem, Obj
from mutate.analysis.slices import Slicer
from mutate.analysis.symbols import Var
from mutate.frontend.tree import Node

_LEAVING = frozenset({"return_statement", "goto_statement"})
_EXITS = _LEAVING | {"break_statement", "continue_statement"}
Looked = dict[Node, tuple[frozenset[Obj], frozenset[Node]]]
"""Of expressions: what they use, and their loads."""


def idle_loads(slicer: Slicer, stores_happen: bool) -> list[Node]:
    """Retained loads, and calls of functions that load, that no effect of the slice depends on; in the text's order.

    Also those that only what is in some branch depends on, where the original needs them elsewhere.
    ``stores_happen`` is false where stores are guarded: their addresses are then computed, but what decides whether a
    store is reached decides nothing.
    """
    # In a lambda that stays as it is there is no sink, or a copy of it.
    loads = [n for n, a in slicer.retained.items() if a.kind in ("load", "texture", "surface-load") and not a.in_lambda]
    loads += slicer.retained_calls
    if not loads:
        return []
    reach = Reach(slicer.info, surely=True)
    effects, start, quiet = _effects(slicer, stores_happen)
    exits = [n for n in slicer.info.function.body.walk() if n.type in _EXITS] if effects else []
    while True:
        _, alive = value_closure(slicer.info, [*start, *quiet], surely=True, reach=reach)
        reached = [*effects, *(n for n in alive if n not in quiet)]
        reached += [e for e in exits if _matters(e, reached)]
        more = {c for n in reached for c in _conditions(n)} - set(start)
        if not more:
            break
        start += sorted(more, key=lambda n: n.start)
    idle = [n for n in loads if not _is_in(n, alive)]
    rest = [n for n in loads if _is_in(n, alive)]
    if rest:
        _, always = value_closure(slicer.info, [*start, *quiet], surely=True, always=True, reach=reach)
        rest = [n for n in rest if not _is_in(n, always)]
    idle += _wanted_elsewhere(slicer, rest, [*start, *quiet], reach)
    return sorted(idle, key=lambda n: n.start)


def _is_in(node: Node, expressions: Iterable[Node]) -> bool:
    return any(e.start <= node.start and node.end <= e.end for e in expressions)


def _wanted_elsewhere(slicer: Slicer, loads: list[Node], kept: list[Node], reach: Reach) -> list[Node]:
    """Loads whose values the original needs where the slice does not: in other branches, or in none.

    ``kept`` is what the slice needs. Where a branch of the original needs a value, the slice does if something that is
    kept in that branch does.
    """
    out: list[Node] = []
    branches: dict[Node | None, list[Node]] = {}
    for need in (n for n in _needs_of_original(slicer) if not slicer.is_needed(n)) if loads else ():
        branches.setdefault(branch_of(need), []).append(need)
    looked: Looked = {}
    for branch, needs in branches.items():
        wanted = _by_value(slicer, needs, reach=reach, looked=looked)
        rest = [n for n in loads if n in wanted and n not in out]
        if not rest:
            continue
        inside = [n for n in kept if branch is not None and branch.start <= n.start and n.end <= branch.end]
        _, alive = value_closure(slicer.info, inside, surely=True, reach=reach)
        out += [n for n in rest if not _is_in(n, alive)]
    return out


def lost_results(slicer: Slicer) -> list[tuple[Node, Var]]:
    """Calls of functions that load, with the variables that they change by reference, where the original needs these.

    What is kept needs one of them, perhaps not the others: the compiler would drop the loads that are for those.
    """
    if not slicer.retained_updates:
        return []
    info = slicer.info
    needs = [n for n in _needs_of_original(slicer) if not slicer.is_needed(n) and not any(
        n in arguments(c) for c in slicer.retained_updates)]
    out: dict[tuple[Node, Var], None] = {}
    _by_value(slicer, needs, out)
    plain = [(c, v) for c, v in out if not info.sites.call_at[c].in_lambda]
    return sorted(plain, key=lambda x: (x[0].start, x[1].name))


def _by_value(slicer: Slicer, start: list[Node], results: dict[tuple[Node, Var], None] | None = None,
              reach: Reach | None = None, looked: Looked | None = None) -> set[Node]:
    """Loads, and calls of functions that load, that expressions depend on otherwise than by the address of a load.

    Into ``results`` come calls with the variables that they depend on and that these change. ``looked``: what was seen
    of expressions already, in the same slice.
    """
    info = slicer.info
    reach = reach or Reach(info, surely=True)
    looked = {} if looked is None else looked
    loads: set[Node] = set()
    done: set[Node] = set()
    known: set[Obj] = set()
    work = list(start)
    changed = [(c, v) for c in slicer.retained_updates for v in info.written_by_call(c, tuple(arguments(c)))
               if isinstance(v, Var) and reach.is_ordered(v) and v.type.kind == "value"] if results is not None else []

    def objects(node: Node, out: set[Obj], here: set[Node]) -> None:
        access = info.sites.at.get(node)
        if access is not None and access.touches_global and access.kind != "atomic":
            if access.reads:
                here.add(node)
            return  # an address is kept
        if node in slicer.retained_calls:
            here.add(node)
        if not node.kids:
            out |= info.uses(node)
        elif access is not None:
            out |= {Mem(r) for r in access.roots}
        for kid in node.kids:
            objects(kid, out, here)

    while work:
        node = work.pop()
        if node in done:
            continue
        done.add(node)
        if node not in looked:
            parts: set[Obj] = set()
            inside: set[Node] = set()
            objects(node, parts, inside)
            looked[node] = frozenset(parts), frozenset(inside)
        used, seen = looked[node]
        loads |= seen
        if results is not None:
            results |= {(c, v): None for c, v in changed if v in used and reach.reaches(c, node, v)}
        work += reach.sources(node, used, known)
        known |= used
    return loads


def _needs_of_original(slicer: Slicer) -> list[Node]:
    """What the function does with values before anything is taken away: all that it writes, and every condition."""
    info = slicer.info
    out = [a.statement or a.node for a in info.sites.accesses if a.writes or a.kind in ("atomic", "async", "asm")]
    for n in info.function.body.walk():
        if n.type in _DECIDES:
            part = n.get("condition") or n.get("right")
            out += [part] if part is not None else []
        elif n.type == "return_statement":
            out += n.kids
    for call, callees in info.callees.items():
        if callees:
            out += arguments(call)
    return out


def _effects(slicer: Slicer, stores_happen: bool) -> tuple[list[Node], list[Node], list[Node]]:
    """Effects that remain, the expressions that these need at once, and the addresses of stores that do not happen."""
    effects: list[Node] = []
    start: list[Node] = []
    quiet: list[Node] = []
    for p in _pieces(slicer.plan):
        access = p.access
        if p.act is Act.CALL:
            effects.append(p.node)
            start += slicer.needed_arguments(p.node)
        elif access is not None:
            needs = [*access.address] if p.act is not Act.KEEP else [p.node]
            if access.node in slicer.info.scopes.var_of:
                needs.append(access.node)
            if stores_happen or not access.writes:
                effects.append(p.node)
                start += needs
            else:
                quiet += needs
    for a in slicer.info.sites.accesses:
        if a.touches_global and a.kind in ("atomic", "async", "asm") and a.node in slicer.retained:
            effects.append(a.node)
            start.append(a.node)
    for a in slicer.kept_stores():
        effects.append(a.node)
        start.append(a.statement or a.node)
    return effects, start, quiet


def _pieces(plan: Plan) -> Iterator[Piece]:
    for inner in plan.inner:
        yield from _pieces(inner)
    yield from _flat(plan.pieces)


def _flat(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for p in pieces:
        yield p
        yield from _flat(p.then)
        yield from _flat(p.otherwise)


def _conditions(node: Node) -> Iterator[Node]:
    """What decides whether, or how often, an expression is evaluated."""
    inner = node
    for up in node.ancestors():
        if up.type in ("function_definition", "lambda_expression"):
            return
        part = up.get("condition") or up.get("right") if up.type in _DECIDES else None
        if up.type == "binary_expression" and (op := up.get("operator")) is not None and op.text in ("&&", "||"):
            part = up.get("left")
        if part is not None and part is not inner:
            yield part
        inner = up


def _matters(leave: Node, reached: Iterable[Node]) -> bool:
    """Whether leaving here changes how often something that is reached happens."""
    loops = [up for up in leave.ancestors() if up.type in LOOPS or up.type == "switch_statement"]
    around = loops[-1:] if leave.type in _LEAVING else loops[:1]
    return any((leave.type in _LEAVING and n.start > leave.start) or
               any(up.start <= n.start and n.end <= up.end for up in around) for n in reached)


_DECIDES = LOOPS | {"if_statement", "switch_statement", "conditional_expression"}
