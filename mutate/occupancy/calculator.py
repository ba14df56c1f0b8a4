"""Resident blocks per SM, by the rules of NVIDIA's occupancy calculator (``cuda_occupancy.h``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from mutate.errors import KmutateError
from mutate.occupancy.devices import Device

WARP = 32
UNLIMITED = 1 << 30
_LIMITERS = ("threads", "blocks", "barriers", "shared_memory", "registers")


@dataclass(frozen=True)
class KernelResources:
    """What one block takes. Shared memory in bytes, without the block's share that the driver reserves.

    ``static_smem`` is what ``cudaFuncAttributes.sharedSizeBytes`` and ``ptxas -v`` say. The ELF section
    ``.nv.shared.<kernel>`` is larger than that by the driver's reserve on 9.0 and later.
    Raises ``KmutateError`` (``bad-resources``) for values that no kernel can have.
    """

    registers: int
    static_smem: int
    threads_per_block: int
    dynamic_smem: int = 0
    barriers: int = 1

    def __post_init__(self) -> None:
        for name in ("registers", "static_smem", "dynamic_smem", "barriers"):
            if getattr(self, name) < 0:
                raise KmutateError("bad-resources", f"a kernel cannot have {name} = {getattr(self, name)}")
        if self.threads_per_block < 1:
            raise KmutateError("bad-resources", f"a block cannot have {self.threads_per_block} threads")

    @property
    def shared(self) -> int:
        return self.static_smem + self.dynamic_smem

    def with_pad(self, pad: int) -> KernelResources:
        """The same kernel launched with ``pad`` more bytes of dynamic shared memory."""
        return replace(self, dynamic_smem=self.dynamic_smem + pad)


@dataclass(frozen=True)
class Occupancy:
    """Blocks that are resident on one SM at a time, and why not more.

    ``limiter`` is one of ``threads``, ``blocks``, ``barriers``, ``shared_memory``, ``registers``; where several
    allow the same number it is the first of them in this order, because the hardware's own maxima cannot be
    raised by changing the kernel. ``limits`` has the blocks that each allows alone (absent: no limit).
    ``fraction`` is resident warps over the SM's maximum. ``capacity`` is the shared memory of the SM in bytes.
    """

    blocks_per_sm: int
    warps_per_sm: int
    limiter: str
    fraction: float
    limits: Mapping[str, int]
    capacity: int


def resident_blocks(resources: KernelResources, device: Device, carveout_kb: int | None = None) -> Occupancy:
    """Resident blocks per SM with the shared memory configuration ``carveout_kb`` (rounded up to one there is).

    A configuration too small for one block is raised to the smallest that holds it, as the driver does.
    ``None`` stands for the driver's own choice. It takes the smallest configuration that costs no resident block
    (``default_carveout``), so the number of blocks is that of the largest one, which is what is computed here.
    """
    capacity = effective_capacity(resources, device, carveout_kb)
    block = shared_allocation(resources.shared, device)
    fits = block <= device.shared_per_block_opt_in + device.shared_reserved_per_block
    found = {
        "threads": _by_threads(resources, device),
        "blocks": device.blocks_per_sm,
        "barriers": _by_barriers(resources, device),
        "shared_memory": (capacity // block if block else UNLIMITED) if fits else 0,
        "registers": _by_registers(resources, device),
    }
    blocks = min(found.values())
    warps = blocks * warps_of(resources)
    return Occupancy(
        blocks_per_sm=blocks,
        warps_per_sm=warps,
        limiter=next(name for name in _LIMITERS if found[name] == blocks),
        fraction=warps / device.warps_per_sm,
        limits=MappingProxyType({name: limit for name, limit in found.items() if limit < UNLIMITED}),
        capacity=capacity,
    )


def default_carveout(resources: KernelResources, device: Device) -> int:
    """KB of shared memory that the driver configures when a kernel states no preference.

    It is the smallest configuration that costs no resident block; for a kernel without shared memory on 9.0 a larger
    one (``unshared_least``). Measured on an H200 (driver 580): resident blocks of 0 to 200,000 bytes and 1 to 1024
    threads agree. Where a kernel has shared memory, and blocks of 96 to 768 threads, the driver chooses twice as much,
    up to 132 KB (tests/occupancy/h200_carveouts.csv): kmutate asks for less, for the original as for its variants.
    On 2.x it is the 48 KB configuration, whatever the kernel uses (CUDA C Programming Guide 4.2).
    """
    if device.carveout_control != "percent":
        return device.carveouts[-1]
    most = resident_blocks(resources, device).blocks_per_sm
    need = max(max(1, most) * shared_allocation(resources.shared, device), unshared_least(resources, device))
    return next((kb for kb in device.carveouts if need <= kb * 1024), device.carveouts[-1])


def unshared_least(resources: KernelResources, device: Device) -> int:
    """Bytes of carve-out below which the driver does not go for a kernel without shared memory; 0 for others.

    As many blocks as threads allow count, whatever their registers (tests/occupancy/h200_carveouts.csv).
    """
    if resources.shared or device.unshared_per_block is None or device.unshared is None:
        return 0
    blocks = min(_by_threads(resources, device), device.blocks_per_sm)
    return min(blocks * device.unshared_per_block, device.unshared) * 1024


def shared_allocation(shared: int, device: Device) -> int:
    """Bytes that a block with ``shared`` bytes of its own occupies: the driver's reserve added, rounded up."""
    return _round_up(shared + device.shared_reserved_per_block, device.shared_unit)


def effective_capacity(resources: KernelResources, device: Device, carveout_kb: float | None) -> int:
    """Shared memory of the SM in bytes once the configuration is raised to hold one block."""
    capacity = device.capacity(carveout_kb)
    block = shared_allocation(resources.shared, device)
    if block <= capacity:
        return capacity
    return next((kb * 1024 for kb in device.carveouts if block <= kb * 1024), device.carveouts[-1] * 1024)


def warps_of(resources: KernelResources) -> int:
    return -(-resources.threads_per_block // WARP)


def _by_threads(resources: KernelResources, device: Device) -> int:
    if resources.threads_per_block > device.threads_per_block:
        return 0
    return device.warps_per_sm // _allocated_warps(resources, device)


def _allocated_warps(resources: KernelResources, device: Device) -> int:
    """1.x allocates warps in pairs; later GPUs round only in the register check of a launch."""
    warps = warps_of(resources)
    return _round_up(warps, device.warp_granularity) if device.register_granularity == "block" else warps


def _by_barriers(resources: KernelResources, device: Device) -> int:
    if device.barriers_per_sm is None or not resources.barriers:
        return UNLIMITED
    return device.barriers_per_sm // resources.barriers


def _by_registers(resources: KernelResources, device: Device) -> int:
    if resources.registers > device.registers_per_thread:
        return 0
    if not resources.registers:
        return UNLIMITED
    unit = device.register_unit_exceptions.get(resources.registers, device.register_unit)
    if device.register_granularity == "block":
        block = _round_up(resources.registers * WARP * _allocated_warps(resources, device), unit)
        return device.registers_per_sm // block if block <= device.registers_per_block else 0
    warp = _round_up(resources.registers * WARP, unit)
    # The launch check counts a block's warps as if it took a place in every partition of the register file.
    if warp * _round_up(warps_of(resources), device.warp_granularity) > device.registers_per_block:
        return 0
    partition = device.registers_per_sm // device.warp_granularity
    return partition // warp * device.warp_granularity // warps_of(resources)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
