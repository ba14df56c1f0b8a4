// Lanes that load and store several elements side by side, one after another: what of a sector's parts goes to L2 together.
// Timed on a GPU and by the model of time, as patterns.cu.

#include <cuda_fp16.h>

/* kmutate launch
   int n = 1 << 23; dim3 block = { 32 }; dim3 grid = { n / 32 / 4 }; float in[n] = zeros(); float out[n] = zeros();
   lane_runs<float, 4, 0, 1>(in, out); lane_runs<float, 4, 1, 1>(in, out); lane_runs<float, 4, 2, 1>(in, out); lane_runs<float, 4, 2, 0>(in, out);
   lane_runs<float, 4, 3, 1>(in, out);
   block.x = 128; grid.x = n / 128 / 4;
   lane_runs<float, 4, 0, 1>(in, out); lane_runs<float, 4, 1, 1>(in, out); lane_runs<float, 4, 2, 1>(in, out); lane_runs<float, 4, 2, 0>(in, out);
   lane_runs<float, 4, 3, 1>(in, out);
   block.x = 256; grid.x = n / 256 / 4;
   lane_runs<float, 4, 0, 1>(in, out); lane_runs<float, 4, 1, 1>(in, out); lane_runs<float, 4, 2, 1>(in, out); lane_runs<float, 4, 2, 0>(in, out);
   lane_runs<float, 4, 3, 1>(in, out); lane_runs<float, 4, 4, 1>(in, out);
   grid.x = n / 256 / 2;
   lane_runs<float, 2, 0, 1>(in, out); lane_runs<float, 2, 1, 1>(in, out); lane_runs<float, 2, 2, 1>(in, out); lane_runs<float, 2, 2, 0>(in, out);
   grid.x = n / 256 / 8;
   lane_runs<float, 8, 0, 1>(in, out); lane_runs<float, 8, 1, 1>(in, out); lane_runs<float, 8, 2, 1>(in, out); lane_runs<float, 8, 2, 0>(in, out);
*/
/* kmutate launch
   int n = 1 << 24; dim3 block = { 32 }; dim3 grid = { n / 32 / 4 }; half in[n] = zeros(); half out[n] = zeros();
   lane_runs<half, 4, 0, 1>(in, out); lane_runs<half, 4, 1, 1>(in, out); lane_runs<half, 4, 2, 1>(in, out);
   block.x = 128; grid.x = n / 128 / 4;
   lane_runs<half, 4, 0, 1>(in, out); lane_runs<half, 4, 1, 1>(in, out); lane_runs<half, 4, 2, 1>(in, out);
   block.x = 256; grid.x = n / 256 / 4;
   lane_runs<half, 4, 0, 1>(in, out); lane_runs<half, 4, 1, 1>(in, out); lane_runs<half, 4, 2, 1>(in, out); lane_runs<half, 4, 2, 0>(in, out);
   grid.x = n / 256 / 8;
   lane_runs<half, 8, 0, 1>(in, out); lane_runs<half, 8, 1, 1>(in, out); lane_runs<half, 8, 2, 1>(in, out);
   grid.x = n / 256 / 2;
   lane_runs<half, 2, 0, 1>(in, out); lane_runs<half, 2, 1, 1>(in, out); lane_runs<half, 2, 2, 1>(in, out);
*/
// A lane has N elements side by side. LOADS: 0 none, 1 one of the block's, 2 all of them, 3 all and a barrier, 4 barriers before
// and after. STORES: 0 no more than their sum.
template <typename T, int N, int LOADS, int STORES> __global__ void lane_runs(const T *in, T *out)
{
    const int own = (blockIdx.x * blockDim.x + threadIdx.x) * N;
    T x[N];
    if (LOADS == 4) __syncthreads();
#pragma unroll
    for (int k = 0; k < N; k++) {
        x[k] = T(k + 1);
        if (LOADS == 1 && k == 0) x[k] = in[blockIdx.x * blockDim.x + threadIdx.x];
        if (LOADS >= 2) x[k] = in[own + k];
    }
    if (LOADS >= 3) __syncthreads();
    if (!STORES) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < N; k++) sum += float(x[k]);
        if (sum != 0.0f) out[own] = T(sum);
        return;
    }
#pragma unroll
    for (int k = 0; k < N; k++) out[own + k] = LOADS == 1 ? x[0] : x[k];
}
