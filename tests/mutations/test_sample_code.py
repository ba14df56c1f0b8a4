"""What NVIDIA's samples and shoc taught: code whose variants were wrong, or were wrongly called INVALID."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.frontend.load import load_unit
from mutate.model import Outcome, Verdict
from mutate.mutations.base import Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import parse_composition
from mutate.pipeline.run import prove_file
from mutate.results import Request, VariantResult
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
SLICED = ("memory-only", "load-only", "store-only")
ALL = (*SLICED, "math-only")


def prove(source: str, *mutations: str, path: Path = Path("sample.cu"), instance: str = "") -> dict[str, VariantResult]:
    request = Request(path, mutations, ("^k$",), (instance,) if instance else (), text=source.encode())
    (result,) = prove_file(request).results
    assert result.error is None, result.error
    return {v.mutation: v for v in result.variants}


def check_valid(found: dict[str, VariantResult]) -> None:
    for name, v in found.items():
        assert v.outcome is Outcome.OK, (name, v.log or v.refusal)
        assert v.certificate is not None and v.certificate.verdict is Verdict.VALID, (name, v.certificate)


def counts(found: dict[str, VariantResult], mutation: str) -> dict[str, int]:
    certificate = found[mutation].certificate
    assert certificate is not None
    return dict(certificate.static.variant)


def made(source: str, mutation: str, path: Path = Path("sample.cu")) -> VariantText | Refused:
    unit = load_unit(source.encode(), str(path))
    return build_variant(unit, next(k for k in unit.kernels if k.name == "k"), parse_composition(mutation))


def kernel_text(source: str, mutation: str) -> str:
    variant = made(source, mutation)
    assert isinstance(variant, VariantText), variant
    text = variant.text.decode()
    return text[text.index("void k(") :]


# A function gets an array for its accesses of shared memory and another for global ones; the overloads and the template
# make its arguments' types matter, and its values do not.
TYPES_ONLY = """template <class T> __device__ void get(T *a, T *from, int step) {
    for (int i = 0; i < 4; i++) a[i] = from[i * step];
}
template <class T> __device__ void get(T *a, T *from, int *index) {
    for (int i = 0; i < 4; i++) a[i] = from[index[i]];
}
template <class T> __device__ void turn(T *a, T *s, T *l, int step) {
    for (int i = 0; i < 4; i++) s[i * 33] = a[i];
    __syncthreads();
    get<T>(a, l, step);
}
__global__ void k(float *data) {
    __shared__ float tile[33 * 33];
    float a[4];
    data += blockIdx.x * 128 + threadIdx.x;
    for (int i = 0; i < 4; i++) a[i] = data[i * 32];
    turn<float>(a, tile + threadIdx.x, tile + threadIdx.x * 33, 1);
    for (int i = 0; i < 4; i++) data[i * 32] = sqrtf(a[i]);
}
"""


def test_what_is_only_named_in_a_decltype_is_not_computed() -> None:
    text = kernel_text(TYPES_ONLY, "memory-only")
    assert "sqrtf" not in text
    assert "a[i] =" not in text


@needs_nvrtc
def test_slices_lose_the_arithmetic_of_such_calls() -> None:
    found = prove(TYPES_ONLY, "load-only", "store-only")
    check_valid(found)
    assert not any(c.startswith(("sfu", "shared")) for m in found for c in counts(found, m))


REFERENCE = """__device__ void halve(const int *from, int i, int &all_done) {
    if (from[i] > 1) atomicExch(&all_done, 0);
}
__device__ void plain(int &x) { x = 0; }
__device__ void looks(const int &x, int *y) { *y = x; }
__global__ void k(float *out, const float *in, const int *from) {
    __shared__ int done, other;
    float sum = 0.0f;
    for (int n = 0;; n++) {
        done = 1;
        other = 1;
        __syncthreads();
        halve(from, threadIdx.x + n, done);
        plain(other);
        __syncthreads();
        if (done == 1) break;
        sum += in[n];
    }
    out[threadIdx.x] = sum;
}
"""


def test_a_loop_that_waits_for_a_reference_to_shared_memory_keeps_who_writes_it() -> None:
    for mutation in ("memory-only", "load-only"):
        text = kernel_text(REFERENCE, mutation)
        # Without it the loop would never end, or end at once.
        assert "halve(from, threadIdx.x + n, done);" in text
        assert "plain(other)" not in text


WHOLE_CALL = """__device__ void fetch(int *list, const int *image, int n) { list[n] = image[n]; }
__global__ void k(float *out, const int *image) {
    __shared__ int list[64];
    fetch(list, image, threadIdx.x);
    __syncthreads();
    out[list[63 - threadIdx.x]] = 1.0f;
}
"""


@needs_nvrtc
def test_loads_in_a_function_that_is_called_as_it_is_are_listed() -> None:
    found = prove(WHOLE_CALL, "store-only")
    check_valid(found)
    certificate = found["store-only"].certificate
    assert certificate is not None
    assert any(r.slug == "retained-load" and "image[n]" in r.text for r in certificate.reasons)


@pytest.mark.parametrize(("statement", "slug"), [
    ("p[0] = new int[n];", "device-heap"),
    ("delete p[0];", "device-heap"),
    ("__shared__ cooperative_groups::block_tile_memory<256> scratch; p[n][0] = 1;", "group-memory"),
])
def test_memory_that_is_accessed_by_code_which_is_not_followed(statement: str, slug: str) -> None:
    for mutation in ALL:
        found = made(f"__global__ void k(int **p, int n) {{ {statement} }}\n", mutation)
        if slug == "device-heap" and mutation == "memory-only":
            # What the allocator accesses is in the original and in the variant.
            assert isinstance(found, VariantText) and any(n.slug == "heap-kept" for n in found.notes)
            continue
        assert isinstance(found, Refused)
        assert found.slug == slug


SHARED_BARRIER = """#include <cuda/barrier>
#include <cooperative_groups.h>
__device__ void meet() { __syncthreads(); }
__global__ void k(float *out, const float *in, const int *index) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[256];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    s[threadIdx.x] = index[threadIdx.x];
    meet();
    auto token = bar.arrive();
    float x = sqrtf(in[s[threadIdx.x ^ 1]]);
    bar.wait(std::move(token));
    out[threadIdx.x] = x;
    cooperative_groups::this_grid().sync();
    out[threadIdx.x] += out[threadIdx.x ^ 1];
}
"""


def test_memory_only_keeps_barriers_that_global_or_shared_state_is_behind() -> None:
    found = made(SHARED_BARRIER, "memory-only")
    assert isinstance(found, VariantText)
    body = found.text.decode().split("__global__")[1]
    for kept in ("if (threadIdx.x == 0) init(&bar, blockDim.x);", "auto token = bar.arrive();", "meet();",
                 "bar.wait(std::move(token));", "cooperative_groups::this_grid().sync();"):
        assert kept in body
    assert "sqrtf" not in body
    assert [n.text.split(" stays")[0] for n in found.notes if n.slug == "barrier-kept"] == [
        "bar", "cooperative_groups::this_grid().sync()"]
    assert isinstance(made(SHARED_BARRIER, "load-only"), Refused)


def test_math_only_waits_for_the_block_in_place_of_the_grid() -> None:
    assert isinstance(made(SHARED_BARRIER, "math-only"), Refused)  # a barrier object besides
    found = made("#include <cooperative_groups.h>\n__global__ void k(float *out) {\n    out[threadIdx.x] = 1.0f;\n"
                 "    cooperative_groups::this_grid().sync();\n    out[threadIdx.x ^ 1] += 2.0f;\n}\n", "math-only")
    assert isinstance(found, VariantText)
    body = found.text.decode().split("__global__")[1]
    assert "this_grid" not in body
    assert "(__syncthreads(), __syncthreads()); /* kmutate: grid-wide barrier becomes the block's */" in body
    assert any(n.slug == "grid-barrier-replaced" for n in found.notes)


ASYNC = """#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(float *out, const float *in, int n) {
    __shared__ alignas(16) float tile[1024];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const auto shape = cuda::aligned_size_t<alignof(float4)>(sizeof(float4));
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[4 * threadIdx.x], in + 4 * (i * 256 + threadIdx.x), shape, pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        sum += tile[1023 - threadIdx.x] * sum;
        pipe.consumer_release();
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
"""


@needs_nvrtc
def test_an_asynchronous_copy_of_one_element_by_reference() -> None:
    """As ``nvcuda::experimental`` had it."""
    found = prove("""
