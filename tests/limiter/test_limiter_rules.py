"""The verdict from times: the seed's conclusions, its four scenarios, doubt where there is doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mutate.limiter.evidence import Evidence
from mutate.limiter.given import Given, evidence_from
from mutate.limiter.model import Cause, Confidence, Facts, Finding, Interval, Limiter, SweepPoint, VariantTime
from mutate.limiter.rules import CLOSE, Ratios, decide
from mutate.limiter.verdict import judge
from mutate.model import Verdict

SEED = Given(35.39, 33.27, 16.25, instructions=18_194_139, requested_bytes=62e9 * 35.39e-3, peak_gbs=114)
TIMES = st.floats(0.01, 100)


def _judge(full: float, memory: float, math: float, **more: float) -> Finding:
    return judge(evidence_from(Given(full, memory, math, **more)))


def _cause(finding: Finding, slug: str) -> object:
    return next((c for c in finding.causes if c.slug == slug), None)


def test_the_seeds_numbers_give_the_seeds_conclusion() -> None:
    """"Analysis-Driven Optimization", case study: memory-bound, 2.12 ms (13 %) of math exposed, 62 of 114 GB/s."""
    finding = judge(evidence_from(SEED))
    assert finding.limiter is Limiter.MEMORY
    assert finding.exposed_of == "math"
    assert finding.exposed_ms is not None and finding.exposed_ms.value == pytest.approx(2.12)
    assert "13 %" in finding.summary and "2.12" in finding.summary
    assert "latency may matter too" in finding.summary
    assert any("62 GB/s" in line and "114 GB/s" in line for line in finding.evidence)
    assert _cause(finding, "bytes-in-flight") is not None


def test_the_seeds_instruction_to_byte_ratio() -> None:
    """2.66 from its instructions and transactions of 128 bytes."""
    finding = judge(evidence_from(replace(SEED, moved_bytes=128 * 1_708_032.0)))
    assert any("2.66" in line for line in finding.evidence)


@pytest.mark.parametrize(("memory", "math", "limiter"), [
    (0.97, 0.50, Limiter.MEMORY), (0.45, 0.98, Limiter.MATH), (0.93, 0.95, Limiter.BALANCED),
    (0.60, 0.50, Limiter.LATENCY)])
def test_the_seeds_four_scenarios(memory: float, math: float, limiter: Limiter) -> None:
    finding = _judge(10, 10 * memory, 10 * math)
    assert finding.limiter is limiter
    assert finding.confidence is Confidence.HIGH


def test_no_overlap_at_all_is_said() -> None:
    finding = _judge(10, 5.5, 4.5)
    assert finding.overlap is not None and finding.overlap.value == pytest.approx(0.0)
    assert "nothing of it is hidden" in finding.summary


def test_a_kernel_as_short_as_an_empty_one() -> None:
    finding = _judge(0.005, 0.004, 0.003, overhead=0.003)
    assert finding.limiter is Limiter.LAUNCH
    assert finding.causes[0].slug == "launch-overhead"


def test_so_short_a_kernel_needs_no_variants_for_its_verdict() -> None:
    base = evidence_from(Given(0.0034, 0.0036, 0.003, overhead=0.0027, requested_bytes=65536, copy_gbs=4000))
    finding = judge(_with(base, "math-only", Verdict.INVALID, "refused"))
    assert finding.limiter is Limiter.LAUNCH and finding.confidence is Confidence.HIGH
    assert all(p.gain.value <= 0.0034 / (0.0034 - 0.0027) + 1e-9 for p in finding.payoffs)


def test_no_bound_lies_below_an_empty_kernel() -> None:
    facts = Facts(requested_bytes=65536.0, moved_bytes=65536.0, floor_bytes=65536.0, copy_gbs=4000, peak_gbs=4800,
                  launch_overhead_ms=0.0027)
    base = evidence_from(Given(0.0080, 0.0079, 0.0001))
    cause = next(c for c in judge(replace(base, facts=facts)).causes if c.slug == "bytes-in-flight")
    assert cause.payoff is not None and cause.payoff.gain.value == pytest.approx(0.0080 / 0.0027)


def test_wide_intervals_near_a_line_are_inconclusive() -> None:
    finding = _judge(10, 8.6, 4, noise=0.1)
    assert finding.limiter is Limiter.INCONCLUSIVE
    assert "memory-bound" in finding.summary and "latency-bound" in finding.summary
    assert "kmutate analyze" in finding.next_step


@pytest.mark.parametrize(("changes", "says"), [
    ({"kind": "measured"}, "a larger --budget"), ({"kind": "simulated"}, "time it on a GPU"),
    ({"kind": "measured", "interrupted": True}, "run it again and let it finish")])
def test_the_next_step_of_what_is_open_is_one_that_helps(changes: dict[str, object], says: str) -> None:
    evidence = evidence_from(Given(10, 8.5, 8.5, noise=0.1))
    finding = judge(replace(evidence, **changes))
    assert finding.limiter is Limiter.INCONCLUSIVE and says in finding.next_step


@pytest.mark.parametrize("memory", [8.6, 8.9])
def test_simulated_times_give_the_verdict_that_is_more_likely_than_all_else(memory: float) -> None:
    evidence = evidence_from(Given(10, memory, 4, noise=0.1))
    finding = judge(replace(evidence, kind="simulated"))
    assert 0.5 <= finding.support < 0.8
    assert finding.limiter is Limiter.MEMORY and finding.confidence is Confidence.LOW
    assert "likely, else latency-bound" in finding.summary and "time it on a GPU first" in finding.next_step
    assert judge(evidence).limiter is Limiter.INCONCLUSIVE, "a measurement can be taken longer"


def test_where_nothing_was_timed_the_next_step_is_what_times_it() -> None:
    evidence = evidence_from(SEED)
    for outcome in ("not-timed", "timeout", "launch-failed"):
        none = {n: replace(v, time=None, outcome=outcome) for n, v in evidence.variants.items()}
        finding = judge(replace(evidence, variants=none, samples=None, to_time="run it again"))
        assert (finding.limiter, finding.next_step) == (Limiter.UNKNOWN, "run it again")
    refused = {**evidence.variants, "math-only": replace(evidence.variants["math-only"], time=None, outcome="refused")}
    finding = judge(replace(evidence, variants=refused, to_time="run it again"))
    assert finding.limiter is Limiter.UNKNOWN and "again" not in finding.next_step, "it would be refused again"


def test_near_a_line_confidence_is_lower_and_says_why() -> None:
    near, far = _judge(10, 8.6, 4), _judge(10, 9.7, 4)
    assert near.confidence is Confidence.MEDIUM and any("close to the line" in a for a in near.against)
    assert far.confidence is Confidence.HIGH and not far.against


def _with(e: Evidence, name: str, verdict: Verdict, why: str) -> Evidence:
    return replace(e, variants={**e.variants, name: replace(e.variants[name], verdict=verdict, why=(why,))})


def test_an_invalid_variant_is_never_used() -> None:
    base = evidence_from(Given(10, 9.5, 4, no_sync=5))
    finding = judge(_with(base, "memory-only", Verdict.INVALID, "it lost a store"))
    assert finding.limiter is Limiter.UNKNOWN
    assert "memory-only is INVALID: it lost a store" in finding.summary
    assert "which leaves memory-bound or latency-bound" in finding.evidence[0], "math-only has 40 % of the time"
    invalid = _with(base, "math-only", Verdict.INVALID, "it lost a store")
    untimed = {**invalid.variants, "math-only": replace(invalid.variants["math-only"], time=None, outcome="not-timed")}
    facts = replace(base.facts, requested_bytes=1e9, floor_bytes=1e9, peak_gbs=4000.0)
    finding = judge(replace(invalid, variants=untimed, facts=facts, to_time="run it again"))
    assert "which leaves memory-bound or balanced" in finding.evidence[0]
    assert "again" not in finding.next_step, "a run does not make it valid"
    bound = _cause(finding, "bytes-in-flight")
    assert bound is not None and bound.payoff is not None
    assert "math-only" not in bound.payoff.by + bound.payoff.note, "no bound rests on what is not used"
    assert _cause(judge(base), "barriers") is not None
    without = judge(_with(base, "no-sync", Verdict.INVALID, "other accesses"))
    assert without.limiter is Limiter.MEMORY
    assert _cause(without, "barriers") is None and all(p.by != "no-sync" for p in without.payoffs)


def test_a_degraded_variant_lowers_confidence_in_words() -> None:
    base = evidence_from(Given(10, 9.7, 4))
    finding = judge(_with(base, "memory-only", Verdict.DEGRADED, "4 resident blocks instead of 6"))
    assert finding.limiter is Limiter.MEMORY
    assert finding.confidence is Confidence.MEDIUM
    assert any("DEGRADED" in a and "4 resident blocks instead of 6" in a for a in finding.against)


def test_a_variant_slower_than_the_kernel_speaks_against_the_verdict() -> None:
    finding = _judge(10, 11, 4)
    assert finding.confidence is not Confidence.HIGH
    assert any("10 % longer" in a for a in finding.against)


def test_payoffs_are_ranked_and_bounds() -> None:
    finding = _judge(10, 6, 5, no_sync=8, conflict_free=9.5)
    gains = [p.gain.value for p in finding.payoffs]
    assert gains == sorted(gains, reverse=True)
    by = {p.by: p.gain.value for p in finding.payoffs}
    assert by["no-sync"] == pytest.approx(1.25) and by["smem-conflict-free"] == pytest.approx(10 / 9.5)
    assert by["math-only"] == pytest.approx(2) and by["memory-only"] == pytest.approx(10 / 6)
    assert finding.causes[0].slug == "barriers"


def test_what_is_within_noise_is_no_payoff() -> None:
    finding = _judge(10, 9.7, 4, no_sync=9.99)
    assert _cause(finding, "barriers") is None


FACTS = Facts(requested_bytes=1e9, sector_bytes=8e9, moved_bytes=8e9, floor_bytes=1e9, peak_gbs=1000, copy_gbs=900,
              sectors_per_request=32.0, load_efficiency=12.5)


def test_an_inefficient_pattern_has_a_bound_from_the_bytes_touched() -> None:
    """1 GB at 1000 GB/s takes 1 ms; math-only's 4 ms is longer, so at most 10/4."""
    base = replace(evidence_from(Given(10, 9.7, 4)), facts=FACTS)
    cause = next(c for c in judge(base).causes if c.slug == "access-pattern")
    assert cause.payoff is not None and cause.payoff.gain.value == pytest.approx(2.5)
    assert cause.payoff.kind == "estimated"
    cheap = replace(evidence_from(Given(10, 9.7, 0.5)), facts=FACTS)
    cause = next(c for c in judge(cheap).causes if c.slug == "access-pattern")
    assert cause.payoff is not None and cause.payoff.gain.value == pytest.approx(10)


