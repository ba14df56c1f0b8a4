"""Pages of arrays that the interpreter does not fill by itself, when its log of requests fills up meanwhile."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mutate.toolchain.locate import find_toolchain

# Rows and columns of half: 1024 pages a block, each asked for, and more requests than the log holds.
SOURCE = r"""
#include <cuda_fp16.h>
/* kmutate launch
   int n = 1024;
   dim3 grid = { 32, 32 }, block = { 32, 32 };
   half a[n * n] = uniform(0, 1), b[n * n] = uniform(0, 1), c[n * n];
   product(a, b, c, n);
*/
__global__ void product(const half *a, const half *b, half *c, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    half sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
"""


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_pages_asked_for_before_a_log_is_full_are_brought() -> None:
    code = f"import mutate; print(mutate.simulate({SOURCE!r}, blocks=4).counters()['global_store_requests'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert float(done.stdout) == 4 * 32
