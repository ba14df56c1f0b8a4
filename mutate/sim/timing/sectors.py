"""What becomes of the sectors of one request of global or local memory, in L1, the SM's share of L2, and DRAM."""

from __future__ import annotations

import numpy as np

from mutate.sim import layout as lay
from mutate.sim.jit import jit_into
from mutate.sim.timing.constants import ALL_IN_STEP, CAUGHT_UP, FOREMOST, IN_STEP, MERGED_MANY
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.gather import LOCAL_BASE
from mutate.sim.timing.held_up import READ as READ_SO_FAR
from mutate.sim.timing.held_up import SENT, WRITTEN, held_up, send
from mutate.sim.timing.hints import AROUND, COPIED, PASSING, PLAIN, settle, touches
from mutate.sim.timing.lines import alone_in_line, beside, lone
from mutate.sim.timing.packets import added
from mutate.sim.timing.passing import CHANGED, LONE, READ, STORED, pass_through
from mutate.sim.timing.servers import dram, make_room, mix, rewrite, stays, taken_of
from mutate.sim.timing.settings import (
    B_L2,
    B_L2_WRITE,
    N_ADDED,
    N_ADDED_FAR,
    N_DRAM_READ,
    N_DRAM_WRITE,
    N_IN_PART,
    N_L1,
    N_L1_HITS,
    N_L2_READ,
    N_L2_WRITE,
    N_LOCAL,
    N_LOCAL_HITS,
    S_ATOMIC_LATENCY,
    S_DRAM_LATENCY,
    S_FILL_LINE,
    S_HALVES,
    S_HELD,
    S_L2_CLOCKS,
    S_L2_LATENCY,
    S_L2_SPREAD,
    S_LOCAL_BACK,
    S_LOCAL_FAR,
    S_LONE,
    S_LOOK_UP,
    S_PART,
    S_READ_AGAIN,
    S_READ_CLOCKS,
    S_READ_LINE,
    S_READ_PORT,
    S_RESIDENT,
    S_STORE_EVICT,
    S_STORE_READS,
    S_WRITE_CLOCKS,
    S_WRITE_CLOCKS_L2,
    S_WRITE_LINE,
    S_WRITE_PORT,
    T_ADDED,
)
from mutate.sim.timing.tags import drop, fill, lookup
from mutate.sim.timing.touches import MADE_WHOLE, PAIRED, READ_BEFORE, SHARED, WHOLE_STORE, partly

_LOAD, _STORE, _ATOMIC = lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC
_LOCAL_LOAD, _LOCAL_STORE = lay.H_LOCAL_LOAD, lay.H_LOCAL_STORE
_LOCAL = LOCAL_BASE >> 5
# 2**64 over the golden ratio: products with it spread over the first bits.
_SPREAD = np.uint64(11400714819323198485)
_TWIN_BITS, _BEGUN_BITS = 14, 16
TWINS = 1 << _TWIN_BITS
"""Places that remember what came from DRAM, and with it: as many sectors as an SM has of an H200's L2, or so."""
BEGUN = 1 << _BEGUN_BITS
"""Places that remember which sectors were written."""
_FEW = 3.0
"""Sectors' room that a stored one takes from which on those of other warps do not complete its line."""
_MERGED_SECTORS = 16
"""Sectors of four lines: of requests for more L2 merges less (same_sectors of tests/machines/neighbours.cu)."""


def _twin_at(sector, twin_sectors, twin_come):
    """Where a sector is remembered, or would be: one of two places, of which that is given up which came first.

    Rows lie a power of two apart often, so low bits do not choose.
    """
    at = np.int64(np.uint64(sector) * _SPREAD >> np.uint64(64 - _TWIN_BITS))
    other = at ^ 1
    if twin_sectors[other] == sector or (twin_sectors[at] != sector and twin_come[other] < twin_come[at]):
        return other
    return at


twin_at = jit_into(FOLDER, _twin_at, counted=False, inlined=True)


def _begun_at(sector):
    """Where it is remembered that a sector was written."""
    return np.int64(np.uint64(sector) * _SPREAD >> np.uint64(64 - _BEGUN_BITS))


