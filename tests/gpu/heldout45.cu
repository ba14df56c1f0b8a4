#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float sum_over_warp(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}

/* kmutate launch
   int m = 1024, n = 1024, k = 768;
   dim3 grid = { n / 32, m / 8 }, block = { 32, 8 };
   float a[m * k] = uniform(-1, 1);
   float b[k * n] = uniform(-1, 1);
   float c[m * n] = uniform(-1, 1);
   sgemm_first_version_one_output_per_thread(a, b, c, m, n, k, 0.75f, 0.25f);
*/
__global__ void sgemm_first_version_one_output_per_thread(const float *__restrict__ a, const float *__restrict__ b,
                                                          float *__restrict__ c, int m, int n, int k, float alpha,
                                                          float beta)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.f;
    for (int i = 0; i < k; ++i) sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
    const size_t at = (size_t)row * n + col;
    c[at] = alpha * sum + beta * c[at];
}

/* kmutate launch
   int tokens = 1000, inputs = 1024, outputs = 1160;
   dim3 grid = { (outputs + 63) / 64, (tokens + 63) / 64 }, block = { 512 };
   float x[tokens * inputs] = normal();
   float weight[outputs * inputs] = normal(0, 0.02);
   float bias[outputs] = normal(0, 0.1);
   float y[tokens * outputs] = zeros();
   linear_layer_with_relu_eight_rows_per_thread(x, weight, bias, y, tokens, inputs, outputs);
*/
__global__ void __launch_bounds__(512)
linear_layer_with_relu_eight_rows_per_thread(const float *__restrict__ x, const float *__restrict__ weight,
                                             const float *__restrict__ bias, float *__restrict__ y, int tokens,
                                             int inputs, int outputs)
{
    constexpr int TILE = 64, DEPTH = 8, ROWS = 8;
    __shared__ float xs[TILE][DEPTH];
    __shared__ float ws[DEPTH][TILE + 1];

    const int load_row = threadIdx.x / DEPTH, load_k = threadIdx.x % DEPTH;
    const int col = threadIdx.x % TILE, first = threadIdx.x / TILE * ROWS;
    const int token = blockIdx.y * TILE + load_row, output = blockIdx.x * TILE + load_row;

    float sum[ROWS] = {};
    for (int k0 = 0; k0 < inputs; k0 += DEPTH) {
        const int k = k0 + load_k;
        xs[load_row][load_k] = token < tokens && k < inputs ? x[(size_t)token * inputs + k] : 0.f;
        ws[load_k][load_row] = output < outputs && k < inputs ? weight[(size_t)output * inputs + k] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            const float w = ws[i][col];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) sum[r] = fmaf(xs[first + r][i], w, sum[r]);
        }
        __syncthreads();
    }

    const int out_col = blockIdx.x * TILE + col;
    if (out_col >= outputs) return;
    const float shift = bias[out_col];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int row = blockIdx.y * TILE + first + r;
        if (row < tokens) y[(size_t)row * outputs + out_col] = fmaxf(sum[r] + shift, 0.f);
    }
}

/* kmutate launch
   int m = 2048, n = 1536, k = 1536;
   dim3 grid = { n / 128, m / 128 }, block = { 256 };
   float a[m * k] = normal();
   float b[k * n] = normal();
   float c[m * n] = zeros();
   sgemm_128_by_128_float4_double_buffered((float4 *)a, (float4 *)b, (float4 *)c, n, k);
*/
__global__ void __launch_bounds__(256)
sgemm_128_by_128_float4_double_buffered(const float4 *__restrict__ a, const float4 *__restrict__ b,
                                        float4 *__restrict__ c, int n, int k)
{
    constexpr int TILE = 128, DEPTH = 8;
    __shared__ __align__(16) float as[2][DEPTH][TILE + 4];
    __shared__ __align__(16) float bs[2][DEPTH][TILE];

    const int t = threadIdx.x;
    const int a_row = t >> 1, a_k = (t & 1) * 4;
    const int b_k = t >> 5, b_col = (t & 31) * 4;
    const int row = (t >> 4) * 4, col = (t & 15) * 4;
    const float4 *a_from = a + ((size_t)(blockIdx.y * TILE + a_row) * k + a_k) / 4;
    const float4 *b_from = b + ((size_t)b_k * n + blockIdx.x * TILE + b_col) / 4;
    const size_t b_step = (size_t)DEPTH * n / 4;

    float4 next_a = *a_from, next_b = *b_from;
    as[0][a_k][a_row] = next_a.x;
    as[0][a_k + 1][a_row] = next_a.y;
    as[0][a_k + 2][a_row] = next_a.z;
    as[0][a_k + 3][a_row] = next_a.w;
    *reinterpret_cast<float4 *>(&bs[0][b_k][b_col]) = next_b;
    __syncthreads();

    float sum[8][8] = {};
    const int steps = k / DEPTH;
    for (int s = 0; s < steps; ++s) {
        const int now = s & 1;
        if (s + 1 < steps) {
            a_from += DEPTH / 4;
            b_from += b_step;
            next_a = *a_from;
            next_b = *b_from;
        }
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float u[8], v[8];
            *reinterpret_cast<float4 *>(u) = *reinterpret_cast<const float4 *>(&as[now][i][row]);
            *reinterpret_cast<float4 *>(u + 4) = *reinterpret_cast<const float4 *>(&as[now][i][row + 64]);
            *reinterpret_cast<float4 *>(v) = *reinterpret_cast<const float4 *>(&bs[now][i][col]);
            *reinterpret_cast<float4 *>(v + 4) = *reinterpret_cast<const float4 *>(&bs[now][i][col + 64]);
#pragma unroll
            for (int y = 0; y < 8; ++y)
#pragma unroll
                for (int x = 0; x < 8; ++x) sum[y][x] = fmaf(u[y], v[x], sum[y][x]);
        }
        if (s + 1 < steps) {
            const int other = now ^ 1;
            as[other][a_k][a_row] = next_a.x;
            as[other][a_k + 1][a_row] = next_a.y;
            as[other][a_k + 2][a_row] = next_a.z;
            as[other][a_k + 3][a_row] = next_a.w;
            *reinterpret_cast<float4 *>(&bs[other][b_k][b_col]) = next_b;
            __syncthreads();
        }
    }

