#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define FULL_MASK 0xffffffffu

__device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_xor_sync(FULL_MASK, v, offset);
    return v;
}

__device__ __forceinline__ float warp_max(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v = fmaxf(v, __shfl_xor_sync(FULL_MASK, v, offset));
    return v;
}

// ---------------------------------------------------------------------------
// Classic GPU computing
// ---------------------------------------------------------------------------

/* kmutate launch
   int n = 1 << 22;
   dim3 block = { 512 };
   dim3 grid = { n / 2 / 512 };
   uint64_t keys[n] = randint(0, 1LL << 62);
   bitonic_sort_global_merge_step_uint64(keys, n, 1 << 15, 1 << 10);
*/
__global__ void bitonic_sort_global_merge_step_uint64(uint64_t *keys, int n, int stage_size, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * t - (t & (stride - 1));
    int high = low + stride;
    if (high >= n)
        return;

    uint64_t a = keys[low];
    uint64_t b = keys[high];
    bool ascending = (low & stage_size) == 0;
    if ((a > b) == ascending) {
        keys[low] = b;
        keys[high] = a;
    }
}

/* kmutate launch
   int n = 1 << 23;
   dim3 block = { 1024 };
   dim3 grid = { n / 4096 };
   int4 in[n / 4] = randint(0, 16);
   int4 out[n / 4];
   int block_totals[grid.x];
   inclusive_scan_int4_per_block_with_totals(in, out, block_totals, n / 4);
*/
__global__ void inclusive_scan_int4_per_block_with_totals(const int4 *__restrict__ in, int4 *__restrict__ out,
                                                          int *__restrict__ block_totals, int n4)
{
    __shared__ int warp_totals[32];

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;

    int4 v = i < n4 ? in[i] : make_int4(0, 0, 0, 0);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;

    int running = v.w;
    for (int offset = 1; offset < 32; offset <<= 1) {
        int other = __shfl_up_sync(FULL_MASK, running, offset);
        if (lane >= offset)
            running += other;
    }
    if (lane == 31)
        warp_totals[warp] = running;
    __syncthreads();

    if (warp == 0) {
        int total = warp_totals[lane];
        for (int offset = 1; offset < 32; offset <<= 1) {
            int other = __shfl_up_sync(FULL_MASK, total, offset);
            if (lane >= offset)
                total += other;
        }
        warp_totals[lane] = total;
    }
    __syncthreads();

    int prefix = running - v.w;
    if (warp > 0)
        prefix += warp_totals[warp - 1];
    v.x += prefix;
    v.y += prefix;
    v.z += prefix;
    v.w += prefix;
    if (i < n4)
        out[i] = v;
    if (threadIdx.x == blockDim.x - 1)
        block_totals[blockIdx.x] = v.w;
}

#define LOCAL_QUEUE_CAPACITY 2048

/* kmutate launch
   int vertices = 1 << 20, lo = 4, hi = 20, frontier_size = 1 << 18;
   int edges = csr_nnz(vertices, lo, hi);
   dim3 block = { 256 };
   dim3 grid = { frontier_size / 256 };
   int row_start[vertices + 1] = csr_rowptr(vertices, lo, hi);
   int neighbours[edges] = csr_colidx(vertices);
   int frontier[vertices] = permutation();
   int level[vertices] = fill(-1);
   int next_frontier[vertices];
   int next_size[1];
   breadth_first_search_expand_frontier_csr(row_start, neighbours, frontier, frontier_size, level, 3, next_frontier,
                                            next_size);
*/
__global__ void breadth_first_search_expand_frontier_csr(const int *__restrict__ row_start,
                                                         const int *__restrict__ neighbours,
                                                         const int *__restrict__ frontier, int frontier_size,
                                                         int *level, int depth, int *next_frontier, int *next_size)
{
    __shared__ int queue[LOCAL_QUEUE_CAPACITY];
    __shared__ int queue_size;
    __shared__ int queue_base;

    if (threadIdx.x == 0)
        queue_size = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < frontier_size) {
        int u = frontier[i];
        int end = row_start[u + 1];
        for (int e = row_start[u]; e < end; ++e) {
            int v = neighbours[e];
            if (atomicCAS(&level[v], -1, depth) == -1) {
                int slot = atomicAdd(&queue_size, 1);
                if (slot < LOCAL_QUEUE_CAPACITY)
                    queue[slot] = v;
                else
                    next_frontier[atomicAdd(next_size, 1)] = v;
            }
        }
    }
    __syncthreads();

    int count = min(queue_size, LOCAL_QUEUE_CAPACITY);
    if (threadIdx.x == 0)
        queue_base = atomicAdd(next_size, count);
    __syncthreads();

    for (int k = threadIdx.x; k < count; k += blockDim.x)
        next_frontier[queue_base + k] = queue[k];
}

