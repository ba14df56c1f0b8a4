"""Sweeps on the terminal, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mutate.report import figures as f
from mutate.report import sweeps
from mutate.sweeps import Sweep


def print_sweeps(console: Console, found: Iterable[Sweep]) -> None:
    """Each with where its numbers come from, its table, and what it says."""
    for sweep in found:
        console.print(Text.assemble((f"{sweep.axis} sweep: ", "bold"), f.clean(sweep.summary)))
        if not sweep.settings:
            continue
        console.print(Text(f.clean(sweeps.source_words(sweep)), style="" if sweep.times else "yellow"))
        console.print(_table(sweep))
        _print_sentences(console, sweep)


def _table(sweep: Sweep) -> Table:
    shown = sweeps.table(sweep)
    out = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for number, title in enumerate(shown.titles):
        out.add_column(title, justify="left" if number == 0 else "right", no_wrap=True)
    for number, row in enumerate(shown.rows):
        mark = "*" if number == shown.current else " "
        style = "bold" if number == shown.best else ""
        out.add_row(Text(f"{mark} {f.clean(row[0])}"), *(Text(f.clean(c)) for c in row[1:]), style=style)
    return out


def _print_sentences(console: Console, sweep: Sweep) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(min_width=10)
    grid.add_column()
    before = ""
    for kind, sentence in sweeps.sentences(sweep):
        grid.add_row(Text(f"  {kind}" if kind != before else "", style="dim"), Text(f.clean(sentence)))
        before = kind
    if grid.row_count:
        console.print(grid)
