"""Address spaces of accesses, barriers in every spelling, what depends on what."""

from __future__ import annotations

import pytest

from mutate.analysis.dataflow import value_closure
from mutate.analysis.liveness import idle_loads, lost_results
from mutate.analysis.plans import Keep
from mutate.analysis.program import Mem, Program, analyse
from mutate.analysis.ptx import read_ptx
from mutate.analysis.sites import Access
from mutate.analysis.slices import Slicer
from mutate.analysis.symbols import Space
from mutate.frontend.load import load_unit


def program(source: str) -> Program:
    unit = load_unit(source.encode(), "x.cu")
    return analyse(unit, unit.kernels[-1])


def accesses(body: str, head: str = "", parameters: str = "float *o, const float *in, int n") -> list[Access]:
    return [a for _, a in program(f"{head}\n__global__ void k({parameters}) {{ {body} }}").accesses()]


def spaces(body: str, head: str = "", parameters: str = "float *o, const float *in, int n") -> list[tuple[str, str]]:
    return [(a.kind, "+".join(sorted(a.spaces))) for a in accesses(body, head, parameters)]


S = "__shared__ float s[32], t[8][8];"


@pytest.mark.parametrize(("body", "expected"), [
    ("o[n] = in[n];", [("load", "global"), ("store", "global")]),
    ("*o = *(in + n);", [("load", "global"), ("store", "global")]),
    ("const float *p = in + n; o[0] = p[1];", [("load", "global"), ("store", "global")]),
    ("const float *p; p = in; p += 4; o[0] = *p++;", [("load", "global"), ("store", "global")]),
    ("const float &r = in[n]; o[0] = r;", [("load", "global"), ("store", "global")]),
    ("float &r = o[n]; r += 1;", [("update", "global")]),
    ("o[n]++; --o[n];", [("update", "global"), ("update", "global")]),
    ("const float *p[2] = { in, in + 4 }; o[0] = p[n][1];", [("load", "global"), ("store", "global")]),
    ("float4 v = reinterpret_cast<const float4 *>(in)[n]; o[0] = v.x;", [("load", "global"), ("store", "global")]),
    ("float4 v = ((const float4 *)in)[n]; o[0] = v.y;", [("load", "global"), ("store", "global")]),
    ("const float *__restrict__ p = &in[n]; o[0] = p[0];", [("load", "global"), ("store", "global")]),
    ("o[0] = __ldg(&in[n]); __stcs(o + 1, 2.0f);", [("load", "global"), ("store", "global"), ("store", "global")]),
    ("atomicAdd(&o[n], 1.0f);", [("atomic", "global")]),
    (f"{S} s[n] = in[n]; o[n] = s[n];", [("load", "global"), ("store", "shared"), ("load", "shared"),
                                         ("store", "global")]),
    (f"{S} t[n][n] = 1; float *q = &t[0][0]; o[0] = q[n];", [("store", "shared"), ("load", "shared"),
                                                             ("store", "global")]),
    ("extern __shared__ float d[]; float *hi = d + 8; hi[n] = 1;", [("store", "shared")]),
    ("__shared__ int count; count = 1; o[count] = 2;", [("store", "shared"), ("load", "shared"), ("store", "global")]),
    ("float r[4]; r[n] = 1; o[0] = r[0];", [("store", "global")]),
    (f"{S} const float *p = n ? in : s; o[0] = p[n];", [("load", "global+shared"), ("store", "global")]),
    ("(n ? o[0] : o[1]) = 2;", [("store", "global"), ("store", "global")]),
    ("o[0] = sizeof(in[n]);", [("store", "global")]),
    ("float x(in[n]); o[0] = x;", [("load", "global"), ("store", "global")]),
    ("if (n < (in[0]) && n > (1)) o[0] = 1;", [("load", "global"), ("store", "global")]),
])
def test_the_space_of_an_access(body: str, expected: list[tuple[str, str]]) -> None:
    assert spaces(body) == expected


def test_constant_and_device_variables_and_members() -> None:
    head = "__constant__ float c[4]; __device__ float d; struct A { float *p; int n; }; struct C { float m; };"
    assert spaces("d = c[n];", head) == [("load", "constant"), ("store", "global")]
    assert spaces("a.p[a.n] = 1;", head, "A a") == [("store", "global")]
    assert spaces("a->p[0] = 1;", head, "A *a") == [("load", "global"), ("store", "global")]
    assert spaces("c->m = c[1].m;", head, "C *c") == [("load", "global"), ("store", "global")]


