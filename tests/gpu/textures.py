"""Holds texture fetches and surface accesses of the simulator against a real GPU.

    python tests/gpu/textures.py prepare FOLDER      # here: compile the cases for sm_90 (no GPU needed)
    tests/gpu/measure_textures.sh FOLDER OUT         # there: launch them through the CUDA driver, and under ncu
    python tests/gpu/textures.py check FOLDER OUT    # here: simulate the same launches, compare, write the reference

The cases are those of tests/sim/test_textures.py and probes of what the programming guide leaves open: how coordinates
are rounded, how exactly weighted sums are computed, which face a direction on an edge belongs to, what lies outside.
"""

from __future__ import annotations

import csv
import ctypes
import json
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "sim"), str(Path(__file__).parent)]
COUNTED = "instructions executed"
REFERENCE = Path(__file__).resolve().parent / "reference" / "h200_textures.npz"

_POINT = "cudaTextureDesc d;"
_LINEAR = "cudaTextureDesc d = { .filterMode = cudaFilterModeLinear };"
_NORMAL = "cudaTextureDesc d = { .normalizedCoords = 1 };"
_BOTH = "cudaTextureDesc d = { .filterMode = cudaFilterModeLinear, .normalizedCoords = 1 };"
_RAMP = "float img[64] = iota(0, 1);"


def _probe(declaration: str, params: str, body: str, count: int = 4096) -> str:
    return (f"/* kmutate launch\n{declaration}\ndim3 grid = {{{count // 256}}}; dim3 block = {{256}};\nk(out, t);\n*/\n"
            f'extern "C" __global__ void k({params}, cudaTextureObject_t t)\n{{\n'
            f"    int i = blockIdx.x * 256 + threadIdx.x;\n    {body}\n}}\n")


def _spread(desc: str, call: str, img: str = "float img[37][61] = uniform(-1, 1);",
            made: str = "texture2D(img, 61, 37, d)", scale: str = "61, 37", result: str = "float") -> str:
    """Places all over a texture and around it."""
    return _probe(
        f"{img} {result} out[4096]; {desc} cudaTextureObject_t t = {made};",
        f"{result} *out",
        f"float sx[2] = {{{scale}}}; unsigned h = i * 2654435761u; unsigned g = (h ^ h >> 15) * 2246822519u; "
        "g ^= g >> 13;\n    float x = ((h >> 8) * 5.9604645e-8f * 1.5f - 0.25f) * sx[0], "
        "y = ((g >> 8) * 5.9604645e-8f * 1.5f - 0.25f) * sx[1], z = y * 0.37f + x * 0.21f;\n    (void)x; (void)y; "
        f"(void)z; out[i] = {call};")


