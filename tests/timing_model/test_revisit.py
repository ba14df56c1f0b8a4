"""How far apart blocks are that come to the same sectors: told by a run of them and some far before."""

from __future__ import annotations

import numpy as np
import pytest

from mutate.sim.timing.revisit import Firsts, before, far_before, firsts, lines_bytes, sought

BLOCK, RUN = 100_000, 64


def touched(blocks: list[int], apart: int, often: int) -> Firsts:
    """Each block has a sector with ``often`` others that are ``apart`` from each other."""
    numbers = np.array(blocks)
    sectors = numbers // (apart * often) * apart + numbers % apart
    return firsts(sectors, np.arange(len(numbers)), np.arange(len(numbers)), numbers)


def found(apart: int, often: int, nearest: float, farthest: float) -> float:
    run, far = list(range(BLOCK - RUN, BLOCK)), far_before(BLOCK, 16_500.0, RUN)
    return before(touched(run, apart, often), touched(far, apart, often), RUN, nearest, farthest)


def test_each_distance_is_that_of_one_block_of_the_run_and_one_before() -> None:
    far = far_before(BLOCK, 16_500.0, RUN)
    apart = sorted(r - f for f in far for r in range(BLOCK - RUN, BLOCK))
    assert apart == list(range(RUN, RUN + len(apart))) and 3_800 < apart[-1] < 4_200
    assert far_before(100, 33_000.0, RUN) == [] and far_before(BLOCK, 1e7, RUN) == []


@pytest.mark.parametrize("apart", [200, 256, 300, 411])
def test_far_blocks_tell_how_many_come_before(apart: int) -> None:
    """A sector of eight blocks in turn: before the fourth of them come three, whose distances are one to three."""
    turn = BLOCK // apart % 8
    assert found(apart, 8, RUN, 8 * apart) == pytest.approx(turn, abs=1.0)
    assert found(apart, 8, RUN, apart - 1) == 0.0
    assert found(apart, 8, RUN, 1.5 * apart) == pytest.approx(min(1, turn), abs=1.0)


def test_blocks_that_share_nothing_come_never() -> None:
    assert found(BLOCK, 1, 0, BLOCK) == 0.0


def test_touches_of_blocks_that_ran_before_are_not_theirs() -> None:
    mine = firsts(np.array([7, 8, 7, 9]), np.arange(4), np.array([2]), np.array([5]))
    assert mine.sectors.tolist() == [7, 9] and mine.blocks.tolist() == [5, 5]


def test_only_what_the_grid_comes_back_to_is_asked_for() -> None:
    """Sectors that each block has alone, of an array that the grid goes through eight times, and once."""
    tally = np.zeros((3, 2, 4), np.int64)
    tally[0, 1, :2] = tally[1, 1, :2] = 1000
    tally[2, 1, :2] = 1000, 100  # all have them
    asked = sought(tally, np.array([10_000.0, 100_000.0, 10_000.0]), 10, 800)
    assert asked.tolist() == [[False, True], [False, False], [False, False]]


def test_l2_holds_lines() -> None:
    assert lines_bytes(np.array([0, 1, 2, 3, 4, 40])) == 3 * 128
