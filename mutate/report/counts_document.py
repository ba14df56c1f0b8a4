"""The JSON document ``kmutate.counters/1`` of ``kmutate simulate --json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutate import __version__
from mutate.errors import KmutateError
from mutate.report.document import error_document
from mutate.sim.counters import Value, evaluate, scaled
from mutate.sim.places import Place
from mutate.simulated import LaunchCounts, LineCounts, Problem, SimulatedKernel, SimulateReport
from mutate.source import Lines

SCHEMA = "kmutate.counters/1"


def _values(values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: round(v, 6) if isinstance(v, float) else v for name, v in values.items()}


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {"file": place.file, "line": place.line}


def _line(line: LineCounts) -> dict[str, Any]:
    return {"place": _place(line.place), "text": line.text, "counters": _values(evaluate(line.totals)),
            "classes": line.totals.classes()}


def _problem(p: Problem) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": p.kind, "block": p.block, "byte": p.byte, "bytes": p.bytes, "thread": p.thread,
                           "place": _place(p.place), "instruction": p.instruction}
    if p.other_instruction:
        out["earlier"] = {"thread": p.other_thread, "place": _place(p.other_place), "instruction": p.other_instruction}
    return out


def _older(launch: LaunchCounts) -> dict[str, Any]:
    sample = {c.name: v for c, v in launch.older}
    grid = {c.name: v if v is None or c.unit == "%" else round(v * launch.factor) for c, v in launch.older}
    return {"sample": _values(sample), "grid": _values(grid)}


def _launch(launch: LaunchCounts) -> dict[str, Any]:
    la = launch.launch
    sample = evaluate(launch.totals)
    out: dict[str, Any] = {
        "grid": list(la.grid), "block": list(la.block), "dynamic_smem": la.smem, "seed": la.seed,
        "blocks": {"total": launch.grid_blocks, "simulated": len(launch.blocks), "numbers": list(launch.blocks),
                   "factor": round(launch.factor, 6)},
        "counters": {"sample": _values(sample), "grid": _values(scaled(sample, launch.factor))},
        "classes": launch.totals.classes(),
    }
    if launch.caches is not None:
        c = launch.caches
        out["caches"] = {"l1_bytes": c.l1_bytes, "l2_bytes": c.l2_bytes, "blocks_per_sm": c.blocks_per_sm}
    if launch.older:
        out["older"] = _older(launch)
    if launch.lines:
        out["lines"] = [_line(line) for line in launch.lines]
    return out


def _kernel(kernel: SimulatedKernel, checks: tuple[str, ...]) -> dict[str, Any]:
    target = kernel.target
    lines = Lines(target.kernel.file.expansion.source)
    launches = []
    for launch in kernel.launches:
        entry = _launch(launch)
        if checks:
            entry["problems"] = [_problem(p) for p in launch.problems]
            entry["more_problems"] = launch.more_problems
        launches.append(entry)
    out: dict[str, Any] = {
        "name": target.kernel.qualified, "instance": target.instance,
        "line": lines.place(target.kernel.file.expansion.to_source(target.kernel.node.span).start)[1],
        "launches": launches}
    if kernel.error is not None:
        out["error"] = error_document(kernel.error)
    return out


def failure_document(file: str, arch: str, error: KmutateError) -> dict[str, Any]:
    """What ``--json`` prints when nothing could be done."""
    return {"schema": SCHEMA, "kmutate": __version__, "file": file, "arch": arch, "kernels": [],
            "error": error_document(error)}


def counters_document(report: SimulateReport) -> dict[str, Any]:
    """The one document that ``--json`` prints; ``mutate/report/schemas/counters-1.json`` describes it."""
    request, machine = report.request, report.machine
    about = None if machine is None else {
        "name": machine.name, "title": machine.title, "calibrated": machine.calibrated,
        "projection": request.source.arch != "sm_{}{}".format(*machine.capability)}
    return {"schema": SCHEMA, "kmutate": __version__, "file": str(request.source.path), "arch": request.source.arch,
            "source": "simulated", "machine": about, "dlcm": request.dlcm, "checks": list(request.checks),
            "kernels": [_kernel(k, request.checks) for k in report.kernels], "warnings": list(report.warnings),
            "seconds": {k: round(v, 4) for k, v in report.seconds.items()}}
