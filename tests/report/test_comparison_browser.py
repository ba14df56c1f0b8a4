"""The page of machines side by side as a browser shows it. Skipped where there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from analysis_cases import DATE
from browser import ENVIRONMENT, Browser, find_browser
from comparison_cases import comparison, hostile_comparison
from test_analysis_browser import FAULTS, browser  # noqa: F401  (a fixture)

from mutate.analyzed import Comparison
from mutate.report.comparison import render_comparison_html

pytestmark = pytest.mark.skipif(find_browser() is None, reason=f"no Chromium found; install one or set {ENVIRONMENT}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200])
@pytest.mark.parametrize("make", [comparison, hostile_comparison])
def test_the_page_is_legible(browser: Browser, tmp_path: Path, make: Callable[[], Comparison],  # noqa: F811
                             width: int, scheme: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(render_comparison_html(make(), DATE), encoding="utf-8")
    browser.show(page, width, scheme)
    faults: dict[str, Any] = browser.evaluate(FAULTS)
    assert faults.pop("texts") > 30
    assert faults == {"wide": 0, "empty": [], "clipped": [], "meeting": [], "faint": []}
    assert browser.requests() == [] and browser.complaints() == []
    assert browser.evaluate("document.querySelectorAll('img, script, iframe, object').length") == 0
