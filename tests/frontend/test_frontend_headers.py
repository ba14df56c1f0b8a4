"""What NVRTC gets of a project's own headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.errors import KmutateError
from mutate.frontend.headers import Headers
from mutate.frontend.load import SourceOptions, load_unit
from mutate.frontend.view import device_text, host_spans, needed_items
from mutate.pipeline.run import prove_file
from mutate.results import Request
from mutate.toolchain.locate import find_toolchain

KERNEL = "__global__ void k(float *p) { *p = twice(*p); }\n"
TOOLS = """#pragma once
#include "deep.h"
#include <string>

inline std::string name() { return "x"; }  // the host's
__device__ inline float twice(float x) { return factor * x; }
class Options {
    std::string text;
};
"""


def headers(folder: Path, main: str, files: dict[str, str], entry: str = "k", dirs: tuple[str, ...] = ()
            ) -> dict[str, str]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    source = folder / "m.cu"
    source.write_text(main)
    folders = tuple(str(folder / d) for d in dirs)
    unit = load_unit(source.read_bytes(), str(source), SourceOptions(include_dirs=folders))
    return {name: text.decode() for name, text in Headers(unit, folders).texts(entry)}


def line(text: str, wanted: str) -> int:
    """The line, counted as the compiler does, in which something stands."""
    lines = text.split('"\n', 1)[1] if text.startswith("#line") else text[text.index("#line") :].split("\n", 1)[1]
    return next(n for n, shown in enumerate(lines.split("\n"), 1) if wanted in shown)


def test_a_library_for_the_host_is_not_included_by_a_header_either(tmp_path: Path) -> None:
    """NVRTC compiles some of Thrust's headers not at all and the others for seconds."""
    header = ("#include <cub/cub.cuh>\n#include <thrust/reduce.h>\n"
              "__device__ inline float twice(float x) { return ME x; }\n")
    main = '#include "tools.h"\n' + KERNEL.replace("= twice", "= /* thrust:: */ twice")
    found = headers(tmp_path, main, {"tools.h": header.replace("ME", "2 *")})
    assert "include" not in found["tools.h"]
    found = headers(tmp_path, main, {"tools.h": header.replace("ME", "thrust::plus<float>()(x, x) +")})
    assert "#include <thrust/reduce.h>" in found["tools.h"] and "cub" not in found["tools.h"]


def test_a_header_of_numbers_behind_another_macro_stays(tmp_path: Path) -> None:
    (tmp_path / "size.h").write_text("#define SIZE 64\n")
    (tmp_path / "other.h").write_text("#define OTHER SIZE\n")
    source = ('#include "size.h"\n#include "other.h"\n#define ROWS (ALL(SIZE))\n#define ALL(n) (n + 1)\n'
              "__global__ void k(float *p) { p[ROWS] = 1; }\n")
    unit = load_unit(source.encode(), str(tmp_path / "m.cu"))
    text = device_text(unit.source, host_spans(unit, unit.kernels[0], lambda path: True)).decode()
    assert '#include "size.h"' in text and "other.h" not in text


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="NVRTC is not installed")
def test_compound_literals_are_compiled_also_those_that_a_header_makes(tmp_path: Path) -> None:
    """NVRTC takes ``T{...}`` only. As long as they were, so that lines and columns stay."""
    (tmp_path / "made.h").write_text("typedef struct { float re, im; } Complex;\n"
                                     "#define TWICE(z) (Complex){ 2 * (z).re, 0 }\n")
    source = ('#include "made.h"\nstruct S { float v; __device__ S &operator=(float) { return *this; } };\n'
              "__global__ void k(Complex *p, float2 *q) {\n    p[threadIdx.x] = TWICE(p[threadIdx.x]);\n"
              "    if (p[0].re > 0) { q[threadIdx.x] = (float2){ 1.0f, p[1].im }; }\n}\n")
    (tmp_path / "m.cu").write_text(source)
    (result,) = prove_file(Request(tmp_path / "m.cu", ("identity", "memory-only"))).results
    assert result.error is None, result.error
    assert [v.log for v in result.variants] == ["", ""], result.variants


def test_only_what_the_host_needs_is_blank_and_lines_stay(tmp_path: Path) -> None:
    found = headers(tmp_path, '#include "tools.h"\n' + KERNEL,
                    {"tools.h": TOOLS, "deep.h": "constexpr float factor = 2;\n"})
    text = found["tools.h"]
    assert "std::string" not in text
    assert "class Options" not in text
    assert "float twice(float x)" in text
    assert f'#line 1 "{tmp_path}/tools.h"' in text
    assert line(text, "twice") == TOOLS.split("\n").index("__device__ inline float twice(float x) "
                                                          "{ return factor * x; }") + 1
    # NVRTC does not look beside a header in memory, and cannot know that two of these are one file.
    assert f'#include "{tmp_path}/deep.h"' in text
    assert "#pragma once" not in text
    assert text.startswith("#ifndef")
    assert found[f"{tmp_path}/tools.h"] == text
    # What such a header includes comes from memory, too: a file is never read from both.
    assert "factor = 2" in found[f"{tmp_path}/deep.h"]


