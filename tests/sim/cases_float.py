"""Floating-point arithmetic of all widths."""

# A table asks each reference for the names of its parameters, which NumPy's functions do not tell.
# ruff: noqa: PLW0108

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from cases_integer import asm
from snippets import FLOAT_EDGES, HALF_EDGES, Array, Row, Snippet, crossed, fma, rounded, table, within

F16, F32, F64 = np.float16, np.float32, np.float64

_A, _B, _C = crossed(FLOAT_EDGES, F32, 2048, 3)
_SINGLES = {"a": ("float", _A), "b": ("float", _B), "c": ("float", _C)}
_DOUBLE_EDGES = (*FLOAT_EDGES, 1e300, -1e300, 1e-300, 5e-324, -5e-324, 2.2250738585072014e-308, 2.0**53, 2.0**53 + 2)
_X, _Y, _Z = crossed(_DOUBLE_EDGES, F64, 2560, 3)
_DOUBLES = {"x": ("double", _X), "y": ("double", _Y), "z": ("double", _Z)}


def flush(x: Array) -> Array:
    """Subnormal numbers to zeros of the same sign."""
    tiny = np.finfo(x.dtype).tiny
    return np.where(np.abs(x) < tiny, np.copysign(x.dtype.type(0), x), x).astype(x.dtype)


def flush_exact(p: Array) -> Array:
    """A product, flushed when it is below the least normal number after rounding to 24 bits."""
    small = np.abs((p * 2.0**60).astype(F32)) < F32(2.0**-66)
    return np.where(small, np.copysign(0.0, p), p).astype(F32)


def flush_sum(a: Array, b: Array, c: Array) -> Array:
    out = flush(fma(a, b, c))
    for k in np.flatnonzero(np.abs(out) == F32(2.0**-126)):
        exact = Fraction(float(a[k])) * Fraction(float(b[k])) + Fraction(float(c[k]))
        if abs(exact) < Fraction(2) ** -126 * (1 - Fraction(2) ** -25):
            out[k] = np.copysign(F32(0), out[k])
    return out


def least(a: Any, b: Any) -> Array:
    """The minimum; -0 is below +0 and a number is below NaN."""
    less = (a < b) | ((a == b) & np.signbit(a))
    return np.asarray(np.where(np.isnan(a), b, np.where(np.isnan(b), a, np.where(less, a, b))))


def greatest(a: Any, b: Any) -> Array:
    more = (a > b) | ((a == b) & np.signbit(b))
    return np.asarray(np.where(np.isnan(a), b, np.where(np.isnan(b), a, np.where(more, a, b))))


def clamp(x: Array) -> Array:
    one = x.dtype.type(1)
    zero = x.dtype.type(0)
    return np.asarray(np.where(x > 0, np.minimum(x, one), zero), x.dtype)


def ftz(op: str, *names: str) -> str:
    return asm(f"{op} $0, " + ", ".join(f"${k + 1}" for k in range(len(names))), *names, kind="float", letter="f")


def _rounded_rows(kind: str, names: tuple[str, str, str], prefix: str) -> list[Row]:
    a, b, c = names
    rows = []
    for mode in ("rn", "rd", "ru", "rz"):
        scope = {"np": np, "fma": fma}
        for name, text, function in (
            ("add", f"{a}, {b}", f"lambda {a}, {b}: {a} + {b}"),
            ("mul", f"{a}, {b}", f"lambda {a}, {b}: {a} * {b}"),
            ("fma" if prefix == "d" else "fmaf", f"{a}, {b}, {c}", f"lambda {a}, {b}, {c}: fma({a}, {b}, {c})"),
            ("div", f"{a}, {b}", f"lambda {a}, {b}: {a} / {b}"),
            ("sqrt", a, f"lambda {a}: np.sqrt({a})"),
            ("rcp", a, f"lambda {a}: 1 / {a}"),
            ("sub", f"{a}, {b}", f"lambda {a}, {b}: {a} - {b}"),
        ):
            full = f"__{prefix}{name}_{mode}" if prefix == "d" or name != "fmaf" else f"__fmaf_{mode}"
            full = f"__fma_{mode}" if prefix == "d" and name == "fma" else full
            rows.append(Row(kind, f"{full}({text})", rounded(mode, eval(function, scope))))
    return rows


