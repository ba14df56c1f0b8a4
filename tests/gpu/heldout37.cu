#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int n = 10240000;
   dim3 grid = { n / 4 / 256 }, block = { 256 };
   float theta[n] = normal(0, 0.02);
   float ema[n] = normal(0, 0.001);
   float hess[n] = uniform(0, 0.1);
   __nv_bfloat16 grad[n] = normal(0, 0.01);
   int clipped[1] = zeros();
   sophia_clipped_curvature_step(theta, ema, hess, grad, clipped, 0.0002f, 0.965f, 0.04f, 0.1f, 1e-12f, n / 4);
*/
__global__ void sophia_clipped_curvature_step(float *__restrict__ theta, float *__restrict__ ema,
                                              const float *__restrict__ hess, const __nv_bfloat16 *__restrict__ grad,
                                              int *__restrict__ clipped, float lr, float beta, float rho, float decay,
                                              float eps, int quads)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int over = 0;
    if (i < quads) {
        const uint2 raw = reinterpret_cast<const uint2 *>(grad)[i];
        const float2 g01 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162 *>(&raw.x));
        const float2 g23 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162 *>(&raw.y));
        const float g[4] = { g01.x, g01.y, g23.x, g23.y };
        float4 w4 = reinterpret_cast<float4 *>(theta)[i];
        float4 m4 = reinterpret_cast<float4 *>(ema)[i];
        const float4 h4 = reinterpret_cast<const float4 *>(hess)[i];
        float *w = &w4.x, *m = &m4.x;
        const float *h = &h4.x;
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            m[c] = beta * m[c] + (1.f - beta) * g[c];
            const float ratio = m[c] / fmaxf(rho * h[c], eps);
            const float bounded = fminf(1.f, fmaxf(-1.f, ratio));
            over += bounded != ratio;
            w[c] = w[c] * (1.f - lr * decay) - lr * bounded;
        }
        reinterpret_cast<float4 *>(theta)[i] = w4;
        reinterpret_cast<float4 *>(ema)[i] = m4;
    }
    const int total = __reduce_add_sync(0xffffffffu, over);
    if ((threadIdx.x & 31) == 0) atomicAdd(clipped, total);
}

/* kmutate launch
   int batch = 8, steps = 512, channels = 2560;
   dim3 grid = { channels / 32, batch }, block = { 32 };
   float decay[channels] = uniform(-4, 0.5);
   float bonus[channels] = uniform(-1, 1);
   float k[batch * steps * channels] = normal();
   float v[batch * steps * channels] = normal();
   float r[batch * steps * channels] = normal();
   float y[batch * steps * channels] = zeros();
   rwkv_time_mix_channel_scan(decay, bonus, k, v, r, y, steps, channels);
*/
__global__ void rwkv_time_mix_channel_scan(const float *__restrict__ decay, const float *__restrict__ bonus,
                                           const float *__restrict__ k, const float *__restrict__ v,
                                           const float *__restrict__ r, float *__restrict__ y, int steps, int channels)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const float u = bonus[c];
    const float w = -expf(decay[c]);
    const size_t base = (size_t)blockIdx.y * steps * channels + c;
    float num = 0.f, den = 0.f, top = -1e38f;
    for (int t = 0; t < steps; ++t) {
        const size_t at = base + (size_t)t * channels;
        const float kk = k[at], vv = v[at];
        float hi = fmaxf(top, u + kk);
        float a = expf(top - hi), b = expf(u + kk - hi);
        const float gate = 1.f / (1.f + expf(-r[at]));
        y[at] = gate * (a * num + b * vv) / (a * den + b);
        hi = fmaxf(w + top, kk);
        a = expf(w + top - hi);
        b = expf(kk - hi);
        num = a * num + b * vv;
        den = a * den + b;
        top = hi;
    }
}

__device__ __forceinline__ unsigned nearest_e2m1(float x)
{
    const float m = fabsf(x);
    unsigned code = (m > 0.25f) + (m >= 0.75f) + (m > 1.25f) + (m >= 1.75f) + (m > 2.5f) + (m >= 3.5f) + (m > 5.f);
    return code | (x < 0.f ? 8u : 0u);
}

/* kmutate launch
   int n = 8192 * 5120;
   dim3 grid = { n / 8 / 256 }, block = { 256 };
   __nv_bfloat16 in[n] = normal(0, 0.7);
   uint32_t packed[n / 8] = zeros();
   uint8_t scales[n / 32] = zeros();
   mxfp4_encode_groups_of_32(in, packed, scales, n / 8);
*/
__global__ void mxfp4_encode_groups_of_32(const __nv_bfloat16 *__restrict__ in, uint32_t *__restrict__ packed,
                                          uint8_t *__restrict__ scales, int eighths)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= eighths) return;
    const uint4 raw = reinterpret_cast<const uint4 *>(in)[i];
    const __nv_bfloat162 *pairs = reinterpret_cast<const __nv_bfloat162 *>(&raw);
    float x[8];
    float peak = 0.f;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
        const float2 f = __bfloat1622float2(pairs[c]);
        x[2 * c] = f.x;
        x[2 * c + 1] = f.y;
        peak = fmaxf(peak, fmaxf(fabsf(f.x), fabsf(f.y)));
    }
    peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, 1));
    peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, 2));
    int exponent = (int)((__float_as_uint(peak) >> 23) & 255u) - 2;
    exponent = max(1, min(253, exponent));
    const float inverse = __uint_as_float((unsigned)(254 - exponent) << 23);
    uint32_t word = 0;
#pragma unroll
    for (int c = 0; c < 8; ++c) word |= nearest_e2m1(x[c] * inverse) << (4 * c);
    packed[i] = word;
    if ((i & 3) == 0) scales[i >> 2] = (uint8_t)exponent;
}