begun_at = jit_into(FOLDER, _begun_at, counted=False)


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
          l2, passing, twins, known, state, settings, busy):
    """Loads sectors ``first`` to ``first + count`` of ``streams``, which L1 looks up from the clock ``start`` on.

    Returns when the last one is there, ``result`` at least, and how many of them come later than that. ``hint``: see
    ``hints``. ``issued`` counts instructions and orders what L2 gives up. ``known``: see ``held_up``.
    """
    # Taken out of their tuples once: numba counts references wherever it takes one out.
    sectors, touch, region = streams.sectors, streams.touch, streams.region
    alone_read, shared_read = reuse.read, reuse.read_shared
    by_places, in_the_end = reuse.read_places, reuse.read_least
    common, again, sparse, by_each = reuse.common, reuse.again, reuse.sparse, reuse.by_each
    together, convoy, places = reuse.together, reuse.convoy, reuse.updates.places
    merged = reuse.merged if instance < settings[S_RESIDENT] else reuse.merged_later
    tags, ages, ready, _, turns, room, _ = l1
    far_tags, far_ages, far_parts = l2
    twin_sectors, twin_come = twins
    local = kind == _LOCAL_LOAD
    alone_costs = settings[S_LONE] > 1.0
    through, touching = hint in (AROUND, COPIED), touches(hint)
    asks_again = through and settings[S_READ_AGAIN] > 0.0
    credit = 0.0
    asked_line = asked_half = there = near_line = np.int64(-1)
    # Of a copy to shared memory L2 looks up each half of a line (copied<64, 0, 5> of async.cu), else the line once
    # (row_parts of phases.cu).
    grain = 1 if hint == COPIED else 2
    hits = 0
    misses = 0
    there_at = result
    late_ones = 0
    row = np.int64(0)
    part = 1.0
    for i in range(first, first + count):
        r = region[i]
        sector = own(sectors[i], common[r], instance, turn)
        if i == first or sectors[i] != sectors[i - 1] + 1:
            row = sector
        near = near_of(sector, apart[r], block, common[r] and not (by_each[r] or touch[i] & SHARED), turn)
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
        elif place >= 0 and ready[place, sector & 3] > 0.0:
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
            if sector & 3 == 0 and i + 3 < first + count and sectors[i + 3] == sectors[i] + 3:
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
                state[9] = max(state[9], asked) + settings[S_WRITE_CLOCKS_L2]
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
        elif (first_read and convoy[r]) or (instance < settings[S_RESIDENT] and (
                (first_read and together[r] > 0) or together[r] == ALL_IN_STEP)):
            # Another SM fetches it, at this time: neighbours, and the first blocks of all SMs, come to it together.
            come = asked - 4.0 + settings[S_DRAM_LATENCY] + late[int(mix(sector >> 5, 3) * len(late))]
            if convoy[r] or together[r] >= IN_STEP:
                come -= FOREMOST * min(1.0, asked / CAUGHT_UP)
            twin_sectors[twin], twin_come[twin] = sector, come
            if alone_costs and lone(sectors, i, first, count):
                other = twin_at(sector ^ 1, twin_sectors, twin_come)
                twin_sectors[other], twin_come[other] = sector ^ 1, come
        if known[SENT, r] > 0.0:
            come += held_up(known, r, sector, start, asked, places[r], state, settings)
        result = max(result, come)
        if victim >= 0 and not through and hint != PASSING:
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
    return result, late_ones


read = jit_into(FOLDER, _read, counted=False)


def _on_its_way(first, count, block, turn, streams, reuse, apart, l1):
    """Until when a store waits in L1: a line of it is there in part, and another sector of it is on its way."""
    sectors, touch, region = streams.sectors, streams.touch, streams.region
    tags, ages, ready, _, turns, room, _ = l1
    until = 0.0
    line = np.int64(-1)
    for i in range(first, first + count):
        if sectors[i] >> 2 == line:
            continue
        line = sectors[i] >> 2
        r = region[i]
        near = near_of(own(sectors[i], reuse.common[r], 0, turn), apart[r], block,
                       reuse.common[r] and not (reuse.by_each[r] or touch[i] & SHARED), turn)
        place, _ = lookup(tags, ages, turns, room, near, False)
        if place >= 0:
            for k in range(4):
                until = max(until, ready[place, k])
    return until


on_its_way = jit_into(FOLDER, _on_its_way, counted=False)


