#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int points = 30000, degree = 90;
   int terms = (degree + 1) * (degree + 2) / 2;
   dim3 grid = { (points + 127) / 128 }, block = { 128 };
   double latitude[points] = uniform(-1.4, 1.4);
   double longitude[points] = uniform(-3.1, 3.1);
   double2 recursion[terms] = uniform(0.9, 0.99);
   double2 coefficients[terms] = normal(0, 1e-6);
   double sectoral[degree + 1] = uniform(1.0, 1.03);
   double undulation[points] = zeros();
   geoid_undulation_by_orders_of_harmonics(latitude, longitude, recursion, coefficients, sectoral, undulation, points,
                                           degree, 6378136.3);
*/
// Fully normalised Legendre functions by the forward column method; the tables are stored order by order.
__global__ void geoid_undulation_by_orders_of_harmonics(const double *__restrict__ latitude,
                                                        const double *__restrict__ longitude,
                                                        const double2 *__restrict__ recursion,
                                                        const double2 *__restrict__ coefficients,
                                                        const double *__restrict__ sectoral,
                                                        double *__restrict__ undulation, int points, int degree,
                                                        double radius)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    double t, u, sin_step, cos_step;
    sincos(latitude[i], &t, &u);
    sincos(longitude[i], &sin_step, &cos_step);
    double cos_m = 1.0, sin_m = 0.0, p_mm = 1.0, total = 0.0;
    int term = 0;
    for (int m = 0; m <= degree; ++m) {
        double before = 0.0, p = p_mm;
        double sum_c = 0.0, sum_s = 0.0;
        for (int n = m; n <= degree; ++n, ++term) {
            const double2 cs = coefficients[term];
            const double2 ab = recursion[term];
            sum_c = fma(cs.x, p, sum_c);
            sum_s = fma(cs.y, p, sum_s);
            const double next = 2.0 * ab.x * t * p - ab.y * before;
            before = p;
            p = next;
        }
        total += cos_m * sum_c + sin_m * sum_s;
        const double c = cos_m * cos_step - sin_m * sin_step;
        sin_m = sin_m * cos_step + cos_m * sin_step;
        cos_m = c;
        p_mm *= u * sectoral[m];
    }
    undulation[i] = radius * total;
}

/* kmutate launch
   int w = 8192, h = 6144;
   dim3 grid = { w / 32, h / 8 }, block = { 32, 8 };
   short elevation[w * h] = randint(200, 1800);
   unsigned char shade[w * h] = zeros();
   hillshade_by_horn_of_elevation_shorts(elevation, shade, w, h, 0.0125f, 0.5f, -0.5f, 0.7071f);
*/
__global__ void hillshade_by_horn_of_elevation_shorts(const short *__restrict__ elevation,
                                                      unsigned char *__restrict__ shade, int w, int h,
                                                      float slope_scale, float sun_x, float sun_y, float sun_z)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int left = max(x - 1, 0), right = min(x + 1, w - 1);
    const short *above = elevation + (size_t)max(y - 1, 0) * w;
    const short *here = elevation + (size_t)y * w;
    const short *below = elevation + (size_t)min(y + 1, h - 1) * w;
    const int nw = above[left], n = above[x], ne = above[right];
    const int sw = below[left], s = below[x], se = below[right];
    const int gx = (ne + 2 * here[right] + se) - (nw + 2 * here[left] + sw);
    const int gy = (sw + 2 * s + se) - (nw + 2 * n + ne);
    const float dx = slope_scale * gx, dy = slope_scale * gy;
    const float lit = (sun_z - sun_x * dx - sun_y * dy) * rsqrtf(1.f + dx * dx + dy * dy);
    shade[(size_t)y * w + x] = (unsigned char)(255.f * __saturatef(lit) + 0.5f);
}

/* kmutate launch
   int traces = 24576, samples = 3000;
   dim3 grid = { traces / 128 }, block = { 128 };
   float seismogram[traces * samples] = normal();
   int onset[traces] = zeros();
   int triggers[traces] = zeros();
   recursive_sta_lta_triggers_by_transposed_tiles(seismogram, onset, triggers, samples, 0.02f, 0.0005f, 1.6f, 1.1f);
*/
// Traces lie one after another; each warp turns 32 samples of its 32 traces at a time.
__global__ void recursive_sta_lta_triggers_by_transposed_tiles(const float *__restrict__ seismogram,
                                                               int *__restrict__ onset, int *__restrict__ triggers,
                                                               int samples, float short_rate, float long_rate,
                                                               float on, float off)
{
    __shared__ float tiles[4][32][33];
    const int lane = threadIdx.x & 31;
    float(*tile)[33] = tiles[threadIdx.x >> 5];
    const int trace0 = blockIdx.x * 128 + (threadIdx.x & ~31);
    const float *source = seismogram + (size_t)trace0 * samples;
    float sta = 0.f, lta = 1.f;
    int first = -1, count = 0;
    bool armed = false;
    for (int start = 0; start < samples; start += 32) {
        const int at = min(start + lane, samples - 1);
#pragma unroll 8
        for (int r = 0; r < 32; ++r) tile[r][lane] = source[(size_t)r * samples + at];
        __syncwarp();
        const int many = min(32, samples - start);
        for (int k = 0; k < many; ++k) {
            const float v = tile[lane][k];
            const float energy = v * v;
            sta = fmaf(short_rate, energy - sta, sta);
            lta = fmaf(long_rate, energy - lta, lta);
            if (!armed && sta > on * lta) {
                armed = true;
                ++count;
                if (first < 0) first = start + k;
            } else if (armed && sta < off * lta) {
                armed = false;
            }
        }
        __syncwarp();
    }
    onset[trace0 + lane] = first;
    triggers[trace0 + lane] = count;
}

#define SHELLS 20

