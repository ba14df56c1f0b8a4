#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int w = 1920, h = 1080, images = 12;
   dim3 grid = { (w + 31) / 32, (h + 7) / 8, images }, block = { 32, 8 };
   uint8_t image[images * h * w] = randint(80, 150);
   uint8_t score[images * h * w] = zeros();
   fast9_corner_scores_tile(image, score, w, h, 14);
*/
__global__ void fast9_corner_scores_tile(const uint8_t *__restrict__ image, uint8_t *__restrict__ score, int w, int h,
                                         int threshold)
{
    __shared__ uint8_t tile[14][40];
    const int x0 = blockIdx.x * 32 - 3, y0 = blockIdx.y * 8 - 3;
    const size_t plane = (size_t)blockIdx.z * w * h;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 14 * 38; i += 256) {
        const int ty = i / 38, tx = i - ty * 38;
        const int gx = min(max(x0 + tx, 0), w - 1), gy = min(max(y0 + ty, 0), h - 1);
        tile[ty][tx] = image[plane + (size_t)gy * w + gx];
    }
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    const int cx = threadIdx.x + 3, cy = threadIdx.y + 3;
    const int c = tile[cy][cx], hi = c + threshold, lo = c - threshold;
    const int n = tile[cy - 3][cx], s = tile[cy + 3][cx], e = tile[cy][cx + 3], v = tile[cy][cx - 3];
    const int brighter = (n > hi) + (s > hi) + (e > hi) + (v > hi);
    const int darker = (n < lo) + (s < lo) + (e < lo) + (v < lo);
    int result = 0;
    if (brighter >= 2 || darker >= 2) {
        const int dx[16] = { 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1 };
        const int dy[16] = { -3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3 };
        unsigned over = 0, under = 0;
        int sum_over = 0, sum_under = 0;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int p = tile[cy + dy[i]][cx + dx[i]];
            if (p > hi) {
                over |= 0x10001u << i;
                sum_over += p - hi;
            }
            if (p < lo) {
                under |= 0x10001u << i;
                sum_under += lo - p;
            }
        }
        over &= over >> 1;
        over &= over >> 2;
        over &= over >> 4;
        over &= over >> 1;
        under &= under >> 1;
        under &= under >> 2;
        under &= under >> 4;
        under &= under >> 1;
        if (over | under) result = min(255, max(over ? sum_over : 0, under ? sum_under : 0));
    }
    score[plane + (size_t)y * w + x] = (uint8_t)result;
}

/* kmutate launch
   int side = 1024, pw = 4096, ph = 2048;
   dim3 grid = { side / 16, side / 8, 3 }, block = { 16, 8, 2 };
   uchar4 panorama[ph * pw] = randint(0, 256);
   uchar4 faces[6 * side * side] = zeros();
   equirect_panorama_to_cube_faces(panorama, faces, side, pw, ph);
*/
__global__ void equirect_panorama_to_cube_faces(const uchar4 *__restrict__ panorama, uchar4 *__restrict__ faces,
                                                int side, int pw, int ph)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int face = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= side || y >= side) return;
    const float u = 2.f * (x + 0.5f) / side - 1.f, v = 2.f * (y + 0.5f) / side - 1.f;
    float dx, dy, dz;
    switch (face) {
    case 0: dx = 1.f; dy = -v; dz = -u; break;
    case 1: dx = -1.f; dy = -v; dz = u; break;
    case 2: dx = u; dy = 1.f; dz = v; break;
    case 3: dx = u; dy = -1.f; dz = -v; break;
    case 4: dx = u; dy = -v; dz = 1.f; break;
    default: dx = -u; dy = -v; dz = -1.f; break;
    }
    const float inv = rsqrtf(dx * dx + dy * dy + dz * dz);
    const float lon = atan2f(dx, dz), lat = asinf(dy * inv);
    const float px = (lon * 0.15915494f + 0.5f) * pw - 0.5f;
    const float py = (0.5f - lat * 0.31830989f) * ph - 0.5f;
    const float fx = floorf(px), fy = floorf(py);
    const float ax = px - fx, ay = py - fy;
    int xa = (int)fx, xb = xa + 1;
    if (xa < 0) xa += pw;
    if (xb >= pw) xb -= pw;
    const int ya = min(max((int)fy, 0), ph - 1), yb = min(max((int)fy + 1, 0), ph - 1);
    const uchar4 p00 = panorama[(size_t)ya * pw + xa], p01 = panorama[(size_t)ya * pw + xb];
    const uchar4 p10 = panorama[(size_t)yb * pw + xa], p11 = panorama[(size_t)yb * pw + xb];
    const float w00 = (1.f - ax) * (1.f - ay), w01 = ax * (1.f - ay), w10 = (1.f - ax) * ay, w11 = ax * ay;
    uchar4 o;
    o.x = (unsigned char)(w00 * p00.x + w01 * p01.x + w10 * p10.x + w11 * p11.x + 0.5f);
    o.y = (unsigned char)(w00 * p00.y + w01 * p01.y + w10 * p10.y + w11 * p11.y + 0.5f);
    o.z = (unsigned char)(w00 * p00.z + w01 * p01.z + w10 * p10.z + w11 * p11.z + 0.5f);
    o.w = 255;
    faces[((size_t)face * side + y) * side + x] = o;
}

