"""Runs generated kernels and their variants on the simulator and says which demands hold.

    python tests/generated/run_generated.py --count 1000 --seed 0 --out FOLDER

``--gpu`` runs originals and variants on a real GPU, too, and compares the memory they leave with the simulator's.

Kernel k has seed ``--seed`` + k. Each result is one line of FOLDER/results.jsonl; a second run goes on where the first
one was stopped. Kernels that break a demand are saved as FOLDER/kernel<seed>.cu. ``--careless`` generates kernels with
dead code. The exit status is 1 where a demand is broken that the certificate does not see.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from executed import run_kernel
from generator import generate
from on_gpu import Gpu
from workers import SPENT, results

import mutate.toolchain.workers as compilers
from mutate.sim.code import load_interpreter

MUTATIONS = ("identity", "memory-only", "load-only", "store-only", "math-only", "no-sync", "smem-conflict-free",
             "smem-broadcast")


def one(seed: int, careless: bool, gpu: Gpu | None = None, mutations: Sequence[str] = ()) -> dict[str, Any]:
    """The outcome of one kernel, as it is written down."""
    made = generate(seed, careless)
    start = time.perf_counter()
    out = run_kernel(seed, made.source, made.features, gpu, mutations).plain()
    out["seconds"] = round(time.perf_counter() - start, 2)
    return out


def notable(result: dict[str, Any]) -> bool:
    """Whether somebody will want to see the kernel."""
    return bool(result["failure"] or _unlike(result["gpu"]) or
                any(v["broken"] or _unlike(v["gpu"]) for v in result["variants"]))


def _unlike(gpu: str) -> bool:
    return gpu not in ("", "same")


def used_and_broken(variant: dict[str, Any]) -> bool:
    """Whether a demand is broken although the certificate, after the run, calls the variant VALID."""
    return bool(variant["broken"]) and variant["dynamic"] == "VALID"


def table(report: Sequence[dict[str, Any]]) -> str:
    """Markdown: by mutation, what became of the variants."""
    kernels = [r for r in report if not r["failure"]]
    rows = ["| mutation | refused | VALID | DEGRADED | INVALID | demands hold | broken | broken, VALID | same set | "
            "loads stay |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for mutation in MUTATIONS:
        mine = [v for r in kernels for v in r["variants"] if v["mutation"] == mutation]
        made = [v for v in mine if v["outcome"] == "ok"]
        verdicts = Counter(v["dynamic"] for v in made)
        rows.append("| " + " | ".join(map(str, (
            f"`{mutation}`", sum(v["outcome"] == "refused" for v in mine), verdicts["VALID"], verdicts["DEGRADED"],
            verdicts["INVALID"], sum(not v["broken"] for v in made), sum(bool(v["broken"]) for v in made),
            sum(used_and_broken(v) for v in made), sum(v["same_set"] for v in made),
            sum(v["retained"] > 0 for v in made)))) + " |")
    return "\n".join(rows)


def _gpu_lines(kernels: Sequence[dict[str, Any]]) -> list[str]:
    """What came of the comparison with a GPU."""
    runs = [(r["seed"], what, gpu) for r in kernels for what, gpu in
            (("original", r["gpu"]), *((v["mutation"], v["gpu"]) for v in r["variants"])) if gpu]
    wrong = [run for run in runs if run[2] != "same"]
    if not runs:
        return []
    return [f"run on a GPU, too: {len({seed for seed, _, _ in runs})} kernels, {len(runs)} binaries; "
            f"memory differs: {len(wrong)}", *(f"  {seed} {what}: {gpu[:200]}" for seed, what, gpu in wrong[:40])]


def summary(report: Sequence[dict[str, Any]]) -> str:
    """The table, and what stands behind its numbers."""
    kernels = [r for r in report if not r["failure"]]
    variants = [(r["seed"], v) for r in kernels for v in r["variants"]]
    lines = [f"{len(kernels)} kernels, {sum(r['instructions'] for r in kernels):,} warp instructions of the originals, "
             f"{sum(v['outcome'] == 'ok' for _, v in variants)} variants run", "", table(report), ""]
    failed = [r for r in report if r["failure"]]
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
    lines += _gpu_lines(kernels)
    refusals = Counter(f"{v['mutation']}: {v['slugs'][0]}" for _, v in variants if v["outcome"] == "refused")
    lines += ["refusals:", *(f"  {n} {name}" for name, n in refusals.most_common())]
    reasons = Counter(f"{v['mutation']}: {slug}" for _, v in variants if v["outcome"] == "ok" for slug in v["slugs"])
    return "\n".join([*lines, "reasons:", *(f"  {n} {name}" for name, n in reasons.most_common(30))])


@cache
def _gpu() -> Gpu:
    return Gpu()


def work(seed: int, careless: bool, gpu: bool, mutations: Sequence[str]) -> dict[str, Any]:
    """What a process does for one seed."""
    compilers.cores = lambda: 1  # as many processes run as there are cores: one compiler for each is enough
    result = one(seed, careless, _gpu() if gpu else None, mutations)
    result[SPENT] = result.pop("gpu_lost", False)
    return result


def read(log: Path) -> dict[int, dict[str, Any]]:
    """The results in a log, by seed; a last line that was cut off is none."""
    out: dict[int, dict[str, Any]] = {}
    for line in log.read_text().splitlines() if log.exists() else ():
        with contextlib.suppress(json.JSONDecodeError):
            result = json.loads(line)
            out[result["seed"]] = result
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--careless", action="store_true")
    parser.add_argument("--gpu", action="store_true", help="run everything on the GPU, too, and compare memory")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one kernel")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no kernel after so many")
    parser.add_argument("--mutations", type=lambda text: tuple(text.split(",")), default=(), help="by default all")
    given = parser.parse_args()
    start = time.monotonic()
    if given.gpu:
        print(f"on {_gpu().name}", file=sys.stderr, flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    log = given.out / "results.jsonl"
    done = read(log)
    seeds = range(given.seed, given.seed + given.count)
    left = [s for s in seeds if s not in done]
    if left:
        load_interpreter(lambda what, _done, _total: print(what, file=sys.stderr, flush=True))
        # Compiles what watches it, too, so that not every process does.
        work(left[0], given.careless, False, given.mutations)
        print(f"ready after {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    found = results(partial(work, careless=given.careless, gpu=given.gpu, mutations=given.mutations), left, given.jobs,
                    given.limit, start + given.seconds)
    with log.open("a") as file:
        for number, result in enumerate(found, 1):
            result = {"instructions": 0, "variants": [], "gpu": "", **result}
            done[result["seed"]] = result
            file.write(json.dumps(result) + "\n")
            file.flush()
            if notable(result):
                path = given.out / f"kernel{result['seed']}.cu"
                path.write_text(generate(result["seed"], given.careless).source)
            if number % 20 == 0 or number == len(left):
                print(f"{number} of {len(left)} after {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    report = [done[s] for s in seeds if s in done]
    print("\n" + summary(report))
    return int(any(r["failure"] or any(map(used_and_broken, r["variants"])) for r in report))


if __name__ == "__main__":
    sys.exit(main())
