"""What a sweep says: which setting is best, whether more occupancy could help, whether spills hurt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mutate.limiter.model import Limiter
from mutate.sweeps import CACHE, OCCUPANCY, REGISTERS, Sweep, SweepRun, SweepSetting, Traffic
from mutate.timing import ORIGINAL

# A measured gain has to be clear of noise and of some size, a simulated one larger than the model's errors: of 205
# times with fewer resident blocks, as parts of that with all, nine of ten are within 10 %
# (tests/gpu/occupancy_errors.py). Other settings were not compared.
_LEAST_MEASURED, _LEAST_SIMULATED = 1.01, 1.10
_ERROR = f"{100 * (_LEAST_SIMULATED - 1):.0f} %"
_ALIKE = 1.02
# With more waves than this one less of them is not much.
_FEW_WAVES = 4
# Within this of the time with all blocks, fewer are enough.
_ENOUGH = 1.05
# "Local Memory and Register Spilling" calls 53 % of L2's traffic a problem, 1.6 % none, and 4.6 % of the instructions
# none. Where between them the line lies is our choice.
_MUCH = 0.10


def judged(sweep: Sweep, limiter: Limiter) -> Sweep:
    """The sweep with its verdict. ``limiter``: what limits the kernel by the times of its variants."""
    if not sweep.settings:
        return replace(sweep, summary=f"not made: {sweep.untimed}")
    said = {CACHE: _cache, OCCUPANCY: _occupancy, REGISTERS: _registers}[sweep.axis](sweep, limiter)
    return replace(said, evidence=tuple(e for e in said.evidence if e))


def _better(sweep: Sweep, run: SweepRun) -> bool:
    """Whether a setting is faster than the launch as it is, and not by chance."""
    if run.gain is None:
        return False
    least = _LEAST_MEASURED if sweep.times == "measured" else _LEAST_SIMULATED
    return run.gain.value >= least and run.gain.low > 1


def _least(sweep: Sweep) -> str:
    return "by 1 % or more, beyond the noise" if sweep.times == "measured" else \
        f"by {_ERROR} or more, which is what simulated times can tell apart"


def _fastest(sweep: Sweep, kernel: str = ORIGINAL) -> SweepSetting | None:
    """Of those within 2 % of the fastest the one with least to change, and least to spill."""
    timed = [(r.time.value, r.spills, s) for s in sweep.settings
             if (r := s.run(kernel)) is not None and r.time is not None]
    if not timed:
        return None
    limit = _ALIKE * min(time for time, _, _ in timed)
    return min((t for t in timed if t[0] <= limit), key=lambda t: (not t[2].current, t[1], len(t[2].how), t[0]))[2]


def _own(setting: SweepSetting) -> SweepRun:
    found = setting.run(ORIGINAL)
    if found is None:
        raise ValueError(f"a setting without the original: {setting.name}")
    return found


def _gain(run: SweepRun) -> str:
    return "" if run.gain is None else f"{run.gain.value:.2f}x as fast as the launch as it is"


def _ms(run: SweepRun) -> str:
    return "" if run.time is None else f"{run.time.value:.4g} ms"


def _set(setting: SweepSetting) -> str:
    return "; ".join(setting.how)


def _percent(part: float | None) -> str:
    return "none" if part is None else f"{100 * part:.3g} %"


# --- caches ---


def _l2(setting: SweepSetting) -> float | None:
    traffic = _own(setting).traffic
    return traffic.l2_sectors if traffic is not None else None


def _least_traffic(sweep: Sweep) -> SweepSetting | None:
    """Of those within 1 % of the fewest sectors in L2 the one with least to change."""
    counted = [(l2, s) for s in sweep.settings if (l2 := _l2(s)) is not None]
    if not counted:
        return None
    limit = 1.01 * min(l2 for l2, _ in counted)
    return min((p for p in counted if p[0] <= limit), key=lambda p: (not p[1].current, len(p[1].how), p[0]))[1]


def _cache(sweep: Sweep, limiter: Limiter) -> Sweep:
    del limiter
    now, fastest = sweep.current, _fastest(sweep)
    least = _least_traffic(sweep)
    best, next_step = "", ""
    if now is not None and fastest is not None:
        run = _own(fastest)
        if _better(sweep, run):
            best = fastest.name
            summary = f"best with {best}: {_gain(run)} ({_ms(run)} instead of {_ms(_own(now))}, {sweep.times})"
            next_step = f"set it: {_set(fastest)}"
        else:
            summary = f"no setting of the caches is faster than the present one ({now.name}) {_least(sweep)}"
            next_step = "leave the caches as they are"
    elif least is not None and now is not None:
        a, b = _l2(least), _l2(now)
        fewer = a is not None and b is not None and a < b and not least.current
        summary = "not timed; by the simulator's counters " + \
            (f"{least.name} has the least traffic to L2" if fewer else "no setting has less traffic to L2 than "
             f"the present one ({now.name})")
        next_step = f"time it: {_set(least)}" if fewer else ""
    else:
        summary = "neither timed nor counted"
    evidence = [_traffic_words(s) for s in dict.fromkeys((now, fastest if best else least, least)) if s is not None]
    memory = _fastest(sweep, "memory-only")
    if memory is not None and (half := memory.run("memory-only")) is not None and _better(sweep, half):
        evidence.append(f"memory-only is fastest with {memory.name}: {_gain(half)}")
    fewer_blocks = [s for s in sweep.settings if now is not None and _own(s).blocks < _own(now).blocks]
    if fewer_blocks:
        evidence.append("a larger L1 leaves room for fewer blocks: "
                        + ", ".join(dict.fromkeys(f"{_own(s).blocks} with {s.l1_kb} KB" for s in fewer_blocks))
                        + (f" instead of {_own(now).blocks}" if now is not None else ""))
    return replace(sweep, best=best, summary=summary, evidence=tuple(evidence), next_step=next_step)


def _traffic_words(setting: SweepSetting) -> str:
    t = _own(setting).traffic
    if t is None:
        return ""
    local = f", {_percent(t.local_hit_rate)} of local ones" if t.local_lookups else ""
    loads = f"{_percent(t.l1_hit_rate)} of global loads hit L1" if t.l1_lookups else "no global load looks into L1"
    return f"{setting.name}: {loads}{local}; {_millions(t.l2_sectors)} sectors in L2"


def _millions(count: float) -> str:
    return f"{count / 1e6:.3g} million" if count >= 1e6 else f"{count:,.0f}"


# --- occupancy ---


def _occupancy(sweep: Sweep, limiter: Limiter) -> Sweep:
    del limiter
    now = sweep.current
    if now is None or not sweep.times:
        own = _own(now or sweep.settings[-1])
        return replace(sweep, summary=f"not timed; {_resident(own)}")
    curve = _points(sweep, ORIGINAL)
    enough = _saturation(curve)
    own = _own(now)
    evidence = [_resident(own)]
    best, next_step = "", ""
    fastest = _fastest(sweep)
    if fastest is not None and not fastest.current and _better(sweep, _own(fastest)):
        best = fastest.name
        run = _own(fastest)
        doubt = "" if sweep.times == "measured" else f", give or take {_ERROR},"
        summary = f"fewer blocks are faster: {_gain(run)}{doubt} with {best} ({run.warps} warps an SM)"
        next_step = f"{_set(fastest)}; fewer blocks leave more of the caches to each"
    elif sweep.turn is not None and sweep.turn < own.blocks:
        summary = (f"the grid gives an SM {sweep.turn} block{'s' if sweep.turn > 1 else ''} at most, and {own.blocks} "
                   "fit: more occupancy needs a larger grid")
        next_step = "split the work into more, smaller blocks"
    elif sweep.turn is not None and sweep.turn == own.blocks and len(curve) > 1:
        summary = (f"all {own.blocks} blocks that the grid gives an SM are resident at once: with fewer it takes more "
                   "waves, so what is slower then says nothing about more occupancy")
        next_step = "vary the size of the blocks instead, or sweep a larger grid (--set)"
    elif len(curve) < 2 or enough is None:
        summary = "the launch has one resident block an SM, so there is nothing to vary"
        next_step = _more(own)
    elif enough.blocks < own.blocks and (waves := _fewer_waves(sweep, own)) is not None:
        now_waves, blocks, then = waves
        summary = (f"{enough.warps} warps an SM ({enough.blocks} of {own.blocks} blocks) are as fast as all of them; "
                   f"but the grid takes {now_waves} waves, and with {blocks} blocks an SM it would take {then}, so "
                   "more occupancy could help")
        next_step = _more(own)
    elif enough.blocks < own.blocks:
        summary = (f"{enough.warps} warps an SM ({enough.blocks} of {own.blocks} blocks, {_percent(enough.occupancy)} "
                   "occupancy) are enough: more occupancy would not help")
        next_step = "spend what blocks take on something else: more registers, more shared memory, more work a thread"
    else:
        before = curve[-2]
        fall = before.time.value / own.time.value if before.time is not None and own.time is not None else 1.0
        summary = (f"the time still falls with the last block: by {100 * (1 - 1 / fall):.2g} % from {before.blocks} to "
                   f"{own.blocks} blocks")
        if own.occupancy >= 1:
            summary += ", and occupancy is 100 % already"
            next_step = "more work in flight for each thread (several independent loads, wider ones)"
        else:
            summary += ", so more occupancy could help"
            next_step = _more(own)
    for kernel in sweep.kernels[1:]:
        other = _saturation(_points(sweep, kernel))
        if other is not None:
            evidence.append(f"{kernel} needs {other.warps} warps an SM"
                            + (", all that there are" if other.blocks >= own.blocks else ""))
    return replace(sweep, best=best, summary=summary, evidence=tuple(evidence), next_step=next_step)


def _fewer_waves(sweep: Sweep, run: SweepRun) -> tuple[int, int, int] | None:
    """Where the grid takes a few waves: how many, the least blocks an SM that make them fewer, and how many then."""
    if sweep.turn is None or not run.occupancy:
        return None
    now = -(-sweep.turn // run.blocks)
    most = int(run.blocks / run.occupancy)
    found = next((b for b in range(run.blocks + 1, most + 1) if -(-sweep.turn // b) < now), None)
    return (now, found, -(-sweep.turn // found)) if found is not None and now <= _FEW_WAVES else None


def _resident(run: SweepRun) -> str:
    blocks = f"{run.blocks} resident block{'s' if run.blocks != 1 else ''} an SM"
    return f"{blocks}, {run.warps} warps, {_percent(run.occupancy)} occupancy; {_limited(run)} allow no more"


def _limited(run: SweepRun) -> str:
    return {"threads": "the threads of an SM", "blocks": "the SM's places for blocks", "barriers": "the SM's barriers",
            "shared_memory": "shared memory and its carve-out", "registers": f"{run.registers} registers a thread"
            }.get(run.limiter, run.limiter)


def _more(run: SweepRun) -> str:
    return {"registers": "fewer registers a thread: see --sweep registers",
            "shared_memory": "less shared memory a block, or a larger carve-out",
            "blocks": "larger blocks: an SM has no place for more of them",
            "threads": "blocks of a size that divides the threads of an SM"}.get(run.limiter, "")


def _points(sweep: Sweep, kernel: str) -> list[SweepRun]:
    found = [r for s in sweep.settings if (r := s.run(kernel)) is not None and r.time is not None]
    return sorted(found, key=lambda r: r.blocks)


def _saturation(curve: Sequence[SweepRun]) -> SweepRun | None:
    """The fewest blocks from which on no time is above that with all of them by more than 5 %."""
    if not curve or curve[-1].time is None:
        return None
    limit = _ENOUGH * curve[-1].time.value
    found = curve[-1]
    for run in reversed(curve):
        if run.time is None or run.time.value > limit:
            break
        found = run
    return found


# --- registers ---


def _registers(sweep: Sweep, limiter: Limiter) -> Sweep:
    now = sweep.current or sweep.settings[0]
    own, fastest = _own(now), _fastest(sweep)
    best, next_step = "", ""
    if len(sweep.settings) == 1:
        summary = f"no cap changes the code, which takes {own.registers} registers a thread"
    elif fastest is not None and _better(sweep, _own(fastest)):
        best, run = fastest.name, _own(fastest)
        summary = (f"best with {best} ({run.registers} registers, {run.blocks} resident blocks instead of "
                   f"{own.blocks}): {_gain(run)} ({sweep.times})")
        next_step = f"set it: {_set(fastest)}"
    elif fastest is not None:
        summary = f"no cap on registers is faster than the {own.registers} of the launch as it is {_least(sweep)}"
        next_step = "leave the registers to the compiler" if now.cap is None else f"keep -maxrregcount={now.cap}"
    else:
        more = [s for s in sweep.settings if _own(s).blocks > own.blocks and not _own(s).spills]
        summary = f"not timed; the launch as it is takes {own.registers} registers a thread"
        if more:
            next_step = f"time {more[0].name}, which has {_own(more[0]).blocks} resident blocks and spills nothing: " \
                        f"{_set(more[0])}"
    spilled = [s for s in sweep.settings if _own(s).spills]
    evidence = [_spill_words(sweep, now, limiter)] if own.spills else ["as it is the kernel spills nothing"]
    if spilled and not own.spills:
        first = max(spilled, key=lambda s: s.value)
        evidence.append(_spill_words(sweep, first, limiter))
    elif own.spills and (free := next((s for s in sweep.settings if not _own(s).spills), None)) is not None:
        gained = _own(free).gain
        evidence.append(f"without spills ({free.name}, {_own(free).registers} registers, {_own(free).blocks} blocks): "
                        + (f"{gained.value:.2f}x as fast" if gained is not None else "not timed"))
    return replace(sweep, best=best, summary=summary, evidence=tuple(evidence), next_step=next_step)


def _spill_words(sweep: Sweep, setting: SweepSetting, limiter: Limiter) -> str:
    """Whether spills hurt, by what of L2's traffic and of the instructions they are; times beside it."""
    run = _own(setting)
    said = f"{setting.name} spills ({run.spills} bytes a thread in the code, {run.local_accesses} local accesses)"
    if run.traffic is None:
        return f"{said}; not counted: {sweep.uncounted or 'unknown'}"
    t = run.traffic
    beside = "" if run.gain is None or setting.current else f"; {1 / run.gain.value:.2f} of the present time"
    return (f"{said}: {_hurts(t, limiter)}; local memory is {_percent(t.local_of_l2)} of L2's traffic and "
            f"{_percent(t.local_of_instructions)} of the instructions, {_percent(t.local_hit_rate)} of its loads hit L1"
            f"{beside}")


def _hurts(traffic: Traffic, limiter: Limiter) -> str:
    memory, instructions = traffic.local_of_l2 >= _MUCH, traffic.local_of_instructions >= _MUCH
    if limiter is Limiter.MEMORY:
        return f"they {'hurt' if memory else 'do not hurt'} a memory-bound kernel"
    if limiter is Limiter.MATH:
        return f"they {'hurt' if instructions else 'do not hurt'} a math-bound kernel"
    if memory or instructions:
        return f"they hurt if {'memory traffic limits' if memory else 'instructions limit'} the kernel"
    return "they do not hurt"
