"""The model of time against an H200: errors of absolute times, ratios of variants, order of pairs, limiters.

    python tests/gpu/timing_errors.py [--originals] [SAMPLE ...]      prints
    python tests/gpu/timing_errors.py --write                         of all samples, and keeps h200_timing.json

The times measured are those of h200_analysis.json, of code that its NVRTC made. --write asks for the same release, as
another makes other code of every second kernel: pip install nvidia-cuda-nvrtc==13.0.88, in an environment of its own.
Nothing here sets a constant of the model; the quantiles of its errors, which `kmutate analyze` gives as the uncertainty
of simulated times, go to mutate/sim/timing/accuracy.json: of the samples, and of the held-out kernels (heldout.py) as
they came out when they were first simulated.
"""

from __future__ import annotations

import argparse
import bisect
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import heldout
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from compilers import MEASURED, nvrtc_version

from mutate.limiter.rules import Ratios, decide, shares
from mutate.limiter.stats import ModelErrors, from_model
from mutate.limiter.verdict import LIKELY
from mutate.machines import load_machine
from mutate.pipeline.binaries import KernelBinaries, compile_file
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing import accuracy
from mutate.sim.timing.model import Kernel, SimulatedTime, predict

REFERENCE = Path(__file__).with_name("reference") / "h200_analysis.json"
KEPT = Path(__file__).with_name("reference") / "h200_timing.json"
ACCURACY = Path(accuracy.__file__).with_suffix(".json")
_QUANTILES = 41
# Simulated parts of the original's time between which errors are kept apart.
EDGES = (0.2, 0.4, 0.6, 0.8, 0.95, 1.05)


def reference() -> dict[str, list[dict[str, Any]]]:
    out: dict[str, list[dict[str, Any]]] = {}
    for launch in json.loads(REFERENCE.read_text())["launches"]:
        out.setdefault(launch["sample"], []).append(launch)
    return out


def time_sample(sample: str, launches: list[dict[str, Any]], originals: bool) -> list[dict[str, Any]]:
    """Rows of (sample, kernel, launch, variant, gpu, sim)."""
    machine = load_machine("h200")
    request = Request(path=samples_dir() / f"{sample}.cu", arch="sm_90", mutations=("identity",) if originals else ())
    rows = []
    for binaries in compile_file(request):
        mine = [la for la in launches if la["kernel"] == binaries.target.name]
        for number, (launch, known) in enumerate(zip(binaries.target.launches, mine, strict=False)):
            for name, binary in _binaries(binaries, originals):
                if name not in known["times_ms"]:
                    continue
                start = time.perf_counter()
                try:
                    found = predict(Kernel(read_image(binary.cubin, binary.entry), binary.listing), launch, machine,
                                    **_held(binaries, name))
                except Exception as error:  # one kernel that fails is a row of the table
                    print(f"{sample} {known['kernel']} {name}: {error!r}", file=sys.stderr)
                    continue
                rows.append(_row(sample, known, number, name, found, time.perf_counter() - start))
                print(_line(rows[-1]), flush=True)
    return rows


def _binaries(binaries: KernelBinaries, originals: bool) -> list[tuple[str, Any]]:
    out = [("original", binaries.original)]
    if not originals:
        out += [(n, b) for n, b in binaries.variants.items() if n != "identity"]
    return out


def _held(binaries: KernelBinaries, name: str) -> dict[str, Any]:
    """The launch's padding and carve-out, as the GPU had them."""
    certificate = binaries.certificates.get(name) or next(iter(binaries.certificates.values()), None)
    plan = certificate.occupancy if certificate is not None else None
    if plan is None:
        return {}
    pad = plan.dynamic_smem_pad if name != "original" and plan.register_cap is None else 0
    return {"extra_smem": pad, "carveout_kb": plan.carveout_kb}


def _row(sample: str, known: dict[str, Any], number: int, name: str, found: SimulatedTime, seconds: float
         ) -> dict[str, Any]:
    gpu = known["times_ms"][name][0]
    top = sorted(found.utilisation.items(), key=lambda kv: -kv[1])[:3]
    reasons = sorted(found.stalls.items(), key=lambda kv: -kv[1])[:3]
    return {"sample": sample, "kernel": known["kernel"], "launch": number, "variant": name, "gpu": gpu,
            "sim": found.time_ms, "error": found.time_ms / gpu - 1, "resident": found.resident_blocks,
            "turn": found.blocks_per_sm, "sampled": len(found.sampled), "played": found.played,
            "instructions": found.instructions, "limit": found.limit, "seconds": seconds,
            "top": " ".join(f"{k}:{v:.2f}" for k, v in top), "why": " ".join(f"{k}:{v:.2f}" for k, v in reasons)}