def test_headers_without_host_code_stay_on_disk(tmp_path: Path) -> None:
    device = "__device__ float twice(float x) { return 2 * x; }\n"
    assert headers(tmp_path, '#include "tools.h"\n' + KERNEL, {"tools.h": device}) == {}


def test_a_type_that_an_instance_names_stays(tmp_path: Path) -> None:
    files = {"ops.h": "struct Add { float operator()(float a) const; };\nstruct Log { void *file; };\n"
                      "inline int main_like() { return 1; }\n"}
    main = '#include "ops.h"\ntemplate <class Op> __global__ void k(float *p) { *p = Op()(*p); }\n'
    by_entry = headers(tmp_path, main, files, "k<Add>")["ops.h"]
    assert "struct Add" in by_entry
    assert "struct Log" not in by_entry
    launched = headers(tmp_path, main + "template <class O> void run(float *p) { k<O><<<1, 1>>>(p); }\n"
                                        "int main() { run<Log>(0); }\n", files, "k")["ops.h"]
    assert "struct Log" in launched


@pytest.mark.parametrize(("declared", "named", "kept"), [
    ("", (), set()), ("/* kmutate launch\n k<Add>(p);\n*/\n", (), {"Add"}),
    ("/* kmutate launch\n k<Pair<Add, int>>(p); other<Log>(p);\n*/\n", (), {"Add", "Pair"}), ("", ("Log",), {"Log"}),
])
def test_types_that_launch_declarations_and_instances_name_stay(declared: str, named: tuple[str, ...], kept: set[str]
                                                                ) -> None:
    text = (declared + "struct Add { __device__ float operator()(float a) const; };\n"
            "template <class A, class B> struct Pair {};\nstruct Log { void *file; };\n"
            "template <class Op> __global__ void k(float *p) { *p = Op()(*p); }\n")
    unit = load_unit(text.encode(), "k.cu", SourceOptions(named=named))
    left = device_text(unit.source, host_spans(unit, unit.kernels[0], lambda path: True)).decode()
    assert {name for name in ("Add", "Pair", "Log") if f"struct {name}" in left} == kept


def test_host_functions_go_from_branches_that_are_not_taken(tmp_path: Path) -> None:
    text = ("#ifdef TOOLKIT_HEADER\nstatic const char *name(int e) { return lookup(e); }\n"
            "__device__ float other(float x) { return x; }\n"
            "MACRO_OF_SOMEBODY float third(float x) { return x; }\n#endif\n"
            "struct S {\n#ifdef TOOLKIT_HEADER\n    void method() { call(); }\n#endif\n    float x;\n};\n"
            "__device__ float twice(float x) { S s{x}; return 2 * s.x; }\n")
    found = headers(tmp_path, '#include "tools.h"\n' + KERNEL, {"tools.h": text})["tools.h"]
    assert "lookup" not in found
    assert all(word in found for word in ("other", "third", "method", "#endif"))


def test_a_name_of_two_files_is_left_to_the_compiler(tmp_path: Path) -> None:
    host = "inline void h%d() { printf(); }\n"
    found = headers(tmp_path, '#include "a/a.h"\n#include "b/b.h"\n__global__ void k(float *p) { *p = one + two; }\n',
                    {"a/a.h": '#include "x.h"\nconstexpr int one = 1;\n' + host % 1, "a/x.h": host % 2,
                     "b/b.h": '#include "x.h"\nconstexpr int two = 2;\n' + host % 3, "b/x.h": host % 4})
    assert {"a/a.h", "b/b.h"} <= found.keys()
    assert not any(name.endswith("x.h") for name in found)
    assert f'#include "{tmp_path}/b/x.h"' in found["b/b.h"]


def test_headers_of_a_toolkit_are_left_alone(tmp_path: Path) -> None:
    files = {"kit/cuda_runtime_api.h": "", "kit/tools.h": TOOLS, "kit/deep.h": "constexpr float factor = 2;\n"}
    assert headers(tmp_path, "#include <tools.h>\n" + KERNEL, files, dirs=("kit",)) == {}


def test_includes_of_a_header_are_looked_up_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.h").write_text('#include "b.h"\n')
    (tmp_path / "sub" / "b.h").write_text("__device__ float in_sub(float x) { return x; }\n")
    (tmp_path / "m.cu").write_text('#include "sub/a.h"\n#include "sub/../sub/b.h"\n')
    unit = load_unit((tmp_path / "m.cu").read_bytes(), str(tmp_path / "m.cu"))
    assert "in_sub" in unit.device_functions()
    assert len(unit.included) == 2


