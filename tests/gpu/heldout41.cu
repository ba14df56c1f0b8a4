#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int chans = 4096, spectra = 8192, window = 512;
   dim3 grid = { chans / 128, spectra / window }, block = { 128 };
   float power[spectra * chans] = uniform(0.1, 3);
   float level[(spectra / window) * chans] = zeros();
   unsigned char flagged[(spectra / window) * chans] = zeros();
   spectral_kurtosis_flags_per_window(power, level, flagged, chans, window, 0.75f, 1.28f);
*/
__global__ void spectral_kurtosis_flags_per_window(const float *__restrict__ power, float *__restrict__ level,
                                                   unsigned char *__restrict__ flagged, int chans, int window,
                                                   float lower, float upper)
{
    const int chan = blockIdx.x * blockDim.x + threadIdx.x;
    if (chan >= chans) return;
    const float *p = power + (size_t)blockIdx.y * window * chans + chan;
    float s1 = 0.f, s2 = 0.f;
#pragma unroll 4
    for (int t = 0; t < window; ++t) {
        const float v = p[(size_t)t * chans];
        s1 += v;
        s2 = fmaf(v, v, s2);
    }
    const float m = (float)window;
    const float kurtosis = (m + 1.f) / (m - 1.f) * (m * s2 / (s1 * s1) - 1.f);
    const size_t at = (size_t)blockIdx.y * chans + chan;
    level[at] = s1 / m;
    flagged[at] = (kurtosis < lower || kurtosis > upper) ? 1 : 0;
}

/* kmutate launch
   int chans = 1024, times = 16384, sum = 16;
   dim3 grid = { chans / 256, times / sum }, block = { 256 };
   half2 pol_x[times * chans] = normal();
   half2 pol_y[times * chans] = normal();
   float2 gains[chans] = uniform(0.8, 1.2);
   float4 stokes[(times / sum) * chans] = zeros();
   stokes_parameters_of_half_voltages(pol_x, pol_y, gains, stokes, chans, sum);
*/
__global__ void stokes_parameters_of_half_voltages(const half2 *__restrict__ pol_x, const half2 *__restrict__ pol_y,
                                                   const float2 *__restrict__ gains, float4 *__restrict__ stokes,
                                                   int chans, int sum)
{
    const int chan = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 gain = gains[chan];
    float xx = 0.f, yy = 0.f, re = 0.f, im = 0.f;
    size_t at = (size_t)blockIdx.y * sum * chans + chan;
    for (int t = 0; t < sum; ++t, at += chans) {
        const float2 x = __half22float2(pol_x[at]);
        const float2 y = __half22float2(pol_y[at]);
        xx += x.x * x.x + x.y * x.y;
        yy += y.x * y.x + y.y * y.y;
        re += x.x * y.x + x.y * y.y;
        im += x.y * y.x - x.x * y.y;
    }
    xx *= gain.x * gain.x;
    yy *= gain.y * gain.y;
    const float cross = 2.f * gain.x * gain.y;
    stokes[(size_t)blockIdx.y * chans + chan] = make_float4(xx + yy, xx - yy, cross * re, cross * im);
}

#define FOLD_BINS 256

/* kmutate launch
   int chans = 96, samples = 262144;
   dim3 grid = { chans }, block = { 512 };
   unsigned char series[chans * samples] = randint(60, 140);
   double delay[chans] = uniform(0, 4000);
   float profile[chans * FOLD_BINS] = zeros();
   fold_pulsar_channel_into_phases(series, delay, profile, samples, 0.012548, -1.3e-13);
*/
__global__ void fold_pulsar_channel_into_phases(const unsigned char *__restrict__ series,
                                                const double *__restrict__ delay, float *__restrict__ profile,
                                                int samples, double frequency, double drift)
{
    __shared__ unsigned int total[FOLD_BINS], hits[FOLD_BINS];
    for (int b = threadIdx.x; b < FOLD_BINS; b += blockDim.x) {
        total[b] = 0;
        hits[b] = 0;
    }
    __syncthreads();
    const unsigned char *s = series + (size_t)blockIdx.x * samples;
    const double shift = delay[blockIdx.x];
    for (int i = threadIdx.x; i < samples; i += blockDim.x) {
        const double t = i + shift;
        const double turns = t * (frequency + 0.5 * drift * t);
        const double phase = turns - floor(turns);
        const int bin = min((int)(phase * FOLD_BINS), FOLD_BINS - 1);
        atomicAdd(&total[bin], (unsigned int)s[i]);
        atomicAdd(&hits[bin], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < FOLD_BINS; b += blockDim.x)
        profile[blockIdx.x * FOLD_BINS + b] = hits[b] ? (float)total[b] / (float)hits[b] : 0.f;
}

/* kmutate launch
   int bins = 4194304;
   dim3 grid = { (bins + 255) / 256 }, block = { 256 };
   float spectrum[bins] = uniform(0, 2);
   float best[bins] = zeros();
   unsigned char stage[bins] = zeros();
   harmonic_sums_up_to_sixteen(spectrum, best, stage, bins);
*/
__global__ void harmonic_sums_up_to_sixteen(const float *__restrict__ spectrum, float *__restrict__ best,
                                            unsigned char *__restrict__ stage, int bins)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= bins) return;
    float sum = spectrum[k];
    float top = sum;
    int which = 0;
