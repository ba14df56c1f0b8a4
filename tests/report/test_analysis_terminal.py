"""What ``kmutate analyze`` prints: 80 columns, plain when piped, and no promise that was not measured."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from analysis_cases import EVIL, classified, full_analysis, hostile_analysis, plain_analysis, simulated_analysis
from syrupy.assertion import SnapshotAssertion

from mutate.analyzed import Analysis
from mutate.limiter.model import Interval
from mutate.report import figures
from mutate.report.analysis import print_analysis, print_finding


def printed(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> str:
    print_analysis(analysis)
    return capsys.readouterr().out


def test_output_is_as_it_was(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    assert _stripped(printed(full_analysis(), capsys)) == snapshot
    print_finding(*classified())
    assert _stripped(capsys.readouterr().out) == snapshot


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("make", [full_analysis, plain_analysis, simulated_analysis, hostile_analysis])
def test_piped_output_is_plain_and_fits_80_columns(make: Callable[[], Analysis],
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(make(), capsys)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202e]", text)


def test_markup_of_rich_in_texts_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    base = plain_analysis()
    (kernel,) = base.kernels
    (launch,) = kernel.launches
    finding = replace(launch.finding, summary="[red]a[i][/red] [/]")
    text = printed(replace(base, kernels=(replace(kernel, launches=(replace(launch, finding=finding),)),)), capsys)
    assert "[red]a[i][/red] [/]" in text


def _lines(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(start)]


def test_each_variant_says_why_it_has_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(plain_analysis(), capsys)
    assert _lines(text, "load-only")[0].rstrip().endswith("timeout")
    assert _lines(text, "store-only")[0].rstrip().endswith("INVALID")
    assert _lines(text, "smem-broadcast")[0].rstrip().endswith("refused")
    assert _lines(text, "memory-only+no-sync")[0].rstrip().endswith("compile-failed")
    assert "7 of 8" in _lines(text, "smem-conflict-free")[0]


def test_gains_are_called_upper_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(plain_analysis(), capsys)
    assert "at most 1.31x [1.30, 1.32]" in text
    assert "upper bounds" in text


def test_the_seed_s_numbers_are_said_as_in_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    print_finding(*classified())
    text = " ".join(capsys.readouterr().out.split())
    assert "memory-bound" in text
    assert "2.12 ms of math exposed (13 % of it)" in text
    assert re.search(r"application 61\.88 – 54 %", text)


def test_simulated_counters_and_missing_times_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(printed(simulated_analysis(), capsys).split())
    assert "not timed: the simulator has no timing model yet" in text
    assert "counters simulated: 64 of 65,536 blocks, extrapolated" in text
    assert "measured on" not in text and "T ms" not in text


def test_time_that_no_half_explains_is_said() -> None:
    finding = replace(classified()[0], exposed_ms=Interval.exact(20.0))
    assert figures.exposed_words(finding) == "all of math exposed, and 3.75 ms that neither explains"
    assert figures.exposed_words(replace(finding, exposed_ms=Interval.exact(-1.0))) == "nothing of math exposed"


@pytest.mark.parametrize(("value", "text"), [
    (1068, "1,068"), (1.068, "1.068"), (0.01234, "0.01234"), (123456, "123,456"), (0, "0.000"), (1e9, "1.000e+09"),
    (None, "–"), (float("nan"), "–"), (float("inf"), "–")])
def test_numbers(value: float | None, text: str) -> None:
    assert figures.number(value) == text


def test_text_that_steers_terminals_is_replaced() -> None:
    assert figures.clean("a\x1b[31m\udc80\u202eb\r\n\tc") == "a\ufffd[31m\ufffd\ufffdb\n\tc"
    assert "\x1b" in EVIL
