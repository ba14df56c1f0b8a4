"""One run of ``kmutate variants``: from a source file to proven variants in a folder."""

from __future__ import annotations

import time

from mutate.analysis.program import Program, analyse
from mutate.errors import KmutateError
from mutate.frontend.load import SourceOptions, load_unit, read_source
from mutate.frontend.units import Function, Unit
from mutate.frontend.view import device_text, host_spans
from mutate.model import Certificate, Outcome, Reason, Verdict, worst
from mutate.mutations.base import Mutation, Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import all_mutations, parse_composition
from mutate.pipeline.output import write_outputs
from mutate.pipeline.prove import Candidate, Prover, Work
from mutate.pipeline.targets import make_targets, needs_instance
from mutate.results import KernelResult, Progress, Report, Request, Target, VariantResult
from mutate.source import apply_edits
from mutate.toolchain.nvrtc import prestart


def no_progress(what: str, done: int, total: int) -> None:
    """Progress for callers that want none."""
    del what, done, total


def requested_mutations(request: Request) -> list[tuple[Mutation, ...]]:
    """The compositions of a request; all single mutations when it names none."""
    if not request.mutations:
        return [(m,) for m in all_mutations().values()]
    return list(dict.fromkeys(parse_composition(text) for text in request.mutations))


def run_variants(request: Request, progress: Progress = no_progress, *, start_compilers: bool = True) -> Report:
    """Mutates, compiles, certifies and writes. Raises ``KmutateError`` for what the user has to mend.

    A kernel that does not compile is an error of that kernel only when others do.
    """
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    compositions = requested_mutations(request)
    source = read_source(request.path)
    if request.verify and start_compilers:
        prestart()
    options = SourceOptions(request.defines, request.include_dirs, request.arch)
    unit = load_unit(source, str(request.path), options)
    warnings = _condition_warnings(unit)
    targets = make_targets(unit, request, warnings)
    seconds["parse"] = time.perf_counter() - start

    start = time.perf_counter()
    built = {id(t): _build(unit, t, compositions, options) for t in targets}
    seconds["mutate"] = time.perf_counter() - start
    results: list[KernelResult] = []
    if request.verify:
        start = time.perf_counter()
        results = _prove(request, unit, targets, built, progress, seconds)
        seconds["prove"] = time.perf_counter() - start
    else:
        for t in targets:
            results.append(KernelResult(t, tuple(_unproven(v, m) for m, v in built[id(t)])))
    errors = [r.error for r in results if r.error is not None]
    if errors and len(errors) == len(results):
        raise errors[0]
    start = time.perf_counter()
    report = Report(request, tuple(results), seconds, tuple(warnings))
    report = write_outputs(report, unit)
    seconds["write"] = time.perf_counter() - start
    return report


def _condition_warnings(unit: Unit) -> list[str]:
    out = []
    for span in unit.main.expansion.unknown_conditions:
        line = unit.source.count(b"\n", 0, span.start) + 1
        out.append(f"{unit.main.name}:{line}: cannot evaluate this #if; taken as false (set -D to decide)")
    return out


Built = list[tuple[tuple[Mutation, ...], VariantText | Refused]]


def _build(unit: Unit, target: Target, compositions: list[tuple[Mutation, ...]], options: SourceOptions) -> Built:
    program: Program = analyse(unit, target.kernel)
    return [(c, build_variant(unit, target.kernel, c, program, options)) for c in compositions]


def _unproven(built: VariantText | Refused, mutations: tuple[Mutation, ...]) -> VariantResult:
    name = "+".join(m.id for m in mutations)
    if isinstance(built, Refused):
        return VariantResult(name, Outcome.REFUSED, refusal=built)
    reasons = (Reason("not-verified", "written with --no-verify: neither compiled nor compared"),
               *(Reason(n.slug, n.text, Verdict.VALID) for n in built.notes))
    return VariantResult(name, Outcome.OK, built, certificate=Certificate(worst(reasons), reasons))


def _device_source(unit: Unit, kernel: Function, text: VariantText | None) -> bytes:
    """What NVRTC gets: host code blanked, the variant's edits applied."""
    base, base_kernel = unit, kernel
    if text is not None and text.unit is not None and text.unit is not unit:
        base = text.unit
        base_kernel = next(k for k in base.kernels if k.qualified == kernel.qualified)
    blanked = device_text(base.source, host_spans(base, base_kernel, _any_header))
    return blanked if text is None else apply_edits(blanked, text.edits)


def _any_header(path: str) -> bool:
    """The toolchain gives NVRTC an empty header for a host header it lacks, so all may stay."""
    del path
    return True


def _prove(request: Request, unit: Unit, targets: list[Target], built: dict[int, Built], progress: Progress,
           seconds: dict[str, float]) -> list[KernelResult]:
    works: list[Work] = []
    for t in targets:
        entry = t.name
        texts = [(m, v) for m, v in built[id(t)] if isinstance(v, VariantText)]
        if needs_instance(t):
            works.append(Work(t, entry, b"", [], error=KmutateError(
                "template-needs-instance", f"{t.kernel.qualified} is a template: nobody says with which arguments",
                file=request.path.name, hint=f"add a launch declaration, or give --instance "
                                             f"'{t.kernel.qualified}<...>'")))
            continue
        works.append(Work(t, entry, _device_source(unit, t.kernel, None),
                          [Candidate(m, v, _device_source(unit, t.kernel, v)) for m, v in texts]))
    ready = [w for w in works if w.error is None]
    prover = Prover(request, ready, str(request.path), unit.source, progress)
    prover.compile_all()
    prover.compile_rolled()
    prover.plan_occupancy()
    if request.pad == "static":
        prover.pad_statically()
    certificates = prover.certify_all()
    seconds.update(prover.seconds)
    index = {id(w): i for i, w in enumerate(ready)}
    results: list[KernelResult] = []
    for w in works:
        done = certificates.get(index.get(id(w), -1), {})
        by_name = {c.name: c for c in w.candidates}
        variants: list[VariantResult] = []
        for mutations, text in built[id(w.target)]:
            name = "+".join(m.id for m in mutations)
            if isinstance(text, Refused):
                variants.append(VariantResult(name, Outcome.REFUSED, refusal=text))
                continue
            c = by_name.get(name)
            if c is None or w.error is not None:
                continue
            if c.compiled is None:
                variants.append(VariantResult(name, Outcome.COMPILE_FAILED, c.text,
                                              log=c.failure.log if c.failure is not None else ""))
            else:
                variants.append(VariantResult(name, Outcome.OK, c.text, certificate=done.get(name)))
        results.append(KernelResult(w.target, tuple(variants), w.error))
    return results

