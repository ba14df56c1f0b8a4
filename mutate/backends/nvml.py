"""Clocks, temperature and why clocks are lowered: read from NVML (part of the driver) by ctypes, never set."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

# nvml.h: nvmlClockType_t, nvmlTemperatureSensors_t.
_SM, _MEMORY = 1, 2
_GPU_SENSOR = 0
# nvml.h: nvmlClocksEventReasons. Idle (1) and the user's own clock settings (2) are no reasons to distrust a time.
_REASONS = {0x4: "SW power cap", 0x8: "HW slowdown", 0x10: "sync boost", 0x20: "SW thermal slowdown",
            0x40: "HW thermal slowdown", 0x80: "HW power brake slowdown", 0x100: "display clock setting"}


@cache
def _library() -> ctypes.CDLL | None:
    names = ("nvml.dll",) if sys.platform == "win32" else ("libnvidia-ml.so.1", "libnvidia-ml.so")
    for name in names:
        try:
            library = ctypes.CDLL(name)
            return library if library.nvmlInit_v2() == 0 else None
        except (OSError, AttributeError):
            continue
    return None


def driver_version() -> str | None:
    """Such as ``580.159.04``; ``None`` where NVML does not say."""
    library = _library()
    text = ctypes.create_string_buffer(96)
    if library is None or library.nvmlSystemGetDriverVersion(text, 96) != 0:
        return None
    return text.value.decode(errors="replace")


def read(uuid: str) -> dict[str, Any]:
    """Clocks in MHz, temperature in °C and reasons for lowered clocks (words) now; what cannot be read is left out."""
    library = _library()
    device = ctypes.c_void_p()
    if library is None or library.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(device)) != 0:
        return {}
    out: dict[str, Any] = {}
    value = ctypes.c_uint()
    for key, kind in (("sm_mhz", _SM), ("memory_mhz", _MEMORY)):
        if library.nvmlDeviceGetClockInfo(device, kind, ctypes.byref(value)) == 0:
            out[key] = value.value
    if library.nvmlDeviceGetTemperature(device, _GPU_SENSOR, ctypes.byref(value)) == 0:
        out["temperature_c"] = value.value
    reasons = ctypes.c_ulonglong()
    # Renamed with driver 535; the old name still answers.
    for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
        ask = getattr(library, name, None)
        if ask is not None and ask(device, ctypes.byref(reasons)) == 0:
            out["throttle"] = [word for bit, word in _REASONS.items() if reasons.value & bit]
            break
    return out
