#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

struct StormRecord {
    float latitude, longitude;
    float hours, wind, pressure;
    float radius[3];
};

/* kmutate launch
   struct StormRecord {
       float latitude, longitude;
       float hours, wind, pressure;
       float radius[3];
   };
   int records = 5000000;
   dim3 grid = { (records + 255) / 256 }, block = { 256 };
   struct StormRecord storms[records] = uniform(-1.5, 1.5);
   float distance[records] = zeros();
   great_circle_distances_of_storm_records(storms, distance, records, 0.52f, -1.31f);
*/
__global__ void great_circle_distances_of_storm_records(const StormRecord *__restrict__ storms,
                                                        float *__restrict__ distance, int records, float latitude,
                                                        float longitude)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;
    const float lat = storms[i].latitude, lon = storms[i].longitude;
    const float u = sinf(0.5f * (lat - latitude));
    const float v = sinf(0.5f * (lon - longitude));
    const float h = u * u + cosf(latitude) * cosf(lat) * v * v;
    distance[i] = 12742.f * asinf(sqrtf(fminf(h, 1.f)));
}

/* kmutate launch
   int vertices = 1000000, lo = 4, hi = 20;
   int edges = csr_nnz(vertices, lo, hi);
   dim3 grid = { (vertices + 255) / 256 }, block = { 256 };
   int offset[vertices + 1] = csr_rowptr(vertices, lo, hi);
   int head[edges] = csr_colidx(vertices);
   float weight[edges] = uniform(0, 1);
   int mate[vertices] = randint(-2, 2);
   int proposal[vertices] = fill(-1);
   heaviest_free_neighbour_proposals_for_coarsening(offset, head, weight, mate, proposal, vertices);
*/
__global__ void heaviest_free_neighbour_proposals_for_coarsening(const int *__restrict__ offset,
                                                                 const int *__restrict__ head,
                                                                 const float *__restrict__ weight,
                                                                 const int *__restrict__ mate,
                                                                 int *__restrict__ proposal, int vertices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || mate[v] >= 0) return;
    float heaviest = -1.f;
    int best = -1;
    for (int e = offset[v]; e < offset[v + 1]; ++e) {
        const int u = head[e];
        if (u == v || mate[u] >= 0) continue;
        const float w = weight[e];
        if (w > heaviest || (w == heaviest && u > best)) {
            heaviest = w;
            best = u;
        }
    }
    proposal[v] = best;
}

__device__ __forceinline__ int mirrored(int row, int rows)
{
    if (row < 0) row = -row;
    return row < rows ? row : 2 * rows - 2 - row;
}

/* kmutate launch
   int width = 4096, height = 4096, pairs = 32;
   dim3 grid = { width / 128, height / 2 / pairs }, block = { 128 };
   float image[width * height] = uniform(0, 255);
   float low[width * height / 2] = zeros(), high[width * height / 2] = zeros();
   wavelet_nine_seven_lifted_down_columns(image, low, high, width, height, pairs);
*/
__global__ void wavelet_nine_seven_lifted_down_columns(const float *__restrict__ image, float *__restrict__ low,
                                                       float *__restrict__ high, int width, int height, int pairs)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    const float alpha = -1.586134342f, beta = -0.052980118f, gamma = 0.882911075f, delta = 0.443506852f;
    const float zeta = 1.149604398f;
    const int first = blockIdx.y * pairs;
    const int last = min(first + pairs, height / 2);
    float even = image[(size_t)mirrored(2 * first - 4, height) * width + x];
    float d1 = 0.f, s1 = 0.f, d2 = 0.f;
    // Two pairs ahead of the segment fill the four lifting states.
    for (int i = first - 2; i <= last; ++i) {
        const float odd = image[(size_t)mirrored(2 * i + 1, height) * width + x];
        const float next = image[(size_t)mirrored(2 * i + 2, height) * width + x];
        const float d1_new = odd + alpha * (even + next);
        const float s1_new = even + beta * (d1 + d1_new);
        const float d2_new = d1 + gamma * (s1 + s1_new);
        const float s2 = s1 + delta * (d2 + d2_new);
        if (i > first) {
            low[(size_t)(i - 1) * width + x] = s2 * zeta;
            high[(size_t)(i - 1) * width + x] = d2_new / zeta;
        }
        even = next;
        d1 = d1_new;
        s1 = s1_new;
        d2 = d2_new;
    }
}

