// Grids of few blocks, whose SMs have all of L2 and DRAM: what one SM gets.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 512 }; dim3 grid = { 1 };
   float out[1024] = zeros(); float in[33554432] = zeros();
   int n = 131072 * 1; few_sums<1>(out, in, n); few_sums<4>(out, in, n); few_sums<8>(out, in, n);
   grid.x = 2; n = 131072 * 2; few_sums<4>(out, in, n);
   grid.x = 8; n = 131072 * 8; few_sums<1>(out, in, n); few_sums<4>(out, in, n); few_sums<8>(out, in, n);
   grid.x = 16; n = 131072 * 16; few_sums<4>(out, in, n);
   grid.x = 32; n = 131072 * 32; few_sums<1>(out, in, n); few_sums<4>(out, in, n); few_sums<8>(out, in, n);
   grid.x = 64; n = 131072 * 64; few_sums<4>(out, in, n);
   grid.x = 132; n = 131072 * 132; few_sums<1>(out, in, n); few_sums<4>(out, in, n);
   block.x = 128; grid.x = 8; n = 32768 * 8; few_sums<1>(out, in, n); few_sums<4>(out, in, n);
   grid.x = 64; n = 32768 * 64; few_sums<4>(out, in, n);
   block.x = 1024; grid.x = 8; n = 262144 * 8; few_sums<1>(out, in, n); few_sums<4>(out, in, n);
   grid.x = 64; n = 262144 * 64; few_sums<4>(out, in, n);
*/
// The grid goes through an array, AT_ONCE loads of a thread at a time.
template <int AT_ONCE> __global__ void few_sums(float *out, const float *in, int n)
{
    const int threads = gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += AT_ONCE * threads) {
        float x[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) x[k] = in[i + k * threads];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) sum += x[k];
    }
    if (sum == 1.0f) out[threadIdx.x] = sum;
}

/* kmutate launch
   dim3 block = { 512 }; dim3 grid = { 8 };
   float out[33554432] = zeros(); float in[33554432] = zeros();
   int n = 131072 * 8; few_copies(out, in, n);
   grid.x = 1; n = 131072; few_copies(out, in, n);
   grid.x = 32; n = 131072 * 32; few_copies(out, in, n);
   grid.x = 64; n = 131072 * 64; few_copies(out, in, n);
*/
__global__ void few_copies(float *out, const float *in, int n)
{
    const int threads = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) out[i] = in[i] + 1.0f;
}
