#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

// ---------------------------------------------------------------------------------------------------------------------
// Savitzky-Golay: smoothed trace and first derivative, quadratic through 15 samples.

__constant__ float savgol_smooth[15] = {
    -0.0705882f, -0.0117647f, 0.0380090f, 0.0787330f, 0.1104072f, 0.1330317f, 0.1466063f, 0.1511312f,
    0.1466063f, 0.1330317f, 0.1104072f, 0.0787330f, 0.0380090f, -0.0117647f, -0.0705882f
};

/* kmutate launch
   int traces = 4096, samples = 4096;
   dim3 grid = { samples / 1024, traces }, block = { 256 };
   short raw[traces * samples] = randint(-2000, 2000);
   short smooth[traces * samples] = zeros();
   float slope[traces * samples] = zeros();
   savgol_smooth_and_slope_shorts(raw, smooth, slope, samples, 0.004f);
*/
__global__ void savgol_smooth_and_slope_shorts(const short *__restrict__ raw, short *__restrict__ smooth,
                                               float *__restrict__ slope, int samples, float dt)
{
    __shared__ float win[1024 + 14];
    const int first = blockIdx.x * 1024;
    const size_t row = (size_t)blockIdx.y * samples;
    for (int k = threadIdx.x; k < 1024 + 14; k += 256) {
        int at = first + k - 7;
        at = at < 0 ? -at : at;
        at = at >= samples ? 2 * samples - 2 - at : at;
        win[k] = (float)raw[row + at];
    }
    __syncthreads();
    const float per = 1.f / (280.f * dt);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int k = threadIdx.x + r * 256;
        float s = 0.f, d = 0.f;
#pragma unroll
        for (int t = 0; t < 15; ++t) {
            const float v = win[k + t];
            s = fmaf(savgol_smooth[t], v, s);
            d = fmaf((float)(t - 7), v, d);
        }
        smooth[row + first + k] = (short)__float2int_rn(s);
        slope[row + first + k] = d * per;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Bilateral smoothing of a CT volume, 27 voxels.

/* kmutate launch
   int nx = 320, ny = 320, nz = 160;
   dim3 grid = { nx / 32, ny / 4, nz / 2 }, block = { 32, 4, 2 };
   uint16_t vol[nx * ny * nz] = randint(900, 1400);
   uint16_t out[nx * ny * nz] = zeros();
   ct_volume_bilateral_27(vol, out, nx, ny, nz, 0.7f, 0.0001f);
*/
__global__ void ct_volume_bilateral_27(const uint16_t *__restrict__ vol, uint16_t *__restrict__ out, int nx, int ny,
                                       int nz, float spatial, float range)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    const float mid = vol[((size_t)z * ny + y) * nx + x];
    float sum = 0.f, weight = 0.f;
    for (int dz = -1; dz <= 1; ++dz) {
        const int zz = min(max(z + dz, 0), nz - 1);
        for (int dy = -1; dy <= 1; ++dy) {
            const int yy = min(max(y + dy, 0), ny - 1);
            const uint16_t *line = vol + ((size_t)zz * ny + yy) * nx;
#pragma unroll
            for (int dx = -1; dx <= 1; ++dx) {
                const float v = line[min(max(x + dx, 0), nx - 1)];
                const float d = v - mid;
                const float w = __expf(-(spatial * (float)(dx * dx + dy * dy + dz * dz) + range * d * d));
                sum += w * v;
                weight += w;
            }
        }
    }
    out[((size_t)z * ny + y) * nx + x] = (uint16_t)(sum / weight + 0.5f);
}

// ---------------------------------------------------------------------------------------------------------------------
// Radar: cell-averaging detector on a range-Doppler map, detections appended to one list.

