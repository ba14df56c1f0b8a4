"""The real command on a real GPU: what it finds is possible, and twice the same."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from click.testing import CliRunner

from mutate.backends.gpu import find_gpu
from mutate.cli.main import cli
from mutate.machines import load_machine
from mutate.timing import Gpu

pytestmark = [pytest.mark.gpu,
              pytest.mark.skipif(importlib.util.find_spec("cupy") is None or not isinstance(find_gpu(), Gpu),
                                 reason="no GPU with CuPy")]


def test_the_gpu_is_measured(tmp_path: Path) -> None:
    path, kept = tmp_path / "mine.toml", tmp_path / "mine.json"
    done = CliRunner().invoke(cli, ["calibrate", "-o", str(path), "--results", str(kept)])
    assert done.exit_code == 0, done.output
    assert "not measured" not in done.output
    machine = load_machine(path)
    assert machine.number("dependent.ffma") == pytest.approx(4, abs=1.5)
    assert machine.number("dependent.dfma") > machine.number("dependent.ffma")
    assert machine.number("latency.shared") < machine.number("latency.l2") < machine.number("latency.dram")
    for what in ("read_bandwidth", "write_bandwidth", "copy_bandwidth"):
        assert 50 < machine.number(f"dram.{what}") < 20000
        assert machine.number(f"dram.{what}") < machine.number("l2.read_bandwidth")
    for key in ("dram.read_16_1", "dram.copy_4_1", "l2.read_by_sms"):
        points = machine.curve(key)
        assert points[0][1] < points[len(points) // 2][1], key
    again = tmp_path / "again.toml"
    assert CliRunner().invoke(cli, ["calibrate", "-o", str(again), "--from", str(kept)]).exit_code == 0
    assert again.read_text() == path.read_text()
