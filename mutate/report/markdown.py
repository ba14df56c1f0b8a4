"""The report for a pull request: GitHub's Markdown, the verdict first, certificates and diffs folded away.

Nothing that a user, a compiler or a driver wrote can end a table, a fence or a tag: such text goes through one of the
filters here.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from mutate import __version__
from mutate.analyzed import Analysis, LaunchAnalysis
from mutate.model import Certificate, Verdict
from mutate.report import figures, played, stalls
from mutate.report.sweeps import sweep_view
from mutate.resources import templates_dir

if TYPE_CHECKING:
    import jinja2

_TEMPLATE = "analysis.md.j2"
# What is markup anywhere, and what is where a line begins.
_SPECIAL = re.compile(r"([\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_]))")
_LEADING = re.compile(r"^([-+#=]|\d+(?=[.)](?:\s|$)))")
_REFERENCE = re.compile(r"(@|#(?=\d)|:(?=//))")
_BLANK_LINES = re.compile(r"\n{3,}")
# A comment on GitHub has at most 65,536 characters; a diff beyond this is better read in its file.
_LONGEST_DIFF = 12_000


def _line(text: object) -> str:
    return " ".join(figures.clean(str(text)).split())


def escaped(text: object) -> str:
    """One line of plain text: no character of it is markup, an entity, a mention or a link."""
    out = _SPECIAL.sub(r"\\\1", html.escape(_line(text), quote=False))
    out = _LEADING.sub(lambda m: f"{m[1]}\\" if m[1].isdigit() else f"\\{m[1]}", out)
    return _REFERENCE.sub("\\1\u200b", out)


def code(text: object) -> str:
    """A code span with as long a fence as the text needs."""
    line = _line(text) or " "
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def cell(text: object) -> str:
    """A code span in a table, where a pipe would end the cell even so."""
    return code(text).replace("|", "\\|")


def in_html(text: object) -> str:
    """Text between tags on a line that begins with one: Markdown is not read there."""
    return html.escape(_line(text))


def fenced(text: str, language: str) -> str:
    """A fenced block with a fence longer than any in the text."""
    body = figures.clean(text).rstrip("\n")
    if len(body) > _LONGEST_DIFF:
        body = body[:_LONGEST_DIFF].rpartition("\n")[0] + "\n(cut here)"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", body)), default=0))
    return f"{fence}{language}\n{body}\n{fence}"


def _tag(slug: object) -> str:
    return escaped(f"[{slug}]")


def _facts(c: Certificate) -> list[str]:
    out = []
    if c.original is not None and c.variant is not None:
        out.append(f"registers {c.variant.registers}, original {c.original.registers}")
    if c.occupancy is not None:
        o = c.occupancy
        pad = f", padded by {o.dynamic_smem_pad:,} bytes" if o.dynamic_smem_pad else ""
        out.append(f"resident blocks {o.padded}, original {o.original}{pad}")
    if c.dynamic is not None and not c.dynamic.why_not:
        same = [name for name, p in c.dynamic.memory.items() if p.same]
        out.append(f"simulated {c.dynamic.blocks:,} of {c.dynamic.grid_blocks:,} blocks"
                   + (f"; at the same addresses as often: {', '.join(same)}" if same else ""))
    return out


def _details(launch: LaunchAnalysis) -> list[dict[str, Any]]:
    states = {r.name: r.state for r in figures.rows(launch)}
    return [{"name": v.name, "state": states.get(v.name, ""), "diff": v.diff,
             "reasons": [(str(r.severity) if r.severity is not Verdict.VALID else "information", r.text, r.slug)
                         for r in v.certificate.reasons] if v.certificate is not None else [],
             "facts": _facts(v.certificate) if v.certificate is not None else []}
            for v in launch.variants if v.diff or v.certificate is not None]


def _about(analysis: Analysis, launch: LaunchAnalysis) -> list[str]:
    finding = launch.finding
    times = figures.source_of_times(analysis, launch)
    parts = [(n, t) for n, t in (("T_full", finding.full), ("T_mem", finding.memory), ("T_math", finding.math))
             if t is not None]
    places = figures.decimals(t.value for _, t in parts)
    out = [figures.joined([f"{n} {figures.fixed(t.value, places)} ms" for n, t in parts])]
    if finding.overlap is not None:
        out.append(f"overlap {figures.fixed(finding.overlap.value, 2)} {figures.ends(finding.overlap)}; "
                   f"{figures.exposed_words(finding)}")
    out += [f"{r.name} bandwidth {figures.gbs(r.gbs)}, {figures.percent(r.of_copy)} of copy, "
            f"{figures.percent(r.of_peak)} of peak ({r.what}; bytes {r.sources[1]})"
            for r in figures.rates(finding, launch.facts, times)]
    roofs = figures.roof_words(launch.facts)
    out += [f"roofs: {roofs}" if roofs else "", *(x.words for x in figures.fractions(launch.finding, launch.facts)),
            figures.ratio_words(launch.facts)]
    if launch.played is not None and launch.session is None and times:
        out += [played.sample_words(launch.played), played.doubt_words(launch.played)]
    out += [*figures.session_words(launch.session), figures.noise_words(launch.noise)] \
        if launch.session is not None else []
    if times:
        out.append(f"± and [ ] are {figures.interval_words(times)}")
    out.append(figures.count_words(launch.counts, analysis.machine))
    if launch.counts_error is not None:
        out.append(f"no counters: {launch.counts_error.what}")
    return [x for x in out if x]


def _launch(analysis: Analysis, name: str, launch: LaunchAnalysis, main: str) -> dict[str, Any]:
    rows = figures.rows(launch)
    places = figures.decimals(r.time.value for r in rows if r.time is not None)
    shown = [{"name": r.name, "time": figures.fixed(r.time.value, places) if r.time is not None else "",
              "spread": figures.spread(r.time), "blocks": r.blocks, "state": r.state,
              "gain": f"{figures.factor(r.gain.value)} {figures.ends(r.gain)}" if r.gain is not None else ""}
             for r in rows]
    return {"name": name, "launch": launch.launch, "finding": launch.finding,
            "heading": figures.heading(launch.finding), "backend": figures.backend_words(analysis, launch),
            "timed": any(r.time is not None for r in rows), "rows": shown,
            "payoffs": figures.ranked_payoffs(launch.finding), "stalls": stalls.view(launch.stalls, main),
            "about": _about(analysis, launch),
            "remarks": figures.remarks(launch), "details": _details(launch),
            "sweeps": [sweep_view(s) for s in launch.sweeps]}


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    from mutate.report.terminal import dims

    # Markdown comes out, which has escapes of its own: all text goes through the filters.
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir() / "report"), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    env.filters |= {"md": escaped, "code": code, "cell": cell, "html": in_html, "fence": fenced, "tag": _tag,
                    "sentence": figures.sentence, "dims": dims, "factor": figures.factor, "ends": figures.ends}
    return env


def render_markdown(analysis: Analysis, date: str | None = None) -> str:
    """GitHub-flavoured Markdown. ``date`` is ISO 8601 with a time zone, by default now."""
    source = analysis.request.source
    text = _environment().get_template(_TEMPLATE).render({
        "file": str(source.path), "arch": source.arch, "version": __version__,
        "date": figures.moment(date or figures.now()), "options": figures.options(source),
        "warnings": analysis.warnings, "interrupted": analysis.interrupted,
        "errors": [(k.target.name, k.error) for k in analysis.kernels if k.error is not None],
        "launches": [_launch(analysis, k.target.name, la, k.target.kernel.file.name)
                     for k in analysis.kernels for la in k.launches]})
    return _BLANK_LINES.sub("\n\n", figures.clean(text)).strip("\n") + "\n"
