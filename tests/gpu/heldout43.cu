#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float4 unpack_half_pixel(uint2 packed)
{
    const float2 rg = __half22float2(*reinterpret_cast<const half2 *>(&packed.x));
    const float2 ba = __half22float2(*reinterpret_cast<const half2 *>(&packed.y));
    return make_float4(rg.x, rg.y, ba.x, ba.y);
}

__device__ __forceinline__ float well_exposed_weight(float3 c)
{
    const float mean = (c.x + c.y + c.z) * (1.f / 3.f);
    const float dr = c.x - mean, dg = c.y - mean, db = c.z - mean;
    const float saturation = sqrtf((dr * dr + dg * dg + db * db) * (1.f / 3.f));
    const float er = c.x - 0.5f, eg = c.y - 0.5f, eb = c.z - 0.5f;
    return (saturation + 0.02f) * __expf(-12.5f * (er * er + eg * eg + eb * eb)) + 1e-6f;
}

/* kmutate launch
   int w = 4000, h = 3000;
   int pixels = w * h;
   dim3 grid = { (pixels + 255) / 256 }, block = { 256 };
   half under[4 * pixels] = uniform(0, 0.4);
   half middle[4 * pixels] = uniform(0, 1);
   half over[4 * pixels] = uniform(0.3, 1);
   uchar4 fused[pixels] = zeros();
   exposure_fusion_of_three_half_brackets((uint2 *)under, (uint2 *)middle, (uint2 *)over, fused, pixels, 0.45f);
*/
__global__ void exposure_fusion_of_three_half_brackets(const uint2 *__restrict__ under,
                                                       const uint2 *__restrict__ middle,
                                                       const uint2 *__restrict__ over, uchar4 *__restrict__ fused,
                                                       int pixels, float gamma)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    const float4 a = unpack_half_pixel(under[i]);
    const float4 b = unpack_half_pixel(middle[i]);
    const float4 c = unpack_half_pixel(over[i]);
    const float wa = well_exposed_weight(make_float3(a.x, a.y, a.z));
    const float wb = well_exposed_weight(make_float3(b.x, b.y, b.z));
    const float wc = well_exposed_weight(make_float3(c.x, c.y, c.z));
    const float scale = 1.f / (wa + wb + wc);
    const float r = (wa * a.x + wb * b.x + wc * c.x) * scale;
    const float g = (wa * a.y + wb * b.y + wc * c.y) * scale;
    const float l = (wa * a.z + wb * b.z + wc * c.z) * scale;
    fused[i] = make_uchar4((unsigned char)(255.f * __saturatef(__powf(r, gamma)) + 0.5f),
                           (unsigned char)(255.f * __saturatef(__powf(g, gamma)) + 0.5f),
                           (unsigned char)(255.f * __saturatef(__powf(l, gamma)) + 0.5f), 255);
}

struct BookSnapshot {
    int bid_price[5], bid_size[5];
    int ask_price[5], ask_size[5];
    unsigned int sequence, flags, seconds, nanos;
};

/* kmutate launch
   struct BookSnapshot {
       int bid_price[5], bid_size[5];
       int ask_price[5], ask_size[5];
       unsigned int sequence, flags, seconds, nanos;
   };
   int snapshots = 2000000;
   dim3 grid = { (snapshots + 127) / 128 }, block = { 128 };
   int books[24 * snapshots] = randint(1, 5000);
   float4 signals[snapshots] = zeros();
   order_flow_imbalance_from_book_snapshots((struct BookSnapshot *)books, signals, snapshots, 0.6f, 0.01f);
*/
__global__ void order_flow_imbalance_from_book_snapshots(const BookSnapshot *__restrict__ books,
                                                         float4 *__restrict__ signals, int snapshots, float decay,
                                                         float tick)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= snapshots) return;
    const BookSnapshot &now = books[i];
    const BookSnapshot &before = books[i > 0 ? i - 1 : 0];
    float flow = 0.f, bids = 0.f, asks = 0.f, weight = 1.f;
#pragma unroll
    for (int level = 0; level < 5; ++level) {
        const int bp = now.bid_price[level], bp0 = before.bid_price[level];
        const int ap = now.ask_price[level], ap0 = before.ask_price[level];
        const int bs = now.bid_size[level], as = now.ask_size[level];
        const int bid_change = (bp >= bp0 ? bs : 0) - (bp <= bp0 ? before.bid_size[level] : 0);
        const int ask_change = (ap <= ap0 ? as : 0) - (ap >= ap0 ? before.ask_size[level] : 0);
        flow = fmaf(weight, (float)(bid_change - ask_change), flow);
        bids = fmaf(weight, (float)bs, bids);
        asks = fmaf(weight, (float)as, asks);
        weight *= decay;
    }
    const float bid0 = (float)now.bid_price[0] * tick, ask0 = (float)now.ask_price[0] * tick;
    const float share = bids / (bids + asks);
    signals[i] = make_float4(flow, share, fmaf(share, ask0 - bid0, bid0), ask0 - bid0);
}

/* kmutate launch
   int vertices = 4194304, constraints = vertices / 2;
   dim3 grid = { constraints / 256 }, block = { 256 };
   float4 position[vertices] = uniform(0.1, 1);
   int ends[vertices] = permutation();
   float rest[constraints] = uniform(0.2, 0.6);
   float lambda[constraints] = zeros();
   xpbd_stretch_constraints_of_one_colour(position, (int2 *)ends, rest, lambda, constraints, 1e-4f);
*/
__global__ void xpbd_stretch_constraints_of_one_colour(float4 *__restrict__ position, const int2 *__restrict__ ends,
                                                       const float *__restrict__ rest, float *__restrict__ lambda,
                                                       int constraints, float compliance)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= constraints) return;
    // Constraints of one colour share no vertex; w holds the inverse mass.
    const int2 e = ends[c];
    float4 p = position[e.x], q = position[e.y];
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    const float length = sqrtf(dx * dx + dy * dy + dz * dz);
    const float mass = p.w + q.w;
    if (length < 1e-7f || mass == 0.f) return;
    const float old = lambda[c];
    const float step = (rest[c] - length - compliance * old) / (mass + compliance);
    const float s = step / length;
    p.x += p.w * s * dx;
    p.y += p.w * s * dy;
    p.z += p.w * s * dz;
    q.x -= q.w * s * dx;
    q.y -= q.w * s * dy;
    q.z -= q.w * s * dz;
    position[e.x] = p;
    position[e.y] = q;
    lambda[c] = old + step;
}