/* kmutate launch
   int cells = 262144;
   dim3 grid = { cells / 128 }, block = { 128 };
   double lithium[SHELLS * cells] = uniform(0.3, 0.8);
   double current[cells] = uniform(-2, 2);
   double kelvin[cells] = uniform(280, 320);
   double voltage[cells] = zeros();
   battery_particle_shells_implicit_diffusion_by_cell(lithium, current, kelvin, voltage, cells, 3, 0.9, 0.004);
*/
// Single particle model: finite volumes of a sphere, backward Euler by Thomas' elimination in registers.
__global__ void __launch_bounds__(128)
battery_particle_shells_implicit_diffusion_by_cell(double *__restrict__ lithium, const double *__restrict__ current,
                                                   const double *__restrict__ kelvin, double *__restrict__ voltage,
                                                   int cells, int steps, double mobility, double flux_per_ampere)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;
    double c[SHELLS];
#pragma unroll
    for (int s = 0; s < SHELLS; ++s) c[s] = lithium[(size_t)s * cells + cell];
    const double temperature = kelvin[cell], amperes = current[cell];
    const double kappa = mobility * exp(4200.0 * (1.0 / 298.15 - 1.0 / temperature));
    for (int step = 0; step < steps; ++step) {
        double upper[SHELLS];
        double previous_upper = 0.0, previous = 0.0;
#pragma unroll
        for (int s = 0; s < SHELLS; ++s) {
            const double volume = ((s + 1.0) * (s + 1.0) * (s + 1.0) - (double)s * s * s) / 3.0;
            const double inner = kappa * (s * (double)s / volume);
            const double outer = s + 1 < SHELLS ? kappa * ((s + 1.0) * (s + 1.0) / volume) : 0.0;
            double rhs = c[s];
            if (s + 1 == SHELLS) rhs -= flux_per_ampere * amperes * ((s + 1.0) * (s + 1.0) / volume);
            const double scale = 1.0 / (1.0 + inner + outer - inner * previous_upper);
            previous_upper = outer * scale;
            previous = (rhs + inner * previous) * scale;
            upper[s] = previous_upper;
            c[s] = previous;
        }
#pragma unroll
        for (int s = SHELLS - 2; s >= 0; --s) c[s] = fma(upper[s], c[s + 1], c[s]);
    }
#pragma unroll
    for (int s = 0; s < SHELLS; ++s) lithium[(size_t)s * cells + cell] = c[s];
    const double surface = fmin(fmax(c[SHELLS - 1], 0.01), 0.99);
    const double exchange = 1.8 * sqrt(surface * (1.0 - surface));
    const double thermal = 8.617333e-5 * temperature;
    const double open = 4.06 - 0.55 * surface + 0.07 * tanh(8.0 - 16.0 * surface) + thermal * log((1.0 - surface) / surface);
    voltage[cell] = open - 2.0 * thermal * asinh(amperes / (2.0 * exchange)) - 0.015 * amperes;
}

/* kmutate launch
   int buses = 900000, lo = 2, hi = 7;
   int nnz = csr_nnz(buses, lo, hi);
   dim3 grid = { (buses + 255) / 256 }, block = { 256 };
   int rowptr[buses + 1] = csr_rowptr(buses, lo, hi);
   int colidx[nnz] = csr_colidx(buses);
   double2 admittance[nnz] = uniform(-5, 5);
   double2 volts[buses] = uniform(-1, 1);
   double2 scheduled[buses] = uniform(-2, 2);
   double2 mismatch[buses] = zeros();
   power_flow_mismatch_of_buses_by_admittance_rows(rowptr, colidx, admittance, volts, scheduled, mismatch, buses);
*/
__global__ void power_flow_mismatch_of_buses_by_admittance_rows(const int *__restrict__ rowptr,
                                                                const int *__restrict__ colidx,
                                                                const double2 *__restrict__ admittance,
                                                                const double2 *__restrict__ volts,
                                                                const double2 *__restrict__ scheduled,
                                                                double2 *__restrict__ mismatch, int buses)
{
    const int bus = blockIdx.x * blockDim.x + threadIdx.x;
    if (bus >= buses) return;
    double re = 0.0, im = 0.0;
    const int end = rowptr[bus + 1];
    for (int k = rowptr[bus]; k < end; ++k) {
        const double2 y = admittance[k];
        const double2 v = volts[colidx[k]];
        re += y.x * v.x - y.y * v.y;
        im += y.x * v.y + y.y * v.x;
    }
    const double2 v = volts[bus];
    const double2 s = scheduled[bus];
    mismatch[bus] = make_double2(s.x - (v.x * re + v.y * im), s.y - (v.y * re - v.x * im));
}

#define STOPS 400

/* kmutate launch
   int tours = 1320;
   dim3 grid = { tours }, block = { 128 };
   float2 stops[tours * STOPS] = uniform(0, 50);
   float gain[tours] = zeros();
   int2 exchange[tours] = zeros();
   two_opt_best_exchange_block_per_delivery_tour(stops, gain, exchange);
*/
__global__ void two_opt_best_exchange_block_per_delivery_tour(const float2 *__restrict__ stops,
                                                              float *__restrict__ gain, int2 *__restrict__ exchange)
{
    __shared__ float2 place[STOPS + 1];
    __shared__ float leg[STOPS];
    __shared__ float warp_best[4];
    __shared__ int warp_code[4];
    const float2 *tour = stops + (size_t)blockIdx.x * STOPS;
    for (int i = threadIdx.x; i <= STOPS; i += blockDim.x) place[i] = tour[i < STOPS ? i : 0];
    __syncthreads();
    for (int i = threadIdx.x; i < STOPS; i += blockDim.x) {
        const float dx = place[i + 1].x - place[i].x, dy = place[i + 1].y - place[i].y;
        leg[i] = sqrtf(dx * dx + dy * dy);
    }
    __syncthreads();
    float best = 0.f;
    int code = 0;
    for (int i = threadIdx.x; i < STOPS - 2; i += blockDim.x) {
        const float2 a = place[i], b = place[i + 1];
        const float old = leg[i];
        for (int j = i + 2; j < STOPS; ++j) {
            const float2 c = place[j], d = place[j + 1];
            const float acx = c.x - a.x, acy = c.y - a.y, bdx = d.x - b.x, bdy = d.y - b.y;
            const float change = sqrtf(acx * acx + acy * acy) + sqrtf(bdx * bdx + bdy * bdy) - old - leg[j];
            if (change < best) {
                best = change;
                code = i * STOPS + j;
            }
        }
    }
    for (int step = 16; step > 0; step >>= 1) {
        const float other = __shfl_down_sync(0xffffffffu, best, step);
        const int other_code = __shfl_down_sync(0xffffffffu, code, step);
        if (other < best) {
            best = other;
            code = other_code;
        }
    }
    if ((threadIdx.x & 31) == 0) {
        warp_best[threadIdx.x >> 5] = best;
        warp_code[threadIdx.x >> 5] = code;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 4; ++k) {
            if (warp_best[k] < best) {
                best = warp_best[k];
                code = warp_code[k];
            }
        }
        gain[blockIdx.x] = -best;
        exchange[blockIdx.x] = make_int2(code / STOPS, code % STOPS);
    }
}

