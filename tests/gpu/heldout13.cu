// The thirteenth set of kernels that nobody tuned the model of time for: dense and sparse algebra, stencils,
// reductions, scans, counting, sorting, graphs, particles, chance, dynamic programming, images, signals, ciphers,
// tables, prices, layers of networks, genes, rays, lattices and elements, written from what is commonly known of the
// algorithms by someone who had seen neither the model nor its results (tests/gpu/heldout.py, docs/heldout.md).

#include <cuda_fp16.h>

#define ceil_div(m, n) (((m) + (n) - 1) / (n))

typedef unsigned long long u64;

// ------------------------------------------------------------------------------------------------ dense linear algebra

/* kmutate launch
   int M = 2048, N = 1536, K = 512; dim3 block = { 256 }; dim3 grid = { N / 64, M / 128 };
   float A[M * K] = uniform(-1, 1); float B[K * N] = uniform(-1, 1); float C[M * N] = zeros();
   sgemm_wide_128x64(M, N, K, A, B, C);
*/
// C = A B: tiles of 128 x 64, eight of K at a time, 8 x 4 sums to a thread, A laid down transposed.
__global__ void __launch_bounds__(256) sgemm_wide_128x64(int M, int N, int K, const float *__restrict__ A,
                                                         const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float At[8][128 + 4];
    __shared__ float Bs[8][64];
    const int tid = threadIdx.x;
    const int tr = tid / 16, tc = tid % 16;
    const float *Ablock = A + (size_t)blockIdx.y * 128 * K;
    const float *Bblock = B + blockIdx.x * 64;
    float acc[8][4];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            acc[i][j] = 0.0f;
    const int ar = tid / 2, ac = (tid % 2) * 4;
    const int br = tid / 32, bc = (tid % 32) * 2;
    for (int k0 = 0; k0 < K; k0 += 8) {
        float4 a4 = *reinterpret_cast<const float4 *>(&Ablock[(size_t)ar * K + k0 + ac]);
        float2 b2 = *reinterpret_cast<const float2 *>(&Bblock[(size_t)(k0 + br) * N + bc]);
        At[ac + 0][ar] = a4.x;
        At[ac + 1][ar] = a4.y;
        At[ac + 2][ar] = a4.z;
        At[ac + 3][ar] = a4.w;
        *reinterpret_cast<float2 *>(&Bs[br][bc]) = b2;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 x = *reinterpret_cast<const float4 *>(&At[k][tr * 8]);
            float4 y = *reinterpret_cast<const float4 *>(&At[k][tr * 8 + 4]);
            float4 b = *reinterpret_cast<const float4 *>(&Bs[k][tc * 4]);
            float ra[8] = { x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w };
            float rb[4] = { b.x, b.y, b.z, b.w };
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float4 v = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4 *>(&C[(size_t)(blockIdx.y * 128 + tr * 8 + i) * N + blockIdx.x * 64 + tc * 4]) = v;
    }
}

/* kmutate launch
   int n = 700, m = 640, k = 600; dim3 block = { 32, 4 }; dim3 grid = { ceil_div(m, 32), ceil_div(n, 4) };
   double A[m * k] = uniform(-1, 1); double B[k * n] = uniform(-1, 1); double C[m * n] = normal();
   dgemm_fortran_naive(m, n, k, 2.0, A, m, B, k, 1.0, C, m);
*/
// The reference's triple loop with matrices stored by columns; a thread has one element.
__global__ void dgemm_fortran_naive(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                                    int ldb, double beta, double *C, int ldc)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;
    double temp = 0.0;
    for (int l = 0; l < k; l++)
        temp += A[i + l * lda] * B[l + j * ldb];
    if (beta == 0.0)
        C[i + j * ldc] = alpha * temp;
    else
        C[i + j * ldc] = alpha * temp + beta * C[i + j * ldc];
}

/* kmutate launch
   int n = 992, cols = 1312; dim3 block = { 32, 8 }; dim3 grid = { cols / 32, n / 32 };
   float S[n * n] = normal(); float B[n * cols] = normal(); float C[n * cols] = zeros();
   symm_lower_stored(S, B, C, n, cols);
*/
// A symmetric matrix of which only the lower half is stored, times a dense one: upper tiles are loaded from their
// mirror.
__global__ void symm_lower_stored(const float *__restrict__ S, const float *__restrict__ B, float *__restrict__ C,
                                  int n, int cols)
{
    __shared__ float s[32][33];
    __shared__ float b[32][32];
    const int bi = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * 32 + x;
    float sum[4] = { 0, 0, 0, 0 };
    for (int bk = 0; bk < n / 32; bk++) {
        for (int r = y; r < 32; r += 8) {
            if (bk < bi)
                s[r][x] = S[(bi * 32 + r) * n + bk * 32 + x];
            else if (bk > bi)
                s[x][r] = S[(bk * 32 + r) * n + bi * 32 + x];
            else {
                int lo = min(r, x), hi = max(r, x);
                s[r][x] = S[(bi * 32 + hi) * n + bi * 32 + lo];
            }
            b[r][x] = B[(bk * 32 + r) * cols + col];
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            float v = b[k][x];
            sum[0] += s[y][k] * v;
            sum[1] += s[y + 8][k] * v;
            sum[2] += s[y + 16][k] * v;
            sum[3] += s[y + 24][k] * v;
        }
        __syncthreads();
    }
    for (int q = 0; q < 4; q++)
        C[(bi * 32 + y + 8 * q) * cols + col] = sum[q];
}

/* kmutate launch
   int rows = 2600, cols = 5000; dim3 block = { 192 }; dim3 grid = { rows };
   double A[rows * cols] = normal(); double x[cols] = normal(); double y[rows] = zeros();
   dgemv_block_per_row(rows, cols, A, x, y);
*/
// y = A x in doubles, a block of six warps to each row, and the classic tree over shared memory.
__global__ void dgemv_block_per_row(int rows, int cols, const double *A, const double *x, double *y)
{
    __shared__ double part[256];
    const double *a = A + (size_t)blockIdx.x * cols;
    double sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += a[c] * x[c];
    part[threadIdx.x] = sum;
    if (threadIdx.x < 64) part[threadIdx.x + 192] = 0;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}

/* kmutate launch
   int batch = 120000; dim3 block = { 8, 8, 4 }; dim3 grid = { batch / 4 };
   float A[batch * 64] = normal(); float B[batch * 64] = normal(); float C[batch * 64] = zeros();
   small_products_8x8x4(A, B, C);
*/
// Products of many 8 x 8 matrices, four of them to a block, one element to a thread.
__global__ void small_products_8x8x4(const float *A, const float *B, float *C)
{
    __shared__ float a[4][8][8], b[4][8][8];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int at = (blockIdx.x * 4 + z) * 64 + y * 8 + x;
    a[z][y][x] = A[at];
    b[z][y][x] = B[at];
    __syncthreads();
    float v = 0.f;
    for (int k = 0; k < 8; k++)
        v += a[z][y][k] * b[z][k][x];
    C[at] = v;
}

/* kmutate launch
   int systems = 400000; dim3 block = { 128 }; dim3 grid = { ceil_div(systems, 128) };
   double A[21 * systems] = uniform(-0.4, 0.4); double rhs[6 * systems] = normal(); double x[6 * systems] = zeros();
   ldlt_six_by_threads(systems, A, rhs, x);
*/
// L D L^T of a 6 x 6 system to each thread (bundle adjustment, rigid bodies): packed triangles, arrays of structure of
// arrays.
__global__ void ldlt_six_by_threads(int systems, const double *A, const double *rhs, double *x)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    double l[6][6], d[6], v[6];
#pragma unroll
    for (int i = 0; i < 6; i++)
#pragma unroll
        for (int j = 0; j <= i; j++)
            l[i][j] = A[(size_t)(i * (i + 1) / 2 + j) * systems + s] + (i == j ? 4.0 : 0.0);
#pragma unroll
    for (int j = 0; j < 6; j++) {
        double sum = l[j][j];
#pragma unroll
        for (int k = 0; k < j; k++)
            sum -= l[j][k] * l[j][k] * d[k];
        d[j] = sum;
        const double inv = 1.0 / sum;
#pragma unroll
        for (int i = j + 1; i < 6; i++) {
            double t = l[i][j];
#pragma unroll
            for (int k = 0; k < j; k++)
                t -= l[i][k] * l[j][k] * d[k];
            l[i][j] = t * inv;
        }
    }
#pragma unroll
    for (int i = 0; i < 6; i++) {
        v[i] = rhs[(size_t)i * systems + s];
#pragma unroll
        for (int k = 0; k < i; k++)
            v[i] -= l[i][k] * v[k];
    }
#pragma unroll
    for (int i = 5; i >= 0; i--) {
        v[i] /= d[i];
#pragma unroll
        for (int k = i + 1; k < 6; k++)
            v[i] -= l[k][i] * v[k];
        x[(size_t)i * systems + s] = v[i];
    }
}

// ------------------------------------------------------------------------------------------------------ sparse algebra

/* kmutate launch
   int rows = 3000, lo = 400, hi = 6000, cols = 400000, nnz = csr_nnz(rows, lo, hi); dim3 block = { 128 };
   dim3 grid = { rows };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(cols); float value[nnz] = normal();
   float x[cols] = normal(); float y[rows] = zeros();
   spmv_long_rows_block(rowptr, colidx, value, x, y);
*/
// Long rows of a sparse matrix, a block to each: partial sums by shuffles, then four warps' worth in shared memory.
__global__ void spmv_long_rows_block(const int *__restrict__ rowptr, const int *__restrict__ colidx,
                                     const float *__restrict__ value, const float *__restrict__ x,
                                     float *__restrict__ y)
{
    __shared__ float warps[4];
    const int row = blockIdx.x, end = rowptr[row + 1];
    float sum = 0.0f;
    for (int e = rowptr[row] + threadIdx.x; e < end; e += 128)
        sum += value[e] * __ldg(&x[colidx[e]]);
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[row] = warps[0] + warps[1] + warps[2] + warps[3];
}

/* kmutate launch
   int rows = 90000, lo = 3, hi = 25, nnz = csr_nnz(rows, lo, hi); dim3 block = { 32, 8 };
   dim3 grid = { ceil_div(rows, 8) };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(rows); float value[nnz] = normal();
   float B[rows * 32] = normal(); float C[rows * 32] = zeros();
   csrmm_lane_per_column(rows, rowptr, colidx, value, B, C);
*/
// Sparse times a dense matrix of 32 columns: a warp to a row, entries fetched by all lanes and handed round by
// shuffles.
__global__ void csrmm_lane_per_column(int rows, const int *rowptr, const int *colidx, const float *value,
                                      const float *B, float *C)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const int begin = rowptr[row], end = rowptr[row + 1];
    float sum = 0.f;
    for (int e0 = begin; e0 < end; e0 += 32) {
        int c = 0;
        float v = 0.f;
        if (e0 + lane < end) {
            c = colidx[e0 + lane];
            v = value[e0 + lane];
        }
        const int here = min(32, end - e0);
        for (int k = 0; k < here; k++)
            sum += __shfl_sync(0xffffffffu, v, k) * B[__shfl_sync(0xffffffffu, c, k) * 32 + lane];
    }
    C[row * 32 + lane] = sum;
}

/* kmutate launch
   int rows = 300000, lo = 1, hi = 20, cols = 250000, nnz = csr_nnz(rows, lo, hi); dim3 block = { 256 };
   dim3 grid = { ceil_div(rows, 256) };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(cols); float value[nnz] = normal();
   int colptr[cols + 1] = ascending(0, nnz - 200); int filled[cols] = zeros(); int rowidx[nnz] = zeros();
   float out[nnz] = zeros();
   csr_to_csc_place(rows, nnz, rowptr, colidx, value, colptr, filled, rowidx, out);
*/
// Transposing a sparse matrix: each entry takes the next free place of its column with an atomic.
__global__ void csr_to_csc_place(int rows, int nnz, const int *rowptr, const int *colidx, const float *value,
                                 const int *colptr, int *filled, int *rowidx, float *out)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int e = rowptr[r]; e < rowptr[r + 1]; e++) {
        int c = colidx[e];
        int to = colptr[c] + atomicAdd(&filled[c], 1);
        if (to < nnz) {
            rowidx[to] = r;
            out[to] = value[e];
        }
    }
}

/* kmutate launch
   int rows = 400000, lo = 4, hi = 40, nnz = csr_nnz(rows, lo, hi); dim3 block = { 256 }; dim3 grid = { rows / 16 };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi); int colidx[nnz] = csr_colidx(rows);
   double value[nnz] = uniform(-1, 1);
   double b[rows] = normal(); double x[rows] = normal(); double r[rows] = zeros(); double norm2[1] = zeros();
   csr_residual_sixteen_lanes(rowptr, colidx, value, b, x, r, norm2);
*/
// r = b - A x with sixteen lanes to a row, and the square of its length added up on the way.
__global__ void csr_residual_sixteen_lanes(const int *rowptr, const int *colidx, const double *value, const double *b,
                                           const double *x, double *r, double *norm2)
{
    __shared__ double squares[16];
    const int lane = threadIdx.x & 15, group = threadIdx.x >> 4;
    const int row = blockIdx.x * 16 + group;
    double sum = 0;
    for (int e = rowptr[row] + lane; e < rowptr[row + 1]; e += 16)
        sum += value[e] * x[colidx[e]];
#pragma unroll
    for (int d = 8; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d, 16);
    if (lane == 0) {
        double v = b[row] - sum;
        r[row] = v;
        squares[group] = v * v;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double total = 0;
        for (int i = 0; i < 16; i++)
            total += squares[i];
        atomicAdd(norm2, total);
    }
}

