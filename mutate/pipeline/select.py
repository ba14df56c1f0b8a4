"""Which kernels of a file are meant."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from mutate.errors import KmutateError, nearest
from mutate.frontend.units import Function, Unit
from mutate.limits import within
from mutate.source import Span

MATCHING = 2.0
"""Seconds for one pattern and all names; what does not go back and forth needs microseconds."""


def select_kernels(unit: Unit, wanted: Sequence[str]) -> list[Function]:
    """Kernels by name or regular expression (``re.search`` on the qualified name).

    ``KmutateError``: ``no-kernel`` for a file without one, ``unknown-kernel``, ``bad-pattern``.
    """
    kernels = list(unit.kernels)
    if not kernels:
        raise KmutateError("no-kernel", f"{unit.main.name} defines no kernel (no __global__ function with a body)",
                           file=unit.main.name, hint="give the .cu file that defines the kernel; is it behind an #if? "
                           "then set -D")
    if not wanted:
        return kernels
    chosen: list[Function] = []
    for name in wanted:
        plain = name.split("<")[0]
        hits = [k for k in kernels if plain in (k.name, k.qualified)]
        if not hits:
            hits = _matching(kernels, name)
        if not hits:
            known = [k.qualified for k in kernels]
            near = nearest(plain, known)
            did = f"did you mean '{near}'? " if near else ""
            raise KmutateError("unknown-kernel", f"{unit.main.name} has no kernel called '{_short(name)}'",
                               file=unit.main.name, hint=f"{did}kernels: {', '.join(known[:10])}")
        chosen += [h for h in hits if h not in chosen]
    return chosen


def _matching(kernels: Sequence[Function], pattern: str) -> list[Function]:
    """Those in whose qualified name the pattern is found. Nested repetitions can take for ever: time is bounded."""
    late = _bad(pattern, f"looking for '{_short(pattern)}' in the names of kernels takes more than {MATCHING:g} s of "
                "computing", None, "a repetition of a repetition, like (a+)+, tries every way to divide a name; "
                "-k takes a kernel's name, too")
    try:
        with within(MATCHING, late), warnings.catch_warnings(action="ignore"):
            found = re.compile(pattern)
            return [k for k in kernels if found.search(k.qualified)]
    except re.error as error:
        why, at = error.msg, error.pos
    except OverflowError as error:
        why, at = str(error), None
    except RecursionError:
        why, at = "it nests too deeply", None
    raise _bad(pattern, f"'{_short(pattern)}' is no kernel of the file and no regular expression: {why}", at,
               "-k takes a name or a Python regular expression")


def _bad(pattern: str, what: str, at: int | None, hint: str) -> KmutateError:
    """``at``: the character of the pattern that the caret shows; the whole of a short one when there is none."""
    source = pattern.encode(errors="replace")
    start = len(pattern[:at].encode(errors="replace")) if at is not None else 0
    short = _short(pattern) == pattern
    return KmutateError("bad-pattern", what, file="-k", source=source if short or at is not None else None, hint=hint,
                        span=Span(start, len(source) if short and at is None else start + 1))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
