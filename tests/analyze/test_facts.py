"""Facts from a simulated launch: bytes asked for, in sectors, touched; what DRAM has to move at least."""

from __future__ import annotations

from functools import cache

import pytest

from mutate.limiter.model import Facts
from mutate.machines import load_machine
from mutate.occupancy import KernelResources, device_for
from mutate.pipeline.facts import Known, facts_of
from mutate.pipeline.simulate import run_simulation
from mutate.resources import samples_dir
from mutate.results import Request
from mutate.simulated import LaunchCounts, SimulateRequest
from mutate.timing import Gpu, Roofs

GPU = Gpu("test", (9, 0), "1", 132, l2_bytes=0)


@cache
def _counts(sample: str, kernel: str, blocks: int, **settings: str) -> LaunchCounts:
    source = Request(samples_dir() / f"{sample}.cu", kernels=(kernel,), settings=settings)
    (found,) = run_simulation(SimulateRequest(source, blocks=blocks, footprint=True), load_machine("h200")).kernels
    assert found.error is None
    return found.launches[0]


def _facts(counts: LaunchCounts, gpu: Gpu = GPU, l2: str = "cold") -> Facts:
    resources = KernelResources(32, 0, counts.launch.threads)
    return facts_of(Known(counts.launch, resources, device_for((9, 0)), counts, load_machine("h200"), gpu=gpu, l2=l2))


def test_the_bytes_of_a_transpose() -> None:
    """Each of n elements is read and written once; naive stores touch a sector for 4 of its 32 bytes."""
    counts = _counts("transpose", "transpose_naive", 32, width="1024", height="1024")
    facts = _facts(counts)
    n = 4 * 1024 * 1024
    assert facts.requested_bytes == pytest.approx(2 * n)
    assert facts.sector_bytes == pytest.approx(n + 8 * n)
    assert facts.footprint_bytes == pytest.approx(2 * n)
    assert facts.store_efficiency == pytest.approx(12.5) and facts.load_efficiency == pytest.approx(100)


def test_what_fits_into_l2_need_not_go_to_dram() -> None:
    counts = _counts("transpose", "transpose_naive", 32, width="1024", height="1024")
    n = 4 * 1024 * 1024
    big = Gpu("test", (9, 0), "1", 132, l2_bytes=64 << 20)
    small = Gpu("test", (9, 0), "1", 132, l2_bytes=1 << 20)
    assert _facts(counts, big).floor_bytes == pytest.approx(n)
    assert _facts(counts, small).floor_bytes == pytest.approx(2 * n - (1 << 20))
    assert _facts(counts, big, "warm").floor_bytes == 0
    assert _facts(counts, small, "warm").floor_bytes == pytest.approx(2 * n - (1 << 20))


def test_an_array_that_all_blocks_read_is_touched_once() -> None:
    """nbody: every block reads all bodies; a sample of 4 of 128 blocks must not count them 32 times over."""
    counts = _counts("nbody", "nbody", 2, n="4096")
    body = next(t for t in counts.touched if t.read)
    assert body.read == body.sectors
    facts = _facts(counts)
    assert facts.footprint_bytes is not None
    assert facts.footprint_bytes <= 32 * sum(2 * t.sectors for t in counts.touched)


def test_flops_of_a_tiled_matmul() -> None:
    """Two a multiply-add, n³ of them."""
    counts = _counts("matmul", "matmul_tiled", 4, n="256")
    assert _facts(counts).fp32_flops == pytest.approx(2 * 256**3)


def test_each_fact_names_its_source() -> None:
    facts = _facts(_counts("transpose", "transpose_naive", 32, width="1024", height="1024"))
    assert facts.sources["moved_bytes"] == "simulated"
    assert facts.sources["peak_gbs"] == "machine file"
    assert facts.sources["sm_count"] == "measured"


def test_copy_bandwidth_with_as_many_warps() -> None:
    counts = _counts("transpose", "transpose_naive", 32, width="1024", height="1024")
    roofs = Roofs(GPU, 4000, 4500, 4300, 60000, 3, 2, {16: 1000.0, 32: 2000.0, 64: 4000.0})
    device = device_for((9, 0))
    few = facts_of(Known(counts.launch, KernelResources(255, 0, 256), device, counts, roofs=roofs))
    assert few.resident_blocks == 1 and few.copy_gbs_here == pytest.approx(500.0)
    half = facts_of(Known(counts.launch, KernelResources(32, 49152, 256), device, counts, roofs=roofs))
    assert half.copy_gbs_here == pytest.approx(2000.0)


def test_without_counts_counters_stay_unknown() -> None:
    counts = _counts("transpose", "transpose_naive", 32, width="1024", height="1024")
    facts = facts_of(Known(counts.launch, machine=load_machine("h200")))
    assert facts.requested_bytes is None and facts.resident_blocks is None
    assert facts.grid_blocks == counts.grid_blocks


@pytest.mark.parametrize("name", ["h200", "a100", "c2050"])
def test_littles_law(name: str) -> None:
    """latency × bandwidth / SMs; unknown where the machine's latency is."""
    machine = load_machine(name)
    counts = _counts("transpose", "transpose_naive", 32, width="1024", height="1024")
    facts = facts_of(Known(counts.launch, machine=machine))
    if machine.get("latency.dram") is None:
        assert facts.bytes_in_flight_needed is None
    else:
        seconds = machine.number("latency.dram") / (machine.number("clock.boost") * 1e6)
        assert facts.bytes_in_flight_needed == pytest.approx(
            seconds * machine.number("dram.peak_bandwidth") * 1e9 / machine.number("sm.count"))


