// As constructs.cu: what has cooperative groups and CUDA's C++ library.

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/algorithm>
#include <cuda/std/array>

namespace cg = cooperative_groups;

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[256] = zeros(); float in[1024] = uniform(0, 1);
   cuda_pipeline_steps(out, in);
*/
__global__ void cuda_pipeline_steps(float *out, const float *in)
{
    __shared__ float s[2][64];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    const float *mine = in + blockIdx.x * 256;
    float sum = 0.0f;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][t], &mine[t], sizeof(float), pipe);
    pipe.producer_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(k + 1) & 1][t], &mine[(k + 1) * 64 + t], sizeof(float), pipe);
            pipe.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        sum += s[k & 1][t] * (k + 1);
        pipe.consumer_release();
    }
    out[blockIdx.x * 64 + t] = sum;
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[256] = zeros(); float in[256] = uniform(0, 1);
   cuda_barriers(out, in);
*/
__global__ void cuda_barriers(float *out, const float *in)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t == 0) init(&ready, 64);
    __syncthreads();
    s[t] = in[blockIdx.x * 64 + t];
    ready.arrive_and_wait();
    out[blockIdx.x * 64 + t] = s[63 - t] * 3.0f;
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[16] = zeros(); float in[256] = uniform(0, 1);
   cooperative(out, in);
*/
__global__ void cooperative(float *out, const float *in)
{
    __shared__ float s[64];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    s[block.thread_rank()] = in[blockIdx.x * 64 + block.thread_rank()];
    block.sync();
    float v = s[63 - block.thread_rank()];
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0) out[blockIdx.x * 4 + tile.meta_group_rank()] = v;
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[256] = zeros(); float in[512] = uniform(0, 1);
   cuda_std_types(out, in);
*/
__global__ void cuda_std_types(float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    cuda::std::array<float, 2> v = { in[i], in[i + 256] };
    out[i] = cuda::std::max(v[0], v[1]) * 2.0f;
}
