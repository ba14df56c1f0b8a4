// The eleventh set of kernels that nobody tuned the model of time for: solvers and sparse products, stencils and flows,
// particles, graphs, sorting, images, signals, hashing, databases, layers of networks, rendering and robotics, written from
// what is commonly known of the algorithms by someone who had seen neither the model nor its results (tests/gpu/heldout.py,
// docs/heldout.md).

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define ceil_div(m, n) (((m) + (n) - 1) / (n))

typedef unsigned long long u64;

// The finisher of a common hash, for kernels that need random bits of their own.
__device__ __forceinline__ unsigned stir(unsigned x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
}

__device__ __forceinline__ unsigned next_random(unsigned &state)
{
    state = state * 1664525u + 1013904223u;
    return stir(state);
}

__device__ __forceinline__ float to_unit(unsigned bits)
{
    return ((bits >> 8) + 0.5f) * (1.0f / 16777216.0f);
}

__device__ __forceinline__ float lanes_sum(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__device__ __forceinline__ float lanes_max(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

// ----------------------------------------------------------------------------------------------------- dense linear algebra

/* kmutate launch
   int M = 1408, N = 832, K = 960; dim3 block = { 128 }; dim3 grid = { N / 64, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   sgemm_skewed(M, N, K, A, B, C);
*/
// C = A B with tiles of 128 x 64 in two buffers of shared memory whose rows are skewed; the next tile waits in registers.
__global__ void __launch_bounds__(128) sgemm_skewed(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float as[2][8][132];
    __shared__ __align__(16) float bs[2][8][68];
    const int t = threadIdx.x, tx = t % 8, ty = t / 8;
    const float *a = A + (size_t)(blockIdx.y * 128 + t) * K;
    const float *b = B + (size_t)(t / 16) * N + blockIdx.x * 64 + t % 16 * 4;
    float4 a0 = *(const float4 *)a, a1 = *(const float4 *)(a + 4), b0 = *(const float4 *)b;
    float acc[8][8] = {};
    int now = 0;
    for (int k0 = 0; k0 < K; k0 += 8) {
        as[now][0][t] = a0.x; as[now][1][t] = a0.y; as[now][2][t] = a0.z; as[now][3][t] = a0.w;
        as[now][4][t] = a1.x; as[now][5][t] = a1.y; as[now][6][t] = a1.z; as[now][7][t] = a1.w;
        *(float4 *)&bs[now][t / 16][t % 16 * 4] = b0;
        __syncthreads();
        if (k0 + 8 < K) {
            a0 = *(const float4 *)(a + k0 + 8);
            a1 = *(const float4 *)(a + k0 + 12);
            b0 = *(const float4 *)(b + (size_t)(k0 + 8) * N);
        }
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float ra[8], rb[8];
#pragma unroll
            for (int i = 0; i < 8; i++) ra[i] = as[now][k][ty * 8 + i];
#pragma unroll
            for (int j = 0; j < 8; j++) rb[j] = bs[now][k][tx * 8 + j];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) acc[i][j] += ra[i] * rb[j];
        }
        now ^= 1;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float *c = C + (size_t)(blockIdx.y * 128 + ty * 8 + i) * N + blockIdx.x * 64 + tx * 8;
        *(float4 *)c = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *(float4 *)(c + 4) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
    }
}

/* kmutate launch
   int n = 1300000; dim3 block = { 256 }; dim3 grid = { 528 };
   float X[n * 16] = normal(); float G[256] = zeros();
   gram_tall_16(n, X, G);
*/
// G = X^T X of a tall matrix of 16 columns: a thread to each of the 256 sums, rows go through shared memory.
__global__ void gram_tall_16(int n, const float *X, float *G)
{
    __shared__ float rows[64][16];
    const int i = threadIdx.x / 16, j = threadIdx.x % 16;
    float sum = 0.0f;
    for (int base = blockIdx.x * 64; base < n; base += gridDim.x * 64) {
        const int here = min(64, n - base);
        for (int e = threadIdx.x; e < here * 16; e += 256)
            rows[e / 16][e % 16] = X[(size_t)base * 16 + e];
        __syncthreads();
        for (int r = 0; r < here; r++)
            sum += rows[r][i] * rows[r][j];
        __syncthreads();
    }
    atomicAdd(&G[threadIdx.x], sum);
}

/* kmutate launch
   int count = 240000; dim3 block = { 256 }; dim3 grid = { count / 32 };
   float A[count * 64] = uniform(-1, 1); float inverse[count * 64] = zeros();
   gauss_jordan_eights((const float4 *)A, (float4 *)inverse);
*/
// Inverts matrices of 8 x 8 without pivots; eight lanes have a row each in registers and shuffle the pivot's row.
__global__ void gauss_jordan_eights(const float4 *A, float4 *inverse)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, row = t % 8;
    const float4 lo = A[(size_t)t * 2], hi = A[(size_t)t * 2 + 1];
    float a[8] = { lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w }, v[8];
#pragma unroll
    for (int c = 0; c < 8; c++) {
        v[c] = c == row ? 1.0f : 0.0f;
        if (c == row) a[c] += 9.0f;
    }
#pragma unroll
    for (int p = 0; p < 8; p++) {
        const float scale = 1.0f / __shfl_sync(0xffffffffu, a[p], p, 8);
        const float factor = row == p ? 0.0f : a[p];
#pragma unroll
        for (int c = 0; c < 8; c++) {
            const float pa = __shfl_sync(0xffffffffu, a[c], p, 8) * scale, pv = __shfl_sync(0xffffffffu, v[c], p, 8) * scale;
            a[c] = row == p ? pa : a[c] - factor * pa;
            v[c] = row == p ? pv : v[c] - factor * pv;
        }
    }
    inverse[(size_t)t * 2] = make_float4(v[0], v[1], v[2], v[3]);
    inverse[(size_t)t * 2 + 1] = make_float4(v[4], v[5], v[6], v[7]);
}

/* kmutate launch
   int n = 1024; dim3 block = { n }; dim3 grid = { 1 };
   float L[n * n] = uniform(-0.01, 0.01); float x[n] = uniform(1, 2);
   trsv_one_block(n, L, x);
*/
// A unit lower triangular system by columns in one block: each unknown goes to all threads by way of shared memory.
__global__ void trsv_one_block(int n, const float *L, float *x)
{
    __shared__ float known[2];
    const int i = threadIdx.x;
    float mine = x[i];
    for (int k = 0; k < n; k++) {
        if (i == k) known[k & 1] = mine;
        __syncthreads();
        if (i > k) mine -= L[(size_t)k * n + i] * known[k & 1];
    }
    x[i] = mine;
}

/* kmutate launch
   int count = 8192; dim3 block = { 32, 4 }; dim3 grid = { count / 4 };
   float A[count * 1024] = uniform(-1, 1); int pivots[count * 32] = zeros();
   lu_pivot_batch(A, pivots);
*/
// LU with partial pivoting of matrices of 32 x 32 in shared memory: a warp to a matrix and a lane to a row.
__global__ void lu_pivot_batch(float *A, int *pivots)
{
    __shared__ float tiles[4][32][33];
    float (*s)[33] = tiles[threadIdx.y];
    const int lane = threadIdx.x, which = blockIdx.x * 4 + threadIdx.y;
    float *mine = A + (size_t)which * 1024;
    for (int r = 0; r < 32; r++)
        s[r][lane] = mine[r * 32 + lane];
    __syncwarp();
    for (int k = 0; k < 32; k++) {
        float best = lane >= k ? fabsf(s[lane][k]) : -1.0f;
        int at = lane;
        for (int d = 16; d > 0; d >>= 1) {
            const float other = __shfl_xor_sync(0xffffffffu, best, d);
            const int place = __shfl_xor_sync(0xffffffffu, at, d);
            if (other > best || (other == best && place < at)) {
                best = other;
                at = place;
            }
        }
        __syncwarp();
        if (at != k) {
            const float swap = s[k][lane];
            s[k][lane] = s[at][lane];
            s[at][lane] = swap;
        }
        __syncwarp();
        if (lane == 0) pivots[which * 32 + k] = at;
        if (lane > k) {
            const float factor = s[lane][k] / s[k][k];
            s[lane][k] = factor;
            for (int c = k + 1; c < 32; c++)
                s[lane][c] -= factor * s[k][c];
        }
        __syncwarp();
    }
    for (int r = 0; r < 32; r++)
        mine[r * 32 + lane] = s[r][lane];
}

/* kmutate launch
   int m = 2304, n = 4000; dim3 block = { 256 }; dim3 grid = { n };
   double A[m * n] = normal(); double v[m] = uniform(-0.02, 0.02);
   reflector_columns_fp64(m, 1.25, v, A);
*/
// A step of QR: the reflector I - tau v v^T is applied to a matrix stored by columns, a block to a column.
__global__ void reflector_columns_fp64(int m, double tau, const double *v, double *A)
{
    __shared__ double part[8];
    double *column = A + (size_t)blockIdx.x * m, dot = 0.0;
    for (int i = threadIdx.x; i < m; i += blockDim.x)
        dot += v[i] * column[i];
    for (int d = 16; d > 0; d >>= 1)
        dot += __shfl_down_sync(0xffffffffu, dot, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = dot;
    __syncthreads();
    double all = 0.0;
    for (int w = 0; w < 8; w++)
        all += part[w];
    all *= tau;
    for (int i = threadIdx.x; i < m; i += blockDim.x)
        column[i] -= all * v[i];
}

/* kmutate launch
   int m = 4096, n = 3200; dim3 block = { 128 }; dim3 grid = { m / 128, n / 128 };
   double A[m * n] = normal(); double x[n] = normal(); double y[m] = zeros();
   dgemv_column_slices(m, n, A, x, y);
*/
// y += A x of doubles stored by columns: each block has 128 rows of 128 columns and adds its part with atomics.
__global__ void dgemv_column_slices(int m, int n, const double *A, const double *x, double *y)
{
    __shared__ double xs[128];
    const int row = blockIdx.x * 128 + threadIdx.x, first = blockIdx.y * 128;
    xs[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    const double *a = A + (size_t)first * m + row;
    double sum = 0.0;
#pragma unroll 4
    for (int k = 0; k < 128; k++)
        sum += a[(size_t)k * m] * xs[k];
    atomicAdd(&y[row], sum);
}

/* kmutate launch
   int count = 2200; dim3 block = { 64 }; dim3 grid = { count };
   float L[count * 64 * 64] = uniform(-0.1, 0.1); float X[count * 64 * 64] = zeros();
   trtri_blocks(L, X);
*/
// Inverses of lower triangles of 64 x 64 in shared memory: a thread substitutes one column, the first has most to do.
__global__ void trtri_blocks(const float *L, float *X)
{
    __shared__ float l[64][64], x[64][64];
    const int j = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 4096;
    for (int r = 0; r < 64; r++) {
        l[r][j] = L[base + r * 64 + j] + (r == j ? 2.0f : 0.0f);
        x[r][j] = 0.0f;
    }
    __syncthreads();
    for (int i = j; i < 64; i++) {
        float sum = i == j ? 1.0f : 0.0f;
        for (int k = j; k < i; k++)
            sum -= l[i][k] * x[k][j];
        x[i][j] = sum / l[i][i];
    }
    __syncthreads();
    for (int r = 0; r < 64; r++)
        X[base + r * 64 + j] = x[r][j];
}

// --------------------------------------------------------------------------------------------------------- sparse matrices

/* kmutate launch
   int n = 480000, width = 16; dim3 block = { 8, 32 }; dim3 grid = { n / 32 };
   float values[n * width] = uniform(-1, 1); int columns[n * width] = randint(0, 480000);
   float X[n * 8] = normal(); float Y[n * 8] = zeros();
   ell_eight_vectors(n, width, values, columns, X, Y);
*/
// A matrix in ELL format times eight vectors at once: eight lanes share an entry, and a row of X is one sector.
__global__ void ell_eight_vectors(int n, int width, const float *values, const int *columns, const float *X, float *Y)
{
    const int row = blockIdx.x * 32 + threadIdx.y, v = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < width; k++) {
        const size_t at = (size_t)k * n + row;
        sum += values[at] * X[columns[at] * 8 + v];
    }
    Y[row * 8 + v] = sum;
}

/* kmutate launch
   int rows = 500000, lo = 0, hi = 32, nnz = csr_nnz(rows, lo, hi); dim3 block = { 128 };
   dim3 grid = { ceil_div(ceil_div(rows + nnz, 16), 128) };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(rows);
   float values[nnz] = uniform(-1, 1); float x[rows] = normal(); float y[rows] = zeros();
   spmv_merge_csr(rows, nnz, rowptr, colidx, values, x, y);
*/
// The merge-based product: every thread has 16 of the entries and row ends together, found by a search on its diagonal.
__global__ void spmv_merge_csr(int rows, int nnz, const int *rowptr, const int *colidx, const float *values, const float *x,
                               float *y)
{
    const int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * 16, total = rows + nnz;
    if (diagonal >= total) return;
    int lo = max(0, diagonal - nnz), hi = min(diagonal, rows);
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (rowptr[mid + 1] <= diagonal - 1 - mid) lo = mid + 1;
        else hi = mid;
    }
    int i = lo, j = diagonal - lo;
    const int steps = min(16, total - diagonal);
    float sum = 0.0f;
    for (int s = 0; s < steps; s++) {
        if (i < rows && j < rowptr[i + 1]) {
            sum += values[j] * x[colidx[j]];
            j++;
        } else {
            atomicAdd(&y[i], sum);
            sum = 0.0f;
            i++;
        }
    }
    if (i < rows && sum != 0.0f) atomicAdd(&y[i], sum);
}

/* kmutate launch
   int rows = 400000, nnz = 6400000; dim3 block = { 256 }; dim3 grid = { nnz / 256 };
   int row[nnz] = ascending(0, 400000); int col[nnz] = randint(0, 400000);
   float val[nnz] = uniform(-1, 1); float x[rows] = normal(); float y[rows] = zeros();
   coo_lane_segments(nnz, row, col, val, x, y);
*/
// A product with sorted coordinates: lanes of the same row are summed by shuffles and the last of each row adds the sum.
__global__ void coo_lane_segments(int nnz, const int *row, const int *col, const float *val, const float *x, float *y)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const int r = e < nnz ? row[e] : -1;
    float sum = e < nnz ? val[e] * x[col[e]] : 0.0f;
    for (int d = 1; d < 32; d <<= 1) {
        const float other = __shfl_up_sync(0xffffffffu, sum, d);
        const int its = __shfl_up_sync(0xffffffffu, r, d);
        if (lane >= d && its == r) sum += other;
    }
    const int after = __shfl_down_sync(0xffffffffu, r, 1);
    if (r >= 0 && (lane == 31 || after != r)) atomicAdd(&y[r], sum);
}

