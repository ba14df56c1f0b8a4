"""Conversions between all number types, with edge values, and between memory widths."""

# A table asks each reference for the names of its parameters, which NumPy's functions do not tell.
# ruff: noqa: PLW0108

from __future__ import annotations

from typing import Any

import numpy as np
from cases_float import _BP, bf, flush, nan_blind, to_bf16
from cases_integer import asm, ul
from snippets import FLOAT_EDGES, HALF_EDGES, INT_EDGES, LONG_EDGES, Array, Row, Snippet, crossed, rounded, table

F16, F32, F64 = np.float16, np.float32, np.float64

_EDGES = (
    *FLOAT_EDGES,
    127.5,
    128.0,
    -128.5,
    255.5,
    65535.5,
    32767.5,
    -32769.0,
    2147483520.0,
    4294967040.0,
    3.5,
    4.5,
    -2.5,
    9.2233715e18,
    1.8446743e19,
    -9.2233725e18,
    1e10,
    -1e10,
)
_A = crossed(_EDGES, F32, 3072)[0]
_WIDE = np.concatenate(
    [
        _A[:1024].astype(F64),
        np.array(
            [
                2147483647.5,
                4294967295.5,
                9223372036854774784.0,
                18446744073709549568.0,
                -2147483648.5,
                1 + 2.0**-24,
                1 + 3 * 2.0**-25,
                65520.0,
                65519.99,
                2.0**-25,
                2.0**-24 * 1.5,
                3.4028235677973366e38,
                1e-46,
                1e-310,
            ]
        ),
        np.random.default_rng(9).normal(0, 1e9, 1010),
    ]
)
_I, _J = (v.view(np.int32) for v in crossed(INT_EDGES, np.int32))
_L = np.concatenate(
    [
        crossed(LONG_EDGES, np.int64)[0],
        np.array(
            [(1 << 53) + 1, (1 << 54) + 2, (1 << 24) + 1, (1 << 25) + 3, (1 << 62) + 1, (1 << 63) - 513], np.int64
        ),
        np.random.default_rng(2).integers(-(2**40), 2**40, 250),
    ]
)
_H = crossed((*HALF_EDGES, 65504.0, 255.0, -129.0), F16, 1024)[0]


def clipped(x: Array, mode: str, low: int, high: int, bits: int) -> Array:
    """To an integer as the GPU does it: rounded, then saturated; NaN is 0 in 32 bits, and 2**31 or 2**63 in 64

    bits or from a double (seen on an H200).
    """
    y = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}[mode](x.astype(F64))
    out = []
    for v in y:
        if np.isnan(v):
            out.append(1 << bits - 1 if bits == 64 or x.dtype == F64 else 0)
        else:
            out.append(int(min(max(int(v) if np.isfinite(v) else (high if v > 0 else low), low), high)))
    return np.array([v & (1 << bits) - 1 for v in out], np.uint64)


_LIMITS = {
    "int": (-(1 << 31), (1 << 31) - 1, 32),
    "unsigned": (0, (1 << 32) - 1, 32),
    "long long": (-(1 << 63), (1 << 63) - 1, 64),
    "unsigned long long": (0, (1 << 64) - 1, 64),
}
_SHORT = {"int": "int", "unsigned": "uint", "long long": "ll", "unsigned long long": "ull"}


def _to_integer(name: str, prefix: str) -> list[Row]:
    rows = []
    for kind, (low, high, bits) in _LIMITS.items():
        unsigned = {32: "unsigned", 64: "unsigned long long"}[bits]
        for mode in ("rn", "rz", "rd", "ru"):
            function = eval(f"lambda {name}: clipped({name}, {mode!r}, {low}, {high}, {bits})", {"clipped": clipped})
            rows.append(Row(unsigned, f"__{prefix}2{_SHORT[kind]}_{mode}({name})", function))
    return rows


def _from_integer(name: str, kind: str, source: Any) -> list[Row]:
    rows = []
    for mode in ("rn", "rz", "rd", "ru"):
        rows.append(
            Row(
                "float",
                f"__{_SHORT[kind]}2float_{mode}({name})",
                eval(
                    f"lambda {name}: exactly(view({name}), {mode!r}, F32)",
                    {"exactly": exactly, "view": source, "F32": F32},
                ),
            )
        )
        if "long" in kind:
            rows.append(
                Row(
                    "double",
                    f"__{_SHORT[kind]}2double_{mode}({name})",
                    eval(
                        f"lambda {name}: exactly(view({name}), {mode!r}, F64)",
                        {"exactly": exactly, "view": source, "F64": F64},
                    ),
                )
            )
    return rows


