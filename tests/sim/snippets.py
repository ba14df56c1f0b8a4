"""Small kernels that are compiled, disassembled and run on the simulator, to be compared with NumPy."""

from __future__ import annotations

import contextlib
import ctypes
import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mutate.launch.model import Arg, ArrayArg, ArrayDecl, DeclarationText, Init, Launch, ScalarArg
from mutate.launch.types import INT, UCHAR
from mutate.sass.disasm import Listing, disassemble
from mutate.sim.image import read_image
from mutate.source import Span
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

ARCHS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90")
Array = npt.NDArray[Any]
Check = Callable[[Array, Array], Array]
"""(got, wanted) -> which elements are right."""

# C types of the columns of a table, and what NumPy calls them; half and bfloat16 are compared as bits.
TYPES: Mapping[str, Any] = {
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
    "__half": np.float16,
    "__half2": np.uint32,
    "__nv_bfloat16": np.uint16,
    "__nv_bfloat162": np.uint32,
    "bool": np.bool_,
}


def same_bits(got: Array, wanted: Array) -> Array:
    """Equal bit by bit, any NaN for a NaN."""
    if got.dtype.kind == "f":
        unsigned = f"u{got.dtype.itemsize}"
        right: Array = (got.view(unsigned) == wanted.view(unsigned)) | (np.isnan(got) & np.isnan(wanted))
        return right
    return np.asarray(got == wanted)


def within(ulps: float, absolute: float = 0.0) -> Check:
    """At most so many units in the last place of the wanted value, or so much, away."""

    def check(got: Array, wanted: Array) -> Array:
        with np.errstate(all="ignore"):
            exact = wanted.astype(np.float64)
            rounded = exact.astype(got.dtype)
            unit = np.spacing(np.maximum(np.abs(rounded), np.finfo(got.dtype).tiny)).astype(np.float64)
            close = np.abs(got.astype(np.float64) - exact) <= np.maximum(ulps * unit, absolute)
        return np.asarray(close | (got == rounded) | (np.isnan(got) & np.isnan(wanted)))

    return check


@dataclass(frozen=True)
class Row:
    """One expression over the inputs of a table. ``wanted`` gets the inputs by name."""

    type: str
    expression: str
    wanted: Callable[..., Any]
    check: Check = same_bits
    least: int = 0
    """The lowest architecture that has it."""


@dataclass(frozen=True)
class Snippet:
    """A kernel ``k`` and what it has to do. Its parameters are the output, then the inputs, then the scalars."""

    name: str
    source: str
    inputs: tuple[Array, ...]
    output: Array
    """What the output array holds before the launch."""
    wanted: Callable[[], Array]
    needs: Mapping[str, str] | str = ""
    """A pattern that an opcode must match, for all architectures or by the lowest one that it is meant for."""
    grid: int = 1
    block: tuple[int, int, int] = (256, 1, 1)
    smem: int = 0
    scalars: tuple[int, ...] = ()
    archs: tuple[str, ...] = ARCHS
    check: Check = same_bits
    parts: tuple[tuple[int, Row], ...] = ()
    """Of a table: where each row's results begin."""
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name


