// The seventeenth set of kernels that nobody tuned the model of time for: first tries and tuned versions, graphs and
// sparse matrices, tensor cores by wmma and by hand, and applications of several kinds, written from what is commonly
// known of the algorithms by someone who had seen neither the model nor its results.

#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>

// ------------------------------------------------------------------------------------------------------- first tries

/* kmutate launch
   int rows = 5000, cols = 160; dim3 block = { 16, 16 }; dim3 grid = { cols / 16, cols / 16 };
   float A[rows * cols] = uniform(-1, 1); float G[cols * cols] = zeros();
   normal_equations_naive(rows, cols, A, G);
*/
// The matrix A' A of a least squares fit with many rows and few columns: an entry for each thread, all rows in a loop.
__global__ void normal_equations_naive(int rows, int cols, const float *A, float *G)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= cols || j >= cols)
        return;
    float sum = 0.0f;
    for (int r = 0; r < rows; r++)
        sum += A[r * cols + i] * A[r * cols + j];
    G[i * cols + j] = sum;
}

/* kmutate launch
   int tokens = 384, outs = 768, ins = 768; dim3 block = { 16, 16 }; dim3 grid = { outs / 16, tokens / 16 };
   float x[tokens * ins] = normal(); float w[outs * ins] = uniform(-0.05, 0.05); float b[outs] = uniform(-1, 1);
   float y[tokens * outs] = zeros();
   dense_layer_rows_by_rows(tokens, outs, ins, x, w, b, y);
*/
// A dense layer as a first version has it: rows of x with rows of w, so that the lanes are a row of w apart.
__global__ void dense_layer_rows_by_rows(int tokens, int outs, int ins, const float *x, const float *w, const float *b,
                                         float *y)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    int t = blockIdx.y * blockDim.y + threadIdx.y;
    if (t < tokens && o < outs) {
        float acc = b[o];
        for (int i = 0; i < ins; i++)
            acc += x[t * ins + i] * w[o * ins + i];
        y[t * outs + o] = fmaxf(acc, 0.0f);
    }
}

/* kmutate launch
   int nx = 250, ny = 300, nz = 350; dim3 block = { 256 }; dim3 grid = { (nx * ny * nz + 255) / 256 };
   float in[nx * ny * nz] = uniform(-1, 1); float out[nx * ny * nz] = zeros();
   reverse_axes_of_volume(nx, ny, nz, in, out);
*/
// Three axes in reverse order, index by division; reads in order, writes far apart.
__global__ void reverse_axes_of_volume(int nx, int ny, int nz, const float *in, float *out)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= nx * ny * nz)
        return;
    int z = id % nz;
    int y = (id / nz) % ny;
    int x = id / (nz * ny);
    out[(z * ny + y) * nx + x] = in[id];
}

/* kmutate launch
   int w = 3000, h = 2000; dim3 block = { 16, 16 }; dim3 grid = { (w + 15) / 16, (h + 15) / 16 };
   float in[w * h] = uniform(0, 1); float k[25] = uniform(-0.2, 0.2); float out[w * h] = zeros();
   weights_five_by_five_clamped(w, h, in, k, out);
*/
// A general filter of five by five pixels with clamped borders; weights and pixels come from global memory.
__global__ void weights_five_by_five_clamped(int w, int h, const float *in, const float *k, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            int sx = min(max(x + dx, 0), w - 1);
            int sy = min(max(y + dy, 0), h - 1);
            sum += k[(dy + 2) * 5 + dx + 2] * in[sy * w + sx];
        }
    }
    out[y * w + x] = sum;
}

/* kmutate launch
   int n = 256; dim3 block = { 64, 4 }; dim3 grid = { n / 64, n / 4, n };
   double u[n * n * n] = uniform(-1, 1); double f[n * n * n] = zeros();
   laplacian_fourth_order_flat(n, 1.5, u, f);
*/
// The Laplace operator of fourth order on a cube in double precision, a point for each thread.
__global__ void laplacian_fourth_order_flat(int n, double scale, const double *u, double *f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x < 2 || y < 2 || z < 2 || x >= n - 2 || y >= n - 2 || z >= n - 2)
        return;
    int c = (z * n + y) * n + x;
    int n2 = n * n;
    double near = u[c - 1] + u[c + 1] + u[c - n] + u[c + n] + u[c - n2] + u[c + n2];
    double far = u[c - 2] + u[c + 2] + u[c - 2 * n] + u[c + 2 * n] + u[c - 2 * n2] + u[c + 2 * n2];
    f[c] = scale * (16.0 * near - far - 90.0 * u[c]) / 12.0;
}

/* kmutate launch
   int n = 1 << 23, chunk = 128; dim3 block = { 256 }; dim3 grid = { n / chunk / 256 };
   float v[n] = uniform(-1, 1); float total[2] = zeros();
   chunk_sums_and_atomics(n, chunk, v, total);
*/
// Sum and sum of squares: each thread adds up a piece of its own and ends with two atomics on the same two words.
__global__ void chunk_sums_and_atomics(int n, int chunk, const float *v, float *total)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    float sum = 0.0f, squares = 0.0f;
    for (int i = first; i < first + chunk && i < n; i++) {
        sum += v[i];
        squares += v[i] * v[i];
    }
    atomicAdd(&total[0], sum);
    atomicAdd(&total[1], squares);
}

/* kmutate launch
   int rows = 1500, cols = 12000; dim3 block = { 128 }; dim3 grid = { (cols + 127) / 128 };
   float data[rows * cols] = normal(2, 3);
   standardise_columns_three_passes(rows, cols, data);
*/
// Columns get mean zero and variance one: mean, variance and the change itself are a walk each through the column.
__global__ void standardise_columns_three_passes(int rows, int cols, float *data)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float mean = 0.0f;
    for (int r = 0; r < rows; r++)
        mean += data[r * cols + c];
    mean /= rows;
    float var = 0.0f;
    for (int r = 0; r < rows; r++) {
        float d = data[r * cols + c] - mean;
        var += d * d;
    }
    float inv = 1.0f / sqrtf(var / (rows - 1) + 1e-8f);
    for (int r = 0; r < rows; r++)
        data[r * cols + c] = (data[r * cols + c] - mean) * inv;
}

/* kmutate launch
   int n = 96, rhs = 16384; dim3 block = { 128 }; dim3 grid = { rhs / 128 };
   float L[n * n] = uniform(0.5, 1); float X[n * rhs] = uniform(-1, 1);
   forward_solve_many_sides(n, rhs, L, X);
*/
// A lower triangular system with very many right hand sides, one for each thread, solved in place.
__global__ void forward_solve_many_sides(int n, int rhs, const float *L, float *X)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= rhs)
        return;
    for (int i = 0; i < n; i++) {
        float v = X[i * rhs + c];
        for (int k = 0; k < i; k++)
            v -= 0.02f * L[i * n + k] * X[k * rhs + c];
        X[i * rhs + c] = v / L[i * n + i];
    }
}

/* kmutate launch
   int batch = 4, ci = 48, co = 64, len = 2048, taps = 9;
   dim3 block = { 128 }; dim3 grid = { len / 128, co, batch };
   float in[batch * ci * (len + 8)] = normal(); float w[co * ci * taps] = uniform(-0.1, 0.1);
   float out[batch * co * len] = zeros();
   conv1d_channels_in_loops(ci, co, len, taps, in, w, out);
*/
// A convolution in time over all channels, padded before; a sample of one channel for each thread.
__global__ void conv1d_channels_in_loops(int ci, int co, int len, int taps, const float *in, const float *w, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int o = blockIdx.y;
    int b = blockIdx.z;
    int padded = len + taps - 1;
    if (t >= len)
        return;
    float acc = 0.0f;
    for (int c = 0; c < ci; c++)
        for (int k = 0; k < taps; k++)
            acc += in[(b * ci + c) * padded + t + k] * w[(o * ci + c) * taps + k];
    out[(b * co + o) * len + t] = acc;
}

/* kmutate launch
   int n = 2500, m = 1800, d = 30; dim3 block = { 32, 8 }; dim3 grid = { (m + 31) / 32, (n + 7) / 8 };
   float a[n * d] = normal(); float b[m * d] = normal(); float dist[n * m] = zeros();
   manhattan_all_pairs(n, m, d, a, b, dist);
*/
// Manhattan distances of two sets of points that lie one after another, as a first version stores them.
__global__ void manhattan_all_pairs(int n, int m, int d, const float *a, const float *b, float *dist)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= m)
        return;
    float sum = 0.0f;
    for (int k = 0; k < d; k++)
        sum += fabsf(a[i * d + k] - b[j * d + k]);
    dist[i * m + j] = sum;
}

