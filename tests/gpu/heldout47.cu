#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/* kmutate launch
   int n = 1000, k = 500;
   dim3 grid = { (n + 31) / 32, (n + 7) / 8 }, block = { 32, 8 };
   double a[k * n] = uniform(-1, 1);
   double b[k * n] = uniform(-1, 1);
   double c[n * n] = uniform(-1, 1);
   symmetric_rank_2k_of_transposed_factors_lower_element_per_thread(a, b, c, n, k, 1.5, 1.2);
*/
__global__ void symmetric_rank_2k_of_transposed_factors_lower_element_per_thread(const double *__restrict__ a,
                                                                                 const double *__restrict__ b,
                                                                                 double *__restrict__ c, int n, int k,
                                                                                 double alpha, double beta)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col > row) return;
    double sum = 0.0;
    for (int i = 0; i < k; ++i) {
        sum += a[i * n + row] * b[i * n + col];
        sum += b[i * n + row] * a[i * n + col];
    }
    c[row * n + col] = alpha * sum + beta * c[row * n + col];
}

/* kmutate launch
   int rows = 512, cols = 16384, done = 40;
   dim3 grid = { (cols - done - 1 + 127) / 128 }, block = { 128 };
   float q[rows * cols] = uniform(-0.07, 0.07);
   float a[rows * cols] = uniform(-1, 1);
   float r[cols] = zeros();
   gram_schmidt_remove_newest_direction_column_per_thread(q, a, r, rows, cols, done);
*/
__global__ void gram_schmidt_remove_newest_direction_column_per_thread(const float *__restrict__ q,
                                                                       float *__restrict__ a, float *__restrict__ r,
                                                                       int rows, int cols, int done)
{
    const int col = done + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    float along = 0.f;
    for (int i = 0; i < rows; ++i) along += q[(size_t)i * cols + done] * a[(size_t)i * cols + col];
    for (int i = 0; i < rows; ++i) a[(size_t)i * cols + col] -= along * q[(size_t)i * cols + done];
    r[col] = along;
}

/* kmutate launch
   int rows = 16384, cols = 1000;
   dim3 grid = { rows / 256 }, block = { 256 };
   float a[rows * cols] = uniform(-1, 1);
   float b[rows * cols] = uniform(-1, 1);
   float x[cols] = uniform(-1, 1);
   float y[rows] = zeros();
   weighted_sum_of_two_matrices_times_vector_by_row_threads(a, b, x, y, rows, cols, 1.5f, 1.2f);
*/
__global__ void weighted_sum_of_two_matrices_times_vector_by_row_threads(const float *__restrict__ a,
                                                                         const float *__restrict__ b,
                                                                         const float *__restrict__ x,
                                                                         float *__restrict__ y, int rows, int cols,
                                                                         float alpha, float beta)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float from_a = 0.f, from_b = 0.f;
    for (int j = 0; j < cols; ++j) {
        from_a += a[(size_t)row * cols + j] * x[j];
        from_b += b[(size_t)row * cols + j] * x[j];
    }
    y[row] = alpha * from_a + beta * from_b;
}

/* kmutate launch
   int nx = 240, ny = 232, nz = 200, materials = 6;
   dim3 grid = { (nx + 31) / 32, (ny + 7) / 8, nz }, block = { 32, 8 };
   float ex[nx * ny * nz] = normal();
   float ey[nx * ny * nz] = normal();
   float ez[nx * ny * nz] = normal();
   float hx[nx * ny * nz] = normal();
   float hy[nx * ny * nz] = normal();
   float hz[nx * ny * nz] = normal();
   unsigned char material[nx * ny * nz] = randint(0, materials);
   float decay_and_gain[2 * materials] = uniform(0.4, 0.6);
   magnetic_field_half_step_with_material_bytes(ex, ey, ez, hx, hy, hz, material, (float2 *)decay_and_gain, nx, ny, nz);
*/
__global__ void magnetic_field_half_step_with_material_bytes(const float *__restrict__ ex, const float *__restrict__ ey,
                                                             const float *__restrict__ ez, float *__restrict__ hx,
                                                             float *__restrict__ hy, float *__restrict__ hz,
                                                             const unsigned char *__restrict__ material,
                                                             const float2 *__restrict__ decay_and_gain, int nx, int ny,
                                                             int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;
    if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;

    const int plane = nx * ny;
    const int at = z * plane + y * nx + x;
    const float2 m = decay_and_gain[material[at]];
    const float ex0 = ex[at], ey0 = ey[at], ez0 = ez[at];
    const float curl_x = (ez[at + nx] - ez0) - (ey[at + plane] - ey0);
    const float curl_y = (ex[at + plane] - ex0) - (ez[at + 1] - ez0);
    const float curl_z = (ey[at + 1] - ey0) - (ex[at + nx] - ex0);
    hx[at] = m.x * hx[at] - m.y * curl_x;
    hy[at] = m.x * hy[at] - m.y * curl_y;
    hz[at] = m.x * hz[at] - m.y * curl_z;
}

