"""Times plans on a GPU. Knows no CuPy: that is imported by the process that measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mutate.backends import libcuda, process
from mutate.backends.process import CUPY_DRIVER, prestart
from mutate.backends.session import Measurement, Progress
from mutate.timing import Gpu, Plan, Session, Settings

__all__ = ["NoGpu", "find_gpu", "measure", "prestart"]

_INSTALL = "pip install 'kmutate[gpu]'"


@dataclass(frozen=True)
class NoGpu:
    """Why nothing can be timed here, and what to do about it."""

    why: str
    hint: str


def find_gpu(device: int = 0) -> Gpu | NoGpu:
    """The device that plans would be timed on, or what is missing. Imports no CuPy and makes no context."""
    import importlib.util

    try:
        count = libcuda.device_count()
        if not 0 <= device < count:
            numbers = "only number 0" if count == 1 else f"numbers 0 to {count - 1}"
            return NoGpu(f"there is no GPU {device}: the driver shows {numbers}",
                         "pass another --device, or look at CUDA_VISIBLE_DEVICES")
        gpu = libcuda.describe(device)
    except libcuda.NoDriverError as error:
        if error.no_device:
            return NoGpu("the NVIDIA driver shows no GPU", "look at `nvidia-smi` and CUDA_VISIBLE_DEVICES")
        return NoGpu(str(error), "install NVIDIA's driver, and see that `nvidia-smi` shows the GPU")
    if importlib.util.find_spec("cupy") is None:
        return NoGpu(f"there is a GPU ({gpu.name}), but CuPy is not installed", _INSTALL)
    return gpu


def _silent(what: str, done: int, total: int) -> None:
    pass


def measure(plans: Sequence[Plan], settings: Settings | None = None, progress: Progress = _silent,
            on_session: Callable[[Session], None] | None = None, *, driver: str = CUPY_DRIVER,
            options: Mapping[str, Any] | None = None) -> list[Session]:
    """Times plans one after the other, in a process of their own; one session a plan, in order.

    What a kernel does is an outcome of its run. After Ctrl-C the last session has ``stopped="interrupted"``, and the
    plans behind it have none; before anything is known ``KeyboardInterrupt`` is raised. Raises ``KmutateError``:
    ``gpu-process`` when the measuring process does not start (its last words are in the message), ``no-nvrtc`` and
    ``gpu-tools`` when our own kernels cannot be compiled. ``driver`` and ``options`` are for tests.
    """
    settings = settings or Settings()
    sessions: list[Session] = []
    hire = process.hire(settings.device, driver, options)
    for plan in plans:
        measurement = Measurement(plan, settings, hire, progress)
        session = measurement.measure()
        if measurement.child is not None:
            process.give_back(measurement.child)
        sessions.append(session)
        if on_session is not None:
            on_session(session)
        if session.stopped == "interrupted":
            break
    return sessions