/* kmutate launch
   int pairs = 32768, target_length = 256;
   dim3 block = { 32, 4 };
   dim3 grid = { (pairs + 3) / 4 };
   char queries[pairs * 32] = randint(0, 4);
   char targets[pairs * target_length] = randint(0, 4);
   int scores[pairs];
   smith_waterman_affine_gap_warp_per_pair(queries, targets, scores, pairs, target_length, 5, -4, 8, 1);
*/
__global__ void smith_waterman_affine_gap_warp_per_pair(const char *__restrict__ queries,
                                                        const char *__restrict__ targets, int *__restrict__ scores,
                                                        int pairs, int target_length, int match, int mismatch,
                                                        int gap_open, int gap_extend)
{
    int lane = threadIdx.x;
    int pair = blockIdx.x * blockDim.y + threadIdx.y;
    if (pair >= pairs)
        return;

    char base = queries[pair * 32 + lane];
    const char *target = targets + (size_t)pair * target_length;

    int h = 0, e = 0, f = 0, diagonal = 0, best = 0;
    for (int step = 0; step < target_length + 31; ++step) {
        int h_up = __shfl_up_sync(FULL_MASK, h, 1);
        int f_up = __shfl_up_sync(FULL_MASK, f, 1);
        if (lane == 0) {
            h_up = 0;
            f_up = 0;
        }
        int column = step - lane;
        if (column >= 0 && column < target_length) {
            int substitution = target[column] == base ? match : mismatch;
            e = max(e - gap_extend, h - gap_open);
            f = max(f_up - gap_extend, h_up - gap_open);
            h = max(max(diagonal + substitution, 0), max(e, f));
            diagonal = h_up;
            best = max(best, h);
        }
    }

    for (int offset = 16; offset > 0; offset >>= 1)
        best = max(best, __shfl_xor_sync(FULL_MASK, best, offset));
    if (lane == 0)
        scores[pair] = best;
}

#define WAVE_RADIUS 4
#define WAVE_TILE_X 32
#define WAVE_TILE_Y 8

__constant__ float wave_coefficients[WAVE_RADIUS + 1];

/* kmutate launch
   int nx = 320, ny = 320, nz = 96, slab = 24;
   size_t points = (size_t)(nx + 8) * (ny + 8) * (nz + 8);
   dim3 block = { 32, 8 };
   dim3 grid = { nx / 32, ny / 8, nz / slab };
   extern float wave_coefficients[5] = { -2.847222f, 1.6f, -0.2f, 0.025396825f, -0.001785714f };
   float current[points] = uniform(-1, 1);
   float previous[points] = uniform(-1, 1);
   float velocity[points] = uniform(0.01, 0.1);
   acoustic_wave_3d_eighth_order_time_step(current, previous, velocity, nx, ny, slab);
*/
__global__ void acoustic_wave_3d_eighth_order_time_step(const float *__restrict__ current, float *previous,
                                                        const float *__restrict__ velocity, int nx, int ny, int slab)
{
    __shared__ float tile[WAVE_TILE_Y + 2 * WAVE_RADIUS][WAVE_TILE_X + 2 * WAVE_RADIUS];

    int pitch = nx + 2 * WAVE_RADIUS;
    int plane = pitch * (ny + 2 * WAVE_RADIUS);
    int tx = threadIdx.x + WAVE_RADIUS;
    int ty = threadIdx.y + WAVE_RADIUS;
    int x = blockIdx.x * WAVE_TILE_X + tx;
    int y = blockIdx.y * WAVE_TILE_Y + ty;
    int index = blockIdx.z * slab * plane + y * pitch + x;

    float column[2 * WAVE_RADIUS + 1];
#pragma unroll
    for (int k = 0; k < 2 * WAVE_RADIUS; ++k)
        column[k + 1] = current[index + k * plane];
    index += WAVE_RADIUS * plane;

    for (int z = 0; z < slab; ++z) {
#pragma unroll
        for (int k = 0; k < 2 * WAVE_RADIUS; ++k)
            column[k] = column[k + 1];
        column[2 * WAVE_RADIUS] = current[index + WAVE_RADIUS * plane];

        __syncthreads();
        tile[ty][tx] = column[WAVE_RADIUS];
        if (threadIdx.x < WAVE_RADIUS) {
            tile[ty][threadIdx.x] = current[index - WAVE_RADIUS];
            tile[ty][tx + WAVE_TILE_X] = current[index + WAVE_TILE_X];
        }
        if (threadIdx.y < WAVE_RADIUS) {
            tile[threadIdx.y][tx] = current[index - WAVE_RADIUS * pitch];
            tile[ty + WAVE_TILE_Y][tx] = current[index + WAVE_TILE_Y * pitch];
        }
        __syncthreads();

        float laplacian = 3.0f * wave_coefficients[0] * column[WAVE_RADIUS];
#pragma unroll
        for (int r = 1; r <= WAVE_RADIUS; ++r) {
            laplacian += wave_coefficients[r] *
                         (tile[ty][tx - r] + tile[ty][tx + r] + tile[ty - r][tx] + tile[ty + r][tx] +
                          column[WAVE_RADIUS - r] + column[WAVE_RADIUS + r]);
        }
        previous[index] = 2.0f * column[WAVE_RADIUS] - previous[index] + velocity[index] * laplacian;
        index += plane;
    }
}

__device__ __forceinline__ uint32_t xorshift128_next(uint4 &s)
{
    uint32_t t = s.x ^ (s.x << 11);
    s.x = s.y;
    s.y = s.z;
    s.z = s.w;
    s.w = s.w ^ (s.w >> 19) ^ t ^ (t >> 8);
    return s.w;
}

