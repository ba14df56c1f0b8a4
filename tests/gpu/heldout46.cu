#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int n = 352;
   dim3 grid = { n / 32, n / 4, n / 2 }, block = { 32, 4, 2 };
   float before[n * n * n] = uniform(0, 1);
   float now[n * n * n] = uniform(0, 1);
   float after[n * n * n] = zeros();
   dufort_frankel_heat_cube_three_time_levels(before, now, after, n, 0.2f);
*/
__global__ void dufort_frankel_heat_cube_three_time_levels(const float *__restrict__ before,
                                                           const float *__restrict__ now, float *__restrict__ after,
                                                           int n, float r)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= n || y >= n || z >= n) return;
    const int plane = n * n;
    const int i = z * plane + y * n + x;
    if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) {
        after[i] = now[i];
        return;
    }
    const float around = now[i - 1] + now[i + 1] + now[i - n] + now[i + n] + now[i - plane] + now[i + plane];
    after[i] = ((1.f - 6.f * r) * before[i] + 2.f * r * around) / (1.f + 6.f * r);
}

__constant__ unsigned char c_gamma[256];

/* kmutate launch
   int width = 2560, height = 1440;
   dim3 grid = { width / 16, height / 16 }, block = { 16, 16 };
   extern unsigned char c_gamma[256] = iota(0, 1);
   uchar4 in[width * height] = randint(0, 256);
   uchar4 out[width * height] = zeros();
   gamma_corrects_rgba_bytes_by_constant_table(in, out, width, height);
*/
__global__ void gamma_corrects_rgba_bytes_by_constant_table(const uchar4 *__restrict__ in, uchar4 *__restrict__ out,
                                                            int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uchar4 p = in[y * width + x];
    out[y * width + x] = make_uchar4(c_gamma[p.x], c_gamma[p.y], c_gamma[p.z], p.w);
}

/* kmutate launch
   int series = 300000, steps = 48;
   dim3 grid = { (series + 127) / 128 }, block = { 128 };
   float readings[steps * series] = uniform(-0.1, 1);
   float noise[series] = uniform(0.01, 0.1);
   float level[steps * series] = zeros();
   float likelihood[series] = zeros();
   kalman_level_and_trend_of_many_series_with_dropouts(readings, noise, level, likelihood, series, steps, 1e-3f, 1e-4f);
*/
__global__ void kalman_level_and_trend_of_many_series_with_dropouts(const float *__restrict__ readings,
                                                                    const float *__restrict__ noise,
                                                                    float *__restrict__ level,
                                                                    float *__restrict__ likelihood, int series,
                                                                    int steps, float q_level, float q_trend)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= series) return;
    const float r = noise[s];
    float x = 0.5f, v = 0.f;
    float p00 = 1.f, p01 = 0.f, p11 = 1.f;
    float sum = 0.f;
    for (int t = 0; t < steps; ++t) {
        x += v;
        p00 += 2.f * p01 + p11 + q_level;
        p01 += p11;
        p11 += q_trend;

        const float z = readings[t * series + s];
        if (z >= 0.f) {  // a negative reading is a dropout
            const float variance = p00 + r;
            const float inverse = 1.f / variance;
            const float k0 = p00 * inverse, k1 = p01 * inverse;
            const float miss = z - x;
            x += k0 * miss;
            v += k1 * miss;
            p11 -= k1 * p01;
            p01 -= k0 * p01;
            p00 -= k0 * p00;
            sum -= 0.5f * (miss * miss * inverse + logf(6.2831853f * variance));
        }
        level[t * series + s] = x;
    }
    likelihood[s] = sum;
}

struct Grain {
    float position[3];
    float velocity[3];
    float spin[3];
    float radius;
    float lost_energy;
};

/* kmutate launch
   int n = 3000000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   float grains[n * 11] = uniform(0.02, 0.98);
   grains_as_records_fall_and_bounce_in_box(grains, n, 0.01f, 0.8f, 0.3f);
*/
__global__ void grains_as_records_fall_and_bounce_in_box(Grain *grains, int n, float dt, float restitution,
                                                         float friction)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Grain g = grains[i];
    const float r = 0.05f * g.radius;
    g.velocity[2] -= 9.81f * dt;
    for (int axis = 0; axis < 3; ++axis) {
        float x = g.position[axis] + g.velocity[axis] * dt;
        const bool low = x < r, high = x > 1.f - r;
        if (low || high) {
            const int a = (axis + 1) % 3, b = (axis + 2) % 3;
            const float was = g.velocity[axis];
            x = low ? 2.f * r - x : 2.f * (1.f - r) - x;
            g.velocity[axis] = -restitution * was;
            const float slip_a = g.velocity[a] - r * g.spin[b];
            const float slip_b = g.velocity[b] + r * g.spin[a];
            g.velocity[a] -= friction * slip_a;
            g.velocity[b] -= friction * slip_b;
            g.spin[b] += 2.5f * friction * slip_a / r;
            g.spin[a] -= 2.5f * friction * slip_b / r;
            g.lost_energy += 0.5f * (1.f - restitution * restitution) * was * was;
        }
        g.position[axis] = x;
    }
    grains[i] = g;
}

