"""What can be told the compiler of a variant that it should do as with the original: by loop and by folded load.

A variant's text is read again for its places: loops, loads that are folded into the sink, stores of it. An attempt says
how some of them are written; it inserts only, so it applies to the text and to what NVRTC gets of it alike.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from mutate.analysis.lambdas import around
from mutate.frontend.load import SourceOptions, load_unit
from mutate.frontend.pragmas import pragma_before
from mutate.frontend.preprocess import Expansion
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, declared_names
from mutate.mutations.build import VariantText
from mutate.mutations.rolled import LOOPS
from mutate.resources import templates_dir
from mutate.source import Edit, Lines, Span

_SINK = b"struct km_Sink {\n"
_END = b"// ---- kmutate: end of helpers ----"
_WORD = re.compile(rb"[A-Za-z_]\w*")
_SINK_TAKEN = re.compile(rb"\bkm_Sink &(km_sink)\b")
_HELPER = re.compile(r"(km_fold|km_keep|km_put)(?:<\d+>)?\Z")
_STATEMENTS = frozenset({"expression_statement", "declaration", "compound_statement", "if_statement", "for_statement",
                         "while_statement", "do_statement", "for_range_loop", "switch_statement"})
_LOADS = frozenset({"subscript_expression", "pointer_expression", "call_expression"})
_COPY = re.compile(r"\b\w+_km\b")
_OPTIONS = {"loop": ("1", "4", "2"), "pragma": ("1", "4", "2"),
            "fold": ("here", "divide", "not", "late", "equal", "own"), "keep": ("plain", "here"),
            "put": ("gone", "clobber", "apart", "equal"), "value": ("value",), "stored": ("stored",),
            "statement": ("divide", "call"), "copy": ("pure",), "return": ("free",), "end": ("loose",)}
"""How often a loop is unrolled, how a load is folded, what follows a statement: see ``templates/attempts.cuh.j2``.

A ``return`` of the kernel may leave without a look at the sink: otherwise threads that return early come together with
the others at the end, and these with each other no sooner. At its end the sink may be let go: only what is stored is
loaded then, and perhaps no sooner than it is known that it will be.
"""
_INSERTED = {"free": "{ km_sink.bits = 0; ", "loose": "km_sink.bits = 0; ", "call": " km_call();",
             "divide": " km_divide(km_sink);"}
_HELPED = frozenset({"fold", "keep", "put", "statement", "copy"})
"""Kinds of places whose other forms are helpers' names."""
_WAYS = {("put", "equal"): "equal-put", ("fold", "divide"): "fold-divide"}
"""Forms of one place that are called as those of another one."""
_NEAR = 8
"""Lines within which there may be a place for a call."""
LOOPED = frozenset({"loop", "pragma"})
Choice = Mapping["Place", str]


