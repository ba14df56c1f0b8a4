"""The simulator against the H200, from the reference data: rows for docs/accuracy.md and what the tests hold."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import Any

from compare import CSV, METRICS, REFERENCE

# Variants that race on purpose (no barriers, shared memory at other indices): their results are nobody's.
RACING = ("no-sync", "smem-conflict-free", "smem-broadcast")
WAVEFRONTS = ("shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts")


@dataclass(frozen=True)
class Row:
    sample: str
    kernel: str
    launch: int
    variant: str
    code: str
    gpu: dict[str, int]
    sim: dict[str, int]
    arrays: int
    equal: int
    worst_ulp: int | None
    memory: str

    def error(self, metric: str) -> float:
        """Relative to the GPU's count; 0 where both have none."""
        gpu, sim = self.gpu[metric], self.sim[metric]
        return (sim - gpu) / gpu if gpu else float(sim != 0)


def comment() -> list[str]:
    return [line[2:].rstrip() for line in CSV.read_text().splitlines() if line.startswith("#")]


def rows() -> list[Row]:
    lines = [line for line in CSV.read_text().splitlines() if not line.startswith("#")]
    return [Row(r["sample"], r["kernel"], int(r["launch"]), r["variant"], r["code"],
                {m: int(r[f"gpu_{m}"]) for m in METRICS}, {m: int(r[f"sim_{m}"]) for m in METRICS}, int(r["arrays"]),
                int(r["equal"]), int(r["worst_ulp"]) if r["worst_ulp"] else None, r["memory"])
            for r in csv.DictReader(lines)]


def counters_table(found: list[Row]) -> list[dict[str, Any]]:
    """For each counter: launches that have it, how many are exact or within 1 %, mean and worst error."""
    out = []
    for metric, name in METRICS.items():
        errors = [abs(r.error(metric)) for r in found if r.gpu[metric] or r.sim[metric]]
        out.append({"metric": metric, "ncu": name, "launches": len(errors), "exact": sum(e == 0 for e in errors),
                    "close": sum(e <= 0.01 for e in errors),
                    "mean": f"{100 * sum(errors) / max(1, len(errors)):.3f} %",
                    "worst": f"{100 * max(errors, default=0):.2f} %"})
    return out


def deviations(found: list[Row]) -> list[dict[str, str]]:
    """Every launch and counter that is off by more than 1 %."""
    return [{"kernel": r.kernel, "variant": r.variant, "metric": m, "gpu": str(r.gpu[m]), "sim": str(r.sim[m]),
             "error": f"{100 * r.error(m):+.2f} %".replace("-", "−")}
            for r in found for m in METRICS if abs(r.error(m)) > 0.01]


def noise(found: list[Row]) -> list[dict[str, str]]:
    """Counters in which the GPU gives original and identity, which are the same instructions, different numbers."""
    first = {(r.kernel, r.launch): r for r in found if r.variant == "original"}
    out = []
    for r in found:
        other = first.get((r.kernel, r.launch))
        if r.variant != "identity" or other is None:
            continue
        out += [{"kernel": r.kernel, "metric": m, "original": str(other.gpu[m]), "identity": str(r.gpu[m])}
                for m in METRICS if other.gpu[m] != r.gpu[m]]
    return out


def memory_table(found: list[Row]) -> list[dict[str, Any]]:
    """Kernels whose arrays after the launch are not the GPU's bit for bit, racing variants aside."""
    return [{"kernel": r.kernel, "worst": r.worst_ulp} for r in found
            if r.variant == "original" and r.equal != r.arrays]


def functions_table() -> list[dict[str, Any]]:
    """Of each function of the special-function unit: how many operands it was asked for, how many answers are ours."""
    lines = (REFERENCE / "h200_mufu_all.csv").read_text().splitlines()
    return [{"name": r["function"], "operands": int(r["operands"]), "equal": int(r["equal"])}
            for r in csv.DictReader(line for line in lines if not line.startswith("#"))]
