#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int cols = 65536, levels = 50;
   dim3 grid = { (cols + 127) / 128 }, block = { 128 };
   float qr[levels * cols] = uniform(0, 0.002);
   float rho[levels * cols] = uniform(0.4, 1.2);
   float dz_level[levels] = uniform(120, 400);
   float stretch[cols] = uniform(0.6, 1.5);
   float precip[cols] = zeros();
   rain_fallout_courant_substeps(qr, rho, dz_level, stretch, precip, cols, levels, 60.f);
*/
__device__ __forceinline__ float rain_fall_speed(float q, float rho)
{
    return 36.34f * powf(fmaxf(q * rho * 0.001f, 1e-12f), 0.1364f) * sqrtf(1.2f / rho);
}

__global__ void rain_fallout_courant_substeps(float *qr, const float *rho, const float *dz_level, const float *stretch,
                                              float *precip, int cols, int levels, float dt)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    const float s = stretch[c];
    float courant = 0.f;
    for (int k = 0; k < levels; ++k) {
        const float vt = rain_fall_speed(qr[k * cols + c], rho[k * cols + c]);
        courant = fmaxf(courant, vt * dt / (dz_level[k] * s));
    }
    const int steps = max(1, (int)ceilf(courant / 0.75f));
    const float dts = dt / steps;
    float ground = 0.f;
    for (int n = 0; n < steps; ++n) {
        float above = 0.f;
        for (int k = levels - 1; k >= 0; --k) {
            const float q = qr[k * cols + c], r = rho[k * cols + c];
            const float flux = r * q * rain_fall_speed(q, r);
            qr[k * cols + c] = fmaxf(0.f, q + dts * (above - flux) / (r * dz_level[k] * s));
            above = flux;
        }
        ground += above * dts;
    }
    precip[c] += ground;
}

/* kmutate launch
   int nt = 1500, offsets = 48, cdps = 200;
   dim3 grid = { (nt + 127) / 128, cdps }, block = { 128 };
   float gathers[cdps * offsets * nt] = normal();
   float offset_m[offsets] = iota(100, 60);
   float vrms[nt] = ascending(1500, 4500);
   float lateral[cdps] = uniform(0.95, 1.05);
   float sinc[64 * 8] = uniform(-0.2, 0.5);
   float stack[cdps * nt] = zeros();
   nmo_stack_sinc_table(gathers, offset_m, vrms, lateral, sinc, stack, nt, offsets, 0.004f, 1.4f);
*/
__global__ void nmo_stack_sinc_table(const float *__restrict__ gathers, const float *__restrict__ offset_m,
                                     const float *__restrict__ vrms, const float *__restrict__ lateral,
                                     const float *__restrict__ sinc, float *__restrict__ stack, int nt, int offsets,
                                     float dt, float stretch_mute)
{
    __shared__ float table[64 * 8];
    for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x) table[i] = sinc[i];
    __syncthreads();
    const int it = blockIdx.x * blockDim.x + threadIdx.x;
    const int cdp = blockIdx.y;
    if (it >= nt) return;
    const float t0 = it * dt;
    const float v = vrms[it] * lateral[cdp];
    const float inv_v2 = 1.f / (v * v);
    const float *g = gathers + (size_t)cdp * offsets * nt;
    float sum = 0.f;
    int fold = 0;
    for (int h = 0; h < offsets; ++h, g += nt) {
        const float x = offset_m[h];
        const float t = sqrtf(t0 * t0 + x * x * inv_v2);
        if (t > stretch_mute * t0) continue;
        const float pos = t / dt;
        const int at = (int)pos;
        if (at < 3 || at + 4 >= nt) continue;
        const float *w = table + 8 * (int)((pos - at) * 64.f);
        float value = 0.f;
#pragma unroll
        for (int j = 0; j < 8; ++j) value += w[j] * g[at - 3 + j];
        sum += value;
        ++fold;
    }
    stack[cdp * nt + it] = fold ? sum / fold : 0.f;
}

/* kmutate launch
   int traces = 24576, nt = 750;
   dim3 grid = { (traces + 127) / 128 }, block = { 128 };
   float in[traces * nt] = normal();
   float out[traces * nt] = zeros();
   gain_control_trace_per_thread(in, out, traces, nt, 50, 0.001f);
*/
__global__ void gain_control_trace_per_thread(const float *in, float *out, int traces, int nt, int half_window,
                                              float eps)
{
    const int trace = blockIdx.x * blockDim.x + threadIdx.x;
    if (trace >= traces) return;
    const float *x = in + (size_t)trace * nt;
    float *y = out + (size_t)trace * nt;
    float energy = 0.f;
    int count = 0;
    for (int i = 0; i < half_window && i < nt; ++i) {
        energy += x[i] * x[i];
        ++count;
    }
    for (int i = 0; i < nt; ++i) {
        if (i + half_window < nt) {
            const float lead = x[i + half_window];
            energy += lead * lead;
            ++count;
        }
        if (i - half_window - 1 >= 0) {
            const float trail = x[i - half_window - 1];
            energy -= trail * trail;
            --count;
        }
        y[i] = x[i] / (sqrtf(fmaxf(energy, 0.f) / count) + eps);
    }
}

/* kmutate launch
   int channels = 4096, frames = 1024;
   dim3 grid = { channels / 64 }, block = { 64 };
   float in[frames * channels] = normal(0, 0.3);
   float out[frames * channels] = zeros();
   float envelope[channels] = zeros();
   compressor_soft_knee_lookahead(in, out, envelope, channels, frames, 48, -18.f, 6.f, 0.75f, 0.02f, 0.0005f, 4.f);
*/
__global__ void compressor_soft_knee_lookahead(const float *__restrict__ in, float *__restrict__ out, float *envelope,
                                               int channels, int frames, int lookahead, float threshold_db,
                                               float knee_db, float slope, float attack, float release, float makeup_db)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float env = envelope[c];
    for (int t = 0; t < frames; ++t) {
        const float x = fabsf(in[t * channels + c]);
        const float over = 20.f * log10f(fmaxf(x, 1e-6f)) - threshold_db;
        float reduction;
        if (2.f * over < -knee_db)
            reduction = 0.f;
        else if (2.f * over > knee_db)
            reduction = slope * over;
        else
            reduction = slope * (over + 0.5f * knee_db) * (over + 0.5f * knee_db) / (2.f * knee_db);
        const float coefficient = reduction > env ? attack : release;
        env += coefficient * (reduction - env);
        const float gain = exp10f((makeup_db - env) * 0.05f);
        const float delayed = t >= lookahead ? in[(t - lookahead) * channels + c] : 0.f;
        out[t * channels + c] = delayed * gain;
    }
    envelope[c] = env;
}

