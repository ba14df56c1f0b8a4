"""What every report of an analysis says of a launch, as numbers and as words: rates, fractions, provenance, notes.

The terminal, Markdown and HTML take their rows from here, so that they cannot differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mutate.analyzed import Analysis, AnalyzedVariant, LaunchAnalysis
from mutate.limiter.model import Facts, Finding, Interval, Limiter, Payoff, VariantTime
from mutate.machines.model import Machine
from mutate.model import Certificate, Outcome, Verdict
from mutate.results import Request
from mutate.simulated import LaunchCounts
from mutate.timing import ORIGINAL, RunOutcome, Session

NONE = "–"
# From here on numbers are written in powers of ten.
_LONG = 1e7
LANES = 32
HEADINGS: Mapping[Limiter, str] = {
    Limiter.MEMORY: "memory-bound", Limiter.MATH: "math-bound", Limiter.BALANCED: "balanced",
    Limiter.LATENCY: "latency-bound", Limiter.LAUNCH: "launch-bound", Limiter.INCONCLUSIVE: "inconclusive",
    Limiter.UNKNOWN: "unknown"}


# --- words for numbers ---


def number(value: float | None, digits: int = 4) -> str:
    """With so many significant digits, thousands separated; in powers of ten only where it would be long."""
    if value is None or not math.isfinite(value):
        return NONE
    if value and not 1e-6 <= abs(value) < _LONG:
        return f"{value:.{digits - 1}e}"
    size = math.floor(math.log10(abs(value))) if value else 0
    return f"{value:,.{max(0, digits - 1 - size)}f}"


def decimals(values: Iterable[float | None]) -> int:
    """Decimals for a column in which the smallest number is to have three digits that count, the largest four."""
    known = [abs(v) for v in values if v and math.isfinite(v)]
    if not known:
        return 3
    smallest, largest = (math.floor(math.log10(v)) for v in (min(known), max(known)))
    return max(0, min(6, max(2 - smallest, 3 - largest)))


def fixed(value: float | None, places: int) -> str:
    if value is None or not math.isfinite(value):
        return NONE
    return f"{value:,.{places}f}" if abs(value) < _LONG else f"{value:.3g}"


def percent(part: float | None, places: int = 0) -> str:
    if part is None or not math.isfinite(part):
        return NONE
    return f"{100 * part:.{places}f} %" if part < 10 else "> 999 %"


def spread(interval: Interval | None) -> str:
    """Half the width of an interval in percent of its value; nothing for a number that was given as exact."""
    if interval is None or interval.low == interval.high or not math.isfinite(interval.width):
        return ""
    return f"{100 * interval.width:.1f} %" if interval.width < 10 else "> 999 %"


def factor(value: float | None) -> str:
    return NONE if value is None or not math.isfinite(value) else f"{fixed(value, 2)}x"


def ends(interval: Interval | None, places: int = 2) -> str:
    """``[low, high]``, or nothing for a number without an interval."""
    if interval is None or interval.low == interval.high:
        return ""
    return f"[{fixed(interval.low, places)}, {fixed(interval.high, places)}]"


def at_most(gain: Interval) -> str:
    """An upper bound of a speed-up: ``at most 1.31x [1.28, 1.33]``."""
    return f"at most {factor(gain.value)} {ends(gain)}".rstrip()


def gbs(value: float | None) -> str:
    return NONE if value is None else f"{number(value, 4) if value < 100 else fixed(value, 0)} GB/s"


def gflops(value: float) -> str:
    return f"{number(value / 1e3, 3)} TFLOP/s" if value >= 1e3 else f"{number(value, 3)} GFLOP/s"


def size(nbytes: float | None) -> str:
    """Bytes by powers of ten, as bandwidths are."""
    if nbytes is None or not math.isfinite(nbytes):
        return NONE
    for unit, scale in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if nbytes >= scale:
            return f"{number(nbytes / scale, 4)} {unit}"
    return f"{nbytes:,.0f} bytes"


def clean(text: str) -> str:
    """Text that any output can take: what is no character, or would steer a terminal, becomes U+FFFD."""
    return "".join(c if c in "\n\t" or (c >= " " and not "\x7f" <= c <= "\x9f" and not "\ud800" <= c <= "\udfff"
                                        and c not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
                   else "\ufffd" for c in text.replace("\r\n", "\n"))


def now() -> str:
    """ISO 8601, UTC, to the second."""
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")


def moment(date: str) -> str:
    """An ISO 8601 date for people."""
    return date.replace("T", " ").replace("+00:00", " UTC")


def sentence(text: str) -> str:
    """Begun with a capital letter."""
    return text[:1].upper() + text[1:]


def options(request: Request) -> list[str]:
    """What was asked for that changes what the kernel is."""
    return [*(f"-D{d}" for d in request.defines), *(f"-I{d}" for d in request.include_dirs),
            *([f"-std={request.dialect}"] if request.dialect else []),
            *(["-use_fast_math"] if request.use_fast_math else []),
            *([f"--maxrregcount={request.maxrregcount}"] if request.maxrregcount else []),
            *(f"--set {k}={v}" for k, v in request.settings.items())]


# --- where numbers come from ---


def source_of_times(analysis: Analysis, launch: LaunchAnalysis) -> str:
    """``measured``, ``simulated``, or nothing where there are no times."""
    if launch.session is not None:
        return "measured"
    return "simulated" if launch.finding.full is not None and analysis.backend == "sim" else ""


def machine_words(machine: Machine) -> str:
    state = "calibrated" if machine.calibrated else "not calibrated"
    return f"{machine.title}; {state}{', a projection' if machine.projection else ''}"


def backend_words(analysis: Analysis, launch: LaunchAnalysis) -> str:
    """The one line that says where the times come from."""
    session = launch.session
    if session is not None:
        return f"measured on {session.gpu.name} (driver {session.gpu.driver}, L2 {session.settings.l2})"
    if source_of_times(analysis, launch):
        return f"simulated on {machine_words(analysis.machine)}" if analysis.machine is not None else "simulated"
    return f"not timed: {launch.untimed or 'nothing was measured'}"


def interval_words(source: str) -> str:
    """What ± and [ ] are, by where the times come from (``source_of_times``)."""
    return "95 % intervals, from the errors that simulated times were found to have" if source == "simulated" else \
        "95 % intervals, by bootstrap of the rounds"


def session_words(session: Session) -> tuple[str, ...]:
    """How it was measured, one fact each."""
    out = [f"{session.rounds} interleaved rounds in {session.seconds:.1f} s"]
    if session.batch > 1:
        out.append(f"{session.batch} launches timed together")
    if session.stopped != "target":
        aim = f"before every interval was below ±{100 * session.settings.target:g} %"
        why = {"budget": f"the budget of {session.settings.budget:g} s was spent {aim}",
               "rounds": f"the most rounds were done {aim}", "interrupted": "interrupted"}
        out.append(why.get(session.stopped, session.stopped))
    if session.overhead_ms:
        ordered = sorted(session.overhead_ms)
        out.append(f"empty kernel {number(1e3 * ordered[len(ordered) // 2], 3)} µs")
    clocks = session.clocks
    if clocks.sm_mhz_before is not None and clocks.sm_mhz_after is not None:
        out.append(f"SM clock {clocks.sm_mhz_before:.0f} MHz before, {clocks.sm_mhz_after:.0f} after")
    if clocks.memory_mhz is not None:
        out.append(f"memory clock {clocks.memory_mhz:.0f} MHz")
    if clocks.temperature_c is not None:
        out.append(f"{clocks.temperature_c:.0f} °C")
    if clocks.throttle:
        out.append(f"clocks were lowered: {', '.join(clocks.throttle)}")
    if session.restarts:
        out.append(f"measuring process restarted {session.restarts} time{'s' if session.restarts > 1 else ''}")
    return tuple(out)


def noise_words(noise: Interval | None) -> str:
    if noise is None:
        return ""
    return f"A/A (identity against original) {fixed(noise.value, 3)} {ends(noise, 3)}".rstrip()


def count_words(counts: LaunchCounts | None, machine: Machine | None) -> str:
    """Where the counters come from."""
    if counts is None:
        return ""
    ran = len(counts.blocks)
    which = f"all {counts.grid_blocks:,} blocks" if ran == counts.grid_blocks else \
        f"{ran:,} of {counts.grid_blocks:,} blocks, extrapolated"
    on = f", caches of {machine_words(machine)}" if machine is not None else ""
    return f"counters simulated: {which}{on}"


# --- the variants ---


@dataclass(frozen=True)
class Row:
    """One line of the table of variants. ``state`` is the certificate's verdict, or what stood in the way of a time."""

    name: str
    time: Interval | None
    gain: Interval | None
    blocks: str
    state: str
    tone: str
    """``good``, ``warn``, ``bad``, ``quiet``: how ``state`` is to be shown."""
    usable: bool
    variant: AnalyzedVariant | None = None


