"""math-only: the arithmetic, without global memory."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from mutate.analysis.atomic_objects import is_arrow
from mutate.analysis.barriers import barrier_objects, barriers_inside
from mutate.analysis.dataflow import Reach, definitions, value_closure
from mutate.analysis.plans import LOOPS, Wants
from mutate.analysis.program import FunctionInfo, Mem, Obj, Program
from mutate.analysis.ptx import PtxAccess, read_ptx
from mutate.analysis.sites import Access, is_discarded, output_of
from mutate.analysis.symbols import Space, Var
from mutate.analysis.values import arguments
from mutate.frontend.tree import Node
from mutate.mutations.base import (
    ARITHMETIC,
    GLOBAL,
    SHARED,
    Check,
    Clone,
    Example,
    Mutation,
    Note,
    Refused,
    Rewrite,
    Rewriter,
    before_else,
    clones_wanted,
    copy_name,
    error_refusal,
    grid_barrier_refusal,
    library_memory_refusal,
    load_notes,
    namespace_of,
    opaque_call_refusal,
    shared_pipeline_refusal,
)
from mutate.mutations.control import control_nodes, loop_nodes, selections
from mutate.mutations.pointers import Pointers, dispatch_table
from mutate.source import Edit, Span


@dataclass(eq=False)
class _Retained:
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


class _Retention:
    """Finds what control flow and the indices of shared and local memory depend on, in all functions of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._wants = Wants()
        self._params: dict[int, frozenset[int]] = {}
        self._found: dict[int, _Retained] = {}
        self._callees = {n: cs for i in program.all() for n, cs in i.callees.items()}
        while self._settle():
            pass
        for found in list(self._found.values()):
            self._keep_what_callees_load(found)

    def of(self, info: FunctionInfo) -> _Retained:
        return self._found[id(info)]

    def _keep_what_callees_load(self, found: _Retained) -> None:
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

    def _look(self, info: FunctionInfo) -> _Retained:
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
                return _Retained(loads, needed, calls)
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


