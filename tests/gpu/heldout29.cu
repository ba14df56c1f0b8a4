#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

/* kmutate launch
   int width = 4096, height = 2048;
   int pixels = width * height;
   dim3 grid = { (pixels + 255) / 256 }, block = { 256 };
   unsigned char rgb[pixels * 3] = randint(0, 256);
   unsigned char out[pixels * 3] = zeros();
   hsv_jitter_rgb_bytes(rgb, out, pixels, 0.08f, 1.2f, 0.9f);
*/
__global__ void hsv_jitter_rgb_bytes(const unsigned char *rgb, unsigned char *out, int pixels, float hue_shift,
                                     float sat_gain, float val_gain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    float r = rgb[i * 3 + 0] / 255.0f;
    float g = rgb[i * 3 + 1] / 255.0f;
    float b = rgb[i * 3 + 2] / 255.0f;
    float mx = fmaxf(r, fmaxf(g, b));
    float mn = fminf(r, fminf(g, b));
    float d = mx - mn;
    float h = 0.0f;
    if (d > 0.0f) {
        if (mx == r)
            h = (g - b) / d + (g < b ? 6.0f : 0.0f);
        else if (mx == g)
            h = (b - r) / d + 2.0f;
        else
            h = (r - g) / d + 4.0f;
        h = h / 6.0f;
    }
    float s = mx > 0.0f ? d / mx : 0.0f;
    h = h + hue_shift;
    h = h - floorf(h);
    s = fminf(s * sat_gain, 1.0f);
    float v = fminf(mx * val_gain, 1.0f);
    float h6 = h * 6.0f;
    int sector = (int)h6;
    float f = h6 - sector;
    float p = v * (1.0f - s);
    float q = v * (1.0f - s * f);
    float t = v * (1.0f - s * (1.0f - f));
    switch (sector) {
    case 0: r = v; g = t; b = p; break;
    case 1: r = q; g = v; b = p; break;
    case 2: r = p; g = v; b = t; break;
    case 3: r = p; g = q; b = v; break;
    case 4: r = t; g = p; b = v; break;
    default: r = v; g = p; b = q; break;
    }
    out[i * 3 + 0] = (unsigned char)(r * 255.0f + 0.5f);
    out[i * 3 + 1] = (unsigned char)(g * 255.0f + 0.5f);
    out[i * 3 + 2] = (unsigned char)(b * 255.0f + 0.5f);
}

/* kmutate launch
   int n = 1536, m = 1024, dims = 96;
   dim3 grid = { (m + 15) / 16, (n + 15) / 16 }, block = { 16, 16 };
   float a[n * dims] = normal();
   float b[m * dims] = normal();
   float sim[n * m] = zeros();
   cosine_similarity_all_pairs(a, b, sim, n, m, dims);
*/
__global__ void cosine_similarity_all_pairs(const float *a, const float *b, float *sim, int n, int m, int dims)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m) {
        float dot = 0.0f, na = 0.0f, nb = 0.0f;
        for (int k = 0; k < dims; k++) {
            float x = a[i * dims + k];
            float y = b[j * dims + k];
            dot += x * y;
            na += x * x;
            nb += y * y;
        }
        sim[i * m + j] = dot / (sqrtf(na) * sqrtf(nb) + 1e-8f);
    }
}

/* kmutate launch
   int cells = 900000;
   dim3 grid = { (cells + 127) / 128 }, block = { 128 };
   double pressure[cells] = uniform(100, 350);
   double sw[cells] = uniform(0.15, 0.6);
   double sg[cells] = uniform(0.0, 0.25);
   int region[cells] = randint(0, 4);
   double corey[16] = { 0.15, 0.20, 2.0, 2.5, 0.18, 0.22, 2.2, 3.0, 0.12, 0.25, 1.8, 2.1, 0.10, 0.15, 3.0, 2.0 };
   double mob_w[cells] = zeros(), mob_o[cells] = zeros(), mob_g[cells] = zeros();
   black_oil_cell_mobilities(pressure, sw, sg, region, corey, mob_w, mob_o, mob_g, cells);
*/
__global__ void black_oil_cell_mobilities(const double *pressure, const double *sw, const double *sg, const int *region,
                                          const double *corey, double *mob_w, double *mob_o, double *mob_g, int cells)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) return;
    const double *par = corey + region[c] * 4;
    double swc = par[0], sor = par[1], nw = par[2], no = par[3];
    double p = pressure[c];
    double water = sw[c], gas = sg[c];
    double oil = 1.0 - water - gas;
    double span = 1.0 - swc - sor;
    double swn = fmin(fmax((water - swc) / span, 0.0), 1.0);
    double son = fmin(fmax((oil - sor) / span, 0.0), 1.0);
    double sgn = gas / (1.0 - swc);
    double krw = 0.4 * pow(swn, nw);
    double kro = 0.9 * pow(son, no);
    double krg = sgn * sgn * sgn * (2.0 - sgn);
    double dp = p - 200.0;
    double bw = 1.02 * exp(-4.5e-5 * dp);
    double bo, mu_o;
    if (p < 220.0) {
        double rs = 0.12 * p + 3.0e-4 * p * p;
        bo = 0.98 + 1.2e-3 * rs;
        mu_o = 2.1 / (1.0 + 0.012 * rs);
    } else {
        bo = 1.09 * exp(-1.4e-4 * (p - 220.0));
        mu_o = 1.05 * exp(9.0e-4 * (p - 220.0));
    }
    double bg = 1.0 / (0.85 * p);
    double mu_g = 0.012 + 4.0e-5 * p;
    mob_w[c] = krw / (0.5 * bw);
    mob_o[c] = kro / (mu_o * bo);
    mob_g[c] = krg / (mu_g * bg);
}

