"""All samples under all mutations: what the certificates must reach, and which reservations are accepted.

The counts are compared here once more, straight from the classes, and not by the checks of the mutations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from functools import cache

import pytest

from mutate.model import Outcome, StaticCounts, Verdict
from mutate.mutations.registry import all_mutations
from mutate.pipeline.run import run_variants
from mutate.resources import samples_dir
from mutate.results import KernelResult, Request, VariantResult
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

# Kernels by file. A kernel that is missing here, or here only, is an error: the table must follow the samples.
KERNELS = {
    "async_tile": ("smooth_pipeline", "smooth_memcpy_async"),
    "column_walk": ("column_walk", "column_walk_transposed"),
    "copy_offset": ("copy_offset",),
    "divergent": ("divergent", "grouped"),
    "fd3d": ("fd3d",),
    "fd3d_order10": ("fd3d_order10",),
    "fd3d_order12": ("fd3d_order12",),
    "fd3d_two_outputs": ("fd3d_two_outputs",),
    "fp64_literal": ("fp64_literal", "fp32_literal"),
    "fp64_stencil": ("fp64_stencil_conflicting", "fp64_stencil_padded"),
    "half_axpy": ("half_axpy",),
    "histogram": ("histogram_global", "histogram_shared"),
    "increment": ("increment1", "increment2", "increment4"),
    "matmul": ("matmul_naive", "matmul_tiled", "matmul_two_outputs", "matmul_transposed_b", "matmul_padded",
               "matmul_one_shared"),
    "nbody": ("nbody",),
    "reduction": ("reduce1", "reduce2", "reduce3", "reduce4", "reduce5", "reduce6", "reduce7"),
    "softmax_rows": ("softmax_rows", "softmax_rows_groups"),
    "special_functions": ("special_accurate", "special_intrinsic"),
    "spmv_csr": ("spmv_scalar", "spmv_vector"),
    "transpose": ("transpose_naive", "transpose_conflicting", "transpose_padded"),
    "vec4_copy": ("vec4_copy", "vec4_copy_cast"),
}

# Kernels that use neither shared memory nor a barrier: three mutations have nothing to change.
PLAIN = frozenset({
    "column_walk", "column_walk_transposed", "copy_offset", "divergent", "grouped", "fp64_literal", "fp32_literal",
    "half_axpy", "histogram_global", "increment1", "increment2", "increment4", "matmul_naive", "special_accurate",
    "special_intrinsic", "spmv_scalar", "spmv_vector", "transpose_naive", "vec4_copy", "vec4_copy_cast"})

_BANKS = ("smem-conflict-free", "smem-broadcast")

# (kernel, mutation) -> slugs of the reasons that may degrade it. Each is one that a CUDA expert accepts:
# - retained-loads: the loaded value is a loop bound or a shared index; without it there is no such kernel to time.
# - spills, occupancy-differs: the original index is still computed besides the new one, which takes registers that the
#   original's occupancy, or its own __launch_bounds__, does not leave: the variant spills or has fewer resident blocks.
# - static-counts-differ and vector-accesses-differ: the original's shared addresses are constants apart, so that the
#   compiler reads four neighbours at once (LDS.128); with an index unknown to it, it reads the same bytes one by one.
ACCEPTED: dict[tuple[str, str], set[str]] = {
    ("histogram_shared", "math-only"): {"retained-loads"},
    ("spmv_scalar", "math-only"): {"retained-loads"},
    ("spmv_vector", "math-only"): {"retained-loads"},
    **{(kernel, m): {"spills"} for m in _BANKS for kernel in ("fd3d_order10", "fd3d_order12")},
    **{(kernel, m): {"occupancy-differs"} for m in _BANKS for kernel in ("fd3d", "fd3d_two_outputs")},
    **{("matmul_tiled", m): {"occupancy-differs", "vector-accesses-differ"} for m in _BANKS},
    **{(kernel, m): {"vector-accesses-differ"} for m in _BANKS
       for kernel in ("matmul_two_outputs", "matmul_transposed_b", "matmul_padded")},
    **{("matmul_one_shared", m): {"static-counts-differ", "vector-accesses-differ"} for m in _BANKS},
}

# Kernels whose memory-only variant must keep loaded values: row pointers, column indices, data that is a bin's index.
RETAINS = frozenset({"spmv_scalar", "spmv_vector", "histogram_global"})

GLOBAL = ("global_*", "generic_*", "async_copy.*", "texture", "surface", "tma")
LOADS = ("global_load.*", "generic_load.*", "async_copy.*", "texture")
STORES = ("global_store.*", "generic_store.*")
UPDATES = ("global_atomic", "global_reduction", "generic_atomic")
SHARED = ("shared_*",)
FLOATING = ("fp32*", "fp64.*", "fp16.*", "sfu", "tensor")

CASES = [(file, kernel, mutation) for file, kernels in KERNELS.items() for kernel in kernels
         for mutation in all_mutations()]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Results of a sample file by kernel; each file is run once."""
    folder = tmp_path_factory.mktemp("samples")

    @cache
    def run(file: str) -> dict[str, KernelResult]:
        # By this name other tests compile it, too: the compile cache knows a source by its name as well.
        report = run_variants(Request(samples_dir() / f"{file}.cu", output=folder / file))
        assert not report.warnings
        return {k.target.kernel.name: k for k in report.kernels}

    yield run


def _pick(counts: Mapping[str, int], *patterns: str) -> dict[str, int]:
    return {c: n for c, n in counts.items() if any(fnmatch(c, p) for p in patterns)}


