"""The real driver: CuPy's modules, memory, streams and events, on cubins as they were certified.

Only the measuring process imports this. Kernels are launched with their parameter block as it is (CuPy's own launch
knows arrays and NumPy scalars, not structs by value).
"""

from __future__ import annotations

import ctypes
from dataclasses import asdict, dataclass, replace
from typing import Any, NoReturn

import cupy
from cupy.cuda import function as cupy_function
from cupy_backends.cuda.api import driver as api
from cupy_backends.cuda.api import runtime

from mutate.backends import libcuda, nvml
from mutate.backends.driver import Dim, DriverError, Handle
from mutate.timing import RunOutcome

# cuda.h: CUfunction_attribute.
_MAX_THREADS, _SHARED, _LOCAL, _REGISTERS, _MAX_DYNAMIC, _CARVEOUT = 0, 1, 3, 4, 8, 9
# cuda.h: keys of the ``extra`` of cuLaunchKernel.
_END, _BUFFER, _BUFFER_SIZE = 0, 1, 2
# cuda.h: CUresult; the runtime's codes are the same numbers.
_OUT_OF_MEMORY, _NO_BINARY, _NOT_READY, _NOT_FOUND, _OUT_OF_RESOURCES, _WATCHDOG = 2, 209, 600, 500, 701, 702
_ECC = 214
_BAD_ADDRESS = (700, 716, 717)
_FIRST_FAULT = 700
# Of the codes from 700 on, those that harm nobody: peer access and host memory that is registered already.
_HARMLESS = (_OUT_OF_RESOURCES, 704, 705, 708, 711, 712, 713, 720)
# Dynamic shared memory that needs no opt-in.
_USUAL_SMEM = 48 * 1024


@dataclass(frozen=True)
class _Bound:
    """Arguments of cuLaunchKernel, and what their addresses point to."""

    function: int
    grid: Dim
    block: Dim
    smem: int
    extra: int
    keep: tuple[Any, ...]


def _fail(status: int, text: str) -> NoReturn:
    lost = (status >= _FIRST_FAULT and status not in _HARMLESS) or status == _ECC
    outcome = RunOutcome.LAUNCH_FAILED
    if status in _BAD_ADDRESS:
        outcome = RunOutcome.ILLEGAL_ACCESS
    elif status == _OUT_OF_MEMORY:
        outcome = RunOutcome.OUT_OF_MEMORY
    elif status == _WATCHDOG:
        outcome = RunOutcome.TIMEOUT
    raise DriverError(outcome, text, lost=lost)


def _call(function: Any, *arguments: Any) -> Any:
    """Calls CuPy and makes its two error classes one."""
    try:
        return function(*arguments)
    except (api.CUDADriverError, runtime.CUDARuntimeError) as error:
        _fail(int(error.status), str(error))