#pragma unroll
    for (int level = 1; level <= 4; ++level) {
        const int parts = 1 << level;
#pragma unroll
        for (int j = 1; j < parts; j += 2) {
            const int at = (int)(((long long)k * j + parts / 2) >> level);
            sum += spectrum[at];
        }
        const float scaled = sum * rsqrtf((float)parts);
        if (scaled > top) {
            top = scaled;
            which = level;
        }
    }
    best[k] = top;
    stage[k] = (unsigned char)which;
}

__constant__ float c_blur_psf[81];

/* kmutate launch
   int w = 2048, h = 2048;
   dim3 grid = { w / 32, h / 8 }, block = { 32, 8 };
   extern float c_blur_psf[81] = uniform(0.005, 0.02);
   float estimate[w * h] = uniform(0.2, 1);
   float observed[w * h] = uniform(0.1, 1);
   float ratio[w * h] = zeros();
   richardson_lucy_ratio_nine_by_nine(estimate, observed, ratio, w, h);
*/
__global__ void richardson_lucy_ratio_nine_by_nine(const float *__restrict__ estimate,
                                                   const float *__restrict__ observed, float *__restrict__ ratio,
                                                   int w, int h)
{
    __shared__ float tile[16][40];
    const int x0 = blockIdx.x * 32 - 4, y0 = blockIdx.y * 8 - 4;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 16 * 40; i += 256) {
        const int ty = i / 40, tx = i - ty * 40;
        const int x = min(max(x0 + tx, 0), w - 1), y = min(max(y0 + ty, 0), h - 1);
        tile[ty][tx] = estimate[(size_t)y * w + x];
    }
    __syncthreads();
    float blurred = 0.f;
#pragma unroll
    for (int dy = 0; dy < 9; ++dy)
#pragma unroll
        for (int dx = 0; dx < 9; ++dx)
            blurred = fmaf(c_blur_psf[dy * 9 + dx], tile[threadIdx.y + dy][threadIdx.x + dx], blurred);
    const size_t at = (size_t)(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x;
    ratio[at] = observed[at] / fmaxf(blurred, 1e-6f);
}

/* kmutate launch
   int w = 1280, h = 720, step = 20;
   int across = w / step, down = h / step;
   dim3 grid = { w / 32, h / 8 }, block = { 32, 8 };
   float lab[3 * w * h] = uniform(0, 100);
   float centre_colour[across * down * 3] = uniform(20, 80);
   float2 centre_jitter[across * down] = uniform(-5, 5);
   int owner[w * h] = zeros();
   float sums[across * down * 6] = zeros();
   superpixel_owner_of_nine_and_sums(lab, centre_colour, centre_jitter, owner, sums, w, h, step, across, down, 0.25f);
*/
__global__ void superpixel_owner_of_nine_and_sums(const float *__restrict__ lab,
                                                  const float *__restrict__ centre_colour,
                                                  const float2 *__restrict__ centre_jitter, int *__restrict__ owner,
                                                  float *sums, int w, int h, int step, int across, int down,
                                                  float compactness)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int at = y * w + x, plane = w * h;
    const float l = lab[at], a = lab[plane + at], b = lab[2 * plane + at];
    const int cx = x / step, cy = y / step;
    float nearest = 1e30f;
    int chosen = 0;
    for (int gy = max(cy - 1, 0); gy <= min(cy + 1, down - 1); ++gy) {
        for (int gx = max(cx - 1, 0); gx <= min(cx + 1, across - 1); ++gx) {
            const int c = gy * across + gx;
            const float2 jitter = centre_jitter[c];
            const float dx = (gx + 0.5f) * step + jitter.x - x;
            const float dy = (gy + 0.5f) * step + jitter.y - y;
            const float dl = centre_colour[3 * c] - l;
            const float da = centre_colour[3 * c + 1] - a;
            const float db = centre_colour[3 * c + 2] - b;
            const float d = dl * dl + da * da + db * db + compactness * (dx * dx + dy * dy);
            if (d < nearest) {
                nearest = d;
                chosen = c;
            }
        }
    }
    owner[at] = chosen;
    float *s = sums + 6 * chosen;
    atomicAdd(s, l);
    atomicAdd(s + 1, a);
    atomicAdd(s + 2, b);
    atomicAdd(s + 3, (float)x);
    atomicAdd(s + 4, (float)y);
    atomicAdd(s + 5, 1.f);
}

