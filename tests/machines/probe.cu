// What the memory system of a GPU does with one warp's request, and how long and how much it takes: microbenchmarks for
// machine files and for the rules in mutate/sim/coalesce.py. None of them is a sample, so samples can judge the result.
//
//   nvcc -O3 -arch=sm_90 -o probe probe.cu
//   ./probe rates                        latencies in SM clocks, bandwidths, launch costs, as "name value unit" lines
//   ./probe issue                        results a clock and SM of arithmetic by class, and clocks from one to the next
//   ncu ... ./probe patterns FILE        one launch per line of FILE: OP WIDTH MASK A0 ... A31 (hex byte addresses)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cudaError_t e = (call);                                                                 \
        if (e != cudaSuccess) {                                                                 \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));     \
            std::exit(2);                                                                       \
        }                                                                                       \
    } while (0)

constexpr int kReps = 16;  // accesses of one launch; the rest of a launch has fewer wavefronts than that
struct Pattern { uint32_t a[32]; uint32_t mask; };

__device__ unsigned sink;
__constant__ unsigned table[64];

enum Op { kNone, kLdShared, kStShared, kAtomAdd, kRedAdd, kAtomCas, kAtomExch, kAtomAddF, kLdGlobal, kStGlobal, kRedGlobal,
          kAtomGlobal, kShfl, kLdc, kBar, kVote, kCpAsync, kLdMatrix,
          kOffLdGlobal, kOffStGlobal, kOffLdShared, kOffStShared, kTid, kCtaid, kLaneid, kSmid, kClock, kRedux, kPopcInc,
          kDepbar, kBar1, kOps };
const char *const kNames[kOps] = {"none", "ld.shared", "st.shared", "atom.shared.add", "red.shared.add", "atom.shared.cas",
    "atom.shared.exch", "atom.shared.addf", "ld.global", "st.global", "red.global", "atom.global", "shfl", "ldc", "bar",
    "vote", "cp.async", "ldmatrix", "off.ld.global", "off.st.global", "off.ld.shared", "off.st.shared", "s2r.tid",
    "s2r.ctaid", "s2r.laneid", "s2r.smid", "s2r.clock", "redux",
    "popc.inc", "depbar", "bar1"};

