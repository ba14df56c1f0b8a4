"""How wrong the model was found to be: what simulated times are given as uncertainty.

accuracy.json is written by tests/gpu/timing_errors.py from the samples, which were in view while the model was made,
and from kernels that were not, as they first came out (docs/heldout.md).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

JUDGED = ("h200", "h100")
"""The machines on which simulated times were compared with measured ones; what is kept here is of the first."""


@cache
def _kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
    return found


def errors() -> dict[str, Any]:
    """Quantiles of ln(measured / simulated): ``absolute`` of kernels' times, ``ratio`` of variants' as a part of these,
    apart by the simulated part, with ``edges`` between them (``limiter.stats.ModelErrors``)."""
    return {k: _kept()[k] for k in ("absolute", "edges", "ratio")}


def words() -> str:
    of, new = _kept()["samples"], _kept()["unseen"]
    return (f"against an H200 the times of {of['kernels']} sample kernels are off by {100 * of['mean']:.0f} % on "
            f"average, those of {new['kernels']} that the model had never been compared with by "
            f"{100 * new['mean']:.0f} %, the worst of them by {100 * new['worst']:.0f} %")
