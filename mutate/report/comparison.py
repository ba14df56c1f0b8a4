"""Several machines side by side: one table for each launch, in the terminal, Markdown and HTML. All of it simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mutate import __version__
from mutate.analyzed import Analysis, Compared, Comparison, KernelAnalysis, LaunchAnalysis
from mutate.model import Verdict
from mutate.report import figures as f
from mutate.report.stalls import ranked
from mutate.timing import ORIGINAL

# Machines in one table of the terminal: 80 columns.
_MACHINES_IN_A_TABLE = 3


@dataclass(frozen=True)
class Cell:
    """What a machine has in a row; ``ends`` belongs to it: an interval, a percentage. ``tone`` as in ``figures``."""

    text: str
    ends: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Line:
    """One row: what it is, and each machine's cell."""

    name: str
    cells: tuple[Cell, ...]
    kind: str = ""
    """``ratio`` for T(orig)/T of a variant, ``head`` for what decides, else nothing."""


@dataclass(frozen=True)
class Table:
    """One launch of one kernel on all machines. ``notes``: (machine, what its column lacks and why)."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lines: tuple[Line, ...]
    notes: tuple[tuple[str, str], ...]


_EMPTY = Cell(f.NONE, tone="quiet")


def state(c: Compared) -> str:
    """How far a machine's constants can be trusted."""
    return f"{'' if c.machine.calibrated else 'not '}calibrated{', projection' if c.machine.projection else ''}"


def _limiter(a: Analysis, la: LaunchAnalysis) -> Cell:
    timed = bool(f.source_of_times(a, la))
    return Cell(f.heading(la.finding), f"({la.finding.confidence})" if timed else "", "" if timed else "quiet")


def _time(a: Analysis, la: LaunchAnalysis) -> Cell:
    full = la.finding.full
    return Cell(f.number(full.value), f"±{f.spread(full)}" if f.spread(full) else "") if full is not None else _EMPTY


def _busiest(a: Analysis, la: LaunchAnalysis) -> Cell:
    return Cell(la.played.busiest, f.percent(la.played.busy)) if la.played is not None else _EMPTY


def _waits(a: Analysis, la: LaunchAnalysis) -> Cell:
    parts = ranked({k: v for k, v in la.stalls.reasons.items() if k != "selected"}) if la.stalls is not None else []
    return Cell(parts[0][0], f.percent(parts[0][1])) if parts else _EMPTY


def _bound(a: Analysis, la: LaunchAnalysis) -> Cell:
    best = f.best_payoff(la.finding)
    return Cell(f.factor(best.gain.value), best.by) if best is not None else _EMPTY


def _occupancy(a: Analysis, la: LaunchAnalysis) -> Cell:
    blocks, each, most = la.facts.resident_blocks, la.facts.warps_per_block, la.facts.most_warps
    if blocks is None:
        return _EMPTY
    return Cell(f"{blocks:g}", f"({f.percent(blocks * each / most)})" if each and most else "")


def _registers(a: Analysis, la: LaunchAnalysis) -> Cell:
    if la.registers is None:
        return _EMPTY
    return Cell(str(la.registers), f"({la.spills:,} B spilled)" if la.spills else "", "warn" if la.spills else "")


def _count(field: str) -> Callable[[Analysis, LaunchAnalysis], Cell]:
    def cell(a: Analysis, la: LaunchAnalysis) -> Cell:
        value = getattr(la.facts, field)
        if value is None:
            return _EMPTY
        return Cell(f.size(value) if field.endswith("bytes") else f.number(value))

    return cell


_LINES: tuple[tuple[str, str, Callable[[Analysis, LaunchAnalysis], Cell]], ...] = (
    ("limiter", "head", _limiter), ("T ms", "head", _time), ("busiest", "", _busiest), ("warps wait", "", _waits),
    ("largest bound", "", _bound), ("blocks/SM (warps)", "", _occupancy), ("registers", "", _registers),
    ("instructions", "", _count("instructions")), ("SM to L2", "", _count("moved_bytes")),
    ("DRAM floor", "", _count("floor_bytes")))


def _kernels(comparison: Comparison) -> list[KernelAnalysis]:
    """Each kernel once, as the first machine has it that has it."""
    seen: dict[str, KernelAnalysis] = {}
    for c in comparison.machines:
        for kernel in c.analysis.kernels if c.analysis is not None else ():
            if kernel.target.name not in seen or not seen[kernel.target.name].launches:
                seen[kernel.target.name] = kernel
    return list(seen.values())


def launch_of(c: Compared, name: str, number: int) -> LaunchAnalysis | None:
    for kernel in c.analysis.kernels if c.analysis is not None else ():
        if kernel.target.name == name and number < len(kernel.launches):
            return kernel.launches[number]
    return None


def why_not(c: Compared, name: str, launch: LaunchAnalysis | None) -> str:
    """Why a machine has no times for a launch; nothing where it has."""
    if c.error is not None:
        return c.error.what
    if c.analysis is None:
        return ""
    kernel = next((k for k in c.analysis.kernels if k.target.name == name), None)
    if launch is None:
        return kernel.error.what if kernel is not None and kernel.error is not None else "not analyzed"
    return "" if f.source_of_times(c.analysis, launch) else f"not timed: {launch.untimed}"