template <int OP, int W>
__global__ void request(Pattern p, char *global) {
    extern __shared__ char shared[];
    unsigned lane = threadIdx.x;
    unsigned s = (unsigned)__cvta_generic_to_shared(shared) + p.a[lane];
    char *g = global + p.a[lane];
    if (!(p.mask >> lane & 1)) return;
    unsigned x = lane, y = 0, z = 0, w = 0;
    unsigned long long d = lane;
#pragma unroll
    for (int i = 0; i < kReps; i++) {
        if constexpr (OP == kLdShared) {
            if constexpr (W == 1) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(x) : "r"(s) : "memory");
            if constexpr (W == 2) asm volatile("{.reg .u16 t; ld.shared.u16 t, [%1]; cvt.u32.u16 %0, t;}" : "=r"(x) : "r"(s) : "memory");
            if constexpr (W == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(s) : "memory");
            if constexpr (W == 8) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(s) : "memory");
            if constexpr (W == 16) asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(s) : "memory");
        } else if constexpr (OP == kStShared) {
            if constexpr (W == 1) asm volatile("st.shared.u8 [%1], %0;" :: "r"(x), "r"(s) : "memory");
            if constexpr (W == 2) asm volatile("{.reg .u16 t; cvt.u16.u32 t, %0; st.shared.u16 [%1], t;}" :: "r"(x), "r"(s) : "memory");
            if constexpr (W == 4) asm volatile("st.shared.u32 [%1], %0;" :: "r"(x), "r"(s) : "memory");
            if constexpr (W == 8) asm volatile("st.shared.v2.u32 [%1], {%0, %0};" :: "r"(x), "r"(s) : "memory");
            if constexpr (W == 16) asm volatile("st.shared.v4.u32 [%1], {%0, %0, %0, %0};" :: "r"(x), "r"(s) : "memory");
        } else if constexpr (OP == kAtomAdd) {
            if constexpr (W == 4) { asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(y) : "r"(s), "r"(x) : "memory"); sink = y; }
            if constexpr (W == 8) { asm volatile("atom.shared.add.u64 %0, [%1], %2;" : "=l"(d) : "r"(s), "l"(d) : "memory"); sink = (unsigned)d; }
        } else if constexpr (OP == kRedAdd) {
            asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(s), "r"(x) : "memory");
        } else if constexpr (OP == kAtomCas) {
            asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(y) : "r"(s), "r"(x), "r"(lane) : "memory"); sink = y;
        } else if constexpr (OP == kAtomExch) {
            asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(y) : "r"(s), "r"(x) : "memory"); sink = y;
        } else if constexpr (OP == kAtomAddF) {
            asm volatile("red.shared.add.f32 [%0], 0f3F800000;" :: "r"(s) : "memory");
        } else if constexpr (OP == kLdGlobal) {
            if constexpr (W == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(g) : "memory");
            if constexpr (W == 8) asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(g) : "memory");
            if constexpr (W == 16) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(g) : "memory");
        } else if constexpr (OP == kStGlobal) {
            if constexpr (W == 4) asm volatile("st.global.u32 [%1], %0;" :: "r"(x), "l"(g) : "memory");
            if constexpr (W == 8) asm volatile("st.global.v2.u32 [%1], {%0, %0};" :: "r"(x), "l"(g) : "memory");
            if constexpr (W == 16) asm volatile("st.global.v4.u32 [%1], {%0, %0, %0, %0};" :: "r"(x), "l"(g) : "memory");
        } else if constexpr (OP == kRedGlobal) {
            asm volatile("red.global.add.u32 [%0], %1;" :: "l"(g), "r"(x) : "memory");
        } else if constexpr (OP == kAtomGlobal) {
            asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(y) : "l"(g), "r"(x) : "memory");
        } else if constexpr (OP == kShfl) {
            asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, -1;" : "+r"(x) : "r"(p.a[lane] & 31));
        } else if constexpr (OP == kLdc) {
            x = *(volatile unsigned *)(table + (x + p.a[lane]) % 64);
        } else if constexpr (OP == kBar) {
            __syncthreads();
        } else if constexpr (OP == kVote) {
            x = __ballot_sync(~0u, x & 1) + i;
        } else if constexpr (OP == kCpAsync) {
            if constexpr (W == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(s), "l"(g) : "memory");
            else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(s), "l"(g), "n"(W) : "memory");
        } else if constexpr (OP == kLdMatrix) {
            if constexpr (W == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(s) : "memory");
            if constexpr (W == 8) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(s) : "memory");
            if constexpr (W == 16) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(s) : "memory");
        } else if constexpr (OP == kOffLdGlobal) {  // predicated off in all lanes
            asm volatile("{.reg .pred q; setp.eq.u32 q, %2, %3; mov.u32 %0, 7; @q ld.global.u32 %0, [%1];}" : "=r"(y) : "l"(g + 4096 * i), "r"(p.mask), "r"(12345 + i) : "memory");
            x += y;
        } else if constexpr (OP == kOffStGlobal) {
            asm volatile("{.reg .pred q; setp.eq.u32 q, %2, %3; @q st.global.u32 [%1], %0;}" :: "r"(x), "l"(g + 4096 * i), "r"(p.mask), "r"(12345 + i) : "memory");
        } else if constexpr (OP == kOffLdShared) {
            asm volatile("{.reg .pred q; setp.eq.u32 q, %2, %3; mov.u32 %0, 7; @q ld.shared.u32 %0, [%1];}" : "=r"(y) : "r"(s + 512 * i), "r"(p.mask), "r"(12345 + i) : "memory");
            x += y;
        } else if constexpr (OP == kOffStShared) {
            asm volatile("{.reg .pred q; setp.eq.u32 q, %2, %3; @q st.shared.u32 [%1], %0;}" :: "r"(x), "r"(s + 512 * i), "r"(p.mask), "r"(12345 + i) : "memory");
        } else if constexpr (OP == kTid) {
            if (i == 0) { asm volatile("mov.u32 %0, %%tid.y;" : "=r"(y)); asm volatile("mov.u32 %0, %%tid.z;" : "=r"(z)); }
        } else if constexpr (OP == kCtaid) {
            if (i == 0) { asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(y)); asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(z)); asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(w)); }
        } else if constexpr (OP == kLaneid) {
            if (i == 0) { asm volatile("mov.u32 %0, %%laneid;" : "=r"(y)); }
        } else if constexpr (OP == kSmid) {
            if (i == 0) { asm volatile("mov.u32 %0, %%smid;" : "=r"(y)); }
        } else if constexpr (OP == kClock) {
            asm volatile("mov.u32 %0, %%clock;" : "=r"(y)); x += y;
        } else if constexpr (OP == kRedux) {
            x = __reduce_add_sync(~0u, x);
        } else if constexpr (OP == kPopcInc) {
            asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(s) : "memory");
        } else if constexpr (OP == kDepbar) {  // LDGDEPBAR
            asm volatile("cp.async.commit_group;" ::: "memory");
        } else if constexpr (OP == kBar1) {
            if (i == 0) __syncthreads();
        }
    }
    if constexpr (OP == kCpAsync) asm volatile("cp.async.wait_all;" ::: "memory");
    sink = x + y + z + w + (unsigned)d;
}

