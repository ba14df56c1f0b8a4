// The ninth set of kernels that nobody tuned the model of time for: what benchmark suites and mini-apps are made of, the
// tutorial's ladder of matrix products, and the layers of a GPT-2 in single precision, written from what is commonly known of
// the algorithms by someone who had seen neither the model nor its results (tests/gpu/heldout.py, docs/heldout.md).

#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#define ceil_div(m, n) (((m) + (n) - 1) / (n))

// A few rounds of mixing, for kernels that need random bits of their own.
__device__ __forceinline__ unsigned mix_bits(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

// -------------------------------------------------------------------------------------------- linear algebra, as in suites

/* kmutate launch
   int rows = 8192, cols = 1536; dim3 block = { 256 }; dim3 grid = { ceil_div(rows, 256) };
   float tmp[rows] = zeros(); float A[rows * cols] = uniform(0, 1); float x[cols] = uniform(0, 1);
   atax_rows(rows, cols, A, x, tmp);
*/
// A matrix times a vector with a thread to a row: lanes read a whole row apart, the sum stands in memory all the time.
__global__ void atax_rows(int rows, int cols, float *A, float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        tmp[i] = 0;
        for (int j = 0; j < cols; j++)
            tmp[i] += A[i * cols + j] * x[j];
    }
}

/* kmutate launch
   int rows = 1024, cols = 8192; dim3 block = { 256 }; dim3 grid = { ceil_div(cols, 256) };
   float y[cols] = zeros(); float A[rows * cols] = uniform(0, 1); float tmp[rows] = uniform(0, 1);
   atax_columns(rows, cols, A, y, tmp);
*/
// The transposed product that follows: a thread to a column, lanes side by side, few blocks.
__global__ void atax_columns(int rows, int cols, float *A, float *y, float *tmp)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < cols) {
        y[j] = 0;
        for (int i = 0; i < rows; i++)
            y[j] += A[i * cols + j] * tmp[i];
    }
}

/* kmutate launch
   int n = 640, m = 384; dim3 block = { 32, 8 }; dim3 grid = { ceil_div(n, 32), ceil_div(n, 8) };
   double C[n * n] = uniform(0, 1); double A[n * m] = uniform(0, 1);
   syrk_lower_fp64(n, m, 1.5, 1.2, A, C);
*/
// The lower half of C = beta C + alpha A A^T in doubles; the second factor is read along its rows, a lane to a row.
__global__ void syrk_lower_fp64(int n, int m, double alpha, double beta, const double *A, double *C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j <= i) {
        double sum = 0.0;
        for (int k = 0; k < m; k++)
            sum += A[i * m + k] * A[j * m + k];
        C[i * n + j] = beta * C[i * n + j] + alpha * sum;
    }
}

/* kmutate launch
   int n = 160, m = 320; dim3 block = { 64 }; dim3 grid = { ceil_div(m, 64) };
   float cov[m * m] = zeros(); float data[n * m] = normal();
   covariance_by_threads(n, m, data, cov);
*/
// Covariances of centred data: one thread for all of a variable's partners, with two nested loops; hardly any threads.
__global__ void covariance_by_threads(int n, int m, const float *data, float *cov)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= m) return;
    for (int b = a; b < m; b++) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++)
            sum += data[i * m + a] * data[i * m + b];
        cov[a * m + b] = sum / (n - 1.0f);
        cov[b * m + a] = cov[a * m + b];
    }
}

/* kmutate launch
   int steps = 192, lines = 24000; dim3 block = { 128 }; dim3 grid = { ceil_div(lines, 128) };
   float x[steps * lines] = uniform(0, 1); float a[steps * lines] = uniform(0.1, 0.4); float b[steps * lines] = uniform(2, 3);
   adi_columns(steps, lines, x, a, b);
*/
// Half a step of alternating directions: elimination down each column, and back up. All of it happens in memory.
__global__ void adi_columns(int steps, int lines, float *x, const float *a, float *b)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= lines) return;
    for (int i = 1; i < steps; i++) {
        x[i * lines + j] -= x[(i - 1) * lines + j] * a[i * lines + j] / b[(i - 1) * lines + j];
        b[i * lines + j] -= a[i * lines + j] * a[i * lines + j] / b[(i - 1) * lines + j];
    }
    x[(steps - 1) * lines + j] /= b[(steps - 1) * lines + j];
    for (int i = steps - 2; i >= 0; i--)
        x[i * lines + j] = (x[i * lines + j] - a[(i + 1) * lines + j] * x[(i + 1) * lines + j]) / b[i * lines + j];
}

/* kmutate launch
   int n = 4000, k = 1234; dim3 block = { 16, 16 }; dim3 grid = { ceil_div(n, 16), ceil_div(n, 16) };
   int dist[n * n] = randint(1, 1000); int next[n * n] = randint(0, 4000);
   floyd_step(n, k, dist, next);
*/
// All shortest paths: one node is tried as a stop between any two.
__global__ void floyd_step(int n, int k, int *dist, int *next)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    int detour = dist[i * n + k] + dist[k * n + j];
    if (detour < dist[i * n + j]) {
        dist[i * n + j] = detour;
        next[i * n + j] = k;
    }
}

#define LU_TILE 16

/* kmutate launch
   int tiles = 20000; dim3 block = { LU_TILE, LU_TILE }; dim3 grid = { tiles };
   double A[tiles * LU_TILE * LU_TILE] = uniform(1, 2);
   lu_tiles_fp64(A);
*/
// Small matrices of doubles made triangular in shared memory, one for each block; ever fewer threads have something to do.
__global__ void lu_tiles_fp64(double *A)
{
    __shared__ double s[LU_TILE][LU_TILE + 1];
    const int c = threadIdx.x, r = threadIdx.y;
    double *mine = A + (size_t)blockIdx.x * LU_TILE * LU_TILE;
    s[r][c] = mine[r * LU_TILE + c] + (r == c ? 20.0 : 0.0);
    __syncthreads();
    for (int k = 0; k < LU_TILE - 1; k++) {
        if (r > k && c == k) s[r][k] /= s[k][k];
        __syncthreads();
        if (r > k && c > k) s[r][c] -= s[r][k] * s[k][c];
        __syncthreads();
    }
    mine[r * LU_TILE + c] = s[r][c];
}

// ------------------------------------------------------------------------------------------------ the ladder of products

/* kmutate launch
   int M = 512, N = 512, K = 512; dim3 block = { 32, 32 }; dim3 grid = { ceil_div(M, 32), ceil_div(N, 32) };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   ladder_naive(M, N, K, 1.0f, A, B, 0.0f, C);
*/
// First rung: the fast index of the threads goes down the rows, so that a warp reads 32 rows of A and writes 32 rows of C.
__global__ void ladder_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * sum + beta * C[row * N + col];
    }
}

/* kmutate launch
   int M = 1088, N = 960, K = 896; dim3 block = { 1024 }; dim3 grid = { ceil_div(M, 32), ceil_div(N, 32) };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   ladder_coalesced(M, N, K, 0.5f, A, B, 2.0f, C);
*/
// Second rung: a warp has one row of A and 32 neighbours in B and C.
__global__ void ladder_coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const int row = blockIdx.x * 32 + threadIdx.x / 32, col = blockIdx.y * 32 + threadIdx.x % 32;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * sum + beta * C[row * N + col];
    }
}

