// Blocks that stream pieces of different lengths, of few waves: SMs that have less to do are done sooner, and leave what they used of L2
// and DRAM to the others. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   int most = 64; dim3 block = { 128 };
   float4 in[4224 * 64 * 128] = zeros(); float4 few[64 * 64 * 128] = zeros(); float out[4224] = zeros();
   int even[4224] = fill(48); int near[4224] = randint(32, 65); int any[4224] = randint(1, 65); int rising[4224] = ascending(8, 65);
   dim3 grid = { 528 };
   of_length<0>(in, out, even, most); of_length<0>(in, out, near, most); of_length<0>(in, out, any, most); of_length<0>(in, out, rising, most);
   grid.x = 1056;
   of_length<0>(in, out, even, most); of_length<0>(in, out, near, most); of_length<0>(in, out, any, most); of_length<0>(in, out, rising, most);
   grid.x = 2112;
   of_length<0>(in, out, even, most); of_length<0>(in, out, near, most); of_length<0>(in, out, any, most); of_length<0>(in, out, rising, most);
   grid.x = 4224;
   of_length<0>(in, out, even, most); of_length<0>(in, out, near, most); of_length<0>(in, out, any, most); of_length<0>(in, out, rising, most);
   grid.x = 1056;
   of_length<1>(few, out, even, most); of_length<1>(few, out, near, most); of_length<1>(few, out, any, most); of_length<1>(few, out, rising, most);
   grid.x = 2112;
   of_length<1>(few, out, even, most); of_length<1>(few, out, near, most); of_length<1>(few, out, any, most); of_length<1>(few, out, rising, most);
   grid.x = 1056;
   of_length<2>(in, out, even, most); of_length<2>(in, out, near, most); of_length<2>(in, out, any, most); of_length<2>(in, out, rising, most);
*/
// A step of a block is a float4 for each thread, four steps at once. FROM 0: from DRAM, each block its own piece; 1: from L2, 64 pieces for
// all; 2: stored to its own piece.
template <int FROM> __global__ void of_length(float4 *in, float *out, const int *lengths, int most)
{
    const int steps = lengths[blockIdx.x];
    float4 *mine = in + (size_t)(FROM == 1 ? blockIdx.x % 64 : blockIdx.x) * most * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        if (FROM == 2) {
            mine[k * blockDim.x] = make_float4(sum, sum, k, k);
        } else {
            const float4 v = mine[k * blockDim.x];
            sum += v.x + v.y + v.z + v.w;
        }
    }
    if (sum == 12345.678f) out[blockIdx.x] = sum;
}
