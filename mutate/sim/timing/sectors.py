"""What becomes of the sectors that one request loads, in L1, the SM's share of L2, and DRAM."""

from __future__ import annotations

import numpy as np

from mutate.sim import layout as lay
from mutate.sim.jit import jit_into
from mutate.sim.timing.constants import (
    ALL_IN_STEP,
    CAUGHT_UP,
    CROWDED,
    FOREMOST,
    IN_STEP,
    LAGS,
    LAGS_BY,
    MERGED_MANY,
    ON_ITS_WAY,
    ON_ITS_WAY_SECTOR,
)
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.gather import LOCAL_BASE
from mutate.sim.timing.held_up import READ as READ_SO_FAR
from mutate.sim.timing.held_up import SENT, held_up
from mutate.sim.timing.hints import AROUND, COPIED, PASSING, PLAIN, settle, touches
from mutate.sim.timing.lines import alone_in_line, lone
from mutate.sim.timing.passing import READ, pass_through
from mutate.sim.timing.pending import takes_turn
from mutate.sim.timing.servers import alone_of_line, dram, make_room, mix, stays, taken_of
from mutate.sim.timing.settings import (
    B_L2,
    N_DRAM_READ,
    N_FETCHED,
    N_L1,
    N_L1_HITS,
    N_L2_READ,
    N_LOCAL,
    N_LOCAL_HITS,
    S_DRAM_LATENCY,
    S_FILL_LINE,
    S_FILLED,
    S_HALVES,
    S_HELD,
    S_L1_LATENCY,
    S_L2_CLOCKS,
    S_L2_LATENCY,
    S_L2_SPREAD,
    S_LOCAL_FAR,
    S_LONE,
    S_LOOK_UP,
    S_READ_AGAIN,
    S_READ_LINE,
    S_READ_PORT,
    S_RESIDENT,
)
from mutate.sim.timing.tags import drop, fill, lookup
from mutate.sim.timing.touches import JUST_STORED, OFTEN, PAIRED, SHARED

_LOCAL_LOAD = lay.H_LOCAL_LOAD
_LOCAL = LOCAL_BASE >> 5
SPREAD = np.uint64(11400714819323198485)
"""2**64 over the golden ratio: products with it spread over the first bits."""
_TWIN_BITS = 14
TWINS = 1 << _TWIN_BITS
"""Places that remember what came from DRAM, and with it: as many sectors as an SM has of an H200's L2, or so."""
STORED_WHOLE, IN_PART = 1.0, -1.0
"""When a sector is there that was stored as a whole, and one of which L1 has the bytes that were stored: for loads of

no others (holes.cu).
"""
_MERGED_SECTORS = 16
"""Sectors of four lines: of requests for more L2 merges less (same_sectors of tests/machines/neighbours.cu)."""


def _twin_at(sector, twin_sectors, twin_come):
    """Where a sector is remembered, or would be: one of two places, of which that is given up which came first.

    Rows lie a power of two apart often, so low bits do not choose.
    """
    at = np.int64(np.uint64(sector) * SPREAD >> np.uint64(64 - _TWIN_BITS))
    other = at ^ 1
    if twin_sectors[other] == sector or (twin_sectors[at] != sector and twin_come[other] < twin_come[at]):
        return other
    return at


twin_at = jit_into(FOLDER, _twin_at, counted=False, inlined=True)


def _begins_line(sector, twin_sectors):
    """Whether nothing else of its line is remembered."""
    for k in range(1, 4):
        other = sector ^ k
        at = np.int64(np.uint64(other) * SPREAD >> np.uint64(64 - _TWIN_BITS))
        if twin_sectors[at] == other or twin_sectors[at ^ 1] == other:
            return False
    return True


begins_line = jit_into(FOLDER, _begins_line, counted=False)


def _own(sector, shared, instance, turn):
    """A sector as this block knows it: blocks that play the same streams again have other memory, but for arrays that

    all have in common. ``turn``: how often the streams were played before.
    """
    if sector >= _LOCAL:
        return sector + (instance << 40)
    return sector if shared else sector + (turn << 40)


own = jit_into(FOLDER, _own, counted=False, inlined=True)


def _near(sector, apart, block, alone, turn):
    """A sector as L1 knows it: ``apart`` where it keeps nothing of the array for another block; ``alone`` where of the

    sampled blocks one reads it and of the grid's others: those on this SM seldom do, which play the same streams again.
    """
    if apart:
        return sector + (np.int64(block + 1) << 46)
    return sector + (turn << 40) if alone else sector