/* kmutate launch
   int nx = 256, ny = 256, nz = 128;
   dim3 grid = { nx / 8, ny / 8, nz / 4 }, block = { 8, 8, 4 };
   float q[nx * ny * nz] = uniform(0, 1);
   float u[nx * ny * nz] = normal();
   float v[nx * ny * nz] = normal();
   float w[nx * ny * nz] = normal(0, 0.3);
   float q_new[nx * ny * nz] = zeros();
   advect_scalar_upwind_box(q, u, v, w, q_new, nx, ny, nz, 0.1f);
*/
__global__ void advect_scalar_upwind_box(const float *q, const float *u, const float *v, const float *w, float *q_new,
                                         int nx, int ny, int nz, float cfl)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    int id = (z * ny + y) * nx + x;
    int xm = (z * ny + y) * nx + (x + nx - 1) % nx;
    int xp = (z * ny + y) * nx + (x + 1) % nx;
    int ym = (z * ny + (y + ny - 1) % ny) * nx + x;
    int yp = (z * ny + (y + 1) % ny) * nx + x;
    int zm = (max(z - 1, 0) * ny + y) * nx + x;
    int zp = (min(z + 1, nz - 1) * ny + y) * nx + x;
    float center = q[id];
    float dq = 0.0f;
    if (u[id] > 0.0f)
        dq += u[id] * (center - q[xm]);
    else
        dq += u[id] * (q[xp] - center);
    if (v[id] > 0.0f)
        dq += v[id] * (center - q[ym]);
    else
        dq += v[id] * (q[yp] - center);
    if (w[id] > 0.0f)
        dq += w[id] * (center - q[zm]);
    else
        dq += w[id] * (q[zp] - center);
    q_new[id] = center - cfl * dq;
}

/* kmutate launch
   int n = 1000000, dims = 8, k = 48;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   float points[n * dims] = normal();
   float centroids[k * dims] = normal();
   int label[n] = zeros();
   int members[k] = zeros();
   kmeans_assign_and_count(points, centroids, label, members, n, dims, k);
*/
__global__ void kmeans_assign_and_count(const float *points, const float *centroids, int *label, int *members, int n,
                                        int dims, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0;
    float best_dist = 1e30f;
    for (int c = 0; c < k; c++) {
        float dist = 0.0f;
        for (int d = 0; d < dims; d++) {
            float diff = points[i * dims + d] - centroids[c * dims + d];
            dist += diff * diff;
        }
        if (dist < best_dist) {
            best_dist = dist;
            best = c;
        }
    }
    label[i] = best;
    atomicAdd(&members[best], 1);
}

/* kmutate launch
   int paths = 200000, steps = 96;
   dim3 grid = { (paths + 127) / 128 }, block = { 128 };
   unsigned seeds[paths] = randint(1, 2000000000);
   float payoff[paths] = zeros();
   barrier_call_mc_paths(seeds, payoff, paths, steps, 100.0f, 102.0f, 124.0f, 0.03f, 0.25f, 1.0f);
*/
__global__ void barrier_call_mc_paths(const unsigned *seeds, float *payoff, int paths, int steps, float s0,
                                      float strike, float barrier, float rate, float sigma, float maturity)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths) return;
    unsigned state = seeds[i];
    float dt = maturity / steps;
    float drift = (rate - 0.5f * sigma * sigma) * dt;
    float vol = sigma * sqrtf(dt);
    float s = s0;
    bool alive = true;
    for (int t = 0; t < steps; t++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float u1 = (state >> 8) * (1.0f / 16777216.0f) + 1e-7f;
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float u2 = (state >> 8) * (1.0f / 16777216.0f);
        float z = sqrtf(-2.0f * logf(u1)) * cosf(6.2831853f * u2);
        s = s * expf(drift + vol * z);
        if (s >= barrier) {
            alive = false;
            break;
        }
    }
    payoff[i] = alive ? expf(-rate * maturity) * fmaxf(s - strike, 0.0f) : 0.0f;
}

