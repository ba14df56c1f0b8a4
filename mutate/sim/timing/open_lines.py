"""Stores of several warps that write parts of the same sectors, one right behind another: they go to L2 together.

By ncu's sectors of tests/machines/nearby.cu: of stores that turn a tile those of two warps with eight lines each go
together, of 32 lines none; of 16 lines about three in four where loads make way, few where warps do nothing but store
(`tile_turns`); eight warps of a block that store at random in 15 lines do all (`near_writes`). As one warp's stores do
(``combining``), whose numbers are taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mutate.sim.jit import jit_into
from mutate.sim.timing.combining import PARTLY, PARTLY_LINES, SOME_LINES
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.lines import lines_of
from mutate.sim.timing.servers import OpenLines, mix
from mutate.sim.timing.touches import WHOLE_STORE

_ROOM = 64
"""Sectors: those of 16 lines."""
_MOST_LINES = 16
STUCK_MORE, SOME_STUCK = 400.0, 3.0
"""Clocks of stores that the SM has before it from which on those of many lines go together more seldom, and then

instead of ``SOME_LINES`` (``tile_turns<2>``, 0 of nearby.cu, a guess between the two states that it has;
``tile_turns<0>``, 0: by ncu 7.24 of 8.39 million sectors go to L2).
"""
_COUNT, _BLOCK, _WARP = range(3)


def none_open() -> OpenLines:
    return OpenLines(np.zeros(_ROOM, np.int64), np.zeros(3, np.int64), np.zeros(1))


def _is_open(opened: Any, sector: int) -> bool:
    found = False
    for k in range(opened.of[_COUNT]):
        found = found or opened.sectors[k] == sector
    return found


is_open = jit_into(FOLDER, _is_open, counted=False)


def _joins(opened: Any, streams: Any, first: int, count: int, w: int, block: int, start: float, backlog: float) -> bool:
    """Whether the store of a warp goes together with those before it, of other warps of its block. ``backlog``: clocks

    of stores that the SM has before it.
    """
    if streams.touch[first] & WHOLE_STORE or opened.of[_COUNT] == 0:
        return False
    if opened.of[_BLOCK] != block or opened.of[_WARP] == w or start - opened.left[0] > PARTLY:
        return False
    # What comes between, to other lines, keeps them apart.
    both = False
    for k in range(opened.of[_COUNT]):
        line = opened.sectors[k] >> 2
        both = both or line == streams.sectors[first] >> 2 or line == streams.sectors[first + count - 1] >> 2
    lines = lines_of(streams.sectors, first, count)
    if lines > PARTLY_LINES:
        some = SOME_LINES if backlog <= STUCK_MORE else SOME_STUCK
        both = both and lines <= _MOST_LINES and mix(streams.sectors[first] + w, 13) * lines <= some
    return bool(both)


joins_open = jit_into(FOLDER, _joins, counted=False)


def _open(opened: Any, streams: Any, first: int, count: int, w: int, block: int, left: float, joined: bool) -> None:
    """A store has been made, and gone to L2 when it ``left``: what comes next may go together with it, and with those

    that it has ``joined``.
    """
    had = opened.of[_COUNT] if joined else 0
    if had + count > _ROOM:
        had = 0
    if count <= _ROOM:
        for i in range(first, first + count):
            opened.sectors[had] = streams.sectors[i]
            had += 1
    opened.of[_COUNT], opened.of[_BLOCK], opened.of[_WARP] = had, block, w
    opened.left[0] = left


open_lines = jit_into(FOLDER, _open, counted=False)