/* kmutate launch
   int channels = 96, depth = 64, height = 112, width = 112;
   int total = channels * (depth / 2) * (height / 2) * (width / 2);
   dim3 grid = { (total + 255) / 256 }, block = { 256 };
   __nv_bfloat16 in[channels * depth * height * width] = normal();
   __nv_bfloat16 out[total] = zeros();
   unsigned char origin[total] = zeros();
   max_pool_volume_two_by_two_by_two_bf16_with_origin((__nv_bfloat162 *)in, out, origin, depth, height, width, total);
*/
__global__ void max_pool_volume_two_by_two_by_two_bf16_with_origin(const __nv_bfloat162 *__restrict__ in,
                                                                   __nv_bfloat16 *__restrict__ out,
                                                                   unsigned char *__restrict__ origin, int depth,
                                                                   int height, int width, int total)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const int half_width = width / 2, half_height = height / 2, half_depth = depth / 2;
    const int x = i % half_width;
    const int y = i / half_width % half_height;
    const int z = i / (half_width * half_height) % half_depth;
    const int c = i / (half_width * half_height * half_depth);

    float best = -INFINITY;
    int from = 0;
    for (int dz = 0; dz < 2; ++dz)
        for (int dy = 0; dy < 2; ++dy) {
            const size_t row = ((size_t)c * depth + 2 * z + dz) * height + 2 * y + dy;
            const float2 pair = __bfloat1622float2(in[row * half_width + x]);
            if (pair.x > best) {
                best = pair.x;
                from = dz * 4 + dy * 2;
            }
            if (pair.y > best) {
                best = pair.y;
                from = dz * 4 + dy * 2 + 1;
            }
        }
    out[i] = __float2bfloat16(best);
    origin[i] = (unsigned char)from;
}

/* kmutate launch
   int side = 48, probes = 180000;
   int cells = side * side * side, grains = 6 * cells;
   dim3 grid = { (probes + 127) / 128 }, block = { 128 };
   int home[probes] = ascending(0, cells);
   float4 probe[probes] = uniform(0, 1);
   int head[cells] = randint(-1, grains);
   int next[grains] = iota(-cells, 1);
   float4 grain[grains] = uniform(0, 1);
   float4 push[probes] = zeros();
   probes_touch_grains_in_linked_cell_lists(home, probe, head, next, grain, push, probes, side, 500.f);
*/
__global__ void probes_touch_grains_in_linked_cell_lists(const int *__restrict__ home, const float4 *__restrict__ probe,
                                                         const int *__restrict__ head, const int *__restrict__ next,
                                                         const float4 *__restrict__ grain, float4 *__restrict__ push,
                                                         int probes, int side, float stiffness)
{
    constexpr int MOST_IN_CELL = 32;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    const int cell = home[i];
    const int cx = cell % side, cy = cell / side % side, cz = cell / (side * side);
    const float4 p = probe[i];  // offset in its cell, and size
    const float reach = 0.1f + 0.3f * p.w;

    float fx = 0.f, fy = 0.f, fz = 0.f, touched = 0.f;
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                const int x = (cx + dx + side) % side;
                const int y = (cy + dy + side) % side;
                const int z = (cz + dz + side) % side;
                int g = head[(z * side + y) * side + x];
                for (int k = 0; g >= 0 && k < MOST_IN_CELL; ++k) {
                    const float4 q = grain[g];
                    const float ex = p.x - (q.x + dx), ey = p.y - (q.y + dy), ez = p.z - (q.z + dz);
                    const float d2 = ex * ex + ey * ey + ez * ez;
                    const float contact = reach + 0.1f + 0.3f * q.w;
                    if (d2 < contact * contact && d2 > 0.f) {
                        const float d = sqrtf(d2);
                        const float overlap = contact - d;
                        const float f = stiffness * overlap * sqrtf(overlap) / d;
                        fx += f * ex;
                        fy += f * ey;
                        fz += f * ez;
                        touched += 1.f;
                    }
                    g = next[g];
                }
            }
    push[i] = make_float4(fx, fy, fz, touched);
}

__constant__ uint64_t c_key[27];  // nine key words, three times

__device__ __forceinline__ void threefish_mix(uint64_t &a, uint64_t &b, int turn)
{
    a += b;
    b = (b << turn | b >> (64 - turn)) ^ a;
}

/* kmutate launch
   int blocks = 1 << 20;
   dim3 grid = { blocks / 256 }, block = { 256 };
   extern unsigned long c_key[27] = randint(0, 1ul << 62);
   unsigned long text[blocks * 8] = randint(0, 1ul << 62);
   unsigned long cipher[blocks * 8] = zeros();
   threefish_counter_mode_thread_per_block((ulonglong2 *)text, (ulonglong2 *)cipher, blocks, 0x1234567890abcul, 77ul);
*/
__global__ void threefish_counter_mode_thread_per_block(const ulonglong2 *__restrict__ text,
                                                        ulonglong2 *__restrict__ cipher, int blocks, uint64_t nonce,
                                                        uint64_t tweak)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    uint64_t v0 = nonce, v1 = (uint64_t)i, v2 = 0, v3 = 0, v4 = 0, v5 = 0, v6 = 0, v7 = 0;
    const uint64_t t0 = tweak, t1 = tweak ^ 0x6a09e667f3bcc908ull;
    uint64_t ta = t0, tb = t1, tc = t0 ^ t1;

