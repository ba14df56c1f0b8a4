"""Kernels that between them use every type, access, function and statement that a mutation must cope with.

What a kernel's variants must be is told by the words in it (no ``__syncthreads``: no-sync is refused, and so on);
``refused`` and ``retained`` say where a case differs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FP16 = "#include <cuda_fp16.h>\n"
BF16 = "#include <cuda_bf16.h>\n"
VALUES = ("memory-only", "load-only", "store-only", "math-only")
SCALE = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


@dataclass(frozen=True)
class Case:
    """``kernel``: which kernel of the source. ``refused``: mutation -> slug, beyond what the words in the source say.

    ``retained``: loads that math-only keeps, because control flow or an index depends on them.
    """

    name: str
    source: str
    kernel: str = "k"
    refused: dict[str, str] = field(default_factory=dict)
    retained: bool = False
    instances: tuple[str, ...] = ()


def _axpy(type_: str, expression: str, head: str = "") -> str:
    return (f"{head}__global__ void k({type_} *out, const {type_} *in, const {type_} *more, int n) {{\n{SCALE}"
            f"    {type_} a = in[i], b = more[i];\n    if (i < n) out[i] = {expression};\n}}\n")


_SCALARS = {t: f"({t})(a * b + a)" for t in (
    "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long long",
    "unsigned long long", "float", "double")}
_VECTORS = {
    "float2": "make_float2(a.x * b.x, a.y + b.y)",
    "float4": "make_float4(a.x * b.x, a.y + b.y, a.z - b.z, a.w * b.x)",
    "double2": "make_double2(a.x * b.x, a.y + b.y)",
    "int4": "make_int4(a.x * b.x, a.y + b.y, a.z - b.z, a.w * b.x)",
    "uchar4": "make_uchar4(a.x * b.x, a.y + b.y, a.z - b.z, a.w * b.x)",
    "ulonglong2": "make_ulonglong2(a.x * b.x, a.y + b.y)",
}

TYPES = [
    *(Case(t.replace(" ", "_"), _axpy(t, e)) for t, e in {**_SCALARS, **_VECTORS}.items()),
    Case("bool", _axpy("bool", "a != b")),
    Case("half", _axpy("half", "__hfma(a, b, a)", FP16)),
    Case("half2", _axpy("half2", "__hfma2(a, b, a)", FP16)),
    Case("bfloat16", _axpy("__nv_bfloat16", "__hfma(a, b, a)", BF16)),
    Case("struct", _axpy("Particle", "Particle{a.x * b.x, a.y + b.y, a.id - b.id}",
                         "struct Particle { float x, y; int id; };\n")),
    Case("struct_of_float4", _axpy(
        "Body", "Body{make_float4(a.p.x * b.p.x, b.p.y * a.p.y, a.p.z * b.p.z, b.p.w + a.p.w), a.m * b.m, a.w + b.w}",
        "struct Body { float4 p; double m, w; };\n")),
    Case("enum_and_typedef", _axpy("real", "a * b + one", "typedef double real;\nenum { one = 1 };\n")),
    Case("struct_members", """
struct Cell { float mass; float4 p; int kind; };
__global__ void k(Cell *out, const Cell *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Cell *c = in + i;
    out[i].mass = c->mass * c->p.x;
    (out + i)->p.y = in[i].p.w + 1.0f;
}
"""),
    Case("struct_by_value", """
struct Args { float *out; const float *in; int n; };
__global__ void k(Args args) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < args.n) args.out[i] = 2.0f * args.in[i];
}
"""),
]

ACCESSES = [
    Case("array_of_pointers", """
struct Many { float *p[4]; };
__global__ void k(Many many, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *q[2] = { many.p[0], many.p[1] };
    q[0][i] = in[i] * 3.0f;
    many.p[3][i] = in[i + 1] + 1.0f;
}
"""),
    Case("volatile", """
__global__ void k(volatile float *out, const volatile float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 2.0f + in[i];
}
"""),
    Case("const_restrict", """
