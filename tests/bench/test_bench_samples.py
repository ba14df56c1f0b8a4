"""nvcc compiles the harness of every sample, and every variant drops into the user's file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mutate.pipeline.run import run_variants
from mutate.resources import samples_dir
from mutate.results import Request

nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
SAMPLES = sorted(samples_dir().glob("*.cu"))


def compile_with_nvcc(source: Path) -> None:
    """Without optimizing, which takes half of the time: what is wrong with a text is wrong without it."""
    command = ["nvcc", "-arch=sm_90", "-Xcicc", "-O0", "-Xptxas", "-O0", "-c", "-o", str(source.with_suffix(".o")),
               str(source)]
    done = subprocess.run(command,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nvcc
@nvcc
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.stem)
def test_nvcc_compiles_the_harness_of_every_sample(sample: Path, tmp_path: Path) -> None:
    report = run_variants(Request(sample, output=tmp_path))
    bench = tmp_path / "bench.cu"
    assert bench in report.written
    compile_with_nvcc(bench)


@pytest.mark.nvcc
@nvcc
@pytest.mark.parametrize("variant", ["memory-only", "math-only", "smem-conflict-free"])
def test_a_variant_of_an_application_builds_with_its_host_code(variant: str, tmp_path: Path) -> None:
    report = run_variants(Request(samples_dir() / "fd3d.cu", mutations=(variant,), output=tmp_path))
    written = report.kernels[0].variants[0].path
    assert written is not None and "int main(" in written.read_text()
    compile_with_nvcc(written)
