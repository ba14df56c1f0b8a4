"""``kmutate doctor``: what it says, its JSON, and when it is not content."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mutate.report
from mutate.backends.gpu import NoGpu
from mutate.cli.main import main
from mutate.timing import Gpu, Roofs
from mutate.toolchain.locate import Toolchain, find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
SCHEMA = json.loads((Path(mutate.report.__file__).parent / "schemas" / "doctor-1.json").read_text())
H200 = Gpu("NVIDIA H200", (9, 0), "580.1", 132, "GPU-1", 150_000_000_000, 62_914_560, 1980.0, "CUDA 13.0")
ROOFS = Roofs(H200, 4080.0, 4560.0, 4416.0, 64_990.0, 2.62, 1.34, {2: 600.0, 64: 4000.0}, {2: 170.0}, "2026-11-21")


@pytest.fixture
def doctor(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command without a GPU, unless a test gives it one; (exit code, output)."""
    monkeypatch.setattr("mutate.pipeline.doctor.find_gpu", lambda device: NoGpu("there is no GPU here", "buy one"))

    def run(*args: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(["doctor", *args])
        return int(ended.value.code or 0), capsys.readouterr().out

    return run


@pytest.fixture
def with_gpu(monkeypatch: pytest.MonkeyPatch, doctor: Any) -> list[str]:
    """A GPU whose measuring is only noted."""
    done: list[str] = []

    def measured(gpu: Gpu, progress: Any, device: int) -> Roofs:
        done.append("measured")
        return ROOFS

    monkeypatch.setattr("mutate.pipeline.doctor.find_gpu", lambda device: H200)
    monkeypatch.setattr("mutate.pipeline.doctor.prestart", lambda device: None)
    monkeypatch.setattr("mutate.pipeline.doctor.load_roofs", lambda gpu: None)
    monkeypatch.setattr("mutate.pipeline.doctor.measure_roofs", measured)
    monkeypatch.setattr("mutate.pipeline.doctor.save_roofs", lambda roofs: done.append("kept"))
    return done


@needs_nvrtc
def test_without_a_gpu_all_is_well_and_it_says_what_a_gpu_needs(doctor: Any) -> None:
    code, out = doctor()
    assert code == 0 and "there is no GPU here" in out and "buy one" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    for name in ("Python", "packages", "NVRTC", "nvdisasm", "CUDA headers", "nvcc", "CuPy", "GPU", "simulator",
                 "cache"):
        assert any(line.startswith(name) for line in out.splitlines()), name


@needs_nvrtc
def test_the_json_document_follows_its_schema(doctor: Any, with_gpu: list[str]) -> None:
    import jsonschema

    code, out = doctor("--json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert code == 0 and document["ready"] and document["roofs"]["machine"] == "h200"
    copy = document["roofs"]["values"]["copy_gbs"]
    assert copy == {"value": 4080.0, "unit": "GB/s", "published": 4800.0, "share": 0.85}
    assert document["roofs"]["copy_gbs_by_warps"]["4"] == [{"warps": 2, "gbs": 170.0}]
    assert with_gpu == ["measured", "kept"]


@needs_nvrtc
def test_figures_are_fractions_of_the_published_ones(doctor: Any, with_gpu: list[str]) -> None:
    code, out = doctor()
    assert code == 0 and "85% of 4,800" in out and "97% of 67,000" in out and "measured 2026-11-21" in out


@needs_nvrtc
def test_what_is_kept_is_not_measured_unless_asked_for(doctor: Any, with_gpu: list[str],
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mutate.pipeline.doctor.load_roofs", lambda gpu: replace(ROOFS, measured="2026-01-02"))
    assert "kept from 2026-01-02" in doctor()[1] and with_gpu == []
    assert "kept" not in doctor("--again")[1] and with_gpu == ["measured", "kept"]


@needs_nvrtc
def test_measuring_can_be_left_out(doctor: Any, with_gpu: list[str]) -> None:
    code, out = doctor("--no-measure")
    assert code == 0 and "Not measured" in out and with_gpu == []


@pytest.mark.parametrize(("lacking", "name"), [({"nvrtc": None}, "NVRTC"), ({"nvdisasm": None}, "nvdisasm"),
                                               ({"include_dirs": ()}, "CUDA headers")])
def test_what_variants_needs_and_lacks_is_exit_code_2(doctor: Any, monkeypatch: pytest.MonkeyPatch,
                                                      lacking: dict[str, Any], name: str) -> None:
    tools = replace(Toolchain("/none", "/none", ("/none",)), **lacking)
    monkeypatch.setattr("mutate.pipeline.doctor.find_toolchain", lambda: tools)
    code, out = doctor("--json")
    document = json.loads(out)
    row = next(c for c in document["checks"] if c["name"] == name)
    assert code == 2 and not document["ready"] and row["state"] == "missing" and "pip install" in row["hint"]


@needs_nvrtc
def test_a_disassembler_that_does_not_run_is_missing(doctor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mutate.pipeline.doctor.find_toolchain",
                        lambda: replace(find_toolchain(), nvdisasm="/nonexistent/nvdisasm"))
    code, out = doctor()
    assert code == 2 and "does not run" in out and "kmutate variants lacks: nvdisasm" in out


@needs_nvrtc
def test_a_cache_that_is_off_is_said(doctor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KMUTATE_CACHE", "off")
    assert "off (KMUTATE_CACHE)" in doctor()[1]
