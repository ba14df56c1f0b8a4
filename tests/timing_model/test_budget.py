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
