"""How much room what is stored takes in L2: a line has its place there, however much of it was stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing.asked import places_of
from mutate.sim.timing.sampling import Streams

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
