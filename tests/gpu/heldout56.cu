#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

// ---------------------------------------------------------------------------------------------------------------------
// 1. Database: probe side of an equi-join on a bucketed, quotienting hash table. One thread a row, first version.

__device__ __forceinline__ uint32_t mix24(uint32_t k)
{
    k &= 0xffffffu;
    k = (k * 0x9e3779u) & 0xffffffu;
    k ^= k >> 13;
    k = (k * 0x85ebc5u) & 0xffffffu;
    k ^= k >> 11;
    return k;
}

/* kmutate launch
   int n = 6000000, buckets = 1 << 20;
   int entries = csr_nnz(buckets, 0, 6);
   dim3 block = { 256 };
   dim3 grid = { (n + 255) / 256 };
   unsigned probe_key[n] = randint(0, 1 << 24);
   float quantity[n] = uniform(1, 50);
   int bucket_start[buckets + 1] = csr_rowptr(buckets, 0, 6);
   unsigned remainder[entries] = randint(0, 16);
   float unit_price[entries] = uniform(1, 100);
   float amount[n] = zeros();
   join_probe_bucketed(probe_key, quantity, bucket_start, remainder, unit_price, amount, n);
*/
__global__ void join_probe_bucketed(const uint32_t *probe_key, const float *quantity, const int *bucket_start,
                                    const uint32_t *remainder, const float *unit_price, float *amount, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t m = mix24(probe_key[i]);
    uint32_t b = m >> 4, r = m & 15;
    float total = 0;
    int end = bucket_start[b + 1];
    for (int e = bucket_start[b]; e < end; e++) {
        if (remainder[e] == r)
            total += quantity[i] * unit_price[e];
    }
    amount[i] = total;
}

// ---------------------------------------------------------------------------------------------------------------------
// 2. Graphs: one round of connected-component labels, pulled from the neighbours. One thread a vertex.

/* kmutate launch
   int vertices = 700000;
   int edges = csr_nnz(vertices, 1, 24);
   dim3 block = { 128 };
   dim3 grid = { (vertices + 127) / 128 };
   int offset[vertices + 1] = csr_rowptr(vertices, 1, 24);
   int neighbour[edges] = csr_colidx(vertices);
   int label_in[vertices] = permutation();
   int label_out[vertices] = zeros();
   int changed[1] = zeros();
   label_pull_min_csr(offset, neighbour, label_in, label_out, changed, vertices);
*/
__global__ void label_pull_min_csr(const int *offset, const int *neighbour, const int *label_in, int *label_out,
                                   int *changed, int vertices)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) {
        int own = label_in[v];
        int best = own;
        for (int e = offset[v]; e < offset[v + 1]; e++) {
            int l = label_in[neighbour[e]];
            if (l < best)
                best = l;
        }
        label_out[v] = best;
        if (best != own)
            *changed = 1;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 3. Imaging: bilateral filter of an RGBA picture, straight from the formula.

/* kmutate launch
   int w = 1600, h = 900;
   dim3 block = { 16, 16 };
   dim3 grid = { (w + 15) / 16, (h + 15) / 16 };
   uchar4 src[w * h] = randint(0, 256);
   uchar4 dst[w * h] = zeros();
   bilateral_denoise_rgba8(src, dst, w, h, 3, 2.0f, 30.0f);
*/
__global__ void bilateral_denoise_rgba8(const uchar4 *src, uchar4 *dst, int w, int h, int radius, float sigma_space,
                                        float sigma_range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    uchar4 c = src[y * w + x];
    float sr = 0, sg = 0, sb = 0, norm = 0;
    for (int dy = -radius; dy <= radius; dy++) {
        for (int dx = -radius; dx <= radius; dx++) {
            int xx = min(max(x + dx, 0), w - 1);
            int yy = min(max(y + dy, 0), h - 1);
            uchar4 p = src[yy * w + xx];
            float dr = (float)p.x - c.x, dg = (float)p.y - c.y, db = (float)p.z - c.z;
            float space = expf(-(dx * dx + dy * dy) / (2 * sigma_space * sigma_space));
            float range = expf(-(dr * dr + dg * dg + db * db) / (2 * sigma_range * sigma_range));
            float wt = space * range;
            sr += wt * p.x;
            sg += wt * p.y;
            sb += wt * p.z;
            norm += wt;
        }
    }
    uchar4 o;
    o.x = (unsigned char)(sr / norm + 0.5f);
    o.y = (unsigned char)(sg / norm + 0.5f);
    o.z = (unsigned char)(sb / norm + 0.5f);
    o.w = c.w;
    dst[y * w + x] = o;
}

// ---------------------------------------------------------------------------------------------------------------------
// 4. Compression: bit-packed zigzag deltas of a column, 128 values a page, each page of a width of its own. One thread
// decodes a whole page, as the CPU code did.

/* kmutate launch
   int pages = 80000;
   int units = csr_nnz(pages, 4, 16);
   dim3 block = { 64 };
   dim3 grid = { (pages + 63) / 64 };
   int page_unit[pages + 1] = csr_rowptr(pages, 4, 16);
   int page_base[pages] = randint(0, 1000000);
   unsigned packed[units * 4 + 1] = randint(0, 4294967295u);
   int column[pages * 128] = zeros();
   delta_for_unpack_serial(page_unit, page_base, packed, column, pages);
*/
__global__ void delta_for_unpack_serial(const int *page_unit, const int *page_base, const uint32_t *packed, int *column,
                                        int pages)
{
    int page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page >= pages)
        return;
    int unit = page_unit[page];
    int width = page_unit[page + 1] - unit;
    const uint32_t *word = packed + (size_t)unit * 4;
    uint32_t mask = (1u << width) - 1;
    int value = page_base[page];
    int bit = 0;
    for (int i = 0; i < 128; i++) {
        int at = bit >> 5, shift = bit & 31;
        uint32_t z = word[at] >> shift;
        if (shift + width > 32)
            z |= word[at + 1] << (32 - shift);
        z &= mask;
        value += (int)(z >> 1) ^ -(int)(z & 1);
        column[page * 128 + i] = value;
        bit += width;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 5. Physics: explicit step of the Allen-Cahn equation in double precision, 7 points, no tiling.

/* kmutate launch
   int nx = 320, ny = 256, nz = 192;
   dim3 block = { 32, 4, 2 };
   dim3 grid = { (nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2 };
   double phi[nx * ny * nz] = uniform(-1, 1);
   double phi_next[nx * ny * nz] = zeros();
   allen_cahn_step_fp64(phi, phi_next, nx, ny, nz, 0.01, 0.05, 1.0);
*/
__global__ void allen_cahn_step_fp64(const double *phi, double *phi_next, int nx, int ny, int nz, double dt, double eps,
                                     double hh)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nx || j >= ny || k >= nz)
        return;
#define PHI(a, b, c) phi[((c) * ny + (b)) * nx + (a)]
    int im = i > 0 ? i - 1 : nx - 1, ip = i < nx - 1 ? i + 1 : 0;
    int jm = j > 0 ? j - 1 : ny - 1, jp = j < ny - 1 ? j + 1 : 0;
    int km = k > 0 ? k - 1 : nz - 1, kp = k < nz - 1 ? k + 1 : 0;
    double c = PHI(i, j, k);
    double lap = (PHI(im, j, k) + PHI(ip, j, k) + PHI(i, jm, k) + PHI(i, jp, k) + PHI(i, j, km) + PHI(i, j, kp) - 6 * c)
                 / (hh * hh);
    double well = c * c * c - c;
    phi_next[(k * ny + j) * nx + i] = c + dt * (lap - well / (eps * eps) * 0.001);
#undef PHI
}

