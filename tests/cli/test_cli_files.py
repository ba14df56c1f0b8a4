"""What is named as a file and is none, or cannot be read or written: exit code 2 and the reason, and nothing hangs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from mutate.cli.main import main
from mutate.errors import KmutateError
from mutate.frontend.load import load_unit
from mutate.pipeline.run import run_variants
from mutate.results import Request
from mutate.toolchain.locate import find_toolchain

Kmutate = Callable[..., str]
KERNEL = "__global__ void k(float *p) { p[threadIdx.x] += 1.0f; }\n"
LAUNCH = "/* kmutate launch\n dim3 grid = {1}, block = {32}; float p[32] = %s; k(p);\n*/\n"
KINDS = {"pipe": "named pipe", "device": "device", "folder": "folder"}

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")


def strange(kind: str, path: Path) -> None:
    """Puts what is no file at a path. A link to /dev/zero: it gives bytes for ever."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()


@pytest.fixture
def kmutate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
            ) -> Iterator[Kmutate]:
    """Runs the entry point in the test's folder: what it says on standard error. It has 60 seconds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KMUTATE_CACHE", str(tmp_path / "cache"))

    def late(number: int, frame: FrameType | None) -> None:
        pytest.fail("it hangs")

    def run(*args: str, expect: int = 2) -> str:
        with pytest.raises(SystemExit) as ended:
            main(args)
        said = capsys.readouterr()
        assert (ended.value.code or 0) == expect, said.err + said.out
        return said.err

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield run
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def check(said: str, slug: str, kind: str, *words: str) -> None:
    for word in (f"[{slug}]", "error: ", "\nnext: ", KINDS[kind], *words):
        assert word in said


@pytest.mark.parametrize("command", ["variants", "simulate", "analyze", "launch"])
def test_as_the_source(command: str, kind: str, tmp_path: Path, kmutate: Kmutate) -> None:
    strange(kind, tmp_path / "x.cu")
    check(kmutate(command, "x.cu"), "not-a-file", kind, "x.cu")


@pytest.mark.parametrize("include", ['#include "x.h"', "#define X \"x.h\"\n#define Y X\n#include Y",
                                     "#define X(name) #name\n#define Y(name) X(name.h)\n#include Y(x)",
                                     '#include "between.h"'])
def test_as_what_is_included(include: str, kind: str, tmp_path: Path, kmutate: Kmutate) -> None:
    strange(kind, tmp_path / "x.h")
    (tmp_path / "between.h").write_text('\n#include "x.h"\n')
    (tmp_path / "k.cu").write_text(f"{include}\n{KERNEL}")
    said = kmutate("variants", "k.cu")
    place = "between.h:2:1" if "between" in include else f"k.cu:{include.count(chr(10)) + 1}:1"
    check(said, "not-a-file", kind, "x.h", place, "^^^^")


def test_a_pipe_in_a_branch_that_is_not_taken_is_not_opened_by_the_compiler(tmp_path: Path, kmutate: Kmutate) -> None:
    strange("pipe", tmp_path / "x.h")
    (tmp_path / "k.cu").write_text(f"#if 0\n#include \"x.h\"\n#endif\n{KERNEL}")
    check(kmutate("variants", "k.cu"), "not-a-file", "pipe", "x.h")


def test_folders_are_passed_over_where_a_compiler_does(tmp_path: Path, kmutate: Kmutate) -> None:
    """A folder of the name of a header, beside the file; the header itself in an include folder."""
    (tmp_path / "x.h").mkdir()
    (tmp_path / "random").mkdir()
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "x.h").write_text("#define ONE 1\n")
    (tmp_path / "k.cu").write_text(f'#include "x.h"\n#include <random>\n{KERNEL.replace("1.0f", "ONE")}')
    kmutate("variants", "k.cu", "--no-dynamic", "-m", "identity", "-I", "inc", expect=0)


def test_macros_that_name_each_other_in_an_include_end() -> None:
    assert load_unit(f"#define A B\n#define B A\n#include A\n{KERNEL}".encode(), "k.cu").kernels


@pytest.mark.parametrize(("option", "slug"), [("--compile-commands", "no-compile-commands"), ("--launch", "not-a-file"),
                                              ("-include", "not-a-file")])
def test_as_what_an_option_names(option: str, slug: str, kind: str, tmp_path: Path, kmutate: Kmutate) -> None:
    strange(kind, tmp_path / "x.json")
    (tmp_path / "k.cu").write_text(KERNEL)
    args = [option, "x.json"]
    if option == "-include":  # only a build can say it
        entry = {"directory": str(tmp_path), "file": "k.cu", "arguments": ["nvcc", "-include", "x.json", "k.cu"]}
        (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
        args = ["--compile-commands", str(tmp_path / "compile_commands.json")]
    said = kmutate("variants", "k.cu", *args)
    if (option, kind) == ("--compile-commands", "folder"):  # as for clang's tools: the file in the folder
        assert "no such file: x.json/compile_commands.json" in said
    else:
        check(said, slug, kind, "x.json")


def test_as_a_file_of_options(kind: str, tmp_path: Path, kmutate: Kmutate) -> None:
    strange(kind, tmp_path / "x.rsp")
    (tmp_path / "k.cu").write_text(KERNEL)
    (tmp_path / "compile_commands.json").write_text(
        json.dumps([{"directory": str(tmp_path), "file": "k.cu", "arguments": ["nvcc", "@x.rsp", "k.cu"]}]))
    said = kmutate("variants", "k.cu", "--compile-commands", str(tmp_path / "compile_commands.json"))
    check(said, "bad-compile-commands", kind, "x.rsp")


@pytest.mark.parametrize("command", ["simulate", "analyze"])
def test_as_a_machine(command: str, kind: str, tmp_path: Path, kmutate: Kmutate) -> None:
    strange(kind, tmp_path / "x.toml")
    (tmp_path / "k.cu").write_text(LAUNCH % "zeros()" + KERNEL)
    check(kmutate(command, "k.cu", "--machine", "x.toml"), "not-readable", kind, "x.toml")


@pytest.mark.parametrize("suffix", ["npy", "npz", "bin"])
def test_as_data_of_a_launch(suffix: str, kind: str, tmp_path: Path, kmutate: Kmutate) -> None:
    strange(kind, tmp_path / f"x.{suffix}")
    key = ":a" if suffix == "npz" else ""
    (tmp_path / "k.cu").write_text(LAUNCH % f'file("x.{suffix}{key}")' + KERNEL)
    check(kmutate("variants", "k.cu", "--no-verify"), "launch-file", kind, f"x.{suffix}", "k.cu:2:")


def test_as_recorded_measurements(kind: str, tmp_path: Path, kmutate: Kmutate) -> None:
    strange(kind, tmp_path / "x.json")
    said = kmutate("calibrate", "--from", "x.json", "-o", "x.toml")
    if kind == "folder":  # click says it
        assert "is a directory" in said
    else:
        check(said, "not-readable", kind, "x.json")


def test_as_where_a_proposal_goes(kind: str, tmp_path: Path, kmutate: Kmutate) -> None:
    strange(kind, tmp_path / "x.launch")
    (tmp_path / "k.cu").write_text(KERNEL + "int main() { float *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); }\n")
    check(kmutate("launch", "k.cu", "--write", "x.launch"), "output-not-writable", kind, "x.launch")


def test_errors_from_python_are_the_same(kind: str, tmp_path: Path) -> None:
    strange(kind, tmp_path / "x.h")
    with pytest.raises(KmutateError) as error:
        load_unit(b'#include "x.h"\n' + KERNEL.encode(), str(tmp_path / "k.cu"))
    assert error.value.slug == "not-a-file"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("command", [("list", "samples"), ("variants", "k.cu", "--no-verify", "--json"), ("--help",)])
def test_a_full_disk_behind_the_standard_output(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(KERNEL)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "mutate", *command], stdout=full, stderr=subprocess.PIPE,
                              text=True, cwd=tmp_path, timeout=100, check=False)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr and "\nnext: " in done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
@pytest.mark.parametrize("text", [
    b"\xef\xbb\xbf" + KERNEL.encode(), b"// \xe9\xff caf\xc3\xa9\n" + KERNEL.encode() + b"// \xe9\n",
    KERNEL.replace("{ ", "{\r\n").encode()])
def test_texts_as_editors_leave_them(text: bytes, tmp_path: Path, kmutate: Kmutate) -> None:
    """A byte-order mark, Latin-1, the line ends of Windows: every byte outside the edits stays."""
    (tmp_path / "k.cu").write_bytes(text)
    kmutate("variants", "k.cu", "--no-dynamic", "-m", "identity", "--strict", expect=0)
    made = (tmp_path / "kmutate-out" / "k.identity.cu").read_bytes()
    assert all(line in made for line in text.splitlines(keepends=True) if b"__global__" not in line)
    assert made.startswith(text[:3])


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode elsewhere")
def test_a_name_that_is_not_utf8(tmp_path: Path, kmutate: Kmutate) -> None:
    name = os.fsdecode(b"\xff.cu")
    (tmp_path / name).write_text(LAUNCH % "zeros()" + KERNEL)
    kmutate("variants", name, "--no-verify", expect=0)
    assert (tmp_path / "kmutate-out" / "bench.cu").is_file()
    manifest = (tmp_path / "kmutate-out" / "manifest.json").read_text(encoding="utf-8")
    assert json.loads(manifest)["file"] == name
    kmutate("launch", name, "--json", expect=0)


@pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
def test_a_header_that_nobody_has_is_said(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text('#include "nobody.h"\n' + KERNEL)
    run_variants(Request(tmp_path / "k.cu", mutations=("identity",), output=tmp_path / "out"))
    report = run_variants(Request(tmp_path / "k.cu", mutations=("identity",), output=tmp_path / "out"))
    assert [w for w in report.warnings if "nobody.h" in w and "-I" in w], "also when it is known from the cache"
