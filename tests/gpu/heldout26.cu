// The twenty-sixth set of kernels that nobody tuned the model of time for,
// written by somebody who had seen neither the model nor its results.
#include <cuda_fp16.h>

/* kmutate launch
   int m = 2048, n = 2048, k = 768;
   dim3 grid = { n / 128, m / 128 };
   dim3 block = { 256 };
   float a[m * k] = normal();
   float b[k * n] = normal();
   float c[m * n] = uniform(-1, 1);
   sgemm_128x128_double_buffered(m, n, k, 0.75f, a, b, 0.25f, c);
*/
__global__ void __launch_bounds__(256, 2)
sgemm_128x128_double_buffered(int m, int n, int k, float alpha, const float *__restrict__ a,
                              const float *__restrict__ b, float beta, float *__restrict__ c)
{
    __shared__ float as[2][16][132];
    __shared__ float bs[2][16][128];
    const int tid = threadIdx.x;
    const int tx = tid & 15, ty = tid >> 4;
    const int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    const int arow = tid >> 2, acol = (tid & 3) * 4;
    const int brow = tid >> 5, bcol = (tid & 31) * 4;
    const float *ap = a + (size_t)(row0 + arow) * k + acol;
    const float *bp = b + (size_t)brow * n + col0 + bcol;
    float4 ra[2], rb[2];
    float acc[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] = 0.0f;

#pragma unroll
    for (int h = 0; h < 2; h++) {
        ra[h] = *(const float4 *)(ap + (size_t)h * 64 * k);
        rb[h] = *(const float4 *)(bp + (size_t)h * 8 * n);
        as[0][acol + 0][arow + 64 * h] = ra[h].x;
        as[0][acol + 1][arow + 64 * h] = ra[h].y;
        as[0][acol + 2][arow + 64 * h] = ra[h].z;
        as[0][acol + 3][arow + 64 * h] = ra[h].w;
        *(float4 *)&bs[0][brow + 8 * h][bcol] = rb[h];
    }
    __syncthreads();

    int cur = 0;
    for (int k0 = 16; k0 <= k; k0 += 16) {
        const bool more = k0 < k;
        if (more) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                ra[h] = *(const float4 *)(ap + (size_t)h * 64 * k + k0);
                rb[h] = *(const float4 *)(bp + (size_t)(h * 8 + k0) * n);
            }
        }
#pragma unroll
        for (int kk = 0; kk < 16; kk++) {
            float fa[8], fb[8];
            *(float4 *)&fa[0] = *(const float4 *)&as[cur][kk][ty * 4];
            *(float4 *)&fa[4] = *(const float4 *)&as[cur][kk][ty * 4 + 64];
            *(float4 *)&fb[0] = *(const float4 *)&bs[cur][kk][tx * 4];
            *(float4 *)&fb[4] = *(const float4 *)&bs[cur][kk][tx * 4 + 64];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
        }
        if (more) {
            cur ^= 1;
#pragma unroll
            for (int h = 0; h < 2; h++) {
                as[cur][acol + 0][arow + 64 * h] = ra[h].x;
                as[cur][acol + 1][arow + 64 * h] = ra[h].y;
                as[cur][acol + 2][arow + 64 * h] = ra[h].z;
                as[cur][acol + 3][arow + 64 * h] = ra[h].w;
                *(float4 *)&bs[cur][brow + 8 * h][bcol] = rb[h];
            }
            __syncthreads();
        }
    }

#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int r = row0 + (i >> 2) * 64 + ty * 4 + (i & 3);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float4 *p = (float4 *)(c + (size_t)r * n + col0 + h * 64 + tx * 4);
            float4 v = *p;
            v.x = alpha * acc[i][h * 4 + 0] + beta * v.x;
            v.y = alpha * acc[i][h * 4 + 1] + beta * v.y;
            v.z = alpha * acc[i][h * 4 + 2] + beta * v.z;
            v.w = alpha * acc[i][h * 4 + 3] + beta * v.w;
            *p = v;
        }
    }
}

/* kmutate launch
   int batches = 40000;
   dim3 grid = { batches / 4 };
   dim3 block = { 128 };
   double a[batches * 256] = uniform(-1, 1);
   double b[batches * 256] = uniform(-1, 1);
   double c[batches * 256] = zeros();
   batched_dgemm_16x16_one_warp_each(a, b, c, batches);
*/
__global__ void __launch_bounds__(128)
batched_dgemm_16x16_one_warp_each(const double *__restrict__ a, const double *__restrict__ b,
                                  double *__restrict__ c, int batches)
{
    __shared__ double sa[4][16][18];
    __shared__ double sb[4][16][16];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    const int which = blockIdx.x * 4 + w;
    if (which >= batches) return;
    const double2 *pa = (const double2 *)(a + (size_t)which * 256);
    const double2 *pb = (const double2 *)(b + (size_t)which * 256);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int e = i * 32 + lane;
        const double2 va = pa[e], vb = pb[e];
        const int r = e >> 3, col = (e & 7) * 2;
        *(double2 *)&sa[w][r][col] = va;
        *(double2 *)&sb[w][r][col] = vb;
    }
    __syncwarp();
    const int r0 = (lane >> 2) * 2, c0 = (lane & 3) * 4;
    double acc[2][4] = {};
