"""Times that a model gives carry its errors: the common one cancels in ratios, the rest is less for ratios near 1."""

from __future__ import annotations

import pytest

from mutate.limiter.stats import ModelErrors, from_model

TIMES = {"original": 2.0, "memory-only": 1.0}


def test_an_error_that_all_times_share_leaves_ratios_alone() -> None:
    samples = from_model(TIMES, "original", ModelErrors((-0.5, 0.0, 0.5), (), ((0.0, 0.0),)))
    assert samples.intervals["original"].low < 1.4 and samples.intervals["original"].high > 2.8
    gain = samples.gains["memory-only"]
    assert (gain.low, gain.value, gain.high) == pytest.approx((2, 2, 2))


def test_an_error_of_its_own_widens_a_ratio_and_not_the_original() -> None:
    samples = from_model(TIMES, "original", ModelErrors((0.0, 0.0), (), ((-0.2, 0.0, 0.2),)))
    full = samples.intervals["original"]
    assert (full.low, full.high) == pytest.approx((2, 2))
    gain = samples.gains["memory-only"]
    assert gain.low == pytest.approx(2 * 0.826, rel=0.02) and gain.high == pytest.approx(2 * 1.21, rel=0.02)


def test_the_same_times_give_the_same_intervals() -> None:
    a, b = (from_model(TIMES, "original", ModelErrors((-0.1, 0.3), (), ((-0.2, 0.2),))) for _ in range(2))
    assert a.intervals == b.intervals and a.gains == b.gains


def test_what_a_sample_leaves_open_is_added() -> None:
    samples = from_model(TIMES, "original", ModelErrors((0.0, 0.0), (), ((0.0, 0.0),)),
                         doubts={"original": 0.1, "memory-only": 0.05})
    full, gain = samples.intervals["original"], samples.gains["memory-only"]
    assert full.high / full.value == pytest.approx(1.22, rel=0.02)  # exp(1.96 * 0.1)
    assert gain.high / gain.value == pytest.approx(1.103, rel=0.02)
    both = from_model(TIMES, "original", ModelErrors((-0.3, 0.0, 0.3), (), ((0.0, 0.0),)), doubts={"original": 0.1})
    alone = from_model(TIMES, "original", ModelErrors((-0.3, 0.0, 0.3), (), ((0.0, 0.0),)))
    assert both.intervals["original"].width > alone.intervals["original"].width
    assert both.gains == alone.gains


def test_a_ratio_has_the_errors_that_were_found_for_ratios_like_it() -> None:
    errors = ModelErrors((0.0, 0.0), (0.5, 0.9), ((-0.3, 0.0, 0.3), (-0.1, 0.0, 0.1), (-0.01, 0.0, 0.01)))
    gains = from_model({"original": 1.0, "a": 0.4, "b": 0.5, "c": 0.95}, "original", errors).gains
    widths = [(gains[n].high - gains[n].low) / gains[n].value for n in "abc"]
    assert widths == pytest.approx([0.57, 0.19, 0.019], rel=0.05)