/* kmutate launch
   int lines = 16384, n = 64;
   dim3 grid = { lines / 64 }, block = { 64 };
   double below[9 * n * lines] = uniform(-0.3, 0.3);
   double diagonal[9 * n * lines] = uniform(-0.3, 0.3);
   double above[9 * n * lines] = uniform(-0.3, 0.3);
   double rhs[3 * n * lines] = normal();
   block_tridiagonal_three_by_three_forward_in_lines(below, diagonal, above, rhs, lines, n, 0.4);
*/
__global__ void block_tridiagonal_three_by_three_forward_in_lines(const double *__restrict__ below,
                                                                  const double *__restrict__ diagonal,
                                                                  double *__restrict__ above,
                                                                  double *__restrict__ rhs, int lines, int n,
                                                                  double dt)
{
    const int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    double c[3][3] = {}, r[3] = {};
    for (int k = 0; k < n; ++k) {
        const size_t at9 = (size_t)k * 9 * lines + line, at3 = (size_t)k * 3 * lines + line;
        double m[3][3], e[3][3], f[3];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            double a[3];
#pragma unroll
            for (int j = 0; j < 3; ++j) a[j] = dt * below[at9 + (size_t)(3 * i + j) * lines];
            f[i] = rhs[at3 + (size_t)i * lines] - a[0] * r[0] - a[1] * r[1] - a[2] * r[2];
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                const size_t entry = at9 + (size_t)(3 * i + j) * lines;
                m[i][j] = (i == j ? 1.0 : 0.0) + dt * diagonal[entry] - a[0] * c[0][j] - a[1] * c[1][j] -
                          a[2] * c[2][j];
                e[i][j] = dt * above[entry];
            }
        }
        // Gauss-Jordan without pivoting: the blocks are dominated by their diagonals.
#pragma unroll
        for (int p = 0; p < 3; ++p) {
            const double inverse = 1.0 / m[p][p];
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                m[p][j] *= inverse;
                e[p][j] *= inverse;
            }
            f[p] *= inverse;
#pragma unroll
            for (int i = 0; i < 3; ++i) {
                if (i == p) continue;
                const double factor = m[i][p];
#pragma unroll
                for (int j = 0; j < 3; ++j) {
                    m[i][j] -= factor * m[p][j];
                    e[i][j] -= factor * e[p][j];
                }
                f[i] -= factor * f[p];
            }
        }
#pragma unroll
        for (int i = 0; i < 3; ++i) {
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                c[i][j] = e[i][j];
                above[at9 + (size_t)(3 * i + j) * lines] = e[i][j];
            }
            r[i] = f[i];
            rhs[at3 + (size_t)i * lines] = f[i];
        }
    }
}

/* kmutate launch
   int neurons = 131072;
   dim3 grid = { neurons / 32 }, block = { 256 };
   __nv_bfloat16 map[neurons * 512] = uniform(0, 1);
   float sample[512] = uniform(0, 1);
   unsigned long long winner[1] = fill(1ull << 62);
   winning_neuron_of_kohonen_map_in_bf16((uint4 *)map, sample, winner, neurons);
*/
__global__ void winning_neuron_of_kohonen_map_in_bf16(const uint4 *__restrict__ map,
                                                      const float *__restrict__ sample,
                                                      unsigned long long *__restrict__ winner, int neurons)
{
    __shared__ unsigned long long best_of_warp[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float mine[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) mine[k] = sample[(k >> 3) * 256 + lane * 8 + (k & 7)];
    unsigned long long best = ~0ull;
    for (int j = 0; j < 4; ++j) {
        const int neuron = (blockIdx.x * 8 + warp) * 4 + j;
        if (neuron >= neurons) break;
        float sum = 0.f;
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            const uint4 packed = map[(size_t)neuron * 64 + part * 32 + lane];
            const unsigned int words[4] = { packed.x, packed.y, packed.z, packed.w };
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const float a = __uint_as_float(words[k] << 16) - mine[part * 8 + 2 * k];
                const float b = __uint_as_float(words[k] & 0xffff0000u) - mine[part * 8 + 2 * k + 1];
                sum += a * a + b * b;
            }
        }
        for (int step = 16; step > 0; step >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        const unsigned long long key = (unsigned long long)__float_as_uint(sum) << 32 | (unsigned int)neuron;
        best = key < best ? key : best;
    }
    if (lane == 0) best_of_warp[warp] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) best = best_of_warp[w] < best ? best_of_warp[w] : best;
        atomicMin(winner, best);
    }
}

/* kmutate launch
   int rows = 200000, cols = 200000, lo = 8, hi = 56;
   int nnz = csr_nnz(rows, lo, hi);
   dim3 grid = { (rows + 7) / 8 }, block = { 256 };
   int offset[rows + 1] = csr_rowptr(rows, lo, hi);
   int column[nnz] = csr_colidx(cols);
   float value[nnz] = uniform(-1, 1);
   float x[cols] = normal(), w[rows] = normal();
   float y[rows] = zeros(), z[cols] = zeros();
   csr_product_and_transposed_product_by_atomics(offset, column, value, x, w, y, z, rows);
*/
__global__ void csr_product_and_transposed_product_by_atomics(const int *__restrict__ offset,
                                                              const int *__restrict__ column,
                                                              const float *__restrict__ value,
                                                              const float *__restrict__ x,
                                                              const float *__restrict__ w, float *__restrict__ y,
                                                              float *__restrict__ z, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float scale = w[row];
    const int end = offset[row + 1];
    float sum = 0.f;
    for (int e = offset[row] + lane; e < end; e += 32) {
        const int c = column[e];
        const float a = value[e];
        sum += a * x[c];
        atomicAdd(&z[c], a * scale);
    }
    for (int step = 16; step > 0; step >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) y[row] = sum;
}

__device__ __forceinline__ double3 corner_at(const double *__restrict__ ux, const double *__restrict__ uy,
                                             const double *__restrict__ uz, size_t node, double x, double y, double z)
{
    return make_double3(x + ux[node], y + uy[node], z + uz[node]);
}

