// Loops over a table in constant memory, of warps that are anywhere in it: terms of a series, and records of four words. Timed on a GPU
// and by the model of time, as patterns.cu.

__constant__ float table_of_series[4096];

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 * 8 * 4 };
   float x[132 * 8 * 4 * 256] = uniform(-1, 1); float y[132 * 8 * 4 * 256] = zeros();
   extern float table_of_series[4096] = uniform(-1, 1);
   series<1>(x, y, 64); series<1>(x, y, 128); series<1>(x, y, 256); series<1>(x, y, 512); series<1>(x, y, 1024); series<1>(x, y, 4096);
   series<4>(x, y, 64); series<4>(x, y, 128); series<4>(x, y, 256); series<4>(x, y, 512); series<4>(x, y, 1024); series<4>(x, y, 4096);
   series<8>(x, y, 256); series<8>(x, y, 512); series<8>(x, y, 1024); series<8>(x, y, 4096);
   down_series<1>(x, y, 64); down_series<1>(x, y, 256); down_series<1>(x, y, 512); down_series<1>(x, y, 1024);
   down_series<4>(x, y, 64); down_series<4>(x, y, 256); down_series<4>(x, y, 512); down_series<4>(x, y, 1024);
   charges<1>(x, y, 64); charges<1>(x, y, 256); charges<1>(x, y, 1024); charges<4>(x, y, 64); charges<4>(x, y, 256); charges<4>(x, y, 1024);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 132 * 8 };
   float x[132 * 8 * 256] = uniform(-1, 1); float y[132 * 8 * 256] = zeros();
   extern float table_of_series[4096] = uniform(-1, 1);
   series<1>(x, y, 256); series<1>(x, y, 1024); series<4>(x, y, 256); series<4>(x, y, 1024); down_series<4>(x, y, 256);
   charges<1>(x, y, 256); charges<1>(x, y, 1024); charges<4>(x, y, 1024);
   grid.x = 132; series<1>(x, y, 256); series<1>(x, y, 1024); series<4>(x, y, 256); series<4>(x, y, 1024); down_series<4>(x, y, 256);
   charges<1>(x, y, 256); charges<1>(x, y, 1024); charges<4>(x, y, 1024);
*/
/* kmutate launch
   dim3 block = { 128 }; dim3 grid = { 132 };
   float x[132 * 16 * 128] = uniform(-1, 1); float y[132 * 16 * 128] = zeros();
   extern float table_of_series[4096] = uniform(-1, 1);
   series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   grid.x = 132 * 3; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   grid.x = 132 * 4; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   grid.x = 132 * 5; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   grid.x = 132 * 6; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   grid.x = 132 * 8; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   grid.x = 132 * 12; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   grid.x = 132 * 16; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   block.x = 1024; grid.x = 132; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
   grid.x = 264; series<1>(x, y, 128); series<1>(x, y, 512); charges<1>(x, y, 256);
*/
// A word for each step, so many steps of the loop at a time.
template <int AT_ONCE> __global__ void series(const float *__restrict__ x, float *__restrict__ y, int terms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float t = x[i];
    float sum = 0.0f;
#pragma unroll AT_ONCE
    for (int k = 0; k < terms; k++) sum = sum * t + table_of_series[k];
    y[i] = sum;
}

// The same from the last one to the first, with two sums.
template <int AT_ONCE> __global__ void down_series(const float *__restrict__ x, float *__restrict__ y, int terms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float t = x[i];
    float one = 0.0f, two = 0.0f;
#pragma unroll AT_ONCE
    for (int k = terms - 1; k > 0; k--) {
        const float next = 2.0f * t * one - two + table_of_series[k];
        two = one;
        one = next;
    }
    y[i] = t * one - two + table_of_series[0];
}

// Four words for each step.
template <int AT_ONCE> __global__ void charges(const float *__restrict__ x, float *__restrict__ y, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float t = x[i];
    const float4 *all = (const float4 *)table_of_series;
    float sum = 0.0f;
#pragma unroll AT_ONCE
    for (int k = 0; k < count; k++) {
        const float4 q = all[k];
        const float a = t - q.x, b = t - q.y, c = t - q.z;
        sum += q.w * rsqrtf(a * a + b * b + c * c + 1.0f);
    }
    y[i] = sum;
}
