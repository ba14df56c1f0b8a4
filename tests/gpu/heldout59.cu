#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>

__device__ __forceinline__ float3 hll_flux(float hl, float ul, float vl, float hr, float ur, float vr, float g)
{
    float cl = sqrtf(g * hl), cr = sqrtf(g * hr);
    float sl = fminf(ul - cl, ur - cr), sr = fmaxf(ul + cl, ur + cr);
    float3 fl = make_float3(hl * ul, hl * ul * ul + 0.5f * g * hl * hl, hl * ul * vl);
    float3 fr = make_float3(hr * ur, hr * ur * ur + 0.5f * g * hr * hr, hr * ur * vr);
    if (sl >= 0.0f) return fl;
    if (sr <= 0.0f) return fr;
    float w = 1.0f / (sr - sl);
    return make_float3((sr * fl.x - sl * fr.x + sl * sr * (hr - hl)) * w,
                       (sr * fl.y - sl * fr.y + sl * sr * (hr * ur - hl * ul)) * w,
                       (sr * fl.z - sl * fr.z + sl * sr * (hr * vr - hl * vl)) * w);
}

/* kmutate launch
   int nx = 2048, ny = 2048;
   dim3 block = { 32, 8 };
   dim3 grid = { (nx + 31) / 32, (ny + 7) / 8 };
   float h[nx * ny] = uniform(0.5, 2.0), hu[nx * ny] = uniform(-1, 1), hv[nx * ny] = uniform(-1, 1);
   float ho[nx * ny] = zeros(), huo[nx * ny] = zeros(), hvo[nx * ny] = zeros();
   shallow_water_hll_step(h, hu, hv, ho, huo, hvo, nx, ny, 0.05f, 9.81f);
*/
// One explicit finite-volume step of the 2D shallow water equations.
__global__ void shallow_water_hll_step(const float *h, const float *hu, const float *hv, float *ho, float *huo,
                                       float *hvo, int nx, int ny, float dtdx, float g)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    int c = y * nx + x;
    int w = y * nx + max(x - 1, 0), e = y * nx + min(x + 1, nx - 1);
    int s = max(y - 1, 0) * nx + x, n = min(y + 1, ny - 1) * nx + x;
    float hc = h[c], uc = hu[c] / hc, vc = hv[c] / hc;
    float hw = h[w], he = h[e], hs = h[s], hn = h[n];
    float3 fw = hll_flux(hw, hu[w] / hw, hv[w] / hw, hc, uc, vc, g);
    float3 fe = hll_flux(hc, uc, vc, he, hu[e] / he, hv[e] / he, g);
    float3 fs = hll_flux(hs, hv[s] / hs, hu[s] / hs, hc, vc, uc, g);
    float3 fn = hll_flux(hc, vc, uc, hn, hv[n] / hn, hu[n] / hn, g);
    ho[c] = hc - dtdx * (fe.x - fw.x + fn.x - fs.x);
    huo[c] = hc * uc - dtdx * (fe.y - fw.y + fn.z - fs.z);
    hvo[c] = hc * vc - dtdx * (fe.z - fw.z + fn.y - fs.y);
}

/* kmutate launch
   int n = 512, k = 384, batch = 24;
   dim3 grid = { n / 64, n / 64, batch };
   dim3 block = { 256 };
   float a[batch * n * k] = uniform(-1, 1);
   float c[batch * n * n] = normal();
   syrk_lower_batched(a, c, n, k, 0.5f, 1.0f);
*/
// C = alpha A A^T + beta C, lower tiles only; the upper blocks leave at once.
__global__ void __launch_bounds__(256) syrk_lower_batched(const float *__restrict__ a, float *__restrict__ c, int n,
                                                          int k, float alpha, float beta)
{
    __shared__ float as[16][68];
    __shared__ float bs[16][68];
    int bi = blockIdx.y, bj = blockIdx.x;
    if (bj > bi) return;
    const float *ab = a + (size_t)blockIdx.z * n * k;
    float *cb = c + (size_t)blockIdx.z * n * n;
    int t = threadIdx.x, tx = t & 15, ty = t >> 4;
    int lr = t >> 2, lk = (t & 3) * 4;
    const float *pa = ab + (size_t)(bi * 64 + lr) * k + lk;
    const float *pb = ab + (size_t)(bj * 64 + lr) * k + lk;
    float acc[4][4] = {};
    float4 ra = *(const float4 *)pa, rb = *(const float4 *)pb;
    for (int k0 = 0; k0 < k; k0 += 16) {
        as[lk][lr] = ra.x; as[lk + 1][lr] = ra.y; as[lk + 2][lr] = ra.z; as[lk + 3][lr] = ra.w;
        bs[lk][lr] = rb.x; bs[lk + 1][lr] = rb.y; bs[lk + 2][lr] = rb.z; bs[lk + 3][lr] = rb.w;
        __syncthreads();
        if (k0 + 16 < k) {
            ra = *(const float4 *)(pa + k0 + 16);
            rb = *(const float4 *)(pb + k0 + 16);
        }
#pragma unroll
        for (int kk = 0; kk < 16; kk++) {
            float4 va = *(const float4 *)&as[kk][ty * 4];
            float4 vb = *(const float4 *)&bs[kk][tx * 4];
            float fa[4] = { va.x, va.y, va.z, va.w }, fb[4] = { vb.x, vb.y, vb.z, vb.w };
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int row = bi * 64 + ty * 4 + i;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int col = bj * 64 + tx * 4 + j;
            if (col <= row) {
                size_t o = (size_t)row * n + col;
                cb[o] = alpha * acc[i][j] + beta * cb[o];
            }
        }
    }
}