/* kmutate launch
   int frames = 3000, hop = 256;
   dim3 grid = { frames }, block = { 256 };
   float audio[frames * hop + 1024] = normal(0, 0.2);
   float period[frames] = zeros();
   float clarity[frames] = zeros();
   yin_period_block_per_frame(audio, period, clarity, hop, 0.15f);
*/
__global__ void __launch_bounds__(256) yin_period_block_per_frame(const float *audio, float *period, float *clarity,
                                                                  int hop, float threshold)
{
    __shared__ float x[1024];
    __shared__ float d[512];
    __shared__ float warp_sum[8];
    __shared__ int first;
    __shared__ unsigned long long best;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const float *frame = audio + (size_t)blockIdx.x * hop;
    for (int i = tid; i < 1024; i += 256) x[i] = frame[i];
    if (tid == 0) {
        first = 512;
        best = ~0ull;
    }
    __syncthreads();
    float da = 0.f, db = 0.f;
#pragma unroll 8
    for (int j = 0; j < 512; ++j) {
        const float a = x[j];
        const float ea = a - x[j + tid + 1], eb = a - x[j + tid + 257];
        da += ea * ea;
        db += eb * eb;
    }
    d[tid] = da;
    d[tid + 256] = db;
    __syncthreads();
    const float d0 = d[2 * tid], d1 = d[2 * tid + 1];
    float scan = d0 + d1;
    for (int o = 1; o < 32; o <<= 1) {
        const float other = __shfl_up_sync(0xffffffffu, scan, o);
        if (lane >= o) scan += other;
    }
    if (lane == 31) warp_sum[warp] = scan;
    __syncthreads();
    float before = scan - d0 - d1;
    for (int w = 0; w < warp; ++w) before += warp_sum[w];
    const float n0 = d0 * (2 * tid + 1) / (before + d0 + 1e-12f);
    const float n1 = d1 * (2 * tid + 2) / (before + d0 + d1 + 1e-12f);
    d[2 * tid] = n0;
    d[2 * tid + 1] = n1;
    if (tid > 8) {
        if (n0 < threshold)
            atomicMin(&first, 2 * tid);
        else if (n1 < threshold)
            atomicMin(&first, 2 * tid + 1);
        const float least = fminf(n0, n1);
        const unsigned at = n0 <= n1 ? 2 * tid : 2 * tid + 1;
        atomicMin(&best, ((unsigned long long)__float_as_uint(fmaxf(least, 0.f)) << 32) | at);
    }
    __syncthreads();
    if (tid == 0) {
        const int lag = first < 512 ? first : (int)(best & 0xffffffffu);
        float shift = 0.f;
        if (lag > 0 && lag < 511) {
            const float l = d[lag - 1], m = d[lag], r = d[lag + 1];
            const float bend = l - 2.f * m + r;
            if (fabsf(bend) > 1e-9f) shift = 0.5f * (l - r) / bend;
        }
        period[blockIdx.x] = lag + 1 + shift;
        clarity[blockIdx.x] = 1.f - d[lag];
    }
}

/* kmutate launch
   int queries = 32768, triangles = 1024;
   dim3 grid = { queries / 128 }, block = { 128 };
   float3 point[queries] = uniform(0, 1);
   float3 corner[triangles] = uniform(0, 1);
   float3 edge1[triangles] = normal(0, 0.06);
   float3 edge2[triangles] = normal(0, 0.06);
   float distance[queries] = zeros();
   int nearest[queries] = zeros();
   closest_triangle_by_regions(point, corner, edge1, edge2, distance, nearest, queries, triangles);
*/
__device__ __forceinline__ float dot_of(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ __forceinline__ float length2_at(float3 ap, float3 ab, float3 ac, float v, float w)
{
    const float x = ap.x - v * ab.x - w * ac.x, y = ap.y - v * ab.y - w * ac.y, z = ap.z - v * ab.z - w * ac.z;
    return x * x + y * y + z * z;
}

__device__ float distance2_to_triangle(float3 ap, float3 ab, float3 ac)
{
    const float d1 = dot_of(ab, ap), d2 = dot_of(ac, ap);
    if (d1 <= 0.f && d2 <= 0.f) return dot_of(ap, ap);
    const float3 bp = make_float3(ap.x - ab.x, ap.y - ab.y, ap.z - ab.z);
    const float d3 = dot_of(ab, bp), d4 = dot_of(ac, bp);
    if (d3 >= 0.f && d4 <= d3) return dot_of(bp, bp);
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.f && d1 >= 0.f && d3 <= 0.f) return length2_at(ap, ab, ac, d1 / (d1 - d3), 0.f);
    const float3 cp = make_float3(ap.x - ac.x, ap.y - ac.y, ap.z - ac.z);
    const float d5 = dot_of(ab, cp), d6 = dot_of(ac, cp);
    if (d6 >= 0.f && d5 <= d6) return dot_of(cp, cp);
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.f && d2 >= 0.f && d6 <= 0.f) return length2_at(ap, ab, ac, 0.f, d2 / (d2 - d6));
    const float va = d3 * d6 - d5 * d4;
    if (va <= 0.f && d4 - d3 >= 0.f && d5 - d6 >= 0.f) {
        const float w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return length2_at(ap, ab, ac, 1.f - w, w);
    }
    const float scale = 1.f / (va + vb + vc);
    return length2_at(ap, ab, ac, vb * scale, vc * scale);
}

