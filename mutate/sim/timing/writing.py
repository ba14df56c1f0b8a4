"""What becomes of the sectors that one request stores or adds to, in L1, the SM's share of L2, and DRAM."""

from __future__ import annotations

import numpy as np

from mutate.sim import layout as lay
from mutate.sim.jit import jit_into
from mutate.sim.timing.constants import (
    IN_EACH_OTHERS_WAY,
    LAGS,
    LAGS_BY,
    LOST_WAITED,
    MOST_IN_THE_WAY,
    READ_THEN_CHANGED,
    STORED_WHERE_READ,
    WRITTEN_AGAIN,
    WRITTEN_AGAIN_READ,
)
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.held_up import WRITTEN, send
from mutate.sim.timing.hints import PASSING, settle, touches
from mutate.sim.timing.lines import beside, line_in_whole, lone
from mutate.sim.timing.open_lines import is_open, joins_open, open_lines
from mutate.sim.timing.packets import added
from mutate.sim.timing.passing import CHANGED, LONE, PARTED, STORED, pass_through
from mutate.sim.timing.sectors import IN_PART, SPREAD, STORED_WHOLE, near_of, own
from mutate.sim.timing.servers import dram, make_room, mix, rewrite, stays, taken_of
from mutate.sim.timing.settings import (
    B_L2_WRITE,
    N_ADDED,
    N_ADDED_FAR,
    N_DRAM_READ,
    N_DRAM_WRITE,
    N_IN_PART,
    N_L2_WRITE,
    S_ATOMIC_LATENCY,
    S_CROSSED,
    S_DRAM_LATENCY,
    S_L2_LATENCY,
    S_LOCAL_BACK,
    S_LOCAL_FAR,
    S_LOCAL_LINE,
    S_LONE,
    S_PART,
    S_READ_CLOCKS,
    S_RESIDENT,
    S_STORE_EVICT,
    S_STORE_READS,
    S_WRITE_AGAIN,
    S_WRITE_CLOCKS,
    S_WRITE_CLOCKS_L2,
    S_WRITE_LINE,
    S_WRITE_PORT,
    T_ADDED,
)
from mutate.sim.timing.tags import drop, fill, lookup
from mutate.sim.timing.touches import LINE_READ, MADE_WHOLE, READ_BEFORE, SHARED, WHOLE_STORE, partly

_STORE, _ATOMIC, _LOCAL_STORE = lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC, lay.H_LOCAL_STORE
_BEGUN_BITS = 16
BEGUN = 1 << _BEGUN_BITS
"""Places that remember which sectors were written."""
_SOON_BITS = 13
SOON = 1 << _SOON_BITS
"""Places that remember which sectors were written at random: of the SM's last writes some thousand."""
_FEW = 3.0
"""Sectors' room that a stored one takes from which on those of other warps do not complete its line."""


def _begun_at(sector, bits):
    """Where of so many places it is remembered that a sector was written."""
    return np.int64(np.uint64(sector) * SPREAD >> np.uint64(64 - bits))


begun_at = jit_into(FOLDER, _begun_at, counted=False)


def _by_luck(sector, r, adds, gives, touch, soon, updates, known, state, settings):
    """What becomes of a write at random: whether DRAM reads its sector, whether it writes one, and the read's cost

    against one in a stream. ``touch``: of the sector, as ``Streams`` has it; ``gives`` and ``soon``: as ``_write`` has
    them; ``known``: see ``held_up``.
    """
    had = touch & READ_BEFORE != 0
    # One of the last that the SM wrote, if no other has taken its place.
    here = begun_at(sector, _SOON_BITS)
    anew = touch & 2 != 0 or soon[here] != sector
    soon[here] = sector
    known[WRITTEN, r] += anew or not adds
    seen = known[WRITTEN, r]
    luck = mix(sector + (np.int64(seen) << 36), 2)
    part = anew and (mix(sector, 8) < updates.parts[r] or (adds and not had))
    # Anybody's first touch of the sector, or one since L2 gave it up.
    fetched = part and luck < max(np.exp(-seen / updates.places[r]), updates.absent[r])
    if had:
        # Or since the block has read it, as so many do at once.
        gone = LOST_WAITED * updates.absent[r] ** 2 if gives or not anew else updates.lost[r]
        fetched = fetched or mix(sector + (np.int64(seen) << 36), 10 + anew) < gone
    back = (fetched and not adds) or (seen > updates.soiled[r] and luck < updates.clean[r])
    if not anew:
        # What the block has written itself L2 has, perhaps written back already.
        back = back and mix(sector, 9) < (WRITTEN_AGAIN_READ if had else WRITTEN_AGAIN)
    factor = 1.0 + (settings[S_LONE] - 1.0) * updates.loose[r]
    if adds:
        # Of more than L2 holds, half of another sector comes with each.
        factor *= (2.0 + updates.absent[r]) / 3.0
    elif part:
        # The part of L2 does nothing else meanwhile.
        if fetched:
            state[1] += factor * settings[S_READ_CLOCKS]
        if back:
            state[1] += (1.0 + (settings[S_PART] - 1.0) * updates.loose[r]) * settings[S_WRITE_CLOCKS]
    return fetched, back, factor


by_luck = jit_into(FOLDER, _by_luck, counted=False)