/* kmutate launch
   int images = 16, channels = 512, hw = 4096, groups = 32;
   dim3 grid = { groups, images };
   dim3 block = { 512 };
   half x[images * channels * hw] = normal(0.3, 1.2);
   half y[images * channels * hw] = zeros();
   float gamma[channels] = uniform(0.5, 1.5), beta[channels] = uniform(-0.5, 0.5);
   groupnorm_silu_nchw_half(x, y, gamma, beta, channels, hw, groups, 1e-5f);
*/
// A block for a group of channels of an image: statistics first, then normalise and SiLU.
__global__ void groupnorm_silu_nchw_half(const half *__restrict__ x, half *__restrict__ y,
                                         const float *__restrict__ gamma, const float *__restrict__ beta,
                                         int channels, int hw, int groups, float eps)
{
    __shared__ float red[2][32];
    int cpg = channels / groups;
    size_t base = ((size_t)blockIdx.y * channels + (size_t)blockIdx.x * cpg) * hw;
    int vecs = cpg * hw / 8, vec_per_channel = hw / 8;
    const uint4 *src = (const uint4 *)(x + base);
    uint4 *dst = (uint4 *)(y + base);
    float sum = 0.0f, sq = 0.0f;
    for (int i = threadIdx.x; i < vecs; i += blockDim.x) {
        uint4 v = src[i];
        const half2 *hv = (const half2 *)&v;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 f = __half22float2(hv[j]);
            sum += f.x + f.y;
            sq += f.x * f.x + f.y * f.y;
        }
    }
    for (int o = 16; o > 0; o >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
        sq += __shfl_xor_sync(0xffffffffu, sq, o);
    }
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    if (lane == 0) { red[0][warp] = sum; red[1][warp] = sq; }
    __syncthreads();
    sum = lane < warps ? red[0][lane] : 0.0f;
    sq = lane < warps ? red[1][lane] : 0.0f;
    for (int o = 16; o > 0; o >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
        sq += __shfl_xor_sync(0xffffffffu, sq, o);
    }
    float inv_n = 1.0f / (float)(cpg * hw);
    float mean = sum * inv_n;
    float rstd = rsqrtf(fmaxf(sq * inv_n - mean * mean, 0.0f) + eps);
    for (int i = threadIdx.x; i < vecs; i += blockDim.x) {
        int ch = blockIdx.x * cpg + i / vec_per_channel;
        float sc = gamma[ch] * rstd, sh = beta[ch] - mean * sc;
        uint4 v = src[i];
        half2 *hv = (half2 *)&v;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 f = __half22float2(hv[j]);
            f.x = f.x * sc + sh;
            f.y = f.y * sc + sh;
            f.x = f.x / (1.0f + __expf(-f.x));
            f.y = f.y / (1.0f + __expf(-f.y));
            hv[j] = __floats2half2_rn(f.x, f.y);
        }
        dst[i] = v;
    }
}

/* kmutate launch
   int batch = 8, kv_heads = 8, max_len = 4096, splits = 12;
   dim3 grid = { splits, kv_heads, batch };
   dim3 block = { 128 };
   half q[batch * kv_heads * 4 * 128] = normal();
   half kc[batch * kv_heads * max_len * 128] = normal();
   half vc[batch * kv_heads * max_len * 128] = normal();
   int lengths[batch] = randint(900, 4096);
   float part[batch * kv_heads * 4 * splits * 128] = zeros();
   float2 part_ml[batch * kv_heads * 4 * splits] = zeros();
   gqa_decode_split_kv(q, kc, vc, lengths, part, part_ml, kv_heads, max_len, splits, 0.08838835f);
*/
// Four query heads share the keys of one cache head; each warp walks over its own keys.
__global__ void __launch_bounds__(128) gqa_decode_split_kv(const half *__restrict__ q, const half *__restrict__ kc,
    const half *__restrict__ vc, const int *__restrict__ lengths, float *__restrict__ part,
    float2 *__restrict__ part_ml, int kv_heads, int max_len, int splits, float scale)
{
    __shared__ float4 sacc[4][4][32];
    __shared__ float sm[4][4], sl[4][4];
    int split = blockIdx.x, head = blockIdx.y, b = blockIdx.z;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int len = lengths[b];
    int chunk = (len + splits - 1) / splits;
    int beg = split * chunk, end = min(len, beg + chunk);
    size_t hb = (size_t)b * kv_heads + head;
    const uint2 *k2 = (const uint2 *)(kc + hb * max_len * 128);
    const uint2 *v2 = (const uint2 *)(vc + hb * max_len * 128);
    float qr[4][4], acc[4][4], m[4], l[4];
#pragma unroll
    for (int h = 0; h < 4; h++) {
        const half *qp = q + (hb * 4 + h) * 128 + lane * 4;
#pragma unroll
        for (int d = 0; d < 4; d++) { qr[h][d] = __half2float(qp[d]) * scale; acc[h][d] = 0.0f; }
        m[h] = -1e30f;
        l[h] = 0.0f;
    }
    for (int j = beg + warp; j < end; j += 4) {
        uint2 kr = k2[(size_t)j * 32 + lane], vr = v2[(size_t)j * 32 + lane];
        float2 ka = __half22float2(*(half2 *)&kr.x), kb = __half22float2(*(half2 *)&kr.y);
        float2 va = __half22float2(*(half2 *)&vr.x), vb = __half22float2(*(half2 *)&vr.y);
#pragma unroll
        for (int h = 0; h < 4; h++) {
            float s = qr[h][0] * ka.x + qr[h][1] * ka.y + qr[h][2] * kb.x + qr[h][3] * kb.y;
#pragma unroll
            for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
            float mn = fmaxf(m[h], s);
            float corr = __expf(m[h] - mn), p = __expf(s - mn);
            m[h] = mn;
            l[h] = l[h] * corr + p;
            acc[h][0] = acc[h][0] * corr + p * va.x;
            acc[h][1] = acc[h][1] * corr + p * va.y;
            acc[h][2] = acc[h][2] * corr + p * vb.x;
            acc[h][3] = acc[h][3] * corr + p * vb.y;
        }
    }
#pragma unroll
    for (int h = 0; h < 4; h++) {
        sacc[warp][h][lane] = make_float4(acc[h][0], acc[h][1], acc[h][2], acc[h][3]);
        if (lane == 0) { sm[warp][h] = m[h]; sl[warp][h] = l[h]; }
    }
    __syncthreads();
    int h = warp;
    float mx = fmaxf(fmaxf(sm[0][h], sm[1][h]), fmaxf(sm[2][h], sm[3][h]));
    float lsum = 0.0f;
    float4 o = make_float4(0, 0, 0, 0);
    for (int w = 0; w < 4; w++) {
        float f = __expf(sm[w][h] - mx);
        float4 v = sacc[w][h][lane];
        lsum += f * sl[w][h];
        o.x += f * v.x; o.y += f * v.y; o.z += f * v.z; o.w += f * v.w;
    }
    size_t slot = (hb * 4 + h) * splits + split;
    ((float4 *)part)[slot * 32 + lane] = o;
    if (lane == 0) part_ml[slot] = make_float2(mx, lsum);
}