/* kmutate launch
   int M = 1024, N = 1280, K = 1152; dim3 block = { 32, 32 }; dim3 grid = { N / 32, M / 32 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   ladder_shared(M, N, K, 0.5f, A, B, 2.0f, C);
*/
// Third rung: tiles of 32 x 32 in shared memory, one result for each thread.
__global__ void ladder_shared(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float as[32][32], bs[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        as[ty][tx] = A[row * K + k0 + tx];
        bs[ty][tx] = B[(k0 + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

/* kmutate launch
   int M = 1536, N = 1408, K = 1024; dim3 block = { 512 }; dim3 grid = { N / 64, M / 64 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   ladder_strip<64, 64, 8, 8>(M, N, K, 0.5f, A, B, 2.0f, C);
*/
// Fourth rung: each thread has a short strip of a column, and reads an element of B once for all of it.
template <int BM, int BN, int BK, int TM>
__global__ void ladder_strip(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float as[BM * BK], bs[BK * BN];
    const int x = threadIdx.x % BN, y = threadIdx.x / BN;
    const int ax = threadIdx.x % BK, ay = threadIdx.x / BK;
    A += (size_t)blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += (size_t)blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[TM] = { 0.0f };
    for (int k0 = 0; k0 < K; k0 += BK) {
        as[ay * BK + ax] = A[ay * K + k0 + ax];
        bs[y * BN + x] = B[(k0 + y) * N + x];
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            const float b = bs[k * BN + x];
            for (int t = 0; t < TM; ++t)
                sums[t] += as[(y * TM + t) * BK + k] * b;
        }
        __syncthreads();
    }
    for (int t = 0; t < TM; ++t) {
        float *c = C + (y * TM + t) * N + x;
        *c = alpha * sums[t] + beta * *c;
    }
}

/* kmutate launch
   int M = 1920, N = 2048, K = 768; dim3 block = { 256 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   ladder_square<128, 128, 8, 8, 8>(M, N, K, 0.5f, A, B, 2.0f, C);
*/
// Fifth rung: eight by eight results in registers, single floats copied to the tiles.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(256, 1) ladder_square(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float as[BM * BK], bs[BK * BN];
    const int x = threadIdx.x % (BN / TN), y = threadIdx.x / (BN / TN), threads = BM * BN / (TM * TN);
    A += (size_t)blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += (size_t)blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[TM * TN] = { 0.0f }, ra[TM], rb[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = threadIdx.x; e < BM * BK; e += threads)
            as[e] = A[(e / BK) * K + k0 + e % BK];
        for (int e = threadIdx.x; e < BK * BN; e += threads)
            bs[e] = B[(k0 + e / BN) * N + e % BN];
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < TM; ++i)
                ra[i] = as[(y * TM + i) * BK + k];
            for (int j = 0; j < TN; ++j)
                rb[j] = bs[k * BN + x * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    sums[i * TN + j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            float *c = C + (y * TM + i) * N + x * TN + j;
            *c = alpha * sums[i * TN + j] + beta * *c;
        }
}

/* kmutate launch
   int M = 2048, N = 2176, K = 1280; dim3 block = { 256 }; dim3 grid = { N / 128, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = uniform(-1, 1);
   ladder_vectors(M, N, K, 0.5f, (float4 *)A, (float4 *)B, 2.0f, (float4 *)C);
*/
// Sixth rung: four floats at a time everywhere, A turned around on its way into shared memory.
__global__ void __launch_bounds__(256) ladder_vectors(int M, int N, int K, float alpha, const float4 *A, const float4 *B, float beta, float4 *C)
{
    __shared__ float as[8][128];
    __shared__ float4 bs[8][32];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const int arow = threadIdx.x / 2, aquad = threadIdx.x % 2, brow = threadIdx.x / 32, bquad = threadIdx.x % 32;
    float sums[8][8] = {};
    for (int k0 = 0; k0 < K; k0 += 8) {
        const float4 a = A[((size_t)(blockIdx.y * 128 + arow) * K + k0) / 4 + aquad];
        as[4 * aquad][arow] = a.x;
        as[4 * aquad + 1][arow] = a.y;
        as[4 * aquad + 2][arow] = a.z;
        as[4 * aquad + 3][arow] = a.w;
        bs[brow][bquad] = B[((size_t)(k0 + brow) * N + blockIdx.x * 128) / 4 + bquad];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float ra[8], rb[8];
            *(float4 *)ra = *(const float4 *)&as[k][8 * y];
            *(float4 *)(ra + 4) = *(const float4 *)&as[k][8 * y + 4];
            *(float4 *)rb = bs[k][2 * x];
            *(float4 *)(rb + 4) = bs[k][2 * x + 1];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sums[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            float4 *c = C + ((size_t)(blockIdx.y * 128 + 8 * y + i) * N + blockIdx.x * 128) / 4 + 2 * x + q;
            const float4 old = *c;
            *c = make_float4(alpha * sums[i][4 * q] + beta * old.x, alpha * sums[i][4 * q + 1] + beta * old.y,
                             alpha * sums[i][4 * q + 2] + beta * old.z, alpha * sums[i][4 * q + 3] + beta * old.w);
        }
}

/* kmutate launch
   int M = 1024, N = 1024, K = 1024; dim3 block = { 16, 16 }; dim3 grid = { N / 32, M / 16 };
   half A[M * K] = uniform(-1, 1); half B[K * N] = uniform(-1, 1); half C[M * N] = zeros();
   hgemm_plain(N, K, A, (half2 *)B, (half2 *)C);
*/
// Halves, multiplied and added as pairs of neighbouring columns, without tensor cores.
__global__ void hgemm_plain(int N, int K, const half *A, const half2 *B, half2 *C)
{
    __shared__ half as[16][16];
    __shared__ half2 bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, pair = blockIdx.x * 16 + tx;
    half2 sum = __float2half2_rn(0.0f);
    for (int k0 = 0; k0 < K; k0 += 16) {
        as[ty][tx] = A[row * K + k0 + tx];
        bs[ty][tx] = B[(k0 + ty) * (N / 2) + pair];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum = __hfma2(__half2half2(as[ty][k]), bs[k][tx], sum);
        __syncthreads();
    }
    C[row * (N / 2) + pair] = sum;
}

// ---------------------------------------------------------------------------------------------- grids and particles

/* kmutate launch
   int nx = 256, ny = 200, nz = 144, cells = nx * ny * nz; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8, nz };
   float ex[cells] = uniform(-1, 1); float ey[cells] = uniform(-1, 1); float ez[cells] = uniform(-1, 1);
   float hx[cells] = uniform(-1, 1); float hy[cells] = uniform(-1, 1); float hz[cells] = uniform(-1, 1);
   yee_electric(ex, ey, ez, hx, hy, hz, nx, ny, nz, 0.5f);
*/
// Maxwell's equations on staggered grids in three dimensions: the electric field from the curl of the magnetic one.
__global__ void yee_electric(float *ex, float *ey, float *ez, const float *hx, const float *hy, const float *hz, int nx, int ny, int nz, float c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (i == 0 || j == 0 || k == 0 || i >= nx || j >= ny || k >= nz) return;
    const int at = (k * ny + j) * nx + i, dy = nx, dz = nx * ny;
    ex[at] += c * ((hz[at] - hz[at - dy]) - (hy[at] - hy[at - dz]));
    ey[at] += c * ((hx[at] - hx[at - dz]) - (hz[at] - hz[at - 1]));
    ez[at] += c * ((hy[at] - hy[at - 1]) - (hx[at] - hx[at - dy]));
}

#define WAVE_X 32
#define WAVE_Y 16
#define WAVE_RIM 2

/* kmutate launch
   int nx = 384, ny = 320, nz = 120, cells = nx * ny * nz; dim3 block = { WAVE_X, WAVE_Y }; dim3 grid = { nx / WAVE_X, ny / WAVE_Y, 2 };
   float next[cells] = uniform(-1, 1); float now[cells] = uniform(-1, 1); float speed[cells] = uniform(0.1, 0.2);
   wave_queue(next, now, speed, nx, ny, nz);
*/
// Waves, fourth order in space: blocks walk through planes with a tile of the present one in shared memory and the planes
// above and below in registers.
__global__ void wave_queue(float *next, const float *now, const float *speed, int nx, int ny, int nz)
{
    __shared__ float tile[WAVE_Y + 2 * WAVE_RIM][WAVE_X + 2 * WAVE_RIM];
    const int x = blockIdx.x * WAVE_X + threadIdx.x, y = blockIdx.y * WAVE_Y + threadIdx.y;
    const int tx = threadIdx.x + WAVE_RIM, ty = threadIdx.y + WAVE_RIM, plane = nx * ny;
    const int first = max(blockIdx.z * (nz / 2), WAVE_RIM), last = min((blockIdx.z + 1) * (nz / 2), nz - WAVE_RIM);
    const bool inner = x >= WAVE_RIM && x < nx - WAVE_RIM && y >= WAVE_RIM && y < ny - WAVE_RIM;
    int at = first * plane + y * nx + x;
    float below2 = now[at - 2 * plane], below1 = now[at - plane], here = now[at], above1 = now[at + plane];
    for (int z = first; z < last; z++, at += plane) {
        const float above2 = now[at + 2 * plane];
        __syncthreads();
        tile[ty][tx] = here;
        if (threadIdx.x < WAVE_RIM) {
            tile[ty][threadIdx.x] = x >= WAVE_RIM ? now[at - WAVE_RIM] : 0.0f;
            tile[ty][tx + WAVE_X] = x + WAVE_X < nx ? now[at + WAVE_X] : 0.0f;
        }
        if (threadIdx.y < WAVE_RIM) {
            tile[threadIdx.y][tx] = y >= WAVE_RIM ? now[at - WAVE_RIM * nx] : 0.0f;
            tile[ty + WAVE_Y][tx] = y + WAVE_Y < ny ? now[at + WAVE_Y * nx] : 0.0f;
        }
        __syncthreads();
        if (inner) {
            const float far = tile[ty][tx - 2] + tile[ty][tx + 2] + tile[ty - 2][tx] + tile[ty + 2][tx] + below2 + above2;
            const float near = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below1 + above1;
            const float laplacian = -7.5f * here + 1.3333333f * near - 0.0833333f * far;
            next[at] = 2.0f * here - next[at] + speed[at] * laplacian;
        }
        below2 = below1;
        below1 = here;
        here = above1;
        above1 = above2;
    }
}

/* kmutate launch
   int rows = 3000, cols = 4096; dim3 block = { 16, 16 }; dim3 grid = { ceil_div(cols, 16), ceil_div(rows, 16) };
   float out[rows * cols] = zeros(); float temp[rows * cols] = uniform(320, 340); float power[rows * cols] = uniform(0, 0.001);
   heat_plate_step(out, temp, power, rows, cols, 0.7f, 0.1f, 0.1f, 0.05f, 80.0f);
*/
// One step of the temperatures on a chip, straight from memory; cells at the border have themselves for neighbours.
__global__ void heat_plate_step(float *out, const float *temp, const float *power, int rows, int cols, float cap, float rx, float ry, float rz, float ambient)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= cols) return;
    int north = r > 0 ? r - 1 : 0, south = r < rows - 1 ? r + 1 : rows - 1;
    int west = c > 0 ? c - 1 : 0, east = c < cols - 1 ? c + 1 : cols - 1;
    float t = temp[r * cols + c];
    float delta = power[r * cols + c] + (temp[south * cols + c] + temp[north * cols + c] - 2.0f * t) * ry +
                  (temp[r * cols + east] + temp[r * cols + west] - 2.0f * t) * rx + (ambient - t) * rz;
    out[r * cols + c] = t + cap * delta;
}

/* kmutate launch
   int rows = 2048, cols = 3072, n = rows * cols; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float image[n] = uniform(0.5, 1.5); float c[n] = uniform(0, 1); float dn[n] = normal(0, 0.1); float ds[n] = normal(0, 0.1);
   float dw[n] = normal(0, 0.1); float de[n] = normal(0, 0.1);
   int south[rows] = iota(1); int east[cols] = iota(1);
   speckle_update(image, c, dn, ds, dw, de, south, east, rows, cols, 0.125f);
*/
// The second half of a step against speckle: the divergence of what flows, with the neighbours' places looked up in tables.
__global__ void speckle_update(float *image, const float *c, const float *dn, const float *ds, const float *dw, const float *de, const int *south, const int *east,
                               int rows, int cols, float rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    int row = i % rows, col = i / rows;
    int below = min(south[row], rows - 1), right = min(east[col], cols - 1);
    float cn = c[i], cs = c[below + rows * col], ce = c[row + rows * right];
    float divergence = cn * dn[i] + cs * ds[i] + cn * dw[i] + ce * de[i];
    image[i] += 0.25f * rate * divergence;
}

__constant__ int lattice_x[9], lattice_y[9];
__constant__ float lattice_weight[9];

/* kmutate launch
   int nx = 2048, ny = 1200, cells = nx * ny; dim3 block = { 128 }; dim3 grid = { nx / 128, ny };
   extern int lattice_x[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }; extern int lattice_y[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
   extern float lattice_weight[9] = { 0.4444444f, 0.1111111f, 0.1111111f, 0.1111111f, 0.1111111f, 0.0277778f, 0.0277778f, 0.0277778f, 0.0277778f };
   float to[9 * cells] = zeros(); float from[9 * cells] = uniform(0.08, 0.13); unsigned char solid[cells] = randint(0, 40);
   lattice_pull(to, from, solid, nx, ny, 1.7f);
*/
// Lattice Boltzmann, nine populations in arrays of their own: pulled from the neighbours, relaxed, or thrown back by a wall.
// One cell in forty is a wall.
__global__ void lattice_pull(float *to, const float *from, const unsigned char *solid, int nx, int ny, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, at = y * nx + x;
    const size_t cells = (size_t)nx * ny;
    float f[9], density = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
    for (int d = 0; d < 9; d++) {
        const int sx = (x - lattice_x[d] + nx) % nx, sy = (y - lattice_y[d] + ny) % ny;
        f[d] = from[d * cells + sy * nx + sx];
        density += f[d];
        ux += f[d] * lattice_x[d];
        uy += f[d] * lattice_y[d];
    }
    if (solid[at] == 0) {
        const int back[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
#pragma unroll
        for (int d = 0; d < 9; d++)
            to[d * cells + at] = f[back[d]];
        return;
    }
    ux /= density;
    uy /= density;
    const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int d = 0; d < 9; d++) {
        const float along = 3.0f * (lattice_x[d] * ux + lattice_y[d] * uy);
        const float equilibrium = lattice_weight[d] * density * (1.0f + along + 0.5f * along * along - square);
        to[d * cells + at] = f[d] + omega * (equilibrium - f[d]);
    }
}

/* kmutate launch
   int nx = 3072, ny = 1536, n = nx * ny; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8 };
   double w[n] = zeros(); double p[n] = uniform(-1, 1); double kx[n] = uniform(0.1, 1); double ky[n] = uniform(0.1, 1); double partial[grid.x * grid.y] = zeros();
   conduct_product(w, p, kx, ky, partial, nx, ny);
*/
// Conjugate gradients for heat conduction without a matrix: A times p from five points with conductivities on the faces, and
// the block's part of the dot product of both.
__global__ void conduct_product(double *w, const double *p, const double *kx, const double *ky, double *partial, int nx, int ny)
{
    __shared__ double sums[256];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, t = threadIdx.y * 32 + threadIdx.x;
    const size_t at = (size_t)y * nx + x;
    double product = 0.0;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        const double value = (1.0 + ky[at + nx] + ky[at] + kx[at + 1] + kx[at]) * p[at] - (ky[at + nx] * p[at + nx] + ky[at] * p[at - nx]) -
                             (kx[at + 1] * p[at + 1] + kx[at] * p[at - 1]);
        w[at] = value;
        product = value * p[at];
    }
    sums[t] = product;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) sums[t] += sums[t + half];
    }
    if (t == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = sums[0];
}

