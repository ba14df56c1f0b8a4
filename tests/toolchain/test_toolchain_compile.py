"""What compiles, what a result says, and where an error points."""

from __future__ import annotations

from ctypes.util import find_library
from pathlib import Path

import pytest

from mutate.errors import KmutateError
from mutate.frontend.preprocess import predefined
from mutate.toolchain import nvrtc
from mutate.toolchain.cache import Cache
from mutate.toolchain.constants import as_constant_expressions
from mutate.toolchain.elf import Cubin
from mutate.toolchain.locate import Toolchain, find_toolchain
from mutate.toolchain.nvrtc import Compiled, CompileFailed, Job, compile_many, compile_program
from mutate.toolchain.options import CompileOptions

SAXPY = b"""extern "C" __global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


def ok(source: str | bytes, entry: str = "k", name: str = "user.cu", **options: object) -> Compiled:
    result = compile_program(source if isinstance(source, bytes) else source.encode(), name, entry,
                             CompileOptions(**options))
    assert isinstance(result, Compiled), result.log
    return result


def failed(source: str | bytes, entry: str = "k", name: str = "user.cu", **options: object) -> CompileFailed:
    result = compile_program(source if isinstance(source, bytes) else source.encode(), name, entry,
                             CompileOptions(**options))
    assert isinstance(result, CompileFailed)
    return result


def code(result: Compiled) -> bytes:
    return Cubin(result.cubin).kernel(result.entry).code


def test_a_plain_kernel():
    result = ok(SAXPY, "saxpy")
    assert result.entry == "saxpy"
    assert result.cubin.startswith(b"\x7fELF")
    assert result.spill_stores == result.spill_loads == result.local_bytes == result.static_smem == 0
    assert result.log == "" and not result.cached and result.seconds > 0


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"])
def test_the_report_and_the_elf_file_agree(arch):
    source = """__constant__ float c[33];
    __global__ void k(float *p, int n) {
        __shared__ float s[40];
        s[threadIdx.x & 31] = p[threadIdx.x] * c[n];
        __syncthreads();
        p[threadIdx.x] = s[n & 31];
    }"""
    result = ok(source, arch=arch)
    kernel = Cubin(result.cubin).kernel(result.entry)
    assert Cubin(result.cubin).arch == int(arch[3:])
    assert (kernel.registers, kernel.static_smem) == (result.registers, result.static_smem)
    # ptxas keeps the 32 elements that the index can reach, or all 40.
    assert result.static_smem in (128, 160)
    assert result.barriers == 1
    assert dict(result.constant_banks)[3] == 33 * 4
    assert Cubin(result.cubin).constant_offset("c") == 0
    assert Cubin(result.cubin).constant_offset("absent") is None


def test_spills_are_reported():
    body = "".join(f"float v{i} = p[{i} * n];\n" for i in range(64)) + "__syncthreads();\n"
    body += "".join(f"p[{i} * n + 1] = v{i} * v{63 - i};\n" for i in range(64))
    source = f"__global__ void k(float *p, int n) {{ {body} }}"
    free, capped = ok(source), ok(source, maxrregcount=24)
    assert free.spill_stores == 0 and free.registers > 24
    assert capped.registers <= 24
    assert capped.spill_stores > 0 and capped.spill_loads > 0 and capped.local_bytes > 0


@pytest.mark.parametrize(("source", "entry", "symbol"), [
    ("__global__ void k(int *p) { *p = 1; }", "k", "_Z1kPi"),
    ("namespace a { namespace b { __global__ void k(int *p) { *p = 1; } } }", "a::b::k", "_ZN1a1b1kEPi"),
    ("template <unsigned N, class T> __global__ void r(T *p) { *p = N; }", "r<512, float>", "_Z1rILj512EfEvPT0_"),
    ("static __global__ void k(int *p) { *p = 1; }", "k", None),
    ("namespace { __global__ void k(int *p) { *p = 1; } }", "k", None),
    ('__global__ void a(int *p) { *p = 1; } extern "C" __global__ void b(int *p) { *p = 2; }', "b", "b"),
])
def test_name_expressions(source, entry, symbol):
    result = ok(source, entry)
    assert symbol in (None, result.entry)
    assert len(code(result)) > 0


def test_options_reach_the_compiler(tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "mine.h").write_text("#define FROM_HEADER 41\n")
    source = """#include "mine.h"
    __global__ void k(int *p) { static_assert(A == 1 && B == 7 && FROM_HEADER == 41, ""); }"""
    ok(source, defines=("A", "B=7"), include_dirs=(str(tmp_path / "inc"),))
    assert "static assertion" in failed(source, defines=("A", "B=8"), include_dirs=(str(tmp_path / "inc"),)).log
    ok("__global__ void k(int *p) { static_assert(__cplusplus == 202002L, \"\"); }", std="c++20")
    ok("__global__ void k(int *p) { static_assert(__cplusplus == 201703L, \"\"); }")
    divide = "__global__ void k(float *p) { p[0] = p[1] / p[2]; }"
    assert len(code(ok(divide, use_fast_math=True))) < len(code(ok(divide)))
    assert code(ok(divide, extra=("--prec-div=false",))) != code(ok(divide))


def test_quoted_includes_start_at_the_source_file(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.cuh").write_text("#define N 5\n")
    monkeypatch.chdir(tmp_path)
    source = '#include "mine.cuh"\n__global__ void k(int *p) { *p = N; }'
    ok(source, name="sub/kernel.cu")
    ok(source, name=str(tmp_path / "sub" / "kernel.cu"))


# -- headers ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("source", [
    "#include <cuda_runtime.h>\n#include <device_launch_parameters.h>\n__global__ void k(float4 *p) { p->x = 1; }",
    "#include <cuda_fp16.h>\n__global__ void k(__half *p) { p[0] = p[1] * p[2]; }",
    "#include <cuda_pipeline.h>\n__global__ void k(float *p) { __shared__ float s[32];"
    " __pipeline_memcpy_async(s + threadIdx.x, p + threadIdx.x, 4); __pipeline_commit(); __pipeline_wait_prior(0);"
    " p[threadIdx.x] = s[31 - threadIdx.x]; }",
    "#include <mma.h>\nusing namespace nvcuda; __global__ void k(half *p) {"
    " wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f; wmma::load_matrix_sync(f, p, 16); }",
    "#include <cuda.h>\n__global__ void k(int *p) { *p = 1; }",
], ids=["runtime", "fp16", "pipeline", "mma", "driver"])
def test_cuda_headers(source):
    ok(source)


def test_cooperative_groups_are_fast_and_the_same_code(monkeypatch):
    source = """#include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    __global__ void k(float *p) {
        auto block = cg::this_thread_block();
        auto tile = cg::tiled_partition<32>(block);
        float v = cg::reduce(tile, p[block.thread_rank()], cg::plus<float>());
        block.sync();
        if (tile.thread_rank() == 0) p[tile.meta_group_rank()] = v;
    }"""
    quick = ok(source)
    prepare = nvrtc._prepare

    def with_all_dependencies(job, tools):
        attempt = prepare(job, tools)
        attempt.tolerance = nvrtc.replace(attempt.tolerance, limit_groups=False, cccl=True)
        attempt.key = ""
        return attempt

    monkeypatch.setattr(nvrtc, "_prepare", with_all_dependencies)
    full = ok(source)
    assert code(quick) == code(full)
    assert quick.seconds < full.seconds / 2


def test_cub_libcuxx_and_the_prelude_together():
    result = ok("""#include <cstdint>
    #include <cub/block/block_reduce.cuh>
    #include <cuda/std/array>
    __global__ void k(int64_t *p) {
        __shared__ typename cub::BlockReduce<int64_t, 128>::TempStorage temp;
        int64_t sum = cub::BlockReduce<int64_t, 128>(temp).Sum(p[threadIdx.x]);
        cuda::std::array<int64_t, 2> a{sum, INT64_MAX};
        if (threadIdx.x == 0) p[0] = a[0] + (FLT_MAX > 1 ? 1 : INT_MAX);
    }""")
    assert result.log == ""


HOST_HEADERS = ["cstdio", "stdio.h", "stdlib.h", "cstdlib", "iostream", "vector", "string", "algorithm", "cmath",
                "math.h", "stdint.h", "cstdint", "climits", "limits.h", "cfloat", "float.h", "assert.h", "cassert",
                "type_traits", "limits", "utility", "tuple", "chrono", "string.h", "cstring", "map", "memory",
                "functional", "numeric", "random", "thread", "sys/time.h", "unistd.h", "omp.h", "fstream", "sstream"]


def test_host_headers_are_no_obstacle_and_no_news():
    includes = "".join(f"#include <{h}>\n" for h in HOST_HEADERS)
    assert ok(includes + "__global__ void k(int *p) { *p = 1; }").log == ""


def test_what_host_headers_give_a_kernel():
    ok("""#include <cmath>
    template <class T> __device__
    typename std::enable_if<std::is_floating_point<T>::value, T>::type half(T x) { return x / 2; }
    template <class T> __device__ std::enable_if_t<std::is_integral_v<T>, T> half(T x) { return x >> 1; }
    __global__ void k(float *p, uint32_t *u, int64_t n, std::size_t m, double *d) {
        p[0] = M_PI + FLT_MAX * INFINITY + NAN + std::sqrt(p[1]) + std::min(p[2], 2.0f) + std::abs(p[3]) + fabsf(-1);
        u[0] = UINT_MAX + INT_MIN + CHAR_BIT + sizeof(uint) + std::max(u[1], u[2]) + UINT32_MAX;
        d[0] = std::pow(d[1], 2.0) + DBL_EPSILON + std::exp(d[2]) + std::numeric_limits<double>::max() + LLONG_MAX;
        static_assert(std::numeric_limits<int>::max() == INT_MAX && std::numeric_limits<int>::min() == INT_MIN, "");
        static_assert(std::numeric_limits<unsigned char>::max() == 255, "");
        static_assert(!std::numeric_limits<unsigned>::is_signed, "");
        static_assert(std::numeric_limits<signed char>::min() == -128 && std::is_same<int, std::int32_t>::value, "");
        static_assert(sizeof(int64_t) == 8 && sizeof(uint8_t) == 1 && INT64_MAX > 0 && UINT16_MAX == 65535, "");
        static_assert(std::is_signed<float>::value && std::is_unsigned<uint>::value, "");
        static_assert(!std::is_signed<uint>::value && !std::is_unsigned<float>::value, "");
        static_assert(std::is_same<std::decay_t<const int[3]>, const int *>::value, "");
        static_assert(std::is_same<std::conditional_t<true, int, float>, std::remove_cv_t<const int>>::value, "");
        p[4] = half(p[5]) + half(u[3]);
        assert(n < 5);
        float a = p[6], b = p[7];
        std::swap(a, b);
        p[8] = a - 2 * b;
    }""")


@pytest.mark.parametrize("std", ["c++03", "c++11", "c++14", "c++17", "c++20"])
def test_the_prelude_takes_every_dialect_and_changes_no_code(std, monkeypatch):
    source = "__global__ void k(float *p, int n) { for (int i = 0; i < n; i++) p[i] = sqrtf(p[i + 1]) / p[i + 2]; }"
    with_prelude = ok(source, std=std)
    monkeypatch.setattr(nvrtc, "Tolerance", lambda **given: nvrtc.replace(TOLERANCE, **given))
    assert code(ok(source + "//", std=std)) == code(with_prelude)
    assert with_prelude.log == ""


TOLERANCE = nvrtc.Tolerance(prelude=False)


def test_a_source_with_its_own_typedefs():
    """Sources written for NVRTC bring their own; ones that contradict the prelude are compiled without it."""
    ok("typedef unsigned int uint32_t; typedef unsigned long long uint64_t; __global__ void k(uint64_t *p) { *p = 1; }")
    ok("typedef long int64_t; namespace std { template <class T> struct is_integral { }; }"
       " __global__ void k(int64_t *p) { *p = 1; }")


def test_an_unknown_header_that_nothing_needs_is_noted():
    result = ok('#include "helper_project.h"\n__global__ void k(int *p) { *p = 1; }')
    assert result.log == "note: header helper_project.h was not found and was taken as empty"


def test_an_unknown_header_that_is_needed_is_the_error():
    result = failed('\n#include "helper_project.h"\n__global__ void k(int *p) { *p = FROM_IT; }')
    assert (result.error.file, result.error.line) == ("user.cu", 2)
    assert "helper_project.h" in result.error.message


def test_host_functions_in_an_included_header(tmp_path):
    (tmp_path / "both.h").write_text("inline int host_too(int x) { return x + 1; }\n#define N 3\n")
    ok('#include "both.h"\n__global__ void k(int *p) { *p = N; }', name=str(tmp_path / "k.cu"))


# -- errors ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("source", "line", "column", "text"), [
    ("__global__ void k(float *p) {\n\tint x = 1;\n    p[0] = \tfoo(x);\n}", 3, 13, 'identifier "foo" is undefined'),
    ("__global__ void k(float *p) {\n  p[0] = 1\n}", 3, 1, 'expected a ";"'),
    ("template <class T> __device__ T f(T x) { return x.y; }\n__global__ void k(float *p) { p[0] = f(p[1]); }", 1, 49,
     "class type"),
    ("#error not here\n__global__ void k(float *p) { }", 1, None, "not here"),
])
def test_errors_point_at_the_users_line(source, line, column, text):
    error = failed(source, name="dir/my kernel(1).cu").error
    assert error.file == "dir/my kernel(1).cu"
    assert error.line == line
    assert column is None or error.column == column
    assert text in error.message


@pytest.mark.parametrize(("source", "entry", "text"), [
    ("__global__ void other(float *p) { }", "k", 'identifier "k" is undefined'),
    ("template <class T> __global__ void k(T *p) { }", "k", "function template"),
    ("__global__ void k(float *p) { __shared__ float s[40000]; s[threadIdx.x] = 1; __syncthreads(); p[0] = s[9]; }",
     "k", "too much shared data"),
    ('__global__ void k(float *p) { asm("foo.bar;"); }', "k", "'.bar'"),
])
def test_errors_without_a_line_of_the_source(source, entry, text):
    error = failed(source, entry).error
    assert error.line is None
    assert text in error.message


def test_warnings_are_in_the_log():
    assert "never referenced" in ok("__global__ void k(float *p) { int unused; }").log


def test_an_option_nvrtc_does_not_know():
    assert "--no-such-option" in failed(SAXPY, "saxpy", extra=("--no-such-option",)).error.message


def test_architectures():
    with pytest.raises(KmutateError) as caught:
        compile_program(SAXPY, "user.cu", "saxpy", CompileOptions(arch="sm_33"))
    assert caught.value.slug == "unsupported-arch"
    assert "sm_90" in str(caught.value)
    for wrong in ("90", "compute_90", "hopper", ""):
        with pytest.raises(KmutateError) as caught:
            compile_program(SAXPY, "user.cu", "saxpy", CompileOptions(arch=wrong))
        assert caught.value.slug == "bad-arch"
    ok(SAXPY, "saxpy", arch="sm_90a")


def test_without_nvrtc(monkeypatch):
    monkeypatch.setattr(nvrtc, "find_toolchain", lambda: Toolchain(None, None, ()))
    with pytest.raises(KmutateError) as caught:
        compile_program(SAXPY, "user.cu", "saxpy")
    assert caught.value.slug == "no-nvrtc"
    assert "--no-verify" in str(caught.value) and "pip install" in str(caught.value)


def test_an_nvrtc_that_does_not_load(monkeypatch, tmp_path):
    broken = tmp_path / "libnvrtc.so.13"
    broken.write_bytes(b"no library")
    monkeypatch.setattr(nvrtc, "find_toolchain", lambda: Toolchain(str(broken), None, find_toolchain().include_dirs))
    with pytest.raises(KmutateError) as caught:
        compile_program(SAXPY, "user.cu", "saxpy")
    assert caught.value.slug == "no-nvrtc"


# -- many ------------------------------------------------------------------------------------------------------------

def test_many_jobs_keep_their_order_and_do_not_influence_each_other():
    jobs = []
    for n in range(12):
        body = "*p = oops;" if n % 4 == 3 else f"*p = {n};"
        jobs.append(Job(f"__global__ void k{n}(int *p) {{ {body} }}".encode(), f"f{n}.cu", f"k{n}"))
    results = compile_many(jobs)
    for n, result in enumerate(results):
        if n % 4 == 3:
            assert isinstance(result, CompileFailed) and result.error.file == f"f{n}.cu"
        else:
            assert isinstance(result, Compiled) and result.entry == f"_Z{2 + (n > 9)}k{n}Pi"
    assert compile_many([]) == []


# -- fewer declarations ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("body", [
    "*p = tex1Dfetch<int>((cudaTextureObject_t)p[1], 0);",
    "cudaStream_t s = 0; *p = s == 0;",
    "cudaError_t e = cudaSuccess; *p = e;",
    "PASTE(cuda, TextureObject_t) t = 0; *p = t != 0;",  # hidden from whoever looks for names
])
def test_what_nvrtc_declares_only_when_asked_for_is_there(body):
    source = f"""
