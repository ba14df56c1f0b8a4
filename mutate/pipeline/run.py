"""From a source file to proven variants, and one run of ``kmutate variants``, which writes them to a folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mutate.errors import KmutateError
from mutate.frontend.units import Function, Unit
from mutate.frontend.view import decided_by_instances
from mutate.model import Outcome
from mutate.pipeline.compiling import Compiling, device_source, project_headers
from mutate.pipeline.reading import Reading, as_included, read_kernels
from mutate.pipeline.start import remember_complete, start_compilers
from mutate.results import KernelResult, Progress, Report, Request, Target
from mutate.source import Lines

if TYPE_CHECKING:
    from mutate.pipeline.prove import Prover

MakeTargets = Callable[[Unit, Sequence[Function], list[str]], list[Target]]


MOST_TEXT = 1 << 27
"""Bytes of a file times its kernels. Of real projects none has a fortieth of it; it makes 1 GB of variants."""


def no_progress(what: str, done: int, total: int) -> None:
    """Progress for callers that want none."""
    del what, done, total


@dataclass
class Proven:
    """Variants with their certificates, not written yet. ``prover`` has the binaries; ``None`` with ``--no-verify``.

    ``request`` names the file that was taken.
    """

    request: Request
    unit: Unit
    results: list[KernelResult]
    prover: Prover | None
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def prove_file(request: Request, progress: Progress = no_progress, targets_of: MakeTargets | None = None) -> Proven:
    """Mutates, compiles and certifies. Raises ``KmutateError`` for what the user has to mend.

    ``targets_of`` says which instances with which launches are meant, all of the file's by default. A kernel that does
    not compile is an error of that kernel only when others do. Where none does, the file is taken as a part of one that
    includes it.
    """
    proven = as_included(request, lambda asked: _prove_with_classes(asked, progress, targets_of))
    if proven.request.path != request.path:
        proven.warnings.insert(0, f"{request.path} does not compile by itself: taken as a part of "
                               f"{proven.request.path}, which includes it")
    return proven


def _prove_with_classes(request: Request, progress: Progress, targets_of: MakeTargets | None) -> Proven:
    """With the member functions of included classes mutated, where all that is made so compiles; else without."""
    start = time.perf_counter()
    start_compilers(request)
    read = read_kernels(request)
    try:
        proven = _prove_file(request, read, start, progress, targets_of)
        if not read.classes or not any(v.outcome is Outcome.COMPILE_FAILED for r in proven.results for v in r.variants):
            return proven
    except KmutateError:
        if not read.classes:
            raise
    plain = replace(request, classes=False)
    return _prove_file(plain, read_kernels(plain), start, progress, targets_of)


def _prove_file(request: Request, read: Reading, start: float, progress: Progress, targets_of: MakeTargets | None
                ) -> Proven:
    options = request.source_options()
    source, unit, kernels = read.source, read.unit, read.kernels
    if len(kernels) * len(source) > MOST_TEXT:
        raise KmutateError("too-large", f"each variant is the whole file, and this one has {len(kernels)} kernels in "
                           f"{len(source) / 1e6:.1f} MB", file=str(request.path),
                           hint="choose kernels with -k, or give them in a file of their own")
    seconds = {"parse": time.perf_counter() - start}
    compiling = Compiling(request, project_headers(request, unit)) if request.verify else None
    prover = None
    try:
        if compiling is not None:
            for k in kernels:
                compiling.early(k, device_source(unit, k))
        # The compilers are busy from here on. What else this process needs is loaded when they all have work.
        start = time.perf_counter()
        from mutate.pipeline.variants import build, requested_mutations

        compositions = requested_mutations(request)
        warnings = [*read.warnings, *_condition_warnings(unit)]
        if request.dialect != request.std:
            warnings.append(f"compiled as {request.dialect}, not {request.std}: variants are written in it, so build "
                            f"them with -std={request.dialect}")
        targets: list[Target] | None = None
        if any(decided_by_instances(k) for k in kernels):
            targets = _targets(unit, kernels, request, warnings, targets_of)
        built = {id(k): build(unit, k, compositions, options, compiling, _instances(k, targets or ()))
                 for k in kernels}
        seconds["mutate"] = time.perf_counter() - start
        start = time.perf_counter()
        if targets is None:
            targets = _targets(unit, kernels, request, warnings, targets_of)
        seconds["launches"] = time.perf_counter() - start
        from mutate.pipeline.outcome import prove, unproven
        from mutate.pipeline.prove import Prover

        if compiling is not None:
            start = time.perf_counter()
            prover = Prover(request, compiling, unit.source, progress)
            try:
                results = prove(prover, targets, built)
            finally:
                prover.close()
            warnings += _assumed_headers(prover)
            seconds.update(prover.seconds, prove=time.perf_counter() - start)
            if compiling.compiler.compiled:
                remember_complete(request, source)
        else:
            results = unproven(targets, built)
    except BaseException:
        if compiling is not None:
            compiling.compiler.cancel()
        raise
    errors = [r.error for r in results if r.error is not None]
    if errors and len(errors) == len(results):
        raise errors[0]
    return Proven(request, unit, results, prover, seconds, warnings)


def _targets(unit: Unit, kernels: Sequence[Function], request: Request, warnings: list[str],
             targets_of: MakeTargets | None) -> list[Target]:
    from mutate.pipeline.targets import make_targets

    return targets_of(unit, kernels, warnings) if targets_of is not None else \
        make_targets(unit, kernels, request, warnings)


def _instances(kernel: Function, targets: Sequence[Target]) -> tuple[str, ...]:
    """The template arguments of a kernel, where they decide what variants do."""
    found = [t.instance for t in targets if t.kernel is kernel and t.instance is not None]
    return tuple(dict.fromkeys(found)) if decided_by_instances(kernel) else ()


def run_variants(request: Request, progress: Progress = no_progress) -> Report:
    """Mutates, compiles, certifies and writes. Raises as ``prove_file``."""
    _require_folder(request.output)
    proven = prove_file(request, progress, partial(_declared_or_hosted, request=request) if request.verify else None)
    start = time.perf_counter()
    from mutate.pipeline.output import write_outputs

    report = Report(proven.request, tuple(proven.results), proven.seconds, tuple(proven.warnings))
    report = write_outputs(report, proven.unit)
    proven.seconds["write"] = time.perf_counter() - start
    return report


def _declared_or_hosted(unit: Unit, kernels: Sequence[Function], warnings: list[str], request: Request) -> list[Target]:
    """Launches as the file declares them; where it declares none, as its host code makes them, if that says all."""
    from mutate.pipeline.hosted import host_launches
    from mutate.pipeline.targets import make_targets

    said: list[str] = []
    targets = make_targets(unit, kernels, request, said)
    if request.launch_file is None and not request.instances and not any(t.launches for t in targets):
        own, _ = host_launches(unit, kernels, request, warnings)
        if own:
            return make_targets(unit, kernels, request, warnings, own)
    warnings += said
    return targets


def _require_folder(folder: Path) -> None:
    """Before all the work: what is to be made a folder is none already, nor is anything above it."""
    for path in (folder, *folder.parents):
        if path.is_dir():
            return
        if path.is_symlink() or path.exists():
            what = "a file" if path.is_file() else "a link to nothing" if not path.exists() else "no folder"
            raise KmutateError("output-not-writable", f"cannot make the output folder {folder}: {path} is {what}",
                               hint="name a folder with -o DIR; it is made where there is none")


def _assumed_headers(prover: Prover) -> list[str]:
    """Headers that were found nowhere, and that the originals compile without."""
    lines = (x for w in prover.works if w.original is not None for x in w.original.log.splitlines())
    return [f"{x.removeprefix('note: ')}: -I names the folder that it is in"
            for x in dict.fromkeys(lines) if x.startswith("note: header ")]


def _condition_warnings(unit: Unit) -> list[str]:
    out = []
    for span in unit.main.expansion.unknown_conditions:
        file, line = Lines(unit.source).place(span.start)
        out.append(f"{file or unit.main.name}:{line}: cannot evaluate this #if; taken as false (set -D to decide)")
    return out
