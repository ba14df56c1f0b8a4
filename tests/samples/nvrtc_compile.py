"""Compiles a CUDA source with the NVRTC of the pip wheels, through ctypes: no GPU, no nvcc, nothing of kmutate."""

from __future__ import annotations

import ctypes
import importlib.util
from functools import cache
from pathlib import Path


@cache
def wheel_root() -> Path | None:
    """The wheels' ``nvidia/cu13`` folder, or ``None`` where they are not installed."""
    spec = importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        root = Path(place) / "cu13"
        if (root / "lib" / "libnvrtc.so.13").is_file():
            return root
    return None


@cache
def _library() -> ctypes.CDLL:
    root = wheel_root()
    assert root is not None
    return ctypes.CDLL(str(root / "lib" / "libnvrtc.so.13"))


def compile_cubin(source: str, name: str, arch: str, instances: tuple[str, ...] = ()) -> tuple[bool, str]:
    """Whether NVRTC makes a cubin for ``arch`` (``sm_90``), and its log. ``instances``: template kernels to emit."""
    lib, root = _library(), wheel_root()
    program = ctypes.c_void_p()
    status = lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    if status != 0:
        raise RuntimeError(f"nvrtcCreateProgram: status {status}")
    try:
        for instance in instances:
            lib.nvrtcAddNameExpression(program, instance.encode())
        flags = [f"-arch={arch}", "-std=c++17", f"-I{root}/include", f"-I{root}/include/cccl"]
        status = lib.nvrtcCompileProgram(program, len(flags), (ctypes.c_char_p * len(flags))(*map(str.encode, flags)))
        size = ctypes.c_size_t()
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetProgramLog(program, log)
        return status == 0, log.value.decode()
    finally:
        lib.nvrtcDestroyProgram(ctypes.byref(program))
