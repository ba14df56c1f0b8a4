// Few blocks whose lanes each go through a list of their own and look up, or claim, places at random: what one step waits
// for. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned mixed(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 118 };
   int lists[1 << 22] = iota(); int level[1 << 22] = zeros(); int out[1024] = zeros();
   claims<0>(lists, level, out, 32, 18); claims<1>(lists, level, out, 32, 18); claims<2>(lists, level, out, 32, 18); claims<3>(lists, level, out, 32, 18);
   claims<4>(lists, level, out, 32, 18); claims<5>(lists, level, out, 32, 18); claims<6>(lists, level, out, 32, 18);
   claims<0>(lists, level, out, 32, 12); claims<1>(lists, level, out, 32, 12); claims<2>(lists, level, out, 32, 12); claims<5>(lists, level, out, 32, 12);
   claims<0>(lists, level, out, 32, 22); claims<2>(lists, level, out, 32, 22); claims<5>(lists, level, out, 32, 22);
   block.x = 32; claims<0>(lists, level, out, 32, 18); claims<1>(lists, level, out, 32, 18); claims<2>(lists, level, out, 32, 18); claims<5>(lists, level, out, 32, 18);
   grid.x = 1; claims<0>(lists, level, out, 32, 18); claims<1>(lists, level, out, 32, 18); claims<2>(lists, level, out, 32, 18); claims<5>(lists, level, out, 32, 18);
*/
// 0: lanes load what their lists have, 1: and the level of each, 2: and a quarter of the lanes compare and swap it,
// 3: all lanes, 4: they do without having loaded it, 5: as 2 and who did is counted in shared memory, 6: as 1 and counted.
template <int WHAT> __global__ void claims(const int *lists, int *level, int *out, int length, int bits)
{
    __shared__ int count;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * length;
    int sum = 0;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
#pragma unroll 1
    for (int e = first; e < first + length; e++) {
        const unsigned v = lists[e] + (sum >> 31), h = mixed(v), at = h & ((1u << bits) - 1u);
        if (WHAT == 0) sum += v & 1;
        if (WHAT == 1 || WHAT == 2 || WHAT == 3 || WHAT == 5 || WHAT == 6) sum += level[at] >> 8;
        if (WHAT == 3 || WHAT == 4 || ((WHAT == 2 || WHAT == 5) && (h >> 28) + (sum >> 8) < 4)) {
            const int was = atomicCAS(&level[at], -2, 5);
            sum += was >> 8;
            if (WHAT == 5 && was >= 0) sum += atomicAdd(&count, 1) >> 24;
        }
        if (WHAT == 6 && (h >> 28) + (sum >> 8) < 4) sum += atomicAdd(&count, 1) >> 24;
    }
    if (sum + count == 123456789) out[threadIdx.x] = sum;
}