/* kmutate launch
   int rows = 360000, lo = 8, hi = 24, nnz = csr_nnz(rows, lo, hi); dim3 block = { 256 }; dim3 grid = { rows / 32 };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(rows);
   double values[nnz] = uniform(-0.1, 0.1); double diagonal[rows] = uniform(4, 5); double b[rows] = normal();
   double x[rows] = normal(); double out[rows] = zeros();
   csr_jacobi_eights(rows, 0.8, rowptr, colidx, values, diagonal, b, x, out);
*/
// A damped sweep of Jacobi's method on a sparse matrix of doubles, eight lanes to a row.
__global__ void csr_jacobi_eights(int rows, double omega, const int *rowptr, const int *colidx, const double *values,
                                  const double *diagonal, const double *b, const double *x, double *out)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    double sum = 0.0;
    const int end = rowptr[row + 1];
    for (int e = rowptr[row] + lane; e < end; e += 8)
        sum += values[e] * x[colidx[e]];
    for (int d = 4; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d, 8);
    if (lane == 0) out[row] = (1.0 - omega) * x[row] + omega * (b[row] - sum) / diagonal[row];
}

/* kmutate launch
   int brows = 12000, lo = 4, hi = 12, blocks = csr_nnz(brows, lo, hi); dim3 block = { 64 }; dim3 grid = { brows };
   int rowptr[brows + 1] = csr_rowptr(brows, lo, hi); int colidx[blocks] = csr_colidx(brows);
   float values[blocks * 64] = uniform(-1, 1); float B[brows * 8 * 64] = normal(); float C[brows * 8 * 64] = zeros();
   bsr_spmm_eights(rowptr, colidx, values, B, C);
*/
// Blocks of 8 x 8 times a dense matrix of 64 columns: a thread has eight rows of one column in registers.
__global__ void bsr_spmm_eights(const int *rowptr, const int *colidx, const float *values, const float *B, float *C)
{
    __shared__ float a[64];
    const int t = threadIdx.x, end = rowptr[blockIdx.x + 1];
    float acc[8] = {};
    for (int e = rowptr[blockIdx.x]; e < end; e++) {
        a[t] = values[(size_t)e * 64 + t];
        __syncthreads();
        const float *b = B + (size_t)colidx[e] * 512 + t;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float bk = b[k * 64];
#pragma unroll
            for (int i = 0; i < 8; i++) acc[i] += a[i * 8 + k] * bk;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        C[((size_t)blockIdx.x * 8 + i) * 64 + t] = acc[i];
}

/* kmutate launch
   int rows = 5000, cols = 8192, lo = 40, hi = 120, nnz = csr_nnz(rows, lo, hi); dim3 block = { 256 }; dim3 grid = { rows };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(cols);
   float values[nnz] = uniform(-1, 1); float dense[rows * cols] = ones();
   csr_to_dense(cols, rowptr, colidx, values, dense);
*/
// Writes a sparse matrix out as a dense one: a block clears its row with wide stores and then scatters the entries.
__global__ void csr_to_dense(int cols, const int *rowptr, const int *colidx, const float *values, float *dense)
{
    float *row = dense + (size_t)blockIdx.x * cols;
    for (int c = threadIdx.x; c < cols / 4; c += blockDim.x)
        ((float4 *)row)[c] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
    for (int e = rowptr[blockIdx.x] + threadIdx.x; e < rowptr[blockIdx.x + 1]; e += blockDim.x)
        atomicAdd(&row[colidx[e]], values[e]);
}

// ---------------------------------------------------------------------------------------------------------------- stencils

/* kmutate launch
   int nx = 4096, ny = 3584; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8 };
   float in[nx * ny] = uniform(0, 1); float out[nx * ny] = zeros();
   biharmonic_thirteen(nx, ny, in, out);
*/
// The bending of a plate: thirteen points straight from memory.
__global__ void biharmonic_thirteen(int nx, int ny, const float *in, float *out)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 2 || y < 2 || x >= nx - 2 || y >= ny - 2) return;
    const float *p = in + (size_t)y * nx + x;
    const float near = p[-1] + p[1] + p[-nx] + p[nx];
    const float slant = p[-nx - 1] + p[-nx + 1] + p[nx - 1] + p[nx + 1];
    const float far = p[-2] + p[2] + p[-2 * nx] + p[2 * nx];
    out[(size_t)y * nx + x] = 20.0f * p[0] - 8.0f * near + 2.0f * slant + far;
}

/* kmutate launch
   int nx = 192, ny = 160, nz = 120; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4, nz };
   double coeff[7][nx * ny * nz] = uniform(-0.2, 0.2); double x[nx * ny * nz] = normal(); double y[nx * ny * nz] = zeros();
   varcoef_seven_fp64(nx, ny, nz, (const double *)coeff, x, y);
*/
// Seven points with seven arrays of coefficients of their own, in doubles.
__global__ void varcoef_seven_fp64(int nx, int ny, int nz, const double *coeff, const double *x, double *y)
{
    const int i = blockIdx.x * 64 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, k = blockIdx.z;
    const int plane = nx * ny, n = plane * nz, at = k * plane + j * nx + i;
    double sum = coeff[at] * x[at];
    if (i > 0) sum += coeff[n + at] * x[at - 1];
    if (i < nx - 1) sum += coeff[2 * n + at] * x[at + 1];
    if (j > 0) sum += coeff[3 * n + at] * x[at - nx];
    if (j < ny - 1) sum += coeff[4 * n + at] * x[at + nx];
    if (k > 0) sum += coeff[5 * n + at] * x[at - plane];
    if (k < nz - 1) sum += coeff[6 * n + at] * x[at + plane];
    y[at] = sum;
}

/* kmutate launch
   int nx = 4608, ny = 3584; dim3 block = { 128 }; dim3 grid = { nx / 128, ny / 32 };
   float in[nx * ny] = uniform(0, 1); float out[nx * ny] = zeros();
   separable_seven_queue(nx, ny, in, out);
*/
// A separable filter of 7 x 7: a thread walks down 32 rows and keeps the last seven filtered rows in registers.
__global__ void separable_seven_queue(int nx, int ny, const float *in, float *out)
{
    const int x = blockIdx.x * 128 + threadIdx.x, top = blockIdx.y * 32;
    float q[7] = {};
    for (int y = top - 3; y < top + 35; y++) {
        const float *row = in + (size_t)min(max(y, 0), ny - 1) * nx;
        float sum = 0.3125f * row[x];
        sum += 0.234375f * (row[max(x - 1, 0)] + row[min(x + 1, nx - 1)]);
        sum += 0.09375f * (row[max(x - 2, 0)] + row[min(x + 2, nx - 1)]);
        sum += 0.015625f * (row[max(x - 3, 0)] + row[min(x + 3, nx - 1)]);
#pragma unroll
        for (int i = 0; i < 6; i++) q[i] = q[i + 1];
        q[6] = sum;
        if (y >= top + 3)
            out[(size_t)(y - 3) * nx + x] = 0.3125f * q[3] + 0.234375f * (q[2] + q[4]) + 0.09375f * (q[1] + q[5])
                                          + 0.015625f * (q[0] + q[6]);
    }
}

/* kmutate launch
   int nx = 256, ny = 192, nz = 96; dim3 block = { 32, 8 }; dim3 grid = { nx / 32, ny / 8, nz };
   float4 field[nx * ny * nz] = normal(); float4 curl[nx * ny * nz] = zeros();
   curl_of_quads(nx, ny, nz, 0.5f, field, curl);
*/
// The curl of a vector field whose vectors are stored as four floats, with periodic edges.
__global__ void curl_of_quads(int nx, int ny, int nz, float half_inverse, const float4 *field, float4 *curl)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    const int xm = x ? x - 1 : nx - 1, xp = x + 1 < nx ? x + 1 : 0, ym = y ? y - 1 : ny - 1, yp = y + 1 < ny ? y + 1 : 0;
    const int zm = z ? z - 1 : nz - 1, zp = z + 1 < nz ? z + 1 : 0;
    const float4 a = field[(z * ny + y) * nx + xm], b = field[(z * ny + y) * nx + xp];
    const float4 c = field[(z * ny + ym) * nx + x], d = field[(z * ny + yp) * nx + x];
    const float4 e = field[(zm * ny + y) * nx + x], f = field[(zp * ny + y) * nx + x];
    float4 r;
    r.x = half_inverse * ((d.z - c.z) - (f.y - e.y));
    r.y = half_inverse * ((f.x - e.x) - (b.z - a.z));
    r.z = half_inverse * ((b.y - a.y) - (d.x - c.x));
    r.w = sqrtf(r.x * r.x + r.y * r.y + r.z * r.z);
    curl[(z * ny + y) * nx + x] = r;
}

/* kmutate launch
   int nx = 2048, ny = 2048; dim3 block = { 32, 8 }; dim3 grid = { nx / 64, ny / 32 };
   float u[nx * ny] = uniform(0, 1); float f[nx * ny] = uniform(-1, 1);
   red_black_smoother(nx, 6, u, f);
*/
// A smoother as multigrid has it: a tile of 64 x 32 is held in shared memory for several sweeps of red and black points.
__global__ void red_black_smoother(int nx, int sweeps, float *u, const float *f)
{
    __shared__ float s[34][66];
    const int x0 = blockIdx.x * 64, y0 = blockIdx.y * 32, t = threadIdx.y * 32 + threadIdx.x;
    for (int e = t; e < 34 * 66; e += 256)
        s[e / 66][e % 66] = 0.0f;
    __syncthreads();
    for (int e = t; e < 32 * 64; e += 256)
        s[e / 64 + 1][e % 64 + 1] = u[(size_t)(y0 + e / 64) * nx + x0 + e % 64];
    __syncthreads();
    for (int half = 0; half < 2 * sweeps; half++) {
        for (int y = threadIdx.y + 1; y <= 32; y += 8) {
            const int x = 2 * threadIdx.x + 1 + ((y + half) & 1);
            const float rhs = f[(size_t)(y0 + y - 1) * nx + x0 + x - 1];
            s[y][x] = 0.25f * (s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x] - rhs);
        }
        __syncthreads();
    }
    for (int e = t; e < 32 * 64; e += 256)
        u[(size_t)(y0 + e / 64) * nx + x0 + e % 64] = s[e / 64 + 1][e % 64 + 1];
}

// ------------------------------------------------------------------------------------------------------------- flows, waves

/* kmutate launch
   int nx = 1536, ny = 1280; dim3 block = { 128 }; dim3 grid = { nx / 128, ny };
   float f[9][nx * ny] = uniform(0.05, 0.15); float out[9][nx * ny] = zeros();
   lbm_d2q9_moments(nx, ny, 1.1f, 1.3f, 1.6f, (const float *)f, (float *)out);
*/
// The lattice method in the plane with several relaxation times: the moments are relaxed one by one and turned back.
__global__ void lbm_d2q9_moments(int nx, int ny, float se, float sq, float sv, const float *f, float *out)
{
    const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, n = nx * ny;
    const int xm = x ? x - 1 : nx - 1, xp = x + 1 < nx ? x + 1 : 0, ym = y ? y - 1 : ny - 1, yp = y + 1 < ny ? y + 1 : 0;
    const float f0 = f[y * nx + x], f1 = f[n + y * nx + xm], f2 = f[2 * n + ym * nx + x], f3 = f[3 * n + y * nx + xp];
    const float f4 = f[4 * n + yp * nx + x], f5 = f[5 * n + ym * nx + xm], f6 = f[6 * n + ym * nx + xp];
    const float f7 = f[7 * n + yp * nx + xp], f8 = f[8 * n + yp * nx + xm];
    const float axes = f1 + f2 + f3 + f4, slants = f5 + f6 + f7 + f8, rho = f0 + axes + slants;
    const float jx = f1 - f3 + f5 - f6 - f7 + f8, jy = f2 - f4 + f5 + f6 - f7 - f8;
    float e = -4.0f * f0 - axes + 2.0f * slants, eps = 4.0f * f0 - 2.0f * axes + slants;
    float qx = -2.0f * (f1 - f3) + f5 - f6 - f7 + f8, qy = -2.0f * (f2 - f4) + f5 + f6 - f7 - f8;
    float pxx = f1 - f2 + f3 - f4, pxy = f5 - f6 + f7 - f8;
    const float inverse = 1.0f / rho, jj = (jx * jx + jy * jy) * inverse;
    e -= se * (e - (-2.0f * rho + 3.0f * jj));
    eps -= se * (eps - (rho - 3.0f * jj));
    qx -= sq * (qx + jx);
    qy -= sq * (qy + jy);
    pxx -= sv * (pxx - (jx * jx - jy * jy) * inverse);
    pxy -= sv * (pxy - jx * jy * inverse);
    const float r = rho / 9.0f, a = r - e / 36.0f - eps / 18.0f, b = r + e / 18.0f + eps / 36.0f;
    const float gx = (jx - qx) / 6.0f, gy = (jy - qy) / 6.0f, dx = jx / 6.0f + qx / 12.0f, dy = jy / 6.0f + qy / 12.0f;
    const int at = y * nx + x;
    out[at] = r - e / 9.0f + eps / 9.0f;
    out[n + at] = a + gx + 0.25f * pxx;
    out[2 * n + at] = a + gy - 0.25f * pxx;
    out[3 * n + at] = a - gx + 0.25f * pxx;
    out[4 * n + at] = a - gy - 0.25f * pxx;
    out[5 * n + at] = b + dx + dy + 0.25f * pxy;
    out[6 * n + at] = b - dx + dy - 0.25f * pxy;
    out[7 * n + at] = b - dx - dy + 0.25f * pxy;
    out[8 * n + at] = b + dx - dy - 0.25f * pxy;
}

/* kmutate launch
   int nx = 256, ny = 192, nz = 160, layer = 12; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4, nz };
   float ey[nx * ny * nz] = normal(); float hx[nx * ny * nz] = normal(); float hz[nx * ny * nz] = normal();
   float psi_x[2 * layer * ny * nz] = zeros(); float psi_z[nx * ny * 2 * layer] = zeros();
   float bc[2 * layer][2] = uniform(0.1, 0.9);
   cpml_update_ey(nx, ny, nz, layer, 0.3f, ey, hx, hz, psi_x, psi_z, (const float2 *)bc);
*/
// An electric component of the time-domain method; in the layers at the ends of x and z memory variables damp it.
__global__ void cpml_update_ey(int nx, int ny, int nz, int layer, float c, float *ey, const float *hx, const float *hz,
                               float *psi_x, float *psi_z, const float2 *bc)
{
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    if (x == 0 || z == 0) return;
    const int at = (z * ny + y) * nx + x;
    const float dz = hx[at] - hx[at - nx * ny], dx = hz[at] - hz[at - 1];
    float sum = dz - dx;
    const int lx = x < layer ? x : x >= nx - layer ? x - nx + 2 * layer : -1;
    const int lz = z < layer ? z : z >= nz - layer ? z - nz + 2 * layer : -1;
    if (lx >= 0) {
        const float2 k = bc[lx];
        float *p = &psi_x[(z * ny + y) * 2 * layer + lx];
        *p = k.x * *p + k.y * dx;
        sum -= *p;
    }
    if (lz >= 0) {
        const float2 k = bc[lz];
        float *p = &psi_z[(lz * ny + y) * nx + x];
        *p = k.x * *p + k.y * dz;
        sum += *p;
    }
    ey[at] += c * sum;
}

