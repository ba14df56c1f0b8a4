"""Generates kernels that compile and run: each a ``.cu`` file with one kernel and its launch declaration.

They are well defined: no two threads access the same place without a barrier between them, every index is in range,
every loop ends, integers do not overflow. What a kernel is made of depends on its seed alone.

What they compute is used, and what they store is not overwritten: dead code would be dropped by the compiler in the
original and not in a variant. ``careless`` kernels have dead code.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from generator_functions import Library, make_library
from generator_statements import Statements
from generator_values import Array, Int, Scope, Values

_SHAPES = ((32,), (64,), (128,), (96,), (16, 4), (32, 2), (16, 16), (8, 8, 2))


@dataclass(frozen=True)
class Generated:
    """``source`` with a launch declaration; ``features`` name what is in it."""

    seed: int
    source: str
    features: tuple[str, ...]


@dataclass
class _Kernel:
    """The parts of a kernel as they come to be."""

    block: tuple[int, ...]
    grid: tuple[int, ...]
    params: list[tuple[str, str]] = field(default_factory=list)
    """(declaration, argument)."""
    launch: list[str] = field(default_factory=list)
    globals: list[str] = field(default_factory=list)
    features: list[str] = field(default_factory=list)
    template: str = ""
    instance: str = ""
    smem: str = ""

    @property
    def threads(self) -> int:
        out = 1
        for d in self.block:
            out *= d
        return out

    @property
    def total(self) -> int:
        out = self.threads
        for d in self.grid:
            out *= d
        return out


def generate(seed: int, careless: bool = False) -> Generated:
    """The kernel of a seed."""
    return _Generator(random.Random(seed), careless).kernel(seed)


class _Generator:
    def __init__(self, rng: random.Random, careless: bool) -> None:
        self.v = Values(rng, careless)
        self.rng = rng

    def kernel(self, seed: int) -> Generated:
        v, rng = self.v, self.rng
        library = make_library(v)
        block = rng.choice(_SHAPES)
        grid = (rng.choice((1, 2, 3)), rng.choice((1, 2))) if len(block) > 1 else (rng.choice((1, 2, 4)),)
        k = _Kernel(block, grid)
        s, lines = self._start(k)
        self.sparse = False
        self._inputs(k, s, library)
        self._outputs(k, s, library)
        self._by_value(k, s)
        statements = Statements(v, library, k.threads, k.block, self.sparse)
        style = rng.choice(("plain", "guarded", "shared", "shared", "shared", "stride"))
        k.features.append(style)
        if style == "shared":
            lines += self._shared(k, s, statements)
        elif style == "stride":
            lines += self._stride(k, s, statements)
        elif style == "guarded":
            lines += self._guarded(k, s, statements)
        else:
            lines += ["if (gid >= n) return;"] if v.chance(0.5) else ["if (!(gid < n)) {", "    return;", "}"]
            s.ints.append(Int("gid", 0, self.n - 1))
            lines += self._locals(s) + statements.block(s, rng.randint(3, 8)) + self._finish(s, statements)
        k.features += sorted(statements.features)
        k.launch = [line.replace("SLOTS", str(max(2, statements.slots))) for line in k.launch]
        return Generated(seed, self._text(seed, k, library, lines), tuple(k.features))

    # -- what a kernel gets ---------------------------------------------------------------------------------------

    def _start(self, k: _Kernel) -> tuple[Scope, list[str]]:
        """Indices of thread and block."""
        names = ("x", "y", "z")
        ints = [Int(f"(int)threadIdx.{names[d]}", 0, size - 1) for d, size in enumerate(k.block)]
        ints += [Int(f"(int)blockIdx.{names[d]}", 0, size - 1) for d, size in enumerate(k.grid)]
        ints.append(Int("LANE", 0, 31))
        tid = ("(int)threadIdx.x", "(int)(threadIdx.y * blockDim.x + threadIdx.x)",
               "(int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)")[len(k.block) - 1]
        bid = ("(int)blockIdx.x", "(int)(blockIdx.y * gridDim.x + blockIdx.x)")[len(k.grid) - 1]
        lines = [f"const int tid = {tid};"]
        if len(k.block) == 1 and self.v.chance(0.5):
            lines.append("const int gid = blockIdx.x * blockDim.x + threadIdx.x;")
        else:
            lines.append(f"const int gid = {bid} * {k.threads} + tid;")
        ints.append(Int("tid", 0, k.threads - 1))
        self.n = k.total - (self.rng.choice((0, 1, 5, 17)) if k.total > 32 else 0)
        k.launch.append(f"int n = {self.n};")
        ints.append(Int("n", self.n, self.n))
        k.params.append(("int n", "n"))
        return Scope(ints, [], [], [], []), lines

    def _inputs(self, k: _Kernel, s: Scope, library: Library) -> None:
        rng, v = self.rng, self.v
        size = rng.choice((256, 300, 512, 1000))

        def array(declaration: str, name: str, launch: str) -> None:
            k.params.append((declaration, name))
            k.launch.append(launch)

        restrict = " __restrict__ " if v.chance(0.4) else " "
        self.restrict = restrict
        const = "volatile const" if v.chance(0.05) else "const"
        array(f"{const} float *{restrict}in", "in", f"float in[{size}] = uniform(-2, 2);")
        s.floats += [Array("in[{i}]", size), Array("*(in + {i})", size)]
        if const == "const":
            s.floats.append(Array("__ldg(&in[{i}])", size))
            s.readers += [(r.replace("{p}", rng.choice(("in", "in", "&in[0]", "(in + 4)"))), size - 8)
                          for r in library.readers]
        self.plain_input = const == "const"
        self.size = size
        reach = rng.choice((16, 100, 200))
        if v.chance(0.7):
            array("const int *idx", "idx", f"int idx[256] = randint(0, {reach});")
            s.integers.append(Array("idx[{i}]", 256, 0, reach - 1))
        if v.chance(0.3):
            array("const unsigned char *flags", "flags", "unsigned char flags[400] = randint(0, 4);")
            s.integers.append(Array("flags[{i}]", 400, 0, 3))
        if v.chance(0.35):
            array("const float4 *vec", "vec", "float4 vec[64] = uniform(-1, 1);")
            s.floats += [Array("vec[{i}].x", 64), Array("vec[{i}].w", 64),
                         Array("reinterpret_cast<const float2 *>(vec)[{i}].y", 128)]
            self.vec = True
        if v.chance(0.3):
            array(f"const double *{restrict}wide", "wide", "double wide[128] = uniform(-1, 1);")
            s.floats.append(Array("(float)wide[{i}]", 128))
        if v.chance(0.2):
            array("const __half *halves", "halves", "half halves[128] = uniform(-1, 1);")
            s.floats.append(Array("__half2float(halves[{i}])", 128))
            library.text = "#include <cuda_fp16.h>\n" + library.text
        if v.chance(0.3):
            library.text += "struct Cell { float mass; int kind; float at[2]; };\n"
            k.launch.append("struct Cell { float mass; int kind; float at[2]; };")
            array("const Cell *cells", "cells", "struct Cell cells[96] = zeros();")
            s.floats += [Array("cells[{i}].mass", 96), Array("(cells + {i})->at[1]", 96)]
            s.integers.append(Array("cells[{i}].kind", 96, 0, 0))
        if v.chance(0.2):
            library.text += "__constant__ float table[32];\n"
            k.launch.append("extern float table[32] = uniform(0, 1);")
            s.floats.append(Array("table[{i}]", 32))
        if v.chance(0.25):
            k.launch.append("int nnz = csr_nnz(64, 0, 6);")
            array("const int *rows", "rows", "int rows[65] = csr_rowptr(64, 0, 6);")
            array("const int *cols", "cols", "int cols[nnz] = csr_colidx(200);")
            array("const float *entries", "entries", "float entries[nnz] = uniform(-1, 1);")
            self.sparse = True

    def _outputs(self, k: _Kernel, s: Scope, library: Library) -> None:
        v = self.v
        place = v.rng.choice(("gid", "gid", "(n - 1 - gid)"))

        def array(declaration: str, name: str, launch: str) -> None:
            k.params.insert(v.rng.randint(0, len(k.params)), (declaration, name))
            k.launch.append(launch)

        array(f"float *{self.restrict}out", "out", "float out[SLOTS * n] = uniform(0, 1);")
        at = f"{{slot}} * n + {place}"
        s.stores += [f"out[{at}] = {{x}};", f"out[{at}] += {{x}};", f"*(out + {at}) = {{x}};"]
        s.stores += [w.format(p="out", i=at, x="{x}") + ";" for w in library.writers]
        if v.chance(0.3):
            array("float2 *pairs", "pairs", "float2 pairs[n];")
            s.stores.append(v.rng.choice(("pairs[gid] = make_float2({x}, 1.0f);", "pairs[gid].y = {x};")))
        if v.chance(0.3):
            array("double *sums", "sums", "double sums[n] = ones();")
            s.stores.append(v.rng.choice(("sums[gid] += (double)({x});", "sums[gid] = ({x}) * 2.0;")))
        if v.chance(0.3):
            array("int *marks", "marks", "int marks[n];")
            s.stores.append(v.rng.choice(("marks[gid] = ({x}) > 0.0f ? tid : -1;", "marks[gid] += ({x}) < 0.5f;",
                                          "marks[gid] |= ({x}) > 1.0f;")))
        if v.chance(0.2):
            array("float4 *quads", "quads", "float4 quads[n];")
            s.stores.append(v.rng.choice(("quads[gid] = make_float4({x}, 1.0f, 2.0f, 3.0f);", "quads[gid].z = {x};")))
        if v.chance(0.3):
            array("unsigned *hits", "hits", "unsigned hits[64];")
            # One kind in one kernel: what adding and taking the greater leave together depends on their order.
            s.counters += [(v.rng.choice(("atomicAdd(&hits[{i}], 1u);", "atomicAdd(hits + {i}, (unsigned)tid);",
                                          "atomicMax(&hits[{i}], (unsigned)tid);")), 64)]

    def _by_value(self, k: _Kernel, s: Scope) -> None:
        v = self.v
        if v.chance(0.35):
            pointer = self.plain_input and v.chance(0.5)
            member = " const float *field;" if pointer else ""
            k.globals.append(f"struct Params {{ float a, b; int steps;{member} }};")
            k.launch.append(f"struct Params {{ float a, b; int steps;{member} }};")
            k.launch.append(f"struct Params par = {{ .a = 0.5f, .b = 2, .steps = 3{', .field = in' * pointer} }};")
            k.params.append(("Params par", "par"))
            s.reals += ["par.a", "par.b"]
            s.ints.append(Int("par.steps", 3, 3))
            if pointer:
                s.floats.append(Array("par.field[{i}]", self.size))
        if v.chance(0.3):
            k.params.append(("float scale", "0.75f"))
            s.reals.append("scale")
        if v.chance(0.25):
            number = v.rng.choice((2, 4))
            k.template, k.instance = v.rng.choice((("int N", f"{number}"), ("typename T, int N", f"float, {number}")))
            s.ints.append(Int("N", number, number, True))
            if "T" in k.template:
                s.calls.append("(T)({x})")
                k.features.append("typename")

    # -- bodies ---------------------------------------------------------------------------------------------------

    def _locals(self, s: Scope) -> list[str]:
        first = self.rng.choice(s.floats)
        tid = next(i for i in s.ints if i.text == "tid")
        lines = ["float acc = 0.0f;",
                 f"float cur = {first.read.format(i='tid' if tid.hi < first.size else f'(tid % {first.size})')};"]
        s.variables += ["acc", "cur"]
        s.reals += ["acc", "cur"]
        return lines

    def _finish(self, s: Scope, st: Statements) -> list[str]:
        late = [] if self.v.careless else [f"acc += {x};" for x in s.variables if x not in ("acc", "cur")]
        return late + st.store(s, self.rng.choice(("acc + cur", "cur * acc")))

    def _first(self, s: Scope) -> None:
        s.reals += [r for r in ("0.5f",) if not s.reals]

    def _guarded(self, k: _Kernel, s: Scope, st: Statements) -> list[str]:
        self._first(s)
        inner = s.inner(uniform=False, depth=0)
        inner.ints.append(Int("gid", 0, self.n - 1))
        body = self._locals(inner) + st.block(inner, self.rng.randint(3, 8)) + self._finish(inner, st)
        return ["if (gid < n) {", *("    " + line for line in body), "}"]

    def _stride(self, k: _Kernel, s: Scope, st: Statements) -> list[str]:
        self._first(s)
        n = self.n + self.rng.choice((0, 40, 100))
        self.n = n
        k.launch[0] = f"int n = {n};"
        s.ints = [i for i in s.ints if i.text != "n"] + [Int("n", n, n)]
        inner = s.inner(uniform=False, depth=0)
        inner.ints.append(Int("gid", 0, n - 1))
        body = self._locals(inner) + st.block(inner, self.rng.randint(2, 6)) + self._finish(inner, st)
        step = "(int)(blockDim.x * gridDim.x)" if len(k.block) == 1 else str(k.total)
        return [f"for (int i = gid; i < n; i += {step}) {{", *("    " + line.replace("gid", "i") for line in body), "}"]

    def _shared(self, k: _Kernel, s: Scope, st: Statements) -> list[str]:
        self._first(s)
        lines = self._locals(s)
        stores, counters = s.stores, s.counters
        # Whoever is beyond n has no place to store to, but takes part in barriers.
        s.stores = [f"if (gid < n) {{ {text} }}" for text in stores]
        setup, k.smem = st.declare_shared(s)
        lines = setup + lines
        for _ in range(self.rng.randint(1, 3)):
            lines += st.phase(s)
            lines += st.block(s, self.rng.randint(1, 4))
        if self.v.chance(0.4):
            lines.append("if (gid >= n) return;")
            s.ints.append(Int("gid", 0, self.n - 1))
            s.stores, s.counters, s.uniform = stores, counters, False
            lines += st.block(s, self.rng.randint(1, 3))
        return lines + self._finish(s, st)

    # -- text -----------------------------------------------------------------------------------------------------

    def _text(self, seed: int, k: _Kernel, library: Library, lines: list[str]) -> str:
        launch = [f"seed({seed});", f"dim3 grid = {{ {', '.join(map(str, k.grid))} }};",
                  f"dim3 block = {{ {', '.join(map(str, k.block))} }};"]
        if k.smem:
            launch.append(f"int smem = {k.smem};")
        call = f"kernel{f'<{k.instance}>' if k.template else ''}({', '.join(a for _, a in k.params)});"
        declared = "\n".join("   " + line for line in [*launch, *k.launch, call])
        head = f"template <{k.template}>\n" if k.template else ""
        bounds = self.rng.choice(("", "", f" __launch_bounds__({k.threads})"))
        body = "\n".join("    " + line for line in lines)
        more = "".join(text + "\n" for text in k.globals)
        return (f"/* kmutate launch\n{declared}\n*/\n{library.text}{more}\n{head}__global__ void{bounds} kernel("
                f"{', '.join(d for d, _ in k.params)})\n{{\n{body}\n}}\n")
