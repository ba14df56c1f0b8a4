"""Gives every variant the original's resident blocks: one carve-out for all, extra shared memory, register caps.

A variant that needs fewer registers would run with more blocks than the original, and its time would say nothing.
Extra shared memory takes the additional blocks away. From Volta on it also takes L1, since both are parts of one
cache and the driver sizes the shared part by what a kernel uses; hence one carve-out is pinned for all kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from mutate.occupancy.calculator import (
    UNLIMITED,
    KernelResources,
    Occupancy,
    default_carveout,
    resident_blocks,
    shared_allocation,
)
from mutate.occupancy.carveout import DEFAULT_PERCENT, percent_for
from mutate.occupancy.devices import Device

PadMode = Literal["launch", "static"]


@dataclass(frozen=True)
class Reason:
    """A stable slug and a sentence for the certificate."""

    slug: str
    text: str


@dataclass(frozen=True)
class KernelPadding:
    """How one kernel is to be launched.

    ``natural`` is what the kernel would have by itself, ``padded`` what it has under the plan. ``pad`` is in bytes:
    more dynamic shared memory at launch, or the size of the static array with ``--pad static``; ``dynamic_smem`` is
    the launch's total. ``register_cap`` is the largest ``--maxrregcount`` that restores the original's blocks; pad
    and ``padded`` are for a kernel with as many registers, so compile with the cap and plan again. ``needs_opt_in``:
    the launch needs ``cudaFuncAttributeMaxDynamicSharedMemorySize`` = ``dynamic_smem``. ``carveout_percent`` is this
    kernel's ``cudaFuncAttributePreferredSharedMemoryCarveout`` for ``carveout_kb`` (-1: the driver's own choice;
    ``None``: the device takes no percentage). ``l1_kb`` is the L1 that the carve-out leaves. ``pad_share`` is the
    part of what L1 gives up to shared memory that the padding of all resident blocks fills, 0 to 1. ``reasons`` is
    empty when the kernel runs under the original's conditions.
    """

    natural: Occupancy
    padded: Occupancy
    pad: int
    dynamic_smem: int
    register_cap: int | None
    needs_opt_in: bool
    carveout_kb: int
    carveout_percent: int | None
    l1_kb: int | None
    pad_share: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class PaddingPlan:
    """The launches of the original and of every variant.

    ``carveout_kb`` is the common carve-out; ``None`` with ``static``, where the user's program leaves it to the driver.
    """

    mode: PadMode
    carveout_kb: int | None
    original: KernelPadding
    variants: Mapping[str, KernelPadding]

    @property
    def unequal(self) -> tuple[str, ...]:
        """Names of the variants that cannot be given the original's resident blocks."""
        return tuple(name for name, launch in self.variants.items()
                     if any(reason.slug == "occupancy-differs" for reason in launch.reasons))


def plan_padding(original: KernelResources, variants: Mapping[str, KernelResources], device: Device,
                 mode: PadMode = "launch") -> PaddingPlan:
    """The launch of the original and of every variant with equal numbers of resident blocks.

    ``launch``: the carve-out is the smallest that keeps the original's resident blocks (which is what the driver
    takes by default, so the original runs as it does in the user's program) and makes every variant equal; where
    no carve-out makes all equal, the one that leaves the fewest unequal. ``static``: the padding has to work in the
    user's program, where nobody pins a carve-out, so every kernel is planned with the driver's default, and L1 of
    another size than the original's is a reason (``l1-size-differs``).

    A variant that cannot be made equal has the reason ``occupancy-differs``. If the original itself does not fit on
    an SM, every kernel has the reason ``original-not-resident``.
    """
    planner = _Planner(device, original, resident_blocks(original, device).blocks_per_sm)
    if not planner.blocks:
        return planner.not_resident(variants, mode)
    return planner.static_plan(variants) if mode == "static" else planner.launch_plan(variants)