#pragma unroll
    for (int y = 0; y < 8; ++y) {
        const int out_row = blockIdx.y * TILE + row + (y < 4 ? y : 60 + y);
        float4 *out = c + ((size_t)out_row * n + blockIdx.x * TILE + col) / 4;
        out[0] = make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
        out[16] = make_float4(sum[y][4], sum[y][5], sum[y][6], sum[y][7]);
    }
}

/* kmutate launch
   int rows = 28672, cols = 8192;
   dim3 grid = { rows / 8 }, block = { 256 };
   unsigned int packed[rows * (cols / 8)] = randint(0, 0xffffffffu);
   half scale_zero[2 * rows * (cols / 128)] = uniform(0.001, 0.01);
   half x[cols] = normal();
   half y[rows] = zeros();
   four_bit_group_quantized_matvec_row_per_warp(packed, (half2 *)scale_zero, (uint4 *)x, y, rows);
*/
__global__ void four_bit_group_quantized_matvec_row_per_warp(const unsigned int *__restrict__ packed,
                                                             const half2 *__restrict__ scale_zero,
                                                             const uint4 *__restrict__ x, half *__restrict__ y, int rows)
{
    constexpr int COLS = 8192, GROUP = 128;
    __shared__ uint4 xs[COLS / 8];
    for (int i = threadIdx.x; i < COLS / 8; i += blockDim.x) xs[i] = x[i];
    __syncthreads();

    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    const unsigned int *words = packed + (size_t)row * (COLS / 8);
    const half2 *groups = scale_zero + (size_t)row * (COLS / GROUP);

    float total = 0.f;
#pragma unroll 4
    for (int i = lane; i < COLS / 8; i += 32) {
        const unsigned int w = words[i];
        const uint4 v = xs[i];
        const float2 sz = __half22float2(groups[i / (GROUP / 8)]);
        const half2 *h = reinterpret_cast<const half2 *>(&v);
        float dot = 0.f, plain = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(h[j]);
            dot = fmaf((float)(w >> (8 * j) & 15u), f.x, dot);
            dot = fmaf((float)(w >> (8 * j + 4) & 15u), f.y, dot);
            plain += f.x + f.y;
        }
        total = fmaf(sz.x, dot, fmaf(-8.f * sz.y, plain, total));
    }
    total = sum_over_warp(total);
    if (lane == 0) y[row] = __float2half(total);
}

/* kmutate launch
   int m = 512, n = 2048, k = 4096;
   dim3 grid = { n / 64, m / 64 }, block = { 16, 16 };
   signed char activations[m * k] = randint(-127, 128);
   signed char weights[n * k] = randint(-127, 128);
   float row_scale[m] = uniform(0.001, 0.01), col_scale[n] = uniform(0.0001, 0.001);
   half out[m * n] = zeros();
   int8_linear_by_dp4a_with_row_and_column_scales((int4 *)activations, (int4 *)weights, row_scale, col_scale,
                                                  (half2 *)out, n, k / 16);
*/
__global__ void __launch_bounds__(256)
int8_linear_by_dp4a_with_row_and_column_scales(const int4 *__restrict__ activations, const int4 *__restrict__ weights,
                                               const float *__restrict__ row_scale, const float *__restrict__ col_scale,
                                               half2 *__restrict__ out, int n, int quads)
{
    constexpr int TILE = 64, WORDS = 16;
    __shared__ __align__(16) int xs[WORDS][TILE + 4];
    __shared__ __align__(16) int ws[WORDS][TILE + 4];

    const int t = threadIdx.y * 16 + threadIdx.x;
    const int line = t >> 2, quad = t & 3;
    const int4 *x_from = activations + (size_t)(blockIdx.y * TILE + line) * quads + quad;
    const int4 *w_from = weights + (size_t)(blockIdx.x * TILE + line) * quads + quad;

    int sum[4][4] = {};
    for (int q = 0; q < quads; q += 4) {
        const int4 x = x_from[q], w = w_from[q];
        xs[4 * quad][line] = x.x;
        xs[4 * quad + 1][line] = x.y;
        xs[4 * quad + 2][line] = x.z;
        xs[4 * quad + 3][line] = x.w;
        ws[4 * quad][line] = w.x;
        ws[4 * quad + 1][line] = w.y;
        ws[4 * quad + 2][line] = w.z;
        ws[4 * quad + 3][line] = w.w;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < WORDS; ++i) {
            const int4 u = *reinterpret_cast<const int4 *>(&xs[i][threadIdx.y * 4]);
            const int4 v = *reinterpret_cast<const int4 *>(&ws[i][threadIdx.x * 4]);
            const int us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int r = 0; r < 4; ++r)
#pragma unroll
                for (int c = 0; c < 4; ++c) sum[r][c] = __dp4a(us[r], vs[c], sum[r][c]);
        }
        __syncthreads();
    }

    const int col = blockIdx.x * TILE + threadIdx.x * 4;
    const float4 cs = *reinterpret_cast<const float4 *>(col_scale + col);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int row = blockIdx.y * TILE + threadIdx.y * 4 + r;
        const float rs = row_scale[row];
        half2 *to = out + ((size_t)row * n + col) / 2;
        to[0] = __floats2half2_rn((float)sum[r][0] * rs * cs.x, (float)sum[r][1] * rs * cs.y);
        to[1] = __floats2half2_rn((float)sum[r][2] * rs * cs.z, (float)sum[r][3] * rs * cs.w);
    }
}

