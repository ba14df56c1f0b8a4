// What memory, barriers and blocks cost: kernels that `kmutate calibrate` launches (mutate/calibrate/launches.py says
// how). All take the same parameters: `out` for clocks (or whatever else is said), `memory` for data, and three numbers.
typedef unsigned long long u64;
typedef unsigned u32;

#define MAGIC 0x9E3779B9u
#define KERNEL extern "C" __global__ void
#define PARAMETERS u64 *out, char *memory, u64 n, u64 a, u64 b

__device__ inline u64 first() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline u64 step() { return (u64)gridDim.x * blockDim.x; }
__device__ inline u64 nanoseconds() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ inline u32 sm() { u32 i; asm volatile("mov.u32 %0, %%smid;" : "=r"(i)); return i; }

// A barrier behind which the clock is read only when all warps have come: the machine's barrier alone lets a warp read it before.
__device__ inline u64 start_together()
{
    __shared__ u32 gate;
    if (threadIdx.x == 0) *(volatile u32 *)&gate = 0;
    __syncthreads();
    while (*(volatile u32 *)&gate) {}
    return clock64();
}

// Clocks from the first warp's `start` to the last one's end: one that comes late would hide what the others did before.
// All threads call it.
__device__ inline u64 since(u64 start)
{
    __shared__ u64 starts[32], ends[32];
    const u64 now = clock64();
    if (threadIdx.x % 32 == 0) {
        starts[threadIdx.x / 32] = start;
        ends[threadIdx.x / 32] = now;
    }
    __syncthreads();
    u64 first = start, last = now;
#pragma unroll 1
    for (u32 w = 0; w < (blockDim.x + 31) / 32; w++) {
        first = starts[w] < first ? starts[w] : first;
        last = ends[w] > last ? ends[w] : last;
    }
    __syncthreads();
    return last - first;
}

// -- what is needed before -------------------------------------------------------------------------------------------

// Bits that look random in n bytes: what memory is worth does not depend on zeros.
KERNEL scramble(PARAMETERS)
{
    for (u64 i = first(); i < n / 8; i += step()) ((u64 *)memory)[i] = (i + 1) * 0x9E3779B97F4A7C15ull;
}

// A cycle through n cells (a power of two), one in each `a` bytes, in an order that looks random: each has the address of
// the next.
KERNEL chain(PARAMETERS)
{
    for (u64 i = first(); i < n; i += step()) *(u64 *)(memory + i * a) = (u64)(memory + (i * 1664525 + 1013904223) % n * a);
}

// Replaces what L2 holds by n bytes from `a` on.
KERNEL flush(PARAMETERS)
{
    u32 sum = 0;
    for (u64 i = first(); i < n / 16; i += step()) {
        const uint4 v = __ldcg((const uint4 *)(memory + a) + i);
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == MAGIC) out[0] = sum;
}

KERNEL nothing_at_all(PARAMETERS) {}

// out[0]: clocks in out[1] nanoseconds, at least n of them.
KERNEL clock_rate(PARAMETERS)
{
    const u64 t = nanoseconds(), c = clock64();
    u64 now = t;
    while (now - t < n) now = nanoseconds();
    out[0] = clock64() - c;
    out[1] = now - t;
}

// -- latencies: one thread ---------------------------------------------------------------------------------------------


// n dependent accesses, after `a` that are not counted. TEXT makes the next address of `at`.
#define CHASE(NAME, TEXT)                                                                                           \
    KERNEL NAME(PARAMETERS)                                                                                         \
    {                                                                                                               \
        u64 at = (u64)memory;                                                                                       \
        _Pragma("unroll 1") for (u64 i = 0; i < a; i++) asm volatile(TEXT : "+l"(at) :: "memory");                  \
        const u64 start = clock64();                                                                                \
        _Pragma("unroll 64") for (u64 i = 0; i < n; i++) asm volatile(TEXT : "+l"(at) :: "memory");                 \
        out[0] = clock64() - start;                                                                                 \
        out[1] = at;                                                                                                \
    }

