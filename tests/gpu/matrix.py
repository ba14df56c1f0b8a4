"""Holds products of matrices of the simulator against a real GPU, bit for bit.

    python tests/gpu/matrix.py prepare FOLDER       # here: compile the kernels for sm_90 (no GPU needed)
    python3 tests/gpu/matrix.py run FOLDER OUT.npz  # there, with CuPy: one product for each warp
    python tests/gpu/matrix.py keep OUT.npz         # here: the reference that tests/gpu/test_matrix_reference.py reads

Operands are bits that a hash makes: of few exponents, of many, with cancellation, zeros, subnormal and infinite ones.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

REFERENCE = Path(__file__).resolve().parent / "reference" / "h200_matrix.npz"
Words = npt.NDArray[np.uint32]
MODES, WARPS = 7, 4
"""Kinds of operands, and warps of each, which have a product each."""


@dataclass(frozen=True)
class Product:
    """``types`` of PTX; 32-bit registers a lane of A, B and C; how a word of A and B, and of C, is made."""

    types: str
    a: int
    b: int
    c: int
    elements: str
    sums: str

    @property
    def kernel(self) -> str:
        """A kernel that has one such product for each warp, all operands from and to memory."""
        double = self.sums == "f64"
        word, letter = ("double", "d") if double else ("unsigned", "r")
        a, b, c = (n // 2 if double else n for n in (self.a, self.b, self.c))

        def names(first: int, count: int) -> str:
            return "{" + ", ".join(f"%{first + k}" for k in range(count)) + "}"

        text = f"{names(0, c)}, {names(c, a)}, {names(c + a, b)}, {names(c + a + b, c)};"
        outs = ", ".join(f'"={letter}"(d[{k}])' for k in range(c))
        given = ", ".join(f'"{letter}"({of}[{k}])' for of, n in (("x", a), ("y", b), ("z", c)) for k in range(n))
        reads = " ".join(f"for (int k = 0; k < {n}; k++) {to}[k] = {of}[t * {n} + k];"
                         for to, of, n in (("x", "a", a), ("y", "b", b), ("z", "c", c)))
        return (f'extern "C" __global__ void k({word} *out, const {word} *a, const {word} *b, const {word} *c)\n{{\n'
                f"    {word} d[{c}], x[{a}], y[{b}], z[{c}];\n    int t = blockIdx.x * 32 + threadIdx.x;\n    {reads}\n"
                f'    asm volatile("mma.sync.aligned.{self.types} {text}" : {outs} : {given});\n'
                f"    for (int k = 0; k < {c}; k++) out[t * {c} + k] = d[k];\n}}\n")

    def source(self, folder: Path | str) -> str:
        """With a launch that takes its operands from files of a folder."""
        word, size = ("double", 2) if self.sums == "f64" else ("unsigned", 1)
        lanes = 32 * MODES * WARPS
        arrays = " ".join(f'{word} {name}[{lanes * n // size}] = file("{folder}/{name}.bin");'
                          for name, n in (("a", self.a), ("b", self.b), ("c", self.c)))
        return (f"/* kmutate launch\n   dim3 grid = {{ {MODES * WARPS} }}; dim3 block = {{ 32 }};\n   {arrays}\n"
                f"   {word} out[{lanes * self.c // size}] = zeros();\n"
                f"   k(out, a, b, c);\n*/\n{self.kernel}")


def _integers(types: str, a: int, b: int, c: int, saturate: bool = False) -> Product:
    shape, kinds = types.split(" ")
    more = ".and.popc" if kinds.startswith("b1") else ""
    return Product(f"{shape}.row.col{'.satfinite' * saturate}.s32.{kinds}.s32{more}", a, b, c, "word",
                   "word" if saturate else "small")


PRODUCTS = {
    "f16_f32": Product("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "f16", "f32"),
    "f16_f16": Product("m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "f16", "f16"),
    "bf16_f32": Product("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "bf16", "f32"),
    "f16_f32_8": Product("m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "f16", "f32"),
    "f16_f16_8": Product("m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, "f16", "f16"),
    "bf16_f32_8": Product("m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, "bf16", "f32"),
    "tf32_4": Product("m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, "f32", "f32"),
    "tf32_8": Product("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "f32", "f32"),
    "s8_32": _integers("m16n8k32 s8.s8", 4, 2, 4),
    "s8_32_sat": _integers("m16n8k32 s8.s8", 4, 2, 4, True),
    "u8_s8_32": _integers("m16n8k32 u8.s8", 4, 2, 4),
    "s8_u8_16": _integers("m16n8k16 s8.u8", 2, 1, 4),
    "u8_8x8_sat": _integers("m8n8k16 u8.u8", 1, 1, 2, True),
    "s8_8x8": _integers("m8n8k16 s8.s8", 1, 1, 2),
    "s4_64": _integers("m16n8k64 s4.s4", 4, 2, 4),
    "b1_256": _integers("m16n8k256 b1.b1", 4, 2, 4),
    "b1_128": _integers("m16n8k128 b1.b1", 2, 1, 4),
    "f64_8x8": Product("m8n8k4.row.col.f64.f64.f64.f64", 2, 2, 4, "f64", "f64"),
    "f64_4": Product("m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 8, "f64", "f64"),
    "f64_8": Product("m16n8k8.row.col.f64.f64.f64.f64", 8, 4, 8, "f64", "f64"),
    "f64_16": Product("m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 8, "f64", "f64"),
}


def hashed(count: int, seed: int) -> npt.NDArray[np.uint64]:
    """splitmix64 of 0, 1, ... and a seed (Steele et al., 2014)."""
    x = (np.arange(count, dtype=np.uint64) + np.uint64(seed << 32)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ x >> np.uint64(shift)) * np.uint64(factor)
    return x ^ x >> np.uint64(31)


# Bits of the exponent and of the mantissa, and the exponents' bias.
_FORMATS = {"f16": (5, 10, 15), "bf16": (8, 7, 127), "f32": (8, 23, 127), "f64": (11, 52, 1023)}


def _floats(kind: str, count: int, mode: int, seed: int) -> npt.NDArray[np.uint64]:
    """Bits of floats. ``mode``: 0 near 1, 1 to 2 farther apart, 3 short mantissas (sums that cancel), 4 special ones,

    5 mostly zero, 6 all exponents.
    """
    exponents, mantissa, bias = _FORMATS[kind]
    top = (1 << exponents) - 1
    random = hashed(count, seed)
    pick = hashed(count, seed + 1)
    reach = {0: 1, 1: 4, 2: min(12, bias - 2), 3: 2, 4: 4, 5: 1, 6: min(bias - 2, 40 if kind != "f64" else 900)}[mode]
    exponent = (pick % np.uint64(2 * reach + 1)).astype(np.int64) - reach + bias
    bits = random & np.uint64((1 << mantissa) - 1)
    if mode == 3:
        bits &= np.uint64(((1 << mantissa) - 1) ^ ((1 << (mantissa - 2)) - 1))
    bits |= exponent.astype(np.uint64) << np.uint64(mantissa)
    chance = pick >> np.uint64(32) & np.uint64(1023)
    if mode == 4:
        for low, high, value in ((0, 4, top << mantissa), (4, 6, top << mantissa | 1 << (mantissa - 1)), (6, 100, 0)):
            bits[(chance >= low) & (chance < high)] = value
        bits[chance > 800] &= np.uint64((1 << mantissa) - 1)
    if mode == 5:
        bits[chance > 120] = 0
    return bits | (random >> np.uint64(63)) << np.uint64(exponents + mantissa)


def words(kind: str, count: int, mode: int, seed: int) -> Words:
    """``count`` registers, by what is in them."""
    if kind in ("word", "small"):
        return (hashed(count, seed) & np.uint64(0xFFFFFFFF if kind == "word" else 0xFFFFF)).astype(np.uint32)
    if kind == "f64":
        return _floats(kind, count // 2, mode, seed).view(np.uint32)
    if kind == "f32":
        return _floats(kind, count, mode, seed).astype(np.uint32)
    return _floats(kind, 2 * count, mode, seed).astype(np.uint16).view(np.uint32)


def operands(name: str) -> tuple[Words, Words, Words]:
    """A, B and C of all warps of a product's kernel, as the lanes have them."""
    p = PRODUCTS[name]
    seed = 100 * [*PRODUCTS].index(name)
    found = [np.concatenate([words(kind, 32 * WARPS * n, mode, seed + 10 * mode + 3 * k) for mode in range(MODES)])
             for k, (kind, n) in enumerate(((p.elements, p.a), (p.elements, p.b), (p.sums, p.c)))]
    return found[0], found[1], found[2]