_TONES = {Verdict.VALID: "good", Verdict.DEGRADED: "warn", Verdict.INVALID: "bad"}


def _blocks(time: VariantTime | None, certificate: Certificate | None) -> str:
    resident, expected = (time.resident_blocks, time.expected_blocks) if time is not None else (None, None)
    if resident is None and certificate is not None and certificate.occupancy is not None:
        return f"({certificate.occupancy.padded})"  # planned, not verified with the driver
    if resident is None:
        return ""
    return str(resident) if expected is None or expected == resident else f"{resident} of {expected}"


def failed_run(time: VariantTime | None) -> RunOutcome | None:
    """What came of a run that gave no time; ``None`` also where nothing was run."""
    outcome = next((o for o in RunOutcome if time is not None and o == time.outcome), None)
    return None if outcome is RunOutcome.OK else outcome


def _state(v: AnalyzedVariant) -> tuple[str, str]:
    if v.result.outcome is Outcome.REFUSED:
        return "refused", "quiet"
    if v.result.outcome is not Outcome.OK:
        return str(v.result.outcome), "bad"
    verdict = v.certificate.verdict if v.certificate is not None else v.time.verdict if v.time is not None else None
    if verdict is Verdict.INVALID:
        return str(verdict), "bad"
    if v.time is not None and v.time.outcome not in ("ok", "not-timed"):
        return v.time.outcome, "bad"
    return (str(verdict), _TONES[verdict]) if verdict is not None else ("", "quiet")


