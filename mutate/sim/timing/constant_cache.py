"""The first cache of constant memory: indexed loads find their line there, or wait until it was fetched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.gather import FOLDER
from mutate.sim.timing.settings import S_CONSTANT_FILL, S_CONSTANT_MISS


class Constants(NamedTuple):
    """Of each line: its number (-1: none), when it was last used, and when it is there. ``free``: of the port by which

    lines come, in one element.
    """

    tags: npt.NDArray[np.int64]
    ages: npt.NDArray[np.int64]
    ready: npt.NDArray[np.float64]
    free: npt.NDArray[np.float64]


def _constant_wait(cache, line, turn, clock, settings):
    """Clocks that a load issued at ``clock`` waits for its line; the one that was used longest ago makes room."""
    victim = 0
    for k in range(len(cache.tags)):
        if cache.tags[k] == line:
            cache.ages[k] = turn
            return max(0.0, cache.ready[k] - clock)
        if cache.ages[k] < cache.ages[victim]:
            victim = k
    begun = max(clock, cache.free[0])
    cache.free[0] = begun + settings[S_CONSTANT_FILL]
    cache.tags[victim], cache.ages[victim] = line, turn
    cache.ready[victim] = begun + settings[S_CONSTANT_MISS]
    return cache.ready[victim] - clock


constant_wait = jit_into(FOLDER, _constant_wait)