HEADERS = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
"""


def table(
    name: str,
    inputs: Mapping[str, tuple[str, Array]],
    rows: Sequence[Row],
    needs: Mapping[str, str] | str = "",
    *,
    head: str = "",
    archs: tuple[str, ...] = ARCHS,
    options: tuple[str, ...] = (),
) -> Snippet:
    """A kernel that computes all rows for each element of the inputs."""
    arrays = [np.ascontiguousarray(a) for _, a in inputs.values()]
    count = arrays[0].size
    assert all(a.size == count for a in arrays) and count % 256 == 0
    least = min(int(a[3:]) for a in archs)
    params = ", ".join(["unsigned char *out", *(f"const {t} *p_{n}" for n, (t, _) in inputs.items())])
    lines = [f"{t} {n} = p_{n}[i];" for n, (t, _) in inputs.items()]
    at, parts = 0, []
    for row in rows:
        line = f"(({row.type} *)(out + {at}))[i] = {row.expression};"
        lines.append(line if row.least <= least else f"\n#if __CUDA_ARCH__ >= {10 * row.least}\n{line}\n#endif")
        parts.append((at, row))
        at += count * np.dtype(TYPES[row.type]).itemsize
    body = "\n    ".join(lines)
    source = (
        f'{HEADERS}{head}\nextern "C" __global__ void k({params})\n{{\n'
        f"    int i = blockIdx.x * 256 + threadIdx.x;\n    {body}\n}}\n"
    )
    values = {n: a for n, (_, a) in inputs.items()}

    def wanted() -> Array:
        out = np.zeros(at, np.uint8)
        with np.errstate(all="ignore"):
            for start, row in parts:
                value = np.asarray(row.wanted(**{n: v for n, v in values.items() if n in _names(row.wanted)}))
                kind = TYPES[row.type]
                exact = value if row.check is not same_bits else None
                cast = np.ascontiguousarray(
                    np.broadcast_to(value, (count,)).astype(kind)
                    if exact is None
                    else np.broadcast_to(exact, (count,)).astype(kind)
                )
                out[start : start + cast.nbytes] = cast.view(np.uint8)
        return out

    return Snippet(
        name,
        source,
        tuple(arrays),
        np.zeros(at, np.uint8),
        wanted,
        needs,
        grid=count // 256,
        archs=archs,
        parts=tuple(parts),
        options=options,
    )


def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def job(snippet: Snippet, arch: str) -> Job:
    return Job(
        snippet.source.encode(),
        f"{re.sub('[^A-Za-z0-9_]', '_', snippet.name)}.cu",
        "k",
        CompileOptions(arch=arch, extra=snippet.options),
    )


@dataclass(frozen=True)
class Built:
    compiled: Compiled
    listing: Listing


def build(snippets: Sequence[Snippet], arch: str) -> dict[str, Built | str]:
    """All snippets of one architecture, compiled together and disassembled by one nvdisasm; a text says what failed."""
    results = compile_many([job(s, arch) for s in snippets])
    good = [(s, r) for s, r in zip(snippets, results, strict=True) if isinstance(r, Compiled)]
    listings = disassemble([(r.cubin, r.entry) for _, r in good], arch)
    out: dict[str, Built | str] = {
        s.name: r.log for s, r in zip(snippets, results, strict=True) if not isinstance(r, Compiled)
    }
    out.update({s.name: Built(r, listing) for (s, r), listing in zip(good, listings, strict=True)})
    return out


def launch_of(snippet: Snippet) -> Launch:
    span = Span(0, 0)
    arrays, args = [], []
    for number, data in enumerate((snippet.output, *snippet.inputs)):
        name = f"a{number}"
        raw = np.ascontiguousarray(data).tobytes()
        arrays.append(ArrayDecl(name, UCHAR, (len(raw),), Init("list", data=raw), number, 0, False, span))
        args.append(ArrayArg(name, 0, UCHAR, span))
    whole: list[Arg] = [*args, *(ScalarArg(INT, v, span) for v in snippet.scalars)]
    return Launch(
        "k",
        None,
        (snippet.grid, 1, 1),
        snippet.block,
        snippet.smem,
        tuple(whole),
        tuple(arrays),
        (),
        0,
        span,
        span,
        DeclarationText("snippet", b"", span),
    )


def simulate(snippet: Snippet, built: Built) -> Array:
    """The output array after the launch."""
    from mutate.sim.run import Simulation

    run = Simulation(
        read_image(built.compiled.cubin, built.compiled.entry), built.listing, launch_of(snippet), budget=200_000_000
    )
    run.run(range(snippet.grid))
    region = next(r for r in run.initial.regions if r.name == "a0")
    return run.memory.read(region).view(snippet.output.dtype).reshape(snippet.output.shape)


def differences(snippet: Snippet, got: Array, arch: str) -> list[str]:
    """What is wrong, in words: the expression, the inputs, what came out and what should have."""
    wanted = snippet.wanted()
    if not snippet.parts:
        right = snippet.check(got.reshape(-1), wanted.reshape(-1))
        return [f"[{k}]: got {got.reshape(-1)[k]}, wanted {wanted.reshape(-1)[k]}" for k in np.flatnonzero(~right)[:5]]
    out = []
    for at, row in snippet.parts:
        if row.least > int(arch[3:]):
            continue
        kind = np.dtype(TYPES[row.type])
        count = snippet.inputs[0].size
        mine = got[at : at + count * kind.itemsize].view(kind)
        good = wanted[at : at + count * kind.itemsize].view(kind)
        wrong = np.flatnonzero(~row.check(mine, good))
        if wrong.size:
            k = int(wrong[0])
            values = ", ".join(_show(a[k]) for a in snippet.inputs)
            out.append(
                f"{row.expression} of ({values}) is {_show(mine[k])}, not {_show(good[k])} "
                f"({wrong.size} of {count} wrong)"
            )
    return out


def _show(x: Any) -> str:
    if isinstance(x, np.floating):
        return f"{float(x)!r} ({x.view(f'u{x.dtype.itemsize}'):#x})"
    return f"{x} ({int(x) & (1 << 8 * x.dtype.itemsize) - 1:#x})"


def opcode_of(needs: Mapping[str, str] | str, arch: str) -> tuple[str, ...]:
    """The patterns, separated by blanks, that opcodes of an architecture must match."""
    if isinstance(needs, str):
        return tuple(needs.split())
    fitting = [k for k in needs if int(k[3:]) <= int(arch[3:])]
    return tuple(needs[max(fitting, key=lambda k: int(k[3:]))].split()) if fitting else ()


def missing(snippet: Snippet, listing: Listing, arch: str) -> list[str]:
    return [p for p in opcode_of(snippet.needs, arch) if not any(re.match(p + r"(?:\.|$)", i.opcode) for i in listing)]


# --- rounding --------------------------------------------------------------------------------------------------------

_MODES = (
    {"rn": 0, "rd": 0x400, "ru": 0x800, "rz": 0xC00}
    if platform.machine() in ("x86_64", "AMD64")
    else {"rn": 0, "rd": 0x800000, "ru": 0x400000, "rz": 0xC00000}
)


@dataclass
class _Library:
    lib: Any = field(default_factory=lambda: ctypes.CDLL(None))

    def function(self, name: str, kind: Any, count: int) -> Any:
        f = getattr(self.lib, name)
        f.restype, f.argtypes = kind, [kind] * count
        return f


_libm = _Library()


@contextlib.contextmanager
def rounding(mode: str) -> Iterator[None]:
    """The processor's rounding mode, which NumPy's arithmetic follows."""
    _libm.lib.fesetround(_MODES[mode])
    try:
        yield
    finally:
        _libm.lib.fesetround(0)


def rounded(mode: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference computed in a rounding mode."""
    names = _names(function)

    def run(*args: Any) -> Any:
        with rounding(mode):
            return function(*args)

    # The table asks a reference for its parameters' names.
    scope: dict[str, Any] = {"run": run}
    return eval(f"lambda {', '.join(names)}: run({', '.join(names)})", scope)  # type: ignore[no-any-return]


