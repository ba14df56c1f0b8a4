#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int m = 1536, n = 1472, k = 1000;
   dim3 grid = { (n + 63) / 64, (m + 63) / 64 }, block = { 16, 16 };
   float a[m * k] = normal();
   float b[k * n] = normal(0, 0.05);
   float c[m * n] = normal();
   sgemm_axpby_ragged_register_staged(a, b, c, m, n, k, 0.75f, 0.5f);
*/
__global__ void __launch_bounds__(256) sgemm_axpby_ragged_register_staged(
        const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k,
        float alpha, float beta)
{
    __shared__ float as[16][64 + 4];
    __shared__ float bs[16][64];
    const int tid = threadIdx.y * 16 + threadIdx.x;
    const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    const int ar = tid >> 2, ak = (tid & 3) * 4;
    const int bk = tid >> 4, bc = (tid & 15) * 4;
    float ra[4], rb[4];
    float acc[4][4] = {};

    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int kk = k0 + ak + i;
            ra[i] = (row0 + ar < m && kk < k) ? a[(size_t)(row0 + ar) * k + kk] : 0.f;
            const int cc = col0 + bc + i;
            rb[i] = (k0 + bk < k && cc < n) ? b[(size_t)(k0 + bk) * n + cc] : 0.f;
        }
    };

    fetch(0);
    for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; ++i) as[ak + i][ar] = ra[i];
        *reinterpret_cast<float4 *>(&bs[bk][bc]) = make_float4(rb[0], rb[1], rb[2], rb[3]);
        __syncthreads();
        if (k0 + 16 < k) fetch(k0 + 16);
#pragma unroll
        for (int kk = 0; kk < 16; ++kk) {
            const float4 x = *reinterpret_cast<const float4 *>(&as[kk][threadIdx.y * 4]);
            const float4 y = *reinterpret_cast<const float4 *>(&bs[kk][threadIdx.x * 4]);
            const float xs[4] = { x.x, x.y, x.z, x.w }, ys[4] = { y.x, y.y, y.z, y.w };
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += xs[i] * ys[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int r = row0 + threadIdx.y * 4 + i;
        if (r >= m) break;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int q = col0 + threadIdx.x * 4 + j;
            if (q < n) {
                float *at = c + (size_t)r * n + q;
                *at = alpha * acc[i][j] + beta * *at;
            }
        }
    }
}

/* kmutate launch
   int rows = 4096, cols = 4096, strip = 64;
   dim3 grid = { cols / 256, rows / strip }, block = { 256 };
   double a[rows * cols] = normal();
   double x[rows] = uniform(-1, 1);
   double y[cols] = zeros();
   dgemv_transposed_row_strips(a, x, y, cols, strip);
*/
__global__ void dgemv_transposed_row_strips(const double *__restrict__ a, const double *__restrict__ x, double *y,
                                            int cols, int strip)
{
    __shared__ double xs[64];
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = blockIdx.y * strip;
    if (threadIdx.x < strip) xs[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    const double *p = a + (size_t)first * cols + col;
    double s0 = 0, s1 = 0;
    for (int r = 0; r < strip; r += 2) {
        s0 += p[0] * xs[r];
        s1 += p[cols] * xs[r + 1];
        p += 2 * (size_t)cols;
    }
    atomicAdd(&y[col], s0 + s1);
}

/* kmutate launch
   int rows = 400000, cols = 400000, lo = 6, hi = 30;
   int nnz = csr_nnz(rows, lo, hi);
   dim3 grid = { (rows * 4 + 255) / 256 }, block = { 256 };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi);
   int colidx[nnz] = csr_colidx(cols);
   float values[nnz] = uniform(-1, 1);
   double diag[rows] = uniform(4, 8);
   double x[cols] = uniform(-1, 1);
   double rhs[rows] = normal();
   double r[rows] = zeros();
   mixed_precision_residual_four_lanes_a_row(rowptr, colidx, values, diag, x, rhs, r, rows);
*/
__global__ void mixed_precision_residual_four_lanes_a_row(const int *__restrict__ rowptr,
                                                          const int *__restrict__ colidx,
                                                          const float *__restrict__ values,
                                                          const double *__restrict__ diag,
                                                          const double *__restrict__ x,
                                                          const double *__restrict__ rhs, double *__restrict__ r,
                                                          int rows)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = t >> 2, lane = t & 3;
    double s = 0;
    if (row < rows) {
        const int end = rowptr[row + 1];
        for (int j = rowptr[row] + lane; j < end; j += 4) s += (double)values[j] * x[colidx[j]];
    }
    s += __shfl_down_sync(0xffffffffu, s, 2, 4);
    s += __shfl_down_sync(0xffffffffu, s, 1, 4);
    if (row < rows && lane == 0) r[row] = rhs[row] - s - diag[row] * x[row];
}

