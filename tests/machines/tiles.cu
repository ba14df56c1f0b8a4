// Warps that read pieces of rows: tiles whose neighbours other warps read, and rows of a table at random. Timed on a GPU and
// by the model of time, as patterns.cu.

/* kmutate launch
   int pitch = 4096, rows = 4096; dim3 block = { 256 };
   float in[pitch * rows] = zeros(); float out[4096] = zeros();
   dim3 grid = { pitch * rows / (256 * 1) };
   tile_loads<float>(out, in, pitch, 2); tile_loads<float>(out, in, pitch, 4); tile_loads<float>(out, in, pitch, 8); tile_loads<float>(out, in, pitch, 16);
   tile_loads<float>(out, in, pitch, 32);
*/
/* kmutate launch
   int pitch = 4096, rows = 4096; dim3 block = { 256 };
   float2 in[pitch * rows / 2] = zeros(); float out[4096] = zeros();
   dim3 grid = { pitch * rows / (256 * 2) };
   tile_loads<float2>(out, in, pitch / 2, 4); tile_loads<float2>(out, in, pitch / 2, 8); tile_loads<float2>(out, in, pitch / 2, 16); tile_loads<float2>(out, in, pitch / 2, 32);
*/
/* kmutate launch
   int pitch = 4096, rows = 4096; dim3 block = { 256 };
   float4 in[pitch * rows / 4] = zeros(); float out[4096] = zeros();
   dim3 grid = { pitch * rows / (256 * 4) };
   tile_loads<float4>(out, in, pitch / 4, 8); tile_loads<float4>(out, in, pitch / 4, 16); tile_loads<float4>(out, in, pitch / 4, 32);
*/
__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float2 v) { return v.x + v.y; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

// A warp reads `rows` rows of a tile, the warps of a block and the blocks of a row of them lie side by side.
template <typename T> __global__ void tile_loads(float *out, const T *in, int pitch, int rows)
{
    const int lane = threadIdx.x % 32, wide = 32 / rows, tiles = pitch / wide, tile = blockIdx.x * 8 + threadIdx.x / 32;
    const int at = (tile / tiles * rows + lane / wide) * pitch + tile % tiles * wide + lane % wide;
    const float v = sum_of(in[at]);
    if (v == 12345.678f) out[lane] = v;
}

/* kmutate launch
   int table_rows = 1 << 21; dim3 block = { 256 }; dim3 grid = { 1056 };
   float2 table[table_rows * 32] = zeros(); float out[4096] = zeros();
   row_gather<float2>(out, table, (1 << 15) - 1, 32); row_gather<float2>(out, table, (1 << 16) - 1, 32); row_gather<float2>(out, table, (1 << 17) - 1, 32);
   row_gather<float2>(out, table, (1 << 18) - 1, 32); row_gather<float2>(out, table, (1 << 21) - 1, 32);
*/
/* kmutate launch
   int table_rows = 1 << 21; dim3 block = { 256 }; dim3 grid = { 1056 };
   float table[table_rows * 32] = zeros(); float out[4096] = zeros();
   row_gather<float>(out, table, (1 << 16) - 1, 32); row_gather<float>(out, table, (1 << 18) - 1, 32); row_gather<float>(out, table, (1 << 21) - 1, 32);
*/
/* kmutate launch
   int table_rows = 1 << 19; dim3 block = { 256 }; dim3 grid = { 1056 };
   float4 table[table_rows * 32] = zeros(); float out[4096] = zeros();
   row_gather<float4>(out, table, (1 << 14) - 1, 32); row_gather<float4>(out, table, (1 << 16) - 1, 32); row_gather<float4>(out, table, (1 << 19) - 1, 32);
*/
// Rows of 32 words at random, eight on their way at once.
template <typename T> __global__ void row_gather(float *out, const T *table, unsigned rows, int steps)
{
    const unsigned warp = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < steps; k++) {
        unsigned x = (warp + k * 8448) * 2654435769u;
        x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16;
        sum += sum_of(table[(size_t)(x & rows) * 32 + lane]);
    }
    if (sum == 12345.678f) out[lane] = sum;
}
