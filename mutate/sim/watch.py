"""What watches a simulation: consumers of the interpreter's log of memory requests and synchronisation.

The interpreter fills the log and returns when it is full; each watcher then reads it. So caches, races and the counters
of older GPUs cost nothing where nobody asks for them, and are compiled by themselves.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mutate.sim import layout as lay

LOG_ROWS = 4096
"""Records that the log has room for."""


class Log:
    """Records in order: ``head`` (rows, LOG_COLUMNS), ``where`` (rows, 32) the addresses of the lanes.

    Addresses are bytes: of global memory as the program has them, of shared memory from the block's first byte, of
    local memory from the thread's first.
    """

    def __init__(self, wanted: bool) -> None:
        rows = LOG_ROWS if wanted else 1
        self.head: npt.NDArray[np.int64] = np.zeros((rows, lay.LOG_COLUMNS), np.int64)
        self.where: npt.NDArray[np.uint64] = np.zeros((rows, lay.LANES), np.uint64)


class Watcher(Protocol):
    """Reads the log of each block as it runs."""

    def start_block(self, block: int) -> None:
        """A block of the grid begins."""

    def watch(self, log: Log, records: int, counters: npt.NDArray[Any]) -> None:
        """Reads the first ``records`` records; may add to the counters of instructions (``layout.COUNTERS``)."""
