"""Asks a GPU's special-function unit for everything; holds the simulator's (``mutate.sim.lanes_mufu``) against it.

    python tests/gpu/mufu_probe.py prepare FOLDER        # on any machine: compiles
    python tests/gpu/mufu_probe.py measure FOLDER OUT    # on the GPU (needs the checkout and numba, no compiler)
    python tests/gpu/mufu_probe.py verify FOLDER OUT     # on the GPU: every operand there is, against the simulator

``measure`` writes into OUT mufu.csv (the coefficients, recovered by ``mufu_fit``: mutate/sim/data/mufu.csv), and what
the tests compare with: h200_mufu_sweeps.csv (digests of long sweeps) and h200_mufu_points.npz (answers to read).
``verify`` writes h200_mufu_all.csv, for docs/accuracy.md.
"""

from __future__ import annotations

import csv
import ctypes
import hashlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from os import cpu_count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
Words = npt.NDArray[np.uint32]
_SINGLE = ("float r; asm({!r} : \"=f\"(r) : \"f\"(__uint_as_float(in)));", "__float_as_uint(r)")
_DOUBLE = ("double r; asm({!r} : \"=d\"(r) : \"d\"(__hiloint2double(in, 0)));", "__double2hiint(r)")
_HALF = ("unsigned short r; asm({!r} : \"=h\"(r) : \"h\"((unsigned short)in));", "r")
_TURN = np.float32(0.15915494).tobytes()
"""What the compiler multiplies an angle by; one instead of it lets the unit be asked for turns."""


@dataclass(frozen=True)
class Function:
    """``name`` as in tables and files; ``lane`` and ``m``: which function of ``lanes_mufu`` it is."""

    name: str
    ptx: str
    lane: str
    m: int
    form: tuple[str, str] = _SINGLE
    operands: int = 2**32


FUNCTIONS = {f.name: f for f in (
    Function("rcp", "rcp.approx.ftz.f32", "mufu", 0), Function("rsq", "rsqrt.approx.ftz.f32", "mufu", 1),
    Function("sqrt", "sqrt.approx.ftz.f32", "mufu", 2), Function("ex2", "ex2.approx.ftz.f32", "mufu", 3),
    Function("lg2", "lg2.approx.ftz.f32", "mufu", 4), Function("sin", "sin.approx.ftz.f32", "mufu", 5),
    Function("cos", "cos.approx.ftz.f32", "mufu", 6), Function("tanh", "tanh.approx.f32", "mufu", 7),
    Function("rcp64h", "rcp.approx.ftz.f64", "mufu64", 0, _DOUBLE),
    Function("rsq64h", "rsqrt.approx.ftz.f64", "mufu64", 1, _DOUBLE),
    Function("ex2.f16", "ex2.approx.f16", "mufu_half", 3, _HALF, 2**16),
    Function("tanh.f16", "tanh.approx.f16", "mufu_half", 7, _HALF, 2**16),
    Function("ex2.bf16", "ex2.approx.ftz.bf16", "mufu_half", 11, _HALF, 2**16),
    Function("tanh.bf16", "tanh.approx.bf16", "mufu_half", 15, _HALF, 2**16),
)}


@dataclass(frozen=True)
class Sweep:
    """The function of the bit patterns start, start + stride, ... (modulo 2**32), ``count`` of them."""

    function: str
    start: int
    stride: int
    count: int

    def operands(self) -> Words:
        numbers = self.start + self.stride * np.arange(self.count, dtype=np.uint64)
        return (numbers & np.uint64(0xFFFFFFFF)).astype(np.uint32)


