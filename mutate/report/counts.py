"""What people read of ``kmutate simulate``: the counters of each launch in 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mutate.report.by_line import LINE_COLUMNS, short, total
from mutate.report.console import new_console
from mutate.report.terminal import dims
from mutate.sim import layout as lay
from mutate.sim.counters import COUNTERS, GROUPS, Value, evaluate, scaled
from mutate.simulated import LaunchCounts, LineCounts, Problem, SimulateReport

_NAMED_BLOCKS = 6
_WIDTH, _LEAST_TEXT = 80, 12


def print_counts(report: SimulateReport) -> None:
    """The whole answer of ``kmutate simulate`` on the terminal."""
    console = new_console()
    for warning in report.warnings:
        console.print(Text(f"warning: {warning}", style="yellow"))
    for kernel in report.kernels:
        for launch in kernel.launches:
            _print_launch(console, report, kernel.target.name, launch)
            console.print()
    if any(k.launches for k in report.kernels):
        console.print(Text(_footer(report), style="dim"))
        more = _next(report)
        if more:
            console.print(f"next: {', '.join(more)}", soft_wrap=True)


def _footer(report: SimulateReport) -> str:
    machine = report.machine
    text = f"simulated: {report.request.source.arch} code executed instruction by instruction"
    if machine is None:
        return f"{text}; no machine file has this architecture, so there are no caches (--machine NAME)."
    state = "calibrated" if machine.calibrated else "not calibrated"
    kind = ", a projection" if report.request.source.arch != "sm_{}{}".format(*machine.capability) else ""
    return f"{text}, caches as in the machine file {machine.name} ({machine.title}; {state}{kind})."


def _next(report: SimulateReport) -> list[str]:
    """What else could be asked of these kernels."""
    out = []
    launches = [la for k in report.kernels for la in k.launches]
    if not report.request.by_line:
        out.append("--by-line for the source lines")
    if any(len(la.blocks) < la.grid_blocks for la in launches):
        out.append("--blocks N or all for more blocks")
    if not report.request.checks and any(la.totals.sum(lay.SHARED_REQUESTS) for la in launches):
        out.append("--check races,uninitialized")
    return out


def _print_launch(console: Console, report: SimulateReport, name: str, launch: LaunchCounts) -> None:
    la = launch.launch
    console.print(Text.assemble((name, "bold"), f"  {report.request.source.arch}  grid {dims(la.grid)} "
                                                f"block {dims(la.block)}"))
    console.print(Text(_blocks(launch)))
    if launch.older:
        console.print(_older_table(launch))
    else:
        console.print(_table(launch))
    console.print(_classes(launch))
    if launch.caches is not None and (launch.caches.l1_bytes or launch.caches.l2_bytes):
        c = launch.caches
        beside = f" beside {c.blocks_per_sm} resident blocks" if c.blocks_per_sm else ""
        console.print(Text(f"caches  L1 {_size(c.l1_bytes)}{beside}, L2 {_size(c.l2_bytes)}"))
    if launch.lines:
        console.print(Text(f"by source line{_of_sample(launch)}:"))
        console.print(_line_table(launch.lines))
    for problem in launch.problems:
        _print_problem(console, problem)
    if launch.more_problems:
        console.print(Text(f"and {launch.more_problems} more"))
    if report.request.checks and not launch.problems:
        console.print(Text(f"checked {', '.join(report.request.checks)}: nothing found in these blocks", style="green"))


def _size(nbytes: int) -> str:
    return f"{nbytes >> 20} MB" if nbytes >= 10 << 20 else f"{nbytes >> 10} KB" if nbytes else "none"


def _blocks(launch: LaunchCounts) -> str:
    ran, total = len(launch.blocks), launch.grid_blocks
    if ran == total:
        return f"all {total:,} blocks ran" if total > 1 else "its one block ran"
    names = [f"{b:,}" for b in launch.blocks]
    if ran > _NAMED_BLOCKS:
        names = [*names[:3], "...", names[-1]]
    return f"{ran:,} of {total:,} blocks ran ({', '.join(names)}); grid = sample × {launch.factor:.4g}"


def _of_sample(launch: LaunchCounts) -> str:
    return ", in the sample" if len(launch.blocks) < launch.grid_blocks else ""


def _number(value: Value, unit: str) -> str:
    if value is None:
        return ""
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}" if unit == "%" else f"{value:,.2f}"
    return f"{text} %" if unit == "%" else text


def _columns(table: Table, launch: LaunchCounts) -> bool:
    """Adds the columns of numbers; whether there is one for the sample."""
    sampled = len(launch.blocks) < launch.grid_blocks
    if sampled:
        table.add_column("sample", justify="right")
    table.add_column("grid, about" if sampled else "grid", justify="right")
    return sampled


def _about(value: Value) -> Value:
    """Four digits of an extrapolated count: more would be made up."""
    if not isinstance(value, int) or abs(value) < 10_000:
        return value
    return int(float(f"{value:.3e}"))


def _table(launch: LaunchCounts) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column("counter", min_width=36)
    sampled = _columns(table, launch)
    sample = evaluate(launch.totals)
    grid = scaled(sample, launch.factor)
    for group in GROUPS:
        rows = [c for c in COUNTERS if c.group == group and sample[c.name] is not None
                and (not c.needs or sample[c.needs])]
        for c in rows:
            numbers = [_number(sample[c.name], c.unit)]
            if sampled:
                numbers.append("" if c.ratio else _number(_about(grid[c.name]), c.unit))
            table.add_row(c.name, *numbers)
    return table


def _older_table(launch: LaunchCounts) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column("counter", min_width=44)
    sampled = _columns(table, launch)
    for c, value in launch.older:
        if value is None:
            continue
        numbers = [_number(value, c.unit)]
        if sampled:
            numbers.append("" if c.unit == "%" else _number(_about(round(value * launch.factor)), c.unit))
        table.add_row(c.name, *numbers)
    return table


def _classes(launch: LaunchCounts) -> Text:
    counts = launch.totals.classes()
    whole = max(1, sum(counts.values()))
    parts = [f"{name} {n:,} ({100 * n / whole:.1f} %)" for name, n in sorted(counts.items(), key=lambda kv: -kv[1])]
    return Text(f"by class of instruction{_of_sample(launch)}: {', '.join(parts)}")


def _line_table(lines: Sequence[LineCounts]) -> Table:
    """Counts of the sample by source line; the text gets the columns that the numbers leave."""
    files = {line.place.file for line in lines if line.place is not None}
    values = [evaluate(line.totals) for line in lines]
    shown = [(head, names) for head, names in LINE_COLUMNS if any(total(v, names) for v in values)]
    rows = [["line", "instr", "lanes", *(head for head, _ in shown)]]
    for line, v in zip(lines, values, strict=True):
        place = "?" if line.place is None else str(line.place.line) if len(files) == 1 else \
            f"{line.place.file.rpartition('/')[2]}:{line.place.line}"
        lanes = v["active_lanes_on"]
        rows.append([place, short(total(v, ["instructions"])), f"{lanes:.1f}" if lanes is not None else "",
                     *[short(total(v, names)) for _, names in shown]])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for head, width in zip(rows[0], widths, strict=True):
        table.add_column(head, justify="right", no_wrap=True, min_width=width)
    room = max(_LEAST_TEXT, _WIDTH - sum(widths) - len(widths))
    table.add_column("source", no_wrap=True, max_width=room, min_width=min(room, _LEAST_TEXT), overflow="ellipsis")
    for row, line in zip(rows[1:], lines, strict=True):
        table.add_row(*row, Text(line.text))
    return table


def _print_problem(console: Console, p: Problem) -> None:
    where = f"block {p.block}, shared byte {p.byte}"
    if p.kind == "uninitialized-read":
        text = f"thread {p.thread} reads what nobody wrote"
    else:
        later, earlier = {"read-after-write": ("reads", "wrote"), "write-after-write": ("writes", "wrote"),
                          "write-after-read": ("writes", "read")}[p.kind]
        text = f"thread {p.thread} {later} what thread {p.other_thread} {earlier}, and nothing orders the two"
    console.print(Text.assemble((p.kind, "red"), f": {where}: {text} ({p.bytes:,} bytes like this)"))
    for place, line, instruction in ((p.place, p.text, p.instruction),
                                     (p.other_place, p.other_text, p.other_instruction)):
        if instruction:
            console.print(Text(f"  {place or '?'}: {line or instruction}"), soft_wrap=True)
