"""no-sync: everything but the block-wide barriers."""

from __future__ import annotations

from mutate.analysis.calls import arguments
from mutate.analysis.dataflow import value_closure
from mutate.analysis.objects import obstacle
from mutate.analysis.program import FunctionInfo, Mem, Program
from mutate.analysis.sites import Barrier
from mutate.analysis.symbols import Space
from mutate.analysis.unseen import unseen_members
from mutate.analysis.value import hides_no_pointer
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
    clones_wanted,
    copy_name,
    grid_barrier_refusal,
    indirect_refusal,
    library_barrier_refusal,
    namespace_of,
)
from mutate.mutations.control import bound_nodes, control_nodes
from mutate.source import Edit, Span

# __syncwarp() stops the compiler from merging, hoisting or unrolling shared accesses exactly as the barrier did
# (an empty asm with a memory clobber does not: loops are then unrolled), and costs no more than a NOP.
HINT = "put it into a function that is called by its name and is not virtual, in this file or in a local #include"
_PLAIN = "__syncwarp()"
_VALUES = {"__syncthreads_or": "__any_sync(0xffffffffu, {})", "__syncthreads_and": "__all_sync(0xffffffffu, {})",
           "__syncthreads_count": "__popc(__ballot_sync(0xffffffffu, {}))",
           "__barrier_sync_count": "__syncwarp()"}


def shared_data_in_control(info: FunctionInfo) -> tuple[Mem, ...]:
    """Shared arrays whose contents decide addresses or control flow: without their barrier they may hold anything."""
    return _shared_among(info, [*control_nodes(info), *(n for a in info.sites.accesses for n in a.address)])


def shared_data_in_addresses(info: FunctionInfo) -> tuple[Mem, ...]:
    """Shared arrays whose contents decide addresses or how far a loop runs: wrong values could leave the arrays."""
    return _shared_among(info, [*bound_nodes(info), *(n for a in info.sites.accesses for n in a.address)])


def _shared_among(info: FunctionInfo, start: list[Node]) -> tuple[Mem, ...]:
    needed, _ = value_closure(info, start)
    found = [o for o in needed if isinstance(o, Mem) and o.var.space is Space.SHARED]
    return tuple(sorted(found, key=lambda o: (o.var.node.start if o.var.node is not None else -1, o.var.name)))


def _write(info: FunctionInfo, names: dict[int, str]) -> Rewriter:
    out = Rewriter(info.function.file, "no-sync")
    mine = [b for b in info.sites.barriers if b.scope == "block"]
    # With what is in their parentheses; the argument of the others stays, and may have barriers of its own.
    whole = [b.node.span for b in mine if _argument(b) is None]

    def gone(node: Node) -> bool:
        return any(w.start <= node.start and node.end <= w.end and w != node.span for w in whole)

    for b in mine:
        if not gone(b.node):
            _replace(out, b)
    for node, callees in info.callees.items():
        mutated = [c for c in callees if id(c) in names]
        if mutated and not gone(node):
            out.call_copy(node, mutated[0].function.name, names[id(mutated[0])], "call of the mutated function",
                          namespace_of(mutated[0], info))
            out.comment(node, "call of the mutated function")
    return out


def _argument(b: Barrier) -> Node | None:
    """The condition that a barrier is given and that what replaces it keeps."""
    args = arguments(b.node)
    if not args or b.awaits_copies or not b.returns_value or "{}" not in _VALUES.get(b.spelling, ""):
        return None
    return args[-1]


def _replace(out: Rewriter, b: Barrier) -> None:
    kept = _argument(b)
    if kept is not None:
        head, tail = _VALUES[b.spelling].split("{}")
        out.replace(Span(b.node.start, kept.start), head, "barrier removed")
        out.replace(Span(kept.end, b.node.end), tail, "barrier removed")
    else:
        text = _PLAIN
        if b.awaits_copies:
            function = b.node.get("function")
            pending = function.text.partition("<")[2] if function is not None and "<" in function.text else ""
            text = f"km_wait_prior<{pending or '0>'}()"
        elif b.returns_value and b.spelling in _VALUES:
            text = _VALUES[b.spelling].format("1")
        out.replace(b.node.span, text, "barrier removed")
    out.comment(b.node, f"{b.spelling} removed: warps no longer wait for each other")


def _has_barrier(info: FunctionInfo) -> bool:
    return any(b.scope == "block" for i in info.reachable() for b in i.sites.barriers)


def _library_refusal(program: Program, others: bool) -> Refused | None:
    """Refusal for calls of a library that get storage in shared memory, such as ``cub::BlockScan``: they may wait."""
    for info in program.all():
        for call in info.sites.calls:
            storage = next((r for _, roots in call.targets for r in roots if r.space is Space.SHARED
                            and not r.type.is_address and not hides_no_pointer(program.unit, r.type)), None)
            if storage is not None and not info.callees.get(call.node) and call.local is None:
                span = info.function.file.expansion.to_source(call.node.span) if info.function.file.main else None
                return Refused("opaque-call", f"{call.name}() gets {storage.name}, which is in shared memory, and is "
                               "not followed: barriers in it could not be taken away", span,
                               "the other barriers by themselves say little; use the other mutations" if others else
                               "see math-only and memory-only")
    return None


