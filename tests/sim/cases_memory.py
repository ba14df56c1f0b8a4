"""Loads, stores, atomics and copies of every space and width."""

# A table asks each reference for the names of its parameters, which NumPy's functions do not tell.
# ruff: noqa: PLW0108

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from cases_float import to_bf16
from snippets import ARCHS, HEADERS, Array, Check, Snippet, same_bits

_RANDOM = np.random.default_rng(11)
_WORDS = _RANDOM.integers(0, 1 << 32, 4096, dtype=np.uint32)
_INDEX = _RANDOM.integers(0, 1 << 20, 1024).astype(np.int32)


def kernel(
    name: str,
    params: str,
    body: str,
    inputs: tuple[Array, ...],
    output: Array,
    wanted: Callable[[], Array],
    needs: Mapping[str, str] | str = "",
    *,
    head: str = "",
    **more: Any,
) -> Snippet:
    start = "    int i = blockIdx.x * blockDim.x + threadIdx.x;"
    source = f'{HEADERS}{head}\nextern "C" __global__ void k({params})\n{{\n{start}\n{body}\n}}\n'
    return Snippet(name, source, inputs, output, wanted, needs, **more)


def _at(x: Array, i: int) -> Any:
    return x[i % x.size]


_NARROW = kernel(
    "narrow loads",
    "int *out, const signed char *s8, const unsigned char *u8, const short *s16, const unsigned short *u16",
    """    out[6 * i] = s8[3 * i + 1]; out[6 * i + 1] = u8[3 * i + 2]; out[6 * i + 2] = s16[i + 1];
        out[6 * i + 3] = u16[2 * i];
    ((short *)out)[12 * i + 8] = s8[i]; ((unsigned char *)out)[24 * i + 18] = u16[i];
    ((unsigned char *)out)[24 * i + 19] = s16[i] >> 3; out[6 * i + 5] = s8[i] * u8[i];""",
    (_WORDS.view(np.int8), _WORDS.view(np.uint8), _WORDS.view(np.int16), _WORDS.view(np.uint16)),
    np.zeros(256 * 6, np.int32),
    lambda: _narrow(),
    "LDG.E.S8 LDG.E.U8 LDG.E.S16 LDG.E.U16 STG.E.U8 STG.E.U16",
)


def _narrow() -> Array:
    s8, u8, s16, u16 = (_WORDS.view(t).astype(np.int64) for t in (np.int8, np.uint8, np.int16, np.uint16))
    i = np.arange(256)
    out = np.zeros((256, 6), np.int32)
    out[:, 0], out[:, 1], out[:, 2], out[:, 3] = s8[3 * i + 1], u8[3 * i + 2], s16[i + 1], u16[2 * i]
    out[:, 4] = ((s8[i] & 0xFFFF) | (u16[i] & 255) << 16 | (s16[i] >> 3 & 255) << 24).astype(np.uint32).view(np.int32)
    out[:, 5] = s8[i] * u8[i]
    return out.reshape(-1)


_VECTORS = kernel(
    "vectors",
    "float4 *out, const float2 *a, const float4 *b, const double2 *c, const uchar4 *d, const short4 *e",
    """    float2 x = a[i + 1]; float4 y = b[2 * i]; double2 z = c[i]; uchar4 u = d[i]; short4 v = e[i];
    out[3 * i] = make_float4(x.y, y.w, y.x, x.x);
    out[3 * i + 1] = make_float4(u.x, u.w, v.y, v.z);
    ((double2 *)out)[3 * i + 2] = make_double2(z.y * 2.0, z.x);""",
    (
        _RANDOM.random(1024, np.float32),
        _RANDOM.random(4096, np.float32),
        _RANDOM.random(1024),
        _WORDS.view(np.uint8),
        _WORDS.view(np.int16),
    ),
    np.zeros(256 * 12, np.float32),
    lambda: _vectors(),
    "LDG.E.64 LDG.E.128 STG.E.128",
)