/* kmutate launch
   int side = 32, cells = side * side * side;
   int particles = csr_nnz(cells, 4, 16);
   dim3 grid = { cells / 8 }, block = { 256 };
   int cell_start[cells + 1] = csr_rowptr(cells, 4, 16);
   float4 place_density[particles] = uniform(0, 1);
   float4 velocity_pressure[particles] = uniform(-1, 1);
   float4 force[particles] = zeros();
   sph_pressure_and_viscosity_warp_for_cell(cell_start, place_density, velocity_pressure, force, side, 0.9f, 0.2f);
*/
__global__ void sph_pressure_and_viscosity_warp_for_cell(const int *__restrict__ cell_start,
                                                         const float4 *__restrict__ place_density,
                                                         const float4 *__restrict__ velocity_pressure,
                                                         float4 *__restrict__ force, int side, float radius,
                                                         float viscosity)
{
    const int cell = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (cell >= side * side * side) return;
    const int cx = cell % side, cy = cell / side % side, cz = cell / (side * side);
    for (int i = cell_start[cell] + lane; i < cell_start[cell + 1]; i += 32) {
        const float4 me = place_density[i], my = velocity_pressure[i];
        float fx = 0.f, fy = 0.f, fz = 0.f;
        for (int n = 0; n < 27; ++n) {
            const int ox = n % 3 - 1, oy = n / 3 % 3 - 1, oz = n / 9 - 1;
            const int nx = cx + ox, ny = cy + oy, nz = cz + oz;
            if (nx < 0 || ny < 0 || nz < 0 || nx >= side || ny >= side || nz >= side) continue;
            const int other = (nz * side + ny) * side + nx;
            const int last = cell_start[other + 1];
            for (int j = cell_start[other]; j < last; ++j) {
                const float4 it = place_density[j];
                const float dx = me.x - it.x - ox, dy = me.y - it.y - oy, dz = me.z - it.z - oz;
                const float r2 = dx * dx + dy * dy + dz * dz;
                if (r2 >= radius * radius || j == i) continue;
                const float4 its = velocity_pressure[j];
                const float inv = rsqrtf(r2 + 1e-8f);
                const float gap = radius - r2 * inv;
                const float volume = 1.f / (it.w + 0.5f);
                const float push = 0.5f * (my.w + its.w + 2.f) * gap * gap * inv * volume;
                const float drag = viscosity * gap * volume;
                fx += push * dx + drag * (its.x - my.x);
                fy += push * dy + drag * (its.y - my.y);
                fz += push * dz + drag * (its.z - my.z);
            }
        }
        force[i] = make_float4(fx, fy, fz, me.w);
    }
}

/* kmutate launch
   int n = 16384;
   dim3 grid = { n / 128 }, block = { 128 };
   float4 blob[n] = uniform(0.05, 1);
   float2 velocity[n] = zeros();
   vortex_blobs_induced_velocity(blob, velocity, n);
*/
__global__ void vortex_blobs_induced_velocity(const float4 *__restrict__ blob, float2 *__restrict__ velocity, int n)
{
    __shared__ float4 tile[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float2 at = make_float2(blob[i].x, blob[i].y);
    float u = 0.f, v = 0.f;
    for (int base = 0; base < n; base += 128) {
        float4 b = blob[base + threadIdx.x];
        b.w = -1.f / (b.w * b.w);
        __syncthreads();
        tile[threadIdx.x] = b;
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; ++j) {
            const float4 s = tile[j];
            const float dx = at.x - s.x, dy = at.y - s.y;
            const float r2 = dx * dx + dy * dy + 1e-7f;
            const float k = s.z * (1.f - __expf(r2 * s.w)) * __fdividef(1.f, r2);
            u -= k * dy;
            v += k * dx;
        }
    }
    velocity[i] = make_float2(u * 0.15915494f, v * 0.15915494f);
}

__device__ __forceinline__ float4 quaternion_product(float4 a, float4 b)
{
    return make_float4(a.x * b.x - a.y * b.y - a.z * b.z - a.w * b.w, a.x * b.y + a.y * b.x + a.z * b.w - a.w * b.z,
                       a.x * b.z - a.y * b.w + a.z * b.x + a.w * b.y, a.x * b.w + a.y * b.z - a.z * b.y + a.w * b.x);
}

