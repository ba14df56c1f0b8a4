#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int shells = 1536;
   dim3 grid = { (shells + 15) / 16, (shells + 15) / 16 }, block = { 16, 16 };
   double centre[3 * shells] = uniform(0, 11);
   double exponent[3 * shells] = uniform(0.12, 4.5);
   double weight[3 * shells] = uniform(0.1, 0.8);
   double overlap[shells * shells] = zeros();
   double kinetic[shells * shells] = zeros();
   shell_pair_overlaps_contracted_fp64(centre, exponent, weight, overlap, kinetic, shells);
*/
__global__ void shell_pair_overlaps_contracted_fp64(const double *__restrict__ centre,
                                                    const double *__restrict__ exponent,
                                                    const double *__restrict__ weight, double *__restrict__ overlap,
                                                    double *__restrict__ kinetic, int shells)
{
    // Only pairs with column <= row are kept; blocks above the diagonal have nothing to do.
    if (blockIdx.x > blockIdx.y) return;
    __shared__ double row_data[9][16], col_data[9][16];
    const int tid = threadIdx.y * 16 + threadIdx.x;
    if (tid < 144) {
        const int who = tid / 9, what = tid % 9;
        const int r = min((int)blockIdx.y * 16 + who, shells - 1), c = min((int)blockIdx.x * 16 + who, shells - 1);
        const double *from = what < 3 ? centre : what < 6 ? exponent : weight;
        row_data[what][who] = from[3 * r + what % 3];
        col_data[what][who] = from[3 * c + what % 3];
    }
    __syncthreads();
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= shells || j > i) return;
    const double dx = row_data[0][threadIdx.y] - col_data[0][threadIdx.x];
    const double dy = row_data[1][threadIdx.y] - col_data[1][threadIdx.x];
    const double dz = row_data[2][threadIdx.y] - col_data[2][threadIdx.x];
    const double r2 = dx * dx + dy * dy + dz * dz;
    double s = 0.0, t = 0.0;
    for (int p = 0; p < 3; ++p) {
        const double a = row_data[3 + p][threadIdx.y], ca = row_data[6 + p][threadIdx.y];
        for (int q = 0; q < 3; ++q) {
            const double b = col_data[3 + q][threadIdx.x];
            const double inv = 1.0 / (a + b);
            const double mu = a * b * inv;
            if (mu * r2 > 36.0) continue;
            const double pi_p = 3.14159265358979323846 * inv;
            const double part = ca * col_data[6 + q][threadIdx.x] * pi_p * sqrt(pi_p) * exp(-mu * r2);
            s += part;
            t += part * mu * (3.0 - 2.0 * mu * r2);
        }
    }
    overlap[(size_t)i * shells + j] = s;
    kinetic[(size_t)i * shells + j] = t;
}

/* kmutate launch
   int atoms = 12288, slices = 8;
   dim3 grid = { atoms / 128, slices }, block = { 128 };
   float4 position_cn[atoms] = uniform(0, 4);
   int element[atoms] = randint(0, 4);
   float reference_cn[4 * 3] = uniform(0, 4);
   float c6_table[4 * 4 * 9] = uniform(5, 60);
   float root_q[4] = uniform(1.5, 3);
   float energy[atoms] = zeros();
   dispersion_c6_by_coordination_tiles(position_cn, element, reference_cn, c6_table, root_q, energy, atoms, 0.4f, 4.5f,
                                       12.f);
*/
__global__ void dispersion_c6_by_coordination_tiles(const float4 *__restrict__ position_cn,
                                                    const int *__restrict__ element,
                                                    const float *__restrict__ reference_cn,
                                                    const float *__restrict__ c6_table,
                                                    const float *__restrict__ root_q, float *__restrict__ energy,
                                                    int atoms, float a1, float a2, float box)
{
    __shared__ float4 tile_pos[128], tile_weight[128];
    __shared__ int tile_element[128];
    __shared__ float table[144];
    const int i = blockIdx.x * 128 + threadIdx.x;
    for (int k = threadIdx.x; k < 144; k += 128) table[k] = c6_table[k];
    const float4 mine = position_cn[i];
    const int ei = element[i];
    float w[3], total = 1e-6f;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const float d = mine.w - reference_cn[ei * 3 + k];
        w[k] = __expf(-4.f * d * d);
        total += w[k];
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) w[k] /= total;
    const float qi = root_q[ei];
    float sum = 0.f;
    const int per_slice = atoms / gridDim.y;
    for (int base = blockIdx.y * per_slice; base < (int)(blockIdx.y + 1) * per_slice; base += 128) {
        __syncthreads();
        {
            const int j = base + threadIdx.x;
            const float4 p = position_cn[j];
            const int e = element[j];
            float v[3], all = 1e-6f;
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                const float d = p.w - reference_cn[e * 3 + k];
                v[k] = __expf(-4.f * d * d);
                all += v[k];
            }
            tile_pos[threadIdx.x] = p;
            tile_weight[threadIdx.x] = make_float4(v[0] / all, v[1] / all, v[2] / all, root_q[e]);
            tile_element[threadIdx.x] = e;
        }
        __syncthreads();
#pragma unroll 2
        for (int t = 0; t < 128; ++t) {
            const float4 p = tile_pos[t];
            const float dx = (p.x - mine.x) * box, dy = (p.y - mine.y) * box, dz = (p.z - mine.z) * box;
            const float r2 = dx * dx + dy * dy + dz * dz;
            if (base + t == i || r2 > 900.f) continue;
            const float4 v = tile_weight[t];
            const float *c = table + (tile_element[t] * 4 + ei) * 9;
            const float c6 = w[0] * (v.x * c[0] + v.y * c[1] + v.z * c[2])
                             + w[1] * (v.x * c[3] + v.y * c[4] + v.z * c[5])
                             + w[2] * (v.x * c[6] + v.y * c[7] + v.z * c[8]);
            const float ratio = 3.f * qi * v.w;
            const float r0 = a1 * sqrtf(ratio) + a2;
            const float r02 = r0 * r0, f6 = r02 * r02 * r02, r6 = r2 * r2 * r2;
            sum += c6 / (r6 + f6) + 0.78f * c6 * ratio / (r6 * r2 + f6 * r02);
        }
    }
    atomicAdd(&energy[i], -0.5f * sum);
}

