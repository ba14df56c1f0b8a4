"""Every clock of every resident warp has one reason of ncu's names, at one instruction."""

from __future__ import annotations

from pathlib import Path

import pytest
from timed_kernels import KERNELS, compiled, timed

from mutate.machines import load_machine
from mutate.sim.timing.model import predict
from mutate.sim.timing.settings import STALLS
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")


@pytest.mark.parametrize("played", [500, 5_000, 1_000_000])
@pytest.mark.parametrize("name", KERNELS)
def test_the_reasons_sum_to_the_clocks_that_warps_were_resident(tmp_path: Path, name: str, played: int) -> None:
    found = timed(tmp_path, name, played=played)
    assert found.by_instruction.sum() == found.warp_clocks > 0
    assert found.by_instruction.min() >= 0
    assert found.by_instruction[:, STALLS.index("selected")].sum() == found.played
    assert sum(found.stalls.values()) == pytest.approx(1)


def test_a_warp_alone_is_resident_from_the_first_clock_to_the_last(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, "dim3 grid = { 1 }; dim3 block = { 32 }; k(200, 0.5f);",
                              "k(int n, float a) { float x = a;\n#pragma unroll 4\nfor (int i = 0; i < n; i++) "
                              "x = x * a + 1; if (x == 3) asm volatile(\"trap;\"); }")
    found = predict(kernel, launch, load_machine("h200"))
    assert found.warp_clocks == found.cycles + 1  # the clock of the last issue is one of the warp's
    assert found.stalls["wait"] > 0.4
    assert not found.stalls["not_selected"]
    assert not found.stalls["long_scoreboard"]


@pytest.mark.parametrize(("name", "reason", "least"), [
    ("stream", "long_scoreboard", 0.5), ("barriers", "barrier", 0.2), ("conflicts", "mio_throttle", 0.3),
    ("arithmetic", "not_selected", 0.1)])
def test_a_kernel_has_the_reason_that_it_was_written_for(tmp_path: Path, name: str, reason: str, least: float) -> None:
    assert timed(tmp_path, name).stalls[reason] > least


def test_clocks_are_at_the_instruction_that_waits(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, *KERNELS["stream"])
    found = predict(kernel, launch, load_machine("h200"))
    column = found.by_instruction[:, STALLS.index("long_scoreboard")]
    waits = kernel.listing[int(column.argmax())]
    assert waits.name in ("FADD", "FMUL")  # what uses the loaded value, not the load
    assert column.max() > 0.9 * column.sum()


def test_a_taken_branch_is_resolved_and_holds_the_others(tmp_path: Path) -> None:
    kernel, launch = compiled(tmp_path, "dim3 grid = { 1 }; dim3 block = { 1024 }; k(300, 0.5f);",
                              "k(int n, float a) { float x = a;\n#pragma unroll 1\nfor (int i = 0; i < n; i++) "
                              "x = x * a + 1; if (x == 3) asm volatile(\"trap;\"); }")
    found = predict(kernel, launch, load_machine("h200"))
    assert found.stalls["branch_resolving"] > 0.05
    assert found.stalls["dispatch_stall"] > 0


def test_a_guard_that_is_always_false_is_no_register(tmp_path: Path) -> None:
    """Copies to shared memory come with ``@!PT LDS RZ, [RZ]`` on sm_90."""
    kernel, launch = compiled(
        tmp_path, "float y[64] = zeros(); float x[256] = ones(); dim3 grid = { 1 }; dim3 block = { 64 }; k(y, x);",
        "k(float *y, const float *x) { __shared__ float s[256]; asm volatile(\"cp.async.cg.shared.global [%0], [%1], "
        "16;\\ncp.async.wait_all;\" :: \"r\"((unsigned)__cvta_generic_to_shared(s + 4 * threadIdx.x)), "
        "\"l\"(x + 4 * threadIdx.x) : \"memory\"); __syncthreads(); y[threadIdx.x] = s[threadIdx.x]; }")
    assert any(i.predicate == "@!PT" for i in kernel.listing)
    assert predict(kernel, launch, load_machine("h200")).cycles > 0


@pytest.mark.parametrize("machine", ["t4", "a100", "rtx4090", "c2050", "gtx280"])
@pytest.mark.parametrize("name", ["stream", "barriers", "conflicts", "diverging"])
def test_they_do_by_the_rules_of_every_machine(tmp_path: Path, name: str, machine: str) -> None:
    """Also where the hardware tracks registers, and where there is no L2."""
    where = load_machine(machine)
    declaration, body = KERNELS[name]
    block = "512" if where.capability < (2, 0) else "1024"
    kernel, launch = compiled(tmp_path, declaration.replace("block = { 1024 }", f"block = {{ {block} }}"), body,
                              where.arch)
    found = predict(kernel, launch, where)
    assert found.by_instruction.sum() == found.warp_clocks > 0
    assert found.by_instruction.min() >= 0