near_of = jit_into(FOLDER, _near, counted=False, inlined=True)


def _read(kind, first, count, start, result, hint, block, instance, turn, issued, streams, reuse, apart, late, l1,
          l2, passing, twins, pending, known, state, settings, busy):
    """Loads sectors ``first`` to ``first + count`` of ``streams``, which L1 looks up from the clock ``start`` on.

    Returns when the last one is there, ``result`` at least, how many of them come later than that, and until when what
    comes behind them waits. ``hint``: see ``hints``. ``issued`` counts instructions and orders what L2 gives up.
    ``known``: see ``held_up``.
    """
    # Taken out of their tuples once: numba counts references wherever it takes one out.
    sectors, touch, region = streams.sectors, streams.touch, streams.region
    alone_read, shared_read = reuse.read, reuse.read_shared
    by_places, in_the_end = reuse.read_places, reuse.read_least
    common, again, sparse, by_each = reuse.common, reuse.again, reuse.sparse, reuse.by_each
    together, convoy, crowd, places = reuse.together, reuse.convoy, reuse.crowd, reuse.updates.places
    merged = reuse.merged if instance < settings[S_RESIDENT] else reuse.merged_later
    tags, ages, ready, _, turns, room, _ = l1
    far_tags, far_ages, far_parts = l2
    twin_sectors, twin_come = twins
    local = kind == _LOCAL_LOAD
    alone_costs = settings[S_LONE] > 1.0
    streamed = not local and instance >= settings[S_RESIDENT]
    through, touching = hint in (AROUND, COPIED), touches(hint)
    asks_again = through and settings[S_READ_AGAIN] > 0.0
    credit = 0.0
    asked_line = asked_half = there = near_line = fetched = np.int64(-1)
    # Of a copy to shared memory L2 looks up each half of a line (copied<64, 0, 5> of async.cu), else the line once
    # (row_parts of phases.cu).
    grain = 1 if hint == COPIED else 2
    hits = 0
    misses = 0
    there_at = result
    late_ones = 0
    waits = 0.0
    row = np.int64(0)
    part = 1.0
    for i in range(first, first + count):
        r = region[i]
        sector = own(sectors[i], common[r], instance, turn)
        if i == first or sectors[i] != sectors[i - 1] + 1:
            row = sector
        near = near_of(sector, apart[r] and touch[i] & OFTEN == 0, block,
                       common[r] and not (by_each[r] or touch[i] & SHARED), turn)
        if there < 0 or near >> 2 != near_line:
            anew = i == first or sectors[i] >> 2 != sectors[i - 1] >> 2
            place, victim = lookup(tags, ages, turns, room, near, anew and touching)
        else:
            place = victim = there
        there, near_line = place, near >> 2
        if not through and hint != PLAIN:
            settle(ages, turns, place, hint, False)
        if through and place >= 0:
            drop(tags, ages, room, place)
            there = np.int64(-1)
        elif place >= 0 and (ready[place, sector & 3] > 0.0 or (
                ready[place, sector & 3] < 0.0 and touch[i] & JUST_STORED)):
            when = ready[place, sector & 3]
            hits += 1
            late_ones += when > there_at
            result = max(result, when)
            continue
        misses += 1
        late_ones += 1
        # What an SM writes goes ahead of what it asks for later (behind_stores of tests/machines/stores.cu).
        asked = max(start, state[0], state[3])
        other_line = sector >> 2 != asked_line
        if other_line:
            part = 1.0
            state[10] = 0.0
            if sector & 3 == 0 and i + 3 < first + count and sectors[i + 3] == sectors[i] + 3:
                if streamed and not again[r] and by_places[r] == 0.0 and sparse[r] < 0.5:
                    state[10] = min(LAGS, start * LAGS_BY)
                # L2 merges reads of whole lines, and fewer of requests for many.
                part = 1.0 - merged[r] * (1.0 if count <= _MERGED_SECTORS else MERGED_MANY)
        least = max(settings[S_LOOK_UP], settings[S_READ_LINE] if other_line else 0.0)
        taken, credit = taken_of(sector >> grain, asked_half, credit,
                                 max(settings[S_READ_PORT], part * settings[S_L2_CLOCKS]), part * least)
        asked_line, asked_half = sector >> 2, sector >> grain
        state[0] = asked + taken
        busy[B_L2] += taken
        come = asked - 4.0 + settings[S_L2_LATENCY] + settings[S_L2_SPREAD] * (2.0 * mix(sector >> 4, 7) - 1.0)
        first_read = not local and touch[i] & 1 != 0
        # Warps come in another order than when they were recorded: what comes first is not what was recorded as first.
        likely = shared_read[r] if touch[i] & SHARED else alone_read[r]
        if first_read and by_places[r] > 0.0:
            # At first nearly all is new.
            likely = max(np.exp(-known[READ_SO_FAR, r] / by_places[r]), in_the_end[r])
            known[READ_SO_FAR, r] += 1.0
        # Both halves of 64 bytes are in L2, or neither.
        far = mix(sector, 5) < settings[S_LOCAL_FAR] if local else (first_read or not again[r]) and (
            mix(row & ~1, 1) < likely)
        if again[r] and len(far_tags) > 0:
            has = stays(far_tags, far_ages, far_parts, sector, issued)
            far = not has and mix(row & ~1, 1) < likely
        elif len(far_tags) > 0 and not (local or common[r]):
            # It takes room from what is come back to.
            stays(far_tags, far_ages, far_parts, sector, issued)
        twin = twin_at(sector, twin_sectors, twin_come)
        coming = twin_sectors[twin] == sector and twin_come[twin] > come
        if coming or (twin_sectors[twin] == sector and not (again[r] and asks_again)):
            if coming and asks_again:
                busy[N_DRAM_READ] += 1
                dram(state, settings, busy, asked, False, 1.0, 0.0)
            come = max(come, twin_come[twin])
        elif far:
            busy[N_DRAM_READ] += 1
            busy[N_FETCHED] += sector >> 2 != fetched and (
                alone_of_line(far_tags, far_ages, far_parts, sector) if again[r] and len(far_tags) > 0
                else begins_line(sector, twin_sectors))
            fetched = sector >> 2
            this = sectors[i]
            factor = 1.0
            alone = False
            if alone_costs and lone(sectors, i, first, count):
                # DRAM gives 64 bytes: beside others of the request they are no more than two sectors, alone they have
                # a row to open, too.
                factor = settings[S_LONE]
                # Where the grid reads all of an array in order, somebody asks for the other half while L2 has it. Who
                # comes back for it has both for two (row_parts<8, 2> of phases.cu).
                if (i > first and this - sectors[i - 1] < 8) or (i + 1 < first + count and sectors[i + 1] - this < 8):
                    if first_read and touch[i] & PAIRED:
                        factor = 2.0 if mix(sector >> 1, 10) < sparse[r] else 1.0
                    else:
                        factor = 1.0 + sparse[r] if first_read else 2.0
                elif count == 1 and first_read:
                    factor = 1.0 + (settings[S_LONE] - 1.0) * sparse[r]
                elif first_read and not (again[r] and touch[i] & PAIRED):
                    # Tiles that lie side by side cost no row more, and the half of another block's is no second read
                    # (tile_loads of tests/machines/tiles.cu).
                    least = 2.0 if touch[i] & PAIRED else 1.0
                    factor = least + (settings[S_LONE] - least) * sparse[r]
                alone = factor > 1.5
                if factor > 2.0:
                    half = twin_at(sector ^ 2, twin_sectors, twin_come)
                    if twin_sectors[half] == sector ^ 2 and twin_come[half] > asked:
                        # The line's other half has opened the row (quads<8, 1> of buckets.cu).
                        factor = 2.0
            pass_through(passing, READ, 1.0, asked, state, settings, busy)
            if not through and (again[r] or touch[i] & PAIRED == 0) and alone_in_line(sectors, i, first, count):
                # L2 looks up once more what DRAM gives, where lanes come back to it for the rest: as many lines a ns
                # as read_1_16MB, with the halves from DRAM counted twice (turned of tests/machines/capacity.cu,
                # own_rows of threads.cu; not if a request has several parts of a line: row_parts<4> of phases.cu).
                # Other warps that want the rest meanwhile get it at once (tile_loads of tiles.cu); around L1 nothing of
                # the kind was seen (rows_beside of parts.cu).
                state[0] += settings[S_FILL_LINE] * (1.0 if alone or again[r] else 0.5)
            if settings[S_HELD] > 0.0:
                # It is written into L2, as is what an SM stores: 8 MB more of a copy take 3.45 us more, where 8 MB more
                # that are only stored take 1.75 (tests/machines/reference/h200_fills.csv, up to 24 MB).
                state[9] = max(state[9], asked) + settings[S_FILLED]
            moved = dram(state, settings, busy, asked, False, factor, mix(sector >> 5, 6))
            come = moved - 4.0 + settings[S_DRAM_LATENCY] + late[int(mix(sector >> 5, 3) * len(late))]
            if i > first and sectors[i - 1] >> 2 == this >> 2 and this & 3 == 2:
                come += settings[S_HALVES]
            if (asks_again or not again[r]) and settings[S_L2_LATENCY] > 0.0:
                twin_sectors[twin], twin_come[twin] = sector, come
            if alone:
                busy[N_DRAM_READ] += 1
                other = twin_at(sector ^ 1, twin_sectors, twin_come)
                twin_sectors[other], twin_come[other] = sector ^ 1, come
        elif (first_read and convoy[r] > 0) or convoy[r] == ALL_IN_STEP or (instance < settings[S_RESIDENT] and (
                (first_read and together[r] > 0) or together[r] == ALL_IN_STEP)):
            # Another SM fetches it, at this time: neighbours, and the first blocks of all SMs, come to it together.
            come = asked - 4.0 + settings[S_DRAM_LATENCY] + late[int(mix(sector >> 5, 3) * len(late))]
            if convoy[r] > 0 or together[r] >= IN_STEP:
                come -= FOREMOST if crowd[r] else FOREMOST * min(1.0, asked / CAUGHT_UP)
            twin_sectors[twin], twin_come[twin] = sector, come
            if alone_costs and lone(sectors, i, first, count):
                other = twin_at(sector ^ 1, twin_sectors, twin_come)
                twin_sectors[other], twin_come[other] = sector ^ 1, come
        if known[SENT, r] > 0.0:
            come += held_up(known, r, sector, start, asked, places[r], state, settings)
        result = max(result, come)
        if victim >= 0 and not through and hint != PASSING:
            if place < 0 and len(room) > 1:
                free, come = takes_turn(pending, come, settings[S_L2_LATENCY])
                waits = max(waits, free)
            make_room(l1, place, victim, asked, state, settings, busy)
            fill(tags, ages, ready, turns, room, place, victim, near, come)
            settle(ages, turns, victim, hint, place < 0)
            there = victim
    busy[N_L1] += count
    busy[N_L1_HITS] += hits
    busy[N_L2_READ] += misses
    if local:
        busy[N_LOCAL] += count
        busy[N_LOCAL_HITS] += hits
    return result, late_ones, waits


