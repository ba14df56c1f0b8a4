"""``kmutate simulate``: what it prints, what it counts, and how it says what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

import mutate.report
from mutate.cli.main import cli, main
from mutate.errors import KmutateError
from mutate.resources import samples_dir
from mutate.sim.counters import COUNTERS
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
SCHEMA = json.loads((Path(mutate.report.__file__).parent / "schemas" / "counters-1.json").read_text())

PATTERN = """/* kmutate launch
   int n = 32, stride = 1, offset = 0;
   float in[n * stride + 64] = iota();
   float out[n] = zeros();
   dim3 grid = { 1 }, block = { 32 };
   pattern(out, in, stride, offset);
*/
__global__ void pattern(float *out, const float *in, int stride, int offset)
{
    out[threadIdx.x] = in[threadIdx.x * stride + offset];
}
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def simulate(source: str, *args: str) -> Result:
    Path("kernel.cu").write_text(source)
    return CliRunner().invoke(cli, ["simulate", "kernel.cu", *args], standalone_mode=False)


def sample(name: str, *args: str) -> dict[str, Any]:
    """The document of a sample's launches."""
    done = CliRunner().invoke(cli, ["simulate", str(samples_dir() / f"{name}.cu"), "--json", *args],
                              standalone_mode=False)
    assert done.exception is None, done.exception
    return _validated(done.stdout)


