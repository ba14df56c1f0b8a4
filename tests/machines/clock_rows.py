"""Rows of reference/h200_clocks_mhz.csv from what ncu printed of the launches of clocks.cu, one file a run.

    python tests/machines/clock_rows.py FOLDER NCU.csv ... > ROWS.csv

FOLDER: what write_launches.py wrote; the metrics: those that the first line of the kept file has. What L2 is asked for
is not counted but said by the launch: 16 bytes a thread for each load of a round.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

_COLUMNS = ("run", "kernel", "instance", "launch", "us", "mhz", "fma", "alu", "fp64", "l1", "l2", "dram_read",
            "dram_write")
_FAR, _MEMORY, _ROUNDS = 6, 7, 3
"""Template arguments that load from L2 or farther, and the argument that is the number of rounds."""
_SMS, _SCHEDULERS = 132, 528


def launches_of(path: Path) -> list[dict[str, float]]:
    """The metrics of each launch, in their order."""
    lines = path.read_text(errors="replace").splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith('"ID"'))
    found: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(lines[begin:]):
        if row["Metric Name"]:
            found.setdefault(row["ID"], {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return list(found.values())


def main() -> None:
    jobs = json.loads((Path(sys.argv[1]) / "launches.json").read_text())
    write = csv.writer(sys.stdout, lineterminator="\n").writerow
    write(_COLUMNS)
    for run, path in enumerate(sys.argv[2:], 1):
        for job, m in zip(jobs, launches_of(Path(path)), strict=True):
            us, clocks = m["gpu__time_duration.sum"] / 1e3, m["sm__cycles_elapsed.max"]
            units = [m[f"smsp__inst_executed_pipe_{u}.sum"] / _SCHEDULERS / clocks for u in ("fma", "alu", "fp64")]
            loads = [int(x) for x in job["instance"].split(",")]
            rounds = int.from_bytes(bytes.fromhex(job["args"][_ROUNDS]["hex"]), "little")
            asked = (loads[_FAR] + loads[_MEMORY]) * 16 * job["block"][0] * job["grid"][0] * rounds
            tbs = [asked, 32 * m["dram__sectors_read.sum"], 32 * m["dram__sectors_write.sum"]]
            write([run, job["kernel"], job["instance"], job["launch"], f"{us:.1f}",
                   f"{m['sm__cycles_elapsed.avg.per_second'] / 1e6:.0f}",
                   *(f"{u:.3f}" for u in (*units, m["l1tex__data_pipe_lsu_wavefronts.sum"] / _SMS / clocks)),
                   *(f"{b / us / 1e6:.2f}" for b in tbs)])


if __name__ == "__main__":
    main()
