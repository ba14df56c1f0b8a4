"""How far a sample of a launch can stand for all of it, told from the sample itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# Neighbouring parts of a play are alike, so their rates are averaged in so many groups before they are compared.
_GROUPS = 8


def of_blocks(lengths: Sequence[int], total: int) -> float | None:
    """Relative standard error of the mean block, by warp instructions, of ``lengths`` drawn from ``total`` blocks.

    0 where all blocks are there; ``None`` where there is one of several, which says nothing of how they differ.
    (Simple random sampling without replacement: s / mean * sqrt((1 - n / N) / n).)
    """
    n = len(lengths)
    if n >= total:
        return 0.0
    if n < 2:
        return None
    values = np.asarray(lengths, np.float64)
    mean = float(values.mean())
    return float(values.std(ddof=1)) / mean * math.sqrt((1 - n / total) / n) if mean else 0.0


def of_rest(marks: npt.NDArray[np.int64], end: float, issued: int, cycles: float) -> float:
    """Relative standard error of ``cycles`` from what was not played, to which the second half lends its rate.

    ``marks`` are those of ``engine``: clock and instructions where each of equal parts begins. 0 where all was played.
    """
    if cycles <= end or len(marks) < 2 * _GROUPS:
        return 0.0
    half = marks[len(marks) // 2 :]
    edges = np.vstack([half[:: max(1, len(half) // _GROUPS)], [[int(end), issued]]]).astype(np.float64)
    steps = np.diff(edges, axis=0)
    steps = steps[(steps[:, 1] > 0) & (steps[:, 0] > 0)]
    if len(steps) < 3:
        return 0.0
    rates = steps[:, 0] / steps[:, 1]
    error = float(rates.std(ddof=1) / rates.mean()) / math.sqrt(len(rates))
    return error * (cycles - end) / cycles


def of_turns(cycles: Sequence[float], sms: int) -> float | None:
    """The same as ``of_blocks`` of the clocks that SMs take for their turns, of which ``sms`` there are."""
    return of_blocks([round(c) for c in cycles], sms)
