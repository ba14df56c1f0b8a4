"""Kernels for the tests of this folder, compiled and disassembled once a session for each architecture."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mutate.sass.disasm import Instruction, disassemble
from mutate.toolchain.cache import Cache
from mutate.toolchain.elf import Cubin
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

FOLDER = Path(__file__).parent / "kernels"
ARCHS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
# File and name expression of kernels whose barriers keep the compiler from merging or unrolling.
KERNELS = (("fd3d", "fd3d"), ("matmul", "matmul"), ("matmul2", "matmul2"), ("reduce", "reduce"),
           ("reduce_template", "reduce_template<512>"), ("transpose", "transpose"), ("scan", "scan"),
           ("bitonic", "bitonic"), ("histo", "histo"), ("softmax", "softmax"), ("doublebuf", "doublebuf"),
           ("repeat", "repeat"), ("divided", "divided"), ("nbody", "nbody"), ("fp64", "fp64"))
ZOO = ("widths", "atomics", "generic_and_local", "floats", "halves", "integers", "warp", "memory_paths", "tensors")
NO_CACHE = Cache(None)


def source(name: str) -> bytes:
    return (FOLDER / f"{name}.cu").read_bytes()


def compiled(jobs: list[Job]) -> list[Compiled]:
    results = compile_many(jobs, cache=NO_CACHE)
    for result in results:
        assert isinstance(result, Compiled), result.log
    return results


def listings(results: list[Compiled], arch: str) -> list[tuple[Instruction, ...]]:
    return disassemble([(r.cubin, r.entry) for r in results], arch, cache=NO_CACHE)


def build(text: str | bytes, arch: str = "sm_90", entry: str = "k",
          **options: object) -> tuple[Compiled, tuple[Instruction, ...]]:
    data = text if isinstance(text, bytes) else text.encode()
    (result,) = compiled([Job(data, "user.cu", entry, CompileOptions(arch=arch, **options))])
    return result, listings([result], arch)[0]


@cache
def corpus(arch: str) -> dict[str, tuple[Compiled, tuple[Instruction, ...]]]:
    """All kernels of the folder and the families of the zoo, by name."""
    jobs = [Job(source(f), f"{f}.cu", entry, CompileOptions(arch=arch)) for f, entry in KERNELS]
    zoo = [*ZOO, *(["hopper"] if int(arch[3:]) >= 90 else [])]
    results = compiled([*jobs, Job(source("zoo"), "zoo.cu", "widths", CompileOptions(arch=arch))])
    one = results.pop()
    results += [Compiled(**{**vars(one), "entry": name}) for name in zoo]
    names = [f for f, _ in KERNELS] + zoo
    return dict(zip(names, zip(results, listings(results, arch), strict=True), strict=True))


_REGISTERED: dict[str, tuple[bytes, tuple[str, ...]]] = {}


def register(text: str, *extra: str) -> str:
    """Announce a source whose kernel `k` a test will want, so that all are compiled and disassembled together."""
    data = text.encode()
    _REGISTERED[text] = (data, extra)
    return text


@cache
def _batch(arch: str) -> dict[str, tuple[Compiled, tuple[Instruction, ...]]]:
    jobs = [Job(data, "user.cu", "k", CompileOptions(arch=arch, extra=extra)) for data, extra in _REGISTERED.values()]
    results = compiled(jobs)
    return dict(zip(_REGISTERED, zip(results, listings(results, arch), strict=True), strict=True))


def registered(text: str, arch: str) -> tuple[Compiled, tuple[Instruction, ...]]:
    """Result and listing of a registered source."""
    return _batch(arch)[text]


def guard_inputs(result: Compiled) -> dict[str, object]:
    """What guards wants to know of a cubin beside the listing."""
    kernel = Cubin(result.cubin).kernel(result.entry)
    return {"indirect": dict(kernel.indirect_branches), "functions": [offset for _, offset, _ in kernel.functions]}
