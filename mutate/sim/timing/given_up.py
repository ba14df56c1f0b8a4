"""What L2 has given up between a warp's read at random of a sector and its store there, because of what came meanwhile.

All warps that are resident do what this one does: lines that each reads from its read on, until its store, come from
DRAM in between. L2 gives up what was touched longest ago, more or less.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing import constants as c
from mutate.sim.timing.asked import places_of
from mutate.sim.timing.sampling import Streams
from mutate.sim.timing.touches import READ_BEFORE

Array = npt.NDArray[Any]
HALF_GIVEN_UP, WIDTH = 1.0, 0.34
"""Lines that come in between, over those that L2 has room for, at which half of the sectors are given up, and the

standard deviation of that (exchanges.cu on an H100, h100_exchanges_sectors.csv: of 64 and 128 MB 10 and 28 % where a
thread has one element, 35 and 62 % where it has two, 54 and 80 % of four; nearly all of these are all but the last).
"""
_LOOKED_AT = 1 << 12
"""Requests of a warp that are looked at."""
_LINE = 128


def chance(lines: float) -> float:
    """That a sector is given up while so many times what L2 has room for comes from DRAM."""
    return 0.5 * (1.0 + math.erf((lines - HALF_GIVEN_UP) / (WIDTH * math.sqrt(2.0))))


def give_up(lost: Array, s: Streams, regions: Sequence[int], come: Array, blocks: int, l2_bytes: float) -> None:
    """Enters in ``lost`` for some arrays the mean chance of the stores to sectors that the same warp has read; what was

    there stays of those without any. ``come``: of each array the part of a warp's reads of a line that comes from DRAM;
    ``blocks``: that are resident, on all SMs.
    """
    if not regions:
        return
    sums, counts = np.zeros(len(lost)), np.zeros(len(lost), np.int64)
    room = l2_bytes * c.SHARED / (_LINE * blocks * (s.starts.shape[1] - 1))
    for row in s.starts.tolist():
        for first, last in itertools.pairwise(row):
            asked = s.request[first:last]
            for region, lines in _between(s, asked[asked >= 0][:_LOOKED_AT], regions, come):
                sums[region] += sum(map(chance, (lines / room).tolist()))
                counts[region] += len(lines)
    told = counts > 0
    lost[told] = sums[told] / counts[told]


def read_before(s: Streams, arrays: int) -> Array:
    """Of each array the part of the sectors which a block writes that it has read before."""
    written = s.touch & 2 > 0
    before = np.bincount(s.region[written & (s.touch & READ_BEFORE > 0)], minlength=arrays)
    return np.asarray(before / np.maximum(1, np.bincount(s.region[written], minlength=arrays)))


def _between(s: Streams, asked: Array, regions: Sequence[int], part: Array) -> list[tuple[int, Array]]:
    """Of each array for each sector that a warp stores the lines that it has read since it has read that sector."""
    kinds = s.requests[asked, 2]
    stores = np.flatnonzero(kinds != lay.H_GLOBAL_LOAD)
    reads = np.flatnonzero(kinds == lay.H_GLOBAL_LOAD)
    if not len(stores) or not len(reads):
        return []
    of, at = np.repeat(reads, s.requests[asked[reads], 5]), places_of(s, asked[reads])
    anew = np.diff(s.sectors[at] >> 2, prepend=-1) != 0
    anew |= np.diff(of, prepend=-1) != 0
    lines = np.bincount(of, part[s.region[at]] * anew, len(asked))
    before = np.concatenate(([0.0], np.cumsum(lines)))
    # Sectors in order of the warp's requests of them; the read before each store stands beside it.
    span = len(asked) + 1
    read = np.sort(s.sectors[at] * span + of)
    to, at = np.repeat(stores, s.requests[asked[stores], 5]), places_of(s, asked[stores])
    found = []
    for region in regions:
        mine = (s.region[at] == region) & (s.touch[at] & READ_BEFORE != 0)
        keys = s.sectors[at[mine]] * span + to[mine]
        place = np.searchsorted(read, keys) - 1
        had = (place >= 0) & (read[place] // span == keys // span)
        found.append((region, before[keys[had] % span] - before[read[place[had]] % span]))
    return found

