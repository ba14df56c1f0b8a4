"""The model of time beside what an H200 took (an H100 where the reference is its), launch by launch: FILE has launches.

    python tests/machines/compare_launches.py parts walks            NVRTC 13.0.88; needs no GPU
    python tests/machines/compare_launches.py stores -k beside_stores
    python tests/machines/compare_launches.py adds --machine h100    where another's times are kept, too
    python tests/machines/compare_launches.py meets --instructions   those of the grid, beside ncu's
    python tests/machines/compare_launches.py --write                all files, for docs/microbenchmarks.md; six minutes
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mutate.launch.model import Launch
from mutate.machines import Machine, load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing.model import Kernel, predict, sample_of

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from compilers import MEASURED, nvrtc_version  # noqa: E402
from launch_rows import launch_rows  # noqa: E402

KEPT = HERE / "reference" / "h200_compared.json"


def timed_on(name: str) -> str | None:
    """The machine whose times of the file's launches are kept."""
    for machine in ("h200", "h100"):
        path = HERE / "reference" / f"{machine}_{name}.csv"
        if path.exists() and any(line.startswith("kernel,instance,launch,") for line in path.open()):
            return machine
    return None


def files() -> list[str]:
    """Those with launches of which a time is kept."""
    return [path.stem for path in sorted(HERE.glob("*.cu")) if timed_on(path.stem)]


def measured(name: str, machine: str, column: str = "us") -> dict[tuple[str, str, int], float]:
    """Microseconds, or what a column has, by kernel, template arguments and number of the launch."""
    return {(kernel, instance, launch): float(row[column])
            for kernel, instance, launch, row in launch_rows(f"{machine}_{name}")}


def microseconds(kernel: Kernel, launch: Launch, machine: Machine) -> float:
    return 1e3 * predict(kernel, launch, machine).time_ms


def instructions(kernel: Kernel, launch: Launch, machine: Machine) -> float:
    """Of the grid's warps, from those of the blocks that are known."""
    sample = sample_of(kernel, launch, machine)
    return sample.grid_blocks * float(np.mean([w.total for w in sample.works]))


def compared(name: str, only: str | None, on: str, counted: bool = False) -> Iterator[tuple[str, int, float, float]]:
    """Kernel with its arguments, number of the launch, microseconds, or instructions, as measured and as simulated."""
    known = measured(f"{name}_counted", on, "instructions") if counted else measured(name, on)
    machine, simulated = load_machine(on), instructions if counted else microseconds
    for found in compile_originals(Request(path=HERE / f"{name}.cu", arch="sm_90")):
        kernel = Kernel(read_image(found.original.cubin, found.original.entry), found.original.listing)
        for number, launch in enumerate(found.target.launches):
            us = known.get((launch.kernel, launch.template_args or "", number))
            if us is not None and only in (None, launch.kernel):
                yield found.target.name, number, us, simulated(kernel, launch, machine)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("-k", "--kernel", help="only this one")
    parser.add_argument("--machine", choices=("h200", "h100"), help="the one that the files' times are of")
    parser.add_argument("--instructions", action="store_true", help="not times: as ncu counted them")
    parser.add_argument("--write", action="store_true", help="all files, kept as reference data")
    given = parser.parse_args()
    if given.write == bool(given.files) or (given.write and (given.kernel or given.machine or given.instructions)):
        parser.error("give FILEs, or --write alone")
    if given.write and nvrtc_version() != MEASURED:
        parser.error(f"NVRTC is {nvrtc_version()}, and the code that was measured is of {MEASURED}")
    uncounted = [n for n in given.files if given.instructions and not timed_on(f"{n}_counted")]
    if uncounted:
        parser.error(f"no instructions were counted of {', '.join(uncounted)}: see reference/*_counted.csv")
    kept: dict[str, dict[str, list[float]]] = {}
    for name in given.files or files():
        errors = kept.setdefault(name, {})
        unit, machine = "" if given.instructions else " us", given.machine or str(timed_on(name))
        for kernel, number, us, simulated in compared(name, given.kernel, machine, given.instructions):
            error = simulated / us - 1.0
            errors.setdefault(kernel.partition("<")[0], []).append(round(error, 4))
            print(f"{kernel:24s} {number:3d}  {us:9.2f}{unit}, model {simulated:9.2f} ({100 * error:+.0f} %)",
                  flush=True)
        off = np.abs([e for found in errors.values() for e in found])
        if len(off):
            print(f"{name}: {len(off)} launches, mean error {100 * off.mean():.1f} %, "
                  f"median {100 * np.median(off):.1f}, nine of ten within {100 * np.quantile(off, 0.9):.1f}")
    if given.write:
        lines = [f' "{name}": {{\n' + ",\n".join(f'  "{k}": {json.dumps(v)}' for k, v in errors.items()) + "\n }"
                 for name, errors in kept.items()]
        KEPT.write_text(f'{{"nvrtc": "{MEASURED}", "files": {{\n' + ",\n".join(lines) + "\n}}\n")


if __name__ == "__main__":
    main()
