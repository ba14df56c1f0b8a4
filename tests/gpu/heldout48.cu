#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int rows = 3000, cols = 3500;
   dim3 grid = { (max(rows, cols) + 127) / 128, 2 }, block = { 128 };
   float a[rows * cols] = uniform(-1, 1);
   float p[cols] = uniform(-1, 1);
   float r[rows] = uniform(-1, 1);
   float q[rows] = zeros(), s[cols] = zeros();
   direction_by_rows_and_shadow_residual_by_columns_in_two_grid_layers(a, p, r, q, s, rows, cols);
*/
__global__ void direction_by_rows_and_shadow_residual_by_columns_in_two_grid_layers(const float *__restrict__ a,
                                                                                    const float *__restrict__ p,
                                                                                    const float *__restrict__ r,
                                                                                    float *__restrict__ q,
                                                                                    float *__restrict__ s, int rows,
                                                                                    int cols)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.f;
    if (blockIdx.y == 0) {
        if (i >= rows) return;
        for (int j = 0; j < cols; ++j) sum += a[i * cols + j] * p[j];
        q[i] = sum;
    } else {
        if (i >= cols) return;
        for (int j = 0; j < rows; ++j) sum += a[j * cols + i] * r[j];
        s[i] = sum;
    }
}

/* kmutate launch
   int rows = 5000, cols = 6100;
   dim3 grid = { (cols + 31) / 32, (rows + 7) / 8 }, block = { 32, 8 };
   float a[rows * cols] = uniform(-1, 1);
   float u1[rows] = uniform(-1, 1), v1[cols] = uniform(-1, 1);
   float u2[rows] = uniform(-1, 1), v2[cols] = uniform(-1, 1);
   matrix_plus_pair_of_rank_one_terms_in_place(a, u1, v1, u2, v2, rows, cols);
*/
__global__ void matrix_plus_pair_of_rank_one_terms_in_place(float *__restrict__ a, const float *__restrict__ u1,
                                                            const float *__restrict__ v1,
                                                            const float *__restrict__ u2,
                                                            const float *__restrict__ v2, int rows, int cols)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) a[row * cols + col] += u1[row] * v1[col] + u2[row] * v2[col];
}

/* kmutate launch
   int samples = 1200, features = 1000;
   dim3 grid = { (features + 15) / 16, (features + 15) / 16 }, block = { 16, 16 };
   double data[samples * features] = normal(3, 2);
   double mean[features] = uniform(2.9, 3.1);
   double cov[features * features] = zeros();
   covariance_of_feature_pairs_fp64_upper_threads_write_both_sides(data, mean, cov, samples, features);
*/
__global__ void covariance_of_feature_pairs_fp64_upper_threads_write_both_sides(const double *__restrict__ data,
                                                                                const double *__restrict__ mean,
                                                                                double *__restrict__ cov, int samples,
                                                                                int features)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= features || j >= features || j < i) return;

    const double mean_i = mean[i], mean_j = mean[j];
    double sum = 0.0;
    for (int k = 0; k < samples; ++k)
        sum += (data[k * features + i] - mean_i) * (data[k * features + j] - mean_j);
    sum /= samples - 1;
    cov[i * features + j] = sum;
    cov[j * features + i] = sum;
}

/* kmutate launch
   int slabs = 600, nq = 96, np = 64, ns = 256;
   dim3 grid = { 1, np, slabs }, block = { ns / 2 };
   half cube[slabs * nq * ns] = uniform(-1, 1);
   float basis[np * nq] = uniform(-0.1, 0.1);
   half out[slabs * np * ns] = zeros();
   contract_middle_index_of_half_cube_with_small_basis((half2 *)cube, basis, (half2 *)out, nq, np, ns / 2);
*/
__global__ void contract_middle_index_of_half_cube_with_small_basis(const half2 *__restrict__ cube,
                                                                    const float *__restrict__ basis,
                                                                    half2 *__restrict__ out, int nq, int np,
                                                                    int pairs)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    const int p = blockIdx.y;
    const int slab = blockIdx.z;
    if (s >= pairs) return;

    float2 sum = make_float2(0.f, 0.f);
    for (int q = 0; q < nq; ++q) {
        const float m = basis[p * nq + q];
        const float2 v = __half22float2(cube[(slab * nq + q) * pairs + s]);
        sum.x += m * v.x;
        sum.y += m * v.y;
    }
    out[(slab * np + p) * pairs + s] = __float22half2_rn(sum);
}