__global__ void k(float *__restrict__ out, const float *__restrict__ in, const double *__restrict__ w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * (float)w[i];
}
"""),
    Case("loads_behind_stores", """
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *m = in + 4 * i;
    float *o = out + 4 * i;
    o[0] = m[1] * m[2] - m[3];
    o[1] = m[0] * m[2] - m[3];
    o[2] = m[0] * m[1] - m[3];
    o[3] = m[0] * m[1] - m[2];
}
"""),
    Case("sums_in_memory", """
__global__ void k(int n, float *a, float *b, float *t, float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        t[i] += a[i * n + j] * x[j];
        y[i] += b[i * n + j] * x[j];
    }
}
"""),
    Case("load_intrinsics", """
__global__ void k(float *out, const float *in, const float4 *v, const int *w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = __ldg(&in[i]) * __ldg(in + i + 1);
    float4 b = __ldcg(v + i);
    int c = __ldcs(&w[i]);
    out[i] = a * b.x + b.y * b.z + b.w * c;
}
"""),
    Case("store_intrinsics", """
__global__ void k(float *out, float4 *v, int *w, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i];
    __stcs(out + i, a * 2.0f);
    __stcg(&v[i], make_float4(a, a * a, a + a, 1.0f));
    __stwt(w + i, (int)a);
}
"""),
    Case("atomics_used", """
__global__ void k(int *out, int *n, unsigned *u, float *f, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    int a = atomicAdd(n, v) + atomicExch(n + 1, v * 2) + atomicCAS(n + 2, v, v + 1);
    unsigned b = atomicMax(u, (unsigned)v) ^ atomicInc(u + 1, 7u);
    float c = atomicExch(f, v * 0.5f);
    out[i] = a + (int)b + (int)c;
}
"""),
    Case("atomics_unused", """
__global__ void k(float *f, int *n, unsigned *u, unsigned long long *l, double *d, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i];
    atomicAdd(f + i, v * 0.5f);
    atomicAdd(d, v * 0.5);
    atomicSub(n, v);
    atomicMin(n + 1, v);
    atomicMax(n + 2, v * v);
    atomicAnd(u, (unsigned)v);
    atomicOr(u + 1, (unsigned)v);
    atomicXor(u + 2, (unsigned)v);
    atomicInc(u + 3, 100u);
    atomicDec(u + 4, 100u);
    atomicAdd(l, (unsigned long long)v);
}
"""),
    Case("atomic_cas_loop", """
__global__ void k(unsigned long long *sum, const double *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long old = *sum, assumed;
    do {
        assumed = old;
        old = atomicCAS(sum, assumed, __double_as_longlong(in[i] + __longlong_as_double(assumed)));
    } while (assumed != old);
}
""", retained=True),
    Case("compound_assignment", """
__global__ void k(float *f, int *n, unsigned char *b, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    f[i] += in[i];
    f[i + 1] *= 2.0f;
    n[i] <<= 2;
    n[i + 1] %= 7;
    b[i] |= 3;
    b[i + 1] ^= 5;
}
"""),
    Case("increments", """
__global__ void k(int *n, float *f, unsigned char *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    n[i]++;
    --n[i + 1];
    ++f[i];
    b[i]--;
    f[i + 1] = n[i + 2]++ * 0.5f;
}
"""),
    Case("comma_and_chains", """
__global__ void k(float *a, float *b, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i] = in[i] * 2.0f;
    float x, y;
    x = in[i + 1], y = in[i + 2], a[i + 1] = x * y;
    for (int j = 0, m = 4; j < m; j++, m--) b[i + j] = in[j] + x;
}
"""),
    Case("conditional_loads", """
__global__ void k(float *out, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? a[i] : 0.0f;
    float y = (i & 1) ? a[i + 1] : b[i + 1];
    out[i] = x > 0.5f ? x * y : y;
}
"""),
    Case("short_circuit_loads", """
__global__ void k(float *out, const float *a, const int *m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && m[i] > 0) out[i] = a[i] * 2.0f;
    if (i >= n || m[i + 1] < 3) out[i + 1] = 1.0f;
}
""", retained=True),
    Case("walking_pointers", """
