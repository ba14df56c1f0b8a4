"""Projects whose headers have host code: NVRTC gets their device code only."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mutate.cli.main import cli
from mutate.errors import KmutateError

HELPERS = """#pragma once
#include "constants.h"
#include <string>
#include <vector>

static const char *error_name(cudaError_t error) { return cudaGetErrorName(error); }
template <class T> void check(T result, const std::string &what) { if (result) exit(strlen(what.c_str())); }
class Timer {
    std::vector<double> times;
};
__device__ __forceinline__ float scaled(float x) { return FACTOR * x; }
#define ALIGN(n) __align__(n)
#define HOST __host__
template <class T> struct ALIGN(8) Factor {
    T x;
    HOST static void clear(void *p, size_t bytes);
    __host__ __device__ T times(T y) const { return x * y; }
    friend std::ostream &operator<<(std::ostream &to, const Factor &f) { return to << f.x; }
    template <class U> friend std::istream &operator>>(std::istream &from, Factor<U> &f);
    std::string text() const { return std::to_string(x); }
    void save(const std::vector<T> &all) const;
};
"""
KERNEL = """#include <helpers.h>
#include "../common/helpers.h"

__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scaled(in[i]);
}
int main() { check(cudaMalloc(0, 0), "malloc"); }
"""


def project(folder: Path, helpers: str = HELPERS, kernel: str = KERNEL) -> Path:
    (folder / "common").mkdir()
    (folder / "src").mkdir()
    (folder / "common" / "helpers.h").write_text(helpers)
    (folder / "common" / "constants.h").write_text("#pragma once\n#define FACTOR 3.0f\n")
    (folder / "src" / "scale.cu").write_text(kernel)
    return folder / "src" / "scale.cu"


def variants(folder: Path, source: Path, *more: str) -> Result:
    return CliRunner().invoke(cli, ["variants", str(source), "-I", str(folder / "common"), "-o", str(folder / "out"),
                                     "--json", "--no-dynamic", *more])


@pytest.mark.parametrize("relative", [False, True])
def test_host_code_in_headers_does_not_keep_kernels_from_compiling(tmp_path: Path, relative: bool,
                                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    source = project(tmp_path, kernel=KERNEL.replace("scaled(in[i])", "Factor<float>{scaled(in[i])}.times(in[i])"))
    if relative:
        monkeypatch.chdir(tmp_path)
        source = Path(os.path.relpath(source, tmp_path))
    result = variants(tmp_path, source)
    assert result.exit_code == 0, result.output
    (kernel,) = json.loads(result.stdout)["kernels"]
    verdicts = {v["mutation"]: v["certificate"]["verdict"] for v in kernel["variants"] if v.get("certificate")}
    assert {verdicts[m] for m in ("identity", "memory-only", "load-only", "store-only", "math-only")} == {"VALID"}


def test_an_error_in_a_header_is_at_its_line_there(tmp_path: Path) -> None:
    source = project(tmp_path, HELPERS.replace("FACTOR * x", "FACTOR * y"))
    result = variants(tmp_path, source)
    assert isinstance(result.exception, KmutateError)
    assert f"helpers.h:{HELPERS[: HELPERS.index('__device__')].count(chr(10)) + 1}" in result.output
    assert '"y" is undefined' in result.exception.what


def test_a_header_that_is_needed_as_it_is_stays(tmp_path: Path) -> None:
    # Only NVRTC knows what this macro is there.
    helpers = "#pragma once\n#ifdef __CUDACC_RTC__\n#define BOTH __device__\n#else\n#define BOTH\n#endif\n" \
              "BOTH inline float three(float x) { return 3 * x; }\n" \
              "__device__ inline float scaled(float x) { return three(x); }\n"
    source = project(tmp_path, helpers, KERNEL.replace('check(cudaMalloc(0, 0), "malloc");', ""))
    result = variants(tmp_path, source, "-m", "identity")
    assert result.exit_code == 0, result.output


def test_a_changed_header_is_compiled_again(tmp_path: Path) -> None:
    source = project(tmp_path)
    before = variants(tmp_path, source, "-m", "identity")
    header = tmp_path / "common" / "helpers.h"
    header.write_text(HELPERS.replace("FACTOR * x", "FACTOR * x * x + sinf(x)"))
    after = variants(tmp_path, source, "-m", "identity")
    counts = [json.loads(r.stdout)["kernels"][0]["variants"][0]["certificate"]["static"] for r in (before, after)]
    assert counts[0] != counts[1]
