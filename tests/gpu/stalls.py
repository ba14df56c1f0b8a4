"""Why warps wait, by the model of time, beside ncu's view of the same kernels on an H200.

    sh tests/gpu/measure_stalls.sh OUT      on the GPU: ncu on the originals of all samples
    python tests/gpu/stalls.py keep OUT     anywhere: OUT → h200_stalls.csv and h200_stalls_by_instruction.csv
    python tests/gpu/stalls.py SAMPLE ...   the model on some samples, printed
    python tests/gpu/stalls.py --write      the model beside them → h200_stalls.json, which docs/stalls.md is made of

Nothing here sets a constant of the model.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).with_name("reference")
COUNTED = REFERENCE / "h200_stalls.csv"
SAMPLED = REFERENCE / "h200_stalls_by_instruction.csv"
KEPT = REFERENCE / "h200_stalls.json"
REASONS = ("selected", "wait", "long_scoreboard", "short_scoreboard", "barrier", "math_pipe_throttle", "mio_throttle",
           "lg_throttle", "not_selected", "branch_resolving", "dispatch_stall", "no_instruction", "imc_miss", "drain",
           "membar", "tex_throttle", "sleeping", "misc", "gmma", "warpgroup_arrive")
_COUNTER = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active(?:\.ratio)?$")
_SAMPLES = re.compile(r"smsp__pcsamp_warps_issue_stalled_(\w+?)(?:\.sum)?$")
_ALL = ("group:smsp__pcsamp_warp_stall_reasons", "# Samples", "Samples", "Warp Stall Sampling (All Samples)")
# Instructions with less than this part of a launch's samples are not kept.
_LEAST = 0.002
Row = dict[str, str]
Key = tuple[str, tuple[int, ...], tuple[int, ...]]


def metrics() -> str:
    """ncu's counters of warp states, one for each reason."""
    return ",".join(f"smsp__average_warps_issue_stalled_{r}_per_issue_active.ratio" for r in REASONS[:-2])


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
        if "Source" in row and "Address" in row:
            head = row
            tables.append([])
        elif head and len(row) == len(head) and row[0] != "Kernel Name":
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


def code_of(opcodes: Iterable[str]) -> str:
    """A digest of a listing: what ncu profiled may come from another compiler than the one here."""
    found = list(opcodes)
    while found and found[-1] == "NOP":
        found.pop()
    return hashlib.sha256(" ".join(found).encode()).hexdigest()[:12]


def _opcodes(table: list[Row]) -> list[str]:
    return [next((w for w in row["Source"].split() if not w.startswith("@")), "").rstrip(",;") for row in table]


def _by_instruction(table: list[Row]) -> dict[int, dict[str, int]]:
    """Number of the instruction → samples by reason (columns ``stall_...``), for those that have any."""
    out = {}
    for number, row in enumerate(table):
        found = {k.removeprefix("stall_"): int(_number(v)) for k, v in row.items()
                 if k.startswith("stall_") and not k.endswith(("not_issued", "(Not Issued)")) and _number(v)}
        if not found:
            whole = max((_number(v) for k, v in row.items() if k in _ALL), default=0.0)
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
    launches = _launches()
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
            code = code_of(_opcodes(tables[index]))
            places += [[la["sample"], la["kernel"], number, code, n, k, v] for n, found in by.items()
                       for k, v in found.items() if v >= _LEAST * whole]
    _write(COUNTED, head, rows)
    if places:
        _write(SAMPLED, ["sample", "kernel", "launch", "code", "instruction", "reason", "samples"], places)
    print(f"{len(rows)} rows, {len(places)} instructions")


