"""Integer and float arithmetic, sizeof and layouts against the C compiler itself."""

from __future__ import annotations

import math
import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from launch_cases import GRID, launches, value_of

from mutate.errors import KmutateError
from mutate.launch import StructArg, pack_arg

gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

VARIABLES = ("int i = -7; unsigned u = 4000000000u; long l = -5000000000; size_t z = 12345678901; char c = -3; "
             "unsigned char b = 250; short s = -30000; float f = 0.1f; double d = 2.75; long long ll = 9; bool t = 5; "
             "uint16_t h = 65535;")
NAMES = ["i", "u", "l", "z", "c", "b", "s", "f", "d", "ll", "t", "h"]
CONSTANTS = ["0", "1", "3", "7", "0x7fffffff", "0xffffffff", "2147483648", "1u", "5ll", "6ul", "010", "'a'", "'\\n'",
             "1.5f", "2.0", "1e3", "0x1p-3", ".5"]
INTEGERS = [n for n in NAMES if n not in "fd"] + CONSTANTS[:13]


def expression(rng: random.Random, depth: int, integral: bool) -> str:
    if depth == 0:
        return rng.choice(INTEGERS if integral else NAMES + CONSTANTS)
    shape = rng.randrange(10)
    if shape < 6:
        ops = ["+", "-", "*", "/", "<", "<=", "==", "!=", ">", "&&", "||"]
        left, right = expression(rng, depth - 1, integral), expression(rng, depth - 1, integral)
        return f"({left} {rng.choice(ops)} {right})"
    if shape == 6:
        op = rng.choice(["%", "&", "|", "^", "<<", ">>"])
        return f"({expression(rng, depth - 1, True)} {op} {expression(rng, depth - 1, True)})"
    if shape == 7:
        inner = expression(rng, depth - 1, integral)
        return f"({expression(rng, depth - 1, integral)} ? {inner} : {expression(rng, depth - 1, integral)})"
    if shape == 8:
        return f"({rng.choice('-!+')}{expression(rng, depth - 1, integral)})"
    kind = rng.choice(["int", "unsigned", "size_t", "char", "unsigned char", "short", "long long", "bool"]
                      + ["float", "double"] * (not integral))
    return f"(({kind}){expression(rng, depth - 1, integral)})"


FORMATS = {"unsigned long": "%lu", "long": "%ld", "int": "%d", "unsigned int": "%u", "long long": "%lld",
           "unsigned long long": "%llu", "float": "%a", "double": "%a", "char": "%d", "unsigned char": "%d",
           "short": "%d", "unsigned short": "%d", "bool": "%d"}