#define THREEFISH_ADD_KEY(s)                                                                                          \
    v0 += c_key[(s)], v1 += c_key[(s) + 1], v2 += c_key[(s) + 2], v3 += c_key[(s) + 3], v4 += c_key[(s) + 4];        \
    v5 += c_key[(s) + 5] + ta, v6 += c_key[(s) + 6] + tb, v7 += c_key[(s) + 7] + (uint64_t)(s);                       \
    {                                                                                                                 \
        const uint64_t first = ta;                                                                                    \
        ta = tb, tb = tc, tc = first;                                                                                 \
    }
#define THREEFISH_ROUND(a, b, c, d, e, f, g, h, r0, r1, r2, r3)                                                       \
    threefish_mix(a, b, r0), threefish_mix(c, d, r1), threefish_mix(e, f, r2), threefish_mix(g, h, r3)

#pragma unroll 1
    for (int s = 0; s < 18; s += 2) {
        THREEFISH_ADD_KEY(s)
        THREEFISH_ROUND(v0, v1, v2, v3, v4, v5, v6, v7, 46, 36, 19, 37);
        THREEFISH_ROUND(v2, v1, v4, v7, v6, v5, v0, v3, 33, 27, 14, 42);
        THREEFISH_ROUND(v4, v1, v6, v3, v0, v5, v2, v7, 17, 49, 36, 39);
        THREEFISH_ROUND(v6, v1, v0, v7, v2, v5, v4, v3, 44, 9, 54, 56);
        THREEFISH_ADD_KEY(s + 1)
        THREEFISH_ROUND(v0, v1, v2, v3, v4, v5, v6, v7, 39, 30, 34, 24);
        THREEFISH_ROUND(v2, v1, v4, v7, v6, v5, v0, v3, 13, 50, 10, 17);
        THREEFISH_ROUND(v4, v1, v6, v3, v0, v5, v2, v7, 25, 29, 39, 43);
        THREEFISH_ROUND(v6, v1, v0, v7, v2, v5, v4, v3, 8, 35, 56, 22);
    }
    THREEFISH_ADD_KEY(18)
#undef THREEFISH_ROUND
#undef THREEFISH_ADD_KEY

    const ulonglong2 *from = text + (size_t)i * 4;
    ulonglong2 *to = cipher + (size_t)i * 4;
    const ulonglong2 a = from[0], b = from[1], c = from[2], d = from[3];
    to[0] = make_ulonglong2(a.x ^ v0, a.y ^ v1);
    to[1] = make_ulonglong2(b.x ^ v2, b.y ^ v3);
    to[2] = make_ulonglong2(c.x ^ v4, c.y ^ v5);
    to[3] = make_ulonglong2(d.x ^ v6, d.y ^ v7);
}

struct Complex64 {
    double re, im;
};

__device__ __forceinline__ Complex64 operator+(Complex64 a, Complex64 b) { return {a.re + b.re, a.im + b.im}; }
__device__ __forceinline__ Complex64 operator-(Complex64 a, Complex64 b) { return {a.re - b.re, a.im - b.im}; }
__device__ __forceinline__ Complex64 operator*(double a, Complex64 b) { return {a * b.re, a * b.im}; }
__device__ __forceinline__ Complex64 operator*(Complex64 a, Complex64 b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__device__ __forceinline__ Complex64 operator/(Complex64 a, Complex64 b)
{
    const double scale = 1.0 / (b.re * b.re + b.im * b.im);
    return {(a.re * b.re + a.im * b.im) * scale, (a.im * b.re - a.re * b.im) * scale};
}
__device__ __forceinline__ Complex64 complex_sqrt(Complex64 a)
{
    const double size = sqrt(a.re * a.re + a.im * a.im);
    return {sqrt(0.5 * fmax(size + a.re, 0.0)), copysign(sqrt(0.5 * fmax(size - a.re, 0.0)), a.im)};
}
__device__ __forceinline__ Complex64 complex_exp(Complex64 a)
{
    double s, c;
    sincos(a.im, &s, &c);
    const double size = exp(a.re);
    return {size * c, size * s};
}
__device__ __forceinline__ Complex64 complex_log(Complex64 a)
{
    return {0.5 * log(a.re * a.re + a.im * a.im), atan2(a.im, a.re)};
}

struct HestonModel {
    double spot, rate, variance, reversion, long_variance, vol_of_vol, correlation;
};

__constant__ double c_node[40], c_node_weight[40];

/* kmutate launch
   struct HestonModel { double spot, rate, variance, reversion, long_variance, vol_of_vol, correlation; };
   int options = 60000;
   dim3 grid = { (options + 127) / 128 }, block = { 128 };
   extern double c_node[40] = iota(0.25, 0.5);
   extern double c_node_weight[40] = fill(0.5);
   double2 contract[options] = uniform(0.6, 1.8);
   double price[options] = zeros();
   struct HestonModel model = { 1.0, 0.02, 0.04, 1.5, 0.05, 0.6, -0.7 };
   heston_calls_by_lewis_integral_fp64(contract, price, model, options);
*/
__global__ void heston_calls_by_lewis_integral_fp64(const double2 *__restrict__ contract, double *__restrict__ price,
                                                    HestonModel m, int options)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= options) return;
    const double strike = contract[i].x, maturity = contract[i].y;
    const double money = log(m.spot / strike) + m.rate * maturity;
    const double vol2 = m.vol_of_vol * m.vol_of_vol;
    const double drift = m.reversion * m.long_variance / vol2;

    double sum = 0.0;
    for (int k = 0; k < 40; ++k) {
        const double u = c_node[k];
        const double symbol = u * u + 0.25;
        const Complex64 b = {m.reversion - 0.5 * m.correlation * m.vol_of_vol, -m.correlation * m.vol_of_vol * u};
        const Complex64 d = complex_sqrt(b * b + Complex64{vol2 * symbol, 0.0});
        const Complex64 minus = b - d;
        const Complex64 g = minus / (b + d);
        const Complex64 decay = complex_exp(-maturity * d);
        const Complex64 one = {1.0, 0.0};
        const Complex64 rest = one - g * decay;
        const Complex64 first = drift * (maturity * minus - 2.0 * complex_log(rest / (one - g)));
        const Complex64 second = (m.variance / vol2) * (minus * ((one - decay) / rest));
        const Complex64 phase = {0.0, u * money};
        sum += c_node_weight[k] * complex_exp(first + second + phase).re / symbol;
    }
    const double value = m.spot - sqrt(m.spot * strike) * exp(-0.5 * m.rate * maturity) * sum * 0.31830988618379067;
    price[i] = fmax(value, 0.0);
}

