"""Resident blocks against NVIDIA's calculator (cuda_occupancy.h), published statements, and measurements."""

from __future__ import annotations

import csv
import ctypes
import importlib.util
import random
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from mutate.errors import KmutateError
from mutate.occupancy import (
    Device,
    KernelResources,
    capability_of,
    default_carveout,
    device_for,
    documented_carveout,
    driver_carveout,
    known_capabilities,
    percent_for,
    resident_blocks,
)

HERE = Path(__file__).parent
LIMITER_BITS = {"threads": 0x01, "registers": 0x02, "shared_memory": 0x04, "blocks": 0x08, "barriers": 0x10}
MODERN = [capability for capability in known_capabilities() if capability >= (7, 5)]

SHIM = r"""
#include "cuda_occupancy.h"
int occupancy(const int *device, const int *kernel, int percent, int *out)
{
    cudaOccDeviceProp p = {0};
    cudaOccFuncAttributes a = {0};
    cudaOccDeviceState s = {0};
    cudaOccResult r = {0};
    p.computeMajor = device[0]; p.computeMinor = device[1];
    p.maxThreadsPerBlock = device[2]; p.maxThreadsPerMultiprocessor = device[3];
    p.regsPerBlock = device[4]; p.regsPerMultiprocessor = device[5];
    p.sharedMemPerBlock = device[6]; p.sharedMemPerMultiprocessor = device[7];
    p.sharedMemPerBlockOptin = device[8]; p.reservedSharedMemPerBlock = device[9];
    p.warpSize = 32; p.numSms = 1;
    a.maxThreadsPerBlock = INT_MAX; a.numRegs = kernel[0]; a.sharedSizeBytes = kernel[1];
    a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN; a.maxDynamicSharedSizeBytes = kernel[3];
    a.numBlockBarriers = kernel[4];
    s.carveoutConfig = percent;
    int error = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &s, kernel[2], kernel[3]);
    out[0] = r.activeBlocksPerMultiprocessor; out[1] = (int)r.limitingFactors;
    return error;
}
"""


def header_folder() -> Path | None:
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "cu13" / "include"
        if (folder / "cuda_occupancy.h").is_file():
            return folder
    return None


