"""Of blocks with many instructions the first ones tell what neighbours share, as all of them do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from timed_kernels import compiled

from mutate.machines import load_machine
from mutate.sim.timing.model import RECORDED, sample_of
from mutate.sim.timing.sampling import Sample

# A block's own part of one array, a third of its rows the next block's, too, and another array that all go through.
SHARING = ("float in[1 << 22] = zeros(); float table[1 << 16] = zeros(); float out[1 << 16] = zeros(); "
           "dim3 grid = { 264 }; dim3 block = { 128 }; k(out, in, table, %d);",
           "k(float *out, const float *in, const float *table, int steps) { float v = 0; "
           "const float *mine = in + blockIdx.x * 8192 + threadIdx.x;\n#pragma unroll 1\n"
           "for (int i = 0; i < steps; i++) { v += mine[(i % 96) * 128] + table[(i % 96) * 128 + threadIdx.x]; "
           "__syncthreads(); } out[blockIdx.x * 128 + threadIdx.x] = v; }")


def sampled(folder: Path, steps: int, recorded: int = RECORDED) -> Sample:
    folder.mkdir()
    kernel, launch = compiled(folder, SHARING[0] % steps, SHARING[1])
    return sample_of(kernel, launch, load_machine("h100"), recorded=recorded)


def test_they_are_run_in_part_and_say_the_same(tmp_path: Path) -> None:
    short, long = sampled(tmp_path / "short", 96), sampled(tmp_path / "long", 96, recorded=24_000)
    assert [n.whole for n in short.near] == [True]
    assert [n.whole for n in long.near] == [False]
    assert short.near[0].part[0] == pytest.approx(1 / 3, abs=0.01)
    # Of the first rows the neighbour has none yet.
    assert long.near[0].part[0] == 0.0
    assert short.near[0].part[1] == long.near[0].part[1] == pytest.approx(1.0)
    assert short.group is not None and long.group is not None
    # All four have the table.
    of_table = [np.divide(*s.group.touched[1, 0, :2]) for s in (short, long) if s.group]
    assert of_table == pytest.approx([4.0, 4.0])


def test_what_is_run_stays_little(tmp_path: Path) -> None:
    long = sampled(tmp_path / "long", 96, recorded=24_000)
    (near,) = long.near
    assert len(near.streams.pc) <= 24_000 // 8 < len(long.first.pc)
