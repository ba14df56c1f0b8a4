"""Watches which sectors of each array a run reads and writes: the least that any cache would have to move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.space import Initial
from mutate.sim.watch import Log

_SECTOR = 5
_READ, _WRITTEN = 1, 2
_LANES = np.arange(32, dtype=np.int64)


@dataclass(frozen=True)
class Touched:
    """Different sectors (32 bytes) of one array that a run read and wrote, of the array's ``sectors``."""

    array: str
    read: int
    written: int
    sectors: int


class Footprint:
    """One byte for each sector of the launch's arrays; untouched parts cost address space only."""

    def __init__(self, initial: Initial) -> None:
        self.initial = initial
        self.marks: npt.NDArray[np.uint8] = np.zeros(initial.pages << (lay.PAGE_SHIFT - _SECTOR), np.uint8)

    def start_block(self, block: int) -> None:
        del block

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        del counters
        kinds = log.head[:records, lay.L_KIND]
        for kind, mark in ((lay.H_GLOBAL_LOAD, _READ), (lay.H_GLOBAL_STORE, _WRITTEN),
                           (lay.H_GLOBAL_ATOMIC, _READ | _WRITTEN)):
            rows = np.flatnonzero(kinds == kind)
            if not rows.size:
                continue
            active = (log.head[rows, lay.L_MASK, None] >> _LANES & 1).astype(bool)
            first = log.where[rows].astype(np.int64) - lay.GLOBAL_BASE
            # An access is aligned to its width, which is at most 16 bytes: it lies in one sector.
            sectors = first[active] >> _SECTOR
            inside = sectors[(sectors >= 0) & (sectors < self.marks.size)]
            self.marks[inside] |= np.uint8(mark)

    def touched(self) -> tuple[Touched, ...]:
        """By array, in the order of their addresses."""
        out = []
        for region in self.initial.regions:
            start = (region.base - lay.GLOBAL_BASE) >> _SECTOR
            count = (region.nbytes + 31) >> _SECTOR
            marks = self.marks[start : start + count]
            out.append(Touched(region.name, int(np.count_nonzero(marks & _READ)),
                               int(np.count_nonzero(marks & _WRITTEN)), count))
        return tuple(out)
