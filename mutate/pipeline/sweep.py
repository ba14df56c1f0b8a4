"""Sweeps: a launch under other settings, compiled, counted on the simulator and timed where there is something to time

it on. What the numbers say is said in ``sweep_verdict``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from mutate.errors import KmutateError
from mutate.frontend.headers import Headers
from mutate.launch.model import Launch
from mutate.limiter.model import Interval
from mutate.limiter.stats import resample
from mutate.machines import Machine
from mutate.occupancy import Device, device_for
from mutate.occupancy.calculator import default_carveout
from mutate.pipeline.compiling import Compiling
from mutate.pipeline.prove import Work
from mutate.pipeline.sweep_settings import (
    CG_OPTION,
    Built,
    Planned,
    Subject,
    Trial,
    cache_settings,
    no_cache_sweep,
    occupancy_settings,
    register_caps,
    register_settings,
)
from mutate.results import Progress, Request
from mutate.sass.disasm import Listing, disassemble
from mutate.sweeps import CACHE, OCCUPANCY, REGISTERS, Sweep, SweepRun, SweepSetting, Traffic
from mutate.timing import ORIGINAL, Gpu, Run, RunOutcome, Session
from mutate.toolchain.nvrtc import Compiled, CompileFailed

_Key = TypeVar("_Key")
_KERNELS = {CACHE: (ORIGINAL, "memory-only"), OCCUPANCY: (ORIGINAL, "memory-only", "math-only"),
            REGISTERS: (ORIGINAL,)}


@dataclass(frozen=True)
class Source:
    """What the compiler gets of a kernel, also without its launch bounds, and what came of it as it is."""

    text: bytes
    built: Built
    unbounded: bytes = b""
    headers: Headers = field(default_factory=Headers)


@dataclass(frozen=True)
class Times:
    """Of runs by name: ms, T(reference of its kernel)/T, why there is none, and the blocks that the driver says."""

    times: Mapping[str, Interval] = field(default_factory=dict)
    gains: Mapping[str, Interval] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    blocks: Mapping[str, int] = field(default_factory=dict)


Timer = Callable[[str, Sequence[tuple[str, Trial]], Mapping[str, str]], Times]
"""Times trials: the sweep's axis, (name, trial) pairs, and by name the name of the trial to compare with."""


@dataclass(frozen=True)
class Bench:
    """How a sweep is timed. ``times``: ``measured`` or ``simulated``, nothing where ``untimed`` says why. ``sms`` of

    what it is timed on.
    """

    timer: Timer | None
    times: str
    where: str
    sms: int | None = None
    untimed: str = ""


