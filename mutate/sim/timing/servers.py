"""Memory as one SM sees it: L1's data stage, and the SM's shares of L2 and DRAM, which serve in the order of requests.

``state`` are servers, by when they are free: 0 reads of L2, 1 writes, 2 DRAM, 3 what
the SM writes, on its way out; and what DRAM's load is reckoned from:
4 the part of writes, 5 the last request, 6 the load, 7 the writes that wait, 8 the clocks of what L2 has a part of;
9 what is written into L2, by DRAM and as a whole by the SM; 10 by how much DRAM's share may lag behind, by
what was read last (``constants.LAGS``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.settings import (
    B_DRAM,
    B_L2_WRITE,
    N_DRAM_WRITE,
    N_L2_WRITE,
    S_BACKLOG,
    S_IN_ORDER,
    S_LOAD,
    S_LOAD_WRITES,
    S_LOCAL_FAR,
    S_MIX,
    S_PART_WAITS,
    S_READ_CLOCKS,
    S_SLACK,
    S_WRITE_CLOCKS,
    S_WRITE_CLOCKS_L2,
)
from mutate.sim.timing.tags import drop, leaves

L2_WAYS = 16
# Clocks over which DRAM's load is reckoned.
_WINDOW = 4000.0
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class L2(NamedTuple):
    """Of each line: its number, when it was last used, and which of its sectors were touched (bits)."""

    tags: Ints
    ages: Ints
    parts: Ints


class OpenLines(NamedTuple):
    """The sectors of the last stores that go together, how many there are, their block and the last one's warp; when

    that has gone to L2.
    """

    sectors: Ints
    of: Ints
    left: Floats


class Written(NamedTuple):
    """The part of L2 that lines have which were written; ``begun``: sectors that were, at places by a hash, ``soon``:

    those that were at random, of which fewer are remembered; what others may go to L2 with.
    """

    lines: L2
    begun: Ints
    soon: Ints
    opened: OpenLines


class Twins(NamedTuple):
    """Sectors that came with another one though nobody asked for them, and when, at places by their last bits."""

    sectors: Ints
    come: Floats


RETURNS = 256
_RETURN_CLOCKS = 32.0


class Returns(NamedTuple):
    """L1's data stage for loads whose data comes back in any order: how much of each part of 32 clocks is used.

    ``part``: which part a place stands for.
    """

    part: Ints
    used: Floats


def _returned(returns, t, cost):
    """When a load's data, there at ``t``, is read: ``cost`` clocks of the data stage."""
    part = np.int64(t / _RETURN_CLOCKS)
    at = t
    while cost > 0.0:
        place = part % RETURNS
        if returns.part[place] < part:
            returns.part[place] = part
            returns.used[place] = 0.0
        begun = max(at - part * _RETURN_CLOCKS, returns.used[place])
        taken = min(cost, _RETURN_CLOCKS - begun)
        if taken > 0.0:
            returns.used[place] += taken
            cost -= taken
            at = part * _RETURN_CLOCKS + begun + taken
        part += 1
    return at


returned = jit_into(FOLDER, _returned, counted=False)


def _mix(value: int, seed: int) -> float:
    """A number in [0, 1) for a sector, always the same."""
    x = np.uint64(value) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed) * np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(31)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(29)
    return float(x >> np.uint64(11)) / 9007199254740992.0


mix = jit_into(FOLDER, _mix, counted=False, inlined=True)


