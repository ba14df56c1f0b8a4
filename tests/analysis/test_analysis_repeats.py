"""Which barriers keep two loads of one address apart."""

from __future__ import annotations

import pytest

from mutate.analysis.program import analyse
from mutate.analysis.repeats import separating_barriers
from mutate.frontend.load import load_unit


@pytest.mark.parametrize(("body", "found"), [
    ("for (int j = 0; j < 4; j++) { s[i] = in[n]; __syncthreads(); }", [1]),
    ("for (int j = 0; j < 4; j++) { s[i] = in[j]; __syncthreads(); }", []),
    ("for (int j = 0; j < 4; j++) { int k = n + 1; s[i] = in[k]; __syncthreads(); }", [1]),
    ("for (int j = 0; j < 4; j++) { int k = j + 1; s[i] = in[k]; __syncthreads(); }", []),
    ("int k = 0; while (k < 4) { s[i] = in[k]; __syncthreads(); k += n; }", []),
    ("for (int j = 0; j < 4; j++) { for (int q = 0; q < 4; q++) s[q] = in[q]; __syncthreads(); }", [1]),
    ("for (int j = 0; j < 4; j++) { for (int q = 0; q < 4; q++) s[q] = in[q + j]; __syncthreads(); }", []),
    ("for (int j = 0; j < 4; j++) for (int q = j; q < 4; q++) { s[q] = in[q]; __syncthreads(); }", []),
    ("for (int j = 0; j < 4; j++) { __syncthreads(); s[i] = get(in, i); } __syncthreads();", [1]),
    ("for (int j = 0; j < 4; j++) { s[i] = get(in, j); __syncthreads(); }", []),
    ("s[i] = in[n]; __syncthreads(); o[i] = in[n]; __syncthreads();", [1]),
    ("s[i] = in[n]; __syncthreads(); o[i] = *(in + (n)); __syncthreads(); o[i] = (in)[n]; s[i] = *in;", [1, 2]),
    ("s[i] = *in; __syncthreads(); o[i] = in[0]; __syncthreads(); s[i] = *(in - n);", [1]),
    ("s[i] = in[n]; __syncthreads(); n = 2; o[i] = in[n];", []),
    ("{ int k = 1; s[i] = in[k]; } __syncthreads(); int k = 2; o[i] = in[k];", []),
    ("s[i] = in[n]; __syncthreads(); o[i] = in[n + 1];", []),
    ("s[i] = 1; __syncthreads(); o[i] = in[n]; o[i + 1] = in[n];", []),
])
def test_barriers_between_loads_of_one_address(body: str, found: list[int]) -> None:
    source = ("__device__ float get(const float *p, int i) { return p[i]; }\n"
              "__global__ void k(float *o, const float *in, int n) { __shared__ float s[64]; int i = threadIdx.x; "
              f"{body} }}\n")
    unit = load_unit(source.encode(), "k.cu")
    kernel = analyse(unit, unit.kernels[0]).kernel
    barriers = [b.node for b in kernel.sites.barriers]
    assert [barriers.index(n) + 1 for n in sorted(separating_barriers(kernel), key=lambda n: n.start)] == found
