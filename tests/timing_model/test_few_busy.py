"""Grids of which few blocks have much to do, and stores that loads wait for, by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from mutate.sim.timing.lines import holds_up
from mutate.sim.timing.uneven import Turn, Work, busy_part, longer_by

SMS, WAVES, GRID = 132, 8, (7200, 1, 1)
HEAVY, LIGHT, FEW = 200_000, 128, 14
"""As a loop over elements that is launched with as many blocks as there are elements: the first ones do all."""
WORKS = [Work(b, HEAVY if b < FEW else LIGHT, 0) for b in (0, 3, 6, 9, 12, 13, 14, 16, *range(20, 7200, 60))]
MINE = (0, *range(140, 7200, 132))


def test_a_grid_takes_no_less_than_its_longest_block() -> None:
    works = [float(HEAVY)] + [float(LIGHT)] * (len(MINE) - 1)
    turn = Turn(works, 4, 100_000.0, 2.0, 0.1)
    assert longer_by(WORKS, turn, GRID, SMS, WAVES) == pytest.approx(1.0)
    # Where the longest is another SM's, and how fast it goes is not known, the mean is all there is.
    light = Turn([float(LIGHT)] * len(MINE), 4, 10_000.0, 2.0, 0.1)
    assert longer_by(WORKS, light, GRID, SMS, WAVES) == pytest.approx((FEW * HEAVY / 7200 + LIGHT) / LIGHT, rel=0.15)


def test_blocks_that_are_alike_take_their_turn() -> None:
    works = [Work(b, 1000, 100) for b in range(0, 7200, 100)]
    turn = Turn([1000.0] * len(MINE), 4, 100_000.0, 2.0, 0.1)
    assert longer_by(works, turn, GRID, SMS, WAVES) == pytest.approx(1.0)


@pytest.mark.parametrize("gives", [1.0, 1.5, 2.0])
def test_sms_with_more_to_do_use_what_others_leave_of_memory(gives: float) -> None:
    """Four blocks an SM, half of the SMs have twice as much to do; with more memory one is so many times as fast."""
    works = [Work(b, 2000 if b % SMS < SMS // 2 else 1000, 0) for b in range(4 * SMS)]
    grid, mine = (4 * SMS, 1, 1), [2000.0] * 4
    took = longer_by(works, Turn(mine, 4, 8000.0, 0.5, 1.0, freer=8000.0 / gives), grid, SMS, WAVES)
    even = longer_by(works, Turn(mine, 4, 8000.0, 0.5, 1.0), grid, SMS, WAVES)
    # Until the shorter ones are done all share memory; then the rest has all that it can use.
    assert took / even == pytest.approx((1.0 + 1.0 / gives) / 2.0, rel=0.05)


def test_few_sms_that_have_something_to_do_share_memory_among_themselves() -> None:
    works = [*WORKS, *(Work(b, LIGHT, 0) for b in MINE if b and b not in {w.block for w in WORKS})]
    all_of_them, mine = FEW * HEAVY + (7200 - FEW) * LIGHT, HEAVY + (len(MINE) - 1) * LIGHT
    assert busy_part(works, MINE, len(MINE), GRID, SMS) == pytest.approx(all_of_them / mine / SMS, rel=0.05)


@pytest.mark.parametrize("light", [LIGHT, HEAVY // 2, HEAVY])
def test_the_part_is_all_unless_clearly_few_are_busy(light: int) -> None:
    works = [Work(b, light, 0) for b in (0, *range(140, 7200, 132))]
    assert busy_part(works, MINE, len(MINE), GRID, SMS) == 1.0


@pytest.mark.parametrize(("pitch", "lanes", "held"), [(1152, 32, True), (1056, 32, True), (1024, 32, False),
                                                      (1, 32, False), (1152, 8, False)])
def test_loads_wait_for_stores_of_many_lines(pitch: int, lanes: int, held: bool) -> None:
    """Rows of so many words, a lane each; of 1024 all four parts of the tags have eight lines."""
    sectors = np.unique(np.arange(lanes, dtype=np.int64) * pitch * 4 >> 5)
    assert holds_up(sectors, 0, len(sectors)) is held