#pragma unroll
    for (int kk = 0; kk < 16; kk++) {
        const double a0 = sa[w][r0][kk], a1 = sa[w][r0 + 1][kk];
        const double2 b0 = *(const double2 *)&sb[w][kk][c0];
        const double2 b1 = *(const double2 *)&sb[w][kk][c0 + 2];
        acc[0][0] += a0 * b0.x; acc[0][1] += a0 * b0.y; acc[0][2] += a0 * b1.x; acc[0][3] += a0 * b1.y;
        acc[1][0] += a1 * b0.x; acc[1][1] += a1 * b0.y; acc[1][2] += a1 * b1.x; acc[1][3] += a1 * b1.y;
    }
    double *pc = c + (size_t)which * 256;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        *(double2 *)(pc + (r0 + i) * 16 + c0) = make_double2(acc[i][0], acc[i][1]);
        *(double2 *)(pc + (r0 + i) * 16 + c0 + 2) = make_double2(acc[i][2], acc[i][3]);
    }
}

/* kmutate launch
   int images = 8, channels = 32, h = 112, w = 112, filters = 64;
   dim3 grid = { (w + 31) / 32, (h + 7) / 8, images * filters / 8 };
   dim3 block = { 32, 4 };
   float in[images * channels * h * w] = normal();
   float weight[filters * channels * 9] = normal(0, 0.1);
   float bias[filters] = uniform(-0.5, 0.5);
   float out[images * filters * h * w] = zeros();
   conv3x3_nchw_eight_filters_relu(in, weight, bias, out, channels, h, w, filters);
*/
__global__ void __launch_bounds__(128)
conv3x3_nchw_eight_filters_relu(const float *__restrict__ in, const float *__restrict__ weight,
                                const float *__restrict__ bias, float *__restrict__ out,
                                int channels, int h, int w, int filters)
{
    __shared__ float tile[4][10][36];
    __shared__ __align__(16) float ws[4][9][8];
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 32 + tx;
    const int groups = filters / 8;
    const int image = blockIdx.z / groups, f0 = (blockIdx.z % groups) * 8;
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    float acc[2][8];
#pragma unroll
    for (int f = 0; f < 8; f++) acc[0][f] = acc[1][f] = bias[f0 + f];

    for (int c0 = 0; c0 < channels; c0 += 4) {
        for (int e = tid; e < 4 * 10 * 34; e += 128) {
            const int x = e % 34, y = (e / 34) % 10, c = e / 340;
            const int gx = x0 + x - 1, gy = y0 + y - 1;
            float v = 0.0f;
            if (gx >= 0 && gx < w && gy >= 0 && gy < h)
                v = in[((size_t)(image * channels + c0 + c) * h + gy) * w + gx];
            tile[c][y][x] = v;
        }
        for (int e = tid; e < 288; e += 128) {
            const int f = e / 36, rest = e % 36;
            ws[rest / 9][rest % 9][f] = weight[(size_t)((f0 + f) * channels + c0) * 9 + rest];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < 4; c++)
#pragma unroll
            for (int t = 0; t < 9; t++) {
                const float p = tile[c][ty + t / 3][tx + t % 3];
                const float q = tile[c][ty + 4 + t / 3][tx + t % 3];
                const float4 u = *(const float4 *)&ws[c][t][0];
                const float4 v = *(const float4 *)&ws[c][t][4];
                acc[0][0] += p * u.x; acc[0][1] += p * u.y; acc[0][2] += p * u.z; acc[0][3] += p * u.w;
                acc[0][4] += p * v.x; acc[0][5] += p * v.y; acc[0][6] += p * v.z; acc[0][7] += p * v.w;
                acc[1][0] += q * u.x; acc[1][1] += q * u.y; acc[1][2] += q * u.z; acc[1][3] += q * u.w;
                acc[1][4] += q * v.x; acc[1][5] += q * v.y; acc[1][6] += q * v.z; acc[1][7] += q * v.w;
            }
        __syncthreads();
    }
    const int x = x0 + tx;
    if (x >= w) return;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int y = y0 + ty + 4 * r;
        if (y < h)
#pragma unroll
            for (int f = 0; f < 8; f++)
                out[((size_t)(image * filters + f0 + f) * h + y) * w + x] = fmaxf(acc[r][f], 0.0f);
    }
}

/* kmutate launch
   int width = 8192, height = 6144;
   dim3 grid = { width / 64, height / 32 };
   dim3 block = { 32, 8 };
   half src[width * height] = uniform(0, 1);
   half dst[width * height] = zeros();
   half2_separable_blur5_tile64x32(src, dst, width, height, 0.375f, 0.25f, 0.0625f);
*/
__global__ void __launch_bounds__(256, 6)
half2_separable_blur5_tile64x32(const __half *__restrict__ src, __half *__restrict__ dst, int width, int height,
                                float w0, float w1, float w2)
{
    __shared__ __half2 s[36][35];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int pitch = width / 2;
    const int cx = blockIdx.x * 32 - 1, cy = blockIdx.y * 32 - 2;
    const __half2 *in = (const __half2 *)src;
    for (int y = ty; y < 36; y += 8) {
        const int gy = min(max(cy + y, 0), height - 1);
        for (int x = tx; x < 34; x += 32) {
            const int gx = min(max(cx + x, 0), pitch - 1);
            s[y][x] = in[(size_t)gy * pitch + gx];
        }
    }
    __syncthreads();
    const __half2 h0 = __float2half2_rn(w0), h1 = __float2half2_rn(w1), h2 = __float2half2_rn(w2);
    __half2 row[8];
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const __half2 l = s[ty * 4 + r][tx], m = s[ty * 4 + r][tx + 1], g = s[ty * 4 + r][tx + 2];
        const __half2 lm = __halves2half2(__high2half(l), __low2half(m));
        const __half2 mg = __halves2half2(__high2half(m), __low2half(g));
        row[r] = __hfma2(h0, m, __hfma2(h1, __hadd2(lm, mg), __hmul2(h2, __hadd2(l, g))));
    }
    __half2 *out = (__half2 *)dst + (size_t)(blockIdx.y * 32 + ty * 4) * pitch + blockIdx.x * 32 + tx;
