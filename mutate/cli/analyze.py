"""``kmutate analyze``: times the variants, names what limits the kernel, and what fixing it could gain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mutate.analyzed import BACKENDS, AnalyzeRequest
from mutate.cli.settings import Shared, compile_options, several
from mutate.errors import KmutateError
from mutate.source import printable
from mutate.sweeps import SWEEPS, parse_sweeps
from mutate.timing import Settings

if TYPE_CHECKING:
    from mutate.analyzed import Analysis, Comparison

_EPILOG = """\b
Examples:
  kmutate analyze kernel.cu
  kmutate analyze kernel.cu -k 'reduce.*' --set n=65536 --html report.html
  kmutate analyze kernel.cu --l2 warm --budget 30 --target 0.5
  kmutate analyze kernel.cu --backend sim --machine h100 --json
  kmutate analyze kernel.cu --machine h100,a100,rtx4090
  kmutate analyze kernel.cu --sweep cache,registers

Exit codes: 0 a verdict for every launch, 2 could not run, 3 a verdict is inconclusive or unknown.
"""
_DEFAULT = Settings()


@click.command("analyze", epilog=_EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-m", "--mutation", "mutations", multiple=True, metavar="ID[+ID]",
              help="Only these variants (memory-only and math-only are always made). Default: all.")
@click.option("-k", "--kernel", "kernels", multiple=True, metavar="NAME|REGEX", help="Only these kernels.")
@click.option("--instance", "instances", multiple=True, metavar="'KERNEL<ARGS>'",
              help="Only this instance of a template kernel.")
@click.option("-arch", "--arch", "arch", metavar="sm_NN", help="Architecture. Default: the GPU's, or the machine's.")
@compile_options
@click.option("--backend", type=click.Choice(BACKENDS), default="auto", show_default=True,
              help="Where it runs: auto takes the GPU where there is one.")
@click.option("--device", type=click.IntRange(0), default=0, show_default=True, help="Number of the GPU.")
@click.option("--machine", "machine", metavar="NAME|FILE[,...]",
              help="Whose published figures and caches are used; see `kmutate list machines`. Several with commas: "
              "side by side on the simulator.")
@click.option("--full", is_flag=True, help="Simulate every block on every SM instead of a sample: for simulated times, "
              "slow.")
@click.option("--l2", type=click.Choice(["cold", "warm"]), default=_DEFAULT.l2, show_default=True,
              help="Whether L2 is flushed before each timed launch.")
@click.option("--target", type=click.FloatRange(0.01, 50), default=100 * _DEFAULT.target, show_default=True,
              metavar="PERCENT", help="Measure until every median is known to this.")
@click.option("--budget", type=click.FloatRange(0.1), default=_DEFAULT.budget, show_default=True, metavar="SECONDS",
              help="... or until this much time was spent on a launch.")
@click.option("--limit", type=click.FloatRange(1), default=_DEFAULT.limit, show_default=True, metavar="SECONDS",
              help="Give up a launch that takes longer.")
@click.option("--sweep", "sweeps", multiple=True, metavar="WHAT",
              help=f"Also try other settings of the launch, and report which is best: {','.join(SWEEPS)}.")
@click.option("--no-sweep", is_flag=True, help="Do not time the original with fewer blocks an SM and larger grids, "
              "which the verdict takes as evidence (no matter for --sweep).")
@click.option("--no-counters", is_flag=True, help="Do not count the original on the simulator.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema kmutate.analysis/1; of several "
              "machines kmutate.comparison/1).")
@click.option("--markdown", is_flag=True, help="Print Markdown, for a pull request.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write the whole report as one page, too.")
def analyze_command(file: Path, mutations: tuple[str, ...], kernels: tuple[str, ...], instances: tuple[str, ...],
                    arch: str | None, shared: Shared, backend: str, device: int, machine: str | None, full: bool,
                    l2: str, target: float, budget: float, limit: float, sweeps: tuple[str, ...], no_sweep: bool,
                    no_counters: bool, as_json: bool, markdown: bool, html: Path | None) -> int:
    """Time the variants of each kernel of FILE, name its limiter, and bound what fixing each cause would gain."""
    try:
        if as_json and markdown:
            raise KmutateError("output-options", "--json and --markdown exclude each other", hint="give one of them")
        if html is not None and not html.resolve().parent.is_dir():
            raise KmutateError("output-not-writable", f"cannot write {html}: there is no such folder",
                               hint="make the folder, or give --html another path")
        source = shared.request(file, arch, mutations=mutations, kernels=kernels, instances=instances)
        request = AnalyzeRequest(source, backend, machine,
                                 Settings(l2=l2, target=target / 100, budget=budget, limit=limit, device=device),
                                 not no_sweep, not no_counters, full, parse_sweeps(sweeps))
        from mutate.report.progress import stage_progress

        names = several(machine)
        if names:
            if request.sweeps:
                raise KmutateError("output-options", "--sweep is of one machine, and --machine names several",
                                   hint="give one of them to --machine")
            from mutate.pipeline.compare import compare_machines

            with stage_progress() as progress:
                comparison = compare_machines(request, names, progress)
            return _show_comparison(comparison, as_json, markdown, html)
        from mutate.pipeline.analyze import run_analysis

        with stage_progress() as progress:
            analysis = run_analysis(request, progress)
        if html is not None:
            _write_html(analysis, html)
    except KmutateError as error:
        if as_json:
            from mutate.report.analysis_document import failure_document

            click.echo(json.dumps(failure_document(str(file), arch or "", error), indent=1, ensure_ascii=False))
        raise
    if as_json:
        from mutate.report.analysis_document import analysis_document

        click.echo(json.dumps(analysis_document(analysis), indent=1, ensure_ascii=False, allow_nan=False))
    elif markdown:
        from mutate.report.markdown import render_markdown

        click.echo(render_markdown(analysis))
    else:
        from mutate.report.analysis import print_analysis

        print_analysis(analysis)
        if html is not None:
            click.echo(f"the whole report: {html}")
    for kernel in analysis.kernels:
        if kernel.error is not None:
            click.echo(printable(str(kernel.error)), err=True)
    return _status(analysis)


def _show_comparison(comparison: Comparison, as_json: bool, markdown: bool, html: Path | None) -> int:
    if html is not None:
        from mutate.report.comparison import render_comparison_html

        _write_text(render_comparison_html(comparison), html)
    if as_json:
        from mutate.report.comparison_document import comparison_document

        click.echo(json.dumps(comparison_document(comparison), indent=1, ensure_ascii=False, allow_nan=False))
    elif markdown:
        from mutate.report.comparison import render_comparison_markdown

        click.echo(render_comparison_markdown(comparison))
    else:
        from mutate.report.comparison import print_comparison

        print_comparison(comparison)
        if html is not None:
            click.echo(f"as a page: {html}")
    found = [_status(c.analysis) if c.analysis is not None else 2 for c in comparison.machines]
    for c in comparison.machines:
        for error in [c.error] if c.error is not None else [k.error for k in c.analysis.kernels] if c.analysis else []:
            if error is not None:
                click.echo(f"{c.machine.name}: {error}", err=True)
    return 130 if comparison.interrupted else 2 if 2 in found else max(found)


def _write_html(analysis: Analysis, path: Path) -> None:
    from mutate.report.html import render_html

    _write_text(render_html(analysis), path)


def _write_text(text: str, path: Path) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise KmutateError("output-not-writable", f"cannot write {path}: {error.strerror}",
                           hint="give --html another path") from None


def _status(analysis: Analysis) -> int:
    from mutate.limiter.model import Limiter

    if analysis.interrupted:
        return 130
    if any(k.error is not None for k in analysis.kernels):
        return 2
    open_ = (Limiter.INCONCLUSIVE, Limiter.UNKNOWN)
    return 3 if any(la.finding.limiter in open_ for k in analysis.kernels for la in k.launches) else 0
