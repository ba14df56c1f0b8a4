"""Where blocks go, which of them go on first, and what all SMs read at once, beside an H200's times."""

from __future__ import annotations

import csv
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from compilers import MEASURED, nvrtc_version

from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing.dispatch import Spread, Turn, last_turn
from mutate.sim.timing.model import Kernel, predict
from mutate.sim.timing.paces import Pace, clocks_of, pace_of
from mutate.sim.timing.uneven import spread_over
from mutate.toolchain.locate import find_toolchain

MACHINES = Path(__file__).parents[1] / "machines"
sys.path.insert(0, str(MACHINES))
import waves  # noqa: E402

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
# Kernel, threads, resident blocks, waves; the error of the model's time (none: too fast by half, simulated_times.md),
# and that of its most blocks of an SM.
JOBS = (("math", 256, 8, 1.3, 0.09, 0), ("math", 1024, 2, 2.6, 0.04, 0), ("sharedwork", 256, 4, 1.3, 0.06, 0),
        ("barriers", 256, 4, 1.3, 0.06, 1), ("mixed", 256, 8, 2.6, 0.1, 0), ("chase", 256, 4, 1.3, None, 0),
        ("uneven", 256, 4, 1.0, 0.1, 0), ("uneven", 1024, 2, 2.6, 0.1, 1))


@cache
def simulated() -> dict[waves.Job, tuple[float, int]]:
    return waves.simulate([waves.Job(*row[:4]) for row in JOBS])


@needs_nvrtc
@pytest.mark.parametrize(("kernel", "threads", "resident", "count", "within", "blocks"), JOBS)
def test_waves_take_what_they_took_on_the_gpu(kernel: str, threads: int, resident: int, count: float,
                                              within: float | None, blocks: int) -> None:
    job = waves.Job(kernel, threads, resident, count)
    us, most = simulated()[job]
    row = waves.measured(waves.MEASURED if nvrtc_version() == MEASURED else waves.ALSO_MEASURED)[job]
    assert within is None or us == pytest.approx(row["us"], rel=within)
    assert abs(most - row["most"]) <= blocks


# Barriers alone, with loads and stores between, with work of all warps and of the first: what waits issues what it has
# at hand, so work costs next to nothing where others are waited for.
MEETINGS = (("arrivals", 32, 1, 0.06), ("arrivals", 256, 1, 0.03), ("arrivals", 512, 2, 0.03),
            ("arrivals", 32, 16, 0.06), ("barriers", 32, 1, 0.05), ("barriers", 128, 4, 0.04),
            ("barriers", 1024, 1, 0.05), ("leaders", 32, 1, 0.04), ("leaders", 128, 1, 0.03), ("leaders", 256, 8, 0.04),
            ("rounds", 128, 1, 0.03), ("rounds", 256, 1, 0.04), ("rounds", 512, 1, 0.04), ("rounds", 1024, 1, 0.04))


@cache
def met() -> dict[waves.Job, tuple[float, int]]:
    return waves.simulate([waves.Job(*row[:3], 1.0) for row in MEETINGS])


@needs_nvrtc
@pytest.mark.parametrize(("kernel", "threads", "resident", "within"), MEETINGS)
def test_a_barrier_takes_what_it_took_on_the_gpu(kernel: str, threads: int, resident: int, within: float) -> None:
    job = waves.Job(kernel, threads, resident, 1.0)
    assert met()[job][0] == pytest.approx(waves.measured()[job]["us"], rel=within)


def test_sms_whose_blocks_end_together_take_as_many_new_ones_as_they_have_room_for() -> None:
    together, apart = np.array([100.0, 100, 100, 100, 180, 180]), np.array([40.0, 60, 80, 100, 130, 150])
    assert last_turn(together, 4, 132 * 6 - 106, 132, Spread(0.01)).blocks == 8
    assert last_turn(apart, 4, 132 * 6 - 106, 132, Spread(0.003)) == Turn(6, pytest.approx(0.8, abs=0.2),
                                                                           pytest.approx(1.0, abs=0.01))
    # One wave leaves nothing to give.
    assert last_turn(together[:4], 4, 132 * 4, 132, Spread(0.01)) == Turn(4, 1.0)


def test_the_longest_of_few_blocks_decides_and_the_mean_of_many() -> None:
    works = np.where(np.arange(132) == 7, 10.0, 1.0)
    assert clocks_of(works, 132, 4, Pace(1.0, 2.0)) == pytest.approx(10.0)
    many = np.tile([1.0, 3.0], 5000)
    assert clocks_of(many, 100, 4, Pace(1.0, 2.0)) == pytest.approx(20000 / 200, rel=0.05)
    # All of memory gives less than all SMs could use.
    assert clocks_of(many, 100, 4, Pace(1.0, 2.0), 50.0) == pytest.approx(20000 / 50, rel=0.05)


def test_the_ends_of_blocks_tell_whether_the_first_ones_are_favoured() -> None:
    works = np.full(11, 10.0)
    # Four at once, which go on alike: in waves.
    waves_ends = [20.0] * 4 + [40.0] * 4 + [55.0] * 3
    assert pace_of(works, 4, 1.0, 55.0, waves_ends).favour == 0.0
    assert clocks_of(works, 1, 4, pace_of(works, 4, 1.0, 55.0, waves_ends)) == pytest.approx(55.0, rel=0.01)
    # One after the other: the last ones leave nothing unused, and a few blocks more take as much longer as they are.
    favoured = pace_of(works, 4, 1.0, 58.0, [10.0, 17.0, 22.0, 26.0, 31.0, 36.0, 41.0, 46.0, 51.0, 55.0, 58.0])
    assert favoured.favour > 0.0
    assert clocks_of(np.full(12, 10.0), 1, 4, favoured) < 1.12 * clocks_of(works, 1, 4, favoured)


def test_work_that_a_place_along_an_axis_tells_is_known_of_all_blocks() -> None:
    grid = (8, 40, 1)
    known = [(b, 100 * (b % 8 + 1)) for b in (52, 98, 127, 174, 183, 249, 296)]
    found = spread_over(known, grid)
    assert found.reshape(40, 8).mean(axis=0) == pytest.approx([100, 200, 300, 400, 500, 600, 700, 800], abs=1)
    noise = [(b, w) for b, w in zip(range(0, 320, 32), (5, 900, 7, 800, 6, 950, 5, 990, 4, 870), strict=True)]
    assert set(spread_over(noise, grid)) == {float(w) for _, w in noise}


@needs_nvrtc
@pytest.mark.parametrize(("kernel", "launch", "within"), [("same_reads", 7, 0.12), ("far_reads", 6, 0.12),
                                                          ("far_reads", 15, 0.12), ("lookups", 6, 0.06)])
def test_blocks_that_read_the_same_at_once_wait_for_dram_together(kernel: str, launch: int, within: float) -> None:
    """far_reads 15 has the same reads as 6, each block from a place of its own on."""
    with (MACHINES / "reference" / "h200_together.csv").open(newline="") as file:
        rows = {(r["kernel"], int(r["launch"])): float(r["us"]) for r in csv.DictReader(x for x in file if x[0] != "#")}
    (made,) = compile_originals(Request(path=MACHINES / "together.cu", arch="sm_90",
                                   kernels=(kernel,)))
    code = Kernel(read_image(made.original.cubin, made.original.entry), made.original.listing)
    found = predict(code, made.target.launches[launch], load_machine("h200"))
    assert 1e3 * found.time_ms == pytest.approx(rows[kernel, launch], rel=within)
