"""Counts one kernel's launches: which blocks run, who watches them, and what of it goes to which source line."""

from __future__ import annotations

from dataclasses import replace

from mutate.launch.model import Launch
from mutate.machines import Machine
from mutate.occupancy import KernelResources, device_for, resident_blocks
from mutate.occupancy.calculator import default_carveout, effective_capacity
from mutate.results import Progress, Target
from mutate.sass.disasm import Instruction, Listing
from mutate.sim import caches as model
from mutate.sim import layout as lay
from mutate.sim.counters import LOAD, STORE, CacheView, Totals, kinds
from mutate.sim.failures import coverage, dims
from mutate.sim.fermi import Counter
from mutate.sim.footprint import Footprint
from mutate.sim.image import read_image
from mutate.sim.jit import announce, compiled
from mutate.sim.older import OlderCounts
from mutate.sim.places import Place, Places
from mutate.sim.races import Finding, SharedChecks
from mutate.sim.run import DEFAULT_BUDGET, Simulation, sample_blocks
from mutate.sim.space import Initial
from mutate.sim.watch import Watcher
from mutate.simulated import Caches, LaunchCounts, LineCounts, Problem, SimulateRequest
from mutate.toolchain.nvrtc import Compiled

# Warp instructions that a sample is chosen for: a second or two.
TARGET_INSTRUCTIONS = 1_500_000
# A sample has not more blocks than this: starting one takes time, too.
MOST_BLOCKS = 2048
_STEPS = 16


def is_old(machine: Machine | None) -> bool:
    """Whether a machine has the counters of the time before Volta."""
    rules = machine.get("shared.rules") if machine is not None else None
    return rules is not None and rules.value in ("fermi", "tesla")


def cache_sizes(machine: Machine, registers: int, static_smem: int, barriers: int, launch: Launch,
                carveout_kb: int | None = None) -> tuple[model.CacheSizes, int]:
    """The caches of a machine beside a kernel's shared memory, and the blocks that are resident on an SM.

    ``carveout_kb``: the shared memory that is asked for (``None``: the driver's own choice).
    """
    resources = KernelResources(registers, static_smem, launch.threads, launch.smem, max(1, barriers))
    device = device_for(machine.capability)

    def size(key: str, default: int = 0) -> int:
        return int(machine.number(key)) if machine.get(key) is not None else default

    def policy(key: str) -> str:
        quantity = machine.get(key)
        return str(quantity.value) if quantity is not None else ""

    shared = default_carveout(resources, device) if carveout_kb is None else \
        effective_capacity(resources, device, carveout_kb) // 1024
    l1 = max(0, size("l1.unified_cache") - shared) * 1024
    sizes = model.CacheSizes(size("sm.count", 1), l1, size("l2.size") * 1024, size("l1.sector", 32),
                             policy("l1.global_store") == "write-evict",
                             policy("l1.local_store") in ("write-back", "write-through"),
                             policy("l1.local_store") != "write-back")
    return sizes, resident_blocks(resources, device, carveout_kb).blocks_per_sm


