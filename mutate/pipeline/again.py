"""Makes variants again whose run shows other accesses than the original's, and takes what touches the same.

What the compiler does with a loop it decides by what is in it. Unrolled, lanes that leave a loop at different times
load together or one after the other, and equal loads of several turns become one. It moves no load across a call, such
as a division makes, and of two loads with nothing between them it makes one. So ways of writing a variant are tried,
and the run decides.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from mutate.dynamic import simulate_all, with_dynamic
from mutate.model import Certificate, Reason, Verdict
from mutate.mutations.base import Note
from mutate.mutations.build import VariantText
from mutate.pipeline.binaries import work_binaries
from mutate.pipeline.prove import Candidate, Prover, Work
from mutate.pipeline.search import Known, Search
from mutate.toolchain.cache import Cache

_SLICED = frozenset({"memory-only", "load-only", "store-only"})
_DIFFERS = frozenset({"dynamic-accesses-differ", "dynamic-addresses-differ"})
_PATIENCE = 90.0
"""Seconds after which a variant's search is given up, where the compiler takes far longer than is reckoned."""
Again = dict[str, tuple[Certificate | None, Certificate]]


def made_again(prover: Prover, index: int, work: Work, certificates: Mapping[str, Certificate], cache: Cache) -> Again:
    """Static certificates, and those after the run, of the variants that came out better; they are in ``work`` then.

    Of one that did not, and whose search was given up, the latter alone, which says so.
    ``certificates`` are those after the first run, ``index`` is the work's place in the prover.
    """
    if prover.request.pad == "static":
        return {}
    out: Again = {}
    known: Known = {}
    for c in [c for c in work.candidates if c.name in certificates and _is_hopeful(c, certificates[c.name])]:
        search = Search(prover, work, c, time.monotonic() + _PATIENCE)
        if (found := search.found(known)) is not None:
            out.update(_proven(prover, index, work, _noted(c, *found), certificates[c.name], cache))
            known = search.known
        if search.stopped and c.name not in out:
            out[c.name] = None, _given_up(certificates[c.name])
    return out


def _proven(prover: Prover, index: int, work: Work, c: Candidate, before: Certificate, cache: Cache) -> Again:
    """Compiles, certifies and runs; what touches the same, or comes nearer, takes the place of what was made first."""
    other = Prover(prover.request, prover.compiling, prover.source, prover.progress)
    fresh = Work(work.target, work.entry, work.original_source, [c])
    other.compile_all([fresh])
    static = other.certify_all()[0]
    found = work_binaries(other, 0, fresh, static)
    first, rest = simulate_all(found.original, found.variants, work.target.launches, cache)
    if c.name not in static or c.name not in rest:
        return {}
    certificate = with_dynamic(static[c.name], c.mutations, first, rest[c.name])
    if _differs(certificate) and (before.verdict, certificate.verdict) != (Verdict.INVALID, Verdict.DEGRADED):
        return {}
    work.candidates[:] = [c if c.name == old.name else old for old in work.candidates]
    prover.listings[index, c.name] = other.listings[0, c.name]
    return {c.name: (static[c.name], certificate)}


def _is_hopeful(c: Candidate, certificate: Certificate) -> bool:
    """One that only slices, and whose run shows other accesses."""
    return len(c.mutations) == 1 and c.mutations[0].id in _SLICED and _differs(certificate)


def _differs(certificate: Certificate) -> bool:
    return any(r.slug in _DIFFERS and r.severity is not Verdict.VALID for r in certificate.reasons) or any(
        r.slug == "dynamic-failed" for r in certificate.reasons)


def _given_up(certificate: Certificate) -> Certificate:
    reason = Reason("search-stopped", f"after {_PATIENCE:g} s not all ways of writing it otherwise had been tried: a "
                                      "faster machine may find one", Verdict.VALID)
    return replace(certificate, reasons=(*certificate.reasons, reason))


def _noted(c: Candidate, text: VariantText, source: bytes, what: str) -> Candidate:
    note = Note("made-again", f"{what}: otherwise the compiler does not do with it what it does with the original, and "
                              "the run touched other sectors, or some more or less often")
    return Candidate(c.mutations, replace(text, notes=(*c.text.notes, note)), source, cap=c.cap)
