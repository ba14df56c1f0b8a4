"""Accesses of the whole grid that go one after another at one place of L2: the least clocks that they take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.timing import constants as c
from mutate.sim.timing.broken import Beside, broken, share, stored, together, turns
from mutate.sim.timing.sampling import Sample, Streams

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_SECTOR = 5
# Words that a warp adds to in a turn of a sector: all of its eight, or two of 8 bytes.
_WORDS, _WIDE_WORDS = 8, 2
_PLACE, _ROW = 16, 4
"""Sectors of a place, and of so many that a block has of each it has a row."""
_CONTESTED = 4.0
"""How many times as often a place is asked for while a grid begins as later, where it is contested then. A guess."""
_STANDS_OUT, _DEVIATIONS, _CLEAR = 4.0, 2.0, 3.0
"""How many times as often as on average a place is added to that stands out, how many standard deviations more of the

sampled blocks than by chance (and one) add there, and how many more than that where it is clear. Guesses that tell the
counters of tests/machines/tallies.cu from the neighbours' words of edges.cu and the rows of adds.cu.
"""


def least_clocks(sample: Sample, listing: Sequence[Instruction], beside: Beside, sms: int, resident: int
                 ) -> tuple[float, str]:
    """The least clocks, and what takes them, of a launch on ``sms`` SMs. ``resident``: blocks on an SM."""
    found = (_atomics(sample, listing, sms * resident, beside), "atomics at one place")
    stores = _most_stores(sample)
    if stores > 0.0:
        found = max(found, (stored(stores, beside, min(sms, sample.grid_blocks)), "stores to one place"))
    return max(found, (c.DEPENDENTS * _letting(sample, listing), "blocks that let dependent grids start"))


def _letting(sample: Sample, listing: Sequence[Instruction]) -> float:
    """How many blocks of the grid let a dependent grid start."""
    says = np.array([i.opcode == "PREEXIT" for i in listing], np.bool_)
    if not says.any():
        return 0.0
    s = sample.streams
    firsts, ends = s.starts[:, 0], s.starts[:, -1]
    return scale_of(sample) * sum(bool(says[s.pc[a:b]].any()) for a, b in zip(firsts, ends, strict=True))


def scale_of(sample: Sample) -> float:
    """The blocks of the grid for each that was sampled."""
    return sample.grid_blocks / len(sample.blocks)


def records_of(s: Streams, kind: int) -> tuple[Ints, Ints, Ints]:
    """Records that have requests of a kind, their requests' numbers, and the numbers of their warps."""
    wanted = np.zeros(len(s.requests) + 1, np.bool_)
    wanted[:-1] = (s.requests[:, 2] == kind) & (s.requests[:, 5] > 0)
    at = np.flatnonzero(wanted[s.request])
    # Blocks are kept in the order in which they ran, those of others among them.
    firsts, ends = s.starts[:, :-1].ravel(), s.starts[:, 1:].ravel()
    order = np.argsort(firsts, kind="stable")
    rank = np.searchsorted(firsts[order], at, side="right") - 1
    warps = order[rank]
    mine = (rank >= 0) & (at < ends[warps])
    return at[mine], s.request[at[mine]], warps[mine]


def _of_several(places: Ints, which: Ints, blocks: Ints) -> npt.NDArray[np.bool_]:
    """Of each of so many places, whether several blocks have it; ``which`` of them an access is to, by which block."""
    lowest, highest = np.full(len(places), np.iinfo(np.int64).max), np.full(len(places), -1)
    np.minimum.at(lowest, which, blocks)
    np.maximum.at(highest, which, blocks)
    return highest > lowest


def sectors_of(s: Streams, adds: Ints) -> tuple[Ints, Ints]:
    """Of requests, by their numbers: of each sector which of them it is of, and it; of additions once for each turn."""
    counts = s.requests[adds, 5]
    which = np.repeat(np.arange(len(adds)), counts)
    first = np.repeat(s.requests[adds, 4] - (np.cumsum(counts) - counts), counts)
    return which, s.sectors[first + np.arange(len(which))]