/* kmutate launch
   int m = 160, n = 20000;
   dim3 grid = { (n + 63) / 64 }, block = { 64 };
   float a[m * m] = uniform(-0.1, 0.1);
   float b[m * n] = uniform(-1, 1);
   transposed_unit_triangle_times_right_hand_sides_in_place(a, b, m, n, 1.25f);
*/
__global__ void transposed_unit_triangle_times_right_hand_sides_in_place(const float *__restrict__ a,
                                                                         float *__restrict__ b, int m, int n,
                                                                         float alpha)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= n) return;
    // Going down, every row only needs rows that are not overwritten yet.
    for (int i = 0; i < m; ++i) {
        float sum = b[i * n + col];
        for (int k = i + 1; k < m; ++k) sum += a[k * m + i] * b[k * n + col];
        b[i * n + col] = alpha * sum;
    }
}

/* kmutate launch
   int m = 768, n = 1000;
   dim3 grid = { (n + 63) / 64, (m + 3) / 4 }, block = { 64, 4 };
   float a[m * m] = uniform(-1, 1);
   float b[m * n] = uniform(-1, 1);
   float c[m * n] = uniform(-1, 1);
   symmetric_times_dense_walks_stored_row_then_stored_column(a, b, c, m, n, 1.5f, 0.5f);
*/
__global__ void symmetric_times_dense_walks_stored_row_then_stored_column(const float *__restrict__ a,
                                                                          const float *__restrict__ b,
                                                                          float *__restrict__ c, int m, int n,
                                                                          float alpha, float beta)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;

    // Only the lower triangle of a is stored.
    float sum = 0.f;
    for (int k = 0; k <= row; ++k) sum += a[row * m + k] * b[k * n + col];
    for (int k = row + 1; k < m; ++k) sum += a[k * m + row] * b[k * n + col];
    c[row * n + col] = alpha * sum + beta * c[row * n + col];
}

/* kmutate launch
   int rows = 4098, cols = 600;
   dim3 grid = { (rows - 2 + 63) / 64 }, block = { 64 };
   double u[rows * cols] = uniform(0, 1);
   double inverse_pivot[cols] = uniform(0.55, 0.65);
   double v[rows * cols] = zeros();
   alternating_direction_half_step_implicit_along_row_fp64(u, inverse_pivot, v, rows, cols, 0.4);
*/
__global__ void alternating_direction_half_step_implicit_along_row_fp64(const double *__restrict__ u,
                                                                        const double *__restrict__ inverse_pivot,
                                                                        double *__restrict__ v, int rows, int cols,
                                                                        double h)
{
    const int row = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows - 1) return;
    const double *here = u + (size_t)row * cols;
    const double *above = here - cols;
    const double *below = here + cols;
    double *out = v + (size_t)row * cols;

    double carry = 0.0;
    out[0] = 0.0;
    for (int j = 1; j < cols - 1; ++j) {
        const double rhs = h * (above[j] + below[j]) + (1.0 - 2.0 * h) * here[j];
        carry = (rhs + h * carry) * inverse_pivot[j];
        out[j] = carry;
    }
    double next = 0.0;
    out[cols - 1] = 0.0;
    for (int j = cols - 2; j > 0; --j) {
        next = out[j] + h * inverse_pivot[j] * next;
        out[j] = next;
    }
}

