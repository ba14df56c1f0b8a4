"""Holds the simulator against a real GPU, on small launches of every sample, original and all variants.

    python tests/gpu/compare.py prepare .bench/sim      # here: compile, pickle launches (no GPU needed)
    ncu ... python tests/gpu/compare.py run .bench/sim OUT    # there: see measure_simulator.sh
    python tests/gpu/compare.py check .bench/sim OUT    # here: simulate the same launches, compare, write the reference

What is compared: the bytes of all arrays after the launch, instructions executed, sectors of global memory and
wavefronts of shared memory.
"""

from __future__ import annotations

import csv
import ctypes
import hashlib
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
# Samples that use the special-function unit: their arrays are kept, for distances in units of the last place.
APPROXIMATE = ("nbody", "softmax_rows", "special_functions", "mufu")
REFERENCE = Path(__file__).resolve().parent / "reference"
CSV = REFERENCE / "h200_simulator.csv"
METRICS = {
    "instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "reduction_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "atomic_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_atomic_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    # Counted by instrumented instructions: what the code demands, without what the unit's other traffic adds.
    "sass_shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "sass_shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}


def prepare(folder: Path) -> None:
    """Compiles every sample's kernels and variants; one pickle for each launch."""
    sys.path.insert(0, str(Path(__file__).parent))
    from launches import SMALL

    from mutate.pipeline.binaries import compile_file
    from mutate.resources import samples_dir
    from mutate.results import Request
    from mutate.sim.image import read_image

    folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    for path in (*sorted(samples_dir().glob("*.cu")), Path(__file__).with_name("mufu.cu")):
        for k in compile_file(Request(path=path, settings=SMALL.get(path.stem, {}))):
            for n, launch in enumerate(k.target.launches):
                for variant, binary in {"original": k.original, **k.variants}.items():
                    name = f"{path.stem}.{k.target.stem}-{k.target.instance or ''}.{n}.{variant}".replace("<", "_")
                    image = read_image(binary.cubin, binary.entry)
                    (folder / f"{len(jobs):03}.pickle").write_bytes(pickle.dumps(
                        {"name": name, "sample": path.stem, "kernel": k.target.name, "launch": n, "variant": variant,
                         "cubin": binary.cubin, "entry": binary.entry, "parameters": image.parameters,
                         "constants": image.constants, "extra_smem": binary.extra_smem, "data": launch}))
                    jobs.append(name)
    print(f"{len(jobs)} launches in {folder}")


def _jobs(folder: Path) -> list[dict[str, Any]]:
    return [pickle.loads(p.read_bytes()) for p in sorted(folder.glob("*.pickle"))]


class _Driver:
    """The CUDA driver by ctypes: the same cubins that were certified, and nothing between."""

    def __init__(self) -> None:
        self.lib = ctypes.CDLL("libcuda.so.1")
        self._("cuInit", 0)
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self._("cuDeviceGet", ctypes.byref(device), 0)
        self._("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self._("cuCtxSetCurrent", self.context)

    def _(self, name: str, *args: Any) -> None:
        status = getattr(self.lib, name)(*args)
        if status:
            raise RuntimeError(f"{name}: error {status}")

    def launch(self, job: dict[str, Any]) -> dict[str, np.ndarray]:
        from mutate.launch.data import materialize
        from mutate.launch.model import pack_arg

        la = job["data"]
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self._("cuModuleLoadData", ctypes.byref(module), job["cubin"])
        self._("cuModuleGetFunction", ctypes.byref(function), module, job["entry"].encode())
        smem = la.smem + job["extra_smem"]
        if smem > 48 * 1024:
            self._("cuFuncSetAttribute", function, 8, smem)
        addresses, sizes = {}, {}
        for array in la.arrays:
            data = np.ascontiguousarray(materialize(array)).view(np.uint8).reshape(-1)
            pointer = ctypes.c_uint64()
            self._("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(1, data.size)))
            self._("cuMemcpyHtoD_v2", pointer, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.size))
            addresses[array.name], sizes[array.name] = pointer.value, data.size
        for symbol in la.symbols:
            data = np.ascontiguousarray(materialize(symbol)).view(np.uint8).reshape(-1)
            pointer, size = ctypes.c_uint64(), ctypes.c_size_t()
            variable = next(v.name for v in job["constants"] if symbol.name in v.name)
            self._("cuModuleGetGlobal_v2", ctypes.byref(pointer), ctypes.byref(size), module, variable.encode())
            self._("cuMemcpyHtoD_v2", pointer, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.size))
        packed = [ctypes.create_string_buffer(pack_arg(a, addresses)) for a in la.args]
        params = (ctypes.c_void_p * len(packed))(*(ctypes.cast(p, ctypes.c_void_p) for p in packed))
        self._("cuLaunchKernel", function, *la.grid, *la.block, smem, None, params, None)
        self._("cuCtxSynchronize")
        out = {}
        for name, address in addresses.items():
            data = np.empty(sizes[name], np.uint8)
            self._("cuMemcpyDtoH_v2", data.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(address),
                   ctypes.c_size_t(data.size))
            out[name] = data
            self._("cuMemFree_v2", ctypes.c_uint64(address))
        self._("cuModuleUnload", module)
        return out


