"""Which blocks a survey runs: from all over the grid, along each of its axes and in each part of it."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from mutate.sim.timing.survey import all_over
from mutate.sim.timing.uneven import spread_over


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


def boxes(grid: tuple[int, int, int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of each block as many neighbours as a box of the grid has, itself included."""
    numbers = np.arange(np.prod(grid))
    places = numbers % grid[0], numbers // grid[0] % grid[1], numbers // (grid[0] * grid[1])
    return 1000.0 * np.prod([3.0 - (p == 0) - (p == n - 1) for p, n in zip(places, grid, strict=True)], axis=0)


@pytest.mark.parametrize("grid", [(8, 8, 8), (12, 16, 1), (5, 12, 6)])
def test_borders_that_a_block_touches_tell_its_work(grid: tuple[int, int, int]) -> None:
    works = boxes(grid)
    known = [(b, int(works[b])) for b in islice(all_over(grid), 64)]
    assert np.asarray(spread_over(known, grid)) == pytest.approx(works, rel=1e-3)


def test_a_border_that_no_known_block_touches_has_no_less_work() -> None:
    known = [(b, 1000 if b % 16 else 500) for b in range(0, 240, 3)]
    found = np.asarray(spread_over(known, (16, 16, 1))).reshape(16, 16)
    assert found[1:, 0] == pytest.approx(500) and found[:, 1:] == pytest.approx(1000)
