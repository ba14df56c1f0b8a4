"""The instruction streams of a few blocks, with the sectors of their requests: what the engine plays.

The blocks are those of one SM: a GPU hands blocks out in turn, so an SM has every ``sms``-th one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.launch.model import Launch
from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.image import Image
from mutate.sim.places import Places
from mutate.sim.run import DEFAULT_BUDGET, Simulation
from mutate.sim.space import Initial
from mutate.sim.stream import Recorder
from mutate.sim.timing.gather import LOCAL_BASE, R_COLUMNS, TESLA, VOLTA, first_touches, gather, match
from mutate.sim.watch import Log

Array = npt.NDArray[Any]
_SECTOR = 5
_SPREAD = 2654435761


class Streams(NamedTuple):
    """The records of the sampled blocks by warp. ``pc``, ``request`` (-1: none), ``cost`` and ``on`` (lanes) of each

    record; ``starts`` (blocks, warps + 1) where a warp's records begin. ``requests`` (n, R_COLUMNS), ``sectors`` their
    sectors (address / 32), ``touch`` of each: bit 0 the block's first read of it, bit 1 its first write.
    """

    pc: Array
    request: Array
    cost: Array
    on: Array
    starts: Array
    requests: Array
    sectors: Array
    touch: Array
    region: Array


@dataclass
class Requests:
    """A watcher that keeps the requests to global and local memory with their sectors, block by block.

    ``rules``: how requests become traffic, of those in ``gather``.
    """

    rules: int = VOLTA
    parts: dict[int, list[tuple[Array, Array]]] = field(default_factory=dict)
    _block: int = 0

    def start_block(self, block: int) -> None:
        self._block = block

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        del counters
        if not records:
            return
        requests = np.zeros((records, R_COLUMNS), np.int64)
        sectors = np.zeros(records * (64 if self.rules == VOLTA else 128), np.int64)
        n, used = gather(log.head, log.where, records, requests, sectors, self.rules)
        if n:
            self.parts.setdefault(self._block, []).append((requests[:n].copy(), sectors[:used].copy()))

    def of_block(self, block: int) -> tuple[Array, Array]:
        out, bodies, at = [], [], 0
        for requests, sectors in self.parts.get(block, ()):
            moved = requests.copy()
            moved[:, 4] += at
            out.append(moved)
            bodies.append(sectors)
            at += len(sectors)
        if not out:
            return np.zeros((0, R_COLUMNS), np.int64), np.zeros(0, np.int64)
        return np.concatenate(out), np.concatenate(bodies)


@dataclass(frozen=True)
class Sample:
    """Streams of the blocks that ran, and what the whole grid is."""

    streams: Streams
    blocks: tuple[int, ...]
    grid_blocks: int
    instructions: int
    initial: Initial


def blocks_of_sm(total: int, sms: int, count: int) -> tuple[int, ...]:
    """At most ``count`` of the blocks that one SM gets, from the middle of its turn; all if they are few.

    A GPU hands out blocks to SMs in turn, but in no order that it keeps: on an H200 an SM's k-th block is one around the
    132 k-th at first, and any of those when blocks end at different times (tests/machines/reference/h200_caches.csv).
    """
    if total < sms:
        mine = [total // 2]
    else:
        mine = [k * sms + (k * _SPREAD >> 7) % min(sms, total - k * sms) for k in range(-(-total // sms))]
    count = max(1, min(count, len(mine)))
    start = (len(mine) - count) // 2
    return tuple(mine[start : start + count])


def record(image: Image, listing: Sequence[Instruction], launch: Launch, sms: int, wanted: int, records: int,
           initial: Initial | None = None, places: Places | None = None, budget: int = DEFAULT_BUDGET,
           rules: int = VOLTA) -> Sample:
    """Runs up to ``wanted`` blocks of one SM, at least one, no more than about ``records`` instructions of warps.

    Raises ``KmutateError`` where the kernel does what it may not.
    """
    gx, gy, gz = launch.grid
    total = gx * gy * gz
    initial = initial or Initial(launch, image.globals_bytes, image.pointers)
    recorder, requests = Recorder(), Requests(rules)
    simulation = Simulation(image, listing, launch, initial=initial, watchers=(requests,), recorder=recorder,
                            places=places, budget=budget)
    (pilot,) = blocks_of_sm(total, sms, 1)
    simulation.run((pilot,))
    each = max(1, len(recorder.of_block(pilot)))
    blocks = blocks_of_sm(total, sms, max(1, min(wanted, records // each)))
    if pilot not in blocks:
        blocks = tuple(sorted((*blocks[1:], pilot)))
    simulation.run(tuple(b for b in blocks if b != pilot))
    streams = _assemble(recorder, requests, blocks, simulation.warps, initial)
    return Sample(streams, blocks, total, len(streams.pc), initial)


def _assemble(recorder: Recorder, requests: Requests, blocks: Sequence[int], warps: int, initial: Initial) -> Streams:
    columns: list[list[Array]] = [[] for _ in range(4)]
    starts = np.zeros((len(blocks), warps + 1), np.int64)
    all_requests, all_sectors, touches = [], [], []
    at = sectors_at = requests_at = 0
    for row, block in zip(starts, blocks, strict=True):
        records = recorder.of_block(block)
        mine, sectors = requests.of_block(block)
        which = match(records, mine)
        order = np.argsort(records[:, 0], kind="stable")
        row[:] = at + np.searchsorted(records[order, 0], np.arange(warps + 1))
        if requests.rules != VOLTA:
            records[:, 3] = _shared_steps(records[:, 3], which, mine)
        which = np.where(which >= 0, which + requests_at, -1)
        lanes = np.bitwise_count(records[:, 2].astype(np.uint64)).astype(np.int64)
        for out, values in zip(columns, (records[:, 1], which, records[:, 3], lanes), strict=True):
            out.append(values[order].astype(np.int32))
        touches.append(first_touches(mine, sectors) if requests.rules != TESLA else _no_cache(mine))
        mine[:, 4] += sectors_at
        all_requests.append(mine)
        all_sectors.append(sectors)
        at += len(records)
        sectors_at += len(sectors)
        requests_at += len(mine)
    sectors = np.concatenate(all_sectors)
    bases = np.array([r.base >> _SECTOR for r in initial.regions] or [0], np.int64)
    region = np.searchsorted(bases, sectors, side="right") - 1
    region = np.where(sectors >= LOCAL_BASE >> _SECTOR, len(bases), np.maximum(region, 0)).astype(np.int32)
    pc, request, cost, on = (np.concatenate(c) for c in columns)
    return Streams(pc, request, cost, on, starts, np.concatenate(all_requests), sectors,
                   np.concatenate(touches), region)


def _shared_steps(cost: Array, which: Array, requests: Array) -> Array:
    """The cost of records, for shared accesses by the rules of the requests that belong to them."""
    kinds = requests[which, 2] if len(requests) else np.full(len(which), -1)
    shared = (which >= 0) & ((kinds == lay.H_SHARED_LOAD) | (kinds == lay.H_SHARED_STORE))
    return np.where(shared, requests[which, 6], cost) if shared.any() else cost


def _no_cache(requests: Array) -> Array:
    """``touch`` where no cache is: every read and write is a first one."""
    reads = (requests[:, 2] == lay.H_GLOBAL_LOAD) | (requests[:, 2] == lay.H_LOCAL_LOAD)
    return np.repeat(np.where(reads, 1, 2).astype(np.uint8), requests[:, 5])


@dataclass(frozen=True)
class Reuse:
    """Of each array (and local memory, the last): how likely the first read and the first write of a sector by a block

    go to DRAM, whether sampled blocks have it in common, whether one of them alone comes back to sectors of it, and the
    part of it that the grid does not read.
    """

    read: Array
    written: Array
    common: Array
    again: Array
    sparse: Array


def no_reuse(sample: Sample) -> Reuse:
    """Where no cache is, each access goes to DRAM."""
    arrays = len(sample.initial.regions) + 1
    none = np.zeros(arrays, np.bool_)
    return Reuse(np.ones(arrays), np.ones(arrays), none, none, np.zeros(arrays))


def reuse_of(sample: Sample, resident_blocks: int, l2_bytes: float) -> Reuse:
    """A sector that several blocks touch comes from DRAM once, if L2 still has it.

    Of each array the grid touches no more sectors than the array has, nor than the sampled blocks touched together and
    each further block adds what a sampled one has for itself alone. A sector stays in L2 where all that is touched before
    some block touches it again fits there; else only the blocks that are resident at a time share it.
    """
    s, blocks = sample.streams, len(sample.blocks)
    arrays = len(sample.initial.regions) + 1
    limits = np.array([*((r.nbytes + 31) >> _SECTOR for r in sample.initial.regions), 1 << 60], np.float64)[:arrays]
    kinds = np.repeat(s.requests[:, 2], s.requests[:, 5])
    block_of = np.repeat(_block_of_request(sample), s.requests[:, 5])
    writes = (kinds == lay.H_GLOBAL_STORE) | (kinds == lay.H_LOCAL_STORE) | (kinds == lay.H_GLOBAL_ATOMIC)
    found: list[list[tuple[float, float, float]]] = []
    for mask in (~writes, writes):
        rows = []
        for a in range(arrays):
            here = mask & (s.region == a)
            pairs = np.unique(s.sectors[here] * blocks + block_of[here]) // blocks
            _, times = np.unique(pairs, return_counts=True)
            rows.append((len(pairs) / blocks, float(len(times)), float((times == 1).sum()) / blocks))
        found.append(rows)
    grid, wave = sample.grid_blocks, min(sample.grid_blocks, resident_blocks)

    def unique(each: float, together: float, alone: float, limit: float, count: int) -> float:
        return min(limit, count * each, together + max(0, count - blocks) * alone)

    def touched(count: int) -> float:
        """Bytes that so many blocks touch, of all arrays."""
        return 32 * sum(unique(*row, limit, count) for rows in found for row, limit in zip(rows, limits, strict=True))

    out = []
    for rows in found:
        chances = np.ones(arrays)
        for a, (row, limit) in enumerate(zip(rows, limits, strict=True)):
            if row[0]:
                # On average a sector of the array is touched by one of so many blocks.
                between = min(grid, math.ceil(unique(*row, limit, grid) / row[0]))
                at_once = grid if touched(max(wave, between)) <= l2_bytes else wave
                chances[a] = min(1.0, unique(*row, limit, at_once) / (at_once * row[0]))
        out.append(chances)
    common = np.array([r[2] < 0.5 * r[0] or limit < 0.5 * grid * r[0]
                       for r, limit in zip(found[0], limits, strict=True)])
    common[-1] = False
    sparse = np.array([1.0 - unique(*r, limit, grid) / limit for r, limit in zip(found[0], limits, strict=True)])
    back = np.zeros(arrays, np.bool_)
    back[np.unique(s.region[(s.touch == 0) & (kinds != lay.H_GLOBAL_ATOMIC)])] = True
    return Reuse(out[0], out[1], common, back & ~common, sparse)


def _block_of_request(sample: Sample) -> Array:
    s = sample.streams
    out = np.zeros(len(s.requests), np.int64)
    for k in range(len(sample.blocks)):
        ids = s.request[s.starts[k, 0] : s.starts[k, -1]]
        out[ids[ids >= 0]] = k
    return out