/* kmutate launch
   int ranges = 4096, dopplers = 2048, capacity = 1 << 20;
   dim3 grid = { dopplers / 32, ranges / 8 }, block = { 32, 8 };
   float2 map[ranges * dopplers] = normal();
   int2 cells[capacity] = zeros();
   float strength[capacity] = zeros();
   int found[1] = zeros();
   cfar_cells_into_list(map, cells, strength, found, ranges, dopplers, capacity, 5.2f);
*/
__global__ void cfar_cells_into_list(const float2 *__restrict__ map, int2 *__restrict__ cells,
                                     float *__restrict__ strength, int *found, int ranges, int dopplers, int capacity,
                                     float factor)
{
    __shared__ float power[8 + 8][32 + 8];
    const int d0 = blockIdx.x * 32 - 4, r0 = blockIdx.y * 8 - 4;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 16 * 40; k += 256) {
        const int i = k / 40, j = k % 40;
        const int d = (d0 + j + dopplers) % dopplers;
        const int r = min(max(r0 + i, 0), ranges - 1);
        const float2 c = map[(size_t)r * dopplers + d];
        power[i][j] = c.x * c.x + c.y * c.y;
    }
    __syncthreads();
    float around = 0.f;
    for (int i = 0; i < 9; ++i) {
#pragma unroll
        for (int j = 0; j < 9; ++j) {
            const bool guard = i >= 3 && i <= 5 && j >= 3 && j <= 5;
            if (!guard) around += power[threadIdx.y + i][threadIdx.x + j];
        }
    }
    const float own = power[threadIdx.y + 4][threadIdx.x + 4];
    const float noise = around * (1.f / 72.f);
    if (own > factor * noise) {
        const int slot = atomicAdd(found, 1);
        if (slot < capacity) {
            cells[slot] = make_int2(blockIdx.y * 8 + threadIdx.y, blockIdx.x * 32 + threadIdx.x);
            strength[slot] = 10.f * log10f(own / noise);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 64-bit similarity fingerprint of a document, one warp for each.

/* kmutate launch
   int docs = 60000;
   int words = csr_nnz(docs, 40, 400);
   dim3 grid = { (docs + 7) / 8 }, block = { 256 };
   int start[docs + 1] = csr_rowptr(docs, 40, 400);
   uint32_t word[words] = randint(0, 1u << 31);
   uint64_t print[docs] = zeros();
   simhash64_of_documents(start, word, print, docs);
*/
__global__ void simhash64_of_documents(const int *__restrict__ start, const uint32_t *__restrict__ word,
                                       uint64_t *__restrict__ print, int docs)
{
    const int doc = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    if (doc >= docs) return;
    const int begin = start[doc], end = start[doc + 1];
    int low = 0, high = 0;
    for (int base = begin; base < end; base += 32) {
        uint64_t h = 0;
        if (base + lane < end) {
            h = word[base + lane] + 0x9e3779b97f4a7c15ull;
            h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
            h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
            h ^= h >> 31;
        }
        const uint32_t mine_low = (uint32_t)h, mine_high = (uint32_t)(h >> 32);
        const int count = min(32, end - base);
        for (int t = 0; t < count; ++t) {
            const uint32_t a = __shfl_sync(0xffffffffu, mine_low, t);
            const uint32_t b = __shfl_sync(0xffffffffu, mine_high, t);
            low += (a >> lane) & 1;
            high += (b >> lane) & 1;
        }
    }
    const int half_of = (end - begin) / 2;
    const uint32_t bits_low = __ballot_sync(0xffffffffu, low > half_of);
    const uint32_t bits_high = __ballot_sync(0xffffffffu, high > half_of);
    if (lane == 0) print[doc] = (uint64_t)bits_high << 32 | bits_low;
}

// ---------------------------------------------------------------------------------------------------------------------
// Credit default swaps: premium and protection legs on piecewise constant hazard rates.

struct CdsTerms {
    int curve;
    int quarters;
};

/* kmutate launch
   int deals = 400000;
   dim3 grid = { (deals + 127) / 128 }, block = { 128 };
   int curve[deals] = randint(0, 24);
   int quarters[deals] = randint(4, 41);
   float spread[deals] = uniform(0.002, 0.04);
   float recovery[deals] = uniform(0.2, 0.6);
   double hazard[24 * 10] = uniform(0.005, 0.08);
   double value[deals] = zeros();
   double par[deals] = zeros();
   cds_legs_on_hazard_curves(curve, quarters, spread, recovery, hazard, value, par, 0.031, deals);
*/
__global__ void cds_legs_on_hazard_curves(const int *__restrict__ curve, const int *__restrict__ quarters,
                                          const float *__restrict__ spread, const float *__restrict__ recovery,
                                          const double *__restrict__ hazard, double *__restrict__ value,
                                          double *__restrict__ par, double rate, int deals)
{
    __shared__ double h[24 * 10];
    for (int k = threadIdx.x; k < 24 * 10; k += blockDim.x) h[k] = hazard[k];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= deals) return;
    const CdsTerms terms = { curve[i], quarters[i] };
    const double *mine = h + terms.curve * 10;
    double survive = 1.0, premium = 0.0, accrued = 0.0, protection = 0.0;
    for (int q = 0; q < terms.quarters; ++q) {
        const double rate_of_default = mine[q >> 2];
        const double next = survive * exp(-0.25 * rate_of_default);
        const double df_end = exp(-rate * 0.25 * (q + 1));
        const double df_mid = exp(-rate * (0.25 * q + 0.125));
        const double lost = survive - next;
        premium += 0.25 * df_end * next;
        accrued += 0.125 * df_mid * lost;
        protection += df_mid * lost;
        survive = next;
    }
    const double loss = (1.0 - (double)recovery[i]) * protection;
    const double annuity = premium + accrued;
    value[i] = loss - spread[i] * annuity;
    par[i] = loss / annuity;
}

// ---------------------------------------------------------------------------------------------------------------------
// Libor market model: twenty forward rates, two factors, one path for each thread.

#define FORWARDS 20

__constant__ float2 libor_loading[FORWARDS] = {
    { 0.180f, 0.050f }, { 0.178f, 0.046f }, { 0.175f, 0.041f }, { 0.172f, 0.036f }, { 0.169f, 0.031f },
    { 0.166f, 0.026f }, { 0.163f, 0.021f }, { 0.160f, 0.016f }, { 0.157f, 0.010f }, { 0.154f, 0.005f },
    { 0.151f, 0.000f }, { 0.148f, -.005f }, { 0.145f, -.010f }, { 0.142f, -.015f }, { 0.140f, -.020f },
    { 0.138f, -.024f }, { 0.136f, -.028f }, { 0.134f, -.032f }, { 0.132f, -.036f }, { 0.130f, -.040f }
};

/* kmutate launch
   int paths = 262144;
   dim3 grid = { paths / 128 }, block = { 128 };
   float2 noise[20 * paths] = normal();
   float today[20] = uniform(0.02, 0.05);
   float payoff[paths] = zeros();
   libor_ratchet_caplets_paths(noise, today, payoff, paths, 0.5f, 0.002f);
*/
__global__ void libor_ratchet_caplets_paths(const float2 *__restrict__ noise, const float *__restrict__ today,
                                            float *__restrict__ payoff, int paths, float delta, float margin)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    float f[FORWARDS];
#pragma unroll
    for (int k = 0; k < FORWARDS; ++k) f[k] = today[k];
    const float root = sqrtf(delta);
    float cash = 0.f, account = 1.f, strike = f[0];
    for (int step = 0; step < FORWARDS; ++step) {
        const float2 z = noise[(size_t)step * paths + p];
        float drift_x = 0.f, drift_y = 0.f, fixing = 0.f;
#pragma unroll
        for (int k = 0; k < FORWARDS; ++k) {
            if (k >= step) {
                const float2 s = libor_loading[k - step];
                const float share = __fdividef(delta * f[k], 1.f + delta * f[k]);
                drift_x = fmaf(share, s.x, drift_x);
                drift_y = fmaf(share, s.y, drift_y);
                const float mu = s.x * drift_x + s.y * drift_y - 0.5f * (s.x * s.x + s.y * s.y);
                f[k] *= __expf(mu * delta + root * (s.x * z.x + s.y * z.y));
                if (k == step) fixing = f[k];
            }
        }
        account *= 1.f + delta * fixing;
        cash += delta * fmaxf(fixing - strike, 0.f) / account;
        strike = fminf(strike + margin, fixing + margin);
    }
    payoff[p] = cash;
}