__constant__ half c_cube_filters[4][2][27];

/* kmutate launch
   int nx = 320, ny = 256, nz = 128;
   dim3 grid = { nx / 64, ny / 4, nz }, block = { 32, 4 };
   extern half c_cube_filters[4][2][27] = uniform(-0.2, 0.2);
   half in[2 * nx * ny * nz] = uniform(-1, 1);
   half out[4 * nx * ny * nz] = zeros();
   convolve_two_volumes_with_four_cubes_of_27_in_half_pairs((half2 *)in, (half2 *)out, nx / 2, ny, nz);
*/
__global__ void __launch_bounds__(128)
convolve_two_volumes_with_four_cubes_of_27_in_half_pairs(const half2 *__restrict__ in, half2 *__restrict__ out,
                                                         int pairs, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;
    if (x >= pairs || y >= ny) return;

    const half2 zero = __float2half2_rn(0.f);
    const size_t volume = (size_t)pairs * ny * nz;
    half2 sum[4] = { zero, zero, zero, zero };
#pragma unroll
    for (int channel = 0; channel < 2; ++channel) {
#pragma unroll
        for (int dz = 0; dz < 3; ++dz) {
            const int zz = z + dz - 1;
            if (zz < 0 || zz >= nz) continue;
#pragma unroll
            for (int dy = 0; dy < 3; ++dy) {
                const int yy = y + dy - 1;
                if (yy < 0 || yy >= ny) continue;
                const half2 *line = in + channel * volume + ((size_t)zz * ny + yy) * pairs;
                const half2 before = x > 0 ? line[x - 1] : zero;
                const half2 here = line[x];
                const half2 after = x + 1 < pairs ? line[x + 1] : zero;
                const half2 left = __halves2half2(__high2half(before), __low2half(here));
                const half2 right = __halves2half2(__high2half(here), __low2half(after));
                const int tap = (dz * 3 + dy) * 3;
#pragma unroll
                for (int f = 0; f < 4; ++f) {
                    sum[f] = __hfma2(left, __half2half2(c_cube_filters[f][channel][tap]), sum[f]);
                    sum[f] = __hfma2(here, __half2half2(c_cube_filters[f][channel][tap + 1]), sum[f]);
                    sum[f] = __hfma2(right, __half2half2(c_cube_filters[f][channel][tap + 2]), sum[f]);
                }
            }
        }
    }
    const size_t at = ((size_t)z * ny + y) * pairs + x;
#pragma unroll
    for (int f = 0; f < 4; ++f) out[f * volume + at] = sum[f];
}

__device__ __forceinline__ float warp_total(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}

/* kmutate launch
   int tokens = 12291;
   dim3 grid = { 264 }, block = { 512 };
   float dout[tokens * 768] = normal(0, 0.1);
   float x[tokens * 768] = normal();
   float weight[768] = uniform(0.5, 1.5);
   float mean[tokens] = normal(0, 0.03);
   float rstd[tokens] = uniform(0.9, 1.1);
   float dx[tokens * 768] = normal(0, 0.1);
   float dweight[768] = zeros(), dbias[768] = zeros();
   layer_norm_backward_warp_per_token_with_shared_parameter_sums(dout, x, weight, mean, rstd, dx, dweight, dbias,
                                                                 tokens);
*/
__global__ void __launch_bounds__(512)
layer_norm_backward_warp_per_token_with_shared_parameter_sums(const float *__restrict__ dout,
                                                              const float *__restrict__ x,
                                                              const float *__restrict__ weight,
                                                              const float *__restrict__ mean,
                                                              const float *__restrict__ rstd, float *__restrict__ dx,
                                                              float *__restrict__ dweight, float *__restrict__ dbias,
                                                              int tokens)
{
    constexpr int WIDTH = 768;
    __shared__ float weight_sum[WIDTH], bias_sum[WIDTH];
    for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) weight_sum[i] = bias_sum[i] = 0.f;
    __syncthreads();

    const int lane = threadIdx.x & 31;
    const int warps = gridDim.x * (blockDim.x >> 5);
    for (int token = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); token < tokens; token += warps) {
        const size_t base = (size_t)token * WIDTH;
        const float m = mean[token], s = rstd[token];
        float sum = 0.f, sum_with_norm = 0.f;
        for (int i = lane; i < WIDTH; i += 32) {
            const float g = weight[i] * dout[base + i];
            sum += g;
            sum_with_norm += g * (x[base + i] - m) * s;
        }
        sum = warp_total(sum) / WIDTH;
        sum_with_norm = warp_total(sum_with_norm) / WIDTH;

        for (int i = lane; i < WIDTH; i += 32) {
            const float d = dout[base + i];
            const float norm = (x[base + i] - m) * s;
            atomicAdd(&bias_sum[i], d);
            atomicAdd(&weight_sum[i], d * norm);
            dx[base + i] += (weight[i] * d - sum - norm * sum_with_norm) * s;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) {
        atomicAdd(&dweight[i], weight_sum[i]);
        atomicAdd(&dbias[i], bias_sum[i]);
    }
}