_SINGLE = table(
    "float32",
    _SINGLES,
    [
        Row("float", "a + b", lambda a, b: a + b),
        Row("float", "a - b", lambda a, b: a - b),
        Row("float", "a * b", lambda a, b: a * b),
        Row("float", "fmaf(a, b, c)", lambda a, b, c: fma(a, b, c)),
        Row("float", "a / b", lambda a, b: a / b),
        Row("float", "sqrtf(a)", lambda a: np.sqrt(a)),
        Row("float", "1.0f / a", lambda a: F32(1) / a),
        Row("float", "-a", lambda a: -a),
        Row("float", "fabsf(a) + -fabsf(b)", lambda a, b: np.abs(a) - np.abs(b)),
        Row("float", "fminf(a, b)", least),
        Row("float", "fmaxf(a, b)", greatest),
        Row("float", "fminf(fmaxf(a, -1.5f), 2.5f)", lambda a: least(greatest(a, F32(-1.5)), F32(2.5))),
        Row(
            "float",
            ftz("min.NaN.f32", "a", "b"),
            lambda a, b: np.where(np.isnan(a) | np.isnan(b), F32(np.nan), least(a, b)),
            least=80,
        ),
        Row("float", "floorf(a)", lambda a: np.floor(a)),
        Row("float", "ceilf(a)", lambda a: np.ceil(a)),
        Row("float", "truncf(a)", lambda a: np.trunc(a)),
        Row("float", "rintf(a)", lambda a: np.rint(a)),
        Row(
            "float",
            "roundf(a)",
            lambda a: np.where(np.abs(a) < 2.0**23, np.copysign(np.floor(np.abs(a.astype(F64)) + 0.5), a), a),
        ),
        Row("float", "copysignf(a, b)", lambda a, b: np.copysign(a, b)),
        Row("float", "__saturatef(a)", lambda a: clamp(a)),
        Row("float", "__saturatef(a + b)", lambda a, b: clamp(a + b)),
        Row(
            "float",
            "fdimf(a, b)",
            lambda a, b: np.where(np.isnan(a) | np.isnan(b), F32(np.nan), np.where(a > b, a - b, F32(0))),
        ),
        Row("float", "a < b ? c : b", lambda a, b, c: np.where(a < b, c, b)),
        *(
            Row("bool", f"a {op} b", f)
            for op, f in (
                ("<", lambda a, b: a < b),
                ("<=", lambda a, b: a <= b),
                ("==", lambda a, b: a == b),
                ("!=", lambda a, b: a != b),
                (">", lambda a, b: a > b),
                (">=", lambda a, b: a >= b),
            )
        ),
        *(
            Row("bool", f"!(a {op} b)", f)
            for op, f in (
                ("<", lambda a, b: ~(a < b)),
                ("<=", lambda a, b: ~(a <= b)),
                (">", lambda a, b: ~(a > b)),
                (">=", lambda a, b: ~(a >= b)),
            )
        ),
        Row("bool", "isnan(a)", lambda a: np.isnan(a)),
        Row("bool", "isinf(a)", lambda a: np.isinf(a)),
        Row("bool", "isfinite(a)", lambda a: np.isfinite(a)),
        Row("bool", "signbit(a) != 0", lambda a: np.signbit(a)),
        Row("bool", "__isnanf(a) || __isnanf(b)", lambda a, b: np.isnan(a) | np.isnan(b)),
        Row("bool", "a < b && b < c", lambda a, b, c: (a < b) & (b < c)),
        Row(
            "float",
            asm("set.lt.f32.f32 $0, $1, $2", "a", "b", kind="float", letter="f"),
            lambda a, b: np.where(a < b, F32(1), F32(0)),
        ),
        Row("float", ftz("add.ftz.f32", "a", "b"), lambda a, b: flush(flush(a) + flush(b))),
        Row("float", ftz("mul.ftz.f32", "a", "b"), lambda a, b: flush_exact(flush(a).astype(F64) * flush(b))),
        Row("float", ftz("fma.rn.ftz.f32", "a", "b", "c"), lambda a, b, c: flush_sum(flush(a), flush(b), flush(c))),
        Row("float", ftz("add.sat.f32", "a", "b"), lambda a, b: clamp(a + b)),
        Row("float", ftz("mul.sat.f32", "a", "b"), lambda a, b: clamp(a * b)),
        Row("float", ftz("fma.rn.sat.f32", "a", "b", "c"), lambda a, b, c: clamp(fma(a, b, c))),
        Row(
            "float",
            ftz("fma.rz.ftz.sat.f32", "a", "b", "c"),
            rounded("rz", lambda a, b, c: clamp(flush(fma(flush(a), flush(b), flush(c))))),
        ),
        Row("float", ftz("add.rp.ftz.f32", "a", "b"), rounded("ru", lambda a, b: flush(flush(a) + flush(b)))),
        Row("float", ftz("min.ftz.f32", "a", "b"), lambda a, b: least(flush(a), flush(b))),
        Row("float", "ldexpf(a, 3)", lambda a: a * F32(8)),
        Row("float", "scalbnf(b, -2)", lambda b: b * F32(0.25)),
        Row("float", "fmodf(a, 3.0f)", lambda a: np.fmod(a, F32(3))),
        Row("float", "nextafterf(a, b)", lambda a, b: np.nextafter(a, b)),
    ],
    "FADD FMUL FFMA FMNMX FSETP FSEL FCHK FRND MUFU.RCP MUFU.RSQ",
)


