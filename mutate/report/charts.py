"""The geometry of the charts of the HTML report: where things lie, in percent of the width and pixels of the height.

Widths are relative, so that a chart fits a phone and a sheet of paper while its text keeps its size. The templates in
``templates/report`` draw what is computed here. A chart that cannot be drawn from known numbers is ``None``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mutate.analyzed import LaunchAnalysis
from mutate.limiter.model import Facts, Finding, Interval, Payoff, SweepPoint
from mutate.machines.model import Machine
from mutate.report import figures as f


def _usable(value: float | None) -> bool:
    return value is not None and math.isfinite(value) and value > 0


def _share(value: float, whole: float) -> float:
    """Percent of the width, kept on the page."""
    return round(100 * min(1.0, max(0.0, value / whole)), 2) if whole > 0 and math.isfinite(value) else 0.0


# --- bars ---


@dataclass(frozen=True)
class Bar:
    """Percent of the width: the end of the bar, the ends of the whisker, where the reference stands."""

    width: float
    low: float
    high: float
    mark: float | None = None

    @property
    def has_whisker(self) -> bool:
        return self.high > self.low


def bars(times: Sequence[Interval | None], reference: Interval | None) -> tuple[Bar | None, ...]:
    """One bar for each time on a common scale from 0, with a mark at the reference."""
    known = [t for t in (*times, reference) if t is not None and _usable(t.value)]
    if not known:
        return (None,) * len(times)
    # An interval much wider than its value leaves the page rather than make all bars vanish.
    whole = min(max(t.high for t in known), 1.25 * max(t.value for t in known))
    whole = 1.02 * max(whole, *(t.value for t in known))
    mark = _share(reference.value, whole) if reference is not None and _usable(reference.value) else None
    return tuple(Bar(_share(t.value, whole), _share(t.low, whole), _share(t.high, whole), mark)
                 if t is not None and _usable(t.value) else None for t in times)


def payoff_bars(payoffs: Sequence[Payoff]) -> tuple[Bar | None, ...]:
    """Bars of speed-ups from 1 on."""
    known = [p.gain for p in payoffs if _usable(p.gain.value)]
    whole = 1.05 * max([0.1, *(min(g.high, 1.5 * g.value) - 1 for g in known if math.isfinite(g.high))])
    return tuple(Bar(_share(p.gain.value - 1, whole), _share(p.gain.low - 1, whole), _share(p.gain.high - 1, whole))
                 if _usable(p.gain.value) else None for p in payoffs)


# --- overlap ---


@dataclass(frozen=True)
class Lane:
    """One time as a span, in percent: ``start`` to ``start + width``, of which the last ``exposed`` are exposed."""

    kind: str
    name: str
    label: str
    start: float
    width: float
    exposed: float = 0.0


@dataclass(frozen=True)
class Overlap:
    """T_full over its two halves. ``gap``: start and width of what neither half explains. ``words`` describe it."""

    lanes: tuple[Lane, ...]
    gap: tuple[float, float] | None
    notes: tuple[tuple[str, float, str], ...]
    """(text, where in percent, anchor)."""
    words: str


# Percent: the names of the parts of a narrow figure do not meet when one begins before, or ends before, these.
_LEFT, _RIGHT = 28.0, 62.0


def overlap(finding: Finding) -> Overlap | None:
    """The larger half from the start, the smaller one up to the end of the kernel: what of it lies behind the end of

    the larger one is exposed, what lies beside it overlapped. Only the lengths are measured, not when things happen.
    """
    times = (finding.full, finding.memory, finding.math)
    if any(t is None or not _usable(t.value) for t in times):
        return None
    full, memory, math_ = (t.value for t in times if t is not None)
    places = f.decimals((full, memory, math_))
    large, small = (("memory", memory), ("math", math_)) if memory >= math_ else (("math", math_), ("memory", memory))
    # Noise may put a half above the whole.
    whole = max(full, large[1])
    start = max(0.0, full - small[1])
    exposed = max(0.0, min(small[1], full - large[1]))
    gap = full - small[1] - large[1]
    names = {"memory": "memory-only", "math": "math-only"}
    lanes = (Lane("full", "full kernel", f"{f.fixed(full, places)} ms", 0.0, _share(full, whole)),
             Lane(large[0], names[large[0]], f"{f.fixed(large[1], places)} ms", 0.0, _share(large[1], whole)),
             Lane(small[0], names[small[0]], f"{f.fixed(small[1], places)} ms", _share(start, whole),
                  _share(small[1], whole), _share(exposed, whole)))
    hidden = small[1] - exposed
    notes = []
    if hidden > 0 and _share(hidden, whole) >= 1:
        notes.append((f"overlapped {f.fixed(hidden, places)} ms", min(_LEFT, _share(start, whole)), "start"))
    if exposed > 0:
        notes.append((f"exposed {f.fixed(exposed, places)} ms", 100.0, "end"))
    if gap > 0 and _share(gap, whole) >= 1:
        end = _share(large[1] + gap, whole)
        notes.insert(0, (f"neither {f.fixed(gap, places)} ms", min(_RIGHT, max(_LEFT, end)), "end"))
    words = f"Full kernel {lanes[0].label}, {lanes[1].name} {lanes[1].label}, {lanes[2].name} {lanes[2].label}. " \
            f"{'; '.join(n[0] for n in notes) or 'Nothing is exposed'}."
    return Overlap(lanes, (_share(large[1], whole), _share(gap, whole)) if gap > 0 else None, tuple(notes), words)


# --- roofline ---


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Mark:
    """A labelled point, x in percent of the width, y in percent of the height; its label lies ``drop`` pixels lower."""

    x: float
    y: float
    text: str
    anchor: str
    kind: str = ""
    drop: int = 0


@dataclass(frozen=True)
class Roof:
    """The lines of one kind in a square of 100 by 100, and what they stand for."""

    paths: tuple[str, ...]
    kind: str
    words: str


@dataclass(frozen=True)
class Roofline:
    roofs: tuple[Roof, ...]
    points: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    words: str


# Part of the height that the names of the points need below them.
_ROOM = 0.28
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _log_ticks(low: float, high: float, reverse: bool = False) -> tuple[Tick, ...]:
    """Decades, with steps between them where there are few."""
    steps = (1, 2, 5) if high - low < 1.6 else (1, 3) if high - low < 3.2 else (1,)
    out = []
    for decade in range(math.floor(low), math.ceil(high) + 1):
        for step in steps:
            at = decade + math.log10(step)
            if low <= at <= high - 0.02 * (high - low):  # the last is not to leave the page
                value = step * 10.0**decade
                small = f"{value:,.{max(0, -decade)}f}"
                power = f"{f'{step}·' if step > 1 else ''}10{str(decade).translate(_SUPERSCRIPTS)}"
                text = small if -4 <= decade < 6 else power
                part = (at - low) / (high - low)
                out.append(Tick(round(100 * (1 - part if reverse else part), 2), text))
    return tuple(out[:: 1 + len(out) // 9])


def _from(facts: Facts, field: str) -> str:
    source = facts.sources.get(field, "")
    return f" ({source})" if source else ""


def roofline(finding: Finding, facts: Facts, machine: Machine | None) -> Roofline | None:
    """FLOP/s against FLOPs for each byte, both logarithmic, below what the machine is known to reach.

    The roofs are those of the memory (copy bandwidth as measured, peak as published) and of fp32 arithmetic. A kernel
    is a point for each way of counting its bytes. ``None`` without a time, FLOPs, bytes or any roof of the memory.
    """
    full, flops = finding.full, facts.fp32_flops
    if full is None or not _usable(full.value) or not _usable(flops) or flops is None:
        return None
    rate = flops / (full.value * 1e6)
    found = [(name, flops / n) for name, n in (("application bytes", facts.requested_bytes),
                                               ("hardware bytes", facts.moved_bytes),
                                               ("DRAM floor", facts.floor_bytes)) if n is not None and _usable(n)]
    memory = [(kind, g) for kind, g in (("peak", facts.peak_gbs), ("copy", facts.copy_gbs))
              if g is not None and _usable(g)]
    peak = machine.get("peak.fp32") if machine is not None else None
    published = float(peak.value) if peak is not None and isinstance(peak.value, int | float) else None
    reached = facts.fp32_gflops if facts.fp32_gflops != published else None  # a machine file knows only one of them
    compute = [(kind, g) for kind, g in (("peak", published), ("copy", reached)) if g is not None and _usable(g)]
    if not found or not memory or not _usable(rate):
        return None
    ridges = [c / m for _, c in compute for _, m in memory]
    xs = [x for _, x in found]
    low_x, high_x = math.log10(min([*xs, *ridges]) / 6), math.log10(max([*xs, *ridges]) * 6)
    top = max([rate, *(c for _, c in compute), *(m * max(xs) for _, m in memory if not compute)])
    high_y = math.log10(top * 2.5)
    low_y = min(math.log10(min(rate, memory[-1][1] * min(xs)) / 6),
                (math.log10(rate) - _ROOM * high_y) / (1 - _ROOM))

    def x_of(x: float) -> float:
        return round(100 * (math.log10(x) - low_x) / (high_x - low_x), 2)

    def y_of(y: float) -> float:
        return round(100 * (1 - (math.log10(y) - low_y) / (high_y - low_y)), 2)

    roofs: list[Roof] = []
    for kind, words in (("peak", "peak"), ("copy", "reached")):
        names, paths = [], []
        flat = next((c for k, c in compute if k == kind), None)
        for bandwidth in (m for k, m in memory if k == kind):
            ceiling = flat or max((c for _, c in compute), default=10.0**high_y)
            end = min(ceiling / bandwidth, 10.0**high_x)
            paths.append(f"M{x_of(10.0**low_x)},{y_of(bandwidth * 10.0**low_x)} L{x_of(end)},{y_of(bandwidth * end)}")
            names.append(f"{'copy ' if kind == 'copy' else ''}{f.gbs(bandwidth)}{_from(facts, f'{kind}_gbs')}")
        if flat is not None:
            start = min((flat / m for k, m in memory if k == kind), default=10.0**low_x)
            paths.append(f"M{max(0.0, x_of(start))},{y_of(flat)} L100,{y_of(flat)}")
            names.append(f"fp32 {f.gflops(flat)}"
                         + (_from(facts, "fp32_gflops") if kind == "copy" else " (machine file)"))
        if paths:
            roofs.append(Roof(tuple(paths), kind, f"{words}: {', '.join(names)}"))
    ordered = sorted(found, key=lambda p: p[1])
    # Names below the points, where there are no roofs; the outermost lowest, so that no leader crosses a name.
    rightwards = x_of(sum(xs) / len(xs)) <= 50
    points = [Mark(x_of(x), y_of(rate), f"{name} {f.number(x, 3)}", "start" if rightwards else "end",
                   name.split()[0].lower(), 18 + 16 * (len(ordered) - 1 - n if rightwards else n))
              for n, (name, x) in enumerate(ordered)]
    words = f"{f.gflops(rate)}. " + "; ".join(f"{n}: {f.number(x, 3)} FLOP/byte" for n, x in found) + ". Roofs: " + \
        "; ".join(r.words for r in roofs) + "."
    return Roofline(tuple(roofs), tuple(points), _log_ticks(low_x, high_x), _log_ticks(low_y, high_y, True), words)


def why_no_roofline(launch: LaunchAnalysis) -> str:
    facts = launch.facts
    missing = [name for name, there in (
        ("a time", launch.finding.full is not None and _usable(launch.finding.full.value)),
        ("the floating-point operations (fp32)", _usable(facts.fp32_flops)),
        ("the bytes", any(map(_usable, (facts.requested_bytes, facts.moved_bytes, facts.floor_bytes)))),
        ("the machine's bandwidth", any(map(_usable, (facts.copy_gbs, facts.peak_gbs))))) if not there]
    return f"No roofline: it needs {f.joined(missing, ' and ')}."


# --- sweeps ---


@dataclass(frozen=True)
class Curve:
    """Times against a number: a line through points with whiskers (percent of the height)."""

    path: str
    points: tuple[Mark, ...]
    whiskers: tuple[tuple[float, float, float], ...]
    x_ticks: tuple[Tick, ...]
    words: str


def curve(points: Sequence[SweepPoint], current: float | None) -> Curve | None:
    """Both axes from 0. ``current`` is the setting of the launch as it is."""
    known = sorted((p for p in points if _usable(p.time.value) and _usable(p.value)), key=lambda p: p.value)
    if len(known) < 2:
        return None
    right = 1.06 * known[-1].value
    top = 1.18 * max(p.time.value for p in known)
    places = f.decimals(p.time.value for p in known)

    def y_of(time: float) -> float:
        return round(100 - _share(time, top), 2)

    marks = tuple(Mark(_share(p.value, right), y_of(p.time.value), f.fixed(p.time.value, places),
                       "end" if number == len(known) - 1 else "middle", "current" if p.value == current else "")
                  for number, p in enumerate(known))
    return Curve("M" + " L".join(f"{m.x},{m.y}" for m in marks), marks,
                 tuple((m.x, y_of(p.time.high), y_of(p.time.low)) for m, p in zip(marks, known, strict=True)),
                 tuple(Tick(m.x, f"{p.value:g}") for m, p in zip(marks, known, strict=True)),
                 "; ".join(f"{p.value:g}: {f.fixed(p.time.value, places)} ms" for p in known))
