#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int images = 8, groups = 32, group_channels = 10, pixels = 64 * 64;
   int channels = groups * group_channels;
   dim3 grid = { groups, images }, block = { 512 };
   __nv_bfloat16 x[images * channels * pixels] = normal(0.2, 1.3);
   float gamma[channels] = uniform(0.5, 1.5);
   float beta[channels] = normal(0, 0.1);
   __nv_bfloat16 y[images * channels * pixels] = zeros();
   groupnorm_silu_planes_bf16(x, gamma, beta, y, group_channels, pixels, 1e-5f);
*/
__global__ void __launch_bounds__(512) groupnorm_silu_planes_bf16(const __nv_bfloat16 *__restrict__ x,
                                                                  const float *__restrict__ gamma,
                                                                  const float *__restrict__ beta,
                                                                  __nv_bfloat16 *__restrict__ y, int group_channels,
                                                                  int pixels, float eps)
{
    __shared__ float2 warp_sums[16];
    const int count = group_channels * pixels;
    const size_t base = ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * count;
    const uint4 *in = reinterpret_cast<const uint4 *>(x + base);
    uint4 *out = reinterpret_cast<uint4 *>(y + base);
    const int vectors = count / 8;

    float s = 0.f, q = 0.f;
    for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
        const uint4 raw = in[i];
        const __nv_bfloat162 *h = reinterpret_cast<const __nv_bfloat162 *>(&raw);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 f = __bfloat1622float2(h[k]);
            s += f.x + f.y;
            q = fmaf(f.x, f.x, fmaf(f.y, f.y, q));
        }
    }
    for (int o = 16; o; o >>= 1) {
        s += __shfl_xor_sync(0xffffffffu, s, o);
        q += __shfl_xor_sync(0xffffffffu, q, o);
    }
    if ((threadIdx.x & 31) == 0) warp_sums[threadIdx.x >> 5] = make_float2(s, q);
    __syncthreads();
    s = q = 0.f;
#pragma unroll
    for (int w = 0; w < 16; ++w) {
        s += warp_sums[w].x;
        q += warp_sums[w].y;
    }
    const float mean = s / count;
    const float inv = rsqrtf(fmaxf(q / count - mean * mean, 0.f) + eps);
    const int first_channel = blockIdx.x * group_channels;
    for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
        const int c = first_channel + i * 8 / pixels;
        const float scale = gamma[c] * inv, shift = fmaf(-mean, scale, beta[c]);
        uint4 raw = in[i];
        __nv_bfloat162 *h = reinterpret_cast<__nv_bfloat162 *>(&raw);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 f = __bfloat1622float2(h[k]);
            f.x = fmaf(f.x, scale, shift);
            f.y = fmaf(f.y, scale, shift);
            f.x = __fdividef(f.x, 1.f + __expf(-f.x));
            f.y = __fdividef(f.y, 1.f + __expf(-f.y));
            h[k] = __floats2bfloat162_rn(f.x, f.y);
        }
        out[i] = raw;
    }
}

/* kmutate launch
   int candidates = 65536, days = 1280, chunk = 256;
   dim3 grid = { candidates / 128 }, block = { 128 };
   size_t smem = chunk * sizeof(float);
   float returns[days] = normal(0, 1);
   float omega[candidates] = uniform(0.01, 0.1);
   float alpha[candidates] = uniform(0.02, 0.15);
   float beta[candidates] = uniform(0.7, 0.84);
   float loglik[candidates] = zeros();
   garch_likelihood_of_candidates(returns, omega, alpha, beta, loglik, days, chunk);
*/
__global__ void garch_likelihood_of_candidates(const float *__restrict__ returns, const float *__restrict__ omega,
                                               const float *__restrict__ alpha, const float *__restrict__ beta,
                                               float *__restrict__ loglik, int days, int chunk)
{
    extern __shared__ float squared[];
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const float w = omega[c], a = alpha[c], b = beta[c];
    float var = w / (1.f - a - b);
    float logs = 0.f, quad = 0.f;
    for (int first = 0; first < days; first += chunk) {
        __syncthreads();
        for (int t = threadIdx.x; t < chunk; t += blockDim.x) {
            const float r = returns[first + t];
            squared[t] = r * r;
        }
        __syncthreads();
        for (int t = 0; t < chunk; t += 4) {
            const float4 r2 = *reinterpret_cast<const float4 *>(&squared[t]);
            const float v0 = var;
            const float v1 = fmaf(b, v0, fmaf(a, r2.x, w));
            const float v2 = fmaf(b, v1, fmaf(a, r2.y, w));
            const float v3 = fmaf(b, v2, fmaf(a, r2.z, w));
            var = fmaf(b, v3, fmaf(a, r2.w, w));
            logs += __logf(v0 * v1 * v2 * v3);
            quad += __fdividef(r2.x, v0) + __fdividef(r2.y, v1) + __fdividef(r2.z, v2) + __fdividef(r2.w, v3);
        }
    }
    loglik[c] = -0.5f * (days * 1.8378770664f + logs + quad);
}