/* kmutate launch
   int channels = 64, partitions = 256, bins = 1024;
   dim3 grid = { bins / 128, channels }, block = { 128 };
   float2 history[channels * partitions * bins] = normal();
   float2 response[channels * partitions * bins] = normal(0, 0.1);
   float2 mixed[channels * bins] = zeros();
   partitioned_convolution_spectra_accumulate(history, response, mixed, partitions, bins, 77);
*/
__global__ void partitioned_convolution_spectra_accumulate(const float2 *__restrict__ history,
                                                           const float2 *__restrict__ response,
                                                           float2 *__restrict__ mixed, int partitions, int bins,
                                                           int newest)
{
    const int bin = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t channel = (size_t)blockIdx.y * partitions * bins;
    const float2 *x = history + channel + bin;
    const float2 *h = response + channel + bin;
    float re = 0.f, im = 0.f;
#pragma unroll 4
    for (int p = 0; p < partitions; ++p) {
        const int slot = newest >= p ? newest - p : newest - p + partitions;
        const float2 a = x[(size_t)slot * bins];
        const float2 b = h[(size_t)p * bins];
        re += a.x * b.x - a.y * b.y;
        im += a.x * b.y + a.y * b.x;
    }
    mixed[(size_t)blockIdx.y * bins + bin] = make_float2(re, im);
}

__device__ __forceinline__ void collide_d2q9_and_push(const float *__restrict__ f, float *__restrict__ next, size_t cells,
                                                      size_t at, const size_t *to, float rho, float ux, float uy,
                                                      float omega)
{
    const float square = 1.f - 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const int ex = k == 0 ? 0 : k < 5 ? (k == 1) - (k == 3) : (k == 5 || k == 8) ? 1 : -1;
        const int ey = k == 0 ? 0 : k < 5 ? (k == 2) - (k == 4) : (k == 5 || k == 6) ? 1 : -1;
        const float weight = k == 0 ? 4.f / 9.f : k < 5 ? 1.f / 9.f : 1.f / 36.f;
        const float eu = 3.f * (ex * ux + ey * uy);
        const float equilibrium = weight * rho * (square + eu + 0.5f * eu * eu);
        const float old = f[k * cells + at];
        next[k * cells + to[k]] = old + omega * (equilibrium - old);
    }
}

/* kmutate launch
   int nx = 2048, ny = 1024;
   int cells = nx * ny;
   dim3 grid = { nx / 128, ny }, block = { 128 };
   float oil[9 * cells] = uniform(0.05, 0.15);
   float water[9 * cells] = uniform(0.05, 0.15);
   float rho_oil[cells] = uniform(0.4, 1.4), rho_water[cells] = uniform(0.4, 1.4);
   float next_oil[9 * cells] = zeros(), next_water[9 * cells] = zeros();
   shan_chen_two_fluids_collide_and_push(oil, water, rho_oil, rho_water, next_oil, next_water, nx, ny, 0.9f, 1.1f, 0.8f);
*/
__global__ void shan_chen_two_fluids_collide_and_push(const float *__restrict__ oil, const float *__restrict__ water,
                                                      const float *__restrict__ rho_oil,
                                                      const float *__restrict__ rho_water,
                                                      float *__restrict__ next_oil, float *__restrict__ next_water,
                                                      int nx, int ny, float repulsion, float omega_oil,
                                                      float omega_water)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    const int xe = x + 1 < nx ? x + 1 : 0, xw = x > 0 ? x - 1 : nx - 1;
    const int yn = y + 1 < ny ? y + 1 : 0, ys = y > 0 ? y - 1 : ny - 1;
    const size_t cells = (size_t)nx * ny, at = (size_t)y * nx + x;
    const size_t to[9] = { at,
                           (size_t)y * nx + xe,  (size_t)yn * nx + x,  (size_t)y * nx + xw,  (size_t)ys * nx + x,
                           (size_t)yn * nx + xe, (size_t)yn * nx + xw, (size_t)ys * nx + xw, (size_t)ys * nx + xe };
    float ox = 0.f, oy = 0.f, wx = 0.f, wy = 0.f;
    float mox = 0.f, moy = 0.f, mwx = 0.f, mwy = 0.f;
#pragma unroll
    for (int k = 1; k < 9; ++k) {
        const int ex = k < 5 ? (k == 1) - (k == 3) : (k == 5 || k == 8) ? 1 : -1;
        const int ey = k < 5 ? (k == 2) - (k == 4) : (k == 5 || k == 6) ? 1 : -1;
        const float weight = k < 5 ? 1.f / 9.f : 1.f / 36.f;
        const float a = weight * rho_oil[to[k]], b = weight * rho_water[to[k]];
        ox += ex * a;
        oy += ey * a;
        wx += ex * b;
        wy += ey * b;
        const float fo = oil[k * cells + at], fw = water[k * cells + at];
        mox += ex * fo;
        moy += ey * fo;
        mwx += ex * fw;
        mwy += ey * fw;
    }
    const float ro = rho_oil[at], rw = rho_water[at];
    // Common velocity weighted by the relaxation rates, then each fluid's own force shifts it.
    const float inverse = 1.f / (ro * omega_oil + rw * omega_water);
    const float ux = (mox * omega_oil + mwx * omega_water) * inverse;
    const float uy = (moy * omega_oil + mwy * omega_water) * inverse;
    collide_d2q9_and_push(oil, next_oil, cells, at, to, ro, ux - repulsion * wx / omega_oil,
                          uy - repulsion * wy / omega_oil, omega_oil);
    collide_d2q9_and_push(water, next_water, cells, at, to, rw, ux - repulsion * ox / omega_water,
                          uy - repulsion * oy / omega_water, omega_water);
}

__device__ __forceinline__ int sample_eighth_pel(const unsigned short *__restrict__ frame, int w, int h, int x, int y,
                                                 int mx, int my)
{
    const int fx = mx & 7, fy = my & 7;
    const int x0 = min(max(x + (mx >> 3), 0), w - 1), x1 = min(x0 + 1, w - 1);
    const int y0 = min(max(y + (my >> 3), 0), h - 1), y1 = min(y0 + 1, h - 1);
    const unsigned short *r0 = frame + (size_t)y0 * w, *r1 = frame + (size_t)y1 * w;
    const int top = r0[x0] * (8 - fx) + r0[x1] * fx;
    const int bottom = r1[x0] * (8 - fx) + r1[x1] * fx;
    return (top * (8 - fy) + bottom * fy + 32) >> 6;
}

/* kmutate launch
   int w = 7680, h = 4320;
   dim3 grid = { w / 64, h / 4 }, block = { 64, 4 };
   unsigned short past[w * h] = randint(64, 940);
   unsigned short future[w * h] = randint(64, 940);
   short residual[w * h] = randint(-24, 25);
   short4 motion[(w / 16) * (h / 16)] = randint(-256, 256);
   unsigned short picture[w * h] = zeros();
   compound_difference_mask_prediction_ten_bit(past, future, residual, motion, picture, w, h);
*/
__global__ void compound_difference_mask_prediction_ten_bit(const unsigned short *__restrict__ past,
                                                            const unsigned short *__restrict__ future,
                                                            const short *__restrict__ residual,
                                                            const short4 *__restrict__ motion,
                                                            unsigned short *__restrict__ picture, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const short4 mv = motion[(y >> 4) * (w >> 4) + (x >> 4)];
    const int a = sample_eighth_pel(past, w, h, x, y, mv.x, mv.y);
    const int b = sample_eighth_pel(future, w, h, x, y, mv.z, mv.w);
    const int mask = min(38 + (abs(a - b) >> 6), 64);
    const size_t at = (size_t)y * w + x;
    const int value = ((a * mask + b * (64 - mask) + 32) >> 6) + residual[at];
    picture[at] = (unsigned short)min(max(value, 0), 1023);
}

