"""Intervals that hold what they promise, and pairs that cancel what a round has in common."""

from __future__ import annotations

import numpy as np
import pytest

from mutate.limiter.model import Interval
from mutate.limiter.stats import from_intervals, resample


def test_intervals_cover_the_true_median() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        times = 1.0 + 0.05 * rng.gamma(2.0, 1.0, 31)
        interval = resample({"original": times.tolist()}, "original").intervals["original"]
        covered += interval.low <= 1.0 + 0.05 * 1.67835 <= interval.high
    assert covered >= 180


def test_a_drift_that_all_variants_share_is_not_in_the_ratio() -> None:
    rng = np.random.default_rng(2)
    drift = np.linspace(1.0, 1.5, 40)
    original, variant = 10 * drift, 8 * drift * (1 + 0.001 * rng.standard_normal(40))
    samples = resample({"original": original.tolist(), "v": variant.tolist()}, "original")
    assert samples.intervals["original"].width > 0.05
    gain = samples.gains["v"]
    assert gain.value == pytest.approx(1.25, rel=1e-3) and gain.width < 0.001


def test_equal_measurements_give_equal_intervals() -> None:
    rounds = {"original": [1.0, 1.1, 1.2, 1.05], "v": [0.5, 0.6, 0.55, 0.52]}
    assert resample(rounds, "original").intervals == resample(rounds, "original").intervals


def test_one_round_has_no_width() -> None:
    assert resample({"original": [2.0], "v": [1.0]}, "original").gains["v"] == Interval(2.0, 2.0, 2.0)


def test_given_numbers_keep_their_intervals() -> None:
    samples = from_intervals({"original": Interval(10, 9, 11), "v": Interval.exact(5)}, "original")
    gain = samples.gains["v"]
    assert gain.value == 2 and gain.low == pytest.approx(1.8, abs=0.03) and gain.high == pytest.approx(2.2, abs=0.03)
