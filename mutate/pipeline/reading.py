"""What a request means: the unit and its kernels, also where they stand in files that the user's file includes.

Where they call member functions of classes in such files, these stand in the text, too: their mutated copies go there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from mutate.errors import KmutateError
from mutate.frontend.headers import foreign_folders
from mutate.frontend.load import SourceOptions, load_unit
from mutate.frontend.units import Function, Unit
from mutate.frontend.whole import included_kernels, included_methods, includers, whole_text
from mutate.limits import bounded
from mutate.pipeline.select import select_kernels
from mutate.results import Request

Done = TypeVar("Done")
_MOST_SHOWN = 6
_MOST_INCLUDERS = 3
_MOST_PLACED = 1 << 20
"""Bytes of a file with the classes in it: each variant is as long."""


@dataclass(frozen=True)
class Reading:
    """``source`` is the text that is analysed and edited; ``warnings`` are sentences for the user.

    ``classes``: whether classes of included files stand in it.
    """

    source: bytes
    unit: Unit
    kernels: list[Function]
    warnings: tuple[str, ...] = ()
    classes: bool = False


def read_kernels(request: Request) -> Reading:
    """As ``read_unit`` for all that a request says."""
    return read_unit(request.source(), request.path, request.source_options(), request.kernels, request.classes)


def read_unit(source: bytes, path: Path, options: SourceOptions, wanted: Sequence[str],
              classes: bool = True) -> Reading:
    """The file and the kernels that are meant by names or patterns. Where it has none of them, but files that it

    includes have, these are read as a part of it.

    ``KmutateError`` as ``read_source``, ``load_unit`` and ``select_kernels``.
    """
    unit = load_unit(source, str(path), options)
    try:
        kernels = select_kernels(unit, wanted)
    except KmutateError as error:
        included = included_kernels(unit, options.include_dirs)
        if error.slug not in ("no-kernel", "unknown-kernel") or not included:
            raise
        files = {k.file.name for k in included}
        whole = _placed(unit, files, path, options)
        try:
            kernels = select_kernels(whole, wanted)
        except KmutateError:
            raise error from None
        read = Reading(whole.source, whole, kernels)
        return _with_classes(read, unit, files, path, options) if classes else read
    left = included_kernels(unit, options.include_dirs) if not wanted else []
    read = Reading(source, unit, kernels, _left_out(left))
    return _with_classes(read, unit, set(), path, options) if classes else read


def _placed(unit: Unit, files: set[str], path: Path, options: SourceOptions) -> Unit:
    text, placed = whole_text(unit, files)
    whole = load_unit(text, str(path), options)
    whole.placed = placed
    return whole


def _with_classes(read: Reading, unit: Unit, files: set[str], path: Path, options: SourceOptions) -> Reading:
    """A reading with the classes in place whose member functions will be mutated. ``files`` are in place already."""
    if not included_methods(read.unit, read.kernels, options.include_dirs):
        return read
    from mutate.analysis.included import files_of_classes

    with bounded("rewriting", str(path)):
        found = files_of_classes(read.unit, read.kernels)
    wanted = {n for n in (f.name for f in unit.included) if Path(n).resolve() in {Path(f).resolve() for f in found}}
    named = [k.qualified for k in read.kernels]
    foreign = foreign_folders(options.include_dirs)
    if not wanted or any(str(Path(n).absolute()).startswith(foreign) for n in found):
        return read
    whole = _placed(unit, files | wanted, path, options)
    kernels = [k for k in whole.kernels if k.qualified in named]
    return Reading(whole.source, whole, kernels, read.warnings, True) if len(kernels) == len(named) and \
        len(whole.source) <= _MOST_PLACED else read


def _left_out(kernels: Sequence[Function]) -> tuple[str, ...]:
    if not kernels:
        return ()
    shown = ", ".join(f"{k.qualified} ({Path(k.file.name).name})" for k in kernels[:_MOST_SHOWN])
    more = f" and {len(kernels) - _MOST_SHOWN} more" if len(kernels) > _MOST_SHOWN else ""
    return (f"left alone are the kernels of files that this one includes: {shown}{more}; -k names one",)


def as_included(request: Request, run: Callable[[Request], Done]) -> Done:
    """What ``run`` makes of a request. A file that does not compile by itself is taken as a part of one beside it that

    includes it: ``kernel.cu`` of a ``main.cu``.
    """
    try:
        return run(request)
    except KmutateError as error:
        if error.slug != "original-does-not-compile" or request.text is not None:
            raise
        problem = ""
        for other in includers(request.path)[:_MOST_INCLUDERS]:
            try:
                own = [k.qualified for k in read_kernels(request).kernels]
                return run(replace(request, path=other, kernels=tuple(own)))
            except KmutateError as its:
                problem = problem or f"; as a part of {other}, which includes it: {its.where}: {its.what}"
        if problem:
            error.hint = (error.hint or "") + problem
        raise
