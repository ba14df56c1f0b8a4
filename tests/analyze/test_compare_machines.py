"""The same kernel on several machines of the simulator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mutate.analyzed import AnalyzeRequest, Comparison
from mutate.cli.analyze import analyze_command
from mutate.cli.settings import several
from mutate.errors import KmutateError
from mutate.machines import Machine
from mutate.pipeline.analyze import run_analysis
from mutate.pipeline.compare import compare_machines
from mutate.report.comparison import launch_of, tables
from mutate.results import Request
from mutate.sim.timing import model


@pytest.fixture
def a100_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    real = model.predict

    def predict(kernel: Any, launch: Any, machine: Machine, **how: Any) -> Any:
        if machine.name == "a100":
            raise KmutateError("no-time", "the machine a100 has no latency.dram, which times need")
        return real(kernel, launch, machine, **how)

    monkeypatch.setattr(model, "predict", predict)


def _compared(file: Path, *names: str, **how: Any) -> Comparison:
    return compare_machines(AnalyzeRequest(Request(file, ("memory-only",), arch=how.pop("arch", "")), **how), names)


def test_each_machine_has_code_of_its_own_and_the_others_stay_when_one_has_no_times(
        kernel: Path, a100_cannot: None) -> None:
    found = _compared(kernel, "h200", "a100")
    assert [c.arch for c in found.machines] == ["sm_90", "sm_80"]
    first, second = (launch_of(c, "k", 0) for c in found.machines)
    assert first is not None and second is not None
    assert first.finding.full is not None and second.finding.full is None
    assert second.facts.moved_bytes and second.facts.resident_blocks and second.registers
    (table,) = tables(found)
    assert table.notes == (("a100", "not timed: the machine a100 has no latency.dram, which times need"),)


def test_an_architecture_that_is_asked_for_is_every_machine_s(kernel: Path, a100_cannot: None) -> None:
    found = _compared(kernel, "h200", "a100", arch="sm_90")
    assert [c.arch for c in found.machines] == ["sm_90", "sm_90"]


def test_a_machine_that_does_not_exist_ends_it_at_once(kernel: Path) -> None:
    with pytest.raises(KmutateError) as e:
        _compared(kernel, "h200", "h2000")
    assert "h2000" in str(e.value)


def test_a_gpu_is_refused(kernel: Path) -> None:
    with pytest.raises(KmutateError) as e:
        _compared(kernel, "h200", "a100", backend="gpu")
    assert e.value.slug == "no-gpu" and "simulator" in e.value.what


def test_where_nothing_compiles_the_error_is_the_answer(kernel: Path) -> None:
    kernel.write_text(kernel.read_text().replace("2.0f", "undeclared"))
    with pytest.raises(KmutateError) as e:
        _compared(kernel, "h200", "h100")
    assert e.value.slug == "original-does-not-compile"


def test_after_ctrl_c_the_machines_that_are_done_are_shown(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mutate.pipeline import compare

    real, calls = run_analysis, []

    def run(request: AnalyzeRequest, progress: Any) -> Any:
        calls.append(request.machine)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(request, progress)

    monkeypatch.setattr(compare, "run_analysis", run)
    found = _compared(kernel, "h200", "h100", "a100")
    assert calls == ["h200", "h100"]
    assert found.interrupted
    assert found.machines[0].analysis is not None
    assert [c.error.slug for c in found.machines if c.error is not None] == ["interrupted"] * 2


@pytest.mark.parametrize(("text", "names"), [
    (None, ()), ("h200", ()), ("h200,a100", ("h200", "a100")), (" h200, a100 ,h200", ("h200", "a100"))])
def test_names_are_between_commas(text: str | None, names: tuple[str, ...]) -> None:
    assert several(text) == names


def test_a_file_may_have_a_comma_in_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a,b.toml").write_text("")
    assert several("a,b.toml") == ()


def test_the_command_prints_the_table_and_its_json(kernel: Path, a100_cannot: None, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    args = [str(kernel), "-m", "memory-only", "--machine", "h200,a100"]
    done = CliRunner().invoke(analyze_command, [*args, "--html", str(page)], standalone_mode=False)
    assert done.return_value == 3  # a100 has no verdict
    assert "h200" in done.output and "not timed: the machine a100" in done.output
    assert "on 2 machines" in page.read_text()
    done = CliRunner().invoke(analyze_command, [*args, "--json"], standalone_mode=False)
    document = json.loads(done.output)
    assert document["schema"] == "kmutate.comparison/1"
    assert [m["machine"]["name"] for m in document["machines"]] == ["h200", "a100"]