@dataclass(frozen=True)
class Place:
    """What may be written otherwise.

    ``kind``: a "loop", one with a "pragma", a folded load ("fold", "keep"), a store ("put"), a "value" that stays (of
    the variable ``name``), one that the original has "stored" (and the variant has, too), a "return", a "statement"
    of the kernel that something may follow, the "copy" of a function that has a result, or the kernel's "end".
    ``at``: where in the variant's text something is inserted: a pragma, the rest of a name, what comes before or
    behind a statement; ``end``: where a second thing is; ``more``: what else is inserted, and where. ``lines`` are
    the lines of the variant's kernel it lies in, or from which its function is called; none where that is not known.
    """

    kind: str
    at: int
    lines: tuple[int, ...]
    end: int = 0
    name: str = ""
    more: tuple[tuple[int, str], ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        return _OPTIONS[self.kind]


def places_of(text: VariantText, name: str, options: SourceOptions | None = None) -> tuple[Place, ...]:
    """The places of a variant, those of mutated copies of device functions with them.

    Empty where it has no helpers. ``KmutateError`` as ``load_unit``.
    """
    if _END not in text.text:
        return ()
    unit = load_unit(text.text, name, options)
    lines = Lines(text.text)
    expansion = unit.main.expansion
    kernel = next((k for k in unit.kernels if k.qualified == text.kernel), None)
    if kernel is None:
        return ()
    copies = {f.name: f for f in unit.main.functions if _COPY.fullmatch(f.name)}
    called = _called(kernel, copies, lines, lambda n: expansion.to_source(n.span).start)
    found: list[Place] = []
    for function in (kernel, *copies.values()):
        for node in function.body.walk():
            site = _site(node)
            if site is None or not expansion.is_exact(site[1]):
                continue
            kind, head = site
            span = expansion.to_source(node.span)
            mine = tuple(range(lines.line_of(span.start), lines.line_of(max(span.start, span.end - 1)) + 1)) \
                if function is kernel else called.get(function.name, ())
            where = expansion.to_source(head)
            if kind == "return":
                last = Span(node.end - 1, node.end)
                if function is kernel and around(node) is None and expansion.is_exact(last):
                    found.append(Place(kind, where.start, mine, expansion.to_source(last).end))
            else:
                found.append(Place(kind, where.start if kind in LOOPED else where.end, mine))
                if kind == "put" and function is not kernel:
                    # What the function gets and does not need for the address is what it stores, as a rule.
                    words = _WORD.findall(node.text.encode())
                    found += [Place("stored", where.start, mine, name=x.name) for x in function.params
                              if x.name and x.name.encode() not in words and "km_" not in x.name]
    for function in copies.values():
        found += _pure(function, (kernel, *copies.values()), expansion, called.get(function.name, ()))
    brace = Span(kernel.body.end - 1, kernel.body.end)
    if expansion.is_exact(brace):
        found.append(Place("end", expansion.to_source(brace).start, ()))
    for node in kernel.body.walk():
        last = Span(node.end - 1, node.end)
        if node.parent is not None and node.parent.type == "compound_statement" and node.type in _STATEMENTS and \
                around(node) is None and expansion.is_exact(last):
            span = expansion.to_source(node.span)
            mine = (lines.line_of(span.start), lines.line_of(span.end - 1))
            found.append(Place("statement", span.end, mine))
            found += [Place("value", span.end, mine, name=name) for name in _kept_variables(node)]
    found += _stored(text, found)
    return tuple(sorted(set(found), key=lambda p: (p.at, p.kind, p.lines, p.end, p.name)))


def _stored(text: VariantText, found: Sequence[Place]) -> list[Place]:
    """Stores whose value is dropped, but made of values that stay: in the original those are needed there."""
    assert text.unit is not None  # it has helpers
    kept = {p.name for p in found if p.kind == "value"}
    puts = [p for p in found if p.kind == "put" and p.lines]
    out: list[Place] = []
    new = old = 0
    for e in sorted(text.edits, key=lambda e: (e.start, e.end)) if kept and puts else ():
        begin = new + e.start - old
        new, old = begin + len(e.text.encode(errors="surrogateescape")), e.end
        words = dict.fromkeys(w.decode() for w in _WORD.findall(text.unit.source, e.start, e.end))
        for p in puts:
            if begin <= p.at <= new:
                start = p.at - len("km_put")
                out += [Place("stored", start, p.lines, name=w) for w in words if w in kept]
    return out


def _site(node: Node) -> tuple[str, Span] | None:
    """The kind of place, and the word before or behind which something is inserted."""
    if node.type in LOOPS:
        # Of two pragmas the last one counts.
        kind = "pragma" if pragma_before(node.text_source, node.start) else "loop"
        return kind, Span(node.start, node.start + 2)
    if node.type == "return_statement":
        return "return", Span(node.start, node.start + len("return"))
    function = node.get("function") if node.type == "call_expression" else None
    word = _HELPER.match(function.text) if function is not None else None
    if function is None or word is None:
        return None
    return word[1].removeprefix("km_"), Span(function.start, function.start + len(word[1]))


def _kept_variables(node: Node) -> list[str]:
    """The variables that a statement which stays gives values that may be loaded; of a loop those that outlive it."""
    if node.type in LOOPS:
        declared = {name.text for n in node.walk() if n.type.endswith("declaration") for k in n.kids
                    for name in declared_names(k)}
        given = dict.fromkeys(_given(n) for n in node.walk() if n.type == "assignment_expression")
        return [variable for variable in given if variable and variable not in declared]
    if node.type == "declaration":
        inits = [k for k in node.kids if k.type == "init_declarator"]
        name = inits[0].get("declarator") if len(inits) == 1 else None
        loads = "km_" not in node.text and any(n.type in _LOADS for n in node.walk())
        return [name.text] if name is not None and name.type == "identifier" and loads else []
    inner = node.find("assignment_expression") if node.type == "expression_statement" else None
    return [variable] if inner is not None and (variable := _given(inner)) else []


def _given(assignment: Node) -> str:
    """The variable that an assignment which stays gives a value that may be loaded; empty where it is another one."""
    left = assignment.get("left")
    loads = "km_" not in assignment.text and any(n.type in _LOADS for n in assignment.walk())
    return left.text if left is not None and left.type == "identifier" and loads else ""


def _pure(copy: Function, callers: Sequence[Function], expansion: Expansion, lines: tuple[int, ...]) -> list[Place]:
    """A mutated function that has a result, which may be what it loads: it takes nothing then and changes nothing."""
    head = _SINK_TAKEN.search(copy.node.text_source, copy.node.start, copy.body.start)
    if copy.returns_void or head is None:
        return []
    spans = [Span(head.start(1), head.end(1))]
    more = [(copy.body.start + 1, " km_Sink km_sink;")]
    for node in copy.body.walk():
        if node.type == "return_statement" and around(node) is None:
            value = next(iter(node.kids), None)
            function = value.get("function") if value is not None and value.type == "call_expression" else None
            if function is None or function.text != "km_Any":
                return []
            more.append((function.end, "_of(km_sink)"))
    for caller in callers:
        for node in caller.body.walk():
            function = node.get("function") if node.type == "call_expression" else None
            if function is not None and re.match(rf"{copy.name}\b", function.text):
                more += [(node.start, "km_fold(km_sink, "), (node.end, ")")]
    spans += [Span(at - 1, at) for at, _ in more]
    if not all(map(expansion.is_exact, spans)):
        return []
    return [Place("copy", expansion.to_source(spans[0]).end, lines, name=copy.name, more=tuple(
        (expansion.to_source(Span(at - 1, at)).end, what) for at, what in more))]


def _called(kernel: Function, copies: Mapping[str, Function], lines: Lines, start: Any) -> dict[str, tuple[int, ...]]:
    """From which lines of the kernel each mutated copy is reached."""
    def names(node: Node) -> set[str]:
        return set(_COPY.findall(node.text)) & copies.keys()

    inner = {name: names(f.body) - {name} for name, f in copies.items()}
    out: dict[str, set[int]] = {}
    for node in kernel.body.walk():
        if node.type != "call_expression" or (function := node.get("function")) is None:
            continue
        todo, done = names(function), set[str]()
        while todo:
            name = todo.pop()
            done.add(name)
            todo |= inner[name] - done
        for name in done:
            out.setdefault(name, set()).add(lines.line_of(start(node)))
    return {name: tuple(sorted(found)) for name, found in out.items()}


def with_choice(text: VariantText, source: bytes, places: Sequence[Place], choice: Choice) -> tuple[VariantText, bytes]:
    """The variant with its places written as chosen, and what NVRTC gets of it."""
    at: dict[int, str] = {}
    if not {"late", "own"}.isdisjoint(choice.values()):
        at[text.text.index(_SINK) + len(_SINK)] = "    unsigned late = 0, own = 0;  // loaded, and not stored yet\n"
        choice = {**choice, **{p: "late" for p in places if p.kind == "put"}}
    for place, what in choice.items():
        at[place.at] = at.get(place.at, "") + _inserted(place, what)
        if place.kind == "return":
            at[place.end] = at.get(place.end, "") + " }"
        for where, text_there in place.more:
            at[where] = at.get(where, "") + text_there
    ways = tuple(sorted({_WAYS.get((p.kind, what), what) for p, what in choice.items() if p.kind in _HELPED}))
    if ways:
        at[text.text.index(_END)] = _helpers(ways, b" km_keep(" in text.text)
    return _with_insertions(text, source, at)


def _inserted(place: Place, what: str) -> str:
    """What stands where the place is."""
    if place.kind in LOOPED:
        return f'_Pragma("unroll {what}") '
    if place.kind == "value":
        return f" km_fold(km_sink, {place.name});"
    if place.kind == "stored":
        return f"km_fold(km_sink, {place.name}), "
    return f"_{what}" if place.kind == "fold" else _INSERTED.get(what, f"_{what}")


@cache
def _helpers(ways: tuple[str, ...], keeps: bool) -> str:
    import jinja2

    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(str(templates_dir())), trim_blocks=True,
                                     lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined,
                                     autoescape=False)  # CUDA source, not markup
    return environment.get_template("attempts.cuh.j2").render(ways=ways, keeps=keeps)


