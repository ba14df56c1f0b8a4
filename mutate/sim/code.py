"""Where the simulator's machine code is kept, and whether it has been made yet."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from mutate.resources import templates_dir
from mutate.toolchain.cache import default_cache, digest

COMPILED = ("access", "across", "atomics", "coalesce", "execute", "filling", "inner", "intrinsics", "lanes",
            "lanes_convert", "lanes_half", "lanes_integer", "lanes_mufu", "layout", "log", "matrix", "memory",
            "operations", "registers", "requests", "semantics", "shuffle", "splits", "system", "texels")
"""Modules of this package whose text goes into machine code."""
TABLES = Path(__file__).with_name("data") / "mufu.csv"
"""The special-function unit's coefficients, which do so, too."""
ENVIRONMENT = "KMUTATE_CODE_CACHE"
"""Folder for machine code, when it is not to be below the cache."""
_MARK = "compiled"
Progress = Callable[[str, int, int], None]


@cache
def code_digest() -> str:
    """Names everything that goes into the machine code: sources, template, numba, Python, processor."""
    return text_digest(COMPILED, (templates_dir() / "sim" / "lanes.py.j2").read_bytes(), TABLES.read_bytes())


def text_digest(modules: Sequence[str], *more: bytes) -> str:
    """Names the machine code of modules of this package."""
    texts = [(Path(__file__).parent / f"{name}.py").read_bytes() for name in modules]
    return digest("sim", version("numba"), version("numpy"), sys.version, platform.machine(), *texts, *more)


@cache
def simulator_digest() -> str:
    """Names the whole simulator: what a run gives depends on nothing else but its inputs."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return digest(code_digest(), *texts)


def machine_code_folder(name: str) -> Path:
    """A folder for machine code: below the cache, or where ``KMUTATE_CODE_CACHE`` says."""
    chosen = os.environ.get(ENVIRONMENT)
    base = Path(chosen) if chosen else (default_cache().folder or Path(tempfile.gettempdir()) / "kmutate") / "sim"
    folder = base / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="kmutate-sim-"))
    return folder


def code_folder() -> Path:
    """Folder of the generated file and of numba's cache for the interpreter."""
    return machine_code_folder(code_digest()[:16])


def is_compiled() -> bool:
    return (code_folder() / _MARK).exists()


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Of several processes one compiles, and the others wait for what it makes. It may end as it likes."""
    with (folder / "lock").open("w") as file:
        with contextlib.suppress(ImportError, OSError):  # not on POSIX, or a file system without locks
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def compiling(folder: Path) -> Iterator[None]:
    """Around the first call of what compiles machine code into ``folder``: of several processes one compiles it."""
    if (folder / _MARK).exists():
        yield
        return
    with _alone(folder):
        yield
        (folder / _MARK).touch()


def load_interpreter(progress: Progress) -> None:
    """Imports the interpreter, and compiles it if that was not done before; says so, because it takes most of a minute.

    A compiled interpreter loads in a quarter of a second.
    """
    if not is_compiled():
        progress("compiling the simulator for this computer, once, about 40 s", 0, 0)
        with compiling(code_folder()):
            if not is_compiled():
                from mutate.sim.warm_up import warm_up

                warm_up()
    import mutate.sim.warm_up  # noqa: F401 - the modules themselves