class CupyDriver:
    """One device in one process."""

    def __init__(self, device: int) -> None:
        _call(runtime.setDevice, device)
        gpu = libcuda.describe(device)
        self._gpu = replace(gpu, runtime=f"CuPy {cupy.__version__}, {gpu.runtime}")
        _call(runtime.free, 0)  # makes the context
        self._stream = int(_call(runtime.streamCreateWithFlags, runtime.streamNonBlocking))

    def describe(self) -> dict[str, Any]:
        return asdict(self._gpu)

    def clocks(self) -> dict[str, Any]:
        return nvml.read(self._gpu.uuid)

    def alloc(self, nbytes: int) -> int:
        try:
            return int(_call(runtime.malloc, max(1, nbytes)))
        except DriverError as error:
            error.asked, error.free = nbytes, self.available()
            raise

    def free(self, address: int) -> None:
        _call(runtime.free, address)

    def available(self) -> int:
        return int(_call(runtime.memGetInfo)[0])

    def upload(self, address: int, data: bytes) -> None:
        if data:
            source = ctypes.c_char_p(data)
            at = ctypes.cast(source, ctypes.c_void_p).value
            _call(runtime.memcpyAsync, address, at, len(data), runtime.memcpyHostToDevice, self._stream)
            _call(runtime.streamSynchronize, self._stream)

    def download(self, address: int, nbytes: int) -> bytes:
        target = ctypes.create_string_buffer(max(1, nbytes))
        _call(runtime.memcpyAsync, ctypes.addressof(target), address, nbytes, runtime.memcpyDeviceToHost, self._stream)
        _call(runtime.streamSynchronize, self._stream)
        return target.raw[:nbytes]

    def zero(self, address: int, nbytes: int) -> None:
        _call(runtime.memsetAsync, address, 0, nbytes, self._stream)

    def copy(self, target: int, source: int, nbytes: int) -> None:
        _call(runtime.memcpyAsync, target, source, nbytes, runtime.memcpyDeviceToDevice, self._stream)

    def load(self, cubin: bytes) -> Handle:
        module = cupy_function.Module()
        try:
            _call(module.load, cubin)
        except DriverError as error:
            if str(_NO_BINARY) in error.message or "NO_BINARY" in error.message:
                major, minor = self._gpu.capability
                error.message += f" (the GPU needs code for sm_{major}{minor})"
            raise
        return module

    def function(self, module: Handle, entry: str) -> Handle:
        return _call(module.get_function, entry)

    def symbol(self, module: Handle, name: str) -> int | None:
        try:
            found = module.get_global_var(name)
        except api.CUDADriverError as error:
            if int(error.status) == _NOT_FOUND:
                return None
            _fail(int(error.status), str(error))
        return int(found)

    def attributes(self, function: Handle) -> dict[str, int]:
        return {name: int(_call(api.funcGetAttribute, which, function.ptr)) for name, which in (
            ("registers", _REGISTERS), ("local_bytes", _LOCAL), ("threads", _MAX_THREADS), ("static_smem", _SHARED))}

    def configure(self, function: Handle, dynamic_smem: int, carveout_percent: int | None) -> None:
        if dynamic_smem + self.attributes(function)["static_smem"] > _USUAL_SMEM:
            _call(api.funcSetAttribute, function.ptr, _MAX_DYNAMIC, dynamic_smem)
        if carveout_percent is not None:
            _call(api.funcSetAttribute, function.ptr, _CARVEOUT, carveout_percent)

    def resident_blocks(self, function: Handle, threads: int, dynamic_smem: int) -> int:
        return int(_call(api.occupancyMaxActiveBlocksPerMultiprocessor, function.ptr, threads, dynamic_smem))

    def bind(self, function: Handle, grid: Dim, block: Dim, dynamic_smem: int, parameters: bytes) -> Handle:
        if not parameters:
            return _Bound(function.ptr, grid, block, dynamic_smem, 0, (function,))
        buffer, size = ctypes.create_string_buffer(parameters, len(parameters)), ctypes.c_size_t(len(parameters))
        extra = (ctypes.c_void_p * 5)(_BUFFER, ctypes.addressof(buffer), _BUFFER_SIZE, ctypes.addressof(size), _END)
        return _Bound(function.ptr, grid, block, dynamic_smem, ctypes.addressof(extra), (function, buffer, size, extra))

    def launch(self, bound: Handle) -> None:
        _call(api.launchKernel, bound.function, *bound.grid, *bound.block, bound.smem, self._stream, 0, bound.extra)

    def event(self) -> Handle:
        return int(_call(runtime.eventCreate))

    def record(self, event: Handle) -> None:
        _call(runtime.eventRecord, event, self._stream)

    def done(self, event: Handle) -> bool:
        status = _call(runtime.eventQuery, event)
        if status in (0, None):
            return True
        if status == _NOT_READY:
            return False
        _call(runtime.check_status, status)
        return False

    def elapsed_ms(self, start: Handle, stop: Handle) -> float:
        return float(_call(runtime.eventElapsedTime, start, stop))