def _with_insertions(text: VariantText, source: bytes, at: Mapping[int, str]) -> tuple[VariantText, bytes]:
    """``at`` says what is inserted at which byte of the variant's text, which is as long as ``source``."""
    edits: list[Edit] = []
    left = sorted(at)
    new = old = 0
    for e in sorted(text.edits, key=lambda e: (e.start, e.end)):
        inside = e.text.encode(errors="surrogateescape")
        begin = new + e.start - old
        edits += [Edit(old + x - new, old + x - new, at[x], "made again") for x in left if x < begin]
        left = [x for x in left if x >= begin]
        end = begin + len(inside)
        for x in reversed([x for x in left if x <= end]):
            inside = inside[: x - begin] + at[x].encode() + inside[x - begin :]
        left = [x for x in left if x > end]
        edits.append(replace(e, text=inside.decode(errors="surrogateescape")))
        new, old = end, e.end
    edits += [Edit(old + x - new, old + x - new, at[x], "made again") for x in left]
    return replace(text, text=_spliced(text.text, at), edits=tuple(edits)), _spliced(source, at)


def _spliced(text: bytes, at: Mapping[int, str]) -> bytes:
    parts, last = [], 0
    for x in sorted(at):
        parts += [text[last:x], at[x].encode()]
        last = x
    return b"".join([*parts, text[last:]])