using Kernel = void (*)(Pattern, char *);
template <int OP> Kernel pick(int w) {
    switch (w) {
        case 1: return request<OP, 1>;
        case 2: return request<OP, 2>;
        case 4: return request<OP, 4>;
        case 8: return request<OP, 8>;
        default: return request<OP, 16>;
    }
}
Kernel kernel_for(int op, int w) {
    switch (op) {
        case kLdShared: return pick<kLdShared>(w);
        case kStShared: return pick<kStShared>(w);
        case kAtomAdd: return pick<kAtomAdd>(w);
        case kRedAdd: return request<kRedAdd, 4>;
        case kAtomCas: return request<kAtomCas, 4>;
        case kAtomExch: return request<kAtomExch, 4>;
        case kAtomAddF: return request<kAtomAddF, 4>;
        case kLdGlobal: return pick<kLdGlobal>(w);
        case kStGlobal: return pick<kStGlobal>(w);
        case kRedGlobal: return request<kRedGlobal, 4>;
        case kAtomGlobal: return request<kAtomGlobal, 4>;
        case kShfl: return request<kShfl, 4>;
        case kLdc: return request<kLdc, 4>;
        case kBar: return request<kBar, 4>;
        case kVote: return request<kVote, 4>;
        case kCpAsync: return w == 4 ? request<kCpAsync, 4> : w == 8 ? request<kCpAsync, 8> : request<kCpAsync, 16>;
        case kLdMatrix: return pick<kLdMatrix>(w);
        case kOffLdGlobal: return request<kOffLdGlobal, 4>;
        case kOffStGlobal: return request<kOffStGlobal, 4>;
        case kOffLdShared: return request<kOffLdShared, 4>;
        case kOffStShared: return request<kOffStShared, 4>;
        case kTid: return request<kTid, 4>;
        case kCtaid: return request<kCtaid, 4>;
        case kLaneid: return request<kLaneid, 4>;
        case kSmid: return request<kSmid, 4>;
        case kClock: return request<kClock, 4>;
        case kRedux: return request<kRedux, 4>;
        case kPopcInc: return request<kPopcInc, 4>;
        case kDepbar: return request<kDepbar, 4>;
        case kBar1: return request<kBar1, 4>;
        default: return request<kNone, 4>;
    }
}

