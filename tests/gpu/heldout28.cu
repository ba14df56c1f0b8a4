#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int tokens = 6144, hidden = 4096;
   dim3 grid = { tokens }, block = { 256 };
   half out[tokens * hidden] = zeros();
   half residual[tokens * hidden] = normal();
   half x[tokens * hidden] = normal();
   half gamma[hidden] = uniform(0.5, 1.5);
   residual_rmsnorm_row_block(out, residual, x, gamma, hidden, 1e-5f);
*/
__global__ void __launch_bounds__(256) residual_rmsnorm_row_block(half *__restrict__ out, half *__restrict__ residual,
                                           const half *__restrict__ x, const half *__restrict__ gamma, int hidden, float eps)
{
    __shared__ float warp_part[8];
    const size_t row = (size_t)blockIdx.x * hidden;
    const uint4 *x4 = reinterpret_cast<const uint4 *>(x + row);
    uint4 *r4 = reinterpret_cast<uint4 *>(residual + row);
    const uint4 *g4 = reinterpret_cast<const uint4 *>(gamma);
    uint4 *o4 = reinterpret_cast<uint4 *>(out + row);
    float v[16];
    float sq = 0.f;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        const int at = threadIdx.x + c * 256;
        uint4 a = x4[at], b = r4[at];
        half2 *ah = reinterpret_cast<half2 *>(&a);
        half2 *bh = reinterpret_cast<half2 *>(&b);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            bh[i] = __hadd2(ah[i], bh[i]);
            float2 f = __half22float2(bh[i]);
            v[c * 8 + 2 * i] = f.x;
            v[c * 8 + 2 * i + 1] = f.y;
            sq += f.x * f.x + f.y * f.y;
        }
        r4[at] = b;
    }
    for (int o = 16; o; o >>= 1) sq += __shfl_xor_sync(0xffffffffu, sq, o);
    if ((threadIdx.x & 31) == 0) warp_part[threadIdx.x >> 5] = sq;
    __syncthreads();
    float total = 0.f;
#pragma unroll
    for (int i = 0; i < 8; ++i) total += warp_part[i];
    const float scale = rsqrtf(total / hidden + eps);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        const int at = threadIdx.x + c * 256;
        uint4 g = g4[at], o;
        half2 *gh = reinterpret_cast<half2 *>(&g);
        half2 *oh = reinterpret_cast<half2 *>(&o);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float2 gf = __half22float2(gh[i]);
            oh[i] = __floats2half2_rn(v[c * 8 + 2 * i] * scale * gf.x, v[c * 8 + 2 * i + 1] * scale * gf.y);
        }
        o4[at] = o;
    }
}

/* kmutate launch
   int batch = 16, kv_heads = 8, seq = 2048, splits = 8;
   dim3 grid = { splits, kv_heads, batch }, block = { 128 };
   half q[batch * kv_heads * 4 * 128] = normal();
   half k[batch * kv_heads * seq * 128] = normal();
   half v[batch * kv_heads * seq * 128] = normal();
   float acc[batch * kv_heads * 4 * splits * 128] = zeros();
   float2 stats[batch * kv_heads * 4 * splits] = zeros();
   gqa_decode_attention_split_kv(q, k, v, acc, stats, seq, 0.08838834764f);
*/
__global__ void gqa_decode_attention_split_kv(const half *__restrict__ q, const half *__restrict__ k, const half *__restrict__ v,
                                              float *__restrict__ acc, float2 *__restrict__ stats, int seq, float scale)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int kvh = blockIdx.z * gridDim.y + blockIdx.y;
    const int qh = kvh * 4 + warp;
    const int chunk = (seq + gridDim.x - 1) / gridDim.x;
    const int begin = blockIdx.x * chunk, end = min(seq, begin + chunk);
    const uint2 qraw = *reinterpret_cast<const uint2 *>(q + (size_t)qh * 128 + lane * 4);
    const float2 q0 = __half22float2(*reinterpret_cast<const half2 *>(&qraw.x));
    const float2 q1 = __half22float2(*reinterpret_cast<const half2 *>(&qraw.y));
    const half *kp = k + (size_t)kvh * seq * 128 + lane * 4;
    const half *vp = v + (size_t)kvh * seq * 128 + lane * 4;
    float m = -1e30f, l = 0.f;
    float a0 = 0.f, a1 = 0.f, a2 = 0.f, a3 = 0.f;
    for (int t = begin; t < end; ++t) {
        const uint2 kr = *reinterpret_cast<const uint2 *>(kp + (size_t)t * 128);
        const uint2 vr = *reinterpret_cast<const uint2 *>(vp + (size_t)t * 128);
        const float2 k0 = __half22float2(*reinterpret_cast<const half2 *>(&kr.x));
        const float2 k1 = __half22float2(*reinterpret_cast<const half2 *>(&kr.y));
        float s = q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y;
        for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        s *= scale;
        const float mn = fmaxf(m, s);
        const float corr = __expf(m - mn), p = __expf(s - mn);
        const float2 v0 = __half22float2(*reinterpret_cast<const half2 *>(&vr.x));
        const float2 v1 = __half22float2(*reinterpret_cast<const half2 *>(&vr.y));
        l = l * corr + p;
        a0 = a0 * corr + p * v0.x;
        a1 = a1 * corr + p * v0.y;
        a2 = a2 * corr + p * v1.x;
        a3 = a3 * corr + p * v1.y;
        m = mn;
    }
    const size_t slot = (size_t)qh * gridDim.x + blockIdx.x;
    reinterpret_cast<float4 *>(acc + slot * 128)[lane] = make_float4(a0, a1, a2, a3);
    if (lane == 0) stats[slot] = make_float2(m, l);
}