def test_an_efficient_pattern_is_no_cause() -> None:
    facts = replace(FACTS, requested_bytes=7.9e9)
    assert _cause(judge(replace(evidence_from(Given(10, 9.7, 4)), facts=facts)), "access-pattern") is None


def _conflicts(work: float, wavefronts: float = 1000.0, conflicts: float = 500.0, memory: float = 2.0) -> Cause:
    base = evidence_from(Given(10, memory, 9.7, conflict_free=8))
    variants = {**base.variants, "smem-conflict-free": replace(base.variants["smem-conflict-free"], work=work)}
    facts = Facts(shared_conflicts=conflicts, shared_wavefronts=wavefronts)
    return next(c for c in judge(replace(base, variants=variants, facts=facts)).causes if c.slug == "bank-conflicts")


def test_what_the_conflict_free_variant_costs_itself_is_no_part_of_the_bound() -> None:
    """It takes 8 of 10 ms with 1.5 times the instructions: without those it may take 8/1.5."""
    plain, costly = _conflicts(1.0).payoff, _conflicts(1.5).payoff
    assert plain is not None and plain.kind == "given" and plain.gain.value == pytest.approx(1.25)
    assert costly is not None and costly.kind == "estimated" and costly.gain.value == pytest.approx(1.25 * 1.5)
    assert "1.50 times the instructions" in costly.note


