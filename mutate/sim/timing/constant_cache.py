"""The first caches of constant memory: indexed loads find their line there, or wait until it was fetched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.gather import FOLDER
from mutate.sim.timing.settings import S_CONSTANT_FAR, S_CONSTANT_FILL, S_CONSTANT_MISS, S_CONSTANT_UNIFORM

FAR_LINES = 1024
_FAR_PARTS = 4
"""Lines that come together from far away."""


class Constants(NamedTuple):
    """Of each line of a cache (one for loads, one of each scheduler for uniform loads): its number (-1: none), when it

    was last used, and when it is there. ``free``: of the port by which lines come, in one element. ``far``: when four
    lines of the next cache are there that were asked for together (0: they were not).
    """

    tags: npt.NDArray[np.int64]
    ages: npt.NDArray[np.int64]
    ready: npt.NDArray[np.float64]
    free: npt.NDArray[np.float64]
    far: npt.NDArray[np.float64]


def _constant_wait(cache, which, line, turn, clock, settings):
    """Clocks that a load issued at ``clock`` waits for its line in cache ``which``; the line that was used longest ago

    makes room.
    """
    tags, ages, ready = cache.tags[which], cache.ages[which], cache.ready[which]
    victim = 0
    for k in range(len(tags) if which == 0 else np.int64(settings[S_CONSTANT_UNIFORM])):
        if tags[k] == line:
            ages[k] = turn
            return max(0.0, ready[k] - clock)
        if ages[k] < ages[victim]:
            victim = k
    begun = max(clock, cache.free[0])
    cache.free[0] = begun + settings[S_CONSTANT_FILL]
    part = (line - 1) // _FAR_PARTS % FAR_LINES
    if cache.far[part] == 0.0:
        cache.far[part] = begun + settings[S_CONSTANT_FAR]
    tags[victim], ages[victim] = line, turn
    ready[victim] = max(begun, cache.far[part]) + settings[S_CONSTANT_MISS]
    return ready[victim] - clock


constant_wait = jit_into(FOLDER, _constant_wait)
