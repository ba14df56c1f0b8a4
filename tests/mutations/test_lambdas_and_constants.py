"""Lambdas, and functions that are reached through constants: template arguments, ``constexpr`` pointers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.analysis.program import analyse
from mutate.frontend.load import load_unit
from mutate.frontend.tree import parse
from mutate.model import Outcome, Verdict
from mutate.mutations.base import Note, Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import parse_composition
from mutate.pipeline.run import prove_file
from mutate.results import Request, VariantResult
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
MAIN = ("memory-only", "store-only", "math-only")


def prove(source: str, *mutations: str, instance: str = "") -> dict[str, VariantResult]:
    instances = (f"k<{instance}>",) if instance else ()
    request = Request(Path("real.cu"), mutations or MAIN, ("^k$",), instances, text=source.encode())
    (result,) = prove_file(request).results
    return {v.mutation: v for v in result.variants}


def check_valid(found: dict[str, VariantResult]) -> None:
    for name, v in found.items():
        assert v.outcome is Outcome.OK, (name, v.log or v.refusal)
        assert v.certificate is not None and v.certificate.verdict is Verdict.VALID, (name, v.certificate)


def made(source: str, mutation: str, *instances: str) -> VariantText | Refused:
    unit = load_unit(source.encode(), "real.cu")
    kernel = next(k for k in unit.kernels if k.name == "k")
    return build_variant(unit, kernel, parse_composition(mutation), analyse(unit, kernel, instances))


def kernel_text(source: str, mutation: str) -> str:
    text = made(source, mutation)
    assert isinstance(text, VariantText)
    return text.text.decode().split("__global__")[1]


INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
CLAMPED = ("__global__ void k(const float *x, float *y, int n, int w) {\n" + INDEX +
           "    auto load = [=](int dx, int dy) -> float {\n"
           "        int c = max(0, min(i + dx, n));\n"
           "        return x[c + dy * w];\n"
           "    };\n"
           "    y[i] = load(1, 0) + load(0, 1) * load(-1, 2);\n}\n")
GATHER = ("__global__ void k(const float *x, float *y, int n) {\n" + INDEX +
          "    float v[4];\n"
          "    auto gather = [&](int t, float *to) {\n"
          "        for (int j = 0; j < 2; j++) to[j] = i + j < n ? x[i + j + t * n] : 0.0f;\n"
          "    };\n"
          "    gather(0, v);\n    gather(1, v + 2);\n"
          "    y[i] = v[0] * v[1] + v[2] * v[3];\n}\n")
HANDED_ON = ("template <int n> struct unroll {\n"
             "    template <class F> __device__ void operator()(const F &f) const {\n"
             "        f(n - 1); unroll<n - 1>{}(f);\n    }\n};\n"
             "template <> struct unroll<0> { template <class F> __device__ void operator()(const F &) const {} };\n"
             "__global__ void k(const float *x, float *y, int s) {\n" + INDEX +
             "    auto copy = [&] __device__ (const int n) { y[i + n * s] = 2.0f * x[i + n * s]; };\n"
             "    unroll<4>{}(copy);\n}\n")
CAPTURED = ("__global__ void k(const float *x, float *y, int s) {\n" + INDEX +
            "    float t = 0.0f;\n"
            "    auto add = [&t, x, i](auto n) { t += x[i + n]; };\n"
            "    for (int j = 0; j < s; j++) add(j);\n"
            "    y[i] = t;\n}\n")


TWICE = ("__device__ float both(const float *p, int i) { return p[i] + p[i + 1]; }\n"
         "__global__ void k(const float *x, float *y, int n) {\n" + INDEX +
         "    auto next = [&](TYPE v) { return 0.5f * v + both(x, i + 3); };\n"
         "    float s = next(1.0f);\n"
         "    if (i < n) s += next(next(2.0f));\n"
         "    y[i] = s;\n}\n")


@needs_nvrtc
@pytest.mark.parametrize("source", [CLAMPED, GATHER, HANDED_ON, CAPTURED, TWICE.replace("TYPE", "float"),
                                    TWICE.replace("TYPE", "auto")],
                         ids=["result", "pointer", "handed on", "captured", "called twice", "of any type"])
def test_a_lambda_is_sliced_where_it_stands(source: str) -> None:
    check_valid(prove(source, *MAIN, "load-only"))


def test_of_a_lambda_only_what_its_accesses_need_is_left() -> None:
    kernel = kernel_text(CLAMPED, "memory-only")
    assert "[=, &km_sink](int dx, int dy)" in kernel
    assert "int c = max(0, min(i + dx, n));" in kernel
    assert "km_fold(km_sink, x[c + dy * w]); return km_Any();" in kernel
    assert "load(1, 0) +" not in kernel and "load(1, 0);" in kernel
    gone = kernel_text(CLAMPED, "store-only")
    assert "load" not in gone.replace("load folded", "")


def test_a_lambda_whose_result_is_an_address_stays() -> None:
    source = ("__global__ void k(const int *p, float *y) {\n" + INDEX +
              "    auto at = [=](int j) { return p[i + j]; };\n"
              "    y[at(1)] = 1.0f;\n    y[i] = at(5);\n}\n")
    kernel = kernel_text(source, "memory-only")
    assert "auto at = [=](int j) { return p[i + j]; };" in kernel
    assert "km_put(y[at(1)], km_sink)" in kernel and "km_fold(km_sink, at(5))" in kernel


def test_a_lambda_that_is_kept_elsewhere_is_refused() -> None:
    text = made("__global__ void k(const float *x, float *y) {\n" + INDEX +
                "    auto f = [=](int j) { return x[j]; };\n    auto g = f;\n    y[i] = g(i);\n}\n", "memory-only")
    assert isinstance(text, Refused) and text.slug == "lambda-global-access"


def test_the_execution_space_of_a_lambda_does_not_hide_it() -> None:
    root = parse(b"__device__ void f() { auto g = [&] __host__ __device__ (int i) { return i; }; g(1); }\n")
    assert not any(n.type == "ERROR" for n in root.walk())
    (found,) = (n for n in root.walk() if n.type == "lambda_expression")
    assert "__host__ __device__" in found.text


CHOSEN = ("typedef float (*dot_t)(const char *a, int i);\n"
          "template <int w> __device__ float dot_a(const char *a, int i) { return ((const float *)a)[i * w]; }\n"
          "template <int w> __device__ float dot_b(const char *a, int i) { return ((const short *)a)[i + w]; }\n"
          "template <int type, int w> constexpr __device__ dot_t choose() {\n"
          "    if constexpr (type == 0) { return dot_a<w>; } else { return dot_b<w>; }\n}\n"
          "template <int type> __global__ void k(const char *a, float *y) {\n" + INDEX +
          "    constexpr int width = 2;\n"
          "    constexpr dot_t dot = choose<type, width>();\n"
          "    y[i] = 3.0f * dot(a, i);\n}\n")
HELD = ("typedef void (*load_t)(float *, const float *, int);\ntypedef float (*sum_t)(const float *, int, int);\n"
        "template <int n> __device__ void load_n(float *to, const float *x, int i) {\n"
        "    for (int j = 0; j < n; j++) to[j] = x[i + j];\n}\n"
        "template <int n> __device__ float sum_n(const float *v, int, int) { return n * v[0]; }\n"
        "struct Tools { load_t load; sum_t sum; constexpr __device__ Tools(load_t l, sum_t s) : load(l), sum(s) {} };\n"
        "template <int n> constexpr __device__ Tools tools() { return Tools(load_n<n>, sum_n<n>); }\n"
        "template <int n> constexpr __device__ load_t get_load() { return tools<n>().load; }\n"
        "template <int n> __global__ void k(const float *x, float *y) {\n" + INDEX +
        "    float v[n];\n"
        "    constexpr load_t load = get_load<n>();\n"
        "    load(v, x, i * n);\n"
        "    y[i] = v[0] * v[n - 1];\n}\n")


@needs_nvrtc
@pytest.mark.parametrize(("source", "instance"), [(CHOSEN, "0"), (CHOSEN, "1"), (HELD, "4")],
                         ids=["chosen", "other", "held"])
def test_a_constant_pointer_is_made_again_of_mutated_functions(source: str, instance: str) -> None:
    check_valid(prove(source, instance=instance))


def test_the_copies_of_a_constants_declarations_name_the_copies_of_functions() -> None:
    text = made(CHOSEN, "memory-only", "0")
    assert isinstance(text, VariantText)
    shown = text.text.decode()
    assert "typedef float (*dot_t_km)(km_Sink &, const char *a, int i);" in shown
    assert "constexpr __device__ dot_t_km choose_km() {" in shown
    assert "km_Constant<(choose_km<type, width>())>::value(km_sink, a, i)" in shown


ARGUMENT = ("typedef void (*copy_t)(const char *, char *);\n"
            "template <class S, class T> __device__ void copy_one(const char *x, char *y) {\n"
            "    *(T *)y = (T)(2 * *(const S *)x);\n}\n"
            "__device__ void copy_after(const char *x, char *y);\n"
            "template <copy_t copy> __global__ void k(const char *x, char *y) {\n" + INDEX +
            "    copy(x + 4 * i, y + 4 * i);\n}\n"
            "__device__ void copy_after(const char *x, char *y) { *(int *)y = 3 * *(const int *)x; }\n"
            "void host() { k<copy_one<float, float>><<<1, 1>>>(0, 0); k<copy_after><<<1, 1>>>(0, 0); }\n")


@needs_nvrtc
@pytest.mark.parametrize("instance", ["copy_one<float, float>", "copy_one<int, float>", "copy_after"])
def test_an_instance_of_a_template_that_is_a_template_argument_is_mutated(instance: str) -> None:
    check_valid(prove(ARGUMENT, instance=instance))


def test_instances_that_a_variant_was_not_made_for_are_said_to_be_as_they_were() -> None:
    text = made(ARGUMENT, "memory-only", "copy_one<float, float>")
    assert isinstance(text, VariantText)
    (note,) = (n for n in text.notes if n.slug == "other-instances")
    assert "<copy_one<float, float>>" in note.text
    assert "struct km_Of<copy_one<float, float>>" in text.text.decode()
    assert not any(n.slug == "other-instances" for n in _notes(CHOSEN, "0"))


def _notes(source: str, instance: str) -> tuple[Note, ...]:
    text = made(source, "memory-only", instance)
    assert isinstance(text, VariantText)
    return text.notes


def test_a_template_that_is_a_template_argument_needs_an_instance() -> None:
    text = made(ARGUMENT, "memory-only")
    assert isinstance(text, Refused) and text.slug == "indirect-call"


@needs_nvrtc
def test_what_is_left_of_a_fold_is_done_for_each_element() -> None:
    source = ("template <class... P> __global__ void k(float *y, P... xs) {\n" + INDEX +
              "    float r = 0.0f;\n    r = (..., (r = r * 2.0f + xs[i]));\n    y[i] = r;\n}\n")
    check_valid(prove(source, instance="const float *, const float *"))
    assert "((km_fold(km_sink, xs[i])), ...);" in kernel_text(source, "memory-only")


@needs_nvrtc
def test_a_variable_that_is_only_measured_stays_declared() -> None:
    check_valid(prove("__global__ void k(float *y, const float *x) {\n" + INDEX +
                      "    float sum[4] = {0.0f};\n"
                      "    for (int j = 0; j < sizeof(sum) / sizeof(sum[0]); j++) sum[j] += x[i + j];\n"
                      "    for (int j = 0; j < sizeof(sum) / sizeof(sum[0]); j++) y[i + j] = sum[j];\n}\n"))


@needs_nvrtc
def test_the_copy_of_a_function_is_called_where_it_was_declared() -> None:
    source = ("namespace inner {\n__device__ const float scale = 2.0f;\n"
              "__device__ float at(const float *x, int i) { return scale * x[i]; }\n"
              "__device__ float twice(float v) { return scale * v; }\n}\n"
              "__global__ void k(float *y, const float *x) {\n    using inner::at;\n    using inner::twice;\n" + INDEX +
              "    y[i] = twice(at(x, i));\n}\n")
    check_valid(prove(source))
    assert "twice_km" not in kernel_text(source, "math-only"), "a named constant is no access to memory"


@needs_nvrtc
def test_static_members_give_indices() -> None:
    source = ("struct sizes { int w, h; float scale; };\n"
              "struct rows { static __device__ void unpack(int i, const sizes &s, int &x, int &y) {\n"
              "    x = i % s.w; y = i / s.w;\n} };\n"
              "template <class L> __global__ void k(float *out, const float *in, const sizes s) {\n" + INDEX +
              "    int x, y;\n    L::unpack(i, s, x, y);\n    out[i] = s.scale * in[x * s.h + y];\n}\n"
              "void host(float *p, sizes s) { k<rows><<<1, 1>>>(p, p, s); }\n")
    check_valid(prove(source, instance="rows"))


@needs_nvrtc
def test_bytes_copied_from_a_variable_are_a_store() -> None:
    check_valid(prove("__global__ void k(unsigned char *out, const float *in) {\n" + INDEX +
                      "    unsigned q = 3.0f * in[i];\n    memcpy(out + 8 * i, &q, sizeof(q));\n}\n"))


def test_a_header_that_includes_the_file_does_not_bring_it_twice(tmp_path: Path) -> None:
    main = tmp_path / "a.cuh"
    main.write_text('#pragma once\n__device__ inline float f(float x) { return 2.0f * x; }\n#include "b.cuh"\n'
                    "__global__ void k(float *p) { *p = f(g(*p)); }\n")
    (tmp_path / "b.cuh").write_text('#pragma once\n#include "a.cuh"\n'
                                    "__device__ inline float g(float x) { return f(x) + 1.0f; }\n")
    unit = load_unit(main.read_bytes(), str(main))
    assert [f.name for f in unit.files()] == [str(main), str(tmp_path / "b.cuh")]
    assert len(unit.device_functions()["f"]) == 1
