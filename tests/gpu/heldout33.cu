// Twenty kernels of inference servers, ocean and weather models, molecular dynamics, telescopes and scanners, codecs,
// column stores, meshes, simulations, indexes and log pipelines.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

// ---------------------------------------------------------------------------------------------- inference

/* kmutate launch
   int batch = 32, heads = 16, cache = 1028;
   dim3 grid = { heads, batch }, block = { 128 };
   signed char q[batch * heads * 128] = randint(-127, 128);
   float qscale[batch * heads] = uniform(0.008, 0.02);
   signed char k[batch * heads * cache * 128] = randint(-127, 128);
   half kscale[batch * heads * cache] = uniform(0.008, 0.02);
   signed char v[batch * heads * cache * 128] = randint(-127, 128);
   half vscale[batch * heads * cache] = uniform(0.008, 0.02);
   int length[batch] = randint(500, cache + 1);
   float sink[heads] = normal();
   __nv_bfloat16 out[batch * heads * 128] = zeros();
   sink_window_attend_int8_cache(q, qscale, k, kscale, v, vscale, length, sink, out, cache, 0.0883883f);
*/
__global__ void __launch_bounds__(128)
sink_window_attend_int8_cache(const signed char *__restrict__ q, const float *__restrict__ qscale,
                              const signed char *__restrict__ k, const half *__restrict__ kscale,
                              const signed char *__restrict__ v, const half *__restrict__ vscale,
                              const int *__restrict__ length, const float *__restrict__ sink,
                              __nv_bfloat16 *__restrict__ out, int cache, float scale)
{
    __shared__ float score[1028];
    __shared__ float red[4];
    __shared__ float4 part[4][32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int bh = blockIdx.y * gridDim.x + blockIdx.x;
    const int len = min(length[blockIdx.y], min(cache, 1028));
    const size_t base = (size_t)bh * cache * 128;

    const int sub = lane & 7, slot = lane >> 3;
    const int4 qv = reinterpret_cast<const int4 *>(q + (size_t)bh * 128)[sub];
    const float qs = qscale[bh] * scale;
    for (int t0 = warp * 4; t0 < len; t0 += 16) {
        const int t = t0 + slot;
        int dot = 0;
        if (t < len) {
            const int4 kv = reinterpret_cast<const int4 *>(k + base + (size_t)t * 128)[sub];
            dot = __dp4a(qv.x, kv.x, dot);
            dot = __dp4a(qv.y, kv.y, dot);
            dot = __dp4a(qv.z, kv.z, dot);
            dot = __dp4a(qv.w, kv.w, dot);
        }
        dot += __shfl_xor_sync(0xffffffffu, dot, 4);
        dot += __shfl_xor_sync(0xffffffffu, dot, 2);
        dot += __shfl_xor_sync(0xffffffffu, dot, 1);
        if (sub == 0 && t < len) score[t] = dot * qs * __half2float(kscale[(size_t)bh * cache + t]);
    }
    __syncthreads();

    const float sk = sink[blockIdx.x];
    float m = sk;
    for (int t = threadIdx.x; t < len; t += 128) m = fmaxf(m, score[t]);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (lane == 0) red[warp] = m;
    __syncthreads();
    m = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
    __syncthreads();
    float sum = 0.f;
    for (int t = threadIdx.x; t < len; t += 128) {
        const float p = __expf(score[t] - m);
        sum += p;
        score[t] = p * __half2float(vscale[(size_t)bh * cache + t]);
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) red[warp] = sum;
    __syncthreads();
    sum = red[0] + red[1] + red[2] + red[3] + __expf(sk - m);

    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 4
    for (int t = warp; t < len; t += 4) {
        const char4 c = reinterpret_cast<const char4 *>(v + base + (size_t)t * 128)[lane];
        const float p = score[t];
        acc.x += p * c.x;
        acc.y += p * c.y;
        acc.z += p * c.z;
        acc.w += p * c.w;
    }
    part[warp][lane] = acc;
    __syncthreads();
    const float *flat = reinterpret_cast<const float *>(part);
    const float total = flat[threadIdx.x] + flat[128 + threadIdx.x] + flat[256 + threadIdx.x] + flat[384 + threadIdx.x];
    out[(size_t)bh * 128 + threadIdx.x] = __float2bfloat16(total / sum);
}

/* kmutate launch
   int rows = 64, vocab = 50304;
   dim3 grid = { rows }, block = { 1024 };
   half logits[rows * vocab] = normal(0, 2.5);
   unsigned char seen[rows * vocab] = randint(0, 3);
   float draw[rows] = uniform(0, 1);
   int token[rows] = zeros();
   float logprob[rows] = zeros();
   min_p_penalised_sampler(logits, seen, draw, token, logprob, vocab, 1.25f, 0.15f, 0.02f);
*/
__device__ __forceinline__ float penalised_logit(half raw, unsigned char times, float inv_temp, float penalty)
{
    float l = __half2float(raw);
    if (times) l -= penalty * (1.f + 0.5f * times);
    return l * inv_temp;
}

__global__ void __launch_bounds__(1024) min_p_penalised_sampler(const half *__restrict__ logits,
                                                                const unsigned char *__restrict__ seen,
                                                                const float *__restrict__ draw, int *__restrict__ token,
                                                                float *__restrict__ logprob, int vocab, float inv_temp,
                                                                float penalty, float min_p)
{
    __shared__ float warp_val[32];
    __shared__ float warp_from[33];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const half *l = logits + (size_t)blockIdx.x * vocab;
    const unsigned char *s = seen + (size_t)blockIdx.x * vocab;

    float m = -1e30f;
    for (int i = threadIdx.x; i < vocab; i += 1024) m = fmaxf(m, penalised_logit(l[i], s[i], inv_temp, penalty));
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (lane == 0) warp_val[warp] = m;
    __syncthreads();
    m = warp_val[lane];
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));

    const float floor_logit = m + logf(min_p);
    float mine = 0.f;
    for (int i = threadIdx.x; i < vocab; i += 1024) {
        const float x = penalised_logit(l[i], s[i], inv_temp, penalty);
        if (x >= floor_logit) mine += expf(x - m);
    }
    float incl = mine;
    for (int o = 1; o < 32; o <<= 1) {
        const float y = __shfl_up_sync(0xffffffffu, incl, o);
        if (lane >= o) incl += y;
    }
    __syncthreads();
    if (lane == 31) warp_val[warp] = incl;
    __syncthreads();
    if (threadIdx.x == 0) {
        float run = 0.f;
        for (int w = 0; w < 32; ++w) {
            warp_from[w] = run;
            run += warp_val[w];
        }
        warp_from[32] = run;
    }
    __syncthreads();
    const float total = warp_from[32];
    const float target = draw[blockIdx.x] * total;
    float from = warp_from[warp] + incl - mine;
    if (mine > 0.f && target >= from && target < from + mine) {
        int pick = -1;
        float at = 0.f;
        for (int i = threadIdx.x; i < vocab; i += 1024) {
            const float x = penalised_logit(l[i], s[i], inv_temp, penalty);
            if (x < floor_logit) continue;
            pick = i;
            at = x;
            from += expf(x - m);
            if (from > target) break;
        }
        token[blockIdx.x] = pick;
        logprob[blockIdx.x] = at - m - logf(total);
    }
}