/* kmutate launch
   int nodes = 300000, edges = 900000; dim3 block = { 128 }; dim3 grid = { ceil_div(edges, 128) };
   int2 ends[edges] = randint(0, 300000); float2 normals[edges] = uniform(-1, 1); float4 state[nodes] = uniform(0.5, 1.5);
   float residual[nodes * 4] = zeros();
   roe_edges_atomic(edges, ends, normals, state, residual);
*/
// Roe's flux over the edges of an unstructured mesh in the plane; both ends gather and add to their residuals.
__global__ void roe_edges_atomic(int edges, const int2 *ends, const float2 *normals, const float4 *state, float *residual)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const int2 n = ends[e];
    const float2 d = normals[e];
    const float4 l = state[n.x], r = state[n.y];
    const float area = sqrtf(d.x * d.x + d.y * d.y) + 1e-12f, nx = d.x / area, ny = d.y / area;
    const float hl = 3.5f * l.w / l.x + 0.5f * (l.y * l.y + l.z * l.z), hr = 3.5f * r.w / r.x + 0.5f * (r.y * r.y + r.z * r.z);
    const float w = sqrtf(r.x / l.x), share = 1.0f / (1.0f + w), rho = w * l.x;
    const float u = (l.y + w * r.y) * share, v = (l.z + w * r.z) * share, h = (hl + w * hr) * share;
    const float q = u * nx + v * ny, kinetic = 0.5f * (u * u + v * v), c2 = fmaxf(0.4f * (h - kinetic), 1e-6f), c = sqrtf(c2);
    const float ql = l.y * nx + l.z * ny, qr = r.y * nx + r.z * ny, dp = r.w - l.w, dq = qr - ql, dr = r.x - l.x;
    float s1 = fabsf(q - c), s2 = fabsf(q), s3 = fabsf(q + c);
    const float small = 0.1f * c;
    if (s1 < small) s1 = 0.5f * (s1 * s1 / small + small);
    if (s3 < small) s3 = 0.5f * (s3 * s3 / small + small);
    const float a1 = s1 * (dp - rho * c * dq) / (2.0f * c2), a2 = s2 * (dr - dp / c2);
    const float a3 = s3 * (dp + rho * c * dq) / (2.0f * c2);
    const float tx = s2 * rho * (r.y - l.y - dq * nx), ty = s2 * rho * (r.z - l.z - dq * ny);
    float f[4];
    f[0] = l.x * ql + r.x * qr - (a1 + a2 + a3);
    f[1] = l.x * ql * l.y + r.x * qr * r.y + (l.w + r.w) * nx - (a1 * (u - c * nx) + a2 * u + a3 * (u + c * nx) + tx);
    f[2] = l.x * ql * l.z + r.x * qr * r.z + (l.w + r.w) * ny - (a1 * (v - c * ny) + a2 * v + a3 * (v + c * ny) + ty);
    f[3] = l.x * ql * hl + r.x * qr * hr - (a1 * (h - q * c) + a2 * kinetic + a3 * (h + q * c) + u * tx + v * ty);
    for (int i = 0; i < 4; i++) {
        const float half_flux = 0.5f * area * f[i];
        atomicAdd(&residual[n.x * 4 + i], -half_flux);
        atomicAdd(&residual[n.y * 4 + i], half_flux);
    }
}

/* kmutate launch
   int nx = 256, ny = 256, nz = 128; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4, nz };
   float phi[nx * ny * nz] = normal(); float start[nx * ny * nz] = normal(); float out[nx * ny * nz] = zeros();
   reinit_godunov(nx, ny, nz, 0.3f, phi, start, out);
*/
// A level set is made a distance again, with the upwind gradient that the sign of the start chooses.
__global__ void reinit_godunov(int nx, int ny, int nz, float dt, const float *phi, const float *start, float *out)
{
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    const int at = (z * ny + y) * nx + x;
    const float p = phi[at], s0 = start[at];
    const float a = x > 0 ? p - phi[at - 1] : 0.0f, b = x < nx - 1 ? phi[at + 1] - p : 0.0f;
    const float c = y > 0 ? p - phi[at - nx] : 0.0f, d = y < ny - 1 ? phi[at + nx] - p : 0.0f;
    const float e = z > 0 ? p - phi[at - nx * ny] : 0.0f, f = z < nz - 1 ? phi[at + nx * ny] - p : 0.0f;
    float g;
    if (s0 > 0.0f) {
        const float gx = fmaxf(fmaxf(a, 0.0f), -fminf(b, 0.0f)), gy = fmaxf(fmaxf(c, 0.0f), -fminf(d, 0.0f));
        const float gz = fmaxf(fmaxf(e, 0.0f), -fminf(f, 0.0f));
        g = sqrtf(gx * gx + gy * gy + gz * gz) - 1.0f;
    } else {
        const float gx = fmaxf(-fminf(a, 0.0f), fmaxf(b, 0.0f)), gy = fmaxf(-fminf(c, 0.0f), fmaxf(d, 0.0f));
        const float gz = fmaxf(-fminf(e, 0.0f), fmaxf(f, 0.0f));
        g = sqrtf(gx * gx + gy * gy + gz * gz) - 1.0f;
    }
    out[at] = p - dt * s0 * rsqrtf(s0 * s0 + 1.0f) * g;
}

// --------------------------------------------------------------------------------------------------------------- particles

/* kmutate launch
   int side = 32, cells = side * side * side; dim3 block = { 128 }; dim3 grid = { cells * 8 / 128 };
   int count[cells] = randint(4, 9); float4 position[cells * 8] = uniform(0, 1); float density[cells * 8] = zeros();
   sph_density_slots(side, count, position, density);
*/
// Densities of smoothed particles in cells of eight slots; the particles of the 27 cells around are looked at.
__global__ void sph_density_slots(int side, const int *count, const float4 *position, float *density)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, cell = t / 8, slot = t % 8;
    if (slot >= count[cell]) return;
    const int cx = cell % side, cy = cell / side % side, cz = cell / (side * side);
    const float4 p = position[t];
    float sum = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int x = cx + dx, y = cy + dy, z = cz + dz;
                if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
                const int other = (z * side + y) * side + x, many = count[other];
                for (int s = 0; s < many; s++) {
                    const float4 q = position[other * 8 + s];
                    const float rx = q.x + dx - p.x, ry = q.y + dy - p.y, rz = q.z + dz - p.z;
                    const float w = 1.0f - (rx * rx + ry * ry + rz * rz);
                    if (w > 0.0f) sum += q.w * w * w * w;
                }
            }
    density[t] = 1.5666814f * sum;
}

struct Body { double x, y, z, w; };

/* kmutate launch
   int n = 4608; dim3 block = { 128 }; dim3 grid = { n / 128, 9 };
   struct Body { double x, y, z, w; };
   struct Body body[n] = uniform(-1, 1); struct Body velocity[n] = normal(); double force[9 * n * 6] = zeros();
   hermite_jerk_fp64(n, n / 9, body, velocity, force);
*/
// Accelerations and their derivatives for Hermite's integrator, in doubles; nine blocks share the partners of 128 bodies.
__global__ void hermite_jerk_fp64(int n, int share, const Body *body, const Body *velocity, double *force)
{
    __shared__ Body bs[64], vs[64];
    const int i = blockIdx.x * 128 + threadIdx.x, first = blockIdx.y * share;
    const Body p = body[i], v = velocity[i];
    double ax = 0, ay = 0, az = 0, jx = 0, jy = 0, jz = 0;
    for (int base = first; base < first + share; base += 64) {
        __syncthreads();
        if (threadIdx.x < 64) bs[threadIdx.x] = body[base + threadIdx.x];
        else vs[threadIdx.x - 64] = velocity[base + threadIdx.x - 64];
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            const double rx = bs[j].x - p.x, ry = bs[j].y - p.y, rz = bs[j].z - p.z;
            const double ux = vs[j].x - v.x, uy = vs[j].y - v.y, uz = vs[j].z - v.z;
            const double r2 = rx * rx + ry * ry + rz * rz + 1e-4, inv = rsqrt(r2), inv2 = inv * inv;
            const double m = (bs[j].w + 1.5) * inv * inv2, rv = 3.0 * (rx * ux + ry * uy + rz * uz) * inv2;
            ax += m * rx;
            ay += m * ry;
            az += m * rz;
            jx += m * (ux - rv * rx);
            jy += m * (uy - rv * ry);
            jz += m * (uz - rv * rz);
        }
    }
    double *out = force + (size_t)blockIdx.y * n * 6 + i;
    out[0] = ax;
    out[n] = ay;
    out[2 * n] = az;
    out[3 * n] = jx;
    out[4 * n] = jy;
    out[5 * n] = jz;
}

/* kmutate launch
   int n = 100000; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   float4 position[n] = uniform(0, 2.2); int near[12 * n] = randint(0, 100000); float energy[n] = zeros();
   stillinger_triplets(n, position, near, energy);
*/
// Energies of three bodies, as silicon has them: the neighbours in reach are gathered in a local list, then all pairs of it.
__global__ void stillinger_triplets(int n, const float4 *position, const int *near, float *energy)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = position[i];
    float4 list[12];
    int found = 0;
    for (int k = 0; k < 12; k++) {
        const float4 q = position[near[k * n + i]];
        const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r2 = x * x + y * y + z * z;
        if (r2 > 1e-4f && r2 < 1.44f) {
            const float inv = rsqrtf(r2);
            list[found++] = make_float4(x * inv, y * inv, z * inv, expf(1.2f / (r2 * inv - 1.25f)));
        }
    }
    float sum = 0.0f;
    for (int a = 0; a < found; a++)
        for (int b = a + 1; b < found; b++) {
            const float c = list[a].x * list[b].x + list[a].y * list[b].y + list[a].z * list[b].z + 0.33333333f;
            sum += list[a].w * list[b].w * c * c;
        }
    energy[i] = 21.0f * sum;
}

/* kmutate launch
   int side = 64, n = 120000; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   float4 jitter[n] = uniform(0, 1); float4 velocity[n] = normal(); float4 affine[3][n] = normal();
   float mass[side * side * side * 4] = zeros();
   mpm_scatter(n, side, jitter, velocity, (const float4 *)affine, mass);
*/
// Material points give mass and momentum to the 27 nodes around with quadratic weights: 108 atomics each.
__global__ void mpm_scatter(int n, int side, const float4 *jitter, const float4 *velocity, const float4 *affine, float *nodes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int cell = i / 2, bx = 1 + cell % 60, by = 1 + cell / 60 % 60, bz = 1 + cell / 3600;
    const float4 f = jitter[i], v = velocity[i], cx = affine[i], cy = affine[n + i], cz = affine[2 * n + i];
    const float fx[3] = { 0.5f * (1.0f - f.x) * (1.0f - f.x), 0.75f - (f.x - 0.5f) * (f.x - 0.5f), 0.5f * f.x * f.x };
    const float fy[3] = { 0.5f * (1.0f - f.y) * (1.0f - f.y), 0.75f - (f.y - 0.5f) * (f.y - 0.5f), 0.5f * f.y * f.y };
    const float fz[3] = { 0.5f * (1.0f - f.z) * (1.0f - f.z), 0.75f - (f.z - 0.5f) * (f.z - 0.5f), 0.5f * f.z * f.z };
#pragma unroll
    for (int c = 0; c < 3; c++)
#pragma unroll
        for (int b = 0; b < 3; b++)
#pragma unroll
            for (int a = 0; a < 3; a++) {
                const float w = fx[a] * fy[b] * fz[c] * (f.w + 0.5f);
                const float dx = a - 0.5f - f.x, dy = b - 0.5f - f.y, dz = c - 0.5f - f.z;
                float *node = nodes + 4 * (((bz + c) * side + by + b) * side + bx + a);
                atomicAdd(node, w);
                atomicAdd(node + 1, w * (v.x + cx.x * dx + cx.y * dy + cx.z * dz));
                atomicAdd(node + 2, w * (v.y + cy.x * dx + cy.y * dy + cy.z * dz));
                atomicAdd(node + 3, w * (v.z + cz.x * dx + cz.y * dy + cz.z * dz));
            }
}

// ------------------------------------------------------------------------------------------------------------------ graphs

/* kmutate launch
   int n = 60000, lo = 8, hi = 24, m = csr_nnz(n, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(m, 256) };
   int start[n + 1] = csr_rowptr(n, lo, hi); int to[m] = csr_colidx(n); int from[m] = ascending(0, n); int total[1] = zeros();
   triangle_edges_merge(m, start, to, from, total);
*/
// Counts triangles with a thread to an edge: the lists of both ends are walked together like two sorted hands of cards.
__global__ void triangle_edges_merge(int m, const int *start, const int *to, const int *from, int *total)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 0;
    if (e < m) {
        const int u = from[e], v = to[e];
        int i = start[u], j = start[v];
        const int iend = start[u + 1], jend = start[v + 1];
        while (i < iend && j < jend) {
            const int a = to[i], b = to[j];
            count += a == b;
            i += a <= b;
            j += b <= a;
        }
    }
    count = __reduce_add_sync(0xffffffffu, count);
    if (threadIdx.x % 32 == 0 && count) atomicAdd(total, count);
}

/* kmutate launch
   int n = 600000, lo = 4, hi = 12, m = csr_nnz(n, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   int start[n + 1] = csr_rowptr(n, lo, hi); int to[m] = csr_colidx(n); int label[n] = permutation(); int changed[1] = zeros();
   label_push_min(n, start, to, label, changed);
*/
// A round of connected components: every node pushes its label to neighbours that have a greater one.
__global__ void label_push_min(int n, const int *start, const int *to, int *label, int *changed)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    const int mine = label[v], end = start[v + 1];
    bool any = false;
    for (int e = start[v]; e < end; e++) {
        const int w = to[e];
        if (label[w] > mine) any |= atomicMin(&label[w], mine) > mine;
    }
    if (any) *changed = 1;
}

