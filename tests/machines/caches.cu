// What caches keep, how late DRAM answers, and which blocks an SM gets: for the model of time (mutate/sim/timing).
// usage: nvcc -O3 -arch=sm_90 -o caches caches.cu; ./caches > reference/h200_caches.csv
#include <algorithm>
#include <cstdio>
#include <vector>
typedef unsigned long long u64;
typedef unsigned u32;
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("# %s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
#define MAGIC 0x3eadbeefu  // in memory nowhere

__device__ inline u32 hashed(u64 x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
    return (u32)(x ^ x >> 33);
}

// Clocks of single reads at random in the upper half of memory by one thread, while the other blocks read (or copy) in the
// lower half with pauses between; `moved` gets their bytes.
__global__ void latencies(char *m, u64 bytes, int count, u32 *took, volatile int *stop, u64 pause, bool copies, u64 *moved)
{
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        for (u64 begin = clock64(); clock64() - begin < 200000;) {}
        for (int i = 0; i < count; i++) {
            const char *at = m + bytes / 2 + (u64)hashed(i) * 64 % (bytes / 2);
            u32 v;
            const u64 start = clock64();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
            asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x3eadbeef; @p trap; }" :: "r"(v));  // waits for it
            took[i] = (u32)(clock64() - start);
        }
        __threadfence();
        *stop = 1;
        return;
    }
    const u64 step = (u64)gridDim.x * blockDim.x * 16, part = bytes / 4;
    char *mine = m + threadIdx.x * 16 + blockIdx.x * (u64)blockDim.x * 16;
    u64 at = 0, n = 0;
    u32 sum = 0;
    while (!*stop) {
        uint4 v[2];
        for (int k = 0; k < 2; k++)
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
                         : "l"(mine + (at + k * step) % part));
        for (int k = 0; k < 2; k++)
            if (copies) *(uint4 *)(mine + part + (at + k * step) % part) = v[k];
            else sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        at += 2 * step;
        n += 2;
        for (u64 begin = clock64(); pause && clock64() - begin < pause;) {}
    }
    if (sum == MAGIC) took[0] = sum;
    if (threadIdx.x == 0) atomicAdd(moved, n * blockDim.x * 16 * (copies ? 2 : 1));
}

// All SMs read a window again and again: all of it each (in turn), or each its own part.
__global__ void window(const uint4 *m, u64 n, bool own, int turns, u32 *out)
{
    const u64 part = n / gridDim.x, first = own ? part * blockIdx.x + threadIdx.x : blockIdx.x * (u64)blockDim.x + threadIdx.x;
    const u64 end = own ? part * (blockIdx.x + 1) : n, step = own ? blockDim.x : (u64)gridDim.x * blockDim.x;
    u32 sum = 0;
    for (int t = 0; t < turns; t++)
        for (u64 i = first; i < end; i += step) {
            uint4 v;
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(m + i));
            sum ^= v.x ^ v.y ^ v.z ^ v.w;
        }
    if (sum == MAGIC) *out = sum;
}

// Clocks of one warp's loads of n lines, a line a lane, when it has loaded them before.
__global__ void lines_of_l1(const char *m, int n, u64 stride, u64 *out)
{
    extern __shared__ u32 unused[];
    u32 sum = 0;
    u64 least = ~0ull;
    for (int r = 0; r < 5; r++) {
        const u64 start = clock64();
        for (int i = threadIdx.x; i < n; i += 32) {
            u32 v;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(m + i * stride));
            sum ^= v;
            asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x3eadbeef; @p trap; }" :: "r"(sum));
        }
        const u64 took = clock64() - start;
        if (r) least = took < least ? took : least;
    }
    if (threadIdx.x == 0) out[0] = least;
    if (sum == MAGIC) out[1] = sum + unused[0];
}

// Each thread writes a row of its own, a word after another: 32 lines a request, of which L2 has to keep all.
__global__ void columns(char *m, u64 row, u64 rows)
{
    const u64 t = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    for (u64 i = 0; t < rows && i < row; i += 8) *(volatile u64 *)(m + t * row + i) = i;
}

// k of the four sectors of each line, in part (4 bytes) or read.
template <bool WRITES> __global__ void sectors(char *m, u32 lines, u32 stride, u32 k, u32 *out)
{
    const u32 all = gridDim.x * blockDim.x;
    u32 sum = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < lines * k; i += all) {
        u32 *at = (u32 *)(m + (u64)(i / k) * stride + i % k * 32);
        if (WRITES) *(volatile u32 *)at = i;
        else { u32 v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at)); sum ^= v; }
    }
    if (sum == MAGIC) *out = sum;
}

// The SM of each block, blocks that end at different times.
__global__ void places(u32 *sm)
{
    u32 s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    if (threadIdx.x == 0) sm[blockIdx.x] = s;
    for (u64 begin = clock64(); clock64() - begin < 20000 + hashed(blockIdx.x) % 4096;) {}
}