/* kmutate launch
   int heads = 64, length = 1024;
   int rows = heads * length;
   dim3 grid = { rows / 4 }, block = { 128 };
   half scores[rows * length] = normal(0, 8);
   half probabilities[rows * length] = zeros();
   causal_online_softmax_of_half_score_rows((half2 *)scores, (half2 *)probabilities, rows, length, 0.125f);
*/
__global__ void causal_online_softmax_of_half_score_rows(const half2 *__restrict__ scores,
                                                         half2 *__restrict__ probabilities, int rows, int length,
                                                         float scale)
{
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    const int last = row % length, pairs = length / 2;
    const half2 *from = scores + (size_t)row * pairs;
    half2 *to = probabilities + (size_t)row * pairs;

    float top = -1e30f, sum = 0.f;
    for (int j = lane; 2 * j <= last; j += 32) {
        float2 s = __half22float2(from[j]);
        s.x *= scale;
        s.y = 2 * j + 1 <= last ? s.y * scale : -1e30f;
        const float higher = fmaxf(top, fmaxf(s.x, s.y));
        sum = sum * __expf(top - higher) + __expf(s.x - higher) + __expf(s.y - higher);
        top = higher;
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        const float other_top = __shfl_xor_sync(0xffffffffu, top, offset);
        const float other_sum = __shfl_xor_sync(0xffffffffu, sum, offset);
        const float higher = fmaxf(top, other_top);
        sum = sum * __expf(top - higher) + other_sum * __expf(other_top - higher);
        top = higher;
    }

    const float inverse = 1.f / sum;
    for (int j = lane; j < pairs; j += 32) {
        float2 p = make_float2(0.f, 0.f);
        if (2 * j <= last) {
            const float2 s = __half22float2(from[j]);
            p.x = __expf(s.x * scale - top) * inverse;
            if (2 * j + 1 <= last) p.y = __expf(s.y * scale - top) * inverse;
        }
        to[j] = __float22half2_rn(p);
    }
}

/* kmutate launch
   int heads = 32, length = 1024;
   dim3 grid = { length / 128, heads }, block = { 128 };
   float q[heads * length * 64] = normal();
   float k[heads * length * 64] = normal();
   float v[heads * length * 64] = normal();
   float out[heads * length * 64] = zeros();
   float log_sum[heads * length] = zeros();
   tiled_causal_attention_one_query_per_thread((float4 *)q, (float4 *)k, (float4 *)v, (float4 *)out, log_sum, length,
                                               0.125f);
*/
__global__ void __launch_bounds__(128)
tiled_causal_attention_one_query_per_thread(const float4 *__restrict__ q, const float4 *__restrict__ k,
                                            const float4 *__restrict__ v, float4 *__restrict__ out,
                                            float *__restrict__ log_sum, int length, float scale)
{
    constexpr int VECTORS = 16, KEYS = 32, CHUNK = 8;
    __shared__ float4 ks[KEYS][VECTORS];
    __shared__ float4 vs[KEYS][VECTORS];

    // The last queries see most keys: they start first.
    const int first_query = (gridDim.x - 1 - blockIdx.x) * blockDim.x;
    const int query = first_query + threadIdx.x;
    const size_t head = (size_t)blockIdx.y * length;

    float4 mine[VECTORS], acc[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
        const float4 x = q[(head + query) * VECTORS + i];
        mine[i] = make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
        acc[i] = make_float4(0.f, 0.f, 0.f, 0.f);
    }

    float top = -1e30f, sum = 0.f;
    const int end = first_query + blockDim.x;
    for (int tile = 0; tile < end; tile += KEYS) {
        for (int i = threadIdx.x; i < KEYS * VECTORS; i += blockDim.x) {
            (&ks[0][0])[i] = k[(head + tile) * VECTORS + i];
            (&vs[0][0])[i] = v[(head + tile) * VECTORS + i];
        }
        __syncthreads();
        for (int c = 0; c < KEYS && tile + c <= query; c += CHUNK) {
            float s[CHUNK], higher = top;
#pragma unroll
            for (int j = 0; j < CHUNK; ++j) {
                float dot = 0.f;
#pragma unroll
                for (int i = 0; i < VECTORS; ++i) {
                    const float4 x = ks[c + j][i];
                    dot += mine[i].x * x.x + mine[i].y * x.y + mine[i].z * x.z + mine[i].w * x.w;
                }
                s[j] = tile + c + j <= query ? dot : -1e30f;
                higher = fmaxf(higher, s[j]);
            }
            const float shrink = __expf(top - higher);
            top = higher;
            sum *= shrink;
#pragma unroll
            for (int i = 0; i < VECTORS; ++i) {
                acc[i].x *= shrink;
                acc[i].y *= shrink;
                acc[i].z *= shrink;
                acc[i].w *= shrink;
            }
#pragma unroll
            for (int j = 0; j < CHUNK; ++j) {
                const float p = __expf(s[j] - top);
                sum += p;
#pragma unroll
                for (int i = 0; i < VECTORS; ++i) {
                    const float4 x = vs[c + j][i];
                    acc[i].x = fmaf(p, x.x, acc[i].x);
                    acc[i].y = fmaf(p, x.y, acc[i].y);
                    acc[i].z = fmaf(p, x.z, acc[i].z);
                    acc[i].w = fmaf(p, x.w, acc[i].w);
                }
            }
        }
        __syncthreads();
    }

    const float inverse = 1.f / sum;
#pragma unroll
    for (int i = 0; i < VECTORS; ++i)
        out[(head + query) * VECTORS + i] =
            make_float4(acc[i].x * inverse, acc[i].y * inverse, acc[i].z * inverse, acc[i].w * inverse);
    log_sum[head + query] = top + __logf(sum);
}

__device__ __forceinline__ float4 unpack_four_halves(uint2 packed)
{
    const float2 low = __half22float2(*reinterpret_cast<const half2 *>(&packed.x));
    const float2 high = __half22float2(*reinterpret_cast<const half2 *>(&packed.y));
    return make_float4(low.x, low.y, high.x, high.y);
}