/* kmutate launch
   int nx = 256, ny = 256, nz = 128;
   dim3 grid = { nx / 32, ny / 4, nz / 2 }, block = { 32, 4, 2 };
   float u[nx * ny * nz] = normal();
   float v[nx * ny * nz] = normal();
   float w[nx * ny * nz] = normal();
   float p[nx * ny * nz] = normal();
   unsigned char kind[nx * ny * nz] = randint(0, 9);
   subtract_pressure_gradient_with_solids(u, v, w, p, kind, nx, ny, nz, 0.01f);
*/
__global__ void subtract_pressure_gradient_with_solids(float *u, float *v, float *w, const float *__restrict__ p,
                                                       const unsigned char *__restrict__ kind, int nx, int ny, int nz,
                                                       float scale)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    const int i = (z * ny + y) * nx + x;
    if (kind[i] == 0) {
        u[i] = 0.f;
        v[i] = 0.f;
        w[i] = 0.f;
        return;
    }
    const float here = p[i];
    if (x > 0) {
        if (kind[i - 1] == 0) u[i] = 0.f;
        else u[i] -= scale * (here - p[i - 1]);
    }
    if (y > 0) {
        if (kind[i - nx] == 0) v[i] = 0.f;
        else v[i] -= scale * (here - p[i - nx]);
    }
    if (z > 0) {
        if (kind[i - nx * ny] == 0) w[i] = 0.f;
        else w[i] -= scale * (here - p[i - nx * ny]);
    }
}

/* kmutate launch
   int n = 8 * 1024 * 1024;
   dim3 grid = { n / 2048 }, block = { 256 };
   int64_t in[n] = randint(-1000, 1000);
   int64_t out[n] = zeros();
   int64_t sums[grid.x] = zeros();
   running_totals_int64_eight_in_a_row(in, out, sums);
*/
__global__ void running_totals_int64_eight_in_a_row(const int64_t *__restrict__ in, int64_t *__restrict__ out,
                                                    int64_t *__restrict__ sums)
{
    __shared__ long long of_warp[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t first = (size_t)blockIdx.x * 2048 + threadIdx.x * 8;
    long long v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = in[first + i];
#pragma unroll
    for (int i = 1; i < 8; ++i) v[i] += v[i - 1];
    long long incl = v[7];
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const long long up = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d) incl += up;
    }
    if (lane == 31) of_warp[warp] = incl;
    __syncthreads();
    long long before = incl - v[7];
    for (int q = 0; q < warp; ++q) before += of_warp[q];
#pragma unroll
    for (int i = 0; i < 8; ++i) out[first + i] = v[i] + before;
    if (threadIdx.x == 255) sums[blockIdx.x] = v[7] + before;
}