/* kmutate launch
   int n = 1 << 24;
   dim3 grid = { n / 2048 }, block = { 256 };
   __nv_bfloat16 p[n] = normal(0, 0.02);
   __nv_bfloat16 g[n] = normal(0, 0.001);
   signed char mq[n] = randint(-127, 128);
   unsigned char vq[n] = randint(0, 256);
   float mscale[n / 2048] = uniform(0.0005, 0.002);
   float vscale[n / 2048] = uniform(0.0005, 0.002);
   adamw_8bit_state_update(p, g, mq, vq, mscale, vscale, 0.0003f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.4f, 0.3f);
*/
// AdamW with 8-bit moments; each block requantises 2048 of them with a new scale.
__global__ void adamw_8bit_state_update(__nv_bfloat16 *p, const __nv_bfloat16 *__restrict__ g, signed char *mq,
    unsigned char *vq, float *mscale, float *vscale, float lr, float b1, float b2, float eps, float wd, float bc1,
    float bc2)
{
    __shared__ float rm[8], rv[8];
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    uint4 pr = ((const uint4 *)p)[i], gr = ((const uint4 *)g)[i];
    uint2 mr = ((const uint2 *)mq)[i], vr = ((const uint2 *)vq)[i];
    float ms = mscale[blockIdx.x] * (1.0f / 127.0f), vs = vscale[blockIdx.x] * (1.0f / 255.0f);
    float m[8], r[8], am = 0.0f, av = 0.0f;
    __nv_bfloat162 *pp = (__nv_bfloat162 *)&pr;
    const __nv_bfloat162 *gp = (const __nv_bfloat162 *)&gr;
    const signed char *mc = (const signed char *)&mr;
    const unsigned char *vc = (const unsigned char *)&vr;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        float gv = (j & 1) ? __high2float(gp[j / 2]) : __low2float(gp[j / 2]);
        float root = (float)vc[j] * vs;
        m[j] = b1 * ((float)mc[j] * ms) + (1.0f - b1) * gv;
        r[j] = sqrtf(b2 * root * root + (1.0f - b2) * gv * gv);
        am = fmaxf(am, fabsf(m[j]));
        av = fmaxf(av, r[j]);
    }
    float ibc1 = 1.0f / bc1, ibc2 = rsqrtf(bc2);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float2 w = __bfloat1622float2(pp[j]);
        w.x -= lr * (m[2 * j] * ibc1 / (r[2 * j] * ibc2 + eps) + wd * w.x);
        w.y -= lr * (m[2 * j + 1] * ibc1 / (r[2 * j + 1] * ibc2 + eps) + wd * w.y);
        pp[j] = __floats2bfloat162_rn(w.x, w.y);
    }
    ((uint4 *)p)[i] = pr;
    for (int o = 16; o > 0; o >>= 1) {
        am = fmaxf(am, __shfl_xor_sync(0xffffffffu, am, o));
        av = fmaxf(av, __shfl_xor_sync(0xffffffffu, av, o));
    }
    if ((threadIdx.x & 31) == 0) { rm[threadIdx.x >> 5] = am; rv[threadIdx.x >> 5] = av; }
    __syncthreads();
    am = rm[0];
    av = rv[0];
#pragma unroll
    for (int w = 1; w < 8; w++) { am = fmaxf(am, rm[w]); av = fmaxf(av, rv[w]); }
    float qm = 127.0f / fmaxf(am, 1e-20f), qv = 255.0f / fmaxf(av, 1e-20f);
    signed char mo[8];
    unsigned char vo[8];
#pragma unroll
    for (int j = 0; j < 8; j++) {
        mo[j] = (signed char)__float2int_rn(m[j] * qm);
        vo[j] = (unsigned char)min(__float2int_rn(r[j] * qv), 255);
    }
    uint2 om, ov;
    om.x = (mo[0] & 255) | (mo[1] & 255) << 8 | (mo[2] & 255) << 16 | (unsigned)(mo[3] & 255) << 24;
    om.y = (mo[4] & 255) | (mo[5] & 255) << 8 | (mo[6] & 255) << 16 | (unsigned)(mo[7] & 255) << 24;
    ov.x = vo[0] | vo[1] << 8 | vo[2] << 16 | (unsigned)vo[3] << 24;
    ov.y = vo[4] | vo[5] << 8 | vo[6] << 16 | (unsigned)vo[7] << 24;
    ((uint2 *)mq)[i] = om;
    ((uint2 *)vq)[i] = ov;
    if (threadIdx.x == 0) { mscale[blockIdx.x] = am; vscale[blockIdx.x] = av; }
}

