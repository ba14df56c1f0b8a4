// What scattered accesses cost: rates that the model of time (mutate/sim/timing) needs and probe.cu does not measure.
// usage: nvcc -O3 -arch=sm_90 -o scattered scattered.cu; ./scattered > reference/h200_scattered.csv
#include <cstdio>
#include <algorithm>
typedef unsigned long long u64;
typedef unsigned u32;
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("# %s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)

// Each of 32 / LANES groups of a warp touches its own line of 128 bytes, at a place that looks random among `lines`.
template <int WHAT, int LANES> __global__ void scattered(u32 *memory, u64 lines, int steps, u32 *out)
{
    const u32 t = blockIdx.x * blockDim.x + threadIdx.x, group = t / LANES, groups = gridDim.x * blockDim.x / LANES;
    u32 sum = 0;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        const u64 line = ((u64)(group + k * groups) * 0x9E3779B97F4A7C15ull >> 20) % lines;
        u32 *at = memory + line * 32 + t % LANES;
        if (WHAT == 0) { u32 v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at)); sum ^= v; }
        if (WHAT == 1) *(volatile u32 *)at = t;
        if (WHAT == 2) asm volatile("red.global.add.u32 [%0], 1;" :: "l"(at) : "memory");
    }
    if (sum == 0x12345) *out = sum;
}

// Additions to `n` neighbouring words, lanes at `stride` words from each other (0: all at one), warps at `warp` words.
__global__ void additions(u32 *memory, u32 n, u32 stride, u32 warp, int steps)
{
    const u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 at = (t % 32 * stride + t / 32 * warp) % n;
    for (int k = 0; k < steps; k++) asm volatile("red.global.add.u32 [%0], 1;" :: "l"(memory + at) : "memory");
}
__global__ void random_additions(u32 *memory, u32 n, int steps)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < steps; k++) {
        x = x * 1664525 + 1013904223;
        asm volatile("red.global.add.u32 [%0], 1;" :: "l"(memory + (x >> 12) % n) : "memory");
    }
}
// Loads that hit L1: lanes `stride` words apart in 16 KB; clocks of one block.
__global__ void gather_l1(const u32 *memory, u32 stride, int steps, u64 *out)
{
    const u32 t = threadIdx.x, lane = t % 32;
    u32 sum = 0, at = (lane * stride + t / 32 * 4) & 4095;
    for (u32 i = t; i < 4096; i += blockDim.x) { u32 v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(memory + i)); sum ^= v; }
    __syncthreads();
    const u64 start = clock64();
#pragma unroll 8
    for (int k = 0; k < steps; k++) { u32 v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(memory + at)); sum ^= v; }
    __syncthreads();
    if (t == 0) out[0] = clock64() - start;
    if (sum == 0x12345) out[1] = sum;
}
__global__ void barriers(int steps, u64 *out)
{
    __syncthreads();
    const u64 start = clock64();
#pragma unroll 8
    for (int k = 0; k < steps; k++) __syncthreads();
    if (threadIdx.x == 0) out[0] = clock64() - start;
}
__global__ void stream_l2(const uint4 *memory, u64 n, int steps, u64 *out, int write)
{
    u32 sum = 0;
    const u64 start = clock64();
    for (int r = 0; r < steps; r++)
#pragma unroll 4
        for (u64 i = threadIdx.x + (u64)blockIdx.x * blockDim.x; i < n; i += (u64)blockDim.x * gridDim.x) {
            if (write) ((uint4 *)memory)[i] = make_uint4(r, r, r, r);
            else { uint4 v = __ldcg(memory + i); sum ^= v.x; }
        }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = clock64() - start;
    if (sum == 0x12345) out[0] = sum;
}
__global__ void fill(uint4 *memory, u64 n)
{
    for (u64 i = threadIdx.x + (u64)blockIdx.x * blockDim.x; i < n; i += (u64)blockDim.x * gridDim.x)
        memory[i] = make_uint4(i, i, i, i);
}
__global__ void use(const uint4 *memory, u64 n, u32 *out)
{
    u32 sum = 0;
    for (u64 i = threadIdx.x + (u64)blockIdx.x * blockDim.x; i < n; i += (u64)blockDim.x * gridDim.x) sum ^= __ldcg(memory + i).x;
    if (sum == 0x12345) *out = sum;
}

static cudaEvent_t e0, e1;
template <typename F> float best(F launch, int times = 4)
{
    float least = 1e30f;
    for (int k = 0; k < times; k++) {
        cudaEventRecord(e0); launch(); cudaEventRecord(e1); cudaEventSynchronize(e1);
        float ms; cudaEventElapsedTime(&ms, e0, e1);
        if (k) least = std::min(least, ms);
    }
    return least;
}