/* kmutate launch
   int width = 4096, height = 4096;
   dim3 grid = { width / 128, height / 16 }, block = { 32, 8 };
   uint8_t in[height * width] = randint(0, 256);
   uint8_t out[height * width] = zeros();
   erode_by_disc_of_radius_five(in, out, width, height);
*/
__global__ void erode_by_disc_of_radius_five(const uint8_t *__restrict__ in, uint8_t *__restrict__ out, int width,
                                             int height)
{
    __shared__ unsigned tile[26][36];
    const int words = width / 4;
    const int word0 = blockIdx.x * 32 - 2, row0 = blockIdx.y * 16 - 5;
    const unsigned *src = reinterpret_cast<const unsigned *>(in);
    const int tid = threadIdx.y * 32 + threadIdx.x;
    for (int i = tid; i < 26 * 36; i += 256) {
        const int r = i / 36, c = i % 36;
        const int gy = row0 + r, gx = word0 + c;
        const bool inside = gy >= 0 && gy < height && gx >= 0 && gx < words;
        tile[r][c] = inside ? src[(size_t)gy * words + gx] : 0xffffffffu;
    }
    __syncthreads();
    constexpr int half_width[11] = { 0, 3, 4, 4, 4, 5, 4, 4, 4, 3, 0 };
    for (int part = 0; part < 2; ++part) {
        const int ly = threadIdx.y + part * 8;
        unsigned least = 0xffffffffu;
#pragma unroll
        for (int dy = 0; dy < 11; ++dy) {
            unsigned w[5];
#pragma unroll
            for (int k = 0; k < 5; ++k) w[k] = tile[ly + dy][threadIdx.x + k];
#pragma unroll
            for (int d = -5; d <= 5; ++d) {
                if (d < -half_width[dy] || d > half_width[dy]) continue;
                const int s = 8 + d;
                const unsigned v = s % 4 ? __funnelshift_r(w[s / 4], w[s / 4 + 1], 8 * (s % 4)) : w[s / 4];
                least = __vminu4(least, v);
            }
        }
        const int gy = blockIdx.y * 16 + ly;
        reinterpret_cast<unsigned *>(out)[(size_t)gy * words + blockIdx.x * 32 + threadIdx.x] = least;
    }
}

