// Sum of a vector of integers: every block writes the sum of its part, in seven steps from bad to good.
//
//   reduce1   interleaved, `tid % (2 * s)`: warps diverge
//   reduce2   interleaved, packed threads: no divergence, but bank conflicts
//   reduce3   sequential addressing: neither, but half of the threads never add anything
//   reduce4   first addition while loading
//   reduce5   the last warp without block-wide barriers
//   reduce6   fully unrolled: the block size is a template parameter
//   reduce7   several elements a thread in a grid-stride loop
//
// The last warp of reduce5 to reduce7 works on volatile shared memory; __syncwarp() between reads and writes makes
// it correct where the threads of a warp are scheduled independently (compute capability 7.0 and later).
// Block sizes are powers of two, from 64 (reduce5 to reduce7) up to 512; n is a multiple of twice the block size.
//
// Teaches: divergence, bank conflicts, idle threads, instruction overhead and barriers, one at a time.
// Seeds:   "Optimalizace" (Filipovič): Součet prvků vektoru, Implementace 1 to 7, Poznámky pro c.c. 2.0.
//
// Build and check: nvcc -O3 reduction.cu && ./a.out

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t status_ = (call);                                                                \
        if (status_ != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
            exit(EXIT_FAILURE);                                                                      \
        }                                                                                            \
    } while (0)

