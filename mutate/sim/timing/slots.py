"""Which of an SM's places for warps a block gets: when a block has ended, as many begin as there is room for.

Who has left makes room before the rest of its block has: of blocks of 256 threads whose warps take as long as chance
has it nine are on an H200's SM on average, and thirteen at most, where eight fill it (tests/machines/slots.py and what
it printed, reference/h200_slots.csv; times: tests/machines/ragged.cu). Where all blocks end together nobody gains.
"""

from __future__ import annotations

from typing import Any

from mutate.machines import Machine
from mutate.occupancy import Device, KernelResources, resident_blocks
from mutate.sim.jit import jit_into
from mutate.sim.timing.folder import FOLDER

RELEASED = (9, 0)
"""Compute capability from which on it is taken to be so: an H200 was measured, and no GPU before it."""
_WARP_EACH = 128


def slots_of(resources: KernelResources, device: Device, machine: Machine, carveout_kb: int, resident: int, turn: int
             ) -> tuple[int, int]:
    """Blocks that an SM has room for by all but their warps, and warps of each scheduler; 0 and 0 where a block takes

    the place of one that has ended, and no other.
    """
    if turn <= resident or machine.capability < RELEASED:
        return 0, 0
    limits = resident_blocks(resources, device, carveout_kb).limits
    places = min(limits.get(name, device.blocks_per_sm) for name in ("blocks", "barriers", "shared_memory"))
    alone = KernelResources(resources.registers, 0, _WARP_EACH)
    warps = -(-resources.threads_per_block // 32)
    schedulers = _WARP_EACH // 32
    slots = min(resident_blocks(alone, device).blocks_per_sm, -(-places * warps // schedulers))
    return (places, slots) if places > resident and resident * warps <= schedulers * slots else (0, 0)


def _free(row: Any, each: int, schedulers: int, first: int, clock: int, warps: Any) -> bool:
    """Finds free slots for a block's warps, which go to the schedulers in turn from ``first`` on."""
    for i in range(each):
        w = row[i - schedulers] + schedulers if i >= schedulers else (first + i) % schedulers
        while w < len(warps.at) and (warps.block[w] >= 0 or warps.gone[w] > clock):
            w += schedulers
        if w >= len(warps.at):
            return False
        row[i] = w
    return True


free_slots = jit_into(FOLDER, _free, counted=False)


def _room(b: int, block: int, clock: int, released: bool, turned: bool, schedulers: int, warps: Any, blocks: Any
          ) -> int:
    """The place that a block gets, with slots for its warps (``blocks.slots``); -1: none. ``b``: the one that was left.

    Where the schedulers get equally many warps of a block, the next block's first warp goes to the next scheduler (an
    H200's %warpid; in blocks whose first warp alone works, all schedulers do equally much), if ``turned``.
    """
    each = blocks.slots.shape[1]
    if not released:
        turn = block % schedulers if turned and each % schedulers == 0 else 0
        for i in range(each):
            blocks.slots[b, i] = b * each + (i - i % schedulers + (i + turn) % schedulers if turn else i)
        return b
    for place in range(len(blocks.number)):
        if blocks.number[place] < 0:
            for k in range(schedulers):
                if free_slots(blocks.slots[place], each, schedulers, blocks.first[0] + k, clock, warps):
                    blocks.first[0] += k + each + (each % schedulers == 0)
                    return place
            return -1
    return -1


room_for = jit_into(FOLDER, _room, counted=False)