/* kmutate launch
   int rows = 20000, cols = 500; dim3 block = { 128 }; dim3 grid = { (rows + 127) / 128 };
   half logits[rows * cols] = normal(); int best[rows] = zeros(); float margin[rows] = zeros();
   predict_and_margin_row_walk(rows, cols, logits, best, margin);
*/
// The best class of a row and its lead over the next one, half precision, a row for each thread.
__global__ void predict_and_margin_row_walk(int rows, int cols, const half *logits, int *best, float *margin)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float first = -1e30f, second = -1e30f;
    int where = 0;
    for (int c = 0; c < cols; c++) {
        float v = __half2float(logits[r * cols + c]);
        if (v > first) {
            second = first;
            first = v;
            where = c;
        } else if (v > second) {
            second = v;
        }
    }
    best[r] = where;
    margin[r] = first - second;
}

/* kmutate launch
   int n = 3000; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   double A[n * n] = uniform(-1, 1); double x[n] = uniform(-1, 1); double y[n] = zeros();
   symmetric_upper_matvec_rows(n, A, x, y);
*/
// y = A x where only the upper triangle is stored: left of the diagonal the thread goes down its column instead.
__global__ void symmetric_upper_matvec_rows(int n, const double *A, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0.0;
    for (int j = 0; j < i; j++)
        sum += A[(size_t)j * n + i] * x[j];
    for (int j = i; j < n; j++)
        sum += A[(size_t)i * n + j] * x[j];
    y[i] = sum;
}

// ------------------------------------------------------------------------------------------------------------- tuned

/* kmutate launch
   int rows = 3072, cols = 4096; dim3 block = { 32, 8 }; dim3 grid = { cols / 32, rows / 32 };
   float2 in[rows * cols] = uniform(-1, 1); float2 out[rows * cols] = zeros();
   conjugate_transpose_padded_pairs(rows, cols, in, out);
*/
// The conjugate transpose of a complex matrix through a padded tile of pairs.
__global__ void conjugate_transpose_padded_pairs(int rows, int cols, const float2 *__restrict__ in,
                                                 float2 *__restrict__ out)
{
    __shared__ float2 tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * cols + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
        float2 v = tile[threadIdx.x][threadIdx.y + k];
        v.y = -v.y;
        out[(size_t)(y + k) * rows + x] = v;
    }
}

/* kmutate launch
   int m = 2048, n = 1536, k = 1024; dim3 block = { 256 }; dim3 grid = { n / 128, m / 128 };
   float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1); float C[m * n] = zeros();
   sgemm_128_square_split_fragments(m, n, k, A, B, C);
*/
// A product in tiles of 128 by 128, eight by eight for each thread in four quarters, the next tile in registers.
__global__ __launch_bounds__(256) void sgemm_128_square_split_fragments(int m, int n, int k,
                                                                        const float *__restrict__ A,
                                                                        const float *__restrict__ B,
                                                                        float *__restrict__ C)
{
    __shared__ __align__(16) float As[8][132];
    __shared__ __align__(16) float Bs[8][128];
    int t = threadIdx.x;
    int arow = t >> 1, acol = (t & 1) * 4;
    int brow = t >> 5, bcol = (t & 31) * 4;
    int tx = t & 15, ty = t >> 4;
    const float *pa = A + (size_t)(blockIdx.y * 128 + arow) * k + acol;
    const float *pb = B + (size_t)brow * n + blockIdx.x * 128 + bcol;
    float4 na = *(const float4 *)pa;
    float4 nb = *(const float4 *)pb;
    float acc[8][8] = {};
    for (int k0 = 0; k0 < k; k0 += 8) {
        As[acol][arow] = na.x;
        As[acol + 1][arow] = na.y;
        As[acol + 2][arow] = na.z;
        As[acol + 3][arow] = na.w;
        *(float4 *)&Bs[brow][bcol] = nb;
        __syncthreads();
        if (k0 + 8 < k) {
            na = *(const float4 *)(pa + k0 + 8);
            nb = *(const float4 *)(pb + (size_t)(k0 + 8) * n);
        }
#pragma unroll
        for (int e = 0; e < 8; e++) {
            float a[8], b[8];
            *(float4 *)a = *(const float4 *)&As[e][ty * 4];
            *(float4 *)(a + 4) = *(const float4 *)&As[e][64 + ty * 4];
            *(float4 *)b = *(const float4 *)&Bs[e][tx * 4];
            *(float4 *)(b + 4) = *(const float4 *)&Bs[e][64 + tx * 4];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int r = blockIdx.y * 128 + (i < 4 ? ty * 4 + i : 64 + ty * 4 + i - 4);
        float *pc = C + (size_t)r * n + blockIdx.x * 128 + tx * 4;
        *(float4 *)pc = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *(float4 *)(pc + 64) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
    }
}

__device__ __forceinline__ void fetch_sixteen(void *to, const void *from)
{
    unsigned where = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(where), "l"(from) : "memory");
}

__device__ __forceinline__ void fetch_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int LEFT>
__device__ __forceinline__ void fetch_wait()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(LEFT) : "memory");
}

/* kmutate launch
   int m = 1024, n = 1024, k = 1024; dim3 block = { 256 }; dim3 grid = { n / 64, m / 64 };
   float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1); float C[m * n] = zeros();
   sgemm_three_async_buffers(m, n, k, A, B, C);
*/
// A product in tiles of 64 by 64 by 16 that cp.async brings into a ring of three buffers.
__global__ __launch_bounds__(256) void sgemm_three_async_buffers(int m, int n, int k, const float *__restrict__ A,
                                                                 const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ __align__(16) float As[3][64][20];
    __shared__ __align__(16) float Bs[3][16][64];
    int t = threadIdx.x;
    int tx = t & 15, ty = t >> 4;
    const float *pa = A + (size_t)(blockIdx.y * 64 + (t >> 2)) * k + (t & 3) * 4;
    const float *pb = B + (size_t)(t >> 4) * n + blockIdx.x * 64 + (t & 15) * 4;
    int steps = k / 16;
    for (int s = 0; s < 2; s++) {
        fetch_sixteen(&As[s][t >> 2][(t & 3) * 4], pa + s * 16);
        fetch_sixteen(&Bs[s][t >> 4][(t & 15) * 4], pb + (size_t)s * 16 * n);
        fetch_commit();
    }
    float acc[4][4] = {};
    int slot = 0;
    for (int s = 0; s < steps; s++) {
        fetch_wait<1>();
        __syncthreads();
        if (s + 2 < steps) {
            int next = slot + 2 >= 3 ? slot - 1 : slot + 2;
            fetch_sixteen(&As[next][t >> 2][(t & 3) * 4], pa + (s + 2) * 16);
            fetch_sixteen(&Bs[next][t >> 4][(t & 15) * 4], pb + (size_t)(s + 2) * 16 * n);
        }
        fetch_commit();
#pragma unroll
        for (int e = 0; e < 16; e++) {
            float4 b = *(const float4 *)&Bs[slot][e][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float a = As[slot][ty * 4 + i][e];
                acc[i][0] += a * b.x;
                acc[i][1] += a * b.y;
                acc[i][2] += a * b.z;
                acc[i][3] += a * b.w;
            }
        }
        slot = slot == 2 ? 0 : slot + 1;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(float4 *)&C[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

/* kmutate launch
   int rows = 8192, cols = 4096; dim3 block = { 256 }; dim3 grid = { rows };
   float in[rows * cols] = normal(); float out[rows * cols] = zeros();
   softmax_rows_held_in_registers(cols, in, out);
*/
// Softmax of rows of 4096 numbers which stay in registers between maximum, sum and result.
__global__ __launch_bounds__(256) void softmax_rows_held_in_registers(int cols, const float *__restrict__ in,
                                                                      float *__restrict__ out)
{
    __shared__ float part[8];
    const float4 *src = (const float4 *)(in + (size_t)blockIdx.x * cols);
    float4 *dst = (float4 *)(out + (size_t)blockIdx.x * cols);
    int t = threadIdx.x;
    float4 v[4];
    float top = -1e30f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[i] = src[i * 256 + t];
        top = fmaxf(top, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    for (int o = 16; o > 0; o >>= 1)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    if ((t & 31) == 0)
        part[t >> 5] = top;
    __syncthreads();
    top = part[0];
#pragma unroll
    for (int w = 1; w < 8; w++)
        top = fmaxf(top, part[w]);
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[i].x = __expf(v[i].x - top);
        v[i].y = __expf(v[i].y - top);
        v[i].z = __expf(v[i].z - top);
        v[i].w = __expf(v[i].w - top);
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(~0u, sum, o);
    if ((t & 31) == 0)
        part[t >> 5] = sum;
    __syncthreads();
    sum = part[0];
#pragma unroll
    for (int w = 1; w < 8; w++)
        sum += part[w];
    float inv = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < 4; i++)
        dst[i * 256 + t] = make_float4(v[i].x * inv, v[i].y * inv, v[i].z * inv, v[i].w * inv);
}

/* kmutate launch
   int n = 1 << 25; dim3 block = { 512 }; dim3 grid = { 528 };
   float a[n] = uniform(-1, 1); float b[n] = uniform(-1, 1); float out[3] = zeros();
   cosine_of_long_vectors_quads(n / 4, (const float4 *)a, (const float4 *)b, out);
*/
// The three sums of a cosine of two long vectors: four words at a time, shuffles, three atomics for each block.
__global__ void cosine_of_long_vectors_quads(int n4, const float4 *__restrict__ a, const float4 *__restrict__ b,
                                             float *out)
{
    __shared__ float part[3][16];
    float ab = 0.0f, aa = 0.0f, bb = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 p = a[i], q = b[i];
        ab += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        aa += p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
        bb += q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    }
    for (int o = 16; o > 0; o >>= 1) {
        ab += __shfl_down_sync(~0u, ab, o);
        aa += __shfl_down_sync(~0u, aa, o);
        bb += __shfl_down_sync(~0u, bb, o);
    }
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) {
        part[0][warp] = ab;
        part[1][warp] = aa;
        part[2][warp] = bb;
    }
    __syncthreads();
    if (warp < 3) {
        float v = lane < 16 ? part[warp][lane] : 0.0f;
        for (int o = 8; o > 0; o >>= 1)
            v += __shfl_down_sync(~0u, v, o);
        if (lane == 0)
            atomicAdd(&out[warp], v);
    }
}

/* kmutate launch
   int n = 1 << 24; dim3 block = { 256 }; dim3 grid = { n / 4096 };
   int in[n] = randint(0, 10); int out[n] = zeros(); int sums[n / 4096] = zeros();
   scan_sixteen_for_each_thread(in, out, sums);
*/
// Prefix sums within pieces of 4096: loads in order, a turn through shared memory, sixteen in a row for each thread.
__global__ __launch_bounds__(256) void scan_sixteen_for_each_thread(const int *__restrict__ in, int *__restrict__ out,
                                                                    int *__restrict__ sums)
{
    __shared__ int turn[4096 + 4096 / 16];
    __shared__ int warps[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    size_t base = (size_t)blockIdx.x * 4096;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        int k = i * 256 + t;
        turn[k + (k >> 4)] = in[base + k];
    }
    __syncthreads();
    int v[16], run = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        run += turn[t * 17 + i];
        v[i] = run;
    }
    int incl = run;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        int u = __shfl_up_sync(~0u, incl, o);
        if (lane >= o)
            incl += u;
    }
    if (lane == 31)
        warps[warp] = incl;
    __syncthreads();
    int before = incl - run;
    for (int w = 0; w < warp; w++)
        before += warps[w];
