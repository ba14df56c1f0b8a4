"""The generated C++ makes the same bits as numpy, element by element, on the host compiler."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench_cases import bench

from mutate.launch import ArrayDecl, evaluate, find_declarations
from mutate.launch.data import materialize
from mutate.report.bench import Bench, BenchCase, BenchVariant, render_bench
from mutate.resources import templates_dir

gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
on_gpu = pytest.mark.skipif(shutil.which("nvcc") is None or shutil.which("nvidia-smi") is None,
                            reason="needs nvcc and a GPU")

FLOATS = ("float", "double", "half", "__nv_bfloat16", "float4")
OF_FLOATS = ("uniform(-3, 5)", "ascending(-3, 5)", "uniform(0, 1e-6)", "randint(-70000, 70001)", "iota(-2, 0.3)",
             "fill(0.1)", "ones()")
INTEGERS = ("int", "unsigned", "long long", "size_t", "short", "unsigned char", "int2")
OF_INTEGERS = ("randint(3, 120)", "ascending(3, 120)", "iota(-5, 7)", "fill(-3)")
DECLARATIONS = [
    *(f"{kind} a[n] = {init}" for kind in FLOATS for init in OF_FLOATS),
    *(f"{kind} a[n] = {init}" for kind in INTEGERS for init in OF_INTEGERS),
    "long a[n] = randint(-9000000000000000000, 9000000000000000000)",
    "long a[n] = ascending(-9000000000000000000, 9000000000000000000)", "int a[n] = permutation()",
    "long a[n] = permutation()", "int a[n] = csr_colidx(1 << 20)", "bool a[n] = randint(0, 2)",
]
NORMALS = ["float a[n] = normal(1, 3)", "double a[n] = normal()", "half a[n] = normal(-2, 0.1)"]
BYTES = ["float a[n]", "int a[n + 1] = csr_rowptr(n, 1, 9)", "short a[n] = {1, -2, [2000] = 3}"]
COUNT = 3001


def arrays_and_bench(declarations: list[str], folder: Path) -> tuple[list[ArrayDecl], str]:
    """The arrays, each in a launch with a seed and a stream of its own, and the bench.cu that fills them."""
    launches = []
    for which, text in enumerate(declarations):
        before = "".join(f"int b{i}[1]; " for i in range(which % 5))
        body = f"seed({which}); int n = {COUNT}; dim3 grid = 1, block = 1; {before} {text}; k(a);"
        launches += evaluate(find_declarations(f"/* kmutate launch {body} */".encode(), "k.cu")[0])
    source = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\ntemplate <class T> __global__ void k(T *) {}\n"
    variant = BenchVariant("original", source, "k", 0)
    cases = tuple(BenchCase(launch, (replace(variant, kernel=f"k<{launch.arrays[0].elem.name}>"),))
                  for launch in launches)
    return [launch.array("a") for launch in launches], render_bench(Bench(folder / "k.cu", folder, cases))


def by_cpp(declarations: list[str], folder: Path) -> tuple[list[ArrayDecl], list[bytes]]:
    """Contents of arrays by the statements of bench.cu on the host, a loop in place of its kernels."""
    arrays, text = arrays_and_bench(declarations, folder)
    calls = re.findall(r"^    (kmb::fill<.*;)$", text, re.MULTILINE)
    assert len(calls) == len(arrays)
    body = "\n".join(f"    {{ std::vector<char> v({a.nbytes}); char *p = v.data(); {call}"
                     " fwrite(p, 1, v.size(), stdout); }" for a, call in zip(arrays, calls, strict=True))
    (folder / "t.cpp").write_text(
        "#include <cmath>\n#include <cstdio>\n#include <cstring>\n#include <vector>\nusing std::memcpy;\n"
        + (templates_dir() / "bench" / "data.cuh.j2").read_text()
        + "namespace kmb { template <class T, class F> void fill(void *p, u64 n, F f) {"
          " for (u64 i = 0; i < n; i++) ((T *)p)[i] = f.template at<T>(i); } }\n"
        + f"int main() {{\n{body}\n}}\n")
    subprocess.run(["g++", "-std=c++17", "-Wall", "-Werror", "-O1", "-ffp-contract=off", "-o", folder / "t",
                    folder / "t.cpp"], check=True)
    return arrays, _parts(arrays, subprocess.run([folder / "t"], check=True, capture_output=True).stdout)


def by_gpu(declarations: list[str], folder: Path) -> tuple[list[ArrayDecl], list[bytes]]:
    """Contents of arrays by bench.cu itself, its main() replaced by one that writes them out."""
    arrays, text = arrays_and_bench(declarations, folder)
    (folder / "t.cu").write_text(text.replace("int main(", "int unused_main(") + """
