"""What reports say of the sample that simulated times rest on, and what it leaves open."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from mutate.report.figures import percent
from mutate.simulated import Played

# Half a 95 % interval of a normal distribution, in standard deviations.
_NORMAL = 1.96
_ORDER = {None: "", 1: ", by turns with all others as they ask for what those write",
          0: " with the data as before the launch though they ask for what others write"}
_IN_PART = " by turns with one of {} others as they ask for what those write, and meet less of it than on a GPU"


def sample_words(p: Played) -> str:
    """What simulated times rest on: how much of the grid was executed, and on how many SMs it was timed."""
    sms = f"{p.turns:,} of {p.sms:,} SMs" if p.turns < p.sms else f"all {p.sms:,} SM{'s' if p.sms > 1 else ''}"
    blocks = f"all {p.grid_blocks:,} blocks executed" if p.blocks >= p.grid_blocks else \
        f"{p.blocks:,} of {p.grid_blocks:,} blocks executed{_which(p.which)}"
    part = p.instructions / max(1.0, p.of)
    timed = "to the end" if part >= 0.9995 else \
        f"for {percent(part, 0 if part >= 0.01 else 1)} of their instructions, the rest at the rate of the second half"
    again = "" if p.blocks >= p.recordable or part < 0.9995 else ", executed blocks standing in for the others"
    order = _ORDER.get(p.every, _IN_PART.format(p.every))
    return f"sample: {blocks}{order}, {sms} timed {timed}{again}"


def _which(blocks: tuple[int, ...]) -> str:
    if len(blocks) < 2:
        return f" (number {blocks[0]:,})" if blocks else ""
    steps = {b - a for a, b in pairwise(blocks)}
    every = f", every {max(steps):,}" if len(steps) == 1 and steps != {1} else ""
    return f" ({blocks[0]:,} to {blocks[-1]:,}{every})"


def doubt_words(p: Played) -> str:
    """What the sample leaves open, as half of a 95 % interval; the model's own errors come on top."""
    if p.uneven is None:
        return "one block does not say how others differ"
    both = _NORMAL * math.hypot(p.uneven, p.rest)
    if both < 0.0005:
        return "the sample adds nothing to the model's errors"
    return f"the sample adds ±{percent(both, 1)} to the model's errors"


def words(p: Played) -> str:
    return f"{sample_words(p)}; {doubt_words(p)}"


def sample_document(p: Played) -> dict[str, Any]:
    return {"source": "simulated", "recorded_blocks": p.blocks, "grid_blocks": p.grid_blocks,
            "blocks_per_sm": p.turn, "sms_played": p.turns, "sms": p.sms, "played_instructions": p.instructions,
            "instructions": float(f"{p.of:.7g}"), "complete": p.whole, "blocks": list(p.which) or None,
            "in_order": None if p.every is None else p.every == 1, "every": p.every,
            "busiest": p.busiest, "busy": float(f"{p.busy:.6g}"),
            "standard_error": {"blocks": float(f"{p.uneven:.6g}") if p.uneven is not None else None,
                               "rest": float(f"{p.rest:.6g}")}}
