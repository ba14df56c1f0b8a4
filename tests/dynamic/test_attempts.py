"""Where a variant may be written otherwise, and that the user's bytes and the edits stay what they are."""

from __future__ import annotations

import pytest

from mutate.frontend.load import load_unit
from mutate.mutations.base import Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import parse_composition
from mutate.pipeline.attempts import _OPTIONS, LineMap, Place, at_calls, names_of, places_of, suspects, with_choice
from mutate.pipeline.by_line import apart
from mutate.pipeline.compiling import device_source
from mutate.source import apply_edits
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import CompileFailed, Job, compile_many

KERNEL = """__device__ float two(const float *p, int i) { return p[i] + p[i + 1]; }
__global__ void k(float *out, const float *in, int n)
{
    int i = threadIdx.x;
    float x = 1.0f;
    for (int j = 0; j < n; j++)
        x += in[i + j];
    #pragma unroll 2
    for (int j = 0; j < n; j++) { x += two(in, i * j); }
    n = in[n];
    if (x > n) {
        x = n /
            x;
    }
    if (i >= n) return;
    out[i] = x;
}
"""


def variant(mutation: str = "memory-only", text: str = KERNEL.replace("x > n", "i > n")) -> tuple[VariantText, bytes]:
    unit = load_unit(text.encode(), "k.cu")
    made = build_variant(unit, unit.kernels[0], parse_composition(mutation))
    assert not isinstance(made, Refused)
    return made, apply_edits(device_source(unit, unit.kernels[0]), made.edits)


def kinds(places: tuple[Place, ...]) -> list[str]:
    return sorted(p.kind for p in places if p.kind != "statement")


def test_places_are_loops_loads_stores_and_returns() -> None:
    text, _ = variant()
    places = places_of(text, "k.cu")
    assert kinds(places) == ["copy", "end", "fold", "fold", "fold", "loop", "pragma", "put", "return", "value"]
    line = next(n for n, row in enumerate(text.text.decode().splitlines(), 1) if "two_km(km_sink," in row)
    inside = [p for p in places if p.kind == "fold" and p.lines == (line,)]
    assert len(inside) == 2, "what a copy loads is loaded where the kernel calls it"


def test_a_value_that_a_loop_makes_may_be_folded_behind_it() -> None:
    text, source = variant(text=KERNEL.replace("x = n /", "out[n] = n /"))
    places = places_of(text, "k.cu")
    assert list(places) == sorted(places, key=lambda p: (p.at, p.kind)), "in one order, whatever the hashes"
    behind = {p: "value" for p in places if p.kind == "value" and p.name == "x"}
    assert b"x += in[i + j]; km_fold(km_sink, x);\n" in with_choice(text, source, places, behind)[0].text
    stored = {p: "stored" for p in places if p.kind == "stored"}
    assert {p.name for p in stored} == {"n", "x"}, "i and the array are no values that may be loaded"
    made = with_choice(text, source, places, {p: "stored" for p in stored if p.name == "x"})[0].text
    assert b"    km_fold(km_sink, x), km_put(out[i], km_sink);" in made, "in the original x is needed there"


@pytest.mark.parametrize("mutation", ["memory-only", "load-only"])
def test_a_choice_is_an_insertion_in_text_and_edits_alike(mutation: str) -> None:
    text, source = variant(mutation)
    places = places_of(text, "k.cu")
    for p in places:
        for what in p.options:
            made, compiled = with_choice(text, source, places, {p: what})
            assert made.unit is not None and apply_edits(made.unit.source, made.edits) == made.text
            assert len(made.text) - len(text.text) == len(compiled) - len(source) > 0
    loop = next(p for p in places if p.kind == "pragma")
    assert b'#pragma unroll 2\n    _Pragma("unroll 1") for' in with_choice(text, source, places, {loop: "1"})[0].text


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="needs NVRTC")
def test_every_form_of_every_kind_of_place_compiles() -> None:
    jobs, forms = [], []
    walk = """__global__ void k(float *out, const int *next, int n)
{
    int at = threadIdx.x;
    for (int i = 0; i < n; i++) at = next[at];
    out[threadIdx.x] = at;
}
"""
    texts = (KERNEL, KERNEL.replace("x = n /", "out[n] = n /"), walk)
    for text, source in (variant(text=t) for t in texts):
        places = places_of(text, "k.cu")
        for form in sorted({(p.kind, what) for p in places for what in p.options} - set(forms)):
            chosen = {p: form[1] for p in places if p.kind == form[0]}
            jobs.append(Job(with_choice(text, source, places, chosen)[1], "k.cu", "k"))
            forms.append(form)
    assert {kind for kind, _ in forms} == _OPTIONS.keys()
    failed = {form: r.log for form, r in zip(forms, compile_many(jobs), strict=True) if isinstance(r, CompileFailed)}
    assert failed == {}


def test_lines_of_a_variant_are_the_original_s() -> None:
    text, source = variant()
    places = places_of(text, "k.cu")
    everything = {p: p.options[0] for p in places}
    for made in (text, with_choice(text, source, places, everything)[0]):
        lines = LineMap(made)
        rows = made.text.decode().splitlines()
        for word, line in (("out[i], km_sink)", 16), ("in[i + j])", 7), ("if (i >= n)", 15), ("two_km(km_sink,", 9)):
            (mine,) = [n for n, row in enumerate(rows, 1) if word in row]
            assert lines.of(mine) == line, word


def test_what_lies_in_lines_that_differ_is_suspected_first() -> None:
    text, _ = variant()
    lines, places = LineMap(text), places_of(text, "k.cu")
    differ = apart("memory-only", {(7, "load"): 8, (16, "write"): 2}, {(7, "load"): 3, (16, "write"): 2})
    assert differ == {7: 5.0}
    found = suspects(places, lines, differ)
    assert [p.kind for p in found[:2]] == ["loop", "fold"]
    assert all(p.kind != "put" for p in found)
    assert apart("load-only", {(16, "write"): 2}, {}) == {}


def test_calls_follow_the_smallest_statement_of_their_line() -> None:
    text, source = variant()
    lines, places = LineMap(text), places_of(text, "k.cu")
    chosen = at_calls(places, lines, [9], "divide")
    made = with_choice(text, source, places, chosen)[0].text.decode()
    assert [row.count("km_divide(km_sink);") for row in made.splitlines() if "two_km(km_sink," in row] == [1]
    assert at_calls(places, lines, [400], "call") == {}


def test_another_variant_s_places_have_the_same_names() -> None:
    names = [{n for p, n in names_of(places_of(t, "k.cu"), LineMap(t)).items() if p.kind not in ("keep", "value")}
             for t, _ in map(variant, ("memory-only", "load-only"))]
    assert names[0] == names[1]
    assert ("loop", 6, 1) in names[0]
