"""``kmutate simulate``: executes the compiled kernels without a GPU and prints what a profiler would count."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mutate.cli.settings import Shared, compile_options
from mutate.errors import KmutateError
from mutate.simulated import CHECKS, SimulateReport, SimulateRequest
from mutate.source import printable

if TYPE_CHECKING:
    from mutate.machines import Machine

_EPILOG = """\b
Examples:
  kmutate simulate kernel.cu
  kmutate simulate kernel.cu -k 'reduce.*' --set n=65536 --blocks all --by-line
  kmutate simulate kernel.cu --check races,uninitialized
  kmutate simulate kernel.cu --machine c2050 --dlcm cg --json
"""
_DEFAULT_ARCH = "sm_90"


class _Blocks(click.ParamType[int]):
    """A number of blocks, or ``all``."""

    name = "N|all"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if text == "all":
            return 0
        # isdecimal: a superscript two is a digit, and no number.
        if text.isdecimal() and 0 < len(text) < 19 and int(text) > 0:
            return int(text)
        self.fail(f"'{value}' is neither a number of blocks from 1 nor 'all'", param, ctx)


def _checks(text: str) -> tuple[str, ...]:
    chosen = tuple(part.strip() for part in text.split(",") if part.strip())
    for name in chosen:
        if name not in CHECKS:
            raise KmutateError("unknown-check", f"--check has no '{name}'", hint=f"it takes {','.join(CHECKS)}")
    return chosen


def _machine(name: str | None, arch: str | None) -> tuple[Machine | None, str]:
    """The machine whose caches and rules are used, and the architecture that is compiled for."""
    from mutate.machines import default_machine, load_machine

    if name is None:
        return default_machine(arch or _DEFAULT_ARCH), arch or _DEFAULT_ARCH
    machine = load_machine(name)
    return machine, arch or machine.arch


@click.command("simulate", epilog=_EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-k", "--kernel", "kernels", multiple=True, metavar="NAME|REGEX", help="Only these kernels.")
@click.option("--instance", "instances", multiple=True, metavar="'KERNEL<ARGS>'",
              help="Only this instance of a template kernel.")
@click.option("-arch", "--arch", "arch", metavar="sm_NN",
              help=f"Architecture. Default: the machine's, or {_DEFAULT_ARCH}.")
@compile_options
@click.option("--blocks", type=_Blocks(), metavar="N|all",
              help="How many blocks of each grid run. Default: as many as take a second or two, spread over the grid.")
@click.option("--budget", type=click.IntRange(1), metavar="N",
              help="End a launch after N warp instructions. Default: 200 million.")
@click.option("--by-line", is_flag=True, help="Counters of every source line, too.")
@click.option("--machine", "machine_name", metavar="NAME|FILE",
              help="Whose caches and rules are used; see `kmutate list machines`. Default: one of the architecture.")
@click.option("-dlcm", "--dlcm", type=click.Choice(["ca", "cg"]), default="ca", show_default=True,
              help="Global loads go through L1 (ca) or around it (cg).")
@click.option("--check", "check", default="", metavar="WHAT",
              help=f"Look for problems of shared memory: {','.join(CHECKS)}. Exit code 1 when there are any.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema kmutate.counters/1).")
def simulate_command(file: Path, kernels: tuple[str, ...], instances: tuple[str, ...], arch: str | None,
                     shared: Shared, blocks: int | None, budget: int | None, by_line: bool, machine_name: str | None,
                     dlcm: str, check: str, as_json: bool) -> int:
    """Execute the kernels of FILE without a GPU and count what they do, by the launches that FILE declares."""
    named = arch or _DEFAULT_ARCH
    try:
        source = shared.request(file, arch, kernels=kernels, instances=instances)
        machine, named = _machine(machine_name, arch)
        source = replace(source, arch=named)
        request = SimulateRequest(source, machine_name, blocks, budget, by_line, dlcm, _checks(check))
        from mutate.pipeline.start import start_compilers  # before what takes longer to load

        start_compilers(source, "simulate")
        from mutate.pipeline.simulate import run_simulation
        from mutate.report.progress import stage_progress

        with stage_progress() as progress:
            report = run_simulation(request, machine, progress)
    except KmutateError as error:
        if as_json:
            from mutate.report.counts_document import failure_document

            click.echo(json.dumps(failure_document(str(file), named, error), indent=1, ensure_ascii=False))
        raise
    if as_json:
        from mutate.report.counts_document import counters_document

        click.echo(json.dumps(counters_document(report), indent=1, ensure_ascii=False))
    else:
        from mutate.report.counts import print_counts

        print_counts(report)
    for kernel in report.kernels:
        if kernel.error is not None:
            click.echo(printable(str(kernel.error)), err=True)
    return _status(report)


def _status(report: SimulateReport) -> int:
    if any(k.error is not None for k in report.kernels):
        return 2
    return 1 if any(la.problems for k in report.kernels for la in k.launches) else 0
