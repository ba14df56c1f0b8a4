"""Brings the log of memory requests and the stream of instructions together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.coalesce import (
    ATOMIC,
    LOAD,
    STORE,
    fermi_conflict_ways,
    shared_wavefronts,
    tesla_segments,
    tesla_shared_steps,
    unique_sectors,
)
from mutate.sim.code import machine_code_folder, text_digest
from mutate.sim.jit import jit_into

# Columns of a request: warp, instruction, kind, lanes, first sector, sectors, wavefronts in L1's data stage.
R_COLUMNS = 7
LOCAL_BASE = 1 << 52
_MODULES = ("coalesce", "layout", "timing/gather", "timing/engine", "timing/servers", "timing/settings", "timing/units",
            "timing/scoreboard")
_FOLDER = machine_code_folder(f"timing-{text_digest(_MODULES)[:16]}")
_SHARED_STORE = lay.H_SHARED_STORE
_LOAD, _STORE, _ATOMIC = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC
_LOCAL_LOAD, _LOCAL_STORE = lay.H_LOCAL_LOAD, lay.H_LOCAL_STORE
_PC, _WARP, _KIND, _MASK, _WIDTH = lay.L_PC, lay.L_WARP, lay.L_KIND, lay.L_MASK, lay.L_WIDTH
Ints = npt.NDArray[np.int64]
_LINES_AT_ONCE = 3

# How requests become traffic: since Volta sectors; on Fermi loads through L1 are lines, around it sectors (cg); on
# GT200 the segments of each half-warp.
VOLTA, FERMI, FERMI_CG, TESLA = range(4)


def _load_wavefronts(where: npt.NDArray[np.uint64], mask: int, width: int) -> int:
    """Wavefronts of a global load: three lines at a time, each time as from shared memory.

    Against the 37 requests of tests/machines/reference/h200_requests.csv (loads that miss): 19 exact, 0.96 of the
    measured number on average. Stores have those of a shared store (37 of 37).
    """
    seen = np.empty(64, np.uint64)
    count = unique_sectors(where, mask, width, 7, seen)
    if count <= _LINES_AT_ONCE:
        return int(shared_wavefronts(where, mask, width, LOAD))
    total = 0
    for k in range(0, count, _LINES_AT_ONCE):
        part = 0
        last = min(count, k + _LINES_AT_ONCE) - 1
        for lane in range(32):
            line = where[lane] >> np.uint64(7)
            if mask >> lane & 1 and seen[k] <= line <= seen[last]:
                part |= 1 << lane
        if part:
            total += shared_wavefronts(where, part, width, LOAD)
    return int(total)


load_wavefronts = jit_into(_FOLDER, _load_wavefronts)


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


older = jit_into(_FOLDER, _older)


def _gather(head: Ints, where: npt.NDArray[np.uint64], records: int, requests: Ints, out: Ints, rules: int
            ) -> tuple[int, int]:
    """Writes the requests of a log and their sectors; returns how many of both.

    Shared requests have the steps of GPUs before Volta where their wavefronts are; since then the stream has them.
    """
    found = np.empty(160, np.uint64)
    sizes = np.empty(64, np.uint64)
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
                out[used] = np.int64(found[i])
                used += 1
            if kind == _LOAD:
                lines = load_wavefronts(where[k], mask, width)
            else:
                lines = shared_wavefronts(where[k], mask, width, STORE if kind == _STORE else ATOMIC)
            if kind == _ATOMIC:
                # Lanes with one address go one after another: a sector once for each round of them.
                used = first
                for i in range(count):
                    rounds = 0
                    for lane in range(32):
                        if mask >> lane & 1 and where[k, lane] >> np.uint64(5) == found[i]:
                            times = 0
                            for other in range(32):
                                if mask >> other & 1 and where[k, other] == where[k, lane]:
                                    times += 1
                            rounds = max(rounds, times)
                    for _ in range(rounds):
                        out[used] = np.int64(found[i])
                        used += 1
        elif kind == _LOCAL_LOAD or kind == _LOCAL_STORE:
            # A word of all lanes is one line; where lanes have different words, each word is one.
            for part in range(max(1, width // 4)):
                seen = used
                for lane in range(32):
                    if mask >> lane & 1:
                        word = np.int64(where[k, lane]) // 4 + part
                        sector = ((LOCAL_BASE >> 5) + (head[k, _WARP] << 24) + word * 4) + lane // 8
                        new = True
                        for i in range(seen, used):
                            if out[i] == sector:
                                new = False
                        if new and used - first < 60:
                            out[used] = sector
                            used += 1
                lines += 1
        requests[n, 0], requests[n, 1], requests[n, 2], requests[n, 3] = head[k, _WARP], head[k, _PC], kind, mask
        requests[n, 4], requests[n, 5], requests[n, 6] = first, used - first, lines
        n += 1
    return n, used


def _match(records: Ints, requests: Ints) -> Ints:
    """For each record of a block the number of its request, -1 for none. Both are in the order of execution.

    Of several requests (a copy from global to shared memory, an access to several spaces) the last one counts.
    """
    out = np.full(len(records), -1, np.int64)
    at = 0
    for k in range(len(requests)):
        if k > 0:
            # Of one execution are a copy's store to shared memory and its load, and the spaces of a generic access,
            # which have other lanes each, in this order.
            before, kind = requests[k - 1, 2], requests[k, 2]
            copied = before == _SHARED_STORE and kind == _LOAD
            if not copied and (kind <= before or requests[k, 3] & requests[k - 1, 3]):
                at += 1
        while at < len(records) and not (records[at, 0] == requests[k, 0] and records[at, 1] == requests[k, 1]
                                         and requests[k, 3] & ~records[at, 2] == 0):
            at += 1
        if at == len(records):
            break
        out[at] = k
    return out


def _first_touches(requests: Ints, sectors: Ints) -> npt.NDArray[np.uint8]:
    """Of each sector of each request: 1 if it is the first read of the sector, 2 if the first write."""
    out = np.zeros(len(sectors), np.uint8)
    room = 16
    while room < 2 * len(sectors):
        room *= 2
    keys = np.full(room, -1, np.int64)
    seen = np.zeros(room, np.uint8)
    for k in range(len(requests)):
        kind = requests[k, 2]
        bit = 1 if kind == _LOAD or kind == _LOCAL_LOAD else 2
        for i in range(requests[k, 4], requests[k, 4] + requests[k, 5]):
            slot = np.int64((np.uint64(sectors[i]) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & (room - 1)
            while keys[slot] != -1 and keys[slot] != sectors[i]:
                slot = (slot + 1) & (room - 1)
            keys[slot] = sectors[i]
            if not seen[slot] & bit:
                # A read behind the block's own write finds it in L2.
                if not (bit == 1 and seen[slot] & 2):
                    out[i] = bit
                seen[slot] |= bit
    return out


gather = jit_into(_FOLDER, _gather)
match = jit_into(_FOLDER, _match)
first_touches = jit_into(_FOLDER, _first_touches)
FOLDER = _FOLDER