#pragma unroll
    for (int i = 0; i < 16; i++)
        turn[t * 17 + i] = v[i] + before;
    if (t == 255)
        sums[blockIdx.x] = before + run;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) {
        int k = i * 256 + t;
        out[base + k] = turn[k + (k >> 4)];
    }
}

/* kmutate launch
   int nx = 384, ny = 384, nz = 192; dim3 block = { 32, 16 }; dim3 grid = { nx / 32, ny / 16, 2 };
   float c[5] = { -2.5f, 1.6f, -0.2f, 0.025f, -0.0018f };
   float p[(nx + 8) * (ny + 8) * (nz + 8)] = uniform(-1, 1); float q[(nx + 8) * (ny + 8) * (nz + 8)] = zeros();
   float v[(nx + 8) * (ny + 8) * (nz + 8)] = uniform(0.1, 0.2);
   seismic_step_column_in_registers(nx, ny, nz, c, p, q, v);
*/
// A step of the acoustic wave equation of eighth order: the plane in shared memory, nine values of z in registers.
__global__ __launch_bounds__(512) void seismic_step_column_in_registers(int nx, int ny, int nz,
                                                                        const float *__restrict__ c,
                                                                        const float *__restrict__ p,
                                                                        float *__restrict__ q,
                                                                        const float *__restrict__ v)
{
    __shared__ float s[16 + 8][32 + 8];
    int tx = threadIdx.x, ty = threadIdx.y;
    int sx = nx + 8, plane = sx * (ny + 8);
    int x = blockIdx.x * 32 + tx + 4, y = blockIdx.y * 16 + ty + 4;
    int depth = nz / gridDim.z;
    int z0 = blockIdx.z * depth + 4;
    float k0 = c[0] * 3.0f, k1 = c[1], k2 = c[2], k3 = c[3], k4 = c[4];
    float r[9];
    int at = z0 * plane + y * sx + x;
#pragma unroll
    for (int i = 0; i < 8; i++)
        r[i + 1] = p[at + (i - 4) * plane];
    for (int z = 0; z < depth; z++) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            r[i] = r[i + 1];
        r[8] = p[at + 4 * plane];
        __syncthreads();
        s[ty + 4][tx + 4] = r[4];
        if (tx < 4) {
            s[ty + 4][tx] = p[at - 4];
            s[ty + 4][tx + 36] = p[at + 32];
        }
        if (ty < 4) {
            s[ty][tx + 4] = p[at - 4 * sx];
            s[ty + 20][tx + 4] = p[at + 16 * sx];
        }
        __syncthreads();
        float sum = k0 * r[4];
        sum += k1 * (r[3] + r[5] + s[ty + 4][tx + 3] + s[ty + 4][tx + 5] + s[ty + 3][tx + 4] + s[ty + 5][tx + 4]);
        sum += k2 * (r[2] + r[6] + s[ty + 4][tx + 2] + s[ty + 4][tx + 6] + s[ty + 2][tx + 4] + s[ty + 6][tx + 4]);
        sum += k3 * (r[1] + r[7] + s[ty + 4][tx + 1] + s[ty + 4][tx + 7] + s[ty + 1][tx + 4] + s[ty + 7][tx + 4]);
        sum += k4 * (r[0] + r[8] + s[ty + 4][tx] + s[ty + 4][tx + 8] + s[ty][tx + 4] + s[ty + 8][tx + 4]);
        q[at] = 2.0f * r[4] - q[at] + v[at] * sum;
        at += plane;
    }
}

__constant__ float c_seven[49];

/* kmutate launch
   int w = 4096, h = 3072; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 32 };
   extern float c_seven[49] = uniform(-0.1, 0.1);
   float in[w * h] = uniform(0, 1); float out[w * h] = zeros();
   convolve_seven_four_rows(w, h, in, out);
*/
// A filter of seven by seven from constant memory, a tile with its rim in shared memory, four rows for each thread.
__global__ __launch_bounds__(256) void convolve_seven_four_rows(int w, int h, const float *__restrict__ in,
                                                                float *__restrict__ out)
{
    __shared__ float tile[38][40];
    int x0 = blockIdx.x * 32 - 3, y0 = blockIdx.y * 32 - 3;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 38 * 38; i += 256) {
        int ty = i / 38, tx = i - ty * 38;
        int x = x0 + tx, y = y0 + ty;
        tile[ty][tx] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.0f;
    }
    __syncthreads();
    float acc[4] = {};
    int ty = threadIdx.y * 4;