template <int WHAT, int LANES> void run(const char *name, u32 *memory, u64 bytes, u32 *out)
{
    const int grid = 132 * 8, block = 256, steps = 64;
    const float ms = best([&] { scattered<WHAT, LANES><<<grid, block>>>(memory, bytes / 128, steps, out); });
    printf("%s_%d_%lluMB,%.3f,requests of a line/ns\n", name, LANES, bytes >> 20, (double)grid * block * steps / LANES / ms / 1e6);
}

int main()
{
    CHECK(cudaEventCreate(&e0)); CHECK(cudaEventCreate(&e1));
    const u64 bytes = 4ull << 30;
    u32 *m; CHECK(cudaMalloc(&m, bytes)); CHECK(cudaMemset(m, 1, bytes));
    u64 *out; CHECK(cudaMallocManaged(&out, 1 << 20));
    cudaDeviceProp p; CHECK(cudaGetDeviceProperties(&p, 0));
    printf("# %s; made by: nvcc -O3 -arch=sm_90 -o scattered scattered.cu; ./scattered\n", p.name);
    printf("name,value,unit\n");
    for (u64 b : {16ull << 20, 2ull << 30}) {
        run<0, 1>("read", m, b, (u32 *)out); run<0, 8>("read", m, b, (u32 *)out); run<0, 16>("read", m, b, (u32 *)out); run<0, 32>("read", m, b, (u32 *)out);
        run<1, 1>("write", m, b, (u32 *)out); run<1, 8>("write", m, b, (u32 *)out); run<1, 16>("write", m, b, (u32 *)out); run<1, 32>("write", m, b, (u32 *)out);
        run<2, 1>("add", m, b, (u32 *)out); run<2, 8>("add", m, b, (u32 *)out); run<2, 32>("add", m, b, (u32 *)out);
    }
    const int grid = 132 * 8, block = 256;
    struct { const char *name; u32 n, stride, warp; } cases[] = {{"one_word", 1, 0, 0}, {"one_line", 32, 1, 0}, {"one_word_a_warp", 1 << 20, 0, 32}, {"two_lines", 64, 1, 32}, {"eight_lines", 256, 1, 32}, {"many_lines", 1 << 20, 1, 32}, {"one_sector_stride", 8, 1, 0}};
    for (auto c : cases) {
        const int steps = 32;
        const float ms = best([&] { additions<<<grid, block>>>(m, c.n, c.stride, c.warp, steps); });
        printf("add_%s,%.4f,lanes/ns\n", c.name, (double)grid * block * steps / ms / 1e6);
    }
    for (u32 n : {8u, 64u, 256u, 2048u, 1u << 16, 1u << 20}) {
        const int steps = 16;
        const float ms = best([&] { random_additions<<<grid, block>>>(m, n, steps); }, 3);
        printf("add_random_%u,%.4f,lanes/ns\n", n, (double)grid * block * steps / ms / 1e6);
    }
    for (u32 stride : {1u, 2u, 4u, 8u, 9u, 16u, 32u, 33u, 40u, 64u, 72u, 128u}) {
        const int steps = 512;
        for (int k = 0; k < 2; k++) { gather_l1<<<1, 1024>>>(m, stride, steps, out); CHECK(cudaDeviceSynchronize()); }
        printf("l1_stride_%u,%.3f,clocks of a warp's load\n", stride, (double)out[0] / steps / 32);
    }
    for (int threads : {32, 128, 256, 512, 1024}) {
        for (int k = 0; k < 2; k++) { barriers<<<1, threads>>>(512, out); CHECK(cudaDeviceSynchronize()); }
        printf("barrier_%d,%.2f,clocks\n", threads, out[0] / 512.0);
    }
    for (int sms : {1, 8, 33, 66, 132})
        for (int write = 0; write < 2; write++) {
            const u64 n = (8ull << 20) / 16; const int steps = sms == 1 ? 2 : 8;
            for (int k = 0; k < 2; k++) { stream_l2<<<sms, 1024>>>((const uint4 *)m, n, steps, out, write); CHECK(cudaDeviceSynchronize()); }
            u64 most = 0; for (int k = 0; k < sms; k++) most = std::max(most, out[k]);
            printf("l2_%s_%d_sms,%.2f,bytes/clock of an SM\n", write ? "write" : "read", sms, 16.0 * n * steps / sms / most);
        }
    for (u64 mb : {4ull, 8ull, 16ull, 24ull, 32ull, 48ull, 64ull, 96ull, 128ull, 256ull, 1024ull}) {
        float least = 1e30f;
        for (int k = 0; k < 4; k++) {
            use<<<132 * 4, 512>>>((const uint4 *)m + (2ull << 30) / 16, (512ull << 20) / 16, (u32 *)out);
            cudaEventRecord(e0); fill<<<132 * 4, 512>>>((uint4 *)m, (mb << 20) / 16); cudaEventRecord(e1); cudaEventSynchronize(e1);
            float ms; cudaEventElapsedTime(&ms, e0, e1); if (k) least = std::min(least, ms);
        }
        printf("fill_%lluMB,%.2f,us\n", mb, 1e3 * least);
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
