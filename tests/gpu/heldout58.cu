#include <cuda_fp16.h>
#include <cuda_bf16.h>

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: straight ports from CPU code
// ---------------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int width = 1280, height = 720;
   dim3 block = { 16, 8 };
   dim3 grid = { (width + 15) / 16, (height + 7) / 8 };
   float depth[width * height] = zeros();
   quat_julia_depth_march(depth, width, height, make_float4(-0.2f, 0.6f, 0.2f, 0.1f), 48, 9, 0.0015f);
*/
__global__ void quat_julia_depth_march(float *depth, int width, int height, float4 c, int max_steps, int max_iter,
                                       float eps)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    float u = (2.0f * (px + 0.5f) - width) / height;
    float v = (2.0f * (py + 0.5f) - height) / height;
    float dx = u * 0.6f, dy = v * 0.6f, dz = 1.0f;
    float len = sqrtf(dx * dx + dy * dy + dz * dz);
    dx /= len;
    dy /= len;
    dz /= len;
    float ox = 0.0f, oy = 0.0f, oz = -2.6f;
    float t = 0.0f;
    float hit = -1.0f;
    for (int step = 0; step < max_steps; step++) {
        float zx = ox + t * dx, zy = oy + t * dy, zz = oz + t * dz, zw = 0.0f;
        float dr2 = 1.0f;
        float r2 = zx * zx + zy * zy + zz * zz + zw * zw;
        for (int i = 0; i < max_iter; i++) {
            dr2 *= 4.0f * r2;
            float nx = zx * zx - zy * zy - zz * zz - zw * zw + c.x;
            float two = 2.0f * zx;
            zy = two * zy + c.y;
            zz = two * zz + c.z;
            zw = two * zw + c.w;
            zx = nx;
            r2 = zx * zx + zy * zy + zz * zz + zw * zw;
            if (r2 > 16.0f)
                break;
        }
        float dist = 0.25f * logf(r2) * sqrtf(r2 / dr2);
        if (dist < eps) {
            hit = t;
            break;
        }
        t += dist;
        if (t > 6.0f)
            break;
    }
    depth[py * width + px] = hit;
}

/* kmutate launch
   int paths = 196608, steps = 96;
   dim3 block = 128;
   dim3 grid = (paths + 127) / 128;
   unsigned seeds[paths] = randint(1, 2147483647);
   float payoff[paths] = zeros();
   asian_barrier_localvol_path(payoff, seeds, paths, steps, 100.0f, 102.0f, 140.0f, 0.02f, 0.24f, 0.7f, 1.0f / 96);
*/
__global__ void asian_barrier_localvol_path(float *payoff, const unsigned *seeds, int paths, int steps, float s0,
                                            float strike, float barrier, float rate, float sigma0, float beta, float dt)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths)
        return;
    unsigned a = seeds[p];
    unsigned b = a * 69069u + 362437u;
    float s = s0;
    float sum = 0.0f;
    bool alive = true;
    float sq = sqrtf(dt);
    for (int i = 0; i < steps && alive; i++) {
        a ^= a << 13;
        a ^= a >> 17;
        a ^= a << 5;
        b = b * 1664525u + 1013904223u;
        float u1 = ((a >> 8) + 1) * (1.0f / 16777217.0f);
        float u2 = (b >> 8) * (1.0f / 16777216.0f);
        float z = sqrtf(-2.0f * logf(u1)) * cosf(6.2831853f * u2);
        // constant elasticity of variance
        float vol = sigma0 * powf(s / s0, beta - 1.0f);
        s = s * expf((rate - 0.5f * vol * vol) * dt + vol * sq * z);
        sum += s;
        if (s > barrier)
            alive = false;
    }
    float avg = sum / steps;
    float gain = avg - strike;
    payoff[p] = alive && gain > 0.0f ? gain * expf(-rate * steps * dt) : 0.0f;
}

/* kmutate launch
   int pairs = 32768, qlen = 40, rlen = 56;
   dim3 block = 64;
   dim3 grid = (pairs + 63) / 64;
   unsigned char query[pairs * qlen] = randint(0, 4);
   unsigned char window[pairs * rlen] = randint(0, 4);
   int best[pairs] = zeros(), where[pairs] = zeros();
   affine_gap_local_align(query, window, best, where, pairs, qlen, rlen, 2, 3, 5, 1);
*/
#define ALIGN_MAX 48
__global__ void affine_gap_local_align(const unsigned char *query, const unsigned char *window, int *best, int *where,
                                       int pairs, int qlen, int rlen, int match, int mismatch, int gap_open, int gap_ext)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs)
        return;
    int H[ALIGN_MAX + 1], E[ALIGN_MAX + 1];
    const unsigned char *q = query + pair * qlen;
    const unsigned char *r = window + pair * rlen;
    for (int j = 0; j <= qlen; j++) {
        H[j] = 0;
        E[j] = -1000;
    }
    int top = 0, at = 0;
    for (int i = 0; i < rlen; i++) {
        int diag = 0;
        int left = 0;
        int F = -1000;
        unsigned char base = r[i];
        for (int j = 1; j <= qlen; j++) {
            int e = max(E[j] - gap_ext, H[j] - gap_open);
            F = max(F - gap_ext, left - gap_open);
            int h = diag + (q[j - 1] == base ? match : -mismatch);
            h = max(max(h, 0), max(e, F));
            diag = H[j];
            H[j] = h;
            E[j] = e;
            left = h;
            if (h > top) {
                top = h;
                at = i * qlen + j - 1;
            }
        }
    }
    best[pair] = top;
    where[pair] = at;
}

/* kmutate launch
   int pages = 1 << 20, lo = 1, hi = 15;
   int links = csr_nnz(pages, lo, hi);
   dim3 block = 256;
   dim3 grid = (pages + 255) / 256;
   int in_start[pages + 1] = csr_rowptr(pages, lo, hi);
   int in_from[links] = csr_colidx(pages);
   float rank[pages] = uniform(0, 0.00001);
   float inv_out[pages] = uniform(0.05, 1);
   float next[pages] = zeros(), change[pages] = zeros();
   linkrank_pull_step(in_start, in_from, rank, inv_out, next, change, pages, 0.85f);
*/
__global__ void linkrank_pull_step(const int *in_start, const int *in_from, const float *rank, const float *inv_out,
                                   float *next, float *change, int pages, float damping)
{
    int page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page < pages) {
        float sum = 0.0f;
        for (int k = in_start[page]; k < in_start[page + 1]; k++) {
            int from = in_from[k];
            sum += rank[from] * inv_out[from];
        }
        float r = (1.0f - damping) / pages + damping * sum;
        next[page] = r;
        change[page] = fabsf(r - rank[page]);
    }
}