/* kmutate launch
   int users = 16000, items = 60000, lo = 10, hi = 180;
   int nnz = csr_nnz(users, lo, hi);
   dim3 grid = { users }, block = { 16, 16 };
   int start[users + 1] = csr_rowptr(users, lo, hi);
   int item[nnz] = csr_colidx(items);
   float rating[nnz] = uniform(1, 5);
   half factor[items * 32] = normal(0, 0.3);
   float gram[users * 32 * 32] = zeros();
   float rhs[users * 32] = zeros();
   als_normal_matrix_rank32_block_per_user(start, item, rating, factor, gram, rhs, 0.05f);
*/
__global__ void als_normal_matrix_rank32_block_per_user(const int *__restrict__ start, const int *__restrict__ item,
                                                        const float *__restrict__ rating,
                                                        const half *__restrict__ factor,
                                                        float *__restrict__ gram, float *__restrict__ rhs,
                                                        float lambda)
{
    __shared__ float rows[16][32];
    __shared__ float stars[16];
    const int begin = start[blockIdx.x], end = start[blockIdx.x + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    float a00 = 0.f, a01 = 0.f, a10 = 0.f, a11 = 0.f, b = 0.f;
    const int flat = ty * 16 + tx;
    for (int base = begin; base < end; base += 16) {
        const int r = base + ty;
        float2 f = make_float2(0.f, 0.f);
        if (r < end) f = __half22float2(reinterpret_cast<const half2 *>(factor + (size_t)item[r] * 32)[tx]);
        rows[ty][2 * tx] = f.x;
        rows[ty][2 * tx + 1] = f.y;
        if (tx == 0) stars[ty] = r < end ? rating[r] : 0.f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float u0 = rows[k][2 * ty], u1 = rows[k][2 * ty + 1];
            const float v0 = rows[k][2 * tx], v1 = rows[k][2 * tx + 1];
            a00 += u0 * v0;
            a01 += u0 * v1;
            a10 += u1 * v0;
            a11 += u1 * v1;
        }
        if (flat < 32) {
            for (int k = 0; k < 16; ++k) b += stars[k] * rows[k][flat];
        }
        __syncthreads();
    }
    if (tx == ty) {
        const float ridge = lambda * (end - begin);
        a00 += ridge;
        a11 += ridge;
    }
    float *g = gram + (size_t)blockIdx.x * 1024;
    g[(2 * ty) * 32 + 2 * tx] = a00;
    g[(2 * ty) * 32 + 2 * tx + 1] = a01;
    g[(2 * ty + 1) * 32 + 2 * tx] = a10;
    g[(2 * ty + 1) * 32 + 2 * tx + 1] = a11;
    if (flat < 32) rhs[(size_t)blockIdx.x * 32 + flat] = b;
}

__device__ __forceinline__ float minmod_slope(float a, float b)
{
    return a * b > 0.f ? (fabsf(a) < fabsf(b) ? a : b) : 0.f;
}

__device__ __forceinline__ void hll_flux_v(const float *l, const float *r, float *f)
{
    const float g = 1.4f;
    const float il = 1.f / l[0], ir = 1.f / r[0];
    const float vl = l[2] * il, vr = r[2] * ir;
    const float pl = fmaxf((g - 1.f) * (l[3] - 0.5f * (l[1] * l[1] + l[2] * l[2]) * il), 1e-4f);
    const float pr = fmaxf((g - 1.f) * (r[3] - 0.5f * (r[1] * r[1] + r[2] * r[2]) * ir), 1e-4f);
    const float cl = sqrtf(g * pl * il), cr = sqrtf(g * pr * ir);
    const float sl = fminf(vl - cl, vr - cr), sr = fmaxf(vl + cl, vr + cr);
    const float fl[4] = { l[2], l[1] * vl, l[2] * vl + pl, (l[3] + pl) * vl };
    const float fr[4] = { r[2], r[1] * vr, r[2] * vr + pr, (r[3] + pr) * vr };
    const float a = fminf(sl, 0.f), b = fmaxf(sr, 0.f), inv = 1.f / (b - a);
#pragma unroll
    for (int i = 0; i < 4; ++i) f[i] = (b * fl[i] - a * fr[i] + a * b * (r[i] - l[i])) * inv;
}

/* kmutate launch
   int nx = 2048, ny = 1536;
   dim3 grid = { nx / 64, ny / 4 }, block = { 64, 4 };
   float rho[nx * ny] = uniform(1, 1.5);
   float mx[nx * ny] = uniform(-0.3, 0.3);
   float my[nx * ny] = uniform(-0.3, 0.3);
   float energy[nx * ny] = uniform(2.4, 3);
   float next[4 * nx * ny] = zeros();
   muscl_hll_sweep_down_columns(rho, mx, my, energy, next, nx, ny, 0.2f);
*/
__global__ void muscl_hll_sweep_down_columns(const float *__restrict__ rho, const float *__restrict__ mx,
                                             const float *__restrict__ my, const float *__restrict__ energy,
                                             float *__restrict__ next, int nx, int ny, float dt_dy)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    const float *field[4] = { rho, mx, my, energy };
    float below_l[4], below_r[4], above_l[4], above_r[4], mid[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        float v[5];
#pragma unroll
        for (int k = 0; k < 5; ++k) {
            const int yy = min(max(y + k - 2, 0), ny - 1);
            v[k] = field[q][(size_t)yy * nx + x];
        }
        const float s1 = minmod_slope(v[1] - v[0], v[2] - v[1]);
        const float s2 = minmod_slope(v[2] - v[1], v[3] - v[2]);
        const float s3 = minmod_slope(v[3] - v[2], v[4] - v[3]);
        below_l[q] = v[1] + 0.5f * s1;
        below_r[q] = v[2] - 0.5f * s2;
        above_l[q] = v[2] + 0.5f * s2;
        above_r[q] = v[3] - 0.5f * s3;
        mid[q] = v[2];
    }
    float f0[4], f1[4];
    hll_flux_v(below_l, below_r, f0);
    hll_flux_v(above_l, above_r, f1);
    const size_t cells = (size_t)nx * ny, at = (size_t)y * nx + x;
#pragma unroll
    for (int q = 0; q < 4; ++q) next[q * cells + at] = mid[q] - dt_dy * (f1[q] - f0[q]);
}