/* kmutate launch
   int sequences = 16, kv_heads = 8, splits = 8, pages_each = 256;
   int pages = sequences * pages_each;
   dim3 grid = { splits, kv_heads, sequences }, block = { 128 };
   float q[sequences * kv_heads * 4 * 128] = normal();
   half keys[pages * kv_heads * 16 * 128] = normal();
   half values[pages * kv_heads * 16 * 128] = normal();
   int page_table[pages] = permutation();
   int context[sequences] = randint(2000, 4097);
   float partial[sequences * kv_heads * 4 * splits * 128] = zeros();
   float2 top_and_sum[sequences * kv_heads * 4 * splits] = zeros();
   paged_decode_attention_partials_of_four_grouped_heads((float4 *)q, (uint2 *)keys, (uint2 *)values, page_table, context,
                                                         (float4 *)partial, top_and_sum, pages_each, 0.08838835f);
*/
__global__ void __launch_bounds__(128)
paged_decode_attention_partials_of_four_grouped_heads(const float4 *__restrict__ q, const uint2 *__restrict__ keys,
                                                      const uint2 *__restrict__ values,
                                                      const int *__restrict__ page_table,
                                                      const int *__restrict__ context, float4 *__restrict__ partial,
                                                      float2 *__restrict__ top_and_sum, int pages_each, float scale)
{
    constexpr int HEADS = 4, PAGE = 16, LANES = 32, SPLIT = 512, WARPS = 4;
    __shared__ float4 warp_acc[WARPS][HEADS][LANES];
    __shared__ float2 warp_state[WARPS][HEADS];

    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int split = blockIdx.x, kv_head = blockIdx.y, sequence = blockIdx.z;
    const int group = (sequence * gridDim.y + kv_head) * HEADS;

    float4 query[HEADS], acc[HEADS];
    float top[HEADS], sum[HEADS];
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        const float4 x = q[(group + h) * LANES + lane];
        query[h] = make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
        acc[h] = make_float4(0.f, 0.f, 0.f, 0.f);
        top[h] = -1e30f;
        sum[h] = 0.f;
    }

    const int end = min(context[sequence], (split + 1) * SPLIT);
    const int *pages = page_table + sequence * pages_each;
    for (int token = split * SPLIT + warp; token < end; token += WARPS) {
        const size_t line = ((size_t)pages[token / PAGE] * gridDim.y + kv_head) * PAGE + token % PAGE;
        const float4 key = unpack_four_halves(keys[line * LANES + lane]);
        const float4 value = unpack_four_halves(values[line * LANES + lane]);
#pragma unroll
        for (int h = 0; h < HEADS; ++h) {
            const float s = sum_over_warp(query[h].x * key.x + query[h].y * key.y + query[h].z * key.z +
                                          query[h].w * key.w);
            const float higher = fmaxf(top[h], s);
            const float shrink = __expf(top[h] - higher), p = __expf(s - higher);
            top[h] = higher;
            sum[h] = fmaf(sum[h], shrink, p);
            acc[h].x = fmaf(acc[h].x, shrink, p * value.x);
            acc[h].y = fmaf(acc[h].y, shrink, p * value.y);
            acc[h].z = fmaf(acc[h].z, shrink, p * value.z);
            acc[h].w = fmaf(acc[h].w, shrink, p * value.w);
        }
    }

#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        warp_acc[warp][h][lane] = acc[h];
        if (lane == 0) warp_state[warp][h] = make_float2(top[h], sum[h]);
    }
    __syncthreads();

    // Each warp joins the results of one head.
    float joint_top = -1e30f, joint_sum = 0.f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) joint_top = fmaxf(joint_top, warp_state[w][warp].x);
    float4 joint = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
        const float2 state = warp_state[w][warp];
        const float factor = __expf(state.x - joint_top);
        const float4 x = warp_acc[w][warp][lane];
        joint_sum = fmaf(factor, state.y, joint_sum);
        joint.x = fmaf(factor, x.x, joint.x);
        joint.y = fmaf(factor, x.y, joint.y);
        joint.z = fmaf(factor, x.z, joint.z);
        joint.w = fmaf(factor, x.w, joint.w);
    }
    const int slot = (group + warp) * gridDim.x + split;
    partial[slot * LANES + lane] = joint;
    if (lane == 0) top_and_sum[slot] = make_float2(joint_top, joint_sum);
}

/* kmutate launch
   int rows = 16384, channels = 768;
   dim3 grid = { 264 }, block = { 256 };
   float dout[rows * channels] = normal(0, 0.1);
   float input[rows * channels] = normal();
   float weight[channels] = uniform(0.5, 1.5);
   float mean[rows] = normal(0, 0.05), rstd[rows] = uniform(0.8, 1.2);
   float dinput[rows * channels] = zeros();
   float partials[264 * 2 * channels] = zeros();
   layer_norm_backward_with_partials_per_block((float4 *)dout, (float4 *)input, (float4 *)weight, mean, rstd,
                                               (float4 *)dinput, (float4 *)partials, rows);
*/
__global__ void __launch_bounds__(256)
layer_norm_backward_with_partials_per_block(const float4 *__restrict__ dout, const float4 *__restrict__ input,
                                            const float4 *__restrict__ weight, const float *__restrict__ mean,
                                            const float *__restrict__ rstd, float4 *__restrict__ dinput,
                                            float4 *__restrict__ partials, int rows)
{
    constexpr int CHANNELS = 768, VECTORS = CHANNELS / 4, EACH = VECTORS / 32;
    __shared__ float4 dweight_sum[VECTORS];
    __shared__ float4 dbias_sum[VECTORS];

    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    for (int i = threadIdx.x; i < VECTORS; i += blockDim.x)
        dweight_sum[i] = dbias_sum[i] = make_float4(0.f, 0.f, 0.f, 0.f);

    float4 dweight[EACH] = {}, dbias[EACH] = {};
    for (int row = blockIdx.x * warps + warp; row < rows; row += gridDim.x * warps) {
        const float mu = mean[row], inverse = rstd[row];
        const size_t base = (size_t)row * VECTORS;
        float4 normed[EACH], grad[EACH];
        float sum = 0.f, weighted = 0.f;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int at = i * 32 + lane;
            const float4 d = dout[base + at], x = input[base + at], w = weight[at];
            const float4 y = make_float4((x.x - mu) * inverse, (x.y - mu) * inverse, (x.z - mu) * inverse,
                                         (x.w - mu) * inverse);
            const float4 g = make_float4(d.x * w.x, d.y * w.y, d.z * w.z, d.w * w.w);
            sum += g.x + g.y + g.z + g.w;
            weighted += g.x * y.x + g.y * y.y + g.z * y.z + g.w * y.w;
            dbias[i].x += d.x;
            dbias[i].y += d.y;
            dbias[i].z += d.z;
            dbias[i].w += d.w;
            dweight[i].x = fmaf(d.x, y.x, dweight[i].x);
            dweight[i].y = fmaf(d.y, y.y, dweight[i].y);
            dweight[i].z = fmaf(d.z, y.z, dweight[i].z);
            dweight[i].w = fmaf(d.w, y.w, dweight[i].w);
            normed[i] = y;
            grad[i] = g;
        }
        sum = sum_over_warp(sum) * (1.f / CHANNELS);
        weighted = sum_over_warp(weighted) * (1.f / CHANNELS);
#pragma unroll
        for (int i = 0; i < EACH; ++i)
            dinput[base + i * 32 + lane] = make_float4((grad[i].x - sum - normed[i].x * weighted) * inverse,
                                                       (grad[i].y - sum - normed[i].y * weighted) * inverse,
                                                       (grad[i].z - sum - normed[i].z * weighted) * inverse,
                                                       (grad[i].w - sum - normed[i].w * weighted) * inverse);
    }

    // One warp after the other, so that the order of the sums is fixed.
    for (int turn = 0; turn < warps; ++turn) {
        __syncthreads();
        if (turn == warp) {
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                float4 w = dweight_sum[i * 32 + lane], b = dbias_sum[i * 32 + lane];
                w.x += dweight[i].x;
                w.y += dweight[i].y;
                w.z += dweight[i].z;
                w.w += dweight[i].w;
                b.x += dbias[i].x;
                b.y += dbias[i].y;
                b.z += dbias[i].z;
                b.w += dbias[i].w;
                dweight_sum[i * 32 + lane] = w;
                dbias_sum[i * 32 + lane] = b;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < VECTORS; i += blockDim.x) {
        partials[(size_t)blockIdx.x * 2 * VECTORS + i] = dweight_sum[i];
        partials[((size_t)blockIdx.x * 2 + 1) * VECTORS + i] = dbias_sum[i];
    }
}