def scaled(a: Array, b: Array, by: float) -> Array:
    """A product times a power of two, rounded once (FMUL.D4 and its like, as an H200 does them)."""
    return (a.astype(F64) * b.astype(F64) * by).astype(F32)


_SCALED = table(
    "scaled products",
    _SINGLES,
    [
        Row("float", "a * b * 0.25f", lambda a, b: scaled(a, b, 0.25)),
        Row("float", "a * c * 0.5f", lambda a, c: scaled(a, c, 0.5)),
        Row("float", "c * c * 0.125f", lambda c: scaled(c, c, 0.125)),
        Row("float", "b * c * 8.0f", lambda b, c: scaled(b, c, 8)),
        Row("float", "a * a * 4.0f", lambda a: scaled(a, a, 4)),
    ],
    "FMUL.D8 FMUL.D4 FMUL.D2 FMUL.M8 FMUL.M4",
)

_LOW = (2.0**-63 * (1 + np.random.default_rng(8).integers(0, 1 << 23, 1024) * 2.0**-23)).astype(F32)
_OTHER = (2.0**-126 / _LOW.astype(F64)).astype(F32)
_OTHER = (_OTHER.view(np.uint32) + np.arange(1024, dtype=np.uint32) % 5 - 2).view(F32)
_EDGE = table("products at the least normal number", {"a": ("float", _LOW), "b": ("float", _OTHER)}, [
    Row("float", ftz("mul.ftz.f32", "a", "b"), lambda a, b: flush_exact(a.astype(F64) * b)),
    Row("float", ftz("fma.rn.ftz.f32", "a", "b", "-0.0f"), lambda a, b: flush_exact(a.astype(F64) * b)),
    Row("float", "a * b", lambda a, b: a * b),
], "FMUL.FTZ FFMA.FTZ")

_DIRECTED = table(
    "float32 rounding",
    {k: (t, v[:1536]) for k, (t, v) in _SINGLES.items()},
    _rounded_rows("float", ("a", "b", "c"), "f"),
    "FADD.RM FADD.RP FADD.RZ FMUL.RM FFMA.RM FFMA.RP FFMA.RZ",
)


def _exact(function: Callable[[float], float], bound: float) -> Callable[..., Array]:
    """A reference in double precision; infinite or NaN where ``math`` refuses."""

    def one(v: float) -> float:
        try:
            return function(v)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    del bound
    return lambda a: np.array([one(float(v)) for v in a])


_SMALL = np.concatenate(
    [np.linspace(-20, 20, 512), np.random.default_rng(3).normal(0, 1, 256), np.geomspace(1e-37, 1e37, 256)]
).astype(F32)
_POSITIVE = np.concatenate([np.geomspace(2e-38, 3e38, 512), np.linspace(0.5, 4, 512)]).astype(F32)


def approx(op: str) -> str:
    return asm(f"{op} $0, $1", "a", kind="float", letter="f")