__constant__ float c_forcing[12];

/* kmutate launch
   int width = 1000, height = 900;
   dim3 grid = { (width + 31) / 32, (height + 7) / 8 }, block = { 32, 8 };
   extern float c_forcing[12] = { 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0 };
   float exponent[width * height] = zeros();
   lyapunov_exponents_of_forced_logistic_map(exponent, width, height, 2.5f, 3.4f, 1.5f / 1000, 1.6f / 900, 20, 20);
*/
__global__ void lyapunov_exponents_of_forced_logistic_map(float *__restrict__ exponent, int width, int height, float a0,
                                                          float b0, float da, float db, int settle, int cycles)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    const float a = a0 + px * da;
    const float b = fminf(b0 + py * db, 3.999f);

    float x = 0.5f;
    for (int c = 0; c < settle; ++c)
        for (int k = 0; k < 12; ++k) {
            const float r = c_forcing[k] != 0.f ? a : b;
            x = r * x * (1.f - x);
        }

    float sum = 0.f;
    for (int c = 0; c < cycles; ++c)
        for (int k = 0; k < 12; ++k) {
            const float r = c_forcing[k] != 0.f ? a : b;
            sum += logf(fabsf(r * (1.f - 2.f * x)) + 1e-20f);
            x = r * x * (1.f - x);
        }
    exponent[py * width + px] = sum / (12 * cycles);
}

/* kmutate launch
   int atoms = 1500, angles = 80;
   dim3 grid = { (atoms + 127) / 128, angles }, block = { 128 };
   float4 atom[atoms] = uniform(0, 30);
   float momentum[angles] = iota(0.05, 0.05);
   float width[angles] = uniform(0.01, 0.04);
   float intensity[angles] = zeros();
   debye_scattering_intensity_of_all_atom_pairs(atom, momentum, width, intensity, atoms);
*/
__global__ void debye_scattering_intensity_of_all_atom_pairs(const float4 *__restrict__ atom,
                                                             const float *__restrict__ momentum,
                                                             const float *__restrict__ width,
                                                             float *__restrict__ intensity, int atoms)
{
    __shared__ float4 tile[128];
    __shared__ float partial[4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float q = momentum[blockIdx.y];
    const float falloff = width[blockIdx.y] * q;
    const float4 me = i < atoms ? atom[i] : make_float4(0.f, 0.f, 0.f, 0.f);

    float sum = 0.f;
    for (int start = 0; start < atoms; start += 128) {
        const int j = start + threadIdx.x;
        float4 other = j < atoms ? atom[j] : make_float4(0.f, 0.f, 0.f, 0.f);
        other.w = j < atoms ? other.w * expf(-falloff * other.w) : 0.f;
        tile[threadIdx.x] = other;
        __syncthreads();
        for (int k = 0; k < 128; ++k) {
            const float4 o = tile[k];
            const float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
            const float phase = q * sqrtf(dx * dx + dy * dy + dz * dz);
            sum += phase > 1e-4f ? o.w * sinf(phase) / phase : o.w;
        }
        __syncthreads();
    }
    sum *= i < atoms ? me.w * expf(-falloff * me.w) : 0.f;

    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&intensity[blockIdx.y], partial[0] + partial[1] + partial[2] + partial[3]);
}