/* kmutate launch
   int tiles = 8192;
   dim3 grid = { tiles }, block = { 512 };
   unsigned keys[tiles * 512] = randint(0, 1u << 31);
   unsigned values[tiles * 512] = iota();
   unsigned keys_out[tiles * 512] = zeros();
   unsigned values_out[tiles * 512] = zeros();
   tile_pairs_by_sixteen_bits_two_a_pass(keys, values, keys_out, values_out, 8);
*/
__global__ void __launch_bounds__(512) tile_pairs_by_sixteen_bits_two_a_pass(
        const unsigned *__restrict__ keys, const unsigned *__restrict__ values, unsigned *__restrict__ keys_out,
        unsigned *__restrict__ values_out, int shift)
{
    __shared__ unsigned ks[512], vs[512];
    __shared__ int start[64];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const size_t at = (size_t)blockIdx.x * 512 + t;
    unsigned key = keys[at], value = values[at];
    for (int pass = 0; pass < 8; ++pass) {
        const int digit = (key >> (shift + 2 * pass)) & 3;
        int rank = 0;
#pragma unroll
        for (int d = 0; d < 4; ++d) {
            const unsigned votes = __ballot_sync(0xffffffffu, digit == d);
            if (digit == d) rank = __popc(votes & ((1u << lane) - 1));
            if (lane == 0) start[d * 16 + warp] = __popc(votes);
        }
        __syncthreads();
        if (warp == 0) {
            const int c0 = start[2 * lane], c1 = start[2 * lane + 1];
            int sum = c0 + c1;
#pragma unroll
            for (int d = 1; d < 32; d <<= 1) {
                const int up = __shfl_up_sync(0xffffffffu, sum, d);
                if (lane >= d) sum += up;
            }
            start[2 * lane] = sum - c0 - c1;
            start[2 * lane + 1] = sum - c1;
        }
        __syncthreads();
        const int to = start[digit * 16 + warp] + rank;
        ks[to] = key;
        vs[to] = value;
        __syncthreads();
        key = ks[t];
        value = vs[t];
    }
    keys_out[at] = key;
    values_out[at] = value;
}

/* kmutate launch
   int n = 16 * 1024 * 1024;
   dim3 grid = { 528 }, block = { 256 };
   float2 hits[n] = uniform(0.05, 60);
   unsigned spectrum[512] = zeros();
   logarithmic_spectrum_four_copies(hits, spectrum, n, 48.f, 210.f);
*/
__global__ void logarithmic_spectrum_four_copies(const float2 *__restrict__ hits, unsigned *spectrum, int n,
                                                 float per_octave, float offset)
{
    __shared__ unsigned bins[4][512];
    for (int i = threadIdx.x; i < 4 * 512; i += blockDim.x) (&bins[0][0])[i] = 0;
    __syncthreads();
    unsigned *mine = bins[threadIdx.x & 3];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float2 h = hits[i];
        int bin = (int)(__log2f(h.x) * per_octave + offset);
        bin = min(max(bin, 0), 511);
        atomicAdd(&mine[bin], (unsigned)(h.y * 16.f + 0.5f));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        const unsigned total = bins[0][i] + bins[1][i] + bins[2][i] + bins[3][i];
        if (total) atomicAdd(&spectrum[i], total);
    }
}

