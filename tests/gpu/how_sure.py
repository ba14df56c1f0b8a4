"""How often the likeliest limiter of simulated times was the GPU's, by the share of the draws that gave it.

    python tests/gpu/how_sure.py

Each held-out set as it first came out, with the errors that the sets before it had come to: what `kmutate analyze`
could know of itself on the day that the set was judged. The first four sets have too little before them.
"""

from __future__ import annotations

import bisect
import itertools
import json
from typing import Any

import heldout
import numpy as np
from timing_errors import EDGES

from mutate.limiter.model import Limiter
from mutate.limiter.rules import Ratios, decide, shares
from mutate.limiter.stats import ModelErrors, from_model
from mutate.limiter.verdict import LIKELY

FIRST_JUDGED = 4
STEPS = (0.0, LIKELY, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)
_HALVES = ("memory-only", "math-only")
_QUANTILES = 41


def errors_of(rows: list[dict[str, Any]]) -> ModelErrors:
    """As ``timing_errors.uncertainty`` keeps them."""
    full = [float(np.log(r["gpu"]["identity"] / r["sim"]["identity"])) for r in rows]
    groups: list[list[float]] = [[] for _ in range(len(EDGES) + 1)]
    for r in rows:
        for name in r["sim"].keys() - {"identity"}:
            part = r["sim"][name] / r["sim"]["identity"]
            there = r["gpu"][name] / r["gpu"]["identity"]
            groups[bisect.bisect_right(EDGES, part)].append(float(np.log(there / part)))
    grid = np.linspace(0, 1, _QUANTILES)
    return ModelErrors(np.quantile(full, grid).tolist(), EDGES, [np.quantile(g, grid).tolist() for g in groups])


def says(row: dict[str, Any], errors: ModelErrors) -> tuple[str, float]:
    """The likeliest limiter of a kernel, and the share of the draws that give it."""
    times = {name: row["sim"][name] for name in ("identity", *_HALVES)}
    medians = from_model(times, "identity", errors).medians
    drawn, full = Ratios(*(medians[name] / medians["identity"] for name in _HALVES)), times["identity"]
    limiter = decide(Ratios(*(times[name] / full for name in _HALVES))).limiter
    return str(limiter), shares(drawn)[limiter]


def table() -> list[tuple[float, float, int, int]]:
    """From and to which share, how many kernels had it, and of how many of them the limiter was the GPU's."""
    found: list[tuple[float, bool]] = []
    before: list[dict[str, Any]] = []
    for number, name in enumerate(heldout.judged()):
        rows = json.loads(heldout.kept_path(name).read_text())["rows"]
        if number >= FIRST_JUDGED:
            errors = errors_of(before)
            for row in rows:
                if row["sim"].keys() >= set(_HALVES) and row["sim_limiter"] != Limiter.LAUNCH:
                    limiter, share = says(row, errors)
                    found.append((share, limiter == row["gpu_limiter"]))
        before += rows
    return [(low, high, len(here), sum(here)) for low, high in itertools.pairwise(STEPS)
            for here in [[right for share, right in found if low <= share < high]]]


def main() -> None:
    rows = table()
    for low, high, kernels, right in rows:
        print(f"{low:5.2f} to {min(high, 1.0):4.2f}: {right:3d} of {kernels:3d}, {right / max(1, kernels):4.0%}")
    said = [r for r in rows if r[0] >= LIKELY]
    print(f"said: {sum(r[2] for r in said)} of {sum(r[2] for r in rows)}, right {sum(r[3] for r in said)}")


if __name__ == "__main__":
    main()
