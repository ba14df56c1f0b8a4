"""The model of time beside what an H200 took, launch by launch: FILE is the name of one with launches here.

    python tests/machines/compare_launches.py parts walks            NVRTC 13.0.88; needs no GPU
    python tests/machines/compare_launches.py stores -k beside_stores
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_file
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing.model import Kernel, predict

HERE = Path(__file__).parent


def measured(name: str) -> dict[tuple[str, str, int], float]:
    """Microseconds by kernel, template arguments and number of the launch."""
    lines = (HERE / "reference" / f"h200_{name}.csv").read_text().splitlines()
    return {(r["kernel"], r["instance"], int(r["launch"])): float(r["us"])
            for r in csv.DictReader(line for line in lines if not line.startswith("#"))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-k", "--kernel", help="only this one")
    given = parser.parse_args()
    machine = load_machine("h200")
    for name in given.files:
        known, errors = measured(name), []
        for found in compile_file(Request(path=HERE / f"{name}.cu", arch="sm_90", mutations=("identity",))):
            kernel = Kernel(read_image(found.original.cubin, found.original.entry), found.original.listing)
            for number, launch in enumerate(found.target.launches):
                us = known.get((launch.kernel, launch.template_args or "", number))
                if us is None or given.kernel not in (None, launch.kernel):
                    continue
                simulated = 1e3 * predict(kernel, launch, machine).time_ms
                errors.append(simulated / us - 1.0)
                print(f"{found.target.name:24s} {number:3d}  {us:9.2f} us, model {simulated:9.2f} "
                      f"({100 * errors[-1]:+.0f} %)")
        if errors:
            off = np.abs(errors)
            print(f"{name}: {len(off)} launches, mean error {100 * off.mean():.1f} %, "
                  f"median {100 * np.median(off):.1f}, nine of ten within {100 * np.quantile(off, 0.9):.1f}")


if __name__ == "__main__":
    main()
