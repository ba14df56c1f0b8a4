"""Plans for the tests: small kernels compiled for sm_90, and launches of them."""

from __future__ import annotations

from functools import cache

from mutate.launch import evaluate, find_declarations
from mutate.launch.model import Launch
from mutate.timing import Plan, Run
from mutate.toolchain.nvrtc import Compiled, compile_program
from mutate.toolchain.options import CompileOptions

NAMES = ("original", "identity", "memory", "math", "bad")
SOURCE = "\n".join(f'extern "C" __global__ void {n}(float *out, const float *in, int n)'
                   " { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] += in[i]; }" for n in NAMES)
DECLARATION = """int n = 1024; dim3 grid = { 4 }, block = { 256 };
float out[n] = fill(0); float in[n] = uniform(0, 1); original(out, in, n);"""


@cache
def cubin(source: str = SOURCE, entry: str = NAMES[0], arch: str = "sm_90") -> bytes:
    result = compile_program(source.encode(), "k.cu", entry, CompileOptions(arch))
    assert isinstance(result, Compiled), result
    return result.cubin


def launch(declaration: str = DECLARATION) -> Launch:
    (found,) = evaluate(find_declarations(f"/* kmutate launch {declaration} */".encode(), "k.cu")[0])
    return found


def plan(*names: str, declaration: str = DECLARATION, in_place: bool = True, name: str = "plan") -> Plan:
    return Plan(name, launch(declaration), tuple(Run(n, cubin(), n) for n in names), ("out",), in_place)
