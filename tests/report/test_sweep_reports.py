"""Sweeps in all reports."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from analysis_cases import DATE
from sweep_cases import cache_measured, no_l1, occupancy_simulated, registers_untimed, swept_analysis
from syrupy.assertion import SnapshotAssertion

from mutate.report.analysis import print_analysis
from mutate.report.analysis_document import analysis_document
from mutate.report.html import render_html
from mutate.report.markdown import render_markdown
from mutate.report.sweep_charts import panels
from mutate.report.sweeps import table

SCHEMA = json.loads((Path(__file__).parents[2] / "mutate" / "report" / "schemas" / "analysis-1.json").read_text())


def _printed(capsys: pytest.CaptureFixture[str]) -> str:
    print_analysis(swept_analysis())
    text = capsys.readouterr().out
    part = text[text.index("cache sweep") : text.index("scale<2>")]
    return "\n".join(line.rstrip() for line in part.splitlines())


def test_sweeps_on_the_terminal_are_as_they_were(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
                                                 ) -> None:
    text = _printed(capsys)
    assert max(map(len, text.splitlines())) <= 80
    assert text == snapshot


def test_sweeps_in_markdown_are_as_they_were(snapshot: SnapshotAssertion) -> None:
    text = render_markdown(swept_analysis(), DATE)
    part = text[text.index("**Caches:**") : text.index("<details>")]
    assert "no \\| latency" in part, "a machine's words end no cell"
    for block in re.findall(r"(?:^\|.*\n)+", part, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block
    assert part == snapshot


def test_the_document_has_all_settings_and_keeps_to_its_schema() -> None:
    document = analysis_document(swept_analysis(), DATE)
    json.dumps(document, allow_nan=False)
    jsonschema.validate(document, SCHEMA)
    cache, occupancy, registers, none = document["kernels"][0]["launches"][0]["sweeps"]
    assert cache["best"] == "cg, 224 KB L1" and cache["time_source"] == "measured"
    assert [s["name"] for s in cache["settings"] if s["current"]] == ["ca, 224 KB L1"]
    failed = cache["settings"][3]["runs"][0]
    assert failed["time_ms"] is None and failed["why"] == "it took too long"
    assert occupancy["time_source"] == "simulated" and len(occupancy["settings"]) == 8
    assert registers["time_source"] is None and "latency.l2" in registers["untimed"]
    assert registers["settings"][1]["runs"][0]["traffic"]["local_of_l2"] == pytest.approx(0.375)
    assert none["settings"] == [] and none["untimed"] == "GTX 280 has no L1"


class _Ids(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.used: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.used += (found.get("aria-labelledby") or "").split()


def test_the_page_draws_each_sweep_and_says_how_settings_are_set() -> None:
    text = render_html(swept_analysis(), DATE)
    page = _Ids()
    page.feed(text)
    assert len(set(page.ids)) == len(page.ids) and set(page.used) <= set(page.ids)
    for words in ("Caches: other settings", "Occupancy: other settings", "Registers: other settings",
                  "nvcc -Xptxas -dlcm=cg", "simulated on NVIDIA H100", "measured on NVIDIA H200", "GTX 280 has no L1"):
        assert words.lower() in text.lower()
    assert len([i for i in page.ids if re.search(r"-occupancy-\d-t$", i)]) == 3, "three kernels, three charts"


def test_charts_have_common_scales() -> None:
    original, memory, math = (p.curve for p in panels(occupancy_simulated()))
    assert [m.x for m in original.points] == [m.x for m in memory.points] == [m.x for m in math.points]
    assert original.points[-1].y < memory.points[-1].y < math.points[-1].y, "less time is lower"
    assert original.points[-1].kind == "current" and len([m for m in original.points if m.text]) < 5
    ca = next(p for p in panels(cache_measured()) if "original" in p.title and "ca" in p.title)
    assert ca.x_unit == "KB of L1" and ca.y_unit == "ms" and len(ca.curve.whiskers) == 2


def test_where_nothing_is_timed_the_counters_are_drawn() -> None:
    (panel,) = panels(registers_untimed())
    assert panel.y_unit == "million sectors in L2" and "cap 32: 80" in panel.curve.words
    assert panels(no_l1()) == ()


def test_a_table_marks_what_is_and_what_is_best() -> None:
    found = table(cache_measured())
    assert found.rows[found.best or 0][0] == "cg, 224 KB L1" and found.rows[found.current or 0][0] == "ca, 224 KB L1"
    assert len({len(r) for r in found.rows} | {len(found.titles), len(found.words)}) == 1
    assert table(registers_untimed()).best is None
