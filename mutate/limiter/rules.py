"""The table of rules that reads the limiter off three times.

``RULES`` in their order: the first that holds gives the limiter. Rules see ratios only, so that they hold for single
numbers and for whole arrays of resampled medians alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mutate.limiter.model import Limiter

CLOSE = 0.85
"""A variant that takes this part of the kernel's time is close to it. The seed's memory-bound kernel has 0.94, its
latency-bound ones lie far below; between them nobody has set a line, so this one is ours."""
LAUNCH = 2.0
"""A kernel that takes less than this many times an empty kernel's time says little but that."""
MARGIN = 0.05
"""So near a line (``CLOSE``) the decision is not a firm one."""


@dataclass(frozen=True)
class Ratios:
    """``memory`` and ``math``: T_mem/T_full and T_math/T_full; ``overhead``: T_empty/T_full (0 where unknown).

    Floats, or arrays of one shape.
    """

    memory: Any
    math: Any
    overhead: Any = 0.0

    @property
    def larger(self) -> Any:
        return np.maximum(self.memory, self.math)

    @property
    def smaller(self) -> Any:
        return np.minimum(self.memory, self.math)

    @property
    def overlap(self) -> Any:
        """(T_mem + T_math − T_full) / min(T_mem, T_math)."""
        return (self.memory + self.math - 1) / self.smaller

    @property
    def exposed(self) -> Any:
        """(T_full − max(T_mem, T_math)) / T_full."""
        return 1 - self.larger


@dataclass(frozen=True)
class Rule:
    limiter: Limiter
    holds: Callable[[Ratios], Any]
    words: str


RULES = (
    Rule(Limiter.LAUNCH, lambda r: r.overhead * LAUNCH > 1,
         "the kernel takes less than twice as long as an empty one"),
    Rule(Limiter.BALANCED, lambda r: r.smaller >= CLOSE,
         "memory-only and math-only each take about as long as the kernel: both must improve"),
    Rule(Limiter.MEMORY, lambda r: (r.memory >= CLOSE) & (r.memory >= r.math),
         "memory-only takes about as long as the kernel, math-only clearly less"),
    Rule(Limiter.MATH, lambda r: r.math >= CLOSE,
         "math-only takes about as long as the kernel, memory-only clearly less"),
    Rule(Limiter.LATENCY, lambda r: r.larger < CLOSE,
         "the kernel takes clearly longer than either of its halves: they wait for each other"),
)


def decide(ratios: Ratios) -> Rule:
    """The first rule that holds."""
    return next(rule for rule in RULES if bool(rule.holds(ratios)))


def shares(ratios: Ratios) -> dict[Limiter, float]:
    """Of arrays: which part of them each rule decides."""
    shape = np.broadcast(ratios.memory, ratios.math, ratios.overhead).shape
    open_ = np.ones(shape, bool)
    out: dict[Limiter, float] = {}
    for rule in RULES:
        here = open_ & np.asarray(rule.holds(ratios))
        out[rule.limiter] = float(here.mean())
        open_ &= ~here
    return out


def margin(ratios: Ratios) -> float:
    """Distance of the ratios from the lines between the rules."""
    lines = [abs(float(ratios.larger) - CLOSE), abs(float(ratios.smaller) - CLOSE)]
    if ratios.overhead:
        lines.append(abs(float(ratios.overhead) * LAUNCH - 1))
    return min(lines)