def exactly(values: Array, mode: str, kind: Any) -> Array:
    """Integers rounded to a float type, by comparing the nearest with the integer."""
    out = []
    for v in values:
        n = int(v)
        near = kind(float(n)) if kind is F64 else F32(_nearest(n))
        error = n - int(near)
        up = mode == "ru" or (mode == "rz" and n < 0)
        down = mode == "rd" or (mode == "rz" and n > 0)
        if error > 0 and up:
            near = np.nextafter(near, kind(np.inf))
        elif error < 0 and down:
            near = np.nextafter(near, kind(-np.inf))
        out.append(near)
    return np.array(out, kind)


def _nearest(n: int) -> float:
    """The single-precision number nearest to an integer, ties to even, without a double in between."""
    size = max(abs(n).bit_length() - 24, 0)
    q, rest = divmod(abs(n), 1 << size)
    half = (1 << size) >> 1
    q += bool(size) and (rest > half or (rest == half and q & 1))
    return float(q << size) * (1 if n >= 0 else -1)


_FLOAT_TO = table(
    "float to",
    {"a": ("float", _A)},
    [
        *_to_integer("a", "float"),
        Row(
            "signed char",
            asm("{ .reg .s8 t; cvt.rzi.s8.f32 t, $1; cvt.s32.s8 $0, t; }", "a", kind="int", letter="f").replace(
                '"=f"(r)', '"=r"(r)'
            ),
            lambda a: clipped(a, "rz", -128, 127, 8).astype(np.uint8).view(np.int8),
        ),
        Row(
            "unsigned short",
            asm("{ .reg .u16 t; cvt.rni.u16.f32 t, $1; cvt.u32.u16 $0, t; }", "a", kind="int", letter="f").replace(
                '"=f"(r)', '"=r"(r)'
            ),
            lambda a: clipped(a, "rn", 0, 65535, 16),
        ),
        Row(
            "unsigned",
            asm("cvt.rzi.ftz.u32.f32 $0, $1", "a", kind="unsigned", letter="f").replace('"=f"(r)', '"=r"(r)'),
            lambda a: clipped(flush(a), "rz", 0, (1 << 32) - 1, 32),
        ),
        Row(
            "unsigned",
            asm("cvt.rpi.ftz.u32.f32 $0, $1", "a", kind="unsigned", letter="f").replace('"=f"(r)', '"=r"(r)'),
            lambda a: clipped(flush(a), "ru", 0, (1 << 32) - 1, 32),
        ),
        Row("double", "(double)a", lambda a: a.astype(F64)),
        Row("float", asm("cvt.rni.f32.f32 $0, $1", "a", kind="float", letter="f"), lambda a: np.rint(a)),
        Row("float", asm("cvt.rmi.ftz.f32.f32 $0, $1", "a", kind="float", letter="f"), lambda a: np.floor(flush(a))),
        Row("__half", "__float2half_rn(a)", lambda a: a.astype(F16)),
        *(
            Row(
                "__half",
                f"__float2half_{m}(a)",
                eval(f"lambda a: directed(a, {m!r})", {"directed": lambda a, m: directed(a, m)}),
            )
            for m in ("rz", "rd", "ru")
        ),
        Row(
            "__nv_bfloat16",
            "__float2bfloat16_rn(a)",
            lambda a: to_bf16(a.astype(F64)),
            least=80,
            check=lambda g, w: _bf_equal(g, w),
        ),
        Row(
            "__nv_bfloat16",
            "__float2bfloat16_rz(a)",
            lambda a: np.where(np.isnan(a), 0x7FFF, a.view(np.uint32) >> np.uint32(16)),
            least=80,
            check=lambda g, w: _bf_equal(g, w),
        ),
        Row(
            "__half2",
            "__floats2half2_rn(a, 1.0f)",
            lambda a: a.astype(F16).view(np.uint16).astype(np.uint32) | 0x3C000000,
            nan_blind(F16),
        ),
    ],
    {
        "sm_75": "F2I F2I.U32 F2I.S64 F2I.U64 F2F.F64.F32 F2F.F16.F32|F2FP",
        "sm_80": "F2I F2I.U32 F2I.S64|F2I.64 F2I.U64 F2F.F64.F32 F2FP",
    },
)