/* kmutate launch
   int side = 32, cells = side * side * side, lo = 3, hi = 11;
   int count = csr_nnz(cells, lo, hi);
   dim3 block = 32;
   dim3 grid = cells;
   struct Particle { float x, y, z, mass; };
   int cell_start[cells + 1] = csr_rowptr(cells, lo, hi);
   struct Particle parts[count] = uniform(0, 1);
   float density[count] = zeros();
   float kernel_grad[count] = zeros();
   sph_cellwise_density(cell_start, parts, density, kernel_grad, side, 1.0f);
*/
struct Particle {
    float x, y, z, mass;   // position relative to the particle's own cell
};

__global__ void sph_cellwise_density(const int *cell_start, const Particle *parts, float *density, float *kernel_grad,
                                     int side, float h)
{
    int cell = blockIdx.x;
    int cx = cell % side, cy = cell / side % side, cz = cell / (side * side);
    int end = cell_start[cell + 1];
    float h2 = h * h;
    float poly6 = 315.0f / (64.0f * 3.14159265f * h2 * h2 * h2 * h2 * h);
    for (int i = cell_start[cell] + threadIdx.x; i < end; i += blockDim.x) {
        Particle me = parts[i];
        float rho = 0.0f, grad = 0.0f;
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int ox = cx + dx, oy = cy + dy, oz = cz + dz;
                    if (ox < 0 || oy < 0 || oz < 0 || ox >= side || oy >= side || oz >= side)
                        continue;
                    int other = (oz * side + oy) * side + ox;
                    for (int j = cell_start[other]; j < cell_start[other + 1]; j++) {
                        Particle p = parts[j];
                        float rx = p.x + dx - me.x, ry = p.y + dy - me.y, rz = p.z + dz - me.z;
                        float r2 = rx * rx + ry * ry + rz * rz;
                        if (r2 < h2) {
                            float d = h2 - r2;
                            rho += p.mass * d * d * d;
                            grad += p.mass * d * d * sqrtf(r2);
                        }
                    }
                }
        density[i] = poly6 * rho;
        kernel_grad[i] = -6.0f * poly6 * grad;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2: after a first round of optimization
// ---------------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int rows = 8192, hidden = 2048;
   dim3 block = { 32, 4 };
   dim3 grid = (rows + 3) / 4;
   __nv_bfloat16 x[rows * hidden] = normal(0, 1);
   __nv_bfloat16 residual[rows * hidden] = normal(0, 2);
   __nv_bfloat16 gain[hidden] = uniform(0.5, 1.5);
   __nv_bfloat16 out[rows * hidden] = zeros();
   add_rmsnorm_bf16_warprow<2048>(x, residual, gain, out, rows, 1e-5f);
*/
template <int HIDDEN>
__global__ void __launch_bounds__(128)
add_rmsnorm_bf16_warprow(const __nv_bfloat16 *x, __nv_bfloat16 *residual, const __nv_bfloat16 *gain,
                         __nv_bfloat16 *out, int rows, float eps)
{
    constexpr int VECS = HIDDEN / (32 * 8);
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    int lane = threadIdx.x;
    const uint4 *xv = reinterpret_cast<const uint4 *>(x + (size_t)row * HIDDEN);
    uint4 *rv = reinterpret_cast<uint4 *>(residual + (size_t)row * HIDDEN);
    uint4 *ov = reinterpret_cast<uint4 *>(out + (size_t)row * HIDDEN);
    const uint4 *gv = reinterpret_cast<const uint4 *>(gain);
    uint4 keep[VECS];
    float ss = 0.0f;
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        uint4 a = xv[v * 32 + lane];
        uint4 b = rv[v * 32 + lane];
        __nv_bfloat162 *pa = reinterpret_cast<__nv_bfloat162 *>(&a);
        __nv_bfloat162 *pb = reinterpret_cast<__nv_bfloat162 *>(&b);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 fa = __bfloat1622float2(pa[k]);
            float2 fb = __bfloat1622float2(pb[k]);
            fa.x += fb.x;
            fa.y += fb.y;
            ss += fa.x * fa.x + fa.y * fa.y;
            pa[k] = __floats2bfloat162_rn(fa.x, fa.y);
        }
        keep[v] = a;
        rv[v * 32 + lane] = a;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        ss += __shfl_xor_sync(0xffffffffu, ss, d);
    float inv = rsqrtf(ss / HIDDEN + eps);
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        uint4 g = gv[v * 32 + lane];
        __nv_bfloat162 *pg = reinterpret_cast<__nv_bfloat162 *>(&g);
        __nv_bfloat162 *pk = reinterpret_cast<__nv_bfloat162 *>(&keep[v]);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 f = __bfloat1622float2(pk[k]);
            float2 w = __bfloat1622float2(pg[k]);
            pk[k] = __floats2bfloat162_rn(f.x * inv * w.x, f.y * inv * w.y);
        }
        ov[v * 32 + lane] = keep[v];
    }
}

/* kmutate launch
   int w = 2048, h = 1536;
   dim3 block = { 32, 8 };
   dim3 grid = { w / 32, h / 16 };
   float noisy[w * h] = uniform(0, 1);
   float smooth[w * h] = zeros();
   extern float c_space[49] = uniform(0.2, 1);
   bilateral7_smem_denoise(noisy, smooth, w, h, -18.0f);
*/
#define BIL_R 3
#define BIL_TW 32
#define BIL_TH 16
__constant__ float c_space[49];

__global__ void bilateral7_smem_denoise(const float *__restrict__ noisy, float *__restrict__ smooth, int w, int h,
                                        float range_coeff)
{
    __shared__ float tile[BIL_TH + 2 * BIL_R][BIL_TW + 2 * BIL_R];
    int x0 = blockIdx.x * BIL_TW - BIL_R, y0 = blockIdx.y * BIL_TH - BIL_R;
    int tid = threadIdx.y * BIL_TW + threadIdx.x;
    for (int i = tid; i < (BIL_TH + 2 * BIL_R) * (BIL_TW + 2 * BIL_R); i += 256) {
        int ty = i / (BIL_TW + 2 * BIL_R), tx = i % (BIL_TW + 2 * BIL_R);
        int gx = min(max(x0 + tx, 0), w - 1);
        int gy = min(max(y0 + ty, 0), h - 1);
        tile[ty][tx] = noisy[gy * w + gx];
    }
    __syncthreads();
    for (int part = 0; part < BIL_TH; part += 8) {
        int ly = threadIdx.y + part;
        float centre = tile[ly + BIL_R][threadIdx.x + BIL_R];
        float sum = 0.0f, norm = 0.0f;
#pragma unroll
        for (int dy = 0; dy < 2 * BIL_R + 1; dy++)
#pragma unroll
            for (int dx = 0; dx < 2 * BIL_R + 1; dx++) {
                float value = tile[ly + dy][threadIdx.x + dx];
                float d = value - centre;
                float weight = c_space[dy * (2 * BIL_R + 1) + dx] * __expf(range_coeff * d * d);
                sum += weight * value;
                norm += weight;
            }
        smooth[(blockIdx.y * BIL_TH + ly) * w + blockIdx.x * BIL_TW + threadIdx.x] = sum / norm;
    }
}