// ---------------------------------------------------------------------------------------------------------------------
// Traceback through the two-bit directions of finished alignments, run lengths out.

/* kmutate launch
   int pairs = 8192, len = 256;
   dim3 grid = { pairs / 128 }, block = { 128 };
   uint8_t dirs[pairs * len * len / 4] = randint(0, 256);
   uint16_t cigar[pairs * 2 * len] = zeros();
   int runs[pairs] = zeros();
   traceback_two_bit_directions(dirs, cigar, runs, pairs, len);
*/
__global__ void traceback_two_bit_directions(const uint8_t *__restrict__ dirs, uint16_t *__restrict__ cigar,
                                             int *__restrict__ runs, int pairs, int len)
{
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs) return;
    const uint8_t *table = dirs + (size_t)pair * len * len / 4;
    uint16_t *out = cigar + (size_t)pair * 2 * len;
    int i = len - 1, j = len - 1, emitted = 0, run = 0, last = -1;
    while (i >= 0 && j >= 0) {
        const int cell = i * len + j;
        int way = (table[cell >> 2] >> ((cell & 3) * 2)) & 3;
        if (way == 3) way = 0;
        if (way == last) {
            ++run;
        } else {
            if (run) out[emitted++] = (uint16_t)(run << 2 | last);
            last = way;
            run = 1;
        }
        if (way != 2) --i;
        if (way != 1) --j;
    }
    out[emitted++] = (uint16_t)(run << 2 | last);
    runs[pair] = emitted;
}

// ---------------------------------------------------------------------------------------------------------------------
// Query spectra against a library: peaks walked side by side, masses kept as gaps.

/* kmutate launch
   int library = 8192, queries = 192, peaks = 96;
   dim3 grid = { library / 128, queries }, block = { 128 };
   float query_gap[queries * 128] = uniform(0.2, 16);
   float query_height[queries * 128] = uniform(0, 1);
   float lib_gap[peaks * library] = uniform(0.2, 20);
   half lib_height[peaks * library] = uniform(0, 1);
   int lib_peaks[library] = randint(30, 97);
   float score[queries * library] = zeros();
   spectra_side_by_side_score(query_gap, query_height, lib_gap, lib_height, lib_peaks, score, library, 0.5f);
*/
__global__ void spectra_side_by_side_score(const float *__restrict__ query_gap, const float *__restrict__ query_height,
                                           const float *__restrict__ lib_gap, const half *__restrict__ lib_height,
                                           const int *__restrict__ lib_peaks, float *__restrict__ score, int library,
                                           float tolerance)
{
    __shared__ float mass[128], height[128];
    const int t = threadIdx.x;
    mass[t] = query_gap[blockIdx.y * 128 + t];
    height[t] = query_height[blockIdx.y * 128 + t];
    __syncthreads();
    for (int o = 1; o < 128; o <<= 1) {
        const float add = t >= o ? mass[t - o] : 0.f;
        __syncthreads();
        mass[t] += add;
        __syncthreads();
    }
    const int entry = blockIdx.x * 128 + t;
    const int n = lib_peaks[entry];
    int a = 0, b = 0;
    float at = lib_gap[entry], dot = 0.f, norm = 0.f;
    float tall = __half2float(lib_height[entry]);
    while (a < 128 && b < n) {
        const float d = mass[a] - at;
        if (fabsf(d) <= tolerance) dot += sqrtf(height[a] * tall);
        if (d < 0.f) {
            ++a;
        } else {
            norm += tall;
            ++b;
            if (b < n) {
                at += lib_gap[(size_t)b * library + entry];
                tall = __half2float(lib_height[(size_t)b * library + entry]);
            }
        }
    }
    score[(size_t)blockIdx.y * library + entry] = dot * rsqrtf(norm + 1e-6f);
}

// ---------------------------------------------------------------------------------------------------------------------
// Ruiz equilibration: largest scaled magnitude of each row and column, a row for each thread.

