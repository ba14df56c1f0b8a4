"""What a run of ``kmutate simulate`` is asked to do, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a request is made before anything else is loaded
    from mutate.errors import KmutateError
    from mutate.launch.model import Launch
    from mutate.machines.model import Machine
    from mutate.results import Request, Target
    from mutate.sim.counters import Totals
    from mutate.sim.fermi import Counter
    from mutate.sim.footprint import Touched
    from mutate.sim.places import Place, Places

CHECKS = ("races", "uninitialized")


@dataclass(frozen=True)
class SimulateRequest:
    """``source`` says what is compiled and launched; ``source.arch`` is the architecture that runs.

    ``blocks``: how many of each grid, 0 for all, ``None`` for a number that takes a second or two. ``budget``: warp
    instructions of a launch. ``machine`` is a name or a path, ``None`` for one of the architecture. ``dlcm`` is ``ca``
    or ``cg``; ``checks`` of ``CHECKS``.
    """

    source: Request
    machine: str | None = None
    blocks: int | None = None
    budget: int | None = None
    by_line: bool = False
    dlcm: str = "ca"
    checks: tuple[str, ...] = ()
    footprint: bool = False
    """Whether the sectors that each array has touched are counted."""


@dataclass(frozen=True)
class Caches:
    """Sizes of the cache model in bytes; 0 for one that the machine lacks. ``blocks_per_sm`` are resident blocks."""

    l1_bytes: int
    l2_bytes: int
    blocks_per_sm: int


@dataclass(frozen=True)
class LineCounts:
    """What the instructions of one source line did. ``place`` is ``None`` for instructions without a line."""

    place: Place | None
    text: str
    totals: Totals


@dataclass(frozen=True)
class Problem:
    """A race or an uninitialised read of shared memory. ``place`` is of the later access, ``other_place`` of the

    earlier one; threads and blocks are coordinates; ``byte`` counts in the block's shared memory; ``bytes`` how many
    bytes of all blocks it was. All but that are of the first time.
    """

    kind: str
    place: Place | None
    text: str
    instruction: str
    thread: str
    block: str
    byte: int
    bytes: int
    other_place: Place | None = None
    other_text: str = ""
    other_instruction: str = ""
    other_thread: str = ""


@dataclass(frozen=True)
class LaunchCounts:
    """One launch. ``blocks`` are those that ran, of ``grid_blocks``; ``older`` the counters of older GPUs."""

    launch: Launch
    blocks: tuple[int, ...]
    grid_blocks: int
    totals: Totals
    caches: Caches | None
    lines: tuple[LineCounts, ...] = ()
    older: tuple[tuple[Counter, float | None], ...] = ()
    problems: tuple[Problem, ...] = ()
    more_problems: int = 0
    touched: tuple[Touched, ...] = ()

    @property
    def factor(self) -> float:
        """By what counts of the sample are multiplied to be those of the grid."""
        return self.grid_blocks / len(self.blocks)


@dataclass(frozen=True)
class LineStalls:
    """Why warps waited at one source line: parts of all clocks of all warps (1 is all of them) by ncu's reasons.

    ``place`` is ``None`` for instructions without a line.
    """

    place: Place | None
    text: str
    reasons: Mapping[str, float]

    @property
    def share(self) -> float:
        return sum(self.reasons.values())


@dataclass(frozen=True)
class Stalls:
    """What warps did with their clocks, by the model of time: parts of all of them by ncu's reasons (``reasons``).

    ``machine`` is the title of the one that was simulated; ``warps`` were resident on an SM on average; ``played`` warp
    instructions of an SM's ``instructions``. ``lines`` are in the order of their part; empty where lines are not known.
    """

    machine: str
    calibrated: bool
    warps: float
    reasons: Mapping[str, float]
    lines: tuple[LineStalls, ...]
    played: int
    instructions: float


@dataclass(frozen=True)
class Played:
    """What the model of time executed and played to time an original.

    ``blocks`` were recorded, of ``grid_blocks``; ``turns`` of the ``sms`` SMs were played, each of which gets ``turn``
    blocks: ``instructions`` of the ``of`` warp instructions of these turns. ``busiest`` is what was busy for the
    largest part of the time, ``busy``. Relative standard errors of the time, told from the sample: ``uneven`` for what
    is not in it (``None``: one block says nothing of the others), ``rest`` for what was recorded and not played.
    ``which`` are the numbers of the recorded blocks, none where it is all of them. ``every``: of blocks that ask for
    what others write, of how many of the grid one was run, by turns (1: all were); 0 where none was, and the recorded
    ones met the data as they were before the launch; ``None`` of other blocks.
    """

    blocks: int
    grid_blocks: int
    turn: int
    turns: int
    sms: int
    instructions: int
    of: float
    busiest: str
    busy: float
    uneven: float | None = 0.0
    rest: float = 0.0
    which: tuple[int, ...] = ()
    every: int | None = None

    @property
    def whole(self) -> bool:
        """Whether every block of the turns was recorded, and the turns played to their end."""
        return self.blocks >= self.recordable and self.instructions >= self.of - 0.5

    @property
    def recordable(self) -> int:
        """The blocks that the turns have."""
        return self.grid_blocks if self.turns >= self.sms else min(self.turns * self.turn, self.grid_blocks)


@dataclass(frozen=True)
class SimulatedKernel:
    """One kernel instance; with an error where it could not be simulated. ``places`` are its instructions' lines."""

    target: Target
    launches: tuple[LaunchCounts, ...] = ()
    error: KmutateError | None = None
    places: Places | None = None


@dataclass(frozen=True)
class SimulateReport:
    """Everything a run counted. ``seconds`` by stage; ``warnings`` are sentences for the user."""

    request: SimulateRequest
    machine: Machine | None
    kernels: tuple[SimulatedKernel, ...]
    seconds: Mapping[str, float]
    warnings: tuple[str, ...] = ()