/* kmutate launch
   int nx = 512, ny = 384, nz = 162, planes = 40;
   dim3 grid = { nx / 32, ny / 8, (nz - 2 + planes - 1) / planes }, block = { 32, 8 };
   float in[nx * ny * nz] = uniform(0, 1);
   float out[nx * ny * nz] = zeros();
   convolve_volume_centre_faces_corners_while_walking_planes(in, out, nx, ny, nz, planes);
*/
__global__ void convolve_volume_centre_faces_corners_while_walking_planes(const float *__restrict__ in,
                                                                          float *__restrict__ out, int nx, int ny,
                                                                          int nz, int planes)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;

    const int plane = nx * ny;
    const int first = 1 + blockIdx.z * planes;
    const int last = min(first + planes, nz - 1);
    for (int z = first; z < last; ++z) {
        const float *p = in + z * plane + y * nx + x;
        const float faces = p[-1] + p[1] + p[-nx] + p[nx] + p[-plane] + p[plane];
        const float corners = p[-plane - nx - 1] + p[-plane - nx + 1] + p[-plane + nx - 1] + p[-plane + nx + 1] +
                              p[plane - nx - 1] + p[plane - nx + 1] + p[plane + nx - 1] + p[plane + nx + 1];
        out[z * plane + y * nx + x] = 0.4f * p[0] + 0.07f * faces + 0.0225f * corners;
    }
}

/* kmutate launch
   int m = 1024, n = 1024, k = 128;
   dim3 grid = { m / 16, n / 16 }, block = { 16, 16 };
   float a[m * k] = uniform(-1, 1);
   float b[k * n] = uniform(-1, 1);
   float c[m * n] = uniform(-1, 1);
   sgemm_stage_one_neighbouring_threads_take_neighbouring_rows(a, b, c, m, n, k, 1.5f, 0.5f);
*/
__global__ void sgemm_stage_one_neighbouring_threads_take_neighbouring_rows(const float *__restrict__ a,
                                                                            const float *__restrict__ b,
                                                                            float *__restrict__ c, int m, int n, int k,
                                                                            float alpha, float beta)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.f;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = alpha * sum + beta * c[row * n + col];
}

