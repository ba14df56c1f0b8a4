// Matrix multiplication c = a * b of square row-major matrices of floats: a ladder from the first version to one that
// reads a single operand from shared memory.
//
//   matmul_naive         one thread a value of c, straight from global memory; with blocks of 128 x 1 and of 1 x 128
//   matmul_tiled         16 x 16 tiles of a and b in shared memory
//   matmul_two_outputs   32 x 16 threads on 32 x 32 tiles: a value of b serves two results
//   matmul_transposed_b  the tile of b is stored transposed, which makes the inner addresses constant offsets and
//                        brings bank conflicts
//   matmul_padded        ... and a padding column that removes them
//   matmul_one_shared    16 x 128 results a block, rank-1 updates: a in shared memory, b and c in registers
//
// n is a multiple of 128.
//
// Teaches: step by step, how the limiter moves: access pattern, memory bandwidth, shared-memory loads, index
//          arithmetic, bank conflicts, arithmetic.
// Seeds:   "Optimalizace" (Filipovič): Naivní implementace, Ztráty výkonu, Deassembling kódu, Odstranění add
//          instrukce, Přehodnocený blokový přístup, Shrnutí.
//
// Build and check: nvcc -O3 matmul.cu && ./a.out

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define TILE 16
#define WIDE 32
#define STRIP_X 128 // columns of c a block of matmul_one_shared computes, and its threads
#define STRIP_Y 16  // rows of c it computes
#define STRIP_K 16  // columns of a that it holds in shared memory

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t status_ = (call);                                                                \
        if (status_ != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
            exit(EXIT_FAILURE);                                                                      \
        }                                                                                            \
    } while (0)

/* kmutate launch
   int n = 2048;
   dim3 grid = { n / 128, n };
   dim3 block = { 128, 1 };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = zeros();
   matmul_naive(a, b, c, n);
*/
/* kmutate launch
   int n = 2048;
   dim3 grid = { n, n / 128 };
   dim3 block = { 1, 128 };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = zeros();
   matmul_naive(a, b, c, n);
*/
__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

/* kmutate launch
   int n = 2048;
   dim3 grid = { n / TILE, n / TILE };
   dim3 block = { TILE, TILE };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = zeros();
   matmul_tiled(a, b, c, n);
*/
__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * TILE + tx;
    const int y = blockIdx.y * TILE + ty;

    float sum = 0.0f;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        as[ty][tx] = a[y * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + x];
        __syncthreads();

        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