def octaves(function: str, low: float, count: int, stride: int = 1) -> Sweep:
    """All singles (or each stride-th) of ``count`` octaves from ``low`` on."""
    return Sweep(function, int(np.float32(low).view(np.uint32)), stride, count * 2**23 // stride)


def sweeps() -> Iterator[Sweep]:
    """First what the coefficients are recovered from, then the whole range of operands, thinned."""
    yield octaves("rcp", 1, 1)
    yield octaves("rsq", 1, 2)
    yield octaves("sqrt", 1, 2)
    yield octaves("ex2", 1, 1)
    yield octaves("ex2", -0.25, 3)
    yield octaves("lg2", 0.5, 2)
    yield octaves("sin", 0.25, 3)
    yield octaves("cos", 0.25, 3)
    yield octaves("tanh", 2.0**-9, 12, 8)
    yield Sweep("rcp64h", 0x3FF00000, 1, 2**20)
    yield Sweep("rsq64h", 0x3FF00000, 1, 2**21)
    for f in FUNCTIONS.values():
        yield Sweep(f.name, 12345, 1021, 2**32 // 1021) if f.operands == 2**32 else Sweep(f.name, 0, 1, 2**16)


def points(function: str) -> list[Sweep]:
    """Operands whose answers are kept word by word: all exponents with mantissas at the ends and between."""
    if FUNCTIONS[function].operands == 2**16:
        return [Sweep(function, 0, 37, 2**16 // 37)]
    return [Sweep(function, m, 2**23, 512) for m in (0, 1, 2, 0x123456, 0x3FFFFF, 0x400000, 0x6789AB, 0x7FFFFF)]


@cache
def _lanes(name: str) -> tuple[Any, Any]:
    from numba import njit

    from mutate.sim import lanes_mufu

    lane = getattr(lanes_mufu, name)

    def answers(words: Words, m: int) -> Words:
        out = np.empty(len(words), np.uint32)
        for i in range(len(words)):
            out[i] = lane(words[i], m)
        return out

    def equal(start: int, theirs: Words, m: int) -> int:
        found = 0
        for i in range(len(theirs)):
            found += np.uint32(lane(np.uint32(start + i), m)) == theirs[i]
        return found

    compile_ = njit(error_model="numpy", nogil=True)
    compiled: tuple[Any, Any] = compile_(answers), compile_(equal)
    return compiled


def simulated(function: str, words: Words) -> Words:
    """The simulator's answers."""
    f = FUNCTIONS[function]
    out: Words = _lanes(f.lane)[0](words, f.m)
    return out


def equal(function: str, start: int, theirs: Words) -> int:
    """To how many of the operands start, start + 1, ... the simulator gives these answers."""
    f = FUNCTIONS[function]
    return int(_lanes(f.lane)[1](start, theirs, f.m))


def digest(answers: Words) -> str:
    return hashlib.sha256(answers.tobytes()).hexdigest()[:16]


def prepare(folder: Path) -> None:
    """One pickle: cubin and symbol for each function."""
    from mutate.toolchain.nvrtc import Compiled, compile_program
    from mutate.toolchain.options import CompileOptions

    found = {}
    for number, f in enumerate(FUNCTIONS.values()):
        body, result = f.form
        asm = body.format("@").replace("'@'", f'"{f.ptx} %0, %1;"')
        source = (f"extern \"C\" __global__ void ask{number}(unsigned *out, unsigned start, unsigned stride) {{\n"
                  "unsigned i = blockIdx.x * blockDim.x + threadIdx.x, in = start + i * stride;\n"
                  f"{asm} out[i] = {result}; }}\n")
        compiled = compile_program(source.encode(), f"{f.name}.cu", f"ask{number}", CompileOptions(arch="sm_90"))
        if not isinstance(compiled, Compiled):
            raise SystemExit(compiled.log)
        cubin = compiled.cubin
        if f.name in ("sin", "cos"):
            if cubin.count(_TURN) != 1:
                raise SystemExit(f"{f.name}: the factor of turns is there {cubin.count(_TURN)} times")
            cubin = cubin.replace(_TURN, np.float32(1).tobytes())
        found[f.name] = (cubin, compiled.entry)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mufu.pickle").write_bytes(pickle.dumps(found))


class Unit:
    """The GPU's unit, by the CUDA driver."""

    MOST = 2**26

    def __init__(self, folder: Path) -> None:
        from compare import _Driver

        self.driver = _Driver()
        self.functions = {}
        for name, (cubin, entry) in pickle.loads((folder / "mufu.pickle").read_bytes()).items():
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            self.driver._("cuModuleLoadData", ctypes.byref(module), cubin)
            self.driver._("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
            self.functions[name] = function
        self.memory, page = ctypes.c_uint64(), ctypes.c_void_p()
        self.driver._("cuMemAlloc_v2", ctypes.byref(self.memory), ctypes.c_size_t(4 * self.MOST))
        self.driver._("cuMemAllocHost_v2", ctypes.byref(page), ctypes.c_size_t(4 * self.MOST))
        assert page.value is not None
        self.answers: Words = np.ctypeslib.as_array((ctypes.c_uint32 * self.MOST).from_address(page.value))

    def __call__(self, s: Sweep) -> Words:
        """Answers in the order of the operands, at most ``MOST``; they are there until the next call."""
        blocks = -(-s.count // 256)
        arguments = (self.memory, ctypes.c_uint32(s.start), ctypes.c_uint32(s.stride))
        pointers = (ctypes.c_void_p * 3)(*(ctypes.cast(ctypes.byref(a), ctypes.c_void_p) for a in arguments))
        self.driver._("cuLaunchKernel", self.functions[s.function], blocks, 1, 1, 256, 1, 1, 0, None, pointers, None)
        self.driver._("cuMemcpyDtoH_v2", ctypes.c_void_p(self.answers.ctypes.data), self.memory,
                      ctypes.c_size_t(4 * s.count))
        return self.answers[: s.count]


def _about(command: str, what: str) -> str:
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], check=True,
                         capture_output=True, text=True).stdout.splitlines()[0]
    return (f"# {gpu.replace(', ', ', driver ')}; {datetime.now(UTC):%F}\n# made by: python tests/gpu/mufu_probe.py "
            f"prepare FOLDER; python tests/gpu/mufu_probe.py {command} FOLDER OUT on the GPU\n# {what}\n")


def measure(unit: Callable[[Sweep], Words], out: Path) -> None:
    """Asks for all sweeps and points; recovers the coefficients."""
    import mufu_fit

    answers = [(s, unit(s).copy()) for s in sweeps()]
    with (out / "h200_mufu_sweeps.csv").open("w", newline="") as file:
        file.write(_about("measure", "answers: SHA-256, start, of the answers to operands start, start + stride, ..."))
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["function", "start", "stride", "count", "answers"])
        writer.writerows([s.function, f"{s.start:#010x}", s.stride, s.count, digest(a)] for s, a in answers)
    kept: dict[str, Any] = {name: np.concatenate([unit(s).copy() for s in points(name)]) for name in FUNCTIONS}
    np.savez_compressed(out / "h200_mufu_points.npz", **kept)
    first: dict[str, Words] = {}
    for s, a in answers:
        first.setdefault(s.function, a)
    rows = mufu_fit.recover(first)
    (out / "mufu.csv").write_text(_about("measure", mufu_fit.EXPLANATION) + "function,c0,c1,c2,unit\n" + "".join(
        f"{name},{c0},{c1},{c2},{scale}\n" for name, c0, c1, c2, scale in rows))


def verify(folder: Path, out: Path) -> None:
    """Compares the answers to all operands there are, bit by bit."""
    unit, cores = Unit(folder), cpu_count() or 1
    with (out / "h200_mufu_all.csv").open("w", newline="") as file, ThreadPoolExecutor(cores) as pool:
        file.write(_about("verify", "operands: all there are; equal: to how many the simulator's answer is the same"))
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["function", "operands", "equal"])
        for f in FUNCTIONS.values():
            equal(f.name, 0, np.zeros(1, np.uint32))  # compiles
            same = 0
            for start in range(0, f.operands, Unit.MOST):
                theirs = unit(Sweep(f.name, start, 1, min(f.operands, Unit.MOST)))
                parts = np.array_split(theirs, cores)
                begins = start + np.cumsum([0, *map(len, parts[:-1])])
                same += sum(pool.map(partial(equal, f.name), begins.tolist(), parts))
            writer.writerow([f.name, f.operands, same])
            file.flush()
            print(f.name, same, "of", f.operands)


if __name__ == "__main__":
    mode, *rest = sys.argv[1:]
    actions: dict[str, Callable[..., Any]] = {
        "prepare": prepare, "measure": lambda folder, out: measure(Unit(folder), out), "verify": verify}
    actions[mode](*map(Path, rest))