// ---------------------------------------------------------------------------------------------------------------------
// 6. Geometry: which points are inside one polygon, by crossings of a ray. All edges for each point.

/* kmutate launch
   int points = 500000, corners = 400;
   dim3 block = { 192 };
   dim3 grid = { (points + 191) / 192 };
   float px[points] = uniform(0, 1000), py[points] = uniform(0, 1000);
   float2 corner[corners] = uniform(0, 1000);
   unsigned char inside[points] = zeros();
   point_in_polygon_crossings(px, py, points, corner, corners, inside);
*/
__global__ void point_in_polygon_crossings(const float *px, const float *py, int points, const float2 *corner,
                                           int corners, unsigned char *inside)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points)
        return;
    float x = px[i], y = py[i];
    bool in = false;
    for (int a = 0, b = corners - 1; a < corners; b = a++) {
        float2 p = corner[a], q = corner[b];
        if ((p.y > y) != (q.y > y)) {
            float cross = (q.x - p.x) * (y - p.y) / (q.y - p.y) + p.x;
            if (x < cross)
                in = !in;
        }
    }
    inside[i] = in;
}

// ---------------------------------------------------------------------------------------------------------------------
// 7. Statistics: bootstrap replicates of mean and variance. A thread draws one replicate with replacement.

/* kmutate launch
   int samples = 1 << 21, replicates = 50000, draws = 512;
   dim3 block = { 256 };
   dim3 grid = { (replicates + 255) / 256 };
   float sample[samples] = normal(10, 3);
   float mean[replicates] = zeros(), variance[replicates] = zeros();
   bootstrap_mean_resample(sample, samples, mean, variance, replicates, draws, 1234567u);
*/
__global__ void bootstrap_mean_resample(const float *sample, int samples, float *mean, float *variance, int replicates,
                                        int draws, unsigned seed)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= replicates)
        return;
    uint32_t s = seed ^ (r * 0x9e3779b9u + 1u);
    if (s == 0)
        s = 1;
    float m = 0, m2 = 0;
    for (int i = 0; i < draws; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float v = sample[__umulhi(s, (unsigned)samples)];
        float d = v - m;
        m += d / (i + 1);
        m2 += d * (v - m);
    }
    mean[r] = m;
    variance[r] = m2 / (draws - 1);
}

// ---------------------------------------------------------------------------------------------------------------------
// 8. Inference: residual add and RMS norm in bfloat16, a warp a row, 16-byte accesses, the row stays in registers.

struct alignas(16) Bf16x8 { __nv_bfloat162 v[4]; };