_FRACTION = "cudaTextureDesc d = { .filterMode = cudaFilterModeLinear, .readMode = cudaReadModeNormalizedFloat };"
PROBES = {
    # x = i / 2048: the value is the texel's number plus the weight.
    "weights": _probe(f"{_RAMP} float out[4096]; {_LINEAR} cudaTextureObject_t t = texture2D(img, 64, 1, d);",
                      "float *out", "out[i] = tex2D<float>(t, 1.0f + i * (1.0f / 2048), 0.5f);"),
    "weights normalized": _probe(f"{_RAMP} float out[4096]; {_BOTH} cudaTextureObject_t t = texture2D(img, 64, 1, d);",
                                 "float *out", "out[i] = tex2D<float>(t, (1.0f + i * (1.0f / 2048)) / 64, 0.5f);"),
    "nearest near an edge": _probe(
        f"{_RAMP} float out[4096]; {_POINT} cudaTextureObject_t t = texture2D(img, 64, 1, d);", "float *out",
        "float at = 1 + i / 128; int n = i % 128 - 64; out[i] = tex2D<float>(t, n == 0 ? at : __int_as_float("
        "__float_as_int(at) + (n < 0 ? -(1 << (-n / 3)) : 1 << (n / 3))), 0.5f);"),
    "nearest normalized": _probe(
        f"float img[61] = iota(0, 1); float out[4096]; {_NORMAL} cudaTextureObject_t t = texture2D(img, 61, 1, d);",
        "float *out", "float at = (1 + i / 128) / 61.0f; int n = i % 128 - 64; out[i] = tex2D<float>(t, n == 0 ? at : "
        "__int_as_float(__float_as_int(at) + (n < 0 ? -(1 << (-n / 4)) : 1 << (n / 4))), 0.5f);"),
    "sums of float": _spread(_LINEAR, "tex2D<float>(t, x, y)"),
    "sums of float normalized": _spread(_BOTH, "tex2D<float>(t, x, y)", scale="1, 1"),
    "sums of three dimensions": _spread(_LINEAR, "tex3D<float>(t, x, y, z)", "float img[9][17][23] = uniform(-1, 1);",
                                        "texture3D(img, 23, 17, 9, d)", "23, 17"),
    "sums of unsigned char": _spread(_FRACTION, "tex2D<float>(t, x, y)",
                                     "unsigned char img[37][61] = randint(0, 255);"),
    "sums of short": _spread(_FRACTION, "tex2D<float>(t, x, y)", "short img[37][61] = randint(-32768, 32767);"),
    "sums of half": _spread(_LINEAR, "tex2D<float>(t, x, y)", "half img[37][61] = uniform(-1, 1);"),
    "fractions of signed char": _spread("cudaTextureDesc d = { .readMode = cudaReadModeNormalizedFloat };",
                                        "tex2D<float>(t, x, y)", "signed char img[37][61] = randint(-128, 127);"),
    "faces": _spread(_NORMAL, "texCubemap<float>(t, 0.25f * floorf(9 * x - 4), 0.25f * floorf(9 * y - 4), 0.25f * "
                     "floorf(9 * z - 4) + 1e-3f * (z == 0))", "float img[6] = iota(0, 1);", "textureCubemap(img, 1, d)",
                     "1, 1"),
    "directions": _spread(_BOTH, "texCubemap<float>(t, 2 * x - 1, 2 * y - 1, 2 * z - 1)",
                          "float img[6][16][16] = uniform(0, 1);", "textureCubemap(img, 16, d)", "1, 1"),
    "gather": _spread(_POINT, "tex2Dgather<float4>(t, x, y, 0)", result="float4"),
    "outside linear memory": _probe(f"{_RAMP} float out[256]; cudaTextureObject_t t = textureLinear(img, 60);",
                                    "float *out", "out[i] = tex1Dfetch<float>(t, i - 100);", 256),
}
# Only the GPU runs these: the simulator refuses them, and what comes out says whether it has to.
OPEN = {
    "missing channels": _probe(f"{_RAMP} float4 out[256]; cudaTextureObject_t t = texture2D(img, 64, 1);",
                               "float4 *out", "out[i] = tex2D<float4>(t, i, 0);", 256),
    "missing integer channels": _probe("int img[64] = iota(0, 1); int4 out[256]; cudaTextureObject_t t = "
                                       "texture2D(img, 64, 1);", "int4 *out", "out[i] = tex2D<int4>(t, i, 0);", 256),
    "no number": _probe(f"{_RAMP} float out[256]; {_LINEAR} cudaTextureObject_t t = texture2D(img, 64, 1, d);",
                        "float *out", "out[i] = tex2D<float>(t, i == 0 ? nanf(\"\") : i == 1 ? 1.0f / 0.0f : i == 2 ? "
                        "-1.0f / 0.0f : 5.0f, i == 3 ? nanf(\"\") : 0.5f);", 256),
    "layers outside": _probe("float img[4] = iota(0, 1); float out[256]; cudaTextureObject_t t = "
                             "texture1DLayered(img, 1, 4);", "float *out",
                             "out[i] = tex1DLayered<float>(t, 0.0f, i - 5);", 256),
}


def sources() -> dict[str, str]:
    """Every case by name; those of the simulator's tests begin with ``test``."""
    from test_textures import CASES

    return {**{f"test {c.name}": c.source.decode() for c in CASES}, **PROBES, **OPEN}