#pragma unroll
    for (int r = 0; r < 4; r++)
        out[(size_t)r * pitch] = __hfma2(h0, row[r + 2], __hfma2(h1, __hadd2(row[r + 1], row[r + 3]),
                                                                 __hmul2(h2, __hadd2(row[r], row[r + 4]))));
}

/* kmutate launch
   int nx = 384, ny = 384, nz = 192, pitch = nx + 8, deep = 48;
   dim3 grid = { nx / 32, ny / 16, nz / deep };
   dim3 block = { 32, 16 };
   double u[(nz + 4) * (ny + 4) * pitch] = uniform(0, 100);
   double v[(nz + 4) * (ny + 4) * pitch] = zeros();
   heat3d_radius2_marching_double(u, v, ny, pitch, deep, 0.7, 0.06, -0.01);
*/
__global__ void __launch_bounds__(512, 2)
heat3d_radius2_marching_double(const double *__restrict__ u, double *__restrict__ v, int ny, int pitch, int deep,
                               double k0, double k1, double k2)
{
    __shared__ double s[2][20][37];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const size_t plane = (size_t)(ny + 4) * pitch;
    const int x = blockIdx.x * 32 + tx + 4, y = blockIdx.y * 16 + ty + 2;
    size_t at = (size_t)(blockIdx.z * deep) * plane + (size_t)y * pitch + x;
    double b2 = u[at], b1 = u[at + plane], c = u[at + 2 * plane], f1 = u[at + 3 * plane];
    at += 2 * plane;
    int buf = 0;
    for (int z = 0; z < deep; z++) {
        const double f2 = u[at + 2 * plane];
        s[buf][ty + 2][tx + 2] = c;
        if (tx < 2) {
            s[buf][ty + 2][tx] = u[at - 2];
            s[buf][ty + 2][tx + 34] = u[at + 32];
        }
        if (ty < 2) {
            s[buf][ty][tx + 2] = u[at - 2 * (size_t)pitch];
            s[buf][ty + 18][tx + 2] = u[at + 16 * (size_t)pitch];
        }
        __syncthreads();
        const double near = s[buf][ty + 2][tx + 1] + s[buf][ty + 2][tx + 3] + s[buf][ty + 1][tx + 2] +
                            s[buf][ty + 3][tx + 2] + b1 + f1;
        const double far = s[buf][ty + 2][tx] + s[buf][ty + 2][tx + 4] + s[buf][ty][tx + 2] +
                           s[buf][ty + 4][tx + 2] + b2 + f2;
        v[at] = k0 * c + k1 * near + k2 * far;
        b2 = b1; b1 = c; c = f1; f1 = f2;
        at += plane;
        buf ^= 1;
    }
}

/* kmutate launch
   int heads = 16, seq = 2048;
   dim3 grid = { seq / 64, heads };
   dim3 block = { 256 };
   int smem = 4 * 64 * 68 * 4;
   half q[heads * seq * 64] = normal();
   half k[heads * seq * 64] = normal();
   half v[heads * seq * 64] = normal();
   half o[heads * seq * 64] = zeros();
   causal_attention_tile64_head64(q, k, v, o, seq, 0.125f);
*/
__global__ void __launch_bounds__(256, 3)
causal_attention_tile64_head64(const __half *__restrict__ q, const __half *__restrict__ k,
                               const __half *__restrict__ v, __half *__restrict__ o, int seq, float scale)
{
    extern __shared__ __align__(16) float attention_shared[];
    float *qt = attention_shared, *kt = qt + 64 * 68, *vs = kt + 64 * 68, *pt = vs + 64 * 68;
    const int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4;
    const int qtile = gridDim.x - 1 - blockIdx.x;
    const size_t head = (size_t)blockIdx.y * seq * 64;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int e = tid + 256 * i, row = e & 63, d = (e >> 6) * 8;
        const uint4 raw = *(const uint4 *)(q + head + (size_t)(qtile * 64 + row) * 64 + d);
        const __half2 *hh = (const __half2 *)&raw;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float2 f = __half22float2(hh[j]);
            qt[(d + 2 * j) * 68 + row] = f.x * scale;
            qt[(d + 2 * j + 1) * 68 + row] = f.y * scale;
        }
    }
    float acc[4][4] = {}, top[4], sum[4];
