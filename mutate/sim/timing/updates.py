"""Sectors that are written in part, or added to: DRAM has no parts of a sector, so it is read, and the whole written.

What L2 holds of such sectors was counted on an H200 (``constants.UPDATES``): those of which it has a part in a quarter
of its lines, for the rest it reads what is missing; those that were changed in half of its lines or more, while the
rest are written back, and stay. So of places at random more are read and written the more of them there are.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy.typing as npt

from mutate.sim.timing import constants as c

Array = npt.NDArray[Any]
_LINE = 128
_OF_LINE = 4


class Updates(NamedTuple):
    """Of each array (and local memory, the last). ``loose``: the part of it that the grid does not write; ``parts``:

    how many of the sectors that are written are not whole when L2 gives them up. Where places look random (else
    ``places`` is 0): how many sectors there are, as writes of one SM, how many of its writes find theirs not in L2
    (``absent``) or written back (``clean``) in the long run, and after how many the first is written back (``soiled``).
    ``astray``: 1 where it is blocks far from each other that write what is beside it, else 0.
    """

    loose: Array
    parts: Array
    places: Array
    absent: Array
    clean: Array
    soiled: Array
    astray: Array


def lost(lines: float, room: float) -> float:
    """How many of the touches at random of so many lines find their sector gone, where there is room for fewer lines.

    A line is still there with the chance ``room / lines``, and then the touch of it before this one was to the same
    sector, or to one of three others, before which it was there with this chance, too.
    """
    stays = min(1.0, room / lines)
    return 1.0 - stays / _OF_LINE / (1.0 - stays * (_OF_LINE - 1) / _OF_LINE)


def at_random(updates: Updates, region: int, sectors: float, writes: float, whole: float, share: float, added: bool,
              l2_bytes: float) -> None:
    """Enters an array that is written at random: so many sectors by so many writes of the grid, of which an SM has the

    part ``share``. ``whole``: the part of the array that is read as well, or written as a whole: it is taken to be so
    first. ``added``: by atomics.
    """
    lines = min(sectors / _OF_LINE, writes)
    room = l2_bytes / _LINE
    most = (c.DIRTY_ADDED if added else c.DIRTY) * room
    updates.loose[region] = 1.0
    updates.places[region] = sectors * share
    updates.absent[region] = lost(lines, c.UPDATED * room)
    updates.clean[region] = lost(lines, most)
    updates.soiled[region] = -lines * math.log1p(-most / lines) * share if lines > most else 0.0
    updates.parts[region] *= 1.0 - min(1.0, whole) * (1.0 - updates.absent[region])
    updates.parts[region] *= -math.expm1(-(lines / (c.PARTLY * room)) ** 2)