#pragma unroll
    for (int dx = 0; dx < 7; dx++) {
        float col[10];
#pragma unroll
        for (int i = 0; i < 10; i++)
            col[i] = tile[ty + i][threadIdx.x + dx];
#pragma unroll
        for (int dy = 0; dy < 7; dy++) {
            float k = c_seven[dy * 7 + dx];
#pragma unroll
            for (int r = 0; r < 4; r++)
                acc[r] += k * col[r + dy];
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        out[(blockIdx.y * 32 + ty + r) * w + blockIdx.x * 32 + threadIdx.x] = acc[r];
}

/* kmutate launch
   int m = 1024, n = 1024, k = 768; dim3 block = { 16, 16 }; dim3 grid = { n / 64, m / 64 };
   double A[k * m] = uniform(-1, 1); double B[k * n] = uniform(-1, 1); double C[m * n] = uniform(-1, 1);
   dgemm_tn_sixty_four(m, n, k, -1.0, 1.0, A, B, C);
*/
// C = alpha A' B + beta C in double precision: tiles of 64 by 64, sixteen deep, strided four by four for each thread.
__global__ __launch_bounds__(256) void dgemm_tn_sixty_four(int m, int n, int k, double alpha, double beta,
                                                           const double *__restrict__ A,
                                                           const double *__restrict__ B, double *__restrict__ C)
{
    __shared__ double As[16][64], Bs[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    double acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int r = i * 4 + (t >> 6), c = t & 63;
            As[r][c] = A[(size_t)(k0 + r) * m + blockIdx.y * 64 + c];
            Bs[r][c] = B[(size_t)(k0 + r) * n + blockIdx.x * 64 + c];
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < 16; e++) {
            double a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = As[e][ty + 16 * i];
                b[i] = Bs[e][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            size_t at = (size_t)(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64 + tx + 16 * j;
            C[at] = alpha * acc[i][j] + beta * C[at];
        }
}

/* kmutate launch
   int batch = 40000; dim3 block = { 128 }; dim3 grid = { batch / 8 };
   float A[batch * 256] = uniform(-1, 1); float B[batch * 256] = uniform(-1, 1); float C[batch * 256] = zeros();
   sixteens_by_half_warp_shuffles(batch, A, B, C);
*/
// Very many products of 16 by 16: a half warp for each, a column of B and C in registers, A's entries by shuffles.
__global__ __launch_bounds__(128) void sixteens_by_half_warp_shuffles(int batch, const float *__restrict__ A,
                                                                      const float *__restrict__ B,
                                                                      float *__restrict__ C)
{
    int id = (blockIdx.x * blockDim.x + threadIdx.x) >> 4;
    int j = threadIdx.x & 15;
    if (id >= batch)
        return;
    const float *a = A + (size_t)id * 256, *b = B + (size_t)id * 256;
    float col[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        col[k] = b[k * 16 + j];
#pragma unroll 4
    for (int i = 0; i < 16; i++) {
        float mine = a[i * 16 + j], sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += __shfl_sync(~0u, mine, k, 16) * col[k];
        C[(size_t)id * 256 + i * 16 + j] = sum;
    }
}

/* kmutate launch
   int rows = 6144, cols = 4096; dim3 block = { 256 }; dim3 grid = { rows * cols / 8 / 256 };
   half x[rows * cols] = normal(); half bias[cols] = uniform(-1, 1); half res[rows * cols] = normal();
   half y[rows * cols] = zeros();
   bias_gelu_residual_sixteen_bytes((const uint4 *)x, (const uint4 *)bias, (const uint4 *)res, (uint4 *)y, cols / 8);
*/
// Bias, GELU by tanh and the residual at once, eight halves in each access.
__global__ __launch_bounds__(256) void bias_gelu_residual_sixteen_bytes(const uint4 *__restrict__ x,
                                                                        const uint4 *__restrict__ bias,
                                                                        const uint4 *__restrict__ res,
                                                                        uint4 *__restrict__ y, int cols8)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 vx = x[i], vb = bias[i % cols8], vr = res[i], vy;
    const half2 *hx = (const half2 *)&vx, *hb = (const half2 *)&vb, *hr = (const half2 *)&vr;
    half2 *hy = (half2 *)&vy;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float2 a = __half22float2(hx[k]), b = __half22float2(hb[k]), r = __half22float2(hr[k]);
        float u = a.x + b.x, v = a.y + b.y;
        u = 0.5f * u * (1.0f + tanhf(0.79788456f * (u + 0.044715f * u * u * u)));
        v = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
        hy[k] = __floats2half2_rn(u + r.x, v + r.y);
    }
    y[i] = vy;
}

/* kmutate launch
   int rows = 8192, cols = 4096; dim3 block = { 128 }; dim3 grid = { rows / 8 };
   float A[rows * cols] = uniform(-1, 1); float x[cols] = uniform(-1, 1); float y[rows] = zeros();
   gemv_ring_of_four_async_stages(cols, A, x, y);
*/
// y = A x, eight rows for each block, two for each warp, the matrix through four stages of cp.async.
__global__ __launch_bounds__(128) void gemv_ring_of_four_async_stages(int cols, const float *__restrict__ A,
                                                                      const float *__restrict__ x,
                                                                      float *__restrict__ y)
{
    __shared__ __align__(16) float ring[4][4][2][128];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int row = blockIdx.x * 8 + warp * 2;
    const float *p0 = A + (size_t)row * cols + lane * 4;
    const float *p1 = p0 + cols;
    int steps = cols / 128;
    for (int s = 0; s < 3; s++) {
        fetch_sixteen(&ring[s][warp][0][lane * 4], p0 + s * 128);
        fetch_sixteen(&ring[s][warp][1][lane * 4], p1 + s * 128);
        fetch_commit();
    }
    float s0 = 0.0f, s1 = 0.0f;
    for (int s = 0; s < steps; s++) {
        if (s + 3 < steps) {
            fetch_sixteen(&ring[(s + 3) & 3][warp][0][lane * 4], p0 + (s + 3) * 128);
            fetch_sixteen(&ring[(s + 3) & 3][warp][1][lane * 4], p1 + (s + 3) * 128);
        }
        fetch_commit();
        fetch_wait<3>();
        float4 v = *(const float4 *)(x + s * 128 + lane * 4);
        float4 a = *(const float4 *)&ring[s & 3][warp][0][lane * 4];
        float4 b = *(const float4 *)&ring[s & 3][warp][1][lane * 4];
        s0 += a.x * v.x + a.y * v.y + a.z * v.z + a.w * v.w;
        s1 += b.x * v.x + b.y * v.y + b.z * v.z + b.w * v.w;
    }
    for (int o = 16; o > 0; o >>= 1) {
        s0 += __shfl_xor_sync(~0u, s0, o);
        s1 += __shfl_xor_sync(~0u, s1, o);
    }
    if (lane == 0) {
        y[row] = s0;
        y[row + 1] = s1;
    }
}

// --------------------------------------------------------------------------------------------------------- irregular

/* kmutate launch
   int n = 400000; int nnz = csr_nnz(n, 2, 20); dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   int start[n + 1] = csr_rowptr(n, 2, 20); int to[nnz] = csr_colidx(n); int dist[n] = randint(-1, 4);
   int paths[n] = randint(1, 5); int grew[1] = zeros();
   count_shortest_paths_of_level(n, 3, start, to, dist, paths, grew);
*/
// A level of Brandes' way forward: vertices of this level claim their neighbours and add to their numbers of paths.
__global__ void count_shortest_paths_of_level(int n, int level, const int *__restrict__ start,
                                              const int *__restrict__ to, int *dist, int *paths, int *grew)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || dist[v] != level)
        return;
    int mine = paths[v];
    bool any = false;
    for (int e = start[v]; e < start[v + 1]; e++) {
        int w = to[e];
        int d = atomicCAS(&dist[w], -1, level + 1);
        if (d == -1 || d == level + 1) {
            atomicAdd(&paths[w], mine);
            any = true;
        }
    }
    if (any)
        atomicExch(grew, 1);
}

/* kmutate launch
   int rows = 60000, cols = 60000; int nnz = csr_nnz(rows, 4, 60);
   dim3 block = { 128 }; dim3 grid = { (rows + 3) / 4 };
   int start[rows + 1] = csr_rowptr(rows, 4, 60); int col[nnz] = csr_colidx(cols); float val[nnz] = uniform(-1, 1);
   float X[cols * 64] = uniform(-1, 1); float Y[rows * 64] = zeros();
   spmm_warp_row_shared_entries(rows, start, col, val, (const float2 *)X, (float2 *)Y);
*/
// A sparse matrix times 64 columns: a warp for each row loads 32 entries at once and hands them round by shuffles.
__global__ __launch_bounds__(128) void spmm_warp_row_shared_entries(int rows, const int *__restrict__ start,
                                                                    const int *__restrict__ col,
                                                                    const float *__restrict__ val,
                                                                    const float2 *__restrict__ X,
                                                                    float2 *__restrict__ Y)
{
    int row = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    int begin = start[row], end = start[row + 1];
    float2 acc = make_float2(0.0f, 0.0f);
    for (int e = begin; e < end; e += 32) {
        int c = 0;
        float v = 0.0f;
        if (e + lane < end) {
            c = col[e + lane];
            v = val[e + lane];
        }
        int many = min(32, end - e);
        for (int k = 0; k < many; k++) {
            float f = __shfl_sync(~0u, v, k);
            float2 x = X[(size_t)__shfl_sync(~0u, c, k) * 32 + lane];
            acc.x += f * x.x;
            acc.y += f * x.y;
        }
    }
    Y[(size_t)row * 32 + lane] = acc;
}

/* kmutate launch
   int n = 3000000, slots = 1 << 23; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   unsigned keys[n] = randint(1, 1000000); unsigned table[slots] = zeros(); int counts[slots] = zeros();
   int lost[1] = zeros();
   count_words_in_linear_table(n, keys, slots - 1, table, counts, lost);
*/
// Counts of equal keys in a table with linear probing, at most 64 places on.
__global__ void count_words_in_linear_table(int n, const unsigned *__restrict__ keys, unsigned mask, unsigned *table,
                                            int *counts, int *lost)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], h = key;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    for (int probe = 0; probe < 64; probe++) {
        unsigned at = (h + probe) & mask;
        unsigned old = atomicCAS(&table[at], 0u, key);
        if (old == 0u || old == key) {
            atomicAdd(&counts[at], 1);
            return;
        }
    }
    atomicAdd(lost, 1);
}

