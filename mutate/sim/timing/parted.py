"""What DRAM takes to write sectors that warps have read and changed where they are, each a part of a line."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing.asked import places_of
from mutate.sim.timing.sampling import Sample

_FIRST_READ = 1
_FEW, _AS_LONG, _MOST = 448.0, 290.0, 3.1
"""Sectors on their way to an SM up to which nothing is added, those for which as much is added as a sector takes in a

stream, and the most. Fitted to shifted, fields and changed_rows of tests/machines/fields.cu, where warps begin with a
line and within one, with the same traffic: 1 to 6 ps more a sector where 64 warps each wait for two loads of four
sectors, 11 to 15 for four loads, 14 to 22 for six, of 7 in a stream; nothing of 32 warps. Why is not known: a part of
the line is on its way from DRAM then more often.
"""


def on_their_way(sample: Sample, read: npt.NDArray[Any], warps: int) -> float:
    """Sectors that DRAM is to give an SM of so many ``warps`` at once, if each waits for all loads that the code has.

    ``read``: of each array how likely its first read goes to DRAM.
    """
    s = sample.streams
    loads = np.flatnonzero(s.requests[:, 2] == lay.H_GLOBAL_LOAD)
    if not len(loads):
        return 0.0
    at = places_of(s, loads)
    first = s.touch[at] & _FIRST_READ != 0
    instructions = s.requests[loads, 1]
    executed = np.bincount(instructions)
    wanted = np.bincount(np.repeat(instructions, s.requests[loads, 5])[first], read[s.region[at[first]]],
                         minlength=len(executed))
    return float(warps * (wanted / np.maximum(1, executed)).sum())


def parted_of(sample: Sample, read: npt.NDArray[Any], warps: int) -> float:
    """How much longer such a sector takes, of what one takes in a stream."""
    return min(_MOST, max(0.0, on_their_way(sample, read, warps) - _FEW) / _AS_LONG)