/* kmutate launch
   #define HIDDEN 2048
   int rows = 12288;
   dim3 block = { 256 };
   dim3 grid = { (rows + 7) / 8 };
   __nv_bfloat16 x[rows * HIDDEN] = normal();
   __nv_bfloat16 residual[rows * HIDDEN] = normal();
   __nv_bfloat16 gamma[HIDDEN] = uniform(0.5, 1.5);
   __nv_bfloat16 out[rows * HIDDEN] = zeros();
   rmsnorm_residual_bf16<HIDDEN>(x, residual, gamma, out, rows, 1e-6f);
*/
template <int Hidden>
__global__ void __launch_bounds__(256) rmsnorm_residual_bf16(const __nv_bfloat16 *__restrict__ x,
                                                             __nv_bfloat16 *__restrict__ residual,
                                                             const __nv_bfloat16 *__restrict__ gamma,
                                                             __nv_bfloat16 *__restrict__ out, int rows, float eps)
{
    constexpr int PerLane = Hidden / (32 * 8);
    int row = blockIdx.x * 8 + (threadIdx.x >> 5);
    int lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    const Bf16x8 *xr = reinterpret_cast<const Bf16x8 *>(x + (size_t)row * Hidden);
    Bf16x8 *rr = reinterpret_cast<Bf16x8 *>(residual + (size_t)row * Hidden);
    Bf16x8 *orow = reinterpret_cast<Bf16x8 *>(out + (size_t)row * Hidden);
    const Bf16x8 *g = reinterpret_cast<const Bf16x8 *>(gamma);
    Bf16x8 h[PerLane];
    float ss = 0;
#pragma unroll
    for (int i = 0; i < PerLane; i++) {
        Bf16x8 a = xr[lane + 32 * i], b = rr[lane + 32 * i];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            h[i].v[j] = __hadd2(a.v[j], b.v[j]);
            float2 f = __bfloat1622float2(h[i].v[j]);
            ss = fmaf(f.x, f.x, fmaf(f.y, f.y, ss));
        }
        rr[lane + 32 * i] = h[i];
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        ss += __shfl_xor_sync(0xffffffffu, ss, o);
    float inv = rsqrtf(ss / Hidden + eps);
#pragma unroll
    for (int i = 0; i < PerLane; i++) {
        Bf16x8 w = g[lane + 32 * i], y;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 f = __bfloat1622float2(h[i].v[j]), k = __bfloat1622float2(w.v[j]);
            y.v[j] = __floats2bfloat162_rn(f.x * inv * k.x, f.y * inv * k.y);
        }
        orow[lane + 32 * i] = y;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 9. Plasma physics: move the particles, then deposit their charge on a periodic grid, cloud in cell, with atomics.

/* kmutate launch
   int particles = 3000000, cells = 768;
   dim3 block = { 512 };
   dim3 grid = { (particles + 511) / 512 };
   float2 pos[particles] = uniform(0, 768);
   float2 vel[particles] = normal();
   float rho[cells * cells] = zeros();
   pic_deposit_cic2d(pos, vel, rho, particles, cells, 0.1f, 0.25f);
*/
__global__ void pic_deposit_cic2d(float2 *__restrict__ pos, const float2 *__restrict__ vel, float *__restrict__ rho,
                                  int particles, int cells, float dt, float charge)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= particles)
        return;
    float2 r = pos[p], v = vel[p];
    float len = (float)cells;
    r.x += dt * v.x;
    r.y += dt * v.y;
    r.x -= len * floorf(r.x / len);
    r.y -= len * floorf(r.y / len);
    pos[p] = r;
    int ix = (int)r.x, iy = (int)r.y;
    float fx = r.x - ix, fy = r.y - iy;
    if (ix >= cells) ix -= cells;
    if (iy >= cells) iy -= cells;
    int jx = ix + 1 == cells ? 0 : ix + 1;
    int jy = iy + 1 == cells ? 0 : iy + 1;
    atomicAdd(&rho[iy * cells + ix], charge * (1 - fx) * (1 - fy));
    atomicAdd(&rho[iy * cells + jx], charge * fx * (1 - fy));
    atomicAdd(&rho[jy * cells + ix], charge * (1 - fx) * fy);
    atomicAdd(&rho[jy * cells + jx], charge * fx * fy);
}

// ---------------------------------------------------------------------------------------------------------------------
// 10. Medical imaging: joint histogram of two registered volumes for mutual information; 64 x 64 bins in shared memory.

