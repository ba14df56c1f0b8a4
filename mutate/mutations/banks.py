"""Shared-memory mutations: the index of every shared access is replaced, the index arithmetic stays."""

from __future__ import annotations

import re

from mutate.analysis.atomics import looped_type
from mutate.analysis.calls import arguments
from mutate.analysis.objects import obstacle
from mutate.analysis.program import FunctionInfo, Program
from mutate.analysis.sites import Access
from mutate.analysis.symbols import Space, Var
from mutate.analysis.unseen import may_hold_shared, unseen_members
from mutate.analysis.value import is_number
from mutate.frontend.tree import Node
from mutate.mutations.base import (
    Clone,
    Note,
    Refused,
    Rewrite,
    Rewriter,
    clones_wanted,
    copy_name,
    indirect_refusal,
    namespace_of,
)
from mutate.mutations.no_sync import HINT, shared_data_in_control
from mutate.source import Edit, Span

_VECTOR = re.compile(r"(u?(char|short|int)|float)[24]$|(u?longlong|double)2$")


def _array_of(a: Access) -> Var | None:
    """The one shared array an access can touch."""
    roots = {r for r in a.roots if r.space is Space.SHARED}
    return next(iter(roots)) if len(roots) == 1 and len(a.roots) == 1 else None


def _wrap(info: FunctionInfo, out: Rewriter, a: Access, array: Var, id_: str, handed: dict[Var, None]) -> bool:
    """Rewrites one access; False when it cannot be. ``handed`` collects arrays that the caller must hand on."""
    name, size = _place(array), f"(unsigned)sizeof({array.name})"
    if array.dynamic and not array.type.extent:
        name, size = "km_dynamic", "km_dynamic_bytes()"
    elif not _visible(info, array):
        handed[array] = None
        name, size = f"km_{array.name}", f"km_{array.name}_bytes"
    note = f"{id_}: index replaced"
    if a.kind == "atomic":
        args = arguments(a.node)
        if not args:
            return False
        out.wrap(args[0], f"(decltype(&*({out.show(args[0])})))&km_bank({name}, {size}, ", ")", note)
        return True
    element = _element(info, a)
    whole = element is not None and any(b is not a and b.kind == a.kind and _statement(b.node) is _statement(a.node) and
                                        (other := _element(info, b)) is not None and other.text == element.text
                                        for b in info.sites.accesses)
    # Two members of one vector are one wide access: they must stay beside each other.
    out.wrap(element if whole and element is not None else a.node, f"km_bank({name}, {size}, &", ")", note)
    return True


def _place(array: Var) -> str:
    """The expression of a shared array's address."""
    return array.name if array.type.kind == "array" else f"&{array.name}"


def _has_index(info: FunctionInfo, a: Access, array: Var) -> bool:
    """Whether an access is to one of several elements: that of a shared scalar, or a member of one object, is to the

    same word for all threads, a broadcast already.
    """
    if array.type.kind == "array":
        return True
    node, owner = a.node, info.function.owner
    if info.values.unit.struct(array.type.name) is None or is_number(array.type):
        return False
    if a.kind == "atomic" and (args := arguments(node)):
        node = args[0].get("argument") or node if args[0].type == "pointer_expression" else node
    while node.type == "field_expression" and (op := node.get("operator")) is not None and op.text == "." and \
            (inner := node.get("argument")) is not None:
        node = inner
    if node.type == "field_expression" and (inner := node.get("argument")) is not None and inner.type == "this":
        node = inner
    if node.type == "this" or info.scopes.members.get(node.text) is not None:
        return owner != array.type.name  # an element of an array of objects in the object
    return node.type != "identifier"


def _element(info: FunctionInfo, a: Access) -> Node | None:
    """The vector in an array, such as a ``float2``, of which an access is to a member."""
    inner = a.node.get("argument") if a.node.type == "field_expression" else None
    if inner is None or inner.type != "subscript_expression" or "->" in a.node.text[len(inner.text):]:
        return None
    return inner if _VECTOR.match(info.values.value(inner).type.name) else None