/* kmutate launch
   int n = 12000000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   float master[n] = normal(0, 0.02);
   float m1[n] = normal(0, 0.001);
   float m2[n] = uniform(0, 0.00001);
   half grad[n] = normal(0, 0.01);
   half model[n] = zeros();
   adamw_master_weight_step(master, m1, m2, grad, model, 0.0003f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.52f, 0.31f, n);
*/
__global__ void adamw_master_weight_step(float *master, float *m1, float *m2, const half *grad, half *model, float lr,
                                         float beta1, float beta2, float eps, float decay, float bias1, float bias2, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float g = __half2float(grad[i]);
    float w = master[i];
    const float a = beta1 * m1[i] + (1.f - beta1) * g;
    const float b = beta2 * m2[i] + (1.f - beta2) * g * g;
    m1[i] = a;
    m2[i] = b;
    const float step = (a / bias1) / (sqrtf(b / bias2) + eps);
    w -= lr * (step + decay * w);
    master[i] = w;
    model[i] = __float2half(w);
}

/* kmutate launch
   int images = 8, channels = 96, h = 112, w = 112;
   dim3 grid = { (w + 31) / 32, (h + 15) / 16, images * channels }, block = { 32, 8 };
   float in[images * channels * h * w] = normal();
   float weight[channels * 25] = normal(0, 0.2);
   float bias[channels] = normal();
   float out[images * channels * h * w] = zeros();
   depthwise_conv5x5_shared_plane(in, weight, bias, out, channels, h, w);
*/
__global__ void depthwise_conv5x5_shared_plane(const float *__restrict__ in, const float *__restrict__ weight,
                                               const float *__restrict__ bias, float *__restrict__ out, int channels, int h, int w)
{
    __shared__ float tile[20][36];
    __shared__ float k[25];
    const int tid = threadIdx.y * 32 + threadIdx.x;
    const int c = blockIdx.z % channels;
    const float *plane = in + (size_t)blockIdx.z * h * w;
    const int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
    for (int i = tid; i < 20 * 36; i += 256) {
        const int ty = i / 36, tx = i % 36;
        const int y = y0 + ty, x = x0 + tx;
        tile[ty][tx] = (y >= 0 && y < h && x >= 0 && x < w) ? plane[y * w + x] : 0.f;
    }
    if (tid < 25) k[tid] = weight[c * 25 + tid];
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x;
    float s0 = bias[c], s1 = s0;
#pragma unroll
    for (int dy = 0; dy < 5; ++dy)
#pragma unroll
        for (int dx = 0; dx < 5; ++dx) {
            const float kw = k[dy * 5 + dx];
            s0 += kw * tile[threadIdx.y + dy][threadIdx.x + dx];
            s1 += kw * tile[threadIdx.y + 8 + dy][threadIdx.x + dx];
        }
    if (x < w) {
        const int y = blockIdx.y * 16 + threadIdx.y;
        float *o = out + (size_t)blockIdx.z * h * w;
        if (y < h) o[y * w + x] = fmaxf(s0, 0.f);
        if (y + 8 < h) o[(y + 8) * w + x] = fmaxf(s1, 0.f);
    }
}

