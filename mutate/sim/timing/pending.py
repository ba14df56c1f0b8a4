"""Loads whose lines are on their way to L1 already, and lines new to it: both in order, and so many at a time."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER

_PENDING = 400
"""Loads of an SM that may wait so at a time. A line that nine loads of each of 64 warps want is there after 1,700

clocks, and one that four want after 1,110; where L1 has it all, nine take 760 (again and rolls of
tests/machines/reference/h100_pending.csv, h100_rolls.csv). An entry is given back in order: with as many that are given
back in any order pictures' taps from several rows (h100_taps.csv) are 8 to 28 % too fast. Whether a load that asks L2
itself takes one, too, these do not tell: with 512 for all, rolls are 6.1 % off on average instead of 7.7, taps as far,
and tile_reads of spaced.cu, which are too slow, slower yet.
"""
_PARTS, _NARROW = 3, 4
"""Parts of an entry, and how many of them a load of less than 32 bits has: 300 of those wait at a time (rolls<unsigned

char, 4, 0, 9> takes 1.23 times as long as that of words). Why is not known. Loads of 64 and 128 bits are as words.
"""
_NEW_LINES = 1024
"""Lines new to L1 that an SM waits for at a time (byte_rows_by_four of tests/machines/byterows.cu: what warps come back

to soon L1 has then; with 768 at_once<float4> takes 7 % longer than on the GPU).
"""
_OF_BYTES = re.compile(r"\.[US](?:8|16)\b")


def entry_of(instruction: Instruction) -> int:
    """Parts of an entry that a load has; none where it brings no register anything, as a copy to shared memory does

    not (copied<16, 8, 0> of tests/machines/async.cu: 2.3 times what the GPU takes without an entry, 2.6 with one).
    """
    if instruction.name == "LDGSTS":
        return 0
    return _NARROW if _OF_BYTES.search(instruction.opcode) else _PARTS


class Pending(NamedTuple):
    """Until when each part of an entry is taken, and which one is next; when new lines come, and whose turn is next."""

    until: npt.NDArray[np.float64]
    next: npt.NDArray[np.int64]
    lines: npt.NDArray[np.float64]
    turn: npt.NDArray[np.int64]


def none_pending() -> Pending:
    """Nobody waits."""
    return Pending(np.zeros(_PARTS * _PENDING), np.zeros(1, np.int64), np.zeros(_NEW_LINES), np.zeros(1, np.int64))


def _joins(pending: Pending, start: float, come: float, parts: int) -> tuple[float, float]:
    """Clocks that a load waits which would be looked up at ``start``, and when its data is there, which is at ``come``

    but for that. ``parts``: see ``entry_of``; none of what asks L2 itself.
    """
    until, size = pending.until, len(pending.until)
    begun = start
    for k in range(parts):
        begun = max(begun, until[(pending.next[0] + k) % size])
    come = max(come, begun)
    for k in range(parts):
        until[(pending.next[0] + k) % size] = come
    pending.next[0] = (pending.next[0] + parts) % size
    return begun - start, come


joins = jit_into(FOLDER, _joins, counted=False)


def _takes_turn(pending: Pending, come: float, after: float) -> tuple[float, float]:
    """When there is room for a line that is new to L1, until which the loads behind it wait, and when it is there.

    ``come``: when it would be but for that; it is ``after`` clocks behind the room for it, at least.
    """
    lines, turn = pending.lines, pending.turn
    free = lines[turn[0]]
    come = max(come, free + after)
    lines[turn[0]] = come
    turn[0] = (turn[0] + 1) % len(lines)
    return free, come


takes_turn = jit_into(FOLDER, _takes_turn, counted=False)
