"""What a simulated time costs: in proportion to the work, and no more memory than for what is played."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from mutate.launch.model import Launch
from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim import layout as lay
from mutate.sim.image import read_image
from mutate.sim.timing import model
from mutate.sim.timing.model import Kernel, SimulatedTime, predict
from mutate.sim.timing.touches import (
    ALONE,
    MADE_WHOLE,
    PAIRED,
    PAIRS,
    PARTS,
    READS,
    SECTORS,
    SHARED,
    WHOLE_STORE,
    WRITES,
    Touches,
)
from mutate.toolchain.locate import find_toolchain

H200 = load_machine("h200")
needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
ALL = 10**9
GROWING = """/* kmutate launch int blocks = 1; int trips = 16; int n = 132 * 256 * blocks; dim3 grid = { 132 * blocks };
   dim3 block = { 256 }; float out[n] = zeros(); float in[n + 4096] = uniform(0, 1); grow(out, in, trips); */
__global__ void grow(float *out, const float *in, int trips) {
    __shared__ float s[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
#pragma unroll 1
    for (int k = 0; k < trips; k++) {
        s[threadIdx.x] = in[i + 32 * k % 4096];
        __syncthreads();
        x = x * 0.5f + s[255 - threadIdx.x];
        __syncthreads();
    }
    out[i] = x;
}
"""
# One warp of four has arithmetic alone and is far ahead of those that wait for memory.
UNEVEN = """/* kmutate launch int n = 1 << 22; dim3 grid = { 132 }; dim3 block = { 128 };
   float out[132 * 128] = zeros(); int in[n] = zeros(); uneven(out, in, 6000); */
__global__ void uneven(float *out, const int *in, int trips) {
    float x = threadIdx.x;
    int p = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < trips; k++) {
        if (threadIdx.x < 32) x = x * 0.5f + 1.0f;
        else p = in[(p + k * 7919) & ((1 << 22) - 1)] + p;
    }
    out[blockIdx.x * 128 + threadIdx.x] = x + p;
}
"""


def compiled(folder: Path, text: str, **settings: int) -> tuple[Kernel, Launch]:
    path = folder / "k.cu"
    path.write_text(text)
    (found,) = compile_originals(Request(path=path, arch="sm_90",
                                    settings={k: str(v) for k, v in settings.items()}))
    binary = found.original
    return Kernel(read_image(binary.cubin, binary.entry), binary.listing), found.target.launches[0]


def cost(kernel: Kernel, launch: Launch) -> tuple[SimulatedTime, float]:
    """The time with everything played, and the processor's seconds: the least of three."""
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        result = predict(kernel, launch, H200, recorded=ALL, played=ALL)
        least = min(least, time.process_time() - start)
    return result, least


@needs_nvrtc
@pytest.mark.parametrize(("what", "steps"), [("blocks", (40, 400)), ("trips", (700, 7000))])
def test_ten_times_the_work_costs_about_ten_times_as_much(tmp_path: Path, what: str, steps: tuple[int, int]) -> None:
    """A cost that grows with the square would be a hundred times as much; noise is not that loud."""
    few, many = (cost(*compiled(tmp_path, GROWING, **{what: n})) for n in steps)
    assert few[0].complete
    assert many[0].complete
    assert many[0].played == pytest.approx(10 * few[0].played, rel=0.02)
    assert many[1] < 25 * few[1]


def fingerprint(t: SimulatedTime) -> tuple[object, ...]:
    return t.cycles, t.played, t.instructions, dict(t.traffic), dict(t.utilisation), t.by_instruction.tobytes()


@needs_nvrtc
def test_what_is_not_played_of_a_long_block_takes_no_memory(tmp_path: Path) -> None:
    def peak(trips: int) -> tuple[SimulatedTime, int]:
        kernel, launch = compiled(tmp_path, GROWING, trips=trips)
        tracemalloc.start()
        try:
            return predict(kernel, launch, H200, played=50_000), tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    short, long = peak(3_000), peak(30_000)
    assert long[0].instructions == pytest.approx(10 * short[0].instructions, rel=0.02)
    assert long[0].cycles == pytest.approx(10 * short[0].cycles, rel=0.2)
    assert long[1] < 1.1 * short[1]


@needs_nvrtc
def test_a_block_that_is_not_kept_whole_has_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, launch = compiled(tmp_path, GROWING, trips=3_000)
    cut = predict(kernel, launch, H200, played=50_000)
    monkeypatch.setattr(model, "_LEAST", ALL)
    whole = predict(kernel, launch, H200, played=50_000)
    assert cut.played < 0.2 * cut.instructions
    assert fingerprint(cut) == fingerprint(whole)


