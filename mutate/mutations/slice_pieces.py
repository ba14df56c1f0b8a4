"""What a slice keeps of an expression, as text: loads folded into a sink, stores of it, calls of mutated functions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from mutate.analysis.atomic_objects import is_arrow
from mutate.analysis.calls import arguments, name_in
from mutate.analysis.dataflow import branch_of
from mutate.analysis.expression_slices import stored_type
from mutate.analysis.lambdas import is_generic
from mutate.analysis.liveness import idle_loads, lost_results
from mutate.analysis.objects import COPIES
from mutate.analysis.plans import LOOPS, Act, Keep, Piece, Wants
from mutate.analysis.program import FunctionInfo, Mem, Program, type_decides
from mutate.analysis.ptx import read_ptx
from mutate.analysis.sites import Access
from mutate.analysis.slices import Slicer
from mutate.analysis.symbols import Var
from mutate.frontend.tree import Node
from mutate.mutations.base import (
    Rewriter,
    namespace_of,
)
from mutate.mutations.pointers import Pointers
from mutate.source import Span

_FORMS = 4
"""In how many forms, besides the plain one, ``km_fold`` adds a value to the sink."""
_BRANCHES = frozenset({"if_statement", "switch_statement", "conditional_expression"})


@dataclass(frozen=True)
class Style:
    """How the three mutations differ."""

    id: str
    keep: Keep
    guard_stores: bool
    sink: str
    dropped: str
    """What the comment in place of dropped statements says."""


class Planner:
    """Slices a kernel and its device functions once, callees on demand."""

    def __init__(self, program: Program, keep: Keep) -> None:
        self.program = program
        self.keep = keep
        self.wants = Wants()
        self._slicers: dict[int, Slicer] = {}
        self._busy: set[int] = set()
        while self._settle():
            pass

    def _settle(self) -> bool:
        """Slices every function that gets a copy; whether one of them wants more of the others than they knew of."""
        before = self.wants.size
        # Callees come first.
        infos = [*(i for i in self.program.functions if self.program.touches_global(i)), self.program.kernel]
        again: set[int] = set()
        for info in infos:
            found = self._slicers.get(id(info))
            if found is not None and self._is_met(info, found) and not any(
                    id(c) in again for cs in info.callees.values() for c in cs):
                continue
            again.add(id(info))
            self._slicers.pop(id(info), None)
            slicer = self.slicer(info)
            self.wants.members |= {v.name for v in slicer.needed if not isinstance(v, Mem) and v.member}
            self.wants.members |= slicer.named_members
            self.wants.memory |= {o.var for o in slicer.needed if isinstance(o, Mem)}
        for info in infos:
            for call in info.sites.calls:
                for callee in info.callees.get(call.node, ()):
                    for param, (_, roots) in zip(callee.scopes.params, call.targets, strict=False):
                        if not self.wants.memory.isdisjoint(param.roots):
                            self.wants.memory |= roots
        return self.wants.size > before and len(infos) > 1

    def _is_met(self, info: FunctionInfo, slicer: Slicer) -> bool:
        """Whether a slice has all that is wanted and that the function could give."""
        touched = {r for a in info.sites.accesses for r in a.roots}
        touched |= {r for call in info.sites.calls for _, roots in call.targets for r in roots}
        return all(Mem(v) in slicer.needed for v in self.wants.memory & touched) and \
            all(info.scopes.members[m] in slicer.needed for m in self.wants.members & info.scopes.members.keys())

    def slicer(self, info: FunctionInfo) -> Slicer:
        found = self._slicers.get(id(info))
        if found is None:
            self._busy.add(id(info))
            found = self._slicers[id(info)] = Slicer(info, self.keep, self._params, wants=self.wants)
            self._busy.discard(id(info))
        return found

    def _params(self, info: FunctionInfo) -> frozenset[int] | None:
        """Indices of the parameters a callee's kept accesses need; ``None`` when it has none."""
        if not self.program.touches_global(info):
            return None
        if id(info) in self._busy:
            return frozenset(range(len(info.scopes.params)))  # it calls itself
        needed = self.slicer(info).needed
        return frozenset(i for i, v in enumerate(info.scopes.params) if v in needed)