def prepare(folder: Path) -> None:
    """Compiles all; one pickle for each launch."""
    from mutate.launch import evaluate_all, find_declarations
    from mutate.toolchain.nvrtc import Compiled, Job, compile_many
    from mutate.toolchain.options import CompileOptions

    folder.mkdir(parents=True, exist_ok=True)
    every = sources()
    options = CompileOptions(arch="sm_90")
    results = compile_many([Job(s.encode(), "textures.cu", "k", options) for s in every.values()])
    for number, ((name, source), result) in enumerate(zip(every.items(), results, strict=True)):
        if not isinstance(result, Compiled):
            raise SystemExit(f"{name}: {result.log}")
        (launch,) = evaluate_all(find_declarations(source.encode(), "textures.cu"))
        (folder / f"{number:03}.pickle").write_bytes(pickle.dumps(
            {"name": name, "cubin": result.cubin, "entry": result.entry, "constants": (), "extra_smem": 0,
             "data": launch}))
    print(f"{len(every)} launches in {folder}")


# --- the CUDA driver: cuda.h's structures ---

_S, _I, _U, _P = ctypes.c_size_t, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p
_FORMATS = {"unsigned char": 1, "unsigned short": 2, "unsigned int": 3, "signed char": 8, "char": 8, "short": 9,
            "int": 10, "__half": 0x10, "float": 0x20}


class ArrayDescriptor(ctypes.Structure):
    _fields_ = [("width", _S), ("height", _S), ("depth", _S), ("format", _I), ("channels", _U), ("flags", _U)]


class Side(ctypes.Structure):
    _fields_ = [("x", _S), ("y", _S), ("z", _S), ("lod", _S), ("type", _I), ("host", _P), ("device", ctypes.c_uint64),
                ("array", _P), ("reserved", _P), ("pitch", _S), ("height", _S)]


class Copy(ctypes.Structure):
    _fields_ = [("src", Side), ("dst", Side), ("width", _S), ("height", _S), ("depth", _S)]


class Linear(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_uint64), ("format", _I), ("channels", _U), ("width", _S), ("height", _S),
                ("pitch", _S)]


class Resource(ctypes.Union):
    _fields_ = [("array", _P), ("linear", Linear), ("reserved", _I * 32)]


class ResourceDescriptor(ctypes.Structure):
    _fields_ = [("type", _I), ("resource", Resource), ("flags", _U)]


class TextureDescriptor(ctypes.Structure):
    _fields_ = [("address", _I * 3), ("filter", _I), ("flags", _U), ("anisotropy", _U), ("mipmap", _I),
                ("levels", ctypes.c_float * 3), ("border", ctypes.c_float * 4), ("reserved", _I * 12)]