/* kmutate launch
   int points = 49152, shells = 192, group = 16;
   int primitives = csr_nnz(shells, 1, 6);
   dim3 grid = { points / 128, shells / group }, block = { 128 };
   float px[points] = ascending(0, 24);
   float py[points] = uniform(0, 9);
   float pz[points] = uniform(0, 9);
   float4 centre_cutoff[shells] = uniform(3, 16);
   int first[shells + 1] = csr_rowptr(shells, 1, 6);
   float2 primitive[primitives] = uniform(0.1, 1.2);
   float phi[points * shells * 4] = zeros();
   orbital_values_on_quadrature_points(px, py, pz, centre_cutoff, first, primitive, phi, points, group);
*/
__global__ void orbital_values_on_quadrature_points(const float *__restrict__ px, const float *__restrict__ py,
                                                    const float *__restrict__ pz,
                                                    const float4 *__restrict__ centre_cutoff,
                                                    const int *__restrict__ first, const float2 *__restrict__ primitive,
                                                    float *__restrict__ phi, int points, int group)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points) return;
    const float x = px[p], y = py[p], z = pz[p];
    for (int k = 0; k < group; ++k) {
        const int shell = blockIdx.y * group + k;
        const float4 c = centre_cutoff[shell];
        const float dx = x - c.x, dy = y - c.y, dz = z - c.z;
        const float r2 = dx * dx + dy * dy + dz * dz;
        float radial = 0.f, bump = 0.f;
        if (r2 < c.w * 8.f) {
            for (int g = first[shell]; g < first[shell + 1]; ++g) {
                const float2 ec = primitive[g];
                const float e = ec.y * expf(-ec.x * r2);
                radial += e;
                bump += ec.x * e;
            }
        }
        float *to = phi + (size_t)shell * 4 * points + p;
        to[0] = radial;
        to[points] = bump * dx;
        to[2 * (size_t)points] = bump * dy;
        to[3 * (size_t)points] = bump * dz;
    }
}

/* kmutate launch
   int reads = 131072, genome = 40000000;
   dim3 grid = { 792 }, block = { 256 };
   uint8_t bases[reads * 128] = randint(0, 4);
   uint8_t quality[reads * 128] = randint(2, 42);
   uint8_t reference[genome] = randint(0, 4);
   int where[reads] = ascending(0, genome - 256);
   unsigned observed[42 * 16] = zeros();
   unsigned errors[42 * 16] = zeros();
   unsigned by_cycle[42 * 32] = zeros();
   base_quality_recalibration_counts(bases, quality, reference, where, observed, errors, by_cycle, reads);
*/
__global__ void base_quality_recalibration_counts(const uint8_t *__restrict__ bases,
                                                  const uint8_t *__restrict__ quality,
                                                  const uint8_t *__restrict__ reference, const int *__restrict__ where,
                                                  unsigned *__restrict__ observed, unsigned *__restrict__ errors,
                                                  unsigned *__restrict__ by_cycle, int reads)
{
    __shared__ unsigned s_observed[42 * 16], s_errors[42 * 16], s_cycle[42 * 32];
    for (int k = threadIdx.x; k < 42 * 16; k += blockDim.x) s_observed[k] = s_errors[k] = 0;
    for (int k = threadIdx.x; k < 42 * 32; k += blockDim.x) s_cycle[k] = 0;
    __syncthreads();
    const int lane = threadIdx.x & 31;
    const int warps = gridDim.x * blockDim.x / 32;
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < reads; r += warps) {
        const uchar4 b4 = reinterpret_cast<const uchar4 *>(bases + (size_t)r * 128)[lane];
        const uchar4 q4 = reinterpret_cast<const uchar4 *>(quality + (size_t)r * 128)[lane];
        const uint8_t *ref = reference + where[r] + lane * 4;
        int previous = __shfl_up_sync(0xffffffffu, (int)b4.w, 1);
        const int b[4] = { b4.x, b4.y, b4.z, b4.w }, q[4] = { q4.x, q4.y, q4.z, q4.w };
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const bool use = q[k] >= 6 && (k > 0 || lane > 0);
            if (use) {
                const int bin = q[k] * 16 + previous * 4 + b[k];
                atomicAdd(&s_observed[bin], 1u);
                if (b[k] != ref[k]) {
                    atomicAdd(&s_errors[bin], 1u);
                    atomicAdd(&s_cycle[q[k] * 32 + lane], 1u);
                }
            }
            previous = b[k];
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 42 * 16; k += blockDim.x) {
        if (s_observed[k]) atomicAdd(&observed[k], s_observed[k]);
        if (s_errors[k]) atomicAdd(&errors[k], s_errors[k]);
    }
    for (int k = threadIdx.x; k < 42 * 32; k += blockDim.x)
        if (s_cycle[k]) atomicAdd(&by_cycle[k], s_cycle[k]);
}

__constant__ char kAminoOfCodon[65] = "KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSS*CWCLFLF";

/* kmutate launch
   int variants = 2000000, exons = 180000, genome = 90000000;
   dim3 grid = { (variants + 127) / 128 }, block = { 128 };
   int position[variants] = randint(1000, genome - 1000);
   uint8_t alternative[variants] = randint(0, 4);
   int exon_start[exons] = ascending(500, genome - 2000);
   short exon_length[exons] = randint(90, 900);
   uint8_t exon_phase[exons] = randint(0, 3);
   uint8_t exon_reverse[exons] = randint(0, 2);
   uint8_t sequence[genome] = randint(0, 4);
   int consequence[variants] = zeros();
   variant_codon_consequence(position, alternative, exon_start, exon_length, exon_phase, exon_reverse, sequence,
                             consequence, variants, exons);
*/
__global__ void variant_codon_consequence(const int *__restrict__ position, const uint8_t *__restrict__ alternative,
                                          const int *__restrict__ exon_start, const short *__restrict__ exon_length,
                                          const uint8_t *__restrict__ exon_phase,
                                          const uint8_t *__restrict__ exon_reverse,
                                          const uint8_t *__restrict__ sequence, int *__restrict__ consequence,
                                          int variants, int exons)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= variants) return;
    const int at = position[v];
    int lo = 0, hi = exons;
    while (lo < hi) {
        const int mid = (lo + hi) >> 1;
        if (exon_start[mid] <= at) lo = mid + 1;
        else hi = mid;
    }
    const int exon = lo - 1;
    int code = 0;
    if (exon >= 0 && at < exon_start[exon] + exon_length[exon]) {
        const int inside = at - exon_start[exon];
        const int phase = exon_phase[exon];
        if (inside < 2 || inside >= exon_length[exon] - 2) {
            code = 5;
        } else {
            const int slot = (inside + phase) % 3;
            const uint8_t *triple = sequence + at - slot;
            int old_codon = 0, new_codon = 0;
            if (exon_reverse[exon]) {
                for (int k = 2; k >= 0; --k) {
                    const int base = 3 - triple[k];
                    old_codon = old_codon * 4 + base;
                    new_codon = new_codon * 4 + (k == slot ? 3 - alternative[v] : base);
                }
            } else {
                for (int k = 0; k < 3; ++k) {
                    const int base = triple[k];
                    old_codon = old_codon * 4 + base;
                    new_codon = new_codon * 4 + (k == slot ? alternative[v] : base);
                }
            }
            const char before = kAminoOfCodon[old_codon], after = kAminoOfCodon[new_codon];
            if (before == after) code = 1;
            else if (after == '*') code = 4;
            else if (before == '*') code = 3;
            else code = 2;
            code |= before << 8 | after << 16;
        }
    }
    consequence[v] = code;
}

__constant__ int kLineWeight[9] = { 0, 840, 420, 280, 210, 168, 140, 120, 105 };