/* kmutate launch
   int n = 1 << 23; dim3 block = { 256 }; dim3 grid = { n / 2048 };
   unsigned keys[n] = randint(0, 2000000000); unsigned sorted[n] = zeros(); int sizes[256 * (n / 2048)] = zeros();
   radix_byte_sort_of_tiles(8, keys, sorted, sizes);
*/
// A byte of a radix sort within pieces of 2048 keys: ranks among equal digits by match, counts for each warp in shared.
__global__ __launch_bounds__(256) void radix_byte_sort_of_tiles(int shift, const unsigned *__restrict__ keys,
                                                                unsigned *__restrict__ sorted, int *__restrict__ sizes)
{
    __shared__ int counts[8][256];
    __shared__ unsigned local[2048];
    __shared__ int sums[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    for (int i = t; i < 8 * 256; i += 256)
        (&counts[0][0])[i] = 0;
    __syncthreads();
    unsigned key[8];
    int rank[8];
    size_t base = (size_t)blockIdx.x * 2048 + warp * 256 + lane;
#pragma unroll
    for (int i = 0; i < 8; i++)
        key[i] = keys[base + i * 32];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        unsigned digit = (key[i] >> shift) & 255;
        unsigned same = __match_any_sync(~0u, digit);
        int before = counts[warp][digit];
        __syncwarp();
        int nth = __popc(same & ((1u << lane) - 1));
        rank[i] = before + nth;
        if (nth == 0)
            counts[warp][digit] = before + __popc(same);
        __syncwarp();
    }
    __syncthreads();
    int total = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) {
        int c = counts[w][t];
        counts[w][t] = total;
        total += c;
    }
    sizes[(size_t)t * gridDim.x + blockIdx.x] = total;
    int incl = total;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        int u = __shfl_up_sync(~0u, incl, o);
        if (lane >= o)
            incl += u;
    }
    if (lane == 31)
        sums[warp] = incl;
    __syncthreads();
    int first = incl - total;
    for (int w = 0; w < warp; w++)
        first += sums[w];
#pragma unroll
    for (int w = 0; w < 8; w++)
        counts[w][t] += first;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++)
        local[counts[warp][(key[i] >> shift) & 255] + rank[i]] = key[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++)
        sorted[(size_t)blockIdx.x * 2048 + i * 256 + t] = local[i * 256 + t];
}

/* kmutate launch
   int n = 1 << 24; dim3 block = { 512 }; dim3 grid = { 264 };
   float2 points[n] = normal(0, 1); unsigned bins[64 * 64] = zeros();
   plane_density_shared_counts(n, -4, 8, points, bins);
*/
// Points in the plane counted in 64 by 64 cells, crowded in the middle, first in shared memory.
__global__ __launch_bounds__(512) void plane_density_shared_counts(int n, float low, float scale,
                                                                   const float2 *__restrict__ points, unsigned *bins)
{
    __shared__ unsigned mine[64 * 64];
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 p = points[i];
        int x = min(63, max(0, (int)((p.x - low) * scale)));
        int y = min(63, max(0, (int)((p.y - low) * scale)));
        atomicAdd(&mine[y * 64 + x], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
        if (mine[i])
            atomicAdd(&bins[i], mine[i]);
}

/* kmutate launch
   int ratings = 600000, users = 100000, items = 8000; dim3 block = { 256 }; dim3 grid = { ratings / 8 };
   int user[ratings] = ascending(0, 100000); int item[ratings] = randint(0, 8000);
   float score[ratings] = uniform(1, 5); float P[users * 32] = uniform(0, 0.5); float Q[items * 32] = uniform(0, 0.5);
   float dP[users * 32] = zeros(); float dQ[items * 32] = zeros();
   factor_gradients_warp_for_rating(ratings, 0.02f, user, item, score, P, Q, dP, dQ);
*/
// Gradients of a factorisation of ratings: a warp for each one, a lane for each factor, atomics on both rows.
__global__ void factor_gradients_warp_for_rating(int ratings, float lambda, const int *__restrict__ user,
                                                 const int *__restrict__ item, const float *__restrict__ score,
                                                 const float *__restrict__ P, const float *__restrict__ Q, float *dP,
                                                 float *dQ)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= ratings)
        return;
    int u = user[r] * 32 + lane, i = item[r] * 32 + lane;
    float p = P[u], q = Q[i];
    float dot = p * q;
    for (int o = 16; o > 0; o >>= 1)
        dot += __shfl_xor_sync(~0u, dot, o);
    float err = score[r] - dot;
    atomicAdd(&dP[u], err * q - lambda * p);
    atomicAdd(&dQ[i], err * p - lambda * q);
}

/* kmutate launch
   int n = 80000; int nnz = csr_nnz(n, 1, 40); dim3 block = { 256 }; dim3 grid = { (n + 7) / 8 };
   int start[n + 1] = csr_rowptr(n, 1, 40); int from[nnz] = csr_colidx(n);
   float left[n] = normal(); float right[n] = normal(); half feat[n * 64] = normal(); float out[n * 64] = zeros();
   graph_attention_warp_for_vertex(n, start, from, left, right, (const half2 *)feat, (float2 *)out);
*/
// Attention over the neighbours in a graph: maximum, then weights and their sum with 64 features of half precision.
__global__ __launch_bounds__(256) void graph_attention_warp_for_vertex(int n, const int *__restrict__ start,
                                                                       const int *__restrict__ from,
                                                                       const float *__restrict__ left,
                                                                       const float *__restrict__ right,
                                                                       const half2 *__restrict__ feat,
                                                                       float2 *__restrict__ out)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (v >= n)
        return;
    int begin = start[v], end = start[v + 1];
    float mine = left[v], top = -1e30f;
    for (int e = begin + lane; e < end; e += 32) {
        float s = mine + right[from[e]];
        top = fmaxf(top, s > 0.0f ? s : 0.2f * s);
    }
    for (int o = 16; o > 0; o >>= 1)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    float sum = 0.0f;
    float2 acc = make_float2(0.0f, 0.0f);
    for (int e = begin; e < end; e++) {
        int w = from[e];
        float s = mine + right[w];
        float a = __expf((s > 0.0f ? s : 0.2f * s) - top);
        float2 f = __half22float2(feat[(size_t)w * 32 + lane]);
        sum += a;
        acc.x += a * f.x;
        acc.y += a * f.y;
    }
    float inv = sum > 0.0f ? 1.0f / sum : 0.0f;
    out[(size_t)v * 32 + lane] = make_float2(acc.x * inv, acc.y * inv);
}

/* kmutate launch
   int n = 4000000, buckets = 1 << 20; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   unsigned query[n] = randint(1, 6000000); unsigned keys[buckets * 8] = randint(1, 6000000);
   int values[buckets * 8] = iota(); int found[n] = zeros();
   lookup_in_two_buckets_of_eight(n, buckets - 1, query, (const uint4 *)keys, values, found);
*/
// Look-ups in a table where a key may be in one of two buckets of eight; a bucket is two loads of sixteen bytes.
__global__ void lookup_in_two_buckets_of_eight(int n, unsigned mask, const unsigned *__restrict__ query,
                                               const uint4 *__restrict__ keys, const int *__restrict__ values,
                                               int *__restrict__ found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned k = query[i];
    unsigned h = k * 0x9e3779b1u;
    int at = -1;
    for (int round = 0; round < 2 && at < 0; round++) {
        unsigned b = (h >> 9) & mask;
        uint4 p = keys[b * 2], q = keys[b * 2 + 1];
        int slot = p.x == k ? 0 : p.y == k ? 1 : p.z == k ? 2 : p.w == k ? 3
                 : q.x == k ? 4 : q.y == k ? 5 : q.z == k ? 6 : q.w == k ? 7 : -1;
        if (slot >= 0)
            at = b * 8 + slot;
        h = (h ^ (h >> 15)) * 0x85ebca77u;
    }
    found[i] = at >= 0 ? values[at] : -1;
}

// ------------------------------------------------------------------------------------------------------ tensor cores

using namespace nvcuda;

/* kmutate launch
   int m = 1024, n = 1024, k = 1024; dim3 block = { 128 }; dim3 grid = { n / 64, m / 16 };
   half A[m * k] = uniform(-1, 1); half B[k * n] = uniform(-1, 1); float C[m * n] = zeros();
   wmma_warp_one_tile_from_memory(m, n, k, A, B, C);
*/
// The tutorial's product on tensor cores: a tile of 16 by 16 for each warp, both operands straight from memory.
__global__ void wmma_warp_one_tile_from_memory(int m, int n, int k, const half *A, const half *B, float *C)
{
    int row = blockIdx.y * 16, col = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    if (row >= m || col >= n)
        return;
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(a, A + row * k + i, k);
        wmma::load_matrix_sync(b, B + i * n + col, n);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + row * n + col, c, n, wmma::mem_row_major);
}

