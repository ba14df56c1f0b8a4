"""What is to be timed and what came of it: the data between a backend and those who ask it.

A ``Plan`` has the binaries of one kernel launch. A backend measures them in interleaved rounds (A B C A B C ...), so
that the times of one round were taken under the same conditions and may be compared in pairs; ``Session`` has them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mutate.launch.model import Launch

ORIGINAL, IDENTITY = "original", "identity"


class RunOutcome(StrEnum):
    """``skipped``: not tried, because the session ended before (budget, interrupt)."""

    OK = "ok"
    TIMEOUT = "timeout"
    LAUNCH_FAILED = "launch-failed"
    ILLEGAL_ACCESS = "illegal-access"
    OUT_OF_MEMORY = "out-of-memory"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Run:
    """One binary to time. ``dynamic_smem`` is the launch's total in bytes, padding included; ``carveout_percent`` the

    hint for the driver (``None``: none is given). ``expected_blocks``: the resident blocks of an SM that the plan aims
    at. ``grid`` replaces the launch's.
    """

    name: str
    cubin: bytes = field(repr=False)
    entry: str = ""
    dynamic_smem: int = 0
    carveout_percent: int | None = None
    expected_blocks: int | None = None
    grid: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Plan:
    """One launch and the binaries to time with its data. ``written`` names the arrays that the kernel may write: they

    are restored before a launch where that matters. ``in_place``: whether one of them may be read as well.
    """

    name: str
    launch: Launch
    runs: tuple[Run, ...]
    written: tuple[str, ...] = ()
    in_place: bool = True


@dataclass(frozen=True)
class Settings:
    """How to measure. ``l2`` is ``cold`` (flushed before each timed launch) or ``warm`` (the launch before is the same

    kernel's). Rounds go on until the 95 % interval of every median is narrower than ``target`` (relative half-width),
    or ``budget`` seconds are spent on a plan. ``limit``: seconds without a sign of life after which a launch is given
    up.
    """

    l2: str = "cold"
    target: float = 0.01
    budget: float = 10.0
    least_rounds: int = 15
    most_rounds: int = 400
    limit: float = 30.0
    device: int = 0


@dataclass(frozen=True)
class RunTimes:
    """What came of one run. ``times_ms`` has one time of a launch for each round, in the order of the rounds (all runs

    of a session that are ``ok`` have as many, and the times at one place belong to one round). ``resident_blocks`` is
    what the driver says for the launch as it was made, or the plan where a rule that was measured confirms it
    against the driver's documentation; ``registers`` and ``local_bytes`` (of a thread) likewise.
    ``message`` says why a run has no times, or what is to be known about one that has. ``batch`` launches were timed
    together for each time.
    """

    name: str
    outcome: RunOutcome
    times_ms: tuple[float, ...] = ()
    message: str = ""
    resident_blocks: int | None = None
    registers: int | None = None
    local_bytes: int | None = None
    batch: int = 1


@dataclass(frozen=True)
class Clocks:
    """Read, never set. MHz; ``throttle`` are NVML's words for why clocks were lowered while measuring."""

    sm_mhz_before: float | None = None
    sm_mhz_after: float | None = None
    memory_mhz: float | None = None
    throttle: tuple[str, ...] = ()
    temperature_c: float | None = None


@dataclass(frozen=True)
class Gpu:
    """The device. Bytes, MHz; ``uuid`` tells two of a kind apart."""

    name: str
    capability: tuple[int, int]
    driver: str
    sm_count: int
    uuid: str = ""
    memory_bytes: int = 0
    l2_bytes: int = 0
    sm_mhz: float = 0.0
    runtime: str = ""


@dataclass(frozen=True)
class Session:
    """One plan measured. ``stopped`` is ``target``, ``budget``, ``rounds`` or ``interrupted``; ``batch`` is the most

    launches that were timed together because one is too short (only with a warm L2; each run has its own).
    ``overhead_ms`` is what the same measurement, in batches like the first run's, gives for an empty kernel.
    """

    plan: str
    gpu: Gpu
    settings: Settings
    runs: tuple[RunTimes, ...]
    overhead_ms: tuple[float, ...] = ()
    rounds: int = 0
    batch: int = 1
    stopped: str = "target"
    seconds: float = 0.0
    clocks: Clocks = Clocks()
    restarts: int = 0

    def run(self, name: str) -> RunTimes | None:
        return next((r for r in self.runs if r.name == name), None)


@dataclass(frozen=True)
class Roofs:
    """What this GPU reaches, measured once by kernels of our own. GB/s are 10^9 bytes a second, GFLOP/s count an FMA as

    two. ``copy_by_warps``: resident warps of an SM → bandwidth of a copy (bytes read and written) with as many, each
    thread copying 16 bytes at a time: no kernel with one load of a thread under way gets more. ``copy4_by_warps``: the
    same with 4 bytes at a time, as plain code does it.
    """

    gpu: Gpu
    copy_gbs: float
    read_gbs: float
    write_gbs: float
    fp32_gflops: float
    launch_overhead_us: float
    back_to_back_us: float
    copy_by_warps: Mapping[int, float] = field(default_factory=dict)
    copy4_by_warps: Mapping[int, float] = field(default_factory=dict)
    measured: str = ""
    """Date, ISO 8601."""

    def copy_at(self, warps: int) -> float:
        """Copy bandwidth with so many resident warps an SM, between the measured points by linear interpolation."""
        points = sorted(self.copy_by_warps.items())
        if not points:
            return self.copy_gbs
        below = [p for p in points if p[0] <= warps]
        above = [p for p in points if p[0] >= warps]
        if not below or not above:
            return points[0][1] * warps / points[0][0] if not below else points[-1][1]
        (w0, b0), (w1, b1) = below[-1], above[0]
        return b0 if w0 == w1 else b0 + (b1 - b0) * (warps - w0) / (w1 - w0)