/* kmutate launch
   int streams = 1 << 18, services = 24;
   dim3 grid = { streams / 128 }, block = { 128 };
   unsigned int state[16 * streams] = randint(1, 0xffffffffu);
   float time[services * streams] = zeros();
   well512_streams_erlang_service_times(state, time, streams, services, 0.125f);
*/
__global__ void __launch_bounds__(128)
well512_streams_erlang_service_times(unsigned int *__restrict__ state, float *__restrict__ time, int streams,
                                     int services, float mean)
{
    constexpr int SHAPE = 8;
    __shared__ unsigned int s[16][128];
    const int lane = threadIdx.x;
    const int stream = blockIdx.x * blockDim.x + lane;
    if (stream >= streams) return;
    for (int k = 0; k < 16; ++k) s[k][lane] = state[(size_t)k * streams + stream];

    int at = 0;
    for (int n = 0; n < services; ++n) {
        float product = 1.f;
        for (int k = 0; k < SHAPE; ++k) {
            unsigned int a = s[at][lane];
            unsigned int c = s[(at + 13) & 15][lane];
            const unsigned int b = a ^ c ^ (a << 16) ^ (c << 15);
            c = s[(at + 9) & 15][lane];
            c ^= c >> 11;
            a = b ^ c;
            s[at][lane] = a;
            const unsigned int d = a ^ ((a << 5) & 0xda442d24u);
            at = (at + 15) & 15;
            a = s[at][lane];
            a = a ^ b ^ d ^ (a << 2) ^ (b << 18) ^ (c << 28);
            s[at][lane] = a;
            product *= ((a >> 8) + 0.5f) * 5.9604645e-8f;
        }
        time[(size_t)n * streams + stream] = -mean * logf(product);
    }
    // the next call begins at word 0
    for (int k = 0; k < 16; ++k) state[(size_t)k * streams + stream] = s[(at + k) & 15][lane];
}

struct ColourComponent {
    float mean[3];
    float root[6];  // of the inverse covariance, lower triangle
    float log_weight;
};

__constant__ ColourComponent c_component[20];

/* kmutate launch
   int pixels = 3200000;
   dim3 grid = { (pixels + 255) / 256 }, block = { 256 };
   struct ColourComponent { float mean[3]; float root[6]; float log_weight; };
   extern struct ColourComponent c_component[20] = uniform(0.1, 2);
   float red[pixels] = uniform(0, 2), green[pixels] = uniform(0, 2), blue[pixels] = uniform(0, 2);
   unsigned char label[pixels] = zeros();
   float likelihood[pixels] = zeros();
   gaussian_mixture_of_colours_labels_and_likelihood(red, green, blue, label, likelihood, pixels);
*/
__global__ void gaussian_mixture_of_colours_labels_and_likelihood(const float *__restrict__ red,
                                                                  const float *__restrict__ green,
                                                                  const float *__restrict__ blue,
                                                                  unsigned char *__restrict__ label,
                                                                  float *__restrict__ likelihood, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    const float r = red[i], g = green[i], b = blue[i];
    float largest = -INFINITY, sum = 0.f;
    int best = 0;
    for (int k = 0; k < 20; ++k) {
        const ColourComponent &c = c_component[k];
        const float x = r - c.mean[0], y = g - c.mean[1], z = b - c.mean[2];
        const float u = c.root[0] * x;
        const float v = c.root[1] * x + c.root[2] * y;
        const float w = c.root[3] * x + c.root[4] * y + c.root[5] * z;
        const float log_p = c.log_weight - 0.5f * (u * u + v * v + w * w);
        if (log_p > largest) {
            sum = sum * expf(largest - log_p) + 1.f;
            largest = log_p;
            best = k;
        } else {
            sum += expf(log_p - largest);
        }
    }
    label[i] = (unsigned char)best;
    likelihood[i] = largest + logf(sum);
}

/* kmutate launch
   int n = 4096;
   dim3 grid = { n / 32, n / 8 }, block = { 32, 8 };
   half in[n * n * 2] = uniform(0, 1);
   half out[n * n * 2] = zeros();
   gray_scott_half2_tile_with_rim((half2 *)in, (half2 *)out, n, 0.16f, 0.08f, 0.035f, 0.06f);
*/
__global__ void gray_scott_half2_tile_with_rim(const half2 *__restrict__ in, half2 *__restrict__ out, int n,
                                               float diffuse_u, float diffuse_v, float feed, float kill)
{
    __shared__ half2 tile[10][34];
    const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        const int x = (x0 + k % 34 + n) % n, y = (y0 + k / 34 + n) % n;
        tile[k / 34][k % 34] = in[y * n + x];
    }
    __syncthreads();

    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const half2 uv = tile[ty][tx];
    const half2 sides = __hadd2(__hadd2(tile[ty][tx - 1], tile[ty][tx + 1]), __hadd2(tile[ty - 1][tx], tile[ty + 1][tx]));
    const half2 corners = __hadd2(__hadd2(tile[ty - 1][tx - 1], tile[ty - 1][tx + 1]),
                                  __hadd2(tile[ty + 1][tx - 1], tile[ty + 1][tx + 1]));
    half2 spread = __hfma2(sides, __float2half2_rn(0.2f), __hneg2(uv));
    spread = __hfma2(corners, __float2half2_rn(0.05f), spread);

    const half2 v = __high2half2(uv);
    const half2 rate = __hmul2(__low2half2(uv), __hmul2(v, v));
    half2 change = __hmul2(__floats2half2_rn(diffuse_u, diffuse_v), spread);
    change = __hfma2(rate, __floats2half2_rn(-1.f, 1.f), change);
    change = __hfma2(uv, __floats2half2_rn(-feed, -feed - kill), change);
    change = __hadd2(change, __floats2half2_rn(feed, 0.f));
    out[(y0 + ty) * n + x0 + tx] = __hadd2(uv, change);
}