class _Writer:
    def __init__(self, info: FunctionInfo, retained: _Retained, names: dict[int, str], pointers: Pointers) -> None:
        self.info = info
        self.pointers = pointers
        self.kept = retained.loads
        self.whole = retained.calls
        self.names = names
        self.out = Rewriter(info.function.file, "math-only")
        self.features: set[str] = set()
        self.guarded: set[str] = set()

    def write(self) -> Refused | None:
        for a in self.info.sites.accesses:
            if a in self.kept and a.kind == "update":
                return Refused("store-read-back", f"`{self.out.show(a.node)[:50]}` is updated and read back, and a "
                               "branch, a loop bound or an index depends on it: the update cannot be taken away",
                               self.out.source_span(a.node) if self.info.function.file.main else None,
                               "use memory-only")
            if not a.touches_global or a in self.kept:
                continue
            refusal = self._access(a)
            if refusal is not None:
                return refusal
        for barrier in self.info.sites.barriers:
            if barrier.scope == "grid":
                # It waits for the block before and after it waits for the others.
                self.out.replace(barrier.node.span, "(__syncthreads(), __syncthreads())",
                                 "grid-wide barrier becomes the block's")
                self.out.comment(barrier.node, "grid-wide barrier becomes the block's")
        for node, callees in self.info.callees.items():
            mutated = [c for c in callees if id(c) in self.names and node not in self.whole]
            function, call = node.get("function"), self.info.sites.call_at[node]
            if mutated and function is not None and call.value is not None:
                text = self.pointers.callee(self.info, call, self.out.show(call.value))
                self.out.replace(function.span, text, "call of the copy")
                self.out.comment(node, "call of a mutated function")
            elif mutated:
                old, new = mutated[0].function.name, self.names[id(mutated[0])]
                self.out.call_copy(node, old, new, f"{old} becomes {new}", namespace_of(mutated[0], self.info))
                self.out.comment(node, "call of the mutated function")
        return None

    def _rename(self, function: Node, old: str, new: str) -> None:
        self.out.rename(function, old, new, f"{old} becomes {new}")

    def _access(self, a: Access) -> Refused | None:
        span = self.out.source_span(a.node) if self.info.function.file.main else None
        if a.kind == "asm":
            ptx = read_ptx(a.node)
            nested = any(b is not a and b.touches_global and a.node.start <= b.node.start < a.node.end
                         for b in self.info.sites.accesses)
            if ptx is None or nested:
                return Refused("inline-ptx-access", f"inline PTX accesses global memory ({a.asm_kind}) in a form that "
                               "kmutate cannot take away", span, "use the CUDA intrinsic instead of inline PTX")
            self._ptx(a.node, ptx)
            return None
        if a.receiver is not None:
            self._member(a, a.receiver)
            return None
        if a.kind == "load":
            if a.builtin:
                self.features.add("opaque")
                self._rename(a.node.get("function") or a.node, a.builtin, "km_opaque")
                self.out.comment(a.node, "load made opaque")
            else:
                self.features.add("far" if a.touches_shared else "opaque")
                self.out.wrap(a.node, f"km_opaque{'_far' if a.touches_shared else ''}(&", ")", "load made opaque")
            return None
        if a.kind in ("texture", "surface-load"):
            self.features |= {"opaque", "opaque-at", "bits"}
            args = arguments(a.node)
            text = f"km_opaque_at<decltype({self.out.show(a.node)})>("
            function = a.node.get("function")
            if function is not None and args:
                self.out.replace(Span(function.start, args[0].start), text, "load made opaque")
                self.out.comment(a.node, "load made opaque")
            return None
        if a.kind == "async":
            self.features |= {"opaque", "async"}
            name = "km_pipeline_memcpy_async" if a.builtin.startswith("__pipeline") else "km_memcpy_async"
            function = a.node.get("function")
            if function is not None:
                self.out.replace(function.span, name, "asynchronous copy made opaque")
                self.out.comment(a.node, "asynchronous copy made opaque")
            return None
        if a.kind == "fragment-load":
            self.features |= {"opaque", "fragment"}
            of_object = a.builtin.startswith(("surf", "tex"))
            if of_object:
                self.features |= {"opaque-at", "fragment-at"}
            array = a.builtin == "memcpy" and a.value[0] in arguments(a.node) and \
                self.info.values.value(a.value[0]).type.kind == "array"
            name = "read" if of_object else "array" if array else "copy" if a.builtin == "memcpy" else "fragment"
            self.out.replace((a.node.get("function") or a.node).span, f"km_opaque_{name}", "load made opaque")
            self.out.comment(a.node, "load made opaque")
            return None
        if a.kind == "fragment-store":
            self.features |= {"bits", "never"}
            pointer, fragment = self.out.show(arguments(a.node)[0]), self.out.show(a.value[0])
            self._guard(a.node, f"km_never({fragment}, {pointer})")
            return None
        if a.builtin:
            if a.kind == "surface-store":
                self.features.add("place")
            self.features |= {"opaque", "bits", "never"}
            self.guarded.add(a.builtin)
            self._rename(a.node.get("function") or a.node, a.builtin, f"km_{a.builtin}")
            self.out.comment(a.node, "update guarded")
            return None
        self.features.add("far" if a.touches_shared else "site")
        if (asm := output_of(a.node)) is not None:
            return self._result(a, asm)
        self.out.wrap(a.node, "km_far_site(" if a.touches_shared else "km_site(", ")", "store guarded")
        return None

    def _member(self, a: Access, receiver: Node) -> None:
        """``object.load(order)`` becomes ``km_load(object, order)``, likewise what stores and updates."""
        note = "load made opaque" if a.kind == "load" else "store guarded" if a.kind == "store" else "update guarded"
        arrow = is_arrow(a.node.fields["function"])
        self.features |= {"opaque", "bits", "never", "where"}
        self.guarded.add(f"member {a.builtin}")
        self.out.wrap(a.node, f"km_{a.builtin}({'*(' if arrow else ''}", "", note)
        first = next(iter(arguments(a.node)), None)
        end = first.start if first is not None else a.node.end - 1
        self.out.replace(Span(receiver.end, end), ")" * arrow + ", " * (first is not None), note)

    def _guard(self, node: Node, condition: str) -> None:
        """Puts a condition before a statement, which is an expression statement or stands for one."""
        braces = node.parent is not None and before_else(node.parent)
        self.out.insert(node.start, f"{'{ ' * braces}if ({condition}) ", "store guarded")
        if braces and node.parent is not None:
            self.out.insert(node.parent.end, " }", "store guarded")
        self.out.comment(node, "store guarded")

    def _result(self, a: Access, asm: Node) -> Refused | None:
        """Where inline PTX puts a result in memory: in a variable, from which it is stored."""
        place, statement = a.node, asm.parent
        if statement is None or statement.type != "expression_statement" or any(
                b is not a and b.touches_global and place.start <= b.node.start < place.end
                for b in self.info.sites.accesses):
            span = self.out.source_span(place) if self.info.function.file.main else None
            return Refused("inline-ptx-access", "inline PTX puts a result in global memory in a form that kmutate "
                           "cannot take away", span, "have it put the result in a variable")
        far, text = "_far" * a.touches_shared, self.out.show(place)
        name, value = f"km_result{place.start - asm.start}", ""
        if a.kind == "update":
            self.features.add("opaque")
            value = f" = km_opaque{far}(&({text}))"
        type_ = f"typename decltype(km{far}_site({text}))::V"
        self.out.insert(statement.start, f"{{ {type_} {name}{value}; ", "store guarded")
        self.out.replace(place.span, name, "store guarded")
        self.out.insert(statement.end, f" km{far}_site({text}) = {name}; }}", "store guarded")
        self.out.comment(a.node, "store guarded")
        return None

    def _ptx(self, node: Node, ptx: PtxAccess) -> None:
        """One PTX instruction: a load becomes opaque values, a store is guarded, a copy loses its global side."""
        show = self.out.show
        self.features |= {"opaque", "ptx"}
        address = f"(unsigned long long)({show(ptx.address)}) + {ptx.offset}" if ptx.offset else show(ptx.address)
        if ptx.kind == "load":
            parts = [f"km_ptx_load({show(v)}, {address}, {i})" for i, v in enumerate(ptx.values)]
            text = ", ".join(parts)
            if ptx.condition is not None:
                other = ", ".join(f"{show(v)} = 0" for v in ptx.values) if ptx.zeroed else "0"
                text = f"({show(ptx.condition)}) ? (void)({text}) : (void)({other})"
            self.out.replace(node.span, f"({text})", "load made opaque")
            self.out.comment(node, "load made opaque")
        elif ptx.kind == "store":
            self.features |= {"bits", "never"}
            value = " + ".join(f"km_bits({show(v)})" for v in ptx.values)
            self._guard(node, f"km_never({value}, (const volatile void *)({address}))")
        else:
            text = f"km_ptx_copy({show(ptx.values[0])}, {address}, {ptx.width})"
            self.out.replace(node.span, f"if ({show(ptx.condition)}) {text}" if ptx.condition is not None else text,
                             "asynchronous copy made opaque")
            self.out.comment(node, "asynchronous copy made opaque")


