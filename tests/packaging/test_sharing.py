"""How tests are shared out among processes."""

from __future__ import annotations

from pathlib import Path

import sharing

TESTS = Path(__file__).parent.parent


def test_every_name_is_a_file_or_a_group() -> None:
    files = {*(f for group in sharing.TOGETHER.values() for f in group), *sharing.FIRST} - set(sharing.TOGETHER)
    assert [f for f in sorted(files) if not (TESTS / f).is_file()] == []


def test_a_file_stays_together_and_groups_come_in_order() -> None:
    ids = ["tests/api/test_api.py::a", "tests/docs/test_docs.py::a[x::y]", "tests/fuzz/test_bad_sources.py::b",
           "tests/api/test_api.py::b[1]", "tests/golden/test_golden.py::a",
           "tests/analyze/test_analyze_pipeline.py::a"]
    assert [sharing.group_of(n) for n in ids[:4]] == ["tests/api/test_api.py", "samples",
                                                      "tests/fuzz/test_bad_sources.py", "tests/api/test_api.py"]
    assert sharing.in_order(ids) == [5, 2, 1, 4, 0, 3]