#define AD_FIELDS 20

/* kmutate launch
   int impressions = 40960, features = 200000;
   dim3 grid = { impressions / 8 }, block = { 256 };
   int feature[impressions * AD_FIELDS] = randint(0, features);
   float4 latent[features * AD_FIELDS] = normal(0, 0.1);
   float weight[features] = normal(0, 0.1);
   float click[impressions] = zeros();
   field_aware_click_probability_of_ad_impressions(feature, latent, weight, click, impressions, -3.2f);
*/
// One warp for each impression, one lane for each field: the factors are stored [feature][other field].
__global__ void field_aware_click_probability_of_ad_impressions(const int *__restrict__ feature,
                                                                const float4 *__restrict__ latent,
                                                                const float *__restrict__ weight,
                                                                float *__restrict__ click, int impressions, float bias)
{
    const int impression = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    const int lane = threadIdx.x & 31;
    if (impression >= impressions) return;
    int mine = 0;
    float sum = 0.f;
    if (lane < AD_FIELDS) {
        mine = feature[impression * AD_FIELDS + lane];
        sum = weight[mine];
    }
    for (int f = 0; f + 1 < AD_FIELDS; ++f) {
        const int theirs = __shfl_sync(0xffffffffu, mine, f);
        if (lane > f && lane < AD_FIELDS) {
            const float4 a = latent[(size_t)theirs * AD_FIELDS + lane];
            const float4 b = latent[(size_t)mine * AD_FIELDS + f];
            sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
    }
    for (int step = 16; step > 0; step >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0) click[impression] = 1.f / (1.f + __expf(-(sum + bias)));
}

/* kmutate launch
   int w = 4960, h = 7016;
   dim3 grid = { w / 32, h / 8 }, block = { 32, 8 };
   unsigned char page[w * h] = randint(0, 256);
   unsigned sums[(w + 1) * (h + 1)] = iota(0, 120);
   unsigned long long squares[(w + 1) * (h + 1)] = iota(0, 20000);
   unsigned ink[(w / 32) * h] = zeros();
   sauvola_threshold_of_page_to_packed_ink_bits(page, sums, squares, ink, w, h, 20, 0.34f);
*/
__global__ void sauvola_threshold_of_page_to_packed_ink_bits(const unsigned char *__restrict__ page,
                                                             const unsigned *__restrict__ sums,
                                                             const unsigned long long *__restrict__ squares,
                                                             unsigned *__restrict__ ink, int w, int h, int radius,
                                                             float k)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= h) return;
    const int x0 = max(x - radius, 0), x1 = min(x + radius + 1, w);
    const int y0 = max(y - radius, 0), y1 = min(y + radius + 1, h);
    const size_t pitch = w + 1;
    const size_t top = y0 * pitch, bottom = y1 * pitch;
    const unsigned sum = sums[bottom + x1] - sums[bottom + x0] - sums[top + x1] + sums[top + x0];
    const unsigned long long square =
        squares[bottom + x1] - squares[bottom + x0] - squares[top + x1] + squares[top + x0];
    const float per = 1.f / (float)((x1 - x0) * (y1 - y0));
    const float mean = sum * per;
    const float deviation = sqrtf(fmaxf((float)square * per - mean * mean, 0.f));
    const float threshold = mean * (1.f + k * (deviation * (1.f / 128.f) - 1.f));
    const unsigned bits = __ballot_sync(0xffffffffu, page[(size_t)y * w + x] < threshold);
    if (threadIdx.x == 0) ink[(size_t)y * (w / 32) + blockIdx.x] = bits;
}

__constant__ float c_steering[6];

/* kmutate launch
   int elements = 128, samples = 3072, angles = 3, nx = 384, nz = 1024;
   dim3 grid = { nz / 128, nx }, block = { 128 };
   extern float c_steering[6] = { 0.0f, 1.0f, 0.1736f, 0.9848f, -0.1736f, 0.9848f };
   short echo[angles * elements * samples] = randint(-2000, 2000);
   float image[nx * nz] = zeros();
   plane_wave_delay_and_sum_with_growing_aperture(echo, image, elements, samples, angles, nx, nz, 0.3e-3f, 0.1e-3f,
                                                  0.04e-3f, 25974.f, 1.4f);
*/
__global__ void plane_wave_delay_and_sum_with_growing_aperture(const short *__restrict__ echo,
                                                               float *__restrict__ image, int elements, int samples,
                                                               int angles, int nx, int nz, float pitch, float dx,
                                                               float dz, float samples_per_metre, float f_number)
{
    const int iz = blockIdx.x * blockDim.x + threadIdx.x, ix = blockIdx.y;
    if (iz >= nz) return;
    const float x = (ix - 0.5f * (nx - 1)) * dx, z = 2e-3f + iz * dz;
    const float reach = 0.5f * z / f_number;
    const float centre = x / pitch + 0.5f * (elements - 1);
    const int first = max((int)ceilf(centre - reach / pitch), 0);
    const int last = min((int)floorf(centre + reach / pitch), elements - 1);
    float total = 0.f, norm = 1e-6f;
    for (int e = first; e <= last; ++e) {
        const float across = (e - 0.5f * (elements - 1)) * pitch - x;
        const float back = sqrtf(across * across + z * z);
        const float taper = __cosf(1.5707963f * across / reach);
        const float weight = taper * taper;
        for (int a = 0; a < angles; ++a) {
            const float out = x * c_steering[2 * a] + z * c_steering[2 * a + 1];
            const float t = (out + back) * samples_per_metre;
            const int k = (int)t;
            if (k >= 0 && k + 1 < samples) {
                const short *rf = echo + (size_t)(a * elements + e) * samples + k;
                const float s0 = rf[0], s1 = rf[1];
                total = fmaf(weight, fmaf(t - k, s1 - s0, s0), total);
            }
        }
        norm += weight;
    }
    image[(size_t)ix * nz + iz] = total / norm;
}

