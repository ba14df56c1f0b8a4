"""Writes a slice plan as text: the common part of memory-only, load-only and store-only.

What no kept access depends on is dropped; loads are folded into a sink, stores store it.
"""

from __future__ import annotations

from mutate.analysis.barriers import BARRIER_OBJECTS, barrier_objects
from mutate.analysis.lambdas import around
from mutate.analysis.plans import Act, Piece, Plan
from mutate.analysis.program import Program
from mutate.analysis.ptx import read_ptx
from mutate.analysis.slices import Slicer
from mutate.frontend.tree import Node
from mutate.mutations.base import (
    Clone,
    Note,
    Refused,
    Rewrite,
    before_else,
    clones_wanted,
    copy_name,
    error_refusal,
    lambda_refusal,
    library_barrier_refusal,
    library_memory_refusal,
    load_notes,
    opaque_call_refusal,
)
from mutate.mutations.pointers import Pointers, dispatch_table
from mutate.mutations.slice_pieces import PieceWriter, Planner, Style
from mutate.source import Edit, Span


class _Writer(PieceWriter):
    """Turns the plan of one function into edits."""

    def finish(self) -> tuple[Edit, ...]:
        """All edits, those of the loads in text that stays as it is too."""
        gone = [e for e in self.out.edits if e.start < e.end]
        for n, (before, behind) in self._folds.items():
            if not any(e.start <= n.start and n.end <= e.end for e in gone):
                self.out.wrap(n, before, behind, "load folded into the sink")
        if self._folds:
            self.features.add("keep")
        return self.out.finish()

    def write(self, plan: Plan) -> None:
        if plan.how == "lambda":
            found = self.slicer.lambda_at(plan.node)
            captures = found.captures if found is not None else None
            default = captures.find("lambda_default_capture") if captures is not None else None
            if captures is not None and (default is None or default.text != "&"):
                first = captures.text[1:-1].strip()
                self.out.insert(captures.end - 1, ", &km_sink" if first else "&km_sink", "sink captured")
            self.write(plan.inner[0])
            return
        if plan.how == "nest":
            if plan.node.type in ("compound_statement", "case_statement"):
                self._block(plan.inner)
            else:
                for inner in plan.inner:
                    self._single(inner)

    def _single(self, plan: Plan) -> None:
        """A statement that stands alone, such as the body of an ``if`` without braces."""
        if plan.how == "drop":
            self.out.replace(self._whole(plan.node), f"; /* kmutate: {self.style.dropped} */", self.style.dropped)
        elif plan.how == "pieces":
            self._pieces(plan, alone=True)
        else:
            self.write(plan)

    def _block(self, plans: list[Plan]) -> None:
        run: list[Node] = []
        for i, plan in enumerate(plans):
            gone = plan.how == "drop"
            if plan.node.type == "preproc_call" or (plan.node.type == "expression_statement" and
                                                    plan.node.text.startswith("_Pragma")):
                after = plans[i + 1] if i + 1 < len(plans) else None
                gone = after is not None and after.how in ("drop", "pieces")
            if gone:
                if run and run[-1].text_source[run[-1].end : plan.node.start].strip():
                    self._flush(run)
                run.append(plan.node)
                continue
            self._flush(run)
            if plan.how == "pieces":
                self._pieces(plan, alone=False)
            else:
                self.write(plan)
        self._flush(run)

    def _flush(self, run: list[Node]) -> None:
        if run:
            count = sum(1 for n in run if n.type != "preproc_call")
            what = f"{count} statements" if count > 1 else "1 statement"
            end = run[-1].end
            text = f"/* kmutate: {what} dropped: {self.style.dropped} */"
            if run[-1].type == "preproc_call" and run[-1].text.endswith("\n"):
                end -= 1
            self.out.replace(Span(self._whole(run[0]).start, end), text, self.style.dropped)
            run.clear()

    def _whole(self, node: Node) -> Span:
        """A statement with the attributes before it: they would be the next statement's."""
        return self.out.file.expansion.with_attributes(node.span)

    def _pieces(self, plan: Plan, alone: bool) -> None:
        node = plan.node
        lines = self._member_loads(node, plan.pieces) or self.statements(plan.pieces)
        note = self._note(plan.pieces)
        if node.type == "return_statement":
            void = not node.kids if around(node) is not None else self.info.function.returns_void
            value = "" if void else " km_Any()"
            if value:
                self.features.add("any")
            text = f"{{ {' '.join([*lines, f'return{value};'])} }}"
        elif alone and (len(lines) != 1 or (lines[0].startswith("if ") and before_else(node))):
            text = f"{{ {' '.join(lines)} }}"
        elif len(lines) == 1:
            text = lines[0]
        else:
            indent = self._indent(node)
            text = f"\n{indent}".join(lines)
        self.out.replace(self._whole(node), f"{text} /* kmutate: {note} */", note)

    def _indent(self, node: Node) -> str:
        start = node.text_source.rfind(b"\n", 0, node.start) + 1
        line = node.text_source[start : node.start].decode(errors="replace")
        return line if not line.strip() else line[: len(line) - len(line.lstrip())]

    def _note(self, pieces: list[Piece]) -> str:
        acts = {p.act for p in _flatten(pieces)}
        words = []
        if Act.FOLD in acts:
            words.append("load folded into the sink")
        if Act.STORE in acts or any(p.act is Act.KEEP and p.access is not None and p.access.asm_kind == "store"
                                    and read_ptx(p.node) is not None for p in pieces):
            words.append("store guarded" if self.style.guard_stores else "stores the sink")
        if Act.ATOMIC in acts:
            words.append("update guarded" if self.style.guard_stores else "update kept")
        if Act.CALL in acts:
            words.append("call of the mutated function")
        if Act.FENCE in acts:
            words.append("loads stay on their side of the barrier")
        return ", ".join(words or ["kept"])

    def _member_loads(self, node: Node, pieces: list[Piece]) -> list[str] | None:
        """``T v = p[i];`` of which only some members are used: load those only, as the original does."""
        if node.type != "declaration" or len(pieces) != 1 or pieces[0].act is not Act.FOLD:
            return None
        inits = [k for k in node.kids if k.type == "init_declarator"]
        if len(inits) != 1 or inits[0].get("value") is not pieces[0].node:
            return None
        declared = [v for v in self.info.scopes.vars if v.node is not None and inits[0].start <= v.node.start <
                    inits[0].end and v.node in self.info.scopes.var_of]
        if len(declared) != 1 or declared[0].type.is_address or declared[0].is_ref:
            return None
        var = declared[0]
        members: dict[str, None] = {}
        for n, v in self.info.scopes.var_of.items():
            if v is not var or n is var.node:
                continue
            up = n.parent
            if up is None or up.type != "field_expression" or up.get("argument") is not n:
                return None
            field = up.get("field")
            if field is None or (up.parent is not None and up.parent.type == "call_expression"
                                 and up.parent.get("function") is up):
                return None
            members[field.text] = None
        if not members:
            return None
        folds = " ".join(f"km_fold(km_sink, {var.name}.{m});" for m in members)
        return [f"{{ {self.show(node)} {folds} }}"]


