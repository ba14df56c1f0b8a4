// The eighth set of kernels that nobody tuned the model of time for: streams, matrices dense and sparse, simulations, signals,
// images, data, ciphers, finance and networks, written from what is commonly known of the algorithms by someone who had seen
// neither the model nor its results (tests/gpu/heldout.py, docs/heldout.md).

#include <cuda_bf16.h>
#include <cuda_fp16.h>

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

// --------------------------------------------------------------------------------------------------------------- streams

/* kmutate launch
   int n8 = 1 << 22; dim3 block = { 256 }; dim3 grid = { n8 / 256 };
   float4 out[2 * n8] = zeros(); half in[8 * n8] = uniform(-4, 4);
   widen_half(out, (uint4 *)in, n8);
*/
// Halves to floats, sixteen bytes read and thirty-two written by each thread.
__global__ void widen_half(float4 *out, const uint4 *in, int n8)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n8) return;
    const uint4 raw = in[i];
    const half2 *h = reinterpret_cast<const half2 *>(&raw);
    const float2 a = __half22float2(h[0]), b = __half22float2(h[1]), c = __half22float2(h[2]), d = __half22float2(h[3]);
    out[2 * i] = make_float4(a.x, a.y, b.x, b.y);
    out[2 * i + 1] = make_float4(c.x, c.y, d.x, d.y);
}

/* kmutate launch
   int rows = 6000, width = 2048; dim3 block = { 256 }; dim3 grid = { width / 2 / 256, rows };
   __nv_bfloat162 out[rows * width / 2] = zeros(); __nv_bfloat16 x[rows * width] = normal(); __nv_bfloat16 residual[rows * width] = normal();
   __nv_bfloat16 bias[width] = normal();
   bias_dropout_add(out, (__nv_bfloat162 *)x, (__nv_bfloat162 *)bias, (__nv_bfloat162 *)residual, width / 2, 0.1f, 1234u);
*/
// Bias, dropout by bits of a hash of the place, and the residual, in pairs of bfloat16.
__global__ void bias_dropout_add(__nv_bfloat162 *out, const __nv_bfloat162 *x, const __nv_bfloat162 *bias, const __nv_bfloat162 *residual, int pairs, float drop, unsigned seed)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * pairs + c;
    const float2 v = __bfloat1622float2(x[i]), b = __bfloat1622float2(bias[c]), r = __bfloat1622float2(residual[i]);
    const unsigned bits = mix_bits((unsigned)i * 0x9e3779b9u + seed), limit = (unsigned)(drop * 65536.0f);
    const float scale = 1.0f / (1.0f - drop);
    const float first = (bits & 0xffffu) < limit ? 0.0f : (v.x + b.x) * scale, second = (bits >> 16) < limit ? 0.0f : (v.y + b.y) * scale;
    out[i] = __floats2bfloat162_rn(first + r.x, second + r.y);
}

/* kmutate launch
   int images = 32, pixels = 384 * 384; dim3 block = { 128 }; dim3 grid = { pixels / 128, images };
   float out[images * 3 * pixels] = zeros(); unsigned char in[images * 3 * pixels] = randint(0, 256);
   planes_normalize(out, in, pixels);
*/
// Bytes of interleaved colours to three planes of floats, less the mean and over the deviation: what comes before a network.
__global__ void planes_normalize(float *out, const unsigned char *in, int pixels)
{
    const float mean[3] = { 0.485f, 0.456f, 0.406f }, inverse[3] = { 4.367f, 4.464f, 4.444f };
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *from = in + ((size_t)blockIdx.y * pixels + p) * 3;
    float *to = out + (size_t)blockIdx.y * 3 * pixels + p;
#pragma unroll
    for (int c = 0; c < 3; c++)
        to[(size_t)c * pixels] = (from[c] * (1.0f / 255.0f) - mean[c]) * inverse[c];
}

/* kmutate launch
   int w = 6144, h = 4096; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 32 };
   unsigned char out[w * h] = zeros(); unsigned char in[w * h] = randint(0, 256);
   transpose_bytes(out, in, w, h);
*/
// A transpose of single bytes: four of a row share a word of the tile.
__global__ void transpose_bytes(unsigned char *out, const unsigned char *in, int w, int h)
{
    __shared__ unsigned char tile[32][33];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = in[(size_t)(y + r) * w + x];
    __syncthreads();
    const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        out[(size_t)(ty + r) * h + tx] = tile[threadIdx.x][r];
}

/* kmutate launch
   int outer = 48, middle = 400, inner = 1024; dim3 block = { 128 }; dim3 grid = { inner / 128, outer };
   float out[outer * inner] = zeros(); float in[outer * middle * inner] = normal();
   middle_logsum(out, in, middle, inner);
*/
// The logarithm of a sum of exponentials over the middle one of three axes, with a running maximum.
__global__ void middle_logsum(float *out, const float *__restrict__ in, int middle, int inner)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = in + (size_t)blockIdx.y * middle * inner + c;
    float top = -INFINITY, sum = 0.0f;
    for (int m = 0; m < middle; m++, p += inner) {
        const float v = *p, larger = fmaxf(top, v);
        sum = sum * __expf(top - larger) + __expf(v - larger);
        top = larger;
    }
    out[blockIdx.y * inner + c] = top + logf(sum);
}

// -------------------------------------------------------------------------------------------------------- linear algebra

/* kmutate launch
   int n = 4000; dim3 block = { 128 }; dim3 grid = { n };
   float y[n] = zeros(); float packed[n * (n + 1) / 2] = uniform(-1, 1); float x[n] = uniform(-1, 1);
   symv_packed(y, packed, x, n);
*/
// A symmetric matrix, of which only the upper half is stored, row after row, times a vector: a block has a row, and what the
// row gives to the other elements goes there by atomics.
__global__ void symv_packed(float *y, const float *packed, const float *x, int n)
{
    __shared__ float parts[4];
    const int i = blockIdx.x;
    const float *row = packed + (size_t)i * n - (size_t)i * (i - 1) / 2 - i;
    const float xi = x[i];
    float sum = 0.0f;
    for (int j = i + threadIdx.x; j < n; j += 128) {
        const float a = row[j];
        sum += a * x[j];
        if (j > i) atomicAdd(y + j, a * xi);
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(y + i, parts[0] + parts[1] + parts[2] + parts[3]);
}

/* kmutate launch
   int m = 1024, n = 1024, k = 1024; dim3 block = { 512 }; dim3 grid = { n / 64, m / 64 };
   float C[m * n] = zeros(); float A[m * k] = uniform(-1, 1); float B[k * n] = uniform(-1, 1);
   sgemm_column_tile(C, A, B, n, k);
*/
// The third rung of the ladder: each thread has a column of eight results, and a value of B in a register for all eight.
__global__ void sgemm_column_tile(float *C, const float *A, const float *B, int n, int k)
{
    __shared__ float a[64 * 8], b[8 * 64];
    const int column = threadIdx.x % 64, group = threadIdx.x / 64;
    const float *from_a = A + (size_t)(blockIdx.y * 64 + threadIdx.x / 8) * k + threadIdx.x % 8;
    const float *from_b = B + (size_t)group * n + blockIdx.x * 64 + column;
    float sums[8] = { 0.0f };
    for (int k0 = 0; k0 < k; k0 += 8) {
        a[threadIdx.x] = from_a[k0];
        b[threadIdx.x] = from_b[(size_t)k0 * n];
        __syncthreads();
        for (int kk = 0; kk < 8; kk++) {
            const float v = b[kk * 64 + column];
            for (int r = 0; r < 8; r++)
                sums[r] += a[(group * 8 + r) * 8 + kk] * v;
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++)
        C[(size_t)(blockIdx.y * 64 + group * 8 + r) * n + blockIdx.x * 64 + column] = sums[r];
}

/* kmutate launch
   int m = 1536, n = 1536, k = 640; dim3 block = { 16, 16 }; dim3 grid = { n / 96, m / 96 };
   float C[m * n] = zeros(); float A[m * k] = uniform(-1, 1); float B[n * k] = uniform(-1, 1);
   sgemm_nt_six(C, A, B, n, k, 0.5f);
*/
// A times the transpose of B, both read along k; six by six results for a thread, sixteen apart in both directions.
__global__ void __launch_bounds__(256, 2) sgemm_nt_six(float *C, const float *__restrict__ A, const float *__restrict__ B, int n, int k, float alpha)
{
    __shared__ float a[16][97], b[16][97];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const float *rows_a = A + (size_t)blockIdx.y * 96 * k, *rows_b = B + (size_t)blockIdx.x * 96 * k;
    float acc[6][6] = { { 0.0f } };
    for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
        for (int r = 0; r < 6; r++) {
            a[tx][ty + 16 * r] = rows_a[(size_t)(ty + 16 * r) * k + k0 + tx];
            b[tx][ty + 16 * r] = rows_b[(size_t)(ty + 16 * r) * k + k0 + tx];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk++) {
            float u[6], v[6];
#pragma unroll
            for (int r = 0; r < 6; r++) {
                u[r] = a[kk][ty + 16 * r];
                v[r] = b[kk][tx + 16 * r];
            }
#pragma unroll
            for (int i = 0; i < 6; i++)
#pragma unroll
                for (int j = 0; j < 6; j++)
                    acc[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 6; i++)
#pragma unroll
        for (int j = 0; j < 6; j++)
            C[(size_t)(blockIdx.y * 96 + ty + 16 * i) * n + blockIdx.x * 96 + tx + 16 * j] = alpha * acc[i][j];
}

/* kmutate launch
   int m = 1280, n = 1024, k = 1024; dim3 block = { 16, 16 }; dim3 grid = { n / 64, m / 64 };
   __nv_bfloat16 C[m * n] = zeros(); __nv_bfloat16 A[m * k] = uniform(-1, 1); __nv_bfloat16 B[k * n] = uniform(-1, 1);
   gemm_bf16_tiles(C, A, B, n, k);
*/
// Matrices of bfloat16 without tensor cores: pairs are read, tiles are kept in float, four by four sums for a thread.
__global__ void gemm_bf16_tiles(__nv_bfloat16 *C, const __nv_bfloat16 *A, const __nv_bfloat16 *B, int n, int k)
{
    __shared__ float a[32][68];
    __shared__ float b[32][64];
    const int t = threadIdx.y * 16 + threadIdx.x, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    float acc[4][4] = { { 0.0f } };
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int i = t; i < 64 * 16; i += 256) {
            const int r = i / 16, c = i % 16 * 2;
            const float2 v = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162 *>(A + (size_t)(row0 + r) * k + k0 + c));
            a[c][r] = v.x;
            a[c + 1][r] = v.y;
        }
        for (int i = t; i < 32 * 32; i += 256) {
            const int r = i / 32, c = i % 32 * 2;
            *reinterpret_cast<float2 *>(&b[r][c]) = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162 *>(B + (size_t)(k0 + r) * n + column0 + c));
        }
        __syncthreads();
#pragma unroll 8
        for (int kk = 0; kk < 32; kk++) {
            const float4 u = *reinterpret_cast<const float4 *>(&a[kk][threadIdx.y * 4]), v = *reinterpret_cast<const float4 *>(&b[kk][threadIdx.x * 4]);
            const float us[4] = { u.x, u.y, u.z, u.w }, vs[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] += us[i] * vs[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            C[(size_t)(row0 + threadIdx.y * 4 + i) * n + column0 + threadIdx.x * 4 + j] = __float2bfloat16(acc[i][j]);
}

/* kmutate launch
   int batch = 24000; dim3 block = { 12, 12 }; dim3 grid = { batch };
   float C[batch * 144] = zeros(); float A[batch * 144] = uniform(-1, 1); float B[batch * 144] = uniform(-1, 1);
   gemm_batch_12(C, A, B);
*/
// Many products of matrices of twelve by twelve, a block for each: blocks of four warps and a half.
__global__ void gemm_batch_12(float *C, const float *A, const float *B)
{
    __shared__ float a[12][12], b[12][12];
    const size_t at = (size_t)blockIdx.x * 144 + threadIdx.y * 12 + threadIdx.x;
    a[threadIdx.y][threadIdx.x] = A[at];
    b[threadIdx.y][threadIdx.x] = B[at];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 12; k++)
        sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    C[at] = sum;
}

/* kmutate launch
   int n = 1024, m = 768; dim3 block = { 32, 8 }; dim3 grid = { m / 32, n / 8 };
   float out[n * m] = zeros(); float A[n * n] = uniform(-1, 1); float B[n * m] = uniform(-1, 1);
   trmm_naive(out, A, B, n, m, 1.5f);
*/
// A triangular matrix, transposed, times another: the first rows have much to do, the last none.
__global__ void trmm_naive(float *out, const float *A, const float *B, int n, int m, float alpha)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= m) return;
    float sum = B[(size_t)i * m + j];
    for (int k = i + 1; k < n; k++)
        sum += A[(size_t)k * n + i] * B[(size_t)k * m + j];
    out[(size_t)i * m + j] = alpha * sum;
}