__device__ __forceinline__ uint32_t scrambled_word(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

/* kmutate launch
   int cells = 65536;
   dim3 grid = { cells / 4 }, block = { 128 };
   float4 ions[cells * 64] = normal();
   float density[cells] = uniform(0.5, 2);
   takizuka_abe_collisions_of_ions_paired_in_cells(ions, density, cells, 0.01f, 12345u);
*/
// A warp for each cell of 64 ions: an affine shuffle pairs them, each lane scatters one pair elastically.
__global__ void takizuka_abe_collisions_of_ions_paired_in_cells(float4 *__restrict__ ions,
                                                                const float *__restrict__ density, int cells,
                                                                float rate, uint32_t seed)
{
    const int cell = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    const int lane = threadIdx.x & 31;
    if (cell >= cells) return;
    const uint32_t deal = scrambled_word(seed ^ (uint32_t)cell * 0x9e3779b9u);
    const uint32_t odd = deal | 1u, shift = deal >> 8;
    const size_t base = (size_t)cell * 64;
    const size_t ia = base + ((odd * lane + shift) & 63u);
    const size_t ib = base + ((odd * (lane + 32) + shift) & 63u);
    float4 a = ions[ia], b = ions[ib];
    const float ux = a.x - b.x, uy = a.y - b.y, uz = a.z - b.z;
    const float perp2 = ux * ux + uy * uy;
    const float u2 = perp2 + uz * uz + 1e-12f;
    const float u = sqrtf(u2), perp = sqrtf(perp2);

    const uint32_t r0 = scrambled_word(deal + 2u * lane + 1u), r1 = scrambled_word(r0 ^ 0x68bc21ebu);
    const uint32_t r2 = scrambled_word(r1 + 0x02e5be93u);
    const float f0 = ((r0 >> 8) + 0.5f) * (1.f / 16777216.f);
    const float f1 = (r1 >> 8) * (1.f / 16777216.f), f2 = (r2 >> 8) * (1.f / 16777216.f);
    const float variance = rate * density[cell] / (u2 * u);
    float sin_theta, one_minus_cos;
    if (variance < 1.f) {
        const float delta = sqrtf(-2.f * variance * logf(f0)) * cospif(2.f * f1);
        const float d2 = delta * delta;
        sin_theta = 2.f * delta / (1.f + d2);
        one_minus_cos = 2.f * d2 / (1.f + d2);
    } else {
        float c;
        sincospif(f1, &sin_theta, &c);
        one_minus_cos = 1.f - c;
    }
    float sin_phi, cos_phi;
    sincospif(2.f * f2, &sin_phi, &cos_phi);
    float dx, dy, dz;
    if (perp > 1e-6f * u) {
        const float sx = sin_theta * cos_phi / perp, sy = sin_theta * sin_phi * u / perp;
        dx = ux * uz * sx - uy * sy - ux * one_minus_cos;
        dy = uy * uz * sx + ux * sy - uy * one_minus_cos;
        dz = -perp * sin_theta * cos_phi - uz * one_minus_cos;
    } else {
        dx = u * sin_theta * cos_phi;
        dy = u * sin_theta * sin_phi;
        dz = -u * one_minus_cos;
    }
    a.x += 0.5f * dx;
    a.y += 0.5f * dy;
    a.z += 0.5f * dz;
    b.x -= 0.5f * dx;
    b.y -= 0.5f * dy;
    b.z -= 0.5f * dz;
    ions[ia] = a;
    ions[ib] = b;
}

/* kmutate launch
   int atoms = 786432;
   dim3 grid = { (atoms + 191) / 192 }, block = { 192 };
   float4 position[atoms] = uniform(0, 90);
   unsigned char neighbours[atoms] = randint(8, 15);
   short offset[14 * atoms] = randint(-1500, 1500);
   float q6[atoms] = zeros();
   steinhardt_sixth_order_of_listed_neighbours(position, neighbours, offset, q6, atoms, 90.f);
*/
// Atoms are sorted along a space-filling curve, so the lists hold 16-bit offsets.
__global__ void steinhardt_sixth_order_of_listed_neighbours(const float4 *__restrict__ position,
                                                            const unsigned char *__restrict__ neighbours,
                                                            const short *__restrict__ offset, float *__restrict__ q6,
                                                            int atoms, float box)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) return;
    const float4 p = position[i];
    const int many = neighbours[i];
    const float per_box = 1.f / box;
    float re[7], im[7];
