"""``kmutate analyze`` of all samples on a GPU, ncu's view of the originals beside it, and what is kept of both.

    python tests/gpu/analyze_samples.py run OUT         on the GPU: analyses of all samples, several at a time (kmutate
                                                        lets one of them measure at a time)
    ncu ... python tests/gpu/analyze_samples.py originals   on the GPU: launches each original (measure_analysis.sh)
    python tests/gpu/analyze_samples.py keep OUT        anywhere: OUT → tests/gpu/reference/h200_analysis.json
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests" / "gpu" / "reference" / "h200_analysis.json"
SAMPLES = ROOT / "samples"
# ncu's own summary of a kernel, and what DRAM moved.
METRICS = {
    "sm_percent": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "memory_percent": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_percent": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "warps_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "time_ns": "gpu__time_duration.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "issue_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
}
_AT_ONCE = 6
_KERNEL = re.compile(r"__global__[^;{]*?(\w+)\s*\((?!\s*\d|\s*[A-Z_]+\s*[*)])")
# reduce6<(unsigned int)512>(...): the cast is ncu's.
_CAST = re.compile(r"\((?:unsigned )?\w+\)(?=\d)")
_KEPT_FACTS = ("requested_bytes", "sector_bytes", "moved_bytes", "footprint_bytes", "floor_bytes", "warp_instructions",
               "active_lanes", "shared_wavefronts", "shared_conflict_wavefronts", "copy_gbs", "copy_gbs_here",
               "peak_gbs", "resident_blocks", "grid_blocks", "warps_per_block", "launch_overhead_ms")


def _samples() -> list[Path]:
    return sorted(SAMPLES.glob("*.cu"))


def run(out: Path) -> None:
    """One JSON document for each sample, in one file; what a sample printed on stderr beside it."""

    def one(path: Path) -> tuple[str, Any, str]:
        done = subprocess.run([sys.executable, "-m", "mutate", "analyze", str(path), "--json", "--backend", "gpu"],
                              capture_output=True, text=True, check=False, cwd=ROOT)
        document = json.loads(done.stdout) if done.stdout.strip() else None
        print(f"{path.stem}: exit {done.returncode}", flush=True)
        return path.stem, document, done.stderr

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(one, _samples()))
    for _, document, _ in found:
        for kernel in (document or {}).get("kernels", ()):
            for launch in kernel["launches"]:
                for variant in launch["variants"]:
                    variant.pop("diff", None)
                    if variant.get("certificate"):
                        variant["certificate"] = {k: variant["certificate"][k] for k in ("verdict", "reasons")}
                if launch.get("counters"):
                    launch["counters"].pop("lines", None)
    (out / "analysis.json").write_text(json.dumps({"samples": {n: d for n, d, _ in found},
                                                   "stderr": {n: e for n, _, e in found if e}}))


def kernel_names() -> str:
    """For ncu's -k: the names of all sample kernels."""
    names = {n for p in _samples() for n in _KERNEL.findall(p.read_text()) if n != "__launch_bounds__"}
    return f"regex:^({'|'.join(sorted(names))})$"


def originals() -> None:
    """Launches every original with its declared data; for ncu to watch."""
    from mutate.backends.gpu import measure
    from mutate.pipeline.binaries import compile_originals
    from mutate.results import Request
    from mutate.timing import ORIGINAL, Plan, Run, Settings

    plans = []
    for path in _samples():
        for k in compile_originals(Request(path=path)):
            for number, launch in enumerate(k.target.launches):
                plans.append(Plan(f"{k.target.name} {number}", launch,
                                  (Run(ORIGINAL, k.original.cubin, k.original.entry, launch.smem),)))
    for session in measure(plans, Settings(least_rounds=1, most_rounds=1, limit=120)):
        run_ = session.run(ORIGINAL)
        print(session.plan, run_.outcome if run_ is not None else "missing", flush=True)


# --- what is kept ---


Key = tuple[str, tuple[int, ...], tuple[int, ...]]


def _profile(path: Path) -> dict[Key, list[dict[str, float]]]:
    """ncu's CSV: metrics of all launches by (kernel, grid, block), in their order."""
    lines = path.read_text(errors="replace").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    names = {v: k for k, v in METRICS.items()}
    by_id: dict[str, tuple[Key, dict[str, float]]] = {}
    for row in csv.DictReader(lines[start:]):
        if row["Metric Name"] not in names:
            continue
        name = _CAST.sub("", row["Kernel Name"]).partition("(")[0].removeprefix("void ").replace(" ", "")
        key = (name, _dims(row["Grid Size"]), _dims(row["Block Size"]))
        by_id.setdefault(row["ID"], (key, {}))[1][names[row["Metric Name"]]] = float(
            row["Metric Value"].replace(",", ""))
    out: dict[Key, list[dict[str, float]]] = {}
    for key, metrics in by_id.values():
        out.setdefault(key, []).append(metrics)
    return out