/* kmutate launch
   int width = 3840, height = 2160;
   dim3 grid = { width / 256, height / 8 }, block = { 256 };
   uint16_t luma[width * height] = randint(0, 1024);
   uint8_t direction[(width / 8) * (height / 8)] = zeros();
   int variance[(width / 8) * (height / 8)] = zeros();
   cdef_directions_of_8x8_ten_bit(luma, direction, variance, width);
*/
__global__ void __launch_bounds__(256) cdef_directions_of_8x8_ten_bit(const uint16_t *__restrict__ luma,
                                                                      uint8_t *__restrict__ direction,
                                                                      int *__restrict__ variance, int width)
{
    __shared__ short strip[8][256];
    __shared__ int partial[256][16];
    const int tid = threadIdx.x;
    const uint16_t *from = luma + (size_t)blockIdx.y * 8 * width + blockIdx.x * 256;
    for (int r = 0; r < 8; ++r) strip[r][tid] = (short)((from[(size_t)r * width + tid] >> 2) - 128);
    for (int k = 0; k < 16; ++k) partial[tid][k] = 0;
    __syncthreads();
    const int d = tid & 7, left = (tid >> 3) * 8;
    // line = offset + row_sign * (row >> row_half) + column_sign * (column >> column_half)
    const int offset = d == 4 ? 7 : (d == 3 || d == 5) ? 3 : 0;
    const int row_half = d == 5 || d == 7, column_half = d == 1 || d == 3;
    const int row_sign = d == 6 ? 0 : d == 5 ? -1 : 1;
    const int column_sign = d == 2 ? 0 : (d == 3 || d == 4) ? -1 : 1;
    for (int r = 0; r < 8; ++r) {
        const int of_row = offset + row_sign * (r >> row_half);
        for (int c = 0; c < 8; ++c) partial[tid][of_row + column_sign * (c >> column_half)] += strip[r][left + c];
    }
    int cost = 0;
    for (int k = 0; k < 15; ++k) {
        int count;
        if (d & 1) count = k < 11 ? min(8, 2 * min(k + 1, 11 - k)) : 0;
        else if (d & 2) count = k < 8 ? 8 : 0;
        else count = 8 - abs(k - 7);
        cost += partial[tid][k] * partial[tid][k] * kLineWeight[count];
    }
    int best = cost, which = d;
    for (int o = 4; o; o >>= 1) {
        const int other = __shfl_xor_sync(0xffffffffu, best, o, 8), other_d = __shfl_xor_sync(0xffffffffu, which, o, 8);
        if (other > best || (other == best && other_d < which)) {
            best = other;
            which = other_d;
        }
    }
    const int across = __shfl_sync(0xffffffffu, cost, (which + 4) & 7, 8);
    if (d == 0) {
        const int to = blockIdx.y * (width / 8) + blockIdx.x * 32 + (tid >> 3);
        direction[to] = (uint8_t)which;
        variance[to] = (best - across) >> 10;
    }
}

/* kmutate launch
   int width = 3840, height = 2160;
   int blocks8 = (width / 8) * (height / 8);
   dim3 grid = { (blocks8 * 8 + 255) / 256 }, block = { 256 };
   uint8_t source[width * height] = randint(0, 256);
   uint8_t prediction[blocks8 * 16 * 64] = randint(0, 256);
   uint16_t rate[blocks8 * 16] = randint(0, 400);
   unsigned best_mode[blocks8] = zeros();
   satd_8x8_of_sixteen_candidates(source, prediction, rate, best_mode, width, blocks8, 6);
*/
__global__ void satd_8x8_of_sixteen_candidates(const uint8_t *__restrict__ source,
                                               const uint8_t *__restrict__ prediction,
                                               const uint16_t *__restrict__ rate, unsigned *__restrict__ best_mode,
                                               int width, int blocks8, int lambda)
{
    const int id = (blockIdx.x * blockDim.x + threadIdx.x) >> 3, row = threadIdx.x & 7;
    if (id >= blocks8) return;
    const int by = id / (width / 8), bx = id % (width / 8);
    const uint2 s = *reinterpret_cast<const uint2 *>(source + (size_t)(by * 8 + row) * width + bx * 8);
    unsigned best = 0xffffffffu;
    for (int mode = 0; mode < 16; ++mode) {
        const uint2 p = *reinterpret_cast<const uint2 *>(prediction + ((size_t)id * 16 + mode) * 64 + row * 8);
        int v[8];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            v[k] = (int)(s.x >> 8 * k & 255u) - (int)(p.x >> 8 * k & 255u);
            v[k + 4] = (int)(s.y >> 8 * k & 255u) - (int)(p.y >> 8 * k & 255u);
        }
#pragma unroll
        for (int step = 1; step < 8; step *= 2) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                if (k & step) continue;
                const int a = v[k], b = v[k + step];
                v[k] = a + b;
                v[k + step] = a - b;
            }
        }
        int sum = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#pragma unroll
            for (int o = 1; o < 8; o *= 2) {
                const int other = __shfl_xor_sync(0xffffffffu, v[k], o);
                v[k] = row & o ? other - v[k] : other + v[k];
            }
            sum += abs(v[k]);
        }
        for (int o = 4; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
        const unsigned cost = ((unsigned)(sum + 2) >> 2) + (unsigned)lambda * rate[(size_t)id * 16 + mode];
        best = min(best, cost << 4 | (unsigned)mode);
    }
    if (row == 0) best_mode[id] = best;
}

__constant__ signed char kAngleOfMode[35] = { 0, 0, 32, 26, 21, 17, 13, 9, 5, 2, 0, -2, -5, -9, -13, -17, -21, -26,
                                              -32, -26, -21, -17, -13, -9, -5, -2, 0, 2, 5, 9, 13, 17, 21, 26, 32 };
__constant__ short kInverseAngle[17] = { 0, 0, 4096, 0, 0, 1638, 0, 0, 0, 910, 0, 0, 0, 630, 0, 0, 0 };