def _bf_equal(got: Array, wanted: Array) -> Array:
    return np.asarray((got == wanted) | (((got & 0x7FFF) > 0x7F80) & ((wanted & 0x7FFF) > 0x7F80)))


def directed(x: Array, mode: str) -> Array:
    """To half precision, rounded in a direction."""
    near = x.astype(F16)
    wide, value = near.astype(F64), x.astype(F64)
    top = np.full_like(near, np.inf)
    up = np.nextafter(near, top)
    down = np.nextafter(near, -top)
    to_up = (mode == "ru") | ((mode == "rz") & (value < 0))
    to_down = (mode == "rd") | ((mode == "rz") & (value > 0))
    out = np.where(to_up & (wide < value), up, np.where(to_down & (wide > value), down, near)).astype(F16)
    return np.where((out == 0) & (value != 0), np.copysign(F16(0), value.astype(F16)), out).astype(F16)


_DOUBLE_TO = table(
    "double to",
    {"x": ("double", _WIDE)},
    [
        *_to_integer("x", "double"),
        *(
            Row("float", f"__double2float_{m}(x)", rounded(m, lambda x: x.astype(F32)))
            for m in ("rn", "rz", "rd", "ru")
        ),
        Row("__half", "__double2half(x)", lambda x: _half_of_double(x)),
        Row("int", "__double2hiint(x)", lambda x: (ul(x) >> np.uint64(32)).astype(np.uint32)),
        Row(
            "double",
            "__hiloint2double(__double2loint(x), __double2hiint(x))",
            lambda x: ((ul(x) << np.uint64(32)) | (ul(x) >> np.uint64(32))).view(F64),
        ),
        Row("float", "(float)rint(x)", lambda x: np.rint(x).astype(F32)),
    ],
    "F2I.F64|F2I.U32.F64 F2I.S64.F64|F2I.64.F64 F2F.F32.F64",
)


def _half_of_double(x: Array) -> Array:
    """One rounding: through single precision rounded to odd."""
    with np.errstate(all="ignore"):
        single = x.astype(F32)
    bits = single.view(np.uint32).astype(np.int64)
    inexact = (single.astype(F64) != x) & np.isfinite(x) & np.isfinite(single)
    away = np.abs(x) > np.abs(single.astype(F64))
    bits = np.where(inexact & (bits & 1 == 0), np.where(away, bits + 1, bits - 1), bits)
    bits = np.where(inexact & (single == 0), np.where(x > 0, 1, 0x80000001), bits)
    return (bits & 0xFFFFFFFF).astype(np.uint32).view(F32).astype(F16)