/* kmutate launch
   int rows = 28672, cols = 4096;
   dim3 grid = { (rows + 3) / 4 }, block = { 128 };
   signed char weights[rows * cols] = randint(-127, 128);
   half wscale[rows * (cols / 32)] = uniform(0.001, 0.01);
   signed char x[cols] = randint(-127, 128);
   float xscale[cols / 32] = uniform(0.001, 0.02);
   float y[rows] = zeros();
   q8_block_scaled_gemv_dp4a(weights, wscale, x, xscale, y, rows, cols);
*/
__global__ void q8_block_scaled_gemv_dp4a(const signed char *__restrict__ weights, const half *__restrict__ wscale,
                                          const signed char *__restrict__ x, const float *__restrict__ xscale,
                                          float *__restrict__ y, int rows, int cols)
{
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * 4 + (threadIdx.x >> 5);
    if (row >= rows) return;
    const int4 *w4 = reinterpret_cast<const int4 *>(weights + (size_t)row * cols);
    const int4 *x4 = reinterpret_cast<const int4 *>(x);
    const half *ws = wscale + (size_t)row * (cols / 32);
    float sum = 0.f;
    for (int c = lane; c < cols / 16; c += 32) {
        const int4 a = w4[c], b = x4[c];
        int d = __dp4a(a.x, b.x, 0);
        d = __dp4a(a.y, b.y, d);
        d = __dp4a(a.z, b.z, d);
        d = __dp4a(a.w, b.w, d);
        sum += (float)d * __half2float(ws[c >> 1]) * xscale[c >> 1];
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}

/* kmutate launch
   int tiles = 8192;
   int n = tiles * 2048;
   dim3 grid = { tiles }, block = { 256 };
   float values[n] = uniform(0, 1);
   int run_id[n] = ascending(0, 600000);
   float out[n] = zeros();
   float tail[tiles] = zeros();
   int tail_id[tiles] = zeros();
   segmented_scan_tile_by_run_id(values, run_id, out, tail, tail_id);
*/
__global__ void segmented_scan_tile_by_run_id(const float *__restrict__ values, const int *__restrict__ run_id,
                                              float *__restrict__ out, float *__restrict__ tail, int *__restrict__ tail_id)
{
    __shared__ float wsum[8];
    __shared__ int wflag[8], first_id[257];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const size_t base = (size_t)blockIdx.x * 2048 + tid * 8;
    float v[8];
    int id[8];
    const float4 va = *reinterpret_cast<const float4 *>(values + base), vb = *reinterpret_cast<const float4 *>(values + base + 4);
    const int4 ia = *reinterpret_cast<const int4 *>(run_id + base), ib = *reinterpret_cast<const int4 *>(run_id + base + 4);
    v[0] = va.x; v[1] = va.y; v[2] = va.z; v[3] = va.w; v[4] = vb.x; v[5] = vb.y; v[6] = vb.z; v[7] = vb.w;
    id[0] = ia.x; id[1] = ia.y; id[2] = ia.z; id[3] = ia.w; id[4] = ib.x; id[5] = ib.y; id[6] = ib.z; id[7] = ib.w;
    first_id[tid + 1] = id[7];
    __syncthreads();
    const int before = tid ? first_id[tid] : id[0];
    bool starts = before != id[0];
#pragma unroll
    for (int i = 1; i < 8; ++i) {
        if (id[i] == id[i - 1]) v[i] += v[i - 1];
        else starts = true;
    }
    float s = v[7];
    int f = starts ? 1 : 0;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        const float ps = __shfl_up_sync(0xffffffffu, s, o);
        const int pf = __shfl_up_sync(0xffffffffu, f, o);
        if (lane >= o) {
            if (!f) s += ps;
            f |= pf;
        }
    }
    if (lane == 31) { wsum[warp] = s; wflag[warp] = f; }
    __syncthreads();
    float carry = 0.f;
    for (int i = 0; i < warp; ++i) carry = wflag[i] ? wsum[i] : carry + wsum[i];
    float left = __shfl_up_sync(0xffffffffu, s, 1);
    const int leftf = __shfl_up_sync(0xffffffffu, f, 1);
    if (lane == 0) left = carry;
    else if (!leftf) left += carry;
    bool open = before == id[0];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        if (i && id[i] != id[i - 1]) open = false;
        if (open) v[i] += left;
    }
    *reinterpret_cast<float4 *>(out + base) = make_float4(v[0], v[1], v[2], v[3]);
    *reinterpret_cast<float4 *>(out + base + 4) = make_float4(v[4], v[5], v[6], v[7]);
    if (tid == 255) {
        tail[blockIdx.x] = v[7];
        tail_id[blockIdx.x] = id[7];
    }
}