class PieceWriter:
    """Writes the pieces of one function's plan as statements; what they use is in ``features``."""

    def __init__(self, info: FunctionInfo, planner: Planner, style: Style, names: dict[int, str],
                 pointers: Pointers) -> None:
        self.info = info
        self.pointers = pointers
        self.planner = planner
        self.slicer = planner.slicer(info)
        self.style = style
        self.out = Rewriter(info.function.file, style.id)
        self.names = names
        self.features: set[str] = set()
        self._folds: dict[Node, tuple[str, str]] = {}
        """What stands before and behind retained loads, and calls that load, so that they are folded."""
        if style.keep.loads:
            self._folds = dict.fromkeys(idle_loads(self.slicer, not style.guard_stores), ("km_keep(km_sink, ", ")"))
            for call, var in lost_results(self.slicer):
                before, behind = self._folds.get(call, ("(", ")"))
                self._folds[call] = before, f", km_fold(km_sink, {var.name}){behind}"
        loads = sorted((a.node for a in info.sites.accesses if a.touches_global and a.reads), key=lambda n: n.start)
        self._loads = [n.start for n in loads]
        branches = [self._branch(n) for n in loads]
        numbers = {b: 1 + i % _FORMS for i, b in enumerate(b for b in dict.fromkeys(branches) if b is not None)}
        self._forms = {n.start: numbers[b] for n, b in zip(loads, branches, strict=True) if b is not None}
        """By where a load begins: the form in which it is folded. Branches that have loads have one each, in turn."""
        self._read = {r for i in planner.program.all() for b in i.sites.accesses if b.touches_global and b.reads
                      for r in b.roots} if style.sink == "plain-sink" else set()
        self._stores = sorted(a.node.start for a in info.sites.accesses if a.touches_global
                              and a.kind in ("store", "update"))

    def show(self, node: Node) -> str:
        """The node's text, with the retained loads folded that nothing else keeps alive."""
        inside = [n for n in self._folds if node.start <= n.start and n.end <= node.end]
        outer = [n for n in inside if not any(m is not n and m.start <= n.start and n.end <= m.end and m is not node
                                              for m in inside) and n is not node]
        if not inside:
            return self.out.show(node)
        text, at = "", node.start
        for n in outer:
            text += self._between(at, n.start) + self.show(n)
            at = n.end
        text = " ".join((text + self._between(at, node.end)).split())
        before, behind = self._folds.get(node, ("", ""))
        return f"{before}{text}{behind}"

    def _between(self, start: int, end: int) -> str:
        return self.info.function.file.expansion.show(Span(start, end)) if start < end else ""

    def statements(self, pieces: list[Piece]) -> list[str]:
        out: list[str] = []
        for p in pieces:
            out += self._piece(p)
        return out

    def _piece(self, p: Piece) -> list[str]:
        show = self.show
        if p.act is Act.KEEP and p.access is not None and p.access.asm_kind == "store":
            return [self._ptx_store(p.access)]
        if p.act is Act.KEEP:
            # By itself ``T(i);`` declares a variable.
            return [f"{'(void)' if self._may_declare(p.node) else ''}{show(p.node)};"]
        if p.act is Act.FOLD and p.access is not None and p.access.kind == "fragment-load":
            fold = "km_fold_array" if self._is_array(p.access) else "km_fold"
            return [self._fragment(p.access, f"{fold}(km_sink, km_fragment.place());", True)]
        if p.act is Act.FOLD:
            return [f"{self._fold(p.node)}(km_sink, {show(p.node)});"]
        if p.act is Act.STORE and p.access is not None:
            return self._store(p.access, p.node)
        if p.act is Act.ATOMIC and p.access is not None:
            return [self._intrinsic(p.access)]
        if p.act is Act.CALL:
            return [self._call(p.node)]
        if p.act is Act.FENCE:
            return ["__syncwarp();"]
        if p.act is Act.EXPAND:
            return [f"(({self._as_expression(s)}), ...);" for s in self.statements(p.then)]
        if p.act is Act.BRANCH:
            then, other = self.statements(p.then), self.statements(p.otherwise)
            condition = show(p.node)
            if not then:
                return [f"if (!({condition})) {{ {' '.join(other)} }}"]
            tail = f" else {{ {' '.join(other)} }}" if other else ""
            return [f"if ({condition}) {{ {' '.join(then)} }}{tail}"]
        return []

    def _may_declare(self, node: Node) -> bool:
        """Whether an expression would be a declaration where it stands alone: a type's name before a variable."""
        args = arguments(node) if node.type == "call_expression" else []
        return len(args) == 1 and args[0].type in ("identifier", "parenthesized_expression", "pointer_expression",
                                                   "subscript_expression") and not self.info.callees.get(node)

    @staticmethod
    def _as_expression(statement: str) -> str:
        return f"[&] {{ {statement} }}()" if statement.startswith(("{", "if")) else statement.rstrip(";")

    def _store(self, a: Access, target: Node) -> list[str]:
        site = self.show(target)
        self.features.add("put")
        put = self._put(a)
        if a.kind == "update" and self.style.keep.loads:
            if _has_effects(target):
                return [f"{{ auto &km_site = {site}; km_fold(km_sink, km_site); {put}(km_site, km_sink); }}"]
            return [f"km_fold(km_sink, {site});", f"{put}({site}, km_sink);"]
        return [f"{put}({site}, km_sink);"]

    def _put(self, a: Access) -> str:
        """Stores of the sink in several branches differ by a number, or the compiler makes one store of them.

        Without the loads between them, stores to one place would become one, too.
        """
        name = "km_put"
        if not self._read.isdisjoint(a.roots):
            name = "km_put_each"
            self.features.add("put-each")
        elif self.style.guard_stores and self._is_loaded_behind(a):
            name = "km_put_over"
            self.features.add("put-over")
        for whole in self._alternatives(a.node):
            if bisect_left(self._stores, whole.end) - bisect_left(self._stores, whole.start) > 1:
                return f"{name}<{bisect_left(self._stores, a.node.start) + 1}>"
        return name

    def _is_loaded_behind(self, a: Access) -> bool:
        """Whether the original loads anew behind a store what may lie in the same place.

        Not where a pointer says that it is the only one, nor what the store itself hands on to the load in a register.
        """
        if not a.roots or any("restrict" in p.type_text for p in self.info.function.params):
            return False
        memory = [b for b in self.info.sites.accesses if b.touches_global]
        loop = next((up for up in a.node.ancestors() if up.type in LOOPS), None)
        around = [b for b in memory if loop is not None and loop.start <= b.node.start < loop.end]
        end = (a.statement or a.node).end
        behind = [b for b in memory if b.reads and (b in around or b.node.start >= end)]
        if any(b.reads and not b.roots.isdisjoint(a.roots) for b in memory):
            return any(b.writes and b.roots.isdisjoint(a.roots) for b in around)
        return bool(behind)

    def _fold(self, node: Node) -> str:
        """Loads in the branches of one statement are folded in different forms.

        Otherwise one load at a selected address would be made of them.
        """
        for whole in self._alternatives(node):
            if not self._selects(whole) and bisect_left(self._loads, whole.end) - bisect_left(self._loads,
                                                                                             whole.start) > 1:
                form = self._forms.get(node.start, 0)
                return f"km_fold<{form}>" if form else "km_fold"
        return "km_fold"

    def _alternatives(self, node: Node) -> Iterator[Node]:
        """The statements around an access of whose branches the compiler may make one, the innermost first.

        A branch that returns has what follows it as its alternative.
        """
        for up in node.ancestors():
            if up is self.info.function.body:
                return
            if up.type in _BRANCHES:
                if up.type != "if_statement" or up.get("alternative") is not None:
                    yield up
                elif (then := up.get("consequence")) is not None and any(n.type == "return_statement"
                                                                         for n in then.walk()):
                    yield self.info.function.body

    def _branch(self, node: Node) -> Node | None:
        """The branch that a load is in and that has a form of its own."""
        branch = branch_of(node)
        while branch is not None and branch.parent is not None and self._selects(branch.parent):
            branch = branch_of(branch.parent)
        return branch

    def _selects(self, whole: Node) -> bool:
        """Whether the original, too, loads once from a selected address: both branches are loads and no more."""
        return whole.type in ("if_statement", "conditional_expression") and all(
            self._only_loads(whole.get(f)) for f in ("consequence", "alternative"))

    def _only_loads(self, arm: Node | None) -> bool:
        """Whether a branch is no more than a load, or an assignment of one."""
        while arm is not None and arm not in self.info.sites.at:
            kids = [k for k in arm.kids if k.type not in ("else", "comment")]
            arm = arm.get("right") if arm.type == "assignment_expression" else kids[0] if len(kids) == 1 else None
        return arm is not None and self.info.sites.at[arm].kind == "load"

    def _fragment(self, a: Access, then: str, first: bool) -> str:
        """A load or store of a fragment of a matrix, which goes to or comes from a fragment of its own."""
        show = self.show
        function, (data, *_) = a.node.get("function"), a.value
        self.features.add("any")
        array = self._is_array(a)
        if array:
            self.features.add("fold-array")
        behind = not array and data in arguments(a.node) and self.info.values.value(data).decay().type.kind == "pointer"
        args = ", ".join("&km_fragment.place()" if x.get("argument") is data or (behind and x is data) else
                         "km_fragment.place()" if x is data else show(x) for x in arguments(a.node))
        call = f"{show(function) if function is not None else a.builtin}({args});"
        what = f"*({show(data)})" if behind else show(data)
        # What is not copied to is folded, too.
        spare = f"km_Spare<decltype({what})> km_fragment{' = {}' if array else ''};"
        parts = [spare, *([call, then] if first else [then, call])]
        return f"{{ {' '.join(parts)} }}"

    def _is_array(self, a: Access) -> bool:
        """Whether bytes are copied to an array by its name."""
        return a.builtin == "memcpy" and a.value[0] in arguments(a.node) and \
            self.info.values.value(a.value[0]).type.kind == "array"

    def _intrinsic(self, a: Access) -> str:
        """An atomic or a store intrinsic with the sink as its value."""
        args = arguments(a.node)
        if a.kind == "fragment-store":
            self.features.add("put")
            fill = f"km_fragment.place() = km_value<decltype({self.show(a.value[0])})>(km_sink);"
            if not self.style.guard_stores:
                return self._fragment(a, fill, False)
            self.features.add("never-at")
            return f"if (km_never_at({self.show(a.address[0])})) {self._fragment(a, fill, False)}"
        if a.kind == "surface-store":
            self.features.add("put")
            type_ = stored_type(self.info, a) or f"decltype({self.show(a.value[0])})"
            texts = [f"km_value<{type_}>(km_sink)" if x in a.value else self.show(x) for x in args]
            function = a.node.get("function")
            call = f"{self.show(function) if function is not None else a.builtin}({', '.join(texts)});"
            if not self.style.guard_stores:
                return call
            self.features |= {"never-at", "place"}
            return f"if (km_never_at(km_place({', '.join(texts[2:])}))) {call}"
        function = a.node.get("function")
        name = self.show(function) if function is not None else a.builtin
        texts = []
        pointer = next((self.show(x) for x in args if x in a.address), "0")
        stored = f"decltype(*({pointer}))"
        if a.receiver is not None and function is not None:
            at = f"{'*' if is_arrow(function) else ''}({self.show(a.receiver)})"
            stored, pointer = f"decltype(({at}).load())", f"km_where({at})"
        for x in args:
            if x in a.value and not self._available(x):
                self.features.add("put")
                texts.append(f"km_value<{stored}>(km_sink)")
            else:
                texts.append(self.show(x))
        call = f"{name}({', '.join(texts)})"
        if self.style.guard_stores:
            self.features |= {"never-at", "where"} if a.receiver is not None else {"never-at"}
            return f"if (km_never_at({pointer})) {call};"
        if a.kind == "atomic" and a.node.parent is not None and \
                a.node.parent.type != "expression_statement" and self.style.keep.loads:
            return f"km_fold(km_sink, {call});"
        return f"{call};"

    def _ptx_store(self, a: Access) -> str:
        ptx = read_ptx(a.node)
        if ptx is None:
            return f"{self.show(a.node)};"
        self.features.add("put")
        text, at = "", a.node.start
        for v in sorted(ptx.values, key=lambda v: v.start):
            text += f"{self._between(at, v.start)}km_value<decltype({self.show(v)})>(km_sink)"
            at = v.end
        text = " ".join((text + self._between(at, a.node.end)).split())
        if not self.style.guard_stores:
            return f"{text};"
        self.features.add("never-at")
        return f"if (km_never_at((const volatile void *)({self.show(ptx.address)}))) {text};"

    def _available(self, node: Node) -> bool:
        """True when the expression only uses what the slice keeps, and costs nothing to keep."""
        uses = self.info.uses(node)
        return not uses and not any(n.type == "call_expression" for n in node.walk())

    def _lambda_call(self, node: Node, params: tuple[Var, ...]) -> str:
        texts = []
        for param, x in zip(params, arguments(node), strict=False):
            if param in self.slicer.needed:
                texts.append(self.show(x))
                continue
            self.features.add("any")
            if is_generic(param):
                texts.append(f"km_Spare<decltype({self.show(x)})>().place()")
            else:
                texts.append("km_AnyRef()" if param.is_ref else "km_Any()")
        return f"{self.show(node.fields['function'])}({', '.join(texts)});"

    def _call(self, node: Node) -> str:
        function = node.get("function")
        found = self.slicer.lambda_at(node)
        if found is not None:
            return self._lambda_call(node, found.params)
        infos = [c for c in self.info.callees.get(node, []) if id(c) in self.names]
        call = self.info.sites.call_at[node]
        dispatched = self.planner.program.dispatch(self.info, call)
        args = arguments(node)
        texts = []
        for i, x in enumerate(args):
            wanted = any(i < len(c.scopes.params) and c.scopes.params[i] in self.planner.slicer(c).needed
                         for c in infos)
            if wanted:
                texts.append(self.show(x))
                continue
            self.features.add("any")
            if not dispatched and type_decides(infos, i):
                texts.append(f"km_Spare<decltype({self.show(x)})>().place()")
            else:
                texts.append("km_AnyRef()" if any(_takes_reference(c, i) for c in infos) else "km_Any()")
        name = self.show(function) if function is not None else ""
        if dispatched and call.value is not None:
            return f"{self.pointers.callee(self.info, call, self.show(call.value))}({', '.join(['km_sink', *texts])});"
        plain, new = infos[0].function.name, self.names[id(infos[0])]
        if plain in COPIES and call.receiver is not None and name.rpartition(".")[2] != plain:
            return f"{self.show(call.receiver)}.{new}({', '.join(['km_sink', *texts])});"
        at = name_in(function)
        if function is not None and at is not None and at.text == plain and self.show(function) == function.text:
            head, tail = function.text[: at.start - function.start], function.text[at.end - function.start :]
        else:
            head, _, tail = name.rpartition(plain)
        if function is not None and function.type in ("identifier", "template_function"):
            head += namespace_of(infos[0], self.info)
        return f"{head}{new}{tail}({', '.join(['km_sink', *texts])});"


def _takes_reference(info: FunctionInfo, index: int) -> bool:
    params = info.scopes.params
    return index < len(params) and params[index].is_ref


def _has_effects(node: Node) -> bool:
    return any(n.type in ("update_expression", "assignment_expression", "call_expression") for n in node.walk())