/* kmutate launch
   int voxels = 12 << 20;
   int vec = voxels / 16;
   dim3 block = { 1024 };
   dim3 grid = { 256 };
   unsigned char fixed[voxels] = randint(60, 200);
   unsigned char moving[voxels] = randint(80, 180);
   unsigned joint[4096] = zeros();
   joint_histogram_privatized((uint4 *)fixed, (uint4 *)moving, joint, vec);
*/
__global__ void __launch_bounds__(1024) joint_histogram_privatized(const uint4 *__restrict__ fixed,
                                                                   const uint4 *__restrict__ moving,
                                                                   unsigned *__restrict__ joint, int vec)
{
    __shared__ unsigned bins[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vec; i += gridDim.x * blockDim.x) {
        uint4 a = fixed[i], b = moving[i];
        uint32_t av[4] = { a.x, a.y, a.z, a.w }, bv[4] = { b.x, b.y, b.z, b.w };
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                uint32_t f = (av[j] >> (8 * k + 2)) & 63, m = (bv[j] >> (8 * k + 2)) & 63;
                atomicAdd(&bins[f * 64 + m], 1u);
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
        unsigned c = bins[i];
        if (c)
            atomicAdd(&joint[i], c);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 11. Sparse linear algebra: y = A x + beta y with A in slices of 32 rows of equal length, double precision.

/* kmutate launch
   int slices = 20000;
   int rows = slices * 32, cols = 500000;
   int width_sum = csr_nnz(slices, 6, 22);
   dim3 block = { 128 };
   dim3 grid = { (slices + 3) / 4 };
   int slice_ptr[slices + 1] = csr_rowptr(slices, 6, 22);
   int colidx[width_sum * 32] = randint(0, 500000);
   double values[width_sum * 32] = uniform(-1, 1);
   double x[cols] = uniform(0, 1), y[rows] = ones();
   sliced_ell_spmv_fp64(slice_ptr, colidx, values, x, y, slices, 0.5);
*/
__global__ void sliced_ell_spmv_fp64(const int *__restrict__ slice_ptr, const int *__restrict__ colidx,
                                     const double *__restrict__ values, const double *__restrict__ x,
                                     double *__restrict__ y, int slices, double beta)
{
    int slice = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    int lane = threadIdx.x & 31;
    if (slice >= slices)
        return;
    int begin = slice_ptr[slice], end = slice_ptr[slice + 1];
    double s0 = 0, s1 = 0;
    int k = begin;
    for (; k + 1 < end; k += 2) {
        int at = k * 32 + lane;
        int c0 = colidx[at], c1 = colidx[at + 32];
        double a0 = values[at], a1 = values[at + 32];
        s0 += a0 * __ldg(x + c0);
        s1 += a1 * __ldg(x + c1);
    }
    if (k < end)
        s0 += values[k * 32 + lane] * __ldg(x + colidx[k * 32 + lane]);
    int row = slice * 32 + lane;
    y[row] = s0 + s1 + beta * y[row];
}

// ---------------------------------------------------------------------------------------------------------------------
// 12. Rendering: oblique rays march through a height field, then a shadow ray towards the sun.

__device__ __forceinline__ float height_at(const float *__restrict__ field, int size, float u, float v)
{
    int mask = size - 1;
    float fu = floorf(u), fv = floorf(v);
    int iu = (int)fu, iv = (int)fv;
    float a = u - fu, b = v - fv;
    int u0 = iu & mask, u1 = (iu + 1) & mask, v0 = (iv & mask) * size, v1 = ((iv + 1) & mask) * size;
    float top = __ldg(field + v0 + u0) * (1 - a) + __ldg(field + v0 + u1) * a;
    float bot = __ldg(field + v1 + u0) * (1 - a) + __ldg(field + v1 + u1) * a;
    return top * (1 - b) + bot * b;
}

/* kmutate launch
   int w = 1280, h = 720, size = 2048;
   dim3 block = { 32, 8 };
   dim3 grid = { (w + 31) / 32, (h + 7) / 8 };
   float field[size * size] = normal(0.35, 0.1);
   float shade[w * h] = zeros();
   heightfield_march_shade(field, size, shade, w, h, make_float3(0.9f, 0.4f, -0.02f), make_float3(-0.5f, 0.6f, 0.03f));
*/
__global__ void heightfield_march_shade(const float *__restrict__ field, int size, float *__restrict__ shade, int w,
                                        int h, float3 dir, float3 sun)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float u = x * 1.5f + 0.25f, v = y * 2.5f + 0.25f, z = 0.9f;
    float below = 0;
    int step = 0;
    for (; step < 96; step++) {
        u += dir.x;
        v += dir.y;
        z += dir.z;
        below = height_at(field, size, u, v) - z;
        if (below > 0)
            break;
    }
    float result = 0.05f;
    if (step < 96) {
        float du = height_at(field, size, u + 1, v) - height_at(field, size, u - 1, v);
        float dv = height_at(field, size, u, v + 1) - height_at(field, size, u, v - 1);
        float inv = rsqrtf(du * du + dv * dv + 4.0f);
        float lambert = fmaxf((-du * sun.x - dv * sun.y + 2 * sun.z) * inv, 0.0f);
        z += below + 0.01f;
        float lit = 1;
        for (int s = 0; s < 24; s++) {
            u += sun.x;
            v += sun.y;
            z += sun.z;
            if (height_at(field, size, u, v) > z) {
                lit = 0.3f;
                break;
            }
        }
        result += lit * (0.2f + lambert);
    }
    shade[y * w + x] = result;
}

// ---------------------------------------------------------------------------------------------------------------------
// 13. Bioinformatics: edit distance of 64-base patterns in 2-bit texts, bit-parallel in 64-bit words; the texts are
// interleaved by pairs so that loads coalesce.

/* kmutate launch
   int pairs = 300000, words = 14;
   dim3 block = { 128 };
   dim3 grid = { (pairs + 127) / 128 };
   uint2 plane_lo[pairs] = randint(0, 4294967295u), plane_hi[pairs] = randint(0, 4294967295u);
   unsigned text[words * pairs] = randint(0, 4294967295u);
   short best_score[pairs] = zeros();
   short best_end[pairs] = zeros();
   bitparallel_edit_distance64(plane_lo, plane_hi, text, words, best_score, best_end, pairs);
*/
__global__ void bitparallel_edit_distance64(const uint2 *__restrict__ plane_lo, const uint2 *__restrict__ plane_hi,
                                            const uint32_t *__restrict__ text, int words,
                                            short *__restrict__ best_score, short *__restrict__ best_end, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    uint2 l = plane_lo[i], h = plane_hi[i];
    uint64_t lo = (uint64_t)l.y << 32 | l.x, hi = (uint64_t)h.y << 32 | h.x;
    uint64_t pv = ~0ull, mv = 0;
    int score = 64, best = 64, where = 0;
    for (int w = 0; w < words; w++) {
        uint32_t bases = text[w * pairs + i];
#pragma unroll 4
        for (int j = 0; j < 16; j++) {
            uint64_t c0 = 0ull - (uint64_t)(bases & 1), c1 = 0ull - (uint64_t)((bases >> 1) & 1);
            bases >>= 2;
            uint64_t eq = ~((lo ^ c0) | (hi ^ c1));
            uint64_t xv = eq | mv;
            uint64_t xh = (((eq & pv) + pv) ^ pv) | eq;
            uint64_t ph = mv | ~(xh | pv);
            uint64_t mh = pv & xh;
            score += (int)(ph >> 63) - (int)(mh >> 63);
            ph <<= 1;
            mh <<= 1;
            pv = mh | ~(xv | ph);
            mv = ph & xv;
            if (score < best) {
                best = score;
                where = w * 16 + j;
            }
        }
    }
    best_score[i] = (short)best;
    best_end[i] = (short)where;
}

// ---------------------------------------------------------------------------------------------------------------------
// 14. Finance: Heston paths, full truncation Euler, counter-based random numbers, down-and-out call.

struct HestonModel { float s0, v0, kappa, theta, xi, corr, rate, dt, strike, barrier; };

__device__ __forceinline__ uint4 philox_round7(uint4 c, uint2 k)
{
#pragma unroll
    for (int r = 0; r < 7; r++) {
        uint32_t h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        uint32_t h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}

/* kmutate launch
   struct HestonModel { float s0, v0, kappa, theta, xi, corr, rate, dt, strike, barrier; };
   int paths = 1 << 18, steps = 50;
   dim3 block = { 256 };
   dim3 grid = { paths / 256 };
   struct HestonModel model = { 100, 0.04f, 1.5f, 0.04f, 0.3f, -0.7f, 0.02f, 0.02f, 100, 75 };
   float payoff[paths] = zeros(), terminal_var[paths] = zeros();
   heston_barrier_paths(model, payoff, terminal_var, paths, steps, 42u);
*/
__global__ void heston_barrier_paths(HestonModel m, float *__restrict__ payoff, float *__restrict__ terminal_var,
                                     int paths, int steps, unsigned seed)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths)
        return;
    float logs = logf(m.s0), v = m.v0, sq = sqrtf(m.dt), ortho = sqrtf(1 - m.corr * m.corr);
    float log_barrier = logf(m.barrier);
    bool alive = true;
    for (int t = 0; t < steps; t += 2) {
        uint4 r = philox_round7(make_uint4(p, t, 0x1234u, 0), make_uint2(seed, 0xCAFEu));
        float u[4] = { (r.x >> 8) * 5.9604645e-8f + 2.98e-8f, (r.y >> 8) * 5.9604645e-8f,
                       (r.z >> 8) * 5.9604645e-8f + 2.98e-8f, (r.w >> 8) * 5.9604645e-8f };
#pragma unroll
        for (int k = 0; k < 2; k++) {
            float rad = sqrtf(-2 * logf(u[2 * k])), sn, cs;
            sincospif(2 * u[2 * k + 1], &sn, &cs);
            float z1 = rad * cs, z2 = m.corr * z1 + ortho * rad * sn;
            float vp = fmaxf(v, 0.0f), sv = sqrtf(vp) * sq;
            logs += (m.rate - 0.5f * vp) * m.dt + sv * z1;
            v += m.kappa * (m.theta - vp) * m.dt + m.xi * sv * z2;
            alive = alive && logs > log_barrier;
        }
    }
    float gain = fmaxf(expf(logs) - m.strike, 0.0f);
    payoff[p] = alive ? gain * expf(-m.rate * m.dt * steps) : 0.0f;
    terminal_var[p] = fmaxf(v, 0.0f);
}