#define RISK_FACTORS 16
#define RISK_RECORD 156
#define RISK_CHUNK 32

/* kmutate launch
   int scenarios = 131072, positions = 192;
   dim3 grid = { scenarios / 256 }, block = { 128 };
   float shocks[RISK_FACTORS * scenarios] = normal(0, 0.02);
   float book[positions * RISK_RECORD] = uniform(-1, 1);
   float losses[scenarios] = zeros();
   delta_gamma_losses_with_premium_floors(shocks, (float4 *)book, losses, scenarios, positions);
*/
// A record of the book: 16 deltas, the upper triangle of the gammas (136), the premium, three words of padding.
__global__ void __launch_bounds__(128)
delta_gamma_losses_with_premium_floors(const float *__restrict__ shocks, const float4 *__restrict__ book,
                                       float *__restrict__ losses, int scenarios, int positions)
{
    __shared__ float4 records[RISK_CHUNK * RISK_RECORD / 4];
    const int s = blockIdx.x * 256 + threadIdx.x;
    float a[RISK_FACTORS], b[RISK_FACTORS];
#pragma unroll
    for (int k = 0; k < RISK_FACTORS; ++k) {
        a[k] = shocks[(size_t)k * scenarios + s];
        b[k] = shocks[(size_t)k * scenarios + s + 128];
    }
    float loss_a = 0.f, loss_b = 0.f;
    for (int first = 0; first < positions; first += RISK_CHUNK) {
        __syncthreads();
        for (int i = threadIdx.x; i < RISK_CHUNK * RISK_RECORD / 4; i += 128)
            records[i] = book[(size_t)first * (RISK_RECORD / 4) + i];
        __syncthreads();
        for (int p = 0; p < RISK_CHUNK; ++p) {
            const float *record = reinterpret_cast<const float *>(records) + p * RISK_RECORD;
            const float *gamma = record + RISK_FACTORS;
            float gain_a = 0.f, gain_b = 0.f;
#pragma unroll
            for (int i = 0; i < RISK_FACTORS; ++i) {
                float slope_a = record[i], slope_b = record[i];
#pragma unroll
                for (int j = i; j < RISK_FACTORS; ++j) {
                    const float g = gamma[i * RISK_FACTORS - i * (i - 1) / 2 + j - i];
                    slope_a = fmaf(g, a[j], slope_a);
                    slope_b = fmaf(g, b[j], slope_b);
                }
                gain_a = fmaf(slope_a, a[i], gain_a);
                gain_b = fmaf(slope_b, b[i], gain_b);
            }
            const float floor_value = -0.1f * fabsf(record[152]);
            loss_a -= fmaxf(gain_a, floor_value);
            loss_b -= fmaxf(gain_b, floor_value);
        }
    }
    losses[s] = loss_a;
    losses[s + 128] = loss_b;
}

__device__ __forceinline__ uint64_t rotate_right_64(uint64_t v, int n) { return (v >> n) | (v << (64 - n)); }

__device__ __forceinline__ void ascon_rounds(uint64_t *s, int rounds)
{
    for (int r = 12 - rounds; r < 12; ++r) {
        s[2] ^= (uint64_t)(((15 - r) << 4) | r);
        s[0] ^= s[4];
        s[4] ^= s[3];
        s[2] ^= s[1];
        const uint64_t t0 = ~s[0] & s[1], t1 = ~s[1] & s[2], t2 = ~s[2] & s[3], t3 = ~s[3] & s[4], t4 = ~s[4] & s[0];
        s[0] ^= t1;
        s[1] ^= t2;
        s[2] ^= t3;
        s[3] ^= t4;
        s[4] ^= t0;
        s[1] ^= s[0];
        s[0] ^= s[4];
        s[3] ^= s[2];
        s[2] = ~s[2];
        s[0] ^= rotate_right_64(s[0], 19) ^ rotate_right_64(s[0], 28);
        s[1] ^= rotate_right_64(s[1], 61) ^ rotate_right_64(s[1], 39);
        s[2] ^= rotate_right_64(s[2], 1) ^ rotate_right_64(s[2], 6);
        s[3] ^= rotate_right_64(s[3], 10) ^ rotate_right_64(s[3], 17);
        s[4] ^= rotate_right_64(s[4], 7) ^ rotate_right_64(s[4], 41);
    }
}

/* kmutate launch
   int records = 262144;
   dim3 grid = { records / 128 }, block = { 128 };
   unsigned long long plain[16 * records] = randint(0, 1ll << 62);
   unsigned long long cipher[16 * records] = zeros();
   ulonglong2 tags[records] = zeros();
   ascon_encrypt_records_of_sixteen_words(plain, cipher, tags, records, 0x0123456789abcdefull, 0xfedcba987654321ull, 42);
*/
__global__ void ascon_encrypt_records_of_sixteen_words(const unsigned long long *__restrict__ plain,
                                                       unsigned long long *__restrict__ cipher,
                                                       ulonglong2 *__restrict__ tags, int records,
                                                       unsigned long long key0, unsigned long long key1,
                                                       unsigned long long session)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;
    uint64_t s[5] = { 0x80400c0600000000ull, key0, key1, session, (uint64_t)i };
    ascon_rounds(s, 12);
    s[3] ^= key0;
    s[4] ^= key1 ^ 1u;
    const unsigned long long *in = plain + (size_t)i * 16;
    unsigned long long *out = cipher + (size_t)i * 16;
    for (int word = 0; word < 16; ++word) {
        s[0] ^= in[word];
        out[word] = s[0];
        ascon_rounds(s, 6);
    }
    s[0] ^= 0x8000000000000000ull;
    s[1] ^= key0;
    s[2] ^= key1;
    ascon_rounds(s, 12);
    tags[i] = make_ulonglong2(s[3] ^ key0, s[4] ^ key1);
}

