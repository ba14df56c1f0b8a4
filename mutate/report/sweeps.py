"""What every report says of a sweep: its table, as text, and where its numbers come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mutate.report import figures as f
from mutate.sweeps import CACHE, OCCUPANCY, REGISTERS, Sweep, SweepRun, SweepSetting, Traffic
from mutate.timing import ORIGINAL

TITLES = {CACHE: "Caches", OCCUPANCY: "Occupancy", REGISTERS: "Registers"}
_SHORT = {"memory-only": "T mem", "math-only": "T math"}


@dataclass(frozen=True)
class SweepTable:
    """Rows of text. ``current`` and ``best`` are the numbers of rows, ``None`` where there is none such.

    The first column is text, all others are numbers. ``words`` say at length what the ``titles`` say in 80 columns.
    """

    titles: tuple[str, ...]
    words: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    current: int | None
    best: int | None


_Column = tuple[str, str, Callable[[SweepSetting], str]]


def _of(kernel: str, words: Callable[[SweepRun], str]) -> Callable[[SweepSetting], str]:
    def text(setting: SweepSetting) -> str:
        run = setting.run(kernel)
        return words(run) if run is not None else ""

    return text


def _own(words: Callable[[SweepRun], str]) -> Callable[[SweepSetting], str]:
    return _of(ORIGINAL, words)


def _time_columns(sweep: Sweep) -> Iterable[_Column]:
    if not sweep.times:
        return
    for kernel in sweep.kernels:
        timed = [s.run(kernel) for s in sweep.settings]
        places = f.decimals(r.time.value for r in timed if r is not None and r.time is not None)

        def time(run: SweepRun, places: int = places) -> str:
            return f.fixed(run.time.value, places) if run.time is not None else f.NONE

        yield _SHORT.get(kernel, "T ms"), f"T {kernel}, ms", _of(kernel, time)
        if kernel == ORIGINAL:
            if sweep.times == "measured":
                yield "±", "±", _own(lambda r: f.spread(r.time))
            yield "gain", "T(as it is)/T", _own(lambda r: f.factor(r.gain.value) if r.gain is not None else f.NONE)


def _count(value: float) -> str:
    """Counts in three digits: 44.9M."""
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= scale:
            return f"{f.number(value / scale, 3)}{unit}"
    return f"{value:.0f}"


def _traffic(words: Callable[[Traffic], str]) -> Callable[[SweepSetting], str]:
    return _own(lambda r: words(r.traffic) if r.traffic is not None else f.NONE)


def _columns(sweep: Sweep) -> Iterable[_Column]:
    yield "setting", "setting", lambda s: s.name
    counted = any(r.traffic is not None for s in sweep.settings for r in s.runs)
    local = any(r.traffic is not None and r.traffic.local_lookups for s in sweep.settings for r in s.runs)
    if sweep.axis == REGISTERS:
        yield "regs", "registers", _own(lambda r: str(r.registers))
        yield "spill", "bytes spilled a thread", _own(lambda r: str(r.spills))
    if sweep.axis == OCCUPANCY:
        yield "warps", "warps/SM", _own(lambda r: str(r.warps))
        yield "occup.", "occupancy", _own(lambda r: f.percent(r.occupancy))
    else:
        yield "blk/SM", "blocks/SM", _own(lambda r: str(r.blocks))
    yield from _time_columns(sweep)
    if sweep.axis == OCCUPANCY:
        yield "pad B", "padding, bytes", _own(lambda r: f"{r.pad:,}")
    if not counted:
        return
    if sweep.axis == CACHE:
        yield "L1 hits", "global loads that hit L1", _traffic(lambda t: f.percent(t.l1_hit_rate))
    if local:
        yield "lmem hits", "local loads that hit L1", _traffic(lambda t: f.percent(t.local_hit_rate))
    yield "L2 sect.", "sectors in L2", _traffic(lambda t: _count(t.l2_sectors))
    if sweep.axis == REGISTERS and local:
        yield "of L2", "local part of L2's traffic", _traffic(lambda t: f.percent(t.local_of_l2))
        yield "instr.", "local part of instructions", _traffic(lambda t: f.percent(t.local_of_instructions, 1))


def table(sweep: Sweep) -> SweepTable:
    columns = list(_columns(sweep))
    rows = tuple(tuple(text(s) for _, _, text in columns) for s in sweep.settings)
    names = [s.name for s in sweep.settings]
    return SweepTable(tuple(t for t, _, _ in columns), tuple(w for _, w, _ in columns), rows,
                      next((n for n, s in enumerate(sweep.settings) if s.current), None),
                      names.index(sweep.best) if sweep.best else None)


def source_words(sweep: Sweep) -> str:
    """Where times and counters come from."""
    counted = [r.traffic for s in sweep.settings for r in s.runs if r.traffic is not None]
    times = f"{sweep.times} on {sweep.where}" if sweep.times else f"not timed: {sweep.untimed}"
    parts = [times]
    if counted:
        some = sorted({t.blocks for t in counted})
        blocks = f"{some[0]} to {some[-1]} blocks" if len(some) > 1 else f"{some[0]} block{'s' if some[0] > 1 else ''}"
        parts.append(f"counters simulated: {blocks} of one SM, multiplied up to the grid")
    elif sweep.uncounted:
        parts.append(f"not counted: {sweep.uncounted}")
    return "; ".join(parts)


def sentences(sweep: Sweep) -> Sequence[tuple[str, str]]:
    """(kind, sentence), after the summary."""
    return [*(("evidence", e) for e in sweep.evidence), *(("note", n) for n in sweep.notes),
            *([("next", sweep.next_step)] if sweep.next_step else [])]


def sweep_view(sweep: Sweep) -> dict[str, Any]:
    """What templates are given."""
    return {"sweep": sweep, "title": TITLES[sweep.axis], "table": table(sweep), "source": source_words(sweep),
            "sentences": sentences(sweep), "how": sweep.axis != OCCUPANCY and any(s.how for s in sweep.settings)}
