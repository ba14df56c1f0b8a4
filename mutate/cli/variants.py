"""``kmutate variants``: one readable .cu per variant, a diff of each, and its certificate."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mutate.cli.settings import compile_options, parse_settings
from mutate.errors import KmutateError
from mutate.model import Outcome, Verdict
from mutate.results import Report, Request

_EPILOG = """\b
Examples:
  kmutate variants kernel.cu
  kmutate variants kernel.cu -k 'reduce.*' -m memory-only -m math-only+no-sync
  kmutate variants kernel.cu -arch=sm_86 -DTILE=32 -I include --json
"""


@click.command("variants", epilog=_EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("kmutate-out"), show_default=True,
              help="Folder for the variants; nothing is written outside it and the cache.")
@click.option("-m", "--mutation", "mutations", multiple=True, metavar="ID[+ID]",
              help="A mutation or a composition of several; may be repeated. Default: all mutations.")
@click.option("-k", "--kernel", "kernels", multiple=True, metavar="NAME|REGEX", help="Only these kernels.")
@click.option("--instance", "instances", multiple=True, metavar="'KERNEL<ARGS>'",
              help="Instance of a template kernel, when no launch declaration names one.")
@click.option("-arch", "--arch", "arch", default="sm_90", show_default=True, metavar="sm_NN", help="Architecture.")
@compile_options
@click.option("--pad", type=click.Choice(["launch", "static"]), default="launch", show_default=True,
              help="Where the shared-memory padding goes: the launch, or the variant's text.")
@click.option("--no-verify", is_flag=True, help="Write the variants only: no compiler, no certificate.")
@click.option("--no-dynamic", is_flag=True, help="Compare instructions only: do not run the variants on the simulator.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema kmutate.variants/1).")
@click.option("--strict", is_flag=True, help="Exit with 1 unless every variant that was not refused is VALID.")
def variants_command(file: Path, output: Path, mutations: tuple[str, ...], kernels: tuple[str, ...],
                     instances: tuple[str, ...], arch: str, defines: tuple[str, ...], include_dirs: tuple[str, ...],
                     std: str | None, maxrregcount: int | None, use_fast_math: bool, settings: tuple[str, ...],
                     launch_file: Path | None, pad: str, no_verify: bool, no_dynamic: bool, as_json: bool,
                     strict: bool) -> int:
    """Rewrite each kernel of FILE into variants that do less, and prove what they still do."""
    try:
        request = Request(file, mutations, kernels, instances, arch, defines, include_dirs, std, maxrregcount,
                          use_fast_math, parse_settings(settings), launch_file, pad, not no_verify, output,
                          not (no_dynamic or no_verify))
        from mutate.pipeline.start import start_compilers  # before what takes longer to load

        start_compilers(request)
        from mutate.pipeline.run import run_variants
        from mutate.report.progress import stage_progress

        with stage_progress() as progress:
            report = run_variants(request, progress)
    except KmutateError as error:
        if as_json:
            from mutate.report.document import failure_document

            click.echo(json.dumps(failure_document(str(file), arch, error), indent=1, ensure_ascii=False))
        raise
    if as_json:
        from mutate.report.document import variants_document

        click.echo(json.dumps(variants_document(report), indent=1, ensure_ascii=False))
    else:
        from mutate.report.terminal import print_variants

        print_variants(report)
    for result in report.kernels:
        if result.error is not None:
            click.echo(str(result.error), err=True)
    return _status(report, strict)


def _status(report: Report, strict: bool) -> int:
    if any(k.error is not None for k in report.kernels):
        return 2
    flat = [v for k in report.kernels for v in k.variants]
    good = all(v.outcome is Outcome.REFUSED or (v.outcome is Outcome.OK and v.certificate is not None
                                                and v.certificate.verdict is Verdict.VALID) for v in flat)
    return 1 if strict and not good else 0
