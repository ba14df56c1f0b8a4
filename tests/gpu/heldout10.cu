// The tenth set of kernels that nobody tuned the model of time for: solvers, lattices, molecules, pictures, networks, codes,
// tables and genomes, written from what is commonly known of the algorithms by someone who had seen neither the model nor its
// results (tests/gpu/heldout.py, docs/heldout.md).

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

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

// -------------------------------------------------------------------------------------------------------- linear algebra

/* kmutate launch
   int n = 8000000; dim3 block = { 256 }; dim3 grid = { 1056 };
   double w[n] = zeros(); double x[n] = uniform(-1, 1); double y[n] = uniform(-1, 1);
   waxpby_stride(n, 1.25, x, -0.5, y, w);
*/
// A sum of two scaled vectors of doubles in a loop with the stride of the grid.
__global__ void waxpby_stride(int n, double alpha, const double *x, double beta, const double *y, double *w)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        w[i] = alpha * x[i] + beta * y[i];
}

/* kmutate launch
   int m = 480, n = 512, k = 512; dim3 block = { 16, 16 }; dim3 grid = { ceil_div(n, 16), ceil_div(m, 16) };
   double2 C[m * n] = uniform(-1, 1); double2 A[m * k] = uniform(-1, 1); double2 B[k * n] = uniform(-1, 1);
   zgemm_naive(m, n, k, make_double2(1.0, 0.5), A, B, make_double2(0.25, -1.0), C);
*/
// A product of complex matrices in doubles, a thread to an element.
__global__ void zgemm_naive(int m, int n, int k, double2 alpha, const double2 *A, const double2 *B, double2 beta, double2 *C)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    double re = 0.0, im = 0.0;
    for (int l = 0; l < k; l++) {
        double2 a = A[row * k + l], b = B[l * n + column];
        re += a.x * b.x - a.y * b.y;
        im += a.x * b.y + a.y * b.x;
    }
    double2 c = C[row * n + column];
    C[row * n + column] = make_double2(alpha.x * re - alpha.y * im + beta.x * c.x - beta.y * c.y,
                                       alpha.x * im + alpha.y * re + beta.x * c.y + beta.y * c.x);
}

/* kmutate launch
   int m = 1536, n = 1408, k = 1024; dim3 block = { 256 }; dim3 grid = { n / 128, m / 128 };
   float C[m * n] = zeros(); float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1);
   sgemm_prefetch(C, A, B, n, k);
*/
// The product with tiles of 128 by 128, eight by eight results for a thread; the next tile waits in registers while this one is
// used, and two buffers of shared memory need one barrier for each step.
__global__ void __launch_bounds__(256, 2) sgemm_prefetch(float *C, const float *__restrict__ A, const float *__restrict__ B, int n, int k)
{
    __shared__ __align__(16) float a[2][8][132];
    __shared__ __align__(16) float b[2][8][128];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float *from_a = A + (size_t)(blockIdx.y * 128 + t / 2) * k + t % 2 * 4;
    const float *from_b = B + (size_t)(t / 32) * n + blockIdx.x * 128 + t % 32 * 4;
    float4 ra = *reinterpret_cast<const float4 *>(from_a), rb = *reinterpret_cast<const float4 *>(from_b);
    float acc[8][8] = { { 0.0f } };
    int buffer = 0;
    for (int k0 = 0;; buffer ^= 1) {
        a[buffer][t % 2 * 4 + 0][t / 2] = ra.x;
        a[buffer][t % 2 * 4 + 1][t / 2] = ra.y;
        a[buffer][t % 2 * 4 + 2][t / 2] = ra.z;
        a[buffer][t % 2 * 4 + 3][t / 2] = ra.w;
        *reinterpret_cast<float4 *>(&b[buffer][t / 32][t % 32 * 4]) = rb;
        __syncthreads();
        k0 += 8;
        if (k0 < k) {
            ra = *reinterpret_cast<const float4 *>(from_a + k0);
            rb = *reinterpret_cast<const float4 *>(from_b + (size_t)k0 * n);
        }
#pragma unroll
        for (int kk = 0; kk < 8; kk++) {
            float u[8], v[8];
            *reinterpret_cast<float4 *>(u) = *reinterpret_cast<const float4 *>(&a[buffer][kk][ty * 4]);
            *reinterpret_cast<float4 *>(u + 4) = *reinterpret_cast<const float4 *>(&a[buffer][kk][64 + ty * 4]);
            *reinterpret_cast<float4 *>(v) = *reinterpret_cast<const float4 *>(&b[buffer][kk][tx * 4]);
            *reinterpret_cast<float4 *>(v + 4) = *reinterpret_cast<const float4 *>(&b[buffer][kk][64 + tx * 4]);
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] += u[i] * v[j];
        }
        if (k0 >= k) break;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float *row = C + (size_t)(blockIdx.y * 128 + i / 4 * 64 + ty * 4 + i % 4) * n + blockIdx.x * 128 + tx * 4;
        *reinterpret_cast<float4 *>(row) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4 *>(row + 64) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
    }
}

/* kmutate launch
   int m = 1024, n = 1152, k = 768; dim3 block = { 16, 16 }; dim3 grid = { n / 64, m / 64 };
   double C[m * n] = zeros(); double A[m * k] = uniform(-1, 1); double B[k * n] = uniform(-1, 1);
   dgemm_async_stages(C, A, B, n, k);
*/
// Doubles in tiles of 64 by 64, which come by asynchronous copies a step ahead.
__global__ void __launch_bounds__(256) dgemm_async_stages(double *C, const double *A, const double *B, int n, int k)
{
    __shared__ __align__(16) double a[2][64][18];
    __shared__ __align__(16) double b[2][16][64];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const double *from_a = A + (size_t)(blockIdx.y * 64 + t / 4) * k + t % 4 * 4;
    const double *from_b = B + (size_t)(t / 16) * n + blockIdx.x * 64 + t % 16 * 4;
    auto fetch = [&](int stage, int k0) {
        __pipeline_memcpy_async(&a[stage][t / 4][t % 4 * 4], from_a + k0, 16);
        __pipeline_memcpy_async(&a[stage][t / 4][t % 4 * 4 + 2], from_a + k0 + 2, 16);
        __pipeline_memcpy_async(&b[stage][t / 16][t % 16 * 4], from_b + (size_t)k0 * n, 16);
        __pipeline_memcpy_async(&b[stage][t / 16][t % 16 * 4 + 2], from_b + (size_t)k0 * n + 2, 16);
    };
    double acc[4][4] = { { 0.0 } };
    fetch(0, 0);
    __pipeline_commit();
    for (int k0 = 0; k0 < k; k0 += 16) {
        const int stage = k0 / 16 & 1;
        if (k0 + 16 < k) fetch(stage ^ 1, k0 + 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk++) {
            const double2 left = *reinterpret_cast<const double2 *>(&b[stage][kk][tx * 2]), right = *reinterpret_cast<const double2 *>(&b[stage][kk][32 + tx * 2]);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const double u = a[stage][ty + 16 * i][kk];
                acc[i][0] += u * left.x;
                acc[i][1] += u * left.y;
                acc[i][2] += u * right.x;
                acc[i][3] += u * right.y;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        double *row = C + (size_t)(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64 + tx * 2;
        *reinterpret_cast<double2 *>(row) = make_double2(acc[i][0], acc[i][1]);
        *reinterpret_cast<double2 *>(row + 32) = make_double2(acc[i][2], acc[i][3]);
    }
}

/* kmutate launch
   int blocks = 420000; dim3 block = { 128 }; dim3 grid = { ceil_div(blocks * 8, 128) };
   float z[blocks * 8] = zeros(); float4 inverse[blocks * 16] = uniform(-1, 1); float r[blocks * 8] = uniform(-1, 1);
   block_jacobi_tiles(z, inverse, r, blocks, 0.8f);
*/
// The preconditioner of inverted diagonal blocks of eight by eight: a tile of eight lanes for each, a row for each lane.
__global__ void block_jacobi_tiles(float *__restrict__ z, const float4 *__restrict__ inverse, const float *__restrict__ r, int blocks, float omega)
{
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row / 8 >= blocks) return;
    const float4 a = inverse[2 * (size_t)row], b = inverse[2 * (size_t)row + 1];
    const float mine = r[row];
    float sum = a.x * tile.shfl(mine, 0);
    sum += a.y * tile.shfl(mine, 1);
    sum += a.z * tile.shfl(mine, 2);
    sum += a.w * tile.shfl(mine, 3);
    sum += b.x * tile.shfl(mine, 4);
    sum += b.y * tile.shfl(mine, 5);
    sum += b.z * tile.shfl(mine, 6);
    sum += b.w * tile.shfl(mine, 7);
    z[row] = omega * sum;
}

/* kmutate launch
   int rows = 640000, lo = 3, hi = 15; dim3 block = { 256 }; dim3 grid = { ceil_div(rows, 64) };
   int nnz = csr_nnz(rows, lo, hi);
   float y[rows] = zeros(); int start[rows + 1] = csr_rowptr(rows, lo, hi); int column[nnz] = csr_colidx(rows); float value[nnz] = uniform(-1, 1); float x[rows] = uniform(-1, 1);
   spmv_stream_shared(y, start, column, value, x, rows);
*/
// A block has 64 short rows: all their products go to shared memory side by side, then four lanes add up each row.
__global__ void spmv_stream_shared(float *__restrict__ y, const int *__restrict__ start, const int *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x, int rows)
{
    __shared__ float products[64 * 16];
    __shared__ int starts[65];
    const int row0 = blockIdx.x * 64, t = threadIdx.x;
    if (t <= 64) starts[t] = start[min(row0 + t, rows)];
    __syncthreads();
    const int first = starts[0], count = min(starts[64] - first, 64 * 16);
    for (int i = t; i < count; i += 256)
        products[i] = value[first + i] * x[column[first + i]];
    __syncthreads();
    const int row = t / 4;
    float sum = 0.0f;
    for (int i = starts[row] - first + t % 4; i < starts[row + 1] - first; i += 4)
        sum += products[i];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if (t % 4 == 0 && row0 + row < rows) y[row0 + row] = sum;
}

/* kmutate launch
   int batch = 1200; dim3 block = { 512 }; dim3 grid = { batch };
   float sigma[batch * 32] = zeros(); float matrix[batch * 2048] = uniform(-1, 1);
   svd_sweep_block(sigma, matrix, 3);
*/
// Singular values of matrices of 64 by 32 by Jacobi's rotations from one side: sixteen warps turn sixteen pairs of columns at a
// time, and the pairs change as in a tournament.
__global__ void __launch_bounds__(512) svd_sweep_block(float *sigma, float *matrix, int sweeps)
{
    __shared__ float m[32][64];
    float *mine = matrix + (size_t)blockIdx.x * 2048;
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int i = threadIdx.x; i < 2048; i += 512)
        m[i / 64][i % 64] = mine[i];
    __syncthreads();
    for (int s = 0; s < sweeps; s++)
        for (int round = 0; round < 31; round++) {
            const int p = w == 0 ? 31 : (round + w) % 31, q = (round + 31 - w) % 31;
            const float x0 = m[p][lane], x1 = m[p][lane + 32], y0 = m[q][lane], y1 = m[q][lane + 32];
            float alpha = x0 * x0 + x1 * x1, beta = y0 * y0 + y1 * y1, gamma = x0 * y0 + x1 * y1;
#pragma unroll
            for (int d = 16; d > 0; d >>= 1) {
                alpha += __shfl_xor_sync(0xffffffffu, alpha, d);
                beta += __shfl_xor_sync(0xffffffffu, beta, d);
                gamma += __shfl_xor_sync(0xffffffffu, gamma, d);
            }
            if (fabsf(gamma) > 1e-7f * sqrtf(alpha * beta)) {
                const float zeta = (beta - alpha) / (2.0f * gamma);
                const float tangent = copysignf(1.0f, zeta) / (fabsf(zeta) + sqrtf(1.0f + zeta * zeta));
                const float cosine = rsqrtf(1.0f + tangent * tangent), sine = cosine * tangent;
                m[p][lane] = cosine * x0 - sine * y0;
                m[p][lane + 32] = cosine * x1 - sine * y1;
                m[q][lane] = sine * x0 + cosine * y0;
                m[q][lane + 32] = sine * x1 + cosine * y1;
            }
            __syncthreads();
        }
    for (int c = w; c < 32; c += 16) {
        float norm = m[c][lane] * m[c][lane] + m[c][lane + 32] * m[c][lane + 32];
        for (int d = 16; d > 0; d >>= 1)
            norm += __shfl_xor_sync(0xffffffffu, norm, d);
        if (lane == 0) sigma[blockIdx.x * 32 + c] = sqrtf(norm);
    }
    for (int i = threadIdx.x; i < 2048; i += 512)
        mine[i] = m[i / 64][i % 64];
}

/* kmutate launch
   int rows = 48000, inner = 40000, columns = 60000, lo = 2, hi = 12; dim3 block = { 128 }; dim3 grid = { ceil_div(rows, 4) };
   int nnz_a = csr_nnz(rows, lo, hi);
   int count[rows] = zeros(); int out_column[rows * 144] = zeros(); float out_value[rows * 144] = zeros();
   int start_a[rows + 1] = csr_rowptr(rows, lo, hi); int column_a[nnz_a] = csr_colidx(inner); float value_a[nnz_a] = uniform(-1, 1);
   int nnz_b = csr_nnz(inner, lo, hi);
   int start_b[inner + 1] = csr_rowptr(inner, lo, hi); int column_b[nnz_b] = csr_colidx(columns); float value_b[nnz_b] = uniform(-1, 1);
   spgemm_hash_shared(count, out_column, out_value, start_a, column_a, value_a, start_b, column_b, value_b, rows);
*/
// A product of sparse matrices: a warp has a row and gathers its entries in a hash table in shared memory.
__global__ void __launch_bounds__(128) spgemm_hash_shared(int *count, int *out_column, float *out_value, const int *start_a, const int *column_a, const float *value_a, const int *start_b,
                                                         const int *column_b, const float *value_b, int rows)
{
    __shared__ int keys[4][256];
    __shared__ float sums[4][256];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, row = blockIdx.x * 4 + w;
    if (row >= rows) return;
    for (int i = lane; i < 256; i += 32) {
        keys[w][i] = -1;
        sums[w][i] = 0.0f;
    }
    __syncwarp();
    const int half_warp = lane >> 4, place = lane & 15, end_a = start_a[row + 1];
    for (int ka = start_a[row] + half_warp; ka < end_a; ka += 2) {
        const int inner = column_a[ka], end_b = start_b[inner + 1];
        const float a = value_a[ka];
        for (int kb = start_b[inner] + place; kb < end_b; kb += 16) {
            const int key = column_b[kb];
            unsigned slot = (unsigned)key * 0x9e3779b1u >> 24;
            for (;;) {
                const int seen = atomicCAS(&keys[w][slot], -1, key);
                if (seen == -1 || seen == key) break;
                slot = (slot + 1) & 255;
            }
            atomicAdd(&sums[w][slot], a * value_b[kb]);
        }
    }
    __syncwarp();
    int filled = 0;
    for (int i = lane; i < 256; i += 32) {
        const int key = keys[w][i];
        const unsigned votes = __ballot_sync(0xffffffffu, key >= 0);
        const int at = filled + __popc(votes & ((1u << lane) - 1));
        if (key >= 0 && at < 144) {
            out_column[(size_t)row * 144 + at] = key;
            out_value[(size_t)row * 144 + at] = sums[w][i];
        }
        filled += __popc(votes);
    }
    if (lane == 0) count[row] = filled;
}

