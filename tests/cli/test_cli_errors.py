"""Every error a user can make: exit code 2, what is wrong, where, what next, and never a traceback."""

from __future__ import annotations

import ast
import os
import re
import signal
import time
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import mutate
from mutate.cli.main import cli, main
from mutate.pipeline import select
from mutate.resources import samples_dir
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

KERNEL = "__global__ void scale(float *out, const float *in) { out[threadIdx.x] = 2.0f * in[threadIdx.x]; }\n"


def _launch(*, kernel: str = "scale", arguments: str = "out, in", initialiser: str = "zeros()", size: str = "n",
            close: str = "}") -> str:
    return f"""/* kmutate launch
   int n = 256;
   dim3 grid = {{ 1 }}, block = {{ 256 {close};
   float out[{size}] = {initialiser};
   float in[n] = zeros();
   {kernel}({arguments});
*/
"""


TEMPLATE = "template <int N> __global__ void power(float *p) { p[threadIdx.x] *= N; }\n"


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def kmutate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs the entry point in an empty folder that holds ``scale.cu``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.cu").write_text(KERNEL)

    def run(*args: str) -> Answer:
        with pytest.raises(SystemExit) as ended:
            main(args)
        captured = capsys.readouterr()
        return Answer(int(ended.value.code or 0), captured.out, captured.err)

    return run


def check(answer: Answer, slug: str, *words: str) -> None:
    assert answer.code == 2
    assert f"[{slug}]" in answer.err
    assert "error: " in answer.err
    assert "\nnext: " in answer.err, "a message must say what to do next"
    assert "Traceback" not in answer.err + answer.out
    for word in words:
        assert word in answer.err


def test_no_kernel_in_the_file(kmutate) -> None:
    Path("host.cu").write_text("int main() { return 0; }\n")
    check(kmutate("variants", "host.cu"), "no-kernel", "host.cu", "__global__")


def test_an_empty_file(kmutate) -> None:
    Path("empty.cu").write_text("")
    check(kmutate("variants", "empty.cu"), "no-kernel", "empty.cu")


def test_an_unknown_kernel_with_the_nearest_name(kmutate) -> None:
    check(kmutate("variants", "scale.cu", "-k", "scael"), "unknown-kernel", "'scael'", "did you mean 'scale'?")


def test_a_kernel_pattern_that_is_no_regular_expression(kmutate) -> None:
    check(kmutate("variants", "scale.cu", "-k", "sc[ale"), "bad-pattern", "sc[ale", "unterminated character set",
          "-k:1:3: ", "| sc[ale\n      |   ^\n")
    check(kmutate("variants", "scale.cu", "-k", "a{99999999999999999999}"), "bad-pattern", "too large")
    deep = kmutate("variants", "scale.cu", "-k", "(" * 5000)
    check(deep, "bad-pattern", "nests too deeply")
    assert len(deep.err) < 400


