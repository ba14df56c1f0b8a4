"""Control flow, convergence, barriers and instructions that look across lanes."""

# A table asks each reference for the names of its parameters, which NumPy's functions do not tell.
# ruff: noqa: PLW0108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from cases_memory import kernel
from snippets import Array, Snippet

_RANDOM = np.random.default_rng(23)
_A = _RANDOM.integers(-50, 50, 256).astype(np.int32)
_W = _RANDOM.integers(0, 1 << 32, 256, dtype=np.uint32)
_AMPERE = ("sm_80", "sm_86", "sm_89", "sm_90")


def wrap(v: int) -> int:
    return (v + (1 << 31)) % (1 << 32) - (1 << 31)


def per_thread(function: Callable[[int], Any], dtype: Any = np.int32, threads: int = 256) -> Array:
    """What each thread writes; several values in a row when the function gives a tuple."""
    values = [function(t) for t in range(threads)]
    flat = [v for row in values for v in (row if isinstance(row, tuple) else (row,))]
    return np.array([wrap(int(v)) if dtype is np.int32 else int(v) & 0xFFFFFFFF for v in flat], dtype)


# --- divergence ------------------------------------------------------------------------------------------------------


def _nested(t: int) -> int:
    x = int(_A[t])
    if x > 0:
        if x & 1:
            x = x * 3 + 1
            if x % 5 == 0:
                x -= 100
        else:
            x //= 2
            while x > 3:
                x -= 4
    elif x < -20:
        for k in range(-x & 7):
            x += k * (t & 3)
            if x > 0:
                break
    else:
        x = x ^ t
    return x


_NESTED = kernel(
    "nested branches",
    "int *out, const int *a",
    """    int x = a[i];
    if (x > 0) {
        if (x & 1) { x = x * 3 + 1; if (x % 5 == 0) x -= 100; }
        else { x /= 2;
#pragma unroll 1
            while (x > 3) x -= 4; }
    } else if (x < -20) {
        int n = -x & 7;
#pragma unroll 1
        for (int k = 0; k < n; k++) { x += k * (i & 3); if (x > 0) break; }
    } else x = x ^ i;
    out[i] = x;""",
    (_A,),
    np.zeros(256, np.int32),
    lambda: per_thread(_nested),
    "BSSY BSYNC BRA",
)


def _collatz(t: int) -> tuple[int, int]:
    n, steps, seen = abs(int(_A[t])) + t, 0, 0
    while n > 1:
        if n & 1:
            n = 3 * n + 1
        else:
            n >>= 1
        if n % 7 == 3:
            steps += 1
            continue
        seen ^= n
        steps += 1
        if steps > 40:
            break
    return steps, seen


_LOOPS = kernel(
    "loops of different lengths",
    "int *out, const int *a",
    """    int n = abs(a[i]) + i, steps = 0, seen = 0;
    while (n > 1) {
        if (n & 1) n = 3 * n + 1; else n >>= 1;
        if (n % 7 == 3) { steps++; continue; }
        seen ^= n; steps++;
        if (steps > 40) break;
    }
    out[2 * i] = steps; out[2 * i + 1] = seen;""",
    (_A,),
    np.zeros(512, np.int32),
    lambda: per_thread(_collatz),
    "BSSY BSYNC",
)

_EXITS = kernel(
    "early exits",
    "int *out, const int *a",
    """    out[i] = -1; if (a[i] < -30) return;
#pragma unroll 1
    for (int k = 0; k < 20; k++) { if (a[(i + k) & 255] > 40) { out[i] = k; return; } if (k == 15 && (i & 1)) return; }
    __syncwarp(__activemask()); out[i] = 1000 + __popc(__activemask() | 1);""",
    (_A,),
    np.zeros(256, np.int32),
    lambda: _exits(),
    "EXIT",
)


