"""The static certificate from made-up counts: every reason can be produced, and says how bad it is."""

from __future__ import annotations

import pytest

from mutate.certify import demands, static_reasons
from mutate.model import Reason, StaticCounts, Verdict, worst
from mutate.mutations.base import Note
from mutate.mutations.registry import parse_composition
from mutate.source import Span

KERNEL = {"global_load.32": 10, "global_store.32": 2, "shared_load.32": 4, "shared_store.32": 3, "barrier": 2,
          "fp32.fma": 20, "integer": 30, "control": 4}


def reasons(mutation: str, variant: dict[str, int], *, original: dict[str, int] | None = None, notes: list[Note] | None
            = None, identical: bool = False, **more: object) -> tuple[Reason, ...]:
    counts = StaticCounts(original or KERNEL, variant, **more)  # type: ignore[arg-type]
    return static_reasons(parse_composition(mutation), counts, notes or [], identical=identical)


def changed(**counts: int) -> dict[str, int]:
    """The kernel's counts with some changed: global_load_32=0 takes the class away."""
    out = dict(KERNEL)
    for key, n in counts.items():
        name = next((c for c in KERNEL if c.replace(".", "_") == key), key)
        out[name] = n
    return {c: n for c, n in out.items() if n}


MEMORY_ONLY = {"global_load.32": 10, "global_store.32": 2, "integer": 40}
MATH_ONLY = changed(global_load_32=0, global_store_32=0, integer=45)


@pytest.mark.parametrize(("mutation", "variant"), [
    ("memory-only", MEMORY_ONLY),
    ("load-only", {"global_load.32": 10, "integer": 12}),
    ("store-only", {"global_store.32": 2, "integer": 12}),
    ("math-only", MATH_ONLY),
    ("no-sync", changed(barrier=0)),
    ("smem-broadcast", changed(integer=99)),
    ("memory-only+no-sync", MEMORY_ONLY),
    ("math-only+no-sync", {k: v for k, v in MATH_ONLY.items() if k != "barrier"}),
])
def test_a_variant_that_keeps_what_it_names_has_nothing_against_it(mutation: str, variant: dict[str, int]) -> None:
    assert reasons(mutation, variant) == ()


def test_identity_is_invalid_unless_every_instruction_is_the_same() -> None:
    assert reasons("identity", KERNEL, identical=True) == ()
    (reason,) = reasons("identity", KERNEL, identical=False)
    assert (reason.slug, reason.severity) == ("not-identical", Verdict.INVALID)


@pytest.mark.parametrize(("mutation", "variant", "words"), [
    ("memory-only", {**MEMORY_ONLY, "global_load.32": 9}, "global_load.32 10 -> 9"),
    ("memory-only", {**MEMORY_ONLY, "global_load.32": 8, "global_load.64": 1}, "global_load.64 0 -> 1"),
    ("memory-only", {**MEMORY_ONLY, "global_store.32": 3}, "global_store.32 2 -> 3"),
    ("store-only", {"global_store.32": 1}, "global_store.32 2 -> 1"),
    ("math-only", {**MATH_ONLY, "fp32.fma": 19}, "fp32.fma 20 -> 19"),
    ("math-only", {**MATH_ONLY, "shared_load.32": 5}, "shared_load.32 4 -> 5"),
    ("no-sync", changed(barrier=0, shared_load_32=2), "shared_load.32 4 -> 2"),
    ("smem-conflict-free", changed(shared_store_32=4), "shared_store.32 3 -> 4"),
    ("smem-conflict-free", changed(barrier=1), "barrier 2 -> 1"),
])
def test_another_number_degrades_and_is_named(mutation: str, variant: dict[str, int], words: str) -> None:
    (reason,) = reasons(mutation, variant)
    assert (reason.slug, reason.severity) == ("static-counts-differ", Verdict.DEGRADED)
    assert words in reason.text


@pytest.mark.parametrize(("mutation", "variant"), [
    ("load-only", {"integer": 4}),
    ("store-only", {"integer": 4}),
    ("memory-only", {"integer": 4}),
])
def test_what_is_measured_must_not_vanish(mutation: str, variant: dict[str, int]) -> None:
    (reason,) = reasons(mutation, variant)
    assert (reason.slug, reason.severity) == ("static-counts-differ", Verdict.INVALID)