/* kmutate launch
   int particles = 131072, slots = 48;
   dim3 grid = { particles / 128 }, block = { 128 };
   float4 centre[particles] = uniform(0, 8);
   float4 axis[particles] = normal(0, 0.57);
   int counts[particles] = randint(28, slots + 1);
   int partners[slots * particles] = randint(0, particles);
   float4 force[particles] = zeros(), torque[particles] = zeros();
   gay_berne_forces_and_torques_by_lists(centre, axis, counts, partners, force, torque, particles, 8.f, 4.f, 0.8f, 0.38f);
*/
__global__ void gay_berne_forces_and_torques_by_lists(const float4 *__restrict__ centre,
                                                      const float4 *__restrict__ axis, const int *__restrict__ counts,
                                                      const int *__restrict__ partners, float4 *__restrict__ force,
                                                      float4 *__restrict__ torque, int particles, float box,
                                                      float cutoff, float chi, float chip)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    const float4 ri = centre[i], u = axis[i];
    const int count = counts[i];
    const float inverse_box = 1.f / box, cutoff2 = cutoff * cutoff;
    float fx = 0.f, fy = 0.f, fz = 0.f, tx = 0.f, ty = 0.f, tz = 0.f, energy = 0.f;
    for (int slot = 0; slot < count; ++slot) {
        const int j = partners[(size_t)slot * particles + i];
        const float4 rj = centre[j];
        float dx = ri.x - rj.x, dy = ri.y - rj.y, dz = ri.z - rj.z;
        dx -= box * rintf(dx * inverse_box);
        dy -= box * rintf(dy * inverse_box);
        dz -= box * rintf(dz * inverse_box);
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= cutoff2 || r2 < 1e-6f) continue;
        const float4 v = axis[j];
        const float rinv = rsqrtf(r2), r = r2 * rinv;
        dx *= rinv;
        dy *= rinv;
        dz *= rinv;
        const float a = u.x * dx + u.y * dy + u.z * dz;
        const float b = v.x * dx + v.y * dy + v.z * dz;
        const float c = fminf(fmaxf(u.x * v.x + u.y * v.y + u.z * v.z, -1.f), 1.f);
        const float p = a + b, m = a - b;
        const float sp = p / (1.f + chi * c), sm = m / (1.f - chi * c);
        const float shape = fmaxf(1.f - 0.5f * chi * (p * sp + m * sm), 0.05f);
        const float sigma = rsqrtf(shape);
        const float dsigma = -0.5f * sigma * sigma * sigma;
        const float ep = p / (1.f + chip * c), em = m / (1.f - chip * c);
        const float well = 1.f - 0.5f * chip * (p * ep + m * em);
        const float e1 = rsqrtf(1.f - chi * chi * c * c);
        const float rho = 1.f / fmaxf(r - sigma + 1.f, 0.7f);
        const float rho2 = rho * rho, rho6 = rho2 * rho2 * rho2;
        const float radial = rho6 * rho6 - rho6;
        const float slope = (12.f * rho6 * rho6 - 6.f * rho6) * rho;
        const float scale = 4.f * e1 * well;
        const float du_r = -scale * well * slope;
        const float du_sigma = scale * well * slope * dsigma;
        const float du_well = 2.f * scale * radial;
        const float du_a = du_sigma * -chi * (sp + sm) + du_well * -chip * (ep + em);
        const float du_b = du_sigma * -chi * (sp - sm) + du_well * -chip * (ep - em);
        const float du_c = du_sigma * 0.5f * chi * chi * (sp * sp - sm * sm) +
                           du_well * 0.5f * chip * chip * (ep * ep - em * em) +
                           scale * well * radial * chi * chi * c * e1 * e1;
        fx -= du_r * dx + (du_a * (u.x - a * dx) + du_b * (v.x - b * dx)) * rinv;
        fy -= du_r * dy + (du_a * (u.y - a * dy) + du_b * (v.y - b * dy)) * rinv;
        fz -= du_r * dz + (du_a * (u.z - a * dz) + du_b * (v.z - b * dz)) * rinv;
        const float gx = du_a * dx + du_c * v.x, gy = du_a * dy + du_c * v.y, gz = du_a * dz + du_c * v.z;
        tx -= u.y * gz - u.z * gy;
        ty -= u.z * gx - u.x * gz;
        tz -= u.x * gy - u.y * gx;
        energy += 0.5f * scale * well * radial;
    }
    force[i] = make_float4(fx, fy, fz, energy);
    torque[i] = make_float4(tx, ty, tz, 0.f);
}

/* kmutate launch
   int genes = 18432, samples = 12, steps = 10;
   dim3 grid = { genes / 128, steps }, block = { 128 };
   int counts[samples * genes] = randint(0, 900);
   double fitted[samples * genes] = uniform(5, 900);
   double profile[steps * genes] = zeros();
   negative_binomial_dispersion_profile_fp64(counts, fitted, profile, genes, samples, -4.0, 0.5);
*/
__global__ void negative_binomial_dispersion_profile_fp64(const int *__restrict__ counts,
                                                          const double *__restrict__ fitted,
                                                          double *__restrict__ profile, int genes, int samples,
                                                          double lowest, double spacing)
{
    const int gene = blockIdx.x * blockDim.x + threadIdx.x;
    if (gene >= genes) return;
    const double alpha = exp(lowest + spacing * blockIdx.y);
    const double size = 1.0 / alpha;
    double likelihood = -samples * lgamma(size);
    double information = 0.0;
    for (int s = 0; s < samples; ++s) {
        const double y = (double)counts[(size_t)s * genes + gene];
        const double mu = fitted[(size_t)s * genes + gene];
        const double over = log1p(alpha * mu);
        likelihood += lgamma(y + size) - size * over;
        if (y > 0.0) likelihood += y * (log(alpha * mu) - over);
        information += mu / (1.0 + alpha * mu);
    }
    // Cox-Reid adjustment of the one-column design.
    profile[(size_t)blockIdx.y * genes + gene] = likelihood - 0.5 * log(information);
}

__device__ __forceinline__ float shell_exit_distance(float radius, float cosine, float outer)
{
    return -radius * cosine + sqrtf(fmaxf(outer * outer - radius * radius * (1.f - cosine * cosine), 0.f));
}

