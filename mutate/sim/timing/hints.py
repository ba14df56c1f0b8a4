"""What loads and stores say of how long their lines will be of use, and what becomes of those in L1.

As 24 sequences for each of 21 kinds of access showed on an H100, of one warp that loads without a hint, too
(tests/machines/l1_hints.py; tests/timing_model/test_l1_hints.py plays some of them): loads with `.cs` and
`L1::evict_first` leave their line to be given up first, whether it was there or not, and so do stores; those with `.lu`
and `L1::no_allocate` bring none, and one that is there is given up first; with `L1::evict_last` a new line is as one
that was asked for again; with `L1::evict_unchanged` a new one is given up first, and one that is there stays as it is.
Stores with `.cg` or `.wt`, or to volatile places, are as others. Copies to shared memory around L1 are a kind of their
own. What L2 makes of hints is not known: streams with `.cs` beside a table are up to 8 % faster than without
(`table_beside` of tests/machines/hints.cu).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction
from mutate.sim.caches import goes_around
from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.tags import HIT, WAYS

PLAIN, AROUND, FIRST, PASSING, LAST, UNCHANGED, COPIED = range(7)
_HINTS = {"EF": FIRST, "LU": PASSING, "NA": PASSING, "EL": LAST, "EU": UNCHANGED}
_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
BYTES, WHAT = 3, 7
_OLDEST = -(1 << 60)
Ints = npt.NDArray[np.int64]


def hints_of(listing: Sequence[Instruction], cg: bool) -> npt.NDArray[np.int64]:
    """Of each instruction, and from bit ``BYTES`` on the bytes of a lane. ``cg``: all loads go around L1."""
    return np.array([_hint(i, cg) | _width(i) << BYTES for i in listing], np.int64)


def _width(instruction: Instruction) -> int:
    return next((_WIDTHS[m] for m in instruction.opcode.split(".")[1:] if m in _WIDTHS), 4)


def _hint(instruction: Instruction, cg: bool) -> int:
    name, *modifiers = instruction.opcode.split(".")
    if name.startswith("LD") and goes_around(instruction, cg):
        return COPIED if name == "LDGSTS" else AROUND
    return next((_HINTS[m] for m in modifiers if m in _HINTS), PLAIN)


def _settle(ages: Ints, turns: Ints, place: int, hint: int, new: bool) -> None:
    """The age of a line that was asked for with a hint; ``new``: it was not there. ``place`` < 0: it is not there."""
    if place < 0:
        return
    at = place // WAYS
    if hint in (FIRST, PASSING) or (hint == UNCHANGED and new):
        ages[place] = _OLDEST + turns[at]
    elif hint == LAST and new:
        turns[at] += HIT
        ages[place] = turns[at]


settle = jit_into(FOLDER, _settle, counted=False)


def _touches(hint: int) -> bool:
    """Whether a line that is there counts as asked for again."""
    return hint in (PLAIN, LAST)


touches = jit_into(FOLDER, _touches, counted=False)
