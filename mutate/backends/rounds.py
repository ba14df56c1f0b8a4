"""The order within rounds, and when there are enough of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from math import comb

# One in so many medians lies below its 95 % interval, as many above. (An integer: 2^n has no float from n = 1024 on.)
_OUTSIDE = 40
# Below this no pair of order statistics covers the median with 95 %.
_LEAST_FOR_INTERVAL = 6


def order(numbers: Sequence[int], round_number: int) -> list[int]:
    """The runs of one round in an order of its own, the same in every session: no run always follows the same one."""
    out = list(numbers)
    random.Random(round_number).shuffle(out)
    return out


@cache
def _rank(count: int) -> int:
    """The largest k for which the k-th smallest and k-th largest of so many values enclose the median with 95 %.

    Distribution-free: the number of values below the median is binomial (n, 1/2). 0 when there are too few values.
    """
    if count < _LEAST_FOR_INTERVAL:
        return 0
    limit = 2**count // _OUTSIDE
    below, k = 0, 0
    while below + comb(count, k) <= limit:
        below += comb(count, k)
        k += 1
    return k


def median(times: Sequence[float]) -> float:
    ordered, half = sorted(times), len(times) // 2
    return ordered[half] if len(times) % 2 else (ordered[half - 1] + ordered[half]) / 2


def half_width(times: Sequence[float]) -> float:
    """Half the width of the 95 % interval of the median, relative to it; infinite when there are too few times."""
    k = _rank(len(times))
    if k == 0:
        return float("inf")
    ordered = sorted(times)
    middle = median(ordered)
    return (ordered[-k] - ordered[k - 1]) / 2 / middle if middle > 0 else 0.0
