"""What a run says of a variant: the rules, on counts made by hand and on variants that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from mutate.dynamic import (
    SPACES,
    Binary,
    Summary,
    compared,
    dynamic_reasons,
    plan_blocks,
    simulate_all,
    with_dynamic,
)
from mutate.model import AccessPair, Certificate, DynamicCounts, Reason, Verdict, worst
from mutate.mutations.registry import parse_composition
from mutate.pipeline import again, search
from mutate.pipeline.attempts import places_of, with_choice
from mutate.pipeline.binaries import compile_file
from mutate.pipeline.run import prove_file
from mutate.results import Request
from mutate.toolchain.cache import Cache
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


def counts(memory: dict[str, AccessPair], original: dict[str, int] | None = None,
           variant: dict[str, int] | None = None) -> DynamicCounts:
    return DynamicCounts(1, 1, original or {}, variant or original or {}, memory)


def verdict(mutation: str, found: DynamicCounts, static: tuple[Reason, ...] = ()) -> Verdict:
    return worst(tuple(dynamic_reasons(parse_composition(mutation), found, static)))


@pytest.mark.parametrize(("mutation", "space", "pair", "expected"), [
    ("memory-only", "global_load", AccessPair(100, 100, True), Verdict.VALID),
    ("memory-only", "global_load", AccessPair(100, 100, False), Verdict.DEGRADED),
    ("memory-only", "global_load", AccessPair(1000, 995, False, False), Verdict.DEGRADED),
    ("memory-only", "global_load", AccessPair(1000, 900, False, False), Verdict.INVALID),
    ("memory-only", "global_load", AccessPair(9000, 9009, False, False), Verdict.DEGRADED),
    ("no-sync", "shared_load", AccessPair(9000, 9009, False, False), Verdict.DEGRADED),
    ("memory-only", "global_load", AccessPair(1000, 250, False, True), Verdict.INVALID),
    ("smem-broadcast", "shared_load", AccessPair(250, 1000, False, True), Verdict.DEGRADED),
    ("smem-broadcast", "shared_load", AccessPair(250, 900, False, False, True), Verdict.DEGRADED),
    ("memory-only", "global_load", AccessPair(250, 900, False, False, True), Verdict.INVALID),
    ("load-only", "global_store", AccessPair(100, 0, False), Verdict.VALID),
    ("load-only", "global_store", AccessPair(100, 1, False), Verdict.INVALID),
    ("store-only", "global_store", AccessPair(100, 99, False, False), Verdict.DEGRADED),
    ("no-sync", "shared_load", AccessPair(64, 64, False), Verdict.DEGRADED),
    ("smem-conflict-free", "shared_load", AccessPair(64, 64, False), Verdict.VALID),
    ("smem-conflict-free", "shared_load", AccessPair(64, 32, False, False), Verdict.INVALID),
    ("math-only", "shared_store", AccessPair(64, 64, True), Verdict.VALID),
    ("identity", "global_load", AccessPair(64, 64, False), Verdict.INVALID),
])
def test_accesses_decide_the_verdict(mutation: str, space: str, pair: AccessPair, expected: Verdict) -> None:
    assert verdict(mutation, counts({space: pair})) is expected


@pytest.mark.parametrize(("original", "variant", "padded"), [
    ((2, 32), (7, 28), True), ((7, 28), (2, 32), True), ((2, 32), (5, 20), False), ((2, 32), (9, 36), False),
    ((7, 28), (6, 24), False), ((8, 16), (14, 14), False),
])
def test_wide_accesses_may_read_a_little_in_vain(original: tuple[int, int], variant: tuple[int, int], padded: bool
                                                 ) -> None:
    def ran(loads: tuple[int, int]) -> Summary:
        return Summary({}, tuple((1, 1, *loads) if n == "shared_load" else (0, 0, 0, 0) for n in SPACES), 1, 1, 1)

    assert compared(ran(original), ran(variant)).memory["shared_load"].padded is padded


@pytest.mark.parametrize(("mutation", "space", "expected"), [
    ("memory-only", "global_load", Verdict.VALID), ("memory-only", "global_store", Verdict.DEGRADED),
    ("identity", "global_load", Verdict.INVALID)])
def test_lanes_that_take_no_part_change_loads_of_the_same_sectors_for_identity_alone(mutation: str, space: str,
                                                                                     expected: Verdict) -> None:
    def ran(count: int) -> Summary:
        return Summary({}, tuple((7, 9, 64, count) if n == space else (0, 0, 0, 0) for n in SPACES), 1, 1, 1)

    assert verdict(mutation, compared(ran(2048), ran(2032))) is expected


@pytest.mark.parametrize(("after", "noted", "expected"), [
    (1050, "sync-carries-control", Verdict.DEGRADED), (1110, "sync-carries-control", Verdict.INVALID),
    (1050, "warp-wide-result", Verdict.INVALID)])
def test_loops_may_end_elsewhere_where_branches_may_go_another_way(after: int, noted: str, expected: Verdict) -> None:
    found = counts({"shared_load": AccessPair(1000, after, False, False)})
    assert verdict("no-sync", found, (Reason(noted, "said"),)) is expected


@pytest.mark.parametrize(("left", "expected"), [(5, Verdict.VALID), (6, Verdict.DEGRADED)])
def test_retained_loads_weigh_by_their_share_of_the_traffic(left: int, expected: Verdict) -> None:
    listed = (Reason("retained-load", "rowptr[i]", Verdict.VALID),)
    found = counts({"global_load": AccessPair(100, left, False, False)})
    assert verdict("math-only", found, listed) is expected
    assert verdict("math-only", found) is Verdict.INVALID, "a load that nobody listed"


@pytest.mark.parametrize(("after", "expected"), [(1000, Verdict.VALID), (985, Verdict.VALID), (900, Verdict.DEGRADED)])
def test_arithmetic_may_differ_by_little(after: int, expected: Verdict) -> None:
    assert verdict("math-only", counts({}, {"fp32.fma": 1000}, {"fp32.fma": after})) is expected


def test_blocks_are_as_many_as_the_target_allows() -> None:
    assert plan_blocks(1000, 9, 10**6) == 64
    assert plan_blocks(10**6, 9, 10**6) == 1
    assert plan_blocks(10, 9, 5) == 5


KERNEL = """
/* kmutate launch
   int n = 4096;
   dim3 grid = {{ n / 128 }};
   dim3 block = {{ 128 }};
   float out[n] = zeros();
   float in[n] = uniform(0, 1);
   k(out, in, n);
*/
__global__ void k(float *out, const float *in, int n)
{{
    __shared__ float s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x] = in[{index}];
    __syncthreads();
    out[i] = s[127 - threadIdx.x] * 2.0f;
}}
"""


def binary(folder: Path, name: str, index: str = "i") -> tuple[Binary, tuple[object, ...]]:
    path = folder / f"{name}.cu"
    path.write_text(KERNEL.format(index=index))
    (found,) = compile_file(Request(path=path, mutations=("identity",)))
    return found.original, found.target.launches


@needs_nvrtc
@pytest.mark.parametrize(("index", "mutation", "expected"), [
    ("i", "memory-only", Verdict.VALID),
    ("i | 1024", "memory-only", Verdict.DEGRADED),  # as many sectors, others
    ("i & ~31", "memory-only", Verdict.INVALID),  # fewer
    ("(i + 1) % n", "no-sync", Verdict.INVALID),  # more
    ("min(i, n - 2)", "no-sync", Verdict.VALID),  # the same sectors
])
def test_a_variant_that_touches_other_sectors_is_found_out(tmp_path: Path, index: str, mutation: str,
                                                           expected: Verdict) -> None:
    original, launches = binary(tmp_path, "original")
    wrong, _ = binary(tmp_path, "wrong", index)
    first, rest = simulate_all(original, {"wrong": wrong}, launches, Cache(None))  # type: ignore[arg-type]
    found = compared(first, rest["wrong"])
    reasons = [r for r in dynamic_reasons(parse_composition(mutation), found, ()) if "barriers" not in r.text
               and r.slug != "not-removed"]
    assert worst(tuple(reasons)) is expected, (found.memory, reasons)


@needs_nvrtc
def test_a_variant_that_faults_is_invalid_and_says_where(tmp_path: Path) -> None:
    original, launches = binary(tmp_path, "original")
    wrong, _ = binary(tmp_path, "wrong", "i + n")
    first, rest = simulate_all(original, {"wrong": wrong}, launches, Cache(None))  # type: ignore[arg-type]
    done = with_dynamic(Certificate(Verdict.VALID, ()), parse_composition("memory-only"), first, rest["wrong"])
    assert done.verdict is Verdict.INVALID
    (reason,) = done.reasons
    assert reason.slug == "dynamic-failed"
    assert "in[" in reason.text
    assert "4096 elements" in reason.text


@needs_nvrtc
def test_a_variant_that_hangs_is_invalid(tmp_path: Path) -> None:
    original, launches = binary(tmp_path, "original")
    path = tmp_path / "hangs.cu"
    path.write_text(KERNEL.format(index="i").replace("    out[i] =", "    while (in[i] >= 0.0f) out[i] = in[i];\n"
                                                                       "    out[i] ="))
    (found,) = compile_file(Request(path=path, mutations=("identity",)))
    first, rest = simulate_all(original, {"hangs": found.original}, launches, Cache(None))  # type: ignore[arg-type]
    done = with_dynamic(Certificate(Verdict.VALID, ()), parse_composition("no-sync"), first, rest["hangs"])
    assert done.verdict is Verdict.INVALID
    assert [r.slug for r in done.reasons] == ["dynamic-failed"]


@needs_nvrtc
def test_static_doubts_are_settled_by_the_run(tmp_path: Path) -> None:
    original, launches = binary(tmp_path, "original")
    first, rest = simulate_all(original, {"same": original}, launches, Cache(None))  # type: ignore[arg-type]
    doubt = Reason("static-counts-differ", "loops", Verdict.DEGRADED)
    kept = Reason("occupancy-differs", "registers", Verdict.DEGRADED)
    done = with_dynamic(Certificate(Verdict.DEGRADED, (doubt, kept)), parse_composition("memory-only"), first,
                        rest["same"])
    assert [(r.slug, r.severity) for r in done.reasons] == [("static-counts-differ", Verdict.VALID),
                                                           ("occupancy-differs", Verdict.DEGRADED)]


LEAVING = """/* kmutate launch
   dim3 grid = { 2 }; dim3 block = { 128 };
   float out[256] = zeros(); float in[320] = uniform(0, 1);
   k(out, in);
*/
__global__ void k(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int j = 0; j < (i & 15); j++) s = sinf(in[i + j]) * cosf(s) + tanf(s) * expf(s);
    out[i] = s;
}
"""


@needs_nvrtc
def test_what_the_compiler_unrolls_otherwise_is_made_again() -> None:
    request = Request(Path("leaving.cu"), ("identity", "memory-only", "load-only"), text=LEAVING.encode(), dynamic=True)
    proven = prove_file(request)
    for v in proven.results[0].variants:
        assert v.certificate is not None and v.certificate.verdict is Verdict.VALID, v
        assert ("made-again" in {r.slug for r in v.certificate.reasons}) == (v.mutation != "identity")
        assert (b'_Pragma("unroll 1") for (' in v.text.text) == (v.mutation != "identity")  # type: ignore[union-attr]
    assert proven.prover is not None
    assert {b'unroll 1' in c.source for c in proven.prover.works[0].candidates[1:]} == {True}, "what is timed is that"


def clocks(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Clocks that go on by ``seconds`` whenever somebody looks."""
    now = count(0.0, seconds)
    for module in (again, search):
        monkeypatch.setattr(module.time, "monotonic", lambda: next(now))