def _exits() -> Array:
    out, last = np.full(256, -1), []
    for t in range(256):
        if _A[t] < -30:
            continue
        for k in range(20):
            if _A[(t + k) & 255] > 40:
                out[t] = k
                break
            if k == 15 and t & 1:
                break
        else:
            last.append(t)
    for warp in range(8):
        mine = [t for t in last if t // 32 == warp]
        for t in mine:
            mask = sum(1 << (u & 31) for u in mine) | 1
            out[t] = 1000 + mask.bit_count()
    return out.astype(np.int32)


_SWITCH = kernel(
    "switch",
    "int *out, const int *a",
    "    int x = a[i], r;\n    switch ((x + i) & 31) {\n"
    + "\n".join(
        f"    case {k}: r = a[(x * {k} + i) & 255] {'+-^&|'[k % 5]} {3 * k + 1}; out[256 + i] = {k};"
        + (" break;" if k % 7 != 3 else " r += 5;")
        for k in range(29)
    )
    + """
    default: r = 99; }
    out[i] = r;""",
    (_A,),
    np.zeros(512, np.int32),
    lambda: _switch(),
    "BRA",
)


def _switch() -> Array:
    out = np.zeros(512, np.int64)
    for i, x in enumerate(int(v) for v in _A):
        k, r = (x + i) & 31, 99
        while k < 29:
            y, z = int(_A[(x * k + i) & 255]), 3 * k + 1
            r = (y + z, y - z, y ^ z, y & z, y | z)[k % 5]
            out[256 + i] = k
            if k % 7 != 3:
                break
            k, r = k + 1, 99
        out[i] = r
    return out.astype(np.int32)


_UNIFORM_CASES = ("r ^= a[(x + t) & 255];", "r *= 3;", "out[t + 256] = x ^ pick;", "out[t + 512] = a[(x + 78) & 255];",
                  "r -= x;", "out[t + 256] = r * 7;", "r += a[(r + t) & 255];", "r = x;")

_UNIFORM_SWITCH = kernel(
    "uniform switch",
    "int *out, const int *a, int pick, int last",
    "    int r = i, x = a[i];\n    for (int t = i; t < last; t += 64) {\n        x = a[(x + t) & 255];\n"
    "        switch (pick) {\n"
    + "\n".join(f"        case {k}: {text} break;" for k, text in enumerate(_UNIFORM_CASES))
    + "\n        }\n        r += x * t; out[t] = r;\n    }",
    (_A,),
    np.zeros(768, np.int32),
    lambda: _uniform_switch(6, 256),
    "BRXU",
    block=(64, 1, 1),
    scalars=(6, 256),
    archs=("sm_80", "sm_86", "sm_89"),
)


def _uniform_switch(pick: int, last: int) -> Array:
    out = np.zeros(768, np.int64)
    for i in range(64):
        r, x = i, int(_A[i])
        for t in range(i, last, 64):
            x = int(_A[(x + t) & 255])
            if pick == 6:
                r = wrap(r + int(_A[(r + t) & 255]))
            r = wrap(r + x * t)
            out[t] = r
    return out.astype(np.int32)


_CALLS = kernel(
    "calls",
    "int *out, const int *a",
    """    int x = a[i]; int r = 0;
    if (x > 10) r = ack(1, x & 3) + twice(x); else if (x & 1) r = fib(x & 7); else r = twice(twice(x));
    out[i] = r + fib(i & 7);""",
    (_A,),
    np.zeros(256, np.int32),
    lambda: per_thread(_calls),
    "CALL.REL.NOINC RET.REL.NODEC",
    head="""__device__ __noinline__ int twice(int x) { return 2 * x + (x > 5 ? 1 : 0); }
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ int ack(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1);
        return ack(m - 1, ack(m, n - 1)); }""",
)


def _calls(t: int) -> int:
    def twice(x: int) -> int:
        return 2 * x + (x > 5)

    def fib(n: int) -> int:
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    x = int(_A[t])
    return (((x & 3) + 2 + twice(x)) if x > 10 else (fib(x & 7) if x & 1 else twice(twice(x)))) + fib(t & 7)


_POINTERS = kernel(
    "function pointers",
    "float *out, const int *a",
    """    float v = a[i];
    F chosen = a[i] > 20 ? up : (a[i] & 1) ? down : square;
    out[i] = chosen(v) + table[i % 3](2.0f);""",
    (_A,),
    np.zeros(256, np.float32),
    lambda: np.array(
        [
            (x + 1 if x > 20 else (x - 1.5 if x & 1 else x * x)) + [3.0, 0.5, 4.0][t % 3]
            for t, x in enumerate(_A.astype(np.float64).astype(int))
        ],
        np.float32,
    ),
    "CALL.REL.NOINC",
    head="""typedef float (*F)(float);
__device__ __noinline__ float up(float x) { return x + 1; }
__device__ __noinline__ float down(float x) { return x - 1.5f; }
__device__ __noinline__ float square(float x) { return x * x; }
__device__ F table[3] = {up, down, square};""",
)

_SYSTEM = kernel(
    "printf and assert",
    "int *out, const int *a",
    """    int n = 7; if (a[i] > 0) n = printf("%d of %s: %f %%\\n", a[i], "x", 1.0);
    assert(a[i] < 1000); out[i] = n + a[i];""",
    (_A,),
    np.zeros(256, np.int32),
    lambda: np.where(_A > 0, 3, 7).astype(np.int32) + _A,
    "CALL.ABS.NOINC",
    head="#include <cstdio>\n#include <cassert>",
)

_RECURSION = kernel(
    "deep recursion",
    "int *out, const int *a",
    "    out[i] = walk(a, i, (i & 7) + 3);",
    (_A,),
    np.zeros(256, np.int32),
    lambda: per_thread(lambda t: _walk(t, (t & 7) + 3)),
    "CALL.REL.NOINC STL LDL",
    head="""__device__ __noinline__ int walk(const int *a, int at, int depth) {
    if (depth == 0) return a[at & 255];
    int keep = a[(at * 3 + depth) & 255];
    int left = walk(a, at * 2 + 1, depth - 1);
    if (keep & 1) return left + keep;
    return left - walk(a, at + keep, depth - 2 < 0 ? 0 : depth - 2) + keep;
}""",
)


def _walk(at: int, depth: int) -> int:
    if depth == 0:
        return int(_A[at & 255])
    keep = int(_A[(at * 3 + depth) & 255])
    left = _walk(at * 2 + 1, depth - 1)
    return left + keep if keep & 1 else left - _walk(at + keep, max(depth - 2, 0)) + keep


# --- barriers --------------------------------------------------------------------------------------------------------

_BAR_RED = kernel(
    "barrier reductions",
    "int *out, const int *a",
    """    int x = a[i];
    int n = __syncthreads_count(x > 0); int all = __syncthreads_and(x > -51);
        int some = __syncthreads_or(x == 1000); int not_all = __syncthreads_and(x > 0);
    out[5 * i] = n; out[5 * i + 1] = all; out[5 * i + 2] = some; out[5 * i + 3] = not_all;
        out[5 * i + 4] = __syncthreads_or(i == 77);""",
    (_A,),
    np.zeros(1280, np.int32),
    lambda: np.tile([int((_A > 0).sum()), 1, 0, 0, 1], 256).astype(np.int32),
    "BAR.RED.POPC|BAR.RED B2R.RESULT",
)

_NAMED = kernel(
    "named barriers",
    "int *out, const int *a",
    """    __shared__ int s[256]; int t = threadIdx.x; s[t] = 0; __syncthreads();
    if (t < 64) { s[t] = a[t]; asm volatile("bar.sync 1, 64;" ::: "memory"); out[t] = s[63 - t];
        asm volatile("bar.sync 1, 64;" ::: "memory"); s[t] = a[t] * 2;
        asm volatile("bar.arrive 2, 128;" ::: "memory"); }
    else if (t < 128) { asm volatile("bar.sync 2, 128;" ::: "memory"); out[t] = s[t - 64]; }
    else { int which = 3 + (t >> 6 & 1); s[t] = a[t]; asm volatile("bar.sync %0, 64;" :: "r"(which) : "memory");
        out[t] = s[t ^ 63]; }
    __syncthreads(); out[256 + t] = s[255 - t];""",
    (_A,),
    np.zeros(512, np.int32),
    lambda: _named(),
    "BAR.SYNC BAR.ARV",
)


def _named() -> Array:
    a = _A.astype(np.int64)
    s = np.concatenate([a[:64] * 2, np.zeros(64, np.int64), a[128:]])
    t = np.arange(128, 256)
    return np.concatenate([a[63::-1], a[:64] * 2, a[t ^ 63], s[::-1]]).astype(np.int32)


_LOOP_BARRIER = kernel(
    "barriers in loops",
    "int *out, const int *a",
    """    __shared__ int s[2][256]; int t = threadIdx.x; s[0][t] = a[t];
    int from = 0;
    for (int d = 1; d < 256; d *= 2) { __syncthreads(); s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from; }
    out[t] = s[from][t];""",
    (_A,),
    np.zeros(256, np.int32),
    lambda: np.cumsum(_A).astype(np.int32),
    "BAR.SYNC",
)

_SPECIAL = kernel(
    "special registers",
    "unsigned *out, const unsigned *w",
    """    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned *o = out + 16 * (t + blockIdx.x * 96); unsigned v;
    o[0] = threadIdx.x; o[1] = threadIdx.y; o[2] = threadIdx.z; o[3] = blockIdx.x;
        o[4] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z; o[5] = gridDim.x;
    asm("mov.u32 %0, %%laneid;" : "=r"(v)); o[6] = v; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v)); o[7] = v;
        asm("mov.u32 %0, %%lanemask_ge;" : "=r"(v)); o[8] = v;
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(v)); o[9] = v; asm("mov.u32 %0, %%lanemask_le;" : "=r"(v)); o[10] = v;
        asm("mov.u32 %0, %%lanemask_gt;" : "=r"(v)); o[11] = v;
    o[12] = warpSize; o[13] = blockIdx.y + blockIdx.z + gridDim.y; long long c = clock64();
        o[14] = clock64() >= c && clock() != 0xffffffff; o[15] = w[t];""",
    (_W,),
    np.zeros(16 * 192, np.uint32),
    lambda: _special(),
    "S2R",
    grid=2,
    block=(4, 8, 3),
)


def _special() -> Array:
    rows = []
    for block in range(2):
        for t in range(96):
            lane = t & 31
            one = 1 << lane
            rows.append(
                (
                    t % 4,
                    t // 4 % 8,
                    t // 32,
                    block,
                    40803,
                    2,
                    lane,
                    one - 1,
                    0xFFFFFFFF & ~(one - 1),
                    one,
                    2 * one - 1,
                    0xFFFFFFFF & ~(2 * one - 1),
                    32,
                    1,
                    1,
                    int(_W[t]),
                )
            )
    return np.array(rows, np.uint32).reshape(-1)


# --- votes, shuffles, matches ----------------------------------------------------------------------------------------


def _votes() -> Array:
    out = []
    for t in range(256):
        base = t & ~31
        lanes = range(base, base + 32)
        ballot = sum(int(_A[u] > 0) << (u & 31) for u in lanes)
        half = [u for u in lanes if (u & 1) == (t & 1)]
        odd = sum(int(_A[u] > 20) << (u & 31) for u in half)
        out += [
            ballot,
            int(all(_A[u] > -60 for u in lanes)),
            int(any(_A[u] == 49 for u in lanes)),
            int(len({bool(_A[u] > 0) for u in lanes}) == 1),
            odd,
            sum(1 << (u & 31) for u in half),
            int(all(_A[u] > -40 for u in half)),
        ]
    return np.array(out, np.uint32)


_VOTES = kernel(
    "votes",
    "unsigned *out, const int *a",
    """    int x = a[i]; unsigned *o = out + 7 * i;
    o[0] = __ballot_sync(~0u, x > 0); o[1] = __all_sync(~0u, x > -60); o[2] = __any_sync(~0u, x == 49);
    int u; asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 0; vote.sync.uni.pred q, p, 0xffffffff; "
        "selp.s32 %0, 1, 0, q; }" : "=r"(u) : "r"(x)); o[3] = u;
    if (i & 1) { o[4] = __ballot_sync(0xaaaaaaaa, x > 20); o[5] = __activemask();
        o[6] = __all_sync(0xaaaaaaaa, x > -40); }
    else { o[4] = __ballot_sync(0x55555555, x > 20); o[5] = __activemask(); o[6] = __all_sync(0x55555555, x > -40);
        }""",
    (_A,),
    np.zeros(7 * 256, np.uint32),
    _votes,
    {"sm_75": "VOTE.ANY|VOTEU.ANY", "sm_80": "VOTE.ANY|VOTEU.ANY VOTE.ALL|VOTEU.ALL"},
)


def _shuffle(mode: str, lane: int, delta: int, width: int) -> int:
    """CUDA C++ Programming Guide, "Warp Shuffle Functions"."""
    low = lane & ~(width - 1)
    if mode == "idx":
        return low + (delta & (width - 1))
    if mode == "up":
        return lane - delta if lane - delta >= low else lane
    if mode == "down":
        return lane + delta if lane + delta < low + width else lane
    other = lane ^ delta
    return lane if other >= low + width else other


_SHUFFLES = [
    (mode, delta, width)
    for mode in ("idx", "up", "down", "xor")
    for width in (32, 16, 8, 4)
    for delta in (0, 1, 3, 5, 16, 31)
]


def _shuffled() -> Array:
    out = np.zeros((len(_SHUFFLES) + 2, 256), np.uint32)
    for k, (mode, delta, width) in enumerate(_SHUFFLES):
        for t in range(256):
            out[k, t] = _W[(t & ~31) + _shuffle(mode, t & 31, delta, width)]
    for t in range(256):
        out[-2, t] = _W[(t & ~31) + int(_W[t] & 31)]
        out[-1, t] = np.uint32(_W[(t & ~31) | (t + 8 & 31)]) if t & 31 < 24 else _W[t]
    return out.reshape(-1)


_SHFL = kernel(
    "shuffles",
    "unsigned *out, const unsigned *a",
    "    unsigned x = a[i];\n"
    + "\n".join(
        f"    out[{256 * k} + i] = __shfl{'' if m == 'idx' else '_' + m}_sync(~0u, x, {d}, {w});"
        for k, (m, d, w) in enumerate(_SHUFFLES)
    )
    + f"""
    out[{256 * len(_SHUFFLES)} + i] = __shfl_sync(~0u, x, x); unsigned v = x;
        if ((i & 31) < 24) v = __shfl_down_sync(0x00ffffff, x, 8);
    out[{256 * (len(_SHUFFLES) + 1)} + i] = (i & 31) < 16 ? v : 0;""",
    (_W,),
    np.zeros(256 * (len(_SHUFFLES) + 2), np.uint32),
    lambda: _with_partial(),
    "SHFL.IDX SHFL.UP SHFL.DOWN SHFL.BFLY",
)


def _with_partial() -> Array:
    out = _shuffled().reshape(-1, 256)
    for t in range(256):
        # Lanes from 16 on would read lanes that take no part.
        out[-1, t] = _W[(t & ~31) + (t & 31) + 8] if (t & 31) < 16 else 0
    return out.reshape(-1)


_WIDE_SHFL = kernel(
    "wide shuffles",
    "double *out, const int *a",
    """    double x = a[i] * 1.5; long long y = (long long)a[i] << 35;
    out[i] = __shfl_xor_sync(~0u, x, 7); ((long long *)out)[256 + i] = __shfl_up_sync(~0u, y, 2);
    for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d); out[512 + i] = __shfl_sync(~0u, x, 0);""",
    (_A,),
    np.zeros(768),
    lambda: _wide(),
    "SHFL.BFLY SHFL.DOWN SHFL.IDX",
)


def _wide() -> Array:
    x, t = _A * 1.5, np.arange(256)
    up = np.where((t & 31) < 2, _A, _A[np.maximum(t - 2, 0)]).astype(np.int64) << 35
    return np.concatenate([x[t ^ 7], up.view(np.float64), x.reshape(8, 32).sum(1).repeat(32)])


def _matches() -> Array:
    out = []
    for t in range(256):
        lanes = range(t & ~31, (t & ~31) + 32)
        same = sum(1 << (u & 31) for u in lanes if _A[u] % 5 == _A[t] % 5)
        wide = sum(1 << (u & 31) for u in lanes if _A[u] % 3 == _A[t] % 3)
        odd = sum(1 << (u & 31) for u in lanes if u & 1 and _A[u] % 5 == _A[t] % 5) if t & 1 else 0
        out += [same, wide, 0xFFFFFFFF, 1, 0 if len({int(_A[u] > 0) for u in lanes}) > 1 else 0xFFFFFFFF, odd]
    return np.array(out, np.uint32)


_MATCH = kernel(
    "matches",
    "unsigned *out, const int *a",
    """    unsigned *o = out + 6 * i; int m5 = (a[i] % 5 + 5) % 5;
        long long m3 = (long long)((a[i] % 3 + 3) % 3) << 32 | 5; int p;
    o[0] = __match_any_sync(~0u, m5); o[1] = __match_any_sync(~0u, m3); o[2] = __match_all_sync(~0u, i >> 5, &p);
        o[3] = p; o[4] = __match_all_sync(~0u, a[i] > 0, &p);
    o[5] = (i & 1) ? __match_any_sync(0xaaaaaaaa, m5) : 0;""",
    (_A,),
    np.zeros(6 * 256, np.uint32),
    _matches,
    {"sm_75": "MATCH.ANY MATCH.ANY.U64", "sm_80": "MATCH.ANY MATCH.ANY.U64 MATCH.ALL"},
)


def _reduced() -> Array:
    out = []
    for t in range(256):
        v = [int(x) for x in _A[t & ~31 : (t & ~31) + 32]]
        w = [int(x) & 0xFFFFFFFF for x in v]
        low = [x for k, x in enumerate(v) if (k < 10) == ((t & 31) < 10)]
        out += [
            sum(w),
            min(v),
            max(v),
            min(w),
            max(w),
            int(np.bitwise_and.reduce(np.array(w, np.int64))),
            int(np.bitwise_or.reduce(np.array(w, np.int64))),
            int(np.bitwise_xor.reduce(np.array(w, np.int64))),
            sum(low),
        ]
    return np.array([v & 0xFFFFFFFF for v in out], np.uint32)


_REDUX = kernel(
    "redux",
    "unsigned *out, const int *a",
    """    unsigned *o = out + 9 * i; int x = a[i]; unsigned u = x;
    o[0] = __reduce_add_sync(~0u, u); o[1] = __reduce_min_sync(~0u, x); o[2] = __reduce_max_sync(~0u, x);
        o[3] = __reduce_min_sync(~0u, u); o[4] = __reduce_max_sync(~0u, u);
    o[5] = __reduce_and_sync(~0u, u); o[6] = __reduce_or_sync(~0u, u); o[7] = __reduce_xor_sync(~0u, u);
    if ((i & 31) < 10) o[8] = __reduce_add_sync(0x3ff, x); else o[8] = __reduce_add_sync(0xfffffc00, x);""",
    (_A,),
    np.zeros(9 * 256, np.uint32),
    _reduced,
    "REDUX.SUM REDUX.MIN.S32 REDUX.MAX.S32 REDUX.OR REDUX.XOR",
    archs=_AMPERE,
)

_SYNCWARP = kernel(
    "syncwarp between branches",
    "int *out, const int *a",
    """    __shared__ volatile int s[256]; int lane = i & 31; s[i] = 0; __syncwarp();
    if (lane < 16) { s[i] = a[i] * 2; __syncwarp(); out[i] = s[i + 16]; __syncwarp(); s[i] += 1; __syncwarp(); }
    else { s[i] = a[i] + 5; __syncwarp(); int v = s[i - 16]; __syncwarp(); out[i] = v; __syncwarp(); }
    out[256 + i] = s[i ^ 31];""",
    (_A,),
    np.zeros(512, np.int32),
    lambda: _synced(),
    "WARPSYNC|NOP|BSYNC",
)


def _synced() -> Array:
    t = np.arange(256)
    low = (t & 31) < 16
    out = np.where(low, _A[np.minimum(t + 16, 255)] + 5, _A[np.maximum(t - 16, 0)] * 2)
    s = np.where(low, _A * 2 + 1, _A + 5)
    return np.concatenate([out, s[t ^ 31]]).astype(np.int32)


_GROUPS = kernel(
    "cooperative groups",
    "int *out, const int *a",
    """    namespace cg = cooperative_groups; auto block = cg::this_thread_block();
        auto tile = cg::tiled_partition<8>(block);
    int x = a[i]; int s = x; for (int d = tile.size() / 2; d; d /= 2) s += tile.shfl_xor(s, d); out[5 * i] = s;
        out[5 * i + 1] = tile.any(x > 45); out[5 * i + 2] = tile.thread_rank() + 100 * tile.meta_group_rank();
    __syncwarp(); if (x > 0) { auto on = cg::coalesced_threads(); out[5 * i + 3] = on.size() * 100 + on.thread_rank();
        int *p = out + 5 * 256; if (on.thread_rank() == 0) atomicAdd(p, (int)on.size()); }
    block.sync(); out[5 * i + 4] = block.thread_rank() + block.group_dim().x;""",
    (_A,),
    np.zeros(1281, np.int32),
    lambda: _groups(),
    "SHFL",
    head="#include <cooperative_groups.h>",
)


def _groups() -> Array:
    rows = []
    for t in range(256):
        eight = _A[t & ~7 : (t & ~7) + 8]
        lanes = [u for u in range(t & ~31, (t & ~31) + 32) if _A[u] > 0]
        rows.append(
            [
                int(eight.sum()),
                int((eight > 45).any()),
                t % 8 + 100 * (t // 8),
                len(lanes) * 100 + lanes.index(t) if _A[t] > 0 else 0,
                t + 256,
            ]
        )
    return np.append(np.array(rows).reshape(-1), (_A > 0).sum()).astype(np.int32)


_PREDICATES = kernel(
    "many predicates",
    "int *out, const int *a",
    """    int x = a[i], y = a[i ^ 1], z = a[255 - i]; int r = 0;
    bool p0 = x > y, p1 = y > z, p2 = z > x, p3 = (x & 1) != 0, p4 = x == y, p5 = (z & 4) == 0, p6 = y < 0,
        p7 = z * x > 100, p8 = (x ^ y) & 8, p9 = x + y > z;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        r += (p0 && p1) + 2 * (p2 || p3) + 4 * (p4 != p5) + 8 * (p6 && !p7) + 16 * (p8 || (p9 && p0)) +
        32 * (p1 != p3); x += k;
        if (k & 1) { p0 = x > y; p2 = z > x; p9 = x + y > z; }
    }
    out[i] = r;""",
    (_A,),
    np.zeros(256, np.int32),
    lambda: per_thread(_many),
    "PLOP3|LOP3",
)


def _many(t: int) -> int:
    x, y, z = int(_A[t]), int(_A[t ^ 1]), int(_A[255 - t])
    r = 0
    p0, p1, p2, p3, p4, p5, p6, p7 = x > y, y > z, z > x, bool(x & 1), x == y, (z & 4) == 0, y < 0, z * x > 100
    p8, p9 = bool((x ^ y) & 8), x + y > z
    for k in range(4):
        r += (
            (p0 and p1)
            + 2 * (p2 or p3)
            + 4 * (p4 != p5)
            + 8 * (p6 and not p7)
            + 16 * (p8 or (p9 and p0))
            + 32 * (p1 != p3)
        )
        x += k
        if k & 1:
            p0, p2, p9 = x > y, z > x, x + y > z
    return r


CONTROL: tuple[Snippet, ...] = (
    _NESTED,
    _LOOPS,
    _EXITS,
    _SWITCH,
    _UNIFORM_SWITCH,
    _CALLS,
    _POINTERS,
    _SYSTEM,
    _RECURSION,
    _BAR_RED,
    _NAMED,
    _LOOP_BARRIER,
    _SPECIAL,
    _VOTES,
    _SHFL,
    _WIDE_SHFL,
    _MATCH,
    _REDUX,
    _SYNCWARP,
    _GROUPS,
    _PREDICATES,
)
