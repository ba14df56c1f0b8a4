"""One run of ``kmutate variants``: from a source file to proven variants in a folder."""

from __future__ import annotations

import time
from dataclasses import dataclass

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
from mutate.pipeline.targets import make_targets, needs_instance, select_kernels
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
    source = read_source(request.path)
    if request.verify and start_compilers:
        prestart()
    options = SourceOptions(request.defines, request.include_dirs, request.arch)
    unit = load_unit(source, str(request.path), options)
    warnings = _condition_warnings(unit)
    kernels = select_kernels(unit, request.kernels)
    compositions = requested_mutations(request)
    seconds["parse"] = time.perf_counter() - start
    prover = Prover(request, str(request.path), unit.source, progress) if request.verify else None
    try:
        start = time.perf_counter()
        built = {id(k): _build(unit, k, compositions, options, prover) for k in kernels}
        seconds["mutate"] = time.perf_counter() - start
        start = time.perf_counter()
        targets = make_targets(unit, kernels, request, warnings)
        seconds["launches"] = time.perf_counter() - start
        if prover is not None:
            start = time.perf_counter()
            results = _prove(prover, targets, built)
            seconds.update(prover.seconds, prove=time.perf_counter() - start)
        else:
            results = [KernelResult(t, tuple(_unproven(b) for b in built[id(t.kernel)].variants)) for t in targets]
    except BaseException:
        if prover is not None:
            prover.compiler.cancel()
        raise
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


@dataclass(frozen=True)
class Variant:
    """A composition applied to a kernel; ``source`` is what NVRTC gets, empty without a text."""

    mutations: tuple[Mutation, ...]
    text: VariantText | Refused
    source: bytes

    @property
    def name(self) -> str:
        return "+".join(m.id for m in self.mutations)


@dataclass(frozen=True)
class Built:
    """One kernel: what NVRTC gets of the original, and its variants."""

    source: bytes
    variants: tuple[Variant, ...]


def _build(unit: Unit, kernel: Function, compositions: list[tuple[Mutation, ...]], options: SourceOptions,
           prover: Prover | None) -> Built:
    """Makes all variants. What can be compiled without knowing the launches is, while the next one is made."""
    blanked = _device_source(unit, kernel)
    early = prover if not kernel.is_template else None
    if early is not None:
        early.start(kernel.qualified, blanked)
    program: Program = analyse(unit, kernel)
    variants: list[Variant] = []
    for mutations in compositions:
        text = build_variant(unit, kernel, mutations, program, options)
        if isinstance(text, Refused):
            variants.append(Variant(mutations, text, b""))
            continue
        base = blanked
        if text.unit is not None and text.unit is not unit:
            base = _device_source(text.unit, next(k for k in text.unit.kernels if k.qualified == kernel.qualified))
        variants.append(Variant(mutations, text, apply_edits(base, text.edits)))
        if early is not None:
            early.start(kernel.qualified, variants[-1].source)
    return Built(blanked, tuple(variants))


def _unproven(built: Variant) -> VariantResult:
    if isinstance(built.text, Refused):
        return VariantResult(built.name, Outcome.REFUSED, refusal=built.text)
    reasons = (Reason("not-verified", "written with --no-verify: neither compiled nor compared"),
               *(Reason(n.slug, n.text, Verdict.VALID) for n in built.text.notes))
    return VariantResult(built.name, Outcome.OK, built.text, certificate=Certificate(worst(reasons), reasons))


def _device_source(unit: Unit, kernel: Function) -> bytes:
    """The unit's text with its host code blanked."""
    return device_text(unit.source, host_spans(unit, kernel, _any_header))


def _any_header(path: str) -> bool:
    """The toolchain gives NVRTC an empty header for a host header it lacks, so all may stay."""
    del path
    return True


def _prove(prover: Prover, targets: list[Target], built: dict[int, Built]) -> list[KernelResult]:
    works: list[Work] = []
    for t in targets:
        mine = built[id(t.kernel)]
        if needs_instance(t):
            works.append(Work(t, t.name, b"", [], error=KmutateError(
                "template-needs-instance", f"{t.kernel.qualified} is a template: nobody says with which arguments",
                file=prover.request.path.name, hint=f"add a launch declaration, or give --instance "
                                                    f"'{t.kernel.qualified}<...>'")))
            continue
        works.append(Work(t, t.name, mine.source, [Candidate(v.mutations, v.text, v.source) for v in mine.variants
                                                   if isinstance(v.text, VariantText)]))
    ready = [w for w in works if w.error is None]
    prover.compile_all(ready)
    certificates = prover.certify_all()
    index = {id(w): i for i, w in enumerate(ready)}
    results: list[KernelResult] = []
    for w in works:
        done = certificates.get(index.get(id(w), -1), {})
        by_name = {c.name: c for c in w.candidates}
        variants: list[VariantResult] = []
        for v in built[id(w.target.kernel)].variants:
            if isinstance(v.text, Refused):
                variants.append(VariantResult(v.name, Outcome.REFUSED, refusal=v.text))
                continue
            c = by_name.get(v.name)
            if c is None or w.error is not None:
                continue
            if c.compiled is None:
                variants.append(VariantResult(v.name, Outcome.COMPILE_FAILED, c.text,
                                              log=c.failure.log if c.failure is not None else ""))
            else:
                variants.append(VariantResult(v.name, Outcome.OK, c.text, certificate=done.get(v.name)))
        results.append(KernelResult(w.target, tuple(variants), w.error))
    return results
