"""Small kernels for sweeps."""

from __future__ import annotations

from pathlib import Path

from mutate.analyzed import Analysis, AnalyzeRequest, LaunchAnalysis
from mutate.pipeline.analyze import run_analysis
from mutate.results import Request
from mutate.sweeps import Sweep, SweepRun

# 24 KB that a block reads twice: they stay in an L1 of 48 KB, not in one of 16.
AGAIN = """
/* kmutate launch
   float in[14 * 6144] = uniform(0, 1);
   float out[14 * 256] = zeros();
   dim3 grid = { 14 };
   dim3 block = { 256 };
   again(out, in);
*/
__global__ void again(float *out, const float *in)
{
    float sum = 0.0f;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = threadIdx.x; i < 6144; i += 256)
            sum += in[blockIdx.x * 6144 + i] * (turn + 1);
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
"""

# Each thread reads a line of 128 bytes, word by word: the lines of a warp are 4 KB, those of the block 32.
WALK = """
/* kmutate launch
   float in[14 * 8192] = uniform(0, 1);
   float out[14 * 256] = zeros();
   dim3 grid = { 14 };
   dim3 block = { 256 };
   walk(out, in);
*/
__global__ void walk(float *out, const float *in)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += in[at * 32 + k];
    out[at] = sum;
}
"""

# Each thread waits for one load after another: only more warps help.
CHASE = """
/* kmutate launch
   int n = 1 << 20;
   int next[n] = permutation();
   int out[132 * 16 * 128] = zeros();
   dim3 grid = { 132 * 16 };
   dim3 block = { 128 };
   chase(out, next, n);
*/
__global__ void chase(int *out, const int *next, int n)
{
    __shared__ int room[6144];
    int at = (blockIdx.x * 128 + threadIdx.x) * 7 % n;
    room[threadIdx.x] = at;
    for (int k = 0; k < 8; k++)
        at = next[at];
    out[blockIdx.x * 128 + threadIdx.x] = at + room[threadIdx.x];
}
"""

# 48 values that are all alive at the same time.
ALIVE = """
/* kmutate launch
   float in[132 * 256] = uniform(0, 1);
   float out[132 * 256] = zeros();
   dim3 grid = { 132 };
   dim3 block = { 256 };
   alive(out, in);
*/
__global__ void BOUNDS alive(float *out, const float *in)
{
    float v[48];
    const int at = blockIdx.x * 256 + threadIdx.x;
    v[0] = in[at];
#pragma unroll
    for (int k = 1; k < 48; k++) v[k] = v[k - 1] * 1.5f + k;
    for (int turn = 0; turn < 4; turn++) {
#pragma unroll
        for (int k = 0; k < 48; k++) v[k] = v[k] * v[(k * 7 + 1) % 48] + v[(k * 5 + 3) % 48];
    }
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 48; k++) sum += v[k];
    out[at] = sum;
}
"""


def analysis(folder: Path, text: str, sweeps: str, machine: str | None = "h200", *, cap: int | None = None,
             bounds: str = "", backend: str = "sim", counters: bool = False) -> Analysis:
    path = folder / "kernel.cu"
    path.write_text(text.replace("BOUNDS", bounds))
    source = Request(path, mutations=("memory-only", "math-only"), arch="", maxrregcount=cap)
    return run_analysis(AnalyzeRequest(source, backend, machine, counters=counters, sweeps=tuple(sweeps.split(","))))


def launch(found: Analysis) -> LaunchAnalysis:
    (kernel,) = found.kernels
    assert kernel.error is None
    (only,) = kernel.launches
    return only


def swept(folder: Path, text: str, axis: str, machine: str = "h200", *, cap: int | None = None, bounds: str = ""
          ) -> Sweep:
    (sweep,) = launch(analysis(folder, text, axis, machine, cap=cap, bounds=bounds)).sweeps
    assert sweep.axis == axis
    return sweep


def own(sweep: Sweep, name: str) -> SweepRun:
    """The original under a setting."""
    setting = next(s for s in sweep.settings if s.name == name)
    run = setting.run("original")
    assert run is not None
    return run