CHASE(chase_l1, "ld.global.ca.u64 %0, [%0];")
CHASE(chase_l2, "ld.global.cg.u64 %0, [%0];")
// The value does not change: only the old one comes back.
CHASE(chase_atomic, "atom.global.max.u64 %0, [%0], 0;")

// The same in shared memory: a thread's cells lie in a cycle of 256, 16 bytes each.
#define CHASE_SHARED(NAME, TEXT)                                                                                    \
    KERNEL NAME(PARAMETERS)                                                                                         \
    {                                                                                                               \
        __shared__ uint4 cells[256];                                                                                \
        const u32 base = (u32)__cvta_generic_to_shared(cells);                                                      \
        _Pragma("unroll 1") for (u32 i = 0; i < 256; i++) cells[i] = make_uint4(base + (i + 33) % 256 * 16, 0, 0, 0);                   \
        u32 at = base;                                                                                              \
        u64 least = ~0ull;                                                                                          \
        _Pragma("unroll 1") for (u64 i = 0; i < n; i++) {                                                           \
            const u64 start = clock64();                                                                            \
            _Pragma("unroll") for (int k = 0; k < 256; k++) asm volatile(TEXT : "+r"(at) :: "memory");              \
            const u64 took = clock64() - start;                                                                     \
            least = took < least ? took : least;                                                                    \
        }                                                                                                           \
        out[0] = least;                                                                                             \
        out[1] = at;                                                                                                \
    }

CHASE_SHARED(chase_shared_4, "ld.volatile.shared.u32 %0, [%0];")
CHASE_SHARED(chase_shared_8, "{.reg .u32 t; ld.volatile.shared.v2.u32 {%0, t}, [%0];}")
CHASE_SHARED(chase_shared_16, "{.reg .u32 t, u, v; ld.volatile.shared.v4.u32 {%0, t, u, v}, [%0];}")
CHASE_SHARED(chase_shared_atomic, "atom.shared.max.u32 %0, [%0], 0;")

// Constant memory with an index: a table of zeros, each of which is the next index. An index that is the same in the
// whole warp goes through the uniform datapath where there is one.
__constant__ u32 zeros[64];
#define CHASE_CONSTANT(NAME, START)                                                                                 \
    KERNEL NAME(PARAMETERS)                                                                                         \
    {                                                                                                               \
        u32 at = START;                                                                                             \
        u64 least = ~0ull;                                                                                          \
        _Pragma("unroll 1") for (u64 i = 0; i < n; i++) {                                                           \
            const u64 start = clock64();                                                                            \
            _Pragma("unroll") for (int k = 0; k < 256; k++) at = *(const u32 *)((const char *)zeros + at);          \
            const u64 took = clock64() - start;                                                                     \
            least = took < least ? took : least;                                                                    \
        }                                                                                                           \
        out[0] = least;                                                                                             \
        out[1] = at;                                                                                                \
    }

CHASE_CONSTANT(chase_constant, threadIdx.x)
CHASE_CONSTANT(chase_constant_uniform, (u32)a)

// Makes each of n lines, one in each `a` bytes, point to itself.
KERNEL self_chain(PARAMETERS)
{
    for (u64 i = first(); i < n; i += step()) *(u64 *)(memory + i * a) = (u64)(memory + i * a);
}

// Which lines of L2 are near to which SM: for each of those n lines the least clocks of 16 loads, each of which gives the
// next one's address, from every block. out[block * (n + 1)] is the SM, the lines follow.
KERNEL lines_of_l2(PARAMETERS)
{
    u64 *mine = out + blockIdx.x * (n + 1);
    mine[0] = sm();
#pragma unroll 1
    for (u64 i = 0; i < n; i++) {
        u64 at = (u64)(memory + i * a), least = ~0ull;
#pragma unroll 1
        for (int r = 0; r < 4; r++) {
            const u64 start = clock64();
#pragma unroll 1
            for (int k = 0; k < 4; k++) {
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) :: "memory");
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) :: "memory");
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) :: "memory");
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) :: "memory");
            }
            const u64 took = clock64() - start;
            least = took < least ? took : least;
        }
        mine[1 + i] = at == MAGIC ? 0 : least;
    }
}

