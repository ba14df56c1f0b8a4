"""In which set of L1's tags a line is: nine sums of bits of its number, as four lines that evict a fifth tell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER

SETS = 512
MEASURED = "tests/machines/reference/h200_l1_sets.json: made by tests/machines/l1_sets.py on an H200"
MASKS = (0x5EF7AB5, 0xB55AF6F, 0xF3F8804, 0xE2DB408, 0xF92AE10, 0xAB96A20, 0x691DA40, 0x2DFC080, 0xF2AD900)
"""Bits of a line's number (its address over 128) of whose sum, without carry, each bit of the set is (MEASURED, whose

pairs of lines in one set leave these nine and no other sums of bits 0 to 27). The first two are also the part of
the tags that looks the line up (``lines.MEASURED``), which was found before from the steps that loads take.
"""
_DIGIT = 7
_DIGITS = 4


def _table() -> npt.NDArray[np.int64]:
    """The sets of lines with one digit of seven bits that is not 0, by the digit's place and value."""
    values = np.arange(1 << _DIGIT, dtype=np.uint64)
    return np.array([[sum((int(v) << _DIGIT * place & mask).bit_count() % 2 << bit for bit, mask in enumerate(MASKS))
                      for v in values] for place in range(_DIGITS)], np.int64)


_TABLE = _table()


def _set_of(line: np.uint64) -> int:
    """The set of a line, 0 to 511."""
    low, high = np.int64(line & np.uint64(0x3FFF)), np.int64(line >> np.uint64(14) & np.uint64(0x3FFF))
    return int(_TABLE[0, low & 127] ^ _TABLE[1, low >> 7] ^ _TABLE[2, high & 127] ^ _TABLE[3, high >> 7])


set_of = jit_into(FOLDER, _set_of, counted=False)