int patterns(const char *path) {
    std::FILE *f = std::fopen(path, "r");
    if (!f) { std::perror(path); return 2; }
    char *global;
    CHECK(cudaMalloc(&global, 1 << 20));
    CHECK(cudaMemset(global, 0, 1 << 20));
    char name[64];
    int width;
    Pattern p;
    while (std::fscanf(f, "%63s %d %x", name, &width, &p.mask) == 3) {
        for (uint32_t &a : p.a)
            if (std::fscanf(f, "%x", &a) != 1) return 2;
        int op = 0;
        while (op < kOps && std::strcmp(name, kNames[op])) op++;
        if (op == kOps) { std::fprintf(stderr, "unknown %s\n", name); return 2; }
        kernel_for(op, width)<<<1, 32, 32768>>>(p, global);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}

// -- rates ------------------------------------------------------------------------------------------------------------

__global__ void chase_shared(long long *clocks, int n) {
    extern __shared__ unsigned cells[];
    unsigned base = (unsigned)__cvta_generic_to_shared(cells);
    for (int i = 0; i < 256; i++) cells[i] = base + (i + 33) % 256 * 4;
    unsigned at = base;
    for (int round = 0; round < 2; round++) {
        long long t = clock64();
        for (int i = 0; i < n; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) :: "memory");
        clocks[0] = clock64() - t;
    }
    sink = at;
}

template <bool CG>
__global__ void chase_global(const uint64_t *start, long long *clocks, int warm, int n) {
    uint64_t at = (uint64_t)start;
    for (int i = 0; i < warm; i++) {
        if (CG) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) :: "memory");
        else asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at) :: "memory");
    }
    long long t = clock64();
    for (int i = 0; i < n; i++) {
        if (CG) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) :: "memory");
        else asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at) :: "memory");
    }
    clocks[0] = clock64() - t;
    sink = (unsigned)at;
}

__global__ void reads(const uint4 *p, size_t n, int rounds) {
    uint4 s = {0, 0, 0, 0};
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (int r = 0; r < rounds; r++)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i + 3 * step < n; i += 4 * step) {
            uint4 v[4];
#pragma unroll
            for (int k = 0; k < 4; k++)
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(p + i + k * step));
#pragma unroll
            for (int k = 0; k < 4; k++) s.x ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    if (s.x == 0x12345) sink = s.x;
}

// Each block reads its own 32 KB over and over, 16 bytes a thread, in an order that changes with the round.
__global__ void l1_reads(const uint4 *p, int rounds) {
    uint4 s = {0, 0, 0, 0};
    const uint4 *q = p + (size_t)blockIdx.x * 2048;
    for (int r = 0; r < rounds; r++) {
        uint4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const uint4 *at = q + ((threadIdx.x + 512 * k + 32 * r) & 2047);
            asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(at) : "memory");
        }
#pragma unroll
        for (int k = 0; k < 4; k++) s.x ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    if (s.x == 0x12345) sink = s.x;
}

// All blocks read the same `n` (a power of two) cells, each starting elsewhere; around L1 by .cg.
__global__ void l2_reads(const uint4 *p, unsigned n, int rounds) {
    uint4 s = {0, 0, 0, 0};
    unsigned at = (blockIdx.x * 37u + 11u) * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        uint4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(p + (at & (n - 1))) : "memory");
            at += gridDim.x * blockDim.x;
        }
#pragma unroll
        for (int k = 0; k < 4; k++) s.x ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    if (s.x == 0x12345) sink = s.x;
}

__global__ void writes(uint4 *p, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) p[i] = make_uint4(i, i * 3, i ^ 77, ~i);
}

__global__ void copies(uint4 *__restrict__ q, const uint4 *__restrict__ p, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i + step < n; i += 2 * step) {
        uint4 a = p[i], b = p[i + step];
        q[i] = a;
        q[i + step] = b;
    }
}

__global__ void empty() {}