__global__ void closest_triangle_by_regions(const float3 *__restrict__ point, const float3 *__restrict__ corner,
                                            const float3 *__restrict__ edge1, const float3 *__restrict__ edge2,
                                            float *__restrict__ distance, int *__restrict__ nearest, int queries,
                                            int triangles)
{
    __shared__ float3 a[128], ab[128], ac[128];
    const int q = blockIdx.x * 128 + threadIdx.x;
    const float3 p = point[min(q, queries - 1)];
    float best = 3.4e38f;
    int which = -1;
    for (int first = 0; first < triangles; first += 128) {
        const int load = first + threadIdx.x;
        if (load < triangles) {
            a[threadIdx.x] = corner[load];
            ab[threadIdx.x] = edge1[load];
            ac[threadIdx.x] = edge2[load];
        }
        __syncthreads();
        const int here = min(128, triangles - first);
        for (int k = 0; k < here; ++k) {
            const float3 ap = make_float3(p.x - a[k].x, p.y - a[k].y, p.z - a[k].z);
            const float d = distance2_to_triangle(ap, ab[k], ac[k]);
            if (d < best) {
                best = d;
                which = first + k;
            }
        }
        __syncthreads();
    }
    if (q < queries) {
        distance[q] = sqrtf(best);
        nearest[q] = which;
    }
}

/* kmutate launch
   int queries = 3000000, log_buckets = 22;
   int buckets = 1 << log_buckets;
   dim3 grid = { (queries + 255) / 256 }, block = { 256 };
   unsigned query[queries] = randint(1, 16777216);
   unsigned short hop[buckets] = randint(0, 65536);
   unsigned keys[buckets + 16] = randint(1, 16777216);
   unsigned values[buckets + 16] = randint(1, 1000000);
   unsigned found[queries] = zeros();
   unsigned hits[1] = zeros();
   hopscotch_lookup_by_hop_bits(query, hop, keys, values, found, hits, queries, 32 - log_buckets);
*/
__global__ void hopscotch_lookup_by_hop_bits(const unsigned *__restrict__ query, const unsigned short *__restrict__ hop,
                                             const unsigned *__restrict__ keys, const unsigned *__restrict__ values,
                                             unsigned *__restrict__ found, unsigned *hits, int queries, int shift)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool hit = false;
    if (i < queries) {
        const unsigned key = query[i];
        const unsigned home = (key * 2654435769u) >> shift;
        unsigned bits = hop[home];
        unsigned result = 0;
        while (bits) {
            const int at = __ffs(bits) - 1;
            if (keys[home + at] == key) {
                result = values[home + at];
                hit = true;
                break;
            }
            bits &= bits - 1;
        }
        found[i] = result;
    }
    const unsigned ballot = __ballot_sync(0xffffffffu, hit);
    if ((threadIdx.x & 31) == 0 && ballot) atomicAdd(hits, (unsigned)__popc(ballot));
}

/* kmutate launch
   int n = 4 << 20;
   dim3 grid = { n / 1024 }, block = { 256 };
   unsigned keys[n] = randint(0, 1 << 30);
   unsigned payload[n] = iota();
   unsigned sorted_keys[n] = zeros();
   unsigned sorted_payload[n] = zeros();
   block_mergesort_pairs_of_1024(keys, payload, sorted_keys, sorted_payload);
*/
__device__ __forceinline__ void order_two(unsigned &ka, unsigned &va, unsigned &kb, unsigned &vb)
{
    if (kb < ka) {
        const unsigned k = ka, v = va;
        ka = kb;
        va = vb;
        kb = k;
        vb = v;
    }
}

__global__ void __launch_bounds__(256) block_mergesort_pairs_of_1024(const unsigned *keys, const unsigned *payload,
                                                                     unsigned *sorted_keys, unsigned *sorted_payload)
{
    __shared__ unsigned sk[1024], sv[1024];
    const int mine = threadIdx.x * 4;
    const size_t at = (size_t)blockIdx.x * 256 + threadIdx.x;
    const uint4 k4 = reinterpret_cast<const uint4 *>(keys)[at], v4 = reinterpret_cast<const uint4 *>(payload)[at];
    unsigned k[4] = { k4.x, k4.y, k4.z, k4.w }, v[4] = { v4.x, v4.y, v4.z, v4.w };
    order_two(k[0], v[0], k[1], v[1]);
    order_two(k[2], v[2], k[3], v[3]);
    order_two(k[0], v[0], k[2], v[2]);
    order_two(k[1], v[1], k[3], v[3]);
    order_two(k[1], v[1], k[2], v[2]);
    for (int width = 4; width < 1024; width *= 2) {
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            sk[mine + r] = k[r];
            sv[mine + r] = v[r];
        }
        __syncthreads();
        const int base = mine & ~(2 * width - 1);
        const int diagonal = mine - base;
        const unsigned *a = sk + base, *b = a + width;
        int lo = max(0, diagonal - width), hi = min(diagonal, width);
        while (lo < hi) {
            const int mid = (lo + hi) >> 1;
            if (a[mid] <= b[diagonal - 1 - mid])
                lo = mid + 1;
            else
                hi = mid;
        }
        int i = lo, j = diagonal - lo;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const bool left = j >= width || (i < width && a[i] <= b[j]);
            const int from = base + (left ? i++ : width + j++);
            k[r] = sk[from];
            v[r] = sv[from];
        }
    }
    reinterpret_cast<uint4 *>(sorted_keys)[at] = make_uint4(k[0], k[1], k[2], k[3]);
    reinterpret_cast<uint4 *>(sorted_payload)[at] = make_uint4(v[0], v[1], v[2], v[3]);
}

