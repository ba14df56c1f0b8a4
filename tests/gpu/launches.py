"""Small launches of all samples: the sizes at which simulator and GPU are compared, whole grids on both sides."""

from __future__ import annotations

from collections.abc import Mapping

SMALL: Mapping[str, Mapping[str, str]] = {
    "async_tile": {"frames": "148", "grid": "{ 32 }"},
    "column_walk": {"columns": "2048", "levels": "16"},
    "copy_offset": {"n": "65536"},
    "divergent": {"n": "32768"},
    "fd3d": {"nx": "64", "ny": "64", "nz": "16"},
    "fd3d_order10": {"nx": "64", "ny": "64", "nz": "16"},
    "fd3d_order12": {"nx": "64", "ny": "64", "nz": "16"},
    "fd3d_two_outputs": {"nx": "64", "ny": "64", "nz": "16"},
    "fp64_literal": {"n": "50000", "grid": "{ 32 }"},
    "fp64_stencil": {"columns": "1024"},
    "half_axpy": {"n": "65536"},
    "histogram": {"n": "50000", "grid": "{ 16 }"},
    "increment": {"n": "65536"},
    "matmul": {"n": "128"},
    "nbody": {"n": "1024"},
    "reduction": {"n": "65536"},
    "softmax_rows": {"rows": "16", "cols": "1024"},
    "special_functions": {"n": "20000"},
    "spmv_csr": {"rows": "2000", "cols": "2000"},
    "transpose": {"width": "256", "height": "256"},
    "vec4_copy": {"n4": "32768", "n": "65539"},
}
