// Memory and arithmetic that take about as long as each other: how much longer than the longer of the two a kernel takes.
// Timed on a GPU and by the model of time, as patterns.cu.

template <int MATH> __device__ float worked(float x, float a)
{
    float y = a;
#pragma unroll
    for (int k = 0; k < MATH / 2; k++) { x = fmaf(x, a, y); y = fmaf(y, x, a); }
    return MATH ? x + y : x;
}

/* kmutate launch
   int n = 16 << 20; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float out[4 * n] = zeros(); float in[4 * n] = zeros();
   read_once<0, 4>(out, in, n, 1.5f); read_once<8, 4>(out, in, n, 1.5f); read_once<16, 4>(out, in, n, 1.5f); read_once<20, 4>(out, in, n, 1.5f);
   read_once<24, 4>(out, in, n, 1.5f); read_once<28, 4>(out, in, n, 1.5f); read_once<32, 4>(out, in, n, 1.5f); read_once<48, 4>(out, in, n, 1.5f);
   copied_elements<0>(out, in, n, 1.5f); copied_elements<16>(out, in, n, 1.5f); copied_elements<24>(out, in, n, 1.5f); copied_elements<32>(out, in, n, 1.5f);
   copied_elements<40>(out, in, n, 1.5f); copied_elements<48>(out, in, n, 1.5f); copied_elements<64>(out, in, n, 1.5f);
*/
// One after another block: each thread reads READS elements and does MATH fused multiply-adds with each.
template <int MATH, int READS> __global__ void read_once(float *out, const float *in, int n, float a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[READS], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < READS; k++) v[k] = in[k * n + i];
#pragma unroll
    for (int k = 0; k < READS; k++) sum += worked<MATH>(v[k], a);
    if (sum == 1.0f) out[i] = sum;
}

template <int MATH> __global__ void copied_elements(float *out, const float *in, int n, float a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = worked<MATH>(in[i], a);
}

/* kmutate launch
   int n = 16 << 20; dim3 block = { 256 }; dim3 grid = { n / 1024 };
   float4 out[n / 4] = zeros(); float4 in[n / 4] = zeros();
   copied_fours<0>(out, in, 1.5f); copied_fours<16>(out, in, 1.5f); copied_fours<32>(out, in, 1.5f);
   copied_fours<40>(out, in, 1.5f); copied_fours<48>(out, in, 1.5f); copied_fours<64>(out, in, 1.5f);
*/
template <int MATH> __global__ void copied_fours(float4 *out, const float4 *in, float a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    v.x = worked<MATH>(v.x, a); v.y = worked<MATH>(v.y, a); v.z = worked<MATH>(v.z, a); v.w = worked<MATH>(v.w, a);
    out[i] = v;
}

/* kmutate launch
   int n = 4 << 20; dim3 block = { 256 }; dim3 grid = { 132 * 8 };
   float out[4 * n] = zeros(); float in[16 * n] = zeros();
   looped<0, 1>(out, in, 16 * n, 1.5f); looped<16, 1>(out, in, 16 * n, 1.5f); looped<24, 1>(out, in, 16 * n, 1.5f); looped<32, 1>(out, in, 16 * n, 1.5f);
   looped<0, 4>(out, in, 16 * n, 1.5f); looped<16, 4>(out, in, 16 * n, 1.5f); looped<20, 4>(out, in, 16 * n, 1.5f); looped<24, 4>(out, in, 16 * n, 1.5f);
   looped<28, 4>(out, in, 16 * n, 1.5f); looped<32, 4>(out, in, 16 * n, 1.5f); looped<48, 4>(out, in, 16 * n, 1.5f);
   grid.x = 132 * 3;
   looped<0, 4>(out, in, 16 * n, 1.5f); looped<16, 4>(out, in, 16 * n, 1.5f); looped<24, 4>(out, in, 16 * n, 1.5f); looped<32, 4>(out, in, 16 * n, 1.5f);
*/
// As many blocks as there is room for go through the array, AT_ONCE elements a turn.
template <int MATH, int AT_ONCE> __global__ void looped(float *out, const float *in, int n, float a)
{
    const int stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + (AT_ONCE - 1) * stride < n; i += AT_ONCE * stride) {
        float v[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) v[k] = in[i + k * stride];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) sum += worked<MATH>(v[k], a);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* kmutate launch
   int n = 16 << 20; dim3 block = { 256 }; dim3 grid = { n / 1024 };
   float out[n] = zeros(); float in[n] = zeros();
   tiled<0>(out, in, 1.5f); tiled<16>(out, in, 1.5f); tiled<24>(out, in, 1.5f); tiled<32>(out, in, 1.5f); tiled<40>(out, in, 1.5f);
   tiled<48>(out, in, 1.5f); tiled<64>(out, in, 1.5f);
