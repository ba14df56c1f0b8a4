"""Bounds for what a source text can make kmutate do: time, and depth of recursion.

A text of a few kilobytes can be made that takes hours to read (a regular expression that starts over at every quote, a
dependence on everything for everything). Nobody writes such kernels; whoever sends one gets an error.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from mutate.errors import KmutateError

READING = 10
"""Seconds of computing for reading a file, and for making the variants of one kernel.

Of 1,300 kernels of real projects the slowest takes 1 s, and a file a hundredth of it for each 10 KB.
"""


def too_slow(what: str, file: str) -> KmutateError:
    """The error for what takes longer than ``READING``."""
    return KmutateError("too-slow", f"{what} {file} takes more than {READING:g} s of computing", file=file,
                        hint="is it generated? give the kernel in a file of its own")


@contextmanager
def within(seconds: float, late: KmutateError) -> Iterator[None]:
    """Raises ``late`` in what computes for longer: in the main thread only, where the system has timers, and none runs.

    Seconds of computing, not of waiting: how busy the machine is decides nothing. Python looks for signals between its
    own instructions and in the search for a regular expression.
    """
    def expire(number: int, frame: FrameType | None) -> None:
        raise late

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread() or \
            signal.getitimer(signal.ITIMER_VIRTUAL) != (0.0, 0.0):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, expire)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before if before is not None else signal.SIG_DFL)


@contextmanager
def bounded(what: str, file: str) -> Iterator[None]:
    """Ends what takes too long or nests too deeply with ``KmutateError``: ``too-slow``, ``too-deep``, ``too-large``.

    Time is bounded as by ``within``.
    """
    try:
        with within(READING, too_slow(what, file)):
            yield
    except RecursionError:
        raise KmutateError("too-deep", f"{file} nests expressions or blocks too deeply to be read", file=file,
                           hint="split the expression") from None
    except MemoryError:
        raise KmutateError("too-large", f"{what} {file} takes more memory than there is", file=file,
                           hint="give the kernel in a file of its own") from None
