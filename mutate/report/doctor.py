"""What ``kmutate doctor`` found: as data, on the terminal, and as JSON (``kmutate.doctor/1``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mutate import __version__
from mutate.machines import Machine
from mutate.timing import Roofs

if TYPE_CHECKING:  # the JSON document is made without rich, which may be what is missing
    from rich.console import Console

SCHEMA = "kmutate.doctor/1"


class State(StrEnum):
    """``missing``: not there or not working. ``note``: fine, but worth knowing."""

    OK = "ok"
    MISSING = "missing"
    NOTE = "note"


@dataclass(frozen=True)
class Check:
    """One thing that was looked for. ``needed_for`` says which part of kmutate needs it; ``required``: so does

    ``kmutate variants``. ``hint`` is what to do about it, "" where nothing is to be done.
    """

    name: str
    state: State
    found: str
    hint: str = ""
    needed_for: str = ""
    required: bool = False


@dataclass(frozen=True)
class Diagnosis:
    """``roofs`` are ``None`` where nothing was measured, and ``unmeasured`` says why; ``kept``: they were measured

    earlier. ``machine`` has the published figures of the GPU.
    """

    checks: tuple[Check, ...]
    roofs: Roofs | None = None
    kept: bool = False
    machine: Machine | None = None
    unmeasured: str = ""

    @property
    def lacking(self) -> tuple[Check, ...]:
        """What ``kmutate variants`` needs and does not find."""
        return tuple(c for c in self.checks if c.required and c.state is State.MISSING)


@dataclass(frozen=True)
class RoofRow:
    """One measured figure beside the published one (``None``: none is known)."""

    key: str
    what: str
    value: float
    unit: str
    published: float | None = None

    @property
    def share(self) -> float | None:
        return self.value / self.published if self.published else None


_PUBLISHED = (("copy_gbs", "copy (read + written)", "GB/s", "dram.peak_bandwidth"),
              ("read_gbs", "read", "GB/s", "dram.peak_bandwidth"),
              ("write_gbs", "write", "GB/s", "dram.peak_bandwidth"),
              ("fp32_gflops", "FP32 multiply-add", "GFLOP/s", "peak.fp32"),
              ("launch_overhead_us", "empty kernel, by events", "us", ""),
              ("back_to_back_us", "empty kernels in a row, each", "us", ""))


def roof_rows(roofs: Roofs, machine: Machine | None) -> list[RoofRow]:
    """The measured figures with the published peaks of the machine, where it has them."""
    rows = []
    for key, what, unit, peak in _PUBLISHED:
        known = machine.get(peak) if machine is not None and peak else None
        rows.append(RoofRow(key, what, getattr(roofs, key), unit,
                            machine.number(peak) if machine is not None and known is not None else None))
    return rows


_STYLES = {State.OK: "green", State.MISSING: "red", State.NOTE: "yellow"}


def print_doctor(diagnosis: Diagnosis) -> None:
    """The whole answer on the terminal, in 80 columns."""
    from rich.table import Table
    from rich.text import Text

    from mutate.report.console import new_console

    console = new_console()
    table = Table(box=None, pad_edge=False, padding=(0, 1), show_edge=False, show_header=False)
    table.add_column(min_width=14)
    table.add_column(min_width=7)
    table.add_column(overflow="fold")
    for check in diagnosis.checks:
        table.add_row(check.name, Text(str(check.state), style=_STYLES[check.state]), Text(check.found))
    console.print(table)
    hints = [c for c in diagnosis.checks if c.hint]
    if hints:
        console.print()
    for check in hints:
        what = f" (for {check.needed_for})" if check.needed_for else ""
        console.print(Text(f"{check.name}{what}: {check.hint}"), soft_wrap=False)
    if diagnosis.roofs is not None:
        _print_roofs(console, diagnosis.roofs, diagnosis)
    elif diagnosis.unmeasured:
        console.print(Text(f"\nNot measured: {diagnosis.unmeasured}"))
    if diagnosis.lacking:
        names = ", ".join(c.name for c in diagnosis.lacking)
        console.print(Text(f"\nkmutate variants lacks: {names}", style="red"))


def _print_roofs(console: Console, roofs: Roofs, diagnosis: Diagnosis) -> None:
    from rich.table import Table
    from rich.text import Text

    when = f"{'kept from' if diagnosis.kept else 'measured'} {roofs.measured}"
    console.print(Text(f"\nWhat {roofs.gpu.name} reaches ({when}; driver {roofs.gpu.driver})"))
    table = Table(box=None, pad_edge=False, padding=(0, 1), show_edge=False)
    for name, justify in (("", "left"), ("measured", "right"), ("", "left"), ("of the published", "right")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for row in roof_rows(roofs, diagnosis.machine):
        share = "" if row.share is None else f"{row.share:.0%} of {row.published:,.0f}"
        table.add_row(row.what, f"{row.value:,.2f}" if row.unit == "us" else f"{row.value:,.0f}", row.unit, share)
    console.print(table)
    if roofs.copy_by_warps:
        warps = sorted(set(roofs.copy_by_warps) | set(roofs.copy4_by_warps))
        console.print(Text("\nCopy in GB/s by resident warps of an SM, one access of a thread under way:"))
        table = Table(box=None, pad_edge=False, padding=(0, 1), show_edge=False)
        table.add_column("")
        for w in warps:
            table.add_column(str(w), justify="right")
        for what, curve in (("16 bytes", roofs.copy_by_warps), ("4 bytes", roofs.copy4_by_warps)):
            table.add_row(what, *(f"{curve[w]:,.0f}" if w in curve else "." for w in warps))
        console.print(table)


def doctor_document(diagnosis: Diagnosis) -> dict[str, Any]:
    """The one document that ``--json`` prints; ``mutate/report/schemas/doctor-1.json`` describes it."""
    out: dict[str, Any] = {
        "schema": SCHEMA, "kmutate": __version__, "ready": not diagnosis.lacking,
        "checks": [{**asdict(c), "state": str(c.state)} for c in diagnosis.checks],
        "roofs": None, "unmeasured": diagnosis.unmeasured or None,
    }
    roofs = diagnosis.roofs
    if roofs is not None:
        out["roofs"] = {
            "gpu": {**asdict(roofs.gpu), "capability": "{}.{}".format(*roofs.gpu.capability)},
            "measured": roofs.measured, "kept": diagnosis.kept,
            "machine": diagnosis.machine.name if diagnosis.machine is not None else None,
            "values": {r.key: {"value": r.value, "unit": r.unit, "published": r.published, "share": r.share}
                       for r in roof_rows(roofs, diagnosis.machine)},
            "copy_gbs_by_warps": {"16": _curve(roofs.copy_by_warps), "4": _curve(roofs.copy4_by_warps)},
        }
    return out


def _curve(points: Mapping[int, float]) -> list[dict[str, float]]:
    return [{"warps": warps, "gbs": gbs} for warps, gbs in sorted(points.items())]