// ------------------------------------------------------------------------------------------------------------ stencils

/* kmutate launch
   int mi = 384, mj = 160, mk = 160; dim3 block = { 64, 4 }; dim3 grid = { mi / 64, mj / 4, mk };
   float p[mi * mj * mk] = uniform(0, 1); float a[4 * mi * mj * mk] = uniform(0.9, 1.1);
   float b[3 * mi * mj * mk] = uniform(0, 0.1);
   float c[3 * mi * mj * mk] = uniform(0.9, 1.1); float bnd[mi * mj * mk] = fill(1); float wrk2[mi * mj * mk] = zeros();
   himeno_sweep(mi, mj, mk, 0.8f, p, a, b, c, bnd, wrk2);
*/
// The pressure sweep of the well-known benchmark of nineteen points and ten coefficient arrays.
__global__ void himeno_sweep(int mi, int mj, int mk, float omega, const float *p, const float *a, const float *b,
                             const float *c, const float *bnd, float *wrk2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z;
    if (i < 1 || j < 1 || k < 1 || i >= mi - 1 || j >= mj - 1 || k >= mk - 1)
        return;
    const int all = mi * mj * mk, dj = mi, dk = mi * mj;
    const int o = k * dk + j * dj + i;
    float s0 = a[o] * p[o + dk] + a[all + o] * p[o + dj] + a[2 * all + o] * p[o + 1]
             + b[o] * (p[o + dk + dj] - p[o + dk - dj] - p[o - dk + dj] + p[o - dk - dj])
             + b[all + o] * (p[o + dj + 1] - p[o - dj + 1] - p[o + dj - 1] + p[o - dj - 1])
             + b[2 * all + o] * (p[o + dk + 1] - p[o - dk + 1] - p[o + dk - 1] + p[o - dk - 1])
             + c[o] * p[o - dk] + c[all + o] * p[o - dj] + c[2 * all + o] * p[o - 1];
    float ss = (s0 * a[3 * all + o] - p[o]) * bnd[o];
    wrk2[o] = p[o] + omega * ss;
}

/* kmutate launch
   int nx = 3840, ny = 2800; dim3 block = { 32, 16 }; dim3 grid = { nx / 24, ny / 8 };
   float in[nx * ny] = uniform(0, 1); float out[nx * ny] = zeros();
   diffuse_four_steps_tile(nx, ny, 0.2f, in, out);
*/
// Four steps of diffusion at once: a tile of 32 x 16 shrinks by a ring each step, its middle 24 x 8 is written.
__global__ void diffuse_four_steps_tile(int nx, int ny, float r, const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float u[2][16][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = (int)blockIdx.x * 24 + tx - 4, y = (int)blockIdx.y * 8 + ty - 4;
    const int cx = min(max(x, 0), nx - 1), cy = min(max(y, 0), ny - 1);
    u[0][ty][tx] = in[cy * nx + cx];
    u[1][ty][tx] = 0.0f;
    __syncthreads();
    for (int step = 0; step < 4; step++) {
        const int from = step & 1;
        if (tx > step && tx < 31 - step && ty > step && ty < 15 - step) {
            float c = u[from][ty][tx];
            float sum = u[from][ty][tx - 1] + u[from][ty][tx + 1] + u[from][ty - 1][tx] + u[from][ty + 1][tx];
            u[from ^ 1][ty][tx] = c + r * (sum - 4.0f * c);
        }
        __syncthreads();
    }
    if (tx >= 4 && tx < 28 && ty >= 4 && ty < 12)
        out[y * nx + x] = u[0][ty][tx];
}

/* kmutate launch
   int n = 232; dim3 block = { 8, 8, 8 }; dim3 grid = { n / 8, n / 8, n / 8 };
   double u[n * n * n] = normal(); double out[n * n * n] = zeros();
   laplace_eighth_order_fp64(n, u, out, 1.5);
*/
// Laplace's operator of eighth order on a cube of doubles, cubic blocks, everything from global memory.
__global__ void laplace_eighth_order_fp64(int n, const double *u, double *out, double scale)
{
    const double w[5] = { -205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0 };
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z * 8 + threadIdx.z;
    if (x < 4 || y < 4 || z < 4 || x >= n - 4 || y >= n - 4 || z >= n - 4) return;
    size_t at = ((size_t)z * n + y) * n + x;
    double sum = 3.0 * w[0] * u[at];
#pragma unroll
    for (int r = 1; r <= 4; r++)
        sum += w[r] * (u[at - r] + u[at + r] + u[at - r * n] + u[at + r * n] + u[at - r * n * n] + u[at + r * n * n]);
    out[at] = scale * sum;
}

/* kmutate launch
   int nx = 320, ny = 224, nz = 192; dim3 block = { 32, 4 }; dim3 grid = { nx / 32, ny / 4, 6 };
   float ex[nx * ny * nz] = normal(); float ey[nx * ny * nz] = normal(); float ez[nx * ny * nz] = normal();
   float hx[nx * ny * nz] = normal(); float hy[nx * ny * nz] = normal(); float hz[nx * ny * nz] = normal();
   magnetic_half_step(nx, ny, nz, 0.5f, ex, ey, ez, hx, hy, hz);
*/
// The magnetic half of Yee's step; a thread walks along 32 layers and keeps the layer above for the next.
__global__ void magnetic_half_step(int nx, int ny, int nz, float ch, const float *__restrict__ ex,
                                   const float *__restrict__ ey, const float *__restrict__ ez, float *__restrict__ hx,
                                   float *__restrict__ hy, float *__restrict__ hz)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= nx - 1 || y >= ny - 1) return;
    const int layer = nx * ny, each = nz / 6;
    int z = blockIdx.z * each;
    int at = z * layer + y * nx + x;
    float ex0 = ex[at], ey0 = ey[at];
    for (int end = min(z + each, nz - 1); z < end; z++, at += layer) {
        const float ex1 = ex[at + layer], ey1 = ey[at + layer];
        const float ez0 = ez[at];
        hx[at] -= ch * ((ez[at + nx] - ez0) - (ey1 - ey0));
        hy[at] -= ch * ((ex1 - ex0) - (ez[at + 1] - ez0));
        hz[at] -= ch * ((ey[at + 1] - ey0) - (ex[at + nx] - ex0));
        ex0 = ex1;
        ey0 = ey1;
    }
}

/* kmutate launch
   int nx = 4000, ny = 2400; dim3 block = { 256 }; dim3 grid = { ceil_div(nx, 256), ny };
   float h[nx * ny] = uniform(1, 2); float hu[nx * ny] = uniform(-0.2, 0.2); float hv[nx * ny] = uniform(-0.2, 0.2);
   float h1[nx * ny] = zeros(); float hu1[nx * ny] = zeros(); float hv1[nx * ny] = zeros();
   lax_friedrichs_waves(nx, ny, 0.05f, h, hu, hv, h1, hu1, hv1);
*/
// Water waves by Lax and Friedrichs: fluxes of the four neighbours are computed anew by each cell.
__device__ float3 flux_along(float h, float m, float n)
{
    float inv = 1.0f / h;
    return make_float3(m, m * m * inv + 4.905f * h * h, m * n * inv);
}

__global__ void lax_friedrichs_waves(int nx, int ny, float ratio, const float *h, const float *hu, const float *hv,
                                     float *h1, float *hu1, float *hv1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y;
    if (i >= nx) return;
    int w = j * nx + (i == 0 ? nx - 1 : i - 1), e = j * nx + (i == nx - 1 ? 0 : i + 1);
    int s = (j == 0 ? ny - 1 : j - 1) * nx + i, n = (j == ny - 1 ? 0 : j + 1) * nx + i;
    float3 fw = flux_along(h[w], hu[w], hv[w]), fe = flux_along(h[e], hu[e], hv[e]);
    float3 gs = flux_along(h[s], hv[s], hu[s]), gn = flux_along(h[n], hv[n], hu[n]);
    int at = j * nx + i;
    h1[at] = 0.25f * (h[w] + h[e] + h[s] + h[n]) - ratio * (fe.x - fw.x + gn.x - gs.x);
    hu1[at] = 0.25f * (hu[w] + hu[e] + hu[s] + hu[n]) - ratio * (fe.y - fw.y + gn.z - gs.z);
    hv1[at] = 0.25f * (hv[w] + hv[e] + hv[s] + hv[n]) - ratio * (fe.z - fw.z + gn.y - gs.y);
}

// -------------------------------------------------------------------------------------- reductions, scans and counting

/* kmutate launch
   int rows = 9000, cols = 2400; dim3 block = { 32, 16 }; dim3 grid = { cols / 32, 18 };
   float in[rows * cols] = normal(); int largest[cols] = zeros();
   columns_largest_magnitude(rows, cols, in, largest);
*/
// The largest magnitude of each column: 16 rows at a time, a tree over them, and an atomic on the bits of the number.
__global__ void columns_largest_magnitude(int rows, int cols, const float *in, int *largest)
{
    __shared__ float part[16][32];
    const int col = blockIdx.x * 32 + threadIdx.x;
    float most = 0.0f;
    for (int r = blockIdx.y * 16 + threadIdx.y; r < rows; r += 16 * gridDim.y)
        most = fmaxf(most, fabsf(in[(size_t)r * cols + col]));
    part[threadIdx.y][threadIdx.x] = most;
    for (int half = 8; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.y < half)
            part[threadIdx.y][threadIdx.x] =
                fmaxf(part[threadIdx.y][threadIdx.x], part[threadIdx.y + half][threadIdx.x]);
    }
    if (threadIdx.y == 0) atomicMax(&largest[col], __float_as_int(part[0][threadIdx.x]));
}

/* kmutate launch
   int rows = 5000; dim3 block = { 256 }; dim3 grid = { rows };
   int in[rows * 3072] = randint(0, 100); int out[rows * 3072] = zeros(); int totals[rows] = zeros();
   scan_rows_twelve_each((int4 *)in, (int4 *)out, totals);
*/
// Inclusive sums of rows of 3072 numbers: twelve to a thread as three quads, shuffles within and between the warps.
__global__ void __launch_bounds__(256) scan_rows_twelve_each(const int4 *in, int4 *out, int *totals)
{
    __shared__ int of_warp[8];
    const int t = threadIdx.x, lane = t % 32, w = t / 32;
    const size_t base = (size_t)blockIdx.x * 768 + t * 3;
    int v[12];
    for (int q = 0; q < 3; q++) {
        int4 x = in[base + q];
        v[4 * q] = x.x;
        v[4 * q + 1] = x.y;
        v[4 * q + 2] = x.z;
        v[4 * q + 3] = x.w;
    }
#pragma unroll
    for (int i = 1; i < 12; i++)
        v[i] += v[i - 1];
    int sum = v[11];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) of_warp[w] = sum;
    __syncthreads();
    if (w == 0) {
        int s = lane < 8 ? of_warp[lane] : 0;
        for (int d = 1; d < 8; d *= 2) {
            int other = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d) s += other;
        }
        if (lane < 8) of_warp[lane] = s;
    }
    __syncthreads();
    const int before = sum - v[11] + (w > 0 ? of_warp[w - 1] : 0);
    for (int q = 0; q < 3; q++)
        out[base + q] =
            make_int4(v[4 * q] + before, v[4 * q + 1] + before, v[4 * q + 2] + before, v[4 * q + 3] + before);
    if (t == 255) totals[blockIdx.x] = before + v[11];
}

/* kmutate launch
   int n = 18000000, per_block = 2048; dim3 block = { 256 }; dim3 grid = { ceil_div(n, per_block) };
   float data[n] = normal(); float offset[grid.x] = normal();
   add_block_offsets(data, offset, n);
*/
// The last pass of a scan of three passes, in place.
__global__ void add_block_offsets(float *data, const float *offset, int n)
{
    const float add = offset[blockIdx.x];
    int i = blockIdx.x * 2048 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; k++, i += 256)
        if (i < n) data[i] += add;
}