class Objects:
    """The objects of a launch on the GPU; one array of texels for all objects over the same bytes."""

    def __init__(self, driver: Any, launch: Any, data: dict[str, np.ndarray]) -> None:
        self.call = driver._
        self.launch = launch
        self.arrays: dict[Any, ctypes.c_void_p] = {}
        self.handles = {t.handle: self._make(t, data[t.array][t.offset :]) for t in launch.textures}

    def _extent(self, made: Any) -> tuple[int, int, int]:
        deep = made.depth if made.shape == "3D" else made.layers if made.layers > 1 or "Layered" in made.shape else 0
        return made.width, 0 if made.shape.startswith("1D") else made.height, deep

    def _texels(self, made: Any, data: np.ndarray) -> ctypes.c_void_p:
        key = made.array, made.offset, made.shape, self._extent(made), made.scalar, made.channels
        if key in self.arrays:
            return self.arrays[key]
        width, height, deep = self._extent(made)
        flags = ("Layered" in made.shape) * 1 | 2 | made.shape.startswith("Cubemap") * 4 | (made.shape == "2D") * 8
        descriptor = ArrayDescriptor(width, height, deep, _FORMATS[made.scalar.name], made.channels, flags)
        array = ctypes.c_void_p()
        self.call("cuArray3DCreate_v2", ctypes.byref(array), ctypes.byref(descriptor))
        self.arrays[key] = array
        self._copy(made, array, data, back=False)
        return array

    def _copy(self, made: Any, array: ctypes.c_void_p, data: np.ndarray, back: bool) -> None:
        host = Side(type=1, host=data.ctypes.data, pitch=made.pitch, height=made.height)
        texels = Side(type=3, array=array.value)
        _, height, deep = self._extent(made)
        copy = Copy(texels if back else host, host if back else texels, made.width * made.texel, max(1, height),
                    max(1, deep))
        self.call("cuMemcpy3D_v2", ctypes.byref(copy))

    def _make(self, made: Any, data: np.ndarray) -> int:
        resource = ResourceDescriptor()
        if made.shape == "Linear" or made.pitch != made.width * made.texel:
            pointer = ctypes.c_uint64()
            size = made.nbytes if made.shape == "Linear" else made.pitch * made.height
            self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
            self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(size))
            pitched = made.shape != "Linear"
            resource.type = 3 if pitched else 2
            resource.resource.linear = Linear(pointer.value, _FORMATS[made.scalar.name], made.channels,
                                              made.width if pitched else made.nbytes, made.height, made.pitch)
        else:
            resource.resource.array = self._texels(made, data).value
        handle = ctypes.c_uint64()
        if made.surface:
            self.call("cuSurfObjectCreate", ctypes.byref(handle), ctypes.byref(resource))
            return handle.value
        modes = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
        integer = made.scalar.is_integer and not made.normalized_float
        texture = TextureDescriptor(address=(_I * 3)(*(modes[m] for m in made.address)), filter=int(made.linear),
                                    flags=integer | made.normalized << 1, border=(ctypes.c_float * 4)(*made.border))
        self.call("cuTexObjectCreate", ctypes.byref(handle), ctypes.byref(resource), ctypes.byref(texture), None)
        return handle.value

    def read_back(self, data: dict[str, np.ndarray]) -> None:
        """The texels of surfaces into their arrays."""
        for made in self.launch.textures:
            if made.surface:
                self._copy(made, self._texels(made, data[made.array]), data[made.array][made.offset :], back=True)


def _launch(driver: Any, job: dict[str, Any]) -> dict[str, np.ndarray]:
    """The bytes of all arrays after a launch."""
    from mutate.launch.data import materialize
    from mutate.launch.model import ScalarArg, pack_arg
    from mutate.launch.types import SURFACE_OBJECT, TEXTURE_OBJECT

    la, call = job["data"], driver._
    data = {a.name: np.array(np.ascontiguousarray(materialize(a)).view(np.uint8).reshape(-1)) for a in la.arrays}
    objects = Objects(driver, la, data)
    kinds = (TEXTURE_OBJECT, SURFACE_OBJECT)
    for array in la.arrays:
        if array.elem in kinds:
            held = data[array.name].view(np.uint64)
            held[:] = [objects.handles[int(h)] for h in held]
    args = [replace(a, value=objects.handles[int(a.value)]) if isinstance(a, ScalarArg) and a.type in kinds else a
            for a in la.args]
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), job["cubin"])
    call("cuModuleGetFunction", ctypes.byref(function), module, job["entry"].encode())
    addresses = {}
    for name, raw in data.items():
        pointer = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(raw.size))
        call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(raw.ctypes.data), ctypes.c_size_t(raw.size))
        addresses[name] = pointer.value
    packed = [ctypes.create_string_buffer(pack_arg(a, addresses)) for a in args]
    params = (ctypes.c_void_p * len(packed))(*(ctypes.cast(p, ctypes.c_void_p) for p in packed))
    call("cuLaunchKernel", function, *la.grid, *la.block, 0, None, params, None)
    call("cuCtxSynchronize")
    for name, raw in data.items():
        call("cuMemcpyDtoH_v2", ctypes.c_void_p(raw.ctypes.data), ctypes.c_uint64(addresses[name]),
             ctypes.c_size_t(raw.size))
    objects.read_back(data)
    return data