#pragma unroll
    for (int i = 0; i < 4; i++) { top[i] = -1e30f; sum[i] = 0.0f; }

    for (int t = 0; t <= qtile; t++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int e = tid + 256 * i;
            int row = e & 63, d = (e >> 6) * 8;
            uint4 raw = *(const uint4 *)(k + head + (size_t)(t * 64 + row) * 64 + d);
            const __half2 *hh = (const __half2 *)&raw;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float2 f = __half22float2(hh[j]);
                kt[(d + 2 * j) * 68 + row] = f.x;
                kt[(d + 2 * j + 1) * 68 + row] = f.y;
            }
            row = e >> 3; d = (e & 7) * 8;
            const uint4 rawv = *(const uint4 *)(v + head + (size_t)(t * 64 + row) * 64 + d);
            const __half2 *hv = (const __half2 *)&rawv;
            const float2 f0 = __half22float2(hv[0]), f1 = __half22float2(hv[1]);
            const float2 f2 = __half22float2(hv[2]), f3 = __half22float2(hv[3]);
            *(float4 *)&vs[row * 68 + d] = make_float4(f0.x, f0.y, f1.x, f1.y);
            *(float4 *)&vs[row * 68 + d + 4] = make_float4(f2.x, f2.y, f3.x, f3.y);
        }
        __syncthreads();
        float s[4][4] = {};
#pragma unroll 8
        for (int d = 0; d < 64; d++) {
            const float4 a = *(const float4 *)&qt[d * 68 + ty * 4];
            const float4 b = *(const float4 *)&kt[d * 68 + tx * 4];
            s[0][0] += a.x * b.x; s[0][1] += a.x * b.y; s[0][2] += a.x * b.z; s[0][3] += a.x * b.w;
            s[1][0] += a.y * b.x; s[1][1] += a.y * b.y; s[1][2] += a.y * b.z; s[1][3] += a.y * b.w;
            s[2][0] += a.z * b.x; s[2][1] += a.z * b.y; s[2][2] += a.z * b.z; s[2][3] += a.z * b.w;
            s[3][0] += a.w * b.x; s[3][1] += a.w * b.y; s[3][2] += a.w * b.z; s[3][3] += a.w * b.w;
        }
        if (t == qtile) {
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (tx * 4 + j > ty * 4 + i) s[i][j] = -1e30f;
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float m = fmaxf(fmaxf(s[i][0], s[i][1]), fmaxf(s[i][2], s[i][3]));
#pragma unroll
            for (int w = 8; w; w >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, w));
            m = fmaxf(m, top[i]);
            const float fade = __expf(top[i] - m);
            float part = 0.0f;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                s[i][j] = __expf(s[i][j] - m);
                part += s[i][j];
                acc[i][j] *= fade;
            }
            sum[i] = sum[i] * fade + part;
            top[i] = m;
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
            *(float4 *)&pt[(tx * 4 + j) * 68 + ty * 4] = make_float4(s[0][j], s[1][j], s[2][j], s[3][j]);
        __syncthreads();
#pragma unroll 8
        for (int kk = 0; kk < 64; kk++) {
            const float4 a = *(const float4 *)&pt[kk * 68 + ty * 4];
            const float4 b = *(const float4 *)&vs[kk * 68 + tx * 4];
            acc[0][0] += a.x * b.x; acc[0][1] += a.x * b.y; acc[0][2] += a.x * b.z; acc[0][3] += a.x * b.w;
            acc[1][0] += a.y * b.x; acc[1][1] += a.y * b.y; acc[1][2] += a.y * b.z; acc[1][3] += a.y * b.w;
            acc[2][0] += a.z * b.x; acc[2][1] += a.z * b.y; acc[2][2] += a.z * b.z; acc[2][3] += a.z * b.w;
            acc[3][0] += a.w * b.x; acc[3][1] += a.w * b.y; acc[3][2] += a.w * b.z; acc[3][3] += a.w * b.w;
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float total = sum[i];
#pragma unroll
        for (int w = 8; w; w >>= 1) total += __shfl_xor_sync(~0u, total, w);
        const float inv = 1.0f / total;
        __half2 *p = (__half2 *)(o + head + (size_t)(qtile * 64 + ty * 4 + i) * 64 + tx * 4);
        p[0] = __floats2half2_rn(acc[i][0] * inv, acc[i][1] * inv);
        p[1] = __floats2half2_rn(acc[i][2] * inv, acc[i][3] * inv);
    }
}

/* kmutate launch
   int batches = 4096, nrhs = 128;
   dim3 grid = { nrhs / 32, batches };
   dim3 block = { 32 };
   float lower[batches * 1024] = uniform(0.5, 1.5);
   float rhs[batches * 32 * nrhs] = uniform(-1, 1);
   trsm_lower32_column_per_lane(lower, rhs, nrhs);
*/
__global__ void __launch_bounds__(32)
trsm_lower32_column_per_lane(const float *__restrict__ lower, float *__restrict__ rhs, int nrhs)
{
    __shared__ __align__(16) float ls[32][36];
    __shared__ float inv[32];
    const int lane = threadIdx.x;
    const float4 *lp = (const float4 *)(lower + (size_t)blockIdx.y * 1024);
    float *bp = rhs + (size_t)blockIdx.y * 32 * nrhs + blockIdx.x * 32 + lane;
    float x[32];
#pragma unroll
    for (int i = 0; i < 32; i++) x[i] = bp[(size_t)i * nrhs];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int e = i * 32 + lane;
        *(float4 *)&ls[e >> 3][(e & 7) * 4] = lp[e];
    }
    __syncwarp();
    inv[lane] = 1.0f / ls[lane][lane];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 32; i++) {
        float r = x[i];
#pragma unroll
        for (int j = 0; j < i; j += 4) {
            const float4 l = *(const float4 *)&ls[i][j];
            r -= l.x * x[j];
            if (j + 1 < i) r -= l.y * x[j + 1];
            if (j + 2 < i) r -= l.z * x[j + 2];
            if (j + 3 < i) r -= l.w * x[j + 3];
        }
        x[i] = r * inv[i];
        bp[(size_t)i * nrhs] = x[i];
    }
}

