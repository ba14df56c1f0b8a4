"""Sweeps of sample kernels on a GPU, and by the model beside them: does the model rank settings as the GPU does?

    tests/gpu/measure_sweeps.sh OUT          on the GPU: OUT/sweeps_gpu.json and OUT/hits.csv, in about five minutes
    python tests/gpu/sweeps.py gpu OUT       the first of it
    python tests/gpu/sweeps.py sim OUT       anywhere: OUT/sweeps_sim.json, of the machine h200
    python tests/gpu/sweeps.py keep GPU SIM  anywhere: those of two folders → tests/gpu/reference/h200_sweeps.json, and
                                             the comparison
    python tests/gpu/sweeps.py compare       anywhere: the comparison of what is kept
"""

from __future__ import annotations

import csv
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests" / "gpu" / "reference" / "h200_sweeps.json"
# Memory-bound, latency-bound, spilling, and with loads that -dlcm can send around L1.
KERNELS = (("fd3d", "fd3d"), ("fd3d_order12", "fd3d_order12"), ("transpose", "transpose_naive"),
           ("column_walk", "column_walk"), ("matmul", "matmul_tiled"), ("spmv_csr", "spmv_scalar"),
           ("reduction", "reduce1"), ("nbody", "nbody"))
_DIFFER = 1.05
_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"


def run(backend: str, out: Path) -> None:
    """One analysis with all sweeps for each kernel; on the GPU within a budget of 5 s a sweep."""
    where = ("--budget", "5") if backend == "gpu" else ("--machine", "h200")
    found = {}
    for sample, kernel in KERNELS:
        done = subprocess.run(
            [sys.executable, "-m", "mutate", "analyze", f"samples/{sample}.cu", "-k", kernel, "-m", "memory-only",
             "-m", "math-only", "--backend", backend, *where, "--no-sweep", "--sweep", "cache,occupancy,registers",
             "--json"], capture_output=True, text=True, check=False, cwd=ROOT)
        print(f"{kernel}: exit {done.returncode} {done.stderr.strip()[-300:]}", flush=True)
        if done.stdout.strip():
            document = json.loads(done.stdout)
            found[kernel] = [launch["sweeps"] for k in document["kernels"] for launch in k["launches"]]
            # After each kernel: a limit of time may end this.
            (out / f"sweeps_{backend}.json").write_text(json.dumps(found))


def _times(sweep: dict[str, Any]) -> dict[str, float]:
    return {f"{r['kernel']}: {s['name']}": r["time_ms"]["value"] for s in sweep["settings"] for r in s["runs"]
            if r["time_ms"] is not None}


def names() -> str:
    """For ncu's -k."""
    return f"regex:^({'|'.join(kernel for _, kernel in KERNELS)})$"


def metrics() -> str:
    return f"{_SECTORS}.sum,{_SECTORS}_lookup_hit.sum"


def hits(path: Path) -> dict[str, float]:
    """The part of the sectors of global loads that hit L1, by kernel: of the last launch that ncu saw."""
    if not path.is_file():
        return {}
    lines = [line for line in path.read_text().splitlines() if line.startswith('"')]
    found: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(lines):
        name = row["Kernel Name"].partition("(")[0]
        found.setdefault(name, {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return {k: v[f"{_SECTORS}_lookup_hit.sum"] / v[f"{_SECTORS}.sum"] for k, v in found.items()
            if v.get(f"{_SECTORS}.sum") and f"{_SECTORS}_lookup_hit.sum" in v}


def _hit_rate(sweep: dict[str, Any]) -> float | None:
    """What the simulator says of the launch as it is."""
    now = next((s for s in sweep["settings"] if s["current"]), None)
    traffic = now["runs"][0]["traffic"] if now is not None else None
    return traffic["l1_hit_rate"] if traffic is not None else None


def keep(gpu: Path, sim: Path) -> None:
    """What is compared: times by setting, of both, and what was said to be best."""
    both = {b: json.loads((out / f"sweeps_{b}.json").read_text()) for b, out in (("gpu", gpu), ("sim", sim))}
    measured_hits = hits(gpu / "hits.csv")
    kept: dict[str, Any] = {}
    for kernel, launches in both["gpu"].items():
        for n, (measured, simulated) in enumerate(zip(launches, both["sim"].get(kernel, []), strict=False)):
            for a, b in zip(measured, simulated, strict=True):
                kept[f"{kernel} {n} {a['axis']}"] = {
                    "where": a["where"], "measured_ms": _times(a), "simulated_ms": _times(b),
                    "measured_best": a["best"], "simulated_best": b["best"], "measured": a["summary"],
                    "simulated": b["summary"], "notes": a["notes"]}
                if a["axis"] == "cache":
                    kept[f"{kernel} {n} cache"]["l1_hit_rate"] = {"measured": measured_hits.get(kernel),
                                                                  "simulated": _hit_rate(b)}
    REFERENCE.write_text(json.dumps(kept, indent=1) + "\n")


def pairs(entry: dict[str, Any]) -> Iterator[tuple[float, float]]:
    """T(a)/T(b), measured and simulated, of each two settings of one kernel."""
    names = [n for n in entry["measured_ms"] if n in entry["simulated_ms"]]
    for a, b in combinations(names, 2):
        if a.partition(":")[0] == b.partition(":")[0]:
            yield (entry["measured_ms"][a] / entry["measured_ms"][b],
                   entry["simulated_ms"][a] / entry["simulated_ms"][b])


def compare() -> None:
    kept = json.loads(REFERENCE.read_text())
    print("| sweep | settings | error of T(a)/T(b), median | order right where they differ by 5 % | best measured |"
          " best simulated |\n|:--|--:|--:|--:|:--|:--|")
    for name, entry in kept.items():
        found = list(pairs(entry))
        errors = [abs(s / m - 1) for m, s in found]
        clear = [(m, s) for m, s in found if max(m, 1 / m) >= _DIFFER]
        right = sum((m > 1) == (s > 1) for m, s in clear)
        print(f"| {name} | {len(entry['measured_ms'])} | {100 * statistics.median(errors):.1f} % | {right} of "
              f"{len(clear)} | {entry['measured_best'] or 'as it is'} | {entry['simulated_best'] or 'as it is'} |"
              if errors else f"| {name} | {len(entry['measured_ms'])} | – | – | | |")
    rates = {name: entry["l1_hit_rate"] for name, entry in kept.items() if "l1_hit_rate" in entry}
    print("\n| global loads that hit L1 | measured | simulated |\n|:--|--:|--:|")
    for name, rate in rates.items():
        print(f"| {name.rpartition(' ')[0]} | " + " | ".join("–" if v is None else f"{100 * v:.1f} %" for v in
                                                            (rate["measured"], rate["simulated"])) + " |")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["gpu" | "sim" as backend, folder]:
            run(backend, Path(folder))
        case ["keep", gpu, sim]:
            keep(Path(gpu), Path(sim))
            compare()
        case ["names"]:
            print(names())
        case ["metrics"]:
            print(metrics())
        case ["compare"]:
            compare()
        case _:
            sys.exit(__doc__)