def run(folder: Path, out: Path) -> None:
    """Launches everything once, in order; writes digests of all arrays, and the arrays of the originals."""
    driver = _Driver()
    digests: dict[str, dict[str, str]] = {}
    arrays: dict[str, dict[str, np.ndarray]] = {}
    for job in _jobs(folder):
        result = driver.launch(job)
        digests[job["name"]] = {n: hashlib.sha256(a).hexdigest() for n, a in result.items()}
        if job["variant"] == "original":
            mine = arrays.setdefault(job["sample"], {})
            mine.update({f"{job['name']}/{n}": a for n, a in result.items()})
    (out / "digests.json").write_text(json.dumps(digests, indent=0))
    for sample in APPROXIMATE:
        np.savez_compressed(out / f"arrays.{sample}.npz", **arrays[sample])


def _measured(out: Path) -> list[dict[str, float]]:
    """ncu's counters, one row a launch in the order of launching."""
    rows: dict[int, dict[str, float]] = {}
    lines = [line for line in (out / "ncu.csv").read_text().splitlines() if line.startswith('"')]
    by_metric = {m: n for n, m in METRICS.items()}
    for row in csv.DictReader(lines):
        if row["Metric Name"] in by_metric:
            value = float(row["Metric Value"].replace(",", "") or 0)
            rows.setdefault(int(row["ID"]), {})[by_metric[row["Metric Name"]]] = value
    return [rows[k] for k in sorted(rows)]