#pragma unroll
    for (int m = 0; m < 7; ++m) re[m] = im[m] = 0.f;
    for (int k = 0; k < many; ++k) {
        int j = i + offset[(size_t)k * atoms + i];
        if (j < 0) j += atoms;
        if (j >= atoms) j -= atoms;
        const float4 q = position[j];
        float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
        x -= box * rintf(x * per_box);
        y -= box * rintf(y * per_box);
        z -= box * rintf(z * per_box);
        const float per = rsqrtf(fmaxf(x * x + y * y + z * z, 1e-12f));
        x *= per;
        y *= per;
        z *= per;
        const float z2 = z * z;
        float legendre[7];
        legendre[0] = 0.06356920f * (((231.f * z2 - 315.f) * z2 + 105.f) * z2 - 5.f);
        legendre[1] = 0.41197551f * z * ((33.f * z2 - 30.f) * z2 + 5.f);
        legendre[2] = 0.32569524f * ((33.f * z2 - 18.f) * z2 + 1.f);
        legendre[3] = 0.65139048f * z * (11.f * z2 - 3.f);
        legendre[4] = 0.35678126f * (11.f * z2 - 1.f);
        legendre[5] = 1.67345245f * z;
        legendre[6] = 0.48308411f;
        float c = 1.f, s = 0.f;
#pragma unroll
        for (int m = 0; m < 7; ++m) {
            re[m] = fmaf(legendre[m], c, re[m]);
            im[m] = fmaf(legendre[m], s, im[m]);
            const float turned = c * x - s * y;
            s = c * y + s * x;
            c = turned;
        }
    }
    float sum = re[0] * re[0];
#pragma unroll
    for (int m = 1; m < 7; ++m) sum += 2.f * (re[m] * re[m] + im[m] * im[m]);
    q6[i] = sqrtf(sum * (12.5663706f / 13.f)) / (float)many;
}

__constant__ unsigned c_shedding_by_day[16];

/* kmutate launch
   int agents = 16000000, places = 3000000;
   dim3 grid = { (agents + 255) / 256 }, block = { 256 };
   extern unsigned c_shedding_by_day[16] = { 0, 2, 9, 40, 88, 120, 110, 92, 70, 51, 33, 20, 11, 6, 2, 1 };
   unsigned char stage[agents] = randint(0, 16);
   unsigned char days[agents] = randint(0, 15);
   int2 home_and_work[agents] = randint(0, places);
   unsigned dose[places] = zeros();
   infectious_agents_shed_into_homes_and_workplaces(stage, days, home_and_work, dose, agents);
*/
// Stage 1: exposed, 2: infectious, 3: recovered, anything else is susceptible of some age band.
__global__ void infectious_agents_shed_into_homes_and_workplaces(unsigned char *__restrict__ stage,
                                                                 unsigned char *__restrict__ days,
                                                                 const int2 *__restrict__ home_and_work,
                                                                 unsigned *__restrict__ dose, int agents)
{
    const int agent = blockIdx.x * blockDim.x + threadIdx.x;
    if (agent >= agents) return;
    const int now = stage[agent];
    if (now != 1 && now != 2) return;
    const int day = days[agent];
    if (now == 2) {
        const int2 where = home_and_work[agent];
        const unsigned shed = c_shedding_by_day[day & 15];
        atomicAdd(&dose[where.x], 2u * shed);
        if (day < 6) atomicAdd(&dose[where.y], shed);
        if (day >= 14) stage[agent] = 3;
    } else if (day >= 4) {
        stage[agent] = 2;
    }
    days[agent] = (unsigned char)(day + 1);
}

template <int SHIFT>
__device__ __forceinline__ uint64_t shifted_board(uint64_t b)
{
    return SHIFT > 0 ? b << (SHIFT > 0 ? SHIFT : 0) : b >> (SHIFT < 0 ? -SHIFT : 0);
}

// Squares reached from own discs over a run of the opponent's in one direction.
template <int SHIFT>
__device__ __forceinline__ uint64_t moves_along(uint64_t own, uint64_t passable)
{
    uint64_t run = passable & shifted_board<SHIFT>(own);
#pragma unroll
    for (int k = 0; k < 5; ++k) run |= passable & shifted_board<SHIFT>(run);
    return shifted_board<SHIFT>(run);
}

__device__ __forceinline__ uint64_t othello_moves(uint64_t own, uint64_t opponent)
{
    const uint64_t inner = opponent & 0x7e7e7e7e7e7e7e7eull;
    uint64_t moves = moves_along<8>(own, opponent) | moves_along<-8>(own, opponent);
    moves |= moves_along<1>(own, inner) | moves_along<-1>(own, inner);
    moves |= moves_along<7>(own, inner) | moves_along<-7>(own, inner);
    moves |= moves_along<9>(own, inner) | moves_along<-9>(own, inner);
    return moves & ~(own | opponent);
}

__device__ __forceinline__ uint64_t grown_by_king_steps(uint64_t b)
{
    const uint64_t row = b | ((b << 1) & 0xfefefefefefefefeull) | ((b >> 1) & 0x7f7f7f7f7f7f7f7full);
    return row | (row << 8) | (row >> 8);
}

/* kmutate launch
   int boards = 3000000;
   dim3 grid = { (boards + 255) / 256 }, block = { 256 };
   ulonglong2 position[boards] = randint(0, 9223372036854775807);
   short score[boards] = zeros();
   othello_mobility_frontier_and_corner_scores(position, score, boards);
*/
__global__ void othello_mobility_frontier_and_corner_scores(const ulonglong2 *__restrict__ position,
                                                            short *__restrict__ score, int boards)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= boards) return;
    const ulonglong2 p = position[i];
    const uint64_t own = p.x, opponent = p.y & ~p.x;
    const uint64_t empty = ~(own | opponent);
    const int mobility = __popcll(othello_moves(own, opponent)) - __popcll(othello_moves(opponent, own));
    const uint64_t open = grown_by_king_steps(empty);
    const int frontier = __popcll(own & open) - __popcll(opponent & open);
    const uint64_t corners = 0x8100000000000081ull;
    const int corner = __popcll(own & corners) - __popcll(opponent & corners);
    const uint64_t traps = grown_by_king_steps(empty & corners) & ~corners;
    const int trapped = __popcll(own & traps) - __popcll(opponent & traps);
    const int discs = __popcll(own) - __popcll(opponent);
    const int phase = 64 - __popcll(empty);
    score[i] = (short)((64 - phase) * (8 * mobility - 5 * frontier) + 900 * corner - 350 * trapped + phase * discs);
}

#define GO_POINTS 361

