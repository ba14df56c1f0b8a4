"""The progress line: for those who watch, for what takes long, and at once for what will."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mutate.errors import KmutateError
from mutate.pipeline import predictions
from mutate.report import progress as module
from mutate.report.progress import stage_progress
from mutate.sim import image, jit
from mutate.sim.timing import folder


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


@pytest.mark.parametrize("compiled", [True, False])
def test_the_first_simulated_time_goes_on_saying_that_it_compiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                                                                  compiled: bool) -> None:
    def unread(cubin: bytes, entry: str) -> None:
        raise KmutateError("bad-cubin", "nothing to time")

    monkeypatch.setattr(folder, "FOLDER", tmp_path)
    monkeypatch.setattr(image, "read_image", unread)
    if compiled:
        (tmp_path / "model.nbi").touch()
    plan: Any = SimpleNamespace(runs=[SimpleNamespace(name=n, cubin=b"", entry="k") for n in ("load-only", "no-sync")])
    said: list[str] = []
    machine: Any = None
    listings: Any = {"load-only": (), "no-sync": ()}
    predictions.predict_plan(plan, listings, machine, None, "cold", lambda what, done, total: said.append(what))
    first = "simulating times" if compiled else "compiling the model of time, once, about half a minute"
    assert said == [first, "simulating times"]
