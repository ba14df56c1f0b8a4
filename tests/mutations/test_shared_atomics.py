"""Atomics of shared memory: which are loops in machine code, and that smem-* leaves arrays with such ones alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.analysis.program import analyse
from mutate.frontend.load import load_unit
from mutate.model import Verdict
from mutate.mutations.base import Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.mutations.registry import parse_composition
from mutate.pipeline.run import run_variants
from mutate.results import Request
from mutate.sass.disasm import disassemble
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.nvrtc import Compiled, Job, compile_many

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

KERNEL = """#include <cuda_fp16.h>
__global__ void k(TYPE *out, const TYPE *in, const int *at) {
    __shared__ TYPE s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    CALL;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
"""
CASES = [("Add", "int", False), ("Min", "int", False), ("CAS", "int", False), ("Inc", "unsigned", False),
         ("Exch", "float", False), ("Exch", "unsigned long long", False), ("CAS", "unsigned long long int", False),
         ("Add", "float", True), ("Add_block", "float", True), ("Add", "double", True), ("Add", "__half2", True),
         ("Add", "unsigned long long", True), ("Add", "unsigned long long int", True), ("Max", "long long", True),
         ("Xor", "unsigned long long", True), ("CAS", "unsigned short", True)]


def source(operation: str, type_: str) -> str:
    more = ", in[1]" if operation == "CAS" else ""
    call = f"atomic{operation}(&s[at[threadIdx.x]], in[0]{more})"
    return KERNEL.replace("TYPE", type_).replace("CALL", call)


def built(text: str, *instances: str) -> VariantText | Refused:
    unit = load_unit(text.encode(), "k.cu")
    (kernel,) = unit.kernels
    return build_variant(unit, kernel, parse_composition("smem-broadcast"), analyse(unit, kernel, instances))


@needs_nvrtc
def test_what_is_a_loop_in_machine_code_is_refused_and_nothing_else() -> None:
    texts = [source(operation, type_) for operation, type_, _ in CASES]
    found = [r for r in compile_many([Job(t.encode(), "k.cu", "k") for t in texts]) if isinstance(r, Compiled)]
    listings = disassemble([(r.cubin, r.entry) for r in found], "sm_90")
    # What comes back to a compare-and-swap goes back: all else of this kernel goes forward, or stays at the end.
    loops = [any(i.name == "BRA" and int(i.operands.rpartition("0x")[2], 16) < i.offset for i in listing)
             for listing in listings]
    assert loops == [loop for _, _, loop in CASES]
    refused = [isinstance(made := built(t), Refused) and made.slug == "shared-atomic-loop" for t in texts]
    assert refused == loops


@pytest.mark.parametrize(("instances", "kept"), [(("float",), True), (("int",), False), (("int", "float"), True),
                                                 ((), False)])
def test_a_templates_instances_say_of_which_type_an_atomic_is(instances: tuple[str, ...], kept: bool) -> None:
    for call in ("atomicAdd(&s[at[0]], in[0])", "add(s + at[0], in[0])"):
        text = "template <class V> __device__ void add(V *p, V v) { atomicAdd(p, v); }\ntemplate <class T> " + \
            KERNEL.partition("\n")[2].replace("TYPE", "T").replace("CALL", call)
        made = built(text, *instances)
        assert isinstance(made, Refused) == kept, (call, made)


@needs_nvrtc
def test_an_array_with_such_a_loop_stays_and_the_others_change(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("""/* kmutate launch
   dim3 grid = {2}; dim3 block = {256};
   float out[256] = zeros(); int at[256] = randint(0, 31); float in[256] = uniform(0, 1);
   k(out, at, in);
*/
template <class T> __device__ void add(T *sum, int i, T v) { atomicAdd(sum + i, v); }
__global__ void k(float *out, const int *at, const float *in) {
    __shared__ float sum[256], other[256];
    sum[threadIdx.x] = 0.0f;
    other[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    add(sum, at[threadIdx.x], in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = sum[threadIdx.x] + other[threadIdx.x * 8 & 255];
}
""")
    both = ("smem-conflict-free", "smem-broadcast")
    report = run_variants(Request(path, both, output=tmp_path / "out", dynamic=True))
    for variant in report.kernels[0].variants:
        assert variant.certificate is not None
        assert variant.certificate.verdict is Verdict.VALID, variant.certificate.reasons
        assert variant.certificate.dynamic is not None
        assert variant.certificate.dynamic.memory["shared_atomic"].same
        (kept,) = [r.text for r in variant.certificate.reasons if r.slug == "shared-array-kept"]
        assert kept.startswith("sum stays: `atomicAdd(sum + i, v)` of float")