def _statement(node: Node) -> Node:
    return next((up for up in node.ancestors() if up.type.endswith("_statement") or up.type == "declaration"), node)


def _visible(info: FunctionInfo, array: Var) -> bool:
    return array.node is not None and (array.file_scope or any(v is array for v in info.scopes.vars))


def _hand_on(program: Program, infos: list[FunctionInfo], handed: dict[int, dict[Var, None]]) -> None:
    """What a function has to hand on to the mutated functions that it calls, and does not see, it gets itself."""
    grew = True
    while grew:
        grew = False
        for info in infos:
            mine = handed.setdefault(id(info), {})
            wanted = [v for cs in info.callees.values() for c in cs for v in handed.get(id(c), {})
                      if v not in mine and not _visible(info, v)]
            mine.update(dict.fromkeys(wanted))
            grew = grew or bool(wanted)


def _calls(info: FunctionInfo, out: Rewriter, names: dict[int, str],
           handed: dict[int, dict[Var, None]]) -> Refused | None:
    """Renames the calls of mutated functions and hands the shared arrays on that they need."""
    for node, callees in info.callees.items():
        hit = [c for c in callees if id(c) in names]
        args = node.get("arguments") or node.get("indices")
        if not hit or args is None:
            continue
        extra: list[str] = []
        for array in dict.fromkeys(v for c in hit for v in handed.get(id(c), {})):
            if _visible(info, array):
                extra += [f"{_place(array)}, (unsigned)sizeof({array.name})"]
            elif array in handed.get(id(info), {}):
                extra += [f"km_{array.name}, km_{array.name}_bytes"]
            else:
                span = info.function.file.expansion.to_source(node.span) if info.function.file.main else None
                return Refused("shared-array-out-of-scope", f"shared array {array.name} is not known where "
                               f"{hit[0].function.name}() is called, which uses it", span, "inline the function")
        out.call_copy(node, hit[0].function.name, names[id(hit[0])], "call of the mutated function",
                      namespace_of(hit[0], info))
        if extra:
            out.insert(args.start + 1, ", ".join(extra) + (", " if args.kids else ""), "shared array handed on")
    return None


def _reaches_shared(info: FunctionInfo) -> bool:
    """Whether a function accesses shared memory, or one that it calls does."""
    return any(a.touches_shared for i in info.reachable() for a in i.sites.accesses)


def _unseen_refusal(program: Program) -> Refused | None:
    """Refusal for shared accesses in what runs without a call of its name, such as a conversion."""
    for function, own in unseen_members(program):
        if any(a.touches_shared or (Space.UNKNOWN in a.spaces and may_hold_shared(program, function.owner))
               for _, a in own.accesses()):
            return Refused("shared-in-method", f"{function.qualified}() accesses shared memory and is "
                           f"{obstacle(program.unit, function)}: it runs where no call of it stands", hint=HINT)
    return None


def _updated_by_loops(program: Program) -> dict[Var, tuple[FunctionInfo, Access, str]]:
    """The shared arrays with atomics that are loops in machine code; the first such atomic of each, and what it is."""
    found: dict[Var, tuple[FunctionInfo, Access, str]] = {}
    for info, a in program.accesses():
        type_ = looped_type(program, info, a) if a.kind == "atomic" and a.touches_shared else ""
        for array in a.roots if type_ else ():
            if array.space is Space.SHARED and _has_index(info, a, array):
                found.setdefault(array, (info, a, f"`{_text(a)}` of {type_} is a loop of compare-and-swap in machine "
                                         "code, which runs as often as threads meet at an address"))
    return found


def _text(a: Access) -> str:
    return " ".join(a.node.text.split())[:50]


def _span(info: FunctionInfo, a: Access) -> Span | None:
    """Where an access is in the user's file."""
    return info.function.file.expansion.to_source(a.node.span) if info.function.file.main else None