_TINY = 2.0**-126
_MUFU = table(
    "mufu",
    {"a": ("float", _POSITIVE)},
    [
        Row(
            "float",
            approx("rcp.approx.ftz.f32"),
            lambda a: np.where(1 / a.astype(F64) < _TINY, 0.0, 1 / a.astype(F64)),
            within(2),
        ),
        Row("float", approx("rsqrt.approx.ftz.f32"), lambda a: 1 / np.sqrt(a.astype(F64)), within(2)),
        Row("float", approx("sqrt.approx.ftz.f32"), lambda a: np.sqrt(a.astype(F64)), within(2)),
        Row("float", approx("lg2.approx.ftz.f32"), lambda a: np.log2(a.astype(F64)), within(2, 2.0**-22)),
        Row("float", "rsqrtf(a)", lambda a: 1 / np.sqrt(a.astype(F64)), within(2)),
        Row("float", "__logf(a)", lambda a: np.log(a.astype(F64)), within(3, 2.0**-21)),
        Row("float", "log10f(a)", lambda a: np.log10(a.astype(F64)), within(3)),
        Row("float", "logf(a)", lambda a: np.log(a.astype(F64)), within(2)),
        Row("float", "log2f(a)", lambda a: np.log2(a.astype(F64)), within(2)),
        Row("float", "log1pf(a)", lambda a: np.log1p(a.astype(F64)), within(2)),
        Row("float", "cbrtf(a)", lambda a: np.cbrt(a.astype(F64)), within(2)),
        Row("float", "powf(a, 0.3f)", lambda a: a.astype(F64) ** float(F32(0.3)), within(9)),
        Row("float", "rcbrtf(a)", lambda a: 1 / np.cbrt(a.astype(F64)), within(2)),
    ],
    "MUFU.RCP MUFU.RSQ MUFU.SQRT MUFU.LG2",
)

_WAVES = table(
    "transcendental",
    {"a": ("float", _SMALL)},
    [
        Row(
            "float",
            approx("ex2.approx.ftz.f32"),
            lambda a: np.where(2.0 ** a.astype(F64) < _TINY, 0.0, 2.0 ** a.astype(F64)),
            within(2),
        ),
        Row(
            "float",
            "__sinf(a)",
            lambda a: np.sin(a.astype(F64)),
            lambda g, w: np.asarray((np.abs(_SMALL) > 100) | (np.abs(g - w) < 1e-5)),
        ),
        Row(
            "float",
            "__cosf(a)",
            lambda a: np.cos(a.astype(F64)),
            lambda g, w: np.asarray((np.abs(_SMALL) > 100) | (np.abs(g - w) < 1e-5)),
        ),
        Row("float", "expf(a)", lambda a: np.exp(a.astype(F64)), within(2, 1e-45)),
        Row("float", "exp2f(a)", lambda a: 2.0 ** a.astype(F64), within(2, 1e-45)),
        Row("float", "exp10f(a)", lambda a: 10.0 ** a.astype(F64), within(2, 1e-45)),
        Row("float", "expm1f(a)", lambda a: np.expm1(a.astype(F64)), within(2)),
        Row("float", "sinf(a)", lambda a: np.sin(a.astype(F64)), within(2)),
        Row("float", "cosf(a)", lambda a: np.cos(a.astype(F64)), within(2)),
        Row("float", "tanf(a)", lambda a: np.tan(a.astype(F64)), within(4)),
        Row("float", "atanf(a)", lambda a: np.arctan(a.astype(F64)), within(2)),
        Row("float", "tanhf(a)", lambda a: np.tanh(a.astype(F64)), within(2)),
        Row("float", "sinhf(a)", lambda a: np.sinh(a.astype(F64)), within(3)),
        Row("float", "erff(a)", _exact(math.erf, 2), within(2)),
        Row("float", "sinpif(a)", lambda a: np.sin(np.pi * np.fmod(a.astype(F64), 2.0)), within(2, 1e-6)),
        Row(
            "float",
            "asinf(fminf(fmaxf(a, -1.0f), 1.0f))",
            lambda a: np.arcsin(np.clip(a.astype(F64), -1, 1)),
            within(2),
        ),
        Row("float", approx("tanh.approx.f32"), lambda a: np.tanh(a.astype(F64)), within(0, 2.0**-10.9)),
        Row("float", "fmodf(a, 0.7f)", lambda a: np.fmod(a, F32(0.7))),
    ],
    "MUFU.EX2 MUFU.SIN MUFU.COS MUFU.TANH",
)