/* kmutate launch
   int log_side = 5, sites = 1 << (4 * log_side);
   dim3 grid = { sites / 256 }, block = { 256 };
   float4 links[4 * sites] = uniform(-0.5, 0.5);
   double action[1] = zeros();
   su2_gauge_plaquette_action(links, action, log_side);
*/
__global__ void su2_gauge_plaquette_action(const float4 *__restrict__ links, double *action, int log_side)
{
    __shared__ float part[8];
    const int site = blockIdx.x * blockDim.x + threadIdx.x;
    const int sites = 1 << (4 * log_side), mask = (1 << log_side) - 1;
    int ahead[4];
#pragma unroll
    for (int mu = 0; mu < 4; ++mu) {
        const int shift = mu * log_side;
        const int x = (site >> shift) & mask;
        ahead[mu] = (site & ~(mask << shift)) | (((x + 1) & mask) << shift);
    }
    float sum = 0.f;
#pragma unroll
    for (int mu = 0; mu < 3; ++mu) {
        const float4 here = links[mu * sites + site];
#pragma unroll
        for (int nu = mu + 1; nu < 4; ++nu) {
            const float4 there = quaternion_product(here, links[nu * sites + ahead[mu]]);
            const float4 back = quaternion_product(links[nu * sites + site], links[mu * sites + ahead[nu]]);
            sum += 1.f - (there.x * back.x + there.y * back.y + there.z * back.z + there.w * back.w);
        }
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0.f;
        for (int w = 0; w < 8; ++w) all += part[w];
        atomicAdd(action, (double)all);
    }
}

/* kmutate launch
   int slices = 16384, rows = slices * 32;
   int columns = csr_nnz(slices, 8, 40);
   dim3 grid = { slices / 4 }, block = { 128 };
   int slice_start[slices + 1] = csr_rowptr(slices, 8, 40);
   int index[columns * 32] = randint(0, rows);
   double value[columns * 32] = uniform(-1, 1);
   double x[rows] = uniform(-1, 1);
   int origin[rows] = permutation();
   double y[rows] = zeros();
   sell_slices_of_32_product(slice_start, index, value, x, origin, y, slices);
*/
__global__ void sell_slices_of_32_product(const int *__restrict__ slice_start, const int *__restrict__ index,
                                          const double *__restrict__ value, const double *__restrict__ x,
                                          const int *__restrict__ origin, double *__restrict__ y, int slices)
{
    const int slice = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (slice >= slices) return;
    const int first = slice_start[slice], last = slice_start[slice + 1];
    double sum = 0.0;
#pragma unroll 2
    for (int c = first; c < last; ++c) {
        const int at = c * 32 + lane;
        sum += value[at] * x[index[at]];
    }
    y[origin[slice * 32 + lane]] = sum;
}

/* kmutate launch
   int nx = 160, ny = 160, nz = 160;
   dim3 grid = { nx / 32, ny / 4, nz / 2 }, block = { 32, 4, 2 };
   double x[nx * ny * nz] = uniform(-1, 1);
   double rhs[nx * ny * nz] = uniform(-1, 1);
   double coefficient[nx * ny * nz] = uniform(0.5, 2);
   double direction[nx * ny * nz] = uniform(-0.1, 0.1);
   double next[nx * ny * nz] = zeros();
   chebyshev_smooth_variable_conductivity(x, rhs, coefficient, direction, next, nx, ny, nz, 0.35, 0.6);
*/
__global__ void chebyshev_smooth_variable_conductivity(const double *__restrict__ x, const double *__restrict__ rhs,
                                                       const double *__restrict__ coefficient,
                                                       double *__restrict__ direction, double *__restrict__ next,
                                                       int nx, int ny, int nz, double alpha, double beta)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    const int row = nx, layer = nx * ny, at = k * layer + j * row + i;
    const double centre = x[at];
    if (i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1) {
        next[at] = centre;
        return;
    }
    const double c = coefficient[at];
    const int offsets[6] = { -1, 1, -row, row, -layer, layer };
    double flux = 0.0, diagonal = 0.0;
#pragma unroll
    for (int f = 0; f < 6; ++f) {
        const double face = 0.5 * (c + coefficient[at + offsets[f]]);
        flux += face * (centre - x[at + offsets[f]]);
        diagonal += face;
    }
    const double d = beta * direction[at] + alpha * (rhs[at] - flux) / diagonal;
    direction[at] = d;
    next[at] = centre + d;
}

/* kmutate launch
   int antennas = 64, times = 1024, chans = 512;
   dim3 grid = { chans / 32, antennas / 32, times }, block = { 32, 8 };
   short2 in[antennas * times * chans] = randint(-600, 600);
   float gain[antennas * chans] = uniform(0.1, 0.3);
   char2 out[antennas * times * chans] = zeros();
   corner_turn_to_eight_bit_antennas_last(in, gain, out, antennas, times, chans);
*/
__global__ void corner_turn_to_eight_bit_antennas_last(const short2 *__restrict__ in, const float *__restrict__ gain,
                                                       char2 *__restrict__ out, int antennas, int times, int chans)
{
    __shared__ short2 tile[32][32];
    const int chan0 = blockIdx.x * 32, antenna0 = blockIdx.y * 32, time = blockIdx.z;
    for (int r = threadIdx.y; r < 32; r += 8) {
        const int antenna = antenna0 + r, chan = chan0 + threadIdx.x;
        const short2 s = in[((size_t)antenna * times + time) * chans + chan];
        const float g = gain[antenna * chans + chan];
        const float re = fminf(fmaxf(rintf(s.x * g), -127.f), 127.f);
        const float im = fminf(fmaxf(rintf(s.y * g), -127.f), 127.f);
        tile[r][threadIdx.x] = make_short2((short)re, (short)im);
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        const short2 s = tile[threadIdx.x][r];
        out[((size_t)(chan0 + r) * times + time) * antennas + antenna0 + threadIdx.x] =
            make_char2((signed char)s.x, (signed char)s.y);
    }
}