/* kmutate launch
   int n = 48 * 1024 * 1024;
   dim3 grid = { 264 }, block = { 512 };
   __nv_bfloat16 got[n] = normal();
   __nv_bfloat16 wanted[n] = normal();
   double square_sum[1] = zeros();
   int worst_bits[1] = zeros();
   bf16_error_norm_and_worst(got, wanted, square_sum, worst_bits, n / 8);
*/
__global__ void bf16_error_norm_and_worst(const __nv_bfloat16 *__restrict__ got,
                                          const __nv_bfloat16 *__restrict__ wanted, double *square_sum,
                                          int *worst_bits, int eights)
{
    const uint4 *g = reinterpret_cast<const uint4 *>(got);
    const uint4 *w = reinterpret_cast<const uint4 *>(wanted);
    float sum = 0.f, worst = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < eights; i += gridDim.x * blockDim.x) {
        uint4 a = g[i], b = w[i];
        const __nv_bfloat162 *ah = reinterpret_cast<const __nv_bfloat162 *>(&a);
        const __nv_bfloat162 *bh = reinterpret_cast<const __nv_bfloat162 *>(&b);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float2 x = __bfloat1622float2(ah[q]), y = __bfloat1622float2(bh[q]);
            const float d0 = x.x - y.x, d1 = x.y - y.y;
            sum += d0 * d0 + d1 * d1;
            worst = fmaxf(worst, fmaxf(fabsf(d0), fabsf(d1)));
        }
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
        worst = fmaxf(worst, __shfl_xor_sync(0xffffffffu, worst, o));
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(square_sum, (double)sum);
        atomicMax(worst_bits, __float_as_int(worst));
    }
}

/* kmutate launch
   int rows = 200000;
   dim3 grid = { rows / 8 }, block = { 32, 8 };
   half in[rows * 384] = normal();
   int8_t out[rows * 384] = zeros();
   float scale[rows] = zeros();
   unit_length_rows_as_bytes(in, out, scale, rows);
*/
__global__ void unit_length_rows_as_bytes(const half *__restrict__ in, int8_t *__restrict__ out,
                                          float *__restrict__ scale, int rows)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const half2 *src = reinterpret_cast<const half2 *>(in + (size_t)row * 384);
    char2 *dst = reinterpret_cast<char2 *>(out + (size_t)row * 384);
    float2 v[6];
    float sq = 0.f, top = 0.f;
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        v[i] = __half22float2(src[i * 32 + lane]);
        sq += v[i].x * v[i].x + v[i].y * v[i].y;
        top = fmaxf(top, fmaxf(fabsf(v[i].x), fabsf(v[i].y)));
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        sq += __shfl_xor_sync(0xffffffffu, sq, o);
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
    }
    const float to_byte = 127.f / fmaxf(top, 1e-8f);
#pragma unroll
    for (int i = 0; i < 6; ++i)
        dst[i * 32 + lane] = make_char2((signed char)__float2int_rn(v[i].x * to_byte),
                                        (signed char)__float2int_rn(v[i].y * to_byte));
    if (lane == 0) scale[row] = top / (127.f * sqrtf(sq + 1e-12f));
}

/* kmutate launch
   int outer = 64, axis = 96, inner = 3136;
   dim3 grid = { (inner + 127) / 128, outer }, block = { 128 };
   float in[outer * axis * inner] = normal(0, 2);
   float out[outer * axis * inner] = zeros();
   softmax_middle_axis_two_walks(in, out, axis, inner, 1.25f);
*/
__global__ void softmax_middle_axis_two_walks(const float *__restrict__ in, float *__restrict__ out, int axis,
                                              int inner, float sharpness)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= inner) return;
    const size_t base = (size_t)blockIdx.y * axis * inner + i;
    const float *src = in + base;
    float *dst = out + base;
    float top = -INFINITY, sum = 0.f;
    for (int a = 0; a < axis; ++a) {
        const float v = src[(size_t)a * inner] * sharpness;
        if (v > top) {
            sum = sum * expf(top - v) + 1.f;
            top = v;
        } else {
            sum += expf(v - top);
        }
    }
    const float inv = 1.f / sum;
    for (int a = 0; a < axis; ++a) dst[(size_t)a * inner] = expf(src[(size_t)a * inner] * sharpness - top) * inv;
}