int main()
{
    for (const kmb::Case &c : kmb_cases) {
        const kmb::Array &a = c.arrays[0];
        std::vector<char> v(a.bytes);
        void *p;
        KMB_CHECK(cudaMalloc(&p, a.bytes));
        a.init(p);
        KMB_CHECK(cudaMemcpy(v.data(), p, a.bytes, cudaMemcpyDeviceToHost));
        fwrite(v.data(), 1, v.size(), stdout);
    }
}
""")
    subprocess.run(["nvcc", "-O3", "-use_fast_math", "-arch=native", "-o", folder / "t", folder / "t.cu"], check=True)
    return arrays, _parts(arrays, subprocess.run([folder / "t"], check=True, capture_output=True).stdout)


def _parts(arrays: list[ArrayDecl], out: bytes) -> list[bytes]:
    parts = []
    for a in arrays:
        parts.append(out[: a.nbytes])
        out = out[a.nbytes :]
    assert not out
    return parts


def check_bits(declarations: list[str], arrays: list[ArrayDecl], parts: list[bytes]) -> None:
    for text, array, made in zip(declarations, arrays, parts, strict=True):
        ours = materialize(array).tobytes()
        assert len(ours) == array.nbytes
        assert made == ours, text


def check_normals(arrays: list[ArrayDecl], parts: list[bytes]) -> None:
    for array, made in zip(arrays, parts, strict=True):
        ours = materialize(array)
        theirs = np.frombuffer(made, ours.dtype)
        np.testing.assert_allclose(theirs.astype(np.float64), ours.astype(np.float64), rtol=2e-3, atol=1e-12)
        assert (theirs == ours).mean() > 0.5


@gxx
def test_the_same_bits(tmp_path: Path) -> None:
    check_bits(DECLARATIONS, *by_cpp(DECLARATIONS, tmp_path))


@gxx
def test_normals_agree_but_for_rounding(tmp_path: Path) -> None:
    check_normals(*by_cpp(NORMALS, tmp_path))


@pytest.mark.gpu
@pytest.mark.nvcc
@on_gpu
def test_the_same_bits_on_a_gpu(tmp_path: Path) -> None:
    check_bits([*DECLARATIONS, *BYTES], *by_gpu([*DECLARATIONS, *BYTES], tmp_path))
    check_normals(*by_gpu(NORMALS, tmp_path))


@pytest.mark.gpu
@pytest.mark.nvcc
@on_gpu
def test_a_bench_prints_times_on_a_gpu(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.folder.mkdir()
    (made.folder / "bench.cu").write_text(render_bench(made))
    subprocess.run(["nvcc", "-O3", "-arch=native", "-o", made.folder / "bench", made.folder / "bench.cu"], check=True)
    done = subprocess.run([made.folder / "bench", "--json"], capture_output=True, text=True, check=True, timeout=60)
    for kernel in json.loads(done.stdout)["kernels"]:
        assert all(v["median_ms"] > 0 and v["blocks_per_sm"] > 0 for v in kernel["variants"])


@gxx
def test_half_and_bfloat16_round_as_numpy_and_the_standard_do(tmp_path: Path) -> None:
    """Every half, the midpoints between neighbours and what lies beside them, and the edges of the range."""
    exact = np.arange(0, 0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    middle = (exact[1:] + exact[:-1]) / 2
    x = np.concatenate([exact, middle, np.nextafter(middle, np.float32(0)), np.nextafter(middle, np.float32(np.inf)),
                        np.float32([65519.996, 65520, 1e30, np.inf, 2**-25, 1.4e-45, 3e-8])]).astype(np.float32)
    x = np.concatenate([x, -x])
    (tmp_path / "x").write_bytes(x.tobytes())
    header = (templates_dir() / "bench" / "data.cuh.j2").read_text()
    (tmp_path / "t.cpp").write_text(
        "#include <cmath>\n#include <cstdio>\n#include <cstring>\nusing std::memcpy;\n" + header
        + "int main() { float x; while (fread(&x, 4, 1, stdin) == 1) {"
          " unsigned short r[2] = {kmb::half_bits(x), kmb::bf16_bits(x)}; fwrite(r, 2, 2, stdout); } }\n")
    subprocess.run(["g++", "-o", tmp_path / "t", tmp_path / "t.cpp"], check=True)
    with (tmp_path / "x").open("rb") as stream:
        out = subprocess.run([tmp_path / "t"], stdin=stream, check=True, capture_output=True).stdout
    theirs = np.frombuffer(out, np.uint16).reshape(-1, 2)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(theirs[:, 0], x.astype(np.float16).view(np.uint16))
    from mutate.launch.model import bf16_bits

    np.testing.assert_array_equal(theirs[:, 1], [bf16_bits(float(v)) for v in x])


def test_both_sides_name_the_same_constants() -> None:
    from mutate.launch import rng

    text = (templates_dir() / "bench" / "data.cuh.j2").read_text().lower()
    found = {int(c, 16) for c in re.findall(r"0x([0-9a-f]{16})ull", text)}
    assert found == {rng.GAMMA, rng.MIX_A, rng.MIX_B}
    assert f"r < {rng.PERMUTATION_ROUNDS};" in text
