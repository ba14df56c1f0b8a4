"""``kmutate doctor``: what is installed and works, what is missing, and what the GPU reaches."""

from __future__ import annotations

import json

import click

_EPILOG = """\b
Exit code 2 when something is missing that `kmutate variants` needs.
The GPU is measured once; --again does it anew, after another driver for example.
"""


@click.command("doctor", epilog=_EPILOG)
@click.option("--no-measure", is_flag=True, help="Do not measure what the GPU reaches.")
@click.option("--again", is_flag=True, help="Measure again what is kept from an earlier time.")
@click.option("--device", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Number of the GPU.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema kmutate.doctor/1).")
def doctor_command(no_measure: bool, again: bool, device: int, as_json: bool) -> int:
    """Say what is installed and works, what is missing and what to do about it, and what the GPU reaches."""
    from mutate.pipeline.doctor import diagnose
    from mutate.report.doctor import doctor_document, print_doctor
    from mutate.report.progress import stage_progress

    with stage_progress() as progress:
        diagnosis = diagnose(not no_measure, again, device, progress)
    if as_json:
        click.echo(json.dumps(doctor_document(diagnosis), indent=1, ensure_ascii=False))
    else:
        print_doctor(diagnosis)
    return 2 if diagnosis.lacking else 0
