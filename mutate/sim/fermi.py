"""The counters of the seeds, under the names that Fermi's profiler gave them, from what the simulator counts.

``Events`` is what is counted, ``tally`` counts the memory requests into a vector of them, and ``COUNTERS`` has the rule
by which every name follows. ``dlcm`` is the seeds' compiler option: ``ca``, where global loads go through L1 in lines
of 128 bytes, or ``cg``, where they go around it in segments of 32.

The profiler counted on one SM; these are sums over all blocks that were simulated. What needs time (instructions per
clock, throughput in GB/s) is not here, but the bytes of the throughputs are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from mutate.sim.coalesce import Addresses, fermi_conflict_ways, requested_bytes, unique_sectors

_F = TypeVar("_F", bound=Callable[..., Any])
CA, CG = "ca", "cg"


@dataclass(frozen=True)
class Events:
    """Sums over the warps that were simulated. ``None``: nobody looked, so counters that need it are unknown.

    Requests are memory instructions of a warp with at least one active lane. Lines have 128 bytes and segments 32, once
    each for a request; bytes are what the lanes ask for (a broadcast counts 32 times). Replays are the further issues
    of a shared request with bank conflicts. Hits are lines.
    """

    instructions: int = 0
    thread_instructions: int = 0
    branches: int = 0
    divergent_branches: int = 0
    global_loads: int = 0
    global_load_lines: int = 0
    global_load_segments: int = 0
    global_load_bytes: int = 0
    global_stores: int = 0
    global_store_lines: int = 0
    global_store_segments: int = 0
    global_store_bytes: int = 0
    local_loads: int = 0
    local_load_lines: int = 0
    local_stores: int = 0
    local_store_lines: int = 0
    shared_loads: int = 0
    shared_stores: int = 0
    shared_replays: int = 0
    shared_replays_64: int = 0
    """The part of ``shared_replays`` that 64-bit accesses have."""
    l1_global_load_hits: int | None = None
    l1_local_load_hits: int | None = None
    l1_local_store_hits: int | None = None
    dram_read_sectors: int | None = None
    dram_write_sectors: int | None = None


_INDEX = {f.name: i for i, f in enumerate(fields(Events))}
SIZE = len(_INDEX)
"""Length of the vector that ``tally`` counts into (``int64``; positions are those of the fields of ``Events``)."""

GLOBAL_LOAD, GLOBAL_STORE, LOCAL_LOAD, LOCAL_STORE, SHARED_LOAD, SHARED_STORE = range(6)
_FIRST = np.array([_INDEX[n] for n in ("global_loads", "global_stores", "local_loads", "local_stores", "shared_loads",
                                       "shared_stores")], np.int64)
_REPLAYS, _REPLAYS_64 = _INDEX["shared_replays"], _INDEX["shared_replays_64"]


def _jit(function: _F) -> _F:
    return cast(_F, njit(cache=True, nogil=True)(function))


@_jit
def tally(events: npt.NDArray[np.int64], access: int, addrs: Addresses, mask: int, width: int) -> None:
    """Count one request: ``access`` is one of ``GLOBAL_LOAD`` ... ``SHARED_STORE``, the rest as in ``coalesce``.

    A request without active lanes counts nothing.
    """
    if np.uint64(mask) & np.uint64(0xFFFFFFFF) == np.uint64(0):
        return
    first = _FIRST[access]
    events[first] += 1
    if access >= 4:
        replays = fermi_conflict_ways(addrs, mask, width) - 1
        events[_REPLAYS] += replays
        if width == 8:
            events[_REPLAYS_64] += replays
        return
    out = np.empty(64, np.uint64)
    events[first + 1] += unique_sectors(addrs, mask, width, 7, out)
    if access <= 1:
        events[first + 2] += unique_sectors(addrs, mask, width, 5, out)
        events[first + 3] += requested_bytes(mask, width)


def from_vector(vector: npt.NDArray[np.int64], **more: int | None) -> Events:
    """``Events`` of a vector; ``more`` sets what ``tally`` does not count, cache hits for example."""
    values: dict[str, Any] = {name: int(vector[i]) for name, i in _INDEX.items()}
    for f in fields(Events):
        if f.default is None:
            values[f.name] = None
    return Events(**{**values, **more})


# -- the names --------------------------------------------------------------------------------------------------------

_Rule = Callable[[Events, str], float | None]


@dataclass(frozen=True)
class Counter:
    """One of the profiler's names. ``rule`` is in words what ``of`` computes; ``seed`` is where the name is from."""

    name: str
    unit: str
    rule: str
    seed: str
    of: _Rule