/* kmutate launch
   int n = 500000, lo = 4, hi = 20, m = csr_nnz(n, lo, hi); dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   int start[n + 1] = csr_rowptr(n, lo, hi); int to[m] = csr_colidx(n); unsigned char depth[n] = randint(3, 7);
   float sigma[n] = uniform(1, 20); float delta[n] = uniform(0, 3); float centrality[n] = uniform(0, 9);
   brandes_backward(n, 5, start, to, depth, sigma, delta, centrality);
*/
// Betweenness, on the way back: the nodes of one depth collect what those below depend on them.
__global__ void brandes_backward(int n, int level, const int *start, const int *to, const unsigned char *depth,
                                 const float *sigma, float *delta, float *centrality)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || depth[v] != level) return;
    float sum = 0.0f;
    for (int e = start[v]; e < start[v + 1]; e++) {
        const int w = to[e];
        if (depth[w] == level + 1) sum += (1.0f + delta[w]) / sigma[w];
    }
    sum *= sigma[v];
    delta[v] = sum;
    centrality[v] += sum;
}

/* kmutate launch
   int n = 2000000, lo = 5, hi = 35, m = csr_nnz(n, lo, hi), seeds = 65536, fanout = 10; dim3 block = { 128 };
   dim3 grid = { seeds / 128 };
   int start[n + 1] = csr_rowptr(n, lo, hi); int to[m] = csr_colidx(n); int seed_node[seeds] = randint(0, n);
   int out[seeds * fanout] = zeros();
   reservoir_neighbours(fanout, start, to, seed_node, out);
*/
// Draws ten neighbours of each seed without repetition, a thread to a seed: the first ten, then random replacements.
__global__ void reservoir_neighbours(int fanout, const int *start, const int *to, const int *seed_node, int *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, v = seed_node[t];
    const int begin = start[v], degree = start[v + 1] - begin;
    int *mine = out + (size_t)t * fanout;
    unsigned state = t * 2654435769u + 17u;
    for (int k = 0; k < fanout; k++)
        mine[k] = k < degree ? k : -1;
    for (int k = fanout; k < degree; k++) {
        const int r = __umulhi(next_random(state), k + 1);
        if (r < fanout) mine[r] = k;
    }
    for (int k = 0; k < fanout; k++)
        if (mine[k] >= 0) mine[k] = to[begin + mine[k]];
}

// -------------------------------------------------------------------------------------------------- scan, sort, histograms

/* kmutate launch
   int rows = 2400; dim3 block = { 256 }; dim3 grid = { rows };
   int in[rows * 4096] = randint(0, 10); int out[rows * 4096] = zeros();
   scan_raking_rows(in, out);
*/
// Prefix sums of rows of 4096: each thread rakes sixteen neighbours in shared memory, in conflict with the others' banks.
__global__ void scan_raking_rows(const int *in, int *out)
{
    __shared__ int s[4096], totals[8];
    const int t = threadIdx.x, lane = t % 32;
    const size_t base = (size_t)blockIdx.x * 4096;
    for (int i = t; i < 4096; i += 256)
        s[i] = in[base + i];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 16; k++)
        sum += s[t * 16 + k];
    int inclusive = sum;
    for (int d = 1; d < 32; d <<= 1) {
        const int other = __shfl_up_sync(0xffffffffu, inclusive, d);
        if (lane >= d) inclusive += other;
    }
    if (lane == 31) totals[t / 32] = inclusive;
    __syncthreads();
    int before = inclusive - sum;
    for (int w = 0; w < t / 32; w++)
        before += totals[w];
    for (int k = 0; k < 16; k++) {
        before += s[t * 16 + k];
        s[t * 16 + k] = before;
    }
    __syncthreads();
    for (int i = t; i < 4096; i += 256)
        out[base + i] = s[i];
}

/* kmutate launch
   int chunks = 4000; dim3 block = { 64 }; dim3 grid = { chunks };
   unsigned data[chunks * 64 * 63] = randint(0, 0x40000000); unsigned bins[64] = zeros();
   histogram_byte_counters(data, bins);
*/
// A histogram of 64 bins with counters of a byte for each thread in shared memory, so that none needs an atomic.
__global__ void histogram_byte_counters(const unsigned *data, unsigned *bins)
{
    __shared__ unsigned char counter[64 * 64];
    const int t = threadIdx.x;
    for (int i = t; i < 1024; i += 64)
        ((unsigned *)counter)[i] = 0;
    __syncthreads();
    const unsigned *mine = data + (size_t)blockIdx.x * 64 * 63 + t;
    for (int i = 0; i < 63; i++) {
        const unsigned w = mine[i * 64];
        counter[(w & 63) * 64 + t]++;
        counter[(w >> 8 & 63) * 64 + t]++;
        counter[(w >> 16 & 63) * 64 + t]++;
        counter[(w >> 24 & 63) * 64 + t]++;
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 64; i++)
        sum += counter[t * 64 + (i + t) % 64];
    atomicAdd(&bins[t], sum);
}

/* kmutate launch
   int n = 40000000; dim3 block = { 512 }; dim3 grid = { 264 };
   float x[n] = normal(); unsigned norm[1] = zeros();
   norm_inf_groups(n / 4, (const float4 *)x, norm);
*/
// The greatest magnitude of a long vector with cooperative groups: tiles of a warp, one atomic for each of them.
__global__ void norm_inf_groups(int quads, const float4 *x, unsigned *norm)
{
    namespace cg = cooperative_groups;
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    float most = 0.0f;
    for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < quads; i += gridDim.x * blockDim.x) {
        const float4 v = x[i];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    for (int d = tile.size() / 2; d > 0; d /= 2)
        most = fmaxf(most, tile.shfl_down(most, d));
    if (tile.thread_rank() == 0) atomicMax(norm, __float_as_uint(most));
}

/* kmutate launch
   int n = 12800000; dim3 block = { 256 }; dim3 grid = { n / 1024 };
   int keys[n] = ascending(0, 4000000); int out[n] = zeros(); int places[n] = zeros(); int many[1] = zeros();
   unique_by_blocks(keys, out, places, many);
*/
// Keeps the first of equal neighbours: a block counts its own, takes room with one atomic, and writes keys and places.
__global__ void unique_by_blocks(const int *keys, int *out, int *places, int *many)
{
    __shared__ int sums[8], room;
    const int t = threadIdx.x, lane = t % 32, first = blockIdx.x * 1024 + t * 4;
    const int4 k = *(const int4 *)(keys + first);
    const int before = first > 0 ? keys[first - 1] : -1;
    const int a = k.x != before, b = k.y != k.x, c = k.z != k.y, d = k.w != k.z, mine = a + b + c + d;
    int inclusive = mine;
    for (int s = 1; s < 32; s <<= 1) {
        const int other = __shfl_up_sync(0xffffffffu, inclusive, s);
        if (lane >= s) inclusive += other;
    }
    if (lane == 31) sums[t / 32] = inclusive;
    __syncthreads();
    int at = inclusive - mine;
    for (int w = 0; w < t / 32; w++)
        at += sums[w];
    if (t == 255) room = atomicAdd(many, at + mine);
    __syncthreads();
    at += room;
    if (a) { out[at] = k.x; places[at++] = first; }
    if (b) { out[at] = k.y; places[at++] = first + 1; }
    if (c) { out[at] = k.z; places[at++] = first + 2; }
    if (d) { out[at] = k.w; places[at++] = first + 3; }
}

/* kmutate launch
   int lists = 132 * 12 * 64; dim3 block = { 64 }; dim3 grid = { lists / 64 };
   int keys[lists * 32] = randint(0, 1000000);
   heap_sort_threads(keys);
*/
// Each thread sorts a list of 32 by a heap in shared memory; what the lanes do soon has nothing in common.
__global__ void heap_sort_threads(int *keys)
{
    __shared__ int s[32 * 64];
    int *h = s + threadIdx.x;
    int *mine = keys + (size_t)blockIdx.x * 2048;
    for (int i = threadIdx.x; i < 2048; i += 64)
        s[i] = mine[i];
    __syncthreads();
    for (int step = 0; step < 16 + 31; step++) {
        int root, size;
        if (step < 16) {
            root = 15 - step;
            size = 32;
        } else {
            size = 31 - (step - 16);
            root = 0;
            const int top = h[0];
            h[0] = h[size * 64];
            h[size * 64] = top;
        }
        const int value = h[root * 64];
        int child = 2 * root + 1;
        while (child < size) {
            if (child + 1 < size && h[(child + 1) * 64] > h[child * 64]) child++;
            if (h[child * 64] <= value) break;
            h[root * 64] = h[child * 64];
            root = child;
            child = 2 * root + 1;
        }
        h[root * 64] = value;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += 64)
        mine[i] = s[i];
}

/* kmutate launch
   int n = 20000000; dim3 block = { 256 }; dim3 grid = { 132 * 6 };
   unsigned keys[n] = randint(0, 1 << 24); unsigned bins[256] = zeros();
   radix_select_digits(n, keys, 12, 3u, bins);
*/
// A pass of selection by digits: of keys with the prefix found so far the next digit is counted, equal lanes together.
__global__ void radix_select_digits(int n, const unsigned *keys, int shift, unsigned prefix, unsigned *bins)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    const int step = gridDim.x * blockDim.x, rounds = (n + step - 1) / step;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++, i += step) {
        const unsigned key = i < n ? keys[i] : 0;
        const bool in = i < n && (key >> (shift + 8) & 3u) == prefix;
        const unsigned active = __ballot_sync(0xffffffffu, in);
        if (in) {
            const unsigned digit = key >> shift & 255u;
            const unsigned same = __match_any_sync(active, digit);
            if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&local[digit], __popc(same));
        }
    }
    __syncthreads();
    if (local[threadIdx.x]) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// ------------------------------------------------------------------------------------------------------------------ images

/* kmutate launch
   int w = 1920, h = 1280; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   float image[w * h] = uniform(0, 1); float2 cells[(w / 16 + 2) * (h / 16 + 2) * 18] = zeros();
   bilateral_grid_splat(w, h, image, (float *)cells);
*/
// The first step of a bilateral grid: every pixel adds itself and a one to a coarse cell of place and brightness.
__global__ void bilateral_grid_splat(int w, int h, const float *image, float *cells)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    const float v = image[(size_t)y * w + x];
    const int gx = (x + 8) / 16, gy = (y + 8) / 16, gz = (int)(v * 16.0f + 0.5f);
    float *cell = cells + 2 * ((gz * (h / 16 + 2) + gy) * (w / 16 + 2) + gx);
    atomicAdd(cell, v);
    atomicAdd(cell + 1, 1.0f);
}

/* kmutate launch
   int w = 1920, h = 1088; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   float guide[w * h] = uniform(0, 1); float p[w * h] = uniform(0, 1); float2 ab[w * h] = zeros();
   guided_filter_window(w, h, 0.01f, guide, p, ab);
*/
// The coefficients of a guided filter from windows of 9 x 9, a tile of both images with its rim in shared memory.
__global__ void guided_filter_window(int w, int h, float eps, const float *guide, const float *p, float2 *ab)
{
    __shared__ float2 s[16][40];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, t = threadIdx.y * 32 + threadIdx.x;
    for (int e = t; e < 640; e += 256) {
        const int x = min(max(x0 + e % 40 - 4, 0), w - 1), y = min(max(y0 + e / 40 - 4, 0), h - 1);
        s[e / 40][e % 40] = make_float2(guide[y * w + x], p[y * w + x]);
    }
    __syncthreads();
    float si = 0, sp = 0, sii = 0, sip = 0;
    for (int dy = 0; dy < 9; dy++)
#pragma unroll
        for (int dx = 0; dx < 9; dx++) {
            const float2 v = s[threadIdx.y + dy][threadIdx.x + dx];
            si += v.x;
            sp += v.y;
            sii += v.x * v.x;
            sip += v.x * v.y;
        }
    const float inv = 1.0f / 81.0f, mi = si * inv, mp = sp * inv;
    const float a = (sip * inv - mi * mp) / (sii * inv - mi * mi + eps);
    ab[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = make_float2(a, mp - a * mi);
}

/* kmutate launch
   int w = 8192, h = 4096; dim3 block = { 64, 4 }; dim3 grid = { w / 256, h / 4 };
   unsigned char in[w * h] = randint(0, 256); unsigned char out[w * h] = zeros();
   scharr_four_bytes(w, h, in, (uchar4 *)out);
*/
// Scharr's gradient of bytes, four pixels to a thread, which reads words and takes them to pieces.
__global__ void scharr_four_bytes(int w, int h, const unsigned char *in, uchar4 *out)
{
    const int q = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, words = w / 4;
    int row[3][6];
#pragma unroll
    for (int r = 0; r < 3; r++) {
        const unsigned *line = (const unsigned *)(in + (size_t)min(max(y + r - 1, 0), h - 1) * w);
        const unsigned l = line[max(q - 1, 0)], m = line[q], n = line[min(q + 1, words - 1)];
        row[r][0] = q > 0 ? l >> 24 : m & 255;
        row[r][1] = m & 255;
        row[r][2] = m >> 8 & 255;
        row[r][3] = m >> 16 & 255;
        row[r][4] = m >> 24;
        row[r][5] = q + 1 < words ? n & 255 : m >> 24;
    }
    unsigned char g[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int gx = 3 * (row[0][i + 2] - row[0][i]) + 10 * (row[1][i + 2] - row[1][i]) + 3 * (row[2][i + 2] - row[2][i]);
        const int gy = 3 * (row[2][i] - row[0][i]) + 10 * (row[2][i + 1] - row[0][i + 1]) + 3 * (row[2][i + 2] - row[0][i + 2]);
        g[i] = min((abs(gx) + abs(gy)) >> 4, 255);
    }
    out[(size_t)y * words + q] = make_uchar4(g[0], g[1], g[2], g[3]);
}

__device__ __forceinline__ float lanczos(float x)
{
    x = fabsf(x);
    if (x >= 3.0f) return 0.0f;
    if (x < 1e-4f) return 1.0f;
    const float p = 3.14159265f * x;
    return 3.0f * __sinf(p) * __sinf(p / 3.0f) / (p * p);
}

/* kmutate launch
   int sw = 2400, sh = 1350, w = 960, h = 540; dim3 block = { 32, 4 }; dim3 grid = { w / 32, h / 4 };
   float in[sw * sh] = uniform(0, 1); float out[w * h] = zeros();
   lanczos_shrink(sw, sh, w, h, 2.5f, in, out);
*/
// Makes an image smaller with Lanczos' window of three; the weights are computed again by every thread.
__global__ void lanczos_shrink(int sw, int sh, int w, int h, float scale, const float *in, float *out)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    const float cx = (x + 0.5f) * scale - 0.5f, cy = (y + 0.5f) * scale - 0.5f, inverse = 1.0f / scale;
    const int x0 = (int)ceilf(cx - 3.0f * scale), y0 = (int)ceilf(cy - 3.0f * scale);
    float wx[16], sum = 0.0f, all = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; i++)
        wx[i] = lanczos((x0 + i - cx) * inverse);
    for (int j = 0; j < 16; j++) {
        const float wy = lanczos((y0 + j - cy) * inverse);
        const float *row = in + (size_t)min(max(y0 + j, 0), sh - 1) * sw;
#pragma unroll
        for (int i = 0; i < 16; i++) {
            const float k = wy * wx[i];
            sum += k * row[min(max(x0 + i, 0), sw - 1)];
            all += k;
        }
    }
    out[y * w + x] = sum / all;
}