/* kmutate launch
   int n = 1000;
   dim3 grid = { (n + 23) / 24, (n + 23) / 24 }, block = { 24, 24 };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = zeros();
   sgemm_stage_two_ragged_squares_of_24_in_shared(a, b, c, n);
*/
__global__ void __launch_bounds__(576)
sgemm_stage_two_ragged_squares_of_24_in_shared(const float *__restrict__ a, const float *__restrict__ b,
                                               float *__restrict__ c, int n)
{
    constexpr int SIDE = 24;
    __shared__ float a_tile[SIDE][SIDE], b_tile[SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * SIDE + ty;
    const int col = blockIdx.x * SIDE + tx;

    float sum = 0.f;
    for (int start = 0; start < n; start += SIDE) {
        a_tile[ty][tx] = row < n && start + tx < n ? a[row * n + start + tx] : 0.f;
        b_tile[ty][tx] = col < n && start + ty < n ? b[(start + ty) * n + col] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIDE; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

/* kmutate launch
   int m = 1536, n = 1536, k = 1024;
   dim3 grid = { n / 64, m / 48 }, block = { 64, 8 };
   float a[m * k] = uniform(-1, 1);
   float b[k * n] = uniform(-1, 1);
   float c[m * n] = zeros();
   sgemm_stage_three_six_rows_per_thread_in_tiles_of_48_by_64(a, b, c, n, k);
*/
__global__ void __launch_bounds__(512)
sgemm_stage_three_six_rows_per_thread_in_tiles_of_48_by_64(const float *__restrict__ a, const float *__restrict__ b,
                                                           float *__restrict__ c, int n, int k)
{
    constexpr int TILE_M = 48, TILE_N = 64, TILE_K = 16, ROWS = 6;
    __shared__ float a_tile[TILE_M][TILE_K];
    __shared__ float b_tile[TILE_K][TILE_N];
    const int thread = threadIdx.y * TILE_N + threadIdx.x;
    const int row0 = blockIdx.y * TILE_M, col0 = blockIdx.x * TILE_N;

    float sum[ROWS] = {};
    for (int start = 0; start < k; start += TILE_K) {
        for (int i = thread; i < TILE_M * TILE_K; i += 512)
            a_tile[i / TILE_K][i % TILE_K] = a[(row0 + i / TILE_K) * k + start + i % TILE_K];
        for (int i = thread; i < TILE_K * TILE_N; i += 512)
            b_tile[i / TILE_N][i % TILE_N] = b[(start + i / TILE_N) * n + col0 + i % TILE_N];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE_K; ++i) {
            const float right = b_tile[i][threadIdx.x];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) sum[r] += a_tile[threadIdx.y * ROWS + r][i] * right;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) c[(row0 + threadIdx.y * ROWS + r) * n + col0 + threadIdx.x] = sum[r];
}

/* kmutate launch
   int n = 1536;
   dim3 grid = { n / 96, n / 96 }, block = { 256 };
   float a[n * n] = uniform(-1, 1);
   float b[n * n] = uniform(-1, 1);
   float c[n * n] = uniform(-1, 1);
   sgemm_stage_four_six_by_six_spread_outputs_in_tiles_of_96(a, b, c, n, 1.5f, 0.5f);
*/
__global__ void __launch_bounds__(256)
sgemm_stage_four_six_by_six_spread_outputs_in_tiles_of_96(const float *__restrict__ a, const float *__restrict__ b,
                                                          float *__restrict__ c, int n, float alpha, float beta)
{
    constexpr int TILE = 96, DEPTH = 8, SIDE = 6, STEP = 16;
    __shared__ float a_tile[TILE][DEPTH + 1];
    __shared__ float b_tile[DEPTH][TILE];
    const int tx = threadIdx.x % STEP, ty = threadIdx.x / STEP;
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;

    float sum[SIDE][SIDE] = {};
    for (int start = 0; start < n; start += DEPTH) {
#pragma unroll
        for (int i = 0; i < TILE * DEPTH; i += 256) {
            const int at = i + threadIdx.x;
            a_tile[at / DEPTH][at % DEPTH] = a[(row0 + at / DEPTH) * n + start + at % DEPTH];
            b_tile[at / TILE][at % TILE] = b[(start + at / TILE) * n + col0 + at % TILE];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float left[SIDE], right[SIDE];
#pragma unroll
            for (int s = 0; s < SIDE; ++s) {
                left[s] = a_tile[ty + s * STEP][i];
                right[s] = b_tile[i][tx + s * STEP];
            }
#pragma unroll
            for (int r = 0; r < SIDE; ++r)
#pragma unroll
                for (int s = 0; s < SIDE; ++s) sum[r][s] += left[r] * right[s];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < SIDE; ++r)
#pragma unroll
        for (int s = 0; s < SIDE; ++s) {
            float *const to = c + (row0 + ty + r * STEP) * n + col0 + tx + s * STEP;
            *to = alpha * sum[r][s] + beta * *to;
        }
}

__device__ __forceinline__ void add_scaled(float4 &sum, float factor, const float4 &v)
{
    sum.x += factor * v.x;
    sum.y += factor * v.y;
    sum.z += factor * v.z;
    sum.w += factor * v.w;
}

__device__ __forceinline__ float4 scaled(float factor, const float4 &v)
{
    return make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
}

/* kmutate launch
   int m = 2048, n = 2048, k = 1024;
   dim3 grid = { n / 128, m / 64 }, block = { 256 };
   float a[m * k] = uniform(-1, 1);
   float b[k * n] = uniform(-1, 1);
   float c[m * n] = zeros();
   sgemm_stage_five_quad_loads_and_turned_left_tile_of_64_by_16(a, b, c, n, k, 1.5f);
*/
__global__ void __launch_bounds__(256)
sgemm_stage_five_quad_loads_and_turned_left_tile_of_64_by_16(const float *__restrict__ a, const float *__restrict__ b,
                                                             float *__restrict__ c, int n, int k, float alpha)
{
    constexpr int TILE_M = 64, TILE_N = 128, DEPTH = 16;
    __shared__ __align__(16) float a_turned[DEPTH][TILE_M + 4];
    __shared__ __align__(16) float b_tile[DEPTH][TILE_N];
    const int thread = threadIdx.x;
    const int tx = thread % 16, ty = thread / 16;
    const int row0 = blockIdx.y * TILE_M, col0 = blockIdx.x * TILE_N;

    const int a_row = thread / 4, a_col = thread % 4 * 4;
    const int b_row = thread / 32, b_col = thread % 32 * 4;
    const float *a_from = a + (row0 + a_row) * k + a_col;
    const float *b_from = b + b_row * n + col0 + b_col;

    float4 sum[4][2] = {};
    for (int start = 0; start < k; start += DEPTH) {
        const float4 left = *reinterpret_cast<const float4 *>(a_from);
        a_turned[a_col][a_row] = left.x;
        a_turned[a_col + 1][a_row] = left.y;
        a_turned[a_col + 2][a_row] = left.z;
        a_turned[a_col + 3][a_row] = left.w;
        *reinterpret_cast<float4 *>(&b_tile[b_row][b_col]) = *reinterpret_cast<const float4 *>(b_from);
        *reinterpret_cast<float4 *>(&b_tile[b_row + 8][b_col]) = *reinterpret_cast<const float4 *>(b_from + 8 * n);
        __syncthreads();
        a_from += DEPTH;
        b_from += DEPTH * n;
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            const float4 rows = *reinterpret_cast<const float4 *>(&a_turned[i][ty * 4]);
            const float4 near = *reinterpret_cast<const float4 *>(&b_tile[i][tx * 4]);
            const float4 far = *reinterpret_cast<const float4 *>(&b_tile[i][64 + tx * 4]);
            const float row[4] = { rows.x, rows.y, rows.z, rows.w };
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                add_scaled(sum[r][0], row[r], near);
                add_scaled(sum[r][1], row[r], far);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        float *const to = c + (row0 + ty * 4 + r) * n + col0 + tx * 4;
        *reinterpret_cast<float4 *>(to) = scaled(alpha, sum[r][0]);
        *reinterpret_cast<float4 *>(to + 64) = scaled(alpha, sum[r][1]);
    }
}

/* kmutate launch
   int m = 1920, n = 1536, k = 1280;
   dim3 grid = { n / 64, m / 128 }, block = { 128 };
   float a[m * k] = uniform(-1, 1);
   float b[k * n] = uniform(-1, 1);
   float c[m * n] = zeros();
   sgemm_stage_six_four_warps_of_64_by_32_with_two_buffers(a, b, c, n, k);
*/
__global__ void __launch_bounds__(128)
sgemm_stage_six_four_warps_of_64_by_32_with_two_buffers(const float *__restrict__ a, const float *__restrict__ b,
                                                        float *__restrict__ c, int n, int k)
{
    constexpr int TILE_M = 128, TILE_N = 64, DEPTH = 16;
    __shared__ __align__(16) float a_turned[2][DEPTH][TILE_M + 4];
    __shared__ __align__(16) float b_tile[2][DEPTH][TILE_N];
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    const int warp_row = warp / 2 * 64 + lane / 4 * 4;
    const int warp_col = warp % 2 * 32 + lane % 4 * 4;
    const int row0 = blockIdx.y * TILE_M, col0 = blockIdx.x * TILE_N;

    const int a_row = thread / 4, a_col = thread % 4 * 4;
    const int b_row = thread / 16, b_col = thread % 16 * 4;
    const float *a_from = a + (row0 + a_row) * k + a_col;
    const float *b_from = b + b_row * n + col0 + b_col;
    float4 a_next[4], b_next[2];

    auto fetch = [&](int start) {
#pragma unroll
        for (int i = 0; i < 4; ++i) a_next[i] = *reinterpret_cast<const float4 *>(a_from + i * 32 * k + start);
#pragma unroll
        for (int i = 0; i < 2; ++i) b_next[i] = *reinterpret_cast<const float4 *>(b_from + (start + i * 8) * n);
    };
    auto store = [&](int buffer) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            a_turned[buffer][a_col][a_row + i * 32] = a_next[i].x;
            a_turned[buffer][a_col + 1][a_row + i * 32] = a_next[i].y;
            a_turned[buffer][a_col + 2][a_row + i * 32] = a_next[i].z;
            a_turned[buffer][a_col + 3][a_row + i * 32] = a_next[i].w;
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) *reinterpret_cast<float4 *>(&b_tile[buffer][b_row + i * 8][b_col]) = b_next[i];
    };

    float4 sum[8][2] = {};
    fetch(0);
    store(0);
    __syncthreads();
    int buffer = 0;
    for (int start = 0; start < k; start += DEPTH) {
        const bool more = start + DEPTH < k;
        if (more) fetch(start + DEPTH);
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            const float4 top = *reinterpret_cast<const float4 *>(&a_turned[buffer][i][warp_row]);
            const float4 low = *reinterpret_cast<const float4 *>(&a_turned[buffer][i][warp_row + 32]);
            const float4 near = *reinterpret_cast<const float4 *>(&b_tile[buffer][i][warp_col]);
            const float4 far = *reinterpret_cast<const float4 *>(&b_tile[buffer][i][warp_col + 16]);
            const float row[8] = { top.x, top.y, top.z, top.w, low.x, low.y, low.z, low.w };
#pragma unroll
            for (int r = 0; r < 8; ++r) {
                add_scaled(sum[r][0], row[r], near);
                add_scaled(sum[r][1], row[r], far);
            }
        }
        buffer ^= 1;
        if (more) store(buffer);
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        float *const to = c + (row0 + warp_row + r / 4 * 32 + r % 4) * n + col0 + warp_col;
        *reinterpret_cast<float4 *>(to) = sum[r][0];
        *reinterpret_cast<float4 *>(to + 16) = sum[r][1];
    }
}