/* kmutate launch
   int paths = 1 << 19;
   dim3 block = { 128 };
   dim3 grid = { paths / 128 };
   uint4 states[paths] = randint(1, 4294967295);
   double payoff_sums[grid.x];
   monte_carlo_asian_option_arithmetic_average(states, payoff_sums, paths, 64, 100.0f, 102.0f, 0.0001f, 0.025f);
*/
__global__ void monte_carlo_asian_option_arithmetic_average(uint4 *states, double *__restrict__ payoff_sums, int paths,
                                                            int steps, float spot, float strike, float drift,
                                                            float volatility)
{
    __shared__ double warp_sums[4];

    int path = blockIdx.x * blockDim.x + threadIdx.x;
    double payoff = 0.0;
    if (path < paths) {
        uint4 state = states[path];
        float price = spot;
        float sum = 0.0f;
        for (int step = 0; step < steps; step += 2) {
            float u1 = (xorshift128_next(state) + 1.0f) * 2.3283064e-10f;
            float u2 = xorshift128_next(state) * 2.3283064e-10f;
            float radius = sqrtf(-2.0f * __logf(fminf(u1, 1.0f)));
            float sine, cosine;
            __sincosf(6.2831853f * u2, &sine, &cosine);
            price *= __expf(drift + volatility * radius * cosine);
            sum += price;
            price *= __expf(drift + volatility * radius * sine);
            sum += price;
        }
        payoff = fmaxf(sum / steps - strike, 0.0f);
        states[path] = state;
    }

    for (int offset = 16; offset > 0; offset >>= 1)
        payoff += __shfl_down_sync(FULL_MASK, payoff, offset);
    if ((threadIdx.x & 31) == 0)
        warp_sums[threadIdx.x >> 5] = payoff;
    __syncthreads();
    if (threadIdx.x == 0)
        payoff_sums[blockIdx.x] = warp_sums[0] + warp_sums[1] + warp_sums[2] + warp_sums[3];
}

__device__ __forceinline__ float2 complex_multiply(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* kmutate launch
   int batch = 1024, n = 4096;
   dim3 block = { 64 };
   dim3 grid = { n / 4 / 64, batch };
   float2 in[batch * n] = uniform(-1, 1);
   float2 out[batch * n];
   fast_fourier_transform_stockham_radix4_pass(in, out, n, 16);
*/
__global__ void fast_fourier_transform_stockham_radix4_pass(const float2 *__restrict__ in, float2 *__restrict__ out,
                                                            int n, int p)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int quarter = n / 4;
    if (j >= quarter)
        return;

    const float2 *x = in + (size_t)blockIdx.y * n;
    float2 *y = out + (size_t)blockIdx.y * n;
    int k = j & (p - 1);

    float angle = -6.2831853f * k / (4 * p);
    float2 w1, w2, w3;
    sincosf(angle, &w1.y, &w1.x);
    w2 = complex_multiply(w1, w1);
    w3 = complex_multiply(w2, w1);

    float2 a0 = x[j];
    float2 a1 = complex_multiply(x[j + quarter], w1);
    float2 a2 = complex_multiply(x[j + 2 * quarter], w2);
    float2 a3 = complex_multiply(x[j + 3 * quarter], w3);

    float2 b0 = make_float2(a0.x + a2.x, a0.y + a2.y);
    float2 b1 = make_float2(a0.x - a2.x, a0.y - a2.y);
    float2 b2 = make_float2(a1.x + a3.x, a1.y + a3.y);
    float2 b3 = make_float2(a1.y - a3.y, a3.x - a1.x);

    int o = ((j - k) << 2) + k;
    y[o] = make_float2(b0.x + b2.x, b0.y + b2.y);
    y[o + p] = make_float2(b1.x + b3.x, b1.y + b3.y);
    y[o + 2 * p] = make_float2(b0.x - b2.x, b0.y - b2.y);
    y[o + 3 * p] = make_float2(b1.x - b3.x, b1.y - b3.y);
}

/* kmutate launch
   int rows = 200000, cols = 200000, lo = 8, hi = 40;
   int nnz = csr_nnz(rows, lo, hi);
   dim3 block = { 256 };
   dim3 grid = { (rows * 8 + 255) / 256 };
   int row_start[rows + 1] = csr_rowptr(rows, lo, hi);
   int columns[nnz] = csr_colidx(cols);
   double values[nnz] = uniform(-1, 1);
   double x[cols] = normal();
   double y[rows] = uniform(-1, 1);
   sparse_matrix_vector_product_csr_subwarp_double<8>(rows, row_start, columns, values, x, y, 1.5, 0.25);
*/
template <int LANES>
__global__ void sparse_matrix_vector_product_csr_subwarp_double(int rows, const int *__restrict__ row_start,
                                                                const int *__restrict__ columns,
                                                                const double *__restrict__ values,
                                                                const double *__restrict__ x, double *y, double alpha,
                                                                double beta)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / LANES;
    int lane = thread % LANES;

    double sum = 0.0;
    if (row < rows) {
        int end = row_start[row + 1];
        for (int i = row_start[row] + lane; i < end; i += LANES)
            sum += values[i] * x[columns[i]];
    }
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset >>= 1)
        sum += __shfl_down_sync(FULL_MASK, sum, offset, LANES);
    if (row < rows && lane == 0)
        y[row] = alpha * sum + beta * y[row];
}

#define LU_SIZE 16