_DOUBLE = table(
    "float64",
    _DOUBLES,
    [
        *_rounded_rows("double", ("x", "y", "z"), "d"),
        Row("double", "x / y", lambda x, y: x / y),
        Row("double", "sqrt(x)", lambda x: np.sqrt(x)),
        Row("double", "fmin(x, y)", lambda x, y: least(x, y)),
        Row("double", "fmax(x, y)", lambda x, y: greatest(x, y)),
        Row("double", "-fabs(x) + y", lambda x, y: y - np.abs(x)),
        Row("double", "floor(x)", lambda x: np.floor(x)),
        Row("double", "ceil(x)", lambda x: np.ceil(x)),
        Row("double", "trunc(x)", lambda x: np.trunc(x)),
        Row("double", "rint(x)", lambda x: np.rint(x)),
        Row("double", "x < y ? z : y", lambda x, y, z: np.where(x < y, z, y)),
        *(
            Row("bool", f"x {op} y", f)
            for op, f in (
                ("<", lambda x, y: x < y),
                ("<=", lambda x, y: x <= y),
                ("==", lambda x, y: x == y),
                ("!=", lambda x, y: x != y),
                (">", lambda x, y: x > y),
                (">=", lambda x, y: x >= y),
            )
        ),
        Row("bool", "!(x < y)", lambda x, y: ~(x < y)),
        Row("bool", "isnan(x)", lambda x: np.isnan(x)),
        Row("double", "fmod(x, 3.0)", lambda x: np.fmod(x, 3.0)),
    ],
    "DADD DMUL DFMA DMNMX|DSETP DSETP MUFU.RCP64H MUFU.RSQ64H FRND.F64",
)

_DOUBLE_FUNCTIONS = table(
    "float64 functions",
    {
        "x": (
            "double",
            np.concatenate(
                [
                    np.linspace(-30, 30, 256),
                    np.random.default_rng(4).normal(0, 1, 128),
                    np.geomspace(1e-300, 1e300, 128),
                ]
            ),
        )
    },
    [
        Row("double", "exp(x)", lambda x: np.exp(x), within(2)),
        Row("double", "log(fabs(x))", lambda x: np.log(np.abs(x)), within(2)),
        Row("double", "sin(x)", lambda x: np.sin(x), within(2)),
        Row("double", "cos(x)", lambda x: np.cos(x), within(2)),
        Row("double", "pow(fabs(x), 0.3)", lambda x: np.abs(x) ** 0.3, within(3)),
        Row("double", "tanh(x)", lambda x: np.tanh(x), within(3)),
        Row("double", "rsqrt(fabs(x))", lambda x: 1 / np.sqrt(np.abs(x)), within(2)),
        Row("double", "cbrt(x)", lambda x: np.cbrt(x), within(2)),
        Row("double", "atan2(x, 2.0)", lambda x: np.arctan2(x, 2.0), within(3)),
        Row("double", "erf(x)", lambda x: np.array([math.erf(v) for v in x]), within(3)),
    ],
    "DFMA MUFU.RCP64H",
)

# --- 16 bits ---------------------------------------------------------------------------------------------------------

_P, _Q, _R = (np.ascontiguousarray(v) for v in crossed(HALF_EDGES, F16, 4096, 3))
_PAIRS = {n: ("__half2", v.view(np.uint32)) for n, v in (("p", _P), ("q", _Q), ("r", _R))}


def h(x: Array) -> Array:
    return x.view(F16)


def bits16(x: Array) -> Array:
    """Halves side by side; the GPU's NaN is 0x7fff."""
    half = x.astype(F16)
    return np.where(np.isnan(half), np.uint16(0x7FFF), half.view(np.uint16)).astype(np.uint16).view(np.uint32)


def nan_blind(dtype: Any) -> Any:
    """Compares packed 16-bit numbers bit by bit, any NaN for a NaN."""
    top = 0x7C00 if dtype is F16 else 0x7F80

    def check(got: Array, wanted: Array) -> Array:
        g, w = got.view(np.uint16).reshape(-1, 2), wanted.view(np.uint16).reshape(-1, 2)
        both = ((g & 0x7FFF) > top) & ((w & 0x7FFF) > top)
        return np.asarray(((g == w) | both).all(1))

    return check


_H = nan_blind(F16)