/* kmutate launch
   int w = 2560, h = 1440; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   float ix[w * h] = normal(); float iy[w * h] = normal(); float it[w * h] = normal();
   float2 flow[w * h] = normal(); float2 next[w * h] = zeros();
   horn_schunck_sweep(w, h, 0.25f, ix, iy, it, flow, next);
*/
// A sweep of optical flow after Horn and Schunck, with its average of eight neighbours.
__global__ void horn_schunck_sweep(int w, int h, float alpha2, const float *ix, const float *iy, const float *it,
                                   const float2 *flow, float2 *next)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    const int xm = max(x - 1, 0), xp = min(x + 1, w - 1), ym = max(y - 1, 0) * w, yp = min(y + 1, h - 1) * w, yc = y * w;
    const float2 a = flow[yc + xm], b = flow[yc + xp], c = flow[ym + x], d = flow[yp + x];
    const float2 e = flow[ym + xm], f = flow[ym + xp], g = flow[yp + xm], k = flow[yp + xp];
    const float u = (a.x + b.x + c.x + d.x) / 6.0f + (e.x + f.x + g.x + k.x) / 12.0f;
    const float v = (a.y + b.y + c.y + d.y) / 6.0f + (e.y + f.y + g.y + k.y) / 12.0f;
    const float dx = ix[yc + x], dy = iy[yc + x], r = (dx * u + dy * v + it[yc + x]) / (alpha2 + dx * dx + dy * dy);
    next[yc + x] = make_float2(u - dx * r, v - dy * r);
}

/* kmutate launch
   int w = 3968, h = 2400; dim3 block = { 128 }; dim3 grid = { w / 992, h };
   unsigned char in[w * h] = randint(0, 256); unsigned char out[w * h] = zeros();
   dilate_line_herk(w, in, out);
*/
// The maximum along lines of 31 after van Herk: two running maxima in pieces of 31, one from each side, in shared memory.
__global__ void dilate_line_herk(int w, const unsigned char *in, unsigned char *out)
{
    __shared__ unsigned char source[1054], left[1054], right[1054];
    const int first = blockIdx.x * 992, t = threadIdx.x;
    const unsigned char *line = in + (size_t)blockIdx.y * w;
    for (int i = t; i < 1054; i += 128) {
        const int x = first + i - 15;
        source[i] = x >= 0 && x < w ? line[x] : 0;
    }
    __syncthreads();
    if (t < 34) {
        unsigned char m = 0;
        for (int i = t * 31; i < t * 31 + 31; i++)
            left[i] = m = max(m, source[i]);
    } else if (t >= 64 && t < 98) {
        unsigned char m = 0;
        for (int i = (t - 64) * 31 + 30; i >= (t - 64) * 31; i--)
            right[i] = m = max(m, source[i]);
    }
    __syncthreads();
    for (int i = t; i < 992; i += 128)
        out[(size_t)blockIdx.y * w + first + i] = max(right[i], left[i + 30]);
}

/* kmutate launch
   int w = 4096, h = 3072; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   unsigned char in[w * h] = randint(0, 256); unsigned char lut[8 * 8 * 256] = randint(0, 256);
   unsigned char out[w * h] = zeros();
   clahe_blend_tables(w, h, in, lut, out);
*/
// The last step of adaptive equalisation: a pixel is looked up in the tables of four tiles, and the results are blended.
__global__ void clahe_blend_tables(int w, int h, const unsigned char *in, const unsigned char *lut, unsigned char *out)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const float tx = (x + 0.5f) * 8.0f / w - 0.5f, ty = (y + 0.5f) * 8.0f / h - 0.5f;
    const int ix = (int)floorf(tx), iy = (int)floorf(ty);
    const float fx = tx - ix, fy = ty - iy;
    const int x0 = max(ix, 0), x1 = min(ix + 1, 7), y0 = max(iy, 0), y1 = min(iy + 1, 7), v = in[(size_t)y * w + x];
    const float a = lut[(y0 * 8 + x0) * 256 + v], b = lut[(y0 * 8 + x1) * 256 + v];
    const float c = lut[(y1 * 8 + x0) * 256 + v], d = lut[(y1 * 8 + x1) * 256 + v];
    const float top = a + fx * (b - a), low = c + fx * (d - c);
    out[(size_t)y * w + x] = (unsigned char)(top + fy * (low - top) + 0.5f);
}

/* kmutate launch
   int w = 3840, h = 2160; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   unsigned char in[w * h * 3] = randint(0, 256); unsigned char out[w * h * 3] = zeros();
   float m[9] = { 0.92f, -0.31f, 420.0f, 0.28f, 0.88f, -190.0f, 0.00004f, -0.00003f, 1.0f };
   warp_perspective_rgb(w, h, m, in, out);
*/
// Straightens a picture of three bytes to a pixel with a perspective map, four neighbours blended.
__global__ void warp_perspective_rgb(int w, int h, const float *m, const unsigned char *in, unsigned char *out)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const float z = 1.0f / (m[6] * x + m[7] * y + m[8]);
    const float sx = (m[0] * x + m[1] * y + m[2]) * z, sy = (m[3] * x + m[4] * y + m[5]) * z;
    const float bx = floorf(sx), by = floorf(sy), fx = sx - bx, fy = sy - by;
    const int ix = (int)bx, iy = (int)by;
    unsigned char *to = out + ((size_t)y * w + x) * 3;
    if (ix < 0 || iy < 0 || ix >= w - 1 || iy >= h - 1) {
        to[0] = to[1] = to[2] = 0;
        return;
    }
    const unsigned char *p = in + ((size_t)iy * w + ix) * 3, *q = p + w * 3;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const float top = p[c] + fx * (p[c + 3] - p[c]), low = q[c] + fx * (q[c + 3] - q[c]);
        to[c] = (unsigned char)(top + fy * (low - top) + 0.5f);
    }
}

// ----------------------------------------------------------------------------------------------------------------- signals

__device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// A transform of four in place: the outputs come in natural order.
__device__ __forceinline__ void fft_four(float2 &a, float2 &b, float2 &c, float2 &d)
{
    const float2 s = make_float2(a.x + c.x, a.y + c.y), t = make_float2(a.x - c.x, a.y - c.y);
    const float2 u = make_float2(b.x + d.x, b.y + d.y), v = make_float2(b.y - d.y, d.x - b.x);
    a = make_float2(s.x + u.x, s.y + u.y);
    b = make_float2(t.x + v.x, t.y + v.y);
    c = make_float2(s.x - u.x, s.y - u.y);
    d = make_float2(t.x - v.x, t.y - v.y);
}

// A transform of sixteen in registers, as four by four; element k of the result stands at 4 * (k % 4) + k / 4.
__device__ __forceinline__ void fft_sixteen(float2 *v)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        fft_four(v[i], v[i + 4], v[i + 8], v[i + 12]);
    const float c = 0.923879533f, s = 0.382683432f, r = 0.707106781f;
    v[5] = cmul(v[5], make_float2(c, -s));
    v[6] = cmul(v[6], make_float2(r, -r));
    v[7] = cmul(v[7], make_float2(s, -c));
    v[9] = cmul(v[9], make_float2(r, -r));
    v[10] = make_float2(v[10].y, -v[10].x);
    v[11] = cmul(v[11], make_float2(-r, -r));
    v[13] = cmul(v[13], make_float2(s, -c));
    v[14] = cmul(v[14], make_float2(-r, -r));
    v[15] = cmul(v[15], make_float2(-c, s));
#pragma unroll
    for (int i = 0; i < 16; i += 4)
        fft_four(v[i], v[i + 1], v[i + 2], v[i + 3]);
}

/* kmutate launch
   int count = 36000; dim3 block = { 64 }; dim3 grid = { count / 4 };
   float2 in[count * 256] = normal(); float2 out[count * 256] = zeros();
   fft256_sixteens(in, out);
*/
// Transforms of 256 points, sixteen threads to each: two passes of sixteen in registers, shared memory between them.
__global__ void __launch_bounds__(64) fft256_sixteens(const float2 *in, float2 *out)
{
    __shared__ float2 s[4][16 * 17];
    const int t = threadIdx.x % 16, which = threadIdx.x / 16;
    const size_t base = ((size_t)blockIdx.x * 4 + which) * 256;
    float2 v[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        v[i] = in[base + i * 16 + t];
    fft_sixteen(v);
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float sine, cosine;
        sincospif(-(float)(k * t) / 128.0f, &sine, &cosine);
        s[which][k * 17 + t] = cmul(v[4 * (k % 4) + k / 4], make_float2(cosine, sine));
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++)
        v[i] = s[which][t * 17 + i];
    fft_sixteen(v);
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[base + k * 16 + t] = v[4 * (k % 4) + k / 4];
}

/* kmutate launch
   int outputs = 2200000 / 256 * 256; dim3 block = { 256 }; dim3 grid = { outputs / 256 };
   float taps[64] = uniform(-1, 1); float in[outputs * 8 + 64] = normal(); float out[outputs] = zeros();
   decimate_by_eight(taps, in, out);
*/
// A filter of 64 taps that keeps every eighth value: the window lies in shared memory and is read eight words apart.
__global__ void decimate_by_eight(const float *taps, const float *in, float *out)
{
    __shared__ float s[256 * 8 + 64], h[64];
    const int t = threadIdx.x;
    if (t < 64) h[t] = taps[t];
    for (int i = t; i < 256 * 8 + 64; i += 256)
        s[i] = in[(size_t)blockIdx.x * 2048 + i];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < 64; k++)
        sum += h[k] * s[t * 8 + k];
    out[blockIdx.x * 256 + t] = sum;
}

/* kmutate launch
   int channels = 96, n = 1200; dim3 block = { 32 }; dim3 grid = { channels };
   float x[channels * n] = normal(); float wanted[channels * n] = normal(); float error[channels * n] = zeros();
   lms_adaptive_warp(n, 0.02f, x, wanted, error);
*/
// An adaptive filter of 32 taps for each channel, a lane to a tap: every sample waits for the sum of the one before.
__global__ void lms_adaptive_warp(int n, float mu, const float *x, const float *wanted, float *error)
{
    const int lane = threadIdx.x;
    x += (size_t)blockIdx.x * n;
    wanted += (size_t)blockIdx.x * n;
    error += (size_t)blockIdx.x * n;
    float w = 0.0f, delayed = 0.0f;
    for (int i = 0; i < n; i++) {
        const float shifted = __shfl_up_sync(0xffffffffu, delayed, 1);
        delayed = lane == 0 ? x[i] : shifted;
        const float y = lanes_sum(w * delayed), power = lanes_sum(delayed * delayed);
        const float e = wanted[i] - y;
        w += mu * e * delayed / (power + 0.01f);
        if (lane == 0) error[i] = e;
    }
}

// ------------------------------------------------------------------------------------------------- chance, money, sciences

__constant__ float c_factor[36];

/* kmutate launch
   int paths = 120 * 512; dim3 block = { 128 }; dim3 grid = { paths / 128 };
   extern float c_factor[36] = uniform(0.02, 0.08);
   float payoff[paths] = zeros();
   basket_paths(16, 1.02f, payoff);
*/
// Paths of a basket of eight shares whose moves are correlated by a triangular factor in constant memory.
__global__ void basket_paths(int steps, float strike, float *payoff)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = t * 747796405u + 2891336453u;
    float logs[8] = {};
    for (int s = 0; s < steps; s++) {
        float z[8];
#pragma unroll
        for (int i = 0; i < 8; i += 2) {
            const float r = sqrtf(-2.0f * __logf(to_unit(next_random(state)))), a = 6.2831853f * to_unit(next_random(state));
            float sine, cosine;
            __sincosf(a, &sine, &cosine);
            z[i] = r * cosine;
            z[i + 1] = r * sine;
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float move = -0.0004f;
#pragma unroll
            for (int j = 0; j <= i; j++)
                move += c_factor[i * (i + 1) / 2 + j] * z[j];
            logs[i] += move;
        }
    }
    float mean = 0.0f;
    for (int i = 0; i < 8; i++)
        mean += 0.125f * __expf(logs[i]);
    payoff[t] = fmaxf(mean - strike, 0.0f);
}

/* kmutate launch
   int threads = 132 * 6 * 256, each = 56; dim3 block = { 256 }; dim3 grid = { threads / 256 };
   unsigned long long seeds[threads * 2] = randint(1, 1ull << 62); double out[threads * each] = zeros();
   xoroshiro_fill_fp64(each, (const ulonglong2 *)seeds, out);
*/
// Fills an array with doubles of a generator that rotates and adds 64-bit words.
__global__ void xoroshiro_fill_fp64(int each, const ulonglong2 *seeds, double *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    ulonglong2 s = seeds[t];
    for (int i = 0; i < each; i++) {
        const u64 sum = s.x + s.y;
        out[(size_t)i * all + t] = (sum >> 11) * (1.0 / 9007199254740992.0);
        s.y ^= s.x;
        s.x = (s.x << 24 | s.x >> 40) ^ s.y ^ s.y << 16;
        s.y = s.y << 37 | s.y >> 27;
    }
}

/* kmutate launch
   int n = 800000; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float mean[n] = uniform(0.5, 24); int count[n] = zeros();
   poisson_products(mean, count);
*/
// Poisson counts after Knuth: random numbers are multiplied until the product is small, as long as each lane's mean asks.
__global__ void poisson_products(const float *mean, int *count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float limit = expf(-mean[t]);
    unsigned state = stir(t + 1u);
    float product = 1.0f;
    int k = -1;
    do {
        product *= to_unit(next_random(state));
        k++;
    } while (product > limit && k < 128);
    count[t] = k;
}

// ------------------------------------------------------------------------------------------------ ciphers, hashes, coding