/* kmutate launch
   int n = 14000000, bins = 500; dim3 block = { 512 }; dim3 grid = { 264 }; size_t smem = bins * sizeof(double);
   float x[n] = normal(0, 1.2); float weight[n] = uniform(0, 1); double hist[bins] = zeros();
   weighted_histogram_doubles(n, bins, -4.0f, 62.5f, x, weight, hist);
*/
// A histogram of weights as physicists fill it: doubles in dynamic shared memory, atomics on them.
__global__ void weighted_histogram_doubles(int n, int bins, float low, float per_unit, const float *x,
                                           const float *weight, double *hist)
{
    extern __shared__ double local_hist[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        local_hist[b] = 0.0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int b = (int)floorf((x[i] - low) * per_unit);
        if (b >= 0 && b < bins) atomicAdd(&local_hist[b], (double)weight[i]);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (local_hist[b] != 0.0) atomicAdd(&hist[b], local_hist[b]);
}

/* kmutate launch
   int n = 9000000, groups = 30000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   int group[n] = ascending(0, groups); float value[n] = uniform(0, 1); float sums[groups] = zeros();
   sum_by_key_match(n, group, value, sums);
*/
// Sums by sorted keys: lanes of one key are found by a vote, their leader adds for all.
__global__ void sum_by_key_match(int n, const int *group, const float *value, float *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int g = i < n ? group[i] : -1;
    float v = i < n ? value[i] : 0.0f;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float ov = __shfl_down_sync(0xffffffffu, v, d);
        int og = __shfl_down_sync(0xffffffffu, g, d);
        if (lane + d < 32 && og == g) v += ov;
    }
    int left = __shfl_up_sync(0xffffffffu, g, 1);
    if (g >= 0 && (lane == 0 || left != g)) atomicAdd(&sums[g], v);
}

// ------------------------------------------------------------------------------------------------------------- sorting

/* kmutate launch
   int n = 6400 * 1024, shift = 8; dim3 block = { 256 }; dim3 grid = { n / 1024 };
   unsigned key[n] = randint(0, 4294967296ll); unsigned sorted[n] = zeros(); unsigned counts[16 * grid.x] = zeros();
   radix_four_bits_local(shift, (uint4 *)key, (uint4 *)sorted, counts);
*/
// A tile of 1024 keys sorted by four bits, one bit after the other, and its counts of the sixteen digits.
__global__ void radix_four_bits_local(int shift, const uint4 *key, uint4 *sorted, unsigned *counts)
{
    __shared__ unsigned keys[1024];
    __shared__ unsigned of_warp[8];
    __shared__ unsigned digits[16];
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    uint4 k4 = key[blockIdx.x * 256 + t];
    unsigned k[4] = { k4.x, k4.y, k4.z, k4.w };
    if (t < 16) digits[t] = 0;
    for (int b = shift; b < shift + 4; b++) {
        unsigned zero[4], mine = 0;
        for (int i = 0; i < 4; i++) {
            zero[i] = mine;
            mine += ~(k[i] >> b) & 1u;
        }
        unsigned sum = mine;
        for (int d = 1; d < 32; d <<= 1) {
            unsigned o = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += o;
        }
        if (lane == 31) of_warp[w] = sum;
        __syncthreads();
        unsigned before = sum - mine, total = 0;
        for (int i = 0; i < 8; i++) {
            if (i < w) before += of_warp[i];
            total += of_warp[i];
        }
        for (int i = 0; i < 4; i++) {
            unsigned z = before + zero[i];
            unsigned to = (k[i] >> b) & 1u ? total + (t * 4 + i - z) : z;
            keys[to] = k[i];
        }
        __syncthreads();
        for (int i = 0; i < 4; i++)
            k[i] = keys[t * 4 + i];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        atomicAdd(&digits[(k[i] >> shift) & 15u], 1u);
    sorted[blockIdx.x * 256 + t] = make_uint4(k[0], k[1], k[2], k[3]);
    __syncthreads();
    if (t < 16) counts[t * gridDim.x + blockIdx.x] = digits[t];
}

/* kmutate launch
   int rows = 10000, length = 1500; dim3 block = { 128 }; dim3 grid = { rows };
   unsigned char in[rows * length] = randint(33, 74); unsigned char out[rows * length] = zeros();
   counting_sort_byte_rows(length, in, out);
*/
// Rows of bytes sorted by counting: atomics on 256 counters, sums of them by two warps' worth, and runs written out.
__global__ void counting_sort_byte_rows(int length, const unsigned char *in, unsigned char *out)
{
    __shared__ int count[256], start[257];
    const unsigned char *from = in + (size_t)blockIdx.x * length;
    unsigned char *to = out + (size_t)blockIdx.x * length;
    count[threadIdx.x] = 0;
    count[threadIdx.x + 128] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += 128)
        atomicAdd(&count[from[i]], 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        int sum = 0, mine[8];
        for (int i = 0; i < 8; i++) {
            mine[i] = sum;
            sum += count[threadIdx.x * 8 + i];
        }
        int total = sum;
        for (int d = 1; d < 32; d *= 2) {
            int o = __shfl_up_sync(0xffffffffu, sum, d);
            if (threadIdx.x >= d) sum += o;
        }
        for (int i = 0; i < 8; i++)
            start[threadIdx.x * 8 + i] = sum - total + mine[i];
        if (threadIdx.x == 31) start[256] = sum;
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += 128)
        for (int i = start[b]; i < start[b + 1]; i++)
            to[i] = (unsigned char)b;
}

/* kmutate launch
   int n = 1 << 23, size = 4096, stride = 1024; dim3 block = { 256 }; dim3 grid = { n / 512 };
   double key[n] = normal(); int payload[n] = iota();
   bitonic_pass_pairs_fp64(key, payload, size, stride);
*/
// One pass of a bitonic sort of doubles with payloads in global memory, naive.
__global__ void bitonic_pass_pairs_fp64(double *key, int *payload, int size, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 2 * t - (t & (stride - 1));
    int j = i + stride;
    bool up = (i & size) == 0;
    double a = key[i], b = key[j];
    if ((a > b) == up) {
        key[i] = b;
        key[j] = a;
        int p = payload[i];
        payload[i] = payload[j];
        payload[j] = p;
    }
}

/* kmutate launch
   int lists = 60000; dim3 block = { 128 }; dim3 grid = { lists / 4 };
   unsigned long long item[lists * 64] = randint(0, 1ll << 60); unsigned long long best[lists * 8] = zeros();
   warp_best_eight_of_64(item, best);
*/
// Two numbers to a lane are sorted by a bitonic network of shuffles; the eight largest of 64 remain.
__global__ void warp_best_eight_of_64(const u64 *item, u64 *best)
{
    const int lane = threadIdx.x & 31;
    const size_t list = blockIdx.x * 4 + (threadIdx.x >> 5);
    u64 a = item[list * 64 + lane], b = item[list * 64 + 32 + lane];
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
        for (int d = size / 2; d > 0; d /= 2) {
            u64 oa = __shfl_xor_sync(0xffffffffu, a, d), ob = __shfl_xor_sync(0xffffffffu, b, d);
            bool low = (lane & d) == 0, down = (lane & size) == 0 || size == 32;
            a = (low == down) ? max(a, oa) : min(a, oa);
            b = (low == down) ? max(b, ob) : min(b, ob);
        }
    u64 rb = __shfl_xor_sync(0xffffffffu, b, 31);
    a = max(a, rb);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        u64 o = __shfl_xor_sync(0xffffffffu, a, d);
        a = (lane & d) == 0 ? max(a, o) : min(a, o);
    }
    if (lane < 8) best[list * 8 + lane] = a;
}

// -------------------------------------------------------------------------------------------------------------- graphs

/* kmutate launch
   int nodes = 1500000, edges = 9000000; dim3 block = { 256 }; dim3 grid = { ceil_div(edges, 256) };
   int from[edges] = ascending(0, nodes); int to[edges] = randint(0, nodes); int weight[edges] = randint(1, 64);
   int dist[nodes] = randint(0, 4000); int changed[1] = zeros();
   bellman_ford_edges(edges, from, to, weight, dist, changed);
*/
// One round of Bellman and Ford, a thread to an edge of the list.
__global__ void bellman_ford_edges(int edges, const int *from, const int *to, const int *weight, int *dist,
                                   int *changed)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) {
        int d = dist[from[e]] + weight[e];
        int v = to[e];
        if (d < dist[v]) {
            if (atomicMin(&dist[v], d) > d) *changed = 1;
        }
    }
}

/* kmutate launch
   int nodes = 400000, lo = 2, hi = 22, edges = csr_nnz(nodes, lo, hi), level = 3; dim3 block = { 256 };
   dim3 grid = { ceil_div(nodes, 256) };
   int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int target[edges] = csr_colidx(nodes);
   int depth[nodes] = randint(0, 8);
   float sigma[nodes] = uniform(1, 3); float delta_next[nodes] = uniform(0, 1); float delta[nodes] = zeros();
   dependency_pull(nodes, level, start, target, depth, sigma, delta_next, delta);
*/
// Dependencies of one level pulled from the level below, all nodes looked at: divergent as graphs are.
__global__ void dependency_pull(int nodes, int level, const int *start, const int *target, const int *depth,
                                const float *sigma, const float *delta_next, float *delta)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= nodes || depth[u] > level) return;
    float sum = 0;
    int deeper = depth[u] + 1;
    for (int e = start[u]; e < start[u + 1]; e++) {
        int v = target[e];
        if (depth[v] == deeper) sum += sigma[u] / sigma[v] * (1.0f + delta_next[v]);
    }
    delta[u] = sum;
}

/* kmutate launch
   int words = 128, nodes = 32 * words, pairs = 300000; dim3 block = { 256 }; dim3 grid = { pairs / 8 };
   unsigned adjacency[nodes * words] = randint(0, 4294967296ll); int a[pairs] = randint(0, nodes);
   int b[pairs] = randint(0, nodes);
   float similarity[pairs] = zeros();
   jaccard_bitset_warps((uint4 *)adjacency, a, b, similarity, words / 4);
*/
// Likeness of pairs of nodes of a dense graph: rows of bits, a warp to a pair, population counts.
__global__ void jaccard_bitset_warps(const uint4 *adjacency, const int *a, const int *b, float *similarity, int quads)
{
    const int pair = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    const uint4 *ra = adjacency + (size_t)a[pair] * quads, *rb = adjacency + (size_t)b[pair] * quads;
    int both = 0, either = 0;
    for (int q = lane; q < quads; q += 32) {
        uint4 x = ra[q], y = rb[q];
        both += __popc(x.x & y.x) + __popc(x.y & y.y) + __popc(x.z & y.z) + __popc(x.w & y.w);
        either += __popc(x.x | y.x) + __popc(x.y | y.y) + __popc(x.z | y.z) + __popc(x.w | y.w);
    }
    int packed = both << 16 | either;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        packed += __shfl_xor_sync(0xffffffffu, packed, d);
    if (lane == 0) similarity[pair] = (float)(packed >> 16) / (float)(packed & 0xffff);
}

/* kmutate launch
   int walkers = 160000, steps = 40, nodes = 500000, degree = 12; dim3 block = { 128 }; dim3 grid = { walkers / 128 };
   int neighbour[nodes * degree] = randint(0, nodes); float threshold[nodes * degree] = uniform(0, 1);
   int alias[nodes * degree] = randint(0, degree); int path[walkers * (steps + 1)] = zeros();
   node2vec_alias_walks(walkers, steps, nodes, degree, neighbour, threshold, alias, path);
*/
// Walks over a weighted graph drawn with alias tables, a walk to each thread.
__global__ void node2vec_alias_walks(int walkers, int steps, int nodes, int degree, const int *neighbour,
                                     const float *threshold, const int *alias, int *path)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    u64 state = w * 0x9E3779B97F4A7C15ull + 12345u;
    int at = (int)((unsigned)w * 3u % (unsigned)nodes);
    path[w] = at;
    for (int s = 1; s <= steps; s++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        unsigned hi = (unsigned)(state >> 32);
        int slot = __umulhi(hi, (unsigned)degree);
        float coin = (unsigned)(state >> 8 & 0xffffff) * (1.0f / 16777216.0f);
        int row = at * degree;
        if (coin > threshold[row + slot]) slot = alias[row + slot];
        at = neighbour[row + slot];
        path[(size_t)s * walkers + w] = at;
    }
}

// ----------------------------------------------------------------------------------------------------------- particles

/* kmutate launch
   int n = 6144; dim3 block = { 128 }; dim3 grid = { n / 128 };
   float4 body[n] = uniform(0, 20); float3 force[n] = zeros(); float energy[n] = zeros();
   lj_periodic_tile_pairs(n, 20.0f, 6.25f, body, force, energy);
*/
// Lennard-Jones between all pairs of a periodic box, tiles of positions in shared memory and a cut-off by a branch.
__global__ void lj_periodic_tile_pairs(int n, float box, float cut2, const float4 *body, float3 *force, float *energy)
{
    __shared__ float4 tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 me = body[i];
    const float inv_box = 1.0f / box;
    float fx = 0, fy = 0, fz = 0, e = 0;
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = body[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float dx = me.x - tile[k].x, dy = me.y - tile[k].y, dz = me.z - tile[k].z;
            dx -= box * rintf(dx * inv_box);
            dy -= box * rintf(dy * inv_box);
            dz -= box * rintf(dz * inv_box);
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cut2 && t + k != i) {
                float s2 = 1.0f / (r2 + 0.2f), s6 = s2 * s2 * s2;
                float f = (48.0f * s6 * s6 - 24.0f * s6) * s2;
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
                e += 2.0f * (s6 * s6 - s6);
            }
        }
        __syncthreads();
    }
    force[i] = make_float3(fx, fy, fz);
    energy[i] = e;
}

