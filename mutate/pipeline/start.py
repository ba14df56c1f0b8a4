"""Starts the compiler processes before anything else is loaded, unless a run like this one needed none.

Imports as little as it can: while NVRTC loads on one core, this process loads the rest on another.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mutate.files import read_file
from mutate.results import Request
from mutate.toolchain import workers
from mutate.toolchain.cache import default_cache, digest

# Raise with every change of what a run compiles.
_FORMAT = "1"
_KIND = "complete"


def _key(request: Request, source: bytes, command: str) -> str:
    return digest(_FORMAT, command, source, repr(replace(request, output=Path())))


def start_compilers(request: Request, command: str = "variants") -> None:
    """Lets the compiler processes load NVRTC, when this run is likely to need them. Never fails.

    Only a guess: a run that misses something in the cache starts them then.
    """
    if not request.verify:
        return
    try:
        source = read_file(request.path) if request.text is None else request.text
    except OSError:
        return
    if default_cache().get(_KIND, _key(request, source, command)) is None:
        workers.prestart()


def remember_complete(request: Request, source: bytes, command: str = "variants") -> None:
    """Notes that all that a request needs is in the cache now."""
    default_cache().put(_KIND, _key(request, source, command), b"")