// ---------------------------------------------------------------------------------------------- ocean and weather

/* kmutate launch
   int nx = 480, ny = 400, nz = 32;
   dim3 grid = { (nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2 }, block = { 32, 4, 2 };
   double u[nz * ny * nx] = normal(0, 0.3);
   double v[nz * ny * nx] = normal(0, 0.3);
   double h[nz * ny * nx] = uniform(8, 12);
   double eta[ny * nx] = normal(0, 0.2);
   double coriolis[ny] = uniform(0.00005, 0.00015);
   int bottom[ny * nx] = randint(12, nz + 1);
   double unew[nz * ny * nx] = zeros();
   cgrid_zonal_momentum_enstrophy(u, v, h, eta, coriolis, bottom, unew, nx, ny, nz, 0.0001, 0.0001, 9.81, 200.0, 60.0);
*/
__global__ void cgrid_zonal_momentum_enstrophy(const double *__restrict__ u, const double *__restrict__ v,
                                               const double *__restrict__ h, const double *__restrict__ eta,
                                               const double *__restrict__ coriolis, const int *__restrict__ bottom,
                                               double *__restrict__ unew, int nx, int ny, int nz, double rdx,
                                               double rdy, double g, double visc, double dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz) return;
    const int flat = j * nx + i;
    const int c = k * ny * nx + flat;
    if (k >= bottom[flat] || k >= bottom[flat + 1]) {
        unew[c] = 0.0;
        return;
    }
    const int n = c + nx, s = c - nx;
    const double uc = u[c], un = u[n], us = u[s], ue = u[c + 1], uw = u[c - 1];
    const double v00 = v[c], v10 = v[c + 1], v0s = v[s], v1s = v[s + 1];
    const double h00 = h[c], h10 = h[c + 1], h0n = h[n], h1n = h[n + 1], h0s = h[s], h1s = h[s + 1];

    const double zn = (v10 - v00) * rdx - (un - uc) * rdy;
    const double zs = (v1s - v0s) * rdx - (uc - us) * rdy;
    const double fn = 0.5 * (coriolis[j] + coriolis[j + 1]), fs = 0.5 * (coriolis[j] + coriolis[j - 1]);
    const double qn = 4.0 * (fn + zn) / (h00 + h10 + h0n + h1n);
    const double qs = 4.0 * (fs + zs) / (h00 + h10 + h0s + h1s);
    const double flux_n = 0.25 * (v00 * (h00 + h0n) + v10 * (h10 + h1n));
    const double flux_s = 0.25 * (v0s * (h00 + h0s) + v1s * (h10 + h1s));

    const double ke_w = 0.25 * (uc * uc + uw * uw + v00 * v00 + v0s * v0s);
    const double ke_e = 0.25 * (ue * ue + uc * uc + v10 * v10 + v1s * v1s);
    const double slope = g * (eta[flat + 1] - eta[flat]);
    const double diff = visc * ((ue - 2.0 * uc + uw) * rdx * rdx + (un - 2.0 * uc + us) * rdy * rdy);
    unew[c] = uc + dt * (0.5 * (qn * flux_n + qs * flux_s) - (ke_e - ke_w + slope) * rdx + diff);
}

/* kmutate launch
   int nx = 1440, ny = 720, levels = 16;
   dim3 grid = { (nx + 63) / 64, (ny + 3) / 4, levels }, block = { 64, 4 };
   float q[levels * ny * nx] = uniform(0, 1);
   float cu[levels * ny * nx] = normal(0.5, 1.2);
   float cv[levels * ny * nx] = normal(0, 0.8);
   float qnew[levels * ny * nx] = zeros();
   semilag_bicubic_monotone_tracer(q, cu, cv, qnew, nx, ny);
*/
__device__ __forceinline__ void lagrange_cubic(float t, float w[4])
{
    const float a = t + 1.f, b = t - 1.f, c = t - 2.f;
    w[0] = -t * b * c * (1.f / 6.f);
    w[1] = a * b * c * 0.5f;
    w[2] = -a * t * c * 0.5f;
    w[3] = a * t * b * (1.f / 6.f);
}

__global__ void semilag_bicubic_monotone_tracer(const float *__restrict__ q, const float *__restrict__ cu,
                                                const float *__restrict__ cv, float *__restrict__ qnew, int nx, int ny)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    const size_t level = (size_t)blockIdx.z * ny * nx;
    const size_t c = level + (size_t)j * nx + i;
    const float px = i - cu[c];
    const float py = fminf(fmaxf(j - cv[c], 0.f), ny - 1.f);
    const float fx = floorf(px), fy = floorf(py);
    const int x0 = (int)fx, y0 = (int)fy;
    float wx[4], wy[4];
    lagrange_cubic(px - fx, wx);
    lagrange_cubic(py - fy, wy);
    int col[4];
#pragma unroll
    for (int a = 0; a < 4; ++a) {
        int x = (x0 + a - 1) % nx;
        col[a] = x < 0 ? x + nx : x;
    }
    float sum = 0.f, lo = 3e38f, hi = -3e38f;
#pragma unroll
    for (int b = 0; b < 4; ++b) {
        const int y = min(max(y0 + b - 1, 0), ny - 1);
        const float *row = q + level + (size_t)y * nx;
        float line = 0.f;
#pragma unroll
        for (int a = 0; a < 4; ++a) {
            const float f = row[col[a]];
            line += wx[a] * f;
            if ((a == 1 || a == 2) && (b == 1 || b == 2)) {
                lo = fminf(lo, f);
                hi = fmaxf(hi, f);
            }
        }
        sum += wy[b] * line;
    }
    qnew[c] = fminf(fmaxf(sum, lo), hi);
}

// ---------------------------------------------------------------------------------------------- molecular dynamics