/* kmutate launch
   int matrices = 16384;
   dim3 block = { 16, 16 };
   dim3 grid = { matrices };
   double a[matrices * 16 * 16] = uniform(-1, 1);
   double determinants[matrices];
   batched_lu_factorisation_16x16_double_in_shared(a, determinants, 17.0);
*/
__global__ void batched_lu_factorisation_16x16_double_in_shared(double *a, double *__restrict__ determinants,
                                                                double diagonal_shift)
{
    __shared__ double m[LU_SIZE][LU_SIZE + 1];

    int col = threadIdx.x;
    int row = threadIdx.y;
    size_t offset = (size_t)blockIdx.x * LU_SIZE * LU_SIZE + row * LU_SIZE + col;

    double element = a[offset];
    if (row == col)
        element += diagonal_shift;
    m[row][col] = element;
    __syncthreads();

    for (int k = 0; k < LU_SIZE - 1; ++k) {
        if (col == k && row > k)
            m[row][k] /= m[k][k];
        __syncthreads();
        if (row > k && col > k)
            m[row][col] -= m[row][k] * m[k][col];
        __syncthreads();
    }

    a[offset] = m[row][col];
    if (row == 0 && col == 0) {
        double determinant = 1.0;
        for (int k = 0; k < LU_SIZE; ++k)
            determinant *= m[k][k];
        determinants[blockIdx.x] = determinant;
    }
}

#define MAX_PATTERN_LENGTH 32

__constant__ unsigned char search_pattern[MAX_PATTERN_LENGTH];

/* kmutate launch
   int text_length = 1 << 25, chunk = 256, matches_capacity = 65536;
   dim3 block = { 128 };
   dim3 grid = { text_length / chunk / 128 };
   extern unsigned char search_pattern[32] = { 97, 99, 98, 97, 100, 99 };
   unsigned char text[text_length] = randint(97, 105);
   int match_count[1];
   int match_positions[matches_capacity];
   boyer_moore_horspool_search_chunk_per_thread(text, text_length, 6, chunk, match_count, match_positions,
                                                matches_capacity);
*/
__global__ void boyer_moore_horspool_search_chunk_per_thread(const unsigned char *__restrict__ text, int text_length,
                                                             int pattern_length, int chunk, int *match_count,
                                                             int *match_positions, int matches_capacity)
{
    __shared__ int shift[256];

    for (int c = threadIdx.x; c < 256; c += blockDim.x) {
        int distance = pattern_length;
        for (int i = 0; i < pattern_length - 1; ++i) {
            if (search_pattern[i] == c)
                distance = pattern_length - 1 - i;
        }
        shift[c] = distance;
    }
    __syncthreads();

    int position = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    int end = min(position + chunk, text_length - pattern_length + 1);
    while (position < end) {
        unsigned char last = text[position + pattern_length - 1];
        int i = pattern_length - 1;
        while (i >= 0 && text[position + i] == search_pattern[i])
            --i;
        if (i < 0) {
            int slot = atomicAdd(match_count, 1);
            if (slot < matches_capacity)
                match_positions[slot] = position;
        }
        position += shift[last];
    }
}

// ---------------------------------------------------------------------------
// Deep learning, quantised inference and training
// ---------------------------------------------------------------------------

/* kmutate launch
   int rows = 1024, vocabulary = 32000;
   dim3 block = { 1024 };
   dim3 grid = { rows };
   __nv_bfloat162 logits[rows * vocabulary / 2] = normal(0, 3);
   __nv_bfloat162 gradient[rows * vocabulary / 2];
   int labels[rows] = randint(0, vocabulary);
   float losses[rows];
   cross_entropy_loss_and_logit_gradient_bf16(logits, labels, gradient, losses, vocabulary, 1.0f / rows);
*/
__global__ void cross_entropy_loss_and_logit_gradient_bf16(const __nv_bfloat162 *__restrict__ logits,
                                                           const int *__restrict__ labels,
                                                           __nv_bfloat162 *__restrict__ gradient,
                                                           float *__restrict__ losses, int vocabulary, float scale)
{
    __shared__ float shared_max[32];
    __shared__ float shared_sum[32];

    int pairs = vocabulary / 2;
    const __nv_bfloat162 *row = logits + (size_t)blockIdx.x * pairs;
    __nv_bfloat162 *out = gradient + (size_t)blockIdx.x * pairs;
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;

    float running_max = -1e30f;
    float running_sum = 0.0f;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        float2 v = __bfloat1622float2(row[i]);
        float larger = fmaxf(v.x, v.y);
        if (larger > running_max) {
            running_sum *= __expf(running_max - larger);
            running_max = larger;
        }
        running_sum += __expf(v.x - running_max) + __expf(v.y - running_max);
    }

    float warp_maximum = warp_max(running_max);
    float warp_total = warp_sum(running_sum * __expf(running_max - warp_maximum));
    if (lane == 0) {
        shared_max[warp] = warp_maximum;
        shared_sum[warp] = warp_total;
    }
    __syncthreads();

    int warps = blockDim.x >> 5;
    float partial_max = lane < warps ? shared_max[lane] : -1e30f;
    float partial_sum = lane < warps ? shared_sum[lane] : 0.0f;
    float row_max = warp_max(partial_max);
    float row_sum = warp_sum(partial_sum * __expf(partial_max - row_max));

    int label = labels[blockIdx.x];
    float inverse = 1.0f / row_sum;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        float2 v = __bfloat1622float2(row[i]);
        float gx = __expf(v.x - row_max) * inverse;
        float gy = __expf(v.y - row_max) * inverse;
        if (label >> 1 == i) {
            float target_logit = v.x;
            if (label & 1) {
                gy -= 1.0f;
                target_logit = v.y;
            } else {
                gx -= 1.0f;
            }
            losses[blockIdx.x] = row_max + __logf(row_sum) - target_logit;
        }
        out[i] = __floats2bfloat162_rn(gx * scale, gy * scale);
    }
}