/* kmutate launch
   int rows = 128, vocab = 50272;
   dim3 grid = { rows }, block = { 512 };
   float logits[rows * vocab] = normal(0, 2.5);
   float top_p[rows] = uniform(0.7, 0.98);
   float temperature[rows] = uniform(0.6, 1.2);
   float draw[rows] = uniform(0, 1);
   int token[rows] = zeros();
   float cut[rows] = zeros();
   nucleus_threshold_bisection_draw(logits, top_p, temperature, draw, token, cut, vocab);
*/
__global__ void __launch_bounds__(512) nucleus_threshold_bisection_draw(
    const float *__restrict__ logits, const float *__restrict__ top_p, const float *__restrict__ temperature,
    const float *__restrict__ draw, int *__restrict__ token, float *__restrict__ cut, int vocab)
{
    __shared__ float part[16];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float *row = logits + (size_t)blockIdx.x * vocab;
    const float heat = 1.f / temperature[blockIdx.x];

    float best = -1e30f;
    for (int i = threadIdx.x; i < vocab; i += 512) best = fmaxf(best, row[i]);
    for (int o = 16; o; o >>= 1) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, o));
    if (lane == 0) part[warp] = best;
    __syncthreads();
    for (int i = 0; i < 16; ++i) best = fmaxf(best, part[i]);
    __syncthreads();

    float low = 0.f, high = 1.f, whole = 0.f, kept = 0.f;
    for (int round = 0; round < 14; ++round) {
        const float mid = round == 0 ? 0.f : 0.5f * (low + high);
        float mass = 0.f;
        for (int i = threadIdx.x; i < vocab; i += 512) {
            const float p = __expf((row[i] - best) * heat);
            mass += p >= mid ? p : 0.f;
        }
        for (int o = 16; o; o >>= 1) mass += __shfl_xor_sync(0xffffffffu, mass, o);
        if (lane == 0) part[warp] = mass;
        __syncthreads();
        mass = 0.f;
        for (int i = 0; i < 16; ++i) mass += part[i];
        __syncthreads();
        if (round == 0) {
            whole = kept = mass;
        } else if (mass >= top_p[blockIdx.x] * whole) {
            low = mid;
            kept = mass;
        } else {
            high = mid;
        }
    }

    float own = 0.f;
    for (int i = threadIdx.x; i < vocab; i += 512) {
        const float p = __expf((row[i] - best) * heat);
        own += p >= low ? p : 0.f;
    }
    float upto = own;
    for (int o = 1; o < 32; o <<= 1) {
        const float before = __shfl_up_sync(0xffffffffu, upto, o);
        if (lane >= o) upto += before;
    }
    if (lane == 31) part[warp] = upto;
    __syncthreads();
    for (int i = 0; i < warp; ++i) upto += part[i];
    const float target = draw[blockIdx.x] * kept;
    if (target >= upto - own && target < upto) {
        float walk = upto - own;
        int chosen = threadIdx.x;
        for (int i = threadIdx.x; i < vocab; i += 512) {
            const float p = __expf((row[i] - best) * heat);
            if (p < low) continue;
            chosen = i;
            walk += p;
            if (walk > target) break;
        }
        token[blockIdx.x] = chosen;
    }
    if (threadIdx.x == 0) cut[blockIdx.x] = low / whole;
}

/* kmutate launch
   int tokens = 24576, heads = 8, pages = tokens / 16;
   dim3 grid = { heads / 4, tokens }, block = { 32, 4, 2 };
   half key[tokens * heads * 128] = normal();
   half value[tokens * heads * 128] = normal();
   int slots[tokens] = permutation();
   int8_t key_cache[pages * 16 * heads * 128] = zeros();
   int8_t value_cache[pages * 16 * heads * 128] = zeros();
   float scales[2 * tokens * heads] = zeros();
   quantise_new_tokens_into_kv_pages(key, value, slots, key_cache, value_cache, scales, heads, tokens);
*/
__global__ void quantise_new_tokens_into_kv_pages(const half *__restrict__ key, const half *__restrict__ value,
                                                  const int *__restrict__ slots, int8_t *__restrict__ key_cache,
                                                  int8_t *__restrict__ value_cache, float *__restrict__ scales,
                                                  int heads, int capacity)
{
    const int lane = threadIdx.x;
    const int head = blockIdx.x * blockDim.y + threadIdx.y;
    const int token = blockIdx.y;
    const int slot = slots[token];
    if (slot < 0) return;
    const half *from = (threadIdx.z ? value : key) + ((size_t)token * heads + head) * 128;
    const uint2 raw = reinterpret_cast<const uint2 *>(from)[lane];
    const float2 a = __half22float2(*reinterpret_cast<const half2 *>(&raw.x));
    const float2 b = __half22float2(*reinterpret_cast<const half2 *>(&raw.y));
    float peak = fmaxf(fmaxf(fabsf(a.x), fabsf(a.y)), fmaxf(fabsf(b.x), fabsf(b.y)));
    for (int o = 16; o; o >>= 1) peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, o));
    const float inverse = peak > 0.f ? 127.f / peak : 0.f;
    const char4 q = make_char4((signed char)__float2int_rn(a.x * inverse), (signed char)__float2int_rn(a.y * inverse),
                               (signed char)__float2int_rn(b.x * inverse), (signed char)__float2int_rn(b.y * inverse));
    const int page = slot >> 4, within = slot & 15;
    if (threadIdx.z) {
        const size_t to = (((size_t)page * heads + head) * 16 + within) * 128 + lane * 4;
        *reinterpret_cast<char4 *>(value_cache + to) = q;
    } else {
        const int part = lane >> 2, inner = (lane & 3) * 4;
        const size_t to = ((((size_t)page * heads + head) * 8 + part) * 16 + within) * 16 + inner;
        *reinterpret_cast<char4 *>(key_cache + to) = q;
    }
    if (lane == 0) scales[((size_t)threadIdx.z * heads + head) * capacity + slot] = peak * (1.f / 127.f);
}

__device__ __forceinline__ float tersoff_cutoff(float r)
{
    if (r < 2.4f) return 1.f;
    return r > 2.9f ? 0.f : 0.5f - 0.5f * __sinf(1.5707963f * (r - 2.65f) * 4.f);
}