/* kmutate launch
   int streams = 98304, symbols = 256;
   dim3 grid = { streams / 256 }, block = { 256 };
   unsigned words[68 * streams] = randint(0, 4294967296);
   unsigned char symbol_of[2048] = randint(0, 256);
   unsigned char bits_of[2048] = randint(1, 9);
   unsigned short base_of[2048] = randint(0, 1792);
   unsigned char decoded[symbols * streams] = zeros();
   tans_decode_interleaved_streams(words, symbol_of, bits_of, base_of, decoded, streams, symbols);
*/
__global__ void tans_decode_interleaved_streams(const unsigned *__restrict__ words,
                                                const unsigned char *__restrict__ symbol_of,
                                                const unsigned char *__restrict__ bits_of,
                                                const unsigned short *__restrict__ base_of,
                                                unsigned char *__restrict__ decoded, int streams, int symbols)
{
    __shared__ unsigned table[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        table[i] = ((unsigned)base_of[i] << 16) | ((unsigned)bits_of[i] << 8) | symbol_of[i];
    __syncthreads();
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams) return;
    const unsigned *next = words + s;
    unsigned state = *next & 2047u;
    next += streams;
    uint64_t buffer = *next;
    next += streams;
    int have = 32;
    for (int n = 0; n < symbols; ++n) {
        const unsigned entry = table[state];
        const int need = (entry >> 8) & 0xff;
        decoded[(size_t)n * streams + s] = (unsigned char)entry;
        state = (entry >> 16) + ((unsigned)buffer & ((1u << need) - 1u));
        buffer >>= need;
        have -= need;
        if (have < 16) {
            buffer |= (uint64_t)*next << have;
            next += streams;
            have += 32;
        }
    }
}

/* kmutate launch
   int reads = 2000, haplotypes = 10, hap_length = 256;
   dim3 grid = { reads / 4, haplotypes }, block = { 128 };
   unsigned char read_base[reads * 96] = randint(0, 3);
   unsigned char read_quality[reads * 96] = randint(3, 25);
   unsigned char haplotype[haplotypes * hap_length] = randint(0, 3);
   float likelihood[reads * haplotypes] = zeros();
   pairhmm_rows_in_lanes(read_base, read_quality, haplotype, likelihood, reads, hap_length, 0.001f, 0.1f);
*/
__global__ void pairhmm_rows_in_lanes(const unsigned char *__restrict__ read_base,
                                      const unsigned char *__restrict__ read_quality,
                                      const unsigned char *__restrict__ haplotype, float *__restrict__ likelihood,
                                      int reads, int hap_length, float gap_open, float gap_extend)
{
    __shared__ unsigned char hap[512];
    for (int i = threadIdx.x; i < hap_length; i += blockDim.x) hap[i] = haplotype[blockIdx.y * hap_length + i];
    __syncthreads();
    const int lane = threadIdx.x & 31;
    const int read = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (read >= reads) return;
    int base[3];
    float wrong[3], right[3];
#pragma unroll
    for (int r = 0; r < 3; ++r) {
        base[r] = read_base[read * 96 + lane * 3 + r];
        const float error = exp10f(-0.1f * read_quality[read * 96 + lane * 3 + r]);
        wrong[r] = error * (1.f / 3.f);
        right[r] = 1.f - error;
    }
    const float stay = 1.f - 2.f * gap_open, close = 1.f - gap_extend;
    const float start = 1e36f / hap_length;
    float m[3] = { 0.f, 0.f, 0.f }, ins[3] = { 0.f, 0.f, 0.f }, del[3] = { 0.f, 0.f, 0.f };
    float diag_m = 0.f, diag_i = 0.f, diag_d = lane == 0 ? start : 0.f;
    float total = 0.f;
    for (int step = 0; step < hap_length + 31; ++step) {
        float up_m = __shfl_up_sync(0xffffffffu, m[2], 1);
        float up_i = __shfl_up_sync(0xffffffffu, ins[2], 1);
        float up_d = __shfl_up_sync(0xffffffffu, del[2], 1);
        if (lane == 0) {
            up_m = 0.f;
            up_i = 0.f;
            up_d = start;
        }
        const int column = step - lane;
        if (column >= 0 && column < hap_length) {
            const int letter = hap[column];
            float am = up_m, ai = up_i, dm = diag_m, di = diag_i, dd = diag_d;
#pragma unroll
            for (int r = 0; r < 3; ++r) {
                const float prior = letter == base[r] ? right[r] : wrong[r];
                const float new_m = prior * (stay * dm + close * (di + dd));
                const float new_i = gap_open * am + gap_extend * ai;
                const float new_d = gap_open * m[r] + gap_extend * del[r];
                dm = m[r];
                di = ins[r];
                dd = del[r];
                m[r] = new_m;
                ins[r] = new_i;
                del[r] = new_d;
                am = new_m;
                ai = new_i;
            }
            total += m[2] + ins[2];
            diag_m = up_m;
            diag_i = up_i;
            diag_d = up_d;
        }
    }
    if (lane == 31) likelihood[blockIdx.y * reads + read] = log10f(fmaxf(total, 1e-37f)) - 36.f;
}

/* kmutate launch
   int paths = 196608, steps = 64, nodes = 128;
   dim3 grid = { paths / 192 }, block = { 192 };
   float vol[steps * nodes] = uniform(0.15, 0.4);
   double sums[2] = zeros();
   local_vol_down_and_out_paths(vol, sums, steps, nodes, 4.60517f, 4.44265f, 0.02f, 0.015625f, 3.2f, 45.f, 100.f,
       2024u);
*/
__device__ __forceinline__ unsigned mix_counter(unsigned v)
{
    const unsigned s = v * 747796405u + 2891336453u;
    const unsigned w = ((s >> ((s >> 28) + 4u)) ^ s) * 277803737u;
    return (w >> 22) ^ w;
}

