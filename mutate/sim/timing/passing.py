"""What passes through L2, of what DRAM gave and what was stored: DRAM is not written until L2 needs the room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.servers import dram
from mutate.sim.timing.settings import N_DRAM_WRITE, S_HELD, S_STORED

READ, STORED, CHANGED = range(3)
"""A sector that came from DRAM, one that was stored, and one that was stored where it had come from DRAM."""
_FIRST, _HELD, _STORED, _CHANGED = range(4)


class Passing(NamedTuple):
    """The SM's part of what L2 holds, a ring: what each sector is. ``state``: the oldest one's place, how many there

    are, how many of them were stored, and how many changed, which are there twice.
    """

    what: npt.NDArray[np.int8]
    state: npt.NDArray[np.int64]


def _pass_through(passing, what, t, servers, settings, busy):
    """Enters a sector at the clock ``t``; DRAM writes what there is no room for then. Without a ring that is it itself.

    ``servers``: as ``servers.dram`` has them.
    """
    ring, state = passing
    size = len(ring)
    written = np.int64(0)
    if settings[S_HELD] <= 0.0:
        written += what != READ
    else:
        ring[(state[_FIRST] + state[_HELD]) % size] = what
        state[_HELD] += 1
        state[_STORED] += what != READ
        state[_CHANGED] += what == CHANGED
    while state[_HELD] > 0 and (state[_HELD] - state[_CHANGED] > settings[S_HELD]
                                or state[_STORED] > settings[S_STORED] or state[_HELD] >= size):
        oldest = ring[state[_FIRST]]
        state[_FIRST] = (state[_FIRST] + 1) % size
        state[_HELD] -= 1
        written += oldest != READ
        state[_STORED] -= oldest != READ
        state[_CHANGED] -= oldest == CHANGED
    busy[N_DRAM_WRITE] += written
    for _ in range(written):
        dram(servers, settings, busy, t, True, 1.0, 0.0)


pass_through = jit_into(FOLDER, _pass_through, counted=False)


def _empty(held):
    """A ring for ``held`` sectors, and as many that are there twice."""
    return Passing(np.zeros(2 * held + 2, np.int8), np.zeros(4, np.int64))


empty_passing = jit_into(FOLDER, _empty)