__device__ __forceinline__ uint4 philox4x32(uint4 c, unsigned k0, unsigned k1)
{
#pragma unroll
    for (int r = 0; r < 10; r++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

/* kmutate launch
   int paths = 1 << 17, steps = 128;
   dim3 grid = { paths / 256 }, block = { 256 };
   float spot[grid.x] = uniform(80, 120), vol[grid.x] = uniform(0.1, 0.5);
   double payoff[grid.x] = zeros();
   asian_basket_philox(spot, vol, payoff, steps, 100.0f, 0.03f, 1.0f, 20240607u);
*/
// Arithmetic Asian call by Monte Carlo: an underlying for a block, a path for a thread.
__global__ void asian_basket_philox(const float *spot, const float *vol, double *payoff, int steps, float strike,
                                    float rate, float maturity, unsigned seed)
{
    __shared__ double red[8];
    float s0 = spot[blockIdx.x], sigma = vol[blockIdx.x];
    float dt = maturity / (float)steps;
    float drift = (rate - 0.5f * sigma * sigma) * dt, diff = sigma * sqrtf(dt);
    float logs = 0.0f, sum = 0.0f;
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s += 4) {
        uint4 r = philox4x32(make_uint4(path, (unsigned)s, 0u, 0u), seed, 77u);
        float u0 = ((float)r.x + 0.5f) * 2.3283064e-10f, u1 = (float)r.y * 2.3283064e-10f;
        float u2 = ((float)r.z + 0.5f) * 2.3283064e-10f, u3 = (float)r.w * 2.3283064e-10f;
        float ra = sqrtf(-2.0f * __logf(fminf(u0, 0.99999994f))), rb = sqrtf(-2.0f * __logf(fminf(u2, 0.99999994f)));
        float sa, ca, sb, cb;
        __sincosf(6.2831853f * u1, &sa, &ca);
        __sincosf(6.2831853f * u3, &sb, &cb);
        logs += drift + diff * ra * ca; sum += __expf(logs);
        logs += drift + diff * ra * sa; sum += __expf(logs);
        logs += drift + diff * rb * cb; sum += __expf(logs);
        logs += drift + diff * rb * sb; sum += __expf(logs);
    }
    double v = (double)fmaxf(s0 * sum / (float)steps - strike, 0.0f);
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        double t = 0.0;
        for (int w = 0; w < 8; w++) t += red[w];
        payoff[blockIdx.x] = t * exp(-(double)rate * maturity) / 256.0;
    }
}

/* kmutate launch
   int pairs = 6144, hap_len = 256;
   dim3 grid = { pairs / 4 }, block = { 128 };
   unsigned char reads[pairs * 128] = randint(0, 4), quals[pairs * 128] = randint(6, 40);
   unsigned char haps[pairs * hap_len] = randint(0, 4);
   float lik[pairs] = zeros();
   pairhmm_forward_warp(reads, quals, haps, lik, pairs, 0.05f, 0.4f);
*/
// Pair-HMM forward pass: a warp for a pair, four read rows for a lane, columns move along the lanes.
__global__ void __launch_bounds__(128) pairhmm_forward_warp(const unsigned char *__restrict__ reads,
    const unsigned char *__restrict__ quals, const unsigned char *__restrict__ haps, float *__restrict__ lik,
    int pairs, float gap_open, float gap_ext)
{
    __shared__ unsigned char hap[4][256];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int pair = blockIdx.x * 4 + warp;
    if (pair >= pairs) return;
    for (int i = lane; i < 256; i += 32) hap[warp][i] = haps[(size_t)pair * 256 + i];
    __syncwarp();
    uchar4 rd = ((const uchar4 *)reads)[(size_t)pair * 32 + lane];
    uchar4 ql = ((const uchar4 *)quals)[(size_t)pair * 32 + lane];
    int base[4] = { rd.x, rd.y, rd.z, rd.w };
    float err[4] = { exp2f(-0.33219281f * ql.x), exp2f(-0.33219281f * ql.y), exp2f(-0.33219281f * ql.z),
                     exp2f(-0.33219281f * ql.w) };
    float mm = 1.0f - 2.0f * gap_open, gm = 1.0f - gap_ext;
    const float init = 1.0e34f / 256.0f;
    float M[4] = {}, X[4] = {}, Y[4] = {};
    float dm = 0.0f, dx = 0.0f, dy = lane == 0 ? init : 0.0f;
    float result = 0.0f;
    for (int s = 0; s < 256 + 31; s++) {
        float um = __shfl_up_sync(0xffffffffu, M[3], 1);
        float ux = __shfl_up_sync(0xffffffffu, X[3], 1);
        float uy = __shfl_up_sync(0xffffffffu, Y[3], 1);
        if (lane == 0) { um = 0.0f; ux = 0.0f; uy = init; }
        int j = s - lane;
        if (j >= 0 && j < 256) {
            int hb = hap[warp][j];
            float pm = dm, px = dx, py = dy, am = um, ax = ux;
#pragma unroll
            for (int r = 0; r < 4; r++) {
                float prior = base[r] == hb ? 1.0f - err[r] : err[r] * 0.33333333f;
                float om = M[r], ox = X[r], oy = Y[r];
                float nm = prior * (mm * pm + gm * (px + py));
                float nx = am * gap_open + ax * gap_ext;
                float ny = om * gap_open + oy * gap_ext;
                pm = om; px = ox; py = oy;
                am = nm; ax = nx;
                M[r] = nm; X[r] = nx; Y[r] = ny;
            }
            dm = um; dx = ux; dy = uy;
            result += M[3] + X[3];
        }
    }
    if (lane == 31) lik[pair] = log10f(fmaxf(result, 1e-37f)) - 34.0f;
}

