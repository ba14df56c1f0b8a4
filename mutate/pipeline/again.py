"""Makes variants again whose run shows other accesses than the original's, and takes what touches the same.

What the compiler does with a loop it decides by what is in it. Unrolled, lanes that leave a loop at different times
load together or one after the other, and equal loads of several turns become one. Which factor the original got nothing
says, so some are tried; and loads of two branches are folded alike, where the original makes one load of them. The run
decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from mutate.dynamic import simulate_all, with_dynamic
from mutate.model import Certificate, Verdict
from mutate.mutations.base import Note
from mutate.mutations.build import VariantText
from mutate.pipeline.binaries import work_binaries
from mutate.pipeline.prove import Candidate, Prover, Work
from mutate.pipeline.retext import with_equal_folds, with_unrolled
from mutate.results import Target
from mutate.toolchain.cache import Cache

_SLICED = frozenset({"memory-only", "load-only", "store-only"})
_DIFFERS = frozenset({"dynamic-accesses-differ", "dynamic-addresses-differ"})
_SECONDS = 10.0
"""No further attempt begins after so many."""
_Attempt = Callable[[Target, VariantText, bytes], tuple[VariantText, bytes] | None]


def _factor(factor: int) -> tuple[_Attempt, str]:
    what = f"a pragma unrolls its loops {factor} times" if factor > 1 else "a pragma keeps its loops rolled"
    return lambda target, text, source: with_unrolled(target, text, source, factor), what


_ATTEMPTS: tuple[tuple[_Attempt, str], ...] = (
    _factor(1), _factor(4), _factor(2),
    (lambda target, text, source: with_equal_folds(text, source), "loads of several branches are folded alike"))


def made_again(prover: Prover, index: int, work: Work, certificates: Mapping[str, Certificate], cache: Cache
               ) -> dict[str, tuple[Certificate, Certificate]]:
    """Static certificates, and those after the run, of the variants that came out better; they are in ``work`` then.

    ``certificates`` are those after the first run, ``index`` is the work's place in the prover.
    """
    left = [c for c in work.candidates if c.name in certificates and _is_hopeful(c, certificates[c.name])]
    out: dict[str, tuple[Certificate, Certificate]] = {}
    end = time.monotonic() + _SECONDS
    for attempt, what in _ATTEMPTS if prover.request.pad != "static" else ():
        made = [m for c in left if (m := _changed(c, work.target, attempt, what)) is not None]
        if not made:
            continue
        if time.monotonic() > end:
            break
        other = Prover(prover.request, prover.compiling, prover.source, prover.progress)
        fresh = Work(work.target, work.entry, work.original_source, made)
        other.compile_all([fresh])
        static = other.certify_all()[0]
        found = work_binaries(other, 0, fresh, static)
        first, rest = simulate_all(found.original, found.variants, work.target.launches, cache)
        for c in made:
            if c.name not in static:
                continue
            certificate = with_dynamic(static[c.name], c.mutations, first, rest.get(c.name))
            if c.name in rest and not _differs(certificate):
                work.candidates[:] = [c if c.name == old.name else old for old in work.candidates]
                prover.listings[index, c.name] = other.listings[0, c.name]
                out[c.name] = static[c.name], certificate
        left = [c for c in left if c.name not in out]
    return out


def _is_hopeful(c: Candidate, certificate: Certificate) -> bool:
    """One that only slices, and whose run shows other accesses. (What launch bounds hold has them in its text.)"""
    return len(c.mutations) == 1 and c.mutations[0].id in _SLICED and c.cap is None and _differs(certificate)


def _differs(certificate: Certificate) -> bool:
    return any(r.slug in _DIFFERS and r.severity is not Verdict.VALID for r in certificate.reasons) or any(
        r.slug == "dynamic-failed" for r in certificate.reasons)


def _changed(c: Candidate, target: Target, attempt: _Attempt, what: str) -> Candidate | None:
    made = attempt(target, c.text, c.source)
    if made is None:
        return None
    note = Note("made-again", f"{what}: otherwise the compiler does not do with it what it does with the original, and "
                              "the run touched other sectors, or some more or less often")
    return Candidate(c.mutations, replace(made[0], notes=(*c.text.notes, note)), made[1])
