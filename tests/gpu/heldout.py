"""Kernels that nobody looked at while the model of time was made, measured and simulated: SET is one of ``SETS``.

    kmutate analyze tests/gpu/SET.cu --no-counters --no-sweep --budget 3 --json > GPU.json            on the GPU
    kmutate analyze tests/gpu/SET.cu --backend sim --machine h200 --no-counters --no-sweep --json > SIM.json
                                                              anywhere, with the NVRTC of the GPU's machine
    python tests/gpu/heldout.py blind SET SIM.json            → reference/MACHINE_SET_blind.json, before a GPU timed it
    python tests/gpu/heldout.py keep SET GPU.json [SIM.json]  both, or what blind kept → reference/h200_SET.json
    python tests/gpu/heldout.py again SET SIM.json            a later model beside them, when the set was known; of the
                                                              machine that it is of
    python tests/gpu/heldout.py other SET GPU.json [SIM.json] on another GPU than the H200, whose files name it; for the
                                                              samples what analyze_samples.py ran, and a folder of
                                                              `kmutate analyze samples/X.cu --backend sim ... --json`;
                                                              for real what real.py ran (a file, or a folder of them);
                                                              real3b: what of real3 was timed later
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from mutate.limiter.model import Limiter
from mutate.limiter.rules import MARGIN, Ratios, decide, margin

SETS = ("heldout", "heldout2", "heldout3", "heldout4", "heldout5", "heldout6", "heldout7", "heldout8", "heldout9",
        "heldout10", "heldout11", "heldout12", "heldout13", "heldout14", "heldout15", "heldout16",
        "heldout17", "heldout18", "heldout19", "heldout20", "heldout21", "heldout22", "heldout23",
        "heldout24", "heldout25", "heldout26", "heldout27", "heldout28", "heldout29", "heldout30",
        "heldout31", "heldout32", "heldout33", "heldout34", "heldout35", "heldout36",
        "heldout37", "heldout38", "heldout39", "heldout40", "heldout41", "heldout42",
        "heldout43", "heldout44", "heldout45", "heldout46", "heldout47", "heldout48", "heldout49",
        "heldout50", "heldout51", "heldout52", "heldout53", "heldout54", "heldout55", "heldout56", "heldout57",
        "heldout58", "heldout59")


def kept_path(name: str, machine: str = "h200") -> Path:
    return Path(__file__).with_name("reference") / f"{machine}_{name}.json"


def blind_path(name: str, machine: str = "h200") -> Path:
    return kept_path(f"{name}_blind", machine)


def judged() -> list[str]:
    """The sets that were measured; one that was not yet has nothing to say."""
    return [name for name in SETS if kept_path(name).exists()]


def _launches(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {k["name"]: k["launches"][0] for k in document["kernels"] if k["launches"]}


def _times(launch: dict[str, Any]) -> dict[str, float]:
    """Milliseconds of the variants that are of use; ``identity`` stands for the original."""
    return {v["name"]: v["time_ms"]["value"] for v in launch["variants"] if v["time_ms"] and v["usable"]}


def _simulated(sim: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Times and limiter of each kernel, of an analysis."""
    return {name: {"sim": _times(launch), "sim_limiter": launch["finding"]["limiter"]}
            for name, launch in _launches(sim).items()}


def _beside(there: dict[str, float], said: dict[str, Any]) -> dict[str, Any]:
    """What the model says of the variants that were measured."""
    return said | {"sim": {v: said["sim"][v] for v in there if v in said["sim"]}}