def _ratio(part: float | None, whole: float | None) -> float | None:
    """In percent; unknown without both, 0 of nothing."""
    if part is None or whole is None:
        return None
    return 100 * part / whole if whole else 0.0


def _minus(a: int, b: int | None) -> int | None:
    return None if b is None else a - b


def _hit(e: Events, dlcm: str) -> int | None:
    return 0 if dlcm == CG else e.l1_global_load_hits


def _miss(e: Events, dlcm: str) -> int | None:
    return 0 if dlcm == CG else _minus(e.global_load_lines, e.l1_global_load_hits)


def _issued(e: Events, dlcm: str) -> int:
    return e.instructions + e.shared_replays


def _load_moved(e: Events, dlcm: str) -> int | None:
    if dlcm == CG:
        return 32 * e.global_load_segments
    misses = _miss(e, dlcm)
    return None if misses is None else 128 * misses


def _local_miss(e: Events, dlcm: str) -> int | None:
    return _minus(e.local_load_lines, e.l1_local_load_hits)


def _l2_reads(e: Events, dlcm: str) -> int | None:
    moved, local = _load_moved(e, dlcm), _local_miss(e, dlcm)
    return None if moved is None or local is None else moved // 32 + 4 * local


def _excess(requested: float, moved: float | None) -> float | None:
    return None if moved is None else max(0.0, 100.0 - (_ratio(requested, moved) or 0.0)) if moved else 0.0


def _spill_queries(e: Events, dlcm: str) -> int | None:
    misses = _local_miss(e, dlcm)
    return None if misses is None else 2 * 4 * misses


_ADO = "Analysis-Driven Optimization"
_LOCAL = "Local Memory and Register Spilling"
_GPA = "GPU Performance Analysis"
_PV197 = "Optimalizace (Filipovič)"