def _flatten(pieces: list[Piece]) -> list[Piece]:
    out: list[Piece] = []
    for p in pieces:
        out += [p, *_flatten(p.then), *_flatten(p.otherwise)]
    return out


def retained_notes(slicers: list[Slicer], why: str) -> tuple[Note, ...]:
    """One note for each load whose value the slice needs, those in functions that are called as they are too."""
    places = [(slicer.info, node) for slicer in slicers for node in sorted(slicer.retained, key=lambda n: n.start)]
    return load_notes(places, [f for slicer in slicers for f in slicer.whole_calls], why)


def kept_library_code(slicers: list[Slicer]) -> tuple[Note, ...]:
    """One note for each grid-wide barrier, barrier object, ``new`` and ``delete``, which stay as they are."""
    notes: list[Note] = []
    for slicer in slicers:
        file = slicer.info.function.file
        places = [(b.node, f"{b.spelling}() stays: the accesses that it is made of are global ones")
                  for b in slicer.info.sites.barriers if b.scope == "grid"]
        places += [(v.node, f"{v.name} stays, with all that arrives at it or waits for it")
                   for v in barrier_objects(slicer.info)
                   if v.node is not None and v.type.innermost().name in BARRIER_OBJECTS]
        notes += [Note("heap-kept", f"`{' '.join(n.text.split())[:50]}` stays with constructors, destructors and the "
                       "allocator, and what they compute", file.expansion.to_source(n.span) if file.main else None)
                  for n in slicer.info.function.body.walk() if n.type in ("new_expression", "delete_expression")]
        notes += [Note("barrier-kept", text, file.expansion.to_source(n.span) if file.main else None)
                  for n, text in sorted(places, key=lambda p: p[0].start)]
    return tuple(notes)