/* kmutate launch
   int iclusters = 20000, jclusters = 40000, lo = 24, hi = 72;
   int pairs = csr_nnz(iclusters, lo, hi);
   dim3 grid = { (iclusters + 3) / 4 }, block = { 128 };
   float4 xq[iclusters * 8] = uniform(0, 3.6);
   int type[iclusters * 8] = randint(0, 12);
   float2 lj[12 * 12] = uniform(0.0001, 0.0004);
   int start[iclusters + 1] = csr_rowptr(iclusters, lo, hi);
   int list[pairs] = csr_colidx(jclusters);
   unsigned char kind[pairs] = randint(0, 40);
   float force[iclusters * 8 * 3] = zeros();
   cluster_pairs_reaction_field(xq, type, lj, start, list, kind, force, iclusters, 3.6f, 1.44f, 0.2f);
*/
__global__ void __launch_bounds__(128)
cluster_pairs_reaction_field(const float4 *__restrict__ xq, const int *__restrict__ type, const float2 *__restrict__ lj,
                             const int *__restrict__ start, const int *__restrict__ list,
                             const unsigned char *__restrict__ kind, float *__restrict__ force, int iclusters,
                             float box, float cut2, float krf)
{
    __shared__ float2 table[144];
    for (int t = threadIdx.x; t < 144; t += blockDim.x) table[t] = lj[t];
    __syncthreads();
    const int lane = threadIdx.x & 31;
    const int ic = blockIdx.x * 4 + (threadIdx.x >> 5);
    if (ic >= iclusters) return;
    const int il = lane & 7, jl = lane >> 3;
    const int ia = ic * 8 + il;
    const float4 pi = xq[ia];
    const float qi = pi.w - 0.5f * box;
    const int ti = type[ia] * 12;
    const float inv_box = 1.f / box;
    float fx = 0.f, fy = 0.f, fz = 0.f;
    const int end = start[ic + 1];
    for (int e = start[ic]; e < end; ++e) {
        const int ja = list[e] * 4 + jl;
        const float4 pj = xq[ja];
        float dx = pi.x - pj.x, dy = pi.y - pj.y, dz = pi.z - pj.z;
        dx -= box * rintf(dx * inv_box);
        dy -= box * rintf(dy * inv_box);
        dz -= box * rintf(dz * inv_box);
        float r2 = dx * dx + dy * dy + dz * dz;
        bool in = r2 < cut2;
        if (kind[e] == 0) in = in && il > jl && il - jl != 1;
        float gx = 0.f, gy = 0.f, gz = 0.f;
        if (in) {
            r2 = fmaxf(r2, 0.01f);
            const float rinv = rsqrtf(r2), rinv2 = rinv * rinv;
            const float r6 = rinv2 * rinv2 * rinv2;
            const float2 p = table[ti + type[ja]];
            const float qq = qi * (pj.w - 0.5f * box);
            const float f = (12.f * p.x * 0.01f * r6 - 6.f * p.y) * r6 * rinv2 + qq * (rinv * rinv2 - 2.f * krf);
            gx = f * dx;
            gy = f * dy;
            gz = f * dz;
            fx += gx;
            fy += gy;
            fz += gz;
        }
#pragma unroll
        for (int o = 4; o; o >>= 1) {
            gx += __shfl_xor_sync(0xffffffffu, gx, o);
            gy += __shfl_xor_sync(0xffffffffu, gy, o);
            gz += __shfl_xor_sync(0xffffffffu, gz, o);
        }
        if (il < 3) atomicAdd(&force[ja * 3 + il], il == 0 ? -gx : il == 1 ? -gy : -gz);
    }
#pragma unroll
    for (int o = 16; o >= 8; o >>= 1) {
        fx += __shfl_xor_sync(0xffffffffu, fx, o);
        fy += __shfl_xor_sync(0xffffffffu, fy, o);
        fz += __shfl_xor_sync(0xffffffffu, fz, o);
    }
    if (jl < 3) atomicAdd(&force[ia * 3 + jl], jl == 0 ? fx : jl == 1 ? fy : fz);
}

/* kmutate launch
   int atoms = 240000, dim = 128;
   dim3 grid = { (atoms + 127) / 128 }, block = { 128 };
   float4 pos[atoms] = uniform(0, dim);
   float potential[dim * dim * dim] = normal();
   float fx[atoms] = zeros();
   float fy[atoms] = zeros();
   float fz[atoms] = zeros();
   pme_force_gather_fourth_order(pos, potential, fx, fy, fz, atoms, dim, 1.7f);
*/
__device__ __forceinline__ void bspline4(float t, float th[4], float dth[4])
{
    const float s = 1.f - t;
    const float a0 = 0.5f * s * s, a2 = 0.5f * t * t, a1 = 1.f - a0 - a2;
    dth[0] = -a0;
    dth[1] = a0 - a1;
    dth[2] = a1 - a2;
    dth[3] = a2;
    th[0] = a0 * s * (1.f / 3.f);
    th[3] = a2 * t * (1.f / 3.f);
    th[1] = ((t + 2.f) * a0 + (2.f - t) * a1) * (1.f / 3.f);
    th[2] = 1.f - th[0] - th[1] - th[3];
}

__global__ void pme_force_gather_fourth_order(const float4 *__restrict__ pos, const float *__restrict__ potential,
                                              float *__restrict__ fx, float *__restrict__ fy, float *__restrict__ fz,
                                              int atoms, int dim, float scale)
{
    const int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= atoms) return;
    const float4 p = pos[a];
    const int mask = dim - 1;
    const int ix = (int)p.x, iy = (int)p.y, iz = (int)p.z;
    float tx[4], ty[4], tz[4], dx[4], dy[4], dz[4];
    bspline4(p.x - ix, tx, dx);
    bspline4(p.y - iy, ty, dy);
    bspline4(p.z - iz, tz, dz);
    float gx = 0.f, gy = 0.f, gz = 0.f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int xo = ((ix + i) & mask) * dim;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float *line = potential + (xo + ((iy + j) & mask)) * dim;
            float s = 0.f, d = 0.f;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const float g = line[(iz + k) & mask];
                s += tz[k] * g;
                d += dz[k] * g;
            }
            gx += dx[i] * ty[j] * s;
            gy += tx[i] * dy[j] * s;
            gz += tx[i] * ty[j] * d;
        }
    }
    const float q = -scale * (p.w - 0.5f * dim) * (1.f / dim);
    fx[a] = q * gx;
    fy[a] = q * gy;
    fz[a] = q * gz;
}

// ---------------------------------------------------------------------------------------------- radio astronomy, MRI

/* kmutate launch
   int rows = 16384, channels = 64, size = 2048;
   dim3 grid = { 1, rows / 4 }, block = { 64, 4 };
   float2 plane[size * size] = normal();
   float2 uv[rows] = normal(0, 70);
   float2 phase_centre[rows] = uniform(-0.5, 0.5);
   float inverse_wavelength[channels] = iota(4.0, 0.02);
   float taps[33 * 7] = uniform(0.02, 0.3);
   float2 vis[rows * channels] = zeros();
   degrid_channels_separable_kernel(plane, uv, phase_centre, inverse_wavelength, taps, vis, size, channels);
*/
__global__ void degrid_channels_separable_kernel(const float2 *__restrict__ plane, const float2 *__restrict__ uv,
                                                 const float2 *__restrict__ phase_centre,
                                                 const float *__restrict__ inverse_wavelength,
                                                 const float *__restrict__ taps, float2 *__restrict__ vis, int size,
                                                 int channels)
{
    __shared__ float kernel[33 * 7];
    for (int t = threadIdx.y * 64 + threadIdx.x; t < 33 * 7; t += 256) kernel[t] = taps[t];
    __syncthreads();
    const int ch = blockIdx.x * 64 + threadIdx.x;
    const int row = blockIdx.y * 4 + threadIdx.y;
    const float il = inverse_wavelength[ch];
    const float2 m = uv[row];
    const float u = m.x * il + 0.5f * size, w = m.y * il + 0.5f * size;
    const float fu = rintf(u), fv = rintf(w);
    const int iu = (int)fu, iv = (int)fv;
    float2 out = make_float2(0.f, 0.f);
    if (iu >= 3 && iv >= 3 && iu < size - 3 && iv < size - 3) {
        const float *ku = kernel + 7 * (int)((u - fu + 0.5f) * 32.f);
        const float *kv = kernel + 7 * (int)((w - fv + 0.5f) * 32.f);
        float norm = 0.f;
        for (int b = 0; b < 7; ++b) {
            const float2 *line = plane + (size_t)(iv + b - 3) * size + iu - 3;
            float re = 0.f, im = 0.f, kw = 0.f;
#pragma unroll
            for (int a = 0; a < 7; ++a) {
                const float2 g = line[a];
                re += ku[a] * g.x;
                im += ku[a] * g.y;
                kw += ku[a];
            }
            out.x += kv[b] * re;
            out.y += kv[b] * im;
            norm += kv[b] * kw;
        }
        const float2 pc = phase_centre[row];
        float sn, cs;
        sincospif(2.f * (pc.x * m.x + pc.y * m.y) * il * 0.01f, &sn, &cs);
        const float inv = 1.f / norm;
        out = make_float2((out.x * cs - out.y * sn) * inv, (out.x * sn + out.y * cs) * inv);
    }
    vis[(size_t)row * channels + ch] = out;
}

