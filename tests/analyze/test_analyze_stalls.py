"""Why warps wait, in analyses: with the lines of the source, from the model also where a GPU timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from test_analyze_pipeline import FakeGpu, on_gpu  # noqa: F401  (a fixture)

from mutate.analyzed import AnalyzeRequest, LaunchAnalysis
from mutate.pipeline.analyze import run_analysis
from mutate.results import Request

TEXT = """/* kmutate launch
   int n = 65536; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float y[n] = zeros(); float x[n] = uniform(0, 1);
   k(y, x, n);
*/
__global__ void k(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float loaded = x[i];
    __syncthreads();
    if (i < n)
        y[i] = 2.0f * loaded;
}
"""


def _launch(folder: Path, **how: object) -> LaunchAnalysis:
    file = folder / "k.cu"
    file.write_text(TEXT)
    request = AnalyzeRequest(Request(file, ("memory-only",), arch=""), "sim", "h200")
    ((launch,),) = (k.launches for k in run_analysis(replace(request, **how)).kernels)  # type: ignore[arg-type]
    return launch


def test_simulated_times_come_with_the_lines_that_warps_wait_at(tmp_path: Path) -> None:
    launch = _launch(tmp_path)
    assert launch.stalls is not None and launch.finding.full is not None
    assert sum(launch.stalls.reasons.values()) == pytest.approx(1)
    assert sum(x.share for x in launch.stalls.lines) == pytest.approx(1)
    first = launch.stalls.lines[0]
    assert first.place is not None and first.place.line == 12  # the multiplication waits for what line 9 loads
    assert max(first.reasons, key=lambda r: first.reasons[r]) == "long_scoreboard"
    assert first.text == "y[i] = 2.0f * loaded;"
    assert 0 < launch.stalls.warps <= 64


def test_without_counters_there_are_reasons_but_no_lines(tmp_path: Path) -> None:
    launch = _launch(tmp_path, counters=False)
    assert launch.stalls is not None and launch.stalls.reasons
    assert launch.stalls.lines == ()


def test_beside_measured_times_the_model_explains(on_gpu: Callable[[FakeGpu], None], tmp_path: Path) -> None:  # noqa: F811
    on_gpu(FakeGpu({"original": 0.01, "memory-only": 0.009, "math-only": 0.004}))
    launch = _launch(tmp_path, backend="auto", machine=None)
    assert launch.session is not None
    assert launch.stalls is not None and launch.stalls.machine.startswith("NVIDIA H200")
    assert launch.stalls.lines


def test_a_kernel_that_the_model_cannot_time_is_measured_all_the_same(
        on_gpu: Callable[[FakeGpu], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # noqa: F811
    monkeypatch.setattr("mutate.sim.timing.model.untimed", lambda listing, machine: ("HGMMA",))
    on_gpu(FakeGpu({"original": 0.01, "memory-only": 0.009, "math-only": 0.004}))
    launch = _launch(tmp_path, backend="auto", machine=None)
    assert launch.session is not None and launch.stalls is None
