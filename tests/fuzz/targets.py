"""What is fuzzed: each takes bytes, and may end in a result or in one of kmutate's errors; in nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from mutate.errors import KmutateError
from mutate.frontend.load import SourceOptions, load_unit
from mutate.launch.evaluate import evaluate_all
from mutate.launch.find import find_declarations
from mutate.pipeline.variants import build, requested_mutations
from mutate.propose import propose
from mutate.results import Request
from mutate.sass import operands
from mutate.sass.cfg import build_flow, dominators
from mutate.sass.classes import count_classes
from mutate.sass.disasm import Instruction
from mutate.sass.guards import guarded
from mutate.sass.lines import line_table, listing_lines
from mutate.sass.loops import find_loops
from mutate.sim.decode import decode
from mutate.sim.image import read_image
from mutate.toolchain.elf import BadCubinError, Cubin
from mutate.toolchain.includes import scan_includes

MOST_KERNELS = 2


def frontend(source: bytes) -> str:
    """Everything up to the variants' text."""
    try:
        unit = load_unit(source, "fuzz.cu")
        scan_includes(source, "fuzz.cu", (), ())
        for kernel in list(unit.kernels)[:MOST_KERNELS]:
            build(unit, kernel, requested_mutations(Request(Path("fuzz.cu"))), SourceOptions(), None)
        propose(unit)
    except KmutateError as error:
        return error.slug
    return "ok"


def launches(source: bytes) -> str:
    try:
        evaluate_all(find_declarations(source, "fuzz.cu"), {}, {})
    except KmutateError as error:
        return error.slug
    return "ok"


def cubin(image: bytes, entry: str) -> str:
    """Everything that reads a cubin."""
    try:
        read = Cubin(image)
        for name in read.kernel_names:
            read.kernel(name)
        read.constant_offset("km_flag")
        read_image(image, entry)
        line_table(image, entry)
        listing_lines(image, entry)
    except BadCubinError:
        return "bad cubin"
    except KmutateError as error:
        return error.slug
    return "ok"


def listing(instructions: Sequence[Instruction]) -> str:
    """Everything that reads a listing: classes, control flow, guards, the simulator's decoder."""
    try:
        count_classes(instructions)
        operands.division_helpers(instructions)
        dominators(build_flow(instructions))
        find_loops(instructions)
        guarded(instructions, 0)
        decode(instructions, {0: bytes(1024)})
    except KmutateError as error:
        return error.slug
    return "ok"


Target = Callable[[bytes], str]