/* kmutate launch
   int pixels = 320 * 320 * 10, coils = 12;
   dim3 grid = { (pixels + 255) / 256 }, block = { 256 };
   half2 sens[coils * pixels] = normal(0, 0.4);
   float2 image[coils * pixels] = normal();
   float2 x[pixels] = normal();
   float2 residual[pixels] = zeros();
   double norms[2] = zeros();
   sense_adjoint_coils_and_norms(sens, image, x, residual, norms, pixels, coils, 0.02f);
*/
__global__ void sense_adjoint_coils_and_norms(const half2 *__restrict__ sens, const float2 *__restrict__ image,
                                              const float2 *__restrict__ x, float2 *__restrict__ residual,
                                              double *__restrict__ norms, int pixels, int coils, float lambda)
{
    __shared__ float part[2][8];
    const int p = blockIdx.x * 256 + threadIdx.x;
    float rr = 0.f, xr = 0.f;
    if (p < pixels) {
        float re = 0.f, im = 0.f, energy = 0.f;
#pragma unroll 4
        for (int c = 0; c < coils; ++c) {
            const float2 s = __half22float2(sens[(size_t)c * pixels + p]);
            const float2 g = image[(size_t)c * pixels + p];
            re += s.x * g.x + s.y * g.y;
            im += s.x * g.y - s.y * g.x;
            energy += s.x * s.x + s.y * s.y;
        }
        const float2 xv = x[p];
        const float w = rsqrtf(energy + 1e-4f);
        const float2 r = make_float2(w * re - lambda * xv.x, w * im - lambda * xv.y);
        residual[p] = r;
        rr = r.x * r.x + r.y * r.y;
        xr = xv.x * r.x + xv.y * r.y;
    }
    for (int o = 16; o; o >>= 1) {
        rr += __shfl_down_sync(0xffffffffu, rr, o);
        xr += __shfl_down_sync(0xffffffffu, xr, o);
    }
    if ((threadIdx.x & 31) == 0) {
        part[0][threadIdx.x >> 5] = rr;
        part[1][threadIdx.x >> 5] = xr;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        float s = 0.f;
        for (int w = 0; w < 8; ++w) s += part[threadIdx.x][w];
        atomicAdd(&norms[threadIdx.x], (double)s);
    }
}

// ---------------------------------------------------------------------------------------------- video

/* kmutate launch
   int w = 3840, h = 2160, frames = 3, ctus = (w / 64) * ((h + 63) / 64);
   dim3 grid = { w / 64, (h + 3) / 4, frames }, block = { 64, 4 };
   unsigned short rec[frames * w * h] = randint(0, 1024);
   unsigned char mode[frames * ctus] = randint(0, 6);
   unsigned char band[frames * ctus] = randint(0, 29);
   signed char offset[frames * ctus * 4] = randint(-7, 8);
   unsigned short out[frames * w * h] = zeros();
   sample_adaptive_offset_ten_bit(rec, mode, band, offset, out, w, h);
*/
__global__ void sample_adaptive_offset_ten_bit(const unsigned short *__restrict__ rec,
                                               const unsigned char *__restrict__ mode,
                                               const unsigned char *__restrict__ band,
                                               const signed char *__restrict__ offset,
                                               unsigned short *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * 64 + threadIdx.x;
    const int y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    const int across = w / 64, down = (h + 63) / 64;
    const int ctu = (blockIdx.z * down + y / 64) * across + x / 64;
    const size_t at = ((size_t)blockIdx.z * h + y) * w + x;
    const int c = rec[at];
    const int m = mode[ctu];
    int value = c;
    if (m == 1) {
        const int k = (c >> 5) - band[ctu];
        if (k >= 0 && k < 4) value += offset[ctu * 4 + k];
    } else if (m >= 2) {
        const int dx = m == 3 ? 0 : m == 5 ? -1 : 1;
        const int dy = m == 2 ? 0 : 1;
        if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
            const int step = dy * w + dx;
            const int a = rec[at - step], b = rec[at + step];
            const int e = 2 + (c > a) - (c < a) + (c > b) - (c < b);
            if (e != 2) value += offset[ctu * 4 + (e < 2 ? e : e - 1)];
        }
    }
    out[at] = (unsigned short)min(max(value, 0), 1023);
}

__constant__ int c_luma_taps[4][8] = {
    {0, 0, 0, 64, 0, 0, 0, 0}, {-1, 4, -10, 58, 17, -5, 1, 0}, {-1, 4, -11, 40, 40, -11, 4, -1},
    {0, 1, -5, 17, 58, -10, 4, -1}
};

/* kmutate launch
   int w = 1920, h = 1088, frames = 2;
   dim3 grid = { w / 16, h / 16, frames }, block = { 16, 16 };
   unsigned char ref0[frames * w * h] = randint(0, 256);
   unsigned char ref1[frames * w * h] = randint(0, 256);
   short2 mv0[frames * (w / 16) * (h / 16)] = randint(-96, 97);
   short2 mv1[frames * (w / 16) * (h / 16)] = randint(-96, 97);
   unsigned char direction[frames * (w / 16) * (h / 16)] = randint(1, 4);
   unsigned char pred[frames * w * h] = zeros();
   bipredict_quarter_sample_blocks(ref0, ref1, mv0, mv1, direction, pred, w, h);
*/
__device__ __forceinline__ int interpolate_block(const unsigned char *__restrict__ ref, short2 mv, int w, int h,
                                                 unsigned char (*patch)[24], short (*mid)[16])
{
    const int tid = threadIdx.y * 16 + threadIdx.x;
    const int x0 = blockIdx.x * 16 + (mv.x >> 2) - 3, y0 = blockIdx.y * 16 + (mv.y >> 2) - 3;
    const int *hx = c_luma_taps[mv.x & 3], *vy = c_luma_taps[mv.y & 3];
    __syncthreads();
    for (int t = tid; t < 23 * 23; t += 256) {
        const int r = t / 23, c = t - r * 23;
        patch[r][c] = ref[min(max(y0 + r, 0), h - 1) * w + min(max(x0 + c, 0), w - 1)];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 23; r += 16) {
        int s = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) s += hx[k] * patch[r][threadIdx.x + k];
        mid[r][threadIdx.x] = (short)s;
    }
    __syncthreads();
    int s = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) s += vy[k] * mid[threadIdx.y + k][threadIdx.x];
    return s >> 6;
}