/* kmutate launch
   int points = 3000;
   dim3 grid = { points }, block = { 256 };
   size_t smem = points * sizeof(float);
   float squared[points * points] = uniform(0, 8);
   float affinity[points * points] = zeros();
   float precision[points] = zeros();
   perplexity_bandwidth_search_block_per_row(squared, affinity, precision, points, logf(30.f), 1e-4f);
*/
__global__ void perplexity_bandwidth_search_block_per_row(const float *__restrict__ squared,
                                                          float *__restrict__ affinity, float *__restrict__ precision,
                                                          int points, float wanted, float tolerance)
{
    extern __shared__ float row[];
    __shared__ float2 partial[8];
    const int me = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int j = threadIdx.x; j < points; j += blockDim.x) row[j] = squared[(size_t)me * points + j];
    __syncthreads();

    float beta = 1.f, low = 0.f, high = INFINITY, total = 1.f;
    for (int step = 0; step < 40; ++step) {
        float sum = 0.f, weighted = 0.f;
        for (int j = threadIdx.x; j < points; j += blockDim.x) {
            const float p = j == me ? 0.f : expf(-beta * row[j]);
            sum += p;
            weighted += p * row[j];
        }
        for (int offset = 16; offset > 0; offset >>= 1) {
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
            weighted += __shfl_xor_sync(0xffffffffu, weighted, offset);
        }
        if (lane == 0) partial[warp] = make_float2(sum, weighted);
        __syncthreads();
        sum = weighted = 0.f;
        for (int w = 0; w < 8; ++w) {
            sum += partial[w].x;
            weighted += partial[w].y;
        }
        __syncthreads();

        total = fmaxf(sum, 1e-30f);
        const float excess = logf(total) + beta * weighted / total - wanted;
        if (fabsf(excess) < tolerance) break;
        if (excess > 0.f) {
            low = beta;
            beta = isinf(high) ? 2.f * beta : 0.5f * (beta + high);
        } else {
            high = beta;
            beta = 0.5f * (beta + low);
        }
    }

    const float scale = 1.f / total;
    for (int j = threadIdx.x; j < points; j += blockDim.x)
        affinity[(size_t)me * points + j] = j == me ? 0.f : scale * expf(-beta * row[j]);
    if (threadIdx.x == 0) precision[me] = beta;
}

/* kmutate launch
   int rows = 6000, columns = 1024;
   dim3 grid = { columns / 2 }, block = { 256 };
   double a[columns * rows] = normal();
   int order[columns] = permutation();
   double cosine[columns / 2] = zeros();
   jacobi_svd_rotates_pair_of_columns_fp64(a, (int2 *)order, cosine, rows, 1e-15);
*/
__global__ void jacobi_svd_rotates_pair_of_columns_fp64(double *a, const int2 *__restrict__ order,
                                                        double *__restrict__ cosine, int rows, double tolerance)
{
    __shared__ double pp[256], qq[256], pq[256];
    const int t = threadIdx.x;
    const int2 pair = order[blockIdx.x];
    double *p = a + (size_t)pair.x * rows;
    double *q = a + (size_t)pair.y * rows;

    double sum_pp = 0.0, sum_qq = 0.0, sum_pq = 0.0;
    for (int i = t; i < rows; i += 256) {
        const double x = p[i], y = q[i];
        sum_pp += x * x;
        sum_qq += y * y;
        sum_pq += x * y;
    }
    pp[t] = sum_pp;
    qq[t] = sum_qq;
    pq[t] = sum_pq;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            pp[t] += pp[t + half];
            qq[t] += qq[t + half];
            pq[t] += pq[t + half];
        }
        __syncthreads();
    }

    const double alpha = pp[0], beta = qq[0], gamma = pq[0];
    const double size = sqrt(alpha * beta);
    if (t == 0) cosine[blockIdx.x] = size > 0.0 ? fabs(gamma) / size : 0.0;
    if (fabs(gamma) <= tolerance * size) return;
    const double zeta = (beta - alpha) / (2.0 * gamma);
    const double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = rsqrt(1.0 + tangent * tangent), s = c * tangent;
    for (int i = t; i < rows; i += 256) {
        const double x = p[i], y = q[i];
        p[i] = c * x - s * y;
        q[i] = s * x + c * y;
    }
}