/* kmutate launch
   int atoms = 3000000;
   dim3 grid = { 1056 }, block = { 256 };
   float4 velocity[atoms] = uniform(0.5, 2);
   float3 force[atoms] = normal(0, 3);
   double tensor[6] = zeros();
   nose_hoover_kick_with_stress_tensor(velocity, force, tensor, 0.0005f, 0.9998f, atoms);
*/
__global__ void nose_hoover_kick_with_stress_tensor(float4 *__restrict__ velocity, const float3 *__restrict__ force,
                                                    double *__restrict__ tensor, float half_dt, float friction,
                                                    int atoms)
{
    double sum[6] = { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 };
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < atoms; i += gridDim.x * blockDim.x) {
        float4 v = velocity[i];
        const float3 f = force[i];
        const float k = half_dt / v.w;
        v.x = v.x * friction + k * f.x;
        v.y = v.y * friction + k * f.y;
        v.z = v.z * friction + k * f.z;
        velocity[i] = v;
        sum[0] += (double)(v.w * v.x * v.x);
        sum[1] += (double)(v.w * v.y * v.y);
        sum[2] += (double)(v.w * v.z * v.z);
        sum[3] += (double)(v.w * v.x * v.y);
        sum[4] += (double)(v.w * v.x * v.z);
        sum[5] += (double)(v.w * v.y * v.z);
    }
#pragma unroll
    for (int q = 0; q < 6; ++q) {
        for (int o = 16; o; o >>= 1) sum[q] += __shfl_down_sync(0xffffffffu, sum[q], o);
        if ((threadIdx.x & 31) == 0) atomicAdd(tensor + q, sum[q]);
    }
}

/* kmutate launch
   int qubits = 22, terms = 12;
   dim3 grid = { (1 << qubits) / 2048, terms }, block = { 256 };
   float2 psi[1 << qubits] = normal(0, 0.0003);
   uint32_t flips[terms] = randint(0, 1 << qubits);
   uint32_t signs[terms] = randint(0, 1 << qubits);
   float value[terms] = zeros();
   pauli_strings_expectation_grid(psi, flips, signs, value);
*/
__global__ void pauli_strings_expectation_grid(const float2 *__restrict__ psi, const uint32_t *__restrict__ flips,
                                               const uint32_t *__restrict__ signs, float *__restrict__ value)
{
    __shared__ float part[8];
    const uint32_t flip = flips[blockIdx.y], sign = signs[blockIdx.y];
    const bool odd = __popc(flip & sign) & 1;
    const uint32_t base = blockIdx.x * 2048 + threadIdx.x;
    float sum = 0.f;
#pragma unroll 4
    for (int k = 0; k < 8; ++k) {
        const uint32_t i = base + k * 256;
        const float2 a = psi[i], b = psi[i ^ flip];
        const float t = odd ? b.x * a.y - b.y * a.x : b.x * a.x + b.y * a.y;
        sum += (__popc(i & sign) & 1) ? -t : t;
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = part[threadIdx.x];
        for (int o = 4; o; o >>= 1) sum += __shfl_xor_sync(0xffu, sum, o);
        if (threadIdx.x == 0) atomicAdd(value + blockIdx.y, sum);
    }
}

__constant__ int c_bond_a[28];
__constant__ int c_bond_b[28];
__constant__ float c_bond_angle[28];

/* kmutate launch
   int qubits = 23;
   dim3 grid = { (1 << qubits) / 256 }, block = { 256 };
   __constant__ int c_bond_a[28] = randint(0, 23);
   __constant__ int c_bond_b[28] = randint(0, 23);
   __constant__ float c_bond_angle[28] = uniform(-0.4, 0.4);
   float2 psi[1 << qubits] = normal(0, 0.0003);
   ising_bonds_diagonal_phase_layer(psi, 28, 0.1f, qubits);
*/
__global__ void ising_bonds_diagonal_phase_layer(float2 *__restrict__ psi, int bonds, float field, int qubits)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float phase = field * (qubits - 2 * __popc(i));
    for (int b = 0; b < bonds; ++b) {
        const uint32_t differ = ((i >> c_bond_a[b]) ^ (i >> c_bond_b[b])) & 1u;
        phase += differ ? -c_bond_angle[b] : c_bond_angle[b];
    }
    float s, c;
    sincosf(phase, &s, &c);
    const float2 a = psi[i];
    psi[i] = make_float2(a.x * c + a.y * s, a.y * c - a.x * s);
}

/* kmutate launch
   int side = 640, pulses = 256, bins = 4096;
   dim3 grid = { side / 32, side / 8 }, block = { 32, 8 };
   float2 profile[pulses * bins] = normal();
   float4 wobble[pulses] = uniform(-1, 1);
   float2 patch[side * side] = zeros();
   sar_backproject_pulses_to_patch(profile, wobble, patch, side, pulses, bins, 0.5f, 7000.f, 4.f, 64.f);
*/
__global__ void sar_backproject_pulses_to_patch(const float2 *__restrict__ profile, const float4 *__restrict__ wobble,
                                                float2 *__restrict__ patch, int side, int pulses, int bins,
                                                float pixel,
                                                float stand_off, float bins_per_metre, float turns_per_metre)
{
    __shared__ float4 antenna[64];
    const int px = blockIdx.x * 32 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    const int flat = threadIdx.y * 32 + threadIdx.x;
    const float x = (px - side / 2) * pixel, y = (py - side / 2) * pixel;
    float re = 0.f, im = 0.f;
    for (int first = 0; first < pulses; first += 64) {
        if (flat < 64) {
            const float4 j = wobble[first + flat];
            float4 a;
            a.x = (first + flat - pulses / 2) * 1.5f + j.x;
            a.y = -stand_off + j.y;
            a.z = 3000.f + j.z;
            a.w = sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
            antenna[flat] = a;
        }
        __syncthreads();
        for (int k = 0; k < 64; ++k) {
            const float4 a = antenna[k];
            const float dx = x - a.x, dy = y - a.y;
            const float range = sqrtf(dx * dx + dy * dy + a.z * a.z) - a.w;
            const float at = range * bins_per_metre + 0.5f * bins;
            const int bin = (int)floorf(at);
            if (bin < 0 || bin >= bins - 1) continue;
            const float t = at - bin;
            const float2 *row = profile + (size_t)(first + k) * bins + bin;
            const float2 p = row[0], q = row[1];
            const float vr = p.x + t * (q.x - p.x), vi = p.y + t * (q.y - p.y);
            float turns = range * turns_per_metre;
            turns -= rintf(turns);
            float s, c;
            __sincosf(6.2831853f * turns, &s, &c);
            re += vr * c - vi * s;
            im += vr * s + vi * c;
        }
        __syncthreads();
    }
    patch[(size_t)py * side + px] = make_float2(re, im);
}