@pytest.mark.parametrize(("of", "severity"), [(19, Verdict.DEGRADED), (17, Verdict.INVALID)])
def test_a_few_selections_among_the_arithmetic_may_go(of: int, severity: Verdict) -> None:
    (reason,) = reasons("math-only", {"fp64.fma": of}, original={"fp64.fma": of, "fp32.other": 2})
    assert (reason.slug, reason.severity) == ("static-counts-differ", severity)


@pytest.mark.parametrize(("mutation", "variant", "words"), [
    ("math-only", {**MATH_ONLY, "global_store.32": 1}, "global_store.32 1"),
    ("math-only", {**MATH_ONLY, "generic_load.32": 1}, "generic_load.32 1"),
    ("math-only", {**MATH_ONLY, "global_reduction": 1}, "global_reduction 1"),
    ("no-sync", KERNEL, "barrier 2"),
    ("load-only", {"global_load.32": 10, "global_store.32": 2}, "global_store.32 2"),
    ("store-only", {"global_load.32": 1, "global_store.32": 2}, "global_load.32 1"),
])
def test_what_should_be_gone_and_is_not_makes_it_invalid(mutation: str, variant: dict[str, int], words: str) -> None:
    (reason,) = reasons(mutation, variant)
    assert (reason.slug, reason.severity) == ("not-removed", Verdict.INVALID)
    assert words in reason.text


def test_retained_loads_are_counted_and_degrade_math_only_above_five_percent() -> None:
    note = Note("retained-load", "row[i] stays", Span(3, 9))
    few = reasons("math-only", {**MATH_ONLY, "global_load.32": 1}, original={**KERNEL, "global_load.32": 20},
                  notes=[note])
    assert [(r.slug, r.severity) for r in few] == [("retained-loads", Verdict.VALID), ("retained-load", Verdict.VALID)]
    many = reasons("math-only", {**MATH_ONLY, "global_load.32": 2}, original={**KERNEL, "global_load.32": 20},
                   notes=[note])
    assert [(r.slug, r.severity) for r in many] == [("retained-loads", Verdict.DEGRADED),
                                                    ("retained-load", Verdict.VALID)]
    assert "2 of 20 load instructions" in many[0].text
    assert "10%" in many[0].text


def test_a_retained_load_excuses_no_store() -> None:
    found = reasons("math-only", {**MATH_ONLY, "global_load.32": 1, "global_store.32": 1},
                    notes=[Note("retained-load", "row[i] stays")])
    assert ("not-removed", Verdict.INVALID) in {(r.slug, r.severity) for r in found}


def test_a_retained_load_does_not_degrade_store_only() -> None:
    found = reasons("store-only", {"global_load.32": 1, "global_store.32": 2}, notes=[Note("retained-load", "to[i]")])
    assert worst(found) is Verdict.VALID
    assert "retained-loads" in {r.slug for r in found}


def test_an_atomic_may_lose_its_result_but_not_itself() -> None:
    # The compiler makes a reduction of an atomic whose result nobody uses: the sum of both is what counts.
    original = {"global_atomic": 2, "global_store.32": 1}
    assert reasons("store-only", {"global_reduction": 2, "global_store.32": 1}, original=original) == ()
    (reason,) = reasons("store-only", {"global_reduction": 1, "global_store.32": 1}, original=original)
    assert (reason.slug, reason.severity) == ("static-counts-differ", Verdict.DEGRADED)


def test_an_asynchronous_copy_without_its_global_side_is_a_shared_store() -> None:
    original = {"async_copy.128": 2, "shared_load.32": 3, "global_store.32": 1, "fp32.fma": 4}
    assert reasons("math-only", {"shared_store.128": 2, "shared_load.32": 3, "fp32.fma": 4}, original=original) == ()
    (reason,) = reasons("math-only", {"shared_load.32": 3, "fp32.fma": 4}, original=original)
    assert "shared_store.128 2 -> 0" in reason.text


