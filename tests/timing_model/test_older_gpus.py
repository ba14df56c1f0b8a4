"""The model of time on GPUs before Volta: their issue, their registers' latency, their ways of reading memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutate.machines import Machine, load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing.model import Kernel, SimulatedTime, predict
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
C2050, GTX280 = load_machine("c2050"), load_machine("gtx280")


def time_of(folder: Path, machine: Machine, declaration: str, body: str, dlcm: str = "ca", cap: int | None = None,
            carveout: int | None = None) -> SimulatedTime:
    path = folder / "k.cu"
    path.write_text(f"/* kmutate launch {declaration} */\n__global__ void {body}\n")
    (found,) = compile_originals(Request(path=path, arch="sm_75", maxrregcount=cap))
    kernel = Kernel(read_image(found.original.cubin, found.original.entry), found.original.listing, dlcm=dlcm)
    return predict(kernel, found.target.launches[0], machine, carveout_kb=carveout)


def fma(folder: Path, machine: Machine, block: int, chains: int, rounds: int) -> SimulatedTime:
    steps = " ".join(f"x{c} = x{c} * a + b;" for _ in range(16) for c in range(chains))
    names = ", ".join(f"x{c} = threadIdx.x + {c}" for c in range(chains))
    total = " + ".join(f"x{c}" for c in range(chains))
    return time_of(folder, machine, f"float out[{block}] = zeros(); dim3 grid = {{ 1 }}; dim3 block = {{ {block} }}; "
                   f"k(out, 0.5f, 1.0f, {rounds});",
                   f"k(float *out, float a, float b, int n) {{ float {names};\n#pragma unroll 1\n"
                   f"for (int i = 0; i < n; i++) {{ {steps} }} out[threadIdx.x] = {total}; }}")


@pytest.mark.parametrize("machine", [C2050, GTX280], ids=lambda m: m.name)
def test_a_chain_waits_for_the_registers(tmp_path: Path, machine: Machine) -> None:
    """sm_75 code says 4 clocks; these GPUs' hardware takes what their file says."""
    steps = 16 * 100
    found = fma(tmp_path, machine, 32, 1, 100)
    latency = machine.number("latency.fp32")
    assert steps * latency <= found.cycles <= 1.25 * steps * latency + 2000


@pytest.mark.parametrize(("machine", "clocks"), [(C2050, 1), (GTX280, 4)], ids=lambda v: getattr(v, "name", v))
def test_warps_issue_as_fast_as_the_lanes_take_them(tmp_path: Path, machine: Machine, clocks: int) -> None:
    """Two schedulers of a warp in two clocks, and one of a warp in four."""
    found = fma(tmp_path, machine, 512, 4, 40)
    least = clocks * 16 * 16 * 4 * 40
    assert least <= found.cycles <= 1.25 * least + 1500


def copied(folder: Path, machine: Machine, offset: int, dlcm: str = "ca") -> SimulatedTime:
    n = 1 << 18
    return time_of(folder, machine, f"int n = {n}; dim3 grid = {{ n / 256 }}; dim3 block = {{ 256 }}; "
                   "float in[n + 64] = zeros(); float out[n] = zeros(); "
                   f"k(out, in + {offset});",
                   "k(float *out, const float *in) { int i = blockIdx.x * 256 + threadIdx.x; out[i] = in[i]; }", dlcm)


def sectors(found: SimulatedTime) -> float:
    """Sectors read from DRAM for each that is written."""
    return found.traffic["dram_read_sectors"] / found.traffic["dram_write_sectors"]


def test_gt200_fetches_each_half_warps_segments_anew(tmp_path: Path) -> None:
    """Aligned, 64 bytes a half-warp. One word off, the guide's rule is a segment of 128, or one of 64 and one of 32."""
    assert sectors(copied(tmp_path, GTX280, 0)) == pytest.approx(1.0)
    assert sectors(copied(tmp_path, GTX280, 1)) == pytest.approx((4 + 3) / 4)