__device__ __forceinline__ double3 minus(double3 a, double3 b) { return make_double3(a.x - b.x, a.y - b.y, a.z - b.z); }

__device__ __forceinline__ double3 plus(double3 a, double3 b) { return make_double3(a.x + b.x, a.y + b.y, a.z + b.z); }

__device__ __forceinline__ double3 cross(double3 a, double3 b)
{
    return make_double3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__device__ __forceinline__ double dot(double3 a, double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ __forceinline__ double face_measure(double3 a, double3 b, double3 c, double3 d)
{
    const double3 f = minus(minus(c, a), minus(d, b)), g = plus(minus(c, a), minus(d, b));
    const double fg = dot(f, g);
    return dot(f, f) * dot(g, g) - fg * fg;
}

/* kmutate launch
   int n = 128, m = n + 1;
   dim3 grid = { n / 64, n / 2, n }, block = { 64, 2 };
   double ux[m * m * m] = uniform(-0.1, 0.1), uy[m * m * m] = uniform(-0.1, 0.1), uz[m * m * m] = uniform(-0.1, 0.1);
   double reference[n * n * n] = uniform(0.9, 1.1);
   double relative[n * n * n] = zeros(), length[n * n * n] = zeros();
   hexahedron_volume_change_and_characteristic_length(ux, uy, uz, reference, relative, length, n, 1.0);
*/
__global__ void hexahedron_volume_change_and_characteristic_length(const double *__restrict__ ux,
                                                                   const double *__restrict__ uy,
                                                                   const double *__restrict__ uz,
                                                                   const double *__restrict__ reference,
                                                                   double *__restrict__ relative,
                                                                   double *__restrict__ length, int n, double h)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    const int k = blockIdx.z;
    if (i >= n || j >= n) return;
    const int m = n + 1;
    const size_t node = ((size_t)k * m + j) * m + i;
    const double x = i * h, y = j * h, z = k * h;
    const size_t up = (size_t)m * m;
    const double3 a = corner_at(ux, uy, uz, node, x, y, z);
    const double3 b = corner_at(ux, uy, uz, node + 1, x + h, y, z);
    const double3 c = corner_at(ux, uy, uz, node + m + 1, x + h, y + h, z);
    const double3 d = corner_at(ux, uy, uz, node + m, x, y + h, z);
    const double3 e = corner_at(ux, uy, uz, node + up, x, y, z + h);
    const double3 f = corner_at(ux, uy, uz, node + up + 1, x + h, y, z + h);
    const double3 g = corner_at(ux, uy, uz, node + up + m + 1, x + h, y + h, z + h);
    const double3 o = corner_at(ux, uy, uz, node + up + m, x, y + h, z + h);

    // Volume as six tetrahedra around the diagonal from a to g.
    const double3 ga = minus(g, a);
    const double six = dot(ga, cross(minus(b, a), minus(c, a))) + dot(ga, cross(minus(c, a), minus(d, a))) +
                       dot(ga, cross(minus(d, a), minus(o, a))) + dot(ga, cross(minus(o, a), minus(e, a))) +
                       dot(ga, cross(minus(e, a), minus(f, a))) + dot(ga, cross(minus(f, a), minus(b, a)));
    const double volume = six * (1.0 / 6.0);

    double area = face_measure(a, b, c, d);
    area = fmax(area, face_measure(e, f, g, o));
    area = fmax(area, face_measure(a, b, f, e));
    area = fmax(area, face_measure(b, c, g, f));
    area = fmax(area, face_measure(c, d, o, g));
    area = fmax(area, face_measure(d, a, e, o));

    const size_t element = ((size_t)k * n + j) * n + i;
    relative[element] = volume / reference[element];
    length[element] = 4.0 * volume / sqrt(area);
}

/* kmutate launch
   int n = 16384, words = n / 32, rows = 32;
   dim3 grid = { words / 128, n / rows }, block = { 128 };
   unsigned reach[n * words] = randint(0, 4294967295);
   unsigned closed[n * words] = zeros();
   transitive_closure_of_bit_rows_through_one_pivot_word(reach, closed, words, rows, 137);
*/
__global__ void transitive_closure_of_bit_rows_through_one_pivot_word(const unsigned int *__restrict__ reach,
                                                                      unsigned int *__restrict__ closed, int words,
                                                                      int rows, int pivot)
{
    __shared__ unsigned int through[32][128];
    const int word = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 32; ++k) through[k][threadIdx.x] = reach[(size_t)(32 * pivot + k) * words + word];
    __syncthreads();
    for (int r = 0; r < rows; ++r) {
        const size_t row = (size_t)(blockIdx.y * rows + r) * words;
        unsigned int links = reach[row + pivot];
        unsigned int bits = reach[row + word];
        while (links) {
            bits |= through[__ffs(links) - 1][threadIdx.x];
            links &= links - 1;
        }
        closed[row + word] = bits;
    }
}

