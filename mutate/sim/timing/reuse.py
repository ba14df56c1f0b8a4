"""What of a launch's memory requests goes on to DRAM, reckoned from what sampled blocks touch and have in common."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing import constants as c
from mutate.sim.timing.asked import of_first_block, where_blocks_begin
from mutate.sim.timing.by_chance import (
    KINDS,
    Reads,
    caught_of,
    drawn_from,
    jumping,
    places,
    random_misses,
    scattered,
    taken_at_random,
)
from mutate.sim.timing.given_up import give_up, read_before
from mutate.sim.timing.placing import blocks_of_sm
from mutate.sim.timing.revisit import before, firsts, lines_bytes, sought
from mutate.sim.timing.rooms import rooms_of
from mutate.sim.timing.sampling import Neighbour, Sample, Streams
from mutate.sim.timing.slides import slides_of
from mutate.sim.timing.touches import ALONE, PAIRS, PARTS, READS, SECTORS, WRITES, come_back
from mutate.sim.timing.uneven import differ
from mutate.sim.timing.updates import Updates, at_random, none_at_random, scattered_writes
from mutate.sim.timing.windows import in_window, windows_of

Array = npt.NDArray[Any]
_SECTOR = 5
_SAME_TIME, _SAME_PART = 16, 0.02
"""Instructions, and part of a warp's, that blocks may be apart which come to a sector at the same time. A guess."""
_FEW = 16
"""Part of a block's sectors of an array (one of so many) below which two blocks have next to none in common."""
_NEARLY_ALL = 0.9
"""The part of a block's sectors of an array of which it is said that each block reads them."""
_WAITED = 20
"""Instructions that a warp issues while another one waits for DRAM: at 20 clocks or so each, a guess."""
_KNOWN = 1 << 13
"""Sectors of an array that a block reads, at most, of which ``sectors.TWINS`` places remember nearly all."""


class Reuse(NamedTuple):
    """Of each array (and local memory, the last): how likely the first read and the first write of a sector by a block

    go to DRAM, whether sampled blocks have it in common, whether one of them alone comes back to sectors of it, the
    part of it that the grid does not read (1 where it is read at places that look random), and whether blocks come to
    what they have in common at the same times of theirs: then those that run at once wait for DRAM together
    (``constants.TOGETHER``).
    ``read_shared``: as ``read``, of sectors that several of the sampled blocks read, where ``read`` is of the others.
    ``read_places``, ``read_least``: of what is read at random, as ``by_chance.Misses`` has them, in reads of one SM.
    ``by_each``: whether each block reads most of it. ``merged`` and ``merged_later``: the part of the reads that L2
    does not get as they are merged with equal ones of neighbouring SMs, while the first blocks run and later;
    ``convoy``: whether neighbours have most of it in common, at the same times, and how, as ``together`` has it;
    ``crowd``: whether a row of the grid's blocks or a column has, of ``constants.CROWD`` or more that run at once.
    ``updates``: of its writes.
    """

    read: Array
    read_shared: Array
    read_places: Array
    read_least: Array
    written: Array
    common: Array
    by_each: Array
    again: Array
    sparse: Array
    together: Array
    merged: Array
    merged_later: Array
    convoy: Array
    crowd: Array
    updates: Updates


def beyond_l2(sample: Sample, local_bytes: float, l2_bytes: float) -> float:
    """The part of local memory's lines that L2 has lost when they are loaded again. ``local_bytes``: of all resident

    threads. Until each of them has been loaded once, the kernel's other traffic goes through L2 as well.
    """
    kinds, sectors = sample.streams.requests[:, 2], sample.streams.requests[:, 5]
    loaded = float(sectors[kinds == lay.H_LOCAL_LOAD].sum())
    if not loaded or not local_bytes:
        return 0.0
    other = float(sectors[(kinds == lay.H_GLOBAL_LOAD) | (kinds == lay.H_GLOBAL_STORE)].sum())
    return max(0.0, 1.0 - l2_bytes / (local_bytes * (1.0 + other / loaded)))


