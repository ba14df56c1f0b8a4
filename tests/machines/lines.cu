// Loads that hit L1 by lanes that are apart, and conflicts of shared memory, one after another: what a warp waits for
// them. Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   unsigned in[1 << 16] = zeros(); unsigned out[132 * 32] = zeros();
   line_chain<unsigned>(out, in, 4000, 4); line_chain<unsigned>(out, in, 4000, 8); line_chain<unsigned>(out, in, 4000, 16);
   line_chain<unsigned>(out, in, 4000, 32); line_chain<unsigned>(out, in, 4000, 36); line_chain<unsigned>(out, in, 4000, 40);
   line_chain<unsigned>(out, in, 4000, 48); line_chain<unsigned>(out, in, 4000, 64); line_chain<unsigned>(out, in, 4000, 72);
   line_chain<unsigned>(out, in, 4000, 96); line_chain<unsigned>(out, in, 4000, 100); line_chain<unsigned>(out, in, 4000, 128);
   line_chain<unsigned>(out, in, 4000, 132); line_chain<unsigned>(out, in, 4000, 136); line_chain<unsigned>(out, in, 4000, 160);
   line_chain<unsigned>(out, in, 4000, 192); line_chain<unsigned>(out, in, 4000, 256); line_chain<unsigned>(out, in, 4000, 264);
   line_chain<unsigned>(out, in, 4000, 272); line_chain<unsigned>(out, in, 4000, 288); line_chain<unsigned>(out, in, 4000, 320);
   line_chain<unsigned>(out, in, 4000, 384); line_chain<unsigned>(out, in, 4000, 400); line_chain<unsigned>(out, in, 4000, 512);
   line_chain<unsigned>(out, in, 4000, 544); line_chain<unsigned>(out, in, 4000, 576); line_chain<unsigned>(out, in, 4000, 640);
   line_chain<unsigned>(out, in, 4000, 1088); line_chain<unsigned>(out, in, 4000, 1152); line_chain<unsigned>(out, in, 4000, 1280);
   line_chain<unsigned>(out, in, 4000, 2400); line_chain<unsigned>(out, in, 4000, 3072); line_chain<unsigned>(out, in, 4000, 3104);
   line_chain<unsigned>(out, in, 4000, 4100); line_chain<unsigned>(out, in, 4000, 4160); line_chain<unsigned>(out, in, 4000, 4224);
   line_chain<uint2>(out, in, 4000, 8); line_chain<uint2>(out, in, 4000, 16); line_chain<uint2>(out, in, 4000, 128);
   line_chain<uint2>(out, in, 4000, 136); line_chain<uint4>(out, in, 4000, 16); line_chain<uint4>(out, in, 4000, 32);
   line_chain<uint4>(out, in, 4000, 128); line_chain<uint4>(out, in, 4000, 144);
*/
// Each load's address has the one before in it; lanes are `stride` bytes apart.
__device__ unsigned joined(unsigned v) { return v; }
__device__ unsigned joined(uint2 v) { return v.x ^ v.y; }
__device__ unsigned joined(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }
template <typename T> __global__ void line_chain(unsigned *out, const unsigned *in, int steps, int stride)
{
    unsigned at = threadIdx.x * stride;
    for (int k = 0; k < steps; k++) at += joined(*(const T *)((const char *)in + at));
    out[blockIdx.x * 32 + threadIdx.x] = at;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 256 };
   unsigned in[1 << 16] = zeros(); unsigned out[132 * 256] = zeros();
   line_turns(out, in, 500, 4); line_turns(out, in, 500, 16); line_turns(out, in, 500, 36); line_turns(out, in, 500, 40);
   line_turns(out, in, 500, 64); line_turns(out, in, 500, 72); line_turns(out, in, 500, 100); line_turns(out, in, 500, 128);
   line_turns(out, in, 500, 132); line_turns(out, in, 500, 160); line_turns(out, in, 500, 192); line_turns(out, in, 500, 288);
   line_turns(out, in, 500, 400); line_turns(out, in, 500, 2400); line_turns(out, in, 500, 3072); line_turns(out, in, 500, 4100);