__device__ __forceinline__ float sum_of_eight_lanes(float v)
{
    v += __shfl_xor_sync(0xffffffffu, v, 4);
    v += __shfl_xor_sync(0xffffffffu, v, 2);
    v += __shfl_xor_sync(0xffffffffu, v, 1);
    return v;
}

/* kmutate launch
   int tokens = 49152;
   dim3 grid = { tokens / 32 }, block = { 256 };
   float x[tokens * 384] = normal(0.2, 1.5);
   float weight[384] = uniform(0.5, 1.5), bias[384] = uniform(-0.5, 0.5);
   float out[tokens * 384] = zeros();
   float mean[tokens] = zeros(), rstd[tokens] = zeros();
   layer_norm_two_walks_eight_lanes_for_each_narrow_token((float4 *)x, (float4 *)weight, (float4 *)bias, (float4 *)out,
                                                          mean, rstd);
*/
__global__ void __launch_bounds__(256)
layer_norm_two_walks_eight_lanes_for_each_narrow_token(const float4 *__restrict__ x, const float4 *__restrict__ weight,
                                                       const float4 *__restrict__ bias, float4 *__restrict__ out,
                                                       float *__restrict__ mean, float *__restrict__ rstd)
{
    constexpr int WIDTH = 384, QUADS = WIDTH / 4;
    const int lane = threadIdx.x % 8;
    const int token = blockIdx.x * 32 + threadIdx.x / 8;
    const float4 *in = x + token * QUADS;

    float total = 0.f;
    for (int i = lane; i < QUADS; i += 8) {
        const float4 v = in[i];
        total += (v.x + v.y) + (v.z + v.w);
    }
    const float m = sum_of_eight_lanes(total) / WIDTH;

    float squares = 0.f;
    for (int i = lane; i < QUADS; i += 8) {
        const float4 v = in[i];
        const float dx = v.x - m, dy = v.y - m, dz = v.z - m, dw = v.w - m;
        squares += (dx * dx + dy * dy) + (dz * dz + dw * dw);
    }
    const float s = rsqrtf(sum_of_eight_lanes(squares) / WIDTH + 1e-5f);

    for (int i = lane; i < QUADS; i += 8) {
        const float4 v = in[i], w = weight[i], b = bias[i];
        out[token * QUADS + i] = make_float4((v.x - m) * s * w.x + b.x, (v.y - m) * s * w.y + b.y,
                                             (v.z - m) * s * w.z + b.z, (v.w - m) * s * w.w + b.w);
    }
    if (lane == 0) {
        mean[token] = m;
        rstd[token] = s;
    }
}

