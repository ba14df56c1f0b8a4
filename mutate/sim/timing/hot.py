"""Loads around L1 of lines that many blocks read: they go one after another where L2 has such a line.

tests/machines/words.cu by ncu: equal loads of four SMs are one, a line is in two slices, and each takes two of its
clocks for one more load of what lies beside the last one, but one if loads of others are in between. An atomic
operation of any kind on the line ends that for a while.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim import layout as lay
from mutate.sim.caches import goes_around
from mutate.sim.timing import constants as c
from mutate.sim.timing.one_place import differs, place_of, records_of, scale_of, sectors_of, shared_of
from mutate.sim.timing.sampling import Sample

Floats = npt.NDArray[np.float64]
_DRAWS = 8
_LINE = 2
"""A line of 128 bytes has four sectors, as a power of two."""


def hot_clocks(sample: Sample, listing: Sequence[Instruction], cg: bool, slices: float) -> float:
    """The least clocks that the grid's loads around L1 take at the slices of L2 which have most of them to do.

    ``cg``: whether all loads go around it. Which slice has which place is not known: it is drawn, some times.
    """
    s = sample.streams
    around = np.array([goes_around(i, cg) for i in listing], np.bool_)
    _, loads, warps = records_of(s, lay.H_GLOBAL_LOAD)
    mine = around[s.requests[loads, 1]]
    loads, warps = loads[mine], warps[mine]
    if not len(loads):
        return 0.0
    which, sectors = sectors_of(s, loads)
    # A load's sectors rise.
    one = differs(which) | differs(sectors >> _LINE)
    which, sectors = which[one], sectors[one]
    lines, line = np.unique(sectors >> _LINE, return_inverse=True)
    changes = _atomics_on(sample, lines)
    system = np.array(["SYS" in i.opcode.split(".") for i in listing], np.bool_)
    slow = system[s.requests[loads, 1]][which] | (changes > 0)[line]
    names, place = np.unique(place_of(sectors), return_inverse=True)
    shared = shared_of(sample, names, place, warps[which], lay.H_GLOBAL_LOAD)
    if not shared.any():
        return 0.0
    each = np.bincount(place, weights=np.where(slow, c.HOT_SLOW, c.HOT_LINE)).astype(np.float64)
    of_line = np.zeros(len(lines), np.int64)
    of_line[line] = place
    changed = np.bincount(of_line, weights=changes, minlength=len(names))
    loads = np.bincount(place)
    longer = np.minimum(c.HOT_CHANGED * changed, c.HOT_ALONE * loads) / each
    hot = _less_chance(each[shared]) * scale_of(sample)
    more = hot * longer[shared]
    rng = np.random.default_rng(1)
    parts = max(1, int(slices / 2))
    found = []
    for _ in range(_DRAWS):
        part = rng.integers(0, parts, len(hot))
        most = np.zeros(parts)
        np.maximum.at(most, part, more)
        found.append(float((most + np.bincount(part, weights=hot, minlength=parts)).max()))
    whole = float(np.mean(found))
    others = c.COLD_LINE * float(loads[~shared].sum()) * scale_of(sample)
    return max(whole, whole / 2 + others / parts)


def _atomics_on(sample: Sample, lines: npt.NDArray[np.int64]) -> Floats:
    """How many atomic operations of warps each of these lines is asked for."""
    _, atomics, _ = records_of(sample.streams, lay.H_GLOBAL_ATOMIC)
    if not len(atomics):
        return np.zeros(len(lines))
    which, sectors = sectors_of(sample.streams, atomics)
    one = differs(which) | differs(sectors >> _LINE)
    names, counts = np.unique(sectors[one] >> _LINE, return_counts=True)
    at = np.minimum(np.searchsorted(names, lines), len(names) - 1)
    return np.where(names[at] == lines, counts[at], 0).astype(np.float64)


def _less_chance(each: Floats) -> Floats:
    """What each place has, less what of its difference from the mean can be chance in a sample."""
    mean = float(each.mean())
    apart = each - mean
    chance = 2.0 * math.log(max(2, len(each))) * mean * c.HOT_LINE
    return np.asarray(mean + np.sign(apart) * np.sqrt(np.maximum(0.0, apart**2 - chance)))