/* kmutate launch
   int batch = 80000; dim3 block = { 64 }; dim3 grid = { batch / 64 };
   double r[36 * batch] = zeros(); double a[36 * batch] = uniform(-1, 1);
   givens_six(r, a, batch);
*/
// Matrices of six by six doubles made triangular by rotations, one in the registers of each thread.
__global__ void __launch_bounds__(64) givens_six(double *r, const double *a, int batch)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= batch) return;
    double m[6][6];
#pragma unroll
    for (int e = 0; e < 36; e++)
        m[e / 6][e % 6] = a[(size_t)e * batch + i];
#pragma unroll
    for (int c = 0; c < 5; c++)
#pragma unroll
        for (int q = c + 1; q < 6; q++) {
            const double x = m[c][c], y = m[q][c], length = rsqrt(x * x + y * y + 1e-300), cosine = x * length, sine = y * length;
#pragma unroll
            for (int k = c; k < 6; k++) {
                const double top = m[c][k], bottom = m[q][k];
                m[c][k] = cosine * top + sine * bottom;
                m[q][k] = cosine * bottom - sine * top;
            }
        }
#pragma unroll
    for (int e = 0; e < 36; e++)
        r[(size_t)e * batch + i] = m[e / 6][e % 6];
}

/* kmutate launch
   int systems = 20000, n = 96; dim3 block = { 128 }; dim3 grid = { ceil_div(systems, 128) };
   float x[n * systems] = zeros(); float alpha[n * systems] = zeros(); float beta[n * systems] = zeros();
   float d[n * systems] = uniform(6, 8); float e[n * systems] = uniform(-1, 1); float f[n * systems] = uniform(-1, 1); float b[n * systems] = uniform(-1, 1);
   penta_columns(x, alpha, beta, d, e, f, b, n, systems);
*/
// Symmetric systems with five diagonals, interleaved, one for each thread: forwards with a factorisation, then backwards.
__global__ void penta_columns(float *x, float *alpha, float *beta, const float *d, const float *e, const float *f, const float *b, int n, int systems)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float a1 = 0.0f, a2 = 0.0f, b1 = 0.0f, b2 = 0.0f, m1 = 0.0f, m2 = 0.0f, z1 = 0.0f, z2 = 0.0f;
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)i * systems + s;
        const float pivot = d[at] - m1 * a1 * a1 - m2 * b2 * b2, inverse = 1.0f / pivot;
        const float a0 = (e[at] - m1 * a1 * b1) * inverse, b0 = f[at] * inverse, z0 = b[at] - a1 * z1 - b2 * z2;
        alpha[at] = a0;
        beta[at] = b0;
        x[at] = z0 * inverse;
        b2 = b1; b1 = b0; a2 = a1; a1 = a0;
        m2 = m1; m1 = pivot;
        z2 = z1; z1 = z0;
    }
    float x1 = 0.0f, x2 = 0.0f;
    for (int i = n - 1; i >= 0; i--) {
        const size_t at = (size_t)i * systems + s;
        const float x0 = x[at] - alpha[at] * x1 - beta[at] * x2;
        x[at] = x0;
        x2 = x1;
        x1 = x0;
    }
}

// --------------------------------------------------------------------------------------------------------------- sparse

/* kmutate launch
   #define JAG(d) ((d) * 240000 - 9000 * ((d) * ((d) - 1) / 2))
   int rows = 240000; dim3 block = { 256 }; dim3 grid = { ceil_div(rows, 256) };
   int start[25] = { JAG(0), JAG(1), JAG(2), JAG(3), JAG(4), JAG(5), JAG(6), JAG(7), JAG(8), JAG(9), JAG(10), JAG(11), JAG(12), JAG(13), JAG(14), JAG(15), JAG(16),
      JAG(17), JAG(18), JAG(19), JAG(20), JAG(21), JAG(22), JAG(23), JAG(24) };
   float y[rows] = zeros(); int order[rows] = permutation(); int column[JAG(24)] = randint(0, 240000); float value[JAG(24)] = uniform(-1, 1); float x[rows] = uniform(-1, 1);
   spmv_jds(y, start, order, column, value, x, rows, 24);
*/
// Jagged diagonals: rows in the order of their length, the k-th entries of all of them side by side.
__global__ void spmv_jds(float *y, const int *__restrict__ start, const int *order, const int *column, const float *value, const float *__restrict__ x, int rows, int diagonals)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    float sum = 0.0f;
    for (int d = 0; d < diagonals; d++) {
        const int first = start[d];
        if (i >= start[d + 1] - first) break;
        sum += value[first + i] * x[column[first + i]];
    }
    y[order[i]] = sum;
}

/* kmutate launch
   int columns = 160000, rows = 120000, lo = 2, hi = 20; dim3 block = { 128 }; dim3 grid = { ceil_div(columns, 128) };
   int nnz = csr_nnz(columns, lo, hi);
   float y[rows] = zeros(); int start[columns + 1] = csr_rowptr(columns, lo, hi); int row[nnz] = csr_colidx(rows); float value[nnz] = uniform(-1, 1); float x[columns] = uniform(-1, 1);
   spmv_csc_scatter(y, start, row, value, x, columns);
*/
// A sparse matrix stored by columns: each thread spreads its column over the result by atomics.
__global__ void spmv_csc_scatter(float *y, const int *start, const int *row, const float *value, const float *x, int columns)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    const float v = x[c];
    const int end = start[c + 1];
    for (int k = start[c]; k < end; k++)
        atomicAdd(y + row[k], value[k] * v);
}

/* kmutate launch
   int rows = 50000, lo = 4, hi = 16; dim3 block = { 128 }; dim3 grid = { rows / 4 };
   int nnz = csr_nnz(rows, lo, hi);
   double y[3 * rows] = zeros(); int start[rows + 1] = csr_rowptr(rows, lo, hi); int column[nnz] = csr_colidx(rows); double value[9 * nnz] = uniform(-1, 1); double x[3 * rows] = uniform(-1, 1);
   spmv_bsr3(y, start, column, value, x, rows);
*/
// Blocks of three by three doubles: a warp has a row of blocks and takes three at a time, with five lanes idle.
__global__ void spmv_bsr3(double *y, const int *start, const int *column, const double *value, const double *__restrict__ x, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, which = lane / 9, element = lane % 9, c = element % 3;
    if (row >= rows) return;
    double sum = 0.0;
    const int end = start[row + 1];
    if (lane < 27)
        for (int k = start[row] + which; k < end; k += 3)
            sum += value[(size_t)9 * k + element] * x[3 * column[k] + c];
    __syncwarp();
    sum += __shfl_down_sync(0xffffffffu, sum, 18) + __shfl_down_sync(0xffffffffu, sum, 9);
    sum += __shfl_down_sync(0xffffffffu, sum, 1) + __shfl_down_sync(0xffffffffu, sum, 2);
    if (lane < 9 && c == 0) y[3 * row + lane / 3] = sum;
}

