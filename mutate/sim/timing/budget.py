"""How many of an SM's instructions are played: more than asked for where what comes last is like no other part."""

from __future__ import annotations

from mutate.sim.timing.sampling import Sample

FEW_WAVES = 4
_LONGER = 1.1
"""The longest warp's instructions against its block's mean from which on it goes on for long after the others."""


def budget_of(sample: Sample, turn: int, resident: int, warps: int, played: int) -> int:
    """Instructions for a ``turn`` of blocks of so many ``warps``, of which an SM has room for ``resident``."""
    needed = turn * sample.instructions / len(sample.blocks)
    if resident < turn <= FEW_WAVES * resident and needed <= 6 * played:
        return 8 * played  # the last wave is a good part of the time
    if turn <= resident and needed <= 3 * played and any(w.longest * warps > _LONGER * w.total for w in sample.works):
        return 4 * played
    return played