struct Pipe { int depth; };
__device__ void memcpy_async(float4 &to, const float4 &from, Pipe &pipe) { to = from; pipe.depth++; }
__global__ void k(float *out, const float4 *in) {
    __shared__ float4 tile[64];
    Pipe pipe = { 0 };
    memcpy_async(tile[threadIdx.x], in[threadIdx.x], pipe);
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x].y;
}
""", "math-only")
    assert found["math-only"].outcome is Outcome.OK, found["math-only"].log
    assert counts(found, "math-only")["shared_store.128"] == 1


@needs_nvrtc
def test_an_asynchronous_copy_of_one_thread() -> None:
    found = prove(ASYNC, *ALL)
    for name, v in found.items():
        assert v.outcome is Outcome.OK, (name, v.log or v.refusal)
        assert v.certificate is not None and v.certificate.verdict is not Verdict.INVALID, (name, v.certificate)
    math = counts(found, "math-only")
    assert not any(c.startswith(("async_copy", "global", "generic")) for c in math)
    assert math["shared_store.128"] > 0
    assert any(c.startswith("async_copy") for c in counts(found, "memory-only"))


@needs_nvrtc
@pytest.mark.parametrize(("group", "element"), [("tile", "double"), ("block", "float"), ("tile", "float3")])
def test_an_asynchronous_copy_of_a_group_is_as_wide_as_its_size_is_aligned(group: str, element: str) -> None:
    bytes_ = 4 if element == "float3" else 16
    found = prove(f"""#include <cuda/barrier>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k({element} *out, const {element} *in) {{
    __shared__ alignas(16) {element} s[256];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    cg::memcpy_async({group}, s, in, cuda::aligned_size_t<{bytes_}>(64 * sizeof({element})));
    cg::wait({group});
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}}
""", "math-only")
    v = found["math-only"]
    assert v.certificate is not None, v.log
    if bytes_ == 16:
        check_valid(found)
        assert counts(found, "math-only")["shared_store.128"] > 0
    else:
        assert v.certificate.verdict is not Verdict.INVALID, "a copy of elements that are no multiple of its width"


@needs_nvrtc
def test_a_copy_of_a_headers_function_comes_before_its_callers(tmp_path: Path) -> None:
    header = "inline __device__ float first(const float *s, int i) { return s[i] + s[i ^ 1]; }\n"
    (tmp_path / "sums.h").write_text(header)
    source = """#include "sums.h"