/* kmutate launch
   int rows = 4096, hidden = 4096;
   dim3 block = { 256 };
   dim3 grid = { rows };
   __nv_bfloat16 input[rows * hidden] = normal();
   __nv_bfloat16 residual[rows * hidden] = normal();
   __nv_bfloat16 weight[hidden] = uniform(0.5, 1.5);
   __nv_bfloat16 output[rows * hidden];
   root_mean_square_norm_with_residual_add_bf16<2>((uint4 *)input, (uint4 *)residual, (uint4 *)weight,
                                                   (uint4 *)output, hidden, 1e-5f);
*/
template <int VECTORS>
__global__ void root_mean_square_norm_with_residual_add_bf16(const uint4 *__restrict__ input, uint4 *residual,
                                                             const uint4 *__restrict__ weight,
                                                             uint4 *__restrict__ output, int hidden, float epsilon)
{
    __shared__ float warp_sums[8];

    size_t row_offset = (size_t)blockIdx.x * (hidden / 8);
    float values[VECTORS * 8];
    float square_sum = 0.0f;

#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
        int column = v * blockDim.x + threadIdx.x;
        uint4 packed_input = input[row_offset + column];
        uint4 packed_residual = residual[row_offset + column];
        const __nv_bfloat162 *a = reinterpret_cast<const __nv_bfloat162 *>(&packed_input);
        __nv_bfloat162 *b = reinterpret_cast<__nv_bfloat162 *>(&packed_residual);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 x = __bfloat1622float2(a[k]);
            float2 r = __bfloat1622float2(b[k]);
            x.x += r.x;
            x.y += r.y;
            values[v * 8 + 2 * k] = x.x;
            values[v * 8 + 2 * k + 1] = x.y;
            square_sum += x.x * x.x + x.y * x.y;
            b[k] = __floats2bfloat162_rn(x.x, x.y);
        }
        residual[row_offset + column] = packed_residual;
    }

    square_sum = warp_sum(square_sum);
    if ((threadIdx.x & 31) == 0)
        warp_sums[threadIdx.x >> 5] = square_sum;
    __syncthreads();
    float total = 0.0f;
#pragma unroll
    for (int w = 0; w < 8; ++w)
        total += warp_sums[w];
    float inverse_rms = rsqrtf(total / hidden + epsilon);

#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
        int column = v * blockDim.x + threadIdx.x;
        uint4 packed_weight = weight[column];
        const __nv_bfloat162 *w = reinterpret_cast<const __nv_bfloat162 *>(&packed_weight);
        uint4 packed_output;
        __nv_bfloat162 *o = reinterpret_cast<__nv_bfloat162 *>(&packed_output);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 g = __bfloat1622float2(w[k]);
            o[k] = __floats2bfloat162_rn(values[v * 8 + 2 * k] * inverse_rms * g.x,
                                         values[v * 8 + 2 * k + 1] * inverse_rms * g.y);
        }
        output[row_offset + column] = packed_output;
    }
}

/* kmutate launch
   int n = 1 << 22;
   dim3 block = { 256 };
   dim3 grid = { n / 4 / 256 };
   float4 parameters[n / 4] = normal(0, 0.02);
   float4 gradients[n / 4] = normal(0, 0.001);
   float4 first_moment[n / 4] = normal(0, 0.001);
   float4 second_moment[n / 4] = uniform(0, 0.00001);
   __nv_bfloat162 model_copy[n / 2];
   float gradient_norm[1] = { 2.5f };
   fused_adamw_update_with_clipping_and_bf16_copy(parameters, gradients, first_moment, second_moment, model_copy,
                                                  gradient_norm, n / 4, 0.0003f, 0.9f, 0.95f, 1e-8f, 0.1f, 1.0f, 0.65f,
                                                  0.4f);
*/
__global__ void fused_adamw_update_with_clipping_and_bf16_copy(float4 *parameters, const float4 *__restrict__ gradients,
                                                               float4 *first_moment, float4 *second_moment,
                                                               __nv_bfloat162 *__restrict__ model_copy,
                                                               const float *__restrict__ gradient_norm, int n4,
                                                               float learning_rate, float beta1, float beta2,
                                                               float epsilon, float weight_decay, float max_norm,
                                                               float bias_correction1, float bias_correction2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4)
        return;

    float clip = fminf(1.0f, max_norm / (gradient_norm[0] + 1e-6f));
    float4 p4 = parameters[i];
    float4 g4 = gradients[i];
    float4 m4 = first_moment[i];
    float4 v4 = second_moment[i];
    float p[4] = { p4.x, p4.y, p4.z, p4.w };
    float g[4] = { g4.x, g4.y, g4.z, g4.w };
    float m[4] = { m4.x, m4.y, m4.z, m4.w };
    float v[4] = { v4.x, v4.y, v4.z, v4.w };