def tables(comparison: Comparison) -> tuple[Table, ...]:
    out = []
    for kernel in _kernels(comparison):
        for number, la in enumerate(kernel.launches):
            name = kernel.target.name
            found = [launch_of(c, name, number) for c in comparison.machines]
            pairs = list(zip(comparison.machines, found, strict=True))
            lines = [Line(title, tuple(cell(c.analysis, x) if c.analysis is not None and x is not None else _EMPTY
                                       for c, x in pairs), kind) for title, kind, cell in _LINES]
            rows = [{r.name: r for r in f.rows(x)} if x is not None else {} for x in found]
            variants = list(dict.fromkeys(n for r in rows for n in r if n != ORIGINAL))
            ratios = [Line(n, tuple(_ratio(r.get(n)) for r in rows), "ratio") for n in variants]
            notes = tuple((c.machine.name, why) for c, x in pairs if (why := why_not(c, name, x)))
            out.append(Table(name, la.launch.grid, la.launch.block, (*lines[:2], *ratios, *lines[2:]), notes))
    return tuple(out)


def _ratio(row: f.Row | None) -> Cell:
    if row is None:
        return _EMPTY
    if row.gain is not None:
        return Cell(f.factor(row.gain.value), f.ends(row.gain), row.tone if row.tone in ("warn", "bad") else "")
    return _EMPTY if row.state in ("", str(Verdict.VALID)) else Cell(row.state, tone=row.tone)


def machine_notes(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """(machine, what is to be known of it): its title, its architecture, its constants, its warnings."""
    from mutate.sim.timing.accuracy import JUDGED

    out = []
    for c in comparison.machines:
        unknown = "" if c.machine.name in JUDGED else "its simulated times were never held against the real GPU"
        out.append((c.machine.name, f.joined([c.machine.title, c.arch, state(c), unknown])))
        if c.analysis is not None:
            out += [(c.machine.name, w) for w in c.analysis.warnings if w not in comparison.warnings]
    return tuple(out)


def _errors(comparison: Comparison) -> list[tuple[str, str]]:
    return [(c.machine.name, str(k.error)) for c in comparison.machines if c.analysis is not None
            for k in c.analysis.kernels if k.error is not None]


# --- terminal ---


def print_comparison(comparison: Comparison) -> None:
    """The table of ``kmutate analyze --machine a,b,c`` on the terminal; machines side by side, three in a table."""
    from rich.table import Table as Grid
    from rich.text import Text

    from mutate.report.console import new_console
    from mutate.report.terminal import dims

    console = new_console()
    tones = {"good": "green", "warn": "yellow", "bad": "red", "quiet": "dim"}
    for warning in comparison.warnings:
        console.print(Text(f.clean(f"warning: {warning}"), style="yellow"))
    for table in tables(comparison):
        console.print(Text.assemble((f.clean(table.kernel), "bold"), f"  grid {dims(table.grid)} block "
                                    f"{dims(table.block)}, simulated; T(orig)/T of each variant"))
        for at in range(0, len(comparison.machines), _MACHINES_IN_A_TABLE):
            machines = comparison.machines[at : at + _MACHINES_IN_A_TABLE]
            grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
            grid.add_column("", min_width=18, overflow="fold")
            for c in machines:
                grid.add_column(Text(f.clean(c.machine.name)), min_width=12, overflow="fold")
            grid.add_row("", *(Text(f.clean(f"{c.arch}, {state(c)}"), "dim")
                               for c in machines))
            for line in table.lines:
                if all(x == _EMPTY for x in line.cells):
                    continue
                cells = [Text.assemble((f.clean(x.text), tones.get(x.tone, "bold" if line.kind == "head" else "")),
                                       (f.clean(f" {x.ends}" if x.ends and line.kind != "ratio" else ""), "dim"))
                         for x in line.cells[at : at + _MACHINES_IN_A_TABLE]]
                grid.add_row(Text(f.clean(line.name)), *cells)
            console.print(grid)
        for name, why in table.notes:
            console.print(Text(f.clean(f"{name}: {why}"), style="yellow"))
        console.print()
    for name, words in machine_notes(comparison):
        console.print(Text(f.clean(f"{name}: {words}"), style="dim"))
    if comparison.interrupted:
        console.print(Text("interrupted: what is above is what was known by then", style="yellow"))


# --- Markdown and HTML ---


def _context(comparison: Comparison, date: str | None) -> dict[str, Any]:
    source = comparison.request.source
    return {"file": str(source.path), "version": __version__, "date": f.moment(date or f.now()),
            "options": f.options(source), "machines": [(c.machine.name, c.arch, state(c)) for c in comparison.machines],
            "tables": tables(comparison), "notes": machine_notes(comparison), "warnings": comparison.warnings,
            "errors": _errors(comparison), "interrupted": comparison.interrupted}


def render_comparison_markdown(comparison: Comparison, date: str | None = None) -> str:
    """GitHub-flavoured Markdown. ``date`` is ISO 8601 with a time zone, by default now."""
    from mutate.report.markdown import _BLANK_LINES, _environment

    text = _environment().get_template("comparison.md.j2").render(_context(comparison, date))
    return _BLANK_LINES.sub("\n\n", f.clean(text)).strip("\n") + "\n"


def render_comparison_html(comparison: Comparison, date: str | None = None) -> str:
    """A complete document in UTF-8. ``date`` is ISO 8601 with a time zone, by default now."""
    from mutate.report.html import _environment

    return f.clean(_environment().get_template("comparison.html.j2").render(_context(comparison, date)))