/* kmutate launch
   int width = 3840, rows = 67 * 6;
   dim3 grid = { width / 32, rows }, block = { 32, 8 };
   uint8_t edge[(width / 32) * rows * 132] = randint(0, 256);
   uint8_t mode[(width / 32) * rows] = randint(0, 35);
   uint8_t frame[width * rows * 32] = zeros();
   intra_angular_32x32_from_edges(edge, mode, frame, width);
*/
__global__ void intra_angular_32x32_from_edges(const uint8_t *__restrict__ edge, const uint8_t *__restrict__ mode,
                                               uint8_t *__restrict__ frame, int width)
{
    // edge: 64 samples of the left column from below to above, the corner, 64 samples of the row above.
    __shared__ int left[65], above[65], line[100], total;
    const int tid = threadIdx.y * 32 + threadIdx.x;
    const size_t cu = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    const uint8_t *e = edge + cu * 132;
    const int m = mode[cu];
    if (tid == 0) total = 32;
    if (tid < 65) left[tid] = e[64 - tid];
    else if (tid >= 128 && tid < 193) above[tid - 128] = e[64 + tid - 128];
    __syncthreads();
    uint8_t *to = frame + (size_t)blockIdx.y * 32 * width + blockIdx.x * 32;
    if (m == 0) {
        for (int y = threadIdx.y; y < 32; y += 8) {
            const int x = threadIdx.x;
            const int v = (31 - x) * left[y + 1] + (x + 1) * above[33] + (31 - y) * above[x + 1] + (y + 1) * left[33];
            to[(size_t)y * width + x] = (uint8_t)((v + 32) >> 6);
        }
        return;
    }
    if (m == 1) {
        if (tid < 32) atomicAdd(&total, left[tid + 1] + above[tid + 1]);
        __syncthreads();
        for (int y = threadIdx.y; y < 32; y += 8) to[(size_t)y * width + threadIdx.x] = (uint8_t)(total >> 6);
        return;
    }
    const bool vertical = m >= 18;
    const int angle = kAngleOfMode[m];
    const int *straight = vertical ? above : left, *side = vertical ? left : above;
    if (tid < 65) line[32 + tid] = straight[tid];
    if (angle < 0 && tid >= 96 && tid < 128) {
        const int k = tid - 95;
        const int inverse = -angle <= 13 && kInverseAngle[-angle] ? kInverseAngle[-angle] : (8192 - angle / 2) / -angle;
        const int from = min(64, (k * inverse + 128) >> 8);
        line[32 - k] = side[from];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        const int shift = (k + 1) * angle;
        const int whole = shift >> 5, part = shift & 31;
        const int at = 32 + threadIdx.x + 1 + whole;
        const int v = part ? ((32 - part) * line[at] + part * line[at + 1] + 16) >> 5 : line[at];
        if (vertical) to[(size_t)k * width + threadIdx.x] = (uint8_t)v;
        else to[(size_t)threadIdx.x * width + k] = (uint8_t)v;
    }
}

__device__ __forceinline__ unsigned pcg_scramble_word(unsigned v)
{
    v = v * 747796405u + 2891336453u;
    const unsigned w = ((v >> ((v >> 28) + 4u)) ^ v) * 277803737u;
    return (w >> 22) ^ w;
}

__device__ __forceinline__ float2 normal_pair_from_counter(unsigned counter)
{
    const unsigned a = pcg_scramble_word(counter), b = pcg_scramble_word(a ^ 0x9e3779b9u);
    const float u = ((a >> 8) + 0.5f) * (1.f / 16777216.f), v = (b >> 8) * (1.f / 16777216.f);
    const float r = sqrtf(-2.f * logf(u));
    float s, c;
    sincospif(2.f * v, &s, &c);
    return make_float2(r * c, r * s);
}

/* kmutate launch
   int names = 320, paths = 98304, sectors = 8;
   dim3 grid = { paths / 256 }, block = { 256 };
   int smem = (sectors * 256 + names * 4) * sizeof(float);
   float threshold[names] = uniform(-2.6, -1.2);
   float loading[names] = uniform(0.2, 0.6);
   float exposure[names] = uniform(0.5, 2);
   uint8_t sector[names] = randint(0, 8);
   float path_loss[paths] = zeros();
   double tranche[4] = zeros();
   gauss_copula_tranche_losses(threshold, loading, exposure, sector, path_loss, tranche, names, sectors, 8.f, 20u);
*/
__global__ void gauss_copula_tranche_losses(const float *__restrict__ threshold, const float *__restrict__ loading,
                                            const float *__restrict__ exposure, const uint8_t *__restrict__ sector,
                                            float *__restrict__ path_loss, double *__restrict__ tranche, int names,
                                            int sectors, float width, unsigned stream)
{
    extern __shared__ float pool[];
    float *factor = pool;
    float4 *name = reinterpret_cast<float4 *>(pool + sectors * 256);
    const unsigned path = blockIdx.x * 256 + threadIdx.x;
    for (int k = threadIdx.x; k < names; k += 256)
        name[k] = make_float4(threshold[k], loading[k], exposure[k], __int_as_float(sector[k]));
    const unsigned seed = pcg_scramble_word(path * 4096u + stream);
    const float market = normal_pair_from_counter(seed).x;
    for (int k = 0; k < sectors; k += 2) {
        const float2 z = normal_pair_from_counter(seed + 1u + k);
        factor[k * 256 + threadIdx.x] = 0.7f * market + 0.714f * z.x;
        factor[(k + 1) * 256 + threadIdx.x] = 0.7f * market + 0.714f * z.y;
    }
    __syncthreads();
    float loss = 0.f;
    for (int k = 0; k < names; k += 2) {
        const float2 z = normal_pair_from_counter(seed + 64u + k);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const float4 c = name[k + h];
            const float f = factor[__float_as_int(c.w) * 256 + threadIdx.x];
            const float asset = c.y * f + sqrtf(1.f - c.y * c.y) * (h ? z.y : z.x);
            if (asset < c.x) {
                const float gap = c.x - asset;
                loss += c.z * (0.3f + 0.7f * gap / (1.f + gap));
            }
        }
    }
    path_loss[path] = loss;
    for (int k = 0; k < 4; ++k) {
        float part = fminf(fmaxf(loss - k * width, 0.f), width);
        for (int o = 16; o; o >>= 1) part += __shfl_xor_sync(0xffffffffu, part, o);
        if ((threadIdx.x & 31) == 0) atomicAdd(&tranche[k], (double)part);
    }
}

__constant__ float kSeason[12] = { 0.94f, 0.76f, 0.74f, 0.95f, 0.98f, 0.92f, 0.98f, 1.10f, 1.18f, 1.22f, 1.23f, 0.98f };

