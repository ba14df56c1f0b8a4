"""The JSON document ``kmutate.analysis/1`` of ``kmutate analyze --json`` and ``kmutate classify --json``.

Units are in the names. An interval is ``{"value", "low", "high"}``; what is unknown, or no finite number, is ``null``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from mutate import __version__
from mutate.analyzed import Analysis, AnalyzedVariant, AnalyzeRequest, KernelAnalysis, LaunchAnalysis
from mutate.errors import KmutateError
from mutate.limiter.model import Cause, Facts, Finding, Interval, Payoff, SweepPoint, VariantTime
from mutate.machines.model import Machine
from mutate.model import Verdict
from mutate.report import figures, played, stalls
from mutate.report.document import certificate_document, error_document
from mutate.report.sweep_document import sweep_document
from mutate.simulated import LaunchCounts
from mutate.source import Lines
from mutate.timing import Gpu, Roofs, RunTimes, Session

SCHEMA = "kmutate.analysis/1"
# Fields of ``Facts`` whose names do not say their unit.
_FACT_NAMES = {"bytes_in_flight_needed": "needed_in_flight_bytes", "instructions": "warp_instructions",
               "balance": "balance_thread_instructions_per_byte", "issue_rate": "issue_warp_instructions_per_clock",
               "shared_conflicts": "shared_conflict_wavefronts", "load_efficiency": "load_efficiency_percent",
               "store_efficiency": "store_efficiency_percent"}


def _number(value: float | None, digits: int = 7) -> float | int | None:
    """A number that strict JSON has: rounded to significant digits, ``None`` for infinities and NaN."""
    if value is None or isinstance(value, int):
        return value
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _interval(i: Interval | None) -> dict[str, Any] | None:
    return None if i is None else {"value": _number(i.value), "low": _number(i.low), "high": _number(i.high)}


def _cleaned(value: Any) -> Any:
    """Without what is no character: file names and compiler messages may hold any bytes."""
    if isinstance(value, dict):
        return {figures.clean(str(k)): _cleaned(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_cleaned(v) for v in value]
    return figures.clean(value) if isinstance(value, str) else value


# --- the verdict ---


def _payoff(p: Payoff) -> dict[str, Any]:
    return {"what": p.what, "at_most": _interval(p.gain), "by": p.by,
            "note": p.note, "source": p.kind}


def _cause(c: Cause) -> dict[str, Any]:
    return {"slug": c.slug, "title": c.title, "evidence": list(c.evidence),
            "next_step": c.next_step, "share": _number(c.share),
            "payoff": _payoff(c.payoff) if c.payoff is not None else None}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "limiter": str(finding.limiter), "confidence": str(finding.confidence), "support": _number(finding.support),
        "candidates": [{"limiter": str(k), "share": _number(s)} for k, s in finding.candidates],
        "summary": finding.summary, "evidence": list(finding.evidence),
        "against": list(finding.against), "next_step": finding.next_step,
        "full_ms": _interval(finding.full), "memory_ms": _interval(finding.memory), "math_ms": _interval(finding.math),
        "overlap": _interval(finding.overlap), "exposed_ms": _interval(finding.exposed_ms),
        "exposed_of": finding.exposed_of or None, "causes": [_cause(c) for c in finding.causes],
        "payoffs": [_payoff(p) for p in figures.ranked_payoffs(finding)]}


def _facts(facts: Facts) -> dict[str, Any]:
    """What is known, each with where it comes from; what is not known is left out."""
    out: dict[str, Any] = {}
    for f in fields(facts):
        value = getattr(facts, f.name)
        if f.name == "sources" or value is None or value == "":
            continue
        out[_FACT_NAMES.get(f.name, f.name)] = {
            "value": value if isinstance(value, str) else _number(value),
            "source": facts.sources.get(f.name)}
    return out


def _bandwidth(finding: Finding, facts: Facts, times: str) -> list[dict[str, Any]]:
    return [{"name": r.name, "bytes": _number(r.nbytes), "gbs": _number(r.gbs), "of_copy": _number(r.of_copy),
             "of_peak": _number(r.of_peak), "time_source": r.sources[0], "bytes_source": r.sources[1]}
            for r in figures.rates(finding, facts, times)]


def _judged(finding: Finding, facts: Facts, times: str) -> dict[str, Any]:
    return {"finding": _finding(finding), "facts": _facts(facts), "bandwidth": _bandwidth(finding, facts, times),
            "instructions_per_byte": _number(figures.instruction_ratio(facts)),
            "reached": {x.what: _number(x.fraction) for x in figures.fractions(finding, facts)}}


# --- what was measured ---


def _gpu(gpu: Gpu) -> dict[str, Any]:
    return {"name": gpu.name, "capability": list(gpu.capability), "driver": gpu.driver,
            "runtime": gpu.runtime, "uuid": gpu.uuid, "sm_count": gpu.sm_count,
            "memory_bytes": gpu.memory_bytes, "l2_bytes": gpu.l2_bytes, "sm_mhz": _number(gpu.sm_mhz)}


def _run(run: RunTimes) -> dict[str, Any]:
    return {"name": run.name, "outcome": str(run.outcome), "message": run.message,
            "times_ms": [_number(t) for t in run.times_ms], "resident_blocks": run.resident_blocks,
            "registers": run.registers, "local_bytes": run.local_bytes}


def _session(session: Session) -> dict[str, Any]:
    c = session.clocks
    return {
        "gpu": _gpu(session.gpu), "l2": session.settings.l2, "rounds": session.rounds, "batch": session.batch,
        "stopped": session.stopped, "seconds": round(session.seconds, 3), "restarts": session.restarts,
        "empty_kernel_ms": [_number(t) for t in session.overhead_ms],
        "clocks": {"sm_before_mhz": _number(c.sm_mhz_before), "sm_after_mhz": _number(c.sm_mhz_after),
                   "memory_mhz": _number(c.memory_mhz), "throttle": list(c.throttle),
                   "temperature_c": _number(c.temperature_c)},
        "runs": [_run(r) for r in session.runs]}


def _roofs(roofs: Roofs | None) -> dict[str, Any] | None:
    if roofs is None:
        return None
    return {"source": "measured", "date": roofs.measured, "gpu": _gpu(roofs.gpu),
            "copy_gbs": _number(roofs.copy_gbs), "read_gbs": _number(roofs.read_gbs),
            "write_gbs": _number(roofs.write_gbs), "fp32_gflops": _number(roofs.fp32_gflops),
            "launch_overhead_us": _number(roofs.launch_overhead_us), "back_to_back_us": _number(roofs.back_to_back_us),
            "copy_by_warps": [{"warps": w, "gbs": _number(g)} for w, g in sorted(roofs.copy_by_warps.items())]}


def _sweep(points: Iterable[SweepPoint]) -> list[dict[str, Any]]:
    return [{"setting": p.setting, "value": _number(p.value), "time_ms": _interval(p.time),
             "note": p.note} for p in points]


def _counters(counts: LaunchCounts | None) -> dict[str, Any] | None:
    """The simulator's counters of the sample, and of the grid by multiplication."""
    if counts is None:
        return None
    from mutate.sim.counters import evaluate, scaled

    sample = evaluate(counts.totals)
    return {
        "source": "simulated", "blocks": len(counts.blocks), "grid_blocks": counts.grid_blocks,
        "factor": _number(counts.factor),
        "sample": {k: _number(v) for k, v in sample.items()},
        "grid": {k: _number(v) for k, v in scaled(sample, counts.factor).items()},
        "lines": [{"file": x.place.file if x.place is not None else None,
                   "line": x.place.line if x.place is not None else None,
                   "counters": {k: _number(v) for k, v in evaluate(x.totals).items() if v}} for x in counts.lines]}