#define PASTE(a, b) a##b
__global__ void k(int *p) {{ {body} }}""".encode()
    result = compile_program(source, "user.cu", "k")
    assert isinstance(result, Compiled), result.log


def test_the_code_does_not_depend_on_how_much_is_declared():
    kernel = b"__global__ void k(float *p) { p[threadIdx.x] = sinf(p[0]) + __ldg(p + 1); }"
    lean, full = compile_many([Job(kernel, "user.cu", "k"),
                               Job(b"/* texture */" + kernel, "user.cu", "k")], cache=Cache(None))
    assert isinstance(lean, Compiled) and isinstance(full, Compiled)
    assert lean.cubin == full.cubin


@pytest.mark.gpu
def test_what_a_driver_remembers_is_reported_again(tmp_path: Path) -> None:
    """With a driver NVRTC has a cache of its own, whose answers have no report of spills."""
    if find_library("cuda") is None:
        pytest.skip("no CUDA driver")
    source = b"""extern "C" __global__ void k(int *p) {
        int a[32]; for (int i = 0; i < 32; i++) a[p[i] & 31] = i * p[i]; p[40] = a[p[41] & 31]; }"""
    first, second = (compile_many([Job(source, "k.cu", "k")], cache=Cache(tmp_path / n))[0] for n in "ab")
    assert isinstance(first, Compiled) and isinstance(second, Compiled)
    assert first.local_bytes > 0
    assert (first.spill_stores, first.spill_loads) == (second.spill_stores, second.spill_loads) == (0, 0)


def test_conditions_are_read_as_the_compiler_reads_them() -> None:
    there = set(predefined("sm_90")) - {"CUDA_VERSION"}  # which cuda.h brings
    absent = ("_WIN32", "__APPLE__", "__GNUC__", "__clang__", "NDEBUG", "__CUDA__", "_LP64")
    assert not there.intersection(absent)
    lines = [f"#ifndef {name}\n#error no {name}\n#endif\n" for name in sorted(there)]
    lines += [f"#ifdef {name}\n#error {name}\n#endif\n" for name in absent]
    ok("".join(lines) + "__global__ void k() {}\n")


def test_what_the_user_defines_goes_before_what_nvcc_would() -> None:
    ok("#if __linux__ != 7\n#error no\n#endif\n__global__ void k() {}\n", defines=("__linux__=7",))


def test_constants_that_are_computed() -> None:
    source = b"""#define HALF 0.5f
