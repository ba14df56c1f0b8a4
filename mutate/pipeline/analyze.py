"""One run of ``kmutate analyze``: variants, certificates, counters, times, verdicts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypedDict

from mutate.analyzed import Analysis, AnalyzedVariant, AnalyzeRequest, KernelAnalysis, LaunchAnalysis
from mutate.backends.gpu import find_gpu, measure, prestart
from mutate.backends.lock import exclusive
from mutate.backends.roofs import load_roofs, measure_roofs, save_roofs
from mutate.errors import KmutateError
from mutate.frontend.units import Function, Unit
from mutate.launch.model import Launch
from mutate.limiter.evidence import MATH, MEMORY
from mutate.limiter.verdict import judge
from mutate.machines import Machine, default_machine, load_machine
from mutate.model import Outcome, Verdict
from mutate.occupancy import KernelResources, PaddingPlan, capability_of, device_for, plan_padding
from mutate.pipeline.experiments import grid_runs, occupancy_runs
from mutate.pipeline.facts import Known, facts_of
from mutate.pipeline.predictions import Predictions, announce_model, predict_plan
from mutate.pipeline.prove import Work
from mutate.pipeline.run import Proven, no_progress, prove_file
from mutate.pipeline.simulate import launched, run_simulation
from mutate.pipeline.stalls import explain, played_of, stalls_of
from mutate.pipeline.sweep import Swept, sweep_item
from mutate.pipeline.sweep_verdict import judged
from mutate.pipeline.times import Timed, evidence_of
from mutate.report.bench import written_arrays
from mutate.results import KernelResult, Progress, Target
from mutate.sass.disasm import Listing
from mutate.simulated import LaunchCounts, Played, SimulateRequest, Stalls
from mutate.source import unified_diff
from mutate.sweeps import Sweep
from mutate.timing import ORIGINAL, Gpu, Plan, Roofs, Run, RunOutcome, Session
from mutate.toolchain.cache import default_cache
from mutate.toolchain.nvrtc import Compiled

if TYPE_CHECKING:
    from mutate.sim.places import Places
    from mutate.sim.timing.model import SimulatedTime

_DEFAULT_ARCH = "sm_90"


def run_analysis(request: AnalyzeRequest, progress: Progress = no_progress,
                 launches: Sequence[Launch] | None = None) -> Analysis:
    """Everything. Raises ``KmutateError`` for what the user has to mend; what concerns one kernel is that kernel's.

    ``launches`` take the place of the declared ones.
    """
    return _Run(request, progress, launches).go()


class _Modelled(TypedDict, total=False):
    stalls: Stalls
    played: Played


@dataclass
class _Item:
    """One launch on its way."""

    result: KernelResult
    work: Work
    compiled: Compiled
    listings: Mapping[str, Listing]
    launch: Launch
    counts: LaunchCounts | None = None
    counts_error: KmutateError | None = None
    plan: Plan | None = None
    sweep: Plan | None = None
    session: Session | None = None
    swept: Session | None = None
    predicted: Predictions | None = None
    places: Places | None = None
    explained: SimulatedTime | None = None
    sweeps: list[Sweep] = field(default_factory=list)


class _Run:
    def __init__(self, request: AnalyzeRequest, progress: Progress, launches: Sequence[Launch] | None) -> None:
        self.progress = progress
        self.launches = launches
        self.seconds: dict[str, float] = {}
        self.warnings: list[str] = []
        self.gpu, self.untimed = _choose_backend(request)
        if self.gpu is not None:
            prestart(request.settings.device)
        self.machine = _machine(request, self.gpu)
        self.request = _with_arch(request, self.gpu, self.machine)
        self.roofs: Roofs | None = None
        self.interrupted = False
        self._device = device_for(capability_of(self.request.source.arch))

    def go(self) -> Analysis:
        request = self.request
        with self._clock("prove"):
            proven = prove_file(replace(request.source, dynamic=True, mutations=_with_needed(request.source.mutations)),
                                self.progress, self._targets)
        self.warnings[:0] = proven.warnings
        self.request = request = replace(request, source=replace(request.source, path=proven.request.path,
                                                                 kernels=proven.request.kernels))
        items = self._items(proven)
        # From here on there is something to report, however the run ends.
        try:
            if request.counters:
                with self._clock("count"):
                    self._count(items)
            if self.gpu is not None:
                if request.full:
                    self.warnings.append("--full is for simulated times, and these are measured (--backend sim "
                                         "simulates)")
                if self.machine is not None and request.counters:
                    with self._clock("explain"):
                        self._explain(items, self.machine)
                with self._clock("measure"):
                    self._measure(items, self.gpu)
            elif self.machine is not None:
                with self._clock("predict"):
                    self._predict(items, self.machine)
                if self.untimed and any(i.predicted is not None and i.predicted.times for i in items):
                    self.warnings.append(f"times are simulated, because of this: {self.untimed}")
            if request.sweeps:
                with self._clock("sweep"):
                    self._sweeps(items)
        except KeyboardInterrupt:
            self.interrupted = True
        kernels = tuple(self._kernel(r, [i for i in items if i.result is r], proven) for r in proven.results)
        return Analysis(request, "gpu" if self.gpu is not None else "sim", kernels, self.machine, self.roofs,
                        proven.unit.sources()[proven.unit.main.name].decode(errors="replace"),
                        {**proven.seconds, **self.seconds}, tuple(self.warnings), self.interrupted)

    @contextmanager
    def _clock(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = time.perf_counter() - start

    def _targets(self, unit: Unit, kernels: Sequence[Function], warnings: list[str]) -> list[Target]:
        return launched(unit, kernels, self.request.source, warnings, self.launches, "analyzed")

    def _items(self, proven: Proven) -> list[_Item]:
        if proven.prover is None:
            raise KmutateError("not-verified", "an analysis needs certified variants")
        works = {id(w.target): (n, w) for n, w in enumerate(proven.prover.works)}
        out = []
        for result in proven.results:
            number, work = works.get(id(result.target), (0, None))
            if result.error is None and work is not None and work.original is not None:
                listings = {name or ORIGINAL: listing for (k, name), listing in proven.prover.listings.items()
                            if k == number}
                out += [_Item(result, work, work.original, listings, la) for la in result.target.launches]
        return out

    # -- counters ------------------------------------------------------------------------------------------------

    def _count(self, items: Sequence[_Item]) -> None:
        """Runs the originals on the simulator, with line information."""
        request = SimulateRequest(self.request.source, by_line=True, footprint=True)
        try:
            report = run_simulation(request, self.machine, self.progress, self.launches)
        except KmutateError as error:
            for item in items:
                item.counts_error = error
            return
        for kernel in report.kernels:
            mine = [i for i in items if i.result.target.name == kernel.target.name]
            for number, item in enumerate(mine):
                if number < len(kernel.launches):
                    item.counts, item.places = kernel.launches[number], kernel.places
                else:
                    item.counts_error = kernel.error
        self.warnings += [w for w in report.warnings if w not in self.warnings]

    # -- times ---------------------------------------------------------------------------------------------------

    def _predict(self, items: Sequence[_Item], machine: Machine) -> None:
        """Times by the model, one launch after another."""
        for number, item in enumerate(items):
            if item.counts_error is not None:
                continue
            item.plan = self._plan(f"{number}", item)
            item.predicted = predict_plan(item.plan, item.listings, machine, self._padding(item).carveout_kb,
                                          self.request.settings.l2, self.progress, self.request.full)
            if item.predicted.interrupted:
                raise KeyboardInterrupt

    def _explain(self, items: Sequence[_Item], machine: Machine) -> None:
        """What the model says of the originals' warps, beside measured times; nothing where it says nothing."""
        compiling = announce_model(self.progress)
        for number, item in enumerate(items):
            if item.counts is not None:
                if number or not compiling:
                    self.progress("simulating warps", number, len(items))
                item.explained = explain(self._original(item), item.launch, item.listings[ORIGINAL], machine,
                                         self._padding(item).carveout_kb)

    def _measure(self, items: Sequence[_Item], gpu: Gpu) -> None:
        plans: list[Plan] = []
        for number, item in enumerate(items):
            item.plan = self._plan(f"{number}", item)
            plans.append(item.plan)
            if self.request.sweep:
                item.sweep = self._sweep(f"{number} sweep", item, gpu)
                if item.sweep is not None:
                    plans.append(item.sweep)
        with exclusive(gpu, default_cache().folder, self.progress):
            self.roofs = self._roofs(gpu)
            sessions = {s.plan: s for s in measure(plans, self.request.settings, self.progress)}
        for item in items:
            item.session = sessions.get(item.plan.name) if item.plan is not None else None
            item.swept = sessions.get(item.sweep.name) if item.sweep is not None else None
        self.interrupted = len(sessions) < len(plans) or any(s.stopped == "interrupted" for s in sessions.values())

    def _roofs(self, gpu: Gpu) -> Roofs | None:
        """What the GPU reaches, from the cache or measured now, which takes some seconds once."""
        known = load_roofs(gpu)
        if known is None:
            try:
                known = measure_roofs(gpu, None, self.progress, device=self.request.settings.device)
                save_roofs(known)
            except KmutateError as error:
                self.warnings.append(f"what this GPU reaches could not be measured: {error.what}")
        return known

    def _plan(self, name: str, item: _Item) -> Plan:
        padding = self._padding(item)
        runs = [self._original(item)]
        for v in item.result.variants:
            c = next((c for c in item.work.candidates if c.name == v.mutation), None)
            if v.certificate is None or v.certificate.verdict is Verdict.INVALID or c is None or c.compiled is None:
                continue
            mine = padding.variants[v.mutation]
            # The plan's padding is for a variant held to the cap; one that is not keeps what it has by itself.
            held = mine.register_cap is None
            smem = item.launch.smem + (mine.pad if held else 0)
            blocks = (mine.padded if held else mine.natural).blocks_per_sm
            runs.append(Run(v.mutation, c.compiled.cubin, c.compiled.entry, smem, mine.carveout_percent, blocks))
        return self._make_plan(name, item, runs)

    def _padding(self, item: _Item) -> PaddingPlan:
        """The launches of this declaration; certificates have them for the kernel's first one."""
        launch = item.launch
        target = item.result.target
        if item.work.plan is not None and (launch.threads, launch.smem) == (target.threads, target.dynamic_smem):
            return item.work.plan
        variants = {c.name: _resources_of(c.compiled, launch) for c in item.work.candidates if c.compiled is not None}
        return plan_padding(_resources(item), variants, self._device)

    def _make_plan(self, name: str, item: _Item, runs: Sequence[Run]) -> Plan:
        params = [(p.type_text, p.name) for p in item.result.target.kernel.params]
        written = set(written_arrays(item.launch, params))
        in_place = True
        if item.counts is not None and item.counts.touched:
            written |= {t.array for t in item.counts.touched if t.written}
            in_place = any(t.read and t.array in written for t in item.counts.touched)
        return Plan(name, item.launch, tuple(runs), tuple(sorted(written)), in_place)

    def _original(self, item: _Item) -> Run:
        padding = self._padding(item).original
        return Run(ORIGINAL, item.compiled.cubin, item.compiled.entry, item.launch.smem, padding.carveout_percent,
                   padding.padded.blocks_per_sm)

    def _sweep(self, name: str, item: _Item, gpu: Gpu) -> Plan | None:
        original = self._original(item)
        runs = [*occupancy_runs(original, _resources(item), self._device, self._padding(item).carveout_kb),
                *grid_runs(original, item.launch, item.listings.get(ORIGINAL, ()), original.expected_blocks or 1,
                           gpu.sm_count)]
        return self._make_plan(name, item, [original, *runs]) if runs else None

    def _sweeps(self, items: Sequence[_Item]) -> None:
        """The sweeps that were asked for, launch by launch."""
        for number, item in enumerate(() if self.interrupted else items):
            def timed(name: str, runs: Sequence[Run], number: int = number, item: _Item = item) -> Session:
                plan = self._make_plan(f"{number} {name}", item, runs)
                if self.gpu is None:
                    raise KmutateError("no-gpu", "there is no GPU to time this on")
                with exclusive(self.gpu, default_cache().folder, self.progress):
                    session = measure([plan], self.request.settings, self.progress)[0]
                if session.stopped == "interrupted":
                    raise KeyboardInterrupt
                return session

            usable = frozenset(v.mutation for v in item.result.variants
                               if v.certificate is not None and v.certificate.verdict is not Verdict.INVALID)
            swept = Swept(item.work, item.listings, usable, item.launch, self._device, self._padding(item).carveout_kb)
            for axis in self.request.sweeps:
                item.sweeps.append(sweep_item(axis, swept, self.request.source, self.machine, timed, self.gpu,
                                              self.progress))

    # -- verdicts ------------------------------------------------------------------------------------------------

    def _kernel(self, result: KernelResult, items: Sequence[_Item], proven: Proven) -> KernelAnalysis:
        if result.error is not None:
            return KernelAnalysis(result.target, error=result.error)
        return KernelAnalysis(result.target, tuple(self._launch(item, proven) for item in items))

    def _why_untimed(self, item: _Item) -> str:
        if item.session is not None or (item.predicted is not None and item.predicted.times):
            return ""
        if self.interrupted:
            return "interrupted before it was timed"
        why = self.untimed
        if item.counts_error is not None:
            why = _joined(why, item.counts_error.what)
        elif item.predicted is not None:
            why = _joined(why, *item.predicted.errors.values())
        elif self.machine is None and self.gpu is None:
            why = _joined(why, "no machine is known for this architecture")
        return why or "nothing was timed"

    def _to_time(self, item: _Item) -> str:
        """What to do next where nothing was timed, or too little."""
        if self.interrupted:
            return "run it again and let it finish; -m memory-only times no other variants than a verdict needs"
        if self.gpu is not None:
            outcomes = {r.outcome for r in item.session.runs} if item.session is not None else set()
            if RunOutcome.TIMEOUT in outcomes:
                return "give a launch more time (a larger --limit), or less to do (--set)"
            if outcomes & {RunOutcome.LAUNCH_FAILED, RunOutcome.ILLEGAL_ACCESS}:
                return "mend the launch: `kmutate simulate` says which access is out of range"
            if RunOutcome.OUT_OF_MEMORY in outcomes:
                return "give it less data (--set), or a GPU with more memory"
            return "run it again with a larger --budget"
        if item.counts_error is not None:
            return item.counts_error.hint or "mend what the simulator says"
        if item.predicted is not None and item.predicted.hint:
            return item.predicted.hint
        on_gpu = "time it on a GPU: kmutate analyze --backend gpu"
        return on_gpu if self.machine is not None else f"{on_gpu}; or name a --machine of `kmutate list machines`"

    def _launch(self, item: _Item, proven: Proven) -> LaunchAnalysis:
        timed = Timed(item.session, item.swept, item.predicted)
        compiled = item.compiled
        facts = facts_of(Known(item.launch, _resources(item), self._device, item.counts, self.machine, self.roofs,
                               self.gpu, timed.overhead_ms, self.request.settings.l2))
        evidence = evidence_of(timed, item.result, facts, self._to_time(item))
        finding = judge(evidence)
        diffs = _diffs(item.result, proven.unit)
        variants = tuple(AnalyzedVariant(v.mutation, v, v.certificate, evidence.variants.get(v.mutation),
                                         *diffs.get(v.mutation, ("", ""))) for v in item.result.variants)
        return LaunchAnalysis(
            item.launch, finding, facts, variants, item.session, self._why_untimed(item),
            evidence.noise, item.counts, item.counts_error, evidence.occupancy, evidence.grids,
            compiled.registers, compiled.static_smem, compiled.spill_stores + compiled.spill_loads,
            sweeps=tuple(judged(s, finding.limiter) for s in item.sweeps), **self._played(item))

    def _played(self, item: _Item) -> _Modelled:
        """What the model says of the original beside its time."""
        time = item.predicted.times.get(ORIGINAL) if item.predicted is not None else item.explained
        if time is None or self.machine is None:
            return {}
        return {"stalls": stalls_of(time, item.listings[ORIGINAL], item.places, self.machine),
                "played": played_of(time, self.machine)}


