"""The JSON document ``kmutate.comparison/1`` of ``kmutate analyze --machine a,b,c --json``."""

from __future__ import annotations

from typing import Any

from mutate import __version__
from mutate.analyzed import Comparison
from mutate.report import figures
from mutate.report.analysis_document import _cleaned, _machine, analysis_document
from mutate.report.comparison import tables
from mutate.report.document import error_document

SCHEMA = "kmutate.comparison/1"


def comparison_document(comparison: Comparison, date: str | None = None) -> dict[str, Any]:
    """Each machine with its whole analysis (``kmutate.analysis/1``), and the table in words. ``date`` as ISO 8601."""
    date = date or figures.now()
    names = [c.machine.name for c in comparison.machines]
    document: dict[str, Any] = _cleaned({
        "schema": SCHEMA, "kmutate": __version__, "file": str(comparison.request.source.path), "date": date,
        "source": "simulated",
        "machines": [{"machine": _machine(c.machine), "arch": c.arch,
                      "analysis": analysis_document(c.analysis, date) if c.analysis is not None else None,
                      "error": error_document(c.error) if c.error is not None else None}
                     for c in comparison.machines],
        "launches": [{"kernel": t.kernel, "grid": list(t.grid), "block": list(t.block),
                      "rows": [{"name": line.name, "kind": line.kind or "fact",
                                "by_machine": {n: figures.joined([c.text, c.ends], " ")
                                               for n, c in zip(names, line.cells, strict=True)}} for line in t.lines],
                      "notes": dict(t.notes)} for t in tables(comparison)],
        "warnings": list(comparison.warnings), "interrupted": comparison.interrupted})
    return document