/* kmutate launch
   int atoms = 98304, most = 20;
   dim3 grid = { atoms / 128 }, block = { 128 };
   float4 pos[atoms] = uniform(0, 5.6);
   int count[atoms] = randint(8, 21);
   int neighbour[most * atoms] = randint(0, atoms);
   float energy[atoms] = zeros();
   float order[atoms] = zeros();
   tersoff_bond_order_energy(pos, count, neighbour, energy, order, 5.6f, atoms);
*/
__global__ void tersoff_bond_order_energy(const float4 *__restrict__ pos, const int *__restrict__ count,
                                          const int *__restrict__ neighbour, float *__restrict__ energy,
                                          float *__restrict__ order, float box, int atoms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) return;
    const float4 p = pos[i];
    const int n = count[i];
    const float inv_box = 1.f / box;
    float sum = 0.f, bonds = 0.f;
    for (int a = 0; a < n; ++a) {
        const float4 q = pos[neighbour[(size_t)a * atoms + i]];
        float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
        x -= box * rintf(x * inv_box);
        y -= box * rintf(y * inv_box);
        z -= box * rintf(z * inv_box);
        const float r2 = x * x + y * y + z * z;
        if (r2 > 2.9f * 2.9f || r2 < 1e-6f) continue;
        const float inv_r = rsqrtf(r2), r = r2 * inv_r;
        float zeta = 0.f;
        for (int b = 0; b < n; ++b) {
            if (b == a) continue;
            const float4 s = pos[neighbour[(size_t)b * atoms + i]];
            float u = s.x - p.x, v = s.y - p.y, w = s.z - p.z;
            u -= box * rintf(u * inv_box);
            v -= box * rintf(v * inv_box);
            w -= box * rintf(w * inv_box);
            const float t2 = u * u + v * v + w * w;
            if (t2 > 2.9f * 2.9f || t2 < 1e-6f) continue;
            const float inv_t = rsqrtf(t2), t = t2 * inv_t;
            const float cosine = (x * u + y * v + z * w) * inv_r * inv_t;
            const float off = -0.59825f - cosine;
            const float angular = 1.f + 38049.f / 10.6f - 38049.f / (10.6f + off * off);
            const float gap = 1.3258f * (r - t);
            zeta += tersoff_cutoff(t) * angular * __expf(fminf(gap * gap * gap, 20.f));
        }
        const float b_ij = powf(1.f + powf(1.1e-6f * zeta, 0.78734f), -0.63505f);
        const float pair = 1830.8f * __expf(-2.4799f * r) - b_ij * 471.18f * __expf(-1.7322f * r);
        sum += 0.5f * tersoff_cutoff(r) * pair;
        bonds += b_ij;
    }
    energy[i] = sum;
    order[i] = bonds;
}

/* kmutate launch
   int waters = 700000;
   dim3 grid = { (waters + 127) / 128 }, block = { 128 };
   float before[waters * 9] = normal(0, 0.06);
   float after[waters * 9] = normal(0, 0.06);
   float velocity[waters * 9] = normal(0, 0.5);
   settle_rigid_waters(before, after, velocity, waters, 0.888f, 0.0559f, 0.0065f, 0.0521f, 0.0757f, 500.f);
*/
__global__ void settle_rigid_waters(const float *__restrict__ before, float *__restrict__ after,
                                    float *__restrict__ velocity, int waters, float share_o, float share_h, float ra,
                                    float rb, float rc, float inv_dt)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= waters) return;
    const float *o = before + (size_t)m * 9;
    float *w = after + (size_t)m * 9;
    float *vel = velocity + (size_t)m * 9;
    float in[9];
    for (int c = 0; c < 9; ++c) in[c] = w[c];

    const float b0x = o[3] - o[0], b0y = o[4] - o[1], b0z = o[5] - o[2];
    const float c0x = o[6] - o[0], c0y = o[7] - o[1], c0z = o[8] - o[2];
    const float comx = share_o * in[0] + share_h * (in[3] + in[6]);
    const float comy = share_o * in[1] + share_h * (in[4] + in[7]);
    const float comz = share_o * in[2] + share_h * (in[5] + in[8]);
    const float a1x = in[0] - comx, a1y = in[1] - comy, a1z = in[2] - comz;
    const float b1x = in[3] - comx, b1y = in[4] - comy, b1z = in[5] - comz;
    const float c1x = in[6] - comx, c1y = in[7] - comy, c1z = in[8] - comz;

    float nzx = b0y * c0z - b0z * c0y, nzy = b0z * c0x - b0x * c0z, nzz = b0x * c0y - b0y * c0x;
    float nxx = a1y * nzz - a1z * nzy, nxy = a1z * nzx - a1x * nzz, nxz = a1x * nzy - a1y * nzx;
    float nyx = nzy * nxz - nzz * nxy, nyy = nzz * nxx - nzx * nxz, nyz = nzx * nxy - nzy * nxx;
    const float lz = rsqrtf(nzx * nzx + nzy * nzy + nzz * nzz + 1e-20f);
    const float lx = rsqrtf(nxx * nxx + nxy * nxy + nxz * nxz + 1e-20f);
    const float ly = rsqrtf(nyx * nyx + nyy * nyy + nyz * nyz + 1e-20f);
    nzx *= lz; nzy *= lz; nzz *= lz;
    nxx *= lx; nxy *= lx; nxz *= lx;
    nyx *= ly; nyy *= ly; nyz *= ly;

    const float xb0 = nxx * b0x + nxy * b0y + nxz * b0z, yb0 = nyx * b0x + nyy * b0y + nyz * b0z;
    const float xc0 = nxx * c0x + nxy * c0y + nxz * c0z, yc0 = nyx * c0x + nyy * c0y + nyz * c0z;
    const float za1 = nzx * a1x + nzy * a1y + nzz * a1z;
    const float xb1 = nxx * b1x + nxy * b1y + nxz * b1z, yb1 = nyx * b1x + nyy * b1y + nyz * b1z;
    const float zb1 = nzx * b1x + nzy * b1y + nzz * b1z;
    const float xc1 = nxx * c1x + nxy * c1y + nxz * c1z, yc1 = nyx * c1x + nyy * c1y + nyz * c1z;
    const float zc1 = nzx * c1x + nzy * c1y + nzz * c1z;

    const float sinphi = fminf(0.99f, fmaxf(-0.99f, za1 / ra));
    const float cosphi = sqrtf(1.f - sinphi * sinphi);
    const float sinpsi = fminf(0.99f, fmaxf(-0.99f, (zb1 - zc1) / (2.f * rc * cosphi)));
    const float cospsi = sqrtf(1.f - sinpsi * sinpsi);
    const float ya2 = ra * cosphi, xb2 = -rc * cospsi;
    const float t1 = -rb * cosphi, t2 = rc * sinpsi * sinphi;
    const float yb2 = t1 - t2, yc2 = t1 + t2;

    const float alpha = xb2 * (xb0 - xc0) + yb0 * yb2 + yc0 * yc2;
    const float beta = xb2 * (yc0 - yb0) + xb0 * yb2 + xc0 * yc2;
    const float gamma = xb0 * yb1 - xb1 * yb0 + xc0 * yc1 - xc1 * yc0;
    const float norm = alpha * alpha + beta * beta + 1e-20f;
    const float root = sqrtf(fmaxf(norm - gamma * gamma, 0.f));
    const float sinth = fminf(0.99f, fmaxf(-0.99f, (alpha * gamma - beta * root) / norm));
    const float costh = sqrtf(1.f - sinth * sinth);

    const float local[9] = { -ya2 * sinth, ya2 * costh, za1,
                             xb2 * costh - yb2 * sinth, xb2 * sinth + yb2 * costh, zb1,
                             -xb2 * costh - yc2 * sinth, -xb2 * sinth + yc2 * costh, zc1 };
