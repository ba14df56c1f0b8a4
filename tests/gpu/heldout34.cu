#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

// ---- databases ----------------------------------------------------------------------------------------------------

// SELECT rank() OVER w, sum(amount) OVER w, avg(amount) OVER (w ROWS 6 PRECEDING), one warp for each partition.
/* kmutate launch
   int parts = 60000;
   int rows = csr_nnz(parts, 8, 160);
   dim3 grid = { (parts + 7) / 8 }, block = { 256 };
   int part_begin[parts + 1] = csr_rowptr(parts, 8, 160);
   int order_key[rows] = ascending(0, 3000000);
   float amount[rows] = uniform(1, 500);
   int rank[rows] = zeros();
   float running[rows] = zeros();
   float average[rows] = zeros();
   window_rank_sum_and_trailing_mean(part_begin, order_key, amount, rank, running, average, parts);
*/
__global__ void window_rank_sum_and_trailing_mean(const int *__restrict__ part_begin, const int *__restrict__ order_key,
                                                  const float *__restrict__ amount, int *__restrict__ rank,
                                                  float *__restrict__ running, float *__restrict__ average, int parts)
{
    const int part = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    if (part >= parts) return;
    const int begin = part_begin[part], end = part_begin[part + 1];
    int rank_so_far = 0;
    float sum_so_far = 0.f;
    for (int base = begin; base < end; base += 32) {
        const int i = base + lane;
        const bool in = i < end;
        float sum = in ? amount[i] : 0.f;
        int first = 0;
        if (in && (i == begin || order_key[i - 1] != order_key[i])) first = i - begin + 1;
        for (int d = 1; d < 32; d <<= 1) {
            const float s = __shfl_up_sync(0xffffffffu, sum, d);
            const int f = __shfl_up_sync(0xffffffffu, first, d);
            if (lane >= d) {
                sum += s;
                first = max(first, f);
            }
        }
        sum += sum_so_far;
        first = max(first, rank_so_far);
        if (in) {
            const int from = max(begin, i - 6);
            float near = 0.f;
            for (int j = from; j <= i; ++j) near += amount[j];
            rank[i] = first;
            running[i] = sum;
            average[i] = near / (i - from + 1);
        }
        rank_so_far = __shfl_sync(0xffffffffu, first, 31);
        sum_so_far = __shfl_sync(0xffffffffu, sum, 31);
    }
}

// ORDER BY region NULLS FIRST, price DESC, name: each row becomes a key of 24 bytes that memcmp puts in order.
/* kmutate launch
   int rows = 2500000;
   int chars = csr_nnz(rows, 2, 18);
   dim3 grid = { (rows + 255) / 256 }, block = { 256 };
   unsigned valid[(rows + 31) / 32] = randint(0, 1u << 31);
   int region[rows] = randint(-5000, 5000);
   double price[rows] = normal(0, 250);
   int name_at[rows + 1] = csr_rowptr(rows, 2, 18);
   unsigned char name[chars] = randint(97, 123);
   unsigned char key[rows * 24] = zeros();
   rows_into_memcmp_keys(valid, region, price, name_at, name, key, rows);
*/
__global__ void rows_into_memcmp_keys(const unsigned *valid, const int *region, const double *price, const int *name_at,
                                      const unsigned char *name, unsigned char *key, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    unsigned char *to = key + (size_t)row * 24;

    const bool present = (valid[row >> 5] >> (row & 31)) & 1u;
    const unsigned ordered = present ? (unsigned)region[row] ^ 0x80000000u : 0u;
    to[0] = present ? 1 : 0;
    for (int b = 0; b < 4; ++b) to[1 + b] = (unsigned char)(ordered >> (24 - 8 * b));

    unsigned long long bits = (unsigned long long)__double_as_longlong(price[row]);
    bits = (bits >> 63) ? ~bits : bits | 0x8000000000000000ull;
    bits = ~bits;
    for (int b = 0; b < 8; ++b) to[5 + b] = (unsigned char)(bits >> (56 - 8 * b));

    const int at = name_at[row];
    const int length = name_at[row + 1] - at;
    const int kept = min(length, 10);
    for (int b = 0; b < kept; ++b) {
        unsigned char c = name[at + b];
        if (c >= 'a' && c <= 'z') c -= 32;
        to[13 + b] = c;
    }
    for (int b = kept; b < 10; ++b) to[13 + b] = 0;
    to[23] = (unsigned char)min(length, 255);
}

// ---- bioinformatics -----------------------------------------------------------------------------------------------

// Counts of A, C, G, T at each place of the genome; a byte has the base in its low two bits and the quality above it.
/* kmutate launch
   int reads = 140000, genome = 1500000;
   int bases = csr_nnz(reads, 90, 151);
   dim3 grid = { (reads + 3) / 4 }, block = { 128 };
   int read_begin[reads + 1] = csr_rowptr(reads, 90, 151);
   unsigned char base_quality[bases] = randint(0, 164);
   int place[reads] = ascending(0, genome - 200);
   int2 deletion[reads] = randint(0, 40);
   unsigned char map_quality[reads] = randint(0, 61);
   int counts[genome * 4] = zeros();
   int depth[genome] = zeros();
   pileup_confident_bases(read_begin, base_quality, place, deletion, map_quality, counts, depth, reads, 20);
*/
__global__ void pileup_confident_bases(const int *__restrict__ read_begin,
                                       const unsigned char *__restrict__ base_quality, const int *__restrict__ place,
                                       const int2 *__restrict__ deletion,
                                       const unsigned char *__restrict__ map_quality, int *counts, int *depth,
                                       int reads, int threshold)
{
    const int read = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (read >= reads || map_quality[read] < 10) return;
    const int lane = threadIdx.x & 31;
    const int begin = read_begin[read];
    const int length = read_begin[read + 1] - begin;
    const int start = place[read];
    const int2 gap = deletion[read];
    const int gap_at = 20 + gap.x;
    const int gap_length = gap.y < 4 ? gap.y : 0;
    for (int i = lane; i < length; i += 32) {
        const unsigned char b = base_quality[begin + i];
        const int spot = start + i + (i >= gap_at ? gap_length : 0);
        atomicAdd(&depth[spot], 1);
        if ((b >> 2) >= threshold) atomicAdd(&counts[spot * 4 + (b & 3)], 1);
    }
}