read = jit_into(FOLDER, _read, counted=False)


def _place_of(streams, i, reuse, apart, block, turn, l1):
    """The place in L1 of the line of sector ``i`` of ``streams``, not asked for by that; -1: it is not there."""
    r = streams.region[i]
    common = reuse.common[r]
    near = near_of(own(streams.sectors[i], common, 0, turn), apart[r], block,
                   common and not (reuse.by_each[r] or streams.touch[i] & SHARED), turn)
    place, _ = lookup(l1.tags, l1.ages, l1.turns, l1.room, near, False)
    return place


place_of = jit_into(FOLDER, _place_of, counted=False)


def _on_its_way(first, count, start, warps, block, turn, streams, reuse, apart, l1, settings):
    """When a store begins that could at ``start``: it waits in L1 where a sector of one of its lines is on its way; and

    of how many of its lines L1 has what was loaded.

    On an SM of more than ``CROWDED`` warps it waits until loads are about to give it, but no longer than so many clocks
    for each sector; of fewer until they have.
    """
    sectors = streams.sectors
    until = 0.0
    there = 0
    line = np.int64(-1)
    for i in range(first, first + count):
        if sectors[i] >> 2 == line:
            continue
        line = sectors[i] >> 2
        place = place_of(streams, i, reuse, apart, block, turn, l1)
        if place >= 0:
            came = 0.0
            for k in range(4):
                came = max(came, l1.ready[place, k])
            there += came > STORED_WHOLE
            until = max(until, came)
    if warps > CROWDED:
        until = min(until - settings[S_L1_LATENCY], start + ON_ITS_WAY + ON_ITS_WAY_SECTOR * count)
    return max(start, until), there


on_its_way = jit_into(FOLDER, _on_its_way, counted=False)
