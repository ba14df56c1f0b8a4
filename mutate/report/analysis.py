"""What people read of ``kmutate analyze`` and ``kmutate classify``: the verdict and what it rests on, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mutate.analyzed import Analysis, KernelAnalysis, LaunchAnalysis
from mutate.limiter.model import Facts, Finding, Interval, Limiter, SweepPoint
from mutate.report import figures as f
from mutate.report import played
from mutate.report import stalls as s
from mutate.report.console import new_console
from mutate.report.terminal import dims
from mutate.simulated import Stalls

_TONES = {"good": "green", "warn": "yellow", "bad": "red", "quiet": "dim"}
_LIMITERS = {Limiter.INCONCLUSIVE: "bold yellow", Limiter.UNKNOWN: "bold dim"}


def _text(*parts: str | tuple[str, str] | Text, style: str = "") -> Text:
    """Text as it is, whatever brackets or control characters somebody's names and messages hold."""
    return Text.assemble(*(f.clean(p) if isinstance(p, str) else p if isinstance(p, Text) else (f.clean(p[0]), p[1])
                           for p in parts), style=style)


def print_analysis(analysis: Analysis) -> None:
    """The whole answer of ``kmutate analyze`` on the terminal. Errors of kernels are the caller's to print."""
    console = new_console()
    for warning in analysis.warnings:
        console.print(_text(f"warning: {warning}", style="yellow"))
    for kernel in analysis.kernels:
        for launch in kernel.launches:
            _print_launch(console, analysis, kernel, launch)
            console.print()
    if analysis.interrupted:
        console.print(_text("interrupted: what is above is what was known by then", style="yellow"))


def print_finding(finding: Finding, facts: Facts) -> None:
    """The answer of ``kmutate classify``: a verdict from given numbers, without a launch."""
    console = new_console()
    _print_verdict(console, finding)
    _print_times(console, finding)
    _print_rates(console, finding, facts, "given")
    _print_causes(console, finding)
    _print_next(console, finding)


def _print_launch(console: Console, analysis: Analysis, kernel: KernelAnalysis, launch: LaunchAnalysis) -> None:
    la = launch.launch
    smem = f" + {la.smem:,} B shared" if la.smem else ""
    console.print(_text((kernel.target.name, "bold"),
                                f"  {analysis.request.source.arch}  grid {dims(la.grid)} block {dims(la.block)}{smem}"))
    untimed = not f.source_of_times(analysis, launch)
    console.print(_text(f.backend_words(analysis, launch), style="yellow" if untimed else ""))
    if launch.played is not None and not untimed and launch.session is None:
        console.print(_text(played.words(launch.played), style="dim"))
    if launch.session is not None:
        about = f.joined([*f.session_words(launch.session), f.noise_words(launch.noise)])
        console.print(_text(about, style="dim"))
    if not untimed:
        console.print(_text(f"±, [ ]: {f.interval_words(f.source_of_times(analysis, launch))}", style="dim"))
    console.print(_variant_table(launch))
    _print_remarks(console, launch)
    _print_verdict(console, launch.finding)
    _print_times(console, launch.finding)
    _print_rates(console, launch.finding, launch.facts, f.source_of_times(analysis, launch))
    if launch.counts is not None:
        console.print(_text(f.count_words(launch.counts, analysis.machine), style="dim"))
    elif launch.counts_error is not None:
        console.print(_text(f"no counters: {launch.counts_error.what} [{launch.counts_error.slug}]",
                           style="dim"))
    if launch.stalls is not None:
        _print_stalls(console, launch.stalls, kernel.target.kernel.file.name)
    _print_sweep(console, "resident blocks an SM", launch.occupancy)
    _print_sweep(console, "grid", launch.grids)
    _print_causes(console, launch.finding)
    _print_next(console, launch.finding)
    if launch.sweeps:
        from mutate.report.sweep_terminal import print_sweeps

        print_sweeps(console, launch.sweeps)


def _variant_table(launch: LaunchAnalysis) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    rows = f.rows(launch)
    places = f.decimals(r.time.value for r in rows if r.time is not None)
    timed = any(r.time is not None for r in rows)
    table.add_column("variant", min_width=19, overflow="fold")
    if timed:
        table.add_column("T ms", justify="right")
        table.add_column("±", justify="right")
        table.add_column("T(orig)/T", justify="right")
        table.add_column("", min_width=12, overflow="fold")
    table.add_column("blk/SM", justify="right")
    table.add_column("certificate", min_width=14)
    for r in rows:
        times = [f.fixed(r.time.value, places) if r.time is not None else "", f.spread(r.time),
                 f.factor(r.gain.value) if r.gain is not None else "", f.ends(r.gain)] if timed else []
        table.add_row(_text(r.name), *map(_text, times), r.blocks, _text(r.state, style=_TONES[r.tone]),
                      style="" if r.usable else "dim")
    return table


def _print_remarks(console: Console, launch: LaunchAnalysis) -> None:
    for r in f.remarks(launch):
        _print_indented(console, _text(f"{', '.join(r.names)}: {r.text}", (f" [{r.slug}]" if r.slug else "", "dim")))