// Forward pass of the haplotype copying model: a block for each target, a thread for four haplotypes of the panel.
/* kmutate launch
   int targets = 100, haplotypes = 1024, sites = 600;
   dim3 grid = { targets }, block = { 256 };
   unsigned panel[sites * haplotypes / 32] = randint(0, 1u << 31);
   unsigned char allele[targets * sites] = randint(0, 3);
   float recombine[sites] = uniform(0.001, 0.05);
   float alpha[targets * haplotypes] = zeros();
   float loglik[targets] = zeros();
   copying_model_forward_panel_1024(panel, allele, recombine, alpha, loglik, sites, 0.01f);
*/
__global__ void __launch_bounds__(256)
copying_model_forward_panel_1024(const unsigned *__restrict__ panel, const unsigned char *__restrict__ allele,
                                 const float *__restrict__ recombine, float *__restrict__ alpha,
                                 float *__restrict__ loglik, int sites, float error)
{
    __shared__ float part[2][8];
    const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
    const unsigned char *mine = allele + (size_t)blockIdx.x * sites;
    float state[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) state[j] = 1.f / 1024.f;
    float total = 1.f, log_sum = 0.f;
    for (int s = 0; s < sites; ++s) {
        const float r = recombine[s];
        const float stay = (1.f - r) / total, jump = r / 1024.f;
        const unsigned seen = mine[s];
        float sum = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const unsigned bit = (panel[s * 32 + j * 8 + warp] >> lane) & 1u;
            float emit = 1.f;
            if (seen < 2) emit = bit == seen ? 1.f - error : error;
            state[j] = (state[j] * stay + jump) * emit;
            sum += state[j];
        }
        for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
        if (lane == 0) part[s & 1][warp] = sum;
        __syncthreads();
        total = 0.f;
#pragma unroll
        for (int w = 0; w < 8; ++w) total += part[s & 1][w];
        log_sum += __logf(total);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) alpha[(size_t)blockIdx.x * 1024 + j * 256 + tid] = state[j] / total;
    if (tid == 0) loglik[blockIdx.x] = log_sum;
}

// ---- graphics -----------------------------------------------------------------------------------------------------

// Deferred shading: a block is a tile of 16 x 16 pixels and goes through the list of lights that reach it.
/* kmutate launch
   int width = 1920, height = 1088, lights = 3000;
   int tiles = (width / 16) * (height / 16);
   int entries = csr_nnz(tiles, 4, 48);
   dim3 grid = { width / 16, height / 16 }, block = { 16, 16 };
   float z_view[width * height] = uniform(-25, 25);
   short2 normal_oct[width * height] = randint(-32767, 32768);
   uchar4 albedo_rough[width * height] = randint(10, 256);
   int list_begin[tiles + 1] = csr_rowptr(tiles, 4, 48);
   int list[entries] = csr_colidx(lights);
   float3 light_place[lights] = uniform(-25, 25);
   float3 light_colour[lights] = uniform(0, 6);
   float light_reach[lights] = uniform(8, 30);
   uchar4 shaded[width * height] = zeros();
   shade_tile_ggx_from_light_lists(z_view, normal_oct, albedo_rough, list_begin, list, light_place, light_colour,
                                   light_reach, shaded, width, height, -40.f);
*/
__global__ void shade_tile_ggx_from_light_lists(const float *z_view, const short2 *normal_oct,
                                                const uchar4 *albedo_rough, const int *list_begin, const int *list,
                                                const float3 *light_place, const float3 *light_colour,
                                                const float *light_reach, uchar4 *shaded, int width, int height,
                                                float eye_z)
{
    __shared__ float4 place[64];
    __shared__ float3 colour[64];
    const int tile = blockIdx.y * gridDim.x + blockIdx.x;
    const int begin = list_begin[tile], count = min(64, list_begin[tile + 1] - begin);
    const int t = threadIdx.y * 16 + threadIdx.x;
    if (t < count) {
        const int l = list[begin + t];
        const float3 p = light_place[l];
        place[t] = make_float4(p.x, p.y, p.z, light_reach[l]);
        colour[t] = light_colour[l];
    }
    __syncthreads();
    const int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y;
    const int at = py * width + px;
    const float z = z_view[at], away = z - eye_z;
    const float x = (px + 0.5f - 0.5f * width) / width * away, y = (py + 0.5f - 0.5f * height) / width * away;
    const short2 o = normal_oct[at];
    float nx = o.x / 32767.f, ny = o.y / 32767.f, nz = 1.f - fabsf(nx) - fabsf(ny);
    const float fold = fmaxf(-nz, 0.f);
    nx -= copysignf(fold, nx), ny -= copysignf(fold, ny);
    const float ni = rsqrtf(nx * nx + ny * ny + nz * nz);
    nx *= ni, ny *= ni, nz *= ni;
    const float vi = rsqrtf(x * x + y * y + away * away);
    const float vx = -x * vi, vy = -y * vi, vz = -away * vi;
    const float nv = fmaxf(fabsf(nx * vx + ny * vy + nz * vz), 1e-3f);
    const uchar4 material = albedo_rough[at];
    const float rough = material.w / 255.f, a2 = rough * rough * rough * rough, k = 0.5f * rough * rough;
    float red = 0.02f, green = 0.02f, blue = 0.02f;
    for (int i = 0; i < count; ++i) {
        const float4 p = place[i];
        float lx = p.x - x, ly = p.y - y, lz = p.z - z;
        const float d2 = lx * lx + ly * ly + lz * lz;
        if (d2 > p.w * p.w) continue;
        const float inv = rsqrtf(d2 + 1e-4f);
        lx *= inv, ly *= inv, lz *= inv;
        const float nl = nx * lx + ny * ly + nz * lz;
        if (nl <= 0.f) continue;
        float hx = lx + vx, hy = ly + vy, hz = lz + vz;
        const float hi = rsqrtf(hx * hx + hy * hy + hz * hz + 1e-6f);
        const float nh = (nx * hx + ny * hy + nz * hz) * hi, vh = (vx * hx + vy * hy + vz * hz) * hi;
        const float q = nh * nh * (a2 - 1.f) + 1.f;
        const float spread = a2 / (3.14159265f * q * q + 1e-6f);
        const float shadowing = 1.f / ((nl * (1.f - k) + k) * (nv * (1.f - k) + k));
        const float f = 1.f - fmaxf(vh, 0.f);
        const float fresnel = 0.04f + 0.96f * f * f * f * f * f;
        const float edge = 1.f - d2 / (p.w * p.w), specular = 0.25f * spread * shadowing * fresnel;
        const float fall = nl * edge * edge * inv * inv * 20.f;
        const float3 c = colour[i];
        red += c.x * fall * (material.x * 0.00124825f + specular);
        green += c.y * fall * (material.y * 0.00124825f + specular);
        blue += c.z * fall * (material.z * 0.00124825f + specular);
    }
    shaded[at] = make_uchar4(255 * red / (1.f + red), 255 * green / (1.f + green), 255 * blue / (1.f + blue), 255);
}

// Temporal antialiasing: history fetched along the motion, clipped to mean and deviation of the nine new neighbours.
/* kmutate launch
   int width = 2560, height = 1440;
   dim3 grid = { width / 32, height / 8 }, block = { 32, 8 };
   half now[width * height * 4] = uniform(0, 1);
   half history[width * height * 4] = uniform(0, 1);
   half2 motion[width * height] = normal(0, 2);
   half out[width * height * 4] = zeros();
   taa_variance_clip_ycocg((const uint2 *)now, (const uint2 *)history, motion, (uint2 *)out, width, height, 1.25f,
                           0.1f);
*/
__device__ __forceinline__ float3 taa_unpack_ycocg(uint2 raw)
{
    const float2 rg = __half22float2(*reinterpret_cast<const half2 *>(&raw.x));
    const float b = __half2float(reinterpret_cast<const half2 *>(&raw.y)->x);
    return make_float3(0.25f * rg.x + 0.5f * rg.y + 0.25f * b, 0.5f * (rg.x - b), 0.5f * rg.y - 0.25f * (rg.x + b));
}

