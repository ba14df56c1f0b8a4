"""What a run of ``kmutate analyze`` is asked to do, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mutate.timing import Settings

if TYPE_CHECKING:  # a request is made before anything else is loaded
    from mutate.errors import KmutateError
    from mutate.launch.model import Launch
    from mutate.limiter.model import Facts, Finding, Interval, SweepPoint, VariantTime
    from mutate.machines.model import Machine
    from mutate.model import Certificate
    from mutate.results import Request, Target, VariantResult
    from mutate.simulated import LaunchCounts, Played, Stalls
    from mutate.sweeps import Sweep
    from mutate.timing import Roofs, Session

BACKENDS = ("auto", "gpu", "sim")


@dataclass(frozen=True)
class AnalyzeRequest:
    """``source`` says what is compiled; ``backend`` is one of ``BACKENDS``; ``machine`` is for ``sim`` (and for

    published figures beside measured ones). ``sweep``: whether the original is also timed with fewer resident blocks
    and with a larger grid, as evidence for the verdict. ``counters``: whether the simulator counts the original.
    ``sweeps``: names of ``mutate.sweeps.SWEEPS``, which are reported for themselves.
    """

    source: Request
    backend: str = "auto"
    machine: str | None = None
    settings: Settings = field(default_factory=Settings)
    sweep: bool = True
    counters: bool = True
    full: bool = False
    """Whether times are simulated by every SM's whole turn instead of a sample."""
    sweeps: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnalyzedVariant:
    """One variant: what was proven, what was timed. ``source`` and ``diff`` are texts, "" where it was refused."""

    name: str
    result: VariantResult
    certificate: Certificate | None
    time: VariantTime | None
    source: str = field(default="", repr=False)
    diff: str = field(default="", repr=False)


@dataclass(frozen=True)
class LaunchAnalysis:
    """One launch of one kernel instance. ``session`` is ``None`` where nothing was timed, and ``untimed`` says why.

    ``counts`` are the simulator's, with lines; ``occupancy`` and ``grids`` the evidence of the original under other
    conditions, ``sweeps`` those that were asked for; ``noise`` is T(identity)/T(original). ``stalls`` are the model's,
    also where times were measured, of what it ``played``.
    """

    launch: Launch
    finding: Finding
    facts: Facts
    variants: tuple[AnalyzedVariant, ...]
    session: Session | None = None
    untimed: str = ""
    noise: Interval | None = None
    counts: LaunchCounts | None = None
    counts_error: KmutateError | None = None
    occupancy: tuple[SweepPoint, ...] = ()
    grids: tuple[SweepPoint, ...] = ()
    registers: int | None = None
    static_smem: int | None = None
    spills: int | None = None
    stalls: Stalls | None = None
    played: Played | None = None
    sweeps: tuple[Sweep, ...] = ()


@dataclass(frozen=True)
class KernelAnalysis:
    """One kernel instance; with an error where its original cannot be compiled or launched."""

    target: Target
    launches: tuple[LaunchAnalysis, ...] = ()
    error: KmutateError | None = None


@dataclass(frozen=True)
class Analysis:
    """Everything a run found out. ``backend`` is what was used: ``gpu`` or ``sim``. ``source`` is the file's text,

    ``seconds`` by stage, ``warnings`` sentences for the user, ``interrupted`` says that Ctrl-C ended it early.
    """

    request: AnalyzeRequest
    backend: str
    kernels: tuple[KernelAnalysis, ...]
    machine: Machine | None = None
    roofs: Roofs | None = None
    source: str = field(default="", repr=False)
    seconds: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    interrupted: bool = False


@dataclass(frozen=True)
class Compared:
    """One machine of a comparison; with an error where nothing could be said of it."""

    machine: Machine
    arch: str
    analysis: Analysis | None = None
    error: KmutateError | None = None


@dataclass(frozen=True)
class Comparison:
    """The same file on several machines, each by an analysis of its own on the simulator."""

    request: AnalyzeRequest
    machines: tuple[Compared, ...]
    warnings: tuple[str, ...] = ()
    interrupted: bool = False
