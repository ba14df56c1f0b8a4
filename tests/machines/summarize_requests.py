"""Makes the reference table of requests from what ncu said of ``probe patterns``.

    python tests/machines/summarize_requests.py PATTERNS NCU.csv [PATTERNS NCU.csv ...] > REFERENCE

One row for each line of PATTERNS, in its order; a kernel of ``probe.cu`` sends a request up to 16 times. Of an
operation that is in several runs, the last run counts. ``request_patterns.py`` makes the addresses again.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

COLUMNS = {
    "shared": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "shared_ld": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_st": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_atom": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "lsu": "l1tex__data_pipe_lsu_wavefronts.sum",
    "ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "st_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "red_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "atom_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "instructions": "smsp__inst_executed.sum",
}


def rows(patterns: Path, counted: Path) -> dict[str, list[list[str]]]:
    """Operation → its rows."""
    # The lines that are not CSV are ncu's messages.
    table = list(csv.reader(line for line in counted.read_text(errors="replace").splitlines() if line.startswith('"')))
    head, launches = table[0], table[2:]  # the second line has the units
    lines = [line.split() for line in patterns.read_text().splitlines()]
    if len(lines) != len(launches):
        raise SystemExit(f"{counted} has {len(launches)} launches, {patterns} {len(lines)} requests")
    out: dict[str, list[list[str]]] = {}
    for (op, width, mask, *_), launch in zip(lines, launches, strict=True):
        counts = dict(zip(head, launch, strict=True))
        out.setdefault(op, []).append([op, width, mask, *(str(int(float(counts[name].replace(",", ""))))
                                                          for name in COLUMNS.values())])
    return out


def main() -> None:
    names = [Path(a) for a in sys.argv[1:]]
    found: dict[str, list[list[str]]] = {}
    for patterns, counted in zip(names[::2], names[1::2], strict=True):
        found.update(rows(patterns, counted))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["op", "width", "mask", *COLUMNS])
    for group in found.values():
        writer.writerows(group)


if __name__ == "__main__":
    main()
