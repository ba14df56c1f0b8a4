"""Causes below the limiter: one function each in the table ``CAUSES``.

A cause rests on an experiment (a variant, a launch with other blocks) or on counters. Its payoff is an upper bound:
what the kernel would gain if the cause were gone altogether and nothing else came in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mutate.limiter.evidence import (
    BROADCAST,
    CONFLICT_FREE,
    LOAD_ONLY,
    MATH,
    MEMORY,
    NO_SYNC,
    Evidence,
    count,
    gbs,
    ms,
    percent,
    rate,
)
from mutate.limiter.model import Cause, Interval, Payoff

_EFFICIENT = 0.8
"""Sectors that are used to this part are no matter of the pattern: halos and row ends cost that much."""
_CONFLICTS = 0.05
_WARP = 32
_SPILLED = 0.02
_WAVES = 8
"""With more waves than this, a last one that is not full costs less than an eighth."""
_FULL = 0.9
"""A grid that fills this part of the GPU's places for blocks is not too small: another one gains a tenth at most."""
_LAUNCH_SHARE = 0.05
_BLOCKS_SHARE = 0.2

Found = Cause | None


def _of_variant(e: Evidence, name: str, what: str, note: str = "") -> Payoff | None:
    """The payoff that a variant shows, where it is more than noise."""
    variant = e.usable(name)
    if variant is None or variant.gain is None or variant.gain.value <= 1 + e.floor:
        return None
    return Payoff(what, variant.gain, name, note or "; ".join(variant.why), e.kind)


def _without_conflicts(e: Evidence, payoff: Payoff | None) -> Payoff | None:
    """The payoff of other shared addresses, as the upper bound that it is to be.

    The variant computes its addresses by additional instructions, and the compiler may not use wide accesses any more;
    a real cure has neither. Were all of the variant's time due to instructions, it would shrink with them, so the gain
    is at most so much larger; it stays at most what wavefronts there are over those without conflicts, and what is left
    of the kernel without anything but its memory accesses.
    """
    variant = e.usable(payoff.by) if payoff is not None else None
    if payoff is None or variant is None or variant.work <= 1 + e.floor:
        return payoff
    f, full, memory = e.facts, e.full, e.time(MEMORY)
    limits = [variant.work * payoff.gain.value]
    if f.shared_wavefronts and f.shared_conflicts is not None and f.shared_conflicts < f.shared_wavefronts:
        limits.append(f.shared_wavefronts / (f.shared_wavefronts - f.shared_conflicts))
    if full is not None and memory is not None:
        limits.append(full.high / memory.low)
    more = max(1.0, min(limits) / payoff.gain.value)
    gain = Interval(more * payoff.gain.value, payoff.gain.low, more * payoff.gain.high)
    note = f"measured {payoff.gain.value:.2f}x, but the variant executes {variant.work:.2f} times the instructions"
    return replace(payoff, gain=gain, note="; ".join(n for n in (note, payoff.note) if n), kind="estimated")


def _share(payoff: Payoff | None) -> float:
    return max(0.0, 1 - 1 / payoff.gain.value) if payoff is not None and payoff.gain.value > 0 else 0.0


def _bound(e: Evidence, least_ms: float) -> Interval | None:
    """T_full over the time that remains: ``least_ms``, or math-only's or an empty kernel's where that is longer."""
    full, math = e.full, e.time(MATH)
    if full is None:
        return None
    rest = max(least_ms, math.value if math is not None else 0.0, e.facts.launch_overhead_ms or 0.0)
    if rest <= 0 or rest >= full.value:
        return None
    return Interval(full.value / rest, full.low / rest, full.high / rest)


def _bytes_touched(e: Evidence, what: str, at: str, gain: Interval) -> Payoff:
    """The payoff of ``_bound``, said by what it rests on."""
    if e.time(MATH) is None:
        return Payoff(what, gain, "the bytes touched", f"the bytes touched at {at} remain; what arithmetic takes by "
                      "itself is not known", "estimated")
    return Payoff(what, gain, "math-only and the bytes touched",
                  f"the larger of math-only's time and the bytes touched at {at} remains", "estimated")


def _time(e: Evidence, name: str) -> str:
    time = e.time(name)
    return ms(time.value) if time is not None else "?"


