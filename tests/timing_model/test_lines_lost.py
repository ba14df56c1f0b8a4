"""Which lines L1 loses by stores right behind each other: those of stored_rows.cu against the steps of looking up."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from launch_rows import launch_rows

from mutate.sim.timing.lines import lookups
from mutate.sim.timing.rewritten import GONE, TOGETHER

TEXT = (Path(__file__).parents[1] / "machines/stored_rows.cu").read_text()
LAUNCHES = [tuple(map(int, found)) for found in re.findall(
    r"stored_rows\(a, out, 0\.5f, (\d+), (\d+), (\d+), (\d+), (-?\d+), (\d+)\);", TEXT)]
WARPS, EVERY_LANE, STORES = 132, -1, 2
SECTORS = [{name: int(row[name]) for name in ("l2_read", "l2_write")}
           for _, _, _, row in sorted(launch_rows("h200_stored_rows_sectors"), key=lambda each: each[2])]


def steps(pitch: int, lanes: int) -> np.ndarray:
    """Steps in which L1 looks up a store of so many lanes, a word each, rows of ``pitch`` words apart, of each warp."""
    words = (np.arange(lanes) + 32 * np.arange(WARPS)[:, None]) * pitch
    return np.array([lookups(np.unique(row >> 3).astype(np.int64), 0, len(np.unique(row >> 3))) for row in words])


def in_one_place(pitch: int, lanes: int) -> tuple[int, dict[str, int]]:
    """The turns, and what ncu counted, of the launch whose lanes stay in their place."""
    return next((turns, counted) for (p, ahead, turns, some, *rest), counted in zip(LAUNCHES, SECTORS, strict=True)
                if (p, ahead, some, *rest) == (pitch, 0, lanes, EVERY_LANE, 0))


@pytest.mark.parametrize("pitch", sorted({launch[0] for launch in LAUNCHES}))
def test_as_many_lines_are_lost_as_the_steps_between_say(pitch: int) -> None:
    turns, counted = in_one_place(pitch, 32)
    lost = (counted["l2_read"] / (WARPS * 32) - 1) / (turns - 1)
    behind = steps(pitch, 32) - TOGETHER - 1
    told = np.where(behind < len(GONE), GONE[np.minimum(behind, len(GONE) - 1)], 0.0).mean()
    assert told == pytest.approx(lost, abs=0.11)


@pytest.mark.parametrize(("pitch", "lanes"), [(p, n) for p in (32, 480, 512, 1000) for n in (8, 16, 20, 24, 28, 31)])
def test_stores_of_more_than_seven_steps_go_alone(pitch: int, lanes: int) -> None:
    turns, counted = in_one_place(pitch, lanes)
    alone = STORES * counted["l2_write"] / (WARPS * lanes * turns * STORES) - 1
    assert (steps(pitch, lanes) > TOGETHER).mean() == pytest.approx(alone, abs=0.1)
