"""Shared-memory mutations: the index of every shared access is replaced, the index arithmetic stays."""

from __future__ import annotations

from mutate.analysis.accesses import Access
from mutate.analysis.program import FunctionInfo, Program
from mutate.analysis.symbols import Space, Var
from mutate.analysis.values import arguments
from mutate.mutations.base import Clone, Note, Refused, Rewrite, Rewriter, clones_wanted
from mutate.mutations.no_sync import shared_data_in_control
from mutate.source import Edit


def _array_of(a: Access) -> Var | None:
    """The one shared array an access can touch."""
    roots = {r for r in a.roots if r.space is Space.SHARED}
    return next(iter(roots)) if len(roots) == 1 and len(a.roots) == 1 else None


def _wrap(info: FunctionInfo, out: Rewriter, a: Access, array: Var, id_: str) -> bool:
    """Rewrites one access; False when its array cannot be named here."""
    visible = array.node is not None and (array.file_scope or any(v is array for v in info.scopes.vars))
    if not visible:
        return False
    name = array.name
    if array.type.kind != "array":
        return True  # a shared scalar is a broadcast already
    size = "km_dynamic_bytes()" if array.dynamic and not array.type.extent else f"(unsigned)sizeof({name})"
    note = f"{id_}: index replaced"
    if a.kind == "atomic":
        args = arguments(a.node)
        if not args:
            return False
        out.wrap(args[0], f"(decltype(&*({out.show(args[0])})))&km_bank({name}, {size}, ", ")", note)
        return True
    if a.kind == "async":
        return True
    out.wrap(a.node, f"km_bank({name}, {size}, &", ")", note)
    return True


def bank_rewrite(program: Program, id_: str, index: str, comment: str) -> Rewrite | Refused:
    """``index`` is the C expression of the new index, before it is wrapped into the array's range."""
    shared = [(i, a) for i, a in program.accesses() if a.touches_shared and a.kind != "asm"]
    if not shared:
        return Refused("no-shared-access", "the kernel does not access shared memory",
                       hint="nothing to change; see memory-only and math-only")
    notes: list[Note] = []
    protected: set[Var] = set()
    for info in program.all():
        protected |= {m.var for m in shared_data_in_control(info)}
    for var in sorted(protected, key=lambda v: v.name):
        notes.append(Note("shared-array-kept", f"{var.name} stays: its contents decide addresses or control flow"))
    mutated = clones_wanted(program, lambda f: any(a.touches_shared for a in f.sites.accesses))
    writers: dict[int, Rewriter] = {}
    dynamic = False
    changed = 0
    for info in (program.kernel, *mutated):
        out = writers[id(info)] = Rewriter(info.function.file, id_)
        if info.function.is_method and any(a.touches_shared for a in info.sites.accesses):
            return Refused("shared-in-method", f"{info.function.qualified} is a member function with shared accesses")
        for a in info.sites.accesses:
            if not a.touches_shared or a.kind == "asm":
                continue
            span = info.function.file.expansion.to_source(a.node.span) if info.function.file.main else None
            array = _array_of(a)
            if array in protected:
                continue
            text = " ".join(a.node.text.split())[:50]
            if array is None or a.spaces != {Space.SHARED}:
                return Refused("unknown-shared-array", f"`{text}` may touch more than one array: its index cannot be "
                                                       "wrapped into a range", span)
            if not _wrap(info, out, a, array, id_):
                return Refused("shared-array-out-of-scope", f"`{text}` touches shared array {array.name}, which is not "
                                                           f"visible in {info.function.name}()", span,
                               "pass the array itself, or inline the function")
            dynamic |= array.dynamic
            changed += array.type.kind == "array"
    if not changed:
        return Refused("no-shared-index", "no shared access has an index that could be changed"
                       + (": the contents of every shared array decide addresses or control flow" if protected else ""))
    names = {id(f): f"{f.function.name}_km{f.number or ''}" for f in mutated}
    edits: tuple[Edit, ...] = ()
    clones: list[Clone] = []
    for info in (program.kernel, *mutated):
        out = writers[id(info)]
        for node, callees in info.callees.items():
            hit = [c for c in callees if id(c) in names]
            function = node.get("function")
            if hit and function is not None:
                for n in function.walk():
                    if n.type == "identifier" and n.text == hit[0].function.name:
                        out.replace(n.span, names[id(hit[0])], "call of the mutated function")
                        break
        if info is program.kernel:
            edits = out.finish()
        else:
            clones.append(Clone(info, names[id(info)], out.finish()))
    features = {"bank"} | ({"dynamic-bank"} if dynamic else set())
    return Rewrite(edits, tuple(clones), frozenset(features), bank=(index, comment), notes=tuple(notes))