/* kmutate launch
   int nx = 1536, ny = 1024;
   dim3 grid = { (nx + 31) / 32, (ny + 3) / 4 }, block = { 32, 4 };
   float f_in[nx * ny * 9] = uniform(0.05, 0.15);
   float f_out[nx * ny * 9] = zeros();
   unsigned char solid[nx * ny] = randint(0, 12);
   lbm_d2q9_cell_struct_step(f_in, f_out, solid, nx, ny, 1.2f);
*/
__global__ void lbm_d2q9_cell_struct_step(const float *f_in, float *f_out, const unsigned char *solid, int nx, int ny,
                                          float omega)
{
    const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
    const int cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const int opp[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
    const float wt[9] = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    float f[9];
    float rho = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int k = 0; k < 9; k++) {
        int sx = (x - cx[k] + nx) % nx;
        int sy = (y - cy[k] + ny) % ny;
        f[k] = f_in[(sy * nx + sx) * 9 + k];
        rho += f[k];
        ux += f[k] * cx[k];
        uy += f[k] * cy[k];
    }
    int cell = (y * nx + x) * 9;
    if (solid[y * nx + x] == 1) {
        for (int k = 0; k < 9; k++)
            f_out[cell + k] = f[opp[k]];
        return;
    }
    ux /= rho;
    uy /= rho;
    float usq = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        float cu = 3.0f * (cx[k] * ux + cy[k] * uy);
        float feq = wt[k] * rho * (1.0f + cu + 0.5f * cu * cu - usq);
        f_out[cell + k] = f[k] + omega * (feq - f[k]);
    }
}

/* kmutate launch
   int m = 4096, n = 512, k = 512;
   dim3 grid = { n / 64, m / 64 }, block = { 16, 16 };
   signed char act[m * k] = randint(-128, 128);
   signed char wgt[n * k] = randint(-128, 128);
   float scale[n] = uniform(0.0001, 0.001);
   signed char out[m * n] = zeros();
   pointwise_conv_s8_dp4a_tile((const int *)act, (const int *)wgt, scale, (int *)out, n, k / 4);
*/
__global__ void __launch_bounds__(256) pointwise_conv_s8_dp4a_tile(const int *__restrict__ act,
                                                                   const int *__restrict__ wgt,
                                                                   const float *__restrict__ scale,
                                                                   int *__restrict__ out, int n, int k4)
{
    __shared__ int sa[16][68];
    __shared__ int sb[16][68];
    const int tid = threadIdx.y * 16 + threadIdx.x;
    const int lrow = tid >> 2, lcol = (tid & 3) * 4;
    const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    const int4 *ap = reinterpret_cast<const int4 *>(act + (size_t)(row0 + lrow) * k4 + lcol);
    const int4 *bp = reinterpret_cast<const int4 *>(wgt + (size_t)(col0 + lrow) * k4 + lcol);
    int acc[4][4] = {};
    for (int kk = 0; kk < k4; kk += 16) {
        const int4 a = ap[kk / 4];
        const int4 b = bp[kk / 4];
        sa[lcol + 0][lrow] = a.x;
        sa[lcol + 1][lrow] = a.y;
        sa[lcol + 2][lrow] = a.z;
        sa[lcol + 3][lrow] = a.w;
        sb[lcol + 0][lrow] = b.x;
        sb[lcol + 1][lrow] = b.y;
        sb[lcol + 2][lrow] = b.z;
        sb[lcol + 3][lrow] = b.w;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p) {
            const int4 x = *reinterpret_cast<const int4 *>(&sa[p][threadIdx.y * 4]);
            const int4 y = *reinterpret_cast<const int4 *>(&sb[p][threadIdx.x * 4]);
            const int xs[4] = { x.x, x.y, x.z, x.w };
            const int ys[4] = { y.x, y.y, y.z, y.w };
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] = __dp4a(xs[i], ys[j], acc[i][j]);
        }
        __syncthreads();
    }
    const float4 s = *reinterpret_cast<const float4 *>(scale + col0 + threadIdx.x * 4);
    const float sc[4] = { s.x, s.y, s.z, s.w };
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        unsigned packed = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int v = max(-128, min(127, __float2int_rn(acc[i][j] * sc[j])));
            packed |= (unsigned)(v & 0xff) << (8 * j);
        }
        out[((size_t)(row0 + threadIdx.y * 4 + i) * n + col0) / 4 + threadIdx.x] = (int)packed;
    }
}