/* kmutate launch
   int w = 512, h = 256;
   dim3 grid = { w / 32, h / 4 }, block = { 32, 4 };
   float4 sky[w * h] = zeros();
   sky_view_single_scattering_march(sky, w, h, 6360.2f, 0.35f, 0.76f);
*/
__global__ void sky_view_single_scattering_march(float4 *__restrict__ sky, int w, int h, float eye_radius,
                                                 float sun_height, float anisotropy)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float ground = 6360.f, top = 6460.f;
    // Rows are denser around the horizon.
    const float v = 2.f * (y + 0.5f) / h - 1.f;
    const float view = sinf(copysignf(v * v, v) * 1.5707963f);
    const float flat = sqrtf(1.f - view * view);
    const float azimuth = (x + 0.5f) / w * 6.2831853f;
    const float sun_flat = sqrtf(1.f - sun_height * sun_height);
    const float towards = view * sun_height + flat * sun_flat * cosf(azimuth);

    float length = shell_exit_distance(eye_radius, view, top);
    const float discriminant = ground * ground - eye_radius * eye_radius * (1.f - view * view);
    if (view < 0.f && discriminant > 0.f) length = fminf(length, -eye_radius * view - sqrtf(discriminant));

    const int steps = 32, sun_steps = 8;
    const float ds = length / steps;
    float rayleigh_depth = 0.f, mie_depth = 0.f;
    float3 rayleigh = make_float3(0.f, 0.f, 0.f), mie = make_float3(0.f, 0.f, 0.f);
    for (int i = 0; i < steps; ++i) {
        const float t = (i + 0.5f) * ds;
        const float radius = sqrtf(eye_radius * eye_radius + t * t + 2.f * eye_radius * t * view);
        const float altitude = fmaxf(radius - ground, 0.f);
        const float dr = __expf(altitude * -0.125f) * ds, dm = __expf(altitude * (-1.f / 1.2f)) * ds;
        rayleigh_depth += dr;
        mie_depth += dm;
        const float sun_cosine = (eye_radius * sun_height + t * towards) / radius;
        const float blocked = ground * ground - radius * radius * (1.f - sun_cosine * sun_cosine);
        if (sun_cosine < 0.f && blocked > 0.f) continue;
        const float sun_ds = shell_exit_distance(radius, sun_cosine, top) / sun_steps;
        float sun_rayleigh = 0.f, sun_mie = 0.f;
        for (int k = 0; k < sun_steps; ++k) {
            const float q = (k + 0.5f) * sun_ds;
            const float a = fmaxf(sqrtf(radius * radius + q * q + 2.f * radius * q * sun_cosine) - ground, 0.f);
            sun_rayleigh += __expf(a * -0.125f);
            sun_mie += __expf(a * (-1.f / 1.2f));
        }
        const float tr = rayleigh_depth + sun_rayleigh * sun_ds;
        const float tm = 4.4e-3f * (mie_depth + sun_mie * sun_ds);
        const float red = __expf(-5.802e-3f * tr - tm);
        const float green = __expf(-13.558e-3f * tr - tm);
        const float blue = __expf(-33.1e-3f * tr - tm);
        rayleigh.x += dr * red;
        rayleigh.y += dr * green;
        rayleigh.z += dr * blue;
        mie.x += dm * red;
        mie.y += dm * green;
        mie.z += dm * blue;
    }
    const float g2 = anisotropy * anisotropy;
    const float phase_r = 0.0596831f * (1.f + towards * towards);
    const float phase_m = 0.1193662f * (1.f - g2) * (1.f + towards * towards) /
                          ((2.f + g2) * powf(1.f + g2 - 2.f * anisotropy * towards, 1.5f));
    const float m = 3.996e-3f * phase_m;
    sky[(size_t)y * w + x] = make_float4(5.802e-3f * phase_r * rayleigh.x + m * mie.x,
                                         13.558e-3f * phase_r * rayleigh.y + m * mie.y,
                                         33.1e-3f * phase_r * rayleigh.z + m * mie.z, length);
}

/* kmutate launch
   int w = 4096, h = 3072;
   dim3 grid = { w / 64, h / 16 }, block = { 32, 16 };
   half luma[w * h] = uniform(0, 1), cb[w * h] = uniform(-0.3, 0.3), cr[w * h] = uniform(-0.3, 0.3);
   half cb_out[w * h] = zeros(), cr_out[w * h] = zeros();
   chroma_bilateral_denoise_pairs_half2((half2 *)luma, (half2 *)cb, (half2 *)cr, (half2 *)cb_out, (half2 *)cr_out,
                                        w / 2, h, 40.f, 25.f);
*/
__global__ void chroma_bilateral_denoise_pairs_half2(const half2 *__restrict__ luma, const half2 *__restrict__ cb,
                                                     const half2 *__restrict__ cr, half2 *__restrict__ cb_out,
                                                     half2 *__restrict__ cr_out, int pairs, int h, float luma_slope,
                                                     float chroma_slope)
{
    __shared__ half2 ty[20][34], tb[20][34], tr[20][34];
    const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 2;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 34; i += 512) {
        const int row = i / 34, col = i - row * 34;
        const int x = min(max(x0 + col, 0), pairs - 1), y = min(max(y0 + row, 0), h - 1);
        const size_t at = (size_t)y * pairs + x;
        ty[row][col] = luma[at];
        tb[row][col] = cb[at];
        tr[row][col] = cr[at];
    }
    __syncthreads();
    const half2 ky = __float2half2_rn(-luma_slope), kc = __float2half2_rn(-chroma_slope);
    const half2 y = ty[threadIdx.y + 2][threadIdx.x + 1];
    const half2 b = tb[threadIdx.y + 2][threadIdx.x + 1];
    const half2 r = tr[threadIdx.y + 2][threadIdx.x + 1];
    half2 total = __float2half2_rn(0.f), sum_b = total, sum_r = total;
#pragma unroll
    for (int dy = 0; dy < 5; ++dy) {
        const half2 *py = &ty[threadIdx.y + dy][threadIdx.x];
        const half2 *pb = &tb[threadIdx.y + dy][threadIdx.x];
        const half2 *pr = &tr[threadIdx.y + dy][threadIdx.x];
        const half2 ys[5] = { py[0], __halves2half2(__high2half(py[0]), __low2half(py[1])), py[1],
                              __halves2half2(__high2half(py[1]), __low2half(py[2])), py[2] };
        const half2 bs[5] = { pb[0], __halves2half2(__high2half(pb[0]), __low2half(pb[1])), pb[1],
                              __halves2half2(__high2half(pb[1]), __low2half(pb[2])), pb[2] };
        const half2 rs[5] = { pr[0], __halves2half2(__high2half(pr[0]), __low2half(pr[1])), pr[1],
                              __halves2half2(__high2half(pr[1]), __low2half(pr[2])), pr[2] };
#pragma unroll
        for (int dx = 0; dx < 5; ++dx) {
            const half2 ey = __hsub2(ys[dx], y), eb = __hsub2(bs[dx], b), er = __hsub2(rs[dx], r);
            const half2 colour = __hfma2(er, er, __hmul2(eb, eb));
            const half2 place = __float2half2_rn(-0.18f * ((dx - 2) * (dx - 2) + (dy - 2) * (dy - 2)));
            const half2 weight = h2exp2(__hfma2(ky, __hmul2(ey, ey), __hfma2(kc, colour, place)));
            total = __hadd2(total, weight);
            sum_b = __hfma2(weight, bs[dx], sum_b);
            sum_r = __hfma2(weight, rs[dx], sum_r);
        }
    }
    const half2 scale = h2rcp(total);
    const size_t at = (size_t)(blockIdx.y * 16 + threadIdx.y) * pairs + blockIdx.x * 32 + threadIdx.x;
    cb_out[at] = __hmul2(sum_b, scale);
    cr_out[at] = __hmul2(sum_r, scale);
}

#define PLANE_SUMS 28