/* kmutate launch
   int side = 112, nodes = (side + 1) * (side + 1) * (side + 1), bricks = side * side * side; dim3 block = { 128 }; dim3 grid = { ceil_div(bricks, 128) };
   double volume[bricks] = zeros(); double length[bricks] = zeros(); double x[nodes] = iota(0, 0.001); double y[nodes] = uniform(0, 1); double z[nodes] = uniform(0, 1);
   double strain[bricks] = uniform(0.9, 1.1);
   brick_volumes(volume, length, x, y, z, strain, side);
*/
// Hydrodynamics on bricks: volumes from the coordinates of eight corners by three triple products, and a characteristic
// length from the largest of the faces.
__global__ void brick_volumes(double *volume, double *length, const double *x, const double *y, const double *z, const double *strain, int side)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= side * side * side) return;
    const int i = e % side, j = e / side % side, k = e / (side * side), dy = side + 1, dz = dy * dy;
    const int base = (k * dy + j) * dy + i;
    const int corner[8] = { base, base + 1, base + dy + 1, base + dy, base + dz, base + dz + 1, base + dz + dy + 1, base + dz + dy };
    double px[8], py[8], pz[8];
#pragma unroll
    for (int c = 0; c < 8; c++) {
        px[c] = x[corner[c]];
        py[c] = y[corner[c]];
        pz[c] = z[corner[c]];
    }
    const int ends[3][3] = { { 1, 2, 3 }, { 4, 5, 1 }, { 3, 7, 4 } };
    double sum = 0.0, largest = 0.0;
#pragma unroll
    for (int t = 0; t < 3; t++) {
        const int a = ends[t][0], b = ends[t][1], c = ends[t][2];
        const double ax = px[6] - px[a], ay = py[6] - py[a], az = pz[6] - pz[a];
        const double bx = px[b] - px[0], by = py[b] - py[0], bz = pz[b] - pz[0];
        const double cx = px[c] - px[0], cy = py[c] - py[0], cz = pz[c] - pz[0];
        const double nx = by * cz - bz * cy, ny = bz * cx - bx * cz, nz = bx * cy - by * cx;
        sum += ax * nx + ay * ny + az * nz;
        largest = fmax(largest, nx * nx + ny * ny + nz * nz);
    }
    const double v = sum * (1.0 / 6.0) * strain[e];
    volume[e] = v;
    length[e] = 4.0 * fabs(v) / sqrt(sqrt(largest) * 4.0);
}

/* kmutate launch
   int sites = 331776; dim3 block = { 128 }; dim3 grid = { sites * 4 / 128 };
   float2 c[sites * 36] = zeros(); float2 a[sites * 36] = uniform(-1, 1); float2 b[36] = uniform(-1, 1);
   su3_products(c, a, b, sites);
*/
// Complex matrices of three by three on the links of a lattice, one for each thread, which lie 72 bytes apart.
__global__ void su3_products(float2 *c, const float2 *a, const float2 *b, int sites)
{
    const int link = blockIdx.x * blockDim.x + threadIdx.x;
    if (link >= 4 * sites) return;
    const float2 *left = a + (size_t)link * 9, *right = b + (link & 3) * 9;
    float2 *to = c + (size_t)link * 9;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            float re = 0.0f, im = 0.0f;
            for (int k = 0; k < 3; k++) {
                const float2 p = left[i * 3 + k], q = right[k * 3 + j];
                re += p.x * q.x - p.y * q.y;
                im += p.x * q.y + p.y * q.x;
            }
            to[i * 3 + j] = make_float2(re, im);
        }
}

#define SLOTS 64

