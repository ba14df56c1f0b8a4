"""The work of blocks by the borders of the grid that they touch: those of a stencil or of boxes with neighbours have

less there, a factor for each border, whatever their number and their place along one axis tell.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


def touched(numbers: Numbers, grid: tuple[int, int, int]) -> Floats:
    """Shape (blocks, 1 + two for each axis of more than two blocks): one, and whether a block is first, or last."""
    places = (numbers % grid[0], numbers // grid[0] % grid[1], numbers // (grid[0] * grid[1]))
    sides = [place == end for place, size in zip(places, grid, strict=True) if size > 2 for end in (0, size - 1)]
    return np.stack([np.ones(len(numbers), np.bool_), *sides], axis=1).astype(np.float64)


def by_borders(at: Numbers, values: Floats, numbers: Numbers, grid: tuple[int, int, int]) -> Floats:
    """The work of the blocks ``numbers`` from ``values``, the work of those ``at``: least squares of its logarithm."""
    return np.exp(touched(numbers, grid) @ _factors(touched(at, grid), values))


def squared_error(at: Numbers, values: Floats, grid: tuple[int, int, int], step: int) -> float:
    """The sum of the squared errors with which the others tell each value, of every ``step``-th."""
    sides, total = touched(at, grid), 0.0
    for k in range(0, len(values), step):
        rest = np.arange(len(values)) != k
        total += float(values[k] - np.exp(sides[k] @ _factors(sides[rest], values[rest]))) ** 2
    return total


def _factors(sides: Floats, values: Floats) -> Floats:
    """Of one and of each side, logarithms; of one that no block touches none."""
    return np.asarray(np.linalg.lstsq(sides, np.log(np.maximum(values, 1.0)), rcond=None)[0], np.float64)
