// Windows that roll over bytes and words: loads that overlap, of what L1 has, and of what comes.
// Timed on a GPU and by the model of time, as patterns.cu.

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 }; unsigned char in[1 << 20] = zeros(); int out[132 * 2048] = zeros(); int mask = 4095, own = 0, turns = 128;
   rolls<unsigned char, 1, 1, 9>(out, in, turns, 32, mask, own); rolls<unsigned char, 2, 1, 9>(out, in, turns, 64, mask, own); rolls<unsigned char, 3, 1, 9>(out, in, turns, 96, mask, own);
   rolls<unsigned char, 4, 1, 9>(out, in, turns, 128, mask, own); rolls<unsigned char, 4, 4, 9>(out, in, turns, 128, mask, own); rolls<unsigned char, 3, 3, 9>(out, in, turns, 96, mask, own);
   rolls<unsigned char, 1, 32, 9>(out, in, turns, 128, mask, own); rolls<unsigned char, 3, 96, 9>(out, in, turns, 96, mask, own);
   rolls<unsigned short, 2, 2, 9>(out, in, turns, 64, mask, own); rolls<unsigned short, 6, 2, 9>(out, in, turns, 192, mask, own);
   rolls<int, 4, 4, 9>(out, in, turns, 128, mask, own); rolls<int, 8, 4, 9>(out, in, turns, 256, mask, own); rolls<int, 12, 4, 9>(out, in, turns, 384, mask, own);
   rolls<int, 4, 128, 9>(out, in, turns, 128, mask, own); rolls<int, 4, 132, 9>(out, in, turns, 128, mask, own);
   rolls<int, 8, 8, 9>(out, in, turns, 256, mask, own); rolls<int, 8, 256, 9>(out, in, turns, 256, mask, own);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 }; unsigned char in[8448 * 64 * 128 + 65536] = zeros(); int out[132 * 2048] = zeros(); int mask = -1, turns = 64;
   rolls<unsigned char, 1, 1, 9>(out, in, turns, 32, mask, turns * 32); rolls<unsigned char, 2, 1, 9>(out, in, turns, 64, mask, turns * 64);
   rolls<unsigned char, 3, 1, 9>(out, in, turns, 96, mask, turns * 96); rolls<unsigned char, 4, 1, 9>(out, in, turns, 128, mask, turns * 128);
   rolls<unsigned char, 4, 4, 9>(out, in, turns, 128, mask, turns * 128); rolls<unsigned char, 3, 1, 18>(out, in, turns, 96, mask, turns * 96);
   rolls<unsigned char, 1, 1, 18>(out, in, turns, 32, mask, turns * 32); rolls<int, 4, 4, 18>(out, in, turns, 128, mask, turns * 128);
   rolls<unsigned char, 4, 0, 9>(out, in, turns, 128, mask, turns * 128); rolls<unsigned char, 4, 0, 18>(out, in, turns, 128, mask, turns * 128);
   rolls<int, 4, 0, 9>(out, in, turns, 128, mask, turns * 128); rolls<int, 4, 0, 18>(out, in, turns, 128, mask, turns * 128);
   rolls<unsigned short, 2, 2, 9>(out, in, turns, 64, mask, turns * 64);
   rolls<int, 4, 4, 9>(out, in, turns, 128, mask, turns * 128); rolls<int, 4, 4, 3>(out, in, turns, 128, mask, turns * 128);
   grid.x = 264;
   rolls<unsigned char, 3, 1, 9>(out, in, turns, 96, mask, turns * 96); rolls<unsigned char, 3, 1, 18>(out, in, turns, 96, mask, turns * 96); rolls<int, 4, 4, 18>(out, in, turns, 128, mask, turns * 128);
   rolls<int, 8, 4, 9>(out, in, turns, 256, mask, turns * 256); rolls<int, 12, 4, 9>(out, in, turns, 384, mask, turns * 384);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 1056 }; unsigned char in[8448 * 64 * 256 + 65536] = zeros(); int out[132 * 2048] = zeros(); int mask = -1, turns = 64;
   rolls<unsigned char, 0, 1, 9>(out, in, turns, 128, mask, turns * 128); rolls<unsigned short, 0, 2, 9>(out, in, turns, 128, mask, turns * 128);
   rolls<int, 0, 4, 9>(out, in, turns, 128, mask, turns * 128); rolls<int2, 0, 8, 9>(out, in, turns, 128, mask, turns * 128); rolls<int4, 0, 16, 9>(out, in, turns, 256, mask, turns * 256);
   rolls<int, 8, 4, 9>(out, in, turns, 256, mask, turns * 256); rolls<int2, 8, 0, 9>(out, in, turns, 256, mask, turns * 256);
   rolls<int, 4, 0, 6>(out, in, turns, 128, mask, turns * 128); rolls<int, 4, 0, 7>(out, in, turns, 128, mask, turns * 128); rolls<int, 4, 0, 12>(out, in, turns, 128, mask, turns * 128);
   rolls<unsigned char, 4, 0, 5>(out, in, turns, 128, mask, turns * 128); rolls<unsigned char, 4, 0, 6>(out, in, turns, 128, mask, turns * 128); rolls<unsigned char, 4, 0, 7>(out, in, turns, 128, mask, turns * 128);
   rolls<unsigned char, 4, 0, 12>(out, in, turns, 128, mask, turns * 128);
   rolls<int2, 8, 0, 18>(out, in, turns, 256, mask, turns * 256); rolls<int2, 0, 8, 18>(out, in, turns, 256, mask, turns * 256); rolls<int2, 8, 8, 18>(out, in, turns, 256, mask, turns * 256);
   rolls<int2, 8, 8, 9>(out, in, turns, 256, mask, turns * 256); rolls<int2, 0, 8, 14>(out, in, turns, 128, mask, turns * 128); rolls<int, 0, 4, 14>(out, in, turns, 128, mask, turns * 128);
   rolls<int4, 0, 16, 4>(out, in, turns, 128, mask, turns * 128); rolls<int4, 0, 16, 8>(out, in, turns, 128, mask, turns * 128);
   grid.x = 528;
   rolls<int, 4, 0, 18>(out, in, turns, 128, mask, turns * 128); rolls<unsigned char, 4, 0, 18>(out, in, turns, 128, mask, turns * 128);
   rolls<int4, 0, 16, 9>(out, in, turns, 256, mask, turns * 256); rolls<int2, 8, 0, 18>(out, in, turns, 256, mask, turns * 256);
*/
__device__ int of(unsigned char v) { return v; }
__device__ int of(unsigned short v) { return v; }
__device__ int of(int v) { return v; }
__device__ int of(int2 v) { return v.x + v.y; }
__device__ int of(int4 v) { return (v.x + v.y) + (v.z + v.w); }
// LOADS words of each lane, STRIDE bytes from another lane's and STEP from the one before; each turn `further` on, from
// `own` bytes on for each warp. STEP 0: the same ones, by other lanes.
template <typename T, int STRIDE, int STEP, int LOADS>
__global__ void rolls(int *out, const unsigned char *in, int turns, int further, int mask, int own)
{
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const unsigned char *mine = in + (size_t)warp * own + lane * STRIDE;
    int sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        const unsigned char *at = mine + (turn * further & mask);
        T v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = *(const T *)(STEP ? at + k * STEP : at + ((lane ^ k) - lane) * STRIDE);
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += of(v[k]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