def _vectors() -> Array:
    a, b, c, d, e = _VECTORS.inputs
    i = np.arange(256)
    out = np.zeros((256, 12), np.float32)
    a, b, c, d, e = a.reshape(-1, 2), b.reshape(-1, 4), c.reshape(-1, 2), d.reshape(-1, 4), e.reshape(-1, 4)
    out[:, 0], out[:, 1], out[:, 2], out[:, 3] = a[i + 1, 1], b[2 * i, 3], b[2 * i, 0], a[i + 1, 0]
    out[:, 4], out[:, 5], out[:, 6], out[:, 7] = d[i, 0], d[i, 3], e[i, 1], e[i, 2]
    out[:, 8:] = np.stack([c[i, 1] * 2, c[i, 0]], 1).astype(np.float64).view(np.float32)
    return out.reshape(-1)


_HINTS = kernel(
    "cache hints",
    "int *out, const int *a",
    """    out[i] = __ldg(a + i) + __ldcg(a + i + 1) + __ldca(a + i + 2) + __ldcs(a + i + 3) + __ldlu(a + i + 4) +
        __ldcv(a + i + 5);
    int v = *(volatile const int *)(a + i); asm volatile("prefetch.global.L2 [%0];" :: "l"(a + i));
    __stcg(out + 256 + i, v); __stcs(out + 512 + i, v + 1); __stwt(out + 768 + i, v + 2); __threadfence();
        __threadfence_system();
    *(volatile int *)(out + 1024 + i) = v; __threadfence_block(); __nanosleep(10);
    asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(out + 1280 + i), "r"(v)); int w;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(w) : "l"(a + i + 7)); out[1536 + i] = w;""",
    (_INDEX,),
    np.zeros(256 * 7, np.int32),
    lambda: np.concatenate(
        [
            sum(_INDEX[k : 256 + k] for k in range(6)),
            _INDEX[:256],
            _INDEX[:256] + 1,
            _INDEX[:256] + 2,
            _INDEX[:256],
            _INDEX[:256],
            _INDEX[7:263],
        ]
    ).astype(np.int32),
    "LDG.E STG.E",
)

_SHARED = kernel(
    "shared",
    "double *out, const int *a",
    """    __shared__ int words[512]; __shared__ double wide[128]; __shared__ unsigned char bytes[300];
        extern __shared__ float4 dynamic[];
    int t = threadIdx.x; words[t] = a[t]; words[256 + (t * 7 & 255)] = a[t] * 2; wide[t & 127] = 0; bytes[t] = a[t];
        dynamic[t] = make_float4(t, a[t], 2, 3);
    __syncthreads(); if (t < 128) wide[t] = words[255 - t] * 0.5; ((short *)(bytes + 256))[t % 22] = t % 22;
    __syncthreads(); float4 d = dynamic[t ^ 5]; int2 w2 = ((int2 *)words)[t]; int4 w4 = ((int4 *)words)[t & 127];
    out[t] = words[256 + t] + wide[t & 127] * 4 + bytes[255 - t] + ((signed char *)bytes)[t] + d.x + d.y + d.z +
        d.w + w2.x + w2.y + w4.z - w4.w + ((short *)bytes)[128 + t % 22];""",
    (_INDEX,),
    np.zeros(256),
    lambda: _shared(),
    {
        "sm_75": "LDS.U STS LDS.U.64 LDS.U.128 STS.128 LDS.U.U8|LDS.U8.U LDS.U.S8|LDS.S8.U BAR.SYNC",
        "sm_80": "LDS STS LDS.64 LDS.128 STS.128 LDS.U8 LDS.S8 BAR.SYNC",
    },
    smem=4096,
)