@needs_nvrtc
def test_what_is_tried_does_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(Path("leaving.cu"), ("memory-only",), text=LEAVING.encode(), dynamic=True)
    tried: list[list[bytes]] = []
    built = search.Search._built

    def written_down(self: search.Search, sources: Sequence[bytes]) -> list[Binary | None]:
        tried[-1] += sources
        return built(self, sources)

    monkeypatch.setattr(search.Search, "_built", written_down)
    monkeypatch.setattr(search, "same", lambda *_: False)
    monkeypatch.setattr(search, "_WORK", 1.2)
    for seconds in (0.0, 1.0):
        tried.append([])
        clocks(monkeypatch, seconds)
        prove_file(request)
    assert len(tried[0]) > 5 and tried[0] == tried[1]


@needs_nvrtc
def test_the_lines_that_differ_say_what_is_tried_next_whatever_an_attempt_has_inserted() -> None:
    proven = prove_file(Request(Path("leaving.cu"), ("load-only",), text=LEAVING.encode(), dynamic=False))
    assert proven.prover is not None
    (work,) = proven.prover.works
    (c,) = work.candidates
    places = places_of(c.text, "leaving.cu")
    fold = next(p for p in places if p.kind == "fold")
    longer = with_choice(c.text, c.source, places, {fold: "here"})
    line = LEAVING[: LEAVING.index("s = sinf")].count("\n") + 1
    looks = search.Search(proven.prover, work, c, 0.0)
    first, later = (looks._moves(search._Tried({}, *made, False, {line: 5.0})) for made in ((c.text, c.source), longer))
    assert first == later
    assert {p.kind for move in first[:6] for p in move} == {"loop", "fold"}


