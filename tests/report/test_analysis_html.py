"""The HTML report: what stands in it, where the charts put things, and that no text of others becomes markup."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from analysis_cases import (
    DATE,
    EVIL,
    FACTS,
    FINDING,
    SOURCE,
    TIMES,
    around,
    classified,
    counts,
    full_analysis,
    hostile_analysis,
    plain_analysis,
    simulated_analysis,
    targets,
)
from html_pages import Page, only_ours

from mutate.analyzed import Analysis, AnalyzedVariant
from mutate.limiter.model import Facts, Interval, SweepPoint, VariantTime
from mutate.machines import load_machine
from mutate.model import Outcome
from mutate.report import charts, figures
from mutate.report.code_view import diff_lines, highlighted
from mutate.report.html import notebook_html, render_html
from mutate.report.listing import listing
from mutate.results import VariantResult
from mutate.source import unified_diff

MAKERS = [full_analysis, plain_analysis, simulated_analysis, hostile_analysis]


def page(analysis: Analysis) -> Page:
    return Page(render_html(analysis, DATE))


# --- nothing gets in, nothing goes out ---


@pytest.mark.parametrize("make", MAKERS)
def test_only_known_tags_and_attributes(make: Callable[[], Analysis]) -> None:
    only_ours(page(make()))


@pytest.mark.parametrize("make", MAKERS)
def test_the_page_needs_nothing_from_elsewhere(make: Callable[[], Analysis]) -> None:
    text = render_html(make(), DATE)
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert len(style) == 1
    assert not re.search(r"url\(|@import|https?:", style[0])
    policy = [m["content"] for m in page(make()).of("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    text.encode()


def test_hostile_text_is_shown_as_it_is() -> None:
    seen = page(hostile_analysis())
    shown = figures.clean(EVIL)
    # The verdict, the list of evidence, the diff, the listing, the compiler's log, the driver.
    assert seen.text.count(shown) > 50
    assert "<img src=x" not in render_html(hostile_analysis(), DATE)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202e]", render_html(hostile_analysis(), DATE))


@pytest.mark.parametrize("make", MAKERS)
def test_what_tools_for_the_blind_need(make: Callable[[], Analysis]) -> None:
    seen = page(make())
    ids = Counter(attrs["id"] for _, attrs in seen.tags if "id" in attrs)
    assert not [i for i, n in ids.items() if n > 1]
    for _, attrs in seen.tags:
        for name in (attrs.get("aria-labelledby") or "").split():
            assert name in ids
    assert all(th.get("scope") in ("row", "col") for th in seen.of("th"))
    named = [s for s in seen.of("svg") if s.get("role") == "img"]
    assert all(s.get("aria-label") or s.get("aria-labelledby") for s in named)
    assert seen.of("html")[0]["lang"] == "en"
    for link in seen.of("a"):
        assert (link["href"] or "")[1:] in ids


def test_a_notebook_gets_the_page_in_a_frame_that_may_do_nothing() -> None:
    seen = Page(notebook_html(hostile_analysis()))
    ((tag, attrs),) = seen.tags
    assert (tag, attrs["sandbox"]) == ("iframe", "")
    inner = Page(attrs["srcdoc"] or "")
    assert len(inner.of("h1")) == 1 and not inner.of("img")


# --- what stands in it ---


def test_the_verdict_and_its_words() -> None:
    text = " ".join(page(plain_analysis()).text.split())
    assert "latency-bound high confidence, 99.7 % of the resampled measurements agree" in text
    assert "measured on NVIDIA H200 (driver 580.159.04, L2 cold)" in text
    assert "Overlap -0.19 [-0.21, -0.17]" in text
    for sentence in (*FINDING.evidence, *FINDING.against, FINDING.next_step):
        assert sentence in text
    assert "at most 1.31x by no-sync" in text


def test_without_times_nothing_is_measured() -> None:
    text = " ".join(page(simulated_analysis()).text.split())
    assert "not timed: the simulator has no timing model yet" in text
    assert "measured on NVIDIA" not in text
    assert "No roofline: it needs a time and the floating-point operations (fp32)." in text
    assert "T ms" not in text.partition("T_full, T_mem, T_math")[0]


def test_an_original_among_the_variants_is_one_row() -> None:
    base = plain_analysis()
    (kernel,) = base.kernels
    (launch,) = kernel.launches
    own = AnalyzedVariant("original", VariantResult("original", Outcome.OK), None,
                          VariantTime("original", FINDING.full, Interval.exact(1.0), resident_blocks=8))
    rows = figures.rows(replace(launch, variants=(*launch.variants, own)))
    assert [r.name for r in rows] == ["original", *(v.name for v in launch.variants)]
    assert (rows[0].gain, rows[0].blocks, rows[0].usable) == (None, "8", True)


def test_all_kernels_errors_and_warnings_are_there() -> None:
    text = page(full_analysis()).text
    for words in ("nothing pins the clocks", "Interrupted", 'identifier "undeclared" is undefined', "scale<2>", "walk",
                  "200,000,000 warp instructions were not enough"):
        assert words in text


# --- geometry ---


def test_bars_are_as_long_as_times() -> None:
    times = [around(t) for t in TIMES.values()]
    made = charts.bars(times, times[0])
    widths = [b.width for b in made if b is not None]
    for width, time in zip(widths, times, strict=True):
        assert width / widths[0] == pytest.approx(time.value / times[0].value, rel=1e-3)
    assert all(b is not None and b.low < b.width < b.high <= 100 and b.mark == widths[0] for b in made)


@pytest.mark.parametrize("times", [
    [Interval(1.0, 0.0, 1e9), Interval(2.0, 1.0, math.inf)], [Interval.exact(1e-9), Interval.exact(1e9)],
    [Interval(0.0, 0.0, 0.0), None], [Interval(math.nan, 1, 2), Interval.exact(1.0)]])
def test_bars_stay_on_the_page(times: list[Interval | None]) -> None:
    for b in charts.bars(times, times[0]):
        assert b is None or all(0 <= x <= 100 for x in (b.width, b.low, b.high))


def test_overlap_of_the_seed_s_kernel() -> None:
    finding, _ = classified()
    drawn = charts.overlap(finding)
    assert drawn is not None
    full, memory, math_ = drawn.lanes
    assert (full.start, full.width) == (0, 100)
    assert memory.width == pytest.approx(100 * 33.27 / 35.39, abs=0.01)
    assert math_.start + math_.width == pytest.approx(100, abs=0.02)
    assert math_.exposed == pytest.approx(100 * 2.12 / 35.39, abs=0.01)
    assert drawn.gap is None
    assert "overlapped 14.13 ms; exposed 2.12 ms" in drawn.words


def test_overlap_with_time_that_no_half_explains() -> None:
    drawn = charts.overlap(FINDING)
    assert drawn is not None and drawn.gap is not None
    start, width = drawn.gap
    assert width == pytest.approx(100 * 0.069 / 1.068, abs=0.02)
    assert start == pytest.approx(drawn.lanes[1].width)
    assert start + width == pytest.approx(drawn.lanes[2].start, abs=0.02)
    assert drawn.lanes[2].exposed == pytest.approx(drawn.lanes[2].width)


def test_a_half_above_the_whole_hides_all_of_the_other() -> None:
    drawn = charts.overlap(replace(FINDING, memory=around(1.2), full=around(1.1)))
    assert drawn is not None
    assert drawn.lanes[1].width == 100 and drawn.lanes[0].width < 100
    assert drawn.lanes[2].exposed == 0 and drawn.gap is None


def test_overlap_needs_all_three_times() -> None:
    assert charts.overlap(replace(FINDING, math=None)) is None
    assert charts.overlap(replace(FINDING, math=Interval.exact(0.0))) is None


def _ends(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", path)]


def test_a_kernel_at_copy_speed_lies_on_the_roof() -> None:
    facts = replace(FACTS, requested_bytes=3940e6, moved_bytes=2 * 3940e6, floor_bytes=None, fp32_flops=4e9)
    drawn = charts.roofline(replace(FINDING, full=Interval.exact(1.0)), facts, load_machine("h200"))
    assert drawn is not None
    roof = next(r for r in drawn.roofs if r.kind == "copy")
    (x0, y0), (x1, y1) = _ends(roof.paths[0])
    on = {p.kind: y0 + (p.x - x0) * (y1 - y0) / (x1 - x0) - p.y for p in drawn.points}
    assert on["application"] == pytest.approx(0, abs=0.1)
    assert on["hardware"] > 5  # twice the bytes at the same rate: above the roof
    assert [r.words for r in drawn.roofs] == [
        "peak: 4,800 GB/s (published), fp32 67.0 TFLOP/s (machine file)",
        "reached: copy 3,940 GB/s (measured), fp32 51.2 TFLOP/s (measured)"]


def test_ticks_are_where_their_numbers_are() -> None:
    drawn = charts.roofline(FINDING, FACTS, load_machine("h200"))
    assert drawn is not None
    ticks = [(t.at, float(t.text.replace(",", ""))) for t in drawn.x_ticks]
    (a, x), (b, y) = ticks[0], ticks[-1]
    point = next(p for p in drawn.points if p.kind == "application")
    at = math.log10(x) + (point.x - a) / (b - a) * (math.log10(y) - math.log10(x))
    assert FACTS.fp32_flops is not None and FACTS.requested_bytes is not None
    assert 10**at == pytest.approx(FACTS.fp32_flops / FACTS.requested_bytes, rel=0.01)


def test_no_roofline_without_its_numbers() -> None:
    for facts in (replace(FACTS, fp32_flops=None), replace(FACTS, copy_gbs=None, peak_gbs=None),
                  replace(FACTS, requested_bytes=None, moved_bytes=None, floor_bytes=None)):
        assert charts.roofline(FINDING, facts, load_machine("h200")) is None
    assert charts.roofline(replace(FINDING, full=None), FACTS, load_machine("h200")) is None


def test_a_roofline_of_bandwidth_alone() -> None:
    drawn = charts.roofline(FINDING, replace(FACTS, fp32_gflops=None), None)
    assert drawn is not None and len(drawn.roofs) == 2
    assert all(0 <= p.x <= 100 and 0 <= p.y <= 100 for p in drawn.points)


def test_curves_begin_at_zero_and_mark_the_launch() -> None:
    points = [SweepPoint("4 blocks", 4, around(2.0)), SweepPoint("2 blocks", 2, around(4.0))]
    drawn = charts.curve(points, 4)
    assert drawn is not None
    low, high = drawn.points
    assert (low.text, high.text, high.kind) == ("4.000", "2.000", "current")
    assert high.x == pytest.approx(2 * low.x)
    assert 100 - low.y == pytest.approx(2 * (100 - high.y), abs=0.1)
    assert charts.curve(points[:1], 4) is None


# --- code ---


def _plain(markup: object) -> str:
    class Text(HTMLParser):
        out = ""

        def handle_data(self, data: str) -> None:
            self.out += data

    parser = Text()
    parser.feed(str(markup))
    parser.close()
    return parser.out


@pytest.mark.parametrize("source", [SOURCE, EVIL, "", "\n\n", "a\tb", "/* open", '"open', "#define A \\\n 1\n", "\\"])
def test_highlighting_keeps_every_character(source: str) -> None:
    lines = [_plain(x) for x in highlighted(source)]
    assert "\n".join(lines) == figures.clean(source)


def test_tokens_have_their_colours() -> None:
    text = str(highlighted('const float x = 1.5f; // note')[0])
    for kind, word in (("kw", "const"), ("ty", "float"), ("nu", "1.5f"), ("co", "// note")):
        assert f'<span class="{kind}">{word}</span>' in text


def test_diff_lines_have_the_numbers_of_both_files() -> None:
    before = "".join(f"line {k}\n" for k in range(1, 30))
    after = before.replace("line 12\n", "line twelve\nand more\n").replace("line 29\n", "line 29")
    lines = diff_lines(unified_diff(before.encode(), after.encode(), "a", "b"))
    was, now = before.split("\n"), after.split("\n")
    for x in lines:
        if x.kind in ("", "del"):
            assert x.old is not None and was[x.old - 1] == _plain(x.code)
        if x.kind in ("", "add"):
            assert x.new is not None and now[x.new - 1] == _plain(x.code)
    assert Counter(x.kind for x in lines)["hunk"] == 2
    assert Counter(x.kind for x in lines)["note"] == 1


def test_the_listing_has_the_kernel_and_its_hottest_line() -> None:
    target = targets()[0]
    found = listing(counts(target.launches[0]), target, SOURCE)
    assert found is not None
    main, other = found.files
    numbers = [x.number for x in main.lines if x.number]
    assert set(range(14, 31)) <= set(numbers)
    texts = SOURCE.split("\n")
    assert all(_plain(x.code) == texts[x.number - 1] for x in main.lines if x.number)
    hottest = max(main.lines, key=lambda x: x.share)
    assert (hottest.number, hottest.heat) == (27, 6)
    assert found.hottest[0].startswith("line 27 ")
    assert other.name == "helper.cuh" and other.lines[0].code == "x * x"
    assert found.elsewhere > 0
    assert "smem wf" in found.heads and "local" not in found.heads


def test_no_listing_without_lines() -> None:
    target = targets()[0]
    assert listing(counts(target.launches[0], False), target, SOURCE) is None
    assert listing(None, target, SOURCE) is None


def test_rates_need_time_and_bytes() -> None:
    assert figures.rates(replace(FINDING, full=None), FACTS, "measured") == ()
    assert figures.rates(FINDING, Facts(), "measured") == ()
    (rate,) = figures.rates(FINDING, Facts(requested_bytes=1.068e9), "measured")
    assert rate.gbs == pytest.approx(1000) and rate.of_copy is None