__device__ __forceinline__ float gelu_slope(float x)
{
    constexpr float ROOT = 0.7978845608f, CUBIC = 0.044715f;
    const float t = tanhf(ROOT * (x + CUBIC * x * x * x));
    return 0.5f * (1.f + t) + 0.5f * x * (1.f - t * t) * ROOT * (1.f + 3.f * CUBIC * x * x);
}

/* kmutate launch
   int n = 12288 * 3072;
   dim3 grid = { n / 8 / 256 }, block = { 256 };
   __nv_bfloat16 gradient[n] = normal(0, 0.01);
   __nv_bfloat16 x[n] = normal(0, 1.5);
   gelu_tanh_slope_times_gradient_in_place_eight_bf16((uint4 *)gradient, (uint4 *)x, n / 8);
*/
__global__ void gelu_tanh_slope_times_gradient_in_place_eight_bf16(uint4 *__restrict__ gradient,
                                                                   const uint4 *__restrict__ x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 g = gradient[i];
    const uint4 v = x[i];
    __nv_bfloat162 *gs = reinterpret_cast<__nv_bfloat162 *>(&g);
    const __nv_bfloat162 *vs = reinterpret_cast<const __nv_bfloat162 *>(&v);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const float2 d = __bfloat1622float2(gs[j]);
        const float2 p = __bfloat1622float2(vs[j]);
        gs[j] = __floats2bfloat162_rn(d.x * gelu_slope(p.x), d.y * gelu_slope(p.y));
    }
    gradient[i] = g;
}

/* kmutate launch
   int sentences = 24, length = 1024, width = 768, vocabulary = 50257;
   dim3 grid = { sentences * length * (width / 4) / 256 }, block = { 256 };
   int token[sentences * length] = randint(0, vocabulary);
   float words[vocabulary * width] = normal(0, 0.02);
   float positions[length * width] = normal(0, 0.02);
   float out[sentences * length * width] = zeros();
   word_and_position_rows_added_by_float4_elements(token, (float4 *)words, (float4 *)positions, (float4 *)out,
                                                   sentences, length, width / 4);
*/
__global__ void word_and_position_rows_added_by_float4_elements(const int *__restrict__ token,
                                                                const float4 *__restrict__ words,
                                                                const float4 *__restrict__ positions,
                                                                float4 *__restrict__ out, int sentences, int length,
                                                                int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sentences * length * width) return;
    const int place = i / width, c = i % width;
    const float4 w = words[(size_t)token[place] * width + c];
    const float4 p = positions[(size_t)(place % length) * width + c];
    out[i] = make_float4(w.x + p.x, w.y + p.y, w.z + p.z, w.w + p.w);
}

/* kmutate launch
   int batch = 2, length = 800, heads = 12, depth = 64;
   int width = heads * depth;
   dim3 grid = { batch * heads * length * depth / 256 }, block = { 256 };
   float dscores[batch * heads * length * length] = normal(0, 0.01);
   float qkv[batch * length * 3 * width] = normal();
   float dqkv[batch * length * 3 * width] = normal(0, 0.01);
   query_gradient_from_causal_scores_element_per_thread(dscores, qkv, dqkv, batch, length, heads, depth, 0.125f);
*/
__global__ void query_gradient_from_causal_scores_element_per_thread(const float *__restrict__ dscores,
                                                                     const float *__restrict__ qkv,
                                                                     float *__restrict__ dqkv, int batch, int length,
                                                                     int heads, int depth, float scale)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= batch * heads * length * depth) return;
    const int i = index % depth;
    index /= depth;
    const int t = index % length;
    index /= length;
    const int head = index % heads, b = index / heads;

    const int width = heads * depth;
    const float *scores = dscores + ((size_t)(b * heads + head) * length + t) * length;
    const float *keys = qkv + (size_t)b * length * 3 * width + width + head * depth + i;
    float sum = 0.f;
    for (int other = 0; other <= t; ++other) sum += scores[other] * keys[(size_t)other * 3 * width];
    dqkv[((size_t)b * length + t) * 3 * width + head * depth + i] += scale * sum;
}

__device__ __forceinline__ float dot_of_bf16_pair(uint32_t a, uint32_t b, float sum)
{
    sum = fmaf(__uint_as_float(a << 16), __uint_as_float(b << 16), sum);
    return fmaf(__uint_as_float(a & 0xffff0000u), __uint_as_float(b & 0xffff0000u), sum);
}