/* kmutate launch
   int rows = 500000, cols = 300000;
   int nnz = csr_nnz(rows, 2, 22);
   dim3 grid = { (rows + 255) / 256 }, block = { 256 };
   int rowptr[rows + 1] = csr_rowptr(rows, 2, 22);
   int colidx[nnz] = csr_colidx(cols);
   double a[nnz] = normal();
   float row_scale[rows] = uniform(0.2, 3);
   float col_scale[cols] = uniform(0.2, 3);
   float row_max[rows] = zeros();
   int col_max[cols] = zeros();
   ruiz_largest_of_rows_and_columns(rowptr, colidx, a, row_scale, col_scale, row_max, col_max, rows);
*/
__global__ void ruiz_largest_of_rows_and_columns(const int *__restrict__ rowptr, const int *__restrict__ colidx,
                                                 const double *__restrict__ a, const float *__restrict__ row_scale,
                                                 const float *__restrict__ col_scale, float *__restrict__ row_max,
                                                 int *__restrict__ col_max, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float scale = row_scale[row];
    float largest = 0.f;
    for (int k = rowptr[row]; k < rowptr[row + 1]; ++k) {
        const int c = colidx[k];
        const float v = fabsf((float)a[k]) * scale * col_scale[c];
        largest = fmaxf(largest, v);
        atomicMax(col_max + c, __float_as_int(v));
    }
    row_max[row] = rsqrtf(fmaxf(largest, 1e-12f));
}

// ---------------------------------------------------------------------------------------------------------------------
// Selective state-space scan, sixteen states for each channel.