__global__ void __launch_bounds__(256)
bipredict_quarter_sample_blocks(const unsigned char *__restrict__ ref0, const unsigned char *__restrict__ ref1,
                                const short2 *__restrict__ mv0, const short2 *__restrict__ mv1,
                                const unsigned char *__restrict__ direction, unsigned char *__restrict__ pred, int w,
                                int h)
{
    __shared__ unsigned char patch[23][24];
    __shared__ short mid[23][16];
    const int unit = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const size_t frame = (size_t)blockIdx.z * w * h;
    const int dir = direction[unit];
    int value = 0;
    if (dir & 1) value += interpolate_block(ref0 + frame, mv0[unit], w, h, patch, mid);
    if (dir & 2) value += interpolate_block(ref1 + frame, mv1[unit], w, h, patch, mid);
    value = dir == 3 ? (value + 64) >> 7 : (value + 32) >> 6;
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    pred[frame + (size_t)y * w + x] = (unsigned char)min(max(value, 0), 255);
}

// ---------------------------------------------------------------------------------------------- columns

/* kmutate launch
   int trades = 3000000, quotes = 1 << 23, symbols = 4000;
   dim3 grid = { (trades + 255) / 256 }, block = { 256 };
   long long quote_key[quotes] = ascending(0, 4000LL << 32);
   float bid[quotes] = uniform(99, 100);
   float ask[quotes] = uniform(100, 101);
   unsigned short symbol[trades] = randint(0, symbols);
   unsigned time[trades] = randint(0, 4294967295u);
   float price[trades] = uniform(99, 101);
   float slippage[trades] = zeros();
   int match[trades] = zeros();
   asof_join_latest_quote(quote_key, bid, ask, symbol, time, price, slippage, match, trades, quotes, 20000000LL);
*/
__global__ void __launch_bounds__(256)
asof_join_latest_quote(const long long *__restrict__ quote_key, const float *__restrict__ bid,
                       const float *__restrict__ ask, const unsigned short *__restrict__ symbol,
                       const unsigned *__restrict__ time, const float *__restrict__ price, float *__restrict__ slippage,
                       int *__restrict__ match, int trades, int quotes, long long max_age)
{
    __shared__ long long fence[512];
    const int stride = quotes / 512;
    for (int f = threadIdx.x; f < 512; f += 256) fence[f] = quote_key[(size_t)f * stride];
    __syncthreads();
    const int t = blockIdx.x * 256 + threadIdx.x;
    if (t >= trades) return;
    const long long key = ((long long)symbol[t] << 32) | time[t];
    int lo = 0, hi = 512;
    while (hi - lo > 1) {
        const int mid = (lo + hi) >> 1;
        if (fence[mid] <= key) lo = mid;
        else hi = mid;
    }
    int a = lo * stride, b = min(a + stride, quotes);
    while (b - a > 1) {
        const int mid = (a + b) >> 1;
        if (quote_key[mid] <= key) a = mid;
        else b = mid;
    }
    const long long found = quote_key[a];
    float slip = 0.f;
    int hit = -1;
    if (found <= key && (found >> 32) == (key >> 32) && key - found < max_age) {
        const float middle = 0.5f * (bid[a] + ask[a]);
        slip = (price[t] - middle) / middle * 1e4f;
        hit = a;
    }
    slippage[t] = slip;
    match[t] = hit;
}

/* kmutate launch
   int frames = 16384, lo = 5, hi = 20;
   int units = csr_nnz(frames, lo, hi);
   dim3 grid = { 2048 }, block = { 256 };
   int unit_start[frames + 1] = csr_rowptr(frames, lo, hi);
   unsigned packed[units * 32] = randint(0, 4294967295u);
   int reference[frames] = randint(0, 1000000);
   unsigned char group[frames * 1024] = randint(0, 24);
   int cents[frames * 1024] = randint(1, 100000);
   unsigned long long total[32] = zeros();
   unsigned long long count[32] = zeros();
   packed_frames_range_filter_group_sum(unit_start, packed, reference, group, cents, total, count, frames, 150000,
                                        900000);
*/
__global__ void __launch_bounds__(256)
packed_frames_range_filter_group_sum(const int *__restrict__ unit_start, const unsigned *__restrict__ packed,
                                     const int *__restrict__ reference, const unsigned char *__restrict__ group,
                                     const int *__restrict__ cents, unsigned long long *__restrict__ total,
                                     unsigned long long *__restrict__ count, int frames, int from, int to)
{
    __shared__ unsigned words[21 * 32 + 1];
    __shared__ unsigned long long sums[32];
    __shared__ unsigned counts[32];
    if (threadIdx.x < 32) {
        sums[threadIdx.x] = 0;
        counts[threadIdx.x] = 0;
    }
    for (int f = blockIdx.x; f < frames; f += gridDim.x) {
        const int first = unit_start[f];
        const int width = min(unit_start[f + 1] - first, 21);
        __syncthreads();
        for (int k = threadIdx.x; k < width * 32; k += 256) words[k] = packed[(size_t)first * 32 + k];
        if (threadIdx.x == 0) words[width * 32] = 0;
        __syncthreads();
        const int base = reference[f];
        const unsigned mask = (1u << width) - 1;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const int i = threadIdx.x + r * 256;
            const int bit = i * width;
            const unsigned raw = __funnelshift_r(words[bit >> 5], words[(bit >> 5) + 1], bit & 31);
            const int value = base + (int)(raw & mask);
            if (value >= from && value < to) {
                const size_t row = (size_t)f * 1024 + i;
                const int g = group[row];
                atomicAdd(&sums[g], (unsigned long long)cents[row]);
                atomicAdd(&counts[g], 1u);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < 32 && counts[threadIdx.x]) {
        atomicAdd(&total[threadIdx.x], sums[threadIdx.x]);
        atomicAdd(&count[threadIdx.x], (unsigned long long)counts[threadIdx.x]);
    }
}

// ---------------------------------------------------------------------------------------------- meshes

/* kmutate launch
   int side = 56, elements = side * side * side, nodes = (side + 1) * (side + 1) * (side + 1);
   dim3 grid = { (elements + 127) / 128 }, block = { 128 };
   int renumber[nodes] = permutation();
   double disp[nodes * 3] = normal(0, 0.0005);
   float2 material[elements] = uniform(1, 3);
   double residual[nodes * 3] = zeros();
   neo_hookean_hex8_internal_forces(renumber, disp, material, residual, side, 0.0178571428);
*/
__global__ void __launch_bounds__(128)
neo_hookean_hex8_internal_forces(const int *__restrict__ renumber, const double *__restrict__ disp,
                                 const float2 *__restrict__ material, double *__restrict__ residual, int side, double h)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= side * side * side) return;
    const int ex = e % side, ey = (e / side) % side, ez = e / (side * side);
    const int row = side + 1;
    int node[8];
    double u[8][3], r[8][3];