__global__ void taa_variance_clip_ycocg(const uint2 *__restrict__ now, const uint2 *__restrict__ history,
                                        const half2 *__restrict__ motion, uint2 *__restrict__ out, int width,
                                        int height, float gamma, float blend)
{
    __shared__ float3 tile[10][34];
    const int bx = blockIdx.x * 32 - 1, by = blockIdx.y * 8 - 1;
    for (int t = threadIdx.y * 32 + threadIdx.x; t < 340; t += 256) {
        const int ty = t / 34, tx = t - ty * 34;
        const int sx = min(max(bx + tx, 0), width - 1), sy = min(max(by + ty, 0), height - 1);
        tile[ty][tx] = taa_unpack_ycocg(now[sy * width + sx]);
    }
    __syncthreads();
    float3 m = make_float3(0.f, 0.f, 0.f), s = make_float3(0.f, 0.f, 0.f);
#pragma unroll
    for (int dy = 0; dy < 3; ++dy)
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) {
            const float3 c = tile[threadIdx.y + dy][threadIdx.x + dx];
            m.x += c.x, m.y += c.y, m.z += c.z;
            s.x += c.x * c.x, s.y += c.y * c.y, s.z += c.z * c.z;
        }
    m.x /= 9.f, m.y /= 9.f, m.z /= 9.f;
    const float ex = gamma * sqrtf(fmaxf(s.x / 9.f - m.x * m.x, 0.f));
    const float ey = gamma * sqrtf(fmaxf(s.y / 9.f - m.y * m.y, 0.f));
    const float ez = gamma * sqrtf(fmaxf(s.z / 9.f - m.z * m.z, 0.f));
    const int x = bx + 1 + threadIdx.x, y = by + 1 + threadIdx.y;
    const float2 v = __half22float2(motion[y * width + x]);
    const float hx = fminf(fmaxf(x - v.x, 0.f), width - 1.001f), hy = fminf(fmaxf(y - v.y, 0.f), height - 1.001f);
    const int x0 = (int)hx, y0 = (int)hy;
    const float fx = hx - x0, fy = hy - y0;
    const uint2 *h = history + y0 * width + x0;
    const float3 a = taa_unpack_ycocg(h[0]), b = taa_unpack_ycocg(h[1]);
    const float3 c = taa_unpack_ycocg(h[width]), d = taa_unpack_ycocg(h[width + 1]);
    const float w0 = (1.f - fx) * (1.f - fy), w1 = fx * (1.f - fy), w2 = (1.f - fx) * fy, w3 = fx * fy;
    const float px = a.x * w0 + b.x * w1 + c.x * w2 + d.x * w3 - m.x;
    const float py = a.y * w0 + b.y * w1 + c.y * w2 + d.y * w3 - m.y;
    const float pz = a.z * w0 + b.z * w1 + c.z * w2 + d.z * w3 - m.z;
    const float over = fmaxf(fabsf(px) / (ex + 1e-4f), fmaxf(fabsf(py) / (ey + 1e-4f), fabsf(pz) / (ez + 1e-4f)));
    const float shrink = over > 1.f ? 1.f / over : 1.f;
    const float3 centre = tile[threadIdx.y + 1][threadIdx.x + 1];
    const float keep = 1.f - blend;
    const float luma = keep * (m.x + px * shrink) + blend * centre.x;
    const float co = keep * (m.y + py * shrink) + blend * centre.y;
    const float cg = keep * (m.z + pz * shrink) + blend * centre.z;
    const half2 rg = __floats2half2_rn(luma + co - cg, luma + cg), ba = __floats2half2_rn(luma - co - cg, 1.f);
    out[y * width + x] = make_uint2(*reinterpret_cast<const unsigned *>(&rg), *reinterpret_cast<const unsigned *>(&ba));
}

// ---- finance ------------------------------------------------------------------------------------------------------

// Sums of the regression of continuation values on four weighted Laguerre polynomials, paths in the money only.
/* kmutate launch
   int paths = 12000000;
   dim3 grid = { 528 }, block = { 256 };
   float spot[paths] = uniform(60, 140);
   float cash[paths] = uniform(0, 40);
   unsigned char alive[paths] = randint(0, 8);
   double sums[15] = zeros();
   early_exercise_regression_sums(spot, cash, alive, sums, paths, 102.f, 0.99f);
*/
__global__ void early_exercise_regression_sums(const float *__restrict__ spot, const float *__restrict__ cash,
                                               const unsigned char *__restrict__ alive, double *__restrict__ sums,
                                               int paths, float strike, float discount)
{
    __shared__ float part[8][15];
    float acc[15];
#pragma unroll
    for (int k = 0; k < 15; ++k) acc[k] = 0.f;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < paths; p += gridDim.x * blockDim.x) {
        const float s = spot[p];
        if (s >= strike || alive[p] == 0) continue;
        const float x = s / strike, w = __expf(-0.5f * x), y = discount * cash[p];
        float basis[4];
        basis[0] = w;
        basis[1] = w * (1.f - x);
        basis[2] = w * (1.f - 2.f * x + 0.5f * x * x);
        basis[3] = w * (1.f - 3.f * x + 1.5f * x * x - x * x * x / 6.f);
        int k = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j <= i; ++j) acc[k++] += basis[i] * basis[j];
#pragma unroll
        for (int i = 0; i < 4; ++i) acc[10 + i] += basis[i] * y;
        acc[14] += 1.f;
    }
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int k = 0; k < 15; ++k) {
        float v = acc[k];
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
        if (lane == 0) part[warp][k] = v;
    }
    __syncthreads();
    if (threadIdx.x < 15) {
        double v = 0.0;
        for (int i = 0; i < 8; ++i) v += part[i][threadIdx.x];
        atomicAdd(&sums[threadIdx.x], v);
    }
}

// Features of order book snapshots. A snapshot is ten bid and ten ask levels of (tick step, size, orders, flags).
/* kmutate launch
   int snapshots = 500000;
   dim3 grid = { (snapshots + 127) / 128 }, block = { 128 };
   int4 level[snapshots * 20] = randint(1, 900);
   float mid[snapshots] = uniform(90, 110);
   float feature[snapshots * 6] = zeros();
   book_snapshot_features_ten_levels(level, mid, feature, snapshots, 0.0001f, 2500);
*/
__global__ void book_snapshot_features_ten_levels(const int4 *level, const float *mid, float *feature, int snapshots,
                                                  float tick, int order_size)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= snapshots) return;
    const int4 *book = level + (size_t)s * 20;
    const float middle = mid[s];
    float weighted[2], sweep[2], pressure[2], best[2];
    int best_size[2];
    for (int side = 0; side < 2; ++side) {
        const float direction = side ? 1.f : -1.f;
        float price = middle, weight = 1.f, depth = 0.f, paid = 0.f, crowd = 0.f;
        int left = order_size;
        for (int l = 0; l < 10; ++l) {
            const int4 q = book[side * 10 + l];
            price += direction * tick * q.x;
            if (l == 0) {
                best[side] = price;
                best_size[side] = q.y;
            }
            depth += weight * q.y;
            crowd += weight * __fdividef((float)q.y, (float)q.z);
            weight *= 0.7f;
            const int taken = min(left, q.y);
            paid += taken * (price - middle);
            left -= taken;
            if (left == 0 && weight < 0.1f) break;
        }
        weighted[side] = depth;
        sweep[side] = paid / (order_size - left);
        pressure[side] = crowd;
    }
    float *f = feature + (size_t)s * 6;
    f[0] = (weighted[0] - weighted[1]) / (weighted[0] + weighted[1]);
    f[1] = (best[0] * best_size[1] + best[1] * best_size[0]) / (best_size[0] + best_size[1]);
    f[2] = best[1] - best[0];
    f[3] = sweep[0];
    f[4] = sweep[1];
    f[5] = logf(pressure[0] / pressure[1]);
}