/* kmutate launch
   int messages = 40000, words = 256; dim3 block = { 128 }; dim3 grid = { ceil_div(messages, 128) };
   unsigned text[messages * words] = randint(0, 1u << 31); unsigned key[messages * 4] = randint(0, 1u << 31);
   unsigned tag[messages * 4] = zeros();
   poly1305_messages(messages, words, (const uint4 *)text, (const uint4 *)key, (uint4 *)tag);
*/
// Authenticates messages of one kilobyte, a thread to each, with five limbs of 26 bits; lanes read a kilobyte apart.
__global__ void poly1305_messages(int messages, int words, const uint4 *text, const uint4 *key, uint4 *tag)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= messages) return;
    const uint4 k = key[m];
    const unsigned r0 = k.x & 0x3ffffff, r1 = (k.x >> 26 | k.y << 6) & 0x3ffff03, r2 = (k.y >> 20 | k.z << 12) & 0x3ffc0ff;
    const unsigned r3 = (k.z >> 14 | k.w << 18) & 0x3f03fff, r4 = k.w >> 8 & 0x00fffff;
    const unsigned s1 = r1 * 5, s2 = r2 * 5, s3 = r3 * 5, s4 = r4 * 5;
    unsigned h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0;
    const uint4 *mine = text + (size_t)m * (words / 4);
    for (int i = 0; i < words / 4; i++) {
        const uint4 b = mine[i];
        h0 += b.x & 0x3ffffff;
        h1 += (b.x >> 26 | b.y << 6) & 0x3ffffff;
        h2 += (b.y >> 20 | b.z << 12) & 0x3ffffff;
        h3 += (b.z >> 14 | b.w << 18) & 0x3ffffff;
        h4 += b.w >> 8 | 1u << 24;
        const u64 d0 = (u64)h0 * r0 + (u64)h1 * s4 + (u64)h2 * s3 + (u64)h3 * s2 + (u64)h4 * s1;
        u64 d1 = (u64)h0 * r1 + (u64)h1 * r0 + (u64)h2 * s4 + (u64)h3 * s3 + (u64)h4 * s2;
        u64 d2 = (u64)h0 * r2 + (u64)h1 * r1 + (u64)h2 * r0 + (u64)h3 * s4 + (u64)h4 * s3;
        u64 d3 = (u64)h0 * r3 + (u64)h1 * r2 + (u64)h2 * r1 + (u64)h3 * r0 + (u64)h4 * s4;
        u64 d4 = (u64)h0 * r4 + (u64)h1 * r3 + (u64)h2 * r2 + (u64)h3 * r1 + (u64)h4 * r0;
        d1 += d0 >> 26;
        d2 += d1 >> 26;
        d3 += d2 >> 26;
        d4 += d3 >> 26;
        h0 = ((unsigned)d0 & 0x3ffffff) + (unsigned)(d4 >> 26) * 5;
        h1 = ((unsigned)d1 & 0x3ffffff) + (h0 >> 26);
        h0 &= 0x3ffffff;
        h2 = (unsigned)d2 & 0x3ffffff;
        h3 = (unsigned)d3 & 0x3ffffff;
        h4 = (unsigned)d4 & 0x3ffffff;
    }
    tag[m] = make_uint4(h0 | h1 << 26, h1 >> 6 | h2 << 20, h2 >> 12 | h3 << 14, h3 >> 18 | h4 << 8);
}

/* kmutate launch
   int blocks = 1800000; dim3 block = { 256 }; dim3 grid = { ceil_div(blocks, 256) };
   unsigned long long keys[32] = randint(0, 1ull << 62); unsigned long long text[blocks * 2] = randint(0, 1ull << 62);
   speck_counter_blocks(blocks, keys, (ulonglong2 *)text);
*/
// Speck of 128 bits in counter mode over a long text: adding, rotating and xor of 64-bit words, the round keys shared.
__global__ void speck_counter_blocks(int blocks, const u64 *keys, ulonglong2 *text)
{
    __shared__ u64 k[32];
    if (threadIdx.x < 32) k[threadIdx.x] = keys[threadIdx.x];
    __syncthreads();
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= blocks) return;
    u64 x = 0x0123456789abcdefull, y = t;
#pragma unroll 8
    for (int r = 0; r < 32; r++) {
        x = ((x >> 8 | x << 56) + y) ^ k[r];
        y = (y << 3 | y >> 61) ^ x;
    }
    ulonglong2 b = text[t];
    b.x ^= x;
    b.y ^= y;
    text[t] = b;
}

/* kmutate launch
   int threads = 132 * 128, each = 128; dim3 block = { 64 }; dim3 grid = { threads / 64 };
   unsigned char in[threads * each] = randint(0, 64); unsigned char out[threads * each] = zeros();
   move_to_front(each, in, out);
*/
// The coder that moves each symbol to the front of its list; every thread has a list of 64 bytes in shared memory.
__global__ void move_to_front(int each, const unsigned char *in, unsigned char *out)
{
    __shared__ unsigned char lists[64 * 64];
    unsigned char *list = lists + threadIdx.x;
    for (int i = 0; i < 64; i++)
        list[i * 64] = i;
    const size_t base = (size_t)(blockIdx.x * 64 + threadIdx.x) * each;
    for (int i = 0; i < each; i++) {
        const unsigned char symbol = in[base + i];
        unsigned char carried = list[0];
        int at = 0;
        while (carried != symbol && at < 63) {
            at++;
            const unsigned char next = list[at * 64];
            list[at * 64] = carried;
            carried = next;
        }
        list[0] = carried;
        out[base + i] = at;
    }
}

/* kmutate launch
   int pages = 300000; dim3 block = { 128 }; dim3 grid = { ceil_div(pages, 128) };
   unsigned char bytes[pages * 160] = randint(0, 256); unsigned values[pages * 32] = zeros();
   varint_pages(pages, bytes, values);
*/
// Takes 32 integers of variable length out of a page of bytes, and sums their differences; a thread has a page.
__global__ void varint_pages(int pages, const unsigned char *bytes, unsigned *values)
{
    const int page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page >= pages) return;
    const unsigned char *p = bytes + (size_t)page * 160;
    unsigned *out = values + (size_t)page * 32, before = 0;
    for (int i = 0; i < 32; i++) {
        unsigned v = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            const unsigned b = *p++;
            v |= (b & 127u) << shift;
            if (b < 128) break;
        }
        before += v >> 1 ^ -(v & 1u);
        out[i] = before;
    }
}

// --------------------------------------------------------------------------------------------------------------- databases

/* kmutate launch
   int buckets = 1 << 20, lo = 0, hi = 5, build = csr_nnz(buckets, lo, hi), probes = 3000000; dim3 block = { 256 };
   dim3 grid = { ceil_div(probes, 256) };
   int first[buckets + 1] = csr_rowptr(buckets, lo, hi); int build_key[build] = randint(0, 6);
   int probe_key[probes] = randint(0, 1 << 30); int2 pairs[probes] = zeros(); int many[1] = zeros();
   join_buckets_probe(probes, buckets - 1, first, build_key, probe_key, pairs, many);
*/
// The probing side of a join: a bucket is searched for the first equal key, and a warp takes room for its matches at once.
__global__ void join_buckets_probe(int probes, int mask, const int *first, const int *build_key, const int *probe_key,
                                   int2 *pairs, int *many)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int match = -1;
    if (t < probes) {
        const int key = probe_key[t], bucket = stir(key) & mask, end = first[bucket + 1];
        for (int e = first[bucket]; e < end; e++)
            if (build_key[e] == key % 6) {
                match = e;
                break;
            }
    }
    const unsigned found = __ballot_sync(0xffffffffu, match >= 0);
    int room = 0;
    if (lane == 0 && found) room = atomicAdd(many, __popc(found));
    room = __shfl_sync(0xffffffffu, room, 0);
    if (match >= 0) pairs[room + __popc(found & ((1u << lane) - 1))] = make_int2(t, match);
}

/* kmutate launch
   int n = 16000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   int date[n] = randint(8000, 10600); float price[n] = uniform(900, 100000); unsigned char discount[n] = randint(0, 11);
   short quantity[n] = randint(1, 51); unsigned bits[n / 32] = zeros();
   filter_to_bitmap(n, date, price, discount, quantity, bits);
*/
// Four conditions on four columns become a bitmap, a ballot to each word of it.
__global__ void filter_to_bitmap(int n, const int *date, const float *price, const unsigned char *discount,
                                 const short *quantity, unsigned *bits)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = false;
    if (t < n) {
        const int d = date[t], c = discount[t];
        keep = d >= 8766 && d < 9131 && c >= 5 && c <= 7 && quantity[t] < 24 && price[t] > 1000.0f;
    }
    const unsigned word = __ballot_sync(0xffffffffu, keep);
    if (threadIdx.x % 32 == 0 && t < n) bits[t / 32] = word;
}

/* kmutate launch
   int n = 4000000, slots = 1 << 18; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   int key[n] = randint(1, 100000); float value[n] = uniform(0, 1); int table[slots] = zeros();
   float sum[slots] = zeros(); int count[slots] = zeros(); unsigned least[slots] = fill(0x7f800000);
   group_open_addressing(n, slots - 1, key, value, table, sum, count, least);
*/
// Groups rows with a hash table in global memory: a slot is found or taken with compare-and-swap, then three atomics.
__global__ void group_open_addressing(int n, int mask, const int *key, const float *value, int *table, float *sum, int *count,
                                      unsigned *least)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const int k = key[t];
    const float v = value[t];
    int slot = stir(k) & mask;
    for (int tries = 0; tries <= mask; tries++) {
        int there = table[slot];
        if (there == 0) there = atomicCAS(&table[slot], 0, k);
        if (there == 0 || there == k) break;
        slot = (slot + 1) & mask;
    }
    atomicAdd(&sum[slot], v);
    atomicAdd(&count[slot], 1);
    atomicMin(&least[slot], __float_as_uint(v));
}

/* kmutate launch
   int n = 1500000, lo = 4, hi = 40, total = csr_nnz(n, lo, hi); dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   int start[n + 1] = csr_rowptr(n, lo, hi); char text[total] = randint(97, 99); int partner[n] = randint(0, n);
   signed char order[n] = zeros();
   strings_compare_pairs(n, start, text, partner, order);
*/
// Compares each string with another, byte after byte, from one long text with offsets.
__global__ void strings_compare_pairs(int n, const int *start, const char *text, const int *partner, signed char *order)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const int o = partner[t], a = start[t], b = start[o], la = start[t + 1] - a, lb = start[o + 1] - b, both = min(la, lb);
    int result = (la > lb) - (la < lb);
    for (int i = 0; i < both; i++) {
        const int d = text[a + i] - text[b + i];
        if (d != 0) {
            result = d > 0 ? 1 : -1;
            break;
        }
    }
    order[t] = result;
}

/* kmutate launch
   int n = 14000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   int days[n] = randint(-20000, 40000); short year[n] = zeros();
   unsigned char month[n] = zeros(); unsigned char day[n] = zeros();
   civil_from_days(n, days, year, month, day);
*/
// Turns days since 1970 into year, month and day with whole divisions only.
__global__ void civil_from_days(int n, const int *days, short *year, unsigned char *month, unsigned char *day)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const int z = days[t] + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
    const unsigned doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    const int m = mp < 10 ? mp + 3 : mp - 9;
    year[t] = yoe + era * 400 + (m <= 2);
    month[t] = m;
    day[t] = doy - (153 * mp + 2) / 5 + 1;
}

// ----------------------------------------------------------------------------------------------------------------- genomes

/* kmutate launch
   int blocks = 2000000, reads = 160000; dim3 block = { 128 }; dim3 grid = { reads / 128 };
   uint4 before[blocks] = ascending(0, 32000000); uint4 bases[blocks] = randint(0, 1u << 31);
   unsigned read[reads * 2] = randint(0, 1u << 31); int2 range[reads] = zeros();
   fm_backward_search(blocks, before, bases, read, range);
*/
// Looks up seeds of up to 32 bases backwards in a compressed index of 128 million: two far reads to a base, bits counted.
__global__ void fm_backward_search(int blocks, const uint4 *before, const uint4 *bases, const unsigned *read, int2 *range)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, n = blocks * 64;
    int lo = 0, hi = n - 1;
    for (int i = 0; i < 32 && lo < hi; i++) {
        const unsigned c = read[t * 2 + i / 16] >> (i % 16 * 2) & 3u;
        int ends[2] = { lo, hi };
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const int at = ends[e] / 64, within = ends[e] % 64;
            const uint4 counts = before[at], w = bases[at];
            const unsigned words[4] = { w.x, w.y, w.z, w.w };
            unsigned occurs = c == 0 ? counts.x : c == 1 ? counts.y : c == 2 ? counts.z : counts.w;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const unsigned differs = words[k] ^ c * 0x55555555u;
                unsigned same = ~(differs | differs >> 1) & 0x55555555u;
                const int left = within - 16 * k;
                if (left < 16) same &= left <= 0 ? 0u : (1u << 2 * left) - 1u;
                occurs += __popc(same);
            }
            ends[e] = min((int)(c * (unsigned)(n / 4) + occurs), n - 1);
        }
        lo = ends[0];
        hi = ends[1];
    }
    range[t] = make_int2(lo, hi);
}

// ------------------------------------------------------------------------------------------------------ layers of networks

/* kmutate launch
   int rows = 10000; dim3 block = { 256 }; dim3 grid = { rows };
   half in[rows * 4096] = normal(); half out[rows * 4096] = zeros();
   log_softmax_half_rows((const uint4 *)in, (uint4 *)out);
*/
// The logarithm of softmax over rows of 4096 halves; a thread keeps its sixteen in registers.
__global__ void log_softmax_half_rows(const uint4 *in, uint4 *out)
{
    __shared__ float part[8];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 512;
    uint4 raw[2] = { in[base + t], in[base + 256 + t] };
    half2 *h = (half2 *)raw;
    float v[16], most = -1e30f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const float2 f = __half22float2(h[i]);
        v[2 * i] = f.x;
        v[2 * i + 1] = f.y;
        most = fmaxf(most, fmaxf(f.x, f.y));
    }
    most = lanes_max(most);
    if (t % 32 == 0) part[t / 32] = most;
    __syncthreads();
    for (int w = 0; w < 8; w++)
        most = fmaxf(most, part[w]);
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; i++)
        sum += __expf(v[i] - most);
    sum = lanes_sum(sum);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    float all = 0.0f;
    for (int w = 0; w < 8; w++)
        all += part[w];
    const float shift = most + __logf(all);
#pragma unroll
    for (int i = 0; i < 8; i++)
        h[i] = __floats2half2_rn(v[2 * i] - shift, v[2 * i + 1] - shift);
    out[base + t] = raw[0];
    out[base + 256 + t] = raw[1];
}

/* kmutate launch
   int heads = 320, steps = 96; dim3 block = { 64 }; dim3 grid = { heads };
   float q[heads * steps * 64] = normal(); float k[heads * steps * 64] = normal(); float v[heads * steps * 64] = normal();
   float out[heads * steps * 64] = zeros();
   linear_attention_state(steps, 0.97f, q, k, v, out);
*/
// Attention without softmax, token after token: a thread holds a column of the 64 x 64 state in registers.
__global__ void __launch_bounds__(64) linear_attention_state(int steps, float decay, const float *q, const float *k,
                                                             const float *v, float *out)
{
    __shared__ float qs[64], ks[64];
    const int t = threadIdx.x;
    float state[64] = {};
    for (int s = 0; s < steps; s++) {
        const size_t at = ((size_t)blockIdx.x * steps + s) * 64 + t;
        __syncthreads();
        qs[t] = q[at];
        ks[t] = k[at];
        __syncthreads();
        const float value = v[at];
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < 64; d++) {
            state[d] = decay * state[d] + ks[d] * value;
            sum += qs[d] * state[d];
        }
        out[at] = sum;
    }
}