@pytest.fixture(scope="session")
def nvidia(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder, compiler = header_folder(), shutil.which("gcc") or shutil.which("cc")
    if folder is None or compiler is None:
        pytest.skip("needs cuda_occupancy.h of the CUDA runtime wheel and a C compiler")
    built = tmp_path_factory.mktemp("occupancy")
    (built / "shim.c").write_text(SHIM)
    subprocess.run([compiler, "-w", "-O1", "-shared", "-fPIC", f"-I{folder}", "-o", "shim.so", "shim.c"],
                   cwd=built, check=True)
    return ctypes.CDLL(str(built / "shim.so"))


def ask(nvidia: ctypes.CDLL, device: Device, kernel: KernelResources, percent: int) -> tuple[int, int]:
    properties = (ctypes.c_int * 10)(
        *device.capability, device.threads_per_block, device.threads_per_sm, device.registers_per_block,
        device.registers_per_sm, device.shared_per_block, device.shared_per_sm, device.shared_per_block_opt_in,
        device.shared_reserved_per_block)
    attributes = (ctypes.c_int * 5)(kernel.registers, kernel.static_smem, kernel.threads_per_block,
                                    kernel.dynamic_smem, kernel.barriers)
    out = (ctypes.c_int * 2)()
    assert nvidia.occupancy(properties, attributes, percent, out) == 0
    return out[0], out[1]


def kernels(device: Device, count: int, seed: int) -> list[KernelResources]:
    """Random kernels, every other one near a boundary of an allocation unit or of what a block may have."""
    rng = random.Random(f"{device.name}/{seed}")
    found = []
    for _ in range(count):
        threads = rng.choice([rng.randint(1, 1100), 32 * rng.randint(1, 32), rng.choice([31, 33, 1023, 1024, 1025])])
        static = rng.choice([0, rng.randint(0, 49152), 128 * rng.randint(0, 384), rng.randint(0, 2000)])
        room = device.shared_per_block_opt_in + 2000 - static
        dynamic = rng.choice([0, rng.randint(0, max(0, room)), 128 * rng.randint(0, max(0, room) // 128),
                              max(0, rng.randint(0, max(0, room)) // 1024 * 1024 + rng.randint(-2, 2))])
        barriers = rng.choice([0, 1, 1, 1, rng.randint(1, 16)])
        found.append(KernelResources(rng.randint(0, 255), static, threads, dynamic, barriers))
    return found


@pytest.mark.parametrize("capability", MODERN, ids=lambda c: f"sm_{c[0]}{c[1]}")
def test_blocks_and_limiter_equal_nvidias_calculator(nvidia: ctypes.CDLL, capability: tuple[int, int]) -> None:
    device = device_for(capability)
    rng = random.Random(device.name)
    seen = set()
    for kernel in kernels(device, 4000, 1):
        percent = rng.choice([-1, rng.randint(0, 100)])
        blocks, factors = ask(nvidia, device, kernel, percent)
        found = resident_blocks(kernel, device, documented_carveout(kernel, device, percent))
        assert found.blocks_per_sm == blocks, (kernel, percent)
        assert LIMITER_BITS[found.limiter] & factors, (kernel, percent, found)
        assert found.fraction == blocks * -(-kernel.threads_per_block // 32) / device.warps_per_sm
        seen.add(found.limiter)
    assert {"threads", "registers", "shared_memory"} <= seen


@pytest.mark.parametrize("capability", MODERN, ids=lambda c: f"sm_{c[0]}{c[1]}")
def test_every_register_count_and_configuration(nvidia: ctypes.CDLL, capability: tuple[int, int]) -> None:
    device = device_for(capability)
    for registers in range(256):
        for threads in (32, 96, 128, 160, 256, 384, 512, 768, 1024):
            kernel = KernelResources(registers, 0, threads)
            assert resident_blocks(kernel, device).blocks_per_sm == ask(nvidia, device, kernel, -1)[0], kernel
    for percent in range(-1, 101):
        for own in range(0, 49152, 3072 + 40):
            kernel = KernelResources(32, own, 32)
            got = resident_blocks(kernel, device, documented_carveout(kernel, device, percent)).blocks_per_sm
            assert got == ask(nvidia, device, kernel, percent)[0], (kernel, percent)


# Fermi (2.0). The statements are those of NVIDIA's GPU Technology Conference slides on analysis-driven optimization
# and on local memory and register spilling, all about a Tesla C2050.
@pytest.mark.parametrize(("registers", "threads", "blocks"), [
    (24, 512, 2),   # "1024 concurrent threads per SM due to register count (24 per thread)"
    (32, 512, 2),   # "32 registers per thread: up to 1024 threads per SM"
    (32, 128, 8),
    (42, 512, 1),   # "42 registers: up to 768 threads per SM; a single 512-thread block"
    (42, 256, 3),   # "three 256-thread blocks per SM"
    (20, 256, 6),   # CUDA C Programming Guide 4.2: 48 warps at most; 20 registers are the most that allow them
    (21, 256, 5),   # 672 registers a warp, allocated as 768 (cuda_occupancy.h of CUDA 7.0): 21 warps a half, 5 blocks
    (46, 256, 2),   # 1472 allocated as 1536: 20 warps, where units of 64 would allow 22
    (64, 32, 0),    # 63 registers a thread at most
    (63, 1024, 0),  # 2016 x 32 warps exceed the 32768 registers of a block
    (16, 1025, 0),
])
def test_fermi(registers: int, threads: int, blocks: int) -> None:
    assert resident_blocks(KernelResources(registers, 0, threads), device_for((2, 0))).blocks_per_sm == blocks


def test_fermi_shared_memory_in_both_configurations() -> None:
    fermi = device_for((2, 0))
    tile = KernelResources(20, 6912, 128)  # 6,912 bytes: the seeds' fd3d, 54 units of 128
    assert resident_blocks(tile, fermi).limits["shared_memory"] == 7
    assert resident_blocks(tile, fermi, 16).limits["shared_memory"] == 2
    # More than 16 KB in a block: the 48 KB configuration is taken although 16 KB was preferred.
    assert resident_blocks(replace(tile, static_smem=16385), fermi, 16).limits["shared_memory"] == 2


# 1.3, a GTX 280.
@pytest.mark.parametrize(("registers", "static_smem", "threads", "blocks"), [
    (16, 0, 512, 2),     # CUDA Programming Guide 2.x to 4.x: "two blocks (i.e. 32 warps)", 2 x 512 x 16 registers;
    (17, 0, 512, 1),     # "as soon as the kernel uses one more register, only one block (16 warps)"
    (10, 0, 96, 8),      # 3 warps are allocated as 4: 1280 -> 1536 registers, 10 blocks; 8 is the maximum
    (22, 0, 96, 5),      # 4 x 32 x 22 = 2816 -> 3072 registers: 5 blocks, where 3 warps would allow 7
    (8, 4096, 64, 4),
    (8, 4097, 64, 3),    # rounded up to 4608
    (124, 0, 128, 1),
    (125, 0, 64, 0),
    (8, 0, 513, 0),
])
def test_gt200(registers: int, static_smem: int, threads: int, blocks: int) -> None:
    kernel = KernelResources(registers, static_smem, threads)
    assert resident_blocks(kernel, device_for((1, 3))).blocks_per_sm == blocks


def test_block_granularity_gives_the_best_practices_guides_example() -> None:
    # CUDA C Best Practices Guide 3.2 to 5.0 for compute capability 1.0: 12 registers a thread are 83 % occupancy with
    # 128-thread blocks (5 of them) and 66 % with 256-thread blocks (2).
    g80 = replace(device_for((1, 3)), capability=(1, 0), threads_per_sm=768, warps_per_sm=24, registers_per_sm=8192,
                  registers_per_block=8192, register_unit=256)
    small = resident_blocks(KernelResources(12, 0, 128), g80)
    large = resident_blocks(KernelResources(12, 0, 256), g80)
    assert (small.blocks_per_sm, int(100 * small.fraction)) == (5, 83)
    assert (large.blocks_per_sm, int(100 * large.fraction)) == (2, 66)


def measured() -> list[tuple[KernelResources, int, int, int]]:
    with (HERE / "h200_resident_blocks.csv").open(newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [(KernelResources(int(row["registers"]), int(row["static_smem"]), int(row["threads"]),
                                 int(row["dynamic_smem"])),
                 int(row["carveout_percent"]), int(row["occupancy_api"]), int(row["resident"])) for row in rows]


def test_measured_resident_blocks_of_an_h200() -> None:
    hopper = device_for((9, 0))
    rows = measured()
    assert len(rows) == 640
    for kernel, percent, api, resident in rows:
        documented = documented_carveout(kernel, hopper, percent)
        assert resident_blocks(kernel, hopper, documented).blocks_per_sm == api, (kernel, percent)
        driver = driver_carveout(kernel, hopper, percent)
        assert resident_blocks(kernel, hopper, driver).blocks_per_sm == resident, (kernel, percent)


def test_device_properties_that_an_h200_reports() -> None:
    hopper = device_for((9, 0))  # cudaGetDeviceProperties, driver 580
    assert (hopper.shared_per_sm, hopper.shared_per_block_opt_in, hopper.shared_reserved_per_block) == (
        233472, 232448, 1024)
    assert (hopper.registers_per_sm, hopper.registers_per_block) == (65536, 65536)
    assert (hopper.threads_per_sm, hopper.blocks_per_sm) == (2048, 32)


# L1 seen by a pointer chase on the H200 (KB that hit): 256 KB less the carve-out, less 4 to 12 KB.
@pytest.mark.parametrize(("threads", "dynamic", "percent", "l1_seen"), [
    (1, 0, -1, 220), (1, 512, -1, 188), (1, 4096, -1, 88), (1, 8192, -1, 24), (1, 65536, -1, 56),
    (1024, 0, -1, 244), (1024, 4096, -1, 236), (1024, 16384, -1, 188), (1024, 65536, -1, 120),
    (32, 2000, 30, 124), (32, 2000, 45, 92), (32, 2000, 59, 24), (32, 7168, 43, 124), (32, 40000, 43, 156),
    (32, 0, 9, 220), (1024, 0, 0, 244), (32, 40000, 0, 188),
])
def test_carveout_leaves_the_l1_that_was_measured(threads: int, dynamic: int, percent: int, l1_seen: int) -> None:
    hopper = device_for((9, 0))
    l1_kb = hopper.l1_kb(driver_carveout(KernelResources(16, 0, threads, dynamic), hopper, percent))
    assert l1_kb is not None
    assert 0 <= l1_kb - l1_seen <= 12


def test_carveouts_that_an_h200_was_seen_to_have() -> None:
    hopper = device_for((9, 0))
    with (Path(__file__).parent / "h200_carveouts.csv").open() as file:
        rows = [{k: int(v) for k, v in row.items()}
                for row in csv.DictReader(line for line in file if not line.startswith("#"))]
    assert len(rows) == 392
    for row in rows:
        kernel = KernelResources(row["registers"], 0, row["threads"], row["dynamic_smem"])
        kb = driver_carveout(kernel, hopper, row["carveout_percent"])
        if not row["dynamic_smem"] or row["carveout_percent"] >= 0 or row["threads"] == 1024:
            assert kb == row["carveout_kb"], row
        else:
            # The driver takes up to twice as much, which costs no block either.
            assert kb <= row["carveout_kb"] <= max(kb, next(c for c in hopper.carveouts if c >= min(132, 2 * kb))), row


@pytest.mark.parametrize("capability", known_capabilities(), ids=lambda c: f"sm_{c[0]}{c[1]}")
def test_default_carveout_costs_no_block_and_is_the_smallest(capability: tuple[int, int]) -> None:
    device = device_for(capability)
    for kernel in kernels(device, 400, 2):
        best = resident_blocks(kernel, device).blocks_per_sm
        if not best:
            continue
        kb = default_carveout(kernel, device)
        assert resident_blocks(kernel, device, kb).blocks_per_sm == best
        smaller = [other for other in device.carveouts if other < kb]
        if device.unshared and not kernel.shared:
            assert kb <= device.unshared
        elif smaller and device.carveout_control == "percent":
            capacity = smaller[-1] * 1024  # without raising it for a single block
            needed = best * -(-(kernel.shared + device.shared_reserved_per_block) // device.shared_unit)
            assert needed * device.shared_unit > capacity


@pytest.mark.parametrize("capability", MODERN, ids=lambda c: f"sm_{c[0]}{c[1]}")
def test_percent_leads_to_the_configuration(capability: tuple[int, int]) -> None:
    device = device_for(capability)
    reached = 0
    for kernel in kernels(device, 150, 3):
        if not resident_blocks(kernel, device).blocks_per_sm:
            continue
        for kb in device.carveouts:
            percent = percent_for(kernel, device, kb)
            every = {p for p in range(-1, 101) if driver_carveout(kernel, device, p) == kb}
            assert (percent is None) == (not every)
            if percent is not None:
                reached += 1
                assert percent in every
                both = {p for p in every if p >= 0 and documented_carveout(kernel, device, p) == kb}
                assert percent in both or not both
    assert reached > 100


@pytest.mark.parametrize(("arch", "capability"), [
    ("sm_90a", (9, 0)), ("sm_75", (7, 5)), ("compute_120f", (12, 0)), ("sm_103a", (10, 3)), ("lto_86", (8, 6)),
    ("compute_20", (2, 0)), (" sm_121 ", (12, 1)),
])
def test_capability_of(arch: str, capability: tuple[int, int]) -> None:
    assert capability_of(arch) == capability


@pytest.mark.parametrize("arch", ["native", "all", "sm_9", "sm90", "90", "sm_90b", "", "sm_9000"])
def test_capability_of_refuses(arch: str) -> None:
    with pytest.raises(KmutateError) as error:
        capability_of(arch)
    assert error.value.slug == "unknown-arch"
    assert "sm_90" in str(error.value)


def test_unknown_device_lists_the_known() -> None:
    with pytest.raises(KmutateError) as error:
        device_for((6, 1))
    assert error.value.slug == "unknown-device"
    assert "7.5" in str(error.value)


def test_carveout_above_the_largest_is_refused() -> None:
    with pytest.raises(KmutateError) as error:
        resident_blocks(KernelResources(32, 0, 128), device_for((7, 5)), 65)
    assert error.value.slug == "carveout-too-large"
    assert "32, 64" in str(error.value)


@pytest.mark.parametrize("values", [(-1, 0, 32, 0), (1, -1, 32, 0), (1, 0, 0, 0), (1, 0, 32, -4)])
def test_impossible_kernels_are_refused(values: tuple[int, int, int, int]) -> None:
    with pytest.raises(KmutateError) as error:
        KernelResources(*values)
    assert error.value.slug == "bad-resources"


@pytest.mark.parametrize("capability", known_capabilities(), ids=lambda c: f"sm_{c[0]}{c[1]}")
def test_data_is_consistent_and_every_value_has_a_source(capability: tuple[int, int]) -> None:
    device = device_for(capability)
    assert device.capability == capability
    assert device.gpus
    assert device.threads_per_sm == 32 * device.warps_per_sm
    assert device.shared_per_sm == device.carveouts[-1] * 1024
    assert list(device.carveouts) == sorted(device.carveouts)
    assert device.shared_per_block <= device.shared_per_block_opt_in
    assert device.shared_per_block_opt_in + device.shared_reserved_per_block <= device.shared_per_sm
    assert device.registers_per_sm % device.warp_granularity == 0
    numbers = {name for name, value in vars(device).items() if isinstance(value, int) and value is not None}
    assert numbers <= set(device.sources)
    assert all("CUDA" in source for source in device.sources.values())
