"""Accesses of the whole grid that go one after another at one place of L2: the least clocks that they take."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.timing import constants as c
from mutate.sim.timing.sampling import Sample, Streams

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_SECTOR = 5
# Words that a warp adds to in a turn of a sector: all of its eight, or two of 8 bytes.
_WORDS, _WIDE_WORDS = 8, 2


def least_clocks(sample: Sample, listing: Sequence[Instruction], cycles: float, sms: int, first: float = 0.0
                 ) -> tuple[float, str]:
    """The least clocks, and what takes them, of a launch that would take ``cycles`` on ``sms`` SMs but for that.

    ``first``: when the first atomic operation came.
    """
    found = (first + _atomics(sample, listing), "atomics at one place")
    stores = _most_stores(sample)
    if cycles > c.STORE_MERGED * stores / min(sms, sample.grid_blocks):
        found = max(found, (stores * c.STORE_SAME, "stores to one place"))
    return found


def _scale(sample: Sample) -> float:
    return sample.grid_blocks / len(sample.blocks)


def _records(s: Streams, kind: int) -> tuple[Ints, Ints, Ints]:
    """Records that have requests of a kind, their requests' numbers, and the numbers of their warps."""
    wanted = np.zeros(len(s.requests) + 1, np.bool_)
    wanted[:-1] = (s.requests[:, 2] == kind) & (s.requests[:, 5] > 0)
    at = np.flatnonzero(wanted[s.request])
    # Blocks are kept in the order in which they ran.
    firsts = s.starts[:, :-1].ravel()
    order = np.argsort(firsts, kind="stable")
    return at, s.request[at], order[np.searchsorted(firsts[order], at, side="right") - 1]


def _of_several(places: Ints, which: Ints, blocks: Ints) -> npt.NDArray[np.bool_]:
    """Of each of so many places, whether several blocks have it; ``which`` of them an access is to, by which block."""
    lowest, highest = np.full(len(places), np.iinfo(np.int64).max), np.full(len(places), -1)
    np.minimum.at(lowest, which, blocks)
    np.maximum.at(highest, which, blocks)
    return highest > lowest


def _added(s: Streams, adds: Ints) -> tuple[Ints, Ints]:
    """Of additions, by their requests' numbers: of each sector, once for each turn, which of them it is of, and it."""
    counts = s.requests[adds, 5]
    which = np.repeat(np.arange(len(adds)), counts)
    first = np.repeat(s.requests[adds, 4] - (np.cumsum(counts) - counts), counts)
    return which, s.sectors[first + np.arange(len(which))]


def stay(sample: Sample) -> float:
    """How many additions of a warp in a row are at one place, on average, of places that are no other block's.

    One that is at several places counts for a part of one. At least 1, which is also the answer where nothing is added.
    """
    s = sample.streams
    at, adds, warps = _records(s, lay.H_GLOBAL_ATOMIC)
    if not len(at):
        return 1.0
    which, sectors = _added(s, adds)
    found = _place_of(sectors)
    places = _place_of(s.sectors[s.requests[adds, 4]])
    several = np.ones(len(at), np.int64)
    np.add.at(several, which[1:], (found[1:] != found[:-1]) & (which[1:] == which[:-1]))
    names, place = np.unique(places, return_inverse=True)
    shared = _shared(sample, names, place, warps)
    other = np.ones(len(at), np.bool_)
    other[1:] = (places[1:] != places[:-1]) | (warps[1:] != warps[:-1])
    own = ~shared[place]
    return max(1.0, float((own / several).sum() / max(1, (own & other).sum())))


