"""From times and facts to a verdict: limiter, how sure, what for and against it, causes and payoffs."""

from __future__ import annotations

from collections.abc import Iterable

from mutate.limiter.causes import causes
from mutate.limiter.evidence import MATH, MEMORY, Evidence, gbs, ms, percent, rate
from mutate.limiter.model import Cause, Confidence, Finding, Interval, Limiter, Payoff
from mutate.limiter.rules import CLOSE, LAUNCH, MARGIN, RULES, Ratios, Rule, decide, margin, shares
from mutate.limiter.stats import Samples, of
from mutate.model import Verdict
from mutate.timing import ORIGINAL

SURE, UNSURE, LIKELY = 0.95, 0.8, 0.5
"""Share of the resampled measurements that must give the limiter: for high confidence; for a verdict of measurements,

which can be taken longer; and for one of simulated times, which no further run makes surer: it is the limiter that is
more likely than all others together, and below ``UNSURE`` it is of low confidence, has its share and names the others.
How often such shares were right: docs/heldout.md (tests/gpu/how_sure.py).
"""
_LOW_BANDWIDTH = 0.75
_EXPECTED = 1.05
"""A variant that does less and takes longer than this is no lower bound for what it leaves out."""

_NOT_TIMED = frozenset({"not-timed", "skipped", "timeout", "launch-failed", "illegal-access", "out-of-memory"})
"""Outcomes of a variant that is there, and that another run could time."""

_NAMES = {Limiter.MEMORY: "memory-bound", Limiter.MATH: "instruction-bound (math)", Limiter.BALANCED: "balanced",
          Limiter.LATENCY: "latency-bound", Limiter.LAUNCH: "bound by the launch itself"}
_STEPS = {
    Limiter.MEMORY: "work on memory first: fewer bytes, better access pattern, more bytes in flight",
    Limiter.MATH: "work on instructions first: fewer or cheaper ones, less index arithmetic, no divergence",
    Limiter.BALANCED: "memory and arithmetic must both improve: speeding up one alone gains little",
    Limiter.LATENCY: "more work in flight: more resident warps, more independent instructions a thread, fewer barriers",
    Limiter.LAUNCH: "do more work in a launch: fuse kernels, batch inputs, or use a CUDA graph; then analyze again",
}


def judge(e: Evidence) -> Finding:
    """The verdict on one launch. What is missing for one is said, never guessed."""
    found = causes(e)
    full, memory, math = e.full, e.time(MEMORY), e.time(MATH)
    if full is not None and _overhead(e, full) * LAUNCH > 1:
        return _launch(e, full, found)
    if full is None or memory is None or math is None or e.samples is None:
        return _unknown(e, found)
    ratios = Ratios(memory.value / full.value, math.value / full.value, _overhead(e, full))
    rule = decide(ratios)
    resampled = _resampled(e.samples, e, full)
    support = shares(resampled)
    against = _against(e, ratios)
    share = support.get(rule.limiter, 0.0)
    candidates = tuple(sorted(((k, s) for k, s in support.items() if s > 1 - SURE), key=lambda x: -x[1]))
    exposed_of = "math" if math.value <= memory.value else "memory"
    overlap = of(float(ratios.overlap), resampled.overlap)
    exposed = of(float(ratios.exposed) * full.value, resampled.exposed * e.samples.medians[ORIGINAL])
    confidence = _confidence(e, share, ratios, rule)
    limiter = rule.limiter
    evidence = (rule.words, *_evidence(e, full, memory, math, overlap, exposed, exposed_of))
    if share < needed(e.kind):
        limiter, confidence, evidence = Limiter.INCONCLUSIVE, Confidence.LOW, evidence[1:]
        summary = "the intervals allow " + " or ".join(f"{_NAMES[k]} ({percent(s)})" for k, s in candidates)
        step = "measure longer (a larger --budget, a smaller --target), on a GPU that does nothing else"
        if e.interrupted:
            step = "run it again and let it finish: more rounds narrow the intervals"
        elif e.kind == "simulated":
            step = "time it on a GPU: what the model may be off by does not allow a decision"
        elif e.kind == "given":
            step = "measure the three times more exactly, or let `kmutate analyze` do it"
    else:
        summary = _summary(e, limiter, full, exposed, exposed_of, math if exposed_of == "math" else memory)
        if share < UNSURE:
            others = " or ".join(f"{_NAMES[k]} ({percent(s)})" for k, s in candidates if k is not limiter)
            confidence, summary = Confidence.LOW, f"{percent(share)} likely, else {others}; {summary}"
        step = found[0].next_step if found and found[0].payoff is not None and found[0].share > 0.1 else _STEPS[limiter]
        if share < UNSURE:
            step += "; the model is not sure of this, so time it on a GPU first where you can"
    return Finding(limiter, confidence, summary, evidence, against, step, full, memory, math, overlap, exposed,
                   exposed_of, share, found, _payoffs(e, full, memory, math, found), candidates)


