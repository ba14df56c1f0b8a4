// Twenty kernels of many fields, each with its own launch declaration.
#include <cuda_fp16.h>

// ------------------------------------------------------------------ as one writes them first

/* kmutate launch
   int nx = 4096, nz = 2048;
   dim3 block = { 32, 8 };
   dim3 grid = { (nx + 31) / 32, (nz + 7) / 8 };
   double p_next[nx * nz] = zeros();
   double p_now[nx * nz] = normal();
   double p_old[nx * nz] = normal();
   float speed[nx * nz] = uniform(1500, 4500);
   acoustic_pressure_step_with_sponge(p_next, p_now, p_old, speed, nx, nz, 0.0005, 10.0, 40);
*/
__global__ void acoustic_pressure_step_with_sponge(double *p_next, const double *p_now, const double *p_old,
                                                   const float *speed, int nx, int nz, double dt, double h, int sponge)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int z = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || z < 2 || x >= nx - 2 || z >= nz - 2)
        return;
    int i = z * nx + x;
    double lap_x = (-p_now[i - 2] + 16.0 * p_now[i - 1] - 30.0 * p_now[i] + 16.0 * p_now[i + 1] - p_now[i + 2]) / 12.0;
    double lap_z = (-p_now[i - 2 * nx] + 16.0 * p_now[i - nx] - 30.0 * p_now[i] + 16.0 * p_now[i + nx]
                    - p_now[i + 2 * nx]) / 12.0;
    double courant = speed[i] * dt / h;
    double next = 2.0 * p_now[i] - p_old[i] + courant * courant * (lap_x + lap_z);
    int edge = min(min(x, nx - 1 - x), min(z, nz - 1 - z));
    if (edge < sponge) {
        double d = 0.015 * (sponge - edge);
        next *= exp(-d * d);
    }
    p_next[i] = next;
}

/* kmutate launch
   int paths = 1 << 18, steps = 96;
   dim3 block = { 128 };
   dim3 grid = { (paths + 127) / 128 };
   float payoff[paths] = zeros();
   unsigned seeds[paths] = randint(1, 2147483647);
   heston_full_truncation_asian_paths(payoff, seeds, paths, steps, 100.0f, 0.04f, 0.03f, 1.5f, 0.05f, 0.4f, -0.7f, 1.0f, 105.0f);
*/
__global__ void heston_full_truncation_asian_paths(float *payoff, const unsigned *seeds, int paths, int steps, float spot,
                                                   float v0, float rate, float kappa, float theta, float xi, float rho,
                                                   float maturity, float strike)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths)
        return;
    unsigned s = seeds[p];
    float dt = maturity / steps;
    float root_dt = sqrtf(dt);
    float log_s = logf(spot);
    float v = v0;
    float total = 0.0f;
    for (int t = 0; t < steps; t++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float u1 = ((s >> 8) + 1) * (1.0f / 16777217.0f);
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float u2 = (s >> 8) * (1.0f / 16777216.0f);
        float r = sqrtf(-2.0f * logf(u1));
        float z1 = r * cosf(6.2831853f * u2);
        float z2 = r * sinf(6.2831853f * u2);
        float zv = rho * z1 + sqrtf(1.0f - rho * rho) * z2;
        float vp = fmaxf(v, 0.0f);
        float sq = sqrtf(vp);
        log_s += (rate - 0.5f * vp) * dt + sq * root_dt * z1;
        v += kappa * (theta - vp) * dt + xi * sq * root_dt * zv;
        total += expf(log_s);
    }
    payoff[p] = expf(-rate * maturity) * fmaxf(total / steps - strike, 0.0f);
}

/* kmutate launch
   int width = 6000, height = 4000;
   dim3 block = { 16, 16 };
   dim3 grid = { (width + 15) / 16, (height + 15) / 16 };
   unsigned char photo[width * height * 3] = randint(0, 256);
   unsigned char toned[width * height * 3] = zeros();
   sepia_vignette_packed_rgb(photo, toned, width, height, 0.8f);
*/
__global__ void sepia_vignette_packed_rgb(const unsigned char *photo, unsigned char *toned, int width, int height,
                                          float strength)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int i = (y * width + x) * 3;
    float r = photo[i], g = photo[i + 1], b = photo[i + 2];
    float tr = 0.393f * r + 0.769f * g + 0.189f * b;
    float tg = 0.349f * r + 0.686f * g + 0.168f * b;
    float tb = 0.272f * r + 0.534f * g + 0.131f * b;
    float dx = (x - 0.5f * width) / width;
    float dy = (y - 0.5f * height) / height;
    float fall = 1.0f - strength * sqrtf(dx * dx + dy * dy);
    toned[i] = (unsigned char)fminf(255.0f, tr * fall);
    toned[i + 1] = (unsigned char)fminf(255.0f, tg * fall);
    toned[i + 2] = (unsigned char)fminf(255.0f, tb * fall);
}