def test_a_generic_access_for_a_global_one_of_its_width_degrades_and_is_told_from_another_number() -> None:
    original = {"global_load.64": 2, "global_load.32": 3, "global_store.32": 1}
    (reason,) = reasons("load-only", {"global_load.64": 2, "generic_load.32": 3}, original=original)
    assert (reason.slug, reason.severity) == ("generic-accesses", Verdict.DEGRADED)
    assert "global_load.32 3 -> 0" in reason.text
    assert "generic_load.32 0 -> 3" in reason.text
    for variant in ({"global_load.64": 2, "generic_load.32": 2}, {"global_load.64": 2, "generic_load.64": 3}):
        (reason,) = reasons("load-only", variant, original=original)
        assert reason.slug == "static-counts-differ"


def test_generic_loads_and_stores_count_as_what_they_are() -> None:
    original = {"generic_load.32": 2, "generic_store.32": 1}
    assert reasons("load-only", {"generic_load.32": 2}, original=original) == ()
    assert reasons("store-only", {"generic_store.32": 1}, original=original) == ()
    (reason,) = reasons("load-only", {"generic_load.32": 2, "generic_store.32": 1}, original=original)
    assert reason.slug == "not-removed"
    (reason,) = reasons("load-only", {"integer": 2}, original=original)
    assert (reason.slug, reason.severity) == ("static-counts-differ", Verdict.INVALID)


def test_an_opcode_of_no_table_degrades() -> None:
    (reason,) = reasons("memory-only", {**MEMORY_ONLY, "unknown.XYZ": 1})
    assert (reason.slug, reason.severity) == ("unknown-opcode", Verdict.DEGRADED)
    assert "XYZ" in reason.text


def test_rolled_loops_are_said() -> None:
    (reason,) = reasons("memory-only", MEMORY_ONLY, loops="rolled")
    assert (reason.slug, reason.severity) == ("unrolled-differently", Verdict.VALID)


def test_wide_accesses_in_one_of_the_binaries_only_are_said() -> None:
    wide, narrow = {**KERNEL, "shared_load.128": 1, "shared_load.32": 0}, dict(KERNEL)
    found = reasons("smem-broadcast", KERNEL, loops="rolled", compiled_original=wide, compiled_variant=narrow)
    assert [(r.slug, r.severity) for r in found] == [("vector-accesses-differ", Verdict.DEGRADED),
                                                     ("unrolled-differently", Verdict.VALID)]
    assert "shared_load.128 1 -> 0" in found[0].text
    same = reasons("smem-broadcast", KERNEL, loops="rolled", compiled_original=wide, compiled_variant=wide)
    assert [r.slug for r in same] == ["unrolled-differently"]


def test_notes_become_reasons_with_their_line() -> None:
    notes = [Note("warp-wide-result", "of the warp", Span(40, 44)), Note("shared-array-kept", "bins stays")]
    counts = StaticCounts(KERNEL, changed(barrier=0))
    found = static_reasons(parse_composition("no-sync"), counts, notes, identical=False, lines={40: 7})
    assert [(r.slug, r.severity, r.line) for r in found] == [
        ("warp-wide-result", Verdict.DEGRADED, 7), ("shared-array-kept", Verdict.VALID, None)]


def test_a_composition_does_not_ask_for_what_its_parts_take_away() -> None:
    kinds = {(m.id, c.kind, p) for m, c in demands(parse_composition("memory-only+no-sync")) for p in c.classes}
    assert ("memory-only", "same", "global_load.*") in kinds
    assert ("no-sync", "none", "barrier") in kinds
    assert not {p for _, kind, p in kinds if kind == "same" and p.startswith(("shared", "fp32"))}


@pytest.mark.parametrize(("severities", "verdict"), [
    ((), Verdict.VALID),
    ((Verdict.VALID,), Verdict.VALID),
    ((Verdict.VALID, Verdict.DEGRADED), Verdict.DEGRADED),
    ((Verdict.DEGRADED, Verdict.INVALID, Verdict.VALID), Verdict.INVALID),
])
def test_the_worst_reason_decides(severities: tuple[Verdict, ...], verdict: Verdict) -> None:
    assert worst(tuple(Reason("slug", "text", s) for s in severities)) is verdict
