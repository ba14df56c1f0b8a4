"""Device functions, types and macros that a generated kernel calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator_values import Scope, Values

MACROS = """#define SQUARE(x) ((x) * (x))
#define AT(p, i) (p)[(i)]
#define STORE(p, i, v) do { (p)[i] = (v); } while (0)
#define LANE ((int)(threadIdx.x & 31))
"""


@dataclass
class Library:
    """``text`` stands before the kernel. Formats: as in ``Scope``; ``readers`` take ``{p}``, a ``const float *``."""

    text: str = MACROS
    calls: list[str] = field(default_factory=lambda: ["SQUARE({x})"])
    readers: list[str] = field(default_factory=lambda: ["AT({p}, {i})"])
    """They read ``p[i]`` to ``p[i + 3]``."""
    writers: list[str] = field(default_factory=lambda: ["STORE({p}, {i}, {x})"])
    updates: list[str] = field(default_factory=list)
    """Formats with ``{a}``, a float variable, and ``{x}``."""
    fetches: list[str] = field(default_factory=list)
    """Formats with ``{p}``, ``{i}`` and two float variables ``{a}``, ``{b}``."""
    pairs: list[str] = field(default_factory=list)
    """Formats with ``{x}`` of an expression of type float2."""


def _plain(*names: str) -> Scope:
    return Scope([], list(names), [], [], [])


def _number(v: Values, *names: str) -> str:
    """An expression of parameters only."""
    a, b = (v.rng.sample(names, 2) if len(names) > 1 else names * 2)  # no argument is for nothing
    return v.rng.choice([f"{a} * 0.5f + {b}", f"fmaf({a}, {b}, 1.0f)", f"({a} - {b}) * 0.25f", f"{a} * {b} + {a}",
                         f"sqrtf(fabsf({a} + {b}))"] + [f"({a} > {b} ? {a} : {b} * 0.5f)"] * v.data_decide)


def _qualifier(v: Values) -> str:
    return v.rng.choice(("__device__", "__device__", "__device__ __forceinline__", "static __device__ inline",
                         "__host__ __device__", "__device__ __noinline__" if v.chance(0.3) else "__device__"))


def make_library(v: Values) -> Library:
    """Some functions of each kind."""
    out = Library()
    for make in (_value, _branching, _reader, _unrolled, _nested, _writer, _update, _fetch, _pair, _template, _functor):
        if v.chance(0.6) and (v.data_decide or make not in (_branching, _nested)):
            make(v, out)
    return out


def _value(v: Values, out: Library) -> None:
    name = v.name("mix")
    out.text += f"{_qualifier(v)} float {name}(float a, float b) {{ return {_number(v, 'a', 'b')}; }}\n"
    out.calls.append(f"{name}({{x}}, {{y}})")


def _branching(v: Values, out: Library) -> None:
    name = v.name("bend")
    out.text += (f"{_qualifier(v)} float {name}(float a)\n{{\n    if (a < 0.25f) return {_number(v, 'a')};\n"
                 f"    float t = a;\n    for (int q = 0; q < {v.rng.choice((2, 3, 5))}; q++) t = t * 0.5f + a;\n"
                 f"    return {_number(v, 't', 'a')};\n}}\n")
    out.calls.append(f"{name}({{x}})")


def _reader(v: Values, out: Library) -> None:
    name = v.name("fetch")
    out.text += f"{_qualifier(v)} float {name}(const float *p, int i) {{ return p[i] + p[i + 1] * 0.5f; }}\n"
    out.readers.append(f"{name}({{p}}, {{i}})")


def _unrolled(v: Values, out: Library) -> None:
    name, of = v.name("sum"), v.rng.choice((2, 3, 4))
    pragma = "#pragma unroll\n    " if v.chance(0.5) else ""
    out.text += (f"template <int N> __device__ float {name}(const float *p, int i)\n{{\n    float t = 0.0f;\n"
                 f"    {pragma}for (int q = 0; q < N; q++) t += p[i + q];\n    return t;\n}}\n")
    out.readers.append(f"{name}<{of}>({{p}}, {{i}})")


def _nested(v: Values, out: Library) -> None:
    if len(out.readers) < 2:
        return
    name = v.name("deep")
    inner = v.rng.choice(out.readers[1:]).format(p="p", i="i")
    out.text += (f"{_qualifier(v)} float {name}(const float *p, int i)\n{{\n    float t = p[i];\n"
                 f"    if (t > 0.5f) t += {inner};\n    return t * 0.5f;\n}}\n".replace("__host__ ", ""))
    out.readers.append(f"{name}({{p}}, {{i}})")


def _writer(v: Values, out: Library) -> None:
    name = v.name("stash")
    body = v.rng.choice(["p[i] = x;", "p[i] = x * 2.0f;", "p[i] += x;"] +
                        ["if (x > 0.0f) p[i] = x; else p[i] = -x;"] * v.data_decide)
    out.text += f"{_qualifier(v)} void {name}(float *p, int i, float x) {{ {body} }}\n"
    out.writers.append(f"{name}({{p}}, {{i}}, {{x}})")


def _update(v: Values, out: Library) -> None:
    name = v.name("add")
    if v.chance(0.5):
        out.text += f"{_qualifier(v)} void {name}(float &a, float x) {{ a = a * 0.5f + {_number(v, 'a', 'x')}; }}\n"
        out.updates.append(f"{name}({{a}}, {{x}})")
    else:
        out.text += f"{_qualifier(v)} void {name}(float *a, float x) {{ *a = *a * 0.5f + {_number(v, '*a', 'x')}; }}\n"
        out.updates.append(f"{name}(&{{a}}, {{x}})")


def _fetch(v: Values, out: Library) -> None:
    name = v.name("both")
    out.text += (f"{_qualifier(v)} void {name}(const float *p, int i, float &a, float &b)\n{{\n    a += p[i];\n"
                 f"    b += p[i + {v.rng.choice((1, 2, 3))}] * a;\n}}\n")
    out.fetches.append(f"{name}({{p}}, {{i}}, {{a}}, {{b}})")


def _pair(v: Values, out: Library) -> None:
    name = v.name("pair")
    out.text += f"__device__ float2 {name}(float a) {{ return make_float2(a + 0.5f, {_number(v, 'a')}); }}\n"
    out.pairs.append(f"{name}({{x}})")
    out.calls.append(f"{name}({{x}}).y")


def _template(v: Values, out: Library) -> None:
    name = v.name("twice")
    out.text += f"template <typename T> {_qualifier(v)} T {name}(T a) {{ return a + a * (T)0.5; }}\n"
    out.calls.append(v.rng.choice((f"{name}({{x}})", f"{name}<float>({{x}})", f"(float){name}<double>({{x}})")))


def _functor(v: Values, out: Library) -> None:
    name = v.name("Scale")
    out.text += (f"struct {name}\n{{\n    float a, b;\n    __device__ {name}(float x, float y) : a(x), b(y) {{}}\n"
                 "    __device__ float operator()(float x) const { return x * a + b; }\n"
                 "    __device__ float twice(float x) const { return (*this)((*this)(x)); }\n};\n")
    out.calls.append(v.rng.choice((f"{name}(0.5f, 1.0f)({{x}})", f"{name}({{y}}, 0.25f).twice({{x}})")))
