"""Launches of the original under other conditions: fewer resident blocks, a larger grid."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mutate.launch.model import Launch
from mutate.occupancy import Device, KernelResources, percent_for, resident_blocks
from mutate.sass.disasm import Instruction
from mutate.timing import ORIGINAL, Run

_POINTS = 5
_BANK0 = re.compile(r"c\[0x0\]\[(0x[0-9a-f]+)\]")
_GRID_DIM = {"y": 0x10, "z": 0x14}
"""Where bank 0 holds gridDim, on all architectures from sm_70 to sm_90."""
_LARGER = (2, 4)
_MANY_WAVES = 8.0


_FEWER, _MORE = f"{ORIGINAL}@", f"{ORIGINAL} x"


def blocks_of(name: str) -> int | None:
    """The resident blocks that a run of the original is to have; ``None`` for other runs."""
    return int(name.removeprefix(_FEWER)) if name.startswith(_FEWER) else None


def factor_of(name: str) -> int | None:
    """By how much a run's grid is larger; 1 for the original itself, ``None`` for other runs."""
    return 1 if name == ORIGINAL else int(name.removeprefix(_MORE)) if name.startswith(_MORE) else None


def occupancy_runs(original: Run, resources: KernelResources, device: Device, carveout_kb: int | None) -> list[Run]:
    """The original with fewer resident blocks, by padding its dynamic shared memory; the carve-out stays.

    Numbers of blocks for which no padding exists are left out.
    """
    natural = resident_blocks(resources, device, carveout_kb).blocks_per_sm
    wanted = sorted({max(1, round(natural * k / _POINTS)) for k in range(1, _POINTS)} | {natural - 1})
    out = []
    for blocks in wanted:
        pad = pad_for(blocks, resources, device, carveout_kb) if 0 < blocks < natural else None
        if pad is None:
            continue
        padded = resources.with_pad(pad)
        percent = percent_for(padded, device, carveout_kb) if carveout_kb is not None else None
        out.append(Run(f"{_FEWER}{blocks}", original.cubin, original.entry, padded.dynamic_smem, percent, blocks))
    return out


def pad_for(blocks: int, resources: KernelResources, device: Device, carveout_kb: int | None) -> int | None:
    """The least padding in bytes with exactly so many resident blocks: they never grow with it, so halve."""
    low, high = 0, device.shared_per_block_opt_in - resources.shared
    while low < high:
        middle = (low + high) // 2
        if resident_blocks(resources.with_pad(middle), device, carveout_kb).blocks_per_sm <= blocks:
            high = middle
        else:
            low = middle + 1
    found = low >= 0 and resident_blocks(resources.with_pad(low), device, carveout_kb).blocks_per_sm == blocks
    return low if found else None


def free_axis(listing: Sequence[Instruction]) -> str | None:
    """An axis of the grid that the code never looks at, so that more blocks along it do the same work again."""
    text = " ".join(i.operands for i in listing)
    offsets = {int(m, 16) for m in _BANK0.findall(text)}
    return next((axis for axis, place in (("z", _GRID_DIM["z"]), ("y", _GRID_DIM["y"]))
                 if f"SR_CTAID.{axis.upper()}" not in text and place not in offsets), None)


def grid_runs(original: Run, launch: Launch, listing: Sequence[Instruction], resident: int, sms: int) -> list[Run]:
    """The original with a grid several times as large, where it has few blocks and an axis is free.

    The additional blocks do the work of the declared ones again, on the same data.
    """
    x, y, z = launch.grid
    waves = x * y * z / max(1, resident * sms)
    axis = free_axis(listing)
    if waves >= _MANY_WAVES or axis is None:
        return []
    out = []
    for factor in _LARGER:
        grid = (x, y, z * factor) if axis == "z" else (x, y * factor, z)
        if max(grid[1:]) <= 65535:
            out.append(Run(f"{_MORE}{factor}", original.cubin, original.entry, original.dynamic_smem,
                           original.carveout_percent, original.expected_blocks, grid))
    return out
