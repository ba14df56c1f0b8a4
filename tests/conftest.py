"""For all tests: the simulator's machine code is kept in one place, whatever cache a test gives to kmutate."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from mutate.sim.code import ENVIRONMENT
from mutate.toolchain.cache import default_cache

os.environ.setdefault(ENVIRONMENT, str((default_cache().folder or Path(os.environ.get("TMPDIR", "/tmp"))) / "sim"))


@pytest.fixture
def little_known(tmp_path: Path) -> str:
    """The path of a machine file in which what times need is missing."""
    from mutate.machines import load_machine

    text = Path(load_machine("a100").file).read_text(encoding="utf-8")
    head, latencies = text.split("[latency]\n")
    path = tmp_path / "little_known.toml"
    path.write_text(head + "[latency]\n" + re.sub(r"(?m)^dram = .*\n", "", latencies), encoding="utf-8")
    return str(path)