def rows(launch: LaunchAnalysis) -> tuple[Row, ...]:
    """The original first, then the variants in their order."""
    out = [_row(v) for v in launch.variants]
    if not any(r.name == ORIGINAL for r in out):
        run = launch.session.run(ORIGINAL) if launch.session is not None else None
        blocks = str(run.resident_blocks) if run is not None and run.resident_blocks is not None else \
            f"({launch.facts.resident_blocks})" if launch.facts.resident_blocks is not None else ""
        failed = run is not None and run.outcome != "ok"
        out.insert(0, Row(ORIGINAL, launch.finding.full, None, blocks,
                          str(run.outcome) if failed and run is not None else "", "bad" if failed else "quiet", True))
    return tuple(sorted(out, key=lambda r: r.name != ORIGINAL))


def _row(v: AnalyzedVariant) -> Row:
    state, tone = _state(v)
    time = v.time.time if v.time is not None else None
    gain = v.time.gain if v.time is not None and v.name != ORIGINAL else None
    usable = v.name == ORIGINAL or (v.time is not None and v.time.usable)
    return Row(v.name, time, gain, _blocks(v.time, v.certificate), state, tone, usable, v)


@dataclass(frozen=True)
class Remark:
    """What is to be known of some variants: a refusal, a reason of the certificate, a fault."""

    names: tuple[str, ...]
    text: str
    slug: str
    tone: str


