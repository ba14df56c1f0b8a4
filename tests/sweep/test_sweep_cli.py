"""``--sweep`` as its users see it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result
from kernels import AGAIN

import mutate
from mutate.cli.main import cli
from mutate.errors import KmutateError

SCHEMA = json.loads((Path(__file__).parents[2] / "mutate" / "report" / "schemas" / "analysis-1.json").read_text())


def _run(folder: Path, *args: str) -> Result:
    path = folder / "again.cu"
    path.write_text(AGAIN)
    return CliRunner().invoke(cli, ["analyze", str(path), "-m", "memory-only", "--backend", "sim", "--no-counters",
                                    *args], standalone_mode=False)


def test_sweeps_come_with_the_analysis(tmp_path: Path) -> None:
    result = _run(tmp_path, "--machine", "c2050", "--sweep", "cache,occupancy", "--sweep", "registers", "--json",
                  "--no-sweep")
    document = json.loads(result.output)
    jsonschema.validate(document, SCHEMA)
    assert document["request"]["sweeps"] == ["cache", "occupancy", "registers"] and not document["request"]["sweep"]
    sweeps = document["kernels"][0]["launches"][0]["sweeps"]
    assert [s["axis"] for s in sweeps] == ["cache", "occupancy", "registers"]
    assert len(sweeps[0]["settings"]) == 4 and all("C2050" in s["where"] for s in sweeps)


def test_an_unknown_sweep_names_those_there_are(tmp_path: Path) -> None:
    result = _run(tmp_path, "--sweep", "cahce")
    assert isinstance(result.exception, KmutateError)
    assert result.exception.slug == "unknown-sweep" and "cache" in str(result.exception.hint)


def test_without_the_flag_nothing_is_swept(tmp_path: Path) -> None:
    document = json.loads(_run(tmp_path, "--machine", "c2050", "--json").output)
    assert document["kernels"][0]["launches"][0]["sweeps"] == []
    assert "sweep" not in document["seconds"]


def test_python_takes_sweeps_too() -> None:
    found = mutate.analyze(AGAIN, backend="sim", machine="c2050", mutations=["memory-only"], counters=False,
                           sweeps="cache")
    (sweep,) = found.analysis.kernels[0].launches[0].sweeps
    assert sweep.axis == "cache" and len(sweep.settings) == 4
    with pytest.raises(KmutateError, match="nothing"):
        mutate.analyze(AGAIN, sweeps=["nothing"])