/* kmutate launch
   int first = 250000, level = 60000, lo = 2, hi = 24; dim3 block = { 64 }; dim3 grid = { ceil_div(level, 64) };
   int nnz = csr_nnz(level, lo, hi);
   double x[first + level] = uniform(-1, 1); double b[level] = uniform(-1, 1); int order[level] = permutation(); int start[level + 1] = csr_rowptr(level, lo, hi);
   int column[nnz] = csr_colidx(first); double value[nnz] = uniform(-1, 1); double inverse[level] = uniform(1, 2);
   sptrsv_level(x, b, order, start, column, value, inverse, first, level);
*/
// One level of a sparse triangular solve: its rows depend on unknowns of former levels only; rows are taken in a permuted order.
__global__ void sptrsv_level(double *x, const double *b, const int *order, const int *start, const int *column, const double *value, const double *inverse, int first, int level)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= level) return;
    const int row = order[i];
    double sum = b[row];
    for (int k = start[row]; k < start[row + 1]; k++)
        sum -= value[k] * x[column[k]];
    x[first + row] = sum * inverse[row];
}

// ----------------------------------------------------------------------------------------------------------- simulation

/* kmutate launch
   int w = 2048, h = 1536; dim3 block = { 32, 8 }; dim3 grid = { w / 32, h / 8 };
   double out[w * h] = zeros(); double in[w * h] = uniform(-1, 1);
   plate_thirteen(out, in, w, h, 0.01);
*/
// A thin plate: the Laplacian twice, thirteen points in double, from a tile with a rim of two.
__global__ void plate_thirteen(double *out, const double *in, int w, int h, double k)
{
    __shared__ double s[12][36];
    const int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 8 - 2, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 12 * 36; i += 256) {
        const int y = min(max(y0 + i / 36, 0), h - 1), x = min(max(x0 + i % 36, 0), w - 1);
        s[i / 36][i % 36] = in[(size_t)y * w + x];
    }
    __syncthreads();
    const int x = threadIdx.x + 2, y = threadIdx.y + 2;
    const double near = s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x];
    const double corners = s[y - 1][x - 1] + s[y - 1][x + 1] + s[y + 1][x - 1] + s[y + 1][x + 1];
    const double far = s[y][x - 2] + s[y][x + 2] + s[y - 2][x] + s[y + 2][x];
    out[(size_t)(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x] = s[y][x] - k * (20.0 * s[y][x] - 8.0 * near + 2.0 * corners + far);
}

/* kmutate launch
   int w = 1024, h = 640; dim3 block = { 128 }; dim3 grid = { w / 128, h };
   double next[9 * w * h] = zeros(); double now[9 * w * h] = uniform(0.1, 0.12);
   lbm_d2q9_cells(next, now, w, h, 1.2);
*/
// Lattice Boltzmann in two dimensions, doubles, the nine populations of a cell side by side: streams come from nine places.
__global__ void lbm_d2q9_cells(double *next, const double *now, int w, int h, double omega)
{
    const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    double f[9], rho = 0.0, ux = 0.0, uy = 0.0;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int sx = x - cx[q], sy = y - cy[q];
        sx = sx < 0 ? w - 1 : sx >= w ? 0 : sx;
        sy = sy < 0 ? h - 1 : sy >= h ? 0 : sy;
        f[q] = now[((size_t)sy * w + sx) * 9 + q];
        rho += f[q];
        ux += cx[q] * f[q];
        uy += cy[q] * f[q];
    }
    ux /= rho;
    uy /= rho;
    const double square = 1.5 * (ux * ux + uy * uy);
    double *to = next + ((size_t)y * w + x) * 9;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        const double weight = q == 0 ? 4.0 / 9.0 : q < 5 ? 1.0 / 9.0 : 1.0 / 36.0, c = 3.0 * (cx[q] * ux + cy[q] * uy);
        to[q] = f[q] + omega * (weight * rho * (1.0 + c + 0.5 * c * c - square) - f[q]);
    }
}

__constant__ float c_stiffness[24 * 24];
/* kmutate launch
   int side = 56, elements = side * side * side, nodes = (side + 1) * (side + 1) * (side + 1); dim3 block = { 128 }; dim3 grid = { elements / 128 };
   extern float c_stiffness[24 * 24] = uniform(-1, 1);
   float force[3 * nodes] = zeros(); float u[3 * nodes] = uniform(-1, 1); float density[elements] = uniform(0.1, 1);
   brick_forces(force, u, density, side, elements);
*/
// Elasticity without a matrix: each brick gathers the displacements of its eight corners, multiplies by the stiffness of
// 24 by 24 that is common to all and adds forces by atomics.
__global__ void __launch_bounds__(128) brick_forces(float *force, const float *__restrict__ u, const float *density, int side, int elements)
{
    const int e = blockIdx.x * 128 + threadIdx.x;
    if (e >= elements) return;
    const int x = e % side, y = e / side % side, z = e / (side * side), across = side + 1;
    float v[24];
    int node[8];
#pragma unroll
    for (int c = 0; c < 8; c++) {
        node[c] = 3 * (((z + (c >> 2)) * across + y + ((c >> 1) & 1)) * across + x + (c & 1));
#pragma unroll
        for (int d = 0; d < 3; d++)
            v[3 * c + d] = u[node[c] + d];
    }
    const float k = density[e] * density[e] * density[e];
#pragma unroll
    for (int r = 0; r < 24; r++) {
        float sum = 0.0f;
#pragma unroll
        for (int c = 0; c < 24; c++)
            sum += c_stiffness[r * 24 + c] * v[c];
        atomicAdd(force + node[r / 3] + r % 3, k * sum);
    }
}

/* kmutate launch
   int n = 12288; dim3 block = { 128 }; dim3 grid = { n / 128, 4 };
   float3 pull[n] = zeros(); float4 body[n] = uniform(0, 1);
   nbody_shuffle(pull, body, n, 1e-4f);
*/
// Gravity without shared memory: lanes of a warp hand their bodies around by shuffles; the other bodies are split in four.
__global__ void nbody_shuffle(float3 *pull, const float4 *body, int n, float soft)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, share = n / gridDim.y;
    const float4 me = body[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = blockIdx.y * share; j < (int)(blockIdx.y + 1) * share; j += 32) {
        const float4 mine = body[j + lane];
#pragma unroll 8
        for (int s = 0; s < 32; s++) {
            const float dx = __shfl_sync(0xffffffffu, mine.x, s) - me.x, dy = __shfl_sync(0xffffffffu, mine.y, s) - me.y;
            const float dz = __shfl_sync(0xffffffffu, mine.z, s) - me.z, mass = __shfl_sync(0xffffffffu, mine.w, s);
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + soft), f = mass * inverse * inverse * inverse;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
    }
    atomicAdd(&pull[i].x, ax);
    atomicAdd(&pull[i].y, ay);
    atomicAdd(&pull[i].z, az);
}

/* kmutate launch
   int atoms = 90000, neighbours = 80; dim3 block = { 96 }; dim3 grid = { ceil_div(atoms, 96) };
   float4 force[atoms] = zeros(); float4 atom[atoms] = uniform(0, 9); int list[atoms * neighbours] = randint(0, 90000); int count[atoms] = randint(40, 81);
   ewald_pairs(force, atom, list, count, atoms, 0.35f, 6.0f);
*/
// The part of Ewald's sum in real space: complementary error functions for those neighbours that are near enough.
__global__ void ewald_pairs(float4 *force, const float4 *__restrict__ atom, const int *list, const int *count, int atoms, float beta, float cutoff)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) return;
    const float4 me = atom[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
    const int n = count[i];
    for (int k = 0; k < n; k++) {
        const float4 to = atom[list[(size_t)k * atoms + i]];
        const float dx = me.x - to.x, dy = me.y - to.y, dz = me.z - to.z, r2 = dx * dx + dy * dy + dz * dz + 1e-6f;
        if (r2 > cutoff * cutoff) continue;
        const float inverse = rsqrtf(r2), r = r2 * inverse, a = beta * r, charge = me.w * to.w * inverse, tail = erfcf(a);
        const float f = charge * (tail + 1.12837917f * a * expf(-a * a)) * inverse * inverse;
        energy += 0.5f * charge * tail;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
    }
    force[i] = make_float4(fx, fy, fz, energy);
}

