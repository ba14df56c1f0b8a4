"""What is known of a launch beside its times: counters of the simulator, the GPU's roofs, published figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mutate.launch.model import Launch
from mutate.limiter.model import Facts
from mutate.machines.model import Machine
from mutate.occupancy import Device, KernelResources, resident_blocks
from mutate.sim import layout as lay
from mutate.sim.counters import ATOMIC, REDUCTION, Totals, evaluate
from mutate.simulated import LaunchCounts
from mutate.timing import Gpu, Roofs

_SECTOR = 32
_DIRECTIONS = ("load", "store", "copy", "atomic", "reduction")
_FLOPS = {"fp32.add": 1, "fp32.mul": 1, "fp32.fma": 2, "fp64.add": 1, "fp64.mul": 1, "fp64.fma": 2}


@dataclass(frozen=True)
class Known:
    """Where facts come from; any may be missing. ``resources`` of the original, ``l2`` is ``cold`` or ``warm``."""

    launch: Launch
    resources: KernelResources | None = None
    device: Device | None = None
    counts: LaunchCounts | None = None
    machine: Machine | None = None
    roofs: Roofs | None = None
    gpu: Gpu | None = None
    overhead_ms: float | None = None
    l2: str = "cold"


def facts_of(known: Known) -> Facts:
    """All that can be said. Counts of a sample of blocks are multiplied to be those of the grid."""
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}

    def add(source: str, found: Mapping[str, Any]) -> None:
        for name, value in found.items():
            if value is not None and name not in values:
                values[name] = value
                sources[name] = source

    add("declared", _shape(known))
    if known.counts is not None:
        add("simulated", _counted(known.counts, known))
    if known.overhead_ms is not None:
        add("measured", {"launch_overhead_ms": known.overhead_ms})
    if known.roofs is not None:
        add("measured", _roofs(known))
    if known.gpu is not None:
        add("measured", {"sm_count": known.gpu.sm_count, "clock_mhz": known.gpu.sm_mhz or None})
    if known.machine is not None:
        add("machine file", _machine(known.machine))
    return Facts(**values, sources=sources)


def _shape(known: Known) -> dict[str, Any]:
    x, y, z = known.launch.grid
    out: dict[str, Any] = {"grid_blocks": x * y * z, "warps_per_block": -(-known.launch.threads // 32)}
    if known.resources is not None and known.device is not None:
        found = resident_blocks(known.resources, known.device)
        out |= {"resident_blocks": found.blocks_per_sm, "most_warps": known.device.warps_per_sm,
                "occupancy_limiter": found.limiter}
    return out


def _counted(counts: LaunchCounts, known: Known) -> dict[str, Any]:
    v = evaluate(counts.totals)
    factor = counts.factor

    def total(names: list[str]) -> float | None:
        found = [v[n] for n in names if v.get(n) is not None]
        return factor * sum(found) if found else None  # type: ignore[arg-type]

    def scaled(name: str) -> float | None:
        value = v.get(name)
        return None if value is None else factor * value

    asked = total([f"global_{d}_requested_bytes" for d in ("load", "store", "copy")])
    sectors = total([f"global_{d}_sectors" for d in _DIRECTIONS])
    updates = total([f"global_{d}_sectors" for d in ("atomic", "reduction")]) or 0.0
    moved = sectors
    if v.get("l2_read_sectors") is not None:
        moved = factor * ((v["l2_read_sectors"] or 0) + (v.get("l2_write_sectors") or 0)) + updates
    return {
        "requested_bytes": asked, "sector_bytes": _SECTOR * sectors if sectors is not None else None,
        "moved_bytes": _SECTOR * moved if moved is not None else None,
        "footprint_bytes": _touched(counts, reads=True, writes=True), "floor_bytes": _floor(counts, known),
        "instructions": scaled("instructions"), "fp32_flops": _flops(counts.totals, "fp32", factor),
        "fp64_flops": _flops(counts.totals, "fp64", factor), "active_lanes": v.get("active_lanes_on"),
        "branches": scaled("branches"), "divergent_branches": scaled("divergent_branches"),
        "sectors_per_request": v.get("global_load_sectors_per_request"),
        "load_efficiency": v.get("global_load_efficiency"), "store_efficiency": v.get("global_store_efficiency"),
        "shared_wavefronts": total([f"shared_{d}_wavefronts" for d in ("load", "store", "copy", "atomic")]),
        "shared_conflicts": total([f"shared_{d}_bank_conflicts" for d in ("load", "store", "copy", "atomic")]),
        **_atomics(counts), "spill_bytes": scaled("spill_bytes"), "barriers": scaled("barriers"),
    }


def _atomics(counts: LaunchCounts) -> dict[str, float]:
    requests = counts.totals.sum(lay.REQUESTS, ATOMIC, REDUCTION)
    if not requests:
        return {}
    sectors = counts.totals.sum(lay.SECTORS, ATOMIC, REDUCTION)
    return {"atomic_requests": counts.factor * requests, "atomic_sectors_per_request": sectors / requests}


def _flops(totals: Totals, precision: str, factor: float) -> float:
    return float(factor * sum(n * totals.sum(lay.THREADS_ON, where=lambda k, c=c: k.name == c)  # type: ignore[misc]
                              for c, n in _FLOPS.items() if c.startswith(precision)))


def _touched(counts: LaunchCounts, *, reads: bool, writes: bool) -> float | None:
    """Bytes of different sectors: those of the sample times the grid's part of it, at most the whole of each array."""
    if not counts.touched:
        return None
    total = 0.0
    for t in counts.touched:
        for wanted, sectors in ((reads, t.read), (writes, t.written)):
            if wanted:
                total += min(t.sectors, counts.factor * sectors)
    return _SECTOR * total


