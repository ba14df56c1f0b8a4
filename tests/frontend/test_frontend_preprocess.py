"""Preprocessing: macros, conditions, comments, and the map from the expanded text back to the user's bytes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutate.frontend.preprocess import Expansion, Preprocessor
from mutate.source import Edit, Span, apply_edits


def expand(source: str, *defines: str, arch: str = "sm_90") -> Expansion:
    return Preprocessor(defines, arch).run(source.encode())


def code(source: str, *defines: str) -> str:
    return " ".join(expand(source, *defines).text.decode().split())


@pytest.mark.parametrize(("source", "expected"), [
    ("#define N 16\nint a[N];", "int a[16];"),
    ("#define A B\n#define B 3\nA", "3"),
    ("#define SQ(x) ((x) * (x))\nSQ(a + 1)", "((a + 1) * (a + 1))"),
    ("#define F(x) (x)\nF(F(1))", "((1))"),
    ("#define AT(p, i) p[i]\n#define IN(i) AT(in, i)\nIN(j + 1)", "in[j + 1]"),
    ("#define F(x, y) x + y\nF((a, b), c)", "(a, b) + c"),
    ("#define LOG(...) f(__VA_ARGS__)\nLOG(1, 2, 3)", "f(1, 2, 3)"),
    ("#define LOG(args...) f(args)\nLOG(1, 2)", "f(1, 2)"),
    ("#define S(x) #x\nS(a \"b\")", '"a \\"b\\""'),
    ("#define CAT(a, b) a ## b\nCAT(x, 1)", "x1"),
    ("#define X X + 1\nX", "X + 1"),
    ("#define A B\n#define B A\nA", "A"),
    ("#define F(x) F(x)\nF(2)", "F(2)"),
    ("#define F(x) x\nint F;", "int F;"),
    ("#define N 1\n#undef N\nN", "N"),
    ("#define LONG a + \\\n  b\nLONG", "a + b"),
    ("#define E\nx E y", "x y"),
])
def test_macros_expand_as_in_c(source: str, expected: str) -> None:
    assert code(source) == expected


@pytest.mark.parametrize(("condition", "defines", "taken"), [
    ("#if 1", (), True), ("#if 0", (), False), ("#ifdef N", (), False), ("#ifdef N", ("N",), True),
    ("#ifndef N", (), True), ("#if defined(N) && N > 3", ("N=4",), True), ("#if defined N && N > 3", ("N=3",), False),
    ("#if !defined(N)", (), True), ("#if UNKNOWN", (), False), ("#if N == 0x10", ("N=16",), True),
    ("#if (N / 2) * 2 == N", ("N=7",), False), ("#if -7 / 2 == -3", (), True), ("#if 7 % 4 == 3", (), True),
    ("#if N ? 1 : 0", ("N=1",), True), ("#if __CUDA_ARCH__ >= 800", (), True), ("#if __CUDA_ARCH__ >= 1000", (), False),
    ("#if 010 == 8", (), True), ("#if 1UL << 3 == 8", (), True), ("#if ~0 == -1", (), True),
    ("#if 0\n#elif N", ("N=1",), False), ("#if 1 || (", (), False),
])
def test_conditions_choose_as_in_c(condition: str, defines: tuple[str, ...], taken: bool) -> None:
    text = code(f"{condition}\nint yes;\n#else\nint no;\n#endif", *defines)
    if condition.startswith("#if 0\n#elif"):
        assert text == "int yes;"
    else:
        assert text == ("int yes;" if taken else "int no;")


def test_a_condition_that_cannot_be_evaluated_is_reported() -> None:
    expansion = expand("#if 1 +\nint x;\n#endif\n")
    (span,) = expansion.unknown_conditions
    assert expansion.source[span.start : span.end].startswith(b"#if 1 +")


def test_inactive_branches_and_comments_become_blanks_of_the_same_length() -> None:
    source = "int a; // c1\n#if 0\nint b; /* x */\n#endif\n/* two\nlines */ int c;\n"
    text = expand(source).text.decode()
    assert len(text) == len(source)
    assert [i for i, c in enumerate(text) if c == "\n"] == [i for i, c in enumerate(source) if c == "\n"]
    assert text.split() == ["int", "a;", "int", "c;"]


@pytest.mark.parametrize("literal", ['"// no comment"', '"/* none */"', "'\"'", 'R"(// raw " /* )"', '"a\\"// b"'])
def test_strings_are_no_comments(literal: str) -> None:
    assert code(f"const char *s = {literal}; int x;") == f"const char *s = {literal}; int x;"


def test_a_macro_bomb_is_left_alone() -> None:
    bomb = "#define A0 x x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 40))
    assert len(expand(bomb + "int y = A39;").text) < 1 << 20


SOURCE = "#define P(i) p[i] + q[i]\n#define N 4\nvoid f() { a = P(1) * N; b = P(2); }\nint c; // end\n"


def test_a_span_in_a_macro_use_maps_to_the_whole_use() -> None:
    expansion = expand(SOURCE)
    at = expansion.text.index(b"q[1]")
    span = Span(at, at + 4)
    assert not expansion.is_exact(span)
    mapped = expansion.to_source(span)
    assert expansion.source[mapped.start : mapped.end] == b"P(1)"
    assert expansion.show(span) == "q[1]"
    whole = expansion.text.index(b"p[1] + q[1]")
    assert expansion.show(Span(whole, whole + len("p[1] + q[1]"))) == "P(1)"


def test_an_edit_inside_a_macro_use_replaces_the_whole_use_and_nothing_else() -> None:
    expansion = expand(SOURCE)
    at = expansion.text.index(b"q[1]")
    lowered = expansion.lower_edits([Edit(at, at + 4, "Q")])
    assert apply_edits(expansion.source, lowered).decode() == SOURCE.replace("a = P(1)", "a = p[1] + Q")


def test_no_edits_change_nothing() -> None:
    expansion = expand(SOURCE)
    assert expansion.lower_edits([]) == ()


_PIECES = st.lists(st.sampled_from(["x = 1;", "P(3)", "N", " ", "\n", "/* c */", "// d\n", "y[N]", "P(N)", '"s"',
                                    "(z)"]), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None)
@given(pieces=_PIECES, picks=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=3))
def test_lowered_edits_touch_only_the_mapped_bytes(pieces: list[str], picks: list[tuple[float, float]]) -> None:
    source = "#define P(i) p[i] + q[i]\n#define N 4\n" + "".join(pieces) + "\nlast\n"
    expansion = expand(source)
    size = len(expansion.text)
    edits, end = [], 0
    for a, b in sorted(picks):
        start = max(end, int(a * size))
        end = min(size, start + int(b * 12))
        if start < end:
            edits.append(Edit(start, end, "@"))
    lowered = expansion.lower_edits(edits)
    allowed: set[int] = set()
    for e in edits:
        mapped = expansion.to_source(e.span)
        allowed.update(range(mapped.start, mapped.end))
    for e in lowered:
        # A group of edits may join verbatim text between two uses that one edit covers, never more.
        assert set(range(e.start, e.end)) <= allowed | {i for x in edits for y in edits for i in range(
            expansion.to_source(x.span).start, expansion.to_source(y.span).end)}
    result = apply_edits(expansion.source, lowered).decode()
    assert result.count("@") >= 1 or not edits
    first = min((e.start for e in lowered), default=len(source))
    last = max((e.end for e in lowered), default=0)
    assert result.startswith(source[:first])
    assert result.endswith(source[last:])


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab#defin (){}\n\"'/*\\,19;", max_size=120))
def test_any_text_is_preprocessed_without_an_exception(text: str) -> None:
    expansion = expand(text)
    assert re.sub(rb"[^\n]", b"", expansion.source) == expansion.source.translate(None, bytes(
        i for i in range(256) if i != 10))
    whole = expansion.to_source(Span(0, len(expansion.text))) if expansion.text else Span(0, 0)
    assert whole.end <= len(expansion.source)


def test_an_edit_over_directives_leaves_them_balanced() -> None:
    source = "void f() {\n#ifdef A\n    a();\n#else\n    b();  // gone\n#endif\n    c();\n#if 0\n    d();\n#endif\n}\n"
    expansion = expand(source)
    text = expansion.text.decode()
    edit = Edit(text.index("b();"), text.index("c();") + 4, "x();")
    done = apply_edits(expansion.source, expansion.lower_edits([edit])).decode()
    assert [line.strip() for line in done.splitlines() if line.strip()] == [
        "void f() {", "#ifdef A", "a();", "#else", "x();", "#endif", "#if 0", "d();", "#endif", "}"]


def test_the_text_of_a_span_may_be_put_on_one_line() -> None:
    """No comment swallows what follows it, and only the chosen branch is there."""
    source = "x = f(a, // the first\n#ifdef A\n  b);\n#else\n  c /* last */);\n#endif\ny = g(d, // the only\n  e);\n"
    expansion = expand(source)
    text = expansion.text.decode()
    first = expansion.show(Span(text.index("f(a"), text.index(");", text.index("c ")) + 1))
    assert "".join(first.split()) == "f(a,c)"
    second = expansion.show(Span(text.index("g(d"), text.index("e)") + 2))
    assert "".join(second.split()) == "g(d,e)"


def test_a_file_read_before_the_source_defines_its_macros() -> None:
    files = {"before.h": b"#define N 16\n", "again.h": b"#include \"before.h\"\n#define M N\n"}
    preprocessor = Preprocessor((), "sm_90", lambda path, by: (path, files[path]) if path in files else None)
    for path in ("before.h", "again.h", "missing.h"):
        preprocessor.include(path)
    assert preprocessor.run(b"int a[N], b[M];").text.strip() == b"int a[16], b[16];"
    assert [name for name, _ in preprocessor.included] == ["before.h", "again.h"]
