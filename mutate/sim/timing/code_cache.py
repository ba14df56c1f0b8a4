"""The caches of instructions, for code that does not stay in them: lines come one after another, the next one early.

Each scheduler gets them for itself. Code that stays is taken to be there: launches are timed that ran before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing import constants as c
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.servers import mix
from mutate.sim.timing.settings import S_CODE_FILL, S_CODE_LINES, S_CODE_STAYS, S_SCHEDULERS

LINE_BITS = 3
"""Instructions of a line, of 128 bytes: two to this power."""
_MEASURED = 9
"""The major compute capability of the GPUs that this is of."""
_STAYS = 0.0, 0.0, 1.0


class Code(NamedTuple):
    """Of each scheduler when a line is there and the how many-th that came it was (0: none yet), when the next one can

    come, and how many came.
    """

    ready: npt.NDArray[np.float64]
    came: npt.NDArray[np.int64]
    free: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.int64]


def empty_code(settings: npt.NDArray[np.float64], lines: int) -> Code:
    """Caches in which nothing is, for so many lines; of code that stays no lines."""
    schedulers = int(settings[S_SCHEDULERS])
    size = lines + 1 if settings[S_CODE_LINES] > 0.0 else 1
    return Code(np.zeros((schedulers, size), np.float64), np.zeros((schedulers, size), np.int64),
                np.zeros(schedulers, np.float64), np.zeros(schedulers, np.int64))


def _line(code, s, line, clock, settings):
    """When a line is there that is asked for at ``clock``. Of those that came long ago some are there still."""
    ready, came, free, numbers = code
    age = numbers[s] - came[s, line]
    if (came[s, line] > 0 and age < c.CODE_LINES) or mix(line + (numbers[s] << 20), 12) < settings[S_CODE_STAYS]:
        return max(clock, ready[s, line])
    free[s] = max(clock, free[s]) + settings[S_CODE_FILL]
    numbers[s] += 1
    came[s, line] = numbers[s]
    ready[s, line] = free[s]
    return free[s]


_asked = jit_into(FOLDER, _line, counted=False)


def _arrives(code, s, line, clock, settings):
    """When a scheduler has the line that a warp comes to at ``clock``. The next one is asked for as soon as it is."""
    there = _asked(code, s, line, clock, settings)
    _asked(code, s, line + 1, there, settings)
    return there


arrives = jit_into(FOLDER, _arrives, counted=False)


def of_code(size: int, executed: npt.NDArray[Any], capability: tuple[int, int]) -> tuple[float, float, float]:
    """``S_CODE_LINES``, ``S_CODE_FILL`` and ``S_CODE_STAYS`` of ``size`` instructions, of which some are ``executed``:

    0 lines where all stay. Measured on Hopper; of other GPUs nothing is known here, and all is taken to stay.
    """
    if size >> LINE_BITS <= c.CODE_LINES or capability[0] != _MEASURED:
        return _STAYS
    reached = np.zeros((size >> LINE_BITS) + 1, np.bool_)
    reached[executed >> LINE_BITS] = True
    lines = int(reached.sum())
    if lines <= c.CODE_LINES:
        return _STAYS
    far = min(1.0, max(0.0, (lines - c.CODE_FAR) / c.CODE_FAR_GONE))
    return (float(lines), c.CODE_FILL + far * (c.CODE_FAR_FILL - c.CODE_FILL),
            max(0.0, 1.0 - (lines - c.CODE_LINES) / c.CODE_GONE))
