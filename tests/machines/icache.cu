// Code that is larger than the first caches of instructions: how fast warps get it, and how many of them.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 4096] = zeros();
   code_rounds<1280>(out, 26); code_rounds<1536>(out, 21); code_rounds<1792>(out, 18); code_rounds<1920>(out, 17); code_rounds<2048>(out, 16); code_rounds<2176>(out, 15);
   code_rounds<2304>(out, 14); code_rounds<2560>(out, 13); code_rounds<2816>(out, 12); code_rounds<3072>(out, 11); code_rounds<3584>(out, 9); code_rounds<6144>(out, 5);
   code_rounds<8192>(out, 4); code_rounds<12288>(out, 3); code_rounds<16384>(out, 2);
   block.x = 128;
   code_rounds<2304>(out, 14); code_rounds<2560>(out, 13); code_rounds<3072>(out, 11); code_rounds<6144>(out, 5); code_rounds<12288>(out, 3); code_rounds<16384>(out, 2);
   block.x = 256;
   code_rounds<2560>(out, 13); code_rounds<3072>(out, 11); code_rounds<6144>(out, 5); code_rounds<16384>(out, 2);
   block.x = 512;
   code_rounds<2304>(out, 14); code_rounds<2560>(out, 13); code_rounds<3072>(out, 11); code_rounds<6144>(out, 5); code_rounds<16384>(out, 2);
   block.x = 1024;
   code_rounds<2304>(out, 14); code_rounds<3072>(out, 11); code_rounds<6144>(out, 5); code_rounds<16384>(out, 2);
   grid.x = 264;
   code_rounds<2304>(out, 14); code_rounds<3072>(out, 11); code_rounds<6144>(out, 5);
*/
// A loop of so many instructions, all of a warp's that do not wait for each other.
template <int MANY> __global__ void code_rounds(float *out, int turns)
{
    float x[4] = { 1.0f, 2.0f, 3.0f, 4.0f }, y = threadIdx.x;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int k = 0; k < MANY; k++) x[k % 4] = x[k % 4] * y + (0.5f + k);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[132 * 4096] = zeros();
   code_chain<2304>(out, 14); code_chain<3072>(out, 11); code_chain<6144>(out, 5);
   block.x = 256;
   code_chain<3072>(out, 11); code_chain<6144>(out, 5);
   block.x = 1024;
   code_chain<3072>(out, 11); code_chain<6144>(out, 5);
*/
// The same of instructions of which each waits for the one before it.
template <int MANY> __global__ void code_chain(float *out, int turns)
{
    float x = 1.0f, y = threadIdx.x;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int k = 0; k < MANY; k++) x = x * y + (0.5f + k);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   float out[4224 * 256] = zeros();
   code_once<512>(out); code_once<1024>(out); code_once<2048>(out); code_once<4096>(out); code_once<8192>(out); code_once<16384>(out);
   block.x = 256;
   code_once<1024>(out); code_once<4096>(out); code_once<16384>(out);
   grid.x = 132 * 8;
   code_once<1024>(out); code_once<2048>(out); code_once<4096>(out); code_once<8192>(out);
   grid.x = 132 * 32;
   code_once<1024>(out); code_once<2048>(out); code_once<4096>(out);
*/
// Once through so many instructions.
template <int MANY> __global__ void code_once(float *out)
{
    float x[4] = { 1.0f, 2.0f, 3.0f, 4.0f }, y = threadIdx.x;
#pragma unroll
    for (int k = 0; k < MANY; k++) x[k % 4] = x[k % 4] * y + (0.5f + k);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   float out[132 * 4096] = zeros();
   code_kinds<768>(out, 8, 1); code_kinds<768>(out, 8, 2); code_kinds<768>(out, 8, 4); code_kinds<1536>(out, 8, 1); code_kinds<1536>(out, 8, 2); code_kinds<1536>(out, 8, 4);
   block.x = 1024;
   code_kinds<768>(out, 8, 1); code_kinds<768>(out, 8, 4); code_kinds<1536>(out, 8, 1); code_kinds<1536>(out, 8, 4);
*/
// Warps of four kinds, each with a loop of its own, of as many instructions.
template <int MANY, int KIND> __device__ __forceinline__ float kind(float y, int turns)
{
    float x[4] = { 1.0f + KIND, 2.0f, 3.0f, 4.0f };
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int k = 0; k < MANY; k++) x[k % 4] = x[k % 4] * y + (0.5f + k + KIND * MANY);
    return x[0] + x[1] + x[2] + x[3];
}
template <int MANY> __global__ void code_kinds(float *out, int turns, int kinds)
{
    const float y = threadIdx.x;
    const int mine = threadIdx.x / 128 % kinds;
    float sum;
    if (mine == 0) sum = kind<MANY, 0>(y, turns);
    else if (mine == 1) sum = kind<MANY, 1>(y, turns);
    else if (mine == 2) sum = kind<MANY, 2>(y, turns);
    else sum = kind<MANY, 3>(y, turns);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