/* kmutate launch
   int boards = 8000;
   dim3 grid = { boards }, block = { 384 };
   unsigned char board[boards * GO_POINTS] = randint(0, 3);
   unsigned char liberties[boards * GO_POINTS] = zeros();
   unsigned char in_atari[boards] = zeros();
   go_liberties_of_groups_block_per_board(board, liberties, in_atari);
*/
__global__ void go_liberties_of_groups_block_per_board(const unsigned char *__restrict__ board,
                                                       unsigned char *__restrict__ liberties,
                                                       unsigned char *__restrict__ in_atari)
{
    __shared__ unsigned char stone[21 * 21];
    __shared__ int group[21 * 21];
    __shared__ int freedom[21 * 21];
    for (int k = threadIdx.x; k < 21 * 21; k += blockDim.x) {
        stone[k] = 3;
        group[k] = k;
        freedom[k] = 0;
    }
    __syncthreads();
    const int point = threadIdx.x;
    const bool inside = point < GO_POINTS;
    const int at = inside ? (point / 19 + 1) * 21 + point % 19 + 1 : 0;
    int colour = 3;
    if (inside) {
        colour = board[(size_t)blockIdx.x * GO_POINTS + point];
        stone[at] = (unsigned char)colour;
    }
    __syncthreads();
    const int step[4] = { -21, -1, 1, 21 };
    // The smallest number of a group spreads; looking it up once more halves the way.
    for (int round = 0; round < GO_POINTS; ++round) {
        int least = group[at];
        const int before = least;
        if (colour == 1 || colour == 2) {
#pragma unroll
            for (int d = 0; d < 4; ++d)
                if (stone[at + step[d]] == colour) least = min(least, group[at + step[d]]);
            least = group[least];
        }
        __syncthreads();
        if (inside) group[at] = least;
        if (!__syncthreads_or(least != before)) break;
    }
    if (colour == 0) {
        int seen[4];
#pragma unroll
        for (int d = 0; d < 4; ++d) {
            const int next = stone[at + step[d]];
            seen[d] = next == 1 || next == 2 ? group[at + step[d]] : -1;
            bool fresh = seen[d] >= 0;
            for (int e = 0; e < d; ++e) fresh = fresh && seen[e] != seen[d];
            if (fresh) atomicAdd(&freedom[seen[d]], 1);
        }
    }
    __syncthreads();
    const int free_points = colour == 1 || colour == 2 ? freedom[group[at]] : 0;
    if (inside) liberties[(size_t)blockIdx.x * GO_POINTS + point] = (unsigned char)min(free_points, 255);
    const int threatened = __syncthreads_count(free_points == 1);
    if (threadIdx.x == 0) in_atari[blockIdx.x] = (unsigned char)min(threatened, 255);
}

#define HUFFMAN_BITS 11

/* kmutate launch
   int segments = 50000, symbols = 256, stride = 80;
   dim3 grid = { (segments + 127) / 128 }, block = { 128 };
   unsigned words[segments * stride] = randint(0, 4294967295);
   int start[segments + 1] = iota(0, stride);
   unsigned char code_length[1 << HUFFMAN_BITS] = randint(2, 10);
   unsigned char code_symbol[1 << HUFFMAN_BITS] = randint(0, 256);
   unsigned decoded[segments * symbols / 4] = zeros();
   huffman_segments_decoded_by_shared_lookup_table(words, start, code_length, code_symbol, decoded, segments, symbols);
*/
__global__ void huffman_segments_decoded_by_shared_lookup_table(const unsigned *__restrict__ words,
                                                                const int *__restrict__ start,
                                                                const unsigned char *__restrict__ code_length,
                                                                const unsigned char *__restrict__ code_symbol,
                                                                unsigned *__restrict__ decoded, int segments,
                                                                int symbols)
{
    __shared__ unsigned short table[1 << HUFFMAN_BITS];
    for (int k = threadIdx.x; k < 1 << HUFFMAN_BITS; k += blockDim.x)
        table[k] = (unsigned short)(code_length[k] << 8 | code_symbol[k]);
    __syncthreads();
    const int segment = blockIdx.x * blockDim.x + threadIdx.x;
    if (segment >= segments) return;
    int next = start[segment];
    const int end = start[segment + 1];
    unsigned *out = decoded + (size_t)segment * (symbols / 4);
    uint64_t window = 0;
    int held = 0;
    for (int k = 0; k < symbols; k += 4) {
        unsigned packed = 0;
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            if (held < HUFFMAN_BITS) {
                const unsigned word = next < end ? __byte_perm(words[next], 0, 0x0123) : 0u;
                ++next;
                window |= (uint64_t)word << (32 - held);
                held += 32;
            }
            const unsigned entry = table[window >> (64 - HUFFMAN_BITS)];
            const int length = entry >> 8;
            window <<= length;
            held -= length;
            packed |= (entry & 255u) << (8 * b);
        }
        out[k >> 2] = packed;
    }
}

__device__ __forceinline__ unsigned nibble_of_equal_bytes(unsigned word, unsigned pattern)
{
    return ((__vcmpeq4(word, pattern) & 0x01010101u) * 0x01020408u) >> 24 & 15u;
}