#pragma unroll
    for (int atom = 0; atom < 3; ++atom) {
        const float lxp = local[atom * 3], lyp = local[atom * 3 + 1], lzp = local[atom * 3 + 2];
        const float fx = comx + nxx * lxp + nyx * lyp + nzx * lzp;
        const float fy = comy + nxy * lxp + nyy * lyp + nzy * lzp;
        const float fz = comz + nxz * lxp + nyz * lyp + nzz * lzp;
        vel[atom * 3] += (fx - in[atom * 3]) * inv_dt;
        vel[atom * 3 + 1] += (fy - in[atom * 3 + 1]) * inv_dt;
        vel[atom * 3 + 2] += (fz - in[atom * 3 + 2]) * inv_dt;
        w[atom * 3] = fx;
        w[atom * 3 + 1] = fy;
        w[atom * 3 + 2] = fz;
    }
}

__device__ __forceinline__ uint4 philox_ten_rounds(uint4 c, uint2 key)
{
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        const unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ key.x, l1, h0 ^ c.w ^ key.y, l0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}

/* kmutate launch
   int n = 1500000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   float4 pos[n] = uniform(0, 60);
   float4 vel[n] = normal(0, 0.4);
   float4 force[n] = normal(0, 12);
   float mass[n] = uniform(1, 40);
   int3 image[n] = zeros();
   langevin_baoab_wrap_images(pos, vel, force, mass, image, 0.002f, 0.998f, 0.0632f, 2.494f, 60.f, 77u, 1200u, n);
*/
__global__ void langevin_baoab_wrap_images(float4 *__restrict__ pos, float4 *__restrict__ vel,
                                           const float4 *__restrict__ force, const float *__restrict__ mass,
                                           int3 *__restrict__ image, float dt, float damp, float kick, float kt,
                                           float box, unsigned seed, unsigned step, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], v = vel[i];
    const float4 f = force[i];
    const float inv_mass = 1.f / mass[i];
    const float half_dt = 0.5f * dt;
    v.x += dt * f.x * inv_mass;
    v.y += dt * f.y * inv_mass;
    v.z += dt * f.z * inv_mass;
    p.x += half_dt * v.x;
    p.y += half_dt * v.y;
    p.z += half_dt * v.z;

    const uint4 bits = philox_ten_rounds(make_uint4((unsigned)i, step, 0u, 0u), make_uint2(seed, 0x5eedu));
    const float r0 = sqrtf(-2.f * logf(((float)bits.x + 0.5f) * 2.3283064e-10f));
    const float r1 = sqrtf(-2.f * logf(((float)bits.z + 0.5f) * 2.3283064e-10f));
    float s0, c0;
    sincospif((float)bits.y * 4.6566129e-10f, &s0, &c0);
    const float c1 = cospif((float)bits.w * 4.6566129e-10f);
    const float amplitude = kick * sqrtf(kt * inv_mass);
    v.x = damp * v.x + amplitude * r0 * c0;
    v.y = damp * v.y + amplitude * r0 * s0;
    v.z = damp * v.z + amplitude * r1 * c1;

    p.x += half_dt * v.x;
    p.y += half_dt * v.y;
    p.z += half_dt * v.z;
    int3 cell = image[i];
    const float inv_box = 1.f / box;
    const float kx = floorf(p.x * inv_box), ky = floorf(p.y * inv_box), kz = floorf(p.z * inv_box);
    p.x -= kx * box;
    p.y -= ky * box;
    p.z -= kz * box;
    cell.x += (int)kx;
    cell.y += (int)ky;
    cell.z += (int)kz;
    pos[i] = p;
    vel[i] = v;
    image[i] = cell;
}

/* kmutate launch
   int frames = 400, atoms = 8192, lags = 32;
   dim3 grid = { atoms / 256, lags }, block = { 256 };
   float x[frames * atoms] = normal(0, 3);
   float y[frames * atoms] = normal(0, 3);
   float z[frames * atoms] = normal(0, 3);
   double msd[lags] = zeros();
   float quartic[lags] = zeros();
   displacement_moments_over_lags(x, y, z, msd, quartic, frames, atoms, 2, 4);
*/
__global__ void displacement_moments_over_lags(const float *__restrict__ x, const float *__restrict__ y,
                                               const float *__restrict__ z, double *__restrict__ msd,
                                               float *__restrict__ quartic, int frames, int atoms, int stride,
                                               int spacing)
{
    __shared__ float second[8], fourth[8];
    const int atom = blockIdx.x * blockDim.x + threadIdx.x;
    const int lag = (blockIdx.y + 1) * spacing;
    float s2 = 0.f, s4 = 0.f;
    for (int t = 0; t + lag < frames; t += stride) {
        const size_t from = (size_t)t * atoms + atom, to = (size_t)(t + lag) * atoms + atom;
        const float dx = x[to] - x[from], dy = y[to] - y[from], dz = z[to] - z[from];
        const float d2 = dx * dx + dy * dy + dz * dz;
        s2 += d2;
        s4 += d2 * d2;
    }
    const float origins = (float)((frames - lag + stride - 1) / stride);
    s2 /= origins;
    s4 /= origins;
    for (int o = 16; o; o >>= 1) {
        s2 += __shfl_down_sync(0xffffffffu, s2, o);
        s4 += __shfl_down_sync(0xffffffffu, s4, o);
    }
    if ((threadIdx.x & 31) == 0) {
        second[threadIdx.x >> 5] = s2;
        fourth[threadIdx.x >> 5] = s4;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; ++i) {
            s2 += second[i];
            s4 += fourth[i];
        }
        atomicAdd(msd + blockIdx.y, (double)s2 / atoms);
        atomicAdd(quartic + blockIdx.y, s4 / atoms);
    }
}

