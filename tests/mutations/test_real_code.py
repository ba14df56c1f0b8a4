"""What real projects taught: code that once was refused, miscompiled or wrongly judged."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mutate.frontend.load import load_unit
from mutate.frontend.tree import parse
from mutate.model import Outcome, Verdict
from mutate.mutations.base import Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import parse_composition
from mutate.mutations.rolled import rolled_text
from mutate.pipeline.compiling import Compiling
from mutate.pipeline.run import prove_file
from mutate.results import Request, VariantResult
from mutate.sass.disasm import Instruction
from mutate.sass.operands import written
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Result

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
SLICED = ("memory-only", "load-only", "store-only")


def prove(source: str, *mutations: str, kernel: str = "k") -> dict[str, VariantResult]:
    request = Request(Path("real.cu"), mutations, (f"^{kernel}$",), text=source.encode())
    (result,) = prove_file(request).results
    return {v.mutation: v for v in result.variants}


def check_valid(found: dict[str, VariantResult]) -> None:
    for name, v in found.items():
        assert v.outcome is Outcome.OK, (name, v.log or v.refusal)
        assert v.certificate is not None and v.certificate.verdict is Verdict.VALID, (name, v.certificate)


def text_of(source: str, mutation: str, kernel: str = "k") -> str:
    unit = load_unit(source.encode(), "real.cu")
    (function,) = (f for f in unit.kernels if f.name == kernel)
    made = build_variant(unit, function, parse_composition(mutation))
    assert isinstance(made, VariantText), made
    return made.text.decode()


def refusal(source: str, mutation: str) -> Refused:
    unit = load_unit(source.encode(), "real.cu")
    made = build_variant(unit, unit.kernels[-1], parse_composition(mutation))
    assert isinstance(made, Refused)
    return made


FRAGMENTS = """#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *A, const half *B, float *C, int K, int N) {
    __shared__ half tile[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2];
    for (int i = 0; i < 2; i++) wmma::fill_fragment(c[i], 0.0f);
    for (int k = 0; k < K; k += 16) {
        tile[threadIdx.x] = A[blockIdx.x * 16 * K + k + threadIdx.x];
        __syncthreads();
        wmma::load_matrix_sync(a, tile, 16);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(b, &B[(blockIdx.y * 2 + i) * 16 * K + k], K);
            wmma::mma_sync(c[i], a, b, c[i]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        wmma::store_matrix_sync(C + blockIdx.x * 16 * N + (blockIdx.y * 2 + i) * 16, c[i], N, wmma::mem_row_major);
}
"""


@needs_nvrtc
def test_fragments_of_matrices_are_loaded_and_stored_as_arrays_are() -> None:
    found = prove(FRAGMENTS, *SLICED, "math-only")
    check_valid(found)
    static = found["math-only"].certificate.static  # type: ignore[union-attr]
    assert static is not None and static.variant["tensor"] == static.original["tensor"] > 0


def test_the_shared_side_of_a_fragment_goes_with_the_arithmetic() -> None:
    kernel = text_of(FRAGMENTS, "memory-only").split("__global__")[1]
    assert "load_matrix_sync(km_fragment.place(), &B[" in kernel and "mma_sync" not in kernel
    assert "load_matrix_sync(a, tile" not in kernel and "km_fold(km_sink, A[" in kernel


SURFACE = """__global__ void k(cudaSurfaceObject_t s, const float *in, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    float v = in[y * w + x];
    v = v * v;
    surf2Dwrite(v, s, x * 4, y, cudaBoundaryModeTrap);
    surf2Dwrite<uchar4>(make_uchar4(1, 2, 3, v), s, (x + w) * 4, y);
}
"""


@needs_nvrtc
def test_surface_stores_store_the_sink_or_are_guarded() -> None:
    found = prove(SURFACE, *SLICED, "math-only")
    check_valid(found)
    counts = {name: v.certificate.static.variant.get("surface", 0)  # type: ignore[union-attr]
              for name, v in found.items()}
    assert counts == {"memory-only": 2, "load-only": 0, "store-only": 2, "math-only": 0}


@needs_nvrtc
def test_surfaces_and_textures_that_are_read_into_variables() -> None:
    found = prove("""__global__ void k(cudaSurfaceObject_t s, cudaTextureObject_t t, float *out) {
    int x = threadIdx.x;
    char data; float w; float4 v[2];
    surf2Dread(&data, s, x, 1);
    surf2Dread<float4>(&v[1], s, 16 * x, 2);
    tex2D(&w, t, x, 0.5f);
    out[x] = v[1].y + w;
    data = ~data;
    surf2Dwrite(data, s, x, 1);
}
""", *SLICED, "math-only")
    check_valid(found)
    counts = {name: tuple(v.certificate.static.variant.get(c, 0) for c in ("surface", "texture"))  # type: ignore[union-attr]
              for name, v in found.items()}
    assert counts == {"memory-only": (3, 1), "load-only": (2, 1), "store-only": (1, 0), "math-only": (0, 0)}
    into_memory = "__global__ void k(cudaSurfaceObject_t s, float *p) { surf1Dread(p + 1, s, 0); }"
    assert {refusal(into_memory, m).slug for m in (*SLICED, "math-only")} == {"opaque-call"}


INNER_PRAGMAS = """#define UNROLL _Pragma("unroll")
__global__ void k(float *c, const float *in, int n) {
    int i = threadIdx.x;
    float s = 0;
    if (i < n)
#pragma unroll
        for (int a = 0; a < 2; ++a)
#pragma unroll 2
            for (int b = 0; b < 2; ++b) s += in[i + 2 * a + b];
    else
        UNROLL
        for (int a = 0; a < 3; ++a) s += in[i + a];
    if (i > 3)
#pragma unroll
        for (int a = 0; a < 2; ++a) c[2 * i + a] = s;
    do
#pragma unroll 1
        for (int a = 0; a < 2; ++a) c[i * n + a] = s;
    while (--n > 90);
}
"""


@needs_nvrtc
def test_pragmas_between_a_head_and_its_body_belong_to_the_body() -> None:
    body = text_of(INNER_PRAGMAS, "store-only").split("__global__")[1]
    assert "if (i > 3)\n#pragma unroll\n        for (" in body and "if (i < n)" not in body
    found = prove(INNER_PRAGMAS, "memory-only", "store-only", "load-only")
    check_valid(found)


@needs_nvrtc
@pytest.mark.parametrize("body", [
    "float v = in[i]; if (v > 0.5f) out[i] = v; else out[i] = -v;",  # both store there: the branch is a select
    "(n > i ? out[i] : out[i ^ 1]) = in[i];",
    "(n > i ? out[i] : out[i ^ 1]) += in[i];",
])
def test_as_many_accesses_where_branches_differ_by_what_they_store(body: str) -> None:
    found = prove(f"__global__ void k(float *out, const float *in, int n) {{ int i = threadIdx.x; {body} }}",
                  "memory-only")
    check_valid(found)


@needs_nvrtc
@pytest.mark.parametrize("body", [
    "struct Acc { float sum = 0; __device__ void add(float v) { sum += v; } } acc;\n"
    "for (int k = 0; k < 6; k++) acc.add(in[i + k]); out[i] = acc.sum;",
    "struct View { const float *p; __device__ float at(int i) const { return p[i]; } }; View v{in};\n"
    "out[i] = v.at(i) * v.at(i + n);",
    "const auto &[a, b, c, d] = q[i]; auto [x, y] = *(const float2 *)&in[2 * i]; out[i] = a * b + c * d + x * y;",
], ids=["an object of a class in the kernel", "one that loads", "structured bindings"])
def test_classes_in_functions_and_structured_bindings_are_followed(body: str) -> None:
    check_valid(prove("__global__ void k(float *out, const float *in, const float4 *q, int n) { int i = threadIdx.x; "
                      f"{body} }}", *SLICED, "math-only"))


@needs_nvrtc
@pytest.mark.parametrize("shared", ["true", "false"])
def test_math_only_keeps_shared_memory_that_a_template_argument_chooses(shared: str) -> None:
    source = """template <bool use_shared> __global__ void k(float *dst, const float *x, int n) {
    extern __shared__ float buf[];
    float *vals = use_shared ? buf : dst;
    float m = 0;
    for (int c = threadIdx.x; c < n; c += blockDim.x) vals[c] = x[c] * 2.0f;
    __syncthreads();
    for (int c = threadIdx.x; c < n; c += blockDim.x) { vals[c] += 1.0f; m = fmaxf(m, vals[n - 1 - c]); }
    dst[threadIdx.x] = m;
}
"""
    request = Request(Path("real.cu"), ("math-only",), instances=(f"k<{shared}>",), text=source.encode())
    (v,) = prove_file(request).results[0].variants
    check_valid({"math-only": v})
    assert v.certificate is not None and v.certificate.static is not None
    assert (v.certificate.static.variant.get("shared_store.32", 0) > 0) == (shared == "true")


@needs_nvrtc
@pytest.mark.parametrize("made", ["template __global__ void k<2>(float *);", "int main() { k<2><<<1, 64>>>(0); }",
                                  "template __global__ void ns::k< 2 >(float *);"])
def test_an_instance_is_taken_from_where_the_file_makes_it(made: str) -> None:
    kernel = "template <int n> __global__ void k(float *p) { for (int i = 0; i < n; i++) p[threadIdx.x + i] *= 2.0f; }"
    source = f"namespace ns {{ {kernel} }}" if "ns::" in made else kernel
    (result,) = prove_file(Request(Path("real.cu"), ("identity",), text=f"{source}\n{made}\n".encode())).results
    assert result.target.instance is not None and result.target.instance.strip() == "2"
    assert result.variants[0].outcome is Outcome.OK


def test_no_sync_does_not_leave_a_librarys_barriers() -> None:
    kernel = """__global__ void k(float *out, const float *in) {
    using Scan = cub::BlockScan<float, 128>;
    __shared__ typename Scan::TempStorage storage;
    __shared__ float s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float v = s[127 - threadIdx.x];
    CALL
    out[threadIdx.x] = v;
}
"""
    found = refusal(kernel.replace("CALL", "Scan(storage).InclusiveSum(v, v);"), "no-sync")
    assert found.slug == "opaque-call" and "storage" in found.why
    assert "__syncwarp()" in text_of(kernel.replace("CALL", "v = library(s, v);"), "no-sync"), "numbers alone"
    call = "Scan(storage).InclusiveSum(v, v);"
    alone = refusal(kernel.replace("    __syncthreads();\n", "").replace("CALL", call), "no-sync")
    assert alone.slug == "opaque-call", "a kernel whose only barriers are the library's has barriers"


def test_math_only_guards_stores_in_functions_whatever_else_is_needed() -> None:
    body = text_of("""template <class... A> __device__ void unused(A &&...) {}
template <int n> __device__ void copy(void *to, const void *from) {
    for (int i = 0; i < n / 4; i++) ((int *)to)[i] = ((const int *)from)[i];
}
__global__ void k(float *out, const float *in, int n) {
    __shared__ float s[128];
    float tmp[2] = { in[threadIdx.x], 2.0f };
    for (int j = 0; j < n; j++) {
        copy<8>(&s[2 * threadIdx.x], tmp);
        if (s[j] > 1.0f) tmp[0] += s[j + 1];
        unused(n, s, out);  // may write anything, as far as can be seen
        copy<8>(&out[2 * threadIdx.x + j], tmp);
    }
}
""", "math-only")
    kernel = body.split("__global__")[1]
    assert "copy_km1<8>(&out[" in kernel and "copy<8>(&s[" in kernel
    assert "km_site(((int *)to)[i]) = ((const int *)from)[i]" in body


def test_math_only_keeps_no_call_for_what_it_would_store() -> None:
    """Stores to global memory are taken away: no load gets their values, and an update that nobody reads gives none."""
    body = text_of("""__device__ void count(int *bins, int *overflow, int v) {
    int before = atomicAdd(&bins[v & 31], 1);
    if (before == 255) atomicAdd(&overflow[v], 256);
}
__device__ void mix(int *state) { state[1] = state[0] >> 3; }
__global__ void k(int *out, int *state, int *overflow, const int *in) {
    __shared__ int bins[32];
    int *mine = state + 4 * threadIdx.x;
    count(bins, overflow, in[threadIdx.x]);
    mix(mine);
    out[threadIdx.x] = bins[mine[0] & 31];
}
""", "math-only")
    kernel = body.split("__global__")[1]
    assert "count_km(bins, overflow, in[threadIdx.x])" in kernel and "mix_km(mine)" in kernel
    assert "km_atomicAdd(&overflow[v], 256)" in body and "int before = atomicAdd(&bins" in body


PREDICATED = r"""__device__ void copy(unsigned at, const void *from, bool guard) {
    asm volatile("{.reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p cp.async.cg.shared.global [%0], [%1], 16;}\n"
                 : : "r"(at), "l"(from), "r"((int)guard));
}
__device__ void store(const float &value, void *to) {
    asm volatile("st.global.f32 [%0], %1;" : : "l"(to), "f"(value));
}
__global__ void k(float *out, const float4 *in, int n) {
    __shared__ float4 tile[128];
    copy((unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]), in + threadIdx.x, threadIdx.x < n);
    asm volatile("cp.async.wait_all;" ::);
    __syncthreads();
    float4 v = tile[threadIdx.x ^ 1];
    store(v.x * v.y + v.z * v.w, out + threadIdx.x);
}
"""


@needs_nvrtc
def test_inline_ptx_with_a_predicate_goes_like_other_accesses() -> None:
    check_valid(prove(PREDICATED, "memory-only", "load-only", "math-only"))
    assert "if ((int)guard) km_ptx_copy(at, from, 16)" in text_of(PREDICATED, "math-only")
    stored = text_of(PREDICATED, "memory-only")
    assert '"f"(km_value<decltype(value)>(km_sink))' in stored and "v.x * v.y" not in stored


@needs_nvrtc
def test_what_a_kernel_gets_by_reference_is_global_memory() -> None:
    check_valid(prove("""struct Element { int value, sum; };
