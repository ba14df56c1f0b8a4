"""How fast times are simulated, on one core: warp instructions a second with timing included, memory, how cost grows.

    python tests/speed/timing.py [--part kernels|grid|trips|budget|analyze] [--all | --only SAMPLE:KERNEL[:LAUNCH]]

Each row is a process of its own, on one core, which simulates the launch twice: the second time counts, because code is
loaded then. Seconds are the core's (processor time), so that others on the machine disturb little. `analyze` is cold
(an empty cache, but compiled code) and warm, on one core and on all; memory is the largest process's.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mutate.resources import samples_dir
from mutate.sim.code import ENVIRONMENT as CODE_CACHE
from mutate.toolchain.cache import default_cache

MACHINE = "h200"
# The simulator's machine code is made once for a machine; an empty cache is not a first use.
CODE = (default_cache().folder or Path(tempfile.gettempdir())) / "sim"
KERNELS = ("fd3d:fd3d", "fd3d_order12:fd3d_order12", "matmul:matmul_naive", "matmul:matmul_tiled",
           "matmul:matmul_one_shared", "nbody:nbody", "reduction:reduce3", "histogram:histogram_global",
           "histogram:histogram_shared", "softmax_rows:softmax_rows", "spmv_csr:spmv_vector", "increment:increment1",
           "half_axpy:half_axpy", "transpose:transpose_naive", "spmv_csr:spmv_scalar", "matmul:matmul_naive:2")
# Loads, arithmetic, shared memory and barriers; ``blocks`` of the turn of one of 132 SMs, ``trips`` of the loop.
GROWING = """/* kmutate launch
   int blocks = 1; int trips = 32; int n = 132 * 256 * blocks;
   dim3 grid = { 132 * blocks }; dim3 block = { 256 };
   float out[n] = zeros(); float in[n + 65536] = uniform(0, 1);
   grow(out, in, trips);
*/
__global__ void grow(float *out, const float *in, int trips)
{
    __shared__ float s[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
#pragma unroll 1
    for (int k = 0; k < trips; k++) {
        s[threadIdx.x] = in[i + 32 * k % 65536];
        __syncthreads();
        x = x * 0.5f + s[threadIdx.x ^ 1] * s[255 - threadIdx.x];
        __syncthreads();
    }
    out[i] = x;
}
"""
_ALL = 10**9
"""As many instructions recorded and played as there are."""


def one(path: Path, kernel: str, number: int, settings: dict[str, str], budget: int | None) -> dict[str, Any]:
    """Simulates the time of a launch; seconds of the processor."""
    from mutate.machines import load_machine
    from mutate.pipeline.binaries import compile_originals
    from mutate.results import Request
    from mutate.sim.image import read_image
    from mutate.sim.run import Simulation
    from mutate.sim.timing import model, sampling

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found = compile_originals(Request(path=path, kernels=(kernel,), arch="sm_90",
                                 settings=settings))[0]
    binary, launch, machine = found.original, found.target.launches[number], load_machine(MACHINE)
    given: dict[str, Any] = {} if budget is None else {"recorded": budget, "played": budget}
    inner, recording = sampling.record, [0.0, 0.0]
    turn, executed = Simulation.go_on, [0]

    def record(*args: Any, **named: Any) -> Any:
        start = time.process_time()
        sample = inner(*args, **named)
        recording[:] = time.process_time() - start, sample.instructions
        return sample

    def go_on(self: Simulation, *given: Any) -> int:
        before = int(self.control[0])
        status = turn(self, *given)
        executed[0] += before - int(self.control[0])
        return status

    model.record = record  # type: ignore[attr-defined]
    Simulation.go_on = go_on  # type: ignore[method-assign]
    for _ in range(2):
        start, executed[0] = time.process_time(), 0
        result = model.predict(model.Kernel(read_image(binary.cubin, binary.entry), binary.listing), launch, machine,
                               **given)
        seconds = time.process_time() - start
    grid = launch.grid[0] * launch.grid[1] * launch.grid[2]
    return {"played": result.played, "seconds": seconds, "record": recording[0], "ran": recording[1],
            "executed": executed[0],
            "grid": recording[1] / len(result.sampled) * grid, "time_ms": result.time_ms,
            "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def child(path: Path, kernel: str, number: int = 0, settings: dict[str, str] | None = None,
          budget: int | None = None) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", json.dumps([str(path), kernel, number, settings or {}, budget])]
    out: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return out


def show(title: str, columns: list[str], rows: list[list[str]], below: str = "") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", caption=below, caption_justify="left")
    for name in columns:
        table.add_column(name, justify="left" if name == columns[0] else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=120).print(table)


def kernels(every: bool, only: list[str] | None) -> None:
    names = only or list(KERNELS)
    if every:
        from mutate.frontend.load import load_unit

        files = sorted(samples_dir().glob("*.cu"))
        names = [f"{p.stem}:{k.name}" for p in files for k in load_unit(p.read_bytes(), str(p)).kernels]
    rows, total = [], [0.0, 0.0]
    for name in names:
        file, kernel, number = (*name.split(":"), "1")[:3]
        r = child(samples_dir() / f"{file}.cu", kernel, int(number) - 1)
        work = max(r["ran"], r["played"])
        total[0], total[1] = total[0] + work, total[1] + r["seconds"]
        rows.append([kernel + (f", launch {number}" if number != "1" else ""), f"{r['grid']:.3g}", f"{r['ran']:.0f}",
                     f"{r['executed']:.0f}", f"{r['played']:.0f}", f"{r['record']:.3f}", f"{r['seconds']:.3f}",
                     f"{work / r['seconds'] / 1e6:.2f}", f"{r['mib']:.0f}"])
    show("Warp instructions a second, timing included", ["kernel", "in the grid", "executed", "in all",
         "played", "record, s", "all, s", "M/s", "peak MiB"], rows,
         f"together {total[0] / total[1] / 1e6:.2f} M/s; the more of executed and "
         "played: of a long block a part is played, and blocks that were executed once may be played several times")


def grow(title: str, steps: list[tuple[str, dict[str, str], int]], file: Path, kernel: str) -> None:
    rows, points = [], []
    for label, settings, budget in steps:
        r = child(file, kernel, 0, settings, budget)
        points.append((math.log(r["played"]), math.log(r["seconds"])))
        rows.append([label, f"{r['played']:.0f}", f"{r['seconds']:.3f}", f"{r['seconds'] / r['played'] * 1e6:.3f}",
                     f"{r['time_ms']:.4f}", f"{r['mib']:.0f}"])
    x, y = [p[0] for p in points], [p[1] for p in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mx) * (b - my) for a, b in points) / sum((a - mx) ** 2 for a in x)
    show(title, ["work", "instructions played", "s", "s a million", "simulated ms", "peak MiB"], rows,
         f"slope of log s over log instructions: {slope:.2f}")


def analyze() -> None:
    def run(cache: str, cores: set[int]) -> list[float]:
        command = [sys.executable, "-c", "import os, resource, runpy, sys\n"
                   f"hasattr(os, 'sched_setaffinity') and os.sched_setaffinity(0, {cores})\n"
                   "sys.argv[0] = 'kmutate'\n"
                   "try: runpy.run_module('mutate', run_name='__main__')\n"
                   "except SystemExit: pass\n"
                   "used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]\n"
                   "print(sum(u.ru_utime + u.ru_stime for u in used), max(u.ru_maxrss for u in used), file=sys.stderr)",
                   "analyze", str(samples_dir() / "fd3d.cu"), "--backend", "sim", "--machine", MACHINE]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True,
                              env={CODE_CACHE: str(CODE), **os.environ, "KMUTATE_CACHE": cache})
        return [time.perf_counter() - start, *map(float, done.stderr.split()[-2:])]

    every = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    rows = []
    for cores in ({max(every)}, every):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("cold", "warm", "warm again"):
                wall, processor, kib = run(folder, cores)
                rows.append([f"{name}, {len(cores)} core{'s' * (len(cores) > 1)}", f"{wall:.2f}", f"{processor:.2f}",
                             f"{kib / 1024:.0f}"])
    show(f"kmutate analyze fd3d.cu --backend sim --machine {MACHINE}, all variants",
         ["cache", "wall, s", "processor, s", "peak MiB of a process"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["kernels", "grid", "trips", "budget", "analyze"])
    parser.add_argument("--all", action="store_true", help="every kernel of the samples")
    parser.add_argument("--only", action="append", metavar="SAMPLE:KERNEL[:LAUNCH]", help="these kernels")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        path, *rest = json.loads(args.one)
        print(json.dumps(one(Path(path), *rest)))
        return
    parts = [args.part] if args.part else ["kernels", "grid", "trips", "budget", "analyze"]
    if "kernels" in parts:
        kernels(args.all, args.only)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "grow.cu"
        file.write_text(GROWING)
        if "grid" in parts:
            grow("A growing grid, all of an SM's turn recorded and played",
                 [(f"{n} blocks an SM", {"blocks": str(n)}, _ALL) for n in (4, 12, 40, 120, 400, 1200)], file, "grow")
        if "trips" in parts:
            grow("A growing loop, one block an SM, all of it recorded and played",
                 [(f"{n} trips", {"trips": str(n)}, _ALL) for n in (130, 400, 1300, 4000, 13000, 40000)], file, "grow")
    if "budget" in parts:
        grow("A growing part of matmul_naive, 2048 x 2048 (1.2e9 warp instructions)",
             [(f"{n:,} at most", {}, n) for n in (40_000, 120_000, 400_000, 1_200_000, 4_000_000)],
             samples_dir() / "matmul.cu", "matmul_naive")
    if "analyze" in parts:
        analyze()


if __name__ == "__main__":
    main()
