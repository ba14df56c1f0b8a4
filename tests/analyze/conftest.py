"""A small kernel that all of these can analyze."""

from __future__ import annotations

from pathlib import Path

import pytest

TEXT = """/* kmutate launch
   int n = 65536; dim3 grid = { n / 256 }; dim3 block = { 256 };
   float y[n] = zeros(); float x[n] = uniform(0, 1);
   k(y, x, n);
*/
__global__ void k(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    file = tmp_path / "k.cu"
    file.write_text(TEXT)
    return file