/* kmutate launch
   int nx = 2048, nv = 2048;
   dim3 grid = { nx / 256, nv / 4 }, block = { 256 };
   double f[nv * nx] = uniform(0, 1);
   double g[nv * nx] = zeros();
   vlasov_shift_rows_lagrange_six(f, g, nx, nv, 6.0, 0.37);
*/
__global__ void vlasov_shift_rows_lagrange_six(const double *__restrict__ f, double *__restrict__ g, int nx, int nv,
                                               double vmax, double dt_over_dx)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int mask = nx - 1;
    for (int row = blockIdx.y; row < nv; row += gridDim.y) {
        const double v = -vmax + (row + 0.5) * (2.0 * vmax / nv);
        const double shift = -v * dt_over_dx;
        const double whole = floor(shift);
        const double t = shift - whole;
        const double m2 = t + 2.0, m1 = t + 1.0, p1 = t - 1.0, p2 = t - 2.0, p3 = t - 3.0;
        const double left = m2 * m1 * t, right = p1 * p2 * p3;
        const double w0 = -m1 * t * right * (1.0 / 120.0);
        const double w1 = m2 * t * right * (1.0 / 24.0);
        const double w2 = -m2 * m1 * right * (1.0 / 12.0);
        const double w3 = left * p2 * p3 * (1.0 / 12.0);
        const double w4 = -left * p1 * p3 * (1.0 / 24.0);
        const double w5 = left * p1 * p2 * (1.0 / 120.0);
        const int i = x + (int)whole;
        const double *line = f + (size_t)row * nx;
        double r = w0 * line[(i - 2) & mask];
        r = fma(w1, line[(i - 1) & mask], r);
        r = fma(w2, line[i & mask], r);
        r = fma(w3, line[(i + 1) & mask], r);
        r = fma(w4, line[(i + 2) & mask], r);
        r = fma(w5, line[(i + 3) & mask], r);
        g[(size_t)row * nx + x] = r;
    }
}

