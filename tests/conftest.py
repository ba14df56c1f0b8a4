"""For all tests: the simulator's machine code is kept in one place, whatever cache a test gives to kmutate."""

from __future__ import annotations

import os
from pathlib import Path

from mutate.sim.code import ENVIRONMENT
from mutate.toolchain.cache import default_cache

os.environ.setdefault(ENVIRONMENT, str((default_cache().folder or Path(os.environ.get("TMPDIR", "/tmp"))) / "sim"))