*/
// Eight warps with eight loads at once: how many an SM makes.
__global__ void line_turns(unsigned *out, const unsigned *in, int steps, int stride)
{
    unsigned at = threadIdx.x % 32 * stride;
    for (int k = 0; k < steps; k++) {
        unsigned v[8];
#pragma unroll
        for (int u = 0; u < 8; u++) v[u] = in[at / 4 + u * 8192 / 4];
#pragma unroll
        for (int u = 0; u < 8; u++) at += v[u];
    }
    out[blockIdx.x * 256 + threadIdx.x] = at;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   unsigned in[1 << 16] = zeros(); unsigned out[132 * 256] = zeros();
   load_batch<1>(out, in, 3000); load_batch<2>(out, in, 3000); load_batch<4>(out, in, 3000); load_batch<8>(out, in, 3000);
   block.x = 256;
   load_batch<1>(out, in, 3000); load_batch<2>(out, in, 3000); load_batch<4>(out, in, 3000); load_batch<8>(out, in, 3000);
*/
// K loads of a warp, one behind the other, before the next.
template <int K> __global__ void load_batch(unsigned *out, const unsigned *in, int steps)
{
    unsigned at = threadIdx.x % 32;
    for (int k = 0; k < steps; k++) {
        unsigned v[K];
#pragma unroll
        for (int u = 0; u < K; u++) v[u] = in[at + u * 32];
#pragma unroll
        for (int u = 0; u < K; u++) at += v[u];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

/* kmutate launch
   dim3 grid = { 132 }; dim3 block = { 32 };
   unsigned out[132 * 256] = zeros();
   bank_chain<0>(out, 2000, 1); bank_chain<0>(out, 2000, 4); bank_chain<0>(out, 2000, 16); bank_chain<0>(out, 2000, 32);
   bank_chain<1>(out, 2000, 1); bank_chain<1>(out, 2000, 4); bank_chain<1>(out, 2000, 16); bank_chain<1>(out, 2000, 32);
   bank_chain<2>(out, 2000, 1); bank_chain<2>(out, 2000, 4); bank_chain<2>(out, 2000, 16); bank_chain<2>(out, 2000, 32);
   block.x = 64;
   bank_chain<0>(out, 2000, 32); bank_chain<1>(out, 2000, 32); bank_chain<2>(out, 2000, 32);
   block.x = 128;
   bank_chain<0>(out, 2000, 4); bank_chain<0>(out, 2000, 16); bank_chain<0>(out, 2000, 32); bank_chain<1>(out, 2000, 4);
   bank_chain<1>(out, 2000, 32); bank_chain<2>(out, 2000, 32);
   block.x = 256;
   bank_chain<0>(out, 2000, 16); bank_chain<0>(out, 2000, 32); bank_chain<1>(out, 2000, 32); bank_chain<2>(out, 2000, 32);
*/
// Words of shared memory `stride` apart: 0 loads that wait for each other, 1 a load and a store of what it changed, 2 stores.
template <int MODE> __global__ void bank_chain(unsigned *out, int steps, int stride)
{
    __shared__ unsigned s[8 + 32 * 64];
    for (int i = threadIdx.x; i < 8 + 32 * 64; i += blockDim.x) s[i] = 0;
    __syncthreads();
    unsigned at = threadIdx.x % 32 * stride + threadIdx.x / 32, x = threadIdx.x;
    volatile unsigned *p = s;
    for (int k = 0; k < steps; k++) {
        if (MODE == 0) at += p[at];
        if (MODE == 1) p[at] = x = x * 3 + p[at];
        if (MODE == 2) p[at] = x++;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = at + x;
}
