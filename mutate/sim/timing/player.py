"""Plays so many blocks of a launch on one SM, as often as the model asks, on from where two plays are the same."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.machines import Machine
from mutate.sass.disasm import Instruction
from mutate.sim.code import compiling
from mutate.sim.timing import constants as c
from mutate.sim.timing import engine
from mutate.sim.timing import settings as p
from mutate.sim.timing.budget import FEW_WAVES
from mutate.sim.timing.by_chance import far_apart
from mutate.sim.timing.code_cache import LINE_BITS
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.hints import hints_of
from mutate.sim.timing.often import often
from mutate.sim.timing.parted import with_lines_read
from mutate.sim.timing.reuse import Reuse
from mutate.sim.timing.sampling import Sample
from mutate.sim.timing.scoreboard import registers_of
from mutate.sim.timing.servers import lines_in
from mutate.sim.timing.shares import share_of, with_share
from mutate.sim.timing.sm import K_FINISHED, K_ISSUED, K_LAUNCHED, Sm, Told, fresh, with_blocks
from mutate.sim.timing.tesla import read_shared_by_operands
from mutate.sim.timing.touches import PAIRS, READS, lines_up_to
from mutate.sim.timing.units import table_of

MARKS = 64
"""Equal parts of the budget that a play tells of."""
_TURNS = 2
_LATE = 64


def _run(*given: Any) -> float:
    """The clock at the end of a play. The first one on a computer waits a minute for machine code."""
    play: Any = engine.play
    with compiling(FOLDER):
        return float(play(*given))


def apart_of(sample: Sample, settings: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Arrays (and local memory) of which L1 keeps nothing for the next block.

    After some waves the resident blocks are anywhere in their work, however they began. What L1 does not hold as a
    whole is gone before another block asks for it, unless L1 has room for all of several turns of blocks.
    """
    s = sample.streams
    arrays = len(sample.initial.regions) + 1
    turns = sample.touched[:, :, PAIRS].sum() / len(sample.blocks) * settings[p.S_RESIDENT]
    if settings[p.S_BLOCKS] < FEW_WAVES * settings[p.S_RESIDENT] or _TURNS * turns <= settings[p.S_L1_LINES]:
        return np.zeros(arrays, np.bool_)
    most = int(settings[p.S_L1_LINES] / 2)
    # In what is read at random one block finds as much that others left as another (quads of buckets.cu).
    return np.asarray(lines_up_to(s.touch, s.region, s.sectors, arrays, most) > most) & ~far_apart(sample)[:, READS]


def late_of(machine: Machine) -> npt.NDArray[np.float64]:
    """Clocks by which reads from DRAM come later than on average, all equally likely."""
    curve = machine.curve("latency.dram_spread") if machine.get("latency.dram_spread") is not None else c.DRAM_SPREAD
    at, late = zip(*curve, strict=True)
    places = np.interp((np.arange(_LATE) + 0.5) / _LATE * 100.0, at, late)
    return np.asarray(places - places.mean())


@dataclass(frozen=True)
class Played:
    """What the engine told: the clock of the end, instructions issued and blocks finished; ``begun``: the SM when it

    had begun all blocks but the last (``None``: all began at once, or it did not get there).
    """

    told: Told
    end: float
    issued: int
    finished: int
    begun: Sm | None


class Player:
    """Plays a launch's sample, with an SM's settings."""

    def __init__(self, listing: Sequence[Instruction], cg: bool, machine: Machine, sample: Sample, reuse: Reuse,
                 settings: npt.NDArray[np.float64]) -> None:
        """``cg``: all global loads go around L1."""
        self._machine, self._grid, self._settings = machine, sample.grid_blocks, settings
        self._warps, self._arrays = sample.streams.starts.shape[1] - 1, len(reuse.read)
        table = table_of(listing, machine)
        if machine.get("issue.fp32_shared") is not None:
            read_shared_by_operands(table, listing, machine)
        # Who does not track registers asks for no row of these tables.
        registers = registers_of(listing if settings[p.S_TRACKED] > 0.0 else ())
        self._code = len(table)
        apart = apart_of(sample, settings)
        streams = with_lines_read(sample.streams) if settings[p.S_PARTED] > 0.0 else sample.streams
        if apart.any():
            streams = streams._replace(touch=often(streams, apart, settings[p.S_L1_LINES]))
        self._first, self._reuse = (table, *registers, streams), reuse
        self._last = apart, late_of(machine), hints_of(listing, cg)

    def play(self, turn: int, part: float = 1.0, whole: bool = False, begun: Sm | None = None, later: bool = False
             ) -> Played:
        """Plays ``turn`` blocks. ``part`` of memory's work is left on average for SMs when the last of them begins, or

        from the beginning on (``whole``). ``begun``: an SM of another play with the same settings at first, which had
        begun all blocks but its last; if there were fewer, both are the same until then. ``later``: not the grid's
        first blocks, which wait for DRAM together.
        """
        mine = self._settings.copy()
        mine[p.S_BLOCKS] = turn
        after = mine
        if part < 1.0:
            even = share_of(int(self._settings[p.S_BLOCKS]), self._grid, self._machine.number("sm.count"))
            after = with_share(mine, self._machine, even / part)
            for room in (p.S_L2_LINES, p.S_L2_WRITTEN):
                after[room] = lines_in(128.0 * mine[room] / part)
        first = after if whole else mine
        sm = with_blocks(begun, turn) if begun and begun.counts[K_LAUNCHED] < turn else fresh(
            first, self._warps, self._arrays, self._code >> LINE_BITS, Told(
                np.zeros(turn, np.int64), np.zeros((self._code, len(p.STALLS)), np.int64), np.zeros(p.BUSY),
                np.zeros((MARKS, 2), np.int64)))
        reuse = self._reuse
        if later:
            reuse = reuse._replace(together=np.zeros_like(reuse.together), merged=reuse.merged_later)
        given = *self._first, reuse, *self._last
        end, before = 0.0, None
        if turn > first[p.S_RESIDENT]:
            end = _run(*given, first, after, sm, turn - 1)
            before = deepcopy(sm) if end == 0.0 else None
        if end == 0.0:
            end = _run(*given, first, after, sm, -1)
        return Played(sm.told, end, int(sm.counts[K_ISSUED]), int(sm.counts[K_FINISHED]), before)