/* kmutate launch
   int systems = 12288;
   dim3 grid = { systems }, block = { 512 };
   float lower[systems * 512] = uniform(-1, 0);
   float diag[systems * 512] = uniform(2.5, 4);
   float upper[systems * 512] = uniform(-1, 0);
   float rhs[systems * 512] = normal();
   float x[systems * 512] = zeros();
   tridiagonal_pcr_512_per_block(lower, diag, upper, rhs, x);
*/
__global__ void tridiagonal_pcr_512_per_block(const float *__restrict__ lower, const float *__restrict__ diag,
                                              const float *__restrict__ upper, const float *__restrict__ rhs, float *__restrict__ x)
{
    __shared__ float sa[512], sb[512], sc[512], sd[512];
    const int i = threadIdx.x;
    const size_t at = (size_t)blockIdx.x * 512 + i;
    float a = i == 0 ? 0.f : lower[at];
    float b = diag[at];
    float c = i == 511 ? 0.f : upper[at];
    float d = rhs[at];
    for (int s = 1; s < 512; s *= 2) {
        sa[i] = a; sb[i] = b; sc[i] = c; sd[i] = d;
        __syncthreads();
        float na = 0.f, nc = 0.f, nb = b, nd = d;
        if (i >= s) {
            const float k1 = a / sb[i - s];
            na = -sa[i - s] * k1;
            nb -= sc[i - s] * k1;
            nd -= sd[i - s] * k1;
        }
        if (i + s < 512) {
            const float k2 = c / sb[i + s];
            nc = -sc[i + s] * k2;
            nb -= sa[i + s] * k2;
            nd -= sd[i + s] * k2;
        }
        a = na; b = nb; c = nc; d = nd;
        __syncthreads();
    }
    x[at] = d / b;
}

/* kmutate launch
   int nx = 384, ny = 256, nz = 128;
   int px = nx + 8, py = ny + 8, pz = nz + 8;
   dim3 grid = { nx / 32, ny / 8 }, block = { 32, 8 };
   extern float c_wave_fd8[5] = { -2.84722f, 1.6f, -0.2f, 0.0253968f, -0.00178571f };
   float prev[px * py * pz] = normal(0, 0.1);
   float cur[px * py * pz] = normal(0, 0.1);
   float vel2[px * py * pz] = uniform(0.05, 0.15);
   acoustic_wave3d_fd8_zmarch(prev, cur, vel2, px, py, nz);
*/
__constant__ float c_wave_fd8[5];
__global__ void acoustic_wave3d_fd8_zmarch(float *__restrict__ prev, const float *__restrict__ cur,
                                           const float *__restrict__ vel2, int px, int py, int nz)
{
    __shared__ float plane[16][40];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 32 + tx + 4, y = blockIdx.y * 8 + ty + 4;
    const size_t zs = (size_t)px * py;
    const size_t col = (size_t)y * px + x;
    float q[9];
#pragma unroll
    for (int i = 0; i < 8; ++i) q[i + 1] = cur[col + i * zs];
    for (int z = 4; z < nz + 4; ++z) {
#pragma unroll
        for (int i = 0; i < 8; ++i) q[i] = q[i + 1];
        q[8] = cur[col + (z + 4) * zs];
        __syncthreads();
        plane[ty + 4][tx + 4] = q[4];
        const float *c = cur + z * zs + col;
        if (ty < 4) {
            plane[ty][tx + 4] = c[-4 * px];
            plane[ty + 12][tx + 4] = c[8 * px];
        }
        if (tx < 4) {
            plane[ty + 4][tx] = c[-4];
            plane[ty + 4][tx + 36] = c[32];
        }
        __syncthreads();
        float lap = 3.f * c_wave_fd8[0] * q[4];
#pragma unroll
        for (int r = 1; r <= 4; ++r)
            lap += c_wave_fd8[r] * (q[4 - r] + q[4 + r] + plane[ty + 4][tx + 4 - r] + plane[ty + 4][tx + 4 + r] +
                                    plane[ty + 4 - r][tx + 4] + plane[ty + 4 + r][tx + 4]);
        const size_t at = col + z * zs;
        prev[at] = 2.f * q[4] - prev[at] + vel2[at] * lap;
    }
}

