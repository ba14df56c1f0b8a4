"""Steps in which L1 looks up a load's lines, and wavefronts that bring what it has, against ncu's counts on an H200."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from mutate.sim.coalesce import unique_sectors
from mutate.sim.timing.lines import HITS, TAGS, line_in_whole, load_cost

REFERENCE = Path(__file__).parents[1] / "machines" / "reference" / "h200_lines.csv"
WIDTHS = {"unsigned": 4, "uint2": 8, "uint4": 16}


def chains() -> list[dict[str, str]]:
    lines = (line for line in REFERENCE.read_text().splitlines() if not line.startswith("#"))
    return [r for r in csv.DictReader(lines) if r["kernel"] == "line_chain"]


@pytest.mark.parametrize("row", chains(), ids=lambda r: f"{r['instance']}-{r['stride']}")
def test_lines_are_looked_up_and_read_as_on_the_gpu(row: dict[str, str]) -> None:
    width = WIDTHS[row["instance"]]
    where = np.uint64(0x7F4E20000000) + np.arange(32, dtype=np.uint64) * np.uint64(row["stride"])
    sectors, room = np.zeros(160, np.uint64), np.zeros(64, np.uint64)
    count = unique_sectors(where, 0xFFFFFFFF, width, 5, sectors)
    cost = load_cost(where, 0xFFFFFFFF, width, sectors, count, room)
    assert cost >> TAGS == round(float(row["lookups"]))
    assert cost >> HITS & 255 == round(float(row["wavefronts"]))
    assert cost & 255 >= cost >> HITS & 255


def test_a_line_is_there_in_whole_if_all_four_of_its_sectors_are() -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(300):
        sectors = np.unique(rng.integers(0, 24, rng.integers(1, 20))) + 4 * int(rng.integers(0, 1 << 30))
        first = int(rng.integers(0, len(sectors)))
        count = int(rng.integers(1, len(sectors) - first + 1))
        mine = set(sectors[first : first + count].tolist())
        for i in range(first, first + count):
            want = {int(sectors[i]) >> 2 << 2 | k for k in range(4)} <= mine
            assert line_in_whole(sectors, i, first, count) == want
            seen.add(want)
    assert seen == {False, True}