/* kmutate launch
   int probes = 1 << 15, charges = 512;
   dim3 grid = { probes / 128 }, block = { 128 };
   double px[probes] = uniform(0, 20), py[probes] = uniform(0, 20), pz[probes] = uniform(0, 20);
   double4 charge[charges] = uniform(0, 20);
   double pot[probes] = zeros();
   ewald_real_space_potential(px, py, pz, charge, pot, probes, charges, 0.35, 20.0, 9.0);
*/
// Real-space Ewald sum with minimum image and cutoff, all in double.
__global__ void ewald_real_space_potential(const double *px, const double *py, const double *pz,
                                           const double4 *charge, double *pot, int probes, int charges,
                                           double alpha, double box, double cutoff)
{
    __shared__ double4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int ii = min(i, probes - 1);
    double x = px[ii], y = py[ii], z = pz[ii], sum = 0.0, ibox = 1.0 / box;
    for (int t = 0; t < charges; t += 128) {
        if (t + threadIdx.x < charges) tile[threadIdx.x] = charge[t + threadIdx.x];
        __syncthreads();
        int cnt = min(128, charges - t);
        for (int j = 0; j < cnt; j++) {
            double4 c = tile[j];
            double dx = x - c.x, dy = y - c.y, dz = z - c.z;
            dx -= box * rint(dx * ibox);
            dy -= box * rint(dy * ibox);
            dz -= box * rint(dz * ibox);
            double r2 = dx * dx + dy * dy + dz * dz + 1e-12;
            if (r2 < cutoff * cutoff) {
                double r = sqrt(r2);
                sum += (c.w - 10.0) * erfc(alpha * r) / r;
            }
        }
        __syncthreads();
    }
    if (i < probes) pot[i] = sum;
}

/* kmutate launch
   int rows = 1 << 22, slots = 1 << 19;
   dim3 grid = { rows / 256 }, block = { 256 };
   unsigned keys[rows] = randint(1, 200000);
   float price[rows] = uniform(0, 100);
   unsigned slot_key[slots] = zeros();
   float slot_sum[slots] = zeros();
   unsigned slot_count[slots] = zeros();
   group_by_hash_aggregate(keys, price, slot_key, slot_sum, slot_count, rows, slots - 1);
*/
// SELECT key, SUM(price), COUNT(*) GROUP BY key: open addressing, key 0 is an empty slot.
__global__ void group_by_hash_aggregate(const unsigned *keys, const float *price, unsigned *slot_key,
                                        float *slot_sum, unsigned *slot_count, int rows, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    unsigned key = keys[i];
    unsigned s = key * 2654435761u;
    s ^= s >> 15;
    s *= 0x85ebca6bu;
    s = (s ^ (s >> 13)) & mask;
    for (unsigned tries = 0; tries <= mask; tries++) {
        unsigned seen = slot_key[s];
        if (seen == 0) seen = atomicCAS(&slot_key[s], 0u, key);
        if (seen == 0 || seen == key) {
            atomicAdd(&slot_sum[s], price[i]);
            atomicAdd(&slot_count[s], 1u);
            return;
        }
        s = (s + 1) & mask;
    }
}

