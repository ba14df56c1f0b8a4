"""The kernels of our own that the GPU backend needs, compiled for the GPU that there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from mutate.errors import KmutateError
from mutate.launch.fills import FillRule
from mutate.resources import templates_dir
from mutate.toolchain.nvrtc import Compiled, CompileFailed, Job, compile_many
from mutate.toolchain.options import CompileOptions


def arch_of(capability: tuple[int, int]) -> str:
    return "sm_{}{}".format(*capability)


def template_text(*parts: str) -> bytes:
    """The text of template files, one after the other."""
    return b"".join((templates_dir() / part).read_bytes() for part in parts)


def compiled(jobs: Sequence[Job]) -> list[Compiled]:
    """Raises ``KmutateError`` as ``compile_many`` does, and ``gpu-tools`` where a kernel of ours does not compile."""
    out = []
    for job, result in zip(jobs, compile_many(jobs), strict=True):
        if isinstance(result, CompileFailed):
            raise KmutateError("gpu-tools", f"{Path(job.name).name}, which kmutate needs on the GPU, does not compile "
                               f"for {job.options.arch}: {result.error.message}",
                               hint="`kmutate doctor` says which compiler is used")
        out.append(result)
    return out


def tool_cubin(capability: tuple[int, int]) -> bytes:
    """The empty kernel, the pause and the flush of L2 (``templates/backends/tools.cu``)."""
    options = CompileOptions(arch_of(capability))
    return compiled([Job(template_text("backends/tools.cu"), "tools.cu", "kmutate_empty", options)])[0].cubin


def fill_kernels(capability: tuple[int, int], rules: Iterable[FillRule]) -> dict[tuple[str, str], Compiled]:
    """By element and functor, the kernels that make the first contents of arrays."""
    pairs = list(dict.fromkeys((r.element, r.functor) for r in rules))
    source = template_text("bench/data.cuh.j2", "backends/fill.cu")
    # Products and sums are rounded one by one, as NumPy does it; one host function in the text has no annotation.
    options = CompileOptions(arch_of(capability), extra=("--fmad=false", "--device-as-default-execution-space"))
    jobs = [Job(source, "fill.cu", f"kmb::fill_kernel<{element}, kmb::{functor}>", options)
            for element, functor in pairs]
    return dict(zip(pairs, compiled(jobs), strict=True))


def module_kernels(name: str, entries: Sequence[str], capability: tuple[int, int]) -> Compiled:
    """A template file with ``extern "C"`` kernels, which all are in the one cubin."""
    return compiled([Job(template_text(name), Path(name).name, entries[0], CompileOptions(arch_of(capability)))])[0]
