"""Kernels that access memory through objects, each with a launch declaration: they are run on the simulator."""

from __future__ import annotations

from dataclasses import dataclass

_HEAD = """/* kmutate launch
   int n = 1024;
   dim3 grid = { 8 };
   dim3 block = { 128 };
   float out[4 * n] = zeros();
   float in[4 * n] = uniform(1, 2);
   int index[n + 1] = randint(0, 1023);
   int row[n + 1] = iota(0, 3);
   k(out, in, index, row, n);
*/
"""
_KERNEL = "__global__ void k(float *out, const float *in, const int *index, const int *row, int n) {\n" \
          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


@dataclass(frozen=True)
class ObjectCase:
    """``types`` and ``body`` make the file. ``expected`` is text of memory-only, ``gone`` what is not in it.

    ``retained``: math-only keeps loads, because control flow depends on them.
    """

    name: str
    types: str
    body: str
    expected: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    retained: bool = False
    waits: tuple[str, ...] = ()
    """Text of no-sync."""
    indexed: tuple[str, ...] = ()
    """Text of smem-conflict-free."""

    @property
    def source(self) -> str:
        return f"{self.types}{_HEAD}{_KERNEL}{self.body}}}\n"


CASES = (
    ObjectCase("functor", """
struct Scaled {
    const float *p; float factor; int n;
    __device__ Scaled(const float *p_, float factor_, int n_) : p(p_), factor(factor_), n(n_) {}
    __device__ float operator()(int i) const { return factor * p[i % n]; }
};
""", """    Scaled a(in, 3.0f, n);
    out[i] = a(i) + sqrtf(a(i + 7));
""", ("a.km_call(km_sink, i + 7);", "km_fold(km_sink, p[i % n]);"), ("sqrtf",)),
    ObjectCase("subscript_that_refers", """
template <class T> class View {
    T *p; int stride;
public:
    __device__ View(T *p, int stride) : p(p), stride(stride) {}
    __device__ T &operator[](int i) const { return p[i * stride]; }
    __device__ T &at(int i, int j) { return this->p[i * stride + j]; }
};
""", """    View<const float> a(in, 2);
    View<float> b{out, 2};
    b[i] = a[i] * 2.0f;
    b.at(i, 1) += a.at(i, 1);
""", ("km_put(b[i], km_sink);", "km_fold(km_sink, a.at(i, 1));", "auto &km_site = b.at(i, 1);"), ("2.0f",)),
    ObjectCase("subscript_that_returns", """
struct Gather {
    const float *p; const int *index;
    __device__ float operator[](int i) const { return p[index[i]]; }
};
""", """    Gather g;
    g.p = in;
    g.index = index;
    out[i] = g[i] * g[n - 1 - i];
""", ("g.km_at(km_sink, n - 1 - i);",)),
    ObjectCase("iterator", """
struct Reader {
    const float *p; int at; float seen;
    __device__ void skip(int by) { at += by; }
    __device__ float next() { float v = p[at]; at += 32; seen += v; return v; }
};
struct Writer {
    float *p; int at = 0;
    __device__ explicit Writer(float *to) : p(to) {}
    __device__ void put(float v) { p[at] = v; at += 1024; }
};
""", """    Reader r = {in, i, 0.0f};
    Writer w(out + i);
    for (int j = 0; j < 4; j++) {
        r.skip(j);
        w.put(r.next() * 0.5f);
    }
    if (r.seen < 0.0f) out[i] = 1.0f;
""", ("w.put_km(km_sink, km_Any());", "r.skip(j);"), retained=True),
    ObjectCase("accumulator", """
class Sum {
    const float *p; float sum; int count;
    __device__ float load(int i) const { return p[i]; }
public:
    __device__ Sum(const float *p) : p(p), sum(0.0f), count(0) {}
    __device__ void add(int i) { sum += expf(load(i)); count++; }
    __device__ float mean() const { return sum / count; }
};
""", """    Sum s(in);
    for (int j = 0; j < 3; j++) s.add(i + j * 1024);
    out[i] = s.mean();
""", ("load_km(km_sink, i);", "s.add_km(km_sink, i + j * 1024);"), ("s.mean()",)),
    ObjectCase("nested_and_outside", """
struct Buffer { const float *data; __device__ float read(int i) const; };
__device__ float Buffer::read(int i) const { return data[i]; }
template <int W> struct Grid {
    Buffer buffer; int width;
    template <class T> __device__ T at(int y, int x) const { return T(buffer.read(y * W + x)); }
    static __device__ float corner(const float *p) { return p[W]; }
    struct Row { const float *p; __device__ float get(int x) const { return p[x]; } };
    __device__ Row row(int y) const { return Row{buffer.data + y * W}; }
};
""", """    Grid<32> g{{in}, 32};
    out[i] = g.at<float>(i / 32, i % 32) + Grid<32>::corner(in + i) + g.row(i / 32).get(i % 32);
""", ("g.at_km<float>(km_sink, i / 32, i % 32);", "Grid<32>::corner_km(km_sink, in + i);",
      "g.row(i / 32).get_km(km_sink, i % 32);", "buffer.read_km(km_sink, y * W + x);",
      "__device__ float read_km(km_Sink &km_sink, int i) const;")),
    ObjectCase("objects_in_memory", """
struct Particle {
    float x, v;
    __device__ float energy() const { return 0.5f * v * v; }
    __device__ void move(float dt) { x += v * dt; }
};
""", """    Particle *p = reinterpret_cast<Particle *>(out);
    const Particle *q = reinterpret_cast<const Particle *>(in);
    p[i].move(0.1f);
    out[2048 + i] = (q + i)->energy();
""", ("p[i].move_km(km_sink", "(q + i)->energy_km(km_sink);")),
    ObjectCase("bounds_from_a_method", """
struct Rows {
    const int *first;
    __device__ int begin(int r) const { return first[r]; }
    __device__ int end(int r) const { return first[r + 1]; }
};
""", """    Rows rows{row};
    float s = 0.0f;
    for (int j = rows.begin(i); j < rows.end(i); j++) s += in[j] * 2.0f;
    out[i] = s;
""", ("for (int j = rows.begin(i); j < rows.end(i); j++) km_fold(km_sink, in[j]);",), retained=True),
    ObjectCase("bounds_in_members", """
struct Row {
    int first, last; const float *values;
    __device__ void open(const int *p, int r) { first = p[r]; last = p[r + 1]; }
    __device__ float sum() const {
        float s = 0.0f;
        for (int j = first; j < last; j++) s += values[j];
        return s;
    }
};
""", """    Row r;
    r.values = in;
    r.open(row, i);
    out[i] = r.sum() * 2.0f;
""", ("r.open_km(km_sink, row, i);", "r.sum_km(km_sink);"), retained=True),
    ObjectCase("functor_as_argument", """
struct Load { const float *p; __device__ float operator()(int i) const { return p[i]; } };
struct Twice { const float *p; __device__ float operator()(int i) const { return p[i] + p[i + 1024]; } };
template <class F> __device__ float apply(F f, int i) { return f(i) * f(i + 1); }
""", """    out[i] = apply(Load{in}, i) + apply(Twice{in}, i);
""", ("f.km_call",)),
    ObjectCase("pointer_to_shared", """
struct Tile {
    float *s;
    __device__ float get(int i) const { return s[i]; }
    __device__ void set(int i, float v) { s[i] = v; }
};
""", """    __shared__ float tile[128];
    Tile t{tile};
    t.set(threadIdx.x, in[i]);
    __syncthreads();
    out[i] = t.get(127 - threadIdx.x);
""", (), ("t.set", "t.get", "__syncthreads();")),
    ObjectCase("index_through_shared", """
struct Lookup {
    const float *p; const int *s;
    __device__ float get(int i) const { return p[s[i]]; }
};
""", """    __shared__ int s[128];
    s[threadIdx.x] = index[i];
    __syncthreads();
    Lookup look{in, s};
    out[i] = look.get(threadIdx.x ^ 1);
""", ("s[threadIdx.x] = km_keep(km_sink, index[i]);", "__syncthreads();", "look.get_km(km_sink, threadIdx.x ^ 1);")),
    ObjectCase("derived", """
template <class T> struct Store { T *p; int n; };
template <class T> struct Array : Store<T> {
    __device__ T get(int i) const { return this->p[i]; }
    __device__ void set(int i, T v) { this->p[i % this->n] = v; }
};
""", """    Array<const float> a;
    Array<float> b;
    a.p = in;
    b.p = out;
    b.n = n;
    b.set(i, a.get(i) * 2.0f);
""", ("b.set_km(km_sink, i, km_Any());",)),
    ObjectCase("overloaded_operators", """
struct Pair {
    float x, y;
    __device__ Pair operator+(const Pair &o) const { return {x + o.x, y + o.y}; }
    __device__ Pair &operator*=(float f) { x *= f; y *= f; return *this; }
};
struct It {
    const Pair *p;
    __device__ const Pair &operator*() const { return *p; }
    __device__ It &operator++() { ++p; return *this; }
};
""", """    It it{reinterpret_cast<const Pair *>(in) + i};
    Pair *to = reinterpret_cast<Pair *>(out);
    Pair s = *it;
    ++it;
    s = s + *it;
    s *= 3.0f;
    to[i] = s + it.p[5];
""", ("++it;", "km_fold(km_sink, *it);", "km_put(to[i], km_sink);"), ("3.0f",)),
    ObjectCase("copies", """
struct Cursor {
    const float *p; int at;
    __device__ Cursor plus(int by) const { Cursor c = *this; c.at += by; return c; }
    __device__ float load() const { return p[at]; }
    __device__ const float *where() const { return p + at; }
};
""", """    Cursor c{in, i};
    Cursor d = c.plus(1024);
    out[i] = c.load() + d.load() + *d.where() + c.plus(64).load();
""", ("c.plus(64).load_km(km_sink);", "km_fold(km_sink, *d.where());")),
    ObjectCase("reference_to_shared_memory", """
template <class T, int THREADS> class BlockSum {
public:
    struct TempStorage { T partial[THREADS / 32]; };
    __device__ explicit BlockSum(TempStorage &storage) : s(storage) {}
    __device__ T of(T v)
    {
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
        if (threadIdx.x % 32 == 0) s.partial[threadIdx.x / 32] = v;
        __syncthreads();
        return s.partial[0] + s.partial[THREADS / 32 - 1];
    }
private:
    TempStorage &s;
};
""", """    using Sum = BlockSum<float, 128>;
    __shared__ typename Sum::TempStorage first, second;
    float sum = Sum(first).of(in[i]);
    BlockSum<float, 128> again(second);
    out[i] = sum + again.of(in[i + 1024]);
""", ("km_fold(km_sink, in[i]);",), ("__syncthreads", "partial")),
    ObjectCase("recursive_template", """
template <class T, int n> class Halves {
public:
    static __device__ void sum(T *s, T *to) {
        __syncthreads();
        if (threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + n];
        Halves<T, n / 2>::sum(s, to);
    }
};
template <class T> class Halves < T, 0 > {
public:
    static __device__ void sum(T *s, T *to) {
        __attribute__((unused)) const int last = gridDim.x - 1;
        if (threadIdx.x == 0) to[blockIdx.x] = s[0];
    }
};
""", """    __shared__ float s[128];
    s[threadIdx.x] = in[i];
    Halves<float, 64>::sum(s, out);
""", ("Halves<float, 64>::sum_km(km_sink, s, out);", "Halves<T, n / 2>::sum_km(km_sink, s, to);"),
               ("s[threadIdx.x]", "__syncthreads();", "last;\n        if")),
)

