"""Which SM gets how many blocks of a grid of several waves, from when the blocks of a played SM ended.

A block goes to the SM that is first to have room. Where an SM's blocks end together, and SMs do not end at quite the
same time, the first ones take as many new blocks as they have room for, and the last ones none.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from mutate.sim.timing import constants as c

Floats = npt.NDArray[np.float64]
LONGEST = 16
"""Waves from which on the last one is too small a part of the time to ask for more than the even share."""
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class Turn:
    """The SM that gets most: how many ``blocks``, and the ``part`` of memory's work that the SMs have left on average

    when the grid's last block begins, of what this one has left then. It takes ``slow`` times as long as the typical SM
    does for as many.
    """

    blocks: int
    part: float
    slow: float = 1.0


@dataclass(frozen=True)
class Spread:
    """How SMs differ that do the same, as standard deviations: of their speeds, and of what they are ahead or behind by

    chance, in parts of the time that a block takes.
    """

    speed: float
    lead: float = 0.0


def spread_of(waiting: float, far: float) -> Spread:
    """By the part of the warps' clocks that are spent ``waiting`` for L2 and beyond, and the part ``far`` of what they

    read there that is DRAM's.
    """
    return Spread(c.SM_SPREAD + c.SM_SPREAD_L2 * waiting, c.SM_LEAD_DRAM * far * waiting)


def last_turn(ends: Floats, resident: int, total: int, sms: int, spread: Spread) -> Turn:
    """The turn of the SM that ends last. ``ends``: when the played SM's blocks ended, in the order of their begin;

    it had room for ``resident`` at once and got a new block at each end while there were any. The others are played
    with the same ends, each with its own speed and lead (normally distributed).
    """
    played = len(ends)
    even = Turn(played, 1.0)
    left = total - sms * resident
    if left <= 0 or played <= resident:
        return even
    freed = np.sort(ends)
    normal = np.array([NormalDist().inv_cdf((k + 0.5) / sms) for k in range(sms)])
    slow = np.exp(spread.speed * normal)[:, None]
    # Who is ahead is no faster than others: the same numbers in another order.
    lead = spread.lead * normal[np.argsort(np.arange(sms) * _GOLDEN % 1.0)][:, None] * float(np.median(ends[:resident]))
    times = np.maximum(slow * freed + lead, 1.0)
    last = np.partition(times, left - 1, axis=None)[left - 1]
    got = resident + (times <= last).sum(axis=1)
    # What each SM has left then, in blocks. Those that the played SM did not get take as long as its later ones.
    starts = np.concatenate([np.zeros(resident), freed])
    takes = ends - starts[:played]
    late = float(takes[resident:].mean())
    starts, takes = slow * starts + lead, slow * np.concatenate([takes, np.full(resident, late)])
    mine = np.arange(played + resident) < got[:, None]
    todo = np.where(mine, np.clip((starts + takes - last) / np.maximum(takes, 1.0), 0.0, 1.0), 0.0).sum(axis=1)
    most = int(got.max())
    busiest = float(todo[got == most].max())
    return Turn(most, min(1.0, float(todo.mean()) / busiest) if busiest > 0.0 else 1.0, float(slow[got == most].max()))