def run(folder: Path, out: Path) -> None:
    """Launches everything; the arrays and what failed go to ``out``."""
    from compare import _Driver

    driver = _Driver()
    arrays: dict[str, np.ndarray] = {}
    failed = {}
    for path in sorted(folder.glob("*.pickle")):
        job = pickle.loads(path.read_bytes())
        try:
            arrays.update({f"{job['name']}/{n}": a for n, a in _launch(driver, job).items()})
        except Exception as error:  # one case that fails must not cost the others
            failed[job["name"]] = repr(error)
    np.savez_compressed(out / "textures.npz", **arrays)
    (out / "failed.json").write_text(json.dumps(failed, indent=1))
    print(len(arrays), "arrays;", failed or "nothing failed")


def simulated(job: dict[str, Any]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The bytes of all arrays after the launch on the simulator; instructions of warps and of threads."""
    from compare import simulate

    counters, memory = simulate(job)
    return memory, np.array([counters["instructions"], counters["thread_instructions"]])


def _counted(out: Path) -> list[np.ndarray]:
    """What ncu counted of each launch, in order: instructions of warps and of threads."""
    rows: dict[int, dict[str, int]] = {}
    for row in csv.DictReader([line for line in (out / "ncu.csv").read_text().splitlines() if line.startswith('"')]):
        rows.setdefault(int(row["ID"]), {})[row["Metric Name"]] = int(row["Metric Value"].replace(",", ""))
    names = "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum"
    return [np.array([rows[k][n] for n in names]) for k in sorted(rows)]


def apart(launch: Any, name: str, mine: np.ndarray, theirs: np.ndarray) -> tuple[float, int]:
    """Largest difference of an array's elements and how many are unequal."""
    from mutate.launch.data import dtype_of

    kind = dtype_of(launch.array(name).lanes[0])
    a, b = mine.view(kind), theirs.view(kind)
    unequal = int((mine.reshape(a.size, -1) != theirs.reshape(a.size, -1)).any(axis=1).sum())
    with np.errstate(invalid="ignore"):
        return float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0.0)), unequal


def check(folder: Path, out: Path) -> None:
    """Prints how far the simulator is from the GPU; keeps what the GPU computed and counted, for which code."""
    from compare import code_of

    from mutate.sim.code import load_interpreter

    load_interpreter(lambda *_: None)
    arrays = dict(np.load(out / "textures.npz"))
    kept: dict[str, np.ndarray] = {}
    paths = sorted(folder.glob("*.pickle"))
    for path, counted in zip(paths, _counted(out), strict=True):
        job = pickle.loads(path.read_bytes())
        names = [n for n in (a.name for a in job["data"].arrays) if f"{job['name']}/{n}" in arrays]
        written = [n for n in names if n not in ("x", "y", "z", "t", "img", "line", "raw")]
        kept.update({f"{job['name']}/{n}": arrays[f"{job['name']}/{n}"] for n in written})
        if job["name"] in OPEN:
            continue
        memory, executed = simulated(job)
        kept[f"{job['name']}/{COUNTED}"] = np.array([*counted, int(code_of(job["cubin"])[:15], 16)])
        if (executed != counted).any():
            print(f"{job['name']}: {executed} instructions of warps and threads, {counted} on the GPU")
        for n in written:
            most, unequal = apart(job["data"], n, memory[n], arrays[f"{job['name']}/{n}"])
            print(f"{job['name']:<50}{n:<8}{unequal:>8} unequal, at most {most:.3g} apart")
    about = (out / "gpu.txt").read_text().strip().replace("\n", "; ")
    command = ("python tests/gpu/textures.py prepare .tex/jobs; tests/gpu/measure_textures.sh .tex/jobs OUT on the "
               "GPU; python tests/gpu/textures.py check .tex/jobs OUT")
    np.savez_compressed(REFERENCE, about=np.array([about, command]), **kept)


if __name__ == "__main__":
    mode, *rest = sys.argv[1:]
    {"prepare": prepare, "run": run, "check": check}[mode](*map(Path, rest))
