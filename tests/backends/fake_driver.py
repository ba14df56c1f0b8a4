"""A driver that pretends: memory is bytes, time is a number, and kernels do what the test says of their entry."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from mutate.backends.driver import Dim, DriverError
from mutate.timing import RunOutcome

GPU = {"name": "Fake", "capability": [9, 0], "driver": "1.0", "sm_count": 2, "uuid": "GPU-fake",
       "memory_bytes": 1 << 30, "l2_bytes": 1 << 16, "sm_mhz": 1000.0, "runtime": "fake"}


class FakeDriver:
    """``kernels``: entry → what it does (see ``_run``). ``log``: a file that hears of every call."""

    def __init__(self, device: int, kernels: dict[str, dict[str, Any]] | None = None, memory: int = 1 << 30,
                 log: str = "", gpu: dict[str, Any] | None = None, broken: str = "", clocks: list[Any] | None = None,
                 late: int = 0) -> None:
        if broken:
            raise RuntimeError(broken)
        self.kernels, self.memory, self.log = kernels or {}, memory, log
        self.gpu = {**GPU, **(gpu or {})}
        self.arrays: dict[int, bytearray] = {}
        self.next = 1 << 20
        self.now = 0.0
        self.launches: dict[str, int] = {}
        self.hanging = False
        self.late = late
        self.fault: DriverError | None = None
        self.reports = list(clocks or [])
        self._say("process", os.getpid())

    def _say(self, *what: Any) -> None:
        if self.log:
            with Path(self.log).open("a") as file:
                file.write(json.dumps(what) + "\n")

    def describe(self) -> dict[str, Any]:
        return self.gpu

    def clocks(self) -> dict[str, Any]:
        return self.reports.pop(0) if len(self.reports) > 1 else self.reports[0] if self.reports else {}

    def alloc(self, nbytes: int) -> int:
        if nbytes > self.available():
            raise DriverError(RunOutcome.OUT_OF_MEMORY, "no memory")
        address = self.next
        self.next += (nbytes + 4095) // 4096 * 4096
        self.arrays[address] = bytearray(b"\xcd" * nbytes)
        return address

    def free(self, address: int) -> None:
        del self.arrays[address]

    def available(self) -> int:
        return self.memory - sum(map(len, self.arrays.values()))

    def _at(self, address: int) -> tuple[bytearray, int]:
        base = max(a for a in self.arrays if a <= address)
        return self.arrays[base], address - base

    def upload(self, address: int, data: bytes) -> None:
        array, at = self._at(address)
        array[at : at + len(data)] = data
        self._say("upload", len(data))

    def download(self, address: int, nbytes: int) -> bytes:
        array, at = self._at(address)
        return bytes(array[at : at + nbytes])

    def zero(self, address: int, nbytes: int) -> None:
        self.upload(address, bytes(nbytes))

    def copy(self, target: int, source: int, nbytes: int) -> None:
        self.upload(target, self.download(source, nbytes))

    def load(self, cubin: bytes) -> Any:
        self._say("load", len(cubin))
        return cubin

    def function(self, module: Any, entry: str) -> Any:
        return entry

    def symbol(self, module: Any, name: str) -> int | None:
        self._say("symbol", name)
        return self.alloc(256)

    def attributes(self, function: Any) -> dict[str, int]:
        return {"registers": 32, "local_bytes": 0, "threads": 1024, "static_smem": 0}

    def configure(self, function: Any, dynamic_smem: int, carveout_percent: int | None) -> None:
        self._say("configure", function, dynamic_smem, carveout_percent)
        if dynamic_smem > 227 * 1024:
            raise DriverError(RunOutcome.LAUNCH_FAILED, "CUDA_ERROR_INVALID_VALUE: too much shared memory")

    def resident_blocks(self, function: Any, threads: int, dynamic_smem: int) -> int:
        return 4

    def bind(self, function: Any, grid: Dim, block: Dim, dynamic_smem: int, parameters: bytes) -> Any:
        return function, tuple(grid), tuple(block), dynamic_smem, parameters

    def launch(self, bound: Any) -> None:
        entry, grid, _, _, parameters = bound
        self._say("launch", entry, *grid)
        if entry == "kmutate_empty":
            self.now += 0.002
        elif entry == "kmutate_pause":
            self.now += int.from_bytes(parameters, "little") / (self.gpu["sm_mhz"] * 1e3)
        elif "fill_kernel" in entry:
            array, _ = self._at(int.from_bytes(parameters[:8], "little"))
            array[:] = bytes(len(array))
        elif entry in self.kernels:
            self.launches[entry] = self.launches.get(entry, 0) + 1
            self._run(entry, self.kernels[entry], self.launches[entry], parameters)

    def _run(self, entry: str, does: dict[str, Any], nth: int, parameters: bytes) -> None:
        """``from``: does it at this launch and after. ``once``: a file that is left so that it is done only once."""
        time.sleep(does.get("sleep", 0.0))
        ms = does.get("ms", 1.0)
        times = does.get("times")
        self.now += times[(nth - 1) % len(times)] if times else ms
        if does.get("counts"):
            array, at = self._at(int.from_bytes(parameters[:8], "little"))
            self.now += array[at]
            array[at] += 1
        what = does.get("what", "")
        if not what or nth < does.get("from", 1):
            return
        if "once" in does:
            if Path(does["once"]).exists():
                return
            Path(does["once"]).touch()
        if what == "hang":
            self.hanging = True
        elif what == "block":
            time.sleep(1000)
        elif what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == "refuse":
            raise DriverError(RunOutcome.LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: refused")
        elif what == "print":
            os.write(1, b"printed by a kernel\n" * 1000)
        elif what == "fault":
            self.fault = DriverError(RunOutcome.ILLEGAL_ACCESS, "CUDA_ERROR_ILLEGAL_ADDRESS", lost=True)

    def event(self) -> Any:
        return [0.0, False]

    def record(self, event: Any) -> None:
        event[:] = self.now, False

    def done(self, event: Any) -> bool:
        if self.fault is not None:
            raise self.fault
        if self.late > 0:
            self.late -= 1
            return True
        # The device is behind the host by one question.
        asked, event[1] = event[1], True
        return asked and not self.hanging

    def elapsed_ms(self, start: Any, stop: Any) -> float:
        return float(round(stop[0] - start[0], 6))
