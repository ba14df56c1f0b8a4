"""Watches a simulation for the counters that GPUs before Volta had (``fermi``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.fermi import (
    GLOBAL_LOAD,
    GLOBAL_STORE,
    LOCAL_LOAD,
    LOCAL_STORE,
    SHARED_LOAD,
    SHARED_STORE,
    SIZE,
    tally,
)
from mutate.sim.jit import jit
from mutate.sim.watch import Log

# Atomics have counters of their own on these GPUs, which are not among the seeds'.
_ACCESS = np.full(20, -1, np.int64)
for _kind, _access in ((lay.H_GLOBAL_LOAD, GLOBAL_LOAD), (lay.H_GLOBAL_STORE, GLOBAL_STORE),
                       (lay.H_LOCAL_LOAD, LOCAL_LOAD), (lay.H_LOCAL_STORE, LOCAL_STORE),
                       (lay.H_SHARED_LOAD, SHARED_LOAD), (lay.H_SHARED_STORE, SHARED_STORE)):
    _ACCESS[_kind] = _access


def _positions() -> npt.NDArray[np.int64]:
    from dataclasses import fields

    from mutate.sim.fermi import Events

    names = [f.name for f in fields(Events)]
    return np.array([names.index("local_loads"), names.index("local_stores")], np.int64)



_REQUESTS = _positions()
_KIND, _MASK, _WIDTH = lay.L_KIND, lay.L_MASK, lay.L_WIDTH


@jit
def count(head: npt.NDArray[np.int64], where: npt.NDArray[np.uint64], records: int,
          events: npt.NDArray[np.int64]) -> None:
    """Tallies the requests of the log."""
    spread = np.empty(32, np.uint64)
    for k in range(records):
        access = _ACCESS[head[k, _KIND]]
        width, mask = head[k, _WIDTH], head[k, _MASK]
        if access < 0:
            continue
        if access == LOCAL_LOAD or access == LOCAL_STORE:
            # Interleaved: a 32-bit word of all lanes is one line, so a wide access is as many requests' worth of lines.
            words = max(1, width // 4)
            for part in range(words):
                for lane in range(32):
                    word = where[k, lane] // np.uint64(4) + np.uint64(part)
                    spread[lane] = word * np.uint64(128) + np.uint64(4 * lane)
                tally(events, access, spread, mask, min(4, width))
            events[_REQUESTS[access - LOCAL_LOAD]] -= words - 1
        else:
            tally(events, access, where[k], mask, width)


class OlderCounts:
    """The vector of ``fermi.tally`` over all requests of a run."""

    def __init__(self) -> None:
        self.vector = np.zeros(SIZE, np.int64)

    def start_block(self, block: int) -> None:
        del block

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        del counters
        count(log.head, log.where, records, self.vector)