/* kmutate launch
   int loans = 2048, scenarios = 96, months = 360;
   dim3 grid = { scenarios / 32, loans / 4 }, block = { 32, 4 };
   float short_rate[months * scenarios] = uniform(0.02, 0.06);
   float long_rate[months * scenarios] = uniform(0.03, 0.07);
   float balance[loans] = uniform(80000, 600000);
   float coupon[loans] = uniform(0.03, 0.075);
   short term[loans] = randint(60, 361);
   short age[loans] = randint(0, 90);
   float value[loans * scenarios] = zeros();
   float average_life[loans * scenarios] = zeros();
   mortgage_pool_prepayment_cashflows(short_rate, long_rate, balance, coupon, term, age, value, average_life,
                                      scenarios);
*/
__global__ void mortgage_pool_prepayment_cashflows(const float *__restrict__ short_rate,
                                                   const float *__restrict__ long_rate,
                                                   const float *__restrict__ balance, const float *__restrict__ coupon,
                                                   const short *__restrict__ term, const short *__restrict__ age,
                                                   float *__restrict__ value, float *__restrict__ average_life,
                                                   int scenarios)
{
    const int s = blockIdx.x * 32 + threadIdx.x, loan = blockIdx.y * blockDim.y + threadIdx.y;
    const float start = balance[loan], wac = coupon[loan], monthly = wac / 12.f;
    const int n = term[loan], old = age[loan];
    float left = start, discount = 1.f, pv = 0.f, weighted = 0.f;
    float annuity = powf(1.f + monthly, (float)n);
    for (int m = 0; m < n && left > 0.002f * start; ++m) {
        const float r = short_rate[m * scenarios + s], mortgage_rate = long_rate[m * scenarios + s];
        const float refinance = 0.2406f - 0.1389f * atanf(5.952f * (1.089f - wac / mortgage_rate));
        const float seasoning = fminf(1.f, (old + m) * (1.f / 30.f));
        const float burnout = 0.3f + 0.7f * left / start;
        const float cpr = fminf(0.9f, fmaxf(0.f, refinance) * seasoning * kSeason[(old + m) % 12] * burnout);
        const float smm = 1.f - powf(1.f - cpr, 1.f / 12.f);
        const float payment = left * monthly * annuity / fmaxf(annuity - 1.f, 1e-5f);
        const float interest = left * monthly;
        const float principal = fminf(left, payment - interest);
        const float early = (left - principal) * smm;
        discount *= expf(-r * (1.f / 12.f));
        pv += discount * (interest + principal + early);
        weighted += (principal + early) * (m + 1);
        left -= principal + early;
        annuity /= 1.f + monthly;
    }
    pv += discount * left;
    value[(size_t)loan * scenarios + s] = pv;
    average_life[(size_t)loan * scenarios + s] = weighted / (12.f * start);
}

/* kmutate launch
   int paths = 12000000;
   dim3 grid = { 396 }, block = { 256 };
   float spot[paths] = uniform(60, 140);
   float later[paths] = uniform(0, 30);
   float discount_path[paths] = uniform(0.98, 1);
   double sums[8] = zeros();
   longstaff_schwartz_sums_in_the_money(spot, later, discount_path, sums, 100.f, paths);
*/
__global__ void longstaff_schwartz_sums_in_the_money(const float *__restrict__ spot, const float *__restrict__ later,
                                                     const float *__restrict__ discount_path, double *__restrict__ sums,
                                                     float strike, int paths)
{
    __shared__ double part[8][8];
    double acc[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) acc[k] = 0.0;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < paths; p += gridDim.x * blockDim.x) {
        const float s = spot[p];
        if (s < strike) {
            const double x = s / strike, x2 = x * x;
            const double y = later[p] * discount_path[p];
            acc[0] += 1.0;
            acc[1] += x;
            acc[2] += x2;
            acc[3] += x2 * x;
            acc[4] += x2 * x2;
            acc[5] += y;
            acc[6] += y * x;
            acc[7] += y * x2;
        }
    }
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        for (int o = 16; o; o >>= 1) acc[k] += __shfl_down_sync(0xffffffffu, acc[k], o);
        if (lane == 0) part[warp][k] = acc[k];
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        double total = 0.0;
        for (int w = 0; w < 8; ++w) total += part[w][threadIdx.x];
        atomicAdd(&sums[threadIdx.x], total);
    }
}

/* kmutate launch
   int users = 360000;
   int events = csr_nnz(users, 2, 60);
   dim3 grid = { (users + 255) / 256 }, block = { 256 };
   int first[users + 1] = csr_rowptr(users, 2, 60);
   long long clicked_at[events] = ascending(0, 1000000000);
   int session_of_event[events] = zeros();
   int sessions[users] = zeros();
   long long longest[users] = zeros();
   sessionize_clicks_of_each_user(first, clicked_at, session_of_event, sessions, longest, 180LL, users);
*/
__global__ void sessionize_clicks_of_each_user(const int *__restrict__ first, const long long *__restrict__ clicked_at,
                                               int *__restrict__ session_of_event, int *__restrict__ sessions,
                                               long long *__restrict__ longest, long long gap, int users)
{
    const int user = blockIdx.x * blockDim.x + threadIdx.x;
    if (user >= users) return;
    const int begin = first[user], end = first[user + 1];
    long long previous = clicked_at[begin], opened = previous, record = 0;
    int number = 0;
    session_of_event[begin] = 0;
    for (int e = begin + 1; e < end; ++e) {
        const long long now = clicked_at[e];
        if (now - previous > gap) {
            record = max(record, previous - opened);
            opened = now;
            ++number;
        }
        session_of_event[e] = number;
        previous = now;
    }
    sessions[user] = number + 1;
    longest[user] = max(record, previous - opened);
}

/* kmutate launch
   int rows = 6000000;
   dim3 grid = { (rows + 255) / 256 }, block = { 256 };
   long long left[rows] = randint(-900000000000000, 900000000000000);
   long long right[rows] = randint(-50000000000, 50000000000);
   unsigned valid[(rows + 31) / 32] = randint(0, 4294967295);
   ulonglong2 product[rows] = zeros();
   decimal_products_rescaled_to_128_bits(left, right, valid, product, 1000000u, rows);
*/
__global__ void decimal_products_rescaled_to_128_bits(const long long *__restrict__ left,
                                                      const long long *__restrict__ right,
                                                      const unsigned *__restrict__ valid,
                                                      ulonglong2 *__restrict__ product, unsigned divisor, int rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    ulonglong2 result = make_ulonglong2(0, 0);
    if (valid[i >> 5] >> (i & 31) & 1u) {
        const long long a = left[i], b = right[i];
        const bool negative = (a < 0) != (b < 0);
        const unsigned long long ua = a < 0 ? 0ULL - (unsigned long long)a : (unsigned long long)a;
        const unsigned long long ub = b < 0 ? 0ULL - (unsigned long long)b : (unsigned long long)b;
        const unsigned long long low = ua * ub, high = __umul64hi(ua, ub);
        const unsigned limb[4] = { (unsigned)(high >> 32), (unsigned)high, (unsigned)(low >> 32), (unsigned)low };
        unsigned digit[4];
        unsigned long long rest = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned long long part = rest << 32 | limb[k];
            const unsigned long long q = part / divisor;
            digit[k] = (unsigned)q;
            rest = part - q * divisor;
        }
        unsigned long long lo = (unsigned long long)digit[2] << 32 | digit[3];
        unsigned long long hi = (unsigned long long)digit[0] << 32 | digit[1];
        if (2 * rest >= divisor && ++lo == 0) ++hi;
        if (negative) {
            lo = 0ULL - lo;
            hi = ~hi + (lo == 0 ? 1 : 0);
        }
        result = make_ulonglong2(lo, hi);
    }
    product[i] = result;
}