def test_pointers_into_device_functions() -> None:
    head = ("__device__ float get(const float *p, int i) { return p[i]; }\n"
            "__device__ void put(float &to, float v) { to = v; }\n")
    source = (f"{head}__global__ void k(float *o, const float *in) {{ __shared__ float s[32]; s[0] = get(in, 1); "
              "put(o[2], get(s, 3)); }")
    found = sorted((i.function.name, a.kind, "+".join(sorted(a.spaces))) for i, a in program(source).accesses())
    assert found == [("get", "load", "global"), ("get", "load", "shared"), ("k", "store", "shared"),
                     ("put", "store", "global")]


def test_a_number_is_not_the_place_that_it_was_loaded_from() -> None:
    p = program("__device__ void step(float *o, float &sum, int j, float x) { sum += x; o[j] = table_of(j); }\n"
                "__global__ void k(float *o, const int *to, const float *in) { __shared__ float s[32]; float sum = 0; "
                "step(o, sum, to[1], s[threadIdx.x]); step(o, s[2], to[2], in[0]); }")
    for step in p.functions:
        assert [(v.name, v.spaces) for v in step.scopes.params if v.roots and not v.is_ref] == [("o", {Space.GLOBAL})]
    assert list(p.opaque_calls()) == [], "a library's function that gets a number"


def test_shared_memory_from_an_object_of_the_file() -> None:
    head = ("template <class T> struct SharedMemory { __device__ T *getPointer() "
            "{ extern __shared__ float raw[]; return (T *)raw; } };")
    assert spaces("SharedMemory<float> m; float *s = m.getPointer(); s[n] = 1;", head) == [("store", "shared")]
    head = ("#define SCRATCH(t) template <> struct Scratch<t> { __device__ t &operator[](int i) "
            "{ extern __shared__ t of_##t[]; return of_##t[i]; } }\n"
            "template <class T> struct Scratch { virtual __device__ T &operator[](int i) = 0; };\n"
            "SCRATCH(int); SCRATCH(float);")
    assert spaces("Scratch<float> s; s[n] = s[0] + 1;", head) == [("load", "shared"), ("store", "shared")]
    head = "struct Rows { float *p; __device__ float &operator[](int i) { __shared__ int seen; return p[i]; } };"
    assert spaces("Rows r{o}; r[n] = 1;", head) == [("store", "global")]


@pytest.mark.parametrize(("text", "scope"), [
    ("__syncthreads();", "block"), ("__syncthreads_count(n);", "block"), ("n = __syncthreads_and(n);", "block"),
    ("if (__syncthreads_or(n)) return;", "block"), ("__syncwarp();", "warp"),
    ("cg::thread_block b = cg::this_thread_block(); b.sync();", "block"),
    ("auto b = cg::this_thread_block(); cg::sync(b);", "block"), ("cg::this_thread_block().sync();", "block"),
    ("auto t = cg::tiled_partition<32>(cg::this_thread_block()); t.sync();", "warp"),
    ("cg::grid_group g = cg::this_grid(); g.sync();", "grid"),
    ('asm volatile("bar.sync 0;");', "block"), ('asm volatile("barrier.sync 0;" ::: "memory");', "block"),
])
def test_a_barrier_in_every_spelling(text: str, scope: str) -> None:
    p = program(f"namespace cg = cooperative_groups;\n__global__ void k(float *o, int n) {{ {text} }}")
    assert [b.scope for _, b in p.barriers()] == [scope]


def needed(body: str) -> tuple[set[str], set[str]]:
    """(variables, memory) that the kept accesses need."""
    p = program(f"__global__ void k(float *o, const float *in, const int *idx, int n) {{ {body} }}")
    found = Slicer(p.kernel, Keep(), lambda _: None).needed
    return ({v.name for v in found if not isinstance(v, Mem)}, {m.var.name for m in found if isinstance(m, Mem)})


@pytest.mark.parametrize(("body", "variables", "memory"), [
    ("int i = threadIdx.x; float x = in[i]; o[i] = x * 2;", {"i", "in", "o"}, set()),
    ("int j = idx[n]; o[j] = in[0] * 2;", {"idx", "n", "j", "o", "in"}, {"idx"}),
    ("float x = in[0], y = x * x; if (y > 1) o[0] = x;", {"in", "x", "y", "o"}, {"in"}),
    ("__shared__ int s[32]; s[0] = idx[0]; __syncthreads(); o[s[1]] = 1;", {"idx", "s", "o"}, {"idx", "s"}),
    ("__shared__ int len; len = idx[0]; __syncthreads(); if (n < len) o[n] = 1;", {"n", "len", "idx", "o"},
     {"len", "idx"}),
    ("__shared__ float s[32]; s[0] = in[0]; __syncthreads(); o[0] = s[1];", {"in", "o"}, set()),
])
def test_what_addresses_and_control_flow_need(body: str, variables: set[str], memory: set[str]) -> None:
    found, behind = needed(body)
    assert found == variables
    assert behind == memory


