"""Small kernels, compiled and timed by the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing.model import Kernel, SimulatedTime, predict

# Each spends its time on something else: (declaration, body).
KERNELS = {
    "stream": ("int n = 262144; dim3 grid = { 1024 }; dim3 block = { 256 }; float y[n] = zeros(); "
               "float x[n] = uniform(0, 1); k(y, x, n);",
               "k(float *y, const float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
               "if (i < n) y[i] = 2.0f * x[i]; }"),
    "barriers": ("float y[33792] = zeros(); dim3 grid = { 264 }; dim3 block = { 128 }; k(y);",
                 "k(float *y) { __shared__ float s[128]; float a = 0; s[threadIdx.x] = a; for (int i = 0; i < 20; i++) "
                 "{ __syncthreads(); a += s[(threadIdx.x + i) & 127]; __syncthreads(); s[threadIdx.x] = a; } "
                 "y[blockIdx.x * 128 + threadIdx.x] = a; }"),
    "conflicts": ("float y[1024] = zeros(); dim3 grid = { 1 }; dim3 block = { 1024 }; k(y, 24);",
                  "k(float *y, int n) { __shared__ volatile float s[1024]; float x = 0; for (int i = 0; i < n; i++) "
                  "x += s[threadIdx.x * 32 % 1024]; y[threadIdx.x] = x; }"),
    "arithmetic": ("float y[1024] = zeros(); dim3 grid = { 1 }; dim3 block = { 1024 }; k(y, 0.5f, 40);",
                   "k(float *y, float a, int n) { float p = threadIdx.x, q = p, r = p, t = p; "
                   "for (int i = 0; i < n; i++) { p = p * a + 1; q = q * a + 2; r = r * a + 3; t = __sinf(t); } "
                   "y[threadIdx.x] = p + q + r + t; }"),
    "diverging": ("int y[4096] = zeros(); dim3 grid = { 16 }; dim3 block = { 256 }; k(y, 30);",
                  "k(int *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0; for (int j = 0; "
                  "j < n; j++) { if ((i * j) & 4) s += y[(i + j) & 4095]; else s ^= j << (i & 7); } y[i] = s; }"),
    "atomics": ("int y[64] = zeros(); dim3 grid = { 512 }; dim3 block = { 128 }; k(y);",
                "k(int *y) { atomicAdd(y + (threadIdx.x & 63), 1); }"),
}


def compiled(folder: Path, declaration: str, body: str, arch: str = "sm_90") -> tuple[Kernel, Any]:
    """``__global__ void k(...)`` and its launch; ``declaration`` sets grid, block and arrays, and calls ``k``."""
    path = folder / "k.cu"
    path.write_text(f"/* kmutate launch {declaration} */\n__global__ void {body}\n")
    (found,) = compile_originals(Request(path=path, arch=arch))
    binary = found.original
    return Kernel(read_image(binary.cubin, binary.entry), binary.listing), found.target.launches[0]


def timed(folder: Path, name: str, **how: Any) -> SimulatedTime:
    kernel, launch = compiled(folder, *KERNELS[name])
    return predict(kernel, launch, load_machine("h200"), **how)