def stay(sample: Sample) -> float:
    """How many additions of a warp in a row are at one place, on average, of places that are no other block's.

    One that is at several places counts for a part of one. At least 1, which is also the answer where nothing is added.
    """
    s = sample.streams
    at, adds, warps = records_of(s, lay.H_GLOBAL_ATOMIC)
    if not len(at):
        return 1.0
    which, sectors = sectors_of(s, adds)
    found = place_of(sectors)
    places = place_of(s.sectors[s.requests[adds, 4]])
    several = np.ones(len(at), np.int64)
    np.add.at(several, which[1:], (found[1:] != found[:-1]) & (which[1:] == which[:-1]))
    names, place = np.unique(places, return_inverse=True)
    shared = shared_of(sample, names, place, warps)
    other = np.ones(len(at), np.bool_)
    other[1:] = (places[1:] != places[:-1]) | (warps[1:] != warps[:-1])
    own = ~shared[place]
    return max(1.0, float((own / several).sum() / max(1, (own & other).sum())))


def shared_of(sample: Sample, names: Ints, which: Ints, warps: Ints, kind: int = lay.H_GLOBAL_ATOMIC
              ) -> npt.NDArray[np.bool_]:
    """Whether other blocks are known to ask for each place, by requests of a kind. ``which``: of each; ``warps``: whose

    it is.
    """
    elsewhere = _others(sample, kind)
    if elsewhere is not None:
        return np.isin(names, elsewhere)
    return _of_several(names, which, warps // (sample.streams.starts.shape[1] - 1))


def place_of(sectors: Ints) -> Ints:
    """Numbers of places: every other 256 bytes of a KB are one (``constants.ATOMIC_PARTS``)."""
    return sectors >> 5 << 1 | sectors >> 3 & 1


def _others(sample: Sample, kind: int) -> Ints | None:
    """Places that a block elsewhere asks for, where one block was sampled: what it has alone is no other's."""
    if len(sample.blocks) > 1 or sample.other is None:
        return None
    return place_of(sectors_of(sample.other, records_of(sample.other, kind)[1])[1])


class _Adds(NamedTuple):
    """Additions, a row for each turn of a sector: of which request, of which warp, its sector and place, the place's

    number among ``names``, how long it takes there, and whether it is a sum of floating-point numbers.
    """

    which: Ints
    warps: Ints
    sectors: Ints
    place: Ints
    names: Ints
    takes: Floats
    sums: npt.NDArray[np.bool_]


def _adds_of(s: Streams, listing: Sequence[Instruction]) -> _Adds | None:
    _, adds, warps = records_of(s, lay.H_GLOBAL_ATOMIC)
    if not len(adds):
        return None
    counts, pcs = s.requests[adds, 5], s.requests[adds, 1]
    which, sectors = sectors_of(s, adds)
    wide = np.array([".64" in i.opcode or ".F64" in i.opcode for i in listing])[pcs]
    words = np.where(wide, _WIDE_WORDS, _WORDS)
    whole = np.bitwise_count(s.requests[adds, 3].astype(np.uint64)) >= words * counts
    takes = np.where(whole, c.ATOMIC_WHOLE, c.ATOMIC_SAME)[which]
    floating = np.array([any(f".{kind}" in i.opcode for kind in ("F16", "BF16", "F32", "F64")) for i in listing])
    names, place = np.unique(place_of(sectors), return_inverse=True)
    return _Adds(which, warps[which], sectors, place, names, takes, floating[pcs][which])


def _atomics(sample: Sample, listing: Sequence[Instruction], at_once: int, beside: Beside) -> float:
    """Those at the place that has most of them, and the share of all others that the part of L2 has where it lies.

    A place: every other 256 bytes of a KB (``constants.ATOMIC_PARTS``). ``at_once``: blocks that run at once.
    """
    adds = _adds_of(sample.streams, listing)
    if adds is None:
        return 0.0
    tried = np.unique(adds.warps // (sample.streams.starts.shape[1] - 1) * len(adds.names) + adds.place)
    waits = _waits(adds, scale_of(sample) * np.bincount(tried % len(adds.names)).astype(np.float64))
    each = np.bincount(adds.place, weights=adds.takes) * scale_of(sample)
    # What one of several blocks has alone is no other block's.
    shared = shared_of(sample, adds.names, adds.place, adds.warps) | (len(sample.blocks) == 1 and sample.other is None)
    mine = np.where(shared, each, each / scale_of(sample))
    chance = _by_chance(adds, sample.streams, len(sample.blocks)) * scale_of(sample)
    hottest = int(mine.argmax())
    others = each.sum() - each[hottest]
    longer = each + waits * scale_of(sample)
    summed = np.where(shared, longer, longer / scale_of(sample))
    at_one = _most(mine, chance) + (others / c.ATOMIC_PARTS if len(adds.names) > c.ATOMIC_APART else 0.0)
    most = max(at_one, _most(summed, chance * longer.sum() / each.sum()),
               min(_by_axes(sample, listing, at_once), float(longer.sum())))
    if not shared[hottest]:
        return beside.first + most
    added, count = len(adds.place), int((adds.place == hottest).sum())
    blocks = int((tried % len(adds.names) == hottest).sum())
    mean = added / len(adds.names)
    # Of few places each is in a part of its own.
    few = count == added or (blocks == len(sample.blocks) and len(adds.names) <= c.ATOMIC_APART)
    elsewhere = 0 if few else added - count
    alone = 1.0 if few else _stands_out(count / mean, blocks, len(sample.blocks), mean)
    far = beside.far * added / max(1, elsewhere)
    at_one += alone * (share(beside) + broken(count * scale_of(sample), elsewhere * scale_of(sample), far))
    # By chance the place has more in a sample.
    usual = count * scale_of(sample) * _most(mine, chance) / max(1.0, float(mine[hottest]))
    most = max(most, at_one, alone * turns(usual, beside))
    return together(beside.cycles, beside.first, most, alone * float(each[hottest]) / max(1.0, most))


def contested(sample: Sample, listing: Sequence[Instruction]) -> float:
    """Clocks that atomic operations take at one place while the grid begins, where later hardly any comes there.

    Whoever keeps a greatest value, and first looks whether theirs is greater, asks to swap it as long as all find the
    first one (wide_most<0> of tests/machines/maxima.cu: 270,000 threads that are resident 300 us, whatever follows). A
    warp's first request counts: how many try again differs from run to run (ncu: 1.0 to 2.3 of each thread). With all
    that the turns have, wide_most<0> is nearer (-10 % instead of -28) and a judging kernel, ``jacobi``, whose threads
    come one after another from DRAM, 114 % too slow: which it is was chosen with that in view, and wants a
    microbenchmark.
    """
    begun = sample.beginning
    adds = _adds_of(begun.streams, listing) if begun is not None else None
    if begun is None or adds is None:
        return 0.0
    each = np.bincount(adds.place, weights=adds.takes)
    hottest = int(each.argmax())
    tried = adds.place == hottest
    first = np.full(int(adds.warps.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, adds.warps[tried], adds.which[tried])
    asked = float(adds.takes[tried & (adds.which == first[adds.warps])].sum())
    begins = asked * begun.blocks / len(begun.streams.starts)
    after = _adds_of(sample.streams, listing)
    later = 0.0
    if after is not None:
        there = after.names[after.place] == adds.names[hottest]
        later = float(after.takes[there].sum()) * begun.blocks / len(sample.blocks)
    return begins - later if begins > _CONTESTED * later else 0.0


def _stands_out(times: float, blocks: int, sampled: int, mean: float) -> float:
    """Whether a place is one that the grid adds to, from 0 to 1, and no other is like it.

    ``times``: as often as the ``mean`` of all places it is added to; ``blocks`` of the sampled ones do so. It is where
    more do than by chance, or all of them, and several times as often as elsewhere.
    """
    if blocks == sampled and times >= _STANDS_OUT:
        return 1.0
    by_chance = -sampled * math.expm1(-mean / sampled)
    return min(1.0, max(0.0, (blocks - by_chance - _DEVIATIONS * math.sqrt(by_chance) - 1.0) / _CLEAR))


def _most(each: Floats, chance: float) -> float:
    """Of places that all have as many one has more by ``chance`` in a sample: so much is taken off."""
    return float(each.mean() + math.sqrt(max(0.0, (each.max() - each.mean()) ** 2 - chance**2)))


def _by_chance(adds: _Adds, s: Streams, sampled: int) -> float:
    """By how much the place that has most in a sample has more than the others by chance, as sampled blocks differ."""
    count = len(adds.names)
    _, which = np.unique(adds.warps // (s.starts.shape[1] - 1) * count + adds.place, return_inverse=True)
    of_blocks = np.bincount(which, weights=adds.takes)
    mean = of_blocks.sum() / count / sampled
    variance = max((of_blocks**2).sum() / count - sampled * mean**2,
                   of_blocks.sum() / count * float(adds.takes.mean()))
    return math.sqrt(2.0 * math.log(count) * variance)


def _by_axes(sample: Sample, listing: Sequence[Instruction], at_once: int) -> float:
    """The clocks that all take where blocks along an axis of the grid add to the same sectors, which few sampled ones

    show, and those along another to others (strip_sums of tests/machines/sums.cu).

    Where they begin after each other, other blocks' places have nothing to do meanwhile.
    """
    mine = _adds_of(sample.first, listing)
    if mine is None or not sample.whole_near:
        return 0.0
    sectors, first = np.unique(mine.sectors, return_index=True)
    same, span = np.ones((2, len(sectors)), np.int64)
    for n in sample.whole_near:
        theirs = _adds_of(n.streams, listing)
        if theirs is not None:
            here = np.isin(sectors, theirs.sectors)
            same[here] *= n.along
            span[here] = np.maximum(span[here], n.distance * n.along)
    place = mine.place[first]
    blocks, along = np.full((2, len(mine.names)), sample.grid_blocks)
    np.minimum.at(blocks, place, same)
    np.minimum.at(along, place, span)
    # Sectors of a row that are not its own are other blocks'. Blocks that begin together are in the same one.
    mine_of = np.bincount(place)
    rows = np.where(mine_of >= _ROW, _PLACE / mine_of, 1.0)
    took = blocks * rows * (np.bincount(mine.place, weights=mine.takes) + _waits(mine, along.astype(np.float64)))
    part = np.minimum(1.0, np.maximum(along * rows, at_once) / sample.grid_blocks)
    return float(np.where((blocks > 1) & (blocks < sample.grid_blocks), took / part, 0.0).max())


def _waits(adds: _Adds, blocks: Floats) -> Floats:
    """Clocks at each place that sums of floating-point numbers wait for others before. ``blocks``: that add there.

    In a sector each waits for the one before. What a warp adds in a line goes at once: other sectors' sums are in
    between, and those of other warps if they are to other sectors (``constants.ATOMIC_TURNS``). Warps that stay in a
    sector for several additions, and then go on to the next, are in the same one, unless they are of many blocks
    (``constants.ATOMIC_STEP``).
    """
    out = np.zeros(len(adds.names))
    which, warps, sectors, place = (a[adds.sums] for a in (adds.which, adds.warps, adds.sectors, adds.place))
    takes = adds.takes[adds.sums]
    if not len(sectors):
        return out
    # Sectors rise, and each is there once for each sum that goes after another.
    begins = np.flatnonzero(differs(which) | differs(sectors))
    lines = np.flatnonzero(differs(which[begins]) | differs(sectors[begins] >> 2))
    after = np.diff(np.append(begins, len(sectors)))
    together = np.add.reduceat(np.add.reduceat(takes, begins), lines)
    more = np.maximum(c.ATOMIC_SUM * np.maximum.reduceat(after, lines) - together, 0.0)
    # In a place as many sectors as would have as much to do each take turns.
    keys, key = np.unique(sectors[begins], return_inverse=True)
    at = np.zeros(len(keys), np.int64)
    at[key] = place[begins]
    each = np.bincount(key, weights=after)
    turns = np.bincount(at, weights=each, minlength=len(out))**2 / np.maximum(
        np.bincount(at, weights=each**2, minlength=len(out)), 1e-9)
    np.add.at(out, place[begins[lines]], more)
    mine = warps[begins]
    runs = int((differs(mine) | differs(key)).sum())
    if len(key) >= 2 * runs:
        # How many sectors of a place a warp goes through.
        pairs = np.unique(mine * len(keys) + key)
        through = np.bincount(at[pairs % len(keys)], minlength=len(out))
        ways = np.bincount(np.unique(pairs // len(keys) * len(out) + at[pairs % len(keys)]) % len(out),
                           minlength=len(out))
        turns = np.maximum(turns * ways / np.maximum(through, 1), np.minimum(turns, np.sqrt(blocks / c.ATOMIC_STEP)))
    return out * _waited(turns)


def _waited(turns: Floats) -> Floats:
    """The part that is still waited for where so many sectors take turns."""
    full = math.log2(c.ATOMIC_TURNS)
    return np.asarray(np.maximum(0.0, 1.0 - np.log2(np.maximum(turns, 1.0)) / full)**c.ATOMIC_TURNED)


def differs(of: Ints) -> npt.NDArray[np.bool_]:
    """Where it is another than before; at the first, too."""
    return np.append(True, of[1:] != of[:-1])


def _most_stores(sample: Sample) -> float:
    """Stores of one sector, in the whole grid, at the place that has most of them, of places that several blocks have:

    they go one after another, too. Those that follow each other in a warp are one.
    """
    s = sample.streams
    at, stores, warps = records_of(s, lay.H_GLOBAL_STORE)
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
    return float(shared.max()) * scale_of(sample) if len(shared) else 0.0
