"""CuPy's arrays on a real GPU: analyzed where they are, and left as they were."""

from __future__ import annotations

import pytest

import mutate

pytestmark = pytest.mark.gpu

SOURCE = """__global__ void scale(float *out, const float *in, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * in[i];
}
"""


def test_analyze_times_a_kernel_with_device_arrays() -> None:
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("no GPU")
    both = cupy.random.random(1 << 23, dtype=cupy.float32)
    before = both.copy()
    n = both.size // 2
    found = mutate.analyze(SOURCE, "scale", n // 256, 256, [both[n:], both[:n], 2, n], backend="gpu", budget=2,
                           mutations=["identity", "memory-only", "math-only"], sweep=False, counters=False)
    assert "ms measured on" in repr(found)
    launch = found.analysis.kernels[0].launches[0]
    assert len(launch.launch.arrays) == 1, "both are views of one array"
    assert all(row["ms"] > 0 for row in found.rows() if row["variant"] in ("memory-only", "math-only"))
    assert bool((both == before).all()), "the caller's arrays are never changed"
