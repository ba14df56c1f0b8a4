"""Source lines of instructions."""

from __future__ import annotations

import re
import subprocess

import pytest
from sass_cases import KERNELS, build, compiled, corpus, source

from mutate.sass.lines import SourceLine, line_table
from mutate.toolchain.elf import Cubin
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Job
from mutate.toolchain.options import CompileOptions

INLINED = """__device__ float inner(float x, float *p)
{
    return x * x + p[3];
}
__device__ float middle(float x, float *p) { return inner(x + 1, p) *
    inner(x + 2, p); }
__global__ void k(float *p, int n)
{
    float a = p[0];
    if (n > 3) a = middle(a, p);
    p[2] = a;
    __syncthreads();
    p[4] = p[3];
}
"""


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_line_information_leaves_the_code_as_it_is(arch):
    jobs = [Job(source(f), f, e, CompileOptions(arch=arch, extra=("-lineinfo",))) for f, e in KERNELS]
    for (name, _), with_lines in zip(KERNELS, compiled(jobs), strict=True):
        plain, _ = corpus(arch)[name]
        assert Cubin(with_lines.cubin).kernel(with_lines.entry).code == Cubin(plain.cubin).kernel(plain.entry).code
        assert not line_table(plain.cubin, plain.entry)
        assert line_table(with_lines.cubin, with_lines.entry)


def from_nvdisasm(image: bytes, entry: str, folder) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Line, and lines of the call sites, that `nvdisasm -gi` prints before an instruction.

    It prints nothing when the line is the one before it, even where the call site is another: no entry then.
    """
    path = folder / "one.cubin"
    path.write_bytes(image)
    text = subprocess.run([find_toolchain().need_nvdisasm(), "-c", "-gi", str(path)], capture_output=True, text=True,
                          check=True).stdout
    part = text[text.index(f"//--------------------- .text.{entry} ") :]
    found, fresh = {}, []
    for line in part.splitlines():
        match = re.search(r'//## File ".*?", line (\d+)(?: inlined at ".*?", line (\d+))?', line)
        if match:
            fresh.append((int(match.group(1)), match.group(2) and int(match.group(2))))
        code = re.match(r"\s*/\*([0-9a-f]{4,})\*/", line)
        if code and fresh:
            found[int(code.group(1), 16)] = (fresh[0][0], tuple(at for _, at in fresh if at))
            fresh = []
    return found


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_lines_and_call_sites_are_those_that_nvdisasm_prints(arch, tmp_path):
    result, listing = build(INLINED, arch, extra=("-lineinfo",))
    table = line_table(result.cubin, result.entry)
    expected = from_nvdisasm(result.cubin, result.entry, tmp_path)
    line = 0
    for instruction in listing:
        place = table[instruction.offset]
        if instruction.offset in expected:
            line, sites = expected[instruction.offset]
            assert tuple(at for _, at in place.inlined_at) == sites
        assert place.line == line
    assert len(expected) > 8
    by_line = {i.opcode.partition(".")[0]: table[i.offset] for i in listing}
    assert by_line["BAR"].line == 12 and by_line["BAR"].inlined_at == ()
    deep = [p for p in table.values() if p.line == 3]
    assert deep and {p.inlined_at[-1][1] for p in deep} == {10}
    assert {p.inlined_at[0][1] for p in deep} <= {5, 6}
    assert all(p.file.endswith("user.cu") for p in table.values())
    assert deep[0].outermost[1] == 10 and by_line["BAR"].outermost[1] == 12


def test_several_kernels_in_one_file():
    text = "\n__global__ void a(int *p) { p[0] = 1; }\n__global__ void b(int *p) {\n p[1] = 2; }\n"
    for entry, line in (("a", 2), ("b", 4)):
        result, listing = build(text, entry=entry, extra=("-lineinfo",))
        table = line_table(result.cubin, result.entry)
        assert {table[i.offset].line for i in listing if i.name == "STG"} == {line}


def test_a_damaged_table_is_no_table():
    result, _ = build(INLINED, extra=("-lineinfo",))
    section = Cubin(result.cubin).section(".debug_line")
    for at in range(section.offset, section.offset + section.size, 7):
        broken = result.cubin[:at] + b"\xff\xff\xff" + result.cubin[at + 3 :]
        assert all(isinstance(p, SourceLine) for p in line_table(broken, result.entry).values())