/* kmutate launch
   int rows = 60000, classes = 200;
   dim3 block = { 128 };
   dim3 grid = { (rows + 127) / 128 };
   float logits[rows * classes] = normal(0, 2);
   int label[rows] = randint(0, classes);
   float loss[rows] = zeros();
   label_smoothed_cross_entropy_thread_per_row(logits, label, loss, rows, classes, 0.1f);
*/
__global__ void label_smoothed_cross_entropy_thread_per_row(const float *logits, const int *label, float *loss, int rows,
                                                            int classes, float smoothing)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *z = logits + (size_t)row * classes;
    float top = z[0];
    for (int c = 1; c < classes; c++)
        if (z[c] > top)
            top = z[c];
    float denom = 0.0f, plain = 0.0f;
    for (int c = 0; c < classes; c++) {
        denom += expf(z[c] - top);
        plain += z[c];
    }
    float log_denom = logf(denom) + top;
    float hit = log_denom - z[label[row]];
    float spread = log_denom - plain / classes;
    loss[row] = (1.0f - smoothing) * hit + smoothing * spread;
}

/* kmutate launch
   int nx = 2048, ny = 1500;
   dim3 block = { 128 };
   dim3 grid = { nx / 128, ny };
   float f_in[9 * nx * ny] = uniform(0.05, 0.15);
   float f_out[9 * nx * ny] = zeros();
   unsigned char wall_tenths[nx * ny] = randint(0, 20);
   d2q9_bgk_pull_stream_collide(f_in, f_out, wall_tenths, nx, ny, 1.7f);
*/
__global__ void d2q9_bgk_pull_stream_collide(const float *f_in, float *f_out, const unsigned char *wall_tenths, int nx,
                                             int ny, float omega)
{
    const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
    const int cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const int back[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
    const float w[9] = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= nx)
        return;
    int cells = nx * ny;
    int here = y * nx + x;
    float f[9];
    float rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < 9; q++) {
        int sx = (x - cx[q] + nx) % nx;
        int sy = (y - cy[q] + ny) % ny;
        f[q] = f_in[q * cells + sy * nx + sx];
        rho += f[q];
        ux += f[q] * cx[q];
        uy += f[q] * cy[q];
    }
    if (wall_tenths[here] == 0) {
        for (int q = 0; q < 9; q++)
            f_out[back[q] * cells + here] = f[q];
        return;
    }
    ux /= rho;
    uy /= rho;
    float uu = 1.5f * (ux * ux + uy * uy);
    for (int q = 0; q < 9; q++) {
        float cu = 3.0f * (cx[q] * ux + cy[q] * uy);
        float eq = w[q] * rho * (1.0f + cu + 0.5f * cu * cu - uu);
        f_out[q * cells + here] = f[q] + omega * (eq - f[q]);
    }
}

/* kmutate launch
   int outputs = 1500000, decimation = 6, taps = 63;
   int inputs = outputs * decimation + taps;
   dim3 block = { 256 };
   dim3 grid = { (outputs + 255) / 256 };
   short2 iq[inputs] = randint(-8192, 8192);
   float tap[taps] = normal(0, 0.1);
   float2 baseband[outputs] = zeros();
   mix_filter_decimate_iq_samples(iq, tap, baseband, outputs, decimation, taps, 0.0371f);
*/
__global__ void mix_filter_decimate_iq_samples(const short2 *iq, const float *tap, float2 *baseband, int outputs,
                                               int decimation, int taps, float cycles_per_sample)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= outputs)
        return;
    int first = n * decimation;
    float re = 0.0f, im = 0.0f;
    for (int k = 0; k < taps; k++) {
        short2 s = iq[first + k];
        re += tap[k] * s.x;
        im += tap[k] * s.y;
    }
    float turns = first * cycles_per_sample;
    turns -= floorf(turns);
    float c = cospif(2.0f * turns), d = sinpif(2.0f * turns);
    baseband[n] = make_float2(re * c + im * d, im * c - re * d);
}

/* kmutate launch
   int reads = 400000;
   int bytes = csr_nnz(reads, 90, 152);
   dim3 block = { 192 };
   dim3 grid = { (reads + 191) / 192 };
   int offset[reads + 1] = csr_rowptr(reads, 90, 152);
   unsigned char phred[bytes] = randint(12, 41);
   int keep[reads] = zeros();
   float expected_errors[reads] = zeros();
   quality_trim_reads_sliding_window(offset, phred, keep, expected_errors, reads, 6, 18);
*/
__global__ void quality_trim_reads_sliding_window(const int *offset, const unsigned char *phred, int *keep,
                                                  float *expected_errors, int reads, int window, int threshold)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= reads)
        return;
    int begin = offset[r];
    int length = offset[r + 1] - begin;
    int sum = 0;
    int cut = length;
    for (int i = 0; i < length; i++) {
        sum += phred[begin + i];
        if (i >= window)
            sum -= phred[begin + i - window];
        if (i >= window - 1 && sum < window * threshold) {
            cut = i - window + 1;
            break;
        }
    }
    float errors = 0.0f;
    for (int i = 0; i < cut; i++)
        errors += exp10f(-0.1f * phred[begin + i]);
    keep[r] = cut;
    expected_errors[r] = errors;
}

// ------------------------------------------------------------------ as performance engineers write them

