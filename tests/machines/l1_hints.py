"""What loads and stores with a hint leave in L1: sequences by one warp, as in l1_policy.py, and how long each took.

    python3 tests/machines/l1_hints.py > tests/machines/reference/h100_l1_hints.json     on a GPU with CuPy

Each hint has sequences of its own, of one set: plain loads, and accesses with the hint. What is kept is whether a load
came late, with a hint or without; of stores it says nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from l1_policy import BITS, LATE, in_a_set, packed, unpacked

TRACES = 24
STEPS = 1500
PLAIN, HINTED = 0, 1
HINTS = {
    "ld": "ld.global.s32 %0, [%1];",
    "ldca": "ld.global.ca.s32 %0, [%1];",
    "ld_read_only": "ld.global.nc.s32 %0, [%1];",
    "ldcs": "ld.global.cs.s32 %0, [%1];",
    "ldlu": "ld.global.lu.s32 %0, [%1];",
    "ldcg": "ld.global.cg.s32 %0, [%1];",
    "ldcv": "ld.global.cv.s32 %0, [%1];",
    "ld_volatile": "ld.volatile.global.s32 %0, [%1];",
    "ld_relaxed": "ld.relaxed.gpu.global.s32 %0, [%1];",
    "ld_no_allocate": "ld.global.nc.L1::no_allocate.s32 %0, [%1];",
    "ld_evict_first": "ld.global.L1::evict_first.s32 %0, [%1];",
    "ld_evict_last": "ld.global.L1::evict_last.s32 %0, [%1];",
    "ld_evict_unchanged": "ld.global.L1::evict_unchanged.s32 %0, [%1];",
    "st": "st.global.s32 [%1], %0;",
    "stcs": "st.global.cs.s32 [%1], %0;",
    "stcg": "st.global.cg.s32 [%1], %0;",
    "stwt": "st.global.wt.s32 [%1], %0;",
    "st_volatile": "st.volatile.global.s32 [%1], %0;",
    "st_no_allocate": "st.global.L1::no_allocate.s32 [%1], %0;",
    "st_evict_first": "st.global.L1::evict_first.s32 [%1], %0;",
    "st_evict_last": "st.global.L1::evict_last.s32 [%1], %0;",
}
CODE = r"""
extern "C" __global__ void play(int *a, const long long *places, const int *ops, int steps, unsigned short *out)
{
    places += (size_t)blockIdx.x * steps;
    ops += (size_t)blockIdx.x * steps;
    out += (size_t)blockIdx.x * steps;
    for (int s = 0; s < steps; s++) {
        long long place;
        int op, v = 0, before, after;
        asm volatile("ld.global.cg.s64 %0, [%1];" : "=l"(place) : "l"(places + s) : "memory");
        asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(op) : "l"(ops + s) : "memory");
        int *p = a + place;
        if (op < 0 || place < 0) asm volatile("trap;");
        __syncwarp();
        asm volatile("mov.u32 %0, %%clock;" : "=r"(before) :: "memory");
        if (op == 0) {
            if (threadIdx.x == 0) asm volatile("ld.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
        } else {
            if (threadIdx.x == 0) asm volatile(ACCESS : "memory");
        }
        asm volatile("{ .reg .pred p; setp.eq.s32 p, %1, 0x7ffffff1; @p trap; mov.u32 %0, %%clock; }"
                     : "=r"(after) : "r"(v) : "memory");
        if (op != 0) {
            const unsigned begun = clock();
            while ((unsigned)clock() - begun < 2000u) ;
        }
        __syncwarp();
        if (threadIdx.x == 0) out[s] = min(after - before, 65535);
    }
}
"""
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sequences:
    """``TRACES`` sequences with one hint: ``ops`` and ``places`` (in words) of (traces, steps)."""

    hint: str
    ops: Integers
    places: Integers


def sequences() -> Iterator[Sequences]:
    """Half of them touch two sectors of a line."""
    for number, hint in enumerate(HINTS):
        rng = np.random.default_rng(100 + number)
        ops, places = np.zeros((2, TRACES, STEPS), np.int64)
        for trace in range(TRACES):
            lines = in_a_set(rng, 5 + trace % 4)
            ops[trace] = rng.random(STEPS) < 0.3
            places[trace] = 32 * lines[rng.integers(len(lines), size=STEPS)]
            if trace >= TRACES // 2:
                places[trace] += 8 * rng.integers(2, size=STEPS)
        yield Sequences(hint, ops, places)


def answers(path: Path) -> dict[str, npt.NDArray[np.bool_]]:
    """By hint whether each step came late, (traces, steps)."""
    return {name: unpacked(bits, TRACES, STEPS) for name, bits in json.loads(path.read_text())["late"].items()}


def main() -> None:
    import cupy as cp

    size = 128 << BITS
    whole = cp.cuda.alloc(2 * size)
    memory = whole + (-whole.ptr % size)
    properties = cp.cuda.runtime.getDeviceProperties(0)
    late = {}
    for s in sequences():
        access = HINTS[s.hint]
        operands = f'"{access}" : "=r"(v) : "l"(p)' if s.hint.startswith("ld") else f'"{access}" :: "r"(v), "l"(p)'
        play = cp.RawModule(code=CODE.replace("ACCESS", operands), options=("-std=c++17",)).get_function("play")
        out = cp.zeros((TRACES, STEPS), cp.uint16)
        play((TRACES,), (32,), (memory, cp.asarray(s.places), cp.asarray(s.ops.astype(np.int32)), np.int32(STEPS), out))
        late[s.hint] = packed(out.get() > LATE)
    json.dump({"gpu": properties["name"].decode(), "command": "python3 tests/machines/l1_hints.py", "late": late},
              sys.stdout)


if __name__ == "__main__":
    main()