__global__ void k(Element &e, float *out) { out[threadIdx.x] = e.value * 2.0f; e.sum = 7 * threadIdx.x; }
""", *SLICED, "math-only"))


def test_an_update_that_a_branch_reads_back_is_no_load() -> None:
    saturated = """__global__ void k(int *bins, const int *in) {
    int *bin = &bins[in[threadIdx.x]];
    if (*bin < 255) atomicAdd(bin, 1);
}
"""
    assert refusal(saturated, "load-only").slug == "store-read-back"
    assert "km_atomicAdd(bin, 1)" in text_of(saturated, "math-only")
    taken = saturated.replace("if (*bin < 255) atomicAdd(bin, 1);", "if (atomicAdd(bin, 1) < 255) bins[0] = 1;")
    assert "if (atomicAdd(bin, 1) < 255)" in text_of(taken, "memory-only")


def test_math_only_does_not_wait_for_what_nobody_stores() -> None:
    chained = """__global__ void k(volatile int *flags, volatile int *sums, int me) {
    int p = 0;
    if (me > 0) { while (flags[me - 1] == 0) {} p = sums[me - 1]; }
    sums[me] = p + 1;
    __threadfence();
    flags[me] = 1;
}
"""
    assert refusal(chained, "math-only").slug == "store-read-back"
    moving = "__global__ void k(int *p, int n) { int i = 0; while (p[i] > 0) i++; p[n] = i; }"
    assert "km_site(p[n])" in text_of(moving, "math-only"), "a search ends without the store behind it"


DIRECTIVES = """template <class T> struct Shared { __device__ T *get() { extern __shared__ T s[]; return s; } };
__global__ void k(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ <= 130
    extern volatile __shared__ float data[];
#else
    Shared<float> shared;
    volatile float *data = shared.get();
#endif
    data[threadIdx.x] = in[i] * // scaled
        2.0f;
    __syncthreads();
#ifdef TWICE
    data[threadIdx.x] *= 2.0f;
#endif
    out[i] = data[threadIdx.x ^ 1];
}
"""


@needs_nvrtc
def test_directives_among_dropped_statements_stay() -> None:
    check_valid(prove(DIRECTIVES, *SLICED, "math-only"))
    text = text_of(DIRECTIVES, "memory-only")
    assert [text.count(d) for d in ("#if", "#else", "#endif")] == [2, 1, 2]


def test_a_condition_of_which_nothing_is_left_goes() -> None:
    text = text_of(r"""__device__ void load(float &to, const float *from) {
    asm volatile(
#if __CUDA_ARCH__ >= 750
        "ld.global.nc.f32 %0, [%1];"
#else
        "ld.global.f32 %0, [%1];"
#endif
        : "=f"(to) : "l"(from));
}
__global__ void k(float *out, const float *in) { float v; load(v, in + threadIdx.x); out[threadIdx.x] = v; }
""", "memory-only")
    copy = text.split("void load_km", 1)[1].partition("__global__")[0]
    assert "#" not in copy and "ld.global.nc.f32" in copy and "load_km(km_sink, km_AnyRef(), in + threadIdx.x)" in text


@pytest.mark.parametrize(("expression", "kinds"), [
    ("(a) + (b * 2)", ["binary_expression", "binary_expression"]),
    ("(a) - b", ["binary_expression"]),
    ("(a) * p[1]", ["binary_expression"]),
    ("(a) & b", ["binary_expression"]),
    ("(float) -b", ["cast_expression"]),
    ("(N::a) * b", ["binary_expression"]),
    ("(N::size) -b", ["cast_expression"]),
])
def test_a_variable_in_parentheses_is_no_cast(expression: str, kinds: list[str]) -> None:
    source = ("typedef float T;\nnamespace N { int c, a; struct size {}; }\n"
              f"void f(int a, int b, float *p) {{ float x = {expression}; }}")
    found = [n for n in parse(source.encode()).walk() if n.type in ("binary_expression", "cast_expression")]
    assert [n.type for n in found] == kinds
    assert found[0].text == expression
    names = set(re.findall(r"(?:N::)?\b[abp]\b", expression))
    assert {n.text for n in found[0].walk() if n.type == "identifier"} == names


@needs_nvrtc
def test_what_an_address_needs_is_kept_when_it_stands_in_parentheses() -> None:
    check_valid(prove("__global__ void k(float *out, const float *in, int w) {\n"
                      "    const int row = blockIdx.x * w;\n"
                      "    int at = ((row) + (w - 1) * threadIdx.x);\n"
                      "    out[at] = in[at] * 2.0f;\n}\n", *SLICED, "math-only"))


def test_numbers_of_unknown_type_do_not_make_a_call_opaque() -> None:
    text = text_of("template <class V, class T> __device__ V pair(T x, T y) { return make_float2(x, y); }\n"
                   "template <class V> __global__ void k(V *p) {\n"
                   "    V a = p[threadIdx.x];\n"
                   "    a = pair<V>(fmaxf(a.y, 0), __fdividef(a.x, 2));\n"
                   "    p[threadIdx.x] = a;\n}\n", "memory-only")
    assert "km_put(p[threadIdx.x], km_sink)" in text


def test_a_recursion_of_functions_that_read_textures_is_refused() -> None:
    found = refusal("__device__ float odd(int i, cudaTextureObject_t t);\n"
                    "__device__ float even(int i, cudaTextureObject_t t) {\n"
                    "    return tex1D<float>(t, i) + odd(i - 1, t);\n}\n"
                    "__device__ float odd(int i, cudaTextureObject_t t) { return i < 0 ? 0 : even(i - 1, t); }\n"
                    "__global__ void k(float *out, cudaTextureObject_t t) { out[threadIdx.x] = even(threadIdx.x, t); "
                    "}\n", "memory-only")
    assert found.slug == "opaque-call" and "recursive" in found.why


@needs_nvrtc
@pytest.mark.parametrize("read", ["tex1D<float>(t, x + i)", "p[(int)x + i]"])
def test_a_template_that_calls_itself_is_mutated_in_all_its_instances(read: str) -> None:
    source = ("template <int i> __device__ float row(float x, cudaTextureObject_t t, const float *p) {\n"
              f"    return {read} * (x + i) + row<i - 1>(x, t, p);\n}}\n"
              "template <> __device__ float row<-1>(float x, cudaTextureObject_t t, const float *p) { return 0; }\n"
              "__global__ void k(float *out, cudaTextureObject_t t, const float *p) {\n"
              "    out[threadIdx.x] = row<8>(threadIdx.x, t, p);\n}\n")
    found = prove(source, *SLICED, "math-only")
    check_valid(found)


ASKED = """__global__ void k(float *out, const float *in, int n) {
    float s = 0.0f, t = 1.0f;
#pragma unroll
    for (int j = 0; j < n; j++) {
        float v = in[j * 32 + threadIdx.x];
        for (int r = 0; r < 12; r++) { s = s * v + t; t = t * s + v; s += sqrtf(t); }
    }
    out[threadIdx.x] = s + t;
}
"""


@needs_nvrtc
def test_loops_are_compared_rolled_where_the_compiler_chooses_the_factor() -> None:
    found = prove(ASKED, "memory-only", "math-only")
    check_valid(found)
    static = found["memory-only"].certificate.static  # type: ignore[union-attr]
    assert static is not None and static.loops == "rolled"


def test_rolled_text_takes_the_place_of_pragmas_without_a_number_only() -> None:
    source = (b"__global__ void k(float *p) {\n#pragma unroll\n for (;;) p[0]++;\n#pragma unroll 4\n for (;;) p[1]++;\n"
              b"for (;;) p[2]++;\nif (p)\n  #pragma unroll 3\n#pragma other\n  for (;;)\n"
              b"#pragma unroll\n for (;;) p[3]++;\n}\n")
    fewer = rolled_text(source, "k.cu").decode()
    assert fewer.count('_Pragma("unroll 1")') == 1 and fewer.count("#pragma unroll\n") == 2
    text = rolled_text(source, "k.cu", all_loops=True).decode()
    assert text.count('_Pragma("unroll 1")') == 3 and "#pragma unroll\n" not in text
    assert "#pragma unroll 4" in text and "#pragma unroll 3" in text


@needs_nvrtc
def test_register_variables_are_compiled_as_older_sources_mean_them() -> None:
    check_valid(prove("__global__ void k(float *p) { register float x = p[threadIdx.x]; p[threadIdx.x] = x * x; }\n",
                      "memory-only", "math-only"))


@needs_nvrtc
def test_an_argument_that_nothing_needs_may_have_no_default_constructor() -> None:
    check_valid(prove("#include <cooperative_groups.h>\n"
                      "namespace cg = cooperative_groups;\n"
                      "template <class T, class G> __device__ void put(T *p, T x, G &group) {\n"
                      "    group.sync();\n    p[group.thread_rank()] = x * x;\n}\n"
                      "template <class T, class G> __device__ void keep(T *p, T x, G group) { *p = x; }\n"
                      "__device__ void plain(float *p, float x, cg::thread_block group) { p[1] = x; }\n"
                      "__global__ void k(float *p) {\n"
                      "    cg::thread_block block = cg::this_thread_block();\n    plain(p, p[3], block);\n"
                      "    keep(p + blockIdx.x, p[7], block);\n"
                      "    put(p, p[threadIdx.x], block);\n}\n", *SLICED, "math-only"))


@needs_nvrtc
def test_stores_to_one_place_stay_apart_without_the_loads_between_them() -> None:
    found = prove("__global__ void k(float *z, const float *w, int n) {\n"
                  "    int at = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "    z[at] = 0.0f;\n"
                  "    for (int i = 0; i < n; i++) z[at] += w[i];\n"
                  "    z[at] = sqrtf(z[at]);\n}\n", "store-only")
    check_valid(found)
    static = found["store-only"].certificate.static  # type: ignore[union-attr]
    assert static is not None and static.variant["global_store.32"] == static.original["global_store.32"] == 3


@needs_nvrtc
def test_a_guard_is_seen_beside_the_reciprocal_of_a_double() -> None:
    """MUFU.RCP64H writes one register, not the next one, which held the condition."""
    found = prove("__global__ void k(float *p, const double *d) {\n"
                  "    double s = 0.0;\n"
                  "    for (int j = 0; j < 8; j++) {\n"
                  "        p[j * 64 + threadIdx.x] = s;\n        s += 1.0 / (d[j] + s);\n"
                  "        p[j * 96 + threadIdx.x] = 1.0 / s;\n"
                  "    }\n}\n", "math-only")
    check_valid(found)


def test_votes_and_reciprocals_write_what_they_write() -> None:
    def instruction(opcode: str, operands: str) -> Instruction:
        return Instruction(0, "", opcode, operands, 0, 0)

    assert written(instruction("VOTEU.ALL", "UP0, P0")) == ("UP0",)
    assert written(instruction("VOTE.ANY", "R3, PT, P1")) == ("R3",)
    assert written(instruction("MUFU.RCP64H", "R57, R55")) == ("R57",)
    assert written(instruction("F2F.F32.F64", "R50, R48")) == ("R50",)
    assert written(instruction("F2F.F64.F32", "R44, R50")) == ("R44", "R45")
    assert written(instruction("F2I.F64.TRUNC", "R4, R2")) == ("R4",)
    assert written(instruction("F2I.S64.F64.TRUNC", "R4, R2")) == ("R4", "R5")
    assert written(instruction("I2F.S64", "R4, R2")) == ("R4",)
    assert written(instruction("I2F.F64.U32", "R4, R2")) == ("R4", "R5")


@needs_nvrtc
def test_arrays_in_structures_without_a_name_are_addresses() -> None:
    source = ("typedef struct { unsigned char d; union { struct { short a, b; } s; int both; } u; signed char q[8]; } "
              "Block;\n"
              "template <class T> struct Other { T v; signed char q[4]; };\n"
              "template <class T> __global__ void k(T *out, const void *in, const Other<T> *more) {\n"
              "    const Block *x = (const Block *)in;\n"
              "    const signed char *q = x[blockIdx.x].q + 2;\n"
              "    const signed char *r = more[blockIdx.x].q + 1;\n"
              "    out[threadIdx.x] = x[blockIdx.x].d * q[threadIdx.x & 3] + r[threadIdx.x & 1];\n}\n")
    request = Request(Path("real.cu"), (*SLICED, "math-only"), (), ("k<float>",), text=source.encode())
    (result,) = prove_file(request).results
    check_valid({v.mutation: v for v in result.variants})
    assert "km_opaque(&x[blockIdx.x].q)" not in text_of(source, "math-only")


EARLY = """__global__ void k(float *out, const float *in, const int *index, int n) {
    __shared__ float s[64];
    int t = threadIdx.x, found = 0, m = 0;
    float sum = 0.0f;
    bool done = false;
    for (int base = 0; base < n; base += 64) {
        if (__syncthreads_and(done)) break;
        s[t] = in[base + t];
        __syncthreads();
        BODY
    }
    out[t] = sum + m;
    AFTER
}
"""


@pytest.mark.parametrize("body", [
    "for (int k = 0; k < 64 && !done; k++) { if (s[k] < 0.1f) continue; sum += s[k]; done = sum > 9.0f; }",
    "for (int k = 0; k < 64; k++) { if (s[k] < 0.0f) { m = base + k; break; } sum += in[k]; } done = s[1] > 2.0f;",
    "for (int k = 0; k < 64; k++) switch ((int)s[k]) { case 1: sum += 1; break; default: if (sum > 9) return; }",
])
def test_shared_data_that_only_end_a_loop_early_need_no_barrier(body: str) -> None:
    """Without it the loop ends elsewhere, but in its own bounds: a branch goes another way, and no address is wrong."""
    unit = load_unit(EARLY.replace("BODY", body).replace("AFTER", "").encode(), "real.cu")
    made = build_variant(unit, unit.kernels[0], parse_composition("no-sync"))
    assert isinstance(made, VariantText) and "sync-carries-control" in {n.slug for n in made.notes}, made


@pytest.mark.parametrize(("body", "after"), [
    ("while (s[m] > 0.5f) m++;", ""), ("for (m = t; s[m] > 0.5f && done; m++) sum++;", ""),  # nothing else ends them
    ("for (int k = 0; k < 64; k++) { if (s[k] > 0.5f) break; found++; }", "out[found] = 1.0f;"),
    ("int k = 0; for (; k < 64; k++) if (s[k] > 0.5f) break; sum += in[k];", ""),
    ("for (int k = 0; k < 64; k++) { if (s[k] > 0.5f) break; out[m++] = sum; }", ""),
    ("for (int k = 0; k < 64; k++) { if (s[k] > 0.5f) k--; if (s[k] < 0.1f) break; }", ""),
    ("for (int k = 0; k < (int)s[0]; k++) sum += in[k];", ""), ("sum += in[(int)s[63 - t]];", ""),
    ("while (sum < 9.0f) { if (s[t] < 0.0f) continue; sum += 1.0f; }", ""),
])
def test_shared_data_that_decide_how_far_something_goes_need_their_barrier(body: str, after: str) -> None:
    assert refusal(EARLY.replace("BODY", body).replace("AFTER", after), "no-sync").slug == "sync-carries-addresses"


@pytest.mark.parametrize(("index", "left"), [("auto i = threadIdx.x", False), ("auto i = library(n)", True)])
def test_a_conversion_that_is_left_by_itself_declares_nothing(index: str, left: bool) -> None:
    """``T(i);`` would be a second ``i``; that ``T`` changes an ``i`` of a type nobody knows is not excluded."""
    text = text_of("template <class T> __global__ void k(T *a, int n) {\n"
                   f"    {index};\n    if (i < n) {{ a[i] = T(i); a[i + n] = T(i); }}\n}}\n", "memory-only")
    assert ("(void)T(i);" in text) == left and "km_put(a[i + n]" in text
    assert " T(i)" not in text


@pytest.mark.parametrize("declared", [
    "double (*rows)[7][5] = (double (*)[7][5])p;", "T (*rows)[3] = (T(*)[N + 1]) (p + 1);", "T (*rows)[3];",
    "Real (*rows)[3] = reinterpret_cast<Real (*)[3]>(p);", "float (&row)[4] = tile[i];", "float4 (*rows)[2] = x[i];",
    "double (*rows) = p;",
])
def test_a_pointer_to_an_array_is_declared_as_with_a_qualifier(declared: str) -> None:
    def shape(before: str) -> list[object]:
        root = parse(f"void f() {{ {before}{declared} }}".encode())
        (found,) = (n for n in root.walk() if n.type == "declaration")
        return [(n.type, n.text, sorted(n.fields)) for k in found.kids if k.type != "type_qualifier" for n in k.walk()]

    assert shape("      ") == shape("const ")


@pytest.mark.parametrize("assigned", ["rows(*p)[2] = 3;", "at(&p)[1] = x;", "at(*p) = x;", "f(*p)[i] = (float)x;"])
def test_an_element_of_what_a_function_returns_is_not_declared(assigned: str) -> None:
    assert all(n.type != "declaration" for n in parse(f"void f() {{ {assigned} }}".encode()).walk())


ROWS = """__device__ void transform(int n, double *x, double *y);
__device__ void passes(int n, double *x, double *y) { transform(n, x, y); transform(n, y, x); }
__device__ void transform(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = 2.0 * x[i] + 1.0; }
__global__ void k(double *first, double *second, int n) {
    extern __shared__ double s[];
    double (*rows)[3][5] = (double(*)[3][5])first;
    double (*tile)[5] = (double(*)[5])s;
    tile[threadIdx.x][0] = rows[threadIdx.x][1][2];
    __syncthreads();
    rows[threadIdx.x][0][3] = tile[threadIdx.x ^ 1][0] * 3.0;
    passes(n, first, second);
}
"""


@needs_nvrtc
def test_rows_by_pointers_and_copies_that_are_called_before_they_stand() -> None:
    check_valid(prove(ROWS, "memory-only", "store-only", "math-only"))
    assert "km_put(rows[threadIdx.x][0][3], km_sink);" in text_of(ROWS, "memory-only")


STEP = """__device__ int step(int *state, int *log, int i) {
    int v = state[i];
    state[i] = v * 5 + 1;
    log[i]++;
    return v;
}
__global__ void k(int *out, int *state, int *log) {
    if (step(state, log, threadIdx.x) > 3) out[threadIdx.x] = 7;
}
"""


@needs_nvrtc
def test_a_function_whose_result_decides_a_branch_keeps_its_loads_and_no_stores() -> None:
    text = text_of(STEP, "math-only")
    assert "if (step_km(state, log, threadIdx.x) /*" in text and "int v = state[i];" in text
    assert "km_site(state[i]) = v * 5 + 1;" in text and "km_site(log[i])++" in text
    (found,) = prove(STEP, "math-only").values()
    assert found.certificate is not None and found.certificate.verdict is Verdict.DEGRADED, found.certificate
    assert "retained-loads" in {r.slug for r in found.certificate.reasons}


@needs_nvrtc
def test_headers_of_cub_and_thrust_for_host_code_do_not_hinder_a_kernel() -> None:
    source = ("#include <cub/cub.cuh>\n#include <thrust/device_vector.h>\n"
              "__global__ void plain(float *p) { p[threadIdx.x] *= 2.0f; }\n"
              "__global__ void sum(const float *p, float *out) {\n"
              "    typedef cub::BlockReduce<float, 128> Block;\n"
              "    __shared__ typename Block::TempStorage storage;\n"
              "    float s = Block(storage).Sum(p[threadIdx.x]);\n"
              "    if (threadIdx.x == 0) *out = s;\n}\n"
              "void host(float *p, int n) { size_t b; cub::DeviceReduce::Sum(nullptr, b, p, p, n);\n"
              "    thrust::device_vector<float> v(4); }\n")
    check_valid(prove(source, "memory-only", kernel="plain"))
    check_valid(prove(source, "memory-only", "math-only", kernel="sum"))


ARGUMENTS = """typedef void (*unpack_t)(const void *p, long i, float2 &v);
struct Packed { float scale; unsigned char q[16]; };
static __device__ __forceinline__ void unpack_plain(const void *p, long i, float2 &v) {
    const float *f = (const float *)p; v.x = f[2 * i]; v.y = f[2 * i + 1];
}
static __device__ __forceinline__ void unpack_packed(const void *p, long i, float2 &v) {
    const Packed *x = (const Packed *)p; float d = x[i / 16].scale; int q = x[i / 16].q[i & 15];
    v.x = (q & 15) * d; v.y = (q >> 4) * d;
}
template <unpack_t unpack, class T> __global__ void k(const void *p, T *out, int n) {
    long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 v;
    unpack(p, i, v);
    out[2 * i] = v.x * 2;
    out[2 * i + 1] = v.y * 2;
}
template <unpack_t unpack> void launch(const void *p, float *o) { k<unpack, float><<<1, 32>>>(p, o, 4); }
void host(const void *p, float *o) {
    k<unpack_packed, float><<<1, 32>>>(p, o, 4);
    launch<unpack_plain>(p, o);
}
"""


@needs_nvrtc
@pytest.mark.parametrize("function", ["unpack_plain", "unpack_packed"])
def test_a_function_that_is_a_template_argument_is_mutated_whichever_it_is(function: str) -> None:
    request = Request(Path("real.cu"), (*SLICED, "math-only", "memory-only+no-sync"), (), (f"k<{function}, float>",),
                      text=ARGUMENTS.encode())
    (result,) = prove_file(request).results
    found = {v.mutation: v for v in result.variants}
    assert found.pop("memory-only+no-sync").outcome is Outcome.REFUSED  # there is no barrier
    math = found.pop("math-only")
    assert math.outcome is Outcome.OK and math.certificate is not None and math.certificate.static is not None
    assert not any(c.startswith("global") for c in math.certificate.static.variant)
    check_valid(found)


def test_a_template_among_the_template_arguments_is_refused() -> None:
    found = refusal("typedef float (*get_t)(const float *p);\n"
                    "__device__ float first(const float *p) { return p[0]; }\n"
                    "template <int N> __device__ float nth(const float *p) { return p[N]; }\n"
                    "template <get_t get> __global__ void k(const float *p, float *o) { *o = get(p); }\n"
                    "void host(float *p) { k<first><<<1, 1>>>(p, p); k<nth<3>><<<1, 1>>>(p, p); }\n", "memory-only")
    assert found.slug == "indirect-call"


@needs_nvrtc
def test_macros_of_one_letter_do_not_reach_the_helpers() -> None:
    macros = "".join(f"#define {c} 16\n" for c in "ACFGHKMNPRSTV")
    check_valid(prove(macros + "__global__ void k(float *p, int4 *q, unsigned *h) {\n"
                      "    __shared__ float s[N];\n    s[threadIdx.x] = p[threadIdx.x * M];\n    __syncthreads();\n"
                      "    p[threadIdx.x * K] = s[threadIdx.x ^ 1] * V;\n    q[T] = q[threadIdx.x];\n"
                      "    atomicAdd(&h[P], 2u);\n}\n"))


@needs_nvrtc
def test_bytes_copied_to_a_variable_are_a_load() -> None:
    source = ("__global__ void k(float *out, const unsigned char *in) {\n"
              "    unsigned q; float d;\n"
              "    memcpy(&q, in + threadIdx.x * 8, sizeof(q));\n"
              "    memcpy(&d, in + threadIdx.x * 8 + 4, sizeof(d));\n"
              "    float w[4];\n"
              "    memcpy(w, in + threadIdx.x * 16, 3 * sizeof(float));\n"
              "    out[threadIdx.x] = q * d + w[0] * w[1] + w[2];\n}\n")
    check_valid(prove(source, *SLICED, "math-only"))
    kernel = text_of(source, "store-only").split("__global__")[1]
    assert "memcpy" not in kernel


@pytest.mark.parametrize(("mutation", "body"), [
    ("memory-only", "if (n < 4) s = n > 2 ? in[i] : 1.0f; else out[i + 64] = 2.0f; out[i] = s;"),
    ("load-only", "if (n < 4) atomicAdd(&out[i], in[i]); else s = in[i + 64]; out[i] = s;"),
    ("store-only", "if (n < 4) s = n > 2 ? (out[i] = 2.0f) : 1.0f; else out[i + 64] = 2.0f;"),
    ("math-only", "if (n < 4) asm volatile(\"st.global.f32 [%0], %1;\" :: \"l\"(out + i), \"f\"(s)); else s = in[i]; "
                  "out[i + 64] = s;"),
])
def test_an_else_belongs_to_the_if_that_it_belonged_to(mutation: str, body: str) -> None:
    """What a branch without braces becomes may begin with an ``if`` of its own."""
    source = ("__global__ void k(const float *in, float *out, int n) { int i = threadIdx.x; float s = 0.5f; "
              f"{body} }}\n")
    text = text_of(source, mutation).split("__global__")[1]
    branch = text[text.index("if (n < 4)") + 10 : text.index("else")]
    assert branch.strip().startswith("{") and branch.count("{") == branch.count("}"), branch


NESTED = """__device__ int waits(int x) { __syncthreads(); return x; }
__global__ void k(int *out, const int *in) {
    __shared__ int s[256];
    s[threadIdx.x] = in[threadIdx.x];
    int any = __syncthreads_count(__syncthreads_or(s[255 - threadIdx.x] > 0) && waits(in[threadIdx.x]) > 1);
    out[threadIdx.x] = any;
}
"""


@needs_nvrtc
def test_barriers_in_what_a_barrier_counts_are_removed_too() -> None:
    text = text_of(NESTED, "no-sync")
    assert "__popc(__ballot_sync(0xffffffffu, __any_sync(0xffffffffu, s[255 - threadIdx.x] > 0)" in text
    found = prove(NESTED, "no-sync")["no-sync"]
    assert found.outcome is Outcome.OK, found.log
    assert found.certificate is not None and found.certificate.verdict is not Verdict.INVALID


def test_what_stands_in_a_barriers_parentheses_goes_with_it() -> None:
    text = text_of("__global__ void k(int *p) { __syncthreads(p[0] __syncthreads()); p[1] = 2; }", "no-sync")
    assert text.count("__syncwarp()") == 1 and "__syncthreads()" not in text


@pytest.mark.parametrize("mutation", ["identity", "memory-only", "load-only", "store-only", "math-only"])
def test_bytes_that_are_no_text_stay(mutation: str) -> None:
    """In the name of a function that is copied, and of a macro's parameter."""
    source = (b"#define F(\x92) 1\nnamespace a { namespace b {\n_\xfb_ float scale(const float *p, int i) "
              b"{ return 3.0f * p[i]; }\n}\n__global__ void k(float *out, const float *in) "
              b"{ out[threadIdx.x] = b::scale(in, threadIdx.x); }\n}\n")
    unit = load_unit(source, "k.cu")
    made = build_variant(unit, unit.kernels[0], parse_composition(mutation))
    assert isinstance(made, Refused) or b"_\xfb_ float scale" in made.text


