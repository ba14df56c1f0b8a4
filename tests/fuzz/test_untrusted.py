"""A file that somebody else wrote cannot write outside the output folder, run code, hang kmutate, or send commands to

the terminal.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mutate.errors import KmutateError
from mutate.frontend.load import load_unit
from mutate.launch.evaluate import evaluate_all
from mutate.launch.find import find_declarations
from mutate.pipeline.output import write_outputs
from mutate.pipeline.run import prove_file, run_variants
from mutate.pipeline.targets import make_targets
from mutate.results import Report, Request
from mutate.sim.space import Initial
from mutate.source import Lines, Span, printable
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import CompileFailed, Job, compile_many

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
KERNEL = "__global__ void k(float *p) { p[threadIdx.x] += 1.0f; }\n"
NAMES = ["operator/", "../../x", "/tmp/x", "..", "a<../../../x>::k", "A::operator()", "~k", "k\\..\\x", "k" * 5000,
         "\u202ek", "é", "k.cu/../../x", "a::..::k", "operator\"\"_k", "k\n", "k%s", "$(id)", "`id`", "-rf"]


def tree(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*")}


@pytest.mark.parametrize("name", NAMES)
def test_no_name_of_a_kernel_leaves_the_folder(name: str, tmp_path: Path) -> None:
    source = f"namespace a {{ __global__ void {name}(float *p) {{ p[0] = 1; }} }}\n" + KERNEL
    path = tmp_path / "in" / "file.cu"
    path.parent.mkdir()
    path.write_bytes(source.encode())
    run_variants(Request(path, output=tmp_path / "in" / "out", verify=False))
    outside = {p for p in tree(tmp_path) if not p.startswith(("in/out/", "in/file.cu"))}
    assert outside == {"in", "in/out"}
    for made in (tmp_path / "in" / "out").iterdir():
        assert re.fullmatch(r"[\w.+-]{1,200}", made.name), made.name
        assert not made.name.startswith((".", "-"))


def test_stems_keep_names_apart() -> None:
    unit = load_unit(b"namespace a { __global__ void k(int *p) { p[0] = 1; } } "
                     b"namespace b { __global__ void k(int *p) { p[0] = 1; } }", "x.cu")
    stems = [t.stem for t in make_targets(unit, unit.kernels, Request(Path("x.cu")), [])]
    assert stems == ["a.k", "b.k"]


def test_links_in_the_output_folder_are_replaced_and_not_followed(tmp_path: Path) -> None:
    victim, out, source = tmp_path / "victim", tmp_path / "out", tmp_path / "x.cu"
    victim.write_text("precious")
    source.write_text(KERNEL)
    out.mkdir()
    for name in ("k.identity.cu", "k.identity.diff", "manifest.json", "bench.cu", f".manifest.json.{os.getpid()}.part",
                 f".k.memory-only.cu.{os.getpid()}.part"):
        (out / name).symlink_to(victim)
    run_variants(Request(source, output=out, verify=False))
    assert victim.read_text() == "precious"
    assert not (out / "k.identity.cu").is_symlink() and "identity" in (out / "k.identity.cu").read_text()


def test_a_link_in_place_of_the_default_folder_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "x.cu").write_text(KERNEL)
    monkeypatch.chdir(tmp_path)
    Path("kmutate-out").symlink_to("elsewhere")
    proven = prove_file(Request(Path("x.cu"), verify=False))
    report = Report(Request(Path("x.cu"), verify=False), tuple(proven.results), {})
    with pytest.raises(KmutateError, match="is a link") as error:
        write_outputs(report, proven.unit)
    assert error.value.slug == "output-not-writable"
    assert not list((tmp_path / "elsewhere").iterdir())


def kmutate(*args: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-m", "mutate", *args], capture_output=True, cwd=folder, timeout=200,
                          check=False, env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": "200"})
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def commands_to_terminal(text: str) -> list[str]:
    """Everything of a text that is a command, but colours."""
    return re.findall(r"\x1b(?!\[[0-9;]*m)[^ ]{0,8}|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f-\x9f\u202e]", text)


def test_source_lines_send_no_commands_to_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e[red]x[/red]"
    (tmp_path / "a.cu").write_text(f"/* kmutate launch\n int n = \"{evil}\";\n k(n);\n*/\n" + KERNEL)
    (tmp_path / "b.cu").write_text(KERNEL.replace("1.0f", f"p[\"{evil}\"]"))
    (tmp_path / "[bold]c \x1b[2J.cu").write_text(KERNEL)
    for name, command in (("a.cu", "variants"), ("b.cu", "variants"), ("a.cu", "launch"), ("b.cu", "launch"),
                          ("absent\x1b[2J.cu", "variants")):
        _, text = kmutate(command, name, *(["--no-verify"] if command == "variants" else []), folder=tmp_path)
        assert commands_to_terminal(text) == [], text
    status, text = kmutate("variants", "[bold]c \x1b[2J.cu", "--no-verify", "-o", "[red]out", folder=tmp_path)
    assert (status, commands_to_terminal(text)) == (0, [])
    assert "[red]out/" in text, "brackets are no markup"


def test_printable_keeps_what_is_text() -> None:
    assert printable("a\tb\nc é 漢 [x]") == "a\tb\nc é 漢 [x]"
    assert printable("\x1b[2J\x9b\u202e\udc80\r") == "\\x1b[2J\\x9b\\u202e\\udc80\\x0d"


def test_a_long_line_is_shown_in_part() -> None:
    source = b"x" * 100_000 + b"HERE" + b"y" * 100_000
    caret = Lines(source).caret(Span(100_000, 100_004))
    assert len(caret) < 3000
    shown, marks = caret.splitlines()
    assert shown[marks.index("^") : marks.index("^") + 4] == "HERE" and marks.count("^") == 4


@pytest.mark.parametrize("body", [
    "int n = 1000000000 * 1000000000;", "float a[1 << 30][1 << 30]; k(a);", "int n = 1 << 400;",
    "float a[99999999999999999999]; k(a);", "dim3 grid = { 1 << 30 }, block = { 1 << 20 }; float a[4]; k(a);",
    "int n = 9" + "9" * 5000 + ";", "int n = " + "(" * 3000 + "1" + ")" * 3000 + "; k(n);",
    "int n = " + "-" * 5000 + "1; k(n);", "float a[] = file(\"/dev/zero\"); dim3 grid = {1}, block = {1}; k(a);",
    "float a[] = file(\"/etc/passwd\"); dim3 grid = {1}, block = {1}; k(a);",
    "int n = __import__(\"os\"); k(n);", "#include \"/etc/passwd\"\nint n = 1;",
])
def test_declarations_are_bounded(body: str) -> None:
    start = time.monotonic()
    with pytest.raises(KmutateError) as error:
        evaluate_all(find_declarations(f"/* kmutate launch\n{body}\n*/".encode(), "x.cu"), {}, {})
    assert error.value.slug.startswith("launch-")
    assert time.monotonic() - start < 5


def test_more_memory_than_any_gpu_has_is_not_simulated() -> None:
    arrays = " ".join(f"float a{i}[1ull << 37];" for i in range(8))
    text = f"/* kmutate launch\ndim3 grid = {{1}}, block = {{32}}; {arrays} k(a0);\n*/"
    (launch,) = evaluate_all(find_declarations(text.encode(), "x.cu"), {}, {})
    with pytest.raises(KmutateError, match="together") as error:
        Initial(launch)
    assert error.value.slug == "launch-size"


@needs_nvrtc
def test_a_text_that_keeps_the_compiler_busy_costs_its_limit_once(tmp_path: Path) -> None:
    loops = "__global__ void k(float *p) {{ float a = {};\n#pragma unroll\nfor (int i = 0; i < 100000; i++)\n" \
            "#pragma unroll\nfor (int j = 0; j < 1000; j++) a = a * p[i * j] + sinf(a);\np[0] = a; }}\n"
    jobs = [Job(loops.format(i).encode(), str(tmp_path / "x.cu"), "k") for i in range(12)]
    start = time.monotonic()
    results = compile_many(jobs, limit=4)
    assert all(isinstance(r, CompileFailed) and "time limit" in r.log for r in results)
    assert time.monotonic() - start < 4 * 12 / 2


@needs_nvrtc
def test_files_that_include_each_other_end(tmp_path: Path) -> None:
    for i in range(300):
        (tmp_path / f"h{i}.h").write_text(f'#include "h{(i + 1) % 300}.h"\n#include "h{(i + 7) % 300}.h"\n')
    (tmp_path / "x.cu").write_text('#include "h0.h"\n' + KERNEL)
    start = time.monotonic()
    with contextlib.suppress(KmutateError):
        prove_file(Request(tmp_path / "x.cu", mutations=("identity",)))
    assert time.monotonic() - start < 60
