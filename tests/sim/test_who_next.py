"""Branches that part a warp: what its lanes do after what, as an H100 counted it (tests/machines/who_next.py)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.run import Simulation
from mutate.toolchain.locate import find_toolchain

MACHINES = Path(__file__).parents[1] / "machines"
sys.path.insert(0, str(MACHINES))

from compilers import nvrtc_version  # noqa: E402
from who_next import SHAPE, order_of  # noqa: E402

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


def test_the_fewer_lanes_go_on_first_and_those_left_aside_last_come_next() -> None:
    kept = json.loads((MACHINES / "reference" / "h100_who_next.json").read_text())["orders"]
    known = {(k["kernel"], k["few"]): k["order"] for k in kept if k["nvrtc"] == nvrtc_version()}
    if not known:
        pytest.skip("another compiler's code than was run")
    compared = 0
    for found in compile_originals(Request(path=MACHINES / "splits.cu", arch="sm_90")):
        image, listing = read_image(found.original.cubin, found.original.entry), found.original.listing
        for few, launch in zip((8, 24), found.target.launches, strict=True):
            memory = Simulation(image, listing, launch).run((0,)).memory
            (out,) = (r for r in memory.initial.regions if r.name == "out")
            order = order_of(memory.read(out).view(np.int32).reshape(SHAPE))
            assert order == known[launch.kernel, few], (launch.kernel, few)
            compared += 1
    assert compared == len(known) == 22


# One branch after the other leaves lanes aside, until each goes its own way; then all count on.
MANY = """/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 }; int out[32] = zeros(); int next[1024] = permutation();
   apart(out, next);
*/
__global__ void apart(int *out, const int *next)
{
    int at = threadIdx.x, sum = 0;
    for (int round = 0; round < 40; round++) {
        int k = 0;
        while (at % 3 != 1 || k < at % 29) {
            at = next[(at + k * 37) & 1023];
            if (at % 7 == 2) { sum += next[at]; if (at % 5 == 1) sum ^= k; else sum -= next[sum & 1023]; }
            k++;
        }
        sum = sum * 3 + k;
    }
    out[threadIdx.x] = sum;
}
"""


def test_lanes_that_are_left_aside_again_and_again_come_to_the_same_as_alone(tmp_path: Path) -> None:
    path = tmp_path / "apart.cu"
    path.write_text(MANY)
    (found,) = compile_originals(Request(path=path, arch="sm_90"))
    image = read_image(found.original.cubin, found.original.entry)
    simulation = Simulation(image, found.original.listing, found.target.launches[0])
    memory = simulation.run((0,)).memory
    held = {r.name: memory.read(r) for r in memory.initial.regions if r.name in ("out", "next")}
    out, following = (held[name].view(np.int32).tolist() for name in ("out", "next"))
    for lane in range(32):
        at, total = lane, 0
        for _ in range(40):
            k = 0
            while at % 3 != 1 or k < at % 29:
                at = following[(at + k * 37) & 1023]
                if at % 7 == 2:
                    total += following[at]
                    total = total ^ k if at % 5 == 1 else total - following[total & 1023]
                k += 1
            total = (total * 3 + k + 2**31) % 2**32 - 2**31
        assert out[lane] == total, lane


# In each round one lane after the other leaves the loop, until each is at the join alone.
ALONE = """/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 }; float out[32] = zeros();
   trips(out, 9);
*/
__global__ void trips(float *out, int rounds)
{
    float x = 0.0f;
    for (int i = 0; i < rounds; i++) {
#pragma unroll 1
        for (int k = 0; k <= threadIdx.x; k++) {
            asm volatile("" : "+f"(x));
            x += 1.0f;
        }
        x += 100.0f;
    }
    out[threadIdx.x] = x;
}
"""


def test_a_warp_may_be_in_as_many_parts_as_it_has_lanes_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "trips.cu"
    path.write_text(ALONE)
    (found,) = compile_originals(Request(path=path, arch="sm_90"))
    simulation = Simulation(read_image(found.original.cubin, found.original.entry), found.original.listing,
                            found.target.launches[0])
    memory = simulation.run((0,)).memory
    (out,) = (r for r in memory.initial.regions if r.name == "out")
    assert memory.read(out).view(np.float32).tolist() == [9 * (100 + lane + 1) for lane in range(32)]