/* kmutate launch
   int chains = 500, steps = 400;
   dim3 grid = { chains }, block = { 256 };
   double place[chains * 256] = normal(0, 0.1);
   double speed[chains * 256] = normal(0, 0.1);
   double kinetic[chains * 256] = zeros();
   fermi_pasta_ulam_chain_block_each_many_steps(place, speed, kinetic, steps, 0.02, 0.25, 0.6);
*/
__global__ void __launch_bounds__(256)
fermi_pasta_ulam_chain_block_each_many_steps(double *__restrict__ place, double *__restrict__ speed,
                                             double *__restrict__ kinetic, int steps, double dt, double alpha,
                                             double beta)
{
    __shared__ double x[2][258];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    double here = place[i], v = speed[i], energy = 0.0;
    if (t < 2) x[t][0] = x[t][257] = 0.0;  // the walls
    x[0][t + 1] = here;
    __syncthreads();

    double force = 0.0;
    for (int step = 0; step <= steps; ++step) {
        const int now = step & 1;
        const double left = here - x[now][t], right = x[now][t + 2] - here;
        force = right - left + alpha * (right * right - left * left) +
                beta * (right * right * right - left * left * left);
        if (step > 0) {
            v += 0.5 * dt * force;
            energy += 0.5 * v * v;
        }
        if (step < steps) {
            v += 0.5 * dt * force;
            here += dt * v;
            x[now ^ 1][t + 1] = here;
            __syncthreads();
        }
    }
    place[i] = here;
    speed[i] = v;
    kinetic[i] = energy / steps;
}

__constant__ unsigned char c_pattern[24];

/* kmutate launch
   int threads = 100000, stretch = 200;
   int length = threads * stretch;
   dim3 grid = { (threads + 255) / 256 }, block = { 256 };
   extern unsigned char c_pattern[24] = randint(97, 123);
   unsigned char text[length] = randint(97, 123);
   int hits[threads] = zeros();
   int first[threads] = zeros();
   approximate_match_bit_parallel_two_errors_by_stretches(text, length, stretch, 24, hits, first, threads);
*/
__global__ void approximate_match_bit_parallel_two_errors_by_stretches(const unsigned char *__restrict__ text,
                                                                       int length, int stretch, int pattern_length,
                                                                       int *__restrict__ hits, int *__restrict__ first,
                                                                       int threads)
{
    __shared__ unsigned int mask[256];
    unsigned int mine = 0;
    for (int k = 0; k < pattern_length; ++k) mine |= (unsigned int)(c_pattern[k] == threadIdx.x) << k;
    mask[threadIdx.x] = mine;
    __syncthreads();

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    const int begin = i * stretch, end = min(begin + stretch, length);
    const int warm = max(begin - (pattern_length + 1), 0);
    const unsigned int accept = 1u << (pattern_length - 1);

    unsigned int r0 = 0u, r1 = 1u, r2 = 3u;
    int found = 0, where = -1;
    for (int at = warm; at < end; ++at) {
        const unsigned int m = mask[text[at]];
        const unsigned int old0 = r0, old1 = r1;
        r0 = (r0 << 1 | 1u) & m;
        r1 = ((r1 << 1 | 1u) & m) | old0 | (old0 | r0) << 1 | 1u;
        r2 = ((r2 << 1 | 1u) & m) | old1 | (old1 | r1) << 1 | 3u;
        if (at >= begin && r2 & accept) {
            if (found == 0) where = at;
            ++found;
        }
    }
    hits[i] = found;
    first[i] = where;
}

__device__ __forceinline__ void cubic_spline_weights(float f, float w[4], float d[4])
{
    const float g = 1.f - f;
    w[0] = g * g * g * (1.f / 6.f);
    w[1] = (3.f * f * f * f - 6.f * f * f + 4.f) * (1.f / 6.f);
    w[2] = (3.f * g * g * g - 6.f * g * g + 4.f) * (1.f / 6.f);
    w[3] = f * f * f * (1.f / 6.f);
    d[0] = -0.5f * g * g;
    d[1] = 1.5f * f * f - 2.f * f;
    d[2] = -1.5f * g * g + 2.f * g;
    d[3] = 0.5f * f * f;
}

/* kmutate launch
   int n = 128, particles = 500000;
   dim3 grid = { (particles + 191) / 192 }, block = { 192 };
   float3 position[particles] = uniform(1, 125.9);
   float coefficient[n * n * n] = normal();
   float4 out[particles] = zeros();
   cubic_spline_field_value_and_gradient_at_particles(position, coefficient, out, n, particles);
*/
__global__ void cubic_spline_field_value_and_gradient_at_particles(const float3 *__restrict__ position,
                                                                   const float *__restrict__ coefficient,
                                                                   float4 *__restrict__ out, int n, int particles)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    const float3 p = position[i];
    const int x = (int)p.x, y = (int)p.y, z = (int)p.z;
    float wx[4], wy[4], wz[4], dx[4], dy[4], dz[4];
    cubic_spline_weights(p.x - x, wx, dx);
    cubic_spline_weights(p.y - y, wy, dy);
    cubic_spline_weights(p.z - z, wz, dz);

    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
    for (int c = 0; c < 4; ++c)
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            const float *row = coefficient + ((size_t)(z - 1 + c) * n + y - 1 + b) * n + x - 1;
            float value = 0.f, slope = 0.f;