/* kmutate launch
   int points = 4194304, map_points = 1000000, blocks = 528;
   dim3 grid = { blocks }, block = { 256 };
   float4 scan[points] = uniform(-40, 40);
   int match[points] = randint(-60000, map_points);
   float4 surface[map_points] = uniform(-40, 40);
   float4 normals[map_points] = normal(0, 0.57);
   float sums[PLANE_SUMS * blocks] = zeros();
   point_to_plane_normal_equations_huber(scan, match, surface, normals, sums, points,
       make_float4(0.999f, -0.02f, 0.01f, 0.3f), make_float4(0.02f, 0.999f, -0.015f, -0.1f),
       make_float4(-0.01f, 0.015f, 0.999f, 0.05f), 2.5f);
*/
__global__ void __launch_bounds__(256)
point_to_plane_normal_equations_huber(const float4 *__restrict__ scan, const int *__restrict__ match,
                                      const float4 *__restrict__ surface, const float4 *__restrict__ normals,
                                      float *__restrict__ sums, int points, float4 row0, float4 row1, float4 row2,
                                      float huber)
{
    __shared__ float part[8][PLANE_SUMS];
    float s[PLANE_SUMS];
#pragma unroll
    for (int k = 0; k < PLANE_SUMS; ++k) s[k] = 0.f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < points; i += gridDim.x * 256) {
        const int j = match[i];
        if (j < 0) continue;
        const float4 p = scan[i];
        const float4 q = surface[j], n = normals[j];
        const float x = row0.x * p.x + row0.y * p.y + row0.z * p.z + row0.w;
        const float y = row1.x * p.x + row1.y * p.y + row1.z * p.z + row1.w;
        const float z = row2.x * p.x + row2.y * p.y + row2.z * p.z + row2.w;
        const float e = n.x * (x - q.x) + n.y * (y - q.y) + n.z * (z - q.z);
        const float weight = fabsf(e) <= huber ? 1.f : huber / fabsf(e);
        const float jac[6] = { y * n.z - z * n.y, z * n.x - x * n.z, x * n.y - y * n.x, n.x, n.y, n.z };
        int at = 0;
#pragma unroll
        for (int a = 0; a < 6; ++a) {
            const float wa = weight * jac[a];
#pragma unroll
            for (int b = a; b < 6; ++b) s[at++] += wa * jac[b];
        }
#pragma unroll
        for (int a = 0; a < 6; ++a) s[21 + a] -= weight * jac[a] * e;
        s[27] += weight * e * e;
    }
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int k = 0; k < PLANE_SUMS; ++k) {
        float v = s[k];
#pragma unroll
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
        if (lane == 0) part[warp][k] = v;
    }
    __syncthreads();
    if (threadIdx.x < PLANE_SUMS) {
        float v = 0.f;
#pragma unroll
        for (int k = 0; k < 8; ++k) v += part[k][threadIdx.x];
        sums[threadIdx.x * gridDim.x + blockIdx.x] = v;
    }
}

/* kmutate launch
   int nx = 512, ny = 512, levels = 48, pitch = 528, rows = 516;
   dim3 grid = { nx / 32, ny / 8, levels }, block = { 32, 8 };
   double field[levels * rows * pitch] = uniform(250, 300);
   double strength[levels * rows * pitch] = uniform(0.01, 0.03);
   double smooth[levels * rows * pitch] = zeros();
   horizontal_diffusion_flux_limited_fp64(field, strength, smooth, pitch, rows);
*/
__global__ void horizontal_diffusion_flux_limited_fp64(const double *__restrict__ field,
                                                       const double *__restrict__ strength,
                                                       double *__restrict__ smooth, int pitch, int rows)
{
    __shared__ double value[12][36], lap[10][34];
    const size_t level = (size_t)blockIdx.z * rows * pitch;
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    const int thread = threadIdx.y * 32 + threadIdx.x;
    for (int i = thread; i < 12 * 36; i += 256) {
        const int r = i / 36, c = i - r * 36;
        value[r][c] = field[level + (size_t)(y0 + r) * pitch + x0 + c];
    }
    __syncthreads();
    for (int i = thread; i < 10 * 34; i += 256) {
        const int r = i / 34, c = i - r * 34;
        lap[r][c] = 4.0 * value[r + 1][c + 1] -
                    (value[r + 1][c] + value[r + 1][c + 2] + value[r][c + 1] + value[r + 2][c + 1]);
    }
    __syncthreads();
    const int r = threadIdx.y + 2, c = threadIdx.x + 2;
    const double v = value[r][c], l = lap[r - 1][c - 1];
    // A flux along the gradient would sharpen the field: it is cut.
    double west = l - lap[r - 1][c - 2], east = lap[r - 1][c] - l;
    double south = l - lap[r - 2][c - 1], north = lap[r][c - 1] - l;
    if (west * (v - value[r][c - 1]) > 0.0) west = 0.0;
    if (east * (value[r][c + 1] - v) > 0.0) east = 0.0;
    if (south * (v - value[r - 1][c]) > 0.0) south = 0.0;
    if (north * (value[r + 1][c] - v) > 0.0) north = 0.0;
    const size_t at = level + (size_t)(y0 + r) * pitch + x0 + c;
    smooth[at] = v - strength[at] * (east - west + north - south);
}

#define TURBO_WINDOW 48
#define TURBO_WARMUP 16

