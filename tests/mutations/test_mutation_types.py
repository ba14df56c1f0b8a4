"""Each kernel of ``type_cases`` under each mutation: it compiles and keeps what it promises, or is refused by name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
from type_cases import CASES, Case

from mutate.frontend.load import load_unit
from mutate.model import Outcome, Reason, StaticCounts, Verdict
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import all_mutations, parse_composition
from mutate.pipeline.run import run_variants
from mutate.results import Request, VariantResult
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

BY_NAME = {c.name: c for c in CASES}
MEMORY = ("global_*", "generic_*", "async_copy.*", "texture", "surface", "tma")
LOADS = ("global_load.*", "generic_load.*", "async_copy.*", "texture")
STORES = ("global_store.*", "generic_store.*")
UPDATES = ("global_atomic", "global_reduction", "generic_atomic")
SHARED = ("shared_*",)
FLOATING = ("fp32*", "fp64.*", "fp16.*", "sfu", "tensor")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory):
    """Variants of a case by mutation; each case is compiled once."""
    folder = tmp_path_factory.mktemp("cases")

    @cache
    def run(name: str) -> dict[str, VariantResult]:
        case = BY_NAME[name]
        # The compile cache knows a source by its name too: a relative one is the same in every run.
        with contextlib.chdir(folder):
            path = Path(f"{name}.cu")
            path.write_text(case.source)
            report = run_variants(Request(path, kernels=(case.kernel,), instances=case.instances, output=Path(name)))
        (kernel,) = report.kernels
        assert kernel.error is None, kernel.error
        return {v.mutation: v for v in kernel.variants}

    return run


def _refusals(case: Case) -> dict[str, str]:
    """What must be refused, by the words in the source."""
    expected = {}
    if not any(w in case.source for w in ("__syncthreads", "bar.sync", ".sync()")):
        expected["no-sync"] = "no-barrier"
    if "__shared__" not in case.source:
        expected["smem-conflict-free"] = expected["smem-broadcast"] = "no-shared-access"
    return {**expected, **case.refused}


def _pick(counts: Mapping[str, int], patterns: Iterable[str]) -> dict[str, int]:
    return {c: n for c, n in counts.items() if any(fnmatch(c, p) for p in patterns)}


def _same(static: StaticCounts, *patterns: str) -> None:
    assert _pick(static.variant, patterns) == _pick(static.original, patterns)


def _reasons(variant: VariantResult) -> tuple[Reason, ...]:
    assert variant.certificate is not None
    return variant.certificate.reasons


@pytest.mark.parametrize("mutation", all_mutations())
@pytest.mark.parametrize("name", BY_NAME)
def test_a_variant_keeps_its_promise_or_is_refused(name: str, mutation: str, outcomes) -> None:
    case = BY_NAME[name]
    variant = outcomes(name)[mutation]
    refusals = _refusals(case)
    if mutation in refusals:
        assert variant.outcome is Outcome.REFUSED
        assert variant.refusal is not None
        assert variant.refusal.slug == refusals[mutation]
        return
    assert variant.outcome is Outcome.OK, variant.log or variant.refusal
    certificate = variant.certificate
    assert certificate is not None
    assert certificate.static is not None
    assert certificate.verdict is not Verdict.INVALID, certificate.reasons
    static = certificate.static
    if mutation == "identity":
        assert certificate.verdict is Verdict.VALID
        _same(static, "*")
    elif mutation == "memory-only":
        _same(static, *MEMORY)
    elif mutation == "load-only":
        _same(static, *LOADS)
        assert not _pick(static.variant, STORES)
        barrier = any(r.slug == "barrier-kept" for r in _reasons(variant))  # it is made of atomics
        assert case.retained or barrier or not _pick(static.variant, UPDATES)
    elif mutation == "store-only":
        _same(static, *STORES)
    elif mutation == "math-only":
        kept = [r for r in _reasons(variant) if r.slug == "retained-load"]
        assert bool(kept) == case.retained
        left = _pick(static.variant, MEMORY)
        assert not _pick(left, STORES)
        assert case.retained or not left
        _same(static, *FLOATING, *SHARED, "barrier")
    elif mutation == "no-sync":
        assert "barrier" not in static.variant
        _same(static, *SHARED, *MEMORY, *FLOATING)
    else:
        _same(static, *SHARED, *MEMORY, *FLOATING, "barrier")


@pytest.mark.parametrize(("body", "noted"), [
    ("o[n] = 1; if (o[0] > 2) o[n] = 3;", True),
    ("if (o[n] > 2) o[n] = 3;", False),
    ("for (int i = 0; i < n; i++) if (o[i] > 2) o[i + 1] = 3;", True),
    ("for (int i = 0; i < n; i++) if (in[i] > 2) o[i] = 3;", False),
])
def test_math_only_says_that_a_branch_may_miss_a_store(body: str, noted: bool) -> None:
    unit = load_unit(f"__global__ void k(float *o, const float *in, int n) {{ {body} }}".encode(), "x.cu")
    text = build_variant(unit, unit.kernels[0], parse_composition("math-only"))
    assert isinstance(text, VariantText)
    assert ("stores-carry-control" in {n.slug for n in text.notes}) == noted
