"""Which sectors the sampled blocks touch: a block's first touches, and for each array what blocks have in common.

A hash table has a row for each sector: the sector + 1, for reads and for writes the number of blocks (low half) and
the last of them + 1 (high half), and which bytes the last block has written, as bits. Neighbours lie side by side, as
they are touched together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.gather import LOCAL_BASE, WHOLE

Ints = npt.NDArray[np.int64]
_LOCAL = LOCAL_BASE >> 5
_LOAD, _STORE, _ATOMIC = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC
_LOCAL_LOAD = lay.H_LOCAL_LOAD
_LEAST = 1 << 12
_MOST = 1 << 24
"""Rows at most: 512 MB. Of sectors beyond half as many each touch counts as a block's first."""
LINE_BITS = 48
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_LANES_APART = 6, 4
_LINE_SECTORS = 4
READS, WRITES = 0, 1
SHARED, PAIRED, WHOLE_STORE, MADE_WHOLE, READ_BEFORE, JUST_STORED = 4, 8, 16, 32, 64, 128
OFTEN, LINE_READ = WHOLE_STORE, JUST_STORED
"""Bits of ``Streams.touch``: several of the blocks read the sector; the block reads the other half of 64 bytes, too;

the store writes all of the sector; the block has then written or read all of it; it has read it before the store; the
load wants no bytes of it but such as the block has stored. Of loads: L1 still has what it wants from another block; of
stores: the warp reads all of the line.
"""
PAIRS, SECTORS, ALONE, PARTS = range(4)
"""Columns of ``Touches.tally``: pairs of a sector and a block that touches it, sectors, those of one block alone; pairs

of which the block writes a part of the sector only, and has not read it before.
"""


def _find(table: Ints, sector: int) -> int:
    """The row of a sector, or the empty one that it would take."""
    last = len(table) - 1
    row = np.int64((np.uint64(sector >> 3) * _SPREAD) >> np.uint64(20)) << 3 & last | sector & 7
    while table[row, 0] != 0 and table[row, 0] != sector + 1:
        row = row + 1 & last
    return int(row)


find = jit_into(FOLDER, _find, counted=False)


def _move(table: Ints, bigger: Ints) -> None:
    for row in range(len(table)):
        if table[row, 0]:
            to = find(bigger, table[row, 0] - 1)
            for c in range(4):
                bigger[to, c] = table[row, c]


def _note(table: Ints, used: int, tally: Ints, bases: Ints, requests: Ints, asked: int, sectors: Ints, block: int,
          cached: bool, covers: npt.NDArray[np.uint32], touch: npt.NDArray[np.uint8], region: npt.NDArray[np.int32],
          k: int) -> tuple[int, int]:
    """Enters the sectors of requests from ``k`` on, as far as there is room in a table that may grow; returns how many

    rows of it are used then, and the request to go on with.
    """
    arrays = len(tally)
    here, low, high = 0, np.int64(0), np.int64(0)
    while k < asked and not (cached and 2 * (used + requests[k, 5]) > len(table) < _MOST):
        kind = requests[k, 2]
        which = READS if kind in (_LOAD, _LOCAL_LOAD) else WRITES
        for i in range(requests[k, 4], requests[k, 4] + requests[k, 5]):
            sector = sectors[i]
            if not low <= sector < high:
                if sector >= _LOCAL:
                    here, low, high = arrays - 1, np.int64(_LOCAL), np.int64(1) << 62
                else:
                    here = max(0, np.searchsorted(bases, sector, side="right") - 1)
                    low = bases[here] if sector >= bases[here] else np.int64(0)
                    high = bases[here + 1] if here + 1 < len(bases) else np.int64(_LOCAL)
            region[i] = here
            if not cached:
                touch[i] = 1 + which
                continue
            touch[i] = 0
            row = find(table, sector)
            if table[row, 0] == 0:
                if 2 * (used + 1) > len(table):
                    touch[i] = 1 + which
                    for c in range(3):
                        tally[here, which, c] += 1
                    continue
                table[row, 0] = sector + 1
                used += 1
            entry = table[row, 1 + which]
            if which == READS:
                if table[row, 1 + WRITES] >> 32 == block + 1 and covers[i] & ~table[row, 3] == 0:
                    touch[i] = JUST_STORED
            else:
                before = np.int64(0)
                if entry >> 32 == block + 1:
                    before = table[row, 3]
                elif table[row, 1 + READS] >> 32 == block + 1:
                    before = np.int64(WHOLE)
                table[row, 3] = before | covers[i]
                whole = WHOLE_STORE if covers[i] == WHOLE else 0
                touch[i] = whole | MADE_WHOLE if table[row, 3] == WHOLE else 0
                if table[row, 1 + READS] >> 32 == block + 1:
                    touch[i] |= READ_BEFORE
                if entry >> 32 != block + 1:
                    tally[here, which, PARTS] += table[row, 3] != WHOLE
                elif before != WHOLE and table[row, 3] == WHOLE:
                    tally[here, which, PARTS] -= 1
            if entry >> 32 != block + 1:
                # A read behind the block's own write finds it in L2.
                if which == WRITES or table[row, 1 + WRITES] >> 32 != block + 1:
                    touch[i] |= 1 + which
                blocks = entry & 0xFFFFFFFF
                table[row, 1 + which] = (np.int64(block) + 1) << 32 | blocks + 1
                tally[here, which, PAIRS] += 1
                if blocks == 0:
                    tally[here, which, SECTORS] += 1
                    tally[here, which, ALONE] += 1
                elif blocks == 1:
                    tally[here, which, ALONE] -= 1
        k += 1
    return used, k


