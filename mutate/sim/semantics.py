"""What instructions compute, as data: one row for each operation of a lane.

A row's expressions are over ``a``, ``b``, ``c`` (a source operand: ``u`` a 32-bit word, ``q`` a 64-bit register pair),
``m`` (a constant of the instruction) and ``p``, ``q`` (a bit of a source predicate, as 0 or 1). They may call what
``lanes`` and ``intrinsics`` define. ``writes`` says what the expressions give: ``u`` or ``q`` the destination register,
``1`` to ``6`` bits of masks over the lanes: a carry, or (1) less, (2) equal, (3) greater of a comparison. The interpreter is
generated from this table (``templates/sim/interpreter.py.j2``), so an operation is one row and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One operation. ``group`` names the generated function that holds it."""

    name: str
    group: str
    reads: str
    writes: str
    expressions: tuple[str, ...]


def _rows(group: str, text: str) -> list[Kind]:
    rows = []
    for line in text.strip().splitlines():
        name, reads, writes, expressions = (part.strip() for part in line.split("|", 3))
        rows.append(Kind(name, group, reads, writes, tuple(e.strip() for e in expressions.split(";"))))
    return rows


_INTEGER = """
mov       | u     | u   | a
mov64     | q     | q   | a
iadd3     | u u u | u   | a + b + c
iadd3c    | u u u | q   | u64(a) + u64(b) + u64(c) + p + q + (u64((m & 1) & (a == 0)) + u64((m >> 1 & 1) & (b == 0)) + u64((m >> 2 & 1) & (c == 0)) << u64(32))
imad      | u u u | u   | a * b + c
imadx     | u u u | u   | a * b + c + u32(p)
imad_hi_u | u u q | u   | mulhi_add(u64(a) * u64(b), c)
imad_hi_s | u u q | u   | mulhi_add(u64(i64(i32(a)) * i64(i32(b))), c)
imad_hi_c | u u q | u 1 | mulhi_add(u64(a) * u64(b), c) ; carry64(u64(a) * u64(b), c, u64(0))
wide_u    | u u q | q   | u64(a) * u64(b) + c
wide_s    | u u q | q   | u64(i64(i32(a)) * i64(i32(b))) + c
wide_c    | u u q | q 1 | u64(a) * u64(b) + c + p ; carry64(u64(a) * u64(b), c, p)
lop3      | u u u | u 1 | lop3(a, b, c, m) ; lop3(a, b, c, m) != 0
and3      | u u u | u   | a & b
shf       | u u u | u   | shf(a, b, c, m)
shl       | u u u | u   | a << b if b < 32 else u32(0)
shr       | u u u | u   | c >> b if b < 32 else u32(0)
sar       | u u u | u   | u32(i32(c) >> i32(min(b, u32(31))))
lea       | u u u | q   | u64(u32(a << u32(m))) + u64(b)
lea_neg   | u u u | q   | u64(u32(u32(0) - u32(a << u32(m)))) + u64(b) + (u64(u32(a << u32(m)) == 0) << u64(32))
leahi     | u u u | q   | leahi(a, b, c, m) + p
leahi_sx  | u u u | q   | leahi(a, b, u32(i32(a) >> i32(31)), m) + p
prmt      | u u u | u   | prmt(a, b, c, m)
sel       | u u   | u   | a if p else b
isetp_s   | u u   | 1 2 3 | i32(a) < i32(b) ; a == b ; i32(a) > i32(b)
isetp_u   | u u   | 1 2 3 | a < b ; a == b ; a > b
min_s     | u u   | u   | a if (i32(a) < i32(b)) == (p != 0) else b
min_u     | u u   | u   | a if (a < b) == (p != 0) else b
addmin_s  | u u u | u   | addmin_s(u32(a + b), c, p != 0)
addmin_u  | u u u | u   | addmin_u(u32(a + b), c, p != 0)
min3_s    | u u u | u   | u32(min(min(i32(a), i32(b)), i32(c))) if p else u32(max(max(i32(a), i32(b)), i32(c)))
min3_u    | u u u | u   | min(min(a, b), c) if p else max(max(a, b), c)
iabs      | u     | u   | u32(abs(i64(i32(a))))
popc      | u     | u   | popc(a)
brev      | u     | u   | brev(a)
flo       | u     | u 1 | flo(a, m) ; flo(a, m) != u32(0xFFFFFFFF)
bmsk      | u u   | u   | bmsk(a, b, m)
sgxt      | u u   | u   | sgxt(a, b, m)
idp       | u u u | u   | idp(a, b, c, m)
vabsdiff  | u u u | u   | vabsdiff(a, b, c, m)
vabsdiff4 | u u u | u   | vabsdiff4(a, b, c, m)
viadd16   | u u   | u   | viadd16(a, b)
vimnmx    | u u u | u   | vimnmx(a, b, c, m, p != 0)
"""