template <typename F> float median_ms(F f, int rounds = 9) {
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    std::vector<float> t;
    for (int i = -2; i < rounds; i++) {
        CHECK(cudaEventRecord(a));
        f();
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, a, b));
        if (i >= 0) t.push_back(ms);
    }
    CHECK(cudaGetLastError());
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}

// A cycle through `bytes`, one cell in each `stride`, in random order.
uint64_t *ring(char *device, size_t bytes, size_t stride, unsigned seed) {
    size_t n = bytes / stride;
    std::vector<uint32_t> order(n);
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    std::mt19937 rng(seed);
    std::shuffle(order.begin(), order.end(), rng);
    std::vector<char> host(bytes);
    for (size_t i = 0; i < n; i++)
        *(uint64_t *)&host[order[i] * stride] = (uint64_t)(device + order[(i + 1) % n] * stride);
    CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
    return (uint64_t *)(device + order[0] * stride);
}

int rates() {
    cudaDeviceProp d;
    CHECK(cudaGetDeviceProperties(&d, 0));
    int khz = 0, memory_khz = 0;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    std::printf("sms %d count\nclock %.0f MHz\nmemory_clock %.0f MHz\nbus_width %d bits\nl2_size %d bytes\nglobal_memory %zu bytes\n",
                d.multiProcessorCount, khz / 1e3, memory_khz / 1e3, d.memoryBusWidth, d.l2CacheSize, d.totalGlobalMem);
    long long *clocks, t;
    CHECK(cudaMalloc(&clocks, sizeof t));
    const size_t big = (size_t)4 << 30;
    char *p, *q;
    CHECK(cudaMalloc(&p, big));
    CHECK(cudaMalloc(&q, big));
    CHECK(cudaMemset(p, 1, big));
    auto latency = [&](const char *name, int n) {
        CHECK(cudaMemcpy(&t, clocks, sizeof t, cudaMemcpyDeviceToHost));
        std::printf("%s %.1f clocks\n", name, (double)t / n);
    };
    chase_shared<<<1, 1, 4096>>>(clocks, 4096);
    latency("shared_latency", 4096);
    auto *start = ring(p, 16 << 10, 128, 1);
    chase_global<false><<<1, 1>>>(start, clocks, 256, 4096);
    latency("l1_latency", 4096);
    for (int mb : {1, 4, 8, 16, 24, 32}) {
        start = ring(p, (size_t)mb << 20, 256, 2);
        char name[64];
        std::snprintf(name, sizeof name, "l2_latency_%dMB", mb);
        chase_global<true><<<1, 1>>>(start, clocks, (mb << 20) / 256, 8192);
        latency(name, 8192);
    }
    for (int mb : {256, 1024}) {
        start = ring(p, (size_t)mb << 20, 4096 + 256, 3);
        char name[64];
        std::snprintf(name, sizeof name, "dram_latency_%dMB", mb);
        CHECK(cudaMemset(q, 2, (size_t)1 << 30));
        chase_global<true><<<1, 1>>>(start, clocks, 64, 8192);
        latency(name, 8192);
    }
    CHECK(cudaFree(clocks));
    const int grid = d.multiProcessorCount * 8;
    float ms = median_ms([&] { reads<<<grid, 256>>>((uint4 *)p, big / 16, 1); });
    std::printf("dram_read %.1f GB/s\n", big / ms / 1e6);
    ms = median_ms([&] { writes<<<grid, 256>>>((uint4 *)p, big / 16); });
    std::printf("dram_write %.1f GB/s\n", big / ms / 1e6);
    ms = median_ms([&] { copies<<<grid, 256>>>((uint4 *)q, (const uint4 *)p, big / 16); });
    std::printf("dram_copy %.1f GB/s\n", 2 * big / ms / 1e6);
    ms = median_ms([&] { CHECK(cudaMemcpyAsync(q, p, big, cudaMemcpyDeviceToDevice)); });
    std::printf("dram_memcpy %.1f GB/s\n", 2 * big / ms / 1e6);
    for (int mb : {4, 8, 16, 32}) {
        const int rounds = 500;
        ms = median_ms([&] { l2_reads<<<grid, 256>>>((const uint4 *)p, (unsigned)mb << 16, rounds); });
        std::printf("l2_read_%dMB %.1f GB/s\n", mb, 4.0 * rounds * grid * 256 * 16 / ms / 1e6);
    }
    ms = median_ms([&] { l1_reads<<<d.multiProcessorCount * 4, 512>>>((const uint4 *)p, 4096); });
    std::printf("l1_read %.1f GB/s\n", 4.0 * d.multiProcessorCount * 4 * 512 * 16 * 4096 / ms / 1e6);
    ms = median_ms([&] { for (int i = 0; i < 1000; i++) empty<<<1, 32>>>(); });
    std::printf("launch_back_to_back %.3f us\n", ms);  // ms for a thousand
    ms = median_ms([&] { empty<<<1, 32>>>(); }, 101);
    std::printf("launch_by_events %.3f us\n", ms * 1e3);
    for (int threads : {32, 128, 256, 512, 1024}) {
        float few = median_ms([&] { empty<<<1 << 16, threads>>>(); }), many = median_ms([&] { empty<<<1 << 20, threads>>>(); });
        std::printf("blocks_of_%d %.3f blocks/ns\n", threads, ((1 << 20) - (1 << 16)) / (many - few) / 1e6);
    }
    return 0;
}