def test_that_correction_stays_below_what_wavefronts_and_memory_allow() -> None:
    few = _conflicts(3.0, conflicts=300.0).payoff
    assert few is not None and few.gain.value == pytest.approx(1000 / 700)
    slow = _conflicts(3.0, conflicts=900.0, memory=8.0).payoff
    assert slow is not None and slow.gain.value == pytest.approx(1.25)


def test_conflicts_that_nobody_counts_are_no_cause() -> None:
    base = evidence_from(Given(10, 9.7, 4, conflict_free=8))
    none = replace(base, facts=Facts(shared_conflicts=0.0, shared_wavefronts=1000.0))
    some = replace(base, facts=Facts(shared_conflicts=500.0, shared_wavefronts=1000.0))
    assert _cause(judge(none), "bank-conflicts") is None
    assert _cause(judge(some), "bank-conflicts") is not None


def _points(*times: float) -> tuple[SweepPoint, ...]:
    return tuple(SweepPoint("x", k + 1, Interval.exact(t)) for k, t in enumerate(times))


def test_a_larger_grid_that_costs_no_more_time_means_too_few_blocks() -> None:
    base = evidence_from(Given(10, 9.7, 4))
    finding = judge(replace(base, grids=_points(10, 10.5)))
    cause = next(c for c in finding.causes if c.slug == "too-few-blocks")
    assert cause.payoff is not None and cause.payoff.gain.value == pytest.approx(2 * 10 / 10.5)
    assert _cause(judge(replace(base, grids=_points(10, 20))), "too-few-blocks") is None