#pragma unroll
    for (int a = 0; a < 8; ++a) {
        node[a] = renumber[((ez + (a >> 2)) * row + ey + ((a >> 1) & 1)) * row + ex + (a & 1)];
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            u[a][d] = disp[node[a] * 3 + d];
            r[a][d] = 0.0;
        }
    }
    const float2 mat = material[e];
    const double mu = mat.x, lam = mat.y;
    const double weight = h * h * h * 0.125, to_x = 0.25 / h;
#pragma unroll 1
    for (int q = 0; q < 8; ++q) {
        const double xi = (q & 1) ? 0.5773502691896257 : -0.5773502691896257;
        const double et = (q & 2) ? 0.5773502691896257 : -0.5773502691896257;
        const double ze = (q & 4) ? 0.5773502691896257 : -0.5773502691896257;
        double F[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
#pragma unroll
        for (int a = 0; a < 8; ++a) {
            const double sx = (a & 1) ? 1.0 : -1.0, sy = (a & 2) ? 1.0 : -1.0, sz = (a & 4) ? 1.0 : -1.0;
            const double bx = 1.0 + sx * xi, by = 1.0 + sy * et, bz = 1.0 + sz * ze;
            const double g[3] = {sx * by * bz * to_x, sy * bx * bz * to_x, sz * bx * by * to_x};
#pragma unroll
            for (int i = 0; i < 3; ++i)
#pragma unroll
                for (int j = 0; j < 3; ++j) F[i][j] += u[a][i] * g[j];
        }
        double C[3][3];
        C[0][0] = F[1][1] * F[2][2] - F[1][2] * F[2][1];
        C[0][1] = F[1][2] * F[2][0] - F[1][0] * F[2][2];
        C[0][2] = F[1][0] * F[2][1] - F[1][1] * F[2][0];
        C[1][0] = F[0][2] * F[2][1] - F[0][1] * F[2][2];
        C[1][1] = F[0][0] * F[2][2] - F[0][2] * F[2][0];
        C[1][2] = F[0][1] * F[2][0] - F[0][0] * F[2][1];
        C[2][0] = F[0][1] * F[1][2] - F[0][2] * F[1][1];
        C[2][1] = F[0][2] * F[1][0] - F[0][0] * F[1][2];
        C[2][2] = F[0][0] * F[1][1] - F[0][1] * F[1][0];
        const double J = fmax(F[0][0] * C[0][0] + F[0][1] * C[0][1] + F[0][2] * C[0][2], 1e-3);
        const double t = (lam * log(J) - mu) / J;
        double P[3][3];
#pragma unroll
        for (int i = 0; i < 3; ++i)
#pragma unroll
            for (int j = 0; j < 3; ++j) P[i][j] = weight * (mu * F[i][j] + t * C[i][j]);
#pragma unroll
        for (int a = 0; a < 8; ++a) {
            const double sx = (a & 1) ? 1.0 : -1.0, sy = (a & 2) ? 1.0 : -1.0, sz = (a & 4) ? 1.0 : -1.0;
            const double bx = 1.0 + sx * xi, by = 1.0 + sy * et, bz = 1.0 + sz * ze;
            const double g[3] = {sx * by * bz * to_x, sy * bx * bz * to_x, sz * bx * by * to_x};
#pragma unroll
            for (int i = 0; i < 3; ++i) r[a][i] += P[i][0] * g[0] + P[i][1] * g[1] + P[i][2] * g[2];
        }
    }
#pragma unroll
    for (int a = 0; a < 8; ++a)
#pragma unroll
        for (int d = 0; d < 3; ++d) atomicAdd(&residual[node[a] * 3 + d], r[a][d]);
}

/* kmutate launch
   int vertices = 600000, edges = 1800000;
   dim3 grid = { (edges + 191) / 192 }, block = { 192 };
   float quadric[vertices * 10] = uniform(0.1, 1);
   float position[vertices * 3] = uniform(-1, 1);
   int first[edges] = ascending(0, vertices - 2000);
   int ahead[edges] = randint(1, 2000);
   float cost[edges] = zeros();
   float target[edges * 3] = zeros();
   edge_collapse_quadric_costs(quadric, position, first, ahead, cost, target, edges);
*/
__device__ __forceinline__ float quadric_error(const float *q, float x, float y, float z)
{
    return q[0] * x * x + q[4] * y * y + q[7] * z * z + q[9] +
           2.f * (q[1] * x * y + q[2] * x * z + q[3] * x + q[5] * y * z + q[6] * y + q[8] * z);
}

__global__ void edge_collapse_quadric_costs(const float *__restrict__ quadric, const float *__restrict__ position,
                                            const int *__restrict__ first, const int *__restrict__ ahead,
                                            float *__restrict__ cost, float *__restrict__ target, int edges)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const int a = first[e], b = a + ahead[e];
    float q[10];
#pragma unroll
    for (int i = 0; i < 10; ++i) q[i] = quadric[a * 10 + i] + quadric[b * 10 + i];
    const float c00 = q[4] * q[7] - q[5] * q[5];
    const float c01 = q[2] * q[5] - q[1] * q[7];
    const float c02 = q[1] * q[5] - q[2] * q[4];
    const float det = q[0] * c00 + q[1] * c01 + q[2] * c02;
    float x, y, z, err;
    if (fabsf(det) > 0.05f) {
        const float c11 = q[0] * q[7] - q[2] * q[2];
        const float c12 = q[1] * q[2] - q[0] * q[5];
        const float c22 = q[0] * q[4] - q[1] * q[1];
        const float inv = -1.f / det;
        x = inv * (c00 * q[3] + c01 * q[6] + c02 * q[8]);
        y = inv * (c01 * q[3] + c11 * q[6] + c12 * q[8]);
        z = inv * (c02 * q[3] + c12 * q[6] + c22 * q[8]);
        err = quadric_error(q, x, y, z);
    } else {
        const float ax = position[a * 3], ay = position[a * 3 + 1], az = position[a * 3 + 2];
        const float bx = position[b * 3], by = position[b * 3 + 1], bz = position[b * 3 + 2];
        x = ax;
        y = ay;
        z = az;
        err = quadric_error(q, ax, ay, az);
        for (int s = 1; s <= 4; ++s) {
            const float t = 0.25f * s;
            const float px = ax + t * (bx - ax), py = ay + t * (by - ay), pz = az + t * (bz - az);
            const float trial = quadric_error(q, px, py, pz);
            if (trial < err) {
                err = trial;
                x = px;
                y = py;
                z = pz;
            }
        }
    }
    cost[e] = err;
    target[e * 3] = x;
    target[e * 3 + 1] = y;
    target[e * 3 + 2] = z;
}

// ---------------------------------------------------------------------------------------------- Monte Carlo

