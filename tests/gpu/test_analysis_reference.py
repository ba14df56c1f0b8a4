"""The recorded analyses of all samples on a GPU: complete, by today's rules, explained where ncu differs."""

from __future__ import annotations

from typing import Any

import pytest
from pairs import PAIRS
from verdicts import agreement, explanations, launches, name_of, payoffs, reference

from mutate.limiter.model import Limiter
from mutate.limiter.rules import Ratios, decide
from mutate.resources import samples_dir

NAMES = [name_of(la) for la in launches()]


def test_all_samples_are_in_it() -> None:
    assert {la["sample"] for la in launches()} == {p.stem for p in samples_dir().glob("*.cu")}
    assert len(set(NAMES)) == len(NAMES)
    assert reference()["gpu"] and reference()["driver"] and reference()["date"] and reference()["command"]


@pytest.mark.parametrize("launch", launches(), ids=NAMES)
def test_the_recorded_limiter_is_what_the_rules_say_today(launch: dict[str, Any]) -> None:
    times = {k: v[0] for k, v in launch["times_ms"].items()}
    full = times["original"]
    ratios = Ratios(times["memory-only"] / full, times["math-only"] / full,
                    launch["facts"]["launch_overhead_ms"] / full)
    assert Limiter(launch["limiter"]) in (decide(ratios).limiter, Limiter.INCONCLUSIVE)


@pytest.mark.parametrize("launch", launches(), ids=NAMES)
def test_identity_takes_as_long_as_the_original(launch: dict[str, Any]) -> None:
    assert launch["noise"][0] == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("launch", launches(), ids=NAMES)
def test_ncu_sees_the_same_time(launch: dict[str, Any]) -> None:
    """Events include about a microsecond that ncu does not count."""
    assert launch["times_ms"]["original"][0] == pytest.approx(launch["ncu"]["time_ns"] / 1e6, rel=0.08, abs=0.002)


def test_every_disagreement_with_ncu_is_explained_and_nothing_else() -> None:
    _, others = agreement()
    assert {r["name"] for r in others} == set(explanations())


@pytest.mark.parametrize("payoff", payoffs(), ids=[f"{p.before[1]}-{p.cause}" for p in PAIRS])
def test_no_cure_gains_more_than_its_bound_unless_it_cures_more(payoff: Any) -> None:
    assert payoff.predicted is not None
    assert payoff.holds or payoff.pair.more
