// Which blocks each SM gets: of blocks that spin alike, of several sizes, and of tiles of a product of matrices. A line for each SM
// with its first blocks in order; `room`: how many run at once.
//
//     nvcc -O3 -arch=sm_90 -o places places.cu && ./places > reference/h100_places.csv

#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call) do { if ((call) != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())); return 1; } } while (0)

__device__ unsigned this_sm()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

__global__ void spinning(unsigned *sm, int clocks)
{
    if (threadIdx.x == 0) sm[blockIdx.x] = this_sm();
    for (long long begin = clock64(); clock64() - begin < clocks;) {}
}

__global__ void tiles(unsigned *sm, const float *a, const float *b, float *c, int n)
{
    const int block = blockIdx.x + gridDim.x * blockIdx.y;
    if (threadIdx.x == 0) sm[block] = this_sm();
    float sum = 0;
    for (int k = 0; k < n; k++) sum += b[k * 2048 + blockIdx.x * 128 + threadIdx.x] * a[blockIdx.y * 16 * 2048 + k];
    c[block * 128 + threadIdx.x] = sum;
}

int main()
{
    const int most = 8448;
    unsigned *sm;
    float *a;
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaMalloc(&sm, most * 4));
    CHECK(cudaMalloc(&a, 1 << 27));
    CHECK(cudaMemset(a, 0, 1 << 27));
    printf("# %s; made by: nvcc -O3 -arch=sm_90 -o places places.cu; ./places; blocks in the order in which SMs get them\n", p.name);
    printf("what,threads,room,sm,blocks\n");
    const auto told = [&](const char *what, int threads, int blocks) {
        std::vector<unsigned> of(blocks);
        if (cudaMemcpy(of.data(), sm, blocks * 4, cudaMemcpyDeviceToHost) != cudaSuccess) return;
        const int room = p.maxThreadsPerMultiProcessor / threads < 32 ? p.maxThreadsPerMultiProcessor / threads : 32;
        for (unsigned s = 0; s < (unsigned)p.multiProcessorCount; s++) {
            printf("%s,%d,%d,%u,", what, threads, room, s);
            int count = 0;
            for (int b = 0; b < blocks && count < 2 * room; b++)
                if (of[b] == s) printf("%s%d", count++ ? " " : "", b);
            printf("\n");
        }
    };
    for (int threads : {1024, 512, 256, 128, 32}) {
        const int blocks = 4 * 132 * (2048 / threads > 16 ? 16 : 2048 / threads);
        spinning<<<blocks, threads>>>(sm, 20000);
        CHECK(cudaDeviceSynchronize());
        told("spinning", threads, blocks);
    }
    tiles<<<dim3(16, 512), 128>>>(sm, a, a + (1 << 22), a + (1 << 23), 2048);
    CHECK(cudaDeviceSynchronize());
    told("tiles", 128, 8192);
    return 0;
}