@needs_nvrtc
def test_a_warp_that_runs_ahead_of_what_was_kept_ends_the_play(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, UNEVEN)
    cut, whole = predict(kernel, launch, H200, played=60_000), predict(kernel, launch, H200, played=ALL)
    assert whole.complete
    assert cut.played < 60_000
    assert cut.instructions == whole.instructions
    assert cut.by_instruction.sum() == cut.warp_clocks
    # The slow warps alone are left in the end, so the estimate from the beginning is too low, but of the kind.
    assert 0.1 * whole.cycles < cut.cycles < 2 * whole.cycles


def test_touches_are_those_that_sets_give() -> None:
    rng = np.random.default_rng(5)
    bases = np.array([1000, 1 << 14, 1 << 20], np.int64)
    touches = Touches(bases)
    seen: dict[tuple[int, int, int], set[int]] = {}
    parts = 0
    for block in range(1, 9):
        own: set[tuple[int, int]] = set()
        written: dict[int, int] = {}
        kinds = rng.choice([lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE, lay.H_GLOBAL_ATOMIC, lay.H_SHARED_LOAD], 200)
        counts = np.where(kinds == lay.H_SHARED_LOAD, 0, rng.integers(1, 33, 200))
        requests = np.zeros((200, 7), np.int64)
        requests[:, 2], requests[:, 5] = kinds, counts
        requests[:, 4] = np.cumsum(counts) - counts
        sectors = np.concatenate([rng.integers(1000, 9000, counts.sum() // 2),
                                  rng.integers(1 << 20, 1 << 21, counts.sum() - counts.sum() // 2)])
        touch, region = np.empty(len(sectors), np.uint8), np.empty(len(sectors), np.int32)
        covers = rng.choice(np.array([0xFF, 0xFFFFFF00, 0xFFFFFFFF], np.uint32), len(sectors))
        touches.note(requests, 200, sectors, block, covers, touch, region)
        at = 0
        for kind, count in zip(kinds, counts, strict=True):
            which = READS if kind == lay.H_GLOBAL_LOAD else WRITES
            for k in range(at, at + count):
                sector = int(sectors[k])
                first = (which, sector) not in own and (which == WRITES or (WRITES, sector) not in own)
                assert touch[k] & 3 == (1 + which if first else 0)
                assert region[k] == (2 if sector >= 1 << 20 else 0)
                if which == WRITES:
                    written[sector] = written.get(sector, 0xFFFFFFFF * ((READS, sector) in own)) | int(covers[k])
                    assert bool(touch[k] & WHOLE_STORE) == (covers[k] == 0xFFFFFFFF)
                    assert bool(touch[k] & MADE_WHOLE) == (written[sector] == 0xFFFFFFFF)
                own.add((which, sector))
                seen.setdefault((int(region[k]), which, sector), set()).add(block)
            at += count
        parts += sum(w != 0xFFFFFFFF for w in written.values())
    assert touches.tally[:, WRITES, PARTS].sum() == parts > 100
    for array in range(4):
        for which in (READS, WRITES):
            blocks = [len(b) for (a, w, _), b in seen.items() if (a, w) == (array, which)]
            tally = touches.tally[array, which]
            assert (tally[PAIRS], tally[SECTORS], tally[ALONE]) == (sum(blocks), len(blocks), blocks.count(1))


def test_what_several_blocks_read_and_both_halves_of_64_bytes_are_marked() -> None:
    touches = Touches(np.array([0], np.int64))
    read = {1: [8, 9, 20, 31], 2: [9, 21, 40]}
    sectors, touch = np.concatenate(list(read.values())).astype(np.int64), np.zeros(7, np.uint8)
    at = 0
    for block, own in read.items():
        requests = np.zeros((1, 7), np.int64)
        requests[0, 2], requests[0, 5] = lay.H_GLOBAL_LOAD, len(own)
        touches.note(requests, 1, sectors[at : at + len(own)], block, np.zeros(len(own), np.uint32),
                     touch[at : at + len(own)], np.zeros(len(own), np.int32))
        at += len(own)
    touches.mark(sectors, touch)
    assert (touch & SHARED > 0).tolist() == [False, True, False, False, True, False, False]
    assert (touch & PAIRED > 0).tolist()[2:4] == [False, False]  # 20 and 21 are read by different blocks
    assert (touch & 3 == 1).all()


def test_without_a_cache_every_touch_is_a_first_one() -> None:
    touches = Touches(np.array([0], np.int64), cached=False)
    requests = np.zeros((2, 7), np.int64)
    requests[:, 2], requests[:, 4], requests[:, 5] = (lay.H_GLOBAL_LOAD, lay.H_GLOBAL_STORE), (0, 3), 3
    touch, region = np.empty(6, np.uint8), np.empty(6, np.int32)
    touches.note(requests, 2, np.array([7, 7, 8, 7, 8, 8]), 1, np.zeros(6, np.uint32), touch, region)
    assert touch.tolist() == [1, 1, 1, 2, 2, 2]
