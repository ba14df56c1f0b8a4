"""Whole projects: the options of ``compile_commands.json``, several files on one command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mutate.cli import settings
from mutate.cli.main import main
from mutate.toolchain.compile_commands import CompileCommands, FileOptions
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    settings._database.cache_clear()
    return tmp_path


@pytest.fixture
def kmutate(here: Path, capsys: pytest.CaptureFixture[str]):
    def run(*args: str) -> Answer:
        with pytest.raises(SystemExit) as ended:
            main(args)
        captured = capsys.readouterr()
        return Answer(int(ended.value.code or 0), captured.out, captured.err)

    return run


def database(*entries: dict[str, Any] | str) -> Path:
    path = Path("compile_commands.json")
    path.write_text("[" + ",\n".join(e if isinstance(e, str) else json.dumps(e) for e in entries) + "]\n")
    return path


def options(here: Path, *arguments: str, command: str | None = None) -> FileOptions:
    """What is made of the arguments of an entry for ``src/k.cu`` in the folder ``build``."""
    entry: dict[str, Any] = {"directory": str(here / "build"), "file": "../src/k.cu"}
    entry |= {"command": command} if command is not None else {"arguments": ["nvcc", *arguments]}
    return CompileCommands(database(entry)).options(Path("src/k.cu"))


@pytest.mark.parametrize("arguments", [
    ("-I../inc", "-isystem", "/opt/sys", "-DN=4", "-DFAST", "-std=c++17", "-arch=sm_86", "-c", "../src/k.cu"),
    ("-I", "../inc", "-isystem=/opt/sys", "-D", "N=4", "-D", "FAST", "--std", "c++17", "-gencode",
     "arch=compute_86,code=sm_86", "-x", "cu"),
    ("--include-path=../inc", "--system-include", "/opt/sys", "--define-macro", "N=4,FAST", "--std=gnu++17",
     "--gpu-architecture", "compute_86", "-Xcompiler", "-DHOST_ONLY,-fPIC"),
    ("-I", "../inc", "-isystem/opt/sys", "-DN=4", "-DFAST", "-DGONE=1", "-UGONE", "-std=c++17", "--cuda-gpu-arch=sm_75",
     "--cuda-gpu-arch=sm_86"),
], ids=["glued", "apart", "long", "clang"])
def test_options_are_read_in_every_spelling(here: Path, arguments: tuple[str, ...]) -> None:
    found = options(here, *arguments)
    assert found == FileOptions(("N=4", "FAST"), (str(here / "inc"), "/opt/sys"), (), "c++17", "sm_86")


def test_the_command_form_is_split_as_a_shell_does(here: Path) -> None:
    found = options(here, command=r"""/usr/bin/nvcc -DNAME=\"x\ y\" '-DLIST={1, 2}' -I"../with space" -maxrregcount 40
                                      -use_fast_math -c ../src/k.cu""")
    assert found.defines == ('NAME="x y"', "LIST={1, 2}")
    assert found.include_dirs == (str(here / "with space"),)
    assert (found.maxrregcount, found.use_fast_math, found.arch, found.std) == (40, True, None, None)


def test_files_that_are_included_first_and_options_in_files(here: Path) -> None:
    (here / "build").mkdir()
    (here / "build" / "first.h").write_text("#define A 1\n")
    (here / "build" / "includes.rsp").write_text('-I../a "-I../b c"\n@more.rsp\n')
    (here / "build" / "more.rsp").write_text("-DDEEP=1\n")
    found = options(here, "-include", "first.h", "--pre-include=elsewhere.h", "--options-file", "includes.rsp")
    assert found.pre_includes == (str(here / "build" / "first.h"), "elsewhere.h")
    assert found.include_dirs == (str(here / "a"), str(here / "b c"))
    assert found.defines == ("DEEP=1",)


def test_the_first_of_several_entries_counts_and_links_are_followed(here: Path) -> None:
    (here / "real").mkdir()
    (here / "real" / "k.cu").write_text("")
    (here / "link").symlink_to(here / "real")
    path = database({"directory": str(here), "file": "real/k.cu", "arguments": ["nvcc", "-DFIRST"]},
                    {"directory": str(here), "file": "real/k.cu", "arguments": ["nvcc", "-DSECOND"]})
    assert CompileCommands(path).options(Path("link/k.cu")).defines == ("FIRST",)


@pytest.mark.parametrize(("text", "place", "what"), [
    ("{}", "1:1", "JSON array"),
    ("[\n {\"file\": \"k.cu\", \"command\": \"nvcc\"},\n {\"file\": }\n]", "3:11", "no JSON"),
    ("[{\"file\": \"k.cu\", \"command\": \"nvcc\"}\n {}]", "2:2", "','"),
    ("[\n {\"directory\": \"x\", \"command\": \"nvcc\"}]", "2:2", "'file'"),
    ("[{\"file\": \"k.cu\"}]", "1:2", "'arguments'"),
    ("[{\"file\": \"k.cu\", \"arguments\": [1]}]", "1:2", "'arguments'"),
    ("[{\"file\": \"k.cu\", \"command\": \"nvcc 'open\"}]", "1:2", "split"),
    ("[" * 100000, "1:2", "nested"),
    ("[", "1:2", "no JSON"),
], ids=["object", "syntax", "comma", "file", "nothing", "types", "quote", "deep", "cut"])
def test_a_bad_database_is_shown_with_its_place(kmutate, text: str, place: str, what: str) -> None:
    Path("k.cu").write_text("__global__ void k(float *p) { *p = 1; }\n")
    Path("db.json").write_text(text)
    answer = kmutate("variants", "k.cu", "--compile-commands", "db.json")
    assert answer.code == 2 and f"db.json:{place}: error:" in answer.err and "[bad-compile-commands]" in answer.err
    assert what in answer.err and "next: " in answer.err and "Traceback" not in answer.err


def test_a_database_that_is_not_there(kmutate) -> None:
    Path("k.cu").write_text("__global__ void k(float *p) { *p = 1; }\n")
    answer = kmutate("variants", "k.cu", "--compile-commands", "db.json")
    assert answer.code == 2 and "[no-compile-commands]" in answer.err and "no such file: db.json" in answer.err


@pytest.mark.parametrize(("file", "hint"), [
    ("other/gemm.cu", "src/gemm.cu"),
    ("src/gem.cu", "src/gemm.cu"),
    ("src/gemm.cuh", "src/gemm.cu"),
    ("zzz.cu", "its .cu files are"),
])
def test_a_file_without_an_entry_names_those_that_are_like_it(kmutate, file: str, hint: str) -> None:
    database({"directory": ".", "file": "src/gemm.cu", "command": "nvcc"},
             {"directory": ".", "file": "src/reduce.cu", "command": "nvcc"})
    answer = kmutate("variants", file, "--compile-commands", "compile_commands.json")
    assert answer.code == 2 and "[no-compile-command]\nnext: " in answer.err and hint in answer.err


@needs_nvrtc
def test_a_file_is_compiled_with_the_options_of_its_entry(kmutate, here: Path) -> None:
    (here / "src").mkdir()
    (here / "inc").mkdir()
    (here / "inc" / "scale.h").write_text("__device__ float scale(float x) { return x * FACTOR; }\n")
    (here / "inc" / "first.h").write_text("#define OFFSET 3\n")
    (here / "src" / "k.cu").write_text(
        '#include "scale.h"\n#if FACTOR != 4\n#error another factor\n#endif\n'
        "__global__ void k(float *out, const float *in) { out[threadIdx.x] = scale(in[threadIdx.x + OFFSET]); }\n")
    database({"directory": str(here / "inc"), "file": str(here / "src" / "k.cu"),
              "command": "nvcc -I. -include first.h -DFACTOR=2 -arch=sm_86 -c ../src/k.cu"})
    fails = kmutate("variants", "src/k.cu", "--compile-commands", "compile_commands.json", "-m", "identity")
    assert fails.code == 2 and "another factor" in fails.err
    # The command line's own definition comes first, and the folder of the database names it too.
    done = kmutate("variants", "src/k.cu", "--compile-commands", ".", "-DFACTOR=4", "--no-dynamic", "--json",
                   "-m", "identity", "-m", "memory-only")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["arch"] == "sm_86"
    assert [v["outcome"] for v in document["kernels"][0]["variants"]] == ["ok", "ok"]


@needs_nvrtc
def test_several_files_get_a_folder_each(kmutate, here: Path) -> None:
    for folder, name in (("a", "first"), ("b", "second")):
        (here / folder).mkdir()
        (here / folder / "k.cu").write_text(f"__global__ void {name}(float *p) {{ p[threadIdx.x] *= 2.0f; }}\n")
    (here / "host.cu").write_text("int main() { return 0; }\n")
    both = kmutate("variants", "a/k.cu", "b/k.cu", "host.cu", "-m", "identity", "--no-dynamic")
    assert both.code == 0, both.err
    assert "passed over: host.cu defines no kernel" in both.err
    assert Path("kmutate-out/k/first.identity.cu").is_file() and Path("kmutate-out/k-2/second.identity.cu").is_file()
    one = kmutate("variants", "a/k.cu", "b/k.cu", "-k", "^sec", "-m", "identity", "--no-dynamic", "--json", "-o", "x")
    assert one.code == 0 and not Path("x/k").exists()
    documents = [json.loads(line) for line in one.out.splitlines()]
    assert [len(d["kernels"]) for d in documents] == [0, 1] and documents[0]["error"]["slug"] == "unknown-kernel"
    none = kmutate("variants", "a/k.cu", "b/k.cu", "-k", "third", "--no-dynamic")
    assert none.code == 2 and "[unknown-kernel]" in none.err


@needs_nvrtc
def test_what_is_wrong_with_one_file_does_not_stop_the_others(kmutate, here: Path) -> None:
    (here / "good.cu").write_text("__global__ void good(float *p) { p[threadIdx.x] *= 2.0f; }\n")
    (here / "bad.cu").write_text("__global__ void bad(float *p) { p[threadIdx.x] = nowhere; }\n")
    answer = kmutate("variants", "bad.cu", "gone.cu", "good.cu", "-m", "identity", "--no-dynamic")
    assert answer.code == 2 and "[original-does-not-compile]" in answer.err and "[not-found]" in answer.err
    assert Path("kmutate-out/good/good.identity.cu").is_file()


def test_launches_are_proposed_as_the_build_reads_the_file(kmutate, here: Path) -> None:
    (here / "inc").mkdir()
    (here / "inc" / "size.h").write_text("#define THREADS 96\n")
    (here / "k.cu").write_text('#include "size.h"\n#ifdef GPU\n__global__ void k(float *p) { *p = 1; }\n'
                               "void host(float *p) { k<<<4, THREADS>>>(p); }\n#endif\n")
    path = database({"directory": ".", "file": "k.cu", "arguments": ["nvcc", "-DGPU", "-Iinc"]})
    answer = kmutate("launch", "k.cu", "--compile-commands", str(path))
    assert answer.code == 0 and "dim3 block = { THREADS };" in answer.out, answer
    assert "[no-kernel]" in kmutate("launch", "k.cu").err


def test_where_it_runs_decides_on_the_architecture_unless_a_default_is_given(here: Path) -> None:
    path = database({"directory": ".", "file": "k.cu", "arguments": ["nvcc", "-DA=1", "-DB=2", "-arch=sm_75"]})
    shared = settings.Shared(("B=3",), ("mine",), path, None, 64, False, ("n=4",), None)
    variants = shared.request(Path("k.cu"), None, "sm_90", kernels=("k",))
    assert (variants.arch, variants.defines, variants.include_dirs) == ("sm_75", ("A=1", "B=3"), ("mine",))
    assert (variants.maxrregcount, variants.settings, variants.kernels) == (64, {"n": "4"}, ("k",))
    assert shared.request(Path("k.cu"), "sm_80", "sm_90").arch == "sm_80"
    assert shared.request(Path("k.cu"), None).arch == ""
