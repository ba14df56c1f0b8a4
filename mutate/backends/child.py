"""The measuring process: answers requests from stdin until it ends, and says twice a second what it is at.

Run as a script by ``process.Child``. Its first message says where to import from and which driver to take; both come
from the parent's own code, never from the user. What kernels print goes nowhere: the replies leave by another way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mutate.backends.frames import Message

BEAT_SECONDS = 0.5
WAITING = "waiting"
"""What it is at between two requests."""


class Replies:
    """The way back to the parent, shared by the answers and the beats. Ends the process when nobody listens."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._phase: tuple[str, int | None, float] = ("starting", None, time.monotonic())

    def enter(self, phase: str, run: int | None = None) -> None:
        """Notes what is being done from now on; ``run`` is the number of the launch that is waited for."""
        self._phase = (phase, run, time.monotonic())

    def send(self, message: Message, data: bytes = b"") -> None:
        from mutate.backends.frames import write_frame

        try:
            with self._lock:
                write_frame(self._stream, message, data)
        except OSError:
            os._exit(1)

    def beat(self, parent: int) -> None:
        """The loop of the beating thread."""
        while True:
            time.sleep(BEAT_SECONDS)
            if os.name == "posix" and os.getppid() != parent:
                os._exit(1)
            phase, run, since = self._phase
            self.send({"beat": phase, "run": run, "seconds": time.monotonic() - since})


def _driver(message: dict[str, Any]) -> Any:
    import importlib

    module, _, name = message["driver"].partition(":")
    return getattr(importlib.import_module(module), name)(message["device"], **message["options"])


def serve(requests: IO[bytes], stream: IO[bytes]) -> None:
    """Answers requests until there are no more."""
    from mutate.backends.driver import DriverError
    from mutate.backends.frames import read_frame
    from mutate.backends.work import Work

    replies = Replies(stream)
    threading.Thread(target=replies.beat, args=(os.getppid() if os.name == "posix" else 0,), daemon=True).start()
    work: Work | None = None
    while True:
        frame = read_frame(requests)
        if frame is None:
            return
        message, data = frame
        replies.enter(message["do"])
        try:
            if work is None:
                work = Work(_driver(message), replies.enter)
            answer, out = work.answer(message, data)
        except DriverError as error:
            replies.send({"error": str(error.outcome), "message": error.message, "lost": error.lost,
                          "asked": error.asked, "free": error.free, "run": work.current if work else None})
        except Exception as error:
            replies.send({"failed": f"{type(error).__name__}: {error}"})
        else:
            replies.send(answer, out)
        replies.enter(WAITING)


def _main() -> None:
    import json
    import struct

    # Ctrl-C goes to the whole process group; the parent decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - before anything else is imported
        os.dup2(nowhere.fileno(), 1)
    size = struct.unpack("<I", requests.read(4))[0]
    sys.path[:] = json.loads(requests.read(size))
    with contextlib.suppress(KeyboardInterrupt):
        serve(requests, replies)


if __name__ == "__main__":
    _main()
    # Without the clean-up of libraries, which may wait for a device that does not answer.
    os._exit(0)