/* kmutate launch
   int batch = 8, channels = 2048, steps = 768;
   dim3 grid = { channels / 128, batch }, block = { 128 };
   half u[batch * steps * channels] = normal();
   half dt[batch * steps * channels] = normal(-3, 0.5);
   float bc[batch * steps * 32] = normal(0, 0.3);
   float log_a[channels * 16] = uniform(0, 2.7);
   float skip[channels] = normal();
   half y[batch * steps * channels] = zeros();
   selective_scan_sixteen_states(u, dt, bc, log_a, skip, y, channels, steps);
*/
__global__ void __launch_bounds__(128) selective_scan_sixteen_states(const half *__restrict__ u,
                                              const half *__restrict__ dt, const float *__restrict__ bc,
                                              const float *__restrict__ log_a, const float *__restrict__ skip,
                                              half *__restrict__ y, int channels, int steps)
{
    __shared__ float4 part[32][8];
    const int ch = blockIdx.x * 128 + threadIdx.x;
    const size_t base = (size_t)blockIdx.y * steps * channels + ch;
    const float4 *bc4 = reinterpret_cast<const float4 *>(bc) + (size_t)blockIdx.y * steps * 8;
    float rate[16], state[16];
#pragma unroll
    for (int s = 0; s < 16; ++s) {
        rate[s] = -1.44269504f * expf(log_a[ch * 16 + s]);
        state[s] = 0.f;
    }
    const float through = skip[ch];
    for (int t0 = 0; t0 < steps; t0 += 32) {
        __syncthreads();
        for (int k = threadIdx.x; k < 32 * 8; k += 128) part[k >> 3][k & 7] = bc4[t0 * 8 + k];
        __syncthreads();
        for (int t = 0; t < 32; ++t) {
            const size_t at = base + (size_t)(t0 + t) * channels;
            const float x = __half2float(u[at]);
            const float raw = __half2float(dt[at]);
            const float d = raw > 15.f ? raw : __logf(1.f + __expf(raw));
            const float dx = d * x;
            float acc = through * x;
#pragma unroll
            for (int g = 0; g < 4; ++g) {
                const float4 b = part[t][g], c = part[t][4 + g];
                state[4 * g] = state[4 * g] * exp2f(d * rate[4 * g]) + dx * b.x;
                state[4 * g + 1] = state[4 * g + 1] * exp2f(d * rate[4 * g + 1]) + dx * b.y;
                state[4 * g + 2] = state[4 * g + 2] * exp2f(d * rate[4 * g + 2]) + dx * b.z;
                state[4 * g + 3] = state[4 * g + 3] * exp2f(d * rate[4 * g + 3]) + dx * b.w;
                acc += state[4 * g] * c.x + state[4 * g + 1] * c.y + state[4 * g + 2] * c.z + state[4 * g + 3] * c.w;
            }
            y[at] = __float2half(acc);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Gradient of bilinear enlargement: each input pixel gathers from the outputs that it has touched.

/* kmutate launch
   int planes = 512, h = 112, w = 112, oh = 224, ow = 224;
   dim3 grid = { (w + 31) / 32, (h + 7) / 8, planes }, block = { 32, 8 };
   __nv_bfloat16 grad_out[planes * oh * ow] = normal();
   __nv_bfloat16 grad_in[planes * h * w] = zeros();
   upsample_bilinear_gradient_gathered(grad_out, grad_in, h, w, oh, ow, 0.5f, 0.5f);
*/
__global__ void upsample_bilinear_gradient_gathered(const __nv_bfloat16 *__restrict__ grad_out,
                                                    __nv_bfloat16 *__restrict__ grad_in, int h, int w, int oh, int ow,
                                                    float ry, float rx)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    const __nv_bfloat16 *g = grad_out + (size_t)blockIdx.z * oh * ow;
    const int oy0 = max(0, (int)floorf((y - 0.5f) / ry - 0.5f));
    const int oy1 = min(oh - 1, (int)ceilf((y + 1.5f) / ry - 0.5f));
    const int ox0 = max(0, (int)floorf((x - 0.5f) / rx - 0.5f));
    const int ox1 = min(ow - 1, (int)ceilf((x + 1.5f) / rx - 0.5f));
    float sum = 0.f;
    for (int oy = oy0; oy <= oy1; ++oy) {
        const float sy = fmaxf((oy + 0.5f) * ry - 0.5f, 0.f);
        const int ly = (int)sy, hy = min(ly + 1, h - 1);
        const float fy = sy - ly;
        const float wy = (ly == y ? 1.f - fy : 0.f) + (hy == y ? fy : 0.f);
        if (wy == 0.f) continue;
        float line = 0.f;
        for (int ox = ox0; ox <= ox1; ++ox) {
            const float sx = fmaxf((ox + 0.5f) * rx - 0.5f, 0.f);
            const int lx = (int)sx, hx = min(lx + 1, w - 1);
            const float fx = sx - lx;
            const float wx = (lx == x ? 1.f - fx : 0.f) + (hx == x ? fx : 0.f);
            line += wx * __bfloat162float(g[oy * ow + ox]);
        }
        sum += wy * line;
    }
    grad_in[((size_t)blockIdx.z * h + y) * w + x] = __float2bfloat16(sum);
}

// ---------------------------------------------------------------------------------------------------------------------
// Kolmogorov-Arnold layer: cubic B-splines, eight coefficients for each edge.

/* kmutate launch
   int batch = 2048, inputs = 128, outputs = 256;
   dim3 grid = { outputs / 128, batch / 8 }, block = { 128 };
   float x[batch * inputs] = uniform(-0.999, 0.999);
   float coef[inputs * outputs * 8] = normal(0, 0.1);
   float y[batch * outputs] = zeros();
   spline_edges_layer_cubic(x, coef, y, inputs, outputs);
*/
__global__ void spline_edges_layer_cubic(const float *__restrict__ x, const float *__restrict__ coef,
                                         float *__restrict__ y, int inputs, int outputs)
{
    __shared__ float edge[128][8];
    __shared__ float basis[8][4];
    __shared__ int cell[8];
    const int t = threadIdx.x, o0 = blockIdx.x * 128, b0 = blockIdx.y * 8;
    float acc[8] = { 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f };
    for (int i = 0; i < inputs; ++i) {
        const float *from = coef + ((size_t)i * outputs + o0) * 8;
#pragma unroll
        for (int k = 0; k < 8; ++k) edge[(t + k * 128) >> 3][t & 7] = from[t + k * 128];
        if (t < 8) {
            const float s = (x[(size_t)(b0 + t) * inputs + i] + 1.f) * 2.5f;
            const int c = min(max((int)s, 0), 4);
            const float u = s - c, v = 1.f - u;
            cell[t] = c;
            basis[t][0] = v * v * v * (1.f / 6.f);
            basis[t][1] = (3.f * u * u * u - 6.f * u * u + 4.f) * (1.f / 6.f);
            basis[t][2] = (3.f * v * v * v - 6.f * v * v + 4.f) * (1.f / 6.f);
            basis[t][3] = u * u * u * (1.f / 6.f);
        }
        __syncthreads();
#pragma unroll
        for (int b = 0; b < 8; ++b) {
            const float *e = edge[t] + cell[b];
            acc[b] += basis[b][0] * e[0] + basis[b][1] * e[1] + basis[b][2] * e[2] + basis[b][3] * e[3];
        }
        __syncthreads();
    }
#pragma unroll
    for (int b = 0; b < 8; ++b) y[(size_t)(b0 + b) * outputs + o0 + t] = acc[b];
}

// ---------------------------------------------------------------------------------------------------------------------
// Graph attention: softmax over the incoming edges and weighted sum of features, a warp for each node and head.

/* kmutate launch
   int nodes = 60000, heads = 4;
   int edges = csr_nnz(nodes, 4, 40);
   dim3 grid = { nodes * heads / 8 }, block = { 32, 8 };
   int rowptr[nodes + 1] = csr_rowptr(nodes, 4, 40);
   int source[edges] = csr_colidx(nodes);
   float left[nodes * heads] = normal();
   float right[nodes * heads] = normal();
   half2 feature[nodes * heads * 32] = normal();
   half2 out[nodes * heads * 32] = zeros();
   graph_attention_edges_to_node(rowptr, source, left, right, feature, out, nodes, heads, 0.2f);
*/
__global__ void graph_attention_edges_to_node(const int *__restrict__ rowptr, const int *__restrict__ source,
                                              const float *__restrict__ left, const float *__restrict__ right,
                                              const half2 *__restrict__ feature, half2 *__restrict__ out, int nodes,
                                              int heads, float leak)
{
    const int item = blockIdx.x * blockDim.y + threadIdx.y;
    const int node = item / heads, head = item % heads, lane = threadIdx.x;
    if (node >= nodes) return;
    const int begin = rowptr[node], end = rowptr[node + 1];
    const float own = right[item];
    float top = -1e30f;
    for (int e = begin + lane; e < end; e += 32) {
        const float s = left[source[e] * heads + head] + own;
        top = fmaxf(top, s > 0.f ? s : leak * s);
    }
    for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
    float total = 0.f;
    float2 acc = make_float2(0.f, 0.f);
    for (int base = begin; base < end; base += 32) {
        int from = 0;
        float w = 0.f;
        if (base + lane < end) {
            from = source[base + lane] * heads + head;
            const float s = left[from] + own;
            w = __expf((s > 0.f ? s : leak * s) - top);
        }
        total += w;
        const int count = min(32, end - base);
        for (int k = 0; k < count; ++k) {
            const int who = __shfl_sync(0xffffffffu, from, k);
            const float share = __shfl_sync(0xffffffffu, w, k);
            const float2 f = __half22float2(feature[(size_t)who * 32 + lane]);
            acc.x = fmaf(share, f.x, acc.x);
            acc.y = fmaf(share, f.y, acc.y);
        }
    }
    for (int o = 16; o; o >>= 1) total += __shfl_xor_sync(0xffffffffu, total, o);
    const float inv = 1.f / total;
    const float vx = acc.x * inv, vy = acc.y * inv;
    out[(size_t)item * 32 + lane] = __floats2half2_rn(vx > 0.f ? vx : expm1f(vx), vy > 0.f ? vy : expm1f(vy));
}

// ---------------------------------------------------------------------------------------------------------------------
// Level set moved by its mean curvature, nineteen points.

/* kmutate launch
   int nx = 320, ny = 320, nz = 224;
   dim3 grid = { nx / 32, ny / 4, nz / 2 }, block = { 32, 4, 2 };
   float phi[nx * ny * nz] = uniform(-1, 1);
   float next[nx * ny * nz] = zeros();
   curvature_flow_of_level_set(phi, next, nx, ny, nz, 0.1f);
*/
__global__ void curvature_flow_of_level_set(const float *__restrict__ phi, float *__restrict__ next, int nx, int ny,
                                            int nz, float step)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    const int sy = nx, sz = nx * ny;
    const int c = z * sz + y * sy + x;
    const float mid = phi[c];
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        next[c] = mid;
        return;
    }
    const float xm = phi[c - 1], xp = phi[c + 1], ym = phi[c - sy];
    const float yp = phi[c + sy], zm = phi[c - sz], zp = phi[c + sz];
    const float dx = 0.5f * (xp - xm), dy = 0.5f * (yp - ym), dz = 0.5f * (zp - zm);
    const float dxx = xp - 2.f * mid + xm, dyy = yp - 2.f * mid + ym, dzz = zp - 2.f * mid + zm;
    const float dxy = 0.25f * (phi[c + 1 + sy] - phi[c + 1 - sy] - phi[c - 1 + sy] + phi[c - 1 - sy]);
    const float dxz = 0.25f * (phi[c + 1 + sz] - phi[c + 1 - sz] - phi[c - 1 + sz] + phi[c - 1 - sz]);
    const float dyz = 0.25f * (phi[c + sy + sz] - phi[c + sy - sz] - phi[c - sy + sz] + phi[c - sy - sz]);
    const float g2 = dx * dx + dy * dy + dz * dz + 1e-6f;
    const float bend = dxx * (dy * dy + dz * dz) + dyy * (dx * dx + dz * dz) + dzz * (dx * dx + dy * dy)
                       - 2.f * (dx * dy * dxy + dx * dz * dxz + dy * dz * dyz);
    next[c] = mid + step * fminf(fmaxf(bend / g2, -2.f), 2.f);
}