/* kmutate launch
   int n = 1 << 20, batch = 10, span = 64;
   dim3 grid = { n / 4 / 256, batch }, block = { 256 };
   float2 src[n * batch] = normal();
   float2 dst[n * batch] = zeros();
   stockham_fft_radix4_one_pass(src, dst, n, span);
*/
__global__ void stockham_fft_radix4_one_pass(const float2 *__restrict__ src, float2 *__restrict__ dst, int n, int span)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int quarter = n >> 2;
    if (i >= quarter) return;
    const float2 *s = src + (size_t)blockIdx.y * n;
    float2 *d = dst + (size_t)blockIdx.y * n;
    const int k = i & (span - 1);
    float2 a0 = s[i], a1 = s[i + quarter], a2 = s[i + 2 * quarter], a3 = s[i + 3 * quarter];
    float sn, cs;
    sincospif(-0.5f * (float)k / (float)span, &sn, &cs);
    const float2 w1 = make_float2(cs, sn);
    const float2 w2 = make_float2(cs * cs - sn * sn, 2.f * cs * sn);
    const float2 w3 = make_float2(w2.x * cs - w2.y * sn, w2.x * sn + w2.y * cs);
    a1 = make_float2(a1.x * w1.x - a1.y * w1.y, a1.x * w1.y + a1.y * w1.x);
    a2 = make_float2(a2.x * w2.x - a2.y * w2.y, a2.x * w2.y + a2.y * w2.x);
    a3 = make_float2(a3.x * w3.x - a3.y * w3.y, a3.x * w3.y + a3.y * w3.x);
    const float2 e0 = make_float2(a0.x + a2.x, a0.y + a2.y), e1 = make_float2(a0.x - a2.x, a0.y - a2.y);
    const float2 o0 = make_float2(a1.x + a3.x, a1.y + a3.y), o1 = make_float2(a1.y - a3.y, a3.x - a1.x);
    float2 *p = d + ((i - k) << 2) + k;
    p[0] = make_float2(e0.x + o0.x, e0.y + o0.y);
    p[span] = make_float2(e1.x + o1.x, e1.y + o1.y);
    p[2 * span] = make_float2(e0.x - o0.x, e0.y - o0.y);
    p[3 * span] = make_float2(e1.x - o1.x, e1.y - o1.y);
}

/* kmutate launch
   int n = 2000000;
   dim3 grid = { (n + 191) / 192 }, block = { 192 };
   float px[n] = uniform(0, 64);
   float py[n] = uniform(0, 64);
   float pz[n] = ascending(0, 64);
   float vx[n] = normal(0, 0.2);
   float vy[n] = normal(0, 0.2);
   float vz[n] = normal(0, 0.2);
   float4 efield[64 * 64 * 64] = normal(0, 0.1);
   float4 bfield[64 * 64 * 64] = normal(0, 0.5);
   boris_push_cic_gather_periodic64(px, py, pz, vx, vy, vz, efield, bfield, 0.05f, 1.0f, n);
*/
__global__ void boris_push_cic_gather_periodic64(float *px, float *py, float *pz, float *vx, float *vy, float *vz,
                                                 const float4 *__restrict__ efield, const float4 *__restrict__ bfield,
                                                 float half_qmdt, float dt, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = px[i], y = py[i], z = pz[i];
    const float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    const int ix = (int)fx, iy = (int)fy, iz = (int)fz;
    const float wx = x - fx, wy = y - fy, wz = z - fz;
    float ex = 0, ey = 0, ez = 0, bx = 0, by = 0, bz = 0;
#pragma unroll
    for (int c = 0; c < 8; ++c) {
        const int dx = c & 1, dy = (c >> 1) & 1, dz = c >> 2;
        const int cell = ((((iz + dz) & 63) << 6) + ((iy + dy) & 63) << 6) + ((ix + dx) & 63);
        const float w = (dx ? wx : 1.f - wx) * (dy ? wy : 1.f - wy) * (dz ? wz : 1.f - wz);
        const float4 e = efield[cell], b = bfield[cell];
        ex += w * e.x; ey += w * e.y; ez += w * e.z;
        bx += w * b.x; by += w * b.y; bz += w * b.z;
    }
    float ux = vx[i] + half_qmdt * ex, uy = vy[i] + half_qmdt * ey, uz = vz[i] + half_qmdt * ez;
    const float tx = half_qmdt * bx, ty = half_qmdt * by, tz = half_qmdt * bz;
    const float s = 2.f / (1.f + tx * tx + ty * ty + tz * tz);
    const float wx1 = ux + uy * tz - uz * ty, wy1 = uy + uz * tx - ux * tz, wz1 = uz + ux * ty - uy * tx;
    ux += s * (wy1 * tz - wz1 * ty);
    uy += s * (wz1 * tx - wx1 * tz);
    uz += s * (wx1 * ty - wy1 * tx);
    ux += half_qmdt * ex; uy += half_qmdt * ey; uz += half_qmdt * ez;
    x += dt * ux; y += dt * uy; z += dt * uz;
    x -= 64.f * floorf(x * (1.f / 64.f));
    y -= 64.f * floorf(y * (1.f / 64.f));
    z -= 64.f * floorf(z * (1.f / 64.f));
    px[i] = x; py[i] = y; pz[i] = z;
    vx[i] = ux; vy[i] = uy; vz[i] = uz;
}

