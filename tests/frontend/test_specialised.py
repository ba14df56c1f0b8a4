"""Launches of a template kernel that has explicit specialisations: each is of one of them, or of the template."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.pipeline.binaries import compile_originals
from mutate.results import Request

BODY = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = {}; "
TEMPLATE = "template <typename T> __global__ void twice(const T *x, T *y, int n) { " + BODY.format("x[i] + x[i]") + \
    "}\n"
DEDUCED = "template <> __global__ void twice(const int *x, int *y, int n) { " + BODY.format("x[i] << 1") + "}\n"
SAID = "template <> __global__ void twice<int>(const int *x, int *y, int n) { " + BODY.format("x[i] << 1") + "}\n"
OTHER = "template <> __global__ void twice(const double *x, double *y, int n) { " + BODY.format("x[i] * 2.0") + "}\n"


def launched(*calls: str) -> str:
    return ("/* kmutate launch\n int n = 4096; dim3 grid = { n / 256 }, block = { 256 };\n"
            f" float x[n] = uniform(0, 1); float y[n]; int a[n] = iota(); int b[n]; {' '.join(calls)} */\n")


def found(tmp_path: Path, text: str) -> list[tuple[str, int, str]]:
    """Target, launches, and what of the source it is: the expression that it stores."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    return [(b.target.name, len(b.target.launches), b.target.kernel.body.text.partition("y[i] = ")[2].partition(";")[0])
            for b in compile_originals(Request(path=path, arch="sm_90"))]


@pytest.mark.parametrize("special", [DEDUCED, SAID])
def test_each_launch_is_of_one_text(tmp_path: Path, special: str) -> None:
    text = launched("twice<float>(x, y, n);", "twice<int>(a, b, n);") + TEMPLATE + special
    assert found(tmp_path, text) == [("twice<float>", 1, "x[i] + x[i]"), ("twice<int>", 1, "x[i] << 1")]


def test_a_specialisation_that_nobody_launches_is_compiled_as_itself(tmp_path: Path) -> None:
    text = launched("twice<float>(x, y, n);") + TEMPLATE + OTHER
    assert found(tmp_path, text) == [("twice<float>", 1, "x[i] + x[i]"), ("twice<double>", 0, "x[i] * 2.0")]


def test_of_several_the_one_with_the_arguments_is_taken(tmp_path: Path) -> None:
    text = launched("twice<int>(a, b, n);") + TEMPLATE + OTHER + DEDUCED
    assert ("twice<int>", 1, "x[i] << 1") in found(tmp_path, text)
    assert [name for name, launches, _ in found(tmp_path, text) if launches] == ["twice<int>"]