def simulate(job: dict[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """The same launch on the simulator: counters by ``METRICS``' names, arrays by name."""
    from mutate.sass.disasm import disassemble
    from mutate.sim import layout as lay
    from mutate.sim.image import read_image
    from mutate.sim.run import Simulation

    image = read_image(job["cubin"], job["entry"])
    (listing,) = disassemble([(job["cubin"], job["entry"])], f"sm_{image.arch}")
    la = job["data"]
    simulation = Simulation(image, listing, la, extra_smem=job["extra_smem"])
    gx, gy, gz = la.grid
    outcome = simulation.run(range(gx * gy * gz))
    counts = outcome.counts.per_instruction
    names = [i.name for i in listing]

    def total(column: int, *opcodes: str) -> int:
        return int(sum(counts[k, column] for k, n in enumerate(names) if n in opcodes))

    counters = {
        "instructions": int(counts[:, lay.EXECUTED].sum()),
        "thread_instructions": int(counts[:, lay.THREADS].sum()),
        "load_sectors": total(lay.SECTORS, "LDG", "LD", "LDGSTS"), "store_sectors": total(lay.SECTORS, "STG", "ST"),
        "reduction_sectors": total(lay.SECTORS, "RED", "REDG"),
        "atomic_sectors": total(lay.SECTORS, "ATOM", "ATOMG"),
        "local_load_sectors": total(lay.LOCAL_SECTORS, "LDL"),
        "local_store_sectors": total(lay.LOCAL_SECTORS, "STL"),
        "shared_load_wavefronts": total(lay.WAVEFRONTS, "LDS", "LDSM"),
        "shared_store_wavefronts": total(lay.WAVEFRONTS, "STS", "LDGSTS"),
        "shared_atomic_wavefronts": total(lay.WAVEFRONTS, "ATOMS"),
        "sass_shared_load_wavefronts": total(lay.WAVEFRONTS, "LDS", "LDSM"),
        "sass_shared_store_wavefronts": total(lay.WAVEFRONTS, "STS"),
    }
    return counters, {r.name: outcome.memory.read(r) for r in simulation.initial.regions if r.array is not None}


def check(folder: Path, out: Path) -> None:
    """Simulates all launches; writes tests/gpu/reference/h200_simulator.csv, one row a launch."""
    from mutate.sim.code import load_interpreter

    load_interpreter(lambda *_: None)
    jobs, measured = _jobs(folder), _measured(out)
    digests = json.loads((out / "digests.json").read_text())
    arrays: dict[str, np.ndarray] = {}
    for path in out.glob("arrays.*.npz"):
        arrays.update(np.load(path))
    if len(jobs) != len(measured):
        raise SystemExit(f"{len(jobs)} launches here, {len(measured)} measured")
    gpu_name, date = (out / "gpu.txt").read_text().split("\n")[:2]
    with CSV.open("w", newline="") as file:
        file.write(f"# {gpu_name.replace(', ', ', driver ')}; {date}; ncu --clock-control none\n"
                   "# made by: python tests/gpu/compare.py prepare .bench/sim; tests/gpu/measure_simulator.sh "
                   ".bench/sim OUT on the GPU; python tests/gpu/compare.py check .bench/sim OUT\n"
                   "# gpu_: ncu's counters (METRICS in compare.py); sim_: the simulator's; equal: arrays with the same "
                   "bytes after the launch; code: SHA-256 of the cubin, start; memory: of all arrays on the GPU\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["sample", "kernel", "launch", "variant", "code", *(f"gpu_{m}" for m in METRICS),
                         *(f"sim_{m}" for m in METRICS), "arrays", "equal", "worst_ulp", "memory"])
        for job, gpu in zip(jobs, measured, strict=True):
            sim, memory = simulate(job)
            equal = sum(hashlib.sha256(a).hexdigest() == digests[job["name"]][n] for n, a in memory.items())
            worst = _worst_ulp(job, memory, arrays) if job["variant"] == "original" else ""
            writer.writerow([job["sample"], job["kernel"], job["launch"], job["variant"], code_of(job["cubin"]),
                             *(int(gpu.get(m, 0)) for m in METRICS), *(sim[m] for m in METRICS), len(memory), equal,
                             worst, memory_digest(digests[job["name"]])])


def memory_digest(arrays: dict[str, str]) -> str:
    """Names the bytes of all arrays after a launch, from each array's SHA-256."""
    return hashlib.sha256("".join(arrays[name] for name in sorted(arrays)).encode()).hexdigest()[:16]


def code_of(cubin: bytes) -> str:
    return hashlib.sha256(cubin).hexdigest()[:16]


def _worst_ulp(job: dict[str, Any], memory: dict[str, np.ndarray], arrays: Any) -> int:
    """Largest distance between the arrays in units of the last place (of the declared scalar type)."""
    worst = 0
    for array in job["data"].arrays:
        size = array.lanes[0].size if array.lanes is not None else 4
        kind = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}[size]
        if f"{job['name']}/{array.name}" not in arrays:
            continue
        a = memory[array.name].view(kind).astype(np.int64)
        b = arrays[f"{job['name']}/{array.name}"].view(kind).astype(np.int64)
        worst = max(worst, int(np.abs(a - b).max(initial=0)))
    return worst


if __name__ == "__main__":
    mode, *rest = sys.argv[1:]
    {"prepare": prepare, "run": run, "check": check}[mode](*map(Path, rest))
