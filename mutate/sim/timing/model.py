"""How long a launch takes on a machine, by the model: one SM is played, the rest of the grid reckoned from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
from mutate.sim.timing import settings as p
from mutate.sim.timing.broken import Beside
from mutate.sim.timing.budget import budget_of
from mutate.sim.timing.code_cache import of_code
from mutate.sim.timing.gather import FERMI, FERMI_CG, TESLA, VOLTA
from mutate.sim.timing.hot import hot_clocks
from mutate.sim.timing.load import slower_by
from mutate.sim.timing.one_place import contested, least_clocks, stay
from mutate.sim.timing.parted import parted_of
from mutate.sim.timing.player import MARKS, Played, Player
from mutate.sim.timing.reuse import Reuse, as_a_whole, beyond_l2, no_reuse, reuse_of
from mutate.sim.timing.sampling import GROUP, Sample, record
from mutate.sim.timing.servers import lines_in
from mutate.sim.timing.shares import by_waves, has_l2, settings_of
from mutate.sim.timing.shorter import part_of, shortened
from mutate.sim.timing.slots import slots_of
from mutate.sim.timing.tensor import slowed
from mutate.sim.timing.uneven import SEVERAL_WAVES, Turn, busy_part, differ, longer_by
from mutate.sim.timing.units import Rates, untimed

# Instructions of warps that are recorded, and that the engine plays: seconds, not minutes.
RECORDED = 500_000
PLAYED = 1_000_000
_TURNS_PLAYED = 3
"""How often the turn of the SM that ends last is looked for, at most."""
_FREER, _WAITED_FOR = 2.0, 0.4
"""The larger share of L2 and DRAM with which an SM is played whose blocks differ, and from which part of its time on

