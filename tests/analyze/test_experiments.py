"""The original under other conditions: padding that gives just the blocks wanted, grids that repeat the work."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from mutate.launch.model import Launch
from mutate.occupancy import KernelResources, default_carveout, device_for, resident_blocks
from mutate.pipeline.binaries import KernelBinaries, compile_originals
from mutate.pipeline.experiments import free_axis, grid_runs, occupancy_runs
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.timing import ORIGINAL, Run


@cache
def _kernel(sample: str, kernel: str) -> KernelBinaries:
    (found,) = compile_originals(Request(samples_dir() / f"{sample}.cu", kernels=(kernel,)))
    return found


@pytest.mark.parametrize("arch", [(7, 5), (8, 0), (8, 6), (9, 0), (12, 0)])
@pytest.mark.parametrize("kernel", [KernelResources(40, 2304, 256), KernelResources(32, 0, 128),
                                    KernelResources(64, 33000, 512), KernelResources(128, 0, 64),
                                    KernelResources(24, 4096, 1024, 2048)])
def test_padding_gives_the_blocks_that_a_run_names(arch: tuple[int, int], kernel: KernelResources) -> None:
    device = device_for(arch)
    kb = default_carveout(kernel, device)
    natural = resident_blocks(kernel, device, kb).blocks_per_sm
    runs = occupancy_runs(Run(ORIGINAL, b"", "k", kernel.dynamic_smem), kernel, device, kb)
    assert len({r.name for r in runs}) == len(runs)
    assert bool(runs) == (natural > 1)
    for run in runs:
        pad = run.dynamic_smem - kernel.dynamic_smem
        found = resident_blocks(kernel.with_pad(pad), device, kb).blocks_per_sm
        assert found == run.expected_blocks and 0 < found < natural
        assert kernel.static_smem + run.dynamic_smem <= device.shared_per_block_opt_in


def _grid(launch: Launch, *grid: int) -> Launch:
    values: dict[str, Any] = dict(launch.__dict__)
    return Launch(**{**values, "grid": grid})


def test_an_axis_is_free_where_the_code_never_looks_at_it() -> None:
    assert free_axis(_kernel("increment", "increment1").original.listing) == "z"
    assert free_axis(_kernel("transpose", "transpose_naive").original.listing) == "z"


def test_grids_are_repeated_only_where_blocks_are_few() -> None:
    found = _kernel("increment", "increment1")
    launch = found.target.launches[0]
    original = Run(ORIGINAL, b"", "k")
    few = grid_runs(original, _grid(launch, 132, 1, 1), found.original.listing, 8, 132)
    assert [r.grid for r in few] == [(132, 1, 2), (132, 1, 4)]
    many = grid_runs(original, _grid(launch, 132 * 8 * 10, 1, 1), found.original.listing, 8, 132)
    assert many == []
