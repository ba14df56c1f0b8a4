"""Times the cubins that mixtures.py wrote, on a GPU; standard library and the driver alone.

    python3 tests/machines/time_mixtures.py FOLDER > TIMES.csv        (NAMES as a second argument: one a line,
        those alone, once)
"""

from __future__ import annotations

import ctypes
import json
import os
import statistics
import sys
from pathlib import Path

STEPS = (20, 60)
cuda = ctypes.CDLL("libcuda.so.1")


def check(code: int, what: str) -> None:
    if code:
        raise SystemExit(f"{what}: error {code} of the driver")


def main() -> None:
    folder = Path(sys.argv[1])
    jobs = json.loads((folder / "jobs.json").read_text())
    only = set(Path(sys.argv[2]).read_text().splitlines()) if len(sys.argv) > 2 and sys.argv[2] != "-" else None
    begin = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    context, device = ctypes.c_void_p(), ctypes.c_int()
    check(cuda.cuInit(0), "cuInit")
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
    check(cuda.cuCtxSetCurrent(context), "context")
    name = ctypes.create_string_buffer(64)
    cuda.cuDeviceGetName(name, 64, device)
    version = ctypes.c_int()
    cuda.cuDriverGetVersion(ctypes.byref(version))
    if not begin:
        print(f"# {name.value.decode()}, CUDA of the driver {version.value}; clocks of an instruction on its scheduler")
    sizes = {"clocks": 264 * 8, "in": 4096 * 4, "out": 132 * 4096 * 4}
    memory = {}
    for key, size in sizes.items():
        memory[key] = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(memory[key]), ctypes.c_size_t(size)), "memory")
        check(cuda.cuMemsetD8_v2(memory[key], 0, ctypes.c_size_t(size)), "memory")
    if not begin:
        print("name,clocks,spread", flush=True)
    host = (ctypes.c_int64 * 264)()
    for n, job in enumerate(jobs):
        if n < begin:
            continue
        if only is not None and job["name"] not in only:
            continue
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        image = (folder / job["cubin"]).read_bytes()
        check(cuda.cuModuleLoadData(ctypes.byref(module), image), job["name"])
        check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"mixture"), job["name"])
        times: dict[int, list[float]] = {n: [] for n in STEPS}
        for turn in range(1 if only is not None else 5):
            for count in STEPS if only is None else STEPS[1:]:
                steps = ctypes.c_int(count)
                values = [memory["clocks"], memory["in"], memory["out"], steps]
                arguments = (ctypes.c_void_p * 4)(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
                check(cuda.cuLaunchKernel(function, job["grid"], 1, 1, job["threads"], 1, 1, 0, None, arguments, None),
                      job["name"])
                if (code := cuda.cuCtxSynchronize()):
                    print(f'"{job["name"]}",failed with {code},', flush=True)
                    # Nothing can be launched after a fault but by another process.
                    os.execv(sys.executable, [sys.executable, sys.argv[0], str(folder),
                        sys.argv[2] if len(sys.argv) > 2 else "-",
                                              str(n + 1)])
                check(cuda.cuMemcpyDtoH_v2(host, memory["clocks"], ctypes.c_size_t(8 * job["grid"])), "copy")
                if turn:
                    times[count].append(statistics.median(host[:job["grid"]]))
        cuda.cuModuleUnload(module)
        if only is None:
            each = (STEPS[1] - STEPS[0]) * job["slots"] * job["warps"]
            turns = sorted((many - few) / each for few, many in zip(*times.values(), strict=True))
            print(f'"{job["name"]}",{statistics.median(turns):.4f},{turns[-1] - turns[0]:.4f}', flush=True)


if __name__ == "__main__":
    main()
