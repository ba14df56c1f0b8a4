"""How long a launch takes on a machine, by the model: one SM is played, the rest of the grid reckoned from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.errors import KmutateError
from mutate.launch.model import Launch
from mutate.machines import Machine
from mutate.occupancy import KernelResources, default_carveout, device_for, resident_blocks
from mutate.occupancy.calculator import effective_capacity
from mutate.sass.disasm import Instruction
from mutate.sim.image import Image
from mutate.sim.places import Places
from mutate.sim.space import Initial
from mutate.sim.timing import confidence, dispatch
from mutate.sim.timing import constants as c
from mutate.sim.timing import engine as e
from mutate.sim.timing import settings as p
from mutate.sim.timing.broken import Beside
from mutate.sim.timing.budget import FEW_WAVES, budget_of
from mutate.sim.timing.by_chance import scattered
from mutate.sim.timing.code_cache import of_code
from mutate.sim.timing.gather import FERMI, FERMI_CG, TESLA, VOLTA
from mutate.sim.timing.hints import hints_of
from mutate.sim.timing.hot import hot_clocks
from mutate.sim.timing.one_place import contested, least_clocks, stay
from mutate.sim.timing.reuse import Reuse, beyond_l2, no_reuse, reuse_of
from mutate.sim.timing.sampling import GROUP, Sample, record
from mutate.sim.timing.scoreboard import registers_of
from mutate.sim.timing.servers import lines_in
from mutate.sim.timing.tags import WAYS
from mutate.sim.timing.tensor import slowed
from mutate.sim.timing.tesla import read_shared_by_operands
from mutate.sim.timing.touches import PAIRS, lines_up_to
from mutate.sim.timing.uneven import SEVERAL_WAVES, Turn, busy_part, differ, longer_by
from mutate.sim.timing.units import Rates, table_of, untimed

# Instructions of warps that are recorded, and that the engine plays: seconds, not minutes.
RECORDED = 500_000
PLAYED = 1_000_000
_MARKS = 64
_TURNS = 2
_TURNS_PLAYED = 3
"""How often the turn of the SM that ends last is looked for, at most."""
_LATE = 64
_NEEDED = ("sm.count", "clock.boost", "dram.read_bandwidth", "latency.dram")
_NEEDED_OF_L2 = ("l2.read_bandwidth", "latency.l2")
_SENT = (p.S_WRITE_CLOCKS_L2, p.S_WRITE_LINE, p.S_ATOMIC, p.S_ATOMIC_GIVES, p.S_PACKET, p.S_PACKET_WORD)
# Records of a long block that are kept at least, so that every warp has some.
_LEAST = 1 << 17


@dataclass(frozen=True)
class SimulatedTime:
    """What the model says of a launch. Never measured.

    ``resident_blocks`` fit on an SM, ``blocks_per_sm`` is its turn of the grid. ``cycles`` are those of one SM without
    the launch's overhead. ``utilisation`` is the busy share of each unit while the sample was played, from 0 to 1.
    ``stalls`` has the share of all warps' clocks by ncu's reasons; ``by_instruction`` the clocks, shape (instructions,
    reasons of ``settings.STALLS``), each at the instruction that waits to be issued; its sum is ``warp_clocks``, the
    clocks that warps were resident, from the start of each to its last issue; ``warps`` is how many were on average.
    ``played`` of ``instructions`` (warp instructions of the SM's whole turn) were played, of the blocks ``sampled``.
    ``turns``: of how many SMs. Relative standard errors of the time, told from the sample itself: ``uneven`` for blocks
    and SMs that are not in it (``None`` where there is but one of several), ``rest`` for what was not played.
    ``in_order``: as ``Sample`` has it.
    """

    time_ms: float
    cycles: float
    overhead_ms: float
    resident_blocks: int
    blocks_per_sm: int
    sampled: tuple[int, ...]
    grid_blocks: int
    played: int
    instructions: float
    utilisation: Mapping[str, float]
    traffic: Mapping[str, float]
    stalls: Mapping[str, float]
    by_instruction: npt.NDArray[np.int64]
    warp_clocks: int
    warps: float
    limit: str
    machine: str
    calibrated: bool
    turns: int = 1
    uneven: float | None = None
    rest: float = 0.0
    in_order: bool | None = None

    @property
    def complete(self) -> bool:
        """Whether the SM's whole turn was played."""
        return self.played >= self.instructions - 0.5


@dataclass(frozen=True)
class Kernel:
    """What is compiled. ``dlcm``: ``cg`` where all global loads are to go around L1, whatever the code says."""

    image: Image
    listing: Sequence[Instruction]
    barriers: int = 1
    dlcm: str = "ca"


def predict(kernel: Kernel, launch: Launch, machine: Machine, *, extra_smem: int = 0,
            carveout_kb: int | None = None, recorded: int = RECORDED,
            played: int = PLAYED, initial: Initial | None = None, places: Places | None = None,
            sm: int | None = None, sample: Sample | None = None) -> SimulatedTime:
    """The time of one launch with a cold L2. ``extra_smem``: dynamic shared memory added to the launch's, in bytes;

    ``carveout_kb``: the carve-out that the launch asks for (``None``: the driver's own choice). ``sm``: whose blocks
    are played, by default the SM's in the middle. ``sample``: what ``sample_of`` gave for this kernel, launch and
    machine.

    Raises ``KmutateError``: ``no-time`` for opcodes and machines that the model does not cover, and whatever the
    execution of the sample raises.
    """
    sample = sample or sample_of(kernel, launch, machine, recorded, played, initial, places, sm)
    machine = slowed(machine, kernel.listing, sample.streams.pc)
    sms = int(machine.number("sm.count"))
    resources = _resources(kernel, launch, extra_smem)
    device = device_for(machine.capability)
    resident = resident_blocks(resources, device, carveout_kb).blocks_per_sm
    if resident < 1:
        raise KmutateError("no-time", "no block of this launch fits on an SM")
    gx, gy, gz = launch.grid
    total = gx * gy * gz
    turn = -(-total // sms)
    rates = Rates(machine)
    l2_bytes = rates.number("l2.held", machine.number("l2.size")) * 1024 if _has_l2(machine) else 0.0
    reuse = reuse_of(sample, min(resident, turn) * sms, l2_bytes, sms, rates.number("l2.merging_sms", 1) > 1
                     ) if _has_l2(machine) else no_reuse(sample)
    carveout = default_carveout(resources, device) if carveout_kb is None else \
        effective_capacity(resources, device, carveout_kb) // 1024
    l1 = max(0, int(1024 * (rates.number("l1.unified_cache", 0) - rates.number("l1.reserved", 0) - carveout)))
    played = budget_of(sample, turn, resident, -(-launch.threads // 32), played)
    settings = settings_of(machine, min(resident, turn), turn, total, l1, played)
    settings[[p.S_CODE_LINES, p.S_CODE_FILL, p.S_CODE_STAYS]] = of_code(
        len(kernel.listing), sample.streams.pc, machine.capability)
    local = float(kernel.image.local_bytes) * launch.threads * min(resident, turn) * min(sms, total)
    if reuse.again.any():
        settings[p.S_L2_LINES] = lines_in(l2_bytes * (1.0 - c.WRITTEN) / min(sms, total))
    settings[p.S_L2_WRITTEN] = lines_in(l2_bytes * c.IN_PARTS / min(sms, total))
    if l2_bytes and not rates.tracked:
        sectors = machine.number("l2.size") * 1024 / 32 / min(sms, total)
        settings[p.S_HELD], settings[p.S_STORED] = int(c.SHARED * sectors), int(c.STORED * sectors)
    settings[p.S_STAYS] = 1.0 + c.ATOMIC_STAYS * math.log(stay(sample)) if total > 1 else 1.0
    settings[p.S_LOCAL_FAR] = beyond_l2(sample, local, l2_bytes)
    if sm is not None:
        turn = len(range(sm, total, sms))
        settings[p.S_BLOCKS] = turn
    return _play(kernel, launch, machine, sample, reuse, settings, turn, resident, sm is not None)


def sample_of(kernel: Kernel, launch: Launch, machine: Machine, recorded: int = RECORDED,
              played: int = PLAYED, initial: Initial | None = None, places: Places | None = None,
              sm: int | None = None) -> Sample:
    """What is recorded of a launch, the same for all its carve-outs and paddings. Raises as ``predict`` does."""
    missing = untimed(kernel.listing, machine)
    if missing:
        raise KmutateError("no-time", f"the model of time has no unit of {machine.name} for {', '.join(missing)}")
    absent = [key for key in (*_NEEDED, *(_NEEDED_OF_L2 if _has_l2(machine) else ())) if machine.get(key) is None]
    if absent:
        raise KmutateError("no-time", f"the machine {machine.name} has no {', '.join(absent)}, which times need")
    gx, gy, gz = launch.grid
    sms = int(machine.number("sm.count"))
    device = device_for(machine.capability)
    # Of one long block no more is kept than a play can use, and than memory has room for.
    longest = max(_LEAST, min(2 * played, 4 * recorded))
    return record(kernel.image, kernel.listing, launch, sms, -(-gx * gy * gz // sms), recorded, longest, initial,
                  places, rules=rules_of(machine, kernel.dlcm), sm=sm,
                  mates=max(2, int(Rates(machine).number("l2.merging_sms", GROUP))),
                  at_once=device.warps_per_sm // -(-launch.threads // 32),
                  resident=max(1, resident_blocks(_resources(kernel, launch), device).blocks_per_sm))


def _resources(kernel: Kernel, launch: Launch, extra_smem: int = 0) -> KernelResources:
    return KernelResources(kernel.image.registers, kernel.image.static_smem, launch.threads, launch.smem + extra_smem,
                           max(1, kernel.barriers))


def rules_of(machine: Machine, dlcm: str) -> int:
    """By which rules requests become traffic, of those in ``gather``."""
    quantity = machine.get("shared.rules")
    rules = "volta" if quantity is None else quantity.value
    return {"tesla": TESLA, "fermi": FERMI_CG if dlcm == "cg" else FERMI}.get(str(rules), VOLTA)


def _has_l2(machine: Machine) -> bool:
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
    s[p.S_L2_LATENCY] = machine.number("latency.l2") if _has_l2(machine) else 0.0
    s[p.S_DRAM_LATENCY] = machine.number("latency.dram")
    s[p.S_ATOMIC_LATENCY] = rates.number("latency.atomic", c.ATOMIC)
    s[p.S_LONE] = rates.number("dram.lone_sector", c.LONE)
    s[p.S_PART] = c.PART if s[p.S_LONE] > 1.0 else 0.0
    s[p.S_PART_WAITS] = c.PART_WAITS
    # A copy is half reads and half writes; the rest of what it lacks is the cost of changing between them.
    s[p.S_MIX] = max(0.0, 2.0 / (1.0 / read + 1.0 / write) / copy - 1.0)
    s[p.S_LOAD], s[p.S_LOAD_WRITES] = rates.number("dram.loaded", c.LOADED), c.LOADED_WRITES
    s[p.S_L2_SPREAD], s[p.S_SLACK], s[p.S_HALVES] = c.L2_SPREAD, c.SLACK, c.HALVES
    s[p.S_LAUNCH] = clock * sms / rates.number("launch.blocks", 1e9) if total >= sms else 0.0
    s[p.S_LAUNCH_WARP] = c.LAUNCH_WARP
    s[p.S_BETWEEN] = 0.0 if rates.tracked else c.BETWEEN
    s[p.S_BARRIER], s[p.S_BARRIER_EACH], s[p.S_BARRIER_LONE] = c.BARRIER, c.BARRIER_EACH, c.BARRIER_LONE
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
    s = settings.copy()
    s[p.S_READ_PORT] = 32.0 / rates.number("l2.sm_read", c.READ_PORT)
    s[p.S_L2_CLOCKS] = clocks("l2.read_bandwidth", l2, s[p.S_READ_PORT])
    s[p.S_WRITE_CLOCKS_L2] = clocks("l2.write_bandwidth", c.WRITE_BYTES * sms * clock / 1000.0,
                                    32.0 / rates.number("l2.sm_write", c.WRITE_PORT))
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


def apart_of(sample: Sample, settings: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Arrays (and local memory) of which L1 keeps nothing for the next block.

    After some waves the resident blocks are anywhere in their work, however they began. What L1 does not hold as a
    whole is gone before another block asks for it, unless L1 has room for all of several turns of blocks.
    """
    s = sample.streams
    arrays = len(sample.initial.regions) + 1
    turns = sample.touched[:, :, PAIRS].sum() / len(sample.blocks) * settings[p.S_RESIDENT]
    if settings[p.S_BLOCKS] < FEW_WAVES * settings[p.S_RESIDENT] or _TURNS * turns <= settings[p.S_L1_LINES]:
        return np.zeros(arrays, np.bool_)
    most = int(settings[p.S_L1_LINES] / 2)
    # In what is read at random one block finds as much that others left as another (quads of buckets.cu).
    return np.asarray(lines_up_to(s.touch, s.region, s.sectors, arrays, most) > most) & ~scattered(sample)[:, 0]


def late_of(machine: Machine) -> npt.NDArray[np.float64]:
    """Clocks by which reads from DRAM come later than on average, all equally likely."""
    curve = machine.curve("latency.dram_spread") if machine.get("latency.dram_spread") is not None else c.DRAM_SPREAD
    at, late = zip(*curve, strict=True)
    places = np.interp((np.arange(_LATE) + 0.5) / _LATE * 100.0, at, late)
    return np.asarray(places - places.mean())


@dataclass(frozen=True)
class _Played:
    """What the engine gave: when blocks ended, its marks, stalls and busy times, its end and counts."""

    done: npt.NDArray[np.int64]
    marks: npt.NDArray[np.int64]
    stalls: npt.NDArray[np.int64]
    busy: npt.NDArray[np.float64]
    end: float
    issued: int
    finished: int


def _player(kernel: Kernel, machine: Machine, sample: Sample, reuse: Reuse, settings: npt.NDArray[np.float64]
            ) -> Callable[[int, float, bool], _Played]:
    """Plays so many blocks; ``part`` of memory's work is left on average for SMs when the last of them begins, or from

    the beginning on (``whole``).
    """
    hints = hints_of(kernel.listing, kernel.dlcm == "cg")
    table = table_of(kernel.listing, machine)
    if machine.get("issue.fp32_shared") is not None:
        read_shared_by_operands(table, kernel.listing, machine)
    # Who does not track registers asks for no row of these tables.
    registers = registers_of(kernel.listing if settings[p.S_TRACKED] > 0.0 else ())
    apart, late = apart_of(sample, settings), late_of(machine)
    even = int(settings[p.S_BLOCKS])
    run: Any = e.play

    def play(turn: int, part: float, whole: bool) -> _Played:
        mine = settings.copy()
        mine[p.S_BLOCKS] = turn
        after = mine
        if part < 1.0:
            after = with_share(mine, machine, share_of(even, sample.grid_blocks, machine.number("sm.count")) / part)
            for room in (p.S_L2_LINES, p.S_L2_WRITTEN):
                after[room] = lines_in(128.0 * mine[room] / part)
        done, marks = np.zeros(turn, np.int64), np.zeros((_MARKS, 2), np.int64)
        stalls = np.zeros((len(kernel.listing), len(p.STALLS)), np.int64)
        busy = np.zeros(p.BUSY, np.float64)
        first = after if whole else mine
        end, issued, finished = run(table, *registers, sample.streams, reuse, apart, late, hints, first, after, done,
                                    stalls, busy, marks)
        return _Played(done, marks, stalls, busy, float(end), int(issued), int(finished))

    return play


def _play(kernel: Kernel, launch: Launch, machine: Machine, sample: Sample, reuse: Reuse,
          settings: npt.NDArray[np.float64], turn: int, resident: int, alone: bool) -> SimulatedTime:
    play = _player(kernel, machine, sample, reuse, settings)
    longer, sms = 1.0, int(machine.number("sm.count"))
    uneven = not alone and differ(sample.works)
    several = uneven and turn > SEVERAL_WAVES * resident
    part = busy_part(sample.works, sample.blocks, turn, launch.grid, sms) if several else 1.0
    seen = play(turn, part, True)
    if uneven:
        longer = _longer(sample, seen, play(1, part, True), settings, turn, sms, resident, launch.grid, part)
    elif not alone and resident < turn <= dispatch.LONGEST * resident and seen.finished == turn:
        clocks = np.maximum(seen.stalls.sum(axis=0), 1)
        far = min(1.0, seen.busy[p.N_DRAM_READ] / max(1.0, seen.busy[p.N_L2_READ]))
        spread = dispatch.spread_of(float(clocks[[p.R_LONG, p.R_LG]].sum() / clocks.sum()), far)
        last = dispatch.Turn(turn, 1.0)
        for _ in range(_TURNS_PLAYED):
            now = dispatch.last_turn(seen.done.astype(np.float64), resident, sample.grid_blocks, sms, spread)
            if (now.blocks, now.part) == (last.blocks, last.part):
                break
            # What a full SM takes for its last blocks few of them do not tell.
            told = now.blocks <= len(seen.done) + resident // 2
            turn, longer, last = now.blocks, now.slow, now
            seen = play(turn, last.part, False)
            if told or seen.finished < turn:
                break
    marks, stalls, busy, end = seen.marks, seen.stalls, seen.busy, seen.end
    issued, finished = seen.issued, seen.finished
    each = sample.instructions / len(sample.blocks)
    instructions = float(issued) if finished == turn else turn * each
    cycles = end
    if finished < turn:
        at, had = marks[_MARKS // 2]
        rate = (end - float(at)) / max(1, issued - int(had))
        cycles += max(0.0, instructions - issued) * rate
    rest = confidence.of_rest(marks, end, issued, cycles)
    cycles *= longer
    beside = _beside(busy, cycles, sample.grid_blocks / turn * instructions / max(1, issued))
    bound, what = least_clocks(sample, kernel.listing, beside, sms, resident)
    rates = Rates(machine)
    if rates.number("l2.merging_sms", 1) > 1:
        hot = hot_clocks(sample, kernel.listing, kernel.dlcm == "cg", rates.number("l2.slices", c.SLICES))
        bound, what = max((bound, what), (hot, "loads of the same lines"))
    limit, bounded = "", bound > cycles
    if bounded:
        cycles, limit = bound, what
    at_first = contested(sample, kernel.listing)
    cycles, limit = cycles + at_first, "atomics at one place" if at_first > cycles else limit
    clock, overhead = machine.number("clock.boost") * 1e3, _overhead_ms(machine, min(sms, sample.grid_blocks))
    util = _utilisation(busy, end, settings)
    limit = limit or max(util, key=lambda k: util[k])
    whole = max(1, int(stalls.sum()))
    return SimulatedTime(
        cycles / clock + overhead, cycles, overhead, resident, turn, sample.blocks,
        sample.grid_blocks, issued, instructions, util, _traffic(busy),
        {name: float(stalls[:, k].sum()) / whole for k, name in enumerate(p.STALLS)}, stalls,
        int(busy[p.B_WARPS]), float(busy[p.B_WARPS]) / max(1.0, end), limit, machine.name, machine.calibrated, 1,
        confidence.of_blocks([w.total for w in sample.works], sample.grid_blocks),
        rest if not bounded else 0.0, sample.in_order)


def _beside(busy: npt.NDArray[np.float64], cycles: float, grid: float) -> Beside:
    """``grid``: by how much the whole grid does more than was played."""
    added = max(1.0, float(busy[p.N_ADDED]))
    return Beside(cycles, float(busy[p.T_ADDED]), grid * float(busy[p.N_L2_READ]),
                  grid * float(busy[p.N_L2_WRITE] - busy[p.N_ADDED]), grid * float(busy[p.N_IN_PART]),
                  float(busy[p.N_ADDED_FAR]) / added)


def _longer(sample: Sample, seen: _Played, alone: _Played, settings: npt.NDArray[np.float64], turn: int, sms: int,
            resident: int, grid: tuple[int, int, int], part: float) -> float:
    """Of blocks that differ: how much longer the grid takes than the played SM takes for its own blocks.

    ``part``: of the SMs, by which L2 and DRAM were shared.
    """
    known = {w.block: float(w.total) for w in sample.works}
    played = [known[sample.blocks[k % len(sample.blocks)]] for k in range(turn)]
    busy = _utilisation(seen.busy, seen.end, settings)
    # Of what was not played as much is left as its work says.
    clocks = seen.end * max(1.0, sum(played) / max(1, seen.issued))
    return longer_by(sample.works, Turn(played, resident, clocks, alone.issued / max(1.0, alone.end),
                                        min(1.0, max(busy["l2"], busy["l2_write"], busy["dram"])) / part),
                     grid, sms, dispatch.LONGEST)


def _overhead_ms(machine: Machine, blocks: int) -> float:
    """An empty kernel of ``blocks`` blocks, one an SM at most, between two events; where that was not measured, one of

    many empty kernels.
    """
    if machine.get("launch.empty_by_blocks") is not None:
        known = machine.curve("launch.empty_by_blocks")
        return float(np.interp(blocks, [x for x, _ in known], [y for _, y in known])) / 1e3
    return Rates(machine).number("launch.back_to_back", 0.0) / 1e3


def _utilisation(busy: npt.NDArray[np.float64], end: float, settings: npt.NDArray[np.float64]) -> dict[str, float]:
    schedulers = settings[p.S_SCHEDULERS]
    out: dict[str, Any] = {
        "issue": busy[p.B_ISSUE] / schedulers, "alu": busy[p.B_ALU] / schedulers, "fma": busy[p.B_FMA] / schedulers,
        "fp64": busy[p.B_FP64] / schedulers, "xu": busy[p.B_XU] / schedulers,
        "tensor": busy[p.B_TENSOR] / schedulers, "l1": busy[p.B_DATA],
        "l2": busy[p.B_L2], "l2_write": busy[p.B_L2_WRITE], "dram": busy[p.B_DRAM]}
    return {k: float(v) / max(1.0, end) for k, v in out.items()}


def _traffic(busy: npt.NDArray[np.float64]) -> dict[str, float]:
    """Sectors while the sample was played."""
    return {"l1_sectors": float(busy[p.N_L1]), "l1_hits": float(busy[p.N_L1_HITS]),
            "local_sectors": float(busy[p.N_LOCAL]), "local_hits": float(busy[p.N_LOCAL_HITS]),
            "l2_read_sectors": float(busy[p.N_L2_READ]), "l2_write_sectors": float(busy[p.N_L2_WRITE]),
            "dram_read_sectors": float(busy[p.N_DRAM_READ]), "dram_write_sectors": float(busy[p.N_DRAM_WRITE])}
