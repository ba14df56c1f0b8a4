"""A verdict from numbers that somebody has: times of variants, bytes, bandwidths."""

from __future__ import annotations

from dataclasses import dataclass

from mutate.limiter.evidence import BROADCAST, CONFLICT_FREE, MATH, MEMORY, NO_SYNC, Evidence
from mutate.limiter.model import Facts, Interval, VariantTime
from mutate.limiter.stats import from_intervals
from mutate.timing import ORIGINAL


@dataclass(frozen=True)
class Given:
    """Times in milliseconds, bytes of the whole launch, GB/s, warp instructions; ``noise`` is the relative half-width

    of every time's 95 % interval.
    """

    full: float
    memory: float
    math: float
    no_sync: float | None = None
    conflict_free: float | None = None
    broadcast: float | None = None
    requested_bytes: float | None = None
    moved_bytes: float | None = None
    instructions: float | None = None
    peak_gbs: float | None = None
    copy_gbs: float | None = None
    balance: float | None = None
    overhead: float | None = None
    noise: float = 0.0


def evidence_from(given: Given) -> Evidence:
    """What ``judge`` takes."""
    times = {ORIGINAL: given.full, MEMORY: given.memory, MATH: given.math, NO_SYNC: given.no_sync,
             CONFLICT_FREE: given.conflict_free, BROADCAST: given.broadcast}
    intervals = {name: Interval(t, t * (1 - given.noise), t * (1 + given.noise)) for name, t in times.items()
                 if t is not None}
    samples = from_intervals(intervals, ORIGINAL)
    variants = {name: VariantTime(name, i, samples.gains[name]) for name, i in intervals.items()}
    values = {"requested_bytes": given.requested_bytes, "moved_bytes": given.moved_bytes,
              "instructions": given.instructions, "peak_gbs": given.peak_gbs, "copy_gbs": given.copy_gbs,
              "balance": given.balance, "launch_overhead_ms": given.overhead}
    facts = Facts(**values, sources={k: "given" for k, v in values.items() if v is not None})  # type: ignore[arg-type]
    return Evidence(variants, facts, samples, kind="given")
