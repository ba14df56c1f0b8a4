"""Which included files define classes whose member functions are mutated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutate.analysis.objects import is_elsewhere
from mutate.analysis.program import FunctionInfo, Program, analyse
from mutate.analysis.symbols import Space
from mutate.frontend.units import Function, Unit


def files_of_classes(unit: Unit, kernels: Sequence[Function]) -> set[str]:
    """Names of the included files with a class that kernels use, and a member function that accesses memory or waits.

    Those with the functions, where these are defined elsewhere.
    """
    return {name for k in kernels for name in _of_kernel(analyse(unit, k))}


def _of_kernel(program: Program) -> Iterator[str]:
    unit = program.unit
    for info in program.functions:
        spec = unit.struct(info.function.owner) if info.function.owner else None
        if spec is not None and is_elsewhere(info.function, spec) and _matters(info):
            yield info.function.file.name
            yield from (f.name for f in unit.included if f.structs.get(info.function.owner) is spec)


def _matters(info: FunctionInfo) -> bool:
    return any(i.sites.barriers or any(a.touches_global or Space.SHARED in a.spaces for a in i.sites.accesses)
               for i in info.reachable())