/* kmutate launch
   int m = 2048, n = 2304, k = 2048;
   dim3 block = { 256 };
   dim3 grid = { n / 128, m / 128 };
   signed char act[m * k] = randint(-127, 128);
   signed char weight_t[n * k] = randint(-127, 128);
   float row_scale[m] = uniform(0.001, 0.01);
   float col_scale[n] = uniform(0.001, 0.01);
   half dequant[m * n] = zeros();
   int8_dp4a_gemm_double_buffered_dequant((int4 *)act, (int4 *)weight_t, row_scale, col_scale, dequant, n, k);
*/
__global__ void __launch_bounds__(256)
int8_dp4a_gemm_double_buffered_dequant(const int4 *__restrict__ act, const int4 *__restrict__ weight_t,
                                       const float *__restrict__ row_scale, const float *__restrict__ col_scale,
                                       half *__restrict__ dequant, int n, int k)
{
    // tile of 128 x 128, 32 bytes of k at a time, 8 x 8 results in a thread
    __shared__ int sa[2][8][128 + 4];
    __shared__ int sb[2][8][128 + 4];
    const int t = threadIdx.x;
    const int line = t >> 1, part = t & 1;
    const int pitch = k / 16;
    const int4 *pa = act + (size_t)(blockIdx.y * 128 + line) * pitch + part;
    const int4 *pb = weight_t + (size_t)(blockIdx.x * 128 + line) * pitch + part;
    const int tx = t & 15, ty = t >> 4;
    int acc[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            acc[i][j] = 0;

    int4 ra = pa[0], rb = pb[0];
    int stage = 0;
    sa[0][part * 4 + 0][line] = ra.x;
    sa[0][part * 4 + 1][line] = ra.y;
    sa[0][part * 4 + 2][line] = ra.z;
    sa[0][part * 4 + 3][line] = ra.w;
    sb[0][part * 4 + 0][line] = rb.x;
    sb[0][part * 4 + 1][line] = rb.y;
    sb[0][part * 4 + 2][line] = rb.z;
    sb[0][part * 4 + 3][line] = rb.w;
    __syncthreads();
    const int rounds = k / 32;
    for (int round = 0; round < rounds; round++) {
        const bool more = round + 1 < rounds;
        if (more) {
            pa += 2;
            pb += 2;
            ra = *pa;
            rb = *pb;
        }
#pragma unroll
        for (int kk = 0; kk < 8; kk++) {
            int fa[8], fb[8];
            *(int4 *)&fa[0] = *(const int4 *)&sa[stage][kk][ty * 4];
            *(int4 *)&fa[4] = *(const int4 *)&sa[stage][kk][64 + ty * 4];
            *(int4 *)&fb[0] = *(const int4 *)&sb[stage][kk][tx * 4];
            *(int4 *)&fb[4] = *(const int4 *)&sb[stage][kk][64 + tx * 4];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] = __dp4a(fa[i], fb[j], acc[i][j]);
        }
        if (more) {
            stage ^= 1;
            sa[stage][part * 4 + 0][line] = ra.x;
            sa[stage][part * 4 + 1][line] = ra.y;
            sa[stage][part * 4 + 2][line] = ra.z;
            sa[stage][part * 4 + 3][line] = ra.w;
            sb[stage][part * 4 + 0][line] = rb.x;
            sb[stage][part * 4 + 1][line] = rb.y;
            sb[stage][part * 4 + 2][line] = rb.z;
            sb[stage][part * 4 + 3][line] = rb.w;
            __syncthreads();
        }
    }
    const int col0 = blockIdx.x * 128 + tx * 4;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = blockIdx.y * 128 + (i >> 2) * 64 + ty * 4 + (i & 3);
        const float rs = row_scale[row];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const float4 cs = *(const float4 *)&col_scale[col0 + h * 64];
            half2 lo = __floats2half2_rn(acc[i][h * 4] * rs * cs.x, acc[i][h * 4 + 1] * rs * cs.y);
            half2 hi = __floats2half2_rn(acc[i][h * 4 + 2] * rs * cs.z, acc[i][h * 4 + 3] * rs * cs.w);
            uint2 both = make_uint2(*(unsigned *)&lo, *(unsigned *)&hi);
            *(uint2 *)&dequant[(size_t)row * n + col0 + h * 64] = both;
        }
    }
}

__constant__ float c_blur_weight_17[17];

/* kmutate launch
   int width = 3840, height = 2160;
   dim3 block = { 32, 8 };
   dim3 grid = { width / 32, (height + 31) / 32 };
   extern float c_blur_weight_17[17] = { 0.008f, 0.015f, 0.026f, 0.04f, 0.058f, 0.076f, 0.092f, 0.103f, 0.164f, 0.103f, 0.092f, 0.076f, 0.058f, 0.04f, 0.026f, 0.015f, 0.008f };
   uchar4 frame[width * height] = randint(0, 256);
   uchar4 blurred[width * height] = zeros();
   rgba_blur_17tap_separable_shared_tile(frame, blurred, width, height);
*/
__global__ void __launch_bounds__(256)
rgba_blur_17tap_separable_shared_tile(const uchar4 *__restrict__ frame, uchar4 *__restrict__ blurred, int width,
                                      int height)
{
    __shared__ uchar4 raw[48][49];
    __shared__ float3 across[48][32];
    const int x0 = blockIdx.x * 32 - 8, y0 = blockIdx.y * 32 - 8;
    const int t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 48 * 48; i += 256) {
        int ry = i / 48, rx = i - ry * 48;
        int gx = min(max(x0 + rx, 0), width - 1);
        int gy = min(max(y0 + ry, 0), height - 1);
        raw[ry][rx] = frame[gy * width + gx];
    }
    __syncthreads();