/* kmutate launch
   int rows = 1000000, features = 48, trees = 100;
   dim3 grid = { (rows / 4 + 127) / 128 }, block = { 128 };
   uint32_t bins[features * (rows / 4)] = randint(0, 1u << 31);
   uint8_t split_feature[trees * 6] = randint(0, 48);
   uint8_t split_border[trees * 6] = randint(20, 110);
   float leaf[trees * 64] = normal(0, 0.1);
   float4 score[rows / 4] = zeros();
   oblivious_trees_four_rows_simd(bins, split_feature, split_border, leaf, score, rows / 4, trees);
*/
__global__ void oblivious_trees_four_rows_simd(const uint32_t *__restrict__ bins,
                                               const uint8_t *__restrict__ split_feature,
                                               const uint8_t *__restrict__ split_border,
                                               const float *__restrict__ leaf,
                                               float4 *__restrict__ score, int quads, int trees)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int t = 0; t < trees; ++t) {
        uint32_t path = 0;
#pragma unroll
        for (int d = 0; d < 6; ++d) {
            const uint32_t f = split_feature[t * 6 + d], b = split_border[t * 6 + d];
            const uint32_t above = __vcmpgtu4(bins[(size_t)f * quads + i], b * 0x01010101u);
            path |= above & (0x01010101u << d);
        }
        const float *values = leaf + t * 64;
        sum.x += values[path & 63];
        sum.y += values[(path >> 8) & 63];
        sum.z += values[(path >> 16) & 63];
        sum.w += values[path >> 24];
    }
    score[i] = sum;
}

/* kmutate launch
   int words = 300000, longest = 14;
   dim3 grid = { (words + 127) / 128 }, block = { 128 };
   uint16_t letters[words * longest] = randint(0, 512);
   uint8_t length[words] = randint(2, 15);
   int rank_of_pair[512 * 512] = randint(0, 40000);
   uint16_t tokens[words * longest] = zeros();
   uint8_t count[words] = zeros();
   bpe_merge_words_by_rank_table(letters, length, rank_of_pair, tokens, count, words, 9000);
*/
__global__ void bpe_merge_words_by_rank_table(const uint16_t *__restrict__ letters,
                                              const uint8_t *__restrict__ length,
                                              const int *__restrict__ rank_of_pair, uint16_t *__restrict__ tokens,
                                              uint8_t *__restrict__ count, int words, int merges)
{
    __shared__ uint16_t piece[14][128];
    const int w = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
    if (w >= words) return;
    int n = length[w];
    for (int i = 0; i < n; ++i) piece[i][t] = letters[(size_t)w * 14 + i];
    while (n > 1) {
        int best = merges, where = -1;
        int left = piece[0][t];
        for (int i = 1; i < n; ++i) {
            const int right = piece[i][t];
            const int rank = rank_of_pair[left * 512 + right];
            if (rank < best) {
                best = rank;
                where = i - 1;
            }
            left = right;
        }
        if (where < 0) break;
        piece[where][t] = (uint16_t)((best * 37 + 11) & 511);
        for (int i = where + 1; i < n - 1; ++i) piece[i][t] = piece[i + 1][t];
        --n;
    }
    for (int i = 0; i < n; ++i) tokens[(size_t)w * 14 + i] = piece[i][t];
    count[w] = (uint8_t)n;
}

/* kmutate launch
   int symbols = 4000, lo = 500, hi = 3500, trades = 2000000;
   int quotes = csr_nnz(symbols, lo, hi);
   dim3 grid = { (trades + 255) / 256 }, block = { 256 };
   int first_quote[symbols + 1] = csr_rowptr(symbols, lo, hi);
   int64_t quote_time[quotes] = ascending(0, 1000000000000);
   float2 bid_ask[quotes] = uniform(99, 101);
   int trade_symbol[trades] = ascending(0, symbols);
   int64_t trade_offset[trades] = randint(0, 300000000);
   float trade_price[trades] = uniform(99, 101);
   float slippage[trades] = zeros();
   int64_t staleness[trades] = zeros();
   asof_join_trades_to_quotes(first_quote, quote_time, bid_ask, trade_symbol, trade_offset, trade_price, slippage,
                              staleness, trades);
*/
__global__ void asof_join_trades_to_quotes(const int *__restrict__ first_quote,
                                           const int64_t *__restrict__ quote_time,
                                           const float2 *__restrict__ bid_ask, const int *__restrict__ trade_symbol,
                                           const int64_t *__restrict__ trade_offset,
                                           const float *__restrict__ trade_price,
                                           float *__restrict__ slippage, int64_t *__restrict__ staleness, int trades)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= trades) return;
    const int s = trade_symbol[i];
    const int begin = first_quote[s];
    int lo = begin, hi = first_quote[s + 1];
    const int64_t when = quote_time[begin] + trade_offset[i];
    while (hi - lo > 1) {
        const int mid = (lo + hi) >> 1;
        if (quote_time[mid] <= when)
            lo = mid;
        else
            hi = mid;
    }
    const float2 q = bid_ask[lo];
    const float mid_price = 0.5f * (q.x + q.y), p = trade_price[i];
    slippage[i] = (p >= mid_price ? p - mid_price : mid_price - p) / mid_price * 1e4f;
    staleness[i] = when - quote_time[lo];
}

