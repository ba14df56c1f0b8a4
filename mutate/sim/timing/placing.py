"""Which blocks an SM gets.

A GPU hands blocks out to SMs in turn. On an H100 an SM's first ones, those that run at once, are 132 or 140 blocks from
one another (eight more with each third, which the last of them make up for), so that of a grid of 16 columns they are
of few columns; whatever the block's size, and whatever SM it is but for those of a GPC that has fewer. Those that come
later are any, as they are whoever's turn it is when a block ends: two of them are of the same of 4, 8 or 16 columns as
often as by chance (tests/machines/reference/h100_places.csv; an H200's h200_caches.csv, block_0_of_sm_50 and on).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mutate.sass.disasm import Instruction

if TYPE_CHECKING:
    from mutate.sim.timing.sampling import Neighbour

_ADDING = frozenset(["ATOM", "ATOMG", "RED", "REDG"])
_SPREAD = 2654435761
SHIFT, EACH = 8, 3
"""Blocks by which an SM's next ones are further on, and after how many each."""
_ROW = 132
_AHEAD = (0, 80, 180, 280, 386, 484, 584, 684)
"""Where in rows of as many SMs those begin that ``SHIFT`` SMs get, and so on (%smid of 1056 blocks that work as long as

each other, on an H100).
"""
_COMMON = 0.9
"""The part of an array's sectors that blocks of a column have in common at least: tiles, not borders."""


def blocks_of_sm(total: int, sms: int, count: int, sm: int | None = None, at_once: int | None = 0
                 ) -> tuple[int, ...]:
    """At most ``count`` of the blocks that one SM gets, from the middle of its turn; all if they are few.

    ``at_once``: how many of them run at once, as far from one another as an SM's are; where all are no more than twice
    as many, those are taken first. 0: all are any, and so tell what the grid does as a whole. ``None``: all begin at
    once, where ``first_sms`` says. Each block is one SM's (``sm``, below ``sms``); without a number it is a GPU's
    typical one.
    """
    if at_once is None:
        mine = np.flatnonzero(first_sms(total, sms, -(-total // sms)) == (sm or 0)).tolist()
        at_once = 0
    elif total < sms:
        mine = [total // 2 if sm is None else sm]
    else:
        rows = [(k * sms, min(sms, total - k * sms)) for k in range(-(-total // sms))]
        mine = [begin + ((sm or 0) + _further(k, at_once)) % width for k, (begin, width) in enumerate(rows)
                if (sm or 0) < width]
    count = max(1, min(count, len(mine)))
    among = min(at_once, len(mine)) if len(mine) <= 2 * at_once else len(mine)
    start = max(0, among - count) // 2
    return tuple(mine[start : start + count])


def first_sms(blocks: int, sms: int, resident: int) -> npt.NDArray[np.int64]:
    """The SM of each block that begins at once: whole rows of one for each SM, of which ``SHIFT`` get theirs sooner,

    and then what is left.
    """
    rows = min(resident, blocks // sms)
    ahead = SHIFT if rows > 1 and sms > _ROW // 2 else 0
    out = np.arange(min(blocks, sms * resident)) % sms
    if ahead:
        more = np.arange(1, max(1, rows - len(_AHEAD) + 1)) * (_AHEAD[-1] - _AHEAD[-2])
        begins = np.append(_AHEAD, _AHEAD[-1] + more)[:rows] * sms // _ROW
        places = np.minimum(begins[:, None] + np.arange(ahead), rows * sms - 1 - np.arange(rows * ahead)[::-1].reshape(
            rows, ahead))
        out[: rows * sms][places] = np.arange(ahead)
        others = np.ones(rows * sms, np.bool_)
        others[places] = False
        out[: rows * sms][others] = ahead + np.arange(rows * (sms - ahead)) % (sms - ahead)
        # What is left goes to those first, and to one SM of each pair before the other.
        order = np.array([*range(ahead), *range(ahead, sms, 2), *range(ahead + 1, sms, 2)])
        out[rows * sms :] = order[: len(out) - rows * sms]
    return out


def sm_of(block: int, sms: int, at_once: int) -> int:
    """The SM that ``blocks_of_sm`` gives the block to, of a grid whose last row of blocks is full."""
    return (block - _further(block // sms, at_once)) % sms


def _further(row: int, at_once: int) -> int:
    """By how many blocks an SM's is further on in a row of the grid's blocks."""
    return SHIFT * min((row + 2) // EACH, max(0, at_once - 2) - row) if row < at_once else row * _SPREAD >> 7


def columns_matter(near: Sequence[Neighbour], listing: Sequence[Instruction]) -> bool:
    """Whether blocks of a column of the grid read what those beside them do not: an SM's L1 has it for all it got.

    Where blocks add to what others add to, any tell more of the grid than those of one SM.
    """
    if any(i.name in _ADDING for i in listing) or not near or near[0].distance > 1:
        return False
    return any(bool(((n.part > _COMMON) & (near[0].part < _COMMON)).any()) for n in near[1:])
