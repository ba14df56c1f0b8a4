"""``kmutate calibrate``: measures the GPU and writes it as a machine file."""

from __future__ import annotations

from pathlib import Path

import click

_EPILOG = """\b
Takes some seconds; nothing else should use the GPU.
The file is what --machine takes. Each value says whether it was measured or is from another file.
"""


@click.command("calibrate", epilog=_EPILOG)
@click.option("--device", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Number of the GPU.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.toml",
              help="Where to write the machine; NAME.toml in this folder if left out.")
@click.option("--base", metavar="NAME",
              help="Machine (name or file) whose values stand where none is measured; by the GPU's name if left out.")
@click.option("--name", metavar="NAME", help="The machine's name in the file.")
@click.option("--results", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.json",
              help="Also keep what each launch gave.")
@click.option("--from", "recorded", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.json",
              help="Measure nothing; take what --results kept.")
def calibrate_command(device: int, output: Path | None, base: str | None, name: str | None, results: Path | None,
                      recorded: Path | None) -> int:
    """Measure latencies, rates and bandwidths of the GPU and write them as a machine file."""
    from mutate.errors import KmutateError
    from mutate.pipeline.calibrate import calibrate
    from mutate.report.progress import stage_progress

    with stage_progress() as progress:
        done = calibrate(f"kmutate calibrate --device {device}", device=device, base=base, name=name, recorded=recorded,
                         progress=progress)
    path = output or Path(f"{done.name}.toml")
    for target, text in ((results, done.recording.text()), (path, done.text)):
        if target is None:
            continue
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise KmutateError("output-not-writable", f"cannot write {target}: {error.strerror}",
                               hint="pass another file") from None
    known = f", the rest from {done.base.title}" if done.base else ""
    click.echo(f"{path}: {len(done.constants)} values measured on {done.recording.gpu.name}{known}.")
    for launch, why in done.recording.failed.items():
        click.echo(f"not measured: {launch}: {why}", err=True)
    click.echo(f"Use it with --machine {path}")
    return 0
