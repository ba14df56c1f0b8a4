"""The measuring process's side of a plan: its arrays and loaded kernels, and one timed launch after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mutate.backends.driver import Driver, DriverError, Handle

# Of how many L2 sizes the buffer is that replaces its contents.
_FLUSH_SIZES = 2
_FLUSH_THREADS = 256
_FLUSH_BLOCKS_PER_SM = 8
_FILL_THREADS, _MOST_FILL_BLOCKS = 256, 65536
# The pause that hides the host's enqueueing, in seconds: at first, at most, and how often a launch is timed at most,
# each time with a pause twice as long, because the GPU had begun before all was enqueued.
_PAUSE, _LONGEST_PAUSE, _AGAIN = 100e-6, 20e-3, 6
# While waiting: seconds without sleeping, and the longest sleep.
_SPIN, _LONGEST_SLEEP = 500e-6, 1e-3
# Left free beside the arrays and their copies.
_HEADROOM = 256 * 2**20
_USUAL_MHZ = 1500.0
EMPTY = -1
"""The number of the empty kernel among the runs."""


@dataclass
class _Array:
    """``fills`` make its first contents again; ``pristine`` is a copy of them."""

    address: int
    nbytes: int
    fills: list[tuple[str, Any]] = field(default_factory=list)
    pristine: int | None = None
    restored: bool = False


@dataclass
class _Run:
    """``symbols`` are (address in the module, array with the contents, bytes)."""

    bound: Handle
    symbols: list[tuple[int, str, int]]
    module: Handle


class Work:
    """Answers the requests, which ``mutate.backends.session`` makes."""

    def __init__(self, driver: Driver, enter: Callable[[str, int | None], None]) -> None:
        self._driver = driver
        self._enter = enter
        self.current: int | None = None
        self._gpu = driver.describe()
        self._arrays: dict[str, _Array] = {}
        self._runs: dict[int, _Run] = {}
        self._cubins: dict[str, Handle] = {}
        self._flush: Handle | None = None
        self._flush_memory: list[int] = []
        self._pause_seconds = _PAUSE
        self._pauses: dict[float, Handle] = {}
        self._tools: Handle = None
        self._start, self._stop = driver.event(), driver.event()
        self._cold = True

    def answer(self, message: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        self.current = None
        handler: Callable[[dict[str, Any], bytes], dict[str, Any] | bytes] = getattr(self, f"_do_{message['do']}")
        found = handler(message, data)
        return ({}, found) if isinstance(found, bytes) else (found, b"")

    # --- one request each ---

    def _do_start(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        return {"gpu": self._gpu}

    def _do_clocks(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        return self._driver.clocks()

    def _do_tools(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """Loads the helper kernels: ``data`` is their cubin."""
        if self._tools is None:
            self._tools = self._driver.load(data)
        return {}

    def _do_begin(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """Allocates ``arrays`` ((name, bytes, whether it is to be restored) each). ``l2``: ``cold`` or ``warm``.

        All or none: where memory runs out, what is wanted and what is free are of all arrays together.
        """
        self._end()
        driver = self._driver
        self._cold = message["l2"] == "cold"
        flush = self._flush_bytes() if self._cold else 0
        wanted = sum(nbytes for _, nbytes, _ in message["arrays"]) + flush
        free = driver.available()
        try:
            for name, nbytes, restored in message["arrays"]:
                self._arrays[name] = _Array(driver.alloc(nbytes), nbytes, restored=bool(restored))
            if self._cold:
                self._prepare_flush(flush)
        except DriverError as error:
            if not error.lost:
                self._end()
            error.asked, error.free = wanted, free
            raise
        empty = driver.bind(driver.function(self._tools, "kmutate_empty"), (1, 1, 1), (32, 1, 1), 0, b"")
        self._runs[EMPTY] = _Run(empty, [], self._tools)
        return {"addresses": {name: a.address for name, a in self._arrays.items()}}

    def _do_zero(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        array = self._arrays[message["array"]]
        self._driver.zero(array.address, array.nbytes)
        array.fills = [("zero", None)]
        return {}

    def _do_upload(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """``data`` to ``offset`` of an array."""
        array = self._arrays[message["array"]]
        self._driver.upload(array.address + message["offset"], data)
        # Where the array is restored and memory does not allow a copy on the device, it comes from here again.
        array.fills.append(("upload", (message["offset"], data if array.restored else b"")))
        return {}

    def _do_fill(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """Launches a kernel of cubin ``data`` (or of one known as ``cubin``) that makes ``count`` elements."""
        driver, key = self._driver, message["cubin"]
        if key not in self._cubins:
            self._cubins[key] = driver.load(data)
        blocks = min(_MOST_FILL_BLOCKS, -(-message["count"] // _FILL_THREADS))
        bound = driver.bind(driver.function(self._cubins[key], message["entry"]), (blocks, 1, 1),
                            (_FILL_THREADS, 1, 1), 0, bytes.fromhex(message["parameters"]))
        driver.launch(bound)
        self._arrays[message["array"]].fills = [("launch", bound)]
        return {}

    def _do_filled(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """All arrays have their contents: copies of those that are to be restored, as far as memory goes."""
        driver = self._driver
        for array in self._arrays.values():
            zeros = [kind for kind, _ in array.fills] == ["zero"]
            if not array.restored or zeros or driver.available() <= array.nbytes + _HEADROOM:
                continue
            try:
                array.pristine = driver.alloc(array.nbytes)
            except DriverError as error:
                if error.lost:
                    raise
                continue  # free memory in pieces; the array is made anew each time
            driver.copy(array.pristine, array.address, array.nbytes)
            array.fills = []
        self._wait()
        return {}

    def _do_load(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """Loads a run: ``data`` is its cubin. Where the message names that as ``cubin`` it stays loaded, and later runs

        need not send it. Answers with what the driver says of the run.
        """
        driver, number, key = self._driver, message["run"], message.get("cubin")
        self.current = number
        module = self._cubins.get(key) if key else None
        if module is None:
            module = driver.load(data)
            if key:
                self._cubins[key] = module
        function = driver.function(module, message["entry"])
        known = driver.attributes(function)
        block = tuple(message["block"])
        threads = block[0] * block[1] * block[2]
        driver.configure(function, message["smem"], message["carveout"])
        symbols = []
        for name, array, nbytes in message["symbols"]:
            at = driver.symbol(module, name)
            if at is not None:
                symbols.append((at, array, nbytes))
        bound = driver.bind(function, tuple(message["grid"]), block, message["smem"],
                            bytes.fromhex(message["parameters"]))
        self._runs[number] = _Run(bound, symbols, module)
        return {"registers": known["registers"], "local_bytes": known["local_bytes"],
                "resident_blocks": driver.resident_blocks(function, threads, message["smem"])}

    def _do_try(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """One guarded launch of a run, which shows whether it ends and how."""
        self.current = message["run"]
        run = self._runs[self.current]
        self._enter("launch", self.current)
        self._restore(run)
        self._driver.record(self._start)
        self._driver.launch(run.bound)
        self._driver.record(self._stop)
        self._wait_for(self._stop)
        return {"ms": self._driver.elapsed_ms(self._start, self._stop)}

    def _do_round(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """One time of a launch (ms) for each (run, launches that are timed together) of ``order``."""
        return {"times": [self._timed(number, batch) for number, batch in message["order"]]}

    def _do_read(self, message: dict[str, Any], data: bytes) -> bytes:
        """Bytes of an array as they are."""
        array = self._arrays[message["array"]]
        return self._driver.download(array.address + message["offset"], message["nbytes"])

    def _do_end(self, message: dict[str, Any], data: bytes) -> dict[str, Any]:
        """Gives everything back but the helper kernels."""
        self._end()
        return {}

    # --- how ---

    def _end(self) -> None:
        driver = self._driver
        for array in self._arrays.values():
            driver.free(array.address)
            if array.pristine is not None:
                driver.free(array.pristine)
        for address in self._flush_memory:
            driver.free(address)
        self._arrays, self._runs, self._flush, self._flush_memory = {}, {}, None, []

    def _flush_bytes(self) -> int:
        return int(self._gpu["l2_bytes"]) * _FLUSH_SIZES // 16 * 16

    def _prepare_flush(self, nbytes: int) -> None:
        """The launch that replaces what L2 holds."""
        driver = self._driver
        if not nbytes:
            return
        for size in (nbytes, 16):
            self._flush_memory.append(driver.alloc(size))
            driver.zero(self._flush_memory[-1], size)
        buffer, sink = self._flush_memory
        parameters = b"".join(n.to_bytes(8, "little") for n in (buffer, nbytes // 16, sink))
        self._flush = driver.bind(driver.function(self._tools, "kmutate_flush"),
                                  (int(self._gpu["sm_count"]) * _FLUSH_BLOCKS_PER_SM, 1, 1),
                                  (_FLUSH_THREADS, 1, 1), 0, parameters)

    def _pause(self) -> Handle:
        bound = self._pauses.get(self._pause_seconds)
        if bound is None:
            clocks = int(self._pause_seconds * (float(self._gpu["sm_mhz"]) or _USUAL_MHZ) * 1e6)
            bound = self._driver.bind(self._driver.function(self._tools, "kmutate_pause"), (1, 1, 1), (1, 1, 1), 0,
                                      clocks.to_bytes(8, "little"))
            self._pauses[self._pause_seconds] = bound
        return bound

    def _restore(self, run: _Run) -> None:
        """The first contents of the arrays that a launch may have changed, and of the run's variables."""
        for array in self._arrays.values():
            if array.restored:
                self._refill(array)
        for address, name, nbytes in run.symbols:
            self._driver.copy(address, self._arrays[name].address, nbytes)

    def _refill(self, array: _Array) -> None:
        driver = self._driver
        if array.pristine is not None:
            driver.copy(array.address, array.pristine, array.nbytes)
        for kind, what in array.fills:
            if kind == "zero":
                driver.zero(array.address, array.nbytes)
            elif kind == "launch":
                driver.launch(what)
            else:
                driver.upload(array.address + what[0], what[1])

    def _timed(self, number: int, batch: int) -> float:
        """Time of one launch in ms.

        The GPU pauses first, while everything that follows is enqueued: restoring, the flush of L2 (or, for a warm one,
        a launch of the same kernel), an event, the launches, an event. Where the first event was reached before the
        last was enqueued, the host's time may be in the result: then all is done again with a longer pause.
        """
        self.current = number
        driver, run = self._driver, self._runs[number]
        for _ in range(_AGAIN):
            self._enter("launch", number)
            driver.launch(self._pause())
            self._restore(run)
            if not self._cold:
                driver.launch(run.bound)
            elif self._flush is not None:
                driver.launch(self._flush)
            driver.record(self._start)
            for _ in range(batch):
                driver.launch(run.bound)
            driver.record(self._stop)
            late = driver.done(self._start)
            self._wait_for(self._stop)
            if not late or self._pause_seconds >= _LONGEST_PAUSE:
                break
            self._pause_seconds = min(2 * self._pause_seconds, _LONGEST_PAUSE)
        return driver.elapsed_ms(self._start, self._stop) / batch

    def _wait(self) -> None:
        self._driver.record(self._stop)
        self._wait_for(self._stop)

    def _wait_for(self, event: Handle) -> None:
        """Asks again and again: a wait inside the driver could not be told from a hang."""
        start, sleep = time.monotonic(), 20e-6
        while not self._driver.done(event):
            if time.monotonic() - start > _SPIN:
                time.sleep(sleep)
                sleep = min(2 * sleep, _LONGEST_SLEEP)