/* kmutate launch
   int nx = 160, ny = 160, nz = 160, cells = nx * ny * nz / 8; dim3 block = { 128 }; dim3 grid = { ceil_div(cells, 128) };
   double x[nx * ny * nz] = uniform(0, 1); double value[27 * cells] = uniform(-1, 0); double diagonal[cells] = uniform(26, 28); double b[nx * ny * nz] = uniform(-1, 1);
   symgs_color(x, value, diagonal, b, nx, ny, nz, 5);
*/
// One of the eight colours of a Gauss-Seidel sweep with 27 neighbours in doubles: coefficients side by side, the unknowns two apart.
__global__ void symgs_color(double *x, const double *value, const double *diagonal, const double *b, int nx, int ny, int nz, int color)
{
    int hx = nx / 2, hy = ny / 2, cells = hx * hy * (nz / 2);
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;
    int i = cell % hx * 2 + (color & 1), j = cell / hx % hy * 2 + (color >> 1 & 1), k = cell / (hx * hy) * 2 + (color >> 2);
    int row = (k * ny + j) * nx + i;
    double sum = b[row];
    int entry = 0;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++)
            for (int di = -1; di <= 1; di++, entry++) {
                if (di == 0 && dj == 0 && dk == 0) continue;
                if (i + di < 0 || i + di >= nx || j + dj < 0 || j + dj >= ny || k + dk < 0 || k + dk >= nz) continue;
                sum -= value[(size_t)entry * cells + cell] * x[row + (dk * ny + dj) * nx + di];
            }
    x[row] = sum / diagonal[cell];
}

// ---------------------------------------------------------------------------------------------------- fields and lattices

/* kmutate launch
   int nx = 2560, ny = 2048; dim3 block = { 64, 4 }; dim3 grid = { nx / 64, ny / 4 };
   double w[(nx + 2) * (ny + 2)] = zeros(); double partial[grid.x * grid.y] = zeros(); double p[(nx + 2) * (ny + 2)] = uniform(-1, 1);
   double kx[(nx + 2) * (ny + 2)] = uniform(0, 1); double ky[(nx + 2) * (ny + 2)] = uniform(0, 1);
   tea_cg_dot(w, partial, p, kx, ky, nx, 0.1, 0.2);
*/
// The operator of heat conduction with coefficients on the faces, and the product of the direction and the result with it.
__global__ void tea_cg_dot(double *__restrict__ w, double *__restrict__ partial, const double *__restrict__ p, const double *__restrict__ kx, const double *__restrict__ ky, int nx, double rx, double ry)
{
    __shared__ double parts[8];
    const int pitch = nx + 2, t = threadIdx.y * 64 + threadIdx.x;
    const int i = (blockIdx.y * 4 + threadIdx.y + 1) * pitch + blockIdx.x * 64 + threadIdx.x + 1;
    const double left = kx[i], right = kx[i + 1], below = ky[i], above = ky[i + pitch], centre = p[i];
    const double result = (1.0 + ry * (above + below) + rx * (right + left)) * centre - ry * (above * p[i + pitch] + below * p[i - pitch]) - rx * (right * p[i + 1] + left * p[i - 1]);
    w[i] = result;
    double dot = result * centre;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        dot += __shfl_down_sync(0xffffffffu, dot, d);
    if ((t & 31) == 0) parts[t >> 5] = dot;
    __syncthreads();
    if (t < 8) {
        dot = parts[t];
        for (int d = 4; d > 0; d >>= 1)
            dot += __shfl_down_sync(0xffu, dot, d);
        if (t == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = dot;
    }
}

/* kmutate launch
   int nx = 100, plane = nx * nx, n = nx * nx * nx, padded = n + 2 * plane; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   double qq[n] = zeros(); double ql[n] = zeros(); double delv_xi[padded] = uniform(-1, 0.2); double delv_eta[padded] = uniform(-1, 0.2); double delv_zeta[padded] = uniform(-1, 0.2);
   double delx_xi[n] = uniform(0.1, 0.2); double delx_eta[n] = uniform(0.1, 0.2); double delx_zeta[n] = uniform(0.1, 0.2);
   int lxim[n] = iota(plane - 1); int lxip[n] = iota(plane + 1); int letam[n] = iota(plane - nx); int letap[n] = iota(plane + nx); int lzetam[n] = iota(0); int lzetap[n] = iota(2 * plane);
   int boundary[n] = zeros(); double mass[n] = uniform(1, 2); double volo[n] = uniform(1, 2); double vnew[n] = uniform(0.9, 1.1); double vdov[n] = uniform(-1, 0.3);
   monotonic_q(qq, ql, delv_xi, delv_eta, delv_zeta, delx_xi, delx_eta, delx_zeta, lxim, lxip, letam, letap, lzetam, lzetap, boundary, mass, volo, vnew, vdov, n, plane);
*/
// Artificial viscosity with limiters on an unstructured list of hexahedra: neighbours by index, many arrays, divisions of doubles.
__device__ double limited_slope(double here, double before, double after)
{
    double norm = 1.0 / (here + 1e-36), a = before * norm, b = after * norm, phi = 0.5 * (a + b);
    a *= 2.0;
    b *= 2.0;
    if (a < phi) phi = a;
    if (b < phi) phi = b;
    if (phi < 0.0) phi = 0.0;
    if (phi > 1.0) phi = 1.0;
    return phi;
}

__global__ void monotonic_q(double *qq, double *ql, const double *delv_xi, const double *delv_eta, const double *delv_zeta, const double *delx_xi, const double *delx_eta, const double *delx_zeta,
                            const int *lxim, const int *lxip, const int *letam, const int *letap, const int *lzetam, const int *lzetap, const int *boundary, const double *mass,
                            const double *volo, const double *vnew, const double *vdov, int n, int plane)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bc = boundary[i];
    double vx = delv_xi[i + plane], ve = delv_eta[i + plane], vz = delv_zeta[i + plane];
    double phi_xi = limited_slope(vx, bc & 1 ? vx : bc & 2 ? 0.0 : delv_xi[lxim[i]], bc & 4 ? vx : bc & 8 ? 0.0 : delv_xi[lxip[i]]);
    double phi_eta = limited_slope(ve, bc & 16 ? ve : bc & 32 ? 0.0 : delv_eta[letam[i]], bc & 64 ? ve : bc & 128 ? 0.0 : delv_eta[letap[i]]);
    double phi_zeta = limited_slope(vz, bc & 256 ? vz : bc & 512 ? 0.0 : delv_zeta[lzetam[i]], bc & 1024 ? vz : bc & 2048 ? 0.0 : delv_zeta[lzetap[i]]);
    double linear = 0.0, quadratic = 0.0;
    if (vdov[i] <= 0.0) {
        double ax = vx * delx_xi[i], ae = ve * delx_eta[i], az = vz * delx_zeta[i];
        if (ax > 0.0) ax = 0.0;
        if (ae > 0.0) ae = 0.0;
        if (az > 0.0) az = 0.0;
        double rho = mass[i] / (volo[i] * vnew[i]);
        linear = -0.5 * rho * (ax * (1.0 - phi_xi) + ae * (1.0 - phi_eta) + az * (1.0 - phi_zeta));
        quadratic = 2.0 / 3.0 * rho * (ax * ax * (1.0 - phi_xi * phi_xi) + ae * ae * (1.0 - phi_eta * phi_eta) + az * az * (1.0 - phi_zeta * phi_zeta));
    }
    qq[i] = quadratic;
    ql[i] = linear;
}

/* kmutate launch
   int nx = 196, ny = 164, nz = 132, n = nx * ny * nz; dim3 block = { 32, 8 }; dim3 grid = { (nx - 4) / 32, (ny - 4) / 8, 4 };
   float vx[n] = uniform(-1, 1); float vy[n] = uniform(-1, 1); float vz[n] = uniform(-1, 1); float sxx[n] = normal(); float syy[n] = normal(); float szz[n] = normal();
   float sxy[n] = normal(); float sxz[n] = normal(); float syz[n] = normal(); float buoyancy[n] = uniform(0.3, 0.5);
   elastic_velocity(vx, vy, vz, sxx, syy, szz, sxy, sxz, syz, buoyancy, nx, ny, 32, 0.01f);
*/
// Velocities of an elastic medium on a staggered grid of fourth order: a block walks along z with what it needs again in registers.
__global__ void __launch_bounds__(256) elastic_velocity(float *__restrict__ vx, float *__restrict__ vy, float *__restrict__ vz, const float *__restrict__ sxx, const float *__restrict__ syy,
                                                        const float *__restrict__ szz, const float *__restrict__ sxy, const float *__restrict__ sxz, const float *__restrict__ syz,
                                                        const float *__restrict__ buoyancy, int nx, int ny, int layers, float dt)
{
    const float c1 = 1.125f, c2 = -1.0f / 24.0f;
    const int slab = nx * ny;
    int at = (blockIdx.z * layers + 2) * slab + (blockIdx.y * 8 + threadIdx.y + 2) * nx + blockIdx.x * 32 + threadIdx.x + 2;
    float xz0, xz1 = sxz[at - 2 * slab], xz2 = sxz[at - slab], xz3 = sxz[at];
    float yz0, yz1 = syz[at - 2 * slab], yz2 = syz[at - slab], yz3 = syz[at];
    float zz0, zz1 = szz[at - slab], zz2 = szz[at], zz3 = szz[at + slab];
    for (int k = 0; k < layers; k++, at += slab) {
        xz0 = xz1; xz1 = xz2; xz2 = xz3; xz3 = sxz[at + slab];
        yz0 = yz1; yz1 = yz2; yz2 = yz3; yz3 = syz[at + slab];
        zz0 = zz1; zz1 = zz2; zz2 = zz3; zz3 = szz[at + 2 * slab];
        const float scale = dt * buoyancy[at];
        const float fx = c1 * (sxx[at + 1] - sxx[at]) + c2 * (sxx[at + 2] - sxx[at - 1]) + c1 * (sxy[at] - sxy[at - nx]) + c2 * (sxy[at + nx] - sxy[at - 2 * nx]) + c1 * (xz2 - xz1) + c2 * (xz3 - xz0);
        const float fy = c1 * (sxy[at] - sxy[at - 1]) + c2 * (sxy[at + 1] - sxy[at - 2]) + c1 * (syy[at + nx] - syy[at]) + c2 * (syy[at + 2 * nx] - syy[at - nx]) + c1 * (yz2 - yz1) + c2 * (yz3 - yz0);
        const float fz = c1 * (xz2 - sxz[at - 1]) + c2 * (sxz[at + 1] - sxz[at - 2]) + c1 * (yz2 - syz[at - nx]) + c2 * (syz[at + nx] - syz[at - 2 * nx]) + c1 * (zz2 - zz1) + c2 * (zz3 - zz0);
        vx[at] += scale * fx;
        vy[at] += scale * fy;
        vz[at] += scale * fz;
    }
}

/* kmutate launch
   int nx = 2800, ny = 2400; dim3 block = { 16, 16 }; dim3 grid = { ceil_div(nx, 16), ceil_div(ny, 16) };
   float epsilon[nx * ny] = zeros(); float ax[nx * ny] = zeros(); float ay[nx * ny] = zeros(); float laplacian[nx * ny] = zeros(); float phi[nx * ny] = uniform(0, 1);
   dendrite_angles(epsilon, ax, ay, laplacian, phi, nx, ny, 33.3f);
*/
// Growth of crystals: the direction of the gradient by arc tangent, and the anisotropy by cosine and sine of six times the angle.
__global__ void dendrite_angles(float *epsilon, float *ax, float *ay, float *laplacian, const float *phi, int nx, int ny, float inverse_h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    int e = (i + 1) % nx, w = (i + nx - 1) % nx, n = (j + 1) % ny, s = (j + ny - 1) % ny;
    float here = phi[j * nx + i];
    float gx = 0.5f * (phi[j * nx + e] - phi[j * nx + w]) * inverse_h, gy = 0.5f * (phi[n * nx + i] - phi[s * nx + i]) * inverse_h;
    float around = phi[j * nx + e] + phi[j * nx + w] + phi[n * nx + i] + phi[s * nx + i];
    float corners = phi[n * nx + e] + phi[n * nx + w] + phi[s * nx + e] + phi[s * nx + w];
    float theta = atan2f(gy, gx);
    float eps = 0.01f * (1.0f + 0.02f * cosf(6.0f * (theta - 0.2f))), slope = -0.01f * 6.0f * 0.02f * sinf(6.0f * (theta - 0.2f));
    epsilon[j * nx + i] = eps * eps;
    ax[j * nx + i] = eps * slope * gx;
    ay[j * nx + i] = eps * slope * gy;
    laplacian[j * nx + i] = (2.0f * around + corners - 12.0f * here) / 3.0f * inverse_h * inverse_h;
}

/* kmutate launch
   int n = 2400000; dim3 block = { 128 }; dim3 grid = { ceil_div(n - 1, 128) };
   float flux[8 * n] = zeros(); float w[8 * n] = uniform(0.5, 1.5);
   mhd_hlle_faces(flux, w, n, 1.6666667f, 0.7f);
*/
// Fluxes of ideal magnetohydrodynamics between cells along x by the scheme of HLL: fast speeds, roots, divisions, eight fields.
__global__ void mhd_hlle_faces(float *flux, const float *w, int n, float gamma, float bx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    float u[2][8], f[2][8], slow = 0.0f, fast = 0.0f;
    for (int side = 0; side < 2; side++) {
        float rho = w[i + side], vx = w[n + i + side] - 1.0f, vy = w[2 * n + i + side] - 1.0f, vz = w[3 * n + i + side] - 1.0f;
        float p = w[4 * n + i + side], by = w[5 * n + i + side], bz = w[6 * n + i + side], tracer = w[7 * n + i + side];
        float b2 = bx * bx + by * by + bz * bz, a2 = gamma * p / rho, sum = a2 + b2 / rho;
        float speed = sqrtf(0.5f * (sum + sqrtf(fmaxf(sum * sum - 4.0f * a2 * bx * bx / rho, 0.0f))));
        float energy = p / (gamma - 1.0f) + 0.5f * rho * (vx * vx + vy * vy + vz * vz) + 0.5f * b2, total = p + 0.5f * b2;
        u[side][0] = rho; u[side][1] = rho * vx; u[side][2] = rho * vy; u[side][3] = rho * vz;
        u[side][4] = energy; u[side][5] = by; u[side][6] = bz; u[side][7] = rho * tracer;
        f[side][0] = rho * vx;
        f[side][1] = rho * vx * vx + total - bx * bx;
        f[side][2] = rho * vx * vy - bx * by;
        f[side][3] = rho * vx * vz - bx * bz;
        f[side][4] = (energy + total) * vx - bx * (vx * bx + vy * by + vz * bz);
        f[side][5] = by * vx - bx * vy;
        f[side][6] = bz * vx - bx * vz;
        f[side][7] = rho * vx * tracer;
        slow = fminf(slow, vx - speed);
        fast = fmaxf(fast, vx + speed);
    }
    for (int c = 0; c < 8; c++)
        flux[(size_t)c * n + i] = (fast * f[0][c] - slow * f[1][c] + fast * slow * (u[1][c] - u[0][c])) / (fast - slow);
}

