"""Holds every counter of ``kmutate simulate`` against ncu: small launches of all samples, originals only.

    python tests/gpu/compare.py prepare FOLDER      # on any machine: compiles, writes one file a launch
    ncu --clock-control none --cache-control all --csv --print-units base \\
        --metrics $(python tests/gpu/counters.py metrics) \\
        python tests/gpu/counters.py run FOLDER > NCU.csv           # on the GPU
    python tests/gpu/counters.py table FOLDER NCU.csv REFERENCE     # on any machine: launch, counter, GPU's and ours

``tests/sim/test_counters_reference.py`` reads the reference, and docs/counters.md says how many launches agree.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import compare

MACHINE = "h200"


def metrics() -> None:
    """Prints ncu's names of all counters that have one."""
    from mutate.sim.counters import COUNTERS

    print(",".join(sorted({c.ncu for c in COUNTERS if c.ncu})))


def originals(folder: Path) -> list[dict[str, Any]]:
    return [j for j in compare._jobs(folder) if j["variant"] == "original" and j["sample"] != "mufu"]


def run(folder: Path) -> None:
    """Launches each original once."""
    driver = compare._Driver()
    for job in originals(folder):
        driver.launch(job)


def simulate(job: dict[str, Any]) -> dict[str, float | int | None]:
    """Our counters of the same launch, all blocks."""
    from mutate.machines import load_machine
    from mutate.pipeline.counting import cache_sizes
    from mutate.sass.disasm import disassemble
    from mutate.sim.caches import Caches
    from mutate.sim.counters import CacheView, Totals, evaluate, kinds
    from mutate.sim.image import read_image
    from mutate.sim.run import Simulation

    image, launch = read_image(job["cubin"], job["entry"]), job["data"]
    (listing,) = disassemble([(job["cubin"], job["entry"])], f"sm_{image.arch}")
    gx, gy, gz = launch.grid
    sizes, _ = cache_sizes(load_machine(MACHINE), image.registers, image.static_smem, 1, launch)
    caches = Caches(sizes, listing, gx * gy * gz, (launch.threads + 31) // 32, image.local_size)
    outcome = Simulation(image, listing, launch, watchers=[caches]).run(range(gx * gy * gz))
    view = CacheView(True, True, sizes.local_through)
    return evaluate(Totals(kinds(listing, False), outcome.counts.per_instruction, view))


def table(folder: Path, measured: Path, out: Path) -> None:
    """Writes launch, counter, GPU's value, ours; what is 0 for both is left out."""
    from mutate.sim.counters import COUNTERS

    found: dict[int, dict[str, float]] = {}
    lines = [line for line in measured.read_text().splitlines() if line.startswith('"')]
    for row in csv.DictReader(lines):
        value = row["Metric Value"].replace(",", "")
        if value not in ("", "n/a"):
            found.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(value)
    with out.open("w", newline="") as target:
        target.write("# made by tests/gpu/counters.py (there: how) on an NVIDIA H200, driver 580.159.04, "
                     "ncu 2025.3.1, 2026-11-21\n")
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(("launch", "counter", "gpu", "simulated"))
        for number, job in enumerate(originals(folder)):
            ours = simulate(job)
            name = job["name"].removesuffix(".original")
            for c in COUNTERS:
                gpu = found[number].get(c.ncu)
                if c.ncu and gpu is not None and (gpu or ours[c.name]):
                    writer.writerow((name, c.name, f"{gpu:g}" if c.ratio else int(gpu), _text(ours[c.name])))


def _text(value: float | int | None) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    mode, *rest = sys.argv[1:]
    {"metrics": metrics, "run": run, "table": table}[mode](*map(Path, rest))