/* kmutate launch
   int images = 2, groups = 32, per_group = 20, hw = 4096;
   dim3 grid = { groups, images }, block = { 512 };
   __nv_bfloat16 x[images * groups * per_group * hw] = normal(0.2, 1.5);
   __nv_bfloat16 gamma[groups * per_group] = uniform(0.8, 1.2);
   __nv_bfloat16 beta[groups * per_group] = normal(0, 0.1);
   __nv_bfloat16 y[images * groups * per_group * hw] = zeros();
   groupnorm_swish_bf16_vec8(x, gamma, beta, y, per_group, hw, 1e-5f);
*/
__global__ void __launch_bounds__(512) groupnorm_swish_bf16_vec8(const __nv_bfloat16 *__restrict__ x,
                                                                 const __nv_bfloat16 *__restrict__ gamma,
                                                                 const __nv_bfloat16 *__restrict__ beta,
                                                                 __nv_bfloat16 *__restrict__ y, int per_group, int hw,
                                                                 float eps)
{
    __shared__ float2 part[16];
    __shared__ float2 stats;
    const int group = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int vecs = per_group * hw / 8;
    const size_t base = ((size_t)blockIdx.y * gridDim.x + group) * vecs;
    const uint4 *src = reinterpret_cast<const uint4 *>(x) + base;
    uint4 *dst = reinterpret_cast<uint4 *>(y) + base;
    float sum = 0.f, sq = 0.f;
    for (int i = threadIdx.x; i < vecs; i += 512) {
        const uint4 raw = src[i];
        const __nv_bfloat162 *h = reinterpret_cast<const __nv_bfloat162 *>(&raw);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __bfloat1622float2(h[j]);
            sum += f.x + f.y;
            sq = fmaf(f.x, f.x, fmaf(f.y, f.y, sq));
        }
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
        sq += __shfl_xor_sync(0xffffffffu, sq, o);
    }
    if (lane == 0) part[warp] = make_float2(sum, sq);
    __syncthreads();
    if (warp == 0) {
        float2 p = lane < 16 ? part[lane] : make_float2(0.f, 0.f);
#pragma unroll
        for (int o = 8; o; o >>= 1) {
            p.x += __shfl_xor_sync(0xffffffffu, p.x, o);
            p.y += __shfl_xor_sync(0xffffffffu, p.y, o);
        }
        if (lane == 0) {
            const float mean = p.x / (per_group * hw);
            stats = make_float2(mean, rsqrtf(p.y / (per_group * hw) - mean * mean + eps));
        }
    }
    __syncthreads();
    const float mean = stats.x, inv = stats.y;
    for (int i = threadIdx.x; i < vecs; i += 512) {
        const int ch = group * per_group + i * 8 / hw;
        const float g = __bfloat162float(gamma[ch]) * inv;
        const float b = __bfloat162float(beta[ch]) - mean * g;
        const uint4 raw = src[i];
        uint4 res;
        const __nv_bfloat162 *h = reinterpret_cast<const __nv_bfloat162 *>(&raw);
        __nv_bfloat162 *r = reinterpret_cast<__nv_bfloat162 *>(&res);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __bfloat1622float2(h[j]);
            const float u = fmaf(f.x, g, b), v = fmaf(f.y, g, b);
            r[j] = __floats2bfloat162_rn(__fdividef(u, 1.f + __expf(-u)), __fdividef(v, 1.f + __expf(-v)));
        }
        dst[i] = res;
    }
}

/* kmutate launch
   int m = 1024, n = 1024, k = 768;
   dim3 grid = { n / 128, m / 64 }, block = { 256 };
   float a[m * k] = normal();
   float b[k * n] = normal(0, 0.05);
   float bias[n] = normal();
   float c[m * n] = zeros();
   dense_bias_relu_64x128_pingpong(a, b, bias, c, n, k);
*/
__global__ void __launch_bounds__(256) dense_bias_relu_64x128_pingpong(const float *__restrict__ a,
                                                                       const float *__restrict__ b,
                                                                       const float *__restrict__ bias,
                                                                       float *__restrict__ c, int n, int k)
{
    __shared__ __align__(16) float as[2][16][68];
    __shared__ __align__(16) float bs[2][16][128];
    const int tid = threadIdx.x;
    const int arow = tid >> 2, acol = (tid & 3) * 4;
    const int brow = tid >> 5, bcol = (tid & 31) * 4;
    const int ty = tid >> 5, tx = tid & 31;
    const float *ap = a + (size_t)(blockIdx.y * 64 + arow) * k + acol;
    const float *bp = b + (size_t)brow * n + blockIdx.x * 128 + bcol;
    float acc[8][4] = {};

    float4 ra = *reinterpret_cast<const float4 *>(ap);
    float4 rb0 = *reinterpret_cast<const float4 *>(bp);
    float4 rb1 = *reinterpret_cast<const float4 *>(bp + (size_t)8 * n);
    as[0][acol + 0][arow] = ra.x;
    as[0][acol + 1][arow] = ra.y;
    as[0][acol + 2][arow] = ra.z;
    as[0][acol + 3][arow] = ra.w;
    *reinterpret_cast<float4 *>(&bs[0][brow][bcol]) = rb0;
    *reinterpret_cast<float4 *>(&bs[0][brow + 8][bcol]) = rb1;
    __syncthreads();

    int cur = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        const bool more = k0 + 16 < k;
        if (more) {
            ra = *reinterpret_cast<const float4 *>(ap + k0 + 16);
            rb0 = *reinterpret_cast<const float4 *>(bp + (size_t)(k0 + 16) * n);
            rb1 = *reinterpret_cast<const float4 *>(bp + (size_t)(k0 + 24) * n);
        }
#pragma unroll
        for (int p = 0; p < 16; ++p) {
            const float4 x0 = *reinterpret_cast<const float4 *>(&as[cur][p][ty * 8]);
            const float4 x1 = *reinterpret_cast<const float4 *>(&as[cur][p][ty * 8 + 4]);
            const float4 y = *reinterpret_cast<const float4 *>(&bs[cur][p][tx * 4]);
            const float xs[8] = { x0.x, x0.y, x0.z, x0.w, x1.x, x1.y, x1.z, x1.w };
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                acc[i][0] = fmaf(xs[i], y.x, acc[i][0]);
                acc[i][1] = fmaf(xs[i], y.y, acc[i][1]);
                acc[i][2] = fmaf(xs[i], y.z, acc[i][2]);
                acc[i][3] = fmaf(xs[i], y.w, acc[i][3]);
            }
        }
        if (more) {
            const int nxt = cur ^ 1;
            as[nxt][acol + 0][arow] = ra.x;
            as[nxt][acol + 1][arow] = ra.y;
            as[nxt][acol + 2][arow] = ra.z;
            as[nxt][acol + 3][arow] = ra.w;
            *reinterpret_cast<float4 *>(&bs[nxt][brow][bcol]) = rb0;
            *reinterpret_cast<float4 *>(&bs[nxt][brow + 8][bcol]) = rb1;
            __syncthreads();
            cur = nxt;
        }
    }
    const int col = blockIdx.x * 128 + tx * 4;
    const float4 bv = *reinterpret_cast<const float4 *>(bias + col);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float4 o;
        o.x = fmaxf(acc[i][0] + bv.x, 0.f);
        o.y = fmaxf(acc[i][1] + bv.y, 0.f);
        o.z = fmaxf(acc[i][2] + bv.z, 0.f);
        o.w = fmaxf(acc[i][3] + bv.w, 0.f);
        *reinterpret_cast<float4 *>(c + (size_t)(blockIdx.y * 64 + ty * 8 + i) * n + col) = o;
    }
}

