"""One run of ``kmutate simulate``: from a source file to the counters of its launches."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mutate.errors import KmutateError
from mutate.frontend.units import Function, Unit
from mutate.launch.model import Launch
from mutate.machines import Machine
from mutate.pipeline.compiling import Compiling, device_source, original_error, project_headers
from mutate.pipeline.hosted import host_launches, launch_command
from mutate.pipeline.reading import as_included, read_kernels
from mutate.pipeline.run import no_progress
from mutate.pipeline.start import remember_complete
from mutate.pipeline.targets import make_targets
from mutate.results import Progress, Request, Target
from mutate.sass.disasm import Listing, disassemble
from mutate.sass.lines import listing_lines
from mutate.sim.code import load_interpreter
from mutate.sim.places import Places
from mutate.simulated import LaunchCounts, SimulatedKernel, SimulateReport, SimulateRequest
from mutate.toolchain.nvrtc import Compiled, CompileFailed


@dataclass
class _Work:
    target: Target
    compiled: Compiled | None = None
    listing: Listing = ()
    places: Places | None = None
    error: KmutateError | None = None


def run_simulation(request: SimulateRequest, machine: Machine | None, progress: Progress = no_progress,
                   launches: Sequence[Launch] | None = None) -> SimulateReport:
    """Compiles, executes and counts. Raises ``KmutateError`` for what the user has to mend.

    ``launches`` take the place of the declared ones.

    A kernel that fails is an error of that kernel only when others do not.
    """
    return as_included(request.source, lambda source: _run_simulation(replace(request, source=source), machine,
                                                                      progress, launches))


def _run_simulation(request: SimulateRequest, machine: Machine | None, progress: Progress,
                    launches: Sequence[Launch] | None) -> SimulateReport:
    start = time.perf_counter()
    source = request.source
    read = read_kernels(source)
    text, unit, kernels = read.source, read.unit, read.kernels
    warnings = list(read.warnings)
    works = [_Work(t) for t in launched(unit, kernels, source, warnings, launches)]
    seconds = {"parse": time.perf_counter() - start}
    start = time.perf_counter()
    _compile(works, unit, source, progress)
    remember_complete(source, text, "simulate")
    seconds["compile"] = time.perf_counter() - start
    ready = [w for w in works if w.error is None]
    if ready:
        start = time.perf_counter()
        load_interpreter(progress)
        seconds["load"] = time.perf_counter() - start
    start = time.perf_counter()
    results = []
    for number, work in enumerate(works):
        progress(f"simulating {work.target.name}", number, len(works))
        results.append(_simulate(work, request, machine, progress, warnings))
    seconds["simulate"] = time.perf_counter() - start
    errors = [r.error for r in results if r.error is not None]
    if errors and len(errors) == len(results):
        raise errors[0]
    return SimulateReport(request, machine, tuple(results), seconds, tuple(warnings))


def launched(unit: Unit, kernels: Sequence[Function], request: Request, warnings: list[str],
             launches: Sequence[Launch] | None = None, what: str = "simulated") -> list[Target]:
    """The kernels that a declaration launches; the others are warned of, or an error where they were asked for.

    Where none is declared, those that host code launches in a way that can be followed to the end.
    """
    targets = make_targets(unit, kernels, request, warnings, launches)
    unsure: dict[str, str] = {}
    if launches is None and request.launch_file is None and not any(t.launches for t in targets):
        own, unsure = host_launches(unit, kernels, request, warnings)
        targets = make_targets(unit, kernels, request, warnings, own) if own else targets
    found = [t for t in targets if t.launches]
    missing = [t for t in targets if not t.launches]
    if missing and (not found or request.kernels):
        raise _no_launch(missing[0].kernel, unit, request, unsure)
    warnings += [f"{t.name} is not {what}: no launch declaration" for t in missing]
    return found


def _no_launch(kernel: Function, unit: Unit, request: Request, unsure: Mapping[str, str]) -> KmutateError:
    call = f"{kernel.name}({', '.join(p.name for p in kernel.params)});"
    like = [_declared(p.type_text, p.name) for p in kernel.params if p.name != "n"]
    example = f"add a comment like  /* kmutate launch  int n = 65536; dim3 grid = {{ n / 256 }}; dim3 block = " \
              f"{{ 256 }};{''.join(like)} {call} */, " if all(like) and not kernel.is_template else \
              "add a /* kmutate launch ... */ comment, "
    what = unsure.get(kernel.qualified, f"nothing says how {kernel.qualified} is launched")
    return KmutateError("no-launch", what, file=unit.main.name, hint=(
        f"`{launch_command(request)} --write {Path(unit.main.name).stem}.launch` proposes a launch declaration from "
        f"the host code, to be checked and given with --launch; or {example}or give --launch FILE"))


_PLAIN = frozenset({"bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "size_t"})


def _declared(text: str, name: str) -> str:
    """A declaration of what a parameter is given; empty where its type is not one that C has."""
    words = [w for w in text.replace("*", " ").split() if w not in ("const", "volatile", "__restrict__", "__restrict",
                                                                    "restrict")]
    if "&" in text or text.count("*") > 1 or not words or not set(words) <= _PLAIN:
        return ""
    whole = not {"float", "double"} & set(words)
    if "*" not in text:
        return f" {' '.join(words)} {name} = {'n' if whole else '1'};"
    return f" {' '.join(words)} {name}[n] = {'randint(0, 100)' if whole else 'uniform(0, 1)'};"


def _compile(works: Sequence[_Work], unit: Unit, request: Request, progress: Progress) -> None:
    """Compiles all kernels with line information, which leaves the code as it is, and disassembles them at once."""
    compiling = Compiling(request, project_headers(request, unit))
    compiling.options = replace(compiling.options, extra=("-lineinfo",))
    for work in works:
        def done(result: Compiled | CompileFailed, work: _Work = work) -> None:
            if isinstance(result, CompileFailed):
                work.error = original_error(work.target.name, result, request.arch, str(request.path), unit.source)
            else:
                work.compiled = result

        compiling.submit(device_source(unit, work.target.kernel), work.target.name, done)
    compiling.compiler.run(lambda done, total: progress("compiling", done, total))
    built = [(w, w.compiled) for w in works if w.compiled is not None]
    if not built:
        return
    sources = unit.sources()
    for (work, compiled), listing in zip(built, disassemble([(c.cubin, c.entry) for _, c in built], request.arch),
                                         strict=True):
        work.listing = listing
        work.places = Places(listing_lines(compiled.cubin, compiled.entry), sources)


def _simulate(work: _Work, request: SimulateRequest, machine: Machine | None, progress: Progress, warnings: list[str]
              ) -> SimulatedKernel:
    if work.error is not None or work.compiled is None:
        return SimulatedKernel(work.target, error=work.error)
    from mutate.pipeline.counting import Counting

    counting = Counting(work.target, work.compiled, work.listing, work.places, request, machine)
    launches: list[LaunchCounts] = []
    try:
        for launch in work.target.launches:
            launches.append(counting.count(launch, _named(progress, work.target, launch)))
    except KmutateError as error:
        return SimulatedKernel(work.target, tuple(launches), error, work.places)
    warnings += dict.fromkeys(counting.warnings)
    return SimulatedKernel(work.target, tuple(launches), places=work.places)


def _named(progress: Progress, target: Target, launch: Launch) -> Progress:
    del launch
    return lambda what, done, total: progress(f"{what} {target.name}", done, total)
