"""Pragmas where the grammar has no place for them: between the head of a statement and its body, or within it.

Without braces ``if (a)``, ``#pragma unroll``, ``for (...)`` is read as three statements, so the loop would not depend
on ``a``; a pragma before ``else`` ends the ``if``. They are blank when the text is parsed.
"""

from __future__ import annotations

import re

from mutate.source import Span, blank

# A directive or the operator; comments are blank here, and macros expanded.
_PRAGMA = re.compile(
    rb'^[ \t]*#[ \t]*pragma\b(?:\\\r?\n|[^\n])*|\b_Pragma\s*\(\s*L?"(?:\\.|[^"\\\n])*"\s*\)', re.MULTILINE)
_BETWEEN = re.compile(rb"(?:[;{}]|\bcase\b[^;{}]*[^:]:|\bdefault\s*:)\Z")
_ELSE = re.compile(rb"\s*else\b")
_SPACES = b" \t\r\n\f\v"
_LOOK_BACK = 400
"""Bytes in which the ``case`` of a label is looked for, and a loop's pragma."""


def without_inner_pragmas(text: bytes) -> bytes:
    """``text`` with blanks for pragmas that do not stand between two statements. Length and lines stay."""
    if b"pragma" not in text and b"_Pragma" not in text:
        return text
    inner: list[Span] = []
    run: list[Span] = []  # pragmas with nothing between them
    for m in _PRAGMA.finditer(text):
        if run and text[run[-1].end : m.start()].strip():
            inner += _inner(text, run)
            run = []
        run.append(Span(m.start(), m.end()))
    return blank(text, tuple(inner + _inner(text, run)))


def _inner(text: bytes, run: list[Span]) -> list[Span]:
    if not run:
        return []
    at = run[0].start
    while at and text[at - 1] in _SPACES:
        at -= 1
    between = not at or _BETWEEN.search(text[max(0, at - _LOOK_BACK) : at]) is not None
    return [] if between and not _ELSE.match(text, run[-1].end) else run


def pragma_before(text: bytes, at: int) -> Span | None:
    """The last pragma on unrolling of those right before ``at``."""
    while True:
        start = max(0, at - _LOOK_BACK)
        near = text[start:at]
        last = next((m for m in reversed(list(_PRAGMA.finditer(near))) if not near[m.end() :].strip()), None)
        if last is None:
            return None
        if b"unroll" in last[0]:
            return Span(start + last.start(), start + last.end())
        at = start + last.start()