/* kmutate launch
   int images = 48, pixels = 3136, channels = 256;
   dim3 grid = { channels / 32, pixels / 32, images }, block = { 32, 8 };
   int8_t nhwc[images * pixels * channels] = randint(-128, 128);
   int8_t nchw[images * pixels * channels] = zeros();
   channels_first_bytes_square_tiles(nhwc, nchw, pixels, channels);
*/
__global__ void channels_first_bytes_square_tiles(const int8_t *__restrict__ nhwc, int8_t *__restrict__ nchw,
                                                  int pixels, int channels)
{
    __shared__ int8_t tile[32][32];
    const size_t image = (size_t)blockIdx.z * pixels * channels;
    const int c0 = blockIdx.x * 32, p0 = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = nhwc[image + (size_t)(p0 + r) * channels + c0 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8)
        nchw[image + (size_t)(c0 + r) * pixels + p0 + threadIdx.x] = tile[threadIdx.x][r];
}

/* kmutate launch
   int batch = 16, h = 112, w = 112, ho = 56, wo = 56;
   dim3 grid = { 2, ho, batch }, block = { 64, 7 };
   float in[batch * h * w * 32] = normal();
   float weight[9 * 32 * 64] = normal(0, 0.06);
   float bias[64] = normal();
   float out[batch * ho * wo * 64] = zeros();
   conv3x3_half_resolution_thread_per_filter(in, weight, bias, out, h, w, ho, wo);
*/
__global__ void conv3x3_half_resolution_thread_per_filter(const float *__restrict__ in,
                                                          const float *__restrict__ weight,
                                                          const float *__restrict__ bias, float *__restrict__ out,
                                                          int h, int w, int ho, int wo)
{
    const int filter = threadIdx.x;
    const int ox = (blockIdx.x * blockDim.y + threadIdx.y) * 4, oy = blockIdx.y;
    const float *image = in + (size_t)blockIdx.z * h * w * 32;
    const float b = bias[filter];
    float acc[4] = { b, b, b, b };
    for (int ky = 0; ky < 3; ++ky) {
        const int iy = oy * 2 + ky - 1;
        if (iy < 0 || iy >= h) continue;
        for (int kx = 0; kx < 3; ++kx) {
            const float *wp = weight + (ky * 3 + kx) * 32 * 64 + filter;
            const int ix = ox * 2 + kx - 1;
            const float *px = image + ((size_t)iy * w + ix) * 32;
            const bool left = ix >= 0;
#pragma unroll 8
            for (int c = 0; c < 32; ++c) {
                const float f = wp[c * 64];
                if (left) acc[0] += px[c] * f;
                acc[1] += px[64 + c] * f;
                acc[2] += px[128 + c] * f;
                acc[3] += px[192 + c] * f;
            }
        }
    }
#pragma unroll
    for (int q = 0; q < 4; ++q)
        out[(((size_t)blockIdx.z * ho + oy) * wo + ox + q) * 64 + filter] = fmaxf(acc[q], 0.f);
}