__global__ void local_vol_down_and_out_paths(const float *__restrict__ vol, double *sums, int steps, int nodes,
                                             float log_spot,
                                             float log_barrier, float rate, float dt, float x_low, float nodes_per_unit,
                                             float strike, unsigned seed)
{
    __shared__ float part[2][6];
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    const float root_dt = sqrtf(dt);
    float x = log_spot, spare = 0.f;
    bool alive = true;
    for (int n = 0; n < steps; ++n) {
        float z = spare;
        if ((n & 1) == 0) {
            const unsigned a = mix_counter(mix_counter(seed + path) + 2 * n), b = mix_counter(a + 0x9e3779b9u);
            const float radius = sqrtf(-2.f * __logf(((a >> 8) + 1) * (1.f / 16777216.f)));
            float s, c;
            sincospif(2.f * (b >> 8) * (1.f / 16777216.f), &s, &c);
            z = radius * c;
            spare = radius * s;
        }
        const float at = fminf(fmaxf((x - x_low) * nodes_per_unit, 0.f), nodes - 1.001f);
        const int i = (int)at;
        const float f = at - i;
        const float v = vol[n * nodes + i] * (1.f - f) + vol[n * nodes + i + 1] * f;
        x += (rate - 0.5f * v * v) * dt + v * root_dt * z;
        if (x < log_barrier) {
            alive = false;
            break;
        }
    }
    float pay = alive ? fmaxf(expf(x) - strike, 0.f) * expf(-rate * dt * steps) : 0.f;
    float square = pay * pay;
    for (int o = 16; o; o >>= 1) {
        pay += __shfl_down_sync(0xffffffffu, pay, o);
        square += __shfl_down_sync(0xffffffffu, square, o);
    }
    if ((threadIdx.x & 31) == 0) {
        part[0][threadIdx.x >> 5] = pay;
        part[1][threadIdx.x >> 5] = square;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        double t = 0.0;
        for (int w = 0; w < 6; ++w) t += part[threadIdx.x][w];
        atomicAdd(&sums[threadIdx.x], t);
    }
}

/* kmutate launch
   int batch = 32, kv_heads = 8, seq = 2048, pages_each = seq / 16;
   dim3 grid = { kv_heads, batch }, block = { 128 };
   half probability[batch * kv_heads * 4 * seq] = uniform(0, 0.001);
   int page_table[batch * pages_each] = permutation();
   signed char pages[batch * pages_each * kv_heads * 16 * 128] = randint(-127, 128);
   half scale[batch * pages_each * kv_heads * 16] = uniform(0.005, 0.02);
   half out[batch * kv_heads * 4 * 128] = zeros();
   paged_int8_values_weighted_sum(probability, page_table, pages, scale, out, seq, pages_each);
*/
__global__ void __launch_bounds__(128) paged_int8_values_weighted_sum(const half *__restrict__ probability,
                                                                      const int *__restrict__ page_table,
                                                                      const signed char *__restrict__ pages,
                                                                      const half *__restrict__ scale,
                                                                      half *__restrict__ out, int seq, int pages_each)
{
    __shared__ float part[4][4][128];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int head = blockIdx.x, heads = gridDim.x, b = blockIdx.y;
    const half *p = probability + (size_t)(b * heads + head) * 4 * seq;
    float acc[4][4] = {};
    for (int page = warp; page < pages_each; page += 4) {
        const int physical = page_table[b * pages_each + page];
        const size_t row = ((size_t)physical * heads + head) * 16;
        const char4 *values = reinterpret_cast<const char4 *>(pages + row * 128) + lane;
        const int live = min(16, seq - page * 16);
        for (int t = 0; t < live; ++t) {
            const char4 v = values[t * 32];
            const float s = __half2float(scale[row + t]);
            const float x = v.x * s, y = v.y * s, z = v.z * s, w = v.w * s;
#pragma unroll
            for (int g = 0; g < 4; ++g) {
                const float weight = __half2float(p[g * seq + page * 16 + t]);
                acc[g][0] += weight * x;
                acc[g][1] += weight * y;
                acc[g][2] += weight * z;
                acc[g][3] += weight * w;
            }
        }
    }
#pragma unroll
    for (int g = 0; g < 4; ++g)
        reinterpret_cast<float4 *>(part[warp][g])[lane] = make_float4(acc[g][0], acc[g][1], acc[g][2], acc[g][3]);
    __syncthreads();
#pragma unroll
    for (int g = 0; g < 4; ++g) {
        const float sum = part[0][g][threadIdx.x] + part[1][g][threadIdx.x] + part[2][g][threadIdx.x] +
            part[3][g][threadIdx.x];
        out[((size_t)(b * heads + head) * 4 + g) * 128 + threadIdx.x] = __float2half(sum);
    }
}

/* kmutate launch
   int batch = 192, dim = 5120;
   dim3 grid = { dim / 256, batch }, block = { 256 };
   __nv_bfloat16 state[batch * dim * 16] = normal();
   float a_log[dim * 16] = uniform(0, 2.5);
   __nv_bfloat16 bc[batch * 32] = normal();
   __nv_bfloat16 x[batch * dim] = normal();
   __nv_bfloat16 dt[batch * dim] = normal(-2, 1);
   __nv_bfloat16 z[batch * dim] = normal();
   float skip[dim] = normal();
   float dt_bias[dim] = normal(-2, 0.5);
   __nv_bfloat16 y[batch * dim] = zeros();
   selective_state_decode_step(state, a_log, bc, x, dt, z, skip, dt_bias, y, dim);
*/
__global__ void selective_state_decode_step(__nv_bfloat16 *__restrict__ state, const float *__restrict__ a_log,
                                            const __nv_bfloat16 *__restrict__ bc, const __nv_bfloat16 *__restrict__ x,
                                            const __nv_bfloat16 *__restrict__ dt, const __nv_bfloat16 *__restrict__ z,
                                            const float *__restrict__ skip, const float *__restrict__ dt_bias,
                                            __nv_bfloat16 *__restrict__ y, int dim)
{
    __shared__ float bs[16], cs[16];
    const int b = blockIdx.y, d = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 16)
        bs[threadIdx.x] = __bfloat162float(bc[b * 32 + threadIdx.x]);
    else if (threadIdx.x < 32)
        cs[threadIdx.x - 16] = __bfloat162float(bc[b * 32 + threadIdx.x]);
    __syncthreads();
    if (d >= dim) return;
    const size_t at = (size_t)b * dim + d;
    const float raw = __bfloat162float(dt[at]) + dt_bias[d];
    const float delta = raw > 20.f ? raw : log1pf(__expf(raw));
    const float xv = __bfloat162float(x[at]), gate = __bfloat162float(z[at]);
    uint4 *s4 = reinterpret_cast<uint4 *>(state + at * 16);
    const float4 *a4 = reinterpret_cast<const float4 *>(a_log + (size_t)d * 16);
    float sum = skip[d] * xv;