/* kmutate launch
   int side = 14, cells = side * side * side; dim3 block = { SLOTS }; dim3 grid = { side, side, side };
   double4 force[cells * SLOTS] = zeros(); double4 at[cells * SLOTS] = uniform(0, 1); int count[cells] = randint(36, 61);
   cell_forces_fp64(force, at, count, 0.81, 0.5);
*/
// Particles in boxes that reach as far as the force: a block has a box and goes through its neighbours by way of shared
// memory. Potential and force in doubles, with an exponential; the fourth number of a particle is its charge.
__global__ void cell_forces_fp64(double4 *force, const double4 *at, const int *count, double cutoff2, double alpha)
{
    __shared__ double4 other[SLOTS];
    const int x = blockIdx.x, y = blockIdx.y, z = blockIdx.z, nx = gridDim.x, ny = gridDim.y, nz = gridDim.z;
    const int home = (z * ny + y) * nx + x, t = threadIdx.x;
    const bool mine = t < count[home];
    double4 p = make_double4(0, 0, 0, 0), sum = make_double4(0, 0, 0, 0);
    if (mine) p = at[home * SLOTS + t];
    for (int step = 0; step < 27; step++) {
        const int dx = step % 3 - 1, dy = step / 3 % 3 - 1, dz = step / 9 - 1;
        if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny || z + dz < 0 || z + dz >= nz) continue;
        const int cell = ((z + dz) * ny + y + dy) * nx + x + dx, there = count[cell];
        __syncthreads();
        if (t < there) other[t] = at[cell * SLOTS + t];
        __syncthreads();
        if (!mine) continue;
        for (int k = 0; k < there; k++) {
            const double rx = p.x - other[k].x - dx, ry = p.y - other[k].y - dy, rz = p.z - other[k].z - dz;
            const double r2 = rx * rx + ry * ry + rz * rz;
            if (r2 < cutoff2) {
                const double u = other[k].w * exp(-alpha * r2), f = 2.0 * alpha * u;
                sum.x += f * rx;
                sum.y += f * ry;
                sum.z += f * rz;
                sum.w += u;
            }
        }
    }
    if (mine) force[home * SLOTS + t] = sum;
}

/* kmutate launch
   int side = 20, slots = 24, most = 96, n = side * side * side * slots; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   int list[most * n] = zeros(); int found[n] = zeros(); float4 at[n] = uniform(0, 1); int count[side * side * side] = randint(14, 24);
   neighbour_list(list, found, at, count, side, slots, most, n, 0.85f);
*/
// The list of each atom's neighbours, from the 27 cells around it; the k-th neighbours of all atoms lie side by side.
__global__ void neighbour_list(int *list, int *found, const float4 *at, const int *count, int side, int slots, int most, int n, float cutoff2)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int cell = i / slots, x = cell % side, y = cell / side % side, z = cell / (side * side);
    if (i % slots >= count[cell]) {
        found[i] = 0;
        return;
    }
    const float4 me = at[i];
    int k = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int ox = (x + dx + side) % side, oy = (y + dy + side) % side, oz = (z + dz + side) % side;
                const int there = (oz * side + oy) * side + ox, last = there * slots + count[there];
                for (int j = there * slots; j < last; j++) {
                    const float4 o = at[j];
                    const float rx = me.x - o.x - dx, ry = me.y - o.y - dy, rz = me.z - o.z - dz;
                    if (rx * rx + ry * ry + rz * rz < cutoff2 && j != i && k < most) list[k++ * n + i] = j;
                }
            }
    found[i] = k;
}

/* kmutate launch
   int n = 24576; dim3 block = { 256 }; dim3 grid = { n / 256 }; int smem = 256 * sizeof(float4);
   float4 next[n] = zeros(); float4 body[n] = uniform(-1, 1); float4 velocity[n] = normal(0, 0.01);
   nbody_tiles(next, velocity, body, n, 0.01f, 0.002f);
*/
// Gravity among all bodies: 256 at a time through shared memory; then a step forwards.
__global__ void nbody_tiles(float4 *next, float4 *velocity, const float4 *__restrict__ body, int n, float dt, float soft2)
{
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float3 pull = { 0.0f, 0.0f, 0.0f };
    for (int base = 0; base < n; base += blockDim.x) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < blockDim.x; k++) {
            const float4 o = tile[k];
            const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + soft2);
            const float weight = fabsf(o.w) * inverse * inverse * inverse;
            pull.x += dx * weight;
            pull.y += dy * weight;
            pull.z += dz * weight;
        }
        __syncthreads();
    }
    float4 v = velocity[i];
    v.x += pull.x * dt;
    v.y += pull.y * dt;
    v.z += pull.z * dt;
    velocity[i] = v;
    me.x += v.x * dt;
    me.y += v.y * dt;
    me.z += v.z * dt;
    next[i] = me;
}

/* kmutate launch
   int n = 1 << 20; dim3 block = { 256 }; dim3 grid = { n / 256 };
   double x[n] = normal(64, 5); double y[n] = normal(64, 5); int seed[n] = randint(1, 2000000000);
   particle_motion(x, y, seed, n);
*/
// A particle filter's motion: two normals for each particle by a linear congruence and Box and Muller, all in doubles.
__device__ double draw_uniform(int *seed, int i)
{
    const int next = (int)((1103515245ll * seed[i] + 12345ll) % 2147483647ll);
    seed[i] = next;
    return fabs(next / 2147483647.0);
}

__device__ double draw_normal(int *seed, int i)
{
    const double u = draw_uniform(seed, i), v = draw_uniform(seed, i);
    return sqrt(-2.0 * log(u + 1e-12)) * cos(2.0 * 3.14159265358979 * v);
}

__global__ void particle_motion(double *x, double *y, int *seed, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        x[i] += 1.0 + 5.0 * draw_normal(seed, i);
        y[i] += -2.0 + 2.0 * draw_normal(seed, i);
    }
}

// ------------------------------------------------------------------------------------------------- graphs and sparse rows

/* kmutate launch
   int nodes = 500000, lo = 2, hi = 36, edges = csr_nnz(nodes, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(nodes, 32) };
   int level[nodes] = randint(-1, 4); int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int target[edges] = csr_colidx(nodes); int again[1] = zeros();
   bfs_eight_lanes(level, start, target, again, nodes, 3);
*/
// A level of a breadth-first search: eight lanes share the edges of a node. One in five is on the front, one in five not seen yet.
__global__ void bfs_eight_lanes(int *level, const int *start, const int *target, int *again, int nodes, int now)
{
    const int node = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (node >= nodes || level[node] != now) return;
    const int last = start[node + 1];
    for (int e = start[node] + lane; e < last; e += 8) {
        const int other = target[e];
        if (level[other] < 0) {
            level[other] = now + 1;
            *again = 1;
        }
    }
}

/* kmutate launch
   int nodes = 800000, lo = 1, hi = 20, edges = csr_nnz(nodes, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(nodes, 256) };
   int fresh[nodes] = randint(0, 100000); int dist[nodes] = randint(0, 100000); unsigned char active[nodes] = randint(0, 2);
   int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int target[edges] = csr_colidx(nodes); int weight[edges] = randint(1, 1000);
   sssp_nodes(fresh, dist, active, start, target, weight, nodes);
*/
// Shortest paths: every node that has changed, one thread to each, offers its distance to its neighbours by atomic minima.
__global__ void sssp_nodes(int *fresh, const int *dist, unsigned char *active, const int *start, const int *target, const int *weight, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < nodes && active[v]) {
        active[v] = 0;
        for (int e = start[v]; e < start[v + 1]; e++)
            atomicMin(&fresh[target[e]], dist[v] + weight[e]);
    }
}

/* kmutate launch
   int n = 900000, lo = 3, hi = 21, edges = csr_nnz(n, lo, hi); dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   int state_out[n] = zeros(); int state[n] = randint(0, 3); int start[n + 1] = csr_rowptr(n, lo, hi); int target[edges] = csr_colidx(n);
   independent_round(state_out, state, start, target, n, 77u);
*/
// A round of Luby's choice of an independent set: a node that is undecided joins if no such neighbour has a larger number.
__global__ void independent_round(int *state_out, const int *state, const int *start, const int *target, int n, unsigned seed)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int mine = state[v];
    if (mine == 0) {
        const unsigned number = mix_bits(v ^ seed);
        bool best = true;
        for (int e = start[v]; e < start[v + 1] && best; e++) {
            const int other = target[e];
            if (other != v && state[other] == 0) {
                const unsigned theirs = mix_bits(other ^ seed);
                best = number > theirs || (number == theirs && v > other);
            }
        }
        mine = best ? 1 : 0;
    }
    state_out[v] = mine;
}

/* kmutate launch
   int n = 6000000; dim3 block = { 512 }; dim3 grid = { ceil_div(n, 512) };
   int to[n] = zeros(); int parent[n] = randint(0, 6000000); int changed[1] = zeros();
   pointer_jump(to, parent, changed, n);
*/
// Connected components: everybody takes the parent of the parent, wherever that is.
__global__ void pointer_jump(int *to, const int *parent, int *changed, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int up = parent[i], above = parent[up];
    if (up != above) *changed = 1;
    to[i] = above;
}