/* kmutate launch
   int nx = 1440, ny = 1080;
   dim3 grid = { (nx + 31) / 32, (ny + 7) / 8 }, block = { 32, 8 };
   double u[(nx + 1) * (ny + 1)] = normal(0, 0.1);
   double v[(nx + 1) * (ny + 1)] = normal(0, 0.1);
   double strength[nx * ny] = uniform(100, 27000);
   uint8_t ice_mask[nx * ny] = randint(0, 6);
   double dx[nx * ny] = uniform(9000, 11000);
   double dy[nx * ny] = uniform(9000, 11000);
   double sigma_p[nx * ny] = normal(0, 500);
   double sigma_m[nx * ny] = normal(0, 500);
   double sigma_s[nx * ny] = normal(0, 500);
   double shear_rate[nx * ny] = zeros();
   elastic_viscous_plastic_ice_stress(u, v, strength, ice_mask, dx, dy, sigma_p, sigma_m, sigma_s, shear_rate, nx, ny,
                                      0.25, 0.0125);
*/
__global__ void elastic_viscous_plastic_ice_stress(const double *__restrict__ u, const double *__restrict__ v,
                                                   const double *__restrict__ strength,
                                                   const uint8_t *__restrict__ ice_mask, const double *__restrict__ dx,
                                                   const double *__restrict__ dy, double *__restrict__ sigma_p,
                                                   double *__restrict__ sigma_m, double *__restrict__ sigma_s,
                                                   double *__restrict__ shear_rate, int nx, int ny, double inverse_e2,
                                                   double relax)
{
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    if (i >= nx || j >= ny) return;
    const int c = j * nx + i, sw = j * (nx + 1) + i, nw = sw + nx + 1;
    if (ice_mask[c] == 0) return;
    const double rx = 0.5 / dx[c], ry = 0.5 / dy[c];
    const double dudx = (u[sw + 1] + u[nw + 1] - u[sw] - u[nw]) * rx;
    const double dvdx = (v[sw + 1] + v[nw + 1] - v[sw] - v[nw]) * rx;
    const double dudy = (u[nw] + u[nw + 1] - u[sw] - u[sw + 1]) * ry;
    const double dvdy = (v[nw] + v[nw + 1] - v[sw] - v[sw + 1]) * ry;
    const double divergence = dudx + dvdy, tension = dudx - dvdy, shear = dudy + dvdx;
    const double delta = sqrt(divergence * divergence + inverse_e2 * (tension * tension + shear * shear));
    const double p = strength[c];
    const double two_zeta = p / fmax(delta, 2e-9);
    const double keep = 1.0 / (1.0 + relax), keep_e = 1.0 / (1.0 + relax / inverse_e2);
    sigma_p[c] = (sigma_p[c] + relax * (two_zeta * divergence - two_zeta * delta)) * keep;
    sigma_m[c] = (sigma_m[c] + relax * two_zeta * tension) * keep_e;
    sigma_s[c] = (sigma_s[c] + 0.5 * relax * two_zeta * shear) * keep_e;
    shear_rate[c] = sqrt(tension * tension + shear * shear);
}

/* kmutate launch
   int columns = 1536, layers = 60, gpoints = 128;
   dim3 grid = { gpoints / 32, layers / 4, columns / 2 }, block = { 32, 4, 2 };
   uint8_t index_t[columns * layers] = randint(0, 13);
   uint8_t index_p[columns * layers] = randint(0, 58);
   uint8_t index_eta[columns * layers * 2] = randint(0, 8);
   float fraction_t[columns * layers] = uniform(0, 1);
   float fraction_p[columns * layers] = uniform(0, 1);
   float2 fraction_eta[columns * layers] = uniform(0, 1);
   float2 column_mix[columns * layers] = uniform(0.1, 2);
   float k_major[14 * 60 * 9 * gpoints] = uniform(0.001, 1);
   float k_minor[14 * 9 * gpoints] = uniform(0.001, 0.1);
   float tau[columns * layers * gpoints] = zeros();
   gas_optics_of_two_key_species(index_t, index_p, index_eta, fraction_t, fraction_p, fraction_eta, column_mix, k_major,
                                 k_minor, tau, layers, gpoints);
*/
__global__ void gas_optics_of_two_key_species(const uint8_t *__restrict__ index_t, const uint8_t *__restrict__ index_p,
                                              const uint8_t *__restrict__ index_eta,
                                              const float *__restrict__ fraction_t,
                                              const float *__restrict__ fraction_p,
                                              const float2 *__restrict__ fraction_eta,
                                              const float2 *__restrict__ column_mix, const float *__restrict__ k_major,
                                              const float *__restrict__ k_minor, float *__restrict__ tau, int layers,
                                              int gpoints)
{
    const int g = blockIdx.x * 32 + threadIdx.x;
    const int cell = (blockIdx.z * 2 + threadIdx.z) * layers + blockIdx.y * 4 + threadIdx.y;
    const int t = index_t[cell], p = index_p[cell];
    const float ft = fraction_t[cell], fp = fraction_p[cell];
    const float2 fe = fraction_eta[cell], mix = column_mix[cell];
    float major = 0.f, minor = 0.f;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
        const int eta = index_eta[2 * cell + side];
        const float f = side ? fe.y : fe.x, wt = side ? ft : 1.f - ft;
        const float *at = k_major + (((t + side) * 60 + p) * 9 + eta) * gpoints + g;
        const float *above = at + 9 * gpoints;
        const float low = (1.f - f) * at[0] + f * at[gpoints], high = (1.f - f) * above[0] + f * above[gpoints];
        major += (side ? mix.y : mix.x) * wt * ((1.f - fp) * low + fp * high);
        const float *small = k_minor + ((t + side) * 9 + eta) * gpoints + g;
        minor += wt * ((1.f - f) * small[0] + f * small[gpoints]);
    }
    tau[(size_t)cell * gpoints + g] = fmaxf(0.f, major + minor * 0.5f * (mix.x + mix.y));
}

/* kmutate launch
   int columns = 262144;
   dim3 grid = { columns / 128 }, block = { 128 };
   float temperature[columns * 16] = uniform(262, 298);
   float moisture[columns * 16] = uniform(0.05, 0.4);
   float porosity[columns] = uniform(0.42, 0.55);
   float surface_flux[columns] = uniform(-120, 180);
   float thickness[16] = { 0.02f, 0.03f, 0.04f, 0.06f, 0.08f, 0.1f, 0.13f, 0.16f, 0.2f, 0.26f, 0.34f, 0.44f, 0.56f,
                           0.7f, 0.9f, 1.2f };
   soil_heat_implicit_column_per_thread(temperature, moisture, porosity, surface_flux, thickness, 1800.f, columns);
*/
__global__ void soil_heat_implicit_column_per_thread(float *__restrict__ temperature,
                                                     const float *__restrict__ moisture,
                                                     const float *__restrict__ porosity,
                                                     const float *__restrict__ surface_flux,
                                                     const float *__restrict__ thickness, float dt, int columns)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= columns) return;
    float *T = temperature + (size_t)col * 16;
    const float *wet = moisture + (size_t)col * 16;
    const float pore = porosity[col];
    float upper[16], right[16];
    float k_above = 0.f, dz_above = 0.f, previous_upper = 0.f, previous_right = 0.f;
    float water = wet[0];
    float k_here = expf(0.9f * logf(fmaxf(water / pore, 0.02f))) * 1.6f + 0.2f;