// -- throughput of one SM's memory: clocks of each block ---------------------------------------------------------------

// 4 n loads of each thread from shared memory; `a` is the words between neighbouring lanes (for W words each).
template <int W> __device__ inline void load_shared(u32 at, u32 &sum)
{
    u32 x, y, z, w;
    if (W == 1) {
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(at));
        sum ^= x;
    } else if (W == 2) {
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));
        sum ^= x ^ y;
    } else {
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at));
        sum ^= x ^ y ^ z;
        sum ^= w;
    }
}

template <int W> __device__ inline void store_shared(u32 at, u32 x)
{
    if (W == 1) asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(at), "r"(x));
    else if (W == 2) asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" :: "r"(at), "r"(x));
    else asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" :: "r"(at), "r"(x));
}

enum { LOAD, STORE, ADD };
template <int WHAT, int W> __device__ inline void use_shared(PARAMETERS)
{
    __shared__ uint4 cells[2048];
    for (u32 i = threadIdx.x; i < 2048; i += blockDim.x) cells[i] = make_uint4(i, i, i, i);
    u32 sum = threadIdx.x;
    const u32 at = (u32)__cvta_generic_to_shared(cells) + (u32)((threadIdx.x % 32) * a * 4 % 32768);
    u64 least = ~0ull;
#pragma unroll 1
    for (int r = 0; r < 3; r++) {
        const u64 start = start_together();
#pragma unroll 1
        for (u32 i = 0; i < (u32)n; i++) {
#pragma unroll
            for (int k = 0; k < 16; k++) {
                if (WHAT == LOAD) load_shared<W>(at, sum);
                if (WHAT == STORE) store_shared<W>(at, sum);
                if (WHAT == ADD) asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(at), "r"(sum) : "memory");
            }
        }
        const u64 took = since(start);
        least = took < least ? took : least;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = least;
    if (sum == MAGIC) out[1] = sum + cells[sum % 2048].x;
}

#define SHARED(NAME, WHAT, W) KERNEL __launch_bounds__(1024) NAME(PARAMETERS) { use_shared<WHAT, W>(out, memory, n, a, b); }
SHARED(shared_load_4, LOAD, 1)
SHARED(shared_load_8, LOAD, 2)
SHARED(shared_load_16, LOAD, 4)
SHARED(shared_store_4, STORE, 1)
SHARED(shared_store_8, STORE, 2)
SHARED(shared_store_16, STORE, 4)
SHARED(shared_add, ADD, 1)

// 4 n accesses of each thread to global memory, 16, 8 or 4 bytes, which go round in a window of `a` bytes (a power of
// two). Each block has its own window where `b` (bytes between them) is not 0, else it starts elsewhere in a common one.
template <typename T> __device__ inline u32 folded(const T &v);
template <> __device__ inline u32 folded(const u32 &v) { return v; }
template <> __device__ inline u32 folded(const uint2 &v) { return v.x ^ v.y; }
template <> __device__ inline u32 folded(const uint4 &v) { return v.x ^ v.y ^ v.z ^ v.w; }
__device__ inline void put(u32 &v, u32 x) { v = x; }
__device__ inline void put(uint2 &v, u32 x) { v = make_uint2(x, x); }
__device__ inline void put(uint4 &v, u32 x) { v = make_uint4(x, x, x, x); }

