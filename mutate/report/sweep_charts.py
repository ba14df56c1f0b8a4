"""Small charts of a sweep: one for each kernel or each way to load, on common scales."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mutate.limiter.model import Interval
from mutate.report import figures as f
from mutate.report.charts import Curve, Mark, Tick
from mutate.sweeps import CACHE, OCCUPANCY, Sweep, SweepRun, SweepSetting
from mutate.timing import ORIGINAL

# With more points than this only those that say something have a label.
_LABELLED = 7
_AXES = {CACHE: "KB of L1", OCCUPANCY: "resident blocks/SM"}


@dataclass(frozen=True)
class Panel:
    """A curve with its title and the units of its axes."""

    title: str
    curve: Curve
    x_unit: str
    y_unit: str


def panels(sweep: Sweep) -> tuple[Panel, ...]:
    """Times, and where there are none the sectors in L2; nothing where neither is known or nothing varies."""
    groups = list(dict.fromkeys(s.group for s in sweep.settings))
    lines: list[tuple[str, list[tuple[SweepSetting, Interval]]]] = []
    value: Callable[[SweepRun], Interval | None] = (lambda r: r.time) if sweep.times else _l2_millions
    for kernel in sweep.kernels if sweep.times else (ORIGINAL,):
        for group in groups:
            found = [(s, v) for s in sweep.settings
                     if s.group == group and (r := s.run(kernel)) is not None and (v := value(r)) is not None]
            title = f.joined([kernel if len(sweep.kernels) > 1 or not group else "", group], ", ")
            lines.append((title, sorted(found, key=lambda pair: pair[0].value)))
    lines = [(t, points) for t, points in lines if len({s.value for s, _ in points}) > 1]
    if not lines:
        return ()
    top = 1.18 * max(v.value for _, points in lines for _, v in points)
    right = 1.06 * max(s.value for _, points in lines for s, _ in points)
    unit = "ms" if sweep.times else "million sectors in L2"
    return tuple(Panel(title, _curve(points, sweep.best, right, top, unit), _AXES.get(sweep.axis, "registers/thread"),
                       unit) for title, points in lines)


def _l2_millions(run: SweepRun) -> Interval | None:
    return Interval.exact(run.traffic.l2_sectors / 1e6) if run.traffic is not None else None


def _curve(points: Sequence[tuple[SweepSetting, Interval]], best: str, right: float, top: float, unit: str) -> Curve:
    places = f.decimals(v.value for _, v in points)

    def y_of(value: float) -> float:
        return round(100 - 100 * min(1.0, max(0.0, value / top)), 2)

    marks = []
    for number, (s, v) in enumerate(points):
        ends = number in (0, len(points) - 1)
        shown = len(points) <= _LABELLED or ends or s.current or s.name == best
        marks.append(Mark(round(100 * s.value / right, 2), y_of(v.value), f.fixed(v.value, places) if shown else "",
                          "end" if number == len(points) - 1 else "middle", "current" if s.current else ""))
    return Curve("M" + " L".join(f"{m.x},{m.y}" for m in marks), tuple(marks),
                 tuple((m.x, y_of(v.high), y_of(v.low)) for m, (_, v) in zip(marks, points, strict=True)
                       if v.high > v.low),
                 tuple(Tick(m.x, f"{s.value:g}" if m.text else "") for m, (s, _) in zip(marks, points, strict=True)),
                 "; ".join(f"{s.name}: {f.fixed(v.value, places)} {unit}" for s, v in points))