def _write(kind, first, count, start, result, gives, hint, block, instance, turn, issued, same, w, lanes, streams,
           reuse, apart, l1, l2, passing, written, known, state, settings, busy):
    """Stores sectors, or adds to them; as ``read``. ``written``: what L2 has of what was written.

    ``gives``: the old values are wanted. ``hint``: see ``hints``. ``known``: see ``held_up``. ``same``: the request of
    the warp's store that this one goes with, so that what both have goes once (-1: none). ``w``: the warp,
    ``lanes``: how many of it store or add.
    """
    sectors, touch, region = streams.sectors, streams.touch, streams.region
    likely, common, again, by_each = reuse.written, reuse.common, reuse.again, reuse.by_each
    updates = reuse.updates
    loose, parts, places = updates.loose, updates.parts, updates.places
    if kind == _ATOMIC and busy[T_ADDED] == 0.0:
        busy[T_ADDED] = start
    tags, ages, ready, dirty, turns, room, _ = l1
    kept, begun, soon, opened = written
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
    joins = kind == _STORE and same < 0 and joins_open(
        opened, streams, first, count, w, instance, start, state[1] - start)
    for i in range(first, first + count):
        if joins and is_open(opened, sectors[i]):
            continue
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
        goes = asked
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
                least = settings[S_LOCAL_LINE if local else S_WRITE_LINE]
                taken = 0.5 * least * (2.0 if opens else 1.0)
                if not by_chance:
                    # L2 looks up a line in part as it looks up reads, one after another (beside_stores of
                    # tests/machines/stores.cu, rows_beside of parts.cu).
                    state[0] = max(start, state[0]) + taken
                    if touch[i] & 2 and touch[i] & WHOLE_STORE == 0:
                        taken += updates.crossed[r] * settings[S_CROSSED]
            else:
                clocks = settings[S_WRITE_CLOCKS_L2 if local or touch[i] & 2 else S_WRITE_AGAIN]
                taken, credit = taken_of(sector >> 2, asked_line, credit, clocks, settings[S_WRITE_LINE])
                if not by_chance and instance >= settings[S_RESIDENT]:
                    # Others have used the share meanwhile, and give it back.
                    goes = max(state[1], start - min(LAGS, start * LAGS_BY))
                goes, asked = max(goes, state[9]), max(asked, state[9])
                state[9] = goes + taken
            asked_line = sector >> 2
        state[1] = goes + taken
        state[3] = max(start, state[3]) + min(taken, settings[S_WRITE_PORT] * (2.0 if opens else 1.0))
        busy[B_L2_WRITE] += taken
        busy[N_L2_WRITE] += 1
        busy[N_ADDED] += adds
        busy[N_IN_PART] += in_part and by_chance
        first_write = touch[i] & 2 != 0
        if again[r] and len(kept_tags) > 0:
            # Warps come in another order than when they were recorded.
            here = begun_at(sector, _BEGUN_BITS)
            first_write = begun[here] != sector
            begun[here] = sector
        factor = behind = 1.0
        given_up = False
        if by_chance:
            if adds:
                send(known, r, asked)
            elif touch[i] & READ_BEFORE:
                state[1] += taken * (STORED_WHERE_READ + min(IN_EACH_OTHERS_WAY / places[r], MOST_IN_THE_WAY))
            state[0] += taken
            fetched, far, factor = by_luck(sector, r, adds, gives, touch[i], soon, updates, known, state, settings)
            behind = 1.0 + (settings[S_PART] - 1.0) * loose[r]
        else:
            far = mix(sector, 5) < settings[S_LOCAL_FAR] if local else first_write and mix(sector, 2) < likely[r]
            fetched = far and not local and (adds or mix(sector, 8) < parts[r])
            alone = lone(sectors, i, first, count) and not beside(sectors, i, first, count)
            if fetched and not (alone or adds) and parts_cost and mix(sector ^ 1, 8) >= parts[r]:
                # The other half is whole: 36 ps for one where few of the sectors are so, 24 and 12 where a third and
                # two thirds are (walled<2> of tests/machines/walled.cu; in a stream 7).
                factor = 1.0 + (settings[S_LONE] - 1.0) * (1.0 - parts[r])
                behind = 1.0 + (settings[S_PART] - 1.0) * (1.0 - parts[r])
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
        if by_chance and gives and touch[i] & READ_BEFORE:
            come += READ_THEN_CHANGED
        if settings[S_STORE_READS] > 0.0 and kind == _STORE and first_write and (
                touch[i] & (WHOLE_STORE | READ_BEFORE) == 0):
            busy[N_DRAM_READ] += 1
            dram(state, settings, busy, asked, False, 1.0, 0.0)
        fetched = fetched and (parts_cost or given_up)
        busy[N_DRAM_READ] += fetched
        busy[N_ADDED_FAR] += fetched and adds and touch[i] & READ_BEFORE == 0
        if far and kind == _STORE and not fetched and not by_chance:
            lies = LONE if alone and updates.rooms[r] > _FEW else STORED
            if lies == STORED and touch[i] & READ_BEFORE:
                parted = touch[i] & (WHOLE_STORE | LINE_READ) == WHOLE_STORE and (
                    in_part or not line_in_whole(sectors, i, first, count))
                lies = PARTED if parted else CHANGED
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
            come = STORED_WHOLE if touch[i] & WHOLE_STORE else IN_PART
            if place >= 0 and ready[victim, sector & 3] > 0.0:
                come = max(ready[victim, sector & 3], STORED_WHOLE)
            fill(tags, ages, ready, turns, room, place, victim, near, come)
            settle(ages, turns, victim, hint, place < 0)
    if kind == _STORE:
        open_lines(opened, streams, first, count, w, instance, max(state[1], start), joins)
    return result


write = jit_into(FOLDER, _write, counted=False)
