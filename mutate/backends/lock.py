"""One measurement at a time on a GPU: two processes that time kernels together would time each other."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from mutate.timing import Gpu

_POLL = 0.1


@contextlib.contextmanager
def exclusive(gpu: Gpu, folder: Path | None, progress: Callable[[str, int, int], None]) -> Iterator[None]:
    """Holds the GPU for this process among all that use the same ``folder`` (kmutate's cache).

    Waits, and says so. Without a folder, or where files cannot be locked, there is nothing to hold. A process that
    dies lets go.
    """
    handle = _open(gpu, folder)
    if handle is None:
        yield
        return
    with handle:
        _acquire(handle, progress)
        yield


def _open(gpu: Gpu, folder: Path | None) -> IO[bytes] | None:
    if folder is None:
        return None
    name = re.sub(r"[^A-Za-z0-9-]", "-", gpu.uuid or gpu.name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / f"gpu-{name}.lock").open("ab")
    except OSError:
        return None


def _acquire(handle: IO[bytes], progress: Callable[[str, int, int], None]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    waiting = False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if not waiting:
                progress("waiting for another kmutate that is using the GPU", 0, 0)
            waiting = True
            time.sleep(_POLL)
        except OSError:
            return
