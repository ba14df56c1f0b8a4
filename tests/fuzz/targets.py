"""What is fuzzed: each takes bytes, and may end in a result or in one of kmutate's errors; in nothing else."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from mutate.errors import KmutateError
from mutate.frontend.load import SourceOptions, load_unit
from mutate.launch.evaluate import evaluate_all
from mutate.launch.find import declaration_file, find_declarations
from mutate.machines import load_machine
from mutate.pipeline.counting import cache_sizes
from mutate.pipeline.variants import build, requested_mutations
from mutate.propose import propose
from mutate.results import Request
from mutate.sass import operands
from mutate.sass.cfg import build_flow, dominators
from mutate.sass.classes import count_classes
from mutate.sass.disasm import _LINE as LINE
from mutate.sass.disasm import Instruction
from mutate.sass.disasm import _decode as read_back
from mutate.sass.disasm import _encode as written
from mutate.sass.disasm import _split as split
from mutate.sass.guards import guarded
from mutate.sass.lines import line_table, listing_lines
from mutate.sass.loops import find_loops
from mutate.sim.caches import Caches
from mutate.sim.decode import decode
from mutate.sim.image import read_image
from mutate.sim.timing.shares import settings_of
from mutate.toolchain.compile_commands import CompileCommands
from mutate.toolchain.elf import BadCubinError, Cubin
from mutate.toolchain.includes import scan_includes

MOST_KERNELS = 2
(LAUNCH,) = evaluate_all(find_declarations(
    b"/* kmutate launch\n dim3 grid = {4}, block = {128}; float p[512]; k(p);\n*/", "fuzz.cu"), {}, {})


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


def declarations(source: bytes) -> str:
    """As ``launches``, for a file that is one declaration (``--launch``)."""
    try:
        evaluate_all(declaration_file(source, "fuzz.c"), {}, {})
    except KmutateError as error:
        return error.slug
    return "ok"


def cubin(image: bytes, entry: str | None = None) -> str:
    """Everything that reads a cubin. ``entry``: its first kernel where none is given."""
    try:
        read = Cubin(image)
        for name in read.kernel_names:
            read.kernel(name)
        entry = entry or next(iter(read.kernel_names), "k")
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


def printed(data: bytes) -> str:
    """What nvdisasm prints: taken apart, then as ``listing``. Offsets are made those of instructions in a row."""
    text = data.decode("latin-1")
    found = [m.group() for m in LINE.finditer(text)]
    half = 16 * (len(found) // 2)
    with contextlib.suppress(KmutateError):
        split(text, [half, 16 * len(found) - half])
    in_a_row = "\n".join(f"/*{16 * n:04x}*/{line[line.index('*/') + 2:]}" for n, line in enumerate(found))
    (instructions,) = split(in_a_row, [16 * len(found)])
    if read_back(written(instructions)) != instructions:
        raise AssertionError("a listing is not what the cache has of it")
    return listing(instructions)


def machine(source: bytes) -> str:
    """A machine file, and what is reckoned from one before anything runs: caches, settings of the engine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.toml"
        path.write_bytes(source)
        try:
            found = load_machine(path)
            sizes, resident = cache_sizes(found, 32, 1024, 1, LAUNCH)
            Caches(sizes, (), 4, 1, 0)
            settings_of(found, max(1, resident), 1, 1, sizes.l1_bytes, 1000)
        except KmutateError as error:
            return error.slug
    return "ok"


def commands(source: bytes) -> str:
    """A compilation database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "compile_commands.json"
        path.write_bytes(source)
        try:
            CompileCommands(path).options(Path(folder) / "k.cu")
        except KmutateError as error:
            return error.slug
    return "ok"


Target = Callable[[bytes], str]
