"""Byte spans, edits on them, and what is shown of a source text: lines, columns, carets, diffs.

Everything downstream speaks in byte offsets of the user's file, because tree-sitter does and because
an edit that is a byte span leaves every other byte as it was.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(frozen=True, order=True)
class Span:
    """Half-open byte range ``[start, end)`` of a source text."""

    start: int
    end: int

    def __contains__(self, other: object) -> bool:
        return isinstance(other, Span) and self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, order=True)
class Edit:
    """Replace ``[start, end)`` by ``text``. ``note`` names the rewrite for the comment and the manifest."""

    start: int
    end: int
    text: str
    note: str = field(default="", compare=False)

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


# Controls but newline and tab, and what turns the direction of writing: all that can make a terminal show, or do,
# something else than the text says.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_WIDEST = 1000


def printable(text: str) -> str:
    """The text with control characters as escapes: a line of a source file may hold a command for the terminal."""
    return _UNSAFE.sub(lambda m: f"\\x{c:02x}" if (c := ord(m.group())) < 256 else f"\\u{c:04x}", text)


class OverlappingEditsError(ValueError):
    """Two edits claim the same bytes; a mutation must never produce that."""


def sort_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits in order of position, insertions before a replacement that starts at the same byte.

    Raises ``OverlappingEditsError`` when two edits share a byte.
    """
    ordered = tuple(sorted(edits, key=lambda e: (e.start, e.end)))
    for left, right in pairwise(ordered):
        if right.start < left.end:
            raise OverlappingEditsError(f"edits overlap: {left} and {right}")
    return ordered


def apply_edits(source: bytes, edits: Iterable[Edit]) -> bytes:
    """The text with all edits applied; bytes outside their spans are kept as they are."""
    parts: list[bytes] = []
    at = 0
    for edit in sort_edits(edits):
        parts += (source[at : edit.start], edit.text.encode(errors="surrogateescape"))
        at = edit.end
    parts.append(source[at:])
    return b"".join(parts)


_LINE = re.compile(rb'^[ \t]*#[ \t]*line[ \t]+(\d{1,9})[ \t]*"([^"\n]*)"[^\n]*', re.MULTILINE)


class Lines:
    """Line and column lookups in one text. Lines and columns count from 1; a column is in characters."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._directives: list[tuple[int, int, str]] | None = None
        self._starts = [0]
        at = source.find(b"\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = source.find(b"\n", at + 1)

    def __len__(self) -> int:
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def place(self, offset: int) -> tuple[str | None, int]:
        """File and line of an offset as ``#line`` directives before it say; no file where there is none."""
        if self._directives is None:
            self._directives = [] if b"#line" not in self.source else [
                (m.end(), int(m[1]), m[2].decode(errors="surrogateescape")) for m in _LINE.finditer(self.source)]
        before = bisect_right(self._directives, offset, key=lambda d: d[0])
        if not before:
            return None, self.line_of(offset)
        end, number, name = self._directives[before - 1]
        return name, number + self.line_of(offset) - self.line_of(end) - 1

    def position(self, offset: int) -> tuple[int, int]:
        line = self.line_of(offset)
        start = self._starts[line - 1]
        return line, len(self.source[start:offset].decode(errors="replace")) + 1

    def start_of(self, line: int) -> int:
        """Byte offset of the first byte of a line (1-based)."""
        return self._starts[line - 1]

    def text(self, line: int) -> str:
        start = self._starts[line - 1]
        end = self.source.find(b"\n", start)
        return self.source[start : len(self.source) if end < 0 else end].decode(errors="replace").rstrip("\r")

    def caret(self, span: Span) -> str:
        """The line of a span with a caret line under it, as compilers print it; of a long line a part."""
        line, column = self.position(span.start)
        text = self.text(line)
        first = max(0, column - 1 - _WIDEST // 2) if len(text) > _WIDEST else 0
        text, column = text[first : first + _WIDEST], column - first
        shown = self.source[span.start : min(span.end, span.start + 4 * _WIDEST)]
        width = max(1, min(len(shown.decode(errors="replace").split("\n")[0]), len(text) - column + 1))
        indent = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
        number = f"{self.place(span.start)[1]:>5}"
        return f"{number} | {text}\n{' ' * len(number)} | {indent}{'^' * width}"


def unified_diff(before: bytes, after: bytes, before_name: str, after_name: str, context: int = 3) -> str:
    """Unified diff of two texts, with ``\\ No newline at end of file`` where it applies, so that patch(1) takes it."""
    a = before.decode(errors="surrogateescape").splitlines(keepends=True)
    b = after.decode(errors="surrogateescape").splitlines(keepends=True)
    out: list[str] = []
    for line in difflib.unified_diff(a, b, before_name, after_name, n=context):
        out.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(out)


_BLANK = bytes(c if c in b"\r\n" else 0x20 for c in range(256))


def blank(source: bytes, spans: Sequence[Span]) -> bytes:
    """Replace spans by as many spaces, keeping newlines, so that every offset, line and column stays."""
    text = bytearray(source)
    for span in spans:
        text[span.start : span.end] = text[span.start : span.end].translate(_BLANK)
    return bytes(text)


_LAMBDA_SPACES = re.compile(rb"\](?:[ \t]*__(?:host|device)__)+(?=\s*[({])")


def without_lambda_spaces(text: bytes) -> bytes:
    """``[&] __device__ (int i) {...}`` with blanks for the execution space, which neither the grammar nor NVRTC takes.

    In device code a lambda is a device function without it. Length and lines stay.
    """
    return _LAMBDA_SPACES.sub(lambda m: b"]" + b" " * (len(m[0]) - 1), text)


# What may stand before a value, and the name of a type in parentheses before a brace.
_COMPOUND = re.compile(rb"((?:[-=(,+*/%?:&|<>!~^{;]|\breturn|#[ \t]*define[ \t]+\w+(?:\([^()\n]*\))?)[ \t]*)"
                       rb"\(([ \t]*(?:struct[ \t]+)?[A-Za-z_]\w*[ \t]*)\)(?=[ \t]*\{)")
_OPERATOR = re.compile(rb"\boperator[^\w\n]{0,4}$")


def without_compound_literals(text: bytes) -> bytes:
    """``(float4){ 1, 2, 3, 4 }``, which C has and NVRTC does not take, as ``float4{ 1, 2, 3, 4 }``.

    Length and lines stay.
    """
    return _COMPOUND.sub(lambda m: m[0] if _OPERATOR.search(text, max(0, m.start() - 16), m.start(2) - 1)
                         else b"%b %b " % (m[1], m[2]), text)