/* kmutate launch
   int voxels = 24 << 20;
   dim3 block = 512;
   dim3 grid = 264;
   unsigned char fixed_img[voxels] = randint(0, 256);
   unsigned char moving_img[voxels] = randint(0, 256);
   unsigned joint[4096] = zeros();
   joint_intensity_hist64(fixed_img, moving_img, joint, voxels / 4, 60.0f, 0.45f);
*/
__global__ void joint_intensity_hist64(const unsigned char *__restrict__ fixed_img,
                                       const unsigned char *__restrict__ moving_img, unsigned *joint, int quads,
                                       float level, float gain)
{
    __shared__ unsigned bins[64 * 64];
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    const uchar4 *f4 = reinterpret_cast<const uchar4 *>(fixed_img);
    const uchar4 *m4 = reinterpret_cast<const uchar4 *>(moving_img);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 f = f4[i];
        uchar4 m = m4[i];
        // window of the moving image: everything below the level is background
        int m0 = min(max(__float2int_rd((m.x - level) * gain), 0), 63);
        int m1 = min(max(__float2int_rd((m.y - level) * gain), 0), 63);
        int m2 = min(max(__float2int_rd((m.z - level) * gain), 0), 63);
        int m3 = min(max(__float2int_rd((m.w - level) * gain), 0), 63);
        atomicAdd(&bins[(f.x >> 2) * 64 + m0], 1u);
        atomicAdd(&bins[(f.y >> 2) * 64 + m1], 1u);
        atomicAdd(&bins[(f.z >> 2) * 64 + m2], 1u);
        atomicAdd(&bins[(f.w >> 2) * 64 + m3], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x) {
        unsigned c = bins[i];
        if (c)
            atomicAdd(&joint[i], c);
    }
}

/* kmutate launch
   int nx = 128, ny = 128, nz = 64, n = nx * ny * nz;
   dim3 block = { 128 };
   dim3 grid = { 1, ny, nz };
   float f_in[19 * n] = uniform(0.02, 0.06);
   float f_out[19 * n] = zeros();
   unsigned char solid[n] = randint(0, 12);
   lbm_d3q19_pull_bgk(f_in, f_out, solid, nx, ny, nz, 1.7f, 1e-5f);
*/
__global__ void __launch_bounds__(128)
lbm_d3q19_pull_bgk(const float *__restrict__ f_in, float *__restrict__ f_out, const unsigned char *__restrict__ solid,
                   int nx, int ny, int nz, float omega, float force_x)
{
    const int ex[19] = { 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0 };
    const int ey[19] = { 0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1 };
    const int ez[19] = { 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1 };
    const int opposite[19] = { 0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17 };
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y, z = blockIdx.z;
    if (x >= nx)
        return;
    int n = nx * ny * nz;
    int here = (z * ny + y) * nx + x;
    int xm = x == 0 ? nx - 1 : x - 1, xp = x == nx - 1 ? 0 : x + 1;
    int ym = y == 0 ? ny - 1 : y - 1, yp = y == ny - 1 ? 0 : y + 1;
    int zm = z == 0 ? nz - 1 : z - 1, zp = z == nz - 1 ? 0 : z + 1;
    float f[19];
    float rho = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int q = 0; q < 19; q++) {
        int sx = ex[q] > 0 ? xm : ex[q] < 0 ? xp : x;
        int sy = ey[q] > 0 ? ym : ey[q] < 0 ? yp : y;
        int sz = ez[q] > 0 ? zm : ez[q] < 0 ? zp : z;
        f[q] = f_in[q * n + (sz * ny + sy) * nx + sx];
        rho += f[q];
        ux += ex[q] * f[q];
        uy += ey[q] * f[q];
        uz += ez[q] * f[q];
    }
    if (solid[here] == 0) {
#pragma unroll
        for (int q = 0; q < 19; q++)
            f_out[opposite[q] * n + here] = f[q];
        return;
    }
    float inv = 1.0f / rho;
    ux = ux * inv + force_x;
    uy *= inv;
    uz *= inv;
    float usq = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int q = 0; q < 19; q++) {
        float weight = q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
        float eu = 3.0f * (ex[q] * ux + ey[q] * uy + ez[q] * uz);
        float eq = weight * rho * (1.0f + eu + 0.5f * eu * eu - usq);
        f_out[q * n + here] = f[q] + omega * (eq - f[q]);
    }
}

/* kmutate launch
   int nodes = 300000, edges = 1800000;
   dim3 block = 256;
   dim3 grid = (edges + 255) / 256;
   int left[edges] = ascending(0, nodes);
   short delta[edges] = randint(-700, 700);
   float2 normal_ds[edges] = uniform(-0.01, 0.01);
   float4 state[nodes] = uniform(0.5, 1.5);
   float res[4 * nodes] = zeros();
   rusanov_edge_scatter(left, delta, normal_ds, state, res, nodes, edges, 1.4f);
*/
__global__ void rusanov_edge_scatter(const int *__restrict__ left, const short *__restrict__ delta,
                                     const float2 *__restrict__ normal_ds, const float4 *__restrict__ state,
                                     float *__restrict__ res, int nodes, int edges, float gamma)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int a = left[e];
    int b = min(max(a + delta[e], 0), nodes - 1);
    if (a == b)
        return;
    float2 s = normal_ds[e];
    float4 l = __ldg(&state[a]);   // density, velocity, pressure
    float4 r = __ldg(&state[b]);
    float area = sqrtf(s.x * s.x + s.y * s.y) + 1e-20f;
    float vl = l.y * s.x + l.z * s.y;
    float vr = r.y * s.x + r.z * s.y;
    float el = l.w / (gamma - 1.0f) + 0.5f * l.x * (l.y * l.y + l.z * l.z);
    float er = r.w / (gamma - 1.0f) + 0.5f * r.x * (r.y * r.y + r.z * r.z);
    float cl = sqrtf(gamma * l.w / l.x), cr = sqrtf(gamma * r.w / r.x);
    float lambda = fmaxf(fabsf(vl) + cl * area, fabsf(vr) + cr * area);
    float f0 = 0.5f * (l.x * vl + r.x * vr - lambda * (r.x - l.x));
    float f1 = 0.5f * (l.x * l.y * vl + r.x * r.y * vr + (l.w + r.w) * s.x - lambda * (r.x * r.y - l.x * l.y));
    float f2 = 0.5f * (l.x * l.z * vl + r.x * r.z * vr + (l.w + r.w) * s.y - lambda * (r.x * r.z - l.x * l.z));
    float f3 = 0.5f * ((el + l.w) * vl + (er + r.w) * vr - lambda * (er - el));
    atomicAdd(&res[a], -f0);
    atomicAdd(&res[a + nodes], -f1);
    atomicAdd(&res[a + 2 * nodes], -f2);
    atomicAdd(&res[a + 3 * nodes], -f3);
    atomicAdd(&res[b], f0);
    atomicAdd(&res[b + nodes], f1);
    atomicAdd(&res[b + 2 * nodes], f2);
    atomicAdd(&res[b + 3 * nodes], f3);
}

