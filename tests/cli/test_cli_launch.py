"""``kmutate launch``: proposals in text, in a file and as JSON; what the simulator makes of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import jsonschema
import pytest

import mutate.report
from mutate.cli.main import main
from mutate.errors import KmutateError
from mutate.frontend.load import load_unit
from mutate.pipeline.targets import make_targets
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
SCHEMA = json.loads((Path(mutate.report.__file__).parent / "schemas" / "launch-1.json").read_text())
KERNEL = """__global__ void scale(float *out, const float *in, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * in[i];
}
__global__ void unused(int *p) { *p = 1; }
"""
MAIN = """void run(int n)
{
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    scale<<<(n + 127) / 128, 128>>>(y, x, %s, n);
}
int main() { run(1 << 12); }
"""
DECLARATION = "/* kmutate launch\n   dim3 grid = { 1 }, block = { 1 };\n   int p[1];\n   unused(p);\n*/\n"


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def kmutate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs the entry point in an empty folder that holds ``k.cu``."""
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text(KERNEL + MAIN % "2.0f")

    def run(*args: str) -> Answer:
        with pytest.raises(SystemExit) as ended:
            main(args)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Answer(int(ended.value.code or 0), captured.out, captured.err)

    return run


def test_what_it_prints_can_be_pasted(kmutate) -> None:
    answer = kmutate("launch", "k.cu")
    assert answer.code == 0
    assert answer.out == """/* kmutate launch
   // from the launch in run(), line 12
   int n = 1 << 12;
   dim3 grid = { (n + 127) / 128 };
   dim3 block = { 128 };
   float y[n] = zeros();
   float x[n] = uniform(0, 1);
   scale(y, x, 2.0f, n);
*/
"""
    assert "1 launch declaration proposed; sizes and arguments were all found" in answer.err
    assert "not launched in this file: unused" in answer.err


def test_what_is_guessed_is_said_on_stderr(kmutate) -> None:
    Path("k.cu").write_text(KERNEL + MAIN % "drand48()")
    answer = kmutate("launch", "k.cu")
    assert answer.code == 0
    assert "1 guess to check:\n  a = 1 (scale): not found in the host code (drand48())" in answer.err
    assert "float a = 1;  // not found in the host code (drand48()): set it" in answer.out


def test_kernels_by_name_also_those_nobody_launches(kmutate) -> None:
    answer = kmutate("launch", "k.cu", "-k", "unused")
    assert "unused(p);" in answer.out and "scale" not in answer.out
    assert "no launch of this kernel was found" in answer.out
    assert kmutate("launch", "k.cu", "-k", "nobody").code == 2


def test_a_file_with_a_declaration_shows_it(kmutate) -> None:
    Path("k.cu").write_text(DECLARATION + KERNEL + MAIN % "2.0f")
    answer = kmutate("launch", "k.cu")
    assert answer.code == 0 and answer.out == DECLARATION
    assert "k.cu has a launch declaration (line 1); --again" in answer.err
    assert "scale(y, x, 2.0f, n);" in kmutate("launch", "k.cu", "--again").out


def test_json_follows_its_schema(kmutate) -> None:
    document = json.loads(kmutate("launch", "k.cu", "--json").out)
    jsonschema.validate(document, SCHEMA)
    (proposal,) = document["proposals"]
    assert (proposal["instance"], proposal["function"], proposal["line"]) == ("scale", "run", 12)
    assert document["not_launched"] == ["unused"] and proposal["guesses"] == []
    Path("k.cu").write_text(DECLARATION + KERNEL)
    declared = json.loads(kmutate("launch", "k.cu", "--json").out)
    jsonschema.validate(declared, SCHEMA)
    assert declared["declared"] == [DECLARATION.rstrip("\n")] and declared["proposals"] == []
    failed = kmutate("launch", "missing.cu", "--json")
    document = json.loads(failed.out)
    jsonschema.validate(document, SCHEMA)
    assert failed.code == 2 and document["error"]["slug"] == "not-found"


def test_host_code_of_another_file(kmutate) -> None:
    Path("k.cu").write_text(KERNEL + MAIN.replace("int main() { run(1 << 12); }\n", "") % "2.0f")
    Path("main.cpp").write_text("void run(int);\nint main() { run(640); }\n")
    assert "not found" in kmutate("launch", "k.cu").out
    answer = kmutate("launch", "k.cu", "--host", "main.cpp")
    assert "int n = 640;" in answer.out and "not found" not in answer.out


def test_it_writes_over_nothing_but_its_own(kmutate) -> None:
    Path("precious.txt").write_text("mine")
    answer = kmutate("launch", "k.cu", "--write", "precious.txt")
    assert answer.code == 2 and "[exists]" in answer.err and Path("precious.txt").read_text() == "mine"
    for _ in range(2):
        answer = kmutate("launch", "k.cu", "--write", "k.launch")
        assert answer.code == 0 and answer.out == "" and "written to k.launch" in answer.err
    assert kmutate("launch", "k.cu", "--write", "no/such/folder").code == 2