/* kmutate launch
   int molecules = 500000; dim3 block = { 192 }; dim3 grid = { ceil_div(molecules, 192) };
   double3 old_pos[3 * molecules] = uniform(0, 0.3); double3 pos[3 * molecules] = uniform(0, 0.3);
   constrain_water_shake(molecules, 1e-3, 25, old_pos, pos);
*/
// Three bonds of each water made right again by repeated corrections until all are within the tolerance.
__global__ void constrain_water_shake(int molecules, double tolerance, int most, const double3 *old_pos, double3 *pos)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= molecules) return;
    const double goal[3] = { 0.01, 0.01, 0.0267 };
    const double inv_mass[3] = { 0.0625, 1.0, 1.0 };
    double3 p[3], q[3];
    for (int a = 0; a < 3; a++) {
        p[a] = pos[3 * m + a];
        q[a] = old_pos[3 * m + a];
    }
    for (int it = 0; it < most; it++) {
        bool done = true;
#pragma unroll
        for (int b = 0; b < 3; b++) {
            const int i = b == 2 ? 1 : 0, j = b == 0 ? 1 : 2;
            double dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
            double diff = goal[b] - (dx * dx + dy * dy + dz * dz);
            if (fabs(diff) > tolerance) {
                double ox = q[i].x - q[j].x, oy = q[i].y - q[j].y, oz = q[i].z - q[j].z;
                double rp = dx * ox + dy * oy + dz * oz;
                rp = rp >= 0 ? fmax(rp, 1e-3) : fmin(rp, -1e-3);
                double g = 0.5 * diff / (rp * (inv_mass[i] + inv_mass[j]));
                g = fmin(fmax(g, -0.5), 0.5);
                p[i].x += g * inv_mass[i] * ox;
                p[i].y += g * inv_mass[i] * oy;
                p[i].z += g * inv_mass[i] * oz;
                p[j].x -= g * inv_mass[j] * ox;
                p[j].y -= g * inv_mass[j] * oy;
                p[j].z -= g * inv_mass[j] * oz;
                done = false;
            }
        }
        if (done) break;
    }
    for (int a = 0; a < 3; a++)
        pos[3 * m + a] = p[a];
}

/* kmutate launch
   int n = 4000000, nx = 1024, ny = 1024; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float px[n] = uniform(0, 1022); float py[n] = uniform(0, 1022); float vx[n] = normal(); float vy[n] = normal();
   float2 field[nx * ny] = normal();
   pic_gather_bilinear(n, nx, ny, 0.01f, px, py, vx, vy, field);
*/
// Particles in cells: the field at each particle by four weights, then its step, with walls that wrap.
__global__ void pic_gather_bilinear(int n, int nx, int ny, float dt, float *px, float *py, float *vx, float *vy,
                                    const float2 *__restrict__ field)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = px[i], y = py[i];
    int cx = (int)x, cy = (int)y;
    float wx = x - cx, wy = y - cy;
    const float2 *f = field + cy * nx + cx;
    float2 a = f[0], b = f[1], c = f[nx], d = f[nx + 1];
    float ex = (a.x * (1 - wx) + b.x * wx) * (1 - wy) + (c.x * (1 - wx) + d.x * wx) * wy;
    float ey = (a.y * (1 - wx) + b.y * wx) * (1 - wy) + (c.y * (1 - wx) + d.y * wx) * wy;
    float u = vx[i] + dt * ex, v = vy[i] + dt * ey;
    x += dt * u;
    y += dt * v;
    const float w = nx - 2.0f, h = ny - 2.0f;
    if (x < 0) x += w;
    if (x >= w) x -= w;
    if (y < 0) y += h;
    if (y >= h) y -= h;
    px[i] = x;
    py[i] = y;
    vx[i] = u;
    vy[i] = v;
}

/* kmutate launch
   int cells = 40 * 40 * 40, each = 8, n = cells * each; dim3 block = { 64 }; dim3 grid = { n / 64 };
   float4 particle[n] = uniform(0, 1); float2 out[n] = zeros();
   sph_cells_27(40, each, 0.9f, particle, out);
*/
// Densities of smoothed particles and their pressures: the 27 cells around, eight particles in each, cell by cell.
__global__ void sph_cells_27(int side, int each, float h2, const float4 *particle, float2 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int cell = i / each;
    int cx = cell % side, cy = cell / side % side, cz = cell / (side * side);
    float4 p = particle[i];
    float rho = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int x = cx + dx, y = cy + dy, z = cz + dz;
                if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
                int first = ((z * side + y) * side + x) * each;
                for (int k = 0; k < each; k++) {
                    float4 q = particle[first + k];
                    float rx = q.x + dx - p.x, ry = q.y + dy - p.y, rz = q.z + dz - p.z;
                    float r2 = rx * rx + ry * ry + rz * rz;
                    if (r2 < h2) {
                        float t = h2 - r2;
                        rho += (0.5f + q.w) * t * t * t;
                    }
                }
            }
    out[i] = make_float2(rho, 3.0f * (powf(rho, 7.0f) - 1.0f));
}

// -------------------------------------------------------------------------------------------------------------- chance

/* kmutate launch
   int chains = 20000, steps = 250; dim3 block = { 128 }; dim3 grid = { ceil_div(chains, 128) };
   double mean[chains] = zeros(); int accepted[chains] = zeros();
   metropolis_banana_fp64(chains, steps, mean, accepted);
*/
// Chains of Metropolis on Rosenbrock's banana in doubles, with a 48-bit generator as in the C library.
__global__ void metropolis_banana_fp64(int chains, int steps, double *mean, int *accepted)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chains) return;
    u64 s = ((u64)c << 16) + 0x330E;
    const u64 mask = (1ull << 48) - 1;
    double x = 0.0, y = 0.0, sum = 0.0, e = 1.0;
    int taken = 0;
    for (int k = 0; k < steps; k++) {
        s = (s * 0x5DEECE66Dull + 11) & mask;
        double nx = x + ((double)s * 0x1p-48 - 0.5);
        s = (s * 0x5DEECE66Dull + 11) & mask;
        double ny = y + ((double)s * 0x1p-48 - 0.5);
        s = (s * 0x5DEECE66Dull + 11) & mask;
        double ne = (1 - nx) * (1 - nx) + 5.0 * (ny - nx * nx) * (ny - nx * nx);
        if (log((double)s * 0x1p-48 + 1e-300) < e - ne) {
            x = nx;
            y = ny;
            e = ne;
            taken++;
        }
        sum += x;
    }
    mean[c] = sum / steps;
    accepted[c] = taken;
}

/* kmutate launch
   int n = 20000, rounds = 2048; dim3 block = { 256 }; dim3 grid = { rounds };
   float sample[n] = normal(); float mean[rounds] = zeros();
   bootstrap_means_block(n, sample, mean);
*/
// The bootstrap: each block draws as many as there are with replacement and takes their mean.
__global__ void bootstrap_means_block(int n, const float *sample, float *mean)
{
    __shared__ float part[8];
    unsigned s = (blockIdx.x * 256 + threadIdx.x) * 2654435761u + 1u;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) {
        s = s * 1664525u + 1013904223u;
        unsigned r = s ^ (s >> 15);
        sum += sample[__umulhi(r * 0x85ebca6bu, (unsigned)n)];
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = part[threadIdx.x];
        for (int d = 4; d > 0; d >>= 1)
            sum += __shfl_xor_sync(0xffu, sum, d, 8);
        if (threadIdx.x == 0) mean[blockIdx.x] = sum / n;
    }
}

/* kmutate launch
   int side = 256; dim3 block = { 64, 4 }; dim3 grid = { side / 128, side / 4, side };
   signed char spin[side * side * side] = fill(1); float chance[7] = { 1, 1, 1, 1, 0.41f, 0.17f, 0.07f };
   spins_cubic_half_sweep(side, 0, 77u, spin, chance);
*/
// Half a sweep of Ising's model on a cube of bytes: neighbours wrap, chances come from a small table.
__global__ void spins_cubic_half_sweep(int side, int colour, unsigned seed, signed char *spin,
                                       const float *__restrict__ chance)
{
    int y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + z + colour) & 1);
    const int m = side - 1;
    const int row = (z * side + y) * side;
    int s = spin[row + x];
    int around = spin[row + ((x + 1) & m)] + spin[row + ((x - 1) & m)] + spin[(z * side + ((y + 1) & m)) * side + x]
               + spin[(z * side + ((y - 1) & m)) * side + x] + spin[(((z + 1) & m) * side + y) * side + x]
               + spin[(((z - 1) & m) * side + y) * side + x];
    int bonds = s * around;
    unsigned h = (row + x) * 0x9E3779B1u ^ seed;
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    h ^= h >> 16;
    if (bonds <= 0 || (h >> 8) * (1.0f / 16777216.0f) < chance[bonds > 6 ? 6 : bonds]) spin[row + x] = (signed char)-s;
}

// ------------------------------------------------------------------------------------------------- dynamic programming

/* kmutate launch
   int pairs = 30000, la = 64, lb = 150; dim3 block = { 128 }; dim3 grid = { ceil_div(pairs, 128) };
   char a[pairs * la] = randint(0, 4); char b[pairs * lb] = randint(0, 4); int distance[pairs] = zeros();
   levenshtein_local_row(pairs, lb, a, b, distance);
*/
// Edit distances of short strings, a pair to each thread and the row in a local array.
__global__ void levenshtein_local_row(int pairs, int lb, const char *a, const char *b, int *distance)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    unsigned char row[65];
    char mine[64];
    for (int i = 0; i < 64; i++) {
        mine[i] = a[i * pairs + p];
        row[i + 1] = i + 1;
    }
    row[0] = 0;
    for (int j = 0; j < lb; j++) {
        char c = b[j * pairs + p];
        int diagonal = row[0], left = min(j + 1, 255);
        row[0] = left;
        for (int i = 0; i < 64; i++) {
            int up = row[i + 1];
            int v = min(min(up, left) + 1, diagonal + (mine[i] != c));
            diagonal = up;
            left = min(v, 255);
            row[i + 1] = left;
        }
    }
    distance[p] = row[64];
}

/* kmutate launch
   int width = 8192, rows = 24; dim3 block = { 1024 }; dim3 grid = { 96 };
   float energy[grid.x * rows * width] = uniform(0, 1); float cost[grid.x * width] = zeros();
   signed char turn[grid.x * rows * width] = zeros();
   seam_costs_block(width, rows, energy, cost, turn);
*/
// Seams of a strip of an image, a strip to a block: the row above in shared memory, two barriers a row.
__global__ void __launch_bounds__(1024) seam_costs_block(int width, int rows, const float *energy, float *cost,
                                                         signed char *turn)
{
    __shared__ float above[8192];
    const float *e = energy + (size_t)blockIdx.x * rows * width;
    signed char *t = turn + (size_t)blockIdx.x * rows * width;
    for (int x = threadIdx.x; x < width; x += 1024)
        above[x] = e[x];
    __syncthreads();
    for (int y = 1; y < rows; y++) {
        float next[8];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int x = threadIdx.x + k * 1024;
            float m = above[x];
            signed char d = 0;
            if (x > 0 && above[x - 1] < m) {
                m = above[x - 1];
                d = -1;
            }
            if (x < width - 1 && above[x + 1] < m) {
                m = above[x + 1];
                d = 1;
            }
            next[k] = m + e[y * width + x];
            t[y * width + x] = d;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            above[threadIdx.x + k * 1024] = next[k];
        __syncthreads();
    }
    for (int x = threadIdx.x; x < width; x += 1024)
        cost[blockIdx.x * width + x] = above[x];
}

/* kmutate launch
   int n = 1920, round = 20; dim3 block = { 32, 32 }; dim3 grid = { n / 32, n / 32 };
   float reach[n * n] = uniform(0, 1);
   widest_paths_tiles(n, round, reach);
*/
// A round of Warshall's blocked scheme for widest paths (max of min): all tiles at once against the pivot's row and
// column.
__global__ void __launch_bounds__(1024) widest_paths_tiles(int n, int round, float *reach)
{
    __shared__ float column[32][33], line[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    if (blockIdx.x == round || blockIdx.y == round) return;
    const int row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    column[y][x] = reach[row * n + round * 32 + x];
    line[y][x] = reach[(round * 32 + y) * n + col];
    float best = reach[row * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k++)
        best = fmaxf(best, fminf(column[y][k], line[k][x]));
    reach[row * n + col] = best;
}

// -------------------------------------------------------------------------------------------------- images and signals

/* kmutate launch
   int width = 3840, height = 2160; dim3 block = { 32, 8 }; dim3 grid = { width / 32, height / 8 };
   uchar3 in[width * height] = randint(0, 256); uchar3 out[width * height] = zeros();
   unsharp_rgb_bytes(in, out, width, height, 0.8f);
*/
// Sharpening by the Laplacian of eight neighbours, three bytes to a pixel as cameras' libraries have them.
__global__ void unsharp_rgb_bytes(const uchar3 *in, uchar3 *out, int width, int height, float amount)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int r = 0, g = 0, b = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = min(max(x + dx, 0), width - 1), sy = min(max(y + dy, 0), height - 1);
            uchar3 p = in[sy * width + sx];
            r += p.x;
            g += p.y;
            b += p.z;
        }
    uchar3 c = in[y * width + x];
    float fr = c.x + amount * (c.x - r / 9.0f);
    float fg = c.y + amount * (c.y - g / 9.0f);
    float fb = c.z + amount * (c.z - b / 9.0f);
    out[y * width + x] = make_uchar3((unsigned char)fminf(fmaxf(fr, 0.f), 255.f),
                                     (unsigned char)fminf(fmaxf(fg, 0.f), 255.f),
                                     (unsigned char)fminf(fmaxf(fb, 0.f), 255.f));
}