// ---- audio --------------------------------------------------------------------------------------------------------

// Pitch of overlapping frames by the normalised difference function: 512 lags over windows of 512 samples.
/* kmutate launch
   int frames = 2400, hop = 480;
   dim3 grid = { frames }, block = { 256 };
   float audio[frames * hop + 1024] = normal(0, 0.2);
   float2 pitch[frames] = zeros();
   yin_pitch_with_512_lags(audio, pitch, hop, 0.15f, 48000.f);
*/
__global__ void __launch_bounds__(256) yin_pitch_with_512_lags(const float *__restrict__ audio,
                                                               float2 *__restrict__ pitch, int hop, float threshold,
                                                               float rate)
{
    __shared__ float x[1024];
    __shared__ float difference[512];
    __shared__ float warp_sum[8];
    __shared__ int first_dip;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const float *from = audio + (size_t)blockIdx.x * hop;
    for (int i = t; i < 1024; i += 256) x[i] = from[i];
    if (t == 0) first_dip = 512;
    __syncthreads();
    float d0 = 0.f, d1 = 0.f;
#pragma unroll 8
    for (int j = 0; j < 512; ++j) {
        const float now = x[j];
        const float e0 = now - x[j + 2 * t], e1 = now - x[j + 2 * t + 1];
        d0 += e0 * e0;
        d1 += e1 * e1;
    }
    float sum = d0 + d1;
    for (int o = 1; o < 32; o <<= 1) {
        const float v = __shfl_up_sync(0xffffffffu, sum, o);
        if (lane >= o) sum += v;
    }
    if (lane == 31) warp_sum[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += warp_sum[w];
    difference[2 * t] = t == 0 ? 1.f : d0 * (2 * t) / (sum - d1 + 1e-9f);
    difference[2 * t + 1] = d1 * (2 * t + 1) / (sum + 1e-9f);
    __syncthreads();
    for (int lag = t; lag < 511; lag += 256) {
        const bool low = lag > 20 && difference[lag] < threshold;
        if (low && difference[lag] <= difference[lag - 1] && difference[lag] < difference[lag + 1])
            atomicMin(&first_dip, lag);
    }
    __syncthreads();
    if (warp > 0) return;
    int lag = first_dip;
    if (lag == 512) {
        float least = 1e30f;
        for (int i = 21 + lane; i < 511; i += 32)
            if (difference[i] < least) least = difference[lag = i];
        for (int o = 16; o; o >>= 1) {
            const float other = __shfl_xor_sync(0xffffffffu, least, o);
            const int place = __shfl_xor_sync(0xffffffffu, lag, o);
            if (other < least || (other == least && place < lag)) {
                least = other;
                lag = place;
            }
        }
    }
    if (lane == 0) {
        const float a = difference[lag - 1], b = difference[lag], c = difference[lag + 1];
        const float bend = a - 2.f * b + c;
        const float shift = fabsf(bend) > 1e-9f ? 0.5f * (a - c) / bend : 0.f;
        pitch[blockIdx.x] = make_float2(rate / (lag + shift), 1.f - b);
    }
}

// Convolution reverb in uniform partitions: products of the ring of input spectra and the filters, summed for a block.
/* kmutate launch
   int outputs = 96, inputs = 8, partitions = 150, bins = 1025, newest = 57;
   dim3 grid = { (bins + 127) / 128, outputs }, block = { 128 };
   float2 ring[inputs * partitions * bins] = normal();
   half2 filter[outputs * partitions * bins] = normal(0, 0.05);
   float gain[outputs] = uniform(0.2, 1);
   float2 sum[outputs * bins] = zeros();
   partitioned_reverb_spectrum_sums(ring, filter, gain, sum, inputs, partitions, bins, newest);
*/
__global__ void partitioned_reverb_spectrum_sums(const float2 *__restrict__ ring, const half2 *__restrict__ filter,
                                                 const float *__restrict__ gain, float2 *__restrict__ sum, int inputs,
                                                 int partitions, int bins, int newest)
{
    const int bin = blockIdx.x * blockDim.x + threadIdx.x;
    const int output = blockIdx.y, input = output % inputs;
    if (bin >= bins) return;
    const half2 *h = filter + (size_t)output * partitions * bins + bin;
    const float2 *x = ring + (size_t)input * partitions * bins + bin;
    float re = 0.f, im = 0.f;
    int slot = newest;
    for (int p = 0; p < partitions; ++p) {
        const float2 a = x[(size_t)slot * bins];
        const float2 b = __half22float2(h[(size_t)p * bins]);
        if (bin == 0) {
            re += a.x * b.x;
            im += a.y * b.y;
        } else {
            re += a.x * b.x - a.y * b.y;
            im += a.x * b.y + a.y * b.x;
        }
        slot = slot == 0 ? partitions - 1 : slot - 1;
    }
    const float g = gain[output];
    sum[(size_t)output * bins + bin] = make_float2(g * re, g * im);
}

// ---- robotics -----------------------------------------------------------------------------------------------------

// Clearance of arm configurations: seven joints, two spheres a link, distances looked up in a voxel grid.
/* kmutate launch
   int configs = 900000, side = 128;
   dim3 grid = { (configs + 127) / 128 }, block = { 128 };
   extern float4 c_arm_dh[7] = {
      { 0.0f, 0.333f, 0.0f, 1.0f }, { 0.0f, 0.0f, -1.0f, 0.0f }, { 0.0f, 0.316f, 1.0f, 0.0f },
      { 0.0825f, 0.0f, 1.0f, 0.0f }, { -0.0825f, 0.384f, -1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f, 0.0f },
      { 0.088f, 0.107f, 1.0f, 0.0f } };
   extern float4 c_arm_ball[14] = {
      { 0.0f, 0.0f, -0.1f, 0.09f }, { 0.0f, 0.02f, 0.0f, 0.09f }, { 0.0f, 0.0f, 0.05f, 0.08f },
      { 0.01f, -0.08f, 0.0f, 0.08f }, { 0.0f, 0.0f, -0.14f, 0.07f }, { 0.02f, 0.0f, -0.06f, 0.07f },
      { -0.08f, 0.04f, 0.0f, 0.06f }, { -0.04f, 0.09f, 0.0f, 0.06f }, { 0.0f, 0.0f, -0.2f, 0.06f },
      { 0.0f, 0.06f, -0.1f, 0.05f }, { 0.0f, 0.03f, 0.0f, 0.05f }, { 0.08f, 0.0f, 0.02f, 0.05f },
      { 0.0f, 0.0f, 0.1f, 0.04f }, { 0.05f, 0.05f, 0.12f, 0.03f } };
   float joint[7 * configs] = uniform(-2.6, 2.6);
   half distance[side * side * side] = uniform(0.02, 1);
   float clearance[configs] = zeros();
   unsigned char hit_link[configs] = zeros();
   arm_clearance_in_distance_voxels(joint, distance, clearance, hit_link, configs, side, 52.f);
*/
__constant__ float4 c_arm_dh[7];
__constant__ float4 c_arm_ball[14];
__global__ void arm_clearance_in_distance_voxels(const float *__restrict__ joint, const half *__restrict__ distance,
                                                 float *__restrict__ clearance, unsigned char *__restrict__ hit_link,
                                                 int configs, int side, float voxels_a_metre)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= configs) return;
    float r[9] = { 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f };
    float p[3] = { 0.f, 0.f, 0.f };
    float least = 1e9f;
    int hit = 255;
    for (int l = 0; l < 7 && hit == 255; ++l) {
        const float4 dh = c_arm_dh[l]; // length, offset, sine and cosine of the twist
        float sn, cs;
        sincosf(joint[(size_t)l * configs + c], &sn, &cs);
        for (int i = 0; i < 3; ++i) {
            const float a = r[3 * i], b = r[3 * i + 1], d = r[3 * i + 2];
            const float u = a * cs + b * sn, v = b * cs - a * sn;
            p[i] += u * dh.x + d * dh.y;
            r[3 * i] = u;
            r[3 * i + 1] = v * dh.w + d * dh.z;
            r[3 * i + 2] = d * dh.w - v * dh.z;
        }
        for (int b = 2 * l; b < 2 * l + 2; ++b) {
            const float4 ball = c_arm_ball[b];
            int cell[3];
            for (int i = 0; i < 3; ++i) {
                const float at = p[i] + r[3 * i] * ball.x + r[3 * i + 1] * ball.y + r[3 * i + 2] * ball.z;
                cell[i] = min(max(__float2int_rn(at * voxels_a_metre) + side / 2, 0), side - 1);
            }
            const float gap = __half2float(distance[(cell[2] * side + cell[1]) * side + cell[0]]) - ball.w;
            least = fminf(least, gap);
            if (gap < 0.f && hit == 255) hit = l;
        }
    }
    clearance[c] = least;
    hit_link[c] = (unsigned char)hit;
}