/* kmutate launch
   int planes = 64 * 2048, area = 14 * 14;
   dim3 grid = { planes / 128 }, block = { 128 };
   float in[planes * area] = normal();
   float out[planes] = zeros();
   global_avg_pool_thread_owns_plane(in, out, planes, area);
*/
__global__ void global_avg_pool_thread_owns_plane(const float *__restrict__ in, float *__restrict__ out, int planes, int area)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= planes) return;
    const float *a = in + (size_t)p * area;
    float s = 0.f;
    for (int i = 0; i < area; ++i) s += a[i];
    out[p] = s / area;
}

/* kmutate launch
   int batches = 4096;
   dim3 grid = { batches }, block = { 16, 16 };
   float a[batches * 64 * 32] = normal();
   float gram[batches * 64 * 64] = zeros();
   batched_gram_64x32_unpadded_tile(a, gram);
*/
__global__ void batched_gram_64x32_unpadded_tile(const float *__restrict__ a, float *__restrict__ gram)
{
    __shared__ float tile[64][32];
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    const float *src = a + (size_t)blockIdx.x * 2048;
    for (int i = tid; i < 2048; i += 256) tile[i >> 5][i & 31] = src[i];
    __syncthreads();
    float s[4][4] = {};
    for (int k = 0; k < 32; ++k) {
        float l[4], r[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            l[i] = tile[ty + 16 * i][k];
            r[i] = tile[tx + 16 * i][k];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) s[i][j] += l[i] * r[j];
    }
    float *dst = gram + (size_t)blockIdx.x * 4096;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) dst[(ty + 16 * i) * 64 + tx + 16 * j] = s[i][j];
}

/* kmutate launch
   int n = 1 << 20;
   dim3 grid = { n / 256 }, block = { 256 };
   float shape[n] = uniform(0.2, 4);
   float out[n * 8] = zeros();
   gamma_variates_philox_rejection(shape, out, 1234u, 77u, n);
*/
__global__ void gamma_variates_philox_rejection(const float *__restrict__ shape, float *__restrict__ out,
                                                unsigned seed_lo, unsigned seed_hi, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float alpha = shape[i];
    const float al = alpha < 1.f ? alpha + 1.f : alpha;
    const float d = al - 1.f / 3.f, c = rsqrtf(9.f * d);
    unsigned draw = 0;
    for (int sample = 0; sample < 8; ++sample) {
        float g;
        for (;;) {
            unsigned c0 = (unsigned)i, c1 = draw++, c2 = 0x1234567u, c3 = 0u, k0 = seed_lo, k1 = seed_hi;
#pragma unroll
            for (int r = 0; r < 10; ++r) {
                const unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0;
                const unsigned h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
                c0 = h1 ^ c1 ^ k0;
                c1 = l1;
                c2 = h0 ^ c3 ^ k1;
                c3 = l0;
                k0 += 0x9E3779B9u;
                k1 += 0xBB67AE85u;
            }
            const float u0 = (c0 >> 8) * 5.9604645e-8f + 2.98e-8f, u1 = (c1 >> 8) * 5.9604645e-8f;
            const float u2 = (c2 >> 8) * 5.9604645e-8f + 2.98e-8f, u3 = (c3 >> 8) * 5.9604645e-8f + 2.98e-8f;
            const float x = sqrtf(-2.f * __logf(u0)) * cospif(2.f * u1);
            float t = 1.f + c * x;
            if (t <= 0.f) continue;
            t = t * t * t;
            if (u2 < 1.f - 0.0331f * x * x * x * x || logf(u2) < 0.5f * x * x + d * (1.f - t + logf(t))) {
                g = d * t;
                if (alpha < 1.f) g *= powf(u3, 1.f / alpha);
                break;
            }
        }
        out[(size_t)sample * n + i] = g;
    }
}