def _joined(*parts: str) -> str:
    return "; ".join(p for p in dict.fromkeys(parts) if p)


def _choose_backend(request: AnalyzeRequest) -> tuple[Gpu | None, str]:
    """The GPU, or why nothing is timed. Raises ``KmutateError`` ``no-gpu`` where one was asked for."""
    if request.backend == "sim":
        return None, ""
    found = find_gpu(request.settings.device)
    if isinstance(found, Gpu):
        return found, ""
    if request.backend == "gpu":
        raise KmutateError("no-gpu", f"cannot time on a GPU: {found.why}", hint=found.hint)
    return None, found.why


def _machine(request: AnalyzeRequest, gpu: Gpu | None) -> Machine | None:
    """The machine that was asked for, that of the GPU's name, or the one that stands for the architecture."""
    if request.machine is not None:
        return load_machine(request.machine)
    if gpu is not None:
        try:
            return load_machine(gpu.name)
        except KmutateError:
            return _named(gpu)
    return default_machine(request.source.arch or _DEFAULT_ARCH)


def _named(gpu: Gpu) -> Machine | None:
    """A machine one of whose names is part of the GPU's, such as "NVIDIA H100 80GB HBM3"."""
    from mutate.machines import all_machines

    words = gpu.name.lower().split()
    return next((m for m in all_machines() if m.name in words and m.capability == gpu.capability), None)