/* kmutate launch
   int n4 = 8 << 20;
   dim3 grid = { 528 };
   dim3 block = { 512 };
   float4 samples[n4] = normal();
   unsigned bins[256] = zeros();
   histogram256_of_gaussian_eight_copies(samples, bins, n4, 32.0f, 128.0f);
*/
__global__ void __launch_bounds__(512, 4)
histogram256_of_gaussian_eight_copies(const float4 *__restrict__ samples, unsigned *__restrict__ bins, int n4,
                                      float scale, float offset)
{
    __shared__ unsigned part[8][257];
    const int tid = threadIdx.x;
    for (int i = tid; i < 8 * 257; i += 512) (&part[0][0])[i] = 0;
    __syncthreads();
    unsigned *mine = part[(tid >> 5) & 7];
    const int step = gridDim.x * 512;
#pragma unroll 2
    for (int i = blockIdx.x * 512 + tid; i < n4; i += step) {
        const float4 s = samples[i];
        atomicAdd(&mine[min(max(__float2int_rd(fmaf(s.x, scale, offset)), 0), 255)], 1u);
        atomicAdd(&mine[min(max(__float2int_rd(fmaf(s.y, scale, offset)), 0), 255)], 1u);
        atomicAdd(&mine[min(max(__float2int_rd(fmaf(s.z, scale, offset)), 0), 255)], 1u);
        atomicAdd(&mine[min(max(__float2int_rd(fmaf(s.w, scale, offset)), 0), 255)], 1u);
    }
    __syncthreads();
    if (tid < 256) {
        unsigned total = 0;
#pragma unroll
        for (int c = 0; c < 8; c++) total += part[c][tid];
        if (total) atomicAdd(&bins[tid], total);
    }
}

/* kmutate launch
   int tiles = 3000, n = tiles * 8192;
   dim3 grid = { tiles };
   dim3 block = { 1024 };
   unsigned in[n] = randint(0, 100);
   unsigned out[n] = zeros();
   unsigned totals[tiles] = zeros();
   tile_prefix_sum_8192_two_segments((uint4 *)in, (uint4 *)out, totals);
*/
__global__ void __launch_bounds__(1024, 2)
tile_prefix_sum_8192_two_segments(const uint4 *__restrict__ in, uint4 *__restrict__ out,
                                  unsigned *__restrict__ totals)
{
    __shared__ unsigned ws[2][32];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const size_t base = (size_t)blockIdx.x * 2048 + tid;
    uint4 v[2] = { in[base], in[base + 1024] };
    unsigned run[2];
#pragma unroll
    for (int s = 0; s < 2; s++) {
        v[s].y += v[s].x;
        v[s].z += v[s].y;
        v[s].w += v[s].z;
        run[s] = v[s].w;
    }
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const unsigned p = __shfl_up_sync(~0u, run[0], d), q = __shfl_up_sync(~0u, run[1], d);
        if (lane >= d) { run[0] += p; run[1] += q; }
    }
    if (lane == 31) { ws[0][warp] = run[0]; ws[1][warp] = run[1]; }
    __syncthreads();
    if (warp < 2) {
        unsigned t = ws[warp][lane];
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const unsigned p = __shfl_up_sync(~0u, t, d);
            if (lane >= d) t += p;
        }
        ws[warp][lane] = t;
    }
    __syncthreads();
    unsigned carry = 0;
#pragma unroll
    for (int s = 0; s < 2; s++) {
        const unsigned before = carry + (warp ? ws[s][warp - 1] : 0u) + run[s] - v[s].w;
        out[base + s * 1024] = make_uint4(v[s].x + before, v[s].y + before, v[s].z + before, v[s].w + before);
        carry += ws[s][31];
    }
    if (tid == 0) totals[blockIdx.x] = carry;
}