def _shared() -> Array:
    a, t = _INDEX[:256].astype(np.int64), np.arange(256)
    words = np.zeros(512, np.int64)
    words[t] = a
    words[256 + (t * 7 & 255)] = a * 2
    wide = words[255 - np.arange(128)] * 0.5
    raw = (a & 255).astype(np.uint8)
    d = np.stack([t, a.astype(np.float32), np.full(256, 2), np.full(256, 3)], 1).astype(np.float64)[t ^ 5]
    first = (((raw[255 - t].astype(np.float64) * 0 + words[256 + t]) + wide[t & 127] * 4) + raw[255 - t]) + raw.view(
        np.int8
    )
    pairs, fours = words.reshape(-1, 2)[t], words.reshape(-1, 4)[t & 127]
    return np.asarray(first + d.sum(1) + pairs.sum(1) + fours[:, 2] - fours[:, 3] + t % 22)


_GENERIC = kernel(
    "generic pointers",
    "int *out, int *a",
    """    __shared__ int s[256]; int local[8]; int t = threadIdx.x;
    for (int j = 0; j < 8; j++) local[j] = a[(t + j) & 255] + j;
    s[t] = a[t] * 3; __syncthreads();
    int *p = t % 3 == 0 ? s + (t ^ 1) : t % 3 == 1 ? local + (a[t] & 7) : a + (255 - t);
    int v = *p; __syncthreads(); *p = v + 1; __syncthreads();
    out[4 * t] = v; out[4 * t + 1] = s[t]; out[4 * t + 2] = local[t & 7];
    out[4 * t + 3] = __isShared(p) + 2 * __isLocal(p) + 4 * __isGlobal(p);""",
    (_INDEX[:256].copy(),),
    np.zeros(1024, np.int32),
    lambda: _generic(),
    "LD.E ST.E QSPC.E.S LDL|LD.E",
)


def _generic() -> Array:
    a = _INDEX[:256].astype(np.int64)
    out = np.zeros((256, 4), np.int64)
    s = a * 3
    local = np.stack([np.roll(a, -j) + j for j in range(8)], 1)
    before = s.copy()
    for t in range(256):
        if t % 3 == 0:
            out[t, 0], out[t, 3] = before[t ^ 1], 1
            s[t ^ 1] = before[t ^ 1] + 1
        elif t % 3 == 1:
            k = int(a[t]) & 7
            out[t, 0], out[t, 3] = local[t, k], 2
            local[t, k] += 1
        else:
            out[t, 0], out[t, 3] = a[255 - t], 4
    out[:, 1] = s
    out[:, 2] = local[np.arange(256), np.arange(256) & 7]
    return out.reshape(-1).astype(np.int32)


_CONSTANTS = kernel(
    "constants",
    "double *out, const int *a",
    """    int j = a[i] & 15;
    out[i] = table[j] + bytes[j] + shorts[15 - j] + wide[j] * 2 + vec[j & 3].z + p.v[j & 7] + table[3] +
        nested[j & 1][j >> 1 & 1] + (double)(long long)big[j & 3];""",
    (_INDEX,),
    np.zeros(256),
    lambda: _constants(),
    {"sm_75": "LDC LDC.U8|LDC.S8 LDC.U16|LDC.S16 LDC.64"},
    head="""__constant__ float table[16] = {0, 1.5f, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15.25f};
__constant__ unsigned char bytes[16] = {9, 250, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 255};
__constant__ short shorts[16] = {-1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12, -13, 14, -15, 16};
__constant__ double wide[16] = {.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
__constant__ float4 vec[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
__constant__ int nested[2][2] = {{100, 200}, {300, 400}};
__constant__ long long big[4] = {1LL << 40, -(1LL << 41), 7, 1LL << 33};
struct Eight { int v[8]; };
__device__ const Eight p = {{11, 22, 33, 44, 55, 66, 77, 88}};""",
)