/* kmutate launch
   int rows = 16 * 1024 * 1024, keys_used = 48;
   dim3 grid = { 1056 }, block = { 256 };
   uint8_t keys[rows] = randint(0, 48);
   int64_t cents[rows] = randint(-500000, 2000000);
   uint32_t valid[rows / 32] = randint(0, 4294967295);
   unsigned long long sums[keys_used] = zeros();
   unsigned counts[keys_used] = zeros();
   decimal_sums_for_few_keys_nullable(keys, cents, valid, sums, counts, rows, keys_used);
*/
__global__ void decimal_sums_for_few_keys_nullable(const uint8_t *__restrict__ keys, const int64_t *__restrict__ cents,
                                                   const uint32_t *__restrict__ valid, unsigned long long *sums,
                                                   unsigned *counts, int rows, int keys_used)
{
    __shared__ unsigned low[8][64], high[8][64], seen[8][64];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x) {
        (&low[0][0])[i] = 0;
        (&high[0][0])[i] = 0;
        (&seen[0][0])[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
        if (valid[i >> 5] >> lane & 1) {
            const int64_t c = cents[i];
            const int k = keys[i];
            const unsigned lo = (unsigned)c;
            unsigned hi = (unsigned)((uint64_t)c >> 32);
            const unsigned before = atomicAdd(&low[warp][k], lo);
            hi += before + lo < before;
            if (hi) atomicAdd(&high[warp][k], hi);
            atomicAdd(&seen[warp][k], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < keys_used) {
        unsigned long long s = 0;
        unsigned n = 0;
        for (int w = 0; w < 8; ++w) {
            s += (unsigned long long)high[w][threadIdx.x] << 32 | low[w][threadIdx.x];
            n += seen[w][threadIdx.x];
        }
        atomicAdd(&sums[threadIdx.x], s);
        atomicAdd(&counts[threadIdx.x], n);
    }
}

/* kmutate launch
   int n = 600000;
   dim3 grid = { (n + 127) / 128 }, block = { 128 };
   double x[8 * n] = normal();
   double w[8 * n] = normal();
   double p[8 * n] = normal();
   double coef[3 * 64] = normal(0, 0.3);
   lobpcg_rotate_eight_vectors(x, w, p, coef, n);
*/
__global__ void lobpcg_rotate_eight_vectors(double *__restrict__ x, const double *__restrict__ w,
                                            double *__restrict__ p, const double *__restrict__ coef, int n)
{
    __shared__ double c[3][8][8];
    for (int i = threadIdx.x; i < 192; i += blockDim.x) (&c[0][0][0])[i] = coef[i];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double np[8] = {}, nx[8] = {};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const double wk = w[(size_t)k * n + i], pk = p[(size_t)k * n + i], xk = x[(size_t)k * n + i];
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            np[j] = fma(wk, c[1][k][j], np[j]);
            np[j] = fma(pk, c[2][k][j], np[j]);
            nx[j] = fma(xk, c[0][k][j], nx[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        p[(size_t)j * n + i] = np[j];
        x[(size_t)j * n + i] = nx[j] + np[j];
    }
}

/* kmutate launch
   int channels = 32768, frames = 16;
   dim3 grid = { channels / 128 }, block = { 128 };
   int32_t samples[frames * 32 * channels] = randint(-8388608, 8388608);
   float out[frames * channels] = zeros();
   cic_four_stages_decimate_by_32(samples, out, channels, frames, 9.5367431640625e-7f);
*/
__global__ void cic_four_stages_decimate_by_32(const int32_t *__restrict__ samples, float *__restrict__ out,
                                               int channels, int frames, float gain)
{
    const int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    int64_t i0 = 0, i1 = 0, i2 = 0, i3 = 0;
    int64_t d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    const int32_t *s = samples + ch;
    for (int f = 0; f < frames; ++f) {
#pragma unroll 8
        for (int t = 0; t < 32; ++t) {
            i0 += s[(size_t)t * channels];
            i1 += i0;
            i2 += i1;
            i3 += i2;
        }
        s += (size_t)32 * channels;
        const int64_t c0 = i3 - d0;
        const int64_t c1 = c0 - d1;
        const int64_t c2 = c1 - d2;
        const int64_t c3 = c2 - d3;
        d0 = i3;
        d1 = c0;
        d2 = c1;
        d3 = c2;
        out[(size_t)f * channels + ch] = (float)c3 * gain;
    }
}

/* kmutate launch
   int bags = 40000, lo = 4, hi = 40, vocabulary = 300000;
   int total = csr_nnz(bags, lo, hi);
   dim3 grid = { (bags + 7) / 8 }, block = { 32, 8 };
   half table[vocabulary * 128] = normal(0, 0.05);
   int64_t ids[total] = randint(0, 300000);
   int offsets[bags + 1] = csr_rowptr(bags, lo, hi);
   half out[bags * 128] = zeros();
   embedding_bag_mean_by_warps(table, ids, offsets, out, bags);
*/
__global__ void embedding_bag_mean_by_warps(const half *__restrict__ table, const int64_t *__restrict__ ids,
                                            const int *__restrict__ offsets, half *__restrict__ out, int bags)
{
    const int bag = blockIdx.x * blockDim.y + threadIdx.y;
    if (bag >= bags) return;
    const int lane = threadIdx.x;
    const int begin = offsets[bag], end = offsets[bag + 1];
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int first = begin; first < end; first += 32) {
        const int here = min(32, end - first);
        const int64_t mine = lane < here ? ids[first + lane] : 0;
#pragma unroll 4
        for (int j = 0; j < here; ++j) {
            const int64_t id = __shfl_sync(0xffffffffu, mine, j);
            const uint2 raw = *reinterpret_cast<const uint2 *>(table + id * 128 + lane * 4);
            const float2 a = __half22float2(*reinterpret_cast<const half2 *>(&raw.x));
            const float2 b = __half22float2(*reinterpret_cast<const half2 *>(&raw.y));
            acc.x += a.x;
            acc.y += a.y;
            acc.z += b.x;
            acc.w += b.y;
        }
    }
    const float inv = 1.f / max(end - begin, 1);
    uint2 packed;
    *reinterpret_cast<half2 *>(&packed.x) = __floats2half2_rn(acc.x * inv, acc.y * inv);
    *reinterpret_cast<half2 *>(&packed.y) = __floats2half2_rn(acc.z * inv, acc.w * inv);
    *reinterpret_cast<uint2 *>(out + (size_t)bag * 128 + lane * 4) = packed;
}

__device__ __forceinline__ unsigned next_word(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* kmutate launch
   int cells = 65536, lo = 8, hi = 40;
   int particles = csr_nnz(cells, lo, hi);
   dim3 grid = { cells / 128 }, block = { 128 };
   int first[cells + 1] = csr_rowptr(cells, lo, hi);
   float4 velocity[particles] = normal(0, 1);
   float fastest[cells] = uniform(1.8, 2.6);
   int collisions[cells] = zeros();
   dsmc_collide_cell_for_each_thread(first, velocity, fastest, collisions, cells, 0.08f, 20231u);
*/
__global__ void dsmc_collide_cell_for_each_thread(const int *__restrict__ first, float4 *velocity,
                                                  float *__restrict__ fastest, int *__restrict__ collisions, int cells,
                                                  float rate, unsigned seed)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;
    const int base = first[cell], n = first[cell + 1] - base;
    if (n < 2) return;
    unsigned state = (cell + 1u) * 2654435761u ^ seed;
    next_word(state);
    float most = fastest[cell];
    const float expected = 0.5f * n * (n - 1) * rate * most;
    const int tries = (int)(expected + (next_word(state) >> 8) * 5.9604645e-8f);
    int done = 0;
    for (int k = 0; k < tries; ++k) {
        const int i = __umulhi(next_word(state), n);
        int j = i + 1 + __umulhi(next_word(state), n - 1);
        if (j >= n) j -= n;
        float4 a = velocity[base + i], b = velocity[base + j];
        const float gx = a.x - b.x, gy = a.y - b.y, gz = a.z - b.z;
        const float g = sqrtf(gx * gx + gy * gy + gz * gz);
        const float strength = __powf(g, 0.52f);
        const float chance = (next_word(state) >> 8) * 5.9604645e-8f;
        if (chance * most < strength) {
            const float cosine = 2.f * ((next_word(state) >> 8) * 5.9604645e-8f) - 1.f;
            const float sine = sqrtf(fmaxf(0.f, 1.f - cosine * cosine));
            float sp, cp;
            __sincosf((next_word(state) >> 8) * 3.7450704e-7f, &sp, &cp);
            const float hx = 0.5f * g * cosine, hy = 0.5f * g * sine * cp, hz = 0.5f * g * sine * sp;
            const float mx = 0.5f * (a.x + b.x), my = 0.5f * (a.y + b.y), mz = 0.5f * (a.z + b.z);
            a.x = mx + hx;
            a.y = my + hy;
            a.z = mz + hz;
            b.x = mx - hx;
            b.y = my - hy;
            b.z = mz - hz;
            velocity[base + i] = a;
            velocity[base + j] = b;
            ++done;
        }
        most = fmaxf(most, strength);
    }
    fastest[cell] = most;
    collisions[cell] = done;
}

/* kmutate launch
   int width = 4096, in_height = 4096, out_height = 1536;
   dim3 grid = { width / 32, out_height / 8 }, block = { 32, 8 };
   uchar4 in[in_height * width] = randint(0, 256);
   float weights[out_height * 16] = uniform(0, 0.125);
   uchar4 out[out_height * width] = zeros();
   lanczos_shrink_down_columns_rgba(in, weights, out, width, in_height, out_height, 2.6666667f);
*/
__global__ void lanczos_shrink_down_columns_rgba(const uchar4 *__restrict__ in, const float *__restrict__ weights,
                                                 uchar4 *__restrict__ out, int width, int in_height, int out_height,
                                                 float ratio)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= out_height) return;
    const int top = (int)floorf((y + 0.5f) * ratio) - 8;
    const float4 *w4 = reinterpret_cast<const float4 *>(weights + y * 16);
    float r = 0.5f, g = 0.5f, b = 0.5f, a = 0.5f;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        const float4 w = w4[q];
        const float ws[4] = { w.x, w.y, w.z, w.w };
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int row = min(max(top + q * 4 + k, 0), in_height - 1);
            const uchar4 c = in[(size_t)row * width + x];
            r = fmaf(ws[k], (float)c.x, r);
            g = fmaf(ws[k], (float)c.y, g);
            b = fmaf(ws[k], (float)c.z, b);
            a = fmaf(ws[k], (float)c.w, a);
        }
    }
    out[(size_t)y * width + x] = make_uchar4((unsigned char)fminf(fmaxf(r, 0.f), 255.f),
                                             (unsigned char)fminf(fmaxf(g, 0.f), 255.f),
                                             (unsigned char)fminf(fmaxf(b, 0.f), 255.f),
                                             (unsigned char)fminf(fmaxf(a, 0.f), 255.f));
}

