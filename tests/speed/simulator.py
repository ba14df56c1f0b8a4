"""How fast the simulator executes, with all counters, on one core; beside numba's CUDA simulator in the same run.

    python tests/speed/simulator.py [--seconds 1]

Warp instructions a second of the original kernels with their declared launches (a sample of blocks, as many as fill
the time), and seconds per thread. numba's simulator runs Python threads: the same sum reduction, written in
Python for it, in blocks of the same 512 threads.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from itertools import count

from mutate.launch.model import Launch
from mutate.pipeline.binaries import compile_originals
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.sim.code import load_interpreter
from mutate.sim.image import read_image
from mutate.sim.run import Simulation, sample_blocks

KERNELS = (("fd3d", "fd3d"), ("matmul", "matmul_tiled"), ("reduction", "reduce3"))
_NUMBA = """
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from numba import cuda

@cuda.jit
def reduce(v, out):
    s = cuda.shared.array(512, np.int32)
    t = cuda.threadIdx.x
    s[t] = v[cuda.grid(1)]
    cuda.syncthreads()
    step = 256
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]

blocks = 2
v, out = np.ones(512 * blocks, np.int32), np.zeros(blocks, np.int32)
start = time.perf_counter()
reduce[blocks, 512](v, out)
wall = time.perf_counter() - start
assert (out == 512).all()
print(wall / (512 * blocks))
"""


def run(simulation: Simulation, launch: Launch, seconds: float) -> tuple[int, int, float]:
    """(warp instructions, blocks, wall seconds) of at least that long, the first block aside."""
    simulation.run(sample_blocks(launch.grid, 1))
    simulation.counters[:] = 0
    start = time.perf_counter()
    total = launch.grid[0] * launch.grid[1] * launch.grid[2]
    for blocks in count(1):
        simulation.run([blocks * 37 % total])
        wall = time.perf_counter() - start
        if wall >= seconds:
            return int(simulation.counters[:, 0].sum()), blocks, wall
    raise AssertionError("count() ends")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()
    start = time.perf_counter()
    load_interpreter(lambda what, *_: print(what))
    print(f"interpreter loaded in {time.perf_counter() - start:.2f} s")
    for sample, kernel in KERNELS:
        path = samples_dir() / f"{sample}.cu"
        (found,) = compile_originals(Request(path=path, kernels=(kernel,)))
        launch = found.target.launches[0]
        image = read_image(found.original.cubin, found.original.entry)
        simulation = Simulation(image, found.original.listing, launch, budget=10**10)
        instructions, blocks, wall = run(simulation, launch, args.seconds)
        print(f"{kernel:14} {instructions / wall / 1e6:6.2f} million warp instructions/s "
              f"({blocks} blocks, {wall / (blocks * launch.threads) * 1e6:.2f} us a thread)")
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, "-c", _NUMBA], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"numba's CUDA simulator does not run here: {done.stderr.strip().splitlines()[-1]}")
    else:
        print(f"numba's CUDA simulator, a reduction in blocks of 512: {float(done.stdout) * 1e6:.0f} us a thread")


if __name__ == "__main__":
    main()
