"""Watches a simulation for the counters that GPUs before Volta had (``fermi``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.coalesce import tesla_segments, tesla_shared_steps
from mutate.sim.fermi import (
    COUNTERS,
    GLOBAL_LOAD,
    GLOBAL_STORE,
    LOCAL_LOAD,
    LOCAL_STORE,
    SHARED_LOAD,
    SHARED_STORE,
    SIZE,
    Counter,
    Events,
    from_vector,
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


@jit
def count_segments(head: npt.NDArray[np.int64], where: npt.NDArray[np.uint64], records: int,
                   found: npt.NDArray[np.int64]) -> None:
    """Transactions of 32, 64 and 128 bytes by compute capability 1.3's rules, of loads and of stores, and the steps of

    shared requests above one for each half-warp.
    """
    starts, sizes = np.empty(64, np.uint64), np.empty(64, np.uint64)
    for k in range(records):
        access = _ACCESS[head[k, _KIND]]
        width, mask = head[k, _WIDTH], head[k, _MASK]
        if access in (GLOBAL_LOAD, GLOBAL_STORE):
            n = tesla_segments(where[k], mask, width, starts, sizes)
            for i in range(n):
                found[(0 if access == GLOBAL_LOAD else 3) + (0 if sizes[i] == 32 else 1 if sizes[i] == 64 else 2)] += 1
        elif access in (SHARED_LOAD, SHARED_STORE):
            halves = (mask & 0xFFFF != 0) + (mask >> 16 & 0xFFFF != 0)
            found[6] += max(0, tesla_shared_steps(where[k], mask, width) - halves)


@dataclass(frozen=True)
class TeslaEvents(Events):
    """With the transactions of compute capability 1.2 and 1.3."""

    load_32: int = 0
    load_64: int = 0
    load_128: int = 0
    store_32: int = 0
    store_64: int = 0
    store_128: int = 0
    serialized: int = 0

    @property
    def load_bytes(self) -> int:
        return 32 * self.load_32 + 64 * self.load_64 + 128 * self.load_128

    @property
    def store_bytes(self) -> int:
        return 32 * self.store_32 + 64 * self.store_64 + 128 * self.store_128


def _of(value: Callable[[TeslaEvents], float | None]) -> Callable[[Events, str], float | None]:
    return lambda e, dlcm: value(e) if isinstance(e, TeslaEvents) else None


_COMMON = ("instructions_executed", "threads_instructions_executed", "branch", "divergent_branch", "gld_request",
           "gst_request", "local_load", "local_store", "shared_load", "shared_store", "gld_requested_bytes",
           "gst_requested_bytes", "divergent_branches", "control_flow_divergence")
PROFILER = "the profiler's names for 1.x"
TESLA: tuple[Counter, ...] = (
    *(c for c in COUNTERS if c.name in _COMMON),
    *(Counter(f"{short}_{size}b", "transactions", f"transactions of {size} bytes of global {long}s, each half-warp by "
              "itself", PROFILER, _of(lambda e, name=f"{long}_{size}": getattr(e, name)))  # type: ignore[misc]
      for short, long in (("gld", "load"), ("gst", "store")) for size in (32, 64, 128)),
    Counter("gld_bytes", "bytes", "of these transactions", PROFILER, _of(lambda e: e.load_bytes)),
    Counter("gst_bytes", "bytes", "of these transactions", PROFILER, _of(lambda e: e.store_bytes)),
    Counter("global_memory_excess_load", "%", "100 − gld_requested_bytes / gld_bytes", PROFILER,
            _of(lambda e: max(0.0, 100 - 100 * e.global_load_bytes / e.load_bytes) if e.load_bytes else 0.0)),
    Counter("global_memory_excess_store", "%", "100 − gst_requested_bytes / gst_bytes", PROFILER,
            _of(lambda e: max(0.0, 100 - 100 * e.global_store_bytes / e.store_bytes) if e.store_bytes else 0.0)),
    Counter("warp_serialize", "steps", "steps of shared requests above one for each half-warp", PROFILER,
            _of(lambda e: e.serialized)),
)


class OlderCounts:
    """The requests of a run as Fermi counts them (``tesla``: as compute capability 1.3 does)."""

    def __init__(self, tesla: bool = False) -> None:
        self.tesla = tesla
        self.vector = np.zeros(SIZE, np.int64)
        self.segments = np.zeros(7, np.int64)

    def start_block(self, block: int) -> None:
        del block

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        del counters
        count(log.head, log.where, records, self.vector)
        if self.tesla:
            count_segments(log.head, log.where, records, self.segments)

    def values(self, dlcm: str, **more: int | None) -> tuple[tuple[Counter, float | None], ...]:
        """All counters in the order of their table; ``more`` as for ``fermi.from_vector``."""
        events = from_vector(self.vector, **more)
        if not self.tesla:
            return tuple((c, c.of(events, dlcm)) for c in COUNTERS)
        known = {f.name: getattr(events, f.name) for f in fields(Events)}
        tesla = TeslaEvents(**known, **dict(zip(_SEGMENTS, self.segments.tolist(), strict=True)))
        return tuple((c, c.of(tesla, dlcm)) for c in TESLA)


_SEGMENTS = ("load_32", "load_64", "load_128", "store_32", "store_64", "store_128", "serialized")
