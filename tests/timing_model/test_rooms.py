"""What is stored takes room in L2 by lines, and DRAM writes what there is no room for."""

from __future__ import annotations

import numpy as np
import pytest
from test_patterns import kept, played

from mutate.sim.timing.passing import LONE, READ, STORED, empty_passing, pass_through
from mutate.sim.timing.settings import BUSY, N_DRAM_WRITE, S_HELD, S_PART, S_STORED, S_WRITE_CLOCKS, SETTINGS


def written(room: float, what: int, sectors: int, stored: int) -> tuple[float, float]:
    """Sectors that DRAM writes of as many that pass, and its clocks."""
    s, busy, servers = np.zeros(SETTINGS), np.zeros(BUSY), np.zeros(10)
    s[S_HELD], s[S_STORED], s[S_PART], s[S_WRITE_CLOCKS] = 4 * stored, stored, 3.0, 1.0
    passing = empty_passing(4 * stored)
    for _ in range(sectors):
        pass_through(passing, what, room, 0.0, servers, s, busy)
    return float(busy[N_DRAM_WRITE]), float(servers[2])


@pytest.mark.parametrize(("room", "stay"), [(1.0, 400), (2.0, 200), (4.0, 100), (1.6, 250)])
def test_as_many_lines_stay_however_much_of_each_was_stored(room: float, stay: int) -> None:
    assert written(room, STORED, 1000, 400)[0] == pytest.approx(1000 - stay, abs=2)


def test_lone_sectors_cost_dram_more_and_reads_nothing() -> None:
    assert written(4.0, LONE, 1000, 400)[1] == pytest.approx(3.0 * written(4.0, STORED, 1000, 400)[1])
    assert written(1.0, READ, 3000, 400) == (0.0, 0.0)


@pytest.mark.parametrize(("launch", "within"), [(3, 0.12), (4, 0.15), (0, 0.15), (11, 0.25)])
def test_dram_writes_what_ncu_counted_of_runs_in_planes(launch: int, within: float) -> None:
    """Runs of 8 (whole sectors) and 16 pixels, and of 4 and 2, parts of sectors."""
    found = played("runs_in_planes", launch, "h100")
    share = found.blocks_per_sm / found.grid_blocks
    assert found.traffic["dram_write_sectors"] / share == pytest.approx(
        float(kept("h100_planes_sectors")["runs_in_planes", launch]["dram_write"]), rel=within)
