"""How many blocks and warps are on an SM at a time where warps of a block end at different times, by their clocks.

    python3 tests/machines/slots.py > tests/machines/reference/h200_slots.csv        needs a GPU and CuPy

Each warp writes its SM and when it began and ended; those that stay sleep meanwhile, so that nobody waits to issue.
"""

from __future__ import annotations

from collections.abc import Sequence

import cupy as cp
import numpy as np

SOURCE = r"""
extern "C" __global__ void hold(long long *log, const int *stay, int drawn)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const long long begin = clock64();
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const int clocks = stay[drawn ? (blockIdx.x * warps + warp) % 4096 : warp];
    if (clocks > 0) while (clock64() - begin < clocks) __nanosleep(200);
    if (threadIdx.x % 32 == 0) {
        long long *mine = log + (blockIdx.x * 32 + warp) * 3;
        mine[0] = sm; mine[1] = begin; mine[2] = clock64();
    }
}
"""
LONG = 40000


def measure(hold: cp.RawKernel, block: int, stays: Sequence[int], each: int, drawn: bool = False, shared: int = 0
            ) -> tuple[float, ...]:
    """Of the median SM: the most blocks at a time, and the mean of blocks and of warps. ``each``: blocks of an SM."""
    sms = cp.cuda.runtime.getDeviceProperties(0)["multiProcessorCount"]
    log, stay = cp.zeros((sms * each, 32, 3), cp.int64), cp.asarray(np.array(stays, np.int32))
    for _ in range(2):
        hold((sms * each,), (block,), (log, stay, np.int32(drawn)), shared_mem=shared)
    told = cp.asnumpy(log)[:, :block // 32]
    begin, end = told[:, :, 1].min(axis=1), told[:, :, 2].max(axis=1)
    found = []
    for sm in range(sms):
        mine = told[:, 0, 0] == sm
        events = np.concatenate([np.stack([begin[mine], np.ones(mine.sum())], 1),
                                 np.stack([end[mine], -np.ones(mine.sum())], 1)])
        most = np.cumsum(events[np.argsort(events[:, 0], kind="stable"), 1]).max()
        whole = end[mine].max() - begin[mine].min()
        found.append((most, (end - begin)[mine].sum() / whole, (told[mine, :, 2] - told[mine, :, 1]).sum() / whole))
    return tuple(np.median(np.array(found), axis=0).tolist())


def main() -> None:
    hold = cp.RawKernel(SOURCE, "hold")
    drawn = np.random.default_rng(2).integers(1, 41, 4096) * 500
    print("what,threads,shared,blocks_of_sm,most_blocks,mean_blocks,mean_warps")
    for block in (64, 96, 128, 160, 192, 256, 384, 512, 768, 1024):
        warps, each = block // 32, 64 * 256 // block
        one, half = [LONG] + [0] * (warps - 1), [LONG] * (warps // 2) + [0] * (warps - warps // 2)
        for what, stays in (("drawn", drawn), ("one", one), ("half", half), ("all", [LONG] * warps)):
            for shared in (0, 8000, 20000) if block == 256 and what == "drawn" else (0,):
                row = measure(hold, block, stays, each, what == "drawn", shared)
                print(f"{what},{block},{shared},{each}," + ",".join(f"{v:.2f}" for v in row), flush=True)


if __name__ == "__main__":
    main()
