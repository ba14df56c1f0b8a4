"""Runs binaries and says which line of the kernel touched how many sectors: where two of them part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mutate.dynamic import LIMIT_INSTRUCTIONS, SPACES, Binary, plan_blocks
from mutate.errors import KmutateError
from mutate.launch.model import Launch
from mutate.sass.classes import class_of
from mutate.sass.lines import listing_lines
from mutate.sim import layout as lay
from mutate.sim.image import read_image
from mutate.sim.run import Simulation, sample_blocks

_KINDS = {"load": ("global_load",), "write": ("global_store", "global_atomic", "global_reduction")}
_OF_MUTATION = {"memory-only": ("load", "write"), "load-only": ("load",), "store-only": ("write",)}
_SPACES = {"load": ("global_load",), "write": ("global_store", "global_atomic")}
_INSTRUCTION_BYTES = 16
Apart = dict[int, float]


@dataclass(frozen=True)
class ByLine:
    """``sectors`` of global memory by line of the kernel (where inlined code was called) and kind of access;

    ``multisets`` as in ``Summary``; ``instructions`` of warps.
    """

    sectors: Mapping[tuple[int, str], int]
    multisets: tuple[tuple[int, ...], ...]
    instructions: int
    calls: frozenset[int]
    """Lines with a call."""


def run_by_line(binary: Binary, launches: Sequence[Launch], blocks: Sequence[int], budget: int = LIMIT_INSTRUCTIONS
                ) -> ByLine | None:
    """Runs ``blocks`` blocks of each launch; the cubin has line information. ``None`` where the run fails."""
    image = read_image(binary.cubin, binary.entry)
    lines = listing_lines(binary.cubin, binary.entry)
    kinds = [next((kind for kind, names in _KINDS.items() if class_of(i).startswith(names)), None)
             for i in binary.listing]
    sectors: Counter[tuple[int, str]] = Counter()
    sums = [[0] * 4 for _ in SPACES]
    instructions = 0
    for launch, count in zip(launches, blocks, strict=True):
        try:
            run = Simulation(image, binary.listing, launch, extra_smem=binary.extra_smem, budget=budget)
            counts = run.run(sample_blocks(launch.grid, count)).counts
        except KmutateError:
            return None
        touched = counts.per_instruction[:, lay.SECTORS].tolist()
        for n, (kind, many) in enumerate(zip(kinds, touched, strict=True)):
            if kind is not None and many:
                place = lines.get(n * _INSTRUCTION_BYTES)
                sectors[place.outermost[1] if place is not None else 0, kind] += many
        instructions += int(counts.per_instruction[:, lay.EXECUTED].sum())
        for row, more in zip(sums, counts.multisets.tolist(), strict=True):
            for k in range(4):
                row[k] = (row[k] + more[k]) % 2**64
    calls = {place.outermost[1] for n, i in enumerate(binary.listing) if i.name == "CALL"
             and (place := lines.get(n * _INSTRUCTION_BYTES)) is not None}
    return ByLine(sectors, tuple(map(tuple, sums)), instructions, frozenset(calls))


def sample(original: Binary, launches: Sequence[Launch], runs: int) -> tuple[int, ...] | None:
    """How many blocks of each launch ``runs`` runs may take."""
    first = run_by_line(original, launches, [1] * len(launches))
    if first is None:
        return None
    return tuple(plan_blocks(first.instructions, runs, la.grid[0] * la.grid[1] * la.grid[2]) for la in launches)


def apart(mutation: str, original: Mapping[tuple[int, str], int], variant: Mapping[tuple[int, str], int]) -> Apart:
    """By line, how many sectors of the kinds that the mutation keeps one of the two has more."""
    out: Apart = {}
    for line, kind in original.keys() | variant.keys():
        many = abs(original.get((line, kind), 0) - variant.get((line, kind), 0))
        if many and kind in _OF_MUTATION[mutation]:
            out[line] = out.get(line, 0.0) + many
    return out


def same(mutation: str, original: ByLine, variant: ByLine) -> bool:
    """Whether both touch the same sectors as often, of the kinds that the mutation keeps."""
    names = [n for kind in _OF_MUTATION[mutation] for n in _SPACES[kind]]
    return all(original.multisets[SPACES.index(n)] == variant.multisets[SPACES.index(n)] for n in names)
