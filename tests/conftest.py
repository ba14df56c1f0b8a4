"""For all tests: the simulator's machine code is kept in one place, whatever cache a test gives to kmutate."""

from __future__ import annotations

import _thread
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mutate.sim.code import ENVIRONMENT
from mutate.toolchain.cache import default_cache

sys.path.insert(0, str(Path(__file__).parent))

os.environ.setdefault(ENVIRONMENT, str((default_cache().folder or Path(os.environ.get("TMPDIR", "/tmp"))) / "sim"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    import sharing

    return sharing.scheduler(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):  # a process of pytest-xdist's
        import sharing

        items[:] = [items[n] for n in sharing.in_order([i.nodeid for i in items])]


@pytest.fixture
def little_known(tmp_path: Path) -> str:
    """The path of a machine file in which what times need is missing."""
    from mutate.machines import load_machine

    text = Path(load_machine("a100").file).read_text(encoding="utf-8")
    head, latencies = text.split("[latency]\n")
    path = tmp_path / "little_known.toml"
    path.write_text(head + "[latency]\n" + re.sub(r"(?m)^dram = .*\n", "", latencies), encoding="utf-8")
    return str(path)


@pytest.fixture
def ctrl_c() -> Iterator[Callable[[], None]]:
    """Presses Ctrl-C, for the main thread, from whichever; also where a shell has begun the tests in the background,

    which then ignore it.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield _thread.interrupt_main
    signal.signal(signal.SIGINT, before)
