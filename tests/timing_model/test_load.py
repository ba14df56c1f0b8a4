"""An SM's clock under load: an H200's kept clocks (tests/machines/clocks.cu) against what the machine file says."""

from __future__ import annotations

from math import sqrt

import pytest
from launch_rows import launch_rows

from mutate.machines import Machine, load_machine
from mutate.sim.timing.load import drop_of, slower_by, stretch

H200 = load_machine("h200")
NOTHING = dict.fromkeys(("fma", "alu", "fp64", "l1"), 0.0)


def said(row: dict[str, str], machine: Machine = H200) -> float:
    """What the model says of rates that ncu counted."""
    units = {name: clocks * float(row[name]) for name, clocks in (("fma", 1), ("alu", 2), ("fp64", 2), ("l1", 1))}
    ms = float(row["us"]) / 1e3
    sectors = {name: float(row[column]) * ms * 1e9 / 32 for name, column in (
        ("l2_read_sectors", "l2"), ("dram_read_sectors", "dram_read"), ("dram_write_sectors", "dram_write"))}
    return drop_of(machine, units, sectors, ms)


def test_the_clock_is_where_it_was_on_the_gpu() -> None:
    off = [said(row) - (1.0 - float(row["mhz"]) / 1980.0) for *_, row in launch_rows("h200_clocks_mhz")
           if float(row["us"]) >= 40.0]
    assert len(off) > 150
    assert sqrt(sum(x * x for x in off) / len(off)) < 0.0075
    assert abs(sum(off) / len(off)) < 0.003


@pytest.mark.parametrize(("instance", "least", "most"), [
    ("0, 0, 0, 2, 0, 0, 0, 0, 0", 0.0, 0.002), ("0, 0, 0, 0, 0, 0, 0, 1, 0", 0.005, 0.03),
    ("8, 0, 0, 0, 6, 0, 0, 1, 0", 0.05, 0.09), ("0, 0, 8, 0, 0, 0, 1, 1, 0", 0.08, 0.12)])
def test_more_at_once_is_more_than_the_sum(instance: str, least: float, most: float) -> None:
    row = next(row for _, found, _, row in launch_rows("h200_clocks_mhz") if found == instance)
    assert least <= said(row) <= most


def test_nothing_is_slower_where_that_was_not_measured() -> None:
    busy = {**NOTHING, "fma": 1.0, "l1": 1.0}
    assert drop_of(load_machine("h100"), busy, {}, 1.0) == 0.0
    assert drop_of(H200, NOTHING, dict.fromkeys(("l2_read_sectors", "dram_read_sectors", "dram_write_sectors"), 0.0),
                   1.0) == 0.0


def test_what_memory_limits_takes_as_long_with_any_clock() -> None:
    assert stretch(0.1, 1.0) == 1.0
    assert stretch(0.1, 0.5) == pytest.approx(1.0 / 0.9)
    assert 1.0 < stretch(0.1, 0.85) < 1.0 / 0.9


def test_with_more_time_memory_moves_less_at_once() -> None:
    busy = {**NOTHING, "fma": 0.6}
    moved = {"l2_read_sectors": 1e8, "dram_read_sectors": 1e8, "dram_write_sectors": 0.0}
    once = stretch(drop_of(H200, busy, moved, 1.0), 0.7)
    assert 1.0 < slower_by(H200, busy, moved, 1.0, 0.7) < once