/* kmutate launch
   int rows = 400000, cols = 400000, lo = 1, hi = 24, nnz = csr_nnz(rows, lo, hi); dim3 block = { 128 }; dim3 grid = { ceil_div(rows, 32) };
   float y[rows] = zeros(); int start[rows + 1] = csr_rowptr(rows, lo, hi); int column[nnz] = csr_colidx(cols); float value[nnz] = uniform(-1, 1); float x[cols] = uniform(-1, 1);
   spmv_four_lanes(y, start, column, value, x, rows);
*/
// Sparse rows by four lanes each, whose sums are put together by shuffles among the four.
__global__ void spmv_four_lanes(float *y, const int *__restrict__ start, const int *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, lane = threadIdx.x % 4;
    float sum = 0.0f;
    if (row < rows)
        for (int e = start[row] + lane; e < start[row + 1]; e += 4)
            sum += value[e] * x[column[e]];
    sum += __shfl_xor_sync(0xffffffffu, sum, 2, 4);
    sum += __shfl_xor_sync(0xffffffffu, sum, 1, 4);
    if (row < rows && lane == 0) y[row] = sum;
}

// ------------------------------------------------------------------------------------------------------ data and searches

#define CENTRES 24
#define FEATURES 16
__constant__ float centre[CENTRES * FEATURES];

/* kmutate launch
   int n = 1500000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   extern float centre[CENTRES * FEATURES] = uniform(-1, 1);
   int member[n] = randint(0, 24); float feature[FEATURES * n] = uniform(-1, 1); int moved[1] = zeros();
   kmeans_constant(member, feature, moved, n);
*/
// The nearest centre of each point, centres in constant memory, features of all points side by side; counts who moved.
__global__ void kmeans_constant(int *member, const float *feature, int *moved, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    int nearest = -1;
    float least = 3.4e38f;
    for (int c = 0; c < CENTRES; c++) {
        float sum = 0.0f;
        for (int f = 0; f < FEATURES; f++) {
            float d = feature[f * n + p] - centre[c * FEATURES + f];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            nearest = c;
        }
    }
    if (nearest != member[p]) {
        atomicAdd(moved, 1);
        member[p] = nearest;
    }
}

/* kmutate launch
   int queries = 65536, refs = 3072; dim3 block = { 128 }; dim3 grid = { queries / 128 };
   int best[queries] = zeros(); float4 query[queries * 4] = uniform(-1, 1); float4 ref[refs * 4] = uniform(-1, 1);
   nearest_async(best, query, ref, refs);
*/
// The nearest of many references in sixteen dimensions: the query stays in registers, references come by asynchronous copies
// into one half of a buffer while the other is worked on.
__global__ void __launch_bounds__(128) nearest_async(int *best, const float4 *query, const float4 *ref, int refs)
{
    __shared__ float4 tile[2][64][4];
    const int q = blockIdx.x * 128 + threadIdx.x;
    float4 me[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        me[k] = query[q * 4 + k];
    auto fetch = [&](int half, int first) {
        for (int e = threadIdx.x; e < 256; e += 128)
            __pipeline_memcpy_async(&tile[half][e / 4][e % 4], ref + first * 4 + e, 16);
        __pipeline_commit();
    };
    fetch(0, 0);
    float least = INFINITY;
    int at = 0;
    for (int first = 0; first < refs; first += 64) {
        const int half = first / 64 & 1;
        if (first + 64 < refs) {
            fetch(half ^ 1, first + 64);
            __pipeline_wait_prior(1);
        } else
            __pipeline_wait_prior(0);
        __syncthreads();
        for (int r = 0; r < 64; r++) {
            float sum = 0.0f;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const float4 o = tile[half][r][k];
                const float a = o.x - me[k].x, b = o.y - me[k].y, c = o.z - me[k].z, d = o.w - me[k].w;
                sum += a * a + b * b + c * c + d * d;
            }
            if (sum < least) {
                least = sum;
                at = first + r;
            }
        }
        __syncthreads();
    }
    best[q] = at;
}

__constant__ signed char exchange[24 * 24];

/* kmutate launch
   int pairs = 6000, width = 200; dim3 block = { 128 }; dim3 grid = { pairs };
   extern signed char exchange[24 * 24] = randint(-4, 9);
   int score[pairs] = zeros(); unsigned char query[pairs * 128] = randint(0, 20); unsigned char target[pairs * width] = randint(0, 20);
   local_alignments(score, query, target, width, 3);
*/
// Smith's and Waterman's alignment of a pair of proteins by each block: a thread has a row, the front moves along diagonals
// with a barrier for each, and the scores of exchanges come from constant memory, different ones for all lanes.
__global__ void local_alignments(int *score, const unsigned char *query, const unsigned char *target, int width, int gap)
{
    __shared__ int diagonal[3][129];
    __shared__ int top;
    const int t = threadIdx.x, letter = query[blockIdx.x * 128 + t];
    const unsigned char *other = target + (size_t)blockIdx.x * width;
    for (int k = 0; k < 3; k++)
        diagonal[k][t + 1] = 0;
    if (t < 3) diagonal[t][0] = 0;
    if (t == 0) top = 0;
    int best = 0;
    __syncthreads();
    for (int step = 0; step < width + 127; step++) {
        const int j = step - t, now = step % 3, before = (step + 2) % 3, earlier = (step + 1) % 3;
        int h = 0;
        if (j >= 0 && j < width) {
            const int met = j > 0 ? diagonal[earlier][t] : 0;
            h = max(max(0, met + exchange[letter * 24 + other[j]]), max(diagonal[before][t] - gap, diagonal[before][t + 1] - gap));
            best = max(best, h);
        }
        diagonal[now][t + 1] = h;
        __syncthreads();
    }
    atomicMax(&top, best);
    __syncthreads();
    if (t == 0) score[blockIdx.x] = top;
}

/* kmutate launch
   int queries = 1 << 20, leaves = 1 << 20; dim3 block = { 256 }; dim3 grid = { queries / 256 };
   int found[queries] = zeros(); int wanted[queries] = randint(0, 1 << 30);
   int root[16] = iota(0, 1 << 26); int upper[256] = iota(0, 1 << 22); int middle[4096] = iota(0, 1 << 18);
   int lower[65536] = iota(0, 1 << 14); int leaf[leaves] = iota(0, 1 << 10);
   tree_lookups(found, wanted, root, upper, middle, lower, leaf);
*/
// Look-ups in a tree of sixteen keys a node, one for each thread, which goes through the keys of its node one by one.
__device__ __forceinline__ int child_of(const int *keys, int node, int wanted)
{
    int k = 0;
    while (k < 15 && keys[node * 16 + k + 1] <= wanted)
        k++;
    return node * 16 + k;
}

__global__ void tree_lookups(int *found, const int *wanted, const int *root, const int *upper, const int *middle, const int *lower, const int *leaf)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, key = wanted[i];
    int node = child_of(root, 0, key);
    node = child_of(upper, node, key);
    node = child_of(middle, node, key);
    node = child_of(lower, node, key);
    node = child_of(leaf, node, key);
    found[i] = leaf[node] == key ? node : ~node;
}

/* kmutate launch
   int n = 1 << 23; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float partial[grid.x] = zeros(); float in[n] = uniform(0, 1);
   reduce_strided(partial, in);
*/
// A sum whose working threads stay together while what they add moves apart, on the same banks.
__global__ void reduce_strided(float *partial, const float *in)
{
    __shared__ float s[256];
    unsigned int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int at = 2 * stride * t;
        if (at < blockDim.x) s[at] += s[at + stride];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = s[0];
}

/* kmutate launch
   int n = 1 << 25, blocks = 2048; dim3 block = { 512 }; dim3 grid = { blocks };
   long long partial[blocks] = zeros(); int in[n] = randint(-1000, 1000);
   reduce_unrolled<512>(partial, in, n);
*/
// A sum of integers: many elements for each thread, a tree in shared memory that is written out, shuffles for the last warp.
template <int THREADS>
__global__ void reduce_unrolled(long long *partial, const int *in, int n)
{
    __shared__ long long s[THREADS];
    const int t = threadIdx.x, stride = THREADS * 2 * gridDim.x;
    long long sum = 0;
    for (int i = blockIdx.x * THREADS * 2 + t; i < n; i += stride)
        sum += in[i] + (i + THREADS < n ? in[i + THREADS] : 0);
    s[t] = sum;
    __syncthreads();
    if (THREADS >= 512) {
        if (t < 256) s[t] += s[t + 256];
        __syncthreads();
    }
    if (THREADS >= 256) {
        if (t < 128) s[t] += s[t + 128];
        __syncthreads();
    }
    if (THREADS >= 128) {
        if (t < 64) s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32) {
        sum = s[t] + s[t + 32];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (t == 0) partial[blockIdx.x] = sum;
    }
}

/* kmutate launch
   int quads = 1 << 23; dim3 block = { 256 }; dim3 grid = { 264 };
   double total[1] = zeros(); float4 in[quads] = uniform(-1, 1);
   sum_of_squares(total, in, quads);
*/
// The square of a norm in one launch: a fixed number of blocks, four floats at a time, added in doubles, one atomic for each block.
__global__ void sum_of_squares(double *total, const float4 *in, int quads)
{
    __shared__ double parts[8];
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        const float4 v = in[i];
        sum += (double)(v.x * v.x + v.y * v.y) + (double)(v.z * v.z + v.w * v.w);
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            sum += parts[w];
        atomicAdd(total, sum);
    }
}

