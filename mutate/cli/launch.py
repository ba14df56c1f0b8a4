"""``kmutate launch``: proposes launch declarations from the launches in a file's host code."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mutate.errors import KmutateError
from mutate.files import read_file
from mutate.source import printable

_EPILOG = """\b
Examples:
  kmutate launch kernel.cu
  kmutate launch kernel.cu --write kernel.launch && kmutate simulate kernel.cu --launch kernel.launch
  kmutate launch kernels.cu --host main.cpp
  kmutate launch kernel.cu -k 'reduce.*' --again --json
"""
_DEFAULT_ARCH = "sm_90"
_HEAD = "// Proposed by `kmutate launch`: what is marked as not found is a guess.\n"


@click.command("launch", epilog=_EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-k", "--kernel", "kernels", multiple=True, metavar="NAME|REGEX", help="Only these kernels.")
@click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Macro definition.")
@click.option("-I", "include_dirs", multiple=True, metavar="DIR", help="Include folder.")
@click.option("--compile-commands", "compile_commands", type=click.Path(path_type=Path), metavar="FILE",
              help="compile_commands.json of the build: FILE is read with the options of its entry.")
@click.option("--host", "hosts", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Another source file whose code launches the kernels, or calls what launches them.")
@click.option("--again", is_flag=True, help="Propose although the file has launch declarations.")
@click.option("--write", "output", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the proposal to FILE, for --launch FILE of the other commands.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema kmutate.launch/1).")
def launch_command(file: Path, kernels: tuple[str, ...], defines: tuple[str, ...], include_dirs: tuple[str, ...],
                   compile_commands: Path | None, hosts: tuple[Path, ...], again: bool, output: Path | None,
                   as_json: bool) -> int:
    """Propose launch declarations for FILE from the kernel launches in its host code, to start with.

    Prints one comment for each kernel instance, ready to be pasted above the kernel. What the host code does not say
    is guessed, marked in the text and listed.
    """
    from mutate.cli.settings import Shared
    from mutate.frontend.load import load_unit, read_source
    from mutate.launch.find import find_declarations

    try:
        source = read_source(file)
        declared = find_declarations(source, str(file))
        if declared and not again:
            return _show_declared(file, source, [(d.span.start, d.span.end) for d in declared], as_json)
        from mutate.frontend.whole import includers
        from mutate.pipeline.reading import read_unit
        from mutate.propose import propose, with_host

        shared = Shared(defines, include_dirs, compile_commands, None, None, False, (), None)
        options = shared.request(file, None, _DEFAULT_ARCH).source_options()
        read = read_unit(source, file, options, kernels)
        unit, chosen = read.unit, read.kernels
        for host in hosts or includers(file):
            unit = with_host(unit, load_unit(read_source(host), str(host), options))
        proposals = propose(unit, frozenset(k.qualified for k in chosen) if kernels else None)
        text = "\n".join(p.text for p in proposals.proposals)
        if output is not None:
            _write(output, file, _HEAD + text)
    except KmutateError as error:
        if as_json:
            from mutate.report.launch_document import failure_document

            click.echo(json.dumps(failure_document(str(file), error), indent=1, ensure_ascii=False))
        raise
    if as_json:
        from mutate.report.launch_document import launch_document

        click.echo(json.dumps(launch_document(proposals), indent=1, ensure_ascii=False))
    elif output is None:
        click.echo(printable(text), nl=False)
    from mutate.report.proposals import summary

    for line in summary(proposals, str(output) if output is not None else None):
        click.echo(printable(line), err=True)
    return 0


def _show_declared(file: Path, source: bytes, spans: list[tuple[int, int]], as_json: bool) -> int:
    texts = []
    for start, end in spans:
        opening = max(source.rfind(b"/*", 0, start), source.rfind(b"//", 0, start))
        closing = end + 2 if source[end : end + 2] == b"*/" else end
        texts.append(source[max(opening, 0) : closing].decode(errors="replace"))
    lines = [source.count(b"\n", 0, start) + 1 for start, _ in spans]
    if as_json:
        from mutate.report.launch_document import declared_document

        click.echo(json.dumps(declared_document(str(file), texts), indent=1, ensure_ascii=False))
    else:
        click.echo(printable("\n\n".join(texts)))
    many = f"{len(lines)} launch declarations (lines" if len(lines) > 1 else "a launch declaration (line"
    click.echo(f"{file} has {many} {', '.join(map(str, lines))}); --again proposes one all the same", err=True)
    return 0


def _write(output: Path, file: Path, text: str) -> None:
    """Writes the proposal, but over nothing that is not one itself."""
    try:
        if output.exists() and not read_file(output).startswith(_HEAD.encode()):
            raise KmutateError("exists", f"{output} exists and is no proposal of this command", where=str(output),
                               hint=f"--write another name, for example {file.stem}.launch")
        output.write_text(text, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise KmutateError("output-not-writable", f"cannot write {output}: {error.strerror or error}",
                           where=str(output), hint="--write to a folder that exists and may be written to") from None
