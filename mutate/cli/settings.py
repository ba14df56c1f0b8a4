"""Options that the commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mutate.errors import KmutateError


def parse_settings(values: tuple[str, ...]) -> dict[str, str]:
    """``--set name=value``, repeated. Raises ``KmutateError`` ``bad-setting``."""
    out: dict[str, str] = {}
    for text in values:
        name, eq, value = text.partition("=")
        if not eq or not name.strip():
            raise KmutateError("bad-setting", f"--set takes name=value, not '{text}'", hint="for example --set nx=1024")
        out[name.strip()] = value.strip()
    return out


def compile_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags that CUDA people know, and what overrides a launch declaration: the same for every command."""
    for option in reversed((
            click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Macro definition."),
            click.option("-I", "include_dirs", multiple=True, metavar="DIR", help="Include folder."),
            click.option("-std", "--std", "std", metavar="c++NN", help="C++ dialect. Default: the compiler's."),
            click.option("-maxrregcount", "--maxrregcount", type=click.IntRange(16, 255),
                         help="Register limit per thread."),
            click.option("-use_fast_math", "--use_fast_math", "use_fast_math", is_flag=True,
                         help="As nvcc's flag of that name."),
            click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                         help="Overrides a variable of the launch declaration."),
            click.option("--launch", "launch_file", type=click.Path(path_type=Path),
                         help="File with the launch declaration."))):
        command = option(command)
    return command


def several(machine: str | None) -> tuple[str, ...]:
    """The names in a list with commas; none where it is one machine (or a file whose name has a comma)."""
    if machine is None or "," not in machine or Path(machine).exists():
        return ()
    return tuple(dict.fromkeys(name.strip() for name in machine.split(",") if name.strip()))
