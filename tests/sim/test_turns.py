"""All blocks at once, by turns: what they compute, what they meet, and that who listens hears what each has done."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mutate.launch.model import Launch
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sass.disasm import Instruction
from mutate.sim.image import Image, read_image
from mutate.sim.run import Simulation
from mutate.sim.space import Initial
from mutate.sim.timing.sampling import Keeper
from mutate.sim.turns import run_by_turns
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
MACHINES = Path(__file__).parents[1] / "machines"
ENOUGH = 20_000_000
SUMS = """
/* kmutate launch
   int n = 40032; dim3 block = { 96 }; dim3 grid = { (n + 95) / 96 };
   unsigned bins[37] = zeros(); unsigned value[n] = permutation(); unsigned last[512] = zeros();
   sums(bins, value, last, n);
*/
__global__ void sums(unsigned *bins, const unsigned *value, unsigned *last, int n)
{
    __shared__ unsigned mine[37], turned[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    if (threadIdx.x < 37) mine[threadIdx.x] = 0;
    turned[threadIdx.x] = i < n ? value[i] : 0;
    __syncthreads();
    unsigned v = turned[95 - threadIdx.x];
    if (i < n) atomicAdd(&mine[v % 37], v);
    __syncthreads();
    if (threadIdx.x < 37) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
    if (threadIdx.x == 64) last[blockIdx.x] = blockIdx.x + turned[3];
}
"""
MEETING = """
/* kmutate launch
   dim3 block = { 64 }; dim3 grid = { 24 }; int arrived[1] = zeros(); int out[24] = zeros(); int given[24] = zeros();
   meeting(arrived, given, out);
*/
// All blocks wait for all, then read what the next one has given.
__global__ void meeting(int *arrived, volatile int *given, int *out)
{
    if (threadIdx.x == 0) {
        given[blockIdx.x] = 100 + blockIdx.x;
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile int *)arrived < gridDim.x) { }
        out[blockIdx.x] = given[(blockIdx.x + 1) % gridDim.x];
    }
}
"""


@cache
def compiled(path: Path, name: str = "") -> tuple[Image, tuple[Instruction, ...], tuple[Launch, ...]]:
    made = [m for m in compile_originals(Request(path=path, arch="sm_90"))
            if name in ("", m.target.name)]
    return read_image(made[0].original.cubin, made[0].original.entry), made[0].original.listing, made[0].target.launches


def started(source: str, folder: Path) -> Simulation:
    path = folder / "k.cu"
    path.write_text(source)
    image, listing, launches = compiled(path)
    return Simulation(image, listing, launches[0], counted=False)


def array(simulation: Simulation, name: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    (region,) = [r for r in simulation.initial.regions if r.name == name]
    return simulation.memory.read(region).view(np.uint32)


@pytest.mark.parametrize("resident", [2, 7, 417])
def test_sums_are_what_they_are_one_block_after_another(resident: int, tmp_path: Path) -> None:
    alone, turns = started(SUMS, tmp_path), started(SUMS, tmp_path)
    alone.run(range(417))
    played = run_by_turns(turns, resident, (), ENOUGH)
    assert played is not None
    for name in ("bins", "last"):
        assert (array(turns, name) == array(alone, name)).all()
    assert array(turns, "bins").sum() == 40032 * 40031 // 2
    assert (played.spent > 0).all()


def test_the_first_blocks_run_without_the_others(tmp_path: Path) -> None:
    alone, turns = started(SUMS, tmp_path), started(SUMS, tmp_path)
    alone.run(range(50))
    played = run_by_turns(turns, 50, (), ENOUGH, range(50))
    assert played is not None
    assert (array(turns, "bins") == array(alone, "bins")).all()
    assert played.spent.shape == (50, 3)


def test_of_some_blocks_those_between_do_nothing(tmp_path: Path) -> None:
    alone, turns = started(SUMS, tmp_path), started(SUMS, tmp_path)
    alone.run(range(1, 417, 4))
    played = run_by_turns(turns, 50, (5,), ENOUGH, range(1, 417, 4))
    assert played is not None
    assert (array(turns, "bins") == array(alone, "bins")).all()
    ran = np.flatnonzero(played.spent.any(axis=1))
    assert ran.tolist() == list(range(1, 417, 4))
    assert list(played.tapes) == [5]


def test_fewer_run_at_once_where_there_is_no_room_for_more(tmp_path: Path) -> None:
    assert run_by_turns(started(MEETING, tmp_path), 24, (), 200_000, room=1) is None


def test_blocks_that_wait_for_each_other_go_on_where_all_are_resident(tmp_path: Path) -> None:
    simulation = started(MEETING, tmp_path)
    assert run_by_turns(simulation, 24, (), ENOUGH) is not None
    assert array(simulation, "out").tolist() == [100 + (b + 1) % 24 for b in range(24)]


def test_blocks_that_wait_for_one_that_never_begins_are_given_up(tmp_path: Path) -> None:
    assert run_by_turns(started(MEETING, tmp_path), 23, (), 200_000) is None


def test_a_tape_tells_what_the_block_did(tmp_path: Path) -> None:
    """A block of which nobody else's work depends: its stream is the one that it has alone."""
    blocks = (3, 200, 416)
    turns = started(SUMS, tmp_path)
    initial = Initial(turns.launch, turns.image.globals_bytes, turns.image.pointers)
    bases = np.array([r.base >> 5 for r in initial.regions], np.int64)
    first, second = Keeper(3, bases, 1 << 20), Keeper(3, bases, 1 << 20)
    played = run_by_turns(turns, 60, blocks, ENOUGH)
    assert played is not None
    for block in blocks:
        played.tapes[block].tell(first, turns.counters)
    alone = Simulation(turns.image, turns.program.listing, turns.launch, initial=initial, watchers=(second,),
                       recorder=second, counted=False)
    alone.run(blocks)
    told, expected = first.streams(blocks), second.streams(blocks)
    for name in ("pc", "on", "cost", "starts", "cut"):
        assert (getattr(told, name) == getattr(expected, name)).all(), name
    assert sorted(told.sectors) == sorted(expected.sectors)
    assert played.spent[list(blocks)].sum() == len(expected.pc)


@cache
def counted() -> dict[tuple[str, int], int]:
    lines = (MACHINES / "reference" / "h100_meets_counted.csv").read_text().splitlines()
    return {(f"{r['kernel']}<{r['instance']}>" if r["instance"] else r["kernel"], int(r["launch"])):
            int(r["instructions"]) for r in csv.DictReader(line for line in lines if not line.startswith("#"))}


@pytest.mark.parametrize(("kernel", "launch", "resident", "within"), [
    ("unions<0>", 0, 8, 0.08), ("unions<1>", 1, 8, 0.04), ("unions<1>", 5, 8, 0.03), ("unions<1>", 3, 8, 0.2),
    ("pushes", 0, 32, 0.05), ("pushes", 1, 32, 0.2)])
def test_instructions_are_those_that_ncu_counted(kernel: str, launch: int, resident: int, within: float) -> None:
    """Of blocks whose trees others change, and whose swaps fail where others were faster."""
    image, listing, launches = compiled(MACHINES / "meets.cu", kernel)
    played = run_by_turns(Simulation(image, listing, launches[launch]), 132 * resident, (), ENOUGH)
    assert played is not None
    assert played.spent.sum() == pytest.approx(counted()[kernel, launch], rel=within)