_SINGLE = """
fadd      | u u   | u   | canon(u2f(a) + u2f(b))
fmul      | u u   | u   | canon(u2f(a) * u2f(b))
ffma      | u u u | u   | canon(fma32(u2f(a), u2f(b), u2f(c)))
fadd_m    | u u   | u   | fadd_m(a, b, m)
fmul_m    | u u   | u   | fmul_m(a, b, m)
ffma_m    | u u u | u   | ffma_m(a, b, c, m)
fmnmx     | u u   | u   | fminmax(a, b, p != 0, m)
fsetp     | u u   | 1 2 3 | u2f(a) < u2f(b) ; u2f(a) == u2f(b) ; u2f(a) > u2f(b)
fsetp_ftz | u u   | 1 2 3 | u2f(ftz(a)) < u2f(ftz(b)) ; u2f(ftz(a)) == u2f(ftz(b)) ; u2f(ftz(a)) > u2f(ftz(b))
fchk      | u u   | 1   | fchk(a, b)
mufu      | u     | u   | mufu(a, m)
mufu64    | u     | u   | mufu64(a, m)
mufu_half | u     | u   | mufu_half(a, m)
"""

_DOUBLE = """
dadd      | q q   | q   | d2u(u2d(a) + u2d(b))
dmul      | q q   | q   | d2u(u2d(a) * u2d(b))
dfma      | q q q | q   | d2u(fma64(u2d(a), u2d(b), u2d(c)))
dadd_m    | q q   | q   | d2u(dadd_m(u2d(a), u2d(b), m))
dmul_m    | q q   | q   | d2u(dmul_m(u2d(a), u2d(b), m))
dfma_m    | q q q | q   | d2u(dfma_m(u2d(a), u2d(b), u2d(c), m))
dmnmx     | q q   | q   | dminmax(a, b, p != 0)
dminsel   | q q   | 1 2 | dmin_first(a, b) ; dnan_both(a, b)
dmaxsel   | q q   | 1 2 | dmax_first(a, b) ; dnan_both(a, b)
dsetp     | q q   | 1 2 3 | u2d(a) < u2d(b) ; u2d(a) == u2d(b) ; u2d(a) > u2d(b)
"""

_HALF = """
hadd2     | u u   | u   | half2(0, a, b, 0, m)
hmul2     | u u   | u   | half2(1, a, b, 0, m)
hfma2     | u u u | u   | half2(2, a, b, c, m)
hmul2_f32 | u u   | u   | through_half(h2d(half_of(a, m >> 1 & 3, 0), (m & 1) != 0) * h2d(half_of(b, m >> 7 & 3, 0), (m & 1) != 0), m)
hfma2_f32 | u u u | u   | through_half(add_odd(h2d(half_of(a, m >> 1 & 3, 0), (m & 1) != 0) * h2d(half_of(b, m >> 7 & 3, 0), (m & 1) != 0), h2d(half_of(c, m >> 9 & 3, 0), (m & 1) != 0)), m)
hadd2_in32 | u u  | u   | twice(d2h(f64(u2f(a)), False, 3))
hmin2     | u u   | u   | half2(3 if p else 4, a, b, 0, m)
hadd2_f32 | u u   | u   | through_half(h2d(half_of(a, m >> 1 & 3, 0), (m & 1) != 0) + h2d(half_of(b, m >> 7 & 3, 0), (m & 1) != 0), m)
hsetp2    | u u   | 1 2 3 4 5 6 | half_cmp(a, b, m, 0) & 1 ; half_cmp(a, b, m, 0) >> 1 ; half_cmp(a, b, m, 0) >> 2 ; half_cmp(a, b, m, 1) & 1 ; half_cmp(a, b, m, 1) >> 1 ; half_cmp(a, b, m, 1) >> 2
"""

