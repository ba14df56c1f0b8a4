"""Which compiler's code tests see: the H200 was timed with that of two, which differs in some kernels."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

MEASURED = "13.0.88"
"""The NVRTC of the GPU's machine, whose code nearly all reference data belongs to."""
ALSO_MEASURED = "13.5.37"


def nvrtc_version() -> str:
    """Version of the compiler's wheel."""
    try:
        return version("nvidia-cuda-nvrtc")
    except PackageNotFoundError:
        return "of the system"
