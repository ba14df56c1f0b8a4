"""Compares simulated times with fewer resident blocks with those that an H200 took (h200_analysis.json).

As parts of the time with all blocks: python tests/gpu/occupancy_errors.py, with NVRTC 13.0.88, whose code was measured.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

REFERENCE = Path(__file__).with_name("reference") / "h200_analysis.json"
SAMPLES = Path(__file__).parents[2] / "samples"


def simulated(sample: str) -> dict[str, list[dict[float, float]]]:
    """Of each kernel's launches, by blocks: the part of the time with all blocks."""
    command = [sys.executable, "-m", "mutate", "analyze", str(SAMPLES / f"{sample}.cu"), "-m", "identity",
               "--backend", "sim", "--machine", "h200", "--no-counters", "--sweep", "occupancy", "--json"]
    document = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    found: dict[str, list[dict[float, float]]] = {}
    for kernel in document["kernels"]:
        for launch in kernel["launches"]:
            runs = [(s["value"], r) for sweep in launch["sweeps"] for s in sweep["settings"] for r in s["runs"]
                    if r["kernel"] == "original" and r["gain"]]
            found.setdefault(_bare(kernel["name"]), []).append({b: 1.0 / r["gain"]["value"] for b, r in runs})
    return found


def _bare(kernel: str) -> str:
    return re.sub("<.*", "", kernel)


def compared() -> Iterator[tuple[str, int, float, float]]:
    """Kernel, blocks, and the parts measured and simulated."""
    launches: list[dict[str, Any]] = json.loads(REFERENCE.read_text())["launches"]
    for sample in dict.fromkeys(launch["sample"] for launch in launches):
        known = simulated(sample)
        for launch in (x for x in launches if x["sample"] == sample):
            here, points = known[_bare(launch["kernel"])].pop(0), dict(launch["occupancy"])
            if points:
                most = max(points)
                yield from ((launch["kernel"], b, t / points[most], here[b] / here[most]) for b, t in points.items()
                            if b != most and b in here and most in here)


def main() -> None:
    errors = []
    for kernel, blocks, gpu, sim in compared():
        errors.append(math.log(sim / gpu))
        print(f"{kernel:28s} {blocks:2.0f} blocks: measured {gpu:6.3f}, simulated {sim:6.3f} "
              f"({100 * (sim / gpu - 1):+.0f} %)")
    off = np.abs(errors)
    print(f"{len(off)} points: median error {100 * np.median(off):.1f} %, nine of ten within "
          f"{100 * np.percentile(off, 90):.1f} %")


if __name__ == "__main__":
    main()
