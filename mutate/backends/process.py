"""The parent's side of the measuring process: starts it, asks it, hears its beats, and kills it when it hangs.

A launch that does not end cannot be cancelled, and one that faults takes the context with it. Both are only got rid of
together with their process.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, cast

from mutate.backends.child import WAITING
from mutate.backends.frames import Message, read_frame, write_frame
from mutate.backends.libcuda import from_message
from mutate.errors import KmutateError
from mutate.timing import Gpu, RunOutcome

CUPY_DRIVER = "mutate.backends.cupy_driver:CupyDriver"
# Seconds that a request may take that is no launch (starting means importing CuPy, perhaps from a slow disk).
_START_LIMIT, _REQUEST_LIMIT = 180.0, 120.0
# Seconds between two looks at the clock while waiting for an answer.
_LOOK = 0.25
# Seconds that a killed process may take to end.
_END_SECONDS = 30.0
_WORDS = 2000


class FaultError(Exception):
    """A request failed. ``lost``: the process, or its context, is gone. ``run`` is the number of the launch that was

    under way, ``None`` when it was none. ``died``: the process ended without a word, so the run may be innocent.
    """

    def __init__(self, outcome: RunOutcome, message: str, *, run: int | None = None, lost: bool = True,
                 died: bool = False, asked: int = 0, free: int = 0) -> None:
        super().__init__(message)
        self.outcome, self.message, self.run, self.lost, self.died = outcome, message, run, lost, died
        self.asked, self.free = asked, free


class Child:
    """One measuring process. ``gpu`` is known once ``start`` has returned.

    Raises ``KmutateError`` ``gpu-process`` where no process can be started.
    """

    def __init__(self, device: int, driver: str = CUPY_DRIVER, options: Mapping[str, Any] | None = None) -> None:
        self.device, self.driver, self.options = device, driver, dict(options or {})
        self.gpu: Gpu | None = None
        self.busy_at = 0.0
        """When the GPU was last known to be busy (``time.monotonic``)."""
        # A file and not a pipe: nobody reads it while the process runs, and a full pipe would block it.
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        script = Path(__file__).with_name("child.py")
        # -P: no module of the working directory is to be found in place of another.
        try:
            self._process = subprocess.Popen([sys.executable, "-P", str(script)], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=self._stderr)
        except (OSError, TypeError, ValueError) as error:  # a frozen or embedded interpreter has no executable
            raise KmutateError("gpu-process", f"no process can be started to measure in: {error}",
                               hint="run kmutate with an installed Python") from None
        self._answers: queue.SimpleQueue[tuple[dict[str, Any], bytes] | None] = queue.SimpleQueue()
        self._heard = time.monotonic()
        self._requests = cast("IO[bytes]", self._process.stdin)
        threading.Thread(target=self._listen, daemon=True).start()
        self._begin()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _begin(self) -> None:
        """Sends what is needed to import the driver, and lets it start; ``start`` hears the answer."""
        paths = json.dumps([os.path.abspath(p) for p in sys.path]).encode()  # noqa: PTH100 - entries may be no files
        with contextlib.suppress(OSError):
            self._requests.write(struct.pack("<I", len(paths)) + paths)
            write_frame(self._requests, {"do": "start", "driver": self.driver, "device": self.device,
                                         "options": self.options})

    def start(self) -> Gpu:
        """Waits until the process is ready. Raises ``KmutateError`` ``gpu-process`` when it cannot measure."""
        if self.gpu is None:
            try:
                answer, _ = self._await(_START_LIMIT)
            except FaultError as fault:
                raise KmutateError("gpu-process", f"the process that measures does not start: {fault.message}",
                                   hint="`kmutate doctor` says what is missing") from None
            self.gpu = from_message(answer["gpu"])
        return self.gpu

    def ask(self, message: Message, data: bytes = b"", *, limit: float | None = None) -> tuple[dict[str, Any], bytes]:
        """The answer to a request. ``limit``: seconds that a single launch within it may take.

        Raises ``FaultError``; after one that is ``lost`` this process is dead.
        """
        self.start()
        try:
            write_frame(self._requests, message, data)
        except (OSError, ValueError):
            raise self._died(message.get("run")) from None
        return self._await(_REQUEST_LIMIT if limit is None else limit, message.get("run"))

    def _await(self, limit: float, run: int | None = None) -> tuple[dict[str, Any], bytes]:
        self._heard = time.monotonic()
        while True:
            try:
                frame = self._answers.get(timeout=_LOOK)
            except queue.Empty:
                if time.monotonic() - self._heard > limit:
                    raise self._stalled(run, limit) from None
                continue
            if frame is None:
                raise self._died(run)
            answer, data = frame
            if "beat" in answer:
                run = answer["run"] if answer["run"] is not None else run
                if answer["seconds"] > limit:
                    raise self._stalled(run, limit)
            elif "error" in answer:
                if answer["lost"]:
                    self.kill()
                raise FaultError(RunOutcome(answer["error"]), answer["message"], run=answer["run"], lost=answer["lost"],
                            asked=answer["asked"], free=answer["free"])
            elif "failed" in answer:
                self.kill()
                raise FaultError(RunOutcome.LAUNCH_FAILED, f"the process that measures failed: {answer['failed']}",
                                 run=run)
            else:
                return answer, data

    def _listen(self) -> None:
        stream = cast("IO[bytes]", self._process.stdout)
        frame: tuple[dict[str, Any], bytes] | None = ({}, b"")
        while frame is not None:
            try:
                frame = read_frame(stream)
            except (OSError, ValueError):
                frame = None
            self._heard = time.monotonic()
            # Beats of a process that waits for requests would pile up.
            if frame is None or frame[0].get("beat") != WAITING:
                self._answers.put(frame)

    def _stalled(self, run: int | None, limit: float) -> FaultError:
        self.kill()
        what = "the launch did not end" if run is not None else "the GPU did not answer"
        return FaultError(RunOutcome.TIMEOUT, f"{what} within {limit:g} s; its process was killed", run=run)

    def _died(self, run: int | None) -> FaultError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)  # its pipe is closed; its own end says more than ours
        self.kill()
        code = self._process.returncode
        how = "ended" if code is None else f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        self._stderr.seek(0)
        said = self._stderr.read()[-_WORDS:].decode(errors="replace").strip()
        return FaultError(RunOutcome.LAUNCH_FAILED, f"the process that measures {how}" + (f": {said}" if said else ""),
                     run=run, died=True)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """Ends the process, whatever it is at, and waits for its end, which a driver may delay while it clears up."""
        with contextlib.suppress(OSError):
            self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        # Closing flushes, which fails when the reader is gone.
        with contextlib.suppress(OSError, ValueError):
            self._requests.close()


_idle: dict[tuple[int, str, str], Child] = {}
"""Processes between two measurements: starting one takes a second."""


def _key(device: int, driver: str, options: Mapping[str, Any] | None) -> tuple[int, str, str]:
    return device, driver, json.dumps(dict(options or {}), sort_keys=True)


def prestart(device: int = 0, driver: str = CUPY_DRIVER, options: Mapping[str, Any] | None = None) -> None:
    """Starts a measuring process, so that it imports CuPy and makes its context while the caller compiles."""
    key = _key(device, driver, options)
    if key not in _idle or not _idle[key].alive:
        _idle[key] = Child(device, driver, options)


def take(device: int, driver: str = CUPY_DRIVER, options: Mapping[str, Any] | None = None) -> Child:
    """An idle process or a new one; to be given back, or killed."""
    child = _idle.pop(_key(device, driver, options), None)
    if child is not None and child.alive:
        return child
    return Child(device, driver, options)


def give_back(child: Child) -> None:
    """Keeps a process that waits for requests for the next who needs one."""
    other = _idle.get(_key(child.device, child.driver, child.options))
    if child.alive and (other is None or not other.alive):
        _idle[_key(child.device, child.driver, child.options)] = child
    elif other is not child:
        child.kill()


def hire(device: int, driver: str = CUPY_DRIVER, options: Mapping[str, Any] | None = None) -> Callable[[], Child]:
    return lambda: take(device, driver, options)


@atexit.register
def close_all() -> None:
    """Ends the idle processes (also at exit)."""
    while _idle:
        _idle.popitem()[1].kill()