/* kmutate launch
   int trials = 300000, lo = 4, hi = 60, catalogue = 1000000;
   int events = csr_nnz(trials, lo, hi);
   dim3 grid = { (trials + 127) / 128 }, block = { 128 };
   int start[trials + 1] = csr_rowptr(trials, lo, hi);
   int event[events] = randint(0, catalogue);
   float4 loss[catalogue] = uniform(0, 10);
   float4 terms[4] = { { 2, 6, 10, 60 }, { 3, 5, 8, 40 }, { 1, 8, 20, 90 }, { 4, 4, 5, 30 } };
   float4 annual[trials] = zeros();
   year_loss_four_layers(start, event, loss, terms, annual, trials);
*/
__global__ void year_loss_four_layers(const int *__restrict__ start, const int *__restrict__ event,
                                      const float4 *__restrict__ loss, const float4 *__restrict__ terms,
                                      float4 *__restrict__ annual, int trials)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= trials) return;
    const float4 l0 = terms[0], l1 = terms[1], l2 = terms[2], l3 = terms[3];
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f), paid = sum;
    const int end = start[t + 1];
    for (int e = start[t]; e < end; ++e) {
        const float4 x = loss[event[e]];
        sum.x += fminf(fmaxf(x.x - l0.x, 0.f), l0.y);
        sum.y += fminf(fmaxf(x.y - l1.x, 0.f), l1.y);
        sum.z += fminf(fmaxf(x.z - l2.x, 0.f), l2.y);
        sum.w += fminf(fmaxf(x.w - l3.x, 0.f), l3.y);
        const float px = fminf(fmaxf(sum.x - l0.z, 0.f), l0.w);
        const float py = fminf(fmaxf(sum.y - l1.z, 0.f), l1.w);
        const float pz = fminf(fmaxf(sum.z - l2.z, 0.f), l2.w);
        const float pw = fminf(fmaxf(sum.w - l3.z, 0.f), l3.w);
        if (px + py + pz + pw >= l0.w + l1.w + l2.w + l3.w) {
            paid = make_float4(l0.w, l1.w, l2.w, l3.w);
            break;
        }
        paid = make_float4(px, py, pz, pw);
    }
    annual[t] = paid;
}

/* kmutate launch
   int paths = 262144, steps = 64;
   dim3 grid = { paths / 256 }, block = { 256 };
   double sums[4] = zeros();
   jump_diffusion_knock_in_paths(sums, steps, 100.f, 105.f, 82.f, 0.03f, 0.22f, 1.4f, -0.08f, 0.12f, 0.015625f, 20291u);
*/
__device__ __forceinline__ uint32_t pcg_next(uint64_t &state)
{
    const uint64_t old = state;
    state = old * 6364136223846793005ull + 1442695040888963407ull;
    const uint32_t x = (uint32_t)(((old >> 18) ^ old) >> 27);
    return __funnelshift_r(x, x, (uint32_t)(old >> 59));
}

__global__ void __launch_bounds__(256)
jump_diffusion_knock_in_paths(double *__restrict__ sums, int steps, float spot, float strike, float barrier, float rate,
                              float sigma, float intensity, float jump_mean, float jump_dev, float dt, unsigned seed)
{
    __shared__ float part[4][8];
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t state = (uint64_t)path * 0x9E3779B97F4A7C15ull + seed;
    pcg_next(state);
    pcg_next(state);
    const float compensator = expf(jump_mean + 0.5f * jump_dev * jump_dev) - 1.f;
    const float drift = (rate - 0.5f * sigma * sigma - intensity * compensator) * dt;
    const float vol = sigma * sqrtf(dt), none = expf(-intensity * dt);
    const float log_barrier = logf(barrier / spot);
    float x = 0.f;
    bool knocked = false;
    for (int s = 0; s < steps; ++s) {
        const float u1 = (pcg_next(state) + 1.f) * 2.3283062e-10f;
        const float u2 = pcg_next(state) * 2.3283064e-10f;
        float sn, cs;
        sincospif(2.f * u2, &sn, &cs);
        const float radius = sqrtf(-2.f * logf(fminf(u1, 1.f)));
        x += drift + vol * radius * cs;
        float u = pcg_next(state) * 2.3283064e-10f, p = none, cdf = none;
        int jumps = 0;
        while (u > cdf && jumps < 8) {
            ++jumps;
            p *= intensity * dt / jumps;
            cdf += p;
        }
        if (jumps) x += jumps * jump_mean + sqrtf((float)jumps) * jump_dev * radius * sn;
        knocked = knocked || x < log_barrier;
    }
    const float terminal = spot * expf(x);
    const float discount = expf(-rate * dt * steps);
    const float pay = knocked ? discount * fmaxf(strike - terminal, 0.f) : 0.f;
    const float control = discount * terminal;
    float v[4] = {pay, control, pay * control, control * control};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        for (int o = 16; o; o >>= 1) v[k] += __shfl_xor_sync(0xffffffffu, v[k], o);
        if ((threadIdx.x & 31) == 0) part[k][threadIdx.x >> 5] = v[k];
    }
    __syncthreads();
    if (threadIdx.x < 4) {
        float s = 0.f;
        for (int w = 0; w < 8; ++w) s += part[threadIdx.x][w];
        atomicAdd(&sums[threadIdx.x], (double)s);
    }
}

// ---------------------------------------------------------------------------------------------- indexes

/* kmutate launch
   int queries = 256, probes = 16, lists = 1024, lo = 400, hi = 2400;
   int vectors = csr_nnz(lists, lo, hi);
   dim3 grid = { probes, queries }, block = { 256 };
   float distance_table[queries * 16 * 256] = uniform(0, 4);
   float coarse[queries * probes] = uniform(0, 2);
   int probe[queries * probes] = randint(0, lists);
   int list_start[lists + 1] = csr_rowptr(lists, lo, hi);
   uint4 codes[vectors] = randint(0, 4294967295u);
   unsigned long long best[queries * probes * 8] = zeros();
   product_codes_scan_probed_lists(distance_table, coarse, probe, list_start, codes, best);
*/
__global__ void __launch_bounds__(256)
product_codes_scan_probed_lists(const float *__restrict__ distance_table, const float *__restrict__ coarse,
                                const int *__restrict__ probe, const int *__restrict__ list_start,
                                const uint4 *__restrict__ codes, unsigned long long *__restrict__ best)
{
    __shared__ float table[16 * 256];
    __shared__ unsigned long long candidate[8];
    const float4 *src = reinterpret_cast<const float4 *>(distance_table + (size_t)blockIdx.y * 4096);
    for (int t = threadIdx.x; t < 1024; t += 256) reinterpret_cast<float4 *>(table)[t] = src[t];
    __syncthreads();
    const int slot = blockIdx.y * gridDim.x + blockIdx.x;
    const int list = probe[slot];
    const int begin = list_start[list], end = list_start[list + 1];
    const float base = coarse[slot];
    unsigned long long k0 = ~0ull, k1 = ~0ull;
    for (int i = begin + threadIdx.x; i < end; i += 256) {
        const uint4 c = codes[i];
        const unsigned word[4] = {c.x, c.y, c.z, c.w};
        float d = base;
#pragma unroll
        for (int m = 0; m < 16; ++m) d += table[m * 256 + ((word[m >> 2] >> (8 * (m & 3))) & 255)];
        const unsigned long long key = ((unsigned long long)__float_as_uint(d) << 32) | (unsigned)i;
        if (key < k0) {
            k1 = k0;
            k0 = key;
        } else if (key < k1) {
            k1 = key;
        }
    }
    for (int r = 0; r < 8; ++r) {
        unsigned long long m = k0;
        for (int o = 16; o; o >>= 1) {
            const unsigned long long other = __shfl_xor_sync(0xffffffffu, m, o);
            m = other < m ? other : m;
        }
        if ((threadIdx.x & 31) == 0) candidate[threadIdx.x >> 5] = m;
        __syncthreads();
        m = candidate[0];
#pragma unroll
        for (int w = 1; w < 8; ++w) m = candidate[w] < m ? candidate[w] : m;
        if (k0 == m) {
            k0 = k1;
            k1 = ~0ull;
        }
        if (threadIdx.x == 0) best[(size_t)slot * 8 + r] = m;
        __syncthreads();
    }
}

