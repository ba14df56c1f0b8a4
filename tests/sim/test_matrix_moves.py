"""Matrices that are moved (ldmatrix, stmatrix, movmatrix) and multiplied, against NumPy, on all architectures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from snippets import ARCHS

from mutate.errors import KmutateError
from mutate.launch import evaluate_all, find_declarations
from mutate.sass.disasm import disassemble
from mutate.sim.image import read_image
from mutate.sim.run import Simulation
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
LOAD = """
/* kmutate launch
   dim3 grid = {{ 1 }}; dim3 block = {{ 32 }};
   unsigned out[32 * {count}] = zeros(); unsigned short in[2048] = iota(0, 1);
   k(out, in);
*/
extern "C" __global__ void k(unsigned *out, const unsigned short *in)
{{
    __shared__ __align__(16) unsigned short tile[2048];
    for (int i = threadIdx.x; i < 2048; i += 32) tile[i] = in[i];
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x % {lanes} * {apart}, r[{count}];
    asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{turned}.shared.b16 {{{regs}}}, [%{count}];" : {outs} : "r"(at));
    for (int i = 0; i < {count}; i++) out[i * 32 + threadIdx.x] = r[i];
}}
"""
STORE = """
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   unsigned short out[256] = zeros(); unsigned in[128] = iota(0x10002, 0x30005);
   k(out, in);
*/
extern "C" __global__ void k(unsigned short *out, const unsigned *in)
{
    __shared__ __align__(16) unsigned short tile[256];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x * 16;
    asm volatile("stmatrix.sync.aligned.m8n8.x4TURNED.shared.b16 [%0], {%1, %2, %3, %4};"
                 : : "r"(at), "r"(in[threadIdx.x]), "r"(in[32 + threadIdx.x]), "r"(in[64 + threadIdx.x]),
                   "r"(in[96 + threadIdx.x]) : "memory");
    __syncthreads();
    for (int i = 0; i < 8; i++) out[i * 32 + threadIdx.x] = tile[i * 32 + threadIdx.x];
}
"""
TURN = """
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   unsigned out[32] = zeros(); unsigned in[32] = iota(0x10000, 0x20002);
   k(out, in);
*/
extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    unsigned r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(in[threadIdx.x]));
    out[threadIdx.x] = r;
}
"""
WMMA = """
/* kmutate launch
   dim3 grid = { 1 }; dim3 block = { 32 };
   float out[16 * 16] = zeros(); half a[16 * 16] = file("A"); half b[16 * 16] = file("B");
   k(out, a, b);
*/
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(float *out, const half *a, const half *b)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 1.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(out, z, 16, wmma::mem_row_major);
}
"""


def ran(source: str, arch: str) -> tuple[np.ndarray, str]:
    """What is in ``out`` afterwards, and the opcodes that ran."""
    (result,) = compile_many([Job(source.encode(), "matrix.cu", "k", CompileOptions(arch=arch))])
    assert isinstance(result, Compiled), result
    (listing,) = disassemble([(result.cubin, result.entry)], arch)
    (launch,) = evaluate_all(find_declarations(source.encode(), "matrix.cu"))
    simulation = Simulation(read_image(result.cubin, result.entry), listing, launch)
    simulation.run([0])
    region = next(r for r in simulation.initial.regions if r.name == "out")
    return np.ascontiguousarray(simulation.memory.read(region)), " ".join(i.opcode for i in listing)


def loaded(count: int, turned: bool, apart: int) -> np.ndarray:
    """ldmatrix, as the PTX ISA says: register k of lane l has two neighbours of row l / 4 of matrix k."""
    tile = np.arange(2048, dtype=np.uint32)
    out = np.zeros((count, 32), np.uint32)
    for k in range(count):
        rows = np.array([tile[(8 * k + r) * apart // 2 :][:8] for r in range(8)])
        matrix = rows.T if turned else rows
        for lane in range(32):
            low, high = matrix[lane // 4, 2 * (lane % 4) :][:2]
            out[k, lane] = low | high << 16
    return out.reshape(-1)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("apart", [16, 80])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_loads(count: int, turned: bool, apart: int, arch: str) -> None:
    source = LOAD.format(count=count, lanes=8 * count, apart=apart, turned=".trans" * turned,
                         regs=", ".join(f"%{k}" for k in range(count)),
                         outs=", ".join(f'"=r"(r[{k}])' for k in range(count)))
    out, opcodes = ran(source, arch)
    assert "LDSM" in opcodes
    assert out.view(np.uint32).tolist() == loaded(count, turned, apart).tolist()


@pytest.mark.parametrize("turned", [False, True])
def test_stores(turned: bool) -> None:
    out, opcodes = ran(STORE.replace("TURNED", ".trans" * turned), "sm_90")
    assert "STSM" in opcodes
    words = (0x10002 + 0x30005 * np.arange(128, dtype=np.uint64)).astype(np.uint32).view(np.uint16)
    matrices = words.reshape(4, 8, 8)
    wanted = matrices.transpose(0, 2, 1) if turned else matrices
    assert out.view(np.uint16).tolist() == wanted.reshape(-1).tolist()


@pytest.mark.parametrize("arch", ARCHS)
def test_a_matrix_is_turned(arch: str) -> None:
    out, opcodes = ran(TURN, arch)
    assert "MOVM" in opcodes
    words = (0x10000 + 0x20002 * np.arange(32, dtype=np.uint64)).astype(np.uint32).view(np.uint16).reshape(8, 8)
    assert out.view(np.uint16).reshape(8, 8).tolist() == words.T.tolist()


@pytest.mark.parametrize("arch", ARCHS)
def test_products_of_fragments(arch: str, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    a, b = (random.integers(-64, 65, (16, 16)).astype(np.float16) / np.float16(8) for _ in range(2))
    for name, matrix in (("A", a), ("B", b)):
        (tmp_path / f"{name}.bin").write_bytes(matrix.tobytes())
    source = WMMA.replace('"A"', f'"{tmp_path}/A.bin"').replace('"B"', f'"{tmp_path}/B.bin"')
    out, opcodes = ran(source, arch)
    assert "HMMA" in opcodes
    # So short mantissas have no rounding.
    wanted = a.astype(np.float64) @ b.astype(np.float64) + 1.0
    assert out.view(np.float32).reshape(16, 16).tolist() == wanted.tolist()


def test_a_row_out_of_place_is_an_error() -> None:
    source = LOAD.format(count=1, lanes=8, apart=8, turned="", regs="%0", outs='"=r"(r[0])')
    with pytest.raises(KmutateError) as raised:
        ran(source, "sm_90")
    assert raised.value.slug == "misaligned"