def test_what_a_kernel_calls_by_a_librarys_words_does_not_bring_the_library(tmp_path: Path) -> None:
    """A namespace counts where something names it, or something in it is used."""
    (tmp_path / "library.h").write_text(
        "#include <vector>\n"
        "namespace json { enum class Kind { key, value }; using std::begin;\n"
        "template <class T> struct Reader { std::vector<T> of; };\n"
        "#define MADE(name) constexpr int size_of_##name = sizeof(std::vector<int>);\nMADE(t) }\n"
        "using json::Reader;\nnamespace host { void run(std::vector<int> key); }\n"
        "namespace mine { inline __device__ int twice(int n) { return 2 * n; } }\n")
    text = ('#include "library.h"\nusing namespace host;\n'
            "__global__ void k(int *out, const int *key, int t) { out[t] = mine::twice(key[t]); }\n")
    unit = load_unit(text.encode(), str(tmp_path / "k.cu"))
    kept, _ = needed_items(unit, unit.kernels)
    (header,) = unit.included
    assert [i.names for i in header.items if id(i) in kept] == [{"twice"}]
    assert [i.kind for i in unit.main.items if id(i) in kept] == ["function"], "no namespace without its header"
    named = load_unit(text.replace("int t)", "json::Kind, int t)").encode(), str(tmp_path / "k.cu"))
    kept, _ = needed_items(named, named.kernels)
    assert {"Kind", "key", "value"} in [i.names for i in named.included[0].items if id(i) in kept]


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_host_code_among_what_kernels_need(tmp_path: Path) -> None:
    """Members that call the runtime, other kernels of the name, attributes behind a structure, headers of graphics."""
    (tmp_path / "types.h").write_text("struct Pair {\n    int first, second;\n} __align__(8);\n"
                                      "#if _POSIX_VERSION < 200112L\n#error no clock\n#endif\n")
    source = (b'#include <cuda_gl_interop.h>\n#include "types.h"\n'
              b"struct Managed {\n"
              b"    void *operator new(size_t n) { void *p; cudaMallocManaged(&p, n); return p; }\n};\n"
              b"struct Element : public Managed { int value; };\n"
              b"__global__ void k(Element *e, int n);\n"
              b"__global__ void k(Element *e, float n) { if (threadIdx.x < n) e[threadIdx.x].value += 1; }\n")
    (result,) = prove_file(Request(tmp_path / "k.cu", ("memory-only",), text=source)).results
    assert result.error is None
    two = (b"template <int n> __global__ void k(int *p, int m) { p[m] = n; }\n"
           b"template <int n> __global__ void k(int *p) { p[0] = n; }\nvoid run(int *p) { k<2><<<1, 32>>>(p, 3); }\n")
    assert [r.error for r in prove_file(Request(tmp_path / "k.cu", ("identity",), text=two)).results] == [None, None]
    with pytest.raises(KmutateError) as caught:
        prove_file(Request(tmp_path / "k.cu", text=b"__global__ void k(int *p) { p[0] = __shfl(p[1], 0); }"))
    assert "-D '__shfl(...)=__shfl_sync(0xffffffffu, __VA_ARGS__)'" in (caught.value.hint or "")
    with pytest.raises(KmutateError) as caught:
        prove_file(Request(tmp_path / "k.cu", text=b"texture<float, 1> ref;\n__global__ void k(float *p) "
                                                   b"{ p[0] = tex1Dfetch(ref, 0); }"))
    assert "texture reference" in (caught.value.hint or "")
    for text, said in ((b"typedef texture<float> Rows;\n__global__ void k(Rows *p) { p[0] = p[1]; }", "references"),
                       (b'__global__ void k(int *p) { asm("vote.ballot.b32 %0, 1;" : "=r"(p[0])); }', "vote.sync")):
        with pytest.raises(KmutateError) as caught:
            prove_file(Request(tmp_path / "k.cu", text=text))
        assert said in (caught.value.hint or "")


def test_of_a_header_that_is_not_used_only_directives_stay(tmp_path: Path) -> None:
    """Of one that another one includes: the compiler may take branches that are not taken here."""
    (tmp_path / "files.h").write_text("#ifdef __has_the_old_one\nnamespace files { namespace fs = std::old; }\n#else\n"
                                      "namespace files { namespace fs = std::filesystem; }\n#endif\nvoid list();\n")
    (tmp_path / "types.h").write_text('#include "files.h"\ntypedef unsigned short half_bits;\nvoid host();\n')
    source = '#include "types.h"\n__global__ void k(half_bits *p) { *p = 0; }\n'
    unit = load_unit(source.encode(), str(tmp_path / "k.cu"))
    text = dict(Headers(unit).texts("k"))["files.h"].decode()
    assert "std::" not in text and text.count("#") == 4, text