def barriers(e: Evidence) -> Found:
    payoff = _of_variant(e, NO_SYNC, "no waiting at barriers")
    if payoff is None:
        return None
    evidence = [f"without its barriers the kernel takes {_time(e, NO_SYNC)}"]
    if e.facts.barriers:
        evidence.append(f"{count(e.facts.barriers)} barriers are executed by warps")
    return Cause("barriers", "warps wait for each other at barriers", tuple(evidence),
                 "run several smaller blocks on an SM instead of few large ones, fetch the next tile before the "
                 "barrier (double buffering, asynchronous copies), or exchange data within a warp only", payoff,
                 _share(payoff))


def bank_conflicts(e: Evidence) -> Found:
    f = e.facts
    payoff = _without_conflicts(e, _of_variant(e, CONFLICT_FREE, "no bank conflicts"))
    evidence = []
    if f.shared_conflicts is not None and f.shared_wavefronts is not None:
        part = f.shared_conflicts / max(f.shared_wavefronts, 1)
        if part < _CONFLICTS:
            return None  # there are none to remove: what the variant gains has other reasons
        evidence.append(f"{count(f.shared_conflicts)} of {count(f.shared_wavefronts)} shared-memory wavefronts "
                        f"({percent(part)}) are conflicts")
    elif payoff is None:
        return None
    variant = e.usable(CONFLICT_FREE)
    if variant is not None and variant.time is not None:
        evidence.append(f"without conflicts the kernel takes {ms(variant.time.value)}"
                        + ("" if payoff is not None else ": they are hidden behind something else"))
    return Cause("bank-conflicts", "lanes of a warp meet in shared-memory banks", tuple(evidence),
                 "pad the rows of the shared array by one element, or permute its index (XOR with the row)", payoff,
                 _share(payoff))


def shared_accesses(e: Evidence) -> Found:
    """What broadcasts gain beyond conflict-free accesses is the shared memory's own bandwidth."""
    if bank_conflicts(e) is not None:
        return None
    found = _of_variant(e, BROADCAST, "shared accesses as broadcasts")
    if found is None:
        return None
    payoff = _without_conflicts(e, found)
    return Cause("shared-accesses", "shared memory itself takes time", (
        f"with each shared access a broadcast the kernel takes {_time(e, BROADCAST)}",),
        "keep values in registers (several outputs a thread), load wider words, or use shuffles", payoff,
        _share(payoff))


def access_pattern(e: Evidence) -> Found:
    f = e.facts
    sectors = f.sector_bytes or f.moved_bytes
    if not sectors or f.requested_bytes is None or f.requested_bytes / sectors >= _EFFICIENT:
        return None
    used = f.requested_bytes / sectors
    evidence = [f"lanes ask for {percent(used)} of the bytes of the sectors that move"]
    if f.sectors_per_request is not None:
        evidence.append(f"{f.sectors_per_request:.1f} sectors for a load request")
    for name, value in (("loads", f.load_efficiency), ("stores", f.store_efficiency)):
        if value is not None and value < 100 * _EFFICIENT:
            evidence.append(f"{name} use {value:.0f} % of their sectors")
    payoff = None
    if f.floor_bytes is not None and f.peak_gbs:
        gain = _bound(e, f.floor_bytes / (f.peak_gbs * 1e6))
        if gain is not None:
            payoff = _bytes_touched(e, "every byte moved once, at the peak bandwidth", "the published bandwidth", gain)
    return Cause("access-pattern", "sectors are fetched for a part of their bytes", tuple(evidence),
                 "let neighbouring lanes access neighbouring addresses: change the mapping of threads to data, go "
                 "through shared memory, or turn arrays of structs into structs of arrays", payoff, _share(payoff))