struct ParameterState {
    float master, momentum, variance;
};

/* kmutate launch
   struct ParameterState { float master, momentum, variance; };
   int n = 12000000;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   float states[3 * n] = uniform(0.0001, 0.01);
   __nv_bfloat16 gradient[n] = normal(0, 4);
   __nv_bfloat16 parameter[n] = zeros();
   adamw_of_interleaved_states_with_bf16_copy((struct ParameterState *)states, gradient, parameter, n, 0.0003f, 0.9f,
                                              0.95f, 0.1f, 1.25f, 1.0526f, 1e-8f, 0.0009765625f);
*/
__global__ void adamw_of_interleaved_states_with_bf16_copy(ParameterState *__restrict__ states,
                                                           const __nv_bfloat16 *__restrict__ gradient,
                                                           __nv_bfloat16 *__restrict__ parameter, int n, float rate,
                                                           float beta1, float beta2, float decay, float correction1,
                                                           float correction2, float epsilon, float unscale)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ParameterState s = states[i];
    const float g = __bfloat162float(gradient[i]) * unscale;
    s.momentum = beta1 * s.momentum + (1.f - beta1) * g;
    s.variance = beta2 * s.variance + (1.f - beta2) * g * g;
    const float step = s.momentum * correction1 / (sqrtf(s.variance * correction2) + epsilon);
    s.master -= rate * (step + decay * s.master);
    states[i] = s;
    parameter[i] = __float2bfloat16(s.master);
}

/* kmutate launch
   int rows = 1024, vocabulary = 50257, stride = 50304;
   dim3 grid = { rows }, block = { 512 };
   float logits[rows * stride] = normal(0, 2);
   int targets[rows] = randint(0, 50257);
   float losses[rows] = zeros();
   cross_entropy_turns_logits_into_their_gradient(logits, targets, losses, vocabulary, stride, 0.0009765625f);
*/
__global__ void __launch_bounds__(512)
cross_entropy_turns_logits_into_their_gradient(float *__restrict__ logits, const int *__restrict__ targets,
                                               float *__restrict__ losses, int vocabulary, int stride, float dloss)
{
    __shared__ float tops[16], sums[16];
    __shared__ float target_logit;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float *row = logits + (size_t)blockIdx.x * stride;
    float4 *vectors = reinterpret_cast<float4 *>(row);
    const int whole = vocabulary / 4, target = targets[blockIdx.x];
    if (threadIdx.x == 0) target_logit = row[target];

    float top = -1e30f, sum = 0.f;
    for (int i = threadIdx.x; i < whole; i += blockDim.x) {
        const float4 x = vectors[i];
        const float higher = fmaxf(fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)), top);
        sum = sum * __expf(top - higher) + __expf(x.x - higher) + __expf(x.y - higher) + __expf(x.z - higher) +
              __expf(x.w - higher);
        top = higher;
    }
    for (int i = 4 * whole + threadIdx.x; i < vocabulary; i += blockDim.x) {
        const float x = row[i], higher = fmaxf(x, top);
        sum = sum * __expf(top - higher) + __expf(x - higher);
        top = higher;
    }

    float joint_top = top;
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1)
        joint_top = fmaxf(joint_top, __shfl_xor_sync(0xffffffffu, joint_top, offset));
    sum = sum_over_warp(sum * __expf(top - joint_top));
    if (lane == 0) {
        tops[warp] = joint_top;
        sums[warp] = sum;
    }
    __syncthreads();
    const int warps = blockDim.x >> 5;
    top = tops[0];
    for (int w = 1; w < warps; ++w) top = fmaxf(top, tops[w]);
    sum = 0.f;
    for (int w = 0; w < warps; ++w) sum += sums[w] * __expf(tops[w] - top);

    const float factor = dloss / sum;
    if (threadIdx.x == 0) losses[blockIdx.x] = __logf(sum) + top - target_logit;
    for (int i = threadIdx.x; i < whole; i += blockDim.x) {
        float4 x = vectors[i];
        x.x = __expf(x.x - top) * factor - (4 * i == target ? dloss : 0.f);
        x.y = __expf(x.y - top) * factor - (4 * i + 1 == target ? dloss : 0.f);
        x.z = __expf(x.z - top) * factor - (4 * i + 2 == target ? dloss : 0.f);
        x.w = __expf(x.w - top) * factor - (4 * i + 3 == target ? dloss : 0.f);
        vectors[i] = x;
    }
    for (int i = 4 * whole + threadIdx.x; i < vocabulary; i += blockDim.x)
        row[i] = __expf(row[i] - top) * factor - (i == target ? dloss : 0.f);
}