/* kmutate launch
   int n = 20480;
   dim3 grid = { n / 128 }, block = { 128 };
   float4 place[n] = uniform(0, 1);
   float4 strength[n] = normal(0, 0.01);
   float4 velocity[n] = zeros();
   vortex_blobs_induce_velocity(place, strength, velocity, n, 0.0004f);
*/
__global__ void vortex_blobs_induce_velocity(const float4 *__restrict__ place, const float4 *__restrict__ strength,
                                             float4 *__restrict__ velocity, int n, float core2)
{
    __shared__ float4 ps[128], gs[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float4 me = place[i];
    float u = 0.f, v = 0.f, w = 0.f;
    for (int t = 0; t < n; t += 128) {
        ps[threadIdx.x] = place[t + threadIdx.x];
        gs[threadIdx.x] = strength[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; ++j) {
            const float dx = me.x - ps[j].x, dy = me.y - ps[j].y, dz = me.z - ps[j].z;
            const float inv = rsqrtf(dx * dx + dy * dy + dz * dz + core2);
            const float f = inv * inv * inv;
            u += f * (gs[j].y * dz - gs[j].z * dy);
            v += f * (gs[j].z * dx - gs[j].x * dz);
            w += f * (gs[j].x * dy - gs[j].y * dx);
        }
        __syncthreads();
    }
    const float s = 0.0795774715f;
    velocity[i] = make_float4(u * s, v * s, w * s, 0.f);
}

/* kmutate launch
   int nx = 4096, ny = 4096;
   dim3 grid = { nx / 32, ny / 8 }, block = { 32, 8 };
   float u[nx * ny] = uniform(0.1, 1.5);
   half conductivity[nx * ny] = uniform(0.2, 1);
   float next[nx * ny] = zeros();
   porous_medium_power_law_step(u, conductivity, next, nx, ny, 2.7f, 0.05f);
*/
__global__ void porous_medium_power_law_step(const float *__restrict__ u, const half *__restrict__ conductivity,
                                             float *__restrict__ next, int nx, int ny, float exponent, float dt)
{
    __shared__ float phi[10][34];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int s = ty * 32 + tx; s < 340; s += 256) {
        const int sy = s / 34, sx = s % 34;
        const int gx = min(max(x0 + sx, 0), nx - 1), gy = min(max(y0 + sy, 0), ny - 1);
        phi[sy][sx] = __powf(u[(size_t)gy * nx + gx], exponent);
    }
    __syncthreads();
    const size_t i = (size_t)(y0 + 1 + ty) * nx + x0 + 1 + tx;
    const float lap = phi[ty][tx + 1] + phi[ty + 2][tx + 1] + phi[ty + 1][tx] + phi[ty + 1][tx + 2]
                      - 4.f * phi[ty + 1][tx + 1];
    next[i] = fmaxf(u[i] + dt * __half2float(conductivity[i]) * lap, 0.f);
}

/* kmutate launch
   int paths = 524288, steps = 48;
   dim3 grid = { paths / 256 }, block = { 256 };
   double total[2] = zeros();
   jump_diffusion_put_antithetic(total, steps, 100.f, 98.f, 0.0004f, 0.03f, 0.05f, -0.04f, 0.09f, 20231u);
*/
__device__ __forceinline__ float pcg_uniform(unsigned &state)
{
    state = state * 747796405u + 2891336453u;
    unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    word = (word >> 22) ^ word;
    return ((word >> 8) + 0.5f) * (1.f / 16777216.f);
}

__global__ void jump_diffusion_put_antithetic(double *total, int steps, float spot, float strike, float drift,
                                              float vol, float rate_per_step, float jump_mean, float jump_sd,
                                              unsigned seed)
{
    __shared__ float part[2][8];
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + seed;
    const float stop = __expf(-rate_per_step);
    float up = 0.f, down = 0.f;
    for (int s = 0; s < steps; ++s) {
        const float radius = sqrtf(-2.f * __logf(pcg_uniform(state)));
        const float z = radius * __cosf(6.2831853f * pcg_uniform(state));
        float jump = 0.f;
        float p = pcg_uniform(state);
        while (p > stop) {
            const float r = sqrtf(-2.f * __logf(pcg_uniform(state)));
            jump += jump_mean + jump_sd * r * __sinf(6.2831853f * pcg_uniform(state));
            p *= pcg_uniform(state);
        }
        up += drift + vol * z + jump;
        down += drift - vol * z + jump;
    }
    float a = fmaxf(strike - spot * __expf(up), 0.f), b = fmaxf(strike - spot * __expf(down), 0.f);
    float mean = 0.5f * (a + b), square = mean * mean;
    for (int o = 16; o; o >>= 1) {
        mean += __shfl_down_sync(0xffffffffu, mean, o);
        square += __shfl_down_sync(0xffffffffu, square, o);
    }
    if ((threadIdx.x & 31) == 0) {
        part[0][threadIdx.x >> 5] = mean;
        part[1][threadIdx.x >> 5] = square;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        float s = 0.f;
        for (int q = 0; q < 8; ++q) s += part[threadIdx.x][q];
        atomicAdd(&total[threadIdx.x], (double)s);
    }
}

