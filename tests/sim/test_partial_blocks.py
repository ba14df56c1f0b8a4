"""A block that is left after some instructions leaves nothing behind that later ones could notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim import layout as lay
from mutate.sim.image import read_image
from mutate.sim.run import Simulation

# Barriers, warps at different places, and pages that no block before has asked for.
SOURCE = """/* kmutate launch
   int n = 1 << 20; float x[n] = normal(0, 1); float y[64 * 128] = zeros();
   dim3 grid = { 64 }; dim3 block = { 128 };
   k(y, x, n);
*/
__global__ void k(float *y, const float *x, int n)
{
    __shared__ float s[128];
    float v = 0;
    for (int i = 0; i < 8; i++) {
        const unsigned at = (blockIdx.x * 16411u + i * 70001u + threadIdx.x * (threadIdx.x & 3)) % n;
        if (threadIdx.x % 5 < 3) v += x[at]; else v -= x[(at * 7u) % n];
        s[threadIdx.x] = v;
        __syncthreads();
        v += s[127 - threadIdx.x];
        __syncthreads();
    }
    y[blockIdx.x * 128 + threadIdx.x] = v;
}
"""


def simulation(folder: Path) -> Simulation:
    path = folder / "k.cu"
    path.write_text(SOURCE)
    (found,) = compile_originals(Request(path=path, arch="sm_90"))
    binary = found.original
    return Simulation(read_image(binary.cubin, binary.entry), binary.listing, found.target.launches[0])


@pytest.mark.parametrize("most", [0, 1, 57, 123, 300, 10**9])
def test_the_next_blocks_are_as_if_it_had_not_been(tmp_path: Path, most: int) -> None:
    one, other = simulation(tmp_path), simulation(tmp_path)
    one.run(range(8), most)
    assert one.counters[:, lay.EXECUTED].sum() <= 8 * most
    before = one.counters.copy()
    one.run(range(4, 12))
    other.run(range(4, 12))
    assert (one.counters - before == other.counters).all()
    assert one.spent.sum() == other.spent.sum()


def test_so_many_instructions_are_executed(tmp_path: Path) -> None:
    one = simulation(tmp_path)
    one.run((3,))
    whole = int(one.spent.sum())
    one.run((3,), whole - 10)
    assert int(one.spent.sum()) == whole - 10
    one.run((3,), whole)
    assert int(one.spent.sum()) == whole