/* kmutate launch
   int pixels = 6144 * 4096;
   dim3 grid = { 132 * 6 }, block = { 256 };
   unsigned char fixed_img[pixels] = randint(0, 256), moving_img[pixels] = randint(16, 220);
   unsigned hist[64 * 64] = zeros();
   joint_histogram_64x64((uchar4 *)fixed_img, (uchar4 *)moving_img, hist, pixels / 4);
*/
// Joint grey-value histogram for mutual information of two images.
__global__ void joint_histogram_64x64(const uchar4 *__restrict__ fixed_img, const uchar4 *__restrict__ moving_img,
                                      unsigned *hist, int quads)
{
    __shared__ unsigned local[64 * 64];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 a = fixed_img[i], b = moving_img[i];
        atomicAdd(&local[(a.x >> 2) * 64 + (b.x >> 2)], 1u);
        atomicAdd(&local[(a.y >> 2) * 64 + (b.y >> 2)], 1u);
        atomicAdd(&local[(a.z >> 2) * 64 + (b.z >> 2)], 1u);
        atomicAdd(&local[(a.w >> 2) * 64 + (b.w >> 2)], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (local[i]) atomicAdd(&hist[i], local[i]);
}

/* kmutate launch
   int n = 1 << 23, shift = 8;
   dim3 grid = { n / 1024 }, block = { 256 };
   unsigned keys[n] = randint(0, 1u << 31);
   unsigned vals[n] = iota();
   unsigned keys_out[n] = zeros(), vals_out[n] = zeros();
   int digit_start[16 * (n / 1024)] = zeros();
   radix_tile_split_4bit(keys, vals, keys_out, vals_out, digit_start, shift);
*/
// Sorts tiles of 1024 pairs by one 4-bit digit with four ballot splits, and notes where digits begin.
__global__ void __launch_bounds__(256) radix_tile_split_4bit(const unsigned *__restrict__ keys,
    const unsigned *__restrict__ vals, unsigned *__restrict__ keys_out, unsigned *__restrict__ vals_out,
    int *__restrict__ digit_start, int shift)
{
    __shared__ unsigned sk[1024], sv[1024];
    __shared__ int wz[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int pos = warp * 128 + lane;
    size_t base = (size_t)blockIdx.x * 1024;
    unsigned below = (1u << lane) - 1u;
    unsigned k[4], v[4];
#pragma unroll
    for (int i = 0; i < 4; i++) { k[i] = keys[base + pos + i * 32]; v[i] = vals[base + pos + i * 32]; }
    for (int bit = shift; bit < shift + 4; bit++) {
        int rank[4], count = 0;
        bool zero[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            zero[i] = ((k[i] >> bit) & 1u) == 0;
            unsigned bal = __ballot_sync(0xffffffffu, zero[i]);
            rank[i] = count + __popc(bal & below);
            count += __popc(bal);
        }
        if (lane == 0) wz[warp] = count;
        __syncthreads();
        int before = 0, total = 0;
#pragma unroll
        for (int w = 0; w < 8; w++) {
            int c = wz[w];
            before += w < warp ? c : 0;
            total += c;
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int z = before + rank[i];
            int d = zero[i] ? z : total + (pos + i * 32 - z);
            sk[d] = k[i];
            sv[d] = v[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) { k[i] = sk[pos + i * 32]; v[i] = sv[pos + i * 32]; }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) { keys_out[base + pos + i * 32] = k[i]; vals_out[base + pos + i * 32] = v[i]; }
    if (threadIdx.x < 16) {
        int lo = 0, hi = 1024;
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (((sk[mid] >> shift) & 15u) < threadIdx.x) lo = mid + 1;
            else hi = mid;
        }
        digit_start[threadIdx.x * gridDim.x + blockIdx.x] = lo;
    }
}

/* kmutate launch
   int chunks = 24576;
   dim3 grid = { chunks / 128 }, block = { 128 };
   unsigned char text[chunks * 512] = randint(0, 3);
   unsigned tokens[chunks * 128] = zeros();
   int token_count[chunks] = zeros(), literals[chunks] = zeros();
   lz_greedy_match_chunks(text, tokens, token_count, literals, chunks);
*/
// Greedy LZ parse ported from the CPU: a thread for each 512 B chunk, its hash table in shared memory.
__global__ void lz_greedy_match_chunks(const unsigned char *text, unsigned *tokens, int *token_count, int *literals,
                                       int chunks)
{
    __shared__ unsigned short table[64][128];
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    for (int i = 0; i < 64; i++) table[i][threadIdx.x] = 0xffff;
    const unsigned char *p = text + (size_t)c * 512;
    int pos = 0, nt = 0, nl = 0;
    while (pos + 4 <= 512) {
        unsigned w = p[pos] | p[pos + 1] << 8 | p[pos + 2] << 16 | (unsigned)p[pos + 3] << 24;
        unsigned h = (w * 2654435761u) >> 26;
        int cand = table[h][threadIdx.x];
        table[h][threadIdx.x] = (unsigned short)pos;
        int len = 0;
        if (cand != 0xffff)
            while (pos + len < 512 && len < 255 && p[cand + len] == p[pos + len]) len++;
        if (len >= 4) {
            tokens[(size_t)c * 128 + nt] = (unsigned)(pos - cand) << 16 | (unsigned)len;
            nt++;
            pos += len;
        } else {
            nl++;
            pos++;
        }
    }
    token_count[c] = nt;
    literals[c] = nl + 512 - pos;
}

/* kmutate launch
   int width = 1920, height = 1080, n = 2048;
   dim3 block = { 16, 8 };
   dim3 grid = { (width + 15) / 16, (height + 7) / 8 };
   float field[n * n] = uniform(0, 1);
   float depth[width * height] = zeros();
   heightfield_ray_march(field, depth, width, height, n, 2.2f, 160);
*/
// Perspective depth image of a terrain; rays stop where they dip below the bilinear surface.
__global__ void heightfield_ray_march(const float *__restrict__ field, float *__restrict__ depth, int width,
                                      int height, int n, float eye, int max_steps)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= width || iy >= height) return;
    float u = (ix + 0.5f) / width - 0.5f, v = 0.06f - 0.6f * (iy + 0.5f) / height;
    float inv = rsqrtf(u * u + v * v + 1.0f);
    float dx = u * inv, dy = inv, dz = v * inv;
    float x = 0.5f * n, y = 0.25f * n, z = eye, t = 0.0f, step = 0.35f;
    float hit = 1e30f;
    for (int s = 0; s < max_steps; s++) {
        float gx = x + t * dx, gy = y + t * dy, gz = z + t * dz;
        if (gx < 0.0f || gy < 0.0f || gx >= n - 1 || gy >= n - 1 || gz > eye + 8.0f) break;
        int cx = (int)gx, cy = (int)gy;
        float fx = gx - cx, fy = gy - cy;
        const float *r0 = field + cy * n + cx, *r1 = r0 + n;
        float a = r0[0] + fx * (r0[1] - r0[0]), b = r1[0] + fx * (r1[1] - r1[0]);
        float ground = a + fy * (b - a);
        if (gz <= ground) {
            hit = t;
            break;
        }
        t += step + 0.4f * (gz - ground);
        step *= 1.01f;
    }
    depth[iy * width + ix] = hit;
}

/* kmutate launch
   int nv = 1 << 19, lo = 0, hi = 40;
   int ne = csr_nnz(nv, lo, hi);
   dim3 grid = { (nv + 191) / 192 }, block = { 192 };
   int rowptr[nv + 1] = csr_rowptr(nv, lo, hi);
   int colidx[ne] = csr_colidx(nv);
   unsigned short weight[ne] = randint(1, 64);
   int dist[nv] = randint(0, 300);
   unsigned char active[nv] = randint(0, 2), next_active[nv] = zeros();
   sssp_relax_frontier(rowptr, colidx, weight, dist, active, next_active, nv);
*/
// One Bellman-Ford round, a thread for each vertex of the frontier.
__global__ void sssp_relax_frontier(const int *rowptr, const int *colidx, const unsigned short *weight, int *dist,
                                    const unsigned char *active, unsigned char *next_active, int nv)
{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= nv || !active[u]) return;
    int du = dist[u];
    int end = rowptr[u + 1];
    for (int e = rowptr[u]; e < end; e++) {
        int v = colidx[e], nd = du + weight[e];
        if (nd < dist[v]) {
            int old = atomicMin(&dist[v], nd);
            if (nd < old) next_active[v] = 1;
        }
    }
}

