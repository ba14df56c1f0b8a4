"""Blocks that play the streams of a sampled one again: what they share with it in L1, and which block is played."""

from __future__ import annotations

from pathlib import Path

import pytest
from timed_kernels import compiled

from mutate.machines import load_machine
from mutate.sim.timing.model import SimulatedTime, predict

# A block reads `rows` of the table's 64 rows of 4 KB, four times: others read the same rows, but not on this SM.
ROWS = ("int n = 64 * 1024; dim3 grid = {{ 528 }}; dim3 block = {{ 256 }}; float out[528] = zeros(); "
        "float in[n] = uniform(0, 1); k(out, in, {rows});")
READS = ("k(float *out, const float *in, int rows) {{ float s = 0; for (int r = 0; r < rows; r++) for (int i = "
         "threadIdx.x; i < 1024; i += 256) s += in[(blockIdx.x * 7 + r) % 64 * 1024 + i]; if (s == 1) "
         "out[blockIdx.x] = s; }}")
# Block k goes around k + 1 times.
RISING = ("dim3 grid = { 64 }; dim3 block = { 256 }; float out[64 * 256] = zeros(); k(out, 40);",
          "k(float *out, int n) { float x = threadIdx.x; for (int i = 0; i < n * (blockIdx.x + 1); i++) x = x * 0.9f + "
          "1; out[blockIdx.x * 256 + threadIdx.x] = x; }")


def hits(folder: Path, rows: int) -> float:
    """The part of sectors that L1 has, where one block was sampled of the four that an SM plays."""
    found: SimulatedTime = predict(*compiled(folder, ROWS.format(rows=rows), READS.format()), load_machine("h200"),
                                   recorded=1)
    assert len(found.sampled) == 1
    return found.traffic["l1_hits"] / found.traffic["l1_sectors"]


def test_a_block_finds_nothing_in_l1_that_a_copy_of_it_has_read(tmp_path: Path) -> None:
    assert hits(tmp_path, 8) < 0.01


def test_what_every_block_reads_is_read_once(tmp_path: Path) -> None:
    assert hits(tmp_path, 48) == pytest.approx(0.75, abs=0.01)


def test_of_blocks_that_run_at_once_the_longest_is_played(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, *RISING)
    machine = load_machine("h200")
    whole, longest = predict(kernel, launch, machine), predict(kernel, launch, machine, sm=63)
    assert whole.sampled == (63,)
    assert whole.time_ms == pytest.approx(longest.time_ms, rel=0.01)
