"""What a mutation is, what it returns, and how it writes its edits.

A mutation is one module in this package with a module-level ``MUTATION``. It looks at an analysed
``Program`` and returns a ``Rewrite`` (edits on the expanded text) or a ``Refused``. It never prints,
never raises for code it cannot handle, and never touches bytes it does not name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mutate.analysis.atomic_objects import ATOMIC_NAMES
from mutate.analysis.barriers import BARRIER_OBJECTS
from mutate.analysis.calls import name_in
from mutate.analysis.lambdas import find_lambdas
from mutate.analysis.objects import COPIES, obstacle
from mutate.analysis.program import FunctionInfo, Program
from mutate.frontend.tree import Node
from mutate.frontend.units import File
from mutate.mutations.pointers import ItemCopy
from mutate.source import Edit, Span


@dataclass(frozen=True)
class Refused:
    """A mutation that cannot do its job says why, and where (span of the user's file)."""

    slug: str
    why: str
    span: Span | None = None
    hint: str = ""


@dataclass(frozen=True)
class Note:
    """Something the certificate must list: a retained load, a degraded site."""

    slug: str
    text: str
    span: Span | None = None


@dataclass(frozen=True)
class Rewrite:
    """``edits`` change the kernel; ``clones`` are mutated copies of device functions; ``features`` name helpers."""

    edits: tuple[Edit, ...]
    clones: tuple[Clone, ...] = ()
    features: frozenset[str] = frozenset()
    guarded: tuple[str, ...] = ()
    """Intrinsics that need a guarded wrapper in the helpers."""
    bank: tuple[str, str] = ("", "")
    notes: tuple[Note, ...] = ()
    dispatch: tuple[tuple[str, str], ...] = ()
    """Functions that constants may be, and their mutated copies."""
    items: tuple[ItemCopy, ...] = ()
    """Declarations to be copied before the kernel."""


@dataclass(frozen=True)
class Clone:
    """A device function under a new name. ``edits`` are on the expanded text of its file."""

    info: FunctionInfo
    name: str
    edits: tuple[Edit, ...]
    params: tuple[str, ...] = ()
    """Parameters put before the function's own, such as the caller's sink."""
    items: tuple[ItemCopy, ...] = ()
    """Declarations to be copied before this function."""


@dataclass(frozen=True)
class Example:
    """Documentation and test at once: ``before`` is a kernel, ``after`` what must stand in the variant.

    ``kind``: applies | rejects | unchanged. For ``rejects`` ``slug`` is the refusal's slug.
    """

    kind: str
    before: str
    after: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    slug: str = ""
    why: str = ""


@dataclass(frozen=True)
class Check:
    """What the certificate demands of the variant's instruction classes (``fnmatch`` patterns).

    ``kind``: ``identical`` (instruction for instruction), ``same`` (each class as often as in the original),
    ``same-sum`` (all the classes together as often), ``none`` (not at all, unless guarded or listed as retained).
    """

    kind: str
    classes: tuple[str, ...] = ()
    what: str = ""
    addresses: bool = True
    """Whether accesses that are kept must, in a run, be at the same addresses."""


Transform = Callable[[Program], Rewrite | Refused]

GLOBAL_LOADS = ("global_load.*", "generic_load.*", "async_copy.*", "texture", "tma")
GLOBAL_STORES = ("global_store.*", "generic_store.*")
GLOBAL_UPDATES = ("global_atomic", "global_reduction", "generic_atomic")
GLOBAL = (*GLOBAL_LOADS, *GLOBAL_STORES, *GLOBAL_UPDATES, "surface")
SHARED = ("shared_load.*", "shared_store.*", "shared_atomic")
ARITHMETIC = ("fp32.*", "fp32x2.*", "fp64.*", "fp16.*", "sfu", "tensor")


@dataclass(frozen=True)
class Mutation:
    """``stage`` orders compositions (values 0, barriers 1, shared memory 2); two of one stage exclude each other."""

    id: str
    summary: str
    keeps: str
    removes: str
    how: str
    transform: Transform = field(repr=False)
    examples: tuple[Example, ...] = field(default=(), repr=False)
    checks: tuple[Check, ...] = ()
    removed: tuple[str, ...] = ()
    """Classes that the mutation takes away: a composition does not ask for them any more."""
    stage: int = 0
    seed: str = ""


_NAMES = frozenset({"identifier", "field_identifier", "type_identifier"})
_STATEMENTS = frozenset({"expression_statement", "declaration", "return_statement"})


class Rewriter:
    """Collects the edits of one function and puts a comment behind each statement that was changed."""

    def __init__(self, file: File, mutation: str) -> None:
        self.file = file
        self.mutation = mutation
        self.edits: list[Edit] = []
        self._wraps: list[tuple[Node, str, str, str]] = []
        self._comments: dict[int, list[str]] = {}

    def show(self, node: Node) -> str:
        """The node's text on one line, as the user wrote it where a macro is not cut."""
        return " ".join(self.file.expansion.show(node.span).split())

    def source_span(self, node: Node) -> Span:
        return self.file.expansion.to_source(node.span)

    def replace(self, span: Span, text: str, note: str) -> None:
        self.edits.append(Edit(span.start, span.end, text, note))

    def wrap(self, node: Node, prefix: str, suffix: str, note: str) -> None:
        self._wraps.append((node, prefix, suffix, note))
        self.comment(node, note)

    def rename(self, function: Node, old: str, new: str, note: str, space: str = "") -> None:
        """Renames the called function: its last name, without qualification and template arguments.

        ``space`` (``A::``) is put before a name that has no qualification.
        """
        if function.type in ("identifier", "template_function"):
            new = space + new
        name = name_in(function)
        for n in (name, *function.walk()):
            if n is not None and n.type in _NAMES and n.text == old:
                self.replace(n.span, new, note)
                return

    def call_copy(self, call: Node, old: str, new: str, note: str, space: str = "") -> None:
        """Has a call be one of the mutated copy: ``object(i)`` and ``object[i]`` become calls by name."""
        function = call.get("function")
        if old in COPIES and not (function is not None and function.type == "field_expression"
                                  and (name := function.get("field")) is not None and name.text == old):
            if function is not None:
                self.insert(function.end, f".{new}", note)
            elif (indices := call.get("indices")) is not None:
                self.replace(Span(indices.start, indices.start + 1), f".{new}(", note)
                self.replace(Span(indices.end - 1, indices.end), ")", note)
        elif function is not None:
            self.rename(function, old, new, note, space)

    def insert(self, at: int, text: str, note: str) -> None:
        self.edits.append(Edit(at, at, text, note))

    def comment(self, node: Node, note: str) -> None:
        """Puts ``/* kmutate: note */`` behind the statement around a node."""
        anchor = node
        for up in node.ancestors():
            if up.type in _STATEMENTS:
                anchor = up
                if up.parent is not None and up.parent.type == "for_statement" and up.type == "declaration":
                    anchor = node
                break
            if up.type in ("compound_statement", "condition_clause", "for_statement"):
                break
        notes = self._comments.setdefault(anchor.end, [])
        if note not in notes:
            notes.append(note)

    def finish(self) -> tuple[Edit, ...]:
        comments = [Edit(at, at, f" /* kmutate: {'; '.join(notes)} */", "") for at, notes in self._comments.items()]
        # Where several wraps begin or end at one byte, the outer one is outside. A comment comes behind them all.
        outer = sorted(self._wraps, key=lambda w: (w[0].start, -w[0].end))
        opening = [Edit(n.start, n.start, prefix, note) for n, prefix, _, note in outer]
        closing = [Edit(n.end, n.end, suffix, note) for n, _, suffix, note in reversed(outer)]
        return merge_insertions([*self.edits, *closing, *opening, *comments])


def before_else(statement: Node) -> bool:
    """Whether an ``else`` follows, to which an ``if`` that the statement becomes would be the nearest."""
    inner = statement
    for up in statement.ancestors():
        if up.type == "compound_statement":
            return False
        if up.type == "if_statement" and inner is up.get("consequence") and up.get("alternative") is not None:
            return True
        inner = up
    return False


def merge_insertions(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Joins insertions at the same byte, in the order given, so that nesting wraps come out right."""
    at: dict[int, list[Edit]] = {}
    rest: list[Edit] = []
    for e in edits:
        if e.start == e.end:
            at.setdefault(e.start, []).append(e)
        else:
            rest.append(e)
    joined = [Edit(pos, pos, "".join(e.text for e in group), "; ".join(dict.fromkeys(e.note for e in group if e.note)))
              for pos, group in at.items()]
    return tuple(sorted([*joined, *rest], key=lambda e: (e.start, e.end)))


def namespace_of(callee: FunctionInfo, caller: FunctionInfo) -> str:
    """How a caller names the namespace of a callee's copy (``A::``): a using-declaration does not bring it in."""
    there, here = callee.function.item.namespaces, caller.function.item.namespaces
    return "" if callee.function.is_method or here[: len(there)] == there else "".join(f"{n}::" for n in there)


def copy_name(info: FunctionInfo) -> str:
    """The name of a function's mutated copy."""
    name = info.function.name
    return f"{COPIES.get(name, f'{name}_km')}{info.number or ''}"


def clones_wanted(program: Program, hit: Callable[[FunctionInfo], bool]) -> list[FunctionInfo]:
    """The device functions to be cloned: those that ``hit``, and all that share a call (overloads) with one."""
    wanted = {id(f) for f in program.functions if hit(f)}
    for info in program.all():
        for callees in info.callees.values():
            if any(id(c) in wanted for c in callees):
                wanted |= {id(c) for c in callees}
    return [f for f in program.functions if id(f) in wanted]


def opaque_call_refusal(program: Program, what: str) -> Refused | None:
    """Refusal for the first call that gets a global pointer and has no body here."""
    for info, call in program.opaque_calls():
        expansion = info.function.file.expansion
        span = expansion.to_source(call.node.span) if info.function.file.main else None
        if call.value is not None:
            reached = sorted({i.function.qualified for i in info.callees.get(call.node, ())
                              if program.touches_global(i)})
            why = f"may call {', '.join(reached[:3])}, which accesses global memory" if reached else \
                "gets a pointer to global memory"
            return Refused("indirect-call", f"`{' '.join(call.node.text.split())[:50]}` calls a function pointer or an "
                           f"object and {why}: {what} cannot be made inside it", span,
                           "call the __device__ function by its name")
        hindered = next((why for i in info.callees.get(call.node, ()) if program.touches_global(i)
                         and (why := obstacle(program.unit, i.function))), "") if call.is_method else ""
        reason = "recursive" if call.name in program.recursive else hindered or "defined elsewhere"
        does = "gets a pointer to" if call.passes_global else "accesses"
        return Refused("opaque-call", f"{call.name or call.node.text[:40]}() {does} global memory and is "
                                      f"{reason}: {what} cannot be made inside it", span,
                       "use atomicCAS(), or the members load, store, exchange and fetch_*"
                       if call.name in ATOMIC_NAMES or call.name.startswith("compare_exchange_") else
                       "define it as a __device__ function in this file or in a local #include")
    return None


def load_notes(places: list[tuple[FunctionInfo, Node]], whole: list[FunctionInfo], why: str) -> tuple[Note, ...]:
    """One note for each load that stays, those in functions that are called as they are too."""
    work, seen = list(whole), {id(f) for f in whole}
    for info in work:
        places = [*places, *((info, a.node) for a in info.sites.accesses if a.touches_global and a.reads)]
        fresh = {id(c): c for called in info.callees.values() for c in called if id(c) not in seen}
        seen |= fresh.keys()
        work += fresh.values()
    notes: list[Note] = []
    for info, node in places:
        expansion = info.function.file.expansion
        span = expansion.to_source(node.span) if info.function.file.main else None
        notes.append(Note("retained-load", f"{' '.join(expansion.show(node.span).split())[:60]} {why}", span))
    return tuple(dict.fromkeys(notes))


def indirect_refusal(program: Program, hit: Callable[[FunctionInfo], bool], what: str) -> Refused | None:
    """Refusal for the first call through a pointer or an object that may reach a function to be changed."""
    for info in program.all():
        for call in info.sites.calls:
            found = [c for c in info.callees.get(call.node, ()) if call.value is not None and
                     any(hit(i) for i in c.reachable())]
            if found:
                span = info.function.file.expansion.to_source(call.node.span) if info.function.file.main else None
                text = " ".join(call.node.text.split())[:50]
                return Refused("indirect-call", f"`{text}` calls a function pointer or an object and "
                               f"may call {found[0].function.qualified}, which {what}", span,
                               "call the __device__ function by its name")
    return None


def library_barrier_refusal(program: Program, why: str, outside_kernel: bool = False) -> Refused | None:
    """Refusal for barrier objects of libcu++, whose state and phases are not followed.

    With ``outside_kernel`` only for those that device functions use, too.
    """
    for info in program.all():
        for var in info.scopes.vars:
            if outside_kernel and info is program.kernel and not any(
                    info.callees.get(c.node) and var in info.uses(c.node) for c in info.sites.calls):
                continue
            if var.node is not None and var.type.innermost().name in BARRIER_OBJECTS:
                span = info.function.file.expansion.to_source(var.node.span) if info.function.file.main else None
                return Refused("barrier-object", f"{var.name} is a barrier object: {why}", span,
                               "use __syncthreads(), or math-only")
    return None


def shared_pipeline_refusal(program: Program) -> Refused | None:
    """Refusal for pipelines that warps share: their state is accessed by generic loads, stores and atomics."""
    for info in program.all():
        for var in info.scopes.vars:
            if var.node is not None and var.type.innermost().name == "pipeline_shared_state":
                span = info.function.file.expansion.to_source(var.node.span) if info.function.file.main else None
                return Refused("barrier-object", f"{var.name} is the state of a pipeline that warps share, which is "
                               "accessed by generic loads, stores and atomics of its own: they cannot be told from the "
                               "kernel's accesses to global memory", span, "use a pipeline of thread_scope_thread")
    return None


def grid_barrier_refusal(program: Program) -> Refused | None:
    """Refusal for grid-wide barriers: they are global atomics, loads and block-wide barriers themselves."""
    for info, barrier in program.barriers():
        if barrier.scope == "grid":
            span = info.function.file.expansion.to_source(barrier.node.span) if info.function.file.main else None
            return Refused("grid-barrier", "a grid-wide barrier is made of global atomics, loads and block-wide "
                           "barriers of its own: they cannot be told from the kernel's", span,
                           "end the kernel at the barrier, and launch the rest as another one")
    return None


def _lambdas_known(program: Program, info: FunctionInfo, node: Node) -> bool:
    """Whether the lambdas around an access are named by variables and called by that name, or by a function that is

    not mutated itself.
    """
    lambdas = {found.node: found for found in find_lambdas(info.function, info.scopes).values()}
    for up in node.ancestors():
        if up.type != "lambda_expression":
            continue
        found = lambdas.get(up)
        if found is None or not found.known or any(program.touches_global(c) for call in found.handed_to
                                                   for c in info.callees.get(call, ())):
            return False
    return True


def heap_refusal(program: Program, what: str) -> Refused | None:
    """Refusal for ``new`` and ``delete``: constructors, destructors and the allocator are not followed."""
    for info in program.all():
        for node in info.function.body.walk():
            if node.type in ("new_expression", "delete_expression"):
                span = info.function.file.expansion.to_source(node.span) if info.function.file.main else None
                return Refused("device-heap", f"`{' '.join(node.text.split())[:50]}` runs constructors, destructors or "
                               f"the allocator, which access memory of their own: {what} cannot be made of them", span,
                               "allocate before the kernel, and set the members in place")
    return None


def group_memory_refusal(program: Program) -> Refused | None:
    """Refusal for groups of several warps: they exchange values through memory that is no array of the kernel's."""
    for info in program.all():
        for var in info.scopes.vars:
            if var.node is not None and var.type.innermost().name == "block_tile_memory":
                span = info.function.file.expansion.to_source(var.node.span) if info.function.file.main else None
                return Refused("group-memory", f"{var.name} is what a cooperative group of several warps exchanges "
                               "values and barriers through, by generic addresses of its own: they cannot be told from "
                               "the kernel's accesses to global memory", span,
                               "reduce within a warp (tiled_partition<32>), then through a __shared__ array")
    return None


def library_memory_refusal(program: Program, what: str, heap: bool = True) -> Refused | None:
    """Refusal for memory that is accessed by code which is not followed; ``heap``: by the allocator, too."""
    return (heap_refusal(program, what) if heap else None) or group_memory_refusal(program)


def lambda_refusal(program: Program) -> Refused | None:
    for info, access in program.accesses():
        if access.in_lambda and access.touches_global and not _lambdas_known(program, info, access.node):
            expansion = info.function.file.expansion
            span = expansion.to_source(access.node.span) if info.function.file.main else None
            return Refused("lambda-global-access", "a lambda accesses global memory, and not all that calls it is "
                           "known: it cannot be sliced", span,
                           "write the lambda's body in place")
    return None


def error_refusal(program: Program) -> Refused | None:
    """Refusal that names the smallest statement around something unreadable."""
    for info in program.all():
        for node in info.function.body.walk():
            if node.type != "ERROR":
                continue
            around = next((a for a in node.ancestors() if a.type.endswith("_statement") or a.type == "declaration"),
                          node)
            if around.type == "compound_statement":
                around = node
            span = info.function.file.expansion.to_source(around.span) if info.function.file.main else None
            text = " ".join(around.text.split())[:60]
            return Refused("unreadable-statement", f"cannot read the statement `{text}`", span,
                           "rewrite it in plain C++, or use a mutation that does not need it")
    return None