/* kmutate launch
   int batch = 16, length = 1024, heads = 12, size = 64;
   int n = batch * heads * length * size;
   dim3 grid = { (n + 255) / 256 }, block = { 256 };
   float qkv[3 * n] = normal();
   float q[n] = zeros(), k[n] = zeros(), v[n] = zeros();
   separate_joint_qkv_projection_by_head(qkv, q, k, v, length, heads, size, n);
*/
__global__ void separate_joint_qkv_projection_by_head(const float *__restrict__ qkv, float *__restrict__ q,
                                                      float *__restrict__ k, float *__restrict__ v, int length,
                                                      int heads, int size, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int channel = i % size;
    const int t = i / size % length;
    const int head = i / (size * length) % heads;
    const int b = i / (size * length * heads);
    const int width = heads * size;
    const float *from = qkv + (size_t)(b * length + t) * 3 * width + head * size + channel;
    q[i] = from[0];
    k[i] = from[width];
    v[i] = from[2 * width];
}

/* kmutate launch
   int tokens = 16384, channels = 768, vocabulary = 50257;
   dim3 grid = { tokens }, block = { 256 };
   __nv_bfloat16 dout[tokens * channels] = normal(0, 0.1);
   int ids[tokens] = randint(0, 50257);
   float dtable[vocabulary * channels] = zeros();
   token_embedding_gradient_scattered_by_atomics(dout, ids, dtable, channels, 0, 0.125f);
*/
__global__ void token_embedding_gradient_scattered_by_atomics(const __nv_bfloat16 *__restrict__ dout,
                                                              const int *__restrict__ ids, float *__restrict__ dtable,
                                                              int channels, int padding_id, float scale)
{
    const int id = ids[blockIdx.x];
    if (id == padding_id) return;
    const __nv_bfloat16 *from = dout + (size_t)blockIdx.x * channels;
    float *to = dtable + (size_t)id * channels;
    for (int c = threadIdx.x; c < channels; c += blockDim.x) atomicAdd(to + c, __bfloat162float(from[c]) * scale);
}

/* kmutate launch
   int tokens = 8192, heads = 40;
   dim3 grid = { heads / 4, tokens }, block = { 64, 4 };
   half qk[tokens * heads * 128] = normal();
   int positions[tokens] = randint(0, 32768);
   rotary_embedding_in_place_with_computed_angles(qk, positions, heads, 0.2076205f);
*/
__global__ void rotary_embedding_in_place_with_computed_angles(half *__restrict__ qk, const int *__restrict__ positions,
                                                               int heads, float log2_base_over_pairs)
{
    const int pair = threadIdx.x, token = blockIdx.y;
    const int head = blockIdx.x * blockDim.y + threadIdx.y;
    if (head >= heads) return;
    const float frequency = exp2f(-log2_base_over_pairs * (float)pair);
    float s, c;
    sincosf((float)positions[token] * frequency, &s, &c);
    half *first = qk + ((size_t)token * heads + head) * 128 + pair;
    half *second = first + 64;
    const float x = __half2float(*first), y = __half2float(*second);
    *first = __float2half(x * c - y * s);
    *second = __float2half(x * s + y * c);
}

/* kmutate launch
   int tokens = 131072;
   dim3 grid = { tokens / 32 }, block = { 256 };
   float logits[tokens * 64] = normal(0, 2);
   float bias[64] = normal(0, 0.1);
   unsigned char chosen[tokens * 8] = zeros();
   float gates[tokens * 8] = zeros();
   int load[64] = zeros();
   route_tokens_to_eight_of_sixty_four_experts((float2 *)logits, (float2 *)bias, chosen, gates, load, tokens);
*/
__global__ void route_tokens_to_eight_of_sixty_four_experts(const float2 *__restrict__ logits,
                                                            const float2 *__restrict__ bias,
                                                            unsigned char *__restrict__ chosen,
                                                            float *__restrict__ gates, int *__restrict__ load, int tokens)
{
    constexpr int EXPERTS = 64, CHOICES = 8, TOKENS_PER_WARP = 4;
    __shared__ int counts[EXPERTS];
    if (threadIdx.x < EXPERTS) counts[threadIdx.x] = 0;
    __syncthreads();

    const int lane = threadIdx.x & 31;
    const int first = (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * TOKENS_PER_WARP;
    const float2 shift = bias[lane];
    for (int t = 0; t < TOKENS_PER_WARP; ++t) {
        const int token = first + t;
        if (token >= tokens) break;
        float2 x = logits[(size_t)token * 32 + lane];
        x.x += shift.x;
        x.y += shift.y;

        float my_score = -1e30f, highest = 0.f;
        int my_expert = 0;
        for (int choice = 0; choice < CHOICES; ++choice) {
            float best = x.x >= x.y ? x.x : x.y;
            int expert = x.x >= x.y ? 2 * lane : 2 * lane + 1;
#pragma unroll
            for (int offset = 16; offset > 0; offset >>= 1) {
                const float other = __shfl_xor_sync(0xffffffffu, best, offset);
                const int other_expert = __shfl_xor_sync(0xffffffffu, expert, offset);
                if (other > best || (other == best && other_expert < expert)) {
                    best = other;
                    expert = other_expert;
                }
            }
            if (choice == 0) highest = best;
            if (lane == choice) {
                my_score = best;
                my_expert = expert;
            }
            if (expert >> 1 == lane) {
                if (expert & 1) x.y = -1e30f;
                else x.x = -1e30f;
            }
        }

        const float e = lane < CHOICES ? __expf(my_score - highest) : 0.f;
        const float total = sum_over_warp(e);
        if (lane < CHOICES) {
            chosen[(size_t)token * CHOICES + lane] = (unsigned char)my_expert;
            gates[(size_t)token * CHOICES + lane] = e / total;
            atomicAdd(&counts[my_expert], 1);
        }
    }
    __syncthreads();
    if (threadIdx.x < EXPERTS && counts[threadIdx.x] > 0) atomicAdd(&load[threadIdx.x], counts[threadIdx.x]);
}

/* kmutate launch
   int matrices = 16384;
   dim3 grid = { matrices / 4 }, block = { 128 };
   double factors[matrices * 1024] = uniform(-1, 1);
   double lower[matrices * 1024] = zeros();
   int failed_at[matrices] = zeros();
   damped_curvature_factor_cholesky_matrix_per_warp(factors, lower, failed_at, matrices, 32.0);
*/
__global__ void __launch_bounds__(128)
damped_curvature_factor_cholesky_matrix_per_warp(const double *__restrict__ factors, double *__restrict__ lower,
                                                 int *__restrict__ failed_at, int matrices, double damping)
{
    constexpr int N = 32;
    const int lane = threadIdx.x & 31;
    const int matrix = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (matrix >= matrices) return;
    const double *from = factors + (size_t)matrix * N * N;
    double *to = lower + (size_t)matrix * N * N;

    // Column-major; a lane holds its row of the lower triangle.
    double row[N];
#pragma unroll
    for (int j = 0; j < N; ++j) row[j] = from[j * N + lane] + (j == lane ? damping : 0.0);

    int failed = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        const double pivot = __shfl_sync(0xffffffffu, row[k], k);
        if (pivot <= 0.0 && failed == 0) failed = k + 1;
        row[k] *= rsqrt(pivot > 0.0 ? pivot : 1.0);
#pragma unroll
        for (int j = k + 1; j < N; ++j) row[j] = fma(-row[k], __shfl_sync(0xffffffffu, row[k], j), row[j]);
    }
#pragma unroll
    for (int j = 0; j < N; ++j) to[j * N + lane] = lane >= j ? row[j] : 0.0;
    if (lane == 0) failed_at[matrix] = failed;
}

