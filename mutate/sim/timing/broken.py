"""Additions at one place of L2 beside what else goes on: what comes between them, and what that costs."""

from __future__ import annotations

import math
from typing import NamedTuple

from mutate.sim.timing import constants as c


class Beside(NamedTuple):
    """What a launch does beside its additions at one place: the clocks that it would take but for them, when the first

    atomic operation came, and sectors of the whole grid that L2 is asked for: read, stored, of them in part at random;
    ``fetched``: lines of loads that DRAM reads something of; ``far``: the part of additions that wait until DRAM has
    read theirs; ``filled``: sectors that DRAM reads; ``parts``: of L2, that add; ``slices``: all of it.
    """

    cycles: float
    first: float
    reads: float
    stores: float
    in_part: float
    fetched: float
    far: float
    filled: float
    parts: float = c.ATOMIC_PARTS
    slices: float = c.SLICES


def share(beside: Beside) -> float:
    """Clocks that the part of L2 which adds at a place takes for its share of what is read and stored meanwhile.

    Before the first atomic operation nothing waits for that (late_sums of tests/machines/late.cu).
    """
    stores = c.STORE_PART_SHARE * beside.in_part + c.READ_SHARE * (beside.stores - beside.in_part)
    all_parts = c.READ_SHARE * beside.reads + c.FETCHED_SHARE * beside.fetched + stores
    return _meanwhile(beside) * all_parts / beside.parts


def turns(count: float, beside: Beside) -> float:
    """Clocks of the part of L2 that adds ``count`` times at a place, and does its share of all else one after another.

    Additions wait for each other, and sectors that L2 has are read meanwhile; where DRAM reads them, they are not.
    """
    from_dram = min(1.0, beside.filled / beside.reads) if beside.reads > 0.0 else 0.0
    return count * (c.TURN + from_dram * (c.ATOMIC_SAME - c.TURN)) + _meanwhile(beside) * _others(beside)


def stored(count: float, beside: Beside, sms: int) -> float:
    """Clocks of the part that is stored to ``count`` times at a place by so many SMs, and does its share of all else.

    What an SM stores there while the store before waits goes with it: the fewer, the longer all takes. Where the part
    has little else to do those of an SM that come fast go together, and of others each goes alone.
    """
    others = _others(beside)
    if others <= c.STORE_BUSY * beside.cycles:
        return count * c.STORE_SAME if beside.cycles > c.STORE_MERGED * count / sms else 0.0
    longer, most = beside.cycles, 0.0
    for _ in range(4):
        between = max(0.0, longer * sms / count - c.STORE_MERGED)
        own = count * between / (between + c.STORE_WAITS) * c.STORE_SAME
        most = max(most, min(1.0, max(0.0, own / beside.cycles - c.STORE_FEW) / c.STORE_FEW))
        longer = beside.cycles + most * max(0.0, own + c.STORE_BESIDE * others - beside.cycles)
    return longer


def _others(beside: Beside) -> float:
    in_part = c.TURN_FETCHED * max(0.0, beside.fetched - beside.filled / 4.0)
    others = beside.reads + in_part + beside.stores + (c.TURN_IN_PART - 1.0) * beside.in_part
    # It does them in the time that all takes but for the place.
    return min(c.TURN * others / beside.slices, beside.cycles)


def _meanwhile(beside: Beside) -> float:
    return max(0.0, 1.0 - beside.first / beside.cycles) if beside.cycles > 0.0 else 1.0


def broken(count: float, others: float, far: float) -> float:
    """Clocks that ``count`` additions at one place take longer as ``others``, of which a part ``far`` waits for DRAM,

    come between them.

    An addition to the sector of the one before goes fast. Where one comes between that has to wait for its sector, a
    row ends: that takes up to ``ROW_BROKEN`` clocks, less the fewer would have gone in the row. Of places at random
    fewer and fewer are new, so first rows are short, and later long.
    """
    if count <= 0.0 or others <= 0.0 or far <= 0.0:
        return 0.0
    fall = _fall(min(1.0, far))
    row = count * c.ATOMIC_PARTS / others
    if fall < 1e-6:
        return count * c.ROW_BROKEN / (row + c.ROW_LONG)
    # The mean over others' share t of the grid's time of ROW_BROKEN / (row * exp(fall * t) + ROW_LONG).
    shrunk = math.log1p(c.ROW_LONG * math.expm1(-fall) / (row + c.ROW_LONG))
    return -count * c.ROW_BROKEN / c.ROW_LONG * shrunk / fall


def _fall(part: float) -> float:
    """How far the part of new places falls, as a power of e, where on average it is ``part``."""
    if part > 1.0 - 1e-6:
        return 0.0
    low, high = 0.0, 1.0 / part + 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if -math.expm1(-middle) > part * middle else (low, middle)
    return low


def together(cycles: float, first: float, bound: float, hot: float) -> float:
    """Clocks of both: a launch that would take ``cycles`` but for a place of L2 that takes ``bound`` from its ``first``

    atomic operation on, of which a part ``hot`` is what comes to that place alone. Warps that wait for one do not ask
    for the other.
    """
    rest = max(0.0, cycles - first)
    longer = max(rest, bound)
    if longer <= 0.0:
        return max(cycles, first)
    both = longer * math.pow(1.0 + math.pow(min(rest, bound) / longer, c.HOT_BESIDE), 1.0 / c.HOT_BESIDE)
    return first + longer + min(1.0, max(0.0, hot)) * (both - longer)