// IMU samples between two keyframes become one relative motion: a thread for each span, samples as (dt, gyro, accel).
/* kmutate launch
   int spans = 24000;
   int samples = csr_nnz(spans, 40, 140);
   dim3 grid = { (spans + 63) / 64 }, block = { 64 };
   int first[spans + 1] = csr_rowptr(spans, 40, 140);
   float imu[samples * 7] = uniform(0.001, 0.3);
   float3 bias_gyro[spans] = normal(0, 0.01);
   float3 bias_accel[spans] = normal(0, 0.05);
   float motion[spans * 16] = zeros();
   imu_preintegrate_keyframe_spans(first, imu, bias_gyro, bias_accel, motion, spans, 0.0004f);
*/
__global__ void imu_preintegrate_keyframe_spans(const int *first, const float *imu, const float3 *bias_gyro,
                                                const float3 *bias_accel, float *motion, int spans, float noise)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= spans) return;
    const float3 bg = bias_gyro[s], ba = bias_accel[s];
    float qw = 1.f, qx = 0.f, qy = 0.f, qz = 0.f;
    float vx = 0.f, vy = 0.f, vz = 0.f, px = 0.f, py = 0.f, pz = 0.f, time = 0.f;
    float cxx = 0.f, cyy = 0.f, czz = 0.f, jac = 0.f;
    const int end = first[s + 1];
    for (int i = first[s]; i < end; ++i) {
        const float *m = imu + (size_t)i * 7;
        const float dt = 0.02f * m[0];
        const float wx = m[1] - bg.x, wy = m[2] - bg.y, wz = m[3] - bg.z;
        const float ax = m[4] - ba.x, ay = m[5] - ba.y, az = m[6] - ba.z;
        const float tx = 2.f * (qy * az - qz * ay), ty = 2.f * (qz * ax - qx * az), tz = 2.f * (qx * ay - qy * ax);
        const float fx = ax + qw * tx + qy * tz - qz * ty;
        const float fy = ay + qw * ty + qz * tx - qx * tz;
        const float fz = az + qw * tz + qx * ty - qy * tx;
        px += (vx + 0.5f * fx * dt) * dt, py += (vy + 0.5f * fy * dt) * dt, pz += (vz + 0.5f * fz * dt) * dt;
        vx += fx * dt, vy += fy * dt, vz += fz * dt;
        const float rate = sqrtf(wx * wx + wy * wy + wz * wz), half_angle = 0.5f * rate * dt;
        float sn, cs;
        sincosf(half_angle, &sn, &cs);
        const float k = rate > 1e-6f ? sn / rate : 0.5f * dt;
        const float ex = k * wx, ey = k * wy, ez = k * wz;
        const float nw = qw * cs - qx * ex - qy * ey - qz * ez;
        const float nx = qw * ex + qx * cs + qy * ez - qz * ey;
        const float ny = qw * ey - qx * ez + qy * cs + qz * ex;
        const float nz = qw * ez + qx * ey - qy * ex + qz * cs;
        const float norm = rsqrtf(nw * nw + nx * nx + ny * ny + nz * nz);
        qw = nw * norm, qx = nx * norm, qy = ny * norm, qz = nz * norm;
        cxx += noise * dt * (1.f + fx * fx), cyy += noise * dt * (1.f + fy * fy), czz += noise * dt * (1.f + fz * fz);
        jac = jac * (1.f - half_angle * half_angle) + dt;
        time += dt;
    }
    float *o = motion + (size_t)s * 16;
    o[0] = qw, o[1] = qx, o[2] = qy, o[3] = qz, o[4] = vx, o[5] = vy, o[6] = vz, o[7] = px;
    o[8] = py, o[9] = pz, o[10] = time, o[11] = cxx, o[12] = cyy, o[13] = czz, o[14] = jac;
    o[15] = (float)(end - first[s]);
}

// ---- networking ---------------------------------------------------------------------------------------------------

// First matching rule of an access list of 512: every field selects a bit vector, the vectors are met word by word.
/* kmutate launch
   int packets = 3500000, edges = 1024;
   dim3 grid = { (packets + 255) / 256 }, block = { 256 };
   unsigned src_edge[edges] = ascending(0, 4294967295);
   unsigned dst_edge[edges] = ascending(0, 4294967295);
   unsigned src_rules[edges * 16] = randint(0, 1u << 31);
   unsigned dst_rules[edges * 16] = randint(0, 1u << 31);
   unsigned short port_class[65536 * 2] = randint(0, 300);
   unsigned port_rules[300 * 16] = randint(0, 1u << 31);
   unsigned proto_rules[256 * 16] = randint(0, 1u << 31);
   uint2 address[packets] = randint(0, 4294967295);
   ushort2 port[packets] = randint(0, 65536);
   unsigned char proto[packets] = randint(0, 256);
   short rule[packets] = zeros();
   int hits[513] = zeros();
   acl_first_rule_by_bit_vectors(src_edge, dst_edge, src_rules, dst_rules, port_class, port_rules, proto_rules, address,
                                 port, proto, rule, hits, packets, edges);
*/
__device__ __forceinline__ int acl_last_edge_below(const unsigned *__restrict__ edge, int edges, unsigned value)
{
    int low = 0, high = edges;
    while (high - low > 1) {
        const int mid = (low + high) >> 1;
        if (__ldg(edge + mid) <= value)
            low = mid;
        else
            high = mid;
    }
    return low;
}