_CONVERT = """
f2i32     | u     | u   | u32(to_int(f64(u2f(ftz(a) if m & 4 else a)), m, narrow(m), (m & 8) != 0))
f2i64     | u     | q   | to_int(f64(u2f(ftz(a) if m & 4 else a)), m, 64, (m & 8) != 0)
d2i32     | q     | u   | u32(to_int(u2d(a), m, narrow(m), (m & 8) != 0)) if u2d(a) == u2d(a) else u32(1) << u32(narrow(m) - 1)
d2i64     | q     | q   | to_int(u2d(a), m, 64, (m & 8) != 0)
h2i32     | u     | u   | u32(to_int(h2d(half_in(a, m), (m & 64) != 0), m, narrow(m), (m & 8) != 0))
h2i64     | u     | q   | to_int(h2d(half_in(a, m), (m & 64) != 0), m, 64, (m & 8) != 0)
i2f       | u     | u   | u32(from_int(extend(a, m), (m & 8) != 0, m & 3, False))
i2d       | u     | q   | from_int(extend(a, m), (m & 8) != 0, m & 3, True)
l2f       | q     | u   | u32(from_int(a, (m & 8) != 0, m & 3, False))
l2d       | q     | q   | from_int(a, (m & 8) != 0, m & 3, True)
i2h       | u     | u   | d2h(u2d(from_int(extend(a, m), (m & 8) != 0, 0, True)), (m & 64) != 0, m & 3)
f2f       | u     | u   | ftz_if(canon(u2f(ftz_if(a, m))), m)
d2f       | q     | u   | d2f(u2d(a), m)
f2d       | u     | q   | d2u(f64(u2f(ftz_if(a, m))))
h2f       | u     | u   | canon(f32(h2d(half_in(a, m), (m & 64) != 0)))
h2dbl     | u     | q   | d2u(h2d(half_in(a, m), (m & 64) != 0))
f2h       | u     | u   | d2h(f64(u2f(ftz_if(a, m))), (m & 64) != 0, m & 3)
d2h16     | q     | u   | d2h_nan(u2d(a), (m & 64) != 0, m & 3)
f2h2      | u u   | u   | d2h(relu_if(f64(u2f(a)), m), (m & 64) != 0, m & 3) << u32(16) | d2h(relu_if(f64(u2f(b)), m), (m & 64) != 0, m & 3)
h2h2      | u u   | u   | (a << u32(16)) | (b & u32(65535))
frnd      | u     | u   | canon(f32(frnd(f64(u2f(ftz_if(a, m))), m)))
drnd      | q     | q   | d2u(frnd(u2d(a), m))
hrnd      | u     | u   | d2h(frnd(h2d(half_in(a, m), (m & 64) != 0), m), (m & 64) != 0, 0)
f8pack    | u u u | u   | u32(c) << u32(16) | f2f8(f64(u2f(a)), m) << u32(8) | f2f8(f64(u2f(b)), m)
f8pack_h  | u u   | u   | u32(b) << u32(16) | f2f8(h2d(a >> u32(16), False), m) << u32(8) | f2f8(h2d(a, False), m)
f8unpack  | u     | u   | f82h(a >> u32(24 if m & 512 else 8), m) << u32(16) | f82h(a >> u32(16 if m & 512 else 0), m)
i2i       | u     | u   | clamp_int(a, m)
i2ip      | u u u | u   | pack_int(a, b, c, m)
"""

KINDS: tuple[Kind, ...] = (*_rows("integer", _INTEGER), *_rows("single", _SINGLE), *_rows("double", _DOUBLE),
                           *_rows("half", _HALF), *_rows("convert", _CONVERT))
"""All operations; the number of one is its index."""

NUMBER = {kind.name: index for index, kind in enumerate(KINDS)}
