"""What a global load takes in L1: steps in which its lines are looked up, and wavefronts that bring its data."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim.coalesce import LOAD, STORE, rising, shared_wavefronts
from mutate.sim.intrinsics import stack_u64
from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.sets import set_of

_FEW_LINES = 8
_BANK = np.uint64(31)
MEASURED = "tests/machines/reference/h200_lines.csv: made by tests/machines/lines.py on an H200"
HITS, TAGS = 8, 16
"""Bits from which on the cost of a load has the wavefronts where all is there, and the steps of looking up."""


def _steps(where: npt.NDArray[np.uint64], mask: int, step: npt.NDArray[np.uint64]) -> int:
    """In which step each active lane's line is looked up, in ``step``; returns how many there are, as ``lookups`` does.

    Each of the four parts of the tags takes one line a step, in the order of the lanes that are the first to want them.
    """
    behind = stack_u64(4)
    for part in range(4):
        behind[part] = np.uint64(0)
    steps = np.uint64(0)
    most = last = np.uint64(0)
    before = -1
    for lane in range(32):
        if not mask >> lane & 1:
            continue
        line = where[lane] >> np.uint64(7)
        found = -1
        if before >= 0 and line == last:
            found = before
        elif before >= 0 and line <= most:
            for other in range(lane):
                if mask >> other & 1 and where[other] >> np.uint64(7) == line:
                    found = other
                    break
        if found >= 0:
            step[lane] = step[found]
        else:
            part = set_of(line) & 3
            step[lane] = behind[part]
            behind[part] += np.uint64(1)
            steps = max(steps, behind[part])
            most = max(most, line)
        last, before = line, lane
    return int(np.int64(steps))


steps_of = jit_into(FOLDER, _steps, counted=False)


def _narrow(where: npt.NDArray[np.uint64], mask: int, step: npt.NDArray[np.uint64], steps: int) -> int:
    """The different words of a bank in each step, the most of a bank, summed: of up to 4 bytes a lane."""
    most, word, place = stack_u64(32), stack_u64(32), stack_u64(32)
    for k in range(steps):
        most[k] = np.uint64(1)
    n = 0
    for lane in range(32):
        if not mask >> lane & 1:
            continue
        mine = where[lane] >> np.uint64(2)
        at = step[lane] << np.uint64(5) | mine & _BANK
        words = np.uint64(1)
        seen = False
        for other in range(n):
            words += np.uint64(place[other] == at)
            seen |= word[other] == mine
        if not seen:
            word[n], place[n] = mine, at
            n += 1
            most[step[lane]] = max(most[step[lane]], words)
    total = np.uint64(0)
    for k in range(steps):
        total += most[k]
    return int(np.int64(total))


narrow = jit_into(FOLDER, _narrow, counted=False)


def _load_wavefronts(where: npt.NDArray[np.uint64], mask: int, width: int, step: npt.NDArray[np.uint64],
                     steps: int) -> int:
    """Wavefronts of a global load of which nothing is there: each step of looking up has those of a shared store.

    All of the 37 loads that miss in tests/machines/reference/h200_requests.csv. ``step`` and ``steps``: see ``_steps``.
    """
    if width <= 4:
        return narrow(where, mask, step, steps)
    total = 0
    for k in range(steps):
        part = 0
        for lane in range(32):
            if mask >> lane & 1 and step[lane] == np.uint64(k):
                part |= 1 << lane
        total += shared_wavefronts(where, part, width, STORE)
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
        hit = shared_wavefronts(where, mask, width, LOAD)
        miss = shared_wavefronts(where, mask, width, STORE) if width > 4 else hit
        steps = 1
    else:
        hit = hit_wavefronts(where, mask, width, room)
        steps = steps_of(where, mask, room)
        miss = max(hit, load_wavefronts(where, mask, width, room, steps))
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


def _line_in_whole(sectors: npt.NDArray[np.int64], i: int, first: int, count: int) -> bool:
    """Whether a request, whose sectors rise, has all four of this one's line."""
    begin = i - (sectors[i] & 3)
    return bool(begin >= first and begin + 3 < first + count and sectors[begin] == sectors[i] & ~3
                and sectors[begin + 3] == sectors[i] | 3)


line_in_whole = jit_into(FOLDER, _line_in_whole, counted=False)


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