@pytest.mark.parametrize(("body", "memory_only", "load_only"), [
    ("for (int j = p[0]; j < p[1]; j++) o[j] = in[j];", [], []),
    ("if (p[n]) o[n] = 1;", [], ["p[n]"]),
    ("o[p[n]] = 1;", [], []),
    ("if (p[n]) o[p[n + 1]] = 1;", [], ["p[n]"]),
    ("int at = n; for (int j = 0; j < 8; j++) at = p[at]; o[n] = at;", ["p[at]"], ["p[at]"]),
    ("int at = n; for (int j = 0; j < 8; j++) at = p[at]; o[at] = 1;", [], []),
    ("int at = n; while (p[at] > 3) at++; o[n] = at;", ["p[at]"], ["p[at]"]),
    ("int at = n; while (true) { if (p[at] > 3) break; at++; } o[n] = at;", ["p[at]"], ["p[at]"]),
    ("for (int j = 0; j < n; j++) { if (p[j]) break; o[j] = in[j]; }", [], []),
    ("if (p[n]) return; o[n] = in[n];", [], []),
    ("o[n] = in[n]; if (p[n]) return;", ["p[n]"], ["p[n]"]),
    ("int at = n; at = p[at]; o[n] = in[p[at] & 1] * at;", [], []),
    ("int s = p[n]; o[n] = s * 2; s = p[0]; o[s] = 1;", ["p[n]"], ["p[n]"]),
    ("int s = p[n]; if (n) s = p[0]; o[s] = 1;", [], []),
    ("int s = n; for (int j = 0; j < n; j++) { o[s] = 1; s += p[j]; }", [], []),
    ("int s = p[n]; if (n) o[s] = 1; o[n] = s;", ["p[n]"], ["p[n]"]),
    ("int s = p[n]; if (n) o[s] = 2 * s;", [], []),
    ("int s = p[n]; for (int j = 0; j < n; j++) o[s + j] = 1; o[n] = s;", ["p[n]"], ["p[n]"]),
    ("int s = p[n]; if (n) o[s] = 1; if (n > 2) o[n] = s;", ["p[n]"], ["p[n]"]),
    ("int s = p[n]; if (n) o[s] = 1; o[n] = in[n + s];", [], []),
    ("int s = p[n], t; switch (n) { case 0: t = s; break; default: t = 2; } o[t] = s;", ["p[n]"], ["p[n]"]),
])
def test_retained_loads_that_nothing_keeps_alive(body: str, memory_only: list[str], load_only: list[str]) -> None:
    parameters = "float *o, const float *in, const int *p, int n"
    kernel = program(f"__global__ void k({parameters}) {{ {body} }}").kernel
    slicer = Slicer(kernel, Keep(), lambda _: None)
    assert [n.text for n in idle_loads(slicer, stores_happen=True)] == memory_only
    assert [n.text for n in idle_loads(slicer, stores_happen=False)] == load_only


@pytest.mark.parametrize(("body", "dropped"), [
    ("int s = n; if (s > 0) o[s] = 1; s += p[n]; o[n] = s;", "s += p[n];"),
    ("for (int j = 0; j < n; j++) { int s = n; o[s] = 1; s += p[j]; o[0] = s; }", "s += p[j];"),
    ("int s = n; s += 2; s = p[0]; o[s] = 1;", ""),
    ("int s = n; for (int j = 0; j < n; j++) { o[s] = 1; s += 2; }", ""),
    ("int s = n; again: o[s] = 1; s = 2; if (p[0]) goto again;", ""),
    ("int s = n; auto f = [&](int x) { return x + s; }; s = 2; o[f(n)] = 1;", ""),
    ("int s = n; if (n) s = 2; o[s] = 1;", ""),
    ("int s = n; switch (n) { case 0: s = 2; case 1: s = 3; } o[s] = 1;", ""),
])
def test_definitions_that_reach_no_use_are_dropped(body: str, dropped: str) -> None:
    kernel = program(f"__global__ void k(float *o, const int *p, int n) {{ {body} }}").kernel
    plans = [Slicer(kernel, Keep(), lambda _: None).plan]
    for plan in plans:
        plans += plan.inner
    gone = [p.node.text for p in plans if p.how in ("drop", "pieces") and p.node.text.startswith("s ")]
    assert gone == [dropped] * bool(dropped)