/* kmutate launch
   int w = 4096, h = 3072; dim3 block = { 16, 16 }; dim3 grid = { w / 16, h / 16 };
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 1);
   transpose_plain(out, in, w, h);
*/
// A transpose that reads along rows and writes along columns.
__global__ void transpose_plain(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

/* kmutate launch
   int w = 2560, h = 3072; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 32 };
   double out[w * h] = zeros(); double in[w * h] = uniform(0, 1);
   transpose_padded_fp64(out, in, w, h);
*/
// The same by way of a tile with a column to spare, in doubles.
__global__ void transpose_padded_fp64(double *out, const double *in, int w, int h)
{
    __shared__ double tile[32][32 + 1];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(size_t)(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
}

#define SPREAD(i) ((i) + ((i) >> 5))

/* kmutate launch
   int n = 1 << 23; dim3 block = { 256 }; dim3 grid = { n / 512 }; int smem = SPREAD(512) * sizeof(int);
   int out[n] = zeros(); int total[grid.x] = zeros(); int in[n] = randint(0, 50);
   scan_balanced(out, total, in);
*/
// Prefix sums of 512 elements by a balanced tree: up, and down again; places are spread so that banks differ.
__global__ void scan_balanced(int *out, int *total, const int *in)
{
    extern __shared__ int part[];
    const int t = threadIdx.x, base = blockIdx.x * 512;
    part[SPREAD(t)] = in[base + t];
    part[SPREAD(t + 256)] = in[base + t + 256];
    int offset = 1;
    for (int d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            const int a = SPREAD(offset * (2 * t + 1) - 1), b = SPREAD(offset * (2 * t + 2) - 1);
            part[b] += part[a];
        }
        offset *= 2;
    }
    __syncthreads();
    if (t == 0) {
        total[blockIdx.x] = part[SPREAD(511)];
        part[SPREAD(511)] = 0;
    }
    for (int d = 1; d < 512; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int a = SPREAD(offset * (2 * t + 1) - 1), b = SPREAD(offset * (2 * t + 2) - 1), left = part[a];
            part[a] = part[b];
            part[b] += left;
        }
    }
    __syncthreads();
    out[base + t] = part[SPREAD(t)];
    out[base + t + 256] = part[SPREAD(t + 256)];
}

/* kmutate launch
   int n = 1 << 24, blocks = n / 8192; dim3 block = { 128 }; dim3 grid = { blocks };
   int counts[16 * blocks] = zeros(); uint4 key[n / 4] = randint(0, 4294967296ll);
   radix_counts(counts, key, 12);
*/
// How often each of sixteen digits occurs in the keys of a block: every thread counts for itself, in bytes in shared memory.
__global__ void radix_counts(int *counts, const uint4 *key, int shift)
{
    __shared__ unsigned char mine[16][128];
    __shared__ int sums[16];
    const int t = threadIdx.x;
    for (int d = 0; d < 16; d++)
        mine[d][t] = 0;
    if (t < 16) sums[t] = 0;
    for (int r = 0; r < 16; r++) {
        const uint4 k = key[blockIdx.x * 2048 + r * 128 + t];
        mine[k.x >> shift & 15][t]++;
        mine[k.y >> shift & 15][t]++;
        mine[k.z >> shift & 15][t]++;
        mine[k.w >> shift & 15][t]++;
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 16; k++)
        sum += mine[t / 8][(t % 8) * 16 + (k + t) % 16];
    atomicAdd(&sums[t / 8], sum);
    __syncthreads();
    if (t < 16) counts[t * gridDim.x + blockIdx.x] = sums[t];
}

/* kmutate launch
   int n = 1 << 22; dim3 block = { 256 }; dim3 grid = { 2 * n / 256 };
   unsigned out[2 * n] = zeros(); unsigned a[n] = ascending(0, 1u << 31); unsigned b[n] = ascending(0, 1u << 31);
   merge_by_ranks(out, a, b, n);
*/
// Two sorted lists become one: everybody looks for his place in the other list by halves.
__global__ void merge_by_ranks(unsigned *out, const unsigned *a, const unsigned *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool first = i < n;
    const int own = first ? i : i - n;
    const unsigned *other = first ? b : a;
    const unsigned key = first ? a[own] : b[own];
    int lo = 0, hi = n;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (other[mid] < key || (!first && other[mid] == key)) lo = mid + 1;
        else hi = mid;
    }
    out[own + lo] = key;
}

/* kmutate launch
   int words = 1 << 24; dim3 block = { 256 }; dim3 grid = { 1056 };
   unsigned bins[256] = zeros(); unsigned in[words] = randint(0, 4294967296ll);
   histogram_per_warp(bins, in, words);
*/
// A histogram of bytes, four to a word, with bins of its own for each warp in shared memory.
__global__ void histogram_per_warp(unsigned *bins, const unsigned *in, int words)
{
    __shared__ unsigned s[8][256];
    const int t = threadIdx.x, warp = t / 32;
    for (int w = 0; w < 8; w++)
        s[w][t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < words; i += gridDim.x * 256) {
        const unsigned v = in[i];
        atomicAdd(&s[warp][v & 255], 1);
        atomicAdd(&s[warp][v >> 8 & 255], 1);
        atomicAdd(&s[warp][v >> 16 & 255], 1);
        atomicAdd(&s[warp][v >> 24], 1);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; w++)
        sum += s[w][t];
    atomicAdd(bins + t, sum);
}

/* kmutate launch
   int rows = 8000000, groups = 6000; dim3 block = { 256 }; dim3 grid = { rows / 256 };
   double total[groups] = zeros(); int number[groups] = zeros(); int key[rows] = randint(0, 6000); float amount[rows] = uniform(0, 100); short day[rows] = randint(0, 365);
   group_sums(total, number, key, amount, day, rows, 30, 300);
*/
// A sum and a count for each group of a table, for rows of some days only, by atomics in memory.
__global__ void group_sums(double *total, int *number, const int *key, const float *amount, const short *day, int rows, int from, int to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows || day[i] < from || day[i] >= to) return;
    const int group = key[i];
    atomicAdd(total + group, (double)amount[i]);
    atomicAdd(number + group, 1);
}

/* kmutate launch
   int keys = 1 << 22, words = 1 << 20; dim3 block = { 256 }; dim3 grid = { keys / 256 };
   unsigned hit[keys / 32] = zeros(); unsigned long long key[keys] = randint(0, 1ll << 62); unsigned filter[words] = randint(0, 4294967296ll);
   bloom_queries(hit, key, filter, words - 1, 6);
*/
// Questions to a Bloom filter of four megabytes, half of its bits set: up to six looks, until one of them says no.
__global__ void bloom_queries(unsigned *hit, const unsigned long long *key, const unsigned *filter, unsigned mask, int looks)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long k = key[i];
    unsigned a = mix_bits((unsigned)k), b = mix_bits((unsigned)(k >> 32)) | 1;
    bool in = true;
    for (int look = 0; look < looks && in; look++) {
        in = filter[a >> 5 & mask] >> (a & 31) & 1;
        a += b;
    }
    const unsigned all = __ballot_sync(0xffffffffu, in);
    if ((threadIdx.x & 31) == 0) hit[i / 32] = all;
}

__constant__ unsigned char phrase[16];

/* kmutate launch
   int n = 1 << 26, stretch = 512; dim3 block = { 128 }; dim3 grid = { n / stretch / 128 };
   extern unsigned char phrase[16] = { 'h', 'e', 'l', 'd', 'o', 'u', 't', 'n', 'i', 'n', 'e' };
   int found[1] = zeros(); unsigned char text[n + 16] = randint(97, 123);
   horspool_stretches(found, text, stretch, 11);
*/
// Horspool's search: each thread has a stretch of the text, compares from the end and jumps by a table in shared memory.
__global__ void horspool_stretches(int *found, const unsigned char *text, int stretch, int length)
{
    __shared__ unsigned char jump[256];
    for (int c = threadIdx.x; c < 256; c += blockDim.x)
        jump[c] = length;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 0; k < length - 1; k++)
            jump[phrase[k]] = length - 1 - k;
    __syncthreads();
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * stretch;
    int hits = 0;
    for (int at = first; at < first + stretch;) {
        int k = length - 1;
        while (k >= 0 && text[at + k] == phrase[k])
            k--;
        if (k < 0) hits++;
        at += jump[text[at + length - 1]];
    }
    if (hits > 0) atomicAdd(found, hits);
}

/* kmutate launch
   int n = 1 << 24; dim3 block = { 256 }; dim3 grid = { n / 256 };
   int out[n] = zeros(); unsigned packed[n / 32 * 13 + 1] = randint(0, 4294967296ll);
   unpack_thirteen(out, packed, 1000, n);
*/
// A column of numbers of thirteen bits each, packed without gaps, unpacked and put on their base.
__global__ void unpack_thirteen(int *out, const unsigned *packed, int base, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned bit = i * 13u, word = bit >> 5;
    const unsigned v = __funnelshift_r(packed[word], packed[word + 1], bit & 31) & 0x1fffu;
    out[i] = base + (int)v;
}

