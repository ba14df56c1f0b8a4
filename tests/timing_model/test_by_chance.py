"""Of how many places blocks draw, told from those that a few of them have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mutate.sim.timing.by_chance import drawn_from

BLOCKS, EACH = 24, 1500


def streams(blocks: list[npt.NDArray[np.int64]]) -> Any:
    """As recorded ones: a block is a request for all that it draws, each for the first time."""
    ends = np.cumsum([len(b) for b in blocks])
    requests = np.zeros((len(blocks), 7), np.int64)
    requests[:, 5] = [len(b) for b in blocks]
    requests[:, 4] = ends - requests[:, 5]
    sectors = np.concatenate(blocks)
    return SimpleNamespace(starts=[(k, k + 1) for k in range(len(blocks))], request=np.arange(len(blocks)),
                           requests=requests, sectors=sectors, touch=np.ones(len(sectors), np.uint8),
                           region=np.zeros(len(sectors), np.int32))


def draws(places: int, wanted_by_all: int, blocks: int = BLOCKS) -> list[npt.NDArray[np.int64]]:
    rng = np.random.default_rng(places)
    out = []
    for _ in range(blocks):
        mine = rng.integers(0, places, EACH)
        # The first places of an index: half of the blocks come to each.
        index = places + np.flatnonzero(rng.random(wanted_by_all) < 0.5)
        out.append(np.unique(np.concatenate((mine, index))))
    return out


@pytest.mark.parametrize("places", [30_000, 100_000, 300_000])
def test_places_that_all_draw_alike_are_all_drawn(places: int) -> None:
    found = drawn_from(streams(draws(places, 0)), 0, 1, 0)
    assert found.part == 1.0
    assert found.places == pytest.approx(places, rel=0.12)


@pytest.mark.parametrize("places", [30_000, 100_000, 300_000])
def test_places_that_most_blocks_come_to_say_nothing_of_the_others(places: int) -> None:
    found = drawn_from(streams(draws(places, 1000)), 0, 1, 0)
    assert found.part == pytest.approx(EACH / (EACH + 500), rel=0.06)
    assert found.places == pytest.approx(places, rel=0.2)


def test_where_no_place_is_drawn_twice_nothing_is_known() -> None:
    apart = [np.arange(EACH, dtype=np.int64) + k * EACH for k in range(BLOCKS)]
    assert drawn_from(streams(apart), 0, 1, 0).places == 1 << 60