def sliced_rewrite(program: Program, style: Style) -> Rewrite | Refused:
    """The rewrite of memory-only, load-only or store-only."""
    # What the allocator accesses itself is in original and variant, as all other accesses are.
    whole = style.id == "memory-only"
    for refusal in (error_refusal(program),
                    library_barrier_refusal(program, "which statements its arrivals and waits need cannot be told",
                                            outside_kernel=whole),
                    library_memory_refusal(program, f"a {style.id} variant", heap=not whole),
                    opaque_call_refusal(program, f"a {style.id} variant"), lambda_refusal(program)):
        if refusal is not None:
            return refusal
    wanted = [a for _, a in program.accesses() if a.touches_global and (
        (a.reads and style.keep.loads) or a.writes or a.kind in ("async", "asm"))]
    if not wanted and not any(n.type in ("new_expression", "delete_expression") for i in program.all()
                              for n in i.function.body.walk()):
        return Refused("no-global-access", f"the kernel makes no access to global memory that {style.id} could keep")
    planner = Planner(program, style.keep)
    mutated = clones_wanted(program, program.touches_global)
    names = {id(f): copy_name(f) for f in mutated}
    pointers = Pointers(program, names, sink=True)
    features = {"bits", style.sink}
    edits: tuple[Edit, ...] = ()
    clones: list[Clone] = []
    slicers: list[Slicer] = []
    for info in (program.kernel, *mutated):
        writer = _Writer(info, planner, style, names, pointers)
        slicers.append(writer.slicer)
        writer.write(writer.slicer.plan)
        if info is program.kernel:
            writer.out.insert(info.function.body.start + 1, f" km_Sink km_sink; /* kmutate {style.id} */", style.id)
            edits = writer.finish()
        else:
            clones.append(Clone(info, names[id(info)], writer.finish(), ("km_Sink &km_sink",), pointers.copies(info)))
        features |= writer.features
    if "put" in features and style.guard_stores:
        features.add("guarded-put")
    if any(r.is_pointee for _, a in program.accesses() for r in a.roots):
        features.add("loaded-pointers")
    if style.guard_stores:
        for slicer in slicers:
            for a in slicer.kept_stores():
                file = slicer.info.function.file
                text = " ".join(a.node.text.split())[:50]
                return Refused("store-read-back", f"`{text}` is stored and read back, and an address or the control "
                               "flow depends on it: the store cannot be taken away",
                               file.expansion.to_source(a.node.span) if file.main else None, "use memory-only")
    notes = retained_notes(slicers, "stays: an address or the control flow depends on it") + \
        kept_library_code(slicers)
    return Rewrite(edits, tuple(clones), frozenset(features | pointers.features), notes=notes,
                   dispatch=dispatch_table(program, names) if "dispatch" in pointers.features else (),
                   items=pointers.copies(program.kernel))