def no_reuse(sample: Sample) -> Reuse:
    """Where no cache is, each access goes to DRAM."""
    arrays = len(sample.initial.regions) + 1
    none, no_part = np.zeros(arrays, np.bool_), np.zeros(arrays)
    all_parts = np.ones(arrays)
    return Reuse(all_parts, all_parts, no_part, no_part, all_parts, none, none, none, no_part, none.astype(np.int64),
                 no_part, no_part, none.astype(np.int64), none, none_at_random(no_part, no_part, all_parts))


def reuse_of(sample: Sample, resident_blocks: int, l2_bytes: float, sms: int, merges: bool = False) -> Reuse:
    """A sector that several blocks touch comes from DRAM once, if L2 still has it.

    Of each array the grid touches no more sectors than the array has, nor than the sampled blocks touched together and
    each further block adds what a sampled one has for itself alone; nor, where blocks seem to take theirs at random,
    than there are to take. A sector stays in L2 where all that is touched before some block touches it again fits
    there; else the blocks that are resident at a time share it, and those that are neighbours. Of an array that is read
    at random L2 has what was read last, in ``c.SHARED`` of its room.
    """
    blocks = len(sample.blocks)
    limits = np.array([*((r.nbytes + 31) >> _SECTOR for r in sample.initial.regions), 1 << 60], np.float64)
    # Of reads and of writes, for each array: sectors of a block, of all together, and of a block for itself alone.
    found = [[(int(a[PAIRS]) / blocks, float(a[SECTORS]), float(a[ALONE]) / blocks * part)
              for a, part in zip(sample.touched[:, which], _own(sample, which), strict=True)]
             for which in (READS, WRITES)]
    grid, wave = sample.grid_blocks, min(sample.grid_blocks, resident_blocks)

    # Of reads and of writes, how many sectors of each array the grid can touch.
    rooms, drawn_at = (limits.copy(), limits.copy()), np.zeros((2, len(limits)), np.bool_)
    caught = [caught_of(sample, len(limits), kinds) for kinds in KINDS]
    for which, kinds in enumerate(KINDS):
        for a in np.flatnonzero(jumping(sample.streams, len(limits), kinds)).tolist():
            told = min(caught[which][a], taken_at_random(sample.touched[a, which], blocks))
            rooms[which][a], drawn_at[which, a] = min(limits[a], told), told < 1 << 60

    once = np.ones(len(limits)), 1.0 - read_before(sample.streams, len(limits))

    def unique(each: float, together: float, alone: float, limit: float, count: int) -> float:
        return min(limit, count * each, together + max(0, count - blocks) * alone)

    def touched(count: int) -> float:
        """Bytes that so many blocks touch, of all arrays; what they read and then write L2 has once."""
        return 32.0 * sum(unique(*row, room, count) * float(part)
                          for rows, of, parts in zip(found, rooms, once, strict=True)
                          for row, room, part in zip(rows, of, parts, strict=True))

    out = []
    # Of each array how many blocks find in L2 what one of them has read.
    together = [grid] * len(limits)
    late = np.zeros((len(limits), 2))
    slid = _slid(sample, limits, l2_bytes)
    wanted, found_again, soon = _found_again(sample, limits, l2_bytes)
    beside_written = _written_beside(sample, wave, len(limits))
    for which, (rows, of) in enumerate(zip(found, rooms, strict=True)):
        chances = np.ones(len(rows))
        for a, (row, limit) in enumerate(zip(rows, of, strict=True)):
            if row[0]:
                # On average a sector of the array is touched by one of so many blocks.
                between = min(grid, math.ceil(unique(*row, limit, grid) / row[0]))
                at_once = grid if touched(max(wave, between)) <= l2_bytes else wave
                chances[a] = min(1.0, unique(*row, limit, at_once) / (at_once * row[0]))
                least = unique(*row, limit, grid) / (grid * row[0])
                if which == READS:
                    together[a] = at_once
                    near = [n for n in sample.near if touched(n.distance) <= l2_bytes]
                    beside = sum(float(n.part[a]) for n in near)
                    # What neighbours have in common the whole row has, or column: one of them fetches it.
                    least = min(least, math.prod(1.0 - n.part[a] * (1.0 - 1.0 / n.along) for n in near
                                                 if n.part[a] > _NEARLY_ALL and n.along < grid))
                    chances[a] = min(chances[a], max(min(1.0 - beside, slid.get(a, 1.0)), least))
                elif sample.whole_near:
                    # What two neighbours write goes to DRAM once.
                    chances[a] = min(chances[a], max(1.0 - beside_written[a], least))
                chances[a] = min(chances[a], max(1.0 - found_again[a, which], least))
                if wanted[a, which]:
                    # What L2 has lost when somebody comes back to it is not wanted by others meanwhile, either.
                    late[a, which] = (chances[a] - least) / max(1e-9, 1.0 - least)
        out.append(chances)
    common = np.array([r[2] < 0.5 * r[0] or limit < 0.5 * grid * r[0]
                       for r, limit in zip(found[0], limits, strict=True)])
    common[-1] = False
    by_each = np.array([2 * r[0] > limit for r, limit in zip(found[0], limits, strict=True)])
    by_another, met = _elsewhere(sample)
    by_each |= by_another
    sparse, loose = (np.array([1.0 - unique(*r, limit, grid) / limit for r, limit in zip(rows, limits, strict=True)])
                     for rows in found)
    of_lines = rooms_of(sample.streams, loose)
    sparse, loose = np.maximum(sparse, late[:, READS]), np.maximum(loose, late[:, WRITES])
    if sample.whole_near:
        loose = np.maximum(loose, _written_alone(sample, wave, len(limits)))
    updates = none_at_random(loose, wanted[:, WRITES].astype(np.float64), of_lines)
    far_apart, asked = scattered(sample), sample.streams.requests
    added = set(sample.streams.region[asked[asked[:, 2] == lay.H_GLOBAL_ATOMIC, 4]].tolist())
    updates.parts[:] = sample.touched[:, WRITES, PARTS] / np.maximum(1, sample.touched[:, WRITES, PAIRS])
    written, whole = {}, {}
    written_window = windows_of(sample, wave, 2, far_apart[:, WRITES])
    for region, (row, limit) in enumerate(zip(found[1], limits, strict=True)):
        writes = grid * row[0]
        if far_apart[region, WRITES]:
            known = min(places(blocks * row[0], row[1]), caught[WRITES][region])
            mine = scattered_writes(writes, known, drawn_from(sample.streams, region, 2, 2).places, limit)
            if written_window[region] < 1.0:
                mine = mine.of(unique(*row, limit, grid))
            written[region] = mine
            whole[region] = max(1.0 - sparse[region], (1.0 - updates.parts[region]) * writes / mine.sectors)
        elif updates.parts[region]:
            # A sector that two blocks write is whole in the end, if they come soon after each other.
            shared = min(1.0 - unique(*row, limit, grid) / writes, beside_written[region])
            if sample.whole_near and updates.parts[region] <= 0.5:  # see CROSSED
                updates.crossed[region] = min(1.0, 2.0 * shared / updates.parts[region])
            updates.parts[region] = max(0.0, updates.parts[region] - 2.0 * shared) * (1.0 - soon[region, WRITES])
    at_random(updates, written, whole, math.ceil(grid / sms) / grid, added, l2_bytes, written_window)
    places_of, least_of = np.zeros((2, len(limits)))
    by_chance = far_apart[:, READS] | drawn_at[READS]
    drawn, by_luck = {}, np.ones(len(limits))
    for region in np.flatnonzero(by_chance).tolist():
        if not far_apart[region, READS]:
            drawn[region] = Reads(grid * found[0][region][0], rooms[READS][region], 1)
            continue
        known = min(limits[region], drawn_from(sample.streams, region, 1, 0).places, caught[READS][region])
        # Whoever wants words of 64 bytes has one sector of them, or both; others have other sectors.
        pairs_each, told, by_luck[region] = drawn_from(sample.streams, region, 1, 1)
        by_chance[region] = pairs_each > 0  # none: it reads what it has written
        if by_chance[region]:
            pairs = min(max(told, known / 2.0), known, limits[region] / 2.0) if told < 1 << 60 else known / 2.0
            stored = region in written and region not in added and once[1][region] < 0.5
            drawn[region] = Reads(grid * pairs_each * by_luck[region], pairs, 2, 1 + stored)
    other = touched(grid) - 32 * sum(unique(*found[0][r], rooms[READS][r], grid) for r in drawn)
    come = out[0].copy()
    window = windows_of(sample, wave, 1, by_chance)
    for region, whole_reads in drawn.items():
        part = window[region]
        reads = in_window(whole_reads, part, part)
        rest = [in_window(r, part, window[of]) for of, r in drawn.items() if of != region]
        missed = random_misses(reads, rest, part * other, l2_bytes)
        come[region] = by_luck[region] * random_misses(reads._replace(alone=1), rest, part * other, l2_bytes).least
        if far_apart[region, READS]:
            sparse[region] = 1.0
        out[0][region] = by_luck[region] * missed.part
        least_of[region] = by_luck[region] * missed.least
        if part == 1.0:
            # Else as much is new of each block's.
            of_read = grid * found[0][region][0] / reads.number
            places_of[region] = of_read * missed.places * math.ceil(grid / sms) / grid
    give_up(updates.lost, sample.streams, list(written), come, wave, l2_bytes)
    alone, shared = np.array([(out[0][a],) * 2 if by_chance[a] else _by_sharing(out[0][a], t, blocks, together[a])
                              for a, t in enumerate(sample.touched[:, READS])]).T
    return Reuse(alone, shared, places_of, least_of, out[1], common, by_each, _came_back(sample) & ~common, sparse,
                 *_with_neighbours(sample, common & met, out[0], wave, merges, sms), updates)