/* kmutate launch
   int bags = 49152, lo = 4, hi = 28, vocab = 1 << 19;
   int total = csr_nnz(bags, lo, hi);
   dim3 block = 256;
   dim3 grid = (bags + 7) / 8;
   half table[vocab * 64] = normal(0, 0.1);
   int bag_start[bags + 1] = csr_rowptr(bags, lo, hi);
   int ids[total] = randint(0, vocab);
   float weight[total] = uniform(0, 1);
   float pooled[bags * 64] = zeros();
   embedding_bag_weighted_mean64(table, bag_start, ids, weight, pooled, bags);
*/
__global__ void embedding_bag_weighted_mean64(const __half *__restrict__ table, const int *__restrict__ bag_start,
                                              const int *__restrict__ ids, const float *__restrict__ weight,
                                              float *__restrict__ pooled, int bags)
{
    int bag = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (bag >= bags)
        return;
    int lane = threadIdx.x & 31;
    int sub = lane >> 3;      // four rows at a time
    int part = lane & 7;      // eight lanes of 16 bytes make a row
    int begin = bag_start[bag], end = bag_start[bag + 1];
    float acc[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    float wsum = 0.0f;
    for (int k = begin + sub; k < end; k += 4) {
        int id = ids[k];
        float w = weight[k];
        uint4 raw = __ldg(reinterpret_cast<const uint4 *>(table + (size_t)id * 64) + part);
        const __half2 *h = reinterpret_cast<const __half2 *>(&raw);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 v = __half22float2(h[i]);
            acc[2 * i] += w * v.x;
            acc[2 * i + 1] += w * v.y;
        }
        wsum += w;
    }
#pragma unroll
    for (int d = 8; d <= 16; d <<= 1) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            acc[i] += __shfl_xor_sync(0xffffffffu, acc[i], d);
        wsum += __shfl_xor_sync(0xffffffffu, wsum, d);
    }
    if (sub == 0) {
        float inv = wsum > 0.0f ? 1.0f / wsum : 0.0f;
        float4 *dst = reinterpret_cast<float4 *>(pooled + (size_t)bag * 64 + part * 8);
        dst[0] = make_float4(acc[0] * inv, acc[1] * inv, acc[2] * inv, acc[3] * inv);
        dst[1] = make_float4(acc[4] * inv, acc[5] * inv, acc[6] * inv, acc[7] * inv);
    }
}

/* kmutate launch
   int probes = 3 << 20, log_slots = 22;
   dim3 block = 256;
   dim3 grid = 132 * 6;
   uint2 slots[1 << log_slots] = randint(0, 1 << 26);
   unsigned keys[probes] = randint(0, 1 << 24);
   unsigned payload[probes] = zeros();
   unsigned matches[1] = zeros();
   linear_probe_hash_join(slots, keys, payload, matches, probes, log_slots);
*/
__global__ void linear_probe_hash_join(const uint2 *__restrict__ slots, const unsigned *__restrict__ keys,
                                       unsigned *__restrict__ payload, unsigned *matches, int probes, int log_slots)
{
    unsigned mask = (1u << log_slots) - 1u;
    unsigned found = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < probes; i += gridDim.x * blockDim.x) {
        unsigned key = keys[i];
        unsigned at = (key * 2654435769u) >> (32 - log_slots);
        unsigned value = 0xffffffffu;
        for (int tries = 0; tries < 32; tries++) {
            uint2 s = slots[at];
            if ((s.x >> 24) == 0)          // no generation: the slot is empty
                break;
            if ((s.x & 0xffffffu) == key) {
                value = s.y;
                found++;
                break;
            }
            at = (at + 1) & mask;
        }
        payload[i] = value;
    }
    found = __reduce_add_sync(0xffffffffu, found);
    if ((threadIdx.x & 31) == 0 && found)
        atomicAdd(matches, found);
}

/* kmutate launch
   int streams = 8192, steps = 512;
   dim3 block = 128;
   dim3 grid = streams / 4;
   char2 soft[streams * steps] = randint(-32, 32);
   uint2 decisions[streams * steps] = zeros();
   int final_metric[streams * 64] = zeros();
   viterbi_k7_forward_warp(soft, decisions, final_metric, streams, steps);
*/
__global__ void viterbi_k7_forward_warp(const char2 *__restrict__ soft, uint2 *__restrict__ decisions,
                                        int *__restrict__ final_metric, int streams, int steps)
{
    int stream = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (stream >= streams)
        return;
    int lane = threadIdx.x & 31;
    const unsigned full = 0xffffffffu;
    // code bits for the edge (state = lane, input 0); the other three edges of the butterfly follow by symmetry
    int reg = lane << 1;
    int s0 = __popc(reg & 0x6d) & 1 ? -1 : 1;
    int s1 = __popc(reg & 0x4f) & 1 ? -1 : 1;
    int low = lane == 0 ? 0 : 4096, high = 4096;   // metrics of the states lane and lane + 32
    const char2 *in = soft + (size_t)stream * steps;
    uint2 *out = decisions + (size_t)stream * steps;
    for (int base = 0; base < steps; base += 32) {
        char2 mine = in[base + lane];
        int packed = (mine.x & 0xffff) | (mine.y << 16);
        uint2 kept = make_uint2(0u, 0u);
        for (int t = 0; t < 32; t++) {
            int sym = __shfl_sync(full, packed, t);
            int branch = s0 * (short)(sym & 0xffff) + s1 * (sym >> 16);
            int a0 = low + branch, b0 = high - branch;   // into state 2 * lane
            int a1 = low - branch, b1 = high + branch;   // into state 2 * lane + 1
            bool d0 = b0 < a0, d1 = b1 < a1;
            int even = d0 ? b0 : a0;
            int odd = d1 ? b1 : a1;
            unsigned w0 = __ballot_sync(full, d0), w1 = __ballot_sync(full, d1);
            if (lane == t)
                kept = make_uint2(w0, w1);
            int src = lane >> 1;
            int e_lo = __shfl_sync(full, even, src), o_lo = __shfl_sync(full, odd, src);
            int e_hi = __shfl_sync(full, even, src + 16), o_hi = __shfl_sync(full, odd, src + 16);
            low = lane & 1 ? o_lo : e_lo;
            high = lane & 1 ? o_hi : e_hi;
        }
        out[base + lane] = kept;
        int zero = __shfl_sync(full, low, 0);    // keep the metrics small
        low -= zero;
        high -= zero;
    }
    final_metric[stream * 64 + lane] = low;
    final_metric[stream * 64 + 32 + lane] = high;
}