__global__ void k(float *out, const float *in, int n) {
    const float *p = in + threadIdx.x * n;
    float *q = out + threadIdx.x * n;
    for (int j = 0; j < n; j++) *q++ = *p++ * 2.0f;
    for (const float *r = in; r != in + 4; ++r) *--q = *r;
}
"""),
    Case("references", """
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float &o = out[i];
    const float &x = in[i];
    o = x * x;
    auto &p = out[i + 1];
    p += x;
}
"""),
    Case("reinterpreted", """
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = reinterpret_cast<const float4 *>(in)[i];
    v.x *= v.y; v.z += v.w;
    reinterpret_cast<float4 *>(out)[i] = v;
    *((int2 *)out + i + 1) = make_int2((int)v.x, 3);
}
"""),
    Case("indirect", """
__global__ void k(float *out, const float *in, const int *map) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[map[i]] = in[map[map[i + 1]]] * 2.0f;
}
"""),
    Case("pointer_to_pointer", """
__global__ void k(float **rows, const float *const *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rows[blockIdx.y][i] = in[blockIdx.y][i] * 2.0f;
}
"""),
    Case("two_dimensional_parameter", """
__global__ void k(float (*out)[64], const float in[][64]) {
    out[blockIdx.x][threadIdx.x] = in[blockIdx.x][63 - threadIdx.x] * 2.0f;
}
"""),
    Case("constant_and_device_data", """
__constant__ float weights[16];
__device__ float table[256];
__device__ int counter;
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weights[threadIdx.x & 15] + table[threadIdx.x];
    table[threadIdx.x] = 1.0f;
    counter = i;
}
"""),
    Case("local_arrays", """
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r[8];
    #pragma unroll
    for (int j = 0; j < 8; j++) r[j] = in[8 * i + j];
    for (int j = 1; j < 8; j++) r[j] += r[j - 1] * 0.5f;
    for (int j = 0; j < 8; j++) out[8 * i + j] = r[7 - j];
}
"""),
]

FUNCTIONS = [
    Case("reference_parameters", """
__device__ void fetch(const float *p, int i, float &a, float &b) { a = p[i]; b = p[i + 1] * 2.0f; }
__device__ void add(float &to, float v) { to += v; }
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a, b;
    fetch(in, i, a, b);
    add(out[i], a * b);
}
"""),
    Case("references_to_arrays", """
__device__ void one(float *out, const float (&h)[4], int i) { out[i] = h[i & 3]; }
__device__ void two(float *out, const float2 (&h)[2][3], int i) { out[i] = h[i & 1][2].x + h[0][i % 3].y; }
__device__ void three(float *out, float const (&h)[2][3][2], int i) { out[i] = h[i & 1][2][0] + h[0][i % 3][1]; }
__device__ void pointed(float *out, const float (*h)[3], int i) { out[i] = h[i & 1][2]; }
__device__ void decayed(float *out, const float h[][3], int i) { out[i] = h[i & 1][i % 3]; }
__device__ void moved(float *out, float (&&h)[3], int i) { out[i] = h[i % 3]; }
template <class T, int N> __device__ void any(float *out, const T (&h)[N], int i) { out[i] = h[i % N]; }
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a[4], rows[2][3], cells[2][3][2];
    float2 pairs[2][3];
    for (int j = 0; j < 2; j++) for (int l = 0; l < 3; l++) {
        float x = in[6 * i + 3 * j + l];
        a[j + l] = rows[j][l] = cells[j][l][0] = cells[j][l][1] = x;
        pairs[j][l] = make_float2(x, 1.0f);
    }
    const auto put = [&](const float (&h)[2][3], int at) { out[at] = h[at & 1][1]; };
    one(out, a, i);
    two(out + n, pairs, i);
    three(out + 2 * n, cells, i);
    pointed(out + 3 * n, rows, i);
    decayed(out + 4 * n, rows, i);
    moved(out + 5 * n, {a[1], a[2], a[3]}, i);
    any(out + 6 * n, a, i);
    any<float, 4>(out + 7 * n, a, i);
    put(rows, i + 8 * n);
}
"""),
    Case("references_to_objects", """