// -- issue ------------------------------------------------------------------------------------------------------------

// CHAINS independent chains in each thread; each step of a chain is OPS instructions of the class, as PTX in STEP.
#define ISSUE(NAME, TYPE, LETTER, OPS, STEP)                                                                       \
    template <int CHAINS> __global__ void issue_##NAME(long long *clocks, TYPE a, TYPE b) {                        \
        TYPE v[CHAINS];                                                                                            \
        for (int k = 0; k < CHAINS; k++) v[k] = a + (TYPE)(threadIdx.x + k);                                       \
        __syncthreads();                                                                                           \
        long long t = clock64();                                                                                   \
        for (int r = 0; r < 64; r++)                                                                               \
            _Pragma("unroll") for (int u = 0; u < 8; u++)                                                          \
                _Pragma("unroll") for (int k = 0; k < CHAINS; k++)                                                 \
                    asm volatile(STEP : "+" LETTER(v[k]) : LETTER(a), LETTER(b));                                  \
        __syncthreads();                                                                                           \
        if (threadIdx.x == 0) clocks[0] = clock64() - t;                                                           \
        TYPE s = v[0];                                                                                             \
        for (int k = 1; k < CHAINS; k++) s += v[k];                                                                \
        if (s == b) clocks[1] = 1;                                                                                 \
    }                                                                                                              \
    void run_##NAME(long long *d) { run(#NAME, OPS, issue_##NAME<4>, issue_##NAME<1>, d); }