def _by_luck(sector, r, adds, updates, known, state, settings):
    """What becomes of a write at random: whether DRAM reads its sector, whether it writes one, and the read's cost

    against one in a stream. ``known``: see ``held_up``.
    """
    known[WRITTEN, r] += 1.0
    seen = known[WRITTEN, r]
    luck = mix(sector + (np.int64(seen) << 36), 2)
    part = adds or mix(sector, 8) < updates.parts[r]
    # Anybody's first touch of the sector, or one since L2 gave it up.
    fetched = part and luck < max(np.exp(-seen / updates.places[r]), updates.absent[r])
    back = (fetched and not adds) or (seen > updates.soiled[r] and luck < updates.clean[r])
    factor = settings[S_LONE]
    if adds:
        # Of more than L2 holds, half of another sector comes with each.
        factor *= (2.0 + updates.absent[r]) / 3.0
    elif part:
        # The part of L2 does nothing else meanwhile.
        if fetched:
            state[1] += factor * settings[S_READ_CLOCKS]
        if back:
            state[1] += settings[S_PART] * settings[S_WRITE_CLOCKS]
    return fetched, back, factor


by_luck = jit_into(FOLDER, _by_luck, counted=False)


def _write(kind, first, count, start, result, gives, hint, block, instance, turn, issued, same, lanes, streams, reuse,
           apart, l1, l2, passing, written, known, state, settings, busy):
    """Stores sectors, or adds to them; as ``read``. ``written``: what L2 has of what was written.

    ``gives``: the old values are wanted. ``hint``: see ``hints``. ``known``: see ``held_up``. ``same``: the request of
    the warp's store that this one goes with, so that what both have goes once (-1: none). ``lanes``: how many store or
    add.
    """
    sectors, touch, region = streams.sectors, streams.touch, streams.region
    likely, common, again, by_each = reuse.written, reuse.common, reuse.again, reuse.by_each
    updates = reuse.updates
    loose, parts, places = updates.loose, updates.parts, updates.places
    if kind == _ATOMIC and busy[T_ADDED] == 0.0:
        busy[T_ADDED] = start
    tags, ages, ready, dirty, turns, room, _ = l1
    kept, begun = written
    kept_tags, kept_ages, kept_parts = kept
    far_tags, far_ages, far_parts = l2
    local = kind == _LOCAL_STORE
    adds = kind == _ATOMIC
    parts_cost = settings[S_PART] > 0.0
    back = local and len(tags) > 1 and settings[S_LOCAL_BACK] > 0.0
    credit = an_add = 0.0
    asked_line = np.int64(-1)
    in_part = False
    before = last_before = np.int64(0)
    if same >= 0:
        before = streams.requests[same, 4]
        last_before = before + streams.requests[same, 5]
    for i in range(first, first + count):
        while before < last_before and sectors[before] < sectors[i]:
            before += 1
        if before < last_before and sectors[before] == sectors[i]:
            continue
        r = region[i]
        sector = own(sectors[i], common[r], instance, turn)
        near = near_of(sector, apart[r], block, common[r] and not (by_each[r] or touch[i] & SHARED), turn)
        anew = i == first or sectors[i] >> 2 != sectors[i - 1] >> 2
        asked = max(start, state[1])
        by_chance = places[r] > 0.0 and parts_cost
        if by_chance:
            # L2 looks up one place after another, of reads and of writes.
            asked = max(asked, state[0])
            state[0] = asked
        if back:
            # Stays in L1 until its line is needed for something else.
            place, victim = lookup(tags, ages, turns, room, near, anew)
            make_room(l1, place, victim, asked, state, settings, busy)
            fill(tags, ages, ready, turns, room, place, victim, near, 1.0)
            dirty[victim] = True
            continue
        opens = False
        if adds:
            if sector >> 2 != asked_line:
                an_add = added(sectors, i, first + count, gives, count == lanes, settings)
            taken = an_add
            asked_line = sector >> 2
        else:
            if sector >> 2 != asked_line:
                opens = in_part = partly(streams, i, first + count)
            if in_part and parts_cost:
                # Which bytes are meant goes along with a line's sectors, and takes as long as one of them.
                taken = 0.5 * settings[S_WRITE_LINE] * (2.0 if opens else 1.0)
                if not by_chance:
                    # L2 looks up a line in part as it looks up reads, one after another (beside_stores of
                    # tests/machines/stores.cu, rows_beside of parts.cu).
                    state[0] = max(start, state[0]) + taken
            else:
                taken, credit = taken_of(sector >> 2, asked_line, credit, settings[S_WRITE_CLOCKS_L2],
                                         settings[S_WRITE_LINE])
                asked = max(asked, state[9])
                state[9] = asked + taken
            asked_line = sector >> 2
        state[1] = asked + taken
        state[3] = max(start, state[3]) + min(taken, settings[S_WRITE_PORT] * (2.0 if opens else 1.0))
        busy[B_L2_WRITE] += taken
        busy[N_L2_WRITE] += 1
        busy[N_ADDED] += adds
        busy[N_IN_PART] += in_part and by_chance
        first_write = touch[i] & 2 != 0
        if again[r] and len(kept_tags) > 0:
            # Warps come in another order than when they were recorded.
            here = begun_at(sector)
            first_write = begun[here] != sector
            begun[here] = sector
        factor = behind = 1.0
        given_up = False
        if by_chance:
            if adds:
                send(known, r, asked)
            state[0] += taken
            fetched, far, factor = by_luck(sector, r, adds, updates, known, state, settings)
            behind = settings[S_PART]
        else:
            far = mix(sector, 5) < settings[S_LOCAL_FAR] if local else first_write and mix(sector, 2) < likely[r]
            fetched = far and not local and (adds or mix(sector, 8) < parts[r])
            alone = lone(sectors, i, first, count) and not beside(sectors, i, first, count)
            if fetched and alone:
                factor = 1.0 + (settings[S_LONE] - 1.0) * loose[r]
                behind = 1.0 + (settings[S_PART] - 1.0) * loose[r]
                # The part of L2 does nothing else meanwhile, as of a write at random.
                state[1] += updates.astray[r] * (factor * settings[S_READ_CLOCKS] + behind * settings[S_WRITE_CLOCKS])
            if again[r] and len(kept_tags) > 0 and len(far_tags) > 0:
                there = stays(kept_tags, kept_ages, kept_parts, sector, issued)
                if not (there or first_write):
                    # L2 gave it up, perhaps before it was whole: then it is read, too. After that L2 has all of it.
                    gone = not stays(far_tags, far_ages, far_parts, sector, issued)
                    far = far or gone
                    given_up = gone and touch[i] & WHOLE_STORE == 0
                    if given_up:
                        fetched = True
                        if alone:
                            factor, behind = settings[S_LONE], max(1.0, settings[S_PART])
                        if parts_cost:
                            state[1] += factor * settings[S_READ_CLOCKS] + behind * settings[S_WRITE_CLOCKS]
            if len(far_tags) > 0 and not common[r] and (touch[i] & MADE_WHOLE or not again[r]):
                # What the block reads back L2 has, until it needs the room.
                stays(far_tags, far_ages, far_parts, sector, issued)
        come = asked + settings[S_ATOMIC_LATENCY]
        if settings[S_STORE_READS] > 0.0 and kind == _STORE and first_write and (
                touch[i] & (WHOLE_STORE | READ_BEFORE) == 0):
            busy[N_DRAM_READ] += 1
            dram(state, settings, busy, asked, False, 1.0, 0.0)
        fetched = fetched and (parts_cost or given_up)
        busy[N_DRAM_READ] += fetched
        busy[N_ADDED_FAR] += fetched and adds and touch[i] & READ_BEFORE == 0
        if far and kind == _STORE and not fetched and not by_chance:
            lies = LONE if alone and updates.rooms[r] > _FEW else CHANGED if touch[i] & READ_BEFORE else STORED
            pass_through(passing, lies, updates.rooms[r], asked, state, settings, busy)
            far = False
        busy[N_DRAM_WRITE] += far
        if fetched and kind == _STORE and not by_chance and not given_up:
            cost = factor * settings[S_READ_CLOCKS] + behind * settings[S_WRITE_CLOCKS]
            rewrite(state, settings, busy, asked, cost)
        else:
            if fetched:
                moved = dram(state, settings, busy, asked, False, factor, 0.0)
                come = max(come, moved + settings[S_ATOMIC_LATENCY] + settings[S_DRAM_LATENCY] - settings[S_L2_LATENCY])
            if far:
                dram(state, settings, busy, asked, parts_cost or not adds, behind, 0.0)
        gives_up = adds or (settings[S_STORE_EVICT] > 0.0 and kind == _STORE)
        place, victim = lookup(tags, ages, turns, room, near, anew and not gives_up and touches(hint))
        if adds:
            result = max(result, come)
        if gives_up:
            if place >= 0:
                drop(tags, ages, room, place)
        elif hint == PASSING:
            settle(ages, turns, place, hint, False)
        elif victim >= 0:
            make_room(l1, place, victim, asked, state, settings, busy)
            come = max(ready[victim, sector & 3], 1.0) if place >= 0 else 1.0
            fill(tags, ages, ready, turns, room, place, victim, near, come)
            settle(ages, turns, victim, hint, place < 0)
    return result


write = jit_into(FOLDER, _write, counted=False)
