"""``kmutate analyze --machine a,b,c``: the same file on several machines of the simulator, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mutate.analyzed import AnalyzeRequest, Compared, Comparison
from mutate.errors import KmutateError
from mutate.machines import load_machine
from mutate.pipeline.analyze import run_analysis
from mutate.pipeline.run import no_progress
from mutate.results import Progress

_LATE = KmutateError("interrupted", "interrupted before it was done")


def compare_machines(request: AnalyzeRequest, names: Sequence[str], progress: Progress = no_progress) -> Comparison:
    """One analysis for each machine, compiled for its own architecture unless the request names one.

    Raises ``KmutateError`` for machines that there are not, a GPU that was asked for, and where no machine could be
    analyzed; what concerns one machine is that machine's.
    """
    if request.backend == "gpu":
        raise KmutateError("no-gpu", "several machines are compared on the simulator, not on a GPU",
                           hint="leave --backend out, or name one machine")
    machines = [load_machine(name) for name in names]
    found: list[Compared] = []
    interrupted = False
    for number, (name, machine) in enumerate(zip(names, machines, strict=True)):
        def said(what: str, done: int, total: int, head: str = f"{machine.name} ({number + 1}/{len(names)})") -> None:
            progress(f"{head}: {what}", done, total)

        arch = request.source.arch or machine.arch
        if interrupted:
            found.append(Compared(machine, arch, error=_LATE))
            continue
        try:
            analysis = run_analysis(replace(request, backend="sim", machine=name,
                                            source=replace(request.source, arch=arch)), said)
        except KmutateError as error:
            found.append(Compared(machine, arch, error=error))
            continue
        except KeyboardInterrupt:
            if not any(c.analysis for c in found):
                raise
            found.append(Compared(machine, arch, error=_LATE))
            interrupted = True
            continue
        found.append(Compared(machine, arch, analysis))
        interrupted = analysis.interrupted
    errors = [c.error for c in found if c.error is not None]
    if len(errors) == len(found):
        raise errors[0]
    common = [set(c.analysis.warnings) for c in found if c.analysis is not None]
    warnings = tuple(w for w in next(c.analysis for c in found if c.analysis is not None).warnings
                     if all(w in each for each in common))
    return Comparison(request, tuple(found), warnings, interrupted)
