"""Whatever stands in a declaration, the answer is launches or an error with a place; never a traceback."""

from __future__ import annotations

import random
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from launch_cases import GRID

from mutate.errors import KmutateError
from mutate.launch import check_against, evaluate_all, find_declarations
from mutate.launch.data import materialize

VALID = [
    "int nx = 64, ny = 2; dim3 grid = { (nx + 15) / 16, ny }; dim3 block = { 16, 16 }; float a[nx * ny] = zeros(); "
    "fd3d(a, a + 3, nx, ny);",
    f"{GRID} struct P {{ float a; int n[2]; float4 *v; }}; float4 v[8] = uniform(0, 1); "
    "struct P p = { .a = 1.0f, .n = {1, 2}, .v = &v[2] }; p.n[1] += 3; k<512, float>(p, sizeof(v), (double)p.n[0]);",
    "#define T(x) ((x) * 2)\nint n = T(4); dim3 grid(n, 1); dim3 block = dim3(n); int smem = n ? 4 : 5; seed(3);\n"
    "extern int c[4] = {1, 2, [3] = 4}; int r[n + 1] = csr_rowptr(n, 0, 3); half h[4] = normal(); k(r, h, 'a', 1e3f);",
    f"{GRID} typedef unsigned int u32; enum {{ A = 1, B }}; u32 x = ~0u >> A; int y[B][3] = randint(0, 5); "
    "int z[16] = permutation(); k(y, &y[1][2], z, x << 2, !x || x && B);",
]
PIECES = ["int", "float", "dim3", "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "=", "*", "&", "k", "n", "0", "-1",
          "1e9", "'a'", '"x.npy"', "struct", "P", "extern", "sizeof", "zeros()", "uniform(0, 1)", "file(", "#define N",
          "\n", "//", "/*", "?", ":", "::", "<<<", ">>>", ".", "->", "grid", "block", "smem", "seed(1);", "half",
          "union", "enum", "typedef", "N", "M(1)", "\\", "@", "\0", "é", "void", "static_assert(1)",
          "_Generic(1, int: 2)", "_Alignas(8)", "goto x;", "x:", "asm(1);", "#pragma x",
          "99999999999", "L'x'", "0x", "__attribute__((x))"]


def outcome(body: str, defines: dict[str, str] | None = None, overrides: dict[str, str] | None = None) -> str:
    source = f"/* kmutate launch\n{body}\n*/".encode(errors="replace")
    try:
        found = evaluate_all(find_declarations(source, "k.cu"), defines, overrides)
        for launch in found:
            assert source[launch.span.start : launch.span.end]
            for a in (*launch.arrays, *launch.symbols):
                materialize(a, 0, min(a.count, 3))
            check_against(launch, [("T", "x")] * len(launch.args))
    except KmutateError as error:
        assert error.slug.startswith("launch-")
        assert error.where
        return error.slug
    return "ok"


def test_the_seeds_of_the_fuzzer_are_valid() -> None:
    assert [outcome(v) for v in VALID] == ["ok"] * len(VALID)


slow = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@slow
@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    outcome(text)
    outcome(f"{GRID} int n = {text}; k(n);")


@slow
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from([0, 1]))
def test_any_pieces(pieces: list[str], start: int) -> None:
    outcome((GRID * start) + " ".join(pieces), {"N": "n + 1", "M(x)": "x x", "P": "P"})


TOKENS = re.compile(r"\w+|\s+|\W")


def damaged(text: str, rng: random.Random) -> str:
    """A declaration with tokens dropped, doubled, swapped, or replaced by tokens of other declarations."""
    words = TOKENS.findall(text)
    others = [w for v in VALID for w in TOKENS.findall(v) if not w.isspace()]
    for _ in range(rng.randrange(1, 4)):
        i, j = rng.randrange(len(words)), rng.randrange(len(words))
        kind = rng.randrange(5)
        if kind == 0:
            words[i] = ""
        elif kind == 1:
            words[i] += words[j]
        elif kind == 2:
            words[i], words[j] = words[j], words[i]
        elif kind == 3:
            words[i] = rng.choice(others)
        else:
            words[i] = f" {rng.choice(PIECES)} "
    return "".join(words)


@slow
@given(st.sampled_from(VALID), st.integers(0, 2**32))
def test_a_damaged_declaration(text: str, seed: int) -> None:
    outcome(damaged(text, random.Random(seed)), {"N": "n + 1", "M(x)": "x x"})


@slow
@given(st.text(max_size=20), st.dictionaries(st.sampled_from(["A", "F(x)", "F(x, y)", "nx"]), st.text(max_size=20)))
def test_any_override_and_any_macro(text: str, defines: dict[str, str]) -> None:
    outcome("int nx = A + F(3);" + GRID + " k(nx);", defines)
    outcome(VALID[0], {}, {"nx": text})
    outcome(VALID[0], {}, {"block": text})