/* kmutate launch
   int particles = 400000, side = 128; dim3 block = { 256 }; dim3 grid = { ceil_div(particles, 256) };
   float x[particles] = uniform(4, 124); float y[particles] = uniform(4, 124); float z[particles] = uniform(4, 124); float4 velocity[side * side * side] = normal();
   lagrangian_tracers(x, y, z, velocity, particles, side, 4, 0.25f);
*/
// Particles carried by a flow: four stages of Runge and Kutta, each with the eight corners of the cell that the particle is in.
__device__ float3 flow_at(const float4 *velocity, int side, float x, float y, float z)
{
    float limit = side - 1.001f;
    x = fminf(fmaxf(x, 0.0f), limit);
    y = fminf(fmaxf(y, 0.0f), limit);
    z = fminf(fmaxf(z, 0.0f), limit);
    int i = (int)x, j = (int)y, k = (int)z;
    float fx = x - i, fy = y - j, fz = z - k;
    float3 v = make_float3(0.0f, 0.0f, 0.0f);
    for (int c = 0; c < 8; c++) {
        float weight = (c & 1 ? fx : 1.0f - fx) * (c & 2 ? fy : 1.0f - fy) * (c & 4 ? fz : 1.0f - fz);
        float4 u = velocity[((k + (c >> 2)) * side + j + (c >> 1 & 1)) * side + i + (c & 1)];
        v.x += weight * u.x;
        v.y += weight * u.y;
        v.z += weight * u.z;
    }
    return v;
}

__global__ void lagrangian_tracers(float *x, float *y, float *z, const float4 *velocity, int particles, int side, int steps, float dt)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= particles) return;
    float px = x[p], py = y[p], pz = z[p];
    for (int s = 0; s < steps; s++) {
        float3 a = flow_at(velocity, side, px, py, pz);
        float3 b = flow_at(velocity, side, px + 0.5f * dt * a.x, py + 0.5f * dt * a.y, pz + 0.5f * dt * a.z);
        float3 c = flow_at(velocity, side, px + 0.5f * dt * b.x, py + 0.5f * dt * b.y, pz + 0.5f * dt * b.z);
        float3 d = flow_at(velocity, side, px + dt * c.x, py + dt * c.y, pz + dt * c.z);
        px += dt / 6.0f * (a.x + 2.0f * (b.x + c.x) + d.x);
        py += dt / 6.0f * (a.y + 2.0f * (b.y + c.y) + d.y);
        pz += dt / 6.0f * (a.z + 2.0f * (b.z + c.z) + d.z);
    }
    x[p] = px;
    y[p] = py;
    z[p] = pz;
}

/* kmutate launch
   int lx = 24, lt = 32, volume = lx * lx * lx * lt; dim3 block = { 128 }; dim3 grid = { volume / 128 };
   float2 out[12 * volume] = zeros(); float2 links[36 * volume] = uniform(-0.6, 0.6); float2 psi[12 * volume] = normal();
   wilson_dslash(out, links, psi, lx, lt);
*/
// The hopping term of Wilson's fermions: in eight directions a spinor is halved, multiplied by a link, and put together again.
__device__ __forceinline__ void hop_multiply(float2 (&g)[2][3], float2 (&h)[2][3], const float2 *links, int volume, int site, bool dagger)
{
#pragma unroll
    for (int s = 0; s < 2; s++)
#pragma unroll
        for (int r = 0; r < 3; r++)
            g[s][r] = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int r = 0; r < 3; r++)
#pragma unroll
        for (int c = 0; c < 3; c++) {
            float2 u = links[(size_t)(dagger ? c * 3 + r : r * 3 + c) * volume + site];
            if (dagger) u.y = -u.y;
#pragma unroll
            for (int s = 0; s < 2; s++) {
                g[s][r].x += u.x * h[s][c].x - u.y * h[s][c].y;
                g[s][r].y += u.x * h[s][c].y + u.y * h[s][c].x;
            }
        }
}

// a + f * b, where f is a sign in the real or in the imaginary direction.
__device__ __forceinline__ float2 add_real(float2 a, float f, float2 b) { return make_float2(a.x + f * b.x, a.y + f * b.y); }
__device__ __forceinline__ float2 add_imaginary(float2 a, float f, float2 b) { return make_float2(a.x - f * b.y, a.y + f * b.x); }

template <int mu>
__device__ __forceinline__ void hop_one(float2 (&sum)[4][3], const float2 *links, const float2 *psi, int volume, int neighbour, int link_site, float sign)
{
    float2 h[2][3], g[2][3];
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const float2 a = psi[(size_t)c * volume + neighbour], b = psi[(size_t)(3 + c) * volume + neighbour], d = psi[(size_t)(6 + c) * volume + neighbour], e = psi[(size_t)(9 + c) * volume + neighbour];
        if (mu == 0) { h[0][c] = add_imaginary(a, sign, e); h[1][c] = add_imaginary(b, sign, d); }
        if (mu == 1) { h[0][c] = add_real(a, -sign, e); h[1][c] = add_real(b, sign, d); }
        if (mu == 2) { h[0][c] = add_imaginary(a, sign, d); h[1][c] = add_imaginary(b, -sign, e); }
        if (mu == 3) { h[0][c] = add_real(a, sign, d); h[1][c] = add_real(b, sign, e); }
    }
    hop_multiply(g, h, links + (size_t)mu * 9 * volume, volume, link_site, sign < 0.0f);
#pragma unroll
    for (int c = 0; c < 3; c++) {
        sum[0][c] = add_real(sum[0][c], 1.0f, g[0][c]);
        sum[1][c] = add_real(sum[1][c], 1.0f, g[1][c]);
        if (mu == 0) { sum[2][c] = add_imaginary(sum[2][c], -sign, g[1][c]); sum[3][c] = add_imaginary(sum[3][c], -sign, g[0][c]); }
        if (mu == 1) { sum[2][c] = add_real(sum[2][c], sign, g[1][c]); sum[3][c] = add_real(sum[3][c], -sign, g[0][c]); }
        if (mu == 2) { sum[2][c] = add_imaginary(sum[2][c], -sign, g[0][c]); sum[3][c] = add_imaginary(sum[3][c], sign, g[1][c]); }
        if (mu == 3) { sum[2][c] = add_real(sum[2][c], sign, g[0][c]); sum[3][c] = add_real(sum[3][c], sign, g[1][c]); }
    }
}

__global__ void __launch_bounds__(128) wilson_dslash(float2 *__restrict__ out, const float2 *__restrict__ links, const float2 *__restrict__ psi, int lx, int lt)
{
    const int volume = lx * lx * lx * lt, site = blockIdx.x * blockDim.x + threadIdx.x;
    if (site >= volume) return;
    const int x = site % lx, y = site / lx % lx, z = site / (lx * lx) % lx, t = site / (lx * lx * lx), area = lx * lx, space = area * lx;
    float2 sum[4][3];
#pragma unroll
    for (int s = 0; s < 12; s++)
        sum[s / 3][s % 3] = make_float2(0.0f, 0.0f);
    int there = x + 1 == lx ? site + 1 - lx : site + 1;
    hop_one<0>(sum, links, psi, volume, there, site, 1.0f);
    there = x == 0 ? site - 1 + lx : site - 1;
    hop_one<0>(sum, links, psi, volume, there, there, -1.0f);
    there = y + 1 == lx ? site + lx - area : site + lx;
    hop_one<1>(sum, links, psi, volume, there, site, 1.0f);
    there = y == 0 ? site - lx + area : site - lx;
    hop_one<1>(sum, links, psi, volume, there, there, -1.0f);
    there = z + 1 == lx ? site + area - space : site + area;
    hop_one<2>(sum, links, psi, volume, there, site, 1.0f);
    there = z == 0 ? site - area + space : site - area;
    hop_one<2>(sum, links, psi, volume, there, there, -1.0f);
    there = t + 1 == lt ? site + space - volume : site + space;
    hop_one<3>(sum, links, psi, volume, there, site, 1.0f);
    there = t == 0 ? site - space + volume : site - space;
    hop_one<3>(sum, links, psi, volume, there, there, -1.0f);
#pragma unroll
    for (int s = 0; s < 12; s++)
        out[(size_t)s * volume + site] = sum[s / 3][s % 3];
}

/* kmutate launch
   int qubits = 24; dim3 block = { 256 }; dim3 grid = { (1 << (qubits - 2)) / 256 };
   extern float2 c_gate[16] = uniform(-0.7, 0.7);
   float2 state[1 << qubits] = uniform(-1, 1);
   qubit_gate_two(state, 3, 17);
*/
// A gate of two qubits on a vector of states, in place: four amplitudes for each thread, the gate in constant memory.
__constant__ float2 c_gate[16];

__global__ void qubit_gate_two(float2 *state, int low, int high)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned base = (t >> low << (low + 1)) | (t & ((1u << low) - 1));
    base = (base >> high << (high + 1)) | (base & ((1u << high) - 1));
    float2 in[4], out[4];
#pragma unroll
    for (int s = 0; s < 4; s++)
        in[s] = state[base | (unsigned)(s & 1) << low | (unsigned)(s >> 1) << high];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        out[r] = make_float2(0.0f, 0.0f);
#pragma unroll
        for (int s = 0; s < 4; s++) {
            const float2 g = c_gate[4 * r + s];
            out[r].x += g.x * in[s].x - g.y * in[s].y;
            out[r].y += g.x * in[s].y + g.y * in[s].x;
        }
    }
#pragma unroll
    for (int s = 0; s < 4; s++)
        state[base | (unsigned)(s & 1) << low | (unsigned)(s >> 1) << high] = out[s];
}

/* kmutate launch
   int spins = 22; dim3 block = { 256 }; dim3 grid = { (1 << spins) / 256 };
   double y[1 << spins] = zeros(); double x[1 << spins] = normal();
   heisenberg_matvec(y, x, spins, 1.0);
*/
// Heisenberg's chain as a matrix that is never stored: each state has a partner for each bond whose two spins differ.
__global__ void heisenberg_matvec(double *y, const double *x, int spins, double coupling)
{
    const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
    const double mine = x[s];
    double diagonal = 0.0, sum = 0.0;
    for (int b = 0; b < spins; b++) {
        const int c = b + 1 == spins ? 0 : b + 1;
        if ((s >> b ^ s >> c) & 1u) {
            diagonal -= 0.25;
            sum += 0.5 * x[s ^ (1u << b | 1u << c)];
        } else
            diagonal += 0.25;
    }
    y[s] = coupling * (diagonal * mine + sum);
}

/* kmutate launch
   int n = 20480; dim3 block = { 128 }; dim3 grid = { n / 128 };
   float rate[n] = zeros(); float theta[n] = uniform(0, 6.2831853); float omega[n] = normal();
   kuramoto_pairs(rate, theta, omega, n, 0.00008f);
*/
// Oscillators of which each pulls each: sines of all differences of phase, tiles through shared memory.
__global__ void kuramoto_pairs(float *rate, const float *theta, const float *omega, int n, float coupling)
{
    __shared__ float others[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float mine = theta[i];
    float sum = 0.0f;
    for (int j0 = 0; j0 < n; j0 += 128) {
        others[threadIdx.x] = theta[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < 128; j++)
            sum += __sinf(others[j] - mine);
        __syncthreads();
    }
    rate[i] = omega[i] + coupling * sum;
}

// ------------------------------------------------------------------------------------------------------------- molecules

/* kmutate launch
   int poses = 40960, ligand = 24, protein = 480; dim3 block = { 64 }; dim3 grid = { poses / 128 };
   float energy[poses] = zeros(); float transform[6 * poses] = uniform(-3.1, 3.1); float4 ligand_atom[ligand] = uniform(-4, 4); int ligand_type[ligand] = randint(0, 32);
   float4 protein_atom[protein] = uniform(-16, 16); int protein_type[protein] = randint(0, 32); float4 field[32] = uniform(-1, 1);
   dock_poses(energy, transform, ligand_atom, ligand_type, protein_atom, protein_type, field, poses, ligand, protein);
*/
// Energies of a ligand in many poses against a protein: two poses for each thread, the force field in shared memory.
__global__ void __launch_bounds__(64) dock_poses(float *__restrict__ energy, const float *__restrict__ transform, const float4 *__restrict__ ligand_atom, const int *__restrict__ ligand_type,
                                                const float4 *__restrict__ protein_atom, const int *__restrict__ protein_type, const float4 *__restrict__ field, int poses, int ligand, int protein)
{
    __shared__ float4 table[32];
    if (threadIdx.x < 32) table[threadIdx.x] = field[threadIdx.x];
    __syncthreads();
    const int first = blockIdx.x * 128 + threadIdx.x;
    float m[2][12], total[2] = { 0.0f, 0.0f };
#pragma unroll
    for (int p = 0; p < 2; p++) {
        const int pose = first + p * 64;
        float sx, cx, sy, cy, sz, cz;
        __sincosf(transform[pose], &sx, &cx);
        __sincosf(transform[poses + pose], &sy, &cy);
        __sincosf(transform[2 * poses + pose], &sz, &cz);
        m[p][0] = cy * cz; m[p][1] = sx * sy * cz - cx * sz; m[p][2] = cx * sy * cz + sx * sz; m[p][3] = transform[3 * poses + pose];
        m[p][4] = cy * sz; m[p][5] = sx * sy * sz + cx * cz; m[p][6] = cx * sy * sz - sx * cz; m[p][7] = transform[4 * poses + pose];
        m[p][8] = -sy; m[p][9] = sx * cy; m[p][10] = cx * cy; m[p][11] = transform[5 * poses + pose];
    }
    for (int l = 0; l < ligand; l++) {
        const float4 atom = ligand_atom[l], own = table[ligand_type[l]];
        float x[2], y[2], z[2];
#pragma unroll
        for (int p = 0; p < 2; p++) {
            x[p] = m[p][0] * atom.x + m[p][1] * atom.y + m[p][2] * atom.z + m[p][3];
            y[p] = m[p][4] * atom.x + m[p][5] * atom.y + m[p][6] * atom.z + m[p][7];
            z[p] = m[p][8] * atom.x + m[p][9] * atom.y + m[p][10] * atom.z + m[p][11];
        }
        for (int a = 0; a < protein; a++) {
            const float4 other = protein_atom[a], kind = table[protein_type[a]];
            const float radii = 3.0f + own.x + kind.x, inverse = 1.0f / radii, charge = own.y * kind.y * 38.0f, greasy = own.z + kind.z;
#pragma unroll
            for (int p = 0; p < 2; p++) {
                const float dx = x[p] - other.x, dy = y[p] - other.y, dz = z[p] - other.z;
                const float distance = sqrtf(dx * dx + dy * dy + dz * dz), gap = distance - radii;
                if (gap < 0.0f) total[p] += (1.0f - distance * inverse) * 38.0f;
                const float near = fmaxf(1.0f - gap * 0.25f, 0.0f);
                total[p] += charge * (gap < 0.0f ? 1.0f : near);
                if (gap < 5.5f) total[p] += greasy * (gap < 0.0f ? 1.0f : 1.0f - gap * 0.1818f);
            }
        }
    }
    energy[first] = 0.5f * total[0];
    energy[first + 64] = 0.5f * total[1];
}

/* kmutate launch
   int torsions = 800000, atoms = 500000; dim3 block = { 256 }; dim3 grid = { ceil_div(torsions, 256) };
   float4 force[atoms] = zeros(); float4 position[atoms] = uniform(0, 8); int first[torsions] = ascending(0, 499997); int kind[torsions] = randint(0, 24); float4 parameter[24] = uniform(0.5, 3);
   dihedral_forces((float *)force, position, first, kind, parameter, torsions);
*/
// Forces of torsions along a chain: cross products, an arc tangent, and twelve atomics for each.
__global__ void dihedral_forces(float *force, const float4 *position, const int *first, const int *kind, const float4 *parameter, int torsions)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= torsions) return;
    int i = first[t];
    float4 a = position[i], b = position[i + 1], c = position[i + 2], d = position[i + 3], k = parameter[kind[t]];
    float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - b.x, vy = c.y - b.y, vz = c.z - b.z, wx = d.x - c.x, wy = d.y - c.y, wz = d.z - c.z;
    float mx = uy * vz - uz * vy, my = uz * vx - ux * vz, mz = ux * vy - uy * vx;
    float nx = vy * wz - vz * wy, ny = vz * wx - vx * wz, nz = vx * wy - vy * wx;
    float m2 = mx * mx + my * my + mz * mz + 1e-6f, n2 = nx * nx + ny * ny + nz * nz + 1e-6f, v2 = vx * vx + vy * vy + vz * vz + 1e-6f, v = sqrtf(v2);
    float phi = atan2f(v * (ux * nx + uy * ny + uz * nz), mx * nx + my * ny + mz * nz);
    float multiplicity = rintf(k.y), torque = k.x * multiplicity * sinf(multiplicity * phi - k.z);
    float fi = -torque * v / m2, fl = torque * v / n2;
    float p = (ux * vx + uy * vy + uz * vz) / v2, q = (wx * vx + wy * vy + wz * vz) / v2;
    float ax = fi * mx, ay = fi * my, az = fi * mz, dx = fl * nx, dy = fl * ny, dz = fl * nz;
    float sx = p * ax - q * dx, sy = p * ay - q * dy, sz = p * az - q * dz;
    atomicAdd(&force[4 * i], ax);
    atomicAdd(&force[4 * i + 1], ay);
    atomicAdd(&force[4 * i + 2], az);
    atomicAdd(&force[4 * i + 4], -ax - sx);
    atomicAdd(&force[4 * i + 5], -ay - sy);
    atomicAdd(&force[4 * i + 6], -az - sz);
    atomicAdd(&force[4 * i + 8], sx - dx);
    atomicAdd(&force[4 * i + 9], sy - dy);
    atomicAdd(&force[4 * i + 10], sz - dz);
    atomicAdd(&force[4 * i + 12], dx);
    atomicAdd(&force[4 * i + 13], dy);
    atomicAdd(&force[4 * i + 14], dz);
}