def _write(path: Path, head: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(head)
        out.writerows(rows)


# --- beside the model ---


def measured() -> dict[tuple[str, str, int], dict[str, dict[str, float]]]:
    """Parts of all clocks of warps by reason: by (sample, kernel, launch), by kind."""
    out: dict[tuple[str, str, int], dict[str, dict[str, float]]] = {}
    with COUNTED.open(newline="") as file:
        for row in csv.DictReader(file):
            found = {r: float(row[r]) for r in REASONS}
            whole = sum(found.values()) or 1.0
            out.setdefault((row["sample"], row["kernel"], int(row["launch"])), {})[row["kind"]] = {
                r: v / whole for r, v in found.items()} | {"warps": float(row["warps_percent"])}
    return out


def at_instructions() -> dict[tuple[str, str, int, str], dict[int, float]]:
    """Parts of the samples by number of the instruction, by the code that was profiled."""
    out: dict[tuple[str, str, int, str], dict[int, float]] = {}
    if not SAMPLED.exists():
        return out
    with SAMPLED.open(newline="") as file:
        for row in csv.DictReader(file):
            mine = out.setdefault((row["sample"], row["kernel"], int(row["launch"]), row["code"]), {})
            number = int(row["instruction"])
            mine[number] = mine.get(number, 0.0) + float(row["samples"])
    return {k: {n: v / sum(mine.values()) for n, v in mine.items()} for k, mine in out.items()}


def common(a: Mapping[Any, float], b: Mapping[Any, float]) -> float:
    """What two distributions have in common: 1 where they are the same, 0 where nothing is."""
    return sum(min(v, b.get(k, 0.0)) for k, v in a.items())


def simulate(samples: list[str]) -> list[dict[str, Any]]:
    """One row for each launch of an original: the model's parts and, where it was profiled, ncu's."""
    from mutate.machines import load_machine
    from mutate.pipeline.binaries import compile_originals
    from mutate.resources import samples_dir
    from mutate.results import Request
    from mutate.sim.image import read_image
    from mutate.sim.timing.model import Kernel, predict
    from mutate.sim.timing.settings import STALLS

    machine = load_machine("h200")
    gpu, places = measured() if COUNTED.exists() else {}, at_instructions()
    rows = []
    for sample in samples or sorted({la["sample"] for la in _launches()}):
        for k in compile_originals(Request(path=samples_dir() / f"{sample}.cu", arch="sm_90")):
            for number, launch in enumerate(k.target.launches):
                binary = k.original
                found = predict(Kernel(read_image(binary.cubin, binary.entry), binary.listing), launch, machine)
                key = (sample, k.target.name, number)
                clocks = found.by_instruction.sum(axis=1)
                mine = {n: float(c) / float(clocks.sum()) for n, c in enumerate(clocks) if c}
                seen = gpu.get(key, {})
                row: dict[str, Any] = {
                    "sample": sample, "kernel": k.target.name, "launch": number,
                    "simulated": {r: round(v, 4) for r, v in found.stalls.items() if v >= 0.00005},
                    "warps": round(found.warps / machine.number("sm.warps_per_sm"), 4)}
                assert set(found.stalls) == set(STALLS)
                for kind, parts in seen.items():
                    row["gpu_warps"] = parts["warps"] / 100
                    parts = {r: v for r, v in parts.items() if r != "warps"}
                    row[kind] = {r: round(v, 4) for r, v in parts.items() if v >= 0.00005}
                    row[f"common_{kind}"] = round(common(found.stalls, parts), 4)
                exact = places.get((*key, code_of(i.opcode for i in binary.listing)))
                if exact is not None:
                    row["common_instructions"] = round(common(mine, exact), 4)
                rows.append(row)
                print(_line(row), flush=True)
    return rows


def _top(parts: Mapping[str, float], most: int = 3) -> str:
    return " ".join(f"{k}:{v:.2f}" for k, v in sorted(parts.items(), key=lambda kv: -kv[1])[:most])


def _line(row: dict[str, Any]) -> str:
    said = " ".join(f"{k[7:]} {row[k]:.2f}" for k in row if k.startswith("common_"))
    return f"{row['kernel'][:24]:24s} {said}  sim {_top(row['simulated'])}  gpu {_top(row.get('counters', {}))}"


def _launches() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((REFERENCE / "h200_analysis.json").read_text())["launches"]
    return found


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians of what the distributions have in common, and how often the largest reason is the same."""
    out: dict[str, Any] = {"launches": len(rows)}
    for kind in ("counters", "samples", "instructions"):
        found = sorted(r[f"common_{kind}"] for r in rows if f"common_{kind}" in r)
        if found:
            out[kind] = {"launches": len(found), "median": found[len(found) // 2], "least": found[0],
                         "mean": round(sum(found) / len(found), 4)}
    both = [r for r in rows if "counters" in r]
    if both:
        out["largest"] = {"same": sum(_largest(r["simulated"]) == _largest(r["counters"]) for r in both),
                          "launches": len(both)}
        out["reasons"] = {
            name: {"simulated": round(sum(r["simulated"].get(name, 0.0) for r in both) / len(both), 4),
                   "measured": round(sum(r["counters"].get(name, 0.0) for r in both) / len(both), 4)}
            for name in REASONS if any(name in r["simulated"] or name in r["counters"] for r in both)}
    return out


def _largest(parts: Mapping[str, float]) -> str:
    """The reason that most clocks go to, other than issuing."""
    return max((k for k in parts if k != "selected"), key=lambda k: parts[k])


def write(rows: list[dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(r) for r in rows)
    KEPT.write_text(f'{{"machine": "h200", "summary": {json.dumps(summary(rows))},\n"rows": [\n{lines}\n]}}\n')


def main() -> None:
    what = sys.argv[1:2]
    if what == ["metrics"]:
        print(metrics())
    elif what == ["keep"] and len(sys.argv) == 3:
        keep(Path(sys.argv[2]))
    elif what == ["--write"] or (what and (REFERENCE.parents[2] / "samples" / f"{what[0]}.cu").exists()):
        rows = simulate([] if what == ["--write"] else sys.argv[1:])
        print(json.dumps(summary(rows), indent=1))
        if what == ["--write"]:
            write(rows)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
