"""Loops with a YIELD: each instruction is executed as often, and by as many lanes, as ncu counted on an H200."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim import layout as lay
from mutate.sim.image import read_image
from mutate.sim.run import Simulation

MACHINES = Path(__file__).parents[1] / "machines"
# What the GPU chooses among lanes that could all go on is not known in every case (several splits at once).
EXACT = {("through", 0), ("through", 1), ("through", 4), ("through", 5), ("inserts", 0), ("inserts", 1), ("inserts", 3),
         ("locked", 3)}
MOST_OFF = 0.16


Counted = dict[tuple[str, int], dict[int, tuple[str, int, int]]]


def counted(table: str) -> Counted:
    """Of each kernel and launch the instructions by their number: opcode, how often executed, by how many lanes."""
    lines = (MACHINES / "reference" / table).read_text().splitlines()
    out: Counted = defaultdict(dict)
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        key = row["kernel"], int(row["launch"])
        out[key][int(row["address"], 16) // 16] = row["opcode"], int(row["executed"]), int(row["lanes"])
    return out


@pytest.mark.parametrize("table", ["h200_yields.csv", "h200_yields_13_5.csv"])
def test_lanes_that_wait_go_on_at_a_yield(table: str) -> None:
    """Each compiler's code was counted for itself."""
    known, compared = counted(table), 0
    for found in compile_originals(Request(path=MACHINES / "yields.cu", arch="sm_90")):
        image, listing = read_image(found.original.cubin, found.original.entry), found.original.listing
        for number, launch in enumerate(found.target.launches):
            gpu = known[launch.kernel, number]
            if any(listing[k].opcode != opcode for k, (opcode, _, _) in gpu.items()):
                pytest.skip("another compiler's code than was counted")
            counts = Simulation(image, listing, launch).run((0,)).counts.per_instruction
            executed, lanes = counts[:, lay.EXECUTED], counts[:, lay.THREADS]
            compared += 1
            if (launch.kernel, number) in EXACT:
                assert {k: (int(executed[k]), int(lanes[k])) for k in np.flatnonzero(executed).tolist()} == {
                    k: (times, each) for k, (_, times, each) in gpu.items()}, (launch.kernel, number)
            whole = sum(times for _, times, _ in gpu.values())
            assert abs(int(executed.sum()) / whole - 1.0) <= MOST_OFF, (launch.kernel, number)
    assert compared == len(known)


def test_a_lock_that_each_lane_takes_is_given_back() -> None:
    """Who holds it waits for the others at a convergence barrier, and they spin: without YIELD none would go on."""
    for found in compile_originals(Request(path=MACHINES / "yields.cu", arch="sm_90")):
        if found.target.name == "locked":
            image = read_image(found.original.cubin, found.original.entry)
            outcome = Simulation(image, found.original.listing, found.target.launches[1]).run((0,))
            lock, = (r for r in outcome.memory.initial.regions if r.name == "lock")
            assert outcome.memory.read(lock).view(np.int32).tolist() == [0] * 64
            return
    pytest.fail("no such kernel")
