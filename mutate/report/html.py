"""The report as one HTML page: no scripts, nothing from the network, legible in light, dark and on paper.

Templates in ``templates/report`` lay it out; here is what they are given. Autoescaping is on for all of them, and the
page is cleaned of control characters as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from mutate import __version__
from mutate.analyzed import Analysis, AnalyzedVariant, KernelAnalysis, LaunchAnalysis
from mutate.limiter.model import Facts, Limiter
from mutate.model import Certificate, Verdict
from mutate.report import charts, figures, played, stalls
from mutate.report.code_view import DiffLine, changed, diff_lines
from mutate.report.listing import listing
from mutate.report.sweep_charts import panels
from mutate.report.sweeps import sweep_view
from mutate.resources import templates_dir

if TYPE_CHECKING:
    import jinja2

_TEMPLATE = "page.html.j2"

# Facts that no other part of the page shows: (field, words, unit).
_FACTS = (
    ("instructions", "warp instructions", ""), ("fp32_flops", "fp32 operations", ""),
    ("fp64_flops", "fp64 operations", ""), ("sector_bytes", "in the sectors of all requests", "bytes"),
    ("footprint_bytes", "touched at least once", "bytes"),
    ("active_lanes", "active lanes of a warp instruction", "of 32"), ("divergent_branches", "divergent branches", ""),
    ("branches", "branches", ""), ("sectors_per_request", "sectors of a global request", ""),
    ("load_efficiency", "requested of loaded bytes", "%"), ("store_efficiency", "requested of stored bytes", "%"),
    ("shared_wavefronts", "shared-memory wavefronts", ""), ("shared_conflicts", "of them bank conflicts", ""),
    ("barriers", "barriers executed by warps", ""), ("spill_bytes", "bytes moved by spills", "bytes"),
    ("grid_blocks", "blocks of the grid", ""),
    ("resident_blocks", "resident blocks an SM", ""), ("warps_per_block", "warps a block", ""),
    ("most_warps", "most warps an SM", ""), ("occupancy_limiter", "occupancy limited by", ""),
    ("sm_count", "SMs", ""), ("bytes_in_flight_needed", "bytes in flight needed an SM", "bytes"),
    ("launch_overhead_ms", "empty kernel", "ms"), ("clock_mhz", "SM clock", "MHz"))


@dataclass(frozen=True)
class VariantView:
    """A row of the table, its bar, its certificate and its diff."""

    row: figures.Row
    bar: charts.Bar | None
    time: str
    spread: str
    gain: str
    ends: str
    about: tuple[tuple[str, str, str], ...]
    """Reasons of the certificate: (severity, text, slug)."""
    counts: tuple[tuple[str, int, int, int | None, int | None], ...]
    """(class, static original, static variant, executed original, executed variant)."""
    memory: tuple[tuple[str, int, int, str], ...]
    resources: tuple[tuple[str, str, str], ...]
    diff: tuple[DiffLine, ...]
    added: int
    removed: int

    @property
    def was_run(self) -> bool:
        """Whether the simulator executed it."""
        return bool(self.counts) and self.counts[0][3] is not None

    @property
    def has_details(self) -> bool:
        return bool(self.diff or self.counts or self.about or self.memory or self.resources)


def _resources(c: Certificate) -> Iterable[tuple[str, str, str]]:
    if c.original is not None and c.variant is not None:
        a, b = c.original, c.variant
        yield "registers a thread", str(a.registers), str(b.registers)
        yield "spill stores, loads (bytes)", f"{a.spill_stores}, {a.spill_loads}", f"{b.spill_stores}, {b.spill_loads}"
        yield "static shared memory (bytes)", f"{a.static_smem:,}", f"{b.static_smem:,}"
    if c.occupancy is not None:
        o = c.occupancy
        yield "resident blocks an SM", str(o.original), \
            str(o.padded) if o.padded == o.variant else f"{o.padded} ({o.variant} unpadded)"
        yield "padding by dynamic shared memory (bytes)", "", f"{o.dynamic_smem_pad:,}"
        if o.carveout_kb is not None:
            yield "shared-memory carve-out", f"{o.carveout_kb} KB", f"{o.carveout_kb} KB"


def _class_counts(c: Certificate) -> Iterable[tuple[str, int, int, int | None, int | None]]:
    static, dynamic = c.static, c.dynamic if c.dynamic is not None and not c.dynamic.why_not else None
    names = {*(static.original if static is not None else ()), *(static.variant if static is not None else ()),
             *(dynamic.original if dynamic is not None else ()), *(dynamic.variant if dynamic is not None else ())}
    for name in sorted(names):
        yield (name, static.original.get(name, 0) if static is not None else 0,
               static.variant.get(name, 0) if static is not None else 0,
               dynamic.original.get(name, 0) if dynamic is not None else None,
               dynamic.variant.get(name, 0) if dynamic is not None else None)


def _memory(c: Certificate) -> Iterable[tuple[str, int, int, str]]:
    if c.dynamic is not None and not c.dynamic.why_not:
        for name, p in c.dynamic.memory.items():
            same = "same addresses as often" if p.same else "as many bytes" if p.same_bytes else "differs"
            yield name, p.original, p.variant, same


_TONES = {Verdict.VALID: "quiet", Verdict.DEGRADED: "warn", Verdict.INVALID: "bad"}


def _view(row: figures.Row, bar: charts.Bar | None, places: int) -> VariantView:
    v: AnalyzedVariant | None = row.variant
    c = v.certificate if v is not None else None
    diff = diff_lines(v.diff) if v is not None and v.diff else ()
    added, removed = changed(diff)
    about = tuple((_TONES[r.severity], r.text + (f" (line {r.line})" if r.line is not None else ""), r.slug)
                  for r in c.reasons) if c is not None else ()
    return VariantView(
        row, bar, figures.fixed(row.time.value, places) if row.time is not None else "", figures.spread(row.time),
        figures.factor(row.gain.value) if row.gain is not None else "", figures.ends(row.gain), about,
        tuple(_class_counts(c)) if c is not None else (), tuple(_memory(c)) if c is not None else (),
        tuple(_resources(c)) if c is not None else (), diff, added, removed)


def _facts(facts: Facts) -> list[tuple[str, str, str]]:
    out = []
    for field, words, unit in _FACTS:
        value = getattr(facts, field)
        if value is None or value == "":
            continue
        text = value if isinstance(value, str) else figures.size(value) if unit == "bytes" else \
            f"{value:,.0f}" if isinstance(value, int) or 1e3 <= value < 1e15 else figures.number(value)
        out.append((words, text if unit == "bytes" else f"{text} {unit}".rstrip(), facts.sources.get(field, "")))
    return out


def _launch(analysis: Analysis, kernel: KernelAnalysis, launch: LaunchAnalysis, number: int) -> dict[str, Any]:
    finding, facts, la = launch.finding, launch.facts, launch.launch
    times = figures.source_of_times(analysis, launch)
    rows = figures.rows(launch)
    places = figures.decimals(r.time.value for r in rows if r.time is not None)
    bars = charts.bars([r.time for r in rows], finding.full)
    payoffs = figures.ranked_payoffs(finding)
    return {
        "id": f"launch-{number}", "name": kernel.target.name, "launch": la, "analysis": launch, "finding": finding,
        "facts": facts, "heading": figures.heading(finding), "times": times,
        "timed": any(r.time is not None for r in rows),
        "decided": finding.limiter not in (Limiter.INCONCLUSIVE, Limiter.UNKNOWN),
        "backend": figures.backend_words(analysis, launch),
        "session": [*figures.session_words(launch.session), figures.noise_words(launch.noise)]
        if launch.session is not None else
        [played.sample_words(launch.played), played.doubt_words(launch.played)]
        if launch.played is not None and times else [],
        "rates": figures.rates(finding, facts, times), "roofs": figures.roof_words(facts),
        "ratio": figures.ratio_words(facts),
        "reached": figures.joined([x.words for x in figures.fractions(finding, facts)]),
        "exposed": figures.exposed_words(finding),
        "best": figures.best_payoff(finding), "overlap": charts.overlap(finding),
        "views": [_view(r, b, places) for r, b in zip(rows, bars, strict=True)], "remarks": figures.remarks(launch),
        "payoffs": list(zip(payoffs, charts.payoff_bars(payoffs), strict=True)),
        "roofline": charts.roofline(finding, facts, analysis.machine),
        "why_no_roofline": charts.why_no_roofline(launch),
        "occupancy": charts.curve(launch.occupancy, _resident(launch)), "grids": launch.grids,
        "counted": figures.count_words(launch.counts, analysis.machine), "facts_table": _facts(facts),
        "stalls": stalls.view(launch.stalls, kernel.target.kernel.file.name),
        "listing": listing(launch.counts, kernel.target, analysis.source, launch.stalls),
        "sweeps": [{**sweep_view(s), "panels": panels(s)} for s in launch.sweeps]}


def _resident(launch: LaunchAnalysis) -> float | None:
    run = launch.session.run("original") if launch.session is not None else None
    return run.resident_blocks if run is not None and run.resident_blocks is not None else launch.facts.resident_blocks


def _context(analysis: Analysis, date: str) -> dict[str, Any]:
    launches: list[dict[str, Any]] = []
    for kernel in analysis.kernels:
        for launch in kernel.launches:
            launches.append(_launch(analysis, kernel, launch, len(launches) + 1))
    source = analysis.request.source
    measured = any(la.session is not None for k in analysis.kernels for la in k.launches)
    return {
        "intervals": figures.interval_words("measured" if measured or analysis.backend != "sim" else "simulated"),
        "file": str(source.path), "arch": source.arch, "version": __version__, "date": figures.moment(date),
        "options": figures.options(source),
        "launches": launches, "errors": [(k.target.name, k.error) for k in analysis.kernels if k.error is not None],
        "warnings": analysis.warnings, "interrupted": analysis.interrupted, "roofs": analysis.roofs,
        "machine": figures.machine_words(analysis.machine) if analysis.machine is not None else ""}


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    from mutate.report.terminal import dims

    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir() / "report"), undefined=jinja2.StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    env.filters |= {"dims": dims, "ends": figures.ends, "factor": figures.factor, "number": figures.number,
                    "percent": figures.percent, "size": figures.size, "gbs": figures.gbs, "sentence": figures.sentence}
    return env


def render_html(analysis: Analysis, date: str | None = None) -> str:
    """A complete document in UTF-8. ``date`` is ISO 8601 with a time zone, by default now."""
    return figures.clean(_environment().get_template(_TEMPLATE).render(_context(analysis, date or figures.now())))


def notebook_html(analysis: Analysis) -> str:
    """The page in a frame of its own, for ``_repr_html_``: its style does not touch the notebook's."""
    import html

    return (f'<iframe sandbox="" title="kmutate analysis" width="100%" height="900" style="border: 0" '
            f'srcdoc="{html.escape(render_html(analysis))}"></iframe>')