_INT_TO = table(
    "int to",
    {"a": ("int", _I), "b": ("int", _J)},
    [
        *_from_integer("a", "int", lambda v: v),
        *_from_integer("a", "unsigned", lambda v: v.view(np.uint32)),
        Row("double", "(double)a", lambda a: a.astype(F64)),
        Row("double", "(double)(unsigned)a", lambda a: a.view(np.uint32).astype(F64)),
        Row("float", "(float)(unsigned char)a", lambda a: a.astype(np.uint8).astype(F32)),
        Row("float", "(float)(signed char)(a >> 8)", lambda a: (a >> 8).astype(np.int8).astype(F32)),
        Row("float", "(float)(unsigned char)(a >> 24)", lambda a: (a >> 24).astype(np.uint8).astype(F32)),
        Row("float", "(float)(short)a", lambda a: a.astype(np.int16).astype(F32)),
        Row("float", "(float)(unsigned short)(a >> 16)", lambda a: (a >> 16).astype(np.uint16).astype(F32)),
        Row("double", "(double)(short)(a >> 16)", lambda a: (a >> 16).astype(np.int16).astype(F64)),
        Row("__half", "__int2half_rn(a)", lambda a: a.astype(F64).astype(F16)),
        Row("__half", "__uint2half_rn(a)", lambda a: a.view(np.uint32).astype(F64).astype(F16)),
        Row("__half", "__short2half_rn((short)a)", lambda a: a.astype(np.int16).astype(F64).astype(F16)),
        Row("__half", "__ushort2half_rn((unsigned short)b)", lambda b: b.astype(np.uint16).astype(F64).astype(F16)),
        Row("signed char", asm("cvt.sat.s8.s32 $0, $1", "a"), lambda a: np.clip(a, -128, 127)),
        Row("unsigned char", asm("cvt.sat.u8.s32 $0, $1", "a"), lambda a: np.clip(a, 0, 255)),
        Row("unsigned short", asm("cvt.sat.u16.s32 $0, $1", "a"), lambda a: np.clip(a, 0, 65535)),
        Row("short", asm("cvt.sat.s16.u32 $0, $1", "a"), lambda a: np.minimum(a.view(np.uint32), 32767)),
        Row(
            "unsigned",
            asm("cvt.pack.sat.u8.s32.b32 $0, $1, $2, 0", "a", "b"),
            lambda a, b: np.clip(a, 0, 255).astype(np.int64) << 8 | np.clip(b, 0, 255),
        ),
        Row(
            "unsigned",
            asm("cvt.pack.sat.s8.s32.b32 $0, $1, $2, $3", "a", "b", "b"),
            lambda a, b: (
                (
                    (b.astype(np.int64) & 0xFFFF) << 16
                    | (np.clip(a, -128, 127).astype(np.int64) & 255) << 8
                    | (np.clip(b, -128, 127) & 255)
                )
                & 0xFFFFFFFF
            ),
        ),
        Row(
            "unsigned",
            asm("cvt.pack.sat.s16.s32 $0, $1, $2", "a", "b"),
            lambda a, b: (
                (np.clip(a, -32768, 32767).astype(np.int64) & 65535) << 16 | (np.clip(b, -32768, 32767) & 65535)
            ),
        ),
    ],
    "I2F I2F.U32|I2FP.F32.U32|I2F.U32.RP I2I|I2IP|VIMNMX|IMNMX",
)

_LONG_TO = table(
    "long to",
    {"x": ("long long", _L)},
    [
        *_from_integer("x", "long long", lambda v: v),
        *_from_integer("x", "unsigned long long", lambda v: v.view(np.uint64)),
    ],
    "I2F.S64 I2F.U64 I2F.F64.S64 I2F.F64.U64",
)

_HALF_TO = table(
    "half to",
    {"h": ("__half", _H)},
    [
        Row("float", "__half2float(h)", lambda h: h.astype(F32)),
        Row("double", "(double)h", lambda h: h.astype(F64)),
        *(
            Row(
                "int",
                f"__half2int_{m}(h)",
                eval(f"lambda h: clipped(h, {m!r}, -(1 << 31), (1 << 31) - 1, 32)", {"clipped": clipped}),
            )
            for m in ("rn", "rz", "rd", "ru")
        ),
        Row("unsigned", "__half2uint_rz(h)", lambda h: clipped(h, "rz", 0, (1 << 32) - 1, 32)),
        Row("unsigned long long", "__half2ll_rn(h)", lambda h: clipped(h, "rn", -(1 << 63), (1 << 63) - 1, 64)),
        Row(
            "short",
            "__half2short_rz(h)",
            lambda h: clipped(h, "rz", -32768, 32767, 16).astype(np.uint16).view(np.int16),
        ),
        Row("unsigned short", "__half2ushort_rn(h)", lambda h: clipped(h, "rn", 0, 65535, 16)),
        Row("__half", "hfloor(h)", lambda h: np.floor(h)),
        Row("__half", "hrint(h)", lambda h: np.rint(h)),
        Row("__half", "htrunc(h)", lambda h: np.trunc(h)),
        Row("__half", "hceil(h)", lambda h: np.ceil(h)),
    ],
    "HADD2.F32 F2I.F16|F2I FRND.F16",
)

_FP8 = (*(range(256)), *range(256))
_NARROW_HEAD = "#include <cuda_fp8.h>\n"