def bytes_in_flight(e: Evidence) -> Found:
    """Memory-only against a copy: Little's law by experiment."""
    f, memory = e.facts, e.time(MEMORY)
    moved, roof = f.moved_bytes or f.requested_bytes, f.copy_gbs or f.peak_gbs
    if memory is None or not moved or not roof:
        return None
    reached = rate(moved, memory.value)
    here = f.copy_gbs_here or roof
    if reached >= _EFFICIENT * roof:
        return None
    what = f"a copy reaches {gbs(roof)} on this GPU" if f.copy_gbs else f"the peak is {gbs(roof)}"
    evidence = [f"memory-only moves {gbs(reached)}; {what}"
                + (f", {gbs(here)} with as many warps on an SM" if f.copy_gbs_here else "")]
    if f.bytes_in_flight_needed:
        evidence.append(f"{f.bytes_in_flight_needed / 1024:.0f} KB must be in flight on each SM to hide the latency")
    payoff = None
    if f.floor_bytes:
        gain = _bound(e, f.floor_bytes / (roof * 1e6))
        if gain is not None:
            payoff = _bytes_touched(e, "memory accesses at full bandwidth", gbs(roof), gain)
    step = ("more resident warps, or more independent loads a thread (several elements, wider words): a copy with as "
            "few warps is slow too" if here < _EFFICIENT * roof else
            "make loads independent of each other (unroll, load ahead), and look at the access pattern"
            + (": a copy with as many warps is faster" if f.copy_gbs_here else ""))
    return Cause("bytes-in-flight", "too few bytes are in flight to use the bandwidth", tuple(evidence), step, payoff,
                 _share(payoff))


def occupancy(e: Evidence) -> Found:
    points = sorted(e.occupancy, key=lambda p: p.value)
    if len(points) < 2:
        return None
    last, before = points[-1], points[-2]
    gain = before.time.value / last.time.value
    if before.time.low <= last.time.high or gain <= 1 + max(0.02, e.floor):
        return None
    f = e.facts
    evidence = [f"from {before.value:g} to {last.value:g} resident blocks the time falls by {percent(1 - 1 / gain)}, "
                "and nothing says that it would not go on"]
    if f.resident_blocks and f.warps_per_block and f.most_warps:
        warps = f.resident_blocks * f.warps_per_block
        evidence.append(f"{warps} of {f.most_warps} warps of an SM are resident"
                        + (f", limited by {f.occupancy_limiter.replace('_', ' ')}" if f.occupancy_limiter else ""))
        if warps >= f.most_warps:
            return None
    return Cause("occupancy", "more resident warps would help", tuple(evidence),
                 "lower what limits it (registers: __launch_bounds__ or --maxrregcount; shared memory: smaller tiles) "
                 "or do more independent work in each thread; the experiment cannot go above the kernel's own "
                 "occupancy, so it gives no bound", None, 1 - 1 / gain)


def too_few_blocks(e: Evidence) -> Found:
    f = e.facts
    evidence: list[str] = []
    payoff = None
    points = [p for p in e.grids if p.value > 1]
    if points and e.full is not None:
        gains = [(p.value * e.full.value / p.time.value, p) for p in points]
        best, point = max(gains, key=lambda g: g[0])
        if best > 1 + max(0.03, e.floor):
            k = point.value
            interval = Interval(best, k * e.full.low / point.time.high, k * e.full.high / point.time.low)
            payoff = Payoff("enough blocks to fill the GPU", interval, f"a grid {k:g} times as large", kind=e.kind)
            evidence.append(f"{k:g} times the work takes {point.time.value / e.full.value:.2f} times as long")
    waves = None
    if f.grid_blocks and f.resident_blocks and f.sm_count:
        waves = f.grid_blocks / (f.resident_blocks * f.sm_count)
        if waves < _WAVES and (payoff is not None or waves < _FULL):
            evidence.append(f"{f.grid_blocks} blocks are {waves:.2g} waves of {f.resident_blocks} on each of "
                            f"{f.sm_count} SMs")
    if payoff is None and (waves is None or waves >= _FULL):
        return None
    if payoff is None and points:
        return None  # tried, and it does not help
    return Cause("too-few-blocks", "too few blocks to fill the GPU", tuple(evidence),
                 "split the work into more blocks, give a launch more of it, or run independent launches in several "
                 "streams", payoff, _share(payoff))


