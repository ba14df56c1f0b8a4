"""How much room lines take in L2: one has its place there, however much of it was stored, and whoever comes to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing.asked import places_of
from mutate.sim.timing.sampling import Sample, Streams

_LINE = 4
_NEARLY = 1.1


def rooms_of(s: Streams, loose: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Sectors' room that a stored one of each array takes, 1 to 4. ``loose``: the part of it that is not written.

    The rest of lines of which the sampled blocks store a part may be another block's: then all of the array is written.
    """
    rooms = np.ones(len(loose))
    most = np.minimum(_LINE, 1.0 / np.maximum(1e-9, 1.0 - loose))
    if not len(s.requests) or most.max() <= _NEARLY:
        return rooms
    at = places_of(s, np.flatnonzero(s.requests[:, 2] == lay.H_GLOBAL_STORE))
    at = at[s.touch[at] & 2 > 0]
    lines, arrays = s.sectors[at] >> 2, s.region[at]
    begins = np.ones(len(at), np.bool_)
    begins[1:] = lines[1:] != lines[:-1]
    for array in np.flatnonzero((most > _NEARLY) & (np.bincount(arrays, minlength=len(rooms)) > 0)).tolist():
        mine = arrays == array
        if _LINE * np.count_nonzero(begins[mine]) > _NEARLY * np.count_nonzero(mine):
            sectors = np.unique(s.sectors[at[mine]])
            rooms[array] = max(1.0, min(most[array], _LINE * len(np.unique(sectors >> 2)) / len(sectors)))
    return rooms


def borders(sample: Sample, again: npt.NDArray[np.bool_], wave: int) -> float:
    """How many times as many lines the blocks have that run at once, ``wave`` of them, each for itself as together.

    Of arrays to which each comes ``again``. Blocks whose rows begin in the middle of a line have it in common with the
    one before: all of them have no more lines than there are.
    """
    first, most = sample.first, [region.nbytes / (32.0 * _LINE * wave) for region in sample.initial.regions]
    mine = together = 0.0
    for array in np.flatnonzero(again[: len(most)]).tolist():
        lines = len(np.unique(first.sectors[first.region == array] >> 2))
        mine, together = mine + lines, together + min(lines, most[array])
    return mine / together if together else 1.0
