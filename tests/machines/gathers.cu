// Rows of a table that warps read as a whole, at random, as embeddings and features of neighbours are gathered: what L2 has of
// tables that are larger or smaller than it. Timed on a GPU and by the model of time, as
// patterns.cu.

__device__ unsigned mixed_row(unsigned n)
{
    n ^= n >> 16; n *= 0x7feb352du; n ^= n >> 15; n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 5280 };
   float4 table[1 << 24] = zeros(); float4 out[5280 * 256] = zeros();
   row_gathers<float2, 1>(table, out, 22, 15); row_gathers<float2, 1>(table, out, 22, 16); row_gathers<float2, 1>(table, out, 22, 17); row_gathers<float2, 1>(table, out, 22, 18); row_gathers<float2, 1>(table, out, 22, 20);
   row_gathers<float, 1>(table, out, 22, 17); row_gathers<float, 1>(table, out, 22, 18); row_gathers<float, 1>(table, out, 22, 19); row_gathers<float, 1>(table, out, 22, 21);
   row_gathers<float4, 1>(table, out, 22, 15); row_gathers<float4, 1>(table, out, 22, 16); row_gathers<float4, 1>(table, out, 22, 17); row_gathers<float4, 1>(table, out, 22, 19);
   row_gathers<float4, 2>(table, out, 22, 16); row_gathers<float4, 2>(table, out, 22, 17); row_gathers<float4, 2>(table, out, 22, 18);
   row_gathers<float4, 4>(table, out, 22, 17); row_gathers<float4, 4>(table, out, 22, 18); row_gathers<float4, 4>(table, out, 22, 19);
   grid.x = 1056; row_gathers<float2, 1>(table, out, 110, 16); row_gathers<float2, 1>(table, out, 110, 18); row_gathers<float4, 2>(table, out, 110, 17);
   grid.x = 264; row_gathers<float2, 1>(table, out, 64, 16); row_gathers<float2, 1>(table, out, 64, 18);
*/
// A warp reads 1 / PARTS of it each row of 32 / PARTS elements: `rows` of 1 << bits in each part.
template <class T, int PARTS> __global__ void row_gathers(const float4 *table, float4 *out, int rows, int bits)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, wide = 32 / PARTS;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < rows; k++) {
        const unsigned row = mixed_row((warp * rows + k) * PARTS + lane / wide) & ((1u << bits) - 1u);
        const T got = ((const T *)table)[(size_t)row * wide + lane % wide];
        sum += ((const float *)&got)[0] + ((const float *)&got)[sizeof(T) / 4 - 1];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(sum, sum, 0.0f, 0.0f);
}
