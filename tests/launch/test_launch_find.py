"""Where declarations are found, and that every spelling of the comment says the same."""

from __future__ import annotations

import pytest
from launch_cases import underlined

from mutate.errors import KmutateError
from mutate.launch import declaration_file, evaluate, find_declarations

BODY = "dim3 grid = {2}; dim3 block = {64};\n{lead}float a[8] = zeros();\n{lead}k(a);"

SPELLINGS = {
    "block comment": "/* kmutate launch\n" + BODY.replace("{lead}", "") + "\n*/",
    "one line": "/* kmutate launch " + BODY.replace("{lead}", "").replace("\n", " ") + " */",
    "colon": "/* kmutate launch:\n" + BODY.replace("{lead}", "") + "*/",
    "box": "/**\n * kmutate launch\n * " + BODY.replace("{lead}", " * ") + "\n */",
    "line comments": "// kmutate launch\n// " + BODY.replace("{lead}", "// "),
    "indented line comments": "  // kmutate launch\n  //   " + BODY.replace("{lead}", "  // ") + "\nint x;",
    "doxygen line comments": "/// kmutate launch\n/// " + BODY.replace("{lead}", "/// "),
    "carriage returns": "/* kmutate launch\r\n" + BODY.replace("{lead}", "").replace("\n", "\r\n") + "\r\n*/",
    "comments inside": "// kmutate launch\n// " + BODY.replace("{lead}", "// /* eight */ ") + " // the call\n",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_every_spelling_means_the_same(text: str) -> None:
    source = ("#include <cstdio>\n" + text + "\n__global__ void k(float *a) {}\n").encode()
    (decl,) = find_declarations(source, "k.cu")
    (launch,) = evaluate(decl)
    assert (launch.kernel, launch.grid, launch.block) == ("k", (2, 1, 1), (64, 1, 1))
    assert [a.name for a in launch.arrays] == ["a"]
    assert source[launch.name_span.start : launch.name_span.end] == b"k"
    assert source[launch.span.start : launch.span.end] == b"k(a)"


def test_strings_and_code_hold_no_declarations() -> None:
    source = rb'''
const char *a = "/* kmutate launch x */"; const char *b = R"(// kmutate launch
)"; int n = 1'000'000; char c = '"'; // about kmutate launch
/* see kmutate launch */
int kmutate launch;
'''
    assert find_declarations(source, "k.cu") == ()


def test_two_declarations_and_two_calls_are_launches_in_order() -> None:
    source = (b"// kmutate launch\n// dim3 grid = {1}; dim3 block = {1}; a(1); b(2);\n"
              b"// kmutate launch\n// dim3 grid = {3}; dim3 block = {1}; c(3);\n")
    found = find_declarations(source, "k.cu")
    assert [[launch.kernel for launch in evaluate(d)] for d in found] == [["a", "b"], ["c"]]


def test_a_blank_line_ends_line_comments() -> None:
    source = b"// kmutate launch\n// dim3 grid = {1}; dim3 block = {1}; a(1);\n\n// this is prose, not C\n"
    (decl,) = find_declarations(source, "k.cu")
    assert len(evaluate(decl)) == 1


def test_a_whole_file_is_a_declaration_unless_its_comments_hold_one() -> None:
    plain = b"// sizes\nint n = 4;\ndim3 grid = {n};\ndim3 block = {1};\nk(n);\n"
    (decl,) = declaration_file(plain, "k.launch")
    assert evaluate(decl)[0].grid == (4, 1, 1)
    (inner,) = declaration_file(b"void f();\n/* kmutate launch\n" + plain + b"*/", "k.launch")
    assert evaluate(inner)[0].grid == (4, 1, 1)


@pytest.mark.parametrize(("text", "caret", "words"), [
    (b"int a;\n/* kmutate lauch\n k(1); */", "lauch", "kmutate launch"),
    (b"int a;\n/* kmutate launch\n k(1);", "launch", "*/"),
])
def test_a_damaged_comment_is_named(text: bytes, caret: str, words: str) -> None:
    with pytest.raises(KmutateError) as caught:
        find_declarations(text, "k.cu")
    assert caught.value.slug == "launch-syntax"
    assert caught.value.where == "k.cu:2:12"
    assert underlined(caught.value) == caret
    assert words in str(caught.value)


def test_columns_count_characters_of_a_utf8_file() -> None:
    source = "/* kmutate launch\n int größe = 1; */".encode()
    with pytest.raises(KmutateError) as caught:
        evaluate(find_declarations(source, "k.cu")[0])
    assert caught.value.where == "k.cu:2:8"
