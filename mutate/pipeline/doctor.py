"""What is installed and works, what is missing and what to do about it, and what the GPU reaches."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from mutate import __version__
from mutate.backends.gpu import NoGpu, find_gpu, prestart
from mutate.backends.lock import exclusive
from mutate.backends.roofs import load_roofs, measure_roofs, save_roofs
from mutate.errors import KmutateError
from mutate.machines import Machine, load_machine
from mutate.occupancy import known_capabilities
from mutate.report.doctor import Check, Diagnosis, State
from mutate.results import Progress
from mutate.timing import Gpu
from mutate.toolchain.cache import ENVIRONMENT, default_cache
from mutate.toolchain.locate import INSTALL_HINT, Toolchain, find_toolchain
from mutate.toolchain.nvrtc import CompileFailed, compile_program
from mutate.toolchain.options import CompileOptions

_LEAST_PYTHON = (3, 11)
_TRIAL = b'extern "C" __global__ void kmutate_trial(int *p) { *p = 1; }\n'
_DEFAULT_ARCH = "sm_90"
_SECONDS = 20
_TOOL_VERSION = re.compile(r"V([\d.]+)")


def diagnose(measure: bool = True, again: bool = False, device: int = 0, progress: Progress = lambda *_: None
             ) -> Diagnosis:
    """Looks at everything. ``measure``: take the GPU's roofs, unless they are kept (``again``: even then).

    Never raises for what is missing: that is what it reports.
    """
    gpu = find_gpu(device)
    if measure and isinstance(gpu, Gpu) and (again or load_roofs(gpu) is None):
        prestart(device)
    tools = find_toolchain()
    checks = [_python(), _packages(), _nvrtc(tools, gpu), _nvdisasm(tools), _headers(tools), _nvcc(), _cupy(),
              _gpu(gpu), _simulator(), _cache()]
    if isinstance(gpu, NoGpu):
        return Diagnosis(tuple(checks), unmeasured=gpu.why)
    kept = None if again else load_roofs(gpu)
    machine = _machine(gpu)
    if kept is not None:
        return Diagnosis(tuple(checks), kept, True, machine)
    if not measure:
        return Diagnosis(tuple(checks), machine=machine, unmeasured="--no-measure")
    try:
        with exclusive(gpu, default_cache().folder, progress):
            roofs = measure_roofs(gpu, progress=progress, device=device)
    except KmutateError as error:
        return Diagnosis(tuple(checks), machine=machine, unmeasured=str(error))
    save_roofs(roofs)
    return Diagnosis(tuple(checks), roofs, False, machine)


def _machine(gpu: Gpu) -> Machine | None:
    """The machine file of this GPU's name, for the published figures."""
    try:
        return load_machine(gpu.name)
    except KmutateError:
        return None


def _python() -> Check:
    found = f"{platform.python_version()} ({sys.executable}), kmutate {__version__}"
    if sys.version_info >= _LEAST_PYTHON:
        return Check("Python", State.OK, found, required=True)
    return Check("Python", State.MISSING, found, "kmutate needs Python 3.11 or later", required=True)


def _packages() -> Check:
    """The packages that this installation declares it depends on, but for NVIDIA's, which have rows of their own."""
    try:
        wanted = metadata.requires("kmutate") or []
    except metadata.PackageNotFoundError:
        return Check("packages", State.NOTE, "kmutate runs from its source; what it depends on is not known")
    found, missing = [], []
    for line in wanted:
        name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
        if "extra ==" in line or name.startswith("nvidia-"):
            continue
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Check("packages", State.MISSING, f"not installed: {', '.join(missing)}",
                     f"pip install {' '.join(missing)}", "every command", required=True)
    return Check("packages", State.OK, ", ".join(found), required=True)


def _nvrtc(tools: Toolchain, gpu: Gpu | NoGpu) -> Check:
    """Whether the compiler is there and compiles, for this GPU where there is one."""
    if tools.nvrtc is None:
        return Check("NVRTC", State.MISSING, "not installed", INSTALL_HINT, "kmutate variants", True)
    arch = "sm_{}{}".format(*gpu.capability) if isinstance(gpu, Gpu) else _DEFAULT_ARCH
    where = f"{_nvrtc_version(tools.nvrtc)} ({tools.nvrtc})"
    try:
        result = compile_program(_TRIAL, "trial.cu", "kmutate_trial", CompileOptions(arch))
    except KmutateError as error:
        return Check("NVRTC", State.MISSING, f"{where}: {error.what}", error.hint or "", "kmutate variants", True)
    if isinstance(result, CompileFailed):
        return Check("NVRTC", State.MISSING, f"{where} does not compile for {arch}: {result.error.message}",
                     "reinstall nvidia-cuda-nvrtc", "kmutate variants", True)
    return Check("NVRTC", State.OK, f"{where}, compiles for {arch}", required=True)


