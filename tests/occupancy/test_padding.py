"""Padding plans: equal resident blocks or a reason, minimal pads, limits of a block, carve-outs that are reached."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutate.occupancy import (
    Device,
    KernelPadding,
    KernelResources,
    PaddingPlan,
    default_carveout,
    device_for,
    documented_carveout,
    driver_carveout,
    known_capabilities,
    plan_padding,
    resident_blocks,
)

HOPPER, TURING, FERMI, GT200 = (device_for(c) for c in ((9, 0), (7, 5), (2, 0), (1, 3)))
DEVICES = st.sampled_from([device_for(c) for c in known_capabilities()])


@st.composite
def situations(draw: st.DrawFn) -> tuple[KernelResources, dict[str, KernelResources], Device]:
    """An original that fits on an SM, and variants of it as mutations make them: same block, other resources."""
    device = draw(DEVICES)
    threads = draw(st.one_of(st.integers(1, device.threads_per_block), st.sampled_from([32, 64, 128, 256, 512])))
    most = device.shared_per_block_opt_in
    static = st.one_of(st.just(0), st.integers(0, device.shared_per_block), st.integers(0, 4096))
    registers = st.one_of(st.integers(1, device.registers_per_thread), st.integers(8, 64))
    dynamic = draw(st.one_of(st.just(0), st.integers(0, most)))

    def kernel() -> KernelResources:
        return KernelResources(draw(registers), draw(static), threads, dynamic)

    original = kernel()
    return original, {name: kernel() for name in ("a", "b", "c")}, device


def as_launched(kernel: KernelResources, launch: KernelPadding) -> KernelResources:
    return replace(kernel, registers=launch.register_cap or kernel.registers).with_pad(launch.pad)


@settings(max_examples=600, deadline=None)
@given(situations())
def test_launch_plans(situation: tuple[KernelResources, dict[str, KernelResources], Device]) -> None:
    original, variants, device = situation
    plan = plan_padding(original, variants, device)
    blocks = resident_blocks(original, device).blocks_per_sm
    if not blocks:
        assert {r.slug for launch in (plan.original, *plan.variants.values()) for r in launch.reasons} == {
            "original-not-resident"}
        return
    assert plan.carveout_kb is not None
    assert plan.original.pad == 0
    assert plan.original.padded.blocks_per_sm == blocks
    assert plan.original.carveout_kb == plan.carveout_kb >= default_carveout(original, device)
    assert set(plan.variants) == set(variants)
    for name, kernel in variants.items():
        launch = plan.variants[name]
        check_launch(device, plan, kernel, launch, blocks)


def check_launch(device: Device, plan: PaddingPlan, kernel: KernelResources, launch: KernelPadding,
                 blocks: int) -> None:
    used = as_launched(kernel, launch)
    assert launch.natural.blocks_per_sm == resident_blocks(kernel, device).blocks_per_sm
    assert launch.padded == resident_blocks(used, device, launch.carveout_kb)
    assert launch.dynamic_smem == used.dynamic_smem
    assert launch.needs_opt_in == (used.shared > device.shared_per_block)
    assert launch.pad == 0 or used.shared <= device.shared_per_block_opt_in
    if launch.reasons:
        assert [r.slug for r in launch.reasons] == ["occupancy-differs"]
        assert launch.padded.blocks_per_sm != blocks or launch.carveout_percent is None
        assert f"{launch.padded.blocks_per_sm} resident blocks" in launch.reasons[0].text
        assert f"the original has {blocks}" in launch.reasons[0].text
        return
    assert launch.padded.blocks_per_sm == blocks
    assert launch.carveout_kb == plan.carveout_kb
    if device.carveout_control == "percent":
        assert launch.carveout_percent is not None
        assert driver_carveout(used, device, launch.carveout_percent) == plan.carveout_kb
    if launch.pad >= device.shared_unit:
        less = resident_blocks(used.with_pad(-device.shared_unit), device, plan.carveout_kb)
        assert less.blocks_per_sm > blocks
    elif launch.pad:
        fewer = resident_blocks(replace(used, dynamic_smem=used.dynamic_smem - launch.pad), device, plan.carveout_kb)
        assert fewer.blocks_per_sm > blocks
    if launch.register_cap is not None:
        assert launch.register_cap < kernel.registers
        more = resident_blocks(replace(kernel, registers=launch.register_cap + 1), device, plan.carveout_kb)
        assert more.blocks_per_sm < blocks


@settings(max_examples=300, deadline=None)
@given(situations())
def test_a_reason_means_that_no_launch_is_equal(
        situation: tuple[KernelResources, dict[str, KernelResources], Device]) -> None:
    """Brute force over carve-outs, pads and register caps finds no way where the plan found none for one variant."""
    original, variants, device = situation
    blocks = resident_blocks(original, device).blocks_per_sm
    kernel = variants["a"]
    plan = plan_padding(original, {"a": kernel}, device)
    if not blocks or not plan.unequal:
        return
    room = device.shared_per_block_opt_in - kernel.shared
    pads = [0, *range((-kernel.shared) % device.shared_unit, max(0, room) + 1, device.shared_unit)]
    for kb in (kb for kb in device.carveouts if kb >= default_carveout(original, device)):
        if device.carveout_control == "percent" and not any(
                driver_carveout(original, device, p) == kb for p in range(-1, 101)):
            continue
        caps = [r for r in range(1, kernel.registers)
                if resident_blocks(replace(kernel, registers=r), device, kb).blocks_per_sm >= blocks]
        for registers in (kernel.registers, *caps[-1:]):
            for pad in pads:
                used = replace(kernel, registers=registers).with_pad(pad)
                if used.shared + device.shared_reserved_per_block > kb * 1024:
                    break
                if resident_blocks(used, device, kb).blocks_per_sm == blocks:
                    assert device.carveout_control == "percent", (kb, registers, pad)
                    assert all(driver_carveout(used, device, p) != kb for p in range(-1, 101)), (kb, registers, pad)


@settings(max_examples=400, deadline=None)
@given(situations())
def test_static_plans(situation: tuple[KernelResources, dict[str, KernelResources], Device]) -> None:
    original, variants, device = situation
    blocks = resident_blocks(original, device).blocks_per_sm
    plan = plan_padding(original, variants, device, "static")
    if not blocks:
        return
    assert plan.carveout_kb is None
    for name, kernel in variants.items():
        launch = plan.variants[name]
        slugs = {r.slug for r in launch.reasons}
        assert launch.dynamic_smem == kernel.dynamic_smem
        if "occupancy-differs" in slugs:
            assert launch.pad == 0
            continue
        used = as_launched(kernel, launch)
        # In the user's program: the driver's carve-out, no opt-in that the original does not already make.
        assert resident_blocks(used, device).blocks_per_sm == launch.padded.blocks_per_sm == blocks
        if launch.pad:
            assert kernel.static_smem + launch.pad <= device.shared_per_block
            assert used.shared <= device.shared_per_block or original.shared > device.shared_per_block
        same_l1 = device.l1_kb(default_carveout(used, device)) == device.l1_kb(default_carveout(original, device))
        assert ("l1-size-differs" in slugs) == (not same_l1)


def test_fewer_registers_are_paid_for_with_shared_memory() -> None:
    # The shape of the seeds' fd3d on an H200: 40 registers, a 24x24 float tile, 256 threads.
    original = KernelResources(40, 2304, 256)
    plan = plan_padding(original, {"memory-only": KernelResources(30, 2304, 256)}, HOPPER)
    launch = plan.variants["memory-only"]
    assert plan.original.padded.blocks_per_sm == 6
    assert launch.natural.blocks_per_sm == 8
    assert launch.padded.blocks_per_sm == 6
    # 6 x 3,328 bytes need the 32 KB configuration; more than 32768 / 7 bytes a block leave room for 6.
    assert plan.carveout_kb == 32
    assert launch.pad == 4736 - 1024 - 2304
    assert not launch.needs_opt_in
    assert launch.l1_kb == 224
    assert launch.pad_share == pytest.approx(6 * launch.pad / 32768)


def test_more_registers_get_the_largest_cap() -> None:
    plan = plan_padding(KernelResources(40, 0, 256), {"v": KernelResources(50, 0, 256)}, HOPPER)
    assert plan.variants["v"].register_cap == 40
    assert plan.variants["v"].padded.blocks_per_sm == 6
    assert plan.variants["v"].natural.blocks_per_sm == 4


def test_cap_and_pad_together() -> None:
    # 10 warps a block: 33 to 40 registers allow 4 blocks, 32 allow 6. The original's 5 need the cap and a pad.
    original = KernelResources(32, 0, 320, 44 * 1024)
    variant = KernelResources(64, 0, 320)
    assert resident_blocks(original, HOPPER).blocks_per_sm == 5
    launch = plan_padding(original, {"v": variant}, HOPPER).variants["v"]
    assert launch.natural.blocks_per_sm == 3
    assert launch.register_cap == 32
    assert launch.padded.blocks_per_sm == 5
    assert launch.pad > 0


def test_opt_in_is_flagged_above_48_kb() -> None:
    original = KernelResources(255, 0, 256)  # one block by registers
    launch = plan_padding(original, {"v": KernelResources(32, 40000, 256)}, HOPPER).variants["v"]
    assert launch.padded.blocks_per_sm == 1
    assert launch.needs_opt_in == (40000 + launch.pad > 49152)
    big = plan_padding(KernelResources(128, 60000, 512), {"v": KernelResources(32, 60000, 512)}, HOPPER).variants["v"]
    assert big.needs_opt_in


def test_carveout_grows_when_the_smallest_cannot_hold_the_blocks() -> None:
    # 20 blocks by registers. In the 32 KB configuration one allocation unit leads from 21 blocks to 19; in the
    # 64 KB configuration 3,200 bytes a block make 20.
    original = KernelResources(96, 0, 32)
    assert default_carveout(original, HOPPER) == 32
    plan = plan_padding(original, {"v": KernelResources(16, 0, 32)}, HOPPER)
    assert plan.carveout_kb == 64
    assert plan.original.padded.blocks_per_sm == plan.variants["v"].padded.blocks_per_sm == 20
    assert plan.variants["v"].pad == 3200 - 1024


def test_too_much_shared_memory_is_a_reason_that_names_both_numbers() -> None:
    plan = plan_padding(KernelResources(32, 1024, 128), {"v": KernelResources(32, 48000, 128)}, HOPPER)
    launch = plan.variants["v"]
    assert plan.unequal == ("v",)
    text = launch.reasons[0].text
    assert launch.reasons[0].slug == "occupancy-differs"
    assert "v has 4 resident blocks per SM, the original has 16" in text
    assert "shared memory" in text


def test_unequal_kernels_do_not_change_the_others_launches() -> None:
    original = KernelResources(40, 2304, 256)
    good = {"memory-only": KernelResources(30, 2304, 256)}
    alone = plan_padding(original, good, HOPPER)
    both = plan_padding(original, {**good, "hopeless": KernelResources(40, 48000, 256)}, HOPPER)
    assert both.carveout_kb == alone.carveout_kb
    assert both.variants["memory-only"] == alone.variants["memory-only"]


def test_static_pad_over_48_kb_is_a_reason() -> None:
    original = KernelResources(255, 0, 256)
    variants = {"v": KernelResources(32, 1000, 256)}
    static = plan_padding(original, variants, HOPPER, "static").variants["v"]
    assert [r.slug for r in static.reasons] == ["occupancy-differs"]
    assert "--pad launch" in static.reasons[0].text
    assert "48 KB" in static.reasons[0].text
    assert not plan_padding(original, variants, HOPPER).unequal


def test_static_pad_says_that_l1_shrinks() -> None:
    original = KernelResources(40, 2304, 256)
    launch = plan_padding(original, {"v": KernelResources(30, 2304, 256)}, HOPPER, "static").variants["v"]
    assert launch.padded.blocks_per_sm == 6
    assert [r.slug for r in launch.reasons] == ["l1-size-differs"]
    assert launch.carveout_percent == -1
    assert launch.l1_kb is not None
    assert launch.l1_kb < 224


def test_original_that_does_not_fit() -> None:
    plan = plan_padding(KernelResources(32, 0, 2048), {"v": KernelResources(32, 0, 2048)}, HOPPER)
    for launch in (plan.original, plan.variants["v"]):
        assert [r.slug for r in launch.reasons] == ["original-not-resident"]
        assert "2048 threads" in launch.reasons[0].text


def test_devices_without_a_percentage() -> None:
    fermi = plan_padding(KernelResources(32, 6912, 512), {"v": KernelResources(16, 0, 512)}, FERMI)
    assert fermi.carveout_kb == 48
    assert fermi.variants["v"].carveout_percent is None
    assert fermi.variants["v"].padded.blocks_per_sm == 2
    assert fermi.variants["v"].pad == 16512  # the first unit of 128 above a third of 48 KB
    gt200 = plan_padding(KernelResources(16, 0, 512), {"v": KernelResources(10, 0, 256)}, GT200)
    assert gt200.variants["v"].l1_kb is None
    assert gt200.variants["v"].pad_share == 0


def test_turing_percentages_and_documented_reading_agree() -> None:
    original = KernelResources(64, 8192, 256)
    plan = plan_padding(original, {"v": KernelResources(32, 8192, 256)}, TURING)
    for kernel, launch in ((original, plan.original), (KernelResources(32, 8192, 256), plan.variants["v"])):
        used = as_launched(kernel, launch)
        assert launch.carveout_percent is not None
        assert documented_carveout(used, TURING, launch.carveout_percent) == plan.carveout_kb
    assert plan.variants["v"].padded.blocks_per_sm == plan.original.padded.blocks_per_sm