/* kmutate launch
   int m = 2048, n = 2048, k = 2048; dim3 block = { 256 }; dim3 grid = { n / 128, m / 128 };
   half A[m * k] = uniform(-1, 1); half B[k * n] = uniform(-1, 1); float C[m * n] = zeros();
   wmma_128_square_two_async_buffers(n, k, A, B, C);
*/
// Halves in tiles of 128 by 128 by 32, two buffers filled by cp.async, eight warps with 32 by 64 each.
__global__ __launch_bounds__(256) void wmma_128_square_two_async_buffers(int n, int k, const half *__restrict__ A,
                                                                         const half *__restrict__ B,
                                                                         float *__restrict__ C)
{
    __shared__ __align__(32) half As[2][128][40];
    __shared__ __align__(32) half Bs[2][32][136];
    int t = threadIdx.x, warp = t >> 5;
    int wr = (warp >> 1) * 32, wc = (warp & 1) * 64;
    const half *pa = A + (size_t)(blockIdx.y * 128 + (t >> 2)) * k + (t & 3) * 8;
    const half *pb = B + (size_t)(t >> 4) * n + blockIdx.x * 128 + (t & 15) * 8;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][4];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            wmma::fill_fragment(c[i][j], 0.0f);
    int steps = k / 32;
    for (int s = -1; s < steps; s++) {
        if (s + 1 < steps) {
            int to = (s + 1) & 1, k0 = (s + 1) * 32;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                fetch_sixteen(&As[to][(t >> 2) + i * 64][(t & 3) * 8], pa + (size_t)i * 64 * k + k0);
                fetch_sixteen(&Bs[to][(t >> 4) + i * 16][(t & 15) * 8], pb + (size_t)(k0 + i * 16) * n);
            }
        }
        fetch_commit();
        if (s < 0)
            continue;
        fetch_wait<1>();
        __syncthreads();
#pragma unroll
        for (int e = 0; e < 32; e += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
#pragma unroll
            for (int i = 0; i < 2; i++)
                wmma::load_matrix_sync(a[i], &As[s & 1][wr + i * 16][e], 40);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                wmma::load_matrix_sync(b, &Bs[s & 1][e][wc + j * 16], 136);
#pragma unroll
                for (int i = 0; i < 2; i++)
                    wmma::mma_sync(c[i][j], a[i], b, c[i][j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            wmma::store_matrix_sync(C + (size_t)(blockIdx.y * 128 + wr + i * 16) * n + blockIdx.x * 128 + wc + j * 16,
                                    c[i][j], n, wmma::mem_row_major);
}

/* kmutate launch
   int m = 2048, n = 1536, k = 2048; dim3 block = { 128 }; dim3 grid = { n / 64, m / 64 };
   __nv_bfloat16 A[m * k] = uniform(-1, 1); __nv_bfloat16 B[n * k] = uniform(-1, 1); __nv_bfloat16 C[m * n] = zeros();
   bf16_mma_ldmatrix_sixty_four(n, k, A, B, C);
*/
// C = A B' in bfloat16 with mma.sync: tiles of 64 by 64 by 32, ldmatrix out of padded rows, a warp has 32 by 32.
__global__ __launch_bounds__(128) void bf16_mma_ldmatrix_sixty_four(int n, int k, const __nv_bfloat16 *__restrict__ A,
                                                                    const __nv_bfloat16 *__restrict__ B,
                                                                    __nv_bfloat16 *__restrict__ C)
{
    __shared__ __align__(16) __nv_bfloat16 As[64][40], Bs[64][40];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int wr = (warp >> 1) * 32, wc = (warp & 1) * 32;
    const __nv_bfloat16 *pa = A + (size_t)(blockIdx.y * 64 + (t >> 2)) * k + (t & 3) * 8;
    const __nv_bfloat16 *pb = B + (size_t)(blockIdx.x * 64 + (t >> 2)) * k + (t & 3) * 8;
    float c[2][4][4] = {};
    uint4 na[2], nb[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        na[i] = *(const uint4 *)(pa + (size_t)i * 32 * k);
        nb[i] = *(const uint4 *)(pb + (size_t)i * 32 * k);
    }
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            *(uint4 *)&As[(t >> 2) + i * 32][(t & 3) * 8] = na[i];
            *(uint4 *)&Bs[(t >> 2) + i * 32][(t & 3) * 8] = nb[i];
        }
        __syncthreads();
        if (k0 + 32 < k) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                na[i] = *(const uint4 *)(pa + (size_t)i * 32 * k + k0 + 32);
                nb[i] = *(const uint4 *)(pb + (size_t)i * 32 * k + k0 + 32);
            }
        }
#pragma unroll
        for (int e = 0; e < 32; e += 16) {
            unsigned a[2][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                unsigned pa_s = (unsigned)__cvta_generic_to_shared(&As[wr + i * 16 + (lane & 15)][e + (lane >> 4) * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3]) : "r"(pa_s) : "memory");
                unsigned pb_s = (unsigned)__cvta_generic_to_shared(&Bs[wc + i * 16 + (lane & 15)][e + (lane >> 4) * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(b[i][0]), "=r"(b[i][1]), "=r"(b[i][2]), "=r"(b[i][3]) : "r"(pb_s) : "memory");
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(c[i][j][0]), "+f"(c[i][j][1]), "+f"(c[i][j][2]), "+f"(c[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]),
                                   "r"(b[j >> 1][j & 1]), "r"(b[j >> 1][(j & 1) + 2]));
        }
        __syncthreads();
    }
    int g = lane >> 2, q = (lane & 3) * 2;
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            size_t at = (size_t)(blockIdx.y * 64 + wr + i * 16 + g) * n + blockIdx.x * 64 + wc + j * 8 + q;
            *(__nv_bfloat162 *)&C[at] = __floats2bfloat162_rn(c[i][j][0], c[i][j][1]);
            *(__nv_bfloat162 *)&C[at + (size_t)8 * n] = __floats2bfloat162_rn(c[i][j][2], c[i][j][3]);
        }
}

/* kmutate launch
   int m = 2048, n = 1024, k = 1024; dim3 block = { 128 }; dim3 grid = { n / 64, m / 64 };
   float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1); float C[m * n] = zeros();
   tf32_mma_by_hand_padded_tiles(n, k, A, B, C);
*/
// Single precision through tf32 and mma.sync: tiles of 64 by 64 by 16, rounded when they are stored in shared memory.
__global__ __launch_bounds__(128) void tf32_mma_by_hand_padded_tiles(int n, int k, const float *__restrict__ A,
                                                                     const float *__restrict__ B,
                                                                     float *__restrict__ C)
{
    __shared__ __align__(16) unsigned As[64][20], Bs[16][72];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int wr = (warp >> 1) * 32, wc = (warp & 1) * 32, g = lane >> 2, q = lane & 3;
    float c[2][4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float4 va = *(const float4 *)&A[(size_t)(blockIdx.y * 64 + (t >> 2) + i * 32) * k + k0 + (t & 3) * 4];
            float4 vb = *(const float4 *)&B[(size_t)(k0 + (t >> 4) + i * 8) * n + blockIdx.x * 64 + (t & 15) * 4];
            uint4 ra, rb;
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra.x) : "f"(va.x));
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra.y) : "f"(va.y));
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra.z) : "f"(va.z));
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra.w) : "f"(va.w));
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb.x) : "f"(vb.x));
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb.y) : "f"(vb.y));
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb.z) : "f"(vb.z));
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb.w) : "f"(vb.w));
            *(uint4 *)&As[(t >> 2) + i * 32][(t & 3) * 4] = ra;
            *(uint4 *)&Bs[(t >> 4) + i * 8][(t & 15) * 4] = rb;
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < 16; e += 8) {
            unsigned a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                a[i][0] = As[wr + i * 16 + g][e + q];
                a[i][1] = As[wr + i * 16 + g + 8][e + q];
                a[i][2] = As[wr + i * 16 + g][e + q + 4];
                a[i][3] = As[wr + i * 16 + g + 8][e + q + 4];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                b[j][0] = Bs[e + q][wc + j * 8 + g];
                b[j][1] = Bs[e + q + 4][wc + j * 8 + g];
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(c[i][j][0]), "+f"(c[i][j][1]), "+f"(c[i][j][2]), "+f"(c[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            size_t at = (size_t)(blockIdx.y * 64 + wr + i * 16 + g) * n + blockIdx.x * 64 + wc + j * 8 + q * 2;
            *(float2 *)&C[at] = make_float2(c[i][j][0], c[i][j][1]);
            *(float2 *)&C[at + (size_t)8 * n] = make_float2(c[i][j][2], c[i][j][3]);
        }
}

/* kmutate launch
   int m = 2048, n = 2048, k = 1024; dim3 block = { 128 }; dim3 grid = { n / 64, m / 64 };
   signed char A[m * k] = randint(-127, 128); signed char B[n * k] = randint(-127, 128);
   float sa[m] = uniform(0.001, 0.01); float sb[n] = uniform(0.001, 0.01); half C[m * n] = zeros();
   bytes_mma_scaled_rows_and_columns(n, k, A, B, sa, sb, C);
*/
// Bytes with a scale for each row and column: mma.sync whose fragments come straight from memory, 32 by 32 for a warp.
__global__ __launch_bounds__(128) void bytes_mma_scaled_rows_and_columns(int n, int k,
                                                                         const signed char *__restrict__ A,
                                                                         const signed char *__restrict__ B,
                                                                         const float *__restrict__ sa,
                                                                         const float *__restrict__ sb,
                                                                         half *__restrict__ C)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, q = lane & 3;
    int row = blockIdx.y * 64 + (warp >> 1) * 32 + g, col = blockIdx.x * 64 + (warp & 1) * 32;
    const signed char *pa = A + (size_t)row * k + q * 4;
    const signed char *pb = B + (size_t)(col + g) * k + q * 4;
    int c[2][4][4] = {};
    for (int e = 0; e < k; e += 32) {
        unsigned a[2][4], b[4][2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const signed char *p = pa + (size_t)i * 16 * k + e;
            a[i][0] = *(const unsigned *)p;
            a[i][1] = *(const unsigned *)(p + (size_t)8 * k);
            a[i][2] = *(const unsigned *)(p + 16);
            a[i][3] = *(const unsigned *)(p + (size_t)8 * k + 16);
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            b[j][0] = *(const unsigned *)(pb + (size_t)j * 8 * k + e);
            b[j][1] = *(const unsigned *)(pb + (size_t)j * 8 * k + e + 16);
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                             "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+r"(c[i][j][0]), "+r"(c[i][j][1]), "+r"(c[i][j][2]), "+r"(c[i][j][3])
                             : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float s0 = sa[row + i * 16], s1 = sa[row + i * 16 + 8];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int at = col + j * 8 + q * 2;
            float2 s = *(const float2 *)&sb[at];
            half *to = C + (size_t)(row + i * 16) * n + at;
            *(half2 *)to = __floats2half2_rn(c[i][j][0] * s0 * s.x, c[i][j][1] * s0 * s.y);
            *(half2 *)(to + (size_t)8 * n) = __floats2half2_rn(c[i][j][2] * s1 * s.x, c[i][j][3] * s1 * s.y);
        }
    }
}