/* kmutate launch
   int width = 8192, height = 6144; dim3 block = { 128 }; dim3 grid = { width / 512, height };
   unsigned char in[width * height] = randint(0, 256); unsigned char out[width * height] = zeros();
   median3_simd_bytes(width, height, (unsigned *)in, (unsigned *)out);
*/
// The median of 3 x 3 of four pixels at once by instructions on packed bytes.
__global__ void median3_simd_bytes(int width, int height, const unsigned *__restrict__ in, unsigned *__restrict__ out)
{
    const int words = width / 4, x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    unsigned lo[3], mid[3], hi[3];
    unsigned row[3][3];
#pragma unroll
    for (int r = 0; r < 3; r++) {
        const unsigned *line = in + min(max(y + r - 1, 0), height - 1) * words;
        unsigned c = line[x], l = line[max(x - 1, 0)], n = line[min(x + 1, words - 1)];
        row[r][0] = __byte_perm(l, c, 0x6543);
        row[r][1] = c;
        row[r][2] = __byte_perm(c, n, 0x4321);
    }
#pragma unroll
    for (int c = 0; c < 3; c++) {
        unsigned a = __vminu4(row[0][c], row[1][c]), b = __vmaxu4(row[0][c], row[1][c]);
        lo[c] = __vminu4(a, row[2][c]);
        hi[c] = __vmaxu4(b, row[2][c]);
        mid[c] = __vmaxu4(a, __vminu4(b, row[2][c]));
    }
    unsigned l = __vmaxu4(__vmaxu4(lo[0], lo[1]), lo[2]), h = __vminu4(__vminu4(hi[0], hi[1]), hi[2]);
    unsigned m = __vmaxu4(__vminu4(mid[0], mid[1]), __vminu4(__vmaxu4(mid[0], mid[1]), mid[2]));
    out[y * words + x] = __vmaxu4(__vminu4(l, m), __vminu4(__vmaxu4(l, m), h));
}

/* kmutate launch
   int width = 6144, height = 4096; dim3 block = { 16, 16 }; dim3 grid = { width / 32, height / 32 };
   unsigned short in[width * height] = randint(0, 4096); unsigned short out[width * height / 4] = zeros();
   pyramid_down_shorts(width, height, in, out);
*/
// Half the size by binomial weights of 5 x 5, a tile of 35 x 35 shorts in shared memory, columns first.
__global__ void pyramid_down_shorts(int width, int height, const unsigned short *in, unsigned short *out)
{
    __shared__ unsigned short tile[35][36];
    __shared__ int tall[16][36];
    const int t = threadIdx.y * 16 + threadIdx.x;
    const int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 32 - 2;
    for (int i = t; i < 35 * 35; i += 256) {
        int y = i / 35, x = i % 35;
        int sx = min(max(x0 + x, 0), width - 1), sy = min(max(y0 + y, 0), height - 1);
        tile[y][x] = in[sy * width + sx];
    }
    __syncthreads();
    for (int i = t; i < 16 * 35; i += 256) {
        int y = i / 35, x = i % 35;
        tall[y][x] = tile[2 * y][x] + 4 * tile[2 * y + 1][x] + 6 * tile[2 * y + 2][x]
                   + 4 * tile[2 * y + 3][x] + tile[2 * y + 4][x];
    }
    __syncthreads();
    const int *v = &tall[threadIdx.y][2 * threadIdx.x];
    int sum = v[0] + 4 * v[1] + 6 * v[2] + 4 * v[3] + v[4];
    const int to = (blockIdx.y * 16 + threadIdx.y) * (width / 2) + blockIdx.x * 16 + threadIdx.x;
    out[to] = (unsigned short)((sum + 128) >> 8);
}

/* kmutate launch
   int width = 1280, height = 960; dim3 block = { 16, 16 }; dim3 grid = { width / 16, height / 16 };
   float first[width * height] = uniform(0, 255); float second[width * height] = uniform(0, 255);
   float2 flow[width * height] = zeros();
   lucas_kanade_window(width, height, 4, first, second, flow);
*/
// Motion by Lucas and Kanade: sums over a window of 9 x 9 at each pixel, all derivatives computed on the way.
__global__ void lucas_kanade_window(int width, int height, int radius, const float *first, const float *second,
                                    float2 *flow)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= radius || y <= radius || x >= width - radius - 1 || y >= height - radius - 1) return;
    float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int at = (y + dy) * width + x + dx;
            float ix = 0.5f * (first[at + 1] - first[at - 1]);
            float iy = 0.5f * (first[at + width] - first[at - width]);
            float it = second[at] - first[at];
            xx += ix * ix;
            xy += ix * iy;
            yy += iy * iy;
            xt += ix * it;
            yt += iy * it;
        }
    float det = xx * yy - xy * xy;
    if (fabsf(det) > 1e-6f)
        flow[y * width + x] = make_float2((xy * yt - yy * xt) / det, (xy * xt - xx * yt) / det);
}

/* kmutate launch
   int width = 5120, height = 2880; dim3 block = { 256 }; dim3 grid = { width * height / 512 };
   half in[width * height * 4] = uniform(0, 3); uchar4 out[width * height] = zeros();
   tonemap_filmic_half((uint4 *)in, (uint2 *)out, 0.7f);
*/
// Two pixels of four halves to a thread: exposure, a filmic curve, the display's gamma, and bytes.
__device__ unsigned char display_byte(float v, float exposure)
{
    v *= exposure;
    v = v * (2.51f * v + 0.03f) / (v * (2.43f * v + 0.59f) + 0.14f);
    v = __saturatef(v);
    v = v <= 0.0031308f ? 12.92f * v : 1.055f * __powf(v, 1.0f / 2.4f) - 0.055f;
    return (unsigned char)(v * 255.0f + 0.5f);
}

__global__ void tonemap_filmic_half(const uint4 *in, uint2 *out, float exposure)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = in[i];
    const half2 *h = (const half2 *)&v;
    uchar4 p[2];
    for (int k = 0; k < 2; k++) {
        float2 rg = __half22float2(h[2 * k]), ba = __half22float2(h[2 * k + 1]);
        p[k] = make_uchar4(display_byte(fabsf(rg.x), exposure), display_byte(fabsf(rg.y), exposure),
                           display_byte(fabsf(ba.x), exposure), (unsigned char)(__saturatef(ba.y) * 255.0f));
    }
    out[i] = *(uint2 *)p;
}

/* kmutate launch
   int width = 1024, height = 3000; dim3 block = { 128 }; dim3 grid = { height };
   unsigned char mask[width * height] = randint(0, 40); int out[width * height] = zeros();
   distance_rows_min_scan(width, mask, out);
*/
// Squared distances along each row to the nearest zero: positions spread from both sides by doubling steps in shared
// memory.
__global__ void distance_rows_min_scan(int width, const unsigned char *mask, int *out)
{
    __shared__ int left[2][1024], right[2][1024];
    const unsigned char *row = mask + blockIdx.x * width;
    for (int x = threadIdx.x; x < 1024; x += 128) {
        bool zero = row[x] == 0;
        left[0][x] = zero ? x : -10000;
        right[0][x] = zero ? x : 20000;
    }
    __syncthreads();
    int from = 0;
    for (int d = 1; d < 1024; d *= 2, from ^= 1) {
        for (int x = threadIdx.x; x < 1024; x += 128) {
            left[from ^ 1][x] = x >= d ? max(left[from][x], left[from][x - d]) : left[from][x];
            right[from ^ 1][x] = x + d < 1024 ? min(right[from][x], right[from][x + d]) : right[from][x];
        }
        __syncthreads();
    }
    for (int x = threadIdx.x; x < 1024; x += 128) {
        int d = min(x - left[from][x], right[from][x] - x);
        out[blockIdx.x * width + x] = d * d;
    }
}

/* kmutate launch
   int signals = 6000; dim3 block = { 256 }; dim3 grid = { signals };
   __constant__ float2 turn512[256] = normal();
   float2 in[signals * 512] = normal(); float2 out[signals * 512] = zeros();
   fft512_shared_radix2(in, out);
*/
// Transforms of 512 points, one to a block: bits reversed on loading, nine rounds of butterflies, factors in constant
// memory.
__constant__ float2 turn512[256];

__global__ void __launch_bounds__(256) fft512_shared_radix2(const float2 *in, float2 *out)
{
    __shared__ float2 v[512];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 512;
    v[__brev(t) >> 23] = in[base + t];
    v[__brev(t + 256) >> 23] = in[base + t + 256];
    __syncthreads();
    for (int half = 1; half < 512; half *= 2) {
        int k = t & (half - 1);
        int i = 2 * t - k, j = i + half;
        float2 w = turn512[k * (256 / half)];
        float2 a = v[i], b = v[j];
        float2 bw = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        v[i] = make_float2(a.x + bw.x, a.y + bw.y);
        v[j] = make_float2(a.x - bw.x, a.y - bw.y);
        __syncthreads();
    }
    out[base + t] = v[t];
    out[base + t + 256] = v[t + 256];
}

/* kmutate launch
   int channels = 64, taps = 12, frames = 120000; dim3 block = { 64, 4 }; dim3 grid = { frames / 16 };
   char2 in[channels * (frames + taps)] = randint(-100, 100); float weight[channels * taps] = normal();
   float2 out[channels * frames] = zeros();
   polyphase_bytes(channels, taps, in, weight, out);
*/
// The first part of a channeliser: complex samples of a byte each, twelve taps to each of 64 channels, four frames to a
// thread.
__global__ void polyphase_bytes(int channels, int taps, const char2 *in, const float *weight, float2 *out)
{
    const int c = threadIdx.x;
    for (int q = 0; q < 4; q++) {
        const int frame = (blockIdx.x * 4 + threadIdx.y) * 4 + q;
        float2 sum = make_float2(0, 0);
        for (int k = 0; k < taps; k++) {
            char2 s = in[(frame + k) * channels + c];
            float w = weight[k * channels + c];
            sum.x += w * s.x;
            sum.y += w * s.y;
        }
        out[frame * channels + c] = sum;
    }
}

/* kmutate launch
   int width = 4096, height = 3072; dim3 block = { 64 }; dim3 grid = { width / 64, height / 64 };
   short image[width * height] = randint(0, 1024); short low[width * height / 2] = zeros();
   short high[width * height / 2] = zeros();
   lifting53_columns(width, height, image, low, high);
*/
// The reversible wavelet of two steps of lifting along columns, whole numbers, a strip of 64 rows to a thread.
__global__ void lifting53_columns(int width, int height, const short *image, short *low, short *high)
{
    const int x = blockIdx.x * 64 + threadIdx.x, y0 = blockIdx.y * 64;
    const short *p = image + x;
    int even = p[y0 * width];
    int before;
    if (y0 == 0)
        before = p[width] - ((even + p[2 * width]) >> 1);
    else
        before = p[(y0 - 1) * width] - ((p[(y0 - 2) * width] + even) >> 1);
    for (int y = y0; y < y0 + 64; y += 2) {
        int odd = p[(y + 1) * width];
        int next = y + 2 < height ? p[(y + 2) * width] : even;
        int h = odd - ((even + next) >> 1);
        int l = even + ((before + h + 2) >> 2);
        high[(y / 2) * width + x] = (short)h;
        low[(y / 2) * width + x] = (short)l;
        before = h;
        even = next;
    }
}

// -------------------------------------------------------------------------------- hashes, ciphers, packing and strings

/* kmutate launch
   int blocks = 3000000; dim3 block = { 256 }; dim3 grid = { ceil_div(blocks, 1024) };
   unsigned te[1024] = randint(0, 4294967296ll); unsigned char sbox[256] = randint(0, 256);
   __constant__ unsigned round_keys[44] = randint(0, 4294967296ll);
   uint4 in[blocks] = randint(0, 4294967296ll); uint4 out[blocks] = zeros();
   aes_ecb_tables_shared(blocks, te, sbox, in, out);
*/
// AES of ten rounds by four tables in shared memory (conflicts and all), four blocks of text to a thread.
__constant__ unsigned round_keys[44];