/* kmutate launch
   int chunks = 1500000;
   dim3 grid = { (chunks + 255) / 256 }, block = { 256 };
   unsigned char bytes[chunks * 64] = randint(32, 127);
   ulonglong2 masks[chunks] = zeros();
   unsigned char odd_quotes[(chunks + 255) / 256] = zeros();
   json_structural_masks_of_64_byte_chunks((uint4 *)bytes, masks, odd_quotes, chunks);
*/
// First stage of a JSON parser: structural characters and string interiors, as if the block began outside a string.
__global__ void json_structural_masks_of_64_byte_chunks(const uint4 *__restrict__ text,
                                                        ulonglong2 *__restrict__ masks,
                                                        unsigned char *__restrict__ odd_quotes, int chunks)
{
    __shared__ unsigned odd_of_warp[8];
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint64_t quotes = 0, slashes = 0, structural = 0;
    if (chunk < chunks) {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const uint4 v = text[(size_t)chunk * 4 + q];
            const unsigned part[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const int at = q * 16 + k * 4;
                const unsigned folded = part[k] | 0x20202020u;
                const unsigned marks = nibble_of_equal_bytes(folded, 0x7b7b7b7bu) |
                                       nibble_of_equal_bytes(folded, 0x7d7d7d7du) |
                                       nibble_of_equal_bytes(part[k], 0x3a3a3a3au) |
                                       nibble_of_equal_bytes(part[k], 0x2c2c2c2cu);
                structural |= (uint64_t)marks << at;
                quotes |= (uint64_t)nibble_of_equal_bytes(part[k], 0x22222222u) << at;
                slashes |= (uint64_t)nibble_of_equal_bytes(part[k], 0x5c5c5c5cu) << at;
            }
        }
        // Does an odd run of backslashes end just before this chunk?
        const unsigned char *bytes = (const unsigned char *)text;
        const size_t begin = (size_t)chunk * 64;
        size_t back = begin;
        while (back > 0 && bytes[back - 1] == '\\') --back;
        uint64_t carry = (begin - back) & 1;
        if (slashes | carry) {
            uint64_t escaped = 0;
            uint64_t left = slashes;
            if (carry) {
                escaped = 1;
                left &= ~1ull;
            }
            while (left) {
                const uint64_t lowest = left & (0 - left);
                escaped |= lowest << 1;
                left &= ~(lowest | lowest << 1);
            }
            quotes &= ~escaped;
        }
    }
    const unsigned odd = __ballot_sync(0xffffffffu, __popcll(quotes) & 1);
    if (lane == 0) odd_of_warp[warp] = __popc(odd) & 1;
    __syncthreads();
    unsigned inside = __popc(odd & ((1u << lane) - 1u)) & 1;
    for (int k = 0; k < warp; ++k) inside ^= odd_of_warp[k];
    uint64_t strings = quotes;
#pragma unroll
    for (int s = 1; s < 64; s <<= 1) strings ^= strings << s;
    if (inside) strings = ~strings;
    if (chunk < chunks) masks[chunk] = make_ulonglong2((structural & ~strings) | quotes, strings);
    if (threadIdx.x == 0) {
        unsigned parity = 0;
        for (int k = 0; k < 8; ++k) parity ^= odd_of_warp[k];
        odd_quotes[blockIdx.x] = (unsigned char)parity;
    }
}

/* kmutate launch
   int words = 4000000, planes = 20;
   dim3 grid = { (words + 255) / 256 }, block = { 256 };
   unsigned slices[planes * words] = randint(0, 4294967295);
   unsigned selected[words] = zeros();
   unsigned long long rows[1] = zeros();
   bit_sliced_column_between_with_early_stop(slices, selected, rows, words, planes, 217043u, 744512u);
*/
// Vertical bit-parallel scan: plane 0 holds the most significant bits, 32 rows a word.
__global__ void bit_sliced_column_between_with_early_stop(const unsigned *__restrict__ slices,
                                                          unsigned *__restrict__ selected,
                                                          unsigned long long *__restrict__ rows, int words,
                                                          int planes, unsigned low, unsigned high)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned hits = 0;
    if (i < words) {
        unsigned above = 0, below = 0, equal_low = ~0u, equal_high = ~0u;
        const unsigned *slice = slices + i;
        for (int b = planes - 1; b >= 0 && (equal_low | equal_high); --b, slice += words) {
            const unsigned bits = *slice;
            if (low >> b & 1u) {
                equal_low &= bits;
            } else {
                above |= equal_low & bits;
                equal_low &= ~bits;
            }
            if (high >> b & 1u) {
                below |= equal_high & ~bits;
                equal_high &= bits;
            } else {
                equal_high &= ~bits;
            }
        }
        hits = (above | equal_low) & (below | equal_high);
        selected[i] = hits;
    }
    const unsigned count = __reduce_add_sync(0xffffffffu, __popc(hits));
    if ((threadIdx.x & 31) == 0) atomicAdd(rows, (unsigned long long)count);
}

#define BEAM_KEEP 4