__global__ void acl_first_rule_by_bit_vectors(const unsigned *__restrict__ src_edge,
                                              const unsigned *__restrict__ dst_edge,
                                              const unsigned *__restrict__ src_rules,
                                              const unsigned *__restrict__ dst_rules,
                                              const unsigned short *__restrict__ port_class,
                                              const unsigned *__restrict__ port_rules,
                                              const unsigned *__restrict__ proto_rules,
                                              const uint2 *__restrict__ address, const ushort2 *__restrict__ port,
                                              const unsigned char *__restrict__ proto, short *__restrict__ rule,
                                              int *hits, int packets, int edges)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= packets) return;
    const uint2 a = address[p];
    const ushort2 q = port[p];
    const unsigned *v0 = src_rules + acl_last_edge_below(src_edge, edges, a.x) * 16;
    const unsigned *v1 = dst_rules + acl_last_edge_below(dst_edge, edges, a.y) * 16;
    const unsigned *v2 = port_rules + port_class[q.x] * 16;
    const unsigned *v3 = port_rules + port_class[65536 + q.y] * 16;
    const unsigned *v4 = proto_rules + proto[p] * 16;
    int found = 512;
    for (int w = 0; w < 16; ++w) {
        const unsigned both = v0[w] & v1[w] & v2[w] & v3[w] & v4[w];
        if (both) {
            found = w * 32 + __ffs(both) - 1;
            break;
        }
    }
    rule[p] = (short)found;
    atomicAdd(&hits[found], 1);
}

// Receive side scaling: Toeplitz hash of address and port pairs, the queue from the indirection table, bytes by queue.
/* kmutate launch
   int packets = 5000000;
   dim3 grid = { 1056 }, block = { 256 };
   extern unsigned c_rss_key[10] = { 0x6d5a56da, 0x255b0ec2, 0x4167253d, 0x43a38fb0, 0xd0ca2bcb, 0xae7b30b4, 0x77cb2da3,
                                     0x8030f20c, 0x6a42b73b, 0xbeac01fa };
   unsigned src[packets] = randint(0, 4294967295);
   unsigned dst[packets] = randint(0, 4294967295);
   ushort2 port[packets] = randint(0, 65536);
   unsigned short length[packets] = randint(64, 1501);
   unsigned char indirection[128] = randint(0, 32);
   unsigned char queue[packets] = zeros();
   unsigned long long queue_bytes[32] = zeros();
   rss_toeplitz_hash_to_queue(src, dst, port, length, indirection, queue, queue_bytes, packets);
*/
__constant__ unsigned c_rss_key[10];
__global__ void rss_toeplitz_hash_to_queue(const unsigned *__restrict__ src, const unsigned *__restrict__ dst,
                                           const ushort2 *__restrict__ port, const unsigned short *__restrict__ length,
                                           const unsigned char *__restrict__ indirection,
                                           unsigned char *__restrict__ queue, unsigned long long *queue_bytes,
                                           int packets)
{
    __shared__ unsigned bytes[32];
    __shared__ unsigned char table[128];
    if (threadIdx.x < 32) bytes[threadIdx.x] = 0;
    if (threadIdx.x < 128) table[threadIdx.x] = indirection[threadIdx.x];
    __syncthreads();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < packets; p += gridDim.x * blockDim.x) {
        const ushort2 q = port[p];
        const unsigned word[3] = { src[p], dst[p], (unsigned)q.x << 16 | q.y };
        unsigned hash = 0;
#pragma unroll
        for (int w = 0; w < 3; ++w) {
            unsigned window = c_rss_key[w], next = c_rss_key[w + 1];
            unsigned bits = word[w];
            for (int b = 0; b < 32; ++b) {
                if (bits & 0x80000000u) hash ^= window;
                window = window << 1 | next >> 31;
                next <<= 1;
                bits <<= 1;
            }
        }
        const int to = table[hash & 127];
        queue[p] = (unsigned char)to;
        atomicAdd(&bytes[to], (unsigned)length[p]);
    }
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&queue_bytes[threadIdx.x], (unsigned long long)bytes[threadIdx.x]);
}

// ---- geo data -----------------------------------------------------------------------------------------------------

// Raster bands in UTM onto a grid of longitude and latitude: transverse Mercator series, bilinear, with missing data.
/* kmutate launch
   int out_w = 1536, out_h = 1024, bands = 4, src_w = 2600, src_h = 2400;
   dim3 grid = { out_w / 32, out_h / 4, bands / 2 }, block = { 32, 4, 2 };
   short src[bands * src_w * src_h] = randint(-10, 3000);
   float out[bands * out_w * out_h] = zeros();
   warp_utm_bands_to_lon_lat(src, out, src_w, src_h, out_w, out_h, 8.7, 47.0, 0.0004, 470000.0, 5215000.0, 20.0);
*/
__global__ void warp_utm_bands_to_lon_lat(const short *__restrict__ src, float *__restrict__ out, int src_w, int src_h,
                                          int out_w, int out_h, double lon_left, double lat_top, double step,
                                          double east_left, double north_top, double metres)
{
    const int px = blockIdx.x * 32 + threadIdx.x, py = blockIdx.y * 4 + threadIdx.y;
    const int band = blockIdx.z * 2 + threadIdx.z;
    const double to_rad = 0.017453292519943295, axis = 6378137.0;
    const double e2 = 0.0066943799901413165, ep2 = 0.006739496742276434;
    const double lat = (lat_top - py * step) * to_rad, turn = (lon_left + px * step - 9.0) * to_rad;
    double sn, cs;
    sincos(lat, &sn, &cs);
    const double tan2 = (sn * sn) / (cs * cs), c = ep2 * cs * cs, a = turn * cs, a2 = a * a;
    const double curve = axis / sqrt(1.0 - e2 * sn * sn);
    const double s2 = 2.0 * sn * cs, c2 = 1.0 - 2.0 * sn * sn, s4 = 2.0 * s2 * c2, c4 = 1.0 - 2.0 * s2 * s2;
    const double s6 = s4 * c2 + c4 * s2;
    const double arc = axis * (0.9983242984503243 * lat - 0.002514607064228144 * s2 + 2.6390465943784e-06 * s4 -
                               3.418046086596e-09 * s6);
    const double east = 500000.0 + 0.9996 * curve * a * (1.0 + a2 / 6.0 * (1.0 - tan2 + c) +
                        a2 * a2 / 120.0 * (5.0 - 18.0 * tan2 + tan2 * tan2 + 72.0 * c - 58.0 * ep2));
    const double north = 0.9996 * (arc + curve * sn / cs * a2 * (0.5 +
                         a2 / 24.0 * (5.0 - tan2 + 9.0 * c + 4.0 * c * c) +
                         a2 * a2 / 720.0 * (61.0 - 58.0 * tan2 + tan2 * tan2 + 600.0 * c - 330.0 * ep2)));
    const double u = (east - east_left) / metres, v = (north_top - north) / metres;
    float value = -9999.f;
    if (u >= 0.0 && v >= 0.0 && u < src_w - 1 && v < src_h - 1) {
        const int x = (int)u, y = (int)v;
        const float fx = (float)(u - x), fy = (float)(v - y);
        const short *s = src + ((size_t)band * src_h + y) * src_w + x;
        const short corner[4] = { s[0], s[1], s[src_w], s[src_w + 1] };
        const float weight[4] = { (1.f - fx) * (1.f - fy), fx * (1.f - fy), (1.f - fx) * fy, fx * fy };
        float sum = 0.f, known = 0.f;
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (corner[k] >= 0) {
                sum += weight[k] * corner[k];
                known += weight[k];
            }
        if (known > 0.25f) value = sum / known;
    }
    out[((size_t)band * out_h + py) * out_w + px] = value;
}

