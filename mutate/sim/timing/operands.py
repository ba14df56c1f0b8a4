"""What operands of other units keep arithmetic from: one register a clock is read, of a bank that it may need.

Arithmetic reads its registers soon after it is issued, one instruction after another (``banks``). What goes to another
unit's queue (shuffles, stores, loads, MUFU ...) has them read after that, one by one: where the bank
is left alone, at once; else such a read waits for a clock, and then arithmetic waits for it. Whatever is no arithmetic
leaves the banks alone when it goes by.

Measured on an H200 with registers put into the code by hand (tests/machines/mixtures.py: ``handed`` and ``more``,
reference/h200_handed_over.csv): of `10 ffma/EEE, shfl/E` the shuffle costs one clock beside its own, of `10 ffma/OOO,
shfl/E` and `10 nop, shfl/E` none; `10 ffma, shfl_idx` and `10 ffma, sts` two, with `10 ffma/EEE, shfl_idx/EO` one; a
load's first register none; `2 lop3, sts` and `2 ffma, sts` none; each of eight shuffles in a run half a clock. Of
`40 ffma, stg` the store costs three clocks, one for each register, of `40 nop, stg` none (h200_stored.csv).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER

PATIENCE = 1
"""Clocks in which such a read finds its bank taken before it takes it."""
APART = 1
"""Clocks between the reads of one instruction and those of the next, that nothing is read in."""
ROOM = 32
"""Reads of a scheduler that are remembered."""
FIRST, COUNT, NEXT, WAITED = range(4)


class Operands(NamedTuple):
    """Of each scheduler the reads that wait, in turn: whether from the odd bank, whether the last of an instruction's,

    and from when on; and (``at``) which is the first, how many there are, when the next one can be, and in how many
    clocks it found its bank taken.
    """

    odd: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    since: npt.NDArray[np.int64]
    at: npt.NDArray[np.int64]


def no_operands(schedulers: int) -> Operands:
    def zeros(size: int) -> npt.NDArray[np.int64]:
        return np.zeros((schedulers, size), np.int64)

    return Operands(zeros(ROOM), zeros(ROOM), zeros(ROOM), zeros(4))


def _handed(operands: Operands, s: int, clock: int, even: int, odd: int, loads: bool) -> None:
    """What goes by at ``clock`` has so many registers of the two banks to be read after that; of loads one at once."""
    bank, last, since, at = operands
    for k in range(even + odd):
        if at[s, COUNT] == ROOM:  # as if there had been a clock for the first one
            at[s, FIRST], at[s, COUNT], at[s, WAITED] = at[s, FIRST] + 1, ROOM - 1, 0
        place = (at[s, FIRST] + at[s, COUNT]) % ROOM
        bank[s, place], last[s, place] = k < odd if loads else k >= even, k + 1 == even + odd
        since[s, place] = clock if loads else clock + 1
        at[s, COUNT] += 1


handed = jit_into(FOLDER, _handed, counted=False)


def _goes_by(operands: Operands, s: int, clock: int, even: bool, odd: bool) -> int:
    """When an instruction goes by the registers that could do so at ``clock``, and then needs these banks."""
    bank, last, since, at = operands
    while at[s, COUNT] > 0:
        place = at[s, FIRST] % ROOM
        turn = max(since[s, place], at[s, NEXT])
        if turn > clock:
            break
        if turn == clock and (odd if bank[s, place] else even):
            if at[s, WAITED] < PATIENCE:
                at[s, WAITED], at[s, NEXT] = at[s, WAITED] + 1, clock + 1
                break
            clock += 1
        at[s, NEXT] = turn + 1 + APART * last[s, place]
        at[s, FIRST], at[s, COUNT], at[s, WAITED] = at[s, FIRST] + 1, at[s, COUNT] - 1, 0
    return clock


goes_by = jit_into(FOLDER, _goes_by, counted=False)
