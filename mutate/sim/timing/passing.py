"""What passes through L2, of what DRAM gave and what was stored: DRAM is not written until L2 needs the room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.servers import dram
from mutate.sim.timing.settings import N_DRAM_WRITE, S_HELD, S_PART, S_PARTED, S_STORED

READ, STORED, CHANGED, EMPTY, LONE, PARTED = range(6)
"""A sector that came from DRAM, one that was stored, and one that was stored where it had come from DRAM; the rest of a

line of which no more was stored (planes of tests/machines/planes.cu: as many lines stay in L2 whether one, two or four
of their sectors were stored); one that was stored without the other half of 64 bytes; and one that was stored where it
had come from DRAM, by a warp that stored a part of its line (``parted``).
"""
_FIRST, _HELD, _STORED, _CHANGED, _OWED = range(5)
_WHOLE = 1 << 20


def _write(what, t, servers, settings, busy):
    """DRAM writes a sector; a lone one costs what a lone one costs that was written in part."""
    busy[N_DRAM_WRITE] += 1
    cost = max(1.0, settings[S_PART]) if what == LONE else 1.0
    if what == PARTED:
        cost += settings[S_PARTED]
    dram(servers, settings, busy, t, True, cost, 0.0)


_to_dram = jit_into(FOLDER, _write, counted=False)


class Passing(NamedTuple):
    """The SM's part of what L2 holds, a ring: what each sector is. ``state``: the oldest one's place, how many there

    are, how many of them were stored, how many changed, which are there twice, and the part of an empty one that is
    owed.
    """

    what: npt.NDArray[np.int8]
    state: npt.NDArray[np.int64]


def _pass_through(passing, what, room, t, servers, settings, busy):
    """Enters a sector, with ``room`` for as many, at the clock ``t``; DRAM writes what there is no room for then.

    Without a ring that is the sector itself. ``servers``: as ``servers.dram`` has them.
    """
    ring, state = passing
    size = len(ring)
    if settings[S_HELD] <= 0.0:
        if what != READ:
            _to_dram(what, t, servers, settings, busy)
        return
    ring[(state[_FIRST] + state[_HELD]) % size] = what
    state[_HELD] += 1
    state[_STORED] += what != READ
    state[_CHANGED] += what == CHANGED or what == PARTED
    state[_OWED] += np.int64((room - 1.0) * _WHOLE)
    while state[_OWED] >= _WHOLE and state[_HELD] < size:
        ring[(state[_FIRST] + state[_HELD]) % size] = EMPTY
        state[_HELD] += 1
        state[_STORED] += 1
        state[_OWED] -= _WHOLE
    while state[_HELD] > 0 and (state[_HELD] - state[_CHANGED] > settings[S_HELD]
                                or state[_STORED] > settings[S_STORED] or state[_HELD] >= size):
        oldest = ring[state[_FIRST]]
        state[_FIRST] = (state[_FIRST] + 1) % size
        state[_HELD] -= 1
        state[_STORED] -= oldest != READ
        state[_CHANGED] -= oldest == CHANGED or oldest == PARTED
        if oldest != READ and oldest != EMPTY:
            _to_dram(oldest, t, servers, settings, busy)


pass_through = jit_into(FOLDER, _pass_through, counted=False)


def empty_passing(held: int) -> Passing:
    """A ring for ``held`` sectors, and as many that are there twice."""
    return Passing(np.zeros(2 * held + 2, np.int8), np.zeros(5, np.int64))

