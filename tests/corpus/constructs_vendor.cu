// As constructs.cu: what has CUB and Thrust.

#include <cub/cub.cuh>
#include <thrust/functional.h>
#include <thrust/pair.h>

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float out[4] = zeros(); float in[256] = uniform(0, 1);
   vendor_headers(out, in);
*/
__global__ void vendor_headers(float *out, const float *in)
{
    using Reduce = cub::BlockReduce<float, 64>;
    __shared__ typename Reduce::TempStorage scratch;
    float v = in[blockIdx.x * 64 + threadIdx.x];
    float sum = Reduce(scratch).Sum(v * v);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/* kmutate launch
   dim3 grid = { 4 }; dim3 block = { 64 }; float2 out[256] = zeros(); float2 in[256] = uniform(0, 1);
   thrust_types(out, in);
*/
__global__ void thrust_types(float2 *out, const float2 *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    const float2 v = in[i];
    const auto both = thrust::make_pair(thrust::plus<float>()(v.x, v.y), thrust::multiplies<float>()(v.x, v.y));
    out[i] = make_float2(both.first, both.second);
}
