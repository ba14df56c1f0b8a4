"""The Markdown report: what GitHub would show of it, and that no text of others is markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from analysis_cases import DATE, full_analysis, hostile_analysis, plain_analysis, simulated_analysis
from markdown_it import MarkdownIt
from markdown_it.token import Token
from syrupy.assertion import SnapshotAssertion

from mutate import __version__
from mutate.analyzed import Analysis
from mutate.report.markdown import cell, code, escaped, fenced, render_markdown


def tokens(text: str) -> list[Token]:
    out: list[Token] = []
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text):
        out += [token, *(token.children or ())]
    return out


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.seen.add(tag)


def tags(text: str) -> set[str]:
    parser = Tags()
    parser.feed("".join(t.content for t in tokens(text) if t.type.startswith("html")))
    return parser.seen


@pytest.mark.parametrize("make", [full_analysis, hostile_analysis])
def test_the_only_tags_are_those_that_fold(make: Callable[[], Analysis]) -> None:
    text = render_markdown(make(), DATE)
    assert tags(text) == {"details", "summary"}
    assert not {"image", "link_open", "s_open"} & {t.type for t in tokens(text)}


def test_tables_have_as_many_cells_in_each_row() -> None:
    for make in (full_analysis, hostile_analysis):
        seen = tokens(render_markdown(make(), DATE))
        starts = [k for k, t in enumerate(seen) if t.type == "table_open"]
        assert len(starts) >= 2
        for start in starts:
            end = next(k for k in range(start, len(seen)) if seen[k].type == "table_close")
            rows = [k for k in range(start, end) if seen[k].type == "tr_open"]
            cells = [sum(t.type in ("td_open", "th_open") for t in seen[a:b])
                     for a, b in zip(rows, [*rows[1:], end], strict=True)]
            assert len(rows) > 1 and len(set(cells)) == 1


def test_variants_that_are_not_timed_have_no_column_of_times() -> None:
    text = render_markdown(simulated_analysis(), DATE)
    assert "| variant | blocks/SM | certificate |" in text
    assert "T ms" not in text
    assert "not timed: the simulator has no timing model yet" in text


def test_each_variant_s_diff_is_one_block() -> None:
    fences = [t for t in tokens(render_markdown(plain_analysis(), DATE)) if t.type == "fence"]
    assert len(fences) == 7
    assert all(t.info == "diff" and "-    __syncthreads();" in t.content for t in fences)


@pytest.mark.parametrize("text", ["- a", "1. b", "# c", "=== ", "a * b * c", "_d_", "a|b", "[x](y)", "<b>", "&amp;",
                                  "`q`", "~~s~~", "$x$", "C:\\dir", "+ e", "3) f", "> g"])
def test_plain_text_stays_plain(text: str) -> None:
    (paragraph, inline, *_rest) = tokens(escaped(text))
    assert paragraph.type == "paragraph_open"
    assert {c.type for c in inline.children or ()} <= {"text", "text_special"}
    shown = "".join(c.content for c in inline.children or ())
    assert shown == text.strip()


@pytest.mark.parametrize("text", ["a`b", "``", "`", "x<y>", "\\", "a  b"])
def test_code_spans_hold_their_text(text: str) -> None:
    (span,) = [t for t in tokens(code(text)) if t.type == "code_inline"]
    assert span.content.strip() == " ".join(text.split())


def test_pipes_in_code_do_not_end_cells() -> None:
    seen = tokens(f"| a | b |\n|--|--|\n| {cell('x|y')} | z |")
    assert [t.content for t in seen if t.type == "code_inline"] == ["x|y"]


def test_fences_are_longer_than_those_inside() -> None:
    seen = tokens(fenced("````\n```", "diff"))
    assert [t.type for t in seen] == ["fence"]
    assert seen[0].content == "````\n```\n"


def test_long_diffs_are_cut_and_say_so() -> None:
    text = fenced("+ x\n" * 10_000, "diff")
    assert len(text) < 13_000
    assert "(cut here)" in text


def test_mentions_and_links_of_others_are_none() -> None:
    assert not re.search(r"@\w|#\d|://", escaped("@someone https://example.org #12"))


def test_markdown_is_as_it_was(snapshot: SnapshotAssertion) -> None:
    assert render_markdown(full_analysis(), DATE).replace(__version__, "VERSION") == snapshot