/* kmutate launch
   int log_n = 26, levels = 8, n = 1 << log_n, queries = 1000000;
   dim3 grid = { (queries + 255) / 256 }, block = { 256 };
   unsigned long long bits[levels * (n / 64)] = randint(0, 1LL << 62);
   unsigned super[levels * (n / 512)] = ascending(0, 260046848);
   unsigned char symbol[queries] = randint(0, 256);
   unsigned upto[queries] = randint(1000, n);
   unsigned answer[queries] = zeros();
   wavelet_tree_symbol_ranks(bits, super, symbol, upto, answer, log_n, levels, queries);
*/
__device__ __forceinline__ unsigned rank_ones(const unsigned long long *__restrict__ bits,
                                              const unsigned *__restrict__ super, unsigned at)
{
    const unsigned word = at >> 6;
    unsigned r = super[at >> 9];
    for (unsigned w = word & ~7u; w < word; ++w) r += __popcll(bits[w]);
    return r + __popcll(bits[word] & ((1ull << (at & 63)) - 1));
}

__global__ void wavelet_tree_symbol_ranks(const unsigned long long *__restrict__ bits,
                                          const unsigned *__restrict__ super,
                                          const unsigned char *__restrict__ symbol, const unsigned *__restrict__ upto,
                                          unsigned *__restrict__ answer, int log_n, int levels, int queries)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= queries) return;
    const unsigned n = 1u << log_n;
    const unsigned c = symbol[t];
    unsigned i = upto[t], from = 0, size = n;
    for (int level = 0; level < levels && i > 0; ++level) {
        const unsigned floor_at = level << log_n, last = floor_at + n - 1;
        const unsigned start = min(floor_at + from, last);
        const unsigned before = rank_ones(bits, super, start);
        const unsigned upper = rank_ones(bits, super, min(start + size, last));
        const unsigned inside = rank_ones(bits, super, min(start + i, last));
        const unsigned ones = min(max(upper, before) - before, size);
        const unsigned ones_i = min(max(inside, before) - before, i);
        if ((c >> (levels - 1 - level)) & 1) {
            from += size - ones;
            size = ones;
            i = ones_i;
        } else {
            size -= ones;
            i -= ones_i;
        }
    }
    answer[t] = i;
}

// ---------------------------------------------------------------------------------------------- strings and logs

/* kmutate launch
   int lines = 250000, lo = 40, hi = 180;
   int bytes = csr_nnz(lines, lo, hi);
   dim3 grid = { (lines + 127) / 128 }, block = { 128 };
   int line_start[lines + 1] = csr_rowptr(lines, lo, hi);
   unsigned char text[bytes] = randint(32, 127);
   unsigned long long fingerprint[lines] = zeros();
   unsigned short tokens[lines] = zeros();
   unsigned short numbers[lines] = zeros();
   log_line_template_fingerprints(line_start, text, fingerprint, tokens, numbers, lines);
*/
__global__ void log_line_template_fingerprints(const int *__restrict__ line_start,
                                               const unsigned char *__restrict__ text,
                                               unsigned long long *__restrict__ fingerprint,
                                               unsigned short *__restrict__ tokens,
                                               unsigned short *__restrict__ numbers, int lines)
{
    const int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= lines) return;
    unsigned long long hash = 14695981039346656037ull;
    int token_count = 0, number_count = 0;
    bool in_number = false, in_token = false;
    const int end = line_start[l + 1];
    for (int p = line_start[l]; p < end; ++p) {
        unsigned char c = text[p];
        if (c >= '0' && c <= '9') {
            if (in_number) continue;
            in_number = true;
            ++number_count;
            c = '#';
        } else if (in_number && (c == '.' || c == ':' || c == '-')) {
            continue;
        } else {
            in_number = false;
            if (c >= 'A' && c <= 'Z') c |= 32;
        }
        const bool separator = c == ' ' || c == ',' || c == '=' || c == '[' || c == ']' || c == '(' ||
                               c == ')' || c == ';';
        if (separator) {
            if (!in_token) continue;
            in_token = false;
            c = ' ';
        } else if (!in_token) {
            in_token = true;
            ++token_count;
        }
        hash = (hash ^ c) * 1099511628211ull;
    }
    fingerprint[l] = hash;
    tokens[l] = (unsigned short)token_count;
    numbers[l] = (unsigned short)number_count;
}

/* kmutate launch
   int strings = 200000, lo = 20, hi = 300;
   int bytes = csr_nnz(strings, lo, hi);
   dim3 grid = { (strings + 7) / 8 }, block = { 256 };
   int start[strings + 1] = csr_rowptr(strings, lo, hi);
   unsigned char in[bytes] = randint(33, 71);
   unsigned char out[bytes] = zeros();
   int out_length[strings] = zeros();
   percent_decode_url_warps(start, in, out, out_length, strings);
*/
__device__ __forceinline__ int hex_digit(unsigned char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

__global__ void percent_decode_url_warps(const int *__restrict__ start, const unsigned char *__restrict__ in,
                                         unsigned char *__restrict__ out, int *__restrict__ out_length, int strings)
{
    const int lane = threadIdx.x & 31;
    const int s = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (s >= strings) return;
    const int begin = start[s], end = start[s + 1];
    int written = 0;
    unsigned carried = 0;
    for (int chunk = begin; chunk < end; chunk += 32) {
        const int p = chunk + lane;
        unsigned char c = p < end ? in[p] : 0;
        int value = -1;
        if (c == '%' && p + 2 < end) {
            const int high = hex_digit(in[p + 1]), low = hex_digit(in[p + 2]);
            if (high >= 0 && low >= 0) value = high * 16 + low;
        }
        const unsigned starts = __ballot_sync(0xffffffffu, value >= 0);
        const unsigned tails = (starts << 1) | (starts << 2) | carried;
        carried = (starts >> 31) | (starts >> 30);
        const bool keep = p < end && !((tails >> lane) & 1);
        const unsigned kept = __ballot_sync(0xffffffffu, keep);
        if (keep) {
            if (value >= 0) c = (unsigned char)value;
            else if (c == '+') c = ' ';
            out[begin + written + __popc(kept & ((1u << lane) - 1))] = c;
        }
        written += __popc(kept);
    }
    if (lane == 0) out_length[s] = written;
}
