"""Everything of a launch: every SM's turn, block by block and to its end, one SM after another.

An SM is still played by itself, with its share of L2 and DRAM: what neighbours do to each other beyond that share is
not there. Only one SM's streams are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mutate.launch.model import Launch
from mutate.machines import Machine
from mutate.sim.at_once import alone
from mutate.sim.timing import confidence
from mutate.sim.timing.model import Kernel, SimulatedTime, predict
from mutate.sim.timing.settings import STALLS

# Warp instructions that are kept of an SM's turn: 100 bytes each, 1200 where every other one is a load of 32 sectors,
# so that two gigabytes are enough. An SM with more plays some blocks again in place of those that were not kept, which
# is said.
RECORDED = 1_500_000
PLAYED = 1 << 40
Progress = Callable[[str, int, int], None]


def order_of_sms(count: int) -> tuple[int, ...]:
    """All SMs, so that however many come first are spread evenly: the one in the middle, then by halves of the rest."""
    bits = max(1, (count - 1).bit_length())
    turned = [int(f"{k:0{bits}b}"[::-1], 2) for k in range(1 << bits)]
    return tuple(dict.fromkeys([count // 2, *(k for k in turned if k < count)]))


def predict_all(kernel: Kernel, launch: Launch, machine: Machine, progress: Progress, **how: Any
                ) -> tuple[SimulatedTime, bool]:
    """The time by all SMs' turns, and whether Ctrl-C ended it early, when those that were done by then count.

    Raises what ``predict`` raises, and ``KeyboardInterrupt`` before one SM is done.
    """
    gx, gy, gz = launch.grid
    total, sms = gx * gy * gz, int(machine.number("sm.count"))
    order = order_of_sms(min(total, sms))
    found: list[SimulatedTime] = []
    try:
        for number, sm in enumerate(order):
            progress(f"SM {number + 1} of {len(order)}", number, len(order))
            found.append(alone(lambda sm=sm: predict(  # type: ignore[misc]
                kernel, launch, machine, recorded=RECORDED, played=PLAYED, sm=sm, **how)))
    except KeyboardInterrupt:
        if not found:
            raise
    return together(found, machine, total), len(found) < len(order)


def together(found: list[SimulatedTime], machine: Machine, total: int) -> SimulatedTime:
    """One time of many turns.

    Blocks go to the SM that is free first. So where all are resident at once the slowest SM decides; where SMs take
    several turns, long and short blocks even out, and it is the mean of the SMs that have most blocks.
    """
    first = found[0]
    most = max(t.blocks_per_sm for t in found)
    longest = [t.cycles for t in found if t.blocks_per_sm == most]
    cycles = max(t.cycles for t in found) if most <= first.resident_blocks else float(np.mean(longest))
    clocks = np.sum([t.by_instruction for t in found], axis=0)
    whole = max(1, int(clocks.sum()))
    busy = {k: float(np.mean([t.utilisation[k] for t in found])) for k in first.utilisation}
    bounded = next((t.limit for t in found if t.limit not in busy), "")
    sms = min(total, int(machine.number("sm.count")))
    return replace(
        first, time_ms=cycles * (first.time_ms - first.overhead_ms) / first.cycles + first.overhead_ms, cycles=cycles,
        blocks_per_sm=most, sampled=tuple(sorted({b for t in found for b in t.sampled})),
        played=sum(t.played for t in found), instructions=sum(t.instructions for t in found), utilisation=busy,
        traffic={k: sum(t.traffic[k] for t in found) for k in first.traffic},
        stalls={name: float(clocks[:, k].sum()) / whole for k, name in enumerate(STALLS)}, by_instruction=clocks,
        warp_clocks=sum(t.warp_clocks for t in found), warps=float(np.mean([t.warps for t in found])),
        limit=bounded or max(busy, key=lambda k: busy[k]), turns=len(found),
        uneven=confidence.of_turns([t.cycles for t in found], sms), rest=max(t.rest for t in found))