__global__ void aes_ecb_tables_shared(int blocks, const unsigned *te, const unsigned char *sbox, const uint4 *in,
                                      uint4 *out)
{
    __shared__ unsigned t0[256], t1[256], t2[256], t3[256];
    __shared__ unsigned char last[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        t0[i] = te[i];
        t1[i] = te[256 + i];
        t2[i] = te[512 + i];
        t3[i] = te[768 + i];
        last[i] = sbox[i];
    }
    __syncthreads();
    for (int q = 0; q < 4; q++) {
        const int at = blockIdx.x * 1024 + q * 256 + threadIdx.x;
        if (at >= blocks) return;
        uint4 s = in[at];
        s.x ^= round_keys[0];
        s.y ^= round_keys[1];
        s.z ^= round_keys[2];
        s.w ^= round_keys[3];
#pragma unroll 1
        for (int r = 1; r < 10; r++) {
            const unsigned *k = round_keys + 4 * r;
            uint4 n;
            n.x = t0[s.x >> 24] ^ t1[(s.y >> 16) & 255] ^ t2[(s.z >> 8) & 255] ^ t3[s.w & 255] ^ k[0];
            n.y = t0[s.y >> 24] ^ t1[(s.z >> 16) & 255] ^ t2[(s.w >> 8) & 255] ^ t3[s.x & 255] ^ k[1];
            n.z = t0[s.z >> 24] ^ t1[(s.w >> 16) & 255] ^ t2[(s.x >> 8) & 255] ^ t3[s.y & 255] ^ k[2];
            n.w = t0[s.w >> 24] ^ t1[(s.x >> 16) & 255] ^ t2[(s.y >> 8) & 255] ^ t3[s.z & 255] ^ k[3];
            s = n;
        }
        uint4 c;
        c.x = (last[s.x >> 24] << 24 | last[(s.y >> 16) & 255] << 16 | last[(s.z >> 8) & 255] << 8 | last[s.w & 255])
            ^ round_keys[40];
        c.y = (last[s.y >> 24] << 24 | last[(s.z >> 16) & 255] << 16 | last[(s.w >> 8) & 255] << 8 | last[s.x & 255])
            ^ round_keys[41];
        c.z = (last[s.z >> 24] << 24 | last[(s.w >> 16) & 255] << 16 | last[(s.x >> 8) & 255] << 8 | last[s.y & 255])
            ^ round_keys[42];
        c.w = (last[s.w >> 24] << 24 | last[(s.x >> 16) & 255] << 16 | last[(s.y >> 8) & 255] << 8 | last[s.z & 255])
            ^ round_keys[43];
        out[at] = c;
    }
}

/* kmutate launch
   int records = 400000, words = 12; dim3 block = { 128 }; dim3 grid = { ceil_div(records, 128) };
   __constant__ unsigned long long sha512_k[80] = randint(0, 1ll << 62);
   unsigned long long in[records * 16] = randint(0, 1ll << 62); unsigned long long out[records * 8] = zeros();
   sha512_one_chunk(records, in, out);
*/
// SHA-512 of a chunk of 128 bytes to a thread, sixteen words of its schedule kept and turned round.
__constant__ u64 sha512_k[80];

__device__ __forceinline__ u64 turn64(u64 x, int by)
{
    return (x >> by) | (x << (64 - by));
}

__global__ void sha512_one_chunk(int records, const u64 *in, u64 *out)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= records) return;
    u64 w[16], h[8] = { 0x6a09e667f3bcc908ull, 0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull, 0xa54ff53a5f1d36f1ull,
                        0x510e527fade682d1ull, 0x9b05688c2b3e6c1full, 0x1f83d9abfb41bd6bull, 0x5be0cd19137e2179ull };
    u64 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], s = h[7];
#pragma unroll
    for (int i = 0; i < 16; i++)
        w[i] = in[(size_t)i * records + r];
    for (int round = 0; round < 80; round += 16) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            if (round > 0) {
                u64 x = w[(i + 1) & 15], y = w[(i + 14) & 15];
                w[i] += w[(i + 9) & 15] + (turn64(x, 1) ^ turn64(x, 8) ^ (x >> 7));
                w[i] += turn64(y, 19) ^ turn64(y, 61) ^ (y >> 6);
            }
            u64 t1 = s + (turn64(e, 14) ^ turn64(e, 18) ^ turn64(e, 41)) + ((e & f) ^ (~e & g));
            t1 += sha512_k[round + i] + w[i];
            u64 t2 = (turn64(a, 28) ^ turn64(a, 34) ^ turn64(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
            s = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
    }
    u64 v[8] = { a, b, c, d, e, f, g, s };
#pragma unroll
    for (int i = 0; i < 8; i++)
        out[(size_t)i * records + r] = h[i] + v[i];
}

/* kmutate launch
   int strings = 1500000, lo = 4, hi = 60, bytes = csr_nnz(strings, lo, hi); dim3 block = { 256 };
   dim3 grid = { ceil_div(strings, 256) };
   int offset[strings + 1] = csr_rowptr(strings, lo, hi); unsigned char text[bytes] = randint(97, 123);
   unsigned hash[strings] = zeros();
   murmur_strings_bytewise(strings, offset, text, hash);
*/
// Murmur's hash of strings of their own lengths, put together byte by byte because they start anywhere.
__global__ void murmur_strings_bytewise(int strings, const int *offset, const unsigned char *text, unsigned *hash)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= strings) return;
    int begin = offset[s], length = offset[s + 1] - begin;
    const unsigned char *p = text + begin;
    unsigned h = 0x9747b28cu, k;
    int i = 0;
    for (; i + 4 <= length; i += 4) {
        k = p[i] | p[i + 1] << 8 | p[i + 2] << 16 | (unsigned)p[i + 3] << 24;
        k *= 0xcc9e2d51u;
        k = __funnelshift_l(k, k, 15) * 0x1b873593u;
        h = __funnelshift_l(h ^ k, h ^ k, 13) * 5u + 0xe6546b64u;
    }
    k = 0;
    for (int j = length - 1; j >= i; j--)
        k = k << 8 | p[j];
    k *= 0xcc9e2d51u;
    h ^= __funnelshift_l(k, k, 15) * 0x1b873593u;
    h ^= length;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    hash[s] = h ^ h >> 16;
}

/* kmutate launch
   int n = 12000000, states = 400; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128 * 64) };
   unsigned char text[n + 64] = randint(0, 32); short go[states * 32] = randint(0, states);
   unsigned char final[states] = randint(0, 20);
   int matches[1] = zeros();
   aho_corasick_stretches(n, text, go, final, matches);
*/
// Many words at once by Aho and Corasick's automaton: 64 bytes to a thread and 16 more to get into step, table in
// shared memory.
__global__ void aho_corasick_stretches(int n, const unsigned char *text, const short *go, const unsigned char *final,
                                       int *matches)
{
    __shared__ short table[400 * 32];
    for (int i = threadIdx.x; i < 400 * 32 / 2; i += blockDim.x)
        ((int *)table)[i] = ((const int *)go)[i];
    __syncthreads();
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
    int state = 0, found = 0;
    if (first < n) {
        for (int i = max(first - 16, 0); i < first; i++)
            state = table[state * 32 + text[i]];
        int end = min(first + 64, n);
        for (int i = first; i < end; i++) {
            state = table[state * 32 + text[i]];
            if (final[state] == 0) found++;
        }
    }
    found = __reduce_add_sync(0xffffffffu, found);
    if ((threadIdx.x & 31) == 0 && found) atomicAdd(matches, found);
}

/* kmutate launch
   int pages = 30000; dim3 block = { 128 }; dim3 grid = { pages };
   unsigned char packed[pages * 4 * 512] = randint(0, 256); unsigned base[pages] = randint(0, 1 << 20);
   unsigned out[pages * 512] = zeros();
   delta_bytes_prefix(packed, base, out);
*/
// Pages of 512 differences of a byte each (four streams of which one is read) become numbers by sums over the block.
__global__ void delta_bytes_prefix(const unsigned char *packed, const unsigned *base, unsigned *out)
{
    __shared__ unsigned ends[4];
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    uchar4 d = *(const uchar4 *)(packed + (size_t)blockIdx.x * 2048 + 512 * (blockIdx.x & 3) + 4 * t);
    unsigned a = d.x, b = a + d.y, c = b + d.z, e = c + d.w, sum = e;
#pragma unroll
    for (int k = 1; k < 32; k <<= 1) {
        unsigned o = __shfl_up_sync(0xffffffffu, sum, k);
        if (lane >= k) sum += o;
    }
    if (lane == 31) ends[w] = sum;
    __syncthreads();
    unsigned before = base[blockIdx.x] + sum - e;
    for (int k = 0; k < w; k++)
        before += ends[k];
    ((uint4 *)out)[(size_t)blockIdx.x * 128 + t] = make_uint4(before + a, before + b, before + c, before + e);
}

// -------------------------------------------------------------------------------------------------------------- tables

/* kmutate launch
   int rows = 16000000, keys = 2000; dim3 block = { 512 }; dim3 grid = { 264 };
   unsigned short key[rows] = randint(0, 2000); float price[rows] = uniform(1, 100);
   unsigned char flag[rows] = randint(0, 4);
   float sums[keys] = zeros(); int counts[keys] = zeros();
   group_by_shared_dense(rows, keys, key, price, flag, sums, counts);
*/
// select key, sum(price), count(*) where flag <> 0 group by key: dense keys, partial tables in shared memory.
__global__ void group_by_shared_dense(int rows, int keys, const unsigned short *key, const float *price,
                                      const unsigned char *flag, float *sums, int *counts)
{
    __shared__ float sum[2000];
    __shared__ int count[2000];
    for (int k = threadIdx.x; k < keys; k += blockDim.x) {
        sum[k] = 0;
        count[k] = 0;
    }
    __syncthreads();
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
        if (flag[r]) {
            int k = key[r];
            atomicAdd(&sum[k], price[r]);
            atomicAdd(&count[k], 1);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < keys; k += blockDim.x)
        if (count[k]) {
            atomicAdd(&sums[k], sum[k]);
            atomicAdd(&counts[k], count[k]);
        }
}

/* kmutate launch
   int rows = 20000000, domain = 1 << 25; dim3 block = { 256 }; dim3 grid = { rows / 1024 };
   int key[rows] = randint(0, domain); unsigned bits[domain / 32] = randint(0, 4294967296ll);
   unsigned char keep[rows] = zeros();
   semi_join_bitmap((int4 *)key, bits, (uchar4 *)keep);
*/
// Which keys does the other table have? Four keys to a thread, a bitmap of four megabytes.
__global__ void semi_join_bitmap(const int4 *key, const unsigned *__restrict__ bits, uchar4 *keep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 k = key[i];
    keep[i] = make_uchar4(bits[k.x >> 5] >> (k.x & 31) & 1, bits[k.y >> 5] >> (k.y & 31) & 1,
                          bits[k.z >> 5] >> (k.z & 31) & 1, bits[k.w >> 5] >> (k.w & 31) & 1);
}

/* kmutate launch
   int probes = 6000000, slots = 1 << 22; dim3 block = { 256 }; dim3 grid = { ceil_div(probes, 256) };
   uint2 table[slots] = randint(0, 8000000); unsigned key[probes] = randint(0, 8000000);
   unsigned value[probes] = zeros();
   cuckoo_lookup_three(probes, slots - 1, table, key, value);
*/
// Looking up in a cuckoo table of three hash functions.
__global__ void cuckoo_lookup_three(int probes, unsigned mask, const uint2 *table, const unsigned *key, unsigned *value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    const unsigned k = key[i];
    uint2 e = table[(k * 2654435769u >> 7) & mask];
    if (e.x != k) {
        e = table[((k ^ 0x5bd1e995u) * 2246822519u >> 9) & mask];
        if (e.x != k) {
            e = table[((k + 0x27d4eb2fu) * 3266489917u >> 5) & mask];
            if (e.x != k) e.y = 0xffffffffu;
        }
    }
    value[i] = e.y;
}

/* kmutate launch
   int n = 10000000, words = 60000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   unsigned short code[n] = randint(0, words); double dictionary[words] = uniform(0, 1000);
   unsigned valid[n / 32] = randint(0, 4294967296ll);
   double out[n] = zeros();
   dictionary_decode_nulls(n, code, dictionary, valid, out);
*/
// A column of codes becomes doubles by its dictionary; a bit says which are null.
__global__ void dictionary_decode_nulls(int n, const unsigned short *code, const double *dictionary,
                                        const unsigned *valid, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bool ok = valid[i / 32] >> (i % 32) & 1;
        out[i] = ok ? dictionary[code[i]] : __longlong_as_double(0x7ff8000000000000ll);
    }
}

// -------------------------------------------------------------------------------------------------------------- prices