def _shared(sample: Sample, names: Ints, which: Ints, warps: Ints) -> npt.NDArray[np.bool_]:
    """Whether other blocks are known to add at each place. ``which``: of each addition; ``warps``: whose it is."""
    elsewhere = _others(sample)
    if elsewhere is not None:
        return np.isin(names, elsewhere)
    return _of_several(names, which, warps // (sample.streams.starts.shape[1] - 1))


def _place_of(sectors: Ints) -> Ints:
    return sectors >> 5 << 1 | sectors >> 3 & 1


def _others(sample: Sample) -> Ints | None:
    """Places that a block elsewhere adds to, where one block was sampled: what it has alone is no other's."""
    if len(sample.blocks) > 1 or sample.other is None:
        return None
    return _place_of(_added(sample.other, _records(sample.other, lay.H_GLOBAL_ATOMIC)[1])[1])


def _atomics(sample: Sample, listing: Sequence[Instruction]) -> float:
    """Those at the place that has most of them, and the share of all others that the part of L2 has where it lies.

    A place: every other 256 bytes of a KB (``constants.ATOMIC_PARTS``).
    """
    s = sample.streams
    at, adds, warps = _records(s, lay.H_GLOBAL_ATOMIC)
    if not len(at):
        return 0.0
    counts = s.requests[adds, 5]
    which, sectors = _added(s, adds)
    places = _place_of(sectors)
    wide = np.array([".64" in i.opcode or ".F64" in i.opcode for i in listing])[s.requests[adds, 1]]
    words = np.where(wide, _WIDE_WORDS, _WORDS)
    whole = np.bitwise_count(s.requests[adds, 3].astype(np.uint64)) >= words * counts
    takes = np.where(whole, c.ATOMIC_WHOLE, c.ATOMIC_SAME)[which]
    names, place = np.unique(places, return_inverse=True)
    floating = np.array([any(f".{kind}" in i.opcode for kind in ("F16", "BF16", "F32", "F64")) for i in listing])
    waits = _waits(sectors, which, takes, place, floating[s.requests[adds, 1]][which])
    each = np.bincount(place, weights=takes) * _scale(sample)
    # What one of several blocks has alone is no other block's.
    shared = _shared(sample, names, place, warps[which]) | (len(sample.blocks) == 1 and sample.other is None)
    mine = np.where(shared, each, each / _scale(sample))
    asked = len(np.unique(which * len(names) + place)) / len(names)
    others = each.sum() - each[int(mine.argmax())]
    return max(_most(mine, asked) + (others / c.ATOMIC_PARTS if len(names) > c.ATOMIC_APART else 0.0),
               _most(np.where(shared, each + waits * _scale(sample), 0.0), asked))


def _most(each: Floats, asked: float) -> float:
    """Of places that all have as many, ``asked`` of a sample, one has more by chance in it: so much is taken off."""
    chance = math.sqrt(2.0 * math.log(len(each)) / asked) * each.mean()
    return float(each.mean() + math.sqrt(max(0.0, (each.max() - each.mean()) ** 2 - chance**2)))


def _waits(sectors: Ints, which: Ints, takes: Floats, place: Ints, sums: npt.NDArray[np.bool_]) -> Floats:
    """Clocks at each place, of one block of each sampled, that sums of floating-point numbers wait for others before.

    ``sectors``: one row for each turn of a sector, of addition ``which``, which ``takes`` so long; ``sums``: whether it
    is one. In a sector each waits for the one before. What a warp adds in a line goes at once: other sectors' sums are
    in between, and those of other warps if they are to other sectors (``constants.ATOMIC_TURNS``).
    """
    out = np.zeros(int(place.max()) + 1)
    sectors, which, takes, place = sectors[sums], which[sums], takes[sums], place[sums]
    if not len(sectors):
        return out
    # Sectors rise, and each is there once for each sum that goes after another.
    begins = np.flatnonzero(_changes(which) | _changes(sectors))
    lines = np.flatnonzero(_changes(which[begins]) | _changes(sectors[begins] >> 2))
    after = np.diff(np.append(begins, len(sectors)))
    together = np.add.reduceat(np.add.reduceat(takes, begins), lines)
    more = np.maximum(c.ATOMIC_SUM * np.maximum.reduceat(after, lines) - together, 0.0)
    # In a place as many sectors as would have as much to do each take turns.
    keys, key = np.unique(sectors[begins[lines]], return_inverse=True)
    at = np.zeros(len(keys), np.int64)
    at[key] = place[begins[lines]]
    each = np.bincount(key, weights=together + more)
    turns = np.bincount(at, weights=each, minlength=len(out))**2 / np.maximum(
        np.bincount(at, weights=each**2, minlength=len(out)), 1e-9)
    np.add.at(out, at[key], more)
    return out * np.maximum(turns, 1.0)**-c.ATOMIC_TURNS


def _changes(of: Ints) -> npt.NDArray[np.bool_]:
    """Where it is another than before; at the first, too."""
    return np.append(True, of[1:] != of[:-1])


def _most_stores(sample: Sample) -> float:
    """Stores of one sector, in the whole grid, at the place that has most of them, of places that several blocks have:

    they go one after another, too. Those that follow each other in a warp are one.
    """
    s = sample.streams
    at, stores, warps = _records(s, lay.H_GLOBAL_STORE)
    if len(sample.blocks) < 2 or not len(at):
        return 0.0
    requests = s.requests[stores]
    firsts = s.sectors[requests[:, 4]]
    other = np.ones(len(at), np.bool_)
    other[1:] = (firsts[1:] != firsts[:-1]) | (warps[1:] != warps[:-1])
    single = other & (requests[:, 5] == 1)
    names, place, counts = np.unique(firsts[single] >> (c.STORE_PLACE - _SECTOR), return_inverse=True,
                                     return_counts=True)
    shared = counts[_of_several(names, place, warps[single] // (s.starts.shape[1] - 1))]
    return float(shared.max()) * _scale(sample) if len(shared) else 0.0
