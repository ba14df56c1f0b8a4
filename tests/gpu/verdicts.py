"""kmutate's verdicts on the samples against ncu's, payoffs against cures: rows for docs/analysis.md and its tests."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from analyze_samples import REFERENCE
from pairs import PAIRS, Pair

# ncu's speed-of-light rule calls a kernel latency-bound where neither unit reaches this; within NEAR points of each
# other the two are balanced.
LATENCY, NEAR = 60.0, 10.0


@cache
def reference() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return found


@cache
def explanations() -> dict[str, str]:
    """Kernel → why the two verdicts on it differ."""
    path = REFERENCE.parents[1] / "explanations.toml"
    found: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def launches() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = reference()["launches"]
    return found


def ncu_verdict(ncu: dict[str, float]) -> str:
    """By the percentages of its speed-of-light section."""
    math, memory = ncu["sm_percent"], ncu["memory_percent"]
    if max(math, memory) < LATENCY:
        return "latency"
    if abs(math - memory) < NEAR:
        return "balanced"
    return "math" if math > memory else "memory"


def name_of(launch: dict[str, Any]) -> str:
    """The kernel, with a number where it is launched several times."""
    same = [la for la in launches() if la["kernel"] == launch["kernel"]]
    return str(launch["kernel"]) if len(same) == 1 else f"{launch['kernel']} ({same.index(launch) + 1})"


def agreement() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All launches, and those where the two disagree."""
    rows = []
    for la in launches():
        theirs = ncu_verdict(la["ncu"])
        rows.append({**la, "name": name_of(la), "ncu_verdict": theirs, "same": theirs == la["limiter"]})
    return rows, [r for r in rows if not r["same"]]


@dataclass(frozen=True)
class Payoff:
    """A predicted bound and what the cure gained; intervals are (value, low, high). ``None``: nothing was predicted."""

    pair: Pair
    predicted: tuple[float, float, float] | None
    by: str
    source: str
    real: tuple[float, float, float]

    @property
    def holds(self) -> bool:
        """The real gain does not exceed the bound by more than the intervals."""
        return self.predicted is not None and self.real[1] <= self.predicted[2]


def _launch(sample: str, kernel: str) -> dict[str, Any]:
    return next(la for la in launches() if la["sample"] == sample and la["kernel"].split("<")[0] == kernel)


def payoffs() -> list[Payoff]:
    out = []
    for pair in PAIRS:
        before, after = _launch(*pair.before), _launch(*pair.after)
        (t0, low0, high0), (t1, low1, high1) = before["times_ms"]["original"], after["times_ms"]["original"]
        found = next((p for p in (*before["payoffs"], *before["bounds"]) if pair.cause in (p.get("cause"), p["by"])),
                     None)
        out.append(Payoff(pair, tuple(found["at_most"]) if found else None, found["by"] if found else "",
                          found.get("source", "measured") if found else "",
                          (t0 / t1, low0 / high1, high0 / low1)))
    return out
