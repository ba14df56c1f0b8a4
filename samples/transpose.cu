// Transpose a matrix of floats.
//
// transpose_naive reads rows and writes columns: its stores touch a sector for every thread.
// transpose_conflicting goes through a 32 x 32 tile in shared memory, so that both sides are coalesced; but a column
// of that tile lies in one bank. transpose_padded adds one unused column to the tile and spreads it over all banks.
// Blocks are 32 x 8 threads; width and height are multiples of 32.
//
// Teaches: coalescing through shared memory, bank conflicts, and padding.
// Seeds:   "Analysis-Driven Optimization", slides 28, 41-42 (conflicts: how to measure, how to pad);
//          "CUDA Optimization: Memory Bandwidth Limited Kernels", slides 18-19 and 22.

#define TILE 32
#define ROWS 8

/* kmutate launch
   int width = 4096, height = 4096;
   dim3 grid = { width / TILE, height / TILE };
   dim3 block = { TILE, ROWS };
   float out[width * height] = zeros();
   float in[width * height] = uniform(0, 1);
   transpose_naive(out, in, width, height);
*/
extern "C" __global__ void transpose_naive(float *out, const float *in, int width, int height)
{
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        out[x * height + (y + j)] = in[(y + j) * width + x];
}

/* kmutate launch
   int width = 4096, height = 4096;
   dim3 grid = { width / TILE, height / TILE };
   dim3 block = { TILE, ROWS };
   float out[width * height] = zeros();
   float in[width * height] = uniform(0, 1);
   transpose_conflicting(out, in, width, height);
*/
extern "C" __global__ void transpose_conflicting(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x; // the tile moves to the mirrored place
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* kmutate launch
   int width = 4096, height = 4096;
   dim3 grid = { width / TILE, height / TILE };
   dim3 block = { TILE, ROWS };
   float out[width * height] = zeros();
   float in[width * height] = uniform(0, 1);
   transpose_padded(out, in, width, height);
*/
extern "C" __global__ void transpose_padded(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x; // the tile moves to the mirrored place
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