// ---------------------------------------------------------------------------------------- signals, pictures, random numbers

/* kmutate launch
   int n = 1 << 23, half = 1 << 11; dim3 block = { 256 }; dim3 grid = { n / 2 / 256 };
   float2 data[n] = uniform(-1, 1);
   fft_stage(data, half, n);
*/
// One of many passes of a Fourier transform by twos, in place in memory, with the sine and cosine taken anew by everybody.
__global__ void fft_stage(float2 *data, int half, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    int k = i % half, top = i / half * 2 * half + k, bottom = top + half;
    float sine, cosine;
    sincosf(-3.14159265f * k / half, &sine, &cosine);
    float2 a = data[top], b = data[bottom];
    float re = b.x * cosine - b.y * sine, im = b.x * sine + b.y * cosine;
    data[top] = make_float2(a.x + re, a.y + im);
    data[bottom] = make_float2(a.x - re, a.y - im);
}

/* kmutate launch
   int w = 1280, h = 960; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   unsigned char out[w * h] = zeros(); unsigned char in[w * h] = randint(0, 256);
   median_window(out, in, w, h, 2);
*/
// The median of a window whose size is given at launch: pixels are put into an array of the thread's own and sorted half way.
__global__ void median_window(unsigned char *out, const unsigned char *in, int w, int h, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char window[49];
    int n = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            window[n++] = in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
    for (int i = 0; i <= n / 2; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            if (window[j] < window[least]) least = j;
        unsigned char swap = window[i];
        window[i] = window[least];
        window[least] = swap;
    }
    out[y * w + x] = window[n / 2];
}

__constant__ float cosines[64];
__constant__ unsigned short quantum[64];

/* kmutate launch
   int w = 3840, h = 2160; dim3 block = { 8, 8, 4 }; dim3 grid = { w / 32, h / 8 };
   extern float cosines[64] = uniform(-0.5, 0.5); extern unsigned short quantum[64] = randint(1, 60);
   unsigned char out[w * h] = zeros(); short coefficient[w * h] = randint(-20, 21);
   idct_tiles(out, coefficient, w);
*/
// A picture back from its cosine transform: four tiles of eight by eight for a block, first rows, then columns.
__global__ void idct_tiles(unsigned char *out, const short *coefficient, int w)
{
    __shared__ float s[4][8][9], half[4][8][9];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int tile = blockIdx.y * (w / 8) + blockIdx.x * 4 + z;
    s[z][y][x] = coefficient[tile * 64 + y * 8 + x] * (float)quantum[y * 8 + x];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += s[z][y][k] * cosines[k * 8 + x];
    half[z][y][x] = sum;
    __syncthreads();
    sum = 128.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += half[z][k][x] * cosines[k * 8 + y];
    out[(size_t)(blockIdx.y * 8 + y) * w + blockIdx.x * 32 + z * 8 + x] = (unsigned char)fminf(fmaxf(sum, 0.0f), 255.0f);
}

/* kmutate launch
   int rays = 131072, boxes = 1536; dim3 block = { 128 }; dim3 grid = { rays / 128 };
   int nearest[rays] = zeros(); float4 origin[rays] = uniform(-1, 0); float4 direction[rays] = uniform(0.1, 1);
   float4 low[boxes] = uniform(0, 10); float4 size[boxes] = uniform(0.1, 0.8);
   ray_boxes(nearest, origin, direction, low, size, boxes);
*/
// Every ray against every box by the method of slabs, 128 boxes at a time through shared memory.
__global__ void ray_boxes(int *nearest, const float4 *origin, const float4 *direction, const float4 *low, const float4 *size, int boxes)
{
    __shared__ float4 lows[128], highs[128];
    const int ray = blockIdx.x * 128 + threadIdx.x;
    const float4 o = origin[ray], d = direction[ray];
    const float ix = 1.0f / d.x, iy = 1.0f / d.y, iz = 1.0f / d.z;
    float closest = 1e30f;
    int hit = -1;
    for (int base = 0; base < boxes; base += 128) {
        const float4 l = low[base + threadIdx.x], e = size[base + threadIdx.x];
        __syncthreads();
        lows[threadIdx.x] = l;
        highs[threadIdx.x] = make_float4(l.x + e.x, l.y + e.y, l.z + e.z, 0.0f);
        __syncthreads();
        for (int b = 0; b < 128; b++) {
            const float4 lo = lows[b], hi = highs[b];
            const float x0 = (lo.x - o.x) * ix, x1 = (hi.x - o.x) * ix;
            const float y0 = (lo.y - o.y) * iy, y1 = (hi.y - o.y) * iy;
            const float z0 = (lo.z - o.z) * iz, z1 = (hi.z - o.z) * iz;
            const float in = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.0f));
            const float away = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
            if (in <= away && in < closest) {
                closest = in;
                hit = base + b;
            }
        }
    }
    nearest[ray] = hit;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 528 };
   unsigned long long inside[1] = zeros();
   throw_darts(inside, 2000, 4711u);
*/
// Pi by darts: a small generator for each thread, and hardly any memory at all.
__global__ void throw_darts(unsigned long long *inside, int darts, unsigned seed)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    unsigned x = mix_bits(blockIdx.x * blockDim.x + threadIdx.x + seed) | 1u, hits = 0;
    for (int k = 0; k < darts; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        const float u = x * 2.3283064e-10f;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        const float v = x * 2.3283064e-10f;
        if (u * u + v * v <= 1.0f) hits++;
    }
    atomicAdd(&sum, hits);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)sum);
}

/* kmutate launch
   int messages = 200000, blocks = 6; dim3 block = { 128 }; dim3 grid = { ceil_div(messages, 128) };
   unsigned digest[5 * messages] = zeros(); unsigned text[messages * blocks * 16] = randint(0, 4294967296ll);
   sha1_messages(digest, text, messages, blocks);
*/
// SHA-1 of many messages of the same length, one to a thread; words of a message lie together, so lanes are far apart.
__global__ void sha1_messages(unsigned *digest, const unsigned *text, int messages, int blocks)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= messages) return;
    unsigned h0 = 0x67452301u, h1 = 0xefcdab89u, h2 = 0x98badcfeu, h3 = 0x10325476u, h4 = 0xc3d2e1f0u;
    for (int b = 0; b < blocks; b++) {
        unsigned w[16];
#pragma unroll
        for (int k = 0; k < 16; k++)
            w[k] = __byte_perm(text[((size_t)m * blocks + b) * 16 + k], 0, 0x0123);
        unsigned a = h0, c1 = h1, c = h2, d = h3, e = h4;
#pragma unroll
        for (int r = 0; r < 80; r++) {
            if (r >= 16) {
                const unsigned mixed = w[(r + 13) & 15] ^ w[(r + 8) & 15] ^ w[(r + 2) & 15] ^ w[r & 15];
                w[r & 15] = __funnelshift_l(mixed, mixed, 1);
            }
            const unsigned f = r < 20 ? (c1 & c) | (~c1 & d) : r < 40 || r >= 60 ? c1 ^ c ^ d : (c1 & c) | (c1 & d) | (c & d);
            const unsigned k = r < 20 ? 0x5a827999u : r < 40 ? 0x6ed9eba1u : r < 60 ? 0x8f1bbcdcu : 0xca62c1d6u;
            const unsigned next = __funnelshift_l(a, a, 5) + f + e + k + w[r & 15];
            e = d;
            d = c;
            c = __funnelshift_l(c1, c1, 30);
            c1 = a;
            a = next;
        }
        h0 += a;
        h1 += c1;
        h2 += c;
        h3 += d;
        h4 += e;
    }
    digest[m] = h0;
    digest[messages + m] = h1;
    digest[2 * messages + m] = h2;
    digest[3 * messages + m] = h3;
    digest[4 * messages + m] = h4;
}

/* kmutate launch
   int n = 1 << 20; dim3 block = { 192 }; dim3 grid = { ceil_div(n, 192) };
   double price[n] = zeros(); double delta[n] = zeros(); double gamma[n] = zeros(); double vega[n] = zeros();
   double spot[n] = uniform(5, 30); double strike[n] = uniform(1, 100); double years[n] = uniform(0.25, 10);
   greeks_fp64(price, delta, gamma, vega, spot, strike, years, 0.02, 0.3, n);
*/
// The price of a call and what it depends on by the closed form, in doubles: a logarithm, roots, exponentials, error functions.
__global__ void greeks_fp64(double *price, double *delta, double *gamma, double *vega, const double *spot, const double *strike, const double *years, double rate, double sigma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = spot[i], k = strike[i], t = years[i], root = sqrt(t);
        double d1 = (log(s / k) + (rate + 0.5 * sigma * sigma) * t) / (sigma * root), d2 = d1 - sigma * root;
        double n1 = 0.5 * erfc(-0.7071067811865475 * d1), n2 = 0.5 * erfc(-0.7071067811865475 * d2);
        double density = 0.3989422804014327 * exp(-0.5 * d1 * d1);
        price[i] = s * n1 - k * exp(-rate * t) * n2;
        delta[i] = n1;
        gamma[i] = density / (s * sigma * root);
        vega[i] = s * density * root;
    }
}