def divergence(e: Evidence) -> Found:
    f, math = e.facts, e.time(MATH)
    if f.active_lanes is None or f.active_lanes >= _EFFICIENT * _WARP:
        return None
    evidence = [f"{f.active_lanes:.1f} of {_WARP} lanes are active on average"]
    if f.branches and f.divergent_branches is not None:
        evidence.append(f"{percent(f.divergent_branches / f.branches)} of the branches divide their warp")
    payoff = None
    if e.full is not None and math is not None and math.value < 1.5 * e.full.value:
        saved = min(math.value * (1 - f.active_lanes / _WARP), e.full.value * 0.97)
        rest = e.full.value - saved
        gain = e.full.value / rest
        if gain > 1 + e.floor:
            payoff = Payoff("all lanes active in every instruction",
                            Interval(gain, e.full.low / rest, e.full.high / rest), "math-only and active lanes",
                            "math-only's time shrinks with the lanes, the rest stays", "estimated")
    return Cause("divergence", "lanes are idle: they go different ways, or predicates turn them off", tuple(evidence),
                 "group threads that take the same path (sort or bin the work, map by warp), or compute both sides "
                 "without a branch", payoff, _share(payoff))


def spills(e: Evidence) -> Found:
    f = e.facts
    if not f.spill_bytes:
        return None
    part = f.spill_bytes / (f.spill_bytes + (f.sector_bytes or f.moved_bytes or 0.0))
    if part < _SPILLED:
        return None
    return Cause("spills", "registers are spilled to local memory", (
        f"{percent(part)} of the bytes of global and local accesses are spills",),
        "allow more registers (--maxrregcount, __launch_bounds__ with fewer blocks), or keep fewer values alive",
        None, part)


def launch_overhead(e: Evidence) -> Found:
    f, full = e.facts, e.full
    if full is None or not f.launch_overhead_ms or f.launch_overhead_ms < _LAUNCH_SHARE * full.value:
        return None
    rest = max(full.value - f.launch_overhead_ms, 0.03 * full.value)
    payoff = Payoff("no launch overhead", Interval(full.value / rest, full.low / rest, full.high / rest),
                    "an empty kernel", "", e.kind)
    return Cause("launch-overhead", "launching takes a part of the time that matters", (
        f"an empty kernel takes {ms(f.launch_overhead_ms)} of {ms(full.value)}",),
        "do more work in a launch: fuse kernels, batch inputs, or record the launches in a CUDA graph", payoff,
        _share(payoff))


def atomics(e: Evidence) -> Found:
    f = e.facts
    if not f.atomic_requests:
        return None
    payoff = _of_variant(e, LOAD_ONLY, "stores and updates at no cost",
                         "load-only leaves out the arithmetic, too: a generous bound")
    if payoff is None:
        return None
    evidence = [f"without stores and updates the kernel takes {_time(e, LOAD_ONLY)}",
                f"{count(f.atomic_requests)} requests of atomics"]
    if f.atomic_sectors_per_request is not None and f.atomic_sectors_per_request > 1.05:
        evidence.append(f"{f.atomic_sectors_per_request:.1f} sectors for each of them: lanes that update one address "
                        "go one after another")
    return Cause("atomics", "updates of memory take time", tuple(evidence),
                 "combine updates first: within a warp (shuffles, __reduce_add_sync), within a block (shared memory), "
                 "and then one atomic for many", payoff, _share(payoff))


def block_launch(e: Evidence) -> Found:
    """What is spent on starting blocks is in every variant alike: it looks like balance."""
    f, full = e.facts, e.full
    if full is None or not f.blocks_per_us or not f.grid_blocks:
        return None
    taken = f.grid_blocks / f.blocks_per_us / 1e3
    part = taken / full.value
    if part < _BLOCKS_SHARE:
        return None
    rest = max(full.value - taken, 0.05 * full.value)
    payoff = Payoff("no block to start", Interval(full.value / rest, full.low / rest, full.high / rest),
                    "the machine's rate of starting blocks", "", "estimated")
    return Cause("block-launch", "starting blocks takes much of the time", (
        f"{f.grid_blocks:,} blocks at {f.blocks_per_us:,.0f} in a microsecond take {ms(taken)}, {percent(part)} of the "
        "time",),
        "start fewer blocks that do more: several elements a thread, or a grid-stride loop", payoff, _share(payoff))


CAUSES: tuple[Callable[[Evidence], Found], ...] = (
    launch_overhead, block_launch, too_few_blocks, atomics, barriers, bank_conflicts, shared_accesses, access_pattern,
    bytes_in_flight, occupancy, divergence, spills)


def causes(e: Evidence) -> tuple[Cause, ...]:
    """Those that there are, the one that can explain most first."""
    found = [c for c in (cause(e) for cause in CAUSES) if c is not None]
    return tuple(sorted(found, key=lambda c: -c.share))