_Add = Callable[[str, str, str, str], None]


def remarks(launch: LaunchAnalysis, with_information: bool = False) -> tuple[Remark, ...]:
    """What the table cannot say, each said once for all variants that it is true of."""
    found: dict[tuple[str, str, str], list[str]] = {}

    def add(tone: str, slug: str, text: str, name: str) -> None:
        names = found.setdefault((tone, slug, clean(text)), [])
        if name not in names:
            names.append(name)

    for v in launch.variants:
        _remarks_of(v, launch.session, add, with_information)
    return tuple(Remark(tuple(names), text, slug, tone) for (tone, slug, text), names in found.items())


def _remarks_of(v: AnalyzedVariant, session: Session | None, add: _Add, with_information: bool) -> None:
    refusal = v.result.refusal
    if refusal is not None:
        add("quiet", refusal.slug, refusal.why + (f" ({refusal.hint})" if refusal.hint else ""), v.name)
        return
    if v.result.outcome is Outcome.COMPILE_FAILED:
        log = v.result.log
        add("bad", "compile-failed", next((x for x in log.splitlines() if "error" in x), log.strip()[:200]), v.name)
        return
    said = set()
    for r in v.certificate.reasons if v.certificate is not None else ():
        if r.severity is Verdict.VALID and not with_information:
            continue
        said.add(r.text)
        add(_TONES[r.severity] if r.severity is not Verdict.VALID else "quiet", r.slug,
            r.text + (f" (line {r.line})" if r.line is not None else ""), v.name)
    run = session.run(v.name) if session is not None else None
    if run is not None and run.outcome != "ok":
        add("bad", str(run.outcome), run.message or "no time", v.name)
    for why in v.time.why if v.time is not None else ():
        if why not in said and (run is None or why != run.message):
            add("warn", "", why, v.name)


# --- bandwidth and balance ---


@dataclass(frozen=True)
class Rate:
    """Bytes a second by one way of counting bytes. ``sources`` says where the time and the bytes come from."""

    name: str
    what: str
    short: str
    nbytes: float
    gbs: float
    of_copy: float | None
    of_peak: float | None
    sources: tuple[str, str]


_RATES = (("application", "requested by threads", "requested", "requested_bytes"),
          ("hardware", "moved between SM and L2", "SM to L2", "moved_bytes"),
          ("DRAM floor", "must come from or go to DRAM", "from/to DRAM", "floor_bytes"))


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def rates(finding: Finding, facts: Facts, times: str) -> tuple[Rate, ...]:
    """Application and hardware bandwidth and what DRAM must move at least, over T_full (GB/s = 10^9 bytes a second).

    ``times`` says where the time comes from. Nothing where there is no time or bytes are unknown.
    """
    full = finding.full.value if finding.full is not None else 0.0
    out = []
    for name, what, short, field in _RATES:
        nbytes: float | None = getattr(facts, field)
        if nbytes is None or full <= 0:
            continue
        rate = nbytes / (full * 1e6)
        out.append(Rate(name, what, short, nbytes, rate, _share(rate, facts.copy_gbs),
                        _share(rate, facts.peak_gbs), (times, facts.sources.get(field, "unknown"))))
    return tuple(out)


def roof_words(facts: Facts) -> str:
    """What the fractions are of."""
    def from_(field: str) -> str:
        source = facts.sources.get(field, "")
        return f" ({source})" if source else ""

    parts = []
    if facts.copy_gbs is not None:
        parts.append(f"copy {gbs(facts.copy_gbs)}{from_('copy_gbs')}")
    if facts.copy_gbs_here is not None:
        parts.append(f"copy with as many resident warps {gbs(facts.copy_gbs_here)}{from_('copy_gbs_here')}")
    if facts.peak_gbs is not None:
        parts.append(f"peak {gbs(facts.peak_gbs)}{from_('peak_gbs')}")
    return ", ".join(parts)