def run_sweep(axis: str, subject: Subject, sources: Mapping[str, Source], entry: str, request: Request,
              machine: Machine | None, bench: Bench, progress: Progress) -> Sweep:
    """One sweep of one launch, without the words of its verdict. What fails under a setting is said there."""
    sources = {k: s for k, s in sources.items() if k in _KERNELS[axis]}
    subject = replace(subject, parts={k: s.built for k, s in sources.items()})
    if axis == CACHE and (why := no_cache_sweep(subject.device, machine)):
        return Sweep(axis, untimed=why, uncounted=why)
    planned, notes = _planned(axis, subject, sources, entry, request, progress)
    if not planned:
        why = "no block of the launch fits on an SM"
        return Sweep(axis, untimed=why, uncounted=why, notes=tuple(notes))
    traffic, uncounted = ({}, "") if axis == OCCUPANCY else _count(planned, subject, machine, progress)
    times = _time(axis, planned, bench)
    settings = []
    for p in planned:
        runs = tuple(_run(p, t, subject, times, traffic, bench) for t in p.trials)
        settings.append(SweepSetting(p.name, p.value, runs, p.group, p.how, p.current, p.carveout_kb, p.l1_kb, p.cap))
        notes += p.left_out
    found = any(r.time is not None for s in settings for r in s.runs)
    reasons = dict.fromkeys(r.why for s in settings for r in s.runs if r.why)
    gx, gy, gz = subject.launch.grid
    turn = -(-gx * gy * gz // bench.sms) if bench.sms else None
    return Sweep(axis, tuple(settings), bench.times if found else "", bench.where, turn,
                 "" if found else bench.untimed or next(iter(reasons), "nothing was timed"), uncounted,
                 notes=tuple(dict.fromkeys(notes)))


@dataclass(frozen=True)
class Swept:
    """A launch with what was compiled for it: of ``work`` the original and the variants that are ``usable`` by their

    certificates. ``carveout_kb`` is what they are timed with on ``device``, the SM that the code is for.
    """

    work: Work
    listings: Mapping[str, Listing]
    usable: frozenset[str]
    launch: Launch
    device: Device
    carveout_kb: int | None


def sweep_item(axis: str, swept: Swept, request: Request, machine: Machine | None,
               measure: Callable[[str, Sequence[Run]], Session], gpu: Gpu | None, progress: Progress) -> Sweep:
    """One sweep on a GPU (``measure`` times the runs of a plan), or by the model where ``gpu`` is none."""
    work = swept.work
    unbounded = _without_bounds(work)
    texts = {ORIGINAL: (work.original_source, work.original),
             **{c.name: (c.source, c.compiled) for c in work.candidates if c.name in swept.usable}}
    sources = {name: Source(text, Built(compiled, swept.listings[name]), unbounded if name == ORIGINAL else b"",
                            work.headers)
               for name, (text, compiled) in texts.items() if compiled is not None and name in swept.listings}
    emulates = gpu is None and machine is not None and machine.projection
    device, carveout_kb = swept.device, swept.carveout_kb
    if gpu is None and machine is not None and machine.capability != device.capability:
        device = device_for(machine.capability)
        carveout_kb = default_carveout(sources[ORIGINAL].built.resources(swept.launch), device)
    subject = Subject(work.target.name, swept.launch, device, carveout_kb, {n: s.built for n, s in sources.items()},
                      emulates, unbounded != work.original_source)
    if gpu is not None:
        bench = Bench(gpu_timer(subject, measure), "measured", gpu.name, gpu.sm_count)
    elif machine is not None:
        sms = int(machine.number("sm.count")) if machine.get("sm.count") is not None else None
        bench = Bench(model_timer(subject, machine, progress), "simulated", machine.title, sms)
    else:
        bench = Bench(None, "", "", None, "no machine is known for this architecture")
    return run_sweep(axis, subject, sources, work.entry, request, machine, bench, progress)


def _without_bounds(work: Work) -> bytes:
    """The original's text with spaces for its launch bounds; as it is where it has none, or they are elsewhere."""
    text, kernel = work.original_source, work.target.kernel
    node, expansion = kernel.node.find("launch_bounds"), kernel.file.expansion
    if node is None or not expansion.is_exact(node.span):
        return text
    span = expansion.to_source(node.span)
    found = text[span.start : span.end]
    if not found.startswith(b"__launch_bounds__"):
        return text
    return text[: span.start] + bytes(c if c == 10 else 32 for c in found) + text[span.end :]


# --- what is tried ---


def _planned(axis: str, subject: Subject, sources: Mapping[str, Source], entry: str, request: Request,
             progress: Progress) -> tuple[list[Planned], list[str]]:
    if axis == OCCUPANCY:
        return occupancy_settings(subject)
    if axis == CACHE:
        if subject.emulates:
            return cache_settings(subject, {})
        made = _build([(name, s.text, (CG_OPTION,), request.maxrregcount) for name, s in sources.items()], entry,
                      request, sources[ORIGINAL].headers, progress)
        return cache_settings(subject, {n: b for n, b in made.items() if isinstance(b, Built)})
    return _register_settings(subject, sources[ORIGINAL], entry, request, progress)


def _register_settings(subject: Subject, source: Source, entry: str, request: Request, progress: Progress
                       ) -> tuple[list[Planned], list[str]]:
    """Without launch bounds, which the compiler heeds rather than a cap."""
    text, headers = source.unbounded, source.headers
    now = request.maxrregcount
    built: list[tuple[int | None, Built]] = [(now, subject.original)]
    if now is not None or subject.bounded:
        free = _build([(None, text, (), None)], entry, request, headers, progress)[None]
        if isinstance(free, Built):
            built.append((None, free))
    natural = max(b.compiled.registers for _, b in built)
    found = _build([(cap, text, (), cap) for cap in register_caps(subject, natural)], entry, request, headers,
                   progress)
    built += [(cap, b) for cap, b in found.items() if isinstance(b, Built)]
    planned, notes = register_settings(subject, built, now)
    notes += [f"with -maxrregcount={cap} it does not compile: {b.error.message}" for cap, b in found.items()
              if isinstance(b, CompileFailed)]
    return planned, notes


def _build(jobs: Sequence[tuple[_Key, bytes, tuple[str, ...], int | None]], entry: str, request: Request,
           headers: Headers, progress: Progress) -> dict[_Key, Built | CompileFailed]:
    """Compiles (key, text, further options, register cap) together, and disassembles what came of it."""
    compiling = Compiling(request, headers)
    usual = compiling.options
    results: dict[_Key, Compiled | CompileFailed] = {}
    for key, text, extra, cap in jobs:
        compiling.options = replace(usual, extra=(*usual.extra, *extra), maxrregcount=cap)
        compiling.submit(text, entry, partial(results.__setitem__, key))
    compiling.compiler.run(lambda done, total: progress("compiling", done, total))
    # In the order asked for, not of what was ready first: of caps that lead to the same code the first gives the name.
    results = {key: results[key] for key, *_ in jobs if key in results}
    good = {k: r for k, r in results.items() if isinstance(r, Compiled)}
    listings = disassemble([(c.cubin, c.entry) for c in good.values()], request.arch) if good else []
    out: dict[_Key, Built | CompileFailed] = {k: r for k, r in results.items() if isinstance(r, CompileFailed)}
    return out | {k: Built(c, listing) for (k, c), listing in zip(good.items(), listings, strict=True)}


# --- numbers ---


def _name(planned: Planned, trial: Trial) -> str:
    """Of a run: the original under the present setting has the name that it has elsewhere."""
    return trial.kernel if planned.current else f"{trial.kernel}, {planned.name}"


def _count(planned: Sequence[Planned], subject: Subject, machine: Machine | None, progress: Progress
           ) -> tuple[dict[tuple[str, str], Traffic], str]:
    """Counters by (setting, kernel), or why there are none."""
    from mutate.pipeline.sweep_traffic import CacheSetting, traffic_of, uncounted
    from mutate.sim.code import load_interpreter

    why = uncounted(machine)
    if why or machine is None:
        return {}, why
    load_interpreter(progress)
    groups: dict[int, list[tuple[Planned, Trial]]] = {}
    for p in planned:
        for t in p.trials:
            groups.setdefault(id(t.built), []).append((p, t))
    out: dict[tuple[str, str], Traffic] = {}
    # The code with most to run says how many blocks are counted: the same for all of a kernel, or they do not compare.
    most = max(t.occupancy.blocks_per_sm for p in planned for t in p.trials)
    ordered = sorted(groups.values(), key=lambda g: (-_spilled(g[0][1].built), -len(g[0][1].built.listing)))
    blocks: dict[str, int] = {}
    for number, pairs in enumerate(ordered):
        progress("counting settings", number, len(groups))
        built = pairs[0][1].built
        wanted = [CacheSetting(t.carveout_kb, t.occupancy.blocks_per_sm, t.around) for _, t in pairs]
        try:
            found = traffic_of(built.compiled, built.listing, subject.launch, machine, wanted, most,
                               blocks.get(pairs[0][1].kernel))
        except KmutateError as error:
            why = error.what
            continue
        blocks.setdefault(pairs[0][1].kernel, found[0].blocks)
        out |= {(p.name, t.kernel): f for (p, t), f in zip(pairs, found, strict=True)}
    return out, why


def _spilled(built: Built) -> int:
    return built.compiled.spill_stores + built.compiled.spill_loads


def _time(axis: str, planned: Sequence[Planned], bench: Bench) -> Times:
    if bench.timer is None:
        return Times()
    trials = [(_name(p, t), t) for p in planned for t in p.trials]
    trials.sort(key=lambda pair: pair[0] != ORIGINAL)
    names = {name for name, _ in trials}
    first = {t.kernel: name for name, t in reversed(trials)}
    references = {name: t.kernel if t.kernel in names else first[t.kernel] for name, t in trials}
    return bench.timer(axis, trials, references)


def _run(planned: Planned, t: Trial, subject: Subject, times: Times, traffic: Mapping[tuple[str, str], Traffic],
         bench: Bench) -> SweepRun:
    c, name = t.built.compiled, _name(planned, t)
    occupancy = t.occupancy
    blocks = times.blocks.get(name, occupancy.blocks_per_sm)
    warps = occupancy.warps_per_sm // occupancy.blocks_per_sm * blocks
    local = sum(i.name in ("LDL", "STL") for i in t.built.listing)
    why = "" if name in times.times else times.why.get(name, bench.untimed)
    return SweepRun(t.kernel, times.times.get(name), times.gains.get(name), why, blocks, warps,
                    warps / subject.device.warps_per_sm, occupancy.limiter, c.registers, _spilled(t.built),
                    local, subject.launch.smem + t.pad, t.pad, traffic.get((planned.name, t.kernel)))


# --- who times ---


def model_timer(subject: Subject, machine: Machine, progress: Progress) -> Timer:
    """Times by the model; of one machine code the sample is recorded once."""
    from mutate.sim.image import read_image
    from mutate.sim.timing.model import Kernel, predict, sample_of
    from mutate.sim.timing.sampling import Sample

    def timer(axis: str, trials: Sequence[tuple[str, Trial]], references: Mapping[str, str]) -> Times:
        del axis
        times: dict[str, Interval] = {}
        why: dict[str, str] = {}
        samples: dict[tuple[bytes, str], Sample] = {}
        for number, (name, t) in enumerate(trials):
            progress("simulating settings", number, len(trials))
            c = t.built.compiled
            try:
                kernel = Kernel(read_image(c.cubin, c.entry), t.built.listing, max(1, c.barriers),
                                "cg" if t.around else "ca")
                key = c.cubin, kernel.dlcm
                if key not in samples:
                    samples[key] = sample_of(kernel, subject.launch, machine)
                found = predict(kernel, subject.launch, machine, extra_smem=t.pad, carveout_kb=t.carveout_kb,
                                sample=samples[key])
            except KmutateError as error:
                why[name] = error.what
                continue
            times[name] = Interval.exact(found.time_ms)
        gains = {n: Interval.exact(times[references[n]].value / t.value) for n, t in times.items()
                 if references[n] in times}
        return Times(times, gains, why)

    return timer


def gpu_timer(subject: Subject, measure: Callable[[str, Sequence[Run]], Session]) -> Timer:
    """Times on a GPU. ``measure`` times the runs of one plan (its name is given) in interleaved rounds."""

    def timer(axis: str, trials: Sequence[tuple[str, Trial]], references: Mapping[str, str]) -> Times:
        session = measure(f"{axis} sweep", [t.run(name, subject.launch) for name, t in trials])
        good = {r.name: r.times_ms for r in session.runs if r.outcome is RunOutcome.OK and r.times_ms}
        times: dict[str, Interval] = {}
        gains: dict[str, Interval] = {}
        for reference in dict.fromkeys(references.values()):
            mine = {n: t for n, t in good.items() if references[n] == reference}
            if reference in mine:
                found = resample(mine, reference)
                times |= found.intervals
                gains |= found.gains
        why = {r.name: r.message or str(r.outcome) for r in session.runs if r.name not in times}
        blocks = {r.name: r.resident_blocks for r in session.runs if r.resident_blocks is not None}
        return Times(times, gains, why, blocks)

    return timer