/* kmutate launch
   int cells = 50000, lo = 4, hi = 40; dim3 block = { 128 }; dim3 grid = { ceil_div(cells, 128) };
   int n = csr_nnz(cells, lo, hi);
   float4 speed[n] = normal(0, 300); int start[cells + 1] = csr_rowptr(cells, lo, hi); int hits[cells] = zeros();
   gas_collisions(speed, start, hits, cells, 1500.0f, 77u);
*/
// Rarefied gas: in each cell pairs are drawn at random, accepted by their relative speed, and leave in a random direction.
__global__ void gas_collisions(float4 *speed, const int *start, int *hits, int cells, float fastest, unsigned seed)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) return;
    const int first = start[c], count = start[c + 1] - first, tries = count / 2;
    unsigned state = mix_bits(c * 2654435761u + seed);
    int done = 0;
    for (int k = 0; k < tries; k++) {
        state = state * 1664525u + 1013904223u;
        const int i = first + __umulhi(state, count);
        state = state * 1664525u + 1013904223u;
        const int j = first + __umulhi(state, count);
        if (i == j) continue;
        float4 a = speed[i], b = speed[j];
        const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, relative = sqrtf(dx * dx + dy * dy + dz * dz);
        state = state * 1664525u + 1013904223u;
        if ((state >> 8) * (1.0f / 16777216.0f) * fastest > relative) continue;
        state = state * 1664525u + 1013904223u;
        const float z = (state >> 8) * (2.0f / 16777216.0f) - 1.0f, ring = sqrtf(1.0f - z * z);
        state = state * 1664525u + 1013904223u;
        float sine, cosine;
        __sincosf((state >> 8) * (6.2831853f / 16777216.0f), &sine, &cosine);
        const float half_speed = 0.5f * relative, mx = 0.5f * (a.x + b.x), my = 0.5f * (a.y + b.y), mz = 0.5f * (a.z + b.z);
        const float ux = half_speed * ring * cosine, uy = half_speed * ring * sine, uz = half_speed * z;
        speed[i] = make_float4(mx + ux, my + uy, mz + uz, a.w);
        speed[j] = make_float4(mx - ux, my - uy, mz - uz, b.w);
        done++;
    }
    hits[c] = done;
}

/* kmutate launch
   int n = 1500000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   double place[2 * n] = zeros(); double mean[n] = uniform(-3.1, 3.1); double eccentric[n] = uniform(0, 0.95);
   kepler_newton((double2 *)place, mean, eccentric, n);
*/
// Kepler's equation by Newton's method in double, until it is accurate: the number of steps depends on the orbit.
__global__ void kepler_newton(double2 *place, const double *mean, const double *eccentric, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double m = mean[i], e = eccentric[i];
    double anomaly = m + 0.85 * e * (m < 0.0 ? -1.0 : 1.0), sine, cosine;
    for (int step = 0; step < 20; step++) {
        sincos(anomaly, &sine, &cosine);
        const double change = (anomaly - e * sine - m) / (1.0 - e * cosine);
        anomaly -= change;
        if (fabs(change) < 1e-12) break;
    }
    sincos(anomaly, &sine, &cosine);
    place[i] = make_double2(cosine - e, sqrt(1.0 - e * e) * sine);
}

/* kmutate launch
   int n = 40000; dim3 block = { 64 }; dim3 grid = { n / 64 };
   float2 state[n] = uniform(-2, 2); float stiff[n] = uniform(0.1, 6); float2 end[n] = zeros(); int steps[n] = zeros();
   oscillators_rk23(end, steps, state, stiff, n, 6.0f, 1e-4f);
*/
// Oscillators of van der Pol by Bogacki's and Shampine's pair with a step that adapts: neighbours take different times.
__global__ void oscillators_rk23(float2 *end, int *steps, const float2 *state, const float *stiff, int n, float until, float tolerance)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float mu = stiff[i];
    float x = state[i].x, v = state[i].y, t = 0.0f, h = 0.01f;
    float k1x = v, k1v = mu * (1.0f - x * x) * v - x;
    int taken = 0;
    while (t < until && taken < 600) {
        h = fminf(h, until - t + 1e-6f);
        const float x2 = x + 0.5f * h * k1x, v2 = v + 0.5f * h * k1v, k2x = v2, k2v = mu * (1.0f - x2 * x2) * v2 - x2;
        const float x3 = x + 0.75f * h * k2x, v3 = v + 0.75f * h * k2v, k3x = v3, k3v = mu * (1.0f - x3 * x3) * v3 - x3;
        const float nx = x + h * (2.0f * k1x + 3.0f * k2x + 4.0f * k3x) / 9.0f, nv = v + h * (2.0f * k1v + 3.0f * k2v + 4.0f * k3v) / 9.0f;
        const float k4x = nv, k4v = mu * (1.0f - nx * nx) * nv - nx;
        const float ex = h * (-5.0f * k1x / 72.0f + k2x / 12.0f + k3x / 9.0f - k4x / 8.0f), ev = h * (-5.0f * k1v / 72.0f + k2v / 12.0f + k3v / 9.0f - k4v / 8.0f);
        const float error = fmaxf(fabsf(ex), fabsf(ev)) + 1e-12f;
        if (error < tolerance) {
            t += h;
            x = nx;
            v = nv;
            k1x = k4x;
            k1v = k4v;
        }
        h *= fminf(3.0f, fmaxf(0.2f, 0.9f * cbrtf(tolerance / error)));
        taken++;
    }
    end[i] = make_float2(x, v);
    steps[i] = taken;
}

/* kmutate launch
   int w = 1024, h = 768; dim3 block = { 16, 16 }; dim3 grid = { w / 16, h / 16 };
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 40); float slow[w * h] = uniform(0.5, 2);
   eikonal_tiles(out, in, slow, w, h, 12);
*/
// Times of arrival of a front: tiles are relaxed in shared memory a dozen times before their neighbours hear of it.
__global__ void eikonal_tiles(float *out, const float *in, const float *slow, int w, int h, int rounds)
{
    __shared__ float s[18][18];
    const int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 16 - 1, t = threadIdx.y * 16 + threadIdx.x;
    for (int i = t; i < 324; i += 256) {
        const int x = x0 + i % 18, y = y0 + i / 18;
        s[i / 18][i % 18] = x < 0 || y < 0 || x >= w || y >= h ? 1e9f : in[(size_t)y * w + x];
    }
    const int cx = threadIdx.x + 1, cy = threadIdx.y + 1;
    const size_t at = (size_t)(y0 + cy) * w + x0 + cx;
    const float f = slow[at];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        const float a = fminf(s[cy][cx - 1], s[cy][cx + 1]), b = fminf(s[cy - 1][cx], s[cy + 1][cx]), gap = fabsf(a - b);
        const float arrive = gap >= f ? fminf(a, b) + f : 0.5f * (a + b + sqrtf(2.0f * f * f - gap * gap));
        const float best = fminf(s[cy][cx], arrive);
        __syncthreads();
        s[cy][cx] = best;
        __syncthreads();
    }
    out[at] = s[cy][cx];
}

// -------------------------------------------------------------------------------------------------------------- signals

/* kmutate launch
   int lines = 24000; dim3 block = { 128 }; dim3 grid = { lines / 4 };
   float2 data[256 * lines] = uniform(-1, 1); float2 out[256 * lines] = zeros();
   fft_warp_lines(out, data, lines);
*/
// Transforms of 256 points by a warp each: three passes among eight registers, five by shuffles; the order stays reversed.
__global__ void fft_warp_lines(float2 *out, const float2 *in, int lines)
{
    const int line = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (line >= lines) return;
    float2 v[8];
#pragma unroll
    for (int r = 0; r < 8; r++)
        v[r] = in[(size_t)line * 256 + r * 32 + lane];
#pragma unroll
    for (int span = 4; span > 0; span >>= 1)
#pragma unroll
        for (int r = 0; r < 8; r++)
            if (!(r & span)) {
                const float2 a = v[r], b = v[r + span];
                const int place = (r & (span - 1)) * 32 + lane;
                float sine, cosine;
                __sincosf(-3.14159265f * place / (span * 32), &sine, &cosine);
                const float dx = a.x - b.x, dy = a.y - b.y;
                v[r] = make_float2(a.x + b.x, a.y + b.y);
                v[r + span] = make_float2(dx * cosine - dy * sine, dx * sine + dy * cosine);
            }
#pragma unroll
    for (int span = 16; span > 0; span >>= 1) {
        const bool upper = lane & span;
        float sine, cosine;
        __sincosf(-3.14159265f * (lane & (span - 1)) / span, &sine, &cosine);
        if (!upper) {
            cosine = 1.0f;
            sine = 0.0f;
        }
#pragma unroll
        for (int r = 0; r < 8; r++) {
            const float px = __shfl_xor_sync(0xffffffffu, v[r].x, span), py = __shfl_xor_sync(0xffffffffu, v[r].y, span);
            const float dx = upper ? px - v[r].x : px + v[r].x, dy = upper ? py - v[r].y : py + v[r].y;
            v[r] = make_float2(dx * cosine - dy * sine, dx * sine + dy * cosine);
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++)
        out[(size_t)line * 256 + r * 32 + lane] = v[r];
}

/* kmutate launch
   int channels = 100, samples = 4096, bins = 128; dim3 block = { 128 }; dim3 grid = { channels };
   float power[channels * bins] = zeros(); float signal[channels * samples] = normal();
   goertzel_bins(power, signal, samples);
*/
// The strength of single tones: each thread runs Goertzel's recurrence of its tone over the whole signal; few warps, long chains.
__global__ void goertzel_bins(float *power, const float *__restrict__ signal, int samples)
{
    const float *s = signal + (size_t)blockIdx.x * samples;
    const float twice = 2.0f * cospif((threadIdx.x + 0.5f) / blockDim.x);
    float one = 0.0f, two = 0.0f;
    for (int i = 0; i < samples; i++) {
        const float zero = s[i] + twice * one - two;
        two = one;
        one = zero;
    }
    power[blockIdx.x * blockDim.x + threadIdx.x] = one * one + two * two - twice * one * two;
}

__constant__ float c_taps[63];
/* kmutate launch
   int n = 1 << 22; dim3 block = { 256 }; dim3 grid = { n / 256 };
   extern float c_taps[63] = uniform(-0.1, 0.1);
   float out[n] = zeros(); float in[n + 62] = normal();
   fir_taps(out, in, n);
*/
// A filter of 63 taps from constant memory over a stretch of the signal in shared memory.
__global__ void fir_taps(float *out, const float *in, int n)
{
    __shared__ float s[256 + 62];
    const int first = blockIdx.x * 256;
    for (int i = threadIdx.x; i < 256 + 62; i += 256)
        s[i] = in[first + i];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 63; k++)
        sum += c_taps[k] * s[threadIdx.x + k];
    out[first + threadIdx.x] = sum;
}

