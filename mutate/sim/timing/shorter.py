"""Blocks with less to do, where all of a few waves is too much to play: how they end together shows all the same.

Warps of the oldest block go first, so blocks that begin together end one after another, and the last of them have an SM
to themselves: of 8 blocks that all run at once that is a fifth of the time, however long they are (until it was played:
`debye_...` of heldout46 and `dispersion_...` of heldout40 16 and 14 % too fast, an H200 had 23 and 20 warps on average
of 29 and 23).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mutate.sim.timing.budget import ALL, FEW_WAVES
from mutate.sim.timing.sampling import Sample, Streams

_LEAST, _PLAYED = 256, 2
"""Instructions of a warp that are left, and how many times as many as are asked for are played then."""


def part_of(sample: Sample, turn: int, resident: int, played: int) -> float:
    """The part of each warp's instructions that is played of a ``turn`` of blocks that are too long; 1 where they are

    not, or more waves are to be played than matters.
    """
    needed = turn * sample.instructions / len(sample.blocks)
    if not 1 < turn <= FEW_WAVES * resident or (needed <= ALL * played and not sample.streams.cut.any()):
        return 1.0
    part = min(1.0, _PLAYED * played / needed)
    shortest = min(w.total for w in sample.works) / (sample.streams.starts.shape[1] - 1)
    return part if part * shortest >= _LEAST else 1.0


def shortened(sample: Sample, part: float) -> Sample:
    """The sample with the first ``part`` of each warp's instructions, as if that were all."""
    s = sample.streams
    kept = len(s.pc) / max(1.0, float(sample.instructions))
    return replace(
        sample,
        streams=_shortened(s, min(1.0, part / min(1.0, kept)) if s.cut.any() else part),
        instructions=max(1, round(part * sample.instructions)),
        works=tuple(w._replace(total=int(part * w.total), longest=int(part * w.longest)) for w in sample.works))


def _shortened(s: Streams, part: float) -> Streams:
    lengths = np.ceil(part * np.diff(s.starts, axis=1)).astype(np.int64)
    order = np.argsort(s.starts[:, 0], kind="stable")
    begin, count = s.starts[order, :-1].ravel(), lengths[order].ravel()
    to = np.cumsum(count) - count
    at = np.repeat(begin - to, count) + np.arange(count.sum())
    starts = np.empty_like(s.starts)
    ends = np.concatenate((to, [count.sum()]))
    rows = len(s.starts)
    starts[order, :-1] = to.reshape(rows, -1)
    starts[order, -1] = ends[lengths.shape[1] * (1 + np.arange(rows))]
    return s._replace(pc=s.pc[at], request=s.request[at], cost=s.cost[at], on=s.on[at], starts=starts,
                      cut=np.zeros_like(s.cut))