def compared(gpu: dict[str, Any], simulated: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a kernel: times of both, and their limiters.

    Kernels that no GPU timed (textures), or that the model had no time for, are left out, and of the latter said so.
    """
    timed = {name: mine for name, mine in _launches(gpu).items() if "identity" in _times(mine)}
    for name in (name for name in timed if "identity" not in simulated[name]["sim"]):
        print(f"{name}: not simulated")
    return [{"kernel": name, "gpu": _times(mine), "gpu_limiter": mine["finding"]["limiter"]}
            | _beside(_times(mine), simulated[name])
            for name, mine in timed.items() if "identity" in simulated[name]["sim"]]


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
    likeliest = sum(r["gpu_limiter"] == _likeliest_of(r) for r in rows)
    return {"kernels": len(rows), "mean": float(errors.mean()), "median": float(np.median(errors)),
            "p90": float(np.quantile(errors, 0.9)), "worst": float(errors.max()), "ratios": len(ratios),
            "ratio_median": float(np.median(ratios)), "right": right, "pairs": pairs, "limiters": same,
            "likeliest": likeliest} | firm(rows)


def firm(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Kernels whose limiter the GPU's own times decide firmly, no ratio being near a line, and those that agree."""
    clear = [r for r in rows if not _near_a_line(r["gpu"])]
    return {"firm": len(clear), "firm_likeliest": sum(r["gpu_limiter"] == _likeliest_of(r) for r in clear)}


def _near_a_line(times: dict[str, float]) -> bool:
    if not {"memory-only", "math-only"} <= times.keys():
        return False
    full = times["identity"]
    return margin(Ratios(times["memory-only"] / full, times["math-only"] / full)) <= MARGIN


def _likeliest_of(row: dict[str, Any]) -> str:
    return str(Limiter.LAUNCH) if row["sim_limiter"] == Limiter.LAUNCH else _likeliest(row["sim"])


def _likeliest(times: dict[str, float]) -> str:
    """The limiter of these times as they are, of launches that take longer than an empty one.

    Without a memory-only and a math-only that could be proven it is as unknown here as on the GPU.
    """
    if not {"memory-only", "math-only"} <= times.keys():
        return str(Limiter.UNKNOWN)
    full = times["identity"]
    return str(decide(Ratios(times["memory-only"] / full, times["math-only"] / full)).limiter)


def _keep(gpu: dict[str, Any], simulated: dict[str, dict[str, Any]]) -> dict[str, Any]:
    rows = compared(gpu, simulated)
    return {"date": gpu["date"], "machine": gpu["machine"]["name"], "summary": summary(rows), "rows": rows}


def _again(name: str, sim: dict[str, Any]) -> dict[str, Any]:
    """What is kept, with the times of a later model beside the first ones."""
    kept: dict[str, Any] = json.loads(kept_path(name, sim["machine"]["name"]).read_text())
    simulated = _simulated(sim)
    if missing := [row["kernel"] for row in kept["rows"] if row["kernel"] not in simulated]:
        raise SystemExit(f"not simulated: {', '.join(missing)}")
    later = [row | _beside(row["gpu"], simulated[row["kernel"]]) for row in kept["rows"]]
    kept["later"] = {"date": sim["date"], "summary": summary(later), "rows": later}
    return kept


def _document(path: Path) -> dict[str, Any]:
    """An analysis, or all of a folder, or of several files, as one: with the head of the first, and all kernels."""
    found = [json.loads(p.read_text()) for p in sorted(path.glob("*.json"))] if path.is_dir() else \
        [json.loads(path.read_text())]
    if "samples" in found[0]:
        found = list(found[0]["samples"].values())
    return found[0] | {"kernels": [k for document in found for k in document["kernels"]]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["blind", "keep", "again", "other"])
    parser.add_argument("set", choices=[*SETS, "real", "real2", "real3", "real3b", "samples"])
    parser.add_argument("documents", type=Path, nargs="+")
    args = parser.parse_args()
    if args.set == "samples" and args.what != "other":
        parser.error("of the samples tests/gpu/timing_errors.py keeps what the H200 gave")
    documents = [_document(path) for path in args.documents]
    on = documents[0]["machine"]["name"]
    if args.what == "blind" and (kept_path(args.set, on).exists() or blind_path(args.set, on).exists()):
        parser.error(f"{args.set} was measured, or has its prediction: a second one is not blind")
    if len(documents) > (2 if args.what in {"keep", "other"} else 1):
        parser.error("keep and other take GPU.json and SIM.json, the others SIM.json")
    if args.what == "blind":
        said = {"date": documents[0]["date"], "machine": on, "kernels": _simulated(documents[0])}
        blind_path(args.set, on).write_text(json.dumps(said, indent=1) + "\n")
        print(f"{len(said['kernels'])} kernels")
        return
    if args.what == "keep":
        if not documents[1:] and not blind_path(args.set).exists():
            parser.error(f"{args.set} has no prediction: give SIM.json")
        blind = {} if documents[1:] else json.loads(blind_path(args.set).read_text())["kernels"]
        kept = _keep(documents[0], blind or _simulated(documents[1]))
    elif args.what == "other":
        machines = [d["machine"]["name"] for d in documents]
        if len(set(machines)) != 1 or on == "h200":
            parser.error("other takes GPU.json and SIM.json of one machine that is not the h200, not of "
                         + ", ".join(machines))
        if not documents[1:] and not blind_path(args.set, on).exists():
            parser.error(f"{args.set} has no prediction: give SIM.json")
        kept = _keep(documents[0], _simulated(documents[1]) if documents[1:] else
                     json.loads(blind_path(args.set, on).read_text())["kernels"])
    else:
        kept = _again(args.set, *documents)
    where = kept_path(args.set, "h200" if args.what == "keep" else kept["machine"])
    where.write_text(json.dumps(kept, indent=1) + "\n")
    shown = kept["later"] if args.what == "again" else kept
    for r in shown["rows"]:
        there, here = r["gpu"]["identity"], r["sim"]["identity"]
        print(f"{r['kernel']:18}{1e3 * there:9.1f}{1e3 * here:9.1f} us {100 * (here / there - 1):+6.1f} %  "
              f"{r['gpu_limiter']:14}{r['sim_limiter']}")
    print(shown["summary"])


if __name__ == "__main__":
    main()
