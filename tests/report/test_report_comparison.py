"""Machines side by side: what one of them lacks is said in its column, and nothing is called measured."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from analysis_cases import DATE
from comparison_cases import comparison, hostile_comparison
from syrupy.assertion import SnapshotAssertion
from test_analysis_json import checked
from test_analysis_markdown import tags, tokens

import mutate.report
from mutate.report.comparison import print_comparison, render_comparison_html, render_comparison_markdown, tables
from mutate.report.comparison_document import comparison_document

SCHEMA = json.loads((Path(mutate.report.__file__).parent / "schemas" / "comparison-1.json").read_text())


def test_the_terminal_has_a_column_for_each_machine(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
                                                    ) -> None:
    print_comparison(comparison())
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "\n".join(x.rstrip() for x in text.splitlines()) == snapshot


def test_markdown_is_one_table_a_launch(snapshot: SnapshotAssertion) -> None:
    text = render_comparison_markdown(comparison(), DATE)
    assert text == snapshot
    seen = [t.type for t in tokens(text)]
    assert seen.count("table_open") == 1 and seen.count("th_open") == 4
    assert seen.count("td_open") == 4 * (seen.count("tr_open") - 1)


def test_html_says_that_it_is_simulated_and_why_a_column_is_empty() -> None:
    text = render_comparison_html(comparison(), DATE)
    assert "all of it simulated" in text and "measured" not in re.sub(r"<style>.*?</style>", "", text, flags=re.S)
    assert "the machine a100 has no latency.dram" in text and "needs sm_80 or above" in text
    assert "sm_80, not calibrated" in text and "sm_90, calibrated" in text


def _document(made: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(made, allow_nan=False))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    return document


def test_json_has_the_table_and_every_analysis() -> None:
    document = _document(comparison_document(comparison(), DATE))
    first, second, third = document["machines"]
    assert third["analysis"] is None and third["error"]["slug"] == "kernel-does-not-compile"
    for c in (first, second):
        checked(c["analysis"])
    (launch,) = document["launches"]
    rows = {r["name"]: r["by_machine"] for r in launch["rows"]}
    assert rows["memory-only"]["h200"].startswith("1.66x [")
    assert rows["memory-only"]["a100"] == rows["memory-only"]["t4"] == "–"
    assert rows["busiest"]["h200"] == "dram 93 %"
    assert rows["registers"]["a100"] == "40 (24 B spilled)"
    assert set(launch["notes"]) == {"a100", "t4"}


def test_a_kernel_that_one_machine_lacks_has_its_column_all_the_same() -> None:
    (table,) = tables(comparison())
    assert all(len(line.cells) == 3 for line in table.lines)
    limiter = next(line for line in table.lines if line.name == "limiter")
    assert [c.text for c in limiter.cells] == ["latency-bound", "unknown", "–"]


def test_hostile_texts_are_texts(capsys: pytest.CaptureFixture[str]) -> None:
    made = hostile_comparison()
    assert "<img" not in render_comparison_html(made, DATE)
    assert tags(render_comparison_markdown(made, DATE)) == set()
    _document(comparison_document(made, DATE))
    print_comparison(made)
    assert "\x1b[31m" not in capsys.readouterr().out