/* kmutate launch
   int points = 1500000, map_points = 800000;
   dim3 block = 256;
   dim3 grid = 132 * 2;
   float sx[points] = uniform(-20, 20), sy[points] = uniform(-20, 20), sz[points] = uniform(-2, 4);
   int match[points] = randint(-60000, map_points);
   float4 map_pos[map_points] = uniform(-20, 20);
   float4 map_nrm[map_points] = uniform(-1, 1);
   float pose[12] = { 0.999f, -0.01f, 0.02f, 0.1f, 0.01f, 0.999f, -0.005f, -0.2f, -0.02f, 0.005f, 0.999f, 0.05f };
   float partial[grid.x * 27] = zeros();
   icp_point_to_plane_normal_eq(sx, sy, sz, match, map_pos, map_nrm, pose, partial, points, 0.4f);
*/
__global__ void __launch_bounds__(256)
icp_point_to_plane_normal_eq(const float *__restrict__ sx, const float *__restrict__ sy, const float *__restrict__ sz,
                             const int *__restrict__ match, const float4 *__restrict__ map_pos,
                             const float4 *__restrict__ map_nrm, const float *__restrict__ pose,
                             float *__restrict__ partial, int points, float huber)
{
    __shared__ float warp_sum[8][27];
    float acc[27];
#pragma unroll
    for (int i = 0; i < 27; i++)
        acc[i] = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += gridDim.x * blockDim.x) {
        int m = match[i];
        if (m < 0)
            continue;
        float px = sx[i], py = sy[i], pz = sz[i];
        float4 q = map_pos[m];
        float4 n = map_nrm[m];
        float x = pose[0] * px + pose[1] * py + pose[2] * pz + pose[3];
        float y = pose[4] * px + pose[5] * py + pose[6] * pz + pose[7];
        float z = pose[8] * px + pose[9] * py + pose[10] * pz + pose[11];
        float r = (x - q.x) * n.x + (y - q.y) * n.y + (z - q.z) * n.z;
        float ar = fabsf(r);
        float w = ar < huber ? 1.0f : huber / ar;
        float J[6] = { y * n.z - z * n.y, z * n.x - x * n.z, x * n.y - y * n.x, n.x, n.y, n.z };
        int k = 0;
#pragma unroll
        for (int a = 0; a < 6; a++) {
            float wj = w * J[a];
#pragma unroll
            for (int b = a; b < 6; b++)
                acc[k++] += wj * J[b];
        }
#pragma unroll
        for (int a = 0; a < 6; a++)
            acc[21 + a] += w * J[a] * r;
    }
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int i = 0; i < 27; i++) {
        float v = acc[i];
        for (int d = 16; d > 0; d >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, d);
        if (lane == 0)
            warp_sum[warp][i] = v;
    }
    __syncthreads();
    if (threadIdx.x < 27) {
        float v = 0.0f;
        for (int k = 0; k < 8; k++)
            v += warp_sum[k][threadIdx.x];
        partial[blockIdx.x * 27 + threadIdx.x] = v;
    }
}

