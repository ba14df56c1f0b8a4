"""The loads of a machine file are those that the kept clocks give."""

from __future__ import annotations

import numpy as np
import pytest
from fit_clocks import UNITS, fit, given, rows_of

from mutate.machines import load_machine


def test_the_machine_file_has_what_the_kept_clocks_give() -> None:
    machine = load_machine("h200")
    loads, factors = fit(*given(rows_of("h200"), machine.number("clock.boost")), machine.number("clock.load_exponent"))
    for name, load in zip(UNITS, loads, strict=True):
        assert machine.number(f"clock.load_{name}") == pytest.approx(load, rel=0.02)
    assert factors.mean() == pytest.approx(1.0, abs=1e-3)


def test_loads_are_found_again() -> None:
    generator = np.random.default_rng(0)
    loads, runs = generator.uniform(0.0, 1.0, (200, 3)), np.arange(200) % 2
    drops = np.array([1.2, 0.8])[runs] * (loads @ [0.9, 0.4, 0.2]) ** 3.0
    found, factors = fit(loads, drops, runs, 3.0)
    assert found == pytest.approx([0.9, 0.4, 0.2], rel=1e-3)
    assert factors == pytest.approx([1.2, 0.8], rel=1e-3)
