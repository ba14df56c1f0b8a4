"""Which blocks an SM has: as an H100 gave them out (tests/machines/places.cu), and where it matters."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing import model
from mutate.sim.timing.placing import blocks_of_sm, sm_of
from mutate.sim.timing.sampling import Sample
from mutate.toolchain.locate import find_toolchain

PLACES = Path(__file__).parents[1] / "machines" / "reference" / "h100_places.csv"
SMS = 132


def given(what: str, threads: int) -> tuple[int, list[list[int]]]:
    """How many blocks run at once, and the blocks of each SM in order."""
    lines = [line for line in PLACES.read_text().splitlines() if not line.startswith("#")]
    rows = [r for r in csv.DictReader(lines) if r["what"] == what and r["threads"] == str(threads)]
    return int(rows[0]["room"]), [[int(b) for b in r["blocks"].split()] for r in rows]


def of_one_column(mine: Iterable[Iterable[int]], columns: int) -> float:
    """The part of the pairs of an SM's blocks that are of the same column."""
    pairs = [a % columns == b % columns for blocks in mine for a, b in combinations(blocks, 2)]
    return sum(pairs) / len(pairs)


@pytest.mark.parametrize(("what", "threads"), [("spinning", 256), ("spinning", 128), ("tiles", 128), ("spinning", 32)])
@pytest.mark.parametrize("columns", [4, 8, 16, 32])
def test_blocks_that_run_at_once_are_of_as_many_columns_as_on_the_gpu(what: str, threads: int, columns: int) -> None:
    room, theirs = given(what, threads)
    mine = [blocks_of_sm(room * SMS, SMS, room, sm, room) for sm in range(SMS)]
    there = of_one_column((blocks[:room] for blocks in theirs), columns)
    assert of_one_column(mine, columns) == pytest.approx(there, abs=0.07)


@pytest.mark.parametrize("columns", [4, 8, 16])
def test_those_that_come_later_are_any(columns: int) -> None:
    room, theirs = given("tiles", 128)
    assert of_one_column((blocks[room:2 * room] for blocks in theirs), columns) == pytest.approx(1 / columns, abs=0.02)
    mine = [blocks_of_sm(4 * room * SMS, SMS, 4 * room, sm, room)[room:] for sm in range(SMS)]
    assert of_one_column(mine, columns) == pytest.approx(1 / columns, abs=0.05)


@pytest.mark.parametrize(("total", "at_once"), [(132, 4), (264, 2), (2112, 16), (5000, 8), (1000, 0), (4097, 32)])
def test_each_block_is_one_sm_s(total: int, at_once: int) -> None:
    mine = [blocks_of_sm(total, SMS, total, sm, at_once) for sm in range(SMS)]
    assert sorted(b for blocks in mine for b in blocks) == list(range(total))
    full = total // SMS * SMS
    assert all(sm_of(b, SMS, at_once) == sm for sm, blocks in enumerate(mine) for b in blocks if b < full)


TILES = """
__global__ void tiles(const float *a, const float *b, float *c, int n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[(blockIdx.y * 16 + threadIdx.x / 32) * n + k] * b[k * 2048 + blockIdx.x * 128 + threadIdx.x];
    c[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}
__global__ void copies(const float *a, const float *b, float *c, int n) {
    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x;
    c[i] = a[i] + b[threadIdx.x];
}
__global__ void adding(const float *a, const float *b, float *c, int n) {
    for (int k = 0; k < n; k++)
        atomicAdd(c + threadIdx.x, a[blockIdx.y * n + k] * b[k * 2048 + blockIdx.x * 128 + threadIdx.x]);
}
"""


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
@pytest.mark.parametrize(("name", "at_once"), [("tiles", True), ("copies", False), ("adding", False)])
def test_whose_blocks_are_played_matters_where_columns_have_something_of_their_own(name: str, at_once: bool,
                                                                                  tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    arrays = " ".join(f"float {array}[1 << 22] = zeros();" for array in "abc")
    path.write_text(f"/* kmutate launch\n dim3 grid = {{ 16, 128 }}; dim3 block = {{ 128 }}; {arrays}\n"
                    f"{name}(a, b, c, 32);\n*/\n" + TILES)
    (found,) = compile_originals(Request(path=path, arch="sm_90", kernels=(name,)))
    kernel = model.Kernel(read_image(found.original.cubin, found.original.entry), found.original.listing)
    sample: Sample = model.sample_of(kernel, found.target.launches[0], load_machine("h100"))
    steps = np.diff(sample.blocks)
    # An SM's blocks are 124 to 148 from each other; any are less alike.
    assert bool((abs(steps[1:-1] - SMS) <= 16).all()) == at_once, sample.blocks