COUNTERS: tuple[Counter, ...] = (
    Counter("instructions_executed", "warp instructions", "instructions without replays", _ADO,
            lambda e, d: e.instructions),
    Counter("instructions_issued", "warp instructions",
            "instructions_executed + the replays of shared requests with bank conflicts; in the seed's case study this "
            "is 0.4 % less than was counted, as the cache misses of instructions also replay", _ADO, _issued),
    Counter("inst_issued", "warp instructions", "instructions_issued", _ADO, _issued),
    Counter("threads_instructions_executed", "thread instructions", "active lanes over all instructions", _GPA,
            lambda e, d: e.thread_instructions),
    Counter("branch", "warp instructions", "branches executed", _ADO, lambda e, d: e.branches),
    Counter("divergent_branch", "warp instructions", "branches after which lanes of one warp go different ways", _ADO,
            lambda e, d: e.divergent_branches),
    Counter("gld_request", "requests", "global load instructions with an active lane", _ADO,
            lambda e, d: e.global_loads),
    Counter("gst_request", "requests", "global store instructions with an active lane", _ADO,
            lambda e, d: e.global_stores),
    Counter("l1_global_load_hit", "lines of 128 bytes", "lines of global loads that are in L1; 0 with cg", _ADO, _hit),
    Counter("l1_global_load_miss", "lines of 128 bytes", "lines of global loads that are not in L1; 0 with cg", _ADO,
            _miss),
    Counter("uncached_global_load_transaction", "groups of 1 to 4 segments",
            "with cg, lines that global loads touch, each a group of up to four segments of 32 bytes (inferred: that a "
            "group is the segments of a line); 0 with ca", _ADO, lambda e, d: e.global_load_lines if d == CG else 0),
    Counter("global_store_transaction", "lines of 128 bytes", "lines that global stores touch", _ADO,
            lambda e, d: e.global_store_lines),
    Counter("local_load", "requests", "local load instructions with an active lane", _ADO,
            lambda e, d: e.local_loads),
    Counter("local_store", "requests", "local store instructions with an active lane", _ADO,
            lambda e, d: e.local_stores),
    Counter("l1_local_load_hit", "lines of 128 bytes", "lines of local loads that are in L1", _LOCAL,
            lambda e, d: e.l1_local_load_hits),
    Counter("l1_local_load_miss", "lines of 128 bytes", "lines of local loads that are not in L1", _LOCAL, _local_miss),
    Counter("l1_local_store_hit", "lines of 128 bytes", "lines of local stores that are in L1", _LOCAL,
            lambda e, d: e.l1_local_store_hits),
    Counter("l1_local_store_miss", "lines of 128 bytes", "lines of local stores that are not in L1", _LOCAL,
            lambda e, d: _minus(e.local_store_lines, e.l1_local_store_hits)),
    Counter("shared_load", "requests", "shared load instructions with an active lane", _ADO,
            lambda e, d: e.shared_loads),
    Counter("shared_store", "requests", "shared store instructions with an active lane", _ADO,
            lambda e, d: e.shared_stores),
    Counter("l1_shared_bank_conflict", "replays", "replays of shared requests; those of 64-bit accesses count twice, "
            "as the seed says", _ADO, lambda e, d: e.shared_replays + e.shared_replays_64),
    Counter("l2_read_sector_queries", "sectors of 32 bytes", "what misses L1 or goes around it: 4 for a line, 1 for a "
            "segment", _LOCAL, _l2_reads),
    Counter("dram_reads", "sectors of 32 bytes", "sectors read from DRAM", _GPA, lambda e, d: e.dram_read_sectors),
    Counter("dram_writes", "sectors of 32 bytes", "sectors written to DRAM", _GPA, lambda e, d: e.dram_write_sectors),
    Counter("gld_requested_bytes", "bytes", "bytes that the lanes of global loads ask for: the application's view",
            _ADO, lambda e, d: e.global_load_bytes),
    Counter("gld_bytes", "bytes", "128 × l1_global_load_miss, or 32 × segments with cg: the hardware's view", _ADO,
            _load_moved),
    Counter("gst_requested_bytes", "bytes", "bytes that the lanes of global stores write", _ADO,
            lambda e, d: e.global_store_bytes),
    Counter("gst_bytes", "bytes", "32 × segments that global stores touch", _ADO,
            lambda e, d: 32 * e.global_store_segments),
    Counter("global_memory_excess_load", "%", "100 − gld_requested_bytes / gld_bytes, at least 0", _PV197,
            lambda e, d: _excess(e.global_load_bytes, _load_moved(e, d))),
    Counter("global_memory_excess_store", "%", "100 − gst_requested_bytes / gst_bytes, at least 0", _PV197,
            lambda e, d: _excess(e.global_store_bytes, 32 * e.global_store_segments)),
    Counter("l1_global_load_hit_ratio", "%", "l1_global_load_hit of hits and misses", _PV197,
            lambda e, d: _ratio(_hit(e, d), e.global_load_lines)),
    Counter("l1_local_load_hit_ratio", "%", "l1_local_load_hit of hits and misses", _LOCAL,
            lambda e, d: _ratio(e.l1_local_load_hits, e.local_load_lines)),
    Counter("l2_queries_due_to_spills", "sectors of 32 bytes", "2 × 4 × l1_local_load_miss: each miss implies a store "
            "before it", _LOCAL, _spill_queries),
    Counter("replayed_instructions", "%", "(instructions_issued − instructions_executed) / instructions_issued", _PV197,
            lambda e, d: _ratio(e.shared_replays, _issued(e, d))),
    Counter("divergent_branches", "%", "divergent_branch / branch", _PV197,
            lambda e, d: _ratio(e.divergent_branches, e.branches)),
    Counter("control_flow_divergence", "%", "lanes that did not take part: 1 − threads_instructions_executed / (32 × "
            "instructions_executed)", _PV197,
            lambda e, d: _ratio(32 * e.instructions - e.thread_instructions, 32 * e.instructions)),
    Counter("shared_bank_conflict_replay", "%", "replays of shared requests / instructions_issued", _PV197,
            lambda e, d: _ratio(e.shared_replays, _issued(e, d))),
    Counter("shared_bank_conflict_per_shared_instruction", "%",
            "l1_shared_bank_conflict / (shared_load + shared_store)", _PV197,
            lambda e, d: _ratio(e.shared_replays + e.shared_replays_64, e.shared_loads + e.shared_stores)),
)


def counters(events: Events, dlcm: str = CA) -> Mapping[str, float | None]:
    """All counters by name; ``None`` where an event that is needed was not looked at.

    ``dlcm`` is ``"ca"`` or ``"cg"``; anything else raises ``ValueError``.
    """
    if dlcm not in (CA, CG):
        raise ValueError(f"dlcm is ca or cg, not {dlcm!r}")
    return MappingProxyType({c.name: c.of(events, dlcm) for c in COUNTERS})
