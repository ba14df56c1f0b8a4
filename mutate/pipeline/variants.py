"""All variants of the kernels of a file: made, compiled, and turned into results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutate.analysis.program import Program, analyse
from mutate.frontend.load import SourceOptions
from mutate.frontend.units import Function, Unit
from mutate.limits import bounded
from mutate.mutations.base import Mutation, Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import all_mutations, parse_composition
from mutate.pipeline.compiling import Compiling, device_source
from mutate.results import Request
from mutate.source import apply_edits


def requested_mutations(request: Request) -> list[tuple[Mutation, ...]]:
    """The compositions of a request; all single mutations when it names none."""
    if not request.mutations:
        return [(m,) for m in all_mutations().values()]
    return list(dict.fromkeys(parse_composition(text) for text in request.mutations))


@dataclass(frozen=True)
class Variant:
    """A composition applied to a kernel; ``source`` is what NVRTC gets, empty without a text."""

    mutations: tuple[Mutation, ...]
    text: VariantText | Refused
    source: bytes

    @property
    def name(self) -> str:
        return "+".join(m.id for m in self.mutations)


@dataclass(frozen=True)
class Built:
    """One kernel: what NVRTC gets of the original, and its variants."""

    source: bytes
    variants: tuple[Variant, ...]


def build(unit: Unit, kernel: Function, compositions: Sequence[tuple[Mutation, ...]], options: SourceOptions,
          compiling: Compiling | None, instances: tuple[str, ...] = ()) -> Built:
    """Makes all variants of a kernel; each is compiled while the next one is made. Raises as ``limits.bounded``.

    ``instances``: template arguments that it is compiled with, where they decide what is called.
    """
    with bounded("rewriting", unit.main.name):
        return _build(unit, kernel, compositions, options, compiling, instances)


def _build(unit: Unit, kernel: Function, compositions: Sequence[tuple[Mutation, ...]], options: SourceOptions,
           compiling: Compiling | None, instances: tuple[str, ...]) -> Built:
    blanked = device_source(unit, kernel)
    if compiling is not None:
        compiling.early(kernel, blanked)
    program: Program = analyse(unit, kernel, instances)
    variants: list[Variant] = []
    for mutations in compositions:
        text = build_variant(unit, kernel, mutations, program, options)
        if isinstance(text, Refused):
            variants.append(Variant(mutations, text, b""))
            continue
        base = blanked
        if text.unit is not None and text.unit is not unit:
            base = device_source(text.unit, next(k for k in text.unit.kernels if k.qualified == kernel.qualified))
        variants.append(Variant(mutations, text, apply_edits(base, text.edits)))
        if compiling is not None:
            compiling.early(kernel, variants[-1].source)
    return Built(blanked, tuple(variants))