def _floor(counts: LaunchCounts, known: Known) -> float | None:
    """What DRAM must move within the launch whatever the caches do: with a cold L2 all that is read, and what is

    written beyond the size of L2; with a warm one what exceeds it altogether.
    """
    read = _touched(counts, reads=True, writes=False)
    written = _touched(counts, reads=False, writes=True)
    if read is None or written is None:
        return None
    l2 = float(known.gpu.l2_bytes) if known.gpu is not None and known.gpu.l2_bytes else 0.0
    if not l2 and known.machine is not None and known.machine.get("l2.size") is not None:
        l2 = known.machine.number("l2.size") * 1024
    if known.l2 == "warm":
        return max(0.0, read + written - l2)
    return read + max(0.0, written - l2)


def _roofs(known: Known) -> dict[str, Any]:
    roofs = known.roofs
    if roofs is None:
        return {}
    out: dict[str, Any] = {"copy_gbs": roofs.copy_gbs, "fp32_gflops": roofs.fp32_gflops}
    if known.resources is not None and known.device is not None and roofs.copy_by_warps:
        out["copy_gbs_here"] = roofs.copy_at(resident_blocks(known.resources, known.device).warps_per_sm)
    return out


def _machine(machine: Machine) -> dict[str, Any]:
    def number(key: str) -> float | None:
        return machine.number(key) if machine.get(key) is not None else None

    out: dict[str, Any] = {"peak_gbs": number("dram.peak_bandwidth"), "sm_count": number("sm.count"),
                           "clock_mhz": number("clock.boost"), "copy_gbs": number("dram.copy_bandwidth"),
                           "fp32_gflops": number("peak.fp32"), "blocks_per_us": number("launch.blocks")}
    if out["sm_count"] is not None:
        out["sm_count"] = int(out["sm_count"])
    needed = ("issue.fp32", "sm.count", "clock.boost", "dram.peak_bandwidth")
    if all(machine.get(k) is not None for k in needed):
        out["balance"] = machine.balance()
    latency, clock, bandwidth, sms = (number(k) for k in ("latency.dram", "clock.boost", "dram.peak_bandwidth",
                                                          "sm.count"))
    if latency and clock and bandwidth and sms:
        # Little's law; latency in clocks, clock in MHz, bandwidth in GB/s.
        out["bytes_in_flight_needed"] = latency / (clock * 1e6) * bandwidth * 1e9 / sms
    schedulers, issue = number("sm.schedulers"), number("sm.issue_per_scheduler")
    if schedulers and issue and sms:
        out["issue_rate"] = schedulers * issue * sms
    return out
