"""From the times of a session to what the verdict is given."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from mutate.limiter.evidence import Evidence
from mutate.limiter.model import Facts, Interval, SweepPoint, VariantTime
from mutate.limiter.stats import Samples, resample
from mutate.model import Outcome, Verdict
from mutate.pipeline.experiments import blocks_of, factor_of
from mutate.pipeline.predictions import Predictions
from mutate.results import KernelResult, VariantResult
from mutate.timing import IDENTITY, ORIGINAL, RunOutcome, RunTimes, Session

_SLOWER_CLOCK = 0.03


@dataclass(frozen=True)
class Timed:
    """The sessions of one launch: its variants, and the original under other conditions; ``None``: not timed."""

    session: Session | None
    sweep: Session | None = None
    predicted: Predictions | None = None
    """By the model, where nothing was measured."""

    @property
    def overhead_ms(self) -> float | None:
        if self.session is None and self.predicted is not None:
            return self.predicted.overhead_ms
        if self.session is None or not self.session.overhead_ms:
            return None
        return statistics.median(self.session.overhead_ms)


def samples_of(session: Session | None) -> Samples | None:
    """The resampled medians of what was timed; ``None`` where the original was not."""
    if session is None:
        return None
    rounds = {r.name: r.times_ms for r in session.runs if r.outcome is RunOutcome.OK and r.times_ms}
    return resample(rounds, ORIGINAL) if ORIGINAL in rounds else None


def evidence_of(timed: Timed, result: KernelResult, facts: Facts, to_time: str) -> Evidence:
    """Puts times, certificates and facts side by side. ``to_time``: what to do where there are no times."""
    session = timed.session
    predicted = timed.predicted if session is None else None
    samples = predicted.samples() if predicted is not None else samples_of(session)
    variants: dict[str, VariantTime] = {}
    for name in (ORIGINAL, *(v.mutation for v in result.variants)):
        proven = next((v for v in result.variants if v.mutation == name), None)
        run = session.run(name) if session is not None else None
        expected = None
        if proven is not None and proven.certificate is not None and proven.certificate.occupancy is not None:
            expected = proven.certificate.occupancy.original
        variants[name] = VariantTime(
            name, samples.intervals.get(name) if samples is not None else None,
            samples.gains.get(name) if samples is not None else None,
            proven.certificate.verdict if proven is not None and proven.certificate is not None else None,
            _outcome(proven, run, predicted, name), (*_why(proven, run), *_not_predicted(predicted, name)),
            _resident(run, predicted, name), expected, _work(proven))
    noise = None
    if predicted is None and samples is not None and IDENTITY in samples.gains:
        gain = samples.gains[IDENTITY]
        noise = Interval(1 / gain.value, 1 / gain.high, 1 / gain.low)
    return Evidence(variants, facts, samples, occupancy_points(timed), grid_points(timed),
                    "measured" if predicted is None else "simulated",
                    _remarks(session) if predicted is None else predicted.remarks, noise, to_time,
                    session is not None and session.stopped == "interrupted")


def _resident(run: RunTimes | None, predicted: Predictions | None, name: str) -> int | None:
    if predicted is not None:
        return predicted.times[name].resident_blocks if name in predicted.times else None
    return run.resident_blocks if run is not None else None


def _not_predicted(predicted: Predictions | None, name: str) -> tuple[str, ...]:
    return (predicted.errors[name],) if predicted is not None and name in predicted.errors else ()


def _work(proven: VariantResult | None) -> float:
    """Executed warp instructions against the original's; 1 where nothing was run."""
    dynamic = proven.certificate.dynamic if proven is not None and proven.certificate is not None else None
    if dynamic is None or not sum(dynamic.original.values()):
        return 1.0
    return sum(dynamic.variant.values()) / sum(dynamic.original.values())


def _outcome(proven: VariantResult | None, run: RunTimes | None, predicted: Predictions | None, name: str) -> str:
    if proven is not None and proven.outcome is not Outcome.OK:
        return str(proven.outcome)
    if predicted is not None and name in predicted.times:
        return "ok"
    return str(run.outcome) if run is not None else "not-timed"


def _why(proven: VariantResult | None, run: RunTimes | None) -> tuple[str, ...]:
    out: list[str] = []
    if proven is not None and proven.refusal is not None:
        out.append(proven.refusal.why)
    if proven is not None and proven.certificate is not None:
        out += [r.text for r in proven.certificate.reasons if r.severity is not Verdict.VALID]
    if run is not None and run.message:
        out.append(run.message)
    return tuple(out)


def _remarks(session: Session | None) -> tuple[str, ...]:
    if session is None:
        return ()
    out = []
    if session.clocks.throttle:
        out.append(f"the GPU lowered its clocks while measuring: {', '.join(session.clocks.throttle)}")
    before, after = session.clocks.sm_mhz_before, session.clocks.sm_mhz_after
    if before and after and abs(after / before - 1) > _SLOWER_CLOCK:
        out.append(f"the SM clock went from {before:.0f} to {after:.0f} MHz")
    if session.stopped == "budget":
        out.append(f"the budget of {session.settings.budget:g} s was spent before all intervals were narrower than "
                   f"{100 * session.settings.target:g} %")
    if session.stopped == "interrupted":
        out.append("measuring was interrupted")
    return tuple(out)


def _points(session: Session | None, setting: str, value_of: Callable[[str], float | None]) -> tuple[SweepPoint, ...]:
    """The runs for which there is a value, the least first; nothing where the original is alone among them."""
    samples = samples_of(session)
    if samples is None:
        return ()
    found = [(value_of(name), interval) for name, interval in samples.intervals.items()]
    points = [SweepPoint(setting, value, interval) for value, interval in found if value is not None]
    return tuple(sorted(points, key=lambda p: p.value)) if len(points) > 1 else ()


def occupancy_points(timed: Timed) -> tuple[SweepPoint, ...]:
    """The original's time by resident blocks; empty where nothing was varied."""
    original = timed.sweep.run(ORIGINAL) if timed.sweep is not None else None
    natural = original.resident_blocks if original is not None else None
    return _points(timed.sweep, "resident blocks", lambda name: natural if name == ORIGINAL else blocks_of(name))


def grid_points(timed: Timed) -> tuple[SweepPoint, ...]:
    """The original's time by multiples of its grid; empty where the grid was not varied."""
    return _points(timed.sweep, "times the grid", factor_of)