/* kmutate launch
   int rows = 3000, cols = 1024, topk = 100;
   dim3 block = 512;
   dim3 grid = rows;
   float score[rows * cols] = normal(0, 1);
   float top_score[rows * topk] = zeros();
   int top_index[rows * topk] = zeros();
   rerank_topk_bitonic1024(score, top_score, top_index, topk);
*/
__global__ void rerank_topk_bitonic1024(const float *__restrict__ score, float *__restrict__ top_score,
                                        int *__restrict__ top_index, int topk)
{
    __shared__ float key[1024];
    __shared__ unsigned short idx[1024];
    int t = threadIdx.x;
    const float *row = score + (size_t)blockIdx.x * 1024;
    key[t] = row[t];
    key[t + 512] = row[t + 512];
    idx[t] = t;
    idx[t + 512] = t + 512;
    for (int size = 2; size <= 1024; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            int lo = 2 * t - (t & (stride - 1));
            int hi = lo + stride;
            bool descending = (lo & size) == 0;
            float a = key[lo], b = key[hi];
            if ((a < b) == descending) {
                key[lo] = b;
                key[hi] = a;
                unsigned short ia = idx[lo];
                idx[lo] = idx[hi];
                idx[hi] = ia;
            }
        }
    }
    __syncthreads();
    for (int i = t; i < topk; i += blockDim.x) {
        top_score[blockIdx.x * topk + i] = key[i];
        top_index[blockIdx.x * topk + i] = idx[i];
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 3: tuned by experts
// ---------------------------------------------------------------------------------------------------------------------

/* kmutate launch
   int m = 2048, n = 2048, k = 768;
   dim3 block = 256;
   dim3 grid = { n / 128, m / 128 };
   float a[m * k] = normal(0, 1);
   float b[k * n] = normal(0, 0.05);
   float bias[n] = uniform(-0.5, 0.5);
   float c[m * n] = zeros();
   mlp_sgemm_bias_gelu_128x128(a, b, bias, c, m, n, k);
*/
__device__ __forceinline__ float gelu_tanh(float x)
{
    float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    float e = __expf(2.0f * inner);
    return x * (1.0f - __fdividef(1.0f, e + 1.0f));
}

__global__ void __launch_bounds__(256, 2)
mlp_sgemm_bias_gelu_128x128(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ bias,
                            float *__restrict__ c, int m, int n, int k)
{
    __shared__ float as[2][8][128 + 4];
    __shared__ float bs[2][8][128];
    int t = threadIdx.x;
    int a_row = t >> 1, a_col = (t & 1) * 4;
    int b_row = t >> 5, b_col = (t & 31) * 4;
    const float *a_ptr = a + (size_t)(blockIdx.y * 128 + a_row) * k + a_col;
    const float *b_ptr = b + (size_t)b_row * n + blockIdx.x * 128 + b_col;
    int lane = t & 31, warp = t >> 5;
    int row0 = (warp >> 1) * 32 + (lane >> 3) * 4;      // and + 16
    int col0 = (warp & 1) * 64 + (lane & 7) * 4;        // and + 32
    float acc[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            acc[i][j] = 0.0f;

    float4 a_next = *reinterpret_cast<const float4 *>(a_ptr);
    float4 b_next = *reinterpret_cast<const float4 *>(b_ptr);
    as[0][a_col + 0][a_row] = a_next.x;
    as[0][a_col + 1][a_row] = a_next.y;
    as[0][a_col + 2][a_row] = a_next.z;
    as[0][a_col + 3][a_row] = a_next.w;
    *reinterpret_cast<float4 *>(&bs[0][b_row][b_col]) = b_next;
    __syncthreads();

    int buf = 0;
    for (int k0 = 0; k0 < k; k0 += 8) {
        bool more = k0 + 8 < k;
        if (more) {
            a_ptr += 8;
            b_ptr += (size_t)8 * n;
            a_next = *reinterpret_cast<const float4 *>(a_ptr);
            b_next = *reinterpret_cast<const float4 *>(b_ptr);
        }
#pragma unroll
        for (int kk = 0; kk < 8; kk++) {
            float ar[8], br[8];
            *reinterpret_cast<float4 *>(&ar[0]) = *reinterpret_cast<const float4 *>(&as[buf][kk][row0]);
            *reinterpret_cast<float4 *>(&ar[4]) = *reinterpret_cast<const float4 *>(&as[buf][kk][row0 + 16]);
            *reinterpret_cast<float4 *>(&br[0]) = *reinterpret_cast<const float4 *>(&bs[buf][kk][col0]);
            *reinterpret_cast<float4 *>(&br[4]) = *reinterpret_cast<const float4 *>(&bs[buf][kk][col0 + 32]);
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] = fmaf(ar[i], br[j], acc[i][j]);
        }
        if (more) {
            buf ^= 1;
            as[buf][a_col + 0][a_row] = a_next.x;
            as[buf][a_col + 1][a_row] = a_next.y;
            as[buf][a_col + 2][a_row] = a_next.z;
            as[buf][a_col + 3][a_row] = a_next.w;
            *reinterpret_cast<float4 *>(&bs[buf][b_row][b_col]) = b_next;
            __syncthreads();
        }
    }

    int gcol = blockIdx.x * 128 + col0;
    float4 bias0 = *reinterpret_cast<const float4 *>(bias + gcol);
    float4 bias1 = *reinterpret_cast<const float4 *>(bias + gcol + 32);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int grow = blockIdx.y * 128 + row0 + (i & 3) + (i >> 2) * 16;
        float *dst = c + (size_t)grow * n + gcol;
        *reinterpret_cast<float4 *>(dst) =
            make_float4(gelu_tanh(acc[i][0] + bias0.x), gelu_tanh(acc[i][1] + bias0.y),
                        gelu_tanh(acc[i][2] + bias0.z), gelu_tanh(acc[i][3] + bias0.w));
        *reinterpret_cast<float4 *>(dst + 32) =
            make_float4(gelu_tanh(acc[i][4] + bias1.x), gelu_tanh(acc[i][5] + bias1.y),
                        gelu_tanh(acc[i][6] + bias1.z), gelu_tanh(acc[i][7] + bias1.w));
    }
}

/* kmutate launch
   int pixels = 112 * 112, cin = 512, cout = 512;
   dim3 block = 256;
   dim3 grid = { cout / 128, pixels / 128 };
   signed char act[pixels * cin] = randint(-128, 128);
   signed char wgt[cout * cin] = randint(-127, 128);
   int bias[cout] = randint(-20000, 20000);
   float scale[cout] = uniform(0.00005, 0.0002);
   signed char out[pixels * cout] = zeros();
   qconv1x1_dp4a_requant(act, wgt, bias, scale, out, cin, cout);
*/
__device__ __forceinline__ int requant_relu(int v, float s)
{
    return min(max(__float2int_rn(v * s), 0), 127);
}

__global__ void __launch_bounds__(256, 2)
qconv1x1_dp4a_requant(const signed char *__restrict__ act, const signed char *__restrict__ wgt,
                      const int *__restrict__ bias, const float *__restrict__ scale, signed char *__restrict__ out,
                      int cin, int cout)
{
    __shared__ int as[2][8][128 + 4];     // a word is four channels
    __shared__ int ws[2][8][128 + 4];
    int t = threadIdx.x;
    int row = t >> 1, word = (t & 1) * 4;
    const int4 *ap = reinterpret_cast<const int4 *>(act + (size_t)(blockIdx.y * 128 + row) * cin) + (t & 1);
    const int4 *wp = reinterpret_cast<const int4 *>(wgt + (size_t)(blockIdx.x * 128 + row) * cin) + (t & 1);
    int tx = t & 15, ty = t >> 4;
    int acc[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            acc[i][j] = 0;
    int steps = cin / 32;
    int4 an = ap[0], wn = wp[0];
    for (int s = 0; s < steps; s++) {
        int buf = s & 1;
        as[buf][word + 0][row] = an.x;
        as[buf][word + 1][row] = an.y;
        as[buf][word + 2][row] = an.z;
        as[buf][word + 3][row] = an.w;
        ws[buf][word + 0][row] = wn.x;
        ws[buf][word + 1][row] = wn.y;
        ws[buf][word + 2][row] = wn.z;
        ws[buf][word + 3][row] = wn.w;
        __syncthreads();
        if (s + 1 < steps) {
            an = ap[2 * (s + 1)];
            wn = wp[2 * (s + 1)];
        }
#pragma unroll
        for (int kk = 0; kk < 8; kk++) {
            int4 a0 = *reinterpret_cast<const int4 *>(&as[buf][kk][ty * 4]);
            int4 a1 = *reinterpret_cast<const int4 *>(&as[buf][kk][ty * 4 + 64]);
            int4 w0 = *reinterpret_cast<const int4 *>(&ws[buf][kk][tx * 4]);
            int4 w1 = *reinterpret_cast<const int4 *>(&ws[buf][kk][tx * 4 + 64]);
            int av[8] = { a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w };
            int wv[8] = { w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w };
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] = __dp4a(av[i], wv[j], acc[i][j]);
        }
    }
#pragma unroll
    for (int jj = 0; jj < 2; jj++) {
        int col = blockIdx.x * 128 + tx * 4 + jj * 64;
        int4 b4 = *reinterpret_cast<const int4 *>(bias + col);
        float4 s4 = *reinterpret_cast<const float4 *>(scale + col);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int pixel = blockIdx.y * 128 + ty * 4 + (i & 3) + (i >> 2) * 64;
            char4 r;
            r.x = (signed char)requant_relu(acc[i][jj * 4 + 0] + b4.x, s4.x);
            r.y = (signed char)requant_relu(acc[i][jj * 4 + 1] + b4.y, s4.y);
            r.z = (signed char)requant_relu(acc[i][jj * 4 + 2] + b4.z, s4.z);
            r.w = (signed char)requant_relu(acc[i][jj * 4 + 3] + b4.w, s4.w);
            *reinterpret_cast<char4 *>(out + (size_t)pixel * cout + col) = r;
        }
    }
}

