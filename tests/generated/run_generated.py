"""Runs generated kernels and their variants on the simulator and says which demands hold.

    python tests/generated/run_generated.py --count 1000 --seed 0 --out FOLDER

Kernel k has seed ``--seed`` + k. Each result is one line of FOLDER/results.jsonl; a second run goes on where the first
one was stopped. Kernels that break a demand are saved as FOLDER/kernel<seed>.cu. ``--careless`` generates kernels with
dead code. The exit status is 1 where a demand is broken that the certificate does not see.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from executed import run_kernel
from generator import generate

MUTATIONS = ("identity", "memory-only", "load-only", "store-only", "math-only", "no-sync", "smem-conflict-free",
             "smem-broadcast")


def one(seed: int, careless: bool) -> dict[str, Any]:
    """The outcome of one kernel, as it is written down."""
    made = generate(seed, careless)
    start = time.perf_counter()
    out = run_kernel(seed, made.source, made.features).plain()
    out["seconds"] = round(time.perf_counter() - start, 2)
    return out


def used_and_broken(variant: dict[str, Any]) -> bool:
    """Whether a demand is broken although the certificate, after the run, calls the variant VALID."""
    return bool(variant["broken"]) and variant["dynamic"] == "VALID"


def table(results: Sequence[dict[str, Any]]) -> str:
    """Markdown: by mutation, what became of the variants."""
    kernels = [r for r in results if not r["failure"]]
    rows = ["| mutation | refused | VALID | DEGRADED | INVALID | demands hold | broken | broken, VALID | loads stay |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for mutation in MUTATIONS:
        mine = [v for r in kernels for v in r["variants"] if v["mutation"] == mutation]
        made = [v for v in mine if v["outcome"] == "ok"]
        verdicts = Counter(v["dynamic"] for v in made)
        rows.append("| " + " | ".join(map(str, (
            f"`{mutation}`", sum(v["outcome"] == "refused" for v in mine), verdicts["VALID"], verdicts["DEGRADED"],
            verdicts["INVALID"], sum(not v["broken"] for v in made), sum(bool(v["broken"]) for v in made),
            sum(used_and_broken(v) for v in made), sum(v["retained"] > 0 for v in made)))) + " |")
    return "\n".join(rows)


def summary(results: Sequence[dict[str, Any]]) -> str:
    """The table, and what stands behind its numbers."""
    kernels = [r for r in results if not r["failure"]]
    variants = [(r["seed"], v) for r in kernels for v in r["variants"]]
    lines = [f"{len(kernels)} kernels, {sum(r['instructions'] for r in kernels):,} warp instructions of the originals, "
             f"{sum(v['outcome'] == 'ok' for _, v in variants)} variants run", "", table(results), ""]
    failed = [r for r in results if r["failure"]]
    if failed:
        lines.append(f"{len(failed)} originals fail:")
        lines += [f"  {r['seed']}: {r['failure'].splitlines()[0][:150]}" for r in failed]
    not_compiled = [s for s, v in variants if v["outcome"] == "compile-failed"]
    lines.append(f"variants that do not compile: {len(not_compiled)} {not_compiled[:10] or ''}")
    faults = [(s, v["mutation"]) for s, v in variants if any(b.startswith("faults") for b in v["broken"])]
    lines.append(f"variants that read or write out of range, or hang: {len(faults)} {faults[:10] or ''}")
    for verdict in ("static", "dynamic"):
        silent = [(s, v["mutation"]) for s, v in variants if v["broken"] and v[verdict] == "VALID"]
        lines.append(f"broken and VALID by the {verdict} certificate: {len(silent)} {silent[:12] or ''}")
    refusals = Counter(f"{v['mutation']}: {v['slugs'][0]}" for _, v in variants if v["outcome"] == "refused")
    lines += ["refusals:", *(f"  {n} {name}" for name, n in refusals.most_common())]
    reasons = Counter(f"{v['mutation']}: {slug}" for _, v in variants if v["outcome"] == "ok" for slug in v["slugs"])
    return "\n".join([*lines, "reasons:", *(f"  {n} {name}" for name, n in reasons.most_common(30))])


def outcomes(seeds: Iterable[int], careless: bool, jobs: int) -> Iterable[dict[str, Any]]:
    if jobs == 1:
        yield from map(partial(one, careless=careless), seeds)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=100) as pool:
        yield from pool.imap_unordered(partial(one, careless=careless), seeds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--careless", action="store_true")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    log = given.out / "results.jsonl"
    done = {r["seed"]: r for r in map(json.loads, log.read_text().splitlines())} if log.exists() else {}
    seeds = range(given.seed, given.seed + given.count)
    left = [s for s in seeds if s not in done]
    with log.open("a") as file:
        for number, result in enumerate(outcomes(left, given.careless, given.jobs), 1):
            done[result["seed"]] = json.loads(json.dumps(result))
            file.write(json.dumps(result) + "\n")
            file.flush()
            if result["failure"] or any(v["broken"] for v in result["variants"]):
                path = given.out / f"kernel{result['seed']}.cu"
                path.write_text(generate(result["seed"], given.careless).source)
            print(f"\r{number} of {len(left)}", end="", file=sys.stderr, flush=True)
    results = [done[s] for s in seeds if s in done]
    print("\n" + summary(results))
    return int(any(r["failure"] or any(map(used_and_broken, r["variants"])) for r in results))


if __name__ == "__main__":
    sys.exit(main())
