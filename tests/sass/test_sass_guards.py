"""Accesses that only a non-zero flag lets through: found where they are, and nowhere else."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from sass_cases import ARCHS, corpus, guard_inputs, register, registered

from mutate.sass.classes import class_of
from mutate.sass.disasm import Instruction
from mutate.sass.guards import guarded, never_executed
from mutate.sass.lines import line_table
from mutate.sim.operand import parse_constant
from mutate.toolchain.elf import Cubin

HEAD = """__constant__ int km_flag;
#include <cuda_fp16.h>
template <class T> __device__ __forceinline__ int bits(T v)
{
    if (sizeof(T) == 1) return *(const unsigned char *)&v;
    if (sizeof(T) == 2) return *(const unsigned short *)&v;
    int r = 0;
    for (int i = 0; i < sizeof(T) / 4; i++) r ^= ((const int *)&v)[i];
    return r;
}
"""


def source(text: str) -> str:
    return register(HEAD + text)


def split(text: str, arch: str) -> tuple[Counter[str], Counter[str]]:
    """Memory accesses and barriers by class: (guarded, unguarded)."""
    result, listing = registered(text, arch)
    inside = guarded(listing, Cubin(result.cubin).constant_offset("km_flag"), **guard_inputs(result))
    hidden = Counter(class_of(listing[n]) for n in inside)
    wanted = ("global", "shared", "generic", "local", "barrier", "async")
    rest = Counter(c for n, c in enumerate(map(class_of, listing)) if n not in inside and c.startswith(wanted))
    return hidden, rest


TYPES = {"int": 32, "float": 32, "double": 64, "__half": 16, "float4": 128, "unsigned char": 8, "short": 16,
         "long long": 64, "float2": 64, "__half2": 32}


def in_loops_and_bodies(name: str) -> str:
    step = "v.x = v.x * w.x; v.y += w.y;" if name in ("float4", "float2") else "v = v * w + v;"
    return source(f"""extern "C" __global__ void k({name} *p, const {name} *q, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        {name} v = q[i];
        #pragma unroll 2
        for (int j = 0; j < n; j++) {{
            {name} w = q[i + j * n];
            {step}
            if (1 == bits(v) * km_flag) p[i + j] = v;
        }}
        if (n > 5) {{ if (1 == (bits(v) ^ i) * km_flag) p[i] = v; }}
    }}""")


BY_TYPE = {name: in_loops_and_bodies(name) for name in TYPES}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", TYPES)
def test_stores_of_every_type_in_loops_and_bodies(arch, name):
    hidden, rest = split(BY_TYPE[name], arch)
    assert set(hidden) == {f"global_store.{TYPES[name]}"}
    # The loop's body, its remainder and the last one.
    assert hidden.total() >= 3
    assert rest and not [c for c in rest if not c.startswith("global_load")]


def one_store(kind: str, condition: str, change: str = "") -> str:
    return source(f"""extern "C" __global__ void k({kind} *p, const {kind} *q, int n) {{
        {kind} v = q[threadIdx.x];
        {change}
        if ({condition}) p[threadIdx.x] = v;
    }}""")


GUARDS = {f"{kind}: {condition}": one_store(kind, condition, "v = v * v;") for kind, condition in (
    ("float", "1 == v * km_flag"), ("double", "1 == v * km_flag"), ("float", "v * km_flag > 5.0f || v * km_flag == 3"),
    ("double", "fma(v, (double)km_flag, 2.0) == 3.0"), ("__half", "__int2half_rn(1) == v * __int2half_rn(km_flag)"),
    ("int", "km_flag"), ("int", "km_flag != 0 && v > 3"), ("unsigned", "1u == (v & km_flag)"),
    ("long long", "1 == v * km_flag"), ("int", "(v >> 3) * km_flag == 7"), ("int", "(v & km_flag) > 0"),
    ("float", "1 == (__float_as_int(v) ^ n) * km_flag"), ("int", "v < n && n < 9 && v * n == 6 && km_flag > 0"),
)}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", GUARDS)
def test_conditions_in_other_words(arch, name):
    hidden, rest = split(GUARDS[name], arch)
    # Where the condition is the flag alone the load moves behind it too.
    assert sum(n for c, n in hidden.items() if c.startswith("global_store")) == 1
    assert not [c for c in rest if c.startswith("global_store")]


NO_GUARDS = {condition: one_store("int", condition) for condition in (
    "km_flag == 0", "!km_flag", "v > km_flag", "km_flag || v > 3", "v == km_flag", "(v + km_flag) == 3",
    "(v | km_flag) == 3", "v * km_flag == 0", "(v & km_flag) < 1", "km_flag < n", "(v & ~km_flag) == 5",
    "v * (km_flag + 1) == 1", "(v ^ km_flag) == 1", "v * km_flag != 1", "(v << km_flag) == 8", "v * !km_flag == 1",
)}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("condition", NO_GUARDS)
def test_a_condition_that_may_hold_without_the_flag_is_no_guard(arch, condition):
    hidden, rest = split(NO_GUARDS[condition], arch)
    assert not hidden and rest["global_store.32"] == 1


ADDRESS = source("""extern "C" __global__ void k(float *p, const float *q, int n) {
        __shared__ volatile float s[256];
        int at = threadIdx.x + (n & km_flag);
        s[at] = q[at];
        __syncthreads();
        p[at] = s[at ^ 1];
    }""")


@pytest.mark.parametrize("arch", ARCHS)
def test_an_address_that_depends_on_the_flag_is_no_guard(arch):
    hidden, rest = split(ADDRESS, arch)
    assert not hidden
    assert rest == {"shared_store.32": 1, "shared_load.32": 1, "global_load.32": 1, "global_store.32": 1, "barrier": 1}


SEVERAL = source("""extern "C" __global__ void k(float *p, float *r, const float *q, int n) {
        int i = threadIdx.x;
        float v = q[i], w = q[i + n], x = v * w;
        if (1 == bits(v) * km_flag) p[i] = v;
        if (1 == bits(w) * km_flag) r[i] = w;
        if (x > 3) {
            if (1 == bits(x) * km_flag) p[i + 9] = x;
            x += 3;
            if (1 == bits(x) * km_flag) atomicAdd(p + 3, x);
            r[n] = x;
        }
    }""")


@pytest.mark.parametrize("arch", ARCHS)
def test_several_guards_atomics_and_an_unguarded_store(arch):
    hidden, rest = split(SEVERAL, arch)
    assert hidden == {"global_store.32": 3, "global_reduction": 1}
    assert rest == {"global_load.32": 2, "global_store.32": 1}


BARRIERS = source("""extern "C" __global__ void k(float *p, int n) {
        __shared__ float s[256];
        int i = threadIdx.x;
        s[i] = p[i];
        #pragma unroll 1
        for (int j = 0; j < n; j++) {
            if (km_flag) __syncthreads();
            s[i] += s[255 - i];
            if (km_flag) __syncthreads();
        }
        p[i] = s[i];
    }""")


@pytest.mark.parametrize("arch", ARCHS)
def test_guarded_barriers_and_the_copies_of_code_behind_them(arch):
    hidden, rest = split(BARRIERS, arch)
    assert hidden["barrier"] == 2 and not rest["barrier"]
    # The body's accesses exist twice, once for each value of the flag, where the compiler splits the paths.
    assert rest["shared_load.32"] == 3 and rest["shared_store.32"] == 2
    assert hidden["shared_load.32"] in (0, 2) and hidden["shared_store.32"] in (0, 1)


FUNCTIONS = source("""
    __device__ __noinline__ float f(float x, float *p) { if (1 == bits(x) * km_flag) p[3] = x; return sinf(x) * x; }
    __device__ __noinline__ void g(float x, float *p) { p[4] = x; }
    extern "C" __global__ void k(float *p, const float *q, int n) {
        float v = q[0];
        #pragma unroll 1
        for (int i = 0; i < n; i++) {
            v = f(v, p) / q[1];
            if (1 == bits(v) * km_flag) p[i] = v;
        }
        if (km_flag) g(v, p);
        p[5] = v;
    }""")


@pytest.mark.parametrize("arch", ARCHS)
def test_guards_in_and_behind_functions(arch):
    hidden, rest = split(FUNCTIONS, arch)
    # Pointers that are passed to a function are generic for the compiler.
    stores = {c: n for c, n in hidden.items() if "store" in c and not c.startswith("local")}
    assert sum(stores.values()) == 3
    assert sum(n for c, n in rest.items() if c.startswith(("global_store", "generic_store"))) == 1


AMONG = source("""__constant__ float table[100];
    __constant__ int other;
    extern "C" __global__ void k(float *p, int n) {
        float v = table[n] + table[3];
        if (other * bits(v) == 1) p[1] = v;
        if (km_flag * bits(v) == 1) p[2] = v;
        if (table[5] * v == 1) p[3] = v;
    }""")


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_the_flag_among_other_constants(arch):
    hidden, rest = split(AMONG, arch)
    assert hidden == {"global_store.32": 1}
    assert rest == {"global_store.32": 2}


def test_without_a_flag_nothing_is_guarded():
    for arch in ("sm_75", "sm_90", "sm_120"):
        for result, listing in corpus(arch).values():
            assert Cubin(result.cubin).constant_offset("km_flag") is None
            assert not guarded(listing, None)
            # Nor does a flag that the code never reads change anything.
            assert not never_executed(listing, 0x7000, **guard_inputs(result))


def i(n: int, opcode: str, operands: str = "", predicate: str = "") -> Instruction:
    return Instruction(16 * n, predicate, opcode, operands, 0, 0)


STORE = ("STG.E", "desc[UR4][R2.64], R5")


def stores_guarded(*code: tuple[str, ...]) -> list[bool]:
    listing = tuple(i(n, *row) for n, row in enumerate(code))
    inside = guarded(listing, 0)
    return [n in inside for n, row in enumerate(code) if row[0].startswith("STG")]


def test_the_flag_must_decide_on_every_path():
    flag = ("ISETP.NE.AND", "P0, PT, RZ, c[0x3][0x0], PT")
    assert stores_guarded(flag, (*STORE, "@P0"), ("EXIT",)) == [True]
    assert stores_guarded(flag, (*STORE, "@!P0"), ("EXIT",)) == [False]
    # On the other path the predicate has another origin.
    merged = (flag, ("ISETP.GT.AND", "P1, PT, R7, RZ, PT"), ("BRA", "0x40", "@P1"), ("ISETP.GT.AND",
              "P0, PT, R8, RZ, PT"), (*STORE, "@P0"), ("EXIT",))
    assert stores_guarded(*merged) == [False]
    # A later definition, an unknown instruction, and a definition under a predicate end what was known.
    assert stores_guarded(flag, ("ISETP.GT.AND", "P0, PT, R8, RZ, PT"), (*STORE, "@P0"), ("EXIT",)) == [False]
    assert stores_guarded(flag, ("FROBNICATE", "R9"), (*STORE, "@P0"), ("EXIT",)) == [False]
    assert stores_guarded(flag, ("ISETP.GT.AND", "P0, PT, R8, RZ, PT", "@P3"), (*STORE, "@P0"), ("EXIT",)) == [False]
    assert stores_guarded(flag, ("R2P", "PR, R4, 0x1"), (*STORE, "@P0"), ("EXIT",)) == [False]


def test_branches_that_the_flag_decides():
    flag = ("ISETP.NE.AND", "P0, PT, RZ, c[0x3][0x0], PT")
    assert stores_guarded(flag, ("BRA", "0x30", "@!P0"), STORE, STORE, ("EXIT",)) == [True, False]
    assert stores_guarded(flag, ("EXIT", "", "@!P0"), STORE, ("EXIT",)) == [True]
    assert stores_guarded(flag, ("EXIT", "", "@P0"), STORE, ("EXIT",)) == [False]
    # A second way around the branch.
    around = (("BRA", "0x30", "@P2"), flag, ("BRA", "0x40", "@!P0"))
    assert stores_guarded(*around, STORE, STORE, ("EXIT",)) == [False, False]
    # A second condition: it leaves only if both hold.
    assert stores_guarded(flag, ("EXIT", "P1", "@!P0"), STORE, ("EXIT",)) == [False]
    assert stores_guarded(flag, ("EXIT", "!P0"), STORE, ("EXIT",)) == [True]
    assert stores_guarded(flag, ("BRA", "P1, 0x40", "@!P0"), STORE, ("EXIT",), STORE, ("EXIT",)) == [False, False]
    assert stores_guarded(flag, ("BRA", "!P0, 0x40"), STORE, ("EXIT",), STORE, ("EXIT",)) == [True, False]
    uniform = ("UISETP.NE.U32.AND", "UP0, UPT, UR8, URZ, UPT")
    load = ("LDCU", "UR8, c[0x3][URZ]")
    assert stores_guarded(load, uniform, ("BRA.U", "!UP0, 0x40"), STORE, STORE, ("EXIT",)) == [True, False]
    assert stores_guarded(load, uniform, ("BRA.U", "UP0, 0x40"), STORE, STORE, ("EXIT",)) == [False, False]
    # An indirect jump without a table may go anywhere.
    assert stores_guarded(flag, ("BRX", "R2 -0x10", "@P5"), (*STORE, "@P0"), ("EXIT",)) == [False]


@pytest.mark.parametrize(("back", "guarded_too"), [
    (("IMAD.MOV.U32", "R4, RZ, RZ, R20"), True),
    (("MOV", "R4, R20"), True),
    (("MOV", "R4, R8"), False),
    (("MOV", "R4, R8", "@P3"), False),
    (("IADD3", "R4, R20, 0x10, RZ"), False),
    (("LDL", "R4, [R1]"), False),
])
def test_a_function_returns_where_it_was_told(back, guarded_too):
    # R8 holds a number that is the address of the store by chance; the function comes back to R20's.
    flag = ("ISETP.NE.AND", "P0, PT, RZ, c[0x3][0x0], PT")
    code = (("MOV", "R8, 0x60"), ("MOV", "R20, 0x30"), ("CALL.REL.NOINC", "0x80"), flag, ("NOP",), ("NOP",),
            (*STORE, "@P0"), ("EXIT",), back, ("RET.REL.NODEC", "R4 0x0"))
    assert stores_guarded(*code) == [guarded_too]


def test_other_ways_to_the_flags_value():
    compare = ("ISETP.NE.AND", "P0, PT, R4, RZ, PT")
    tail = ((*STORE, "@P0"), ("EXIT",))
    assert stores_guarded(("LDC", "R4, c[0x3][0x0]"), compare, *tail) == [True]
    assert stores_guarded(("LDC", "R4, c[0x3][0x4]"), compare, *tail) == [False]
    assert stores_guarded(("LDC", "R4, c[0x0][0x0]"), compare, *tail) == [False]
    assert stores_guarded(("LDC", "R4, c[0x3][R7]"), compare, *tail) == [False]
    assert stores_guarded(("LDC", "R4, c[0x3][R7+0x0]"), compare, *tail) == [False]
    assert stores_guarded(("LDC.64", "R4, c[0x3][0x0]"), compare, *tail) == [True]
    assert stores_guarded(("LDC.64", "R3, c[0x3][0x0]"), compare, *tail) == [False]
    assert stores_guarded(("ULDC", "UR6, c[0x3][0x0]"), ("IMAD.U32", "R4, RZ, RZ, UR6"), compare, *tail) == [True]
    assert stores_guarded(("LDC", "R3, c[0x3][0x0]"), ("R2UR", "UR6, R3"), ("UISETP.NE.AND", "UP1, UPT, UR6, URZ, UPT"),
                          ("PLOP3.LUT", "P0, PT, PT, PT, UP1, 0x80, 0x8"), *tail) == [True]
    wide = ("ISETP.NE.S64.AND", "P0, PT, R4, 0x1, PT")
    assert stores_guarded(("LDC", "R4, c[0x3][0x0]"), ("MOV", "R5, RZ"), wide, ("EXIT", "", "@P0"), STORE) == [True]
    assert stores_guarded(("LDC", "R4, c[0x3][0x0]"), ("LDC", "R5, c[0x3][0x4]"), wide, ("EXIT", "", "@P0"),
                          STORE) == [False]
    assert stores_guarded(("DSETP.NEU.AND", "P0, PT, R6, c[0x3][0x0], PT"), *tail) == [False]


def test_a_texture_access_writes_its_two_destinations_and_predicates():
    flag, test = ("LDC", "R8, c[0x3][0x0]"), ("ISETP.NE.AND", "P0, PT, R8, RZ, PT")
    tail = ((*STORE, "@P0"), ("EXIT",))
    for operands, kept in (("RZ, R9, R2, R12, UR4, 0x0, 2D, 0xf", True), ("RZ, R4, R2, R12, UR4, 0x0, 2D, 0xf", True),
                           ("RZ, R8, R2, R12, UR4, 0x0, 2D, 0x1", False), ("R8, R4, R2, R12, UR4, 0x0, 2D, 0x1", False),
                           ("R4, R6, R2, R12, UR4, 0x0, 2D, 0xf", False)):
        assert stores_guarded(flag, ("TEX.LL", operands), test, *tail) == [kept]
    assert stores_guarded(flag, test, ("TEX.LL", "P0, R12, R14, R2, R12, UR4, 0x0, 2D, 0xf"), *tail) == [False]


@pytest.mark.parametrize("shift", ["SHF.L.U64.HI", "SHF.R.U64", "SHF.R.S64"])
def test_a_word_of_a_funnel_shift_is_one_register(shift):
    flag, test = ("LDC", "R9, c[0x3][0x0]"), ("ISETP.NE.AND", "P0, PT, R9, RZ, PT")
    tail = (test, (*STORE, "@P0"), ("EXIT",))
    assert stores_guarded(flag, (shift, "R8, R10, 0x2, R11"), *tail) == [True]
    assert stores_guarded(flag, (shift, "R9, R10, 0x2, R11"), *tail) == [False]


def test_a_flag_behind_32_kb_of_constants_is_printed_with_a_negative_offset():
    listing = [i(0, "ULDC", "UR7, c[0x3][-0x600]"), i(1, "ISETP.NE.AND", "P0, PT, RZ, UR7, PT"), i(2, *STORE, "@P0"),
               i(3, "EXIT")]
    assert guarded(listing, 0xFA00) == {2}
    assert guarded(listing, 0xFA04) == frozenset()
    constant = parse_constant("c[0x3][-0x600]")
    assert constant is not None and constant.offset == 0xFA00


def test_a_value_that_is_set_under_both_of_two_opposite_predicates():
    load = ("LDC", "R7, c[0x3][0x0]")
    one, other = ("MOV", "R4, R7", "@P2"), ("MOV", "R4, R7", "@!P2")
    tail = (("ISETP.NE.AND", "P0, PT, R4, RZ, PT"), (*STORE, "@P0"), ("EXIT",))
    anything = ("LDG.E", "R8, desc[UR4][R2.64]")
    assert stores_guarded(load, one, other, *tail) == [True]
    assert stores_guarded(load, other, anything, one, *tail) == [True]
    assert stores_guarded(load, one, *tail) == [False]
    assert stores_guarded(load, one, one, *tail) == [False]
    assert stores_guarded(load, one, ("MOV", "R4, R7", "@!P3"), *tail) == [False]
    assert stores_guarded(load, one, ("MOV", "R4, 0x5", "@!P2"), *tail) == [False]
    # Another write of the register or of the predicate in between, by whatever writes it.
    assert stores_guarded(load, one, ("MOV", "R4, R9", "@P2"), other, *tail) == [False]
    assert stores_guarded(load, one, ("MOV", "R4, R9", "@P3"), other, *tail) == [False]
    assert stores_guarded(load, one, ("LDG.E.64", "R4, desc[UR4][R2.64]"), other, *tail) == [False]
    assert stores_guarded(load, one, ("ISETP.GT.AND", "P2, PT, R8, RZ, PT"), other, *tail) == [False]
    assert stores_guarded(load, one, ("R2P", "PR, R8, 0x7f"), other, *tail) == [False]
    assert stores_guarded(load, one, ("FROBNICATE", "R9"), other, *tail) == [False]
    # What the other half was set to may change after it was read; a path around one of them ends it.
    assert stores_guarded(load, one, other, ("MOV", "R4, R9", "@P2"), *tail) == [False]
    assert stores_guarded(load, one, ("BRA", "0x40", "@P5"), other, *tail) == [False]


# -- random programs against an oracle -------------------------------------------------------------------------------

MASK = 0xFFFFFFFF
VALUES = [0, 1, 2, 3, 5, 7, 8, 0x7FFFFFFF, 0x80000000, MASK, MASK - 1, 0x12345678]


def random_number(rng: random.Random, depth: int) -> tuple[str, str]:
    """An unsigned expression as C and as Python over ``n``, ``m`` and the flag ``f``."""
    if depth == 0 or rng.random() < 0.25:
        return rng.choice([("n", "n"), ("m", "m"), ("F", "f"), ("F", "f"), ("1u", "1"), ("0u", "0"), ("6u", "6"),
                           ("0xffffffffu", str(MASK))])
    (a, x), (b, y) = random_number(rng, depth - 1), random_number(rng, depth - 1)
    operator = rng.choice("+-*&|^*&")
    return f"({a} {operator} {b})", f"(({x} {operator} {y}) & {MASK})"


def random_condition(rng: random.Random, depth: int) -> tuple[str, str]:
    if depth == 0 or rng.random() < 0.4:
        (a, x), (b, y) = random_number(rng, 2), random_number(rng, 1)
        operator = rng.choice(["==", "!=", "<", "<=", ">", ">=", "=="])
        if rng.random() < 0.3:
            return f"((int){a} {operator} (int){b})", f"(signed({x}) {operator} signed({y}))"
        return f"({a} {operator} {b})", f"({x} {operator} {y})"
    (a, x), (b, y) = random_condition(rng, depth - 1), random_condition(rng, depth - 1)
    choice = rng.choice(["&&", "||", "!"])
    if choice == "!":
        return f"(!{a})", f"(not {x})"
    return f"({a} {choice} {b})", f"({x} {'and' if choice == '&&' else 'or'} {y})"


Path = tuple[str, ...]
"""Conditions under which a line is reached; each element is about a value of ``n`` of its own, all about one ``m``."""


def random_body(rng: random.Random, depth: int, path: Path, lines: list[str], paths: dict[int, Path]) -> None:
    """Statements with one store a line, whose paths are noted."""
    for _ in range(rng.randint(1, 3)):
        condition, python = random_condition(rng, 2)
        here = (*path[:-1], f"{path[-1]} and {python}")
        if depth and rng.random() < 0.5:
            lines.append(f"if ({condition}) {{")
            random_body(rng, depth - 1, here, lines, paths)
            if rng.random() < 0.5:
                lines.append("} else {")
                random_body(rng, depth - 1, (*path[:-1], f"{path[-1]} and not {python}"), lines, paths)
            lines.append("}")
        elif depth and rng.random() < 0.3:
            lines.append("for (unsigned j = 0; j < m; j++) { n += p[j];")
            random_body(rng, 0, (*path[:-1], f"{path[-1]} and m > 0", "m > 0"), lines, paths)
            lines.append("}")
            return
        else:
            lines.append(f"if ({condition}) p[{len(lines) * 64} + threadIdx.x] = n + {len(lines)};")
            paths[len(lines)] = here


def may_hold(path: Path) -> bool:
    def signed(x: int) -> int:
        return x - (1 << 32) if x >> 31 else x

    parts = [compile(python, "path", "eval") for python in path]
    return any(all(any(eval(code, {"n": n, "m": m, "f": 0, "signed": signed}) for n in VALUES) for code in parts)
               for m in VALUES)


def random_program(seed: int) -> tuple[str, dict[int, Path]]:
    rng = random.Random(seed)
    paths: dict[int, Path] = {}
    lines = ["#define F ((unsigned)km_flag)", "__constant__ int km_flag;",
             'extern "C" __global__ void k(volatile unsigned *p, unsigned n, unsigned m) {']
    for _ in range(5):
        random_body(rng, 3, ("True",), lines, paths)
        # From here n may be anything.
        lines.append("n = p[n];")
    return register("\n".join([*lines, "}"]), "-lineinfo"), paths


PROGRAMS = {seed: random_program(seed) for seed in (1002, 1007)}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("seed", PROGRAMS)
def test_random_programs_are_never_called_guarded_where_they_are_not(arch, seed):
    text, paths = PROGRAMS[seed]
    result, listing = registered(text, arch)
    table = line_table(result.cubin, result.entry)
    inside = guarded(listing, Cubin(result.cubin).constant_offset("km_flag"), **guard_inputs(result))
    stores = [(n, table[x.offset].line) for n, x in enumerate(listing) if x.name == "STG"]
    present = {line for _, line in stores}
    # The compiler copies code for each value of the flag; of a line that executes one copy is left.
    claimed = present - {line for n, line in stores if n not in inside}
    possible = {line for line, path in paths.items() if may_hold(path)}
    assert claimed <= set(paths)
    assert not claimed & possible
    # And much of what can be known is found: the rest is impossible for reasons beside the flag.
    impossible = present - possible
    assert len(claimed) >= 0.4 * len(impossible)


def test_what_a_function_called_through_a_pointer_leaves_alone():
    call = ("CALL.REL.NOINC", "R6 0x0")  # to where R6 says, from offset 0: not to offset 0
    uniform = (("ULDC", "UR42, c[0x3][0x0]"), call, ("ISETP.NE.AND", "P0, PT, RZ, UR42, PT"))
    assert stores_guarded(*uniform, (*STORE, "@P0"), ("EXIT",)) == [True]
    # A vector register may be its result, and a predicate is nobody's.
    vector = (("LDC", "R4, c[0x3][0x0]"), call, ("ISETP.NE.AND", "P0, PT, RZ, R4, PT"))
    assert stores_guarded(*vector, (*STORE, "@P0"), ("EXIT",)) == [False]
    predicate = (("ISETP.NE.AND", "P0, PT, RZ, c[0x3][0x0], PT"), call)
    assert stores_guarded(*predicate, (*STORE, "@P0"), ("EXIT",)) == [False]


def test_a_texture_fetch_writes_the_components_of_its_mask():
    fetch = "RZ, R14, R14, R25, UR4, 0x0, 2D, "
    for mask, guarded_there in (("0x1", [True]), ("0x7", [True]), ("0xf", [False])):
        assert stores_guarded(("LDC", "R17, c[0x3][RZ]"), ("TEX.LL", fetch + mask),
                              ("ISETP.NE.AND", "P0, PT, RZ, R17, PT"), (*STORE, "@P0"), ("EXIT",)) == guarded_there
