"""Compilers load constants early whose use is guarded by a condition that does not hold: also outside of their bank."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.run import Simulation
from mutate.sim.timing.model import Kernel, predict

SOURCE = """/* kmutate launch
   __constant__ int table[48] = iota(1); dim3 grid = { 1 }; dim3 block = { 32 };
   int at[32] = { %s }, out[32];
   k(out, at);
*/
__constant__ int table[48];
__global__ void k(int *out, const int *at)
{
    out[threadIdx.x] = table[at[threadIdx.x]];
}
"""


def test_they_are_zero_and_no_error(tmp_path: Path) -> None:
    """As an H200 has it: zeros where the bank ends."""
    at = [-1, -2, 1 << 20, -(1 << 28), *range(4, 32)]
    path = tmp_path / "k.cu"
    path.write_text(SOURCE % ", ".join(map(str, at)))
    (found,) = compile_originals(Request(path=path, arch="sm_90"))
    image, launch = read_image(found.original.cubin, found.original.entry), found.target.launches[0]
    simulation = Simulation(image, found.original.listing, launch)
    simulation.run((0,))
    (out,) = (r for r in simulation.initial.regions if r.name == "out")
    assert simulation.memory.read(out).view(np.int32).tolist() == [0, 0, 0, 0, *range(5, 33)]
    assert predict(Kernel(image, found.original.listing), launch, load_machine("h100")).time_ms > 0
