"""Blocks whose work depends on what other blocks write are all run, by turns, as far as a grid is small enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing import one_place, sampling
from mutate.sim.timing.model import Kernel, predict, sample_of
from mutate.sim.timing.sampling import Sample
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

INSERT = """
/* kmutate launch
   int n = %d; dim3 block = { 128 }; dim3 grid = { n / 128 };
   unsigned table[n + n / 4] = zeros(); unsigned key[n] = permutation();
   insert(table, key, n + n / 4);
*/
__global__ void insert(unsigned *table, const unsigned *key, unsigned places)
{
    unsigned k = key[blockIdx.x * 128 + threadIdx.x] + 1, at = (k * 2654435769u >> 8) %% places;
    while (atomicCAS(&table[at], 0, k)) at = (at + 1) %% places;
}
"""
LEAST = """
/* kmutate launch
   int n = 1 << 20; dim3 block = { 128 }; dim3 grid = { n / 128 };
   unsigned least[64] = fill(4294967295u); unsigned value[n] = permutation();
   minima(least, value);
*/
__global__ void minima(unsigned *least, const unsigned *value)
{
    unsigned v = value[blockIdx.x * 128 + threadIdx.x];
    if (v < least[v % 64]) atomicMin(&least[v % 64], v);
}
"""
GREATEST = """
/* kmutate launch
   dim3 block = { 256 }; float a[1 << 20] = uniform(0, 1); int most[1] = zeros();
   dim3 grid = { 264 };
   greatest(a, most);
   grid.x = 1 << 20;
   greatest(a, most);
*/
__global__ void greatest(const float *a, int *most)
{
    const int v = __float_as_int(a[(blockIdx.x * 256 + threadIdx.x) % (1 << 20)]);
    int old = *(volatile int *)most, before;
    while (old < v) {
        before = old;
        old = atomicCAS(most, before, v);
        if (old == before) break;
    }
}
"""
COUNT = """
/* kmutate launch
   int n = 1 << 17; dim3 block = { 128 }; dim3 grid = { n / 128 };
   unsigned bins[64] = zeros(); unsigned list[n] = zeros(); unsigned used[1] = zeros();
   unsigned value[n] = permutation();
   count(bins, list, used, value);
*/
__global__ void count(unsigned *bins, unsigned *list, unsigned *used, const unsigned *value)
{
    unsigned v = value[blockIdx.x * 128 + threadIdx.x];
    atomicAdd(&bins[v % 64], 1);
    if (v & 1) list[atomicAdd(used, 1)] = v;
}
"""


def sampled(source: str, folder: Path) -> Sample:
    path = folder / "k.cu"
    path.write_text(source)
    (made,) = compile_originals(Request(path=path, arch="sm_90"))
    kernel = Kernel(read_image(made.original.cubin, made.original.entry), made.original.listing)
    (launch,) = made.target.launches
    machine = load_machine("h200")
    sample = sample_of(kernel, launch, machine)
    assert predict(kernel, launch, machine, sample=sample).every == sample.every
    return sample


def test_a_table_that_fills_takes_later_blocks_longer(tmp_path: Path) -> None:
    sample = sampled(INSERT % (1 << 19), tmp_path)
    assert sample.every == 1
    works = np.array(sample.works)  # number, total, longest
    middle = works[:, 0] < sample.grid_blocks / 2
    assert works[~middle, 1].mean() > 1.3 * works[middle, 1].mean()
    assert set(sample.blocks) <= set(works[:, 0].tolist())


def test_minima_that_are_known_are_not_asked_for_again(tmp_path: Path) -> None:
    sample = sampled(LEAST, tmp_path)
    assert sample.every == 1
    first, last = min(sample.works), max(sample.works)  # by their numbers
    assert last.total < first.total


def test_a_grid_that_is_too_large_meets_the_data_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "TOGETHER", 1)
    assert sampled(INSERT % (1 << 19), tmp_path).every == 0


def test_of_a_grid_that_is_too_large_the_first_wave_asks_for_what_all_find(tmp_path: Path) -> None:
    """One greatest value of all: who is resident at first swaps it, nearly nobody of those that follow."""
    path = tmp_path / "k.cu"
    path.write_text(GREATEST)
    (made,) = compile_originals(Request(path=path, arch="sm_90"))
    kernel = Kernel(read_image(made.original.cubin, made.original.entry), made.original.listing)
    contested = [one_place.contested(sample_of(kernel, launch, load_machine("h200")), kernel.listing) / 1980
                 for launch in made.target.launches]
    # 264 blocks are one wave, and run as a whole: what they do is in their streams.
    assert contested[0] == 0.0
    assert contested[1] == pytest.approx(132 * 2048 * 0.73e-3, rel=0.1)


def test_counting_depends_on_nobody(tmp_path: Path) -> None:
    """Nobody waits for sums that nobody reads, and where a list goes on changes no work."""
    assert sampled(COUNT, tmp_path).every is None


def test_some_blocks_of_a_larger_grid_fill_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They take longer than the first ones, and less long than where all are run; that not all were is said."""
    whole = sampled(INSERT % (1 << 19), tmp_path)
    assert whole.every == 1
    monkeypatch.setattr(sampling, "TOGETHER", whole.grid_blocks * min(whole.works).total // 3)  # the first block's
    some = sampled(INSERT % (1 << 19), tmp_path)
    assert some.every in (2, 3, 4)

    def late(sample: Sample) -> float:
        return float(np.mean([w.total for w in sample.works if w.block > 0.8 * sample.grid_blocks]))

    assert 1.05 * min(whole.works).total < late(some) < late(whole)