typedef float Row[3];
struct Rows { Row of[2]; };
struct Number {
    float of[2];
    Number() = default;
    template <class T> __device__ Number(const T &x) : of{(float)x, 0.0f} {}
};
__device__ void holding(float *out, const Rows &h, int i) { out[i] = h.of[i & 1][2]; }
__device__ void held(float *out, const Rows (&h)[2], int i) { out[i] = h[i & 1].of[1][i % 3]; }
__device__ void named(float *out, const Row &h, int i) { out[i] = h[i % 3]; }
__device__ void made(float *out, const Number &h, int i) { out[i] = h.of[i & 1]; }
__device__ void moved(float *out, float &&h, int i) { out[i] = h; }
__device__ void walked(float *out, const float *&h, int i) { out[i] = *h++; }
__device__ void shown(float *out, const volatile float &h, int i) { out[i] = h; }
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Rows rows[2];
    for (int j = 0; j < 12; j++) rows[j / 6].of[j / 3 % 2][j % 3] = in[12 * i + j];
    Number number = rows[1].of[0][0];
    const float *p = rows[0].of[0];
    holding(out, rows[0], i);
    held(out + n, rows, i);
    named(out + 2 * n, rows[0].of[1], i);
    made(out + 3 * n, number, i);
    moved(out + 4 * n, number.of[0] * 2.0f, i);
    walked(out + 5 * n, p, i);
    shown(out + 6 * n, number.of[1], i);
}
"""),
    Case("returned_references", """
struct View {
    float *p;
    __device__ auto operator[](int i) const -> float & { return p[i]; }
};
__device__ auto place(float *p, int i) -> float & { return p[3 * i]; }
__device__ auto twice(float *out, float x, int i) -> void { out[i] = 2.0f * x; }
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    View view{out};
    view[i] = in[i];
    place(out, i + n) = in[i + 1] * 2.0f;
    twice(out + 4 * n, in[i + 2], i);
}
"""),
    Case("returned_arrays", """
__device__ float (&row(float (*p)[3], int i))[3] { return p[i]; }
__global__ void k(float (*out)[3], const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    row(out, i)[1] = in[i];
}
""", refused={"load-only": "store-read-back"}),
    Case("function_pointers", """
typedef float (*Operation)(float, float);
__device__ float plus(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
__device__ Operation table[2] = { plus, times };
template <float (*F)(float, float)> __device__ float by_value(float a, float b) { return F(a, b); }
template <class F> __device__ float by_type(F f, float a, float b) { return f(a, b); }
struct Scaled { float by; __device__ float operator()(const float &a, const float &b) const { return a * by + b; } };
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Operation f = n & 1 ? plus : times;
    Scaled scaled{2.0f};
    float x = f(in[i], in[i + 1]) + (*f)(in[i + 2], 3.0f) + by_value<plus>(in[i + 3], 1.0f);
    out[i] = x + by_type(times, in[i + 4], x) + by_type(scaled, in[i + 5], x) + scaled(in[i + 6], x);
}
"""),
    Case("table_of_functions", """
typedef float (*Operation)(float, float);
__device__ float plus(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
__device__ Operation table[2] = { plus, times };
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[n & 1](in[i], in[i + 1]);
}
""", retained=True),
    Case("pointer_to_a_function_that_loads", """
__device__ float weights[64];
__device__ float weighted(float a, float b) { return a * weights[threadIdx.x & 63] + b; }
__device__ float times(float a, float b) { return a * b; }
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float (*f)(float, float) = n & 1 ? weighted : times;
    out[i] = f(in[i], in[i + 1]);
}
""", refused=dict.fromkeys(VALUES, "indirect-call")),
    Case("accessor", """
struct Matrix { float *p; int n; __device__ float &operator()(int i, int j) const { return p[i * n + j]; } };
__global__ void k(float *out, Matrix a) { out[threadIdx.x] = a(threadIdx.x, 1) * 2.0f; }
"""),
    Case("pointer_to_a_function_with_a_barrier", """
