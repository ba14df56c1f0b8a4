// Rows that a block reads as a whole and then writes, elsewhere or in place, so many elements of a thread at a time: what the
// memory-only of many kernels is. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 96000 };
   float4 out[12000 * 512] = zeros(); float4 in[12000 * 512] = zeros();
   row_copies<float, 1, 0>(out, in); grid.x = 24000; row_copies<float, 4, 0>(out, in); grid.x = 12000; row_copies<float, 8, 0>(out, in);
   grid.x = 48000; row_copies<float2, 1, 0>(out, in); grid.x = 24000; row_copies<float2, 2, 0>(out, in); grid.x = 12000; row_copies<float2, 4, 0>(out, in); grid.x = 6000; row_copies<float2, 8, 0>(out, in);
   grid.x = 24000; row_copies<float4, 1, 0>(out, in); grid.x = 12000; row_copies<float4, 2, 0>(out, in); grid.x = 6000; row_copies<float4, 4, 0>(out, in);
   grid.x = 12000; row_copies<float2, 4, 1>(out, in); row_copies<float2, 4, 2>(out, in); row_copies<float2, 4, 3>(out, in);
   grid.x = 24000; row_copies<float, 4, 1>(out, in); row_copies<float, 4, 2>(out, in); row_copies<float, 4, 3>(out, in);
   grid.x = 6000; row_copies<float4, 4, 1>(out, in); row_copies<float4, 4, 2>(out, in); row_copies<float4, 4, 3>(out, in);
   block.x = 128; grid.x = 24000; row_copies<float2, 4, 0>(out, in); row_copies<float2, 4, 3>(out, in); grid.x = 12000; row_copies<float2, 8, 0>(out, in);
   block.x = 64; grid.x = 24000; row_copies<float2, 8, 0>(out, in); row_copies<float2, 8, 3>(out, in);
   block.x = 1024; grid.x = 3000; row_copies<float2, 4, 0>(out, in); row_copies<float4, 2, 0>(out, in);
   block.x = 256; grid.x = 3000; row_copies<float2, 4, 0>(out, in); row_copies<float, 8, 0>(out, in); row_copies<float2, 4, 3>(out, in); row_copies<float4, 4, 0>(out, in);
*/
// WHERE 0: elsewhere, 1: in place, 2: read only, 3: a thread's elements lie side by side where they are written.
template <class T, int EACH, int WHERE> __global__ void row_copies(float4 *out, const float4 *in)
{
    const T *from = (const T *)(WHERE == 1 ? out : in) + (size_t)blockIdx.x * blockDim.x * EACH;
    T *to = (T *)out + (size_t)blockIdx.x * blockDim.x * EACH, v[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) v[k] = from[k * blockDim.x + threadIdx.x];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        ((float *)&v[k])[0] += 1.0f;
        sum += ((float *)&v[k])[0] + ((float *)&v[k])[sizeof(T) / 4 - 1];
    }
    if (WHERE != 2) {
#pragma unroll
        for (int k = 0; k < EACH; k++) to[WHERE == 3 ? threadIdx.x * EACH + k : k * blockDim.x + threadIdx.x] = v[k];
    } else if (sum == 123.0f) {
        to[threadIdx.x] = v[0];
    }
}
