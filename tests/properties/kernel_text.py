"""Generates CUDA kernels that compile: loops, branches, shared memory, barriers, vectors, functions, macros.

They are never run, so indices may be anything; what matters is that the compiler takes every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

HEAD = """#include <cstdio>
#define SQUARE(x) ((x) * (x))
#define AT(p, i) p[(i)]
#define STORE(p, i, v) do { (p)[i] = (v); } while (0)
#define LANE (threadIdx.x & 31)
struct Cell { float mass; int kind; };
__device__ float polish(float x) { return (x * 0.5f + 1.0f) * x; }
__device__ float fetch(const float *p, int i) { return p[i] + p[i + 1] * 0.5f; }
__device__ void stash(float *p, int i, float v) { p[i] = v; }
template <typename T> __device__ T twice(T x) { return x + x; }
"""
SIGNATURE = ("__global__ void kernel(float *out, const float *__restrict__ in, float4 *vec, Cell *cells, int *idx, "
             "double *wide, int n)\n")
TAIL = """
int main()
{
    kernel<<<1, 256>>>(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0);
    printf("done // kernel\\n");
    return cudaDeviceSynchronize();
}
"""


@dataclass
class _Scope:
    """Names that are visible, and what is allowed here."""

    floats: list[str]
    ints: list[str]
    vectors: list[str] = field(default_factory=list)
    shared: bool = False
    tame: bool = False
    """No floating-point value decides an index or a branch: else no mutation may touch the shared array."""
    in_loop: bool = False
    uniform: bool = True
    depth: int = 0

    def inner(self, **changes: object) -> _Scope:
        new = replace(self, floats=[*self.floats], ints=[*self.ints], vectors=[*self.vectors], depth=self.depth + 1)
        for name, value in changes.items():
            setattr(new, name, value)
        return new


class _Writer:
    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.count = 0

    def pick(self, options: list[str]) -> str:
        return self.draw(st.sampled_from(options))

    def chance(self) -> bool:
        return self.draw(st.booleans())

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # -- expressions --------------------------------------------------------------------------------------

    def integer(self, s: _Scope, depth: int = 0) -> str:
        kinds = ["name", "literal"] + (["sum", "load", "mask", "cast", "choice"] if depth < 2 else [])
        kind = self.pick(kinds)
        if kind == "name":
            return self.pick(s.ints)
        if kind == "literal":
            return str(self.draw(st.integers(0, 64)))
        if kind == "load":
            return f"idx[{self.integer(s, depth + 1)}]"
        if kind == "mask":
            return f"(({self.integer(s, depth + 1)}) & 63)"
        if kind == "cast":
            return f"(int)in[{self.integer(s, depth + 1)}]" if s.tame else f"(int)({self.real(s, depth + 1)})"
        if kind == "choice":
            return f"({self.condition(s, depth + 1)} ? {self.integer(s, depth + 1)} : {self.integer(s, depth + 1)})"
        return f"({self.integer(s, depth + 1)} {self.pick(['+', '-', '*', '^'])} {self.integer(s, depth + 1)})"

    def condition(self, s: _Scope, depth: int = 0) -> str:
        kind = self.pick(["integer"] + ["real"] * (not s.tame) + (["and", "or", "not"] if depth < 1 else []))
        if kind == "and":
            return f"({self.condition(s, depth + 1)} && {self.condition(s, depth + 1)})"
        if kind == "or":
            return f"({self.condition(s, depth + 1)} || {self.condition(s, depth + 1)})"
        if kind == "not":
            return f"!({self.condition(s, depth + 1)})"
        if kind == "real":
            return f"({self.pick(s.floats)} > {self.real(s, 2)})"
        return f"({self.integer(s, 1)} {self.pick(['<', '>', '==', '!='])} {self.integer(s, 2)})"

    def real(self, s: _Scope, depth: int = 0) -> str:
        kinds = ["name", "literal", "load"]
        if s.vectors:
            kinds.append("member")
        if s.shared:
            kinds.append("shared")
        if depth < 3:
            kinds += ["sum", "sum", "call", "macro", "choice", "math", "ldg", "cell", "wide"]
        kind = self.pick(kinds)
        if kind == "name":
            return self.pick(s.floats)
        if kind == "literal":
            return self.pick(["0.5f", "2.0f", "1.0e-3f", "-1.0f"])
        if kind == "load":
            return f"in[{self.integer(s, depth)}]"
        if kind == "member":
            return f"{self.pick(s.vectors)}.{self.pick(['x', 'y', 'z', 'w'])}"
        if kind == "shared":
            return f"tile[({self.integer(s, depth + 1)}) & 255]"
        if kind == "call":
            return self.pick([f"polish({self.real(s, depth + 1)})", f"twice({self.real(s, depth + 1)})",
                              f"fetch(in, {self.integer(s, depth + 1)})"])
        if kind == "macro":
            return self.pick([f"SQUARE({self.real(s, depth + 1)})", f"AT(in, {self.integer(s, depth + 1)})"])
        if kind == "choice":
            return f"({self.condition(s, 1)} ? {self.real(s, depth + 1)} : {self.real(s, depth + 1)})"
        if kind == "math":
            return f"{self.pick(['sqrtf', '__expf', 'fabsf', 'sinf'])}({self.real(s, depth + 1)})"
        if kind == "ldg":
            return f"__ldg(&in[{self.integer(s, depth + 1)}])"
        if kind == "cell":
            return f"cells[{self.integer(s, depth + 1)}].mass"
        if kind == "wide":
            return f"(float)wide[{self.integer(s, depth + 1)}]"
        return f"({self.real(s, depth + 1)} {self.pick(['+', '-', '*', '/'])} {self.real(s, depth + 1)})"

    # -- statements ---------------------------------------------------------------------------------------

    def block(self, s: _Scope, least: int = 1) -> list[str]:
        lines: list[str] = []
        for _ in range(self.draw(st.integers(least, 4 if s.depth else 6))):
            lines += self.statement(s)
        return lines

    def body(self, s: _Scope) -> list[str]:
        """A statement's body, with braces or, when it is one plain statement, without."""
        if self.chance():
            return ["{", *("    " + line for line in self.block(s)), "}"]
        return ["    " + self.plain(s)]

    def plain(self, s: _Scope) -> str:
        """One statement that declares nothing."""
        value, at = self.real(s), self.integer(s, 1)
        kinds = [f"out[{at}] = {value};", f"out[{at}] += {value};", f"{self.pick(s.floats)} = {value};",
                 f"{self.pick(s.floats)} += {value};", f"stash(out, {at}, {value});", f"STORE(out, {at}, {value});",
                 f"atomicAdd(&out[{at}], {value});", f"idx[{at}]++;", f"wide[{at}] = {value} * 2.0;",
                 f"cells[{at}].mass = {value};", f"__stcs(out + {at}, {value});"]
        if s.shared:
            kinds += [f"tile[({at}) & 255] = {value};", f"tile[({at}) & 255] *= {value};"]
        if s.vectors:
            kinds += [f"vec[{at}] = {self.pick(s.vectors)};"]
        if s.in_loop:
            kinds += [f"if ({self.condition(s)}) {self.pick(['break', 'continue'])};"]
        return self.pick(kinds)

    def statement(self, s: _Scope) -> list[str]:
        kinds = ["plain", "plain", "float", "int", "vector"]
        if s.depth < 2:
            kinds += ["if", "for", "while", "do", "switch", "walk"]
        if s.shared and s.uniform and not s.in_loop:
            kinds += ["barrier", "barrier"]
        kind = self.pick(kinds)
        if kind == "plain":
            return [self.plain(s)]
        if kind == "barrier":
            return ["__syncthreads();"]
        if kind == "float":
            value, name = self.real(s), self.name("f")
            s.floats.append(name)
            return [f"float {name} = {value};"]
        if kind == "int":
            value, name = self.integer(s), self.name("k")
            s.ints.append(name)
            return [f"const int {name} = {value};"]
        if kind == "vector":
            at, name = self.integer(s), self.name("v")
            s.vectors.append(name)
            return [f"float4 {name} = vec[{at}];"]
        if kind == "walk":
            at, name, j = self.integer(s), self.name("p"), self.name("j")
            target = self.pick(s.floats)
            return [f"const float *{name} = in + {at};", f"for (int {j} = 0; {j} < n; {j}++) {target} += *{name}++;"]
        return self.nested(kind, s)

    def nested(self, kind: str, s: _Scope) -> list[str]:
        if kind == "if":
            lines = [f"if ({self.condition(s)})", *self.body(s.inner(uniform=False))]
            if self.chance():
                lines += ["else", *self.body(s.inner(uniform=False))]
            return lines
        if kind == "switch":
            return [f"switch ({self.integer(s)}) {{", f"case 0: {self.plain(s)} break;", f"case 1: {self.plain(s)}",
                    f"default: {self.plain(s)}", "}"]
        j = self.name("j")
        bound = self.pick(["n", "4", "(n / 2)", self.integer(s, 2)])
        inner = s.inner(in_loop=True, ints=[*s.ints, j])
        if kind == "for":
            pragma = ["#pragma unroll"] if self.chance() else []
            return [*pragma, f"for (int {j} = 0; {j} < {bound}; {j}++)", *self.body(inner)]
        # A continue would jump over the step of these two, so it may not stand in them.
        inner.in_loop = False
        inner.uniform = False
        lines = ["    " + line for line in self.block(inner)]
        if kind == "while":
            return [f"int {j} = 0;", f"while ({j} < {bound}) {{", *lines, f"    {j}++;", "}"]
        return [f"int {j} = 0;", "do {", *lines, f"}} while (++{j} < {bound});"]


@st.composite
def kernel_sources(draw: st.DrawFn) -> str:
    """A ``.cu`` file with one kernel called ``kernel`` and host code that launches it."""
    w = _Writer(draw)
    shared = w.pick(["yes", "yes", "no"]) == "yes"
    lines = ["const int i = blockIdx.x * blockDim.x + threadIdx.x;"]
    if shared:
        lines.append(w.pick(["__shared__ float tile[256];", "__shared__ __align__(16) float tile[256];"]))
    elif w.chance():
        lines.append("if (i >= n) return;")
    if shared and w.chance():
        lines += ["tile[threadIdx.x & 255] = in[i];", "__syncthreads();"]
    lines.append("float sum = 0.0f;")
    scope = _Scope(["sum"], ["i", "n", "(int)threadIdx.x", "(int)LANE"], shared=shared, tame=w.chance())
    lines += w.block(scope, least=2)
    lines.append(w.pick(["out[i] = sum;", "out[i] = sum * in[i];", "if (i < n) out[i] = sum;"]))
    body = "\n".join("    " + line for line in lines)
    return f"{HEAD}\n{SIGNATURE}{{\n{body}\n}}\n{TAIL}"