#pragma unroll 2
    for (int ry = threadIdx.y; ry < 48; ry += 8) {
        float3 a = make_float3(0, 0, 0);
#pragma unroll
        for (int k = 0; k < 17; k++) {
            uchar4 c = raw[ry][threadIdx.x + k];
            a.x = fmaf(c_blur_weight_17[k], (float)c.x, a.x);
            a.y = fmaf(c_blur_weight_17[k], (float)c.y, a.y);
            a.z = fmaf(c_blur_weight_17[k], (float)c.z, a.z);
        }
        across[ry][threadIdx.x] = a;
    }
    __syncthreads();
    float3 sum[4] = {};
    // each thread makes 4 rows that follow each other, from 20 rows
#pragma unroll
    for (int k = 0; k < 20; k++) {
        float3 a = across[threadIdx.y * 4 + k][threadIdx.x];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (k - j >= 0 && k - j < 17) {
                float w = c_blur_weight_17[k - j];
                sum[j].x = fmaf(w, a.x, sum[j].x);
                sum[j].y = fmaf(w, a.y, sum[j].y);
                sum[j].z = fmaf(w, a.z, sum[j].z);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int ry = threadIdx.y * 4 + j;
        int gy = blockIdx.y * 32 + ry;
        if (gy < height)
            blurred[gy * width + blockIdx.x * 32 + threadIdx.x] =
                make_uchar4(__float2uint_rn(fminf(sum[j].x, 255.f)), __float2uint_rn(fminf(sum[j].y, 255.f)),
                            __float2uint_rn(fminf(sum[j].z, 255.f)), raw[ry + 8][threadIdx.x + 8].w);
    }
}

/* kmutate launch
   int tokens = 6144, heads = 32, positions = 8192;
   dim3 block = { 256 };
   dim3 grid = { tokens * heads / 8 };
   half query[tokens * heads * 128] = normal();
   half gain[128] = uniform(0.8, 1.2);
   float2 cos_sin[positions * 64] = uniform(-1, 1);
   int position[tokens] = randint(0, positions);
   rmsnorm_then_rotary_warp_per_head((uint2 *)query, (uint2 *)gain, (float4 *)cos_sin, position, heads, tokens * heads, 1e-6f);
*/
__global__ void rmsnorm_then_rotary_warp_per_head(uint2 *__restrict__ query, const uint2 *__restrict__ gain,
                                                  const float4 *__restrict__ cos_sin, const int *__restrict__ position,
                                                  int heads, int vectors, float eps)
{
    const int lane = threadIdx.x & 31;
    const int vec = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (vec >= vectors)
        return;
    uint2 packed = query[(size_t)vec * 32 + lane];
    float2 a = __half22float2(*(half2 *)&packed.x);
    float2 b = __half22float2(*(half2 *)&packed.y);
    float sq = a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y;
#pragma unroll
    for (int d = 16; d; d >>= 1)
        sq += __shfl_xor_sync(0xffffffffu, sq, d);
    const float inv = rsqrtf(sq * (1.0f / 128.0f) + eps);
    uint2 gp = __ldg(&gain[lane]);
    float2 ga = __half22float2(*(half2 *)&gp.x);
    float2 gb = __half22float2(*(half2 *)&gp.y);
    a.x *= inv * ga.x;
    a.y *= inv * ga.y;
    b.x *= inv * gb.x;
    b.y *= inv * gb.y;
    // element d turns with element d + 64, which is 16 lanes away
    float2 oa, ob;
    oa.x = __shfl_xor_sync(0xffffffffu, a.x, 16);
    oa.y = __shfl_xor_sync(0xffffffffu, a.y, 16);
    ob.x = __shfl_xor_sync(0xffffffffu, b.x, 16);
    ob.y = __shfl_xor_sync(0xffffffffu, b.y, 16);
    const int pos = __ldg(&position[vec / heads]);
    const float4 c0 = __ldg(&cos_sin[pos * 32 + (lane & 15) * 2]);
    const float4 c1 = __ldg(&cos_sin[pos * 32 + (lane & 15) * 2 + 1]);
    const float sign = lane < 16 ? -1.0f : 1.0f;
    half2 ra = __floats2half2_rn(a.x * c0.x + sign * oa.x * c0.y, a.y * c0.z + sign * oa.y * c0.w);
    half2 rb = __floats2half2_rn(b.x * c1.x + sign * ob.x * c1.y, b.y * c1.z + sign * ob.y * c1.w);
    query[(size_t)vec * 32 + lane] = make_uint2(*(unsigned *)&ra, *(unsigned *)&rb);
}