def fp8_value(code: int, kind: str) -> float:
    """OCP 8-bit floating point specification."""
    sign = -1.0 if code & 128 else 1.0
    if kind == "e5m2":
        e, m = code >> 2 & 31, code & 3
        if e == 31:
            return sign * np.inf if m == 0 else np.nan
        return float(sign * (m * 2.0**-16 if e == 0 else (1 + m / 4) * 2.0 ** (e - 15)))
    e, m = code >> 3 & 15, code & 7
    if e == 15 and m == 7:
        return np.nan
    return float(sign * (m * 2.0**-9 if e == 0 else (1 + m / 8) * 2.0 ** (e - 7)))


def to_fp8(values: Array, kind: str) -> Array:
    """Nearest, ties to even, largest finite number instead of more."""
    codes = np.array([c for c in range(128) if np.isfinite(fp8_value(c, kind))])
    grid = np.array([fp8_value(int(c), kind) for c in codes])
    out = []
    for v in values.astype(F64):
        if np.isnan(v):
            out.append(0x7F)
            continue
        at = min(int(np.searchsorted(grid, abs(v))), grid.size - 1)
        low = max(at - 1, 0)
        d_low, d_high = abs(v) - grid[low], grid[at] - abs(v)
        pick = at if d_high < d_low or abs(v) >= grid[-1] or (d_high == d_low and codes[at] % 2 == 0) else low
        out.append(int(codes[pick]) | (128 if np.signbit(v) else 0))
    return np.array(out, np.uint8)


_F8_INPUT = np.concatenate([_A[:640], np.random.default_rng(7).normal(0, 100, 384).astype(F32)])
_EIGHT = table(
    "fp8",
    {"a": ("float", _F8_INPUT), "c": ("unsigned char", np.arange(1024).astype(np.uint8))},
    [
        Row("unsigned char", "__nv_cvt_float_to_fp8(a, __NV_SATFINITE, __NV_E4M3)", lambda a: to_fp8(a, "e4m3")),
        Row("unsigned char", "__nv_cvt_float_to_fp8(a, __NV_SATFINITE, __NV_E5M2)", lambda a: to_fp8(a, "e5m2")),
        Row(
            "unsigned",
            "__nv_cvt_float2_to_fp8x2(make_float2(a, 1.5f), __NV_SATFINITE, __NV_E4M3)",
            lambda a: to_fp8(a, "e4m3").astype(np.uint32) | 0x3C00,
        ),
        Row(
            "unsigned char",
            "__nv_cvt_halfraw_to_fp8(__half_raw(__float2half_rn(a)), __NV_SATFINITE, __NV_E4M3)",
            lambda a: to_fp8(a.astype(F16).astype(F64), "e4m3"),
        ),
        Row(
            "float",
            "__half2float(__half(__nv_cvt_fp8_to_halfraw(c, __NV_E4M3)))",
            lambda c: np.array([fp8_value(int(v), "e4m3") for v in c], F32),
        ),
        Row(
            "float",
            "__half2float(__half(__nv_cvt_fp8_to_halfraw(c, __NV_E5M2)))",
            lambda c: np.array([fp8_value(int(v), "e5m2") for v in c], F32),
        ),
    ],
    "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C F2FP.F16.E4M3.UNPACK_B F2FP.F16.E5M2.UNPACK_B",
    head=_NARROW_HEAD,
    archs=("sm_89", "sm_90"),
)

_BF16_TO = table(
    "bfloat16 to",
    {"p": ("__nv_bfloat16", _BP[:1024].copy())},
    [
        Row("float", "__bfloat162float(p)", lambda p: bf(p).astype(F32)),
        Row(
            "int",
            "__bfloat162int_rz(p)",
            lambda p: clipped(bf(p).astype(F32), "rz", -(1 << 31), (1 << 31) - 1, 32).astype(np.uint32).view(np.int32),
        ),
        Row(
            "__nv_bfloat16",
            "__int2bfloat16_rn(__bfloat162int_rz(p))",
            lambda p: to_bf16(
                clipped(bf(p).astype(F32), "rz", -(1 << 31), (1 << 31) - 1, 32)
                .astype(np.uint32)
                .view(np.int32)
                .astype(F64)
            ),
        ),
    ],
    "",
    archs=("sm_80", "sm_86", "sm_89", "sm_90"),
)

CONVERT: tuple[Snippet, ...] = (_FLOAT_TO, _DOUBLE_TO, _INT_TO, _LONG_TO, _HALF_TO, _EIGHT, _BF16_TO)
