"""How many lines L1 has room for beside shared memory, and which it has again of more; needs CuPy and NumPy alone.

    python3 tests/machines/l1_room.py > tests/machines/reference/h200_l1_room.json     on a GPU

A warp, with an SM to itself, loads lines of 256 KB one after another, in turn or at random, twelve times as many loads
as lines; of the second half it is counted how many come soon. The driver takes the next larger carve-out than the one
that the launch asks for: the room is that of ``256 - carve-out`` KB, less 58 lines.
"""

from __future__ import annotations

import json
import sys

import numpy as np

CARVEOUTS = (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)
"""KB that launches ask for."""
PARTS = (0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4, 1.7)
"""Lines, of those that 256 KB less that would have room for."""
BLOCKS = 64
LINES = 2048
STRIDE = 1237
"""A line of the list is the place of this many times its number, of ``LINES``."""
ROUNDS = 12
CODE = r"""
extern "C" __global__ void room(const float *a, int lines, int steps, int in_turn, unsigned *out)
{
    extern __shared__ int s[];
    if (steps < 0) s[threadIdx.x] = 1;
    if (threadIdx.x) return;
    const float *mine = a + (size_t)blockIdx.x * (LINES * 32);
    unsigned state = blockIdx.x * 7919 + 17, hits = 0, at = 0;
    for (int k = 0; k < steps; k++) {
        state = state * 1664525u + 1013904223u;
        const unsigned i = in_turn ? at : __umulhi(state ^ state >> 15, lines);
        at = at + 1 == lines ? 0 : at + 1;
        const float *p = mine + i * STRIDE % LINES * 32;
        unsigned before, after;
        float v;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(before) :: "memory");
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
        asm volatile("{ .reg .pred p; setp.eq.f32 p, %1, 0f7149F2CA; @p trap; mov.u32 %0, %%clock; }"
                     : "=r"(after) : "f"(v) : "memory");
        if (k >= steps / 2) hits += after - before < 150;
    }
    out[blockIdx.x] = hits;
}
"""


def main() -> None:
    import cupy as cp

    room = cp.RawModule(code=CODE, options=(f"-DLINES={LINES}u", f"-DSTRIDE={STRIDE}u")).get_function("room")
    whole = cp.zeros((BLOCKS + 1) * LINES * 32, cp.float32)
    base = whole.data.ptr + -whole.data.ptr % (LINES * 128)
    rows = []
    for kb in CARVEOUTS:
        shared = max(0, kb - 1) * 1024
        room.max_dynamic_shared_size_bytes = shared
        room.preferred_shared_memory_carveout = min(100, -(-kb * 100 // 228))
        for in_turn in (0, 1):
            for part in PARTS:
                lines = min(LINES, round((256 - kb) * 8 * part))
                steps = ROUNDS * lines
                out = cp.zeros(BLOCKS, cp.uint32)
                room((BLOCKS,), (32,), (np.uint64(base), np.int32(lines), np.int32(steps), np.int32(in_turn), out),
                     shared_mem=shared)
                hits = out.get() / (steps - steps // 2)
                rows.append((kb, in_turn, lines, *(round(float(x), 4) for x in (hits.mean(), hits.min(), hits.max()))))
    json.dump({"command": "python3 tests/machines/l1_room.py",
               "columns": ["asked_kb", "in_turn", "lines", "hits", "least", "most"], "rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
