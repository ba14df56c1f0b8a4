"""Kernels that nobody looked at while the model of time was made (heldout.cu), measured and simulated.

    kmutate analyze tests/gpu/heldout.cu --no-counters --no-sweep --budget 3 --json > GPU.json        on the GPU
    kmutate analyze tests/gpu/heldout.cu --backend sim --machine h200 --no-counters --no-sweep --json > SIM.json
                                                              anywhere, with the NVRTC of the GPU's machine
    python tests/gpu/heldout.py keep GPU.json SIM.json        both → reference/h200_heldout.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

KEPT = Path(__file__).with_name("reference") / "h200_heldout.json"


def _launches(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {k["name"]: k["launches"][0] for k in document["kernels"] if k["launches"]}


def _times(launch: dict[str, Any]) -> dict[str, float]:
    """Milliseconds of the variants that are of use; ``identity`` stands for the original."""
    return {v["name"]: v["time_ms"]["value"] for v in launch["variants"] if v["time_ms"] and v["usable"]}


def compared(gpu: dict[str, Any], sim: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a kernel: times of both, and their limiters."""
    measured, simulated = _launches(gpu), _launches(sim)
    rows = []
    for name, mine in measured.items():
        there, here = _times(mine), _times(simulated[name])
        rows.append({"kernel": name, "gpu": there, "sim": {v: here[v] for v in there if v in here},
                     "gpu_limiter": mine["finding"]["limiter"],
                     "sim_limiter": simulated[name]["finding"]["limiter"]})
    return rows


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Errors as tests/gpu/timing_errors.py has them."""
    errors = np.array([abs(r["sim"]["identity"] / r["gpu"]["identity"] - 1) for r in rows])
    ratios = [abs((r["sim"][v] / r["sim"]["identity"]) / (r["gpu"][v] / r["gpu"]["identity"]) - 1)
              for r in rows for v in r["sim"] if v != "identity"]
    right = pairs = 0
    for r in rows:
        names = list(r["sim"])
        for i, a in enumerate(names):
            for b in names[:i]:
                if max(r["gpu"][a], r["gpu"][b]) >= 1.1 * min(r["gpu"][a], r["gpu"][b]):
                    pairs += 1
                    right += (r["gpu"][a] < r["gpu"][b]) == (r["sim"][a] < r["sim"][b])
    same = sum(r["gpu_limiter"] == r["sim_limiter"] for r in rows)
    return {"kernels": len(rows), "mean": float(errors.mean()), "median": float(np.median(errors)),
            "p90": float(np.quantile(errors, 0.9)), "worst": float(errors.max()), "ratios": len(ratios),
            "ratio_median": float(np.median(ratios)), "right": right, "pairs": pairs, "limiters": same}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keep", choices=["keep"])
    parser.add_argument("gpu", type=Path)
    parser.add_argument("sim", type=Path)
    args = parser.parse_args()
    gpu = json.loads(args.gpu.read_text())
    rows = compared(gpu, json.loads(args.sim.read_text()))
    KEPT.write_text(json.dumps({"date": gpu["date"], "machine": gpu["machine"]["name"], "summary": summary(rows),
                                "rows": rows}, indent=1) + "\n")
    for r in rows:
        there, here = r["gpu"]["identity"], r["sim"]["identity"]
        print(f"{r['kernel']:18}{1e3 * there:9.1f}{1e3 * here:9.1f} us {100 * (here / there - 1):+6.1f} %  "
              f"{r['gpu_limiter']:14}{r['sim_limiter']}")
    print(summary(rows))


if __name__ == "__main__":
    main()
