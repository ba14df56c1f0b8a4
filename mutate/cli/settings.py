"""Options that the commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mutate.errors import KmutateError
from mutate.results import Request

if TYPE_CHECKING:
    from mutate.toolchain.compile_commands import CompileCommands


def parse_settings(values: tuple[str, ...]) -> dict[str, str]:
    """``--set name=value``, repeated. Raises ``KmutateError`` ``bad-setting``."""
    out: dict[str, str] = {}
    for text in values:
        name, eq, value = text.partition("=")
        if not eq or not name.strip():
            raise KmutateError("bad-setting", f"--set takes name=value, not '{text}'", hint="for example --set nx=1024")
        out[name.strip()] = value.strip()
    return out


@dataclass(frozen=True)
class Shared:
    """The values of the shared options, as they were given."""

    defines: tuple[str, ...]
    include_dirs: tuple[str, ...]
    compile_commands: Path | None
    std: str | None
    maxrregcount: int | None
    use_fast_math: bool
    settings: tuple[str, ...]
    launch_file: Path | None

    def request(self, file: Path, arch: str | None, default_arch: str | None = None, *,
                mutations: tuple[str, ...] = (), kernels: tuple[str, ...] = (), instances: tuple[str, ...] = (),
                **more: Any) -> Request:
        """The request for one file, with the options that its build compiles it with.

        What the command line says comes first; its definitions take the place of those of the same name. ``arch`` is
        the command line's. With a ``default_arch`` the build's comes next, and this where nobody names one; without,
        where it runs decides. Raises ``KmutateError`` as ``CompileCommands``, and ``bad-setting``.
        """
        defines, include_dirs, std = self.defines, self.include_dirs, self.std
        registers, fast = self.maxrregcount, self.use_fast_math
        pre_includes: tuple[str, ...] = ()
        if self.compile_commands is not None:
            build = _database(self.compile_commands).options(file)
            mine = {d.partition("=")[0] for d in defines}
            defines = (*(d for d in build.defines if d.partition("=")[0] not in mine), *defines)
            include_dirs = (*include_dirs, *build.include_dirs)
            std, registers = std or build.std, registers or build.maxrregcount
            fast, pre_includes = fast or build.use_fast_math, build.pre_includes
            if default_arch is not None and arch is None:
                arch = build.arch
        named = arch if arch is not None else default_arch or ""
        return Request(file, mutations, kernels, instances, named, defines, include_dirs, std, registers, fast,
                       parse_settings(self.settings), self.launch_file, pre_includes=pre_includes, **more)


@functools.cache
def _database(path: Path) -> CompileCommands:
    from mutate.toolchain.compile_commands import CompileCommands

    return CompileCommands(path)


_OPTIONS = (
    click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Macro definition."),
    click.option("-I", "include_dirs", multiple=True, metavar="DIR", help="Include folder."),
    click.option("--compile-commands", "compile_commands", type=click.Path(path_type=Path), metavar="FILE",
                 help="compile_commands.json of the build: FILE is compiled with the options of its entry."),
    click.option("-std", "--std", "std", metavar="c++NN", help="C++ dialect. Default: the compiler's."),
    click.option("-maxrregcount", "--maxrregcount", type=click.IntRange(16, 255), help="Register limit per thread."),
    click.option("-use_fast_math", "--use_fast_math", "use_fast_math", is_flag=True,
                 help="As nvcc's flag of that name."),
    click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                 help="Overrides a variable of the launch declaration."),
    click.option("--launch", "launch_file", type=click.Path(path_type=Path), help="File with the launch declaration."),
)


def compile_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags that CUDA people know, and what overrides a launch declaration: the same for every command.

    The command gets them together, as ``shared``.
    """
    @functools.wraps(command)
    def call(**values: Any) -> Any:
        shared = Shared(**{name: values.pop(name) for name in Shared.__dataclass_fields__})
        return command(shared=shared, **values)

    out: Callable[..., Any] = call
    for option in reversed(_OPTIONS):
        out = option(out)
    return out


def several(machine: str | None) -> tuple[str, ...]:
    """The names in a list with commas; none where it is one machine (or a file whose name has a comma)."""
    if machine is None or "," not in machine or Path(machine).exists():
        return ()
    return tuple(dict.fromkeys(name.strip() for name in machine.split(",") if name.strip()))