#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float gradient = g[k] * clip;
        m[k] = beta1 * m[k] + (1.0f - beta1) * gradient;
        v[k] = beta2 * v[k] + (1.0f - beta2) * gradient * gradient;
        float m_hat = m[k] / bias_correction1;
        float v_hat = v[k] / bias_correction2;
        p[k] -= learning_rate * (m_hat / (sqrtf(v_hat) + epsilon) + weight_decay * p[k]);
    }

    parameters[i] = make_float4(p[0], p[1], p[2], p[3]);
    first_moment[i] = make_float4(m[0], m[1], m[2], m[3]);
    second_moment[i] = make_float4(v[0], v[1], v[2], v[3]);
    model_copy[2 * i] = __floats2bfloat162_rn(p[0], p[1]);
    model_copy[2 * i + 1] = __floats2bfloat162_rn(p[2], p[3]);
}

/* kmutate launch
   int outputs = 11008, inputs = 4096, group = 128;
   dim3 block = { 32, 8 };
   dim3 grid = { outputs / 8 };
   size_t smem = inputs * sizeof(half);
   uint32_t weights[outputs * inputs / 8] = randint(0, 4294967295);
   half scales[outputs * inputs / group] = uniform(0.002, 0.02);
   uint8_t zero_points[outputs * inputs / group] = randint(6, 10);
   half2 x[inputs / 2] = normal();
   half y[outputs];
   dequantise_int4_group_gemv_warp_per_output_half2(weights, scales, zero_points, x, y, outputs, inputs);
*/
__global__ void dequantise_int4_group_gemv_warp_per_output_half2(const uint32_t *__restrict__ weights,
                                                                 const half *__restrict__ scales,
                                                                 const uint8_t *__restrict__ zero_points,
                                                                 const half2 *__restrict__ x, half *__restrict__ y,
                                                                 int outputs, int inputs)
{
    extern __shared__ half2 shared_x[];

    int threads = blockDim.x * blockDim.y;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < inputs / 2; i += threads)
        shared_x[i] = x[i];
    __syncthreads();

    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= outputs)
        return;

    int words = inputs / 8;
    int groups = inputs / 128;
    float sum = 0.0f;
    for (int w = threadIdx.x; w < words; w += 32) {
        uint32_t packed = weights[(size_t)row * words + w];
        int g = row * groups + w / 16;
        float scale = __half2float(scales[g]);
        half zero = __int2half_rn(zero_points[g]);
        half2 zero2 = __half2half2(zero);
        half2 accumulator = __float2half2_rn(0.0f);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            half low = __int2half_rn((packed >> (8 * k)) & 15);
            half high = __int2half_rn((packed >> (8 * k + 4)) & 15);
            half2 q = __hsub2(__halves2half2(low, high), zero2);
            accumulator = __hfma2(q, shared_x[w * 4 + k], accumulator);
        }
        float2 part = __half22float2(accumulator);
        sum += scale * (part.x + part.y);
    }

    sum = warp_sum(sum);
    if (threadIdx.x == 0)
        y[row] = __float2half(sum);
}

/* kmutate launch
   int tokens = 6144, heads = 32, max_position = 8192;
   dim3 block = { 32, 8 };
   dim3 grid = { tokens, heads / 8 };
   half2 query[tokens * heads * 64] = normal();
   float2 cos_sin[max_position * 64] = uniform(-1, 1);
   int positions[tokens] = randint(0, max_position);
   rotary_position_embedding_split_halves_inplace(query, cos_sin, positions, heads);
*/
__global__ void rotary_position_embedding_split_halves_inplace(half2 *query, const float2 *__restrict__ cos_sin,
                                                               const int *__restrict__ positions, int heads)
{
    int token = blockIdx.x;
    int head = blockIdx.y * blockDim.y + threadIdx.y;
    int pair = threadIdx.x;

    half2 *vector = query + ((size_t)token * heads + head) * 64;
    const float2 *table = cos_sin + (size_t)positions[token] * 64;

    float2 first = __half22float2(vector[pair]);
    float2 second = __half22float2(vector[pair + 32]);
    float2 rotation_a = table[2 * pair];
    float2 rotation_b = table[2 * pair + 1];

    float2 new_first, new_second;
    new_first.x = first.x * rotation_a.x - second.x * rotation_a.y;
    new_second.x = second.x * rotation_a.x + first.x * rotation_a.y;
    new_first.y = first.y * rotation_b.x - second.y * rotation_b.y;
    new_second.y = second.y * rotation_b.x + first.y * rotation_b.y;

    vector[pair] = __float22half2_rn(new_first);
    vector[pair + 32] = __float22half2_rn(new_second);
}

/* kmutate launch
   int tokens = 16384, dimension = 512, vocabulary = 32000;
   dim3 block = { 128 };
   dim3 grid = { tokens };
   float output_gradient[tokens * dimension] = normal();
   int token_ids[tokens] = randint(0, vocabulary);
   int token_counts[vocabulary] = randint(1, 6);
   float table_gradient[vocabulary * dimension];
   embedding_table_gradient_scatter_add_atomic(output_gradient, token_ids, token_counts, table_gradient, dimension, 0);
*/
__global__ void embedding_table_gradient_scatter_add_atomic(const float *__restrict__ output_gradient,
                                                            const int *__restrict__ token_ids,
                                                            const int *__restrict__ token_counts,
                                                            float *table_gradient, int dimension, int padding_id)
{
    int token = blockIdx.x;
    int id = token_ids[token];
    if (id == padding_id)
        return;

    float scale = 1.0f / token_counts[id];
    const float *source = output_gradient + (size_t)token * dimension;
    float *destination = table_gradient + (size_t)id * dimension;
    for (int d = threadIdx.x; d < dimension; d += blockDim.x)
        atomicAdd(&destination[d], source[d] * scale);
}

