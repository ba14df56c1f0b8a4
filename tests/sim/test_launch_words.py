"""What a driver writes below the parameters: dimensions, windows, dynamic shared memory, by architecture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mutate.errors import KmutateError
from mutate.pipeline.binaries import compile_file
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.run import Simulation
from mutate.toolchain.locate import find_toolchain

SOURCE = r"""
/* kmutate launch
   int out[18 * 9] = zeros();
   dim3 grid = { 3, 2, 3 }, block = { 7, 5, 2 };
   size_t smem = 4000;
   k(out, 2, 0);
   k(out, 2, 1);
*/
__global__ void k(int *out, int n, int unknown)
{
    extern __shared__ int s[];
    int local[4] = {0, 0, 30, 0};
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    int *from = GENERIC && n != 2 ? s : local;
    from[n] += 4;
    if (unknown) asm volatile("mov.u32 %0, %%envreg3;" : "=r"(bytes));
    if (t == 69) {
        int row[9] = {(int)blockDim.x, (int)blockDim.y, (int)blockDim.z, (int)gridDim.x, (int)gridDim.y,
                      (int)gridDim.z, (int)bytes, local[n], b};
        for (int k = 0; k < 9; k++) out[9 * b + k] = row[k];
    }
}
"""


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_a_kernel_reads_its_launch_where_its_architecture_has_it(tmp_path: Path, arch: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    # IADD.64, with which sm_120 makes generic addresses, is not simulated.
    (found,) = compile_file(Request(path=path, arch=arch, mutations=(), defines=(f"GENERIC={int(arch != 'sm_120')}",)))
    image = read_image(found.original.cubin, found.original.entry)
    launch, other = found.target.launches
    simulation = Simulation(image, found.original.listing, launch, extra_smem=96)
    memory = simulation.run(range(18)).memory
    rows = memory.read(simulation.initial.regions[0]).view(np.int32).reshape(18, 9)
    assert rows[:, :8].tolist() == [[7, 5, 2, 3, 2, 3, 4096, 34]] * 18 and rows[:, 8].tolist() == list(range(18))
    with pytest.raises(KmutateError, match=r"constants? (at )?c\[0x0\]\[0x\w+\] (is|are) not known"):
        Simulation(image, found.original.listing, other).run((0,))