def _come_back(requests: Ints, touch: npt.NDArray[np.uint8], region: npt.NDArray[np.int32],
               out: npt.NDArray[np.bool_]) -> None:
    """Sets ``out`` for each array of which a request, not an atomic one, has a sector that its block touched before."""
    for k in range(len(requests)):
        if requests[k, 2] != _ATOMIC:
            for i in range(requests[k, 4], requests[k, 4] + requests[k, 5]):
                if touch[i] & 3 == 0:
                    out[region[i]] = True


def _spread(requests: Ints, sectors: Ints, region: npt.NDArray[np.int32], out: Ints) -> None:
    """Adds to ``out`` (arrays, reads and writes, 2) for each array the sectors that requests ask for, and those of

    requests whose sectors are mostly lines apart and mostly not at the distance of the first two.
    """
    for k in range(len(requests)):
        kind, first, count = requests[k, 2], requests[k, 4], requests[k, 5]
        if kind not in (_LOAD, _STORE, _ATOMIC):
            continue
        which = READS if kind == _LOAD else WRITES
        out[region[first], which, 0] += count
        if count < _LANES_APART[which]:
            continue
        far = other = 0
        step = sectors[first + 1] - sectors[first]
        for i in range(first, first + count - 1):
            far += sectors[i + 1] - sectors[i] > _LINE_SECTORS
            other += sectors[i + 1] - sectors[i] != step
        if 2 * far > count - 1 and 2 * other > count - 1:
            out[region[first], which, 1] += count


def _go_on(pc: npt.NDArray[np.int32], request: npt.NDArray[np.int32], starts: Ints, requests: Ints, sectors: Ints,
           region: npt.NDArray[np.int32], last: Ints, out: Ints) -> None:
    """Adds to ``out`` (arrays, 2) for each array the sectors that warps write, and those that their instruction's

    request before wrote as well, or that lie behind those. ``last``: of each instruction, minus ones.
    """
    for block in range(starts.shape[0]):
        for warp in range(starts.shape[1] - 1):
            begins = starts[block, warp]
            for k in range(begins, starts[block, warp + 1]):
                q = request[k]
                if q < 0 or (requests[q, 2] != _STORE and requests[q, 2] != _ATOMIC):
                    continue
                first, count = requests[q, 4], requests[q, 5]
                out[region[first], 0] += count
                before = last[pc[k]]
                last[pc[k]] = k
                if before < begins:
                    continue
                at = requests[request[before], 4]
                end = at + requests[request[before], 5]
                for i in range(first, first + count):
                    while at < end and sectors[at] < sectors[i] - 1:
                        at += 1
                    out[region[first], 1] += at < end and sectors[at] <= sectors[i]