*/
// A tile to shared memory, a barrier, arithmetic on what other threads loaded.
template <int MATH> __global__ void tiled(float *out, const float *in, float a)
{
    __shared__ float tile[1024];
    const int at = blockIdx.x * 1024;
#pragma unroll
    for (int k = 0; k < 4; k++) tile[k * 256 + threadIdx.x] = in[at + k * 256 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) out[at + k * 256 + threadIdx.x] = worked<MATH>(tile[k * 256 + (threadIdx.x ^ 32)], a);
}

/* kmutate launch
   int n = 4 << 20; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float out[n] = zeros(); float in[64 << 20] = zeros();
   gathered<0, 1>(out, in, (64 << 20) - 1, 1.5f); gathered<32, 1>(out, in, (64 << 20) - 1, 1.5f); gathered<64, 1>(out, in, (64 << 20) - 1, 1.5f);
   gathered<128, 1>(out, in, (64 << 20) - 1, 1.5f); gathered<192, 1>(out, in, (64 << 20) - 1, 1.5f); gathered<256, 1>(out, in, (64 << 20) - 1, 1.5f);
   gathered<0, 4>(out, in, (64 << 20) - 1, 1.5f); gathered<64, 4>(out, in, (64 << 20) - 1, 1.5f); gathered<128, 4>(out, in, (64 << 20) - 1, 1.5f);
   gathered<192, 4>(out, in, (64 << 20) - 1, 1.5f); gathered<256, 4>(out, in, (64 << 20) - 1, 1.5f);
*/
// READS elements at random of 256 MB, MATH multiply-adds with each.
template <int MATH, int READS> __global__ void gathered(float *out, const float *in, unsigned mask, float a)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[READS], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < READS; k++) {
        unsigned x = i * 2654435761u + k * 40503u;
        x = (x ^ x >> 15) * 2246822519u;
        v[k] = in[(x ^ x >> 13) & mask];
    }
#pragma unroll
    for (int k = 0; k < READS; k++) sum += worked<MATH>(v[k], a);
    out[i] = sum;
}

/* kmutate launch
   int n = 16 << 20; dim3 block = { 256 }; dim3 grid = { n / 256 };
   float out[n] = zeros(); float a[n] = zeros(); float b[n] = zeros(); float c[n] = zeros();
   joined<0>(out, a, b, c, 1.5f); joined<16>(out, a, b, c, 1.5f); joined<24>(out, a, b, c, 1.5f); joined<32>(out, a, b, c, 1.5f); joined<40>(out, a, b, c, 1.5f);
   joined<48>(out, a, b, c, 1.5f);
*/
// Three reads and a write, a square root and a division at the end.
template <int MATH> __global__ void joined(float *out, const float *a, const float *b, const float *c, float f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = worked<MATH>(a[i], f), y = worked<MATH>(b[i], f), z = worked<MATH>(c[i], f);
    out[i] = sqrtf(x * x + y * y) / (z + 2.0f);
}
