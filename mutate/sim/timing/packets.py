"""Additions on their way to L2: of each line one packet after another, where lanes want the same words."""

from __future__ import annotations

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.settings import S_ATOMIC, S_ATOMIC_GIVES, S_PACKET, S_PACKET_WORD


def _added(sectors, i, last, opens, gives, lone, settings):
    """Clocks of the SM for all additions of a request to the line of ``sectors[i]``, where that ``opens`` it; else 0.

    A sector is there as often as it is added to (``gather``), and a packet has all sectors of the line once, at most.
    ``gives``: old values are wanted. ``lone``: a packet has one word of each of its sectors.
    """
    if not opens:
        return 0.0
    line, turns, packets = sectors[i] >> 2, 0, 0
    k = i
    while k < last and sectors[k] >> 2 == line:
        turns = turns + 1 if k > i and sectors[k] == sectors[k - 1] else 1
        packets = max(packets, turns)
        k += 1
    alone = (k - i) * (settings[S_ATOMIC_GIVES] if gives else settings[S_ATOMIC])
    if lone and packets == 1:
        return alone
    return max(alone, packets * (settings[S_PACKET_WORD] if lone else settings[S_PACKET]))


added = jit_into(FOLDER, _added, counted=False)