// ---------------------------------------------------------------------------------------------------------------------
// 15. Quantised inference: int8 linear layer by dot products of four, 64 x 64 tiles, next tile prefetched in registers,
// dequantised to half with a scale a channel and bias.

/* kmutate launch
   int m = 1536, n = 2048, k = 1024;
   dim3 block = { 256 };
   dim3 grid = { n / 64, m / 64 };
   signed char act[m * k] = randint(-128, 128);
   signed char weight[n * k] = randint(-128, 128);
   float scale[n] = uniform(0.00001, 0.0001), bias[n] = normal();
   half out[m * n] = zeros();
   s8_linear_dp4a_tile64((int4 *)act, (int4 *)weight, scale, bias, out, m, n, k);
*/
__global__ void __launch_bounds__(256) s8_linear_dp4a_tile64(const int4 *__restrict__ act,
                                                             const int4 *__restrict__ weight,
                                                             const float *__restrict__ scale,
                                                             const float *__restrict__ bias, half *__restrict__ out,
                                                             int m, int n, int k)
{
    __shared__ __align__(16) int ta[2][16][68];
    __shared__ __align__(16) int tb[2][16][68];
    int t = threadIdx.x;
    int lr = t >> 2, lq = t & 3;
    int k16 = k >> 4;
    const int4 *pa = act + (size_t)(blockIdx.y * 64 + lr) * k16 + lq;
    const int4 *pb = weight + (size_t)(blockIdx.x * 64 + lr) * k16 + lq;
    int ty = t >> 4, tx = t & 15;
    int acc[4][4] = {};
    int4 ra = *pa, rb = *pb;
    int buf = 0;
    for (int kk = 0; kk < k16; kk += 4) {
        ta[buf][lq * 4 + 0][lr] = ra.x; ta[buf][lq * 4 + 1][lr] = ra.y;
        ta[buf][lq * 4 + 2][lr] = ra.z; ta[buf][lq * 4 + 3][lr] = ra.w;
        tb[buf][lq * 4 + 0][lr] = rb.x; tb[buf][lq * 4 + 1][lr] = rb.y;
        tb[buf][lq * 4 + 2][lr] = rb.z; tb[buf][lq * 4 + 3][lr] = rb.w;
        __syncthreads();
        if (kk + 4 < k16) {
            ra = pa[kk + 4];
            rb = pb[kk + 4];
        }
#pragma unroll
        for (int s = 0; s < 16; s++) {
            int4 a4 = *reinterpret_cast<const int4 *>(&ta[buf][s][ty * 4]);
            int4 b4 = *reinterpret_cast<const int4 *>(&tb[buf][s][tx * 4]);
            int a[4] = { a4.x, a4.y, a4.z, a4.w }, b[4] = { b4.x, b4.y, b4.z, b4.w };
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] = __dp4a(a[i], b[j], acc[i][j]);
        }
        buf ^= 1;
    }
    int col = blockIdx.x * 64 + tx * 4;
    float4 sc = *reinterpret_cast<const float4 *>(scale + col), bi = *reinterpret_cast<const float4 *>(bias + col);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int row = blockIdx.y * 64 + ty * 4 + i;
        half2 *o = reinterpret_cast<half2 *>(out + (size_t)row * n + col);
        o[0] = __floats2half2_rn(acc[i][0] * sc.x + bi.x, acc[i][1] * sc.y + bi.y);
        o[1] = __floats2half2_rn(acc[i][2] * sc.z + bi.z, acc[i][3] * sc.w + bi.w);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 16. Signal processing: batched complex FFT of 1024 points, radix 4 Stockham passes exchanged through shared memory,
