"""What a verdict is given: times by variant, facts, experiments; and the sentences that numbers are put into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mutate.limiter.model import Facts, Interval, SweepPoint, VariantTime
from mutate.limiter.stats import Samples
from mutate.timing import IDENTITY, ORIGINAL

MEMORY, MATH, NO_SYNC = "memory-only", "math-only", "no-sync"
CONFLICT_FREE, BROADCAST, LOAD_ONLY = "smem-conflict-free", "smem-broadcast", "load-only"


@dataclass(frozen=True)
class Evidence:
    """``variants`` has the original too; ``samples`` the resampled medians of those that were timed.

    ``kind`` of the times: ``measured``, ``simulated`` or ``given``. ``remarks`` are sentences on how the times came
    about that speak against them (throttled clocks, a budget that was spent).
    """

    variants: Mapping[str, VariantTime]
    facts: Facts
    samples: Samples | None = None
    occupancy: tuple[SweepPoint, ...] = ()
    grids: tuple[SweepPoint, ...] = ()
    kind: str = "measured"
    remarks: tuple[str, ...] = ()
    noise: Interval | None = field(default=None)
    """T(identity)/T(original)."""
    to_time: str = "time it on a GPU: kmutate analyze --backend gpu"
    """What to do where nothing was timed, or too little for a verdict."""
    interrupted: bool = False
    """Whether the session that timed it was."""

    def usable(self, name: str) -> VariantTime | None:
        variant = self.variants.get(name)
        return variant if variant is not None and variant.usable else None

    def time(self, name: str) -> Interval | None:
        variant = self.usable(name)
        return variant.time if variant is not None else None

    @property
    def full(self) -> Interval | None:
        return self.time(ORIGINAL)

    @property
    def floor(self) -> float:
        """The noise floor: how far the original and its identical copy lie apart, at least half a percent."""
        if self.noise is None or IDENTITY not in self.variants:
            return 0.005
        return max(0.005, abs(self.noise.value - 1), (self.noise.high - self.noise.low) / 2)


def ms(value: float) -> str:
    """A time with three or four digits, in the unit that suits it."""
    if value >= 1000:
        return f"{value / 1000:.3g} s"
    if value >= 0.1:
        return f"{value:.4g} ms" if value >= 10 else f"{value:.3f} ms"
    return f"{value * 1000:.3g} µs"


def percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def gbs(value: float) -> str:
    return f"{value:,.0f} GB/s" if value >= 10 else f"{value:.2g} GB/s"


def rate(nbytes: float, time_ms: float) -> float:
    """GB/s."""
    return nbytes / (time_ms * 1e6)


def count(value: float) -> str:
    for unit, name in ((1e9, "billion"), (1e6, "million")):
        if value >= unit:
            return f"{value / unit:,.3g} {name}"
    return f"{value:,.0f}"
