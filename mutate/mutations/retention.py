"""What math-only keeps of global memory: loads that branches, loop bounds and indices depend on.

And what comes of it where a store that is taken away would have given such a load its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from mutate.analysis.calls import arguments
from mutate.analysis.dataflow import Reach, definitions, value_closure
from mutate.analysis.plans import LOOPS, Wants
from mutate.analysis.program import FunctionInfo, Mem, Obj, Program
from mutate.analysis.sites import Access, is_discarded
from mutate.analysis.symbols import Space, Var
from mutate.frontend.tree import Node
from mutate.mutations.base import Note, Refused
from mutate.mutations.control import control_nodes, loop_nodes, selections


@dataclass(eq=False)
class Retained:
    """What of a function has to keep its value. ``calls``: of functions that load, and are called as they are."""

    loads: set[Access]
    needed: set[Obj]
    calls: set[Node]

    @property
    def uses_object(self) -> bool:
        return any(isinstance(o, Var) and o.member for o in self.needed)


class _Flow(Reach):
    """Data flow without global memory: stores to it are taken away, so no load gets what they would have stored."""

    def sources(self, use: Node, objs: frozenset[Obj], known: set[Obj]) -> Iterator[Node]:
        return super().sources(use, frozenset(o for o in objs if not _is_global(o)), known)


def _is_global(obj: Obj) -> bool:
    """Whether an object is memory that is surely global."""
    if not isinstance(obj, Mem):
        return False
    return obj.var.space is Space.GLOBAL or (obj.var.type.kind == "pointer" and obj.var.spaces == {Space.GLOBAL})


class Retention:
    """Finds what control flow and the indices of shared and local memory depend on, in all functions of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._wants = Wants()
        self._params: dict[int, frozenset[int]] = {}
        self._found: dict[int, Retained] = {}
        self._callees = {n: cs for i in program.all() for n, cs in i.callees.items()}
        while self._settle():
            pass
        for found in list(self._found.values()):
            self._keep_what_callees_load(found)

    def of(self, info: FunctionInfo) -> Retained:
        """What one of the program's functions keeps."""
        return self._found[id(info)]

    def _keep_what_callees_load(self, found: Retained) -> None:
        """Functions that store, too, are not called as they are: all loads of a mutated copy stay, its stores go."""
        for call in list(found.calls):
            inside = [i for c in self._callees[call] for i in c.reachable()]
            accesses = [(i, a) for i in inside for a in i.sites.accesses if a.touches_global]
            if all(not a.writes for _, a in accesses) or any(
                    a.kind in ("asm", "atomic") and not is_discarded(a.node) for _, a in accesses):
                continue
            found.calls.discard(call)
            for i, a in accesses:
                if a.reads and not (a.kind == "update" and a.statement is not None and is_discarded(a.statement)):
                    self._found[id(i)].loads.add(a)

    def _settle(self) -> bool:
        """Looks at every function, callees first; whether one needs more of the others than they knew of."""
        before = self._wants.size
        for info in (*self._program.functions, self._program.kernel):
            itself = any(c is info for cs in info.callees.values() for c in cs)
            while True:
                found = self._found[id(info)] = self._look(info)
                known, self._params[id(info)] = self._params.get(id(info), frozenset()), frozenset(
                    i for i, v in enumerate(info.scopes.params)
                    if v in found.needed or (Mem(v) in found.needed and not v.type.is_address))
                if known == self._params[id(info)] or not itself:
                    break  # what calls itself needs more for what it hands on to itself
            self._wants.members |= {o.name for o in found.needed if isinstance(o, Var) and o.member}
            self._wants.memory |= {o.var for o in found.needed if isinstance(o, Mem) and o.var.space is Space.SHARED}
        return before != self._wants.size and bool(self._program.functions)

    def _look(self, info: FunctionInfo) -> Retained:
        optional = selections(info)
        start = _starts(info, optional.keys())
        wanted = {v for m, v in info.scopes.members.items() if m in self._wants.members}
        for objs, definition in definitions(info):
            if any(o in wanted or (isinstance(o, Mem) and o.var in self._wants.memory) for o in objs):
                start += definition.sources
        for call, callees in info.callees.items():
            args, receiver = arguments(call), info.sites.call_at[call].receiver
            for c in callees:
                start += [args[i] for i in self._params.get(id(c), frozenset()) if i < len(args)]
                if receiver is not None and id(c) in self._found and self._found[id(c)].uses_object:
                    start.append(receiver)
        needed: set[Obj] = set()
        loads: set[Access] = set()
        calls: set[Node] = set()
        flow = _Flow(info)
        while True:
            fresh, expressions = value_closure(info, start, reach=flow)
            needed |= fresh
            found = {a for a in info.sites.accesses if a.touches_global and a not in loads and a.kind != "asm"
                     and (a.reads or a.kind == "atomic") and _is_read(a.node, expressions)}
            calls |= {n for n, callees in info.callees.items()
                      if any(_loads_global(c) for c in callees) and _is_read(n, expressions)}
            decisive = [n for n, objs in optional.items() if not objs.isdisjoint(needed)]
            for statement in decisive:
                start += [test for n in statement.walk() if n.type == "if_statement"
                          and (test := n.get("condition")) is not None]
                del optional[statement]
            if not found and not decisive:
                return Retained(loads, needed, calls)
            loads |= found
            for a in found:
                start += a.address


