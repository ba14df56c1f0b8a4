"""A kernel as long as one wants, of what long kernels consist of: stages with tiles, loops, branches and reductions."""

from __future__ import annotations

_HEAD = """\
#define IDX(x, y) ((y) * nx + (x))
struct Params { float dt, dx, eps; int nx, ny; const float *coeff; };

__device__ __forceinline__ float limited(float a, float b)
{
    float r = a * b > 0.0f ? (fabsf(a) < fabsf(b) ? a : b) : 0.0f;
    return r;
}

__device__ float flux(const float *q, int at, int stride, float dx)
{
    float left = limited(q[at] - q[at - stride], q[at + stride] - q[at]);
    float right = limited(q[at + stride] - q[at], q[at + 2 * stride] - q[at + stride]);
    return (q[at] + 0.5f * left - q[at + stride] + 0.5f * right) / dx;
}

__global__ void __launch_bounds__(256)
long_kernel(float *__restrict__ out, float *__restrict__ energy, const float *__restrict__ in,
            const int *__restrict__ cells, const Params p, int n)
{
    __shared__ float tile[18][18];
    __shared__ float sums[8];
    const int nx = p.nx;
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    const int lane = threadIdx.y * 16 + threadIdx.x;
    float total = 0.0f;
    if (x >= nx - 2 || y >= p.ny - 2 || x < 2 || y < 2) return;
"""
_STAGE = """\
    // stage {i}
    tile[threadIdx.y + 1][threadIdx.x + 1] = in[IDX(x, y) + {i} * n];
    if (threadIdx.x == 0)
        tile[threadIdx.y + 1][0] = in[IDX(x - 1, y) + {i} * n];
    __syncthreads();
    float a{i} = 0.0f, b{i} = {previous};
#pragma unroll 4
    for (int k = -1; k <= 1; ++k) {{
        a{i} += p.coeff[k + 1 + {i}] * tile[threadIdx.y + 1 + k][threadIdx.x + 1];
        b{i} = fmaf(a{i}, b{i}, in[IDX(x + k, y) + {i} * n]);
    }}
    int cell{i} = cells[IDX(x, y)] + {i};
    if (cell{i} > 0 && a{i} > p.eps) {{
        float4 v = *reinterpret_cast<const float4 *>(in + 4 * cell{i});
        a{i} += v.x * b{i} + v.y / (fabsf(v.z) + p.eps);
        b{i} -= flux(in, IDX(x, y), nx, p.dx) * v.w;
    }} else {{
        b{i} += flux(in, IDX(x, y), 1, p.dx);
    }}
    float s{i} = sqrtf(a{i} * a{i} + b{i} * b{i}) * p.dt;
    for (int d = 16; d > 0; d >>= 1)
        s{i} += __shfl_xor_sync(0xffffffffu, s{i}, d);
    if ((lane & 31) == 0) sums[lane >> 5] = s{i};
    __syncthreads();
    total += sums[lane & 7];
    out[IDX(x, y) + {i} * n] = a{i} + total;
    if (lane == 0) atomicAdd(&energy[{i}], s{i});
"""


def long_kernel(lines: int) -> str:
    """A file whose kernel has at least so many lines; valid CUDA C++."""
    text, stage = _HEAD, 0
    while text.count("\n") - text[: text.index("__global__")].count("\n") < lines:
        text += _STAGE.format(i=stage, previous=f"b{stage - 1}" if stage else "p.dt")
        stage += 1
    return text + "}\n"