def needed(kind: str) -> float:
    """The share that a verdict needs, by what the times are (``Evidence.kind``)."""
    return LIKELY if kind == "simulated" else UNSURE


def _overhead(e: Evidence, full: Interval) -> float:
    return (e.facts.launch_overhead_ms or 0.0) / full.value


def _resampled(samples: Samples, e: Evidence, full: Interval) -> Ratios:
    base = samples.medians[ORIGINAL]
    return Ratios(samples.medians[MEMORY] / base, samples.medians[MATH] / base,
                  (e.facts.launch_overhead_ms or 0.0) / base)


def _launch(e: Evidence, full: Interval, found: tuple[Cause, ...]) -> Finding:
    """What the variants take says nothing here, so it does not matter whether there are any."""
    words = next(r.words for r in RULES if r.limiter is Limiter.LAUNCH)
    return Finding(Limiter.LAUNCH, Confidence.HIGH if not e.remarks else Confidence.MEDIUM,
                   f"{ms(full.value)}, of which an empty kernel takes {ms(e.facts.launch_overhead_ms or 0.0)}",
                   (words,), _against(e, None), _STEPS[Limiter.LAUNCH], full, e.time(MEMORY), e.time(MATH),
                   causes=found, payoffs=_ranked(c.payoff for c in found))


def _unknown(e: Evidence, found: tuple[Cause, ...]) -> Finding:
    missing = []
    for name in (ORIGINAL, MEMORY, MATH):
        variant = e.variants.get(name)
        if variant is None:
            missing.append(f"no {name}")
        elif variant.verdict is Verdict.INVALID:
            more = f" (and {len(variant.why) - 1} more)" if len(variant.why) > 1 else ""
            missing.append(f"{name} is INVALID: {variant.why[0] if variant.why else 'see its certificate'}{more}")
        elif not variant.usable:
            missing.append(f"{name}: {'; '.join(variant.why) or variant.outcome}")
    timed = any(v.time is not None for v in e.variants.values())
    summary = "; ".join(missing) if timed and missing else "nothing was timed"
    untimed = any((v := e.variants.get(n)) is not None and v.time is None and v.outcome in _NOT_TIMED
                  and v.verdict is not Verdict.INVALID for n in (ORIGINAL, MEMORY, MATH))
    step = e.to_time if untimed or not timed else found[0].next_step if found else ""
    return Finding(Limiter.UNKNOWN, Confidence.LOW, summary, _half_known(e), _against(e, None), step, e.full,
                   e.time(MEMORY), e.time(MATH), support=0.0, causes=found, payoffs=_ranked(c.payoff for c in found))


def _half_known(e: Evidence) -> tuple[str, ...]:
    """What one of the two halves says by itself, by the same lines as ``RULES``."""
    full = e.full
    for name, alone, other in ((MEMORY, Limiter.MEMORY, Limiter.MATH), (MATH, Limiter.MATH, Limiter.MEMORY)):
        time = e.time(name)
        if full is None or time is None:
            continue
        ratio = time.value / full.value
        left = (alone, Limiter.BALANCED) if ratio >= CLOSE else (other, Limiter.LATENCY)
        return (f"{name} takes {ms(time.value)} of {ms(full.value)} ({percent(ratio)}), which leaves "
                f"{_NAMES[left[0]]} or {_NAMES[left[1]]}",)
    return ()


def _summary(e: Evidence, limiter: Limiter, full: Interval, exposed: Interval, exposed_of: str, smaller: Interval
             ) -> str:
    if limiter is Limiter.LATENCY:
        hidden = 1 - exposed.value / smaller.value
        how = "nothing of it is hidden" if hidden < 0.1 else f"only {percent(max(hidden, 0))} of it is hidden"
        return (f"memory and arithmetic do not overlap well: {exposed_of} alone takes {ms(smaller.value)}, and {how} "
                "behind the other")
    left = max(exposed.value, 0.0)
    text = f"{ms(left)} of {exposed_of} ({percent(left / smaller.value)}) is not hidden"
    if limiter is Limiter.MEMORY and _bandwidth_is_low(e, full):
        text += "; bandwidth is far from what the hardware gives, so latency may matter too"
    return text


