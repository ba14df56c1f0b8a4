"""Where machine code is kept: whoever has the same texts finds it, and one of several processes makes it."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path
from typing import Any

import pytest

from mutate.sim.code import compiling
from mutate.sim.jit import jit_into


def loaded(path: Path) -> Any:
    """The function of a module that lies there."""
    path.parent.mkdir()
    path.write_text("def twice(x):\n    return 2 * x\n")
    spec = importlib.util.spec_from_file_location("twice", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.twice


def test_an_installation_elsewhere_finds_what_another_has_compiled(tmp_path: Path) -> None:
    for place, hits in (("one", 0), ("two", 1)):
        function: Any = jit_into(tmp_path / "code", loaded(tmp_path / place / "twice.py"))
        assert function(21) == 42
        assert sum(function.stats.cache_hits.values()) == hits
    other: Any = jit_into(tmp_path / "others", loaded(tmp_path / "three" / "twice.py"))
    assert other(21) == 42 and not other.stats.cache_hits, "other texts are in another folder"


def test_one_compiles_and_the_others_wait(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    order: list[str] = []
    inside, end = threading.Event(), threading.Event()

    def first() -> None:
        with compiling(tmp_path):
            inside.set()
            end.wait(10)
            order.append("first")

    def second() -> None:
        with compiling(tmp_path):
            order.append("second")

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert inside.wait(10)
    threads[1].start()
    threads[1].join(0.3)
    assert threads[1].is_alive() and order == []
    end.set()
    for thread in threads:
        thread.join(10)
    assert order == ["first", "second"]


def test_who_comes_when_all_is_compiled_waits_for_nobody(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), compiling(tmp_path):
        raise KeyboardInterrupt
    assert not (tmp_path / "compiled").exists(), "what was stopped made nothing"
    with compiling(tmp_path):
        pass
    with compiling(tmp_path), compiling(tmp_path):
        pass
