"""Values that math-only makes up take the same way through a division as real ones, also those of 16 bits."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.model import Verdict
from mutate.pipeline.run import run_variants
from mutate.results import Request
from mutate.toolchain.locate import find_toolchain

QUOTIENTS = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
struct alignas(16) Halves { half v[8]; };
struct alignas(16) Brains { __nv_bfloat16 v[8]; };
/* kmutate launch
   int n = 1 << 15;
   dim3 grid = { n / 128 }, block = { 128 };
   __nv_bfloat16 one[n] = uniform(1, 2), two[2 * n] = uniform(1, 2), eight[8 * n] = uniform(1, 2);
   half also[8 * n] = uniform(1, 2);
   float out[n];
   k(out, one, (const __nv_bfloat162 *)two, eight, also);
*/
__global__ void k(float *out, const __nv_bfloat16 *one, const __nv_bfloat162 *two, const Brains *eight,
                  const Halves *also)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float sum = 1.0f / __bfloat162float(one[i]);
    float2 pair = __bfloat1622float2(two[i]);
    sum += 1.0f / pair.x + 1.0f / pair.y;
    Brains b = eight[i];
    Halves h = also[i];
    for (int j = 0; j < 8; j++) sum += __bfloat162float(b.v[j]) / __half2float(h.v[j]);
    out[i] = sum;
}
"""


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_math_only_of_quotients_of_small_numbers_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "quotients.cu"
    path.write_text(QUOTIENTS)
    report = run_variants(Request(path=path, arch="sm_90", mutations=("math-only",), dynamic=True))
    certificate = next(v.certificate for v in report.kernels[0].variants if v.mutation == "math-only")
    assert certificate is not None and certificate.dynamic is not None
    assert certificate.verdict is Verdict.VALID, certificate.reasons
