"""Finds NVRTC, nvdisasm and the CUDA headers: pip wheels first, then ``CUDA_HOME``, then the system.

Nothing is loaded or started here; a missing tool is ``None`` and becomes an error only where it is needed.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutate.errors import KmutateError

INSTALL_HINT = ("pip install nvidia-cuda-nvrtc nvidia-cuda-nvdisasm nvidia-cuda-runtime nvidia-cuda-crt "
                "nvidia-cuda-cccl (Linux and Windows), or use --no-verify to write variants without compiling them")

# Folders below a root: CUDA 13 wheels share one folder, CUDA 12 wheels have one each, a toolkit has lib64 and bin.
_LIB_DIRS = ("cu13/lib", "cu13/bin/x86_64", "cu13/bin", "cuda_nvrtc/lib", "cuda_nvrtc/bin", "lib64", "lib", "bin",
             "bin/x64")
_LIB_PATTERNS = ("libnvrtc.so.[0-9]*", "libnvrtc.so", "nvrtc64_*_0.dll")
_BIN_DIRS = ("cu13/bin", "cuda_nvdisasm/bin", "cuda_nvcc/bin", "bin")
_HEADER_DIRS = ("cu13/include", "cuda_runtime/include", "cuda_nvcc/include", "cuda_cccl/include", "include")
# The loader finds these by itself when the CUDA libraries are installed system-wide.
_LOADER_NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")


@dataclass(frozen=True)
class Toolchain:
    """Where the tools are. ``nvrtc`` is a path, or a bare library name that the dynamic loader resolves."""

    nvrtc: str | None
    nvdisasm: str | None
    include_dirs: tuple[str, ...]

    def need_nvrtc(self) -> str:
        """Path of NVRTC; raises ``KmutateError`` ``no-nvrtc`` when there is none."""
        if self.nvrtc is None:
            raise KmutateError("no-nvrtc", "the CUDA run-time compiler (NVRTC) is not installed", hint=INSTALL_HINT)
        return self.nvrtc

    def need_nvdisasm(self) -> str:
        """Path of nvdisasm; raises ``KmutateError`` ``no-nvdisasm`` when there is none."""
        if self.nvdisasm is None:
            raise KmutateError("no-nvdisasm", "the CUDA disassembler (nvdisasm) is not installed", hint=INSTALL_HINT)
        return self.nvdisasm


def stub_dir() -> str:
    """Folder of the stand-ins for host headers that NVRTC lacks; to be last on the include path."""
    return str(Path(__file__).resolve().parent / "stubs")


def first_stub_dir() -> str:
    """Folder of the stand-ins for headers of the toolkit that are for host compilers; to come before the toolkit's."""
    return str(Path(stub_dir()) / "first")


def identity(path: str) -> str:
    """Name, size and modification time of a tool or folder: what changes when it is replaced. Never reads it."""
    try:
        info = Path(path).stat()
    except OSError:
        return path
    return f"{Path(path).name}:{info.st_size}:{info.st_mtime_ns}"


def _roots() -> list[Path]:
    roots = [Path(entry or ".") / "nvidia" for entry in sys.path]
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            roots.append(Path(os.environ[name]))
    roots += [Path("/usr/local/cuda"), Path("/opt/cuda")]
    return [root for root in roots if root.is_dir()]


def _library(root: Path) -> str | None:
    for folder in _LIB_DIRS:
        for pattern in _LIB_PATTERNS:
            found = sorted(p for p in (root / folder).glob(pattern) if "builtins" not in p.name)
            if found:
                return str(found[-1])
    return None


def _program(root: Path) -> str | None:
    for folder in _BIN_DIRS:
        found = shutil.which("nvdisasm", path=str(root / folder))
        if found:
            return found
    return None


def _headers(root: Path) -> tuple[str, ...]:
    found = [root / d for d in _HEADER_DIRS if (root / d).is_dir()]
    # CUDA 13 moved CUB, Thrust and libcu++ into include/cccl.
    found += [d / "cccl" for d in found if (d / "cccl").is_dir()]
    return tuple(map(str, found)) if any((d / "cuda_fp16.h").is_file() for d in found) else ()


def _completed(headers: tuple[str, ...], roots: list[Path]) -> tuple[str, ...]:
    """With libcu++ (and CUB, Thrust) and the compiler's own headers of another root where they are not there.

    They are wheels by themselves, and PyTorch brings the others without them.
    """
    others = [d for root in roots for d in _headers(root)] if headers else []
    for folder in ("cuda/std", "crt"):
        if not any((Path(d) / folder).is_dir() for d in headers):
            headers += tuple(d for d in others if (Path(d) / folder).is_dir())[:1]
    return headers


def _loader_library() -> str | None:
    if sys.platform not in ("linux", "win32"):
        return None
    import ctypes

    for name in _LOADER_NAMES if sys.platform == "linux" else ("nvrtc64_130_0.dll", "nvrtc64_120_0.dll"):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    return None


@cache
def find_toolchain() -> Toolchain:
    """The first NVRTC, nvdisasm and header folder found. The headers come from NVRTC's own root where it has some,

    because headers of another CUDA release may not compile; only what these lack is taken from the next. Cached for
    the process.
    """
    roots = _roots()
    library, library_root = None, None
    for root in roots:
        library = _library(root)
        if library:
            library_root = root
            break
    if library is None:
        library = _loader_library()
    program = next(filter(None, map(_program, roots)), None) or shutil.which("nvdisasm")
    ordered = [library_root, *roots] if library_root else roots
    headers = next(filter(None, map(_headers, ordered)), ())
    return Toolchain(library, program, _completed(headers, roots))