__device__ __forceinline__ uint64_t turn_left(uint64_t v, int by)
{
    return (v << by) | (v >> (64 - by));
}

__device__ __forceinline__ void sip_round(uint64_t &a, uint64_t &b, uint64_t &c, uint64_t &d)
{
    a += b;
    b = turn_left(b, 13) ^ a;
    a = turn_left(a, 32);
    c += d;
    d = turn_left(d, 16) ^ c;
    a += d;
    d = turn_left(d, 21) ^ a;
    c += b;
    b = turn_left(b, 17) ^ c;
    c = turn_left(c, 32);
}

/* kmutate launch
   int records = 4000000;
   dim3 grid = { (records + 191) / 192 }, block = { 192 };
   uint64_t words[records * 5] = randint(0, 1 << 30);
   unsigned char count[records] = randint(1, 6);
   uint64_t digest[records] = zeros();
   siphash_records_of_up_to_five_words(words, count, digest, records, 0x0706050403020100, 0x0f0e0d0c0b0a0908);
*/
__global__ void siphash_records_of_up_to_five_words(const uint64_t *__restrict__ words,
                                                    const unsigned char *__restrict__ count,
                                                    uint64_t *__restrict__ digest, int records, uint64_t k0,
                                                    uint64_t k1)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= records) return;
    uint64_t a = k0 ^ 0x736f6d6570736575ull, b = k1 ^ 0x646f72616e646f6dull;
    uint64_t c = k0 ^ 0x6c7967656e657261ull, d = k1 ^ 0x7465646279746573ull;
    const int n = count[r];
    const uint64_t *w = words + (size_t)r * 5;
    for (int i = 0; i <= n; ++i) {
        const uint64_t m = i < n ? w[i] : (uint64_t)(8 * n) << 56;
        d ^= m;
        sip_round(a, b, c, d);
        sip_round(a, b, c, d);
        a ^= m;
    }
    c ^= 0xff;
#pragma unroll
    for (int i = 0; i < 4; ++i) sip_round(a, b, c, d);
    digest[r] = a ^ b ^ c ^ d;
}

/* kmutate launch
   int groups = 65536;
   dim3 grid = { groups / 8 }, block = { 256 };
   unsigned char control[groups * 32] = randint(0, 256);
   unsigned char data[groups * 512] = randint(0, 256);
   unsigned int base[groups] = ascending(0, 1u << 30);
   uint4 out[groups * 32] = zeros();
   unpack_stream_vbyte_deltas_warp(control, data, base, out, groups);
*/
__global__ void unpack_stream_vbyte_deltas_warp(const unsigned char *__restrict__ control,
                                                const unsigned char *__restrict__ data,
                                                const unsigned int *__restrict__ base, uint4 *__restrict__ out,
                                                int groups)
{
    const int group = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (group >= groups) return;
    const unsigned int key = control[group * 32 + lane];
    const int bytes = 4 + (key & 3) + ((key >> 2) & 3) + ((key >> 4) & 3) + (key >> 6);
    int before = bytes;
    for (int o = 1; o < 32; o <<= 1) {
        const int v = __shfl_up_sync(0xffffffffu, before, o);
        if (lane >= o) before += v;
    }
    const unsigned char *p = data + (size_t)group * 512 + before - bytes;
    unsigned int v[4];
    unsigned int running = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int length = ((key >> (2 * i)) & 3) + 1;
        unsigned int value = 0;
        for (int b = 0; b < length; ++b) value |= (unsigned int)p[b] << (8 * b);
        p += length;
        running += value;
        v[i] = running;
    }
    unsigned int upto = running;
    for (int o = 1; o < 32; o <<= 1) {
        const unsigned int s = __shfl_up_sync(0xffffffffu, upto, o);
        if (lane >= o) upto += s;
    }
    const unsigned int start = base[group] + upto - running;
    out[(size_t)group * 32 + lane] = make_uint4(start + v[0], start + v[1], start + v[2], start + v[3]);
}