/* kmutate launch
   int variables = 64, samples = 1024;
   dim3 grid = { variables * (variables - 1) / 2 }, block = { 256 };
   float data[variables * samples] = normal();
   float tau[variables * variables] = zeros();
   kendall_rank_correlation_block_for_each_pair_of_columns(data, tau, variables, samples);
*/
__global__ void kendall_rank_correlation_block_for_each_pair_of_columns(const float *__restrict__ data,
                                                                        float *__restrict__ tau, int variables,
                                                                        int samples)
{
    __shared__ float2 both[1024];
    __shared__ int partial[256];
    int first = 0, rest = blockIdx.x;
    while (rest >= variables - 1 - first) {
        rest -= variables - 1 - first;
        ++first;
    }
    const int second = first + 1 + rest;
    for (int i = threadIdx.x; i < samples; i += blockDim.x)
        both[i] = make_float2(data[(size_t)first * samples + i], data[(size_t)second * samples + i]);
    __syncthreads();
    int balance = 0;
    for (int i = threadIdx.x; i < samples; i += blockDim.x) {
        const float2 p = both[i];
        for (int j = i + 1; j < samples; ++j) {
            const float2 q = both[j];
            const float product = (p.x - q.x) * (p.y - q.y);
            if (product > 0.f)
                ++balance;
            else if (product < 0.f)
                --balance;
        }
    }
    partial[threadIdx.x] = balance;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        const float t = (float)partial[0] / (0.5f * (float)samples * (float)(samples - 1));
        tau[first * variables + second] = t;
        tau[second * variables + first] = t;
    }
}

__device__ __forceinline__ double next_uniform_of_46_bits(uint64_t &state, uint64_t multiplier)
{
    state = state * multiplier & ((1ull << 46) - 1);
    return (double)state * 1.4210854715202004e-14;
}

/* kmutate launch
   int threads = 65536, pairs = 192;
   dim3 grid = { threads / 128 }, block = { 128 };
   unsigned long long counts[10] = zeros();
   double sums[2] = zeros();
   gaussian_pairs_by_rejection_counted_in_square_rings(counts, sums, 271828183ull, pairs);
*/
__global__ void gaussian_pairs_by_rejection_counted_in_square_rings(unsigned long long *__restrict__ counts,
                                                                    double *__restrict__ sums,
                                                                    unsigned long long seed, int pairs)
{
    __shared__ unsigned int rings[10];
    __shared__ double sum_x[128], sum_y[128];
    if (threadIdx.x < 10) rings[threadIdx.x] = 0;
    __syncthreads();
    const uint64_t multiplier = 1220703125ull, mask = (1ull << 46) - 1;
    uint64_t state = seed, power = multiplier;
    // Skip ahead to this thread's part of the sequence.
    for (uint64_t skip = 2ull * pairs * (blockIdx.x * blockDim.x + threadIdx.x); skip; skip >>= 1) {
        if (skip & 1) state = state * power & mask;
        power = power * power & mask;
    }
    double sx = 0.0, sy = 0.0;
    for (int i = 0; i < pairs; ++i) {
        const double x = 2.0 * next_uniform_of_46_bits(state, multiplier) - 1.0;
        const double y = 2.0 * next_uniform_of_46_bits(state, multiplier) - 1.0;
        const double t = x * x + y * y;
        if (t > 1.0 || t == 0.0) continue;
        const double factor = sqrt(-2.0 * log(t) / t);
        const double gx = x * factor, gy = y * factor;
        atomicAdd(&rings[min((int)fmax(fabs(gx), fabs(gy)), 9)], 1u);
        sx += gx;
        sy += gy;
    }
    sum_x[threadIdx.x] = sx;
    sum_y[threadIdx.x] = sy;
    __syncthreads();
    for (int half = 64; half > 0; half >>= 1) {
        if (threadIdx.x < half) {
            sum_x[threadIdx.x] += sum_x[threadIdx.x + half];
            sum_y[threadIdx.x] += sum_y[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x < 10) atomicAdd(&counts[threadIdx.x], (unsigned long long)rings[threadIdx.x]);
    if (threadIdx.x == 0) {
        atomicAdd(&sums[0], sum_x[0]);
        atomicAdd(&sums[1], sum_y[0]);
    }
}

/* kmutate launch
   int streams = 262144;
   dim3 grid = { streams / 128 }, block = { 128 };
   unsigned bits[8 * streams] = randint(0, 4294967295);
   int complexity[streams] = zeros();
   linear_complexity_of_bit_streams_berlekamp_massey(bits, complexity, streams);
*/
__global__ void linear_complexity_of_bit_streams_berlekamp_massey(const unsigned int *__restrict__ bits,
                                                                  int *__restrict__ complexity, int streams)
{
    const int stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams) return;
    // Bit i of c and b is the coefficient of x^i, bit i of past is the i-th last bit of the stream.
    uint64_t c[4] = { 1 }, b[4] = { 1 }, past[4] = {};
    int length = 0;
    for (int word = 0; word < 8; ++word) {
        unsigned int input = bits[(size_t)word * streams + stream];
        for (int k = 0; k < 32; ++k, input >>= 1) {
            const int n = 32 * word + k;
#pragma unroll
            for (int w = 3; w > 0; --w) {
                past[w] = past[w] << 1 | past[w - 1] >> 63;
                b[w] = b[w] << 1 | b[w - 1] >> 63;
            }
            past[0] = past[0] << 1 | (input & 1);
            b[0] <<= 1;
            const uint64_t agree = (c[0] & past[0]) ^ (c[1] & past[1]) ^ (c[2] & past[2]) ^ (c[3] & past[3]);
            if (__popcll(agree) & 1) {
                const bool grow = 2 * length <= n;
#pragma unroll
                for (int w = 0; w < 4; ++w) {
                    const uint64_t old = c[w];
                    c[w] ^= b[w];
                    if (grow) b[w] = old;
                }
                if (grow) length = n + 1 - length;
            }
        }
    }
    complexity[stream] = length;
}

/* kmutate launch
   int poses = 32768, ligand_atoms = 16, protein_atoms = 384;
   dim3 grid = { poses / 64 }, block = { 64 };
   float4 protein[protein_atoms] = uniform(0, 15.99);
   float4 ligand[ligand_atoms] = uniform(0, 15.99);
   float4 field[16] = uniform(-1, 1);
   float pose[6 * poses] = uniform(0, 6.28);
   float energy[poses] = zeros();
   docking_energy_of_rigid_ligand_poses(protein, ligand, field, pose, energy, poses, ligand_atoms, protein_atoms);
*/
__global__ void docking_energy_of_rigid_ligand_poses(const float4 *__restrict__ protein,
                                                     const float4 *__restrict__ ligand,
                                                     const float4 *__restrict__ field, const float *__restrict__ pose,
                                                     float *__restrict__ energy, int poses, int ligand_atoms,
                                                     int protein_atoms)
{
    // Of an atom type: radius, hydrophobicity, charge, hardness.
    __shared__ float4 types[16];
    if (threadIdx.x < 16) types[threadIdx.x] = field[threadIdx.x];
    __syncthreads();
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= poses) return;
    float sa, ca, sb, cb, sc, cc;
    sincosf(pose[p], &sa, &ca);
    sincosf(pose[poses + p], &sb, &cb);
    sincosf(pose[2 * poses + p], &sc, &cc);
    const float tx = pose[3 * poses + p], ty = pose[4 * poses + p], tz = pose[5 * poses + p];
    float total = 0.f;
    for (int l = 0; l < ligand_atoms; ++l) {
        const float4 atom = ligand[l];
        const float4 kind = types[(int)atom.w];
        const float x = cb * cc * atom.x + (sa * sb * cc - ca * sc) * atom.y + (ca * sb * cc + sa * sc) * atom.z + tx;
        const float y = cb * sc * atom.x + (sa * sb * sc + ca * cc) * atom.y + (ca * sb * sc - sa * cc) * atom.z + ty;
        const float z = -sb * atom.x + sa * cb * atom.y + ca * cb * atom.z + tz;
        float sum = 0.f;
        for (int a = 0; a < protein_atoms; ++a) {
            const float4 other = protein[a];
            const float4 type = types[(int)other.w];
            const float dx = x - other.x, dy = y - other.y, dz = z - other.z;
            const float r = sqrtf(dx * dx + dy * dy + dz * dz);
            const float gap = r - (3.f + kind.x + type.x);
            const float steric = gap < 0.f ? -gap * (kind.w * kind.w + type.w * type.w) : 0.f;
            const float electric = kind.z * type.z * fmaxf(0.f, 1.f - 0.125f * r);
            const float desolvation = (kind.y + type.y) * __saturatef(1.f - 0.4f * gap);
            sum += 2.f * steric + 22.f * electric + desolvation;
        }
        total += sum;
    }
    energy[p] = 0.5f * total;
}