__shared__ float s[128];
__device__ float turned(float a) { s[threadIdx.x] = a; __syncthreads(); return s[127 - threadIdx.x]; }
__device__ float same(float a) { return a; }
__global__ void k(float *out, const float *in, int n) {
    float (*f)(float) = n & 1 ? turned : same;
    out[threadIdx.x] = f(in[threadIdx.x]);
}
""", refused=dict.fromkeys(("no-sync", "smem-conflict-free", "smem-broadcast"), "indirect-call")),
    Case("function_templates", """
template <typename T, int N> __device__ T sum(const T *p) {
    T s = T(0);
    for (int j = 0; j < N; j++) s += p[j];
    return s;
}
template <typename T> __device__ inline void put(T *p, int i, T v) { p[i] = v; }
__global__ void k(float *out, int *n, const float *f, const int *m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    put(out, i, sum<float, 4>(f + i));
    put<int>(n, i, sum<int, 3>(m + i));
}
"""),
    Case("shared_and_global_pointers", """
__device__ float twice(const float *p, int i) { return 2.0f * p[i]; }
__global__ void k(float *out, const float *in) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = twice(s, 255 - threadIdx.x) + twice(in, i + 1);
}
"""),
    Case("arithmetic_functions", """
__device__ __forceinline__ float poly(float x) { return ((x * 2.0f + 1.0f) * x - 3.0f) * x; }
__device__ float gauss(float x) { return expf(-x * x) * rsqrtf(poly(x) + 4.0f); }
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = gauss(in[i]) + poly(in[i + 1]);
}
"""),
    Case("overloads", """
__device__ float get(const float *p, int i) { return p[i]; }
__device__ double get(const double *p, int i) { return p[i] * 2.0; }
__device__ float get(float x) { return x * x; }
__global__ void k(float *out, const float *f, const double *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = get(f, i) + (float)get(d, i) + get(1.5f);
}
"""),
    Case("nested_functions", """
__device__ float inner(const float *p) { return *p; }
__device__ float outer(const float *p, int n) { return inner(p) + inner(p + n) * 0.5f; }
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = outer(in + i, n);
}
"""),
    Case("barrier_in_a_function", """
__device__ float reduce(float *s, float v) {
    s[threadIdx.x] = v;
    __syncthreads();
    float r = s[threadIdx.x ^ 1] + s[threadIdx.x ^ 2];
    __syncthreads();
    return r;
}
__global__ void k(float *out, const float *in) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = reduce(s, in[i]) + reduce(s, in[i + 1]);
}
"""),
    Case("kernel_template", """
template <typename T, int B> __global__ void k(T *out, const T *in) {
    __shared__ T s[B];
    s[threadIdx.x] = in[blockIdx.x * B + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * B + threadIdx.x] = s[B - 1 - threadIdx.x] * T(2);
}
""", instances=("k<double, 128>",)),
    Case("extern_c", """
extern "C" __global__ __launch_bounds__(128) void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * in[i];
}
"""),
    Case("namespaces", """
namespace physics { namespace detail {
__device__ float scale(const float *p, int i) { return 3.0f * p[i]; }
}
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = detail::scale(in, i);
}
}
""", kernel="physics::k"),
    Case("macros", """
#define AT(p, y, x) p[(y) * 64 + (x)]
#define SQUARE(x) ((x) * (x))
#define STORE(i, v) do { out[i] = (v); } while (0)
__global__ void k(float *out, const float *in) {
    int x = threadIdx.x, y = blockIdx.x;
    float v = SQUARE(AT(in, y, x)) + AT(in, y + 1, x);
    STORE(y * 64 + x, v);
}
"""),
    Case("struct_methods", """
struct Complex { float re, im; __device__ float norm() const { return re * re + im * im; } };
__device__ Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
__global__ void k(float *out, const Complex *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (in[i] * in[i + 1]).norm();
}
"""),
]

STATEMENTS = [
    Case("early_return", """
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    if (i == 7) { out[i] = 0.0f; return; }
    out[i] = x * x;
}
"""),
    Case("grid_stride", """
