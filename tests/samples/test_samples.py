"""Every sample teaches something, declares launches that fit its kernels, and compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import nvrtc_compile
import pytest
from pycparser import c_ast, c_parser
from references import REFERENCES, base_name

from mutate.resources import samples_dir

FILES = sorted(samples_dir().glob("*.cu"))
WITH_HOST_CODE = {"fd3d.cu", "matmul.cu", "reduction.cu", "spmv_csr.cu"}
WANTED = {
    "fd3d", "fd3d_order10", "fd3d_order12", "fd3d_two_outputs", "increment", "copy_offset", "column_walk", "transpose",
    "matmul", "reduction", "fp64_stencil", "divergent", "special_functions", "fp64_literal", "nbody", "spmv_csr",
    "histogram", "softmax_rows", "vec4_copy", "half_axpy", "async_tile",
}
INITIALISERS = {
    "zeros", "ones", "fill", "iota", "uniform", "normal", "randint", "ascending", "permutation", "csr_rowptr",
    "csr_colidx", "file",
}
C_TYPES = "typedef struct { unsigned int x, y, z; } dim3; typedef int float4; typedef int half2;\n"
ARCHS = ("sm_75", "sm_80", "sm_90")

by_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@dataclass(frozen=True)
class Launch:
    kernel: str  # as spelled, template arguments included
    arguments: tuple[str | None, ...]  # names; None for an expression
    names: frozenset[str]  # declared names
    symbols: frozenset[str]  # of these, the file's own (extern)
    initialisers: frozenset[str]


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def device_part(source: str) -> str:
    """Without host includes and without the host functions, which follow the last kernel."""
    cut = re.search(r"^(static|typedef|int main)\b", source, re.M)
    assert cut
    return re.sub(r"#include <(c?\w+|cuda_runtime\.h)>\n", "\n", source[:cut.start()])


def kernels(source: str) -> dict[str, tuple[str, ...]]:
    """Name and parameter names of every __global__ function."""
    plain = re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.S)
    found = re.findall(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)", plain)
    return {name: tuple(re.findall(r"(\w+)\s*(?:,|$)", parameters)) for name, parameters in found}


def launches(source: str) -> list[Launch]:
    found = []
    for body in re.findall(r"/\* kmutate launch\n(.*?)\*/", source, re.S):
        # A template's arguments would be comparisons to C: keep the spelling, parse a plain name.
        instances = {base_name(call): call for call in re.findall(r"(\w+<[^;()]*>)\(", body)}
        plain = re.sub(r"(\w+)<[^;()]*>\(", r"\1(", body)
        block = c_parser.CParser().parse(C_TYPES + "void launch(void) {" + plain + "}").ext[-1].body.block_items
        declared = [item for item in block if isinstance(item, c_ast.Decl)]
        calls = [item for item in block if isinstance(item, c_ast.FuncCall)]
        assert len(declared) + len(calls) == len(block)
        assert calls
        for call in calls:
            found.append(Launch(
                kernel=instances.get(call.name.name, call.name.name),
                arguments=tuple(getattr(argument, "name", None) for argument in call.args.exprs),
                names=frozenset(item.name for item in declared),
                symbols=frozenset(item.name for item in declared if "extern" in item.storage),
                initialisers=frozenset(item.init.name.name for item in declared
                                       if isinstance(item.type, c_ast.ArrayDecl)
                                       and isinstance(item.init, c_ast.FuncCall)),
            ))
    return found


def test_all_wanted_samples_are_there() -> None:
    assert {path.stem for path in FILES} >= WANTED


@by_file
def test_head_says_what_it_teaches(path: Path) -> None:
    head = re.match(r"(//[^\n]*\n)+", text(path))
    assert head
    assert re.search(r"^// Teaches: \S.{20,}", head[0], re.M)
    assert re.search(r'^// Seeds: +".+', head[0], re.M)
    assert max(map(len, text(path).splitlines())) <= 120


@by_file
def test_launches_fit_the_kernels(path: Path) -> None:
    source = text(path)
    parameters, declared = kernels(source), launches(source)
    assert {base_name(launch.kernel) for launch in declared} == set(parameters)  # none unknown, none without a launch
    for launch in declared:
        assert {"grid", "block"} <= launch.names
        # The references find the inputs by name, so a declaration calls them what the kernel does.
        wanted = parameters[base_name(launch.kernel)]
        assert len(launch.arguments) == len(wanted)
        assert all(given in (None, name) for given, name in zip(launch.arguments, wanted, strict=True))
        assert launch.initialisers <= INITIALISERS
        for symbol in launch.symbols:
            assert re.search(rf"__(constant|device)__ [\w ]*\b{symbol}\b", source)
        is_template = re.search(rf"template <[^>]*>\s*__global__[^(]*\b{base_name(launch.kernel)}\(", source)
        assert bool(is_template) == ("<" in launch.kernel)


def test_kernel_names_are_unique() -> None:
    names = [name for path in FILES for name in kernels(text(path))]
    assert len(names) == len(set(names))


def test_readme_names_every_file_and_kernel() -> None:
    rows = re.findall(r"^\| `(\w+\.cu)` \|([^|]*)\|", (samples_dir() / "README.md").read_text(encoding="utf-8"), re.M)
    assert {file: set(re.findall(r"`(\w+)`", listed)) for file, listed in rows} == {
        path.name: set(kernels(text(path))) for path in FILES}


def test_every_kernel_has_a_reference() -> None:
    assert set(REFERENCES) == {name for path in FILES for name in kernels(text(path))}


@pytest.mark.skipif(nvrtc_compile.wheel_root() is None, reason="needs the NVRTC wheel")
@pytest.mark.parametrize("arch", ARCHS)
@by_file
def test_nvrtc_compiles(path: Path, arch: str) -> None:
    source = text(path)
    instances = tuple(launch.kernel for launch in launches(source) if "<" in launch.kernel)
    if path.name in WITH_HOST_CODE:
        source = device_part(source)
    ok, log = nvrtc_compile.compile_cubin(source, path.name, arch, instances)
    assert ok, log


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_nvcc_compiles_the_device_only_files(tmp_path: Path) -> None:
    files = [path for path in FILES if path.name not in WITH_HOST_CODE]
    command = ["nvcc", "-arch=sm_90", "-c", "-t", "2", *map(str, files)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    assert len(list(tmp_path.glob("*.o"))) == len(files)


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
@pytest.mark.parametrize("name", sorted(WITH_HOST_CODE))
def test_nvcc_builds_the_applications(name: str, tmp_path: Path) -> None:
    command = ["nvcc", "-arch=sm_90", "-Xcompiler", "-Wall,-Wextra", "-o", "a.out", str(samples_dir() / name)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    assert (tmp_path / "a.out").is_file()
