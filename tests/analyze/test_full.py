"""``kmutate analyze --full`` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_analyze_pipeline import FakeGpu, on_gpu  # noqa: F401  (a fixture)

from mutate.cli.analyze import analyze_command
from mutate.sim.timing import full, model
from mutate.timing import ORIGINAL


def _run(file: Path, *args: str) -> Any:
    return CliRunner().invoke(analyze_command, [str(file), "-m", "memory-only", *args], standalone_mode=False)


def test_everything_is_simulated_and_said_to_be(kernel: Path) -> None:
    done = _run(kernel, "--backend", "sim", "--machine", "h200", "--full", "--json")
    document = json.loads(done.output)
    assert document["request"]["full"] is True
    sample = document["kernels"][0]["launches"][0]["sample"]
    assert sample["complete"] and sample["sms_played"] == 132 and sample["recorded_blocks"] == 256
    assert sample["standard_error"] == {"blocks": 0, "rest": 0}


def test_after_ctrl_c_the_report_says_how_many_sms_were_played(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = model.predict

    def predict(*args: Any, **how: Any) -> Any:
        if how["sm"] == full.order_of_sms(132)[4]:
            raise KeyboardInterrupt
        return real(*args, **how)

    monkeypatch.setattr(full, "predict", predict)
    done = _run(kernel, "--backend", "sim", "--machine", "h200", "--full")
    assert done.return_value == 130
    said = " ".join(done.output.split())
    assert "4 of 132 SMs timed" in said and "interrupted" in said


def test_ctrl_c_in_the_prediction_of_a_variant_leaves_the_others(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = model.predict, []

    def predict(*args: Any, **how: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*args, **how)

    monkeypatch.setattr(model, "predict", predict)
    done = _run(kernel, "--backend", "sim", "--machine", "h200")
    assert done.return_value == 130
    assert "T_full" in done.output and ORIGINAL in done.output


def test_a_gpu_that_measures_makes_it_needless(on_gpu: Callable[[FakeGpu], None], kernel: Path) -> None:  # noqa: F811
    on_gpu(FakeGpu({"original": 0.01, "memory-only": 0.009, "math-only": 0.004}))
    done = _run(kernel, "--full")
    assert "--full is for simulated times" in " ".join(done.output.split())