/* kmutate launch
   int vertices = 1000000, lo = 4, hi = 28;
   int edges = csr_nnz(vertices, lo, hi);
   dim3 grid = { (vertices + 255) / 256 }, block = { 256 };
   int start[vertices + 1] = csr_rowptr(vertices, lo, hi);
   int neighbour[edges] = csr_colidx(vertices);
   unsigned char before[vertices] = randint(0, 5);
   unsigned char after[vertices] = zeros();
   int undecided[1] = zeros();
   luby_round_thread_per_vertex(start, neighbour, before, after, undecided, vertices, 77u);
*/
__device__ __forceinline__ unsigned mixed_priority(unsigned v, unsigned salt)
{
    v ^= salt;
    v = (v ^ (v >> 16)) * 0x7feb352du;
    v = (v ^ (v >> 15)) * 0x846ca68bu;
    return v ^ (v >> 16);
}

__global__ void luby_round_thread_per_vertex(const int *__restrict__ start, const int *__restrict__ neighbour,
                                             const unsigned char *__restrict__ before,
                                             unsigned char *__restrict__ after, int *undecided, int vertices,
                                             unsigned salt)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    const unsigned char mine = before[v];
    if (mine == 0 || mine == 4) {
        after[v] = mine;
        return;
    }
    const unsigned p = mixed_priority(v, salt);
    bool highest = true;
    for (int e = start[v]; e < start[v + 1]; ++e) {
        const int o = neighbour[e];
        if (o == v || before[o] == 0 || before[o] == 4) continue;
        const unsigned q = mixed_priority(o, salt);
        if (q > p || (q == p && o > v)) {
            highest = false;
            break;
        }
    }
    after[v] = highest ? 4 : mine;
    if (!highest) atomicAdd(undecided, 1);
}

/* kmutate launch
   int n = 32 * 1024 * 1024;
   dim3 grid = { n / 256 }, block = { 256 };
   unsigned char text[n] = randint(32, 46);
   unsigned counts[1 << 20] = zeros();
   count_words_from_every_start(text, counts, n, (1 << 20) - 1);
*/
__global__ void count_words_from_every_start(const unsigned char *__restrict__ text, unsigned *counts, int n,
                                             unsigned mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || text[i] < 34) return;
    if (i > 0 && text[i - 1] >= 34) return;
    unsigned hash = 2166136261u;
    int j = i;
    while (j < n && text[j] >= 34) {
        hash = (hash ^ text[j]) * 16777619u;
        ++j;
    }
    hash ^= hash >> 15;
    atomicAdd(&counts[hash & mask], 1u);
}

/* kmutate launch
   int docs = 4096, lo = 200, hi = 1200;
   int words = csr_nnz(docs, lo, hi);
   dim3 grid = { docs }, block = { 128 };
   int start[docs + 1] = csr_rowptr(docs, lo, hi);
   unsigned word[words] = randint(0, 1u << 30);
   unsigned factor[128] = randint(1, 1u << 31);
   unsigned shift[128] = randint(0, 1u << 31);
   unsigned signature[docs * 128] = zeros();
   minhash_of_word_triples(start, word, factor, shift, signature);
*/
__global__ void minhash_of_word_triples(const int *__restrict__ start, const unsigned *__restrict__ word,
                                        const unsigned *__restrict__ factor, const unsigned *__restrict__ shift,
                                        unsigned *__restrict__ signature)
{
    __shared__ unsigned triple[128];
    const int begin = start[blockIdx.x], end = start[blockIdx.x + 1] - 2;
    const unsigned f = factor[threadIdx.x] | 1u, s = shift[threadIdx.x];
    unsigned least = 0xffffffffu;
    for (int t = begin; t < end; t += 128) {
        const int i = t + threadIdx.x;
        __syncthreads();
        if (i < end) {
            unsigned h = word[i] * 0x9e3779b1u;
            h = ((h << 13) | (h >> 19)) ^ (word[i + 1] * 0x85ebca77u);
            h = ((h << 11) | (h >> 21)) ^ (word[i + 2] * 0xc2b2ae3du);
            triple[threadIdx.x] = h ^ (h >> 16);
        }
        __syncthreads();
        const int here = min(128, end - t);
        for (int q = 0; q < here; ++q) {
            unsigned h = triple[q] * f + s;
            h ^= h >> 15;
            least = min(least, h);
        }
    }
    signature[(size_t)blockIdx.x * 128 + threadIdx.x] = least;
}

