"""Sweeps on a real GPU: what is asked of the driver is what happens, and times move the way they must."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels import AGAIN, ALIVE, CHASE, analysis, launch, own

from mutate.sweeps import Sweep

pytestmark = pytest.mark.gpu


def _swept(folder: Path, text: str, axis: str) -> Sweep:
    from mutate.backends.gpu import NoGpu, find_gpu

    gpu = find_gpu()
    if isinstance(gpu, NoGpu):
        pytest.skip(gpu.why)
    (sweep,) = launch(analysis(folder, text, axis, machine=None, backend="gpu")).sweeps
    assert sweep.times == "measured" and sweep.where == gpu.name
    return sweep


def test_fewer_blocks_are_resident_and_slow_a_kernel_that_waits(tmp_path: Path) -> None:
    sweep = _swept(tmp_path, CHASE, "occupancy")
    for s in sweep.settings:
        assert own(sweep, s.name).blocks == s.value, f"{s.name}: {own(sweep, s.name).why}"
    one, all_ = own(sweep, "1 block"), own(sweep, sweep.settings[-1].name)
    assert one.time is not None and all_.time is not None and one.time.low > 1.5 * all_.time.high


def test_spilling_caps_are_slower(tmp_path: Path) -> None:
    # Enough turns that the kernel is no launch overhead.
    sweep = _swept(tmp_path, ALIVE.replace("turn < 4", "turn < 400"), "registers")
    free, tight = own(sweep, "as it is"), next(own(sweep, s.name) for s in sweep.settings if s.value == 32)
    assert free.spills == 0 and tight.spills > 0
    assert free.time is not None and tight.time is not None and tight.time.low > 1.2 * free.time.high


def test_a_kernel_that_reads_again_wants_l1(tmp_path: Path) -> None:
    # 24 KB a block, 200 times, with a store that keeps the loads from being read-only.
    text = AGAIN.replace("const float *in", "float *in").replace("out[blockIdx", "in[0] = sum; out[blockIdx").replace(
        "turn < 2", "turn < 200")
    sweep = _swept(tmp_path, text, "cache")
    best = {g: min(r.time.value for s in sweep.settings if s.group == g and (r := own(sweep, s.name)).time is not None)
            for g in ("ca", "cg")}
    assert best["cg"] > 1.3 * best["ca"]
    assert not sweep.best.startswith("cg")