def half_fma(p: Array, q: Array, r: Array) -> Array:
    """Exact in double precision up to the one rounding."""
    return (p.astype(F64) * q.astype(F64) + r.astype(F64)).astype(F16)


_HALF = table(
    "half2",
    _PAIRS,
    [
        Row("__half2", "__hadd2(p, q)", lambda p, q: bits16(h(p) + h(q)), _H),
        Row("__half2", "__hsub2(p, q)", lambda p, q: bits16(h(p) - h(q)), _H),
        Row("__half2", "__hmul2(p, q)", lambda p, q: bits16(h(p) * h(q)), _H),
        Row("__half2", "__hfma2(p, q, r)", lambda p, q, r: bits16(half_fma(h(p), h(q), h(r))), _H),
        Row("__half2", "__hneg2(p)", lambda p: bits16(-h(p)), _H),
        Row("__half2", "__habs2(p)", lambda p: bits16(np.abs(h(p))), _H),
        Row("__half2", "__hadd2_sat(p, q)", lambda p, q: bits16(clamp(h(p) + h(q))), _H),
        Row("__half2", "__hmul2_sat(p, q)", lambda p, q: bits16(clamp(h(p) * h(q))), _H),
        Row("__half2", "__hfma2_sat(p, q, r)", lambda p, q, r: bits16(clamp(half_fma(h(p), h(q), h(r)))), _H),
        Row(
            "__half2", "__hfma2_relu(p, q, r)", lambda p, q, r: bits16(_relu(half_fma(h(p), h(q), h(r)))), _H, least=80
        ),
        Row("__half2", "__hmin2(p, q)", lambda p, q: bits16(least(h(p), h(q))), _H, least=80),
        Row("__half2", "__hmax2(p, q)", lambda p, q: bits16(greatest(h(p), h(q))), _H, least=80),
        Row(
            "__half2",
            "__hmax2_nan(p, q)",
            lambda p, q: bits16(np.where(np.isnan(h(p)) | np.isnan(h(q)), F16(np.nan), greatest(h(p), h(q)))),
            _H,
            least=80,
        ),
        Row(
            "__half2", "__halves2half2(__low2half(p), __high2half(q))", lambda p, q: (p & 0xFFFF) | (q & 0xFFFF0000), _H
        ),
        Row(
            "__half2",
            "__hadd2(__low2half2(p), __high2half2(q))",
            lambda p, q: bits16(np.repeat(h(p)[0::2], 2) + np.repeat(h(q)[1::2], 2)),
            _H,
        ),
        Row(
            "__half2",
            "__hfma2(__high2half2(p), __lows2half2(q, q), __lowhigh2highlow(r))",
            lambda p, q, r: bits16(
                half_fma(np.repeat(h(p)[1::2], 2), np.repeat(h(q)[0::2], 2), h(r).reshape(-1, 2)[:, ::-1].reshape(-1))
            ),
            _H,
        ),
        Row(
            "unsigned",
            "__heq2_mask(p, q)",
            lambda p, q: np.where(h(p) == h(q), np.uint16(0xFFFF), np.uint16(0)).view(np.uint32),
        ),
        Row(
            "unsigned",
            "__hltu2_mask(p, q)",
            lambda p, q: np.where(~(h(p) >= h(q)), np.uint16(0xFFFF), np.uint16(0)).view(np.uint32),
        ),
        Row("__half2", "__hge2(p, q)", lambda p, q: bits16(np.where(h(p) >= h(q), F16(1), F16(0))), _H),
        Row("bool", "__hbgt2(p, q)", lambda p, q: (h(p) > h(q)).reshape(-1, 2).all(1)),
        Row("bool", "__hbneu2(p, q)", lambda p, q: (~(h(p) == h(q))).reshape(-1, 2).all(1)),
        Row("bool", "__hlt(__low2half(p), __high2half(q))", lambda p, q: h(p)[0::2] < h(q)[1::2]),
        Row("bool", "__hgeu(__low2half(p), __low2half(q))", lambda p, q: ~(h(p)[0::2] < h(q)[0::2])),
        Row("bool", "__hisnan(__low2half(p))", lambda p: np.isnan(h(p)[0::2])),
        Row(
            "float",
            "__half2float(__low2half(p)) + __half2float(__high2half(q))",
            lambda p, q: h(p)[0::2].astype(F32) + h(q)[1::2].astype(F32),
        ),
        Row("__half2", "__h2div(p, q)", lambda p, q: bits16(h(p).astype(F32) / h(q).astype(F32)), _H),
        Row("__half2", "h2sqrt(p)", lambda p: bits16(np.sqrt(h(p).astype(F32))), _H),
        Row("__half2", "h2floor(p)", lambda p: bits16(np.floor(h(p))), _H),
        Row("__half2", "h2rint(p)", lambda p: bits16(np.rint(h(p))), _H),
        Row("__half2", "h2trunc(p)", lambda p: bits16(np.trunc(h(p))), _H),
        Row("__half2", "h2ceil(p)", lambda p: bits16(np.ceil(h(p))), _H),
    ],
    {
        "sm_75": "HADD2 HMUL2 HFMA2 HSETP2 HSET2 HADD2.F32",
        "sm_80": "HADD2 HMUL2 HFMA2 HSETP2 HSET2 HADD2.F32 HMNMX2|VHMNMX",
    },
)


