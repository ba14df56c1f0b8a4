// Some lanes of each warp add to words of lines that blocks beside them add to, too, or store to words of their own, as flows
// and pushes on a grid do, alone and beside what all load. Timed on a GPU and by the model of time, as patterns.cu.

__device__ unsigned mixed(unsigned n)
{
    n = (n ^ 61) ^ (n >> 16); n *= 9; n ^= n >> 4; n *= 0x27d4eb2d;
    return n ^ n >> 15;
}

/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 4096 };
   int sums[1 << 20] = zeros(); int in[1 << 22] = iota(); int out[1 << 22] = zeros();
   some_add<1, 0>(sums, in, out, 32, 1024); some_add<1, 0>(sums, in, out, 4, 1024); some_add<1, 0>(sums, in, out, 16, 1024);
   some_add<4, 0>(sums, in, out, 32, 1024); some_add<4, 0>(sums, in, out, 4, 1024); some_add<4, 0>(sums, in, out, 8, 1024); some_add<4, 0>(sums, in, out, 16, 1024);
   some_add<4, 1>(sums, in, out, 32, 1024); some_add<4, 1>(sums, in, out, 4, 1024); some_add<4, 1>(sums, in, out, 8, 1024); some_add<4, 1>(sums, in, out, 16, 1024); some_add<4, 1>(sums, in, out, 0, 1024);
   some_add<4, 2>(sums, in, out, 32, 1024); some_add<4, 2>(sums, in, out, 4, 1024); some_add<4, 2>(sums, in, out, 8, 1024); some_add<4, 2>(sums, in, out, 16, 1024);
   some_add<4, 3>(sums, in, out, 4, 1024); some_add<4, 3>(sums, in, out, 8, 1024); some_add<4, 3>(sums, in, out, 16, 1024); some_add<4, 3>(sums, in, out, 32, 1024);
   some_add<4, 4>(sums, in, out, 2, 1024); some_add<4, 4>(sums, in, out, 4, 1024); some_add<4, 4>(sums, in, out, 8, 1024); some_add<4, 4>(sums, in, out, 16, 1024); some_add<4, 4>(sums, in, out, 32, 1024);
   some_add<4, 5>(sums, in, out, 2, 1024); some_add<4, 5>(sums, in, out, 4, 1024); some_add<4, 5>(sums, in, out, 8, 1024); some_add<4, 5>(sums, in, out, 16, 1024); some_add<4, 5>(sums, in, out, 32, 1024);
   some_add<4, 6>(sums, in, out, 2, 1024); some_add<4, 6>(sums, in, out, 4, 1024); some_add<4, 6>(sums, in, out, 8, 1024); some_add<4, 6>(sums, in, out, 16, 1024); some_add<4, 6>(sums, in, out, 32, 1024);
*/
/* kmutate launch
   dim3 block = { 256 }; dim3 grid = { 16384 };
   int sums[1 << 22] = zeros(); int in[1 << 24] = iota(); int out[1 << 24] = zeros();
   some_add<4, 0>(sums, in, out, 4, 4096); some_add<4, 0>(sums, in, out, 16, 4096); some_add<4, 1>(sums, in, out, 4, 4096); some_add<4, 1>(sums, in, out, 16, 4096);
   some_add<4, 4>(sums, in, out, 4, 4096); some_add<4, 4>(sums, in, out, 16, 4096); some_add<4, 6>(sums, in, out, 4, 4096); some_add<4, 6>(sums, in, out, 16, 4096);
*/
// `of32` of 32 threads, by chance, each time, add to TIMES places: left, right, above, below. HOW 0: that is all; 1: they load
// four words before; 2: they load one for each addition, right before it; 3: always to their own place; 4: they store to a word
// of their own in each of four planes instead; 5: both; 6: as 5, with a load of each plane before.
template <int TIMES, int HOW> __global__ void some_add(int *sums, const int *in, int *out, int of32, int row)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    const int to[4] = { 1, -1, row, -row };
    int x = 1;
    if (HOW == 1)
#pragma unroll
        for (int k = 0; k < 4; k++) x += in[i + k * all] >> 28;
#pragma unroll
    for (int k = 0; k < TIMES; k++) {
        if (HOW == 2 || HOW == 6) x += in[i + k * all] >> 28;
        if ((mixed(4 * i + k) & 31) < of32 + (x >> 30)) {
            if (HOW >= 4) out[i + k * all] = x;
            if (HOW != 4) atomicAdd(sums + ((HOW == 3 ? i : i + to[k]) & (all - 1)), x);
        }
    }
    if (HOW == 1 || HOW == 2) out[i] = x;
}
