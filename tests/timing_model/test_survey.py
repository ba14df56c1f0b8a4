"""Which blocks a survey runs: from all over the grid, along each of its axes and in each part of it."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from mutate.sim.timing.survey import all_over


@pytest.mark.parametrize("grid", [(3000, 1, 1), (1, 3000, 1), (64, 64, 1), (16, 400, 1), (400, 1, 16), (24, 24, 24)])
def test_blocks_of_a_survey_are_spread_evenly_along_each_axis(grid: tuple[int, int, int]) -> None:
    blocks = np.array(list(islice(all_over(grid), 256)))
    assert blocks.min() >= 0 and blocks.max() < np.prod(grid)
    places = blocks % grid[0], blocks // grid[0] % grid[1], blocks // (grid[0] * grid[1])
    for axis, size in zip(places, grid, strict=True):
        if size > 1:
            eighths = np.bincount(axis * 8 // size, minlength=8)
            assert eighths.min() >= 24 and eighths.max() <= 40  # of 32


@pytest.mark.parametrize("grid", [(64, 64, 1), (16, 400, 1), (400, 1, 16)])
def test_blocks_of_a_survey_are_in_each_part_of_a_grid_of_two_axes(grid: tuple[int, int, int]) -> None:
    blocks = np.array(list(islice(all_over(grid), 256)))
    one, other = blocks % grid[0], blocks // grid[0]
    parts = np.bincount(one * 4 // grid[0] * 4 + other * 4 // (grid[1] * grid[2]), minlength=16)
    assert parts.min() >= 10 and parts.max() <= 22  # of 16


def test_a_survey_of_few_blocks_is_no_longer_than_the_grid() -> None:
    assert len(list(all_over((5, 3, 1)))) == 15
