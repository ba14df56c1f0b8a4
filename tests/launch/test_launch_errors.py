"""Every mistake has a slug, a caret at the C token, and a way on."""

from __future__ import annotations

import pytest
from launch_cases import GRID, failure, launches

OK = f"{GRID} int n = 4; float a[n] = zeros(); k(a, n);"

# body -> slug, what the caret underlines, a word of the message or hint
MISTAKES: list[tuple[str, str, str, str]] = [
    # syntax
    (f"{GRID} int n = ; k(n);", "launch-syntax", ";", "';'"),
    (f"{GRID} int n = 3\n int m = 4; k(n);", "launch-syntax", "3", "';' missing"),
    (f"{GRID} k(3;", "launch-syntax", "(", "never closed"),
    (f"{GRID} k(3));", "launch-syntax", ")", "closes nothing"),
    (f"{GRID} k(3]);", "launch-syntax", "]", "expected ')'"),
    (f"{GRID} }} int x;", "launch-syntax", "}", "closes nothing"),
    (f"{GRID} int n = 08; k(n);", "launch-syntax", "08", ""),
    (f"{GRID} int n = 3 @ 4; k(n);", "launch-syntax", "@", "stray"),
    (f'{GRID} float a[1] = file("x.npy); k(a);', "launch-syntax", '"', "not closed"),
    (f"{GRID} k<3(1);", "launch-syntax", "<", "'>'"),
    (f"{GRID} k<<<1, 32>>>(1);", "launch-syntax", "<<<", "dim3 grid"),
    (f"{GRID} k<4><<<1, 32>>>(1);", "launch-syntax", "<<<", "dim3 grid"),
    (f"{GRID} k<4>;", "launch-syntax", ";", "parentheses"),
    ("int N = 3; k(N);", "launch-syntax", "N", "#define"),
    (f"{GRID} k(" + "(" * 80 + "1" + ")" * 80 + ");", "launch-syntax", "(", "deeply"),
    (f"{GRID} k(" + "-~" * 4000 + "1);", "launch-syntax", "", "deeply"),
    # names
    (f"{GRID} int size = 3; k(sice);", "launch-unknown-name", "sice", "did you mean size?"),
    (f"{GRID} k(zz);", "launch-unknown-name", "zz", "declare it"),
    (f"{GRID} int m = mn(1, 2); k(m);", "launch-unknown-name", "mn", "did you mean min?"),
    (f"{GRID} flot a[3]; k(a);", "launch-unknown-type", "flot", "did you mean float?"),
    (f"{GRID} extern const Parameters p; k(p);", "launch-unknown-type", "Parameters", "repeated here"),
    (f"{GRID} typedef int u; u x 3; k(x);", "launch-syntax", "3", "unexpected"),
    (f"{GRID} struct Q q; k(q);", "launch-unknown-type", "Q", "struct Q is not declared"),
    (f"{GRID} long double d = 1; k(d);", "launch-unknown-type", "", "long double"),
    (f"{GRID} struct P {{ int n; }}; P p = {{ .m = 1 }}; k(p);", "launch-unknown-name", "m", "members: n"),
    (f"{GRID} struct P {{ int n; }}; P p = {{1}}; k(p.m);", "launch-unknown-name", "m", "members: n"),
    (f"{GRID} int n; k(n);", "launch-no-value", "n", "--set n="),
    (f"{GRID} int n = 1; float n[3]; k(n);", "launch-redeclared", "n", "twice"),
    # initialisers
    (f"{GRID} float a[3] = zeroes(); k(a);", "launch-unknown-initialiser", "zeroes", "did you mean zeros?"),
    (f"{GRID} float a[3] = 4; k(a);", "launch-unknown-initialiser", "4", "zeros"),
    (f"{GRID} float a[3] = uniform(1); k(a);", "launch-argument-count", "uniform", "uniform(a, b)"),
    (f"{GRID} float a[3] = uniform(2, 1); k(a);", "launch-bad-initialiser", "2", "a <= b"),
    (f"{GRID} int a[3] = uniform(0, 1); k(a);", "launch-bad-initialiser", "uniform", "randint"),
    (f"{GRID} int a[3] = randint(5, 5); k(a);", "launch-bad-initialiser", "5", "a <= x < b"),
    (f"{GRID} char a[3] = randint(0, 300); k(a);", "launch-bad-initialiser", "300", "char"),
    (f"{GRID} float a[3] = permutation(); k(a);", "launch-bad-initialiser", "permutation", "integers"),
    (f"{GRID} unsigned char a[300] = permutation(); k(a);", "launch-bad-initialiser", "permutation", "299"),
    (f"{GRID} int a[3] = csr_rowptr(3, 1, 2); k(a);", "launch-size", "3", "rows + 1"),
    (f"{GRID} int a[4] = csr_rowptr(3, 2, 1); k(a);", "launch-bad-initialiser", "1", "longest row"),
    (f"{GRID} float a[] = zeros(); k(a);", "launch-size", "zeros", "needs a size"),
    (f"{GRID} int a[2] = {{1, 2, 3}}; k(a);", "launch-bad-initialiser", "3", "more values"),
    (f"{GRID} int a[2] = {{[2] = 3}}; k(a);", "launch-out-of-bounds", "2", "0 to 1"),
    (f"{GRID} zeros();", "launch-syntax", "zeros", "initialiser"),
    (f"{GRID} int n = zeros(); k(n);", "launch-bad-initialiser", "zeros", "array"),
    (f"{GRID} struct S {{int a; float b;}}; S s[2] = ones(); k(s);", "launch-bad-initialiser", "ones",
     "char bytes[n * sizeof(S)], and pass (S *)bytes"),
    (f"{GRID} float *a[2]; k(a);", "launch-unsupported", "a", "array of pointers"),
    # arithmetic
    (f"{GRID} int n = 65536; float a[n * n]; k(a);", "launch-overflow", "n", "(size_t)"),
    (f"{GRID} k(4 / (2 - 2));", "launch-divide-by-zero", "4", "zero"),
    (f"{GRID} k(4 % 0);", "launch-divide-by-zero", "4", "zero"),
    (f"{GRID} k(1 << 32);", "launch-overflow", "1", "shift"),
    (f"{GRID} k(1.5 % 2);", "launch-type", "1.5", "integers"),
    (f"{GRID} k((int)1e20);", "launch-overflow", "(", "range"),
    (f"{GRID} k(99999999999999999999);", "launch-overflow", "99999999999999999999", "64 bits"),
    (f"{GRID} k({'9' * 5000});", "launch-overflow", "9" * 5000, "64 bits"),
    (f"{GRID} k(1e999);", "launch-overflow", "1e999", "double"),
    (f"{GRID} k(sqrt(-1));", "launch-overflow", "sqrt", "no value"),
    # sizes and limits
    (f"{GRID} float a[0]; k(a);", "launch-size", "0", "0 elements"),
    (f"{GRID} int n = -4; float a[n]; k(a);", "launch-size", "n", "-4 elements"),
    (f"{GRID} float a[2.5]; k(a);", "launch-type", "2.5", "integer"),
    (f"{GRID} float a[1ll << 50]; k(a);", "launch-size", "a", "any GPU"),
    ("dim3 grid = {1}; dim3 block = {33, 32}; k();", "launch-block-too-large", "block", "1056"),
    ("dim3 grid = {1}; dim3 block = {1, 1, 65}; k();", "launch-block-too-large", "block", "64"),
    ("dim3 grid = {1, 65536}; dim3 block = {1}; k();", "launch-grid-too-large", "grid", "65535"),
    ("dim3 grid = {0}; dim3 block = {1}; k();", "launch-size", "grid", "at least 1"),
    ("int n = 3; dim3 grid = {n - 4}; dim3 block = {1}; k();", "launch-size", "grid", "-1"),
    ("dim3 grid = {1}; k();", "launch-no-block", "k", "dim3 block"),
    ("dim3 block = {1}; k();", "launch-no-grid", "k", "dim3 grid"),
    (f"{GRID} int smem = 1 << 20; k();", "launch-smem-too-large", "smem", "bytes"),
    (f"{GRID} int smem = -1; k();", "launch-smem-too-large", "smem", "-1"),
    (f"{GRID} float grid = 2; k();", "launch-type", "k", "dim3"),
    (f"{GRID} int n = 4;", "launch-no-call", ";", "launches no kernel"),
    ("", "launch-no-call", "", "launches no kernel"),
    # pointers
    (f"{GRID} float a[4]; k(a + 5);", "launch-out-of-bounds", "a", "20 bytes into"),
    (f"{GRID} float a[4]; k(&a[-1]);", "launch-out-of-bounds", "a", "before"),
    (f"{GRID} float a[4]; k(a[1]);", "launch-unsupported", "a", "&a[...]"),
    (f"{GRID} float a[4]; k(a * 2);", "launch-type", "a", "pointer"),
    (f"{GRID} int n = 1; k(&n);", "launch-type", "n", "array of one element"),
    (f"{GRID} float a[4]; int n = a; k(n);", "launch-type", "a", "does not fit int"),
    (f"{GRID} float *p = 3; k(p);", "launch-type", "3", "does not fit"),
    # what a declaration has not
    (f"{GRID} for (int i = 0; i < 3; i++) k(i);", "launch-unsupported", "for", "each launch"),
    (f"{GRID} if (1) k(1);", "launch-unsupported", "if", "each launch"),
    (f"{GRID} int f(int); k(1);", "launch-unsupported", "f", "functions"),
    (f"{GRID} union U {{ int a; }} u; k(1);", "launch-unsupported", "u", "union"),
    (f"{GRID} struct B {{ int a : 3; }}; k(1);", "launch-unsupported", "a", "bit-fields"),
    (f"{GRID} float a[4]; a[1] = 3; k(a);", "launch-unsupported", "a", "initialiser"),
    (f"{GRID}\n#include <x>\n k(1);", "launch-unsupported", "#", "#define"),
    (f"{GRID} int n = std::min(1, 2); k(n);", "launch-unsupported", "::", "C++"),
    (f"{GRID} k((1, 2));", "launch-unsupported", "1", "comma"),
    (f"{GRID} float a[4]; seed(3); k(a);", "launch-syntax", "seed", "before the arrays"),
    (f"{GRID} seed(-3); k();", "launch-size", "3", "not negative"),
    (f'{GRID} k("text");', "launch-type", '"text"', "file("),
]


