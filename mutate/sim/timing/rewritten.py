"""Stores to lines that L1 has: which go to L2 with the warp's last one, and which lines L1 loses by them.

L1 looks stores up in steps, each of up to four lines, one of each part of its tags. What is stored in a line that it
has waits there for ``TOGETHER`` steps more, if no load wants it before: a store to the same line goes with it. One that
comes right behind those finds it on its way to L2, goes alone, and L1 has the line no more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mutate.sim.jit import jit_into
from mutate.sim.timing.combining import PLACES, in_line, most_lines
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.lines import lookups
from mutate.sim.timing.sectors import place_of
from mutate.sim.timing.servers import mix
from mutate.sim.timing.tags import drop

TOGETHER = 7
GONE = np.array([1.0, 0.76, 0.28, 0.14])
"""The part of its lines that L1 loses where a store comes 8, 9, 10 and 11 steps behind the one before; of 12 and more

none. By ncu's sectors of tests/machines/stored_rows.cu (h200_stored_rows_sectors.csv): of rows 32 to 4096 words apart,
by the steps that their addresses take, all 55 within 0.11; of 8 to 31 lanes those of more than seven steps go alone
(tests/timing_model/test_lines_lost.py).
"""
CROWD = 7
"""Memory instructions that a scheduler has on their way from which on a warp's stores do not follow each other: stores

of 32 lines, two of each of 12 warps and four of each of six lose 92 and 98 % of them, of 16 and of eight warps 4 and
10 % (stored_twice of stored_twice.cu, stored_ahead of stored_ahead.cu).
"""


def _goes_with(stored: Any, streams: Any, place: int, q: int, block: int, there: int, lines: int, due: int, clock: int,
               lines_out: int, four: bool, backlog: float, few: bool) -> tuple[int, int]:
    """How many steps a store to so many ``lines``, of which L1 has ``there``, comes behind one that is on its way to L2

    (0: there is none), and the request that it goes with (-1: none). ``few``: the SM has not many warps; where it has,
    as many would go together by this that structs.cu comes out 8 % too fast on average (1 % without). The rest as
    ``combining.most_lines`` has it.
    """
    begin, count = streams.requests[q, 4], streams.requests[q, 5]
    first, last = streams.sectors[begin], streams.sectors[begin + count - 1]
    with_it, passed, read = -1, int(stored.steps[0]), 0
    for k in range(place // PLACES * PLACES, place // PLACES * PLACES + PLACES):
        so_far, other = int(stored.steps[0] - stored.at_step[k]), int(stored.request[k])
        if other >= 0 and stored.block[k] == block and so_far < passed and in_line(
                streams, other, first) and in_line(streams, other, last):
            with_it, passed, read = other, so_far, int(stored.read[k])
    if with_it >= 0 and passed > TOGETHER and lookups(streams.sectors, begin, count) > TOGETHER:
        return passed if read == 0 and passed <= TOGETHER + len(GONE) else 0, -1
    if with_it >= 0 and read == 0 and passed <= TOGETHER and there > 0 and few:
        return 0, with_it
    if lines <= most_lines(stored, streams, place, block, due, clock, lines_out, four, backlog):
        return 0, int(stored.request[place])
    return 0, -1


goes_with = jit_into(FOLDER, _goes_with, counted=False)


def _loses(streams: Any, passed: int, q: int, reuse: Any, apart: Any, block: int, turn: int, l1: Any) -> None:
    """Takes from L1 the lines of request ``q`` that it loses by a store so many steps behind another."""
    first, count = streams.requests[q, 4], streams.requests[q, 5]
    line = np.int64(-1)
    for i in range(first, first + count):
        if streams.sectors[i] >> 2 == line:
            continue
        line = streams.sectors[i] >> 2
        if mix(line, 14) < GONE[passed - TOGETHER - 1]:
            place = place_of(streams, i, reuse, apart, block, turn, l1)
            if place >= 0:
                drop(l1.tags, l1.ages, l1.room, place)


loses = jit_into(FOLDER, _loses, counted=False)


def _counts(stored: Any, streams: Any, q: int) -> int:
    """The steps that the SM's stores took before request ``q``, which takes its own."""
    before = stored.steps[0]
    stored.steps[0] = before + lookups(streams.sectors, streams.requests[q, 4], streams.requests[q, 5])
    return int(before)


counts = jit_into(FOLDER, _counts, counted=False)


def _loaded(stored: Any, streams: Any, w: int, q: int) -> None:
    """A warp loads: what it stored in the same lines waits no longer."""
    line = streams.sectors[streams.requests[q, 4]] >> 2
    for k in range(w * PLACES, w * PLACES + PLACES):
        last = stored.request[k]
        if last >= 0 and streams.sectors[streams.requests[last, 4]] >> 2 == line:
            stored.read[k] = 1


loaded = jit_into(FOLDER, _loaded, counted=False)
