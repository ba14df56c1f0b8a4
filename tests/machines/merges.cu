// Stores of a warp that follow each other to the same lines: how many of them go to L2 together, by the number of stores, of lines,
// of warps on an SM, and by what is in between. Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

/* kmutate launch
   int bytes = 1 << 24; dim3 block = { 32 }; dim3 grid = { 132 }; char out[(1 << 24) + 65536] = zeros();
   merged<char, 4, 0>(out, bytes); merged<char, 8, 0>(out, bytes); merged<char, 16, 0>(out, bytes);
   merged<short, 2, 0>((short *)out, bytes); merged<short, 4, 0>((short *)out, bytes); merged<short, 8, 0>((short *)out, bytes); merged<short, 16, 0>((short *)out, bytes);
   merged<int, 2, 0>((int *)out, bytes); merged<int, 4, 0>((int *)out, bytes); merged<int, 8, 0>((int *)out, bytes);
   block.x = 128;
   merged<char, 4, 0>(out, bytes); merged<char, 8, 0>(out, bytes); merged<char, 16, 0>(out, bytes);
   merged<short, 2, 0>((short *)out, bytes); merged<short, 4, 0>((short *)out, bytes); merged<short, 8, 0>((short *)out, bytes); merged<short, 16, 0>((short *)out, bytes);
   merged<int, 2, 0>((int *)out, bytes); merged<int, 4, 0>((int *)out, bytes); merged<int, 8, 0>((int *)out, bytes);
   merged<short, 4, 1>((short *)out, bytes); merged<short, 8, 1>((short *)out, bytes); merged<int, 4, 1>((int *)out, bytes); merged<int, 8, 1>((int *)out, bytes);
   merged<short, 4, 2>((short *)out, bytes); merged<short, 8, 2>((short *)out, bytes); merged<int, 4, 2>((int *)out, bytes); merged<int, 8, 2>((int *)out, bytes);
   block.x = 512;
   merged<char, 4, 0>(out, bytes); merged<char, 8, 0>(out, bytes); merged<char, 16, 0>(out, bytes);
   merged<short, 2, 0>((short *)out, bytes); merged<short, 4, 0>((short *)out, bytes); merged<short, 8, 0>((short *)out, bytes); merged<short, 16, 0>((short *)out, bytes);
   merged<int, 2, 0>((int *)out, bytes); merged<int, 4, 0>((int *)out, bytes); merged<int, 8, 0>((int *)out, bytes);
   merged<short, 4, 1>((short *)out, bytes); merged<short, 8, 1>((short *)out, bytes); merged<int, 4, 1>((int *)out, bytes); merged<int, 8, 1>((int *)out, bytes);
   merged<short, 4, 2>((short *)out, bytes); merged<short, 8, 2>((short *)out, bytes); merged<int, 4, 2>((int *)out, bytes); merged<int, 8, 2>((int *)out, bytes);
   merged<short, 4, 3>((short *)out, bytes); merged<short, 8, 3>((short *)out, bytes); merged<int, 4, 3>((int *)out, bytes); merged<int, 8, 3>((int *)out, bytes);
   block.x = 1024; grid.x = 264;
   merged<char, 4, 0>(out, bytes); merged<char, 8, 0>(out, bytes); merged<char, 16, 0>(out, bytes);
   merged<short, 2, 0>((short *)out, bytes); merged<short, 4, 0>((short *)out, bytes); merged<short, 8, 0>((short *)out, bytes); merged<short, 16, 0>((short *)out, bytes);
   merged<int, 2, 0>((int *)out, bytes); merged<int, 4, 0>((int *)out, bytes); merged<int, 8, 0>((int *)out, bytes);
   merged<short, 4, 3>((short *)out, bytes); merged<short, 8, 3>((short *)out, bytes); merged<int, 4, 3>((int *)out, bytes); merged<int, 8, 3>((int *)out, bytes);
*/
// A lane has N elements side by side and stores them one after another, round after round. BETWEEN: 1 about 32 clocks between
// stores, 2 about 128; 3 about 1,000 between rounds.
template <typename T, int N, int BETWEEN> __global__ void merged(T *out, int bytes)
{
    const int all = gridDim.x * blockDim.x, rounds = bytes / ((int)sizeof(T) * N * all);
    T *mine = out + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * N;
    float x = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (BETWEEN == 1 || BETWEEN == 2)
#pragma unroll
                for (int j = 0; j < (BETWEEN == 1 ? 8 : 32); j++) x = __fmaf_rn(x, 0.5f, 1.0f);
            mine[k] = BETWEEN == 1 || BETWEEN == 2 ? (T)__float_as_int(x) : (T)r;
        }
        if (BETWEEN == 3) {
#pragma unroll 16
            for (int j = 0; j < 256; j++) x = __fmaf_rn(x, 0.5f, 1.0f);
            if (x == 123.0f) r++;
        }
        mine += (size_t)all * N;
    }
}