class Counting:
    """One compiled kernel."""

    def __init__(self, target: Target, compiled: Compiled, listing: Listing, places: Places | None,
                 request: SimulateRequest, machine: Machine | None) -> None:
        self.target = target
        self.compiled = compiled
        self.listing = listing
        self.places = places
        self.request = request
        self.machine = machine
        self.image = read_image(compiled.cubin, compiled.entry)
        self.kinds = kinds(listing, bool(compiled.spill_stores or compiled.spill_loads))
        self.warnings: list[str] = []

    def count(self, launch: Launch, progress: Progress) -> LaunchCounts:
        """Runs a sample of a launch. Raises ``KmutateError`` where the kernel does what it may not."""
        request = self.request
        budget = request.budget or DEFAULT_BUDGET
        gx, gy, gz = launch.grid
        initial = Initial(launch, self.image.globals_bytes, self.image.pointers)
        chosen = self._choose(launch, gx * gy * gz, initial, budget)
        watchers: list[Watcher] = []
        cache, sizes = self._caches(launch, len(chosen))
        checks = self._checks(launch)
        older = None
        if is_old(self.machine):
            older = OlderCounts(self.machine is not None and self.machine["shared.rules"].value == "tesla")
        footprint = Footprint(initial) if request.footprint else None
        watchers += [w for w in (cache, checks, older, footprint) if w is not None]
        simulation = Simulation(self.image, self.listing, launch, initial=initial, budget=budget, watchers=watchers,
                                places=self.places)
        step = max(1, len(chosen) // _STEPS)
        names = [type(w).__name__ for w in watchers]
        announce(names, progress)
        for at in range(0, len(chosen), step):
            progress("simulating", at, len(chosen))
            outcome = simulation.run(chosen[at : at + step])
        compiled(names)
        if simulation.program.unsupported:
            self.warnings.append(f"{self.target.name}: {coverage(simulation.program)}; what is not was not executed")
        rows = outcome.counts.per_instruction
        found = CacheView()
        if cache is not None and cache.sizes.l2_bytes:
            found = CacheView(cache.sizes.l1_bytes > 0, True, cache.sizes.local_through)
        totals = Totals(self.kinds, rows, CacheView() if older is not None else found)
        return LaunchCounts(
            launch, chosen, gx * gy * gz, totals, sizes, self._lines(totals) if request.by_line else (),
            self._older(totals, older, cache, found) if older is not None else (),
            tuple(self._problem(f, launch) for f in checks.findings) if checks is not None else (),
            checks.overflow if checks is not None else 0, footprint.touched() if footprint is not None else ())

    # -- which blocks ----------------------------------------------------------------------------------------------

    def _choose(self, launch: Launch, total: int, initial: Initial, budget: int) -> tuple[int, ...]:
        """The blocks that run. Without a number, one in the middle runs by itself first, to see what one takes."""
        wanted = self.request.blocks
        if wanted is not None:
            return sample_blocks(launch.grid, wanted or total)
        if total == 1:
            return (0,)
        pilot = Simulation(self.image, self.listing, launch, initial=initial, budget=budget, places=self.places)
        counts = pilot.run(sample_blocks(launch.grid, 1)).counts.per_instruction
        each = max(1, int(counts[:, lay.EXECUTED].sum()))
        return sample_blocks(launch.grid, max(2, min(TARGET_INSTRUCTIONS // each, MOST_BLOCKS)))

    # -- who watches -----------------------------------------------------------------------------------------------

    def _caches(self, launch: Launch, blocks: int) -> tuple[model.Caches | None, Caches | None]:
        if self.machine is None:
            return None, None
        c = self.compiled
        sizes, resident = cache_sizes(self.machine, c.registers, c.static_smem, c.barriers, launch)
        warps = (launch.threads + 31) // 32
        return (model.Caches(sizes, self.listing, blocks, warps, self.image.local_size, self.request.dlcm == "cg"),
                Caches(sizes.l1_bytes, sizes.l2_bytes, resident))

    def _checks(self, launch: Launch) -> SharedChecks | None:
        wanted = self.request.checks
        if not wanted:
            return None
        return SharedChecks(self.image.static_smem + launch.smem, (launch.threads + 31) // 32, "races" in wanted,
                            "uninitialized" in wanted, self.listing)

    # -- what comes out --------------------------------------------------------------------------------------------

    def _lines(self, totals: Totals) -> tuple[LineCounts, ...]:
        by_place: dict[Place | None, list[int]] = {}
        for index, instruction in enumerate(self.listing):
            if totals.rows[index, lay.EXECUTED]:
                by_place.setdefault(self._place(instruction), []).append(index)
        order = sorted(by_place, key=lambda p: (p is None, p or Place("", 0)))
        return tuple(LineCounts(p, self._text(p), totals.part(by_place[p])) for p in order)

    def _place(self, instruction: Instruction) -> Place | None:
        return self.places.of(instruction.offset) if self.places is not None else None

    def _text(self, place: Place | None) -> str:
        return self.places.text(place) if place is not None and self.places is not None else ""

    def _problem(self, finding: Finding, launch: Launch) -> Problem:
        instruction = self.listing[finding.instruction]
        place = self._place(instruction)
        mine = Problem(finding.kind, place, self._text(place), str(instruction), dims(finding.thread, launch.block),
                       dims(finding.block, launch.grid), finding.byte, finding.bytes)
        if finding.before is None or finding.other is None:
            return mine
        before = self.listing[finding.before]
        other = self._place(before)
        return replace(mine, other_place=other, other_text=self._text(other), other_instruction=str(before),
                       other_thread=dims(finding.other, launch.block))

    def _older(self, totals: Totals, counts: OlderCounts, cache: model.Caches | None, found: CacheView
               ) -> tuple[tuple[Counter, float | None], ...]:
        reads = cache.l2_sectors if cache is not None and found.l2 else None
        return counts.values(
            self.request.dlcm if found.l1 else "cg", instructions=totals.sum(lay.EXECUTED),
            thread_instructions=totals.sum(lay.THREADS),
            branches=totals.sum(lay.EXECUTED, where=lambda k: k.branch), divergent_branches=totals.sum(lay.DIVERGENT),
            l1_global_load_hits=totals.sum(lay.L1_HITS, LOAD) if found.l1 else 0,
            l1_local_load_hits=totals.sum(lay.LOCAL_L1_HITS, LOAD) if found.l1 else 0,
            l1_local_store_hits=totals.sum(lay.LOCAL_L1_HITS, STORE) if found.l1 else 0,
            dram_read_sectors=reads[0] - reads[1] if reads is not None else None)