struct Moments {
    float count, mean, squares;
};

__device__ __forceinline__ Moments join_moments(const Moments a, const Moments b)
{
    const float count = a.count + b.count;
    if (count == 0.f) return a;
    const float delta = b.mean - a.mean, share = b.count / count;
    return {count, fmaf(delta, share, a.mean), a.squares + b.squares + delta * delta * a.count * share};
}

/* kmutate launch
   int images = 64, channels = 160, plane = 56 * 56;
   dim3 grid = { channels }, block = { 512 };
   float x[images * channels * plane] = normal(0.5, 1.5);
   float mean[channels] = zeros(), rstd[channels] = zeros();
   float running_mean[channels] = zeros(), running_variance[channels] = ones();
   batch_norm_training_statistics_by_welford((float4 *)x, mean, rstd, running_mean, running_variance, images, channels,
                                             plane / 4, 0.1f, 1e-5f);
*/
__global__ void __launch_bounds__(512)
batch_norm_training_statistics_by_welford(const float4 *__restrict__ x, float *__restrict__ mean,
                                          float *__restrict__ rstd, float *__restrict__ running_mean,
                                          float *__restrict__ running_variance, int images, int channels, int vectors,
                                          float momentum, float epsilon)
{
    __shared__ Moments per_warp[16];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;

    Moments m = {0.f, 0.f, 0.f};
    for (int image = warp; image < images; image += warps) {
        const float4 *from = x + ((size_t)image * channels + blockIdx.x) * vectors;
        for (int i = lane; i < vectors; i += 32) {
            const float4 v = from[i];
            const float values[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                m.count += 1.f;
                const float delta = values[j] - m.mean;
                m.mean += __fdividef(delta, m.count);
                m.squares = fmaf(delta, values[j] - m.mean, m.squares);
            }
        }
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        const Moments other = {__shfl_down_sync(0xffffffffu, m.count, offset),
                               __shfl_down_sync(0xffffffffu, m.mean, offset),
                               __shfl_down_sync(0xffffffffu, m.squares, offset)};
        m = join_moments(m, other);
    }
    if (lane == 0) per_warp[warp] = m;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int w = 1; w < warps; ++w) m = join_moments(m, per_warp[w]);
    const int c = blockIdx.x;
    mean[c] = m.mean;
    rstd[c] = rsqrtf(m.squares / m.count + epsilon);
    running_mean[c] += momentum * (m.mean - running_mean[c]);
    running_variance[c] += momentum * (m.squares / (m.count - 1.f) - running_variance[c]);
}

/* kmutate launch
   int images = 64, height = 56, width = 56, pairs = 96;
   int threads = images * height * (width / 8) * pairs;
   dim3 grid = { threads / 192 }, block = { 192 };
   half input[2 * images * height * width * pairs] = normal();
   half weight[2 * 49 * pairs] = normal(0, 0.1);
   half bias[2 * pairs] = normal(0, 0.1);
   half output[2 * images * height * width * pairs] = zeros();
   depthwise_seven_by_seven_channels_last_half2((half2 *)input, (half2 *)weight, (half2 *)bias, (half2 *)output, height,
                                                width, pairs, threads);
*/
__global__ void __launch_bounds__(192)
depthwise_seven_by_seven_channels_last_half2(const half2 *__restrict__ input, const half2 *__restrict__ weight,
                                             const half2 *__restrict__ bias, half2 *__restrict__ output, int height,
                                             int width, int pairs, int threads)
{
    constexpr int TAPS = 7, REACH = 3, STRIP = 8;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    const int pair = i % pairs, strips = width / STRIP;
    const int x0 = i / pairs % strips * STRIP;
    const int line = i / (pairs * strips);
    const int y = line % height;
    const half2 *image = input + (size_t)(line - y) * width * pairs + pair;

    float2 sum[STRIP];
    const float2 start = __half22float2(bias[pair]);
#pragma unroll
    for (int s = 0; s < STRIP; ++s) sum[s] = start;

    for (int ky = 0; ky < TAPS; ++ky) {
        const int yy = y + ky - REACH;
        if (yy < 0 || yy >= height) continue;
        half2 window[STRIP + TAPS - 1];
#pragma unroll
        for (int j = 0; j < STRIP + TAPS - 1; ++j) {
            const int xx = x0 + j - REACH;
            window[j] = xx >= 0 && xx < width ? image[((size_t)yy * width + xx) * pairs] : __float2half2_rn(0.f);
        }
        // The seven products of a line are summed in half, the lines in float.
        half2 part[STRIP];
#pragma unroll
        for (int kx = 0; kx < TAPS; ++kx) {
            const half2 w = weight[(ky * TAPS + kx) * pairs + pair];
#pragma unroll
            for (int s = 0; s < STRIP; ++s)
                part[s] = kx == 0 ? __hmul2(w, window[s]) : __hfma2(w, window[s + kx], part[s]);
        }
#pragma unroll
        for (int s = 0; s < STRIP; ++s) {
            const float2 p = __half22float2(part[s]);
            sum[s].x += p.x;
            sum[s].y += p.y;
        }
    }
    half2 *to = output + ((size_t)line * width + x0) * pairs + pair;
#pragma unroll
    for (int s = 0; s < STRIP; ++s) to[(size_t)s * pairs] = __float22half2_rn(sum[s]);
}

