"""What was measured or counted of launches, as tests/machines/reference has it: one row each."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

REFERENCE = Path(__file__).parent / "machines" / "reference"


def launch_rows(name: str) -> Iterator[tuple[str, str, int, dict[str, str]]]:
    """Kernel, template arguments, number of the launch, and the whole row. ``OSError`` where there is no file."""
    lines = (REFERENCE / f"{name}.csv").read_text().splitlines()
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        yield row["kernel"], row.get("instance", ""), int(row["launch"]), row
