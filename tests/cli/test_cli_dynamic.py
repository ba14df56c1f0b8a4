"""``kmutate variants`` with and without the dynamic part of certificates."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mutate.cli.main import main
from mutate.resources import samples_dir
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(samples_dir() / "transpose.cu", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def certificates(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, Any]]:
    with pytest.raises(SystemExit) as ended:
        main(["variants", *arguments, "--json", "-o", "o"])
    assert not ended.value.code
    document = json.loads(capsys.readouterr().out)
    return {v["mutation"]: v["certificate"] for k in document["kernels"] for v in k["variants"] if v["certificate"]}


def test_a_run_is_part_of_every_certificate(capsys: pytest.CaptureFixture[str]) -> None:
    found = certificates(capsys, "transpose.cu", "-k", "transpose_padded")
    for mutation, certificate in found.items():
        run = certificate["dynamic"]
        assert run["done"] and 1 <= run["blocks"] <= run["grid_blocks"] == 128 * 128, mutation
        assert sum(run["original"].values()) > 0
    memory = found["memory-only"]["dynamic"]["memory"]
    assert memory["global_load"]["same"] and memory["global_store"]["same"]
    assert memory["shared_load"]["variant"] == 0 < memory["shared_load"]["original"]
    math = found["math-only"]["dynamic"]["memory"]
    assert math["global_load"]["variant"] == math["global_store"]["variant"] == 0 < math["global_load"]["original"]
    assert "barrier" not in found["no-sync"]["dynamic"]["variant"]


def test_no_dynamic_leaves_it_out(capsys: pytest.CaptureFixture[str]) -> None:
    found = certificates(capsys, "transpose.cu", "-k", "transpose_padded", "--no-dynamic")
    assert found
    assert all("dynamic" not in c for c in found.values())


def test_without_a_launch_declaration_it_says_that_nothing_was_run(here: Path, capsys: pytest.CaptureFixture[str]
                                                                   ) -> None:
    (here / "bare.cu").write_text("__global__ void k(float *out, const float *in) { out[threadIdx.x] = "
                                  "in[threadIdx.x]; }\n")
    found = certificates(capsys, "bare.cu", "-m", "memory-only")
    assert found["memory-only"]["dynamic"]["done"] is False
    (reason,) = [r for r in found["memory-only"]["reasons"] if r["slug"] == "dynamic-not-done"]
    assert reason["severity"] == "VALID"
    assert "kmutate launch" in reason["text"]


def test_host_code_that_says_everything_is_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "hosted.cu").write_text(
        "__global__ void k(float *out, const float *in)\n"
        "{ int i = blockIdx.x * 128 + threadIdx.x; out[i] = in[i] * in[i]; }\n"
        "int main() { float *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); k<<<8, 128>>>(a, b); }\n")
    found = certificates(capsys, "hosted.cu", "-m", "memory-only")["memory-only"]
    assert found["dynamic"]["done"] and found["dynamic"]["memory"]["global_load"]["same"]
    assert not {"block-assumed", "dynamic-not-done"} & {r["slug"] for r in found["reasons"]}


def test_a_declaration_that_runs_out_of_its_arrays_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (here / "transpose.cu").read_text().replace("float in[width * height]", "float in[width * height / 2]")
    (here / "short.cu").write_text(text)
    found = certificates(capsys, "short.cu", "-k", "transpose_padded", "-m", "memory-only")
    (reason,) = [r for r in found["memory-only"]["reasons"] if r["slug"] == "dynamic-not-done"]
    assert "the original does not run" in reason["text"]
    assert "in[" in reason["text"]
    assert "8388608 elements" in reason["text"]
