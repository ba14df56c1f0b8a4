"""The simulator's special-function unit held against an H200's answers (``reference/h200_mufu_*``; no GPU needed)."""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path

import mufu_fit
import numpy as np
import pytest
from accuracy import functions_table
from mufu_probe import FUNCTIONS, Sweep, digest, points, simulated, sweeps

from mutate.sim.code import TABLES

REFERENCE = Path(__file__).with_name("reference")


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#")))


SWEEPS = {Sweep(r["function"], int(r["start"], 16), int(r["stride"]), int(r["count"])): r["answers"]
          for r in table(REFERENCE / "h200_mufu_sweeps.csv")}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_answers_to_all_exponents(function: str) -> None:
    """Zeros, subnormals, infinities, NaN, negative operands, over- and underflow among them."""
    operands = np.concatenate([s.operands() for s in points(function)])
    gpu, ours = np.load(REFERENCE / "h200_mufu_points.npz")[function], simulated(function, operands)
    apart = [f"{x:#010x}: {g:#010x} on the GPU, {o:#010x} here"
             for x, g, o in zip(operands, gpu, ours, strict=True) if g != o]
    assert not apart, apart[:10]


def test_the_reference_has_all_sweeps() -> None:
    assert list(SWEEPS) == list(sweeps())


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda s: f"{s.function}-{s.start:#x}")
def test_answers_to_sweeps(sweep: Sweep) -> None:
    """Every operand that a segment of the tables has, and the whole range thinned."""
    assert digest(simulated(sweep.function, sweep.operands())) == SWEEPS[sweep]


def test_all_operands_were_compared() -> None:
    found = {r["name"]: r for r in functions_table()}
    assert {name: f.operands for name, f in FUNCTIONS.items()} == {name: r["operands"] for name, r in found.items()}
    assert not [r for r in found.values() if r["equal"] != r["operands"]]


@pytest.mark.parametrize(("name", "every"), [("rcp", 50), ("lg2", 30), ("tanh", 25)])
def test_coefficients_follow_from_answers(name: str, every: int) -> None:
    """The recovery finds what the table has, where the answers come from the table, and nothing where one is off."""
    rows = [tuple(int(r[c]) for c in ("c0", "c1", "c2", "unit")) for r in table(TABLES) if r["function"] == name]
    answers = simulated(name, next(s for s in sweeps() if s.function == name).operands())
    segments = list(islice(zip(rows, mufu_fit.segments(name, answers), strict=True), 1, None, every))
    assert len(segments) >= 2
    for row, (low, high, x, unit) in segments:
        assert [(*c, unit) for c in mufu_fit.solve(mufu_fit.NUMBERS[name], low, high, x)] == [row]
    low, high = low.copy(), high.copy()
    low[1000], high[1000] = high[1000], 2 * high[1000] - low[1000]
    low[-1000], high[-1000] = 2 * low[-1000] - high[-1000], low[-1000]
    assert not mufu_fit.solve(mufu_fit.NUMBERS[name], low, high, x)
