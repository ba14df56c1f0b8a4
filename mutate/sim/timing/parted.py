"""What DRAM takes to write sectors that warps have read and changed where they are, each a part of a line."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing.asked import all_sought, places_of
from mutate.sim.timing.sampling import Sample, Streams
from mutate.sim.timing.touches import LINE_READ, WHOLE_STORE

_FIRST_READ = 1
_FEW, _AS_LONG, _MOST = 448.0, 290.0, 3.1
"""Sectors on their way to an SM up to which nothing is added, those for which as much is added as a sector takes in a

stream, and the most. Fitted to shifted, fields and changed_rows of tests/machines/fields.cu, where warps begin with a
line and within one, with the same traffic: 1 to 6 ps more a sector where 64 warps each wait for two loads of four
sectors, 11 to 15 for four loads, 14 to 22 for six, of 7 in a stream; nothing of 32 warps. Why is not known: a part of
the line is on its way from DRAM then more often. Nothing is added where a warp has read all of a line before it changes
a part of it (butterflies and gates of tests/machines/butterflies.cu).
"""
_WARPS = 1 << 20
"""More than are recorded."""


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


def with_lines_read(s: Streams) -> Streams:
    """The streams with the bit ``LINE_READ`` of ``touch`` for stores to lines all of which the warp reads."""
    of = all_sought(s)
    warp, at = of.warp, of.at
    loads, stores = of.kind == lay.H_GLOBAL_LOAD, of.kind == lay.H_GLOBAL_STORE
    read = np.unique(s.sectors[at[loads]] * _WARPS + warp[loads])
    lines, found = np.unique((read // _WARPS >> 2) * _WARPS + read % _WARPS, return_counts=True)
    whole = lines[found == 4]
    touch = s.touch.copy()
    stored = (s.sectors[at[stores]] >> 2) * _WARPS + warp[stores]
    # Who stores a part of a sector shares the line with others, but for a warp that stores the sector's other parts as
    # well, where no other one stores to the line (dealt of tests/machines/dealt.cu).
    parts = touch[at[stores]] & WHOLE_STORE == 0
    _, which, often = np.unique(s.sectors[at[stores]] * _WARPS + warp[stores], return_inverse=True, return_counts=True)
    lines, warps = np.unique(np.unique(stored) // _WARPS, return_counts=True)
    with_others = (often[which] == 1) | np.isin(stored // _WARPS, lines[warps > 1])
    whole = np.setdiff1d(whole, stored[parts & with_others])
    touch[at[stores][np.isin(stored, whole)]] |= LINE_READ
    return s._replace(touch=touch)
