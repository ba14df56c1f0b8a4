"""The first caches of constant memory: indexed loads find their line there, or wait until it was fetched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.constants import UNIFORM_AGAIN, UNIFORM_COMING
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
COMING = 64
"""Lines on their way that are known to be, as many as an SM has warps; beyond them each is its load's alone."""


class Constants(NamedTuple):
    """Of each line of a cache (one for loads, one of each scheduler for uniform loads): its number (-1: none), when it

    was last used, and when it is there. ``free``: of the port by which lines come, in one element. ``far``: when four
    lines of the next cache are there that were asked for together (0: they were not). ``coming``: lines on their way to
    the cache for loads (-1: none), and ``due``, when each is there: until then no other makes room for it.
    ``turns``: how often a line of each was used.
    """

    tags: npt.NDArray[np.int64]
    ages: npt.NDArray[np.int64]
    ready: npt.NDArray[np.float64]
    free: npt.NDArray[np.float64]
    far: npt.NDArray[np.float64]
    coming: npt.NDArray[np.int64]
    due: npt.NDArray[np.float64]
    turns: npt.NDArray[np.int64]


def empty_constants(schedulers: int, lines: int) -> Constants:
    """Caches in which nothing is."""
    return Constants(np.full((1 + schedulers, lines), -1, np.int64), np.zeros((1 + schedulers, lines), np.int64),
                     np.zeros((1 + schedulers, lines), np.float64), np.zeros(1, np.float64),
                     np.zeros(FAR_LINES, np.float64), np.full(COMING, -1, np.int64), np.zeros(COMING, np.float64),
                     np.zeros(1 + schedulers, np.int64))


def _fetched(cache, line, clock, fill, latency, settings):
    """When a line is there that is asked for at ``clock``."""
    begun = max(clock, cache.free[0])
    cache.free[0] = begun + fill
    part = (line - 1) // _FAR_PARTS % FAR_LINES
    if cache.far[part] == 0.0:
        cache.far[part] = begun + settings[S_CONSTANT_FAR]
    return max(begun, cache.far[part]) + latency


fetched = jit_into(FOLDER, _fetched, counted=False)


def _lanes_wait(cache, line, most, turn, clock, settings):
    """Clocks that a load by lanes issued at ``clock`` waits for a line; that which was used longest ago makes room.

    Where ``most`` are on their way it is not asked for yet: then until the first of those is there.
    """
    if line <= 0:
        return 0.0
    tags, ages, coming, due = cache.tags[0], cache.ages[0], cache.coming, cache.due
    free = -1
    under_way = 0
    soonest = np.inf
    for k in range(COMING):
        if coming[k] >= 0 and due[k] <= clock:
            victim = 0
            for i in range(len(tags)):
                if ages[i] < ages[victim]:
                    victim = i
            tags[victim], ages[victim] = coming[k], turn
            coming[k] = -1
        if coming[k] == line:
            return due[k] - clock
        if coming[k] < 0:
            free = k
        else:
            under_way += 1
            soonest = min(soonest, due[k])
    for k in range(len(tags)):
        if tags[k] == line:
            ages[k] = turn
            return 0.0
    if under_way >= most:
        return soonest - clock
    there = fetched(cache, line, clock, settings[S_CONSTANT_FILL], settings[S_CONSTANT_MISS], settings)
    if free >= 0:
        coming[free], due[free] = line, there
    return there - clock


lanes_wait = jit_into(FOLDER, _lanes_wait, counted=False)


def _uniform_wait(cache, which, line, part_of, clock, settings):
    """Clocks until a warp of the scheduler ``which``, counted from 1, looks up a line again for a uniform load; 0 where

    it is there. Of the lines with the same ``part_of`` the one that was used longest ago makes room, when the new one
    is asked for. Where all of them are on their way, or ``UNIFORM_COMING`` of the scheduler's, it waits for the first.
    """
    if line <= 0:
        return 0.0
    tags, ages, ready = cache.tags[which], cache.ages[which], cache.ready[which]
    ways = np.int64(settings[S_CONSTANT_UNIFORM])
    victim = np.int64(-1)
    soonest = np.inf
    for k in range(part_of * ways, part_of * ways + ways):
        if tags[k] == line:
            if ready[k] > clock:
                return ready[k] - clock
            cache.turns[which] += 1
            ages[k] = cache.turns[which]
            return 0.0
        if ready[k] > clock:
            soonest = min(soonest, ready[k])
        elif victim < 0 or ages[k] < ages[victim]:
            victim = k
    if victim >= 0:
        under_way = 0
        for k in range(len(tags)):
            if ready[k] > clock:
                under_way += 1
                soonest = min(soonest, ready[k])
        if under_way < UNIFORM_COMING:
            cache.turns[which] += 1
            tags[victim], ages[victim] = line, cache.turns[which]
            ready[victim] = fetched(cache, line, clock, settings[S_UNIFORM_FILL], settings[S_UNIFORM_MISS], settings)
            return ready[victim] - clock
    return soonest - clock + UNIFORM_AGAIN


uniform_wait = jit_into(FOLDER, _uniform_wait, counted=False)