def _same(static: StaticCounts, *patterns: str) -> None:
    assert _pick(static.variant, *patterns) == _pick(static.original, *patterns)


def _slugs(variant: VariantResult, *severities: Verdict) -> set[str]:
    assert variant.certificate is not None
    return {r.slug for r in variant.certificate.reasons if not severities or r.severity in severities}


def test_the_table_names_every_sample() -> None:
    assert sorted(KERNELS) == sorted(p.stem for p in samples_dir().glob("*.cu"))


@pytest.mark.parametrize("file", KERNELS)
def test_the_table_names_every_kernel(file: str, kernels) -> None:
    results = kernels(file)
    assert sorted(results) == sorted(KERNELS[file])
    for result in results.values():
        assert result.error is None
        assert result.target.launches, "every sample declares its launch"


@pytest.mark.parametrize(("file", "kernel", "mutation"), CASES)
def test_a_sample_is_certified(file: str, kernel: str, mutation: str, kernels) -> None:
    variant = next(v for v in kernels(file)[kernel].variants if v.mutation == mutation)
    if kernel in PLAIN and mutation in ("no-sync", "smem-conflict-free", "smem-broadcast"):
        assert variant.refusal is not None
        assert variant.refusal.slug == ("no-barrier" if mutation == "no-sync" else "no-shared-access")
        return
    assert variant.outcome is Outcome.OK, variant.log or variant.refusal
    certificate = variant.certificate
    assert certificate is not None
    assert certificate.static is not None
    allowed = ACCEPTED.get((kernel, mutation), set())
    against = _slugs(variant, Verdict.DEGRADED, Verdict.INVALID)
    assert against <= allowed, [r.text for r in certificate.reasons]
    assert certificate.verdict is (Verdict.DEGRADED if against else Verdict.VALID)
    _check_counts(mutation, kernel, certificate.static, _slugs(variant), exact="static-counts-differ" not in allowed)


def _check_counts(mutation: str, kernel: str, static: StaticCounts, slugs: set[str], *, exact: bool) -> None:
    if mutation == "identity":
        _same(static, "*")
        assert not static.guarded
    elif mutation == "memory-only":
        _same(static, *GLOBAL)
        assert _pick(static.original, *GLOBAL)
        assert "retained-load" in slugs or kernel not in RETAINS
    elif mutation == "load-only":
        _same(static, *LOADS)
        assert not _pick(static.variant, *STORES, *UPDATES)
    elif mutation == "store-only":
        _same(static, *STORES)
        assert sum(_pick(static.variant, *UPDATES).values()) == sum(_pick(static.original, *UPDATES).values())
        assert not _pick(static.variant, *LOADS) or "retained-load" in slugs
    elif mutation == "math-only":
        left = _pick(static.variant, *GLOBAL)
        assert not _pick(left, *STORES, *UPDATES)
        assert not left or {"retained-load", "retained-loads"} <= slugs
        _same(static, *FLOATING, "barrier")
        # An asynchronous copy without its global side is the shared store that it made, as wide as before.
        copies = sum(_pick(static.original, "async_copy.*").values())
        shared, before = _pick(static.variant, *SHARED), _pick(static.original, *SHARED)
        assert sum(shared.values()) == sum(before.values()) + copies
    elif mutation == "no-sync":
        assert "barrier" in static.original
        assert "barrier" not in static.variant
        _same(static, *SHARED, *GLOBAL, *FLOATING)
    else:
        _same(static, "barrier", *GLOBAL, *FLOATING)
        assert _pick(static.variant, *SHARED)
        if exact:
            _same(static, *SHARED)


@pytest.mark.parametrize("file", KERNELS)
def test_identity_has_the_originals_resources(file: str, kernels) -> None:
    for result in kernels(file).values():
        identity = result.variants[0].certificate
        assert identity is not None
        assert identity.verdict is Verdict.VALID
        assert identity.original == identity.variant
        assert "not-identical" not in _slugs(result.variants[0])


@pytest.mark.parametrize("file", KERNELS)
def test_every_variant_runs_with_as_many_blocks_as_the_original(file: str, kernels) -> None:
    for result in kernels(file).values():
        certificates = [v.certificate for v in result.variants if v.certificate is not None]
        plans = [c.occupancy for c in certificates]
        assert plans
        for c in certificates:
            assert c.occupancy is not None
            equal = c.occupancy.padded == c.occupancy.original > 0
            assert equal != any(r.slug == "occupancy-differs" for r in c.reasons)
        assert len({p.carveout_kb for p in plans if p is not None}) == 1, "one carve-out for all variants"
        assert all(p.dynamic_smem_pad >= 0 for p in plans if p is not None)


@pytest.mark.parametrize("file", KERNELS)
def test_a_variant_is_the_users_file_with_comments_at_the_edits(file: str, kernels) -> None:
    source = (samples_dir() / f"{file}.cu").read_bytes()
    for result in kernels(file).values():
        for variant in result.variants:
            if variant.text is None:
                continue
            text = variant.text.text
            assert b"kmutate" in text
            removed = [source[e.start:e.end] for e in variant.text.edits]
            assert len(text) == len(source) + sum(len(e.text.encode()) for e in variant.text.edits) - sum(
                map(len, removed))
            kernel = result.target.kernel.name.encode()
            assert text.count(b"<<<") == source.count(b"<<<")
            assert kernel + b"(" in text