/* kmutate launch
   int bodies = 40960;
   dim3 block = { 128 };
   dim3 grid = { bodies / 256 };
   float4 body[bodies] = uniform(-1, 1);
   float4 pull[bodies] = zeros();
   softened_gravity_shared_tiles_two_per_thread(body, pull, bodies, 0.0001f);
*/
__global__ void __launch_bounds__(128)
softened_gravity_shared_tiles_two_per_thread(const float4 *__restrict__ body, float4 *__restrict__ pull, int bodies,
                                             float eps2)
{
    __shared__ float4 tile[256];
    const int t = threadIdx.x;
    const int i0 = blockIdx.x * 256 + t;
    const float4 p0 = body[i0], p1 = body[i0 + 128];
    float3 f0 = make_float3(0, 0, 0), f1 = make_float3(0, 0, 0);
    float w0 = 0, w1 = 0;
    for (int base = 0; base < bodies; base += 256) {
        tile[t] = body[base + t];
        tile[t + 128] = body[base + t + 128];
        __syncthreads();
#pragma unroll 16
        for (int j = 0; j < 256; j++) {
            const float4 q = tile[j];
            float dx = q.x - p0.x, dy = q.y - p0.y, dz = q.z - p0.z;
            float r = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, eps2))));
            float m = q.w * r;
            w0 -= m;
            m *= r * r;
            f0.x = fmaf(m, dx, f0.x);
            f0.y = fmaf(m, dy, f0.y);
            f0.z = fmaf(m, dz, f0.z);
            dx = q.x - p1.x, dy = q.y - p1.y, dz = q.z - p1.z;
            r = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, eps2))));
            m = q.w * r;
            w1 -= m;
            m *= r * r;
            f1.x = fmaf(m, dx, f1.x);
            f1.y = fmaf(m, dy, f1.y);
            f1.z = fmaf(m, dz, f1.z);
        }
        __syncthreads();
    }
    pull[i0] = make_float4(f0.x, f0.y, f0.z, w0);
    pull[i0 + 128] = make_float4(f1.x, f1.y, f1.z, w1);
}

/* kmutate launch
   int batches = 6000;
   dim3 block = { 256 };
   dim3 grid = { batches };
   float2 signal[batches * 1024] = normal();
   float2 spectrum[batches * 1024] = zeros();
   float2 twiddle[1024] = uniform(-1, 1);
   float window[1024] = uniform(0, 1);
   windowed_fft1024_radix4_stockham_shared(signal, spectrum, twiddle, window);
*/
__global__ void __launch_bounds__(256)
windowed_fft1024_radix4_stockham_shared(const float2 *__restrict__ signal, float2 *__restrict__ spectrum,
                                        const float2 *__restrict__ twiddle, const float *__restrict__ window)
{
    __shared__ float sre[1024 + 32], sim[1024 + 32], twr[1024], twi[1024];
    const int j = threadIdx.x;
    const float2 *in = signal + (size_t)blockIdx.x * 1024;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        v[r] = in[j + r * 256];
        float w = __ldg(&window[j + r * 256]);
        v[r].x *= w;
        v[r].y *= w;
        float2 tw = __ldg(&twiddle[j + r * 256]);
        twr[j + r * 256] = tw.x;
        twi[j + r * 256] = tw.y;
    }
    __syncthreads();
#pragma unroll
    for (int stage = 0; stage < 5; stage++) {
        const int ns = 1 << (2 * stage);
        const int k = j & (ns - 1);
        if (stage > 0) {
            const int step = k << (8 - 2 * stage);
#pragma unroll
            for (int r = 1; r < 4; r++) {
                float c = twr[(step * r) & 1023], s = twi[(step * r) & 1023];
                float x = v[r].x * c - v[r].y * s;
                v[r].y = v[r].x * s + v[r].y * c;
                v[r].x = x;
            }
        }
        float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y);
        float2 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y);
        float2 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        v[0] = make_float2(a.x + c.x, a.y + c.y);
        v[1] = make_float2(b.x + d.x, b.y + d.y);
        v[2] = make_float2(a.x - c.x, a.y - c.y);
        v[3] = make_float2(b.x - d.x, b.y - d.y);
        if (stage < 4) {
            const int to = ((j - k) << 2) + k;
#pragma unroll
            for (int r = 0; r < 4; r++) {
                int at = to + r * ns;
                sre[at + (at >> 5)] = v[r].x;
                sim[at + (at >> 5)] = v[r].y;
            }
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++) {
                int at = j + r * 256;
                v[r].x = sre[at + (at >> 5)];
                v[r].y = sim[at + (at >> 5)];
            }
            __syncthreads();
        }
    }
    float2 *out = spectrum + (size_t)blockIdx.x * 1024;
#pragma unroll
    for (int r = 0; r < 4; r++)
        out[j + r * 256] = v[r];
}