__device__ long long read_field(const char *p, int length)
{
    long long v = 0;
    for (int i = 0; i < length; i++) {
        int d = p[i] - '0';
        if (d < 0 || d > 9)
            break;
        v = v * 10 + d;
    }
    return v;
}

/* kmutate launch
   int records = 1500000;
   dim3 grid = { (records + 255) / 256 }, block = { 256 };
   char text[records * 48] = randint(47, 58);
   long long time[records] = zeros();
   float price[records] = zeros();
   int quantity[records] = zeros();
   unsigned symbol[records] = zeros();
   unsigned char sell[records] = zeros();
   fixed_width_trades_into_columns(text, time, price, quantity, symbol, sell, records);
*/
__global__ void fixed_width_trades_into_columns(const char *text, long long *time, float *price, int *quantity,
                                                unsigned *symbol, unsigned char *sell, int records)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= records)
        return;
    const char *p = text + (size_t)r * 48;
    time[r] = read_field(p, 14);
    price[r] = read_field(p + 14, 10) * 0.0001f;
    quantity[r] = (int)read_field(p + 24, 7);
    unsigned h = 2166136261u;
    for (int i = 31; i < 39; i++)
        h = (h ^ (unsigned char)p[i]) * 16777619u;
    symbol[r] = h;
    sell[r] = p[39] == '1';
}