def test_updates_are_a_cause_where_leaving_them_out_helps() -> None:
    base = evidence_from(Given(17, 17, 0.1))
    fast, slow = (replace(base, variants={**base.variants, "load-only": VariantTime(
        "load-only", Interval.exact(t), Interval.exact(17 / t))}) for t in (0.1, 17))
    facts = Facts(atomic_requests=1000.0, atomic_sectors_per_request=7.0)
    cause = next(c for c in judge(replace(fast, facts=facts)).causes if c.slug == "atomics")
    assert cause.payoff is not None and cause.payoff.gain.value == pytest.approx(170)
    assert any("7.0 sectors" in line for line in cause.evidence)
    assert _cause(judge(replace(slow, facts=facts)), "atomics") is None
    assert _cause(judge(fast), "atomics") is None


def test_starting_blocks_is_a_cause_where_it_takes_long() -> None:
    """16,384 blocks at 1,660 a microsecond are 9.9 of 14 microseconds."""
    base = evidence_from(Given(0.014, 0.0138, 0.013))
    cause = next(c for c in judge(replace(base, facts=Facts(grid_blocks=16384, blocks_per_us=1660.0))).causes
                 if c.slug == "block-launch")
    assert "9.87 µs" in cause.evidence[0] and "70 %" in cause.evidence[0]
    assert _cause(judge(replace(base, facts=Facts(grid_blocks=1024, blocks_per_us=1660.0))), "block-launch") is None


def test_occupancy_is_a_cause_only_while_the_time_still_falls() -> None:
    base = evidence_from(Given(10, 9.7, 4))
    facts = Facts(resident_blocks=3, warps_per_block=8, most_warps=64, occupancy_limiter="registers")
    falling = judge(replace(base, facts=facts, occupancy=_points(30, 15, 10)))
    cause = next(c for c in falling.causes if c.slug == "occupancy")
    assert cause.payoff is None and any("registers" in line for line in cause.evidence)
    assert _cause(judge(replace(base, facts=facts, occupancy=_points(30, 10.05, 10))), "occupancy") is None


@given(TIMES, TIMES, TIMES, st.floats(0.001, 1000))
def test_the_unit_of_time_does_not_matter(full: float, memory: float, math: float, scale: float) -> None:
    a, b = Ratios(memory / full, math / full), Ratios(scale * memory / (scale * full), scale * math / (scale * full))
    assume(all(abs(x - CLOSE) > 1e-9 for x in (memory / full, math / full)) and abs(memory - math) > 1e-9)
    assert decide(a).limiter is decide(b).limiter


@given(TIMES, TIMES, TIMES)
def test_exchanging_memory_and_math_exchanges_the_limiter(full: float, memory: float, math: float) -> None:
    assume(memory != math)
    other = {Limiter.MEMORY: Limiter.MATH, Limiter.MATH: Limiter.MEMORY}
    a = decide(Ratios(memory / full, math / full)).limiter
    b = decide(Ratios(math / full, memory / full)).limiter
    assert b is other.get(a, a)


@given(TIMES, TIMES, TIMES, st.floats(0, 0.2))
def test_every_measurement_gets_an_answer(full: float, memory: float, math: float, noise: float) -> None:
    finding = _judge(full, memory, math, noise=noise)
    assert finding.summary and 0 <= finding.support <= 1
    assert finding.overlap is not None and finding.overlap.low <= finding.overlap.value <= finding.overlap.high