def static_pad_statement(pad: int, name: str = "kmutate_pad") -> str:
    """A statement for the start of a kernel's body that adds ``pad`` bytes of static shared memory.

    The compiler drops a C++ array that nothing uses, and using one costs instructions. A PTX declaration is kept and
    changes no instruction (a test checks it). The braces keep its name local: a body instantiated or inlined several
    times still assembles.
    """
    return f'asm volatile("{{ .shared .align 16 .b8 {name}[{pad}]; }}");'


@dataclass(frozen=True)
class _Planner:
    device: Device
    original: KernelResources
    blocks: int

    def launch_plan(self, variants: Mapping[str, KernelResources]) -> PaddingPlan:
        smallest = default_carveout(self.original, self.device)
        best = self.pinned(variants, smallest)
        for kb in self.device.carveouts:
            if not best.unequal:
                break
            if kb > smallest and (not self.takes_percent or self.percent(self.original, kb) is not None):
                plan = self.pinned(variants, kb)
                best = plan if len(plan.unequal) < len(best.unequal) else best
        return best

    def pinned(self, variants: Mapping[str, KernelResources], kb: int) -> PaddingPlan:
        launches = {name: self.at_carveout(name, variant, kb) for name, variant in variants.items()}
        return PaddingPlan("launch", kb, self.launch(self.original, kb), MappingProxyType(launches))

    def at_carveout(self, name: str, variant: KernelResources, kb: int) -> KernelPadding:
        """The variant's launch at one carve-out; with a reason when it cannot have the original's blocks there."""
        used, cap = self.capped(variant, kb)
        if resident_blocks(used, self.device, kb).blocks_per_sm < self.blocks:
            return self.too_few(name, variant)
        pad = self.least_pad(used, kb, self.device.shared_per_block_opt_in)
        if pad is None:
            return self.unequal(name, variant, kb, f"no shared memory size of a block brings it to {self.blocks}")
        if self.takes_percent and self.percent(used.with_pad(pad), kb) is None:
            return self.unequal(name, variant, kb, f"the driver cannot be made to configure {kb} KB for it")
        return self.launch(variant, kb, used=used, pad=pad, cap=cap)

    def capped(self, kernel: KernelResources, kb: int) -> tuple[KernelResources, int | None]:
        """The kernel with the largest register count that restores the original's blocks, and that count.

        The kernel as it is and ``None`` where it has enough blocks or where registers are not what it lacks.
        """
        limits = resident_blocks(kernel, self.device, kb).limits
        others = min(limit for name, limit in limits.items() if name != "registers")
        if limits.get("registers", UNLIMITED) >= self.blocks or others < self.blocks:
            return kernel, None
        for registers in range(min(kernel.registers - 1, self.device.registers_per_thread), 0, -1):
            capped = replace(kernel, registers=registers)
            if resident_blocks(capped, self.device, kb).blocks_per_sm >= self.blocks:
                return capped, registers
        return kernel, None

    def least_pad(self, kernel: KernelResources, kb: int, limit: int) -> int | None:
        """Fewest bytes that leave exactly the original's blocks at a carve-out, or ``None`` if no number does.

        A padded block fills whole allocation units. ``limit`` bounds its own shared memory in bytes.
        """
        device, capacity = self.device, kb * 1024
        now = shared_allocation(kernel.shared, device)
        # A block above the carve-out makes the driver configure more than was asked for.
        if now <= capacity and resident_blocks(kernel, device, kb).blocks_per_sm == self.blocks:
            return 0
        unit = device.shared_unit
        block = capacity // (self.blocks + 1) // unit * unit + unit
        own = block - device.shared_reserved_per_block
        if block < now or capacity // block != self.blocks or not kernel.shared <= own <= limit:
            return None
        return own - kernel.shared

    def static_plan(self, variants: Mapping[str, KernelResources]) -> PaddingPlan:
        first = self.launch(self.original, default_carveout(self.original, self.device), percent=self.no_preference)
        launches = {name: self.static(name, variant, first.l1_kb) for name, variant in variants.items()}
        return PaddingPlan("static", None, first, MappingProxyType(launches))

    def static(self, name: str, variant: KernelResources, l1_kb: int | None) -> KernelPadding:
        device, largest = self.device, self.device.carveouts[-1]
        used, cap = self.capped(variant, largest)
        if resident_blocks(used, device).blocks_per_sm < self.blocks:
            return self.too_few(name, variant)
        # The user's program opts in to more than the usual 48 KB a block only if the original needs that already.
        opted_in = self.original.shared > device.shared_per_block
        pad = self.least_pad(used, largest, device.shared_per_block_opt_in if opted_in else device.shared_per_block)
        if pad is None or used.static_smem + pad > device.shared_per_block:
            why = (f"within {device.shared_per_block // 1024} KB a static array cannot bring it to {self.blocks}; "
                   "padding at launch (--pad launch) may")
            return self.unequal(name, variant, default_carveout(variant, device), why)
        kb = default_carveout(used.with_pad(pad), device)
        launch = self.launch(variant, kb, used=used, pad=pad, cap=cap, percent=self.no_preference)
        reasons: tuple[Reason, ...] = ()
        if launch.l1_kb != l1_kb:
            text = (f"{name} has {launch.l1_kb} KB of L1 per SM, the original has {l1_kb}: with a static pad the "
                    "driver chooses the carve-out")
            reasons = (Reason("l1-size-differs", text),)
        return replace(launch, dynamic_smem=variant.dynamic_smem, reasons=reasons)

    def too_few(self, name: str, variant: KernelResources) -> KernelPadding:
        """The variant with as many blocks as it can have, which is with its own carve-out, not the common one."""
        limiter = resident_blocks(variant, self.device).limiter.replace("_", " ")
        return self.unequal(name, variant, default_carveout(variant, self.device),
                            f"its {limiter} cannot be lowered to make room for more")

    def unequal(self, name: str, variant: KernelResources, kb: int, why: str) -> KernelPadding:
        launch = self.launch(variant, kb)
        text = (f"{name} has {launch.padded.blocks_per_sm} resident blocks per SM, the original has {self.blocks}: "
                f"{why}")
        return replace(launch, reasons=(Reason("occupancy-differs", text),))

    def not_resident(self, variants: Mapping[str, KernelResources], mode: PadMode) -> PaddingPlan:
        first = resident_blocks(self.original, self.device)
        reason = Reason("original-not-resident",
                        f"no block of the original fits on an SM of {self.device.name}, because of its "
                        f"{first.limiter.replace('_', ' ')}: {self.original.threads_per_block} threads, "
                        f"{self.original.registers} registers a thread, {self.original.shared} bytes of shared memory")
        kb = self.device.carveouts[-1]

        def unpadded(kernel: KernelResources) -> KernelPadding:
            return replace(self.launch(kernel, kb, percent=self.no_preference), reasons=(reason,))

        return PaddingPlan(mode, None if mode == "static" else kb, unpadded(self.original),
                           MappingProxyType({name: unpadded(variant) for name, variant in variants.items()}))

    def launch(self, kernel: KernelResources, kb: int, *, used: KernelResources | None = None, pad: int = 0,
               cap: int | None = None, percent: int | None = None) -> KernelPadding:
        device = self.device
        padded = (used or kernel).with_pad(pad)
        occupancy = resident_blocks(padded, device, kb)
        # On 1.x shared memory is a memory of its own: padding takes nothing from a cache.
        share = pad * occupancy.blocks_per_sm / occupancy.capacity if pad and device.unified_cache else 0.0
        return KernelPadding(
            natural=resident_blocks(kernel, device),
            padded=occupancy,
            pad=pad,
            dynamic_smem=padded.dynamic_smem,
            register_cap=cap,
            needs_opt_in=padded.shared > device.shared_per_block,
            carveout_kb=kb,
            carveout_percent=self.percent(padded, kb) if percent is None else percent,
            l1_kb=device.l1_kb(kb),
            pad_share=share,
        )

    @property
    def takes_percent(self) -> bool:
        return self.device.carveout_control == "percent"

    @property
    def no_preference(self) -> int | None:
        return DEFAULT_PERCENT if self.takes_percent else None

    def percent(self, kernel: KernelResources, kb: int) -> int | None:
        return percent_for(kernel, self.device, kb) if self.takes_percent else None