/* kmutate launch
   int tokens = 1000, vocabulary = 50257;
   dim3 grid = { tokens }, block = { 512 };
   float logits[tokens * vocabulary] = normal(0, 3);
   int target[tokens] = randint(0, vocabulary);
   float loss[tokens] = zeros();
   next_word_loss_over_unpadded_vocabulary_maximum_then_exponentials(logits, target, loss, vocabulary);
*/
__global__ void __launch_bounds__(512)
next_word_loss_over_unpadded_vocabulary_maximum_then_exponentials(const float *__restrict__ logits,
                                                                  const int *__restrict__ target,
                                                                  float *__restrict__ loss, int vocabulary)
{
    constexpr int WARPS = 16;
    __shared__ float warp_max[WARPS], warp_sum[WARPS];
    const int token = blockIdx.x;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int wanted = target[token];
    if (wanted < 0) {
        if (threadIdx.x == 0) loss[token] = 0.f;
        return;
    }
    const float *row = logits + (size_t)token * vocabulary;

    float top = -INFINITY;
    for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) top = fmaxf(top, row[i]);
    for (int offset = 16; offset > 0; offset /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
    if (lane == 0) warp_max[warp] = top;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WARPS; ++i) top = fmaxf(top, warp_max[i]);

    float sum = 0.f;
    for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) sum += expf(row[i] - top);
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0) warp_sum[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.f;
        for (int i = 0; i < WARPS; ++i) total += warp_sum[i];
        loss[token] = logf(total) + top - row[wanted];
    }
}