/* kmutate launch
   int hypotheses = 80, vocabulary = 128256;
   dim3 grid = { hypotheses }, block = { 1024 };
   float logits[hypotheses * vocabulary] = normal(0, 2);
   float so_far[hypotheses] = uniform(-20, -5);
   float score[hypotheses * BEAM_KEEP] = zeros();
   int token[hypotheses * BEAM_KEEP] = zeros();
   beam_hypothesis_best_four_continuations(logits, so_far, score, token, vocabulary);
*/
__global__ void __launch_bounds__(1024)
beam_hypothesis_best_four_continuations(const float *__restrict__ logits, const float *__restrict__ so_far,
                                        float *__restrict__ score, int *__restrict__ token, int vocabulary)
{
    __shared__ float warp_value[32];
    __shared__ int warp_index[32];
    __shared__ float warp_sum[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float *row = logits + (size_t)blockIdx.x * vocabulary;
    float value[BEAM_KEEP];
    int index[BEAM_KEEP];
#pragma unroll
    for (int k = 0; k < BEAM_KEEP; ++k) {
        value[k] = -3e38f;
        index[k] = -1;
    }
    float sum = 0.f, top = -3e38f;
    for (int t = threadIdx.x; t < vocabulary; t += 1024) {
        const float v = row[t];
        if (v > top) {
            sum *= __expf(top - v);
            top = v;
        }
        sum += __expf(v - top);
        if (v > value[BEAM_KEEP - 1]) {
            value[BEAM_KEEP - 1] = v;
            index[BEAM_KEEP - 1] = t;
#pragma unroll
            for (int k = BEAM_KEEP - 1; k > 0; --k) {
                if (value[k] > value[k - 1]) {
                    const float f = value[k];
                    const int n = index[k];
                    value[k] = value[k - 1];
                    index[k] = index[k - 1];
                    value[k - 1] = f;
                    index[k - 1] = n;
                }
            }
        }
    }
    float log_total = 0.f;
    for (int round = 0; round < BEAM_KEEP; ++round) {
        float best = value[0];
        int where = index[0];
        for (int step = 16; step > 0; step >>= 1) {
            const float other = __shfl_xor_sync(0xffffffffu, best, step);
            const int other_where = __shfl_xor_sync(0xffffffffu, where, step);
            if (other > best || (other == best && other_where > where)) {
                best = other;
                where = other_where;
            }
        }
        if (lane == 0) {
            warp_value[warp] = best;
            warp_index[warp] = where;
        }
        __syncthreads();
        best = warp_value[lane];
        where = warp_index[lane];
        for (int step = 16; step > 0; step >>= 1) {
            const float other = __shfl_xor_sync(0xffffffffu, best, step);
            const int other_where = __shfl_xor_sync(0xffffffffu, where, step);
            if (other > best || (other == best && other_where > where)) {
                best = other;
                where = other_where;
            }
        }
        if (round == 0) {
            float part = sum * __expf(top - best);
            for (int step = 16; step > 0; step >>= 1) part += __shfl_xor_sync(0xffffffffu, part, step);
            if (lane == 0) warp_sum[warp] = part;
            __syncthreads();
            part = warp_sum[lane];
            for (int step = 16; step > 0; step >>= 1) part += __shfl_xor_sync(0xffffffffu, part, step);
            log_total = best + __logf(part);
        }
        if (where == index[0]) {
#pragma unroll
            for (int k = 0; k + 1 < BEAM_KEEP; ++k) {
                value[k] = value[k + 1];
                index[k] = index[k + 1];
            }
            value[BEAM_KEEP - 1] = -3e38f;
            index[BEAM_KEEP - 1] = -1;
        }
        if (threadIdx.x == 0) {
            score[blockIdx.x * BEAM_KEEP + round] = so_far[blockIdx.x] + best - log_total;
            token[blockIdx.x * BEAM_KEEP + round] = where;
        }
        __syncthreads();
    }
}

/* kmutate launch
   int rows = 28672, cols = 8192;
   dim3 grid = { rows / 8 }, block = { 256 };
   uint4 packed[rows * (cols / 32)] = randint(0, 4294967295);
   half2 scale_and_zero[rows * (cols / 128)] = uniform(0.5, 1.5);
   half2 activation[cols / 2] = uniform(-0.1, 0.1);
   half result[rows] = zeros();
   four_bit_group_weights_times_half_activation(packed, scale_and_zero, activation, result, cols);
*/
// The nibbles are interleaved so that a mask yields pairs; 0x6400 is the half 1024, whose last bits are the integer.
__global__ void four_bit_group_weights_times_half_activation(const uint4 *__restrict__ packed,
                                                             const half2 *__restrict__ scale_and_zero,
                                                             const half2 *__restrict__ activation,
                                                             half *__restrict__ result, int cols)
{
    const int row = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    const uint4 *weights = packed + (size_t)row * (cols / 32);
    const half2 *groups = scale_and_zero + (size_t)row * (cols / 128);
    const half2 offset = __float2half2_rn(1024.f);
    float sum = 0.f;
    for (int k = lane; k < cols / 32; k += 32) {
        const uint4 w = weights[k];
        const half2 group = groups[k >> 2];
        const half2 zero = __half2half2(__hmul(__high2half(group), __float2half(8.f)));
        const half2 *x = activation + k * 16;
        const unsigned part[4] = { w.x, w.y, w.z, w.w };
        half2 dot = __float2half2_rn(0.f);
#pragma unroll
        for (int p = 0; p < 4; ++p) {
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                const unsigned raw = (part[p] >> (4 * n) & 0x000f000fu) | 0x64006400u;
                const half2 level = __hsub2(*reinterpret_cast<const half2 *>(&raw), offset);
                dot = __hfma2(__hsub2(level, zero), x[p * 4 + n], dot);
            }
        }
        const float2 both = __half22float2(dot);
        sum = fmaf(__low2float(group), both.x + both.y, sum);
    }
    for (int step = 16; step > 0; step >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) result[row] = __float2half(sum);
}

#define DETECTOR 1024
#define RAMP_TAPS 96

__constant__ float c_odd_ramp[RAMP_TAPS];

/* kmutate launch
   int rows = 5000;
   dim3 grid = { rows }, block = { 256 };
   extern float c_odd_ramp[RAMP_TAPS] = uniform(-0.1, -0.001);
   unsigned short counts[rows * DETECTOR] = randint(500, 60000);
   float cosine[DETECTOR] = uniform(0.8, 1);
   float filtered[rows * DETECTOR] = zeros();
   dental_ct_rows_log_weight_and_odd_ramp_taps(counts, cosine, filtered, 65535.f);
*/
// The even taps of the discrete ramp are zero but the middle one, and the odd taps are symmetric.
__global__ void dental_ct_rows_log_weight_and_odd_ramp_taps(const unsigned short *__restrict__ counts,
                                                            const float *__restrict__ cosine,
                                                            float *__restrict__ filtered, float open_beam)
{
    constexpr int margin = 2 * RAMP_TAPS;
    __shared__ float line[DETECTOR + 2 * margin];
    const size_t row = (size_t)blockIdx.x * DETECTOR;
    for (int i = threadIdx.x; i < DETECTOR + 2 * margin; i += blockDim.x) {
        const int x = i - margin;
        float v = 0.f;
        if (x >= 0 && x < DETECTOR) v = __logf(open_beam / fmaxf((float)counts[row + x], 1.f)) * cosine[x];
        line[i] = v;
    }
    __syncthreads();
    float sum[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) sum[k] = 0.25f * line[margin + threadIdx.x + 256 * k];
#pragma unroll 4
    for (int n = 0; n < RAMP_TAPS; ++n) {
        const float tap = c_odd_ramp[n];
        const int away = 2 * n + 1;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int at = margin + threadIdx.x + 256 * k;
            sum[k] = fmaf(tap, line[at - away] + line[at + away], sum[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) filtered[row + threadIdx.x + 256 * k] = sum[k];
}