def _constants() -> Array:
    j = _INDEX[:256] & 15
    table = np.array([0, 1.5, *range(2, 15), 15.25])
    octets = np.array([9, 250, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 255])
    shorts = np.array([(-1) ** (k + 1) * (k + 1) for k in range(16)])
    wide = np.array([0.5, *range(1, 16)])
    nested = np.array([[100, 200], [300, 400]])
    big = np.array([1 << 40, -(1 << 41), 7, 1 << 33])
    # In the order of the kernel: the first terms are added in single precision, but all are exact in it.
    total: Array = (
        table[j]
        + octets[j]
        + shorts[15 - j]
        + wide[j] * 2
        + (4.0 * (j & 3) + 3)
        + 11 * ((j & 7) + 1)
        + 3
        + nested[j & 1, j >> 1 & 1]
        + big[j & 3]
    )
    return total


_LOCAL = kernel(
    "local arrays",
    "int *out, const int *a",
    """    int stack[64]; unsigned char small[32]; double wide[8];
    for (int j = 0; j < 64; j++) stack[j] = a[(i + j) & 1023] ^ j;
    for (int j = 0; j < 32; j++) small[j] = a[(i * j) & 1023];
    for (int j = 0; j < 8; j++) wide[j] = a[i & 255] * (j + 0.5);
    int s = 0;
#pragma unroll 1
    for (int j = 0; j < 40; j++) { int at = a[(i + 3 * j) & 1023];
        s += stack[at & 63] + small[at >> 6 & 31] + (int)wide[at & 7]; stack[at >> 3 & 63] = s; }
    out[i] = s;""",
    (_INDEX,),
    np.zeros(256, np.int32),
    lambda: _local(),
    "LDL STL LDL.U8 LDL.64|STL.64|LDL.128|STL.128",
)


def _local() -> Array:
    out = []
    for i in range(256):
        stack = [int(_INDEX[(i + j) & 1023]) ^ j for j in range(64)]
        small = [int(_INDEX[(i * j) & 1023]) & 255 for j in range(32)]
        wide = [int(_INDEX[i & 255]) * (j + 0.5) for j in range(8)]
        s = 0
        for j in range(40):
            at = int(_INDEX[(i + 3 * j) & 1023])
            s += stack[at & 63] + small[at >> 6 & 31] + int(wide[at & 7])
            s = (s + (1 << 31)) % (1 << 32) - (1 << 31)
            stack[at >> 3 & 63] = s
        out.append(s)
    return np.array(out, np.int32)


_GLOBALS = kernel(
    "device variables",
    "int *out, const int *a",
    """    if (i == 0) counter = a[0]; atomicAdd(&total, a[i]); history[i] = start[i & 3] + a[i]; __syncthreads();
    out[i] = history[255 - i] + counter + *where; if (i == 255) out[256] = total;""",
    (_INDEX,),
    np.zeros(257, np.int32),
    lambda: np.append(
        (np.array([5, 6, 7, 8])[255 - np.arange(256) & 3] + _INDEX[255::-1] + _INDEX[0] + 6), 1000 + _INDEX[:256].sum()
    ).astype(np.int32),
    "",
    head="__device__ int counter, total = 1000, history[256]; __device__ int start[4] = {5, 6, 7, 8};\n"
    "__device__ int *where = start + 1;",
)


# --- atomics ---------------------------------------------------------------------------------------------------------


