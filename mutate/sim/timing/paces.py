"""How long blocks take that share SMs: each is so much work, and goes on as fast as it does alone, until there are so

many that the SM, or all of L2 and DRAM, has no more to give. Who began first may get more of that than the others: how
much, the ends of a played SM's blocks tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.placing import first_sms

Floats = npt.NDArray[np.float64]
_FAVOURS = (0.0, 0.25, 1.0, 4.0)
"""That are tried: 0, all alike, to the first one nearly all that it can use."""


class Pace(NamedTuple):
    """The work that a block does in a clock when it is ``alone``, and an SM at ``most``. Of several blocks, the one

    that began as the k-th, from 0 on, wants a part of that as large as 1 / (1 + ``favour`` * k).
    """

    alone: float
    most: float
    favour: float = 0.0


def pace_of(works: Floats, resident: int, alone: float, clocks: float, ends: Sequence[float] = ()) -> Pace:
    """With which an SM takes so many ``clocks`` for these ``works``, nearly, and its blocks end nearest to when those

    did that were seen (``ends``, rising).
    """

    def with_favour(favour: float) -> Pace:
        low, high = alone, alone * resident
        for _ in range(30):
            middle = (low * high) ** 0.5
            if clocks_of(works, 1, resident, Pace(alone, middle, favour)) > clocks:
                low = middle
            else:
                high = middle
        return Pace(alone, high, favour)

    if len(ends) <= resident:
        return with_favour(0.0)
    seen = np.asarray(ends, np.float64)

    def apart(pace: Pace) -> float:
        out = np.zeros(len(works))
        play(works, 1, resident, *pace, np.inf, first_sms(len(works), 1, resident), out)
        return float(np.abs(np.sort(out)[: len(seen)] - seen).sum())

    return min(map(with_favour, _FAVOURS), key=apart)


def clocks_of(works: Floats, sms: int, resident: int, pace: Pace, everywhere: float = np.inf) -> float:
    """Clocks until blocks of these ``works`` are done, each given to the first SM with room. ``everywhere``: the work

    that all SMs together do in a clock at most.
    """
    return float(play(works, sms, resident, *pace, everywhere, first_sms(len(works), sms, resident),
                      np.zeros(len(works))))


def _settle(sm: int, busy: int, left: Floats, paces: Floats, alone: float, most: float, favour: float
            ) -> tuple[float, float]:
    """Sets the paces of an SM's blocks, the oldest first; returns how much they do together, and when one is done."""
    wanted = 0.0
    for k in range(busy):
        wanted += 1.0 / (1.0 + favour * k)
    room, together, soonest = most, 0.0, np.inf
    for k in range(busy):
        mine = 1.0 / (1.0 + favour * k)
        paces[sm, k] = min(alone, room * mine / wanted)
        room -= paces[sm, k]
        wanted -= mine
        together += paces[sm, k]
        soonest = min(soonest, left[sm, k] / paces[sm, k])
    return together, soonest


settle = jit_into(FOLDER, _settle, counted=False)


def _play(works: Floats, sms: int, resident: int, alone: float, most: float, favour: float, everywhere: float,
          first: npt.NDArray[np.int64], ends: Floats) -> float:
    """As ``clocks_of``; ``first`` as ``placing.first_sms`` has them, ``ends`` gets the clocks of the blocks' ends."""
    count = len(works)
    left, paces = np.zeros((sms, resident)), np.zeros((sms, resident))
    block = np.zeros((sms, resident), np.int64)
    busy = np.zeros(sms, np.int64)
    given = len(first)
    for b in range(given):
        sm = first[b]
        left[sm, busy[sm]], block[sm, busy[sm]] = works[b], b
        busy[sm] += 1
    # SMs go on side by side in a time that all of L2 and DRAM slow down: when each has its next end, and had its last.
    following, before, asked = np.full(sms, np.inf), np.zeros(sms), np.zeros(sms)
    for sm in range(sms):
        asked[sm], following[sm] = settle(sm, busy[sm], left, paces, alone, most, favour)
    clock = now = 0.0
    for _ in range(count):
        sm = int(np.argmin(following))
        step = following[sm] - now
        clock += step * max(1.0, asked.sum() / everywhere)
        now = following[sm]
        next_one = 0
        for k in range(busy[sm]):
            if left[sm, k] * paces[sm, next_one] < left[sm, next_one] * paces[sm, k]:
                next_one = k
        ends[block[sm, next_one]] = clock
        kept = 0
        for k in range(busy[sm]):
            if k != next_one:
                left[sm, kept] = left[sm, k] - paces[sm, k] * (now - before[sm])
                block[sm, kept] = block[sm, k]
                kept += 1
        busy[sm], before[sm] = kept, now
        if given < count:
            left[sm, kept], block[sm, kept] = works[given], given
            busy[sm] += 1
            given += 1
        asked[sm], following[sm] = settle(sm, busy[sm], left, paces, alone, most, favour)
        following[sm] += now
    return clock


play = jit_into(FOLDER, _play)
