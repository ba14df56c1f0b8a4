"""Finds races on shared memory and reads of shared bytes that nobody wrote, while a block runs.

Two accesses of a byte by two threads, one of them a write and not both atomic, are a race unless something orders them:

* a barrier of the block that both warps passed, or that one arrived at (``bar.arrive``) and the other waited for;
* within a warp, an instruction that both threads executed together after the first access, or a ``WARPSYNC``: lanes
  that diverged are ordered again once they have met.

The machine code is what is looked at. Lanes that the compiler keeps together are ordered by the hardware, so the old
warp-synchronous style is no race here where the compiled program runs it in lockstep. Two writes are no race when the
second leaves the bytes as they were; so lanes that write one value with one instruction are fine. Fences and flags in
memory order nothing. An asynchronous copy counts as a write at its place in the program. An atomic operation that the
hardware does not have is a loop: a plain load, arithmetic, a compare-and-swap. Where it is the compiler's own, known by
its instruction (``ATOMS.CAST.SPIN``), the load counts as atomic.

Of each byte the last write and the last reads of two warps are remembered, so with barriers of a part of the block some
races can be missed; the first of each pair of instructions is kept, with a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sass.classes import width_of
from mutate.sass.disasm import Instruction
from mutate.sass.operands import written
from mutate.sim import layout as lay
from mutate.sim.jit import Number, jit
from mutate.sim.watch import Log

_LOAD, _STORE, _ATOMIC = lay.H_SHARED_LOAD, lay.H_SHARED_STORE, lay.H_SHARED_ATOMIC
_ORDER, _ARRIVE, _RELEASE, _EXIT = lay.E_ORDER, lay.E_ARRIVE, lay.E_RELEASE, lay.E_EXIT
_PC, _WARP, _KIND, _MASK, _WIDTH, _EXTRA = lay.L_PC, lay.L_WARP, lay.L_KIND, lay.L_MASK, lay.L_WIDTH, lay.L_EXTRA
# Of each byte the last write and two reads: thread + 1, clock of its warp, time in its warp, instruction, atomic.
_W, _R, _S = 0, 5, 10
_SHADOW = 15
READ_AFTER_WRITE, WRITE_AFTER_WRITE, WRITE_AFTER_READ, UNINITIALIZED = range(4)
NAMES = ("read-after-write", "write-after-write", "write-after-read", "uninitialized-read")
# A finding: kind, the later instruction, the earlier one, both threads, byte, block, how many bytes.
_FINDING = 8
_MOST = 64
_BARRIERS = 16
_SHARED = frozenset(("LDS", "STS", "LD", "ST", "LDGSTS"))


@jit
def _join(clocks: npt.NDArray[np.int64], to: npt.NDArray[np.int64], warp: Number) -> None:
    """``to`` becomes the later of itself and what a warp knows."""
    for other in range(clocks.shape[1]):
        to[other] = max(to[other], clocks[warp, other])


@jit
def _meet(seen: npt.NDArray[np.int64], mask: Number, now: Number) -> None:
    """The lanes of a mask are together: each knows of the others' past, and of what they knew."""
    for x in range(32):
        latest = np.int64(now) if mask >> x & 1 else np.int64(-1)
        if latest < 0:
            for lane in range(32):
                if mask >> lane & 1:
                    latest = max(latest, seen[lane, x])
        for lane in range(32):
            if mask >> lane & 1:
                seen[lane, x] = latest


@jit
def _together(warp: Number, mask: Number, times: npt.NDArray[np.int64], last: npt.NDArray[np.int64],
              seen: npt.NDArray[np.int64]) -> int:
    """Notes that lanes of a warp are together now; the time of the warp, which goes on."""
    if mask != last[warp]:
        if last[warp]:
            _meet(seen[warp], last[warp], times[warp])
        _meet(seen[warp], mask, times[warp])
        last[warp] = mask
    times[warp] += 1
    return int(times[warp])


@jit
def _ordered(entry: npt.NDArray[np.int64], thread: Number, mask: Number, clocks: npt.NDArray[np.int64],
             seen: npt.NDArray[np.int64], passed: npt.NDArray[np.int64], now: Number) -> bool:
    """Whether an earlier access comes before what ``thread`` does now, in a split of lanes ``mask``."""
    other = entry[0] - 1
    if other < 0 or other == thread:
        return True
    warp, before = thread >> 5, other >> 5
    if warp != before:
        return bool(clocks[warp, before] >= entry[1])
    if entry[2] <= passed[warp]:
        return True
    if entry[2] == now:
        return False  # one instruction
    return bool(mask >> (other & 31) & 1 or seen[warp, thread & 31, other & 31] >= entry[2])


