"""Finds launch declarations: ``/* kmutate launch ... */`` comments, ``// kmutate launch`` blocks, whole files."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from mutate.errors import KmutateError
from mutate.launch.lex import comments, decode
from mutate.launch.model import DeclarationText
from mutate.source import Span

# `/* kmutate launch`, `/** kmutate launch`, `// kmutate launch`, with the leader of a box comment on the next line.
_HEAD = re.compile(r"(?:/\*[*!]?|//[/!]?)(?:\s|\n[ \t]*\*(?!/))*kmutate[ \t]+(\w+)[ \t]*:?")
_LINE_COMMENT = re.compile(r"[ \t]*//")


def find_declarations(source: bytes, file: str) -> tuple[DeclarationText, ...]:
    """Launch declarations in the comments of a CUDA file, in order; empty when there are none.

    Raises ``KmutateError`` (``launch-syntax``) for a comment that says ``kmutate`` and nearly ``launch``, or whose end
    is missing.
    """
    if b"kmutate" not in source:
        return ()
    text = decode(source)
    found: list[DeclarationText] = []
    skip_to = 0
    for comment in comments(text):
        head = _HEAD.match(text, comment.start, comment.end)
        if head is None or comment.start < skip_to:
            continue
        if head[1] != "launch":
            if SequenceMatcher(None, head[1].lower(), "launch").ratio() >= 0.7:
                raise KmutateError("launch-syntax", f"'kmutate {head[1]}' is no declaration", file=file, source=source,
                                   span=Span(head.start(1), head.end(1)), hint="write: kmutate launch")
            continue
        if text.startswith("//", comment.start):
            end = _block_end(text, comment)
            found.append(DeclarationText(file, source, Span(head.end(), end), prefixed=True))
            skip_to = end
            continue
        if not text.endswith("*/", comment.start + 2, comment.end):
            raise KmutateError("launch-syntax", "the comment with the launch declaration is never closed", file=file,
                               source=source, span=Span(head.start(1), head.end(1)), hint="add */")
        body = Span(head.end(), comment.end - 2)
        found.append(DeclarationText(file, source, body, prefixed=_is_boxed(text[body.start : body.end])))
    return tuple(found)


def declaration_file(source: bytes, file: str) -> tuple[DeclarationText, ...]:
    """Declarations of a file given with ``--launch``: those in its comments, or else the whole file as one."""
    return find_declarations(source, file) or (DeclarationText(file, source, Span(0, len(source))),)


def _block_end(text: str, first: Span) -> int:
    """End of the run of ``//`` lines that begins with a comment; one that starts another declaration ends it."""
    end = first.end
    while end < len(text):
        at = end + 1
        line = _LINE_COMMENT.match(text, at)
        if text[end] != "\n" or line is None:
            break
        head = _HEAD.match(text, line.end() - 2)
        if head is not None and head[1] == "launch":
            break
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
    return end


def _is_boxed(body: str) -> bool:
    """Whether every line after the first begins with the ``*`` of a box comment."""
    lines = [line.strip() for line in body.split("\n")[1:]]
    inner = [line for line in lines if line]
    return bool(inner) and all(line.startswith("*") for line in inner)