#pragma unroll
    for (int half_at = 0; half_at < 2; ++half_at) {
        uint4 pack = s4[half_at];
        __nv_bfloat162 *pair = reinterpret_cast<__nv_bfloat162 *>(&pack);
        const float4 al = a4[half_at * 2], ah = a4[half_at * 2 + 1];
        const float a[8] = { al.x, al.y, al.z, al.w, ah.x, ah.y, ah.z, ah.w };
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int n = half_at * 8 + 2 * i;
            float2 h = __bfloat1622float2(pair[i]);
            h.x = h.x * __expf(-__expf(a[2 * i]) * delta) + delta * bs[n] * xv;
            h.y = h.y * __expf(-__expf(a[2 * i + 1]) * delta) + delta * bs[n + 1] * xv;
            sum += h.x * cs[n] + h.y * cs[n + 1];
            pair[i] = __floats2bfloat162_rn(h.x, h.y);
        }
        s4[half_at] = pack;
    }
    y[at] = __float2bfloat16(sum * gate / (1.f + __expf(-gate)));
}

/* kmutate launch
   int rows = 5120, columns = 4096;
   dim3 grid = { rows }, block = { 256 };
   __nv_bfloat16 weight[rows * columns] = normal(0, 0.02);
   __nv_bfloat16 gradient[rows * columns] = normal(0, 0.01);
   float row_moment[rows] = uniform(0.00005, 0.0002);
   float column_moment[columns] = uniform(0.00005, 0.0002);
   float row_mean[1] = fill(0.000125);
   adafactor_row_update_rms_clip(weight, gradient, row_moment, column_moment, row_mean, columns, 0.001f, 0.99f, 1.f,
       0.0001f);
*/
__device__ __forceinline__ float sum_over_eight_warps(float v, float *part)
{
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    float t = 0.f;
#pragma unroll
    for (int w = 0; w < 8; ++w) t += part[w];
    return t;
}

__global__ void __launch_bounds__(256) adafactor_row_update_rms_clip(__nv_bfloat16 *weight,
                                                                     const __nv_bfloat16 *__restrict__ gradient,
                                                                     float *row_moment,
                                                                     const float *__restrict__ column_moment,
                                                                     const float *__restrict__ row_mean, int columns,
                                                                     float lr, float beta2, float clip, float decay)
{
    __shared__ float part_g[8], part_u[8];
    const int row = blockIdx.x;
    const uint4 *g4 = reinterpret_cast<const uint4 *>(gradient + (size_t)row * columns);
    uint4 *w4 = reinterpret_cast<uint4 *>(weight + (size_t)row * columns);
    const float4 *c4 = reinterpret_cast<const float4 *>(column_moment);
    float u[16];
    float g_sum = 0.f;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        const uint4 pack = g4[threadIdx.x + c * 256];
        const __nv_bfloat162 *pair = reinterpret_cast<const __nv_bfloat162 *>(&pack);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 g = __bfloat1622float2(pair[i]);
            u[c * 8 + 2 * i] = g.x;
            u[c * 8 + 2 * i + 1] = g.y;
            g_sum += g.x * g.x + g.y * g.y;
        }
    }
    const float g_mean = sum_over_eight_warps(g_sum, part_g) / columns;
    const float moment = beta2 * row_moment[row] + (1.f - beta2) * (g_mean + 1e-30f);
    const float row_factor = rsqrtf(moment / row_mean[0]);
    float u_sum = 0.f;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        const int at = 2 * (threadIdx.x + c * 256);
        const float4 lo = c4[at], hi = c4[at + 1];
        const float cm[8] = { lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w };
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            u[c * 8 + i] *= row_factor * rsqrtf(cm[i]);
            u_sum += u[c * 8 + i] * u[c * 8 + i];
        }
    }
    const float rms = sqrtf(sum_over_eight_warps(u_sum, part_u) / columns);
    const float rate = lr / fmaxf(1.f, rms / clip);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        uint4 pack = w4[threadIdx.x + c * 256];
        __nv_bfloat162 *pair = reinterpret_cast<__nv_bfloat162 *>(&pack);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float2 w = __bfloat1622float2(pair[i]);
            w.x -= rate * u[c * 8 + 2 * i] + decay * w.x;
            w.y -= rate * u[c * 8 + 2 * i + 1] + decay * w.y;
            pair[i] = __floats2bfloat162_rn(w.x, w.y);
        }
        w4[threadIdx.x + c * 256] = pack;
    }
    if (threadIdx.x == 0) row_moment[row] = moment;
}

#define KRYLOV_BASIS 18

/* kmutate launch
   int n = 1200000;
   dim3 grid = { 528 }, block = { 256 };
   double basis[KRYLOV_BASIS * n] = normal();
   double w[n] = normal();
   double h[KRYLOV_BASIS] = zeros();
   arnoldi_projections_warp_atomics(basis, w, h, n);
*/
__global__ void arnoldi_projections_warp_atomics(const double *__restrict__ basis, const double *__restrict__ w,
                                                 double *h, int n)
{
    double acc[KRYLOV_BASIS];
#pragma unroll
    for (int k = 0; k < KRYLOV_BASIS; ++k) acc[k] = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const double x = w[i];
#pragma unroll
        for (int k = 0; k < KRYLOV_BASIS; ++k) acc[k] += basis[(size_t)k * n + i] * x;
    }
