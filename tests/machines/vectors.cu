// Products of a matrix and a vector: what the blocks read of their own, and a vector that all of them read side by side. Timed on a
// GPU and by the model of time, as patterns.cu.

enum { ALONE, ALONG, LATE, VECTOR };

/* kmutate launch
   dim3 block = { 32, 8 }; dim3 grid = { 128 };
   float a[8192 * 4096] = zeros(); float y[16384] = uniform(0, 1); float out[16384] = zeros();
   slices<ALONE>(a, y, out, 8192, 4096); slices<ALONG>(a, y, out, 8192, 4096); slices<LATE>(a, y, out, 8192, 4096); slices<VECTOR>(a, y, out, 8192, 4096);
   block.y = 2; slices<ALONE>(a, y, out, 4096, 4096); slices<ALONG>(a, y, out, 4096, 4096); slices<LATE>(a, y, out, 4096, 4096); slices<VECTOR>(a, y, out, 4096, 4096);
   block.y = 8; grid.x = 32; slices<ALONE>(a, y, out, 8192, 4096); slices<ALONG>(a, y, out, 8192, 4096); slices<LATE>(a, y, out, 8192, 4096); slices<VECTOR>(a, y, out, 8192, 4096);
   grid.x = 512; slices<ALONE>(a, y, out, 2048, 16384); slices<ALONG>(a, y, out, 2048, 16384); slices<LATE>(a, y, out, 2048, 16384); slices<VECTOR>(a, y, out, 2048, 16384);
*/
// A column of a lane, which the warps of a block go down in turn: the vector not read, along with the column, after it, or alone.
template <int HOW> __global__ void slices(const float *a, const float *y, float *out, int rows, int pitch)
{
    __shared__ float part[8][32];
    const int j = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 4
    for (int i = threadIdx.y; i < rows; i += blockDim.y) {
        const float e = HOW == VECTOR ? 0.5f : a[(size_t)i * pitch + j];
        sum += HOW == ALONE ? e : e * y[HOW == LATE ? i + (e == 2.0f) : i];
    }
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int k = 1; k < blockDim.y; k++) sum += part[k][threadIdx.x];
        out[j] = sum;
    }
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 16 };
   float a[8192 * 4096] = zeros(); float y[16384] = uniform(0, 1); float out[16384] = zeros();
   down<ALONE, 1>(a, y, out, 2048, 4096); down<ALONG, 1>(a, y, out, 2048, 4096); down<LATE, 1>(a, y, out, 2048, 4096); down<VECTOR, 1>(a, y, out, 2048, 4096);
   down<ALONE, 4>(a, y, out, 2048, 4096); down<ALONG, 4>(a, y, out, 2048, 4096); down<LATE, 4>(a, y, out, 2048, 4096); down<VECTOR, 4>(a, y, out, 2048, 4096);
   block.x = 64; grid.x = 256; down<ALONE, 1>(a, y, out, 2048, 16384); down<ALONG, 1>(a, y, out, 2048, 16384); down<LATE, 1>(a, y, out, 2048, 16384); down<VECTOR, 1>(a, y, out, 2048, 16384);
   down<ALONE, 4>(a, y, out, 2048, 16384); down<ALONG, 4>(a, y, out, 2048, 16384); down<LATE, 4>(a, y, out, 2048, 16384); down<VECTOR, 4>(a, y, out, 2048, 16384);
*/
// A column of a thread, all of it.
template <int HOW, int UNROLL> __global__ void down(const float *a, const float *y, float *out, int rows, int pitch)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll UNROLL
    for (int i = 0; i < rows; i++) {
        const float e = HOW == VECTOR ? 0.5f : a[(size_t)i * pitch + j];
        sum += HOW == ALONE ? e : e * y[HOW == LATE ? i + (e == 2.0f) : i];
    }
    out[j] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 16 };
   float a[16384 * 2048] = zeros(); float y[16384] = uniform(0, 1); float out[16384] = zeros();
   along<ALONE, 1>(a, y, out, 2048); along<ALONG, 1>(a, y, out, 2048); along<LATE, 1>(a, y, out, 2048);
   along<ALONE, 4>(a, y, out, 2048); along<ALONG, 4>(a, y, out, 2048); along<LATE, 4>(a, y, out, 2048);
   block.x = 128; grid.x = 128; along<ALONE, 1>(a, y, out, 2048); along<ALONG, 1>(a, y, out, 2048); along<LATE, 1>(a, y, out, 2048);
   along<ALONE, 4>(a, y, out, 2048); along<ALONG, 4>(a, y, out, 2048); along<LATE, 4>(a, y, out, 2048);
*/
// A row of a thread, all of it.
template <int HOW, int UNROLL> __global__ void along(const float *a, const float *y, float *out, int columns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll UNROLL
    for (int k = 0; k < columns; k++) {
        const float e = a[(size_t)i * columns + k];
        sum += HOW == ALONE ? e : e * y[HOW == LATE ? k + (e == 2.0f) : k];
    }
    out[i] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1024 };
   float a[8192 * 4096] = zeros(); float y[16384] = uniform(0, 1); float out[16384] = zeros();
   by_warps<ALONE>(a, y, out, 4096); by_warps<ALONG>(a, y, out, 4096); by_warps<LATE>(a, y, out, 4096); by_warps<VECTOR>(a, y, out, 4096);
   grid.x = 128; by_warps<ALONE>(a, y, out, 16384); by_warps<ALONG>(a, y, out, 16384); by_warps<LATE>(a, y, out, 16384); by_warps<VECTOR>(a, y, out, 16384);
*/
// A row of a warp, a word of which and of the vector each lane reads in a step.
template <int HOW> __global__ void by_warps(const float *a, const float *y, float *out, int columns)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int k = lane; k < columns; k += 32) {
        const float e = HOW == VECTOR ? 0.5f : a[(size_t)i * columns + k];
        sum += HOW == ALONE ? e : e * y[HOW == LATE ? k + (e == 2.0f) : k];
    }
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
    if (lane == 0) out[i] = sum;
}
