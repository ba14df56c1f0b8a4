"""Roofs: the arithmetic from times to figures, what is kept, and which launches stand for so many resident warps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_driver import GPU

from mutate.backends import process
from mutate.backends.libcuda import from_message
from mutate.backends.roofs import WARPS, load_roofs, measure_roofs, save_roofs
from mutate.errors import KmutateError
from mutate.timing import Settings
from mutate.toolchain.cache import Cache
from mutate.toolchain.locate import find_toolchain

pytestmark = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

DRIVER = "fake_driver:FakeDriver"
QUICK = Settings(least_rounds=6, most_rounds=6, budget=5.0)
MEMORY = 1 << 30
BUFFER = MEMORY // 16
GPU_1 = from_message({**GPU, "memory_bytes": MEMORY})
TIMES = {"copy_stride": 0.2, "copy_chunk": 0.1, "read_stride": 0.04, "read_chunk": 0.05, "write_stride": 0.08,
         "write_chunk": 0.09, "multiply_add": 0.5, "copy16_step": 0.25, "copy4_step": 1.0}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("mutate.backends.session._WARM_UP_SECONDS", 0.0)
    yield
    process.close_all()


def options(**kernels: dict[str, object]) -> dict[str, object]:
    return {"kernels": {**{name: {"ms": ms} for name, ms in TIMES.items()}, **kernels},
            "gpu": {"memory_bytes": MEMORY}}


def test_figures_are_bytes_and_operations_by_the_best_time() -> None:
    roofs = measure_roofs(GPU_1, QUICK, driver=DRIVER, options=options())
    assert roofs.copy_gbs == pytest.approx(2 * BUFFER / 0.1e-3 / 1e9)
    assert roofs.read_gbs == pytest.approx(BUFFER / 0.04e-3 / 1e9)
    assert roofs.write_gbs == pytest.approx(BUFFER / 0.08e-3 / 1e9)
    # Blocks of 256 threads, eight on each SM; 2048 rounds of 128 multiply-adds.
    assert roofs.fp32_gflops == pytest.approx(2 * 256 * 8 * GPU_1.sm_count * 2048 * 128 / 0.5e-3 / 1e9)
    assert roofs.launch_overhead_us == pytest.approx(2.0) and roofs.back_to_back_us == pytest.approx(2.0)
    assert set(roofs.copy_by_warps) == set(roofs.copy4_by_warps) == set(WARPS)
    assert roofs.copy_by_warps[64] == pytest.approx(2 * BUFFER / 0.25e-3 / 1e9)
    assert roofs.copy4_by_warps[8] == pytest.approx(2 * BUFFER / 1e-3 / 1e9)
    assert len(roofs.measured) == 10


def test_a_kernel_of_ours_that_fails_is_an_error() -> None:
    with pytest.raises(KmutateError) as error:
        measure_roofs(GPU_1, QUICK, driver=DRIVER, options=options(multiply_add={"what": "refuse"}))
    assert error.value.slug == "roofs-failed" and "multiply_add" in str(error.value)


def test_roofs_are_kept_for_this_gpu_and_driver(tmp_path: Path) -> None:
    store = Cache(tmp_path)
    assert load_roofs(GPU_1, store) is None
    roofs = measure_roofs(GPU_1, QUICK, driver=DRIVER, options=options())
    save_roofs(roofs, store)
    assert load_roofs(GPU_1, store) == roofs
    for other in ({"uuid": "GPU-other"}, {"driver": "2.0"}):
        assert load_roofs(from_message({**GPU, **other}), store) is None


def test_damaged_roofs_are_measured_again(tmp_path: Path) -> None:
    store = Cache(tmp_path)
    roofs = measure_roofs(GPU_1, QUICK, driver=DRIVER, options=options())
    save_roofs(roofs, store)
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name != ".pruned":
            path.write_bytes(path.read_bytes()[:-20])
    assert load_roofs(GPU_1, store) is None


@pytest.mark.parametrize("capability", [[7, 5], [8, 6], [9, 0], [12, 0]])
def test_each_number_of_warps_is_made_by_shared_memory_alone(capability: list[int], tmp_path: Path) -> None:
    from mutate.backends.roofs import _curves
    from mutate.backends.tools import module_kernels
    from mutate.occupancy import KernelResources, device_for, driver_carveout, resident_blocks
    from mutate.toolchain.elf import Cubin

    gpu = from_message({**GPU, "capability": capability})
    device = device_for(gpu.capability)
    cubin = module_kernels("doctor/roofs.cu", ("copy_stride",), gpu.capability).cubin
    found: dict[str, set[int]] = {}
    carveouts = set()
    for curve in _curves(gpu, cubin, 1 << 24):
        threads = curve.plan.launch.threads
        for run in curve.plan.runs:
            resources = KernelResources(Cubin(cubin).kernel(run.entry).registers, 0, threads, run.dynamic_smem)
            assert run.carveout_percent is not None
            kb = driver_carveout(resources, device, run.carveout_percent)
            blocks = resident_blocks(resources, device, kb).blocks_per_sm
            assert blocks * threads // 32 == curve.warps[run.name]
            assert run.grid == (gpu.sm_count * blocks, 1, 1)
            found.setdefault(run.entry, set()).add(curve.warps[run.name])
            carveouts.add(kb)
    wanted = {w for w in WARPS if w <= device.warps_per_sm}
    assert found == {"copy16_step": wanted, "copy4_step": wanted} and len(carveouts) == 1
