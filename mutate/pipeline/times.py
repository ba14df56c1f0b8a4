"""From the times of a session to what the verdict is given."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from mutate.limiter.evidence import Evidence
from mutate.limiter.model import Facts, Interval, SweepPoint, VariantTime
from mutate.limiter.stats import Samples, resample
from mutate.model import Outcome, Verdict
from mutate.pipeline.experiments import grid_name, occupancy_name
from mutate.pipeline.predictions import Predictions
from mutate.results import KernelResult, VariantResult
from mutate.timing import IDENTITY, ORIGINAL, RunOutcome, RunTimes, Session

_SLOWER_CLOCK = 0.03
_SEVERAL = 64


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


def evidence_of(timed: Timed, result: KernelResult, facts: Facts) -> Evidence:
    """Puts times, certificates and facts side by side."""
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
                    _remarks(session) if predicted is None else predicted.remarks, noise)


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


def _point(session: Session, name: str, setting: str, value: float) -> SweepPoint | None:
    run = session.run(name)
    samples = samples_of(session)
    if run is None or samples is None:
        return None
    if run.outcome is not RunOutcome.OK or name not in samples.intervals:
        return None
    return SweepPoint(setting, value, samples.intervals[name])


def _points(session: Session | None, setting: str, names: dict[str, float]) -> tuple[SweepPoint, ...]:
    if session is None:
        return ()
    found = [_point(session, name, setting, value) for name, value in names.items()]
    return tuple(p for p in found if p is not None)


def occupancy_points(timed: Timed) -> tuple[SweepPoint, ...]:
    """The original's time by resident blocks, fewest first; empty where nothing was varied."""
    original = timed.sweep.run(ORIGINAL) if timed.sweep is not None else None
    if timed.sweep is None or original is None:
        return ()
    names: dict[str, float] = {occupancy_name(b): b for b in range(1, _SEVERAL + 1)
                               if timed.sweep.run(occupancy_name(b)) is not None}
    if not names:
        return ()
    if original.resident_blocks:
        names[ORIGINAL] = original.resident_blocks
    return _points(timed.sweep, "resident blocks", names)


def grid_points(timed: Timed) -> tuple[SweepPoint, ...]:
    """The original's time by multiples of its grid, 1 first; empty where the grid was not varied."""
    if timed.sweep is None:
        return ()
    names: dict[str, float] = {grid_name(k): k for k in range(2, _SEVERAL) if timed.sweep.run(grid_name(k)) is not None}
    return _points(timed.sweep, "times the grid", {ORIGINAL: 1.0, **names}) if names else ()