/* kmutate launch
   int batch = 16, channels = 384, pixels = 56 * 56;
   dim3 grid = { pixels / 64, channels / 32, batch };
   dim3 block = { 32, 8 };
   float in[batch * channels * pixels] = normal();
   float out[batch * channels * pixels] = zeros();
   transpose_nchw_to_nhwc_tile64x32(in, out, channels, pixels);
*/
__global__ void __launch_bounds__(256)
transpose_nchw_to_nhwc_tile64x32(const float *__restrict__ in, float *__restrict__ out, int channels, int pixels)
{
    __shared__ float tile[64][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int p0 = blockIdx.x * 64, c0 = blockIdx.y * 32;
    const size_t image = (size_t)blockIdx.z * channels * pixels;
    float2 r[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        r[i] = *(const float2 *)(in + image + (size_t)(c0 + ty + 8 * i) * pixels + p0 + 2 * tx);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        tile[2 * tx][ty + 8 * i] = r[i].x;
        tile[2 * tx + 1][ty + 8 * i] = r[i].y;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++)
        out[image + (size_t)(p0 + ty + 8 * i) * channels + c0 + tx] = tile[ty + 8 * i][tx];
}

__device__ __forceinline__ float2 fft26_mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* kmutate launch
   int transforms = 12000;
   dim3 grid = { transforms };
   dim3 block = { 256 };
   float2 in[transforms * 1024] = normal();
   float2 out[transforms * 1024] = zeros();
   fft1024_radix4_stockham_padded(in, out);
*/
__global__ void __launch_bounds__(256, 4)
fft1024_radix4_stockham_padded(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    __shared__ float re[1024 + 32], im[1024 + 32];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 1024;
    float2 x[4];
#pragma unroll
    for (int i = 0; i < 4; i++) x[i] = in[base + t + 256 * i];
#pragma unroll
    for (int stage = 0; stage < 5; stage++) {
        const int p = 1 << (2 * stage);
        const int k = t & (p - 1);
        if (stage > 0) {
            float s, c;
            __sincosf(-6.2831853f * (float)k / (float)(4 * p), &s, &c);
            const float2 w1 = make_float2(c, s);
            const float2 w2 = fft26_mul(w1, w1);
            x[1] = fft26_mul(x[1], w1);
            x[2] = fft26_mul(x[2], w2);
            x[3] = fft26_mul(x[3], fft26_mul(w1, w2));
        }
        const float2 a = make_float2(x[0].x + x[2].x, x[0].y + x[2].y);
        const float2 b = make_float2(x[0].x - x[2].x, x[0].y - x[2].y);
        const float2 c = make_float2(x[1].x + x[3].x, x[1].y + x[3].y);
        const float2 d = make_float2(x[1].y - x[3].y, x[3].x - x[1].x);
        x[0] = make_float2(a.x + c.x, a.y + c.y);
        x[1] = make_float2(b.x + d.x, b.y + d.y);
        x[2] = make_float2(a.x - c.x, a.y - c.y);
        x[3] = make_float2(b.x - d.x, b.y - d.y);
        const int j = ((t - k) << 2) + k;
        if (stage < 4) {
            if (stage > 0) __syncthreads();
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int at = j + p * i;
                re[at + (at >> 5)] = x[i].x;
                im[at + (at >> 5)] = x[i].y;
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int at = t + 256 * i;
                x[i] = make_float2(re[at + (at >> 5)], im[at + (at >> 5)]);
            }
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++) out[base + j + p * i] = x[i];
        }
    }
}

/* kmutate launch
   int tiles = 6000;
   dim3 grid = { tiles };
   dim3 block = { 512 };
   unsigned keys[tiles * 2048] = randint(0, 2000000000);
   bitonic_sort_2048_registers_shuffles(keys);
*/
__global__ void __launch_bounds__(512, 3)
bitonic_sort_2048_registers_shuffles(unsigned *__restrict__ keys)
{
    __shared__ unsigned s[2048];
    const int t = threadIdx.x;
    unsigned *base = keys + (size_t)blockIdx.x * 2048;
    unsigned v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) v[r] = base[t + 512 * r];

    for (int size = 2; size <= 2048; size <<= 1) {
        int stride = size >> 1;
        if (stride == 1024) {
#pragma unroll
            for (int r = 0; r < 2; r++) {
                const unsigned lo = min(v[r], v[r + 2]), hi = max(v[r], v[r + 2]);
                v[r] = lo;
                v[r + 2] = hi;
            }
            stride = 512;
        }
        if (stride == 512) {
#pragma unroll
            for (int r = 0; r < 4; r += 2) {
                const bool up = ((512 * r) & size) == 0;
                const unsigned lo = min(v[r], v[r + 1]), hi = max(v[r], v[r + 1]);
                v[r] = up ? lo : hi;
                v[r + 1] = up ? hi : lo;
            }
            stride = 256;
        }
        for (; stride >= 32; stride >>= 1) {
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++) s[t + 512 * r] = v[r];
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const int e = t + 512 * r;
                const unsigned other = s[e ^ stride];
                const bool small = ((e & stride) == 0) == ((e & size) == 0);
                v[r] = small ? min(v[r], other) : max(v[r], other);
            }
        }
        for (; stride > 0; stride >>= 1) {
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const int e = t + 512 * r;
                const unsigned other = __shfl_xor_sync(~0u, v[r], stride);
                const bool small = ((e & stride) == 0) == ((e & size) == 0);
                v[r] = small ? min(v[r], other) : max(v[r], other);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) base[t + 512 * r] = v[r];
}

/* kmutate launch
   int bodies = 32768;
   dim3 grid = { bodies / 128 };
   dim3 block = { 64 };
   float4 body[bodies] = uniform(0.01, 1);
   float4 accel[bodies] = zeros();
   nbody_two_per_thread_tiles_of_256(body, accel, bodies, 1e-4f);
*/
__global__ void __launch_bounds__(64)
nbody_two_per_thread_tiles_of_256(const float4 *__restrict__ body, float4 *__restrict__ accel, int bodies,
                                  float softening)
{
    __shared__ float4 tile[256];
    const int i0 = blockIdx.x * 128 + threadIdx.x, i1 = i0 + 64;
    const float4 p = body[i0], q = body[i1];
    float px = 0, py = 0, pz = 0, qx = 0, qy = 0, qz = 0;
    for (int j0 = 0; j0 < bodies; j0 += 256) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) tile[threadIdx.x + 64 * i] = body[j0 + threadIdx.x + 64 * i];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; j++) {
            const float4 b = tile[j];
            float dx = b.x - p.x, dy = b.y - p.y, dz = b.z - p.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float f = b.w * inv * inv * inv;
            px += f * dx; py += f * dy; pz += f * dz;
            dx = b.x - q.x; dy = b.y - q.y; dz = b.z - q.z;
            inv = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            f = b.w * inv * inv * inv;
            qx += f * dx; qy += f * dy; qz += f * dz;
        }
    }
    accel[i0] = make_float4(px, py, pz, 0.0f);
    accel[i1] = make_float4(qx, qy, qz, 0.0f);
}

