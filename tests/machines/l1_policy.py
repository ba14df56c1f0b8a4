"""What L1 gives up when a set, or its room, is full: sequences of loads and others by one warp, and how long each took.

    python3 tests/machines/l1_policy.py > tests/machines/reference/h200_l1_policy.json     on a GPU with CuPy

Every sequence starts with an empty L1, one warp and an SM to itself, and the next access waits for the one before, so
that the answers say which lines were there; of ``AT_ONCE`` and of what is no load they say nothing.
``mutate/sim/timing/sets.py`` has which lines share a set.
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[2]))
from mutate.sim.timing.sets import SETS, set_of

BITS = 28
"""Lines are numbered from an address that is a multiple of 2**28 lines: a sum of bits of a number is the address's."""
TRACES = 120
LATE = 120
"""Clocks, with those that the measurement takes: what L1 has comes within 110, what L2 has after 250."""
LOAD, AROUND, STORE, ADD, OLD_VALUE, AT_ONCE = range(6)
"""Accesses: ld.ca, ld.cg, st, red.add, atom.add of the lanes that have a place; ld.ca of up to eight places by lane 0,

which do not wait for each other.
"""
CODE = r"""
extern "C" __global__ void play(int *a, const long long *places, const int *ops, int steps, unsigned short *out)
{
    places += (size_t)blockIdx.x * steps * 32 + threadIdx.x;
    ops += (size_t)blockIdx.x * steps;
    out += (size_t)blockIdx.x * steps;
    for (int s = 0; s < steps; s++) {
        long long place;
        int op, v = 0, before, after;
        asm volatile("ld.global.cg.s64 %0, [%1];" : "=l"(place) : "l"(places + (size_t)s * 32) : "memory");
        asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(op) : "l"(ops + s) : "memory");
        int *p = a + place;
        const bool on = place >= 0;
        if (op < 0) asm volatile("trap;");
        long long each[8];
        for (int k = 0; k < 8; k++) each[k] = __shfl_sync(~0u, place, k);
        __syncwarp();
        asm volatile("mov.u32 %0, %%clock;" : "=r"(before) :: "memory");
        if (op == 0) {
            if (on) asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
        } else if (op == 1) {
            if (on) asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
        } else if (op == 2) {
            if (on) asm volatile("st.global.s32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
        } else if (op == 3) {
            if (on) asm volatile("red.global.add.s32 [%0], 0;" :: "l"(p) : "memory");
        } else if (op == 4) {
            if (on) asm volatile("atom.global.add.s32 %0, [%1], 0;" : "=r"(v) : "l"(p) : "memory");
        } else if (threadIdx.x == 0) {
            int w[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
            for (int k = 0; k < 8; k++)
                if (each[k] >= 0)
                    asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(w[k]) : "l"(a + each[k]) : "memory");
#pragma unroll
            for (int k = 0; k < 8; k++) v |= w[k];
        }
        asm volatile("{ .reg .pred p; setp.eq.s32 p, %1, 0x7ffffff1; @p trap; mov.u32 %0, %%clock; }"
                     : "=r"(after) : "r"(v) : "memory");
        if (op != 0) {
            const int begun = clock();
            while (clock() - begun < 2000) ;
        }
        __syncwarp();
        if (threadIdx.x == 0) out[s] = min(after - before, 65535);
    }
}
"""
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Sequences:
    """``TRACES`` sequences of a kind: ``ops`` of (traces, steps), ``places`` of (traces, steps, 32) in words, or -1."""

    name: str
    ops: Integers
    places: Integers


def in_a_set(rng: np.random.Generator, count: int) -> Integers:
    """Different lines of one set."""
    lines = np.unique(rng.integers(0, 1 << BITS, size=SETS * (count + 12)))
    found = np.array([set_of(np.uint64(line)) for line in lines])
    return rng.permutation(lines[found == rng.integers(SETS)])[:count]


def _one(places: Integers) -> Integers:
    """Places of lane 0 alone: (steps) to (steps, 32)."""
    out = np.full((len(places), 32), -1, np.int64)
    out[:, 0] = places
    return out


def _sequence(rng: np.random.Generator, name: str, trace: int) -> tuple[Integers, Integers]:
    steps = 1500
    ops = np.zeros(steps, np.int64)
    if name == "one_set":
        lines = in_a_set(rng, 5 + trace % 4)
        return ops, _one(32 * lines[rng.integers(len(lines), size=steps)])
    if name == "in_turn":
        lines = in_a_set(rng, 5 + trace % 4)
        return ops, _one(32 * lines[np.arange(steps) % len(lines)])
    if name == "sectors":
        lines = in_a_set(rng, 4 + trace % 3)
        return ops, _one(32 * lines[rng.integers(len(lines), size=steps)] + 8 * rng.integers(4, size=steps))
    lines = in_a_set(rng, 5 + trace % 4)
    places = _one(32 * lines[rng.integers(len(lines), size=steps)])
    if name == "ops":
        ops = np.where(rng.random(steps) < 0.6, LOAD, rng.integers(1, 5, size=steps))
        places[:, 0] += 8 * rng.integers(2, size=steps)
    elif name == "lanes":
        # Every other access is of two to four lines at once.
        for s in range(0, steps, 2):
            some = rng.permutation(lines)[:2 + rng.integers(3)]
            places[s] = 32 * some[rng.integers(len(some), size=32)] + np.arange(32)
    elif name == "at_once":
        # Loads that do not wait for each other: two to eight, and then one that shows what they left.
        for s in range(0, steps, 2):
            ops[s] = AT_ONCE
            count = 2 + rng.integers(7)
            places[s, :count] = 32 * lines[rng.integers(len(lines), size=count)]
    return ops, places


KINDS = ("one_set", "in_turn", "sectors", "ops", "lanes", "at_once")


def sequences() -> Iterator[Sequences]:
    for number, name in enumerate(KINDS):
        rng = np.random.default_rng(number)
        each = [_sequence(rng, name, trace) for trace in range(TRACES)]
        yield Sequences(name, np.array([ops for ops, _ in each]), np.array([places for _, places in each]))


def packed(late: npt.NDArray[np.bool_]) -> str:
    return base64.b85encode(zlib.compress(np.packbits(late).tobytes(), 9)).decode()


def unpacked(bits: str, traces: int, steps: int) -> npt.NDArray[np.bool_]:
    """What ``packed`` was given, (traces, steps)."""
    found = np.unpackbits(np.frombuffer(zlib.decompress(base64.b85decode(bits)), np.uint8))
    return found[:traces * steps].reshape(traces, steps).astype(bool)


def answers(path: Path) -> dict[str, npt.NDArray[np.bool_]]:
    """By kind whether each step came late, (traces, steps)."""
    kept = json.loads(path.read_text())["late"]
    return {name: unpacked(x["bits"], x["traces"], x["steps"]) for name, x in kept.items()}


def main() -> None:
    import cupy as cp

    play = cp.RawModule(code=CODE, options=("-std=c++17",)).get_function("play")
    size = 128 << BITS
    whole = cp.cuda.alloc(2 * size)
    memory = whole + (-whole.ptr % size)
    late = {}
    for s in sequences():
        steps = s.ops.shape[1]
        out = cp.zeros((TRACES, steps), cp.uint16)
        play((TRACES,), (32,), (memory, cp.asarray(s.places), cp.asarray(s.ops.astype(np.int32)), np.int32(steps), out))
        late[s.name] = {"traces": TRACES, "steps": steps, "bits": packed(out.get() > LATE)}
    json.dump({"command": "python3 tests/machines/l1_policy.py", "late": late}, sys.stdout)


if __name__ == "__main__":
    main()
