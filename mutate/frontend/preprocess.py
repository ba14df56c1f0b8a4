"""From the user's bytes to the text that is analysed, with a map back.

Comments, directives and inactive ``#if`` branches are blanked (same length), macros of the user's own
files are expanded. ``Expansion`` knows for each byte of the expanded text which bytes of the user's file
it stands for: verbatim stretches map one to one, a macro use maps as a whole. An edit inside a macro use
therefore becomes an edit of the whole use, and everything else keeps its bytes.
"""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mutate.errors import KmutateError
from mutate.files import NotAFileError
from mutate.frontend.conditions import evaluate_condition
from mutate.frontend.macros import (
    TOKEN,
    Macro,
    MacroBombError,
    Parentheses,
    call_extent,
    expand_text,
    expand_use,
    from_command_line,
    parse_define,
)
from mutate.source import Edit, Span, apply_edits, sort_edits
from mutate.toolchain.options import HOST_MACROS

_COMMENT_OR_STRING = re.compile(
    # What is not closed ends with its line or its file: else the search would start over at each quote.
    rb"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|R"([^()\\\s]{0,16})\((?:.*?\)\1"|.*)|"(?:\\.|[^"\\\n])*"?"""
    rb"""|'(?:\\.|[^'\\\n]){1,16}'""",
    re.DOTALL,
)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w*)((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_INCLUDE = re.compile(rb'\s*(?:"([^"\n]+)"|<([^>\n]+)>)')
_NOT_NEWLINE = re.compile(rb"[^\r\n]")
_MOST_FILES = 256
# Words that the grammar misreads and that change nothing in the analysis: blanked.
_NOISE = re.compile(rb"\b(?:__align__|alignas|__attribute__)\s*(?=\()|\b(?:__cluster_dims__|__maxnreg__)\s*(?=\()"
                    rb"|\b__extension__\b|\b__grid_constant__\b")


_MOST_ATTRIBUTES = 500
"""Bytes before a statement in which its attributes stand."""


def blank_comments(source: bytes) -> bytes:
    """The text with every comment replaced by spaces (newlines kept); strings are left alone."""
    return _COMMENT_OR_STRING.sub(
        lambda m: _NOT_NEWLINE.sub(b" ", m.group()) if m.group()[:1] == b"/" else m.group(), source)


@dataclass(frozen=True)
class Segment:
    """``expanded[start:end]`` stands for ``source[source_start:source_end]``."""

    start: int
    end: int
    source_start: int
    source_end: int
    verbatim: bool


@dataclass(frozen=True)
class Include:
    """An ``#include`` as written; ``local`` in quotes. ``found`` names the file of the unit that it is."""

    path: str
    local: bool
    span: Span
    found: str = ""


@dataclass(frozen=True)
class Expansion:
    """The analysed text of one file. ``source`` are the user's bytes, ``text`` the expanded ones."""

    source: bytes
    text: bytes
    segments: tuple[Segment, ...]
    macros: Mapping[str, Macro]
    includes: tuple[Include, ...]
    directives: tuple[Span, ...]
    unknown_conditions: tuple[Span, ...] = ()
    inactive: tuple[Span, ...] = ()
    """What ``#if`` leaves out, between one directive and the next."""
    _starts: tuple[int, ...] = field(default=(), repr=False)

    def segment_at(self, offset: int) -> int:
        return max(0, bisect_right(self._starts, offset) - 1)

    def to_source(self, span: Span) -> Span:
        """The user's bytes a span of the expanded text stands for (widened to whole macro uses)."""
        first = self.segments[self.segment_at(span.start)]
        if span.end <= span.start:
            at = first.source_start + (span.start - first.start) if first.verbatim else first.source_start
            return Span(at, at)
        last = self.segments[self.segment_at(span.end - 1)]
        start = first.source_start + (span.start - first.start) if first.verbatim else first.source_start
        end = last.source_start + (span.end - last.start) if last.verbatim else last.source_end
        return Span(start, end)

    def with_attributes(self, span: Span) -> Span:
        """The span of a statement with ``__attribute__((...))`` and the like before it, which are blank here."""
        near = self.text[max(0, span.start - _MOST_ATTRIBUTES) : span.start]
        start = span.start - len(near) + len(near.rstrip())
        at = self.to_source(Span(start, span.start))
        if at.end - at.start != span.start - start:
            return span  # not the same bytes
        found = _NOISE.search(blank_comments(self.source[at.start : at.end]))
        return Span(start + found.start(), span.end) if found is not None else span

    def is_exact(self, span: Span) -> bool:
        """True when neither end of the span lies inside a macro use."""
        first = self.segments[self.segment_at(span.start)]
        last = self.segments[self.segment_at(max(span.start, span.end - 1))]
        return (first.verbatim or span.start == first.start) and (last.verbatim or span.end == last.end)

    def show(self, span: Span) -> str:
        """Text of a span as the user wrote it where possible, expanded where a macro would be cut in two.

        Comments are spaces, and of what ``#if`` chooses from only the choice is there, so that lines may be joined.
        """
        if self.is_exact(span):
            at = self.to_source(span)
            text = self.source[at.start : at.end]
            if not any(self._directives_in(at)):
                return blank_comments(text).decode(errors="surrogateescape") if b"/" in text else \
                    text.decode(errors="surrogateescape")
        return self.text[span.start : span.end].decode(errors="surrogateescape")

    def lower_edits(self, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Edits of the expanded text as edits of the user's file; those inside a macro use replace the whole use."""
        groups: list[tuple[Span, list[Edit]]] = []
        for edit in sort_edits(edits):
            covered = self._covering(edit.span)
            if groups and (covered.start < groups[-1][0].end
                           or (covered.start == groups[-1][0].start and covered != groups[-1][0]
                               and groups[-1][0].start != groups[-1][0].end)):
                last, members = groups[-1]
                groups[-1] = (Span(last.start, max(last.end, covered.end)), [*members, edit])
            else:
                groups.append((covered, [edit]))
        out: list[Edit] = []
        for span, members in groups:
            if len(members) == 1 and members[0].span == span:
                at = self.to_source(span)
                out.append(Edit(at.start, at.end, members[0].text, members[0].note))
                continue
            shifted = [Edit(e.start - span.start, e.end - span.start, e.text) for e in members]
            text = apply_edits(self.text[span.start : span.end], shifted)
            at = self.to_source(span)
            notes = list(dict.fromkeys(e.note for e in members if e.note))
            out.append(Edit(at.start, at.end, text.decode(errors="surrogateescape"), "; ".join(notes)))
        return tuple(part for edit in out for part in self._around_directives(edit))

    def _directives_in(self, span: Span) -> Iterator[Span]:
        first = bisect_right(self.directives, span.start, key=lambda d: d.end)
        for d in self.directives[first:]:
            if d.start >= span.end:
                return
            yield d

    def _around_directives(self, edit: Edit) -> Iterator[Edit]:
        """An edit less the directives in it: ``#if`` and ``#endif`` stay balanced. Its text comes before the first.

        Conditions that begin and end in it go: there is nothing left to choose from.
        """
        at, text = edit.start, edit.text
        inside = [*self._directives_in(edit.span)]
        if self._is_closed(inside):
            inside = []
        for d in inside:
            yield Edit(at, d.start, text if text.endswith("\n") else f"{text}\n", edit.note)
            at, text = d.end, ""
        yield Edit(at, edit.end, text or ("\n" if at > edit.start else ""), edit.note)

    def _is_closed(self, directives: Iterable[Span]) -> bool:
        """Whether directives are whole conditions and nothing else."""
        depth = 0
        for d in directives:
            found = _DIRECTIVE.match(self.source, d.start, d.end)
            word = found[1] if found is not None else b""
            depth += (word in (b"if", b"ifdef", b"ifndef")) - (word == b"endif")
            if depth < 0 or (depth == 0 and word != b"endif") or word not in (
                    b"if", b"ifdef", b"ifndef", b"elif", b"else", b"endif"):
                return False
        return depth == 0

    def _covering(self, span: Span) -> Span:
        """The span widened so that it cuts no macro use."""
        start, end = span.start, span.end
        first = self.segments[self.segment_at(start)]
        if not first.verbatim and start > first.start:
            start, end = first.start, max(end, first.end)
        if end > start:
            last = self.segments[self.segment_at(end - 1)]
            if not last.verbatim and end < last.end:
                end = last.end
        return Span(start, end)


def predefined(arch: str) -> dict[str, Macro]:
    """Macros that real code asks for in ``#if``: NVRTC's own, and those that it is given."""
    digits = "".join(c for c in arch if c.isdigit()) or "90"
    values = {"__CUDA_ARCH__": f"{digits}0", "__CUDACC__": "1", "__CUDACC_RTC__": "1", "__cplusplus": "201703L",
              "__CUDACC_VER_MAJOR__": "13", "__CUDACC_VER_MINOR__": "0", "CUDART_VERSION": "13000",
              "CUDA_VERSION": "13000", "__LP64__": "1", "__STDC__": "1", "__EXCEPTIONS": "1", **HOST_MACROS}
    return {name: Macro(name, None, value.encode()) for name, value in values.items()}


Loader = Callable[[str, str], tuple[str, bytes] | None]


class Preprocessor:
    """One run over a file and the local files it includes. ``load(path, by)`` gives (name, bytes) of a local include

    that the file with the name ``by`` asks for. It raises ``NotAFileError`` and ``IsADirectoryError`` where there is
    something else than a file. What includes the one with ``name``, the file itself, does not get it a second time.
    """

    def __init__(self, defines: Iterable[str] = (), arch: str = "sm_90", load: Loader | None = None,
                 name: str = "<source>") -> None:
        self._predefined = predefined(arch)
        self.macros: dict[str, Macro] = {}
        for define in defines:
            macro = from_command_line(define)
            self.macros[macro.name] = macro
        self._load = load
        self._name = name
        self.included: list[tuple[str, Expansion]] = []
        self._seen: set[str] = {name}

    def run(self, source: bytes) -> Expansion:
        clean = blank_comments(source)
        work = bytearray(clean)
        for m in _NOISE.finditer(clean):
            _blank_call(work, clean, m)
        segments: list[Segment] = []
        parts: list[bytes] = []
        size = 0
        includes: list[Include] = []
        directives: list[Span] = []
        unknown: list[Span] = []
        inactive: list[Span] = []
        at = 0
        # Stack of (this branch is active, some branch was taken, the enclosing region is active).
        stack: list[tuple[bool, bool, bool]] = []

        def verbatim(start: int, end: int, text: bytes) -> None:
            nonlocal size
            if end > start:
                segments.append(Segment(size, size + end - start, start, end, True))
                parts.append(text)
                size += end - start

        def region(start: int, end: int) -> None:
            nonlocal size
            if end <= start:
                return
            if stack and not stack[-1][0]:
                inactive.append(Span(start, end))
                verbatim(start, end, _NOT_NEWLINE.sub(b" ", bytes(work[start:end])))
                return
            text = bytes(work[start:end])
            done = 0
            for name_start, stop, expansion in self._uses(text):
                if name_start < done:
                    continue
                verbatim(start + done, start + name_start, text[done:name_start])
                segments.append(Segment(size, size + len(expansion), start + name_start, start + stop, False))
                parts.append(_without_noise(expansion))
                size += len(expansion)
                done = stop
            verbatim(start + done, end, text[done:])

        for m in _DIRECTIVE.finditer(clean):
            if m.start() < at:
                continue
            region(at, m.start())
            at = m.end()
            name, rest = m.group(1), re.sub(rb"\\\r?\n", b" ", m.group(2))
            span = Span(m.start(), m.end())
            active = not stack or stack[-1][0]
            if name == b"pragma" and active:
                verbatim(m.start(), m.end(), clean[m.start() : m.end()])
                continue
            directives.append(span)
            verbatim(m.start(), m.end(), _NOT_NEWLINE.sub(b" ", clean[m.start() : m.end()]))
            try:
                self._directive(name, rest, span, active, stack, includes, unknown)
            except (NotAFileError, IsADirectoryError) as error:
                raise KmutateError("not-a-file", f"cannot include {error.filename}: {error.strerror}", file=self._name,
                                   source=source, span=span, hint="include a file") from None
        region(at, len(clean))
        if not segments:
            segments.append(Segment(0, 0, 0, 0, True))
        return Expansion(source, b"".join(parts), tuple(segments), dict(self.macros), tuple(includes),
                         tuple(directives), tuple(unknown), tuple(inactive), tuple(s.start for s in segments))

    def _directive(self, name: bytes, rest: bytes, span: Span, active: bool, stack: list[tuple[bool, bool, bool]],
                   includes: list[Include], unknown: list[Span]) -> None:
        if name in (b"if", b"ifdef", b"ifndef"):
            truth = False
            if active:
                known = {**self._predefined, **self.macros}
                if name == b"if":
                    value = evaluate_condition(rest, known)
                    if value is None:
                        unknown.append(span)
                    truth = bool(value)
                else:
                    word = rest.strip().decode(errors="replace")
                    truth = (word in known) == (name == b"ifdef")
            stack.append((active and truth, truth, active))
        elif name in (b"elif", b"else") and stack:
            _, taken, outer = stack.pop()
            truth = outer and not taken
            if truth and name == b"elif":
                value = evaluate_condition(rest, {**self._predefined, **self.macros})
                if value is None:
                    unknown.append(span)
                truth = bool(value)
            stack.append((truth, taken or truth, outer))
        elif name == b"endif" and stack:
            stack.pop()
        elif not active:
            return
        elif name == b"define":
            macro = parse_define(rest)
            if macro is not None:
                self.macros[macro.name] = macro
        elif name == b"undef":
            self.macros.pop(rest.strip().decode(errors="replace"), None)
        elif name == b"include" and (m := _INCLUDE.match(self._named(rest))):
            local = m.group(1) is not None
            path = (m.group(1) or m.group(2)).decode(errors="replace")
            try:
                found = self.include(path)
            except IsADirectoryError:
                if local:  # <random> is no folder of that name that lies beside the file
                    raise
                found = ""
            includes.append(Include(path, local, span, found))

    def _named(self, rest: bytes) -> bytes:
        """What an ``#include`` names, where a macro stands for it."""
        if _INCLUDE.match(rest):
            return rest
        with contextlib.suppress(MacroBombError, RecursionError):
            return expand_text(rest, {**self._predefined, **self.macros})
        return rest

    def include(self, path: str) -> str:
        """Reads a local file that is found and was not read yet, with the macros as they are now. Its name, or none.

        Raises what ``load`` raises.
        """
        found = self._load(path, self._name) if self._load is not None else None
        if found is None:
            return ""
        name, source = found
        if name not in self._seen:
            if len(self._seen) >= _MOST_FILES:
                return ""
            self._seen.add(name)
            around, self._name = self._name, name
            self.included.append((name, self.run(source)))
            self._name = around
        return name

    def _uses(self, text: bytes) -> Iterable[tuple[int, int, bytes]]:
        """Macro uses of a stretch: (start, end, expansion)."""
        if not self.macros:
            return
        at = 0
        parentheses = Parentheses(text)
        while match := TOKEN.search(text, at):
            at = match.end()
            if match.lastgroup != "id":
                continue
            macro = self.macros.get(match.group().decode())
            if macro is None:
                continue
            end = call_extent(parentheses, macro, at)
            if end is None:
                continue
            try:
                expansion = expand_use(text, macro, at, end, self.macros)
            except (MacroBombError, RecursionError):
                at = end  # what is in it would most often be no less
                continue
            yield match.start(), end, expansion
            at = end


def _without_noise(expansion: bytes) -> bytes:
    """What a macro stands for, blank where it is an attribute and nothing else (``#define ALIGN(n) __align__(n)``)."""
    work = bytearray(expansion)
    for m in _NOISE.finditer(expansion):
        _blank_call(work, expansion, m)
    return expansion if work.strip() else bytes(work)


def _blank_call(work: bytearray, clean: bytes, match: re.Match[bytes]) -> None:
    end = match.end()
    if clean[end : end + 1] == b"(":
        depth = 0
        for i in range(end, min(len(clean), end + 400)):
            depth += (clean[i] == 0x28) - (clean[i] == 0x29)
            if depth == 0:
                end = i + 1
                break
        else:
            return
    for i in range(match.start(), end):
        if work[i] not in (0x0A, 0x0D):
            work[i] = 0x20