/* kmutate launch
   int slices = 16384, n = slices * 32;
   int width_sum = csr_nnz(slices, 4, 28);
   dim3 grid = { slices / 4 }, block = { 128 };
   int slice_ptr[slices + 1] = csr_rowptr(slices, 4, 28);
   int cols[width_sum * 32] = randint(0, n);
   double vals[width_sum * 32] = uniform(-1, 1);
   double x[n] = normal(), y[n] = zeros();
   sell32_spmv_fp64(slice_ptr, cols, vals, x, y, slices);
*/
// Sliced-ELLPACK product: 32 rows for a slice, entries of a slice by columns.
__global__ void sell32_spmv_fp64(const int *__restrict__ slice_ptr, const int *__restrict__ cols,
                                 const double *__restrict__ vals, const double *__restrict__ x,
                                 double *__restrict__ y, int slices)
{
    int slice = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (slice >= slices) return;
    int lane = threadIdx.x & 31;
    int j = slice_ptr[slice], end = slice_ptr[slice + 1];
    double s0 = 0.0, s1 = 0.0;
    for (; j + 1 < end; j += 2) {
        int a = j * 32 + lane, b = a + 32;
        s0 = fma(vals[a], x[cols[a]], s0);
        s1 = fma(vals[b], x[cols[b]], s1);
    }
    if (j < end) s0 = fma(vals[j * 32 + lane], x[cols[j * 32 + lane]], s0);
    y[slice * 32 + lane] = s0 + s1;
}

/* kmutate launch
   int batch = 10240;
   dim3 grid = { batch }, block = { 256 };
   float2 in[batch * 1024] = normal(), out[batch * 1024] = zeros();
   fft1024_radix4_batch(in, out);
*/
// 1024-point complex FFT for each block, five Stockham radix-4 passes through shared memory.
__global__ void __launch_bounds__(256) fft1024_radix4_batch(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    __shared__ float2 buf[1024];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
    float2 v0 = in[base + t], v1 = in[base + t + 256], v2 = in[base + t + 512], v3 = in[base + t + 768];
#pragma unroll
    for (int ns = 1; ns < 1024; ns *= 4) {
        int k = t & (ns - 1);
        if (ns > 1) {
            float s1, c1;
            __sincosf(-1.57079633f * (float)k / (float)ns, &s1, &c1);
            float c2 = c1 * c1 - s1 * s1, s2 = 2.0f * c1 * s1;
            float c3 = c1 * c2 - s1 * s2, s3 = c1 * s2 + s1 * c2;
            v1 = make_float2(v1.x * c1 - v1.y * s1, v1.x * s1 + v1.y * c1);
            v2 = make_float2(v2.x * c2 - v2.y * s2, v2.x * s2 + v2.y * c2);
            v3 = make_float2(v3.x * c3 - v3.y * s3, v3.x * s3 + v3.y * c3);
        }
        float2 a = make_float2(v0.x + v2.x, v0.y + v2.y), b = make_float2(v0.x - v2.x, v0.y - v2.y);
        float2 c = make_float2(v1.x + v3.x, v1.y + v3.y), d = make_float2(v1.y - v3.y, v3.x - v1.x);
        v0 = make_float2(a.x + c.x, a.y + c.y);
        v1 = make_float2(b.x + d.x, b.y + d.y);
        v2 = make_float2(a.x - c.x, a.y - c.y);
        v3 = make_float2(b.x - d.x, b.y - d.y);
        if (ns < 256) {
            int o = (t / ns) * ns * 4 + k;
            if (ns > 1) __syncthreads();
            buf[o] = v0;
            buf[o + ns] = v1;
            buf[o + 2 * ns] = v2;
            buf[o + 3 * ns] = v3;
            __syncthreads();
            v0 = buf[t];
            v1 = buf[t + 256];
            v2 = buf[t + 512];
            v3 = buf[t + 768];
        }
    }
    out[base + t] = v0;
    out[base + t + 256] = v1;
    out[base + t + 512] = v2;
    out[base + t + 768] = v3;
}

/* kmutate launch
   int batch = 8, len = 512, dim = 2048;
   dim3 grid = { dim / 128, batch }, block = { 128 };
   float u[batch * len * dim] = normal(), delta[batch * len * dim] = uniform(0.001, 0.1);
   float a_log[dim * 16] = uniform(0, 2.7), bmat[batch * len * 16] = normal(), cmat[batch * len * 16] = normal();
   float dskip[dim] = ones(), y[batch * len * dim] = zeros();
   selective_scan_forward(u, delta, a_log, bmat, cmat, dskip, y, len, dim);
*/
// State-space scan along the sequence: a thread for a channel, 16 states in registers.
__global__ void selective_scan_forward(const float *__restrict__ u, const float *__restrict__ delta,
    const float *__restrict__ a_log, const float *__restrict__ bmat, const float *__restrict__ cmat,
    const float *__restrict__ dskip, float *__restrict__ y, int len, int dim)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
    if (d >= dim) return;
    float a[16], st[16];
#pragma unroll
    for (int s = 0; s < 16; s++) { a[s] = -__expf(a_log[d * 16 + s]) * 1.44269504f; st[s] = 0.0f; }
    float skip = dskip[d];
    for (int l = 0; l < len; l++) {
        size_t row = (size_t)b * len + l;
        float dt = delta[row * dim + d], x = u[row * dim + d];
        float dx = dt * x, out = skip * x;
        const float4 *bp = (const float4 *)(bmat + row * 16), *cp = (const float4 *)(cmat + row * 16);
#pragma unroll
        for (int q = 0; q < 4; q++) {
            float4 bv = bp[q], cv = cp[q];
            st[4 * q] = exp2f(dt * a[4 * q]) * st[4 * q] + dx * bv.x;
            st[4 * q + 1] = exp2f(dt * a[4 * q + 1]) * st[4 * q + 1] + dx * bv.y;
            st[4 * q + 2] = exp2f(dt * a[4 * q + 2]) * st[4 * q + 2] + dx * bv.z;
            st[4 * q + 3] = exp2f(dt * a[4 * q + 3]) * st[4 * q + 3] + dx * bv.w;
            out += st[4 * q] * cv.x + st[4 * q + 1] * cv.y + st[4 * q + 2] * cv.z + st[4 * q + 3] * cv.w;
        }
        y[row * dim + d] = out;
    }
}