/* kmutate launch
   int quads = 3 << 20;
   dim3 block = { 256 };
   dim3 grid = { 132 * 6 };
   int4 ship_day[quads] = randint(8000, 10500);
   uchar4 discount[quads] = randint(0, 11);
   uchar4 quantity[quads] = randint(1, 51);
   float4 price[quads] = uniform(900, 100000);
   double revenue[1] = zeros();
   unsigned long long passed[1] = zeros();
   filtered_discount_revenue_vector_scan(ship_day, discount, quantity, price, quads, 8766, 9131, 5, 7, 24, revenue, passed);
*/
__global__ void __launch_bounds__(256)
filtered_discount_revenue_vector_scan(const int4 *__restrict__ ship_day, const uchar4 *__restrict__ discount,
                                      const uchar4 *__restrict__ quantity, const float4 *__restrict__ price, int quads,
                                      int day_lo, int day_hi, int disc_lo, int disc_hi, int qty_hi, double *revenue,
                                      unsigned long long *passed)
{
    __shared__ double warp_sum[8];
    __shared__ int warp_count[8];
    float partial = 0.0f;
    int count = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        const int4 d = __ldcs(&ship_day[i]);
        const uchar4 c = discount[i], q = quantity[i];
        const float4 p = __ldcs(&price[i]);
        bool k0 = d.x >= day_lo && d.x < day_hi && c.x >= disc_lo && c.x <= disc_hi && q.x < qty_hi;
        bool k1 = d.y >= day_lo && d.y < day_hi && c.y >= disc_lo && c.y <= disc_hi && q.y < qty_hi;
        bool k2 = d.z >= day_lo && d.z < day_hi && c.z >= disc_lo && c.z <= disc_hi && q.z < qty_hi;
        bool k3 = d.w >= day_lo && d.w < day_hi && c.w >= disc_lo && c.w <= disc_hi && q.w < qty_hi;
        partial += (k0 ? p.x * c.x : 0.0f) + (k1 ? p.y * c.y : 0.0f) + (k2 ? p.z * c.z : 0.0f) + (k3 ? p.w * c.w : 0.0f);
        count += k0 + k1 + k2 + k3;
    }
    double sum = partial * 0.01;
#pragma unroll
    for (int d = 16; d; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    count = __reduce_add_sync(0xffffffffu, count);
    if ((threadIdx.x & 31) == 0) {
        warp_sum[threadIdx.x >> 5] = sum;
        warp_count[threadIdx.x >> 5] = count;
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = warp_sum[threadIdx.x];
        count = warp_count[threadIdx.x];
#pragma unroll
        for (int d = 4; d; d >>= 1) {
            sum += __shfl_down_sync(0xffu, sum, d);
            count += __shfl_down_sync(0xffu, count, d);
        }
        if (threadIdx.x == 0) {
            atomicAdd(revenue, sum);
            atomicAdd(passed, (unsigned long long)count);
        }
    }
}

__constant__ unsigned char c_rijndael_substitution[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9, 0x7d,
    0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc,
    0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15, 0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2,
    0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf, 0xd0, 0xef, 0xaa, 0xfb,
    0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5,
    0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d,
    0x64, 0x5d, 0x19, 0x73, 0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d,
    0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08, 0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6,
    0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a, 0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9,
    0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16 };
__constant__ unsigned c_aes_round_key[44];

/* kmutate launch
   int blocks16 = 3 << 20;
   dim3 block = { 512 };
   dim3 grid = { 264 };
   extern unsigned c_aes_round_key[44] = randint(0, 4294967295);
   uint4 plain[blocks16] = randint(0, 4294967295);
   uint4 cipher[blocks16] = zeros();
   aes128_counter_mode_bank_replicated_table(plain, cipher, blocks16, 0x01020304u, 0x05060708u, 0x090a0b0cu);
*/
__global__ void __launch_bounds__(512)
aes128_counter_mode_bank_replicated_table(const uint4 *__restrict__ plain, uint4 *__restrict__ cipher, int blocks16,
                                          unsigned nonce0, unsigned nonce1, unsigned nonce2)
{
    // one copy of the table in each bank, so that no lookup conflicts
    __shared__ unsigned table[256][32];
    for (int i = threadIdx.x; i < 256 * 32; i += blockDim.x) {
        unsigned s = c_rijndael_substitution[i >> 5];
        unsigned d = (s << 1) ^ ((s >> 7) * 0x11bu);
        table[i >> 5][i & 31] = (d << 24) | (s << 16) | (s << 8) | (d ^ s);
    }
    __syncthreads();
    const int lane = threadIdx.x & 31;
    for (int n = blockIdx.x * blockDim.x + threadIdx.x; n < blocks16; n += gridDim.x * blockDim.x) {
        unsigned a = nonce0 ^ c_aes_round_key[0], b = nonce1 ^ c_aes_round_key[1];
        unsigned c = nonce2 ^ c_aes_round_key[2], d = (unsigned)n ^ c_aes_round_key[3];
#define TURN(x, sel) __byte_perm(x, x, sel)
#define COLUMN(p, q, r, s, key)                                                                              \
    (table[p >> 24][lane] ^ TURN(table[(q >> 16) & 255][lane], 0x0321) ^ TURN(table[(r >> 8) & 255][lane], 0x1032) \
     ^ TURN(table[s & 255][lane], 0x2103) ^ key)
#pragma unroll
        for (int round = 1; round < 10; round++) {
            unsigned e = COLUMN(a, b, c, d, c_aes_round_key[4 * round]);
            unsigned f = COLUMN(b, c, d, a, c_aes_round_key[4 * round + 1]);
            unsigned g = COLUMN(c, d, a, b, c_aes_round_key[4 * round + 2]);
            unsigned h = COLUMN(d, a, b, c, c_aes_round_key[4 * round + 3]);
            a = e, b = f, c = g, d = h;
        }
#define LAST(p, q, r, s, key)                                                                                   \
    ((((table[p >> 24][lane] >> 8) & 255) << 24 | ((table[(q >> 16) & 255][lane] >> 8) & 255) << 16 |         \
      ((table[(r >> 8) & 255][lane] >> 8) & 255) << 8 | ((table[s & 255][lane] >> 8) & 255)) ^ key)
        uint4 text = plain[n];
        text.x ^= LAST(a, b, c, d, c_aes_round_key[40]);
        text.y ^= LAST(b, c, d, a, c_aes_round_key[41]);
        text.z ^= LAST(c, d, a, b, c_aes_round_key[42]);
        text.w ^= LAST(d, a, b, c, c_aes_round_key[43]);
        cipher[n] = text;
    }
}

