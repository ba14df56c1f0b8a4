"""Compiler options of the user, and the command line that NVRTC gets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mutate.errors import KmutateError
from mutate.toolchain.locate import Toolchain, first_stub_dir, stub_dir

_ARCH = re.compile(r"sm_(\d+)([af]?)")
PRELUDE = "kmutate_prelude.h"
HOST_MACROS = {"__linux__": "1", "__x86_64__": "1", "__NVCC__": "1",
               "_POSIX_VERSION": "200809L"}
"""What nvcc defines on Linux and NVRTC does not, and unistd.h, which host code asks for clocks with. (Of ``__GNUC__``
NVRTC's headers conclude that there is a glibc.)"""


@dataclass(frozen=True)
class CompileOptions:
    """What changes the machine code. ``arch`` is a real architecture (``sm_90``); ``defines`` are ``NAME`` or

    ``NAME=VALUE``; ``std`` is a dialect such as ``c++17`` (``None``: NVRTC's default); ``pre_includes`` are read before
    the source; ``extra`` is passed on as it is.
    """

    arch: str = "sm_90"
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    std: str | None = None
    maxrregcount: int | None = None
    use_fast_math: bool = False
    pre_includes: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tolerance:
    """How a source written for nvcc is met, which compiles host code too. See ``nvrtc`` for when each is used."""

    prelude: bool = True
    cccl: bool = False
    limit_groups: bool = True
    unannotated_is_device: bool = False
    minimal: bool = False
    old_dialect: bool = False
    empty_headers: tuple[str, ...] = ()


def check_arch(arch: str) -> None:
    """Raise ``KmutateError`` ``bad-arch`` for what is not a real architecture's name, e.g. ``90`` or ``compute_90``."""
    if not _ARCH.fullmatch(arch):
        digits = re.search(r"\d+[af]?", arch)
        hint = f"write -arch sm_{digits.group(0)}" if digits else "write, for example, -arch sm_90"
        raise KmutateError("bad-arch", f"{arch!r} is not the name of a GPU architecture", hint=hint)


def nvrtc_arguments(options: CompileOptions, tools: Toolchain, tolerance: Tolerance) -> tuple[str, ...]:
    """NVRTC's argument list. Include folders are made absolute, the user's come first and the stand-ins last."""
    arguments = [f"--gpu-architecture={options.arch}"]
    mine = {define.split("=")[0] for define in options.defines}
    arguments += [f"-D{name}={value}" for name, value in HOST_MACROS.items() if name not in mine]
    arguments += [f"-D{define}" for define in options.defines]
    folders = (*options.include_dirs, first_stub_dir(), *tools.include_dirs, stub_dir())
    arguments += [f"-I{Path(folder).absolute()}" for folder in folders]
    if options.std or tolerance.old_dialect:
        arguments.append(f"--std={options.std or 'c++14'}")
    if options.maxrregcount:
        arguments.append(f"--maxrregcount={options.maxrregcount}")
    if options.use_fast_math:
        arguments.append("--use_fast_math")
    if tolerance.prelude:
        arguments.append(f"--pre-include={PRELUDE}")
    arguments += [f"--pre-include={path}" for path in options.pre_includes]
    if tolerance.cccl:
        arguments.append("-DKMUTATE_CCCL")
    if tolerance.limit_groups:
        # cooperative_groups.h then uses its own type traits instead of libcu++'s: 60 ms instead of 1.1 s, same code.
        arguments.append("-D_CG_LIMIT_INCLUDED_DEPENDENCIES")
    if tolerance.unannotated_is_device:
        arguments.append("--device-as-default-execution-space")
    if tolerance.minimal:
        # Without declarations of textures, surfaces and the runtime API: 59 ms instead of 65 ms, same code.
        arguments.append("--minimal")
    # The report on registers and spills comes in the log.
    arguments.append("--ptxas-options=-v")
    return (*arguments, *options.extra)
