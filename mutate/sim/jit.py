"""Compiles what watches the interpreter, apart from it: a change there costs seconds, not the interpreter's minute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

from mutate.toolchain.cache import default_cache, digest

_F = TypeVar("_F", bound=Callable[..., Any])
Number = Any
"""An integer, of whatever width numba makes of it."""
_MODULES = ("caches", "coalesce", "fermi", "layout", "older", "races")


def _folder() -> Path | None:
    """Folder for the machine code, named after the texts it is made from; ``None`` without a cache."""
    base = default_cache().folder
    if base is None:
        return None
    here = Path(__file__).parent
    key = digest("watchers", numba.__version__, *((here / f"{name}.py").read_bytes() for name in _MODULES))
    folder = base / "sim" / f"watchers-{key[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder


_FOLDER = _folder()


def jit(function: _F) -> _F:
    """``numba.njit``, kept in the cache."""
    before = config.CACHE_DIR  # type: ignore[attr-defined]
    try:
        if _FOLDER is not None:
            config.CACHE_DIR = str(_FOLDER)  # type: ignore[attr-defined]
        return cast(_F, numba.njit(error_model="numpy", cache=_FOLDER is not None, nogil=True)(function))
    finally:
        config.CACHE_DIR = before  # type: ignore[attr-defined]