/* kmutate launch
   int points = 400000, edges = 1500000, triangles = 800000;
   dim3 grid = { (edges + 255) / 256 }, block = { 256 };
   double2 point[points] = uniform(0, 1);
   int4 corners[edges] = randint(0, points);
   int2 sides[edges] = randint(0, triangles);
   int owner[triangles] = fill(2147483647);
   int flips[edges] = zeros();
   int flip_count[1] = zeros();
   delaunay_flip_candidates_claim(point, corners, sides, owner, flips, flip_count, edges);
*/
__global__ void delaunay_flip_candidates_claim(const double2 *__restrict__ point, const int4 *__restrict__ corners,
                                               const int2 *__restrict__ sides, int *__restrict__ owner,
                                               int *__restrict__ flips, int *__restrict__ flip_count, int edges)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    bool flip = false;
    if (e < edges) {
        const int4 q = corners[e];
        const double2 d = point[q.w], a = point[q.x], b = point[q.y], c = point[q.z];
        const double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
        const float fa = (float)ax * (float)ax + (float)ay * (float)ay;
        const float fb = (float)bx * (float)bx + (float)by * (float)by;
        const float fc = (float)cx * (float)cx + (float)cy * (float)cy;
        const float mab = (float)ax * (float)by - (float)bx * (float)ay;
        const float mbc = (float)bx * (float)cy - (float)cx * (float)by;
        const float mca = (float)cx * (float)ay - (float)ax * (float)cy;
        const float det = fa * mbc + fb * mca + fc * mab;
        const float bound = 1e-3f * (fa * fabsf(mbc) + fb * fabsf(mca) + fc * fabsf(mab));
        float turn = mab + mbc + mca;
        if (fabsf(det) > bound) {
            flip = det * turn > 0.f;
        } else {
            const double la = ax * ax + ay * ay, lb = bx * bx + by * by, lc = cx * cx + cy * cy;
            const double exact = la * (bx * cy - cx * by) + lb * (cx * ay - ax * cy) + lc * (ax * by - bx * ay);
            const double orient = (a.x - c.x) * (b.y - c.y) - (b.x - c.x) * (a.y - c.y);
            flip = exact * orient > 1e-15;
        }
        if (flip) {
            const int2 t = sides[e];
            atomicMin(owner + t.x, e);
            atomicMin(owner + t.y, e);
        }
    }
    const unsigned votes = __ballot_sync(0xffffffffu, flip);
    const int lane = threadIdx.x & 31;
    int base = 0;
    if (lane == 0 && votes) base = atomicAdd(flip_count, __popc(votes));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (flip) flips[base + __popc(votes & ((1u << lane) - 1u))] = e;
}

/* kmutate launch
   int elements = 300000, nodes = 610000;
   dim3 grid = { (elements + 127) / 128 }, block = { 128 };
   int node[6 * elements] = randint(0, nodes);
   double2 place[nodes] = uniform(0, 1);
   double heat[nodes] = uniform(0, 1);
   double residual[nodes] = zeros();
   quadratic_triangle_heat_residual(node, place, heat, residual, elements, 0.3, 1.5);
*/
__global__ void quadratic_triangle_heat_residual(const int *__restrict__ node, const double2 *__restrict__ place,
                                                 const double *__restrict__ heat, double *__restrict__ residual,
                                                 int elements, double nonlinear, double source)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= elements) return;
    int id[6];
    double u[6], r[6];
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        id[i] = node[(size_t)i * elements + e];
        u[i] = heat[id[i]];
        r[i] = 0.0;
    }
    const double2 a = place[id[0]], b = place[id[1]], c = place[id[2]];
    const double j00 = b.x - a.x, j01 = c.x - a.x, j10 = b.y - a.y, j11 = c.y - a.y;
    const double det = j00 * j11 - j01 * j10;
    const double area = 0.5 * fabs(det), inv = 1.0 / (fabs(det) > 1e-9 ? det : 1e-9);
    const double gx[3] = { (j10 - j11) * inv, j11 * inv, -j10 * inv };
    const double gy[3] = { (j01 - j00) * inv, -j01 * inv, j00 * inv };
#pragma unroll
    for (int p = 0; p < 3; ++p) {
        const double l[3] = { p == 0 ? 2.0 / 3 : 1.0 / 6, p == 1 ? 2.0 / 3 : 1.0 / 6, p == 2 ? 2.0 / 3 : 1.0 / 6 };
        double shape[6], dx[6], dy[6];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const int k = (i + 1) % 3;
            shape[i] = l[i] * (2.0 * l[i] - 1.0);
            dx[i] = (4.0 * l[i] - 1.0) * gx[i];
            dy[i] = (4.0 * l[i] - 1.0) * gy[i];
            shape[3 + i] = 4.0 * l[i] * l[k];
            dx[3 + i] = 4.0 * (l[i] * gx[k] + l[k] * gx[i]);
            dy[3 + i] = 4.0 * (l[i] * gy[k] + l[k] * gy[i]);
        }
        double value = 0.0, ux = 0.0, uy = 0.0;
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            value += shape[i] * u[i];
            ux += dx[i] * u[i];
            uy += dy[i] * u[i];
        }
        const double k = (1.0 + nonlinear * value * value) * area / 3.0, s = source * area / 3.0;
#pragma unroll
        for (int i = 0; i < 6; ++i) r[i] += k * (ux * dx[i] + uy * dy[i]) - s * shape[i];
    }