def _line(r: dict[str, Any]) -> str:
    return (f"{r['kernel'][:24]:24s} {r['variant'][:12]:12s} {1e3 * r['gpu']:9.1f} {1e3 * r['sim']:9.1f} "
            f"{100 * r['error']:+7.1f} % R{r['resident']:2d} B{r['turn']:4d} n{r['sampled']:3d} "
            f"{r['played'] / max(1, r['instructions']):4.2f} {r['seconds']:5.1f}s  {r['top']}  {r['why']}")


def absolute(rows: list[dict[str, Any]]) -> dict[str, float]:
    errors = np.array([abs(r["error"]) for r in rows if r["variant"] == "original"])
    return {"kernels": len(errors), "mean": float(errors.mean()), "median": float(np.median(errors)),
            "p90": float(np.quantile(errors, 0.9)), "worst": float(errors.max())}


def ratios(rows: list[dict[str, Any]]) -> dict[str, tuple[int, float]]:
    """Of each variant the median error of time / time of the original."""
    first = {(r["sample"], r["kernel"], r["launch"]): r for r in rows if r["variant"] == "original"}
    found: dict[str, list[float]] = {}
    for r in rows:
        base = first.get((r["sample"], r["kernel"], r["launch"]))
        if base is None or r["variant"] == "original":
            continue
        error = abs((r["sim"] / base["sim"]) / (r["gpu"] / base["gpu"]) - 1)
        for name in (r["variant"], "all"):
            found.setdefault(name, []).append(error)
    return {k: (len(v), float(np.median(v))) for k, v in sorted(found.items())}


def order(rows: list[dict[str, Any]]) -> tuple[int, int]:
    """(right, of) pairs of one launch's variants that differ by 10 % or more on the GPU."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for r in rows:
        groups.setdefault((r["sample"], r["kernel"], r["launch"]), []).append(r)
    right = total = 0
    for group in groups.values():
        for i, a in enumerate(group):
            for b in group[i + 1 :]:
                if max(a["gpu"], b["gpu"]) >= 1.1 * min(a["gpu"], b["gpu"]):
                    total += 1
                    right += (a["gpu"] < b["gpu"]) == (a["sim"] < b["sim"])
    return right, total


def limiters(rows: list[dict[str, Any]], known: dict[str, list[dict[str, Any]]], errors: ModelErrors
             ) -> list[tuple[str, int, str, str, str]]:
    """(kernel, launch, limiter on the GPU, the likeliest by simulated times, what is said of them) of each launch."""
    overhead = json.loads(REFERENCE.read_text())["roofs"]["launch_overhead_us"] / 1e3
    times = {(r["sample"], r["kernel"], r["launch"], r["variant"]): r["sim"] for r in rows}
    out = []
    for sample, launches in known.items():
        seen: dict[str, int] = {}
        for la in launches:
            number = seen[la["kernel"]] = seen.get(la["kernel"], -1) + 1
            full, memory, arithmetic = (times.get((sample, la["kernel"], number, v))
                                  for v in ("original", "memory-only", "math-only"))
            if full and memory and arithmetic:
                out.append((la["kernel"], number, la["limiter"],
                            *told(full, memory, arithmetic, overhead, errors)))
    return out


def pairs(rows: list[dict[str, Any]]) -> tuple[list[float], list[tuple[float, float]]]:
    """ln(measured / simulated) of originals; of variants the simulated part of the original's time and its error."""
    first = {(r["sample"], r["kernel"], r["launch"]): r for r in rows if r["variant"] == "original"}
    own = []
    for r in rows:
        base = first.get((r["sample"], r["kernel"], r["launch"]))
        if base is not None and r["variant"] != "original":
            part = r["sim"] / base["sim"]
            own.append((part, math.log(r["gpu"] / base["gpu"] / part)))
    return [math.log(r["gpu"] / r["sim"]) for r in first.values()], own


def unseen(sets: list[str]) -> list[dict[str, Any]]:
    """Rows of the held-out kernels, as they came out first."""
    return [{"sample": name, "kernel": r["kernel"], "launch": 0, "variant": "original" if v == "identity" else v,
             "gpu": r["gpu"][v], "sim": t, "error": t / r["gpu"][v] - 1}
            for name in sets for r in json.loads(heldout.kept_path(name).read_text())["rows"]
            for v, t in r["sim"].items()]