__global__ void k(float *out, const float *in, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        out[i] = 2.0f * in[i];
}
"""),
    Case("switch", """
__global__ void k(float *out, const float *in, int mode) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (mode) {
        case 0: out[i] = in[i]; break;
        case 1:
        case 2: { float x = in[i + 1]; out[i] = x * x; break; }
        default: out[i + 1] = in[i] * 2.0f;
    }
}
"""),
    Case("do_while", """
__global__ void k(float *out, const float *in, int n) {
    int i = threadIdx.x;
    float s = 0.0f;
    do {
        s += in[i];
        i += 32;
    } while (i < n);
    while (i > n) { i -= 64; s *= 0.5f; }
    out[threadIdx.x] = s;
}
"""),
    Case("goto", """
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
again:
    s += in[i];
    i += 128;
    if (i < n) goto again;
    out[threadIdx.x] = s;
}
"""),
    Case("break_and_continue", """
__global__ void k(float *out, const float *in, int n) {
    float s = 0.0f;
    for (int j = threadIdx.x; ; j += 32) {
        if (j >= n) break;
        if (j % 3 == 0) continue;
        s = s * 0.5f + in[j];
    }
    out[threadIdx.x] = s;
}
"""),
    Case("loaded_bound", """
__global__ void k(float *out, const float *in, const int *rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int j = rows[i]; j < rows[i + 1]; j++) s += in[j] * in[j];
    out[i] = s;
}
""", retained=True),
    Case("searched", """
__device__ int find(const int *keys, int n, int key) {
    int low = 0;
    for (int step = n / 2; step > 0; step /= 2) {
        int at = min(low + step, n);
        if (at < n && keys[at - 1] <= key) low = at;
    }
    return low;
}
__global__ void k(int *out, const int *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i * 4;
    out[i + n] = find(keys + n, n, keys[i * 4]);
}
""", retained=True),
    Case("compared", """
__global__ void k(char *fail, const double2 *a, const double2 *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double2 mine[4], other[4];
    for (int j = 0; j < 4; j++) mine[j] = a[i + j * 64];
    for (int j = 0; j < 4; j++) other[j] = b[i + j * 64];
    for (int j = 0; j < 4; j++) if (mine[j].x != other[j].x || mine[j].y != other[j].y) *fail = 1;
}
""", retained=True),
    Case("chased", """
__global__ void k(int *out, const int *next, int steps) {
    int at = threadIdx.x;
    for (int j = 0; j < steps; j++) at = next[at];
    out[threadIdx.x] = at;
}
"""),
    Case("linked_list", """
struct Cell { Cell *next; int value; };
__global__ void k(int *out, Cell *const *heads) {
    int s = 0;
    for (const Cell *c = heads[threadIdx.x]; c; c = c->next) s++;
    out[threadIdx.x] = s;
}
""", retained=True),
    Case("stored_and_tested", """
__global__ void k(float *out, int *index, int n) {
    int i = threadIdx.x;
    index[i] = i * 2;
    if (index[n] > 9) out[i] = 1.0f;
}
""", retained=True, refused={"load-only": "store-read-back"}),
    Case("stored_and_waited_for", """
__global__ void k(float *x, int *flag, int n) {
    while (flag[0] < n) { x[threadIdx.x] *= 2.0f; flag[0] = flag[0] + 1; }
}
""", refused={"load-only": "store-read-back", "math-only": "store-read-back"}),
    Case("updated_and_tested", """
__global__ void k(float *out, int *index, int n) {
    int i = threadIdx.x;
    if (index[n] > 9) out[i] = 1.0f;
    for (int j = i; j < n; j++) index[21]++;
}
""", retained=True, refused={"load-only": "store-read-back"}),
    Case("ptx_of_gemms", """