def _unseen_refusal(program: Program) -> Refused | None:
    """Refusal for barriers in what runs without a call of its name, such as a destructor."""
    for function, own in unseen_members(program):
        if any(b.scope == "block" for _, b in own.barriers()):
            return Refused("barrier-in-method", f"{function.qualified}() waits at a barrier and is "
                           f"{obstacle(program.unit, function)}: it runs where no call of it stands", hint=HINT)
    return None


def transform(program: Program) -> Rewrite | Refused:
    blocks = [(i, b) for i, b in program.barriers() if b.scope == "block"]
    refusal = library_barrier_refusal(program, "its arrivals and waits are no calls that could be left out")
    if refusal is not None:
        return refusal
    refusal = _library_refusal(program, bool(blocks)) or _unseen_refusal(program)
    if refusal is not None:
        return refusal
    if not blocks:
        return Refused("no-barrier", "the kernel has no block-wide barrier",
                       hint="nothing to remove; see math-only and memory-only")
    for info in clones_wanted(program, _has_barrier):
        if info.function.is_method and (why := obstacle(program.unit, info.function)):
            return Refused("barrier-in-method", f"{info.function.qualified}() waits at a barrier and is {why}",
                           hint=HINT)
    refusal = grid_barrier_refusal(program) or indirect_refusal(
        program, lambda f: any(b.scope == "block" for b in f.sites.barriers), "has a barrier")
    if refusal is not None:
        return refusal
    notes: list[Note] = []
    for info in program.all():
        bound = shared_data_in_addresses(info)
        for mem in bound:
            span = info.function.file.expansion.to_source(mem.var.node.span) \
                if mem.var.node is not None and info.function.file.main and not mem.var.file_scope else None
            return Refused("sync-carries-addresses", f"shared array {mem.var.name} holds addresses or loop bounds that "
                           "other warps compute: without the barrier they would be wrong, and the variant could "
                           "read or write out of range", span, "the other mutations are not affected")
        for mem in shared_data_in_control(info):
            notes.append(Note("sync-carries-control", f"shared array {mem.var.name} decides a branch: without the "
                              "barrier the branch may go another way"))
    mutated = clones_wanted(program, _has_barrier)
    names = {id(f): copy_name(f) for f in mutated}
    for _, b in blocks:
        if b.returns_value:
            notes.append(Note("warp-wide-result", f"{b.spelling} now gives the result of the warp, not of the block"))
    clones: list[Clone] = []
    edits: tuple[Edit, ...] = ()
    for info in (program.kernel, *mutated):
        done = _write(info, names).finish()
        if info is program.kernel:
            edits = done
        else:
            clones.append(Clone(info, names[id(info)], done))
    features = frozenset({"wait"} if any(b.awaits_copies for _, b in blocks) else ())
    return Rewrite(edits, tuple(clones), features, notes=tuple(dict.fromkeys(notes)))


MUTATION = Mutation(
    id="no-sync",
    summary="everything but the block-wide barriers",
    keeps="all else, and the number of shared accesses",
    removes="block-wide barriers in every spelling",
    how="a barrier becomes `__syncwarp()`: no warp waits for another, and the compiler still may not move, merge or "
        "unroll shared accesses across it",
    transform=transform,
    checks=(
        Check("none", ("barrier",), "block-wide barriers"),
        Check("same", (*SHARED, *GLOBAL), "memory accesses"),
        Check("same", ARITHMETIC, "arithmetic"),
    ),
    removed=("barrier",),
    stage=1,
    seed="GTC 2010 Analysis-Driven Optimization, latency optimization: barriers",
    examples=(
        Example("applies",
                "__global__ void k(float *out, const float *in) {\n"
                "    __shared__ float s[256];\n"
                "    s[threadIdx.x] = in[threadIdx.x];\n"
                "    __syncthreads();\n"
                "    out[threadIdx.x] = s[255 - threadIdx.x];\n"
                "}\n",
                after=("__syncwarp();",), gone=("    __syncthreads();",)),
        Example("applies",
                "struct Tile {\n"
                "    float *s;\n"
                "    __device__ void put(float v) { s[threadIdx.x] = v; __syncthreads(); }\n"
                "};\n"
                "__global__ void k(float *out, const float *in) {\n"
                "    __shared__ float s[256];\n"
                "    Tile tile{s};\n"
                "    tile.put(in[threadIdx.x]);\n"
                "    out[threadIdx.x] = s[255 - threadIdx.x];\n"
                "}\n",
                after=("tile.put_km(in[threadIdx.x]);", "s[threadIdx.x] = v; __syncwarp();"),
                why="a member function gets a mutated copy in its class"),
        Example("rejects", "__global__ void k(float *p) { p[threadIdx.x] += 1.0f; }\n", slug="no-barrier"),
        Example("rejects",
                "struct Scope { __device__ ~Scope() { __syncthreads(); } };\n"
                "__global__ void k(float *out) {\n"
                "    __shared__ float s[256];\n"
                "    { Scope scope; s[threadIdx.x] = threadIdx.x; }\n"
                "    out[threadIdx.x] = s[255 - threadIdx.x];\n"
                "}\n",
                slug="barrier-in-method", why="no copy of a destructor can take its place"),
        Example("rejects",
                "__global__ void k(float *out, const int *in) {\n"
                "    __shared__ int order[256];\n"
                "    order[threadIdx.x] = in[threadIdx.x];\n"
                "    __syncthreads();\n"
                "    out[order[255 - threadIdx.x]] = 1.0f;\n"
                "}\n",
                slug="sync-carries-addresses"),
    ),
)
