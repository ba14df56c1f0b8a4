"""math-only: the arithmetic, without global memory."""

from __future__ import annotations

from mutate.analysis.atomic_objects import is_arrow
from mutate.analysis.barriers import barrier_objects, barriers_inside
from mutate.analysis.calls import arguments
from mutate.analysis.program import FunctionInfo, Program
from mutate.analysis.ptx import PtxAccess, read_ptx
from mutate.analysis.sites import Access, output_of
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
from mutate.mutations.pointers import Pointers, dispatch_table
from mutate.mutations.retention import Retained, Retention, read_back
from mutate.source import Edit, Span


class _Writer:
    def __init__(self, info: FunctionInfo, retained: Retained, names: dict[int, str], pointers: Pointers) -> None:
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
    retention = Retention(program)
    pointers = Pointers(program, names, sink=False)
    features: set[str] = set()
    guarded: set[str] = set()
    clones: list[Clone] = []
    edits: tuple[Edit, ...] = ()
    notes: list[Note] = []
    missed = read_back(program, {id(i): retention.of(i).loads for i in program.all()})
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
    if isinstance(missed, Refused):
        return missed
    notes += missed
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