_MIXED = table("halves to single", {n: ("__half", v[:2048].copy()) for n, v in (("p", _P), ("q", _Q), ("r", _R))}, [
    Row("float", "__half2float(__hmul(p, q))", lambda p, q: (p * q).astype(F32)),
    Row("float", "__half2float(__hadd(q, r))", lambda q, r: (q + r).astype(F32)),
    Row("float", "__half2float(__hfma(p, q, r))", lambda p, q, r: half_fma(p, q, r).astype(F32)),
    Row("float", "__half2float(p) * __half2float(q)", lambda p, q: p.astype(F32) * q.astype(F32)),
    Row("float", "__half2float(q) + __half2float(r)", lambda q, r: q.astype(F32) + r.astype(F32)),
], {"sm_75": "HMUL2.F32 HADD2.F32", "sm_80": "HADD2.F32"})


def _relu(x: Array) -> Array:
    return np.where(np.isnan(x), x, np.where(x > 0, x, F16(0))).astype(F16)


# --- bfloat16 --------------------------------------------------------------------------------------------------------

_BF_EDGES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.0078125,
    0.1,
    1e-38,
    -1e-38,
    9e-41,
    3.38e38,
    -3.38e38,
    2.5,
    0.5,
    256.0,
    257.0,
    1e20,
    1e-20,
    3.0,
    0.333,
    float("inf"),
    float("-inf"),
    float("nan"),
)


def to_bf16(values: Array) -> Array:
    """Bits of the nearest bfloat16 of doubles, exactly: through round-to-odd single precision."""
    with np.errstate(all="ignore"):
        single = np.where(np.isnan(values), 0, values).astype(F32)
        error = values - single.astype(F64)
        bits = np.where(np.isnan(values), 0, single.view(np.uint32).astype(np.int64))
        even = (bits & 1) == 0
        away = (error > 0) == (single > 0)
        inexact = (error != 0) & np.isfinite(values) & np.isfinite(single)
        bits = np.where(inexact & even & (single != 0), np.where(away, bits + 1, bits - 1), bits)
        bits = np.where(inexact & (single == 0), np.where(values > 0, 1, 0x80000001), bits)
    out = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7FFF, out & 0xFFFF).astype(np.uint16)


def bf(x: Array) -> Array:
    """Packed bfloat16 as doubles."""
    return (x.view(np.uint16).astype(np.uint32) << 16).view(F32).astype(F64)


def bf_fma(p: Array, q: Array, r: Array) -> Array:
    """One rounding of the exact value."""
    out = []
    for x, y, z in zip(bf(p), bf(q), bf(r), strict=True):
        plain = x * y + z
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            out.append(plain)
            continue
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        # Rounded to odd, a double keeps what a later rounding to 8 bits needs to know.
        error = exact - Fraction(plain) if math.isfinite(plain) else Fraction(0)
        if error != 0:
            bits = int(np.float64(plain).view(np.uint64))
            if bits & 1 == 0:
                plain = math.nextafter(plain, math.inf if error > 0 else -math.inf)
        out.append(plain)
    return to_bf16(np.array(out)).view(np.uint32)