// --------------------------------------------------------------------------------------------------------------- images

/* kmutate launch
   int w = 4096, h = 3072; dim3 block = { 256 }; dim3 grid = { w / 64, h / 64 };
   unsigned char out[w * h] = zeros(); unsigned char in[w * h] = randint(90, 140);
   tile_equalize(out, in, w, 40);
*/
// Contrast by tiles: a histogram in shared memory with many hits on few bins, clipped, summed up, and the tile mapped by it.
__global__ void tile_equalize(unsigned char *out, const unsigned char *in, int w, int clip)
{
    __shared__ int bins[256], excess;
    const int t = threadIdx.x;
    const size_t corner = (size_t)blockIdx.y * 64 * w + blockIdx.x * 64;
    bins[t] = 0;
    if (t == 0) excess = 0;
    __syncthreads();
    for (int i = t; i < 1024; i += 256) {
        const uchar4 v = *reinterpret_cast<const uchar4 *>(in + corner + (size_t)(i / 16) * w + i % 16 * 4);
        atomicAdd(&bins[v.x], 1);
        atomicAdd(&bins[v.y], 1);
        atomicAdd(&bins[v.z], 1);
        atomicAdd(&bins[v.w], 1);
    }
    __syncthreads();
    if (bins[t] > clip) {
        atomicAdd(&excess, bins[t] - clip);
        bins[t] = clip;
    }
    __syncthreads();
    bins[t] += excess / 256;
    for (int d = 1; d < 256; d <<= 1) {
        __syncthreads();
        const int add = t >= d ? bins[t - d] : 0;
        __syncthreads();
        bins[t] += add;
    }
    __syncthreads();
    const float scale = 255.0f / bins[255];
    for (int i = t; i < 1024; i += 256) {
        const size_t at = corner + (size_t)(i / 16) * w + i % 16 * 4;
        const uchar4 v = *reinterpret_cast<const uchar4 *>(in + at);
        *reinterpret_cast<uchar4 *>(out + at) = make_uchar4(bins[v.x] * scale, bins[v.y] * scale, bins[v.z] * scale, bins[v.w] * scale);
    }
}

/* kmutate launch
   int w = 3840, h = 2160; dim3 block = { 128 }; dim3 grid = { h };
   unsigned char out[w * h] = zeros(); unsigned char in[w * h] = randint(0, 256);
   erode_segments(out, in);
*/
// Van Herk's minimum over thirty pixels of a row: smallest so far from both ends of segments, one segment for each thread.
__global__ void erode_segments(unsigned char *out, const unsigned char *in)
{
    __shared__ unsigned char forward[3840 + 32], backward[3840 + 32];
    const unsigned char *row = in + (size_t)blockIdx.x * 3840;
    for (int i = threadIdx.x; i < 3840 / 4; i += 128) {
        const unsigned four = reinterpret_cast<const unsigned *>(row)[i];
        reinterpret_cast<unsigned *>(forward)[i] = four;
        reinterpret_cast<unsigned *>(backward)[i] = four;
    }
    if (threadIdx.x < 32) forward[3840 + threadIdx.x] = 255;
    __syncthreads();
    const int first = threadIdx.x * 30;
    unsigned char least = 255;
    for (int k = 0; k < 30; k++) {
        least = min(least, forward[first + k]);
        forward[first + k] = least;
    }
    least = 255;
    for (int k = 29; k >= 0; k--) {
        least = min(least, backward[first + k]);
        backward[first + k] = least;
    }
    __syncthreads();
    for (int x = threadIdx.x; x < 3840; x += 128)
        out[(size_t)blockIdx.x * 3840 + x] = min(backward[x], forward[x + 29]);
}

/* kmutate launch
   int w = 8192, h = 192; dim3 block = { 64 }; dim3 grid = { w / 64 };
   float out[w * h] = zeros(); float in[w * h] = uniform(0, 500); short apex[w * h] = zeros(); float border[w * (h + 1)] = zeros();
   parabola_columns(out, in, apex, border, w, h);
*/
// The second pass of an exact distance transform: each thread keeps the lower envelope of the parabolas of its column as a stack.
__global__ void parabola_columns(float *out, const float *in, short *apex, float *border, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    int k = 0;
    apex[x] = 0;
    border[x] = -1e20f;
    border[w + x] = 1e20f;
    for (int q = 1; q < h; q++) {
        const float fq = in[(size_t)q * w + x] + (float)(q * q);
        float s;
        while (true) {
            const int v = apex[(size_t)k * w + x];
            s = (fq - in[(size_t)v * w + x] - (float)(v * v)) / (float)(2 * (q - v));
            if (s > border[(size_t)k * w + x]) break;
            k--;
        }
        k++;
        apex[(size_t)k * w + x] = (short)q;
        border[(size_t)k * w + x] = s;
        border[(size_t)(k + 1) * w + x] = 1e20f;
    }
    k = 0;
    for (int q = 0; q < h; q++) {
        while (border[(size_t)(k + 1) * w + x] < (float)q) k++;
        const int v = apex[(size_t)k * w + x];
        out[(size_t)q * w + x] = (float)((q - v) * (q - v)) + in[(size_t)v * w + x];
    }
}

/* kmutate launch
   int w = 1280, h = 720; dim3 block = { 128 }; dim3 grid = { w / 128, h };
   unsigned char best[w * h] = zeros(); unsigned long long left[w * h] = randint(0, 1ll << 62); unsigned long long right[w * h] = randint(0, 1ll << 62);
   census_disparity(best, left, right, w);
*/
// Stereo by census words of 64 bits: the shift with the fewest different bits out of 64 shifts, unless another is as good.
__global__ void census_disparity(unsigned char *best, const unsigned long long *left, const unsigned long long *right, int w)
{
    __shared__ unsigned long long s[128 + 64];
    const int first = blockIdx.x * 128 - 64, t = threadIdx.x;
    const unsigned long long *row = right + (size_t)blockIdx.y * w;
    for (int i = t; i < 192; i += 128)
        s[i] = row[max(first + i, 0)];
    __syncthreads();
    const size_t at = (size_t)blockIdx.y * w + blockIdx.x * 128 + t;
    const unsigned long long mine = left[at];
    int least = 65, second = 65, which = 0;
#pragma unroll 8
    for (int d = 0; d < 64; d++) {
        const int cost = __popcll(mine ^ s[t + 64 - d]);
        if (cost < least) {
            second = least;
            least = cost;
            which = d;
        } else
            second = min(second, cost);
    }
    best[at] = second > least ? which : 255;
}

/* kmutate launch
   int w = 384, h = 256, n = 768; dim3 block = { 128 }; dim3 grid = { w / 128, h };
   float4 hit[w * h] = zeros(); float4 corner[n] = uniform(-1.5, 1.5); float4 edge1[n] = uniform(-0.6, 0.6); float4 edge2[n] = uniform(-0.6, 0.6);
   ray_triangles(hit, corner, edge1, edge2, n, w, h);
*/
// Every ray against every triangle after Moeller and Trumbore, triangles through shared memory.
__global__ void ray_triangles(float4 *hit, const float4 *corner, const float4 *edge1, const float4 *edge2, int n, int w, int h)
{
    __shared__ float4 s[3][128];
    const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
    float dx = (x + 0.5f) / w - 0.5f, dy = (y + 0.5f) / h - 0.5f, dz = 0.8f;
    const float length = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= length;
    dy *= length;
    dz *= length;
    float nearest = 1e30f, bu = 0.0f, bv = 0.0f;
    int which = -1;
    for (int base = 0; base < n; base += 128) {
        s[0][threadIdx.x] = corner[base + threadIdx.x];
        s[1][threadIdx.x] = edge1[base + threadIdx.x];
        s[2][threadIdx.x] = edge2[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            const float4 c = s[0][k], a = s[1][k], b = s[2][k];
            const float px = dy * b.z - dz * b.y, py = dz * b.x - dx * b.z, pz = dx * b.y - dy * b.x;
            const float determinant = a.x * px + a.y * py + a.z * pz;
            if (fabsf(determinant) < 1e-7f) continue;
            const float inverse = 1.0f / determinant, tx = -c.x, ty = -c.y, tz = -3.0f - c.z;
            const float u = (tx * px + ty * py + tz * pz) * inverse;
            if (u < 0.0f || u > 1.0f) continue;
            const float qx = ty * a.z - tz * a.y, qy = tz * a.x - tx * a.z, qz = tx * a.y - ty * a.x;
            const float v = (dx * qx + dy * qy + dz * qz) * inverse;
            if (v < 0.0f || u + v > 1.0f) continue;
            const float t = (b.x * qx + b.y * qy + b.z * qz) * inverse;
            if (t > 1e-4f && t < nearest) {
                nearest = t;
                bu = u;
                bv = v;
                which = base + k;
            }
        }
        __syncthreads();
    }
    hit[y * w + x] = make_float4(nearest, bu, bv, __int_as_float(which));
}

