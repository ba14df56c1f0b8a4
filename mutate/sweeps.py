"""One launch under other settings (cache, occupancy, registers): what ``kmutate analyze --sweep`` gives back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutate.errors import KmutateError, nearest

if TYPE_CHECKING:  # a request is made before anything else is loaded
    from mutate.limiter.model import Interval

CACHE, OCCUPANCY, REGISTERS = "cache", "occupancy", "registers"
SWEEPS = (CACHE, OCCUPANCY, REGISTERS)


def parse_sweeps(values: Iterable[str]) -> tuple[str, ...]:
    """Names of sweeps, also several with commas between them, each once and in the order of ``SWEEPS``.

    Raises ``KmutateError`` ``unknown-sweep``.
    """
    wanted = {part.strip() for value in values for part in value.split(",")}
    for name in sorted(wanted - set(SWEEPS)):
        near = nearest(name, SWEEPS)
        raise KmutateError("unknown-sweep", f"there is no sweep '{name}'" if name else "a sweep has no name",
                           hint=f"did you mean {near}?" if near else f"there are {', '.join(SWEEPS)}")
    return tuple(s for s in SWEEPS if s in wanted)


@dataclass(frozen=True)
class Traffic:
    """What the simulator counted, of the whole grid: that of ``blocks`` blocks of one SM, multiplied.

    ``unit`` is what L1 looks up, in bytes: a sector of 32, or a line of 128 (Fermi). ``l1_lookups`` and ``l1_hits`` are
    global loads' in these units, ``local_lookups`` and ``local_hits`` local loads'. L2's are sectors of 32 bytes;
    ``l2_local`` those that local memory causes (of ``l2_reads`` + ``l2_writes``). Instructions are warps'.
    """

    blocks: int
    unit: int
    l1_lookups: float
    l1_hits: float
    local_lookups: float
    local_hits: float
    l2_reads: float
    l2_writes: float
    l2_local: float
    instructions: float
    local_instructions: float

    @property
    def l1_hit_rate(self) -> float | None:
        """0 to 1; ``None`` where no load looks into L1."""
        return self.l1_hits / self.l1_lookups if self.l1_lookups else None

    @property
    def local_hit_rate(self) -> float | None:
        return self.local_hits / self.local_lookups if self.local_lookups else None

    @property
    def l2_sectors(self) -> float:
        return self.l2_reads + self.l2_writes

    @property
    def local_of_l2(self) -> float:
        """The part of L2's traffic that local memory causes, 0 to 1."""
        return self.l2_local / self.l2_sectors if self.l2_sectors else 0.0

    @property
    def local_of_instructions(self) -> float:
        return self.local_instructions / self.instructions if self.instructions else 0.0


@dataclass(frozen=True)
class SweepRun:
    """One kernel (``original``, ``memory-only`` or ``math-only``) under a setting.

    ``time`` in ms; ``gain`` is T(the launch as it is)/T(here) of the same kernel; ``why``: why there is no time.
    ``blocks`` and ``warps`` are resident on an SM, ``occupancy`` is the part of the most warps, ``limiter`` what allows
    no more blocks. ``registers`` a thread; ``spills`` bytes that a thread's spill instructions move (stores and loads,
    as ptxas counts them), ``local_accesses`` the local loads and stores in the machine code.
    ``dynamic_smem`` is the launch's total, ``pad`` the part of it that the setting adds, in bytes.
    """

    kernel: str
    time: Interval | None
    gain: Interval | None
    why: str
    blocks: int
    warps: int
    occupancy: float
    limiter: str
    registers: int
    spills: int
    local_accesses: int
    dynamic_smem: int
    pad: int = 0
    traffic: Traffic | None = None


@dataclass(frozen=True)
class SweepSetting:
    """One setting. ``value`` is its place on the axis: KB of L1, resident blocks or registers of a thread; ``group``

    its series (``ca``, ``cg``). ``how``: the options or lines that set it, none for what needs nothing. ``current``:
    the launch as it is.
    """

    name: str
    value: float
    runs: tuple[SweepRun, ...]
    group: str = ""
    how: tuple[str, ...] = ()
    current: bool = False
    carveout_kb: int | None = None
    l1_kb: int | None = None
    cap: int | None = None

    def run(self, kernel: str) -> SweepRun | None:
        return next((r for r in self.runs if r.kernel == kernel), None)


@dataclass(frozen=True)
class Sweep:
    """All settings along one axis. ``times`` is ``measured``, ``simulated`` or nothing, and then ``untimed`` says why;

    ``uncounted`` likewise for the counters, which are always simulated. ``where`` is the GPU or machine of the times,
    ``turn`` how many blocks of the grid each of its SMs works off.
    ``best`` names the setting that is worth setting, "" where none is better than what is there. ``summary`` is the
    answer, ``evidence`` its numbers, ``next_step`` what to do.
    """

    axis: str
    settings: tuple[SweepSetting, ...] = ()
    times: str = ""
    where: str = ""
    turn: int | None = None
    untimed: str = ""
    uncounted: str = ""
    best: str = ""
    summary: str = ""
    evidence: tuple[str, ...] = ()
    next_step: str = ""
    notes: tuple[str, ...] = ()

    @property
    def current(self) -> SweepSetting | None:
        return next((s for s in self.settings if s.current), None)

    @property
    def kernels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(r.kernel for s in self.settings for r in s.runs))
