"""A model of L1 and L2 that says which sectors of a request are hits; deterministic, without time.

* Lines of 128 bytes with sectors of 32 (Fermi's L1: one of 128); fully associative, the least recently used line goes.
* Each SM has an L1 of the size that the carve-out of shared memory leaves, and sees its blocks one after another: block
  ``n`` runs on SM ``n`` modulo the number of SMs. Blocks that are resident together do not mix their accesses, so reuse
  within a block is flattered and sharing between resident blocks is not seen in L1.
* Global loads allocate in L1, but for those that go around it: ``.STRONG`` (volatile, ``__ldcg``), ``LDGSTS.BYPASS``,
  all with ``cg``. Global stores write through and allocate, as an H200's counters show (write-evict, Fermi: a line
  that is there goes, nothing is allocated). Atomics and reductions are done in L2.
* Local stores allocate in L1 and write through, as an H200's counters show, or are written back; lines that are thrown
  out are no traffic of L2 here.
* All that goes on from L1 allocates in L2, which the SMs share. Of a sample of blocks L2 sees only their accesses, so
  what other blocks would have brought is missing: hits are then a lower bound, and DRAM reads an upper one.
* Texture fetches and surface accesses do not pass through them: in which order texels lie in memory is not public.
* Nothing is in the caches when a launch begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.coalesce import unique_sectors
from mutate.sim.jit import Number, jit
from mutate.sim.watch import Log

_GLOBAL_LOAD, _GLOBAL_STORE, _GLOBAL_ATOMIC = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC
_LOCAL_LOAD, _LOCAL_STORE = lay.H_LOCAL_LOAD, lay.H_LOCAL_STORE
_PC, _WARP, _KIND, _MASK, _WIDTH = lay.L_PC, lay.L_WARP, lay.L_KIND, lay.L_MASK, lay.L_WIDTH
_L1, _L2, _LOCAL_L1, _LOCAL_L2 = lay.L1_HITS, lay.L2_HITS, lay.LOCAL_L1_HITS, lay.LOCAL_L2_HITS
_LINE, _SECTOR = 7, 5
# Local memory lies here, far from all arrays.
_LOCAL_BASE = 1 << 52
# Settings of ``feed``.
_SHIFT, _EVICT, _LOCAL_IN_L1, _LOCAL_THROUGH, _SM, _WARPS, _WORDS = range(7)
_HEAD, _TAIL, _USED = range(3)


class Level(NamedTuple):
    """Caches of one level, the first index their number: lines in a list from the most to the least recently used one,

    found through chains of a hash table. ``valid`` has a bit for each 32-byte sector.
    """

    tags: npt.NDArray[np.int64]
    valid: npt.NDArray[np.uint8]
    newer: npt.NDArray[np.int32]
    older: npt.NDArray[np.int32]
    chain: npt.NDArray[np.int32]
    buckets: npt.NDArray[np.int32]
    meta: npt.NDArray[np.int64]


def make_level(caches: int, lines: int) -> Level:
    """Empty caches of as many lines; none when ``lines`` is 0."""
    room = 1 << max(1, lines - 1).bit_length()
    meta = np.zeros((caches, 3), np.int64)
    meta[:, :2] = -1
    return Level(np.zeros((caches, lines), np.int64), np.zeros((caches, lines), np.uint8),
                 np.zeros((caches, lines), np.int32), np.zeros((caches, lines), np.int32),
                 np.zeros((caches, lines), np.int32),
                 np.full((caches, room), -1, np.int32), meta)


@jit
def _bucket(level: Level, line: Number) -> int:
    mixed = np.uint64(line) * np.uint64(0x9E3779B97F4A7C15)
    return int((mixed >> np.uint64(32)) & np.uint64(level.buckets.shape[1] - 1))


@jit
def _find(level: Level, cache: Number, line: Number) -> int:
    slot = level.buckets[cache, _bucket(level, line)]
    while slot >= 0 and level.tags[cache, slot] != line:
        slot = level.chain[cache, slot]
    return int(slot)


@jit
def _unlink(level: Level, cache: Number, slot: Number) -> None:
    newer, older = level.newer[cache, slot], level.older[cache, slot]
    if newer >= 0:
        level.older[cache, newer] = older
    else:
        level.meta[cache, _HEAD] = older
    if older >= 0:
        level.newer[cache, older] = newer
    else:
        level.meta[cache, _TAIL] = newer


@jit
def _to_front(level: Level, cache: Number, slot: Number) -> None:
    first = level.meta[cache, _HEAD]
    level.newer[cache, slot], level.older[cache, slot] = -1, first
    if first >= 0:
        level.newer[cache, first] = slot
    else:
        level.meta[cache, _TAIL] = slot
    level.meta[cache, _HEAD] = slot


@jit
def _take(level: Level, cache: Number) -> int:
    """A slot for a new line: an unused one, or that of the least recently used line."""
    used = level.meta[cache, _USED]
    if used < level.tags.shape[1]:
        level.meta[cache, _USED] = used + 1
        return int(used)
    slot = level.meta[cache, _TAIL]
    _unlink(level, cache, slot)
    bucket = _bucket(level, level.tags[cache, slot])
    at = level.buckets[cache, bucket]
    if at == slot:
        level.buckets[cache, bucket] = level.chain[cache, slot]
    else:
        while level.chain[cache, at] != slot:
            at = level.chain[cache, at]
        level.chain[cache, at] = level.chain[cache, slot]
    return int(slot)


@jit
def touch(level: Level, cache: Number, line: Number, bits: Number, allocate: bool) -> bool:
    """Looks for sectors of a line (all of ``bits``), and puts them there if they are to be; whether it was a hit."""
    if level.tags.shape[1] == 0:
        return False
    slot = _find(level, cache, line)
    if slot >= 0:
        hit = level.valid[cache, slot] & bits == bits
        if hit or allocate:
            if level.meta[cache, _HEAD] != slot:
                _unlink(level, cache, slot)
                _to_front(level, cache, slot)
            level.valid[cache, slot] |= bits
        return bool(hit)
    if allocate:
        slot = _take(level, cache)
        level.tags[cache, slot], level.valid[cache, slot] = line, bits
        bucket = _bucket(level, line)
        level.chain[cache, slot] = level.buckets[cache, bucket]
        level.buckets[cache, bucket] = slot
        _to_front(level, cache, slot)
    return False


@jit
def drop(level: Level, cache: Number, line: Number) -> None:
    """Makes a line invalid."""
    if level.tags.shape[1] > 0:
        slot = _find(level, cache, line)
        if slot >= 0:
            level.valid[cache, slot] = 0


@jit
def _next_level(l2: Level, address: Number, shift: Number) -> int:
    """Hits in L2 of the 32-byte sectors of an L1 sector; all of them are there afterwards."""
    hits = 0
    for part in range(1 << (shift - _SECTOR)):
        sector = (address >> _SECTOR) + part
        if touch(l2, 0, sector >> 2, 1 << (sector & 3), True):
            hits += 1
    return hits


@jit
def feed(head: npt.NDArray[np.int64], where: npt.NDArray[np.uint64], records: int, around: npt.NDArray[np.bool_],
         l1: Level, l2: Level, cache: int, settings: npt.NDArray[np.int64], counters: npt.NDArray[np.int64],
         moved: npt.NDArray[np.int64]) -> None:
    """Lets requests through the caches. ``around``: the instructions whose loads do not look into L1. ``moved`` counts

    the sectors read and written in L2 and those of them that hit: (reads, read hits, writes, write hits).
    """
    found = np.empty(64, np.uint64)
    spread = np.empty(32, np.uint64)
    shift = settings[_SHIFT]
    for k in range(records):
        kind, pc, mask, width = head[k, _KIND], head[k, _PC], head[k, _MASK], head[k, _WIDTH]
        if kind == _GLOBAL_LOAD:
            through = around[pc] or l1.tags.shape[1] == 0
            unit = _SECTOR if through else shift
            n = unique_sectors(where[k], mask, width, unit, found)
            for i in range(n):
                address = np.int64(found[i]) << unit
                bits = 1 << ((address >> _SECTOR) & 3) if unit == _SECTOR else 15
                if not through and touch(l1, cache, address >> _LINE, bits, True):
                    counters[pc, _L1] += 1
                else:
                    hits = _next_level(l2, address, unit)
                    counters[pc, _L2] += hits
                    moved[0] += 1 << (unit - _SECTOR)
                    moved[1] += hits
        elif kind == _GLOBAL_STORE or kind == _GLOBAL_ATOMIC:
            n = unique_sectors(where[k], mask, width, _SECTOR, found)
            for i in range(n):
                address = np.int64(found[i]) << _SECTOR
                line = address >> _LINE
                if settings[_EVICT]:
                    drop(l1, cache, line)
                elif kind == _GLOBAL_STORE and touch(l1, cache, line, 1 << ((address >> _SECTOR) & 3), True):
                    counters[pc, _L1] += 1
                hits = _next_level(l2, address, _SECTOR)
                counters[pc, _L2] += hits
                moved[2] += 1
                moved[3] += hits
        elif kind == _LOCAL_LOAD or kind == _LOCAL_STORE:
            stack = (settings[_SM] * settings[_WARPS] + head[k, _WARP]) * settings[_WORDS]
            for part in range(max(1, width // 4)):
                for lane in range(32):
                    word = stack + np.int64(where[k, lane]) // 4 + part
                    spread[lane] = np.uint64(_LOCAL_BASE + word * 128 + 4 * lane)
                n = unique_sectors(spread, mask, min(4, width), shift, found)
                for i in range(n):
                    address = np.int64(found[i]) << shift
                    bits = 1 << ((address >> _SECTOR) & 3) if shift == _SECTOR else 15
                    hit = settings[_LOCAL_IN_L1] and touch(l1, cache, address >> _LINE, bits, True)
                    if hit:
                        counters[pc, _LOCAL_L1] += 1
                    if (kind == _LOCAL_LOAD and not hit) or (kind == _LOCAL_STORE and settings[_LOCAL_THROUGH]):
                        hits = _next_level(l2, address, shift)
                        counters[pc, _LOCAL_L2] += hits
                        at = 0 if kind == _LOCAL_LOAD else 2
                        moved[at] += 1 << (shift - _SECTOR)
                        moved[at + 1] += hits


@dataclass(frozen=True)
class CacheSizes:
    """What the model needs of a machine. Bytes; an L1 or L2 of 0 bytes is none. ``l1_sector`` is 32, or 128 (Fermi)."""

    sms: int
    l1_bytes: int
    l2_bytes: int
    l1_sector: int = 32
    write_evict: bool = False
    local_in_l1: bool = True
    local_through: bool = True


def goes_around(instruction: Instruction, cg: bool) -> bool:
    """Whether a load does not look into L1. One that is coherent among an SM's threads alone does (off_ldg of

    tests/machines/patterns.cu).
    """
    modifiers = instruction.opcode.split(".")[1:]
    strong = "STRONG" in modifiers and "SM" not in modifiers
    return cg or strong or "BYPASS" in modifiers or "MMIO" in modifiers


class Caches:
    """Watches a simulation and adds the hits to the counters of its instructions.

    ``local_bytes`` of a thread and ``warps`` of a block say where local memory lies. With sectors of 128 bytes the hits
    of L1 are lines.
    """

    def __init__(self, sizes: CacheSizes, listing: Sequence[Instruction], blocks: int, warps: int, local_bytes: int,
                 cg: bool = False) -> None:
        self.sizes = sizes
        count = max(1, min(sizes.sms, blocks))
        self.l1 = make_level(count, sizes.l1_bytes >> _LINE)
        self.l2 = make_level(1, sizes.l2_bytes >> _LINE)
        self.around = np.array([goes_around(i, cg) for i in listing], np.bool_)
        self.settings = np.array([sizes.l1_sector.bit_length() - 1, sizes.write_evict,
                                  sizes.local_in_l1 and sizes.l1_bytes > 0, sizes.local_through, 0, warps,
                                  (local_bytes + 3) // 4], np.int64)
        self.moved = np.zeros(4, np.int64)
        self._sms: dict[int, int] = {}
        self._cache = 0

    def start_block(self, block: int) -> None:
        sm = block % self.sizes.sms
        self._cache = self._sms.setdefault(sm, len(self._sms))
        self.settings[_SM] = sm

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        feed(log.head, log.where, records, self.around, self.l1, self.l2, self._cache, self.settings, counters,
             self.moved)

    @property
    def l2_sectors(self) -> tuple[int, int, int, int]:
        """Sectors read in L2, those of them that hit, sectors written, those that hit."""
        a, b, c, d = (int(v) for v in self.moved)
        return a, b, c, d