def _with_arch(request: AnalyzeRequest, gpu: Gpu | None, machine: Machine | None) -> AnalyzeRequest:
    """Compiled for what will run it, unless an architecture was asked for."""
    if request.source.arch:
        return request
    arch = "sm_{}{}".format(*gpu.capability) if gpu is not None else machine.arch if machine is not None else \
        _DEFAULT_ARCH
    return replace(request, source=replace(request.source, arch=arch))


def _with_needed(mutations: tuple[str, ...]) -> tuple[str, ...]:
    """What a verdict needs beside the mutations that were asked for; none stands for all."""
    return (*mutations, *(m for m in (MEMORY, MATH) if m not in mutations)) if mutations else ()


def _resources(item: _Item) -> KernelResources:
    return _resources_of(item.compiled, item.launch)


def _resources_of(c: Compiled, launch: Launch) -> KernelResources:
    return KernelResources(c.registers, c.static_smem, launch.threads, launch.smem, max(1, c.barriers))


def _diffs(result: KernelResult, unit: Unit) -> Mapping[str, tuple[str, str]]:
    """(text, diff) of each variant that has one."""
    out = {}
    for v in result.variants:
        if v.outcome is Outcome.OK and v.text is not None:
            name = f"{result.target.stem}.{v.mutation}.cu"
            out[v.mutation] = (v.text.text.decode(errors="replace"),
                               unified_diff(unit.source, v.text.text, unit.main.name, name))
    return out