__device__ float both(const float *s) { return first(s, threadIdx.x) * 2.0f; }
struct Between { float x; };
__global__ void k(float *out, const float *in) {
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = both(s);
}
"""
    check_valid(prove(source, "smem-broadcast", "smem-conflict-free", path=tmp_path / "k.cu"))


@needs_nvrtc
def test_a_constant_that_instances_name_is_kept() -> None:
    source = """constexpr int width = 8;
constexpr int unused = 9;
template <int W> __global__ void k(float *p) { p[threadIdx.x * W] *= 2.0f; }
template <int W> void run(float *p) { k<W><<<1, 32>>>(p); }
int main() { run<width>(0); }
"""
    check_valid(prove(source, *ALL, instance="k<width>"))


GENERIC = """#include <mma.h>
using namespace nvcuda;
__global__ void k(double *out, const double *in, double beta) {
    extern __shared__ double tile[];
    double *mine = &tile[0] + threadIdx.x / 32 * 64, *line = &tile[0] + threadIdx.x;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
    *(double2 *)(line + threadIdx.x) = *(const double2 *)(in + 2 * (blockIdx.x * 256 + threadIdx.x));
    __syncthreads();
    wmma::load_matrix_sync(c, mine, 8, wmma::mem_row_major);
    for (int t = 0; t < c.num_elements; t++) c.x[t] = c.x[t] * beta + 1.0;
    wmma::store_matrix_sync(mine, c, 8, wmma::mem_row_major);
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = *line;
}
"""


@needs_nvrtc
def test_generic_accesses_of_shared_memory_are_no_global_ones() -> None:
    found = prove(GENERIC, *ALL)
    check_valid(found)
    certificate = found["math-only"].certificate
    assert certificate is not None
    static = certificate.static
    assert not any(c.startswith("generic") for c in static.original)
    assert sum(n for c, n in static.original.items() if c.startswith("global_load")) == 1
