"""How often the likeliest limiter of simulated times was the GPU's, by the share of the draws that gave it.

    python tests/gpu/how_sure.py

Each held-out set as it first came out, with the errors that the sets before it had come to: what `kmutate analyze`
could know of itself on the day that the set was judged. The first four sets have too little before them.
"""

from __future__ import annotations

import itertools
import json

import heldout
from timing_errors import errors_of, likely, unseen

from mutate.limiter.model import Limiter
from mutate.limiter.verdict import LIKELY

FIRST_JUDGED = 4
STEPS = (0.0, LIKELY, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)
_NEEDED = ("identity", "memory-only", "math-only")


def table() -> list[tuple[float, float, int, int]]:
    """From and to which share, how many kernels had it, and of how many of them the limiter was the GPU's."""
    found: list[tuple[float, bool]] = []
    sets = heldout.judged()
    for number in range(FIRST_JUDGED, len(sets)):
        errors, _ = errors_of(unseen(sets[:number]))
        for row in json.loads(heldout.kept_path(sets[number]).read_text())["rows"]:
            times = row["sim"]
            if times.keys() >= set(_NEEDED) and row["sim_limiter"] != Limiter.LAUNCH:
                limiter, share = likely(*(times[name] for name in _NEEDED), 0.0, errors)
                found.append((share, limiter == row["gpu_limiter"]))
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