/* kmutate launch
   int users = 8192, candidates = 256, items = 500000;
   dim3 grid = { users / 4 }, block = { 128 };
   __nv_bfloat16 user_vector[users * 64] = normal(0, 0.3);
   __nv_bfloat16 item_vector[items * 64] = normal(0, 0.3);
   float item_bias[items] = normal(0, 0.1);
   int candidate[users * candidates] = randint(0, items);
   float top_score[users * 4] = zeros();
   int top_item[users * 4] = zeros();
   rerank_candidates_best_four_bf16(user_vector, item_vector, item_bias, candidate, top_score, top_item, candidates);
*/
__global__ void rerank_candidates_best_four_bf16(const __nv_bfloat16 *__restrict__ user_vector,
                                                 const __nv_bfloat16 *__restrict__ item_vector,
                                                 const float *__restrict__ item_bias,
                                                 const int *__restrict__ candidate, float *__restrict__ top_score,
                                                 int *__restrict__ top_item, int candidates)
{
    const int user = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    const int part = lane & 7, team = lane >> 3;
    const uint4 raw = reinterpret_cast<const uint4 *>(user_vector + (size_t)user * 64)[part];
    const __nv_bfloat162 *pairs = reinterpret_cast<const __nv_bfloat162 *>(&raw);
    float2 u[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) u[i] = __bfloat1622float2(pairs[i]);
    float score[4] = { -1e30f, -1e30f, -1e30f, -1e30f };
    int name[4] = { -1, -1, -1, -1 };
    for (int c = team; c < candidates; c += 4) {
        const int item = candidate[(size_t)user * candidates + c];
        const uint4 other = reinterpret_cast<const uint4 *>(item_vector + (size_t)item * 64)[part];
        const __nv_bfloat162 *w = reinterpret_cast<const __nv_bfloat162 *>(&other);
        float s = part == 0 ? item_bias[item] : 0.f;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 f = __bfloat1622float2(w[i]);
            s += u[i].x * f.x + u[i].y * f.y;
        }
        s += __shfl_xor_sync(0xffffffffu, s, 1);
        s += __shfl_xor_sync(0xffffffffu, s, 2);
        s += __shfl_xor_sync(0xffffffffu, s, 4);
        int it = item;
        if (s > score[3]) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                if (s > score[i]) {
                    const float fs = score[i];
                    const int fn = name[i];
                    score[i] = s;
                    name[i] = it;
                    s = fs;
                    it = fn;
                }
            }
        }
    }
    for (int round = 0; round < 4; ++round) {
        float best = score[0];
        int from = team, item = name[0];
#pragma unroll
        for (int o = 8; o < 32; o <<= 1) {
            const float bs = __shfl_xor_sync(0xffffffffu, best, o);
            const int bf = __shfl_xor_sync(0xffffffffu, from, o);
            const int bi = __shfl_xor_sync(0xffffffffu, item, o);
            if (bs > best || (bs == best && bf < from)) {
                best = bs;
                from = bf;
                item = bi;
            }
        }
        if (lane == 0) {
            top_score[user * 4 + round] = best;
            top_item[user * 4 + round] = item;
        }
        if (from == team) {
            score[0] = score[1];
            name[0] = name[1];
            score[1] = score[2];
            name[1] = name[2];
            score[2] = score[3];
            name[2] = name[3];
            score[3] = -1e30f;
        }
    }
}

/* kmutate launch
   int vertices = 2000000, bones = 180;
   dim3 grid = { (vertices + 127) / 128 }, block = { 128 };
   float position[vertices * 3] = uniform(-1, 1);
   float normal_in[vertices * 3] = uniform(-1, 1);
   uchar4 joint[vertices] = randint(0, bones);
   float4 weight[vertices] = uniform(0.05, 1);
   float4 dual[bones * 2] = normal();
   float moved[vertices * 3] = zeros();
   float turned[vertices * 3] = zeros();
   skin_by_dual_quaternions_of_four_bones(position, normal_in, joint, weight, dual, moved, turned, vertices);
*/
__global__ void skin_by_dual_quaternions_of_four_bones(const float *__restrict__ position,
                                                       const float *__restrict__ normal_in,
                                                       const uchar4 *__restrict__ joint,
                                                       const float4 *__restrict__ weight,
                                                       const float4 *__restrict__ dual, float *__restrict__ moved,
                                                       float *__restrict__ turned, int vertices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    const uchar4 j = joint[v];
    const float4 w = weight[v];
    const int bone[4] = { j.x, j.y, j.z, j.w };
    const float share[4] = { w.x, w.y, w.z, w.w };
    const float4 pivot = dual[2 * bone[0]];
    float4 q = make_float4(0.f, 0.f, 0.f, 0.f), t = q;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float4 r = dual[2 * bone[i]], d = dual[2 * bone[i] + 1];
        const float side = r.x * pivot.x + r.y * pivot.y + r.z * pivot.z + r.w * pivot.w;
        const float s = side < 0.f ? -share[i] : share[i];
        q = make_float4(q.x + s * r.x, q.y + s * r.y, q.z + s * r.z, q.w + s * r.w);
        t = make_float4(t.x + s * d.x, t.y + s * d.y, t.z + s * d.z, t.w + s * d.w);
    }
    const float inv = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w + 1e-12f);
    q = make_float4(q.x * inv, q.y * inv, q.z * inv, q.w * inv);
    t = make_float4(t.x * inv, t.y * inv, t.z * inv, t.w * inv);
    const float tx = 2.f * (q.w * t.x - t.w * q.x + q.y * t.z - q.z * t.y);
    const float ty = 2.f * (q.w * t.y - t.w * q.y + q.z * t.x - q.x * t.z);
    const float tz = 2.f * (q.w * t.z - t.w * q.z + q.x * t.y - q.y * t.x);
    const float p[2][3] = { { position[3 * v], position[3 * v + 1], position[3 * v + 2] },
                            { normal_in[3 * v], normal_in[3 * v + 1], normal_in[3 * v + 2] } };
    float o[2][3];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const float ax = q.y * p[k][2] - q.z * p[k][1] + q.w * p[k][0];
        const float ay = q.z * p[k][0] - q.x * p[k][2] + q.w * p[k][1];
        const float az = q.x * p[k][1] - q.y * p[k][0] + q.w * p[k][2];
        o[k][0] = p[k][0] + 2.f * (q.y * az - q.z * ay);
        o[k][1] = p[k][1] + 2.f * (q.z * ax - q.x * az);
        o[k][2] = p[k][2] + 2.f * (q.x * ay - q.y * ax);
    }
    moved[3 * v] = o[0][0] + tx;
    moved[3 * v + 1] = o[0][1] + ty;
    moved[3 * v + 2] = o[0][2] + tz;
    turned[3 * v] = o[1][0];
    turned[3 * v + 1] = o[1][1];
    turned[3 * v + 2] = o[1][2];
}

