"""Kernels in files that the user's file includes: read, mutated and compiled as a part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.errors import KmutateError
from mutate.frontend.load import SourceOptions
from mutate.frontend.whole import includers
from mutate.model import Outcome, Verdict
from mutate.pipeline.reading import read_kernels, read_unit
from mutate.pipeline.run import prove_file
from mutate.results import Request
from mutate.source import Lines
from mutate.toolchain.locate import find_toolchain

MAIN = b"""#include <cstdio>
#define SCALE 2.0f
#include "src/kernel.cu" /* the kernel,
   and nothing else */
#include "src/kernel.cu"

int main() {
    float *out, *in;
    int n = 4096;
    cudaMalloc(&out, n * sizeof(float)); cudaMalloc(&in, n * sizeof(float));
    scale<<<n / 256, 256>>>(out, in, n);
}
"""
KERNEL = b"""#pragma once
#include "index.h"

__global__ void scale(float *out, const float *in, int n)
{
    int i = index();
    if (i < n) out[i] = SCALE * in[i];
}
"""
INDEX = b"__device__ inline int index() { return blockIdx.x * blockDim.x + threadIdx.x; }\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for name, text in (("main.cu", MAIN), ("src/kernel.cu", KERNEL), ("src/index.h", INDEX),
                       ("other.cu", b"__global__ void own(int *p) { p[0] = 1; }\n#include \"src/kernel.cu\"\n")):
        (tmp_path / name).write_bytes(text)
    return tmp_path


def test_the_included_file_stands_in_place_of_its_include_with_its_own_lines(project: Path) -> None:
    read = read_kernels(Request(project / "main.cu"))
    text = read.source.decode()
    assert [k.name for k in read.kernels] == ["scale"] and text.count("void scale") == 1, "once is once"
    assert '#include "src/index.h"' in text, "named from where it stands now"
    assert f'#line 3 "{(project / "main.cu").as_posix()}"\n /* the kernel,\n   and nothing else */' in text
    lines = Lines(read.source)
    assert lines.place(read.source.index(b"__global__")) == ((project / "src" / "kernel.cu").as_posix(), 4)
    assert lines.place(read.source.index(b"int main")) == ((project / "main.cu").as_posix(), 7)
    assert lines.place(0) == (None, 1)
    assert read.unit.sources()[str(project / "main.cu")] == MAIN


def test_kernels_of_included_files_are_named_where_the_file_has_its_own(project: Path) -> None:
    def names(*wanted: str) -> list[str]:
        return [k.name for k in read_unit(source, project / "other.cu", SourceOptions(), wanted).kernels]

    source = (project / "other.cu").read_bytes()
    assert names() == ["own"] and names("scale") == ["scale"] and names("own|scale") == ["own"]
    (warning,) = read_unit(source, project / "other.cu", SourceOptions(), ()).warnings
    assert "scale (kernel.cu)" in warning and "-k" in warning
    with pytest.raises(KmutateError) as caught:
        names("missing")
    assert caught.value.slug == "unknown-kernel"


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_a_file_that_needs_another_one_is_compiled_as_a_part_of_it(project: Path) -> None:
    request = Request(project / "src" / "kernel.cu", ("memory-only",))
    assert includers(request.path) == [project / "main.cu", project / "other.cu"]
    (project / "all.h").write_bytes(b"#include <src/kernel.cu>\n")
    (project / "third.cu").write_bytes(b'#include "all.h"\n')
    assert includers(request.path) == [project / "main.cu", project / "other.cu", project / "third.cu"]
    proven = prove_file(request)
    assert proven.request.path == project / "main.cu" and "main.cu" in proven.warnings[0]
    (variant,) = proven.results[0].variants
    assert variant.certificate is not None and variant.certificate.verdict is Verdict.VALID
    assert variant.text is not None and b"int main() {" in variant.text.text, "it takes the place of main.cu"
    (project / "src" / "index.h").write_bytes(INDEX.replace(b"blockIdx", b"blockId"))
    with pytest.raises(KmutateError) as caught:
        prove_file(request)
    assert caught.value.slug == "original-does-not-compile"
    assert "as a part of " in str(caught.value) and "blockId" in str(caught.value).partition("as a part of ")[2]


BLOCK = b"""#pragma once
#include "index.h"
template <class T, int n> struct Block {
    T *s;
    __device__ T at(const T *p) const { return p[index()]; }
    __device__ T swapped(const T *p) {
        s[threadIdx.x] = at(p);
        __syncthreads();
        return s[n - 1 - threadIdx.x];
    }
};
struct Unused { int *p; __device__ void set() { p[0] = 1; } };
__global__ void other(int *p) { p[0] = 1; }
"""


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_a_class_of_an_included_file_gets_its_mutated_copies_in_place(project: Path) -> None:
    (project / "src" / "block.h").write_bytes(BLOCK)
    (project / "all.h").write_bytes(b'#include "src/block.h"\n')
    (project / "k.cu").write_bytes(b'#include "all.h"\n#include "src/block.h"\n'
                                   b"/* kmutate launch\n   float out[1024] = zeros();\n"
                                   b"   float in[1024] = iota(0, 1);\n"
                                   b"   dim3 grid = { 4 };\n   dim3 block = { 256 };\n   k(out, in);\n*/\n"
                                   b"__global__ void k(float *out, const float *in) {\n"
                                   b"    __shared__ float s[256];\n    Block<float, 256> b{s};\n"
                                   b"    out[index()] = b.swapped(in);\n}\n")
    read = read_kernels(Request(project / "k.cu"))
    assert [k.name for k in read.kernels] == ["k"] and read.source.count(b"struct Block") == 1
    assert Lines(read.source).place(read.source.index(b"struct Block")) == ((project / "src/block.h").as_posix(), 3)
    (result,) = prove_file(Request(project / "k.cu", dynamic=True)).results
    found = {v.mutation: v.certificate.verdict for v in result.variants if v.certificate is not None}
    assert len(found) == 8 and set(found.values()) == {Verdict.VALID}, (found, result.variants)


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_where_copies_in_a_class_do_not_compile_the_class_stays_where_it_is(project: Path) -> None:
    (project / "src" / "block.h").write_bytes(BLOCK.replace(b"#pragma once", b"#pragma once\n"
                                                            b"#define at_km no code"))
    (project / "k.cu").write_bytes(b'#include "src/block.h"\n'
                                   b"__global__ void k(float *out, const float *in) {\n"
                                   b"    __shared__ float s[256];\n    Block<float, 256> b{s};\n"
                                   b"    out[index()] = b.swapped(in);\n}\n")
    request = Request(project / "k.cu", ("identity", "memory-only", "store-only"))
    assert read_kernels(request).classes
    proven = prove_file(request)
    assert not proven.request.classes
    found = {v.mutation: v.outcome for v in proven.results[0].variants}
    assert found["identity"] is Outcome.OK and Outcome.COMPILE_FAILED not in found.values()


def test_a_class_that_accesses_nothing_stays_where_it_is(project: Path) -> None:
    (project / "src" / "block.h").write_bytes(BLOCK)
    (project / "v.cu").write_bytes(b'#include "vec.h"\n#include "src/block.h"\n'
                                   b"__global__ void k(float *o) { Vec v{1, 2}; o[0] = v.sum(); }\n")
    (project / "vec.h").write_bytes(b"struct Vec { float x, y; __device__ float sum() const { return x + y; } };\n")
    read = read_kernels(Request(project / "v.cu"))
    assert read.source == (project / "v.cu").read_bytes()


@pytest.mark.parametrize("guard", [("#pragma once\n", ""), ("// One.\n#ifndef %s\n#define %s\n", "\n#endif  // %s\n")])
def test_headers_that_include_each_other(tmp_path: Path, guard: tuple[str, str]) -> None:
    for name, text in (("a.h", '#include "b.h"\n__global__ void k(float *out) { out[B] = 1.0f; }'),
                       ("b.h", '#include "a.h"\n#include "c.h"\n#define B 3'), ("c.h", '#include "a.h"\n#define C 4')):
        guarded = guard[0].replace("%s", f"{name[0]}_h") + text + guard[1].replace("%s", f"{name[0]}_h")
        (tmp_path / name).write_text(guarded)
    source = b'#include "a.h"\n#include "c.h"\nint main() {}\n'
    read = read_unit(source, tmp_path / "main.cu", SourceOptions(), ())
    assert [k.name for k in read.kernels] == ["k"]
    assert read.source.count(b"__global__") == 1 and read.source.count(b"#define B") == 1
