"""A quick count of memory and arithmetic instructions straight from their encodings, without nvdisasm.

Only used to *detect* that two binaries differ in a class, so that a second compile can be started before the one
run of nvdisasm: nothing is certified by it. The nine opcode bits are the same on sm_75 to sm_120 (a test compares
them with nvdisasm on every architecture); what is not listed is not counted.
"""

from __future__ import annotations

import struct
from collections import Counter

from mutate.toolchain.elf import Cubin

_OPCODES = {
    0x181: "global_load", 0x186: "global_store", 0x184: "shared_load", 0x188: "shared_store", 0x1AE: "async_copy",
    0x180: "generic_load", 0x185: "generic_store", 0x03B: "shared_load.matrix",
    0x18C: "shared_atomic", 0x18E: "global_reduction", 0x1A8: "global_atomic", 0x11D: "barrier",
    0x03C: "tensor", 0x037: "tensor", 0x03F: "tensor", 0x031: "fp16.fma",
    0x021: "fp32.add", 0x020: "fp32.mul", 0x023: "fp32.fma", 0x029: "fp64.add", 0x028: "fp64.mul", 0x02B: "fp64.fma",
    0x030: "fp16.add", 0x032: "fp16.mul", 0x108: "sfu",
    0x160: "texture", 0x163: "texture", 0x166: "texture", 0x16C: "texture", 0x199: "surface", 0x19D: "surface",
}
_BY_WIDTH = frozenset({"global_load", "global_store", "generic_load", "generic_store", "shared_load", "shared_store",
                       "async_copy"})
_WIDTHS = (8, 8, 16, 16, 32, 64, 128, 128)


def rough_counts(image: bytes, entry: str) -> dict[str, int]:
    """Instructions by class name for the classes listed here, over the kernel's code section."""
    cubin = Cubin(image)
    section = cubin.section(f".text.{entry}")
    counts: Counter[str] = Counter()
    if section is not None:
        code = cubin.data(section)
        for lo, hi in struct.iter_unpack("<QQ", code[: len(code) // 16 * 16]):
            name = _OPCODES.get(lo & 0x1FF)
            if name is not None:
                counts[f"{name}.{_WIDTHS[hi >> 9 & 7]}" if name in _BY_WIDTH else name] += 1
    return dict(counts)