/* kmutate launch
   int columns = 32768, rings = 128;
   dim3 grid = { columns / 64 }, block = { 64 };
   float range[columns * rings] = uniform(0.5, 80);
   unsigned char intensity[columns * rings] = randint(0, 256);
   float elevation[rings] = iota(-0.44, 0.005);
   unsigned char label[columns * rings] = zeros();
   float ground_height[columns] = zeros();
   lidar_ground_labels_up_the_rings(range, intensity, elevation, label, ground_height, columns, rings, 1.8f, 0.17f);
*/
__global__ void lidar_ground_labels_up_the_rings(const float *__restrict__ range,
                                                 const unsigned char *__restrict__ intensity,
                                                 const float *__restrict__ elevation,
                                                 unsigned char *__restrict__ label, float *__restrict__ ground_height,
                                                 int columns, int rings, float sensor, float steepest)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    const float *r = range + (size_t)column * rings;
    float last_rho = 0.f, last_z = -sensor, sum = 0.f;
    int ground = 0, lost = 0;
    for (int ring = 0; ring < rings; ++ring) {
        float s, c;
        __sincosf(elevation[ring], &s, &c);
        const float d = r[ring];
        unsigned char what = 0;
        if (d > 1.f && intensity[(size_t)column * rings + ring] > 3) {
            const float rho = d * c, z = d * s;
            const float slope = atan2f(fabsf(z - last_z), fabsf(rho - last_rho) + 0.01f);
            if (slope < steepest + 0.02f * lost) {
                what = 1;
                last_rho = rho;
                last_z = z;
                sum += z;
                ++ground;
                lost = 0;
            } else {
                what = z > last_z + 0.3f ? 2 : 3;
                lost = min(lost + 1, 20);
            }
        }
        label[(size_t)column * rings + ring] = what;
    }
    ground_height[column] = ground ? sum / ground : -sensor;
}

/* kmutate launch
   int names = 65536, pairs = 1000000;
   dim3 grid = { (pairs + 255) / 256 }, block = { 256 };
   unsigned char letters[names * 16] = randint(97, 109);
   unsigned char length[names] = randint(4, 17);
   int2 pair[pairs] = randint(0, names);
   float likeness[pairs] = zeros();
   jaro_winkler_of_name_pairs(letters, length, pair, likeness, pairs);
*/
__global__ void jaro_winkler_of_name_pairs(const unsigned char *__restrict__ letters,
                                           const unsigned char *__restrict__ length, const int2 *__restrict__ pair,
                                           float *__restrict__ likeness, int pairs)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= pairs) return;
    const int2 both = pair[k];
    const unsigned char *a = letters + (size_t)both.x * 16, *b = letters + (size_t)both.y * 16;
    const int na = length[both.x], nb = length[both.y];
    const int window = max(max(na, nb) / 2 - 1, 0);
    unsigned int used_a = 0, used_b = 0;
    for (int i = 0; i < na; ++i) {
        const int last = min(i + window, nb - 1);
        const unsigned char letter = a[i];
        for (int j = max(i - window, 0); j <= last; ++j) {
            if (!(used_b >> j & 1) && b[j] == letter) {
                used_a |= 1u << i;
                used_b |= 1u << j;
                break;
            }
        }
    }
    const int matches = __popc(used_a);
    if (matches == 0) {
        likeness[k] = 0.f;
        return;
    }
    int swaps = 0;
    while (used_a) {
        const int i = __ffs(used_a) - 1, j = __ffs(used_b) - 1;
        swaps += a[i] != b[j];
        used_a &= used_a - 1;
        used_b &= used_b - 1;
    }
    int prefix = 0;
    while (prefix < 4 && a[prefix] == b[prefix]) ++prefix;
    const float m = (float)matches;
    const float jaro = (m / na + m / nb + (m - 0.5f * swaps) / m) * (1.f / 3.f);
    likeness[k] = jaro + 0.1f * prefix * (1.f - jaro);
}

