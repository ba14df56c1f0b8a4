"""What of a function has to stay as it is so that a slice's addresses and conditions are right."""

from __future__ import annotations

from collections.abc import Callable

from mutate.analysis.barriers import barrier_objects
from mutate.analysis.dataflow import Reach
from mutate.analysis.objects import members_of
from mutate.analysis.plans import Keep, Wants
from mutate.analysis.program import FunctionInfo, Mem, Obj
from mutate.analysis.repeats import separating_barriers
from mutate.analysis.sites import Access, is_discarded
from mutate.analysis.symbols import Space, Var
from mutate.frontend.tree import Node


def named_members(info: FunctionInfo, node: Node, as_object: bool) -> set[str]:
    """Names of members of objects whose value an expression uses, itself or by the functions that it calls.

    With ``as_object`` the expression itself is an object, and is used for its member functions only.
    """
    unit = info.values.unit
    out: set[str] = set()
    for n in node.walk():
        for c in info.callees.get(n, ()):
            out |= c.used_members()
        up = n.parent
        if n.type == "field_expression" and unit.struct(info.values.value(n.get("argument")).type.name) is not None:
            out.add(field.text if (field := n.get("field")) is not None else "")
        elif n.type == "identifier" and (var := info.scopes.var_of.get(n)) is not None and not (
                as_object and n is node) and not (up is not None and up.type == "field_expression"):
            out |= members_of(unit, var.type.innermost().name).keys()
    return out


class Needs:
    """What a slice needs so far: objects, conditions, loads and calls of one function."""

    def __init__(self, info: FunctionInfo, keep: Keep, callee_params: Callable[[FunctionInfo], frozenset[int] | None],
                 wants: Wants) -> None:
        self.info = info
        self.keep = keep
        self.needed: set[Obj] = {Mem(v) for v in wants.memory} | {
            v for m, v in info.scopes.members.items() if m in wants.members}
        kept = barrier_objects(info)
        self.needed |= kept | {Mem(v) for v in kept}
        self.wants = wants
        self.named_members: set[str] = set()
        """Members of objects that something kept uses."""
        self.retained: dict[Node, Access] = {}
        """Loads whose value something kept depends on."""
        self.retained_calls: set[Node] = set()
        """Calls of functions that load, whose results something kept depends on."""
        self.retained_updates: set[Node] = set()
        """The same of functions that have no result: they change what they get by reference."""
        self.whole_calls: dict[FunctionInfo, Node] = {}
        """Functions that access global memory and are called as they are, each with such a call."""
        self._callee_params = callee_params
        self._reach = Reach(info)
        self._separating = separating_barriers(info)
        self._used: dict[Obj, list[Node]] = {}
        """Where the needed objects are used."""
        self._named: set[Var] = set()
        """Variables that something kept names without their value: they stay declared."""
        self._changed = True
        self._seen: set[Node] = set()

    def need(self, node: Node | None, as_object: bool = False) -> None:
        """The value of an expression must be right; ``as_object``: of those members that others want."""
        if node is None or node in self._seen:
            return
        self._seen.add(node)
        self.named_members |= named_members(self.info, node, as_object)
        for obj in self.info.uses(node):
            self.needed.add(obj)
            self._used.setdefault(obj, []).append(node)
            self._changed = True
        self._declare(node)
        for n in node.walk():
            loading = [c for c in self.info.callees.get(n, ()) if self._callee_params(c) is not None]
            if loading and not any(up.type == "lambda_expression" for up in n.ancestors()):
                void = all(c.function.returns_void for c in loading)
                (self.retained_updates if void else self.retained_calls).add(n)
            for c in self.info.callees.get(n, ()):
                if self._callee_params(c) is not None:
                    self.whole_calls.setdefault(c, n)
            access = self.info.sites.at.get(n)
            if access is None or not access.touches_global or not (access.reads or access.kind in ("atomic", "asm")):
                continue
            # What an asynchronous copy reads is used only by way of the shared memory that it fills.
            if access.kind != "async" or self._any_needed(frozenset(Mem(r) for r in access.roots
                                                                    if r.space is Space.SHARED)):
                self.retained[n] = access

    def is_needed(self, node: Node) -> bool:
        """Whether the value of an expression was found to be needed."""
        return node in self._seen

    def _declare(self, node: Node) -> None:
        """Variables that text which stays only names, as in ``sizeof``, have to stay declared."""
        for n in node.walk():
            var = self.info.scopes.var_of.get(n) if n.type == "identifier" else None
            if var is not None and var not in self._named:
                self._named.add(var)
                self._changed = True

    def _need_address(self, a: Access) -> None:
        """What an access needs to happen where it does; its value need not be right."""
        call = self.info.sites.call_at.get(a.node)
        for n in a.address:
            self.need(n, as_object=call is not None and n is call.receiver)
        for c in self.info.callees.get(a.node, ()):
            # It returns a reference to what is accessed, and is called as it is.
            self.named_members |= c.used_members()
            if self._callee_params(c) is not None:
                self.whole_calls.setdefault(c, a.node)
        var = self.info.scopes.var_of.get(a.node)
        # A reference, or a variable in memory itself: where it is, not what is there.
        if var is not None and a.node not in (used := self._used.setdefault(var, [])):
            used.append(a.node)
            self.needed.add(var)
            self._changed = True

    def _any_needed(self, objs: frozenset[Obj], definition: Node | None = None) -> bool:
        """Whether one of the objects is needed; of variables, whether the value that a definition gives them is."""
        for o in objs:
            if o not in self.needed:
                continue
            if definition is None or not isinstance(o, Var) or not self._reach.is_ordered(o):
                return True
            if any(self._reach.reaches(definition, use, o) for use in self._used.get(o, ())):
                return True
        return False

    def kept_stores(self) -> list[Access]:
        """Global stores, and updates of which only the memory has the result, whose value something kept reads back.

        They stay as they are.
        """
        return [a for a in self.info.sites.accesses if a.touches_global
                and (a.kind in ("store", "update") or (a.kind == "atomic" and is_discarded(a.node)))
                and self._any_needed(frozenset(Mem(r) for r in a.roots))]

    @property
    def keeps_barriers(self) -> bool:
        return any(isinstance(o, Mem) and o.var.space is Space.SHARED for o in self.needed)

    def _need_indices(self, fragments: tuple[Node, ...]) -> None:
        """A fragment is named in a ``decltype``: what it is declared with must stay, its value need not."""
        for fragment in fragments:
            for n in fragment.walk():
                if n.type == "subscript_argument_list":
                    self._need_variables(n)
            var = self.info.values.root_variable(fragment)
            if var is not None and var.init is not None and var not in self.needed:
                self.needed.add(var)
                self._changed = True

    def _need_variables(self, node: Node) -> None:
        """The variables of an expression that is only named in a ``decltype``: they must stay declared.

        Parameters do; one that were needed would have the caller hand on its value.
        """
        for obj in self.info.uses(node):
            if not isinstance(obj, Mem) and not obj.is_param and obj not in self.needed:
                self.needed.add(obj)
                self._changed = True