SPECIALISED = """template <unsigned N> __device__ inline void put(unsigned char *to, const unsigned *v);
template <> __device__ inline void put<1u>(unsigned char *to, const unsigned *v) { to[0] = v[0]; }
template <> __device__ inline void put<2u>(unsigned char *to, const unsigned *v) { to[0] = v[0]; to[1] = v[1]; }
template <unsigned N> __global__ void k(unsigned char *out, const unsigned *in) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned v[2] = {in[i], in[i + 1024]};
    put<N>(out + N * i, v);
}
void host(unsigned char *o, unsigned *i) { k<2><<<4, 256>>>(o, i); }
"""


@needs_nvrtc
def test_a_template_that_is_only_declared_has_mutated_specialisations(tmp_path: Path) -> None:
    check_valid(prove(SPECIALISED, *SLICED, "math-only"))
    # The same in a header, and in a namespace around the kernel's.
    functions, kernel, host = re.split(r"(?=template <unsigned N> __global__|void host)", SPECIALISED)
    (tmp_path / "put.h").write_text(f"namespace a {{\n{functions}}}\n")
    put_all = "template <unsigned N> __device__ void put_all(unsigned char *to, const unsigned *v) { put<N>(to, v); }\n"
    body = put_all + kernel.replace("    put<N>", "    put_all<N>") + host
    (tmp_path / "k.cu").write_text(f'#include "put.h"\nnamespace a {{\nnamespace b {{\n{body}}}\n}}\n')
    (result,) = prove_file(Request(tmp_path / "k.cu", ("memory-only",))).results
    check_valid({v.mutation: v for v in result.variants})


