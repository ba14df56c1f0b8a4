"""Keeps machine code in folders that are named by the texts it is made from, wherever those texts lie.

What watches the interpreter is compiled apart from it: a change there costs seconds, not the interpreter's minute.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import caching, config

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


def jit_into(folder: Path, function: _F, counted: bool = True, inlined: bool = False) -> _F:
    """``numba.njit``, its machine code kept in a folder. ``counted``: it makes arrays (``inner.UNCOUNTED``).

    ``inlined``: wherever it is called. Handing over an array takes seven words of the stack, more than a few lines do.
    """
    options = {**({} if counted else UNCOUNTED), "forceinline": inlined}
    before = config.CACHE_DIR  # type: ignore[attr-defined]
    try:
        config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
        compiled: Any = numba.njit(error_model="numpy", cache=True, nogil=True, **options)(function)
    finally:
        config.CACHE_DIR = before  # type: ignore[attr-defined]
    # None of this is promised to stay in numba; without it an installation elsewhere compiles once more.
    with contextlib.suppress(AttributeError, TypeError):
        compiled._cache = _by_text(folder)(compiled.py_func)
    return cast(_F, compiled)


def _by_text(folder: Path) -> Any:
    """numba's cache, but for its keys: it asks for the path of the module and when it was written.

    The folder's name has a digest of all texts, so neither says more.
    """
    class Locator:
        def __init__(self, function: Any) -> None:
            self._line = function.__code__.co_firstlineno

        @classmethod
        def from_function(cls, function: Any, file: str) -> Locator:
            del file
            return cls(function)

        def get_cache_path(self) -> str:
            return str(folder)

        def ensure_cache_path(self) -> None:
            folder.mkdir(parents=True, exist_ok=True)

        def get_source_stamp(self) -> str:
            return folder.name

        def get_disambiguator(self) -> str:
            return str(self._line)

    class Results(caching.CompileResultCacheImpl):
        _locator_classes: Any = (Locator,)

    class ByText(caching.FunctionCache):
        _impl_class = Results

    return ByText


def announce(names: Sequence[str], progress: Progress) -> None:
    """Says that watchers are about to be compiled, unless that was done before."""
    if not all((_FOLDER / name).exists() for name in names):
        progress("compiling what watches the simulator, once, some seconds", 0, 0)


def compiled(names: Sequence[str]) -> None:
    """Notes that it was done."""
    for name in names:
        (_FOLDER / name).touch()
