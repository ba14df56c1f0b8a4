"""A launch against the kernel's parameters."""

from __future__ import annotations

import pytest
from launch_cases import GRID, launches, underlined

from mutate.errors import KmutateError
from mutate.launch import ArrayArg, Checked, Launch, ScalarArg, check_against, pack_arg


def one(arguments: str, before: str = "") -> Launch:
    (launch,) = launches(f"{GRID} float v[8]; double w[8]; {before} k({arguments});")
    return launch


def check(arguments: str, *params: str, before: str = "") -> Checked:
    return check_against(one(arguments, before), [tuple(p.split("|")) for p in params])  # type: ignore[misc]


def test_scalars_take_the_parameter_s_type() -> None:
    launch = check("2, 0.1, 3.0, 1, true, 7", "float|a", "float|b", "const int|n", "size_t|z", "bool|t",
                   "half|h").launch
    assert [len(pack_arg(a, {})) for a in launch.args] == [4, 4, 4, 8, 1, 2]
    assert [a.value for a in launch.args if isinstance(a, ScalarArg)][2:] == [3, 1, 1, 7.0]


@pytest.mark.parametrize("text", ["const float* __restrict__", "float *", "float v[]", "volatile float*", "T*",
                                  "const void *", "float * const", "::float2*", "float [][32]",
                                  "const float (*__restrict__)[4][8]", "T (* const)[N]", "float2 [][N][4]"])
def test_pointers_take_arrays(text: str) -> None:
    checked = check("v", f"{text}|p")
    assert isinstance(checked.launch.args[0], ArrayArg)
    assert [w.slug for w in checked.warnings] == (["launch-element-type"] if "float2" in text else [])


@pytest.mark.parametrize(("arguments", "text", "count"), [
    ("v", "double *", 1), ("w", "const float *", 1), ("(float4 *)v", "float4*", 0), ("v", "float4*", 1),
    ("n", "unsigned int*", 0), ("n", "float *", 1), ("v", "UserType*", 0), ("NULL", "double *", 0),
    ("(float (*)[4])v", "float (*)[4]", 0), ("v", "double [][4]", 1), ("w", "const float [][4]", 1),
])
def test_other_elements_are_a_warning_that_shows_its_place(arguments: str, text: str, count: int) -> None:
    checked = check(arguments, f"{text}|p", before="int n[4];")
    assert len(checked.warnings) == count
    for warning in checked.warnings:
        assert warning.where.startswith("kernel.cu:2:")
        source = checked.launch.declaration.source
        assert source[warning.span.start : warning.span.end].decode() == arguments


def test_zero_is_a_null_pointer() -> None:
    (arg,) = check("0", "float *|p").launch.args
    assert isinstance(arg, ArrayArg) and arg.array is None and pack_arg(arg, {}) == bytes(8)


@pytest.mark.parametrize(("arguments", "params", "slug", "caret", "words"), [
    ("v", ("float *|a", "int|n"), "launch-argument-count", "k", "float * a, int n"),
    ("v, 1, 2", ("float *|a", "int|n"), "launch-argument-count", "2", "takes 2"),
    ("3", ("float *|a",), "launch-argument-type", "3", "declare an array"),
    ("v", ("int|n",), "launch-argument-type", "v", "not an array"),
    ("v", ("float4|x",), "launch-argument-type", "v", "float4 x"),
    ("make_float4(1,2,3,4)", ("float|x",), "launch-argument-type", "make_float4", "float4"),
    ("make_float2(1,2)", ("float4|x",), "launch-argument-type", "make_float2", "float2"),
    ("make_float2(1,2)", ("float *|x",), "launch-argument-type", "make_float2", "float2"),
    ("5000000000", ("int|n",), "launch-overflow", "5000000000", "int n"),
    ("-1", ("unsigned char|n",), "launch-overflow", "1", "-1"),
    ("1e30", ("int|n",), "launch-overflow", "1e30", "int"),
    ("v", ("float **|n",), "launch-argument-type", "v", "arrays of pointers"),
    ("v", ("float *[]|n",), "launch-argument-type", "v", "arrays of pointers"),
    ("v", ("float *(*)[4]|n",), "launch-argument-type", "v", "arrays of pointers"),
])
def test_a_mismatch_is_shown_at_the_argument(arguments: str, params: tuple[str, ...], slug: str, caret: str,
                                             words: str) -> None:
    with pytest.raises(KmutateError) as caught:
        check(arguments, *params)
    assert caught.value.slug == slug
    assert underlined(caught.value) == caret
    assert words in str(caught.value)


def test_a_lost_fraction_is_a_warning() -> None:
    checked = check("2.5", "int|n")
    assert [w.slug for w in checked.warnings] == ["launch-narrowing"]
    assert check("2.0", "int|n").warnings == ()


def test_a_struct_of_the_file_is_taken_on_trust() -> None:
    checked = check("p", "const Params|p", before="struct Params { int n; } p = {3};")
    assert pack_arg(checked.launch.args[0], {}) == b"\3\0\0\0"