_BP, _BQ, _BR = (to_bf16(v.astype(F64)) for v in crossed(_BF_EDGES, F32, 2048, 3, seed=5))
_BPAIRS = {
    n: ("__nv_bfloat162", np.ascontiguousarray(v).view(np.uint32)) for n, v in (("p", _BP), ("q", _BQ), ("r", _BR))
}
_BH = nan_blind(None)
_BF16 = table(
    "bfloat162",
    _BPAIRS,
    [
        Row("__nv_bfloat162", "__hadd2(p, q)", lambda p, q: to_bf16(bf(p) + bf(q)).view(np.uint32), _BH),
        Row("__nv_bfloat162", "__hsub2(p, q)", lambda p, q: to_bf16(bf(p) - bf(q)).view(np.uint32), _BH),
        Row("__nv_bfloat162", "__hmul2(p, q)", lambda p, q: to_bf16(bf(p) * bf(q)).view(np.uint32), _BH),
        Row("__nv_bfloat162", "__hfma2(p, q, r)", bf_fma, _BH),
        Row("__nv_bfloat162", "__hneg2(p)", lambda p: p ^ np.uint32(0x80008000), _BH),
        Row("__nv_bfloat162", "__hmin2(p, q)", lambda p, q: to_bf16(least(bf(p), bf(q))).view(np.uint32), _BH),
        Row("__nv_bfloat162", "__hmax2(p, q)", lambda p, q: to_bf16(greatest(bf(p), bf(q))).view(np.uint32), _BH),
        Row("bool", "__hbgt2(p, q)", lambda p, q: (bf(p) > bf(q)).reshape(-1, 2).all(1)),
        Row("__nv_bfloat162", "__hle2(p, q)", lambda p, q: to_bf16((bf(p) <= bf(q)).astype(F64)).view(np.uint32), _BH),
        Row("float", "__bfloat162float(__low2bfloat16(p))", lambda p: bf(p)[0::2].astype(F32)),
        Row("float", "__bfloat162float(__high2bfloat16(p)) * 2.0f", lambda p: bf(p)[1::2].astype(F32) * F32(2)),
        Row(
            "__nv_bfloat162",
            "h2sqrt(p)",
            lambda p: to_bf16(np.sqrt(bf(p)).astype(F32).astype(F64)).view(np.uint32),
            _BH,
        ),
    ],
    {"sm_80": "HFMA2.BF16_V2|HFMA2.BF16", "sm_90": "HADD2.BF16_V2 HMUL2.BF16_V2 HFMA2.BF16_V2"},
    archs=("sm_80", "sm_86", "sm_89", "sm_90"),
)



def _near16(got: Array, wanted: Array) -> Array:
    """Packed 16-bit numbers at most two units of the last place apart."""
    g, w = (x.view(np.uint16).astype(np.int32).reshape(-1, 2) for x in (got, wanted))
    return np.asarray((np.abs(g - w) <= 2).all(1))


_UNIT = np.linspace(-12, 12, 4096)
_MUFU16 = table(
    "mufu of 16 bits",
    {"p": ("unsigned", bits16(_UNIT)), "q": ("unsigned", to_bf16(_UNIT).view(np.uint32))},
    [
        Row("unsigned", asm("tanh.approx.f16x2 $0, $1", "p", kind="unsigned"),
            lambda p: bits16(np.tanh(h(p).astype(F64))), _near16),
        Row("unsigned", asm("ex2.approx.f16x2 $0, $1", "p", kind="unsigned"),
            lambda p: bits16(2.0 ** h(p).astype(F64)), _near16),
        Row("unsigned", asm("tanh.approx.bf16x2 $0, $1", "q", kind="unsigned"),
            lambda q: to_bf16(np.tanh(bf(q).astype(F64))).view(np.uint32), _near16, least=90),
        Row("unsigned", asm("ex2.approx.ftz.bf16x2 $0, $1", "q", kind="unsigned"),
            lambda q: to_bf16(2.0 ** bf(q).astype(F64)).view(np.uint32), _near16, least=90),
    ],
    {"sm_75": "MUFU.TANH.F16 MUFU.EX2.F16",
     "sm_90": "MUFU.TANH.F16 MUFU.EX2.F16 MUFU.TANH.BF16 MUFU.EX2.BF16"},
)

FLOAT: tuple[Snippet, ...] = (_SINGLE, _SCALED, _EDGE, _DIRECTED, _MUFU, _WAVES, _DOUBLE, _DOUBLE_FUNCTIONS,
                              _HALF, _MIXED, _BF16, _MUFU16)
