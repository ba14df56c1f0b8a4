"""``kmutate variants``: one readable .cu per variant, a diff of each, and its certificate."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from mutate.cli.settings import Shared, compile_options
from mutate.errors import KmutateError
from mutate.model import Outcome, Verdict
from mutate.results import Report, Request
from mutate.source import printable

_DEFAULT_ARCH = "sm_90"
_EPILOG = """\b
Examples:
  kmutate variants kernel.cu
  kmutate variants kernel.cu -k 'reduce.*' -m memory-only -m math-only+no-sync
  kmutate variants kernel.cu -arch=sm_86 -DTILE=32 -I include --json
  kmutate variants src/*.cu --compile-commands build/compile_commands.json -k 'gemm'

With several files each gets a folder of its own below the output folder, --json prints one document a line, and a file
without a kernel that -k asks for is passed over.
"""


@click.command("variants", epilog=_EPILOG)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("kmutate-out"), show_default=True,
              help="Folder for the variants; nothing is written outside it and the cache.")
@click.option("-m", "--mutation", "mutations", multiple=True, metavar="ID[+ID]",
              help="A mutation or a composition of several; may be repeated. Default: all mutations.")
@click.option("-k", "--kernel", "kernels", multiple=True, metavar="NAME|REGEX", help="Only these kernels.")
@click.option("--instance", "instances", multiple=True, metavar="'KERNEL<ARGS>'",
              help="Instance of a template kernel, when no launch declaration names one.")
@click.option("-arch", "--arch", "arch", metavar="sm_NN",
              help=f"Architecture. Default: that of --compile-commands, or {_DEFAULT_ARCH}.")
@compile_options
@click.option("--pad", type=click.Choice(["launch", "static"]), default="launch", show_default=True,
              help="Where the shared-memory padding goes: the launch, or the variant's text.")
@click.option("--no-verify", is_flag=True, help="Write the variants only: no compiler, no certificate.")
@click.option("--no-dynamic", is_flag=True, help="Compare instructions only: do not run the variants on the simulator.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema kmutate.variants/1).")
@click.option("--strict", is_flag=True, help="Exit with 1 unless every variant that was not refused is VALID.")
def variants_command(files: tuple[Path, ...], output: Path, mutations: tuple[str, ...], kernels: tuple[str, ...],
                     instances: tuple[str, ...], arch: str | None, shared: Shared, pad: str, no_verify: bool,
                     no_dynamic: bool, as_json: bool, strict: bool) -> int:
    """Rewrite each kernel of the FILEs into variants that do less, and prove what they still do."""
    def request(file: Path, folder: Path) -> Request:
        return shared.request(file, arch, _DEFAULT_ARCH, mutations=mutations, kernels=kernels, instances=instances,
                              pad=pad, verify=not no_verify, output=folder, dynamic=not (no_dynamic or no_verify))

    if len(files) == 1:
        return _status(_run(files[0], partial(request, files[0], output), arch, as_json, 1), strict)
    return _run_several(files, request, output, arch, as_json, strict)


def _run(file: Path, make: Callable[[], Request], arch: str | None, as_json: bool, indent: int | None) -> Report:
    """One file's variants, printed. What is raised is printed as JSON before, where that was asked for."""
    try:
        request = make()
        from mutate.pipeline.start import start_compilers  # before what takes longer to load

        start_compilers(request)
        from mutate.pipeline.run import run_variants
        from mutate.report.progress import stage_progress

        with stage_progress() as progress:
            report = run_variants(request, progress)
    except KmutateError as error:
        if as_json:
            from mutate.report.document import failure_document

            document = failure_document(str(file), arch or _DEFAULT_ARCH, error)
            click.echo(json.dumps(document, indent=indent, ensure_ascii=False))
        raise
    if as_json:
        from mutate.report.document import variants_document

        click.echo(json.dumps(variants_document(report), indent=indent, ensure_ascii=False))
    else:
        from mutate.report.terminal import print_variants

        print_variants(report)
    for result in report.kernels:
        if result.error is not None:
            click.echo(printable(str(result.error)), err=True)
    return report


def _run_several(files: Sequence[Path], request: Callable[[Path, Path], Request], output: Path, arch: str | None,
                 as_json: bool, strict: bool) -> int:
    """Each file by itself: what goes wrong with one does not stop the others. The worst exit code is all files'."""
    codes: list[int] = []
    passed: list[KmutateError] = []
    for file, folder in zip(files, _folders(files), strict=True):
        if not as_json:
            click.echo(printable(f"== {file}"))
        try:
            report = _run(file, partial(request, file, output / folder), arch, as_json, None)
            codes.append(_status(report, strict))
        except KmutateError as error:
            if error.slug in _NO_SUCH_KERNEL:
                passed.append(error)
                click.echo(printable(f"passed over: {error.what}"), err=True)
            else:
                codes.append(error.exit_code)
                click.echo(printable(str(error)), err=True)
    if not codes and passed:
        raise passed[0]
    return max(codes, default=0)


_NO_SUCH_KERNEL = frozenset({"no-kernel", "unknown-kernel"})


def _folders(files: Sequence[Path]) -> list[str]:
    """A folder name for each file: its stem, with a number where several files have the same."""
    out: list[str] = []
    for file in files:
        name, number = file.stem, 1
        while name in out:
            number += 1
            name = f"{file.stem}-{number}"
        out.append(name)
    return out


def _status(report: Report, strict: bool) -> int:
    if any(k.error is not None for k in report.kernels):
        return 2
    flat = [v for k in report.kernels for v in k.variants]
    good = all(v.outcome is Outcome.REFUSED or (v.outcome is Outcome.OK and v.certificate is not None
                                                and v.certificate.verdict is Verdict.VALID) for v in flat)
    return 1 if strict and not good else 0