/* kmutate launch
   int tokens = 8192, channels = 2048;
   dim3 grid = { channels / 256, tokens }, block = { 256 };
   half x[tokens * channels] = normal();
   int largest[channels] = zeros();
   calibrate_largest_of_channels(x, largest, channels);
*/
__global__ void calibrate_largest_of_channels(const half *x, int *largest, int channels)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int token = blockIdx.y;
    float v = fabsf(__half2float(x[(size_t)token * channels + c]));
    atomicMax(&largest[c], __float_as_int(v));
}

/* kmutate launch
   int instruments = 3000, days = 1500;
   dim3 grid = { (instruments + 255) / 256 }, block = { 256 };
   float close[days * instruments] = uniform(95, 105);
   float vol[days * instruments] = zeros();
   ewma_volatility_one_instrument_each(close, vol, instruments, days, 0.94f);
*/
__global__ void ewma_volatility_one_instrument_each(const float *close, float *vol, int instruments, int days,
                                                    float lambda)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= instruments)
        return;
    float before = close[k];
    float var = 0.0004f;
    vol[k] = sqrtf(var * 252.0f);
    for (int d = 1; d < days; d++) {
        float now = close[d * instruments + k];
        float r = logf(now / before);
        var = lambda * var + (1.0f - lambda) * r * r;
        vol[d * instruments + k] = sqrtf(var * 252.0f);
        before = now;
    }
}

/* kmutate launch
   int signals = 8192;
   dim3 grid = { signals }, block = { 256 };
   float data[signals * 1024] = normal();
   haar_all_levels_of_1024_in_place(data);
*/
__global__ void haar_all_levels_of_1024_in_place(float *data)
{
    __shared__ float s[1024];
    float *mine = data + (size_t)blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += 256)
        s[i] = mine[i];
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
        int pairs = 512 / step;
        for (int i = threadIdx.x; i < pairs; i += 256) {
            float a = s[2 * i * step];
            float b = s[2 * i * step + step];
            s[2 * i * step] = (a + b) * 0.70710678f;
            s[2 * i * step + step] = (a - b) * 0.70710678f;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 1024; i += 256)
        mine[i] = s[i];
}

__device__ float call_value(float s, float k, float t, float v, float r)
{
    float sd = v * sqrtf(t);
    float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / sd;
    return s * normcdff(d1) - k * expf(-r * t) * normcdff(d1 - sd);
}

