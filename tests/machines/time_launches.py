"""Times the launches that a folder lists, with a cold L2, by events; standard library and the driver alone.

As kmutate does: a pause while everything is enqueued, and a flush that reads, which leaves nothing to be written back.

    python3 tests/machines/time_launches.py FOLDER > TIMES.csv
    python3 tests/machines/time_launches.py FOLDER --restore        with all arrays as they were before each launch
    python3 tests/machines/time_launches.py FOLDER --drawn          with bits by chance instead of zeros
    ncu ... python3 tests/machines/time_launches.py FOLDER --once       each launch once, for counters
"""

from __future__ import annotations

import ctypes
import json
import random
import statistics
import sys
from pathlib import Path

ROUNDS = 1 if "--once" in sys.argv else 7
WARM = 0 if "--once" in sys.argv else 2
RESTORE = "--restore" in sys.argv
DRAWN = random.Random(0).randbytes(1 << 20) if "--drawn" in sys.argv else b""
FLUSH = 256 << 20
PAUSE = 100_000
"""Clocks of the GPU."""
cuda = ctypes.CDLL("libcuda.so.1")


def check(code: int, what: str) -> None:
    if code:
        raise SystemExit(f"{what}: error {code} of the driver")


def allocate(size: int) -> ctypes.c_uint64:
    at = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(size)), "memory")
    check(cuda.cuMemsetD8_v2(at, 0, ctypes.c_size_t(size)), "memory")
    return at


def filled(size: int, kind: str, folder: Path) -> ctypes.c_uint64:
    at = allocate(size)
    if (folder / kind).is_file():
        check(cuda.cuMemcpyHtoD_v2(at, (folder / kind).read_bytes(), ctypes.c_size_t(size)), "copy")
    elif DRAWN and kind == "zeros":
        for begin in range(0, size, len(DRAWN)):
            count = min(len(DRAWN), size - begin)
            check(cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(at.value + begin), DRAWN, ctypes.c_size_t(count)), "copy")
    elif kind == "iota":
        host = (ctypes.c_int32 * (size // 4))(*range(size // 4))
        check(cuda.cuMemcpyHtoD_v2(at, host, ctypes.c_size_t(size)), "copy")
    return at


def before_each(folder: Path) -> list[tuple[ctypes.c_void_p, int, int, ctypes.Array[ctypes.c_void_p]]]:
    """kmutate's own pause and flush: functions, blocks, threads and their arguments."""
    module = ctypes.c_void_p()
    check(cuda.cuModuleLoadData(ctypes.byref(module), (folder / "tools.cubin").read_bytes()), "tools")
    flushed = allocate(FLUSH)  # written never: no second allocation, which would move the arrays of all launches
    out = []
    for entry, blocks, threads, values in (
            (b"kmutate_pause", 1, 1, [ctypes.c_int64(PAUSE)]),
            (b"kmutate_flush", 1056, 256, [flushed, ctypes.c_uint64(FLUSH // 16), flushed])):
        function = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(function), module, entry), "tools")
        given = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
        out.append((function, blocks, threads, given))
    return out


def main() -> None:
    folder = Path(sys.argv[1])
    context, device = ctypes.c_void_p(), ctypes.c_int()
    check(cuda.cuInit(0), "cuInit")
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
    check(cuda.cuCtxSetCurrent(context), "context")
    first, last = ctypes.c_void_p(), ctypes.c_void_p()
    for event in (first, last):
        check(cuda.cuEventCreate(ctypes.byref(event), 0), "event")
    before = [] if "--once" in sys.argv else before_each(folder)  # ncu empties caches itself
    print("kernel,instance,launch,us,least", flush=True)
    for job in json.loads((folder / "launches.json").read_text()):
        what = f'{job["kernel"]} {job["launch"]}'
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), (folder / job["cubin"]).read_bytes()), what)
        check(cuda.cuModuleGetFunction(ctypes.byref(function), module, job["entry"].encode()), what)
        arrays = {name: filled(size, kind, folder) for name, size, kind in job["arrays"]}
        values = [ctypes.c_uint64(arrays[a["array"]].value + a["offset"]) if "array" in a
                  else ctypes.create_string_buffer(bytes.fromhex(a["hex"])) for a in job["args"]]
        arguments = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
        first_contents = [(at, allocate(size), size) for at, size in
                          ((arrays[name], size) for name, size, _ in job["arrays"])] if RESTORE else []
        for at, copy, size in first_contents:
            check(cuda.cuMemcpyDtoD_v2(copy, at, ctypes.c_size_t(size)), "copy")
        times = []
        for turn in range(ROUNDS + WARM):
            for at, copy, size in first_contents:
                check(cuda.cuMemcpyDtoD_v2(at, copy, ctypes.c_size_t(size)), "copy")
            for tool, blocks, threads, given in before:
                check(cuda.cuLaunchKernel(tool, blocks, 1, 1, threads, 1, 1, 0, None, given, None), what)
            check(cuda.cuEventRecord(first, None), what)
            check(cuda.cuLaunchKernel(function, *job["grid"], *job["block"], job["smem"], None, arguments, None), what)
            check(cuda.cuEventRecord(last, None), what)
            check(cuda.cuEventSynchronize(last), what)
            ms = ctypes.c_float()
            check(cuda.cuEventElapsedTime(ctypes.byref(ms), first, last), what)
            if turn >= WARM:
                times.append(1e3 * ms.value)
        for at in (*arrays.values(), *(copy for _, copy, _ in first_contents)):
            cuda.cuMemFree_v2(at)
        cuda.cuModuleUnload(module)
        print(f'{job["kernel"]},"{job["instance"]}",{job["launch"]},{statistics.median(times):.2f},{min(times):.2f}',
            flush=True)


if __name__ == "__main__":
    main()
