"""Medians with bootstrap intervals, and ratios from pairs of one round.

The times of one round were taken one after another, so what disturbs a round (clocks, other work) disturbs all of it:
rounds are resampled, not single times, and a ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.limiter.model import Interval

RESAMPLES = 2000
_SEED = 20260917
_LEVEL = 0.95

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """Resampled medians: ``medians[name]`` has shape (resamples,), all names from the same resampled rounds."""

    medians: Mapping[str, Floats]
    intervals: Mapping[str, Interval]
    gains: Mapping[str, Interval]
    """T(reference)/T(name), by pairs."""


def _interval(value: float, resampled: Floats) -> Interval:
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(resampled, (tail, 1 - tail))
    return Interval(value, min(float(low), value), max(float(high), value))


def resample(rounds: Mapping[str, Sequence[float]], reference: str) -> Samples:
    """Resamples rounds. ``rounds[name]`` has one time for each round, of equal lengths of at least one.

    Percentile bootstrap of the median (Efron 1979) with a fixed seed: the same times give the same intervals.
    """
    names = list(rounds)
    times: Floats = np.array([rounds[n] for n in names], np.float64)
    count = times.shape[1]
    picks = np.random.default_rng(_SEED).integers(0, count, (RESAMPLES, count))
    medians = {n: np.median(times[k][picks], axis=1) for k, n in enumerate(names)}
    intervals = {n: _interval(float(np.median(times[k])), medians[n]) for k, n in enumerate(names)}
    base = times[names.index(reference)]
    gains = {}
    for k, n in enumerate(names):
        ratio = base / times[k]
        gains[n] = _interval(float(np.median(ratio)), np.median(ratio[picks], axis=1))
    return Samples(medians, intervals, gains)


def from_intervals(intervals: Mapping[str, Interval], reference: str) -> Samples:
    """The same for numbers that somebody gives: normal distributions with these 95 % intervals, independent."""
    rng = np.random.default_rng(_SEED)
    medians: dict[str, Floats] = {}
    for name, i in intervals.items():
        spread = (i.high - i.low) / 2 / 1.959964
        medians[name] = np.maximum(i.value + spread * rng.standard_normal(RESAMPLES), 1e-12) if spread else \
            np.full(RESAMPLES, i.value)
    base = medians[reference]
    gains = {n: _interval(intervals[reference].value / intervals[n].value, base / m) for n, m in medians.items()}
    return Samples(medians, dict(intervals), gains)


def of(value: float, resampled: Any) -> Interval:
    """The interval of a quantity computed from resampled medians."""
    return _interval(value, np.asarray(resampled, np.float64))


@dataclass(frozen=True)
class ModelErrors:
    """How wrong a model of time was found to be: equally spaced quantiles of ln(measured / predicted).

    ``absolute``: of the reference's time. ``ratio``: of times as a part of the reference's, apart for predicted ratios
    below ``edges[0]``, from there to ``edges[1]``, ...: what does nearly all that the reference does is nearly as wrong
    as that, so its ratio is known better.
    """

    absolute: Sequence[float]
    edges: Sequence[float]
    ratio: Sequence[Sequence[float]]

    def of_ratio(self, predicted: float) -> Sequence[float]:
        return self.ratio[bisect_right(self.edges, predicted)]


def from_model(times: Mapping[str, float], reference: str, errors: ModelErrors, same: Container[str] = (),
               doubts: Mapping[str, float] = MappingProxyType({})) -> Samples:
    """The same for times that a model gives, with the errors that it is known to have.

    The error of the reference's time is common to all times; each has one of its ratio beside that, but for ``same``,
    which are the reference itself. ``doubts`` are standard deviations of ln(time) that a time has beside these: the
    reference's is common to all times.
    """
    rng = np.random.default_rng(_SEED)

    def draw(quantiles: Sequence[float]) -> Floats:
        grid = np.linspace(0, 1, len(quantiles))
        return np.exp(np.interp(rng.random(RESAMPLES), grid, np.asarray(quantiles, np.float64)))

    common = draw(errors.absolute)
    own = {n: np.ones(RESAMPLES) if n == reference or n in same else draw(errors.of_ratio(t / times[reference]))
           for n, t in times.items()}
    more = np.random.default_rng(_SEED + 1)
    for n in times:
        if doubts.get(n):
            factor = np.exp(doubts[n] * more.standard_normal(RESAMPLES))
            if n == reference:
                common = common * factor
            elif n not in same:
                own[n] = own[n] * factor
    medians = {n: t * common * own[n] for n, t in times.items()}
    intervals = {n: _interval(t, medians[n]) for n, t in times.items()}
    gains = {n: _interval(times[reference] / t, times[reference] / (t * own[n])) for n, t in times.items()}
    return Samples(medians, intervals, gains)