class LineMap:
    """Which line of the original each line of a variant is; lines that one edit has made anew count as its first."""

    def __init__(self, text: VariantText) -> None:
        assert text.unit is not None  # the caller has made sure
        original = Lines(text.unit.source)
        edits = sorted(text.edits, key=lambda e: (e.start, e.end))
        self._first: dict[int, int] = {}
        for e in edits:
            first, last = original.line_of(e.start), original.line_of(e.end)
            for line in range(first + 1, last + 1):
                self._first[line] = self._first.get(first, first)
        self._starts: list[int] = []
        self._olds: list[tuple[int, bool]] = []
        new = old = 0
        for e in edits:
            self._add(new, old, True)
            begin = new + e.start - old
            self._add(begin, e.start, False)
            new, old = begin + len(e.text.encode(errors="surrogateescape")), e.end
        self._add(new, old, True)
        self._original, self._lines = original, Lines(text.text)

    def _add(self, new: int, old: int, moves: bool) -> None:
        self._starts.append(new)
        self._olds.append((old, moves))

    def original(self, line: int) -> int:
        """The original's line for one of its own."""
        return self._first.get(line, line)

    def of(self, line: int) -> int:
        """The original's line for one of the variant's, by where its text begins."""
        if not 0 < line <= len(self._lines):
            return 0
        at = self._lines.start_of(line)
        text = self._lines.text(line)
        at += len(text) - len(text.lstrip())
        k = bisect_right(self._starts, at) - 1
        old, moves = self._olds[k]
        return self.original(self._original.line_of(old + (at - self._starts[k] if moves else 0)))


def suspects(places: Sequence[Place], lines: LineMap, apart: Mapping[int, float]) -> list[Place]:
    """The places in lines whose accesses differ (``apart``: by how much), the most different first."""
    wrong = sorted(apart)

    def weight(p: Place) -> float:
        mine = {lines.of(line) for line in p.lines}
        if p.kind in (*LOOPED, "value") and mine:
            return sum(apart[w] for w in wrong[bisect_left(wrong, min(mine)) : bisect_right(wrong, max(mine))])
        return sum(apart.get(m, 0.0) for m in mine)

    weighed = [(weight(p), p) for p in places]
    return [p for w, p in sorted(weighed, key=lambda x: (-x[0], x[1].kind not in LOOPED, x[1].at)) if w > 0]


def at_calls(places: Sequence[Place], lines: LineMap, calls: Iterable[int], how: str) -> Choice:
    """Where the original calls (``calls`` are its lines): a call, or a division, that is never made.

    It follows the smallest statement of the line, or the nearest one before it.
    """
    mine = [(lines.of(p.lines[0]), lines.of(p.lines[-1]), p) for p in places if p.kind == "statement"]
    out: dict[Place, str] = {}
    for call in map(lines.original, calls):
        def far(x: tuple[int, int, Place], call: int = call) -> tuple[int, int, int]:
            first, last, p = x
            return 0 if first <= call <= last else abs(call - last), last - first, -p.at

        nearest = min(mine, key=far, default=None)
        if nearest is not None and far(nearest)[0] <= _NEAR:
            out[nearest[2]] = how
    return out


def names_of(places: Sequence[Place], lines: LineMap) -> dict[Place, tuple[str, int, int]]:
    """A name of each place that it has in the other variants of the kernel, too: kind, the original's line, number."""
    out: dict[Place, tuple[str, int, int]] = {}
    many: dict[tuple[str, int], int] = {}
    for p in places:
        key = "loop" if p.kind in LOOPED else p.kind, lines.of(p.lines[0]) if p.lines else 0
        many[key] = many.get(key, 0) + 1
        out[p] = *key, many[key]
    return out