#pragma unroll
    for (int l = 0; l < 16; ++l) {
        const float dz = thickness[l];
        const float frozen = T[l] < 273.15f ? 1.f : 0.f;
        const float capacity = dz * ((1.f - pore) * 2.1e6f + water * (frozen > 0.f ? 1.9e6f : 4.2e6f)) / dt;
        float k_below = 0.f, coupling_below = 0.f;
        if (l < 15) {
            water = wet[l + 1];
            k_below = expf(0.9f * logf(fmaxf(water / pore, 0.02f))) * 1.6f + 0.2f;
            coupling_below = 2.f / (dz / k_here + thickness[l + 1] / k_below);
        }
        const float coupling_above = l ? 2.f / (dz_above / k_above + dz / k_here) : 0.f;
        const float source = capacity * T[l] + (l ? 0.f : surface_flux[col]);
        const float pivot = 1.f / (capacity + coupling_above + coupling_below - coupling_above * previous_upper);
        upper[l] = previous_upper = coupling_below * pivot;
        right[l] = previous_right = (source + coupling_above * previous_right) * pivot;
        k_above = k_here;
        dz_above = dz;
        k_here = k_below;
    }
    float below = right[15];
    T[15] = below;
#pragma unroll
    for (int l = 14; l >= 0; --l) {
        below = right[l] + upper[l] * below;
        T[l] = below;
    }
}

__constant__ float kLinkOffset[7] = { 0.34f, 0.f, 0.4f, 0.f, 0.4f, 0.f, 0.126f };
__constant__ float kTwistSign[7] = { -1.f, 1.f, 1.f, -1.f, -1.f, 1.f, 0.f };

/* kmutate launch
   int poses = 131072, obstacles = 56;
   dim3 grid = { poses / 256 }, block = { 256 };
   float angle[poses * 7] = uniform(-2.9, 2.9);
   float4 obstacle[obstacles] = uniform(-1.1, 1.1);
   float4 sphere[21] = uniform(-0.12, 0.12);
   float clearance[poses] = zeros();
   int8_t closest_link[poses] = zeros();
   arm_sphere_clearances_seven_joints(angle, obstacle, sphere, clearance, closest_link, obstacles);
*/
__global__ void arm_sphere_clearances_seven_joints(const float *__restrict__ angle, const float4 *__restrict__ obstacle,
                                                   const float4 *__restrict__ sphere, float *__restrict__ clearance,
                                                   int8_t *__restrict__ closest_link, int obstacles)
{
    __shared__ float4 ball[64], body[21];
    if (threadIdx.x < obstacles) {
        float4 o = obstacle[threadIdx.x];
        o.w = 0.04f + 0.05f * fabsf(o.w);
        ball[threadIdx.x] = o;
    } else if (threadIdx.x >= 64 && threadIdx.x < 85) {
        float4 b = sphere[threadIdx.x - 64];
        b.w = 0.03f + 0.4f * fabsf(b.w);
        body[threadIdx.x - 64] = b;
    }
    __syncthreads();
    const int pose = blockIdx.x * blockDim.x + threadIdx.x;
    float r00 = 1.f, r01 = 0.f, r02 = 0.f, r10 = 0.f, r11 = 1.f, r12 = 0.f, r20 = 0.f, r21 = 0.f, r22 = 1.f;
    float x = 0.f, y = 0.f, z = 0.f;
    float best = 1e9f;
    int link = -1;
    for (int j = 0; j < 7; ++j) {
        float s, c;
        sincosf(angle[pose * 7 + j], &s, &c);
        x += r02 * kLinkOffset[j];
        y += r12 * kLinkOffset[j];
        z += r22 * kLinkOffset[j];
        const float a0 = r00 * c + r01 * s, a1 = r10 * c + r11 * s, a2 = r20 * c + r21 * s;
        const float b0 = r01 * c - r00 * s, b1 = r11 * c - r10 * s, b2 = r21 * c - r20 * s;
        const float t = kTwistSign[j];
        r00 = a0; r10 = a1; r20 = a2;
        if (t != 0.f) {
            const float c0 = r02, c1 = r12, c2 = r22;
            r01 = t * c0; r11 = t * c1; r21 = t * c2;
            r02 = -t * b0; r12 = -t * b1; r22 = -t * b2;
        } else {
            r01 = b0; r11 = b1; r21 = b2;
        }
        for (int k = 0; k < 3; ++k) {
            const float4 b = body[j * 3 + k];
            const float cx = x + r00 * b.x + r01 * b.y + r02 * b.z;
            const float cy = y + r10 * b.x + r11 * b.y + r12 * b.z;
            const float cz = z + r20 * b.x + r21 * b.y + r22 * b.z;
            float nearest = cz - b.w;
            for (int o = 0; o < obstacles; ++o) {
                const float4 q = ball[o];
                const float dx = q.x - cx, dy = q.y - cy, dz = q.z - cz;
                nearest = fminf(nearest, sqrtf(dx * dx + dy * dy + dz * dz) - q.w - b.w);
            }
            if (nearest < best) {
                best = nearest;
                link = j;
            }
        }
    }
    clearance[pose] = best;
    closest_link[pose] = (int8_t)link;
}

/* kmutate launch
   int segments = 6144, grains = 40000, source_length = 8000000;
   int entries = csr_nnz(segments, 6, 28);
   dim3 grid = { segments }, block = { 256 };
   float source[source_length] = normal(0, 0.3);
   int first[segments + 1] = csr_rowptr(segments, 6, 28);
   int grain_of_entry[entries] = csr_colidx(grains);
   int start_in_segment[entries] = randint(-1600, 200);
   int grain_length[grains] = randint(900, 3000);
   int grain_source[grains] = randint(0, source_length - 16384);
   float2 pitch_pan[grains] = uniform(0.4, 1);
   float2 output[segments * 256] = zeros();
   granular_cloud_of_hann_grains(source, first, grain_of_entry, start_in_segment, grain_length, grain_source, pitch_pan,
                                 output);
*/
__global__ void granular_cloud_of_hann_grains(const float *__restrict__ source, const int *__restrict__ first,
                                              const int *__restrict__ grain_of_entry,
                                              const int *__restrict__ start_in_segment,
                                              const int *__restrict__ grain_length,
                                              const int *__restrict__ grain_source,
                                              const float2 *__restrict__ pitch_pan, float2 *__restrict__ output)
{
    const int begin = first[blockIdx.x], end = first[blockIdx.x + 1];
    float left = 0.f, right = 0.f;
    for (int e = begin; e < end; ++e) {
        const int grain = grain_of_entry[e];
        const int phase = (int)threadIdx.x - start_in_segment[e];
        const int length = grain_length[grain];
        if (phase < 0 || phase >= length) continue;
        const float2 pp = pitch_pan[grain];
        const float window = 0.5f - 0.5f * cospif(2.f * phase / length);
        const float at = phase * (0.5f + 2.f * pp.x);
        const int whole = (int)at;
        const float *from = source + grain_source[grain] + whole;
        const float f = at - whole;
        const float v = window * (from[0] + f * (from[1] - from[0]));
        const float pan = pp.y * pp.y;
        left += v * sqrtf(1.f - pan);
        right += v * pp.y;
    }
    output[blockIdx.x * 256 + threadIdx.x] = make_float2(tanhf(left), tanhf(right));
}