enum { CG, WRITE };
template <int WHAT, typename T> __device__ inline void use_window(PARAMETERS)
{
    char *base = memory + blockIdx.x * b;
    const u32 mask = (u32)a - 1, stride = blockDim.x * sizeof(T);
    u32 at = ((b ? 0 : blockIdx.x * 37u * 16384u) + threadIdx.x * (u32)sizeof(T)) & mask, sum = 0;
    u64 start = 0;
#pragma unroll 1
    for (u32 i = 0; i < (u32)n + 8; i++) {
        if (i == 8) {  // the caches are filled, or the queues
            start = start_together();
        }
        T v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            T *p = (T *)(base + ((at + k * stride) & mask));
            if (WHAT == CG) v[k] = __ldcg(p);
            if (WHAT == WRITE) {
                put(v[k], i);
                *p = v[k];
            }
        }
        at = (at + 4 * stride) & mask;
        if (WHAT == WRITE) continue;
#pragma unroll
        for (int k = 0; k < 4; k++) sum ^= folded(v[k]);
    }
    const u64 took = since(start);
    if (threadIdx.x == 0) out[blockIdx.x] = took;
    if (sum == MAGIC) out[1] = sum;
}

#define WINDOW(NAME, WHAT, T) KERNEL __launch_bounds__(1024) NAME(PARAMETERS) { use_window<WHAT, T>(out, memory, n, a, b); }
WINDOW(window_l2_16, CG, uint4)
WINDOW(window_write_4, WRITE, u32)
WINDOW(window_write_16, WRITE, uint4)

// 16 n loads of each warp from L1, `a` bytes between lanes: that decides how many lines of 128 bytes a load needs.
template <int W> __device__ inline void load_l1(const char *at, u32 (&v)[W])
{
    if constexpr (W == 1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[0]) : "l"(at));
    if constexpr (W == 2) asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "l"(at));
    if constexpr (W == 4)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "l"(at));
}

template <int W> __device__ inline void use_l1(PARAMETERS)
{
    const char *at = memory + threadIdx.x % 32 * a;
    u32 sum = 0;
    u64 least = ~0ull;
#pragma unroll 1
    for (int r = 0; r < 3; r++) {
        const u64 start = start_together();
#pragma unroll 1
        for (u32 i = 0; i < (u32)n; i++) {
#pragma unroll(W == 4 ? 1 : 4)  // for want of registers
            for (int group = 0; group < 4; group++) {
                u32 v[4][W];
#pragma unroll
                for (int k = 0; k < 4; k++) load_l1<W>(at + (4 * group + k) * 512, v[k]);
#pragma unroll
                for (int k = 0; k < 4; k++)
#pragma unroll
                    for (int j = 0; j < W; j++) sum ^= v[k][j];
            }
            at += b;  // 0, but the loads stay in the loop
        }
        const u64 took = since(start);
        least = took < least ? took : least;
    }
    if (threadIdx.x == 0) out[0] = least;
    if (sum == MAGIC) out[1] = sum;
}

KERNEL __launch_bounds__(1024) l1_load_4(PARAMETERS) { use_l1<1>(out, memory, n, a, b); }
KERNEL __launch_bounds__(1024) l1_load_8(PARAMETERS) { use_l1<2>(out, memory, n, a, b); }
KERNEL __launch_bounds__(1024) l1_load_16(PARAMETERS) { use_l1<4>(out, memory, n, a, b); }

// -- streams through DRAM, timed by events -----------------------------------------------------------------------------

// n elements, U of a thread under way at a time; what is written lies `a` bytes further.
enum { READ, COPY, FILL };
template <int WHAT, typename T, int U> __device__ inline void stream(PARAMETERS)
{
    const T *in = (const T *)memory;
    T *to = (T *)(memory + a);
    u32 sum = 0;
#pragma unroll 1
    for (u64 i = first(); i + (U - 1) * step() < n; i += U * step()) {
        T v[U];
#pragma unroll
        for (int k = 0; k < U; k++) {
            if (WHAT == FILL) put(v[k], (u32)i);
            else v[k] = in[i + k * step()];
        }
#pragma unroll
        for (int k = 0; k < U; k++) {
            if (WHAT == READ) sum ^= folded(v[k]);
            else to[i + k * step()] = v[k];
        }
    }
    if (sum == MAGIC) out[0] = sum;
}

