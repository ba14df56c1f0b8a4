"""A padding plan on a real GPU: the blocks that are resident, counted by the kernel itself, are the planned ones."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from mutate.occupancy import KernelResources, device_for, known_capabilities, plan_padding

pytestmark = pytest.mark.gpu

# Blocks spin for 100 us, so that an SM fills up; N values kept alive in registers set the register count.
SOURCE = r"""
template <int N> __global__ void spin(float *data, int stride, int *now, int *most)
{
    float value[N];
    #pragma unroll
    for (int i = 0; i < N; ++i) value[i] = data[i * stride];
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        atomicMax(&most[sm], atomicAdd(&now[sm], 1) + 1);
        unsigned long long start, time;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)); while (time < start + 100000);
        atomicSub(&now[sm], 1);
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < N; ++i) data[i * stride + threadIdx.x * (stride + 1)] = value[i] * value[(i * 7 + 3) % N];
}
"""
SIZES = (2, 12, 24, 40, 60, 100, 160)


@pytest.fixture(scope="module")
def gpu() -> Any:
    if importlib.util.find_spec("cupy") is None:
        pytest.skip("needs CuPy (pip install kmutate[gpu])")
    import cupy

    try:
        cupy.cuda.runtime.getDeviceCount()
        capability = cupy.cuda.Device().compute_capability
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("needs a GPU")
    if (int(capability[:-1]), int(capability[-1])) not in known_capabilities():
        pytest.skip(f"no data for compute capability {capability}")
    return cupy


def most_resident(cupy: Any, kernel: Any, threads: int, dynamic_smem: int) -> tuple[int, int]:
    """Least and most over the SMs of the blocks seen at a time on one SM."""
    sms = cupy.cuda.Device().attributes["MultiProcessorCount"]
    data = cupy.zeros(1 << 16, cupy.float32)
    now, most = cupy.zeros(512, cupy.int32), cupy.zeros(512, cupy.int32)
    kernel((sms * 36,), (threads,), (data, cupy.int32(0), now, most), shared_mem=dynamic_smem)
    seen = most.get()
    return int(seen[seen > 0].min()), int(seen.max())


@pytest.mark.parametrize("threads", [32, 128, 256, 320, 512, 1024])
def test_planned_blocks_are_resident(gpu: Any, threads: int) -> None:
    names = [f"spin<{size}>" for size in SIZES]
    module = gpu.RawModule(code=SOURCE, options=("-std=c++17",), name_expressions=names)
    kernels = {name: module.get_function(name) for name in names}
    capability = gpu.cuda.Device().compute_capability
    device = device_for((int(capability[:-1]), int(capability[-1])))
    resources = {name: KernelResources(kernel.num_regs, kernel.shared_size_bytes, threads)
                 for name, kernel in kernels.items()}
    assert len({kernel.registers for kernel in resources.values()}) >= 4
    checked = 0
    for original in names:
        for shared in (0, 3000, 20000, 60000):
            with_shared = {name: kernel.with_pad(shared) for name, kernel in resources.items()}
            plan = plan_padding(with_shared[original], with_shared, device)
            for name, launch in plan.variants.items():
                if launch.register_cap is not None or launch.reasons:
                    continue
                kernel = kernels[name]
                if launch.needs_opt_in:
                    kernel.max_dynamic_shared_size_bytes = launch.dynamic_smem
                kernel.preferred_shared_memory_carveout = launch.carveout_percent
                blocks = plan.original.padded.blocks_per_sm
                assert most_resident(gpu, kernel, threads, launch.dynamic_smem) == (blocks, blocks), (
                    original, name, shared, launch)
                checked += 1
    assert checked > 20