/* kmutate launch
   int tokens = 8192, width = 3584; dim3 block = { 448 }; dim3 grid = { tokens };
   __nv_bfloat16 in[tokens * 2 * width] = normal(); __nv_bfloat16 out[tokens * width] = zeros();
   geglu_bf16_eights(width, (const uint4 *)in, (uint4 *)out);
*/
// A gated layer's pointwise part in bfloat16: one half of the row through the Gaussian unit, times the other half.
__global__ void geglu_bf16_eights(int width, const uint4 *in, uint4 *out)
{
    const int t = threadIdx.x, eights = width / 8;
    uint4 gate = in[(size_t)blockIdx.x * 2 * eights + t], up = in[(size_t)blockIdx.x * 2 * eights + eights + t];
    __nv_bfloat162 *g = (__nv_bfloat162 *)&gate, *u = (__nv_bfloat162 *)&up;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float2 a = __bfloat1622float2(g[i]), b = __bfloat1622float2(u[i]);
        const float x = 0.5f * a.x * (1.0f + tanhf(0.79788456f * (a.x + 0.044715f * a.x * a.x * a.x)));
        const float y = 0.5f * a.y * (1.0f + tanhf(0.79788456f * (a.y + 0.044715f * a.y * a.y * a.y)));
        g[i] = __floats2bfloat162_rn(x * b.x, y * b.y);
    }
    out[(size_t)blockIdx.x * eights + t] = gate;
}

/* kmutate launch
   int images = 48, side = 56, pairs = 96; dim3 block = { pairs, 2 }; dim3 grid = { side / 28, side / 2, images };
   half in[images * side * side * pairs * 2] = normal(); half weight[9 * pairs * 2] = normal();
   half out[images * side * side * pairs * 2] = zeros();
   depthwise_nhwc_half2(side, pairs, (const half2 *)in, (const half2 *)weight, (half2 *)out);
*/
// A depthwise 3 x 3 in halves with the channels innermost, two to a thread, which walks along a row with nine in registers.
__global__ void depthwise_nhwc_half2(int side, int pairs, const half2 *in, const half2 *weight, half2 *out)
{
    const int c = threadIdx.x, first = blockIdx.x * 28, y = blockIdx.y * 2 + threadIdx.y;
    const half2 zero = __float2half2_rn(0.0f), *image = in + (size_t)blockIdx.z * side * side * pairs + c;
    half2 w[9], v[3][3];
#pragma unroll
    for (int i = 0; i < 9; i++)
        w[i] = weight[i * pairs + c];
#pragma unroll
    for (int r = 0; r < 3; r++) {
        const int sy = y + r - 1;
        const bool inside = sy >= 0 && sy < side;
        v[r][0] = zero;
        v[r][1] = inside && first > 0 ? image[(sy * side + first - 1) * pairs] : zero;
        v[r][2] = inside ? image[(sy * side + first) * pairs] : zero;
    }
    half2 *to = out + ((size_t)(blockIdx.z * side + y) * side + first) * pairs + c;
    for (int x = first; x < first + 28; x++) {
        half2 sum = zero;
#pragma unroll
        for (int r = 0; r < 3; r++) {
            const int sy = y + r - 1;
            v[r][0] = v[r][1];
            v[r][1] = v[r][2];
            v[r][2] = sy >= 0 && sy < side && x + 1 < side ? image[(sy * side + x + 1) * pairs] : zero;
#pragma unroll
            for (int k = 0; k < 3; k++)
                sum = __hfma2(v[r][k], w[r * 3 + k], sum);
        }
        *to = __hmax2(sum, zero);
        to += pairs;
    }
}

/* kmutate launch
   int n = 24000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n / 8, 256) };
   float in[n] = normal(); unsigned packed[n / 8] = zeros(); half2 scales[n / 32] = zeros();
   quantise_int4_groups(n / 8, (const float4 *)in, packed, scales);
*/
// Weights to four bits in groups of 32 with a scale and a least value; four lanes have a group, eight values each.
__global__ void quantise_int4_groups(int eights, const float4 *in, unsigned *packed, half2 *scales)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, i = min(t, eights - 1);
    const float4 a = in[(size_t)i * 2], b = in[(size_t)i * 2 + 1];
    const float v[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
    float least = v[0], most = v[0];
#pragma unroll
    for (int k = 1; k < 8; k++) {
        least = fminf(least, v[k]);
        most = fmaxf(most, v[k]);
    }
    for (int d = 1; d < 4; d <<= 1) {
        least = fminf(least, __shfl_xor_sync(0xffffffffu, least, d));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    }
    const float scale = fmaxf((most - least) / 15.0f, 1e-8f), inverse = 1.0f / scale;
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        word |= min(max(__float2int_rn((v[k] - least) * inverse), 0), 15) << (4 * k);
    if (t < eights) {
        packed[t] = word;
        if (t % 4 == 0) scales[t / 4] = __floats2half2_rn(scale, least);
    }
}

/* kmutate launch
   int rows = 11008, k = 8192; dim3 block = { 128 }; dim3 grid = { rows / 4 };
   signed char W[rows * k] = randint(-127, 128); signed char x[4 * k] = randint(-127, 128);
   float scale[rows] = uniform(0.001, 0.01); float y[4 * rows] = zeros();
   dp4a_rows_by_four(rows, k / 16, (const int4 *)W, (const int4 *)x, scale, y);
*/
// A matrix of bytes times four vectors of bytes, a warp to a row, four products to an instruction.
__global__ void dp4a_rows_by_four(int rows, int quads, const int4 *W, const int4 *x, const float *scale, float *y)
{
    const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    int sum[4] = {};
    for (int i = lane; i < quads; i += 32) {
        const int4 w = W[(size_t)row * quads + i];
#pragma unroll
        for (int b = 0; b < 4; b++) {
            const int4 a = x[b * quads + i];
            sum[b] = __dp4a(w.x, a.x, sum[b]);
            sum[b] = __dp4a(w.y, a.y, sum[b]);
            sum[b] = __dp4a(w.z, a.z, sum[b]);
            sum[b] = __dp4a(w.w, a.w, sum[b]);
        }
    }
#pragma unroll
    for (int b = 0; b < 4; b++) {
        for (int d = 16; d > 0; d >>= 1)
            sum[b] += __shfl_down_sync(0xffffffffu, sum[b], d);
        if (lane == 0) y[b * rows + row] = sum[b] * scale[row];
    }
}

/* kmutate launch
   int pairs = 32768; dim3 block = { 1024 }; dim3 grid = { 1 };
   int expert[pairs] = randint(0, 64); int place[pairs] = zeros(); int start[65] = zeros();
   moe_places_one_block(pairs, expert, place, start);
*/
// Sorts tokens by their expert in a single block: counts, their prefix sums, and a place for each.
__global__ void moe_places_one_block(int pairs, const int *expert, int *place, int *start)
{
    __shared__ int counts[64], next[64];
    const int t = threadIdx.x;
    if (t < 64) counts[t] = 0;
    __syncthreads();
    for (int i = t; i < pairs; i += 1024)
        atomicAdd(&counts[expert[i]], 1);
    __syncthreads();
    if (t < 64) {
        int sum = 0;
        for (int e = 0; e < t; e++)
            sum += counts[e];
        next[t] = sum;
        start[t] = sum;
        if (t == 63) start[64] = sum + counts[63];
    }
    __syncthreads();
    for (int i = t; i < pairs; i += 1024)
        place[i] = atomicAdd(&next[expert[i]], 1);
}

/* kmutate launch
   int rows = 264, words = 24000; dim3 block = { 512 }; dim3 grid = { rows };
   float p[rows * words] = uniform(0, 0.0000833333); float cut[rows] = zeros();
   top_p_bisection(words, 0.9f, p, cut);
*/
// Finds by bisection the probability from which on the words of a row make up nine tenths; the row is read again each time.
__global__ void top_p_bisection(int words, float wanted, const float *p, float *cut)
{
    __shared__ float part[16], middle;
    const float *row = p + (size_t)blockIdx.x * words;
    const int t = threadIdx.x;
    float lo = 0.0f, hi = 0.0001f;
    for (int round = 0; round < 18; round++) {
        const float mid = 0.5f * (lo + hi);
        float sum = 0.0f;
        for (int i = t; i < words; i += 512) {
            const float v = row[i];
            if (v >= mid) sum += v;
        }
        sum = lanes_sum(sum);
        if (t % 32 == 0) part[t / 32] = sum;
        __syncthreads();
        if (t < 32) {
            const float all = lanes_sum(t < 16 ? part[t] : 0.0f);
            if (t == 0) middle = all;
        }
        __syncthreads();
        if (middle >= wanted) lo = mid;
        else hi = mid;
    }
    if (t == 0) cut[blockIdx.x] = lo;
}

/* kmutate launch
   int anchors = 250000, classes = 80; dim3 block = { 128 }; dim3 grid = { ceil_div(anchors, 128) };
   float logits[anchors * classes] = normal(-2, 1); int target[anchors] = randint(-1, 80); float loss[anchors] = zeros();
   focal_loss_naive(anchors, classes, logits, target, loss);
*/
// The focal loss of a detector, a thread to an anchor that reads its 80 classes one after the other.
__global__ void focal_loss_naive(int anchors, int classes, const float *logits, const int *target, float *loss)
{
    const int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= anchors) return;
    const int wanted = target[a];
    float sum = 0.0f;
    for (int c = 0; c < classes; c++) {
        const float x = logits[(size_t)a * classes + c], e = __expf(-fabsf(x));
        const float p = (x >= 0.0f ? 1.0f : e) / (1.0f + e), soft = __logf(1.0f + e);
        if (c == wanted) sum += 0.25f * (1.0f - p) * (1.0f - p) * (fmaxf(-x, 0.0f) + soft);
        else sum += 0.75f * p * p * (fmaxf(x, 0.0f) + soft);
    }
    loss[a] = sum;
}

/* kmutate launch
   int images = 48, channels = 288, area = 784; dim3 block = { 256 }; dim3 grid = { channels };
   float x[images * channels * area] = normal(); float dy[images * channels * area] = normal();
   float mean[channels] = normal(0, 0.1); float inv[channels] = uniform(0.8, 1.2); float2 sums[channels] = zeros();
   batchnorm_gradient_sums(images, channels, area, x, dy, mean, inv, sums);
*/
// The two sums that the gradient of batch normalisation needs of each channel; a block goes through all images.
__global__ void batchnorm_gradient_sums(int images, int channels, int area, const float *x, const float *dy, const float *mean,
                                        const float *inv, float2 *sums)
{
    __shared__ float2 part[8];
    const int c = blockIdx.x, t = threadIdx.x;
    const float m = mean[c], s = inv[c];
    float a = 0.0f, b = 0.0f;
    for (int n = 0; n < images; n++) {
        const size_t base = ((size_t)n * channels + c) * area;
        for (int i = t; i < area; i += 256) {
            const float g = dy[base + i];
            a += g;
            b += g * (x[base + i] - m) * s;
        }
    }
    a = lanes_sum(a);
    b = lanes_sum(b);
    if (t % 32 == 0) part[t / 32] = make_float2(a, b);
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++) {
            a += part[w].x;
            b += part[w].y;
        }
        sums[c] = make_float2(a, b);
    }
}

/* kmutate launch
   int images = 8, side = 208; dim3 block = { 16, 16 }; dim3 grid = { side / 16, side / 16, images * 4 };
   float in[images * 3 * side * side] = normal(); float weight[32 * 75] = uniform(-0.1, 0.1);
   float out[images * 32 * side * side] = zeros();
   conv_stem_five(side, in, weight, out);
*/
// The first layer of a network: 5 x 5 of three colours to 32 channels, a tile in shared memory, eight channels to a thread.
__global__ void conv_stem_five(int side, const float *in, const float *weight, float *out)
{
    __shared__ float tile[3][20][20], w[75][8];
    const int image = blockIdx.z / 4, channel = blockIdx.z % 4 * 8, t = threadIdx.y * 16 + threadIdx.x;
    for (int e = t; e < 600; e += 256)
        w[e % 75][e / 75] = weight[(channel + e / 75) * 75 + e % 75];
    for (int e = t; e < 1200; e += 256) {
        const int c = e / 400, y = blockIdx.y * 16 + e % 400 / 20 - 2, x = blockIdx.x * 16 + e % 20 - 2;
        const bool inside = x >= 0 && y >= 0 && x < side && y < side;
        tile[c][e % 400 / 20][e % 20] = inside ? in[((size_t)image * 3 + c) * side * side + y * side + x] : 0.0f;
    }
    __syncthreads();
    float acc[8] = {};
    for (int c = 0; c < 3; c++)
        for (int dy = 0; dy < 5; dy++)
#pragma unroll
            for (int dx = 0; dx < 5; dx++) {
                const float v = tile[c][threadIdx.y + dy][threadIdx.x + dx];
#pragma unroll
                for (int o = 0; o < 8; o++) acc[o] += v * w[c * 25 + dy * 5 + dx][o];
            }
    const int at = (blockIdx.y * 16 + threadIdx.y) * side + blockIdx.x * 16 + threadIdx.x;
#pragma unroll
    for (int o = 0; o < 8; o++)
        out[((size_t)image * 32 + channel + o) * side * side + at] = fmaxf(acc[o], 0.0f);
}

// --------------------------------------------------------------------------------------------------------------- rendering

