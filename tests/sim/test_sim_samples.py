"""Every sample runs on the simulator, on every architecture, original and identity, and gives what NumPy gives.

Whole grids of small launches (``tests/gpu/launches.py``). Integers must be equal; the tolerances of the others stand in
``tests/samples/references.py``, sample by sample.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mutate.launch.data import materialize
from mutate.launch.model import ArrayArg, Launch, ScalarArg
from mutate.pipeline.binaries import KernelBinaries, compile_file
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.run import Simulation, sample_blocks
from mutate.toolchain.locate import find_toolchain

HERE = Path(__file__).resolve().parent
for folder in ("samples", "gpu"):
    sys.path.insert(0, str(HERE.parent / folder))
from launches import SMALL  # noqa: E402
from references import mismatches  # noqa: E402

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
FILES = sorted(samples_dir().glob("*.cu"))
ARCHS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90")


@cache
def compiled(path: Path, arch: str) -> tuple[KernelBinaries, ...]:
    return tuple(compile_file(Request(path=path, arch=arch, mutations=("identity",), settings=SMALL[path.stem])))


def inputs(k: KernelBinaries, launch: Launch) -> dict[str, Any]:
    """Arrays before the launch and scalars, by the names of the kernel's parameters."""
    out: dict[str, Any] = {"grid": launch.grid, "block": launch.block}
    for parameter, arg in zip(k.target.kernel.params, launch.args, strict=True):
        if isinstance(arg, ScalarArg):
            out[parameter.name] = arg.value
        elif isinstance(arg, ArrayArg) and arg.array is not None:
            out[parameter.name] = materialize(launch.array(arg.array))
    out.update({s.name: materialize(s) for s in launch.symbols})
    return out


def outputs(k: KernelBinaries, launch: Launch, simulation: Simulation) -> Mapping[str, Any]:
    out = {}
    for parameter, arg in zip(k.target.kernel.params, launch.args, strict=True):
        if isinstance(arg, ArrayArg) and arg.array is not None:
            before = materialize(launch.array(arg.array))
            region = next(r for r in simulation.initial.regions if r.name == arg.array)
            out[parameter.name] = simulation.memory.read(region).view(before.dtype).reshape(before.shape)
    return out


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_samples_compute_what_numpy_computes(path: Path, arch: str) -> None:
    for k in compiled(path, arch):
        for launch in k.target.launches:
            gx, gy, gz = launch.grid
            for binary in (k.original, k.variants["identity"]):
                simulation = Simulation(read_image(binary.cubin, binary.entry), binary.listing, launch)
                assert not simulation.program.unsupported
                simulation.run(range(gx * gy * gz))
                assert mismatches(k.target.name, inputs(k, launch), outputs(k, launch, simulation)) == []


def test_a_sample_of_blocks_writes_only_what_these_blocks_write() -> None:
    (k, *_) = compiled(samples_dir() / "increment.cu", "sm_90")
    launch = k.target.launches[0]
    simulation = Simulation(read_image(k.original.cubin, k.original.entry), k.original.listing, launch)
    chosen = sample_blocks(launch.grid, 3)
    simulation.run(chosen)
    before = materialize(launch.arrays[0])
    after = simulation.memory.read(simulation.initial.regions[0]).view(np.float32)
    changed = sorted(set((np.flatnonzero(after != before) // 256).tolist()))
    assert changed == list(chosen)
    assert np.array_equal(after[after != before], before[after != before] + 1)


@pytest.mark.parametrize(("grid", "count"), [((32, 32, 1), 1), ((32, 32, 1), 9), ((5, 1, 1), 9), ((7, 3, 2), 41)])
def test_sampled_blocks_are_spread_and_hold_the_middle(grid: tuple[int, int, int], count: int) -> None:
    total = grid[0] * grid[1] * grid[2]
    chosen = sample_blocks(grid, count)
    assert len(set(chosen)) == len(chosen) <= min(count, total)
    assert len(chosen) >= min(count, total) - 1
    assert all(0 <= b < total for b in chosen)
    assert grid[0] // 2 + grid[0] * (grid[1] // 2 + grid[1] * (grid[2] // 2)) in chosen


def test_large_arrays_cost_what_is_touched(tmp_path: Path) -> None:
    """Two arrays of 4 GiB: a few pages of memory."""
    path = tmp_path / "large.cu"
    path.write_text("""
/* kmutate launch
   int n = 1024 * 1024 * 1024;
   dim3 grid = { n / 256 };
   dim3 block = { 256 };
   float out[n] = zeros();
   float in[n] = iota(0, 1);
   k(out, in);
*/
__global__ void k(float *out, const float *in)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] + 1.0f;
}
""")
    (k,) = compile_file(Request(path=path, mutations=("identity",)))
    simulation = Simulation(read_image(k.original.cubin, k.original.entry), k.original.listing, k.target.launches[0])
    chosen = sample_blocks(k.target.launches[0].grid, 4)
    simulation.run(chosen)
    assert simulation.memory.used == 2 * len(chosen)