/* kmutate launch
   int width = 8192, height = 4096, strip = 16;
   int words = width / 2;
   dim3 grid = { words / 128, height / strip }, block = { 128 };
   unsigned short image[width * height] = randint(0, 4096);
   unsigned short out[width * height] = zeros();
   median3x3_u16x2_rolling((const unsigned *)image, (unsigned *)out, words, height, strip);
*/
__global__ void median3x3_u16x2_rolling(const unsigned *__restrict__ image, unsigned *__restrict__ out, int words,
                                        int height, int strip)
{
    const int x = blockIdx.x * 128 + threadIdx.x;
    const int y0 = blockIdx.y * strip, y1 = min(y0 + strip, height);
    const int xl = max(x - 1, 0), xr = min(x + 1, words - 1);
    unsigned lo[3], mid[3], hi[3];
    unsigned prev[3], cur[3];
    {
        const unsigned *up = image + (size_t)max(y0 - 1, 0) * words;
        const unsigned *at = image + (size_t)y0 * words;
        unsigned c = up[x], l = up[xl], r = up[xr];
        prev[0] = __byte_perm(l, c, 0x5432);
        prev[1] = c;
        prev[2] = __byte_perm(c, r, 0x5432);
        c = at[x], l = at[xl], r = at[xr];
        cur[0] = __byte_perm(l, c, 0x5432);
        cur[1] = c;
        cur[2] = __byte_perm(c, r, 0x5432);
    }
    for (int y = y0; y < y1; ++y) {
        const unsigned *dn = image + (size_t)min(y + 1, height - 1) * words;
        const unsigned c = dn[x], l = dn[xl], r = dn[xr];
        const unsigned next[3] = { __byte_perm(l, c, 0x5432), c, __byte_perm(c, r, 0x5432) };
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const unsigned a = __vminu2(prev[i], cur[i]), b = __vmaxu2(prev[i], cur[i]);
            lo[i] = __vminu2(a, next[i]);
            const unsigned t = __vmaxu2(a, next[i]);
            mid[i] = __vminu2(b, t);
            hi[i] = __vmaxu2(b, t);
            prev[i] = cur[i];
            cur[i] = next[i];
        }
        const unsigned low = __vmaxu2(lo[0], __vmaxu2(lo[1], lo[2]));
        const unsigned high = __vminu2(hi[0], __vminu2(hi[1], hi[2]));
        const unsigned a = __vminu2(mid[0], mid[1]), b = __vmaxu2(mid[0], mid[1]);
        const unsigned m = __vmaxu2(a, __vminu2(b, mid[2]));
        const unsigned p = __vminu2(low, high), q = __vmaxu2(low, high);
        out[(size_t)y * words + x] = __vmaxu2(p, __vminu2(q, m));
    }
}