# --- variants, launches, kernels ---


def _run_outcome(time: VariantTime) -> str | None:
    """``None`` where nothing was run."""
    failed = figures.failed_run(time)
    return str(failed) if failed is not None else "ok" if time.time is not None else None


def _variant(v: AnalyzedVariant, lines: Lines) -> dict[str, Any]:
    result, refusal = v.result, v.result.refusal
    time = v.time if v.time is not None else VariantTime(v.name, None, outcome="")
    out: dict[str, Any] = {
        "name": v.name, "outcome": str(result.outcome), "run": _run_outcome(time), "usable": time.usable,
        "time_ms": _interval(time.time), "gain": _interval(time.gain), "why": list(time.why),
        "blocks_per_sm": {"resident": time.resident_blocks, "expected": time.expected_blocks},
        "path": str(result.path) if result.path is not None else None, "refusal": None,
        "certificate": None, "diff": v.diff}
    if refusal is not None:
        out["refusal"] = {"slug": refusal.slug, "text": refusal.why, "hint": refusal.hint,
                          "line": lines.place(refusal.span.start)[1] if refusal.span is not None else None}
    if result.log:
        out["log"] = result.log
    if v.certificate is not None:
        out["certificate"] = certificate_document(v.certificate)
        if v.certificate.verdict is Verdict.INVALID:
            out["usable"] = False
    return out


