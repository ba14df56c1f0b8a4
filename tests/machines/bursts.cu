// Bursts of stores to parts of the same sectors, which all warps of a block begin together and which nothing else disturbs: how
// many go to L2 together, by the number of stores, of warps, and of runs that a warp stores by turns. Sectors by ncu; what such a
// launch takes says nothing, it works between bursts for longer than they last.

/* kmutate launch
   int rounds = 40; dim3 block = { 32 }; dim3 grid = { 4 }; char out[1 << 26] = zeros();
   bursts<char, 4, 2>(out, rounds); bursts<char, 8, 2>(out, rounds); bursts<char, 8, 5>(out, rounds); bursts<char, 8, 6>(out, rounds); bursts<int, 2, 2>((int *)out, rounds);
   bursts<int, 4, 2>((int *)out, rounds); bursts<int, 4, 4>((int *)out, rounds); bursts<int, 4, 6>((int *)out, rounds); bursts<int, 4, 8>((int *)out, rounds);
   bursts<int, 8, 2>((int *)out, rounds); bursts<int, 8, 3>((int *)out, rounds); bursts<int, 8, 4>((int *)out, rounds); bursts<short, 8, 3>((short *)out, rounds); bursts<short, 8, 4>((short *)out, rounds);
   bursts<char, 4, 1>(out, rounds); bursts<char, 8, 1>(out, rounds); bursts<char, 16, 1>(out, rounds); bursts<short, 2, 1>((short *)out, rounds);
   bursts<short, 8, 1>((short *)out, rounds); bursts<int, 2, 1>((int *)out, rounds); bursts<int, 4, 1>((int *)out, rounds); bursts<int, 6, 1>((int *)out, rounds);
   bursts<int, 8, 1>((int *)out, rounds);
   block.x = 64;
   bursts<char, 4, 1>(out, rounds); bursts<char, 8, 1>(out, rounds); bursts<char, 16, 1>(out, rounds); bursts<short, 2, 1>((short *)out, rounds);
   bursts<short, 8, 1>((short *)out, rounds); bursts<int, 2, 1>((int *)out, rounds); bursts<int, 4, 1>((int *)out, rounds); bursts<int, 6, 1>((int *)out, rounds);
   bursts<int, 8, 1>((int *)out, rounds);
   block.x = 128;
   bursts<char, 4, 1>(out, rounds); bursts<char, 8, 1>(out, rounds); bursts<char, 16, 1>(out, rounds); bursts<short, 2, 1>((short *)out, rounds);
   bursts<short, 8, 1>((short *)out, rounds); bursts<int, 2, 1>((int *)out, rounds); bursts<int, 4, 1>((int *)out, rounds); bursts<int, 6, 1>((int *)out, rounds);
   bursts<int, 8, 1>((int *)out, rounds);
   block.x = 256;
   bursts<char, 4, 1>(out, rounds); bursts<char, 8, 1>(out, rounds); bursts<char, 16, 1>(out, rounds); bursts<short, 2, 1>((short *)out, rounds);
   bursts<short, 8, 1>((short *)out, rounds); bursts<int, 2, 1>((int *)out, rounds); bursts<int, 4, 1>((int *)out, rounds); bursts<int, 6, 1>((int *)out, rounds);
   bursts<int, 8, 1>((int *)out, rounds);
   block.x = 512;
   bursts<char, 4, 1>(out, rounds); bursts<char, 8, 1>(out, rounds); bursts<char, 16, 1>(out, rounds); bursts<short, 2, 1>((short *)out, rounds);
   bursts<short, 8, 1>((short *)out, rounds); bursts<int, 2, 1>((int *)out, rounds); bursts<int, 4, 1>((int *)out, rounds); bursts<int, 6, 1>((int *)out, rounds);
   bursts<int, 8, 1>((int *)out, rounds);
   block.x = 1024;
   bursts<char, 4, 1>(out, rounds); bursts<char, 8, 1>(out, rounds); bursts<char, 16, 1>(out, rounds); bursts<short, 2, 1>((short *)out, rounds);
   bursts<short, 8, 1>((short *)out, rounds); bursts<int, 2, 1>((int *)out, rounds); bursts<int, 4, 1>((int *)out, rounds); bursts<int, 6, 1>((int *)out, rounds);
   bursts<int, 8, 1>((int *)out, rounds);
*/
// A lane has N elements side by side, RUNS times; burst after burst it stores the first of each, then the second of each.
template <typename T, int N, int RUNS> __global__ void bursts(T *out, int rounds)
{
    const int all = gridDim.x * blockDim.x;
    T *mine = out + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * N;
    float x = threadIdx.x & 31;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < N; k++)
#pragma unroll
            for (int c = 0; c < RUNS; c++) mine[k + (size_t)c * all * N] = (T)r;
#pragma unroll 16
        for (int j = 0; j < 512; j++) x = __fmaf_rn(x, 0.5f, 1.0f);
        if (x == 123.0f) r++;
        mine += (size_t)all * N * RUNS;
    }
}