/* kmutate launch
   int n = 2000000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   unsigned char product[n] = randint(0, 5);
   float spot[n] = uniform(80, 120);
   float strike[n] = uniform(80, 120);
   float years[n] = uniform(0.1, 3);
   float sigma[n] = uniform(0.1, 0.5);
   float price[n] = zeros();
   float delta[n] = zeros();
   price_and_delta_for_mixed_products(product, spot, strike, years, sigma, price, delta, 0.03f, n);
*/
__global__ void price_and_delta_for_mixed_products(const unsigned char *product, const float *spot, const float *strike,
                                                   const float *years, const float *sigma, float *price, float *delta,
                                                   float r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = spot[i], k = strike[i], t = years[i], v = sigma[i];
    float value = 0.0f, slope = 0.0f;
    switch (product[i]) {
    case 0: { // call
        float sd = v * sqrtf(t);
        value = call_value(s, k, t, v, r);
        slope = normcdff((logf(s / k) + (r + 0.5f * v * v) * t) / sd);
        break;
    }
    case 1: { // put
        float sd = v * sqrtf(t);
        value = call_value(s, k, t, v, r) - s + k * expf(-r * t);
        slope = normcdff((logf(s / k) + (r + 0.5f * v * v) * t) / sd) - 1.0f;
        break;
    }
    case 2: { // cash or nothing
        float sd = v * sqrtf(t);
        float d2 = (logf(s / k) + (r - 0.5f * v * v) * t) / sd;
        float df = expf(-r * t);
        value = df * normcdff(d2);
        slope = df * 0.39894228f * expf(-0.5f * d2 * d2) / (s * sd);
        break;
    }
    case 3: { // down and out call
        float h = 0.85f * fminf(s, k);
        float power = 2.0f * r / (v * v) - 1.0f;
        float up = s * 1.001f, down = s * 0.999f;
        value = call_value(s, k, t, v, r) - powf(h / s, power) * call_value(h * h / s, k, t, v, r);
        float above = call_value(up, k, t, v, r) - powf(h / up, power) * call_value(h * h / up, k, t, v, r);
        float below = call_value(down, k, t, v, r) - powf(h / down, power) * call_value(h * h / down, k, t, v, r);
        slope = (above - below) / (up - down);
        break;
    }
    default: { // call on a stock with jumps
        float rate = 0.6f * t, weight = expf(-rate);
        for (int jumps = 0; jumps < 12 && weight > 1e-6f; jumps++) {
            float vj = sqrtf(v * v + jumps * 0.0225f / t);
            float d1 = (logf(s / k) + (r + 0.5f * vj * vj) * t) / (vj * sqrtf(t));
            value += weight * call_value(s, k, t, vj, r);
            slope += weight * normcdff(d1);
            weight *= rate / (jumps + 1);
        }
    }
    }
    price[i] = value;
    delta[i] = slope;
}

/* kmutate launch
   int pixels = 2048 * 1536;
   dim3 grid = { (pixels + 255) / 256 }, block = { 256 };
   unsigned char rgb[3 * pixels] = randint(0, 256);
   float lab[3 * pixels] = zeros();
   srgb_bytes_into_oklab_planes(rgb, lab, pixels);
*/
__global__ void srgb_bytes_into_oklab_planes(const unsigned char *rgb, float *lab, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels)
        return;
    float c[3];
    for (int k = 0; k < 3; k++) {
        float u = rgb[3 * i + k] / 255.0;
        c[k] = u <= 0.04045 ? u / 12.92 : pow((u + 0.055) / 1.055, 2.4);
    }
    float l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    float m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    float s = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    lab[i] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[pixels + i] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2 * pixels + i] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

