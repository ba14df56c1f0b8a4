"""Blocks of a row that read the same places of an array, each a step farther on: what they read that none read before.

So do those whose threads are numbered through: a thread's row above is what the thread of many blocks before reads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay
from mutate.sim.timing.asked import of_first_block
from mutate.sim.timing.sampling import Streams

Array = npt.NDArray[Any]


class Slide(NamedTuple):
    """Sectors of an array that a block reads, rising, and how many farther on the next block's are."""

    sectors: Array
    step: int

    def new(self, far: float) -> int:
        """How many of them no block reads that is at most ``far`` blocks ahead."""
        order = np.lexsort((self.sectors // self.step, self.sectors % self.step))
        places, turns = (self.sectors % self.step)[order], (self.sectors // self.step)[order]
        return 1 + int(((np.diff(places) != 0) | (np.diff(turns) > far)).sum())


def slides_of(one: Streams, following: Streams, arrays: int) -> dict[int, Slide]:
    """The arrays that a block and the one behind it read so. Each instruction's sectors must be as many steps on."""
    here, there = _by_instruction(one), _by_instruction(following)
    out: dict[int, Slide] = {}
    for a in range(arrays):
        mine, theirs = here[here[:, 0] == a], there[there[:, 0] == a]
        if not len(mine) or mine.shape != theirs.shape or (mine[:, 1] != theirs[:, 1]).any():
            continue
        steps = np.unique(theirs[:, 2] - mine[:, 2])
        if len(steps) == 1 and steps[0]:
            out[a] = Slide(np.unique(mine[:, 2]), abs(int(steps[0])))
    return out


def _by_instruction(s: Streams) -> Array:
    """(array, instruction, sector) of each sector that the first block's loads ask for, once, in this order."""
    records, places = of_first_block(s, lay.H_GLOBAL_LOAD)
    found = np.stack([s.region[places], s.pc[records], s.sectors[places]], 1).astype(np.int64)
    # numpy's ``unique`` compares rows as structures, which takes ten times as long.
    found = found[np.lexsort(found.T[::-1])]
    return np.asarray(found[np.append(True, (np.diff(found, axis=0) != 0).any(axis=1))[: len(found)]])
