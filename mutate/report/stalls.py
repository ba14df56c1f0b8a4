"""What reports say of why warps waited: words, lines of source, and bars beside them. Always simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mutate.report.figures import clean, fixed, percent
from mutate.simulated import LineStalls, Stalls

# Lines that the terminal and Markdown show, and the least part of the clocks that a line or a reason must have.
_LINES, _REASONS, _REASONS_OF_LINE, _LEAST = 5, 6, 2, 0.01
_LEAST_SHOWN = 0.005
# What bars put together: (class of the stylesheet, words, reasons).
GROUPS = (
    ("issued", "issued", ("selected",)),
    ("memory", "global or local memory", ("long_scoreboard", "lg_throttle")),
    ("shared", "shared memory and other MIO", ("short_scoreboard", "mio_throttle")),
    ("barrier", "barriers", ("barrier",)),
    ("math", "arithmetic pipes, fixed latencies, branches", ("math_pipe_throttle", "wait", "branch_resolving",
                                                             "dispatch_stall", "imc_miss",
                                                             "no_instruction")),
    ("other", "not selected", ("not_selected",)))


def source_words(stalls: Stalls) -> str:
    """Where the numbers come from."""
    state = "calibrated" if stalls.calibrated else "not calibrated"
    return f"simulated on {stalls.machine}; {state}"


def head_words(stalls: Stalls) -> str:
    """What the parts are of, and how much of the SM's turn was played for them."""
    part = stalls.played / max(1.0, stalls.instructions)
    of = "" if part >= 0.9995 else f", in {percent(part, 0 if part >= 0.01 else 1)} of its instructions"
    return f"warp states, {source_words(stalls)}, % of the clocks of {fixed(stalls.warps, 1)} resident warps an SM{of}"


def ranked(reasons: Mapping[str, float], least: float = _LEAST_SHOWN) -> list[tuple[str, float]]:
    return sorted(((k, v) for k, v in reasons.items() if v >= least), key=lambda kv: (-kv[1], kv[0]))


def reason_words(reasons: Mapping[str, float], most: int = _REASONS) -> str:
    """``long_scoreboard 53 %, barrier 12 %``: ncu's names, the largest first, what is left in one word."""
    found = ranked(reasons)
    said = [f"{name} {percent(part)}" for name, part in found[:most]]
    rest = sum(reasons.values()) - sum(part for _, part in found[:most])
    return ", ".join([*said, f"other {percent(rest)}"] if rest >= _LEAST_SHOWN else said)


@dataclass(frozen=True)
class StallLine:
    """One line in words. ``share`` and ``reasons`` are parts of all clocks of all warps."""

    where: str
    share: str
    reasons: str
    code: str


def stall_lines(stalls: Stalls, main: str, most: int = _LINES) -> tuple[StallLine, ...]:
    """The lines that warps waited at longest. ``main`` is the file whose lines need no name."""
    return tuple(StallLine(_where(x, main), percent(x.share), _few(x.reasons), clean(x.text))
                 for x in stalls.lines[:most] if x.share >= _LEAST)


def _few(reasons: Mapping[str, float]) -> str:
    first = max(reasons.values())
    return ", ".join(f"{name} {percent(part)}" for name, part in ranked(reasons)[:_REASONS_OF_LINE]
                     if part >= 0.1 * first)


def _where(x: LineStalls, main: str) -> str:
    if x.place is None:
        return "no line"
    return f"line {x.place.line}" if x.place.file == main else clean(str(x.place))


@dataclass(frozen=True)
class Piece:
    """A part of a bar, in percent of its width: the class of its group, where it begins, how long it is."""

    group: str
    x: float
    width: float


@dataclass(frozen=True)
class LineBar:
    """Beside a line of the listing: its part of all clocks, its largest reason, and the bar with all of them."""

    share: str
    reason: str
    words: str
    pieces: tuple[Piece, ...]


def pieces(reasons: Mapping[str, float], whole: float) -> tuple[Piece, ...]:
    out, at = [], 0.0
    for group, _, names in GROUPS:
        width = 100 * sum(reasons.get(n, 0.0) for n in names) / whole if whole else 0.0
        if width > 0.05:
            out.append(Piece(group, round(at, 2), round(width, 2)))
        at += width
    return tuple(out)


def bars_by_line(stalls: Stalls | None) -> dict[tuple[str, int], LineBar]:
    """The bars of a listing by (file, line); the longest one has the whole width."""
    if stalls is None or not stalls.lines:
        return {}
    longest = max(x.share for x in stalls.lines)
    out = {}
    for x in stalls.lines:
        if x.place is not None and x.share >= 0.0005:
            first = ranked(x.reasons, 0.0)[0][0]
            out[x.place.file, x.place.line] = LineBar(f"{100 * x.share:.1f} %", first, reason_words(x.reasons),
                                                      pieces(x.reasons, longest))
    return out


def view(stalls: Stalls | None, main: str) -> dict[str, Any] | None:
    """What templates show."""
    if stalls is None:
        return None
    return {"head": head_words(stalls), "source": source_words(stalls),
            "reasons": [(name, percent(part, 1), pieces({name: part}, max(stalls.reasons.values())))
                        for name, part in ranked(stalls.reasons, 0.0005)],
            "words": reason_words(stalls.reasons), "lines": stall_lines(stalls, main), "groups": GROUPS}


def document(stalls: Stalls) -> dict[str, Any]:
    """For JSON: parts of all clocks of warps, 1 is all of them; reasons that are not there have none."""
    def parts(reasons: Mapping[str, float]) -> dict[str, float]:
        return {k: float(f"{v:.6g}") for k, v in reasons.items()}

    return {"source": "simulated", "machine": stalls.machine, "calibrated": stalls.calibrated,
            "resident_warps": round(stalls.warps, 3), "played_instructions": stalls.played,
            "instructions": float(f"{stalls.instructions:.7g}"), "reasons": parts(stalls.reasons),
            "lines": [{"file": x.place.file if x.place is not None else None,
                       "line": x.place.line if x.place is not None else None,
                       "reasons": parts(x.reasons)} for x in stalls.lines]}