/* kmutate launch
   int sentences = 48, vocabulary = 32000;
   dim3 grid = { sentences }, block = { 256 };
   float log_probability[sentences * 4 * vocabulary] = uniform(-20, -1);
   float score[sentences * 4] = uniform(-30, -28);
   float new_score[sentences * 4] = zeros();
   int new_token[sentences * 4] = zeros(), parent[sentences * 4] = zeros();
   beam_search_step_keeps_four_best_continuations(log_probability, score, new_score, new_token, parent, vocabulary, 3);
*/
__global__ void __launch_bounds__(256)
beam_search_step_keeps_four_best_continuations(const float *__restrict__ log_probability,
                                               const float *__restrict__ score, float *__restrict__ new_score,
                                               int *__restrict__ new_token, int *__restrict__ parent, int vocabulary,
                                               int forbidden)
{
    constexpr int BEAMS = 4, THREADS = 256;
    __shared__ float values[BEAMS][THREADS];
    __shared__ int places[BEAMS][THREADS];
    const int t = threadIdx.x;

    float value[BEAMS];
    int place[BEAMS];
#pragma unroll
    for (int j = 0; j < BEAMS; ++j) {
        value[j] = -1e30f;
        place[j] = 0;
    }
    for (int beam = 0; beam < BEAMS; ++beam) {
        const float base = score[blockIdx.x * BEAMS + beam];
        const float *from = log_probability + (size_t)(blockIdx.x * BEAMS + beam) * vocabulary;
        for (int token = t; token < vocabulary; token += THREADS) {
            float v = base + from[token];
            if (token == forbidden || v <= value[BEAMS - 1]) continue;
            int p = beam * vocabulary + token;
#pragma unroll
            for (int j = 0; j < BEAMS; ++j) {
                if (v > value[j]) {
                    const float lower_value = value[j];
                    const int lower_place = place[j];
                    value[j] = v;
                    place[j] = p;
                    v = lower_value;
                    p = lower_place;
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < BEAMS; ++j) {
        values[j][t] = value[j];
        places[j][t] = place[j];
    }
    __syncthreads();

    for (int half_way = THREADS / 2; half_way > 0; half_way >>= 1) {
        if (t < half_way) {
            int a = 0, b = 0;
            float merged[BEAMS];
            int merged_place[BEAMS];
#pragma unroll
            for (int j = 0; j < BEAMS; ++j) {
                const float u = values[a][t], v = values[b][t + half_way];
                const bool mine = u >= v;
                merged[j] = mine ? u : v;
                merged_place[j] = mine ? places[a][t] : places[b][t + half_way];
                a += mine;
                b += !mine;
            }
#pragma unroll
            for (int j = 0; j < BEAMS; ++j) {
                values[j][t] = merged[j];
                places[j][t] = merged_place[j];
            }
        }
        __syncthreads();
    }
    if (t < BEAMS) {
        const int at = blockIdx.x * BEAMS + t;
        new_score[at] = values[t][0];
        new_token[at] = places[t][0] % vocabulary;
        parent[at] = places[t][0] / vocabulary;
    }
}

__device__ __forceinline__ uint4 philox_ten_rounds(uint4 counter, uint2 key)
{
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const unsigned int low0 = 0xd2511f53u * counter.x, high0 = __umulhi(0xd2511f53u, counter.x);
        const unsigned int low1 = 0xcd9e8d57u * counter.z, high1 = __umulhi(0xcd9e8d57u, counter.z);
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

__device__ __forceinline__ unsigned int drop_and_add_two(unsigned int x, unsigned int residual, bool keep0, bool keep1,
                                                         float scale)
{
    const float2 a = __half22float2(*reinterpret_cast<const half2 *>(&x));
    const float2 r = __half22float2(*reinterpret_cast<const half2 *>(&residual));
    const half2 sum = __floats2half2_rn(keep0 ? fmaf(a.x, scale, r.x) : r.x, keep1 ? fmaf(a.y, scale, r.y) : r.y);
    return *reinterpret_cast<const unsigned int *>(&sum);
}

/* kmutate launch
   int n = 48000000;
   int vectors = n / 8;
   dim3 grid = { (vectors + 255) / 256 }, block = { 256 };
   half x[n] = normal();
   half residual[n] = normal();
   half out[n] = zeros();
   unsigned char kept[vectors] = zeros();
   residual_dropout_by_philox_with_packed_mask((uint4 *)x, (uint4 *)residual, (uint4 *)out, kept, vectors, 3865470566u,
                                               1.1111112f, 20220u, 17u);
*/
__global__ void residual_dropout_by_philox_with_packed_mask(const uint4 *__restrict__ x,
                                                            const uint4 *__restrict__ residual,
                                                            uint4 *__restrict__ out, unsigned char *__restrict__ kept,
                                                            int vectors, unsigned int threshold, float scale,
                                                            unsigned int seed, unsigned int step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors) return;
    const uint4 a = x[i], r = residual[i];
    const uint2 key = make_uint2(seed, step);
    const uint4 u = philox_ten_rounds(make_uint4((unsigned int)i, 0u, step, 0u), key);
    const uint4 v = philox_ten_rounds(make_uint4((unsigned int)i, 1u, step, 0u), key);
    const unsigned int mask = (u.x < threshold) | (u.y < threshold) << 1 | (u.z < threshold) << 2 |
                              (u.w < threshold) << 3 | (v.x < threshold) << 4 | (v.y < threshold) << 5 |
                              (v.z < threshold) << 6 | (v.w < threshold) << 7;
    out[i] = make_uint4(drop_and_add_two(a.x, r.x, mask & 1u, mask & 2u, scale),
                        drop_and_add_two(a.y, r.y, mask & 4u, mask & 8u, scale),
                        drop_and_add_two(a.z, r.z, mask & 16u, mask & 32u, scale),
                        drop_and_add_two(a.w, r.w, mask & 64u, mask & 128u, scale));
    kept[i] = (unsigned char)mask;
}