/* kmutate launch
   int rows = 11008, cols = 4096, group = 128;
   dim3 grid = { rows / 4 }, block = { 128 };
   uint4 packed[rows * cols / 32] = randint(0, 4294967296);
   half scale[rows * (cols / 128)] = uniform(0.002, 0.02);
   half x[cols] = normal();
   half y[rows] = zeros();
   q4_group128_gemv_warp_row(packed, scale, x, y, cols);
*/
__global__ void __launch_bounds__(128) q4_group128_gemv_warp_row(const uint4 *__restrict__ packed,
                                                                 const half *__restrict__ scale,
                                                                 const half *__restrict__ x, half *__restrict__ y,
                                                                 int cols)
{
    __shared__ __align__(16) half xs[4096];
    for (int i = threadIdx.x; i < cols / 8; i += 128)
        reinterpret_cast<uint4 *>(xs)[i] = reinterpret_cast<const uint4 *>(x)[i];
    __syncthreads();
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * 4 + (threadIdx.x >> 5);
    const uint4 *wr = packed + (size_t)row * (cols / 32);
    const half *sr = scale + (size_t)row * (cols / 128);
    float acc = 0.f;
#pragma unroll 2
    for (int i = lane; i < cols / 32; i += 32) {
        const uint4 q = wr[i];
        const float s = __half2float(sr[i >> 2]);
        const unsigned w[4] = { q.x, q.y, q.z, q.w };
        float part = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const uint4 xv = *reinterpret_cast<const uint4 *>(xs + i * 32 + j * 8);
            const half2 *xh = reinterpret_cast<const half2 *>(&xv);
#pragma unroll
            for (int t = 0; t < 4; ++t) {
                const float2 f = __half22float2(xh[t]);
                const int lo = (int)((w[j] >> (8 * t)) & 15u) - 8;
                const int hi = (int)((w[j] >> (8 * t + 4)) & 15u) - 8;
                part = fmaf((float)lo, f.x, part);
                part = fmaf((float)hi, f.y, part);
            }
        }
        acc = fmaf(part, s, acc);
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if (lane == 0) y[row] = __float2half(acc);
}

/* kmutate launch
   int batch = 16384;
   dim3 grid = { batch / 4 }, block = { 64, 4 };
   float2 signal[batch * 256] = normal();
   float2 spectrum[batch * 256] = zeros();
   fft256_stockham_radix4_rows(signal, spectrum);
*/
__global__ void __launch_bounds__(256) fft256_stockham_radix4_rows(const float2 *__restrict__ signal,
                                                                   float2 *__restrict__ spectrum)
{
    __shared__ float2 buf[4][256];
    const int j = threadIdx.x;
    float2 *row = buf[threadIdx.y];
    const size_t base = ((size_t)blockIdx.x * 4 + threadIdx.y) * 256;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r] = signal[base + j + r * 64];
#pragma unroll
    for (int ns = 1; ns < 256; ns *= 4) {
        const int m = j & (ns - 1);
        if (ns > 1) {
            float s, c;
            sincospif(-0.5f * m / ns, &s, &c);
            float2 w = make_float2(c, s);
#pragma unroll
            for (int r = 1; r < 4; ++r) {
                v[r] = make_float2(v[r].x * w.x - v[r].y * w.y, v[r].x * w.y + v[r].y * w.x);
                w = make_float2(w.x * c - w.y * s, w.x * s + w.y * c);
            }
        }
        const float2 s0 = make_float2(v[0].x + v[2].x, v[0].y + v[2].y);
        const float2 d0 = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        const float2 s1 = make_float2(v[1].x + v[3].x, v[1].y + v[3].y);
        const float2 d1 = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        v[0] = make_float2(s0.x + s1.x, s0.y + s1.y);
        v[1] = make_float2(d0.x + d1.x, d0.y + d1.y);
        v[2] = make_float2(s0.x - s1.x, s0.y - s1.y);
        v[3] = make_float2(d0.x - d1.x, d0.y - d1.y);
        if (ns < 64) {
            const int to = (j - m) * 4 + m;
#pragma unroll
            for (int r = 0; r < 4; ++r) row[to + r * ns] = v[r];
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; ++r) v[r] = row[j + r * 64];
            __syncthreads();
        }
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) spectrum[base + j + r * 64] = v[r];
}

/* kmutate launch
   int vertices = 524288;
   int edges = csr_nnz(vertices, 2, 48);
   dim3 grid = { (vertices + 255) / 256 }, block = { 256 };
   int rowptr[vertices + 1] = csr_rowptr(vertices, 2, 48);
   int neighbour[edges] = csr_colidx(vertices);
   int level[vertices] = randint(-14, 7);
   int next_level[vertices] = zeros();
   int parent[vertices] = fill(-1);
   int found[1] = zeros();
   bfs_pull_unvisited_vertices(rowptr, neighbour, level, next_level, parent, found, 6, vertices);
*/
__global__ void bfs_pull_unvisited_vertices(const int *__restrict__ rowptr, const int *__restrict__ neighbour,
                                            const int *__restrict__ level, int *next_level, int *parent, int *found,
                                            int depth, int vertices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    bool hit = false;
    if (v < vertices) {
        int mine = level[v];
        if (mine < 0) {
            const int end = rowptr[v + 1];
            for (int e = rowptr[v]; e < end; ++e) {
                const int u = neighbour[e];
                if (level[u] == depth) {
                    parent[v] = u;
                    mine = depth + 1;
                    hit = true;
                    break;
                }
            }
        }
        next_level[v] = mine;
    }
    const unsigned ballot = __ballot_sync(0xffffffffu, hit);
    if ((threadIdx.x & 31) == 0 && ballot) atomicAdd(found, __popc(ballot));
}