/* kmutate launch
   int w = 256, h = 192, nodes = 37449; dim3 block = { 8, 8 }; dim3 grid = { w / 8, h / 8 };
   unsigned char children[nodes] = randint(1, 256); float depth[w * h] = zeros();
   octree_rays_stack(w, children, depth);
*/
// Rays through an octree of six levels with a stack: nodes say which children there are, the nearest voxel counts.
__global__ void octree_rays_stack(int w, const unsigned char *children, float *depth)
{
    const int px = blockIdx.x * 8 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    const float ox = 0.3f, oy = 0.4f, oz = -0.5f;
    const float ix = 1.0f / (px * 0.004f - 0.3111f), iy = 1.0f / (py * 0.004f - 0.2777f), iz = 1.0f;
    int stack_node[48], top = 1;
    unsigned stack_place[48];
    stack_node[0] = 0;
    stack_place[0] = 0;
    float best = 1e30f;
    while (top > 0) {
        top--;
        const int node = stack_node[top];
        const unsigned place = stack_place[top], level = place >> 24;
        const unsigned mask = children[node];
        const float size = 1.0f / (2u << level);
        for (int c = 7; c >= 0; c--) {
            if (!(mask >> c & 1)) continue;
            const unsigned x = (place & 255) * 2 + (c & 1), y = (place >> 8 & 255) * 2 + (c >> 1 & 1);
            const unsigned z = (place >> 16 & 255) * 2 + (c >> 2);
            const float ax = (x * size - ox) * ix, bx = ((x + 1) * size - ox) * ix;
            const float ay = (y * size - oy) * iy, by = ((y + 1) * size - oy) * iy;
            const float az = (z * size - oz) * iz, bz = ((z + 1) * size - oz) * iz;
            const float enter = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fminf(az, bz));
            const float leave = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
            if (enter > leave || leave < 0.0f || enter >= best) continue;
            if (level == 5) {
                best = enter;
            } else {
                stack_node[top] = node * 8 + 1 + c;
                stack_place[top++] = (level + 1) << 24 | z << 16 | y << 8 | x;
            }
        }
    }
    depth[py * w + px] = best;
}

/* kmutate launch
   int w = 1600, h = 900; dim3 block = { 32, 4 }; dim3 grid = { w / 32, h / 4 };
   uchar4 image[w * h] = zeros();
   newton_basins(w, 48, image);
*/
// Newton's method for z^5 = 1 from every pixel; lanes leave when they are near a root, which gives the colour.
__global__ void newton_basins(int w, int most, uchar4 *image)
{
    const int px = blockIdx.x * 32 + threadIdx.x, py = blockIdx.y * 4 + threadIdx.y;
    float x = (px - 800) * 0.0021f + 0.0007f, y = (py - 450) * 0.0021f + 0.0009f;
    int i = 0;
    for (; i < most; i++) {
        const float x2 = x * x - y * y, y2 = 2.0f * x * y, x4 = x2 * x2 - y2 * y2, y4 = 2.0f * x2 * y2;
        const float norm = 0.2f / (x4 * x4 + y4 * y4 + 1e-12f);
        const float nx = 0.8f * x + x4 * norm, ny = 0.8f * y - y4 * norm;
        const float dx = nx - x, dy = ny - y;
        x = nx;
        y = ny;
        if (dx * dx + dy * dy < 1e-10f) break;
    }
    const float angle = atan2f(y, x) * 0.79577472f + 2.5f;
    const int root = (int)floorf(angle + 0.5f) % 5;
    image[py * w + px] = make_uchar4(root * 51, 255 - 5 * i, i * 5, 255);
}

__device__ __forceinline__ float scene_distance(float x, float y, float z)
{
    const float ring = sqrtf(x * x + z * z) - 1.2f, torus = sqrtf(ring * ring + y * y) - 0.35f;
    const float bx = fabsf(x - 0.4f) - 0.5f, by = fabsf(y - 0.3f) - 0.4f, bz = fabsf(z) - 0.5f;
    const float cx = fmaxf(bx, 0.0f), cy = fmaxf(by, 0.0f), cz = fmaxf(bz, 0.0f);
    const float box = sqrtf(cx * cx + cy * cy + cz * cz) + fminf(fmaxf(bx, fmaxf(by, bz)), 0.0f) - 0.05f;
    const float mix = fminf(fmaxf(0.5f + 2.5f * (box - torus), 0.0f), 1.0f);
    return fminf(box + (torus - box) * mix - 0.2f * mix * (1.0f - mix), y + 0.8f);
}

/* kmutate launch
   int w = 640, h = 384; dim3 block = { 16, 8 }; dim3 grid = { w / 16, h / 8 };
   float4 image[w * h] = zeros();
   sdf_soft_shadows(w, h, image);
*/
// A scene of distance functions, walked by spheres; where something is hit a second walk finds a soft shadow.
__global__ void sdf_soft_shadows(int w, int h, float4 *image)
{
    const int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    float dx = (px - 0.5f * w) / h, dy = (0.5f * h - py) / h - 0.25f, dz = 1.2f;
    const float n = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= n;
    dy *= n;
    dz *= n;
    float t = 0.5f, d = 1.0f;
    for (int i = 0; i < 72 && t < 12.0f; i++) {
        d = scene_distance(dx * t, 1.0f + dy * t, -4.0f + dz * t);
        if (d < 0.001f * t) break;
        t += d;
    }
    float shade = 0.1f;
    if (t < 12.0f) {
        const float x = dx * t, y = 1.0f + dy * t, z = -4.0f + dz * t, e = 0.002f;
        const float gx = scene_distance(x + e, y, z) - d, gy = scene_distance(x, y + e, z) - d;
        const float gz = scene_distance(x, y, z + e) - d;
        const float light = fmaxf(0.5f * gx + 0.7f * gy - 0.5f * gz, 0.0f) * rsqrtf(gx * gx + gy * gy + gz * gz + 1e-12f);
        float soft = 1.0f, s = 0.03f;
        for (int i = 0; i < 40 && s < 6.0f; i++) {
            const float k = scene_distance(x + 0.5f * s, y + 0.7f * s, z - 0.5f * s);
            soft = fminf(soft, 10.0f * k / s);
            if (soft < 0.005f) break;
            s += fminf(fmaxf(k, 0.02f), 0.4f);
        }
        shade += 0.9f * light * fmaxf(soft, 0.0f);
    }
    image[py * w + px] = make_float4(shade, shade, shade, t);
}

// ------------------------------------------------------------------------------------------------------ robots and geometry

/* kmutate launch
   int n = 4500000; dim3 block = { 256 }; dim3 grid = { 264 };
   float4 source[n] = normal(); float4 target[n] = normal(); float sums[16] = zeros();
   icp_pair_sums(n, source, target, sums);
*/
// What is needed to lay two clouds of points on each other: both centres and the nine products, of pairs that are near.
__global__ void icp_pair_sums(int n, const float4 *source, const float4 *target, float *sums)
{
    __shared__ float part[8][16];
    float v[16] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float4 a = source[i], b = target[i];
        const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        if (dx * dx + dy * dy + dz * dz > 9.0f) continue;
        v[0] += a.x; v[1] += a.y; v[2] += a.z; v[3] += b.x; v[4] += b.y; v[5] += b.z;
        v[6] += a.x * b.x; v[7] += a.x * b.y; v[8] += a.x * b.z;
        v[9] += a.y * b.x; v[10] += a.y * b.y; v[11] += a.y * b.z;
        v[12] += a.z * b.x; v[13] += a.z * b.y; v[14] += a.z * b.z;
        v[15] += 1.0f;
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const float sum = lanes_sum(v[k]);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32][k] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        float sum = 0.0f;
        for (int w = 0; w < 8; w++)
            sum += part[w][threadIdx.x];
        atomicAdd(&sums[threadIdx.x], sum);
    }
}

/* kmutate launch
   int n = 40960; dim3 block = { 64 }; dim3 grid = { n / 64 };
   float goal[3][n] = uniform(0.2, 0.6); float joints[6][n] = uniform(-1, 1); float error[n] = zeros();
   arm_inverse_damped(n, 8, 0.01f, (const float *)goal, (float *)joints, error);
*/
// Joint angles of an arm of six joints by damped least squares: forward chain, Jacobian and a 3 x 3 system in each round.
__global__ void arm_inverse_damped(int n, int rounds, float damping, const float *goal, float *joints, float *error)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float gx = goal[t], gy = goal[n + t], gz = goal[2 * n + t];
    float q[6], last = 0.0f;
    for (int j = 0; j < 6; j++)
        q[j] = joints[j * n + t];
    for (int r = 0; r < rounds; r++) {
        float px[7], py[7], pz[7], ax[6], ay[6], az[6];
        float m[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
        px[0] = py[0] = pz[0] = 0.0f;
#pragma unroll
        for (int j = 0; j < 6; j++) {
            ax[j] = m[2];
            ay[j] = m[5];
            az[j] = m[8];
            float s, c;
            sincosf(q[j], &s, &c);
#pragma unroll
            for (int i = 0; i < 3; i++) {
                const float u = m[3 * i] * c + m[3 * i + 1] * s, v = m[3 * i + 1] * c - m[3 * i] * s, w = m[3 * i + 2];
                m[3 * i] = u;
                m[3 * i + 1] = j % 2 ? -w : w;
                m[3 * i + 2] = j % 2 ? v : -v;
            }
            const float link = 0.3f - 0.03f * j;
            px[j + 1] = px[j] + link * m[0];
            py[j + 1] = py[j] + link * m[3];
            pz[j + 1] = pz[j] + link * m[6];
        }
        const float ex = gx - px[6], ey = gy - py[6], ez = gz - pz[6];
        float jx[6], jy[6], jz[6], a = damping, b = 0, c = 0, d = damping, e = 0, f = damping;
#pragma unroll
        for (int j = 0; j < 6; j++) {
            const float dx = px[6] - px[j], dy = py[6] - py[j], dz = pz[6] - pz[j];
            jx[j] = ay[j] * dz - az[j] * dy;
            jy[j] = az[j] * dx - ax[j] * dz;
            jz[j] = ax[j] * dy - ay[j] * dx;
            a += jx[j] * jx[j];
            b += jx[j] * jy[j];
            c += jx[j] * jz[j];
            d += jy[j] * jy[j];
            e += jy[j] * jz[j];
            f += jz[j] * jz[j];
        }
        const float A = d * f - e * e, B = c * e - b * f, C = b * e - c * d, inverse = 1.0f / (a * A + b * B + c * C);
        const float x = (A * ex + B * ey + C * ez) * inverse;
        const float y = (B * ex + (a * f - c * c) * ey + (b * c - a * e) * ez) * inverse;
        const float z = (C * ex + (b * c - a * e) * ey + (a * d - b * b) * ez) * inverse;
#pragma unroll
        for (int j = 0; j < 6; j++)
            q[j] += jx[j] * x + jy[j] * y + jz[j] * z;
        last = ex * ex + ey * ey + ez * ez;
    }
    for (int j = 0; j < 6; j++)
        joints[j * n + t] = q[j];
    error[t] = last;
}

/* kmutate launch
   int side = 1024, poses = 200, beams = 256; dim3 block = { beams }; dim3 grid = { poses };
   float4 pose[poses] = uniform(0, 1); float range[poses * beams] = uniform(20, 260); int odds[side * side] = zeros();
   occupancy_beams(side, pose, range, odds);
*/
// A laser scanner's beams drawn into a map: the cells of each line become emptier and its end fuller, by atomics.
__global__ void occupancy_beams(int side, const float4 *pose, const float *range, int *odds)
{
    const float4 p = pose[blockIdx.x];
    const float angle = p.z * 6.2831853f + threadIdx.x * (4.712389f / 256.0f), r = range[blockIdx.x * blockDim.x + threadIdx.x];
    int x = (int)(p.x * side), y = (int)(p.y * side);
    const int x1 = x + (int)(r * cosf(angle)), y1 = y + (int)(r * sinf(angle));
    const int dx = abs(x1 - x), dy = -abs(y1 - y), sx = x < x1 ? 1 : -1, sy = y < y1 ? 1 : -1;
    int balance = dx + dy;
    while (x >= 0 && y >= 0 && x < side && y < side) {
        const bool end = x == x1 && y == y1;
        atomicAdd(&odds[y * side + x], end ? 9 : -2);
        if (end) break;
        const int twice = 2 * balance;
        if (twice >= dy) {
            balance += dy;
            x += sx;
        }
        if (twice <= dx) {
            balance += dx;
            y += sy;
        }
    }
}

/* kmutate launch
   int samples = 20480, horizon = 100, side = 512; dim3 block = { 128 }; dim3 grid = { samples / 128 };
   float noise[horizon * samples * 2] = normal(); float nominal[horizon * 2] = uniform(-0.1, 0.1);
   half map[side * side] = uniform(0, 1); float cost[samples] = zeros();
   mppi_rollouts(samples, horizon, side, (const float2 *)noise, (const float2 *)nominal, map, cost);
*/
// Tries out noisy controls of a car that looks a hundred steps ahead; each step asks the map what its place costs.
__global__ void mppi_rollouts(int samples, int horizon, int side, const float2 *noise, const float2 *nominal, const half *map,
                              float *cost)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 25.6f, y = 25.6f, heading = 0.3f, speed = 3.0f, sum = 0.0f;
    for (int k = 0; k < horizon; k++) {
        const float2 e = noise[(size_t)k * samples + t], u = nominal[k];
        const float steer = fminf(fmaxf(u.x + 0.2f * e.x, -0.5f), 0.5f), push = fminf(fmaxf(u.y + 0.8f * e.y, -3.0f), 3.0f);
        float s, c;
        __sincosf(heading, &s, &c);
        x += 0.05f * speed * c;
        y += 0.05f * speed * s;
        heading += 0.05f * speed * tanf(steer) / 2.7f;
        speed = fminf(fmaxf(speed + 0.05f * push, 0.0f), 8.0f);
        const int mx = min(max((int)(x * 10.0f), 0), side - 1), my = min(max((int)(y * 10.0f), 0), side - 1);
        sum += 10.0f * __half2float(map[my * side + mx]) + (speed - 5.0f) * (speed - 5.0f) + 0.5f * steer * steer;
    }
    cost[t] = sum;
}

/* kmutate launch
   int side = 256, w = 640, h = 480; dim3 block = { 32, 8 }; dim3 grid = { side / 32, side / 8 };
   short2 volume[side * side * side] = randint(-1000, 1000); unsigned short depth[w * h] = randint(600, 2600);
   tsdf_integrate(side, w, h, 0.01f, depth, volume);
*/
// Adds a depth image to a volume of distances; each thread has a column and goes through it slice by slice.
__global__ void tsdf_integrate(int side, int w, int h, float voxel, const unsigned short *depth, short2 *volume)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const float vx = (x - side / 2) * voxel, vy = (y - side / 2) * voxel;
    for (int z = 0; z < side; z++) {
        const float vz = 0.4f + z * voxel, inverse = 1.0f / vz;
        const int u = __float2int_rn(vx * 525.0f * inverse + 319.5f), v = __float2int_rn(vy * 525.0f * inverse + 239.5f);
        if (u < 0 || v < 0 || u >= w || v >= h) continue;
        const int d = depth[v * w + u];
        if (d == 0) continue;
        const float far = (d * 0.001f - vz) * rsqrtf(vx * vx + vy * vy + vz * vz) * vz;
        if (far < -0.05f) continue;
        short2 *cell = volume + ((size_t)z * side + y) * side + x;
        const short2 old = *cell;
        const float weight = abs(old.y) % 64, now = fminf(far * 20.0f, 1.0f) * 32767.0f;
        *cell = make_short2((short)((old.x * weight + now) / (weight + 1.0f)), (short)fminf(weight + 1.0f, 64.0f));
    }
}