def _count_lines(touch: npt.NDArray[np.uint8], region: npt.NDArray[np.int32], sectors: Ints, most: int, table: Ints,
                 out: Ints) -> None:
    """Counts in ``out`` the different lines of each array, no further than the first above ``most``.

    ``table``: zeros, a power of two of them that is more than is counted.
    """
    last = np.int64(-1)
    for i in range(len(sectors)):
        if touch[i] & 3 and out[region[i]] <= most:  # each sector of a block was touched a first time
            line = np.int64(region[i]) << LINE_BITS | sectors[i] >> 2
            if line != last:
                last = line
                row = np.int64((np.uint64(line) * _SPREAD) >> np.uint64(20)) & len(table) - 1
                while table[row] != 0 and table[row] != line + 1:
                    row = row + 1 & len(table) - 1
                if table[row] == 0:
                    table[row] = line + 1
                    out[region[i]] += 1


def _mark(table: Ints, sectors: Ints, touch: npt.NDArray[np.uint8]) -> None:
    """Sets the bits ``SHARED`` and ``PAIRED``; the latter by the last block that read each half."""
    for i in range(len(sectors)):
        row, other = find(table, sectors[i]), find(table, sectors[i] ^ 1)
        if table[row, 0] != 0:
            if table[row, 1 + READS] & 0xFFFFFFFF > 1:
                touch[i] |= SHARED
            if table[other, 0] != 0 and table[other, 1 + READS] >> 32 == table[row, 1 + READS] >> 32:
                touch[i] |= PAIRED


move = jit_into(FOLDER, _move, counted=False)
mark = jit_into(FOLDER, _mark, counted=False)
note = jit_into(FOLDER, _note, counted=False)
come_back = jit_into(FOLDER, _come_back, counted=False)
spread = jit_into(FOLDER, _spread, counted=False)
go_on = jit_into(FOLDER, _go_on, counted=False)
count_lines = jit_into(FOLDER, _count_lines, counted=False)


def lines_up_to(touch: npt.NDArray[Any], region: npt.NDArray[Any], sectors: Ints, arrays: int, most: int) -> Ints:
    """Of each array how many different lines the sampled blocks touch; of more than ``most`` one more than that."""
    out: Ints = np.zeros(arrays, np.int64)
    room = 2 * min(arrays * (most + 1), len(sectors)) + 2
    count_lines(touch, region, sectors, most, np.zeros(1 << room.bit_length(), np.int64), out)
    return out


class Touches:
    """The table, and what it comes to: ``tally`` (arrays + 1, reads and writes, 4), the last row for local memory.

    Where no cache is (``cached``), every touch is a first one, and nothing is counted.
    """

    def __init__(self, bases: Ints, cached: bool = True) -> None:
        """``bases``: the first sector of each array, rising."""
        self._cached = cached
        self.tally: Ints = np.zeros((len(bases) + 1, 2, 4), np.int64)
        self._bases = bases if len(bases) else np.zeros(1, np.int64)
        self._table: Ints = np.zeros((_LEAST, 4), np.int64)
        self._used = 0

    def note(self, requests: Ints, asked: int, sectors: Ints, block: int, covers: npt.NDArray[Any],
             touch: npt.NDArray[Any], region: npt.NDArray[Any]) -> None:
        """Enters ``asked`` requests of a block; ``covers``: the bytes of each sector that are wanted, as bits.

        ``touch`` gets for each of the sectors 1 if it is the block's first read of it, 2 if its first write; ``region``
        the number of its array.
        """
        at = 0
        while True:
            self._used, at = note(self._table, self._used, self.tally, self._bases, requests, asked, sectors, block,
                                  self._cached, covers, touch, region, at)
            if at == asked:
                break
            bigger = np.zeros((4 * len(self._table), 4), np.int64)
            move(self._table, bigger)
            self._table = bigger

    def mark(self, sectors: Ints, touch: npt.NDArray[Any]) -> None:
        """Adds ``SHARED`` and ``PAIRED`` to ``touch``, of blocks that have all run."""
        if self._cached:
            mark(self._table, sectors, touch)


def _partly(streams: Any, i: int, end: int) -> bool:
    """Whether a store whose sectors end at ``end`` writes a part only of one of the line that sector ``i`` is in."""
    line = streams.sectors[i] >> 2
    while i < end and streams.sectors[i] >> 2 == line:
        if streams.touch[i] & WHOLE_STORE == 0:
            return True
        i += 1
    return False


partly = jit_into(FOLDER, _partly, counted=False)