/* kmutate launch
   int channels = 64, nout = 131072, pitch = 2 * nout + 128;
   dim3 block = 128;
   dim3 grid = { nout / 512, channels };
   half iq[2 * channels * pitch] = normal(0, 0.5);
   half taps[128] = uniform(-0.1, 0.1);
   half decimated[2 * channels * nout] = zeros();
   iq_decimate2_fir128_half2(iq, taps, decimated, nout, pitch);
*/
__global__ void __launch_bounds__(128)
iq_decimate2_fir128_half2(const __half *__restrict__ iq, const __half *__restrict__ taps,
                          __half *__restrict__ decimated, int nout, int pitch)
{
    __shared__ __align__(16) __half2 phase[2][512 + 64];    // even and odd samples apart
    __shared__ __align__(16) __half2 coef[2][64];
    int t = threadIdx.x;
    const uint4 *src = reinterpret_cast<const uint4 *>(iq + 2 * ((size_t)blockIdx.y * pitch + blockIdx.x * 1024));
    for (int i = t; i < (1024 + 128) / 4; i += 128) {
        uint4 v = src[i];
        *reinterpret_cast<uint2 *>(&phase[0][2 * i]) = make_uint2(v.x, v.z);
        *reinterpret_cast<uint2 *>(&phase[1][2 * i]) = make_uint2(v.y, v.w);
    }
    coef[t & 1][t >> 1] = __half2half2(taps[t]);
    __syncthreads();

    float2 sum[4];
#pragma unroll
    for (int o = 0; o < 4; o++)
        sum[o] = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int p = 0; p < 2; p++) {
        __half2 win[8];
        *reinterpret_cast<uint4 *>(&win[0]) = *reinterpret_cast<const uint4 *>(&phase[p][4 * t]);
#pragma unroll 2
        for (int k = 0; k < 64; k += 8) {
            __half2 acc[4];
#pragma unroll
            for (int o = 0; o < 4; o++)
                acc[o] = __float2half2_rn(0.0f);
#pragma unroll
            for (int g = 0; g < 8; g += 4) {
                __half2 c[4];
                *reinterpret_cast<uint4 *>(&c[0]) = *reinterpret_cast<const uint4 *>(&coef[p][k + g]);
                *reinterpret_cast<uint4 *>(&win[4]) = *reinterpret_cast<const uint4 *>(&phase[p][4 * t + k + g + 4]);
#pragma unroll
                for (int j = 0; j < 4; j++)
#pragma unroll
                    for (int o = 0; o < 4; o++)
                        acc[o] = __hfma2(c[j], win[o + j], acc[o]);
#pragma unroll
                for (int j = 0; j < 4; j++)
                    win[j] = win[j + 4];
            }
            // eight taps in half precision, the rest in single
#pragma unroll
            for (int o = 0; o < 4; o++) {
                float2 f = __half22float2(acc[o]);
                sum[o].x += f.x;
                sum[o].y += f.y;
            }
        }
    }
    __half2 res[4];
#pragma unroll
    for (int o = 0; o < 4; o++)
        res[o] = __floats2half2_rn(sum[o].x, sum[o].y);
    uint4 *dst = reinterpret_cast<uint4 *>(decimated + 2 * ((size_t)blockIdx.y * nout + blockIdx.x * 512));
    dst[t] = *reinterpret_cast<uint4 *>(&res[0]);
}

/* kmutate launch
   int gx = 64, gy = 64, gz = 32, atoms = 2048;
   dim3 block = 160;
   dim3 grid = gx * gy * gz / 256;
   float4 atom[atoms] = uniform(0, 24);
   float radius[atoms] = uniform(1, 2);
   float potential[gx * gy * gz] = zeros();
   screened_potential_producer_warp(atom, radius, potential, gx, gy, atoms, 0.4f, 0.12f, 332.06f / 80);
*/
__global__ void __launch_bounds__(160)
screened_potential_producer_warp(const float4 *__restrict__ atom, const float *__restrict__ radius,
                                 float *__restrict__ potential, int gx, int gy, int atoms, float spacing, float kappa,
                                 float coulomb)
{
    __shared__ float4 stage[2][128];
    __shared__ float soft[2][128];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    bool producer = warp == 4;
    float log2_kappa = -kappa * 1.442695041f;
    int tiles = atoms / 128;

    // two points per consumer thread, neighbours in z by half the block's share
    int p0 = blockIdx.x * 256 + threadIdx.x, p1 = p0 + 128;
    float x0 = (p0 % gx) * spacing, y0 = (p0 / gx % gy) * spacing, z0 = (p0 / (gx * gy)) * spacing;
    float x1 = (p1 % gx) * spacing, y1 = (p1 / gx % gy) * spacing, z1 = (p1 / (gx * gy)) * spacing;
    float v0 = 0.0f, v1 = 0.0f;

    if (producer) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float4 q = atom[i * 32 + lane];
            float r = radius[i * 32 + lane];
            q.w = (q.w - 12.0f) * coulomb * __fdividef(exp2f(-log2_kappa * r), 1.0f + kappa * r);
            stage[0][i * 32 + lane] = q;
            soft[0][i * 32 + lane] = 0.25f * r * r;
        }
    }
    __syncthreads();
    for (int tile = 0; tile < tiles; tile++) {
        int buf = tile & 1;
        if (producer) {
            if (tile + 1 < tiles) {
                const float4 *next = atom + (tile + 1) * 128;
                const float *next_r = radius + (tile + 1) * 128;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    float4 q = next[i * 32 + lane];
                    float r = next_r[i * 32 + lane];
                    q.w = (q.w - 12.0f) * coulomb * __fdividef(exp2f(-log2_kappa * r), 1.0f + kappa * r);
                    stage[buf ^ 1][i * 32 + lane] = q;
                    soft[buf ^ 1][i * 32 + lane] = 0.25f * r * r;
                }
            }
        } else {
#pragma unroll 8
            for (int j = 0; j < 128; j++) {
                float4 q = stage[buf][j];
                float s = soft[buf][j];
                float ax = x0 - q.x, ay = y0 - q.y, az = z0 - q.z;
                float bx = x1 - q.x, by = y1 - q.y, bz = z1 - q.z;
                float ra = fmaf(ax, ax, fmaf(ay, ay, fmaf(az, az, s)));
                float rb = fmaf(bx, bx, fmaf(by, by, fmaf(bz, bz, s)));
                float ia = rsqrtf(ra), ib = rsqrtf(rb);
                v0 = fmaf(q.w * ia, exp2f(log2_kappa * ra * ia), v0);
                v1 = fmaf(q.w * ib, exp2f(log2_kappa * rb * ib), v1);
            }
        }
        __syncthreads();
    }
    if (!producer) {
        potential[p0] = v0;
        potential[p1] = v1;
    }
}