#pragma unroll
    for (int k = 0; k < KRYLOV_BASIS; ++k) {
        double v = acc[k];
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
        if ((threadIdx.x & 31) == 0) atomicAdd(&h[k], v);
    }
}

/* kmutate launch
   int n = 262144, slots = 12;
   dim3 grid = { n / 128 }, block = { 128 };
   float3 position[n] = uniform(0, 1);
   float3 velocity[n] = normal(0, 0.1);
   float radius[n] = uniform(0.15, 0.24);
   int neighbour_offset[slots * n] = randint(1, 4096);
   float3 spring[slots * n] = zeros();
   float3 force[n] = zeros();
   hertz_contacts_tangent_history(position, velocity, radius, neighbour_offset, spring, force, n, slots, 10000.f,
       7000.f,
                                  0.5f, 0.4f, 0.00001f);
*/
__global__ void hertz_contacts_tangent_history(const float3 *__restrict__ position, const float3 *__restrict__ velocity,
                                               const float *__restrict__ radius,
                                               const int *__restrict__ neighbour_offset,
                                               float3 *__restrict__ spring, float3 *__restrict__ force, int n,
                                               int slots, float kn, float kt, float damping, float friction, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float3 p = position[i], v = velocity[i];
    const float r = radius[i];
    float3 f = make_float3(0.f, 0.f, -9.81f * r * r * r);
    for (int s = 0; s < slots; ++s) {
        int j = i + neighbour_offset[s * n + i];
        if (j >= n) j -= n;
        const float3 q = position[j];
        const float reach = r + radius[j];
        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        const float d2 = dx * dx + dy * dy + dz * dz;
        float3 xi = make_float3(0.f, 0.f, 0.f);
        if (d2 < reach * reach && d2 > 1e-12f) {
            const float inv = rsqrtf(d2);
            const float overlap = reach - d2 * inv;
            const float nx = dx * inv, ny = dy * inv, nz = dz * inv;
            const float3 u = velocity[j];
            const float rx = v.x - u.x, ry = v.y - u.y, rz = v.z - u.z;
            const float vn = rx * nx + ry * ny + rz * nz;
            const float effective = r * radius[j] / reach;
            const float patch = sqrtf(effective * overlap);
            const float normal = fmaxf(kn * patch * overlap - damping * sqrtf(kn * patch) * vn, 0.f);
            xi = spring[s * n + i];
            xi.x += (rx - vn * nx) * dt;
            xi.y += (ry - vn * ny) * dt;
            xi.z += (rz - vn * nz) * dt;
            const float along = xi.x * nx + xi.y * ny + xi.z * nz;
            xi.x -= along * nx;
            xi.y -= along * ny;
            xi.z -= along * nz;
            const float stiff = kt * patch;
            const float tangent = stiff * sqrtf(xi.x * xi.x + xi.y * xi.y + xi.z * xi.z);
            const float limit = friction * normal;
            if (tangent > limit) {
                const float shrink = limit / tangent;
                xi.x *= shrink;
                xi.y *= shrink;
                xi.z *= shrink;
            }
            f.x += normal * nx - stiff * xi.x;
            f.y += normal * ny - stiff * xi.y;
            f.z += normal * nz - stiff * xi.z;
        }
        spring[s * n + i] = xi;
    }
    force[i] = f;
}

/* kmutate launch
   int width = 3072, height = 3072;
   dim3 grid = { width / 32, height / 32 }, block = { 32, 8 };
   unsigned char marker[width * height] = randint(0, 200);
   unsigned char mask[width * height] = randint(40, 256);
   unsigned char out[width * height] = zeros();
   int unstable_tiles[1] = zeros();
   reconstruct_by_dilation_tile_until_stable(marker, mask, out, unstable_tiles, width, height, 40);
*/
__global__ void reconstruct_by_dilation_tile_until_stable(const unsigned char *__restrict__ marker,
                                                          const unsigned char *__restrict__ mask,
                                                          unsigned char *__restrict__ out, int *unstable_tiles,
                                                          int width, int height, int most_rounds)
{
    __shared__ unsigned char tile[34][36];
    const int left = blockIdx.x * 32 - 1, top = blockIdx.y * 32 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 34 * 34; k += 256) {
        const int ty = k / 34, tx = k - ty * 34;
        const int x = left + tx, y = top + ty;
        unsigned char value = 0;
        if (x >= 0 && x < width && y >= 0 && y < height) value = min(marker[y * width + x], mask[y * width + x]);
        tile[ty][tx] = value;
    }
    int limit[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int y = blockIdx.y * 32 + threadIdx.y + 8 * r;
        limit[r] = mask[y * width + blockIdx.x * 32 + threadIdx.x];
    }
    __syncthreads();
    int changed = 1;
    for (int round = 0; changed && round < most_rounds; ++round) {
        int next[4];
        changed = 0;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const int ty = threadIdx.y + 8 * r + 1, tx = threadIdx.x + 1;
            int m = 0;
#pragma unroll
            for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
                for (int dx = -1; dx <= 1; ++dx) m = max(m, (int)tile[ty + dy][tx + dx]);
            next[r] = min(m, limit[r]);
            changed |= next[r] != tile[ty][tx];
        }
        changed = __syncthreads_or(changed);
#pragma unroll
        for (int r = 0; r < 4; ++r) tile[threadIdx.y + 8 * r + 1][threadIdx.x + 1] = (unsigned char)next[r];
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int y = threadIdx.y + 8 * r;
        out[(blockIdx.y * 32 + y) * width + blockIdx.x * 32 + threadIdx.x] = tile[y + 1][threadIdx.x + 1];
    }
    if (changed && threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(unstable_tiles, 1);
}