// a signal a block, windowed on the way in, power spectrum on the way out.

/* kmutate launch
   int signals = 6000;
   dim3 block = { 256 };
   dim3 grid = { signals };
   float2 iq[signals * 1024] = normal();
   float window[1024] = uniform(0, 1);
   float power[signals * 1024] = zeros();
   fft1024_stockham_power(iq, window, power);
*/
__global__ void __launch_bounds__(256) fft1024_stockham_power(const float2 *__restrict__ iq,
                                                              const float *__restrict__ window,
                                                              float *__restrict__ power)
{
    __shared__ float2 ex[1024];
    int j = threadIdx.x;
    const float2 *in = iq + (size_t)blockIdx.x * 1024;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float2 s = in[j + r * 256];
        float g = window[j + r * 256];
        v[r] = make_float2(s.x * g, s.y * g);
    }
#pragma unroll
    for (int ns = 1; ns < 1024; ns *= 4) {
        if (ns > 1) {
            float angle = -6.283185307f * (j & (ns - 1)) / (ns * 4);
#pragma unroll
            for (int r = 1; r < 4; r++) {
                float sn, cs;
                __sincosf(angle * r, &sn, &cs);
                v[r] = make_float2(v[r].x * cs - v[r].y * sn, v[r].x * sn + v[r].y * cs);
            }
        }
        float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        v[0] = make_float2(a.x + c.x, a.y + c.y);
        v[1] = make_float2(b.x + d.x, b.y + d.y);
        v[2] = make_float2(a.x - c.x, a.y - c.y);
        v[3] = make_float2(b.x - d.x, b.y - d.y);
        if (ns < 256) {
            int to = (j & ~(ns - 1)) * 4 + (j & (ns - 1));
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++)
                ex[to + r * ns] = v[r];
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++)
                v[r] = ex[j + r * 256];
        }
    }
    float *out = power + (size_t)blockIdx.x * 1024;
#pragma unroll
    for (int r = 0; r < 4; r++)
        out[j + r * 256] = v[r].x * v[r].x + v[r].y * v[r].y;
}

// ---------------------------------------------------------------------------------------------------------------------
// 17. Inference: one decoding step of grouped-query attention over a half-precision cache, the sequence split over
// blocks. Sixteen lanes a token, online softmax a half-warp, combined through shared memory.

/* kmutate launch
   int batch = 6, kv_heads = 8, group = 4, seq = 3072, split = 192;
   int splits = seq / split;
   dim3 block = { 128 };
   dim3 grid = { splits, kv_heads, batch };
   half query[batch * kv_heads * group * 128] = normal();
   half key[batch * kv_heads * seq * 128] = normal();
   half value[batch * kv_heads * seq * 128] = normal();
   float part_out[batch * kv_heads * group * splits * 128] = zeros();
   float2 part_ml[batch * kv_heads * group * splits] = zeros();
   decode_gqa_split_half(query, key, value, part_out, part_ml, seq, split, 0.08838835f);
*/
__global__ void __launch_bounds__(128) decode_gqa_split_half(const half *__restrict__ query,
                                                             const half *__restrict__ key,
                                                             const half *__restrict__ value,
                                                             float *__restrict__ part_out, float2 *__restrict__ part_ml,
                                                             int seq, int split, float scale)
{
    constexpr int D = 128, G = 4, Teams = 8;
    __shared__ float acc_s[Teams][D];
    __shared__ float2 ml_s[G][Teams];
    int team = threadIdx.x >> 4, sub = threadIdx.x & 15;
    int bh = blockIdx.z * gridDim.y + blockIdx.y;
    float q[G][8], acc[G][8], mx[G], sum[G];
#pragma unroll
    for (int g = 0; g < G; g++) {
        uint4 raw = *reinterpret_cast<const uint4 *>(query + (size_t)(bh * G + g) * D + sub * 8);
        const half2 *h = reinterpret_cast<const half2 *>(&raw);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float2 f = __half22float2(h[e]);
            q[g][2 * e] = f.x * scale;
            q[g][2 * e + 1] = f.y * scale;
        }
#pragma unroll
        for (int e = 0; e < 8; e++)
            acc[g][e] = 0;
        mx[g] = -1e30f;
        sum[g] = 0;
    }
    size_t base = ((size_t)bh * seq + (size_t)blockIdx.x * split) * D + sub * 8;
    const half *kp = key + base, *vp = value + base;
    for (int t = team; t < split; t += Teams) {
        uint4 kraw = *reinterpret_cast<const uint4 *>(kp + (size_t)t * D);
        uint4 vraw = *reinterpret_cast<const uint4 *>(vp + (size_t)t * D);
        const half2 *kh = reinterpret_cast<const half2 *>(&kraw), *vh = reinterpret_cast<const half2 *>(&vraw);
        float kf[8], vf[8];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float2 a = __half22float2(kh[e]), b = __half22float2(vh[e]);
            kf[2 * e] = a.x; kf[2 * e + 1] = a.y;
            vf[2 * e] = b.x; vf[2 * e + 1] = b.y;
        }
