"""Compiles what watches the interpreter, apart from it: a change there costs seconds, not the interpreter's minute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

from mutate.sim.code import Progress, machine_code_folder, text_digest
from mutate.sim.inner import UNCOUNTED

_F = TypeVar("_F", bound=Callable[..., Any])
Number = Any
"""An integer, of whatever width numba makes of it."""
_MODULES = ("caches", "coalesce", "fermi", "inner", "intrinsics", "jit", "layout", "older", "races")
_FOLDER = machine_code_folder(f"watchers-{text_digest(_MODULES)[:16]}")


def jit(function: _F) -> _F:
    """``numba.njit``, kept in the cache."""
    return jit_into(_FOLDER, function)


def jit_into(folder: Path, function: _F, counted: bool = True) -> _F:
    """``numba.njit``, its machine code kept in a folder. ``counted``: it makes arrays (``inner.UNCOUNTED``)."""
    options = {} if counted else UNCOUNTED
    before = config.CACHE_DIR  # type: ignore[attr-defined]
    try:
        config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
        return cast(_F, numba.njit(error_model="numpy", cache=True, nogil=True, **options)(function))
    finally:
        config.CACHE_DIR = before  # type: ignore[attr-defined]


def announce(names: Sequence[str], progress: Progress) -> None:
    """Says that watchers are about to be compiled, unless that was done before."""
    if not all((_FOLDER / name).exists() for name in names):
        progress("compiling what watches the simulator, once, some seconds", 0, 0)


def compiled(names: Sequence[str]) -> None:
    """Notes that it was done."""
    for name in names:
        (_FOLDER / name).touch()
