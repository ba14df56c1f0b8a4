"""Runs nvdisasm on raw machine code, and starts it before the code is known.

nvdisasm reads its input, builds tables for 0.17 s (sm_75) to 0.31 s (sm_120), opens its input a second time, and then
prints at once. On Linux a lease on a file holds up whoever opens it, so with one on the input the tables are built
while the compilers are still at work. Where that does not do, nvdisasm is started when the code is there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from mutate.errors import KmutateError

_LIMIT_SECONDS = 120
_POLL_SECONDS = 0.001


def _command(program: str, arch: str, path: Path) -> list[str]:
    return [program, "--binary", "SM" + arch.removeprefix("sm_"), "--print-instruction-encoding", "--no-dataflow",
            str(path)]


def run_nvdisasm(program: str, arch: str, code: bytes) -> str:
    """What nvdisasm prints for raw code of an ``arch`` (``sm_90``). Raises ``KmutateError`` ``nvdisasm-failed``."""
    with tempfile.TemporaryDirectory(prefix="kmutate-") as folder:
        path = Path(folder) / "code.bin"
        path.write_bytes(code)
        try:
            result = subprocess.run(_command(program, arch, path), capture_output=True, text=True, check=False,
                                    timeout=_LIMIT_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise KmutateError("nvdisasm-failed", f"nvdisasm did not run: {error}") from error
    if result.returncode != 0:
        said = next((line for line in result.stderr.splitlines() if line.strip()), f"exit code {result.returncode}")
        raise KmutateError("nvdisasm-failed", f"nvdisasm cannot read the code for {arch}: {said.strip()}",
                           hint="install the nvdisasm of the same CUDA release as NVRTC, or use --no-verify")
    return result.stdout


class WaitingNvdisasm:
    """One nvdisasm that has been started and waits for its input. Raises ``OSError`` where files cannot be leased."""

    def __init__(self, program: str, arch: str) -> None:
        if sys.platform != "linux":
            raise OSError("no leases")
        self._folder = Path(tempfile.mkdtemp(prefix="kmutate-"))
        self._input = self._folder / "code.bin"
        self._held: list[int] = []
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        try:
            # nvdisasm gets to see the first file when it reads for the first time, the second one ever after.
            self._first = self._hold(self._input, bytes(16))
            self._second = self._hold(self._folder / "next.bin", b"")
            self._process = subprocess.Popen(_command(program, arch, self._input), stdout=subprocess.PIPE,
                                             stderr=subprocess.DEVNULL, text=True)
        except BaseException:
            self.close()
            raise
        self._thread = threading.Thread(target=self._exchange, args=(self._process,), daemon=True)
        self._thread.start()

    def _hold(self, path: Path, content: bytes) -> int:
        import fcntl

        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._held.append(file)
        os.write(file, content)
        # The kernel says by a signal that somebody wants the file; by default SIGIO, which would end this process.
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        return file

    def _exchange(self, process: subprocess.Popen[str]) -> None:
        """Waits until the first file is being opened, puts the second one in its place, and lets go of the first."""
        import fcntl

        with contextlib.suppress(OSError):
            while fcntl.fcntl(self._first, fcntl.F_GETLEASE) == fcntl.F_WRLCK:
                if self._closed or process.poll() is not None:
                    return
                time.sleep(_POLL_SECONDS)
            (self._folder / "next.bin").replace(self._input)
            fcntl.fcntl(self._first, fcntl.F_SETLEASE, fcntl.F_UNLCK)

    def run(self, code: bytes) -> str | None:
        """What nvdisasm prints for raw code; ``None`` when it did not do as expected. Can be called once."""
        import fcntl

        if self._process is None:
            return None
        try:
            self._thread.join(_LIMIT_SECONDS)
            with open(self._second, "wb", closefd=False) as file:
                file.write(code)
            fcntl.fcntl(self._second, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            out, _ = self._process.communicate(timeout=_LIMIT_SECONDS)
            return out if self._process.returncode == 0 else None
        except (OSError, subprocess.TimeoutExpired):
            return None
        finally:
            self.close()

    def close(self) -> None:
        """Ends the process, when it has not ended, and removes its files."""
        self._closed = True
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()
            if process.stdout is not None:
                process.stdout.close()
            process.wait()
            self._thread.join()
        while self._held:
            os.close(self._held.pop())
        shutil.rmtree(self._folder, ignore_errors=True)


def start_nvdisasm(program: str | None, arch: str) -> WaitingNvdisasm | None:
    """Starts nvdisasm ahead of its input; ``None`` where that is not possible."""
    if program is None:
        return None
    try:
        return WaitingNvdisasm(program, arch)
    except OSError:
        return None