def _atomics(
    name: str,
    ctype: str,
    dtype: Any,
    rows: list[tuple[str, Callable[[Any, Any], Any]]],
    space: str,
    values: Array,
    needs: Mapping[str, str] | str = "",
    archs: tuple[str, ...] = ARCHS,
    check: Check = same_bits,
    head: str = "",
) -> Snippet:
    """Each thread updates a word of its own, with the old value; then all update one word in an order that is open."""
    n = len(rows)
    shared = space == "shared"
    declare = f"__shared__ {ctype} cell[{n} * 64];" if shared else f"{ctype} *cell = out + {n} * 64;"
    body = f"    {declare} int t = threadIdx.x; {ctype} x = a[t];\n"
    for k in range(n):
        body += f"    cell[{64 * k} + t] = b[t];\n"
    body += "    __syncthreads();\n"
    for k, (expression, _) in enumerate(rows):
        body += f"    {{ {ctype} *p = cell + {64 * k} + t; out[{64 * k} + t] = {expression}; }}\n"
    if shared:
        body += (
            f"    __syncthreads();\n    for (int j = 0; j < {n}; j++) out[{64 * n} + 64 * j + t] = cell[64 * j + t];\n"
        )
    second = np.roll(values, 17)

    def wanted() -> Array:
        out = np.zeros(2 * n * 64, dtype)
        with np.errstate(all="ignore"):
            for k, (_, function) in enumerate(rows):
                for t in range(64):
                    old, x = second[t], values[t]
                    out[64 * k + t] = old
                    out[64 * (n + k) + t] = function(old, x)
        return out

    return kernel(
        name,
        f"{ctype} *out, const {ctype} *a, const {ctype} *b",
        body,
        (values, second),
        np.zeros(2 * n * 64, dtype),
        wanted,
        needs,
        block=(64, 1, 1),
        archs=archs,
        check=check,
        head=head,
    )