@needs_nvrtc
@pytest.mark.parametrize(("good_at_last", "slug", "verdict"), [(True, "compiler-varies", Verdict.VALID),
                                                               (False, "not-identical", Verdict.INVALID)])
def test_a_compiler_that_varies_is_asked_again(monkeypatch: pytest.MonkeyPatch, good_at_last: bool, slug: str,
                                               verdict: Verdict) -> None:
    submit = Compiling.submit
    asked: set[bytes] = set()

    def varying(self: Compiling, text: bytes, entry: str, then: Callable[[Result], None] | None = None) -> None:
        if b"kmutate" not in text:
            asked.add(text)
            if not (good_at_last and text.endswith(b"\n\n\n")):
                text = text.replace(b"3.0f", b"5.0f")
        submit(self, text, entry, then)

    monkeypatch.setattr(Compiling, "submit", varying)
    (found,) = prove("__global__ void k(float *p) { p[threadIdx.x] *= 3.0f; }\n", "identity").values()
    assert found.certificate is not None and found.certificate.verdict is verdict
    assert {r.slug for r in found.certificate.reasons} & {"compiler-varies", "not-identical"} == {slug}
    assert len(asked) == (3 if good_at_last else 7)


LOCAL_ARRAYS = """__device__ __noinline__ void check(unsigned *h, unsigned *out, unsigned limit) {
    unsigned *g = h, x;
    asm("add.u32 %0, %1, 1;" : "=r"(x) : "r"(h[0]));
    if (x + g[1] > 5u) {
        unsigned at = atomicAdd(out, 1u);
        if (at < limit) out[at + 1] = g[1];
    }
}
__device__ void fill(unsigned *h, unsigned by) { unsigned *g = h + 1; *g = *g * 3u + by; }
__device__ void nested(unsigned *h, unsigned by) { fill(h, by); }
__global__ void k(const unsigned *in, unsigned *out, unsigned limit) {
    unsigned h[2] = {threadIdx.x, blockIdx.x};
    check(h, out, limit);
    nested(h, in[threadIdx.x]);
    check(h, out, limit);
}
"""