def instruction_ratio(facts: Facts) -> float | None:
    """Thread instructions (32 for each of a warp) for each byte moved, as in "Analysis-Driven Optimization"."""
    if facts.instructions is None or not facts.moved_bytes:
        return None
    return LANES * facts.instructions / facts.moved_bytes


def ratio_words(facts: Facts) -> str:
    ratio = instruction_ratio(facts)
    if ratio is None:
        return ""
    if facts.balance is None:
        return f"{number(ratio, 3)} thread instructions for each byte moved (the machine's balance is unknown)"
    side = "above it: more instructions than the machine balances" if ratio > facts.balance else \
        "below it: more bytes than the machine balances"
    return (f"{number(ratio, 3)} thread instructions for each byte moved, machine's balance "
            f"{number(facts.balance, 3)}: {side}")


@dataclass(frozen=True)
class Fraction:
    """What part of a roof other than bandwidth the kernel reaches; ``words`` has the numbers and their sources."""

    what: str
    fraction: float
    words: str


def fractions(finding: Finding, facts: Facts) -> tuple[Fraction, ...]:
    """FP32 against what the GPU reaches, issue slots, and an empty kernel's part of the time; what is known of them."""
    full = finding.full.value if finding.full is not None else 0.0
    if full <= 0:
        return ()
    out = []
    if facts.fp32_flops and facts.fp32_gflops:
        rate = facts.fp32_flops / (full * 1e6)
        out.append(Fraction("fp32", rate / facts.fp32_gflops, f"FP32 {number(rate, 3)} GFLOP/s, "
                            f"{percent(rate / facts.fp32_gflops)} of {number(facts.fp32_gflops, 3)} "
                            f"({facts.sources.get('fp32_gflops', 'given')})"))
    if facts.instructions and facts.issue_rate and facts.clock_mhz:
        used = facts.instructions / (facts.issue_rate * facts.clock_mhz * 1e3 * full)
        out.append(Fraction("issue-slots", used, f"{percent(used)} of all issue slots used"))
    if facts.launch_overhead_ms:
        part = facts.launch_overhead_ms / full
        out.append(Fraction("launch", part, f"an empty kernel is {percent(part)} of the time"))
    return tuple(out)


# --- verdict and payoffs ---


def heading(finding: Finding) -> str:
    return HEADINGS[finding.limiter]


def exposed_words(finding: Finding) -> str:
    """``2.12 ms of math exposed (13 % of it)``."""
    part = finding.memory if finding.exposed_of == "memory" else finding.math
    if finding.exposed_ms is None or not finding.exposed_of:
        return ""
    value = finding.exposed_ms.value
    if value <= 0:
        return f"nothing of {finding.exposed_of} exposed"
    if part is not None and value > part.value:
        return f"all of {finding.exposed_of} exposed, and {number(value - part.value, 3)} ms that neither explains"
    of = f" ({percent(value / part.value)} of it)" if part is not None and part.value > 0 else ""
    return f"{number(value, 3)} ms of {finding.exposed_of} exposed{of}"


def ranked_payoffs(finding: Finding) -> tuple[Payoff, ...]:
    """All upper bounds, the largest first; those of causes that are no entry of ``payoffs`` too."""
    found = list(finding.payoffs)
    found += [c.payoff for c in finding.causes if c.payoff is not None and c.payoff not in found]
    return tuple(sorted(found, key=lambda p: -p.gain.value))


def best_payoff(finding: Finding) -> Payoff | None:
    return next((p for p in ranked_payoffs(finding) if 1 < p.gain.value < math.inf), None)


def joined(parts: Sequence[str], between: str = ", ") -> str:
    return between.join(p for p in parts if p)