/* kmutate launch
   int n = 2048;
   dim3 grid = { n / WIDE, n / WIDE };
   dim3 block = { WIDE, WIDE / 2 };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = zeros();
   matmul_two_outputs(a, b, c, n);
*/
__global__ void matmul_two_outputs(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[WIDE][WIDE];
    __shared__ float bs[WIDE][WIDE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int step = WIDE / 2;
    const int x = blockIdx.x * WIDE + tx;
    const int y = blockIdx.y * WIDE + ty;

    float upper = 0.0f, lower = 0.0f;
    for (int k0 = 0; k0 < n; k0 += WIDE) {
        as[ty][tx] = a[y * n + k0 + tx];
        as[ty + step][tx] = a[(y + step) * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + x];
        bs[ty + step][tx] = b[(k0 + ty + step) * n + x];
        __syncthreads();

        for (int k = 0; k < WIDE; k++) {
            upper += as[ty][k] * bs[k][tx];
            lower += as[ty + step][k] * bs[k][tx];
        }
        __syncthreads();
    }
    c[y * n + x] = upper;
    c[(y + step) * n + x] = lower;
}

/* kmutate launch
   int n = 2048;
   dim3 grid = { n / WIDE, n / WIDE };
   dim3 block = { WIDE, WIDE / 2 };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = zeros();
   matmul_transposed_b(a, b, c, n);
*/
__global__ void matmul_transposed_b(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[WIDE][WIDE];
    __shared__ float bs[WIDE][WIDE]; // bs[x][k]

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int step = WIDE / 2;
    const int x = blockIdx.x * WIDE + tx;
    const int y = blockIdx.y * WIDE + ty;

    float upper = 0.0f, lower = 0.0f;
    for (int k0 = 0; k0 < n; k0 += WIDE) {
        as[ty][tx] = a[y * n + k0 + tx];
        as[ty + step][tx] = a[(y + step) * n + k0 + tx];
        bs[tx][ty] = b[(k0 + ty) * n + x];
        bs[tx][ty + step] = b[(k0 + ty + step) * n + x];
        __syncthreads();

        for (int k = 0; k < WIDE; k++) {
            upper += as[ty][k] * bs[tx][k];
            lower += as[ty + step][k] * bs[tx][k];
        }
        __syncthreads();
    }
    c[y * n + x] = upper;
    c[(y + step) * n + x] = lower;
}

/* kmutate launch
   int n = 2048;
   dim3 grid = { n / WIDE, n / WIDE };
   dim3 block = { WIDE, WIDE / 2 };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = zeros();
   matmul_padded(a, b, c, n);
*/
__global__ void matmul_padded(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[WIDE][WIDE];
    __shared__ float bs[WIDE][WIDE + 1]; // bs[x][k]

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int step = WIDE / 2;
    const int x = blockIdx.x * WIDE + tx;
    const int y = blockIdx.y * WIDE + ty;

    float upper = 0.0f, lower = 0.0f;
    for (int k0 = 0; k0 < n; k0 += WIDE) {
        as[ty][tx] = a[y * n + k0 + tx];
        as[ty + step][tx] = a[(y + step) * n + k0 + tx];
        bs[tx][ty] = b[(k0 + ty) * n + x];
        bs[tx][ty + step] = b[(k0 + ty + step) * n + x];
        __syncthreads();

        for (int k = 0; k < WIDE; k++) {
            upper += as[ty][k] * bs[tx][k];
            lower += as[ty + step][k] * bs[tx][k];
        }
        __syncthreads();
    }
    c[y * n + x] = upper;
    c[(y + step) * n + x] = lower;
}

/* kmutate launch
   int n = 2048;
   dim3 grid = { n / STRIP_X, n / STRIP_Y };
   dim3 block = { STRIP_X };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = zeros();
   matmul_one_shared(a, b, c, n);
*/
__global__ void __launch_bounds__(STRIP_X)
matmul_one_shared(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    // as[k][row]; 4 floats of padding keep the rows aligned for 128-bit reads and spread the stores over the banks.
    __shared__ float as[STRIP_K][STRIP_Y + 4];

    const int tid = threadIdx.x;
    const int x = blockIdx.x * STRIP_X + tid;
    const int y0 = blockIdx.y * STRIP_Y;
    const int load_k = tid % STRIP_K;
    const int load_row = tid / STRIP_K;

    float sum[STRIP_Y] = {0.0f};
    for (int k0 = 0; k0 < n; k0 += STRIP_K) {
        for (int row = 0; row < STRIP_Y; row += STRIP_X / STRIP_K)
            as[load_k][row + load_row] = a[(y0 + row + load_row) * n + k0 + load_k];
        __syncthreads();

#pragma unroll
        for (int k = 0; k < STRIP_K; k++) {
            const float bx = b[(k0 + k) * n + x];
#pragma unroll
            for (int row = 0; row < STRIP_Y; row++)
                sum[row] += as[k][row] * bx;
        }
        __syncthreads();
    }

#pragma unroll
    for (int row = 0; row < STRIP_Y; row++)
        c[(y0 + row) * n + x] = sum[row];
}

typedef void (*MatmulKernel)(const float *, const float *, float *, int);

struct Rung {
    const char *name;
    MatmulKernel kernel;
    dim3 grid, block;
};

int main()
{
    const int n = 2048;
    const size_t bytes = (size_t)n * n * sizeof(float);
    std::vector<float> a((size_t)n * n), b((size_t)n * n), c((size_t)n * n);
    srand(1);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = 2.0f * rand() / RAND_MAX - 1.0f;
        b[i] = 2.0f * rand() / RAND_MAX - 1.0f;
    }

    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

    const Rung ladder[] = {
        {"naive, 1 x 128 threads", matmul_naive, dim3(n, n / 128), dim3(1, 128)},
        {"naive, 128 x 1 threads", matmul_naive, dim3(n / 128, n), dim3(128, 1)},
        {"tiled", matmul_tiled, dim3(n / TILE, n / TILE), dim3(TILE, TILE)},
        {"two outputs", matmul_two_outputs, dim3(n / WIDE, n / WIDE), dim3(WIDE, WIDE / 2)},
        {"transposed b", matmul_transposed_b, dim3(n / WIDE, n / WIDE), dim3(WIDE, WIDE / 2)},
        {"padded", matmul_padded, dim3(n / WIDE, n / WIDE), dim3(WIDE, WIDE / 2)},
        {"one block in shared memory", matmul_one_shared, dim3(n / STRIP_X, n / STRIP_Y), dim3(STRIP_X)},
    };

    bool failed = false;
    for (const Rung &rung : ladder) {
        CHECK(cudaMemset(d_c, 0, bytes));
        rung.kernel<<<rung.grid, rung.block>>>(d_a, d_b, d_c, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));

        int wrong = 0;
        for (int sample = 0; sample < 1000; sample++) {
            const int x = rand() % n, y = rand() % n;
            double expected = 0.0;
            for (int k = 0; k < n; k++)
                expected += (double)a[(size_t)y * n + k] * b[(size_t)k * n + x];
            if (!(std::fabs(c[(size_t)y * n + x] - expected) < 1e-3))
                wrong++;
        }
        failed = failed || wrong;
        printf("%-28s %s (%d of 1000 values wrong)\n", rung.name, wrong ? "FAILED" : "ok", wrong);
    }

    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
