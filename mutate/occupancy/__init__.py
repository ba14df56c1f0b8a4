"""Resident blocks per SM, and the padding that gives every variant the original's."""

from mutate.occupancy.calculator import KernelResources, Occupancy, default_carveout, resident_blocks
from mutate.occupancy.carveout import documented_carveout, driver_carveout, percent_for
from mutate.occupancy.devices import Device, capability_of, device_for, known_capabilities
from mutate.occupancy.padding import (
    KernelPadding,
    PaddingPlan,
    PadMode,
    Reason,
    plan_padding,
    static_pad_statement,
)

__all__ = [
    "Device",
    "KernelPadding",
    "KernelResources",
    "Occupancy",
    "PadMode",
    "PaddingPlan",
    "Reason",
    "capability_of",
    "default_carveout",
    "device_for",
    "documented_carveout",
    "driver_carveout",
    "known_capabilities",
    "percent_for",
    "plan_padding",
    "resident_blocks",
    "static_pad_statement",
]
