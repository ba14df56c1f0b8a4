"""The text of bench.cu: one small case as a whole, and the rules by which a source becomes fit for a namespace."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from bench_cases import bench
from syrupy.assertion import SnapshotAssertion

from mutate.launch import evaluate_all, find_declarations
from mutate.report.bench import (
    Bench,
    BenchCase,
    BenchVariant,
    comment,
    cstring,
    namespaced,
    render_bench,
    write_data_files,
    written_arrays,
)

SMALL = """#include <cstdio>
/* kmutate launch
   int n = 1000;
   dim3 grid = { 4 }, block = { 256 };
   float y[n] = uniform(-1, 1), x[n] = normal();
   int start[n + 1] = csr_rowptr(n, 1, 3);
   axpy(y, x, start, 0.5f, n);
*/
__global__ void axpy(float *y, const float *x, const int *start, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[start[i] % n];
}
"""


def small(folder: Path, source: str = SMALL) -> Bench:
    (launch,) = evaluate_all(find_declarations(source.encode(), str(folder / "axpy.cu")))
    flagged = source.replace("__global__", "__constant__ int km_flag;\n__global__")
    params = [("float *", "y"), ("const float *", "x"), ("const int *", "start"), ("float", "a"), ("int", "n")]
    written = written_arrays(launch, params)
    return Bench(folder / "axpy.cu", folder, (BenchCase(launch, (
        BenchVariant("original", source, "axpy", 0), BenchVariant("load-only", flagged, "axpy", 512, 25)), written),))


def test_a_small_bench_as_a_whole(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    text = render_bench(small(tmp_path))
    shown = re.sub(r"(// ---- Data:).*?(?=// =====)", r"\1 ...\n\n", text, flags=re.DOTALL)
    assert shown == snapshot


def test_rendering_is_reproducible_and_has_nothing_left_open(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    made = bench(tmp_path)
    text = render_bench(made)
    assert text == render_bench(made)
    assert "{%" not in text and "{#" not in text
    assert str(tmp_path) not in text


def test_variants_of_two_launches_share_their_source(tmp_path: Path) -> None:
    text = render_bench(bench(tmp_path))
    assert len(re.findall(r"^namespace km_\w+ \{$", text, re.MULTILINE)) == 3
    assert text.count('#include "../local.cuh"') == 1


def test_names_that_fall_together_stay_apart(tmp_path: Path) -> None:
    made = small(tmp_path)
    (case,) = made.cases
    doubled = tuple(BenchVariant(i, SMALL, "axpy", 0) for i in ("a+b", "a-and-b", "a.b", "a b", "ß", '"\\', "a\nb"))
    text = render_bench(Bench(made.source, made.folder, (BenchCase(case.launch, doubled),)))
    names = re.findall(r"^namespace (\S+) \{$", text, re.MULTILINE)
    names = [n for n in names if n.startswith("km_")]
    assert len(names) == len(set(names)) == len(doubled)
    assert all(re.fullmatch(r"[A-Za-z]\w*", n, re.ASCII) and "__" not in n for n in names)


def split(source: str) -> tuple[str, str, tuple[str, ...]]:
    made = namespaced(source, Path("/nowhere/k.cu"), Path("/nowhere/out"))
    return made.header, made.body, made.macros


def test_includes_leave_with_their_conditions() -> None:
    header, body, macros = split("""#define FP16 1
#if FP16
  #include <cuda_fp16.h>  // halves
