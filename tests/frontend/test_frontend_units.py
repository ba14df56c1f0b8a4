"""Kernels and device functions found in a file; misreadings mended; input that nobody would write."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mutate.analysis.program import analyse
from mutate.errors import KmutateError
from mutate.frontend.load import SourceOptions, load_unit, read_source
from mutate.frontend.tree import Node, parse
from mutate.frontend.units import Unit
from mutate.mutations.base import Refused
from mutate.mutations.build import build_variant
from mutate.mutations.registry import all_mutations
from mutate.pipeline.compiling import device_source


def unit(source: str | bytes, name: str = "x.cu", options: SourceOptions | None = None) -> Unit:
    return load_unit(source if isinstance(source, bytes) else source.encode(), name, options)


@pytest.mark.parametrize(("source", "qualified"), [
    ("__global__ void k(float *p) { p[0] = 1; }", "k"),
    ("void __global__ k() {}", "k"),
    ("static __global__ void k() {}", "k"),
    ('extern "C" __global__ void k() {}', "k"),
    ('extern "C" {\n__global__ void k() {}\n}', "k"),
    ("namespace a { namespace b { __global__ void k() {} } }", "a::b::k"),
    ("namespace a::b { __global__ void k() {} }", "a::b::k"),
    ("template <typename T, int N = 4> __global__ void k(T *p) {}", "k"),
    ("__global__ void __launch_bounds__(256, 2) k() {}", "k"),
    ("__launch_bounds__(256) __global__ void k() {}", "k"),
    ("__global__ __attribute__((used)) void k() {}", "k"),
    ("__global__ void __maxnreg__(64) k(const __grid_constant__ int n) {}", "k"),
    ("#define KERNEL(name) __global__ void name(float *p) { p[0] = 1; }\nKERNEL(k)", "k"),
    ("#define GLOBAL __global__\nGLOBAL void k() {}", "k"),
    ("\t__global__\tvoid\r\nk\r\n(\r\n) {\r\n}\r\n", "k"),
    ("\ufeff__global__ void k() { /* ü */ }", "k"),
])
def test_a_kernel_is_found(source: str, qualified: str) -> None:
    assert [k.qualified for k in unit(source).kernels] == [qualified]


def test_prototypes_and_inactive_kernels_are_no_kernels() -> None:
    assert unit("__global__ void k(int);\n#if 0\n__global__ void z() {}\n#endif\n").kernels == ()


def test_parameters_bounds_and_templates_are_read() -> None:
    (k,) = unit("template <typename T, int N = 2> __global__ void __launch_bounds__(128, 4)\n"
                "k(const T *__restrict__ in, T (&tile)[4], float4 v, int n = 3) {}").kernels
    assert [p.name for p in k.params] == ["in", "tile", "v", "n"]
    assert k.launch_bounds == ("128", "4")
    assert (k.template_params, k.template_defaults) == (("T", "N"), 1)


def test_a_specialisation_is_of_its_template_however_it_is_written() -> None:
    unit = load_unit(b"template <class T> struct Sum { T x; __device__ T get() { return x; } };\n"
                     b"template <> struct Sum < int > { static __device__ int get() { return 1; } };\n"
                     b"struct Sum2;\n"
                     b"__global__ void k(float *o, Sum<float> s) { o[0] = s.get() + Sum<int>::get(); }\n", "s.cu")
    assert [(f.name, f.owner) for f in unit.main.functions if f.is_method] == [("get", "Sum"), ("get", "Sum")]
    spec = unit.struct("Sum")
    assert spec is not None and "T x;" in spec.text, "its members are the template's"
    empty = load_unit(b"template <int N, typename T> struct Tile {};\n"
                      b"template <typename T> struct Tile<8, T> { T x[8]; };\n"
                      b"__global__ void k(float *o) { Tile<8, float> t; o[0] = t.x[0]; }\n", "t.cu")
    spec = empty.struct("Tile")
    assert spec is not None and "T x[8];" in spec.text, "where that has none, the specialisation's"
    seen = device_source(unit, unit.kernels[0]).decode()
    assert "struct Sum < int >" in seen and "struct Sum2" not in seen, "what the kernel needs is not blanked"


def test_a_toolkits_own_headers_are_the_compilers(tmp_path: Path) -> None:
    """With them ``__global__`` would be a macro, and no kernel would be one; whatever else stands beside is read."""
    toolkit = tmp_path / "cuda" / "include"
    (toolkit / "crt").mkdir(parents=True)
    (toolkit / "crt" / "host_defines.h").write_text("#define __global__ __location__(global)\n")
    for name in ("cuda_runtime.h", "cuda_runtime_api.h"):
        (toolkit / name).write_text('#include "crt/host_defines.h"\n')
    (tmp_path / "own.h").write_text("#define FACTOR 2.0f\n")
    source = (b'#include "cuda_runtime.h"\n#include <cuda_runtime.h>\n#include "own.h"\n'
              b"__global__ void k(float *p) { *p *= FACTOR; }\n")
    unit = load_unit(source, "m.cu", SourceOptions(include_dirs=(str(toolkit), str(tmp_path))))
    assert [k.name for k in unit.kernels] == ["k"]
    assert [Path(f.name).name for f in unit.included] == ["own.h"]


def test_local_includes_are_read_in_either_spelling(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "a.cuh").write_text("#define TWICE(x) (2 * (x))\n__device__ float one(float x) { return x; }\n")
    (tmp_path / "inc" / "b.cuh").write_text("__device__ float two(float x) { return x; }\n")
    main = tmp_path / "m.cu"
    main.write_text('#include "a.cuh"\n#include <b.cuh>\n#include <nowhere.h>\n'
                    '__global__ void k(float *p) { *p = TWICE(1); }\n')
    u = load_unit(main.read_bytes(), str(main), SourceOptions(include_dirs=(str(tmp_path / "inc"),)))
    assert {"one", "two"} <= set(u.device_functions())
    assert b"(2 * (1))" in u.main.expansion.text


def _types(source: str) -> list[str]:
    return [n.type for n in parse(f"__global__ void k() {{ {source} }}".encode()).walk()]


def _first(source: str, kind: str) -> Node:
    return next(n for n in parse(f"__global__ void k(int a, int c) {{ {source} }}".encode()).walk() if n.type == kind)


def test_a_parenthesised_element_is_no_type() -> None:
    assert _types("x = (a[i]) + (b[i][j]) * y - (c[2]);").count("subscript_expression") == 4
    assert "cast_expression" not in _types("x = (a[i]) + (b[i]) * y;")
    assert "cast_expression" in _types("x = (float (*)[4])(p);")


_INSIDE = ["if (a) @ for (;;) f(); else @ @ while (b) f();", "if (a) f(); @ else g();", "else_(1); if (a) @ f();",
           "do @ for (;;) f(); while (a);", "for (;;) @ for (int o : q) @ do f(); while (b);",
           "for (;;) [[likely]] @ for (;;) [[unlikely]] f();", "if constexpr (a) @ { f(); }",
           "x: @ for (;;) f(); goto x;", "switch (a) @ { case 1: f(); }",
           "auto l = [&] { if (a) @ for (;;) f(); };", "f(1, @ 2);"]


@pytest.mark.parametrize("text", _INSIDE)
@pytest.mark.parametrize("pragma", ["\n#pragma unroll\n", "\n # pragma \\\n unroll 4\n", ' _Pragma ("unroll") '])
def test_a_pragma_inside_a_statement_is_as_if_it_were_not_there(text: str, pragma: str) -> None:
    def shape(of: str) -> list[tuple[str, int]]:
        nodes = list(parse(b"void k() { " + text.replace("@", of).encode() + b" int last; }").walk())
        assert all(n.type != "ERROR" for n in nodes)
        return [(n.type, n.start) for n in nodes]

    assert shape(pragma) == shape(" " * len(pragma))


@pytest.mark.parametrize("text", ["f();@for (;;) g();", "switch (a) { case 1:@for (;;) g(); default:@f(); }",
                                  "{@while (a); }"])
def test_a_pragma_between_statements_is_one_of_them(text: str) -> None:
    nodes = _types(text.replace("@", "\n#pragma unroll\n"))
    assert nodes.count("preproc_call") == text.count("@")


def test_a_cast_of_a_parenthesised_value_is_no_call() -> None:
    assert "call_expression" not in _types("x = (float)(a);")
    assert "call_expression" in _types("x = (f)(a);")


@pytest.mark.parametrize("source", ["float x(in[i]);", "float *x(in + i);", "V v(a, b);", "int x(c);"])
def test_a_variable_with_constructor_arguments_is_no_function(source: str) -> None:
    declarator = _first(source, "init_declarator")
    value = declarator.get("value")
    assert value is not None
    assert value.type == "argument_list"
    assert source[source.index("(") : -1] == value.text


@pytest.mark.parametrize("source", ["float f(float);", "float f(int x, float *p);", "float f();"])
def test_a_function_declaration_stays_one(source: str) -> None:
    assert "init_declarator" not in _types(source)


def test_a_comparison_is_no_template_call() -> None:
    node = _first("if (a < (in[0]) && c > (d)) x = 1;", "condition_clause")
    assert not [n for n in node.walk() if n.type == "template_function"]
    assert [n.text for n in node.walk() if n.type == "subscript_expression"] == ["in[0]"]


def test_a_template_call_stays_one() -> None:
    assert "template_function" in _types("x = f<3>(y); z = g<a && b>(c);")


def test_a_declaration_behind_an_empty_statement_is_no_comparison() -> None:
    node = _first("; cg::thread_block_tile<32> t = cg::tiled_partition<32>(b);", "declaration")
    assert node.text.startswith("cg::thread_block_tile<32> t")


def test_the_smallest_unreadable_statement_is_named() -> None:
    source = ("__global__ void k(float *p, int n) {\n  p[0] = 1;\n  if (n) {\n    p[1] = @@ 2 +* ;\n  }\n"
              "  p[2] = 3;\n}\n")
    u = unit(source)
    (k,) = u.kernels
    refused = build_variant(u, k, (all_mutations()["memory-only"],))
    assert isinstance(refused, Refused)
    assert refused.slug == "unreadable-statement"
    assert refused.span is not None
    text = source[refused.span.start : refused.span.end]
    assert "@@" in text
    assert "p[0]" not in text
    assert "p[2]" not in text
    assert not isinstance(build_variant(u, k, (all_mutations()["identity"],)), Refused)


HEAD = b"__global__ void k(float *o, const float *a, int n) {\n"
HOSTILE = {
    "parentheses": HEAD + b"o[0] = " + b"(" * 5000 + b"1" + b")" * 5000 + b";}",
    "blocks": HEAD + b"{" * 3000 + b"}" * 3001,
    "sum": HEAD + b"o[0] = " + b"+".join([b"a[1]"] * 3000) + b";}",
    "else-if": HEAD + b"else ".join([b"if (n) o[0] = a[1]; "] * 2000) + b"}",
    "macro bomb": b"#define A0 x\n" + b"".join(b"#define A%d A%d A%d\n" % (i, i - 1, i - 1) for i in range(1, 40))
    + HEAD + b"A39;}",
    "macros in circles": b"#define A A\n#define B C\n#define C B\n#define F(x) F(x)\n" + HEAD + b"A; B; F(1);}",
    "nested conditions": b"#if 1\n" * 5000 + HEAD + b"}\n" + b"#endif\n" * 5000,
    "unbalanced conditions": b"#endif\n#else\n#if 1\n#if X(\n" + HEAD + b"}",
    "deep condition": b"#if " + b"(" * 5000 + b"1" + b")" * 5000 + b"\n#endif\n" + HEAD + b"}",
    "huge shift": b"#if 1 << 99999999999\n#endif\n#if 1/0\n#endif\n" + HEAD + b"}",
    "truncated": HEAD + b"for (int i = 0; i < n; i++) { o[i] = a[i",
    "open comment": HEAD + b"/* never closed ",
    "open string": HEAD + b'const char *s = "abc\n; o[0] = a[1]; }',
    "binary": bytes(range(1, 256)) * 1000,
    "latin-1": b"// \xe4\xf6\n" + HEAD + b"o[0]=a[0];}",
    "10 MB comment": b"/* " + b"x" * 10_000_000 + b"*/\n" + HEAD + b"o[0]=a[0];}",
    "long line": b"int x[] = {" + b"1," * 50_000 + b"1};\n" + HEAD + b"o[0]=a[0];}",
    "many kernels": b"".join(b"__global__ void k%d(float *o) { o[0] = 1; }\n" % i for i in range(1000)),
    "call chain": b"".join(b"__device__ float f%d(const float *p) { return %s; }\n" % (
        i, b"p[0]" if i == 0 else b"f%d(p) + f%d(p+1)" % (i - 1, i - 1)) for i in range(60)) + HEAD + b"o[0]=f59(a);}",
    "pointer circle": HEAD + b"const float *p=a,*q=p,*r=q; while(n--){p=q;q=r;r=p;} o[0]=*p;}",
    "many stores": HEAD + b"  if (n) o[n] = a[n] * 2.0f;\n" * 1000 + b"}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_ends_soon_with_a_result_or_a_clear_error(name: str) -> None:
    start = time.perf_counter()
    try:
        u = unit(HOSTILE[name])
        for k in u.kernels[:1]:
            program = analyse(u, k)
            for m in all_mutations().values():
                build_variant(u, k, (m,), program)
    except KmutateError as error:
        assert error.slug == "too-deep"
    assert time.perf_counter() - start < 15


@pytest.mark.parametrize(("data", "slug"), [(b"\0\1\2", "not-text"), (b"x" * (9 << 20), "too-large")])
def test_what_is_no_source_is_refused(tmp_path: Path, data: bytes, slug: str) -> None:
    path = tmp_path / "x.cu"
    path.write_bytes(data)
    with pytest.raises(KmutateError) as caught:
        read_source(path)
    assert caught.value.slug == slug
    assert caught.value.hint