/* kmutate launch
   int m = 500, n = 1536, k = 768;
   dim3 grid = { n / 16, (m + 15) / 16 }, block = { 16, 16 };
   __nv_bfloat16 x[m * k] = normal();
   __nv_bfloat16 weight[n * k] = normal(0, 0.03);
   float bias[n] = normal(0, 0.1);
   __nv_bfloat16 y[m * n] = zeros();
   bf16_rows_against_weight_rows_one_output_per_thread((uint4 *)x, (uint4 *)weight, bias, y, m, n, k / 8);
*/
__global__ void bf16_rows_against_weight_rows_one_output_per_thread(const uint4 *__restrict__ x,
                                                                    const uint4 *__restrict__ weight,
                                                                    const float *__restrict__ bias,
                                                                    __nv_bfloat16 *__restrict__ y, int m, int n,
                                                                    int k)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    const uint4 *a = x + (size_t)row * k;
    const uint4 *b = weight + (size_t)col * k;
    float sum = bias[col];
    for (int i = 0; i < k; ++i) {
        const uint4 u = a[i], v = b[i];
        sum = dot_of_bf16_pair(u.x, v.x, sum);
        sum = dot_of_bf16_pair(u.y, v.y, sum);
        sum = dot_of_bf16_pair(u.z, v.z, sum);
        sum = dot_of_bf16_pair(u.w, v.w, sum);
    }
    y[(size_t)row * n + col] = __float2bfloat16(sum);
}

/* kmutate launch
   int matrices = 2048, n = 192, step = 0;
   dim3 grid = { n / 32 - step - 1, matrices }, block = { 64 };
   float a[matrices * n * n] = uniform(0.25, 1);
   lu_tiles_right_of_and_below_factored_diagonal_in_batch(a, n, step);
*/
__global__ void __launch_bounds__(64)
lu_tiles_right_of_and_below_factored_diagonal_in_batch(float *__restrict__ a, int n, int step)
{
    constexpr int TILE = 32;
    __shared__ float diagonal[TILE][TILE + 1];
    __shared__ float panel[2][TILE][TILE + 1];

    float *matrix = a + (size_t)blockIdx.y * n * n;
    const int first = step * TILE, other = (step + 1 + blockIdx.x) * TILE;
    const int lane = threadIdx.x % TILE, side = threadIdx.x / TILE;
    float *mine = side == 0 ? matrix + (size_t)first * n + other : matrix + (size_t)other * n + first;

    for (int i = side; i < TILE; i += 2) diagonal[i][lane] = matrix[(size_t)(first + i) * n + first + lane];
    for (int i = 0; i < TILE; ++i) panel[side][i][lane] = mine[(size_t)i * n + lane];
    __syncthreads();

    if (side == 0) {
        for (int i = 1; i < TILE; ++i) {
            float v = panel[0][i][lane];
            for (int j = 0; j < i; ++j) v -= diagonal[i][j] * panel[0][j][lane];
            panel[0][i][lane] = v;
        }
    } else {
        for (int j = 0; j < TILE; ++j) {
            float v = panel[1][lane][j];
            for (int i = 0; i < j; ++i) v -= panel[1][lane][i] * diagonal[i][j];
            panel[1][lane][j] = v / diagonal[j][j];
        }
    }
    __syncthreads();
    for (int i = 0; i < TILE; ++i) mine[(size_t)i * n + lane] = panel[side][i][lane];
}

