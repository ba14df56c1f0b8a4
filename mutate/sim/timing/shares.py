"""A machine as the engine wants it: clocks and counts of one SM, with its share of L2 and DRAM."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mutate.machines import Machine
from mutate.sim.timing import constants as c
from mutate.sim.timing import settings as p
from mutate.sim.timing.tags import WAYS
from mutate.sim.timing.units import Rates

_WAVES = 3.0
"""More waves than one from which on blocks are where chance has them; a guess."""
_SENT = (p.S_WRITE_CLOCKS_L2, p.S_WRITE_AGAIN, p.S_FILLED, p.S_WRITE_LINE, p.S_ATOMIC, p.S_ATOMIC_GIVES, p.S_PACKET,
         p.S_PACKET_WORD, p.S_CROSSED)


def has_l2(machine: Machine) -> bool:
    """Whether global memory is cached in L2: compute capability 1.x has none."""
    return machine.get("l2.size") is not None or machine.capability >= (2, 0)


def settings_of(machine: Machine, resident: int, turn: int, total: int, l1: int, budget: int
                ) -> npt.NDArray[np.float64]:
    """The engine's settings. An SM has the share of L2 and DRAM that its part of the grid's blocks asks for."""
    rates = Rates(machine)
    sms, clock = machine.number("sm.count"), machine.number("clock.boost")
    s = with_share(np.zeros(p.SETTINGS, np.float64), machine, share_of(turn, total, sms))
    if turn <= resident and total > sms:
        _share_by_turns(s, machine, turn, total - (turn - 1) * sms)
    read = machine.number("dram.read_bandwidth")
    write, copy = rates.number("dram.write_bandwidth", read), rates.number("dram.copy_bandwidth", read)
    s[p.S_RESIDENT], s[p.S_BLOCKS], s[p.S_BUDGET] = resident, turn, budget
    s[p.S_SCHEDULERS] = rates.number("sm.schedulers", 4)
    s[p.S_L1_LATENCY] = rates.number("latency.l1", 32)
    # Without L2 all requests go to DRAM, whose latency and bandwidth they have.
    s[p.S_L2_LATENCY] = machine.number("latency.l2") if has_l2(machine) else 0.0
    s[p.S_DRAM_LATENCY] = machine.number("latency.dram")
    s[p.S_ATOMIC_LATENCY] = rates.number("latency.atomic", c.ATOMIC)
    s[p.S_LONE] = rates.number("dram.lone_sector", c.LONE)
    s[p.S_PART] = c.PART if s[p.S_LONE] > 1.0 else 0.0
    s[p.S_PART_WAITS] = c.PART_WAITS
    # A copy is half reads and half writes; the rest of what it lacks is the cost of changing between them.
    s[p.S_MIX] = max(0.0, 2.0 / (1.0 / read + 1.0 / write) / copy - 1.0)
    # Of others copy_bandwidth is what a usual copy had.
    s[p.S_IN_ORDER] = by_waves(1.0, c.IN_ORDER, turn, resident) if machine.calibrated else 1.0
    s[p.S_LOAD] = rates.number("dram.loaded", c.LOADED)
    s[p.S_LOAD_WRITES] = c.OLDER_LOADED_WRITES if rates.tracked else c.LOADED_WRITES
    s[p.S_L2_SPREAD], s[p.S_SLACK], s[p.S_HALVES] = c.L2_SPREAD, c.SLACK, c.HALVES
    s[p.S_LAUNCH] = clock * sms / rates.number("launch.blocks", 1e9) if total >= sms else 0.0
    s[p.S_LAUNCH_WARP] = c.LAUNCH_WARP
    s[p.S_BETWEEN] = 0.0 if rates.tracked else c.BETWEEN
    s[p.S_BARRIER], s[p.S_BARRIER_EACH], s[p.S_BARRIER_LONE] = c.BARRIER, c.BARRIER_EACH, c.BARRIER_LONE
    if not rates.tracked:
        s[p.S_BARRIER_DATA], s[p.S_BARRIER_DATA_WARP] = c.BARRIER_DATA, c.BARRIER_DATA_WARP
    s[p.S_QUEUE] = c.QUEUE_BEFORE_VOLTA if rates.tracked else c.QUEUE
    s[p.S_BACKLOG], s[p.S_READ_RELEASE], s[p.S_RESTART] = c.BACKLOG, c.READ_RELEASE, c.RESTART
    s[p.S_MIO_ISSUE] = s[p.S_SCHEDULERS] * 32.0 / rates.number("issue.ldst", 32)
    s[p.S_DRAIN] = 0.0 if rates.tracked else c.DRAIN
    s[p.S_L1_LINES] = l1 // 128
    # Tags are those of the whole, whatever of it is shared memory.
    tags = l1 if rates.tracked else max(l1, int(rates.number("l1.unified_cache", 0)) * 1024)
    s[p.S_L1_PLACES] = max(WAYS, 1 << (tags // 128 - 1).bit_length()) if l1 >= 128 else 0
    s[p.S_PACE] = rates.pace
    s[p.S_TRACKED] = rates.tracked
    s[p.S_DUAL] = rates.interval("fp32") == 1 and not rates.tracked
    width = rates.number("shared.banks", 32) * rates.number("shared.bank_width", 4)
    s[p.S_WAVE] = width / rates.number("shared.bandwidth", width)
    # Until Kepler a request with several wavefronts was issued as often: the profiler's replays.
    s[p.S_REPLAY] = rates.tracked
    s[p.S_CONSTANT], s[p.S_CONSTANT_AGAIN] = c.CONSTANT_TURN, c.CONSTANT_AGAIN
    s[p.S_CONSTANT_COMING] = c.CONSTANT_COMING
    s[p.S_MATCH], s[p.S_MATCH_AGAIN] = c.MATCH_TURN, c.MATCH_AGAIN
    s[p.S_CONSTANT_LINES], s[p.S_CONSTANT_FILL] = c.CONSTANT_CACHE, c.CONSTANT_FILL
    s[p.S_CONSTANT_MISS], s[p.S_CONSTANT_FAR] = c.CONSTANT_MISS, c.CONSTANT_FAR
    s[p.S_UNIFORM_FILL], s[p.S_UNIFORM_MISS] = c.UNIFORM_FILL, c.UNIFORM_MISS
    s[p.S_CONSTANT_HELD], s[p.S_CONSTANT_UNIFORM] = c.CONSTANT_HELD, c.CONSTANT_UNIFORM
    s[p.S_STORE_EVICT] = _says(machine, "l1.global_store", "write-evict")
    s[p.S_LOCAL_BACK] = _says(machine, "l1.local_store", "write-back")
    s[p.S_STORE_READS] = _says(machine, "dram.partial_store", "read")
    s[p.S_READ_AGAIN] = _says(machine, "l2.read_on_its_way", "again")
    return s


def by_waves(at_once: float, apart: float, turn: int, resident: int) -> float:
    """What is so for blocks that all run at once, or where they come one after another; of few waves between."""
    return at_once + (apart - at_once) * min(1.0, max(0.0, (turn / resident - 1.0) / _WAVES))


def share_of(turn: int, total: int, sms: float) -> float:
    """The part of L2's and DRAM's bandwidths that an SM with ``turn`` of all blocks has."""
    return max(turn / total, 1.0 / sms) if total >= sms else 1.0 / total


def _share_by_turns(settings: npt.NDArray[np.float64], machine: Machine, turn: int, longest: float) -> None:
    """Of a grid that runs at once, of which ``longest`` SMs have a block more than the others: what an SM sends to L2

    goes through one queue of its own, however many blocks it has, so all SMs have as much until those are alone
    (lane_rows<2> of tests/machines/structs.cu: of 160 blocks 190 us, of 132 131, of 8 60; of atomics it is a guess).
    """
    alike = with_share(settings, machine, 1.0 / machine.number("sm.count"))
    alone = with_share(settings, machine, 1.0 / longest)
    for k in _SENT:
        settings[k] = ((turn - 1) * alike[k] + alone[k]) / turn


def with_share(settings: npt.NDArray[np.float64], machine: Machine, share: float) -> npt.NDArray[np.float64]:
    """The settings for an SM that has this share of what L2 and DRAM do in a clock."""
    rates = Rates(machine)
    sms, clock = machine.number("sm.count"), machine.number("clock.boost")

    def clocks(key: str, default: float, least: float = 0.0) -> float:
        """Clocks that a sector takes of the SM's share of a bandwidth in GB/s."""
        return max(32.0 / (rates.number(key, default) * 1000.0 / clock * share), least)

    read = machine.number("dram.read_bandwidth")
    write = rates.number("dram.write_bandwidth", read)
    l2 = rates.number("l2.read_bandwidth", c.READ_PORT * sms * clock / 1000.0)
    written, again, filled = (c.OLDER_WRITE_BYTES,) * 3 if rates.tracked else (
        c.WRITE_BYTES, c.WRITTEN_AGAIN_BYTES, c.FILLED_BYTES)
    s = settings.copy()
    s[p.S_READ_PORT] = 32.0 / rates.number("l2.sm_read", c.READ_PORT)
    s[p.S_L2_CLOCKS] = clocks("l2.read_bandwidth", l2, s[p.S_READ_PORT])
    s[p.S_WRITE_CLOCKS_L2] = clocks("l2.write_bandwidth", written * sms * clock / 1000.0,
                                    32.0 / rates.number("l2.sm_write", c.WRITE_PORT))
    s[p.S_WRITE_AGAIN], s[p.S_FILLED] = (s[p.S_WRITE_CLOCKS_L2] * written / each for each in (again, filled))
    # Rates of the whole GPU, measured with all its SMs at work.
    part = 1.0 / (share * sms)
    slices = c.SLICES / rates.number("l2.slices", c.SLICES) * part
    lookups = rates.number("l2.lookups", 0.0)
    look_up = part * sms * clock / 1000.0 / lookups if lookups > 0.0 else c.READ_LINE * slices
    s[p.S_READ_LINE] = 0.0 if rates.tracked else c.READ_LINE_PORT
    s[p.S_LOOK_UP] = max(s[p.S_L2_CLOCKS], look_up)
    s[p.S_FILL_LINE] = 0.0 if rates.tracked else look_up
    s[p.S_WRITE_PORT] = 0.0 if rates.tracked else 32.0 / rates.number("l2.sm_write", c.WRITE_PORT)
    s[p.S_WRITE_LINE] = max(2.0 * s[p.S_WRITE_PORT], c.WRITE_LINE * slices)
    s[p.S_CROSSED] = 0.0 if rates.tracked else c.CROSSED * slices
    s[p.S_LOCAL_LINE] = max(s[p.S_WRITE_LINE], c.LOCAL_LINE * part)
    port = 0.0 if rates.tracked else c.ATOMIC_PORT
    s[p.S_ATOMIC], s[p.S_ATOMIC_GIVES] = max(port, c.ATOMIC_SECTOR * slices), max(port, c.ATOMIC_GIVES * part)
    if not rates.tracked:
        s[p.S_PACKET] = max(c.ATOMIC_PACKET_PORT, c.ATOMIC_PACKET * slices)
        s[p.S_PACKET_WORD] = max(port, c.ATOMIC_PACKET_WORD * slices)
    s[p.S_READ_CLOCKS], s[p.S_WRITE_CLOCKS] = clocks("dram.read_bandwidth", read), clocks("dram.write_bandwidth", write)
    return s


def _says(machine: Machine, key: str, word: str) -> bool:
    quantity = machine.get(key)
    return quantity is not None and quantity.value == word
