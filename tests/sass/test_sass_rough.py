"""The quick count, which decides on a second compile before the disassembly, against nvdisasm on all architectures."""

from __future__ import annotations

import pytest
from sass_cases import ARCHS

from mutate.sass.classes import count_classes
from mutate.sass.disasm import disassemble
from mutate.sass.rough import rough_counts
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

pytestmark = pytest.mark.skipif(find_toolchain().nvdisasm is None, reason="no nvdisasm for this platform")

MATRICES = b"""#include <mma.h>
using namespace nvcuda;
__global__ void halves(const half *a, float *c) {
    __shared__ half s[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    wmma::load_matrix_sync(x, s, 16);
    wmma::load_matrix_sync(y, a, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}
__global__ void bytes(const signed char *a, int *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> z;
    wmma::fill_fragment(z, 0);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, a + 256, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}
"""
PLAIN = b"""__global__ void plain(float *out, const float4 *in, float **indirect, unsigned *hist, double d) {
    __shared__ float4 s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float4 v = s[63 - threadIdx.x];
    *indirect[2] = *indirect[1] * v.x + sinf(v.y);
    atomicAdd(&hist[threadIdx.x], 1u);
    out[threadIdx.x] = v.z * d + 0.5;
}
"""
IMAGES = b"""__global__ void images(float *out, cudaTextureObject_t t, cudaSurfaceObject_t s, float x, float y, int i) {
    float4 v = tex2D<float4>(t, x, y), g = tex2Dgather<float4>(t, x, y, 1);
    float2 d = make_float2(x, y);
    out[0] = v.x + g.y + tex1Dfetch<float>(t, i) + tex3D<float>(t, x, y, x) + tex2DGrad<float>(t, x, y, d, d);
    surf2Dwrite(out[1], s, 4 * i, i);
    out[2] = surf1Dread<float>(s, 4 * i);
}
"""
CLASSES = ("texture", "surface", "tensor", "generic_", "global_load", "global_store", "shared_load", "shared_store",
           "barrier", "sfu", "fp64.fma", "async_copy")


@pytest.mark.parametrize("arch", ARCHS)
def test_the_quick_count_agrees_with_nvdisasm(arch: str) -> None:
    jobs = [Job(PLAIN, "plain.cu", "plain", CompileOptions(arch=arch)),
            Job(IMAGES, "images.cu", "images", CompileOptions(arch=arch))]
    if arch != "sm_75":  # no tensor cores for bytes of this shape there
        jobs += [Job(MATRICES, "matrices.cu", entry, CompileOptions(arch=arch)) for entry in ("halves", "bytes")]
    for job, result in zip(jobs, compile_many(jobs), strict=True):
        assert isinstance(result, Compiled), (job.entry, result)
        exact = count_classes(disassemble([(result.cubin, result.entry)], arch)[0])
        rough = rough_counts(result.cubin, result.entry)
        mine = {c: n for c, n in exact.items() if c.startswith(CLASSES)}
        assert {c: n for c, n in rough.items() if c.startswith(CLASSES)} == mine, job.entry
        assert mine
