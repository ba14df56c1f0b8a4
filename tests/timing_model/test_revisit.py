"""How far apart blocks are that come to the same sectors: told by some that are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from mutate.sim.timing.revisit import TRAIL, Firsts, before, drawn, firsts, lines_bytes, sought


def touched(apart: int, often: int) -> Firsts:
    """Of drawn blocks, each of which has a sector with ``often`` others that are ``apart`` from each other."""
    blocks = np.array(drawn(100_000, 33_000.0))
    sectors = blocks // (apart * often) * apart + blocks % apart
    return firsts(sectors, np.arange(len(blocks)), np.arange(len(blocks)), blocks)


def test_blocks_are_drawn_from_those_before() -> None:
    blocks = drawn(100_000, 33_000.0)
    assert len(set(blocks)) == TRAIL and blocks == sorted(blocks)
    assert blocks[0] >= 97_900 and blocks[-1] < 100_000
    assert drawn(100, 33_000.0) == [] and drawn(100_000, 1e7) == []


@pytest.mark.parametrize("apart", [200, 256, 300])
def test_drawn_blocks_tell_how_many_come_before(apart: int) -> None:
    """Of eight blocks in turn 3.5 come before one, on average; of the few drawn ones each pair counts for many."""
    found = before(touched(apart, 8), TRAIL, 64, 8 * apart)
    assert found == pytest.approx(3.5, rel=0.6)
    assert before(touched(apart, 8), TRAIL, 64, apart - 1) == 0.0


def test_blocks_that_share_nothing_come_never() -> None:
    assert before(touched(100_000, 1), TRAIL, 0, 100_000) == 0.0


def test_only_what_the_grid_comes_back_to_is_asked_for() -> None:
    """Sectors that each block has alone, of an array that the grid goes through eight times, and once."""
    tally = np.zeros((3, 2, 4), np.int64)
    tally[0, 1, :2] = tally[1, 1, :2] = 1000
    tally[2, 1, :2] = 1000, 100  # all have them
    asked = sought(tally, np.array([10_000.0, 100_000.0, 10_000.0]), 10, 800)
    assert asked.tolist() == [[False, True], [False, False], [False, False]]


def test_l2_holds_lines() -> None:
    assert lines_bytes(np.array([0, 1, 2, 3, 4, 40])) == 3 * 128