// ------------------------------------------------------------------------------------------- a GPT-2 in single precision

/* kmutate launch
   int rows = 12288, C = 768; dim3 block = { 256 }; dim3 grid = { ceil_div(rows * 32, 256) };
   float out[rows * C] = zeros(); float mean[rows] = zeros(); float rstd[rows] = zeros();
   float in[rows * C] = normal(0.2, 1.5); float weight[C] = uniform(0.5, 1.5); float bias[C] = normal();
   layernorm_warp(out, mean, rstd, in, weight, bias, rows, C);
*/
// Layer normalisation with a warp to a row, which reads the row three times and keeps mean and deviation for the way back.
__global__ void layernorm_warp(float *__restrict__ out, float *__restrict__ mean, float *__restrict__ rstd, const float *__restrict__ in, const float *__restrict__ weight,
                               const float *__restrict__ bias, int rows, int C)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float *x = in + (size_t)row * C;
    float sum = 0.0f, squares = 0.0f;
    for (int c = lane; c < C; c += 32)
        sum += x[c];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    const float m = sum / C;
    for (int c = lane; c < C; c += 32)
        squares += (x[c] - m) * (x[c] - m);
    for (int d = 16; d > 0; d /= 2)
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    const float s = rsqrtf(squares / C + 1e-5f);
    if (lane == 0) {
        mean[row] = m;
        rstd[row] = s;
    }
    for (int c = lane; c < C; c += 32)
        out[(size_t)row * C + c] = (x[c] - m) * s * weight[c] + bias[c];
}

/* kmutate launch
   int heads = 48, T = 320; dim3 block = { 256 }; dim3 grid = { ceil_div(heads * T, 256) };
   float att[heads * T * T] = zeros(); float preatt[heads * T * T] = normal();
   softmax_by_threads(att, preatt, heads, T);
*/
// The softmax of attention scores up to the present token with a thread to a row: three walks along it, lanes a row apart.
__global__ void softmax_by_threads(float *att, const float *preatt, int heads, int T)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= heads * T) return;
    int t = row % T;
    const float *in = preatt + (size_t)row * T;
    float *out = att + (size_t)row * T;
    float top = -10000.0f, sum = 0.0f;
    for (int k = 0; k <= t; k++)
        if (in[k] > top) top = in[k];
    for (int k = 0; k <= t; k++) {
        float e = expf(in[k] - top);
        sum += e;
        out[k] = e;
    }
    float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (int k = 0; k < T; k++)
        out[k] = k <= t ? out[k] * inverse : 0.0f;
}

/* kmutate launch
   int heads = 24, T = 512; dim3 block = { 128 }; dim3 grid = { ceil_div(T, 128), heads };
   float out[heads * T * 64] = zeros(); float q[heads * T * 64] = normal(); float k[heads * T * 64] = normal(); float v[heads * T * 64] = normal();
   attention_by_threads(out, q, k, v, T, 0.125f);
*/
// Causal attention with a thread to a query: its 64 numbers and those of the result in registers, keys and values straight
// from memory, where all lanes want the same ones.
__global__ void __launch_bounds__(128) attention_by_threads(float *out, const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v, int T, float scale)
{
    const int t = blockIdx.x * 128 + threadIdx.x;
    if (t >= T) return;
    const size_t head = (size_t)blockIdx.y * T * 64;
    float me[64], sum[64];
#pragma unroll
    for (int c = 0; c < 64; c++) {
        me[c] = q[head + t * 64 + c] * scale;
        sum[c] = 0.0f;
    }
    float top = -INFINITY, total = 0.0f;
    for (int s = 0; s <= t; s++) {
        const float4 *key = reinterpret_cast<const float4 *>(k + head + s * 64), *value = reinterpret_cast<const float4 *>(v + head + s * 64);
        float score = 0.0f;
#pragma unroll
        for (int c = 0; c < 16; c++) {
            const float4 x = key[c];
            score += me[4 * c] * x.x + me[4 * c + 1] * x.y + me[4 * c + 2] * x.z + me[4 * c + 3] * x.w;
        }
        const float larger = fmaxf(top, score), fade = __expf(top - larger), weight = __expf(score - larger);
        total = total * fade + weight;
        top = larger;
#pragma unroll
        for (int c = 0; c < 16; c++) {
            const float4 x = value[c];
            sum[4 * c] = sum[4 * c] * fade + weight * x.x;
            sum[4 * c + 1] = sum[4 * c + 1] * fade + weight * x.y;
            sum[4 * c + 2] = sum[4 * c + 2] * fade + weight * x.z;
            sum[4 * c + 3] = sum[4 * c + 3] * fade + weight * x.w;
        }
    }
    const float inverse = 1.0f / total;
#pragma unroll
    for (int c = 0; c < 64; c++)
        out[head + t * 64 + c] = sum[c] * inverse;
}

/* kmutate launch
   int n = 4096 * 3072; dim3 block = { 512 }; dim3 grid = { ceil_div(n, 512) };
   float out[n] = zeros(); float in[n] = normal();
   gelu_plain(out, in, n);
*/
// The GELU by its hyperbolic tangent, one element for each thread.
__global__ void gelu_plain(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        float cube = 0.044715f * x * x * x;
        out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + cube)));
    }
}

/* kmutate launch
   int BT = 384, C = 768, OC = 768; dim3 block = { 16, 16 }; dim3 grid = { ceil_div(OC, 16), ceil_div(BT, 16) };
   float out[BT * OC] = zeros(); float in[BT * C] = normal(); float weight[OC * C] = normal(0, 0.02); float bias[OC] = normal();
   linear_plain(out, in, weight, bias, BT, C, OC);
*/
// A linear layer, a thread to a result: lanes have rows of the weights, which lie far apart.
__global__ void linear_plain(float *out, const float *in, const float *weight, const float *bias, int BT, int C, int OC)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x, bt = blockIdx.y * blockDim.y + threadIdx.y;
    if (bt < BT && o < OC) {
        float sum = bias != nullptr ? bias[o] : 0.0f;
        for (int c = 0; c < C; c++)
            sum += in[bt * C + c] * weight[o * C + c];
        out[bt * OC + o] = sum;
    }
}

/* kmutate launch
   int B = 8, T = 1024, C = 768, vocabulary = 50257; dim3 block = { 256 }; dim3 grid = { ceil_div(B * T * C, 256) };
   float dwte[vocabulary * C] = zeros(); float dwpe[T * C] = zeros(); float dout[B * T * C] = normal(0, 0.1); int token[B * T] = randint(0, 50257);
   encoder_backward_atomic(dwte, dwpe, dout, token, B, T, C);
*/
// The gradient of the embeddings of words and places: two atomics for each element.
__global__ void encoder_backward_atomic(float *dwte, float *dwpe, const float *dout, const int *token, int B, int T, int C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * C) {
        int bt = i / C, t = bt % T, c = i % C;
        atomicAdd(&dwte[token[bt] * C + c], dout[i]);
        atomicAdd(&dwpe[t * C + c], dout[i]);
    }
}

/* kmutate launch
   int n = 7077888; dim3 block = { 512 }; dim3 grid = { ceil_div(n, 512) };
   float param[n] = normal(0, 0.02); float grad[n] = normal(0, 0.001); float m[n] = normal(0, 0.001); float v[n] = uniform(0, 0.00001);
   adamw_plain(param, grad, m, v, n, 0.0003f, 0.9f, 0.999f, 0.0975f, 0.0488f, 1e-8f, 0.1f);
*/
// AdamW, one parameter for each thread, with a root and a division.
__device__ inline float lerp_twice(float from, float to, float weight)
{
    return fmaf(weight, to, fmaf(-weight, from, from));
}

__global__ void adamw_plain(float *param, const float *grad, float *m, float *v, long long n, float rate, float beta1, float beta2, float correction1, float correction2, float eps, float decay)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float g = grad[i], first = lerp_twice(g, m[i], beta1), second = lerp_twice(g * g, v[i], beta2);
    m[i] = first;
    v[i] = second;
    first /= correction1;
    second /= correction2;
    param[i] -= rate * (first / (sqrtf(second) + eps) + decay * param[i]);
}

/* kmutate launch
   int BT = 384, V = 50257; dim3 block = { 256 }; dim3 grid = { ceil_div(BT * V, 256) };
   float dlogits[BT * V] = zeros(); float prob[BT * V] = uniform(0, 0.00004); float dloss[BT] = fill(0.0026); int target[BT] = randint(0, 50257);
   classifier_backward(dlogits, prob, dloss, target, BT, V);
*/
// The gradient of softmax and cross entropy: an element for each thread, with a division for its row.
__global__ void classifier_backward(float *dlogits, const float *prob, const float *dloss, const int *target, int BT, int V)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BT * V) {
        int row = i / V, v = i % V;
        float indicator = v == target[row] ? 1.0f : 0.0f;
        dlogits[i] += (prob[i] - indicator) * dloss[row];
    }
}
