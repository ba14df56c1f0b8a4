"""Products of matrices in the model of time: what an H200 took (tests/machines/tensor.cu), and what has no time."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from compilers import MEASURED, nvrtc_version

from mutate.machines import load_machine
from mutate.pipeline.binaries import KernelBinaries, compile_originals
from mutate.results import Request
from mutate.sass.disasm import Instruction
from mutate.sim.image import read_image
from mutate.sim.timing.model import Kernel, SimulatedTime, predict
from mutate.sim.timing.tensor import product_of
from mutate.sim.timing.units import untimed
from mutate.toolchain.locate import find_toolchain

needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")
MACHINES = Path(__file__).parents[1] / "machines"


@cache
def kernels() -> dict[str, KernelBinaries]:
    request = Request(path=MACHINES / "tensor.cu", arch="sm_90")
    return {b.target.name: b for b in compile_originals(request)}


def played(kernel: str, launch: int) -> SimulatedTime:
    found = kernels()[kernel]
    code = Kernel(read_image(found.original.cubin, found.original.entry), found.original.listing)
    return predict(code, found.target.launches[launch], load_machine("h200"))


# Microseconds of reference/h200_tensor.csv.
@needs_nvrtc
@pytest.mark.parametrize(("kernel", "launch", "us", "within"), [
    ("products<f16_f32, 1>", 0, 29.41, 0.02), ("products<f16_f32, 4>", 2, 16.83, 0.03),
    ("products<f16_f32_8, 4>", 2, 12.83, 0.04), ("products<s8_32, 2>", 0, 16.96, 0.05),
    ("products<s8_8x8, 1>", 0, 18.56, 0.03), ("products<b1_256, 4>", 2, 16.80, 0.03),
    ("products<f64_8x8, 1>", 0, 28.99, 0.04), ("products<f64_16, 1>", 1, 130.11, 0.03),
    ("products<transposed, 1>", 0, 26.88, 0.06), ("beside<f16_f32, 24, 0, 0>", 1, 22.37, 0.08),
    ("beside<f16_f32, 0, 12, 0>", 1, 19.58, 0.04), ("matrices<4, false, true>", 1, 45.34, 0.04),
    ("stored_matrices<false>", 8, 210.21, 0.02), ("tile_products<true>", 10, 78.88, 0.05),
])
def test_times(kernel: str, launch: int, us: float, within: float) -> None:
    if nvrtc_version() != MEASURED:
        within += 0.05  # another compiler puts other NOPs between products
    assert 1e3 * played(kernel, launch).time_ms == pytest.approx(us, rel=within)


@needs_nvrtc
def test_the_clock_is_slower_with_products_but_of_doubles() -> None:
    rates = {}
    for kernel in ("products<f16_f32, 1>", "products<f64_8x8, 1>", "matrices<4, false, true>"):
        time = played(kernel, 0)
        rates[kernel] = time.cycles / (time.time_ms - time.overhead_ms) / 1e3
    assert [round(r) for r in rates.values()] == [1800, 1980, 1980]


@needs_nvrtc
def test_tensor_cores_are_what_limits() -> None:
    time = played("products<f16_f32, 4>", 2)
    assert time.limit == "tensor"
    assert time.utilisation["tensor"] > 0.8


def test_depth_height_and_kind() -> None:
    h200, t4, ada = load_machine("h200"), load_machine("t4"), load_machine("rtx4090")

    def clocks(opcode: str, machine: object = h200) -> int:
        return product_of(Instruction(0, "", opcode, "", 0, 0), machine)[0]  # type: ignore[arg-type]

    assert clocks("HMMA.16816.F32") == clocks("IMMA.16832.S8.S8") == 6
    assert clocks("HMMA.1688.F32.TF32") == 6
    assert clocks("HMMA.1688.F32") == clocks("HMMA.1684.F32.TF32") == clocks("IMMA.8816.S8.S8") == 4
    assert [clocks(f"DMMA.{s}") for s in ("8x8x4", "16x8x4", "16x8x8", "16x8x16")] == [16, 16, 32, 64]
    assert clocks("HMMA.1688.F32", t4) == 8
    assert clocks("HMMA.16816.F32", ada) == 2 * clocks("HMMA.16816.F16", ada)


def test_what_has_no_time_is_named() -> None:
    def listing(*opcodes: str) -> list[Instruction]:
        return [Instruction(16 * k, "", opcode, "", 0, 0) for k, opcode in enumerate(opcodes)]

    h200 = load_machine("h200")
    assert untimed(listing("FFMA", "HMMA.16816.F32", "LDSM.16.M88.4", "DMMA.16x8x8"), h200) == ()
    assert untimed(listing("HGMMA.64x256x16.F32", "UTMALDG.2D"), h200) == ("HGMMA", "UTMALDG")
    # No doubles in a T4's tensor cores, and a shape that nobody knows.
    assert untimed(listing("DMMA.884"), load_machine("t4")) == ("DMMA.884",)
    assert untimed(listing("HMMA.SP.16832.F32.WIDE"), replace(h200, quantities={})) == ("HMMA.SP.16832.F32.WIDE",)
