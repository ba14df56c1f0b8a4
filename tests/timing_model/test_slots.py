"""Which warps' places a block gets on an SM, and how many begin when one has ended (mutate/sim/timing/slots.py)."""

from __future__ import annotations

import numpy as np
import pytest

from mutate.machines import load_machine
from mutate.occupancy import KernelResources, default_carveout, device_for, resident_blocks
from mutate.sim.timing.blocks import Blocks, Warps
from mutate.sim.timing.slots import room_for, slots_of


def empty(slots: int, places: int, each: int) -> tuple[Warps, Blocks]:
    """An SM with so many places for warps and blocks, on which nobody is."""
    none = [np.zeros(slots, np.int64) for _ in range(12)]
    warps = Warps(*none)._replace(block=np.full(slots, -1, np.int64))
    return warps, Blocks(np.full(places, -1, np.int64), np.zeros(places, np.int64), np.zeros((places, 16), np.int64),
                         np.zeros(places, np.int64), np.zeros((places, each), np.int64), np.zeros(1, np.int64))


def begins(block: int, clock: int, warps: Warps, blocks: Blocks) -> list[int]:
    """The places of a block's warps, which has them then; none where there is no room."""
    place = int(room_for(-1, block, np.int64(clock), True, True, 4, warps, blocks))
    if place < 0:
        return []
    blocks.number[place] = block
    mine = blocks.slots[place].tolist()
    warps.block[mine] = place
    return mine


def leaves(mine: list[int], clock: int, warps: Warps) -> None:
    warps.block[mine], warps.gone[mine] = -1, clock


def test_the_schedulers_get_a_blocks_warps_in_turn() -> None:
    warps, blocks = empty(64, 32, 8)
    given = [begins(n, 0, warps, blocks) for n in range(8)]
    assert sorted(w for mine in given for w in mine) == list(range(64))
    assert [mine[0] % 4 for mine in given] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert all(np.bincount([w % 4 for w in mine]).tolist() == [2, 2, 2, 2] for mine in given)
    assert begins(8, 0, warps, blocks) == []


def test_blocks_of_three_warps_fill_the_schedulers_evenly() -> None:
    warps, blocks = empty(64, 32, 3)
    given = [begins(n, 0, warps, blocks) for n in range(21)]
    assert sorted(w for mine in given for w in mine) == list(range(63))
    assert begins(21, 0, warps, blocks) == []


def test_a_block_begins_where_warps_of_two_others_have_left() -> None:
    warps, blocks = empty(64, 32, 8)
    given = [begins(n, 0, warps, blocks) for n in range(8)]
    half = [*given[0][:4], *given[5][:4]]
    leaves(half, 100, warps)
    assert begins(8, 99, warps, blocks) == []
    assert sorted(begins(8, 100, warps, blocks)) == sorted(half)


def test_each_scheduler_has_to_have_room() -> None:
    warps, blocks = empty(64, 32, 8)
    given = [begins(n, 0, warps, blocks) for n in range(8)]
    leaves([w for mine in given for w in mine if w % 4 != 3], 0, warps)
    assert begins(8, 1, warps, blocks) == []


def resources(threads: int, registers: int = 32, shared: int = 0) -> KernelResources:
    return KernelResources(registers, shared, threads)


@pytest.mark.parametrize(("of", "room"), [
    (resources(256), (32, 16)),
    (resources(256, 48), (32, 10)),  # registers of ten warps of a scheduler
    (resources(128, 100), (32, 4)),
    (resources(64), (0, 0)),  # an SM has no more than 32 blocks
    (resources(256, 32, 28000), (0, 0)),  # shared memory is kept until the block ends
    (resources(256, 32, 20000), (9, 16))])
def test_what_a_block_has_as_a_whole_bounds_how_many_there_are(of: KernelResources, room: tuple[int, int]) -> None:
    h200 = load_machine("h200")
    device = device_for(h200.capability)
    resident = resident_blocks(of, device).blocks_per_sm
    assert slots_of(of, device, h200, default_carveout(of, device), resident, 1000) == room


def test_other_gpus_and_grids_of_one_wave_give_a_place_to_who_comes_next() -> None:
    h200, a100 = load_machine("h200"), load_machine("a100")
    assert slots_of(resources(256), device_for((8, 0)), a100, 8, 8, 100) == (0, 0)
    assert slots_of(resources(256), device_for((9, 0)), h200, 8, 8, 8) == (0, 0)