#pragma unroll
    for (int i = 0; i < 6; ++i) atomicAdd(residual + id[i], r[i]);
}

/* kmutate launch
   int sentences = 96, words = 48, span = 24;
   dim3 grid = { words - span + 1, sentences }, block = { 128 };
   float chart[sentences * (words + 1) * (words + 1) * 64] = uniform(-20, -1);
   uint32_t rule[1024] = randint(0, 1 << 18);
   float cost[1024] = uniform(-6, -0.5);
   uint32_t back[sentences * (words + 1) * (words + 1) * 64] = zeros();
   cky_span_cells_best_rule(chart, rule, cost, back, words, span);
*/
__global__ void cky_span_cells_best_rule(float *__restrict__ chart, const uint32_t *__restrict__ rule,
                                         const float *__restrict__ cost, uint32_t *__restrict__ back, int words,
                                         int span)
{
    __shared__ float left[64], right[64];
    __shared__ unsigned long long best[64];
    const int t = threadIdx.x, from = blockIdx.x, to = from + span, side = words + 1;
    float *cells = chart + (size_t)blockIdx.y * side * side * 64;
    uint32_t mine[8];
    float weight[8], top[8];
    int where[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        mine[r] = rule[t + r * 128];
        weight[r] = cost[t + r * 128];
        top[r] = -1e30f;
        where[r] = from + 1;
    }
    if (t < 64) best[t] = 0;
    for (int split = from + 1; split < to; ++split) {
        if (t < 64)
            left[t] = cells[((size_t)from * side + split) * 64 + t];
        else
            right[t - 64] = cells[((size_t)split * side + to) * 64 + t - 64];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 8; ++r) {
            const float s = left[(mine[r] >> 6) & 63] + right[mine[r] & 63];
            if (s > top[r]) {
                top[r] = s;
                where[r] = split;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        const float s = top[r] + weight[r];
        const uint32_t bits = __float_as_uint(s);
        const uint32_t order = (bits & 0x80000000u) ? ~bits : bits | 0x80000000u;
        const uint32_t tag = ((uint32_t)where[r] << 16) | (uint32_t)(t + r * 128);
        atomicMax(best + ((mine[r] >> 12) & 63), ((unsigned long long)order << 32) | tag);
    }
    __syncthreads();
    if (t < 64) {
        const uint32_t order = (uint32_t)(best[t] >> 32);
        const size_t at = ((size_t)from * side + to) * 64 + t;
        const float s = order == 0 ? -1e30f : __uint_as_float((order & 0x80000000u) ? order & 0x7fffffffu : ~order);
        cells[at] = s;
        back[(size_t)blockIdx.y * side * side * 64 + at] = (uint32_t)best[t];
    }
}

/* kmutate launch
   int w = 1920, h = 1088, frames = 6;
   dim3 grid = { w / 16, h / 16, frames }, block = { 16, 16 };
   uint8_t reference[frames * w * h] = randint(0, 256);
   short2 vector[frames * (w / 16) * (h / 16)] = randint(-90, 91);
   uint8_t predicted[frames * w * h] = zeros();
   luma_six_tap_quarter_pel(reference, vector, predicted, w, h);
*/
__global__ void luma_six_tap_quarter_pel(const uint8_t *__restrict__ reference, const short2 *__restrict__ vector,
                                         uint8_t *__restrict__ predicted, int w, int h)
{
    __shared__ uint8_t pel[21][24];
    __shared__ int wide[21][17];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const short2 mv = vector[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x];
    const int fx = mv.x & 3, fy = mv.y & 3;
    const int x0 = blockIdx.x * 16 + (mv.x >> 2) - 2, y0 = blockIdx.y * 16 + (mv.y >> 2) - 2;
    const size_t frame = (size_t)blockIdx.z * w * h;
    for (int i = ty * 16 + tx; i < 21 * 21; i += 256) {
        const int r = i / 21, c = i - r * 21;
        const int gx = min(max(x0 + c, 0), w - 1), gy = min(max(y0 + r, 0), h - 1);
        pel[r][c] = reference[frame + (size_t)gy * w + gx];
    }
    __syncthreads();
    int out;
    const int whole = pel[ty + 2 + (fy == 3)][tx + 2 + (fx == 3)];
    if (fx == 0 && fy == 0) {
        out = whole;
    } else if (fy == 0) {
        const uint8_t *p = &pel[ty + 2][tx];
        const int v = p[0] - 5 * p[1] + 20 * p[2] + 20 * p[3] - 5 * p[4] + p[5];
        out = min(max((v + 16) >> 5, 0), 255);
        if (fx != 2) out = (out + whole + 1) >> 1;
    } else if (fx == 0) {
        const int v = pel[ty][tx + 2] - 5 * pel[ty + 1][tx + 2] + 20 * pel[ty + 2][tx + 2] + 20 * pel[ty + 3][tx + 2]
                      - 5 * pel[ty + 4][tx + 2] + pel[ty + 5][tx + 2];
        out = min(max((v + 16) >> 5, 0), 255);
        if (fy != 2) out = (out + whole + 1) >> 1;
    } else {
        for (int r = ty; r < 21; r += 16) {
            const uint8_t *p = &pel[r][tx];
            wide[r][tx] = p[0] - 5 * p[1] + 20 * p[2] + 20 * p[3] - 5 * p[4] + p[5];
        }
        __syncthreads();
        const int v = wide[ty][tx] - 5 * wide[ty + 1][tx] + 20 * wide[ty + 2][tx] + 20 * wide[ty + 3][tx]
                      - 5 * wide[ty + 4][tx] + wide[ty + 5][tx];
        out = min(max((v + 512) >> 10, 0), 255);
        if (fx != 2 || fy != 2) {
            const int near_row = min(max((wide[ty + 2 + (fy == 3)][tx] + 16) >> 5, 0), 255);
            out = (out + near_row + 1) >> 1;
        }
    }
    predicted[frame + (size_t)(blockIdx.y * 16 + ty) * w + blockIdx.x * 16 + tx] = (uint8_t)out;
}

/* kmutate launch
   int samples = 24;
   dim3 grid = { 396 }, block = { 256 };
   float edges[6 * 65] = ascending(0, 6);
   float weight[6 * 64] = zeros();
   double integral[2] = zeros();
   vegas_six_dims_refine_bins(edges, weight, integral, samples, 1234567u);
*/
__global__ void vegas_six_dims_refine_bins(const float *__restrict__ edges, float *__restrict__ weight,
                                           double *__restrict__ integral, int samples, uint32_t seed)
{
    __shared__ float edge[6 * 65];
    __shared__ float importance[6 * 64];
    for (int i = threadIdx.x; i < 6 * 65; i += blockDim.x) edge[i] = edges[i] - (float)(i / 65);
    for (int i = threadIdx.x; i < 6 * 64; i += blockDim.x) importance[i] = 0.f;
    __syncthreads();
    uint32_t state = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + seed;
    float sum = 0.f, square = 0.f;
    for (int n = 0; n < samples; ++n) {
        int bin[6];
        float jacobian = 1.f, distance = 0.f, angle = 0.f;
#pragma unroll
        for (int d = 0; d < 6; ++d) {
            state = state * 747796405u + 2891336453u;
            uint32_t word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
            word = (word >> 22) ^ word;
            const float y = (word >> 8) * (64.f / 16777216.f);
            const int b = (int)y;
            const float low = edge[d * 65 + b], width = edge[d * 65 + b + 1] - low;
            const float x = low + (y - b) * width - 0.5f;
            bin[d] = b;
            jacobian *= 64.f * width;
            distance += x * x;
            angle += x;
        }
        const float f = jacobian * expf(-6.f * distance) * (1.f + 0.3f * cosf(5.f * angle));
        sum += f;
        square += f * f;
#pragma unroll
        for (int d = 0; d < 6; ++d) atomicAdd(importance + d * 64 + bin[d], f * f);
    }
    for (int o = 16; o; o >>= 1) {
        sum += __shfl_down_sync(0xffffffffu, sum, o);
        square += __shfl_down_sync(0xffffffffu, square, o);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(integral, (double)sum);
        atomicAdd(integral + 1, (double)square);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 6 * 64; i += blockDim.x) atomicAdd(weight + i, importance[i]);
}

/* kmutate launch
   int vocabulary = 200000, pairs = 160000, dims = 128;
   dim3 grid = { pairs / 8 }, block = { 32, 8 };
   __nv_bfloat16 inner[vocabulary * dims] = normal(0, 0.1);
   __nv_bfloat16 outer[vocabulary * dims] = normal(0, 0.1);
   int centre[pairs] = randint(0, vocabulary);
   int context[pairs] = randint(0, vocabulary);
   int unigram[1 << 20] = randint(0, vocabulary);
   skipgram_pairs_negative_bf16(inner, outer, centre, context, unigram, 5, 0.025f, pairs, 99u);
*/
__global__ void skipgram_pairs_negative_bf16(__nv_bfloat16 *inner, __nv_bfloat16 *outer,
                                             const int *__restrict__ centre,
                                             const int *__restrict__ context, const int *__restrict__ unigram,
                                             int negatives, float rate, int pairs, uint32_t seed)
{
    const int pair = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (pair >= pairs) return;
    __nv_bfloat162 *in = reinterpret_cast<__nv_bfloat162 *>(inner + (size_t)centre[pair] * 128) + lane * 2;
    const float2 h0 = __bfloat1622float2(in[0]), h1 = __bfloat1622float2(in[1]);
    float2 g0 = make_float2(0.f, 0.f), g1 = make_float2(0.f, 0.f);
    uint32_t state = pair * 2654435761u + seed;
    int target = context[pair];
    for (int k = 0; k <= negatives; ++k) {
        __nv_bfloat162 *out = reinterpret_cast<__nv_bfloat162 *>(outer + (size_t)target * 128) + lane * 2;
        float2 w0 = __bfloat1622float2(out[0]), w1 = __bfloat1622float2(out[1]);
        float dot = h0.x * w0.x + h0.y * w0.y + h1.x * w1.x + h1.y * w1.y;
        for (int o = 16; o; o >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, o);
        const float step = rate * ((k == 0 ? 1.f : 0.f) - 1.f / (1.f + __expf(-dot)));
        g0.x += step * w0.x;
        g0.y += step * w0.y;
        g1.x += step * w1.x;
        g1.y += step * w1.y;
        out[0] = __floats2bfloat162_rn(w0.x + step * h0.x, w0.y + step * h0.y);
        out[1] = __floats2bfloat162_rn(w1.x + step * h1.x, w1.y + step * h1.y);
        state = state * 1664525u + 1013904223u;
        target = unigram[state >> 12];
    }
    in[0] = __floats2bfloat162_rn(h0.x + g0.x, h0.y + g0.y);
    in[1] = __floats2bfloat162_rn(h1.x + g1.x, h1.y + g1.y);
}

/* kmutate launch
   int weights = 1 << 26;
   dim3 grid = { weights / 16 / 256 }, block = { 256 };
   uint32_t packed[weights / 16 * 3] = randint(0, 4294967295);
   uint8_t step[weights / 64] = randint(1, 256);
   half super[weights / 1024] = uniform(0.0001, 0.001);
   uint4 out[weights / 8] = zeros();
   six_bit_words_to_half_groups(packed, step, super, out);
*/
__global__ void six_bit_words_to_half_groups(const uint32_t *__restrict__ packed, const uint8_t *__restrict__ step,
                                             const half *__restrict__ super, uint4 *__restrict__ out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t a = packed[i * 3], b = packed[i * 3 + 1], c = packed[i * 3 + 2];
    const float scale = __half2float(super[i >> 6]) * step[i >> 2];
    uint32_t result[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        int q[2];
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            const int bit = (2 * k + j) * 6;
            uint32_t v;
            if (bit + 6 <= 32)
                v = a >> bit;
            else if (bit < 32)
                v = __funnelshift_r(a, b, bit);
            else if (bit + 6 <= 64)
                v = b >> (bit - 32);
            else if (bit < 64)
                v = __funnelshift_r(b, c, bit - 32);
            else
                v = c >> (bit - 64);
            q[j] = (int)(v & 63u) - 32;
        }
        const half2 h = __floats2half2_rn(scale * q[0], scale * q[1]);
        result[k] = *reinterpret_cast<const uint32_t *>(&h);
    }
    out[(size_t)i * 2] = make_uint4(result[0], result[1], result[2], result[3]);
    out[(size_t)i * 2 + 1] = make_uint4(result[4], result[5], result[6], result[7]);
}

