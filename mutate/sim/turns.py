"""Runs all blocks of a launch as a GPU does, as many at once as are resident: their warps take turns.

A turn ends where a warp has asked for global memory, since on a GPU all wait about as long for what they get. So what
blocks write meets what others read in between, and their atomic operations those of others. When a block has ended the
next one begins in its place.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.run import Simulation
from mutate.sim.stream import RECORDS, Recorder
from mutate.sim.watch import LOG_ROWS, Log, Watcher

Array = npt.NDArray[Any]
MOST_BYTES = 256 << 20
"""Of the state of blocks at once; fewer are resident where one has much."""
_TOLD_AT_ONCE = LOG_ROWS // 2


class _Part(NamedTuple):
    head: Array
    where: Array
    records: Array


class Listener(Watcher, Recorder, Protocol):
    """Both in one."""


@dataclass(frozen=True)
class Tape:
    """What a block has done, for those who watch and record: told later, as if it ran alone."""

    block: int
    parts: tuple[_Part, ...]

    def tell(self, listener: Listener, counters: Array) -> None:
        """Tells what it did in the order in which it did so."""
        listener.start_block(self.block)
        at = 0
        while at < len(self.parts):
            end, rows, records = at, 0, 0
            while end < len(self.parts) and rows < _TOLD_AT_ONCE and records < RECORDS:
                rows += len(self.parts[end].head)
                records += len(self.parts[end].records)
                end += 1
            log = Log(False)
            log.head, log.where = (np.concatenate([p[k] for p in self.parts[at:end]]) for k in range(2))
            listener.watch(log, rows, counters)
            listener.add(self.block, np.concatenate([p.records for p in self.parts[at:end]]))
            at = end


@dataclass(frozen=True)
class Played:
    """The instructions of each block's warps, shape (blocks, warps), 0 of those that did not run, and the tapes of

    those that were to be kept.
    """

    spent: Array
    tapes: Mapping[int, Tape]


def run_by_turns(simulation: Simulation, resident: int, kept: Collection[int], budget: int,
                 blocks: Sequence[int] | None = None, room: int = MOST_BYTES) -> Played | None:
    """Runs all blocks of the launch in the simulation's memory, or some in their order, ``resident`` at once.

    ``room``: bytes for their state; fewer run at once where that is more. ``None`` where they come to more than
    ``budget`` instructions of warps, or one cannot go on.
    """
    order = range(math.prod(simulation.launch.grid)) if blocks is None else blocks
    total = len(order)
    each = simulation.registers.nbytes + simulation.kept.nbytes + simulation.shared.nbytes + simulation.local.nbytes
    slots = max(2, min(resident, total, room // each))
    run = simulation.together(slots)
    run.control[0] = run.control[4] = budget
    heard, trace = Log(True), np.zeros((RECORDS + lay.LANES, 4), np.int64)
    spent = np.zeros((order[-1] + 1, run.warps), np.int64)
    parts: dict[int, list[_Part]] = {block: [] for block in kept}
    running = np.full(slots, -1)
    following = 0
    while True:
        for slot in np.flatnonzero(running < 0)[: total - following]:
            run.start_block(order[following], int(slot))
            running[slot] = order[following]
            following += 1
        if (running < 0).all():
            return Played(spent, {block: Tape(block, tuple(p)) for block, p in parts.items()})
        if not _round(run, running, parts, heard, trace):
            return None
        if run.control[1]:
            run.memory.bring(run.wanted[: run.control[1]])
            run.control[1] = 0
            run.states[run.states == lay.AT_FAULT] = lay.READY
        ended = np.flatnonzero((running >= 0) & ~run.alive.reshape(slots, -1).any(axis=1))
        spent[running[ended]] = run.spent.reshape(slots, -1)[ended]
        running[ended] = -1


def _round(run: Simulation, running: Array, parts: Mapping[int, list[_Part]], heard: Log, trace: Array) -> bool:
    """Lets each warp of all slots go on once; whether they could."""
    at = 0
    for slot in (*np.flatnonzero(np.isin(running, list(parts))).tolist(), run.slots):
        if at < slot and not _stretch(run, at, slot, run.log, run.trace, None):
            return False
        if slot < run.slots and not _stretch(run, slot, slot + 1, heard, trace, parts[int(running[slot])]):
            return False
        at = slot + 1
    return True


def _stretch(run: Simulation, first: int, end: int, log: Log, trace: Array, parts: list[_Part] | None) -> bool:
    """A turn of each of these slots."""
    run.layout[9] = end
    run.control[3] = first * run.warps
    while True:
        run.control[2] = run.control[6] = 0
        run.control[5] = run.memory.used
        status = run.go_on(log, trace)
        run.memory.used = int(run.control[5])
        if parts is not None:
            rows, records = int(run.control[6]), trace[: run.control[2]].copy()
            head = log.head[:rows].copy()
            for of_warps in (head[:, lay.L_WARP], records[:, 0]):
                of_warps %= run.warps
            parts.append(_Part(head, log.where[:rows].copy(), records))
        if status == lay.TURN_OVER:
            return True
        if status not in (lay.LOG_FULL, lay.TRACE_FULL):
            return False