def as_a_whole(reuse: Reuse, first: float) -> Reuse:
    """Where only blocks of the first wave are played, the ``first`` part of all: they merge what all do on average."""
    merged = first * reuse.merged + (1.0 - first) * reuse.merged_later
    return reuse._replace(merged=merged, merged_later=merged)


def _by_sharing(chance: float, tally: Array, blocks: int, at_once: int) -> tuple[float, float]:
    """How likely the first read of a sector goes to DRAM which one of the sampled blocks has alone, and which several

    have, where all are as likely as ``chance``. Of the latter the sampled ones are nearly all that the ``at_once``
    blocks read.
    """
    pairs, sectors, alone = (float(tally[k]) for k in (PAIRS, SECTORS, ALONE))
    if not alone or alone == sectors:
        return chance, chance
    shared = min(chance, (sectors - alone) * blocks / ((pairs - alone) * at_once))
    return min(1.0, (chance * pairs - shared * (pairs - alone)) / alone), shared


def _slid(sample: Sample, limits: Array, l2_bytes: float) -> dict[int, float]:
    """Of arrays that each block reads some steps on from where the one before does, the part that is new then: what L2

    still has of the blocks before is not.
    """
    beside = [n.streams for n in sample.whole_near if n.distance == 1 and n.along == sample.grid_blocks]
    if not beside:
        return {}
    slides = slides_of(sample.first, beside[0], len(limits))
    blocks = len(sample.blocks)

    def moved(new: dict[int, int]) -> float:
        """Bytes that a block adds to what L2 has: the sectors that are new, and all others that it touches."""
        return 32 * sum(new[a] if which == READS and a in new else int(tally[PAIRS]) / blocks
                        for which in (READS, WRITES) for a, tally in enumerate(sample.touched[:, which]))

    new = {a: s.new(math.inf) for a, s in slides.items()}
    new = {a: s.new(l2_bytes / moved(new)) for a, s in slides.items()}
    return {a: new[a] / len(s.sectors) for a, s in slides.items()}