/* kmutate launch
   int rows = 4000, cols = 4000;
   dim3 grid = { (cols + 25) / 26, (rows + 25) / 26 }, block = { 32, 32 };
   float temperature[rows * cols] = uniform(320, 345);
   float power[rows * cols] = uniform(0, 0.02);
   float next[rows * cols] = zeros();
   processor_heat_three_steps_in_shrinking_tile(temperature, power, next, rows, cols, 0.5f, 0.1f, 0.12f, 0.00005f);
*/
__global__ void __launch_bounds__(1024)
processor_heat_three_steps_in_shrinking_tile(const float *__restrict__ temperature, const float *__restrict__ power,
                                             float *__restrict__ next, int rows, int cols, float per_capacity,
                                             float conduct_x, float conduct_y, float conduct_z)
{
    constexpr int SIDE = 32, STEPS = 3, INNER = SIDE - 2 * STEPS;
    constexpr float AMBIENT = 318.f;
    __shared__ float tile[2][SIDE][SIDE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = (int)blockIdx.x * INNER + tx - STEPS;
    const int y = (int)blockIdx.y * INNER + ty - STEPS;
    const bool on_chip = x >= 0 && x < cols && y >= 0 && y < rows;
    const size_t at = (size_t)min(max(y, 0), rows - 1) * cols + min(max(x, 0), cols - 1);
    const float source = power[at];
    float t = temperature[at];
    tile[0][ty][tx] = t;
    __syncthreads();

    const int west = tx - (x > 0), east = tx + (x < cols - 1);
    const int north = ty - (y > 0), south = ty + (y < rows - 1);
#pragma unroll
    for (int step = 1; step <= STEPS; ++step) {
        const int now = (step - 1) & 1;
        if (on_chip && tx >= step && tx < SIDE - step && ty >= step && ty < SIDE - step) {
            const float across = tile[now][ty][west] + tile[now][ty][east] - 2.f * t;
            const float along = tile[now][north][tx] + tile[now][south][tx] - 2.f * t;
            t += per_capacity * (source + across * conduct_x + along * conduct_y + (AMBIENT - t) * conduct_z);
            if (step < STEPS) tile[now ^ 1][ty][tx] = t;
        }
        if (step < STEPS) __syncthreads();
    }
    if (on_chip && tx >= STEPS && tx < SIDE - STEPS && ty >= STEPS && ty < SIDE - STEPS) next[at] = t;
}

struct GasState {
    double density, u, v, w, pressure;
};

struct FaceNormal {
    double x, y, z;
};

/* kmutate launch
   struct GasState { double density, u, v, w, pressure; };
   struct FaceNormal { double x, y, z; };
   int cells = 480000;
   dim3 grid = { cells / 192 }, block = { 192 };
   struct GasState state[cells] = uniform(0.5, 1.5);
   struct GasState inflow = { 1.4, 0.8, 0.0, 0.05, 1.0 };
   int neighbour[4 * cells] = randint(-2, cells);
   struct FaceNormal normals[4 * cells] = uniform(-1, 1);
   double residual[5 * cells] = zeros();
   rusanov_residual_over_four_faces_of_cell_records_fp64(state, (int4 *)neighbour, normals, residual, inflow, cells);
*/
__global__ void rusanov_residual_over_four_faces_of_cell_records_fp64(const GasState *__restrict__ state,
                                                                      const int4 *__restrict__ neighbour,
                                                                      const FaceNormal *__restrict__ normals,
                                                                      double *__restrict__ residual, GasState inflow,
                                                                      int cells)
{
    constexpr double GAMMA = 1.4;
    constexpr int WALL = -1;
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;

    const GasState me = state[cell];
    const double my_energy =
        me.pressure / (GAMMA - 1.0) + 0.5 * me.density * (me.u * me.u + me.v * me.v + me.w * me.w);
    const double my_sound = sqrt(GAMMA * me.pressure / me.density);
    const int4 quad = neighbour[cell];
    const int others[4] = { quad.x, quad.y, quad.z, quad.w };

    double mass = 0.0, push_x = 0.0, push_y = 0.0, push_z = 0.0, heat = 0.0;
#pragma unroll
    for (int face = 0; face < 4; ++face) {
        const FaceNormal n = normals[4 * cell + face];
        const int other = others[face];
        if (other == WALL) {
            push_x += me.pressure * n.x;
            push_y += me.pressure * n.y;
            push_z += me.pressure * n.z;
            continue;
        }
        const GasState it = other >= 0 ? state[other] : inflow;
        const double energy =
            it.pressure / (GAMMA - 1.0) + 0.5 * it.density * (it.u * it.u + it.v * it.v + it.w * it.w);
        const double sound = sqrt(GAMMA * it.pressure / it.density);
        const double area = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
        const double my_through = me.u * n.x + me.v * n.y + me.w * n.z;
        const double through = it.u * n.x + it.v * n.y + it.w * n.z;
        const double fastest = fmax(fabs(my_through) + my_sound * area, fabs(through) + sound * area);

        const double my_mass = me.density * my_through, its_mass = it.density * through;
        const double pressure = me.pressure + it.pressure;
        mass += 0.5 * (my_mass + its_mass - fastest * (it.density - me.density));
        push_x += 0.5 * (my_mass * me.u + its_mass * it.u + pressure * n.x -
                         fastest * (it.density * it.u - me.density * me.u));
        push_y += 0.5 * (my_mass * me.v + its_mass * it.v + pressure * n.y -
                         fastest * (it.density * it.v - me.density * me.v));
        push_z += 0.5 * (my_mass * me.w + its_mass * it.w + pressure * n.z -
                         fastest * (it.density * it.w - me.density * me.w));
        heat += 0.5 * ((my_energy + me.pressure) * my_through + (energy + it.pressure) * through -
                       fastest * (energy - my_energy));
    }
    residual[cell] = -mass;
    residual[cells + cell] = -push_x;
    residual[2 * cells + cell] = -push_y;
    residual[3 * cells + cell] = -push_z;
    residual[4 * cells + cell] = -heat;
}

// An angle is written as six digits: millionths of its range.
__device__ __forceinline__ float angle_of_digits(const char *__restrict__ text, float range)
{
    int value = 0;
#pragma unroll
    for (int i = 0; i < 6; ++i) value = value * 10 + (text[i] - '0');
    return ((float)value * 1e-6f - 0.5f) * range;
}

__device__ __forceinline__ unsigned long long smaller_of_warp(unsigned long long v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        const unsigned long long other = __shfl_xor_sync(0xffffffffu, v, offset);
        v = other < v ? other : v;
    }
    return v;
}