/* kmutate launch
   int n = 30000, side = 1024; dim3 block = { 128 }; dim3 grid = { ceil_div(n, 128) };
   unsigned long long depth[side * side] = fill(9223372036854775807); float2 centre[n] = uniform(0, 1023); float2 shape[n] = uniform(0, 1);
   raster_depth(depth, centre, shape, n, side);
*/
// Triangles of very different sizes, one for each thread, drawn into a buffer of depth and number by atomic minima of 64 bits.
__global__ void raster_depth(unsigned long long *depth, const float2 *centre, const float2 *shape, int n, int side)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 c = centre[i], form = shape[i];
    const float s = 1.5f + 16.0f * form.x * form.x;
    const float ax = c.x - s, ay = c.y - 0.6f * s, bx = c.x + s, by = c.y - 0.5f * s, dx = c.x + 0.3f * s, dy = c.y + s;
    const int left = max((int)ax, 0), right = min((int)bx + 1, side - 1), top = max((int)ay, 0), bottom = min((int)dy + 1, side - 1);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            const float e0 = (bx - ax) * (y - ay) - (by - ay) * (x - ax), e1 = (dx - bx) * (y - by) - (dy - by) * (x - bx), e2 = (ax - dx) * (y - dy) - (ay - dy) * (x - dx);
            if (e0 < 0.0f || e1 < 0.0f || e2 < 0.0f) continue;
            const float z = form.y + 0.001f * (x - c.x);
            const unsigned key = (unsigned)(fminf(fmaxf(z, 0.0f), 1.0f) * 16777215.0f);
            atomicMin(depth + (size_t)y * side + x, (unsigned long long)key << 32 | (unsigned)i);
        }
}

// ----------------------------------------------------------------------------------------------------- data and ciphers

/* kmutate launch
   int lists = 700000; dim3 block = { 128 }; dim3 grid = { ceil_div(lists, 128) };
   int out[16 * lists] = zeros(); int in[16 * lists] = randint(-1000000, 1000000);
   network_sixteen((int4 *)out, (int4 *)in, lists);
*/
// Sixteen keys to a thread, sorted in registers by a bitonic network; lanes read 64 bytes apart.
__global__ void network_sixteen(int4 *out, const int4 *in, int lists)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lists) return;
    int v[16];
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const int4 four = in[4 * i + q];
        v[4 * q] = four.x;
        v[4 * q + 1] = four.y;
        v[4 * q + 2] = four.z;
        v[4 * q + 3] = four.w;
    }
#pragma unroll
    for (int size = 2; size <= 16; size <<= 1)
#pragma unroll
        for (int stride = size >> 1; stride > 0; stride >>= 1)
#pragma unroll
            for (int a = 0; a < 16; a++)
                if (!(a & stride)) {
                    const int b = a | stride, low = min(v[a], v[b]), high = max(v[a], v[b]);
                    v[a] = a & size ? high : low;
                    v[b] = a & size ? low : high;
                }
#pragma unroll
    for (int q = 0; q < 4; q++)
        out[4 * i + q] = make_int4(v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]);
}

/* kmutate launch
   int n = 300000, removed = 90000, lo = 2, hi = 30; dim3 block = { 128 }; dim3 grid = { ceil_div(removed, 128) };
   int edges = csr_nnz(n, lo, hi);
   int degree[n] = randint(3, 30); int start[n + 1] = csr_rowptr(n, lo, hi); int to[edges] = csr_colidx(n); int order[n] = permutation(); int next[n] = zeros(); int count[1] = zeros();
   core_peel(degree, next, count, order, start, to, removed, 6);
*/
// Cores of a graph: removed vertices take one off the degree of each neighbour; those that fall below are the next to go.
__global__ void core_peel(int *degree, int *next, int *count, const int *order, const int *start, const int *to, int removed, int core)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= removed) return;
    const int v = order[i];
    for (int k = start[v]; k < start[v + 1]; k++) {
        const int u = to[k], before = atomicSub(degree + u, 1);
        if (before == core) next[atomicAdd(count, 1)] = u;
    }
}

/* kmutate launch
   int texts = 60000, words = 32; dim3 block = { 128 }; dim3 grid = { ceil_div(texts, 128) };
   int length[texts] = zeros(); unsigned text[words * texts] = randint(0, 4294967296); unsigned long long masks[16] = randint(0, 1ll << 62);
   lcs_bits(length, text, masks, texts, words);
*/
// Longest common subsequence with one pattern of 256 letters, a bit for each: additions that carry through four words.
__global__ void lcs_bits(int *length, const unsigned *text, const unsigned long long *masks, int texts, int words)
{
    __shared__ unsigned long long m[4][4];
    if (threadIdx.x < 16) m[threadIdx.x >> 2][threadIdx.x & 3] = masks[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= texts) return;
    unsigned long long v[4] = { ~0ull, ~0ull, ~0ull, ~0ull };
    for (int w = 0; w < words; w++) {
        unsigned letters = text[(size_t)w * texts + i];
        for (int k = 0; k < 16; k++, letters >>= 2) {
            const unsigned long long *mask = m[letters & 3];
            unsigned long long carry = 0;
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const unsigned long long match = mask[q], u = v[q] & match, half_sum = v[q] + u, sum = half_sum + carry;
                carry = (half_sum < u) | (sum < carry);
                v[q] = sum | (v[q] & ~match);
            }
        }
    }
    length[i] = 256 - __popcll(v[0]) - __popcll(v[1]) - __popcll(v[2]) - __popcll(v[3]);
}

__constant__ unsigned c_keys[18];
/* kmutate launch
   int n = 1000000; dim3 block = { 256 }; dim3 grid = { ceil_div(n, 256) };
   extern unsigned c_keys[18] = randint(0, 4294967296);
   uint2 out[n] = zeros(); uint2 in[n] = randint(0, 4294967296); unsigned boxes[1024] = randint(0, 4294967296);
   blowfish_pairs(out, in, boxes, n);
*/
// Sixteen rounds of a Feistel cipher with four tables of 256 words in shared memory, looked up at random.
__global__ void blowfish_pairs(uint2 *out, const uint2 *in, const unsigned *boxes, int n)
{
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = boxes[i];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned l = in[i].x, r = in[i].y;
#pragma unroll
    for (int round = 0; round < 16; round += 2) {
        l ^= c_keys[round];
        r ^= ((s[l >> 24] + s[256 + ((l >> 16) & 255)]) ^ s[512 + ((l >> 8) & 255)]) + s[768 + (l & 255)];
        r ^= c_keys[round + 1];
        l ^= ((s[r >> 24] + s[256 + ((r >> 16) & 255)]) ^ s[512 + ((r >> 8) & 255)]) + s[768 + (r & 255)];
    }
    out[i] = make_uint2(r ^ c_keys[17], l ^ c_keys[16]);
}

/* kmutate launch
   int n = 33792; dim3 block = { 128 }; dim3 grid = { n / 128 };
   unsigned out[8 * n] = zeros(); unsigned in[8 * n] = randint(0, 4294967296);
   field_squares(out, in, n, 40);
*/
// Numbers of 256 bits multiplied modulo 2^255 - 19 again and again, with eight words and long carries; two blocks for each SM.
__global__ void field_squares(unsigned *out, const unsigned *in, int n, int times)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = in[(size_t)k * n + i];
    for (int t = 0; t < times; t++) {
        unsigned r[16] = { 0 };
#pragma unroll
        for (int j = 0; j < 8; j++) {
            unsigned carry = 0;
#pragma unroll
            for (int k = 0; k < 8; k++) {
                const unsigned long long v = (unsigned long long)a[j] * a[k] + r[j + k] + carry;
                r[j + k] = (unsigned)v;
                carry = (unsigned)(v >> 32);
            }
            r[j + 8] = carry;
        }
        unsigned long long carry = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            carry += (unsigned long long)r[k + 8] * 38u + r[k];
            a[k] = (unsigned)carry;
            carry >>= 32;
        }
        carry *= 38u;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            carry += a[k];
            a[k] = (unsigned)carry;
            carry >>= 32;
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[(size_t)k * n + i] = a[k];
}

/* kmutate launch
   int streams = 30000, symbols = 192, words = 72; dim3 block = { 128 }; dim3 grid = { ceil_div(streams, 128) };
   unsigned out[symbols / 4 * streams] = zeros(); unsigned bits[words * streams] = randint(0, 4294967296); unsigned short table[4096] = randint(0, 65536);
   prefix_decode(out, bits, table, streams, symbols);
*/
// A prefix code of four to eleven bits decoded by a table in shared memory; each thread refills from its stream when it must.
__global__ void prefix_decode(unsigned *out, const unsigned *bits, const unsigned short *table, int streams, int symbols)
{
    __shared__ unsigned short s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = table[i];
    __syncthreads();
    const int stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams) return;
    unsigned long long buffer = 0;
    int have = 0;
    unsigned four = 0;
    for (int k = 0; k < symbols; k++) {
        if (have < 12) {
            buffer |= (unsigned long long)*(bits + stream) << have;
            bits += streams;
            have += 32;
        }
        const unsigned entry = s[buffer & 4095], used = (entry & 7) + 4;
        buffer >>= used;
        have -= used;
        four = four >> 8 | (entry >> 8) << 24;
        if ((k & 3) == 3) out[(size_t)(k >> 2) * streams + stream] = four;
    }
}

