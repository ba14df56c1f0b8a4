"""Makes the compact reference tables from what ``measure_samples.sh`` left in a folder.

    python tests/gpu/summarize.py RESULTS [tests/gpu/reference]

RESULTS has, for each sample, NAME.json (times of all variants, from the generated bench.cu) and NAME.ncu.csv (hardware
counters of each launch, from ncu). Written are PREFIX_times.csv and PREFIX_counters.csv, where PREFIX is the GPU's name
(``h200``). Of the launches of one kernel, grid and variant the last counts: the ones before it warm up.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

TIMES = ("sample", "kernel", "launch", "grid", "block", "variant", "api_blocks_per_sm", "median_ms", "min_ms", "ratio")
# Column of the reference table -> counter of ncu (its sum over the GPU unless the name ends in another reduction).
COUNTERS = {
    "inst_executed": "smsp__inst_executed.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_loads": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_stores": "smsp__sass_inst_executed_op_shared_st.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "ffma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "fadd": "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "fmul": "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "dfma": "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    "registers": "launch__registers_per_thread",
    "shared_config_bytes": "launch__shared_mem_config_size",
    "active_warps_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
# km_math_only_2::(anonymous namespace)::kernel<512>(float *, ...) -> math_only_2, kernel<512>
_KERNEL = re.compile(r"km_(?P<variant>\w+)::(?P<kernel>[\w:]+(?:<.*?>)?)\(")


def _dims(numbers: Iterable[Any]) -> str:
    """``32x32``: trailing ones are dropped, but the first stays."""
    parts = [str(int(n)) for n in numbers]
    while len(parts) > 1 and parts[-1] == "1":
        parts.pop()
    return "x".join(parts)


def _spelled(name: str) -> str:
    return re.sub(r"\((?:unsigned )?\w+\)(?=\d)", "", name).replace(" ", "")


def time_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """One row for each variant of each launch of each sample."""
    for path in sorted(folder.glob("*.json")):
        seen: dict[str, int] = {}
        for kernel in json.loads(path.read_text(encoding="utf-8"))["kernels"]:
            launch = seen[kernel["kernel"]] = seen.get(kernel["kernel"], 0) + 1
            for v in kernel["variants"]:
                yield {
                    "sample": path.stem, "kernel": _spelled(kernel["kernel"]), "launch": launch,
                    "grid": _dims(kernel["grid"]), "block": _dims(kernel["block"]), "variant": v["id"],
                    "api_blocks_per_sm": v["blocks_per_sm"], "median_ms": f"{v['median_ms']:.5f}",
                    "min_ms": f"{v['min_ms']:.5f}", "ratio": f"{v['ratio_to_original']:.4f}",
                }


def _number(text: str) -> str:
    """ncu prints 1,234,567 and 91.19; absent counters stay empty."""
    plain = text.replace(",", "")
    if not plain:
        return ""
    return plain if "." in plain else str(int(plain))


def counter_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """One row for each kernel, grid and variant that ncu saw."""
    for path in sorted(folder.glob("*.ncu.csv")):
        sample = path.name.removesuffix(".ncu.csv")
        ids = {re.sub(r"\W", "_", r["variant"].replace("+", "_and_")): r["variant"]
               for r in time_rows(folder) if r["sample"] == sample}
        # The lines that are not CSV are the program's own output and ncu's messages.
        with path.open(encoding="utf-8", errors="replace") as f:
            table = [row for row in csv.reader(line for line in f if line.startswith('"')) if row]
        if not table:
            continue
        head, last = table[0], {}
        for row in table[2:]:  # the second line has the units
            d = dict(zip(head, row, strict=False))
            match = _KERNEL.search(d["Kernel Name"])
            if match is None or len(row) != len(head):
                continue
            variant = ids.get(re.sub(r"_\d+$", "", match["variant"]))
            if variant is None:
                continue
            grid = _dims(re.findall(r"\d+", d["Grid Size"]))
            kernel = _spelled(match["kernel"].removeprefix("km_c_linkage::"))
            last[kernel, grid, variant] = {"sample": sample, "kernel": kernel, "grid": grid, "variant": variant,
                                           **{c: _number(d.get(m, "")) for c, m in COUNTERS.items()}}
        yield from last.values()


def missing(times: Sequence[dict[str, Any]], counters: Sequence[dict[str, Any]]) -> list[str]:
    """What was timed but not counted, as ``kernel grid: variants``."""
    have = {(r["kernel"], r["grid"], r["variant"]) for r in counters}
    lacking: dict[str, list[str]] = {}
    for r in times:
        if (r["kernel"], r["grid"], r["variant"]) not in have:
            names = lacking.setdefault(f"{r['kernel']} {r['grid']}", [])
            if r["variant"] not in names:
                names.append(r["variant"])
    return [f"{where}: {', '.join(names)}" for where, names in lacking.items()]


def write(path: Path, comment: Sequence[str], columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as f:
        f.writelines(f"# {line}\n" for line in comment)
        out = csv.DictWriter(f, columns, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """(comment lines, rows) of a reference table."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    return comment, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def summarize(results: Path, reference: Path) -> list[Path]:
    """Writes the reference tables of a result folder; returns their paths."""
    date, gpu, *compiler = (results / "machine.txt").read_text(encoding="utf-8").split("\n")
    name, driver, clock, memory_clock = (part.strip() for part in gpu.split(","))
    release = next((m[0] for line in compiler if (m := re.search(r"release [\d.]+, V[\d.]+", line))), "unknown")
    rounds = {json.loads(p.read_text(encoding="utf-8"))["rounds"] for p in results.glob("*.json")}
    machine = [f"{name}, driver {driver}, SM clock {clock}, memory clock {memory_clock} (not set); "
               f"nvcc {release}; {date}",
               "made by: tests/gpu/measure_samples.sh FOLDER RESULTS; python tests/gpu/summarize.py RESULTS"]
    times, counters = list(time_rows(results)), list(counter_rows(results))
    prefix = re.sub(r"\W+", "", name.replace("NVIDIA", "")).lower()
    reference.mkdir(parents=True, exist_ok=True)
    written = [reference / f"{prefix}_times.csv", reference / f"{prefix}_counters.csv"]
    write(written[0], [*machine, f"median and minimum of {', '.join(map(str, sorted(rounds)))} interleaved launches in "
                       "milliseconds, by events; ratio: median over the original's median; launch counts the launch "
                       "declarations of a kernel",
                       "api_blocks_per_sm: what cudaOccupancyMaxActiveBlocksPerMultiprocessor says"], TIMES, times)
    lacking = missing(times, counters)
    about = ["ncu --clock-control none, last launch of each kernel, grid and variant (where two declarations have one "
             "grid: of the second); sectors of 32 bytes",
             "inst_executed, shared_loads and shared_stores are warp instructions, ffma to dfma thread instructions; "
             "shared_config_bytes: the SM's shared memory under ncu",
             "not counted, as the time limit of the profiler cut the run off: " + ("; ".join(lacking) or "nothing")]
    write(written[1], [*machine, *about], ("sample", "kernel", "grid", "variant", *COUNTERS), counters)
    return written


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print("usage: summarize.py RESULTS [REFERENCE]", file=sys.stderr)
        return 2
    reference = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).resolve().parent / "reference"
    for path in summarize(Path(sys.argv[1]), reference):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