@needs_nvrtc
def test_a_search_that_is_given_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks(monkeypatch, 1000.0)
    request = Request(Path("leaving.cu"), ("memory-only",), text=LEAVING.encode(), dynamic=True)
    (v,) = prove_file(request).results[0].variants
    assert v.certificate is not None and v.certificate.verdict is not Verdict.VALID
    assert [r.severity for r in v.certificate.reasons if r.slug == "search-stopped"] == [Verdict.VALID]


BORDER = """/* kmutate launch
   int w = 128, h = 64; dim3 block = { 32, 4 }, grid = { w / 32, h / 4 };
   unsigned char edge[w * h]; short gx[w * h] = randint(-1000, 1000), gy[w * h] = randint(-1000, 1000);
   thin(edge, gx, gy, w, h);
*/
__global__ void thin(unsigned char *edge, const short *gx, const short *gy, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        edge[i] = 0;
        return;
    }
    int dx = gx[i], dy = gy[i], here = abs(dx) + abs(dy);
    unsigned char result = 0;
    if (here > 300) {
        int step = abs(dy) < abs(dx) ? 1 : (dx ^ dy) < 0 ? w - 1 : w + 1;
        if (here > abs(gx[i - step]) + abs(gy[i - step]) && here >= abs(gx[i + step]) + abs(gy[i + step])) result = 2;
    }
    edge[i] = result;
}
"""


