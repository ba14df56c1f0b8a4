"""The sets of L1's tags, against lines that evict each other on an H200 and an H100 (tests/machines/l1_sets.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mutate.sim.timing import sets
from mutate.sim.timing.tags import WAYS

REFERENCE = Path(__file__).parents[1] / "machines" / "reference"
GPUS = pytest.mark.parametrize("gpu", ["h200", "h100"])
set_of: Any = sets.set_of


def measured(gpu: str) -> tuple[int, list[tuple[int, list[int]]]]:
    """Bits of a line's number, and lines with others of the same set."""
    kept = json.loads((REFERENCE / f"{gpu}_l1_sets.json").read_text())
    return kept["bits"], [(line, others) for line, others in kept["evicted_by"]]


def independent(numbers: list[int]) -> int:
    """How many are no sums of others, bits added without carry."""
    found: dict[int, int] = {}
    for n in numbers:
        while n and n.bit_length() in found:
            n ^= found[n.bit_length()]
        if n:
            found[n.bit_length()] = n
    return len(found)


@GPUS
def test_lines_that_evict_a_line_are_in_its_set(gpu: str) -> None:
    _, found = measured(gpu)
    assert len(found) >= 90
    for line, others in found:
        assert len(others) == WAYS
        assert {int(set_of(np.uint64(n))) for n in others} == {int(set_of(np.uint64(line)))}


@GPUS
def test_no_other_sums_of_bits_are_the_same_in_all_of_them(gpu: str) -> None:
    """As many as there are bits of a set: what is measured leaves no choice but which nine of their sums are taken."""
    bits, found = measured(gpu)
    differences = [line ^ n for line, others in found for n in others]
    assert bits - independent(differences) == len(sets.MASKS) == independent(list(sets.MASKS))
    assert 1 << len(sets.MASKS) == sets.SETS


def test_lines_a_power_of_two_apart_fill_all_sets() -> None:
    """As on the H200, where 1024 of them stay in L1, whatever the power (up to 2 to the 18th)."""
    for power in range(19):
        counts = np.bincount([int(set_of(np.uint64(k << power))) for k in range(1024)], minlength=sets.SETS)
        assert counts.max() <= WAYS
