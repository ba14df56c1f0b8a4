"""A progress line for what takes over a second; on a terminal only, on stderr, gone when done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Below this nothing is shown: a line that flickers by is noise. Seconds.
_PATIENCE = 0.8


@contextmanager
def stage_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Gives ``progress(what, done, total)``; a total of 0 is unknown and will take long, so that is shown at once."""
    start = time.monotonic()
    bar: Any = None
    task: Any = None

    def progress(what: str, done: int, total: int) -> None:
        nonlocal bar, task
        if not sys.stderr.isatty() or (total and time.monotonic() - start < _PATIENCE):
            return
        if bar is None:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            from mutate.report.console import PlainConsole

            bar = Progress(TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
                           console=PlainConsole(stderr=True), transient=True)
            bar.start()
            task = bar.add_task(what, total=total or None)
        bar.update(task, description=what, completed=done, total=total or None)

    try:
        yield progress
    finally:
        if bar is not None:
            bar.stop()
