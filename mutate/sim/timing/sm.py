"""One SM while it is played: all that the engine goes on from, as data, so that a play can stop and be copied."""

from __future__ import annotations

from copy import deepcopy
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.timing import settings as p
from mutate.sim.timing import units as u
from mutate.sim.timing.blocks import BARRIERS, NEVER, Blocks, Boards, Warps
from mutate.sim.timing.code_cache import Code, empty_code
from mutate.sim.timing.combining import Combining, empty_combining
from mutate.sim.timing.constant_cache import Constants, empty_constants
from mutate.sim.timing.open_lines import none_open
from mutate.sim.timing.operands import Operands, no_operands
from mutate.sim.timing.passing import Passing, empty_passing
from mutate.sim.timing.pending import Pending, none_pending
from mutate.sim.timing.scoreboard import REGISTERS
from mutate.sim.timing.sectors import TWINS
from mutate.sim.timing.servers import L2, RETURNS, Returns, Twins, Written
from mutate.sim.timing.tags import L1, empty_l1
from mutate.sim.timing.writing import BEGUN, SOON

QUEUE = 64
"""Requests of a scheduler whose times are remembered."""
_SERVERS = 11
"""Of ``Sm.state``."""
F_BARRIER, F_LSU, F_TAGS, F_DATA, F_SENT, F_CONSTANT, F_MATCH, F_LAUNCH, F_LEAVES, F_FINAL = range(10)
"""Of ``Sm.free``: until when each is busy; when the next block may begin and the last one left; the end so far."""
K_LINES, K_LAUNCHED, K_FINISHED, K_ISSUED, K_WORK, K_CLOCK = range(6)
"""Of ``Sm.counts``: lines stored, blocks begun and finished, instructions, what they cost the budget, and the clock."""
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Schedulers(NamedTuple):
    """Of each scheduler: when its ports are free, its two FP32 pipes, and which of them was used last; the times of its

    queue of memory instructions, how many there were, and until when it takes the next; until when the two banks of
    registers are read, arithmetic waits for what others read (``operands``), and results are written (in
    ``banks.PARTS``), without and with what runs of loads take more, and until when MUFU and the like are computed; its
    port of shared memory; the warp that issued last; when it may issue next.
    """

    ports: Ints
    pipes: Ints
    side: Ints
    mio: Floats
    mio_n: Ints
    mio_in: Floats
    reading: Ints
    port: Floats
    last: Ints
    next: Ints
    operands: Operands


class Told(NamedTuple):
    """What a play tells: the clock at which each block finished; clocks of warps, shape (instructions, reasons of

    ``settings.STALLS``); busy times and counts (``settings``); the clock and the instructions issued when each of equal
    parts of the budget was used up, shape (parts, 2).
    """

    done: Ints
    stalls: Ints
    busy: Floats
    marks: Ints


class Sm(NamedTuple):
    """``state``: see ``servers``; ``known``: see ``held_up``."""

    l1: L1
    l2: L2
    written: Written
    passing: Passing
    twins: Twins
    returns: Returns
    pending: Pending
    state: Floats
    known: Floats
    warps: Warps
    boards: Boards
    blocks: Blocks
    schedulers: Schedulers
    stored: Combining
    constants: Constants
    code: Code
    free: Floats
    counts: Ints
    told: Told


def _l2(lines: float) -> L2:
    size = int(lines)
    return L2(np.full(size, -1, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64))


def _warps(size: int) -> Warps:
    def zeros() -> Ints:
        return np.zeros(size, np.int64)

    return Warps(zeros(), zeros(), zeros(), zeros(), np.full(size, NEVER, np.int64), zeros(), zeros(),
                 np.full(size, -1, np.int64), zeros(), zeros(), np.full(size, -1, np.int64), zeros())


def _schedulers(count: int) -> Schedulers:
    def zeros(*shape: int) -> Ints:
        return np.zeros((count, *shape), np.int64)

    return Schedulers(zeros(u.PORTS), zeros(2), zeros(), np.zeros((count, QUEUE)), zeros(), np.zeros(count), zeros(6),
                      np.zeros(count), np.full(count, -1, np.int64), zeros(), no_operands(count))


def fresh(settings: Floats, warps: int, arrays: int, code_lines: int, told: Told) -> Sm:
    """An SM with room for ``S_RESIDENT`` blocks at first of so many ``warps``, on which nothing has begun.

    ``arrays``: as many as a launch has, local memory included; ``code_lines``: of the kernel's code (``code_cache``).
    """
    resident, schedulers = int(settings[p.S_RESIDENT]), int(settings[p.S_SCHEDULERS])
    places, slots = int(settings[p.S_PLACES]), schedulers * int(settings[p.S_WARP_SLOTS])
    places, size = (places, slots) if places else (resident, resident * warps)
    rows = size if settings[p.S_TRACKED] > 0.0 else 1
    boards = Boards(np.zeros((size, 6)), np.zeros((size, 6), np.int64), np.zeros((size, 6, 8)),
                    np.zeros((size, 6), np.int64), np.zeros(size), np.zeros((rows, REGISTERS)),
                    np.zeros((rows, REGISTERS), np.int64))
    blocks = Blocks(np.full(places, -1, np.int64), np.zeros(places, np.int64), np.zeros((places, BARRIERS), np.int64),
                    np.zeros(places, np.int64), np.zeros((places, warps), np.int64), np.zeros(1, np.int64))
    free = np.zeros(F_FINAL + 1)
    free[F_LEAVES] = -settings[p.S_LAUNCH]
    return Sm(empty_l1(int(settings[p.S_L1_PLACES]), int(settings[p.S_L1_LINES])), _l2(settings[p.S_L2_LINES]),
              Written(_l2(settings[p.S_L2_WRITTEN]), np.full(BEGUN, -1, np.int64), np.full(SOON, -1, np.int64),
                      none_open()),
              empty_passing(int(settings[p.S_HELD])), Twins(np.full(TWINS, -1, np.int64), np.zeros(TWINS)),
              Returns(np.full(RETURNS, -1, np.int64), np.zeros(RETURNS)), none_pending(), np.zeros(_SERVERS),
              np.zeros((4, arrays)), _warps(size), boards, blocks, _schedulers(schedulers),
              empty_combining(size, schedulers), empty_constants(schedulers, int(settings[p.S_CONSTANT_LINES])),
              empty_code(settings, code_lines), free, np.zeros(K_CLOCK + 1, np.int64), told)


def with_blocks(sm: Sm, count: int) -> Sm:
    """A copy that can tell of so many blocks, or more than it could, when they finished."""
    mine = deepcopy(sm)
    done = np.zeros(count, np.int64)
    done[:len(mine.told.done)] = mine.told.done
    return mine._replace(told=mine.told._replace(done=done))