/* kmutate launch
   int rows = 5000000; dim3 block = { 256 }; dim3 grid = { 264 };
   double total[20] = zeros(); float quantity[rows] = uniform(1, 50); float price[rows] = uniform(900, 100000); float discount[rows] = uniform(0, 0.1);
   float tax[rows] = uniform(0, 0.08); unsigned char group[rows] = randint(0, 4); int shipped[rows] = randint(0, 2526);
   pricing_summary(total, quantity, price, discount, tax, group, shipped, rows, 2400);
*/
// A report over a table of sales: filter by date, five sums for each of four groups in registers, then shuffles and atomics.
__global__ void __launch_bounds__(256) pricing_summary(double *total, const float *quantity, const float *price, const float *discount, const float *tax, const unsigned char *group, const int *shipped, int rows, int until)
{
    float sums[4][5] = { { 0.0f } };
    for (int i = blockIdx.x * 256 + threadIdx.x; i < rows; i += gridDim.x * 256) {
        if (shipped[i] > until) continue;
        const float q = quantity[i], p = price[i], reduced = p * (1.0f - discount[i]), charged = reduced * (1.0f + tax[i]);
        const int g = group[i];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float mine = g == k ? 1.0f : 0.0f;
            sums[k][0] += mine * q;
            sums[k][1] += mine * p;
            sums[k][2] += mine * reduced;
            sums[k][3] += mine * charged;
            sums[k][4] += mine;
        }
    }
#pragma unroll
    for (int k = 0; k < 20; k++) {
        double v = sums[k / 5][k % 5];
        for (int d = 16; d > 0; d >>= 1)
            v += __shfl_xor_sync(0xffffffffu, v, d);
        if ((threadIdx.x & 31) == k) atomicAdd(total + k, v);
    }
}

/* kmutate launch
   int n = 4200000; dim3 block = { 256 }; dim3 grid = { 528 };
   unsigned bins[256] = zeros(); float values[n] = normal(0, 1.5);
   histogram_matched(bins, values, n);
*/
// A histogram of a bell curve: lanes with the same bin find each other, and one of them adds for all.
__global__ void histogram_matched(unsigned *bins, const float *values, int n)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    const int lane = threadIdx.x & 31, stride = gridDim.x * 256;
    for (int base = blockIdx.x * 256 + (threadIdx.x & ~31); base < n; base += stride) {
        const int i = base + lane;
        const bool inside = i < n;
        const int bin = inside ? min(max((int)floorf(values[i] * 8.0f) + 128, 0), 255) : -1;
        const unsigned same = __match_any_sync(0xffffffffu, bin);
        if (inside && lane == __ffs(same) - 1) atomicAdd(&s[bin], __popc(same));
    }
    __syncthreads();
    atomicAdd(bins + threadIdx.x, s[threadIdx.x]);
}

/* kmutate launch
   int paths = 101376; dim3 block = { 256 }; dim3 grid = { paths / 256 };
   float value[paths] = zeros();
   barrier_paths(value, paths, 160, 100.0f, 103.0f, 82.0f, 0.25f, 0.03f, 1.0f, 991u);
*/
// A call that is void once the price falls below a barrier: paths with normals by Box and Muller, which end when they are knocked out.
__global__ void barrier_paths(float *value, int paths, int steps, float spot, float strike, float barrier, float volatility, float rate, float years, unsigned seed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths) return;
    unsigned x = mix_bits(i + seed), y = mix_bits(x), z = mix_bits(y) | 1u, w = mix_bits(z);
    const float dt = years / steps, drift = (rate - 0.5f * volatility * volatility) * dt, spread = volatility * sqrtf(dt), floor_log = logf(barrier / spot);
    float at = 0.0f;
    bool alive = true;
    for (int s = 0; s < steps && alive; s += 2) {
        unsigned draw[2];
        for (int k = 0; k < 2; k++) {
            const unsigned t = x ^ (x << 11);
            x = y;
            y = z;
            z = w;
            w ^= (w >> 19) ^ t ^ (t >> 8);
            draw[k] = w;
        }
        const float radius = sqrtf(-2.0f * logf((draw[0] + 0.5f) * 2.3283064e-10f));
        float sine, cosine;
        sincospif(draw[1] * 4.6566129e-10f, &sine, &cosine);
        at += drift + spread * radius * cosine;
        alive = at > floor_log;
        at += drift + spread * radius * sine;
        alive = alive && at > floor_log;
    }
    value[i] = alive ? expf(-rate * years) * fmaxf(spot * expf(at) - strike, 0.0f) : 0.0f;
}

// ------------------------------------------------------------------------------------------------------------- networks

/* kmutate launch
   int rows = 14000; dim3 block = { 128 }; dim3 grid = { rows / 4 };
   __nv_bfloat16 out[rows * 1024] = zeros(); __nv_bfloat16 in[rows * 1024] = normal(1, 2); __nv_bfloat16 gain[1024] = uniform(0.5, 1.5); __nv_bfloat16 shift[1024] = normal();
   layernorm_bf16_warps((uint4 *)out, (uint4 *)in, (uint4 *)gain, (uint4 *)shift, rows);
*/
// Layer normalisation of rows of 1024 bfloat16, a warp to a row, which stays in registers as 32 floats of each lane.
__global__ void __launch_bounds__(128) layernorm_bf16_warps(uint4 *out, const uint4 *in, const uint4 *gain, const uint4 *shift, int rows)
{
    const int row = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (row >= rows) return;
    float v[32], sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const uint4 raw = in[(size_t)row * 128 + q * 32 + lane];
        const __nv_bfloat162 *pair = reinterpret_cast<const __nv_bfloat162 *>(&raw);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float2 f = __bfloat1622float2(pair[k]);
            v[8 * q + 2 * k] = f.x;
            v[8 * q + 2 * k + 1] = f.y;
            sum += f.x + f.y;
        }
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    const float mean = sum * (1.0f / 1024.0f);
#pragma unroll
    for (int k = 0; k < 32; k++) {
        v[k] -= mean;
        squares += v[k] * v[k];
    }
    for (int d = 16; d > 0; d >>= 1)
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    const float inverse = rsqrtf(squares * (1.0f / 1024.0f) + 1e-5f);
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const uint4 g = gain[q * 32 + lane], s = shift[q * 32 + lane];
        const __nv_bfloat162 *gs = reinterpret_cast<const __nv_bfloat162 *>(&g), *ss = reinterpret_cast<const __nv_bfloat162 *>(&s);
        uint4 raw;
        __nv_bfloat162 *pair = reinterpret_cast<__nv_bfloat162 *>(&raw);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float2 a = __bfloat1622float2(gs[k]), b = __bfloat1622float2(ss[k]);
            pair[k] = __floats2bfloat162_rn(v[8 * q + 2 * k] * inverse * a.x + b.x, v[8 * q + 2 * k + 1] * inverse * a.y + b.y);
        }
        out[(size_t)row * 128 + q * 32 + lane] = raw;
    }
}