def _line_at(tags, ages, line):
    """Where the SM's part of L2 has a line, or the place of the one in its set that was used longest ago."""
    at = (np.uint64(line) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)
    at = at % np.uint64(len(tags) // L2_WAYS) * np.uint64(L2_WAYS)
    end = at + np.uint64(L2_WAYS)
    victim, oldest = at, ages[at]
    k = at
    while k < end:
        if tags[k] == line:
            return np.int64(k)
        if ages[k] < oldest:
            victim, oldest = k, ages[k]
        k += np.uint64(1)
    return np.int64(victim)


line_at = jit_into(FOLDER, _line_at, counted=False)


def _stays(tags, ages, parts, sector, clock):
    """Whether the SM's part of L2 has a sector; now it does."""
    line = sector >> 2
    bit = 1 << (sector & 3)
    k = line_at(tags, ages, line)
    there = tags[k] == line
    was = parts[k] & bit if there else 0
    tags[k], ages[k], parts[k] = line, clock, parts[k] | bit if there else bit
    return was != 0


stays = jit_into(FOLDER, _stays, counted=False)


def _alone_of_line(tags, ages, parts, sector):
    """Whether the SM's part of L2 has nothing of a sector's line but that sector."""
    k = line_at(tags, ages, sector >> 2)
    return tags[k] != sector >> 2 or parts[k] & ~(1 << (sector & 3)) == 0


alone_of_line = jit_into(FOLDER, _alone_of_line, counted=False)


def prime(most: int) -> int:
    """The largest prime number up to ``most``; 0 below 2."""
    return next((n for n in range(most, 1, -1) if all(n % k for k in range(2, math.isqrt(n) + 1))), 0)


def lines_in(size: float) -> int:
    """Lines of a part of L2 of so many bytes, in sets of which there is a prime number."""
    return L2_WAYS * prime(int(size) // 128 // L2_WAYS)


def _lines(count, old):
    """A part of L2 of so many lines, with what another one has."""
    new = L2(np.full(count, -1, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64))
    if count > 0:
        for k in range(len(old.tags)):
            if old.tags[k] >= 0:
                to = line_at(new.tags, new.ages, old.tags[k])
                new.tags[to], new.ages[to], new.parts[to] = old.tags[k], old.ages[k], old.parts[k]
    return new


lines_with = jit_into(FOLDER, _lines)


def _written(count, old):
    """What was written, of which L2 has so many lines, with what another one has."""
    return Written(lines_with(count, old.lines), old.begun, old.soon, old.opened)


written_with = jit_into(FOLDER, _written)


def _taken(line, asked_line, credit, clocks, least):
    """Clocks that L2 takes for a sector, and what of its line's least time the line's next sectors need not take.

    A request of a line takes its least time, however few sectors it asks for.
    """
    if line != asked_line:
        credit = max(0.0, least - clocks)
        return clocks + credit, credit
    less = min(credit, clocks)
    return clocks - less, credit - less


taken_of = jit_into(FOLDER, _taken, counted=False)


def _dram(state, settings, busy, t, write, factor, luck):
    """When DRAM has moved a sector: the SM's share of bandwidth, and more waiting the busier it is.

    ``luck`` from 0 to 1: how long it waits, of waits that are spread exponentially.
    """
    cost = (settings[S_WRITE_CLOCKS] if write else settings[S_READ_CLOCKS]) * factor
    share = state[4] = state[4] + ((1.0 if write else 0.0) - state[4]) / 256.0
    cost *= 1.0 + settings[S_MIX] * (settings[S_IN_ORDER] if factor <= 1.0 else 1.0) * 4.0 * share * (1.0 - share)
    gap = t - state[5]
    if gap > 0.0:
        state[6] *= np.exp(-gap / _WINDOW)
        state[5] = t
    state[6] += cost / _WINDOW
    used = min(0.9, state[6])
    wait = max(0.0, state[2] - t)
    lag = state[10] if factor <= 1.0 else 0.0
    state[2] = max(state[2], t - lag) + cost
    busy[B_DRAM] += cost
    # An SM may use for a while what the others leave.
    wait = max(0.0, wait - settings[S_SLACK])
    # Writes wait in L2 while there is something to read, as long as it holds them.
    state[7] = min(state[7], wait)
    if write:
        state[7] = min(state[7] + cost, settings[S_BACKLOG])
        return t + wait
    longer = settings[S_LOAD] * used / (1.0 - used) + settings[S_LOAD_WRITES] * share * used
    return t + wait - state[7] - longer * np.log(1.0 - luck)


dram = jit_into(FOLDER, _dram, counted=False, inlined=True)


def _rewrite(state, settings, busy, t, cost):
    """DRAM reads a sector of which L2 has a part, and writes the whole: when it has nothing else to do, as long as

    L2 has room for such sectors. ``cost``: clocks of both.
    """
    cost *= 1.0 + settings[S_MIX]
    free = min(state[8], max(0.0, t - state[2]))
    state[2] += free
    state[8] += cost - free
    over = max(0.0, state[8] - settings[S_PART_WAITS])
    if over > 0.0:
        state[2] = max(state[2], t) + over
        state[8] -= over
    busy[B_DRAM] += free + over


rewrite = jit_into(FOLDER, _rewrite, counted=False)


def _evict(state, settings, busy, dirty, victim, t, luck):
    """Writes a line of local memory from L1 to L2, to DRAM where L2 does not hold all of it (``luck``: in [0, 1))."""
    dirty[victim] = False
    for _ in range(4):
        asked = max(t, state[1])
        state[1] = asked + settings[S_WRITE_CLOCKS_L2]
        busy[B_L2_WRITE] += settings[S_WRITE_CLOCKS_L2]
        busy[N_L2_WRITE] += 1
        if luck < settings[S_LOCAL_FAR]:
            busy[N_DRAM_WRITE] += 1
            dram(state, settings, busy, asked, True, 1.0, 0.0)


evict = jit_into(FOLDER, _evict, counted=False)


def _make_room(l1, place, victim, asked, state, settings, busy):
    """Gives up the line that makes room for one that was looked up; local memory of L1's own goes to L2 then."""
    gone = leaves(l1.tags, l1.ages, l1.room, l1.hands, place, victim)
    if gone >= 0:
        if l1.dirty[gone]:
            evict(state, settings, busy, l1.dirty, gone, asked, mix(l1.tags[gone], 5))
        drop(l1.tags, l1.ages, l1.room, gone)


make_room = jit_into(FOLDER, _make_room, counted=False, inlined=True)
