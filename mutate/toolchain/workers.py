"""Compiler processes: one per core, each with its own NVRTC, so that a crash, a hang or Ctrl-C harms one job only.

Measured on two cores with nine compiles of a 50 ms kernel: two processes 0.25 s, two threads of one process 0.25 s,
nine threads 0.27 s, one after the other 0.44 s. So processes cost nothing, and they can be killed.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, cast

from mutate.toolchain import worker
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.worker import Reply, Request

# Codes of ours for a job that has no answer.
TIMED_OUT = -3
CRASHED = -4

_SCRIPT = worker.__file__
# The most processes worth starting: each one maps a library of 140 MB.
_MOST = 8


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Process:
    """One compiler process. Not thread-safe: one thread talks to it at a time."""

    def __init__(self, library: str) -> None:
        import subprocess
        import tempfile

        # A file and not a pipe: nobody reads it while the process runs, and a full pipe would block it.
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        # Where there is a driver, NVRTC (12.9 and later) keeps what it compiled, and what it finds again has no report
        # of ptxas: an original and its identity would have other spills.
        self._process = subprocess.Popen([sys.executable, "-I", "-S", _SCRIPT, library], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=self._stderr,
                                         env=os.environ | {"CUDA_CACHE_DISABLE": "1"})
        self._late = False
        self._closing = threading.Lock()

    def ask(self, request: Request, limit: float) -> Reply:
        """The reply, or a ``TIMED_OUT`` or ``CRASHED`` one, after which the process is gone."""
        requests, replies = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        timer = threading.Timer(limit, self._expire)
        timer.daemon = True
        timer.start()
        try:
            marshal.dump(request, requests)
            requests.flush()
            reply: Reply = marshal.load(replies)
            return reply
        except (EOFError, OSError, ValueError, TypeError):
            self.kill()
            if self._late:
                return TIMED_OUT, f"the compiler was stopped after its time limit of {limit:g} s", b"", "", (), limit
            return CRASHED, self._last_words(), b"", "", (), 0.0
        finally:
            timer.cancel()

    def _expire(self) -> None:
        self._late = True
        self.kill()

    def _last_words(self) -> str:
        code = self._process.wait()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        self._stderr.seek(0)
        said = self._stderr.read()[-2000:].decode(errors="replace").strip()
        return f"the compiler process {how}" + (f": {said}" if said else "")

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()

    def reap(self) -> None:
        """Wait for the end of a process that was killed; safe while another thread does the same."""
        self._process.wait()

    def close(self) -> None:
        self.kill()
        # The thread that talked to it and ``Pool.close`` may both come here, and a stream is closed by one at a time.
        with self._closing:
            for stream in (self._process.stdin, self._process.stdout, self._stderr):
                if stream is not None:
                    # A dead reader makes closing the write end fail with what is still in its buffer.
                    with contextlib.suppress(OSError):
                        stream.close()
        self._process.wait()


class Pool:
    """Runs requests on up to ``size`` processes, which stay for later calls until ``close``."""

    def __init__(self, library: str, size: int | None = None) -> None:
        self.library = library
        self.size = max(1, min(size or cores(), _MOST))
        self.pid = os.getpid()
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._todo: deque[tuple[Request, float, Callable[[Reply], Request | None]]] = deque()
        self._threads = 0
        self._asking = 0
        self._epoch = 0
        """Of ``close``: what was taken up before it is not begun after it."""
        self.patience = float("inf")
        """Seconds at most for what is still to be asked, whatever its own limit is."""
        self._since = self._seconds = 0.0
        self._lock = threading.Lock()
        self._in_process: worker.Nvrtc | None = None

    def prestart(self, count: int | None = None) -> None:
        """Start processes now; they load NVRTC while the caller does something else."""
        for _ in range(min(count or self.size, self.size) - len(self._idle)):
            process = self._spawn()
            if process is None:
                return
            self._idle.append(process)

    def submit(self, request: Request, limit: float, done: Callable[[Reply], Request | None]) -> None:
        """Ask for one reply and return at once. ``limit`` is in seconds per request.

        ``done`` hears the reply in a thread of the pool; a request that it returns is asked next, by the same thread.
        It must not raise.
        """
        with self._lock:
            self._todo.append((request, limit, done))
            if self._threads >= self.size:
                return
            self._threads += 1
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._todo:
                    self._threads -= 1
                    return
                following, limit, done = self._todo.popleft()
                epoch = self._epoch
                if not self._asking:
                    self._since = time.perf_counter()
                self._asking += 1
            request: Request | None = following
            while request is not None:
                request = done(self._one(request, min(limit, self.patience), epoch))
            with self._lock:
                self._asking -= 1
                if not self._asking:
                    self._seconds += time.perf_counter() - self._since

    @property
    def seconds(self) -> float:
        """Wall time during which at least one request was under way."""
        with self._lock:
            return self._seconds + (time.perf_counter() - self._since if self._asking else 0.0)

    def run(self, requests: Sequence[Request], limit: float) -> list[Reply]:
        """All replies, in the order of the requests."""
        replies: dict[int, Reply] = {}
        ended: queue.SimpleQueue[None] = queue.SimpleQueue()

        def hear(index: int, reply: Reply) -> None:
            replies[index] = reply
            ended.put(None)

        try:
            for index, request in enumerate(requests):
                self.submit(request, limit, partial(hear, index))
            for _ in requests:
                ended.get()
        except BaseException:
            # Ctrl-C: kill what runs, so that the threads end at once.
            self.close()
            raise
        return [replies[i] for i in range(len(requests))]

    def _one(self, request: Request, limit: float, epoch: int) -> Reply:
        process = self._take()
        with self._lock:
            closed = epoch != self._epoch
            if process is not None and not closed:
                self._busy.add(process)
        if closed:
            if process is not None:
                process.close()
            return CRASHED, "the compiler was stopped", b"", "", (), 0.0
        if process is None:
            return self._local(request, limit)
        try:
            reply = process.ask(request, limit)
        finally:
            with self._lock:
                self._busy.discard(process)
        if process.alive and reply[0] not in (TIMED_OUT, CRASHED):
            with self._lock:
                self._idle.append(process)
        else:
            process.close()
        return reply

    def _take(self) -> _Process | None:
        with self._lock:
            while self._idle:
                process = self._idle.pop()
                if process.alive:
                    return process
                process.close()
        return self._spawn()

    def _spawn(self) -> _Process | None:
        """A new process, or ``None`` where there is no interpreter to run (embedded, frozen, zipped)."""
        if not sys.executable or not Path(_SCRIPT).is_file():
            return None
        try:
            return _Process(self.library)
        except OSError:
            return None

    def _local(self, request: Request, limit: float) -> Reply:
        """Without processes: in this one, where a crash cannot be contained and the limit waits for a phase to end."""
        try:
            with self._lock:
                self._in_process = self._in_process or worker.Nvrtc(self.library)
        except (OSError, AttributeError) as error:
            return worker.NOT_LOADED, str(error), b"", "", (), 0.0
        return self._in_process.compile(request, limit)

    def close(self) -> None:
        """End all processes, also those at work, and forget what is queued."""
        with self._lock:
            self._epoch += 1
            self._todo.clear()
            processes = [*self._idle, *self._busy]
            self._idle.clear()
        for process in processes:
            process.kill()
        for process in processes:
            # One at work is closed by the thread that talks to it, which may never get to it after Ctrl-C.
            process.reap()
            if process not in self._busy:
                process.close()


_pools: dict[str, Pool] = {}


def shared_pool(library: str) -> Pool:
    """The process-wide pool for a library. After a fork the child gets its own: pipes cannot be shared."""
    pool = _pools.get(library)
    if pool is None or pool.pid != os.getpid():
        pool = _pools[library] = Pool(library)
    return pool


def prestart(count: int | None = None) -> None:
    """Start the compiler processes now, so that they load NVRTC while the caller parses; does nothing without NVRTC."""
    library = find_toolchain().nvrtc
    if library is not None:
        shared_pool(library).prestart(count)


@atexit.register
def close_pools() -> None:
    """End the shared pools' processes (also at exit)."""
    for pool in list(_pools.values()):
        if pool.pid == os.getpid():
            pool.close()
    _pools.clear()
