"""nvdisasm that is started before there is anything to disassemble."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from mutate.sass.disasm import disassemble
from mutate.toolchain import nvdisasm
from mutate.toolchain.cache import Cache
from mutate.toolchain.elf import Cubin
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvdisasm import WaitingNvdisasm, run_nvdisasm, start_nvdisasm
from mutate.toolchain.nvrtc import Compiled, compile_program

pytestmark = pytest.mark.skipif(sys.platform != "linux" or find_toolchain().nvdisasm is None,
                                reason="needs leases on files, and nvdisasm")
NONE = Cache(None)


@pytest.fixture(scope="module")
def kernel() -> Compiled:
    source = b"__global__ void k(float *p, int n) { for (int i = 0; i < n; i++) p[i] = sinf(p[i]) * p[i + 1]; }"
    result = compile_program(source, "k.cu", "k")
    assert isinstance(result, Compiled)
    return result


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def code(kernel: Compiled) -> bytes:
    return Cubin(kernel.cubin).kernel(kernel.entry).code


def tool() -> str:
    found = find_toolchain().nvdisasm
    assert found is not None
    return found


@pytest.mark.parametrize("seconds", [0, 0.02, 1.0])
def test_it_prints_what_it_would_have_printed(kernel, folder, seconds):
    expected = run_nvdisasm(tool(), "sm_90", code(kernel))
    waiting = WaitingNvdisasm(tool(), "sm_90")
    time.sleep(seconds)
    assert waiting.run(code(kernel)) == expected
    assert not list(folder.iterdir())


def test_it_waits_for_its_input(folder):
    waiting = WaitingNvdisasm(tool(), "sm_90")
    process = waiting._process
    time.sleep(1.0)
    assert process.poll() is None, "it has not gone on with the file that stands in"
    waiting.close()
    assert process.poll() is not None
    assert not list(folder.iterdir())


def test_nobody_waits_for_ever(folder):
    for seconds in (0, 0.05):
        waiting = WaitingNvdisasm(tool(), "sm_90")
        time.sleep(seconds)
        waiting.close()
        waiting.close()
        assert waiting.run(b"") is None
    assert not list(folder.iterdir())


def test_without_leases_it_is_not_started(monkeypatch, folder):
    def refuse(_file: int, command: int, _argument: int = 0) -> int:
        if command == fcntl.F_SETLEASE:
            raise OSError(22, "Invalid argument")
        return 0

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    assert start_nvdisasm(tool(), "sm_90") is None
    assert start_nvdisasm(None, "sm_90") is None
    assert not list(folder.iterdir())


def test_a_tool_that_cannot_read_the_code_is_no_success(folder):
    assert WaitingNvdisasm(tool(), "sm_1").run(bytes(16)) is None
    assert not list(folder.iterdir())


@pytest.mark.parametrize("says", [lambda text: None, lambda text: "", lambda text: text[: len(text) // 2],
                                  lambda text: text.replace("*/", "* /", 1), "the code of another kernel"])
def test_what_it_says_is_used_only_when_it_has_read_the_code(kernel, says, monkeypatch):
    entry = (kernel.cubin, kernel.entry)
    expected = disassemble([entry], "sm_90", cache=NONE)
    text = run_nvdisasm(tool(), "sm_90", code(kernel))
    other = run_nvdisasm(tool(), "sm_90", code(kernel)[16:32] + code(kernel)[16:])
    runs = []
    run = subprocess.run
    monkeypatch.setattr(nvdisasm.subprocess, "run", lambda *a, **k: (runs.append(a), run(*a, **k))[1])

    class Liar:
        def run(self, _code: bytes) -> str | None:
            return other if isinstance(says, str) else says(text)

    assert disassemble([entry], "sm_90", cache=NONE, waiting=Liar()) == expected
    assert len(runs) == 1, "it was run again"


def test_one_that_waits_is_the_only_run(kernel, monkeypatch):
    expected = disassemble([(kernel.cubin, kernel.entry)], "sm_90", cache=NONE)
    monkeypatch.setattr(nvdisasm.subprocess, "run", None)
    waiting = WaitingNvdisasm(tool(), "sm_90")
    assert disassemble([(kernel.cubin, kernel.entry)], "sm_90", cache=NONE, waiting=waiting) == expected