SHARED_CASES = (
    ObjectCase("templates_and_nested_calls", """
template <class T> struct Buffer {
    T *p;
    __device__ T get(int i) const { return p[i]; }
    __device__ void put(int i, T v) const { p[i] = v; }
};
template <class T, int N> class Tile {
    Buffer<T> b;
public:
    __device__ explicit Tile(T *p) : b{p} {}
    __device__ void load(const T *in);
    __device__ T operator()(int i) const { return b.get(i % N); }
    __device__ T &operator[](int i) const { return b.p[i]; }
    struct Gate { __device__ void wait() const { __syncthreads(); } };
    static __device__ T other(const T *s, int i) { return s[i ^ 32]; }
};
template <class T, int N> __device__ void Tile<T, N>::load(const T *in)
{
    b.put(threadIdx.x, in[threadIdx.x]);
    Gate().wait();
}
template <class F> __device__ float apply(F f, int i) { return f(i); }
""", """    __shared__ float s[128];
    Tile<float, 128> t(s);
    t.load(in + blockIdx.x * 128);
    float sum = t(2 * threadIdx.x) + Tile<float, 128>::other(s, threadIdx.x) + apply(t, 4 * threadIdx.x);
    __syncthreads();
    t[threadIdx.x] = sum;
    __syncthreads();
    out[i] = t[threadIdx.x * 2 % 128];
""", waits=("t.load_km(in", "Gate().wait_km();", "void wait_km() const { __syncwarp();",
                            "void load_km(const T *in); /* k"),
               indexed=("return km_bank(km_s, km_s_bytes, &p[i]);", "b.put_km(km_s, km_s_bytes, threadIdx.x,",
                        "t.load_km(s, (unsigned)sizeof(s), in", "apply_km(s, (unsigned)sizeof(s), t, 4 * threadIdx.x)",
                        "km_bank(s, (unsigned)sizeof(s), &t[threadIdx.x]) = sum;")),
    ObjectCase("object_in_shared_memory", """
struct Work {
    int first[128], second[128], count;
    __device__ int *begin() { return first; }
    __device__ const int *end() const { return &second[0] + 128; }
    __device__ void set(int i, int v) { first[i] = v; this->second[i] = v + 1; }
    __device__ void add(int i, int v) { atomicAdd(&first[i], v); atomicAdd(&count, 1); }
    __device__ void wait() { __syncthreads(); }
};
""", """    __shared__ Work w;
    w.set(threadIdx.x, index[i]);
    if (threadIdx.x == 0) w.count = 0;
    w.wait();
    w.add(threadIdx.x * 2 % 128, 3);
    w.wait();
    int *from = w.begin();
    out[i] = from[threadIdx.x * 4 % 128] + w.second[threadIdx.x * 2 % 128] + w.end()[-1] + w.count;
""", waits=("w.wait_km();",),
               indexed=("km_bank(km_w, km_w_bytes, &first[i]) = v;",
                        "km_bank(km_w, km_w_bytes, &this->second[i]) = v + 1;",
                        "atomicAdd(&count, 1);", "w.set_km(&w, (unsigned)sizeof(w), threadIdx.x",
                        "km_bank(&w, (unsigned)sizeof(w), &from[", "+ w.count;")),
    ObjectCase("pointers_to_both_memories", """
template <class T> class Loader {
    const T *in_;
    T *s_;
    int n;
public:
    __device__ Loader(T *s, const T *in, int n) : in_(in + 0), s_(s), n(n) {}
    __device__ void load(int at) { s_[threadIdx.x] = in_[at % n]; __syncthreads(); }
    __device__ T get(int i) const { return s_[i]; }
};
struct Two { const float *a, *b; __device__ float sum(int i) const { return a[i] + b[i]; } };
__device__ float later(Two t, int i) { return t.sum(i); }
""", """    __shared__ float s[128];
    Loader<float> l(s, in, n);
    l.load(i);
    Two t{s, in}, u;
    u.a = in;
    u.b = s;
    float v = l.get(threadIdx.x * 2 % 128);
    out[i] = v + later(t, threadIdx.x * 2 % 128) + u.sum(threadIdx.x * 4 % 128);
""", waits=("l.load_km(i);",),
               indexed=("km_bank(km_s, km_s_bytes, &a[i]) + b[i];", "return a[i] + km_bank(km_s, km_s_bytes, &b[i]);",
                        "later_km(s, (unsigned)sizeof(s), t, ")),
    ObjectCase("objects_by_reference", """
template <class T, int N> struct Exchange {
    struct Storage { T v[N]; };
    Storage &s;
    __device__ Exchange(Storage &storage) : s(storage) {}
    __device__ T swap(T x, int to) { s.v[threadIdx.x] = x; __syncthreads(); return s.v[to]; }
};
struct Context {
    float *s;
    __device__ void put(float v) { s[threadIdx.x] = v; }
    __device__ float get(int i) { return s[i]; }
};
__device__ void fill(Context *c, float v) { c->put(v); __syncthreads(); }
__device__ float take(Context &c, int i) { return c.get(i); }
""", """    using Swap = Exchange<float, 128>;
    __shared__ typename Swap::Storage storage;
    __shared__ float tile[128];
    Context c;
    c.s = tile;
    fill(&c, Swap(storage).swap(in[i], threadIdx.x * 2 % 128));
    out[i] = take(c, threadIdx.x * 2 % 128);
""", waits=("fill_km(&c, Swap(storage).swap_km(in[i],", "= x; __syncwarp();"),
               indexed=("km_bank(km_storage, km_storage_bytes, &s.v[to]);",
                        ".swap_km(&storage, (unsigned)sizeof(storage), in[i]",
                        "c->put_km(km_tile, km_tile_bytes, v);")),
)
