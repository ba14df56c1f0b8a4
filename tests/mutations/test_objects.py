"""Memory that member functions access: what stays of them, and that the variants do what they claim when run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from object_cases import CASES, SHARED_CASES, ObjectCase

from mutate.frontend.load import SourceOptions, load_unit
from mutate.model import DynamicCounts, Outcome, Verdict
from mutate.mutations.base import Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import parse_composition
from mutate.pipeline.run import prove_file
from mutate.pipeline.simulate import run_simulation
from mutate.results import Request, VariantResult
from mutate.sim.counters import evaluate
from mutate.simulated import SimulateRequest
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
VALUES = ("memory-only", "load-only", "store-only", "math-only")
ALL_THREADS = ("no-sync", "smem-conflict-free", "smem-broadcast")
BY_NAME = {c.name: c for c in (*CASES, *SHARED_CASES)}


@cache
def run(name: str, mutations: tuple[str, ...] = VALUES) -> dict[str, VariantResult]:
    request = Request(Path(f"{name}.cu"), mutations, dynamic=True, text=BY_NAME[name].source.encode())
    (result,) = prove_file(request).results
    assert result.error is None, result.error
    return {v.mutation: v for v in result.variants}


def built(source: str, mutation: str, options: SourceOptions | None = None) -> VariantText | Refused:
    unit = load_unit(source.encode(), "objects.cu", options)
    return build_variant(unit, unit.kernels[-1], parse_composition(mutation), options=options)


@needs_nvrtc
@pytest.mark.parametrize("mutation", VALUES)
@pytest.mark.parametrize("name", BY_NAME)
def test_a_run_of_a_variant_does_what_it_claims(name: str, mutation: str) -> None:
    v = run(name)[mutation]
    assert v.outcome is Outcome.OK, v.log or v.refusal
    assert v.certificate is not None and v.certificate.dynamic is not None
    found: DynamicCounts = v.certificate.dynamic
    assert not found.why_not, found.why_not
    pairs, said = found.memory, v.certificate.reasons
    if mutation == "memory-only":
        assert pairs["global_load"].same and pairs["global_store"].same, said
        assert pairs["global_load"].original and pairs["global_store"].original
    elif mutation == "load-only":
        assert pairs["global_load"].same and not pairs["global_store"].variant, said
    elif mutation == "store-only":
        assert pairs["global_store"].same, said
    else:
        assert not pairs["global_store"].variant and bool(pairs["global_load"].variant) == BY_NAME[name].retained, said
    assert v.certificate.verdict is Verdict.VALID or (mutation == "math-only" and BY_NAME[name].retained), said


@cache
def conflicts(name: str, mutation: str = "") -> float:
    """Bank conflicts of loads and stores of a kernel or of its variant, as the simulator counts them."""
    made = run(name, ALL_THREADS)[mutation].text if mutation else None
    text = made.text if made is not None else BY_NAME[name].source.encode()
    report = run_simulation(SimulateRequest(Request(Path(f"{name}.cu"), text=text), blocks=1), None)
    values = evaluate(report.kernels[0].launches[0].totals)
    return sum(float(values[f"shared_{op}_bank_conflicts"] or 0) for op in ("load", "store"))


@needs_nvrtc
@pytest.mark.parametrize("case", SHARED_CASES, ids=lambda c: c.name)
def test_barriers_and_shared_accesses_in_member_functions_are_changed_and_nothing_else(case: ObjectCase) -> None:
    variants = run(case.name, ALL_THREADS)
    for mutation, v in variants.items():
        assert v.outcome is Outcome.OK and v.certificate is not None and v.text is not None, v.log or v.refusal
        assert v.certificate.verdict is Verdict.VALID, v.certificate.reasons
        found = v.certificate.dynamic
        assert found is not None and not found.why_not, found
        for access, pair in found.memory.items():
            assert pair.original == pair.variant and (pair.same or mutation != "no-sync"), (access, pair)
        assert found.original["barrier"] and (found.variant.get("barrier", 0) == 0) == (mutation == "no-sync")
        text = v.text.text.decode()
        assert [e for e in (case.waits if mutation == "no-sync" else case.indexed) if e not in text] == [], text
        kernel = case.source.index("__global__ void k")
        assert all(e.start == e.end for e in v.text.edits if e.start < kernel), "copies come beside what there is"
    assert conflicts(case.name) > 0
    assert conflicts(case.name, "smem-conflict-free") == conflicts(case.name, "smem-broadcast") == 0


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_of_member_functions_only_the_accesses_are_left(case: ObjectCase) -> None:
    made = built(case.source, "memory-only")
    assert isinstance(made, VariantText), made
    text = made.text.decode()
    left = text[text.index("km_sink; /* kmutate memory-only */") :]
    for expected in case.expected:
        assert expected in text
    for gone in case.gone:
        assert gone not in left


VIEW = "struct View {{ const float *p; {} }};\n__global__ void k(float *out, const float *in) {{ View v{{in}}; {} }}\n"


@pytest.mark.parametrize(("member", "body", "words"), [
    ("virtual __device__ float get(int i) { return p[i]; }", "out[0] = v.get(1);", "is virtual"),
    ("float x; __device__ View(const float *q) : p(q), x(q[1]) {}", "out[0] = v.x;", "is a constructor"),
    ("__device__ ~View() { *const_cast<float *>(p) = 1.0f; }", "out[0] = 1.0f;", "is a destructor"),
    ("__device__ float operator+(int i) const { return p[i]; }", "out[0] = v + 1;", "is an overloaded operator"),
])
@pytest.mark.parametrize("mutation", VALUES)
def test_what_cannot_be_copied_into_its_class_is_refused(member: str, body: str, words: str, mutation: str) -> None:
    made = built(VIEW.format(member, body), mutation)
    assert isinstance(made, Refused) and made.slug == "opaque-call"
    assert words in made.why


def test_a_class_whose_base_is_not_known_is_refused() -> None:
    source = "template <class B> struct View : B { __device__ float get(int i) { return this->p[i]; } };\n" \
             "struct P { const float *p; };\n" \
             "__global__ void k(float *out, View<P> v) { out[0] = v.get(1); }\n"
    made = built(source, "memory-only")
    assert isinstance(made, Refused) and "derived from B, which is defined elsewhere" in made.why


def test_a_class_of_an_included_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "view.h").write_text("struct View { const float *p; __device__ float get(int i) { return p[i]; } };\n")
    made = built('#include "view.h"\n__global__ void k(float *out, View v) { out[0] = v.get(1); }\n', "memory-only",
                 SourceOptions((), (str(tmp_path),), "sm_90"))
    assert isinstance(made, Refused) and "in an included file" in made.why


SHARED = "{}\n__global__ void k(float *out, const float *in) {{\n    __shared__ float s[64];\n" \
         "    s[threadIdx.x] = in[threadIdx.x];\n    __syncthreads();\n    {}\n}}\n"


@pytest.mark.parametrize(("types", "body", "words"), [
    ("struct T { float *p; __device__ T(float *q) : p(q) { p[threadIdx.x] += 1.0f; __syncthreads(); } };",
     "T t(s); out[0] = t.p[1];", "T::T() {} and is a constructor"),
    ("struct T { float *p; __device__ ~T() { p[0] = 1.0f; __syncthreads(); } };",
     "{ T t{s}; } out[0] = s[1];", "T::~T() {} and is a destructor"),
    ("struct T { float *p; __device__ operator float() const { __syncthreads(); return p[1]; } };",
     "T t{s}; out[0] = t;", "T::operator float() {} and is a conversion operator: it runs where no call of it stands"),
    ("struct T { float *p; __device__ float operator+(int i) const { __syncthreads(); return p[i]; } };",
     "T t{s}; out[0] = t + 1;", "T::operator+() {} and is an overloaded operator"),
    ("struct T { float *p; virtual __device__ float at(int i) const { __syncthreads(); return p[i]; } };",
     "T t; t.p = s; out[0] = t.at(1);", "T::at() {} and is virtual"),
    ("template <class B> struct T : B { __device__ float at(float *q) { __syncthreads(); return q[1]; } };\n"
     "struct E {};", "T<E> t; out[0] = t.at(s);", "T::at() {} and is a member of a class derived from B"),
])
@pytest.mark.parametrize(("mutation", "slug", "does"), [
    ("no-sync", "barrier-in-method", "waits at a barrier"),
    ("smem-broadcast", "shared-in-method", "accesses shared memory"),
])
def test_barriers_and_shared_accesses_where_no_mutated_copy_can_stand_are_refused(
        types: str, body: str, words: str, mutation: str, slug: str, does: str) -> None:
    made = built(SHARED.format(types, body), mutation)
    assert isinstance(made, Refused) and (made.slug, made.why[: len(words.format(does))]) == (slug, words.format(does))
    assert "called by its name" in made.hint


INDEX = "struct W {{ int idx[64], one; __device__ int *begin() {{ return idx; }}\n" \
        "    __device__ int at(int i) {{ return idx[i]; }} __device__ int get() const {{ return one; }} }};\n" \
        "struct V {{ const int *s; int at; __device__ V(const int *p, int i) : s(p), at(p[i]) {{}} }};\n" \
        "struct P {{ const int *a, *b; __device__ int at(int i) const {{ return b[i]; }} }};\n" \
        "__device__ void keep(P &p, const int *b) {{ p.b = b; }}\n" \
        "__global__ void k(float *out, const float *in, const int *index) {{\n" \
        "    __shared__ W w;\n    __shared__ int s[64];\n    int t = threadIdx.x;\n" \
        "    w.idx[t] = s[t] = index[t];\n    if (t == 0) w.one = index[0];\n    __syncthreads();\n" \
        "    {}\n}}\n"


@pytest.mark.parametrize("body", [
    "out[t] = in[w.at(t ^ 1)];", "out[t] = in[w.begin()[t ^ 1]];", "int *p = w.begin(); out[t] = in[p[t ^ 1]];",
    "out[t] = in[w.get()];", "for (int j = 0; j < w.get(); j++) out[t] += in[j];", "V v(s, t ^ 1); out[t] = in[v.at];",
    "P p{index, index}; keep(p, s); out[t] = in[p.at(t ^ 1)];", "P p{index, s}; out[t] = in[p.at(t ^ 1)];",
])
def test_what_an_object_reads_of_shared_memory_for_an_address_needs_its_barrier(body: str) -> None:
    made = built(INDEX.format(body), "no-sync")
    assert isinstance(made, Refused) and made.slug == "sync-carries-addresses", made


@pytest.mark.parametrize("body", [
    "out[t] = w.at(t ^ 1);", "out[t] = w.begin()[t ^ 1] + s[t ^ 2];",
    "P p{s, index}; out[t] = p.a[t ^ 1] + in[p.at(t)];",
])
def test_where_an_object_lies_in_shared_memory_is_no_address_that_it_holds(body: str) -> None:
    assert isinstance(built(INDEX.format(body), "no-sync"), VariantText)


def test_arrays_that_a_function_declares_and_hands_out_have_no_name_where_they_are_used() -> None:
    for extern, size in (("", "128"), ("extern ", "")):
        made = built(f"template <class T> struct Memory {{ __device__ T *get() {{ {extern}__shared__ T m[{size}]; "
                     "return m; } };\n__global__ void k(float *out) {\n    Memory<float> m;\n"
                     "    float *s = m.get();\n    s[threadIdx.x] = 1.0f;\n    out[0] = s[1];\n}\n", "smem-broadcast")
        if extern:
            assert isinstance(made, VariantText) and b"km_bank(km_dynamic, km_dynamic_bytes(), &s[1])" in made.text
        else:
            assert isinstance(made, Refused) and made.slug == "shared-array-out-of-scope", made


@pytest.mark.parametrize("mutation", ALL_THREADS)
def test_member_functions_without_barriers_and_shared_accesses_stay_as_they_are(mutation: str) -> None:
    made = built(SHARED.format("struct V { const float *p; __device__ float at(int i) const { return p[i]; }\n"
                               "    __device__ ~V() {} __device__ operator float() const { return p[0]; } };",
                               "V v{in}; out[0] = v.at(1) + s[2] + v;"), mutation)
    assert isinstance(made, VariantText), made
    assert b"at_km" not in made.text and b"out[0] = v.at(1)" in made.text


@pytest.mark.parametrize("mutation", VALUES)
def test_member_functions_without_global_memory_stay_as_they_are(mutation: str) -> None:
    made = built("struct Counter { int n; __device__ int next() { return n++; } };\n"
                 "__global__ void k(float *out, const float *in) {\n"
                 "    Counter c{0};\n"
                 "    for (int j = 0; j < 4; j++) out[c.next()] = in[threadIdx.x] * 2.0f;\n"
                 "}\n", mutation)
    assert isinstance(made, VariantText)
    assert "next_km" not in made.text.decode() and "out[c.next()]" in made.text.decode()


FUNCTION_RESULTS = """__device__ int end(const int *p, int i) { return p[i]; }
__device__ void range(const int *p, int i, int *first, int *last) { *first = p[i]; *last = p[i + 1]; }
__global__ void k(float *y, const int *row, const float *a) {
    float s = 0.0f;
    int first, last;
    range(row, threadIdx.x, &first, &last);
    for (int j = first; j < last; j++) s += a[j];
    for (int j = 0; j < end(row, threadIdx.x); j++) s += a[j];
    y[threadIdx.x] = s;
}
"""


def test_math_only_keeps_the_loads_of_functions_that_give_loops_their_bounds() -> None:
    made = built(FUNCTION_RESULTS, "math-only")
    assert isinstance(made, VariantText)
    body = made.text.decode().split("__global__")[1]
    assert "j < end(row" in body and " range(row" in body and "km_opaque(&a[j])" in body
    assert {n.text.split(" stays")[0] for n in made.notes if n.slug == "retained-load"} == {"p[i]", "p[i + 1]"}


@pytest.mark.parametrize(("parameters", "condition", "call"), [
    ("int &a, int &b", "a > b", "order(s[2 * t], s[2 * t + 1])"),
    ("int *a, int *b", "*a > *b", "order(&s[2 * t], &s[2 * t + 1])"),
])
def test_math_only_keeps_loads_that_a_comparison_in_shared_memory_waits_for(parameters: str, condition: str,
                                                                           call: str) -> None:
    swap = "int v = a; a = b; b = v;" if "&" in parameters else "int v = *a; *a = *b; *b = v;"
    made = built(f"__device__ void order({parameters}) {{ if ({condition}) {{ {swap} }} }}\n"
                 "__global__ void k(int *keys, const float *in, float *out) {\n"
                 "    __shared__ int s[64];\n"
                 "    int t = threadIdx.x;\n"
                 "    s[t] = keys[t];\n"
                 "    __syncthreads();\n"
                 f"    if (t < 32) {call};\n"
                 "    __syncthreads();\n"
                 "    out[t] = in[t] * s[t];\n"
                 "}\n", "math-only")
    assert isinstance(made, VariantText)
    body = made.text.decode().split("__global__")[1]
    assert "s[t] = keys[t];" in body and "km_opaque(&in[t])" in body