/* kmutate launch
   int atoms = 160000, side = 96; dim3 block = { 128 }; dim3 grid = { ceil_div(atoms, 128) };
   float mesh[side * side * side] = zeros(); float4 atom[atoms] = uniform(0, 1);
   pme_spread(mesh, atom, atoms, side);
*/
// Charges on a mesh by splines of fourth order: 64 atomics for each atom, which lie anywhere.
__global__ void pme_spread(float *mesh, const float4 *atom, int atoms, int side)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) return;
    const float4 a = atom[i];
    const float place[3] = { a.x * side, a.y * side, a.z * side };
    int cell[3];
    float weight[3][4];
#pragma unroll
    for (int d = 0; d < 3; d++) {
        const float whole = floorf(place[d]), f = place[d] - whole, g = 1.0f - f;
        cell[d] = min((int)whole, side - 1);
        weight[d][0] = g * g * g * (1.0f / 6.0f);
        weight[d][1] = (4.0f + f * f * (3.0f * f - 6.0f)) * (1.0f / 6.0f);
        weight[d][2] = (4.0f + g * g * (3.0f * g - 6.0f)) * (1.0f / 6.0f);
        weight[d][3] = f * f * f * (1.0f / 6.0f);
    }
#pragma unroll
    for (int z = 0; z < 4; z++) {
        int k = cell[2] + z;
        if (k >= side) k -= side;
#pragma unroll
        for (int y = 0; y < 4; y++) {
            int j = cell[1] + y;
            if (j >= side) j -= side;
            const float outer = a.w * weight[2][z] * weight[1][y];
#pragma unroll
            for (int x = 0; x < 4; x++) {
                int h = cell[0] + x;
                if (h >= side) h -= side;
                atomicAdd(&mesh[(k * side + j) * side + h], outer * weight[0][x]);
            }
        }
    }
}

/* kmutate launch
   int n = 3072; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16 };
   double out[n * (n + 1) / 2] = zeros(); double exponent[n] = uniform(0.4, 6); double px[n] = uniform(0, 5); double py[n] = uniform(0, 5); double pz[n] = uniform(0, 5); double scale[n] = uniform(0.01, 1);
   eri_ssss(out, exponent, px, py, pz, scale, n);
*/
// Repulsion of pairs of spherical Gaussians with each other in doubles, with the error function; only the lower half is wanted.
__global__ void eri_ssss(double *out, const double *exponent, const double *px, const double *py, const double *pz, const double *scale, int n)
{
    const int bra = blockIdx.y * 16 + threadIdx.y, ket = blockIdx.x * 16 + threadIdx.x;
    if (ket > bra) return;
    const double p = exponent[bra], q = exponent[ket], both = p + q;
    const double dx = px[bra] - px[ket], dy = py[bra] - py[ket], dz = pz[bra] - pz[ket];
    const double t = p * q / both * (dx * dx + dy * dy + dz * dz);
    double boys;
    if (t < 1e-7)
        boys = 1.0 - t / 3.0;
    else {
        const double root = sqrt(t);
        boys = 0.886226925452758 * erf(root) / root;
    }
    out[(size_t)bra * (bra + 1) / 2 + ket] = 34.986836655249725 / (p * q * sqrt(both)) * scale[bra] * scale[ket] * boys;
}

/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 640 };
   int prey[640 * 128] = zeros(); int hunters[640 * 128] = zeros(); float clock_at[640 * 128] = zeros();
   gillespie_ssa(prey, hunters, clock_at, 12.0f, 900, 99u);
*/
// Chance reactions of hunters and prey after Gillespie, one history for each thread, until the time is over or all are dead.
__global__ void gillespie_ssa(int *prey, int *hunters, float *clock_at, float end, int limit, unsigned seed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = mix_bits(i + seed) | 1u;
    int x = 60 + (state >> 8) % 40, y = 20 + (state >> 20) % 20, step = 0;
    float t = 0.0f;
    while (t < end && step < limit) {
        const float birth = 1.0f * x, hunt = 0.02f * x * y, death = 0.8f * y, sum = birth + hunt + death;
        if (sum <= 0.0f) break;
        state ^= state << 13; state ^= state >> 17; state ^= state << 5;
        t -= logf((state >> 8) * 5.9604645e-8f + 3e-8f) / sum;
        state ^= state << 13; state ^= state >> 17; state ^= state << 5;
        const float dart = (state >> 8) * 5.9604645e-8f * sum;
        if (dart < birth)
            x++;
        else if (dart < birth + hunt) {
            x--;
            y++;
        } else
            y--;
        step++;
    }
    prey[i] = x;
    hunters[i] = y;
    clock_at[i] = t;
}

// ----------------------------------------------------------------------------------------------------- pictures and signals

/* kmutate launch
   int w = 1920, h = 1088, frames = 3; dim3 block = { 256 }; dim3 grid = { w / 16, h / 16, frames };
   unsigned best[w / 16 * (h / 16) * frames] = zeros(); unsigned char current[w * h * frames] = randint(0, 256); unsigned char reference[(w + 16) * (h + 16) * frames] = randint(0, 256);
   motion_sad(best, (unsigned *)current, (unsigned *)reference, w, h);
*/
// Where a block of 16 by 16 pixels came from: all of 256 displacements, one for each thread, four bytes at a time.
__global__ void __launch_bounds__(256) motion_sad(unsigned *best, const unsigned *current, const unsigned *reference, int w, int h)
{
    __shared__ unsigned now[16][4], window[32][9], least[8];
    const int t = threadIdx.x, words = w / 4, wide = (w + 16) / 4;
    const unsigned *c = current + (size_t)blockIdx.z * words * h, *r = reference + (size_t)blockIdx.z * wide * (h + 16);
    if (t < 64) now[t / 4][t % 4] = c[(blockIdx.y * 16 + t / 4) * words + blockIdx.x * 4 + t % 4];
    window[t / 8][t % 8] = r[(blockIdx.y * 16 + t / 8) * wide + blockIdx.x * 4 + t % 8];
    __syncthreads();
    const int dx = t % 16, dy = t / 16, word = dx / 4, shift = dx % 4 * 8;
    unsigned sad = 0;
#pragma unroll 4
    for (int y = 0; y < 16; y++) {
        unsigned low = window[dy + y][word];
#pragma unroll
        for (int x = 0; x < 4; x++) {
            const unsigned high = window[dy + y][word + x + 1];
            sad += __vsadu4(__funnelshift_r(low, high, shift), now[y][x]);
            low = high;
        }
    }
    unsigned key = __reduce_min_sync(0xffffffffu, sad << 8 | t);
    if (t % 32 == 0) least[t / 32] = key;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 8; i++)
            key = min(key, least[i]);
        best[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = key;
    }
}

