"""The sample that simulated times rest on is said in every report, and what it leaves open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from analysis_cases import DATE
from comparison_cases import comparison
from test_analysis_json import checked

from mutate.analyzed import Analysis
from mutate.report.analysis import print_analysis
from mutate.report.analysis_document import analysis_document
from mutate.report.html import render_html
from mutate.report.markdown import render_markdown
from mutate.report.played import doubt_words, sample_words
from mutate.simulated import Played

PART = Played(9, 65536, 497, 1, 132, 1_000_000, 50_000_000.0, "dram", 0.93, 0.01, 0.02,
              tuple(range(66, 66 + 9 * 132, 132)))
WHOLE = Played(1024, 1024, 8, 132, 132, 5_120_000, 5_120_000.0, "dram", 0.93, 0.0, 0.0)


def _analysis(played: Played | None) -> Analysis:
    analysis = comparison().machines[0].analysis
    assert analysis is not None
    (kernel,) = analysis.kernels
    return replace(analysis, kernels=(replace(kernel, launches=(replace(kernel.launches[0], played=played),)),))


def test_every_report_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    made = _analysis(PART)
    print_analysis(made)
    printed = " ".join(capsys.readouterr().out.split())
    assert "±, [ ]: 95 % intervals, from the errors that simulated times were found to have" in printed
    assert "by bootstrap" not in render_html(made, DATE), "nothing was measured"
    said = "9 of 65,536 blocks executed (66 to 1,122, every 132), 1 of 132 SMs timed for 2 % of their " \
        "instructions, the rest at the rate of the second half"
    assert said in printed
    assert said in render_html(made, DATE) and said in render_markdown(made, DATE)
    assert "±4.4 %" in render_html(made, DATE)
    found = checked(analysis_document(made, DATE))["kernels"][0]["launches"][0]["sample"]
    assert found["recorded_blocks"] == 9 and not found["complete"]
    assert found["standard_error"] == {"blocks": 0.01, "rest": 0.02}
    assert "sample" not in checked(analysis_document(_analysis(None), DATE))["kernels"][0]["launches"][0]


def test_a_single_block_is_named() -> None:
    assert "1 of 1,024 blocks executed (number 66)" in sample_words(replace(WHOLE, blocks=1, which=(66,)))


def test_everything_is_called_everything() -> None:
    assert sample_words(WHOLE) == "sample: all 1,024 blocks executed, all 132 SMs timed to the end"
    assert "adds nothing" in doubt_words(WHOLE)
    assert WHOLE.whole and not PART.whole


def test_blocks_that_stand_for_others_are_not_hidden() -> None:
    assert "standing in for the others" in sample_words(replace(WHOLE, blocks=700))
    assert not replace(WHOLE, blocks=700).whole


def test_what_blocks_met_of_each_other_is_said() -> None:
    assert "by turns" not in sample_words(PART)
    assert "executed (66 to 1,122, every 132), by turns with all others" in sample_words(replace(PART, every=1))
    assert "with the data as before the launch though they ask" in sample_words(replace(PART, every=0))
    assert "every 132) by turns with one of 3 others" in sample_words(replace(PART, every=3))


def test_one_block_does_not_say_how_others_differ() -> None:
    assert doubt_words(replace(PART, uneven=None)) == "one block does not say how others differ"
