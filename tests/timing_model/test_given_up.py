"""What a warp reads at random and then stores to: L2 has given up part of it in between, and DRAM reads that again."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from launch_rows import launch_rows
from timed_kernels import compiled

from mutate.machines import load_machine
from mutate.pipeline.binaries import compile_originals
from mutate.results import Request
from mutate.sim.image import read_image
from mutate.sim.timing.given_up import chance
from mutate.sim.timing.model import Kernel, SimulatedTime, predict
from mutate.toolchain.locate import find_toolchain

EXCHANGES = Path(__file__).parents[1] / "machines" / "exchanges.cu"
needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


@given(st.floats(0, 50), st.floats(0, 50))
def test_the_more_comes_in_between_the_more_is_given_up(a: float, b: float) -> None:
    few, many = sorted((a, b))
    assert 0.0 <= chance(few) <= chance(many) <= 1.0


def test_what_is_much_less_than_l2_has_room_for_costs_nothing() -> None:
    assert chance(0.0) < 0.01
    assert chance(2.5) > 0.99


@cache
def counted() -> dict[tuple[str, int], float]:
    """Sectors that DRAM read on an H100, by ncu."""
    rows = launch_rows("h100_exchanges_sectors")
    return {(kernel, launch): float(row["dram_read"]) for kernel, _, launch, row in rows}


def dram_reads(found: SimulatedTime) -> float:
    """Sectors, of all SMs."""
    played = found.instructions / found.played if found.played < found.instructions else 1.0
    return found.traffic["dram_read_sectors"] * played * found.grid_blocks / found.blocks_per_sm


@needs_nvrtc
@pytest.mark.parametrize("name", ["change_one", "change_two", "change_four"])
def test_as_many_sectors_are_read_as_ncu_counted(name: str) -> None:
    """128 MB, of which each thread changes one, two or four elements: all are read, and part of them once more."""
    (binaries,) = compile_originals(Request(path=EXCHANGES, arch="sm_90"), names={name})
    code = Kernel(read_image(binaries.original.cubin, binaries.original.entry), binaries.original.listing)
    found = predict(code, binaries.target.launches[3], load_machine("h100"))
    assert dram_reads(found) == pytest.approx(counted()[name, 3], rel=0.08)


LOOPS = ("k(float4 *a, int steps) { const unsigned t = blockIdx.x * blockDim.x + threadIdx.x; "
         "for (int k = 0; k < steps; k++) { unsigned x = (t * steps + k) * 0x9e3779b1u; "
         "x = (x ^ x >> 15) * 0x85ebca6bu; x = (x ^ x >> 13) & ((1 << 23) - 1); float4 v = a[x]; "
         "v.x += v.y + 1.0f; a[x] = v; } }")


@needs_nvrtc
def test_with_few_warps_less_is_given_up(tmp_path: Path) -> None:
    """1 M elements of 128 MB, by all the warps that fit, or by four of each SM."""
    def reads(blocks: int, steps: int) -> float:
        declaration = (f"float4 a[1 << 23] = zeros(); dim3 grid = {{ {blocks} }}; dim3 block = {{ 128 }}; "
                       f"k(a, {steps});")
        found = predict(*compiled(tmp_path, declaration, LOOPS), load_machine("h200"))
        return dram_reads(found) / (blocks * 128 * steps)

    few, many = reads(132, 64), reads(8448, 1)
    # As many as where nothing is stored to (look_half), and no more.
    assert few == pytest.approx(counted()["look_half", 3] / (1 << 23), rel=0.05)
    assert many > 1.1 * few
