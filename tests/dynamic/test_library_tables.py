"""A run sees loads of the mathematics library's tables apart from the kernel's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.model import Verdict
from mutate.pipeline.run import run_variants
from mutate.results import Request
from mutate.toolchain.locate import find_toolchain

SOURCE = """/* kmutate launch
   int n = 1 << 16; dim3 block = { 256 }; dim3 grid = { n / 256 };
   double out[n] = zeros(); double in[n] = uniform(0, 1);
   sines(out, in, n);
*/
__global__ void sines(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sin(in[i]) + cos(in[i]);
}
"""


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_memory_only_of_sines_is_valid(tmp_path: Path, arch: str) -> None:
    path = tmp_path / "sines.cu"
    path.write_text(SOURCE)
    report = run_variants(Request(path=path, arch=arch, mutations=("memory-only", "math-only"), dynamic=True))
    found = {v.mutation: v.certificate for v in report.kernels[0].variants}
    memory, math = found["memory-only"], found["math-only"]
    assert memory is not None and math is not None
    assert memory.verdict is Verdict.VALID, memory.reasons
    assert memory.dynamic is not None and math.dynamic is not None
    assert memory.dynamic.memory["global_load"].same
    assert memory.dynamic.memory["table_load"].variant == 0
    assert math.dynamic.memory["table_load"].variant > 0
    assert math.dynamic.memory["global_load"].variant == 0
    assert math.verdict is not Verdict.INVALID
