"""What DRAM is asked for, where it follows from the kernel: each sector of an array once, however many blocks read it.

ncu counted the same of kernels like these on an H200 (67 MB of a stencil over 67 MB, by tiles or numbered through).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from timed_kernels import compiled

from mutate.machines import load_machine
from mutate.sim.timing.model import SimulatedTime, predict

MB = 1 << 20
KERNELS = {
    "tiles of rows": (
        "int n = 4096; dim3 grid = { n / 32, n / 8 }; dim3 block = { 32, 8 }; float out[n * n] = zeros(); "
        "float in[n * n] = uniform(0, 1); k(out, in, n);",
        "k(float *out, const float *in, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + "
        "threadIdx.y, "
        "i = y * n + x; if (x > 0 && x < n - 1 && y > 0 && y < n - 1) "
        "out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]); }", 64 * MB),
    "numbered through": (
        "int w = 4096, n = w * w; dim3 grid = { n / 256 }; dim3 block = { 256 }; float out[n] = zeros(); "
        "float in[n] = uniform(0, 1); k(out, in, w, n);",
        "k(float *out, const float *in, int w, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "if (i >= w && i < n - w) out[i] = in[i] * 2 + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]; }", 64 * MB),
    "lone sectors beside tiles": (
        "int w = 4096, h = 2048; dim3 grid = { w / 16, h / 16 }; dim3 block = { 16, 16 }; float out[w * h] = "
        "zeros(); "
        "float in[w * h] = uniform(0, 1); k(out, in, w, h);",
        "k(float *out, const float *in, int w, int h) { __shared__ float s[16][16]; int tx = threadIdx.x, "
        "ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty; float c = s[ty][tx] = in[y * w + x]; "
        "__syncthreads(); float l = tx > 0 ? s[ty][tx - 1] : in[y * w + max(x - 1, 0)], "
        "r = tx < 15 ? s[ty][tx + 1] : in[y * w + min(x + 1, w - 1)]; out[y * w + x] = c + l + r; }", 32 * MB),
    "planes, from a border on": (
        "int w = 320, h = 248, d = 124; dim3 grid = { w / 32, h / 4, d / 2 }; dim3 block = { 32, 4, 2 }; "
        "int n = w * (h + 8) * (d + 8); float out[n] = zeros(); float in[n] = uniform(0, 1); k(out, in, w, w * "
        "(h + 8));",
        "k(float *out, const float *in, int w, int plane) { int i = (blockIdx.z * 2 + threadIdx.z + 4) * plane "
        "+ (blockIdx.y * 4 + threadIdx.y + 4) * w + blockIdx.x * 32 + threadIdx.x; float s = in[i]; "
        "for (int r = 1; r <= 4; r++) s += in[i + r * w] + in[i - r * w] + in[i + r * plane] + in[i - r * plane]; "
        "out[i] = s; }", 320 * 256 * 132 * 4),
    "written and read back": (
        "int w = 4096, h = 1500; dim3 grid = { w / 64 }; dim3 block = { 64 }; float out[w * h] = zeros(); "
        "k(out, w, h);",
        "k(float *out, int w, int h) { int x = blockIdx.x * 64 + threadIdx.x; float s = x; for (int y = 0; y < "
        "h; y++) "
        "out[y * w + x] = s = s * 0.9f + y; for (int y = h - 1; y >= 0; y--) { s = s * 0.9f + out[y * w + x]; "
        "out[y * w + x] = s; } }", 0),
    "stacks of their own": (
        "int n = 16384, h = 256; dim3 grid = { n / 128 }; dim3 block = { 128 }; float stack[n * h] = zeros(); "
        "float out[n] = zeros(); k(out, stack, h);",
        "k(float *out, float *stack, int h) { const int t = blockIdx.x * 128 + threadIdx.x; float *p = stack + "
        "(size_t)t * h, s = t; unsigned drawn = t + 1; int d = 0; for (int k = 0; k < h - 1; k++) { drawn = drawn * "
        "1664525u + 1013904223u; if (d < 2 || drawn >> 31) p[d++] = s + k; else s = p[--d]; } out[t] = s; }", 0),
    "written along columns": (
        "int w = 4096, h = 3072; dim3 grid = { w / 16, h / 16 }; dim3 block = { 16, 16 }; float out[w * h] = zeros(); "
        "float in[w * h] = uniform(0, 1); k(out, in, w, h);",
        "k(float *out, const float *in, int w, int h) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + "
        "threadIdx.y; out[x * h + y] = in[y * w + x]; }", 4096 * 3072 * 4),
    "a matrix in place": (
        "int n = 4096; dim3 grid = { n / 16 - 1, n / 16 - 1 }; dim3 block = { 16, 16 }; float m[n * n] = "
        "uniform(0, 1); "
        "k(m, n);",
        "k(float *m, int n) { __shared__ float a[16][16], b[16][16]; int tx = threadIdx.x, ty = threadIdx.y, "
        "row = (blockIdx.y + 1) * 16 + ty, col = (blockIdx.x + 1) * 16 + tx; a[ty][tx] = m[row * n + tx]; "
        "b[ty][tx] = m[ty * n + col]; __syncthreads(); float s = 0; for (int k = 0; k < 16; k++) s += a[ty][k] "
        "* b[k][tx]; "
        "m[row * n + col] -= s; }", 64 * MB),
    "rows at random of a part": (
        "int rows = 1 << 20; dim3 grid = { 1056 }; dim3 block = { 256 }; float in[rows * 32] = zeros(); "
        "float out[32] = zeros(); k(out, in, (1 << 16) - 1);",
        "k(float *out, const float *in, unsigned rows) { unsigned n = (blockIdx.x * 8 + threadIdx.x / 32) * 32; "
        "float s = 0; for (int k = 0; k < 32; k++) { unsigned x = (n + k) * 0x9e3779b1u; x = (x ^ x >> 15) * "
        "0x85ebca6bu; "
        "s += in[((x ^ x >> 13) & rows) * 32 + threadIdx.x % 32]; } if (s == 1) out[threadIdx.x % 32] = s; }",
        8 * MB),
    "sums at random of a part": (
        "dim3 grid = { 528 }; dim3 block = { 256 }; float sums[1 << 24] = zeros(); k(sums, (1 << 21) - 1);",
        "k(float *sums, unsigned room) { unsigned n = (blockIdx.x * 8 + threadIdx.x / 32) * 32; for (int k = 0; k < "
        "32; k++) { unsigned x = ((n + k) * 4 + threadIdx.x % 32 / 8) * 0x9e3779b1u; x = (x ^ x >> 15) * 0x85ebca6bu; "
        "atomicAdd(sums + ((x ^ x >> 13) & room & ~7u) + threadIdx.x % 8, 1.0f); } }", 7.1 * MB),
}


def moved(found: SimulatedTime, what: str) -> float:
    """Bytes, by all SMs."""
    return 32 * found.traffic[what] * found.grid_blocks / found.blocks_per_sm


@pytest.mark.parametrize("name", KERNELS)
def test_each_sector_is_read_once(name: str, tmp_path: Path) -> None:
    declaration, body, expected = KERNELS[name]
    found = predict(*compiled(tmp_path, declaration, body), load_machine("h200"))
    # How many rows there are is guessed from those that come twice among the sampled blocks.
    beside = (4 if "random" in name else 2) * MB
    assert moved(found, "dram_read_sectors") == pytest.approx(expected, rel=0.15, abs=beside)


def test_arrays_that_are_read_at_random_share_what_l2_has_room_for(tmp_path: Path) -> None:
    """From three arrays of 24 MB each as much goes to DRAM as from one of 72."""
    declaration = ("int n = {places}; dim3 grid = {{ 1056 }}; dim3 block = {{ 128 }}; float a[n] = zeros(); "
                   "float b[n] = zeros(); float c[n] = zeros(); float out[32] = zeros(); k(out, a, b, c, n);")
    body = ("k(float *out, const float *a, const float *b, const float *c, int n) {{ unsigned t = blockIdx.x * 128 + "
            "threadIdx.x; float s = 0; for (int k = 0; k < 16; k++) {{ unsigned x = (t * 16 + k) * 0x9e3779b1u; x = "
            "(x ^ x >> 15) * 0x85ebca6bu; x ^= x >> 13; s += a[__umulhi(x, n)]; x = x * 0xc2b2ae35u + 1; s += "
            "{second}[__umulhi(x, n)]; x = x * 0x27d4eb2fu + 1; s += {third}[__umulhi(x, n)]; }} "
            "if (s == 1) out[t % 32] = s; }}")

    def read(places: int, second: str, third: str) -> float:
        kernel = declaration.format(places=places), body.format(second=second, third=third)
        return moved(predict(*compiled(tmp_path, *kernel), load_machine("h200")), "dram_read_sectors")

    together = read(18 << 20, "a", "a")
    assert read(6 << 20, "b", "c") == pytest.approx(together, rel=0.1)
    assert together > 3 * read(1 << 20, "b", "c")


def test_halves_of_64_bytes_that_far_blocks_write_are_rows_of_their_own(tmp_path: Path) -> None:
    """4 M complex doubles at bit-reversed places and in order: ncu counted 6.2 M sectors read for the first."""
    declaration = ("int bits = 22, n = 1 << bits; dim3 grid = { n / 256 }; dim3 block = { 256 }; "
                   "double2 in[n] = zeros(); double2 out[n] = zeros(); k(out, in, bits);")

    def us(place: str) -> float:
        body = ("k(double2 *out, const double2 *in, int bits) { unsigned i = blockIdx.x * 256 + threadIdx.x; "
                f"out[{place}] = in[i]; }}")
        return 1e3 * predict(*compiled(tmp_path, declaration, body), load_machine("h200")).time_ms

    assert us("__brev(i) >> (32 - bits)") > 4 * us("i")


def test_the_last_blocks_of_a_grid_have_more_of_l2(tmp_path: Path) -> None:
    """Rows of single threads, which do not all fit in L2: a sixteenth of the blocks more do not take twice as long."""
    body = ("k(int *out, const unsigned char *in) { int i = blockIdx.x * 128 + threadIdx.x; const unsigned char *p = "
            "in + (size_t)i * 160; int sum = 0; for (int k = 0; k < 16; k++) { do sum += *p; while (*p++ > 127); "
            "out[i * 32 + k] = sum; } }")

    def blocks(count: int) -> float:
        declaration = (f"int n = {count * 128}; dim3 grid = {{ n / 128 }}; dim3 block = {{ 128 }}; "
                       "int out[n * 32] = zeros(); unsigned char in[n * 160] = randint(0, 256); k(out, in);")
        return predict(*compiled(tmp_path, declaration, body), load_machine("h200")).time_ms

    assert blocks(2112) < blocks(2244) < 1.5 * blocks(2112)


SHIFTED = ("int n = 1 << 22; dim3 grid = { n / 256 }; dim3 block = { 256 }; float out[n + 32] = zeros(); "
           "float in[n + 32] = uniform(0, 1); k(out, in);",
           "k(float *out, const float *in) { int i = blockIdx.x * 256 + threadIdx.x + 1; out[i] = in[i]; }")


def test_what_two_blocks_write_of_a_sector_is_written_once(tmp_path: Path) -> None:
    larger = SHIFTED[0].replace("1 << 22", "1 << 26"), SHIFTED[1]
    found = predict(*compiled(tmp_path, *larger), load_machine("h200"))
    # Bytes by ncu of as large a copy, of which L2 keeps the last (stream<1>, 6, of tests/machines/fills.cu).
    assert moved(found, "dram_write_sectors") == pytest.approx(246.7e6, rel=0.01)


@pytest.mark.parametrize(("quads", "written"), [(1 << 20, 0.0), (1 << 23, 107.5e6), (1 << 24, 241.9e6)])
def test_what_is_stored_is_written_when_l2_needs_room(quads: int, written: float, tmp_path: Path) -> None:
    """Bytes by ncu: stream<0>, 2, 8 and 9, of tests/machines/fills.cu."""
    found = predict(*compiled(tmp_path, f"int n = {quads}; dim3 grid = {{ 1056 }}; dim3 block = {{ 256 }}; "
                              "float4 a[n] = zeros(); k(a, n);",
                              "k(float4 *a, int n) { for (int i = blockIdx.x * 256 + threadIdx.x; i < n; "
                              "i += gridDim.x * 256) a[i] = make_float4(1, 2, 3, 4); }"), load_machine("h200"))
    assert moved(found, "dram_write_sectors") == pytest.approx(written, rel=0.02)


def test_a_store_to_a_line_that_is_on_its_way_waits_for_it(tmp_path: Path) -> None:
    """rows_in_place of tests/machines/walks.cu: begun within a line, rows that are changed take 7 times as long."""
    def rows(offset: int) -> float:
        return predict(*compiled(
            tmp_path, f"float a[1 << 24] = zeros(); float b[1 << 24] = zeros(); dim3 grid = {{ 1056 }}; "
            f"dim3 block = {{ 256 }}; k(a, b, {offset});",
            "k(float *a, const float *b, int offset) { for (int r = blockIdx.x * 8 + threadIdx.x / 32; r < 16384; "
            "r += gridDim.x * 8) {\n#pragma unroll\nfor (int c = 0; c < 192; c += 32) { int i = r * 256 + c + offset + "
            "threadIdx.x % 32; a[i] += b[i]; } } }"), load_machine("h200")).time_ms

    assert rows(2) > 4.0 * rows(0)


@pytest.mark.parametrize(("dlcm", "expected"), [("ca", 20 * MB), ("cg", 24 * MB)])
def test_fermi_reads_sectors_that_are_stored_in_part_and_around_l1_those_on_their_way(
        dlcm: str, expected: float, tmp_path: Path) -> None:
    machine = load_machine("c2050")
    kernel, launch = compiled(tmp_path, *SHIFTED, arch=machine.arch)
    found = predict(replace(kernel, dlcm=dlcm), launch, machine)
    assert moved(found, "dram_read_sectors") == pytest.approx(expected, rel=0.05)
    assert moved(found, "dram_write_sectors") == pytest.approx(16 * MB, rel=0.01)


def test_fermi_has_the_rest_of_sectors_that_a_block_has_read(tmp_path: Path) -> None:
    machine = load_machine("c2050")
    in_place = (SHIFTED[0], SHIFTED[1].replace("out[i] = in[i]", "out[i] += 1"))
    found = predict(*compiled(tmp_path, *in_place, arch=machine.arch), machine)
    assert moved(found, "dram_read_sectors") == pytest.approx(16 * MB, rel=0.05)
