"""What a request means: the unit and its kernels, also where they stand in files that the user's file includes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from mutate.errors import KmutateError
from mutate.frontend.load import SourceOptions, load_unit
from mutate.frontend.units import Function, Unit
from mutate.frontend.whole import included_kernels, includers, whole_text
from mutate.pipeline.select import select_kernels
from mutate.results import Request

Done = TypeVar("Done")
_MOST_SHOWN = 6
_MOST_INCLUDERS = 3


@dataclass(frozen=True)
class Reading:
    """``source`` is the text that is analysed and edited; ``warnings`` are sentences for the user."""

    source: bytes
    unit: Unit
    kernels: list[Function]
    warnings: tuple[str, ...] = ()


def read_kernels(request: Request) -> Reading:
    """As ``read_unit`` for all that a request says."""
    return read_unit(request.source(), request.path, request.source_options(), request.kernels)


def read_unit(source: bytes, path: Path, options: SourceOptions, wanted: Sequence[str]) -> Reading:
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
        text, placed = whole_text(unit, included)
        whole = load_unit(text, str(path), options)
        whole.placed = placed
        try:
            return Reading(text, whole, select_kernels(whole, wanted))
        except KmutateError:
            raise error from None
    left = included_kernels(unit, options.include_dirs) if not wanted else []
    return Reading(source, unit, kernels, _left_out(left))


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
        for other in includers(request.path)[:_MOST_INCLUDERS]:
            try:
                own = [k.qualified for k in read_kernels(request).kernels]
                return run(replace(request, path=other, kernels=tuple(own)))
            except KmutateError:
                continue
        raise