// Viewsheds: from each observer a line of sight to every cell on the edge of a square, with the earth's curvature.
/* kmutate launch
   int side = 2048, observers = 40, radius = 240;
   dim3 grid = { (8 * radius + 191) / 192, observers }, block = { 192 };
   short height[side * side] = randint(0, 400);
   int2 observer[observers] = randint(260, 1780);
   unsigned char seen[observers * (2 * radius + 1) * (2 * radius + 1)] = zeros();
   int seen_cells[observers] = zeros();
   viewshed_lines_to_square_rim(height, observer, seen, seen_cells, side, radius, 25.f, 8.f);
*/
__global__ void viewshed_lines_to_square_rim(const short *__restrict__ height, const int2 *__restrict__ observer,
                                             unsigned char *seen, int *seen_cells, int side, int radius, float cell,
                                             float mast)
{
    const int ray = blockIdx.x * blockDim.x + threadIdx.x;
    if (ray >= 8 * radius) return;
    const int edge = ray / (2 * radius), along = ray - edge * 2 * radius - radius;
    const int tx = edge == 0 ? along : edge == 1 ? radius : edge == 2 ? -along : -radius;
    const int ty = edge == 0 ? -radius : edge == 1 ? along : edge == 2 ? radius : -along;
    const int2 eye = observer[blockIdx.y];
    const float eye_height = height[eye.y * side + eye.x] + mast;
    const float sx = (float)tx / radius, sy = (float)ty / radius;
    const float stride = cell * sqrtf(sx * sx + sy * sy);
    const int width = 2 * radius + 1;
    unsigned char *mine = seen + (size_t)blockIdx.y * width * width;
    float steepest = -1e9f;
    int cells = 0;
    for (int k = 1; k <= radius; ++k) {
        const int dx = __float2int_rn(sx * k), dy = __float2int_rn(sy * k);
        const float away = stride * k;
        const float drop = away * away * 6.8e-8f;
        const float ground = height[(eye.y + dy) * side + eye.x + dx] - drop - eye_height;
        const float slope = ground / away;
        if (slope >= steepest) {
            steepest = slope;
            mine[(dy + radius) * width + dx + radius] = 1;
            ++cells;
        }
    }
    atomicAdd(&seen_cells[blockIdx.y], cells);
}

// ---- compression --------------------------------------------------------------------------------------------------

// Lossy floating point: tiles of 4 x 4 to a common exponent, lifted in both directions, negabinary, top 20 bit planes.
/* kmutate launch
   int width = 4096, height = 3072;
   int tiles = (width / 4) * (height / 4);
   dim3 grid = { width / 4 / 128, height / 4 }, block = { 128 };
   float field[width * height] = normal(0, 30);
   unsigned short plane[20 * tiles] = zeros();
   short exponent[tiles] = zeros();
   float_tiles_lift_to_bit_planes((const float4 *)field, plane, exponent, width / 4, tiles);
*/
__device__ __forceinline__ void tile_lift_four(int &a, int &b, int &c, int &d)
{
    a += d, a >>= 1, d -= a;
    c += b, c >>= 1, b -= c;
    a += c, a >>= 1, c -= a;
    d += b, d >>= 1, b -= d;
    d += b >> 1, b -= d >> 1;
}

__global__ void float_tiles_lift_to_bit_planes(const float4 *__restrict__ field, unsigned short *__restrict__ plane,
                                               short *__restrict__ exponent, int quads, int tiles)
{
    const int tx = blockIdx.x * blockDim.x + threadIdx.x;
    const int tile = blockIdx.y * quads + tx;
    float4 row[4];
    float largest = 0.f;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        row[r] = field[(size_t)(blockIdx.y * 4 + r) * quads + tx];
        largest = fmaxf(largest, fmaxf(fabsf(row[r].x), fabsf(row[r].y)));
        largest = fmaxf(largest, fmaxf(fabsf(row[r].z), fabsf(row[r].w)));
    }
    int e;
    frexpf(largest, &e);
    const float scale = ldexpf(1.f, 28 - e);
    int q[16];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        q[4 * r] = (int)(row[r].x * scale);
        q[4 * r + 1] = (int)(row[r].y * scale);
        q[4 * r + 2] = (int)(row[r].z * scale);
        q[4 * r + 3] = (int)(row[r].w * scale);
        tile_lift_four(q[4 * r], q[4 * r + 1], q[4 * r + 2], q[4 * r + 3]);
    }
#pragma unroll
    for (int x = 0; x < 4; ++x) tile_lift_four(q[x], q[4 + x], q[8 + x], q[12 + x]);
    unsigned u[16];
    const int order[16] = { 0, 1, 4, 5, 2, 8, 6, 9, 3, 12, 10, 7, 13, 11, 14, 15 };
#pragma unroll
    for (int k = 0; k < 16; ++k) u[k] = ((unsigned)q[order[k]] + 0xaaaaaaaau) ^ 0xaaaaaaaau;
    for (int p = 0; p < 20; ++p) {
        unsigned bits = 0;
#pragma unroll
        for (int k = 0; k < 16; ++k) bits |= ((u[k] >> (30 - p)) & 1u) << k;
        plane[(size_t)p * tiles + tile] = (unsigned short)bits;
    }
    exponent[tile] = (short)e;
}