def _found_again(sample: Sample, limits: Array, l2_bytes: float) -> tuple[npt.NDArray[np.bool_], Array, Array]:
    """Of each array's reads and writes whether it is asked, and the part of the sectors that a block finds in L2 as

    another block, before it, has touched them: there at all, and among lines that L2 may have parts of
    (``constants.IN_PARTS``); shapes (arrays, 2).
    """
    wanted = sought(sample.touched, limits, len(sample.blocks), sample.grid_blocks)
    trail = sample.trail
    out, soon = np.zeros((2, *wanted.shape))
    window = l2_bytes / max(1.0, lines_bytes(sample.first.sectors))
    if trail is None or trail.blocks > window:
        return np.zeros_like(wanted), out, soon
    windows = ((window, out), (c.IN_PARTS * window, soon))
    for farthest, part in windows:
        if trail.blocks <= farthest:
            part[wanted] = trail.part[wanted]
    if trail.far is not None:
        sides = ((trail.run, trail.ran), (trail.far, trail.others))
        for a, which in np.argwhere(wanted).tolist():
            run, far = (firsts(s.sectors, np.flatnonzero((s.touch & (1 << which) != 0) & (s.region == a)),
                               *where_blocks_begin(s, numbers)) for s, numbers in sides)
            for farthest, part in windows:
                number = before(run, far, trail.blocks, trail.blocks, farthest)
                part[a, which] = 1.0 - (1.0 - part[a, which]) * math.exp(-number)
    return wanted, out, soon