/* kmutate launch
   int records = 6000000;
   dim3 grid = { (records + 255) / 256 }, block = { 256 };
   char text[records * 40] = randint(48, 58);
   unsigned long long nearest[1] = fill(0x7fffffffffffffff);
   nearest_weather_station_of_fixed_width_text_records(text, nearest, records, 0.83f, 0.21f);
*/
__global__ void nearest_weather_station_of_fixed_width_text_records(const char *__restrict__ text,
                                                                    unsigned long long *__restrict__ nearest,
                                                                    int records, float latitude, float longitude)
{
    constexpr int RECORD = 40, NAME = 24, DIGITS = 6;
    constexpr float PI = 3.14159265f;
    __shared__ unsigned long long best_of_warp[8];

    const int record = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long best = ~0ull;
    if (record < records) {
        const char *fields = text + (size_t)record * RECORD + NAME;
        const float lat = angle_of_digits(fields, PI);
        const float lon = angle_of_digits(fields + DIGITS, 2.f * PI);
        const float s = sinf(0.5f * (lat - latitude)), r = sinf(0.5f * (lon - longitude));
        const float h = s * s + cosf(lat) * cosf(latitude) * r * r;
        const float distance = 2.f * asinf(sqrtf(fminf(h, 1.f)));
        best = (unsigned long long)__float_as_uint(distance) << 32 | (unsigned int)record;
    }
    best = smaller_of_warp(best);
    if ((threadIdx.x & 31) == 0) best_of_warp[threadIdx.x >> 5] = best;
    __syncthreads();
    if (threadIdx.x < 32) {
        best = smaller_of_warp(threadIdx.x < 8 ? best_of_warp[threadIdx.x] : ~0ull);
        if (threadIdx.x == 0) atomicMin(nearest, best);
    }
}

/* kmutate launch
   int width = 8192, height = 8192;
   dim3 grid = { width / 2 / 128, height / 2 / 32 }, block = { 128 };
   short in[width * height] = randint(-2048, 2048);
   short out[width * height] = zeros();
   wavelet_five_three_level_down_pairs_of_columns((short2 *)in, (short2 *)out, width / 2, height / 2);
*/
__global__ void wavelet_five_three_level_down_pairs_of_columns(const short2 *__restrict__ in, short2 *__restrict__ out,
                                                               int pitch, int half_height)
{
    constexpr int STRIP = 32;
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= pitch) return;
    const int first = blockIdx.y * STRIP, last = min(first + STRIP, half_height);

    short2 even = in[(size_t)2 * first * pitch + x];
    int high_x = 0, high_y = 0;
    if (first > 0) {
        const short2 before = in[(size_t)(2 * first - 2) * pitch + x];
        const short2 odd = in[(size_t)(2 * first - 1) * pitch + x];
        high_x = odd.x - ((before.x + even.x) >> 1);
        high_y = odd.y - ((before.y + even.y) >> 1);
    }
    for (int i = first; i < last; ++i) {
        const short2 odd = in[(size_t)(2 * i + 1) * pitch + x];
        const short2 next = i + 1 < half_height ? in[(size_t)(2 * i + 2) * pitch + x] : even;
        const int new_x = odd.x - ((even.x + next.x) >> 1);
        const int new_y = odd.y - ((even.y + next.y) >> 1);
        if (i == 0) {
            high_x = new_x;
            high_y = new_y;
        }
        out[(size_t)i * pitch + x] = make_short2((short)(even.x + ((high_x + new_x + 2) >> 2)),
                                                 (short)(even.y + ((high_y + new_y + 2) >> 2)));
        out[(size_t)(half_height + i) * pitch + x] = make_short2((short)new_x, (short)new_y);
        high_x = new_x;
        high_y = new_y;
        even = next;
    }
}

/* kmutate launch
   int particles = 9000;
   dim3 grid = { (particles + 127) / 128 }, block = { 128 };
   float cumulative[particles] = ascending(0, 1);
   float state[4 * particles] = normal();
   float resampled[4 * particles] = zeros();
   int ancestor[particles] = zeros();
   resample_particles_by_walk_along_cumulative_weights(cumulative, (float4 *)state, (float4 *)resampled, ancestor,
                                                       particles, 0.37f);
*/
__global__ void resample_particles_by_walk_along_cumulative_weights(const float *__restrict__ cumulative,
                                                                    const float4 *__restrict__ state,
                                                                    float4 *__restrict__ resampled,
                                                                    int *__restrict__ ancestor, int particles,
                                                                    float offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    const float u = ((float)i + offset) / (float)particles;
    int found = particles - 1;
    for (int j = 0; j < particles; ++j) {
        if (cumulative[j] >= u) {
            found = j;
            break;
        }
    }
    ancestor[i] = found;
    resampled[i] = state[found];
}