/* kmutate launch
   int n = 16 * 1024 * 1024, threads = 512;
   dim3 grid = { n / threads };
   dim3 block = { threads };
   int smem = threads * sizeof(int);
   int v[n] = randint(0, 100);
   int out[n / threads] = zeros();
   reduce1(v, out);
*/
__global__ void reduce1(const int *v, int *out)
{
    extern __shared__ int sv[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sv[tid] = v[i];
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            sv[tid] += sv[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sv[0];
}

/* kmutate launch
   int n = 16 * 1024 * 1024, threads = 512;
   dim3 grid = { n / threads };
   dim3 block = { threads };
   int smem = threads * sizeof(int);
   int v[n] = randint(0, 100);
   int out[n / threads] = zeros();
   reduce2(v, out);
*/
__global__ void reduce2(const int *v, int *out)
{
    extern __shared__ int sv[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sv[tid] = v[i];
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        unsigned int index = 2 * s * tid;
        if (index < blockDim.x)
            sv[index] += sv[index + s];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sv[0];
}

/* kmutate launch
   int n = 16 * 1024 * 1024, threads = 512;
   dim3 grid = { n / threads };
   dim3 block = { threads };
   int smem = threads * sizeof(int);
   int v[n] = randint(0, 100);
   int out[n / threads] = zeros();
   reduce3(v, out);
*/
__global__ void reduce3(const int *v, int *out)
{
    extern __shared__ int sv[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sv[tid] = v[i];
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sv[tid] += sv[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sv[0];
}

/* kmutate launch
   int n = 16 * 1024 * 1024, threads = 512;
   dim3 grid = { n / (2 * threads) };
   dim3 block = { threads };
   int smem = threads * sizeof(int);
   int v[n] = randint(0, 100);
   int out[n / (2 * threads)] = zeros();
   reduce4(v, out);
*/
__global__ void reduce4(const int *v, int *out)
{
    extern __shared__ int sv[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    sv[tid] = v[i] + v[i + blockDim.x];
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sv[tid] += sv[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        out[blockIdx.x] = sv[0];
}

/* kmutate launch
   int n = 16 * 1024 * 1024, threads = 512;
   dim3 grid = { n / (2 * threads) };
   dim3 block = { threads };
   int smem = threads * sizeof(int);
   int v[n] = randint(0, 100);
   int out[n / (2 * threads)] = zeros();
   reduce5(v, out);
*/
__global__ void reduce5(const int *v, int *out)
{
    extern __shared__ int sv[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    sv[tid] = v[i] + v[i + blockDim.x];
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s)
            sv[tid] += sv[tid + s];
        __syncthreads();
    }

    if (tid < 32) {
        volatile int *s = sv;
        int sum = s[tid];
        sum += s[tid + 32]; __syncwarp();
        s[tid] = sum;       __syncwarp();
        sum += s[tid + 16]; __syncwarp();
        s[tid] = sum;       __syncwarp();
        sum += s[tid + 8];  __syncwarp();
        s[tid] = sum;       __syncwarp();
        sum += s[tid + 4];  __syncwarp();
        s[tid] = sum;       __syncwarp();
        sum += s[tid + 2];  __syncwarp();
        s[tid] = sum;       __syncwarp();
        sum += s[tid + 1];  __syncwarp();
        s[tid] = sum;
    }

    if (tid == 0)
        out[blockIdx.x] = sv[0];
}

/* The last warp's part for reduce6 and reduce7; s holds at least 64 values. */
template <unsigned int blockSize>
__device__ void reduce_last_warp(volatile int *s, unsigned int tid)
{
    int sum = s[tid];
    if (blockSize >= 64) {
        sum += s[tid + 32];
        __syncwarp();
        s[tid] = sum;
        __syncwarp();
    }
#pragma unroll
    for (unsigned int offset = 16; offset > 0; offset /= 2) {
        sum += s[tid + offset];
        __syncwarp();
        s[tid] = sum;
        __syncwarp();
    }
}

/* kmutate launch
   int n = 16 * 1024 * 1024, threads = 512;
   dim3 grid = { n / (2 * threads) };
   dim3 block = { threads };
   int smem = threads * sizeof(int);
   int v[n] = randint(0, 100);
   int out[n / (2 * threads)] = zeros();
   reduce6<512>(v, out, n);
*/
/* kmutate launch
   int n = 16 * 1024 * 1024, threads = 128;
   dim3 grid = { n / (2 * threads) };
   dim3 block = { threads };
   int smem = threads * sizeof(int);
   int v[n] = randint(0, 100);
   int out[n / (2 * threads)] = zeros();
   reduce6<128>(v, out, n);
*/
template <unsigned int blockSize>
__global__ void reduce6(const int *v, int *out, unsigned int n)
{
    extern __shared__ int sv[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + threadIdx.x;
    if (blockIdx.x * (blockSize * 2) >= n)
        return;
    sv[tid] = v[i] + v[i + blockSize];
    __syncthreads();

    if (blockSize >= 512) {
        if (tid < 256)
            sv[tid] += sv[tid + 256];
        __syncthreads();
    }
    if (blockSize >= 256) {
        if (tid < 128)
            sv[tid] += sv[tid + 128];
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64)
            sv[tid] += sv[tid + 64];
        __syncthreads();
    }
    if (tid < 32)
        reduce_last_warp<blockSize>(sv, tid);

    if (tid == 0)
        out[blockIdx.x] = sv[0];
}

/* kmutate launch
   int n = 16 * 1024 * 1024, threads = 512;
   dim3 grid = { 1024 };
   dim3 block = { threads };
   int smem = threads * sizeof(int);
   int v[n] = randint(0, 100);
   int out[1024] = zeros();
   reduce7<512>(v, out, n);
*/
template <unsigned int blockSize>
__global__ void reduce7(const int *v, int *out, unsigned int n)
{
    extern __shared__ int sv[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + threadIdx.x;
    unsigned int gridSize = blockSize * 2 * gridDim.x;

    int sum = 0;
    while (i < n) {
        sum += v[i] + v[i + blockSize];
        i += gridSize;
    }
    sv[tid] = sum;
    __syncthreads();

    if (blockSize >= 512) {
        if (tid < 256)
            sv[tid] += sv[tid + 256];
        __syncthreads();
    }
    if (blockSize >= 256) {
        if (tid < 128)
            sv[tid] += sv[tid + 128];
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64)
            sv[tid] += sv[tid + 64];
        __syncthreads();
    }
    if (tid < 32)
        reduce_last_warp<blockSize>(sv, tid);

    if (tid == 0)
        out[blockIdx.x] = sv[0];
}

int main()
{
    const int n = 16 * 1024 * 1024, threads = 512, smem = threads * sizeof(int);
    std::vector<int> v(n), out(n / threads);
    long long expected = 0;
    for (int i = 0; i < n; i++) {
        v[i] = (int)(((unsigned int)i * 2654435761u) >> 24) % 100;
        expected += v[i];
    }

    int *d_v, *d_out;
    CHECK(cudaMalloc(&d_v, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, out.size() * sizeof(int)));
    CHECK(cudaMemcpy(d_v, v.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    bool failed = false;
    for (int step = 1; step <= 7; step++) {
        const int grid = step <= 3 ? n / threads : step <= 6 ? n / (2 * threads) : 1024;
        CHECK(cudaMemset(d_out, 0, out.size() * sizeof(int)));
        switch (step) {
        case 1: reduce1<<<grid, threads, smem>>>(d_v, d_out); break;
        case 2: reduce2<<<grid, threads, smem>>>(d_v, d_out); break;
        case 3: reduce3<<<grid, threads, smem>>>(d_v, d_out); break;
        case 4: reduce4<<<grid, threads, smem>>>(d_v, d_out); break;
        case 5: reduce5<<<grid, threads, smem>>>(d_v, d_out); break;
        case 6: reduce6<threads><<<grid, threads, smem>>>(d_v, d_out, n); break;
        case 7: reduce7<threads><<<grid, threads, smem>>>(d_v, d_out, n); break;
        }
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost));

        long long sum = 0;
        for (int block = 0; block < grid; block++)
            sum += out[block];
        failed = failed || sum != expected;
        printf("reduce%d: %s (sum %lld, expected %lld)\n", step, sum == expected ? "ok" : "FAILED", sum, expected);
    }

    CHECK(cudaFree(d_v));
    CHECK(cudaFree(d_out));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