/* kmutate launch
   int images = 16, channels = 96, pixels = 112 * 112;
   dim3 grid = { pixels / 8, channels / 32, images }, block = { 32, 8 };
   uint8_t planar[images * channels * pixels] = randint(0, 256);
   int8_t blocked[images * channels * pixels] = zeros();
   planar_bytes_to_channel_blocks_32(planar, blocked, channels, pixels);
*/
__global__ void planar_bytes_to_channel_blocks_32(const uint8_t *__restrict__ planar, int8_t *__restrict__ blocked,
                                                  int channels, int pixels)
{
    const int lane = threadIdx.x, pixel = blockIdx.x * blockDim.y + threadIdx.y;
    if (pixel >= pixels) return;
    const int channel = blockIdx.y * 32 + lane;
    const int v = (int)planar[((size_t)blockIdx.z * channels + channel) * pixels + pixel] - 128;
    const size_t group = (size_t)blockIdx.z * gridDim.y + blockIdx.y;
    blocked[(group * pixels + pixel) * 32 + lane] = (int8_t)v;
}

/* kmutate launch
   int problems = 600, horizon = 40;
   dim3 grid = { problems }, block = { 12, 12 };
   float dynamics[problems * horizon * 144] = normal(0, 0.25);
   float control[problems * horizon * 48] = normal(0, 0.4);
   float gain[problems * horizon * 48] = zeros();
   float cost_to_go[problems * 144] = zeros();
   riccati_backward_sweep_block(dynamics, control, gain, cost_to_go, horizon, 1.f, 0.1f);
*/
__global__ void riccati_backward_sweep_block(const float *__restrict__ dynamics, const float *__restrict__ control,
                                             float *__restrict__ gain, float *__restrict__ cost_to_go, int horizon,
                                             float state_cost, float control_cost)
{
    __shared__ float P[12][12], A[12][12], B[12][4], PA[12][12], PB[12][4], S[4][4], BPA[4][12], K[4][12];
    const int c = threadIdx.x, r = threadIdx.y, flat = r * 12 + c;
    P[r][c] = r == c ? state_cost : 0.f;
    for (int step = horizon - 1; step >= 0; --step) {
        const size_t at = (size_t)blockIdx.x * horizon + step;
        A[r][c] = dynamics[at * 144 + flat];
        if (flat < 48) B[flat >> 2][flat & 3] = control[at * 48 + flat];
        __syncthreads();
        float s = 0.f;
        for (int k = 0; k < 12; ++k) s += P[r][k] * A[k][c];
        PA[r][c] = s;
        if (flat < 48) {
            float q = 0.f;
            for (int k = 0; k < 12; ++k) q += P[flat >> 2][k] * B[k][flat & 3];
            PB[flat >> 2][flat & 3] = q;
        }
        __syncthreads();
        if (r < 4) {
            float q = 0.f;
            for (int k = 0; k < 12; ++k) q += B[k][r] * PA[k][c];
            BPA[r][c] = q;
        } else if (r < 8 && c < 4) {
            float q = r - 4 == c ? control_cost : 0.f;
            for (int k = 0; k < 12; ++k) q += B[k][r - 4] * PB[k][c];
            S[r - 4][c] = q;
        }
        __syncthreads();
        if (flat == 0) {
            for (int j = 0; j < 4; ++j) {
                float d = S[j][j];
                for (int k = 0; k < j; ++k) d -= S[j][k] * S[j][k];
                d = sqrtf(fmaxf(d, 1e-6f));
                S[j][j] = d;
                for (int i = j + 1; i < 4; ++i) {
                    float v = S[i][j];
                    for (int k = 0; k < j; ++k) v -= S[i][k] * S[j][k];
                    S[i][j] = v / d;
                }
            }
        }
        __syncthreads();
        if (flat < 12) {
            float y[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                y[i] = BPA[i][flat];
#pragma unroll
                for (int k = 0; k < i; ++k) y[i] -= S[i][k] * y[k];
                y[i] /= S[i][i];
            }
#pragma unroll
            for (int i = 3; i >= 0; --i) {
#pragma unroll
                for (int k = i + 1; k < 4; ++k) y[i] -= S[k][i] * y[k];
                y[i] /= S[i][i];
                K[i][flat] = y[i];
            }
        }
        __syncthreads();
        float next = r == c ? state_cost : 0.f;
        for (int k = 0; k < 12; ++k) next += A[k][r] * PA[k][c];
        for (int k = 0; k < 4; ++k) next -= BPA[k][r] * K[k][c];
        P[r][c] = next;
        if (r < 4) gain[at * 48 + flat] = K[r][c];
        __syncthreads();
    }
    cost_to_go[(size_t)blockIdx.x * 144 + flat] = P[r][c];
}