/* kmutate launch
   int heads = 48, len = 1024; dim3 block = { 128 }; dim3 grid = { len / 64, len / 64, heads };
   half Q[heads * len * 64] = normal(); half K[heads * len * 64] = normal(); half S[heads * len * len] = zeros();
   attention_scores_wmma_causal_tiles(len, 0.125f, Q, K, S);
*/
// Scaled scores of queries and keys by heads; tiles above the diagonal leave, those on it are masked in shared memory.
__global__ __launch_bounds__(128) void attention_scores_wmma_causal_tiles(int len, float scale,
                                                                          const half *__restrict__ Q,
                                                                          const half *__restrict__ K,
                                                                          half *__restrict__ S)
{
    __shared__ __align__(32) float tile[64][68];
    if (blockIdx.x > blockIdx.y)
        return;
    int warp = threadIdx.x >> 5;
    const half *q = Q + ((size_t)blockIdx.z * len + blockIdx.y * 64 + warp * 16) * 64;
    const half *k = K + ((size_t)blockIdx.z * len + blockIdx.x * 64) * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
        wmma::fill_fragment(c[j], 0.0f);
#pragma unroll
    for (int e = 0; e < 64; e += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::load_matrix_sync(a, q + e, 64);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
            wmma::load_matrix_sync(b, k + j * 16 * 64 + e, 64);
            wmma::mma_sync(c[j], a, b, c[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(&tile[warp * 16][j * 16], c[j], 68, wmma::mem_row_major);
    __syncthreads();
    bool edge = blockIdx.x == blockIdx.y;
    half *out = S + ((size_t)blockIdx.z * len + blockIdx.y * 64) * len + blockIdx.x * 64;
    for (int i = threadIdx.x; i < 64 * 32; i += 128) {
        int r = i >> 5, x = (i & 31) * 2;
        float u = tile[r][x] * scale, v = tile[r][x + 1] * scale;
        if (edge && x > r)
            u = -60000.0f;
        if (edge && x + 1 > r)
            v = -60000.0f;
        *(half2 *)&out[(size_t)r * len + x] = __floats2half2_rn(u, v);
    }
}

/* kmutate launch
   int batch = 8, h = 64, w = 64; dim3 block = { 128 }; dim3 grid = { h, batch };
   __nv_bfloat16 in[batch * (h + 2) * (w + 2) * 64] = uniform(-1, 1); __nv_bfloat16 wt[9 * 64 * 64] = uniform(-1, 1);
   float out[batch * h * w * 64] = zeros();
   implicit_gemm_three_by_three_bf16(h, w, in, wt, out);
*/
// A convolution of three by three, 64 channels to 64, channels last: a block has a row of 64 pixels and nine products.
__global__ __launch_bounds__(128) void implicit_gemm_three_by_three_bf16(int h, int w,
                                                                         const __nv_bfloat16 *__restrict__ in,
                                                                         const __nv_bfloat16 *__restrict__ wt,
                                                                         float *__restrict__ out)
{
    __shared__ __align__(32) __nv_bfloat16 line[66 * 80];
    __shared__ __align__(32) __nv_bfloat16 taps[64 * 80];
    int t = threadIdx.x, warp = t >> 5;
    int wr = (warp >> 1) * 32, wc = (warp & 1) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(c[i >> 1][i & 1], 0.0f);
    for (int dy = 0; dy < 3; dy++) {
        const uint4 *src = (const uint4 *)(in + ((size_t)blockIdx.y * (h + 2) + blockIdx.x + dy) * (w + 2) * 64);
        for (int i = t; i < 66 * 8; i += 128)
            *(uint4 *)&line[(i >> 3) * 80 + (i & 7) * 8] = src[i];
        for (int dx = 0; dx < 3; dx++) {
            const uint4 *from = (const uint4 *)(wt + (dy * 3 + dx) * 64 * 64);
            for (int i = t; i < 64 * 8; i += 128)
                *(uint4 *)&taps[(i >> 3) * 80 + (i & 7) * 8] = from[i];
            __syncthreads();
#pragma unroll
            for (int e = 0; e < 64; e += 16) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a[2];
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b[2];
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    wmma::load_matrix_sync(a[i], &line[(wr + i * 16 + dx) * 80 + e], 80);
                    wmma::load_matrix_sync(b[i], &taps[e * 80 + wc + i * 16], 80);
                }
#pragma unroll
                for (int i = 0; i < 4; i++)
                    wmma::mma_sync(c[i >> 1][i & 1], a[i >> 1], b[i & 1], c[i >> 1][i & 1]);
            }
            __syncthreads();
        }
    }
    float *to = out + ((size_t)blockIdx.y * h + blockIdx.x) * w * 64;
#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma::store_matrix_sync(to + (wr + (i >> 1) * 16) * 64 + wc + (i & 1) * 16, c[i >> 1][i & 1], 64,
                                wmma::mem_row_major);
}

// ------------------------------------------------------------------------------------------------------ applications

/* kmutate launch
   int w = 2560, h = 1440; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   uchar4 guide[w * h] = randint(0, 256); float depth[(w / 4) * (h / 4)] = uniform(0.5, 8); float out[w * h] = zeros();
   enlarge_depth_guided_by_colour(w, h, guide, depth, out);
*/
// A coarse map of depth made four times as large: five by five coarse values, weighted by distance and by colour.
__global__ void enlarge_depth_guided_by_colour(int w, int h, const uchar4 *__restrict__ guide,
                                               const float *__restrict__ depth, float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int lw = w / 4, lh = h / 4;
    uchar4 mine = guide[y * w + x];
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -2; dy <= 2; dy++) {
        int ly = min(max(y / 4 + dy, 0), lh - 1);
#pragma unroll
        for (int dx = -2; dx <= 2; dx++) {
            int lx = min(max(x / 4 + dx, 0), lw - 1);
            uchar4 c = guide[(ly * 4 + 1) * w + lx * 4 + 1];
            float r = (float)c.x - mine.x, g = (float)c.y - mine.y, b = (float)c.z - mine.z;
            float fx = lx * 4 + 1.5f - x, fy = ly * 4 + 1.5f - y;
            float k = __expf(-(fx * fx + fy * fy) * 0.02f - (r * r + g * g + b * b) * 0.0008f);
            sum += k * depth[ly * lw + lx];
            weights += k;
        }
    }
    out[y * w + x] = sum / (weights + 1e-12f);
}

/* kmutate launch
   int nv = 8192, nx = 1024; dim3 block = { 256 }; dim3 grid = { nv };
   float f[nv * nx] = uniform(0, 1); float g[nv * nx] = zeros();
   vlasov_shift_periodic_rows(nv, 0.37f, f, g);
*/
// The advection half of a Vlasov step: each velocity's row of 1024 is shifted by its own distance, cubic and periodic.
__global__ __launch_bounds__(256) void vlasov_shift_periodic_rows(int nv, float courant, const float *__restrict__ f,
                                                                  float *__restrict__ g)
{
    __shared__ __align__(16) float row[1024];
    int v = blockIdx.x;
    *(float4 *)&row[threadIdx.x * 4] = *(const float4 *)&f[(size_t)v * 1024 + threadIdx.x * 4];
    __syncthreads();
    float shift = courant * (v - 0.5f * nv + 0.5f) * 0.01f;
    float whole = floorf(shift);
    float a = shift - whole;
    int off = -(int)whole;
    float w0 = a * (a * a - 1.0f) * (1.0f / 6.0f);
    float w1 = a * (1.0f + a) * (2.0f - a) * 0.5f;
    float w2 = (1.0f - a * a) * (2.0f - a) * 0.5f;
    float w3 = -a * (1.0f - a) * (2.0f - a) * (1.0f / 6.0f);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int x = threadIdx.x + i * 256;
        int at = x + off;
        g[(size_t)v * 1024 + x] = w0 * row[(at - 2) & 1023] + w1 * row[(at - 1) & 1023] + w2 * row[at & 1023] +
                                  w3 * row[(at + 1) & 1023];
    }
}