int main()
{
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    const int sms = p.multiProcessorCount, count = 20000;
    const u64 bytes = 16ull << 30;
    char *m; u32 *took, *out; u64 *moved; int *stop;
    CHECK(cudaMalloc(&m, bytes)); CHECK(cudaMalloc(&took, count * 4)); CHECK(cudaMalloc(&out, 4096));
    CHECK(cudaMalloc(&moved, 8)); CHECK(cudaMalloc(&stop, 4)); CHECK(cudaMemset(m, 0, bytes));
    cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
    std::vector<u32> h(count);
    printf("# %s; made by: nvcc -O3 -arch=sm_90 -o caches caches.cu; ./caches\nname,value,unit\n", p.name);
    const auto quantiles = [&](const char *name, u64 pause, double rate) {
        std::sort(h.begin(), h.end());
        double sum = 0;
        for (u32 x : h) sum += x;
        if (rate >= 0) printf("%s_%llu_rate,%.0f,GB/s\n", name, pause, rate);
        printf("%s_%llu_mean,%.1f,clocks\n", name, pause, sum / count);
        for (int q : {1, 10, 25, 50, 75, 90, 95, 99}) printf("%s_%llu_p%d,%u,clocks\n", name, pause, q, h[count * q / 100]);
    };
    for (int what = 0; what < 3; what++)  // alone, beside reads, beside copies
        for (u64 pause : {0ull, 1000ull, 2000ull, 4000ull, 8000ull, 16000ull, 32000ull}) {
            if (what == 0 && pause) continue;
            CHECK(cudaMemset(stop, 0, 4)); CHECK(cudaMemset(moved, 0, 8));
            cudaEventRecord(e0);
            latencies<<<what ? sms : 1, 1024>>>(m, bytes, count, took, stop, pause, what == 2, moved);
            cudaEventRecord(e1);
            CHECK(cudaEventSynchronize(e1));
            float ms; cudaEventElapsedTime(&ms, e0, e1);
            u64 n; CHECK(cudaMemcpy(&n, moved, 8, cudaMemcpyDeviceToHost));
            CHECK(cudaMemcpy(h.data(), took, count * 4, cudaMemcpyDeviceToHost));
            quantiles(what == 0 ? "dram_idle" : what == 1 ? "dram_read" : "dram_copy", pause, what ? n / ms / 1e6 : -1);
        }
    for (int k = 0; k < 2; k++) latencies<<<1, 1024>>>(m, 8ull << 20, count, took, stop, 0, false, moved);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h.data(), took, count * 4, cudaMemcpyDeviceToHost));
    quantiles("l2_idle", 0, -1);
    for (int own = 0; own < 2; own++)
        for (u64 mb : {4, 16, 32, 40, 44, 48, 52, 56, 60, 64, 80, 128}) {
            float least = 1e30f;
            const int turns = std::max<int>(4, 400 / mb);
            for (int k = 0; k < 4; k++) {
                cudaEventRecord(e0); window<<<sms * 2, 1024>>>((uint4 *)m, (mb << 20) / 16, own, turns, out); cudaEventRecord(e1);
                CHECK(cudaEventSynchronize(e1));
                float ms; cudaEventElapsedTime(&ms, e0, e1);
                if (k) least = std::min(least, ms / turns);
            }
            printf("l2_window_%s_%lluMB,%.0f,GB/s\n", own ? "own" : "all", mb, (mb << 20) / least / 1e6);
        }
    CHECK(cudaFuncSetAttribute(lines_of_l1, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    for (int carveout : {8, 16, 32, 64, 100, 132, 164, 196, 228}) {
        CHECK(cudaFuncSetAttribute(lines_of_l1, cudaFuncAttributePreferredSharedMemoryCarveout, carveout * 100 / 228));
        int held = 0;
        for (int n = 64; n <= 2048; n += 32) {
            lines_of_l1<<<1, 32, (carveout - 1) * 1024>>>(m, n, 128, moved);
            u64 clocks; CHECK(cudaMemcpy(&clocks, moved, 8, cudaMemcpyDeviceToHost));
            if (clocks * 32 / n > 262) break;
            held = n;
        }
        printf("l1_held_carveout_%d,%d,KB\n", carveout, held / 8);
    }
    for (int warps : {4, 8, 16, 32, 64}) {
        const u64 rows = (u64)sms * warps * 32 * 2, row = 512;
        const size_t smem = warps >= 64 ? 0 : 220 * 1024 / (warps / 4) - 1088;
        CHECK(cudaFuncSetAttribute(columns, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
        float least = 1e30f;
        for (int k = 0; k < 3; k++) {
            cudaEventRecord(e0); columns<<<(rows + 127) / 128, 128, smem>>>(m, row, rows); cudaEventRecord(e1);
            CHECK(cudaEventSynchronize(e1));
            float ms; cudaEventElapsedTime(&ms, e0, e1); least = std::min(least, ms);
        }
        printf("columns_%d_warps,%.2f,requests of a line/ns\n", warps, rows * (row / 8) / least / 1e6);
    }
    for (u32 k : {1, 2, 3, 4})
        for (u32 stride : {128, 1024})
            for (int writes = 0; writes < 2; writes++) {
                const u32 lines = 8u << 20;
                float least = 1e30f;
                for (int r = 0; r < 3; r++) {
                    cudaEventRecord(e0);
                    if (writes) sectors<true><<<sms * 8, 256>>>(m, lines, stride, k, out);
                    else sectors<false><<<sms * 8, 256>>>(m, lines, stride, k, out);
                    cudaEventRecord(e1);
                    CHECK(cudaEventSynchronize(e1));
                    float ms; cudaEventElapsedTime(&ms, e0, e1); least = std::min(least, ms);
                }
                printf("%s_%u_of_4_sectors_%u,%.1f,sectors/ns\n", writes ? "write_parts" : "read", k, stride, lines * (double)k / least / 1e6);
            }
    const int blocks = 8000;
    places<<<blocks, 128>>>(took);
    CHECK(cudaMemcpy(h.data(), took, blocks * 4, cudaMemcpyDeviceToHost));
    for (int i = 0, k = 0; i < blocks; i++)
        if (h[i] == 50 % (u32)sms) printf("block_%d_of_sm_50,%d,\n", k++, i);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
