"""Sectors that are written in part, or added to: DRAM has no parts of a sector, so it is read, and the whole written.

What L2 holds of such sectors was counted on an H200 (``constants.UPDATES``): those of which it has a part in a quarter
of its lines, for the rest it reads what is missing; those that were changed in half of its lines or more, while the
rest are written back, and stay. So of places at random more are read and written the more of them there are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.timing import constants as c
from mutate.sim.timing.by_chance import places

Array = npt.NDArray[Any]
_LINE = 128
_OF_LINE = 4
_FEW = 1e-3
"""Of two writes to the same sector, the part to the same place, below which there are as good as none."""


class Updates(NamedTuple):
    """Of each array (and local memory, the last). ``loose``: the part of it that the grid does not write; ``parts``:

    how many of the sectors that are written are not whole when L2 gives them up. Where places look random (else
    ``places`` is 0): how many sectors there are, as writes of one SM, how many of its writes find theirs not in L2
    (``absent``) or written back (``clean``) in the long run, and after how many the first is written back (``soiled``).
    ``astray``: 1 where it is blocks far from each other that write what is beside it, else 0. ``rooms``: how many
    sectors' room in L2 a written one takes. ``lost``: the part of the sectors that L2 has given up again when the block
    that read them stores there or adds to them. ``crossed``: the part of the sectors in part that blocks on other SMs
    write the rest of at the same time.
    """

    loose: Array
    parts: Array
    places: Array
    absent: Array
    clean: Array
    soiled: Array
    astray: Array
    rooms: Array
    lost: Array
    crossed: Array


def none_at_random(loose: Array, astray: Array, rooms: Array) -> Updates:
    """Of arrays of which nothing is written at random, as far as is known yet."""
    parts, places, absent, clean, soiled, gone, crossed = np.zeros((7, len(loose)))
    return Updates(loose, parts, places, absent, clean, soiled, astray, rooms, gone, crossed)


class Scattered(NamedTuple):
    """Writes of the grid to an array at random: how many, to how many sectors of how many lines, as if each were as

    likely as any other, and how likely of two in the same line are in the same sector.
    """

    writes: float
    sectors: float
    lines: float
    alike: float

    def in_window(self, part: float, own: float) -> Scattered:
        """Those of a ``part`` of the grid's blocks; ``own``: of the array, as in ``windows``."""
        places = max(part, own) if own < 1.0 else 1.0
        return Scattered(part * self.writes, places * self.sectors, places * self.lines, self.alike)

    def of(self, sectors: float) -> Scattered:
        """As many writes to so many sectors, of whole lines."""
        return Scattered(self.writes, sectors, sectors / _OF_LINE, 1.0 / _OF_LINE)

    @property
    def anew(self) -> float:
        """The part of the writes that are the first to their sector."""
        return -math.expm1(-self.writes / self.sectors) * self.sectors / self.writes


def scattered_writes(writes: float, by_sector: float, by_line: float, limit: float) -> Scattered:
    """``by_sector``, ``by_line``: of how many sectors and lines the sampled blocks' writes seem to be, as two have the

    same so often. They have the same place, of however many there are (keys of a table, say), or places that are in the
    same sector by chance, four times as often in the same line. ``limit``: sectors of the array.
    """
    by_sector = min(limit, by_sector, _OF_LINE * by_line)
    by_line = min(by_sector, limit / _OF_LINE, by_line)
    apart = 1.0 / by_line - 1.0 / by_sector
    sectors = max(by_sector, min(limit, (_OF_LINE - 1) / apart)) if apart > 0.0 else limit
    same = 1.0 / by_sector - 1.0 / sectors
    found = -math.expm1(-writes * same) / same if same * sectors > _FEW else writes

    def alike(of: float) -> float:
        return min(of, places(writes, -of * math.expm1(-found / of)))

    return Scattered(writes, alike(sectors), alike(sectors / _OF_LINE), max(1.0 / _OF_LINE, by_line / by_sector))


def filled(arrays: Sequence[Scattered], room: float) -> float:
    """The part of the grid's writes after which L2 has so many lines of all arrays together; infinite if never."""
    if sum(a.lines for a in arrays) <= room:
        return math.inf

    def lines(part: float) -> float:
        return -sum(a.lines * math.expm1(-part * a.writes / a.lines) for a in arrays)

    low, high = 0.0, 1.0
    while lines(high) < room:
        low, high = high, 2.0 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if lines(middle) < room else (low, middle)
    return high


def lost(array: Scattered, part: float) -> float:
    """How many of the touches at random of an array find their sector gone, where L2 has what was touched by the last

    ``part`` of the grid's writes. A line is still there with some chance, and then the touch of it before this one was
    to the same sector, or to another, before which it was there with this chance, too.
    """
    stays = -math.expm1(-part * array.writes / array.lines)
    return 1.0 - stays * array.alike / (1.0 - stays * (1.0 - array.alike))


def at_random(updates: Updates, arrays: Mapping[int, Scattered], whole: Mapping[int, float], share: float,
              added: Collection[int], l2_bytes: float, window: Array) -> None:
    """Enters the arrays that are written at random, which share L2. An SM has the part ``share`` of the writes.

    ``whole``: the part of each that is read as well, or written as a whole: it is taken to be so first. ``added``:
    those that are by atomics. ``window``: see ``windows``.
    """
    room = l2_bytes / _LINE
    for region, array in arrays.items():
        part = window[region]
        mine = array.in_window(part, part)
        together = [mine if a is array else a.in_window(part, window[of]) for of, a in arrays.items()]
        full = filled(together, c.UPDATED * room)
        soiled = filled(together, (c.DIRTY_ADDED if region in added else c.DIRTY) * room)
        gone = lost(mine, full) if full < 1.0 else 0.0
        updates.places[region] = mine.sectors * share
        updates.absent[region], updates.clean[region] = gone, lost(mine, soiled)
        updates.lost[region] = c.LOST * gone ** 2
        if part == 1.0:
            updates.loose[region] = 1.0
            updates.soiled[region] = soiled * mine.writes * share if soiled < math.inf else 0.0
        else:
            # As much is new all the time, and is written back when L2 has no more room for it.
            updates.absent[region] = max(gone, array.anew)
            updates.clean[region] = max(updates.clean[region], array.anew)
            kept = (c.DIRTY_ADDED if region in added else c.DIRTY) * room / sum(a.lines for a in arrays.values())
            updates.soiled[region] = kept * array.writes * share
        updates.parts[region] *= 1.0 - min(1.0, whole[region]) * (1.0 - updates.absent[region])
        updates.parts[region] *= -math.expm1(-(min(array.lines, array.writes) / (c.PARTLY * room)) ** 2)