/* kmutate launch
   int options = 700, steps = 500; dim3 block = { 256 }; dim3 grid = { options };
   float spot[options] = uniform(80, 120); float strike[options] = uniform(80, 120); float price[options] = zeros();
   american_trinomial_block(steps, spot, strike, 0.03f, 0.25f, 1.0f, price);
*/
// American puts on trinomial trees, an option to a block, two layers of the tree in shared memory.
__global__ void american_trinomial_block(int steps, const float *spot, const float *strike, float rate, float sigma,
                                         float years, float *price)
{
    __shared__ float layer[2][1024];
    const float s0 = spot[blockIdx.x], k = strike[blockIdx.x];
    const float dt = years / steps, dx = sigma * sqrtf(3.0f * dt), nu = rate - 0.5f * sigma * sigma;
    const float a = (sigma * sigma * dt + nu * nu * dt * dt) / (dx * dx), b = nu * dt / dx;
    const float discount = expf(-rate * dt);
    const float pu = discount * 0.5f * (a + b), pm = discount * (1.0f - a), pd = discount * 0.5f * (a - b);
    for (int i = threadIdx.x; i <= 2 * steps; i += blockDim.x)
        layer[steps & 1][i] = fmaxf(k - s0 * __expf((i - steps) * dx), 0.0f);
    __syncthreads();
    for (int n = steps - 1; n >= 0; n--) {
        const float *from = layer[(n + 1) & 1];
        float *to = layer[n & 1];
        for (int i = threadIdx.x; i <= 2 * n; i += blockDim.x) {
            float hold = pd * from[i] + pm * from[i + 1] + pu * from[i + 2];
            to[i] = fmaxf(hold, k - s0 * __expf((i - n) * dx));
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) price[blockIdx.x] = layer[0][0];
}

/* kmutate launch
   int paths = 200000, dates = 40; dim3 block = { 128 }; dim3 grid = { ceil_div(paths, 128) };
   double exposure[dates] = zeros();
   cir_swap_exposure(paths, dates, 0.4, 0.035, 0.08, 0.03, exposure);
*/
// Expected exposures of a swap whose rate follows Cox, Ingersoll and Ross, in doubles: a path to a thread, a sum for
// each date.
__global__ void cir_swap_exposure(int paths, int dates, double kappa, double theta, double sigma, double r0,
                                  double *exposure)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = p * 747796405u + 2891336453u;
    const double dt = 0.25, root = sqrt(dt);
    double r = r0;
    for (int d = 0; d < dates; d++) {
        s = s * 747796405u + 2891336453u;
        unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
        float u1 = ((w >> 8) + 0.5f) * (1.0f / 16777216.0f);
        s = s * 747796405u + 2891336453u;
        w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
        float u2 = ((w >> 8) + 0.5f) * (1.0f / 16777216.0f);
        double z = sqrtf(-2.0f * logf(u1)) * cospif(2.0f * u2);
        double rp = fmax(r, 0.0);
        r += kappa * (theta - rp) * dt + sigma * sqrt(rp) * root * z;
        double left = (dates - d) * dt;
        double value = p < paths ? fmax(1.0 - exp(-fmax(r, 0.0) * left) - 0.03 * left, 0.0) : 0.0;
        for (int k = 16; k > 0; k >>= 1)
            value += __shfl_down_sync(0xffffffffu, value, k);
        if ((threadIdx.x & 31) == 0) atomicAdd(&exposure[d], value);
    }
}

// -------------------------------------------------------------------------------------------------- layers of networks

/* kmutate launch
   int images = 24, channels = 192, pixels = 56 * 56; dim3 block = { 256 }; dim3 grid = { channels, images };
   float x[images * channels * pixels] = normal(); float skip[images * channels * pixels] = normal();
   float mean[channels] = normal();
   float var[channels] = uniform(0.5, 2); float gamma[channels] = normal(); float beta[channels] = normal();
   float y[images * channels * pixels] = zeros();
   batchnorm_add_relu_quads((float4 *)x, (float4 *)skip, mean, var, gamma, beta, (float4 *)y, channels, pixels / 4);
*/
// Batch norm with known statistics, the shortcut and the rectifier, planes of channels.
__global__ void batchnorm_add_relu_quads(const float4 *x, const float4 *skip, const float *mean, const float *var,
                                         const float *gamma, const float *beta, float4 *y, int channels, int quads)
{
    const int c = blockIdx.x;
    const float scale = gamma[c] * rsqrtf(var[c] + 1e-5f), shift = beta[c] - mean[c] * scale;
    const size_t base = ((size_t)blockIdx.y * channels + c) * quads;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = x[base + i], s = skip[base + i];
        v.x = fmaxf(v.x * scale + shift + s.x, 0.0f);
        v.y = fmaxf(v.y * scale + shift + s.y, 0.0f);
        v.z = fmaxf(v.z * scale + shift + s.z, 0.0f);
        v.w = fmaxf(v.w * scale + shift + s.w, 0.0f);
        y[base + i] = v;
    }
}

/* kmutate launch
   int rows = 48 * 1024, cols = 1024; dim3 block = { 128 }; dim3 grid = { rows };
   half scores[rows * cols] = normal(0, 3); half out[rows * cols] = zeros();
   masked_softmax_half_eights((uint4 *)scores, (uint4 *)out, 1024, 0.125f);
*/
// Softmax of rows of attention scores in halves with a causal mask, eight to a thread, all in registers.
__device__ float block_of_four(float v, bool largest, float *shared)
{
    for (int d = 16; d > 0; d >>= 1) {
        float o = __shfl_xor_sync(0xffffffffu, v, d);
        v = largest ? fmaxf(v, o) : v + o;
    }
    __syncthreads();
    if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5] = v;
    __syncthreads();
    v = shared[0];
    for (int w = 1; w < 4; w++)
        v = largest ? fmaxf(v, shared[w]) : v + shared[w];
    return v;
}

__global__ void __launch_bounds__(128) masked_softmax_half_eights(const uint4 *scores, uint4 *out, int length,
                                                                  float scale)
{
    __shared__ float shared[4];
    const int row = blockIdx.x % length, first = threadIdx.x * 8;
    const size_t at = (size_t)blockIdx.x * 128 + threadIdx.x;
    float v[8], most = -1e30f, sum = 0.0f;
    if (first <= row) {
        uint4 raw = scores[at];
        const half *h = (const half *)&raw;
        for (int i = 0; i < 8; i++)
            v[i] = first + i <= row ? scale * __half2float(h[i]) : -1e30f;
    } else
        for (int i = 0; i < 8; i++)
            v[i] = -1e30f;
    for (int i = 0; i < 8; i++)
        most = fmaxf(most, v[i]);
    most = block_of_four(most, true, shared);
    for (int i = 0; i < 8; i++) {
        v[i] = __expf(v[i] - most);
        sum += v[i];
    }
    const float inv = 1.0f / block_of_four(sum, false, shared);
    half2 h[4];
    for (int i = 0; i < 4; i++)
        h[i] = __floats2half2_rn(v[2 * i] * inv, v[2 * i + 1] * inv);
    out[at] = *(uint4 *)h;
}

/* kmutate launch
   int pixels = 32 * 28 * 28, in_channels = 192, out_channels = 96; dim3 block = { 32, 8 };
   dim3 grid = { out_channels / 32, pixels / 64 };
   float x[pixels * in_channels] = normal(); float w[in_channels * out_channels] = normal();
   float bias[out_channels] = normal();
   float y[pixels * out_channels] = zeros();
   pointwise_conv_swish(in_channels, out_channels, x, w, bias, y);
*/
// A convolution of 1 x 1 with pixels first: a thread has one channel of eight pixels, all lanes read the same
// activations.
__global__ void pointwise_conv_swish(int in_channels, int out_channels, const float *__restrict__ x,
                                     const float *__restrict__ w, const float *__restrict__ bias, float *__restrict__ y)
{
    const int o = blockIdx.x * 32 + threadIdx.x;
    const int p0 = (blockIdx.y * 8 + threadIdx.y) * 8;
    float sum[8];
    for (int i = 0; i < 8; i++)
        sum[i] = bias[o];
    for (int c = 0; c < in_channels; c += 4) {
        const float w0 = w[c * out_channels + o], w1 = w[(c + 1) * out_channels + o];
        const float w2 = w[(c + 2) * out_channels + o], w3 = w[(c + 3) * out_channels + o];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float4 v = *(const float4 *)&x[(p0 + i) * in_channels + c];
            sum[i] += v.x * w0 + v.y * w1 + v.z * w2 + v.w * w3;
        }
    }
    for (int i = 0; i < 8; i++)
        y[(p0 + i) * out_channels + o] = sum[i] / (1.0f + expf(-sum[i]));
}

/* kmutate launch
   int n = 12000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float weight[n] = normal(); float grad[n] = normal(); float velocity[n] = zeros(); half copy[n] = zeros();
   float norm2[1] = fill(400);
   sgd_nesterov_clipped(n, weight, grad, velocity, copy, norm2, 0.01f, 0.9f, 1e-4f, 5.0f);
*/
// Descent with Nesterov's momentum, gradients clipped by their norm, and the copy in halves that the next pass reads.
__global__ void sgd_nesterov_clipped(int n, float *weight, const float *grad, float *velocity, half *copy,
                                     const float *norm2, float rate, float momentum, float decay, float clip)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float factor = fminf(1.0f, clip / (sqrtf(*norm2) + 1e-6f));
    float w = weight[i];
    float g = grad[i] * factor + decay * w;
    float v = momentum * velocity[i] + g;
    w -= rate * (g + momentum * v);
    velocity[i] = v;
    weight[i] = w;
    copy[i] = __float2half(w);
}

/* kmutate launch
   int rows = 12000, cols = 2048; dim3 block = { 256 }; dim3 grid = { rows };
   float x[rows * cols] = normal(); signed char q[rows * cols] = zeros(); float scale[rows] = zeros();
   quantize_token_symmetric((float4 *)x, (char4 *)q, scale, cols / 4);
*/
// Activations to bytes with a scale for each token: the row is read for its largest magnitude, and again from
// registers.
__global__ void quantize_token_symmetric(const float4 *x, char4 *q, float *scale, int quads)
{
    __shared__ float most_of[8];
    const float4 *from = x + (size_t)blockIdx.x * quads;
    float4 v[2];
    float most = 1e-8f;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        v[i] = from[threadIdx.x + i * 256];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v[i].x), fabsf(v[i].y)), fmaxf(fabsf(v[i].z), fabsf(v[i].w))));
    }
    for (int d = 16; d > 0; d >>= 1)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    if ((threadIdx.x & 31) == 0) most_of[threadIdx.x >> 5] = most;
    __syncthreads();
    for (int w = 0; w < 8; w++)
        most = fmaxf(most, most_of[w]);
    const float inv = 127.0f / most;
#pragma unroll
    for (int i = 0; i < 2; i++)
        q[(size_t)blockIdx.x * quads + threadIdx.x + i * 256] =
            make_char4((signed char)__float2int_rn(v[i].x * inv), (signed char)__float2int_rn(v[i].y * inv),
                       (signed char)__float2int_rn(v[i].z * inv), (signed char)__float2int_rn(v[i].w * inv));
    if (threadIdx.x == 0) scale[blockIdx.x] = most / 127.0f;
}

/* kmutate launch
   int heads = 12, batch = 6, length = 512; dim3 block = { 128 }; dim3 grid = { length / 64, heads * batch };
   float Q[heads * batch * length * 64] = normal(); float K[heads * batch * length * 64] = normal();
   float V[heads * batch * length * 64] = normal(); float O[heads * batch * length * 64] = zeros();
   attention_two_threads_row(length, 0.125f, Q, K, V, O);
*/
// Attention with a running softmax: half a query of 64 numbers to a thread, keys and values by sixteen in shared
// memory.
__global__ void __launch_bounds__(128) attention_two_threads_row(int length, float scale, const float *Q,
                                                                 const float *K, const float *V, float *O)
{
    __shared__ float4 ks[16][16], vs[16][16];
    const int t = threadIdx.x, part = t & 1;
    const size_t base = (size_t)blockIdx.y * length * 16;
    const size_t mine = base + (size_t)(blockIdx.x * 64 + t / 2) * 16;
    const float4 *q4 = (const float4 *)Q, *k4 = (const float4 *)K, *v4 = (const float4 *)V;
    float4 q[8], o[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        q[i] = q4[mine + 2 * i + part];
        o[i] = make_float4(0, 0, 0, 0);
    }
    float most = -1e30f, sum = 0.0f;
    for (int j0 = 0; j0 < length; j0 += 16) {
        for (int i = t; i < 256; i += 128) {
            ks[i / 16][i % 16] = k4[base + (size_t)j0 * 16 + i];
            vs[i / 16][i % 16] = v4[base + (size_t)j0 * 16 + i];
        }
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            float s = 0.0f;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                float4 k = ks[j][2 * i + part];
                s += q[i].x * k.x + q[i].y * k.y + q[i].z * k.z + q[i].w * k.w;
            }
            s = scale * (s + __shfl_xor_sync(0xffffffffu, s, 1));
            float now = fmaxf(most, s);
            float keep = __expf(most - now), p = __expf(s - now);
            most = now;
            sum = sum * keep + p;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                float4 v = vs[j][2 * i + part];
                o[i].x = o[i].x * keep + p * v.x;
                o[i].y = o[i].y * keep + p * v.y;
                o[i].z = o[i].z * keep + p * v.z;
                o[i].w = o[i].w * keep + p * v.w;
            }
        }
        __syncthreads();
    }
    const float inv = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < 8; i++)
        ((float4 *)O)[mine + 2 * i + part] = make_float4(o[i].x * inv, o[i].y * inv, o[i].z * inv, o[i].w * inv);
}