#define DEPTHWISE_TILE_X 32
#define DEPTHWISE_TILE_Y 8

/* kmutate launch
   int images = 8, channels = 96, height = 112, width = 112;
   dim3 block = { 32, 8 };
   dim3 grid = { (width + 31) / 32, (height + 7) / 8, images * channels };
   half input[images * channels * height * width] = normal();
   half filters[channels * 25] = normal(0, 0.2);
   float bias[channels] = normal(0, 0.1);
   half output[images * channels * height * width];
   depthwise_convolution_nchw_half_with_hard_swish<5>(input, filters, bias, output, channels, height, width);
*/
template <int KERNEL>
__global__ void depthwise_convolution_nchw_half_with_hard_swish(const half *__restrict__ input,
                                                                const half *__restrict__ filters,
                                                                const float *__restrict__ bias,
                                                                half *__restrict__ output, int channels, int height,
                                                                int width)
{
    constexpr int HALO = KERNEL / 2;
    constexpr int TILE_W = DEPTHWISE_TILE_X + 2 * HALO;
    constexpr int TILE_H = DEPTHWISE_TILE_Y + 2 * HALO;
    __shared__ float tile[TILE_H][TILE_W];
    __shared__ float weights[KERNEL * KERNEL];

    int channel = blockIdx.z % channels;
    const half *plane = input + (size_t)blockIdx.z * height * width;
    int thread = threadIdx.y * DEPTHWISE_TILE_X + threadIdx.x;
    int left = blockIdx.x * DEPTHWISE_TILE_X - HALO;
    int top = blockIdx.y * DEPTHWISE_TILE_Y - HALO;

    if (thread < KERNEL * KERNEL)
        weights[thread] = __half2float(filters[channel * KERNEL * KERNEL + thread]);
    for (int i = thread; i < TILE_W * TILE_H; i += DEPTHWISE_TILE_X * DEPTHWISE_TILE_Y) {
        int ty = i / TILE_W;
        int tx = i % TILE_W;
        int y = top + ty;
        int x = left + tx;
        bool inside = x >= 0 && x < width && y >= 0 && y < height;
        tile[ty][tx] = inside ? __half2float(plane[y * width + x]) : 0.0f;
    }
    __syncthreads();

    int x = blockIdx.x * DEPTHWISE_TILE_X + threadIdx.x;
    int y = blockIdx.y * DEPTHWISE_TILE_Y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    float sum = bias[channel];
#pragma unroll
    for (int ky = 0; ky < KERNEL; ++ky) {
#pragma unroll
        for (int kx = 0; kx < KERNEL; ++kx)
            sum += tile[threadIdx.y + ky][threadIdx.x + kx] * weights[ky * KERNEL + kx];
    }
    float gate = fminf(fmaxf(sum + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f);
    output[(size_t)blockIdx.z * height * width + y * width + x] = __float2half(sum * gate);
}

/* kmutate launch
   int rows = 4096, cols = 4096;
   dim3 block = { 32, 8 };
   dim3 grid = { cols / 32, rows / 32 };
   float activations[rows * cols] = normal();
   float inverse_scales[cols] = uniform(20, 60);
   int8_t transposed[rows * cols];
   transpose_and_quantise_activations_to_int8(activations, inverse_scales, transposed, rows, cols);
*/
__global__ void transpose_and_quantise_activations_to_int8(const float *__restrict__ activations,
                                                           const float *__restrict__ inverse_scales,
                                                           int8_t *__restrict__ transposed, int rows, int cols)
{
    __shared__ float tile[32][33];

    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        if (row + k < rows && col < cols)
            tile[threadIdx.y + k][threadIdx.x] = activations[(size_t)(row + k) * cols + col];
    }
    __syncthreads();

    int out_col = blockIdx.y * 32 + threadIdx.x;
    int out_row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        if (out_row + k < cols && out_col < rows) {
            float scaled = tile[threadIdx.x][threadIdx.y + k] * inverse_scales[out_row + k];
            int rounded = __float2int_rn(scaled);
            rounded = max(-127, min(127, rounded));
            transposed[(size_t)(out_row + k) * rows + out_col] = (int8_t)rounded;
        }
    }
}

#define PAGE_TOKENS 16
#define HEAD_SIZE 128