def test_a_function_that_reads_a_local_array_does_not_change_it() -> None:
    kernel = text_of(LOCAL_ARRAYS, "math-only").split("__global__")[1]
    assert kernel.count("check_km(h, out, limit);") == 2 and "    nested(h, in[threadIdx.x]);" in kernel
    assert "km_site(out[at + 1]) = g[1];" in text_of(LOCAL_ARRAYS, "math-only")


ATOMIC_OBJECTS = """#include <cuda/atomic>
template <class T> __device__ T get(T *place)
{
    return ((cuda::atomic<T> *)place)->load(cuda::memory_order_relaxed);
}
using Bin = cuda::atomic<unsigned, cuda::thread_scope_device>;
__global__ void k(Bin *bins, unsigned *plain, unsigned *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bins[get(&in[i]) & 255].fetch_add(in[i + n], cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> most(plain[i & 255]);
    most.fetch_max(in[i] * 3);
    cuda::atomic_ref<float, cuda::thread_scope_device>(out[i]).store(2.0f * bins[i].load(), cuda::memory_order_release);
}
"""


def test_members_of_atomic_objects_access_the_memory_of_the_object() -> None:
    kept, bare = text_of(ATOMIC_OBJECTS, "memory-only"), text_of(ATOMIC_OBJECTS, "math-only")
    assert "bins[get(&in[i]) & 255].fetch_add(km_value<decltype((" in kept
    assert "km_fold(km_sink, bins[i].load());" in kept and "km_fold(km_sink, in[i]);" in kept
    assert "km_load(*(((cuda::atomic<T> *)place)), cuda::memory_order_relaxed)" in bare
    assert "km_fetch_max(most, km_opaque(&in[i]) * 3);" in bare
    assert "(out[i]), 2.0f * km_load(bins[i]), cuda::memory_order_release);" in bare
    assert "if (km_never_at(km_where((bins[get(&in[i]) & 255]))))" in text_of(ATOMIC_OBJECTS, "load-only")
    for more, name in (("most += 3;", "atomic_ref"), ("unsigned m = most;", "atomic_ref"),
                       ("unsigned m = 1; most.compare_exchange_weak(m, 2);", "compare_exchange_weak")):
        found = refusal(ATOMIC_OBJECTS.replace("most.fetch_max(in[i] * 3);", more), "math-only")
        assert found.slug == "opaque-call" and found.why.startswith(f"{name}()"), found
    own = ATOMIC_OBJECTS.replace("#include <cuda/atomic>", "namespace cuda { template <class T, int s = 0> struct "
                                 "atomic { T v; __device__ T load(int = 0) { return v; } }; }")
    assert "km_load" not in text_of(own.replace(".fetch_add(in[i + n], cuda::memory_order_relaxed)", ".load()"),
                                    "math-only")


