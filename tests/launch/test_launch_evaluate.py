"""What a declaration means: launches, arguments, arrays, overrides, macros, C++ bits."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from launch_cases import GRID, failure, launches, value_of

from mutate.launch import ArrayArg, ScalarArg, StructArg, evaluate, find_declarations, pack_arg

FD3D = """
   int nx = 512, ny = 512, nz = 256;
   dim3 grid  = { (nx + 15) / 16, (ny + 15) / 16 };
   dim3 block = { 16, 16 };
   float out[nx * ny * nz] = zeros();
   float in [nx * ny * nz] = uniform(0, 1);
   fd3d(out, in, nx, ny, nz);
"""


def test_the_design_s_own_example() -> None:
    (launch,) = launches(FD3D)
    assert launch.instance == "fd3d"
    assert (launch.grid, launch.block, launch.smem, launch.threads) == ((32, 32, 1), (16, 16, 1), 0, 256)
    assert [(a.name, a.count, a.nbytes, a.init.kind) for a in launch.arrays] == [
        ("out", 1 << 26, 1 << 28, "zeros"), ("in", 1 << 26, 1 << 28, "uniform")]
    assert [a.value for a in launch.args if isinstance(a, ScalarArg)] == [512, 512, 256]
    assert launch.seed == 0


def test_set_replaces_a_size_and_all_that_follows_from_it() -> None:
    (launch,) = launches(FD3D, overrides={"nx": "2 * 512 + 1", "block": "{32, 8}"})
    assert launch.grid == (65, 32, 1)
    assert launch.block == (32, 8, 1)
    assert launch.array("out").count == 1025 * 512 * 256


def test_set_wins_over_assignments_and_names_the_seed() -> None:
    (launch,) = launches(f"{GRID} int n = 1; n = 2; n += 1; seed(3); float a[n]; k(a);",
                         overrides={"n": "7", "seed": "11"})
    assert launch.array("a").count == 7
    assert launch.seed == 11 and launch.array("a").seed == 11
    (launch,) = launches(f"{GRID} float a[1]; k(a);", overrides={"seed": "5"})
    assert launch.seed == 5


def test_launches_see_the_grid_of_their_time() -> None:
    first, second, third = launches("""
        dim3 grid = {4}; dim3 block = {64}; int smem = 0;
        a();
        grid = dim3(8, 2); smem = 3 * sizeof(double); a();
        dim3 block(128); grid.x += 1; a();
    """)
    assert (first.grid, first.block, first.smem) == ((4, 1, 1), (64, 1, 1), 0)
    assert (second.grid, second.block, second.smem) == ((8, 2, 1), (64, 1, 1), 24)
    assert (third.grid, third.block) == ((9, 2, 1), (128, 1, 1))


@pytest.mark.parametrize(("text", "extent"), [
    ("dim3 block = 128;", (128, 1, 1)), ("int block = 96;", (96, 1, 1)), ("dim3 block(8, 4);", (8, 4, 1)),
    ("dim3 block = dim3(8, 4, 2);", (8, 4, 2)), ("dim3 block = {.y = 3};", (1, 3, 1)), ("dim3 block;", (1, 1, 1)),
    ("uint3 block = {4, 5, 6};", (4, 5, 6)), ("dim3 b = {7}; dim3 block = b;", (7, 1, 1)),
    ("dim3 block = (dim3){2, 2};", (2, 2, 1)), ("uint3 u = {3, 2, 1}; dim3 block = u;", (3, 2, 1)),
    ("struct S { dim3 d; } s = {{9}}; dim3 block = s.d;", (9, 1, 1)),
])
def test_ways_to_write_a_block(text: str, extent: tuple[int, int, int]) -> None:
    (launch,) = launches(f"dim3 grid = 1; {text} k();")
    assert launch.block == extent


def test_template_instances_by_value_and_by_name() -> None:
    instances = [launch.instance for launch in launches(f"""
        {GRID} int bs = 128; bool fast = true;
        reduce6<512>(1); reduce6<bs * 2>(1); k<float, (bs > 3), fast>(1); ns::k<Add<float>, 4>(1); ns::plain(2);
        k<unsigned int, sizeof(float4) / 4>(1); k<N>(1); k<TILE>(1); k<A<B<int>>>(1); k<>(1);
    """, {"N": "(1 << 4)"})]
    assert instances == ["reduce6<512>", "reduce6<256>", "k<float, 1, true>", "ns::k<Add<float>, 4>", "ns::plain",
                         "k<unsigned int, 4>", "k<16>", "k<TILE>", "k<A<B<int>>>", "k<>"]


def test_defines_are_macros_not_variables() -> None:
    defines = {"N": "M + 1", "M": "2", "SQ(x)": "x * x", "MAX(a, b)": "((a) > (b) ? (a) : (b))", "E": "",
               "SELF": "SELF", "LOOP": "POOL", "POOL": "LOOP", "CALL(f, x)": "f(x)"}
    assert value_of("N * 2", defines=defines) == ("int", 4)  # 2 + 1 * 2
    assert value_of("SQ(M + 1)", defines=defines) == ("int", 5)  # 2 + 1 * 2 + 1
    assert value_of("MAX(N, SQ((3))) E", defines=defines) == ("int", 9)
    assert value_of("CALL(SQ, 4)", defines=defines) == ("int", 16)
    assert value_of("SELF + LOOP", "int SELF = 3, LOOP = 4;", defines) == ("int", 7)
    assert value_of("TWICE(3) + W", "#define TWICE(x) \\\n  (2 * (x))\n#define W 1\n#undef E\nint E = 4;", defines) == (
        "int", 7)


def test_pointers_into_arrays() -> None:
    (launch,) = launches(f"""{GRID}
        float v[64] = iota(); double m[4][8]; float *p = v + 8; const float *q = p;
        k(v, v + 16, &v[2], m, m[2], &m[1][3], p, (float4 *)v + 1, q - 2, NULL, nullptr, (int *)0);""")
    assert [(a.array, a.offset) for a in launch.args if isinstance(a, ArrayArg)] == [
        ("v", 0), ("v", 64), ("v", 8), ("m", 0), ("m", 128), ("m", 88), ("v", 32), ("v", 16), ("v", 24),
        (None, 0), (None, 0), (None, 0)]
    assert launch.array("m").dims == (4, 8)


def test_a_struct_is_laid_out_as_in_c() -> None:
    (launch,) = launches(f"""{GRID}
        int data[32] = zeros();
        struct Inner {{ short s; double d; }};
        struct P {{ char c; float a; int n[3]; int *v; Inner in; bool on; }};
        struct P p = {{ .a = 1.5f, .n = {{1, [2] = 3}}, .v = &data[4], .in = {{7, 2.5}}, .on = true }};
        p.n[1] = 5; p.c = 'A';
        k(p);""")
    (arg,) = launch.args
    assert isinstance(arg, StructArg)
    expected = struct.pack("<c3xf3i4xQh6xd?7x", b"A", 1.5, 1, 5, 3, 0x1000 + 16, 7, 2.5, True)
    assert pack_arg(arg, {"data": 0x1000}) == expected
    assert [a.name for a in launch.arrays] == ["data"]


def test_braces_may_be_left_out_and_designators_may_jump() -> None:
    (launch,) = launches(f"""{GRID}
        struct Q {{ float4 a; int b[2]; int c; }};
        Q q = {{ 1, 2, 3, 4, 5, 6, 7 }};  Q r = {{ .b = {{8}}, 9, .a = {{.w = 1}} }};
        float4 f = make_float4(1, 2, 3, 4);
        Q s = {{ f, .b[1] = 2 }};
        k(q, r, s);""")
    packed = [struct.unpack("<4f3i4x", pack_arg(a, {})) for a in launch.args]
    assert packed == [(1, 2, 3, 4, 5, 6, 7), (0, 0, 0, 1, 8, 0, 9), (1, 2, 3, 4, 0, 2, 0)]


def test_scalars_of_every_width_pack_as_their_type() -> None:
    (launch,) = launches(f"""{GRID}
        half h = 1.5; __nv_bfloat16 b = 1.0039; half2 h2 = {{1, -2}}; uint8_t u = 255; long long l = -1; bool t = 3;
        k(h, b, h2, u, l, t, 2.5f, 2.5);""")
    assert b"".join(pack_arg(a, {}) for a in launch.args) == (
        struct.pack("<e", 1.5) + b"\x80\x3f" + struct.pack("<ee", 1, -2) + b"\xff" + b"\xff" * 8 + b"\1"
        + struct.pack("<f", 2.5) + struct.pack("<d", 2.5))


def test_typedefs_enums_and_type_names_as_variables() -> None:
    assert value_of("sizeof(real) * B + C + half", "typedef double real; enum { A, B = 5, C }; int half = 2;") == (
        "unsigned long", 8 * 5 + 6 + 2)
    assert value_of("n", "constexpr unsigned n = 1'000u; static const int m = 3;") == ("unsigned int", 1000)


def test_symbols_of_the_file() -> None:
    (launch,) = launches(f"""{GRID}
        extern float coef[5] = {{ -2.5f, 4.0f / 3 }};
        __constant__ int limit = 7;
        extern __device__ double table[256] = normal();
        float a[1]; k(a);""")
    assert [(s.name, s.dims, s.symbol, s.stream) for s in launch.symbols] == [
        ("coef", (5,), True, 0), ("limit", (), True, 1), ("table", (256,), True, 2)]
    assert launch.symbols[0].init.data == struct.pack("<2f", -2.5, np.float32(4) / 3)
    assert launch.symbols[1].init.data == struct.pack("<i", 7)
    assert [a.name for a in launch.arrays] == ["a"]


def test_lists_give_sizes() -> None:
    (launch,) = launches(f"{GRID} int a[] = {{1, 2, [5] = 6}}; int b[][2] = {{{{1, 2}}, {{3}}}}; k(a, b);")
    assert launch.array("a").dims == (6,)
    assert launch.array("b").dims == (2, 2)
    assert launch.array("b").init.data == struct.pack("<3i", 1, 2, 3)


def test_csr_sizes_agree() -> None:
    for rows in (1, 1000, 5000):
        (launch,) = launches(f"""{GRID} int rows = {rows}; size_t nnz = csr_nnz(rows, 0, 17);
            int start[rows + 1] = csr_rowptr(rows, 0, 17); int col[nnz + 1] = csr_colidx(rows); k(start, col);""")
        from mutate.launch.data import materialize

        starts = materialize(launch.array("start"))
        lengths = np.diff(starts)
        assert starts[0] == 0 and starts[-1] + 1 == launch.array("col").count
        assert lengths.min() >= 0 and lengths.max() <= 17


def test_files_bring_their_sizes(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.arange(12, dtype=np.float32).reshape(3, 4))
    np.savez(tmp_path / "z.npz", a=np.arange(5), b=np.ones(7, np.float16))
    (tmp_path / "raw.bin").write_bytes(bytes(24))
    (tmp_path / "größe.bin").write_bytes(bytes(8))
    text = """float v[] = file("v.npy"); float4 w[3] = file("v.npy"); long a[] = file("z.npz:a");
              half b[7] = file("z.npz:b"); double raw[] = file("raw.bin"); int g[] = file("größe.bin");
              k(v, w, a, b, raw, g);"""
    (launch,) = launches(f"{GRID} {text}", file=str(tmp_path / "k.cu"))
    assert [a.count for a in launch.arrays] == [12, 3, 5, 7, 3, 2]
    assert launch.array("a").init.key == "a"


@pytest.mark.parametrize(("text", "slug", "words"), [
    ('float v[4] = file("nothing.npy");', "launch-file", "cannot read"),
    ('float v[4] = file("d.npy");', "launch-file", "holds f8"),
    ('double v[4] = file("d.npy");', "launch-size", "24 bytes"),
    ('double v[3] = file("f.npy");', "launch-file", "Fortran"),
    ('double v[3] = file("bad.npy");', "launch-file", ".npy header"),
    ('double v[3] = file("cut.npy");', "launch-file", "header"),
    ('double v[3] = file("z.npz");', "launch-file", "z.npz:KEY"),
    ('double v[3] = file("z.npz:b");', "launch-file", "it has: a"),
    ('double v[3] = file("bad.npz:b");', "launch-file", "no readable .npz"),
    ('double v[3] = file("x.txt");', "launch-file", "none of .npy"),
    ('double v[3] = file(3);', "launch-bad-initialiser", "takes a string"),
])
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, text: str, slug: str, words: str) -> None:
    np.save(tmp_path / "d.npy", np.zeros(3))
    np.save(tmp_path / "f.npy", np.asfortranarray(np.zeros((3, 2))))
    np.savez(tmp_path / "z.npz", a=np.zeros(3))
    (tmp_path / "bad.npy").write_bytes(b"junk")
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    (tmp_path / "cut.npy").write_bytes(buffer.getvalue()[:40])
    (tmp_path / "bad.npz").write_bytes(b"junk")
    error, _ = failure(f"{GRID} {text} k(v);", file=str(tmp_path / "k.cu"))
    assert error.slug == slug
    assert words in str(error)
    assert error.where is not None and error.where.startswith(str(tmp_path / "k.cu") + ":2:")


def test_an_npz_cut_short_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "z.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", b"\x93NUMPY\x01\x00\xff\xff{'descr'")
    error, _ = failure(f'{GRID} float v[3] = file("z.npz:a"); k(v);', file=str(tmp_path / "k.cu"))
    assert error.slug == "launch-file"


def test_the_call_s_place_in_the_file() -> None:
    source = b"int x;\n/* kmutate launch\n  dim3 grid = {1}; dim3 block = {1};\n  f<2>( 1,\n   2 );\n*/"
    (launch,) = evaluate(find_declarations(source, "k.cu")[0])
    assert source[launch.span.start : launch.span.end] == b"f<2>( 1,\n   2 )"
    assert source[launch.name_span.start : launch.name_span.end] == b"f<2>"
    assert [source[a.span.start : a.span.end] for a in launch.args] == [b"1", b"2"]


def test_a_declaration_is_read_without_numpy() -> None:
    """Importing numpy alone takes longer than reading a declaration may."""
    program = """
import sys
from mutate.launch import evaluate, find_declarations
source = b"/* kmutate launch\\ndim3 grid = {1}, block = {8}; float a[8] = uniform(0, 1); k(a, csr_nnz(9, 1, 3)); */"
(launch,) = evaluate(find_declarations(source, "k.cu")[0])
assert launch.array("a").count == 8
print(*sorted({"numpy", "jinja2", "zipfile"} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