/* kmutate launch
   int w = 3840, h = 2160, frames = 6; dim3 block = { 32, 8 }; dim3 grid = { ceil_div(w / 8, 32), h / 8, frames };
   unsigned char image[w * h * frames] = randint(112, 134);
   deblock_edges(image, w, h, 14, 9, 2);
*/
// The filter of a video decoder at vertical edges: eight bytes of a line for each thread, and many conditions.
__global__ void deblock_edges(unsigned char *image, int w, int h, int alpha, int beta, int tc0)
{
    int edge = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (edge == 0 || edge >= w / 8 || y >= h) return;
    unsigned char *at = image + ((size_t)blockIdx.z * h + y) * w + edge * 8;
    int p0 = at[-1], p1 = at[-2], p2 = at[-3], q0 = at[0], q1 = at[1], q2 = at[2];
    if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta) return;
    bool inner_p = abs(p2 - p0) < beta, inner_q = abs(q2 - q0) < beta;
    if (edge % 2 == 0 && abs(p0 - q0) < (alpha >> 2) + 2) {
        int p3 = at[-4], q3 = at[3];
        if (inner_p) {
            at[-1] = (p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3;
            at[-2] = (p2 + p1 + p0 + q0 + 2) >> 2;
            at[-3] = (2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3;
        } else
            at[-1] = (2 * p1 + p0 + q1 + 2) >> 2;
        if (inner_q) {
            at[0] = (p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3;
            at[1] = (p0 + q0 + q1 + q2 + 2) >> 2;
            at[2] = (2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3;
        } else
            at[0] = (2 * q1 + q0 + p1 + 2) >> 2;
    } else {
        int tc = tc0 + inner_p + inner_q;
        int delta = min(max((((q0 - p0) << 2) + (p1 - q1) + 4) >> 3, -tc), tc);
        at[-1] = min(max(p0 + delta, 0), 255);
        at[0] = min(max(q0 - delta, 0), 255);
        if (inner_p) at[-2] = p1 + min(max((p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1, -tc0), tc0);
        if (inner_q) at[1] = q1 + min(max((q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1, -tc0), tc0);
    }
}

/* kmutate launch
   int w = 3072, h = 2304; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   float out_x[w * h] = zeros(); float out_y[w * h] = zeros(); float px[w * h] = uniform(-0.7, 0.7); float py[w * h] = uniform(-0.7, 0.7); float g[w * h] = uniform(0, 1);
   tv_denoise(out_x, out_y, px, py, g, w, h, 8.0f, 0.248f);
*/
// A step of Chambolle's method for pictures without noise: the divergence of a tile and its rim stands in shared memory.
__global__ void __launch_bounds__(256) tv_denoise(float *__restrict__ out_x, float *__restrict__ out_y, const float *__restrict__ px, const float *__restrict__ py, const float *__restrict__ g, int w, int h, float inverse_lambda, float tau)
{
    __shared__ float u[9][33];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 9 * 33; i += 256) {
        const int x = min(x0 + i % 33, w - 1), y = min(y0 + i / 33, h - 1);
        const size_t at = (size_t)y * w + x;
        float d = -g[at] * inverse_lambda;
        d += x < w - 1 ? px[at] : 0.0f;
        d -= x > 0 ? px[at - 1] : 0.0f;
        d += y < h - 1 ? py[at] : 0.0f;
        d -= y > 0 ? py[at - w] : 0.0f;
        u[i / 33][i % 33] = d;
    }
    __syncthreads();
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    const size_t at = (size_t)y * w + x;
    const float here = u[threadIdx.y][threadIdx.x];
    const float gx = u[threadIdx.y][threadIdx.x + 1] - here, gy = u[threadIdx.y + 1][threadIdx.x] - here;
    const float scale = 1.0f / (1.0f + tau * sqrtf(gx * gx + gy * gy));
    out_x[at] = (px[at] + tau * gx) * scale;
    out_y[at] = (py[at] + tau * gy) * scale;
}

/* kmutate launch
   int n = 160, views = 48, det = 256; dim3 block = { 16, 16 }; dim3 grid = { n / 16, n / 16, n / 8 };
   float volume[n * n * n] = zeros(); float projection[views * det * det] = uniform(0, 1);
   cone_backproject(volume, projection, n, views, det, 400.0f, 700.0f);
*/
// Tomography with a cone of rays: a thread has eight voxels above each other and adds up what all views say.
__global__ void __launch_bounds__(256) cone_backproject(float *__restrict__ volume, const float *__restrict__ projection, int n, int views, int det, float source, float detector)
{
    __shared__ float2 turn[64];
    const int t = threadIdx.y * 16 + threadIdx.x;
    if (t < views) {
        float s, c;
        sincospif(2.0f * t / views, &s, &c);
        turn[t] = make_float2(c, s);
    }
    __syncthreads();
    const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y, k0 = blockIdx.z * 8;
    const float x = i - 0.5f * (n - 1), y = j - 0.5f * (n - 1), z0 = k0 - 0.5f * (n - 1), centre = 0.5f * (det - 1);
    float acc[8] = { 0.0f };
    for (int view = 0; view < views; view++) {
        const float2 cs = turn[view];
        const float along = source + x * cs.x + y * cs.y, scale = detector / along, weight = source * source / (along * along);
        const float u = (y * cs.x - x * cs.y) * scale * 0.7f + centre;
        const int iu = (int)floorf(u);
        if (iu < 0 || iu + 1 >= det) continue;
        const float fu = u - iu;
        const float *image = projection + (size_t)view * det * det + iu;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float v = (z0 + k) * scale * 0.7f + centre;
            const int iv = (int)floorf(v);
            if (iv >= 0 && iv + 1 < det) {
                const float fv = v - iv;
                const float *row = image + iv * det;
                const float top = row[0] + fu * (row[1] - row[0]), bottom = row[det] + fu * (row[det + 1] - row[det]);
                acc[k] += weight * (top + fv * (bottom - top));
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        volume[((size_t)(k0 + k) * n + j) * n + i] = acc[k];
}

/* kmutate launch
   int channels = 20480, samples = 768; dim3 block = { 128 }; dim3 grid = { ceil_div(channels, 128) };
   float out[channels * samples] = zeros(); float in[channels * samples] = normal(); float4 feedback[4] = uniform(-0.3, 0.3); float4 forward[4] = uniform(0.1, 0.5);
   biquad_channels(out, in, forward, feedback, channels, samples);
*/
// Four recursive filters one after the other on many channels, a channel for each thread: time is one long chain.
__global__ void biquad_channels(float *out, const float *in, const float4 *forward, const float4 *feedback, int channels, int samples)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float first[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, second[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    for (int s = 0; s < samples; s++) {
        float v = in[(size_t)s * channels + c];
        for (int f = 0; f < 4; f++) {
            float y = forward[f].x * v + first[f];
            first[f] = forward[f].y * v - feedback[f].x * y + second[f];
            second[f] = forward[f].z * v - feedback[f].y * y;
            v = y;
        }
        out[(size_t)s * channels + c] = v;
    }
}

/* kmutate launch
   int frequencies = 50688, samples = 1800; dim3 block = { 192 }; dim3 grid = { frequencies / 192 };
   float power[frequencies] = zeros(); float time[samples] = ascending(0, 300); float value[samples] = normal();
   lomb_scargle(power, time, value, samples, 0.02f, 0.0005f);
*/
// A periodogram of samples at uneven times: a frequency for each thread, a sine and a cosine for each sample.
__global__ void __launch_bounds__(192) lomb_scargle(float *power, const float *time, const float *value, int samples, float first, float step)
{
    __shared__ float2 tile[192];
    const int f = blockIdx.x * 192 + threadIdx.x;
    const float omega = 6.2831853f * (first + f * step);
    float c_sum = 0.0f, s_sum = 0.0f, cc = 0.0f, cs = 0.0f;
    for (int base = 0; base < samples; base += 192) {
        const int count = min(192, samples - base);
        __syncthreads();
        if (threadIdx.x < count) tile[threadIdx.x] = make_float2(time[base + threadIdx.x], value[base + threadIdx.x]);
        __syncthreads();
        for (int i = 0; i < count; i++) {
            const float2 v = tile[i];
            float s, c;
            sincosf(omega * v.x, &s, &c);
            c_sum += v.y * c;
            s_sum += v.y * s;
            cc += c * c;
            cs += c * s;
        }
    }
    const float angle = 0.5f * atan2f(2.0f * cs, 2.0f * cc - samples);
    float s, c;
    sincosf(angle, &s, &c);
    const float a = c * c_sum + s * s_sum, b = c * s_sum - s * c_sum;
    const float aa = c * c * cc + 2.0f * c * s * cs + s * s * (samples - cc), bb = samples - aa;
    power[f] = 0.5f * (a * a / (aa + 1e-6f) + b * b / (bb + 1e-6f));
}

/* kmutate launch
   int nx = 512, nz = 640, samples = 3072; dim3 block = { 32, 4 }; dim3 grid = { nx / 32, nz / 4 };
   extern float c_element[128] = iota(0, 0.3);
   float image[nx * nz] = zeros(); float rf[128 * samples] = normal();
   beamform_sum(image, rf, nx, nz, samples, 0.075f, 0.055f, 26.0f);
*/
// Delay and sum of ultrasound: for each pixel the echo of each of 128 elements at the time that the way takes.
__constant__ float c_element[128];

__global__ void beamform_sum(float *image, const float *rf, int nx, int nz, int samples, float dx, float dz, float rate)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x, iz = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= nx || iz >= nz) return;
    float x = ix * dx, z = (iz + 1) * dz, sum = 0.0f, weights = 0.0f;
    for (int e = 0; e < 128; e++) {
        float across = x - c_element[e];
        if (fabsf(across) * 1.2f > z) continue;
        float when = (z + sqrtf(across * across + z * z)) * rate;
        int at = (int)when;
        if (at + 1 >= samples) continue;
        float part = when - at, apodisation = 0.54f + 0.46f * cosf(3.1415927f * across * 1.2f / z);
        sum += apodisation * ((1.0f - part) * rf[e * samples + at] + part * rf[e * samples + at + 1]);
        weights += apodisation;
    }
    image[iz * nx + ix] = sum / (weights + 1e-3f);
}

// ---------------------------------------------------------------------------------------------------------------- networks

/* kmutate launch
   int batch = 4, cin = 64, cout = 32, side = 64, wide = 2 * side; dim3 block = { 256 }; dim3 grid = { ceil_div(batch * cout * wide * wide, 256) };
   float out[batch * cout * wide * wide] = zeros(); float in[batch * cin * side * side] = normal(); float weight[cin * cout * 16] = normal(0, 0.05); float bias[cout] = normal();
   deconv_gather(out, in, weight, bias, batch, cin, cout, side, side);
*/
// A transposed convolution of four by four with a stride of two: each result asks which inputs reach it.
__global__ void deconv_gather(float *out, const float *in, const float *weight, const float *bias, int batch, int cin, int cout, int h, int w)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x, wide = 2 * w, high = 2 * h;
    if (index >= batch * cout * high * wide) return;
    int x = index % wide, y = index / wide % high, o = index / (wide * high) % cout, b = index / (wide * high * cout);
    float sum = bias[o];
    for (int c = 0; c < cin; c++)
        for (int ky = 0; ky < 4; ky++) {
            int iy = y + 1 - ky;
            if (iy < 0 || iy % 2 != 0 || iy / 2 >= h) continue;
            for (int kx = 0; kx < 4; kx++) {
                int ix = x + 1 - kx;
                if (ix < 0 || ix % 2 != 0 || ix / 2 >= w) continue;
                sum += in[((b * cin + c) * h + iy / 2) * w + ix / 2] * weight[((c * cout + o) * 4 + ky) * 4 + kx];
            }
        }
    out[index] = sum;
}

/* kmutate launch
   int batch = 2, channels = 128, groups = 4, h = 80, w = 80; dim3 block = { 512 }; dim3 grid = { ceil_div(batch * channels * h * w, 512) };
   float columns[channels * 9 * batch * h * w] = zeros(); float image[batch * channels * h * w] = normal(); float offset[batch * groups * 18 * h * w] = normal(0, 1.5);
   deform_columns(columns, image, offset, batch, channels, groups, h, w);
*/
// The columns of a deformable convolution: nine places for each pixel, each moved by two learned numbers and interpolated.
__global__ void deform_columns(float *columns, const float *image, const float *offset, int batch, int channels, int groups, int h, int w)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= batch * channels * h * w) return;
    int x = index % w, y = index / w % h, b = index / (w * h) % batch, c = index / (w * h * batch);
    const float *plane = image + (b * channels + c) * h * w;
    const float *moves = offset + (b * groups + c / (channels / groups)) * 18 * h * w;
    for (int k = 0; k < 9; k++) {
        float py = y - 1 + k / 3 + moves[(2 * k * h + y) * w + x], px = x - 1 + k % 3 + moves[((2 * k + 1) * h + y) * w + x], value = 0.0f;
        if (py > -1.0f && px > -1.0f && py < h && px < w) {
            int y0 = floorf(py), x0 = floorf(px);
            float fy = py - y0, fx = px - x0;
            if (y0 >= 0 && x0 >= 0) value += (1.0f - fy) * (1.0f - fx) * plane[y0 * w + x0];
            if (y0 >= 0 && x0 + 1 < w) value += (1.0f - fy) * fx * plane[y0 * w + x0 + 1];
            if (y0 + 1 < h && x0 >= 0) value += fy * (1.0f - fx) * plane[(y0 + 1) * w + x0];
            if (y0 + 1 < h && x0 + 1 < w) value += fy * fx * plane[(y0 + 1) * w + x0 + 1];
        }
        columns[(((c * 9 + k) * batch + b) * h + y) * w + x] = value;
    }
}

/* kmutate launch
   int images = 32, filters = 128, side = 56, tiles = images * 14 * 14; dim3 block = { 128 }; dim3 grid = { tiles / 128, filters };
   float4 out[images * filters * side * side / 4] = zeros(); float product[36 * filters * tiles] = normal(); float bias[filters] = normal();
   winograd_output(out, product, bias, filters, tiles);
*/
// The way back from Winograd's products: 36 numbers that lie far apart become four by four pixels, with bias and ReLU.
__device__ __forceinline__ void winograd_back(float (&to)[4], float a, float b, float c, float d, float e, float f)
{
    const float sum1 = b + c, difference1 = b - c, sum2 = d + e, difference2 = d - e;
    to[0] = a + sum1 + sum2;
    to[1] = difference1 + 2.0f * difference2;
    to[2] = sum1 + 4.0f * sum2;
    to[3] = difference1 + 8.0f * difference2 + f;
}

__global__ void __launch_bounds__(128) winograd_output(float4 *__restrict__ out, const float *__restrict__ product, const float *__restrict__ bias, int filters, int tiles)
{
    const int tile = blockIdx.x * 128 + threadIdx.x, filter = blockIdx.y;
    const float *from = product + (size_t)filter * tiles + tile;
    const size_t step = (size_t)filters * tiles;
    float rows[6][4];
#pragma unroll
    for (int c = 0; c < 6; c++)
        winograd_back(rows[c], from[c * step], from[(6 + c) * step], from[(12 + c) * step], from[(18 + c) * step], from[(24 + c) * step], from[(30 + c) * step]);
    const int image = tile / 196, ty = tile / 14 % 14, tx = tile % 14;
    const float shift = bias[filter];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float line[4];
        winograd_back(line, rows[0][r], rows[1][r], rows[2][r], rows[3][r], rows[4][r], rows[5][r]);
        out[(((size_t)image * filters + filter) * 56 + ty * 4 + r) * 14 + tx] =
            make_float4(fmaxf(line[0] + shift, 0.0f), fmaxf(line[1] + shift, 0.0f), fmaxf(line[2] + shift, 0.0f), fmaxf(line[3] + shift, 0.0f));
    }
}

/* kmutate launch
   int batch = 8, T = 2048, pairs = 1024; dim3 block = { 128 }; dim3 grid = { pairs / 128, T / 16, batch };
   half2 out[batch * T * pairs] = zeros(); half2 in[batch * T * pairs] = normal(); half2 weight[4 * pairs] = normal(0, 0.5); half2 bias[pairs] = normal();
   causal_conv_half(out, in, weight, bias, T, pairs);
*/
// A causal convolution of width four along time with SiLU, two channels and sixteen steps for each thread.
__global__ void causal_conv_half(half2 *__restrict__ out, const half2 *__restrict__ in, const half2 *__restrict__ weight, const half2 *__restrict__ bias, int T, int pairs)
{
    const int c = blockIdx.x * 128 + threadIdx.x, t0 = blockIdx.y * 16;
    const half2 *x = in + (size_t)blockIdx.z * T * pairs + c;
    half2 *y = out + (size_t)blockIdx.z * T * pairs + c;
    const half2 w0 = weight[c], w1 = weight[pairs + c], w2 = weight[2 * pairs + c], w3 = weight[3 * pairs + c], shift = bias[c], zero = __float2half2_rn(0.0f);
    half2 a = t0 >= 3 ? x[(size_t)(t0 - 3) * pairs] : zero, b = t0 >= 2 ? x[(size_t)(t0 - 2) * pairs] : zero, d = t0 >= 1 ? x[(size_t)(t0 - 1) * pairs] : zero;
#pragma unroll
    for (int t = 0; t < 16; t++) {
        const half2 e = x[(size_t)(t0 + t) * pairs];
        const float2 v = __half22float2(__hfma2(w0, a, __hfma2(w1, b, __hfma2(w2, d, __hfma2(w3, e, shift)))));
        y[(size_t)(t0 + t) * pairs] = __floats2half2_rn(v.x / (1.0f + __expf(-v.x)), v.y / (1.0f + __expf(-v.y)));
        a = b;
        b = d;
        d = e;
    }
}

/* kmutate launch
   int heads = 480, T = 256; dim3 block = { 64 }; dim3 grid = { heads };
   float out[heads * T * 64] = zeros(); float q[heads * T * 64] = normal(0, 0.125); float k[heads * T * 64] = normal(0, 0.125); float v[heads * T * 64] = normal(); float beta[heads * T] = uniform(0, 1); float decay[heads * T] = uniform(0.9, 1);
   delta_rule_state(out, q, k, v, beta, decay, T);
*/
// The gated delta rule: a matrix of 64 by 64 as memory, a column of it in the registers of each thread, step after step.
__global__ void __launch_bounds__(64) delta_rule_state(float *__restrict__ out, const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v, const float *__restrict__ beta,
                                                      const float *__restrict__ decay, int T)
{
    __shared__ __align__(16) float queries[16][64];
    __shared__ __align__(16) float keys[16][64];
    const int c = threadIdx.x;
    const size_t head = (size_t)blockIdx.x * T;
    float state[64];
#pragma unroll
    for (int i = 0; i < 64; i++)
        state[i] = 0.0f;
    for (int t0 = 0; t0 < T; t0 += 16) {
        __syncthreads();
        for (int t = 0; t < 16; t++) {
            queries[t][c] = q[(head + t0 + t) * 64 + c];
            keys[t][c] = k[(head + t0 + t) * 64 + c];
        }
        __syncthreads();
        for (int t = 0; t < 16; t++) {
            const size_t at = head + t0 + t;
            const float g = decay[at];
            float seen = 0.0f;
#pragma unroll
            for (int i = 0; i < 64; i += 4) {
                const float4 key = *reinterpret_cast<const float4 *>(&keys[t][i]);
                state[i] *= g; state[i + 1] *= g; state[i + 2] *= g; state[i + 3] *= g;
                seen += key.x * state[i] + key.y * state[i + 1] + key.z * state[i + 2] + key.w * state[i + 3];
            }
            const float change = beta[at] * (v[at * 64 + c] - seen);
            float result = 0.0f;
#pragma unroll
            for (int i = 0; i < 64; i += 4) {
                const float4 key = *reinterpret_cast<const float4 *>(&keys[t][i]), query = *reinterpret_cast<const float4 *>(&queries[t][i]);
                state[i] += change * key.x; state[i + 1] += change * key.y; state[i + 2] += change * key.z; state[i + 3] += change * key.w;
                result += query.x * state[i] + query.y * state[i + 1] + query.z * state[i + 2] + query.w * state[i + 3];
            }
            out[at * 64 + c] = result;
        }
    }
}

/* kmutate launch
   int rows = 38400, cols = 8192; dim3 block = { 256 }; dim3 grid = { rows / 32 };
   float y[rows] = zeros(); unsigned weight[rows * (cols / 16)] = randint(0, 4294967296ll); int activation[cols / 4] = randint(-2147483647, 2147483647); int total[1] = { 1234 }; float scale[rows] = uniform(0.01, 0.02);
   gemv_ternary(y, (uint4 *)weight, (int4 *)activation, total, scale, cols);
*/
// Weights of -1, 0 and 1 in two bits each times a vector of bytes: products of four bytes, a warp has four rows.
__global__ void __launch_bounds__(256) gemv_ternary(float *__restrict__ y, const uint4 *__restrict__ weight, const int4 *__restrict__ activation, const int *__restrict__ total, const float *__restrict__ scale, int cols)
{
    __shared__ int4 x[512];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, chunks = cols / 2048;
    for (int i = threadIdx.x; i < cols / 16; i += 256)
        x[i / 128 * 128 + i % 4 * 32 + i % 128 / 4] = activation[i];
    __syncthreads();
    const int row0 = (blockIdx.x * 8 + w) * 4, all = total[0];
#pragma unroll 1
    for (int r = 0; r < 4; r++) {
        const uint4 *from = weight + (size_t)(row0 + r) * (cols / 64) + lane;
        int sum = 0;
#pragma unroll 4
        for (int chunk = 0; chunk < chunks; chunk++) {
            const uint4 codes = from[chunk * 32];
            const unsigned four[4] = { codes.x, codes.y, codes.z, codes.w };
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int4 a = x[chunk * 128 + j * 32 + lane];
                sum = __dp4a((int)(four[j] & 0x03030303u), a.x, sum);
                sum = __dp4a((int)(four[j] >> 2 & 0x03030303u), a.y, sum);
                sum = __dp4a((int)(four[j] >> 4 & 0x03030303u), a.z, sum);
                sum = __dp4a((int)(four[j] >> 6 & 0x03030303u), a.w, sum);
            }
        }
#pragma unroll
        for (int d = 16; d > 0; d >>= 1)
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (lane == 0) y[row0 + r] = scale[row0 + r] * (float)(sum - all);
    }
}