__device__ __forceinline__ double2 zmul(double2 a, double2 b)
{
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ double2 zdiv(double2 a, double2 b)
{
    const double s = 1.0 / (b.x * b.x + b.y * b.y);
    return make_double2((a.x * b.x + a.y * b.y) * s, (a.y * b.x - a.x * b.y) * s);
}

__device__ __forceinline__ double2 zexp(double2 a)
{
    double s, c;
    sincos(a.y, &s, &c);
    const double e = exp(a.x);
    return make_double2(e * c, e * s);
}

__device__ __forceinline__ double2 zsqrt(double2 a)
{
    const double r = sqrt(a.x * a.x + a.y * a.y);
    const double re = sqrt(fmax(0.5 * (r + a.x), 0.0));
    return make_double2(re, copysign(sqrt(fmax(0.5 * (r - a.x), 0.0)), a.y));
}

/* kmutate launch
   int sets = 2400;
   dim3 grid = { sets }, block = { 128 };
   double kappa[sets] = uniform(0.5, 3);
   double theta[sets] = uniform(0.02, 0.15);
   double sigma[sets] = uniform(0.2, 0.8);
   double rho[sets] = uniform(-0.8, -0.1);
   double v0[sets] = uniform(0.02, 0.15);
   double expiry[sets] = uniform(0.1, 3);
   double moneyness[128] = ascending(-0.5, 0.5);
   double put[sets * 128] = zeros();
   cosine_series_heston_smiles(kappa, theta, sigma, rho, v0, expiry, moneyness, put, 0.02);
*/
__global__ void __launch_bounds__(128) cosine_series_heston_smiles(
    const double *__restrict__ kappa, const double *__restrict__ theta, const double *__restrict__ sigma,
    const double *__restrict__ rho, const double *__restrict__ v0, const double *__restrict__ expiry,
    const double *__restrict__ moneyness, double *__restrict__ put, double rate)
{
    __shared__ double2 term[128];
    const int set = blockIdx.x, k = threadIdx.x;
    const double kap = kappa[set], the = theta[set], sig = sigma[set], t = expiry[set], v = v0[set];
    const double b = 10.0 * sqrt(t * fmax(the, v) * (1.0 + sig)), a = -b;
    const double unit = 3.14159265358979323846 / (b - a);
    const double u = k * unit;
    const double s2 = sig * sig;

    const double2 xi = make_double2(kap, -sig * rho[set] * u);
    const double2 xx = zmul(xi, xi);
    const double2 d = zsqrt(make_double2(xx.x + s2 * u * u, xx.y + s2 * u));
    const double2 minus = make_double2(xi.x - d.x, xi.y - d.y);
    const double2 g = zdiv(minus, make_double2(xi.x + d.x, xi.y + d.y));
    const double2 e = zexp(make_double2(-d.x * t, -d.y * t));
    const double2 ge = zmul(g, e);
    const double2 low = make_double2(1.0 - ge.x, -ge.y);
    const double2 ratio = zdiv(low, make_double2(1.0 - g.x, -g.y));
    const double2 ln = make_double2(0.5 * log(ratio.x * ratio.x + ratio.y * ratio.y), atan2(ratio.y, ratio.x));
    const double2 dd = zmul(minus, zdiv(make_double2(1.0 - e.x, -e.y), low));
    const double front = kap * the / s2;
    const double2 phi = zexp(make_double2(front * (minus.x * t - 2.0 * ln.x) + dd.x * v / s2,
                                          front * (minus.y * t - 2.0 * ln.y) + dd.y * v / s2 + u * rate * t));

    double sine, cosine;
    sincos(-u * a, &sine, &cosine);
    const double chi = (cosine - exp(a) + u * sine) / (1.0 + u * u);
    const double psi = k == 0 ? -a : sine / u;
    double weight = 2.0 / (b - a) * (psi - chi);
    if (k == 0) weight *= 0.5;
    term[k] = make_double2(phi.x * weight, phi.y * weight);
    __syncthreads();

    const double x = moneyness[k];
    double c1, w1;
    sincos(unit * (x - a), &w1, &c1);
    double c = 1.0, w = 0.0, sum = 0.0;
    for (int i = 0; i < 128; ++i) {
        const double2 z = term[i];
        sum += z.x * c - z.y * w;
        const double next = c * c1 - w * w1;
        w = w * c1 + c * w1;
        c = next;
    }
    put[(size_t)set * 128 + k] = exp(-rate * t - x) * sum;
}

/* kmutate launch
   int trades = 6000, paths = 8192, sets = 800;
   int nnz = csr_nnz(sets, 2, 14);
   dim3 grid = { paths / 256, sets }, block = { 256 };
   float value[trades * paths] = normal(0, 100);
   float rates[12 * paths] = uniform(0.5, 1.5);
   uint8_t currency[trades] = randint(0, 12);
   int first[sets + 1] = csr_rowptr(sets, 2, 14);
   int member[nnz] = csr_colidx(trades);
   float threshold[sets] = uniform(0, 150);
   float exposure[sets * paths] = zeros();
   float expected[sets] = zeros();
   netting_set_exposure_per_path(value, rates, currency, first, member, threshold, exposure, expected, paths);
*/
__global__ void netting_set_exposure_per_path(const float *__restrict__ value, const float *__restrict__ rates,
                                              const uint8_t *__restrict__ currency, const int *__restrict__ first,
                                              const int *__restrict__ member, const float *__restrict__ threshold,
                                              float *__restrict__ exposure, float *__restrict__ expected, int paths)
{
    __shared__ float part[8];
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    const int set = blockIdx.y;
    const int end = first[set + 1];
    float net = 0.f;
    for (int e = first[set]; e < end; ++e) {
        const int trade = member[e];
        const float fx = rates[(size_t)currency[trade] * paths + path];
        net += fx * value[(size_t)trade * paths + path];
    }
    const float limit = threshold[set];
    const float collateral = net > limit ? net - limit : (net < -limit ? net + limit : 0.f);
    float open = fmaxf(net - collateral, 0.f);
    exposure[(size_t)set * paths + path] = open;
    for (int o = 16; o; o >>= 1) open += __shfl_down_sync(0xffffffffu, open, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = open;
    __syncthreads();
    if (threadIdx.x < 8) {
        open = part[threadIdx.x];
        for (int o = 4; o; o >>= 1) open += __shfl_down_sync(0xffu, open, o);
        if (threadIdx.x == 0) atomicAdd(expected + set, open / paths);
    }
}

/* kmutate launch
   int trades = 5000000, symbols = 2800, minutes = 390;
   dim3 grid = { (trades + 255) / 256 }, block = { 256 };
   int millis[trades] = ascending(0, 23400000);
   uint16_t symbol[trades] = randint(0, 2800);
   float price[trades] = uniform(5, 400);
   int size[trades] = randint(1, 2000);
   uint8_t condition[trades] = randint(0, 10);
   double notional[symbols * minutes] = zeros();
   unsigned long long volume[symbols * minutes] = zeros();
   int high[symbols * minutes] = zeros();
   vwap_minute_bars_by_atomics(millis, symbol, price, size, condition, notional, volume, high, minutes, trades);
*/
__global__ void vwap_minute_bars_by_atomics(const int *__restrict__ millis, const uint16_t *__restrict__ symbol,
                                            const float *__restrict__ price, const int *__restrict__ size,
                                            const uint8_t *__restrict__ condition, double *__restrict__ notional,
                                            unsigned long long *__restrict__ volume, int *__restrict__ high,
                                            int minutes, int trades)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= trades) return;
    if (condition[i] == 7) return;
    const int minute = min(minutes - 1, millis[i] / 60000);
    const int bar = symbol[i] * minutes + minute;
    const float p = price[i];
    const int s = size[i];
    atomicAdd(notional + bar, (double)p * s);
    atomicAdd(volume + bar, (unsigned long long)s);
    atomicMax(high + bar, __float_as_int(p));
}