#pragma unroll
        for (int g = 0; g < G; g++) {
            float dot = 0;
#pragma unroll
            for (int e = 0; e < 8; e++)
                dot = fmaf(q[g][e], kf[e], dot);
#pragma unroll
            for (int o = 8; o > 0; o >>= 1)
                dot += __shfl_xor_sync(0xffffffffu, dot, o);
            float nm = fmaxf(mx[g], dot);
            float fix = __expf(mx[g] - nm), p = __expf(dot - nm);
            mx[g] = nm;
            sum[g] = sum[g] * fix + p;
#pragma unroll
            for (int e = 0; e < 8; e++)
                acc[g][e] = acc[g][e] * fix + p * vf[e];
        }
    }
    if (sub == 0) {
#pragma unroll
        for (int g = 0; g < G; g++)
            ml_s[g][team] = make_float2(mx[g], sum[g]);
    }
    __syncthreads();
#pragma unroll
    for (int g = 0; g < G; g++) {
        float m = -1e30f, l = 0;
#pragma unroll
        for (int w = 0; w < Teams; w++)
            m = fmaxf(m, ml_s[g][w].x);
#pragma unroll
        for (int w = 0; w < Teams; w++)
            l += ml_s[g][w].y * __expf(ml_s[g][w].x - m);
        float mine = __expf(mx[g] - m);
#pragma unroll
        for (int e = 0; e < 8; e++)
            acc_s[team][sub * 8 + e] = acc[g][e] * mine;
        __syncthreads();
        float o = 0;
#pragma unroll
        for (int w = 0; w < Teams; w++)
            o += acc_s[w][threadIdx.x];
        size_t at = (size_t)(bh * G + g) * gridDim.x + blockIdx.x;
        part_out[at * D + threadIdx.x] = o / l;
        if (threadIdx.x == 0)
            part_ml[at] = make_float2(m, l);
        __syncthreads();
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 18. Retrieval: chi-squared distances between two sets of image histograms; tiles come by cp.async, two in flight.

__device__ __forceinline__ void copy16_async(void *to, const void *from)
{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(s), "l"(from) : "memory");
}