/* kmutate launch
   int rows = 200000, cols = 200000, lo = 4, hi = 64;
   int nnz = csr_nnz(rows, lo, hi);
   dim3 grid = { rows }, block = { 32 };
   int rowptr[rows + 1] = csr_rowptr(rows, lo, hi);
   int colidx[nnz] = csr_colidx(cols);
   float values[nnz] = uniform(-1, 1);
   float x[cols] = normal();
   float y[rows] = zeros();
   csr_spmv_one_tiny_block_per_row(rowptr, colidx, values, x, y);
*/
__global__ void csr_spmv_one_tiny_block_per_row(const int *__restrict__ rowptr, const int *__restrict__ colidx,
                                                const float *__restrict__ values, const float *__restrict__ x, float *__restrict__ y)
{
    __shared__ float part[32];
    const int row = blockIdx.x, t = threadIdx.x;
    float s = 0.f;
    for (int j = rowptr[row] + t; j < rowptr[row + 1]; j += 32) s += values[j] * x[colidx[j]];
    part[t] = s;
    __syncthreads();
    for (int h = 16; h; h >>= 1) {
        if (t < h) part[t] += part[t + h];
        __syncthreads();
    }
    if (t == 0) y[row] = part[0];
}

/* kmutate launch
   int channels = 16896, samples = 1024;
   dim3 grid = { channels / 64 }, block = { 64 };
   float in[channels * samples] = normal();
   float out[channels * samples] = zeros();
   float cutoff[channels] = uniform(0.02, 0.3);
   biquad_cascade_thread_per_channel(in, out, cutoff, channels, samples);
*/
__global__ void biquad_cascade_thread_per_channel(const float *in, float *out, const float *cutoff, int channels, int samples)
{
    const int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    float sn, cs;
    sincosf(6.2831853f * cutoff[ch], &sn, &cs);
    const float alpha = sn * 0.70710678f, inv = 1.f / (1.f + alpha);
    const float b0 = 0.5f * (1.f - cs) * inv, b1 = (1.f - cs) * inv;
    const float a1 = -2.f * cs * inv, a2 = (1.f - alpha) * inv;
    float z[3][2] = {};
    for (int t = 0; t < samples; ++t) {
        float v = in[(size_t)t * channels + ch];
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const float o = b0 * v + z[k][0];
            z[k][0] = b1 * v - a1 * o + z[k][1];
            z[k][1] = b0 * v - a2 * o;
            v = o;
        }
        out[(size_t)t * channels + ch] = v;
    }
}

struct PermuteShape5 { int size[5]; int stride[5]; };

/* kmutate launch
   struct PermuteShape5 { int size[5]; int stride[5]; };
   long long total = 16LL * 24 * 28 * 28 * 32;
   dim3 grid = { (total + 255) / 256 }, block = { 256 };
   float in[total] = normal();
   float out[total] = zeros();
   struct PermuteShape5 shape = { .size = { 16, 28, 24, 32, 28 }, .stride = { 602112, 32, 25088, 1, 896 } };
   permute_5d_runtime_shape_div64(in, out, shape, total);
*/
__global__ void permute_5d_runtime_shape_div64(const float *in, float *out, PermuteShape5 shape, long long total)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    long long rest = i, from = 0;
#pragma unroll
    for (int d = 4; d >= 0; --d) {
        const long long q = rest / shape.size[d];
        from += (rest - q * shape.size[d]) * shape.stride[d];
        rest = q;
    }
    out[i] = in[from];
}

/* kmutate launch
   int n = 33792 * 4;
   dim3 grid = { n / 128 }, block = { 128 };
   double a[36 * n] = uniform(-1, 1);
   double inv[36 * n] = zeros();
   block_jacobi_invert6x6_in_registers(a, inv, 8.0, n);
*/
__global__ void block_jacobi_invert6x6_in_registers(const double *__restrict__ a, double *__restrict__ inv, double shift, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double m[6][6];
#pragma unroll
    for (int r = 0; r < 6; ++r)
#pragma unroll
        for (int c = 0; c < 6; ++c) m[r][c] = a[(size_t)(r * 6 + c) * n + i] + (r == c ? shift : 0.0);
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        const double p = 1.0 / m[k][k];
        m[k][k] = 1.0;
#pragma unroll
        for (int c = 0; c < 6; ++c) m[k][c] *= p;
#pragma unroll
        for (int r = 0; r < 6; ++r) {
            if (r == k) continue;
            const double f = m[r][k];
            m[r][k] = 0.0;
#pragma unroll
            for (int c = 0; c < 6; ++c) m[r][c] -= f * m[k][c];
        }
    }
#pragma unroll
    for (int r = 0; r < 6; ++r)
#pragma unroll
        for (int c = 0; c < 6; ++c) inv[(size_t)(r * 6 + c) * n + i] = m[r][c];
}