#else
#include "other.h"
#endif
#define LATER 2
int x;
""")
    assert "#include" not in body and "int x;" in body and "#define LATER 2" in body
    lines = header.split("\n")
    assert lines == ['#pragma push_macro("FP16")', "#define FP16 1", "#if FP16", "  #include <cuda_fp16.h>", "#else",
                     '#include "other.h"', "#endif", "#undef FP16", '#pragma pop_macro("FP16")']
    assert macros == ("FP16", "LATER")


def test_an_include_guard_around_everything_is_closed_in_the_header() -> None:
    header, body, macros = split("#ifndef G\n#define G\n#include <a>\n__global__ void k() {}\n#endif\n")
    assert header.count("#ifndef") == header.count("#endif") == 1
    assert "__global__" in body and body.count("#endif") == 1 and "G" in macros


def test_comments_and_strings_are_no_directives() -> None:
    source = ('/* \n#include <no>\n*/\n// \\\n#include <no2>\nconst char *s = "\\\n#include";\n'
              "int x; /* a\n */ #include <n3>\n")
    header, body, _ = split(source)
    assert header == ""
    assert body.strip().startswith("/*") and "const char" in body


@pytest.mark.parametrize(("source", "expected"), [
    ('extern "C" __global__ void k() {}', "__global__ void k() {}"),
    ('extern "C" {\n__global__ void k() { if (1) { } }\n}', "inline namespace km_c_linkage {\n__global__ void k()"),
    ('extern "C" int puts(const char *);\n__global__ void k() {}', 'extern "C" int puts'),
    ('extern "C" __launch_bounds__(64) __global__ void k();', "__launch_bounds__(64) __global__ void k();"),
    ('// extern "C" __global__\nconst char *s = "extern \\"C\\" __global__";', '// extern "C" __global__'),
])
def test_c_linkage_of_device_code_is_taken_away(source: str, expected: str) -> None:
    _, body, _ = split(source)
    assert expected in body
    if not expected.startswith(("extern", "//")):
        assert 'extern "C"' not in body


def test_pragma_once_goes_and_other_pragmas_stay() -> None:
    _, body, _ = split("#pragma once\n#pragma unroll 4\n#  pragma  once\nint x;")
    assert "once" not in body and "#pragma unroll 4" in body


@pytest.mark.parametrize("text", ['a"b', "back\\slash", "line\nbreak", "tab\t", "é", "??/", "", "\x01" + "1"])
def test_strings_of_any_text(text: str) -> None:
    literal = cstring(text)
    assert re.fullmatch(r'"(?:[ !#-Z^-~\[\]]|\\[0-7]{3})*"', literal)
    raw = re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), literal[1:-1].encode())
    assert raw.decode() == text


@pytest.mark.parametrize("text", ["a\nb", "ends in \\", "ends in ??/", "*/ x", "a\rb", "a\u2028b"])
def test_a_comment_stays_one_line(text: str) -> None:
    shown = comment(text)
    assert len(shown.splitlines()) == 1 and not shown.endswith(("\\", "??/"))


def test_written_arrays_follow_const_and_structs() -> None:
    source = b"""/* kmutate launch dim3 grid = 1, block = 1; float a[1], b[1], c[1], d[1], e[1];
        struct S { float *x; const float *y; } s = { c, d }; k(a, b, s, e); */"""
    (launch,) = evaluate_all(find_declarations(source, "k.cu"))
    params = [("float *__restrict__", "a"), ("const float *__restrict__", "b"), ("S", "s"), ("float const *", "e")]
    assert written_arrays(launch, params) == {"a", "c"}


def test_data_files_are_named_from_the_bench_and_npz_members_unpacked(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(1000, np.float32))
    np.savez_compressed(tmp_path / "z.npz", **{"y-1": np.arange(1000, dtype=np.float32)})
    source = SMALL.replace("uniform(-1, 1)", 'file("z.npz:y-1")').replace("normal()", 'file("x.npy")')
    made = small(tmp_path, source)
    made = Bench(made.source, tmp_path / "out", made.cases)
    made.folder.mkdir()
    text = render_bench(made)
    assert '"../x.npy"' in text and '"z.y_1.npy"' in text and "f4'" in text
    (written,) = write_data_files(made)
    assert written == tmp_path / "out" / "z.y_1.npy"
    np.testing.assert_array_equal(np.load(written), np.arange(1000, dtype=np.float32))
