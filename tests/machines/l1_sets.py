"""Which lines share a set of L1, found on a GPU by who evicts whom; needs CuPy and NumPy alone.

    python3 tests/machines/l1_sets.py > tests/machines/reference/h200_l1_sets.json

A line is loaded, then thousands of others at random, then it again: it comes late. Of the others as many are left out
as the line still comes late without, until four are left (`mutate/sim/timing/sets.py` has what follows from them).
Lines are numbered from an address that is a multiple of all lines together: sums of bits of numbers are those of
addresses.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import cupy as cp
import numpy as np

BITS = 28
TARGETS = 120
POOL = 6000
WAYS = 4
ROUNDS = 120
LATE = 120
"""Clocks: what L1 has comes within 50, what L2 has after 250."""
CODE = r"""
extern "C" __global__ void again(const float *a, const int *lists, const int *starts, const int *counts,
                                 const int *targets, int *out)
{
    if (threadIdx.x) return;
    const int *list = lists + starts[blockIdx.x];
    const float *target = a + (size_t)targets[blockIdx.x] * 32;
    float v, sum = 0;
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(target) : "memory");
    sum += v;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < counts[blockIdx.x]; i++) {
            int line;
            asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(line) : "l"(list + i) : "memory");
            asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(a + (size_t)line * 32) : "memory");
            sum += v;
        }
    const long long begun = clock64();
    while (clock64() - begun < 3000 + (sum == 12345.0f)) ;
    const int before = clock();
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(target) : "memory");
    sum += v;
    out[blockIdx.x] = clock() + (__float_as_int(sum) == 0x7fffffff) - before;
}
"""


def main() -> None:
    again = cp.RawModule(code=CODE, options=("-std=c++17",)).get_function("again")
    size = 128 << BITS
    whole = cp.cuda.alloc(2 * size)
    memory = whole + (-whole.ptr % size)
    rng = np.random.default_rng(3)
    targets = rng.integers(0, 1 << BITS, size=TARGETS).astype(np.int32)

    def late(lists: list[Any]) -> Any:
        """Whether each target comes late after its list, a target to an SM."""
        starts = np.cumsum([0, *(len(x) for x in lists[:-1])]).astype(np.int32)
        out = cp.zeros(TARGETS, cp.int32)
        counts = np.array([len(x) for x in lists], np.int32)
        given = (cp.asarray(x) for x in (np.concatenate(lists).astype(np.int32), starts, counts, targets))
        again((TARGETS,), (32,), (memory, *given, out))
        return out.get() > LATE

    kept: list[Any] = [rng.integers(0, 1 << BITS, size=POOL) for _ in range(TARGETS)]
    for _ in range(ROUNDS):
        parts = [np.array_split(rng.permutation(x), WAYS + 1) if len(x) > WAYS else [] for x in kept]
        done = np.array([not p for p in parts])
        for left_out in range(WAYS + 1):
            tried = [np.concatenate([x for n, x in enumerate(p) if n != left_out]) if p and not found else mine
                     for p, found, mine in zip(parts, done, kept, strict=True)]
            still = late(tried) & late(tried) & ~done
            kept = [new if better else old for new, old, better in zip(tried, kept, still, strict=True)]
            done |= still
    found = [[int(t), [int(n) for n in x]] for t, x in zip(targets, kept, strict=True) if len(x) == WAYS]
    json.dump({"command": " ".join(["python3", *sys.argv]), "bits": BITS, "evicted_by": found}, sys.stdout)


if __name__ == "__main__":
    main()
