"""The compiled original and variants of a file's kernels, for whatever runs them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from mutate.dynamic import Binary
from mutate.model import Certificate
from mutate.mutations.build import VariantText
from mutate.pipeline.compiling import Compiling, project_headers
from mutate.pipeline.prove import Candidate, Prover, Work
from mutate.pipeline.reading import read_kernels
from mutate.pipeline.run import no_progress
from mutate.pipeline.targets import make_targets, needs_instance
from mutate.pipeline.variants import build, requested_mutations
from mutate.results import Progress, Request, Target


@dataclass(frozen=True)
class KernelBinaries:
    """One kernel instance: what runs, by variant, and the static certificates."""

    target: Target
    original: Binary
    variants: Mapping[str, Binary]
    certificates: Mapping[str, Certificate]


def work_binaries(prover: Prover, index: int, work: Work, certificates: Mapping[str, Certificate]) -> KernelBinaries:
    """The binaries of a work whose certificates exist."""
    assert work.original is not None  # certificates exist
    original = Binary(work.original.cubin, work.original.entry, prover.listings[index, None])
    variants = {}
    for c in work.candidates:
        if c.name in certificates and c.compiled is not None:
            plan = certificates[c.name].occupancy
            variants[c.name] = Binary(c.compiled.cubin, c.compiled.entry, prover.listings[index, c.name],
                                      plan.dynamic_smem_pad if plan is not None else 0)
    return KernelBinaries(work.target, original, variants, certificates)


def compile_file(request: Request, progress: Progress = no_progress) -> list[KernelBinaries]:
    """Compiles all kernels of a file that a request selects, and their variants; writes nothing.

    Kernels that need an instance, or do not compile, are left out. Raises ``KmutateError`` as ``run_variants`` does.
    """
    return _compile(request, progress, None, originals_alone=False)


def compile_originals(request: Request, names: Container[str] | None = None) -> list[KernelBinaries]:
    """The same without variants, whatever the request's mutations are. ``names``: only these of the instances that the

    file launches.
    """
    return _compile(request, no_progress, names, originals_alone=True)


def _compile(request: Request, progress: Progress, names: Container[str] | None, *, originals_alone: bool
             ) -> list[KernelBinaries]:
    options = request.source_options()
    read = read_kernels(request)
    unit, kernels = read.unit, read.kernels
    compiling = Compiling(request, project_headers(request, unit))
    mutations = [] if originals_alone else requested_mutations(request)
    built = {id(k): build(unit, k, mutations, options, compiling) for k in kernels}
    targets = [t for t in make_targets(unit, kernels, request, [])
               if not needs_instance(t) and (names is None or t.name in names)]
    works = [Work(t, t.name, built[id(t.kernel)].source,
                  [Candidate(v.mutations, v.text, v.source) for v in built[id(t.kernel)].variants
                   if isinstance(v.text, VariantText)]) for t in targets]
    prover = Prover(request, compiling, unit.source, progress)
    try:
        prover.compile_all(works)
        certificates = prover.certify_all()
    finally:
        prover.close()
    return [work_binaries(prover, i, w, certificates[i]) for i, w in enumerate(works)
            if certificates[i] or (originals_alone and w.original is not None)]
