"""Sweeps in the JSON document ``kmutate.analysis/1``. Units are in the names; what is unknown is ``null``."""

from __future__ import annotations

import math
from typing import Any

from mutate.limiter.model import Interval
from mutate.sweeps import Sweep, SweepRun, SweepSetting, Traffic


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.7g}")


def _interval(i: Interval | None) -> dict[str, Any] | None:
    return None if i is None else {"value": _number(i.value), "low": _number(i.low), "high": _number(i.high)}


def _traffic(t: Traffic | None) -> dict[str, Any] | None:
    if t is None:
        return None
    return {
        "source": "simulated", "blocks": t.blocks, "l1_unit_bytes": t.unit, "l1_lookups": _number(t.l1_lookups),
        "l1_hits": _number(t.l1_hits), "l1_hit_rate": _number(t.l1_hit_rate),
        "local_lookups": _number(t.local_lookups), "local_hits": _number(t.local_hits),
        "local_hit_rate": _number(t.local_hit_rate), "l2_read_sectors": _number(t.l2_reads),
        "l2_write_sectors": _number(t.l2_writes), "l2_local_sectors": _number(t.l2_local),
        "local_of_l2": _number(t.local_of_l2), "warp_instructions": _number(t.instructions),
        "local_instructions": _number(t.local_instructions),
        "local_of_instructions": _number(t.local_of_instructions)}


def _run(r: SweepRun) -> dict[str, Any]:
    return {
        "kernel": r.kernel, "time_ms": _interval(r.time), "gain": _interval(r.gain), "why": r.why or None,
        "resident_blocks": r.blocks, "resident_warps": r.warps, "occupancy": _number(r.occupancy),
        "occupancy_limiter": r.limiter, "registers": r.registers, "spill_bytes": r.spills,
        "local_accesses": r.local_accesses, "dynamic_smem_bytes": r.dynamic_smem, "pad_bytes": r.pad,
        "traffic": _traffic(r.traffic)}


def _setting(s: SweepSetting) -> dict[str, Any]:
    return {"name": s.name, "value": _number(s.value), "group": s.group or None, "current": s.current,
            "how": list(s.how), "carveout_kb": s.carveout_kb, "l1_kb": s.l1_kb, "maxrregcount": s.cap,
            "runs": [_run(r) for r in s.runs]}


def sweep_document(sweep: Sweep) -> dict[str, Any]:
    """One sweep."""
    return {
        "axis": sweep.axis, "time_source": sweep.times or None, "where": sweep.where or None,
        "untimed": sweep.untimed or None, "uncounted": sweep.uncounted or None, "blocks_of_an_sm": sweep.turn,
        "best": sweep.best or None, "summary": sweep.summary, "evidence": list(sweep.evidence),
        "next_step": sweep.next_step, "notes": list(sweep.notes), "settings": [_setting(s) for s in sweep.settings]}