/* kmutate launch
   int vertices = 400000;
   int edges = csr_nnz(vertices, 2, 60);
   dim3 grid = { (vertices + 255) / 256 }, block = { 256 };
   int row_start[vertices + 1] = csr_rowptr(vertices, 2, 60);
   int target[edges] = csr_colidx(vertices);
   float weight[edges] = uniform(0, 1);
   int mate[vertices] = randint(-2, 1);
   int proposal[vertices] = zeros();
   matching_propose_to_heaviest_free(row_start, target, weight, mate, proposal, vertices);
*/
__global__ void matching_propose_to_heaviest_free(const int *row_start, const int *target, const float *weight,
                                                  const int *mate, int *proposal, int vertices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    int chosen = -1;
    if (mate[v] < 0) {
        float heaviest = -1.f;
        for (int e = row_start[v]; e < row_start[v + 1]; ++e) {
            const float w = weight[e];
            if (w < heaviest) continue;
            const int u = target[e];
            if (u != v && mate[u] < 0 && (w > heaviest || u < chosen)) {
                heaviest = w;
                chosen = u;
            }
        }
    }
    proposal[v] = chosen;
}

/* kmutate launch
   int n = 131072, squarings = 50;
   dim3 grid = { n / 128 }, block = { 128 };
   int limbs[10 * n] = randint(-16777216, 16777216);
   int out[10 * n] = zeros();
   field25519_repeated_squaring(limbs, out, n, squarings);
*/
__global__ void field25519_repeated_squaring(const int *__restrict__ limbs, int *__restrict__ out, int n, int squarings)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int f[10];
#pragma unroll
    for (int k = 0; k < 10; ++k) f[k] = limbs[k * n + i];
#pragma unroll 1
    for (int round = 0; round < squarings; ++round) {
        int64_t h[10];
#pragma unroll
        for (int k = 0; k < 10; ++k) h[k] = 0;
#pragma unroll
        for (int a = 0; a < 10; ++a) {
#pragma unroll
            for (int b = a; b < 10; ++b) {
                int left = f[a];
                if (a != b) left *= 2;
                if ((a & 1) && (b & 1)) left *= 2;
                const int right = a + b >= 10 ? 19 * f[b] : f[b];
                h[(a + b) % 10] += (int64_t)left * right;
            }
        }
#pragma unroll
        for (int pass = 0; pass < 2; ++pass) {
#pragma unroll
            for (int k = 0; k < 10; ++k) {
                const int bits = (k & 1) ? 25 : 26;
                const int64_t carry = (h[k] + (1ll << (bits - 1))) >> bits;
                h[k] -= carry << bits;
                if (k < 9)
                    h[k + 1] += carry;
                else
                    h[0] += 19 * carry;
            }
        }
#pragma unroll
        for (int k = 0; k < 10; ++k) f[k] = (int)h[k];
    }
#pragma unroll
    for (int k = 0; k < 10; ++k) out[k * n + i] = f[k];
}

/* kmutate launch
   int nx = 128, ny = 128, nz = 96;
   dim3 grid = { nx / 8, ny / 8, nz / 4 }, block = { 8, 8, 4 };
   float e0[nx * ny * nz] = uniform(58, 95);
   float e1[nx * ny * nz] = uniform(48, 74);
   float e2[nx * ny * nz] = uniform(36, 58);
   float e3[nx * ny * nz] = uniform(28, 46);
   float e4[nx * ny * nz] = uniform(22, 36);
   float e5[nx * ny * nz] = uniform(16, 30);
   float t2[nx * ny * nz] = zeros();
   float s0[nx * ny * nz] = zeros();
   t2_decay_fit_damped_voxels(e0, e1, e2, e3, e4, e5, t2, s0, nx, ny, nz, 10.f, 63.f, 0.00001f);
*/
__global__ void t2_decay_fit_damped_voxels(const float *__restrict__ e0, const float *__restrict__ e1,
                                           const float *__restrict__ e2, const float *__restrict__ e3,
                                           const float *__restrict__ e4, const float *__restrict__ e5,
                                           float *__restrict__ t2,
                                           float *__restrict__ s0, int nx, int ny, int nz, float echo_ms,
                                           float background, float tolerance)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    const int at = (z * ny + y) * nx + x;
    const float first = e0[at];
    if (first < background) {
        t2[at] = 0.f;
        s0[at] = 0.f;
        return;
    }
    const float signal[6] = { first, e1[at], e2[at], e3[at], e4[at], e5[at] };
    float rate = logf(signal[0] / signal[3]) / (3.f * echo_ms);
    float scale = signal[0] * expf(rate * echo_ms);
    float damping = 0.01f, cost = 3e38f;
    for (int round = 0; round < 15; ++round) {
        float aa = 0.f, ab = 0.f, bb = 0.f, ra = 0.f, rb = 0.f, now = 0.f;
#pragma unroll
        for (int k = 0; k < 6; ++k) {
            const float te = (k + 1) * echo_ms;
            const float ja = expf(-te * rate), jb = -te * scale * ja;
            const float miss = signal[k] - scale * ja;
            aa += ja * ja;
            ab += ja * jb;
            bb += jb * jb;
            ra += ja * miss;
            rb += jb * miss;
            now += miss * miss;
        }
        cost = now;
        aa *= 1.f + damping;
        bb *= 1.f + damping;
        const float inv = 1.f / (aa * bb - ab * ab);
        const float step_s = (bb * ra - ab * rb) * inv, step_r = (aa * rb - ab * ra) * inv;
        const float try_s = scale + step_s, try_r = fminf(fmaxf(rate + step_r, 0.0005f), 0.5f);
        float trial = 0.f;
#pragma unroll
        for (int k = 0; k < 6; ++k) {
            const float miss = signal[k] - try_s * expf(-(k + 1) * echo_ms * try_r);
            trial += miss * miss;
        }
        if (trial <= cost) {
            scale = try_s;
            rate = try_r;
            damping *= 0.3f;
            if (cost - trial < tolerance * cost) break;
        } else {
            damping *= 6.f;
            if (damping > 1e4f) break;
        }
    }
    t2[at] = 1.f / rate;
    s0[at] = scale;
}
