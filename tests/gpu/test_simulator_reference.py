"""The simulator held against what an H200 counted and computed (``reference/h200_simulator.csv``; no GPU needed)."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

import pytest
from accuracy import RACING, WAVEFRONTS, Row, rows
from compare import METRICS, code_of, memory_digest, simulate
from launches import SMALL

from mutate.pipeline.binaries import compile_file
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
ALL = rows()
ROWS = [r for r in ALL if r.sample != "mufu"]
# Counted again by the simulator in this test: all variants of these, small enough to take seconds.
AGAIN = ("fd3d", "matmul", "reduction", "spmv_csr", "async_tile", "histogram", "divergent", "fp64_stencil",
         "nbody", "softmax_rows", "special_functions")


def test_the_reference_has_all_kernels_and_variants() -> None:
    assert {r.sample for r in ROWS} == set(SMALL)
    assert sum(r.variant == "original" for r in ROWS) >= 46


@pytest.mark.parametrize("metric", METRICS)
def test_recorded_counters_agree(metric: str) -> None:
    """Instructions and sectors: exact but for what docs/accuracy.md explains."""
    for r in ROWS:
        error = abs(r.error(metric))
        where = f"{r.kernel} {r.variant}: {r.gpu[metric]} on the GPU, {r.sim[metric]} here"
        if metric in WAVEFRONTS:
            assert error <= 0.05, where  # the hardware's own counts of one binary vary by as much
        elif metric == "reduction_sectors":
            assert error <= 0.02, where
        elif metric == "thread_instructions":
            assert error <= 0.001, where
        else:
            assert error == 0, where


def test_recorded_memory_is_equal() -> None:
    """All arrays of all launches, bit for bit, but for variants that race."""
    assert not [f"{r.kernel} {r.variant}" for r in ALL if r.variant not in RACING and r.equal != r.arrays]


@cache
def compiled(sample: str) -> dict[tuple[str, int, str], dict[str, Any]]:
    out = {}
    for k in compile_file(Request(path=samples_dir() / f"{sample}.cu", settings=SMALL[sample])):
        for n, launch in enumerate(k.target.launches):
            for variant, binary in {"original": k.original, **k.variants}.items():
                image = read_image(binary.cubin, binary.entry)
                out[k.target.name, n, variant] = {"cubin": binary.cubin, "entry": binary.entry, "data": launch,
                                                  "extra_smem": binary.extra_smem, "constants": image.constants}
    return out


def same(r: Row, job: dict[str, Any]) -> None:
    """The simulator still counts what was recorded, and leaves the GPU's bytes."""
    counters, memory = simulate(job)
    assert counters == r.sim, f"{r.kernel} {r.variant}"
    if r.variant not in RACING:
        left = {name: hashlib.sha256(array.tobytes()).hexdigest() for name, array in memory.items()}
        assert memory_digest(left) == r.memory, f"{r.kernel} {r.variant}"


@needs_nvrtc
@pytest.mark.parametrize("sample", AGAIN)
def test_the_simulator_does_what_was_recorded(sample: str) -> None:
    """Launches whose code is what was measured, simulated once more."""
    again = 0
    for r in (r for r in ROWS if r.sample == sample):
        job = compiled(sample).get((r.kernel, r.launch, r.variant))
        if job is not None and code_of(job["cubin"]) == r.code:
            same(r, job)
            again += 1
    if not again:
        pytest.skip("this compiler makes other code than the one that was measured")