#pragma unroll
            for (int a = 0; a < 4; ++a) {
                const float v = row[a];
                value += wx[a] * v;
                slope += dx[a] * v;
            }
            sum.x += wy[b] * wz[c] * slope;
            sum.y += dy[b] * wz[c] * value;
            sum.z += wy[b] * dz[c] * value;
            sum.w += wy[b] * wz[c] * value;
        }
    out[i] = sum;
}

/* kmutate launch
   int tokens = 300000, words = 20000, documents = 4000;
   dim3 grid = { (tokens + 127) / 128 }, block = { 128 };
   int word[tokens] = randint(0, words);
   int document[tokens] = ascending(0, documents);
   int topic[tokens] = randint(0, 64);
   int word_topic[words * 64] = randint(1, 20);
   int document_topic[documents * 64] = randint(1, 6);
   int topic_size[64] = randint(100000, 200000);
   int word_change[words * 64] = zeros();
   int document_change[documents * 64] = zeros();
   topic_of_each_token_drawn_with_count_updates(word, document, topic, word_topic, document_topic, topic_size,
                                                word_change, document_change, tokens, words, 0.1f, 0.01f, 12345u);
*/
__global__ void topic_of_each_token_drawn_with_count_updates(
    const int *__restrict__ word, const int *__restrict__ document, int *__restrict__ topic,
    const int *__restrict__ word_topic, const int *__restrict__ document_topic, const int *__restrict__ topic_size,
    int *__restrict__ word_change, int *__restrict__ document_change, int tokens, int words, float alpha, float beta,
    unsigned int seed)
{
    constexpr int TOPICS = 64;
    __shared__ float inverse_size[TOPICS];
    if (threadIdx.x < TOPICS) inverse_size[threadIdx.x] = 1.f / (topic_size[threadIdx.x] + beta * words);
    __syncthreads();

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens) return;
    const int old = topic[i], w = word[i], d = document[i];
    const int *of_word = word_topic + w * TOPICS;
    const int *of_document = document_topic + d * TOPICS;

    float total = 0.f;
    for (int k = 0; k < TOPICS; ++k) {
        const int self = k == old;
        total += (of_word[k] - self + beta) * (of_document[k] - self + alpha) * inverse_size[k];
    }

    unsigned int h = (unsigned int)i * 0x9e3779b9u ^ seed;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    h ^= h >> 16;
    float left = total * (h >> 8) * 5.9604645e-8f;
    int k = 0;
    for (; k < TOPICS - 1; ++k) {
        const int self = k == old;
        left -= (of_word[k] - self + beta) * (of_document[k] - self + alpha) * inverse_size[k];
        if (left < 0.f) break;
    }

    if (k != old) {
        topic[i] = k;
        atomicSub(&word_change[w * TOPICS + old], 1);
        atomicAdd(&word_change[w * TOPICS + k], 1);
        atomicSub(&document_change[d * TOPICS + old], 1);
        atomicAdd(&document_change[d * TOPICS + k], 1);
    }
}

/* kmutate launch
   int channels = 3000, samples = 4112, segments = 64;
   dim3 grid = { channels / 4, 4 }, block = { 32, 4 };
   float2 iq[channels * samples] = normal();
   float power[4 * channels * 32] = zeros();
   welch_spectrum_of_iq_fft_in_shuffles(iq, power, channels, samples, segments);
*/
__global__ void welch_spectrum_of_iq_fft_in_shuffles(const float2 *__restrict__ iq, float *__restrict__ power,
                                                     int channels, int samples, int segments)
{
    const int lane = threadIdx.x;
    const int channel = blockIdx.x * blockDim.y + threadIdx.y;
    if (channel >= channels) return;
    const float window = 0.5f - 0.5f * cospif((lane + 0.5f) / 16.f);
    float2 turn[5];
#pragma unroll
    for (int s = 0; s < 5; ++s) {
        const int h = 16 >> s;
        if (lane & h)
            sincospif(-(float)(lane & (h - 1)) / h, &turn[s].y, &turn[s].x);
        else
            turn[s] = make_float2(1.f, 0.f);
    }

    const float2 *from = iq + (size_t)channel * samples + (size_t)blockIdx.y * segments * 16 + lane;
    float sum = 0.f;
    for (int k = 0; k < segments; ++k, from += 16) {
        float re = from->x * window, im = from->y * window;
#pragma unroll
        for (int s = 0; s < 5; ++s) {
            const int h = 16 >> s;
            const float sign = lane & h ? -1.f : 1.f;
            const float u = fmaf(sign, re, __shfl_xor_sync(0xffffffffu, re, h));
            const float v = fmaf(sign, im, __shfl_xor_sync(0xffffffffu, im, h));
            re = u * turn[s].x - v * turn[s].y;
            im = u * turn[s].y + v * turn[s].x;
        }
        sum += re * re + im * im;
    }
    const int bin = __brev((unsigned int)lane) >> 27;
    power[((size_t)blockIdx.y * channels + channel) * 32 + bin] = sum / segments;
}