/* kmutate launch
   int frames = 8, w = 1920, h = 1080;
   dim3 grid = { w / 2 / 32, (h / 2 + 7) / 8, frames }, block = { 32, 8 };
   uint8_t luma[frames * w * h] = randint(16, 236);
   uint8_t chroma[frames * w * h / 2] = randint(16, 241);
   half planes[frames * 3 * w * h] = zeros();
   nv12_frames_to_normalised_planes(luma, chroma, planes, w, h, make_float3(0.485f, 0.456f, 0.406f),
                                    make_float3(4.367f, 4.464f, 4.444f));
*/
__global__ void nv12_frames_to_normalised_planes(const uint8_t *__restrict__ luma, const uint8_t *__restrict__ chroma,
                                                 half *__restrict__ planes, int w, int h, float3 mean, float3 gain)
{
    const int cx = blockIdx.x * blockDim.x + threadIdx.x, cy = blockIdx.y * blockDim.y + threadIdx.y;
    if (2 * cx >= w || 2 * cy >= h) return;
    const size_t area = (size_t)w * h;
    const uint8_t *y = luma + blockIdx.z * area;
    const uchar2 uv = reinterpret_cast<const uchar2 *>(chroma + blockIdx.z * (area / 2) + (size_t)cy * w)[cx];
    const float u = (float)uv.x - 128.f, v = (float)uv.y - 128.f;
    const float red = 1.792741f * v, green = -0.213249f * u - 0.532909f * v, blue = 2.112402f * u;
    half *out = planes + blockIdx.z * 3 * area;
#pragma unroll
    for (int line = 0; line < 2; ++line) {
        const size_t at = (size_t)(2 * cy + line) * w + 2 * cx;
        const uchar2 pair = *reinterpret_cast<const uchar2 *>(y + at);
        const float l0 = 1.164384f * ((float)pair.x - 16.f), l1 = 1.164384f * ((float)pair.y - 16.f);
        const float r0 = __saturatef((l0 + red) / 255.f), r1 = __saturatef((l1 + red) / 255.f);
        const float g0 = __saturatef((l0 + green) / 255.f), g1 = __saturatef((l1 + green) / 255.f);
        const float b0 = __saturatef((l0 + blue) / 255.f), b1 = __saturatef((l1 + blue) / 255.f);
        *reinterpret_cast<half2 *>(out + at) = __floats2half2_rn((r0 - mean.x) * gain.x, (r1 - mean.x) * gain.x);
        *reinterpret_cast<half2 *>(out + area + at) =
            __floats2half2_rn((g0 - mean.y) * gain.y, (g1 - mean.y) * gain.y);
        *reinterpret_cast<half2 *>(out + 2 * area + at) =
            __floats2half2_rn((b0 - mean.z) * gain.z, (b1 - mean.z) * gain.z);
    }
}

#define HAZE_R 7
#define HAZE_W (32 + 2 * HAZE_R)

/* kmutate launch
   int w = 3840, h = 2160;
   dim3 grid = { w / 32, (h + 31) / 32 }, block = { 32, 8 };
   uchar4 image[w * h] = randint(20, 256);
   float transmission[w * h] = zeros();
   haze_dark_channel_window15(image, transmission, w, h, make_float3(230.f, 232.f, 236.f), 0.95f);
*/
__global__ void haze_dark_channel_window15(const uchar4 *__restrict__ image, float *__restrict__ transmission, int w,
                                           int h, float3 air, float omega)
{
    __shared__ float darkest[HAZE_W][HAZE_W];
    __shared__ float along[HAZE_W][32];
    const int x0 = blockIdx.x * 32 - HAZE_R, y0 = blockIdx.y * 32 - HAZE_R;
    const float ir = 1.f / air.x, ig = 1.f / air.y, ib = 1.f / air.z;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < HAZE_W * HAZE_W; i += 256) {
        const int ty = i / HAZE_W, tx = i - ty * HAZE_W;
        const int x = min(w - 1, max(0, x0 + tx)), y = min(h - 1, max(0, y0 + ty));
        const uchar4 p = image[(size_t)y * w + x];
        darkest[ty][tx] = fminf(p.x * ir, fminf(p.y * ig, p.z * ib));
    }
    __syncthreads();
    for (int ty = threadIdx.y; ty < HAZE_W; ty += 8) {
        float m = darkest[ty][threadIdx.x];
#pragma unroll
        for (int k = 1; k <= 2 * HAZE_R; ++k) m = fminf(m, darkest[ty][threadIdx.x + k]);
        along[ty][threadIdx.x] = m;
    }
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x;
    for (int ty = threadIdx.y; ty < 32; ty += 8) {
        const int y = blockIdx.y * 32 + ty;
        if (x >= w || y >= h) continue;
        float m = along[ty][threadIdx.x];
#pragma unroll
        for (int k = 1; k <= 2 * HAZE_R; ++k) m = fminf(m, along[ty + k][threadIdx.x]);
        transmission[(size_t)y * w + x] = 1.f - omega * m;
    }
}