/* kmutate launch
   int tokens = 1024, heads = 6;
   dim3 grid = { tokens / 32, tokens / 8, heads }, block = { 32, 8 };
   float qkv[tokens * 3 * heads * 64] = normal();
   float scores[heads * tokens * tokens] = zeros();
   causal_scores_from_interleaved_queries_and_keys_pair_per_thread((float4 *)qkv, scores, tokens, heads, 0.125f);
*/
__global__ void causal_scores_from_interleaved_queries_and_keys_pair_per_thread(const float4 *__restrict__ qkv,
                                                                                float *__restrict__ scores, int tokens,
                                                                                int heads, float scale)
{
    constexpr int QUADS = 64 / 4;
    const int key = blockIdx.x * blockDim.x + threadIdx.x;
    const int query = blockIdx.y * blockDim.y + threadIdx.y;
    const int head = blockIdx.z;
    if (key >= tokens || query >= tokens) return;

    float *const to = scores + (head * tokens + query) * tokens + key;
    if (key > query) {
        *to = -INFINITY;
        return;
    }
    const float4 *q = qkv + (query * 3 * heads + head) * QUADS;
    const float4 *k = qkv + ((key * 3 + 1) * heads + head) * QUADS;
    float sum = 0.f;
    for (int i = 0; i < QUADS; ++i) {
        const float4 u = q[i], v = k[i];
        sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    *to = scale * sum;
}

/* kmutate launch
   int batch = 16, length = 1024, width = 768, words = 50257;
   dim3 grid = { width / 2 / 128, length }, block = { 128 };
   __nv_bfloat16 gradient[batch * length * width] = normal(0, 0.1);
   int token[batch * length] = randint(0, words);
   float word_gradient[words * width] = zeros();
   float position_gradient[length * width] = zeros();
   word_rows_gradient_by_atomics_position_rows_by_walk_over_batch((__nv_bfloat162 *)gradient, token, word_gradient,
                                                                  (float2 *)position_gradient, batch, length,
                                                                  width / 2);
*/
__global__ void word_rows_gradient_by_atomics_position_rows_by_walk_over_batch(
    const __nv_bfloat162 *__restrict__ gradient, const int *__restrict__ token, float *__restrict__ word_gradient,
    float2 *__restrict__ position_gradient, int batch, int length, int pairs)
{
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
    const int position = blockIdx.y;
    if (pair >= pairs) return;

    float2 sum = position_gradient[position * pairs + pair];
    for (int b = 0; b < batch; ++b) {
        const int at = b * length + position;
        const float2 g = __bfloat1622float2(gradient[at * pairs + pair]);
        float *const row = word_gradient + (token[at] * pairs + pair) * 2;
        atomicAdd(row, g.x);
        atomicAdd(row + 1, g.y);
        sum.x += g.x;
        sum.y += g.y;
    }
    position_gradient[position * pairs + pair] = sum;
}

__device__ __forceinline__ float exact_gelu_slope(float x)
{
    const float below = 0.5f * (1.f + erff(0.70710678f * x));
    const float density = 0.39894228f * __expf(-0.5f * x * x);
    return below + x * density;
}

/* kmutate launch
   int rows = 8192, cols = 3072, strip = 256;
   dim3 grid = { cols / 64, rows / strip }, block = { 32, 4 };
   __nv_bfloat16 x[rows * cols] = normal();
   __nv_bfloat16 dout[rows * cols] = normal(0, 0.1);
   __nv_bfloat16 dx[rows * cols] = zeros();
   float dbias[cols] = zeros();
   exact_gelu_backward_with_bias_gradient_by_column_strips((__nv_bfloat162 *)x, (__nv_bfloat162 *)dout,
                                                           (__nv_bfloat162 *)dx, dbias, rows, cols / 2, strip);
*/
__global__ void __launch_bounds__(128)
exact_gelu_backward_with_bias_gradient_by_column_strips(const __nv_bfloat162 *__restrict__ x,
                                                        const __nv_bfloat162 *__restrict__ dout,
                                                        __nv_bfloat162 *__restrict__ dx, float *__restrict__ dbias,
                                                        int rows, int pairs, int strip)
{
    __shared__ float2 partial[4][32];
    const int pair = blockIdx.x * 32 + threadIdx.x;
    const int first = blockIdx.y * strip;
    const int last = min(first + strip, rows);

    float2 sum = make_float2(0.f, 0.f);
    for (int row = first + threadIdx.y; row < last; row += 4) {
        const int at = row * pairs + pair;
        const float2 v = __bfloat1622float2(x[at]);
        float2 g = __bfloat1622float2(dout[at]);
        g.x *= exact_gelu_slope(v.x);
        g.y *= exact_gelu_slope(v.y);
        dx[at] = __float22bfloat162_rn(g);
        sum.x += g.x;
        sum.y += g.y;
    }
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int i = 1; i < 4; ++i) {
            sum.x += partial[i][threadIdx.x].x;
            sum.y += partial[i][threadIdx.x].y;
        }
        atomicAdd(&dbias[2 * pair], sum.x);
        atomicAdd(&dbias[2 * pair + 1], sum.y);
    }
}

