"""Why warps waited, in the terminal, Markdown, HTML and JSON: marked as simulated, with ncu's names, by line."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from analysis_cases import DATE, EVIL, FILE
from stall_cases import stalled_analysis, stalls
from syrupy.assertion import SnapshotAssertion
from test_analysis_json import checked
from test_analysis_markdown import tags

from mutate.report import stalls as s
from mutate.report.analysis import print_analysis
from mutate.report.analysis_document import analysis_document
from mutate.report.html import render_html
from mutate.report.markdown import render_markdown
from mutate.sim.places import Place
from mutate.sim.timing.settings import STALLS
from mutate.simulated import LineStalls


def test_the_terminal_has_reasons_and_lines(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    print_analysis(stalled_analysis())
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    part = text[text.index("warp states") : text.index("T ms by")]
    assert "\n".join(x.rstrip() for x in part.splitlines()) == snapshot


def test_markdown_folds_them_under_their_sum(snapshot: SnapshotAssertion) -> None:
    text = render_markdown(stalled_analysis(), DATE)
    start = text.index("<details><summary>Warp states")
    assert text[start : text.index("</details>", start)] == snapshot


def test_html_has_a_bar_for_each_line_and_says_where_it_comes_from() -> None:
    text = render_html(stalled_analysis(), DATE)
    assert "Warp states, simulated on NVIDIA H200 SXM (141 GB); calibrated, % of the clocks of 61.8" in text
    rows = re.findall(r'<tr[^>]*><td>(\d+)</td>.*?</tr>', text[text.index("Source by line"):], re.S)
    assert "18" in rows
    bars = re.findall(r'<title>([^<]*)</title>((?:<rect[^>]*/>)*)</svg>', text[text.index("Source by line"):])
    assert ("long_scoreboard 31 %, lg_throttle 2 %, selected 1 %") in [words for words, _ in bars]
    assert len(bars) == len([x for x in stalls().lines if x.place is not None])
    longest = max((sum(map(float, re.findall(r'width="([\d.]+)%"', shapes))) for _, shapes in bars))
    assert longest == pytest.approx(100, abs=0.1)


def test_json_has_every_line_and_fits_its_schema() -> None:
    document = checked(analysis_document(stalled_analysis(), DATE))
    found = document["kernels"][0]["launches"][0]["stalls"]
    assert found["source"] == "simulated"
    assert sum(sum(x["reasons"].values()) for x in found["lines"]) == pytest.approx(sum(found["reasons"].values()))
    assert {"file": FILE, "line": 23, "reasons": {"barrier": 0.24, "wait": 0.01}} in found["lines"]


def test_every_reason_of_the_model_has_its_colour() -> None:
    assert sorted(n for _, _, names in s.GROUPS for n in names) == sorted(STALLS)


def test_a_part_of_the_turn_and_a_machine_that_is_not_calibrated_are_said() -> None:
    words = s.head_words(stalls(calibrated=False, played=20_480))
    assert "not calibrated" in words and "in 4 % of its instructions" in words
    assert "instructions" not in s.head_words(stalls())


def test_small_reasons_are_put_together() -> None:
    assert s.reason_words({"wait": 0.6, "barrier": 0.3, "selected": 0.1}, 2) == "wait 60 %, barrier 30 %, other 10 %"
    assert s.reason_words({"wait": 0.999, "barrier": 0.001}) == "wait 100 %"


def test_nothing_of_a_line_becomes_markup(capsys: pytest.CaptureFixture[str]) -> None:
    base = stalled_analysis()
    (kernel,) = base.kernels
    (launch,) = kernel.launches
    bad = replace(stalls(), machine=EVIL, lines=(LineStalls(Place(EVIL, 1), EVIL, {"wait": 0.9}),))
    hostile = replace(base, kernels=(replace(kernel, launches=(replace(launch, stalls=bad),)),))
    assert "<img" not in render_html(hostile, DATE)
    assert tags(render_markdown(hostile, DATE)) == {"details", "summary"}
    print_analysis(hostile)
    assert "\x1b[31m" not in capsys.readouterr().out
