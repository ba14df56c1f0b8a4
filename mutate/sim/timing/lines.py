"""What a global load takes in L1: steps in which its lines are looked up, and wavefronts that bring its data."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim.coalesce import LOAD, rising, shared_wavefronts
from mutate.sim.intrinsics import stack_u64
from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.sets import set_of

_LINES_AT_ONCE = 3
_FEW_LANES, _FEW_LINES = 6, 8
_BANK = np.uint64(31 << 2)
MEASURED = "tests/machines/reference/h200_lines.csv: made by tests/machines/lines.py on an H200"
HITS, TAGS = 8, 16
"""Bits from which on the cost of a load has the wavefronts where all is there, and the steps of looking up."""


def _few_wavefronts(addresses: npt.NDArray[np.uint64], first: int, end: int) -> int:
    """``shared_wavefronts`` of a load of up to 4 bytes from addresses ``first`` to ``end``, which rise: the different

    words of a bank.
    """
    most = 1
    for i in range(first + 1, end):
        word = addresses[i] >> np.uint64(2)
        words = 1
        for k in range(first, i):
            other = addresses[k] >> np.uint64(2)
            if other != addresses[k + 1] >> np.uint64(2) and (other ^ word) & np.uint64(31) == np.uint64(0):
                words += 1
        most = max(most, words)
    return most


few_wavefronts = jit_into(FOLDER, _few_wavefronts, counted=False)


def _lone_wavefronts(addresses: npt.NDArray[np.uint64], count: int) -> int:
    """The same of addresses that rise and are in a line each, three at a time."""
    total = 0
    for k in range(0, count - 2, 3):
        first, second, third = addresses[k] & _BANK, addresses[k + 1] & _BANK, addresses[k + 2] & _BANK
        total += 1 + max(int(third == first) + int(third == second), int(second == first))
    if count % 3:
        total += few_wavefronts(addresses, count - count % 3, count)
    return int(total)


lone_wavefronts = jit_into(FOLDER, _lone_wavefronts, counted=False)


def _load_wavefronts(where: npt.NDArray[np.uint64], mask: int, width: int, sectors: npt.NDArray[np.uint64],
                     count: int, room: npt.NDArray[np.uint64]) -> int:
    """Wavefronts of a global load with these sectors: three lines at a time, each time as from shared memory.

    Against the 37 requests of tests/machines/reference/h200_requests.csv (loads that miss): 19 exact, 0.96 of the
    measured number on average. Stores have those of a shared store (37 of 37). ``room``: for 32 addresses.
    """
    if count and (sectors[count - 1] >> np.uint64(2)) - (sectors[0] >> np.uint64(2)) < np.uint64(_LINES_AT_ONCE):
        return shared_wavefronts(where, mask, width, LOAD)
    lanes = 0
    if width <= 4 and count > _LINES_AT_ONCE:
        # Which lane has which of the words does not matter then.
        lanes = rising(where, mask, room)
        lone = lanes == count
        for i in range(count - 1):
            lone &= sectors[i] >> np.uint64(2) != sectors[i + 1] >> np.uint64(2)
        if lone:
            return lone_wavefronts(room, count)
    following = 0
    total = 0
    k = 0
    while k < count:
        first = last = sectors[k] >> np.uint64(2)
        lines = 1
        while k < count and (sectors[k] >> np.uint64(2) == last or lines < _LINES_AT_ONCE):
            if sectors[k] >> np.uint64(2) != last:
                last = sectors[k] >> np.uint64(2)
                lines += 1
            k += 1
        begun = following
        while following < lanes and room[following] >> np.uint64(7) <= last:
            following += 1
        if 0 < following - begun <= _FEW_LANES:
            total += few_wavefronts(room, begun, following)
            continue
        part = 0
        for lane in range(32):
            line = where[lane] >> np.uint64(7)
            if mask >> lane & 1 and first <= line <= last:
                part |= 1 << lane
        if part:
            total += shared_wavefronts(where, part, width, LOAD)
    return int(total)


load_wavefronts = jit_into(FOLDER, _load_wavefronts, counted=False)


def _lookups(sectors: npt.NDArray[np.integer[Any]], begin: int, count: int) -> int:
    """Steps in which L1 looks up the lines of ``count`` sectors, which rise: those of the part that has most.

    Lines of the four parts of the tags are looked up together (MEASURED: ncu's l1tex__t_output_wavefronts of 27 strides
    of lanes are these steps).
    """
    first = second = third = fourth = 0
    last = np.uint64(0)
    for i in range(begin, begin + count):
        line = np.uint64(sectors[i]) >> np.uint64(2)
        if i > begin and line == last:
            continue
        last = line
        part = set_of(line) & 3
        first += part == 0
        second += part == 1
        third += part == 2
        fourth += part == 3
    return max(1, first, second, third, fourth)


lookups = jit_into(FOLDER, _lookups, counted=False)


def _hit_wavefronts(where: npt.NDArray[np.uint64], mask: int, width: int, room: npt.NDArray[np.uint64]) -> int:
    """Wavefronts of a load whose lines are all there: as from shared memory."""
    if width > 4:
        return shared_wavefronts(where, mask, width, LOAD)
    lanes = rising(where, mask, room)
    words = stack_u64(32)
    for bank in range(32):
        words[bank] = np.uint64(0)
    most = np.uint64(1)
    for i in range(lanes):
        word = room[i] >> np.uint64(2)
        if i > 0 and word == room[i - 1] >> np.uint64(2):
            continue
        bank = word & np.uint64(31)
        words[bank] += np.uint64(1)
        most = max(most, words[bank])
    return int(np.int64(most))


hit_wavefronts = jit_into(FOLDER, _hit_wavefronts, counted=False)


def _load_cost(where: npt.NDArray[np.uint64], mask: int, width: int, sectors: npt.NDArray[np.uint64], count: int,
               room: npt.NDArray[np.uint64]) -> int:
    """Wavefronts of a load with these sectors where lines come one by one from L2, from bit ``HITS`` on those where all

    are there, and from bit ``TAGS`` on the steps of looking its lines up. ``room``: for 32 addresses.
    """
    lines = (sectors[count - 1] >> np.uint64(2)) - (sectors[0] >> np.uint64(2)) if count else np.uint64(0)
    if lines == np.uint64(0):
        hit = miss = shared_wavefronts(where, mask, width, LOAD)
        steps = 1
    else:
        hit = hit_wavefronts(where, mask, width, room)
        miss = max(hit, load_wavefronts(where, mask, width, sectors, count, room))
        steps = lookups(sectors, 0, count)
    return int(miss | hit << HITS | steps << TAGS)


load_cost = jit_into(FOLDER, _load_cost, counted=False)


def _lone(sectors: npt.NDArray[np.int64], i: int, first: int, count: int) -> bool:
    """Whether a request asks for one half of 64 bytes only."""
    other = sectors[i] ^ 1
    return not ((i > first and sectors[i - 1] == other) or (i + 1 < first + count and sectors[i + 1] == other))


lone = jit_into(FOLDER, _lone, counted=False)


def _beside(sectors: npt.NDArray[np.int64], i: int, first: int, count: int) -> bool:
    """Whether a request asks for another sector within the next or the last 96 bytes."""
    return (i > first and sectors[i] - sectors[i - 1] < 3) or (
        i + 1 < first + count and sectors[i + 1] - sectors[i] < 3)


beside = jit_into(FOLDER, _beside, counted=False)


def _alone_in_line(sectors: npt.NDArray[np.int64], i: int, first: int, count: int) -> bool:
    """Whether a request, whose sectors rise, asks for one sector of this line only."""
    return not ((i > first and sectors[i - 1] >> 2 == sectors[i] >> 2) or (
        i + 1 < first + count and sectors[i + 1] >> 2 == sectors[i] >> 2))


alone_in_line = jit_into(FOLDER, _alone_in_line, counted=False)


def _lines(sectors: npt.NDArray[np.int64], first: int, count: int) -> int:
    """How many lines a request's sectors are in, which rise."""
    lines = 0
    last = np.int64(-1)
    for i in range(first, first + count):
        if sectors[i] >> 2 != last:
            last = sectors[i] >> 2
            lines += 1
    return lines


lines_of = jit_into(FOLDER, _lines, counted=False)


def _holds_up(sectors: npt.NDArray[np.int64], first: int, count: int) -> bool:
    """Whether loads behind a store wait until its sectors are sent.

    Those of one to many lines, unless each part of the tags has as many of them. 32 lines that are loaded and stored
    take as long as both alone (rows_each of tests/machines/passes.cu, rows of 1152 words: 478 us of 154 and 306;
    walk_rows<2> of stores.cu, of 1056), and of 1024 words, of which the parts have eight each, 91 us of 38 and 71. Why
    is not known.
    """
    lines = lines_of(sectors, first, count)
    return lines > _FEW_LINES and 4 * lookups(sectors, first, count) > lines


holds_up = jit_into(FOLDER, _holds_up, counted=False)
