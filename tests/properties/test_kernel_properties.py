"""What holds for every kernel: edits touch nothing else, variants parse and compile, identity changes nothing.

``KMUTATE_PROPERTIES=dev`` draws ten times as many kernels, new ones in every run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from kernel_text import SIGNATURE, TAIL, kernel_sources

from mutate.analysis.program import analyse
from mutate.frontend.load import load_unit
from mutate.frontend.units import Function, Unit
from mutate.frontend.view import device_text, host_spans
from mutate.mutations.base import Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import all_mutations, parse_composition
from mutate.sass.disasm import disassemble
from mutate.source import apply_edits
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Compiled, CompileFailed, Job, compile_many

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("kmutate-ci", max_examples=30, derandomize=True, deadline=None, database=None,
                          suppress_health_check=_SLOW)
settings.register_profile("kmutate-dev", max_examples=400, deadline=None, suppress_health_check=_SLOW)
PROFILE = settings.get_profile("kmutate-" + os.environ.get("KMUTATE_PROPERTIES", "ci"))
needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
COMPOSITIONS = ("memory-only+no-sync", "math-only+smem-conflict-free", "math-only+no-sync+smem-broadcast")
# What a generated kernel may lack, or what a mutation rightly does not dare.
REFUSALS = {"no-barrier", "no-shared-access", "no-shared-index", "sync-carries-addresses", "store-read-back"}


def _variants(unit: Unit, kernel: Function) -> Iterator[tuple[str, VariantText | Refused]]:
    program = analyse(unit, kernel)
    for mutation in all_mutations().values():
        yield mutation.id, build_variant(unit, kernel, (mutation,), program)


def _unreadable(function: Function) -> list[str]:
    return [n.text for n in function.body.walk() if n.type == "ERROR"]


@settings(PROFILE)
@given(kernel_sources())
def test_edits_touch_no_byte_outside_their_spans(source: str) -> None:
    unit = load_unit(source.encode(), "generated.cu")
    (kernel,) = unit.kernels
    for mutation, built in _variants(unit, kernel):
        if isinstance(built, Refused):
            event(f"{mutation} refused {built.slug}")
            assert built.slug in REFUSALS, built
            continue
        text = built.text
        assert apply_edits(unit.source, built.edits) == text
        at = new = 0
        for edit in sorted(built.edits, key=lambda e: (e.start, e.end)):
            assert at <= edit.start <= edit.end <= len(unit.source), "edits overlap or leave the file"
            assert unit.source[at:edit.start] == text[new : new + edit.start - at]
            new += edit.start - at
            assert text[new : new + len(edit.text.encode())] == edit.text.encode()
            at, new = edit.end, new + len(edit.text.encode())
        assert unit.source[at:] == text[new:]
        host = unit.source.index(b"int main()")
        assert text.endswith(unit.source[host:]), "host code stays byte for byte"


@settings(PROFILE)
@given(kernel_sources())
def test_a_variant_can_be_read_again(source: str) -> None:
    unit = load_unit(source.encode(), "generated.cu")
    assert not _unreadable(unit.kernels[0]), "the generator writes what the front end reads"
    for mutation, built in _variants(unit, unit.kernels[0]):
        if isinstance(built, VariantText):
            (again,) = load_unit(built.text, "generated.cu").kernels
            assert again.name == "kernel"
            assert [p.name for p in again.params] == [p.name for p in unit.kernels[0].params]
            assert not _unreadable(again), mutation


@dataclass(frozen=True)
class Compilation:
    source: str
    original: Compiled | CompileFailed
    variants: dict[str, Compiled | CompileFailed]
    texts: dict[str, bytes]


@pytest.fixture(scope="module")
def compiled() -> list[Compilation]:
    """A set of kernels with all their variants, compiled in one go."""
    sources: list[str] = []
    seen: set[str] = set()

    # Examples drawn one after the other are often alike: of many, those that bring new lines are taken.
    @settings(PROFILE, max_examples=10 * PROFILE.max_examples, phases=[Phase.generate])
    @given(kernel_sources())
    def collect(source: str) -> None:
        body = source.partition(SIGNATURE)[2].partition(TAIL)[0]
        lines = {line.strip() for line in body.splitlines() if len(line.strip()) > 16}
        if len(sources) < PROFILE.max_examples and len(lines & seen) < len(lines) / 2:
            seen.update(lines)
            sources.append(source)

    collect()
    plans: list[tuple[str, dict[str, bytes]]] = []
    jobs: list[Job] = []
    for number, source in enumerate(sources):
        name = f"generated{number}.cu"
        unit = load_unit(source.encode(), name)
        (kernel,) = unit.kernels
        built = dict(_variants(unit, kernel))
        built[COMPOSITIONS[number % 3]] = build_variant(unit, kernel, parse_composition(COMPOSITIONS[number % 3]))
        texts = {}
        for mutation, variant in built.items():
            if isinstance(variant, VariantText):
                base = variant.unit or unit
                blanked = device_text(base.source, host_spans(base, base.kernels[0], lambda path: True))
                texts[mutation] = apply_edits(blanked, variant.edits)
        blanked = device_text(unit.source, host_spans(unit, kernel, lambda path: True))
        jobs += [Job(text, name, "kernel") for text in (blanked, *texts.values())]
        plans.append((source, texts))
    results = iter(compile_many(jobs))
    return [Compilation(source, next(results), {m: next(results) for m in texts}, texts) for source, texts in plans]


@needs_nvrtc
def test_the_generated_kernels_compile_and_are_not_all_alike(compiled: list[Compilation]) -> None:
    assert len(compiled) > 20
    for c in compiled:
        assert isinstance(c.original, Compiled), f"{c.original.log}\n{c.source}"
    for mutation in (*all_mutations(), *COMPOSITIONS):
        assert sum(mutation in c.variants for c in compiled) >= 2, f"{mutation} is hardly ever applied"
    together = "".join(c.source.partition("__global__")[2] for c in compiled)
    for feature in ("__syncthreads", "for (", "while (", "do {", "switch", "else", "float4 v", "fetch(", "stash(",
                    "SQUARE(", "STORE(", "tile[", "atomicAdd", "*p", "break", "return;"):
        assert feature in together, feature


@needs_nvrtc
def test_every_variant_of_a_compiling_kernel_compiles(compiled: list[Compilation]) -> None:
    failures = [f"{mutation}: {result.error}\n{c.texts[mutation].decode()}" for c in compiled
                for mutation, result in c.variants.items() if isinstance(result, CompileFailed)]
    assert not failures, f"{len(failures)} variants do not compile; the first:\n{failures[0]}"


@needs_nvrtc
def test_identity_has_the_originals_instructions(compiled: list[Compilation]) -> None:
    pairs = [(c.original, c.variants["identity"]) for c in compiled]
    images = [(r.cubin, r.entry) for pair in pairs for r in pair if isinstance(r, Compiled)]
    assert len(images) == 2 * len(compiled)
    listings = disassemble(images, "sm_90")
    for before, after in zip(listings[::2], listings[1::2], strict=True):
        assert len(before) > 10
        assert [str(i) for i in before] == [str(i) for i in after]