struct ResonancePole {
    double2 energy, total, absorption, fission;
};

/* kmutate launch
   struct ResonancePole { double2 energy, total, absorption, fission; };
   int lookups = 150000, nuclides = 64, windows = 128, materials = 12, longest = 32;
   dim3 grid = { (lookups + 127) / 128 }, block = { 128 };
   double energy[lookups] = uniform(0.001, 1);
   int material[lookups] = randint(0, materials);
   int members[materials] = randint(4, longest);
   int member[materials * longest] = randint(0, nuclides);
   double density[materials * longest] = uniform(0, 1);
   int poles_in_window[nuclides * windows] = randint(1, 5);
   struct ResonancePole poles[nuclides * windows * 4] = uniform(0.01, 1);
   double4 background[nuclides * windows] = uniform(0, 1);
   double phase_radius[nuclides] = uniform(0.2, 2);
   double4 sections[lookups] = zeros();
   windowed_multipole_cross_sections_of_materials(energy, material, members, member, density, poles_in_window, poles,
                                                  background, phase_radius, sections, lookups, windows, longest);
*/
__global__ void windowed_multipole_cross_sections_of_materials(
    const double *__restrict__ energy, const int *__restrict__ material, const int *__restrict__ members,
    const int *__restrict__ member, const double *__restrict__ density, const int *__restrict__ poles_in_window,
    const ResonancePole *__restrict__ poles, const double4 *__restrict__ background,
    const double *__restrict__ phase_radius, double4 *__restrict__ sections, int lookups, int windows, int longest)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lookups) return;
    const double e = energy[i], root = sqrt(e);
    const int window = min((int)(root * windows), windows - 1);
    const int mat = material[i];
    double total = 0.0, absorption = 0.0, fission = 0.0;
    for (int k = 0; k < members[mat]; ++k) {
        const int nuclide = member[mat * longest + k];
        const double amount = density[mat * longest + k];
        const int at = nuclide * windows + window;
        double phase_sin, phase_cos;
        sincos(-2.0 * phase_radius[nuclide] * root, &phase_sin, &phase_cos);
        const double4 smooth = background[at];
        double t = smooth.x * e, a = smooth.y * e, f = smooth.z * e;
        for (int p = 0; p < poles_in_window[at]; ++p) {
            const ResonancePole &pole = poles[4 * at + p];
            // psi = i / (pole - sqrt(E)) / E
            const double re = pole.energy.x - root, im = pole.energy.y;
            const double scale = 1.0 / ((re * re + im * im) * e);
            const double psi_re = im * scale, psi_im = re * scale;
            const double turned_re = psi_re * phase_cos - psi_im * phase_sin;
            const double turned_im = psi_re * phase_sin + psi_im * phase_cos;
            t += pole.total.x * turned_re - pole.total.y * turned_im;
            a += pole.absorption.x * psi_re - pole.absorption.y * psi_im;
            f += pole.fission.x * psi_re - pole.fission.y * psi_im;
        }
        total += amount * t;
        absorption += amount * a;
        fission += amount * f;
    }
    sections[i] = make_double4(total, absorption, fission, total - absorption);
}