def _bandwidth_is_low(e: Evidence, full: Interval) -> bool:
    f = e.facts
    roof = f.copy_gbs or f.peak_gbs
    moved = f.moved_bytes or f.requested_bytes
    return bool(roof and moved and rate(moved, full.value) < _LOW_BANDWIDTH * roof)


def _evidence(e: Evidence, full: Interval, memory: Interval, math: Interval, overlap: Interval, exposed: Interval,
              exposed_of: str) -> list[str]:
    f = e.facts
    smaller = math if exposed_of == "math" else memory
    out = [f"full {ms(full.value)}, memory-only {ms(memory.value)} ({percent(memory.value / full.value)}), math-only "
           f"{ms(math.value)} ({percent(math.value / full.value)})",
           f"{ms(max(exposed.value, 0.0))} of {exposed_of}'s {ms(smaller.value)} is not overlapped (overlap "
           f"{overlap.value:.2f})"]
    if f.requested_bytes or f.moved_bytes:
        parts = [f"{what} {gbs(rate(n, full.value))}" for what, n in
                 (("application", f.requested_bytes), ("hardware", f.moved_bytes)) if n]
        roofs = [f"{what} {gbs(n)}" for what, n in (("a copy", f.copy_gbs), ("peak", f.peak_gbs)) if n]
        out.append("bandwidth: " + ", ".join(parts) + (f" (of {', '.join(roofs)})" if roofs else ""))
    moved = f.moved_bytes or f.requested_bytes
    if f.instructions and moved:
        ratio = 32 * f.instructions / moved
        out.append(f"instructions:bytes {ratio:.2f}"
                   + (f", the machine's balance is {f.balance:.2f}: " + ("more bytes than it can move beside them"
                      if ratio < f.balance else "more instructions than it can issue beside the bytes")
                      if f.balance else ""))
    return out


def _against(e: Evidence, ratios: Ratios | None) -> tuple[str, ...]:
    out = list(e.remarks)
    for name in (MEMORY, MATH):
        variant = e.variants.get(name)
        if variant is None or not variant.usable:
            continue
        if variant.verdict is Verdict.DEGRADED:
            out.append(f"{name} is DEGRADED: {'; '.join(variant.why) or 'see its certificate'}")
        if variant.resident_blocks and variant.expected_blocks and variant.resident_blocks != variant.expected_blocks:
            out.append(f"{name} ran with {variant.resident_blocks} resident blocks, not {variant.expected_blocks}")
    if ratios is not None:
        for name, value in ((MEMORY, float(ratios.memory)), (MATH, float(ratios.math))):
            if value > _EXPECTED:
                out.append(f"{name} takes {percent(value - 1)} longer than the kernel, though it does less: its "
                           "accesses come in another order or faster than the memory likes")
        if margin(ratios) < MARGIN and float(ratios.overhead) < 0.4:
            out.append(f"close to the line ({percent(CLOSE)} of the kernel's time) between two answers")
    if e.noise is not None and abs(e.noise.value - 1) > 0.02:
        out.append(f"the original and its identical copy differ by {percent(abs(e.noise.value - 1))}")
    return tuple(out)


def _confidence(e: Evidence, share: float, ratios: Ratios, rule: Rule) -> Confidence:
    used = [e.variants[n] for n in (MEMORY, MATH)]
    doubts = sum(v.verdict is Verdict.DEGRADED for v in used)
    doubts += margin(ratios) < MARGIN and rule.limiter is not Limiter.LAUNCH
    doubts += bool(e.remarks)
    doubts += float(ratios.larger) > _EXPECTED
    if share < SURE:
        doubts += 1
    return Confidence.HIGH if not doubts else Confidence.MEDIUM if doubts == 1 else Confidence.LOW


def _payoffs(e: Evidence, full: Interval, memory: Interval, math: Interval, found: tuple[Cause, ...]
             ) -> tuple[Payoff, ...]:
    """All upper bounds, the largest first: those of the causes, and what memory or arithmetic at no cost would give."""
    out = [c.payoff for c in found if c.payoff is not None]
    for what, name, rest in (("memory accesses at no cost, or hidden entirely", MATH, math),
                             ("arithmetic at no cost, or hidden entirely", MEMORY, memory)):
        gain = e.variants[name].gain or Interval.exact(full.value / rest.value)
        if gain.high > 1 + e.floor:
            out.append(Payoff(what, gain, name, kind=e.kind))
    return _ranked(out)


def _ranked(payoffs: Iterable[Payoff | None]) -> tuple[Payoff, ...]:
    return tuple(sorted((p for p in payoffs if p is not None), key=lambda p: -p.gain.value))