@needs_nvrtc
def test_variants_of_atomic_objects_are_proven() -> None:
    check_valid(prove(ATOMIC_OBJECTS, "memory-only", "store-only", "math-only"))


PTX_RESULTS = """__global__ void k(int *out, const int *in) {
    int i = threadIdx.x, lane, s = 0;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("add.s32 %0, %1, %2;" : "=r"(out[i]) : "r"(in[i]), "r"(3));
    if (in[i + 32] > 3) asm("add.s32 %0, %0, %1;" : "+r"(*(out + 64)) : "r"(s)); else
    asm("sub.s32 %0, %2, %3; add.s32 %1, %2, 4;" : "=r"(out[i + lane]), "=r"(s) : "r"(lane), "r"(in[i + 9]));
    out[i + 256] = s;
}
"""


@needs_nvrtc
def test_a_result_of_inline_ptx_goes_to_global_memory() -> None:
    kept, bare = text_of(PTX_RESULTS, "memory-only"), text_of(PTX_RESULTS, "math-only")
    assert "km_fold(km_sink, in[i]);" in kept and "km_put(out[i], km_sink);" in kept
    assert "{ km_fold(km_sink, *(out + 64)); km_put<2>(*(out + 64), km_sink); }" in kept and "laneid" in kept
    assert '= km_opaque(&(*(out + 64))); asm("add.s32 %0, %0, %1;" : "+r"(km_result' in bare
    found = prove(PTX_RESULTS, "memory-only", "store-only", "math-only")
    assert found.pop("math-only").outcome is Outcome.OK
    check_valid(found)
    wild = refusal(PTX_RESULTS.replace('"=r"(out[i])', '"=r"(out[in[i]])'), "math-only")
    assert wild.slug == "inline-ptx-access"


NO_PARAMETERS = """__device__ float factor[4];
struct Scaled { float *p; __device__ float get(void) { return p[0]; } };
__device__ float scale(void) { return factor[threadIdx.x & 3]; }
template <class T> __device__ void add(volatile T *s, int i) { s[i] += s[2 * i]; }
__global__ void k(float *out, Scaled s) {
    __shared__ volatile float near[64];
    near[threadIdx.x] = scale() * s.get();
    __syncthreads();
    add<float>(near, threadIdx.x & 15);
    out[threadIdx.x] = near[threadIdx.x];
}
"""


@needs_nvrtc
def test_functions_without_parameters_and_volatile_shared_arrays() -> None:
    found = prove(NO_PARAMETERS, "memory-only", "math-only", "smem-broadcast")
    assert {v.outcome for v in found.values()} == {Outcome.OK}, {n: v.log for n, v in found.items()}
    assert "get_km(km_Sink &km_sink)" in text_of(NO_PARAMETERS, "memory-only")
