"""Recovers the coefficients in the special-function unit's tables from its answers.

The unit gives ``((c0 << place) + c1 x + c2 square(x) + round) >> shift`` (``mutate.sim.lanes_mufu``), so each answer
bounds the sum below and above. The coefficients that keep all bounds of a segment are a convex set: when of the whole
numbers around the least-squares solution only one is in it, it is the only one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from mutate.sim.lanes_mufu import _PLACE as PLACE
from mutate.sim.lanes_mufu import _ROUND as ROUND
from mutate.sim.lanes_mufu import _TANH_LOG as TANH_LOG
from mutate.sim.lanes_mufu import _TWICE as TWICE
from mutate.sim.lanes_mufu import EX2, LG2, RCP, RSQ, SIN, SQRT, TANH

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint32]
Segment = tuple[Integers, Integers, Integers, int]
Row = tuple[str, int, int, int, int]
EXPLANATION = """Coefficients of the quadratics by which the special-function unit interpolates: for each segment of
# operands the only whole numbers from which all its answers come out (mutate/sim/lanes_mufu.py). unit: a result of
# tanh counts 2**-unit."""
NUMBERS = {"rcp": RCP, "rsq": RSQ, "sqrt": SQRT, "ex2": EX2, "lg2": LG2, "sin": SIN, "tanh": TANH}
_SPAN = 3
# Of answers that are mantissas: bits of the sum below the answer.
_SHIFT = {RCP: 16, RSQ: 16, SQRT: 17, EX2: 15}
_X = np.arange(2**17, dtype=np.int64)


def square(x: Integers) -> Integers:
    """x² / 2**19 of 17 bits as the unit has it."""
    products = sum(np.where(x >> i & 1, x >> (18 - i), 0) for i in range(17))
    return np.asarray(products) >> 1


_SQUARE = square(_X)


def mantissa_bounds(answers: Words, shift: int) -> tuple[Integers, Integers]:
    m = (answers & np.uint32(0x7FFFFF) | np.uint32(0x800000)).astype(np.int64)
    return m << shift, (m + 1) << shift


def fixed_bounds(answers: Words, unit: int, least: int) -> tuple[Integers, Integers]:
    """Of positive answers that were cut to 24 bits, in 2**-unit; a sum is known to ``least`` of these at best."""
    m = (answers & np.uint32(0x7FFFFF) | np.uint32(0x800000)).astype(np.int64)
    shift = (answers >> np.uint32(23)).astype(np.int64) - 127 - 23 + unit
    low = np.where(shift >= 0, m << np.maximum(shift, 0), m >> np.maximum(-shift, 0))
    low[answers == 0] = 0
    width = np.maximum(np.where(answers == 0, 0, np.int64(1) << np.maximum(shift, 0)), least)
    return low, low + width


def _range(low: Integers, high: Integers, x: Integers, squares: Integers, c1: int, c2: int) -> tuple[int, int]:
    """Between which constants (the second not included) all bounds are kept."""
    least, most = -(1 << 62), 1 << 62
    for i in range(len(x)):
        rest = c1 * x[i] + c2 * squares[i]
        least, most = max(least, low[i] - rest), min(most, high[i] - rest)
    return least, most


_constants: Any = njit(_range)


def solve(function: int, low: Integers, high: Integers, x: Integers) -> list[tuple[int, int, int]]:
    """All (c0, c1, c2) near the least-squares solution that keep the bounds of one segment."""
    squares = _SQUARE[x] << int(TWICE[function])
    few = slice(None, None, max(1, len(x) // 8192))
    middle = ((low + high) / 2.0)[few]
    u, v = x[few] / 2.0**17, squares[few] / 2.0**17
    guess = np.linalg.lstsq(np.stack([np.ones(len(u)), u, v], 1), middle, rcond=None)[0] / 2.0**17
    found = []
    for c2 in range(round(guess[2]) - _SPAN, round(guess[2]) + _SPAN + 1):
        slope = np.polynomial.polynomial.polyfit(u, middle - c2 * squares[few], 1)[1] / 2.0**17
        for c1 in range(round(slope) - _SPAN, round(slope) + _SPAN + 1):
            least, most = _constants(low, high, x, squares, c1, c2)
            place, added = int(PLACE[function]), int(ROUND[function])
            found += [(c0, c1, c2) for c0 in range(-((added - least) >> place), ((most - 1 - added) >> place) + 1)]
    return found


def segments(name: str, answers: Words) -> Iterator[Segment]:
    """Of each segment of a function the bounds, x, and the unit of the sum where it is not the function's own.

    ``answers``: to what ``mufu_probe.sweeps`` has first for the function.
    """
    if name == "lg2":
        low, high = fixed_bounds(answers[2**23 :], 38, 4)
        for k in range(64):
            # The answer to 1 does not come from the table.
            part = slice(k << 17 | (k == 0), (k + 1) << 17)
            yield low[part], high[part], _X[int(k == 0) :], 0
    elif name == "sin":
        # From a quarter of a turn to half of one, backwards.
        low, high = fixed_bounds(answers[2**23 - 1 :: -1], 37, 1)
        for k in range(64):
            part = slice(k << 17, (k + 1) << 17)
            yield low[part], high[part], _X, 0
    elif name == "tanh":
        for k, (octave, log) in enumerate(zip(answers.reshape(12, -1)[1:], TANH_LOG.tolist(), strict=True)):
            # The coarsest unit in which the coefficients of all segments of an octave are whole.
            unit = 39 if k == 9 else 37 + max(0, 8 - k)
            low, high = fixed_bounds(octave, unit, 1)
            for lower, upper in zip(low.reshape(1 << log, -1), high.reshape(1 << log, -1), strict=True):
                yield lower, upper, np.arange(len(lower)) * 2**17 // len(lower), unit
    else:
        function = NUMBERS[name]
        low, high = mantissa_bounds(answers, _SHIFT[function])
        if name == "rcp":
            low[0], high[0] = 2**24 << 16, 2**24 + 1 << 16
        x = _X[::2] if name == "rcp" else _X
        count = 64 if name == "ex2" else 128
        for k, (lower, upper) in enumerate(zip(low.reshape(count, -1), high.reshape(count, -1), strict=True)):
            # Nor does the one to a power of four.
            begin = int(name in ("rsq", "sqrt") and k == 0)
            yield lower[begin:], upper[begin:], x[begin:], 0


def recover(answers: Mapping[str, Words]) -> list[Row]:
    """The rows of mutate/sim/data/mufu.csv from the answers to each function's first sweep.

    Raises ``ValueError`` where a segment has not exactly one solution.
    """
    rows: list[Row] = []
    for name, function in NUMBERS.items():
        for k, (low, high, x, unit) in enumerate(segments(name, answers[name])):
            found = solve(function, low, high, x)
            if len(found) != 1:
                raise ValueError(f"{name}, segment {k}: {len(found)} solutions")
            rows.append((name, *found[0], unit))
    return rows