/* kmutate launch
   int probes = 6000000, slots = 1 << 22;
   dim3 grid = { (probes + 255) / 256 }, block = { 256 };
   int2 table[slots] = randint(-900000, 2100000);
   int keys[probes] = randint(0, 2100000);
   int matched[probes] = zeros();
   hash_join_probe_open_address(table, keys, matched, (unsigned)(slots - 1), probes);
*/
__global__ void hash_join_probe_open_address(const int2 *__restrict__ table, const int *__restrict__ keys,
                                             int *__restrict__ matched, unsigned mask, int probes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    const int key = keys[i];
    unsigned h = (unsigned)key;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    unsigned slot = h & mask;
    int result = -1;
    for (unsigned tries = 0; tries <= mask; ++tries) {
        const int2 entry = table[slot];
        if (entry.x < 0) break;
        if (entry.x == key) {
            result = entry.y;
            break;
        }
        slot = (slot + 1) & mask;
    }
    matched[i] = result;
}

/* kmutate launch
   int reads = 131072, length = 150, bins = 1 << 16;
   dim3 grid = { (reads + 127) / 128 }, block = { 128 };
   unsigned char bases[reads * length] = randint(0, 4);
   unsigned sketch[bins] = zeros();
   int minimizers[reads] = zeros();
   read_minimizer_sketch_k21(bases, sketch, minimizers, reads, length, (unsigned)(bins - 1));
*/
__global__ void read_minimizer_sketch_k21(const unsigned char *bases, unsigned *sketch, int *minimizers, int reads,
                                          int length, unsigned bin_mask)
{
    const int K = 21, W = 8;
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= reads) return;
    const unsigned char *read = bases + (size_t)id * length;
    const uint64_t mask = (1ull << (2 * K)) - 1;
    uint64_t fwd = 0, rev = 0;
    uint64_t window[8];
    uint64_t best = ~0ull;
    int best_pos = -1, count = 0;
    for (int i = 0; i < length; i++) {
        uint64_t c = read[i] & 3;
        fwd = ((fwd << 2) | c) & mask;
        rev = (rev >> 2) | ((3 - c) << (2 * (K - 1)));
        int pos = i - K + 1;
        if (pos < 0) continue;
        uint64_t h = fwd < rev ? fwd : rev;
        h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15ull;
        h = h ^ (h >> 29);
        window[pos % W] = h;
        bool changed = false;
        if (h <= best) {
            best = h;
            best_pos = pos;
            changed = true;
        } else if (best_pos <= pos - W) {
            best = ~0ull;
            for (int j = pos - W + 1; j <= pos; j++) {
                if (window[j % W] <= best) {
                    best = window[j % W];
                    best_pos = j;
                }
            }
            changed = true;
        }
        if (changed && pos >= W - 1) {
            atomicAdd(&sketch[(unsigned)(best >> 40) & bin_mask], 1u);
            count++;
        }
    }
    minimizers[id] = count;
}

/* kmutate launch
   int rows = 65536, features = 32, trees = 40, nodes = 1023;
   dim3 grid = { (rows + 255) / 256 }, block = { 256 };
   float x[rows * features] = uniform(0, 1);
   short split_feature[trees * nodes] = randint(-2, 32);
   float split_value[trees * nodes] = uniform(0.2, 0.8);
   float score[rows] = zeros();
   boosted_trees_score_rows(x, split_feature, split_value, score, rows, features, trees, nodes);
*/
__global__ void boosted_trees_score_rows(const float *__restrict__ x, const short *__restrict__ split_feature,
                                         const float *__restrict__ split_value, float *__restrict__ score, int rows,
                                         int features, int trees, int nodes)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float *mine = x + (size_t)row * features;
    float total = 0.f;
    for (int t = 0; t < trees; ++t) {
        const short *feat = split_feature + t * nodes;
        const float *value = split_value + t * nodes;
        int node = 0;
        while (true) {
            const int f = feat[node];
            const float v = value[node];
            const int child = 2 * node + (f >= 0 && mine[f] >= v ? 2 : 1);
            if (f < 0 || child >= nodes) {
                total += v;
                break;
            }
            node = child;
        }
    }
    score[row] = 1.f / (1.f + __expf(-0.05f * (total - 20.f)));
}

