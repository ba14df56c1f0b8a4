"""Generated kernels, executed: what each mutation promises, demanded of every request of a run."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from executed import KernelOutcome, execute, run_kernel
from generator import generate

from mutate.pipeline.binaries import work_binaries
from mutate.pipeline.run import prove_file
from mutate.results import Request
from mutate.sim import run
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
COUNT = int(os.environ.get("KMUTATE_GENERATED", "25"))
# What a mutation rightly does not dare; every other refusal is a finding.
REFUSALS = {"no-barrier", "no-shared-access", "no-shared-index", "sync-carries-addresses", "lambda-global-access",
            "store-read-back"}


@pytest.fixture(scope="module")
def outcomes() -> list[KernelOutcome]:
    return [run_kernel(seed, generate(seed).source) for seed in range(COUNT)]


def test_originals_are_well_defined(outcomes: list[KernelOutcome]) -> None:
    assert {o.seed: o.failure for o in outcomes if o.failure} == {}


def test_identity_gives_the_same_memory_and_counters(outcomes: list[KernelOutcome]) -> None:
    found = {o.seed: v.broken for o in outcomes for v in o.variants if v.mutation == "identity"}
    assert found == dict.fromkeys(range(COUNT), ())


def test_no_variant_leaves_an_array_or_hangs(outcomes: list[KernelOutcome]) -> None:
    assert [(o.seed, v.mutation, v.broken) for o in outcomes for v in o.variants
            if any(b.startswith("faults") for b in v.broken)] == []


def test_what_the_certificate_calls_valid_keeps_its_promises(outcomes: list[KernelOutcome]) -> None:
    assert [(o.seed, v.mutation, v.broken) for o in outcomes for v in o.variants
            if v.dynamic == "VALID" and v.broken] == []


def test_math_only_touches_no_global_memory_but_by_listed_loads(outcomes: list[KernelOutcome]) -> None:
    mine = [v for o in outcomes for v in o.variants if v.mutation == "math-only" and v.outcome == "ok"]
    assert [v.broken for v in mine if v.broken] == []
    assert all("retained-load" in v.noted for v in mine if v.retained)
    assert any(not v.retained for v in mine), "the generator makes kernels of which all loads go"


def test_most_kernels_get_memory_only(outcomes: list[KernelOutcome]) -> None:
    mine = [v for o in outcomes for v in o.variants if v.mutation == "memory-only"]
    exact = [v for v in mine if v.outcome == "ok" and not v.broken]
    assert len(exact) > 0.85 * len(mine), "docs/generated.md says what the others lack"
    assert sum(v.outcome == "ok" and v.same_set for v in mine) > 0.95 * len(mine)


@pytest.mark.parametrize("seed", [93, 18, 90, 80, 16, 684, 146, 643, 15, 170, 200, 265, 45, 263])
def test_memory_only_stays_exact_where_it_once_was_not(seed: int) -> None:
    """What made them inexact: an ``else`` without braces; loads wanted elsewhere; a result by reference; barriers in

    loops; asm in branches; a load that cancelled itself; a number taken for its place; a loop unrolled otherwise; a
    lambda that calls what loads; a place written in two ways; an early return; a division between loads.
    """
    (variant,) = run_kernel(seed, generate(seed).source, mutations=("memory-only",)).variants
    assert variant.broken == (), variant.arrays


def test_every_variant_compiles_or_is_refused_with_a_reason(outcomes: list[KernelOutcome]) -> None:
    assert [(o.seed, v.mutation, v.detail) for o in outcomes for v in o.variants if v.outcome == "compile-failed"] == []
    slugs = {v.slugs[0] for o in outcomes for v in o.variants if v.outcome == "refused"}
    assert slugs <= REFUSALS


@pytest.mark.parametrize("seed", [36, 4, 15])
def test_where_the_interpreter_turns_to_others_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uniform registers are the warp's: a split that is interrupted must find its own again."""
    request = Request(path=Path("generated.cu"), text=generate(seed).source.encode(), mutations=("identity",))
    proven = prove_file(request)
    assert proven.prover is not None
    (work,) = proven.prover.works
    static = {v.mutation: v.certificate for v in proven.results[0].variants if v.certificate is not None}
    binary = work_binaries(proven.prover, 0, work, static).original
    whole = execute(binary, work.target.launches[0])
    assert not whole.error
    for turn in (1, 7, 1 << 30):
        monkeypatch.setattr(run, "_QUANTUM", turn)
        again = execute(binary, work.target.launches[0])
        assert again.error == ""
        assert again.memory == whole.memory
        assert np.array_equal(again.counters, whole.counters)


def test_a_kernel_depends_on_its_seed_alone() -> None:
    assert generate(3) == generate(3)
    assert len({generate(seed).source for seed in range(20)}) == 20


SINES = """/* kmutate launch
   dim3 grid = { 2 }; dim3 block = { 64 };
   double out[128] = zeros(); double in[128] = uniform(0, 1);
   k(out, in);
*/
__global__ void k(double *out, const double *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sin(in[i]);
}
"""


def test_a_table_of_the_library_is_no_global_memory_of_the_kernel_s() -> None:
    (variant,) = run_kernel(0, SINES, mutations=("memory-only",)).variants
    assert (variant.outcome, variant.dynamic, variant.broken) == ("ok", "VALID", ()), variant.arrays
