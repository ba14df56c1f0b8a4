"""The source with what the simulator counted on each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutate.report.by_line import LINE_COLUMNS, short, total
from mutate.report.code_view import highlighted
from mutate.report.figures import clean
from mutate.report.stalls import LineBar, bars_by_line
from mutate.sim.counters import evaluate
from mutate.simulated import LaunchCounts, LineCounts, Stalls
from mutate.source import Lines

if TYPE_CHECKING:
    from markupsafe import Markup

    from mutate.results import Target

# Lines shown around those that have counts.
_CONTEXT = 2
# Steps of the background; the stylesheet has a colour for each.
_HEATS = 6
# Lines with less than this part of what the hottest line has are left without.
_COLD = 0.02


@dataclass(frozen=True)
class Line:
    """``number`` 0 stands for lines left out. ``share`` of the warp instructions in percent, ``heat`` 0 to 6."""

    number: int
    code: Markup | str
    share: float = 0.0
    heat: int = 0
    instructions: str = ""
    lanes: str = ""
    cells: tuple[str, ...] = ()
    bar: LineBar | None = None


@dataclass(frozen=True)
class FileListing:
    name: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Listing:
    """``heads`` are the counters beside instructions and lanes; ``elsewhere`` the share of instructions, in percent,

    that no line of the user's files has.
    """

    heads: tuple[str, ...]
    files: tuple[FileListing, ...]
    elsewhere: float
    hottest: tuple[str, ...]
    """The lines with most instructions, in words."""
    stalls: bool = False
    """Whether lines have bars of why warps waited there."""


def listing(counts: LaunchCounts | None, target: Target, source: str, stalls: Stalls | None = None) -> Listing | None:
    """The kernel's own lines and all others that have counts; ``None`` where lines were not counted."""
    if counts is None or not counts.lines:
        return None
    from mutate.sim import layout as lay

    executed = {id(x): x.totals.sum(lay.EXECUTED) for x in counts.lines}
    whole = max(1, counts.totals.sum(lay.EXECUTED), sum(executed.values()))
    most = max(executed.values())
    values = {id(x): evaluate(x.totals) for x in counts.lines}
    columns = [(head, names) for head, names in LINE_COLUMNS if any(total(v, names) for v in values.values())]

    bars = bars_by_line(stalls)

    def line(number: int, code: Markup | str, found: LineCounts | None) -> Line:
        if found is None:
            return Line(number, code, cells=("",) * len(columns))
        n, v = executed[id(found)], values[id(found)]
        lanes = v["active_lanes_on"]
        heat = min(_HEATS, 1 + int(_HEATS * n / most)) if most and n > _COLD * most else 0
        return Line(number, code, round(100 * n / whole, 1), heat, short(n),
                    f"{lanes:.1f}" if lanes is not None else "", tuple(short(total(v, names)) for _, names in columns),
                    bars.get((found.place.file, found.place.line)) if found.place is not None else None)

    expansion = target.kernel.file.expansion
    span = expansion.to_source(target.kernel.node.span)
    own = Lines(expansion.source)
    main, first = target.kernel.file.name, own.place(span.start)
    kernel_lines = range(first[1], own.place(max(span.start, span.end - 1))[1] + 1) if first[0] in (None, main) else \
        range(0)  # it stands in a file that is included
    by_file: dict[str, dict[int, LineCounts]] = {}
    for found in counts.lines:
        if found.place is not None:
            by_file.setdefault(found.place.file, {})[found.place.line] = found
    files = []
    for name in sorted(by_file, key=lambda n: n != main):
        here = by_file[name]
        if name == main:
            texts: Mapping[int, Markup | str] = dict(enumerate(highlighted(source), 1))
            shown = _shown([*here, *kernel_lines], len(texts))
        else:  # of other files only the lines with counts are known
            texts = {n: clean(x.text) for n, x in here.items()}
            shown = sorted(here)
        files.append(FileListing(clean(name), _with_gaps([line(n, texts.get(n, ""), here.get(n)) for n in shown])))
    nowhere = sum(executed[id(x)] for x in counts.lines if x.place is None)
    ranked = sorted((x for x in counts.lines if x.place is not None), key=lambda x: -executed[id(x)])[:3]
    hottest = tuple(f"line {x.place.line} {100 * executed[id(x)] / whole:.0f} %" for x in ranked if x.place is not None)
    return Listing(tuple(head for head, _ in columns), tuple(files), round(100 * nowhere / whole, 1), hottest,
                   bool(bars))


def _shown(numbers: Sequence[int], last: int) -> list[int]:
    near = {n + d for n in numbers for d in range(-_CONTEXT, _CONTEXT + 1)}
    return sorted(n for n in near if 1 <= n <= last)


def _with_gaps(lines: Sequence[Line]) -> tuple[Line, ...]:
    out: list[Line] = []
    for x in lines:
        if out and x.number != out[-1].number + 1:
            out.append(Line(0, ""))
        out.append(x)
    return tuple(out)