/* kmutate launch
   int rows = 22016, cols = 4096; dim3 block = { 256 }; dim3 grid = { rows / 16 };
   float y[rows] = zeros(); unsigned short code[rows * (cols / 8)] = randint(0, 65536); half codebook[2 * 256 * 8] = normal(0, 0.05); half x[cols] = normal(); float scale[rows] = uniform(0.5, 1.5);
   gemv_codebook(y, code, (uint4 *)codebook, (uint4 *)x, scale, cols);
*/
// Eight weights at a time are the sum of two entries of codebooks of 256, which stand in shared memory.
__global__ void __launch_bounds__(256) gemv_codebook(float *__restrict__ y, const unsigned short *__restrict__ code, const uint4 *__restrict__ codebook, const uint4 *__restrict__ x, const float *__restrict__ scale, int cols)
{
    __shared__ uint4 book[512], vector[512];
    for (int i = threadIdx.x; i < 512; i += 256) {
        book[i] = codebook[i];
        vector[i] = x[i];
    }
    __syncthreads();
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, groups = cols / 8;
    for (int r = 0; r < 2; r++) {
        const int row = (blockIdx.x * 8 + w) * 2 + r;
        const unsigned short *codes = code + (size_t)row * groups;
        float sum = 0.0f;
#pragma unroll 4
        for (int g = lane; g < groups; g += 32) {
            const unsigned both = codes[g];
            const uint4 a = book[both & 255], b = book[256 + (both >> 8)], v = vector[g];
            const half2 *ah = reinterpret_cast<const half2 *>(&a), *bh = reinterpret_cast<const half2 *>(&b), *vh = reinterpret_cast<const half2 *>(&v);
            half2 part = __hmul2(__hadd2(ah[0], bh[0]), vh[0]);
#pragma unroll
            for (int k = 1; k < 4; k++)
                part = __hfma2(__hadd2(ah[k], bh[k]), vh[k], part);
            const float2 f = __half22float2(part);
            sum += f.x + f.y;
        }
        for (int d = 16; d > 0; d >>= 1)
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (lane == 0) y[row] = scale[row] * sum;
    }
}

/* kmutate launch
   int n = 20 << 20; dim3 block = { 256 }; dim3 grid = { n / 2048 };
   float param[n] = normal(0, 0.02); __nv_bfloat16 grad[n] = normal(0, 0.001); unsigned char m[n] = randint(0, 256); unsigned char v[n] = randint(0, 256); float top_m[n / 2048] = uniform(0.001, 0.002); float top_v[n / 2048] = uniform(0.000001, 0.000002);
   float signed_map[256] = iota(-1, 0.0078431); float plain_map[256] = iota(0, 0.0039215);
   adam_eight_bit(param, (uint4 *)grad, (uint2 *)m, (uint2 *)v, top_m, top_v, signed_map, plain_map, 0.001f, 0.9f, 0.999f, 1e-8f);
*/
// Adam with moments of eight bits: a block of 2048 shares a scale for each moment; bytes become numbers by a table, and numbers
// bytes by bisection of it.
__global__ void __launch_bounds__(256) adam_eight_bit(float *__restrict__ param, const uint4 *__restrict__ grad, uint2 *__restrict__ m, uint2 *__restrict__ v, float *__restrict__ top_m, float *__restrict__ top_v,
                                                     const float *__restrict__ signed_map, const float *__restrict__ plain_map, float rate, float beta1, float beta2, float eps)
{
    __shared__ float maps[2][256], tops[2][8];
    const int t = threadIdx.x;
    const size_t at = (size_t)blockIdx.x * 256 + t;
    maps[0][t] = signed_map[t];
    maps[1][t] = plain_map[t];
    const uint4 packed = grad[at];
    const uint2 bytes_m = m[at], bytes_v = v[at];
    const float scale_m = top_m[blockIdx.x], scale_v = top_v[blockIdx.x];
    __syncthreads();
    float first[8], second[8], most_m = 0.0f, most_v = 0.0f;
    const __nv_bfloat162 *g = reinterpret_cast<const __nv_bfloat162 *>(&packed);
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const float2 two = __bfloat1622float2(g[e / 2]);
        const float value = e % 2 ? two.y : two.x;
        const unsigned bm = (e < 4 ? bytes_m.x : bytes_m.y) >> e % 4 * 8 & 255, bv = (e < 4 ? bytes_v.x : bytes_v.y) >> e % 4 * 8 & 255;
        first[e] = beta1 * maps[0][bm] * scale_m + (1.0f - beta1) * value;
        second[e] = beta2 * maps[1][bv] * scale_v + (1.0f - beta2) * value * value;
        most_m = fmaxf(most_m, fabsf(first[e]));
        most_v = fmaxf(most_v, second[e]);
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        most_m = fmaxf(most_m, __shfl_xor_sync(0xffffffffu, most_m, d));
        most_v = fmaxf(most_v, __shfl_xor_sync(0xffffffffu, most_v, d));
    }
    if (t % 32 == 0) {
        tops[0][t / 32] = most_m;
        tops[1][t / 32] = most_v;
    }
    __syncthreads();
#pragma unroll
    for (int w = 0; w < 8; w++) {
        most_m = fmaxf(most_m, tops[0][w]);
        most_v = fmaxf(most_v, tops[1][w]);
    }
    if (t == 0) {
        top_m[blockIdx.x] = most_m;
        top_v[blockIdx.x] = most_v;
    }
    const float inverse_m = 1.0f / fmaxf(most_m, 1e-30f), inverse_v = 1.0f / fmaxf(most_v, 1e-30f);
    float4 *p = reinterpret_cast<float4 *>(param) + 2 * at;
    float4 low = p[0], high = p[1];
    float *values[2] = { &low.x, &high.x };
    unsigned out[2][2] = { { 0, 0 }, { 0, 0 } };
#pragma unroll
    for (int e = 0; e < 8; e++) {
        values[e / 4][e % 4] -= rate * first[e] / (sqrtf(second[e]) + eps);
        const float wanted[2] = { first[e] * inverse_m, second[e] * inverse_v };
#pragma unroll
        for (int s = 0; s < 2; s++) {
            unsigned place = 0;
#pragma unroll
            for (unsigned d = 128; d > 0; d >>= 1)
                if (maps[s][place + d] <= wanted[s]) place += d;
            out[s][e / 4] |= place << e % 4 * 8;
        }
    }
    p[0] = low;
    p[1] = high;
    m[at] = make_uint2(out[0][0], out[0][1]);
    v[at] = make_uint2(out[1][0], out[1][1]);
}

/* kmutate launch
   int batch = 16384; dim3 block = { 128 }; dim3 grid = { batch };
   half out[batch * 416] = zeros(); half2 features[batch * 27 * 32] = normal();
   dlrm_interact(out, features);
*/
// What a recommender makes of 27 embeddings of 64 halves: the first of them, and the products of all pairs.
__global__ void __launch_bounds__(128) dlrm_interact(half *__restrict__ out, const half2 *__restrict__ features)
{
    __shared__ half2 f[27][33];
    const half2 *from = features + (size_t)blockIdx.x * 27 * 32;
    half *to = out + (size_t)blockIdx.x * 416;
    for (int i = threadIdx.x; i < 27 * 32; i += 128)
        f[i / 32][i % 32] = from[i];
    __syncthreads();
    if (threadIdx.x < 32) reinterpret_cast<half2 *>(to)[threadIdx.x] = f[0][threadIdx.x];
    for (int pair = threadIdx.x; pair < 351; pair += 128) {
        int i = (int)((1.0f + sqrtf(1.0f + 8.0f * pair)) * 0.5f);
        if (i * (i - 1) / 2 > pair) i--;
        if (i * (i + 1) / 2 <= pair) i++;
        const int j = pair - i * (i - 1) / 2;
        float sum = 0.0f;
#pragma unroll
        for (int c = 0; c < 32; c++) {
            const float2 a = __half22float2(f[i][c]), b = __half22float2(f[j][c]);
            sum += a.x * b.x + a.y * b.y;
        }
        to[64 + pair] = __float2half(sum);
    }
    if (threadIdx.x == 0) to[415] = __float2half(0.0f);
}

/* kmutate launch
   int nodes = 180000, lo = 4, hi = 60; dim3 block = { 256 }; dim3 grid = { ceil_div(nodes, 8) };
   int edges = csr_nnz(nodes, lo, hi);
   float4 alpha[edges] = zeros(); int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int source[edges] = csr_colidx(nodes); float4 left[nodes] = normal(); float4 right[nodes] = normal();
   gat_edge_softmax(alpha, start, source, left, right, nodes);
*/
// Attention of a graph with four heads: a warp has a node, a lane an edge; the largest first, then the sum, then the weights.
__device__ __forceinline__ float4 leaky_sum(float4 a, float4 b)
{
    const float4 s = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    return make_float4(fmaxf(s.x, 0.2f * s.x), fmaxf(s.y, 0.2f * s.y), fmaxf(s.z, 0.2f * s.z), fmaxf(s.w, 0.2f * s.w));
}

__global__ void __launch_bounds__(256) gat_edge_softmax(float4 *__restrict__ alpha, const int *__restrict__ start, const int *__restrict__ source, const float4 *__restrict__ left, const float4 *__restrict__ right, int nodes)
{
    const int node = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (node >= nodes) return;
    const int begin = start[node], end = start[node + 1];
    const float4 own = right[node];
    float4 top = make_float4(-1e30f, -1e30f, -1e30f, -1e30f), sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int e = begin + lane; e < end; e += 32) {
        const float4 s = leaky_sum(left[source[e]], own);
        top = make_float4(fmaxf(top.x, s.x), fmaxf(top.y, s.y), fmaxf(top.z, s.z), fmaxf(top.w, s.w));
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        top.x = fmaxf(top.x, __shfl_xor_sync(0xffffffffu, top.x, d));
        top.y = fmaxf(top.y, __shfl_xor_sync(0xffffffffu, top.y, d));
        top.z = fmaxf(top.z, __shfl_xor_sync(0xffffffffu, top.z, d));
        top.w = fmaxf(top.w, __shfl_xor_sync(0xffffffffu, top.w, d));
    }
    for (int e = begin + lane; e < end; e += 32) {
        const float4 s = leaky_sum(left[source[e]], own);
        const float4 x = make_float4(__expf(s.x - top.x), __expf(s.y - top.y), __expf(s.z - top.z), __expf(s.w - top.w));
        sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
        alpha[e] = x;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        sum.x += __shfl_xor_sync(0xffffffffu, sum.x, d);
        sum.y += __shfl_xor_sync(0xffffffffu, sum.y, d);
        sum.z += __shfl_xor_sync(0xffffffffu, sum.z, d);
        sum.w += __shfl_xor_sync(0xffffffffu, sum.w, d);
    }
    const float4 inverse = make_float4(1.0f / sum.x, 1.0f / sum.y, 1.0f / sum.z, 1.0f / sum.w);
    for (int e = begin + lane; e < end; e += 32) {
        const float4 x = alpha[e];
        alpha[e] = make_float4(x.x * inverse.x, x.y * inverse.y, x.z * inverse.z, x.w * inverse.w);
    }
}

/* kmutate launch
   int heads = 12, T = 2048; dim3 block = { 256 }; dim3 grid = { T, heads };
   half scores[heads * T * T] = normal(0, 2);
   alibi_softmax_half((uint4 *)scores, T, heads);
*/
// Softmax of scores in halves, in place, with a slope by distance for each head; a row in the registers of a block.
__global__ void __launch_bounds__(256) alibi_softmax_half(uint4 *scores, int T, int heads)
{
    __shared__ float parts[2][8];
    const int row = blockIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    uint4 *at = scores + ((size_t)blockIdx.y * T + row) * (T / 8) + threadIdx.x;
    const float slope = exp2f(-8.0f * (blockIdx.y + 1) / heads);
    uint4 packed = *at;
    half2 *pairs = reinterpret_cast<half2 *>(&packed);
    float v[8], top = -1e30f, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float2 two = __half22float2(pairs[k]);
        const int column = threadIdx.x * 8 + 2 * k;
        v[2 * k] = two.x * 0.125f - slope * abs(row - column);
        v[2 * k + 1] = two.y * 0.125f - slope * abs(row - column - 1);
        top = fmaxf(top, fmaxf(v[2 * k], v[2 * k + 1]));
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    if (lane == 0) parts[0][w] = top;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        top = fmaxf(top, parts[0][k]);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        v[k] = exp2f((v[k] - top) * 1.4426950f);
        sum += v[k];
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) parts[1][w] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += parts[1][k];
    const float inverse = __frcp_rn(sum);
#pragma unroll
    for (int k = 0; k < 4; k++)
        pairs[k] = __floats2half2_rn(v[2 * k] * inverse, v[2 * k + 1] * inverse);
    *at = packed;
}

// ---------------------------------------------------------------------------------------------------------- points and rays

/* kmutate launch
   int clouds = 48, n = 4096, wanted = 256; dim3 block = { 512 }; dim3 grid = { clouds };
   int chosen[clouds * wanted] = zeros(); float x[clouds * n] = uniform(0, 1); float y[clouds * n] = uniform(0, 1); float z[clouds * n] = uniform(0, 1);
   farthest_points(chosen, x, y, z, wanted);
*/
// The points of a cloud that are farthest from those taken before: one block for each cloud, a reduction for each point.
__global__ void __launch_bounds__(512) farthest_points(int *chosen, const float *x, const float *y, const float *z, int wanted)
{
    __shared__ float far[16];
    __shared__ int which[16];
    __shared__ int next;
    const int t = threadIdx.x, cloud = blockIdx.x * 4096;
    float px[8], py[8], pz[8], distance[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        px[k] = x[cloud + k * 512 + t];
        py[k] = y[cloud + k * 512 + t];
        pz[k] = z[cloud + k * 512 + t];
        distance[k] = 1e30f;
    }
    int last = 0;
    for (int s = 0; s < wanted; s++) {
        if (t == 0) chosen[blockIdx.x * wanted + s] = last;
        const float lx = x[cloud + last], ly = y[cloud + last], lz = z[cloud + last];
        float most = -1.0f;
        int at = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const float dx = px[k] - lx, dy = py[k] - ly, dz = pz[k] - lz;
            distance[k] = fminf(distance[k], dx * dx + dy * dy + dz * dz);
            if (distance[k] > most) {
                most = distance[k];
                at = k * 512 + t;
            }
        }
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) {
            const float other = __shfl_down_sync(0xffffffffu, most, d);
            const int place = __shfl_down_sync(0xffffffffu, at, d);
            if (other > most || (other == most && place < at)) {
                most = other;
                at = place;
            }
        }
        if (t % 32 == 0) {
            far[t / 32] = most;
            which[t / 32] = at;
        }
        __syncthreads();
        if (t < 32) {
            most = t < 16 ? far[t] : -1.0f;
            at = t < 16 ? which[t] : 0;
            for (int d = 8; d > 0; d >>= 1) {
                const float other = __shfl_down_sync(0xffffffffu, most, d);
                const int place = __shfl_down_sync(0xffffffffu, at, d);
                if (other > most || (other == most && place < at)) {
                    most = other;
                    at = place;
                }
            }
            if (t == 0) next = at;
        }
        __syncthreads();
        last = next;
    }
}

/* kmutate launch
   int clouds = 16, n = 8192, centres = 2048; dim3 block = { 128 }; dim3 grid = { ceil_div(centres, 128), clouds };
   int index[clouds * centres * 32] = zeros(); float xyz[clouds * n * 3] = uniform(0, 1); float centre[clouds * centres * 3] = uniform(0, 1);
   ball_query(index, xyz, centre, n, centres, 0.15f, 32);
*/
// The first 32 points of a cloud within a radius of each centre; the rest is filled with the first one.
__global__ void ball_query(int *index, const float *xyz, const float *centre, int n, int centres, float radius, int samples)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= centres) return;
    const float *points = xyz + (size_t)blockIdx.y * n * 3, *me = centre + ((size_t)blockIdx.y * centres + j) * 3;
    int *out = index + ((size_t)blockIdx.y * centres + j) * samples;
    float x = me[0], y = me[1], z = me[2], limit = radius * radius;
    int found = 0;
    for (int k = 0; k < n && found < samples; k++) {
        float dx = x - points[3 * k], dy = y - points[3 * k + 1], dz = z - points[3 * k + 2];
        if (dx * dx + dy * dy + dz * dz < limit) {
            if (found == 0)
                for (int s = 0; s < samples; s++)
                    out[s] = k;
            out[found++] = k;
        }
    }
}