/* kmutate launch
   int n = 4096, pitch = 4104, step = 64;
   dim3 grid = { (n + 1 - step - 1 + 127) / 128, (n - step - 1 + 1) / 2 }, block = { 128, 2 };
   double a[n * pitch] = uniform(1, 2);
   int row_of[n] = permutation();
   eliminate_pivot_column_in_rows_ordered_by_pivoting(a, row_of, n, pitch, step);
*/
__global__ void eliminate_pivot_column_in_rows_ordered_by_pivoting(double *__restrict__ a,
                                                                   const int *__restrict__ row_of, int n, int pitch,
                                                                   int step)
{
    // Column n is the right-hand side.
    const int j = step + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    const int i = step + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j > n) return;
    const double *pivot = a + (size_t)row_of[step] * pitch;
    double *row = a + (size_t)row_of[i] * pitch;
    const double factor = row[step] / pivot[step];
    row[j] -= factor * pivot[j];
}

/* kmutate launch
   int blocks = 32768;
   dim3 grid = { blocks }, block = { 256 };
   unsigned char symbols[blocks * 1024] = randint(0, 256);
   unsigned short codes[256] = randint(0, 65536);
   unsigned char lengths[256] = randint(3, 15);
   unsigned int packed[blocks * 512] = zeros();
   int bits[blocks] = zeros();
   prefix_codes_of_byte_quads_packed_by_scan_and_shared_or((uchar4 *)symbols, codes, lengths, packed, bits);
*/
__global__ void __launch_bounds__(256)
prefix_codes_of_byte_quads_packed_by_scan_and_shared_or(const uchar4 *__restrict__ symbols,
                                                        const unsigned short *__restrict__ codes,
                                                        const unsigned char *__restrict__ lengths,
                                                        unsigned int *__restrict__ packed, int *__restrict__ bits)
{
    constexpr int THREADS = 256, SLOT = 512;
    __shared__ unsigned int table[256];
    __shared__ unsigned int words[SLOT + 2];
    __shared__ int warp_bits[THREADS / 32];

    // Codewords come aligned to the left in their 16 bits.
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const unsigned int length = lengths[t];
    table[t] = length << 16 | codes[t] >> (16 - length);
    for (int i = t; i < SLOT + 2; i += THREADS) words[i] = 0;
    const uchar4 quad = symbols[(size_t)blockIdx.x * THREADS + t];
    __syncthreads();

    const unsigned int entries[4] = { table[quad.x], table[quad.y], table[quad.z], table[quad.w] };
    unsigned long long code = 0;
    int total = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int l = entries[i] >> 16;
        code = code << l | (entries[i] & 0xffffu);
        total += l;
    }

    int end = total;
#pragma unroll
    for (int offset = 1; offset < 32; offset <<= 1) {
        const int before = __shfl_up_sync(0xffffffffu, end, offset);
        if (lane >= offset) end += before;
    }
    if (lane == 31) warp_bits[warp] = end;
    __syncthreads();
    int base = 0, all = 0;
#pragma unroll
    for (int w = 0; w < THREADS / 32; ++w) {
        if (w < warp) base += warp_bits[w];
        all += warp_bits[w];
    }

    const int start = base + end - total;
    const int at = start >> 5, shift = start & 31;
    code <<= 64 - total;
    const unsigned int tail = shift ? (unsigned int)code << (32 - shift) : 0u;
    code >>= shift;
    atomicOr(&words[at], (unsigned int)(code >> 32));
    if ((unsigned int)code) atomicOr(&words[at + 1], (unsigned int)code);
    if (tail) atomicOr(&words[at + 2], tail);
    __syncthreads();

    const int used = (all + 31) >> 5;
    for (int i = t; i < used; i += THREADS) packed[(size_t)blockIdx.x * SLOT + i] = words[i];
    if (t == 0) bits[blockIdx.x] = all;
}

/* kmutate launch
   int vertices = 1000000, lo = 4, hi = 28;
   int edges = csr_nnz(vertices, lo, hi);
   dim3 grid = { (vertices + 255) / 256 }, block = { 256 };
   int offsets[vertices + 1] = csr_rowptr(vertices, lo, hi);
   int targets[edges] = csr_colidx(vertices);
   unsigned int frontier[2 * vertices] = randint(0, 0xffffffffu);
   unsigned int seen[2 * vertices] = randint(0, 0xffffffffu);
   unsigned long long next[vertices] = zeros();
   int discovered[1] = zeros();
   sixty_four_breadth_first_searches_pull_one_level(offsets, targets, (unsigned long long *)frontier,
                                                    (unsigned long long *)seen, next, discovered, vertices);
*/
__global__ void sixty_four_breadth_first_searches_pull_one_level(const int *__restrict__ offsets,
                                                                 const int *__restrict__ targets,
                                                                 const unsigned long long *__restrict__ frontier,
                                                                 unsigned long long *__restrict__ seen,
                                                                 unsigned long long *__restrict__ next,
                                                                 int *__restrict__ discovered, int vertices)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    int fresh = 0;
    if (v < vertices) {
        const unsigned long long known = seen[v];
        unsigned long long missing = ~known;
        const int end = offsets[v + 1];
        for (int e = offsets[v]; e < end && missing; ++e) missing &= ~frontier[targets[e]];
        const unsigned long long reached = ~known & ~missing;
        next[v] = reached;
        if (reached) seen[v] = known | reached;
        fresh = __popcll(reached);
    }
    fresh = __reduce_add_sync(0xffffffffu, fresh);
    if ((threadIdx.x & 31) == 0 && fresh) atomicAdd(discovered, fresh);
}

