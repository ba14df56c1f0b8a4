"""Loads of sectors that atomic operations are on their way to: L2 gives them when those are done."""

from __future__ import annotations

import numpy as np

from mutate.sim.jit import jit_into
from mutate.sim.timing.constants import HELD_UP, LOOKED_UP_AGAIN
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.servers import mix
from mutate.sim.timing.settings import S_FILL_LINE

READ, WRITTEN, SENT, LAST = range(4)
"""Of each array whose places look random: reads and writes so far; atomic operations on their way from an SM; when it

sent the last of them.
"""


def _send(known, r, asked):
    """An atomic operation goes to array ``r`` at the clock ``asked``."""
    known[SENT, r] = 1.0 + known[SENT, r] * np.exp(-max(0.0, asked - known[LAST, r]) / HELD_UP)
    known[LAST, r] = asked


send = jit_into(FOLDER, _send, counted=False)


def _held_up(known, r, sector, start, asked, places, state, settings):
    """Clocks that a load waits for one that any SM has on its way to the sector.

    It waited for its turn from ``start`` to ``asked``. ``places``: sectors of the array for each SM. All SMs have as
    many on their way as this one: those that it sent lately, and as many more as wait when it waits.
    """
    sent = known[SENT, r] * np.exp(-max(0.0, asked - known[LAST, r]) / HELD_UP) * (1.0 + (asked - start) / HELD_UP)
    chance = 1.0 - np.exp(-sent / places)
    luck = mix(sector + (np.int64(asked) << 36), 9)
    if luck >= chance:
        return 0.0
    state[0] += LOOKED_UP_AGAIN * settings[S_FILL_LINE]
    return luck / chance * HELD_UP


held_up = jit_into(FOLDER, _held_up, counted=False)