/* kmutate launch
   int na = 1280, nb = 1024; dim3 block = { 32, 8 }; dim3 grid = { nb / 32, na / 8 };
   float iou[na * nb] = zeros(); float4 place_a[na] = uniform(8, 40); float angle_a[na] = uniform(-1.5, 1.5); float4 place_b[nb] = uniform(8, 40); float angle_b[nb] = uniform(-1.5, 1.5);
   rotated_iou(iou, place_a, angle_a, place_b, angle_b, na, nb);
*/
// The overlap of turned rectangles: one is cut by the four sides of the other, with the corners in a local array.
__global__ void rotated_iou(float *iou, const float4 *place_a, const float *angle_a, const float4 *place_b, const float *angle_b, int na, int nb)
{
    const int b = blockIdx.x * 32 + threadIdx.x, a = blockIdx.y * 8 + threadIdx.y;
    if (a >= na || b >= nb) return;
    const float4 p = place_a[a], q = place_b[b];
    const float ca = cosf(angle_a[a]), sa = sinf(angle_a[a]), cb = cosf(angle_b[b]), sb = sinf(angle_b[b]);
    float2 corner[2][10];
    for (int k = 0; k < 4; k++) {
        const float dx = (k == 0 || k == 3 ? -0.5f : 0.5f) * p.z, dy = (k < 2 ? -0.5f : 0.5f) * p.w;
        const float x = p.x + ca * dx - sa * dy - q.x, y = p.y + sa * dx + ca * dy - q.y;
        corner[0][k] = make_float2(cb * x + sb * y, cb * y - sb * x);
    }
    int count = 4, now = 0;
    for (int side = 0; side < 4 && count > 0; side++) {
        const float nx = side == 0 ? 1.0f : side == 1 ? -1.0f : 0.0f, ny = side == 2 ? 1.0f : side == 3 ? -1.0f : 0.0f, limit = 0.5f * (side < 2 ? q.z : q.w);
        int made = 0;
        float2 before = corner[now][count - 1];
        float d0 = nx * before.x + ny * before.y - limit;
        for (int k = 0; k < count; k++) {
            const float2 here = corner[now][k];
            const float d1 = nx * here.x + ny * here.y - limit;
            if ((d0 <= 0.0f) != (d1 <= 0.0f) && made < 10) {
                const float f = d0 / (d0 - d1);
                corner[now ^ 1][made++] = make_float2(before.x + f * (here.x - before.x), before.y + f * (here.y - before.y));
            }
            if (d1 <= 0.0f && made < 10) corner[now ^ 1][made++] = here;
            before = here;
            d0 = d1;
        }
        now ^= 1;
        count = made;
    }
    float area = 0.0f;
    for (int k = 0; k < count; k++) {
        const float2 u = corner[now][k], v = corner[now][k + 1 == count ? 0 : k + 1];
        area += u.x * v.y - u.y * v.x;
    }
    area = 0.5f * fabsf(area);
    iou[(size_t)a * nb + b] = area / (p.z * p.w + q.z * q.w - area);
}

/* kmutate launch
   int n = 900000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   extern float2 c_polygon[500] = uniform(-1, 1);
   unsigned char inside[n] = zeros(); float x[n] = uniform(-1.2, 1.2); float y[n] = uniform(-1.2, 1.2);
   point_in_polygon(inside, x, y, n, 500);
*/
// Which points are inside of a polygon: each side is asked whether a ray to the right crosses it.
__constant__ float2 c_polygon[500];

__global__ void point_in_polygon(unsigned char *inside, const float *x, const float *y, int n, int corners)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float px = x[i], py = y[i];
    bool in = false;
    for (int a = 0, b = corners - 1; a < corners; b = a++) {
        float2 p = c_polygon[a], q = c_polygon[b];
        if ((p.y > py) != (q.y > py) && px < (q.x - p.x) * (py - p.y) / (q.y - p.y) + p.x) in = !in;
    }
    inside[i] = in;
}

/* kmutate launch
   int w = 1024, h = 768, side = 256; dim3 block = { 16, 8 }; dim3 grid = { w / 16, h / 8 };
   int hit[w * h] = zeros(); float depth[w * h] = zeros(); unsigned char grid_cells[side * side * side] = randint(0, 96);
   voxel_dda(hit, depth, grid_cells, w, h, side);
*/
// Rays through a grid of cells from wall to wall until one is filled: each step goes where the next wall is nearest.
__global__ void voxel_dda(int *hit, float *depth, const unsigned char *grid_cells, int w, int h, int side)
{
    const int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    const float u = (px + 0.5f) / w - 0.5f, v = (py + 0.5f) / h - 0.5f;
    const float ox = (0.5f + 0.6f * u) * side, oy = (0.5f + 0.6f * v) * side;
    const float length = rsqrtf(u * u * 0.36f + v * v * 0.36f + 1.0f), dx = 0.6f * u * length, dy = 0.6f * v * length, dz = length;
    int x = (int)ox, y = (int)oy, z = 0, found = -1;
    const int sx = dx > 0.0f ? 1 : -1, sy = dy > 0.0f ? 1 : -1;
    const float ax = 1.0f / fmaxf(fabsf(dx), 1e-6f), ay = 1.0f / fmaxf(fabsf(dy), 1e-6f), az = 1.0f / dz;
    float tx = (dx > 0.0f ? x + 1 - ox : ox - x) * ax, ty = (dy > 0.0f ? y + 1 - oy : oy - y) * ay, tz = az, t = 0.0f;
    while (x >= 0 && y >= 0 && x < side && y < side && z < side) {
        const int cell = (z * side + y) * side + x;
        if (grid_cells[cell] == 0) {
            found = cell;
            break;
        }
        if (tx < ty && tx < tz) {
            t = tx;
            tx += ax;
            x += sx;
        } else if (ty < tz) {
            t = ty;
            ty += ay;
            y += sy;
        } else {
            t = tz;
            tz += az;
            z++;
        }
    }
    hit[py * w + px] = found;
    depth[py * w + px] = found >= 0 ? t : INFINITY;
}

// -------------------------------------------------------------------------------------------------------- codes and ciphers

/* kmutate launch
   int pages = 40960, words = 512; dim3 block = { 128 }; dim3 grid = { pages * 4 / 128 };
   unsigned long long hash[pages] = zeros(); unsigned raw[2 * pages * words] = randint(0, 4294967296ll);
   xxhash_pages(hash, (unsigned long long *)raw, words, 77);
*/
// The hash of pages of 4096 bytes in words of 64 bits: four lanes have the four sums of a page.
__device__ __forceinline__ unsigned long long turn_left(unsigned long long x, int r) { return x << r | x >> (64 - r); }

__global__ void xxhash_pages(unsigned long long *__restrict__ hash, const unsigned long long *__restrict__ data, int words, unsigned long long seed)
{
    const unsigned long long p1 = 11400714785074694791ull, p2 = 14029467366897019727ull, p3 = 1609587929392839161ull, p4 = 9650029242287828579ull;
    const int page = (blockIdx.x * blockDim.x + threadIdx.x) / 4, part = threadIdx.x & 3;
    const unsigned long long *from = data + (size_t)page * words + part;
    unsigned long long acc = seed + (part == 0 ? p1 + p2 : part == 1 ? p2 : part == 2 ? 0 : 0 - p1);
#pragma unroll 8
    for (int i = 0; i < words; i += 4)
        acc = turn_left(acc + from[i] * p2, 31) * p1;
    unsigned long long sum = turn_left(acc, part == 0 ? 1 : part == 1 ? 7 : part == 2 ? 12 : 18);
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    const unsigned long long mixed = turn_left(acc * p2, 31) * p1;
#pragma unroll
    for (int k = 0; k < 4; k++)
        sum = (sum ^ __shfl_sync(0xffffffffu, mixed, k, 4)) * p1 + p4;
    sum += words * 8ull;
    sum = (sum ^ sum >> 33) * p2;
    sum = (sum ^ sum >> 29) * p3;
    if (part == 0) hash[page] = sum ^ sum >> 32;
}

/* kmutate launch
   int n = 270336; dim3 block = { 128 }; dim3 grid = { n / 128 };
   unsigned element[10 * n] = randint(0, 33554432);
   field25519_squares(element, n, 50);
*/
// Squares, one after the other, of numbers modulo 2^255 - 19 in ten limbs of 26 and 25 bits.
__global__ void __launch_bounds__(128) field25519_squares(unsigned *element, int n, int times)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    unsigned f[10];
#pragma unroll
    for (int k = 0; k < 10; k++)
        f[k] = element[(size_t)k * n + i];
    for (int s = 0; s < times; s++) {
        unsigned long long h[10];
#pragma unroll
        for (int k = 0; k < 10; k++)
            h[k] = 0;
#pragma unroll
        for (int a = 0; a < 10; a++)
#pragma unroll
            for (int b = a; b < 10; b++) {
                const unsigned factor = (a == b ? 1u : 2u) * (a & b & 1 ? 2u : 1u);
                const unsigned left = f[a] * factor, right = a + b >= 10 ? f[b] * 19u : f[b];
                h[(a + b) % 10] += (unsigned long long)left * right;
            }
#pragma unroll
        for (int k = 0; k < 9; k++) {
            h[k + 1] += h[k] >> (k & 1 ? 25 : 26);
            h[k] &= k & 1 ? 0x1ffffffu : 0x3ffffffu;
        }
        h[0] += (h[9] >> 25) * 19u;
        h[9] &= 0x1ffffffu;
        h[1] += h[0] >> 26;
        h[0] &= 0x3ffffffu;
#pragma unroll
        for (int k = 0; k < 10; k++)
            f[k] = (unsigned)h[k];
    }
#pragma unroll
    for (int k = 0; k < 10; k++)
        element[(size_t)k * n + i] = f[k];
}

