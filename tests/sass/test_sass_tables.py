"""Loads of the tables of the compiler's mathematics library."""

from __future__ import annotations

import pytest
from sass_cases import build

from mutate.certify import count
from mutate.toolchain.elf import Cubin

SINE = """__global__ void k(double *out, const double *in, const float *f, float *g)
{
    out[threadIdx.x] = sin(in[threadIdx.x]) + cos(in[threadIdx.x]);
    g[threadIdx.x] = sinf(f[threadIdx.x]);
}
"""
OWN = """__device__ const double coefficients[64] = { 1, 2, 3 };
__global__ void k(double *out, const double *in)
{
    out[threadIdx.x] = in[threadIdx.x] * coefficients[threadIdx.x & 63];
}
"""


def loads(text: str, arch: str) -> tuple[int, int]:
    """Global loads and loads of tables."""
    result, listing = build(text, arch)
    counts, _ = count(listing, Cubin(result.cubin), result.entry)
    return tuple(sum(n for c, n in counts.items() if c.startswith(kind)) for kind in ("global_load.", "table_load."))


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90", "sm_120"])
def test_coefficients_of_sine_are_no_accesses_of_the_kernel(arch: str) -> None:
    own, of_library = loads(SINE, arch)
    assert own == 2
    assert of_library >= 3


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_a_table_of_the_user_is_his_access(arch: str) -> None:
    assert loads(OWN, arch) == (2, 0)


def test_a_pointer_that_may_be_either_is_counted_as_the_kernels() -> None:
    text = SINE.replace("sin(in[threadIdx.x])", "sin(in[threadIdx.x] * (out[threadIdx.x] > 0 ? in[5] : 2.0))")
    own, _ = loads(text, "sm_90")
    assert own == 4
