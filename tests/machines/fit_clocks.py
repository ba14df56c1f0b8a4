"""What slows the SMs' clock by how much: the loads of a machine file (``clock.load_*``) from clocks and rates by ncu.

    python tests/machines/fit_clocks.py [h200]

By the smallest squares of (load ** exponent, in percent, times a factor of the run) against what the clock is below
``clock.boost``; cards differ, so each run has a factor, whose mean is 1. Launches of less than 40 us are left out, of
which the beginning and the end are too much.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.machines import load_machine

sys.path.insert(0, str(Path(__file__).parents[1]))
from launch_rows import launch_rows

UNITS = {"fma": 1.0, "alu": 2.0, "fp64": 2.0, "l1": 1.0, "l2": 1.0, "dram_read": 1.0, "dram_write": 1.0}
"""Columns, and clocks that the unit is busy with one."""
_LEAST_US, _STEPS = 40.0, 60
Array = npt.NDArray[Any]


def rows_of(machine: str) -> list[dict[str, str]]:
    return [row for *_, row in launch_rows(f"{machine}_clocks_mhz") if float(row["us"]) >= _LEAST_US]


def given(rows: list[dict[str, str]], boost: float) -> tuple[Array, Array, Array]:
    """What ``fit`` is given: busy parts and TB/s of each launch, percent of the clock that it loses, and its run."""
    return (np.array([[clocks * float(r[name]) for name, clocks in UNITS.items()] for r in rows]),
            np.array([100.0 * (1.0 - float(r["mhz"]) / boost) for r in rows]),
            np.array([int(r["run"]) - 1 for r in rows]))


def fit(loads: Array, drops: Array, runs: Array, exponent: float) -> tuple[Array, Array]:
    """Loads of a unit each, and factors of the runs, by steps of Gauss and Newton."""
    count = loads.shape[1]
    at = np.append(np.full(count, 0.3), np.ones(runs.max() + 1))
    for _ in range(_STEPS):
        total = np.maximum(loads @ at[:count], 1e-9)
        slope = np.zeros((len(drops), len(at)))
        slope[:, :count] = (at[count:][runs] * exponent * total ** (exponent - 1.0))[:, None] * loads
        slope[np.arange(len(drops)), count + runs] = total**exponent
        wrong = np.append(drops - at[count:][runs] * total**exponent, 100.0 * (1.0 - at[count:].mean()))
        slope = np.vstack([slope, np.append(np.zeros(count), np.full(runs.max() + 1, 100.0 / (runs.max() + 1)))])
        at = np.maximum(0.0, at + 0.5 * np.linalg.lstsq(slope, wrong, rcond=None)[0])
    return at[:count], at[count:]


def main() -> None:
    machine = sys.argv[1] if len(sys.argv) > 1 else "h200"
    rows, boost = rows_of(machine), load_machine(machine).number("clock.boost")
    loads, drops, runs = given(rows, boost)
    for exponent in (2.0, 2.5, 3.0, 3.5, 4.0):
        found, factors = fit(loads, drops, runs, exponent)
        off = (loads @ found) ** exponent
        print(exponent, " ".join(f"{name} {value:.3f}" for name, value in zip(UNITS, found, strict=True)),
              f"off by {np.sqrt(((factors[runs] * off - drops) ** 2).mean()):.2f} %, without the runs' factors",
              f"{np.sqrt(((off - drops) ** 2).mean()):.2f};", "runs", " ".join(f"{f:.2f}" for f in factors))


if __name__ == "__main__":
    main()
