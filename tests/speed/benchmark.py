"""Times ``kmutate variants`` as a whole process, cold and warm; parse + mutate for the samples' kernels and long ones.

    python tests/speed/benchmark.py [--runs 5] [--file samples/fd3d.cu] [--dynamic]

Cold: an empty cache folder for each run. Warm: the run before has filled it. Wall seconds, medians. Without --dynamic
the simulator is left out. NVRTC and nvdisasm: the time while at least one of them is at work on code.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from long_kernel import long_kernel

from mutate.analysis.program import analyse
from mutate.frontend.load import load_unit
from mutate.mutations.build import build_variant
from mutate.mutations.registry import all_mutations
from mutate.resources import samples_dir
from mutate.sim.code import ENVIRONMENT as CODE_CACHE
from mutate.toolchain.cache import default_cache

# The simulator's machine code is made once for a machine; an empty cache is not a first use.
CODE = (default_cache().folder or Path(tempfile.gettempdir())) / "sim"

def process(file: Path, cache: str, out: str, more: list[str]) -> tuple[float, dict[str, float]]:
    start = time.perf_counter()
    run = subprocess.run([sys.executable, "-m", "mutate", "variants", str(file), "-o", out, "--json", *more],
                         env={CODE_CACHE: str(CODE), **os.environ, "KMUTATE_CACHE": cache}, capture_output=True,
                         check=True)
    wall = time.perf_counter() - start
    return wall, json.loads(run.stdout)["seconds"]


def whole(file: Path, runs: int, more: list[str]) -> None:
    cold, warm, shares = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        process(file, f"{folder}/first", f"{folder}/out", more)  # files into the page cache
        for i in range(runs):
            wall, seconds = process(file, f"{folder}/{i}", f"{folder}/out", more)
            cold.append(wall)
            shares.append((seconds["nvrtc"] + seconds["nvdisasm"]) / wall)
            warm.append(process(file, f"{folder}/{i}", f"{folder}/out", more)[0])
    print(f"kmutate variants {' '.join([file.name, *more])}, all mutations, {runs} runs, {os.cpu_count()} cores")
    print(f"  cold  {statistics.median(cold):.2f} s (min {min(cold):.2f}, max {max(cold):.2f}), "
          f"NVRTC and nvdisasm {statistics.median(shares):.0%} of it")
    print(f"  warm  {statistics.median(warm):.2f} s (min {min(warm):.2f}, max {max(warm):.2f})")


def parse_and_mutate() -> None:
    mutations = [(m,) for m in all_mutations().values()]
    rows = []
    for path in sorted(samples_dir().glob("*.cu")):
        source = path.read_bytes()
        load_unit(source, str(path))
        start = time.perf_counter()
        unit = load_unit(source, str(path))
        parse = time.perf_counter() - start
        for kernel in unit.kernels:
            start = time.perf_counter()
            program = analyse(unit, kernel)
            for m in mutations:
                build_variant(unit, kernel, m, program)
            rows.append((f"{path.stem}: {kernel.name}", parse / len(unit.kernels), time.perf_counter() - start))
    rows.sort(key=lambda r: -(r[1] + r[2]))
    print(f"parse and mutate, {len(mutations)} mutations, {len(rows)} kernels: "
          f"median {statistics.median(a + b for _, a, b in rows) * 1e3:.1f} ms a kernel; the slowest:")
    for name, a, b in rows[:5]:
        print(f"  {name:<40} {a * 1e3:5.1f} + {b * 1e3:5.1f} ms")


def long_kernels() -> None:
    """tests/speed/test_speed_long_kernel.py holds the second one under a second."""
    mutations = [(m,) for m in all_mutations().values()]
    for lines in (250, 500, 1000, 2000):
        source = long_kernel(lines).encode()
        start = time.process_time()
        unit = load_unit(source, "long.cu")
        parse = time.process_time() - start
        program = analyse(unit, unit.kernels[0])
        for m in mutations:
            build_variant(unit, unit.kernels[0], m, program)
        print(f"  a kernel of {lines:>4} lines{'':<21} {parse * 1e3:5.1f} + "
              f"{(time.process_time() - start - parse) * 1e3:5.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--file", type=Path, default=samples_dir() / "fd3d.cu")
    parser.add_argument("--dynamic", action="store_true")
    args = parser.parse_args()
    whole(args.file, args.runs, [] if args.dynamic else ["--no-dynamic"])
    parse_and_mutate()
    long_kernels()


if __name__ == "__main__":
    main()
