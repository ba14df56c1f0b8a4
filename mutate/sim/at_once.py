"""Several pieces of work at once in threads, for what leaves Python's lock while it runs, as compiled code does."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import TypeVar

from mutate.toolchain.workers import cores

_T = TypeVar("_T")
_PATIENCE = 0.2
"""Seconds between looks for Ctrl-C, which some systems do not tell a thread that waits."""


@contextlib.contextmanager
def at_once(work: Sequence[Callable[[], _T]], most: int) -> Iterator[list[Callable[[], _T]]]:
    """Begins the work in order, up to ``most`` of it and one for each core at a time, and gives the waits for it in

    order: each returns what its work does, or raises what that raised. Who leaves early leaves undone what has not
    begun, and behind what runs: machine code cannot be interrupted, and Python waits for an executor's threads when it
    ends.
    """
    futures: list[Future[_T]] = [Future() for _ in work]
    left: queue.SimpleQueue[tuple[Future[_T], Callable[[], _T]]] = queue.SimpleQueue()
    for pair in zip(futures, work, strict=True):
        left.put(pair)
    try:
        for _ in range(min(most, cores(), len(work))):
            threading.Thread(target=_work_off, args=(left,), daemon=True).start()
        yield [_wait_for(future) for future in futures]
    finally:
        for future in futures:
            future.cancel()


def alone(work: Callable[[], _T]) -> _T:
    """Does it where Ctrl-C need not wait for it."""
    with at_once([work], 1) as (wait,):
        return wait()


def _work_off(left: queue.SimpleQueue[tuple[Future[_T], Callable[[], _T]]]) -> None:
    while True:
        try:
            future, work = left.get_nowait()
        except queue.Empty:
            return
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(work())
        except BaseException as error:  # raised again where it is waited for
            future.set_exception(error)


def _wait_for(future: Future[_T]) -> Callable[[], _T]:
    def wait() -> _T:
        while not future.done():
            try:
                future.exception(_PATIENCE)
            except NotYet:
                continue
        return future.result()

    return wait