def fma(x: Array, y: Array, z: Array) -> Array:
    """The C library's fused multiply-add in the current rounding mode."""
    kind = x.dtype
    c = ctypes.c_float if kind == np.float32 else ctypes.c_double
    f = _libm.function("fmaf" if kind == np.float32 else "fma", c, 3)
    return np.array([f(float(a), float(b), float(d)) for a, b, d in zip(x, y, z, strict=True)], kind)


# --- inputs ----------------------------------------------------------------------------------------------------------


def crossed(edges: Sequence[Any], dtype: Any, count: int = 1024, arity: int = 2, seed: int = 1) -> tuple[Array, ...]:
    """Every pair of edge values first, then random bits; ``arity`` arrays."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    special = np.array(edges, kind)
    out = []
    for k in range(arity):
        noise = random.integers(0, 256, count * kind.itemsize, dtype=np.uint8).view(kind)
        n = min(count, special.size**2)
        index = np.arange(n)
        pick = (
            index % special.size
            if k == 0
            else (index // special.size % special.size if k == 1 else random.integers(0, special.size, n))
        )
        noise[:n] = special[pick]
        out.append(noise.copy())
    return tuple(out)


INT_EDGES = (
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    0x7FFFFFFE,
    0x7FFFFFFF,
    -0x80000000,
    -0x7FFFFFFF,
    -65536,
    -32769,
    -129,
    -128,
    -3,
    -2,
    -1,
)
LONG_EDGES = (
    *INT_EDGES,
    0x80000000,
    0xFFFFFFFF,
    0x100000000,
    0x1FFFFFFFF,
    0x7FFFFFFFFFFFFFFF,
    -0x8000000000000000,
    -0x7FFFFFFFFFFFFFFF,
    -0x100000000,
)
FLOAT_EDGES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    2.0,
    3.0,
    0.1,
    -0.3,
    1e-45,
    -1e-45,
    1.1754942e-38,
    1.17549435e-38,
    -1.17549435e-38,
    2.3e-38,
    3.4028235e38,
    -3.4028235e38,
    1e20,
    -1e20,
    1e-20,
    16777216.0,
    16777217.0,
    8388609.0,
    2147483648.0,
    4294967296.0,
    -2147483648.0,
    9.223372e18,
    1.8446744e19,
    0.5,
    2.5,
    -0.5,
    -1.5,
    float("inf"),
    float("-inf"),
    float("nan"),
    0.99999994,
    1.0000001,
)
HALF_EDGES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    0.1,
    6e-8,
    -6e-8,
    6.1e-5,
    -6.1e-5,
    65504.0,
    -65504.0,
    2.5,
    0.5,
    -0.5,
    3.5,
    2048.0,
    2049.0,
    1000.0,
    0.333,
    float("inf"),
    float("-inf"),
    float("nan"),
)