/* kmutate launch
   int width = 2048, height = 2048;
   dim3 grid = { width / 32, height / 8 }, block = { 32, 8 };
   float flow[width * height] = uniform(0, 1), edges[width * height] = uniform(0, 1);
   float next[width * height] = zeros();
   gradient_vector_flow_with_arctangent_switches(flow, edges, next, width, height, 0.3f, 0.9f, 0.5f, 0.125f, 64.f);
*/
__global__ void gradient_vector_flow_with_arctangent_switches(const float *__restrict__ flow,
                                                              const float *__restrict__ edges,
                                                              float *__restrict__ next, int width, int height,
                                                              float direction_x, float direction_y, float smoothing,
                                                              float rate, float sharpness)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float here = flow[(size_t)y * width + x];
    float spread = 0.f;
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0) continue;
            const int xn = min(max(x + dx, 0), width - 1), yn = min(max(y + dy, 0), height - 1);
            const float rise = flow[(size_t)yn * width + xn] - here;
            const float along = rise * (dx * direction_x + dy * direction_y);
            spread += rise * (0.5f + 0.318309886f * atanf(sharpness * along));
        }
    }
    const float force = edges[(size_t)y * width + x];
    next[(size_t)y * width + x] = here + rate * (smoothing * spread - force * (here - force));
}