def prepare(folder: Path) -> None:
    from mutate.toolchain.nvrtc import Compiled, Job, compile_many
    from mutate.toolchain.options import CompileOptions

    folder.mkdir(parents=True, exist_ok=True)
    jobs = [Job(p.kernel.encode(), "matrix.cu", "k", CompileOptions(arch="sm_90")) for p in PRODUCTS.values()]
    for name, result in zip(PRODUCTS, compile_many(jobs), strict=True):
        if not isinstance(result, Compiled):
            raise SystemExit(f"{name}: {result}")
        (folder / f"{name}.cubin").write_bytes(result.cubin)


def run(folder: Path, out: Path) -> None:
    import cupy as cp

    found = {}
    for name in PRODUCTS:
        a, b, c = (cp.asarray(x) for x in operands(name))
        d = cp.zeros_like(c)
        cp.RawModule(path=str(folder / f"{name}.cubin")).get_function("k")((MODES * WARPS,), (32,), (d, a, b, c))
        found[name] = d.get()
    np.savez_compressed(out, **found)


def main() -> None:
    what, *paths = sys.argv[1:]
    if what == "prepare":
        prepare(Path(paths[0]))
    elif what == "run":
        run(Path(paths[0]), Path(paths[1]))
    else:
        REFERENCE.write_bytes(Path(paths[0]).read_bytes())


if __name__ == "__main__":
    main()