that those are at work. Guesses, with which of_length of tests/machines/lengths.cu comes out.
"""
_NEEDED = ("sm.count", "clock.boost", "dram.read_bandwidth", "latency.dram")
_NEEDED_OF_L2 = ("l2.read_bandwidth", "latency.l2")
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
    ``every``: as ``Sample`` has it.
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
    every: int | None = None

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
    l2_bytes = rates.number("l2.held", machine.number("l2.size")) * 1024 if has_l2(machine) else 0.0
    reuse = reuse_of(sample, min(resident, turn) * sms, l2_bytes, sms, rates.number("l2.merging_sms", 1) > 1
                     ) if has_l2(machine) else no_reuse(sample)
    carveout = default_carveout(resources, device) if carveout_kb is None else \
        effective_capacity(resources, device, carveout_kb) // 1024
    l1 = max(0, int(1024 * (rates.number("l1.unified_cache", 0) - rates.number("l1.reserved", 0) - carveout)))
    part = part_of(sample, turn, resident, played)
    played = budget_of(sample, turn, resident, -(-launch.threads // 32), played, part)
    if part == 1.0 and turn > resident and played < turn * sample.instructions / len(sample.blocks):
        reuse = as_a_whole(reuse, resident / turn)
    settings = settings_of(machine, min(resident, turn), turn, total, l1, played)
    settings[[p.S_PLACES, p.S_WARP_SLOTS]] = slots_of(resources, device, machine, carveout, resident, turn)
    settings[[p.S_CODE_LINES, p.S_CODE_FILL, p.S_CODE_STAYS]] = of_code(
        len(kernel.listing), sample.streams.pc, machine.capability)
    local = float(kernel.image.local_bytes) * launch.threads * min(resident, turn) * min(sms, total)
    if reuse.again.any():
        settings[p.S_L2_LINES] = lines_in(l2_bytes * (1.0 - c.WRITTEN) / min(sms, total))
    settings[p.S_L2_WRITTEN] = lines_in(l2_bytes * c.IN_PARTS / min(sms, total))
    if l2_bytes and not rates.tracked:
        sectors = machine.number("l2.size") * 1024 / 32 / min(sms, total)
        settings[p.S_HELD] = int(by_waves(*c.PASSING, turn, resident) * sectors)
        settings[p.S_STORED] = int(by_waves(*c.STORED, turn, resident) * sectors)
        settings[p.S_PARTED] = parted_of(sample, reuse.read, min(resident, turn) * -(-launch.threads // 32))
    settings[p.S_STAYS] = 1.0 + c.ATOMIC_STAYS * math.log(stay(sample)) if total > 1 else 1.0
    settings[p.S_LOCAL_FAR] = beyond_l2(sample, local, l2_bytes)
    if sm is not None:
        turn = len(range(sm, total, sms))
        settings[p.S_BLOCKS] = turn
    return _play(kernel, launch, machine, sample, reuse, settings, turn, resident, sm is not None, part)


def sample_of(kernel: Kernel, launch: Launch, machine: Machine, recorded: int = RECORDED,
              played: int = PLAYED, initial: Initial | None = None, places: Places | None = None,
              sm: int | None = None) -> Sample:
    """What is recorded of a launch, the same for all its carve-outs and paddings. Raises as ``predict`` does."""
    missing = untimed(kernel.listing, machine)
    if missing:
        raise KmutateError("no-time", f"the model of time has no unit of {machine.name} for {', '.join(missing)}")
    absent = [key for key in (*_NEEDED, *(_NEEDED_OF_L2 if has_l2(machine) else ())) if machine.get(key) is None]
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


def _play(kernel: Kernel, launch: Launch, machine: Machine, sample: Sample, reuse: Reuse,
          settings: npt.NDArray[np.float64], turn: int, resident: int, one_sm: bool, shown: float) -> SimulatedTime:
    """``shown``: the part of each block's instructions that is played."""
    whole_sample, sample = sample, shortened(sample, shown) if shown < 1.0 else sample
    player = Player(kernel.listing, kernel.dlcm == "cg", machine, sample, reuse, settings)
    longer, sms = 1.0, int(machine.number("sm.count"))
    uneven = not one_sm and differ(sample.works)
    several = uneven and turn > SEVERAL_WAVES * resident
    part = busy_part(sample.works, sample.blocks, turn, launch.grid, sms) if several else 1.0
    seen = player.play(turn, part, True)
    if uneven:
        alone = player.play(1, part, True, later=turn > resident)
        freer = None
        if part == 1.0 and turn <= dispatch.LONGEST * resident and _shared(seen, settings) > _WAITED_FOR:
            freer = player.play(turn, 1.0 / _FREER, True)
        longer = _longer(sample, seen, alone, freer, settings, turn, sms, resident, launch.grid, part)
    elif not one_sm and resident < turn <= dispatch.LONGEST * resident and seen.finished == turn:
        clocks, asked = np.maximum(seen.told.stalls.sum(axis=0), 1), seen.told.busy
        far = min(1.0, asked[p.N_DRAM_READ] / max(1.0, asked[p.N_L2_READ]))
        spread = dispatch.spread_of(float(clocks[[p.R_LONG, p.R_LG]].sum() / clocks.sum()), far)
        last = dispatch.Turn(turn, 1.0)
        for _ in range(_TURNS_PLAYED):
            now = dispatch.last_turn(seen.told.done.astype(np.float64), resident, sample.grid_blocks, sms, spread)
            if (now.blocks, now.part) == (last.blocks, last.part):
                break
            # What a full SM takes for its last blocks few of them do not tell.
            told = now.blocks <= len(seen.told.done) + resident // 2
            turn, longer, last = now.blocks, now.slow, now
            seen = player.play(turn, last.part, begun=seen.begun)
            if told or seen.finished < turn:
                break
    marks, stalls, busy, end = seen.told.marks, seen.told.stalls, seen.told.busy, seen.end
    issued, finished = seen.issued, seen.finished
    each = sample.instructions / len(sample.blocks)
    instructions = float(issued) if finished == turn else turn * each
    cycles = end
    if finished < turn:
        at, had = marks[MARKS // 2]
        rate = (end - float(at)) / max(1, issued - int(had))
        cycles += max(0.0, instructions - issued) * rate
    rest = confidence.of_rest(marks, end, issued, cycles)
    cycles, instructions = cycles * longer / shown, instructions / shown
    rates = Rates(machine)
    slices = rates.number("l2.slices", c.SLICES)
    beside = _beside(busy, cycles, sample.grid_blocks / turn * instructions / max(1, issued), slices)
    bound, what = least_clocks(whole_sample, kernel.listing, beside, sms, resident)
    if rates.number("l2.merging_sms", 1) > 1:
        hot = hot_clocks(whole_sample, kernel.listing, kernel.dlcm == "cg", slices)
        bound, what = max((bound, what), (hot, "loads of the same lines"))
    limit, bounded = "", bound > cycles
    if bounded:
        cycles, limit = bound, what
    at_first = contested(whole_sample, kernel.listing)
    cycles, limit = cycles + at_first, "atomics at one place" if at_first > cycles else limit
    clock, overhead = machine.number("clock.boost") * 1e3, _overhead_ms(machine, min(sms, sample.grid_blocks))
    util, traffic = _utilisation(busy, end, settings), _traffic(busy)
    limit = limit or max(util, key=lambda k: util[k])
    # What the grid does against what was played, and of how much of the time that was.
    grid, share = sample.grid_blocks / turn * instructions / max(1, issued), end / max(1.0, cycles)
    slower = slower_by(machine, {k: grid / sms * share * v for k, v in util.items()},
                       {k: grid * v for k, v in traffic.items()}, cycles / clock,
                       instructions / max(1, issued) * share * max(util["l2"], util["l2_write"], util["dram"]))
    whole = max(1, int(stalls.sum()))
    return SimulatedTime(
        slower * cycles / clock + overhead, cycles, overhead, resident, turn, sample.blocks,
        sample.grid_blocks, issued, instructions, util, traffic,
        {name: float(stalls[:, k].sum()) / whole for k, name in enumerate(p.STALLS)}, stalls,
        int(busy[p.B_WARPS]), float(busy[p.B_WARPS]) / max(1.0, end), limit, machine.name, machine.calibrated, 1,
        confidence.of_blocks([w.total for w in sample.works if not w.short],
                             sample.grid_blocks - sum(w.short for w in sample.works)),
        rest if not bounded else 0.0, sample.every)


def _beside(busy: npt.NDArray[np.float64], cycles: float, grid: float, slices: float) -> Beside:
    """``grid``: by how much the whole grid does more than was played."""
    added = max(1.0, float(busy[p.N_ADDED]))
    return Beside(cycles, float(busy[p.T_ADDED]), grid * float(busy[p.N_L2_READ]),
                  grid * float(busy[p.N_L2_WRITE] - busy[p.N_ADDED]), grid * float(busy[p.N_IN_PART]),
                  grid * float(busy[p.N_FETCHED]),
                  float(busy[p.N_ADDED_FAR]) / added, grid * float(busy[p.N_DRAM_READ]),
                  c.ATOMIC_PARTS * slices / c.SLICES, slices)


def _longer(sample: Sample, seen: Played, alone: Played, freer: Played | None, settings: npt.NDArray[np.float64],
            turn: int, sms: int, resident: int, grid: tuple[int, int, int], part: float) -> float:
    """Of blocks that differ: how much longer the grid takes than the played SM takes for its own blocks.

    ``freer``: the SM played with a larger share of L2 and DRAM; ``part``: of the SMs, by which those were shared else.
    """
    known = {w.block: float(w.total) for w in sample.works}
    played = [known[sample.blocks[k % len(sample.blocks)]] for k in range(turn)]
    ends = np.sort(seen.told.done[seen.told.done > 0]).tolist()

    def clocks(play: Played) -> float:
        """Of what was not played as much is left as its work says."""
        return play.end * max(1.0, sum(played) / max(1, play.issued))

    return longer_by(sample.works, Turn(played, resident, clocks(seen), alone.issued / max(1.0, alone.end),
                                        min(1.0, _shared(seen, settings)) / part, ends, sample.raced,
                                        None if freer is None else clocks(freer)),
                     grid, sms, dispatch.LONGEST)


def _shared(seen: Played, settings: npt.NDArray[np.float64]) -> float:
    """The part of its time that its shares of L2 and DRAM are at work."""
    busy = _utilisation(seen.told.busy, seen.end, settings)
    return max(busy["l2"], busy["l2_write"], busy["dram"])


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
