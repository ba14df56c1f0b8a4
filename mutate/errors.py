"""Errors a user can act on: a slug, what is wrong, where (with a caret), and what to do next."""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Iterable
from pathlib import Path

from mutate.source import Lines, Span


class KmutateError(Exception):
    """Ends a command with exit code 2. ``slug`` is stable and machine-readable; ``str()`` is the whole message."""

    exit_code = 2

    def __init__(self, slug: str, what: str, *, file: str | None = None, source: bytes | None = None,
                 span: Span | None = None, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(slug, what)  # with both it can be sent from one process to another
        self.slug = slug
        self.what = what
        self.hint = hint
        self.where = where
        self.caret: str | None = None
        if source is not None and span is not None:
            lines = Lines(source)
            _, column = lines.position(span.start)
            named, line = lines.place(span.start)
            self.where = f"{named or file or '<source>'}:{line}:{column}"
            self.caret = lines.caret(span)
        elif where is None and file is not None:
            self.where = file

    def __str__(self) -> str:
        head = f"{self.where}: error: {self.what} [{self.slug}]" if self.where else f"error: {self.what} [{self.slug}]"
        parts = [head]
        if self.caret:
            parts.append(self.caret)
        if self.hint:
            parts.append(f"next: {self.hint}")
        return "\n".join(parts)


def defect(of: str, fault: Exception) -> str:
    """What is said of an exception that nobody foresaw, in words that a report of it needs: which, and where."""
    at = traceback.extract_tb(fault.__traceback__)[-1]
    where = f"{Path(at.filename).name}:{at.lineno}"
    return f"{of} failed, which is a defect of kmutate ({type(fault).__name__} at {where}: {fault})"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to a misspelt one, or ``None`` when nothing is close."""
    match = difflib.get_close_matches(name, list(known), n=1, cutoff=0.4)
    return match[0] if match else None