/* kmutate launch
   int pairs = 196608, longest = 200;
   dim3 grid = { (pairs + 127) / 128 }, block = { 128 };
   unsigned char pattern[64 * pairs] = randint(0, 4);
   unsigned char text[longest * pairs] = randint(0, 4);
   int text_len[pairs] = randint(80, 201);
   int distance[pairs] = zeros();
   edit_distance_myers64_batch(pattern, text, text_len, distance, pairs);
*/
__global__ void edit_distance_myers64_batch(const unsigned char *__restrict__ pattern,
                                            const unsigned char *__restrict__ text, const int *__restrict__ text_len,
                                            int *__restrict__ distance, int pairs)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= pairs) return;
    uint64_t eq0 = 0, eq1 = 0, eq2 = 0, eq3 = 0;
    for (int i = 0; i < 64; ++i) {
        const int c = pattern[(size_t)i * pairs + id];
        const uint64_t bit = 1ull << i;
        if (c == 0) eq0 |= bit;
        else if (c == 1) eq1 |= bit;
        else if (c == 2) eq2 |= bit;
        else eq3 |= bit;
    }
    uint64_t pv = ~0ull, mv = 0;
    int score = 64, best = 64;
    const int len = text_len[id];
    for (int j = 0; j < len; ++j) {
        const int c = text[(size_t)j * pairs + id];
        const uint64_t eq = c & 2 ? (c & 1 ? eq3 : eq2) : (c & 1 ? eq1 : eq0);
        const uint64_t xv = eq | mv;
        const uint64_t xh = (((eq & pv) + pv) ^ pv) | eq;
        uint64_t ph = mv | ~(xh | pv);
        uint64_t mh = pv & xh;
        score += (int)(ph >> 63) - (int)(mh >> 63);
        ph <<= 1;
        mh <<= 1;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
        best = min(best, score);
    }
    distance[id] = best;
}

/* kmutate launch
   int nodes = 131072, feat = 64;
   int edges = csr_nnz(nodes, 1, 40);
   dim3 grid = { (nodes + 7) / 8 }, block = { 32, 8 };
   int offsets[nodes + 1] = csr_rowptr(nodes, 1, 40);
   int source[edges] = csr_colidx(nodes);
   half2 h[nodes * 32] = normal();
   half2 agg[nodes * 32] = zeros();
   sage_mean_gather_half64(offsets, source, h, agg, nodes);
*/
__global__ void sage_mean_gather_half64(const int *__restrict__ offsets, const int *__restrict__ source,
                                        const half2 *__restrict__ h, half2 *__restrict__ agg, int nodes)
{
    const int node = blockIdx.x * blockDim.y + threadIdx.y;
    if (node >= nodes) return;
    const int lane = threadIdx.x;
    const int begin = offsets[node], end = offsets[node + 1];
    float sx = 0.f, sy = 0.f;
    for (int base = begin; base < end; base += 32) {
        const int take = min(32, end - base);
        const int idx = lane < take ? source[base + lane] : 0;
        for (int t = 0; t < take; ++t) {
            const int from = __shfl_sync(0xffffffffu, idx, t);
            const float2 f = __half22float2(h[(size_t)from * 32 + lane]);
            sx += f.x;
            sy += f.y;
        }
    }
    const float inv = 1.f / max(end - begin, 1);
    agg[(size_t)node * 32 + lane] = __floats2half2_rn(sx * inv, sy * inv);
}

/* kmutate launch
   int n = 1 << 20;
   dim3 grid = { n / 1024 }, block = { 512 };
   unsigned long long keys_in[n] = randint(0, 1000000000000000);
   unsigned values_in[n] = iota();
   unsigned long long keys_out[n] = zeros();
   unsigned values_out[n] = zeros();
   bitonic_tile_sort_u64_pairs(keys_in, values_in, keys_out, values_out);
*/
__global__ void bitonic_tile_sort_u64_pairs(const unsigned long long *keys_in, const unsigned *values_in,
                                            unsigned long long *keys_out, unsigned *values_out)
{
    __shared__ unsigned long long key[1024];
    __shared__ unsigned val[1024];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * 1024;
    key[t] = keys_in[base + t];
    key[t + 512] = keys_in[base + t + 512];
    val[t] = values_in[base + t];
    val[t + 512] = values_in[base + t + 512];
    for (int size = 2; size <= 1024; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            const int lo = 2 * t - (t & (stride - 1));
            const int hi = lo + stride;
            const bool up = (lo & size) == 0;
            const unsigned long long a = key[lo], b = key[hi];
            if ((a > b) == up) {
                key[lo] = b;
                key[hi] = a;
                const unsigned v = val[lo];
                val[lo] = val[hi];
                val[hi] = v;
            }
        }
    }
    __syncthreads();
    keys_out[base + t] = key[t];
    keys_out[base + t + 512] = key[t + 512];
    values_out[base + t] = val[t];
    values_out[base + t + 512] = val[t + 512];
}