/* kmutate launch
   int paths = 1 << 18, steps = 96;
   dim3 grid = { (paths + 191) / 192 };
   dim3 block = { 192 };
   float payoff[paths] = zeros();
   heston_asian_call_paths(payoff, paths, steps, 1.0f / 96, 100.0f, 105.0f, 0.02f, 0.04f, 1.5f, 0.04f, 0.3f, -0.6f);
*/
__global__ void heston_asian_call_paths(float *payoff, int paths, int steps, float dt, float spot, float strike,
                                        float rate, float v0, float kappa, float theta, float xi, float rho)
{
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;
    unsigned s = (unsigned)path * 2654435761u + 12345u;
    float logs = logf(spot), v = v0, mean = 0.0f;
    float sdt = sqrtf(dt), comp = sqrtf(1.0f - rho * rho);
    for (int i = 0; i < steps; i++) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        float u1 = ((float)(s >> 8) + 0.5f) * (1.0f / 16777216.0f);
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        float u2 = (float)(s >> 8) * (1.0f / 16777216.0f);
        float radius = sqrtf(-2.0f * __logf(u1));
        float sn, cs;
        __sincosf(6.2831853f * u2, &sn, &cs);
        float z1 = radius * cs;
        float z2 = rho * z1 + comp * radius * sn;
        float vp = fmaxf(v, 0.0f);
        float vol = sqrtf(vp);
        logs += (rate - 0.5f * vp) * dt + vol * sdt * z1;
        v += kappa * (theta - vp) * dt + xi * vol * sdt * z2;
        mean += expf(logs);
    }
    mean /= (float)steps;
    payoff[path] = expf(-rate * dt * (float)steps) * fmaxf(mean - strike, 0.0f);
}

/* kmutate launch
   int reads = 80000, length = 100, genome = 64 << 20;
   dim3 grid = { (reads + 127) / 128 };
   dim3 block = { 128 };
   unsigned char read[reads * length] = randint(0, 4);
   unsigned char reference[genome] = randint(0, 4);
   int place[reads] = randint(0, genome - 128);
   int score[reads] = zeros();
   banded_alignment_of_short_reads(read, reference, place, score, reads, length);
*/
__global__ void banded_alignment_of_short_reads(const unsigned char *read, const unsigned char *reference,
                                                const int *place, int *score, int reads, int length)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= reads) return;
    const unsigned char *q = read + (size_t)r * length;
    const unsigned char *g = reference + place[r];
    int row[16], window[15];
    for (int d = 0; d < 16; d++) row[d] = 0;
    for (int d = 0; d < 14; d++) window[d + 1] = g[d];
    window[0] = 0;
    int best = 0;
    for (int i = 0; i < length; i++) {
        for (int d = 0; d < 14; d++) window[d] = window[d + 1];
        window[14] = g[i + 14];
        int base = q[i];
        int left = 0;
        for (int d = 0; d < 15; d++) {
            int diag = row[d] + (window[d] == base ? 2 : -3);
            int up = row[d + 1] - 4;
            int h = max(max(diag, up), max(left - 4, 0));
            row[d] = h;
            left = h;
            best = max(best, h);
        }
    }
    score[r] = best;
}

/* kmutate launch
   int w = 1920, h = 1080;
   dim3 grid = { (w + 15) / 16, (h + 15) / 16 };
   dim3 block = { 16, 16 };
   unsigned char src[w * h * 4] = randint(0, 256);
   unsigned char dst[w * h * 4] = zeros();
   bilateral_filter_rgba_radius4((uchar4 *)src, (uchar4 *)dst, w, h, 0.08f, 0.0008f);
*/
__global__ void bilateral_filter_rgba_radius4(const uchar4 *src, uchar4 *dst, int w, int h, float space, float range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar4 c = src[y * w + x];
    float r = 0, g = 0, b = 0, total = 0;
    for (int dy = -4; dy <= 4; dy++)
        for (int dx = -4; dx <= 4; dx++) {
            int sx = x + dx, sy = y + dy;
            if (sx < 0 || sx >= w || sy < 0 || sy >= h) continue;
            uchar4 p = src[sy * w + sx];
            float dr = (float)p.x - c.x, dg = (float)p.y - c.y, db = (float)p.z - c.z;
            float weight = __expf(-space * (dx * dx + dy * dy) - range * (dr * dr + dg * dg + db * db));
            r += weight * p.x;
            g += weight * p.y;
            b += weight * p.z;
            total += weight;
        }
    dst[y * w + x] = make_uchar4((unsigned char)(r / total), (unsigned char)(g / total), (unsigned char)(b / total), c.w);
}

