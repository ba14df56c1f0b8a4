"""Data tables of CUDA built-ins that touch memory or synchronise, and of those known to be pure."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Builtin:
    """``kind``: load | store | atomic | async | texture | surface-load | surface-store | fragment-load | fragment-store

    | barrier | warp | fence | wait. ``pointer`` is the index of the argument that is the address (-1: none), ``source``
    that of a second address that is read (async copies), ``values`` the arguments that are data: what is stored, or the
    fragment that a tile of a matrix is loaded to.
    """

    kind: str
    pointer: int = -1
    source: int = -1
    values: tuple[int, ...] = ()


def _table() -> dict[str, Builtin]:
    t: dict[str, Builtin] = {}
    for name in ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"):
        t[name] = Builtin("load", 0)
    for name in ("__stwb", "__stcg", "__stcs", "__stwt"):
        t[name] = Builtin("store", 0, values=(1,))
    for op in ("Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor", "CAS"):
        for scope in ("", "_block", "_system"):
            t[f"atomic{op}{scope}"] = Builtin("atomic", 0, values=(1, 2) if op == "CAS" else (1,))
    t["__pipeline_memcpy_async"] = Builtin("async", 0, source=1)
    t["memcpy_async"] = Builtin("async", 1, source=2)
    t["load_matrix_sync"] = Builtin("fragment-load", 1, values=(0,))
    t["store_matrix_sync"] = Builtin("fragment-store", 0, values=(1,))
    for dim in ("1D", "2D", "3D", "1DLayered", "2DLayered", "Cubemap", "CubemapLayered", "1Dfetch", "2Dgather"):
        for tail in ("", "Lod", "Grad"):
            t[f"tex{dim}{tail}"] = Builtin("texture")
    for dim in ("1D", "2D", "3D", "1DLayered", "2DLayered", "Cubemap", "CubemapLayered"):
        t[f"surf{dim}read"] = Builtin("surface-load")
        t[f"surf{dim}write"] = Builtin("surface-store", values=(0,))
    for name in ("__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__barrier_sync",
                 "__barrier_sync_count"):
        t[name] = Builtin("barrier")
    t["__syncwarp"] = Builtin("warp")
    for name in ("__threadfence", "__threadfence_block", "__threadfence_system"):
        t[name] = Builtin("fence")
    for name in ("__pipeline_commit", "__pipeline_wait_prior", "wait_prior", "wait"):
        t[name] = Builtin("wait")
    return t


BUILTINS = _table()

# Calls whose pointer arguments are results, not inputs: (name, indices of the pointers written).
OUT_POINTERS = {
    name: indices for names, indices in (
        (("sincosf", "sincos", "__sincosf", "sincospif", "sincospi"), (1, 2)),
        (("modff", "modf", "frexpf", "frexp"), (1,)),
        (("remquof", "remquo"), (2,)),
    ) for name in names
}

_MATH = """
abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 div erf erfc
erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod hypot ilogb isfinite isinf isnan j0
j1 jn ldexp lgamma llabs llrint llround log log10 log1p log2 logb lrint lround max min nearbyint nextafter norm3d norm4d
normcdf normcdfinv pow powi rcbrt remainder rhypot rint rnorm3d rnorm4d round rsqrt saturate scalbln scalbn signbit sin
sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn
"""
# CUDA's own functions that take numbers only: vector constructors, mathematics, intrinsics (those that take addresses
# have rows above, or names that are left out here).
_VALUES_ONLY = re.compile(
    r"make_\w+|(?:ll|u|ull)?(?:" + "|".join(_MATH.split()) + r")[fl]?|h2?(?:cos|exp|exp10|exp2|log|log2|log10|rcp|"
    r"rsqrt|sin|sqrt|ceil|floor|rint|trunc|tanh)|__(?!nv_|builtin_mem|cp_|pipeline|wmma|mma)\w+")


def takes_values_only(name: str) -> bool:
    """Whether a function of CUDA's own, known by its name, takes no address."""
    return name not in BUILTINS and _VALUES_ONLY.fullmatch(name) is not None


# Functions of vendor libraries that only look at an address and touch no memory.
ADDRESS_ONLY = frozenset({"__cvta_generic_to_shared", "__cvta_generic_to_global", "__isGlobal", "__isShared",
                          "__isLocal", "__isConstant", "__builtin_assume_aligned", "__isGridConstant"})

# Host functions that kernels also use, with effects that no memory analysis sees.
OUTPUT_CALLS = frozenset({"printf", "assert", "__assert_fail", "__trap", "__brkpt", "static_assert",
                          "__builtin_unreachable"})

COOPERATIVE_TYPES = frozenset({"thread_block", "thread_block_tile", "grid_group", "coalesced_group", "cluster_group",
                               "multi_grid_group", "thread_group"})