/* kmutate launch
   int codewords = 256, bits = 6144;
   int windows = codewords * (bits / TURBO_WINDOW);
   dim3 grid = { windows / 16 }, block = { 128 };
   signed char systematic[codewords * bits] = randint(-32, 32);
   signed char parity[codewords * bits] = randint(-32, 32);
   half prior[codewords * bits] = normal(0, 4);
   half extrinsic[codewords * bits] = zeros();
   turbo_max_log_map_windows_eight_lanes(systematic, parity, prior, extrinsic, bits, 0.25f);
*/
// Eight lanes hold the eight states of the rate-1/3 LTE constituent code; a warp decodes four windows.
__global__ void __launch_bounds__(128)
turbo_max_log_map_windows_eight_lanes(const signed char *__restrict__ systematic,
                                      const signed char *__restrict__ parity, const half *__restrict__ prior,
                                      half *__restrict__ extrinsic, int bits, float scale)
{
    __shared__ float forward[TURBO_WINDOW][128];
    const unsigned int all = 0xffffffffu;
    const int state = threadIdx.x & 7;
    const int window = blockIdx.x * 16 + (threadIdx.x >> 3);
    const int per_word = bits / TURBO_WINDOW;
    const int word = window / per_word;
    const int first = (window - word * per_word) * TURBO_WINDOW;
    const size_t base = (size_t)word * bits;
    const int d1 = state >> 2, d2 = (state >> 1) & 1, d3 = state & 1;

    // Into this state: register bits (u^.., p1, p2) = (d1, d2, d3), the bit shifted out is 0 or 1.
    const int from0 = d2 * 4 + d3 * 2;
    const float in_bit = (d1 ^ d3) ? 0.5f : -0.5f;
    const float in_check = (d1 ^ d2) ? 0.5f : -0.5f;
    float alpha = first == 0 && state != 0 ? -1e4f : 0.f;
    for (int t = -TURBO_WARMUP; t < TURBO_WINDOW; ++t) {
        if (t >= 0) forward[t][threadIdx.x] = alpha;
        const int at = max(first + t, 0);
        const float bit = scale * systematic[base + at] + __half2float(prior[base + at]);
        const float check = scale * parity[base + at];
        const float gamma = in_bit * bit + in_check * check;
        const float a0 = __shfl_sync(all, alpha, from0, 8);
        const float a1 = __shfl_sync(all, alpha, from0 + 1, 8);
        const float next = fmaxf(a0 + gamma, a1 - gamma);
        const float reference = __shfl_sync(all, next, 0, 8);
        if (first + t >= 0) alpha = next - reference;
    }

    const int to0 = (d2 ^ d3) * 4 + d1 * 2 + d2;
    const int to1 = to0 ^ 4;
    const float out_check = (d2 ^ d1) ? 0.5f : -0.5f;
    float beta = 0.f;
    for (int t = TURBO_WINDOW + TURBO_WARMUP - 1; t >= 0; --t) {
        const int at = min(first + t, bits - 1);
        const float received = scale * systematic[base + at], known = __half2float(prior[base + at]);
        const float check = scale * parity[base + at];
        const float gamma = 0.5f * (received + known);
        const float zero = __shfl_sync(all, beta, to0, 8) - gamma + out_check * check;
        const float one = __shfl_sync(all, beta, to1, 8) + gamma - out_check * check;
        if (t < TURBO_WINDOW) {
            const float a = forward[t][threadIdx.x];
            float best0 = a + zero, best1 = a + one;
#pragma unroll
            for (int d = 4; d; d >>= 1) {
                best0 = fmaxf(best0, __shfl_xor_sync(all, best0, d));
                best1 = fmaxf(best1, __shfl_xor_sync(all, best1, d));
            }
            if (state == 0) extrinsic[base + at] = __float2half(0.75f * (best1 - best0 - received - known));
        }
        const float next = fmaxf(zero, one);
        const float reference = __shfl_sync(all, next, 0, 8);
        if (first + t < bits) beta = next - reference;
    }
}

/* kmutate launch
   int vertices = 4194304;
   int out_edges = csr_nnz(vertices, 0, 12), in_edges = csr_nnz(vertices, 0, 8);
   dim3 grid = { vertices / 256 }, block = { 256 };
   int out_start[vertices + 1] = csr_rowptr(vertices, 0, 12);
   int out_to[out_edges] = csr_colidx(vertices);
   int in_start[vertices + 1] = csr_rowptr(vertices, 0, 8);
   int in_from[in_edges] = csr_colidx(vertices);
   unsigned char alive[vertices] = randint(0, 3);
   unsigned char still_alive[vertices] = zeros();
   unsigned int removed[1] = zeros();
   strong_components_trim_dead_ends(out_start, out_to, in_start, in_from, alive, still_alive, removed, vertices);
*/
__global__ void strong_components_trim_dead_ends(const int *__restrict__ out_start, const int *__restrict__ out_to,
                                                 const int *__restrict__ in_start, const int *__restrict__ in_from,
                                                 const unsigned char *__restrict__ alive,
                                                 unsigned char *__restrict__ still_alive,
                                                 unsigned int *__restrict__ removed, int vertices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    bool trimmed = false;
    if (v < vertices) {
        const bool lives = alive[v] != 0;
        bool keeps = false;
        if (lives) {
            const int end = out_start[v + 1];
            for (int e = out_start[v]; e < end && !keeps; ++e) {
                const int to = out_to[e];
                keeps = to != v && alive[to] != 0;
            }
            if (keeps) {
                keeps = false;
                const int last = in_start[v + 1];
                for (int e = in_start[v]; e < last && !keeps; ++e) {
                    const int from = in_from[e];
                    keeps = from != v && alive[from] != 0;
                }
            }
        }
        trimmed = lives && !keeps;
        still_alive[v] = keeps ? 1 : 0;
    }
    const unsigned int votes = __ballot_sync(0xffffffffu, trimmed);
    if ((threadIdx.x & 31) == 0 && votes) atomicAdd(removed, (unsigned int)__popc(votes));
}

/* kmutate launch
   int matrices = 4096, n = 192;
   dim3 grid = { matrices / 4 }, block = { 128 };
   double band[matrices * n * 16] = uniform(-1, 1);
   double factor[matrices * n * 16] = zeros();
   banded_cholesky_sliding_window_warp(band, factor, matrices, n, 32.0);
*/
// Half bandwidth 15: a column is its diagonal and the fifteen entries below it. Sixteen columns are in flight.
__global__ void __launch_bounds__(128)
banded_cholesky_sliding_window_warp(const double *__restrict__ band, double *__restrict__ factor, int matrices, int n,
                                    double ridge)
{
    __shared__ double windows[4][16][17];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int matrix = blockIdx.x * 4 + warp;
    if (matrix >= matrices) return;
    double (*win)[17] = windows[warp];
    const double *a = band + (size_t)matrix * n * 16;
    double *l = factor + (size_t)matrix * n * 16;
    const int k = lane & 15, upper = lane >> 4;
    for (int i = lane; i < 256; i += 32) win[i >> 4][i & 15] = a[i];
    __syncwarp();
    for (int j = 0; j < n; ++j) {
        const int slot = j & 15;
        const double ahead = j + 16 < n ? a[(size_t)(j + 16) * 16 + k] : 0.0;
        const double pivot = sqrt(win[slot][0] + ridge);
        const double mine = k == 0 ? pivot : win[slot][k] / pivot;
        __syncwarp();
        if (upper == 0) {
            win[slot][k] = mine;
            l[(size_t)j * 16 + k] = mine;
        }
        __syncwarp();
#pragma unroll
        for (int q = 1 + upper; q < 16; q += 2)
            if (k >= q) win[(slot + q) & 15][k - q] -= win[slot][q] * mine;
        __syncwarp();
        if (upper == 0) win[slot][k] = ahead;
        __syncwarp();
    }
}

