"""The declarations in the documentation are ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mutate.launch import evaluate_all, find_declarations
from mutate.launch.initialisers import INITIALISERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "launch.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```c\n(.*?)^```", PAGE + (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("text", BLOCKS, ids=[f"block{i}" for i in range(len(BLOCKS))])
def test_examples_parse(text: str) -> None:
    found = find_declarations(text.encode(), "docs")
    assert len(found) == 1
    assert evaluate_all(found)


def test_every_initialiser_is_described() -> None:
    for name, row in INITIALISERS.items():
        assert f"`{row.usage}`" in PAGE, name
    assert 'file("x.npz:key")' in PAGE