def _read_back(program: Program, kept: dict[int, set[Access]]) -> Refused | list[Note]:
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


def transform(program: Program) -> Rewrite | Refused:
    # What a barrier object compiles to hides from the certificate that a store is guarded.
    hidden = grid_barrier_refusal(program) if any(barrier_objects(i) for i in program.all()) else None
    for refusal in (error_refusal(program), hidden, shared_pipeline_refusal(program),
                    library_memory_refusal(program, "a math-only variant"),
                    opaque_call_refusal(program, "a math-only variant")):
        if refusal is not None:
            return refusal
    if not any(a.touches_global for _, a in program.accesses()):
        return Refused("no-global-access", "the kernel makes no access to global memory: it is math-only already")
    mutated = clones_wanted(program, lambda f: program.touches_global(f) or "grid" in barriers_inside(f))
    names = {id(f): copy_name(f) for f in mutated}
    retention = _Retention(program)
    pointers = Pointers(program, names, sink=False)
    features: set[str] = set()
    guarded: set[str] = set()
    clones: list[Clone] = []
    edits: tuple[Edit, ...] = ()
    notes: list[Note] = []
    read_back = _read_back(program, {id(i): retention.of(i).loads for i in program.all()})
    for info in (program.kernel, *mutated):
        retained = retention.of(info)
        writer = _Writer(info, retained, names, pointers)
        refusal = writer.write()
        if refusal is not None:
            return refusal
        features |= writer.features
        guarded |= writer.guarded
        notes += [Note("grid-barrier-replaced", f"{b.spelling}() waits for the block only: the accesses that make it "
                       "wait for other blocks are gone", info.function.file.expansion.to_source(b.node.span)
                       if info.function.file.main else None) for b in info.sites.barriers if b.scope == "grid"]
        whole = {id(c): c for n in sorted(retained.calls, key=lambda n: n.start) for c in info.callees[n]}
        notes += load_notes([(info, a.node) for a in sorted(retained.loads, key=lambda a: a.node.start)],
                            [*whole.values()], "stays: a branch, a loop bound or an index depends on it")
        if info is program.kernel:
            edits = writer.out.finish()
        else:
            clones.append(Clone(info, names[id(info)], writer.out.finish(), items=pointers.copies(info)))
    if isinstance(read_back, Refused):
        return read_back
    notes += read_back
    return Rewrite(edits, tuple(clones), frozenset(features | {"bits"} | pointers.features), tuple(sorted(guarded)),
                   notes=tuple(dict.fromkeys(notes)),
                   dispatch=dispatch_table(program, names) if "dispatch" in pointers.features else (),
                   items=pointers.copies(program.kernel))


