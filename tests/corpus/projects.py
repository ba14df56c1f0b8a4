"""Reads a folder of CUDA projects: its files, their include folders, their kernels, and how a stubborn one compiles."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from instances import Includes, Project

from mutate.errors import KmutateError
from mutate.frontend.load import SourceOptions, load_unit, read_source
from mutate.frontend.units import Function, Unit
from mutate.frontend.whole import included_kernels, whole_text

SUFFIXES = (".cu", ".cuh")
HEADERS = (".h", ".hpp", ".inl", ".cpp", ".cc")
# Stand-ins for headers and names of host libraries, which NVRTC does not have.
HOST = Path(__file__).resolve().parent / "host"


@dataclass(frozen=True)
class Way:
    """How an original is compiled: as it stands, with names of host libraries declared, as an older dialect."""

    include_dirs: tuple[str, ...] = ()
    pre_includes: tuple[str, ...] = ()
    std: str | None = None


AS_IT_STANDS = Way()
_WITH_HOST_NAMES = Way((str(HOST),), (str(HOST / "host_names.h"),))
_OLDER = Way((str(HOST),), std="c++14")


def other_way(log: str) -> Way:
    """What to try after a first failure with a compiler's message. ``register`` is no C++17."""
    return _OLDER if '"register" storage class' in log else _WITH_HOST_NAMES


def note(text: str) -> None:
    """One line of progress on stderr, in place of the one before."""
    print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def find_files(root: Path, headers: bool) -> list[Path]:
    """CUDA sources; with ``headers`` also others that define a kernel."""
    found = [p for p in root.rglob("*") if p.suffix in SUFFIXES and p.is_file()]
    if headers:
        found += [p for p in root.rglob("*") if p.suffix in HEADERS and p.is_file()
                  and re.search(rb"^[^/*\n]*\b__global__\b", p.read_bytes(), re.MULTILINE)]
    return sorted(found)


@dataclass(frozen=True)
class Found:
    """A kernel of a project with the instances that it uses. ``folders`` are the include folders of its file."""

    path: Path
    unit: Unit
    function: Function
    folders: tuple[str, ...]
    instances: Sequence[str | None]


def _with_included(unit: Unit, path: Path, options: SourceOptions, files: Sequence[Path]) -> Unit:
    """A file without a kernel that includes some, of files that are no sources by themselves: with them in place."""
    known = {p.resolve() for p in files}
    found = [k for k in included_kernels(unit, options.include_dirs) if Path(k.file.name).resolve() not in known]
    text = whole_text(unit, {k.file.name for k in found})[0] if found and not unit.kernels else b""
    return load_unit(text, str(path), options) if text else unit


def read_project(root: Path, arch: str, most: int, problems: list[str], *, headers: bool = False,
                 progress: Callable[[int, int], None] = lambda done, of: None) -> Iterator[Found]:
    """All kernels of a project, templates with at most so many instances. ``problems`` gets what cannot be read."""
    includes = Includes(root)
    files = find_files(root, headers)
    project = Project()
    units: list[tuple[Path, Unit, tuple[str, ...]]] = []
    for number, path in enumerate(files):
        progress(number, len(files))
        folders = includes.folders(path)
        try:
            options = SourceOptions((), folders, arch)
            unit = _with_included(load_unit(read_source(path), str(path), options), path, options, files)
        except (KmutateError, OSError) as error:
            problems.append(f"{path}: {error}")
            continue
        units.append((path, unit, folders))
        project.units.append(unit)
    project.index()
    for path, unit, folders in units:
        for k in unit.kernels:
            if not k.is_method:
                yield Found(path, unit, k, folders, project.instances(k, most))
