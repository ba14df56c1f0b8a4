"""Brings the log of memory requests and the stream of instructions together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.coalesce import (
    ATOMIC,
    STORE,
    atomic_rounds,
    fermi_conflict_ways,
    shared_wavefronts,
    tesla_segments,
    tesla_shared_steps,
    unique_sectors,
)
from mutate.sim.intrinsics import stack_u64
from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.lines import load_cost

# Columns of a request: warp, instruction, kind, lanes, first sector, sectors, and what it takes in L1: wavefronts, of
# loads since Volta what ``lines.load_cost`` says.
R_COLUMNS = 7
LOCAL_BASE = 1 << 52
WHOLE = np.uint32(0xFFFFFFFF)
"""All bytes of a sector."""
SECTORS_OF_REQUEST = 64
"""The most of a request that there is room for; what one to local memory has beyond is left out."""
_SHARED_STORE = lay.H_SHARED_STORE
_LOAD, _STORE, _ATOMIC = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC
_LOCAL_LOAD, _LOCAL_STORE = lay.H_LOCAL_LOAD, lay.H_LOCAL_STORE
_PC, _WARP, _KIND, _MASK, _WIDTH = lay.L_PC, lay.L_WARP, lay.L_KIND, lay.L_MASK, lay.L_WIDTH
Ints = npt.NDArray[np.int64]

# How requests become traffic: since Volta sectors; on Fermi loads through L1 are lines, around it sectors (cg); on
# GT200 the segments of each half-warp.
VOLTA, FERMI, FERMI_CG, TESLA = range(4)


def _older(where: npt.NDArray[np.uint64], kind: int, mask: int, width: int, rules: int, out: Ints, used: int,
           found: npt.NDArray[np.uint64], sizes: npt.NDArray[np.uint64]) -> tuple[int, int]:
    """Sectors of a global request on a GPU before Volta, from ``out[used]`` on; returns their end and the transactions.

    Rules of ``mutate.sim.coalesce``, which name their source. A half-warp's segments are fetched for it alone.
    """
    if rules == TESLA:
        count = tesla_segments(where, mask, width, found, sizes)
        for i in range(count):
            for k in range(np.int64(sizes[i]) >> 5):
                out[used] = (np.int64(found[i]) >> 5) + k
                used += 1
        return used, count
    lines = unique_sectors(where, mask, width, 7, found)
    if rules == FERMI and kind == _LOAD:
        for i in range(lines):
            for k in range(4):
                out[used] = np.int64(found[i]) * 4 + k
                used += 1
    else:
        count = unique_sectors(where, mask, width, 5, found)
        for i in range(count):
            out[used] = np.int64(found[i])
            used += 1
    return used, lines


older = jit_into(FOLDER, _older, counted=False)


def _cover(where: npt.NDArray[np.uint64], mask: int, width: int, found: npt.NDArray[np.uint64], count: int,
           covers: npt.NDArray[np.uint32], first: int) -> None:
    """Which bytes of its ``count`` sectors a request wants, as bits, into ``covers`` from ``first`` on."""
    for i in range(first, first + count):
        covers[i] = 0
    bits = np.uint32((1 << width) - 1)
    at = 0
    for lane in range(32):
        if mask >> lane & 1:
            sector = where[lane] >> np.uint64(5)
            # Sectors rise, and lanes mostly do.
            if found[at] > sector:
                at = 0
            while found[at] < sector:
                at += 1
            covers[first + at] |= bits << np.uint32(where[lane] & np.uint64(31))


cover = jit_into(FOLDER, _cover, counted=False)


def _local_words(where: npt.NDArray[np.uint64], mask: int, warp: int, part: int, at: npt.NDArray[np.uint64]) -> None:
    """Where the lanes' words of local memory lie: a word of all lanes is a line, so lanes with others want other lines.

    ``part``: which of the words of a wider access.
    """
    for lane in range(32):
        if mask >> lane & 1:
            mine = np.int64(where[lane])
            at[lane] = np.uint64(LOCAL_BASE + (warp << 29) + (mine // 4 + part) * 128 + lane * 4 + mine % 4)


local_words = jit_into(FOLDER, _local_words, counted=False)


def _gather(head: Ints, where: npt.NDArray[np.uint64], records: int, requests: Ints, out: Ints,
            covers: npt.NDArray[np.uint32], rules: int) -> tuple[int, int]:
    """Writes the requests of a log and their sectors, with the bytes that are read or written, as bits; returns how

    many of requests and of sectors.

    Shared requests have the steps of GPUs before Volta where their wavefronts are; since then the stream has them.
    """
    found, sizes, at = stack_u64(160), stack_u64(64), stack_u64(32)
    n = 0
    used = 0
    for k in range(records):
        kind, mask, width = head[k, _KIND], head[k, _MASK], head[k, _WIDTH]
        if kind > 7:
            continue
        first = used
        lines = 0
        if rules != VOLTA and (kind == _LOAD or kind == _STORE):
            used, lines = older(where[k], kind, mask, width, rules, out, used, found, sizes)
            if kind == _STORE and rules != TESLA:
                cover(where[k], mask, width, found, used - first, covers, first)
            else:
                covers[first:used] = WHOLE  # without L2 nothing becomes of parts
        elif rules != VOLTA and (kind == lay.H_SHARED_LOAD or kind == _SHARED_STORE):
            if rules == TESLA:
                lines = tesla_shared_steps(where[k], mask, width)
            else:
                # Half-warps of 8 bytes a lane, and quarter-warps of 16, go one after another.
                ways = fermi_conflict_ways(where[k], mask, width)
                lines = 4 * (ways - 1) if width == 16 else 2 * ways if width == 8 else ways
        elif kind == _LOAD or kind == _STORE or kind == _ATOMIC:
            count = unique_sectors(where[k], mask, width, 5, found)
            for i in range(count):
                out[used + i] = np.int64(found[i])
            used += count
            if kind == _LOAD:
                lines = load_cost(where[k], mask, width, found, count, sizes)
            else:
                lines = shared_wavefronts(where[k], mask, width, STORE if kind == _STORE else ATOMIC)
            cover(where[k], mask, width, found, count, covers, first)
            if kind == _ATOMIC:
                # Lanes with one address go one after another: a sector once for each round of them.
                # One gets a sector's old bytes, too, so it is whole then.
                used = first
                atomic_rounds(where[k], mask, width, 5, found, count, sizes)
                for i in range(count):
                    turns = np.int64(sizes[i])
                    if width == 8:
                        # Of 8 bytes two words are added at once.
                        words = 0
                        for lane in range(32):
                            words += mask >> lane & 1 and where[k, lane] >> np.uint64(5) == found[i]
                        turns = max(turns, (words + 1) // 2)
                    for _ in range(turns):
                        out[used] = np.int64(found[i])
                        covers[used] = WHOLE
                        used += 1
        elif kind == _LOCAL_LOAD or kind == _LOCAL_STORE:
            for part in range(max(1, width // 4)):
                local_words(where[k], mask, head[k, _WARP], part, at)
                count = unique_sectors(at, mask, min(width, 4), 5, found)
                if used - first + count > SECTORS_OF_REQUEST:
                    break
                for i in range(count):
                    out[used + i] = np.int64(found[i])
                    covers[used + i] = WHOLE
                if rules == VOLTA:
                    cover(at, mask, min(width, 4), found, count, covers, used)
                used += count
                lines += load_cost(at, mask, 4, found, count, sizes) if kind == _LOCAL_LOAD and rules == VOLTA else 1
        requests[n, 0], requests[n, 1], requests[n, 2], requests[n, 3] = head[k, _WARP], head[k, _PC], kind, mask
        requests[n, 4], requests[n, 5], requests[n, 6] = first, used - first, lines
        n += 1
    return n, used


def _keep(records: Ints, requests: Ints, asked: int, first: int, s: int, columns: npt.NDArray[np.int32], n: int,
          rules: int) -> int:
    """Appends records of a block to ``columns`` from ``n`` on, each with the number of its request (-1: none).

    Requests and records are in the order of execution, and each request's record is among the records. Of several
    requests of an execution (a copy from global to shared memory, an access to several spaces) the last one counts.
    ``requests`` keeps those to global and local memory: they get numbers from ``first`` on, and their sectors are
    counted from ``s`` on. Returns how many they are. Before Volta a shared access costs what its request says.
    """
    q = 0
    for k in range(len(records)):
        mask, lanes = records[k, 2], 0
        while mask:
            mask &= mask - 1
            lanes += 1
        columns[n + k, 0], columns[n + k, 1], columns[n + k, 2] = records[k, 0], records[k, 1], -1
        columns[n + k, 3], columns[n + k, 4] = records[k, 3], lanes
    at = 0
    before, lanes_before = np.int64(-1), np.int64(0)
    for k in range(asked):
        kind = requests[k, 2]
        # Of one execution are a copy's store to shared memory and its load, and the spaces of a generic access, which
        # have other lanes each, in this order.
        copied = before == _SHARED_STORE and kind == _LOAD
        if k > 0 and not copied and (kind <= before or requests[k, 3] & lanes_before):
            at += 1
        before, lanes_before = kind, requests[k, 3]
        while at < len(records) and not (records[at, 0] == requests[k, 0] and records[at, 1] == requests[k, 1]
                                         and requests[k, 3] & ~records[at, 2] == 0):
            at += 1
        if at == len(records):
            break
        columns[n + at, 3] = records[at, 3]
        if _ATOMIC < kind < _LOCAL_LOAD:
            columns[n + at, 2] = -1
            if rules != VOLTA and kind <= _SHARED_STORE:
                columns[n + at, 3] = requests[k, 6]
            continue
        columns[n + at, 2] = first + q
        mine = requests[k, 4] + s
        for i in range(R_COLUMNS):
            requests[q, i] = requests[k, i]
        requests[q, 4] = mine
        q += 1
    return q


def _arrange(columns: npt.NDArray[np.int32], n: int, starts: Ints, at: int, pc: npt.NDArray[np.int32],
             request: npt.NDArray[np.int32], cost: npt.NDArray[np.int32], on: npt.NDArray[np.int32]) -> None:
    """Puts a block's records warp after warp, those of a warp in order, from ``at`` on; ``starts``: where each begins.
    """
    starts[:] = 0
    for k in range(n):
        starts[columns[k, 0] + 1] += 1
    starts[0] = at
    for w in range(len(starts) - 1):
        starts[w + 1] += starts[w]
    following = starts.copy()
    for k in range(n):
        to = following[columns[k, 0]]
        following[columns[k, 0]] = to + 1
        pc[to], request[to], cost[to], on[to] = columns[k, 1], columns[k, 2], columns[k, 3], columns[k, 4]


gather = jit_into(FOLDER, _gather, counted=False)
keep = jit_into(FOLDER, _keep, counted=False)
arrange = jit_into(FOLDER, _arrange)