def _loads_global(info: FunctionInfo) -> bool:
    """Whether a function, or one that it calls, gets a value from global memory. One that only stores does not."""
    return any(a.touches_global and (a.reads or a.kind == "asm" or (a.kind == "atomic" and not is_discarded(a.node)))
               for i in info.reachable() for a in i.sites.accesses)


def _starts(info: FunctionInfo, without: Set[Node]) -> list[Node]:
    """What decides control flow, but for the statements ``without``, and shared and local indices."""
    start = control_nodes(info, without)
    for a in info.sites.accesses:
        if not a.touches_global or Space.SHARED in a.spaces:
            start += a.address
    for node in info.function.body.walk():
        if node.type == "subscript_expression" and node not in info.sites.at:
            indices = node.get("indices")
            if indices is not None and info.values.value(node).spaces & {Space.LOCAL}:
                start += indices.kids
    return start


def _is_read(at: Node, expressions: set[Node]) -> bool:
    node: Node | None = at
    while node is not None:
        if node in expressions:
            return True
        if node.type in ("sizeof_expression", "decltype"):
            return False
        node = node.parent
    return False


def read_back(program: Program, kept: dict[int, set[Access]]) -> Refused | list[Note]:
    """What comes of stores that are taken away, and whose memory a retained load may read after them.

    A branch may then go another way. A loop that waits for the stored value would never end: it is refused.
    """
    notes: list[Note] = []
    stores = [(i, a) for i in program.all() for a in i.sites.accesses
              if a.touches_global and a.writes and a not in kept[id(i)] and a.kind != "asm"]
    for info in program.all():
        if not kept[id(info)] or not stores:
            continue
        _, bounds = value_closure(info, loop_nodes(info))
        for load in sorted(kept[id(info)], key=lambda a: a.node.start):
            waits = _is_read(load.node, bounds) and _waits(info, load)
            stale = next((a for i, a in stores if not a.roots.isdisjoint(load.roots) and
                          (i is not info or waits or _may_precede(a.node, load.node))), None)
            if stale is None:
                continue
            file = info.function.file
            span = file.expansion.to_source(load.node.span) if file.main else None
            text, store = (" ".join(n.text.split())[:50] for n in (load.node, stale.node))
            if _is_read(load.node, bounds):
                return Refused("store-read-back", f"a loop depends on `{text}`, and `{store}` is stored to the same "
                               "memory: without the store the loop might never end", span, "use memory-only")
            notes.append(Note("stores-carry-control", f"a branch or an index depends on `{text}`, and `{store}` is "
                              "stored to the same memory: without the store it may go another way", span))
    return notes


def _waits(info: FunctionInfo, load: Access) -> bool:
    """Whether a load that decides a loop has the same address in each turn: it waits for another thread's store."""
    needs = frozenset(o for n in load.address for o in info.uses(n))
    for loop in (up for up in load.node.ancestors() if up.type in LOOPS):
        changed = (objs for objs, d in definitions(info) if loop.start <= d.node.start and d.node.end <= loop.end)
        if all(needs.isdisjoint(objs) for objs in changed):
            return True
    return False


def _may_precede(store: Node, load: Node) -> bool:
    """Whether a store may happen before a load: it stands before it, or both are in one loop."""
    return store.start < load.start or any(up.type in LOOPS and up.start <= store.start < up.end
                                           for up in load.ancestors())