/* kmutate launch
   int buckets = 1 << 20, probes = 6000000;
   int entries = csr_nnz(buckets, 0, 9);
   dim3 grid = { (probes + 255) / 256 };
   dim3 block = { 256 };
   int start[buckets + 1] = csr_rowptr(buckets, 0, 9);
   int entry_class[entries] = randint(0, 12);
   float price[entries] = uniform(1, 100);
   unsigned customer[probes] = randint(0, 2000000000);
   unsigned char customer_class[probes] = randint(0, 12);
   float quantity[probes] = uniform(1, 10);
   float revenue[probes] = zeros();
   hash_join_probe_chained_buckets(start, entry_class, price, customer, customer_class, quantity, revenue, buckets - 1, probes);
*/
__global__ void hash_join_probe_chained_buckets(const int *start, const int *entry_class, const float *price,
                                                const unsigned *customer, const unsigned char *customer_class,
                                                const float *quantity, float *revenue, unsigned mask, int probes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    unsigned k = customer[i];
    k ^= k >> 16;
    k *= 0x7feb352du;
    k ^= k >> 15;
    k *= 0x846ca68bu;
    k ^= k >> 16;
    int bucket = (int)(k & mask);
    int want = customer_class[i];
    float sum = 0.0f;
    for (int e = start[bucket]; e < start[bucket + 1]; e++)
        if (entry_class[e] == want) sum += price[e];
    if (sum > 0.0f) revenue[i] = sum * quantity[i];
}

/* kmutate launch
   int vertices = 1000000, walkers = 200000, hops = 20;
   int edges = csr_nnz(vertices, 1, 48);
   dim3 grid = { (walkers + 127) / 128 };
   dim3 block = { 128 };
   int first[vertices + 1] = csr_rowptr(vertices, 1, 48);
   int target[edges] = csr_colidx(vertices);
   int origin[walkers] = randint(0, vertices);
   int visits[vertices] = zeros();
   random_walks_with_restart_counting(first, target, origin, visits, walkers, hops);
*/
__global__ void random_walks_with_restart_counting(const int *first, const int *target, const int *origin,
                                                   int *visits, int walkers, int hops)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= walkers) return;
    int home = origin[id], at = home;
    unsigned s = id * 747796405u + 2891336453u;
    for (int h = 0; h < hops; h++) {
        s = s * 1664525u + 1013904223u;
        unsigned bits = s ^ (s >> 15);
        if ((bits & 7u) == 0u) {
            at = home;
            continue;
        }
        int begin = first[at];
        int degree = first[at + 1] - begin;
        if (degree > 0) at = target[begin + (int)((bits >> 3) % (unsigned)degree)];
        atomicAdd(&visits[at], 1);
    }
}

/* kmutate launch
   int rows = 65536, cols = 512, chunk = 1024;
   dim3 grid = { cols / 32, rows / chunk };
   dim3 block = { 32, 8 };
   float table[rows * cols] = normal(3, 2);
   float moments[4 * cols] = zeros();
   column_moments_up_to_kurtosis(table, moments, rows, cols, chunk, 3.0f);
*/
__global__ void column_moments_up_to_kurtosis(const float *table, float *moments, int rows, int cols, int chunk,
                                              float guess)
{
    __shared__ float part[4][8][32];
    int col = blockIdx.x * 32 + threadIdx.x;
    int begin = blockIdx.y * chunk;
    int end = min(begin + chunk, rows);
    float m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (int r = begin + threadIdx.y; r < end; r += 8) {
        float d = table[(size_t)r * cols + col] - guess;
        float d2 = d * d;
        m1 += d;
        m2 += d2;
        m3 += d2 * d;
        m4 += d2 * d2;
    }
    part[0][threadIdx.y][threadIdx.x] = m1;
    part[1][threadIdx.y][threadIdx.x] = m2;
    part[2][threadIdx.y][threadIdx.x] = m3;
    part[3][threadIdx.y][threadIdx.x] = m4;
    __syncthreads();
    if (threadIdx.y < 4) {
        float sum = 0;
        for (int y = 0; y < 8; y++) sum += part[threadIdx.y][y][threadIdx.x];
        atomicAdd(&moments[threadIdx.y * cols + col], sum / rows);
    }
}

/* kmutate launch
   int nx = 2048, ny = 1536, cells = nx * ny;
   dim3 grid = { nx / 128, ny };
   dim3 block = { 128 };
   float f[9 * cells] = uniform(0.08, 0.14);
   float g[9 * cells] = zeros();
   unsigned char solid[cells] = randint(0, 40);
   lattice_boltzmann_d2q9_pull_bgk(f, g, solid, nx, ny, 1.2f);
*/
__global__ void lattice_boltzmann_d2q9_pull_bgk(const float *f, float *g, const unsigned char *solid, int nx, int ny,
                                                float omega)
{
    const int ex[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
    const int ey[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const int back[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= nx || y >= ny) return;
    size_t cells = (size_t)nx * ny, here = (size_t)y * nx + x;
    float v[9];
    for (int d = 0; d < 9; d++) {
        int sx = (x - ex[d] + nx) % nx;
        int sy = (y - ey[d] + ny) % ny;
        v[d] = f[d * cells + (size_t)sy * nx + sx];
    }
    if (solid[here] == 0) {
        for (int d = 0; d < 9; d++) g[d * cells + here] = v[back[d]];
        return;
    }
    float rho = 0, ux = 0, uy = 0;
    for (int d = 0; d < 9; d++) {
        rho += v[d];
        ux += v[d] * ex[d];
        uy += v[d] * ey[d];
    }
    ux /= rho;
    uy /= rho;
    float sq = 1.5f * (ux * ux + uy * uy);
    for (int d = 0; d < 9; d++) {
        float w = d == 0 ? 4.0f / 9.0f : d < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
        float cu = 3.0f * (ux * ex[d] + uy * ey[d]);
        float eq = w * rho * (1.0f + cu + 0.5f * cu * cu - sq);
        g[d * cells + here] = v[d] + omega * (eq - v[d]);
    }
}