def _print_indented(console: Console, text: Text, indent: int = 2) -> None:
    console.print(Padding(text, (0, 0, 0, indent), expand=False))


def _print_verdict(console: Console, finding: Finding) -> None:
    limiter = finding.limiter
    words = _text((f.heading(finding), _LIMITERS.get(limiter, "bold")), f" ({finding.confidence} confidence): ",
                          finding.summary)
    console.print(words)
    for title, sentences in (("evidence", finding.evidence), ("against", finding.against)):
        _print_list(console, title, sentences)


def _print_list(console: Console, title: str, sentences: Sequence[str]) -> None:
    """Sentences with a hanging indent, named by the first one's title."""
    if not sentences:
        return
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=10)
    table.add_column()
    for number, sentence in enumerate(sentences):
        table.add_row(_text(f"  {title}" if number == 0 else "", style="dim"), _text(sentence))
    console.print(table)


def _interval(name: str, value: Interval | None, unit: str, places: int) -> str:
    if value is None:
        return f"{name} unknown"
    return f"{name} {f.fixed(value.value, places)}{unit}"


def _print_times(console: Console, finding: Finding) -> None:
    parts = (finding.full, finding.memory, finding.math)
    if finding.full is None:
        return
    places = f.decimals(p.value for p in parts if p is not None)
    head = f.joined([_interval(n, p, " ms", places) for n, p in zip(("T_full", "T_mem", "T_math"), parts, strict=True)])
    rest = []
    if finding.overlap is not None:
        rest.append(f"overlap {f.fixed(finding.overlap.value, 2)} {f.ends(finding.overlap)}".rstrip())
    rest.append(f.exposed_words(finding))
    console.print(_text(f.joined([head, *rest])))


def _print_rates(console: Console, finding: Finding, facts: Facts, times: str) -> None:
    rates = f.rates(finding, facts, times)
    if rates:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
        table.add_column("bandwidth", min_width=11)
        for title in ("GB/s", "of copy", "of peak"):
            table.add_column(title, justify="right")
        table.add_column("bytes", justify="right")
        table.add_column("", style="dim")
        for r in rates:
            table.add_row(r.name, f.number(r.gbs) if r.gbs < 1e3 else f.fixed(r.gbs, 0), f.percent(r.of_copy),
                          f.percent(r.of_peak), f.size(r.nbytes), _text(f"{r.short} ({r.sources[1]})"))
        console.print(table)
    roofs = f.roof_words(facts)
    if roofs:
        console.print(_text(f"roofs: {roofs}"))
    reached = f.joined([x.words for x in f.fractions(finding, facts)])
    if reached:
        console.print(_text(reached))
    ratio = f.ratio_words(facts)
    if ratio:
        console.print(_text(ratio))


def _print_sweep(console: Console, title: str, points: Iterable[SweepPoint]) -> None:
    points = tuple(points)
    if not points:
        return
    places = f.decimals(p.time.value for p in points)
    said = [f"{p.value:g}: {f.fixed(p.time.value, places)}{f' ({p.note})' if p.note else ''}"
            for p in points]
    console.print(_text(f"T ms by {title}  {', '.join(said)}"))


def _print_stalls(console: Console, stalls: Stalls, main: str) -> None:
    console.print(_text(s.head_words(stalls), style="dim"))
    _print_indented(console, _text(s.reason_words(stalls.reasons)))
    lines = s.stall_lines(stalls, main)
    if lines:
        where, reasons = (max(len(getattr(x, n)) for x in lines) for n in ("where", "reasons"))
        for x in lines:
            line = _text(f"  {x.where:{where}} {x.share:>5}  {x.reasons:{reasons}}  ", (x.code, "dim"))
            line.truncate(console.width, overflow="ellipsis")
            console.print(line, no_wrap=True)


def _print_causes(console: Console, finding: Finding) -> None:
    said = []
    for number, cause in enumerate(finding.causes, 1):
        payoff = cause.payoff
        bound = f"  {f.at_most(payoff.gain)}" if payoff is not None else ""
        by = f" by {payoff.by}, {payoff.kind}" if payoff is not None else ""
        line = _text(f"{number}. ", (cause.title, "bold"), bound, (f"{by} [{cause.slug}]", "dim"))
        said += [payoff] if payoff is not None else []
        console.print(line)
        for sentence in (*cause.evidence, payoff.note if payoff is not None else "",
                         f"try: {cause.next_step}" if cause.next_step else ""):
            if sentence:
                _print_indented(console, _text(sentence), 3)
    others = [p for p in f.ranked_payoffs(finding) if p not in said]
    if others:
        console.print(_text("upper bounds of what else could be gained:" if said else
                           "upper bounds of what could be gained:"))
        for p in others:
            note = f"; {p.note}" if p.note else ""
            by = f" (by {p.by}, {p.kind}{note})"
            _print_indented(console, _text(f"{f.at_most(p.gain)}  {p.what}", (by, "dim")), 3)
    elif said:
        console.print(_text("Gains are upper bounds: what a cure can reach at most.", style="dim"))


def _print_next(console: Console, finding: Finding) -> None:
    if finding.next_step:
        console.print(_text(f"next: {finding.next_step}"))
