// Code that runs once, after what L2 held was replaced: what it costs to fetch it. Timed on a GPU and by the model of time,
// as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 1024] = zeros();
   cold_code<4>(out, 0.5f); cold_code<32>(out, 0.5f); cold_code<64>(out, 0.5f); cold_code<128>(out, 0.5f);
   cold_code<256>(out, 0.5f); cold_code<512>(out, 0.5f); cold_code<1024>(out, 0.5f); cold_code<2048>(out, 0.5f);
   cold_code<4096>(out, 0.5f);
   block.x = 1024; cold_code<4>(out, 0.5f); cold_code<256>(out, 0.5f); cold_code<1024>(out, 0.5f);
   grid.x = 1; block.x = 32; cold_code<4>(out, 0.5f); cold_code<256>(out, 0.5f); cold_code<1024>(out, 0.5f);
*/
// N products that wait for each other, each an instruction of its own.
template <int N> __global__ void cold_code(float *out, float x)
{
    float y = threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; k++) y = y * x + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = y;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   float out[132 * 8 * 256] = zeros(); float in[132 * 8 * 256] = zeros(); float in2[132 * 8 * 256] = zeros();
   first_loads(out, in, in2, 1); first_loads(out, in, in2, 0);
   grid.x = 132 * 8; first_loads(out, in, in2, 1); first_loads(out, in, in2, 0);
   grid.x = 1; first_loads(out, in, in2, 1); first_loads(out, in, in2, 0);
*/
// A load, another that waits for it, and a store; or the store alone.
__global__ void first_loads(float *out, const float *in, const float *in2, int loads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 1.0f;
    if (loads) {
        v = in[i];
        v += in2[i + (int)v];
    }
    out[i] = v;
}
