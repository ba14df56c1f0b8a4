"""``kmutate list`` and ``kmutate explain``: generated from the declarations of mutations, devices and
machines."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mutate.errors import KmutateError, nearest
from mutate.mutations.registry import all_mutations


@click.command("list")
@click.argument("what", type=click.Choice(["mutations", "samples", "archs", "machines"]), default="mutations")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_command(what: str, as_json: bool) -> int:
    """List what kmutate knows: mutations (default), samples, archs or machines."""
    rows = {"mutations": _mutations, "samples": _samples, "archs": _archs,
            "machines": _machines}[what]()
    if as_json:
        click.echo(json.dumps({"schema": "kmutate.list/1", "what": what, "items": [
            {"id": a, "summary": b} for a, b in rows]}, indent=1))
        return 0
    from mutate.report.terminal import print_pairs

    if what == "samples":
        from mutate.resources import samples_dir

        click.echo(f"in {samples_dir()}/:")
        rows = [(Path(path).name, summary) for path, summary in rows]
    print_pairs(rows)
    return 0


def _mutations() -> list[tuple[str, str]]:
    return [(m.id, m.summary) for m in all_mutations().values()]


def _samples() -> list[tuple[str, str]]:
    from mutate.resources import samples_dir

    out = []
    for path in sorted(samples_dir().glob("*.cu")):
        text = path.read_text(errors="replace")
        _, found, rest = text.partition("Teaches:")
        teaches = " ".join(rest.split("\n\n")[0].replace("*", " ").replace("//", " ").split()) if found else ""
        out.append((str(path), teaches.partition(". ")[0]))
    return out


def _archs() -> list[tuple[str, str]]:
    from mutate.occupancy import device_for, known_capabilities

    out = []
    for cc in known_capabilities():
        d = device_for(cc)
        out.append((f"sm_{cc[0]}{cc[1]}", f"{d.threads_per_sm} threads, {d.blocks_per_sm} blocks, "
                                          f"{d.registers_per_sm} registers per SM"))
    return out


def _machines() -> list[tuple[str, str]]:
    from mutate.machines import all_machines

    out = []
    for m in all_machines():
        known = [f"{m.get(key)}{what}" for key, what in (("sm.count", " SMs"), ("clock.boost", ""),
                                                          ("dram.peak_bandwidth", "")) if m.get(key)]
        state = "calibrated" if m.calibrated else "not calibrated"
        out.append((m.name, f"{m.title}: {m.arch}, {', '.join(known)}; {state}"
                    + (f"; projection from {m.arch} code" if m.projection else "")))
    return out


@click.command("explain")
@click.argument("name")
def explain_command(name: str) -> int:
    """Explain a mutation: what it keeps, what it removes, how, with an example before and after."""
    known = all_mutations()
    mutation = known.get(name)
    if mutation is None:
        near = nearest(name, known)
        raise KmutateError("unknown-mutation", f"no mutation is called '{name}'",
                           hint=(f"did you mean '{near}'? " if near else "") + "see `kmutate list mutations`")
    from mutate.report.terminal import print_mutation

    print_mutation(mutation)
    return 0
