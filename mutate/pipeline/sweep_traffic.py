"""Counters of one compiled kernel under several caches: it runs once, and its requests go through each of them.

The blocks are neighbours on one SM, and the warps of those that are resident together take turns, a request of each at
a time, and wait for each other at barriers: so they compete for L1 as they do on a GPU. The order is a guess, hits are
an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.launch.model import Launch
from mutate.machines import Machine
from mutate.pipeline.counting import cache_sizes, is_old
from mutate.sass.disasm import Listing
from mutate.sim import layout as lay
from mutate.sim.caches import Caches, CacheSizes, goes_around
from mutate.sim.counters import COPY, LOAD, STORE, Totals, kinds
from mutate.sim.image import read_image
from mutate.sim.older import OlderCounts
from mutate.sim.run import Simulation
from mutate.sim.space import Initial
from mutate.sim.watch import Log, Watcher
from mutate.sweeps import Traffic
from mutate.toolchain.nvrtc import Compiled

# What runs takes a second or so; the log of a request has 256 bytes of addresses.
_INSTRUCTIONS, _REQUESTS, _MOST_BLOCKS = 1_000_000, 100_000, 512
_MOST_REQUESTS = 300_000  # where the blocks of one wave need them
_KEPT = np.array([lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC, lay.H_LOCAL_LOAD, lay.H_LOCAL_STORE,
                  lay.E_RELEASE])


@dataclass(frozen=True)
class CacheSetting:
    """What requests go through: L1 beside ``carveout_kb`` of shared memory, ``resident`` blocks that share it, and

    whether all global loads go around it (``cg``), as on machines whose own code is not what runs here.
    """

    carveout_kb: int | None
    resident: int
    cg: bool = False


@dataclass
class _Requests:
    """A watcher that keeps what goes to global and local memory, and where warps go on from barriers, by block."""

    parts: dict[int, list[tuple[Any, Any]]] = field(default_factory=dict)
    count: int = 0
    _block: int = 0

    def start_block(self, block: int) -> None:
        self._block = block

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        del counters
        chosen = np.flatnonzero(np.isin(log.head[:records, lay.L_KIND], _KEPT))
        if chosen.size:
            self.parts.setdefault(self._block, []).append((log.head[chosen], log.where[chosen]))
            self.count += len(chosen)

    def of_block(self, block: int) -> tuple[Any, Any]:
        parts = self.parts.get(block, [])
        if not parts:
            return np.zeros((0, lay.LOG_COLUMNS), np.int64), np.zeros((0, lay.LANES), np.uint64)
        return np.concatenate([h for h, _ in parts]), np.concatenate([w for _, w in parts])


def traffic_of(compiled: Compiled, listing: Listing, launch: Launch, machine: Machine,
               settings: Sequence[CacheSetting], most: int, blocks_wanted: int | None = None) -> list[Traffic]:
    """The counters of each setting. ``most`` blocks are resident under any setting that is compared with these.

    ``blocks_wanted`` run (``None``: as many as take a second or so). Raises ``KmutateError`` where the kernel does what
    it may not.
    """
    image = read_image(compiled.cubin, compiled.entry)
    gx, gy, gz = launch.grid
    total = gx * gy * gz
    sms = int(machine.number("sm.count"))
    requests, older = _Requests(), OlderCounts() if is_old(machine) else None
    watchers: list[Watcher] = [requests, older] if older is not None else [requests]
    initial = Initial(launch, image.globals_bytes, image.pointers)
    simulation = Simulation(image, listing, launch, initial=initial, watchers=watchers)
    (pilot,) = _neighbours(launch.grid, sms, 1)
    outcome = simulation.run((pilot,))
    each = max(1, int(outcome.counts.per_instruction[:, lay.EXECUTED].sum()))
    wanted = max(1, min(_INSTRUCTIONS // each, _REQUESTS // max(1, requests.count), _MOST_BLOCKS))
    wanted = max(wanted, min(most, _MOST_REQUESTS // max(1, requests.count)))
    if wanted >= most:
        wanted -= wanted % most  # whole waves, so that no block has L1 for itself that shares it on a GPU
    blocks = _neighbours(launch.grid, sms, blocks_wanted or wanted)
    outcome = simulation.run(tuple(b for b in blocks if b != pilot))
    found = _Found(compiled, listing, outcome.counts.per_instruction, len(blocks), total / len(blocks))
    warps = (launch.threads + 31) // 32
    logs: dict[int, Log] = {}
    out = []
    for setting in settings:
        resident = min(setting.resident, len(blocks))
        if resident not in logs:
            logs[resident] = _taking_turns(requests, blocks, resident, warps)
        sizes, _ = cache_sizes(machine, compiled.registers, compiled.static_smem, compiled.barriers, launch,
                               setting.carveout_kb)
        out.append(_through(found, logs[resident], sizes, warps * resident, image.local_size, setting.cg, older))
    return out


def _neighbours(grid: Sequence[int], sms: int, count: int) -> tuple[int, ...]:
    """Blocks that one SM gets where they are handed out in turn: the one in the middle, as those at an edge do less or

    other work, and those before and after it.
    """
    gx, gy, gz = grid
    middle = gx // 2 + gx * (gy // 2 + gy * (gz // 2))
    mine = range(middle % sms, gx * gy * gz, sms)
    count = max(1, min(count, len(mine)))
    start = min(max(0, middle // sms - count // 2), len(mine) - count)
    return tuple(mine[start : start + count])


def _turns(head: npt.NDArray[np.int64], warps: int) -> npt.NDArray[np.int64]:
    """The turn of each request of a block, -1 for what is none: a warp's turns follow one another, and behind a barrier

    all that waited go on with the same one.
    """
    clock = [0] * warps
    out = np.full(len(head), -1, np.int64)
    columns = (head[:, c].tolist() for c in (lay.L_KIND, lay.L_WARP, lay.L_MASK))
    for k, (kind, warp, mask) in enumerate(zip(*columns, strict=True)):
        if kind == lay.E_RELEASE:
            together = [w for w in range(warps) if mask >> w & 1]
            latest = max((clock[w] for w in together), default=0)
            for w in together:
                clock[w] = latest
        else:
            out[k] = clock[warp]
            clock[warp] += 1
    return out


def _taking_turns(requests: _Requests, blocks: Sequence[int], resident: int, warps: int) -> Log:
    """The requests of blocks, so many at a time; warps are numbered through, so that each has its local memory."""
    heads, wheres, keys = [], [], []
    for first in range(0, len(blocks), resident):
        for slot, block in enumerate(blocks[first : first + resident]):
            head, where = requests.of_block(block)
            turns = _turns(head, warps)
            chosen = turns >= 0
            head = head[chosen]
            head[:, lay.L_WARP] += slot * warps
            keys.append(np.stack([head[:, lay.L_WARP], turns[chosen], np.full(len(head), first)]))
            heads.append(head)
            wheres.append(where[chosen])
    log = Log(False)
    order = np.lexsort(np.concatenate(keys, axis=1))
    log.head, log.where = np.concatenate(heads)[order], np.concatenate(wheres)[order]
    return log


@dataclass(frozen=True)
class _Found:
    """What ran, without caches. ``factor``: by what counts of the sample are multiplied."""

    compiled: Compiled
    listing: Listing
    rows: npt.NDArray[np.int64]
    blocks: int
    factor: float


def _through(found: _Found, log: Log, sizes: CacheSizes, warps: int, local_bytes: int, cg: bool,
             older: OlderCounts | None) -> Traffic:
    """One pass through caches of one SM."""
    caches = Caches(CacheSizes(1, sizes.l1_bytes, sizes.l2_bytes, sizes.l1_sector, sizes.write_evict, sizes.local_in_l1,
                               sizes.local_through), found.listing, 1, warps, local_bytes, cg)
    caches.start_block(0)
    rows = found.rows.copy()
    rows[:, [lay.L1_HITS, lay.L2_HITS, lay.LOCAL_L1_HITS, lay.LOCAL_L2_HITS]] = 0
    caches.watch(log, len(log.head), rows)
    totals = Totals(kinds(found.listing, False), rows)
    local = sum(int(rows[k, lay.EXECUTED]) for k, i in enumerate(found.listing) if i.name in ("LDL", "STL"))
    through = [k for k, i in enumerate(found.listing) if not goes_around(i, cg) and sizes.l1_bytes
               and totals.kinds[k].action in (LOAD, COPY)]
    hits = int(rows[through, lay.L1_HITS].sum())
    local_hits = totals.sum(lay.LOCAL_L1_HITS, LOAD)
    reads, _, writes, _ = caches.l2_sectors
    if older is not None:
        seen = _old_values(older, totals, cg or not sizes.l1_bytes, hits, local_hits)
        lookups, local_lookups = seen["l1_global_load_hit"] + seen["l1_global_load_miss"], \
            seen["l1_local_load_hit"] + seen["l1_local_load_miss"]
        # The seed's rule: a line that is missed was written back before, and is four sectors each time.
        of_local = seen["l2_queries_due_to_spills"]
        if not sizes.local_through:
            writes += 4 * seen["l1_local_load_miss"]
    else:
        lookups, local_lookups = int(rows[through, lay.SECTORS].sum()), totals.sum(lay.LOCAL_SECTORS, LOAD)
        of_local = local_lookups - local_hits + (totals.sum(lay.LOCAL_SECTORS, STORE) if sizes.local_through else 0)
    n = found.factor
    return Traffic(found.blocks, sizes.l1_sector, n * lookups, n * hits, n * local_lookups, n * local_hits, n * reads,
                   n * writes, n * of_local, n * totals.sum(lay.EXECUTED), n * local)


def _old_values(older: OlderCounts, totals: Totals, cg: bool, hits: int, local_hits: int) -> Mapping[str, int]:
    values = older.values(
        "cg" if cg else "ca", instructions=totals.sum(lay.EXECUTED), thread_instructions=totals.sum(lay.THREADS),
        branches=0, divergent_branches=0, l1_global_load_hits=hits, l1_local_load_hits=local_hits,
        l1_local_store_hits=totals.sum(lay.LOCAL_L1_HITS, STORE), dram_read_sectors=None)
    return {c.name: int(v) for c, v in values if v is not None}


def uncounted(machine: Machine | None) -> str:
    """Why nothing can be counted on a machine; nothing where it can."""
    if machine is None:
        return "no machine is known whose caches could be simulated"
    if machine.get("l2.size") is None or machine.get("sm.count") is None:
        return f"the caches of {machine.title} are not known"
    return ""