/* kmutate launch
   int sequences = 64, heads = 32, kv_heads = 8, max_pages = 24;
   int pages = sequences * max_pages;
   dim3 block = { 128 };
   dim3 grid = { heads, sequences };
   size_t smem = max_pages * 16 * sizeof(float);
   half query[sequences * heads * 128] = normal();
   half key_cache[pages * kv_heads * 16 * 128] = normal();
   half value_cache[pages * kv_heads * 16 * 128] = normal();
   int page_table[pages] = permutation();
   int lengths[sequences] = randint(200, 385);
   half output[sequences * heads * 128];
   paged_attention_decode_grouped_query_half(query, key_cache, value_cache, page_table, lengths, output, kv_heads,
                                             max_pages, 0.08838835f);
*/
__global__ void paged_attention_decode_grouped_query_half(const half *__restrict__ query,
                                                          const half *__restrict__ key_cache,
                                                          const half *__restrict__ value_cache,
                                                          const int *__restrict__ page_table,
                                                          const int *__restrict__ lengths, half *__restrict__ output,
                                                          int kv_heads, int max_pages, float scale)
{
    extern __shared__ float scores[];
    __shared__ float reduction[8];

    int head = blockIdx.x;
    int sequence = blockIdx.y;
    int kv_head = head / (gridDim.x / kv_heads);
    int length = lengths[sequence];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    const int *table = page_table + sequence * max_pages;

    const half2 *q = reinterpret_cast<const half2 *>(query + ((size_t)sequence * gridDim.x + head) * HEAD_SIZE);
    float2 q0 = __half22float2(q[lane]);
    float2 q1 = __half22float2(q[lane + 32]);

    float local_max = -1e30f;
    for (int t = warp; t < length; t += 4) {
        size_t slot = ((size_t)table[t / PAGE_TOKENS] * kv_heads + kv_head) * PAGE_TOKENS + t % PAGE_TOKENS;
        const half2 *key = reinterpret_cast<const half2 *>(key_cache + slot * HEAD_SIZE);
        float2 k0 = __half22float2(key[lane]);
        float2 k1 = __half22float2(key[lane + 32]);
        float dot = warp_sum(q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y) * scale;
        if (lane == 0)
            scores[t] = dot;
        local_max = fmaxf(local_max, dot);
    }
    if (lane == 0)
        reduction[warp] = local_max;
    __syncthreads();
    float row_max = fmaxf(fmaxf(reduction[0], reduction[1]), fmaxf(reduction[2], reduction[3]));

    float local_sum = 0.0f;
    for (int t = threadIdx.x; t < length; t += blockDim.x) {
        float weight = __expf(scores[t] - row_max);
        scores[t] = weight;
        local_sum += weight;
    }
    local_sum = warp_sum(local_sum);
    if (lane == 0)
        reduction[4 + warp] = local_sum;
    __syncthreads();
    float inverse = 1.0f / (reduction[4] + reduction[5] + reduction[6] + reduction[7]);

    float accumulator = 0.0f;
    for (int t = 0; t < length; ++t) {
        size_t slot = ((size_t)table[t / PAGE_TOKENS] * kv_heads + kv_head) * PAGE_TOKENS + t % PAGE_TOKENS;
        accumulator += scores[t] * __half2float(value_cache[slot * HEAD_SIZE + threadIdx.x]);
    }
    output[((size_t)sequence * gridDim.x + head) * HEAD_SIZE + threadIdx.x] = __float2half(accumulator * inverse);
}

/* kmutate launch
   int tokens = 65536;
   dim3 block = { 128 };
   dim3 grid = { tokens / 4 };
   float router_logits[tokens * 128] = normal();
   int expert_ids[tokens * 4];
   float expert_weights[tokens * 4];
   int expert_load[128];
   mixture_of_experts_router_top_k_softmax<128, 4>(router_logits, expert_ids, expert_weights, expert_load, tokens);
*/
template <int EXPERTS, int TOP_K>
__global__ void mixture_of_experts_router_top_k_softmax(const float *__restrict__ router_logits,
                                                        int *__restrict__ expert_ids,
                                                        float *__restrict__ expert_weights, int *expert_load,
                                                        int tokens)
{
    constexpr int PER_LANE = EXPERTS / 32;
    __shared__ int block_load[EXPERTS];

    for (int i = threadIdx.x; i < EXPERTS; i += blockDim.x)
        block_load[i] = 0;
    __syncthreads();

    int lane = threadIdx.x & 31;
    int token = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (token < tokens) {
        float values[PER_LANE];
#pragma unroll
        for (int i = 0; i < PER_LANE; ++i)
            values[i] = router_logits[(size_t)token * EXPERTS + i * 32 + lane];

        float first = 0.0f, sum = 0.0f, my_weight = 0.0f;
        int my_expert = 0;
#pragma unroll
        for (int k = 0; k < TOP_K; ++k) {
            float best = values[0];
            int best_id = lane;
#pragma unroll
            for (int i = 1; i < PER_LANE; ++i) {
                if (values[i] > best) {
                    best = values[i];
                    best_id = i * 32 + lane;
                }
            }
            for (int offset = 16; offset > 0; offset >>= 1) {
                float other = __shfl_xor_sync(FULL_MASK, best, offset);
                int other_id = __shfl_xor_sync(FULL_MASK, best_id, offset);
                if (other > best || (other == best && other_id < best_id)) {
                    best = other;
                    best_id = other_id;
                }
            }
            if (k == 0)
                first = best;
            float weight = __expf(best - first);
            sum += weight;
            if (lane == k) {
                my_weight = weight;
                my_expert = best_id;
            }
#pragma unroll
            for (int i = 0; i < PER_LANE; ++i) {
                if (best_id == i * 32 + lane)
                    values[i] = -1e30f;
            }
        }

        if (lane < TOP_K) {
            expert_ids[token * TOP_K + lane] = my_expert;
            expert_weights[token * TOP_K + lane] = my_weight / sum;
            atomicAdd(&block_load[my_expert], 1);
        }
    }
    __syncthreads();

    for (int i = threadIdx.x; i < EXPERTS; i += blockDim.x) {
        if (block_load[i] > 0)
            atomicAdd(&expert_load[i], block_load[i]);
    }
}