// ------------------------------------------------------------------ irregular

/* kmutate launch
   int vertices = 1 << 20, active = 250000;
   int edges = csr_nnz(vertices, 2, 31);
   dim3 block = { 256 };
   dim3 grid = { (active + 255) / 256 };
   int frontier[active] = ascending(0, vertices);
   int edge_begin[vertices + 1] = csr_rowptr(vertices, 2, 31);
   int target[edges] = csr_colidx(vertices);
   unsigned short length[edges] = randint(1, 1000);
   int known[vertices] = randint(0, 4000);
   int improved[vertices] = fill(1000000);
   unsigned char wake[vertices] = zeros();
   shortest_path_relax_frontier_edges(frontier, active, edge_begin, target, length, known, improved, wake);
*/
__global__ void shortest_path_relax_frontier_edges(const int *frontier, int active, const int *edge_begin,
                                                   const int *target, const unsigned short *length, const int *known,
                                                   int *improved, unsigned char *wake)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= active)
        return;
    int v = frontier[i];
    int here = known[v];
    int end = edge_begin[v + 1];
    for (int e = edge_begin[v]; e < end; e++) {
        int u = target[e];
        int candidate = here + length[e];
        if (candidate < known[u]) {
            atomicMin(&improved[u], candidate);
            wake[u] = 1;
        }
    }
}

/* kmutate launch
   int keys = 6000000, bucket_bits = 24;
   dim3 block = { 256 };
   dim3 grid = { (keys + 255) / 256 };
   unsigned long long key[keys] = randint(1, 1000000000000);
   unsigned bucket[1 << bucket_bits] = randint(0, 4294967295);
   unsigned survive[(keys + 31) / 32 + 8] = zeros();
   cuckoo_filter_semi_join_probe_bitmap(key, bucket, survive, keys, (1u << bucket_bits) - 1);
*/
__global__ void cuckoo_filter_semi_join_probe_bitmap(const unsigned long long *key, const unsigned *bucket,
                                                     unsigned *survive, int keys, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool found = false;
    if (i < keys) {
        unsigned long long h = key[i];
        h ^= h >> 33;
        h *= 0xff51afd7ed558ccdull;
        h ^= h >> 33;
        h *= 0xc4ceb9fe1a85ec53ull;
        h ^= h >> 33;
        unsigned print = (unsigned)(h >> 56);
        print += print == 0;
        unsigned first = (unsigned)h & mask;
        unsigned pattern = print * 0x01010101u;
        found = __vcmpeq4(bucket[first], pattern) != 0;
        if (!found) {
            unsigned second = (first ^ (print * 0x5bd1e995u)) & mask;
            found = __vcmpeq4(bucket[second], pattern) != 0;
        }
    }
    unsigned bits = __ballot_sync(0xffffffffu, found);
    if ((threadIdx.x & 31) == 0)
        survive[i >> 5] = bits;
}

/* kmutate launch
   int tiles = 4000;
   dim3 block = { 256 };
   dim3 grid = { tiles };
   unsigned keys[tiles * 2048] = randint(0, 4294967295);
   unsigned grouped[tiles * 2048] = zeros();
   unsigned digit_count[tiles * 256] = zeros();
   radix_tile_rank_by_digit_match_any(keys, grouped, digit_count, 16);
*/
__global__ void __launch_bounds__(256)
radix_tile_rank_by_digit_match_any(const unsigned *__restrict__ keys, unsigned *__restrict__ grouped,
                                   unsigned *__restrict__ digit_count, int shift)
{
    __shared__ unsigned short warp_hist[8][256];
    __shared__ unsigned digit_start[256];
    __shared__ unsigned warp_total[8];
    __shared__ unsigned sorted[2048];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    for (int d = lane; d < 256; d += 32)
        warp_hist[warp][d] = 0;
    __syncwarp();
    const unsigned *in = keys + (size_t)blockIdx.x * 2048 + warp * 256;
    unsigned key[8];
    unsigned short rank[8];
    const unsigned below = (1u << lane) - 1;
#pragma unroll
    for (int r = 0; r < 8; r++)
        key[r] = in[r * 32 + lane];
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const unsigned digit = (key[r] >> shift) & 255;
        const unsigned peers = __match_any_sync(0xffffffffu, digit);
        const unsigned before = warp_hist[warp][digit];
        __syncwarp();
        rank[r] = (unsigned short)(before + __popc(peers & below));
        if ((peers & below) == 0)
            warp_hist[warp][digit] = (unsigned short)(before + __popc(peers));
        __syncwarp();
    }
    __syncthreads();
    unsigned run = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) {
        unsigned c = warp_hist[w][t];
        warp_hist[w][t] = (unsigned short)run;
        run += c;
    }
    digit_count[blockIdx.x * 256 + t] = run;
    unsigned scan = run;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        unsigned up = __shfl_up_sync(0xffffffffu, scan, d);
        if (lane >= d)
            scan += up;
    }
    if (lane == 31)
        warp_total[warp] = scan;
    __syncthreads();
    unsigned base = 0;
    for (int w = 0; w < warp; w++)
        base += warp_total[w];
    digit_start[t] = base + scan - run;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 8; r++) {
        const unsigned digit = (key[r] >> shift) & 255;
        sorted[digit_start[digit] + warp_hist[warp][digit] + rank[r]] = key[r];
    }
    __syncthreads();
    unsigned *out = grouped + (size_t)blockIdx.x * 2048;