/* kmutate launch
   int w = 3840, h = 2160, frames = 4, run = 45;
   dim3 grid = { w / 128, h / run, frames }, block = { 128 };
   uchar4 in[frames * h * w] = randint(0, 256);
   uchar4 out[frames * h * w] = zeros();
   extern float c_gauss9[9] = { 0.0276f, 0.0663f, 0.1238f, 0.1802f, 0.2042f, 0.1802f, 0.1238f, 0.0663f, 0.0276f };
   gauss_nine_down_columns_rgba(in, out, w, h, run);
*/
__constant__ float c_gauss9[9];

__global__ void gauss_nine_down_columns_rgba(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h,
                                             int run)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y0 = blockIdx.y * run;
    const size_t frame = (size_t)blockIdx.z * w * h;
    uchar4 ring[9];
#pragma unroll
    for (int i = 0; i < 8; ++i) ring[i + 1] = in[frame + (size_t)max(y0 + i - 4, 0) * w + x];
    for (int y = y0; y < y0 + run; ++y) {
#pragma unroll
        for (int i = 0; i < 8; ++i) ring[i] = ring[i + 1];
        ring[8] = in[frame + (size_t)min(y + 4, h - 1) * w + x];
        float r = 0.5f, g = 0.5f, b = 0.5f;
#pragma unroll
        for (int i = 0; i < 9; ++i) {
            r += c_gauss9[i] * ring[i].x;
            g += c_gauss9[i] * ring[i].y;
            b += c_gauss9[i] * ring[i].z;
        }
        out[frame + (size_t)y * w + x] = make_uchar4((unsigned char)r, (unsigned char)g, (unsigned char)b, ring[4].w);
    }
}

/* kmutate launch
   int systems = 98304;
   dim3 grid = { systems / 64 }, block = { 64 };
   double zero_lag[systems] = uniform(1, 2);
   double lag[23 * systems] = uniform(-0.03, 0.03);
   double rhs[24 * systems] = normal();
   double x[24 * systems] = zeros();
   levinson_interleaved_toeplitz_solve(zero_lag, lag, rhs, x, systems);
*/
__global__ void levinson_interleaved_toeplitz_solve(const double *__restrict__ zero_lag,
                                                    const double *__restrict__ lag, const double *__restrict__ rhs,
                                                    double *__restrict__ x, int systems)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    double f[24], sol[24];
    double err = zero_lag[s];
    f[0] = 1.0;
    sol[0] = rhs[s] / err;
    for (int k = 1; k < 24; ++k) {
        double e = 0, miss = rhs[(size_t)k * systems + s];
        for (int j = 0; j < k; ++j) {
            const double t = lag[(size_t)(k - j - 1) * systems + s];
            e += t * f[j];
            miss -= t * sol[j];
        }
        const double mu = -e / err;
        f[k] = 0;
        for (int j = 0; j <= k / 2; ++j) {
            const double a = f[j], b = f[k - j];
            f[j] = a + mu * b;
            f[k - j] = b + mu * a;
        }
        err *= 1.0 - mu * mu;
        const double step = miss / err;
        sol[k] = 0;
        for (int j = 0; j <= k; ++j) sol[j] += step * f[k - j];
    }
    for (int k = 0; k < 24; ++k) x[(size_t)k * systems + s] = sol[k];
}