/* kmutate launch
   int n = 10000000; dim3 block = { 256 }; dim3 grid = { 1056 };
   float predicted[n] = normal(); float target[n] = normal(); float gradient[n] = zeros(); float loss[1] = zeros();
   huber_loss_gradient(n, 1.0f, predicted, target, gradient, loss);
*/
// Huber's loss, its gradient, and the total by shuffles and one atomic to a block.
__global__ void huber_loss_gradient(int n, float delta, const float *predicted, const float *target, float *gradient,
                                    float *loss)
{
    __shared__ float part[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float d = predicted[i] - target[i], m = fabsf(d);
        if (m <= delta) {
            sum += 0.5f * d * d;
            gradient[i] = d / n;
        } else {
            sum += delta * (m - 0.5f * delta);
            gradient[i] = copysignf(delta, d) / n;
        }
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d >>= 1)
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (threadIdx.x == 0) atomicAdd(loss, sum / n);
    }
}

// --------------------------------------------------------------------------------------------------------------- genes

/* kmutate launch
   int reads = 60000, length = 150, states = 1 << 23; dim3 block = { 128 }; dim3 grid = { reads / 4 };
   unsigned char base[reads * length] = randint(0, 4); unsigned table[2 * states] = zeros();
   kmer_count_open_table(length, states - 1, base, table);
*/
// Words of twelve letters of each read, a warp to a read, counted in an open table with atomics on keys and on counts.
__global__ void kmer_count_open_table(int length, unsigned mask, const unsigned char *base, unsigned *table)
{
    const int read = blockIdx.x * 4 + (threadIdx.x >> 5);
    const unsigned char *b = base + (size_t)read * length;
    for (int i = threadIdx.x & 31; i + 12 <= length; i += 32) {
        unsigned fwd = 0, rev = 0;
        for (int k = 0; k < 12; k++) {
            unsigned c = b[i + k];
            fwd = fwd << 2 | c;
            rev = rev >> 2 | (3 - c) << 22;
        }
        unsigned word = min(fwd, rev) + 1;
        unsigned slot = word * 2654435761u >> 8 & mask;
        for (int tries = 0; tries < 64; tries++) {
            unsigned old = table[2 * slot];
            if (old == 0) old = atomicCAS(&table[2 * slot], 0u, word);
            if (old == 0 || old == word) {
                atomicAdd(&table[2 * slot + 1], 1u);
                break;
            }
            slot = (slot + 1) & mask;
        }
    }
}

/* kmutate launch
   int snps = 1024, words = 256; dim3 block = { 16, 16 }; dim3 grid = { snps / 16, snps / 16 };
   unsigned low[snps * words] = randint(0, 4294967296ll); unsigned high[snps * words] = randint(0, 4294967296ll);
   int table[snps * snps * 4] = zeros();
   epistasis_pair_counts(words, low, high, (int4 *)table);
*/
// Counts of pairs of genotypes over all pairs of markers: bit planes, tiles of 16 words, and four population counts a
// word.
__global__ void epistasis_pair_counts(int words, const unsigned *low, const unsigned *high, int4 *table)
{
    __shared__ unsigned al[16][17], ah[16][17], bl[16][17], bh[16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    const int a = blockIdx.y * 16 + y, b = blockIdx.x * 16 + x, b_row = blockIdx.x * 16 + y;
    int4 n = make_int4(0, 0, 0, 0);
    if (blockIdx.x < blockIdx.y) return;
    for (int w = 0; w < words; w += 16) {
        al[y][x] = low[a * words + w + x];
        ah[y][x] = high[a * words + w + x];
        bl[y][x] = low[b_row * words + w + x];
        bh[y][x] = high[b_row * words + w + x];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            unsigned p = al[y][k], q = ah[y][k], r = bl[x][k], s = bh[x][k];
            n.x += __popc(p & r);
            n.y += __popc(p & s);
            n.z += __popc(q & r);
            n.w += __popc(q & s);
        }
        __syncthreads();
    }
    table[a * 16 * gridDim.x + b] = n;
}

// ----------------------------------------------------------------------------------------- rays, lattices and elements

/* kmutate launch
   int width = 1600, height = 900, balls = 48; dim3 block = { 16, 8 }; dim3 grid = { width / 16, ceil_div(height, 8) };
   __constant__ float4 scene_ball[48] = uniform(0.3, 4);
   uchar4 image[width * height] = zeros();
   spheres_three_bounces(width, height, balls, image);
*/
// Rays among balls kept in constant memory: up to three mirror bounces, and a shadow ray at each hit.
__constant__ float4 scene_ball[48];

__device__ int nearest_ball(int balls, float3 o, float3 d, float &t)
{
    int which = -1;
    for (int i = 0; i < balls; i++) {
        float4 s = scene_ball[i];
        float x = s.x * 4.0f - 8.0f - o.x, y = s.y * 4.0f - 8.0f - o.y, z = s.z * 3.0f - o.z, r = 0.2f * s.w;
        float along = x * d.x + y * d.y + z * d.z;
        float off2 = x * x + y * y + z * z - along * along;
        if (along > 0 && off2 < r * r) {
            float hit = along - sqrtf(r * r - off2);
            if (hit > 1e-3f && hit < t) {
                t = hit;
                which = i;
            }
        }
    }
    return which;
}

__global__ void spheres_three_bounces(int width, int height, int balls, uchar4 *image)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float3 o = make_float3(0, 0, -6.0f);
    float3 d = make_float3((px - 0.5f * width) / height, (py - 0.5f * height) / height, 0.8f);
    float inv = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
    d = make_float3(d.x * inv, d.y * inv, d.z * inv);
    const float3 sun = make_float3(0.48f, 0.64f, -0.6f);
    float light = 0.0f, weight = 1.0f;
    for (int bounce = 0; bounce < 3; bounce++) {
        float t = 1e20f;
        int b = nearest_ball(balls, o, d, t);
        if (b < 0) {
            light += weight * (0.4f + 0.3f * d.y);
            break;
        }
        float4 s = scene_ball[b];
        float r = 1.0f / (0.2f * s.w);
        o = make_float3(o.x + t * d.x, o.y + t * d.y, o.z + t * d.z);
        float3 n = make_float3((o.x - s.x * 4.0f + 8.0f) * r, (o.y - s.y * 4.0f + 8.0f) * r, (o.z - s.z * 3.0f) * r);
        float lambert = n.x * sun.x + n.y * sun.y + n.z * sun.z;
        if (lambert > 0) {
            float far = 1e20f;
            if (nearest_ball(balls, o, sun, far) < 0) light += weight * 0.7f * lambert;
        }
        float dn = 2.0f * (d.x * n.x + d.y * n.y + d.z * n.z);
        d = make_float3(d.x - dn * n.x, d.y - dn * n.y, d.z - dn * n.z);
        weight *= 0.5f;
    }
    unsigned char grey = (unsigned char)(255.0f * __saturatef(light));
    image[py * width + px] = make_uchar4(grey, grey, grey, 255);
}

/* kmutate launch
   int nx = 192, ny = 160, nz = 128; dim3 block = { 192 }; dim3 grid = { ny, nz };
   float f[7 * nx * ny * nz] = uniform(0.1, 0.2); float g[7 * nx * ny * nz] = zeros();
   float3 velocity[nx * ny * nz] = uniform(-0.1, 0.1);
   lattice_d3q7_heat(nx, ny, nz, 1.1f, f, g, velocity);
*/
// Heat carried by a known flow on a lattice of seven directions: pull, relax, write; planes of each direction.
__global__ void lattice_d3q7_heat(int nx, int ny, int nz, float omega, const float *f, float *g, const float3 *velocity)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    const int all = nx * ny * nz, at = (z * ny + y) * nx + x;
    const int w = x == 0 ? nx - 1 : x - 1, e = x == nx - 1 ? 0 : x + 1;
    const int s = y == 0 ? ny - 1 : y - 1, n = y == ny - 1 ? 0 : y + 1;
    const int b = z == 0 ? nz - 1 : z - 1, t = z == nz - 1 ? 0 : z + 1;
    float v[7];
    v[0] = f[at];
    v[1] = f[all + (z * ny + y) * nx + w];
    v[2] = f[2 * all + (z * ny + y) * nx + e];
    v[3] = f[3 * all + (z * ny + s) * nx + x];
    v[4] = f[4 * all + (z * ny + n) * nx + x];
    v[5] = f[5 * all + (b * ny + y) * nx + x];
    v[6] = f[6 * all + (t * ny + y) * nx + x];
    float heat = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6];
    const float3 u = velocity[at];
    const float along[7] = { 0, u.x, -u.x, u.y, -u.y, u.z, -u.z };
    for (int q = 0; q < 7; q++) {
        float equal = (q == 0 ? 0.25f : 0.125f) * heat * (1.0f + 4.0f * along[q]);
        g[q * all + at] = v[q] + omega * (equal - v[q]);
    }
}

/* kmutate launch
   int elements = 300000, nodes = 310000; dim3 block = { 128 }; dim3 grid = { ceil_div(elements, 128) };
   int node[8 * elements] = randint(0, nodes); double K[300] = normal(); float stiff[elements] = uniform(0.5, 2);
   double u[3 * nodes] = normal(); double f[3 * nodes] = zeros();
   hexahedra_matrix_free(elements, node, K, stiff, u, f);
*/
// Forces of elements of eight corners by one matrix of 24 x 24 (its packed half), scattered with atomics on doubles.
__global__ void hexahedra_matrix_free(int elements, const int *node, const double *K, const float *stiff,
                                      const double *u, double *f)
{
    __shared__ double k[300];
    for (int i = threadIdx.x; i < 300; i += blockDim.x)
        k[i] = K[i];
    __syncthreads();
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elements) return;
    double v[24];
#pragma unroll
    for (int c = 0; c < 8; c++) {
        const int n = 3 * node[c * elements + e];
        v[3 * c] = u[n];
        v[3 * c + 1] = u[n + 1];
        v[3 * c + 2] = u[n + 2];
    }
    const double s = stiff[e];
#pragma unroll
    for (int i = 0; i < 24; i++) {
        double sum = 0;
#pragma unroll
        for (int j = 0; j < 24; j++)
            sum += k[i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i] * v[j];
        atomicAdd(&f[3 * node[(i / 3) * elements + e] + i % 3], s * sum);
    }
}

// ------------------------------------------------------------------------------------------------------------ geometry

/* kmutate launch
   int n = 24000, m = 20000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256), 8 };
   float3 a[n] = uniform(0, 10); float3 b[m] = uniform(0, 10); unsigned nearest[n] = fill(0x7f800000);
   hausdorff_shared_slices(n, m, a, b, nearest);
*/
// For each point of one set the nearest of the other: slices of that one by the grid's second dimension, tiles of 256.
__global__ void hausdorff_shared_slices(int n, int m, const float3 *a, const float3 *b, unsigned *nearest)
{
    __shared__ float3 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int each = (m + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * each, end = min(begin + each, m);
    const float3 p = a[min(i, n - 1)];
    float best = 3e38f;
    for (int t = begin; t < end; t += 256) {
        const int here = min(256, end - t);
        if (threadIdx.x < here) tile[threadIdx.x] = b[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < here; k++) {
            float dx = p.x - tile[k].x, dy = p.y - tile[k].y, dz = p.z - tile[k].z;
            best = fminf(best, dx * dx + dy * dy + dz * dz);
        }
        __syncthreads();
    }
    if (i < n) atomicMin(&nearest[i], __float_as_uint(best));
}

/* kmutate launch
   int faces = 1500000, points = 760000; dim3 block = { 256 }; dim3 grid = { ceil_div(faces, 256) };
   int3 face[faces] = randint(0, points); float point[3 * points] = normal(); float normals[3 * points] = zeros();
   vertex_normals_atomic(faces, face, point, normals);
*/
// Normals of a mesh's points: each triangle adds its own, weighted by its area, to three points.
__global__ void vertex_normals_atomic(int faces, const int3 *face, const float *point, float *normals)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= faces) return;
    int3 v = face[f];
    const float *a = point + 3 * v.x, *b = point + 3 * v.y, *c = point + 3 * v.z;
    float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
    float vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
    float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const int corner[3] = { v.x, v.y, v.z };
    for (int i = 0; i < 3; i++) {
        atomicAdd(&normals[3 * corner[i]], nx);
        atomicAdd(&normals[3 * corner[i] + 1], ny);
        atomicAdd(&normals[3 * corner[i] + 2], nz);
    }
}
