"""What simulated times are said to be worth is what came out, of the samples and of kernels that nobody tuned for."""

from __future__ import annotations

import json

import pytest
import timing_errors

from mutate.machines import load_machine
from mutate.sim.timing import accuracy


def _rows() -> list[dict[str, object]]:
    kept = json.loads(timing_errors.KEPT.read_text())
    assert kept["machine"] == accuracy.JUDGED[0]
    return [r | {"error": r["sim"] / r["gpu"] - 1} for r in kept["rows"]]


def test_the_errors_that_are_given_are_those_that_were_found() -> None:
    kept, found = json.loads(timing_errors.ACCURACY.read_text()), timing_errors.uncertainty(_rows())
    assert kept.keys() == found.keys()
    assert [kept[k] for k in ("edges", "variants")] == [found[k] for k in ("edges", "variants")]
    assert kept["absolute"] == pytest.approx(found["absolute"], abs=0.002)
    for mine, theirs in zip(kept["ratio"], found["ratio"], strict=True):
        assert mine == pytest.approx(theirs, abs=0.002)
    assert accuracy.errors().keys() == {"absolute", "edges", "ratio"}


def test_the_words_say_the_errors() -> None:
    kept = json.loads(timing_errors.ACCURACY.read_text())
    for n in (kept["samples"]["kernels"], kept["unseen"]["kernels"]):
        assert f" {n} " in accuracy.words()
    assert f"by {100 * kept['unseen']['worst']:.0f} %" in accuracy.words()
    assert all(load_machine(name).calibrated for name in accuracy.JUDGED)
