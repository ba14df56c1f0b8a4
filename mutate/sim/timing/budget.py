"""How many of an SM's instructions are played: more than asked for where what comes last is like no other part."""

from __future__ import annotations

from mutate.sim.timing.sampling import Sample

FEW_WAVES, ALL = 4, 6
"""Waves of blocks of which all is played, as how the last blocks end is a good part of the time; and if that is no more

than so many times what is asked for, else of shorter blocks (``shorter``).
"""
_LONGER = 1.1
"""The longest warp's instructions against its block's mean from which on it goes on for long after the others."""


def budget_of(sample: Sample, turn: int, resident: int, warps: int, played: int, part: float = 1.0) -> int:
    """Instructions for a ``turn`` of blocks of so many ``warps``, of which an SM has room for ``resident`` and a

    ``part`` is played.
    """
    needed = part * turn * sample.instructions / len(sample.blocks)
    if 1 < turn <= FEW_WAVES * resident and needed <= ALL * played:
        return (ALL + 2) * played
    if turn == 1 and needed <= ALL / 2 * played and any(w.longest * warps > _LONGER * w.total for w in sample.works):
        return ALL * played
    return played
