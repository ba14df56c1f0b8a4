// Softmax of every row of a matrix of floats, one block a row.
//
// The largest value and the sum of exponentials of a row are found in two levels: inside each warp, then over the
// warps through shared memory. softmax_rows does it with shuffles and __syncthreads(), softmax_rows_groups says the
// same with cooperative groups. Blocks have 256 threads, a row has at least one element.
//
// Teaches: reductions over warps and blocks, barriers spelled in two ways, rows that are read three times (once from
//          memory, then from cache).
// Seeds:   "Analysis-Driven Optimization", slides 39 (special functions), 46-49 (barriers);
//          "Optimalizace" (Filipovič): Implementace 5 (inside a warp no barrier is needed).

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <math_constants.h>

namespace cg = cooperative_groups;

#define THREADS 256
#define WARPS (THREADS / 32)

__device__ __forceinline__ float warp_max(float value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

__device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

/* kmutate launch
   int rows = 8192, cols = 4096;
   dim3 grid = { rows };
   dim3 block = { THREADS };
   float out[rows * cols] = zeros();
   float in[rows * cols] = normal(0, 2);
   softmax_rows(out, in, cols);
*/
__global__ void __launch_bounds__(THREADS) softmax_rows(float *__restrict__ out, const float *__restrict__ in, int cols)
{
    __shared__ float largest[WARPS], total[WARPS];

    const float *row = in + (size_t)blockIdx.x * cols;
    float *result = out + (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    float top = -CUDART_INF_F;
    for (int i = threadIdx.x; i < cols; i += THREADS)
        top = fmaxf(top, row[i]);
    top = warp_max(top);
    if (lane == 0)
        largest[warp] = top;
    __syncthreads();
    top = warp_max(largest[lane % WARPS]);

    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += THREADS)
        sum += __expf(row[i] - top);
    sum = warp_sum(sum);
    if (lane == 0)
        total[warp] = sum;
    __syncthreads();
    sum = warp_sum(lane < WARPS ? total[lane] : 0.0f);

    const float scale = 1.0f / sum;
    for (int i = threadIdx.x; i < cols; i += THREADS)
        result[i] = __expf(row[i] - top) * scale;
}

/* kmutate launch
   int rows = 8192, cols = 4096;
   dim3 grid = { rows };
   dim3 block = { THREADS };
   float out[rows * cols] = zeros();
   float in[rows * cols] = normal(0, 2);
   softmax_rows_groups(out, in, cols);
*/
__global__ void __launch_bounds__(THREADS)
softmax_rows_groups(float *__restrict__ out, const float *__restrict__ in, int cols)
{
    __shared__ float largest[WARPS], total[WARPS];

    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const float *row = in + (size_t)block.group_index().x * cols;
    float *result = out + (size_t)block.group_index().x * cols;

    float top = -CUDART_INF_F;
    for (int i = block.thread_rank(); i < cols; i += block.size())
        top = fmaxf(top, row[i]);
    top = cg::reduce(warp, top, cg::greater<float>());
    if (warp.thread_rank() == 0)
        largest[warp.meta_group_rank()] = top;
    block.sync();
    top = cg::reduce(warp, largest[warp.thread_rank() % WARPS], cg::greater<float>());

    float sum = 0.0f;
    for (int i = block.thread_rank(); i < cols; i += block.size())
        sum += __expf(row[i] - top);
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0)
        total[warp.meta_group_rank()] = sum;
    block.sync();
    sum = cg::reduce(warp, warp.thread_rank() < WARPS ? total[warp.thread_rank()] : 0.0f, cg::plus<float>());

    const float scale = 1.0f / sum;
    for (int i = block.thread_rank(); i < cols; i += block.size())
        result[i] = __expf(row[i] - top) * scale;
}