@pytest.mark.parametrize("command", ["variants", "simulate", "analyze", "launch"])
def test_a_kernel_pattern_that_would_take_for_ever(kmutate, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two to the number of letters ways to divide the name; in the time that is given, at most 2^30."""
    monkeypatch.setattr(select, "MATCHING", 0.2)
    Path("long.cu").write_text(f"__global__ void {'a' * 200}b(float *p) {{ p[0] = 1; }}\n")
    start = time.process_time()
    check(kmutate(command, "long.cu", "-k", "(a+)+$"), "bad-pattern", "takes more than 0.2 s of computing", "^^^^^^",
          "(a+)+")
    assert time.process_time() - start < 10
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0), "nothing goes off later"


def test_an_unknown_mutation_with_the_nearest_name(kmutate) -> None:
    check(kmutate("variants", "scale.cu", "-m", "maths-only"), "unknown-mutation", "did you mean 'math-only'?")
    check(kmutate("explain", "memoryonly"), "unknown-mutation", "did you mean 'memory-only'?")


def test_a_composition_of_two_that_exclude_each_other(kmutate) -> None:
    check(kmutate("variants", "scale.cu", "-m", "memory-only+math-only"), "bad-composition", "'memory-only'",
          "'math-only'")


@needs_nvrtc
@pytest.mark.parametrize(("body", "line", "says"), [
    ("    out[i] = undeclared;\n", 3, "undeclared"),
    ("    float x = in[i]\n    out[i] = x;\n", 4, "expected"),
    ("    out[i] = in[i];\n    no_such_function(out);\n", 4, "no_such_function"),
    ("    out[i] = in[i];\n}\n#ifdef MORE\n#if 1\n#endif\n__device__ float more(float x)\n{ return x; }\n#else\n"
     "#endif\n__global__ void broken(float *out) {\n    out[0] = more(1.0f);\n", 13,
     "more stands in line 8, which `#ifdef MORE` (line 5) leaves out: set -D"),
])
def test_an_original_that_does_not_compile_is_shown_at_the_users_line(kmutate, body: str, line: int, says: str) -> None:
    Path("broken.cu").write_text("__global__ void broken(float *out, const float *in) {\n    int i = threadIdx.x;\n"
                                 f"{body}}}\nint main() {{ return 0; }}\n")
    answer = kmutate("variants", "broken.cu", "-m", "identity")
    check(answer, "original-does-not-compile", f"broken.cu:{line}:", says, "^")


@needs_nvrtc
def test_a_function_of_another_file(kmutate) -> None:
    Path("this.cu").write_text("__device__ float other(float x);\n"
                               "__global__ void k(float *p) { p[0] = other(p[1]); }\n")
    check(kmutate("variants", "this.cu", "-m", "identity"), "original-does-not-compile", "other", "-rdc=true")
    Path("that.cu").write_text("__device__ float other(float x) { return x + 1; }\n")
    Path("both.cu").write_text('#include "that.cu"\n#include "this.cu"\n')
    assert kmutate("variants", "both.cu", "-m", "memory-only").code == 0


@needs_nvrtc
def test_a_missing_include(kmutate) -> None:
    Path("broken.cu").write_text('#include "nowhere.h"\n' + KERNEL.replace("2.0f", "NOWHERE_FACTOR"))
    check(kmutate("variants", "broken.cu", "-m", "identity"), "original-does-not-compile", "-I")
    Path("outer.h").write_text('#include "inner.h"\n#include "cuda_runtime.h"\ntemplate <class T> struct Made {'
                               " const T *const none; Later<T> v; };\n")
    Path("broken.cu").write_text('#include "outer.h"\n__global__ void k(Made<int> m, float *p) { p[0] = m.v.x; }\n')
    answer = kmutate("variants", "broken.cu", "-m", "identity")
    check(answer, "original-does-not-compile", "inner.h", "-I")
    assert "cuda_runtime.h" not in answer.err


def test_a_file_that_is_not_there(kmutate) -> None:
    check(kmutate("variants", "nowhere.cu"), "not-found", "nowhere.cu")
    check(kmutate("variants", "samples/fd3d.cu"), "not-found", str(samples_dir() / "fd3d.cu"))


def test_a_folder(kmutate) -> None:
    Path("folder.cu").mkdir()
    check(kmutate("variants", "folder.cu"), "not-a-file", "folder.cu: it is a folder")


def test_a_binary_file(kmutate) -> None:
    Path("binary.cu").write_bytes(b"\x7fELF\x02\x01\x00\x00" * 40)
    check(kmutate("variants", "binary.cu"), "not-text", "binary.cu")


def test_a_file_without_permission(kmutate, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def refuse(path: str | Path, *more: int, **named: int) -> int:
        if Path(path).name == "scale.cu":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *more, **named)

    monkeypatch.setattr(os, "open", refuse)  # root may read what nobody may
    check(kmutate("variants", "scale.cu"), "not-readable", "scale.cu")


def test_an_output_that_cannot_be_written(kmutate) -> None:
    Path("taken").write_text("a file")
    Path("broken.cu").write_text("__global__ void k() { nonsense; }")  # compiling comes after that
    check(kmutate("variants", "broken.cu", "-o", "taken"), "output-not-writable", "taken is a file", "with -o DIR")
    check(kmutate("variants", "scale.cu", "-o", "taken/below", "--no-verify"), "output-not-writable",
          "folder taken/below: taken is a file")
    Path("link").symlink_to("nowhere")
    check(kmutate("variants", "scale.cu", "-o", "link", "--no-verify"), "output-not-writable", "a link to nothing")


@pytest.mark.parametrize(("declaration", "slug", "token"), [
    (_launch(initialiser="zeroes()"), None, "zeroes"),
    (_launch(arguments="out, inn"), None, "inn"),
    (_launch(size="m"), None, "m"),
    (_launch(kernel="scael"), "unknown-kernel", "scael"),
    (_launch(arguments="out"), None, "scale"),
    (_launch(close=""), "launch-syntax", "{ 256"),
])
def test_a_wrong_launch_declaration_has_a_caret_at_the_token(
        kmutate, declaration: str, slug: str | None, token: str | None) -> None:
    Path("scale.cu").write_text(declaration + KERNEL)
    answer = kmutate("variants", "scale.cu", "-m", "identity", "--no-verify")
    (found,) = re.findall(r"\[([a-z-]+)\]$", answer.err.splitlines()[0])
    check(answer, slug or found)
    where = re.match(r"scale\.cu:(\d+):(\d+): error: ", answer.err)
    assert where, answer.err
    source, caret = answer.err.splitlines()[1:3]
    column = caret.index("^")
    assert int(where[1]) <= declaration.count("\n")
    if token is not None:
        assert source[column:].startswith(token)


@pytest.mark.parametrize("setting", ["n", "=4", "n=", "n=four", "m=4"])
def test_a_bad_setting(kmutate, setting: str) -> None:
    Path("scale.cu").write_text(_launch() + KERNEL)
    answer = kmutate("variants", "scale.cu", "--no-verify", "--set", setting)
    (found,) = re.findall(r"\[([a-z-]+)\]$", answer.err.splitlines()[0])
    check(answer, found, "--set" if setting in ("n", "=4") else setting.partition("=")[0])


def test_a_setting_without_a_launch_declaration(kmutate) -> None:
    check(kmutate("variants", "scale.cu", "--no-verify", "--set", "n=4"), "no-launch", "--set n", "--launch")


def test_a_launch_file_that_is_not_there(kmutate) -> None:
    check(kmutate("variants", "scale.cu", "--launch", "nowhere.launch"), "not-found", "nowhere.launch")


@pytest.mark.parametrize(("instance", "slug"), [
    ("power", "bad-instance"), ("power<4", "bad-instance"), ("powr<4>", "unknown-kernel"),
])
def test_a_bad_instance(kmutate, instance: str, slug: str) -> None:
    Path("power.cu").write_text(TEMPLATE)
    check(kmutate("variants", "power.cu", "--instance", instance), slug, "--instance")


@needs_nvrtc
def test_a_template_without_an_instance(kmutate) -> None:
    Path("power.cu").write_text(TEMPLATE)
    check(kmutate("variants", "power.cu"), "template-needs-instance", "--instance 'power<")
    Path("power.cu").write_text(f"{TEMPLATE}template <int N> struct Runs "
                                "{ void go(float *p) { power<N><<<1, 32>>>(p); } };\n")
    check(kmutate("variants", "power.cu"), "template-needs-instance", "--instance 'power<")


@needs_nvrtc
@pytest.mark.parametrize(("arch", "slug"), [
    ("90", "bad-arch"), ("gfx90a", "bad-arch"), ("sm_", "bad-arch"), ("", "bad-arch"), ("sm_9000", "unsupported-arch"),
])
def test_a_bad_architecture(kmutate, arch: str, slug: str) -> None:
    check(kmutate("variants", "scale.cu", "-arch", arch), slug, arch, "sm_90")


@pytest.mark.parametrize("args", [
    ("variants",), ("variants", "scale.cu", "--no-such-flag"), ("variants", "scale.cu", "--pad", "sideways"),
    ("variants", "scale.cu", "--maxrregcount", "many"), ("list", "everything"), ("variantss", "scale.cu"),
])
def test_a_wrong_command_line(kmutate, args: tuple[str, ...]) -> None:
    answer = kmutate(*args)
    assert answer.code == 2
    assert "Error: " in answer.err
    assert "Traceback" not in answer.err


def test_a_misspelt_command_names_the_nearest(kmutate) -> None:
    assert "Did you mean 'variants'?" in kmutate("variant", "scale.cu").err


def _flags() -> set[str]:
    context = click.Context(cli)
    found: set[str] = set()
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        for parameter in [*command.params, *cli.params]:
            found |= {o for o in [*parameter.opts, *parameter.secondary_opts] if o.startswith("-")}
    return found


def _messages() -> list[tuple[str, str]]:
    """All string pieces inside calls that make an error or a refusal, with the file they stand in."""
    out = []
    root = Path(mutate.__file__).parent
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if not (name.endswith("Error") or name in ("Refused", "Note", "Reason", "error", "fail")):
                continue
            for piece in ast.walk(node):
                if isinstance(piece, ast.Constant) and isinstance(piece.value, str):
                    out.append((str(path.relative_to(root)), piece.value))
    return out


def test_messages_name_only_flags_that_exist() -> None:
    flags = _flags()
    named = {(where, flag) for where, text in _messages() for flag in re.findall(r"(?<![\w-])--[a-z][\w-]*", text)}
    assert {f for _, f in named} >= {"--set", "--launch", "--instance", "--no-verify"}, "the search finds the flags"
    assert not {(where, flag) for where, flag in named if flag not in flags}


def test_the_readme_and_the_samples_name_only_flags_that_exist() -> None:
    flags = _flags() | {"--version", "--help"}
    text = "\n".join(p.read_text() for p in samples_dir().glob("*.cu"))
    for line in re.findall(r".*kmutate variants.*", text):
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", line)) <= flags