def c_output(tmp_path: Path, lines: list[str], prologue: str = "") -> list[str]:
    program = ("#include <stdio.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n" + prologue
               + "\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
    (tmp_path / "t.c").write_text(program)
    subprocess.run(["gcc", "-std=gnu11", "-w", "-O0", "-ffp-contract=off", "-o", tmp_path / "t", tmp_path / "t.c"],
                   check=True)
    return subprocess.run([tmp_path / "t"], check=True, capture_output=True, text=True).stdout.splitlines()


@gcc
def test_expressions_have_the_compiler_s_value_and_type(tmp_path: Path) -> None:
    rng = random.Random(1)
    kept: list[tuple[str, str, int | float]] = []
    undefined = 0
    while len(kept) < 400:
        text = expression(rng, rng.randrange(1, 5), integral=rng.random() < 0.7)
        try:
            kind, value = value_of(text, VARIABLES)
        except KmutateError as error:
            # What C leaves undefined is refused; nothing else may be.
            assert error.slug in ("launch-overflow", "launch-divide-by-zero"), str(error)
            undefined += 1
            continue
        if math.isfinite(value):
            kept.append((text, kind, value))
    assert undefined < len(kept)
    lines = [f'printf("{FORMATS[kind]} %d\\n", {text}, '
             f'__builtin_types_compatible_p(__typeof__({text}), {"_Bool" if kind == "bool" else kind}));'
             for text, kind, _ in kept]
    for (text, kind, value), line in zip(kept, c_output(tmp_path, [VARIABLES, *lines]), strict=True):
        printed, same_type = line.split()
        assert same_type == "1", f"{text} is no {kind}"
        expected = float.fromhex(printed) if kind in ("float", "double") else int(printed)
        assert value == expected, text


@gcc
def test_signed_overflow_is_what_the_compiler_calls_overflow(tmp_path: Path) -> None:
    rng = random.Random(2)
    edge = [0, 1, -1, 2, 46340, 46341, 65536, 2**31 - 1, -(2**31 - 1)]
    cases = [(rng.choice(edge) + rng.randrange(-2, 3), rng.choice("+-*"), rng.choice(edge)) for _ in range(300)]
    cases = [(a, op, b) for a, op, b in cases if abs(a) < 2**31 and abs(b) < 2**31]
    builtin = {"+": "add", "-": "sub", "*": "mul"}
    lines = [f'{{ int r; printf("%d ", __builtin_{builtin[op]}_overflow({a}, {b}, &r)); printf("%d\\n", r); }}'
             for a, op, b in cases]
    seen = set()
    for (a, op, b), line in zip(cases, c_output(tmp_path, lines), strict=True):
        overflows, result = line.split()
        seen.add(overflows)
        try:
            _, value = value_of(f"a {op} b", f"int a = {a}, b = {b};")
        except KmutateError as error:
            assert error.slug == "launch-overflow" and overflows == "1"
        else:
            assert overflows == "0" and value == int(result)
    assert seen == {"0", "1"}


@gcc
def test_struct_layouts_are_the_compiler_s(tmp_path: Path) -> None:
    rng = random.Random(3)
    kinds = ["char", "short", "int", "long", "float", "double", "bool", "uint8_t", "float *", "size_t"]
    prologue, lines, ours = "", [], []
    for n in range(25):
        members = []
        for m in range(rng.randrange(1, 7)):
            nested = f"struct S{rng.randrange(n)}" if n and rng.random() < 0.2 else rng.choice(kinds)
            members.append(f"{nested} m{m}{rng.choice(['', '', '[3]'])};")
        prologue += f"struct S{n} {{ {' '.join(members)} }};\n"
        offsets = ", ".join(f"(int)offsetof(struct S{n}, m{m})" for m in range(len(members)))
        lines.append(f'printf("%d {"%d " * len(members)}\\n", (int)sizeof(struct S{n}), {offsets});')
        (launch,) = launches(f"{GRID} {prologue} struct S{n} s; k(s);")
        (arg,) = launch.args
        assert isinstance(arg, StructArg)
        assert len(pack_arg(arg, {})) == arg.type.size
        ours.append([arg.type.size, *(f.offset for f in arg.type.fields)])
    assert [list(map(int, line.split())) for line in c_output(tmp_path, lines, prologue)] == ours


@pytest.mark.parametrize(("name", "size", "align"), [
    ("char3", 3, 1), ("char4", 4, 4), ("short3", 6, 2), ("int2", 8, 8), ("float3", 12, 4), ("float4", 16, 16),
    ("double2", 16, 16), ("double4", 32, 16), ("longlong2", 16, 16), ("half2", 4, 4), ("__nv_bfloat162", 4, 4),
    ("dim3", 12, 4), ("half", 2, 2),
])
def test_cuda_vector_types_have_cuda_s_sizes(name: str, size: int, align: int) -> None:
    assert value_of(f"sizeof({name})") == ("unsigned long", size)
    assert value_of("sizeof(struct A)", f"struct A {{ char c; {name} v; }};") == (
        "unsigned long", align + -(-size // align) * align)


@pytest.mark.parametrize(("text", "value"), [
    ("sizeof(a)", 4 * 8 * 4), ("sizeof(a[0])", 32), ("sizeof a[0][1]", 4), ("sizeof(a) / sizeof(a[0])", 4),
    ("sizeof(float[3][2])", 24), ("sizeof(struct T)", 16), ("sizeof(int *)", 8),
    ("sizeof n", 4), ("sizeof(n + 1.0)", 8),
])
def test_sizeof_of_objects(text: str, value: int) -> None:
    assert value_of(text, "float a[4][8]; int n; n = 2; struct T { double d; char c; };") == ("unsigned long", value)


@pytest.mark.parametrize(("text", "value"), [
    ("min(3, 4u)", ("unsigned int", 3)), ("max(2.5f, 1)", ("float", 2.5)), ("abs(-4)", ("int", 4)),
    ("(int)ceil(10 / 4.0)", ("int", 3)), ("(int)floorf(-0.5f)", ("int", -1)), ("sqrt(2.0)", ("double", 2.0**0.5)),
    ("sqrtf(2)", ("float", struct.unpack("f", struct.pack("f", 2.0**0.5))[0])), ("pow(2, 10)", ("double", 1024.0)),
    ("0 && 1 / 0", ("int", 0)), ("1 || 1 / 0", ("int", 1)), ("1 ? 2 : 1 / 0", ("int", 2)),
])
def test_functions_and_short_circuits(text: str, value: tuple[str, float]) -> None:
    assert value_of(text) == value