/* kmutate launch
   int blocks = 1056, vectors_per_thread = 62;
   int n4 = blocks * 64 * vectors_per_thread;
   dim3 grid = { blocks }, block = { 64 };
   uint8_t pixels[n4 * 16] = randint(16, 236);
   unsigned partial[blocks * 256] = zeros();
   image_histogram_private_bins_per_thread((const uint4 *)pixels, partial, n4);
*/
__global__ void image_histogram_private_bins_per_thread(const uint4 *__restrict__ pixels, unsigned *__restrict__ partial, int n4)
{
    __shared__ unsigned short bins[256][64];
    const int t = threadIdx.x;
    for (int b = 0; b < 256; ++b) bins[b][t] = 0;
    for (int i = blockIdx.x * 64 + t; i < n4; i += gridDim.x * 64) {
        const uint4 v = pixels[i];
        const unsigned w[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            bins[w[k] & 255u][t]++;
            bins[(w[k] >> 8) & 255u][t]++;
            bins[(w[k] >> 16) & 255u][t]++;
            bins[w[k] >> 24][t]++;
        }
    }
    __syncthreads();
    for (int b = t; b < 256; b += 64) {
        unsigned s = 0;
        for (int j = 0; j < 64; ++j) s += bins[b][(j + t) & 63];
        partial[blockIdx.x * 256 + b] = s;
    }
}

/* kmutate launch
   int n = 262144, clusters = 16;
   dim3 grid = { n / 256 }, block = { 256 };
   float4 points[n] = uniform(0, 1);
   float4 centroids[clusters] = uniform(0.1, 0.9);
   float sums[clusters * 4] = zeros();
   int counts[clusters] = zeros();
   int label[n] = zeros();
   kmeans_assign_global_atomic_update(points, centroids, sums, counts, label, clusters, n);
*/
__global__ void kmeans_assign_global_atomic_update(const float4 *__restrict__ points, const float4 *__restrict__ centroids,
                                                   float *sums, int *counts, int *__restrict__ label, int clusters, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = points[i];
    float best = 3.4e38f;
    int which = 0;
    for (int c = 0; c < clusters; ++c) {
        const float4 q = centroids[c];
        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, dw = p.w - q.w;
        const float dist = dx * dx + dy * dy + dz * dz + dw * dw;
        if (dist < best) { best = dist; which = c; }
    }
    label[i] = which;
    atomicAdd(&sums[which * 4], p.x);
    atomicAdd(&sums[which * 4 + 1], p.y);
    atomicAdd(&sums[which * 4 + 2], p.z);
    atomicAdd(&sums[which * 4 + 3], p.w);
    atomicAdd(&counts[which], 1);
}

/* kmutate launch
   int queries = 33792, refs = 2048;
   dim3 grid = { queries / 128 }, block = { 128 };
   float3 query[queries] = uniform(0, 1);
   float3 ref[refs] = uniform(0, 1);
   int neighbour[queries * 16] = zeros();
   float dist2[queries * 16] = zeros();
   knn16_insertion_into_local_list(query, ref, neighbour, dist2, queries, refs);
*/
__global__ void knn16_insertion_into_local_list(const float3 *__restrict__ query, const float3 *__restrict__ ref,
                                                int *__restrict__ neighbour, float *__restrict__ dist2, int queries, int refs)
{
    __shared__ float4 chunk[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float3 p = query[i < queries ? i : queries - 1];
    float best[16];
    int id[16];
    for (int k = 0; k < 16; ++k) { best[k] = 3.4e38f; id[k] = -1; }
    float worst = 3.4e38f;
    for (int base = 0; base < refs; base += 128) {
        __syncthreads();
        if (base + (int)threadIdx.x < refs) {
            const float3 r = ref[base + threadIdx.x];
            chunk[threadIdx.x] = make_float4(r.x, r.y, r.z, 0.f);
        }
        __syncthreads();
        const int count = min(128, refs - base);
        for (int j = 0; j < count; ++j) {
            const float4 r = chunk[j];
            const float dx = p.x - r.x, dy = p.y - r.y, dz = p.z - r.z;
            const float d = dx * dx + dy * dy + dz * dz;
            if (d < worst) {
                int at = 15;
                while (at > 0 && best[at - 1] > d) {
                    best[at] = best[at - 1];
                    id[at] = id[at - 1];
                    --at;
                }
                best[at] = d;
                id[at] = base + j;
                worst = best[15];
            }
        }
    }
    if (i < queries)
        for (int k = 0; k < 16; ++k) {
            neighbour[(size_t)k * queries + i] = id[k];
            dist2[(size_t)k * queries + i] = best[k];
        }
}