@needs_nvrtc
def test_stores_that_the_original_keeps_apart_are_kept_apart() -> None:
    request = Request(Path("thin.cu"), ("store-only",), text=BORDER.encode(), dynamic=True, arch="sm_90")
    (v,) = prove_file(request).results[0].variants
    assert v.certificate is not None and v.certificate.verdict is Verdict.VALID, v.certificate
    assert [r.text.split(":")[0] for r in v.certificate.reasons if r.slug == "made-again"] == [
        "2 stores of several branches are kept apart"]


# A function that is not inlined and only loads is called once for the loop; branches of one condition become one.
CALLS = """/* kmutate launch
   float out[128] = zeros(); float in[200] = uniform(0, 1); dim3 grid = { 2 }; dim3 block = { 64 };
   k(out, in, 5);
*/
__device__ __noinline__ float deep(const float *p, int i)
{
    float t = p[i];
    if (t > 0.5f) t += p[i + 1];
    return t * 0.5f;
}
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int j = 0; j < n; j++) s = s * 0.5f + deep(in, i);
    out[i] = s;
}
"""
BRANCHES = """/* kmutate launch
   int n = 100; float out[8 * n] = zeros(); float in[200] = uniform(0, 1); dim3 grid = { 2 }; dim3 block = { 64 };
   k(out, in, n);
*/
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, w = 3;
    while (w > 0) {
        if (i < n) out[w * n + i] = 0.5f;
        if (i < n) out[(4 + w) * n + i] += in[threadIdx.x + 85] * in[w >> 1];
        w--;
    }
}
"""


SIGNS = """/* kmutate launch
   int n = 100; float out[n] = zeros(); float in[200] = uniform(-1, 1); dim3 grid = { 2 }; dim3 block = { 64 };
   k(out, in, n);
*/
__device__ void magnitude(float *p, int i, float x) { if (x > 0.0f) p[i] = x; else p[i] = -x; }
__global__ void k(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) magnitude(out, i, in[i] * 0.5f);
}
"""


@needs_nvrtc
def test_what_makes_one_store_of_two_is_tried_together() -> None:
    proven = prove_file(Request(Path("signs.cu"), ("memory-only",), text=SIGNS.encode(), dynamic=False))
    assert proven.prover is not None
    (work,) = proven.prover.works
    (c,) = work.candidates
    looks = search.Search(proven.prover, work, c, 0.0)
    line = SIGNS[: SIGNS.index("magnitude(out")].count("\n") + 1
    moves = looks._moves(search._Tried({}, c.text, c.source, False, {line: 5.0}))
    kinds = [[(p.kind, what, p.name) for p, what in move.items()] for move in moves]
    assert [("put", "equal", "")] * 2 in kinds and [("stored", "stored", "x")] * 2 in kinds
    both = next(move for move in moves if set(move.values()) == {"equal"})
    assert looks._built([with_choice(c.text, c.source, tuple(both), both)[1]]) != [None]


@needs_nvrtc
@pytest.mark.parametrize(("text", "mutations", "how"), [
    (CALLS, ("memory-only", "load-only"), "1 functions return what they load"),
    (BRANCHES, ("memory-only",), "3 loads are for one store alone")])
def test_a_loaded_value_goes_the_original_s_way(text: str, mutations: tuple[str, ...], how: str) -> None:
    for v in prove_file(Request(Path("k.cu"), mutations, text=text.encode(), dynamic=True)).results[0].variants:
        assert v.certificate is not None and v.certificate.verdict is Verdict.VALID, v.certificate
        assert [r.text.split(":")[0] for r in v.certificate.reasons if r.slug == "made-again"] == [how]



@needs_nvrtc
def test_a_run_is_kept_and_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, launches = binary(tmp_path, "original")
    store = Cache(tmp_path / "cache")
    first, _ = simulate_all(original, {"same": original}, launches, store)  # type: ignore[arg-type]

    def never(*_: object) -> None:
        raise AssertionError("ran again")

    monkeypatch.setattr("mutate.dynamic._simulate", never)
    again, _ = simulate_all(original, {"same": original}, launches, store)  # type: ignore[arg-type]
    assert again == first
    assert first.instructions > 0
