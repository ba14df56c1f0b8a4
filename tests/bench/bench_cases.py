"""A kernel file with a bit of everything, variants of it written by hand, and the bench that times them."""

from __future__ import annotations

from pathlib import Path

from mutate.launch import check_against, evaluate_all, find_declarations
from mutate.report.bench import Bench, BenchCase, BenchVariant, written_arrays

KERNEL = r'''#include <cstdio>   /* a comment
that goes on */
#include <cuda_fp16.h>
#include "local.cuh"
#ifndef TILE
#define TILE 16
#endif
#define SCALE(x) ((x) * TILE)
#if TILE > 8
#include <cuda_bf16.h>
#endif

/* kmutate launch
   seed(7);
   int n = 64 * TILE;
   dim3 grid = { n / TILE }, block = { TILE };
   int smem = TILE * sizeof(float);
   float out[n] = iota(); float4 in[n] = uniform(-1, 1); int perm[n] = permutation();
   float table[5] = {1, 2, 3};
   struct P { float a; half h; const float *w; struct { short s[3]; } inner; };
   struct P p = { 1.5f, .w = table + 1, .inner = {{ 1, 2, 3 }} };
   extern float coef[3] = { 2.5f, -1 };
   extern int mode = 3;
   mix(out, in, perm, p, 0.5, make_float2(1, 2), -7, (half2){1, 2});
   templated<TILE, float>(out, table);
   extern "C";
*/
struct P { float a; half h; const float *w; struct { short s[3]; } inner; };
__constant__ float coef[3];
__device__ int mode;
__device__ float helper(float x) { return local_scale(x) * SCALE(mode); }

extern "C" __global__ void mix(float *out, const float4 *in, const int *perm, const P p, half h, float2 f, long long z,
                               half2 pair)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * TILE + threadIdx.x;
    tile[threadIdx.x] = in[perm[i]].x;
    __syncthreads();
    out[i] += helper(tile[TILE - 1 - threadIdx.x]) * p.a + p.w[p.inner.s[0]] * coef[1] + __half2float(h) * f.y + z
              + __low2float(pair);
}

extern "C" {
template_free_helper_declaration
}
template <int N, class T> __global__ void templated(T *out, const T *table)
{
    out[blockIdx.x * N + threadIdx.x] += table[threadIdx.x % 5];
}
'''.replace('   extern "C";\n', "").replace('extern "C" {\ntemplate_free_helper_declaration\n}\n',
                                             'extern "C" {\n__device__ void unused_helper() {}\n}\n')

LOCAL = "#pragma once\n__device__ inline float local_scale(float x) { return 2 * x; }\n"

PARAMS = {
    "mix": [("float *", "out"), ("const float4 *", "in"), ("const int *", "perm"), ("const P", "p"), ("half", "h"),
            ("float2", "f"), ("long long", "z"), ("half2", "pair")],
    "templated": [("T *", "out"), ("const T *", "table")],
}


def variants(kernel: str, smem: int) -> tuple[BenchVariant, ...]:
    flag = KERNEL.replace("struct P {", "__constant__ int km_flag;\nstruct P {", 2)
    flag = flag.replace("   __constant__ int km_flag;\nstruct P", "   struct P", 1)
    no_sync = flag.replace("__syncthreads();", "")
    return (
        BenchVariant("original", KERNEL, kernel, smem),
        BenchVariant("no-sync", no_sync, kernel, smem, 50),
        BenchVariant("memory-only+no-sync", no_sync.replace("* p.a", "* (p.a + km_flag)"), kernel, smem + 2048, 50),
    )


def bench(folder: Path) -> Bench:
    """The bench of the file above, which is put into ``folder`` together with its include."""
    source = folder / "mixed.cu"
    source.write_text(KERNEL)
    (folder / "local.cuh").write_text(LOCAL)
    launches = evaluate_all(find_declarations(KERNEL.encode(), str(source)), {"TILE": "16"})
    cases = []
    for launch in launches:
        params = PARAMS[launch.kernel]
        checked = check_against(launch, params).launch
        cases.append(BenchCase(checked, variants(launch.instance, launch.smem), written_arrays(launch, params)))
    return Bench(source, folder / "out", tuple(cases), ("-O3", "-arch=sm_90"))