def _own(sample: Sample, which: int) -> Array:
    """Of each array the part of what a block has alone, of blocks far from each other, that its neighbours have not."""
    if sample.group is None:
        return np.ones(len(sample.touched))
    tally = sample.group.touched[:, which]
    return np.where(tally[:, PAIRS] > 0, tally[:, SECTORS] / np.maximum(1, tally[:, PAIRS]), 1.0)


def _written_beside(sample: Sample, wave: int, arrays: int) -> Array:
    """Of each array the part of what a block writes that its neighbours in the same wave of blocks write as well; all

    where no neighbour was run.
    """
    if not sample.whole_near:
        return np.ones(arrays)
    out, mine = np.zeros(arrays), _written(sample.first, arrays)
    for n in sample.whole_near:
        if n.distance < wave:
            theirs = _written(n.streams, arrays)
            out += [len(np.intersect1d(a, b, assume_unique=True)) / max(1, len(a))
                    for a, b in zip(mine, theirs, strict=True)]
    return out


def _written_alone(sample: Sample, wave: int, arrays: int) -> Array:
    """Of each array the part of a block's written sectors of whose 64 bytes neither it nor a neighbour in the same wave

    of blocks writes the other half. A neighbour on one side stands for the one on the other, too.
    """
    mine = _written(sample.first, arrays)
    near = [_written(n.streams, arrays) for n in sample.whole_near if n.distance < wave]
    out = np.zeros(arrays)
    for a, sectors in enumerate(mine):
        left = sectors[~np.isin(sectors ^ 1, sectors)]
        beside = sum(int(np.isin(left ^ 1, theirs[a]).sum()) for theirs in near)
        out[a] = max(0, len(left) - 2 * beside) / max(1, len(sectors))
    return out


def _written(s: Streams, arrays: int) -> list[Array]:
    """The sectors of each array that the first block of the streams writes."""
    _, at = of_first_block(s, lay.H_GLOBAL_STORE)
    return [np.unique(s.sectors[at[s.region[at] == a]]) for a in range(arrays)]