#define STREAM(NAME, WHAT, T, U) KERNEL __launch_bounds__(1024) NAME(PARAMETERS) { stream<WHAT, T, U>(out, memory, n, a, b); }
STREAM(read_4_1, READ, u32, 1)
STREAM(read_4_2, READ, u32, 2)
STREAM(read_4_4, READ, u32, 4)
STREAM(read_16_1, READ, uint4, 1)
STREAM(read_16_2, READ, uint4, 2)
STREAM(read_16_4, READ, uint4, 4)
STREAM(copy_4_1, COPY, u32, 1)
STREAM(copy_4_2, COPY, u32, 2)
STREAM(copy_4_4, COPY, u32, 4)
STREAM(copy_16_1, COPY, uint4, 1)
STREAM(copy_16_2, COPY, uint4, 2)
STREAM(copy_16_4, COPY, uint4, 4)
STREAM(write_4_1, FILL, u32, 1)
STREAM(write_16_1, FILL, uint4, 1)
STREAM(write_16_4, FILL, uint4, 4)

// n elements of 16 bytes in each of four arrays, `a` bytes apart, of which R are read and the others written.
template <int R> __device__ inline void mixed(PARAMETERS)
{
    u32 sum = 0;
#pragma unroll 1
    for (u64 i = first(); i < n; i += step()) {
        uint4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (k < R) v[k] = ((const uint4 *)(memory + k * a))[i];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (k >= R) ((uint4 *)(memory + k * a))[i] = make_uint4((u32)i, sum, 0, 1);
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (k < R) sum ^= folded(v[k]);
    }
    if (sum == MAGIC) out[0] = sum;
}

KERNEL mix_4_0(PARAMETERS) { mixed<4>(out, memory, n, a, b); }
KERNEL mix_3_1(PARAMETERS) { mixed<3>(out, memory, n, a, b); }
KERNEL mix_2_2(PARAMETERS) { mixed<2>(out, memory, n, a, b); }
KERNEL mix_1_3(PARAMETERS) { mixed<1>(out, memory, n, a, b); }
KERNEL mix_0_4(PARAMETERS) { mixed<0>(out, memory, n, a, b); }

// 16 n additions of each thread without a result; `a` bytes between lanes, `b` between warps (all blocks' warps counted).
KERNEL add_global(PARAMETERS)
{
    char *at = memory + (threadIdx.x % 32) * a + first() / 32 * b;
#pragma unroll 1
    for (u64 i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(at), "r"((u32)n + k) : "memory");
    }
}

// -- barriers and blocks -----------------------------------------------------------------------------------------------

KERNEL __launch_bounds__(1024) barriers(PARAMETERS)
{
    u64 least = ~0ull;
#pragma unroll 1
    for (u64 i = 0; i < n; i++) {
        __syncthreads();
        const u64 start = clock64();
#pragma unroll
        for (int k = 0; k < 64; k++) asm volatile("bar.sync 0;" ::: "memory");
        const u64 took = clock64() - start;
        least = took < least ? took : least;
    }
    if (threadIdx.x == 0) out[0] = least;
}

// n turns of a loop of few instructions.
KERNEL __launch_bounds__(1024) turns(PARAMETERS)
{
    u32 x = threadIdx.x;
    u64 least = ~0ull;
#pragma unroll 1
    for (int r = 0; r < 3; r++) {
        const u64 start = start_together();
#pragma unroll 1
        for (u32 i = 0; i < (u32)n; i++) asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(i));
        const u64 took = since(start);
        least = took < least ? took : least;
    }
    if (threadIdx.x == 0) out[0] = least;
    if (x == MAGIC) out[1] = x;
}

// out[3 block ...]: the SM, and the clocks at which its first warp begins and ends, some time apart.
KERNEL blocks_in_turn(PARAMETERS)
{
    const u64 start = clock64();
    while (clock64() - start < n) {}
    __syncthreads();
    if (threadIdx.x == 0) {
        out[3 * blockIdx.x] = sm();
        out[3 * blockIdx.x + 1] = start;
        out[3 * blockIdx.x + 2] = clock64();
    }
}
