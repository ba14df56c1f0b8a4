"""What fuzzing begins with: the samples, and the kernels, declarations and messages that tests have in their text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from mutate.frontend.load import load_unit
from mutate.launch.find import find_declarations
from mutate.resources import samples_dir
from mutate.toolchain.cache import digest
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvdisasm import run_nvdisasm
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

_TESTS = Path(__file__).parent.parent
_ARCHS = ("sm_75", "sm_90", "sm_100")
_LINES = 48
_WORDS = ("__global__", "kmutate launch", "dim3 grid", '"arguments"', '"command"')


@cache
def _strings() -> tuple[str, ...]:
    """Those of the tests that fuzzing may begin with, as their modules have them."""
    return tuple(node.value for path in sorted(_TESTS.glob("*/*.py"))
                 if any(word in (text := path.read_text(encoding="utf-8")) for word in _WORDS)
                 for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
                 and any(word in node.value for word in _WORDS))


def _texts(word: str) -> Iterator[bytes]:
    return (text.encode(errors="surrogateescape") for text in _strings() if word in text)


def sources() -> list[bytes]:
    return [*(path.read_bytes() for path in sorted(samples_dir().glob("*.cu"))), *_texts("__global__")]


def launches() -> list[bytes]:
    samples = (d for path in sorted(samples_dir().glob("*.cu")) for d in find_declarations(path.read_bytes(), "s.cu"))
    return [*(b"/* kmutate launch" + d.source[d.span.start : d.span.end] + b"*/" for d in samples),
            *_texts("kmutate launch"), *(t for t in _texts("dim3 grid") if b"/*" not in t)]


def machines() -> list[bytes]:
    import mutate.machines

    return [path.read_bytes() for path in sorted((Path(mutate.machines.__file__).parent / "data").glob("*.toml"))]


def commands() -> list[bytes]:
    return [b'[{"directory": ".", "file": "k.cu", "command": "nvcc -I inc -DN=4 -arch=sm_90 -std=c++17 -c k.cu"}]',
            b'[{"directory": ".", "file": "k.cu", "arguments": ["nvcc", "--gpu-architecture", "sm_80", "-D", "A=1", '
            b'"-isystem", "x", "--options-file", "r.rsp", "-gencode=arch=compute_75,code=sm_75", "k.cu"]}]',
            *_texts('"arguments"'), *_texts('"command"')]


def _compiled() -> list[tuple[str, Compiled]]:
    """A kernel of every third sample, and what the compiler makes of those that tests have, for three architectures."""
    jobs = []
    for number, path in enumerate(sorted(samples_dir().glob("*.cu"))[::3]):
        source = path.read_bytes()
        kernels = [k for k in load_unit(source, str(path)).kernels if not k.is_template]
        for kernel in kernels[:1]:
            arch = _ARCHS[number % len(_ARCHS)]
            jobs.append(Job(source, str(path), kernel.qualified, CompileOptions(arch=arch, extra=("-lineinfo",))))
    found = zip(jobs, compile_many(jobs), strict=True)
    return [(job.options.arch, result) for job, result in found if isinstance(result, Compiled)]


def cubins() -> list[bytes]:
    return [compiled.cubin for _, compiled in _compiled()]


def listings() -> list[bytes]:
    """Pieces of what nvdisasm prints."""
    from mutate.sass.disasm import _code
    from mutate.toolchain.elf import Cubin

    out = []
    for arch, compiled in _compiled():
        text = run_nvdisasm(find_toolchain().need_nvdisasm(), arch, _code(Cubin(compiled.cubin), compiled.entry))
        lines = text.splitlines(keepends=True)
        out += ["".join(lines[at : at + 2 * _LINES]).encode() for at in range(0, len(lines), 2 * _LINES)]
    return out


MAKERS: Mapping[str, Callable[[], list[bytes]]] = {
    "source": sources, "launch": launches, "declaration": launches, "listing": listings, "cubin": cubins,
    "machine": machines, "commands": commands}


def write_seeds(target: str, folder: Path, most: int, head: bytes = b"") -> None:
    """Writes a target's seeds of up to ``most`` bytes to a folder, each under its digest, behind ``head``."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in {head + s for s in MAKERS[target]()}:
        if len(seed) <= most:
            (folder / digest(seed)[:16]).write_bytes(seed)
