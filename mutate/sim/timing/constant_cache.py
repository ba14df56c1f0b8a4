"""The first caches of constant memory: indexed loads find their line there, or wait until it was fetched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.settings import (
    S_CONSTANT_FAR,
    S_CONSTANT_FILL,
    S_CONSTANT_MISS,
    S_CONSTANT_UNIFORM,
    S_UNIFORM_FILL,
    S_UNIFORM_MISS,
)

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


def _empty(schedulers, lines):
    """Caches in which nothing is."""
    return Constants(np.full((1 + schedulers, lines), -1, np.int64), np.zeros((1 + schedulers, lines), np.int64),
                     np.zeros((1 + schedulers, lines), np.float64), np.zeros(1, np.float64),
                     np.zeros(FAR_LINES, np.float64))


empty_constants = jit_into(FOLDER, _empty)


def _constant_wait(cache, which, line, part_of, turn, clock, settings):
    """Clocks that a load issued at ``clock`` waits for its line in cache ``which``.

    In the SM's one for lanes' loads the line that was used longest ago makes room, in a scheduler's that of the lines
    with the same ``part_of`` which came first.
    """
    tags, ages, ready = cache.tags[which], cache.ages[which], cache.ready[which]
    first, ways = 0, len(tags)
    fill, latency = settings[S_CONSTANT_FILL], settings[S_CONSTANT_MISS]
    if which > 0:
        fill, latency = settings[S_UNIFORM_FILL], settings[S_UNIFORM_MISS]
        ways = np.int64(settings[S_CONSTANT_UNIFORM])
        first = part_of * ways
    victim = first
    for k in range(first, first + ways):
        if tags[k] == line:
            if which == 0:
                ages[k] = turn
            return max(0.0, ready[k] - clock)
        if ages[k] < ages[victim]:
            victim = k
    begun = max(clock, cache.free[0])
    cache.free[0] = begun + fill
    part = (line - 1) // _FAR_PARTS % FAR_LINES
    if cache.far[part] == 0.0:
        cache.far[part] = begun + settings[S_CONSTANT_FAR]
    tags[victim], ages[victim] = line, turn
    ready[victim] = max(begun, cache.far[part]) + latency
    return ready[victim] - clock


constant_wait = jit_into(FOLDER, _constant_wait)