def uncertainty(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What accuracy.json holds."""
    new = unseen(heldout.judged())
    found, variants = errors_of(rows + new)
    return {"samples": absolute(rows), "unseen": absolute(new), "absolute": _rounded(found.absolute),
            "edges": list(EDGES), "variants": variants, "ratio": [_rounded(r) for r in found.ratio]}


def errors_of(rows: list[dict[str, Any]]) -> tuple[ModelErrors, list[int]]:
    """The errors of these rows, and how many variants there are between the edges."""
    logs, own = pairs(rows)
    grid = np.linspace(0, 1, _QUANTILES)
    groups: list[list[float]] = [[] for _ in range(len(EDGES) + 1)]
    for part, log in own:
        groups[bisect.bisect_right(EDGES, part)].append(log)
    return (ModelErrors(np.quantile(logs, grid).tolist(), EDGES, [np.quantile(g, grid).tolist() for g in groups]),
            [len(g) for g in groups])


def _rounded(values: Any) -> list[float]:
    return [round(float(v), 3) for v in values]


def likely(full: float, memory: float, arithmetic: float, overhead: float, errors: ModelErrors) -> tuple[str, float]:
    """The likeliest limiter of simulated times, and the share of the draws that give it."""
    times = {"original": full, "memory-only": memory, "math-only": arithmetic}
    medians = from_model(times, "original", errors).medians
    base = medians["original"]
    limiter = decide(Ratios(memory / full, arithmetic / full, overhead / full)).limiter
    return str(limiter), shares(Ratios(medians["memory-only"] / base, medians["math-only"] / base, overhead / base))[
        limiter]


def told(full: float, memory: float, arithmetic: float, overhead: float, errors: ModelErrors) -> tuple[str, str]:
    """The likeliest limiter, and what `kmutate analyze` says: that one, or that the times leave it open."""
    limiter, share = likely(full, memory, arithmetic, overhead, errors)
    return limiter, limiter if share >= LIKELY else "inconclusive"


def summary(rows: list[dict[str, Any]], known: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    right, pairs = order(rows)
    sure = uncertainty(rows)
    found = limiters(rows, known, ModelErrors(sure["absolute"], sure["edges"], sure["ratio"]))
    return {"absolute": absolute(rows),
            "ratios": {k: {"launches": n, "median": v} for k, (n, v) in ratios(rows).items()},
            "order": {"right": right, "pairs": pairs},
            "limiter": {"likeliest": sum(f[2] == f[3] for f in found), "same": sum(f[2] == f[4] for f in found),
                        "open": sum(f[4] == "inconclusive" for f in found), "launches": len(found),
                        "others": [f for f in found if f[2] != f[4]]}}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("samples", nargs="*")
    parser.add_argument("--originals", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rows", type=Path, help="rows of an earlier run instead of new ones")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if args.write and nvrtc_version() != MEASURED:
        parser.error(f"NVRTC is {nvrtc_version()}, and the code that was measured is of {MEASURED}")
    known = reference()
    rows = json.loads(args.rows.read_text()) if args.rows else []
    for sample in () if rows else args.samples or sorted(known):
        rows += time_sample(sample, known[sample], args.originals)
    if args.json:
        args.json.write_text(json.dumps(rows))
    print("absolute", {k: round(v, 3) for k, v in absolute(rows).items()})
    print("ratios", {k: (n, round(v, 3)) for k, (n, v) in ratios(rows).items()})
    print("order", *order(rows))
    found = summary(rows, known)
    print("limiter", found["limiter"])
    if args.write:
        kept = [{k: round(r[k], 6) if isinstance(r[k], float) else r[k]
                 for k in ("sample", "kernel", "launch", "variant", "gpu", "sim", "limit", "resident", "sampled")}
                for r in rows]
        # From what is kept, which is rounded, so that the same comes out of it later.
        worth = json.dumps(uncertainty([r | {"error": r["sim"] / r["gpu"] - 1} for r in kept]))
        ACCURACY.write_text(worth.replace('], "', '],\n"').replace("], [", "],\n  [") + "\n")
        lines = ",\n".join(json.dumps(r) for r in kept)
        KEPT.write_text(f'{{"machine": "h200", "nvrtc": "{MEASURED}", "summary": {json.dumps(found)},\n'
                        f'"rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