/* kmutate launch
   int n = 20000002;
   dim3 grid = { (n / 2 + 255) / 256 }, block = { 256 };
   __nv_bfloat16 weight[n] = normal(0, 0.02);
   __nv_bfloat16 gradient[n] = normal(0, 0.001);
   float m[n] = normal(0, 0.0005);
   float v[n] = uniform(1e-8, 1e-6);
   float norm_squared[1] = fill(6.25);
   adamw_of_bf16_pairs_with_gradient_clipped_by_global_norm((__nv_bfloat162 *)weight, (__nv_bfloat162 *)gradient,
                                                            (float2 *)m, (float2 *)v, norm_squared, n / 2, 3e-4f, 0.9f,
                                                            0.95f, 1e-8f, 0.1f, 0.41f, 0.226f, 1.f);
*/
__global__ void adamw_of_bf16_pairs_with_gradient_clipped_by_global_norm(
    __nv_bfloat162 *__restrict__ weight, const __nv_bfloat162 *__restrict__ gradient, float2 *__restrict__ m,
    float2 *__restrict__ v, const float *__restrict__ norm_squared, int pairs, float rate, float beta1, float beta2,
    float epsilon, float decay, float correction1, float correction2, float largest_norm)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;

    const float clip = fminf(1.f, largest_norm * rsqrtf(*norm_squared));
    const float2 g = __bfloat1622float2(gradient[i]);
    float2 w = __bfloat1622float2(weight[i]);
    float2 first = m[i], second = v[i];
    const float gx = g.x * clip, gy = g.y * clip;
    first.x = beta1 * first.x + (1.f - beta1) * gx;
    first.y = beta1 * first.y + (1.f - beta1) * gy;
    second.x = beta2 * second.x + (1.f - beta2) * gx * gx;
    second.y = beta2 * second.y + (1.f - beta2) * gy * gy;
    w.x -= rate * (first.x / correction1 / (sqrtf(second.x / correction2) + epsilon) + decay * w.x);
    w.y -= rate * (first.y / correction1 / (sqrtf(second.y / correction2) + epsilon) + decay * w.y);
    m[i] = first;
    v[i] = second;
    weight[i] = __float22bfloat162_rn(w);
}
