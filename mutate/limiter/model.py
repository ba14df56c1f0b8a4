"""What limits a kernel, by the times of its variants: the words of the verdict.

Times are in milliseconds. An interval is a 95 % one; numbers given without one have equal ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mutate.model import Verdict


class Limiter(StrEnum):
    """``launch``: the kernel takes about as long as an empty one. ``inconclusive``: measured, but the intervals allow

    several answers. ``unknown``: something that a decision needs is missing.
    """

    MEMORY = "memory"
    MATH = "math"
    BALANCED = "balanced"
    LATENCY = "latency"
    LAUNCH = "launch"
    INCONCLUSIVE = "inconclusive"
    UNKNOWN = "unknown"


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True)
class Interval:
    """A value with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Interval:
        return cls(value, value, value)

    @property
    def width(self) -> float:
        """Half the width relative to the value."""
        return (self.high - self.low) / 2 / self.value if self.value else 0.0


@dataclass(frozen=True)
class VariantTime:
    """One variant as it was timed. ``gain`` is T(original)/T(variant), from pairs of one round where there are rounds.

    ``usable``: its certificate is not INVALID and it was timed. ``why``: what keeps it from being used, or lowers the
    confidence in it, in words.
    """

    name: str
    time: Interval | None
    gain: Interval | None = None
    verdict: Verdict | None = None
    outcome: str = "ok"
    why: tuple[str, ...] = ()
    resident_blocks: int | None = None
    expected_blocks: int | None = None
    work: float = 1.0
    """Warp instructions that it executes, relative to the original's: more than 1 where a change costs some itself."""

    @property
    def usable(self) -> bool:
        return self.time is not None and self.verdict is not Verdict.INVALID


@dataclass(frozen=True)
class Facts:
    """What is known of one launch beside the times; ``None`` is unknown.

    Bytes are of the whole grid: ``requested`` by threads, ``sector_bytes`` in the sectors of all requests, ``moved``
    in those of them that go on to L2 (a model of L1 decides, or all of them). ``instructions`` are
    warp instructions. ``footprint_bytes`` are the different sectors that the kernel touches, read and written counted
    apart: what would move if every cache were perfect. ``floor_bytes`` is the part of it that must come from or go to
    DRAM within the launch (reads with a cold L2, writes that do not fit in it). Rates: GB/s, GFLOP/s.
    """

    requested_bytes: float | None = None
    sector_bytes: float | None = None
    moved_bytes: float | None = None
    footprint_bytes: float | None = None
    floor_bytes: float | None = None
    instructions: float | None = None
    fp32_flops: float | None = None
    fp64_flops: float | None = None
    active_lanes: float | None = None
    branches: float | None = None
    divergent_branches: float | None = None
    sectors_per_request: float | None = None
    load_efficiency: float | None = None
    store_efficiency: float | None = None
    shared_wavefronts: float | None = None
    shared_conflicts: float | None = None
    atomic_requests: float | None = None
    """Atomics and reductions in global memory, of warps."""
    atomic_sectors_per_request: float | None = None
    """Lanes that update one address go one after another, a sector each time."""
    spill_bytes: float | None = None
    barriers: float | None = None
    grid_blocks: int | None = None
    resident_blocks: int | None = None
    warps_per_block: int | None = None
    most_warps: int | None = None
    occupancy_limiter: str = ""
    sm_count: int | None = None
    peak_gbs: float | None = None
    copy_gbs: float | None = None
    copy_gbs_here: float | None = None
    """Copy bandwidth of this GPU with the kernel's resident warps."""
    fp32_gflops: float | None = None
    balance: float | None = None
    """Thread instructions for each byte at which the machine's instruction rate and bandwidth are both reached."""
    bytes_in_flight_needed: float | None = None
    """Per SM, by Little's law: latency × bandwidth."""
    launch_overhead_ms: float | None = None
    clock_mhz: float | None = None
    blocks_per_us: float | None = None
    """Blocks that the machine starts in a microsecond."""
    issue_rate: float | None = None
    """Warp instructions that the machine can issue in a clock, all SMs."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Field → where it comes from: measured, simulated, published, given."""


@dataclass(frozen=True)
class Payoff:
    """An upper bound for the speed-up if one cause were removed, by one experiment."""

    what: str
    gain: Interval
    by: str
    """The variant or the experiment that shows it."""
    note: str = ""
    kind: str = "measured"
    """``measured``, ``simulated``, ``given`` or ``estimated`` (from counters and roofs)."""


@dataclass(frozen=True)
class Cause:
    """One reason below the limiter. ``evidence`` are sentences with numbers; ``next_step`` what to try."""

    slug: str
    title: str
    evidence: tuple[str, ...]
    next_step: str
    payoff: Payoff | None = None
    share: float = 0.0
    """For ranking: the part of the time that it can explain at most, 0 to 1."""


@dataclass(frozen=True)
class Finding:
    """The verdict on one kernel launch.

    ``overlap`` is (T_mem + T_math − T_full) / min(T_mem, T_math): 1 all of the smaller part is hidden, 0 none.
    ``exposed_ms``: T_full − max(T_mem, T_math), the part of the smaller one that is not hidden. ``support``: share of
    the resampled measurements that give this limiter.
    """

    limiter: Limiter
    confidence: Confidence
    summary: str
    evidence: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    next_step: str = ""
    full: Interval | None = None
    memory: Interval | None = None
    math: Interval | None = None
    overlap: Interval | None = None
    exposed_ms: Interval | None = None
    exposed_of: str = ""
    """``math`` or ``memory``: which one is the smaller."""
    support: float = 1.0
    causes: tuple[Cause, ...] = ()
    payoffs: tuple[Payoff, ...] = ()
    candidates: tuple[tuple[Limiter, float], ...] = ()
    """Limiters that the resampled measurements give, with their shares: the likeliest first, none below 5 %."""


@dataclass(frozen=True)
class SweepPoint:
    """The original at one setting, such as a number of resident blocks."""

    setting: str
    value: float
    time: Interval
    note: str = ""