/* kmutate launch
   int codewords = 270336, words = 56; dim3 block = { 256 }; dim3 grid = { codewords / 256 };
   unsigned parity[8 * codewords] = zeros(); unsigned data[words * codewords] = randint(0, 4294967296ll); unsigned table[2048] = randint(0, 4294967296ll);
   reed_solomon_parity(parity, data, (uint4 *)table, codewords, words);
*/
// The 32 bytes of parity of Reed and Solomon's code: a shift register of eight words, and a table in shared memory of what the
// generator gives for each byte.
__global__ void __launch_bounds__(256) reed_solomon_parity(unsigned *__restrict__ parity, const unsigned *__restrict__ data, const uint4 *__restrict__ table, int codewords, int words)
{
    __shared__ uint4 rows[512];
    for (int i = threadIdx.x; i < 512; i += 256)
        rows[i] = table[i];
    __syncthreads();
    const int c = blockIdx.x * 256 + threadIdx.x;
    if (c >= codewords) return;
    unsigned r[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    for (int w = 0; w < words; w++) {
        const unsigned message = data[(size_t)w * codewords + c];
#pragma unroll
        for (int b = 0; b < 4; b++) {
            const unsigned feedback = (message >> 8 * b ^ r[0]) & 255u;
            const uint4 low = rows[2 * feedback], high = rows[2 * feedback + 1];
            r[0] = __funnelshift_r(r[0], r[1], 8) ^ low.x;
            r[1] = __funnelshift_r(r[1], r[2], 8) ^ low.y;
            r[2] = __funnelshift_r(r[2], r[3], 8) ^ low.z;
            r[3] = __funnelshift_r(r[3], r[4], 8) ^ low.w;
            r[4] = __funnelshift_r(r[4], r[5], 8) ^ high.x;
            r[5] = __funnelshift_r(r[5], r[6], 8) ^ high.y;
            r[6] = __funnelshift_r(r[6], r[7], 8) ^ high.z;
            r[7] = r[7] >> 8 ^ high.w;
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        parity[(size_t)k * codewords + c] = r[k];
}

/* kmutate launch
   int checks = 4096, bits = 8192, batch = 512; dim3 block = { 128 }; dim3 grid = { batch / 128, checks };
   float message[checks * 7 * batch] = normal(); float posterior[bits * batch] = normal(1, 2); int bit[checks * 7] = randint(0, 8192);
   ldpc_min_sum(message, posterior, bit, batch, 0.75f);
*/
// The checks of a code of low density by the smallest two amounts and the product of the signs, a codeword for each lane.
__global__ void ldpc_min_sum(float *message, const float *posterior, const int *bit, int batch, float damping)
{
    int word = blockIdx.x * blockDim.x + threadIdx.x, check = blockIdx.y;
    if (word >= batch) return;
    float incoming[7], least = 1e30f, second = 1e30f;
    int where = 0, negative = 0;
    for (int e = 0; e < 7; e++) {
        float v = posterior[(size_t)bit[check * 7 + e] * batch + word] - message[((size_t)check * 7 + e) * batch + word];
        incoming[e] = v;
        if (v < 0.0f) negative ^= 1;
        float amount = fabsf(v);
        if (amount < least) {
            second = least;
            least = amount;
            where = e;
        } else if (amount < second)
            second = amount;
    }
    for (int e = 0; e < 7; e++) {
        float out = damping * (e == where ? second : least);
        message[((size_t)check * 7 + e) * batch + word] = (incoming[e] < 0.0f) != (negative != 0) ? -out : out;
    }
}

/* kmutate launch
   #define EIGHT(f) f, f, f, f, f, f, f, f
   int streams = 67584, symbols = 512; dim3 block = { 256 }; dim3 grid = { streams / 256 };
   unsigned char out[streams * symbols] = zeros(); unsigned short words[streams * (symbols + 2)] = randint(0, 65536);
   int frequency[64] = { EIGHT(256), EIGHT(128), EIGHT(32), EIGHT(32), EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16) };
   rans_decode(out, words, frequency, streams, symbols);
*/
// Asymmetric numeral systems, a stream for each thread: a table of 4096 places in shared memory, a state, and now and then a word.
__global__ void __launch_bounds__(256) rans_decode(unsigned char *__restrict__ out, const unsigned short *__restrict__ words, const int *__restrict__ frequency, int streams, int symbols)
{
    __shared__ unsigned table[4096];
    __shared__ int first[65];
    if (threadIdx.x == 0) {
        first[0] = 0;
        for (int s = 0; s < 64; s++)
            first[s + 1] = first[s] + frequency[s];
    }
    __syncthreads();
    for (int s = threadIdx.x / 4; s < 64; s += 64)
        for (int slot = first[s] + threadIdx.x % 4; slot < first[s + 1]; slot += 4)
            table[slot] = (unsigned)s << 24 | (unsigned)(first[s + 1] - first[s] - 1) << 12 | (unsigned)(slot - first[s]);
    __syncthreads();
    const int stream = blockIdx.x * 256 + threadIdx.x;
    if (stream >= streams) return;
    const unsigned short *next = words + (size_t)stream * (symbols + 2);
    unsigned state = (unsigned)next[0] << 16 | next[1] | 0x10000u;
    next += 2;
    for (int i = 0; i < symbols; i++) {
        const unsigned entry = table[state & 4095u];
        out[(size_t)i * streams + stream] = entry >> 24;
        state = ((entry >> 12 & 4095u) + 1) * (state >> 12) + (entry & 4095u);
        if (state < 0x10000u) state = state << 16 | *next++;
    }
}

/* kmutate launch
   int n = 32 << 20, frames = n / 1024; dim3 block = { 256 }; dim3 grid = { frames / 8 };
   unsigned packed[frames * 20 * 32] = zeros(); int2 header[frames] = zeros(); unsigned value[n] = randint(700000, 704000);
   bitpack_frames(packed, header, value);
*/
// Frames of 1024 numbers less their smallest, bit by bit: a ballot makes a word of each bit of 32 of them.
__global__ void __launch_bounds__(256) bitpack_frames(unsigned *__restrict__ packed, int2 *__restrict__ header, const unsigned *__restrict__ value)
{
    const int frame = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
    const unsigned *from = value + (size_t)frame * 1024 + lane;
    unsigned v[32], low = 0xffffffffu, high = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        v[k] = from[k * 32];
        low = min(low, v[k]);
        high = max(high, v[k]);
    }
    low = __reduce_min_sync(0xffffffffu, low);
    high = __reduce_max_sync(0xffffffffu, high);
    const int bits = min(32 - __clz(high - low), 20);
    unsigned *to = packed + (size_t)frame * 640 + lane;
    for (int b = 0; b < bits; b++) {
        unsigned word = 0;
#pragma unroll
        for (int k = 0; k < 32; k++) {
            const unsigned votes = __ballot_sync(0xffffffffu, (v[k] - low) >> b & 1u);
            if (lane == k) word = votes;
        }
        to[b * 32] = word;
    }
    if (lane == 0) header[frame] = make_int2((int)low, bits);
}

/* kmutate launch
   int n = 1 << 19; dim3 block = { 256 }; dim3 grid = { n / 256 };
   unsigned short length[n] = zeros(); unsigned short distance[n] = zeros(); unsigned char text[n + 32] = randint(0, 6);
   lz_longest_match(length, distance, text, n, 192, 32);
*/
// The longest match for each place of a text within a window before it, by trying every start.
__global__ void lz_longest_match(unsigned short *length, unsigned short *distance, const unsigned char *text, int n, int window, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0, back = 0;
    for (int d = 1; d <= window && d <= i; d++) {
        int l = 0;
        while (l < limit && text[i + l] == text[i - d + l]) l++;
        if (l > best) {
            best = l;
            back = d;
        }
    }
    length[i] = best;
    distance[i] = back;
}

// ---------------------------------------------------------------------------------------------------------- tables and text

/* kmutate launch
   int n = 9000000; dim3 block = { 256 }; dim3 grid = { 528 };
   double sums[30] = zeros(); unsigned long long counts[6] = zeros(); unsigned char flag[n] = randint(0, 3); unsigned char status[n] = randint(0, 2); float quantity[n] = uniform(1, 50); float price[n] = uniform(900, 100000);
   float discount[n] = uniform(0, 0.1); float tax[n] = uniform(0, 0.08); int date[n] = randint(8000, 10600);
   group_q1(sums, counts, flag, status, quantity, price, discount, tax, date, n, 10471);
*/
// A report of prices by two small keys: a warp's own sums in shared memory, where its lanes add by atomics.
__global__ void __launch_bounds__(256) group_q1(double *sums, unsigned long long *counts, const unsigned char *flag, const unsigned char *status, const float *quantity, const float *price, const float *discount,
                                               const float *tax, const int *date, int n, int last)
{
    __shared__ float parts[8][6][6];
    const int w = threadIdx.x >> 5;
    for (int i = threadIdx.x; i < 8 * 36; i += 256)
        (&parts[0][0][0])[i] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        if (date[i] > last) continue;
        float *group = parts[w][flag[i] * 2 + status[i]];
        const float p = price[i], d = discount[i], sold = p * (1.0f - d);
        atomicAdd(group, quantity[i]);
        atomicAdd(group + 1, p);
        atomicAdd(group + 2, sold);
        atomicAdd(group + 3, sold * (1.0f + tax[i]));
        atomicAdd(group + 4, d);
        atomicAdd(group + 5, 1.0f);
    }
    __syncthreads();
    if (threadIdx.x < 36) {
        const int g = threadIdx.x / 6, c = threadIdx.x % 6;
        double sum = 0.0;
        for (int k = 0; k < 8; k++)
            sum += parts[k][g][c];
        if (c < 5)
            atomicAdd(&sums[g * 5 + c], sum);
        else
            atomicAdd(&counts[g], (unsigned long long)sum);
    }
}

/* kmutate launch
   int rows = 1500000, lo = 2, hi = 44; dim3 block = { 256 }; dim3 grid = { ceil_div(rows * 8, 256) };
   int bytes = csr_nnz(rows, lo, hi);
   unsigned char out[rows * 48] = zeros(); int offset[rows + 1] = csr_rowptr(rows, lo, hi); unsigned char text[bytes] = randint(97, 123); int row[rows] = permutation();
   varchar_to_char(out, offset, text, row, rows);
*/
// Strings of different lengths, taken in another order, to a column of 48 characters each with blanks behind; eight lanes have one.
__global__ void varchar_to_char(unsigned char *__restrict__ out, const int *__restrict__ offset, const unsigned char *__restrict__ text, const int *__restrict__ row, int rows)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x & 7;
    if (i >= rows) return;
    const int r = row[i], begin = offset[r], length = min(offset[r + 1] - begin, 48);
    for (int c = lane; c < 48; c += 8)
        out[(size_t)i * 48 + c] = c < length ? text[begin + c] : ' ';
}

/* kmutate launch
   int pairs = 160000; dim3 block = { 256 }; dim3 grid = { ceil_div(pairs, 16) };
   float cosine[pairs] = zeros(); float4 a[pairs * 32] = normal(); float4 table[20000 * 32] = normal(); int which[pairs] = randint(0, 20000);
   cosine_tiles(cosine, a, table, which, pairs);
*/
// The cosine of vectors of 128 numbers and others from a table: a tile of sixteen lanes for each, with the group's own reduction.
__global__ void cosine_tiles(float *__restrict__ cosine, const float4 *__restrict__ a, const float4 *__restrict__ table, const int *__restrict__ which, int pairs)
{
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int pair = blockIdx.x * 16 + threadIdx.x / 16;
    if (pair >= pairs) return;
    const float4 *x = a + (size_t)pair * 32, *y = table + (size_t)which[pair] * 32;
    float xy = 0.0f, xx = 0.0f, yy = 0.0f;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const float4 u = x[tile.thread_rank() + 16 * k], v = y[tile.thread_rank() + 16 * k];
        xy += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        xx += u.x * u.x + u.y * u.y + u.z * u.z + u.w * u.w;
        yy += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    xy = cg::reduce(tile, xy, cg::plus<float>());
    xx = cg::reduce(tile, xx, cg::plus<float>());
    yy = cg::reduce(tile, yy, cg::plus<float>());
    if (tile.thread_rank() == 0) cosine[pair] = xy * rsqrtf(xx * yy + 1e-12f);
}

/* kmutate launch
   int n = 1 << 25; dim3 block = { 256 }; dim3 grid = { ceil_div(n / 2, 256) };
   int data[n] = randint(0, 1000000000);
   odd_even_transposition(data, n, 1);
*/
// One phase of the sort that compares each with its neighbour.
__global__ void odd_even_transposition(int *data, int n, int phase)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
    if (i + 1 < n && data[i] > data[i + 1]) {
        int t = data[i];
        data[i] = data[i + 1];
        data[i + 1] = t;
    }
}

/* kmutate launch
   int nodes = 2000000, lo = 3, hi = 25; dim3 block = { 256 }; dim3 grid = { ceil_div(nodes, 256) };
   int edges = csr_nnz(nodes, lo, hi);
   int out[nodes] = zeros(); int color[nodes] = randint(0, 4); int start[nodes + 1] = csr_rowptr(nodes, lo, hi); int neighbour[edges] = csr_colidx(nodes);
   jones_plassmann(out, color, start, neighbour, nodes, 4);
*/
// A round of colouring a graph: a node without a colour gets the round's if no such neighbour has a greater random number.
__global__ void jones_plassmann(int *out, const int *color, const int *start, const int *neighbour, int nodes, int round)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes) return;
    int mine = color[v];
    if (mine == 0) {
        unsigned own = mix_bits(v);
        bool greatest = true;
        for (int e = start[v]; e < start[v + 1]; e++) {
            int u = neighbour[e];
            if (u == v || color[u] != 0) continue;
            unsigned other = mix_bits(u);
            if (other > own || (other == own && u > v)) {
                greatest = false;
                break;
            }
        }
        if (greatest) mine = round;
    }
    out[v] = mine;
}

// ------------------------------------------------------------------------------------------------------ genomes and chances

/* kmutate launch
   int reads = 2112, haplotypes = 4; dim3 block = { 128 }; dim3 grid = { reads / 4, haplotypes };
   float likelihood[reads * haplotypes] = zeros(); unsigned char read[reads * 128] = randint(0, 4); float error[reads * 128] = uniform(0.0005, 0.03); unsigned char haplotype[haplotypes * 256] = randint(0, 4);
   pair_hmm_warp(likelihood, read, error, haplotype, reads);
*/
// How likely a read of 128 bases comes from a haplotype of 256: a warp for a pair, four bases for each lane, the front moves
// aslant with shuffles.
__global__ void __launch_bounds__(128) pair_hmm_warp(float *__restrict__ likelihood, const unsigned char *__restrict__ read, const float *__restrict__ error, const unsigned char *__restrict__ haplotype, int reads)
{
    __shared__ unsigned char bases[256];
    for (int i = threadIdx.x; i < 256; i += 128)
        bases[i] = haplotype[blockIdx.y * 256 + i];
    __syncthreads();
    const int lane = threadIdx.x & 31, r = blockIdx.x * 4 + threadIdx.x / 32;
    const float mm = 0.998f, gap = 0.001f, stay = 0.1f, back = 0.9f;
    int own[4];
    float same[4], other[4], m[4], ins[4], del[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        own[k] = read[r * 128 + lane * 4 + k];
        const float e = error[r * 128 + lane * 4 + k];
        same[k] = 1.0f - e;
        other[k] = e * (1.0f / 3.0f);
        m[k] = ins[k] = del[k] = 0.0f;
    }
    const float start = 1e30f / 256.0f;
    float up_m = 0.0f, up_i = 0.0f, up_d = lane == 0 ? start : 0.0f, sum = 0.0f;
    for (int step = 0; step < 256 + 31; step++) {
        const int j = step - lane;
        float now_m = __shfl_up_sync(0xffffffffu, m[3], 1), now_i = __shfl_up_sync(0xffffffffu, ins[3], 1), now_d = __shfl_up_sync(0xffffffffu, del[3], 1);
        if (lane == 0) {
            now_m = now_i = 0.0f;
            now_d = start;
        }
        if (j >= 0 && j < 256) {
            const int base = bases[j];
            float diagonal_m = up_m, diagonal_i = up_i, diagonal_d = up_d, above_m = now_m, above_i = now_i;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const float old_m = m[k], old_i = ins[k], old_d = del[k];
                m[k] = (own[k] == base ? same[k] : other[k]) * (mm * diagonal_m + back * (diagonal_i + diagonal_d));
                ins[k] = gap * above_m + stay * above_i;
                del[k] = gap * old_m + stay * old_d;
                diagonal_m = old_m;
                diagonal_i = old_i;
                diagonal_d = old_d;
                above_m = m[k];
                above_i = ins[k];
            }
            sum += m[3] + ins[3];
        }
        up_m = now_m;
        up_i = now_i;
        up_d = now_d;
    }
    if (lane == 31) likelihood[blockIdx.y * reads + r] = log10f(sum) - 30.0f;
}

/* kmutate launch
   int paths = 67584; dim3 block = { 64 }; dim3 grid = { paths / 64 };
   float value[paths] = zeros(); float shock[40 * paths] = normal(); float volatility[80] = uniform(0.1, 0.3);
   libor_paths(value, shock, volatility, paths, 0.25f);
*/
// Paths of eighty forward rates through forty dates, the rates in a local array, and swaptions at the end.
__global__ void __launch_bounds__(64) libor_paths(float *value, const float *shock, const float *volatility, int paths, float delta)
{
    const int p = blockIdx.x * 64 + threadIdx.x;
    if (p >= paths) return;
    float rate[80];
    for (int i = 0; i < 80; i++)
        rate[i] = 0.05f;
    for (int n = 0; n < 40; n++) {
        const float jump = sqrtf(delta) * shock[(size_t)n * paths + p];
        float drift = 0.0f;
        for (int i = n + 1; i < 80; i++) {
            const float sigma = volatility[i - n - 1], carry = delta * sigma;
            drift += carry * rate[i] / (1.0f + delta * rate[i]);
            rate[i] *= __expf(carry * drift + sigma * (jump - 0.5f * carry));
        }
    }
    float bond = 1.0f, coupons = 0.0f, sum = 0.0f;
    for (int n = 40; n < 80; n++) {
        bond /= 1.0f + delta * rate[n];
        coupons += delta * bond;
        if (n % 5 == 4) sum += fmaxf(coupons * 0.05f + bond - 1.0f, 0.0f);
    }
    float discount = 1.0f;
    for (int n = 0; n < 40; n++)
        discount /= 1.0f + delta * rate[n];
    value[p] = 100.0f * discount * sum;
}

/* kmutate launch
   int generators = 528, rounds = 96; dim3 block = { 256 }; dim3 grid = { generators };
   float out[generators * 624 * rounds] = zeros();
   mt_twister_block(out, rounds, 5489u);
*/
// The Mersenne twister, one for each block: the 624 words stand in shared memory and are renewed in three parts.
__global__ void __launch_bounds__(256) mt_twister_block(float *out, int rounds, unsigned seed)
{
    __shared__ unsigned state[624];
    const int t = threadIdx.x;
    for (int i = t; i < 624; i += 256)
        state[i] = mix_bits(seed + (blockIdx.x * 624 + i) * 0x9e3779b9u);
    __syncthreads();
    float *to = out + (size_t)blockIdx.x * rounds * 624;
    for (int r = 0; r < rounds; r++, to += 624) {
        for (int first = 0; first < 624; first += 227) {
            const int i = first + t;
            unsigned next = 0;
            const bool mine = t < 227 && i < 624;
            if (mine) {
                const unsigned y = (state[i] & 0x80000000u) | (state[i == 623 ? 0 : i + 1] & 0x7fffffffu);
                next = state[i < 227 ? i + 397 : i - 227] ^ y >> 1 ^ (y & 1u ? 0x9908b0dfu : 0u);
            }
            __syncthreads();
            if (mine) state[i] = next;
            __syncthreads();
        }
        for (int i = t; i < 624; i += 256) {
            unsigned y = state[i];
            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680u;
            y ^= y << 15 & 0xefc60000u;
            y ^= y >> 18;
            to[i] = (y >> 8) * 5.9604645e-8f;
        }
        __syncthreads();
    }
}

/* kmutate launch
   int n = 2000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   float point[6 * n] = zeros(); int prime[6] = { 2, 3, 5, 7, 11, 13 };
   halton_points(point, prime, n, 1000);
*/
// Halton's points in six dimensions: the digits of a number in six bases backwards, by division.
__global__ void halton_points(float *point, const int *prime, int n, int skip)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int d = 0; d < 6; d++) {
        int base = prime[d], rest = i + skip;
        float inverse = 1.0f / base, weight = inverse, sum = 0.0f;
        while (rest > 0) {
            sum += weight * (rest % base);
            rest /= base;
            weight *= inverse;
        }
        point[(size_t)d * n + i] = sum;
    }
}
