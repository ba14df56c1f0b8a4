"""The driver that pretends, with kernels of calibration: each writes what the test says, or a number of its own."""

from __future__ import annotations

import struct
from typing import Any

from fake_driver import FakeDriver

CLOCKS = 4096
MHZ = 1500


class CalibrateDriver(FakeDriver):
    """``gives``: by kernel the 64-bit words that it writes, over and over. All take one ms."""

    def __init__(self, device: int, gives: dict[str, list[int]] | None = None, refuse: str = "", fault: str = "",
                 **others: Any) -> None:
        super().__init__(device, **others)
        self.gives, self.refuse, self.faulty = gives or {}, refuse, fault

    def launch(self, bound: Any) -> None:
        entry, _, _, _, parameters = bound
        if len(parameters) != 40:
            super().launch(bound)
            return
        if entry in (self.refuse, self.faulty):
            self.kernels[entry] = {"what": "refuse" if entry == self.refuse else "fault"}
            super().launch(bound)
            return
        self.now += 1.0
        (out,) = struct.unpack("<Q", parameters[:8])
        array, at = self._at(out)
        words = self.gives.get(entry, [CLOCKS])
        count = 8 * len(words)
        array[at : at + len(array) // count * count] = struct.pack(f"<{len(words)}Q", *words) * (len(array) // count)
