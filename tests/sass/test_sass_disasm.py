"""One run of nvdisasm for many kernels gives what one run for each gives."""

from __future__ import annotations

import re
import subprocess

import pytest
from sass_cases import ARCHS, KERNELS, NO_CACHE, build, compiled, corpus, source

from mutate.errors import KmutateError
from mutate.sass import disasm
from mutate.sass.classes import without_padding
from mutate.sass.disasm import disassemble
from mutate.toolchain import nvdisasm
from mutate.toolchain.cache import Cache
from mutate.toolchain.elf import BadCubinError, Cubin
from mutate.toolchain.locate import Toolchain, find_toolchain
from mutate.toolchain.nvrtc import Job
from mutate.toolchain.options import CompileOptions

_ELF_LINE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s)?\s*([A-Z][\w.]*)\s*(.*?)\s*;")
_LABEL = re.compile(r"^(\.L_x_\d+):")
_SYMBOL = re.compile(r"^([\w$.]+):$")


def from_the_elf_file(image: bytes, entry: str, folder) -> list[tuple[int, str, str, str]]:
    """nvdisasm's own reading of a cubin, its labels replaced by offsets."""
    path = folder / "one.cubin"
    path.write_bytes(image)
    text = subprocess.run([find_toolchain().need_nvdisasm(), "-c", str(path)], capture_output=True, text=True,
                          check=True).stdout
    part = text[text.index(f"//--------------------- .text.{entry} ") :]
    part = part[: part.find("//---------------------", 30)]
    labels, waiting, rows = {entry: 0}, [], []
    for line in part.splitlines():
        label = _LABEL.match(line.strip()) or _SYMBOL.match(line.strip())
        if label:
            waiting.append(label.group(1))
        match = _ELF_LINE.match(line)
        if match:
            offset = int(match.group(1), 16)
            labels.update(dict.fromkeys(waiting, offset))
            waiting = []
            rows.append((offset, (match.group(2) or "").strip(), match.group(3), match.group(4)))

    def resolve(operands: str) -> str:
        operands = re.sub(r'\s*\(\*".*?"\*\)', "", operands)
        return re.sub(r"`\((.+?)\)", lambda m: hex(labels[m.group(1)]), operands)

    return [(o, p, c, resolve(a)) for o, p, c, a in rows]


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_offsets_operands_and_branch_targets_are_those_of_the_elf_file(arch, tmp_path):
    for name in ("warp", "integers", "scan"):
        result, listing = corpus(arch)[name]
        expected = from_the_elf_file(result.cubin, result.entry, tmp_path)
        assert [(i.offset, i.predicate, i.opcode, i.operands) for i in listing] == expected
        assert any(i.name == "BRA" for i in listing)


@pytest.mark.parametrize("arch", ARCHS)
def test_encodings_are_the_bytes_of_the_code(arch):
    for result, listing in corpus(arch).values():
        code = Cubin(result.cubin).kernel(result.entry).code
        assert b"".join(i.lo.to_bytes(8, "little") + i.hi.to_bytes(8, "little") for i in listing) == code


def test_device_functions_that_are_not_inlined_are_part_of_the_listing():
    text = """__device__ __noinline__ float f(float x, float *p) { p[3] = x; return x * p[2]; }
    __device__ __noinline__ float g(float x, float *p) { return f(x, p) + f(x + 1, p); }
    __global__ void k(float *p) { p[0] = g(p[1], p); }"""
    result, listing = build(text)
    functions = Cubin(result.cubin).kernel(result.entry).functions
    assert len(functions) == 2
    calls = [i for i in listing if i.name == "CALL"]
    assert {int(i.operands, 16) for i in calls} == {offset for _, offset, _ in functions}
    # Compiled for separate linking they lie in sections of their own, which relocations name.
    apart, listing_apart = build(text, extra=("--device-c",))
    assert not Cubin(apart.cubin).kernel(apart.entry).functions
    assert sum(i.name in ("ST", "STG") for i in listing_apart) == sum(i.name in ("ST", "STG") for i in listing) > 1


def test_one_run_for_all_and_none_for_what_is_cached(monkeypatch, tmp_path):
    results = compiled([Job(source(f), f, e, CompileOptions()) for f, e in KERNELS[:4]])
    pairs = [(r.cubin, r.entry) for r in results]
    runs = []
    run = subprocess.run
    monkeypatch.setattr(nvdisasm.subprocess, "run", lambda *a, **k: (runs.append(a), run(*a, **k))[1])
    store = Cache(tmp_path / "sass")
    first = disassemble(pairs[:3], "sm_90", cache=store)
    assert len(runs) == 1
    assert disassemble(pairs[:3], "sm_90", cache=store) == first
    assert len(runs) == 1
    # Four, of which one is new; the same kernel twice is one.
    again = disassemble([*pairs, pairs[0]], "sm_90", cache=store)
    assert len(runs) == 2
    assert again[:3] == first and again[4] == first[0]
    assert again[3] == disassemble([pairs[3]], "sm_90", cache=NO_CACHE)[0]
    assert not list(tmp_path.glob("kmutate-*"))


def test_nothing_to_disassemble():
    assert disassemble([], "sm_90", cache=NO_CACHE) == []


def test_without_nvdisasm(monkeypatch):
    result, _ = build("__global__ void k(int *p) { *p = 1; }")
    monkeypatch.setattr(disasm, "find_toolchain", lambda: Toolchain("nvrtc", None, ()))
    with pytest.raises(KmutateError) as caught:
        disassemble([(result.cubin, result.entry)], "sm_90", cache=NO_CACHE)
    assert caught.value.slug == "no-nvdisasm" and "--no-verify" in str(caught.value)


def test_code_of_another_architecture_is_an_error_with_a_reason():
    result, _ = build("__global__ void k(float *p) { *p = sinf(p[1]); }", "sm_120")
    with pytest.raises(KmutateError) as caught:
        disassemble([(result.cubin, result.entry)], "sm_75", cache=NO_CACHE)
    assert caught.value.slug == "nvdisasm-failed" and "sm_75" in str(caught.value)


def test_bad_cubins():
    result, _ = build("__global__ void k(int *p) { *p = 1; }")
    for bad in (b"", b"\x7fELF", b"no elf file at all" * 10, result.cubin[:1500]):
        with pytest.raises(BadCubinError):
            disassemble([(bad, result.entry)], "sm_90", cache=NO_CACHE)
    with pytest.raises(BadCubinError, match="_Z1kPi"):
        disassemble([(result.cubin, "absent")], "sm_90", cache=NO_CACHE)


def test_padding_is_what_follows_the_last_instruction():
    _, listing = build("__global__ void k(int *p) { *p = 1; }")
    code = without_padding(listing)
    assert code[-1].opcode == "EXIT" and listing[len(code)].opcode == "BRA" and listing[-1].opcode == "NOP"
    assert without_padding(()) == ()
    # A NOP within the code stays.
    _, listing = build("__global__ void k(int *p) { p[0] = 1; __syncwarp(); p[1] = p[0]; }")
    assert "NOP" in [i.opcode for i in without_padding(listing)]