def _wrap(dtype: Any, function: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    bits = 8 * np.dtype(dtype).itemsize

    def run(old: Any, x: Any) -> Any:
        v = function(int(old), int(x)) & (1 << bits) - 1
        return np.array(v, f"u{bits // 8}").view(dtype)

    return run


def _integer_rows(dtype: Any) -> list[tuple[str, Callable[[Any, Any], Any]]]:
    rows: list[tuple[str, Callable[[int, int], int]]] = [
        ("atomicAdd(p, x)", lambda o, x: o + x),
        ("atomicMin(p, x)", min),
        ("atomicMax(p, x)", max),
        ("atomicAnd(p, x)", lambda o, x: o & x),
        ("atomicOr(p, x)", lambda o, x: o | x),
        ("atomicXor(p, x)", lambda o, x: o ^ x),
        ("atomicExch(p, x)", lambda o, x: x),
        ("atomicCAS(p, b[t], x)", lambda o, x: x),
        ("atomicCAS(p, b[t] + 1, x)", lambda o, x: o),
    ]
    if dtype == np.uint32:
        rows += [
            ("atomicInc(p, x)", lambda o, x: 0 if o >= x else o + 1),
            ("atomicDec(p, x)", lambda o, x: x if o == 0 or o > x else o - 1),
            ("atomicSub(p, x)", lambda o, x: o - x),
        ]
    return [(e, _wrap(dtype, f)) for e, f in rows]


_INTS = _RANDOM.integers(-5, 5, 64) * _RANDOM.integers(1, 1 << 31, 64)
_INTS[:8] = 0, 1, -1, 5, 0x7FFFFFFF, -0x80000000, 2, 7
_BIG = np.where(np.arange(64) % 3 == 0, _INTS << 20, _INTS)
_REALS = np.concatenate(
    [[0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1e-45, 3e38, 1.1754942e-38], _RANDOM.normal(0, 1, 53)]
)


def _flush32(x: Any) -> Any:
    return np.float32(np.copysign(0.0, x)) if abs(x) < 2.0**-126 else np.float32(x)


_FLOATS = [
    ("atomicAdd(p, x)", lambda o, x: _flush32(np.float32(_flush32(o) + _flush32(x)))),
    ("atomicExch(p, x)", lambda o, x: x),
]
_FLOATS_SHARED = [("atomicAdd(p, x)", lambda o, x: np.float32(o + x)), ("atomicExch(p, x)", lambda o, x: x)]
_DOUBLES = [("atomicAdd(p, x)", lambda o, x: o + x)]

_ADD_FLOAT = "ATOMG.E.ADD.F32|ATOM.E.ADD.F32|ATOMG.E.ADD.F32.FTZ.RN"
_ADD_DOUBLE = "ATOMG.E.ADD.F64|ATOM.E.ADD.F64|ATOMG.E.ADD.F64.RN"
_ATOMICS = (
    *(_atomics(f"atomics {space} {ctype}", ctype, dtype, _integer_rows(dtype), space, values.astype(dtype),
               "ATOMG|ATOM" if space == "global" else "ATOMS")
      for space in ("global", "shared")
      for ctype, dtype, values in (("int", np.int32, _INTS & 0xFFFFFFFF), ("unsigned", np.uint32, _INTS & 0xFFFFFFFF),
                                   ("unsigned long long", np.uint64, _BIG.astype(np.uint64)))),
    _atomics("atomics global float", "float", np.float32, _FLOATS, "global", _REALS.astype(np.float32), _ADD_FLOAT),
    _atomics("atomics shared float", "float", np.float32, _FLOATS_SHARED, "shared", _REALS.astype(np.float32), "ATOMS"),
    _atomics("atomics global double", "double", np.float64, _DOUBLES, "global", _REALS, _ADD_DOUBLE),
    _atomics("atomics shared double", "double", np.float64, _DOUBLES, "shared", _REALS, "ATOMS"),
)


def _red(
    name: str,
    ctype: str,
    dtype: Any,
    statement: str,
    function: Callable[[Array], Any],
    values: Array,
    needs: str,
    check: Check = same_bits,
    archs: tuple[str, ...] = ARCHS,
) -> Snippet:
    """All threads update few words and take no result."""
    return kernel(
        name,
        f"{ctype} *out, const {ctype} *a",
        f"    {ctype} x = a[i]; {ctype} *p = out + (i & 3); {statement};",
        (values,),
        np.zeros(4 * values.size // 256, dtype),
        lambda: np.concatenate([np.atleast_1d(function(values.reshape(256, -1)[k::4])) for k in range(4)]).astype(
            dtype
        ),
        needs,
        check=check,
        archs=archs,
    )


_SMALL = _RANDOM.integers(-100, 100, 256)
_HALVES = _RANDOM.integers(-8, 8, 512)
_REDS = (
    _red("red add", "int", np.int32, "atomicAdd(p, x)", lambda v: v.sum(), _SMALL.astype(np.int32), "RED|REDG"),
    _red("red max", "int", np.int32, "atomicMax(p, x)", lambda v: max(v.max(), 0), _SMALL.astype(np.int32), "RED|REDG"),
    _red("red float", "float", np.float32, "atomicAdd(p, x)", lambda v: v.sum(), _SMALL.astype(np.float32), "RED|REDG"),
    _red(
        "red double", "double", np.float64, "atomicAdd(p, x)", lambda v: v.sum(), _SMALL.astype(np.float64), "RED|REDG"
    ),
    _red(
        "red long",
        "unsigned long long",
        np.uint64,
        "atomicAdd(p, x)",
        lambda v: v.astype(np.int64).sum().astype(np.uint64),
        _BIG.repeat(4).astype(np.uint64),
        "RED|REDG",
    ),
    _red(
        "red half2",
        "__half2",
        np.float16,
        "atomicAdd(p, x)",
        lambda v: v.sum(0),
        _HALVES.astype(np.float16),
        "RED|REDG|ATOMG|ATOM",
    ),
    _red(
        "red bf162",
        "__nv_bfloat162",
        np.uint16,
        "atomicAdd(p, x)",
        lambda v: to_bf16((v.astype(np.uint32) << 16).view(np.float32).astype(np.float64).sum(0)),
        to_bf16(_HALVES.astype(np.float64)),
        "RED|REDG|ATOMG|ATOM",
        archs=("sm_80", "sm_86", "sm_89", "sm_90"),
    ),
    _red(
        "red half",
        "__half",
        np.float16,
        "atomicAdd(p, x)",
        lambda v: v.sum(),
        _HALVES[:256].astype(np.float16),
        "RED|REDG|ATOMG|ATOM",
    ),
)

_CONTENDED = _REALS[11:].repeat(5)[:256].astype(np.float32)
_CAS_LOOP = kernel(
    "cas loops",
    "float *out, const float *a",
    """    __shared__ float top[4]; __shared__ unsigned short tiny[4]; __shared__ int lock;
    int t = threadIdx.x; if (t < 4) { top[t] = -1e30f; tiny[t] = 0; } if (t == 0) lock = 0; __syncthreads();
    int *p = (int *)&top[t & 3]; int old = *p, seen;
    do { seen = old; old = atomicCAS(p, seen, __float_as_int(fmaxf(__int_as_float(seen), a[t]))); } while (old != seen);
    int *g = (int *)(out + 8 + (t & 3)); old = *g;
    do { seen = old; old = atomicCAS(g, seen, __float_as_int(__int_as_float(seen) + 1.0f)); } while (old != seen);
    unsigned short o16 = tiny[t & 3], s16; do { s16 = o16; o16 = atomicCAS(&tiny[t & 3], s16,
        (unsigned short)(s16 + 3)); } while (o16 != s16);
    for (bool done = false; !done;) if (atomicCAS(&lock, 0, 1) == 0) { out[12] = out[12] + 1.0f; __threadfence();
        atomicExch(&lock, 0); done = true; }
    __syncthreads(); if (t < 4) { out[t] = top[t]; out[4 + t] = tiny[t]; }""",
    (_CONTENDED,),
    np.zeros(13, np.float32),
    lambda: np.concatenate(
        [_CONTENDED.reshape(-1, 4).max(0), np.full(4, 192.0), np.full(4, 64.0), [256.0]]
    ).astype(np.float32),
    "ATOMS.CAST.SPIN|ATOMS.CAS ATOMG.E.CAS|ATOM.E.CAS",
    archs=ARCHS,
)

# --- asynchronous copies ---------------------------------------------------------------------------------------------

_ASYNC = kernel(
    "async copies",
    "float *out, const float *a",
    """    __shared__ float4 s[3][128]; int t = threadIdx.x; if (t >= 128) return;
    for (int j = 0; j < 2; j++) { __pipeline_memcpy_async(&s[j][t], (const float4 *)a + 128 * j + t, 16);
        __pipeline_commit(); }
    float sum = 0;
    for (int j = 2; j < 6; j++) {
        if (j < 5) __pipeline_memcpy_async(&s[j % 3][t], (const float4 *)a + 128 * j + t, 16, j == 4 ? 8 : 0);
        __pipeline_commit(); __pipeline_wait_prior(1);
        float4 v = s[(j - 1) % 3][t]; sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    }
    __shared__ float one[128]; __shared__ float2 two[128];
    __pipeline_memcpy_async(one + t, a + 3 * t, 4); __pipeline_memcpy_async(two + t, (const float2 *)a + 5 * t, 8);
        __pipeline_commit(); __pipeline_wait_prior(0);
    out[t] = sum; out[128 + t] = one[t]; out[256 + t] = two[t].y;""",
    (np.arange(4096, dtype=np.float32),),
    np.zeros(384, np.float32),
    lambda: _async(),
    {"sm_75": "STS", "sm_80": "LDGSTS.E.BYPASS.128|LDGSTS.E.BYPASS.LTC128B.128 LDGSTS.E LDGDEPBAR DEPBAR"},
    head="#include <cuda_pipeline.h>",
)


def _async() -> Array:
    a = np.arange(4096, dtype=np.float32)
    weight = np.array([1, 2, 3, 4], np.float32)
    total = np.zeros(128, np.float32)
    four = a[: 4 * 128 * 5].reshape(5, 128, 4).copy()
    four[4, :, 2:] = 0
    for j in range(1, 5):
        total += four[j] @ weight
    t = np.arange(128)
    return np.concatenate([total, a[3 * t], a[10 * t + 1]])


MEMORY: tuple[Snippet, ...] = (
    _NARROW,
    _VECTORS,
    _HINTS,
    _SHARED,
    _GENERIC,
    _CONSTANTS,
    _LOCAL,
    _GLOBALS,
    *_ATOMICS,
    *_REDS,
    _CAS_LOOP,
    _ASYNC,
)