__device__ __forceinline__ void ldg(float &reg, const void *ptr, bool guard) {
    asm volatile("{.reg .pred p;\\n setp.ne.b32 p, %2, 0;\\n mov.b32 %0, 0;\\n"
                 " @p ld.global.nc.f32 %0, [%1];}\\n" : "=f"(reg) : "l"(ptr), "r"((int)guard));
}
__device__ __forceinline__ void ldg4(float4 &v, const float *ptr) {
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(ptr));
}
__device__ __forceinline__ void stg(const float &reg, void *ptr, bool guard) {
    asm volatile("{.reg .pred p;\\n setp.ne.b32 p, %2, 0;\\n @p st.global.f32 [%0], %1;}\\n"
                 : : "l"(ptr), "f"(reg), "r"((int)guard));
}
__device__ __forceinline__ void sts(const float &reg, unsigned at) {
    asm volatile("st.shared.f32 [%0], %1;" : : "r"(at), "f"(reg));
}
__device__ __forceinline__ void lds(float &reg, unsigned at) {
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(reg) : "r"(at));
}
__global__ void k(float *out, const float *in, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    unsigned other = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x ^ 1]);
    float reg[2], sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float near;
        float4 wide;
        ldg(reg[j & 1], in + i + j * n, i < n);
        ldg4(wide, in + 4 * (i + j * n));
        sts(reg[j & 1] * wide.x + wide.y, at);
        __syncthreads();
        lds(near, other);
        sum += near * wide.z + wide.w;
        __syncthreads();
    }
    stg(sum, out + i, i < n);
}
""", refused={"smem-conflict-free": "no-shared-index", "smem-broadcast": "no-shared-index"}),
    Case("found", """
#define AT(k) in[(k) * 2]
__global__ void k(int *out, const int *in, int n) {
    int i = threadIdx.x;
    while (true) { if (AT(i) > n) break; i += 32; }
    for (int j = i; j < n; j += 32) if (in[j] == 1) { out[0] = j; return; }
    out[threadIdx.x] = i;
}
""", retained=True),
    Case("returned_values", """
__device__ float pick(const float *p, int i) { if (i & 1) return p[i]; return p[i + 1] * 2.0f; }
__device__ const float *row(const float *p, int r) { return p + 64 * r; }
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = pick(in, i) * row(in, blockIdx.x)[threadIdx.x];
}
"""),
    Case("loads_of_branches", """
__global__ void k(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a, b;
    if (i < n) a = in[i] * 3.0f;
    else a = sqrtf(in[i + n]);
    if (i & 1) b = in[2 * i]; else { b = in[3 * i]; }
    float c = i < 2 * n ? in[i] - 3.0f : in[i + n] * 0.5f;
    float d = 0;
    switch (n) {
        case 0: d = in[4 * i]; break;
        case 1: d = in[i + 1] * 2; break;
        case 2: d = in[i * 3]; break;
        default: d = in[n];
    }
    out[i] = a * b + c * d;
}
"""),
    Case("nested_without_braces", """
__global__ void k(float *out, const float *in, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < m; x++)
            if ((x ^ y) & 1) out[i + y * m + x] = in[y * m + x] * 2.0f;
            else if (x > 3) out[i] = in[x];
            else ;
}
"""),
    Case("preprocessed", """
#define WIDE 1
__global__ void k(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if WIDE && !defined(NARROW)
    float x = in[2 * i] * in[2 * i + 1];
#else
    float x = in[i];
#endif
    out[i] = x;
}
"""),
]

SHARED = [
    Case("shared_1d", """
__global__ void k(float *out, const float *in) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[(t * 33) & 255] * 2.0f;
}
"""),
    Case("shared_2d", """
