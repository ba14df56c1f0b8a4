"""Bad sources: an answer or one of kmutate's errors, in bounded time; from the command line with exit code 2."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import targets
from mangle import cut, mangled

from mutate.resources import samples_dir

GOOD = [path.read_bytes() for path in sorted(samples_dir().glob("*.cu"))]
KERNEL = "__global__ void k(float *p) {{ p[threadIdx.x] = {}; }}\n"


@pytest.mark.parametrize("seed", range(40))
def test_a_mangled_sample_gives_an_answer_or_an_error(seed: int) -> None:
    rng = random.Random(seed)
    text = rng.choice(GOOD)
    targets.frontend(mangled(cut(text, rng) if seed % 4 == 0 else text, rng, rng.choice((1, 3, 20))))
    targets.launches(mangled(text, rng, 3))


@pytest.mark.parametrize("seed", range(10))
def test_random_bytes_give_an_answer_or_an_error(seed: int) -> None:
    rng = random.Random(seed)
    targets.frontend(bytes(rng.randrange(1, 256) for _ in range(2000)))
    targets.frontend(b"__global__ void k(int *p) {" + bytes(rng.randrange(32, 127) for _ in range(2000)))


@pytest.mark.parametrize("text", [
    "struct { int n; __device__ int next() { return n++; } } counter;\n" + KERNEL.format("counter.next()"),
    "typedef double real;\n__global__ void k(real *p, real dt) { p[threadIdx.x] = dt; }\n"
    "void f(real *p) { k<<<1, 64>>>(p, later()); }\n",
], ids=["a member of a class without a name", "a number of the file's own type that is not found"])
def test_what_fuzzing_found(text: str) -> None:
    assert targets.frontend(text.encode()) == "ok"


N = 20_000
HOSTILE: dict[str, Callable[[], str]] = {
    "escaped quotes": lambda: 'const char *s = "' + '\\"' * N,
    "raw strings without an end": lambda: 'R"a(' * N,
    "quotes": lambda: '"a\n' * N,
    "character constants": lambda: "'\\''" * 2 * N,
    "#if": lambda: "#if 1\n" * N,
    "parentheses in #if": lambda: "#if " + "(" * N + "1" + ")" * N + "\n#endif\n" + KERNEL.format(1),
    "a large product in #if": lambda: "#if " + "*".join(["9" * 4000] * 500) + "\n#endif\n" + KERNEL.format(1),
    "a number of 5000 digits in #if": lambda: "#if " + "9" * 5000 + "\n#endif\n" + KERNEL.format(1),
    "macros that double": lambda: "".join(
        f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 90)) + KERNEL.format("A89"),
    "calls of a macro in each other": lambda: "#define F(x) x\n" + KERNEL.format("F(" * 900 + "1" + ")" * 900),
    "calls of a macro without an end": lambda: "#define F(x) x\n" + "F(" * N,
    "parentheses": lambda: KERNEL.format("(" * N + "1" + ")" * N),
    "parentheses almost too deep": lambda: KERNEL.format("(" * 390 + "p[0]" + ")" * 390),
    "stars": lambda: KERNEL.format("*" * 390 + "p"),
    "conditionals": lambda: KERNEL.format("p[0]?" * 390 + "1" + ":p[1]" * 390),
    "loops": lambda: "__global__ void k(float *p) {" + "for(;;) " * 390 + "p[0]=1;}",
    "lambdas": lambda: KERNEL.format("[&](){ return " * 90 + "1" + "; }()" * 90),
    "templates": lambda: "template<" * N + KERNEL.format(1),
    "comparisons": lambda: KERNEL.format("a<" * N),
    "statements": lambda: "__global__ void k(float *p) {" + "p[0]+=1;" * N + "}",
    "a chain of variables": lambda: "__global__ void k(float *p) { float q0=p[0];" + "".join(
        f"float q{i} = q{i - 1} + p[{i}];" for i in range(1, 3000)) + "p[(int)q2999]=1;}",
    "words": lambda: "word = 1;\n" * 5 * N,
    "comments": lambda: "/*" * N,
    "bytes that are no text": lambda: "\udcff\udcfe" * N + KERNEL.format(1),
    "structures": lambda: "struct A {" * 300 + "};" * 300 + KERNEL.format(1),
}


# In a process of its own, as a user has it: in one that has run thousands of tests it took five times as long, once; of
# that, the search for garbage among their objects is a part (twice the time with six million objects).
TIMED = """
import sys, time
import targets
from mutate import limits
from test_bad_sources import HOSTILE

limits.READING, targets.MOST_KERNELS = 1.0, 1
source = HOSTILE[sys.argv[1]]().encode(errors="surrogateescape")
start = time.process_time()
targets.frontend(source)
print(time.process_time() - start)
"""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sources_end_in_time(name: str) -> None:
    """The bound is lowered, so that the test need not wait for it; what has none would take minutes."""
    done = subprocess.run([sys.executable, "-c", TIMED, name], capture_output=True, text=True, timeout=200, check=False,
                          cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 8


def kmutate(*args: str, folder: Path, expect: int = 2) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run([sys.executable, "-m", "mutate", *args], capture_output=True, cwd=folder, timeout=200,
                          check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    assert done.returncode == expect, done.stderr.decode(errors="replace")
    return done


def test_commands_end_with_exit_code_2(tmp_path: Path) -> None:
    files = {"empty.cu": b"", "binary.cu": bytes(range(256)) * 10, "large.cu": b"x = 1;\n" * 1_600_000,
             "deep.cu": KERNEL.format("(" * 5000 + "1" + ")" * 5000).encode(),
             "many.cu": KERNEL.format(1).encode() * 8_000, "cut.cu": GOOD[3][:700],
             "latin.cu": b"\xff\xfe\x1b[31m __global__ k("}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.cu").mkdir()
    for name in (*files, "folder.cu", "absent.cu"):
        done = kmutate("variants", name, "--no-verify", folder=tmp_path)
        assert done.stderr.count(b"\n") < 12 and len(done.stderr) < 4000, "short enough to be read"
    for command in ("launch", "simulate", "analyze"):
        for name in ("deep.cu", "latin.cu"):
            kmutate(command, name, folder=tmp_path)