/* kmutate launch
   int series = 16384, steps = 200;
   dim3 grid = { series / 128 }, block = { 128 };
   float values[steps * series] = normal();
   float quantile[steps * series] = zeros();
   rolling_quantile_sorted_window_of_21(values, quantile, series, steps, 15);
*/
__global__ void rolling_quantile_sorted_window_of_21(const float *values, float *quantile, int series, int steps,
                                                     int rank)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= series)
        return;
    float sorted[21];
    int filled = 0;
    for (int t = 0; t < steps; t++) {
        if (filled == 21) {
            float old = values[(t - 21) * series + k];
            int at = 0;
            while (at < 20 && sorted[at] != old)
                at++;
            for (; at < 20; at++)
                sorted[at] = sorted[at + 1];
            filled--;
        }
        float v = values[t * series + k];
        int at = filled;
        while (at > 0 && sorted[at - 1] > v) {
            sorted[at] = sorted[at - 1];
            at--;
        }
        sorted[at] = v;
        filled++;
        quantile[t * series + k] = sorted[min(rank, filled - 1)];
    }
}

/* kmutate launch
   int n = 5000;
   long long count = (long long)n * (n + 1) / 2;
   dim3 grid = { (count + 255) / 256 }, block = { 256 };
   float packed[count] = normal();
   float full[n * n] = zeros();
   unpack_lower_triangle_and_mirror(packed, full, n, count);
*/
__global__ void unpack_lower_triangle_and_mirror(const float *packed, float *full, int n, long long count)
{
    long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count)
        return;
    long long row = (long long)((sqrt(8.0 * e + 1.0) - 1.0) * 0.5);
    while (row * (row + 1) / 2 > e)
        row--;
    while ((row + 1) * (row + 2) / 2 <= e)
        row++;
    long long col = e - row * (row + 1) / 2;
    float v = packed[e];
    full[row * n + col] = v;
    full[col * n + row] = v;
}

/* kmutate launch
   int samples = 32768;
   dim3 grid = { samples }, block = { 64 };
   float x[samples * 64] = normal(0.5, 1);
   float mean[64] = uniform(0.3, 0.7);
   float precision[64 * 64] = normal(0, 0.125);
   float distance[samples] = zeros();
   mahalanobis_block_for_each_sample(x, mean, precision, distance);
*/
__global__ void mahalanobis_block_for_each_sample(const float *x, const float *mean, const float *precision,
                                                  float *distance)
{
    __shared__ float diff[64];
    __shared__ float part[64];
    int t = threadIdx.x;
    diff[t] = x[blockIdx.x * 64 + t] - mean[t];
    float total = 0.0f;
    for (int row = 0; row < 64; row++) {
        __syncthreads();
        part[t] = precision[row * 64 + t] * diff[t];
        __syncthreads();
        for (int half_size = 32; half_size > 0; half_size /= 2) {
            if (t < half_size)
                part[t] += part[t + half_size];
            __syncthreads();
        }
        if (t == 0)
            total += diff[row] * part[0];
    }
    if (t == 0)
        distance[blockIdx.x] = sqrtf(fabsf(total));
}

/* kmutate launch
   int nx = 256, ny = 288, nz = 320;
   dim3 grid = { nx / 8, ny / 8, nz / 8 }, block = { 8, 8, 8 };
   float density[nx * ny * nz] = uniform(0, 1);
   float steepness[nx * ny * nz] = zeros();
   density_gradient_length_of_voxels(density, steepness, nx, ny, nz, 0.5f);
*/
__global__ void density_gradient_length_of_voxels(const float *density, float *steepness, int nx, int ny, int nz,
                                                  float inv_2h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int x0 = max(x - 1, 0), x1 = min(x + 1, nx - 1);
    int y0 = max(y - 1, 0), y1 = min(y + 1, ny - 1);
    int z0 = max(z - 1, 0), z1 = min(z + 1, nz - 1);
    float gx = (density[(x1 * ny + y) * nz + z] - density[(x0 * ny + y) * nz + z]) * inv_2h;
    float gy = (density[(x * ny + y1) * nz + z] - density[(x * ny + y0) * nz + z]) * inv_2h;
    float gz = (density[(x * ny + y) * nz + z1] - density[(x * ny + y) * nz + z0]) * inv_2h;
    steepness[(x * ny + y) * nz + z] = sqrtf(gx * gx + gy * gy + gz * gz);
}
