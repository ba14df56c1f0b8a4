"""Additions on their way to L2: of each line one packet after another, where lanes want the same words."""

from __future__ import annotations

from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER
from mutate.sim.timing.settings import S_ATOMIC, S_ATOMIC_GIVES, S_PACKET, S_PACKET_WORD, S_STAYS


def _added(sectors, i, last, gives, lone, settings):
    """Clocks of the SM for each addition of a request to the line that begins at ``sectors[i]``.

    A sector is there as often as it is added to (``gather``), and a packet has all sectors of the line once, at most.
    ``gives``: old values are wanted. ``lone``: a packet has one word of each of its sectors.
    """
    each = settings[S_ATOMIC_GIVES] if gives else settings[S_ATOMIC]
    line, turns, packets = sectors[i] >> 2, 0, 0.0
    k = i
    while k < last and sectors[k] >> 2 == line:
        turns = turns + 1 if k > i and sectors[k] == sectors[k - 1] else 1
        packets = max(packets, turns)
        k += 1
    if lone and packets == 1:
        return each
    packets *= settings[S_STAYS] * (settings[S_PACKET_WORD] if lone else settings[S_PACKET])
    return max(each, packets / (k - i))


added = jit_into(FOLDER, _added, counted=False)