/* kmutate launch
   int na = 1024, nb = 2048, dim = 128;
   dim3 block = { 256 };
   dim3 grid = { nb / 64, na / 64 };
   float a[na * dim] = uniform(0, 1), b[nb * dim] = uniform(0, 1);
   float dist[na * nb] = zeros();
   chi2_distance_cpasync(a, b, dist, nb, dim);
*/
__global__ void __launch_bounds__(256) chi2_distance_cpasync(const float *__restrict__ a, const float *__restrict__ b,
                                                             float *__restrict__ dist, int nb, int dim)
{
    __shared__ __align__(16) float sa[2][64][20];
    __shared__ __align__(16) float sb[2][64][20];
    int t = threadIdx.x, row = t >> 2, quad = (t & 3) * 4;
    const float *ga = a + (size_t)(blockIdx.y * 64 + row) * dim + quad;
    const float *gb = b + (size_t)(blockIdx.x * 64 + row) * dim + quad;
    int tx = t & 15, ty = t >> 4;
    float acc[4][4] = {};
    copy16_async(&sa[0][row][quad], ga);
    copy16_async(&sb[0][row][quad], gb);
    asm volatile("cp.async.commit_group;\n" ::: "memory");
    int chunks = dim / 16;
    for (int c = 0; c < chunks; c++) {
        if (c + 1 < chunks) {
            int nx = (c + 1) & 1;
            copy16_async(&sa[nx][row][quad], ga + (c + 1) * 16);
            copy16_async(&sb[nx][row][quad], gb + (c + 1) * 16);
            asm volatile("cp.async.commit_group;\n" ::: "memory");
            asm volatile("cp.async.wait_group 1;\n" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;\n" ::: "memory");
        }
        __syncthreads();
        int cur = c & 1;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                x[i] = sa[cur][ty + 16 * i][k];
                y[i] = sb[cur][tx + 16 * i][k];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    float d = x[i] - y[j], s = x[i] + y[j] + 1e-10f;
                    acc[i][j] += __fdividef(d * d, s);
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            dist[(size_t)(blockIdx.y * 64 + ty + 16 * i) * nb + blockIdx.x * 64 + tx + 16 * j] = 0.5f * acc[i][j];
}

// ---------------------------------------------------------------------------------------------------------------------
// 19. Sorting: stable partition of each tile of 4096 keys by an 8-bit digit; ranks by warp ballots, counters a warp,
// scan by shuffles, the tile leaves in order. Also writes the tile's digit counts for the global pass.

/* kmutate launch
   int tiles = 1500, shift = 8;
   dim3 block = { 512 };
   dim3 grid = { tiles };
   unsigned keys_in[tiles * 4096] = randint(0, 4294967295u);
   unsigned keys_out[tiles * 4096] = zeros();
   int tile_count[256 * tiles] = zeros();
   digit_partition_tile_ballot(keys_in, keys_out, tile_count, shift);
*/
__global__ void __launch_bounds__(512) digit_partition_tile_ballot(const uint32_t *__restrict__ keys_in,
                                                                   uint32_t *__restrict__ keys_out,
                                                                   int *__restrict__ tile_count, int shift)
{
    constexpr int Warps = 16, Items = 8, Tile = 4096;
    __shared__ unsigned short counter[Warps][256];
    __shared__ uint32_t sorted[Tile];
    __shared__ int warp_total[8];
    int t = threadIdx.x, warp = t >> 5, lane = t & 31;
    for (int i = t; i < Warps * 128; i += 512)
        reinterpret_cast<uint32_t *>(counter)[i] = 0;
    __syncthreads();
    const uint32_t *src = keys_in + (size_t)blockIdx.x * Tile + warp * (32 * Items) + lane;
    uint32_t key[Items];
    int rank[Items];
#pragma unroll
    for (int i = 0; i < Items; i++)
        key[i] = src[i * 32];
    unsigned below = (1u << lane) - 1;
#pragma unroll
    for (int i = 0; i < Items; i++) {
        unsigned d = (key[i] >> shift) & 255;
        unsigned peers = 0xffffffffu;
#pragma unroll
        for (int b = 0; b < 8; b++) {
            bool bit = (d >> b) & 1;
            unsigned vote = __ballot_sync(0xffffffffu, bit);
            peers &= bit ? vote : ~vote;
        }
        int before = counter[warp][d];
        rank[i] = before + __popc(peers & below);
        __syncwarp();
        if ((peers & below) == 0)
            counter[warp][d] = (unsigned short)(before + __popc(peers));
        __syncwarp();
    }
    __syncthreads();
    int total = 0, incl = 0;
    if (t < 256) {
#pragma unroll
        for (int w = 0; w < Warps; w++) {
            int c = counter[w][t];
            counter[w][t] = (unsigned short)total;
            total += c;
        }
        tile_count[(size_t)t * gridDim.x + blockIdx.x] = total;
        incl = total;
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            int up = __shfl_up_sync(0xffffffffu, incl, o);
            if (lane >= o)
                incl += up;
        }
        if (lane == 31)
            warp_total[warp] = incl;
    }
    __syncthreads();
    if (t < 256) {
        int base = incl - total;
        for (int w = 0; w < warp; w++)
            base += warp_total[w];
#pragma unroll
        for (int w = 0; w < Warps; w++)
            counter[w][t] = (unsigned short)(counter[w][t] + base);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; i++)
        sorted[counter[warp][(key[i] >> shift) & 255] + rank[i]] = key[i];
    __syncthreads();
    uint4 *dst = reinterpret_cast<uint4 *>(keys_out + (size_t)blockIdx.x * Tile);
    const uint4 *from = reinterpret_cast<const uint4 *>(sorted);
#pragma unroll
    for (int i = 0; i < 2; i++)
        dst[t + i * 512] = from[t + i * 512];
}

// ---------------------------------------------------------------------------------------------------------------------
// 20. Dense linear algebra: batched Cholesky factors of 32 x 32 regularised covariance matrices in double precision with
// their log determinants, a warp a matrix, one row a lane in registers, columns handed on by shuffles.

/* kmutate launch
   int matrices = 6000;
   dim3 block = { 64 };
   dim3 grid = { (matrices + 1) / 2 };
   double a[matrices * 1024] = uniform(0, 1);
   double logdet[matrices] = zeros();
   cholesky32_warp_logdet_fp64(a, logdet, matrices, 40.0);
*/
__global__ void __launch_bounds__(64) cholesky32_warp_logdet_fp64(double *__restrict__ a, double *__restrict__ logdet,
                                                                  int matrices, double ridge)
{
    __shared__ double stage[2][32][33];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    int mat = blockIdx.x * 2 + warp;
    if (mat >= matrices)
        return;
    double *g = a + (size_t)mat * 1024;
#pragma unroll 8
    for (int r = 0; r < 32; r++)
        stage[warp][r][lane] = g[r * 32 + lane];
    __syncwarp();
    double row[32];
#pragma unroll
    for (int c = 0; c < 32; c++)
        row[c] = stage[warp][lane][c] + (c == lane ? ridge : 0.0);
    double ld = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        double pivot = __shfl_sync(0xffffffffu, row[k], k);
        double inv = rsqrt(pivot);
        double lk = row[k] * inv;
        row[k] = lk;
        ld += log(pivot);
#pragma unroll
        for (int c = k + 1; c < 32; c++) {
            double lc = __shfl_sync(0xffffffffu, lk, c);
            row[c] -= lk * lc;
        }
    }
    __syncwarp();
#pragma unroll
    for (int c = 0; c < 32; c++)
        stage[warp][lane][c] = c <= lane ? row[c] : 0.0;
    __syncwarp();
#pragma unroll 8
    for (int r = 0; r < 32; r++)
        g[r * 32 + lane] = stage[warp][r][lane];
    if (lane == 0)
        logdet[mat] = ld;
}
