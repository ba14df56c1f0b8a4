"""Why warps wait, by the model of time, beside ncu's view of the same kernels on an H200.

    sh tests/gpu/measure_stalls.sh OUT      on the GPU: ncu on the originals of all samples
    python tests/gpu/stalls.py keep OUT     anywhere: OUT → h200_stalls.csv and h200_stalls_by_instruction.csv
    python tests/gpu/stalls.py --write      the model beside them → h200_stalls.json, which docs/stalls.md is made of

Nothing here sets a constant of the model.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).with_name("reference")
COUNTED = REFERENCE / "h200_stalls.csv"
SAMPLED = REFERENCE / "h200_stalls_by_instruction.csv"
KEPT = REFERENCE / "h200_stalls.json"
REASONS = ("selected", "wait", "long_scoreboard", "short_scoreboard", "barrier", "math_pipe_throttle", "mio_throttle",
           "lg_throttle", "not_selected", "branch_resolving", "dispatch_stall", "no_instruction", "imc_miss", "drain",
           "membar", "tex_throttle", "sleeping", "misc", "gmma")
_COUNTER = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active(?:\.ratio)?$")
_SAMPLES = re.compile(r"smsp__pcsamp_warps_issue_stalled_(\w+?)(?:\.sum)?$")
_ALL = ("# Samples", "Samples", "Warp Stall Sampling (All Samples)")
# Instructions with less than this part of a launch's samples are not kept.
_LEAST = 0.002
Row = dict[str, str]
Key = tuple[str, tuple[int, ...], tuple[int, ...]]


def metrics() -> str:
    """ncu's counters of warp states, one for each reason."""
    return ",".join(f"smsp__average_warps_issue_stalled_{r}_per_issue_active.ratio" for r in REASONS if r != "gmma")


# --- what ncu wrote ---


def _reason(name: str) -> str:
    return {"no_instructions": "no_instruction", "dispatch": "dispatch_stall"}.get(name, name)


def _number(text: str) -> float:
    return float(text.replace(",", "")) if text.strip() else 0.0


def _lines(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", errors="replace", newline="") as file:
        yield from csv.reader(line for line in file if not line.startswith("=="))


def read_raw(path: Path) -> list[Row]:
    """One row for each profiled launch, in their order. The row of units that ncu puts first is no launch."""
    rows = [r for r in _lines(path) if len(r) > 3]
    head = rows[0]
    return [dict(zip(head, r, strict=False)) for r in rows[1:] if r[head.index("ID")].strip().isdigit()]


def read_source(path: Path) -> list[list[Row]]:
    """The instructions of each profiled launch, in their order: a table with a head of its own for each."""
    tables: list[list[Row]] = []
    head: list[str] = []
    for row in _lines(path):
        if "Source" in row and len(row) > 3:
            head = row
            tables.append([])
        elif head and len(row) == len(head):
            tables[-1].append(dict(zip(head, row, strict=True)))
    return tables


def counted(row: Row) -> dict[str, float]:
    """Warps in each state for each instruction issued."""
    return {_reason(m[1]): _number(v) for k, v in row.items() if (m := _COUNTER.match(k))}


def sampled(row: Row) -> dict[str, float]:
    """Samples of warps in each state."""
    return {_reason(m[1]): _number(v) for k, v in row.items()
            if (m := _SAMPLES.match(k)) and not k.endswith("_not_issued")}


def _key(row: Row) -> Key:
    from analyze_samples import _CAST, _dims

    name = _CAST.sub("", row["Kernel Name"]).partition("(")[0].removeprefix("void ").replace(" ", "")
    return name, _dims(row["Grid Size"]), _dims(row["Block Size"])


def _by_instruction(table: list[Row]) -> dict[int, dict[str, int]]:
    """Number of the instruction → samples by reason (columns ``stall_...``), for those that have any."""
    out = {}
    for number, row in enumerate(table):
        found = {k.removeprefix("stall_"): int(_number(v)) for k, v in row.items()
                 if k.startswith("stall_") and not k.endswith(("not_issued", "(Not Issued)")) and _number(v)}
        if not found:
            whole = next((_number(v) for k, v in row.items() if k in _ALL), 0.0)
            found = {"all": int(whole)} if whole else {}
        if found:
            out[number] = found
    return out


def keep(out: Path) -> None:
    """Writes the reference files. Each declared launch was made equally often; the last time counts."""
    raw = read_raw(out / "stalls_raw.csv.gz")
    tables = read_source(out / "stalls_source.csv.gz")
    if len(tables) != len(raw):
        print(f"{len(raw)} launches but {len(tables)} listings: instructions are not kept", file=sys.stderr)
        tables = []
    seen: dict[Key, list[int]] = {}
    for number, row in enumerate(raw):
        seen.setdefault(_key(row), []).append(number)
    launches = json.loads((REFERENCE / "h200_analysis.json").read_text())["launches"]
    head = ["sample", "kernel", "launch", "time_ns", "warps_percent", "kind", *REASONS]
    rows: list[list[Any]] = []
    places: list[list[Any]] = []
    numbers: dict[tuple[str, str], int] = {}
    for la in launches:
        key: Key = (la["kernel"].replace(" ", ""), tuple(la["grid"]), tuple(la["block"]))
        same = [x for x in launches if (x["kernel"], x["grid"], x["block"]) == (la["kernel"], la["grid"], la["block"])]
        mine = seen.get(key, [])
        if not mine:
            sys.exit(f"no profile of {la['kernel']}; ncu has {sorted(k[0] for k in seen)}")
        number = numbers[la["sample"], la["kernel"]] = numbers.get((la["sample"], la["kernel"]), -1) + 1
        each, place = len(mine) // len(same), next(n for n, x in enumerate(same) if x is la)
        index = mine[each * (place + 1) - 1]
        row = raw[index]
        first = [la["sample"], la["kernel"], number, _number(row["gpu__time_duration.sum"]),
                 _number(row["sm__warps_active.avg.pct_of_peak_sustained_active"])]
        for kind, found in (("counters", counted(row)), ("samples", sampled(row))):
            unknown = set(found) - set(REASONS)
            if unknown:
                sys.exit(f"{la['kernel']}: reasons without a column: {', '.join(sorted(unknown))}")
            if found:
                rows.append([*first, kind, *(f"{found.get(r, 0.0):.6g}" for r in REASONS)])
        if tables:
            by = _by_instruction(tables[index])
            whole = sum(sum(v.values()) for v in by.values())
            places += [[la["sample"], la["kernel"], number, n, k, v] for n, found in by.items()
                       for k, v in found.items() if v >= _LEAST * whole]
    _write(COUNTED, head, rows)
    if places:
        _write(SAMPLED, ["sample", "kernel", "launch", "instruction", "reason", "samples"], places)
    print(f"{len(rows)} rows, {len(places)} instructions")


def _write(path: Path, head: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(head)
        out.writerows(rows)


def main() -> None:
    what = sys.argv[1:2]
    if what == ["metrics"]:
        print(metrics())
    elif what == ["keep"] and len(sys.argv) == 3:
        keep(Path(sys.argv[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