/* kmutate launch
   int vertices = 90000;
   int edges = csr_nnz(vertices, 3, 36);
   dim3 grid = { (vertices + 7) / 8 }, block = { 256 };
   int first[vertices + 1] = csr_rowptr(vertices, 3, 36);
   int neighbour[edges] = csr_colidx(vertices);
   half feature[vertices * 128] = normal(0, 0.5);
   float4 logit_from[vertices] = normal();
   float4 logit_to[vertices] = normal();
   half bias[128] = normal(0, 0.1);
   half out[vertices * 128] = zeros();
   graph_attention_four_heads_warp_per_vertex(first, neighbour, feature, logit_from, logit_to, bias, out, vertices);
*/
__global__ void graph_attention_four_heads_warp_per_vertex(const int *__restrict__ first,
                                                           const int *__restrict__ neighbour,
                                                           const half *__restrict__ feature,
                                                           const float4 *__restrict__ logit_from,
                                                           const float4 *__restrict__ logit_to,
                                                           const half *__restrict__ bias, half *__restrict__ out,
                                                           int vertices)
{
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, head = lane >> 3;
    if (v >= vertices) return;
    const float to = reinterpret_cast<const float *>(logit_to)[v * 4 + head];
    const float *from = reinterpret_cast<const float *>(logit_from);
    const int begin = first[v], end = first[v + 1];
    float highest = -1e30f, weight_sum = 0.f, a0 = 0.f, a1 = 0.f, a2 = 0.f, a3 = 0.f;
    for (int base = begin; base < end; base += 32) {
        const int mine = base + lane < end ? neighbour[base + lane] : 0;
        const int many = min(32, end - base);
        for (int k = 0; k < many; ++k) {
            const int u = __shfl_sync(0xffffffffu, mine, k);
            const uint2 raw = *reinterpret_cast<const uint2 *>(feature + (size_t)u * 128 + lane * 4);
            float s = from[u * 4 + head] + to;
            s = s > 0.f ? s : 0.2f * s;
            const float now = fmaxf(highest, s);
            const float fade = __expf(highest - now), w = __expf(s - now);
            const float2 f0 = __half22float2(*reinterpret_cast<const half2 *>(&raw.x));
            const float2 f1 = __half22float2(*reinterpret_cast<const half2 *>(&raw.y));
            weight_sum = weight_sum * fade + w;
            a0 = a0 * fade + w * f0.x;
            a1 = a1 * fade + w * f0.y;
            a2 = a2 * fade + w * f1.x;
            a3 = a3 * fade + w * f1.y;
            highest = now;
        }
    }
    const float scale = weight_sum > 0.f ? 1.f / weight_sum : 0.f;
    const half2 *b = reinterpret_cast<const half2 *>(bias) + lane * 2;
    const float2 b0 = __half22float2(b[0]), b1 = __half22float2(b[1]);
    float r[4] = { a0 * scale + b0.x, a1 * scale + b0.y, a2 * scale + b1.x, a3 * scale + b1.y };
#pragma unroll
    for (int k = 0; k < 4; ++k) r[k] = r[k] > 0.f ? r[k] : __expf(r[k]) - 1.f;
    half2 *o = reinterpret_cast<half2 *>(out + (size_t)v * 128) + lane * 2;
    o[0] = __floats2half2_rn(r[0], r[1]);
    o[1] = __floats2half2_rn(r[2], r[3]);
}

/* kmutate launch
   int images = 40, pixels = 56 * 56;
   dim3 grid = { images }, block = { 512 };
   __nv_bfloat16 x[images * pixels * 256] = normal();
   __nv_bfloat16 squeeze[64 * 256] = normal(0, 0.1);
   __nv_bfloat16 excite[256 * 64] = normal(0, 0.1);
   float squeeze_bias[64] = normal(0, 0.1);
   float excite_bias[256] = normal(0, 0.1);
   __nv_bfloat16 y[images * pixels * 256] = zeros();
   squeeze_excite_channels_last_block_per_image(x, squeeze, excite, squeeze_bias, excite_bias, y, pixels);
*/
__global__ void __launch_bounds__(512) squeeze_excite_channels_last_block_per_image(const __nv_bfloat16 *__restrict__ x,
    const __nv_bfloat16 *__restrict__ squeeze, const __nv_bfloat16 *__restrict__ excite,
    const float *__restrict__ squeeze_bias, const float *__restrict__ excite_bias, __nv_bfloat16 *__restrict__ y,
    int pixels)
{
    __shared__ float2 part[4][128];
    __shared__ float mean[256], hidden[64], gate[256];
    const int pair = threadIdx.x & 127, row = threadIdx.x >> 7;
    const __nv_bfloat162 *in = reinterpret_cast<const __nv_bfloat162 *>(x) + (size_t)blockIdx.x * pixels * 128;
    __nv_bfloat162 *to = reinterpret_cast<__nv_bfloat162 *>(y) + (size_t)blockIdx.x * pixels * 128;
    float2 sum = make_float2(0.f, 0.f);
#pragma unroll 4
    for (int p = row; p < pixels; p += 4) {
        const float2 v = __bfloat1622float2(in[p * 128 + pair]);
        sum.x += v.x;
        sum.y += v.y;
    }
    part[row][pair] = sum;
    __syncthreads();
    if (threadIdx.x < 128) {
        const float2 a = part[0][pair], b = part[1][pair], c = part[2][pair], d = part[3][pair];
        mean[2 * pair] = (a.x + b.x + c.x + d.x) / pixels;
        mean[2 * pair + 1] = (a.y + b.y + c.y + d.y) / pixels;
    }
    __syncthreads();
    {
        const int unit = threadIdx.x >> 3, lane8 = threadIdx.x & 7;
        float dot = 0.f;
        for (int c = lane8; c < 256; c += 8) dot += __bfloat162float(squeeze[unit * 256 + c]) * mean[c];
        for (int o = 4; o; o >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, o);
        if (lane8 == 0) hidden[unit] = fmaxf(0.f, dot + squeeze_bias[unit]);
    }
    __syncthreads();
    if (threadIdx.x < 256) {
        float dot = excite_bias[threadIdx.x];
        for (int k = 0; k < 64; ++k) dot += __bfloat162float(excite[threadIdx.x * 64 + k]) * hidden[k];
        gate[threadIdx.x] = 1.f / (1.f + __expf(-dot));
    }
    __syncthreads();
    const float g0 = gate[2 * pair], g1 = gate[2 * pair + 1];
#pragma unroll 4
    for (int p = row; p < pixels; p += 4) {
        const float2 v = __bfloat1622float2(in[p * 128 + pair]);
        to[p * 128 + pair] = __floats2bfloat162_rn(v.x * g0, v.y * g1);
    }
}