MUTATION = Mutation(
    id="math-only",
    summary="only the arithmetic: address arithmetic, shared memory and barriers stay, global memory goes",
    keeps="arithmetic, address arithmetic too, shared memory, barriers",
    removes="global accesses",
    how="a load becomes a register value made from its own address in one instruction; a store becomes "
        "`if (1 == value * km_flag) site = value;`, with the address in the condition too",
    transform=transform,
    checks=(
        Check("none", GLOBAL, "global accesses"),
        Check("same", ARITHMETIC, "arithmetic"),
        Check("same", (*SHARED, "barrier"), "shared accesses and barriers"),
    ),
    removed=GLOBAL,
    seed="GTC 2010 Analysis-Driven Optimization, source modification for math-only",
    examples=(
        Example("applies",
                "__global__ void k(float *out, const float *in, int n) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (i < n) out[i] = 2.0f * in[i];\n"
                "}\n",
                after=("km_site(out[i]) = 2.0f * km_opaque(&in[i]);",)),
        Example("applies",
                "__global__ void k(int *hist, const int *in) { atomicAdd(&hist[in[threadIdx.x]], 1); }\n",
                after=("km_atomicAdd(&hist[km_opaque(&in[threadIdx.x])], 1);",),
                why="a load that only feeds the address of a removed access goes too"),
        Example("applies",
                "__global__ void k(float *y, const int *row, const float *a) {\n"
                "    float s = 0.0f;\n"
                "    for (int j = row[0]; j < row[1]; j++) s += a[j];\n"
                "    y[threadIdx.x] = s;\n"
                "}\n",
                after=("for (int j = row[0]; j < row[1]; j++) s += km_opaque(&a[j]);",),
                why="loop bounds stay"),
        Example("applies",
                "__global__ void k(int *out, const float *in, int n) {\n"
                "    int at = 0;\n"
                "    for (int j = 1; j < n; j++) if (in[j] < in[0]) at = j;\n"
                "    out[threadIdx.x] = at;\n"
                "}\n",
                after=("if (km_opaque(&in[j])",),
                why="a branch that only selects a value, which no loop and no index needs, decides nothing"),
        Example("applies",
                "__global__ void k(float *out, const float *in, const int *of, int n) {\n"
                "    int last = n, most = n;\n"
                "    if (of[0] > 3) { last = of[1]; } else if (of[2]) last++;\n"
                "    if (in[0] > in[1]) most = 0;\n"
                "    for (int j = 0; j < last; j++) out[j] = most * in[j];\n"
                "}\n",
                after=("if (of[0] > 3) { last = of[1]; } else if (of[2]) last++;",
                       "if (km_opaque(&in[0])",
                       "km_site(out[j]) = most * km_opaque(&in[j]);"),
                why="but it does where a loop needs the value"),
        Example("applies",
                "__global__ void k(float *out, const float *in) {\n"
                "    float s = 0.0f, near[2] = {in[0], in[1]};\n"
                "    for (float &x : near) s += x;\n"
                "    out[threadIdx.x] = s;\n"
                "}\n",
                after=("near[2] = {km_opaque(&in[0])",)),
        Example("applies",
                "struct Scaled {\n"
                "    const float *p; float factor;\n"
                "    __device__ float operator()(int i) const { return factor * p[i]; }\n"
                "};\n"
                "__global__ void k(float *out, Scaled in) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    out[i] = in(i) + 1.0f;\n"
                "}\n",
                after=("km_site(out[i]) = in.km_call(i) + 1.0f;", "return factor * km_opaque(&p[i]);"),
                why="a member function gets a mutated copy in its class"),
        Example("rejects", "__global__ void k(int n) { __shared__ float s[32]; s[threadIdx.x] = n; }\n",
                slug="no-global-access"),
    ),
)