/* kmutate launch
   int frames = 4, w = 3840, h = 2160, across = w / 32, down = (h + 31) / 32;
   dim3 grid = { across, down, frames }, block = { 32, 8 };
   uint16_t in[frames * w * h] = randint(64, 941);
   uint16_t out[frames * w * h] = zeros();
   int16_t grain[73 * 82] = randint(-512, 512);
   uint8_t scaling[257] = randint(20, 120);
   uint16_t registers[frames * across * down] = randint(0, 65536);
   film_grain_luma_ten_bit_overlap(in, out, grain, scaling, registers, w, h, 11);
*/
__global__ void film_grain_luma_ten_bit_overlap(const uint16_t *__restrict__ in, uint16_t *__restrict__ out,
                                                const int16_t *__restrict__ grain, const uint8_t *__restrict__ scaling,
                                                const uint16_t *__restrict__ registers, int w, int h, int shift)
{
    __shared__ int table[257];
    const int id = threadIdx.y * 32 + threadIdx.x;
    table[id] = scaling[id];
    if (id == 0) table[256] = scaling[256];
    __syncthreads();
    const uint16_t *regs = registers + (size_t)blockIdx.z * gridDim.x * gridDim.y;
    const int here = blockIdx.y * gridDim.x + blockIdx.x;
    const unsigned own = regs[here];
    const unsigned left = blockIdx.x ? regs[here - 1] : 0u;
    const unsigned above = blockIdx.y ? regs[here - gridDim.x] : 0u;
    const int x = blockIdx.x * 32 + threadIdx.x;
    const size_t plane = (size_t)blockIdx.z * w * h;
    for (int yy = threadIdx.y; yy < 32; yy += 8) {
        const int y = blockIdx.y * 32 + yy, xx = threadIdx.x;
        if (y >= h) break;
        int g = grain[(9 + 2 * (own & 15) + yy) * 82 + 9 + 2 * ((own >> 4) & 15) + xx];
        if (xx < 2 && blockIdx.x > 0) {
            const int old = grain[(9 + 2 * (left & 15) + yy) * 82 + 9 + 2 * ((left >> 4) & 15) + xx + 32];
            g = (xx == 0 ? 27 * old + 17 * g : 17 * old + 27 * g) + 16 >> 5;
            g = max(-512, min(511, g));
        }
        if (yy < 2 && blockIdx.y > 0) {
            const int old = grain[(9 + 2 * (above & 15) + yy + 32) * 82 + 9 + 2 * ((above >> 4) & 15) + xx];
            g = (yy == 0 ? 27 * old + 17 * g : 17 * old + 27 * g) + 16 >> 5;
            g = max(-512, min(511, g));
        }
        const int v = in[plane + (size_t)y * w + x];
        const int base = v >> 2, rest = v & 3;
        const int s = table[base] + ((table[base + 1] - table[base]) * rest + 2 >> 2);
        const int noisy = v + (s * g + (1 << (shift - 1)) >> shift);
        out[plane + (size_t)y * w + x] = (uint16_t)min(940, max(64, noisy));
    }
}

/* kmutate launch
   int rows = 360000, lo = 6, hi = 38;
   int nnz = csr_nnz(rows, lo, hi);
   dim3 grid = { (rows + 127) / 128 }, block = { 128 };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi);
   int colidx[nnz] = csr_colidx(rows);
   double values[nnz] = uniform(-1, 0.2);
   uint8_t strong[nnz] = zeros();
   int strong_count[rows] = zeros();
   int incoming[rows] = zeros();
   amg_strong_couplings_thread_per_row(rowptr, colidx, values, strong, strong_count, incoming, 0.6, rows);
*/
__global__ void amg_strong_couplings_thread_per_row(const int *__restrict__ rowptr, const int *__restrict__ colidx,
                                                    const double *__restrict__ values, uint8_t *__restrict__ strong,
                                                    int *__restrict__ strong_count, int *__restrict__ incoming,
                                                    double fraction, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int begin = rowptr[row], end = rowptr[row + 1];
    double largest = 0.0;
    for (int e = begin; e < end; ++e)
        if (colidx[e] != row) largest = fmax(largest, -values[e]);
    const double limit = fraction * largest;
    int count = 0;
    for (int e = begin; e < end; ++e) {
        const int col = colidx[e];
        const bool keep = col != row && -values[e] > limit;
        strong[e] = keep;
        if (keep) {
            ++count;
            atomicAdd(incoming + col, 1);
        }
    }
    strong_count[row] = count;
}

/* kmutate launch
   int blocks = 900000, brows = 110000;
   dim3 grid = { (blocks + 255) / 256 }, block = { 256 };
   int row[blocks] = ascending(0, 110000);
   int col[blocks] = randint(0, 110000);
   double a[blocks * 9] = normal();
   double x[brows * 3] = normal();
   double y[brows * 3] = zeros();
   elasticity_block_coo_scatter_product(row, col, a, x, y, blocks);
*/
__global__ void elasticity_block_coo_scatter_product(const int *__restrict__ row, const int *__restrict__ col,
                                                     const double *__restrict__ a, const double *__restrict__ x,
                                                     double *__restrict__ y, int blocks)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    const double *m = a + (size_t)i * 9;
    const double *from = x + (size_t)col[i] * 3;
    double *to = y + (size_t)row[i] * 3;
    const double x0 = from[0], x1 = from[1], x2 = from[2];
    atomicAdd(to, m[0] * x0 + m[1] * x1 + m[2] * x2);
    atomicAdd(to + 1, m[3] * x0 + m[4] * x1 + m[5] * x2);
    atomicAdd(to + 2, m[6] * x0 + m[7] * x1 + m[8] * x2);
}

#define XX_P1 0x9E3779B185EBCA87ULL
#define XX_P2 0xC2B2AE3D27D4EB4FULL
#define XX_P3 0x165667B19E3779F9ULL
#define XX_P4 0x85EBCA77C2B2AE63ULL
#define XX_P5 0x27D4EB2F165667C5ULL

__device__ __forceinline__ uint64_t xx_rotate(uint64_t v, int by)
{
    return (v << by) | (v >> (64 - by));
}

__device__ __forceinline__ uint64_t xx_round(uint64_t acc, uint64_t lane)
{
    return xx_rotate(acc + lane * XX_P2, 31) * XX_P1;
}