// Time series of doubles by exclusive or with the value before: a thread encodes one series into words of its own.
/* kmutate launch
   int series = 50000, points = 120, room = 152;
   dim3 grid = { (series + 127) / 128 }, block = { 128 };
   double value[series * points] = randint(0, 4000);
   unsigned long long stream[series * room] = zeros();
   int bits_used[series] = zeros();
   xor_encode_series_of_doubles(value, stream, bits_used, series, points, room);
*/
__global__ void xor_encode_series_of_doubles(const double *__restrict__ value, unsigned long long *__restrict__ stream,
                                             int *__restrict__ bits_used, int series, int points, int room)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= series) return;
    const double *v = value + (size_t)s * points;
    unsigned long long *out = stream + (size_t)s * room;
    unsigned long long before = (unsigned long long)__double_as_longlong(v[0]), word = 0;
    int fill = 0, at = 0, lead = 65, trail = 0;
    out[at++] = before;
    auto put = [&](unsigned long long bits, int count) {
        const int free_bits = 64 - fill;
        if (count < free_bits) {
            word |= bits << (free_bits - count);
            fill += count;
        } else {
            out[at++] = word | bits >> (count - free_bits);
            fill = count - free_bits;
            word = fill ? bits << (64 - fill) : 0;
        }
    };
    for (int i = 1; i < points; ++i) {
        const unsigned long long now = (unsigned long long)__double_as_longlong(v[i]);
        const unsigned long long changed = now ^ before;
        before = now;
        if (changed == 0) {
            put(0, 1);
            continue;
        }
        const int zeros_above = min(__clzll(changed), 31), zeros_below = __ffsll(changed) - 1;
        if (zeros_above >= lead && zeros_below >= trail && lead < 65) {
            put(2, 2);
        } else {
            lead = zeros_above;
            trail = zeros_below;
            put(3, 2);
            put((unsigned long long)lead << 6 | (63 - lead - trail), 11);
        }
        put(changed >> trail, 64 - lead - trail);
    }
    out[at] = word;
    bits_used[s] = at * 64 + fill;
}

// ---- recommender systems ------------------------------------------------------------------------------------------

// Alternating least squares with implicit feedback: normal matrix and right side of each user, factors of rank 32.
/* kmutate launch
   int users = 9000, items = 60000;
   int plays = csr_nnz(users, 10, 130);
   dim3 grid = { users }, block = { 32, 8 };
   int user_begin[users + 1] = csr_rowptr(users, 10, 130);
   int item[plays] = csr_colidx(items);
   float count[plays] = uniform(1, 20);
   __nv_bfloat16 factor[items * 32] = normal(0, 0.3);
   float gram[32 * 32] = normal();
   float matrix[users * 32 * 32] = zeros();
   float right[users * 32] = zeros();
   implicit_als_user_matrix_rank32(user_begin, item, count, factor, gram, matrix, right, 40.f, 0.1f);
*/
__global__ void __launch_bounds__(256)
implicit_als_user_matrix_rank32(const int *__restrict__ user_begin, const int *__restrict__ item,
                                const float *__restrict__ count, const __nv_bfloat16 *__restrict__ factor,
                                const float *__restrict__ gram, float *__restrict__ matrix, float *__restrict__ right,
                                float alpha, float lambda)
{
    __shared__ float y[32][32];
    __shared__ float confidence[32];
    const int x = threadIdx.x, r = threadIdx.y;
    const int begin = user_begin[blockIdx.x], end = user_begin[blockIdx.x + 1];
    float a[4], b = 0.f;
#pragma unroll
    for (int k = 0; k < 4; ++k) a[k] = gram[(r + 8 * k) * 32 + x] + (r + 8 * k == x ? lambda : 0.f);
    for (int base = begin; base < end; base += 32) {
        const int here = min(32, end - base);
        for (int k = r; k < here; k += 8) y[k][x] = __bfloat162float(factor[(size_t)item[base + k] * 32 + x]);
        if (r == 0 && x < here) confidence[x] = alpha * log1pf(count[base + x]);
        __syncthreads();
        for (int k = 0; k < here; ++k) {
            const float mine = y[k][x], c = confidence[k];
#pragma unroll
            for (int j = 0; j < 4; ++j) a[j] += c * mine * y[k][r + 8 * j];
            if (r == 0) b += (1.f + c) * mine;
        }
        __syncthreads();
    }
    float *m = matrix + (size_t)blockIdx.x * 1024;
#pragma unroll
    for (int k = 0; k < 4; ++k) m[(r + 8 * k) * 32 + x] = a[k];
    if (r == 0) right[(size_t)blockIdx.x * 32 + x] = b;
}

// Bayesian personalised ranking: a warp draws an item that the user has not taken and moves three rows of factors.
/* kmutate launch
   int triples = 260000, users = 80000, items = 40000;
   int taken = csr_nnz(users, 8, 64);
   dim3 grid = { (triples + 7) / 8 }, block = { 256 };
   int user[triples] = randint(0, users);
   int liked[triples] = randint(0, items);
   int taken_begin[users + 1] = csr_rowptr(users, 8, 64);
   int taken_item[taken] = csr_colidx(items);
   float user_factor[users * 64] = normal(0, 0.1);
   float item_factor[items * 64] = normal(0, 0.1);
   float item_bias[items] = zeros();
   float loss[1] = zeros();
   bpr_draw_negative_and_step(user, liked, taken_begin, taken_item, user_factor, item_factor, item_bias, loss, triples,
                              items, 12345u, 0.05f, 0.002f);
*/
__global__ void bpr_draw_negative_and_step(const int *__restrict__ user, const int *__restrict__ liked,
                                           const int *__restrict__ taken_begin, const int *__restrict__ taken_item,
                                           float *user_factor, float *item_factor, float *item_bias, float *loss,
                                           int triples, int items, unsigned seed, float rate, float decay)
{
    const int t = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (t >= triples) return;
    const int u = user[t], i = liked[t];
    const int begin = taken_begin[u], end = taken_begin[u + 1];
    int j = 0;
    for (int draw = 0; draw < 4; ++draw) {
        unsigned h = (unsigned)t * 0x9e3779b9u + seed + draw * 0x85ebca6bu;
        h = (h ^ h >> 16) * 0x7feb352du;
        h = (h ^ h >> 15) * 0x846ca68bu;
        j = (int)((h ^ h >> 16) % (unsigned)items);
        bool known = j == i;
        for (int k = begin + lane; k < end; k += 32) known |= taken_item[k] == j;
        if (!__any_sync(0xffffffffu, known)) break;
    }
    float *pu = user_factor + (size_t)u * 64 + lane;
    float *pi = item_factor + (size_t)i * 64 + lane, *pj = item_factor + (size_t)j * 64 + lane;
    const float u0 = pu[0], u1 = pu[32], i0 = pi[0], i1 = pi[32], j0 = pj[0], j1 = pj[32];
    float score = u0 * (i0 - j0) + u1 * (i1 - j1);
    for (int o = 16; o; o >>= 1) score += __shfl_xor_sync(0xffffffffu, score, o);
    score += item_bias[i] - item_bias[j];
    const float pull = 1.f / (1.f + __expf(score));
    atomicAdd(pu, rate * (pull * (i0 - j0) - decay * u0));
    atomicAdd(pu + 32, rate * (pull * (i1 - j1) - decay * u1));
    atomicAdd(pi, rate * (pull * u0 - decay * i0));
    atomicAdd(pi + 32, rate * (pull * u1 - decay * i1));
    atomicAdd(pj, rate * (-pull * u0 - decay * j0));
    atomicAdd(pj + 32, rate * (-pull * u1 - decay * j1));
    if (lane == 0) {
        atomicAdd(&item_bias[i], rate * pull);
        atomicAdd(&item_bias[j], -rate * pull);
        atomicAdd(loss, __logf(1.f + __expf(-score)));
    }
}