def _dims(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", text))


def _triple(i: dict[str, float] | None) -> list[float] | None:
    return None if i is None else [float(f"{i[k]:.5g}") for k in ("value", "low", "high")]


def _name(kernel: dict[str, Any]) -> str:
    return str(kernel["name"]) if kernel["instance"] is None else f"{kernel['name']}<{kernel['instance']}>"


def _key(kernel: dict[str, Any], launch: dict[str, Any]) -> Key:
    return _name(kernel).replace(" ", ""), tuple(launch["grid"]), tuple(launch["block"])


def _kept(sample: str, kernel: dict[str, Any], launch: dict[str, Any], ncu: dict[str, float] | None) -> dict[str, Any]:
    f = launch["finding"]
    name = _name(kernel)
    session = launch["session"] or {}
    return {
        "sample": sample, "kernel": name, "grid": launch["grid"], "block": launch["block"],
        "limiter": f["limiter"], "confidence": f["confidence"], "support": f["support"], "summary": f["summary"],
        "against": f["against"], "overlap": _triple(f["overlap"]), "noise": _triple(launch["noise"]),
        "times_ms": {v["name"]: _triple(v["time_ms"]) for v in launch["variants"] if v["time_ms"]}
        | {"original": _triple(f["full_ms"])},
        "verdicts": {v["name"]: v["certificate"]["verdict"] for v in launch["variants"] if v["certificate"]},
        "outcomes": {v["name"]: v["run"] for v in launch["variants"] if v["run"] not in ("ok", "refused")},
        "causes": [c["slug"] for c in f["causes"]],
        "payoffs": [{"cause": c["slug"], "by": c["payoff"]["by"], "source": c["payoff"]["source"],
                     "at_most": _triple(c["payoff"]["at_most"])} for c in f["causes"] if c["payoff"]],
        "bounds": [{"what": p["what"], "by": p["by"], "at_most": _triple(p["at_most"])} for p in f["payoffs"]],
        "occupancy": [[p["value"], p["time_ms"]["value"]] for p in launch["occupancy_sweep"]],
        "grids": [[p["value"], p["time_ms"]["value"]] for p in launch["grid_sweep"]],
        "facts": {k: launch["facts"][k]["value"] for k in _KEPT_FACTS if k in launch["facts"]},
        "rounds": session.get("rounds"), "stopped": session.get("stopped"), "seconds": session.get("seconds"),
        "ncu": ncu,
    }


def keep(out: Path) -> None:
    """Writes the reference file. Fails where ncu saw a kernel that was not analyzed, or the other way round."""
    found = json.loads((out / "analysis.json").read_text())
    profiles = _profile(out / "ncu.csv")
    launches = []
    first: dict[str, Any] | None = None
    for sample, document in found["samples"].items():
        if document is None or "error" in document:
            sys.exit(f"{sample}: {found['stderr'].get(sample, 'nothing printed')}")
        first = first or document
        for kernel in document["kernels"]:
            for launch in kernel["launches"]:
                key = _key(kernel, launch)
                same = [la for la in kernel["launches"] if _key(kernel, la) == key]
                # Each declared launch was made equally often; the last time counts.
                seen = profiles.get(key, [])
                each, number = len(seen) // len(same), next(n for n, la in enumerate(same) if la is launch)
                launches.append(_kept(sample, kernel, launch, seen[each * (number + 1) - 1] if each else None))
    missing = [la["kernel"] for la in launches if la["ncu"] is None]
    if missing or first is None:
        sys.exit(f"no profile of {', '.join(missing)}; ncu has {sorted(k[0] for k in profiles)}")
    gpu = next(la["session"]["gpu"] for k in first["kernels"] for la in k["launches"] if la["session"])
    reference = {
        "gpu": gpu["name"], "driver": gpu["driver"], "runtime": gpu["runtime"], "date": first["date"][:10],
        "kmutate": first["kmutate"],
        "command": "tests/gpu/measure_analysis.sh OUT; python tests/gpu/analyze_samples.py keep OUT",
        "l2": first["request"]["l2"], "target": first["request"]["target"], "roofs": first["roofs"],
        "metrics": METRICS, "launches": launches}
    text = json.dumps(reference, ensure_ascii=False)
    # One launch a line: a diff of two measurements can be read.
    REFERENCE.write_text(re.sub(r'(\{"sample")', r"\n\1", text) + "\n", encoding="utf-8")
    print(f"{REFERENCE.relative_to(ROOT)}: {len(launches)} launches")


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["?"]
    if what == "run" and rest:
        run(Path(rest[0]))
    elif what == "originals":
        originals()
    elif what == "names":
        print(kernel_names())
    elif what == "keep" and rest:
        keep(Path(rest[0]))
    else:
        sys.exit(__doc__)
