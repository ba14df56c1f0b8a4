"""What the measuring process needs of a GPU. ``CupyDriver`` is the real one; tests have one that pretends.

Everything that a driver is asked to do on the device happens in the order of the calls (one stream) and, but for
``upload`` and ``download``, returns before it has happened.
"""

from __future__ import annotations

from typing import Any, Protocol

from mutate.timing import RunOutcome

Handle = Any
"""Whatever a driver calls a function, a bound launch or an event."""
Dim = tuple[int, int, int]


class DriverError(Exception):
    """The GPU refuses or fails. ``lost``: the context is gone, and with it the process's use.

    ``asked`` and ``free`` are bytes, where memory ran out.
    """

    def __init__(self, outcome: RunOutcome, message: str, *, lost: bool = False, asked: int = 0, free: int = 0) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.message = message
        self.lost = lost
        self.asked = asked
        self.free = free


class Driver(Protocol):
    """Addresses are device addresses, sizes bytes. All raise ``DriverError``."""

    def describe(self) -> dict[str, Any]:
        """The fields of ``mutate.timing.Gpu``."""
        ...

    def clocks(self) -> dict[str, Any]:
        """``sm_mhz``, ``memory_mhz``, ``temperature_c`` and ``throttle`` (words) as they are now; what is not known is

        left out.
        """
        ...

    def alloc(self, nbytes: int) -> int: ...

    def free(self, address: int) -> None: ...

    def available(self) -> int:
        """Free memory."""
        ...

    def upload(self, address: int, data: bytes) -> None: ...

    def download(self, address: int, nbytes: int) -> bytes: ...

    def zero(self, address: int, nbytes: int) -> None: ...

    def copy(self, target: int, source: int, nbytes: int) -> None: ...

    def load(self, cubin: bytes) -> Handle: ...

    def function(self, module: Handle, entry: str) -> Handle: ...

    def symbol(self, module: Handle, name: str) -> int | None:
        """Address of a variable of the module, ``None`` when it has none of that name."""
        ...

    def attributes(self, function: Handle) -> dict[str, int]:
        """``registers`` and ``local_bytes`` of a thread, ``threads`` of a block at most, ``static_smem``."""
        ...

    def configure(self, function: Handle, dynamic_smem: int, carveout_percent: int | None) -> None:
        """Opts in to so much dynamic shared memory and states the preferred carve-out."""
        ...

    def resident_blocks(self, function: Handle, threads: int, dynamic_smem: int) -> int: ...

    def bind(self, function: Handle, grid: Dim, block: Dim, dynamic_smem: int, parameters: bytes) -> Handle:
        """A launch that can be made again and again; ``parameters`` is the kernel's parameter block."""
        ...

    def launch(self, bound: Handle) -> None: ...

    def event(self) -> Handle: ...

    def record(self, event: Handle) -> None: ...

    def done(self, event: Handle) -> bool:
        """Whether the device has reached the event; where what was before it failed, the error is raised here."""
        ...

    def elapsed_ms(self, start: Handle, stop: Handle) -> float: ...
