"""Integer and logic instructions."""

# A table asks each reference for the names of its parameters, which NumPy's functions do not tell.
# ruff: noqa: PLW0108

from __future__ import annotations

from typing import Any

import numpy as np
from snippets import INT_EDGES, LONG_EDGES, Array, Row, Snippet, crossed, table

U32, U64, I32, I64 = np.uint32, np.uint64, np.int32, np.int64

_A, _B, _C = (a.view(I32) for a in crossed(INT_EDGES, I32, arity=3))
_X, _Y = crossed(LONG_EDGES, I64, count=1280)
_INTS = {"a": ("int", _A), "b": ("int", _B), "c": ("int", _C)}
_LONGS = {"x": ("long long", _X), "y": ("long long", _Y)}


def u(x: Array) -> Array:
    return x.view(U32).astype(U64)


def s(x: Array) -> Array:
    return x.astype(I64)


def word(x: Any) -> Array:
    """The low 32 bits."""
    return (np.asarray(x).astype(I64) & I64(0xFFFFFFFF)).astype(U32)


def divided(a: Array, b: Array, remainder: bool) -> Array:
    """C's division, towards zero; by zero as the GPU does it is not asked for."""
    safe = np.where(b == 0, 1, b)
    q = np.array(
        [
            int(abs(int(p)) // abs(int(r))) * (1 if (int(p) < 0) == (int(r) < 0) else -1)
            for p, r in zip(a, safe, strict=True)
        ],
        object,
    )
    out = np.array([int(p) - int(k) * int(r) for p, r, k in zip(a, safe, q, strict=True)], object) if remainder else q
    bits = 8 * a.dtype.itemsize
    return np.array(
        [((int(v) + (1 << bits - 1)) % (1 << bits)) - (1 << bits - 1) if a.dtype.kind == "i" else int(v) for v in out],
        a.dtype,
    )


def bits_of(x: Array, count: Any) -> Array:
    return np.array([count(int(v)) for v in x], I64)


def high(a: Array, b: Array, width: int) -> Array:
    return np.array([(int(p) * int(q) >> width) & ((1 << width) - 1) for p, q in zip(a, b, strict=True)], U64)


def prmt(a: int, b: int, sel: int, mode: str = "") -> int:
    """PTX ISA, instruction ``prmt``."""
    value = [(b << 32 | a) >> 8 * k & 255 for k in range(8)]
    k = sel & 3
    pick = {
        "f4e": [k, k + 1, k + 2, k + 3],
        "b4e": [k, k - 1 & 7, k - 2 & 7, k - 3 & 7],
        "rc8": [k] * 4,
        "ecl": [max(k, i) for i in range(4)],
        "ecr": [min(k, i) for i in range(4)],
        "rc16": [2 * (sel & 1) + (i & 1) for i in range(4)],
    }.get(mode)
    if pick is not None:
        return sum(value[p] << 8 * i for i, p in enumerate(pick))
    out = 0
    for i in range(4):
        n = sel >> 4 * i & 15
        byte = value[n & 7]
        out |= (255 * (byte >> 7) if n & 8 else byte) << 8 * i
    return out


def _in_mode(mode: str) -> Any:
    return lambda a, b, c: permuted(a, b, c, mode)


def permuted(a: Array, b: Array, c: Array, mode: str = "") -> Array:
    return np.array([prmt(int(p), int(q), int(r), mode) for p, q, r in zip(u(a), u(b), u(c), strict=True)], U64)


def asm(text: str, *inputs: str, kind: str = "int", letter: str = "r") -> str:
    """An expression with one PTX instruction; ``$0`` in it is the result."""
    operands = ", ".join(f'"{letter}"({i})' for i in inputs)
    text = text if text.endswith("}") else f"{text};"
    for k in range(len(inputs), -1, -1):
        text = text.replace(f"${k}", f"%{k}")
    return f'([&]{{ {kind} r; asm volatile("{text}" : "={letter}"(r) : {operands}); return r; }}())'


def bfe(a: int, pos: int, length: int, signed: bool) -> int:
    """PTX ISA, instruction ``bfe``."""
    pos, length = pos & 255, length & 255
    sign = 0 if not signed or length == 0 else a >> min(pos + length - 1, 31) & 1
    out = 0
    for i in range(32):
        bit = a >> pos + i & 1 if i < length and pos + i <= 31 else sign
        out |= bit << i
    return out


def bfi(a: int, b: int, pos: int, length: int) -> int:
    pos, length = pos & 255, length & 255
    for i in range(length):
        if pos + i < 32:
            b = b & ~(1 << pos + i) | (a >> i & 1) << pos + i
    return b


def each(function: Any, *arrays: Array) -> Array:
    return np.array([function(*(int(v) for v in values)) & 0xFFFFFFFF for values in zip(*arrays, strict=True)], U64)


def funnel(low: Array, up: Array, n: Array, left: bool, clamp: bool) -> Array:
    k = np.minimum(u(n), U64(32)) if clamp else u(n) & U64(31)
    value = u(up) << U64(32) | u(low)
    return np.where(left, (value << k) >> U64(32), value >> k)


_BASIC = table(
    "int32",
    _INTS,
    [
        Row("int", "a + b", lambda a, b: word(s(a) + b)),
        Row("int", "a - b", lambda a, b: word(s(a) - b)),
        Row("int", "a + b + c", lambda a, b, c: word(s(a) + b + c)),
        Row("int", "a - b - c", lambda a, b, c: word(s(a) - b - c)),
        Row("int", "-a", lambda a: word(-s(a))),
        Row("int", "a * b", lambda a, b: word(u(a) * u(b))),
        Row("int", "a * b + c", lambda a, b, c: word(u(a) * u(b) + u(c))),
        Row("int", "a * b - c", lambda a, b, c: word(u(a) * u(b) - u(c))),
        Row("int", "c - a * b", lambda a, b, c: word(u(c) - u(a) * u(b))),
        Row("int", "a * 16 + b", lambda a, b: word(s(a) * 16 + b)),
        Row("int", "b - a * 8", lambda a, b: word(s(b) - s(a) * 8)),
        Row("int", "a * 24 + 7", lambda a: word(s(a) * 24 + 7)),
        Row("int", "__mulhi(a, b)", lambda a, b: word(high(a, b, 32))),
        Row("unsigned", "__umulhi(a, b)", lambda a, b: high(u(a), u(b), 32)),
        Row("long long", "(long long)a * b", lambda a, b: s(a) * s(b)),
        Row("unsigned long long", "(unsigned long long)(unsigned)a * (unsigned)b", lambda a, b: u(a) * u(b)),
        Row("long long", "(long long)a * b + c", lambda a, b, c: s(a) * s(b) + c),
        Row("int", "__mul24(a, b)", lambda a, b: word((s(a) << 40 >> 40) * (s(b) << 40 >> 40))),
        Row("int", "__sad(a, b, c)", lambda a, b, c: word(np.abs(s(a) - s(b)) + c)),
        Row(
            "unsigned",
            "__usad(a, b, c)",
            lambda a, b, c: word(np.abs(u(a).astype(I64) - u(b).astype(I64)) + u(c).astype(I64)),
        ),
        Row("int", "__hadd(a, b)", lambda a, b: word(s(a) + b >> 1)),
        Row("int", "__rhadd(a, b)", lambda a, b: word(s(a) + b + 1 >> 1)),
        Row("unsigned", "__uhadd(a, b)", lambda a, b: u(a) + u(b) >> U64(1)),
        Row("int", "abs(a)", lambda a: word(np.abs(s(a)))),
        Row("int", "min(a, b)", lambda a, b: np.minimum(a, b)),
        Row("int", "max(a, b)", lambda a, b: np.maximum(a, b)),
        Row("unsigned", "min((unsigned)a, (unsigned)b)", lambda a, b: np.minimum(u(a), u(b))),
        Row("unsigned", "max((unsigned)a, (unsigned)b)", lambda a, b: np.maximum(u(a), u(b))),
        Row("int", "min(min(a, b), c)", lambda a, b, c: np.minimum(np.minimum(a, b), c)),
        Row("int", "max(max(a, b), c)", lambda a, b, c: np.maximum(np.maximum(a, b), c)),
        Row("int", "max(a + b, c)", lambda a, b, c: np.maximum(word(s(a) + b).view(I32), c)),
        Row("unsigned", "min((unsigned)a + b, (unsigned)c)", lambda a, b, c: np.minimum(word(s(a) + b), u(c))),
        Row("int", "max(a + 5, 0)", lambda a: np.maximum(word(s(a) + 5).view(I32), 0)),
        Row("bool", "a < b", lambda a, b: a < b),
        Row("bool", "a <= b", lambda a, b: a <= b),
        Row("bool", "a == b", lambda a, b: a == b),
        Row("bool", "a != b", lambda a, b: a != b),
        Row("bool", "(unsigned)a < (unsigned)b", lambda a, b: u(a) < u(b)),
        Row("bool", "(unsigned)a >= (unsigned)b", lambda a, b: u(a) >= u(b)),
        Row("bool", "a < b && b < c || a == c", lambda a, b, c: (a < b) & (b < c) | (a == c)),
        Row("bool", "(a < b) != (b < c)", lambda a, b, c: (a < b) != (b < c)),
        Row("int", "a > b ? c : b", lambda a, b, c: np.where(a > b, c, b)),
        Row("int", "b ? a / b : 0", lambda a, b: np.where(b == 0, 0, divided(a, b, False))),
        Row("int", "b ? a % b : 0", lambda a, b: np.where(b == 0, 0, divided(a, b, True))),
        Row(
            "unsigned",
            "b ? (unsigned)a / (unsigned)b : 0",
            lambda a, b: np.where(b == 0, 0, divided(a.view(U32), b.view(U32), False)),
        ),
        Row(
            "unsigned",
            "b ? (unsigned)a % (unsigned)b : 0",
            lambda a, b: np.where(b == 0, 0, divided(a.view(U32), b.view(U32), True)),
        ),
        Row("int", "a / 7", lambda a: divided(a, np.full_like(a, 7), False)),
        Row("unsigned", "(unsigned)a % 10", lambda a: u(a) % U64(10)),
        Row("int", "a / 8", lambda a: divided(a, np.full_like(a, 8), False)),
        Row("int", "a % 8", lambda a: divided(a, np.full_like(a, 8), True)),
    ],
    "IMAD IADD3 IMAD.WIDE IMAD.HI ISETP PLOP3|LOP3 (I|V|VI)MNMX|VIMNMX IABS SEL LEA|IMAD.SHL",
)

_LOGIC = table(
    "logic32",
    _INTS,
    [
        Row("int", "a & b", lambda a, b: a & b),
        Row("int", "a | b", lambda a, b: a | b),
        Row("int", "a ^ b", lambda a, b: a ^ b),
        Row("int", "~a", lambda a: ~a),
        Row("int", "(a & b) | (~a & c)", lambda a, b, c: (a & b) | (~a & c)),
        Row("int", "(a & b) ^ (b & c) ^ (a & c)", lambda a, b, c: (a & b) ^ (b & c) ^ (a & c)),
        Row("int", "a ^ b ^ c", lambda a, b, c: a ^ b ^ c),
        Row("int", "~(a | ~b) & c", lambda a, b, c: ~(a | ~b) & c),
        Row("bool", "(a & b) == 0", lambda a, b: (a & b) == 0),
        Row("bool", "(a & 0x10000) != 0 && b > 3", lambda a, b: ((a & 0x10000) != 0) & (b > 3)),
        Row("int", "a << (b & 31)", lambda a, b: word(u(a) << (u(b) & U64(31)))),
        Row("int", "a >> (b & 31)", lambda a, b: s(a) >> (s(b) & 31)),
        Row("unsigned", "(unsigned)a >> (b & 31)", lambda a, b: u(a) >> (u(b) & U64(31))),
        Row(
            "int",
            asm("shl.b32 $0, $1, $2", "a", "b"),
            lambda a, b: np.where(u(b) > 31, 0, word(u(a) << (u(b) & U64(31)))),
        ),
        Row("int", asm("shr.s32 $0, $1, $2", "a", "b"), lambda a, b: s(a) >> np.minimum(u(b), U64(31)).astype(I64)),
        Row(
            "int",
            asm("shr.u32 $0, $1, $2", "a", "b"),
            lambda a, b: word(np.where(u(b) > 31, 0, u(a) >> (u(b) & U64(31)))),
        ),
        Row("unsigned", "__funnelshift_l(a, b, c)", lambda a, b, c: word(funnel(a, b, c, True, False))),
        Row("unsigned", "__funnelshift_lc(a, b, c)", lambda a, b, c: word(funnel(a, b, c, True, True))),
        Row("unsigned", "__funnelshift_r(a, b, c)", lambda a, b, c: word(funnel(a, b, c, False, False))),
        Row("unsigned", "__funnelshift_rc(a, b, c)", lambda a, b, c: word(funnel(a, b, c, False, True))),
        Row("unsigned", "__byte_perm(a, b, c)", lambda a, b, c: permuted(a, b, c & 0x77777777)),
        Row("unsigned", "__byte_perm(a, b, 0x5140)", lambda a, b: permuted(a, b, np.full_like(a, 0x5140))),
        Row("unsigned", asm("prmt.b32 $0, $1, $2, $3", "a", "b", "c"), lambda a, b, c: permuted(a, b, c)),
        *(
            Row("unsigned", asm(f"prmt.b32.{m} $0, $1, $2, $3", "a", "b", "c"), _in_mode(m))
            for m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
        ),
        Row("int", "__popc(a)", lambda a: bits_of(u(a), int.bit_count)),
        Row("int", "__popc(a & b)", lambda a, b: bits_of(u(a & b), int.bit_count)),
        Row("int", "__popc(~a)", lambda a: bits_of(u(~a), int.bit_count)),
        Row("int", "__clz(a)", lambda a: 32 - bits_of(u(a), int.bit_length)),
        Row("int", "__ffs(a)", lambda a: bits_of(u(a), lambda v: (v & -v).bit_length())),
        Row("unsigned", "__brev(a)", lambda a: bits_of(u(a), lambda v: int(f"{v:032b}"[::-1], 2))),
        Row("unsigned", asm("bfind.u32 $0, $1", "a"), lambda a: word(bits_of(u(a), int.bit_length) - 1)),
        Row(
            "unsigned",
            asm("bfind.s32 $0, $1", "a"),
            lambda a: word(bits_of(u(np.where(a < 0, ~a, a).astype(I32)), int.bit_length) - 1),
        ),
        Row(
            "unsigned",
            asm("bfind.shiftamt.u32 $0, $1", "a"),
            lambda a: word(np.where(a == 0, -1, 32 - bits_of(u(a), int.bit_length))),
        ),
        Row(
            "unsigned",
            asm("bfe.u32 $0, $1, $2, $3", "a", "b", "c"),
            lambda a, b, c: each(lambda x, y, z: bfe(x, y, z, False), u(a), u(b), u(c)),
        ),
        Row(
            "unsigned",
            asm("bfe.s32 $0, $1, $2, $3", "a", "b", "c"),
            lambda a, b, c: each(lambda x, y, z: bfe(x, y, z, True), u(a), u(b), u(c)),
        ),
        Row(
            "unsigned",
            asm("bfi.b32 $0, $1, $2, 5, 9", "a", "b"),
            lambda a, b: each(lambda x, y: bfi(x, y, 5, 9), u(a), u(b)),
        ),
        Row(
            "unsigned",
            asm("bfi.b32 $0, $1, $2, $3, 7", "a", "b", "c"),
            lambda a, b, c: each(lambda x, y, z: bfi(x, y, z, 7), u(a), u(b), u(c)),
        ),
        Row(
            "unsigned",
            asm("bmsk.clamp.b32 $0, $1, $2", "a", "b"),
            lambda a, b: each(lambda x, y: 0 if x > 31 else ((1 << min(y, 32)) - 1) << x, u(a), u(b)),
            least=70,
        ),
        Row(
            "unsigned",
            asm("bmsk.wrap.b32 $0, $1, $2", "a", "b"),
            lambda a, b: each(lambda x, y: ((1 << (y & 31)) - 1) << (x & 31), u(a), u(b)),
            least=70,
        ),
        Row(
            "unsigned",
            asm("szext.clamp.s32 $0, $1, $2", "a", "b"),
            lambda a, b: each(lambda x, y: _szext(x, y, True), u(a), u(b)),
            least=70,
        ),
        Row(
            "unsigned",
            asm("szext.wrap.u32 $0, $1, $2", "a", "b"),
            lambda a, b: each(lambda x, y: _szext(x, y & 31, False), u(a), u(b)),
            least=70,
        ),
        Row(
            "unsigned",
            asm("lop3.b32 $0, $1, $2, $3, 0x6a", "a", "b", "c"),
            lambda a, b, c: each(lambda x, y, z: _lut(x, y, z, 0x6A), u(a), u(b), u(c)),
        ),
        Row("int", "(signed char)a", lambda a: a.astype(np.int8)),
        Row("int", "(short)a", lambda a: a.astype(np.int16)),
        Row("int", "(unsigned char)(a >> 8)", lambda a: a >> 8 & 255),
    ],
    "LOP3 SHF|SHL PRMT POPC FLO BREV BMSK SGXT",
)


def _szext(x: int, n: int, signed: bool) -> int:
    if n >= 32:
        return x
    if n == 0:
        return 0
    low = x & (1 << n) - 1
    return low - (1 << n) if signed and low >> n - 1 else low


def _lut(x: int, y: int, z: int, m: int) -> int:
    return sum((m >> (4 * (x >> k & 1) + 2 * (y >> k & 1) + (z >> k & 1)) & 1) << k for k in range(32))


def ul(x: Array) -> Array:
    return x.view(U64)


def signed64(values: list[int]) -> Array:
    return np.array([(v + (1 << 63)) % (1 << 64) - (1 << 63) for v in values], I64)


def pairs(x: Array, y: Array, function: Any) -> Array:
    return signed64([function(int(p), int(q)) for p, q in zip(x, y, strict=True)])


_WIDE = table(
    "int64",
    _LONGS,
    [
        Row("long long", "x + y", lambda x, y: x + y),
        Row("long long", "x - y", lambda x, y: x - y),
        Row("long long", "-x", lambda x: -x),
        Row("long long", "x * y", lambda x, y: x * y),
        Row("long long", "x * y + x", lambda x, y: x * y + x),
        Row("long long", "x + (int)y * 4LL", lambda x, y: x + y.astype(I32).astype(I64) * 4),
        Row("long long", "x * 8 + y", lambda x, y: x * 8 + y),
        Row("unsigned long long", "__umul64hi(x, y)", lambda x, y: high(ul(x), ul(y), 64)),
        Row("long long", "__mul64hi(x, y)", lambda x, y: pairs(x, y, lambda p, q: p * q >> 64)),
        Row("bool", "x < y", lambda x, y: x < y),
        Row("bool", "x == y", lambda x, y: x == y),
        Row("bool", "x >= y", lambda x, y: x >= y),
        Row("bool", "x != y", lambda x, y: x != y),
        Row("bool", "(unsigned long long)x <= (unsigned long long)y", lambda x, y: ul(x) <= ul(y)),
        Row("bool", "(unsigned long long)x > (unsigned long long)y", lambda x, y: ul(x) > ul(y)),
        Row("long long", "min(x, y)", lambda x, y: np.minimum(x, y)),
        Row(
            "unsigned long long",
            "max((unsigned long long)x, (unsigned long long)y)",
            lambda x, y: np.maximum(ul(x), ul(y)),
        ),
        Row("long long", "llabs(x)", lambda x: np.where(x < 0, -x, x)),
        Row("long long", "x << (y & 63)", lambda x, y: ul(x) << (ul(y) & U64(63))),
        Row("long long", "x >> (y & 63)", lambda x, y: x >> (y & 63)),
        Row("unsigned long long", "(unsigned long long)x >> (y & 63)", lambda x, y: ul(x) >> (ul(y) & U64(63))),
        Row("long long", "x << 5", lambda x: x << 5),
        Row("long long", "x >> 37", lambda x: x >> 37),
        Row("unsigned long long", "(unsigned long long)x >> 11", lambda x: ul(x) >> U64(11)),
        Row("long long", "x & y", lambda x, y: x & y),
        Row("long long", "~x ^ y", lambda x, y: ~x ^ y),
        Row("int", "__popcll(x)", lambda x: bits_of(ul(x), int.bit_count)),
        Row("int", "__clzll(x)", lambda x: 64 - bits_of(ul(x), int.bit_length)),
        Row("int", "__ffsll(x)", lambda x: bits_of(ul(x), lambda v: (v & -v).bit_length())),
        Row(
            "unsigned long long",
            "__brevll(x)",
            lambda x: np.array([int(f"{int(v):064b}"[::-1], 2) for v in ul(x)], U64),
        ),
        Row("long long", "y ? x / y : 0", lambda x, y: np.where(y == 0, 0, divided(x, y, False))),
        Row("long long", "y ? x % y : 0", lambda x, y: np.where(y == 0, 0, divided(x, y, True))),
        Row(
            "unsigned long long",
            "y ? (unsigned long long)x / (unsigned long long)y : 0",
            lambda x, y: np.where(y == 0, 0, divided(ul(x), ul(y), False)),
        ),
        Row("unsigned long long", "(unsigned long long)x % 1000000007", lambda x: ul(x) % U64(1000000007)),
        Row("long long", "x > y ? x : y + 1", lambda x, y: np.where(x > y, x, y + 1)),
    ],
    "IADD3.X|IMAD.X SHF.L.U64.HI|SHF.L.U64 ISETP.\\w+.(AND|U32.AND).EX|ISETP.*EX BREV",
)

def _word_of(function: Any, shift: int) -> Any:
    """64 bits of what a function of Python's integers gives."""

    def run(x: Array, y: Array) -> Array:
        return np.array([function(int(p), int(q)) >> shift & (1 << 64) - 1 for p, q in zip(x, y, strict=True)], U64)

    return run


_HUGE = table(
    "int128",
    _LONGS,
    [
        Row("unsigned long long", f"(unsigned long long)({e} >> {k})", _word_of(f, k))
        for e, f in (
            ("((__int128)x * y)", lambda p, q: p * q),
            ("((__int128)x * y + x - y)", lambda p, q: p * q + p - q),
            (
                "((unsigned __int128)(unsigned long long)x * (unsigned long long)y)",
                lambda p, q: (p % 2**64) * (q % 2**64),
            ),
            (
                "((((__int128)x << 64) | (unsigned long long)y) - ((__int128)y << 31))",
                lambda p, q: ((p << 64) | q % 2**64) - (q << 31),
            ),
            ("(-(((__int128)x << 64) | (unsigned long long)y))", lambda p, q: -((p << 64) | q % 2**64)),
            ("(((__int128)x * y) * (x ^ y))", lambda p, q: p * q * (p ^ q)),
        )
        for k in (0, 64)
    ],
    "IADD3.X|IMAD.X IMAD.WIDE.U32.X|IMAD.HI|IMAD.WIDE.U32",
    options=("--device-int128",),
)


def _bytes(x: Array, signed: bool) -> Array:
    return x.view(np.int8 if signed else np.uint8).reshape(-1, 4).astype(I64)


def _shorts(x: Array, signed: bool) -> Array:
    return x.view(np.int16 if signed else np.uint16).reshape(-1, 2).astype(I64)


def packed(parts: Array, bits: int) -> Array:
    """Byte or half-word results side by side."""
    mask = (1 << bits) - 1
    return np.asarray(np.sum((parts & mask) << bits * np.arange(parts.shape[1]), axis=1), U64)


_VIDEO = table(
    "packed",
    _INTS,
    [
        Row("int", "__dp4a(a, b, c)", lambda a, b, c: word((_bytes(a, True) * _bytes(b, True)).sum(1) + c)),
        Row(
            "unsigned",
            "__dp4a((unsigned)a, (unsigned)b, (unsigned)c)",
            lambda a, b, c: word((_bytes(a, False) * _bytes(b, False)).sum(1) + c),
        ),
        Row(
            "int",
            asm("dp4a.u32.s32 $0, $1, $2, $3", "a", "b", "c"),
            lambda a, b, c: word((_bytes(a, False) * _bytes(b, True)).sum(1) + c),
        ),
        Row(
            "int",
            asm("dp4a.s32.u32 $0, $1, $2, $3", "a", "b", "c"),
            lambda a, b, c: word((_bytes(a, True) * _bytes(b, False)).sum(1) + c),
        ),
        Row("int", "__dp2a_lo(a, b, c)", lambda a, b, c: word((_shorts(a, True) * _bytes(b, True)[:, :2]).sum(1) + c)),
        Row("int", "__dp2a_hi(a, b, c)", lambda a, b, c: word((_shorts(a, True) * _bytes(b, True)[:, 2:]).sum(1) + c)),
        Row(
            "unsigned",
            "__dp2a_hi((unsigned)a, (unsigned)b, (unsigned)c)",
            lambda a, b, c: word((_shorts(a, False) * _bytes(b, False)[:, 2:]).sum(1) + c),
        ),
        Row("unsigned", "__vadd2(a, b)", lambda a, b: packed(_shorts(a, True) + _shorts(b, True), 16)),
        Row("unsigned", "__vadd4(a, b)", lambda a, b: packed(_bytes(a, True) + _bytes(b, True), 8)),
        Row("unsigned", "__vsub4(a, b)", lambda a, b: packed(_bytes(a, True) - _bytes(b, True), 8)),
        Row("unsigned", "__vmaxs2(a, b)", lambda a, b: packed(np.maximum(_shorts(a, True), _shorts(b, True)), 16)),
        Row("unsigned", "__vminu2(a, b)", lambda a, b: packed(np.minimum(_shorts(a, False), _shorts(b, False)), 16)),
        Row("unsigned", "__vmaxs4(a, b)", lambda a, b: packed(np.maximum(_bytes(a, True), _bytes(b, True)), 8)),
        Row("unsigned", "__vabsdiffu4(a, b)", lambda a, b: packed(np.abs(_bytes(a, False) - _bytes(b, False)), 8)),
        Row("unsigned", "__vsadu4(a, b)", lambda a, b: np.abs(_bytes(a, False) - _bytes(b, False)).sum(1)),
        Row("unsigned", "__vsads4(a, b)", lambda a, b: np.abs(_bytes(a, True) - _bytes(b, True)).sum(1)),
        Row(
            "unsigned", "__vcmpeq4(a, b)", lambda a, b: packed(np.where(_bytes(a, True) == _bytes(b, True), 255, 0), 8)
        ),
        Row(
            "unsigned",
            "__vcmpgts2(a, b)",
            lambda a, b: packed(np.where(_shorts(a, True) > _shorts(b, True), 65535, 0), 16),
        ),
        Row("unsigned", "__vavgu4(a, b)", lambda a, b: packed(_bytes(a, False) + _bytes(b, False) + 1 >> 1, 8)),
        Row(
            "unsigned", "__vsubss4(a, b)", lambda a, b: packed(np.clip(_bytes(a, True) - _bytes(b, True), -128, 127), 8)
        ),
        Row(
            "unsigned",
            "__vaddus2(a, b)",
            lambda a, b: packed(np.minimum(_shorts(a, False) + _shorts(b, False), 65535), 16),
        ),
        Row("unsigned", "__vnegss2(a)", lambda a: packed(np.minimum(-_shorts(a, True), 32767), 16)),
        Row("unsigned", "__vimax3_s32(a, b, c)", lambda a, b, c: word(np.maximum(np.maximum(a, b), c))),
        Row("unsigned", "__viaddmax_s32(a, b, c)", lambda a, b, c: word(np.maximum(word(s(a) + b).view(I32), c))),
        Row("unsigned", "__viaddmin_u32(a, b, c)", lambda a, b, c: np.minimum(word(s(a) + b), u(c))),
        Row("unsigned", "__vimin_s32_relu(a, b)", lambda a, b: word(np.maximum(np.minimum(a, b), 0))),
        Row(
            "unsigned",
            "__viaddmax_s32_relu(a, b, c)",
            lambda a, b, c: word(np.maximum(np.maximum(word(s(a) + b).view(I32), c), 0)),
        ),
        Row(
            "unsigned",
            "__vimax3_s16x2(a, b, c)",
            lambda a, b, c: packed(np.maximum(np.maximum(_shorts(a, True), _shorts(b, True)), _shorts(c, True)), 16),
        ),
        Row(
            "unsigned",
            "__viaddmin_s16x2(a, b, c)",
            lambda a, b, c: packed(
                np.minimum((_shorts(a, True) + _shorts(b, True)).astype(np.int16), _shorts(c, True)), 16
            ),
        ),
        Row(
            "unsigned",
            "__vimax_s16x2_relu(a, b)",
            lambda a, b: packed(np.maximum(np.maximum(_shorts(a, True), _shorts(b, True)), 0), 16),
        ),
    ],
    {"sm_75": "IDP.4A IDP.2A VABSDIFF4|VABSDIFF|LOP3", "sm_90": "IDP.4A VIMNMX"},
)

_CARRY = Snippet(
    "carries",
    """extern "C" __global__ void k(unsigned *out, const unsigned *a, const unsigned *b) {
    int i = threadIdx.x;
    unsigned r0, r1, r2, r3, s0, s1, s2, s3;
    asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
        : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(a[4 * i]), "r"(a[4 * i + 1]), "r"(a[4 * i + 2]),
          "r"(a[4 * i + 3]), "r"(b[4 * i]), "r"(b[4 * i + 1]), "r"(b[4 * i + 2]), "r"(b[4 * i + 3]));
    asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9; subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, %11;"
        : "=r"(s0), "=r"(s1), "=r"(s2), "=r"(s3) : "r"(a[4 * i]), "r"(a[4 * i + 1]), "r"(a[4 * i + 2]),
          "r"(a[4 * i + 3]), "r"(b[4 * i]), "r"(b[4 * i + 1]), "r"(b[4 * i + 2]), "r"(b[4 * i + 3]));
    unsigned m0, m1, m2;
    asm("mad.lo.cc.u32 %0, %3, %4, %5; madc.hi.cc.u32 %1, %3, %4, %6; addc.u32 %2, %7, 0;"
        : "=r"(m0), "=r"(m1), "=r"(m2) : "r"(a[4 * i]), "r"(b[4 * i]), "r"(a[4 * i + 1]), "r"(b[4 * i + 1]),
          "r"(a[4 * i + 2]));
    unsigned *o = out + 11 * i;
    o[0] = r0; o[1] = r1; o[2] = r2; o[3] = r3; o[4] = s0; o[5] = s1; o[6] = s2; o[7] = s3; o[8] = m0; o[9] = m1;
    o[10] = m2;
}""",
    tuple(v.view(U32) for v in crossed((0, 1, -1, -2, 0x7FFFFFFF, -0x80000000), I32, 1024)),
    np.zeros(256 * 11, U32),
    lambda: _carried(),
    "IADD3.X|IMAD.X",
)


def _carried() -> Array:
    a, b = (v.astype(object).reshape(-1, 4) for v in _CARRY.inputs)
    out = []
    for p, q in zip(a, b, strict=True):
        x, y = (sum(int(w) << 32 * k for k, w in enumerate(v)) for v in (p, q))
        m = int(p[0]) * int(q[0]) + int(p[1]) + (int(q[1]) << 32) + (int(p[2]) << 64)
        out += [(x + y) >> 32 * k & 0xFFFFFFFF for k in range(4)] + [(x - y) >> 32 * k & 0xFFFFFFFF for k in range(4)]
        out += [m >> 32 * k & 0xFFFFFFFF for k in range(3)]
    return np.array(out, U32)


INTEGER = (_BASIC, _LOGIC, _WIDE, _HUGE, _VIDEO, _CARRY)
