"""A block's longest warp goes on alone in the end: that is played, not reckoned from when all were there."""

from __future__ import annotations

from pathlib import Path

import pytest
from timed_kernels import compiled

from mutate.machines import load_machine
from mutate.sim.timing.model import predict

LOPSIDED = ("float y[16896] = zeros(); dim3 grid = { 132 }; dim3 block = { 128 }; k(y, 300, 3000);",
            "k(float *y, int least, int most) { float a = threadIdx.x; int n = threadIdx.x < 32 ? most : least;\n"
            "#pragma unroll 1\nfor (int i = 0; i < n; i++) a = a * 0.5f + 1; y[blockIdx.x * 128 + threadIdx.x] = a; }")


def test_the_longest_warp_is_played_to_its_end(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, *LOPSIDED)
    whole = predict(kernel, launch, load_machine("h200"))
    part = predict(kernel, launch, load_machine("h200"), played=int(0.5 * whole.instructions))
    few = predict(kernel, launch, load_machine("h200"), played=int(0.1 * whole.instructions))
    assert whole.complete and part.complete
    assert part.cycles == pytest.approx(whole.cycles)
    assert not few.complete


ALIKE = ("float y[1 << 20] = zeros(); dim3 grid = { 792 }; dim3 block = { 128 }; k(y, 4000);",
         "k(float *y, int n) { float a = threadIdx.x, b = 1.0f;\n#pragma unroll 1\nfor (int i = 0; i < n; i++) {"
         " a = a * 0.5f + b; b = b * a + 1.0f; a = rsqrtf(a); } y[blockIdx.x * 128 + threadIdx.x] = a + b; }")


def test_of_blocks_that_run_at_once_and_are_too_long_the_end_is_seen_in_shorter_ones(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, *ALIKE)
    whole = predict(kernel, launch, load_machine("h200"), played=4_000_000)
    short = predict(kernel, launch, load_machine("h200"), played=30_000)
    assert whole.complete and whole.blocks_per_sm == 6
    assert not short.complete and short.played < 0.2 * short.instructions
    assert short.instructions == pytest.approx(whole.instructions, rel=0.01)
    assert short.cycles == pytest.approx(whole.cycles, rel=0.03)
    assert short.warps == pytest.approx(whole.warps, rel=0.05)
    # The oldest block goes first: on average fewer warps are there than began.
    assert whole.warps < 0.95 * 24