/* kmutate launch
   int records = 160000, pitch = 384;
   dim3 grid = { (records + 127) / 128 }, block = { 128 };
   uint8_t data[records * pitch] = randint(0, 256);
   int length[records] = randint(48, 385);
   uint64_t digest[records] = zeros();
   xxhash64_of_pitched_records(data, length, digest, pitch, 2026, records);
*/
__global__ void xxhash64_of_pitched_records(const uint8_t *__restrict__ data, const int *__restrict__ length,
                                            uint64_t *__restrict__ digest, int pitch, uint64_t seed, int records)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;
    const uint8_t *p = data + (size_t)i * pitch;
    int left = length[i];
    uint64_t v1 = seed + XX_P1 + XX_P2, v2 = seed + XX_P2, v3 = seed, v4 = seed - XX_P1;
    uint64_t h = seed + XX_P5;
    const uint64_t total = left;
    if (left >= 32) {
        for (; left >= 32; left -= 32, p += 32) {
            const uint64_t *lane = reinterpret_cast<const uint64_t *>(p);
            v1 = xx_round(v1, lane[0]);
            v2 = xx_round(v2, lane[1]);
            v3 = xx_round(v3, lane[2]);
            v4 = xx_round(v4, lane[3]);
        }
        h = xx_rotate(v1, 1) + xx_rotate(v2, 7) + xx_rotate(v3, 12) + xx_rotate(v4, 18);
        h = (h ^ xx_round(0, v1)) * XX_P1 + XX_P4;
        h = (h ^ xx_round(0, v2)) * XX_P1 + XX_P4;
        h = (h ^ xx_round(0, v3)) * XX_P1 + XX_P4;
        h = (h ^ xx_round(0, v4)) * XX_P1 + XX_P4;
    }
    h += total;
    for (; left >= 8; left -= 8, p += 8)
        h = xx_rotate(h ^ xx_round(0, *reinterpret_cast<const uint64_t *>(p)), 27) * XX_P1 + XX_P4;
    if (left >= 4) {
        h = xx_rotate(h ^ (*reinterpret_cast<const uint32_t *>(p) * XX_P1), 23) * XX_P2 + XX_P3;
        left -= 4;
        p += 4;
    }
    for (; left > 0; --left, ++p) h = xx_rotate(h ^ (*p * XX_P5), 11) * XX_P1;
    h = (h ^ (h >> 33)) * XX_P2;
    h = (h ^ (h >> 29)) * XX_P3;
    digest[i] = h ^ (h >> 32);
}

__device__ __forceinline__ unsigned take_bits(const uint32_t *__restrict__ words, int &at, int n)
{
    const int w = at >> 5;
    const unsigned v = __funnelshift_r(words[w], words[w + 1], at & 31);
    at += n;
    return n == 32 ? v : v & ((1u << n) - 1u);
}

/* kmutate launch
   int series = 40000, samples = 128, pitch = 320;
   dim3 grid = { (series + 127) / 128 }, block = { 128 };
   uint32_t stream[series * pitch] = randint(0, 1LL << 32);
   uint64_t first[series] = randint(1LL << 61, 1LL << 62);
   uint64_t out[series * samples] = zeros();
   int used[series] = zeros();
   gorilla_xor_series_decode(stream, first, out, used, pitch, samples, series);
*/
__global__ void gorilla_xor_series_decode(const uint32_t *__restrict__ stream, const uint64_t *__restrict__ first,
                                          uint64_t *__restrict__ out, int *__restrict__ used, int pitch, int samples,
                                          int series)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= series) return;
    const uint32_t *words = stream + (size_t)s * pitch;
    uint64_t *to = out + (size_t)s * samples;
    uint64_t value = first[s];
    to[0] = value;
    int at = 0, leading = 8, meaningful = 40;
    for (int i = 1; i < samples; ++i) {
        if (take_bits(words, at, 1)) {
            if (take_bits(words, at, 1)) {
                leading = (int)take_bits(words, at, 5);
                meaningful = (int)take_bits(words, at, 6) + 1;
                meaningful = min(meaningful, 64 - leading);
            }
            uint64_t bits;
            if (meaningful > 32) {
                const uint64_t low = take_bits(words, at, 32);
                bits = low | (uint64_t)take_bits(words, at, meaningful - 32) << 32;
            } else {
                bits = take_bits(words, at, meaningful);
            }
            value ^= bits << (64 - leading - meaningful);
        }
        to[i] = value;
    }
    used[s] = at;
}

#define GEAR_SEG 128
#define GEAR_WARM 64

/* kmutate launch
   int tiles = 3000, capacity = 262144;
   dim3 grid = { tiles }, block = { 128 };
   uint8_t data[64 + tiles * 16384] = randint(0, 256);
   uint64_t gear[256] = randint(0, 1LL << 62);
   int found[1] = zeros();
   int boundary[capacity] = zeros();
   gear_rolling_hash_chunk_cuts(data, gear, found, boundary, capacity, 0x0000d90003530000ULL);
*/
__global__ void __launch_bounds__(128) gear_rolling_hash_chunk_cuts(
    const uint8_t *__restrict__ data, const uint64_t *__restrict__ gear, int *__restrict__ found,
    int *__restrict__ boundary, int capacity, uint64_t mask)
{
    __shared__ uint64_t table[256];
    __shared__ uint32_t tile[(GEAR_WARM + 128 * GEAR_SEG) / 4 + 130];
    table[threadIdx.x] = gear[threadIdx.x];
    table[threadIdx.x + 128] = gear[threadIdx.x + 128];
    const size_t start = (size_t)blockIdx.x * (128 * GEAR_SEG);
    const uint32_t *words = reinterpret_cast<const uint32_t *>(data + start);
    for (int i = threadIdx.x; i < (GEAR_WARM + 128 * GEAR_SEG) / 4; i += 128) tile[i + (i >> 5)] = words[i];
    __syncthreads();

    uint64_t h = 0;
    const int from = threadIdx.x * (GEAR_SEG / 4);
    for (int i = 0; i < GEAR_WARM / 4; ++i) {
        const uint32_t four = tile[from + i + ((from + i) >> 5)];
        for (int b = 0; b < 4; ++b) h = (h << 1) + table[(four >> (8 * b)) & 255u];
    }
    for (int i = GEAR_WARM / 4; i < (GEAR_WARM + GEAR_SEG) / 4; ++i) {
        const uint32_t four = tile[from + i + ((from + i) >> 5)];
        for (int b = 0; b < 4; ++b) {
            h = (h << 1) + table[(four >> (8 * b)) & 255u];
            if ((h & mask) == 0) {
                const int slot = atomicAdd(found, 1);
                if (slot < capacity) boundary[slot] = (int)(start + (from + i) * 4 + b - GEAR_WARM);
            }
        }
    }
}
