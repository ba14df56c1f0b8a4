"""Which GPU there is, asked of the CUDA driver by ctypes: no CuPy, no context, some hundredths of a second."""

from __future__ import annotations

import ctypes
import sys
import uuid
from typing import Any

from mutate.timing import Gpu

# cuda.h: CUdevice_attribute.
_CLOCK_KHZ, _SM_COUNT, _L2_BYTES, _MAJOR, _MINOR = 13, 16, 38, 75, 76
_NO_DEVICE = 100


class NoDriverError(Exception):
    """There is no driver, or it does not work; the message says which. ``no_device``: it works, but has no GPU."""

    def __init__(self, message: str, no_device: bool = False) -> None:
        super().__init__(message)
        self.no_device = no_device


def _library() -> ctypes.CDLL:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError:
        raise NoDriverError(f"the NVIDIA driver is not installed ({name} is not found)") from None


def _check(library: ctypes.CDLL, status: int, what: str) -> None:
    if status == 0:
        return
    text = ctypes.c_char_p()
    known = library.cuGetErrorName(status, ctypes.byref(text)) == 0 and text.value is not None
    name = (text.value or b"").decode() if known else f"error {status}"
    raise NoDriverError(f"the NVIDIA driver does not work: {what} says {name}", status == _NO_DEVICE)


def device_count() -> int:
    """GPUs that the driver shows to this process. Raises ``NoDriverError``."""
    library = _library()
    _check(library, library.cuInit(0), "cuInit")
    count = ctypes.c_int()
    _check(library, library.cuDeviceGetCount(ctypes.byref(count)), "cuDeviceGetCount")
    return count.value


def describe(number: int) -> Gpu:
    """A device of those that ``device_count`` counts. Raises ``NoDriverError``."""
    from mutate.backends import nvml

    library = _library()
    _check(library, library.cuInit(0), "cuInit")
    device, version, value = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    _check(library, library.cuDeviceGet(ctypes.byref(device), number), "cuDeviceGet")
    library.cuDriverGetVersion(ctypes.byref(version))
    name, raw, total = ctypes.create_string_buffer(256), ctypes.create_string_buffer(16), ctypes.c_size_t()
    _check(library, library.cuDeviceGetName(name, 256, device), "cuDeviceGetName")
    _check(library, library.cuDeviceTotalMem_v2(ctypes.byref(total), device), "cuDeviceTotalMem")
    identified = getattr(library, "cuDeviceGetUuid_v2", library.cuDeviceGetUuid)(raw, device) == 0

    def attribute(which: int) -> int:
        _check(library, library.cuDeviceGetAttribute(ctypes.byref(value), which, device), "cuDeviceGetAttribute")
        return value.value

    runtime = f"CUDA {version.value // 1000}.{version.value % 1000 // 10}"
    return Gpu(name.value.decode(errors="replace"), (attribute(_MAJOR), attribute(_MINOR)),
               nvml.driver_version() or runtime, attribute(_SM_COUNT),
               f"GPU-{uuid.UUID(bytes=raw.raw)}" if identified else "", total.value, attribute(_L2_BYTES),
               attribute(_CLOCK_KHZ) / 1000, runtime)


def from_message(fields: dict[str, Any]) -> Gpu:
    major, minor = fields["capability"]
    return Gpu(**{**fields, "capability": (int(major), int(minor))})