template <typename T> void run(const char *name, int ops, void (*wide)(long long *, T, T), void (*narrow)(long long *, T, T),
                               long long *d) {
    long long t[2];
    for (int i = 0; i < 2; i++) wide<<<1, 1024>>>(d, (T)3, (T)5);
    CHECK(cudaMemcpy(&t[0], d, sizeof t[0], cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2; i++) narrow<<<1, 32>>>(d, (T)3, (T)5);
    CHECK(cudaMemcpy(&t[1], d, sizeof t[1], cudaMemcpyDeviceToHost));
    std::printf("%s %.2f results/clock %.2f clocks\n", name, 1024.0 * 512 * 4 * ops / t[0], (double)t[1] / (512 * ops));
}

ISSUE(ffma, float, "f", 1, "fma.rn.f32 %0, %0, %1, %2;")
ISSUE(fadd, float, "f", 1, "add.rn.f32 %0, %0, %1;")
ISSUE(fmul, float, "f", 1, "mul.rn.f32 %0, %0, %1;")
ISSUE(dfma, double, "d", 1, "fma.rn.f64 %0, %0, %1, %2;")
ISSUE(dadd, double, "d", 1, "add.rn.f64 %0, %0, %1;")
ISSUE(dmul, double, "d", 1, "mul.rn.f64 %0, %0, %1;")
ISSUE(hfma2, unsigned, "r", 2, "fma.rn.f16x2 %0, %0, %1, %2;")
ISSUE(iadd3_lop3, unsigned, "r", 2, "{xor.b32 %0, %0, %1; add.u32 %0, %0, %2;}")
ISSUE(imad, unsigned, "r", 1, "mad.lo.u32 %0, %0, %1, %2;")
ISSUE(imad_hi, unsigned, "r", 1, "mad.hi.u32 %0, %0, %1, %2;")
ISSUE(lop3, unsigned, "r", 1, "lop3.b32 %0, %0, %1, %2, 0x96;")
ISSUE(shf, unsigned, "r", 1, "shf.l.wrap.b32 %0, %0, %1, %2;")
ISSUE(prmt, unsigned, "r", 1, "prmt.b32 %0, %0, %1, 0x2143;")
ISSUE(imnmx, int, "r", 2, "{min.s32 %0, %0, %1; max.s32 %0, %0, %2;}")
ISSUE(isetp_sel, int, "r", 2, "{.reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %1, %2, p;}")
ISSUE(fmnmx, float, "f", 2, "{min.f32 %0, %0, %1; max.f32 %0, %0, %2;}")
ISSUE(fsetp_sel, float, "f", 2, "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %1, %2, p;}")
ISSUE(ex2, float, "f", 1, "ex2.approx.ftz.f32 %0, %0;")
ISSUE(rsqrt, float, "f", 1, "rsqrt.approx.ftz.f32 %0, %0;")
ISSUE(popc, unsigned, "r", 1, "popc.b32 %0, %0;")
ISSUE(clz, unsigned, "r", 1, "bfind.u32 %0, %0;")
ISSUE(brev, unsigned, "r", 1, "brev.b32 %0, %0;")
ISSUE(shfl, unsigned, "r", 1, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
ISSUE(i2f_f2i, int, "r", 2, "{.reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t;}")
ISSUE(i2f_byte, unsigned, "r", 1, "{.reg .f32 t; .reg .u32 u; and.b32 u, %0, 255; cvt.rn.f32.u32 t, u; mov.b32 %0, t;}")
ISSUE(f2f_16_32, float, "f", 2, "{.reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t;}")
ISSUE(f2f_64_32, float, "f", 2, "{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}")
ISSUE(i2d_d2i, int, "r", 2, "{.reg .f64 t; cvt.rn.f64.s32 t, %0; cvt.rzi.s32.f64 %0, t;}")
ISSUE(frnd, float, "f", 1, "cvt.rmi.f32.f32 %0, %0;")

int issue() {
    long long *d;
    CHECK(cudaMalloc(&d, 16));
    run_ffma(d); run_fadd(d); run_fmul(d); run_dfma(d); run_dadd(d); run_dmul(d); run_hfma2(d); run_iadd3_lop3(d); run_imad(d);
    run_imad_hi(d); run_lop3(d); run_shf(d); run_prmt(d); run_imnmx(d); run_isetp_sel(d); run_fmnmx(d);
    run_fsetp_sel(d); run_ex2(d); run_rsqrt(d); run_popc(d); run_clz(d); run_brev(d); run_shfl(d);
    run_i2f_f2i(d); run_i2f_byte(d); run_f2f_16_32(d); run_f2f_64_32(d); run_i2d_d2i(d); run_frnd(d);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !std::strcmp(argv[1], "rates")) return rates();
    if (argc == 2 && !std::strcmp(argv[1], "issue")) return issue();
    if (argc == 3 && !std::strcmp(argv[1], "patterns")) return patterns(argv[2]);
    std::fprintf(stderr, "usage: probe rates | probe issue | probe patterns FILE\n");
    return 2;
}
