// Arrays whose axes change places, a thread an element: what lies beside a word another block writes or reads, blocks
// later. And lanes with rows of their own, rows that all SMs read in step. Timed on a GPU and by the model of time, as
// patterns.cu.

/* kmutate launch
   int n = 1 << 24; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float in[n] = zeros(); float out[n] = zeros();
   permuted_stores(out, in, 5); permuted_stores(out, in, 8); permuted_stores(out, in, 10); permuted_stores(out, in, 12);
   permuted_stores(out, in, 14); permuted_stores(out, in, 16); permuted_stores(out, in, 17); permuted_stores(out, in, 18);
   permuted_stores(out, in, 19); permuted_stores(out, in, 20); permuted_stores(out, in, 22);
   permuted_loads(out, in, 5); permuted_loads(out, in, 8); permuted_loads(out, in, 10); permuted_loads(out, in, 12);
   permuted_loads(out, in, 14); permuted_loads(out, in, 16); permuted_loads(out, in, 17); permuted_loads(out, in, 18);
   permuted_loads(out, in, 19); permuted_loads(out, in, 20); permuted_loads(out, in, 22);
*/
/* kmutate launch
   int n = 26250000; dim3 block = { 256 }; dim3 grid = { (n + 255) / 256 };
   float in[n] = zeros(); float out[n] = zeros();
   turned_axes(out, in, n, 350, 300, 250); turned_axes(out, in, n, 250, 300, 350); turned_axes(out, in, n, 35, 3000, 250);
   turned_axes(out, in, n, 100, 105, 2500); turned_axes(out, in, n, 3500, 300, 25);
*/
// The last `bits` of an element's number become its first.
__global__ void permuted_stores(float *out, const float *in, int bits)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[(i & ((1u << bits) - 1u)) << (24 - bits) | i >> bits] = in[i];
}

__global__ void permuted_loads(float *out, const float *in, int bits)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i & ((1u << bits) - 1u)) << (24 - bits) | i >> bits];
}

__global__ void turned_axes(float *out, const float *in, int n, int nz, int ny, int nx)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(i % nz * ny + i / nz % ny) * nx + i / nz / ny] = in[i];
}

/* kmutate launch
   int n = 1 << 23; dim3 block = { 256 }; dim3 grid = { 256 };
   float in[n] = zeros(); float out[65536] = zeros();
   own_pieces<0>(out, in, 128, 128); own_pieces<1>(out, in, 128, 128); own_pieces<4>(out, in, 128, 128);
   own_pieces<4>(out, in, 124, 124); own_pieces<1>(out, in, 124, 124); own_pieces<4>(out, in, 128, 32);
   grid.x = 132; own_pieces<0>(out, in, 128, 128); own_pieces<1>(out, in, 128, 128); own_pieces<4>(out, in, 128, 128);
   own_pieces<4>(out, in, 124, 124);
   grid.x = 32; own_pieces<0>(out, in, 128, 128); own_pieces<1>(out, in, 128, 128); own_pieces<4>(out, in, 128, 128);
*/
// Each thread adds up a piece of its own, 0: with the compiler's choice of how many loads at once.
template <int AT_ONCE> __global__ void own_pieces(float *out, const float *in, int pitch, int words)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    float sum = 0.0f;
    if (AT_ONCE == 0) {
        for (int i = 0; i < words; i++) sum += in[first + i];
    } else {
#pragma unroll 1
        for (int i = 0; i < words; i += AT_ONCE ? AT_ONCE : 1)
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) sum += in[first + i + k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 100 };
   float in[1 << 20] = zeros(); float out[256] = zeros();
   rows_in_step<4>(out, in, 5000, 160, 16); rows_in_step<1>(out, in, 5000, 160, 16); rows_in_step<8>(out, in, 5000, 160, 16);
   rows_in_step<4>(out, in, 5000, 160, 0); rows_in_step<4>(out, in, 5000, 32, 0); rows_in_step<4>(out, in, 5000, 128, 0);
   rows_in_step<4>(out, in, 5000, 128, 16);
   grid.x = 132; rows_in_step<4>(out, in, 5000, 160, 16);
   grid.x = 32; rows_in_step<4>(out, in, 5000, 160, 16); rows_in_step<4>(out, in, 5000, 160, 0);
   grid.x = 1; rows_in_step<4>(out, in, 5000, 160, 16); rows_in_step<1>(out, in, 5000, 160, 16);
*/
// Blocks go through the same rows, each through two pieces of 16 words of them; `apart`: words from one block's to the next's.
template <int AT_ONCE> __global__ void rows_in_step(float *out, const float *in, int rows, int pitch, int apart)
{
    const float *a = in + blockIdx.x % 10 * apart + threadIdx.x % 16, *b = in + blockIdx.x / 10 % 10 * apart + threadIdx.x / 16;
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < rows; r += AT_ONCE)
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) sum += a[(r + k) * pitch] * b[(r + k) * pitch];
    if (sum == 12345.678f) out[threadIdx.x] = sum;
}