def test_a_variable_by_reference_is_what_it_is_when_the_lambda_is_called() -> None:
    kernel = program("__global__ void k(float *o, const int *p, int n) { int s = n; "
                     "auto f = [&](int x) { return x + s; }; s = p[1]; s += p[2]; o[f(n)] = 1; s = p[3]; }").kernel
    _, values = value_closure(kernel, list(next(a for a in kernel.sites.accesses if a.writes).address))
    found = " ".join(sorted(n.text for n in values if n.text.startswith("p[")))
    assert found == "p[1] p[2] p[3]", "no one follows when the lambda is called"


def test_what_only_a_dropped_argument_needs_is_not_alive() -> None:
    p = program("__device__ void put(float *o, int i, float x) { o[i] = x; } __global__ void k(float *o, "
                "const float *in, int n) { float s = in[0]; for (int j = 0; s > 0; j++) { put(o, j, s); s -= in[j]; }"
                " for (int j = 0; j < n; j++) { put(o, n, s + in[2]); s = s + in[1]; } }")
    put = next(f for f in p.functions)
    slicer = Slicer(p.kernel, Keep(), lambda c: frozenset({0, 1}) if c is put else None)
    assert idle_loads(slicer, stores_happen=True) == [], "the first loop needs its loads"
    assert {n.text for n in slicer.retained} == {"in[0]", "in[j]"}, "what is only stored is no need"


def test_a_call_that_loads_is_kept_alive() -> None:
    p = program("__device__ float get(const float *p, int i) { return p[i]; } __global__ void k(float *o, "
                "const float *in) { float s = 0; for (int j = 0; s < 9; j++) { s += get(in, j); } o[0] = s; }")
    slicer = Slicer(p.kernel, Keep(), lambda c: frozenset({0, 1}))
    assert [n.text for n in idle_loads(slicer, stores_happen=True)] == ["get(in, j)"]


def test_results_that_only_the_original_needs() -> None:
    p = program("__device__ void both(const float *p, int i, float &a, float &b) { a += p[i]; b += p[i + 1]; } "
                "__global__ void k(float *o, const float *in, int n) { float s = 0, t = 0; both(in, n, s, t); "
                "if (s > 0) o[n] = 1; o[n + 1] = t; }")
    slicer = Slicer(p.kernel, Keep(), lambda c: frozenset({0, 1}))
    assert [(c.text, v.name) for c, v in lost_results(slicer)] == [("both(in, n, s, t)", "t")]


def test_a_pointer_in_memory_points_to_other_memory() -> None:
    p = program("__global__ void k(float **rows, int n) { rows[n][0] = rows[n][1]; }")
    inner = [a for _, a in p.accesses() if "][" in a.node.text]
    outer = [a for _, a in p.accesses() if "][" not in a.node.text]
    assert all(a.roots.isdisjoint(b.roots) for a in inner for b in outer)
    assert {s for a in inner for s in a.spaces} == {Space.GLOBAL}


@pytest.mark.parametrize(("text", "expected"), [
    ('asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(in));', ("load", 1, 0)),
    ('asm volatile("ld.global.nc.v2.f32 {%0, %1}, [%2+8];\\n" : "=f"(x), "=f"(y) : "l"(in));', ("load", 2, 8)),
    ('asm volatile("st.global.f32 [%0], %1;" :: "l"(o), "f"(x));', ("store", 1, 0)),
    ('asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(n), "l"(in));', ("copy", 1, 0)),
    ('asm("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(n));', None),
    ('asm("ld.global.f32 %0, [%1]; add.f32 %0, %0, %0;" : "=f"(x) : "l"(in));', None),
    ('asm("{.reg .pred p; setp.ne.b32 p, %2, 0; @!p mov.b32 %0, 0; @p ld.global.f32 %0, [%1];}" '
     ': "=f"(x) : "l"(in), "r"(n));', ("load", 1, 0)),
    ('asm("{.reg .pred p; setp.eq.b32 p, %2, 0; @p ld.global.f32 %0, [%1];}" : "=f"(x) : "l"(in), "r"(n));', None),
    ('asm("ld.shared::cta.f32 %0, [%1];" : "=f"(x) : "r"(n));', None),
    ('asm("mov.u32 %0, %1;" : "=r"(n) : "r"(n));', None),
])
def test_inline_ptx_is_read_as_one_access(text: str, expected: tuple[str, int, int] | None) -> None:
    unit = load_unit(f"__global__ void k(float *o, float *in, int n) {{ float x, y; {text} }}".encode(), "x.cu")
    node = next(n for n in unit.kernels[0].body.walk() if n.type == "gnu_asm_expression")
    ptx = read_ptx(node)
    assert (None if ptx is None else (ptx.kind, len(ptx.values), ptx.offset)) == expected