@pytest.mark.parametrize(("body", "slug", "caret", "words"), MISTAKES,
                         ids=[f"{i}-{m[1]}" for i, m in enumerate(MISTAKES)])
def test_a_mistake_is_shown_at_its_token(body: str, slug: str, caret: str, words: str) -> None:
    error, underlined = failure(body, {"N": "512"})
    assert error.slug == slug, str(error)
    assert words in str(error)
    assert error.where is not None and error.where.startswith("kernel.cu:")
    if caret:
        assert underlined, str(error)
        assert underlined == caret or (len(underlined) > 900 and caret.startswith(underlined)), str(error)


def test_the_same_without_a_mistake() -> None:
    assert len(launches(OK)) == 1


def test_line_and_column_are_those_of_the_user_s_file() -> None:
    error, _ = failure("   dim3 grid = {1}, block = {1};\n\n\tint n = 3 + wrong;\n k(n);")
    assert error.where == "kernel.cu:4:14"


@pytest.mark.parametrize(("name", "text", "slug", "words"), [
    ("nz", "3", "launch-unknown-name", "did you mean n?"),
    ("N", "3", "launch-unknown-name", "use -D N=3"),
    ("a", "3", "launch-type", "array"),
    ("n", "3 +", "launch-syntax", "--set n"),
    ("n", "", "launch-syntax", "--set n"),
    ("n", "3; int q = 4", "launch-syntax", "--set n"),
    ("n", "x", "launch-unknown-name", "--set n"),
    ("n", "1 / 0", "launch-divide-by-zero", "--set n"),
    ("n", "{1, 2}", "launch-bad-initialiser", "--set n"),
    ("block", "2048", "launch-block-too-large", "--set block=2048"),
    ("seed", "1.5.5", "launch-syntax", "--set seed"),
])
def test_a_wrong_set_is_named(name: str, text: str, slug: str, words: str) -> None:
    error, _ = failure(OK, {"N": "512"}, {name: text})
    assert error.slug == slug, str(error)
    assert words in str(error)


@pytest.mark.parametrize(("defines", "words"), [
    ({"M": "a ## b"}, "cannot be evaluated"), ({"M": '"'}, "cannot be evaluated"), ({"M": "static_cast<int>(3)"}, ""),
    ({"M": "(3"}, "never closed"), ({"M": ""}, ""),
    ({"M": "M0 M0", **{f"M{i}": f"M{i + 1} M{i + 1}" for i in range(22)}}, "too much"),
])
def test_a_macro_that_is_no_value_is_shown_where_it_is_used(defines: dict[str, str], words: str) -> None:
    error, underlined = failure(f"{GRID} int n = M + ; k(n);", defines)
    assert words in str(error)
    assert underlined in ("M", "M + ;", ";", "+")