def _nvrtc_version(library: str) -> str:
    major, minor = ctypes.c_int(), ctypes.c_int()
    try:
        if ctypes.CDLL(library).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0:
            return f"{major.value}.{minor.value}"
    except (OSError, AttributeError):
        pass
    return "of unknown version"


def _version_of(program: str) -> str | None:
    """What a program says with ``--version``, ``None`` when it does not run."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = _TOOL_VERSION.search(done.stdout)
    return match[1] if match else "of unknown version"


def _nvdisasm(tools: Toolchain) -> Check:
    if tools.nvdisasm is None:
        return Check("nvdisasm", State.MISSING, "not installed", INSTALL_HINT, "kmutate variants", True)
    version = _version_of(tools.nvdisasm)
    if version is None:
        return Check("nvdisasm", State.MISSING, f"{tools.nvdisasm} does not run",
                     "reinstall nvidia-cuda-nvdisasm", "kmutate variants", True)
    return Check("nvdisasm", State.OK, f"{version} ({tools.nvdisasm})", required=True)


def _headers(tools: Toolchain) -> Check:
    if not tools.include_dirs:
        return Check("CUDA headers", State.MISSING, "not installed", INSTALL_HINT, "kernels that include some",
                     required=True)
    return Check("CUDA headers", State.OK, tools.include_dirs[0], required=True)


def _nvcc() -> Check:
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    program = shutil.which("nvcc") or (shutil.which("nvcc", path=str(Path(home) / "bin")) if home else None) \
        or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if program is None:
        return Check("nvcc", State.NOTE, "not installed; only to build bench.cu by hand")
    return Check("nvcc", State.OK, f"{_version_of(program) or 'does not run'} ({program})")


def _cupy() -> Check:
    import importlib.util

    if importlib.util.find_spec("cupy") is None:
        return Check("CuPy", State.NOTE, "not installed", "pip install 'kmutate[gpu]'", "timing on a GPU")
    for name in ("cupy-cuda13x", "cupy-cuda12x", "cupy"):
        try:
            return Check("CuPy", State.OK, f"{metadata.version(name)} ({name})")
        except metadata.PackageNotFoundError:
            continue
    return Check("CuPy", State.OK, "of unknown version")


def _gpu(gpu: Gpu | NoGpu) -> Check:
    if isinstance(gpu, NoGpu):
        hint = "" if gpu.hint.startswith("pip install") else gpu.hint  # CuPy has a row of its own
        return Check("GPU", State.NOTE, gpu.why, hint, "timing on a GPU" if hint else "")
    found = (f"{gpu.name}, sm_{gpu.capability[0]}{gpu.capability[1]}, {gpu.sm_count} SMs, "
             f"{gpu.memory_bytes / 2**30:.0f} GiB, driver {gpu.driver} ({gpu.runtime})")
    if gpu.capability not in known_capabilities():
        return Check("GPU", State.NOTE, found, "its SM limits are not known to this version: resident blocks cannot "
                     "be planned, and variants may differ in occupancy", "equal occupancy")
    return Check("GPU", State.OK, found)


def _simulator() -> Check:
    from mutate.sim.code import is_compiled

    try:
        compiled = is_compiled()
    except (OSError, metadata.PackageNotFoundError) as error:
        return Check("simulator", State.NOTE, f"cannot be looked at: {error}")
    if compiled:
        return Check("simulator", State.OK, f"compiled for this computer (numba {metadata.version('numba')})")
    return Check("simulator", State.NOTE, f"not compiled yet (numba {metadata.version('numba')}): its first use takes "
                 "about 40 s more")


def _cache() -> Check:
    folder = default_cache().folder
    if folder is None:
        return Check("cache", State.NOTE, f"off ({ENVIRONMENT})", f"unset {ENVIRONMENT}, or every run compiles anew")
    if not _writable(folder):
        return Check("cache", State.NOTE, f"{folder} cannot be written",
                     f"make it writable, or set {ENVIRONMENT} to a folder that is", "speed")
    size = _bytes_below(str(folder))
    return Check("cache", State.OK, f"{folder}, {size / 1e6:,.0f} MB")


def _bytes_below(folder: str) -> int:
    """Thousands of entries: Path objects are slow."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.stat(os.path.join(root, name)).st_size  # noqa: PTH116, PTH118
    return total


def _writable(folder: Path) -> bool:
    """Whether it, or the nearest folder above it that exists, can be written."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)
