"""The progress line: for those who watch, for what takes long, and at once for what will."""

from __future__ import annotations

import io
import sys

import pytest

from mutate.report import progress as module
from mutate.report.progress import stage_progress
from mutate.sim import jit


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _shown(monkeypatch: pytest.MonkeyPatch, *steps: tuple[str, int, int], patience: float = 60.0) -> str:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(module, "_PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with stage_progress() as progress:
        for step in steps:
            progress(*step)
    return terminal.getvalue()


def test_what_is_quick_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _shown(monkeypatch, ("compiling", 1, 2), ("simulating", 1, 2)) == ""
    assert "simulating" in _shown(monkeypatch, ("simulating", 1, 2), patience=0)


def test_what_will_take_long_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "compiling the simulator" in _shown(monkeypatch, ("compiling the simulator, once", 0, 0))


def test_watchers_are_announced_once(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(jit, "_FOLDER", tmp_path)
    said: list[str] = []

    def progress(what: str, done: int, total: int) -> None:
        said.append(what)

    for _ in range(2):
        jit.announce(["Caches", "SharedChecks"], progress)
        jit.compiled(["Caches", "SharedChecks"])
    jit.announce(["Caches"], progress)
    assert len(said) == 1 and "once" in said[0]
