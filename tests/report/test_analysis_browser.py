"""The HTML report as a browser shows it: light, dark, on paper, wide and narrow. Skipped where there is none."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from analysis_cases import DATE, full_analysis, hostile_analysis, simulated_analysis
from browser import ENVIRONMENT, Browser, find_browser
from stall_cases import stalled_analysis
from sweep_cases import swept_analysis

from mutate.analyzed import Analysis
from mutate.report.html import render_html

pytestmark = pytest.mark.skipif(find_browser() is None, reason=f"no Chromium found; install one or set {ENVIRONMENT}")
MAKERS: dict[str, Callable[[], Analysis]] = {"full": full_analysis, "hostile": hostile_analysis,
                                             "simulated": simulated_analysis,
                                             "stalled": stalled_analysis, "swept": swept_analysis}

# What is wrong with the page as it is laid out. Colours under a text are those of its ancestors, one over the other.
FAULTS = r"""(() => {
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  const out = {wide: document.documentElement.scrollWidth - innerWidth, empty: [], clipped: [], meeting: [], faint: [],
               texts: 0};
  const parse = c => {
    const n = c.match(/[\d.]+/g).map(Number);
    if (!/^rgba?\(/.test(c)) throw new Error('colour ' + c);
    return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1];
  };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const behind = e => {
    const stack = [];
    for (; e; e = e.parentElement) stack.unshift(parse(getComputedStyle(e).backgroundColor));
    return stack.reduce((under, c) => over(c, under), [255, 255, 255, 1]);
  };
  const light = c => {
    const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [light(a), light(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    if (!n.textContent.trim() || n.parentElement.closest('title, desc')) continue;
    const style = getComputedStyle(n.parentElement);
    const color = parse(n.parentElement.closest('svg') ? style.fill : style.color);
    const ground = behind(n.parentElement);
    const ratio = contrast(over(color, ground), ground);
    out.texts += 1;
    if (ratio < 4.5) out.faint.push(n.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
  }
  for (const svg of document.querySelectorAll('svg[role=img]')) {
    const r = svg.getBoundingClientRect();
    const name = svg.getAttribute('aria-label') || svg.querySelector('title').textContent;
    if (r.width < 60 || r.height < 10) out.empty.push(name);
    for (const shape of svg.querySelectorAll('rect, circle, path')) {
      const s = shape.getBoundingClientRect();
      if (!(s.width > 0 || s.height > 0)) out.empty.push(name + ': ' + shape.outerHTML);
      const f = getComputedStyle(shape);
      const paint = f.fill === 'none' ? f.stroke : f.fill;
      if (contrast(parse(paint), behind(svg)) < 3) out.faint.push(name + ': ' + shape.outerHTML);
    }
    const boxes = [];
    for (const text of svg.querySelectorAll('text')) {
      const t = text.getBoundingClientRect();
      if (!t.width || t.left < r.left - 1 || t.right > r.right + 1 || t.top < r.top - 1 || t.bottom > r.bottom + 1)
        out.clipped.push(name + ': ' + text.textContent);
      for (const [other, b] of boxes)
        if (t.left < b.right - 2 && b.left < t.right - 2 && t.top < b.bottom - 3 && b.top < t.bottom - 3)
          out.meeting.push(name + ': ' + text.textContent + ' | ' + other);
      boxes.push([text.textContent, t]);
    }
  }
  return out;
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = find_browser()
    assert path is not None
    made = Browser(path, tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    out = {}
    for name, make in MAKERS.items():
        out[name] = folder / f"{name}.html"
        out[name].write_text(render_html(make(), DATE), encoding="utf-8")
    return out


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 800, 1200])
@pytest.mark.parametrize("name", MAKERS)
def test_pages_are_legible(browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str) -> None:
    browser.show(pages[name], width, scheme)
    faults: dict[str, Any] = browser.evaluate(FAULTS)
    assert faults.pop("texts") > 50
    assert faults == {"wide": 0, "empty": [], "clipped": [], "meeting": [], "faint": []}
    assert browser.requests() == []
    assert browser.complaints() == []


def test_light_and_dark_differ(browser: Browser, pages: dict[str, Path]) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        browser.show(pages["full"], 1200, scheme)
        colours.add(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_the_check_sees_faults(browser: Browser, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text("""<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><p style="color:#aaa">faint</p>
        <div style="width:3000px">wide</div><svg role="img" aria-label="x" width="100" height="40">
        <rect x="0" y="0" width="0" height="0"/><text x="90" y="20">clipped</text><text x="92" y="21">meeting</text>
        </svg><img src="missing.png"><script>console.log('said')</script>""")
    browser.show(bad, 400)
    faults = browser.evaluate(FAULTS)
    assert faults["wide"] > 2000
    assert faults["faint"][0].startswith("faint 2.3")
    assert len(faults["empty"]) == 1 and len(faults["clipped"]) == 2 and len(faults["meeting"]) == 1
    assert [u.rpartition("/")[2] for u in browser.requests()] == ["missing.png"]
    assert any("said" in c for c in browser.complaints())


def test_the_page_s_policy_stops_scripts(browser: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    text = pages["simulated"].read_text(encoding="utf-8")
    worse = tmp_path / "worse.html"
    worse.write_text(text.replace("</main>", "<script>document.title = 'ran'</script><img src='x.png' "
                                             "onerror=\"document.title = 'ran'\"></main>"), encoding="utf-8")
    browser.show(worse)
    assert browser.evaluate("document.title") != "ran"
    assert any("Content Security Policy" in c for c in browser.complaints())


def test_nothing_hostile_becomes_an_element(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["hostile"])
    assert browser.evaluate("document.querySelectorAll('img, script, iframe, object').length") == 0
    assert browser.evaluate("document.querySelectorAll('style').length") == 1


def test_paper_has_the_verdict_and_no_dark_ground(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["full"], 800, "dark", "print")
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    faults = browser.evaluate(FAULTS)
    assert faults["faint"] == [] and faults["clipped"] == [] and faults["empty"] == []
    browser.show(pages["full"], 1200, "dark")
    data = browser.pdf()
    assert data.startswith(b"%PDF-")
    # Each launch begins a page; details stay folded, so there are few.
    assert 3 <= data.count(b"/Type /Page\n") <= 8
    drawn = b"".join(_inflated(part) for part in data.split(b"stream\n")[1:])
    assert len(drawn) > 20_000


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return b""