def _validated(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    return document


def problem(source: str, *args: str) -> KmutateError:
    """The error that ends the command."""
    error = simulate(source, *args).exception
    assert isinstance(error, KmutateError), error
    return error


# -- the documents ----------------------------------------------------------------------------------------------------

def test_json_is_one_document_of_the_schema() -> None:
    document = sample("reduction", "-k", "reduce3", "-k", "reduce6", "--set", "n=16384", "--blocks", "all", "--by-line",
                      "--check", "races,uninitialized")
    assert document["schema"] == "kmutate.counters/1"
    assert document["source"] == "simulated"
    assert [(k["name"], k["instance"]) for k in document["kernels"]] == [
        ("reduce3", None), ("reduce6", "512"), ("reduce6", "128")]
    for kernel in document["kernels"]:
        (launch,) = kernel["launches"]
        assert launch["blocks"]["simulated"] == launch["blocks"]["total"] == len(launch["blocks"]["numbers"])
        assert launch["problems"] == []
        counters = launch["counters"]["sample"]
        assert set(counters) == {c.name for c in COUNTERS}
        assert launch["counters"]["grid"] == counters
        assert sum(launch["classes"].values()) == counters["instructions"]


def test_lines_add_up_to_the_kernel() -> None:
    (kernel,) = sample("transpose", "-k", "transpose_conflicting", "--set", "width=64", "--set", "height=64",
                       "--by-line", "--blocks", "all")["kernels"]
    (launch,) = kernel["launches"]
    whole = launch["counters"]["sample"]
    for c in COUNTERS:
        if not c.ratio and whole[c.name] is not None:
            assert sum(line["counters"][c.name] for line in launch["lines"]) == whole[c.name], c.name
    text = Path(samples_dir() / "transpose.cu").read_text().splitlines()
    for line in launch["lines"]:
        assert text[line["place"]["line"] - 1].strip() == line["text"]
    conflicts = [line for line in launch["lines"] if line["counters"]["shared_load_bank_conflicts"]]
    assert len(conflicts) == 1 and "tile[threadIdx.x]" in conflicts[0]["text"]
    # 32 lanes in one bank: 31 wavefronts too many for each of 4 blocks' 8 * 4 requests
    assert conflicts[0]["counters"]["shared_load_bank_conflicts"] == 31 * whole["shared_load_requests"]


def test_host_code_that_says_everything_is_a_declaration() -> None:
    program = """__global__ void twice(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i];
}
int main(int argc, char **argv) {
    const int n = SIZE;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    twice<<<(n + 127) / 128, 128>>>(out, in, n);
}
"""
    done = simulate(program.replace("SIZE", "1000"))
    assert done.exception is None, done.exception
    words = " ".join(done.stdout.split())
    assert "twice is launched as main() does it (line 10), on data that is made up" in words
    assert "grid 8 block 128" in words
    with pytest.raises(KmutateError) as caught:
        raise simulate(program.replace("SIZE", "atoi(argv[1])"), "-I", "inc").exception  # type: ignore[misc]
    assert caught.value.slug == "no-launch", "a size that is given at run time is not guessed unasked"
    assert "main() launches twice (line 10), which leaves open: n (" in caught.value.what
    assert "-I inc --write" in caught.value.hint and "float out[n] = uniform(0, 1);" in caught.value.hint


def test_a_failure_is_a_document_too() -> None:
    done = simulate("__global__ void k(int *p) { p[0] = 1; }", "--json")
    document = _validated(done.stdout)
    assert document["error"]["slug"] == "no-launch"
    assert "k(p);" in document["error"]["hint"]


def test_the_launch_that_is_proposed_can_be_used() -> None:
    kernel = ("__global__ void add(float *out, const float *__restrict__ in, double f, int n)\n"
              "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] * f; }\n")
    hint = problem(kernel).hint or ""
    found = re.search(r"/\* kmutate launch .*? \*/", hint)
    assert found is not None
    assert simulate(f"{found[0]}\n{kernel}").return_value == 0


def test_a_kernel_without_a_launch_does_not_stop_the_others() -> None:
    done = simulate(PATTERN + "__global__ void other(float *p) { p[0] = 1; }\n", "--json")
    assert done.return_value == 0
    document = _validated(done.stdout)
    assert [k["name"] for k in document["kernels"]] == ["pattern"]
    assert any("other" in w for w in document["warnings"])
    assert problem(PATTERN + "__global__ void other(float *p) { p[0] = 1; }\n", "-k", "other").slug == "no-launch"


def test_the_schema_is_strict() -> None:
    document = {"schema": "kmutate.counters/1", "kmutate": "0", "file": "f", "arch": "sm_90", "kernels": []}
    _validated(json.dumps(document))
    for wrong in ({**document, "schema": "kmutate.counters/2"}, {**document, "surprise": 1},
                  {k: v for k, v in document.items() if k != "arch"}, {**document, "kernels": [{}]}):
        with pytest.raises(jsonschema.ValidationError):
            _validated(json.dumps(wrong))


# -- samples of blocks ------------------------------------------------------------------------------------------------

def test_a_sample_is_extrapolated_and_said_so() -> None:
    (kernel,) = sample("transpose", "-k", "transpose_naive", "--blocks", "16")["kernels"]
    (launch,) = kernel["launches"]
    blocks = launch["blocks"]
    assert (blocks["simulated"], blocks["total"], blocks["factor"]) == (16, 16384, 1024)
    assert len(blocks["numbers"]) == 16 and max(blocks["numbers"]) > 15000 and min(blocks["numbers"]) < 1500
    part, whole = launch["counters"]["sample"], launch["counters"]["grid"]
    assert whole["global_load_sectors"] == 1024 * part["global_load_sectors"] == 4096 * 4096 * 4 // 32
    assert whole["global_load_efficiency"] == part["global_load_efficiency"] == 100
    done = CliRunner().invoke(cli, ["simulate", str(samples_dir() / "transpose.cu"), "-k", "transpose_naive",
                                    "--blocks", "16"], standalone_mode=False)
    assert "16 of 16,384 blocks ran" in done.stdout and "grid = sample × 1024" in done.stdout


def test_without_a_number_the_sample_fits_into_a_second_or_two() -> None:
    (kernel,) = sample("matmul", "-k", "matmul_tiled")["kernels"]
    (launch,) = kernel["launches"]
    assert 2 <= launch["blocks"]["simulated"] < launch["blocks"]["total"]
    assert launch["counters"]["sample"]["instructions"] < 5_000_000


@pytest.mark.parametrize("text", ["-1", "0", "00", "few", "1.5", "²", ""])
def test_blocks_is_a_number_or_all(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("kernel.cu").write_text(PATTERN)
    with pytest.raises(SystemExit) as stop:
        main(["simulate", "kernel.cu", f"--blocks={text}"])
    assert stop.value.code == 2
    assert "'all'" in capsys.readouterr().err


# -- counters of older GPUs -------------------------------------------------------------------------------------------

def older(*settings: str) -> dict[str, float]:
    args = [part for s in settings for part in ((s,) if s.startswith("-") else ("--set", s))]
    document = _validated(simulate(PATTERN, "--machine", "c2050", "--json", *args).stdout)
    (launch,) = document["kernels"][0]["launches"]
    assert document["machine"]["projection"]
    assert document["arch"] == "sm_75"
    found: dict[str, float] = launch["older"]["sample"]
    return found


@pytest.mark.parametrize(("settings", "cached", "around"), [
    (("offset=0",), 100, 100),
    (("offset=5",), 50, 80),
    (("stride=0",), 3.125, 12.5),
    (("stride=2",), 50, 50),
    (("stride=32",), 128 / (32 * 128) * 100, 128 / (32 * 32) * 100),
])
def test_access_patterns_of_the_bandwidth_seed(settings: tuple[str, ...], cached: float, around: float) -> None:
    """Bytes that are used of those moved, with lines of 128 bytes and with segments of 32."""
    for flags, used in (((), cached), (("--dlcm=cg",), around)):
        found = older(*settings, *flags)
        needed = 4 if "stride=0" in settings else found["gld_requested_bytes"]
        assert found["gld_request"] == 1
        assert 100 * needed / found["gld_bytes"] == pytest.approx(used)


def test_older_names_on_the_terminal() -> None:
    done = simulate(PATTERN, "--machine", "c2050")
    assert re.search(r"l1_global_load_miss +1\b", done.stdout)
    assert "not calibrated, a projection" in " ".join(done.stdout.split())
    done = simulate(PATTERN, "--machine", "gtx280", "--set", "offset=5")
    # lanes 0 to 15 reach over bytes 20 to 83: one transaction of 128; 16 to 26 one of 64, the rest one of 32
    for size, transactions in ((32, 1), (64, 1), (128, 1)):
        assert re.search(rf"gld_{size}b +{transactions}\b", done.stdout), size
    assert "l1_global_load_miss" not in done.stdout


# -- what is wrong ----------------------------------------------------------------------------------------------------

HEAD = """/* kmutate launch
   int n = 1000;
   float a[n] = ones();
   dim3 grid = { 8 }, block = { 128 };
   k(a, n);
*/
"""


def test_out_of_range_names_array_index_block_thread_and_line() -> None:
    error = problem(HEAD + "__global__ void k(float *p, int n)\n{\n    int i = blockIdx.x * 128 + threadIdx.x;\n"
                    "    p[i] *= 2.0f;\n}\n")
    assert error.slug == "out-of-range"
    assert "a[1000] is outside its 1000 elements" in error.what
    assert "block (7, 0, 0), thread (104, 0, 0)" in error.what
    assert error.where == "kernel.cu:10:5"
    assert error.caret is not None and "p[i] *= 2.0f;" in error.caret


def test_one_bad_kernel_does_not_stop_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    two = HEAD.replace("k(a, n);", "good(a, n);\n   bad(a, n);")
    Path("kernel.cu").write_text(two + "__global__ void good(float *p, int n) { p[threadIdx.x] = 1; }\n"
                                 "__global__ void bad(float *p, int n) { p[threadIdx.x + n] = 1; }\n")
    with pytest.raises(SystemExit) as stop:
        main(["simulate", "kernel.cu", "--json"])
    assert stop.value.code == 2
    captured = capsys.readouterr()
    good, bad = _validated(captured.out)["kernels"]
    assert good["launches"] and "error" not in good
    assert bad["error"]["slug"] == "out-of-range" and not bad["launches"]
    assert "kernel.cu:9:1: error:" in captured.err


def test_a_line_in_a_header_is_named_with_it() -> None:
    Path("body.h").write_text("__device__ float at(const float *p, int i)\n{\n    return p[i + 5000000];\n}\n")
    error = problem('#include "body.h"\n' + HEAD + "__global__ void k(float *p, int n) { p[0] = at(p, n); }\n")
    assert error.where is not None and error.where.startswith("body.h:3:")


@pytest.mark.parametrize("name", ['folder "é"/k.cu', "a\\nb.cu", "\udcff.cu"])
def test_lines_are_found_whatever_the_files_are_called(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Compilers write names into line tables as they are, or as escapes."""
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text('#include "body é.h"\n' + HEAD + "__global__ void k(float *p, int n)\n{\n"
                          "    p[threadIdx.x] += 1;\n    p[0] = at(p, n);\n}\n")
    Path(name).with_name("body é.h").write_text(
        "__device__ float at(const float *p, int i)\n{\n    return p[i + 5000000];\n}\n")
    done = CliRunner().invoke(cli, ["simulate", name], standalone_mode=False)
    assert isinstance(done.exception, KmutateError)
    assert done.exception.where == str(Path(name).with_name("body é.h")) + ":3:5"
    Path(name).with_name("body é.h").write_text("__device__ float at(const float *p, int i) { return 1; }\n")
    with pytest.raises(SystemExit) as stop:
        main(["simulate", name, "--json", "--by-line"])
    assert stop.value.code == 0
    lines = _validated(capsys.readouterr().out)["kernels"][0]["launches"][0]["lines"]
    assert {10, 11} <= {line["place"]["line"] for line in lines if line["place"]["file"] == name}


def test_a_line_is_found_in_what_another_folder_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = HEAD + "__global__ void k(float *p, int n) { p[threadIdx.x + 5000000] = 1; }\n"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        assert problem(source).where == "kernel.cu:7:1"


def test_misaligned() -> None:
    error = problem(HEAD + "__global__ void k(float *p, int n)\n{\n    float4 *v = (float4 *)(p + 1);\n"
                    "    float4 x = v[threadIdx.x];\n    p[threadIdx.x] = x.x + x.y + x.z + x.w;\n}\n")
    assert error.slug == "misaligned"
    assert "(a + 4 bytes) is no multiple of the access's 16 bytes" in error.what
    assert error.where == "kernel.cu:10:5"


def test_shared_memory_beyond_the_block() -> None:
    error = problem(HEAD + "extern __shared__ float s[];\n__global__ void k(float *p, int n)\n{\n"
                    "    s[threadIdx.x] = p[threadIdx.x];\n    __syncthreads();\n    p[threadIdx.x] = s[n];\n}\n")
    assert error.slug == "out-of-range"
    assert "the block's 0 bytes" in error.what and "shared memory" in (error.hint or "")
    assert error.where == "kernel.cu:10:5"


def test_deadlock_says_who_waits_where() -> None:
    error = problem(HEAD + "__global__ void k(float *p, int n)\n{\n    if (threadIdx.x < 32)\n"
                    '        asm volatile("bar.sync 1, 64;");\n    else\n        asm volatile("bar.sync 2, 128;");\n'
                    "    p[0] = 1;\n}\n", "--blocks", "1")
    assert error.slug == "deadlock"
    assert "96 at kernel.cu:12" in error.what and "32 at kernel.cu:10" in error.what


def test_budget_ends_a_loop() -> None:
    error = problem(HEAD + "__global__ void k(volatile float *p, int n)\n{\n    while (p[threadIdx.x] != 2)\n"
                    "        ;\n}\n", "--budget", "20000")
    assert error.slug == "instruction-budget"
    assert "20,000" in error.what and error.where == "kernel.cu:9:5"
    assert "--budget" in (error.hint or "")


def test_an_assertion_is_named() -> None:
    error = problem("#include <cassert>\n" + HEAD + "__global__ void k(float *p, int n)\n{\n"
                    "    assert(blockIdx.x * 128 + threadIdx.x < 700);\n    p[0] = 1;\n}\n")
    assert error.slug == "kernel-trap"
    assert re.search(r"block \(5, 0, 0\), thread \(\d+, 0, 0\)", error.what)
    assert error.where is not None and error.where.startswith("kernel.cu:10:")


def test_unsupported_instruction_names_line_and_coverage() -> None:
    error = problem(HEAD + "__global__ void k(float *p, int n)\n{\n    p[threadIdx.x] += 1;\n"
                    '    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 16;" :: "l"(p) : "memory");\n}\n')
    assert error.slug == "unsupported-instruction"
    found = re.search(r"(\d+) of the kernel's (\d+) instructions are supported, (\d+) of their (\d+) forms; not UBLKPF",
                      error.what)
    assert found is not None
    assert int(found[1]) == int(found[2]) - 1 and int(found[3]) == int(found[4]) - 1
    assert error.where == "kernel.cu:10:5"


def test_unsupported_instructions_that_do_not_run_are_no_obstacle() -> None:
    done = simulate(HEAD + "__global__ void k(float *p, int n)\n{\n    p[threadIdx.x] += 1;\n    if (n == 1)\n"
                    '        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 16;" :: "l"(p) : "memory");\n}\n')
    assert done.return_value == 0
    assert "not UBLKPF.L2; what is not was not executed" in " ".join(done.stdout.split())


@pytest.mark.parametrize(("args", "slug"), [
    (("--check", "race"), "unknown-check"), (("--machine", "h300"), "machine-unknown"),
    (("--set", "m=1"), "launch-unknown-name"),
    (("-k", "patern"), "unknown-kernel"), (("--launch", "nowhere.c"), "not-found")])
def test_mistakes_are_named(args: tuple[str, ...], slug: str) -> None:
    error = problem(PATTERN, *args)
    assert error.slug == slug
    assert error.hint


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    race = (HEAD + "__global__ void k(float *p, int n)\n{\n    __shared__ float s[128];\n"
            "    s[threadIdx.x] = p[threadIdx.x];\n    p[threadIdx.x] = s[127 - threadIdx.x];\n}\n")
    for args, code in (([], 0), (["--check", "races"], 1), (["--budget", "5"], 2)):
        Path("kernel.cu").write_text(race)
        with pytest.raises(SystemExit) as stop:
            main(["simulate", "kernel.cu", *args])
        assert stop.value.code == code
    assert "read-after-write" in capsys.readouterr().out


def test_the_table_fits_80_columns() -> None:
    done = CliRunner().invoke(cli, ["simulate", str(samples_dir() / "fd3d.cu"), "--by-line", "--blocks", "2", "--check",
                                    "races", "--set", "nz=16"], standalone_mode=False)
    assert done.exception is None
    assert "global_load_sectors_per_request" in done.stdout and "by source line" in done.stdout
    assert not re.search(r"\x1b\[", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_an_architecture_without_a_machine_has_no_caches() -> None:
    document = _validated(simulate(PATTERN, "-arch=sm_86", "--json").stdout)
    assert document["machine"] is None
    counters = document["kernels"][0]["launches"][0]["counters"]["sample"]
    assert counters["l1_global_load_hits"] is None and counters["global_load_sectors"] == 4