/* kmutate launch
   int points = 2000, width = 2048, height = 1536;
   dim3 grid = { points }, block = { 128 };
   unsigned char frame[width * height] = randint(0, 256);
   unsigned int templates[points * 256] = randint(0, 0xffffffffu);
   int left[points] = randint(0, width - 60);
   int top[points] = randint(0, height - 56);
   int best_offset[points] = zeros();
   float best_score[points] = zeros();
   follow_marked_points_by_normalised_byte_correlation(frame, templates, left, top, best_offset, best_score, width);
*/
__global__ void __launch_bounds__(128)
follow_marked_points_by_normalised_byte_correlation(const unsigned char *__restrict__ frame,
                                                    const unsigned int *__restrict__ templates,
                                                    const int *__restrict__ left, const int *__restrict__ top,
                                                    int *__restrict__ best_offset, float *__restrict__ best_score,
                                                    int width)
{
    constexpr int SIDE = 32, WORDS = SIDE / 4, SHIFTS = 25, ROWS = SIDE + SHIFTS - 1, PITCH = 15;
    constexpr int PIXELS = SIDE * SIDE;
    __shared__ unsigned int window[ROWS][PITCH];
    __shared__ unsigned int pattern[SIDE][WORDS];
    __shared__ unsigned int pattern_sum;
    __shared__ float score_of_warp[4];
    __shared__ int offset_of_warp[4];

    const int t = threadIdx.x, point = blockIdx.x;
    if (t == 0) pattern_sum = 0;
    const unsigned char *corner = frame + (size_t)top[point] * width + left[point];
    unsigned char *bytes = reinterpret_cast<unsigned char *>(window);
    for (int i = t; i < ROWS * PITCH * 4; i += blockDim.x) {
        const int row = i / (PITCH * 4), col = i % (PITCH * 4);
        bytes[i] = corner[row * width + col];
    }
    __syncthreads();
    unsigned int part = 0;
    for (int i = t; i < SIDE * WORDS; i += blockDim.x) {
        const unsigned int w = templates[(size_t)point * SIDE * WORDS + i];
        pattern[i / WORDS][i % WORDS] = w;
        part = __dp4a(w, 0x01010101u, part);
    }
    part = __reduce_add_sync(0xffffffffu, part);
    if ((t & 31) == 0) atomicAdd(&pattern_sum, part);
    __syncthreads();

    float best = -1e30f;
    int where = 0;
    for (int offset = t; offset < SHIFTS * SHIFTS; offset += blockDim.x) {
        const int dy = offset / SHIFTS, dx = offset % SHIFTS;
        const int word = dx >> 2, shift = (dx & 3) * 8;
        unsigned int product = 0, sum = 0, squares = 0;
        for (int row = 0; row < SIDE; ++row) {
            unsigned int now = window[dy + row][word];
#pragma unroll
            for (int i = 0; i < WORDS; ++i) {
                const unsigned int next = window[dy + row][word + i + 1];
                const unsigned int four = __funnelshift_r(now, next, shift);
                product = __dp4a(four, pattern[row][i], product);
                squares = __dp4a(four, four, squares);
                sum = __dp4a(four, 0x01010101u, sum);
                now = next;
            }
        }
        const long long covariance = (long long)PIXELS * product - (long long)sum * pattern_sum;
        const long long variance = (long long)PIXELS * squares - (long long)sum * sum;
        const float score = (float)covariance * rsqrtf((float)variance + 1.f);
        if (score > best) {
            best = score;
            where = offset;
        }
    }

#pragma unroll
    for (int lanes = 16; lanes > 0; lanes >>= 1) {
        const float other = __shfl_down_sync(0xffffffffu, best, lanes);
        const int other_where = __shfl_down_sync(0xffffffffu, where, lanes);
        if (other > best) {
            best = other;
            where = other_where;
        }
    }
    if ((t & 31) == 0) {
        score_of_warp[t >> 5] = best;
        offset_of_warp[t >> 5] = where;
    }
    __syncthreads();
    if (t != 0) return;
    for (int w = 1; w < 4; ++w) {
        if (score_of_warp[w] > best) {
            best = score_of_warp[w];
            where = offset_of_warp[w];
        }
    }
    best_offset[point] = where;
    best_score[point] = best;
}