def _with_neighbours(sample: Sample, together: Array, far: Array, wave: int, merges: bool, sms: int
                     ) -> tuple[Array, Array, Array, Array, Array]:
    """``together``, ``merged``, ``merged_later``, ``convoy``, ``crowd`` of ``Reuse``. ``together``: whether blocks far

    from each other are; ``far``: ``Reuse.read``; ``wave``: blocks.
    """
    arrays = len(together)
    first = _first_reads(sample.first)
    mates = 1.0 - _distinct(sample, first, arrays)
    # Blocks of different work drift apart.
    merging = merges and not differ(sample.works)
    same = mates * merging
    merged, later = same * c.MERGED, same * np.where(together, c.MERGED, c.MERGED_LATER)
    crowd = np.zeros(arrays, np.bool_)
    if merging:
        for n in sample.near:
            met = (n.part > _NEARLY_ALL) * _met(first, _first_reads(n.streams), arrays)
            crowd |= met & (n.along < sample.grid_blocks and min(n.along, wave / n.distance) >= c.CROWD)
            rest = met * _merging(n, sample, wave, sms)
            merged = np.maximum(merged, rest * c.MERGED)
            # Blocks of a row are given out together; those of a column drift apart with each wave (tile_reads,
            # product_walks of two and eight waves; as 1 / waves: chosen with matmul_naive in view).
            later = np.maximum(later, rest * c.MERGED * (1.0 if n.distance == 1 else wave / sample.grid_blocks))
    # Most of what others fetch neighbours fetch at the same time: all who ever read it, or those of the first wave.
    near = [(n, n.part * _met(first, _first_reads(n.streams), arrays)) for n in sample.near if n.distance < wave]
    seldom = (1.0 - far) / 2
    always = mates + sum(part * (n.distance * np.where(n.part > 0.5, n.along, 2) <= wave) for n, part in near)
    at_first = mates + sum(part for _, part in near)
    convoy = ~together & (always > 0.0) & (always > seldom)
    some = together | (at_first > 0.0) & (at_first > seldom)
    each = sample.touched[:, READS, PAIRS] / len(sample.blocks)
    steps = np.where(each <= _KNOWN, c.ALL_IN_STEP, c.IN_STEP)
    return np.where(together, steps, some * c.TOGETHER), merged, later, convoy * steps, crowd