def _launch(analysis: Analysis, launch: LaunchAnalysis, lines: Lines) -> dict[str, Any]:
    la = launch.launch
    times = figures.source_of_times(analysis, launch)
    out: dict[str, Any] = {
        "grid": list(la.grid), "block": list(la.block), "dynamic_smem_bytes": la.smem, "seed": la.seed,
        "registers": launch.registers, "static_smem_bytes": launch.static_smem, "spill_bytes": launch.spills,
        "time_source": times or None, "untimed": None if times else launch.untimed,
        **_judged(launch.finding, launch.facts, times), "noise": _interval(launch.noise),
        "variants": [_variant(v, lines) for v in launch.variants],
        "session": _session(launch.session) if launch.session is not None else None,
        "counters": _counters(launch.counts),
        "occupancy_sweep": _sweep(launch.occupancy), "grid_sweep": _sweep(launch.grids),
        "sweeps": [sweep_document(s) for s in launch.sweeps]}
    if launch.played is not None:
        out["sample"] = played.sample_document(launch.played)
    if launch.stalls is not None:
        out["stalls"] = stalls.document(launch.stalls)
    if launch.counts_error is not None:
        out["counters_error"] = error_document(launch.counts_error)
    return out


def _kernel(analysis: Analysis, kernel: KernelAnalysis) -> dict[str, Any]:
    target = kernel.target
    expansion = target.kernel.file.expansion
    lines = Lines(expansion.source)
    out: dict[str, Any] = {
        "name": target.kernel.qualified,
        "instance": target.instance,
        "line": lines.place(expansion.to_source(target.kernel.node.span).start)[1],
        "launches": [_launch(analysis, la, lines) for la in kernel.launches]}
    if kernel.error is not None:
        out["error"] = error_document(kernel.error)
    return out


def _request(request: AnalyzeRequest) -> dict[str, Any]:
    source, how = request.source, request.settings
    return {
        "mutations": list(source.mutations), "kernels": list(source.kernels), "instances": list(source.instances),
        "defines": list(source.defines), "include_dirs": list(source.include_dirs), "std": source.std,
        "maxrregcount": source.maxrregcount, "use_fast_math": source.use_fast_math,
        "set": dict(source.settings),
        "launch_file": str(source.launch_file) if source.launch_file is not None else None,
        "backend": request.backend, "machine": request.machine, "sweep": request.sweep, "counters": request.counters,
        "full": request.full,
        "sweeps": list(request.sweeps),
        "l2": how.l2, "target": how.target, "budget_s": how.budget, "limit_s": how.limit,
        "least_rounds": how.least_rounds, "most_rounds": how.most_rounds, "device": how.device}


def _machine(machine: Machine | None) -> dict[str, Any] | None:
    return None if machine is None else {
        "name": machine.name, "title": machine.title, "calibrated": machine.calibrated,
        "projection": machine.projection}


def _head(file: str | None, arch: str | None) -> dict[str, Any]:
    return {"schema": SCHEMA, "kmutate": __version__, "file": file, "arch": arch}


def analysis_document(analysis: Analysis, date: str | None = None) -> dict[str, Any]:
    """The one document that ``--json`` prints; ``mutate/report/schemas/analysis-1.json`` describes it.

    ``date`` is ISO 8601 with a time zone, by default now.
    """
    source = analysis.request.source
    document: dict[str, Any] = _cleaned({
        **_head(str(source.path), source.arch), "date": date or figures.now(), "backend": analysis.backend,
        "request": _request(analysis.request), "machine": _machine(analysis.machine), "roofs": _roofs(analysis.roofs),
        "kernels": [_kernel(analysis, k) for k in analysis.kernels], "warnings": list(analysis.warnings),
        "interrupted": analysis.interrupted, "seconds": {k: round(v, 4) for k, v in analysis.seconds.items()}})
    return document


def finding_document(finding: Finding, facts: Facts, date: str | None = None) -> dict[str, Any]:
    """What ``kmutate classify --json`` prints: a verdict on numbers that somebody gave."""
    document: dict[str, Any] = _cleaned({
        **_head(None, None), "date": date or figures.now(), "backend": "given",
        "given": _judged(finding, facts, "given"), "kernels": []})
    return document


def failure_document(file: str, arch: str, error: KmutateError) -> dict[str, Any]:
    """What ``--json`` prints when nothing could be done."""
    document: dict[str, Any] = _cleaned({**_head(file, arch), "kernels": [], "error": error_document(error)})
    return document
