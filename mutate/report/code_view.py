"""Source and diffs as lines of escaped HTML with classes for the colours of their tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mutate.report.figures import clean

if TYPE_CHECKING:
    from markupsafe import Markup

# Beyond this a lexer takes seconds, and nobody needs colours.
_MOST_CHARACTERS = 400_000


def _class(token: Any) -> str:
    from pygments.token import Comment, Keyword, Name, Number, String

    for kind, name in ((Comment.Preproc, "pp"), (Comment.PreprocFile, "pp"), (Comment, "co"), (Keyword.Type, "ty"),
                       (Keyword, "kw"), (Name.Builtin, "bi"), (String, "st"), (Number, "nu")):
        if token in kind:
            return name
    return ""


def highlighted(text: str) -> list[Markup]:
    """The lines of CUDA code; every character of the text is escaped, the spans are the only markup."""
    from markupsafe import Markup, escape

    text = clean(text)
    lines = text.split("\n")
    if len(text) > _MOST_CHARACTERS:
        return [escape(line) for line in lines]
    from pygments.lexers.c_like import CudaLexer

    out: list[Markup] = [Markup("")]
    # The lexer knows a comment or a directive only by the end of its line.
    for token, value in CudaLexer(stripnl=False, ensurenl=False).get_tokens(text + "\n"):
        kind = _class(token)
        for number, part in enumerate(value.split("\n")):
            if number:
                out.append(Markup(""))
            if part:
                out[-1] += Markup('<span class="{}">{}</span>').format(kind, part) if kind else escape(part)
    out.pop()
    return out if len(out) == len(lines) else [escape(line) for line in lines]


@dataclass(frozen=True)
class DiffLine:
    """``kind`` is ``add``, ``del``, ``hunk``, ``note`` or nothing; numbers are those of the old and the new file."""

    kind: str
    old: int | None
    new: int | None
    mark: str
    code: Markup


def diff_lines(diff: str) -> tuple[DiffLine, ...]:
    """A unified diff without its two head lines."""
    return tuple(_diff_lines(clean(diff)))


def _diff_lines(diff: str) -> Iterator[DiffLine]:
    from markupsafe import escape

    lines = diff.split("\n")
    while lines and not lines[0].startswith("@@"):
        lines.pop(0)
    if lines and lines[-1] == "":
        lines.pop()
    # The lexer sees code without the marks in column one; a hunk's head becomes an empty line to it.
    code = highlighted("\n".join("" if x.startswith(("@@", "\\")) else x[1:] for x in lines))
    old = new = 0
    for text, markup in zip(lines, code, strict=True):
        mark = text[:1]
        if mark == "@":
            old, new = _starts(text)
            yield DiffLine("hunk", None, None, "", escape(text))
        elif mark == "\\":
            yield DiffLine("note", None, None, "", escape(text))
        else:
            kind = {"+": "add", "-": "del"}.get(mark, "")
            yield DiffLine(kind, None if kind == "add" else old, None if kind == "del" else new, mark.strip(), markup)
            old += kind != "add"
            new += kind != "del"


def _starts(head: str) -> tuple[int, int]:
    """Where a hunk begins in both files: ``@@ -12,7 +12,9 @@``."""
    numbers = [p[1:].split(",")[0] for p in head.split() if p[:1] in "+-"][:2]
    if len(numbers) < 2 or not all(n.isdigit() for n in numbers):
        return 1, 1
    return int(numbers[0]), int(numbers[1])


def changed(lines: Sequence[DiffLine]) -> tuple[int, int]:
    """How many lines were added and taken away."""
    return sum(x.kind == "add" for x in lines), sum(x.kind == "del" for x in lines)
