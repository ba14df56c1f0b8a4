"""Launches everything in the measuring process and notes what came of it."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mutate.backends import process
from mutate.backends.process import CUPY_DRIVER, Child, FaultError
from mutate.backends.tools import arch_of, compiled, template_text, tool_cubin
from mutate.calibrate.launches import MEMORY, OUT_BYTES, Launch, launches, memory_bytes
from mutate.calibrate.probes import FILE as ARITHMETIC
from mutate.calibrate.probes import GROUPS, PROBES
from mutate.calibrate.records import Recording, summarized
from mutate.errors import KmutateError
from mutate.timing import Gpu
from mutate.toolchain.cache import digest
from mutate.toolchain.nvrtc import Job
from mutate.toolchain.options import CompileOptions

Progress = Callable[[str, int, int], None]
# A launch takes at most some tens of milliseconds.
_LIMIT = 20.0
# What is not measured but must run.
_ESSENTIAL = ("scramble",)
_LOOK_EVERY = 60
# Processes that may be lost to kernels that fault.
_MOST_LOSSES = 5


def kernel_binaries(capability: tuple[int, int]) -> dict[tuple[str, int], bytes]:
    """The cubins by file and part of it. Raises ``KmutateError`` ``gpu-tools`` where one does not compile."""
    arch = arch_of(capability)
    keys = [(ARITHMETIC, group) for group in range(GROUPS)] + [(MEMORY, 0)]
    jobs = []
    for file, group in keys:
        entry = next(f"{p.name}_1" for p in PROBES if p.group == group) if file == ARITHMETIC else "nothing_at_all"
        options = CompileOptions(arch, extra=(f"-DGROUP={group}",))
        jobs.append(Job(template_text(file), file.rpartition("/")[2], entry, options))
    return {key: done.cubin for key, done in zip(keys, compiled(jobs), strict=True)}


def measure_all(gpu: Gpu, command: str, progress: Progress = lambda *_: None, *, device: int = 0,
                driver: str = CUPY_DRIVER, options: Mapping[str, Any] | None = None) -> Recording:
    """Measures the GPU (some seconds). ``command`` is what the user typed, for the record.

    A launch that is refused, faults or hangs is noted in ``failed``. Raises ``KmutateError``: ``calibrate-failed``
    where too many do, or memory does not suffice; ``gpu-process`` and ``gpu-tools`` as ``measure`` does.
    """
    progress("compiling kernels", 0, 0)
    bench = _Bench(process.hire(device, driver, options), kernel_binaries(gpu.capability), tool_cubin(gpu.capability),
                   progress)
    try:
        gpu = bench.run()
    except FaultError as fault:
        bench.drop()
        raise KmutateError("calibrate-failed", f"the kernels of kmutate calibrate do not run on {gpu.name}: "
                           f"{fault.message}", hint="close other programs that use the GPU; `kmutate doctor` says "
                           "whether it works otherwise") from None
    except BaseException:
        bench.drop()
        raise
    bench.give_back()
    clocks = (min(bench.clocks), max(bench.clocks)) if bench.clocks else None
    return Recording(gpu, datetime.date.today().isoformat(), command, clocks, bench.results, bench.failed)


class _Bench:
    """``hire`` gives a process that measures, and is asked again when one is lost."""

    def __init__(self, hire: Callable[[], Child], binaries: Mapping[tuple[str, int], bytes], tools: bytes,
                 progress: Progress) -> None:
        self._hire, self._binaries, self._tools, self._progress = hire, binaries, tools, progress
        self._child: Child | None = None
        self._sent: set[str] = set()
        self._addresses: dict[str, int] = {}
        self._losses = 0
        self.clocks: list[float] = []
        self.results: dict[str, dict[str, Any]] = {}
        self.failed: dict[str, str] = {}

    def run(self) -> Gpu:
        """Those with a warm L2 first, then those with a cold one: the buffer that flushes it is of a session."""
        gpu = self._start()
        wanted = launches(gpu)
        done = 0
        for cold in (False, True):
            todo = [(i, x) for i, x in enumerate(wanted) if x.cold == cold and x.name not in _ESSENTIAL]
            self._begin(gpu, cold, wanted)
            for number, launch in todo:
                try:
                    self._one(number, launch)
                except FaultError as fault:
                    self.failed[launch.name] = fault.message
                    self._losses += fault.lost
                    if self._losses > _MOST_LOSSES:
                        raise
                    if fault.lost:
                        self.drop()
                        self._start()
                        self._begin(gpu, cold, wanted)
                done += 1
                self._progress("measuring", done, len(wanted))
                if done % _LOOK_EVERY == 0:
                    self._look()
            self._look()
            self._ask({"do": "end"})
        return gpu

    def drop(self) -> None:
        if self._child is not None:
            self._child.kill()
        self._child = None

    def give_back(self) -> None:
        if self._child is not None:
            process.give_back(self._child)
        self._child = None

    def _start(self) -> Gpu:
        self._child, self._sent = self._hire(), set()
        gpu = self._child.start()
        self._ask({"do": "tools"}, self._tools)
        return gpu

    def _ask(self, message: dict[str, Any], data: bytes = b"", limit: float | None = None
             ) -> tuple[dict[str, Any], bytes]:
        assert self._child is not None
        return self._child.ask(message, data, limit=limit)

    def _begin(self, gpu: Gpu, cold: bool, wanted: Sequence[Launch]) -> None:
        arrays = [("out", OUT_BYTES, False), ("memory", memory_bytes(gpu), False)]
        answer, _ = self._ask({"do": "begin", "l2": "cold" if cold else "warm", "arrays": arrays})
        self._addresses = answer["addresses"]
        self._ask({"do": "zero", "array": "out"})
        self._ask({"do": "filled"})
        for number, launch in enumerate(wanted):
            if launch.name in _ESSENTIAL:
                self._one(number, launch)

    def _look(self) -> None:
        facts, _ = self._ask({"do": "clocks"})
        if "sm_mhz" in facts:
            self.clocks.append(float(facts["sm_mhz"]))

    def _one(self, number: int, launch: Launch) -> None:
        self._load(number, launch)
        for _ in range(launch.tries if launch.reads else 1):
            self._ask({"do": "try", "run": number}, limit=_LIMIT)
        found: dict[str, Any] = {}
        if launch.reads:
            _, data = self._ask({"do": "read", "array": "out", "offset": 0, "nbytes": 8 * launch.reads})
            found["out"] = summarized(launch, struct.unpack(f"<{launch.reads}Q", data))
        if launch.rounds:
            answer, _ = self._ask({"do": "round", "order": [(number, launch.batch)] * launch.rounds}, limit=_LIMIT)
            found["ms"] = [round(ms, 7) for ms in answer["times"]]
        if found:
            self.results[launch.name] = {"n": launch.n, **found}

    def _load(self, number: int, launch: Launch) -> None:
        cubin = self._binaries[launch.file, launch.group]
        key = digest(cubin)
        words = (self._addresses["out"], self._addresses["memory"], launch.n, launch.a, launch.b)
        self._ask({"do": "load", "run": number, "entry": launch.kernel, "grid": (launch.grid, 1, 1),
                   "block": (launch.threads, 1, 1), "smem": launch.smem, "carveout": None,
                   "parameters": struct.pack("<5Q", *words).hex(), "symbols": [], "cubin": key},
                  b"" if key in self._sent else cubin)
        self._sent.add(key)