// ---------------------------------------------------------------------------------------------------------------------
// Peridynamics: forces of 24 bonds of each particle, bonds stretched too far break.

/* kmutate launch
   int n = 400000;
   dim3 grid = { (n + 191) / 192 }, block = { 192 };
   float4 place[n] = uniform(0, 4);
   float4 moved[n] = normal(0, 0.05);
   int16_t other[24 * n] = randint(-2500, 2500);
   uint32_t intact[n] = randint(0, 1 << 24);
   float4 force[n] = zeros();
   float damage[n] = zeros();
   peridynamic_bonds_pull_and_break(place, moved, other, intact, force, damage, 18.f, 0.06f, n);
*/
__global__ void peridynamic_bonds_pull_and_break(const float4 *__restrict__ place, const float4 *__restrict__ moved,
                                                 const int16_t *__restrict__ other, uint32_t *__restrict__ intact,
                                                 float4 *__restrict__ force, float *__restrict__ damage, float micro,
                                                 float critical, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 xi = place[i], ui = moved[i];
    uint32_t bonds = intact[i];
    float fx = 0.f, fy = 0.f, fz = 0.f;
    for (int b = 0; b < 24; ++b) {
        if (!(bonds >> b & 1)) continue;
        const int j = min(max(i + other[(size_t)b * n + i], 0), n - 1);
        const float4 xj = place[j], uj = moved[j];
        const float rx = xj.x - xi.x, ry = xj.y - xi.y, rz = xj.z - xi.z;
        const float ex = rx + uj.x - ui.x, ey = ry + uj.y - ui.y, ez = rz + uj.z - ui.z;
        const float rest = sqrtf(rx * rx + ry * ry + rz * rz + 1e-8f);
        const float long_now = sqrtf(ex * ex + ey * ey + ez * ez + 1e-8f);
        const float stretch = (long_now - rest) / rest;
        if (stretch > critical) {
            bonds &= ~(1u << b);
            continue;
        }
        const float pull = micro * stretch * xj.w / long_now;
        fx += pull * ex;
        fy += pull * ey;
        fz += pull * ez;
    }
    intact[i] = bonds;
    force[i] = make_float4(fx, fy, fz, 0.f);
    damage[i] = 1.f - __popc(bonds) * (1.f / 24.f);
}