def test_fermi_reads_lines_through_l1_and_segments_around_it(tmp_path: Path) -> None:
    """Every fourth word: a warp has four lines, of which it needs 16 segments; of every 32nd word one of four."""
    for stride, part in ((4, 1.0), (32, 0.25)):
        found = {}
        for dlcm in ("ca", "cg"):
            time = time_of(tmp_path, C2050, "int n = 65536; dim3 grid = { n / 256 }; dim3 block = { 256 }; "
                           f"float in[n * {stride}] = zeros(); float out[n] = zeros(); k(out, in);",
                           "k(float *out, const float *in) { int i = blockIdx.x * 256 + threadIdx.x; "
                           f"out[i] = in[i * {stride}]; }}", dlcm)
            found[dlcm] = time.traffic["l2_read_sectors"] / time.blocks_per_sm  # which SM gets most depends on times
        assert found["cg"] == pytest.approx(part * found["ca"])


@pytest.mark.parametrize("machine", [C2050, GTX280], ids=lambda m: m.name)
def test_conflicts_in_shared_memory_are_issued_again(tmp_path: Path, machine: Machine) -> None:
    """One bank for 32 lanes: 32 accesses of two clocks on Fermi, and as many on GT200, by two half-warps of 16."""
    body = ("k(float *out, int stride, int n) { volatile __shared__ float s[4096]; "
            "int at = threadIdx.x * stride & 4095; float x = 0;\n#pragma unroll 8\n"
            "for (int i = 0; i < n; i++) x += s[at]; out[threadIdx.x] = x; }")
    without, conflicting = (
        time_of(tmp_path, machine, "dim3 grid = { 1 }; dim3 block = { 256 }; float out[256] = zeros(); "
                f"k(out, {stride}, 40);", body).cycles for stride in (1, 32))
    assert conflicting - without >= 0.9 * 8 * 40 * (32 - 2) * 2


def test_spills_stay_in_l1_that_is_large_enough(tmp_path: Path) -> None:
    """64 bytes a thread of 512 threads are 32 KB: in 48 KB of L1 they are found, in 16 KB not all of them."""
    body = ("k(float *out, int n) { float a[16]; for (int i = 0; i < 16; i++) a[i] = i + threadIdx.x;\n"
            "#pragma unroll 1\nfor (int r = 0; r < n; r++) { a[r * 7 & 15] += a[r * 5 & 15]; } "
            "out[blockIdx.x * 512 + threadIdx.x] = a[n & 15]; }")
    declaration = ("dim3 grid = { 14 }; dim3 block = { 512 }; float out[14 * 512] = zeros(); k(out, 64);")
    found = {c: time_of(tmp_path, C2050, declaration, body, carveout=c) for c in (16, 48)}
    hits = {c: t.traffic["local_hits"] / t.traffic["local_sectors"] for c, t in found.items()}
    assert hits[16] > 0.85 > hits[48]
    assert found[16].time_ms < found[48].time_ms


def test_gt200_reads_shared_memory_by_operands(tmp_path: Path) -> None:
    """A word that one multiply-add uses is its operand: six clocks together, not eight."""
    found = time_of(tmp_path, GTX280, "dim3 grid = { 1 }; dim3 block = { 512 }; float out[512] = zeros(); k(out, 25);",
                    "k(float *out, int n) { __shared__ float s[1024]; s[threadIdx.x] = threadIdx.x; __syncthreads(); "
                    "float x[4] = {}, y = 1;\n#pragma unroll 1\nfor (int i = 0; i < n; i++) {\n#pragma unroll\n"
                    "for (int k = 0; k < 32; k++) { x[k & 3] += y * ((volatile float *)s)[threadIdx.x + k]; } "
                    "y += x[0]; } out[threadIdx.x] = x[0] + x[1] + x[2] + x[3]; }", cap=32)
    step = 32 * 25 * 16
    assert 6 * step <= found.cycles < 8 * step