@jit
def _report(findings: npt.NDArray[np.int64], kind: Number, pc: Number, before: Number, thread: Number, other: Number,
            byte: Number, block: Number) -> None:
    """Counts a finding; row 0 has the number of rows and of findings that found no room."""
    rows = findings[0, 0]
    for k in range(1, rows + 1):
        row = findings[k]
        if row[0] == kind and row[1] == pc and row[2] == before:
            row[7] += 1
            return
    if rows + 1 >= findings.shape[0]:
        findings[0, 1] += 1
        return
    row = findings[rows + 1]
    row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7] = kind, pc, before, thread, other, byte, block, 1
    findings[0, 0] = rows + 1


@jit
def check(head: npt.NDArray[np.int64], where: npt.NDArray[np.uint64], records: int, block: int, races: bool,
          uninitialized: bool, unit: int, shadow: npt.NDArray[np.int64], clocks: npt.NDArray[np.int64],
          arrived: npt.NDArray[np.int64], gone: npt.NDArray[np.int64], times: npt.NDArray[np.int64],
          last: npt.NDArray[np.int64], seen: npt.NDArray[np.int64], passed: npt.NDArray[np.int64],
          retried: npt.NDArray[np.bool_], findings: npt.NDArray[np.int64]) -> None:
    """Reads the log. ``retried``: by instruction, whether it loads for an atomic operation.

    ``clocks[w, v]`` is what warp ``w`` knows of warp ``v``'s clock; ``arrived`` the same of those that came to a
    barrier without waiting, ``gone`` of warps that ended; ``times`` count within a warp, ``last`` is the split that ran
    last, ``seen[w, a, b]`` the time of lane ``b`` that lane ``a`` knows of, ``passed`` when a warp passed a barrier.
    """
    for k in range(records):
        kind, warp, mask, pc = head[k, _KIND], head[k, _WARP], head[k, _MASK], head[k, _PC]
        if kind == _ORDER:
            _together(warp, mask, times, last, seen)
        elif kind == _ARRIVE:
            _join(clocks, arrived[head[k, _EXTRA]], warp)
            clocks[warp, warp] += 1
        elif kind == _EXIT:
            _join(clocks, gone, warp)
        elif kind == _RELEASE:
            known = arrived[head[k, _EXTRA]]
            for w in range(clocks.shape[0]):
                if mask >> w & 1:
                    _join(clocks, known, w)
            for w in range(clocks.shape[0]):
                if mask >> w & 1:
                    for v in range(clocks.shape[0]):
                        clocks[w, v] = max(clocks[w, v], known[v], gone[v])
                    clocks[w, w] += 1
                    passed[w] = times[w]
                    last[w] = 0
            known[:] = -1
        elif _LOAD <= kind <= _ATOMIC:
            now = _together(warp, mask, times, last, seen)
            same = head[k, _EXTRA]
            atomic = kind == _ATOMIC or retried[pc]
            for lane in range(32):
                if not mask >> lane & 1:
                    continue
                thread = 32 * warp + lane
                first_unit = np.int64(where[k, lane]) // unit
                cells = max(1, head[k, _WIDTH] // unit)
                if kind == _LOAD and lane > 0 and mask >> (lane - 1) & 1 and where[k, lane] == where[k, lane - 1]:
                    mine = False
                    for cell in range(first_unit, first_unit + cells):
                        mine |= (shadow[cell, _W] - 1) >> 5 == warp
                    if not mine:
                        continue  # the same for all lanes of a broadcast, unless one of them wrote it
                for cell in range(first_unit, first_unit + cells):
                    entry, byte = shadow[cell], cell * unit
                    written = entry[_W : _W + 5]
                    if kind != _STORE and uninitialized and written[0] == 0:
                        _report(findings, UNINITIALIZED, pc, -1, thread, -1, byte, block)
                    silent = kind == _STORE and same >> lane & 1
                    if races and not silent and not (atomic and written[4]) and not _ordered(
                            written, thread, mask, clocks, seen, passed, now):
                        _report(findings, READ_AFTER_WRITE if kind == _LOAD else WRITE_AFTER_WRITE, pc, written[3],
                                thread, written[0] - 1, byte, block)
                    first, second = entry[_R : _R + 5], entry[_S : _S + 5]
                    if kind == _LOAD:
                        slot = first
                        if first[0] and (first[0] - 1) >> 5 != warp and not _ordered(
                                first, thread, mask, clocks, seen, passed, now):
                            slot = second
                        slot[0], slot[1], slot[2], slot[3] = thread + 1, clocks[warp, warp], now, pc
                        slot[4] = atomic
                        continue
                    if races and not silent:
                        for slot in (first, second):
                            if not (atomic and slot[4]) and not _ordered(slot, thread, mask, clocks, seen, passed, now):
                                _report(findings, WRITE_AFTER_READ, pc, slot[3], thread, slot[0] - 1, byte, block)
                    first[0] = second[0] = 0
                    written[0], written[1], written[2], written[3] = thread + 1, clocks[warp, warp], now, pc
                    written[4] = atomic


@dataclass(frozen=True)
class Finding:
    """``instruction`` is the later access, ``before`` the earlier one (``None``: nobody wrote); indices of the listing.

    ``thread`` and ``other`` are linear in the block; ``byte`` counts from the block's first byte of shared memory;
    ``bytes`` how many bytes of how many blocks this happened with. All but ``bytes`` are of the first time.
    """

    kind: str
    instruction: int
    before: int | None
    thread: int
    other: int | None
    byte: int
    block: int
    bytes: int


def access_unit(listing: Sequence[Instruction]) -> int:
    """The bytes that the shared accesses of a listing have in common: 4, or 1 where one is of 8 or 16 bits."""
    return 1 if any(i.name in _SHARED and width_of(i.opcode) < 32 for i in listing) else 4


def retried_loads(listing: Sequence[Instruction]) -> npt.NDArray[np.bool_]:
    """By index: whether an instruction loads what a compare-and-swap loop of the compiler's own expects to find."""
    out = np.zeros(len(listing), np.bool_)
    for index, i in enumerate(listing):
        if not i.opcode.startswith("ATOMS.CAST.SPIN"):
            continue
        expected = i.operands.split(",")[2].strip()
        makes = (k for k in range(index - 1, -1, -1) if (to := written(listing[k])) is None or expected in to)
        if (at := next(makes, None)) is not None:
            out[at] = listing[at].name == "LDS"
    return out


class SharedChecks:
    """Watches a simulation for races and uninitialised reads of shared memory."""

    def __init__(self, shared_bytes: int, warps: int, races: bool, uninitialized: bool,
                 listing: Sequence[Instruction]) -> None:
        self.races, self.uninitialized = races, uninitialized
        self.unit = unit = access_unit(listing)
        self._retried = retried_loads(listing)
        self._shadow = np.zeros((max(1, -(-shared_bytes // unit)), _SHADOW), np.int64)
        self._clocks = np.zeros((warps, warps), np.int64)
        self._arrived = np.zeros((_BARRIERS, warps), np.int64)
        self._gone = np.zeros(warps, np.int64)
        self._times = np.zeros(warps, np.int64)
        self._last = np.zeros(warps, np.int64)
        self._seen = np.zeros((warps, 32, 32), np.int64)
        self._passed = np.zeros(warps, np.int64)
        self._findings = np.zeros((_MOST + 1, _FINDING), np.int64)
        self._block = 0

    def start_block(self, block: int) -> None:
        self._block = block
        self._shadow[:] = 0
        self._clocks[:] = -1
        np.fill_diagonal(self._clocks, 0)
        self._arrived[:], self._gone[:], self._passed[:], self._seen[:] = -1, -1, -1, -1
        self._times[:], self._last[:] = 0, 0

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        del counters
        check(log.head, log.where, records, self._block, self.races, self.uninitialized, self.unit, self._shadow,
              self._clocks, self._arrived, self._gone, self._times, self._last, self._seen, self._passed,
              self._retried, self._findings)

    @property
    def overflow(self) -> int:
        """Findings beyond those that are kept."""
        return int(self._findings[0, 1])

    @property
    def findings(self) -> tuple[Finding, ...]:
        rows = self._findings[1 : int(self._findings[0, 0]) + 1].tolist()
        return tuple(Finding(NAMES[r[0]], r[1], r[2] if r[2] >= 0 else None, r[3], r[4] if r[4] >= 0 else None, r[5],
                             r[6], r[7] * self.unit) for r in rows)
