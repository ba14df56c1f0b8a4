"""How many blocks it takes to touch so many different lines."""

from __future__ import annotations

import numpy as np
import pytest

from mutate.sim.timing.often import together


def test_lines_that_one_block_in_ten_touches_come_with_ten_blocks() -> None:
    # 2000 lines, of which a block touches 200: after n blocks 2000 (1 - exp(-n / 10)).
    assert together(np.full(2000, 0.1), 2000 * (1 - np.exp(-1.0))) == pytest.approx(10, rel=1e-3)


def test_lines_of_which_there_is_room_for_all_are_never_too_many() -> None:
    assert together(np.full(900, 0.5), 1000.0) == float("inf")


def test_hot_lines_take_their_room_once() -> None:
    cold, mixed = np.full(5000, 0.02), np.concatenate([np.full(100, 1.0), np.full(4900, 0.02)])
    assert together(mixed, 1000.0) < together(cold, 1000.0) < 1.2 * together(mixed, 1000.0)
