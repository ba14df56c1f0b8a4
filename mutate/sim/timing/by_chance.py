"""Reads at random: which arrays are read so, of how many sectors, and how many of them go on to DRAM."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing import constants as c
from mutate.sim.timing.asked import of_block, places_of
from mutate.sim.timing.sampling import Sample, Streams
from mutate.sim.timing.touches import ALONE, PAIRS, SECTORS, WRITES, go_on, spread

Array = npt.NDArray[Any]
_LOOKED_AT, _LEAST_LOOKED_AT = 1 << 16, 32
"""Requests that are looked at, to tell whether they go to places at random."""
_PCS = 1 << 20
"""More than a kernel has instructions."""
KINDS = (lay.H_GLOBAL_LOAD,), (lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC)
"""Requests that read, and that write."""
_CAUGHT = 8
"""Places that blocks have in common by chance, of how many are told to a third or so."""
_TWICE, _OFTEN, _UNLIKE = 32, 1.5, 0.9
"""Places that two blocks have, at least, to tell by them how many there are; how many blocks have one, at most; and up
to which part of all that is told, as more may be by chance."""
_FEW, _ROW = 4, 8
"""Sampled blocks that are too few to tell what they have in common by chance; sectors read together, at most."""


def far_apart(sample: Sample) -> Array:
    """Of each array whether most sectors that are read, and most that are written, are those of requests whose lanes

    are far from each other, at no stride; shape (arrays, 2).
    """
    s = sample.streams
    found = np.zeros((len(sample.initial.regions) + 1, 2, 2), np.int64)
    spread(s.requests, s.sectors, s.region, found)
    return np.asarray(found[:, :, 1] > 0.5 * found[:, :, 0])


def scattered(sample: Sample) -> Array:
    """The same but for what is written on where the warp wrote before: lists of lanes, however their lengths differ."""
    out = far_apart(sample)
    if out[:, WRITES].any():
        s = sample.streams
        written = np.zeros((len(out), 2), np.int64)
        go_on(s.pc, s.request, s.starts, s.requests, s.sectors, s.region, np.full(int(s.pc.max()) + 1, -1), written)
        out[:, WRITES] &= 2 * written[:, 1] <= written[:, 0]
    return out


def jumping(s: Streams, arrays: int, kinds: tuple[int, ...]) -> Array:
    """Of each array whether its requests of some kinds go from place to place without order: hardly a distance from one

    of an instruction's to the next comes twice, and half of the places are farther up, or farther down, than the one
    before and the one after (two thirds, of numbers drawn).
    """
    out = np.zeros(arrays, np.bool_)
    records = np.flatnonzero(s.request >= 0)
    asked = s.request[records]
    wanted = np.isin(s.requests[asked, 2], kinds)
    pcs, asked = s.pc[records[wanted]], asked[wanted]
    order = np.lexsort((asked, pcs))[:_LOOKED_AT]
    pcs, first = pcs[order], s.requests[asked[order], 4]
    at, regions = s.sectors[first], s.region[first]
    for a in np.unique(regions).tolist():
        mine = regions == a
        same = pcs[mine][1:] == pcs[mine][:-1]
        steps = np.diff(at[mine])
        turns = np.sign(steps[1:]) * np.sign(steps[:-1]) < 0
        seen = int(same.sum())
        # Two instructions may read words of the same places, in turn.
        distances = np.unique(steps[same] * _PCS + pcs[mine][1:][same])
        out[a] = (seen >= _LEAST_LOOKED_AT and 2 * len(distances) > seen
                  and 2 * int((turns & same[1:] & same[:-1]).sum()) > seen)
    return out


def taken_at_random(tally: Array, blocks: int) -> float:
    """Of how many sectors the sampled blocks seem to have taken theirs at random; 1 << 60 where they do not.

    Blocks far from each other then have some in common, each of them in few: as many as chance lets expect, where what
    all blocks read would be common to all.
    """
    pairs, sectors, alone = (float(tally[k]) for k in (PAIRS, SECTORS, ALONE))
    count = places(pairs, sectors)
    if blocks < _FEW or count >= 1 << 60:
        return float(1 << 60)
    common = sectors - alone
    expected = sectors - pairs * math.exp(-pairs / count)
    return count if abs(common - expected) <= 4 * math.sqrt(_ROW * expected) else float(1 << 60)


def caught_of(sample: Sample, arrays: int, kinds: tuple[int, ...]) -> Array:
    """Of how many sectors of each array few blocks have had theirs by requests of some kinds, another one by any, if at

    random: as few as two of them have in common tell. 1 << 60 where more blocks were sampled, which tell it themselves,
    or where too few places are common.
    """
    out = np.full(arrays, float(1 << 60))
    if len(sample.blocks) < _FEW and sample.other is not None:
        mine = [_had(sample.streams, k, kinds, arrays) for k in range(len(sample.blocks))]
        other = _had(sample.other, 0, (*KINDS[0], *KINDS[1]), arrays)
        pairs, common = np.zeros((2, arrays))
        for a, b in (*((one, other) for one in mine), *combinations(mine, 2)):
            pairs += np.bincount(a.arrays, minlength=arrays) * np.bincount(b.arrays, minlength=arrays)
            common += np.bincount(a.arrays[np.isin(a.sectors, b.sectors)], minlength=arrays)
        told = common >= _CAUGHT * np.maximum(1.0, mine[0].together)
        out[told] = pairs[told] / common[told]
    return out


class _Had(NamedTuple):
    """The sectors that a block has by some requests, their arrays, and how many of each it has together (rows)."""

    sectors: Array
    arrays: Array
    together: Array


def _had(s: Streams, block: int, kinds: tuple[int, ...], arrays: int) -> _Had:
    _, at = of_block(s, kinds, block)
    goes_on = np.diff(s.sectors[at], prepend=-1) == 1
    all_of, begun = (np.bincount(s.region[a], minlength=arrays) for a in (at, at[~goes_on]))
    sectors, first = np.unique(s.sectors[at], return_index=True)
    return _Had(sectors, s.region[at[first]], all_of / np.maximum(1, begun))


def places(touched: float, sectors: float) -> float:
    """Of how many sectors so many reads at random found ``sectors`` different ones; 1 << 60 where none repeats."""
    if touched - sectors < 4 * math.sqrt(touched - sectors + 1):
        return float(1 << 60)
    low, high = sectors, touched * touched
    for _ in range(60):
        middle = math.sqrt(low * high)
        if -middle * math.expm1(-touched / middle) < sectors:
            low = middle
        else:
            high = middle
    return low


class Drawn(NamedTuple):
    """How many places a sampled block touches, of how many all seem to take theirs at random (1 << 60 where none

    repeats), and which part of what they touch is taken so: the rest are places that many come to.
    """

    each: float
    places: float
    part: float


def drawn_from(s: Streams, region: int, bit: int, shift: int) -> Drawn:
    """What sampled blocks touch of an array. ``bit``: of ``Streams.touch``; places are sectors ``>> shift``.

    If some places are wanted more often than others, of a tree's or of an index's first levels, those that one and two
    blocks have tell of the rest (A. Chao, "Nonparametric estimation of the number of classes in a population", 1984).
    """
    each = []
    for starts in s.starts:
        asked = s.request[starts[0] : starts[-1]]
        at = places_of(s, asked[asked >= 0])
        each.append(_different(s.sectors[at[(s.touch[at] & bit > 0) & (s.region[at] == region)]] >> shift))
    count = sum(map(len, each))
    blocks = np.unique(np.concatenate(each), return_counts=True)[1]
    once, twice = int((blocks == 1).sum()), int((blocks == 2).sum())
    if twice >= _TWICE and 2 * twice < _OFTEN * once:
        often = 2.0 * twice / once
        part = once * math.exp(often) / count
        if part < _UNLIKE:
            return Drawn(count / len(each), part * count / often, part)
    return Drawn(count / len(each), places(count, len(blocks)), 1.0)


def _different(values: Array) -> Array:
    """As ``numpy.unique``, which hashes, several times as slowly as it sorts, unless it is asked for more."""
    return np.unique(values, return_counts=True)[0]


class Misses(NamedTuple):
    """Reads at random that go to DRAM: which ``part`` of all; after ``places`` of them only a part 1/e of the rest is

    new, until ``least`` of them go there because L2 has given up what they want.
    """

    part: float
    places: float
    least: float


class Reads(NamedTuple):
    """Reads of an array at random: how many, of how many places, of which DRAM gives ``given`` sectors each: one, or

    the two of 64 bytes, of which one or both are wanted. Of ``alone`` places beside each other one takes the room of
    all in L2: of what is stored where it was read, the two of a line.
    """

    number: float
    places: float
    given: int
    alone: int = 1

    def had(self, part: float) -> float:
        """Places that a part of the reads finds, each counted once."""
        return -self.places * math.expm1(-part * self.number / self.places)

    def filled(self, part: float) -> float:
        """Bytes of L2 that they take."""
        room = 32 * self.given * (c.SHARED / c.SHARED_LINES if self.alone > 1 else 1.0)
        return -room * self.places * math.expm1(-part * self.alone * self.number / self.places)


def random_misses(reads: Reads, beside: Sequence[Reads], other: float, l2_bytes: float) -> Misses:
    """What goes to DRAM of reads at random. ``beside``: those of other arrays; ``other``: bytes that else go through L2

    meanwhile. L2 gives up what was read longest ago, of whichever array.
    """
    room = l2_bytes * c.SHARED

    def filled(part: float) -> float:
        return sum(r.filled(part) for r in (reads, *beside)) + other * part

    if filled(1.0) <= room:
        return Misses(min(1.0, reads.had(1.0) / reads.number), reads.places, 0.0)
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if filled(middle) < room else (low, middle)
    least = math.exp(-low * reads.number / reads.places)
    part = (reads.had(low) + (1.0 - low) * reads.number * least) / reads.number
    return Misses(min(1.0, part), reads.places, least)