/* kmutate launch
   int heads = 8, tokens = 1536; dim3 block = { 128 }; dim3 grid = { tokens / 4, heads };
   float out[heads * tokens * 64] = zeros(); float q[heads * tokens * 64] = normal(); float k[heads * tokens * 64] = normal(); float v[heads * tokens * 64] = normal();
   window_attention(out, q, k, v, tokens);
*/
// Attention to the last 128 tokens, a warp to a query: lanes have keys for the scores and channels for the mixture.
__global__ void window_attention(float *out, const float *q, const float *k, const float *v, int tokens)
{
    __shared__ float4 query[4][16];
    __shared__ float weight[4][128];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, at = blockIdx.x * 4 + warp, first = max(at - 127, 0);
    const size_t head = (size_t)blockIdx.y * tokens * 64;
    if (lane < 16) query[warp][lane] = reinterpret_cast<const float4 *>(q + head + (size_t)at * 64)[lane];
    __syncwarp();
    float score[4], top = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int s = 0; s < 4; s++) {
        const int key = first + s * 32 + lane;
        score[s] = -INFINITY;
        if (key <= at) {
            const float4 *row = reinterpret_cast<const float4 *>(k + head + (size_t)key * 64);
            float dot = 0.0f;
#pragma unroll 4
            for (int d = 0; d < 16; d++) {
                const float4 a = query[warp][d], b = row[d];
                dot += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
            }
            score[s] = dot * 0.125f;
        }
        top = fmaxf(top, score[s]);
    }
    for (int d = 16; d > 0; d >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
#pragma unroll
    for (int s = 0; s < 4; s++) {
        const float e = __expf(score[s] - top);
        weight[warp][s * 32 + lane] = e;
        sum += e;
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    __syncwarp();
    float low = 0.0f, high = 0.0f;
    const int count = at - first + 1;
    for (int j = 0; j < count; j++) {
        const float p = weight[warp][j];
        const float *row = v + head + (size_t)(first + j) * 64;
        low += p * row[lane];
        high += p * row[lane + 32];
    }
    out[head + (size_t)at * 64 + lane] = low / sum;
    out[head + (size_t)at * 64 + lane + 32] = high / sum;
}

/* kmutate launch
   int images = 8; dim3 block = { 64, 4 }; dim3 grid = { 14, 14, images };
   signed char out[images * 56 * 56 * 64] = zeros(); int in[images * 58 * 58 * 16] = randint(-2147483648, 2147483647); int weight[9 * 16 * 64] = randint(-2147483648, 2147483647);
   float scale[64] = uniform(0.0001, 0.001);
   conv_dp4a(out, in, weight, scale);
*/
// A convolution of three by three in eight bits: four products at once, 64 channels in and out, four pixels for a thread.
__global__ void __launch_bounds__(256) conv_dp4a(signed char *out, const int *__restrict__ in, const int *__restrict__ weight, const float *scale)
{
    const int channel = threadIdx.x, x = blockIdx.x * 4, y = blockIdx.y * 4 + threadIdx.y;
    int sum[4] = { 0 };
    for (int tap = 0; tap < 9; tap++) {
        const int *pixel = in + ((size_t)(blockIdx.z * 58 + y + tap / 3) * 58 + x + tap % 3) * 16;
#pragma unroll 4
        for (int c = 0; c < 16; c++) {
            const int w = weight[(tap * 16 + c) * 64 + channel];
#pragma unroll
            for (int p = 0; p < 4; p++)
                sum[p] = __dp4a(pixel[p * 16 + c], w, sum[p]);
        }
    }
    const float s = scale[channel];
#pragma unroll
    for (int p = 0; p < 4; p++)
        out[((size_t)(blockIdx.z * 56 + y) * 56 + x + p) * 64 + channel] = (signed char)min(max(__float2int_rn(sum[p] * s), 0), 127);
}

/* kmutate launch
   int m = 1536, n = 1536, words = 64; dim3 block = { 16, 16 }; dim3 grid = { n / 64, m / 64 };
   short C[m * n] = zeros(); unsigned A[m * words] = randint(0, 4294967296); unsigned B[n * words] = randint(0, 4294967296);
   xnor_gemm(C, A, B, n, words);
*/
// A product of matrices of signs, 32 to a word: exclusive or and a count of bits instead of multiplications.
__global__ void xnor_gemm(short *C, const unsigned *A, const unsigned *B, int n, int words)
{
    __shared__ unsigned a[64][17], b[64][17];
    const int t = threadIdx.y * 16 + threadIdx.x;
    int differ[4][4] = { { 0 } };
    for (int w0 = 0; w0 < words; w0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            a[i / 16][i % 16] = A[(size_t)(blockIdx.y * 64 + i / 16) * words + w0 + i % 16];
            b[i / 16][i % 16] = B[(size_t)(blockIdx.x * 64 + i / 16) * words + w0 + i % 16];
        }
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 16; k++) {
            unsigned u[4], v[4];
#pragma unroll
            for (int r = 0; r < 4; r++) {
                u[r] = a[threadIdx.y + 16 * r][k];
                v[r] = b[threadIdx.x + 16 * r][k];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    differ[i][j] += __popc(u[i] ^ v[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            C[(size_t)(blockIdx.y * 64 + threadIdx.y + 16 * i) * n + blockIdx.x * 64 + threadIdx.x + 16 * j] = (short)(32 * words - 2 * differ[i][j]);
}

/* kmutate launch
   int rows = 400, width = 32000; dim3 block = { 256 }; dim3 grid = { rows };
   int token[rows] = zeros(); float logits[rows * width] = normal(0, 3);
   gumbel_rows(token, logits, width, 0.8f, 5150u);
*/
// A token drawn from each row of logits: Gumbel's noise is added and the largest wins.
__global__ void gumbel_rows(int *token, const float *logits, int width, float temperature, unsigned seed)
{
    __shared__ float best_value[8];
    __shared__ int best_place[8];
    const float *row = logits + (size_t)blockIdx.x * width;
    const float inverse = 1.0f / temperature;
    float best = -INFINITY;
    int place = 0;
    for (int i = threadIdx.x; i < width; i += 256) {
        const unsigned bits = mix_bits((blockIdx.x * 65536u + i) ^ seed);
        const float u = ((bits >> 9) + 0.5f) * (1.0f / 8388608.0f), v = row[i] * inverse - logf(-logf(u));
        if (v > best) {
            best = v;
            place = i;
        }
    }
    for (int d = 16; d > 0; d >>= 1) {
        const float other = __shfl_down_sync(0xffffffffu, best, d);
        const int where = __shfl_down_sync(0xffffffffu, place, d);
        if (other > best) {
            best = other;
            place = where;
        }
    }
    if ((threadIdx.x & 31) == 0) {
        best_value[threadIdx.x >> 5] = best;
        best_place[threadIdx.x >> 5] = place;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            if (best_value[w] > best) {
                best = best_value[w];
                place = best_place[w];
            }
        token[blockIdx.x] = place;
    }
}

/* kmutate launch
   int points = 160000, levels = 12; dim3 block = { 128 }; dim3 grid = { points / 128, levels };
   half2 out[levels * points] = zeros(); half2 table[levels * 524288] = uniform(-0.1, 0.1); float3 place[points] = uniform(0, 1);
   hash_grid_encode(out, table, place, points);
*/
// Places encoded by grids of growing fineness, whose corners are looked up in tables by a hash and blended.
__global__ void hash_grid_encode(half2 *out, const half2 *__restrict__ table, const float3 *place, int points)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
    if (i >= points) return;
    const float scale = 16.0f * exp2f(0.6f * level);
    const float3 p = place[i];
    const float x = p.x * scale, y = p.y * scale, z = p.z * scale, fx = x - floorf(x), fy = y - floorf(y), fz = z - floorf(z);
    const unsigned ix = (unsigned)x, iy = (unsigned)y, iz = (unsigned)z, across = (unsigned)scale + 2u;
    const bool dense = across * across * across <= 524288u;
    const half2 *mine = table + (size_t)level * 524288;
    float a = 0.0f, b = 0.0f;
#pragma unroll
    for (int c = 0; c < 8; c++) {
        const unsigned cx = ix + (c & 1), cy = iy + ((c >> 1) & 1), cz = iz + (c >> 2);
        const unsigned at = dense ? (cz * across + cy) * across + cx : (cx ^ cy * 2654435761u ^ cz * 805459861u) & 524287u;
        const float w = (c & 1 ? fx : 1.0f - fx) * (c & 2 ? fy : 1.0f - fy) * (c & 4 ? fz : 1.0f - fz);
        const float2 feature = __half22float2(mine[at]);
        a += w * feature.x;
        b += w * feature.y;
    }
    out[(size_t)level * points + i] = __floats2half2_rn(a, b);
}

/* kmutate launch
   int across = 60, down = 40, n = 60000, lo = 40, hi = 400; dim3 block = { 16, 16 }; dim3 grid = { across, down };
   int total = csr_nnz(across * down, lo, hi);
   float4 image[across * down * 256] = zeros(); int start[across * down + 1] = csr_rowptr(across * down, lo, hi); int list[total] = randint(0, 60000);
   float2 centre[n] = uniform(-6, 22); float2 sharp[n] = uniform(0.01, 0.3); float4 colour[n] = uniform(0.05, 0.9);
   splat_tiles(image, start, list, centre, sharp, colour, across * 16);
*/
// Blobs blended over a tile of the picture in order of depth, in batches through shared memory, until all pixels are opaque.
// Their centres are already relative to the tile.
__global__ void splat_tiles(float4 *image, const int *start, const int *list, const float2 *centre, const float2 *sharp, const float4 *colour, int w)
{
    __shared__ float2 at[256], form[256];
    __shared__ float4 paint[256];
    const int t = threadIdx.y * 16 + threadIdx.x, tile = blockIdx.y * gridDim.x + blockIdx.x, end = start[tile + 1];
    float clear = 1.0f, r = 0.0f, g = 0.0f, b = 0.0f;
    bool done = false;
    for (int base = start[tile]; base < end; base += 256) {
        if (__syncthreads_and(done)) break;
        if (base + t < end) {
            const int id = list[base + t];
            at[t] = centre[id];
            form[t] = sharp[id];
            paint[t] = colour[id];
        }
        __syncthreads();
        const int count = min(256, end - base);
        for (int k = 0; k < count && !done; k++) {
            const float dx = at[k].x - threadIdx.x, dy = at[k].y - threadIdx.y;
            const float power = -0.5f * (form[k].x * dx * dx + form[k].y * dy * dy);
            const float alpha = fminf(0.99f, paint[k].w * __expf(power));
            if (alpha < 1.0f / 255.0f) continue;
            const float weight = alpha * clear;
            r += weight * paint[k].x;
            g += weight * paint[k].y;
            b += weight * paint[k].z;
            clear *= 1.0f - alpha;
            done = clear < 1e-4f;
        }
    }
    image[(blockIdx.y * 16 + threadIdx.y) * w + blockIdx.x * 16 + threadIdx.x] = make_float4(r, g, b, 1.0f - clear);
}

/* kmutate launch
   int images = 8, channels = 240, side = 48; dim3 block = { 192 }; dim3 grid = { channels };
   float grad[channels * 9] = zeros(); float x[images * channels * side * side] = normal(); float dy[images * channels * side * side] = normal();
   depthwise_weight_grad(grad, x, dy, images, channels, side);
*/
// The gradient of the nine weights of a depthwise convolution: a block sums over all pixels of its channel in all images.
__global__ void depthwise_weight_grad(float *grad, const float *x, const float *dy, int images, int channels, int side)
{
    __shared__ float parts[6][9];
    const int channel = blockIdx.x, pixels = side * side;
    float sum[9] = { 0.0f };
    for (int n = 0; n < images; n++) {
        const float *plane = x + (size_t)(n * channels + channel) * pixels, *up = dy + (size_t)(n * channels + channel) * pixels;
        for (int p = threadIdx.x; p < pixels; p += 192) {
            const int px = p % side, py = p / side;
            const float g = up[p];
#pragma unroll
            for (int k = 0; k < 9; k++) {
                const int qx = px + k % 3 - 1, qy = py + k / 3 - 1;
                if (qx >= 0 && qx < side && qy >= 0 && qy < side) sum[k] += g * plane[qy * side + qx];
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 9; k++) {
        for (int d = 16; d > 0; d >>= 1)
            sum[k] += __shfl_down_sync(0xffffffffu, sum[k], d);
        if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5][k] = sum[k];
    }
    __syncthreads();
    if (threadIdx.x < 9) {
        float all = 0.0f;
        for (int w = 0; w < 6; w++)
            all += parts[w][threadIdx.x];
        grad[channel * 9 + threadIdx.x] = all;
    }
}