__device__ __forceinline__ int count_not_above(const float *__restrict__ sorted, int n, float key)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        const int mid = (lo + hi) >> 1;
        if (sorted[mid] <= key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* kmutate launch
   int features = 2048, treated = 4096, control = 3072;
   dim3 grid = { features }, block = { 256 };
   float left[features * treated] = ascending(0, 1000);
   float right[features * control] = ascending(0, 1000);
   float statistic[features] = zeros(), significance[features] = zeros();
   kolmogorov_smirnov_block_per_feature(left, right, statistic, significance, treated, control);
*/
__global__ void kolmogorov_smirnov_block_per_feature(const float *__restrict__ left, const float *__restrict__ right,
                                                     float *__restrict__ statistic,
                                                     float *__restrict__ significance, int treated, int control)
{
    __shared__ float best[8];
    const float *a = left + (size_t)blockIdx.x * treated;
    const float *b = right + (size_t)blockIdx.x * control;
    const float per_a = 1.f / treated, per_b = 1.f / control;
    float distance = 0.f;
    for (int i = threadIdx.x; i < treated; i += blockDim.x)
        distance = fmaxf(distance, fabsf((i + 1) * per_a - count_not_above(b, control, a[i]) * per_b));
    for (int i = threadIdx.x; i < control; i += blockDim.x)
        distance = fmaxf(distance, fabsf((i + 1) * per_b - count_not_above(a, treated, b[i]) * per_a));
#pragma unroll
    for (int d = 16; d; d >>= 1) distance = fmaxf(distance, __shfl_xor_sync(0xffffffffu, distance, d));
    if ((threadIdx.x & 31) == 0) best[threadIdx.x >> 5] = distance;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) distance = fmaxf(distance, best[k]);
        const float root = sqrtf((float)treated * control / (treated + control));
        const float x = (root + 0.12f + 0.11f / root) * distance;
        float tail = 0.f, sign = 2.f;
        for (int k = 1; k <= 20; ++k, sign = -sign) tail += sign * expf(-2.f * x * x * k * k);
        statistic[blockIdx.x] = distance;
        significance[blockIdx.x] = fminf(fmaxf(tail, 0.f), 1.f);
    }
}

/* kmutate launch
   int w = 8000, h = 6000;
   dim3 grid = { 264 }, block = { 512 };
   unsigned short raw[w * h] = randint(64, 1024);
   unsigned int histogram[64 * 64] = zeros();
   log_chroma_histogram_for_white_balance((ushort2 *)raw, histogram, w / 2, h / 2, 64, 1000);
*/
__global__ void log_chroma_histogram_for_white_balance(const ushort2 *__restrict__ raw,
                                                       unsigned int *__restrict__ histogram, int quads_across,
                                                       int quads_down, int black, int white)
{
    __shared__ unsigned int bins[64 * 64];
    for (int b = threadIdx.x; b < 64 * 64; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    const int quads = quads_across * quads_down;
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += gridDim.x * blockDim.x) {
        const int y = q / quads_across, x = q - y * quads_across;
        const size_t at = (size_t)(2 * y) * quads_across + x;
        const ushort2 rg = raw[at], gb = raw[at + quads_across];
        if (max(max((int)rg.x, (int)rg.y), max((int)gb.x, (int)gb.y)) >= white) continue;
        const float r = (float)max(rg.x - black, 1);
        const float b = (float)max(gb.y - black, 1);
        const float g = (float)max(rg.y + gb.x - 2 * black, 1) * 0.5f;
        const float lg = __log2f(g);
        const int u = (int)(16.f * (lg - __log2f(r)) + 32.f);
        const int v = (int)(16.f * (lg - __log2f(b)) + 32.f);
        if (u < 0 || u > 63 || v < 0 || v > 63) continue;
        atomicAdd(&bins[v * 64 + u], (unsigned int)(r + 2.f * g + b) >> 4);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 64 * 64; b += blockDim.x)
        if (bins[b]) atomicAdd(&histogram[b], bins[b]);
}

#define QAP_SITES 48

/* kmutate launch
   int problems = 264, rounds = 8;
   dim3 grid = { problems }, block = { 256 };
   short flow[problems * QAP_SITES * QAP_SITES] = randint(0, 40);
   short distance[problems * QAP_SITES * QAP_SITES] = randint(1, 60);
   int placed[problems * QAP_SITES] = zeros();
   int gained[problems] = zeros();
   quadratic_assignment_tabu_swaps_block(flow, distance, placed, gained, rounds, 5);
*/
__global__ void __launch_bounds__(256)
quadratic_assignment_tabu_swaps_block(const short *__restrict__ flow, const short *__restrict__ distance,
                                      int *__restrict__ placed, int *__restrict__ gained, int rounds, int tenure)
{
    __shared__ short f[QAP_SITES][QAP_SITES + 2], d[QAP_SITES][QAP_SITES + 2];
    __shared__ short banned[QAP_SITES][QAP_SITES];
    __shared__ int place[QAP_SITES];
    __shared__ int best_gain[8], best_pair[8];
    const size_t base = (size_t)blockIdx.x * QAP_SITES * QAP_SITES;
    for (int i = threadIdx.x; i < QAP_SITES * QAP_SITES; i += 256) {
        const int r = i / QAP_SITES, c = i - r * QAP_SITES;
        const int upper = min(r, c) * QAP_SITES + max(r, c);
        f[r][c] = r == c ? 0 : flow[base + upper];
        d[r][c] = r == c ? 0 : distance[base + upper];
        banned[r][c] = 0;
    }
    if (threadIdx.x < QAP_SITES) place[threadIdx.x] = (threadIdx.x * 5 + blockIdx.x) % QAP_SITES;
    __syncthreads();
    int total = 0;
    for (int round = 1; round <= rounds; ++round) {
        int least = 0x7fffffff, chosen = 1;
        for (int pair = threadIdx.x; pair < QAP_SITES * QAP_SITES; pair += 256) {
            const int i = pair / QAP_SITES, j = pair - i * QAP_SITES;
            if (i >= j) continue;
            const int pi = place[i], pj = place[j];
            if (banned[i][pj] >= round && banned[j][pi] >= round) continue;
            int delta = 0;
            for (int k = 0; k < QAP_SITES; ++k) {
                const int pk = place[k];
                const int change = (f[i][k] - f[j][k]) * (d[pj][pk] - d[pi][pk]);
                delta += (k == i || k == j) ? 0 : change;
            }
            if (delta < least) {
                least = delta;
                chosen = pair;
            }
        }
#pragma unroll
        for (int s = 16; s; s >>= 1) {
            const int other = __shfl_xor_sync(0xffffffffu, least, s);
            const int which = __shfl_xor_sync(0xffffffffu, chosen, s);
            if (other < least || (other == least && which < chosen)) {
                least = other;
                chosen = which;
            }
        }
        if ((threadIdx.x & 31) == 0) {
            best_gain[threadIdx.x >> 5] = least;
            best_pair[threadIdx.x >> 5] = chosen;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int k = 1; k < 8; ++k) {
                if (best_gain[k] < least || (best_gain[k] == least && best_pair[k] < chosen)) {
                    least = best_gain[k];
                    chosen = best_pair[k];
                }
            }
            if (least != 0x7fffffff) {
                const int i = chosen / QAP_SITES, j = chosen - i * QAP_SITES;
                const int pi = place[i], pj = place[j];
                banned[i][pi] = (short)(round + tenure);
                banned[j][pj] = (short)(round + tenure);
                place[i] = pj;
                place[j] = pi;
                total += 2 * least;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x < QAP_SITES) placed[blockIdx.x * QAP_SITES + threadIdx.x] = place[threadIdx.x];
    if (threadIdx.x == 0) gained[blockIdx.x] = total;
}