/* kmutate launch
   int points = 3000000;
   dim3 grid = { (points + 255) / 256 }, block = { 256 };
   half point[16 * points] = uniform(-2, 2);
   half centre[16 * 64] = uniform(-2, 2);
   unsigned char label[points] = randint(0, 64);
   int changed[1] = zeros();
   assign_sixteen_half_features_to_64_centres((uint4 *)point, (uint4 *)centre, label, changed, points);
*/
__global__ void assign_sixteen_half_features_to_64_centres(const uint4 *__restrict__ point,
                                                           const uint4 *__restrict__ centre,
                                                           unsigned char *__restrict__ label,
                                                           int *__restrict__ changed, int points)
{
    __shared__ uint4 centres[128];
    if (threadIdx.x < 128) centres[threadIdx.x] = centre[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int differs = 0;
    if (i < points) {
        const uint4 lower = point[2 * (size_t)i], upper = point[2 * (size_t)i + 1];
        const unsigned int words[8] = { lower.x, lower.y, lower.z, lower.w, upper.x, upper.y, upper.z, upper.w };
        half2 mine[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) mine[k] = *reinterpret_cast<const half2 *>(&words[k]);
        float least = 1e30f;
        int best = 0;
        for (int c = 0; c < 64; ++c) {
            const uint4 a = centres[2 * c], b = centres[2 * c + 1];
            const unsigned int other[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
            half2 sum = __float2half2_rn(0.f);
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                const half2 d = __hsub2(mine[k], *reinterpret_cast<const half2 *>(&other[k]));
                sum = __hfma2(d, d, sum);
            }
            const float distance = __low2float(sum) + __high2float(sum);
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        differs = label[i] != best;
        label[i] = (unsigned char)best;
    }
    const int count = __syncthreads_count(differs);
    if (threadIdx.x == 0) atomicAdd(changed, count);
}

/* kmutate launch
   int width = 1944, height = 1944, steps = 4;
   int inner = 32 - 2 * steps;
   dim3 grid = { (width + inner - 1) / inner, (height + inner - 1) / inner }, block = { 32, 32 };
   float voltage[width * height] = uniform(-1, 1), recovery[width * height] = uniform(-0.5, 0.5);
   float new_voltage[width * height] = zeros(), new_recovery[width * height] = zeros();
   fitzhugh_nagumo_steps_in_shrinking_shared_tile(voltage, recovery, new_voltage, new_recovery, width, height, steps,
                                                  0.05f, 0.8f);
*/
__global__ void __launch_bounds__(1024)
    fitzhugh_nagumo_steps_in_shrinking_shared_tile(const float *__restrict__ voltage,
                                                   const float *__restrict__ recovery,
                                                   float *__restrict__ new_voltage, float *__restrict__ new_recovery,
                                                   int width, int height, int steps, float dt, float diffusion)
{
    __shared__ float tile[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int inner = 32 - 2 * steps;
    const int x = blockIdx.x * inner + tx - steps, y = blockIdx.y * inner + ty - steps;
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    float v = 0.f, w = 0.f;
    if (inside) {
        v = voltage[(size_t)y * width + x];
        w = recovery[(size_t)y * width + x];
    }
    for (int s = 1; s <= steps; ++s) {
        tile[ty][tx] = v;
        __syncthreads();
        if (inside && tx >= s && tx < 32 - s && ty >= s && ty < 32 - s) {
            const float north = y > 0 ? tile[ty - 1][tx] : v;
            const float south = y < height - 1 ? tile[ty + 1][tx] : v;
            const float west = x > 0 ? tile[ty][tx - 1] : v;
            const float east = x < width - 1 ? tile[ty][tx + 1] : v;
            const float laplacian = north + south + west + east - 4.f * v;
            const float dv = v - v * v * v * (1.f / 3.f) - w + 0.5f + diffusion * laplacian;
            const float dw = 0.08f * (v + 0.7f - 0.8f * w);
            v += dt * dv;
            w += dt * dw;
        }
        __syncthreads();
    }
    if (inside && tx >= steps && tx < 32 - steps && ty >= steps && ty < 32 - steps) {
        new_voltage[(size_t)y * width + x] = v;
        new_recovery[(size_t)y * width + x] = w;
    }
}

/* kmutate launch
   int tiles = 128, n = 128 * tiles;
   dim3 grid = { tiles }, block = { 128 };
   unsigned char query[n] = randint(0, 24), subject[n] = randint(0, 24);
   signed char score[24 * 24] = randint(-4, 8);
   int row_h[n] = randint(-300, 300), row_f[n] = randint(-400, -300);
   int column_h[n] = randint(-300, 300), column_e[n] = randint(-400, -300);
   int corner[tiles] = randint(-300, 300);
   int next_corner[tiles] = zeros();
   unsigned char direction[n * n] = zeros();
   gotoh_directions_of_tiles_on_the_main_antidiagonal(query, subject, score, row_h, row_f, column_h, column_e, corner,
                                                      next_corner, direction, tiles, 11, 2);
*/
__global__ void gotoh_directions_of_tiles_on_the_main_antidiagonal(
    const unsigned char *__restrict__ query, const unsigned char *__restrict__ subject,
    const signed char *__restrict__ score, int *__restrict__ row_h, int *__restrict__ row_f,
    int *__restrict__ column_h, int *__restrict__ column_e, const int *__restrict__ corner,
    int *__restrict__ next_corner, unsigned char *__restrict__ direction, int tiles, int open, int extend)
{
    __shared__ signed char table[24 * 24];
    __shared__ unsigned char letters[128];
    __shared__ unsigned char traced[128][128];
    __shared__ int left_h[128], left_e[128];
    __shared__ int line_h[2][128], line_e[2][128];
    const int t = threadIdx.x;
    const int i0 = blockIdx.x * 128, j0 = (tiles - 1 - blockIdx.x) * 128;
    for (int k = t; k < 24 * 24; k += 128) table[k] = score[k];
    letters[t] = query[i0 + t];
    left_h[t] = column_h[i0 + t];
    left_e[t] = column_e[i0 + t];
    const int letter = subject[j0 + t];
    int up_h = row_h[j0 + t], up_f = row_f[j0 + t];
    int diagonal = t > 0 ? row_h[j0 + t - 1] : corner[blockIdx.x];
    __syncthreads();
    // Thread t walks down column t, one row behind the thread to its left.
    for (int step = 0; step < 255; ++step) {
        const int i = step - t;
        if (i >= 0 && i < 128) {
            const int before = (step + 1) & 1;
            const int west_h = t > 0 ? line_h[before][t - 1] : left_h[i];
            const int west_e = t > 0 ? line_e[before][t - 1] : left_e[i];
            const int e = max(west_e, west_h - open) - extend;
            const int f = max(up_f, up_h - open) - extend;
            const int match = diagonal + table[letters[i] * 24 + letter];
            const int h = max(match, max(e, f));
            traced[i][t] = (unsigned char)((h == match ? 0 : h == e ? 1 : 2) | (west_e > west_h - open ? 4 : 0) |
                                           (up_f > up_h - open ? 8 : 0));
            line_h[step & 1][t] = h;
            line_e[step & 1][t] = e;
            if (t == 127) {
                column_h[i0 + i] = h;
                column_e[i0 + i] = e;
            }
            diagonal = west_h;
            up_h = h;
            up_f = f;
        }
        __syncthreads();
    }
    row_h[j0 + t] = up_h;
    row_f[j0 + t] = up_f;
    if (t == 127) next_corner[blockIdx.x] = up_h;
    for (int i = 0; i < 128; ++i) direction[(size_t)(i0 + i) * (tiles * 128) + j0 + t] = traced[i][t];
}

__device__ __forceinline__ int first_not_less_by_ballot(const unsigned int *__restrict__ keys, int n,
                                                        unsigned int wanted, int lane)
{
    int base = 0;
    for (int stride = n / 32; stride > 0; stride /= 32) {
        const bool less = keys[base + (lane + 1) * stride - 1] < wanted;
        const int parts = __popc(__ballot_sync(0xffffffffu, less));
        if (parts == 32) return n;
        base += parts * stride;
    }
    return base;
}

/* kmutate launch
   int n = 1 << 25, queries = 131072;
   dim3 grid = { queries / 8 }, block = { 256 };
   unsigned keys[n] = ascending(0, 1u << 31);
   float payload[n] = uniform(0, 1);
   unsigned from[queries] = randint(0, 2147000000), extent[queries] = randint(0, 8192);
   int count[queries] = zeros();
   float sum[queries] = zeros();
   range_sums_between_keys_found_by_warp_ballots(keys, payload, from, extent, count, sum, n, queries);
*/
__global__ void range_sums_between_keys_found_by_warp_ballots(const unsigned int *__restrict__ keys,
                                                              const float *__restrict__ payload,
                                                              const unsigned int *__restrict__ from,
                                                              const unsigned int *__restrict__ extent,
                                                              int *__restrict__ count, float *__restrict__ sum,
                                                              int n, int queries)
{
    const int query = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (query >= queries) return;
    const unsigned int low = from[query], high = low + extent[query];
    const int begin = first_not_less_by_ballot(keys, n, low, lane);
    const int end = first_not_less_by_ballot(keys, n, high, lane);
    float total = 0.f;
    for (int i = begin + lane; i < end; i += 32) total += payload[i];
    for (int step = 16; step > 0; step /= 2) total += __shfl_down_sync(0xffffffffu, total, step);
    if (lane == 0) {
        count[query] = end - begin;
        sum[query] = total;
    }
}

/* kmutate launch
   int width = 3000, height = 2000;
   dim3 grid = { (width + 31) / 32, (height + 7) / 8 }, block = { 32, 8 };
   unsigned char image[width * height] = randint(0, 256);
   float entropy[width * height] = zeros();
   local_entropy_of_five_by_five_windows_in_sixteen_levels(image, entropy, width, height);
*/
__global__ void local_entropy_of_five_by_five_windows_in_sixteen_levels(const unsigned char *__restrict__ image,
                                                                        float *__restrict__ entropy, int width,
                                                                        int height)
{
    __shared__ int counts[16][256];
    __shared__ float terms[26];
    const int t = threadIdx.y * 32 + threadIdx.x;
    if (t < 26) terms[t] = t == 0 ? 0.f : (float)t * log2f((float)t);
#pragma unroll
    for (int level = 0; level < 16; ++level) counts[level][t] = 0;
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    int pixels = 0;
    for (int yn = max(y - 2, 0); yn <= min(y + 2, height - 1); ++yn) {
        for (int xn = max(x - 2, 0); xn <= min(x + 2, width - 1); ++xn) {
            ++counts[image[(size_t)yn * width + xn] >> 4][t];
            ++pixels;
        }
    }
    float sum = 0.f;
#pragma unroll
    for (int level = 0; level < 16; ++level) sum += terms[counts[level][t]];
    const float all = (float)pixels;
    entropy[(size_t)y * width + x] = log2f(all) - sum / all;
}

/* kmutate launch
   int mazes = 1056;
   dim3 grid = { mazes }, block = { 256 };
   unsigned char open[mazes * 64 * 64] = randint(0, 4);
   short distance[mazes * 64 * 64] = zeros();
   int longest[mazes] = zeros();
   maze_distances_by_wave_expansion_block_for_each_maze(open, distance, longest);
*/
__global__ void maze_distances_by_wave_expansion_block_for_each_maze(const unsigned char *__restrict__ open,
                                                                     short *__restrict__ distance,
                                                                     int *__restrict__ longest)
{
    __shared__ unsigned char wave[2][66 * 68];
    const int t = threadIdx.x;
    const int column = t & 63, top = t >> 6;
    const size_t maze = (size_t)blockIdx.x * 4096;
    for (int k = t; k < 66 * 68; k += 256) {
        wave[0][k] = 0;
        wave[1][k] = 0;
    }
    __syncthreads();
    // -1 is a cell that no wave has reached, -2 a wall.
    short reached[16];
#pragma unroll
    for (int r = 0; r < 16; ++r) {
        const int row = 4 * r + top;
        reached[r] = open[maze + row * 64 + column] ? -1 : -2;
        if (row == 0 && column == 0) {
            reached[r] = 0;
            wave[0][68 + 1] = 1;
        }
    }
    __syncthreads();
    int level = 0, moving = 1;
    while (moving && level < 4096) {
        const unsigned char *now = wave[level & 1];
        unsigned char *then = wave[~level & 1];
        ++level;
        int fresh = 0;
#pragma unroll
        for (int r = 0; r < 16; ++r) {
            const int at = (4 * r + top + 1) * 68 + column + 1;
            unsigned char arrives = 0;
            if (reached[r] == -1) arrives = now[at - 1] | now[at + 1] | now[at - 68] | now[at + 68];
            then[at] = arrives;
            if (arrives) {
                reached[r] = (short)level;
                fresh = 1;
            }
        }
        moving = __syncthreads_or(fresh);
    }
#pragma unroll
    for (int r = 0; r < 16; ++r) distance[maze + (4 * r + top) * 64 + column] = reached[r];
    if (t == 0) longest[blockIdx.x] = level - 1;
}