#pragma unroll
    for (int r = 0; r < 8; r++)
        out[r * 256 + t] = sorted[r * 256 + t];
}

/* kmutate launch
   int pixels = 12 << 20;
   dim3 block = { 512 };
   dim3 grid = { 396 };
   float fixed[pixels] = normal(120, 35);
   float moving[pixels] = normal(100, 50);
   unsigned joint[64 * 64] = zeros();
   joint_intensity_histogram_for_registration(fixed, moving, joint, pixels, 0.25f);
*/
__global__ void joint_intensity_histogram_for_registration(const float *fixed, const float *moving, unsigned *joint,
                                                           int pixels, float bins_per_level)
{
    __shared__ unsigned local[64 * 64];
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += gridDim.x * blockDim.x) {
        int a = (int)(fixed[p] * bins_per_level);
        int b = (int)(moving[p] * bins_per_level);
        a = min(max(a, 0), 63);
        b = min(max(b, 0), 63);
        atomicAdd(&local[a * 64 + b], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
        if (local[i])
            atomicAdd(&joint[i], local[i]);
}

/* kmutate launch
   int slices = 24000, cols = 700000;
   int strips = csr_nnz(slices, 4, 30);
   dim3 block = { 128 };
   dim3 grid = { (slices + 3) / 4 };
   int slice_begin[slices + 1] = csr_rowptr(slices, 4, 30);
   int column[strips * 32] = csr_colidx(cols);
   double value[strips * 32] = normal();
   int original_row[slices * 32] = permutation();
   double x[cols] = normal();
   double y[slices * 32] = zeros();
   sliced_ellpack_spmv_warp_per_slice(slice_begin, column, value, original_row, x, y, slices);
*/
__global__ void sliced_ellpack_spmv_warp_per_slice(const int *__restrict__ slice_begin, const int *__restrict__ column,
                                                   const double *__restrict__ value,
                                                   const int *__restrict__ original_row, const double *__restrict__ x,
                                                   double *__restrict__ y, int slices)
{
    int slice = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (slice >= slices)
        return;
    int end = slice_begin[slice + 1];
    double sum = 0.0;
    for (int s = slice_begin[slice]; s < end; s++) {
        int at = s * 32 + lane;
        sum += value[at] * x[column[at]];
    }
    y[original_row[slice * 32 + lane]] = sum;
}

/* kmutate launch
   int tiles = 40000;
   int bases = tiles * 232 + 24;
   dim3 block = { 256 };
   dim3 grid = { tiles };
   unsigned char genome[bases] = randint(0, 4);
   unsigned sketch[3 << 20] = zeros();
   kmer_minimizers_into_count_min_sketch(genome, sketch, bases, (1u << 20) - 1);
*/
__global__ void kmer_minimizers_into_count_min_sketch(const unsigned char *genome, unsigned *sketch, int bases,
                                                      unsigned mask)
{
    // 15-mers, windows of 10 of them; a block looks at 232 windows and always counts its first
    __shared__ unsigned char base[256];
    __shared__ unsigned hashed[242];
    int t = threadIdx.x;
    int start = blockIdx.x * 232;
    base[t] = start + t < bases ? genome[start + t] : 0;
    __syncthreads();
    if (t < 242) {
        unsigned forward = 0, reverse = 0;
        for (int i = 0; i < 15; i++) {
            unsigned c = base[t + i];
            forward = (forward << 2) | c;
            reverse = (reverse >> 2) | ((3u - c) << 28);
        }
        unsigned h = min(forward, reverse);
        h = (h ^ (h >> 15)) * 0x2c1b3c6du;
        h = (h ^ (h >> 12)) * 0x297a2d39u;
        hashed[t] = h ^ (h >> 15);
    }
    __syncthreads();
    if (t < 232) {
        unsigned least = hashed[t];
        int where = 0;
        for (int i = 1; i < 10; i++) {
            if (hashed[t + i] < least) {
                least = hashed[t + i];
                where = i;
            }
        }
        // the minimizer is new if it has just come in, or if the one that just left was no greater
        bool fresh = where == 9 || (t > 0 && hashed[t - 1] <= least) || t == 0;
        if (fresh) {
            atomicAdd(&sketch[(least * 0x9e3779b1u >> 7) & mask], 1u);
            atomicAdd(&sketch[mask + 1 + ((least * 0x85ebca77u >> 9) & mask)], 1u);
            atomicAdd(&sketch[2 * (mask + 1) + ((least * 0xc2b2ae3du >> 5) & mask)], 1u);
        }
    }
}