/* kmutate launch
   int points = 65536, walks = 16; dim3 block = { 128 }; dim3 grid = { points / 128 };
   float4 start[points] = uniform(0.1, 0.9); float value[points] = zeros();
   walk_on_spheres_in_a_cube(points, walks, 1e-3f, start, value);
*/
// Laplace's equation in a cube with a ball cut out, by walks on spheres that end at different times, or after 48 steps.
__global__ void walk_on_spheres_in_a_cube(int points, int walks, float eps, const float4 *__restrict__ start,
                                          float *__restrict__ value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points)
        return;
    float4 s = start[i];
    unsigned state = i * 747796405u + 2891336453u;
    float total = 0.0f;
    for (int w = 0; w < walks; w++) {
        float x = s.x, y = s.y, z = s.z;
        float bx = 0.0f;
        for (int step = 0; step < 48; step++) {
            float wall = fminf(fminf(fminf(x, 1.0f - x), fminf(y, 1.0f - y)), fminf(z, 1.0f - z));
            float dx = x - 0.5f, dy = y - 0.5f, dz = z - 0.5f;
            float ball = sqrtf(dx * dx + dy * dy + dz * dz) - 0.2f;
            float r = fminf(wall, ball);
            bx = wall < ball ? x * x - y : 1.0f;
            if (r < eps)
                break;
            state = state * 747796405u + 2891336453u;
            unsigned u = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
            u ^= u >> 22;
            state = state * 747796405u + 2891336453u;
            unsigned v = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
            v ^= v >> 22;
            float c = 2.0f * (u >> 8) * (1.0f / 16777216.0f) - 1.0f;
            float q = r * sqrtf(fmaxf(0.0f, 1.0f - c * c));
            float sn, cs;
            __sincosf(6.2831853f * (v >> 8) * (1.0f / 16777216.0f), &sn, &cs);
            x += q * cs;
            y += q * sn;
            z += r * c;
        }
        total += bx;
    }
    value[i] = total / walks;
}

/* kmutate launch
   int words = 1 << 21; dim3 block = { 256 }; dim3 grid = { words / 256 };
   unsigned char text[words * 32] = randint(32, 127); unsigned quotes[words] = zeros();
   unsigned structure[words] = zeros(); int odd[words / 256] = zeros();
   json_marks_by_ballots(text, quotes, structure, odd);
*/
// A JSON parser's first pass: bit masks of quotes and of braces, colons and commas, each block's parity of quotes.
__global__ __launch_bounds__(256) void json_marks_by_ballots(const unsigned char *__restrict__ text,
                                                             unsigned *__restrict__ quotes,
                                                             unsigned *__restrict__ structure, int *__restrict__ odd)
{
    __shared__ unsigned parity[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int word0 = blockIdx.x * 256 + warp * 32;
    unsigned q_mine = 0, s_mine = 0;
#pragma unroll 4
    for (int i = 0; i < 32; i++) {
        size_t at = (size_t)(word0 + i) * 32 + lane;
        unsigned char c = text[at];
        unsigned char before = at > 0 ? text[at - 1] : ' ';
        unsigned q = __ballot_sync(~0u, c == '"' && before != '\\');
        unsigned s = __ballot_sync(~0u, c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',');
        if (lane == i) {
            q_mine = q;
            s_mine = s;
        }
    }
    quotes[word0 + lane] = q_mine;
    structure[word0 + lane] = s_mine;
    unsigned ones = __ballot_sync(~0u, __popc(q_mine) & 1);
    if (lane == 0)
        parity[warp] = __popc(ones) & 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned p = 0;
        for (int w = 0; w < 8; w++)
            p ^= parity[w];
        odd[blockIdx.x] = p;
    }
}

/* kmutate launch
   int tokens = 8192, heads = 40, kept = 32; dim3 block = { 256 }; dim3 grid = { tokens * heads / 8 };
   half qk[tokens * heads * 128] = normal(); half gq[128] = uniform(0.5, 1.5); half gk[128] = uniform(0.5, 1.5);
   float2 turn[tokens * 64] = uniform(-1, 1);
   norm_and_turn_queries_and_keys(tokens, heads, kept, qk, gq, gk, turn);
*/
// Queries and keys of 128 halves are normalised by head and then rotated in place, a warp for each head of a token.
__global__ __launch_bounds__(256) void norm_and_turn_queries_and_keys(int tokens, int heads, int queries, half *qk,
                                                                      const half *__restrict__ gq,
                                                                      const half *__restrict__ gk,
                                                                      const float2 *__restrict__ turn)
{
    int id = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    int token = id / heads, head = id - token * heads;
    if (token >= tokens)
        return;
    half2 *p = (half2 *)(qk + (size_t)id * 128);
    const half2 *g = (const half2 *)(head < queries ? gq : gk);
    float2 lo = __half22float2(p[lane]), hi = __half22float2(p[lane + 32]);
    float sum = lo.x * lo.x + lo.y * lo.y + hi.x * hi.x + hi.y * hi.y;
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(~0u, sum, o);
    float inv = rsqrtf(sum * (1.0f / 128.0f) + 1e-6f);
    float2 glo = __half22float2(g[lane]), ghi = __half22float2(g[lane + 32]);
    lo.x *= inv * glo.x;
    lo.y *= inv * glo.y;
    hi.x *= inv * ghi.x;
    hi.y *= inv * ghi.y;
    float4 cs = ((const float4 *)(turn + (size_t)token * 64))[lane];
    p[lane] = __floats2half2_rn(lo.x * cs.x - hi.x * cs.y, lo.y * cs.z - hi.y * cs.w);
    p[lane + 32] = __floats2half2_rn(hi.x * cs.x + lo.x * cs.y, hi.y * cs.z + lo.y * cs.w);
}

/* kmutate launch
   int batch = 16, heads = 16, len = 2048; dim3 block = { 256 }; dim3 grid = { heads, batch };
   float q[batch * heads * 128] = normal(); signed char K[batch * heads * len * 128] = randint(-127, 128);
   signed char V[batch * heads * len * 128] = randint(-127, 128); float ks[batch * heads * len] = uniform(0.005, 0.01);
   float vs[batch * heads * len] = uniform(0.005, 0.01); float out[batch * heads * 128] = zeros();
   decode_one_token_cache_of_bytes(len, q, K, V, ks, vs, out);
*/
// One token's attention to a cache of bytes with a scale for each position: eight warps go through it, then agree.
__global__ __launch_bounds__(256) void decode_one_token_cache_of_bytes(int len, const float *__restrict__ q,
                                                                       const signed char *__restrict__ K,
                                                                       const signed char *__restrict__ V,
                                                                       const float *__restrict__ ks,
                                                                       const float *__restrict__ vs,
                                                                       float *__restrict__ out)
{
    __shared__ __align__(16) float acc_s[8][128];
    __shared__ float tops[8], sums[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    size_t id = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    float4 mine = ((const float4 *)(q + id * 128))[lane];
    const char4 *k = (const char4 *)(K + id * len * 128), *v = (const char4 *)(V + id * len * 128);
    float top = -1e30f, sum = 0.0f;
    float4 acc = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int p = warp; p < len; p += 8) {
        char4 a = k[(size_t)p * 32 + lane];
        char4 b = v[(size_t)p * 32 + lane];
        float s = mine.x * a.x + mine.y * a.y + mine.z * a.z + mine.w * a.w;
        for (int o = 16; o > 0; o >>= 1)
            s += __shfl_xor_sync(~0u, s, o);
        s *= ks[id * len + p] * 0.08838835f;
        float higher = fmaxf(top, s);
        float keep = __expf(top - higher), e = __expf(s - higher);
        float f = e * vs[id * len + p];
        sum = sum * keep + e;
        acc.x = acc.x * keep + f * b.x;
        acc.y = acc.y * keep + f * b.y;
        acc.z = acc.z * keep + f * b.z;
        acc.w = acc.w * keep + f * b.w;
        top = higher;
    }
    *(float4 *)&acc_s[warp][lane * 4] = acc;
    if (lane == 0) {
        tops[warp] = top;
        sums[warp] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        float best = tops[0];
        for (int w = 1; w < 8; w++)
            best = fmaxf(best, tops[w]);
        float total = 0.0f, r = 0.0f;
        for (int w = 0; w < 8; w++) {
            float f = __expf(tops[w] - best);
            total += f * sums[w];
            r += f * acc_s[w][threadIdx.x];
        }
        out[id * 128 + threadIdx.x] = r / total;
    }
}