__constant__ float c_fir_taps[64];

/* kmutate launch
   int outputs = 1 << 22, tiles = outputs / 256;
   dim3 grid = { 132 * 5 }, block = { 256 };
   extern float c_fir_taps[64] = normal(0, 0.1);
   float signal[outputs * 4 + 64] = normal();
   float filtered[outputs] = zeros();
   fir64_decimate4_cp_async(signal, filtered, tiles);
*/
// 64-tap FIR with decimation by four, tiles double-buffered by asynchronous copies.
__global__ void __launch_bounds__(256) fir64_decimate4_cp_async(const float *__restrict__ signal,
                                                                float *__restrict__ filtered, int tiles)
{
    __shared__ float4 buf[2][272];
    int t = threadIdx.x, stage = 0;
    int tile = blockIdx.x;
    if (tile >= tiles) return;
    const float4 *src = (const float4 *)signal;
    for (int i = t; i < 272; i += 256) __pipeline_memcpy_async(&buf[0][i], src + (size_t)tile * 256 + i, 16);
    __pipeline_commit();
    for (; tile < tiles; tile += gridDim.x) {
        int next = tile + gridDim.x;
        if (next < tiles)
            for (int i = t; i < 272; i += 256)
                __pipeline_memcpy_async(&buf[stage ^ 1][i], src + (size_t)next * 256 + i, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float s0 = 0.0f, s1 = 0.0f;
#pragma unroll
        for (int q = 0; q < 16; q++) {
            float4 v = buf[stage][t + q];
            s0 = fmaf(v.x, c_fir_taps[4 * q], s0);
            s1 = fmaf(v.y, c_fir_taps[4 * q + 1], s1);
            s0 = fmaf(v.z, c_fir_taps[4 * q + 2], s0);
            s1 = fmaf(v.w, c_fir_taps[4 * q + 3], s1);
        }
        filtered[(size_t)tile * 256 + t] = s0 + s1;
        __syncthreads();
        stage ^= 1;
    }
}

__constant__ unsigned c_sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

__device__ __forceinline__ unsigned rotr32(unsigned x, int n) { return __funnelshift_r(x, x, n); }

__device__ __forceinline__ void sha256_block(unsigned *st, unsigned *w)
{
    unsigned a = st[0], b = st[1], c = st[2], d = st[3], e = st[4], f = st[5], g = st[6], h = st[7];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            unsigned x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] += (rotr32(x, 7) ^ rotr32(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] +
                         (rotr32(y, 17) ^ rotr32(y, 19) ^ (y >> 10));
        }
        unsigned t1 = h + (rotr32(e, 6) ^ rotr32(e, 11) ^ rotr32(e, 25)) + ((e & f) ^ (~e & g)) + c_sha_k[i] + w[i & 15];
        unsigned t2 = (rotr32(a, 2) ^ rotr32(a, 13) ^ rotr32(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    st[0] += a; st[1] += b; st[2] += c; st[3] += d; st[4] += e; st[5] += f; st[6] += g; st[7] += h;
}

/* kmutate launch
   int parents = 1 << 19;
   dim3 grid = { parents / 128 }, block = { 128 };
   uint4 child[parents * 4] = randint(0, 1u << 31);
   uint4 parent[parents * 2] = zeros();
   sha256_merkle_level(child, parent, parents);
*/
// One level of a Merkle tree: SHA-256 of two neighbouring digests.
__global__ void __launch_bounds__(128) sha256_merkle_level(const uint4 *__restrict__ child,
                                                           uint4 *__restrict__ parent, int parents)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= parents) return;
    unsigned w[16];
#pragma unroll
    for (int q = 0; q < 4; q++) {
        uint4 v = child[(size_t)i * 4 + q];
        w[4 * q] = v.x; w[4 * q + 1] = v.y; w[4 * q + 2] = v.z; w[4 * q + 3] = v.w;
    }
    unsigned st[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    sha256_block(st, w);
#pragma unroll
    for (int q = 0; q < 16; q++) w[q] = q == 0 ? 0x80000000u : q == 15 ? 512u : 0u;
    sha256_block(st, w);
    parent[(size_t)i * 2] = make_uint4(st[0], st[1], st[2], st[3]);
    parent[(size_t)i * 2 + 1] = make_uint4(st[4], st[5], st[6], st[7]);
}

/* kmutate launch
   int m = 2000, n = 2300;
   dim3 block = { 32, 4 };
   dim3 grid = { (n + 31) / 32, (m + 3) / 4 };
   double2 a[m * n] = normal(), b[n * m] = normal();
   zgeam_conj_transpose_naive(a, b, m, n, make_double2(0.8, -0.1), 0.25);
*/
// B = alpha A^H + beta B without a tile: reads in rows, writes in columns.
__global__ void zgeam_conj_transpose_naive(const double2 *a, double2 *b, int m, int n, double2 alpha, double beta)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;
    double2 v = a[i * n + j], o = b[j * m + i];
    o.x = alpha.x * v.x + alpha.y * v.y + beta * o.x;
    o.y = alpha.y * v.x - alpha.x * v.y + beta * o.y;
    b[j * m + i] = o;
}