// ---------------------------------------------------------------------------------------------------------------------
// Neighbourhood function of a graph: union of the neighbours' counters of 64 registers, half a warp for each vertex.

/* kmutate launch
   int vertices = 200000;
   int edges = csr_nnz(vertices, 2, 30);
   dim3 grid = { vertices / 16 }, block = { 256 };
   int rowptr[vertices + 1] = csr_rowptr(vertices, 2, 30);
   int target[edges] = csr_colidx(vertices);
   uint8_t now[vertices * 64] = randint(0, 12);
   uint8_t then[vertices * 64] = zeros();
   float reach[vertices] = zeros();
   int changed[1] = zeros();
   anf_union_counters_of_neighbours(rowptr, target, (uint32_t *)now, (uint32_t *)then, reach, changed, vertices);
*/
__global__ void anf_union_counters_of_neighbours(const int *__restrict__ rowptr, const int *__restrict__ target,
                                                 const uint32_t *__restrict__ now, uint32_t *__restrict__ then,
                                                 float *__restrict__ reach, int *__restrict__ changed, int vertices)
{
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 4;
    const int part = threadIdx.x & 15;
    if (v >= vertices) return;
    const uint32_t old = now[(size_t)v * 16 + part];
    uint32_t best = old;
    const int end = rowptr[v + 1];
    for (int e = rowptr[v]; e < end; ++e) best = __vmaxu4(best, now[(size_t)target[e] * 16 + part]);
    then[(size_t)v * 16 + part] = best;
    float inverse = 0.f;
#pragma unroll
    for (int k = 0; k < 4; ++k) inverse += exp2f(-(float)(best >> (8 * k) & 255));
    __syncwarp();
    for (int o = 8; o; o >>= 1) inverse += __shfl_xor_sync(0xffffffffu, inverse, o);
    const unsigned differs = __ballot_sync(0xffffffffu, best != old);
    if (part == 0) {
        reach[v] = 0.709f * 64.f * 64.f / inverse;
        if (differs >> (threadIdx.x & 16) & 0xffffu) atomicAdd(changed, 1);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// SQL LIKE with % and _ over a column of strings, a bitmap out.

__constant__ char like_pattern[12] = { '%', 'a', 'b', '_', 'c', '%', 'd', 'd', 'a', '_', 'b', '%' };

/* kmutate launch
   int rows = 1000000;
   int bytes = csr_nnz(rows, 10, 60);
   dim3 grid = { (rows + 255) / 256 }, block = { 256 };
   int offset[rows + 1] = csr_rowptr(rows, 10, 60);
   char text[bytes] = randint(97, 101);
   uint32_t hits[(rows + 31) / 32] = zeros();
   like_with_wildcards_to_bitmap(offset, text, hits, rows, 12);
*/
__global__ void like_with_wildcards_to_bitmap(const int *__restrict__ offset, const char *__restrict__ text,
                                              uint32_t *__restrict__ hits, int rows, int pattern_length)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    bool match = false;
    if (row < rows) {
        int s = offset[row];
        const int end = offset[row + 1];
        int p = 0, star = -1, resume = s;
        match = true;
        while (s < end) {
            const char want = p < pattern_length ? like_pattern[p] : 0;
            if (want == '%') {
                star = p++;
                resume = s;
                if (p == pattern_length) break;
            } else if (want == '_' || want == text[s]) {
                ++p;
                ++s;
            } else if (star >= 0) {
                p = star + 1;
                s = ++resume;
            } else {
                match = false;
                break;
            }
        }
        while (p < pattern_length && like_pattern[p] == '%') ++p;
        match = match && p == pattern_length;
    }
    const unsigned word = __ballot_sync(0xffffffffu, match);
    if ((threadIdx.x & 31) == 0 && row < rows) hits[row >> 5] = word;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sum of a discounted price over a range of dates; zones outside of the range are passed over.

/* kmutate launch
   int zones = 6000;
   int n = zones * 4096;
   dim3 grid = { zones }, block = { 256 };
   int zone_min[zones] = ascending(0, 1000000);
   int zone_max[zones] = ascending(9000, 1009000);
   int4 date[n / 4] = ascending(0, 1009000);
   longlong2 price[n / 2] = randint(100, 9000000);
   uchar4 discount[n / 4] = randint(0, 11);
   unsigned long long total[2] = zeros();
   zone_map_range_revenue(zone_min, zone_max, date, price, discount, total, 310000, 660000, 5, 7);
*/
__global__ void zone_map_range_revenue(const int *__restrict__ zone_min, const int *__restrict__ zone_max,
                                       const int4 *__restrict__ date, const longlong2 *__restrict__ price,
                                       const uchar4 *__restrict__ discount, unsigned long long *__restrict__ total,
                                       int lo, int hi, int least, int most)
{
    __shared__ long long sums[8];
    __shared__ int counts[8];
    const int low = zone_min[blockIdx.x], high = zone_max[blockIdx.x];
    if (high < lo || low >= hi) return;
    const bool whole = low >= lo && high < hi;
    long long sum = 0;
    int count = 0;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const size_t at = (size_t)blockIdx.x * 1024 + r * 256 + threadIdx.x;
        const uchar4 d = discount[at];
        bool k0 = d.x >= least && d.x <= most, k1 = d.y >= least && d.y <= most;
        bool k2 = d.z >= least && d.z <= most, k3 = d.w >= least && d.w <= most;
        if (!whole) {
            const int4 day = date[at];
            k0 = k0 && day.x >= lo && day.x < hi;
            k1 = k1 && day.y >= lo && day.y < hi;
            k2 = k2 && day.z >= lo && day.z < hi;
            k3 = k3 && day.w >= lo && day.w < hi;
        }
        const longlong2 a = price[2 * at], b = price[2 * at + 1];
        sum += (k0 ? a.x * d.x : 0) + (k1 ? a.y * d.y : 0) + (k2 ? b.x * d.z : 0) + (k3 ? b.y * d.w : 0);
        count += k0 + k1 + k2 + k3;
    }
    for (int o = 16; o; o >>= 1) {
        sum += __shfl_down_sync(0xffffffffu, sum, o);
        count += __shfl_down_sync(0xffffffffu, count, o);
    }
    if ((threadIdx.x & 31) == 0) {
        sums[threadIdx.x >> 5] = sum;
        counts[threadIdx.x >> 5] = count;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) {
            sum += sums[k];
            count += counts[k];
        }
        atomicAdd(total, (unsigned long long)sum);
        atomicAdd(total + 1, (unsigned long long)count);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Lossless audio: Rice-coded residuals of a frame and the second-order predictor, a frame for each thread.

/* kmutate launch
   int frames = 65536, words = 96, samples = 256;
   dim3 grid = { frames / 128 }, block = { 128 };
   uint32_t stream[frames * words] = randint(0, 4294967295);
   uint8_t rice[frames] = randint(2, 7);
   short pcm[frames * samples] = zeros();
   rice_frames_second_order(stream, rice, pcm, frames, words, samples);
*/
__global__ void rice_frames_second_order(const uint32_t *__restrict__ stream, const uint8_t *__restrict__ rice,
                                         short *__restrict__ pcm, int frames, int words, int samples)
{
    const int frame = blockIdx.x * blockDim.x + threadIdx.x;
    if (frame >= frames) return;
    const uint32_t *in = stream + (size_t)frame * words;
    short *out = pcm + (size_t)frame * samples;
    const int k = rice[frame];
    uint64_t window = (uint64_t)in[0] << 32 | in[1];
    int used = 0, next = 2, before = 0, last = 0;
    for (int s = 0; s < samples; ++s) {
        int quotient = __clzll((long long)window);
        if (quotient > 20) quotient = 20;
        window <<= quotient + 1;
        const uint32_t rest = (uint32_t)(window >> (64 - k));
        window <<= k;
        used += quotient + 1 + k;
        if (used >= 32) {
            used -= 32;
            const uint32_t fresh = next < words ? in[next] : 0x55555555u;
            ++next;
            window |= (uint64_t)fresh << used;
        }
        const uint32_t folded = (uint32_t)quotient << k | rest;
        const int residual = (int)(folded >> 1) ^ -(int)(folded & 1);
        const int value = residual + ((31 * last - 15 * before) >> 4);
        before = last;
        last = max(-32768, min(32767, value));
        out[s] = (short)last;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Generalised winding number of points in a triangle soup.

/* kmutate launch
   int points = 40960, triangles = 1920;
   dim3 grid = { points / 128 }, block = { 128 };
   float4 point[points] = uniform(-1, 1);
   float4 corner[triangles * 3] = normal();
   float winding[points] = zeros();
   uint8_t inside[points] = zeros();
   winding_numbers_of_triangle_soup(point, corner, winding, inside, points, triangles);
*/
__global__ void winding_numbers_of_triangle_soup(const float4 *__restrict__ point, const float4 *__restrict__ corner,
                                                 float *__restrict__ winding, uint8_t *__restrict__ inside, int points,
                                                 int triangles)
{
    __shared__ float4 tri[64 * 3];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 p = point[min(i, points - 1)];
    float angle = 0.f;
    for (int t0 = 0; t0 < triangles; t0 += 64) {
        const int count = min(64, triangles - t0);
        __syncthreads();
        for (int k = threadIdx.x; k < count * 3; k += blockDim.x) tri[k] = corner[t0 * 3 + k];
        __syncthreads();
        for (int t = 0; t < count; ++t) {
            const float4 a = tri[t * 3], b = tri[t * 3 + 1], c = tri[t * 3 + 2];
            const float ax = a.x - p.x, ay = a.y - p.y, az = a.z - p.z;
            const float bx = b.x - p.x, by = b.y - p.y, bz = b.z - p.z;
            const float cx = c.x - p.x, cy = c.y - p.y, cz = c.z - p.z;
            const float la = sqrtf(ax * ax + ay * ay + az * az);
            const float lb = sqrtf(bx * bx + by * by + bz * bz);
            const float lc = sqrtf(cx * cx + cy * cy + cz * cz);
            const float det = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
            const float ab = ax * bx + ay * by + az * bz;
            const float bc = bx * cx + by * cy + bz * cz;
            const float ca = cx * ax + cy * ay + cz * az;
            angle += atan2f(det, la * lb * lc + ab * lc + bc * la + ca * lb);
        }
    }
    if (i >= points) return;
    const float w = angle * 0.15915494f;
    winding[i] = w;
    inside[i] = w > 0.5f;
}