__global__ void k(float *out, const float *in, int n) {
    __shared__ float s[16][17];
    s[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * n + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
"""),
    Case("shared_3d", """
__global__ void k(double *out, const double *in) {
    __shared__ double s[2][8][16];
    s[threadIdx.z][threadIdx.y][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[1 - threadIdx.z][threadIdx.y][threadIdx.x ^ 1] * 2.0;
}
"""),
    Case("shared_dynamic", """
extern __shared__ float tile[];
__global__ void k(float *out, const float *in, int n) {
    tile[threadIdx.x] = in[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    float s = 0.0f;
    for (int j = 0; j < n; j++) s += tile[j] * tile[j ^ 1];
    out[blockIdx.x * n + threadIdx.x] = s;
}
"""),
    Case("shared_float4", """
__global__ void k(float4 *out, const float4 *in) {
    __shared__ float4 s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float4 v = s[127 - threadIdx.x];
    out[threadIdx.x] = make_float4(v.x * 2.0f, v.y, v.z, v.w);
}
"""),
    Case("shared_struct", """
struct Pair { float a; int b; };
__global__ void k(float *out, const float *in) {
    __shared__ Pair s[128];
    s[threadIdx.x] = Pair{in[threadIdx.x], (int)threadIdx.x};
    __syncthreads();
    out[threadIdx.x] = s[127 - threadIdx.x].a + s[threadIdx.x ^ 1].b;
}
"""),
    Case("shared_pointer", """
__global__ void k(float *out, const float *in) {
    __shared__ float s[256];
    float *p = s + threadIdx.x;
    *p = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = p[0] * s[255 - threadIdx.x];
}
"""),
    Case("shared_atomics", """
__global__ void k(unsigned *out, const unsigned *in) {
    __shared__ unsigned bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] & 63], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}
""", retained=True),
    Case("shared_reduction", """
__global__ void k(float *out, const float *in) {
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
"""),
    Case("shared_scalar", """
__global__ void k(float *out, const float *in) {
    __shared__ float first;
    if (threadIdx.x == 0) first = in[blockIdx.x];
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = first * 2.0f;
}
""", refused={"smem-conflict-free": "no-shared-index", "smem-broadcast": "no-shared-index"}),
    Case("barrier_spellings", """
__global__ void k(int *out, const int *in) {
    __shared__ int s[256];
    int v = in[threadIdx.x];
    s[threadIdx.x] = v;
    int c = __syncthreads_count(threadIdx.x & 1);
    int o = __syncthreads_or(threadIdx.x > 3);
    int a = __syncthreads_and(threadIdx.x < 300);
    asm volatile("bar.sync 0;" ::: "memory");
    __syncwarp();
    out[threadIdx.x] = s[255 - threadIdx.x] + c + o + a;
}
"""),
    Case("cooperative_groups", """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *out, const float *in) {
    __shared__ float s[256];
    cg::thread_block block = cg::this_thread_block();
    s[block.thread_rank()] = in[threadIdx.x];
    block.sync();
    float v = s[255 - threadIdx.x];
    cg::sync(block);
    auto warp = cg::tiled_partition<32>(block);
    out[threadIdx.x] = v + warp.shfl_down(v, 1);
}
"""),
    Case("grid_barrier", """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *out, const float *in, float *between) {
    auto grid = cg::this_grid();
    __shared__ float s[256];
    s[threadIdx.x] = in[grid.thread_rank()] * 3.0f;
    __syncthreads();
    between[grid.thread_rank()] = s[255 - threadIdx.x];
    cg::sync(grid);
    out[grid.thread_rank()] = between[grid.size() - 1 - grid.thread_rank()] * 2.0f;
}
""", refused={"no-sync": "grid-barrier"}),
    Case("cluster_barrier", """
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2, 1, 1) k(float *out, const float *in) {
    auto cluster = cooperative_groups::this_cluster();
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x] * 3.0f;
    cluster.sync();
    out[threadIdx.x] = s[255 - threadIdx.x];
}
""", refused={"no-sync": "no-barrier"}),
    Case("barrier_object", """
#include <cuda/barrier>
__global__ void k(float *out, const float *in) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[256];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x];
    auto token = bar.arrive();
    float v = in[threadIdx.x + 256];
    bar.wait(static_cast<decltype(token) &&>(token));
    out[threadIdx.x] = s[255 - threadIdx.x] * v;
}
""", refused=dict.fromkeys(("load-only", "store-only", "no-sync"), "barrier-object")),
    Case("shuffles", """
__global__ void k(float *out, const float *in) {
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0) out[blockIdx.x] = v;
}
"""),
]

CASES = [*TYPES, *ACCESSES, *FUNCTIONS, *STATEMENTS, *SHARED]