@needs_nvrtc
def test_the_simulator_runs_what_is_proposed(kmutate) -> None:
    kmutate("launch", "k.cu", "--write", "k.launch")
    answer = kmutate("simulate", "k.cu", "--launch", "k.launch", "--set", "n=1024", "--blocks", "all", "--json")
    assert answer.code == 0
    launch = json.loads(answer.out)["kernels"][0]["launches"][0]
    assert launch["grid"] == [8, 1, 1] and launch["counters"]["grid"]["global_store_sectors"] == 128


@needs_nvrtc
def test_who_lacks_a_declaration_is_sent_here(kmutate) -> None:
    Path("bare.cu").write_text("__global__ void bare(int *p) { p[threadIdx.x] = 1; }\n")
    assert "`kmutate launch bare.cu --write bare.launch` proposes" in kmutate("simulate", "bare.cu").err
    assert "`kmutate launch k.cu` shows the declaration" in " ".join(kmutate("simulate", "k.cu").out.split())
    assert "`kmutate launch k.cu` proposes" in kmutate("variants", "k.cu", "--no-verify", "--set", "n=4").err


@needs_nvrtc
@pytest.mark.parametrize("name", ["fd3d", "matmul", "reduction", "spmv_csr"])
def test_samples_without_their_declarations(kmutate, name: str) -> None:
    source = (samples_dir() / f"{name}.cu").read_bytes()
    Path("s.cu").write_bytes(re.sub(rb"/\* kmutate launch.*?\*/", b"", source, flags=re.DOTALL))
    assert kmutate("launch", "s.cu", "--write", "s.launch").code == 0
    answer = kmutate("simulate", "s.cu", "--launch", "s.launch", "--blocks", "2", "--json")
    assert answer.code == 0, answer.err
    kernels = json.loads(answer.out)["kernels"]
    assert kernels and all(k["launches"] for k in kernels)


@pytest.mark.parametrize(("behind", "instance"), [
    ("template __global__ void k<Odd, 2>(float *);", "Odd, 2"),
    ("template<> __global__ void k<Odd, 3>(float *p) {}", None),
    ("template <class T> void run(float *p) { k<T, 2><<<1, 1>>>(p); }", "float, 2"),
    ("void run(float *p) { const int n = 2; k<int, 4 * n><<<1, 32>>>(p); }", "int, 8"),
    ("template __global__ void k<Odd, 2>(float *); void run(float *p) { k<int, 4><<<1, 32>>>(p); }", "int, 4"),
    ("void run(float *p) { typedef unsigned short item; k<item, 4><<<1, 32>>>(p); }", "unsigned short, 4"),
    ("void all() { using item = double; pick(k<item, 1>, 3); }", "double, 1"),
    ("template <class T, int M> void run(float *p) { constexpr int n = M / 2; k<T, n + 1><<<1, 1>>>(p); }\n"
     "template <int M> void both(float *p) { run<unsigned, 2 * M>(p); }\nvoid all(float *p) { both<4>(p); }",
     "unsigned, ((2 * 4) / 2) + 1"),
    ("template <int M> void run(float *p) { k<int, M><<<1, 1>>>(p); run<M + 1>(p); }", None),
])
def test_the_instance_is_one_that_the_file_uses(behind: str, instance: str | None) -> None:
    unit = load_unit(("struct Odd {};\ntemplate <class A, int N> __global__ void k(float *p) { *p = N; }\n" + behind
                      ).encode(), "k.cu")
    warnings: list[str] = []
    assert [t.instance for t in make_targets(unit, unit.kernels[:1], Request(Path("k.cu")), warnings)] == [instance]
    assert ["taken with T = float" in w for w in warnings] == [True] * (instance == "float, 2"), "a guess is said"


TYPED = """/* kmutate launch
   dim3 grid = 1, block = 32; half h[64]; unsigned u[64];
   %s;
*/
template <class T, int N = 4> __global__ void typed(T *out, const T *__restrict__ in, float x) { *out = *in; }
template <int N, class T> __global__ void sized(T value, float **p) { **p = N * value; }
"""


@pytest.mark.parametrize(("call", "told"), [
    ("typed(h, h, 1)", "typed<__half>"),
    ("typed(u + 1, (unsigned *)h, 2.0)", "typed<unsigned int>"),
    ("typed<double>(h, h, 1)", "typed<double>"),
    ("sized<7>(2.5, nullptr)", "sized<7, double>"),
    ("sized<7>(u, nullptr)", "sized<7, unsigned int *>"),
    ("sized(2.5, nullptr)", "N cannot be told from the arguments"),
    ("typed(h, u, 1)", "T would be __half and, by in, unsigned int"),
])
def test_types_that_the_arguments_tell_may_be_left_out(call: str, told: str) -> None:
    unit = load_unit((TYPED % call).encode(), "k.cu")
    wanted = [k for k in unit.kernels if k.name == call[:5]]
    if "<" in told:
        assert [t.launches[0].instance for t in make_targets(unit, wanted, Request(Path("k.cu")), [])] == [told]
        return
    with pytest.raises(KmutateError, match=told) as raised:
        make_targets(unit, wanted, Request(Path("k.cu")), [])
    assert raised.value.slug == "instance-needed"