def bank_rewrite(program: Program, id_: str, index: str, comment: str) -> Rewrite | Refused:
    """``index`` is the C expression of the new index, before it is wrapped into the array's range."""
    # The shared side of an asynchronous copy keeps its address: it is written by the copy engine, 16 bytes a thread. A
    # fragment of a matrix is accessed by the library's own addresses.
    skipped = ("asm", "async", "fragment-load", "fragment-store")
    shared = [(i, a) for i, a in program.accesses() if a.touches_shared and a.kind not in skipped]
    if not shared and any(a.touches_shared for _, a in program.accesses()):
        return Refused("no-shared-index", "shared memory is accessed by inline PTX, asynchronous copies or fragments "
                       "of matrices only: none of these has an index that could be changed",
                       hint="see memory-only and math-only")
    if not shared:
        return Refused("no-shared-access", "the kernel does not access shared memory",
                       hint="nothing to change; see memory-only and math-only")
    refusal = indirect_refusal(program, lambda f: any(a.touches_shared for a in f.sites.accesses),
                               "accesses shared memory")
    if refusal is not None:
        return refusal
    refusal = _unseen_refusal(program)
    if refusal is not None:
        return refusal
    protected = {m.var for info in program.all() for m in shared_data_in_control(info)}
    loops = _updated_by_loops(program)
    notes = [Note("shared-array-kept", f"{var.name} stays: its contents decide addresses or control flow")
             for var in sorted(protected, key=lambda v: v.name)]
    notes += [Note("shared-array-kept", f"{var.name} stays: {why}")
              for var, (_, _, why) in sorted(loops.items(), key=lambda item: item[0].name) if var not in protected]
    protected |= loops.keys()
    mutated = clones_wanted(program, _reaches_shared)
    writers: dict[int, Rewriter] = {}
    handed: dict[int, dict[Var, None]] = {}
    dynamic = False
    changed = 0
    for info in (program.kernel, *mutated):
        out = writers[id(info)] = Rewriter(info.function.file, id_)
        if info.function.is_method and (why := obstacle(program.unit, info.function)):
            return Refused("shared-in-method", f"{info.function.qualified}() accesses shared memory and is {why}",
                           hint=HINT)
        for a in info.sites.accesses:
            if not a.touches_shared or a.kind in skipped:
                continue
            span = _span(info, a)
            array = _array_of(a)
            if array in protected:
                continue
            text = _text(a)
            if array is None or a.spaces != {Space.SHARED}:
                return Refused("unknown-shared-array", f"`{text}` may touch more than one array: its index cannot be "
                                                       "wrapped into a range", span)
            if not _has_index(info, a, array):
                continue
            if info is program.kernel and not array.dynamic and not _visible(info, array):
                return Refused("shared-array-out-of-scope", f"`{text}` is in a shared array that {array.name} declares "
                               "and hands out: its name and size are not known in the kernel", span,
                               "declare the array in the kernel")
            if not _wrap(info, out, a, array, id_, handed.setdefault(id(info), {})):
                return Refused("unknown-shared-access", f"`{text}` cannot be given another index", span)
            dynamic |= array.dynamic
            changed += 1
    if not changed and loops:
        info, a, why = next(iter(loops.values()))
        return Refused("shared-atomic-loop", f"{why}: at other indices it would do other work. "
                       "No other shared access has an index that could be changed", _span(info, a),
                       "`kmutate simulate` counts its bank conflicts")
    if not changed:
        return Refused("no-shared-index", "no shared access has an index that could be changed"
                       + (": the contents of every shared array decide addresses or control flow" if protected else ""))
    names = {id(f): copy_name(f) for f in mutated}
    _hand_on(program, mutated, handed)
    edits: tuple[Edit, ...] = ()
    clones: list[Clone] = []
    for info in (program.kernel, *mutated):
        out = writers[id(info)]
        refusal = _calls(info, out, names, handed)
        if refusal is not None:
            return refusal
        if info is program.kernel:
            edits = out.finish()
        else:
            extra = tuple(f"const volatile void *km_{v.name}, unsigned km_{v.name}_bytes"
                          for v in handed.get(id(info), {}))
            clones.append(Clone(info, names[id(info)], out.finish(), extra))
    features = {"bank"} | ({"dynamic-bank"} if dynamic else set())
    return Rewrite(edits, tuple(clones), frozenset(features), bank=(index, comment), notes=tuple(notes))


