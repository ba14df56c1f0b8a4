"""Runs binaries on a real GPU with the memory that the simulator starts from, and says where the two part."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from mutate.backends.arguments import device_arrays, parameter_block, symbols
from mutate.backends.driver import DriverError
from mutate.dynamic import Binary
from mutate.launch.data import materialize
from mutate.launch.model import Launch
from mutate.sim.image import read_image

# A kernel of some ten thousand instructions takes microseconds; what runs for seconds hangs.
_LIMIT_SECONDS = 20.0


class GpuLostError(Exception):
    """The GPU cannot be used by this process any more: a kernel has faulted or hangs."""


class Gpu:
    """The first GPU of this machine. Raises ``ImportError`` without CuPy, ``DriverError`` without a GPU."""

    def __init__(self) -> None:
        from mutate.backends.cupy_driver import CupyDriver

        self._driver = CupyDriver(0)
        self.name = str(self._driver.describe()["name"])

    def run(self, binary: Binary, launch: Launch) -> dict[str, bytes]:
        """What a launch leaves in the declared arrays. Raises ``GpuLostError``, ``DriverError``, ``ArgumentsError``."""
        driver = self._driver
        image = read_image(binary.cubin, binary.entry)
        initial = {a.name: np.ascontiguousarray(materialize(a)).tobytes() for a in device_arrays(launch)}
        addresses = {name: driver.alloc(len(data)) for name, data in initial.items()}
        try:
            for name, data in initial.items():
                driver.upload(addresses[name], data)
            module = driver.load(binary.cubin)
            for symbol, array, nbytes in symbols(image, launch):
                at = driver.symbol(module, symbol)
                if at is not None:
                    driver.upload(at, initial[array][:nbytes])
            function = driver.function(module, binary.entry)
            smem = launch.smem + binary.extra_smem
            driver.configure(function, smem, None)
            bound = driver.bind(function, launch.grid, launch.block, smem, parameter_block(image, launch, addresses))
            self._launch(bound)
            return {a.name: driver.download(addresses[a.name], a.nbytes) for a in launch.arrays}
        except DriverError as error:
            if error.lost:
                raise GpuLostError(error.message) from error
            raise
        finally:
            for address in addresses.values():
                self._free(address)

    def _launch(self, bound: Any) -> None:
        event = self._driver.event()
        self._driver.launch(bound)
        self._driver.record(event)
        end = time.monotonic() + _LIMIT_SECONDS
        while not self._driver.done(event):
            if time.monotonic() > end:
                raise GpuLostError(f"the launch takes longer than {_LIMIT_SECONDS:g} s")
            time.sleep(0.0005)

    def _free(self, address: int) -> None:
        with contextlib.suppress(DriverError):
            self._driver.free(address)


def differing(simulated: Mapping[str, bytes], real: Mapping[str, bytes]) -> list[str]:
    """Arrays that differ in a bit, with the first byte that does and how many do."""
    out = []
    for name, data in real.items():
        a, b = np.frombuffer(simulated[name], np.uint8), np.frombuffer(data, np.uint8)
        wrong = np.flatnonzero(a != b)
        if wrong.size:
            at = int(wrong[0]) // 4 * 4
            out.append(f"{name}: {wrong.size} of {a.size} bytes, first at {at}: simulated "
                       f"{bytes(a[at : at + 4])[::-1].hex()}, GPU {bytes(b[at : at + 4])[::-1].hex()}")
    return out