typedef double real;
const real cutoff = 1.9;
const real cutoff2 = cutoff * (cutoff + 0.1);
static const float pi = 3.14f, two_pi = HALF * 4 * pi;
const float root = sqrtf(2.0f);
__global__ void k(float *out, int n) { const int i = n; out[i] = cutoff2 + two_pi; }
"""
    (text,) = as_constant_expressions([source])
    changed = [b.decode() for a, b in zip(source.split(b"\n"), text.split(b"\n"), strict=True) if a != b]
    assert changed == ["constexpr real cutoff = 1.9;", "constexpr real cutoff2 = cutoff * (cutoff + 0.1);",
                       "static constexpr float pi = 3.14f, two_pi = HALF * 4 * pi;"]
    other = as_constant_expressions([b"const float b = 2 * a;", b"const float a = 1;"])
    assert other == [b"constexpr float b = 2 * a;", b"constexpr float a = 1;"]
    ok(source.replace(b"const float root = sqrtf(2.0f);", b""))


@pytest.mark.skipif(not any((Path(d) / "thrust/complex.h").exists() for d in find_toolchain().include_dirs),
                    reason="no Thrust")
def test_complex_numbers_of_thrust() -> None:
    ok("#include <thrust/complex.h>\n__global__ void k(thrust::complex<float> *z) { z[0] *= z[1]; }\n")
