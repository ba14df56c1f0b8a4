"""Makes numba compile the interpreter, by running an empty kernel."""

from __future__ import annotations

import numpy as np

from mutate.sim import filling
from mutate.sim import layout as lay
from mutate.sim.execute import execute
from mutate.sim.watch import Log


def warm_up() -> None:
    """Calls ``execute`` with a block of no threads: the types of all its arguments are those of a real run."""
    zeros = np.zeros
    log = Log(wanted=False)
    origin = filling.Origin(zeros((1, filling.RULE_COLUMNS), np.uint64), zeros((1, 2), np.float64), zeros(0, np.int32),
                            zeros(0, np.int32), zeros(0, np.uint8))
    status = execute(zeros((1, lay.COLUMNS), np.int32), zeros(64, np.uint32), zeros((1, 16), np.uint32),
                     np.array([0, 32, 1, 1, 0, 0, 0, 0, 0, 1, 0], np.int64), zeros((1, 32), np.int64),
                     zeros((1, 32), np.uint32), zeros((1, 32), np.int64), zeros((1, 32), np.int64),
                     zeros((1, 32, lay.KEPT), np.uint32), zeros((1, 16), np.uint32), zeros(1, np.uint32),
                     zeros((1, 16, 2), np.int64), zeros((1, 2, 4), np.int64), zeros(1, np.int32),
                     zeros(1, np.int32), zeros(16, np.uint8), origin, zeros((1, 1), np.uint8), zeros(1, np.uint8),
                     np.frombuffer(b"\0", np.uint8), zeros((16, 2), np.int64), zeros(lay.T_COLUMNS, np.int64),
                     zeros(1, np.int64), zeros((1, lay.COUNTERS), np.int64), zeros(1, np.int64),
                     zeros((lay.MULTISETS, 4), np.uint64), zeros((1, 4), np.int64), log.head, log.where,
                     zeros(9, np.int64), zeros(8, np.int64))
    if status != lay.DONE:
        raise RuntimeError(f"the interpreter ended an empty block with status {status}")