/* kmutate launch
   int cities = 16384;
   dim3 grid = { cities / 256, cities / 256 }, block = { 256 };
   float2 tour[cities + 1] = uniform(0, 1000);
   unsigned long long best[1] = zeros();
   tour_two_opt_best_exchange(tour, best);
*/
__global__ void tour_two_opt_best_exchange(const float2 *__restrict__ tour, unsigned long long *best)
{
    __shared__ float2 near_city[257];
    __shared__ float hop[256];
    __shared__ unsigned long long winner[8];
    if (blockIdx.x < blockIdx.y) return;
    const int first = blockIdx.x * 256, i = blockIdx.y * 256 + threadIdx.x;
    const float2 mine = tour[first + threadIdx.x], after = tour[first + threadIdx.x + 1];
    near_city[threadIdx.x] = mine;
    if (threadIdx.x == 255) near_city[256] = after;
    hop[threadIdx.x] = sqrtf((after.x - mine.x) * (after.x - mine.x) + (after.y - mine.y) * (after.y - mine.y));
    const float2 p = tour[i], q = tour[i + 1];
    const float own = sqrtf((q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y));
    __syncthreads();
    float gain = 0.f;
    int partner = 0;
    float2 c = near_city[0];
    for (int j = 0; j < 256; ++j) {
        const float2 d = near_city[j + 1];
        const float across = sqrtf((c.x - p.x) * (c.x - p.x) + (c.y - p.y) * (c.y - p.y)) +
                             sqrtf((d.x - q.x) * (d.x - q.x) + (d.y - q.y) * (d.y - q.y));
        const float saved = own + hop[j] - across;
        if (saved > gain && first + j > i + 1) {
            gain = saved;
            partner = first + j;
        }
        c = d;
    }
    unsigned long long key = (unsigned long long)__float_as_uint(gain) << 32 | (unsigned int)(i << 14 | partner);
    for (int o = 16; o; o >>= 1) {
        const unsigned long long other = __shfl_xor_sync(0xffffffffu, key, o);
        key = other > key ? other : key;
    }
    if ((threadIdx.x & 31) == 0) winner[threadIdx.x >> 5] = key;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) key = winner[w] > key ? winner[w] : key;
        atomicMax(best, key);
    }
}

#define FLOW_MACHINES 20

/* kmutate launch
   int orders = 131072, kinds = 50, jobs = 60;
   dim3 grid = { orders / 128 }, block = { 128 };
   int smem = kinds * FLOW_MACHINES * sizeof(int);
   unsigned char order[jobs * orders] = randint(0, kinds);
   int duration[kinds * FLOW_MACHINES] = randint(1, 100);
   int makespan[orders] = zeros();
   int shortest[1] = { 1000000 };
   flow_shop_makespan_of_each_order(order, duration, makespan, shortest, orders, kinds, jobs);
*/
__global__ void flow_shop_makespan_of_each_order(const unsigned char *__restrict__ order,
                                                 const int *__restrict__ duration, int *__restrict__ makespan,
                                                 int *shortest, int orders, int kinds, int jobs)
{
    extern __shared__ int lasts[];
    for (int i = threadIdx.x; i < kinds * FLOW_MACHINES; i += blockDim.x) lasts[i] = duration[i];
    __syncthreads();
    const int who = blockIdx.x * blockDim.x + threadIdx.x;
    int ready[FLOW_MACHINES];
#pragma unroll
    for (int m = 0; m < FLOW_MACHINES; ++m) ready[m] = 0;
    for (int j = 0; j < jobs; ++j) {
        const int *t = lasts + order[(size_t)j * orders + who] * FLOW_MACHINES;
        int done = 0;
#pragma unroll
        for (int m = 0; m < FLOW_MACHINES; ++m) {
            done = max(done, ready[m]) + t[m];
            ready[m] = done;
        }
    }
    const int end = ready[FLOW_MACHINES - 1];
    makespan[who] = end;
    int least = end;
    for (int o = 16; o; o >>= 1) least = min(least, __shfl_xor_sync(0xffffffffu, least, o));
    if ((threadIdx.x & 31) == 0) atomicMin(shortest, least);
}
