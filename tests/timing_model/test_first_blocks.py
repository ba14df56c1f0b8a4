"""Which SMs the first blocks of a grid go to, beside what an H100 told (%smid of blocks that work equally long)."""

from __future__ import annotations

from collections import Counter

import pytest

from mutate.sim.timing.placing import first_sms

SMS = 132
# Blocks of the grid, how many of them were given out, and how many SMs had how many of those then.
SEEN = ((264, 132, {1: 116, 2: 8}), (300, 264, {2: 132}), (396, 264, {1: 8, 2: 116, 3: 8}),
        (528, 396, {2: 8, 3: 116, 4: 8}), (660, 396, {2: 16, 3: 108, 5: 8}), (660, 528, {3: 8, 4: 116, 5: 8}),
        (1056, 660, {4: 16, 5: 108, 7: 8}), (1056, 924, {6: 8, 7: 116, 8: 8}))


@pytest.mark.parametrize(("blocks", "given", "expected"), SEEN)
def test_some_sms_get_their_blocks_sooner(blocks: int, given: int, expected: dict[int, int]) -> None:
    assert Counter(Counter(first_sms(blocks, SMS, 8)[:given].tolist()).values()) == expected


@pytest.mark.parametrize("blocks", [1, 132, 140, 200, 660, 5000])
def test_none_has_more_than_one_more_than_others(blocks: int) -> None:
    given = first_sms(blocks, SMS, 4)
    assert len(given) == min(blocks, 4 * SMS)
    each = Counter(given.tolist())
    assert max(each.values()) - (min(each.values()) if blocks >= SMS else 0) <= 1


def test_a_lone_sm_gets_all() -> None:
    assert first_sms(10, 1, 4).tolist() == [0, 0, 0, 0]