def _merging(near: Neighbour, sample: Sample, wave: int, sms: int) -> float:
    """The part that is not left of what a row of the grid's blocks, or a column, reads in step: one of each group of

    SMs among which equal reads become one is, where blocks are on any SM (``constants.MERGING_SMS``).
    """
    blocks = min(near.along, wave / near.distance)
    if near.along == sample.grid_blocks or blocks <= 1:
        return 0.0
    if near.distance > 1:
        # Those on the same SM have it from L1.
        at_once = max(1, wave // sms)
        mine = blocks_of_sm(min(sample.grid_blocks, at_once * sms), sms, at_once, 0, at_once)
        blocks *= len({b % near.distance for b in mine}) / len(mine)
    groups = max(1.0, sms / c.MERGING_SMS)
    return max(0.0, 1.0 - groups * (1.0 - float((1.0 - 1.0 / groups) ** blocks)) / blocks)


def _distinct(sample: Sample, first: FirstReads, arrays: int) -> Array:
    """Of each array the part of neighbouring blocks' reads that is left where equal ones at the same time are one."""
    out = np.ones(arrays)
    if sample.group is not None:
        tally = sample.group.touched[:, READS]
        at_once = _met(first, _first_reads(sample.group.mate), arrays)
        at_once[-1] = False
        out[at_once] = tally[at_once, SECTORS] / np.maximum(1, tally[at_once, PAIRS])
    return out


class FirstReads(NamedTuple):
    """Sectors that a block loads, rising, their arrays, and how many of a warp's instructions come before."""

    sectors: Array
    arrays: Array
    ages: Array
    length: int


def _elsewhere(sample: Sample) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Of each array whether a block far from the first reads nearly all of what that one reads, and whether they do so

    at the same times.
    """
    arrays = len(sample.initial.regions) + 1
    if sample.other is None:
        return np.zeros(arrays, np.bool_), np.zeros(arrays, np.bool_)
    one, other = _first_reads(sample.streams), _first_reads(sample.other)
    mine = np.bincount(one.arrays, minlength=arrays)
    both = np.bincount(one.arrays[np.isin(one.sectors, other.sectors)], minlength=arrays)
    # Those who have a tile in common wait for it by themselves.
    tiles = np.any([n.part > _NEARLY_ALL for n in sample.near], axis=0) if sample.near else np.zeros(arrays, np.bool_)
    return (mine > 0) & (both > _NEARLY_ALL * mine), np.asarray(_met(one, other, arrays, ~tiles), np.bool_)


def _met(one: FirstReads, other: FirstReads, arrays: int, nearest: Array | None = None) -> Array:
    """Of each array whether two blocks come to most sectors that both read after as many instructions, nearly; of some

    (``nearest``) with next to none of those, to the nearest ones.
    """
    here, there = _places(one, other, np.zeros(arrays, np.bool_) if nearest is None else nearest)
    if not len(here):
        return np.zeros(arrays, np.bool_)
    apart = np.abs(one.ages[here] - other.ages[there])
    near = apart <= max(_SAME_TIME, _SAME_PART * one.length)
    # Of blocks that read in one order who is ahead waits for DRAM at each step, and is caught up with.
    orders = [np.unique(f.ages[which], return_inverse=True)[1] for f, which in ((one, here), (other, there))]
    steps = max(int(o.max()) for o in orders)
    in_order = np.abs(orders[0] - orders[1]) <= _SAME_PART * steps
    near |= in_order & (apart <= _WAITED * np.minimum(*orders))
    where = one.arrays[here]
    count = np.bincount(where, minlength=arrays)
    return np.asarray(np.bincount(where, near, minlength=arrays) > 0.5 * np.maximum(count, 1))


def _places(one: FirstReads, other: FirstReads, nearest: Array) -> tuple[Array, Array]:
    """The places of sectors that both blocks read; of ``nearest`` arrays with next to none of those, of all of the

    first's, and the other's that is nearest to each.
    """
    _, here, there = np.intersect1d(one.sectors, other.sectors, assume_unique=True, return_indices=True)
    common, mine, theirs = (np.bincount(a, minlength=len(nearest))
                            for a in (one.arrays[here], one.arrays, other.arrays))
    few = nearest & (_FEW * common < mine) & (theirs > 0)
    if few.any():
        also = np.flatnonzero(few[one.arrays])
        after = np.clip(np.searchsorted(other.sectors, one.sectors[also]), 1, len(other.sectors) - 1)
        before = one.sectors[also] - other.sectors[after - 1] < other.sectors[after] - one.sectors[also]
        kept = ~few[one.arrays[here]]
        here, there = np.append(here[kept], also), np.append(there[kept], after - before)
    return here, there


def _first_reads(s: Streams) -> FirstReads:
    """Of the first block of the streams."""
    starts = s.starts[0]
    records, places = of_first_block(s, lay.H_GLOBAL_LOAD)
    ages = records - starts[np.searchsorted(starts, records, side="right") - 1]
    order = np.argsort(ages, kind="stable")
    sectors, first = np.unique(s.sectors[places[order]], return_index=True)
    kept = order[first]
    return FirstReads(sectors, s.region[places[kept]], ages[kept], int(np.diff(starts).max()))


def _came_back(sample: Sample) -> Array:
    """Of each array whether a block reads or writes a sector of it that it has read or written before."""
    s = sample.streams
    out = np.zeros(len(sample.initial.regions) + 1, np.bool_)
    come_back(s.requests, s.touch, s.region, out)
    return out