/* kmutate launch
   int batch = 8192;
   dim3 block = { 64, 2 };
   dim3 grid = batch / 2;
   float2 signal[batch * 1024] = normal(0, 1);
   float2 spectrum[batch * 1024] = zeros();
   float window[1024] = uniform(0, 1);
   rangefft1024_r16_windowed(signal, window, spectrum);
*/
__device__ __forceinline__ float2 cmul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ void dft4(float2 &a, float2 &b, float2 &c, float2 &d)
{
    float2 s0 = make_float2(a.x + c.x, a.y + c.y), d0 = make_float2(a.x - c.x, a.y - c.y);
    float2 s1 = make_float2(b.x + d.x, b.y + d.y), d1 = make_float2(b.x - d.x, b.y - d.y);
    a = make_float2(s0.x + s1.x, s0.y + s1.y);
    b = make_float2(d0.x + d1.y, d0.y - d1.x);
    c = make_float2(s0.x - s1.x, s0.y - s1.y);
    d = make_float2(d0.x - d1.y, d0.y + d1.x);
}

// in natural order; X[4 * i + j] ends in v[4 * j + i]
__device__ __forceinline__ void dft16(float2 *v)
{
    const float c1 = 0.92387953f, s1 = 0.38268343f, h = 0.70710678f;
#pragma unroll
    for (int i = 0; i < 4; i++)
        dft4(v[i], v[i + 4], v[i + 8], v[i + 12]);
    v[5] = cmul(v[5], make_float2(c1, -s1));
    v[6] = cmul(v[6], make_float2(h, -h));
    v[7] = cmul(v[7], make_float2(s1, -c1));
    v[9] = cmul(v[9], make_float2(h, -h));
    v[10] = make_float2(v[10].y, -v[10].x);
    v[11] = cmul(v[11], make_float2(-h, -h));
    v[13] = cmul(v[13], make_float2(s1, -c1));
    v[14] = cmul(v[14], make_float2(-h, -h));
    v[15] = cmul(v[15], make_float2(-c1, s1));
#pragma unroll
    for (int i = 0; i < 4; i++)
        dft4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
}

#define FFT_PAD(i) ((i) + ((i) >> 4))

__global__ void __launch_bounds__(128)
rangefft1024_r16_windowed(const float2 *__restrict__ signal, const float *__restrict__ window,
                          float2 *__restrict__ spectrum)
{
    __shared__ float re[2][FFT_PAD(1024)];
    __shared__ float im[2][FFT_PAD(1024)];
    int j = threadIdx.x;
    float *sr = re[threadIdx.y], *si = im[threadIdx.y];
    size_t base = (size_t)(blockIdx.x * 2 + threadIdx.y) * 1024;
    float2 v[16];
#pragma unroll
    for (int r = 0; r < 16; r++) {
        v[r] = signal[base + j + r * 64];
        float w = __ldg(&window[j + r * 64]);
        v[r].x *= w;
        v[r].y *= w;
    }
    // pass 1: radix 16, stride 1
    dft16(v);
#pragma unroll
    for (int r = 0; r < 16; r++) {
        int at = j * 16 + r;
        float2 x = v[(r & 3) * 4 + (r >> 2)];
        sr[FFT_PAD(at)] = x.x;
        si[FFT_PAD(at)] = x.y;
    }
    __syncthreads();
    // pass 2: radix 16, stride 16
#pragma unroll
    for (int r = 0; r < 16; r++) {
        int at = j + r * 64;
        v[r] = make_float2(sr[FFT_PAD(at)], si[FFT_PAD(at)]);
    }
    float2 w1;
    __sincosf(-6.28318531f * (j & 15) * (1.0f / 256.0f), &w1.y, &w1.x);
    float2 wr = w1;
#pragma unroll
    for (int r = 1; r < 16; r++) {
        v[r] = cmul(v[r], wr);
        wr = cmul(wr, w1);
    }
    dft16(v);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 16; r++) {
        int at = (j >> 4) * 256 + (j & 15) + r * 16;
        float2 x = v[(r & 3) * 4 + (r >> 2)];
        sr[FFT_PAD(at)] = x.x;
        si[FFT_PAD(at)] = x.y;
    }
    __syncthreads();
    // pass 3: four butterflies of radix 4, stride 256
#pragma unroll
    for (int q = 0; q < 4; q++) {
        int jj = j + q * 64;
        float2 x[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            int at = jj + r * 256;
            x[r] = make_float2(sr[FFT_PAD(at)], si[FFT_PAD(at)]);
        }
        float2 w;
        __sincosf(-6.28318531f * jj * (1.0f / 1024.0f), &w.y, &w.x);
        float2 w2 = cmul(w, w);
        x[1] = cmul(x[1], w);
        x[2] = cmul(x[2], w2);
        x[3] = cmul(x[3], cmul(w2, w));
        dft4(x[0], x[1], x[2], x[3]);
#pragma unroll
        for (int r = 0; r < 4; r++)
            spectrum[base + jj + r * 256] = x[r];
    }
}
